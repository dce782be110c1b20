"""Compare statements word by word: the same words but for one value, or but for with whom and since when one lives."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from memoryos_core.rules.knowledge.clauses import UNRESOLVED, USER, clauses_of
from memoryos_core.rules.knowledge.corrections import values_in
from memoryos_core.rules.knowledge.domains import CHANGE, CORRECTION
from memoryos_core.rules.knowledge.heads import STAY
from memoryos_core.rules.knowledge.measures import kinds_of, without_values
from memoryos_core.rules.knowledge.news import word_bag
from memoryos_core.rules.knowledge.phrases import KIN, normalise
from memoryos_core.rules.knowledge.slots import slots_of
from memoryos_core.rules.text.words import matches, regex

__all__ = [
    "are_several",
    "concerns_another",
    "concerns_one_behind",
    "is_alike",
    "is_diff",
    "is_kin_still",
    "leaves_home_open",
    "without_company",
]

_TWO, _ALIKE, _FEW = 2, 3, 5
# A number behind one of these words is the name of a thing: "book 4" takes nothing from "book 3". A place where
# somebody is now may change: "is on page 40".
_NUMBERED_TEXT = """number no nr book chapter page part volume episode season lesson question exercise item note step
    day week round game match test song track task ticket issue"""
_NUMBERED = frozenset(_NUMBERED_TEXT.split())
_NOW_AT = frozenset(("is", "are", "am", "at", "on", "in"))


def is_alike(old: str, new: str) -> bool:
    """Return whether two statements begin and end with the same words."""
    a, b = _words(old), _words(new)
    if a[:_TWO] != b[:_TWO]:
        return False  # as of most pairs
    start, end = _edges(a, b)
    return start >= _TWO and start + end >= _ALIKE


@lru_cache(maxsize=16_384)
def _words(text: str) -> tuple[str, ...]:
    plain = normalise(text)
    for pattern in (CHANGE, CORRECTION):
        plain = pattern.sub(" ", plain) if pattern.search(plain) else plain
    return tuple(w for w in re.findall(r"[\w@.'-]+", plain.lower()) if w.strip(".'-"))


def _edges(a: Sequence[str], b: Sequence[str]) -> tuple[int, int]:
    if a[:_TWO] != b[:_TWO]:
        return 0, 0  # as of most pairs, and nobody asks for one word
    most = min(len(a), len(b))
    start = 0
    while start < most and a[start] == b[start]:
        start += 1
    end = 0
    while end < most - start and a[-1 - end] == b[-1 - end]:
        end += 1
    return start, end


def is_diff(old: str, new: str, *, any_kind: bool = False) -> bool:
    """Return whether the statements have the same words but for one value, of one kind unless `any_kind`."""
    a, b = _words(old), _words(new)
    if a[:_TWO] != b[:_TWO]:
        return False
    start, end = _edges(a, b)
    one, two = a[start : len(a) - end], b[start : len(b) - end]
    if start < _TWO or start + end < _ALIKE or not one or not two:
        return False
    if any_kind:
        return len(one) + len(two) <= _FEW
    if a[start - 1] in _NUMBERED and not _NOW_AT & {*a[max(0, start - 4) : start - 1]}:
        return False
    before, after = " ".join(one), " ".join(two)
    of_one_kind = bool(kinds_of(before) & kinds_of(after))  # seldom, and the rest costs more
    return of_one_kind and not word_bag(without_values(before)) and not word_bag(without_values(after))


# Who shares a home may leave it, and the home stays.
_COMPANY = regex(
    r"(?<=\w),? (?:together )?with (?:my|our|his|her|their|the user's|an?|two|three) (?:[\w-]+ ){0,2}"
    rf"(?:{KIN}|cats?|dogs?|pupp(?:y|ies)|kittens?|rabbits?|hamster|parrot|bird)\b[^.;]*",
    re.IGNORECASE,
)
# "I moved here in 2020" tells since when, and names no other place.
_CAME_HERE = regex(
    r"\bmoved (?:\w+ )?(?:here|(?:in)?to (?:this|that) [\w-]+) (?:(?:back )?in \d{4}"
    r"|(?:\w+ )?years ago|as a (?:child|kid|student)|when)\b",
    re.IGNORECASE,
)
# Who lives with somebody may do so where the home is, unless it is told that they left it.
_LIVES_WITH = regex(r"\b(?:lives?|living) with\b", re.IGNORECASE)
_LEAVES = regex(r"\b(?:mov(?:ed?|ing)|left|leaving|no longer|any ?more|instead|sold|evicted|back)\b", re.IGNORECASE)


def without_company(text: str, names: tuple[str, ...]) -> str:
    """Return a statement of a home without those who share it."""
    return _COMPANY.sub("", text) if " with " in text and _has_home(text, names) else text


# "Our holiday house", "the landlord in Lisbon": not where somebody lives now.
_NO_HOME = regex(
    r"\b(?:holiday|summer|weekend|winter|beach|second|other|rental|rented out|buy-to-let|inherited|childhood|doll'?s)"
    r" (?:house|home|flat|apartment|place|cottage|villa|cabin|property)\b",
    re.IGNORECASE,
)
# "Our flat in Lisbon", and no "flat" alone; a house "near Manchester" may be the one that they live in.
_HOUSE = r"\b(?:house|home|flat|apartment|place|landlord|landlady|renting|rented)"
_ANY_HOUSE = regex(rf"{_HOUSE}\b(?! (?:in (?:the )?[A-ZÀ-Þ]|sold|a\b))")
_IN_PLACE = regex(
    rf"{_HOUSE} in (?:the )?"
    r"(?!(?:January|February|March|April|May|June|July|August|September|October|November|December|Spring|Summer|Autumn"
    r"|Winter|Christmas|Easter|\w+day)\b)(?P<place>[A-ZÀ-Þ][\w'-]+)"
)
_DWELLS = regex(
    r"\b(?:mov(?:ed?|es|ing)|liv(?:es?|ed|ing)|left|leav(?:es?|ing)|g[ai]ven? up|giving up|stay(?:s|ed|ing)?) ",
    re.IGNORECASE,
)


# "We moved down the road": the city is the same, if not the street.
_NEARBY = regex(
    r"\bmoved (?:house |home |flats? )?(?:just |right )?(?:within|across (?:town|the (?:street|road|city|river|park))"
    r"|(?:down|up|along|over) the (?:road|street)|(?:round|around) the corner|next door|upstairs|downstairs"
    r"|(?:an?|two|three)(?: few| couple of)? (?:streets?|doors?|houses|roads) (?:away|down|up|along|over|on))\b"
)
_STAYS = regex(rf"\bmoved (?:in|on)?to {STAY}")
_ADDRESS = regex(
    r"\d|\b(?:street|road|lane|avenue|close|drive|terrace|crescent|gardens|flat|house|apartment|cottage)\b",
    re.IGNORECASE,
)


def leaves_home_open(old: str, new: str, names: tuple[str, ...]) -> bool:
    """Return whether `new` tells only since when or with whom somebody lives, or of another home, and `old` where."""
    if matches(_CAME_HERE, new) or matches(_NO_HOME, new) or matches(_STAYS, new):
        return _has_home(old, names) and not matches(_NO_HOME, old)
    if matches(_NEARBY, new) and not _ADDRESS.search(old):
        return _has_home(old, names)
    if _is_of_other_place(old, new, names) or _is_of_other_people(old, new, names):
        return True
    with_whom = matches(_LIVES_WITH, new) and not matches(_LEAVES, new)
    return with_whom and _has_home(old, names) and not _has_home(new, names)


_OF_USER = regex(r"\bthe user\b(?!['’])|\b(?:they|them|us|i|we)\b", re.IGNORECASE)
_OF_SPEAKER = regex(r"\b(?:i|me|my|we|us|our)\b", re.IGNORECASE)
_LIVES = regex(r"\b(?:lives?|living|moved) (?:back )?(?:in|on|at|near|with|to|into)\b")
_OTHERS = regex(r"(?:he|she|they)\b", re.IGNORECASE)


def _is_of_other_people(old: str, new: str, names: tuple[str, ...]) -> bool:
    """Return whether `new` tells where others live, and nothing of the user, whose home `old` is."""
    quoted = new.partition(': "')[2]
    told = quoted or new
    if not _LIVES.search(told) or (_OF_SPEAKER if quoted else _OF_USER).search(told):
        return False
    if {slot.subject for slot in slots_of(old, names) if slot.attribute == "home"} != {USER}:
        return False
    is_theirs = bool(quoted) and _OTHERS.match(quoted) is not None
    return is_theirs or {clause.subject for clause in clauses_of(told, names)}.isdisjoint((USER, "", "family"))


def _is_of_other_place(old: str, new: str, names: tuple[str, ...]) -> bool:
    """Return whether `new` is of houses in places that the home of `old` is not in, and tells of no home itself."""
    places = [found["place"] for found in _IN_PLACE.finditer(new)]
    if (
        not places
        or _DWELLS.search(new)
        or _ANY_HOUSE.search(new)
        or not _has_home(old, names)
        or _has_home(new, names)
    ):
        return False
    homes = [slot.value for slot in slots_of(old, names) if slot.attribute == "home"]
    named = [place for value in homes for place in re.findall(r"[A-ZÀ-Þ][\w'-]+", value)]
    return bool(named) and not ({*places} & {*re.findall(r"[\w'-]+", old)} or {*named} & {*re.findall(r"[\w'-]+", new)})


def _has_home(text: str, names: tuple[str, ...]) -> bool:
    return any(slot.attribute == "home" for slot in slots_of(text, names))


# "My other sister moved" is not about the one with a name, nor "the neighbours' Rex died" about the user's.
_OTHER_KIN = regex(
    rf"\b(?P<which>other|younger|older|elder|eldest|youngest) (?P<kin>{KIN}|cat|dog)\b(?! (?-i:[A-ZÀ-Þ]))",
    re.IGNORECASE,
)
_OTHERS_OWN = regex(
    r"(?:^|[.;,] |\b(?:and|but|so) )(?!(?:my|our|the user)\b)(?P<who>(?:[\w-]+ ){0,3}"
    r"(?!(?:it|that|there|here|what|who|he|she|how|where|let)')[\w-]+(?:'s|s'))"
    r" (?P<name>(?-i:[A-ZÀ-Þ])[\w-]+) ",
    re.IGNORECASE,
)
# "Our head left St Anne's": the user has not.
_LEFT_BY = regex(
    r"^(?:my|our|the|the user's|an?|another) (?!user\b)(?P<who>[\w-]+) (?:has |just )?left ", re.IGNORECASE
)
# What comes back to life, and of whom it is said in jest or of another matter: "married to my job".
_NO_END = regex(
    r"\b(?:phone|mobile|laptop|battery|tablet|watch|mouse|camera|kindle)s? (?:is |just |has )?(?:dead|died)\b"
    r"|\bmarried to (?:the|my|their|his|her|our) (?:job|work|career|phone|gym|game)\b"
    r"|\bengaged (?:in|with) (?:an?|the)\b"
    r"|\bmoved (?:the|my|our|their) [\w' -]{2,30} (?:an?|half an|\d+|two|three|four) (?:hour|minute|mile|km)s? away\b"
    r"|\b(?:pushed|moved|shoved|pulled) (?:[\w'-]+ ){1,2}out of the way\b"
    r"|\bno more [\w' -]{2,30} for (?:me|us|the user),? (?:thanks|thank you|ta|cheers|please|i'm full"
    r"|the user is full)\b"
    r"|^no [\w' -]{2,40}, (?:said|says|jokes?|joked) ",
    re.IGNORECASE,
)


@lru_cache(maxsize=16_384)
def _who_else(new: str) -> tuple[tuple[str, str], ...]:
    """Return the names and relations that a statement tells something of, each with the word that says whose."""
    kin = [(m["kin"].lower(), m["which"].lower()) for m in _OTHER_KIN.finditer(new)]
    left = [("user", m["who"].lower()) for m in _LEFT_BY.finditer(new)]
    return (*kin, *left, *((m["name"].lower(), m["who"].split()[-1].lower()) for m in _OTHERS_OWN.finditer(new)))


def concerns_another(old: str, new: str) -> bool:
    """Return whether `new` tells of another person with a relation or a name of `old`, or ends nothing at all."""
    if matches(_NO_END, new) or _is_other_course(old, new) or _goes_other_way(old, new):
        return True
    others = _who_else(new)
    known = frozenset(re.findall(r"[\w'-]+", old.lower())) if others else frozenset[str]()
    return any(whom in known and whose not in known for whom, whose in others)


def concerns_one_behind(old: str, new: str, names: tuple[str, ...]) -> bool:
    """Return whether `new` is about somebody of whom `old` tells only behind what it states first.

    "I fly on 2 May. Joe will follow" does not end when Joe changes his flight.
    """
    who = {clause.subject for clause in clauses_of(new, names)}
    first, *behind = clauses_of(old, names) or (None,)
    if first is None or not behind or not who.isdisjoint(("", USER, UNRESOLVED)):
        return False
    if " " not in first.rest:
        return False  # "Tom and his boyfriend Callum are a couple" is one statement
    known = frozenset(re.findall(r"[\w-]+", first.text.lower())) | {first.subject, first.kin}
    return known.isdisjoint(who) and who <= {one for clause in behind for one in (clause.subject, clause.kin)}


_KIN_CALLED = regex(rf"\b(?:{KIN}) is (?:called|named) (?-i:(?P<name>[A-ZÀ-Þ][\w-]+))", re.IGNORECASE)
_LEAVES_WORK = regex(
    r"\b(?P<who>(?-i:[A-ZÀ-Þ])[\w-]+) (?:(?:has|have|just|finally|recently) )*"
    r"(?:(?:left|quit|resigned from|retired from) (?:(?-i:(?P<where>[A-ZÀ-Þ][\w-]+))|(?:his|her|their) (?:job|post))"
    r"|retired|resigned|stepped down|was (?:fired|sacked|promoted|replaced|transferred|laid off|made redundant)"
    r"|(?:took|found|got) (?:another|a new) (?:job|post|position))\b",
    re.IGNORECASE,
)


def is_kin_still(old: str, new: str, names: tuple[str, ...]) -> bool:
    """Return whether `new` says that somebody left a job, and `old` only what one of the user's family is called."""
    called = _KIN_CALLED.search(old) if matches(_KIN_CALLED, old) else None
    if called is None:
        return False
    left = (found for found in _LEAVES_WORK.finditer(new) if found["where"] not in names)
    return any(found["who"] == called["name"] for found in left)


