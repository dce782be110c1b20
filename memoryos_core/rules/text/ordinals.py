"""Days and ages in full: "the twenty third of december", "fri 2pm", "I turned sixty-two"."""

from __future__ import annotations

import re

from memoryos_core.rules.text.words import regex, with_marks

__all__ = ["DAY_WORDS", "SPELLED_DAYS", "write_ages", "write_days"]

_UNITS_TEXT = "first second third fourth fifth sixth seventh eighth ninth"
_TEENS_TEXT = """tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth
    twentieth"""
_UNITS = _UNITS_TEXT.split()
SPELLED_DAYS = {
    **{word: number for number, word in enumerate((*_UNITS, *_TEENS_TEXT.split()), 1)},
    **{f"twenty {word}": 20 + number for number, word in enumerate(_UNITS, 1)},
    "thirtieth": 30,
    "thirty first": 31,
}
"""The day of each spelled form; between two words stands a space or a hyphen."""
# A share, or one of several: "a third of december", "the last third of may".
_NO_DAY = r"(?<!\ba )(?<!\bone )(?<!\blast )(?<!\bfinal )(?<!\bmiddle )(?<!\bfirst )(?<!\bsecond )"
_UNIT = rf"(?:{'|'.join(_UNITS)})"
DAY_WORDS = (
    rf"{_NO_DAY}(?:twenty[ -]{_UNIT}|thirty[ -]first|thirtieth|{'|'.join(_TEENS_TEXT.split())}|(?<!y[ -]){_UNIT})"
    r"(?![a-z-])"
)
"""A pattern of the spelled days."""
_MONTH = (
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|apr|aug|sept?"
    r"|oct|nov|dec)(?![a-z])"
)
# "May first" and "march second" may be verbs.
_DAY = regex(
    rf"\b{DAY_WORDS}(?= of (?:{_MONTH}|(?:this|next|last) month\b)| (?!may\b|march\b){_MONTH})"
    rf"|(?:(?<=\bmay the )|(?<=\bmarch the ))\b{DAY_WORDS}"
    rf"|\b(?!may\b|march\b)(?P<month>{_MONTH} (?:the )?){DAY_WORDS}",
    re.IGNORECASE,
)
_ENDINGS = {1: "st", 2: "nd", 3: "rd", 21: "st", 22: "nd", 23: "rd", 31: "st"}


# "On the fourteenth", but not "on the first", which may be of a list.
_ALONE = regex(
    rf"(?:(?<=\bon the )|(?<=\bby the )|(?<=\buntil the )|(?<=\btill the ))(?!(?:first|second|third)\b){DAY_WORDS}"
    r"(?=[ \t]{0,2}(?:[.,;!?\n]|\Z)| (?:at|in the|for|with|and|but|so|instead|now|then|i|we|he|she|they)\b)",
    re.IGNORECASE,
)


def write_days(text: str) -> str:
    """Return a text with its spelled days of a month in digits, "the 23rd of december", and short weekdays in full."""
    if _MAY_NAME.search(text):
        text = _ALONE.sub(_in_digits, _DAY.sub(_in_digits, text))
    if _SHORT.search(text):
        text = _SECOND.sub(_in_full, _FIRST.sub(_in_full, text))
    return text


_MAY_NAME = with_marks("first|second|third|fth|hth|nth|rth|xth|ieth", r"(?:first|second|third|[fhnrx]th|ieth)\b")


def _in_digits(found: re.Match[str]) -> str:
    month = found.groupdict().get("month") or ""
    day = SPELLED_DAYS[found[0][len(month) :].lower().replace("-", " ")]
    return f"{month}{day}{_ENDINGS.get(day, 'th')}"


_TENS_TEXT = "twenty thirty forty fifty sixty seventy eighty ninety"
_TEEN_TEXT = "thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
_ONES_TEXT = "one two three four five six seven eight nine"
_TENS = {word: 10 * number for number, word in enumerate(_TENS_TEXT.split(), 2)}
_TEENS = {word: number for number, word in enumerate(_TEEN_TEXT.split(), 13)}
_ONES = {word: number for number, word in enumerate(_ONES_TEXT.split(), 1)}
_NUMBER = rf"(?:(?P<tens>{'|'.join(_TENS)})(?:[- ](?P<unit>{'|'.join(_ONES)}))?|(?P<teen>{'|'.join(_TEENS)}))"
_AGE = regex(
    rf"\b(?P<before>(?:i'm|i am|he's|he is|she's|she is|turn(?:ed|s|ing)?|(?:i|he|she)(?:'ll| will| shall) be|aged"
    rf"|(?:the )?age of) (?:now |already |only |just )?)"
    rf"{_NUMBER}(?=$|[,.;!?]| (?:and|but|so|now|today|yesterday|years?|in|on|last|this|next|tomorrow|at|or so)\b)"
    rf"|{_NUMBER.replace('P<', 'P<of_')}(?=[- ]years?(?:[- ]old\b| of age\b))",
    re.IGNORECASE,
)


def write_ages(text: str) -> str:
    """Return a text with the spelled ages of people in digits: "I turned 62", "aged 72"."""
    text = _TO_BE.sub(_will_be_aged, text) if _MAY_TURN.search(text) else text
    text = _AGE.sub(_age_in_digits, text) if _MAY_BE_AGE.search(text) else text
    text = _GUESSED.sub(r"I \1", text)
    return _IS_AGED.sub(_is_aged, text) if "'s " in text or "\u2019s " in text else text


# "guess who turned 16 yesterday": who asks, where nobody is named behind it.
_GUESSED = with_marks(
    "guess who",
    r"\bguess who (?:just |finally |officially )?(turned [1-9]\d(?: today| yesterday| last \w+| this \w+| on \w+day)?)"
    r"(?=[!.\s]*\Z)",
)


