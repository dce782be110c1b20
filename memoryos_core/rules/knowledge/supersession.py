"""Decide what a new statement does to an old one.

Slots decide first. A change that is told without its slot needs three things: words of a change, the same person, and
a part of life or a word in common. What is only probable is kept and disputed.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache
from typing import Literal

from memoryos_core.rules.knowledge.clauses import LONGEST, USER, Clause, clauses_of, normalise
from memoryos_core.rules.knowledge.domains import (
    ADDITION,
    BEGUN,
    CHANGE,
    CORRECTION,
    ENDED,
    RECENT,
    REVISED,
    domains_of,
    kinds_of,
    measures_of,
    without_values,
)
from memoryos_core.rules.knowledge.slots import Slot, slots_of
from memoryos_core.rules.text.words import terms

__all__ = ["Verdict", "compare"]

Verdict = Literal["replaces", "retires", "adds", "repeats", "disputes", "unrelated"]

# Attributes with one value at a time, whatever kind of value is given.
_SINGLE = frozenset(
    """home occupation employer name age diet relationship phone email wedding birthday budget deadline""".split()
)
# They exclude each other: a new job ends the old employer, a vegan eats no meat.
_SAME_FIELD = (frozenset(("occupation", "employer", "studies")), frozenset(("diet", "food")))
_PERMANENT = frozenset(("allergy", "instruction"))
_TYPED = re.compile(r"[a-z]+(?:s|ed)(?: (?:in|at|for|to))? [a-z]+$")
_STATE = re.compile(
    r"\b(?:born|visited|went|was|were|bought|travell?ed|met|saw|had|did|used to|spent|finished|attended|won|made|took)\b", re.IGNORECASE
)
_FROM_TO = re.compile(
    r"\b(?:switch(?:ed|es|ing)?|chang(?:ed|es|ing)|mov(?:ed|es|ing)|went|migrated|convert(?:ed|ing)) (?:over )?from (?P<old>.{2,60}?) to "
    r"|\b(?:replac(?:ed|es|ing)) (?!by |with )(?P<old2>[\w' -]{2,60}?) (?:with|by) "
    r"|\b(?:instead of|in place of|anstelle von|statt|au lieu de?|en lugar de|en vez de) (?P<old3>[\w' -]{2,60})"
    r"|\b(?:swapped|traded|exchanged|ditched|dropped|left|gave up) (?:my |the |our )?(?P<old5>[\w' -]{2,40}?) for "
    r"|\b(?:von|de) (?P<old4>[\w-]{2,40}) (?:auf|zu|à|a) [\w-]+ (?:gewechselt|umgestiegen)",
    re.IGNORECASE,
)
_INSTRUCTION = re.compile(r"(?:please |from now on,? )?(?:always|never|do not|don't) ", re.IGNORECASE)
_OWN = re.compile(r"(?:my|our|the user's|mein|meine|mon|ma|mi)\b", re.IGNORECASE)
_REPLACED_BY = re.compile(r"\b(?:replaced|superseded|followed) by (?P<heir>[^.;,]{2,60})", re.IGNORECASE)
_HEAD = re.compile(
    r"\s(?:(?:is|are|was|were|has|have|had|will|can|does|did|do|says?|now|went|broke|got|goes|gave|made|came|ran|fell|costs?|still"
    r"|just|also)\b|\w+(?:ed|es)\b)"
)
_CAPITALS = re.compile(r"(?<=\s)[A-Z]\w{2,}")
_SHORT = 9
"""Content words of a statement that says one thing."""
_STEM = 4  # letters; "teacher" and "teaching" are one matter by the first five
_TINY = 5
_CORE = 10
"""Words behind the subject that say what a statement is about."""
_FIELDS = {"occupation": "job", "employer": "job", "studies": "job", "food": "diet", "habit": "diet"}
_LONG = 20
_ALIKE = 3
# Parts of life that many sentences touch: a word of them and a word of change are not enough.
_BROAD = frozenset("meeting money health travel party sport hobby contact stage device language".split())
_NEVER = re.compile(r"\b(?:I|user|\w+) (?:have|has) never\b|\bnever (?:have|has|did)\b|\bnever\b", re.IGNORECASE)
_PLAIN = frozenset("now instead longer more use new live work the user said say get go like".split())


def compare(old: str, new: str, names: Collection[str] = ()) -> Verdict:
    """Return what `new`, said after `old`, does to it.

    "replaces" gives the slot another value; "retires" says that `old` no longer holds; "adds" is one more value;
    "disputes" contradicts `old` without a word of a change. Anything else is "repeats" or "unrelated".
    """
    return _compare(old[:LONGEST], new[:LONGEST], tuple(names))


def _compare(old: str, new: str, names: tuple[str, ...]) -> Verdict:
    if _bag(old) == _bag(new) and normalise(old).lower() == normalise(new).lower():
        return "repeats"
    by_slot = _compare_slots(old, new, names)
    if by_slot is not None and by_slot != "adds":
        return by_slot
    by_words = _compare_words(old, new, names)
    return by_words or by_slot or "unrelated"


# ------------------------------------------------------------------------------------------------ by slots


def _compare_slots(old: str, new: str, names: tuple[str, ...]) -> Verdict | None:
    found: list[Verdict] = []
    for later in slots_of(new, names):
        for earlier in slots_of(old, names):
            if not _same_person(earlier.subject, later.subject, old, new, names):
                continue
            verdict = _compare_pair(earlier, later, old, new)
            if verdict is not None:
                found.append(verdict)
    order: tuple[Verdict, ...] = ("replaces", "retires", "repeats", "disputes", "adds", "unrelated")
    return min(found, key=order.index, default=None)


def _compare_pair(earlier: Slot, later: Slot, old: str, new: str) -> Verdict | None:
    if earlier.attribute != later.attribute:
        return _compare_fields(earlier, later)
    if earlier.negated and not later.negated:
        return "replaces" if _same_value(earlier, later) else None
    if later.negated:
        return ("repeats" if earlier.negated else "retires") if _same_value(earlier, later) else None
    if _same_value(earlier, later):
        return "repeats"
    if later.many:
        if later.attribute in _PERMANENT or ADDITION.search(new) or later.attribute in {"likes", "plays", "language"}:
            return "adds"
        return "replaces" if later.attribute == "vehicle" and CHANGE.search(new) else "adds"
    if ADDITION.search(new) and later.attribute not in {"home", "name", "age"}:
        return "adds"
    return "replaces" if _is_single(earlier, later, new) else None


def _compare_fields(earlier: Slot, later: Slot) -> Verdict | None:
    if earlier.attribute == "food" and later.attribute == "diet" and not later.negated:
        plants = later.value.lower().startswith(("vega", "vege", "plant", "végé", "véga"))
        animal = {"diet"} <= domains_of(earlier.value)
        return "replaces" if plants and animal and not earlier.negated else None
    return None


def _same_value(earlier: Slot, later: Slot) -> bool:
    a, b = _bag(earlier.value), _bag(later.value)
    if later.negated:
        return bool(b) and bool(a & b)
    return a == b if a or b else earlier.value.lower() == later.value.lower()


def _is_single(earlier: Slot, later: Slot, new: str) -> bool:
    """Whether the attribute has one value at a time, and the two values are of one kind."""
    attribute = later.attribute
    if attribute in _SINGLE or attribute.startswith("favourite "):
        return True
    if " of " in attribute or " " in attribute and attribute.split(" ")[0] in {"is", "are", "was", "were"} or _TYPED.match(attribute):
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


# ------------------------------------------------------------------------------------------------ by words


@lru_cache(maxsize=16_384)
def _bag(text: str) -> frozenset[str]:
    return frozenset(terms(text))


def _compare_words(old: str, new: str, names: tuple[str, ...]) -> Verdict | None:
    """Compare statements by words of change, end and correction in the clauses about the same person."""
    if _denies(old, new):
        return "disputes"
    heir = _REPLACED_BY.search(old)
    if heir is not None and (wanted := _bag(heir["heir"])) and 2 * len(wanted & _bag(new)) > len(wanted):
        return "replaces"  # the old statement itself names what came after it
    if _counts_anew(old, new, names):
        return "replaces"
    first = _state_clause(old, names)
    if first is None or ENDED.search(first.text):
        return None
    if _leaves(old, new, first, names):
        return "replaces"
    corrected = CORRECTION.search(normalise(new)) is not None
    about = [
        c
        for c in clauses_of(new, names)
        if c.holds
        and (
            _same_person(first.subject, c.subject, old, new, names)
            or _is_named(c.subject, old)
            or (corrected and c.subject == "?")
        )
    ]
    text = ". ".join(c.text for c in about)
    if not about or (ADDITION.search(text) and not ENDED.search(text)):
        return None
    changed = CHANGE.search(text) is not None or corrected
    if REVISED.search(text) and _matter(old, first) & _matter(new, first):
        return "replaces"
    if _is_diff(old, new):
        return "replaces"
    several = any(slot.many for slot in slots_of(old, names))
    if changed and not several and _is_diff(old, new, any_kind=True):
        return "replaces"
    instruction = _INSTRUCTION.match(old) is not None
    if ended := _ends(old, about, first):
        return "retires" if instruction or not changed else ended
    about = [c for c in about if not _is_other(c, old) and not (first.possessive and c.possessive and _is_other(first, new))]
    text = ". ".join(c.text for c in about)
    changed = CHANGE.search(text) is not None or corrected
    if instruction or _INSTRUCTION.match(new) or not about:
        return None
    if changed and _same_kind(old, text) and _is_close(old, text, first, corrected):
        return "replaces"
    if kinds_of(old) and kinds_of(text) and not _same_kind(old, text):
        return None
    return _compare_domains(old, about, first, corrected)


def _counts_anew(old: str, new: str, names: tuple[str, ...]) -> bool:
    """Whether both statements count the same things and `new` gives another number as the latest."""
    if CHANGE.search(new) is None and RECENT.search(new) is None:
        return False
    same = any(a != b and unit & other for a, unit in measures_of(old) for b, other in measures_of(new))
    if not same:
        return False
    before, after = clauses_of(old, names), clauses_of(new, names)
    if not any(_same_person(a.subject, b.subject, old, new, names) for a in before for b in after if b.holds):
        return False
    one, two = _matter(old, before[0]), _matter(new, after[0])
    shared = one & two
    return len(shared) >= _ALIKE and 5 * len(shared) >= 2 * min(len(one), len(two))


def _ends(old: str, about: list[Clause], first: Clause) -> Verdict | None:
    """Return a verdict where a clause says that something came to its end, and names it with the words of `old`."""
    known = _bag(old) - _bag(first.subject) - _PLAIN
    for clause in about:
        if ENDED.search(clause.text) is None:
            continue
        matter = _bag(clause.text) - _bag(first.subject) - _PLAIN
        shared = {word for word in matter if word in known or any(word[:5] == k[:5] for k in known if len(k) > _STEM)}
        name = any(re.search(rf"(?<=\s){re.escape(w)}\b", old) for w in _CAPITALS.findall(clause.text))
        if shared and (3 * len(shared) >= len(matter) or name) and 4 * len(shared) >= len(known):
            return "replaces" if CHANGE.search(clause.text) else "retires"
    return None


def _is_named(subject: str, text: str) -> bool:
    """Whether a text names the person or thing that another one is about."""
    return subject not in {"", "?", USER} and re.search(rf"\b{re.escape(subject)}\b", text, re.IGNORECASE) is not None


def _is_other(clause: Clause, old: str) -> bool:
    """Whether a clause is about a thing of the user that `old` does not name: "my other bill went up"."""
    if not clause.possessive or clause.kin or not _OWN.match(clause.text):
        return False
    head = _HEAD.split(clause.rest, maxsplit=1)[0]
    return not _bag(head) <= _bag(old) and not re.match(r"(?:first|second|new)\b", head)


def _same_kind(old: str, new: str) -> bool:
    """Whether both statements hold a date, a time or a number; a bare number may be an amount of money."""
    before, after = kinds_of(old), kinds_of(new)
    return bool(before & after) or ("money" in before and "number" in after and "money" in domains_of(new))


def _is_close(old: str, new: str, first: Clause, corrected: bool) -> bool:  # noqa: FBT001 - a fact about `new`
    """Whether two statements with values of one kind speak of the same matter."""
    a, b = _matter(old, first), _matter(new, first)
    shared = a & b
    least = min(len(a), len(b))
    if not shared:
        if first.subject not in {"", "?", USER} and len(a) <= _TINY:
            return bool(kinds_of(old) & kinds_of(new) & {"weekday", "time"})
        return least <= _SHORT and len(a) <= _SHORT and bool(domains_of(old) & domains_of(new))
    return 2 * len(shared) >= least and (len(shared) > 1 or least <= 2 or corrected or len(a) <= _SHORT)


def _matter(text: str, first: Clause) -> frozenset[str]:
    return _bag(without_values(CHANGE.sub(" ", text))) - _bag(f"{first.subject} {first.kin}") - _PLAIN


def _compare_domains(old: str, about: list[Clause], first: Clause, corrected: bool) -> Verdict | None:  # noqa: FBT001
    """Compare a short statement of how things are with the news of a change in the same part of life."""
    if len(_bag(old)) > _SHORT:
        return None
    core = " ".join(first.rest.split(",")[0].split()[:_CORE])
    known = domains_of(core) | {_FIELDS.get(slot.attribute, slot.attribute) for slot in slots_of(old)}
    text = ". ".join(c.text for c in about)
    if len(_bag(text)) > _LONG:
        return None
    shared = known & domains_of(text)
    if corrected and shared:
        return "replaces"
    for domain, begun in BEGUN.items():
        if domain in known and begun.search(text) and (domain in shared or domain in {"job", "home"}):
            return "replaces"
    shared_words = bool(_matter(old, first) & _matter(text, first))
    for clause in about:
        near = known & domains_of(clause.text)
        if near and ENDED.search(clause.text):
            return "replaces" if CHANGE.search(text) else "retires"
        if near and CHANGE.search(clause.text) and (shared_words or len(near) > 1 or near - _BROAD):
            return "replaces"
    return "replaces" if shared_words and shared and CHANGE.search(text) else None


def _state_clause(text: str, names: tuple[str, ...]) -> Clause | None:
    """Return the first clause that states how things are; None where the statement tells of the past or of nothing."""
    for clause in clauses_of(text, names):
        if clause.holds and not _STATE.search(clause.text):
            return clause
    return None


def _same_person(earlier: str, later: str, old: str, new: str, names: tuple[str, ...]) -> bool:
    if earlier == later:
        return True
    if {earlier, later} <= {"", USER}:
        return True
    if later in {"", "?"}:
        return bool(earlier) and earlier in normalise(new).lower()
    # "Sister" and "Imogen" are one where one statement names both.
    kin = {c.kin: c.subject for c in (*clauses_of(old, names), *clauses_of(new, names)) if c.kin}
    return kin.get(earlier) == later or kin.get(later) == earlier


def _leaves(old: str, new: str, first: Clause, names: tuple[str, ...]) -> bool:
    """Whether `new` says that something moved away from what `old` states: "switched from Vim to Zed"."""
    for clause in clauses_of(new, names):
        if not clause.holds:
            continue
        if clause.subject and not (
            _same_person(first.subject, clause.subject, old, new, names) or _is_named(first.subject, new)
        ):
            continue
        for match in _FROM_TO.finditer(clause.text):
            left = _bag(next(group for group in match.groups() if group))
            if left and left <= _bag(old) and not left <= _PLAIN:
                return True
    return False


def _denies(old: str, new: str) -> bool:
    """Whether one of two statements says "never" of what the other tells."""
    if bool(_NEVER.search(old)) == bool(_NEVER.search(new)):
        return False
    denial, told = (new, old) if _NEVER.search(new) else (old, new)
    wanted = _bag(denial) - _PLAIN - {"never", "ani"}
    return len(wanted & _bag(told)) >= max(1, (len(wanted) + 1) // 2)


def _words(text: str) -> list[str]:
    return [w for w in re.findall(r"[\w@.'-]+", CORRECTION.sub(" ", CHANGE.sub(" ", text)).lower()) if w.strip(".'-")]


def _edges(a: list[str], b: list[str]) -> tuple[int, int]:
    start = 0
    while start < min(len(a), len(b)) and a[start] == b[start]:
        start += 1
    end = 0
    while end < min(len(a), len(b)) - start and a[-1 - end] == b[-1 - end]:
        end += 1
    return start, end


def _is_diff(old: str, new: str, *, any_kind: bool = False) -> bool:
    """Whether the statements have the same words but for one value of the same kind."""
    a, b = _words(normalise(old)), _words(normalise(new))
    start, end = _edges(a, b)
    if start < 2 or start + end < 3:
        return False
    before, after = " ".join(a[start : len(a) - end]), " ".join(b[start : len(b) - end])
    if not before or not after or max(before.count(" "), after.count(" ")) > 5:
        return False
    if any_kind:
        return start + end >= _ALIKE and before.count(" ") + after.count(" ") <= _TINY - 2
    alone = not _bag(without_values(before)) and not _bag(without_values(after))
    return alone and bool(kinds_of(before) & kinds_of(after))
