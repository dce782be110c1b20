"""Compare the moments of plans with those that news names, and move them: "it was pushed back an hour".

A new day may stand beside the move, in a sentence of its own.
Last week's class is not the one of this week.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from functools import lru_cache

from memoryos_core.rules.dates import day_in_words, find_dates
from memoryos_core.rules.dates.calendar import MONTH_NAMES, WEEKDAYS
from memoryos_core.rules.dates.other_languages import WEEKDAY_WORDS, weekday_of
from memoryos_core.rules.dates.tense import AHEAD
from memoryos_core.rules.knowledge.cancellations import calls_off, split_cancellation, tells_none_then
from memoryos_core.rules.knowledge.clauses import UNRESOLVED, USER
from memoryos_core.rules.knowledge.corrections import Correction, is_marked, values_in, without_moments
from memoryos_core.rules.knowledge.heads import ANIMAL
from memoryos_core.rules.knowledge.measures import kinds_of
from memoryos_core.rules.knowledge.news import PLAIN, word_bag
from memoryos_core.rules.knowledge.phrases import KIN
from memoryos_core.rules.knowledge.plans import RECURS
from memoryos_core.rules.knowledge.slots import Slot, slots_of
from memoryos_core.rules.text.words import matches, regex, words
from memoryos_core.values.facts import Fact

__all__ = [
    "called_off_for",
    "find_shifted",
    "is_event_of",
    "moves_another_event",
    "moves_event",
    "names_other_moment",
    "owners_of_moved",
    "shift_in",
    "with_new_days",
]

_DECIDED = regex(r"\b(?:was|were|got|had|have|has|been|they|he|she|they've|i|we|the user)\b|'ve\b", re.IGNORECASE)
# "They cancelled Friday's class": the day is of the class, not of the deed.
_OF_THE_PLAN = regex(
    rf"\b(?:(?:the|my|our|this|next|last) )?(?:{WEEKDAY_WORDS})(?:'s)? (?=[a-z])"
    r"|\b(?:last|this|next) (?:week|month|year|weekend|spring|summer|autumn|winter)'s|\b(?:yesterday|tomorrow|today"
    r"|tonight)'s",
    re.IGNORECASE,
)
_WEEKDAY = regex(
    rf"(?<!\blast )(?<!\bnext )(?<!\bthis )(?<![\w'-])(?P<day>{WEEKDAY_WORDS})(?:'s)?(?![\w-])", re.IGNORECASE
)
_DATED = regex(rf"\b(?:{WEEKDAY_WORDS}),? (?:the )?\d", re.IGNORECASE)
# "The last gig was cancelled" is of none that lies ahead; "the last day of the course" is.
_LAST = regex(
    r"\b(?:the|my|our|the user's) (?:last|previous|earlier|other) (?!day|one)(?:[a-z]+ ){1,3}"
    r"(?:was|is|got|has|were) +\.",
    re.IGNORECASE,
)
# "Next Tuesday's class is off" is one of many, where there is one every Tuesday.
_ONE_OF_MANY = regex(
    rf"\b(?:this|next|coming|last|tomorrow|today|tonight|yesterday)\b|\b(?:{WEEKDAY_WORDS})['\u2019]s\b", re.IGNORECASE
)
# "Choir has been called off this week": that of this week is off.
_THIS_TIME = regex(
    rf"\b(?:this (?:week|weekend|time|once|morning|afternoon|evening|month)|today|tonight|tomorrow|next (?:week"
    rf"|{WEEKDAY_WORDS})|for once)\b",
    re.IGNORECASE,
)
_FOR_GOOD = regex(r"\b(?:for good|forever|permanently|from now on|until further notice|any ?more|altogether)\b", re.I)
_REASON = regex(r" (?:due to|owing to|thanks to|until|till|after|before) .*$", re.IGNORECASE | re.DOTALL)
_DAY_S = regex(rf"(?<!this )(?<!next )(?<!last )\b({WEEKDAY_WORDS})['\u2019]s (?=[a-z])", re.IGNORECASE)
_UNSURE = regex(
    r"\b(?:not|never|if|unless|may|might|maybe|could|would|hop(?:e|es|ing)|wish(?:es)?|almost|nearly|think|thinks"
    r"|probably|possibly)\b|n['\u2019]t\b|\?",
    re.IGNORECASE,
)
_WAS = regex(r"\b(?:was|were|had)\b", re.IGNORECASE)
_OF_THE_NEWS = PLAIN | word_bag("my our his her their the this that it's they we user's session today tomorrow tonight")
_DAY, _WEEK = timedelta(days=1), timedelta(days=7)


def names_other_moment(old: Fact, new: Fact) -> bool:
    """Return whether `new` calls off, or moves, what is at a time that it names, and `old` is of another time."""
    said, long_ago = _said_of(new.text)
    if not said or is_marked(new.text):
        return False
    if _LAST.search(said):
        return old.event_time is None or old.event_time >= new.valid_from
    hours, held = _hours_in(said), _hours_in(old.text)
    is_once = _ONE_OF_MANY.search(said) or _THIS_TIME.search(long_ago) or tells_none_then(new.text)
    is_one_of_many = RECURS.search(old.text) and is_once and not _FOR_GOOD.search(new.text)
    is_of_other_hour = bool(is_one_of_many) or (bool(hours and held) and not held <= hours)
    # "Was cancelled last year": what is planned since then is another one.
    decided = _spans_in(long_ago, new.valid_from)
    if is_of_other_hour or any(stop - start > _WEEK and stop <= old.valid_from for start, stop in decided):
        return True
    if days := _weekdays_in(said):
        return _is_of_other_days(old, days)
    # "We booked the trip in January" says when it was booked.
    is_planned = old.event_time is not None and old.event_time + _length_of(old) >= old.valid_from
    return is_planned and _is_of_other_dates(old, _spans_in(said, new.valid_from), new)


def called_off_for(routine: Fact, news: Fact) -> tuple[tuple[datetime, datetime], ...]:
    """Return the times for which `news` calls off what `routine` tells to be every week: "tomorrow's yoga is off"."""
    parts = split_cancellation(news.text) if news.about == routine.about and calls_off(news.text) else None
    if parts is None or _UNSURE.search(parts[0]):
        return ()
    said = _DAY_S.sub(r"on \1 ", f"{parts[0]} {_REASON.sub('', parts[1])}")
    dates = find_dates(said if _WAS.search(said) else f"{AHEAD} {said} {AHEAD}", news.valid_from)
    for date in dates:
        said = said.replace(date.text, " ")
    named = word_bag(without_moments(said)) - _OF_THE_NEWS
    is_of_routine = bool(named) and named <= word_bag(routine.text)
    return tuple((date.start, date.end) for date in dates) if is_of_routine else ()


def _is_of_other_dates(old: Fact, spans: Sequence[tuple[datetime, datetime]], new: Fact) -> bool:
    """Return whether the news has other dates than a statement, or has no date and came weeks after it."""
    if old.event_time is None:
        return False
    end = old.event_time + _length_of(old)
    if spans or new.event_time is not None:
        return bool(spans) and not any(start < end and old.event_time < stop for start, stop in spans)
    return end + _WEEK < new.valid_from


def _is_of_other_days(old: Fact, days: frozenset[int]) -> bool:
    """Return whether a statement names other weekdays, too, or its date is on another one."""
    planned = _weekdays_in(old.text)
    if planned:
        return not planned <= days  # of two days the other one stays
    return old.event_time is not None and _length_of(old) <= _DAY and old.event_time.weekday() not in days


@lru_cache(maxsize=16_384)
def _said_of(text: str) -> tuple[str, str]:
    """Return the words of news that say when the plan is that is off, and when that was decided; empty for others."""
    parts = split_cancellation(text)
    if parts is None:
        return "", ""
    before, behind = parts
    behind = _REASON.sub("", behind)
    if not _DECIDED.search(before[-12:]):
        return f"{before} . {behind}", ""
    plan = " ".join(found[0] for found in _OF_THE_PLAN.finditer(behind))
    return f"{before} . {plan}", _OF_THE_PLAN.sub("", behind)


@lru_cache(maxsize=16_384)
def _hours_in(text: str) -> frozenset[str]:
    return frozenset(value.text.lower().replace(" ", "") for value in values_in(text) if value.kind == "time")


@lru_cache(maxsize=16_384)
def _weekdays_in(text: str) -> frozenset[int]:
    """Return the weekdays that a text names without a date; each is the same in any week."""
    if _DATED.search(text):
        return frozenset()
    return frozenset(weekday_of(found["day"]) for found in _WEEKDAY.finditer(text))


def _spans_in(text: str, now: datetime) -> list[tuple[datetime, datetime]]:
    """Return the times that a text names, a day without its year as the last and as the coming one."""
    ahead = f"{AHEAD} {text.rstrip('. ')}, {AHEAD}"
    return [(span.start, span.end) for said in (text, ahead) for span in find_dates(said, now)]


def _length_of(fact: Fact) -> timedelta:
    if fact.event_time is None:
        return _DAY
    return max((span.end - span.start for span in find_dates(fact.text, fact.event_time)), default=_DAY)


# ------------------------------------------------------------------------------------------------ by how much

_LONGEST_SHIFT = 100  # characters
_MOVE = r"(?:moved|pushed|postponed|shifted|delayed|bumped|brought|put|pulled)"
_THING = r"it|(?:the|my|our) [\w'-]+(?: [\w'-]+){0,2}?|(?!(?:they|he|she|we|i|you|that|this)\b)[\w-]{3,}?"
_BY = (
    r"(?: by)? (?P<count>half an|an?|one|two|three|four|\d{1,2}) (?P<unit>hour|min(?:ute)?|day|week)s?"
    r"(?P<when> later| earlier| sooner)?(?: now)?"
    # Who told it, and when, moves nothing.
    r"(?:[,;] (?:they|he|she|the [\w-]+|(?:i|we) (?:got|had))(?:'ve|'s)? (?:just )?[a-z]+[^,;.!?]{0,40})?[.! ]*"
)
_SHIFTED = tuple(
    regex(rf"(?:(?:so|oh|and|but|ok|well|ugh|update|btw),? )*{begin}{_BY}$", re.IGNORECASE)
    for begin in (
        rf"(?:they|he|she|we|i|(?:the|my) \w+)(?:'ve|'s| have| has| had)?(?: just)? (?P<verb>{_MOVE})"
        rf" (?P<what>{_THING})(?P<way> back| forward)?",
        rf"(?P<what>{_THING})(?:'s|s)?(?: has| was| got| is)?(?: been)?(?: now)? (?P<verb>{_MOVE})"
        r"(?P<way> back| forward)?",
        rf"(?P<what>{_THING})(?:'s| is)(?: now)?(?P<verb>)(?P<way>)(?=.* (?:later|earlier|sooner)\b)",
    )
)
_COUNTS = {"half an": 0.5, "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4}
_UNITS = {"hour": timedelta(hours=1), "min": timedelta(minutes=1), "day": timedelta(days=1), "week": timedelta(days=7)}
_HOUR = regex(r"(?P<hour>\d{1,2})(?:(?P<dot>[:.])(?P<minute>\d\d))?(?P<half> ?[ap]m)?", re.IGNORECASE)
_HALF_DAY = 12 * 60  # minutes


def shift_in(said: str) -> tuple[frozenset[str], timedelta] | None:
    """Return what a sentence moves and by how much: "they pushed it back an hour"; of "it" there are no words."""
    found = next((m for pattern in _SHIFTED if (m := pattern.fullmatch(said[:_LONGEST_SHIFT]))), None)
    if found is None:
        return None
    how = f"{found['verb'] or ''}{found['way'] or ''}{found['when'] or ''}".lower()
    sooner = how.endswith(("earlier", "sooner")) or how in ("brought forward", "moved forward", "pulled forward")
    later = how.endswith((" later", " back")) or how in ("pushed", "delayed", "postponed", "bumped")
    if sooner == later or how.startswith("brought back"):
        return None
    count = found["count"].lower()
    by = _UNITS[found["unit"].lower().removesuffix("ute")] * (_COUNTS.get(count) or int(count))
    what = frozenset(words(found["what"])) - {"it", "the", "my", "our"}
    return what, -by if sooner else by


def find_shifted(text: str, when: datetime, by: timedelta) -> Correction | None:
    """Return the new hour or the new day of a statement that is moved by so much; None where it names none."""
    day = hour = None
    if by % _UNITS["day"]:
        hours = [value.text for value in values_in(text) if value.kind == "time"]
        new = _shift_hour(hours[0], by) if len(hours) == 1 else None
        hour = next(values_in(f"at {new}"), None) if new else None
    else:
        day = next(values_in(day_in_words(when + by).rpartition(" ")[0]), None)
    return None if day is None and hour is None else Correction(day, hour, (), frozenset(), is_bare=False)


def _shift_hour(said: str, by: timedelta) -> str | None:
    """Return an hour so much later or earlier of the same day, in the same way: "10:30am" is "11:30am"."""
    told = _HOUR.fullmatch(said)
    if told is None:
        return None
    half = (told["half"] or "").strip().lower()
    minutes = int(told["hour"]) * 60 + int(told["minute"] or 0)
    if half:
        minutes = minutes % _HALF_DAY + _HALF_DAY * (half == "pm")
    minutes += by // timedelta(minutes=1)
    if not 0 <= minutes < 2 * _HALF_DAY:
        return None
    behind = (told["half"] or "")[:-2] + ("pm" if minutes >= _HALF_DAY else "am") if half else ""
    hour = (minutes % _HALF_DAY or _HALF_DAY) // 60 if half else minutes // 60
    hour = hour or 12 if half else hour
    at = f"{told['dot'] or ':'}{minutes % 60:02d}" if told["dot"] or minutes % 60 else ""
    return f"{hour}{at}{behind}"


_DAYS = frozenset(("date", "weekday", "time"))
_EVENT_MOVED = regex(
    r"\b(?:moved|postponed|rescheduled|pushed|put (?:back|off|forward)|delayed|brought forward|shifted)\b[^.;]*?"
    r"\b(?:to|until|till)\b",
    re.IGNORECASE,
)


def moves_event(new: str) -> bool:
    """Return whether a statement moves an event to another time."""
    return matches(_EVENT_MOVED, new)


def owners_of_moved(old: str, new: str, names: tuple[str, ...]) -> frozenset[str]:
    """Return whose event `old` tells the date of, where `new` moves one without a name: "the wedding was moved"."""
    if not moves_event(new):
        return frozenset()
    told = slots_of(new, names)
    return frozenset(one.subject for one in slots_of(old, names) for later in told if is_event_of(one, later))


def is_event_of(earlier: Slot, later: Slot) -> bool:
    """Return whether a slot may be the date of a named person's event, of which a later one tells no owner."""
    is_of_somebody = later.subject == "" and earlier.subject not in {"", UNRESOLVED, USER}
    same = is_of_somebody and earlier.attribute == later.attribute and not (earlier.negated or later.negated)
    return same and bool(kinds_of(f"on {earlier.value}") & kinds_of(f"on {later.value}") & _DAYS)


