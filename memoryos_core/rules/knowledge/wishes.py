"""Wishes of what answers are made of, told without a verb or in passing: "km please, always km", "only grams".

What lifts or changes such a wish is here, too: "you can stop with the short answers", "Python's fine now".
"""

from __future__ import annotations

import re
from functools import lru_cache

from memoryos_core.rules.knowledge.manner_words import (
    ANSWERS,
    ASKING,
    BEHIND_WISH,
    EACH_CASE,
    LANGUAGES,
    LENGTHS,
    OF_EVERY_DAY,
    ORNAMENT,
    SPELLING,
    UNIT,
    tell_why,
)
from memoryos_core.rules.text.function_words import COMMON_WORDS, FUNCTION_WORDS
from memoryos_core.rules.text.words import regex, terms, with_marks

CODES = (
    r"(?:R|Python|Julia|JavaScript|Java|TypeScript|Rust|Go|Kotlin|Swift|Ruby|PHP|SQL|M(?:ATLAB|atlab)|Scala|Perl|Bash"
    r"|Stata|SAS|Haskell|C(?:\+\+|#)?)"
)
_TONGUE = rf"(?-i:(?:{LANGUAGES}|{CODES})(?![\w+#]))"
_VALUE = (
    rf"(?:(?:{ORNAMENT}|{LENGTHS}|lower ?case)\b|(?:{UNIT}|{SPELLING} (?:spelling|English))\b(?: units)?|{_TONGUE})"
)
_PLEASE = r"(?:please|pls|plz|thanks)"
_FOR_EVER = r"(?:always|ever|from now on|every time|all the time|for good|in (?:the )?future)"
_MARK = (
    rf"(?:{_PLEASE}|just|only|never|no|not|without|{_FOR_EVER}|use|using|give me|(?:answer|reply|write|speak)"
    r"(?: to me)?(?= in\b)|in|as|with)"
)
_BEHIND = rf"(?:(?:,? (?:{_PLEASE}|{_FOR_EVER}|for me|with me|too)| only)\b){{0,4}}"
_PIECE = rf"(?P<marks>(?:{_MARK},? ){{0,5}})(?P<value>{_VALUE})(?P<behind>{_BEHIND})"
_PIECES = regex(r"\(\?P<\w+>").sub("(?:", _PIECE)
_PLURALS = (
    r"(?:posts|captions|answers|replies|recipes|texts|e-?mails|letters|messages|summaries|distances|temperatures"
    r"|weights|prices|measurements|explanations|code|examples|everything)"
)
_CASE = rf"(?:{EACH_CASE}|for {OF_EVERY_DAY}|(?:in|for|with) (?:all |any )?(?:(?:of )?(?:my|your) )?{_PLURALS})"
# "I want only short answers", but "I like French" tells of the speaker.
_I_WANT = (
    rf"(?:i(?:'d| would)? (?:(?:only|just|really|always(?= (?:want|prefer))) )?"
    rf"(?:want|need|prefer|like|rather have) (?!{_TONGUE})"
    rf"|(?P<refuses>i (?:don'?t|do not|never) (?:ever )?(?:want|need) (?:any )?)(?=(?:{ORNAMENT}|{LENGTHS})\b))"
)
_OF_VALUES = regex(
    rf"{ASKING}{_I_WANT}?(?P<pieces>{_PIECES}(?:(?:,|,? and|,? or) {_PIECES}){{0,3}})"
    rf"(?:,? (?P<case>{_CASE}){_BEHIND}(?P<more>(?:, {_PIECES})?))?"
    rf"(?:,? i (?:hate|dislike|can't stand) [^.!?;]{{2,60}})?{BEHIND_WISH}",
    re.IGNORECASE,
)
_EACH_PIECE = regex(_PIECE, re.IGNORECASE)
_NO = regex(r"\b(?:never|no|not|without)\b", re.IGNORECASE)
_LASTS = with_marks("always|ever|now on|every|the time|good|future", rf"\b(?:{_FOR_EVER}|never)\b")
_ASKED = regex(
    rf"\b(?:{_PLEASE}|from now on|use|give|answer|reply|write|speak|never|when(?:ever)?|(?:can|could) you)\b", re.I
)
_A_TONGUE = regex(rf"{_TONGUE}|(?i:\b{UNIT}\b)")
_IS_LANGUAGE = regex(LANGUAGES)
_IS_LENGTH = regex(LENGTHS, re.IGNORECASE)

