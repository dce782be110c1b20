"""Short answers: what somebody says to a question and nothing else, and the question that they are an answer to."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memoryos_core.rules.text.function_words import COMMON_WORDS, VAGUE_WORDS
from memoryos_core.rules.text.names import is_name
from memoryos_core.rules.text.words import regex

_LONGEST_ANSWER, _MOST_WORDS = 90, 9  # characters, words
_READ = 400  # characters at the end of what is said before


def _pattern(text: str) -> re.Pattern[str]:
    return regex(text, re.IGNORECASE)


_SENTENCE = regex(r"[^.!?\n]+(?:[.!](?=\S)[^.!?\n]*)*[.!?]*")
_MOST_BEHIND = 9  # words that may stand behind the question: "I'd love to know."


def last_question(said: str) -> str | None:
    """Return the one question that a message ends with; None where there is none, or more than one."""
    tail = said.replace("\u2019", "'")[-_READ:]
    parts = [part.strip() for part in _SENTENCE.findall(tail) if re.search(r"\w", part)]
    asked = [number for number, part in enumerate(parts) if part.endswith("?")]
    if len(asked) != 1 or len(parts) - asked[0] > 2:  # noqa: PLR2004 - the question, and a sentence behind it
        return None
    behind = " ".join(parts[asked[0] + 1 :])
    return parts[asked[0]] if behind.count(" ") < _MOST_BEHIND else None


_YES = _pattern(
    r"(?:yes|yeah|yep|yup|yea|ya|sure|correct|right|indeed|of course|definitely|absolutely|exactly|i am|i do|i have"
    r"|that's right|that is right|very much so)(?:[,!]? (?:i am|i do|i have|we do|we have|sure|indeed|that's right))?"
)
_NO = _pattern(
    r"(?:no|nope|nah|none|never|not really|not at all|not any ?more|no,? (?:i'm not|i am not|i don't|i do not|i haven't"
    r"|we don't|not really|not at all|none|nothing|never|sorry|thanks))"
)
_YES_AND = _pattern(r"(?:yes|yeah|yep|yup|sure|of course)[,!:]? (?:(?:i|we) (?:have|do)[,:]? )?(?=\S)")
_HESITATES = _pattern(
    r"(?:(?:oh|wow|aw+|ooh+|um+|uh+|well|hm+|ah|ok|okay|haha|lol|hi|hey|honestly|actually|just|so|probably|mostly|usually|mainly"
    r"|i think|i guess|i'd say|i would say)[,.]? )+"
)
_ITS = _pattern(
    r"(?:it's|its|it is|that's|that is|(?:that|it) would be|it'd be|would be|mine is|mine's|they're|they are"
    r"|(?:you can )?call me|the name's|the name is|i'm called|i go by) (?=\S)"
)
# A sentence of its own, another question, an order, or no answer at all.
_NO_VALUE = _pattern(
    r"(?:my|our)\b(?! [\w'-]+(?: (?-i:[A-Z])[\w'-]+)?$)"
    r"|(?:i|i'm|im|i've|ive|i'd|i'll|we|we're|we've|you|your|he|she|they|there|this|these|what|why|how|who|where"
    r"|when|can|could|would|do|does|did|is|are|please|let|let's|lets|tell|give|show|help|make|write|find|explain|nothing"
    r"|nobody|none|idk|dunno|not|unsure|don't|dont|rather|prefer|pass|skip|never ?mind|forget|anyway|thanks|thank|thx"
    r"|stop|later|ok|okay|yes|yeah|yep|yup|no|nope|nah|sure|maybe|perhaps|depends|it|that|whatever|anything|anyone"
    r"|any|something|somewhere|either|neither|both|guess|good|great|nice|cool|wait|sorry|hello|hi|hey|and|but|because"
    r"|if|me|same|also|too)\b|no (?:idea|clue|one)\b|(?:the )?(?:first|second|third|last|former|latter|same)\b(?! of\b)"
)
# Where the answer ends: a stop, or the speaker who goes on.
_ANSWER = _pattern(
    rf"\s*(?P<said>[^\n?]{{1,{_LONGEST_ANSWER}}}?)"
    r"(?P<rest>(?:(?<!\bSt)(?<!\bDr)(?<!\bMr)(?<!\bMs)(?<!\bMrs)[.!;](?=\s|$)|\n|$"
    r"|,? (?:and|but|though|so|because|since|as) (?=(?:i|i'm|im|i've|i'd|my|we|we're|we've|our)\b)"
    r"|, (?=(?:i|i'm|im|i've|i'd|my|we|we're|we've|our)\b)| (?=(?:i'm|i am|i've|i have)\b))(?s:.*))"
)
_GOES_ON = _pattern(r"^[ ,.;!]*(?:(?:and|but|though|so|because|since|as) (?=i\b|i'|my\b|we\b|we'|our\b))?")
_AFTER_WORDS = regex(r"[^\w)%€$£]+$")
_AT_END = _pattern(r",? (?:already|now|too|actually|i think|i guess|mostly|mainly|please|thanks|haha|lol)$")
# A value has no verb of a sentence: "ice cream is at the top of my list".
_VERB = _pattern(
    r"\b(?:is|are|was|were|am|has|have|had|do|does|did|will|would|can|could|should|might|may be|seems?|sounds?|looks?)"
    r"\b|n't\b|'(?:re|ll|ve|m)\b|\w's (?:my|mostly|a|an|the|so|been|not)\b|\bwhat an?\b"
)


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer: whether it is a yes or a no, and its value, "" for none."""

    is_yes: bool
    is_no: bool
    value: str