# They say nothing of what it is that was moved.
_ASPECT = word_bag("date day time deadline start beginning new next upcoming")
_HAS_ON = regex(r"\b(?:have|has|got) (?:an?|my|our|their) [\w' -]{2,40}? (?:on|at|this|next) ", re.IGNORECASE)
_COMPLEMENT = regex(r" (?:with|for|of|about) ")


def moves_another_event(old: str, new: str, names: tuple[str, ...]) -> bool:
    """Return whether `new` moves another event than that of which `old` tells the day: the train, not the flight."""
    if not moves_event(new):
        return False
    held, told = (
        [one for one in slots_of(text, names) if one.subject in {"", USER} and kinds_of(f"on {one.value}") & _DAYS]
        for text in (old, new)
    )
    known, heads = word_bag(old), [(word_bag(one.attribute) - _ASPECT, one.attribute) for one in told]
    is_dated = bool(held) or (matches(_HAS_ON, old) and bool(kinds_of(old) & _DAYS))
    return (
        is_dated
        and bool(heads)
        and not any(
            head <= known or (not _COMPLEMENT.search(said) and any(word_bag(one.attribute) <= head for one in held))
            for head, said in heads
        )
    )


# ------------------------------------------------------------------------------------------ told beside a move


# "Ines moved the wedding", "the race got pushed": to which day stands in a sentence beside it.
_MOVED_BY = r"(?:moved|postponed|pushed|rescheduled|shifted|delayed|put back|bumped|brought forward)"
_MOVED_ALONE = regex(
    r"^(?:(?:so|and|but|oh|ok|also|well|btw|update|news|ugh|yeah),? )*(?:"
    rf"(?P<who>(?!(?:i|we|they|you|it)\b)[\w'-]+(?: [\w'-]+)?)(?: has| have|'ve|'s)?(?: just)? (?P<verb>{_MOVED_BY})"
    r" (?P<thing>(?:the|my|our|her|his|their) [\w'-]+(?: [\w'-]+)?)"
    rf"|(?P<what>(?:the |my |our )?(?!(?:i|we|they|you|he|she|it)\b)[\w'-]+(?: [\w'-]+){{0,2}}?)(?:(?: has| have|'s)?"
    rf" (?:got|was|were|been|is|are)(?: been)?(?: just)? {_MOVED_BY}"
    r"|(?:'s)? (?:has|have|had|got) to (?:shift|move|be moved)|(?:'s| is| are) off(?: on)? the \d{1,2}(?:st|nd|rd|th)))"
    r"(?: (?:back|forward|too|again|as well|now))*(?! (?:to|until|till|for|from|in|into|by|on|out|house|home)\b)"
    r"(?=[.,!;]|$| )",
    re.IGNORECASE,
)
_NEW_DAY = regex(
    r"(?:(?:^|[,;.] |\b(?:so|and|but|now) )(?:(?:it's|its|it is|it will be|it'll be|they're"
    r"|we're (?:going|doing it|having it)|new (?:day|date)(?: is|:)?)"
    r" (?:now |on |going to be )*|(?:now |on )*(?=[^,.;?!]{2,30} (?:now|instead)\b)))"
    rf"(?P<day>(?:the )?(?:(?:next |this )?(?:{'|'.join(WEEKDAYS)})(?: after)?,? ?)?(?:the )?(?:\d{{1,2}}"
    rf"(?:st|nd|rd|th)?(?: of)? (?:{'|'.join(MONTH_NAMES)}|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b"
    rf"|(?:{'|'.join(MONTH_NAMES)}) \d{{1,2}}(?:st|nd|rd|th)?|\d{{1,2}}(?:st|nd|rd|th)|(?<=day)(?= now\b| instead\b)))"
    r"(?=[.,;!]|$| (?:now|instead|same|and|because|since|which|at)\b)",
    re.IGNORECASE,
)
_SENTENCES_BESIDE, _WORDS_BESIDE, _LONGEST_BESIDE = 2, 3, 160  # the last are characters
_SURELY_NO_DAY = regex(r"\?|\b(?:if|maybe|might|could|would|wish|hope)\b", re.IGNORECASE)


