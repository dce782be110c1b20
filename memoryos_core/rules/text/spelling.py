"""Write quickly typed English in full, "im a nurse w 2 kids" as "I'm a nurse with 2 kids", so that rules can read it.

Only what can be nothing else is written in full: "id" may be a card and "its" a possessive.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import TypeAlias

from memoryos_core.rules.text.function_words import FUNCTION_WORDS
from memoryos_core.rules.text.introductions import take_apart, tell_name
from memoryos_core.rules.text.names import GREETING, is_name, names_in_full
from memoryos_core.rules.text.ordinals import write_ages, write_days
from memoryos_core.rules.text.questions_within import write_stops
from memoryos_core.rules.text.words import at_start, fold_case, regex, with_marks

__all__ = ["Replacement", "is_english", "replace_each", "write_out"]

Replacement: TypeAlias = tuple[str, re.Pattern[str], str | Callable[[re.Match[str]], str]]
"""What is replaced: a mark, in small letters, without which the pattern finds nothing; the pattern; by what."""


def replace_each(text: str, replacements: Iterable[Replacement]) -> str:
    """Replace what each pattern finds, in order; most texts have few of the marks, and to look for one costs little."""
    plain = text.isascii()  # elsewhere other letters may fall together with those of a mark
    lowered = text.lower()
    for mark, pattern, by in replacements:
        if (mark in lowered or not plain) and (out := pattern.sub(by, text)) != text:
            text, lowered = out, out.lower()
    return text


_WRITTEN_TEXT = """
    im=I'm ive=I've dont=don't doesnt=doesn't didnt=didn't cant=can't wont=won't isnt=isn't wasnt=wasn't arent=aren't
    werent=weren't wernt=weren't havent=haven't hasnt=hasn't hadnt=hadn't couldnt=couldn't wouldnt=wouldn't
    shouldnt=shouldn't hes=he's shes=she's theyre=they're youre=you're weve=we've theyve=they've thats=that's
    whats=what's wats=what's wich=which hubby=husband bday=birthday appt=appointment yr=year yrs=years wk=week wks=weeks
    roomate=roommate definately=definitely evry=every
    eatin=eating drinkin=drinking smokin=smoking workin=working livin=living movin=moving goin=going doin=doing
    havin=having takin=taking startin=starting studyin=studying learnin=learning gettin=getting makin=making
    lookin=looking readin=reading seein=seeing datin=dating drivin=driving playin=playing cookin=cooking
    u=you ur=your tryna=trying=to gotta=have=to ppl=people cuz=because
    cos=because tmrw=tomorrow tmr=tomorrow w/=with