def _value_in(said: str) -> Answer | None:
    """Return what an answer says; None where it is no value, no yes and no no."""
    plain = _AFTER_WORDS.sub("", said).strip()
    if _YES.fullmatch(plain):
        return Answer(is_yes=True, is_no=False, value="")
    if _NO.fullmatch(plain):
        return Answer(is_yes=False, is_no=True, value="")
    agrees = _YES_AND.match(plain)
    value = plain[agrees.end() :] if agrees else plain
    hesitates = _HESITATES.match(value)
    value = value[hesitates.end() :] if hesitates else value
    begins = _ITS.match(value)
    value = _AT_END.sub("", value[begins.end() :] if begins else value)
    if not value or (" " in value and _VERB.search(value)) or _NO_VALUE.match(value) or value.count(" ") >= _MOST_WORDS:
        return None
    return Answer(is_yes=agrees is not None, is_no=False, value=value)


def answer_in(text: str, asked: str = "") -> tuple[Answer, str] | None:
    """Return the answer that a message begins with and what stands behind it; None where it begins otherwise."""
    found = _ANSWER.match(text.replace("\u2019", "'"))
    named = _NAME_WILL_DO.match(found["said"]) if found is not None and _OF_NAME.fullmatch(asked) else None
    is_called = named is not None and is_name(named["name"]) and named["name"].lower() not in _NO_ONES_NAME
    said = named["name"] if named is not None and is_called else found["said"] if found is not None else ""
    answer = _value_in(said)
    return None if found is None or answer is None else (answer, _GOES_ON.sub("", found["rest"]).strip())


_LEADS = _pattern(
    r"(?:(?!(?:if|when|once|assuming|suppose|imagine|where|what|who|how|which|do|are)\b)[^?,:]{0,30}[,:] )?"
    r"(?:(?:and|so|but|also|then|now|first|great|okay|ok) )*"
    r"(?:(?:may|can|could|might) i (?:just |please )?(?:ask|know|have|get) |(?:can|could|would|will) you "
    r"(?:please |just )?(?:tell|remind|give) (?:me |us )|(?:i'd|i would) (?:love|like) to know "
    r"|(?:please )?(?:tell|remind) me |do you mind (?:telling me|if i ask|me asking) )?"
)
_TAILS = _pattern(
    r"(?:,? (?:by the way|btw|if i may(?: ask)?|if you don't mind(?: me asking)?|exactly|currently|now|these days"
    r"|at the moment|right now|today|again|though|please|if any|then|at all|(?:that )?i should (?:know|be aware)"
    r"(?: (?:of|about))?"
    r"|to (?:consider|keep in mind)))+$"
)
_WRITTEN_OUT = (
    (_pattern(r"\b(what|who|where|when)'?s (?!up\b)"), r"\1 is "),
    (_pattern(r"^(what|who|when) your ([\w' ]{2,40}) (is|are)$"), r"\1 \3 your \2"),
    (_pattern(r"^(where|when|how old|how tall|what) (?:you're|you are)\b"), r"\1 are you"),
    (
        _pattern(
            r"^(where|when|who|what(?: time| kind of \w+)?|which \w+|how (?:often|many \w+)) you "
            r"(?!are\b|have been\b)(?=[a-z])"
        ),
        r"\1 do you ",
    ),
    (_pattern(r"^your ([\w' ]{2,40})$"), r"what is your \1"),
    (_pattern(r"^(?:you have|got|have you got|are there|and|or)(?= any\b)"), "do you have"),
    (_pattern(r"^any(?= \w)"), "do you have any"),
)


