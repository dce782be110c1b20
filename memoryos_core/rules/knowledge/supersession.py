"""Decide what a new statement does to an old one, and what held or lies ahead at a time.

Slots decide first. A change that is told without its slot needs three things: words of a change, the same person, and
a part of life or a word in common. What is only probable is kept and disputed.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import lru_cache
from itertools import combinations

from memoryos_core.rules.knowledge.amounts import is_announced, is_told_anew
from memoryos_core.rules.knowledge.asides import only_fills_gap
from memoryos_core.rules.knowledge.aspects import compare_orders, is_order
from memoryos_core.rules.knowledge.beginnings import plans_a_job
from memoryos_core.rules.knowledge.changes import Verdict, compare_words
from memoryos_core.rules.knowledge.clauses import UNRESOLVED, USER, is_same_person
from memoryos_core.rules.knowledge.corrections import compare_marked, is_marked
from memoryos_core.rules.knowledge.domains import ADDITION, CHANGE, CORRECTION, LONGEST, domains_of
from memoryos_core.rules.knowledge.drugs import IS_SUPPLY, compare_doses, is_of_group, is_taken_instead, names_dose
from memoryos_core.rules.knowledge.instructions import is_of_wish, is_taken_back, lifts, names_harm, replaces_wish
from memoryos_core.rules.knowledge.job_ends import ANY_JOB, ends_other_job
from memoryos_core.rules.knowledge.measures import kinds_of, measures_of
from memoryos_core.rules.knowledge.moments import is_event_of, moves_another_event, moves_event
from memoryos_core.rules.knowledge.news import FROM_TO, is_news, is_open, tells_end, word_bag
from memoryos_core.rules.knowledge.opposites import is_opposite, may_be_opposite, pairs_of_denials, stands_by_words
from memoryos_core.rules.knowledge.other_languages import told_in_quotation
from memoryos_core.rules.knowledge.outcomes import has_outcome, tells_outcome
from memoryos_core.rules.knowledge.pets import covers
from memoryos_core.rules.knowledge.phrases import normalise
from memoryos_core.rules.knowledge.relations import concerns_upkeep, parts_with_some
from memoryos_core.rules.knowledge.replacements import may_name_replaced, names_replaced
from memoryos_core.rules.knowledge.rescheduling import is_rescheduled, is_taken_up, resumes
from memoryos_core.rules.knowledge.slots import Slot, as_the_users, is_idle, slots_of
from memoryos_core.rules.knowledge.things import is_limited
from memoryos_core.rules.knowledge.turns import keys_of_turns
from memoryos_core.rules.knowledge.wording import (
    concerns_another,
    concerns_one_behind,
    is_alike,
    is_kin_still,
    leaves_home_open,
    without_company,
)
from memoryos_core.rules.text.words import matches, regex, terms
from memoryos_core.values.facts import Dispute, Fact

__all__ = ["Verdict", "compare", "find_disputes", "key_of"]

# Attributes with one value at a time, whatever kind of value is given.
_SINGLE_TEXT = """
    home occupation employer name called age diet relationship phone email school wedding birthday budget deadline