# "French class is on Thursdays now" moves no Spanish one.
_COURSE = regex(
    r"^(?:(?:my|our|the|the user's) )?(?!(?:my|our|the|new|next|first|last)\b)(?P<what>[\w-]+) (?:class(?:es)?"
    r"|lessons?|course) (?:is|are|has|was|were|got|starts?)\b",
    re.IGNORECASE,
)
_ANY_COURSE = regex(
    r"\b(?!(?:my|our|the|user's|new|next|first|last|a|an|have|has|this|weekly)\b)(?P<what>[\w-]+) (?:class|classes"
    r"|lessons?|course)\b",
    re.IGNORECASE,
)


def _is_other_course(old: str, new: str) -> bool:
    """Return whether two statements name a course each, of other matters."""
    told = _COURSE.match(new) if matches(_COURSE, new) else None
    held = _ANY_COURSE.search(old) if told is not None else None
    if told is None or held is None:
        return False
    return not word_bag(told["what"]) & word_bag(old) and not word_bag(held["what"]) & word_bag(new)


_JOURNEY = regex(
    r"\b(?:flight|train|bus|coach|ferry|boat|trip|drive|journey|ride)s? (?:back )?(?P<way>to|from)"
    r" (?-i:(?P<where>[A-ZÀ-Þ][\w-]+))",
    re.IGNORECASE,
)