def plain_question(question: str) -> str:
    """Return a question without what leads to it, in the order of words of one that is asked outright."""
    asked = question.replace("\u2019", "'").strip().rstrip("? ")
    lead = _LEADS.match(asked)
    asked = _TAILS.sub("", asked[lead.end() :] if lead else asked)
    for pattern, instead in _WRITTEN_OUT:
        asked = pattern.sub(instead, asked, count=1)
    return asked


# Questions that one answers with a town, a job or a name, and what one is asked to have or to be.
THINGS = (
    r"(?:\w+ ){0,2}(?:pets?|cats?|dogs?|animals?|kids?|children|siblings?|brothers?|sisters?|sons?|daughters?|allergy"
    r"|allergies|intolerances?|restrictions?|requirements?|partner|wife|husband|girlfriend|boyfriend|car|bike|garden"
    r"|hobby|hobbies|nickname|driving licen[cs]e|(?:health|medical) (?:conditions?|issues?|problems?)|injury|injuries)"
)
STATES = (
    r"(?:vegan|vegetarian|pescatarian|coeliac|celiac|diabetic|pregnant|married|single|engaged|divorced|widowed|retired"
    r"|employed|unemployed|self-employed|left-handed|right-handed|religious|lactose intolerant|gluten[- ]free"
    r"|an? (?:student|parent|morning person|night owl|early bird|[a-z]+(?:er|or|ist)))"
)
EVENT = (
    r"(?:appointments?|interview|exam|test|scan|operation|surgery|check-?up|wedding|party|meeting|viewing|trial|hearing"
    r"|audition|concert|gig|match|race|flight|trip|course|class|lesson|christening|funeral|ceremony|assessment|review"
    r"|follow-?up|jab|delivery|mot|move|play|show)"
)
HABITS = (
    r"live|work|eat|drink|smoke|drive|speak|play|own|use|take|prefer|enjoy|cook|celebrate|study|run|swim|like|love"
    r"|hate|practi[sc]e|support|follow|ride|dance|sing|paint|exercise|meditate|garden|travel"
)
OBJECTS = (
    r"like|love|enjoy|play|speak|drive|use|prefer|follow|study|teach|support|take|eat|drink|own|work for|work with"
    r"|watch|read|listen to|grow|collect|ride|cook|practi[sc]e|live in"
)
DO_YOU = r"do you (?:usually |normally |mostly |generally |currently |often |still |also |ever )?"
WHICH = (
    rf"(?:what|which)(?P<thing>(?: (?:kinds?|types?|sorts?) of)?(?: [\w-]+){{0,3}}?) {DO_YOU}(?P<verb>{OBJECTS})"
    r"(?P<rest> for (?:fun|breakfast|lunch|dinner)| most| best| at (?:home|work|school|uni|university|college))?"
)
OWN_EVENT = _pattern(
    r"\b(?:i|we)(?:'ve| have|'m| am|'re| are)?(?: (?:got|booked|having|going|invited|down|signed up|just|also|for"
    r"|in)){0,3}"
    rf"(?P<to> to)? (?:an?|my|the|our) (?P<what>(?:[\w-]+ )?{EVENT})\b"
)
IN_TOWN = (
    r"(?:which|what) (?:city|town|country|village|area|neighbou?rhood|part of [\w ]+) (?:do you live in|are you (?:in"
    r"|based in|living in|located in))|where is (?:home|your home)"
)
FOR_A_LIVING = (
    r"what do you do(?: for (?:a living|work))?|what is your (?:current )?(?:job|occupation|profession|line of work)"
    r"|what kind of work do you do|what do you work as"
)
ASKS_NAME = (
    r"what is your (?:first |full |last |real )?name|what (?:should|can|may|do|shall) (?:i|we|people|your friends) call"
    r" you|what would you like (?:me )?to (?:call you|be called)|what do you go by|who am i (?:talking|speaking"
    r"|chatting) (?:to|with)|how should i (?:call|address) you"
)
_OF_NAME = _pattern(ASKS_NAME)
# "What should I call you?" - "Orla's fine."
_NAME_WILL_DO = _pattern(
    r"(?:(?:oh|just|well|please),? )?(?P<name>(?-i:[A-ZÀ-Þ])[a-zà-ÿ'-]{1,14}?)"
    r"(?:(?:'s| is) (?:fine|ok|okay|good)| will do)(?: (?:by|with|for) me)?[.! ]*$"
)
_NO_ONES_NAME = (COMMON_WORDS["en"] | VAGUE_WORDS["en"]) - {"april", "june", "august", "jan", "hope", "rich", "will"}
OF_A_NAME = (
    r"what is your (?P<what>[\w ]{2,30})(?:'s|s') name|what is the name of your (?P<whose>[\w ]{2,30})"
    r"|what is your (?P<which>[\w ]{2,30}) called"
)


