"""Corrections that name only the new day or hour: "Sorry, 10:45.", "no wait, the 2nd", "perdón, el 6".

Such a sentence means nothing alone. Its value is put into the statement that it corrects, with a mark of what it was.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Literal

from memoryos_core.rules.dates.calendar import MONTH_NAMES, WEEKDAYS
from memoryos_core.rules.dates.other_languages import MONTH_WORDS, WEEKDAY_WORDS, month_of, weekday_of
from memoryos_core.rules.knowledge.domains import LONGEST
from memoryos_core.rules.knowledge.news import ANNOUNCED, TOLD_ON, word_bag
from memoryos_core.rules.knowledge.swaps import IDLE, IS_MOVED, compare_swapped
from memoryos_core.rules.text.ordinals import DAY_WORDS, SPELLED_DAYS
from memoryos_core.rules.text.words import fold_case, regex, words

__all__ = [
    "CALLED_OFF",
    "CHANGED",
    "Correction",
    "correct_statement",
    "correction_in",
    "has_values",
    "is_bare_correction",
    "is_called_off",
    "is_marked",
    "is_of_kind",
    "mark_called_off",
    "names_moment",
    "unmark",
    "values_in",
    "without_moments",
    "words_said",
]

CHANGED, CALLED_OFF = " (changed)", " (called off)"
"""Marks behind a statement with another day or hour, or of something that does not happen."""

_Kind = Literal["date", "day", "weekday", "time"]
_LONGEST, _MOST_VALUES, _MOST_WORDS, _PAIR = 160, 4, 4, 2
_NUMBER = r"(?:\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
_DAY = rf"(?:\d{{1,2}}(?:st|nd|rd|th|er|[.º°])?|{DAY_WORDS})"
_NOT_TIME = r"(?![\d:/%]|[.,]\d| ?(?:am|pm|uhr|uur|h|o'clock|euros?|years?|people|minutes?|hours?)\b)"
_VALUE = fold_case(
    rf"(?<![\w:./£$€-])(?:(?P<date>(?:{_DAY} (?:of |de |di )?(?:{MONTH_WORDS})(?!\w)|(?:{MONTH_WORDS}) (?:the )?{_DAY}"
    rf"(?![\w:]){_NOT_TIME})(?:,? (?:de )?20\d\d(?!\d))?)"
    r"|(?P<time>\d{1,2} ?h ?[0-5]\d(?!\d)|\d{1,2}[:.]\d\d(?!\d)(?: ?(?:am|pm|uhr|uur|h)\b)?|\d{1,2} ?(?:am|pm|uhr|uur"
    r"|o'clock|h|heures?"
    r"|horas|ore)\b"
    rf"|(?:half|quarter|ten|five|twenty)(?: past| to)? {_NUMBER}\b|halb \w{{3,6}}\b|noon\b|midday\b)"
    rf"|(?:(?:at|um|a las?|à|às|alle|om) )(?P<hour>{_NUMBER})\b(?![:.]\d| ?(?:am|pm|uhr|uur|h|o'clock|{MONTH_WORDS})\b)"
    rf"|(?:(?:el|le|il|den|der|dem|(?<!\bi )am|dia|día) )(?P<day>{_DAY})(?!\w){_NOT_TIME}"
    rf"(?!\.? (?:of |de |di )?(?:{MONTH_WORDS})(?!\w))"
    rf"|(?:the )?(?P<ordinal>\d{{1,2}}(?:st|nd|rd|th|º)|(?<=the ){DAY_WORDS})(?!\w)"
    rf"|(?P<weekday>{WEEKDAY_WORDS})(?!\w))",
)
_KINDS: dict[str, _Kind] = {"hour": "time", "ordinal": "day"}
# In front of the value that does not hold.
_NEGATED = regex(
    r"(?:\b(?:not|can(?:'|no)t (?:do|make)|nicht|pas|niet|não|instead of|rather than|statt|anstatt|en vez de)"
    r"|(?P<only_behind>\b(?:no|non)))(?: (?:on|at|am|um|the|den|dem|el|la|le|il|o|op|de)){0,2} ?$",
    re.IGNORECASE,
)
# Phrases by which somebody takes back what they said, or tells that it was changed.
_TAKEN_BACK = regex(
    r"\b(?:i (?:just )?(?:mis ?read|mis ?spoke|meant|mean|forgot)|(?:i )?(?:read|wrote|typed|said|had|got|remembered)"
    r" (?:it |that |this )?wrong|(?:i )?(?:mixed|messed) (?:it|that|them) up|my (?:mistake|bad)|(?:scratch|scrap) that"
    r"|(?:hang|hold) on|correction|typo|actually|oops|whoops|sorry|no wait|wait|nope|nah|perd[oó]n|espera|digo"
    r"|quise decir|quer[ií]a decir|mejor dicho|me equivoqu[eé]|al final|en realidad"
    r"|finalement|alla fine|afinal|entschuldigung|verzeihung"
    r"|nein|nee|moment|warte|quatsch|stimmt nicht|ich meinte|doch|korrektur|pardon|désolée?|attends|en fait"
    r"|je voulais dire|plutôt|scusa|aspetta|anzi|volevo dire|desculpa|aliás|queria dizer|wacht|ik bedoelde)\b"
    r"|^(?:(?:oh|ah|um|well|so|and|but),? )*no\b",
    re.IGNORECASE,
)
_MOVED = regex(
    rf"\b(?:(?:they|he|she|we|(?:the |my |our )?(?:\w+ ){{1,3}}?)(?:'ve |have |has |had )?(?:{IS_MOVED})"
    rf" (?:it|that|the (?:date|day|time))|{IS_MOVED})\b",
    re.IGNORECASE,
)
_NOW = regex(r"\b(?:now|jetzt|nun|ahora|maintenant|adesso|agora|nu)\b", re.IGNORECASE)
_WRAPPED = regex(r"(?P<before>[^\"“]{1,60} said: [\"“])(?P<said>.+)(?P<after>[\"”])$", re.DOTALL)


@dataclass(frozen=True, slots=True)
class _Value:
    kind: _Kind
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Correction:
    """The new day and the new hour of something, what they stand for now, and the words that tell what it is.

    `is_bare`: nothing else is said.
    """

    day: _Value | None
    time: _Value | None
    instead: tuple[_Value, ...]
    matter: frozenset[str]
    is_bare: bool

    @property
    def is_dated(self) -> bool:
        """Return whether more is said than a day without its month, so that it is told what happens when."""
        return bool(self.matter) and (self.day is None or self.day.kind != "day")


def is_bare_correction(text: str) -> bool:
    """Return whether a sentence is a new day or hour and nothing else, so that it means nothing alone."""
    found = correction_in(text)
    return found is not None and found.is_bare


def names_moment(text: str) -> bool:
    """Return whether a text names a day or an hour."""
    return _RELATIVE.search(text) is not None or next(values_in(text), None) is not None


_RELATIVE = regex(
    r"\b(?:tomorrow|tonight|today|next \w+|this \w+|morgen|übermorgen|mañana|demain|domani)\b", re.IGNORECASE
)


def without_moments(text: str) -> str:
    """Return a text without its days and hours."""
    return _without(text, list(values_in(text)))


def words_said(text: str) -> str:
    """Return what a statement says, without who says it."""
    return _split_quotation(text)[1]


def values_in(text: str) -> Iterator[_Value]:
    """Yield the days and hours that a text names, in its order."""
    for found in _VALUE.finditer(text[:LONGEST]) if _VALUE.search(text[:LONGEST]) else ():  # most texts name none
        name = found.lastgroup or ""
        start, end = found.span(name)
        if name == "date" and found[name].endswith("."):  # it ends the sentence
            end -= 1
        yield _Value(_KINDS.get(name, name), text[start:end], start, end)  # type: ignore[arg-type]


@lru_cache(maxsize=4_096)
def correction_in(text: str) -> Correction | None:
    """Return what a sentence corrects, where all that it names besides is what it is about; None for most."""
    wrapped = _WRAPPED.match(text)
    said = (wrapped["said"] if wrapped else text).replace("\u2019", "'").strip()
    if len(said) > _LONGEST or said.endswith("?"):
        return None
    said, announced = ANNOUNCED.subn("", said)
    named = list(values_in(said))
    if not named or len(named) > _MOST_VALUES:
        return None
    denied = [v for n, v in enumerate(named) if (m := _NEGATED.search(said[: v.start])) and (n or not m["only_behind"])]
    held = [value for value in named if value not in denied]
    held = [value for value in held if value.kind != "weekday" or not _NAMES_WEEKDAY.search(said[: value.start])]
    moved = _MOVED.search(said) is not None
    days, times = ([v for v in held if (v.kind == "time") is clock] for clock in (False, True))
    if moved and len(days) > 1:  # "the one on the 1st is moved to the 8th"
        denied, days = [*denied, *days[:-1]], days[-1:]
    if _is_date_of(days, said):
        days = days[-1:]
    taken_back = _TAKEN_BACK.search(said) is not None
    is_one = bool(held) and len(days) <= 1 and len(times) <= 1
    if not is_one or not (taken_back or moved or denied or _NOW.search(said)):
        return None
    rest = re.sub(r"\bcan(?:'|no)t (?:do|make)(?= {2})", " ", _without(said, named), flags=re.IGNORECASE)
    matter = frozenset(words(_NEGATED.sub(" ", _MOVED.sub(" ", _TAKEN_BACK.sub(" ", rest))))) - IDLE - _DENIALS
    if len(matter) > _MOST_WORDS or not (matter or taken_back or moved or denied or announced):
        return None
    return Correction(
        days[0] if days else None, times[0] if times else None, tuple(denied), matter, not (matter or announced)
    )


_DENIALS = frozenset(("not", "nicht", "no", "non", "pas", "niet", "não", "statt", "anstatt", "now", "ahora"))
_BESIDE_DAYS = word_bag("am dem den der el le il")


def _is_date_of(days: list[_Value], said: str) -> bool:
    """Return whether two values are one day: "Thursday, 3 December"."""
    if len(days) != _PAIR or days[0].kind != "weekday":
        return False
    return _BETWEEN.fullmatch(said, days[0].end, days[1].start) is not None


# "On 21 November, that's a Friday" is one day.
_NAMES_WEEKDAY = regex(r"\d[\w.]*(?: [^\W\d]{3,12})?, (?:das ist|that's|which is|it's) (?:an? |ein )?\Z")
_BETWEEN = regex(r"[ ,.]{1,3}(?:(?:the|der|den|dem|el|le) )?", re.IGNORECASE)


def _without(text: str, values: list[_Value]) -> str:
    out, at = list[str](), 0
    for value in values:
        out.append(text[at : value.start])
        at = value.end
    return " ".join([*out, text[at:]])


# ------------------------------------------------------------------------------------------------ the new statement


def correct_statement(
    correction: Correction, old: str, when: datetime | None, now: datetime
) -> tuple[str, datetime | None] | None:
    """Return the older statement with the corrected day and hour, and when it is then; None where it has no such value.

    `when` is the time that the older one told, `now` when the correction was said.
    """
    before, said, after = _split_quotation(old)
    day, hour = _day_and_hour(said)
    new_day, new_hour = correction.day, correction.time
    if (day is None and hour is None) or not _is_about(correction, said, [v for v in (day, hour) if v is not None]):
        return None
    edits: list[tuple[int, int, str]] = []
    if new_day is not None:
        if day is None:
            return None
        try:
            when = _day_of(new_day, day, when, now)
        except (ValueError, OverflowError):  # no such day
            return None
        more = f" at {new_hour.text}" if new_hour is not None and hour is None and not after else ""
        edits.append((_begin(said, day, new_day), day.end, _as_said(day, new_day, when) + more))
    if new_hour is not None and hour is not None:
        edits.append((hour.start, hour.end, new_hour.text))
    for start, end, text in sorted(edits, reverse=True):
        said = f"{said[:start]}{text}{said[end:]}"
    stop = "." if said.endswith(".") and not after else ""
    return (f"{before}{said.removesuffix(stop)}{after}{CHANGED}{stop}", when) if edits else None


def is_of_kind(correction: Correction, text: str) -> bool:
    """Return whether a statement names a day, as the correction does, or an hour, where it names an hour alone."""
    clock = correction.day is None
    return any((value.kind == "time") is clock for value in values_in(text))


def has_values(correction: Correction, text: str) -> bool:
    """Return whether a statement names the new day and hour."""
    named = {_plainly(value) for value in values_in(text)}
    return all(value is None or _plainly(value) in named for value in (correction.day, correction.time))


def _split_quotation(text: str) -> tuple[str, str, str]:
    """Return what a statement says, without a mark, between what stands before and behind its quotation."""
    plain = _without_mark(text)
    wrapped = _WRAPPED.match(plain)
    return (wrapped["before"], wrapped["said"], wrapped["after"]) if wrapped else ("", plain, "")


def _without_mark(text: str) -> str:
    plain = text.removesuffix(".")
    unmarked = plain.removesuffix(CHANGED).removesuffix(CALLED_OFF)
    return text if unmarked == plain else f"{unmarked}{text[len(plain) :]}"


def _day_and_hour(said: str) -> tuple[_Value | None, _Value | None]:
    """Return the one day and the one hour that a statement names; both None where it names several."""
    named = [value for value in values_in(said) if not TOLD_ON.search(said[: value.start])]
    days, times = ([v for v in named if (v.kind == "time") is clock] for clock in (False, True))
    if _is_date_of(days, said):
        days = [_Value("date", said[days[0].start : days[1].end], days[0].start, days[1].end)]
    if len(days) > 1 or len(times) > 1:
        return None, None
    return (days[0] if days else None), (times[0] if times else None)


def _is_about(correction: Correction, said: str, values: list[_Value]) -> bool:
    """Return whether a statement names what is corrected: its words, and the value that does not hold."""
    known, spoken = word_bag(said), frozenset(words(said))
    for word in correction.matter - spoken:
        stems = word_bag(word)
        if not stems or not (stems <= known or any(stem in name for stem in stems for name in known)):
            return False  # "Termin" is in "Zahnarzttermin"
    old = {_plainly(value) for value in values}
    kinds = {one.kind for one in values}
    return all(_plainly(value) in old or value.kind not in kinds for value in correction.instead)


def _plainly(value: _Value) -> str:
    return str(_number_of_day(value.text)) if value.kind in ("date", "day") else value.text.lower()


_DAY_NUMBER = regex(rf"\d{{1,2}}|{DAY_WORDS}", re.IGNORECASE)


def _number_of_day(text: str) -> int:
    found = _DAY_NUMBER.search(text)
    said = found[0].lower() if found is not None else ""
    return int(said) if said.isdecimal() else SPELLED_DAYS[said.replace("-", " ")]


_NEAR, _YEAR = timedelta(days=60), regex(r"20\d\d$")
_MONTH, _WEEKDAY = (regex(rf"(?<!\w)(?:{w})(?!\w)", re.IGNORECASE) for w in (MONTH_WORDS, "|".join(WEEKDAYS)))


def _day_of(new: _Value, old: _Value, when: datetime | None, now: datetime) -> datetime | None:
    """Return the day that a correction means, next to that which it corrects."""
    if when is None:
        return None
    ahead = when.date() >= now.date()
    if new.kind == "weekday":
        if abs(when - now) > _NEAR:  # nobody is born "on friday"
            raise ValueError
        day = when + timedelta(days=weekday_of(new.text) - when.weekday())
        return day + timedelta(days=7) if ahead and day.date() < now.date() else day
    number = _number_of_day(new.text)
    if new.kind == "date" and (month := _MONTH.search(new.text)):
        year = _YEAR.search(new.text)
        if year is not None:
            return when.replace(year=int(year[0]), month=month_of(month[0]), day=number)
        steps = round((when.month - month_of(month[0])) / 12)  # to the nearest year
        return when.replace(year=when.year + steps, month=month_of(month[0]), day=number)
    day = when.replace(day=number)
    if ahead and day.date() < now.date() and old.kind != "date":
        day = day.replace(year=day.year + day.month // 12, month=day.month % 12 + 1)
    return day


def _begin(said: str, old: _Value, new: _Value) -> int:
    """Return where the new day is put: no "the" stands before a weekday or a month."""
    the = _THE.search(said[: old.start]) if new.kind in ("weekday", "date") else None
    return old.start if the is None else the.start()


def _as_said(old: _Value, new: _Value, at: datetime | None) -> str:
    """Return another day in the way of the old one: beside a month its number alone is another one."""
    if new.kind == "day":
        found = _DAY_NUMBER.search(old.text) if old.kind in ("date", "day") else None
        if found is None:  # instead of a weekday
            the = "the " if new.text[-2:].lower() in _ENDINGS or not new.text[:1].isdecimal() else ""
            return f"{the}{new.text}"
        before, after = old.text[: found.start()], old.text[found.end() :]
        before = _WEEKDAY.sub([*WEEKDAYS][at.weekday()].capitalize(), before) if at is not None else before
        if found[0].isdecimal() and after[:2] not in _ENDINGS:
            return f"{before}{_number_of_day(new.text)}{after}"
        return f"{before}{new.text.rstrip('.')}{after[2:] if after[:2] in _ENDINGS else after}"
    if new.kind == "weekday" and old.kind != "weekday" and at is not None and new.text.lower() in WEEKDAYS:
        return f"{new.text} {at.day} {MONTH_NAMES[at.month - 1]}"
    return new.text


_THE, _ENDINGS = regex(r"\bthe $", re.IGNORECASE), ("st", "nd", "rd", "th")


# ------------------------------------------------------------------------------------------------ what it replaced


def mark_called_off(old: str) -> str:
    """Return the older statement as one of what does not happen."""
    before, said, after = _split_quotation(old)
    stop = "." if said.endswith(".") and not after else ""
    return f"{before}{said.removesuffix(stop)}{after}{CALLED_OFF}{stop}"


def is_marked(text: str) -> bool:
    """Return whether a statement stands for an older one in its words."""
    return text.rstrip(".").endswith((CHANGED, CALLED_OFF))


def is_called_off(text: str) -> bool:
    """Return whether a statement stands for an older one of something that does not happen."""
    return text.rstrip(".").endswith(CALLED_OFF)


def unmark(text: str) -> str:
    """Return a text that ends like a mark, without its brackets: "tulip (changed)" is "tulip changed"."""
    return text.replace(CHANGED, CHANGED.replace("(", "").replace(")", "")).replace(CALLED_OFF, " called off")


def compare_marked(old: str, new: str) -> Literal["replaces", "unrelated"] | None:
    """Return "replaces" where `new` says the same as `old` but for a day or an hour; None where it has no mark."""
    if not is_marked(new):
        return compare_swapped(old, new) if ")" in new else None
    return "replaces" if _matter_of(old) == _matter_of(new) else "unrelated"


@lru_cache(maxsize=16_384)
def _matter_of(text: str) -> frozenset[str]:
    return word_bag(without_moments(_without_mark(text))) - _BESIDE_DAYS