def _goes_other_way(old: str, new: str) -> bool:
    """Return whether a journey of the news is from where one of the older statement is to, or the other way round."""
    there, told = _journeys_in(old), _journeys_in(new)
    return bool(told) and any((way, where) not in there and where in {w for _, w in there} for way, where in told)


@lru_cache(maxsize=16_384)
def _journeys_in(text: str) -> frozenset[tuple[str, str]]:
    return frozenset((found["way"].lower(), found["where"]) for found in _JOURNEY.finditer(text))


def are_several(held: Iterable[str], new: str, names: tuple[str, ...]) -> bool:
    """Return whether news may be about one of several: of two sisters with a name, or of two flights on other days."""
    held = tuple(held)
    named = [value.kind for value in values_in(new)] if len(held) > 1 else []
    if named and set(named) == {"time"}:  # "the flight's now at 9am"
        days = {frozenset(_day_in(v.text) for v in values_in(text) if v.kind != "time") for text in held}
        if len(days) > 1:
            return True
    bare = {clause.subject for clause in clauses_of(new, names) if clause.kin and clause.subject == clause.kin}
    told = (clause for text in held for clause in clauses_of(text, names)[:1]) if bare else ()
    return len({clause.subject for clause in told if clause.kin in bare and clause.subject != clause.kin}) > 1


def _day_in(said: str) -> str:
    """Return the number of a day, so that "20 jan" and "January 20th" are one; a weekday as it is."""
    found = re.search(r"\d{1,2}", said)
    return said.lower() if found is None else found[0]