_MAY = rf"{ASKING}(?:(?:you|u) (?:can|may|could) (?:now |also |please )?)?"
_NO_MORE = (
    r"(?:(?:stop|quit|enough|done|ease up|lay off|drop|lose|skip|forget|no (?:more|need))(?: (?:with|of|for|about|on"
    r"|adding|giving me|sending me|making))?)"
)
_THESE = r"(?:(?:the|those|these|your|all|any|more) )?"
_ENDS = r"(?:,? (?:now|please|pls|thanks|again|any ?more|any longer|from now on|though|i guess|then|instead))*"
_STORY = r"(?:,? (?:and |so )?(?:just )?(?:you can )?(?:give|tell) me [^.!?;]{3,40})?"
_SHORT, _LONG = r"(?:short|shorter|brief|concise|one-line)", r"(?:long|longer|detailed|full)"
_HOW = r"(?:fine|ok|okay|good|all right|allowed)(?: (?:with|by) me)?(?: now| again)?"
_TOUCHES = (
    r"(?:(?:ask|remind) me (?:how|about|if|whether|why|when)\b[^.!?;]{3,80}?"
    r"|(?:mention|bring up|say|suggest|recommend) (?!(?:it|that|this|the|him|her|them|yes|no|so)\b)[^.,!?;]{2,60}?)"
)
_BACK = r"(?:,? (?:and )?i take (?:it|that) back)?"
_BY_DEFAULT = rf"(?:{_TONGUE}|{UNIT})"
# Each with the order that it is.
_LIFTED: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (with_marks(marks, pattern), told)
    for marks, pattern, told in (
        (
            "answers|replies|responses",
            rf"{_MAY}{_NO_MORE} {_THESE}{_SHORT} {ANSWERS}{_ENDS}{_STORY}[.!]*",
            "give longer answers",
        ),
        (
            "answers|replies|responses",
            rf"{_MAY}{_NO_MORE} {_THESE}{_LONG} {ANSWERS}{_ENDS}[.!]*",
            "give shorter answers",
        ),
        (
            "answers|replies|responses",
            rf"{ASKING}(?P<lengths>{LENGTHS}) again,? {_PLEASE}(?:, (?:i'm |on )?(?:my )?[a-z]{{3,12}})?[.!]*",
            "give {lengths}",
        ),
        (
            "for|now on|always|your",
            rf"{_MAY}(?:{_NO_MORE}|stop using) {_THESE}(?P<what>{ORNAMENT}) (?:for (?:good|ever)|forever|from now on"
            rf"|always|in your {ANSWERS}){_ENDS}[.!?]*",
            "never use {what}",
        ),
        (
            "my|corrections",
            rf"{_MAY}{_NO_MORE} {_THESE}(?:little |small )?(?P<notes>corrections|(?:notes|corrections|comments|remarks)"
            rf" (?:about|on|of|to|for) my (?:{LANGUAGES}|grammar|spelling|mistakes|writing)){_ENDS}[.!]*",
            "stop with the {notes}",
        ),
        (
            "correct",
            rf"(?:{_MAY}(?:stop|quit) correcting me|{ASKING}(?:don'?t|do not|never|(?:there's )?no need to"
            r"|you (?:needn't|(?:don't|do not) (?:need|have) to)) correct me(?= (?:any|please|pls|from|again|now)))"
            rf"{_ENDS}[.!]*",
            "stop correcting me",
        ),
        (
            "correct me",
            r"(?:[^\"“]{3,60} and )?(?:please )?correct me,? (?P<case>only (?:when|if|in|on|for) [^.!?;:\"“]{3,60})"
            r"(?:[:.!].*)?",
            "correct me {case}",
        ),
        (
            "now|again",
            rf"{ASKING}you (?:may|can|are allowed to) (?:now |again ){{1,2}}(?P<act>(?:ask|remind) me (?:how|if|whether"
            rf"|why|when)\b[^.!?;]{{3,80}}?){_ENDS}{_BACK}[.!]*",
            "feel free to {act} again",
        ),
        (
            "now|again",
            rf"{ASKING}you (?:may|can|are allowed to) (?P<act>{_TOUCHES}) (?:again|from now on){_ENDS}{_BACK}[.!]*",
            "feel free to {act} again",
        ),
        (
            "default",
            rf"{ASKING}(?P<what>{_BY_DEFAULT})(?:'s| is| are) {_HOW},? (?:and |so )?(?:make (?:it|that|them)|use (?:it"
            rf"|them) as) (?:the|my|your) default{_ENDS}[.!]*",
            "use {what} by default",
        ),
        (
            "default|code",
            rf"{ASKING}(?:make (?P<what>{_BY_DEFAULT}) (?:the|my|your) default(?= (?:now|please|from now on|for code))"
            rf"(?: for code)?|(?:use|default to) (?P<w2>{_BY_DEFAULT}) (?:by default|for code)){_ENDS}[.!]*",
            "use {what} by default",
        ),
        (
            "sentences|paragraphs|prose",
            rf"{ASKING}(?:(?:talk|speak|write) to me|answer(?: me)?|reply(?: to me)?)(?: normally)?,? in"
            r" (?:(?:full|whole|plain|normal|proper|real) )?(?:sentences|paragraphs|prose)"
            rf"(?:,? (?:and )?(?:not|no more|instead of) {ORNAMENT})?{_ENDS}[.!]*",
            "write in full sentences",
        ),
    )
)
_OF_CODE = regex(rf"\b(?:assume|use|give me|write(?: it)? in) {_TONGUE}", re.IGNORECASE)
_NOT_THAT = regex(
    rf"(?:and |but )?i (?:don't|do not|never) (?:want|need|like|use) (?P<what>{_TONGUE})(?:, (?P<rest>(?:my|i|we|our)\b"
    r"[^?]{3,80}?))?[.!]*",
    re.IGNORECASE,
)
_NEAR = 160  # characters
_OF_ONE = regex(r"\?|\b(?:this|that|they|he|she|wife|husband|rule|at work|the form)\b", re.IGNORECASE)
# An order as it is: "Please always answer in bullet points."
_IS_ORDER = regex(
    r"From now on\b|(?:please |always |just |can you |could you )*(?:answer|reply|respond|write)\b", re.IGNORECASE
)