def _told_of_move(moved: re.Match[str], day: str) -> str:
    """Return a move and its new day as one statement."""
    if moved["thing"]:
        return f"{moved['who'][:1].upper()}{moved['who'][1:]} {moved['verb']} {moved['thing']} to {day}."
    what = moved["what"].removesuffix("'s")
    return f"{what[:1].upper()}{what[1:]} was moved to {day}."


_NOT_THE_OLD = regex(r",? (?:and )?(?:not|instead of) (?:on )?(?:the )?(?:\d|\w+day\b)[^,;]{0,20}", re.IGNORECASE)


def _told_beside(sentence: str, begun: re.Match[str] | None, day: re.Match[str]) -> str:
    """Return what a sentence tells beside a new day; "" for one that tells of the move and its day alone."""
    behind = _NOT_THE_OLD.sub("", sentence[day.end() :]).count(" ") > _WORDS_BESIDE
    between = sentence[begun.end() if begun is not None else 0 : day.start()]
    if behind or (begun is not None and between.count(" ") > _WORDS_BESIDE):
        return sentence
    return "" if begun is not None or not between else f"{between.rstrip(' ,;')}."


def with_new_days(sentences: Iterable[str]) -> Iterator[str]:
    """Return the sentences, and what is moved with the day that a later one tells: "race got pushed. it's 2 May now".

    A sentence that is that day and little more is left out.
    """
    moved: re.Match[str] | None = None
    since = 0
    for sentence in sentences:
        begun = _MOVED_ALONE.match(sentence) if len(sentence) <= _LONGEST_BESIDE else None
        if begun is not None and begun["what"] and _NOT_MOVED.search(begun["what"]):
            begun = None
        moved, since = (begun, 0) if begun is not None else (moved, since + 1)
        is_near = moved is not None and since <= _SENTENCES_BESIDE and _SURELY_NO_DAY.search(sentence) is None
        day = _NEW_DAY.search(sentence, begun.end() if begun is not None else 0) if is_near else None
        if moved is None or day is None:
            yield sentence
            continue
        if rest := _told_beside(sentence, begun, day):
            yield rest
        yield _told_of_move(moved, day["day"])
        moved = None


# Whoever was moved to tears; and of "her move" nobody knows whose it is.
_NOT_MOVED = regex(rf"\b(?:{KIN}|{ANIMAL})$|^(?:her|his|their) ", re.IGNORECASE)