"""
_SINGLE = frozenset(_SINGLE_TEXT.split())
_TAKEN_BACK = regex(r"^\W*(?:no|nope)\b|\b(?:misspoke|mistyped)\b|\bnot from\b", re.IGNORECASE)
_TASTES = frozenset(("likes", "dislikes"))
_OF_ONE_VALUE = frozenset(("diet", "allergy"))  # "not allergic to cats after all" leaves the nuts
_ALL_OF_THEM = regex(r"any(?:thing|\b)|all\b", re.IGNORECASE)
_DENIED_BY_VALUE = frozenset(("home", "employer", "occupation", "allergy"))
_BELONGINGS = frozenset(("pet", "vehicle"))
_ENDS = frozenset(("replaces", "retires"))
_CONTRADICTS = _ENDS | {"disputes"}
# A slot may hold ten thousand values: so many of the latest are compared with each other.
_OF_ONE_SLOT = 20
_ONE_ALWAYS = frozenset(("home", "name", "age"))
_AGAIN = regex(r"\bagain\b", re.IGNORECASE)
_OR = regex(r" or | = ")
_ALLERGIC = regex(r"\b(?:am|is|are) (?:\w+ )?(?:allergic|intolerant)\b")
# "The user and Jayden broke up" ends no allergy that was told beside a word on Jayden.
_PARTED = regex(
    r"\b(?:broke up|broken up|split|separated|divorced|dumped|died|passed away|moved (?:out|away)|retired|left|quit)\b",
    re.IGNORECASE,
)
_ENDS_STUDIES = regex(
    r"\b(?:graduat|drop(?:ped|ping)? out|left|leav|finish|instead|quit|full[- ]time|degree|gave up|given up)",
    re.IGNORECASE,
)
_COPULA = regex(r"(?:is|are|was|were) ")
_TYPED = regex(r"[a-z]+(?:s|ed)(?: (?:in|at|for|to))? [a-z]+$")


def compare(old: str, new: str, names: Collection[str] = ()) -> Verdict:
    """Return what `new`, said after `old`, does to it.

    "replaces" gives the slot another value; "retires" says that `old` no longer holds; "adds" is one more value;
    "disputes" contradicts `old` without a word of a change. Anything else is "repeats" or "unrelated".
    """
    known = tuple(names)
    return _compare(as_the_users(old[:LONGEST], known), as_the_users(new[:LONGEST], known), known)


def ends(old: str, new: str, names: tuple[str, ...]) -> bool:
    """Return whether `old` no longer holds once `new` was said; most pairs cost next to nothing."""
    return endings(new, names)(old)


@lru_cache(maxsize=1_024)
def endings(new: str, names: tuple[str, ...]) -> Callable[[str], bool]:
    """Return what `ends` says of any older statement: what depends on `new` alone is looked at once."""
    said = as_the_users(new[:LONGEST], names)
    tells, fills = is_news(said) or may_name_replaced(said, names), bool(slots_of(said, names))
    orders, wishes, taken_up = is_order(said), is_of_wish(said), is_taken_up(said)
    outcome = tells_outcome(said)
    marked, lifting, opposite = is_marked(said), is_taken_back(said), may_be_opposite(said, names)

    def ends_with(old: str) -> bool:
        told = as_the_users(old[:LONGEST], names)
        if marked or lifting:
            return (compare_marked(told, said) == "replaces") if marked else lifts(told, said)
        held = without_company(told, names)
        if not (
            tells
            or is_open(held)
            or (taken_up and resumes(held, said))
            or (outcome and has_outcome(held, said))
            or (orders and is_order(held))
            or (wishes and is_of_wish(held))
            or (fills and slots_of(held, names))
            or (opposite and is_opposite(held, said, names))
            or is_alike(held, said)
        ):
            return False  # as most pairs; the rest costs a hundred times as much
        return _compare(held, said, names) in _ENDS

    return ends_with


def _compare(old: str, new: str, names: tuple[str, ...]) -> Verdict:
    if is_taken_back(new):
        return "replaces" if lifts(old, new) else "unrelated"
    if is_of_wish(old) and not names_harm(old, new):
        return "unrelated"
    old = without_company(old, names)
    if word_bag(old) == word_bag(new) and normalise(old).lower() == normalise(new).lower():
        return "repeats"
    verdict = _compare_told(old, new, names)
    # Asked last, since it costs more than what most pairs come to.
    return "unrelated" if verdict != "unrelated" and _is_elsewhere(old, new, names) else verdict


def _is_elsewhere(old: str, new: str, names: tuple[str, ...]) -> bool:
    """Return whether `new` ends nothing of `old`, whatever it says: an aside, a plan, news of another person."""
    is_aside = only_fills_gap(new) and not only_fills_gap(old)
    is_of_another = concerns_another(old, new) or concerns_one_behind(old, new, names)
    is_of_another = is_of_another or is_kin_still(old, new, names)
    if names_dose(old, new) and not (is_told_anew(old, new) or _takes(new, names)):
        return True  # it is another person's, or only thought of
    return is_aside or is_of_another or is_announced(old, new) or plans_a_job(new) or matches(IS_SUPPLY, new)


def _takes(said: str, names: tuple[str, ...]) -> bool:
    return any(slot.attribute == "medication" for slot in slots_of(said, names))


def _compare_told(old: str, new: str, names: tuple[str, ...]) -> Verdict:
    instead: Verdict | None = "replaces" if replaces_wish(old, new) else None
    opposite: Verdict | None = "replaces" if is_opposite(old, new, names) else None
    by_order = compare_marked(old, new) or instead or compare_orders(old, new) or opposite
    if by_order is not None:
        return by_order
    by_slot = _compare_slots(old, new, names)
    if by_slot is not None and by_slot != "adds":
        return by_slot
    by_words = compare_words(old, new, names)
    if by_words is None or leaves_home_open(old, new, names):
        return by_slot or "unrelated"
    if by_slot is None and (_concerns_another_value(old, new, names) or stands_by_words(old, new, names)):
        return "unrelated"
    if by_slot == "adds" and by_words == "replaces" and _only_adds(old, new, names):
        return "adds"
    return by_words


def _concerns_another_value(old: str, new: str, names: tuple[str, ...]) -> bool:
    """Return whether a change that is told by words is of another diet, event or person than those of `old`."""
    if _denies_another_value(old, new, names) or moves_another_event(old, new, names):
        return True
    jobs = [slot for slot in slots_of(old, names) if slot.attribute in {"employer", "occupation"}]
    employers = [slot.value for slot in jobs if slot.attribute == "employer"]
    if _works_beside_studies(old, new, names) or (jobs and ends_other_job(old, employers, new)):
        return True
    return bool(_ALLERGIC.search(old) and _PARTED.search(new) and "allerg" not in new)


def _works_beside_studies(old: str, new: str, names: tuple[str, ...]) -> bool:
    """Return whether somebody who studies gets a job, and says nothing of an end of the studies."""
    if _ENDS_STUDIES.search(new):
        return False
    studies = any(s.attribute == "studies" or s.value.endswith("student") for s in slots_of(old, names))
    return studies and any(slot.attribute == "employer" and not slot.negated for slot in slots_of(new, names))


def _only_adds(old: str, new: str, names: tuple[str, ...]) -> bool:
    """Return whether one more value of an attribute with several ends none: nothing is corrected or over."""
    text = normalise(new)
    is_changed = matches(CORRECTION, text) or matches(FROM_TO, text) or tells_end(text)
    return not (is_changed or names_replaced(old, new, names) or is_rescheduled(old, new))


def _denies_another_value(old: str, new: str, names: tuple[str, ...]) -> bool:
    """Return whether `new` denies a diet, an allergy, a food or a kind of which `old` says nothing: "no dogs now"."""
    told = slots_of(new, names)
    quoted = {told[0] for _, told in told_in_quotation(new)}
    by_value = _OF_ONE_VALUE | (_DENIED_BY_VALUE if only_fills_gap(old) else quoted & _DENIED_BY_VALUE)
    denied = [slot for slot in told if slot.attribute in by_value]
    if denied and all(
        slot.negated
        and not word_bag(slot.value) & word_bag(old)
        and not _ALL_OF_THEM.match(slot.value)
        and not ANY_JOB.fullmatch(slot.value)
        for slot in denied
    ):
        return True
    before = slots_of(old, names)
    belongings = {slot.attribute for slot in before} & _BELONGINGS
    denied_too = belongings & {slot.attribute for slot in told if slot.negated}
    if belongings and (denied_too or parts_with_some(new) or concerns_upkeep(new)):
        return True
    foods = [slot for slot in (*told, *before) if slot.attribute == "food"]
    return bool(told and before) and len(foods) == len(told) + len(before)


def key_of(text: str, names: Collection[str] = ()) -> frozenset[str]:
    """Return blocking keys: only facts that share one need to be compared.

    A key is a slot, a part of life, a kind of value, or a word. The first are few and narrow, so a caller with many
    facts in one key may look at the latest only.
    """
    slots = slots_of(text, names)
    out = {f"{slot.subject.replace(USER, '')}/{slot.attribute}" for slot in slots}
    out |= {f"{slot.subject.replace(USER, '')}/employer" for slot in slots if is_idle(slot)}
    text = text[:LONGEST]
    out |= {f"~{domain}" for domain in domains_of(text)}
    out |= {f"#{kind}" for kind in kinds_of(text)}
    out |= {f"={stem}" for stem in terms(text)[:40]}
    return frozenset(out) | keys_of_turns(as_the_users(text, tuple(names)))


# ------------------------------------------------------------------------------------------------ disputes


def find_disputes(facts: Sequence[Fact], names: Collection[str] = ()) -> list[Dispute]:
    """Return the current facts that contradict each other, the newest contradiction first.

    Two values of one slot that has one value at a time, or "never" and its opposite. What was replaced or retired is
    not in dispute, nor is one more pet. `names` are what the user is called.
    """
    known = tuple(sorted({*names}))
    held = sorted((f for f in facts if f.status == "current"), key=lambda f: (f.valid_from, f.seq))
    found = {
        (earlier.id, later.id): Dispute(earlier, later)
        for earlier, later in (*_pairs_of_slots(held, known), *pairs_of_denials(held, known))
        if earlier.about == later.about
        and (earlier.kind == "instruction") == (later.kind == "instruction")  # "never tell that …" denies nothing
        and compare(earlier.text, later.text, known) in _CONTRADICTS
    }
    return sorted(found.values(), key=lambda d: (d.later.valid_from, d.later.seq), reverse=True)


def _pairs_of_slots(held: Sequence[Fact], names: tuple[str, ...]) -> Iterator[tuple[Fact, Fact]]:
    """Yield the facts that fill one slot, when it has one value at a time or one of them denies a value."""
    slots: dict[tuple[str, str], list[tuple[Fact, Slot]]] = defaultdict(list)
    for fact in held:
        for slot in slots_of(fact.text, names):
            if slot.subject != UNRESOLVED:
                slots[slot.subject, slot.attribute].append((fact, slot))
    for filled in slots.values():
        for (earlier, one), (later, other) in combinations(filled[-_OF_ONE_SLOT:], 2):
            if earlier is not later and (one.negated or other.negated or not other.many):
                yield earlier, later


# ------------------------------------------------------------------------------------------------ by slots


def _compare_slots(old: str, new: str, names: tuple[str, ...]) -> Verdict | None:
    found: list[Verdict] = []
    told = slots_of(new, names)
    if not told:
        return None
    others = {slot.attribute for slot in told if slot.subject not in {"", USER}}
    is_moved = moves_event(new)
    for later in told:
        for earlier in slots_of(old, names):
            same = is_same_person(earlier.subject, later.subject, old, new, names)
            if not same and not (is_moved and is_event_of(earlier, later)):
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
        return _compare_fields(earlier, later, new)
    same, addition = _same_value(earlier, later), matches(ADDITION, new)
    if earlier.negated or later.negated:
        of_group = later.attribute == "medication" and later.negated and is_of_group(earlier.value, later.value)
        return _compare_negated(earlier, later) if same or of_group else None
    is_medicine = later.attribute == "medication" and not addition
    by_dose = compare_doses(earlier.value, later.value, old, new) if is_medicine else None
    if same or by_dose is not None:
        return by_dose or _compare_counts(later.value, old, new)
    if later.many:
        changed = later.attribute == "vehicle" and not addition and matches(CHANGE, new)
        return "replaces" if changed or is_taken_instead(earlier.value, later.value, new) else "adds"
    if addition and later.attribute not in _ONE_ALWAYS:
        return "adds"
    return "replaces" if _is_single(earlier, later, new) else None


def _compare_negated(earlier: Slot, later: Slot) -> Verdict:
    if earlier.negated and later.negated:
        return "repeats"
    return "retires" if later.negated else "replaces"


def _compare_fields(earlier: Slot, later: Slot, new: str) -> Verdict | None:
    if earlier.attribute == "food" and later.attribute == "diet" and not later.negated:
        plants = later.value.lower().startswith(("vega", "vege", "plant", "végé", "véga"))
        animal = {"diet"} <= domains_of(earlier.value)
        return "replaces" if plants and animal and not earlier.negated else None
    if earlier.attribute == "allergy" and later.attribute == "food" and not later.negated:
        return "replaces" if _same_value(earlier, later) and matches(_AGAIN, new) else None
    if earlier.attribute in _TASTES and later.attribute in _TASTES and not (earlier.negated or later.negated):
        return "replaces" if word_bag(earlier.value) == word_bag(later.value) else None
    # Whoever works somewhere is no longer out of work, and the other way round.
    works, job = (earlier, later) if earlier.attribute == "employer" else (later, earlier)
    return "replaces" if works.attribute == "employer" and not works.negated and is_idle(job) else None


def _compare_counts(value: str, old: str, new: str) -> Verdict:
    """Return "replaces" for another number of the same that a word of change goes with: "three kids now"."""
    counted = word_bag(value)
    pairs = ((a, b, one & counted, two) for a, one in measures_of(old) for b, two in measures_of(new))
    anew = any(a != b and same and same <= two for a, b, same, two in pairs)
    return "replaces" if anew and matches(CHANGE, new) else "repeats"


def _same_value(earlier: Slot, later: Slot) -> bool:
    a, b = word_bag(earlier.value), word_bag(later.value)
    if later.attribute in _BELONGINGS and earlier.negated != later.negated:
        none, some = (earlier, later) if earlier.negated else (later, earlier)
        return covers(none.value, some.value)
    if later.negated:
        return (bool(b) and bool(a & b)) or (
            later.attribute == "employer" and ANY_JOB.fullmatch(later.value) is not None
        )
    if later.attribute == "occupation" and b and b < a:
        return True  # who is a senior nurse is a nurse
    if later.attribute == "relationship" and earlier.value.startswith((f"{later.value} to ", f"{later.value} with ")):
        return " and " not in earlier.value
    if a == b and a:
        return True
    one, two = ({part.lower() for part in _OR.split(slot.value)} for slot in (earlier, later))
    # "1:2 or 1/2" and "1/2 or 0.5" tell the same in other words.
    return bool(one & two) if len(one) > 1 and len(two) > 1 else not (a or b) and one == two


def _is_single(earlier: Slot, later: Slot, new: str) -> bool:
    """Return whether the attribute has one value at a time, and the two values are of one kind."""
    attribute = later.attribute
    if attribute == "home" and _is_dwelling(earlier.value) != _is_dwelling(later.value):
        return False  # "in Lisbon", "in a dorm": both may hold
    if attribute == "origin" and " new " not in new:  # it never ends: Los Angeles lies in California
        return matches(CORRECTION, new) or _TAKEN_BACK.search(new) is not None
    is_one = attribute in _SINGLE or attribute.startswith("favourite ") or " of " in attribute
    if is_one or _COPULA.match(attribute) or _TYPED.match(attribute):
        return True
    before, after = _value_kind(earlier.value), _value_kind(later.value)
    if before != after:
        return False
    if before in {"name", "date", "number"}:
        return True
    return (matches(CHANGE, new) or matches(CORRECTION, new)) and before == "noun"


def _is_dwelling(value: str) -> bool:
    """Return whether a value tells what kind of home it is and not where."""
    return value == value.lower() and "home" in domains_of(value)


def _value_kind(value: str) -> str:
    kinds = kinds_of(value)
    for kind in ("date", "weekday", "time"):
        if kind in kinds:
            return "date"
    if kinds:
        return "number"
    if value[:1].isupper():
        return "name"
    return "noun" if word_bag(value) else ""