"""
_WRITTEN = {short: " ".join(full) for short, *full in (word.split("=") for word in _WRITTEN_TEXT.split())}


def _any_of(words: Iterable[str]) -> str:
    """Return a pattern of any of these words, the longest first: by first letters, with fewer to try at each place."""
    rests: dict[str, list[str]] = {}
    for word in sorted(words, key=len, reverse=True):
        rests.setdefault(word[0], []).append(re.escape(word[1:]))
    return "|".join(f"{first}(?:{'|'.join(rest)})" for first, rest in rests.items())


_FIRST = "".join(sorted({short[0] for short in _WRITTEN}))
# Most letters begin none of them, which is the cheapest to tell.
_SHORT = regex(rf"(?=[{_FIRST}])(?<![\w'.@/#-])(?:{_any_of(_WRITTEN)})(?![\w'@/-]|\.\w)", re.IGNORECASE)
_ABBREVIATED = regex(r"(?<![\w'.@/#-])[A-Z]{2,}(?![\w'])")  # "IM" and "UR" are names of something
# What is only short for a word where the words beside it say so.
_BETWEEN: tuple[Replacement, ...] = (
    (
        "my names ",
        regex(
            r"^((?:hi|hiya|hey|hello|yo|sup)[,!.]? )?my names (?!(?:are|were|and|in|on|of|for|from)\b)(?=\w)",
            re.IGNORECASE,
        ),
        r"\1my name is ",
    ),
    *(
        # Whose it is goes without saying: "Dad passed on Friday", "mum's in hospital". Not "Dad, can you …".
        (kin, regex(rf"(?:^|(?<=[.!?] )){kin}(?='s [a-z]| [a-z])", re.IGNORECASE), f"My {kin}")
        for kin in ("dad", "mum", "mom", "gran", "grandma", "grandpa", "grandad", "nan")
    ),
    (
        " passed ",
        regex(
            r"\b(dad|mum|mom|father|mother|gran|grandma|grandpa|grandad|nan|uncle|aunt|brother|sister|husband"
            r"|wife|partner"
            r"|dog|cat) passed (?=on (?:the \d|\w+day)|last (?:week|month|night)\b|yesterday\b|peacefully\b"
            r"|in (?:his|her|their) sleep)",
            re.IGNORECASE,
        ),
        r"\1 passed away ",
    ),
    *(
        (mark, regex(pattern, re.IGNORECASE), plain)
        for mark, pattern, plain in (
            ("the knot", r"\b(?:tied|have tied|finally tied) the knot\b", "got married"),
            ("hitched", r"\bgot hitched\b", "got married"),
            (
                "rainbow bridge",
                r"\b(?:has )?(?:crossed|gone over|went over|passed over|gone to) (?:over )?the rainbow bridge\b",
                "died",
            ),
            ("longer with us", r"\bis (?:sadly )?no longer with us\b(?! (?:at|in|for)\b)", "died"),
            (" to sleep", r"\bhad to put ((?-i:[A-ZÀ-Þ])[\w'-]+|(?:my|our|the) \w+) to sleep\b", r"had to put \1 down"),
            (
                "stop calling",
                r"\bstop calling me [\w' -]{2,20}, (?:(?:just|it's|call me) )+(?=(?-i:[A-Z]))",
                "call me ",
            ),
            # "I'm 40 on 9 July", said before that day.
            (
                " on ",
                r"\b(I|he|she)(?:'m|'s| am| is) (?=[1-9]\d? on (?:the )?(?:\d{1,2}(?:st|nd|rd|th)?(?=(?: of)? "
                r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec))|\d{1,2}(?:st|nd|rd|th)(?=[.,!]|$| (?:too|so|and"
                r"|but|this|next)\b)|(?:mon|tues|wednes|thurs|fri|satur|sun)day\b))",
                r"\1 will be ",
            ),
            ("my birthday, ", r"\bit(?:'s| is) my birthday(?: today)?, (?:and )?(?=I(?:'m| am) \d)", ""),
            ("mg", r"^\s*(?!(?:he|she|it|that)')([\w-]+)'s (?:now )?(?:up|down) to (?=[\d.]+ ?mg\b)", r"\1 is now "),
            ("to ", r"^\s*(?:now )?(down to \d[\d.,]* ?(?:kg|kilos?|lbs?|pounds?|stone)\b)(?! of\b)", r"I'm \1"),
            # Indians shift house.
            (
                "shifted to ",
                r"(?:^|(?<=[.!?,] )|\b(?<=I )|\b(?<=we )|\b(?<=have ))shifted to (?=(?-i:[A-Z])[a-z]{2})",
                "moved to ",
            ),
        )
    ),
    (" name is ", regex(r"(?<= name is )([A-Z][\w'-]+), (?=\1 [A-Z])"), ""),
    (" w ", regex(r"(?<=[a-z,]) w (?=[a-z\d])", re.IGNORECASE), " with "),
    ("missus", regex(r"\bthe missus\b(?! of\b)|(?:^|(?<=[.!?] ))missus\b(?! (?-i:[A-Z]))", re.IGNORECASE), "my wife"),
    ("gf", regex(r"\b(my|his|her) gf\b", re.IGNORECASE), r"\1 girlfriend"),
    ("bf", regex(r"\b(my|her|his) bf\b", re.IGNORECASE), r"\1 boyfriend"),
    (" n ", regex(r"(?<=[a-z]) n (?=[a-z])", re.IGNORECASE), " and "),
    (
        "were",
        regex(
            r"(\bsays|\bsaid|\bthinks?) were (going|in)"
            r" (?=to [a-z]+ (?:in|on|for)\b|[a-z]+ now\b)",
            re.IGNORECASE,
        ),
        r"\1 we're \2 ",
    ),
    (
        "id ",
        regex(
            r"(?:^|(?<=[.!?,] )|(?<=\band )|(?<=\bbut )|(?<=\bso ))id "
            r"(?=(?:like|love|rather|prefer|hate|never|probably)\b)"
        ),
        "I'd ",
    ),
    (
        "ill ",
        regex(
            r"(?:^|(?<=[.!?,] )|(?<=\band )|(?<=\bbut )|(?<=\bso ))ill "
            r"(?=(?:be|have|go|get|do|take|try|let|start|move|see|probably|never|just)\b)"
        ),
        "I'll ",
    ),
    # Scots and learnt English leave out who it is; West Africans say "don" of what is done.
    (
        "can",
        regex(r"^(\s*)(?:can't|cannae|cannot) (?=(?:eat|drink|have|stand|do) )", re.IGNORECASE),
        r"\1I can't ",
    ),
    (" don ", regex(r"\b(I|we) don (relocate|move|graduate|retire|change|arrive)\b", re.IGNORECASE), r"\1 have \2d"),
    (" don ", regex(r"\b(I|we) don (resign|finish|start|join)\b", re.IGNORECASE), r"\1 have \2ed"),
    ("omg", regex(r"^\s*(?:omg|oh my god)[ ,!]+(?=(?:hi|hey|hello)\b)", re.IGNORECASE), ""),
    (
        "myself",
        regex(rf"^(\s*(?:{GREETING}[ ,!.]+)?)myself ((?-i:[A-Z])[a-z]+)[,.] (?=I\b)", re.IGNORECASE),
        r"\1My name is \2. ",
    ),
    # "Guess who made the team ME": each is of the speaker.
    (
        "guess who",
        regex(r"(\bguess who [a-z]+ )(?:their|his or her) (?=[^.?!\n]{2,60}[.?!, -]+me\b)", re.IGNORECASE),
        r"\1my ",
    ),
    (
        "guess who",
        regex(
            r"\bguess who(?:'s| is) ([^.,?!\n]{3,60}?)(?:[.,?!…-]+ ?me+\b| (?-i:ME)\b)[!. ]*(?=$|\n|(?-i:[A-Z]))",
            re.IGNORECASE,
        ),
        r"I'm \1. ",
    ),
    (
        "guess who",
        regex(
            r"\bguess who ([a-z]+ [^.,?!\n]{3,60}?)(?:[.,?!…-]+ ?me+\b| (?-i:ME)\b)[!. ]*(?=$|\n|(?-i:[A-Z]))",
            re.IGNORECASE,
        ),
        r"I \1. ",
    ),
    (
        "i not ",
        regex(
            r"\bI not (?=(?:drink|eat|smoke|like|want|know|have|need|live|work|understand|speak|drive|sleep|take|use"
            r"|see|go|think|feel|remember|believe|cook|play|love|care|own|study)\b)",
            re.IGNORECASE,
        ),
        "I don't ",
    ),
    # "Eating meat again since Easter" is told of oneself; "eating meat again was a mistake" tells of the eating.
    (
        "ing ",
        regex(
            r"(?:^|(?<=[.!?\n] ))((?:(?:and|so|also|now|btw|oh|still),? )*)((?:eating|drinking|smoking|vaping|taking"
            r"|using|wearing|seeing|dating|studying|learning|playing|training|driving|cycling|running|swimming) "
            r"(?![^.!?\n]*(?:\?|\b(?:is|was|are|were|has|had|feels?|felt|helps?|helped|makes?|made|would|will|can"
            r"|could|gives?|gave|keeps?|kept|sounds?|seems?|isn't|wasn't|won't|that['’]?s|what|i'm|i)\b))"
            r"(?:(?!\b(?:vegan|veggie|vegetarian)\b)[^.,;:!?\n]){0,60}?"
            r"\b(?:again|now|these days|nowadays|instead)\b"
            r"(?! (?:tonight|today|for (?:lunch|dinner|tea|breakfast)|at the moment|right now)\b))",
            re.IGNORECASE,
        ),
        lambda found: f"{found[1]}I'm {found[2][:1].lower()}{found[2][1:]}",
    ),
    # Two ages to come have a day each.
    (
        " and my ",
        regex(
            r"\b((?:turn|turning|be) [1-9]\d (?:next|this|on|in) (?:the )?\w+(?: \w+)?) and my"
            r"(?= (?:\w+ ){1,3}?(?:turns|will (?:turn|be)) [1-9]\d (?:next|this|on|in)\b)",
            re.IGNORECASE,
        ),
        r"\1. My",
    ),
    (" dey ", regex(r"\b(I|we) dey (?=[a-z]{3,}\b)", re.IGNORECASE), r"\1 "),
    ("yesterdayy", regex(r"\byesterdayy+\b", re.IGNORECASE), "yesterday"),
    ("", regex(r"(?<=\w) (?:lol|lmao|haha+|hehe+|btw|tbh|ngl)(?=[\s,.!?]|$)", re.IGNORECASE), ""),
    ("fan of", regex(r"^(\s*)((?:big|huge|massive|lifelong) fan of (?!you)(?!.* (?:is|was|my)\b))"), r"\1I'm a \2"),
    (
        "birthday",
        regex(r"^(\s*)(?=birthday(?:'s| is) (?:on )?(?:the )?\d\d?(?:st|nd|rd|th)? [a-z]{3})(?!.*,)"),
        r"\1my ",
    ),
    (
        "no",
        regex(
            # A bare "not coeliac" may answer what was asked of another.
            r"^(\s*(?:(?:oh|and|also|hey|hi|so|btw|well),? )*)(no longer|(?<=also )not"
            r"|not(?=.* (?:any|now|btw))) (?=(?:an? )?(?:vegan|vegetarian|veggie|pescatarian"
            r"|single|married|engaged|pregnant|coeliac|diabetic|gluten[- ]free|allergic to [a-z ]{3,20}"
            r"|at (?-i:[A-Z])[\w'-]+|working (?:at|for) [\w' -]{2,30}|living in [\w' -]{2,30})"
            r"(?: (?:any ?more|any longer|now|btw))*[ .!]*$)",
            re.IGNORECASE,
        ),
        r"\1I'm \2 ",
    ),
    (
        "veggie",
        regex(
            r"((?:\b(?:am|is|are|gone|went|been|turned|became|become)|'m|'s|'re) (?:not |no longer )?)veggie\b"
            r"(?! (?:burger|box|soup|patch|garden|option|sausage|wrap|meal|dish)s?\b)",
            re.IGNORECASE,
        ),
        r"\1vegetarian",
    ),
    # "Me and Tash split up", but not "she told me and Tash".
    (
        "me ",
        regex(
            r"(?:^|(?<=[.!?] )|(?<=\bso )|(?<=\band )|(?<=\bbut )|(?<=\balso )|(?<=\bnews ))me (?:and|&) "
            r"((?:my )?(?!(?:the|an?|our|my|his|her|mr|mrs|ms|dr|all|some|most|two|three|both)\b)[\w'-]+)"
            r"(?= (?:are|have|split|broke|got|moved|went|live|will|both|used|just|had|were|bought|rent|run|work"
            r"|started|met"
            r"|married|decided|adopted|finally|still|now)\b)",
            re.I,
        ),
        r"\1 and I",
    ),
    (
        " me ",
        regex(
            r"(?:^|(?<=[.!?,] )|(?<=\bso )|(?<=\band )|(?<=\bbut ))((?:my )?(?-i:[A-ZÀ-Þ][\w'-]+|[a-z]{3,12})) "
            r"(?:and|&) me (?=(?:are|have|split|broke|got|moved|went|live|will|both|used|just|had|were)\b)",
            re.IGNORECASE,
        ),
        r"\1 and I ",
    ),
)
# Who begins with what they are leaves out "I'm"; but "Allergic to nuts is my son", and a cake may be vegan.
_LEFT_OUT = at_start(
    r"^(?P<before>\s*(?:(?:oh|and|also|hey|hi),? )*)(?P<first>[av])(?P<rest>(?:"
    r"(?<=a)llergic to (?!(?:me|you|my ex|the word|stupid|work|early|bullshit|nonsense)\b)(?-i:[a-z])"
    r"(?:(?!\b(?:is|are|was|were|says?|my|his|her)\b)[^?:]){0,200}?"
    r"|(?<=v)(?:egan|egetarian)(?= (?:too|now|btw)|, btw))(?: too| now| btw)?(?:, btw)?[ .!]*)$",
    re.IGNORECASE,
)
_HERE = at_start(
    rf"^(?P<before>\s*{GREETING}[\s,!.]+)(?P<name>(?-i:[A-ZÀ-Þ])[\w'-]{{1,14}})(?P<here> (?:here|this side)\b)"
    r"(?= *(?:[.!,]|$))",
    re.I,
)
_ITS = at_start(
    rf"^(?P<before>\s*{GREETING}[\s,!.]+)(?:(?:its|it's|this is) (?=[\w'-]+(?: here\b| *[.!]*$))|I'm )"
    rf"(?P<name>(?-i:[A-ZÀ-Þ])[\w'-]{{1,14}})(?= *(?:[.!,]|$| here\b))",
    re.IGNORECASE,
)
_GREETED_LOW = at_start(
    rf"^(?P<before>\s*{GREETING}[\s,!.]+)(?:i'm|its|it's|this is|my name is) (?P<name>[a-z]{{3,12}})"
    r"(?=,? and i'm \d|, \d\d\b)",
    re.IGNORECASE,
)


def _with_subject(found: re.Match[str]) -> str:
    return f"{found['before']}I'm {found['first'].lower()}{found['rest'].replace(', btw', '').replace(' btw', '')}"


def _in_full(found: re.Match[str]) -> str:
    said = found[0]
    before = found.string[: found.start()].rstrip()
    if _ABBREVIATED.match(said) or (said[0].isupper() and before and before[-1] not in ".!?"):
        return said  # a name
    full = _WRITTEN[said.lower()]
    return full[:1].upper() + full[1:] if said[0].isupper() else full


def _introduce(found: re.Match[str]) -> str:
    if not is_name(found["name"]):
        return found[0]
    return f"{found['before']}I'm {found['name'][:1].upper()}{found['name'][1:]}"


# Quoted, code, or said to the letter.
_LITERAL = regex(
    r"[\"“”«»`\\=?&]\w|\w[\"“”«»`\\=&]|\b(?:password|passcode|pin|username|user name|login|wifi|wi-fi|gamertag"
    r"|called|named)\b",
    re.IGNORECASE,
)


_PLAINLY = fold_case(
    r"\b(?:i|we|he|she|they) (?:dont|doesnt|didnt|cant|wont|isnt|havent|hasnt)\b|\b(?:broke|broken|split) up\b"
)
_OF_ONE = regex(r"\bI['’](?:m|ve|ll|d)\b")  # "Hi, I'm Ada, 41.": no other language has it
_ENGLISH_TOO_TEXT = """
    off now said got just moved not new back today week work good because vegan pm mum weds tues thurs thur fri thu
    again since"""
_ENGLISH_TOO = frozenset(_ENGLISH_TOO_TEXT.split())


def is_english(text: str, language_of: Callable[[str], str], beside: str = "") -> bool:
    """Return whether a text is English without its short forms, which other languages have as words: "im", "u".

    The answer `beside` it tells where no other language's words of grammar are among its own, and one is English.
    """
    if _PLAINLY.search(text):
        return True
    rest = _SHORT.sub(" ", text)
    language, said = language_of(rest), re.findall(r"[a-z']{2,}", rest.lower())
    if language != "en":
        known = FUNCTION_WORDS.get(language, frozenset[str]())
        may_be = text.isascii() and known.isdisjoint(said) and not _ENGLISH_TOO.isdisjoint(said)
        return may_be and bool(beside) and language_of(beside) == "en"
    begins = text.isascii() and re.match(r"\s*(?:im|ive|dont|cant|hes|shes|my)\b", text, re.IGNORECASE) is not None
    own = FUNCTION_WORDS["en"] | _ENGLISH_TOO
    return begins or _OF_ONE.search(text) is not None or any(word in own for word in said)


# What only goes with a statement, set apart by a comma or "that".
_IDLE = with_marks(
    "believe|you know|mind you|must say|afraid|turn|i should|forgot|just so|fyi|context|record|note|mention",
    r", (?:would you believe(?: it)?|believe it or not|as you know|mind you|i must say|i'm afraid)(?=[,.!]|$),?"
    r"|\b(?:it )?turn(?:s|ed) out(?: that)? (?=(?:i|i'm|we|we're|my|he|she|they)\b)"
    r"|(?:^|(?<=[.!?] ))(?:i should (?:have )?(?:mention|mentioned|add|say)|i forgot to (?:mention|say|tell you)"
    r"|just so you know|fyi|for context|for (?:your|the) record|note|did i mention)(?: that|[,:]) (?=\S+ \S)",
)
# It ends a sentence at the end of a line, and where a question follows.
_SMILEY = regex(r"(?<=\w) [:;]-?[()]+(?=\s+(?:how|what|why|any|can|could|should|do|does|is|help)\b|\s*(?:\n|$))", re.I)


# "I'M A JUNIOR DESIGNER!": what somebody is has no name and no place in it.
_SHOUTED = with_marks(
    "i'm a|i am a|now a",
    r"(?:^|(?<=[.!?\n] )|(?<=\n))(?:I'M|I AM)(?: NOW)? AN?(?: [A-Z]{4,}){1,3}(?=[.!?\n]|$)",
    flags=0,
)
_I = regex(r"\bi\b")


def _lower_voice(found: re.Match[str]) -> str:
    said = _I.sub("I", found[0].lower())
    return said[:1].upper() + said[1:]


@lru_cache(maxsize=1024)
def write_out(text: str) -> str:
    """Return an English text with its short forms in full; code and quotations may hold them too, and nobody asks."""
    if _LITERAL.search(text):
        return take_apart(text)
    text = tell_name(_SHOUTED.sub(_lower_voice, text))
    out = _LEFT_OUT.sub(
        _with_subject, _SHORT.sub(_in_full, _SMILEY.sub(".", _IDLE.sub("", write_ages(write_days(text)))))
    )
    out = _GREETED_LOW.sub(_introduce, replace_each(write_stops(out), _BETWEEN))
    return _ITS.sub(_introduce, _HERE.sub(_introduce, names_in_full(take_apart(out))))