PREPOSITION = _pattern(r"(?:in|at|near|on|by|from|outside|inside|with|for|around|just|between|to|next)\b")
_NOWHERE = _pattern(r"(?:here|there|home|abroad|online|remote|remotely|everywhere|freelance|school|work|not far)\b")
_NO_NAME_OF_A_PLACE = _pattern(r"(?:my|our|an?|one|some)\b")
_MOST_OF_A_PLACE = 5  # words; two where it is typed in small letters
_NOT_TITLED = frozenset(("of", "the", "and", "de", "da", "do", "on", "upon", "in", "near", "at", "from", "with", "my"))
_OF_A_NAME = regex(r"[^\W\d_]+(?:['-][^\W\d_]+)*\.?")
_NAMES_NOBODY = frozenset(
    ("secret", "anonymous", "nobody", "guess", "user", "human", "me", "none", "test", "private", "unknown", "boss")
)
_MOST_NAMES = 3


def is_place(value: str) -> bool:
    """Return whether a value may be the name of a place, with a word before it; more may follow a comma."""
    named, _, more = value.partition(", ")
    value = named if more[:1].islower() and value != value.lower() else value
    words = value.split()
    most = _MOST_OF_A_PLACE if value != value.lower() or "," in value else 2 + bool(PREPOSITION.match(value))
    place = value[begins.end() + 1 :] if (begins := PREPOSITION.match(value)) else value
    is_named = place[:1].isalpha() and not _NOWHERE.match(place) and not _NO_NAME_OF_A_PLACE.match(value)
    # "Porto trip tomorrow" is about something else.
    is_whole = value == value.lower() or all(word[:1].isupper() or word.lower() in _NOT_TITLED for word in words)
    return is_named and is_whole and len(words) <= most


def with_capitals(value: str) -> str:
    """Return a name or a place that was typed in small letters with capital ones."""
    if value != value.lower():
        return value
    return " ".join(word if word in _NOT_TITLED else word[:1].upper() + word[1:] for word in value.split(" "))


def with_preposition(place: str, otherwise: str) -> str:
    """Return the name of a place with the word that was said before it, or another one."""
    place = with_capitals(place)
    begins = PREPOSITION.match(place)
    return f"{otherwise} {place}" if begins is None else f"{begins[0].lower()}{place[begins.end() :]}"


def is_persons_name(value: str) -> bool:
    """Return whether an answer may be what somebody is called; asked for, "Will" is a name."""
    names = value.split()
    plausible = 0 < len(names) <= _MOST_NAMES and _NAMES_NOBODY.isdisjoint(value.lower().split())
    return plausible and all(_OF_A_NAME.fullmatch(name) and (is_name(name) or name[:1].isupper()) for name in names)


# The same in other languages: what is asked, what a value looks like, and the statement.
_NAME, _WHERE, _YEARS = (
    r"[^\W\d_]+(?:[ '-][^\W\d_]+){0,2}",
    r"(?:in |en |à )?([^\W\d_][\w' -]{1,40})",
    r"(\d{1,3})\b[\w ]*",
)
_ABROAD: tuple[tuple[re.Pattern[str], re.Pattern[str], str], ...] = tuple(
    (_pattern(rf"(?:.*[,¿] ?|(?:und|y|et) )?(?:{asked})"), _pattern(f"({value})" if value[0] != "(" else value), form)
    for asked, value, form in (
        (r"wie (?:heißt du|hei(?:ß|ss)en sie|ist (?:dein|ihr) name)", _NAME, "Ich heiße {}."),
        (r"wo (?:wohnst|lebst) du|wo (?:wohnen|leben) sie", _WHERE, "Ich wohne in {}."),
        (r"wie alt (?:bist du|sind sie)", _YEARS, "Ich bin {} Jahre alt."),
        (r"c[oó]mo (?:te llamas|se llama(?: usted)?)|cu[aá]l es (?:tu|su) nombre", _NAME, "Me llamo {}."),
        (r"d[oó]nde (?:vives|vive(?: usted)?)", _WHERE, "Vivo en {}."),
        (r"cu[aá]ntos años (?:tienes|tiene(?: usted)?)", _YEARS, "Tengo {} años."),
        (
            r"comment (?:tu t'appelles|t'appelles[- ]tu|vous appelez[- ]vous)|quel est (?:ton|votre) (?:nom|prénom)",
            _NAME,
            "Je m'appelle {}.",
        ),
        (r"où (?:tu habites|habites[- ]tu|vis[- ]tu|habitez[- ]vous|vivez[- ]vous)", _WHERE, "J'habite à {}."),
        (r"quel âge (?:tu as|as[- ]tu|avez[- ]vous)", _YEARS, "J'ai {} ans."),
    )
)
_PRESENT_AND_PAST = """get got begin began buy bought meet met leave left go went come came have had take took see saw
    find found lose lost quit quit stop stopped become became break broke fall fell sell sold give gave write wrote hurt
    hurt choose chose send sent run ran drop dropped pay paid hold held study studied marry married make made do did
    hear heard lead led grow grew drive drove fly flew win won teach taught speak spoke swap swapped plan planned"""