# "Oscar's 12 and started school", "Isla's seven now", but not "Tesco's 2 for 1" and "Friday's 7 in the evening".
_IS_AGED = regex(
    rf"(?<![\w'-])(?P<who>(?!(?:It|That|This|There|Here|What|Who|How|Where|When|Let|Today|Tomorrow|[A-Z][a-z]+day)\b)"
    rf"[A-ZÀ-Þ][a-zà-ÿ-]{{1,14}})['\u2019]s (?P<age>[1-9]\d?|{'|'.join((*_ONES, 'ten', 'eleven', 'twelve'))})"
    r"(?=[.!]*$|[.!,] | now\b| (?:already|today|tomorrow|next|on|in|this) (?!the evening|the morning)\w"
    r"|,? and (?:a |in |at |is |has |just |still |now |already |started |starts |wants "
    r"|loves |hates |goes |plays "
    r"|lives |works |studies |can ))"
)


def _is_aged(found: re.Match[str]) -> str:
    age = found["age"]
    return f"{found['who']} is {_ONES.get(age) or _UP_TO_TWELVE.get(age) or age}"


_UP_TO_TWELVE = {"ten": 10, "eleven": 11, "twelve": 12}

# "Maya's going to be 12 in May", "she turns eleven on Friday": not "dinner will be twelve pounds".
_PERSON = (
    r"(?<![\w'\u2019-])(?P<who>I|[Hh]e|[Ss]he|(?!(?:It|That|This|There|The|Dinner|Lunch|Breakfast|Tea|Supper|Kick-?off"
    r"|[A-Z][a-z]+day)\b)[A-ZÀ-Þ][a-zà-ÿ-]{1,14})"
)
_MAY_TURN = with_marks("going to be|gonna be|will be|ll be|turn", r"(?:going to|gonna|will|ll) be|turn")
_TO_BE = regex(
    rf"{_PERSON}(?P<way>(?:['\u2019]s|['\u2019]m| is| am) (?:going to|gonna) be|['\u2019]ll be| will be"
    rf"|(?:['\u2019]s| is| am|['\u2019]m)? turn(?:s|ing|ed)?) (?P<age>[1-9]\d?|{'|'.join((*_ONES, *_UP_TO_TWELVE))})"
    rf"(?=[.!]*$|[.!,]| (?:on (?!the (?!\d))|in (?:(?i:{_MONTH})\b|the (?:new year|spring|summer|autumn)"
    r"|a (?:few|month|week))|next|this (?!evening|afternoon|morning)|tomorrow|today|soon|yesterday|last)\b)"
)


def _will_be_aged(found: re.Match[str]) -> str:
    age, way = found["age"], found["way"]
    if found["who"] == "I" and not age[1:].isdigit():
        return found[0]  # "I'll be ten on Friday"
    return f"{found['who']}{way if 'turn' in way else ' will be'} {_ONES.get(age) or _UP_TO_TWELVE.get(age) or age}"


_MAY_BE_AGE = with_marks("ty|teen", r"(?:ty|teen)\b")


def _age_in_digits(found: re.Match[str]) -> str:
    tens, unit, teen = (found[name] or found[f"of_{name}"] for name in ("tens", "unit", "teen"))
    number = _TEENS[teen.lower()] if teen else _TENS[tens.lower()] + (_ONES[unit.lower()] if unit else 0)
    return f"{found['before'] or ''}{number}"


_FULL = {
    name[:3].lower(): name for name in ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
}
_WEEKDAY = r"(?:mon|tue|wed|thu|fri|sat|sun)"
_SHORT = regex(r"\b(?:weds|tues|thurs?|mon|tue|wed|fri|sat|sun)\b", re.IGNORECASE)
_TIMED = (
    r"(?=,? (?:at )?(?:\d{1,2}(?:[:.]\d\d)? ?[ap]m\b|\d{1,2}:\d\d|half (?:past )?\w{1,6}\b|noon\b)"
    rf"|,? (?:the )?\d{{1,2}}(?:(?:st|nd|rd|th)\b| (?:of )?{_MONTH})| (?:morning|afternoon|evening|night|week)s?\b"
    rf"|(?: ?[&/+-] ?| (?:and|to|till) ){_WEEKDAY}\b)"
)
# "Sat", "sun" and "wed" are words, and "Thu" is a name.
_NO_WORD = (
    r"(?<!\bi )(?<!\bwe )(?<!\bhe )(?<!\bshe )(?<!\bthey )(?<!\bwho )(?<!\bthe )(?<!\bto )(?<!\bit )"
    r"(?<!\byou )(?<!\band )"
)
_FIRST = regex(
    r"(?<![\w'\u2019.@/-])(?:(?P<day>wed|tue|thu)(?:s|r|rs)\b|"
    r"(?:(?<=\bon )|(?<=\bnext )|(?<=\blast )|(?<=\bevery )|(?<=\bby )|(?<=\buntil )|(?<=\btill )|(?<=\btil ))"
    rf"(?P<named>mon|tue|wed|thu|fri|sat)\b(?! nav\b|['\u2019])|{_NO_WORD}(?P<timed>{_WEEKDAY})\b{_TIMED})",
    re.IGNORECASE,
)
_SECOND = regex(rf"(?<=day)(?P<joint> ?[&/+-] ?| (?:and|to|till) )(?P<day>{_WEEKDAY})\b(?![\w'\u2019])", re.IGNORECASE)


def _in_full(found: re.Match[str]) -> str:
    told = found.groupdict()
    day = told["day"] or told.get("named") or told.get("timed") or ""
    return f"{told.get('joint') or ''}{_FULL[day.lower()]}"