def wish_in(sentence: str, before: str) -> str | None:
    """Return a lasting wish of what answers are made of, or what lifts one, as orders; None for any other sentence."""
    for pattern, told in _LIFTED:
        if found := pattern.fullmatch(sentence):
            groups = {name: said for name, said in found.groupdict().items() if said}
            return f"From now on, {told.format(**{'what': groups.get('w2'), **groups})}."
    if (refused := _NOT_THAT.fullmatch(sentence)) and _OF_CODE.search(before[-_NEAR:]):
        rest = refused["rest"] or ""
        return f"From now on, never use {refused['what']}. {rest[:1].upper()}{rest[1:]}{'.' if rest else ''}".strip()
    return _of_values(sentence)


def _of_values(sentence: str) -> str | None:
    """Return what answers are to be made of, always or in a case that comes again, as orders, one by one."""
    found = None if _IS_ORDER.match(sentence) or _OF_ONE.search(sentence) else _OF_VALUES.fullmatch(sentence)
    if found is None or not (_LASTS.search(sentence) or regex(EACH_CASE, re.I).search(found["case"] or "")):
        return None
    if _A_TONGUE.search(found["pieces"]) and not _ASKED.search(sentence):
        return None  # which it was: "English, always English", "miles, always miles"
    orders: dict[str, None] = {}
    case = f" {found['case']}" if found["case"] else ""
    for piece in _EACH_PIECE.finditer(f"{found['pieces']}{found['more'] or ''}"):
        orders[f"From now on, {_order_of(piece, refuses=found['refuses'])}{case}."] = None
    return " ".join((*orders, tell_why(found["why"]))).strip()


def _order_of(piece: re.Match[str], *, refuses: str | None) -> str:
    value, only = piece["value"], "only " if "only" in f"{piece['marks']}{piece['behind']}".lower() else ""
    if refuses or _NO.search(piece["marks"]):
        return f"never use {value}"
    if _IS_LANGUAGE.fullmatch(value):
        return f"answer {only}in {value}"
    return f"give {value}" if _IS_LENGTH.fullmatch(value) else f"use {only}{value}"


_ASKED_FOR, _TAKEN_BACK = ' asks for all answers: "', ' takes back for all answers: "'
_OF_A_WISH = regex(r"\bwants the assistant to \w|\basks for all answers: \"")
# What may harm is lifted in plain words alone, which rules read; and a name by who speaks of calling.
_MAY_HARM = regex(r"\b(?:allerg|anaphyl|co?eliac|intoleran|warn|remind|insulin|medic|interaction)", re.IGNORECASE)
_OF_A_NAME = regex(r"\bcall(?:s|ed|ing)?\b", re.IGNORECASE)
_FIRST_CLAUSE = regex(r"^[^\"]*\"(?:(?:also|and|but|so|ok|okay|oh|btw|hey|you know what),? )*(?P<said>[^,.;!?\"]+)")
_ANSWERING = (
    "user wants want assistant said answer answers reply replies please always never stop keep use give again back"
    " thing things go get from now on asks takes call forget allowed fine ok okay welcome skip drop leave normal need"
    " bring any more anymore"
)
_OF_ANY_WISH = frozenset(
    term for word in (*FUNCTION_WORDS["en"], *COMMON_WORDS["en"], *_ANSWERING.split()) for term in terms(word)
)