_REGULAR_TEXT = """move start join finish graduate retire arrive return visit order book pass change switch travel use
    live learn apply sign open adopt call close land renew register cancel complete launch divorce qualify train
    propose rent work play stay injure fracture notice publish install"""
_REGULAR = frozenset(_REGULAR_TEXT.split())
_IRREGULAR: dict[str, str] = dict(zip((said := _PRESENT_AND_PAST.split())[::2], said[1::2], strict=True))


def past_of(verb: str) -> str:
    """Return the past tense of an everyday verb; "" for any other word: "last", "actually"."""
    plain = verb[:-1] + "i" if verb.endswith("y") and verb[-2:-1] not in "aeiou" else verb
    return _IRREGULAR.get(verb) or (plain + ("d" if plain.endswith("e") else "ed") if verb in _REGULAR else "")


_NOTHING_TOLD = _pattern(
    r"(?:kein\w*|wei(?:ß|ss)|nicht|nein|das|ich|warum|wieso|hier|mein|no|yo|por|nada|ningun[oa]|prefiero|mi|aqu[ií]|je|non"
    r"|pas|pourquoi|aucun\w*|rien|ici|mon|ma|moi|c'est|es|est|bin|soy|suis)\b"
)
_STOP = regex(r"[.!,;\n]")


def told_in_other_language(question: str, text: str) -> str | None:
    """Return the statement that a short answer in German, Spanish or French makes."""
    asked, (said, *rest) = question.replace("\u2019", "'").strip("¿?¡! "), _STOP.split(text, maxsplit=1)
    for pattern, value, form in _ABROAD if not _NOTHING_TOLD.match(said.strip()) else ():
        told = value.fullmatch(said.strip()) if pattern.fullmatch(asked) else None
        if told is not None:
            return f"{form.format(told[1])} {''.join(rest).strip()}".strip()
    return None


_YOURS = {"your": "my", "you": "I", "yours": "mine", "yourself": "myself", "you're": "I'm"}
_OF_YOU = _pattern(r"\b(?:your|yours|yourself|you're|you)\b")


def in_first_person(words: str) -> str:
    """Return words of a question as those of who answers it."""
    return _OF_YOU.sub(lambda found: _YOURS[found[0].lower()], words)


def is_choice(value: str, offered: str) -> bool:
    """Return whether an answer is one of the things between which a question lets one choose."""
    words = set(re.findall(r"[\w'-]+", offered.lower()))
    return " or " in offered and words | {"a", "an", "the"} >= set(re.findall(r"[\w'-]+", value.lower()))


_TIME = _pattern(r"(?:on|in|at|by|around|every|next|this|tomorrow|today|tonight|early|late|mid|end|the end)\b")
_HOUR = _pattern(r"\d{1,2}(?::\d\d)?(?: ?[ap]\.?m\.?)?$|(?:noon|midnight)$")
_MONTH = _pattern(
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december|(?:19|20)\d\d)$"
)
_SPAN = _pattern(r"(?:between|from|after|before|until|till|about|maybe|not|no)\b")
_DATED = _pattern(
    r".*\d|(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)"
)


def at_time(value: str) -> str | None:
    """Return a time with the word that stands before it; None where it is no time."""
    if _TIME.match(value):
        return f"{value[:1].lower()}{value[1:]}"
    if _HOUR.match(value):
        return f"at {value}"
    if _MONTH.match(value):
        return f"in {value}"
    dated = _DATED.match(value) and not _SPAN.match(value)
    return f"on {f'the{value[3:]}' if value.startswith('The ') else value}" if dated else None
