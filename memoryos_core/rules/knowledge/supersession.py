"""Decide what a new statement does to an old one, and what held or lies ahead at a time.

Slots decide first. A change that is told without its slot needs three things: words of a change, the same person, and
a part of life or a word in common. What is only probable is kept and disputed.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from datetime import datetime

from memoryos_core.rules.knowledge.changes import Verdict, compare_words
from memoryos_core.rules.knowledge.clauses import USER, is_same_person, normalise
from memoryos_core.rules.knowledge.domains import (
    ADDITION,
    CHANGE,
    CORRECTION,
    LONGEST,
    domains_of,
    kinds_of,
    measures_of,
)
from memoryos_core.rules.knowledge.news import word_bag
from memoryos_core.rules.knowledge.slots import Slot, slots_of
from memoryos_core.rules.knowledge.things import is_limited
from memoryos_core.rules.text.words import terms
from memoryos_core.values.facts import Fact

__all__ = ["Verdict", "compare", "held_at", "next_time"]

_EVERY_YEAR = re.compile(r"\b(?:birthday|anniversary|every year|each year|yearly|annually)\b", re.IGNORECASE)
_STANDING = frozenset(("current", "superseded", "retired"))


def held_at(fact: Fact, moment: datetime) -> bool:
    """Return whether a fact held at a moment, as far as was said by then or later."""
    if fact.status not in _STANDING or fact.valid_from > moment:
        return False
    return fact.valid_until is None or fact.valid_until > moment


def next_time(fact: Fact, now: datetime) -> datetime | None:
    """Return when what a fact tells happens next, None when it does not: its event lies behind, or it has none.

    What comes back every year, such as a birthday, comes next on its day of this year or the next.
    """
    when = fact.event_time
    if when is None:
        return None
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    if when >= today:
        return when
    if not _EVERY_YEAR.search(fact.text):
        return None
    for year in (now.year, now.year + 1):
        on = 28 if (when.month, when.day) == (2, 29) else when.day
        again = when.replace(year=year, day=on)
        if again >= today:
            return again
    return None


# Attributes with one value at a time, whatever kind of value is given.
_SINGLE = frozenset(
    (
        *("home", "occupation", "employer", "name", "age", "diet", "relationship", "phone", "email"),
        *("wedding", "birthday", "budget", "deadline"),
    )
)
_ONE_ALWAYS = frozenset(("home", "name", "age"))
_COPULA = re.compile(r"(?:is|are|was|were) ")
_TYPED = re.compile(r"[a-z]+(?:s|ed)(?: (?:in|at|for|to))? [a-z]+$")


def compare(old: str, new: str, names: Collection[str] = ()) -> Verdict:
    """Return what `new`, said after `old`, does to it.

    "replaces" gives the slot another value; "retires" says that `old` no longer holds; "adds" is one more value;
    "disputes" contradicts `old` without a word of a change. Anything else is "repeats" or "unrelated".
    """
    return _compare(old[:LONGEST], new[:LONGEST], tuple(names))


def _compare(old: str, new: str, names: tuple[str, ...]) -> Verdict:
    if word_bag(old) == word_bag(new) and normalise(old).lower() == normalise(new).lower():
        return "repeats"
    by_slot = _compare_slots(old, new, names)
    if by_slot is not None and by_slot != "adds":
        return by_slot
    if by_slot is None and _denies_another_value(old, new, names):
        return "unrelated"
    by_words = compare_words(old, new, names)
    return by_words or by_slot or "unrelated"


def _denies_another_value(old: str, new: str, names: tuple[str, ...]) -> bool:
    """Return whether `new` only says that a diet no longer holds, which `old` is not: "not vegetarian any more"."""
    denied = [slot for slot in slots_of(new, names) if slot.attribute == "diet"]
    return bool(denied) and all(slot.negated and not word_bag(slot.value) & word_bag(old) for slot in denied)


# ------------------------------------------------------------------------------------------------ by slots


def _compare_slots(old: str, new: str, names: tuple[str, ...]) -> Verdict | None:
    found: list[Verdict] = []
    told = slots_of(new, names)
    others = {slot.attribute for slot in told if slot.subject not in {"", USER}}
    for later in told:
        for earlier in slots_of(old, names):
            if not is_same_person(earlier.subject, later.subject, old, new, names):
                continue
            if earlier.subject == USER and not later.subject and later.attribute in others:
                continue  # "Ruth moved the wedding" does not move mine
            verdict = _compare_pair(earlier, later, old, new)
            if verdict is not None and not (verdict == "retires" and is_limited(old, new)):
                found.append(verdict)
    order: tuple[Verdict, ...] = ("replaces", "retires", "repeats", "disputes", "adds", "unrelated")
    return min(found, key=order.index, default=None)


def _compare_pair(earlier: Slot, later: Slot, old: str, new: str) -> Verdict | None:
    if earlier.attribute != later.attribute:
        return _compare_fields(earlier, later)
    same = _same_value(earlier, later)
    if earlier.negated or later.negated:
        return _compare_negated(earlier, later) if same else None
    if same:
        return _compare_counts(later.value, old, new)
    addition = ADDITION.search(new) is not None
    if later.many:
        changed = later.attribute == "vehicle" and not addition and CHANGE.search(new) is not None
        return "replaces" if changed else "adds"
    if addition and later.attribute not in _ONE_ALWAYS:
        return "adds"
    return "replaces" if _is_single(earlier, later, new) else None


def _compare_negated(earlier: Slot, later: Slot) -> Verdict:
    if earlier.negated and later.negated:
        return "repeats"
    return "retires" if later.negated else "replaces"


def _compare_fields(earlier: Slot, later: Slot) -> Verdict | None:
    if earlier.attribute == "food" and later.attribute == "diet" and not later.negated:
        plants = later.value.lower().startswith(("vega", "vege", "plant", "végé", "véga"))
        animal = {"diet"} <= domains_of(earlier.value)
        return "replaces" if plants and animal and not earlier.negated else None
    return None


def _compare_counts(value: str, old: str, new: str) -> Verdict:
    """Return "replaces" for another number of the same that a word of change goes with: "three kids now"."""
    counted = word_bag(value)
    pairs = ((a, b, one & counted, two) for a, one in measures_of(old) for b, two in measures_of(new))
    anew = any(a != b and same and same <= two for a, b, same, two in pairs)
    return "replaces" if anew and CHANGE.search(new) else "repeats"


def _same_value(earlier: Slot, later: Slot) -> bool:
    a, b = word_bag(earlier.value), word_bag(later.value)
    if later.negated:
        return bool(b) and bool(a & b)
    return a == b if a or b else earlier.value.lower() == later.value.lower()


def _is_single(earlier: Slot, later: Slot, new: str) -> bool:
    """Return whether the attribute has one value at a time, and the two values are of one kind."""
    attribute = later.attribute
    if attribute in _SINGLE or attribute.startswith("favourite "):
        return True
    if " of " in attribute or _COPULA.match(attribute) or _TYPED.match(attribute):
        return True
    before, after = _value_kind(earlier.value), _value_kind(later.value)
    if before != after:
        return False
    if before in {"name", "date", "number"}:
        return True
    return bool(CHANGE.search(new) or CORRECTION.search(new)) and before == "noun"


def _value_kind(value: str) -> str:
    kinds = kinds_of(value)
    for kind in ("date", "weekday", "time"):
        if kind in kinds:
            return "date"
    if kinds:
        return "number"
    if value[:1].isupper():
        return "name"
    return "noun" if terms(value) else ""