_CLAUSE = regex(r"[^,.;!?\"]+")
# What wishes are about, in the words that people use: who takes one back names it by another word of its row.
_ABOUT = tuple(
    frozenset(term for word in row.split() for term in terms(word))
    for row in (
        "short shorter brief briefer concise tldr length longer detailed essay essays",
        "24h 24-hour clock pm military",
        "km kilometres kilometers miles feet inches",
        "kg kilos stone grams ounces cups",
        "celsius fahrenheit",
        "emoji emojis emoticons smileys",
        "swear swearing curse cuss",
        "bullet bullets heading headings markdown bold prose formatting",
        "simple simpler jargon eli5",
        "british american spelling spellings",
        "grammar typos",
        "joke jokes funny humour humor sarcasm sarcastic banter",
        "disclaimer disclaimers caveats lecture lectures preach",
        "link links source sources cite citations",
        "formal informal",
    )
)


def ask_for_all(name: str, sentence: str) -> str:
    """Return a wish for all answers in the words of its speaker."""
    return f'{name}{_ASKED_FOR}{sentence.strip()}"'


def take_back_for_all(name: str, sentence: str) -> str:
    """Return what lifts a wish for all answers in the words of its speaker."""
    return f'{name}{_TAKEN_BACK}{sentence.strip()}"'


def is_asked_for_all(text: str) -> bool:
    """Return whether a fact is a wish in the words of its speaker."""
    return _ASKED_FOR in text


def is_taken_back(text: str) -> bool:
    """Return whether a fact lifts a wish in the words of its speaker."""
    return _TAKEN_BACK in text


def is_of_wish(text: str) -> bool:
    """Return whether a fact is a wish for all answers, or lifts one."""
    return _OF_A_WISH.search(text) is not None or is_taken_back(text)


def _rows_of(new: str) -> list[frozenset[str]]:
    """Return what the first clause that names any of it takes back; the clauses behind it give reasons."""
    for clause in _CLAUSE.findall(new.partition('"')[2]):
        if rows := [row for row in _ABOUT if not row.isdisjoint(terms(clause))]:
            return rows
    return []


def lifts(old: str, new: str) -> bool:
    """Return whether what takes a wish back is about an older one: by half of its words, or by its kind."""
    clause = _FIRST_CLAUSE.match(new)
    if _OF_A_WISH.search(old) is None or _MAY_HARM.search(old) or clause is None:
        return False
    if _OF_A_NAME.search(old) and not _OF_A_NAME.search(clause["said"]):
        return False
    held = frozenset(terms(old))
    if any(not row.isdisjoint(held) for row in _rows_of(new)):
        return True
    words = frozenset(terms(clause["said"])) - _OF_ANY_WISH
    return 2 * len(words & held) >= max(1, len(words)) and not words.isdisjoint(held)


# Sides of which an answer can be on one alone: a wish for the other side replaces a wish.
_SIDES = tuple(
    tuple(frozenset(term for word in side.split() for term in terms(word)) for side in row.split("|"))
    for row in (
        "short shorter brief briefer concise tldr|long longer detailed length essay essays",
        "24h 24 military|12h 12 pm",
        "km kilometres kilometers metric metres meters|miles feet inches imperial",
        "kg kilos grams metric|stone pounds lbs ounces imperial",
        "celsius|fahrenheit",
        "british|american",
        "formal|informal casual",
        "english|german|french|spanish|italian|portuguese|dutch|polish|irish|welsh|hindi|arabic|turkish|swedish",
    )
)
_REFUSED = regex(
    r"\b(?:no|not|never|without|don'?t|stop|less|skip|enough of) (?:(?:the|so|any|too|more|those|use|give me) )?$", re.I
)
_WORD, _TWO = regex(r"[\w-]+"), 2


@lru_cache(maxsize=1_024)
def _sides_of(wish: str) -> frozenset[tuple[int, int]]:
    """Return the sides that a wish is on, as places in the rows; of two sides the other one where it refuses one."""
    said = wish.partition('"')[2] or wish
    out: set[tuple[int, int]] = set()
    for found in _WORD.finditer(said):
        of = frozenset(terms(found[0]))
        for row, sides in enumerate(_SIDES):
            for place, side in enumerate(sides):
                if not of.isdisjoint(side):
                    is_refused = _REFUSED.search(said, 0, found.start()) is not None and len(sides) == _TWO
                    out.add((row, 1 - place if is_refused else place))
    return frozenset(out)


def replaces_wish(old: str, new: str) -> bool:
    """Return whether a wish is for the other side of what an older one is for, and for no side of its own."""
    if not (_OF_A_WISH.search(old) and is_asked_for_all(new)) or _MAY_HARM.search(old):
        return False
    before, after = _sides_of(old), _sides_of(new)
    rows = {row for row, _ in before}
    if not rows or before & after or not rows <= {row for row, _ in after}:
        return False
    clauses = (clause for clause in _CLAUSE.findall(old.partition('"')[2]) if frozenset(terms(clause)) - _OF_ANY_WISH)
    return all(_sides_of(clause) for clause in clauses)
