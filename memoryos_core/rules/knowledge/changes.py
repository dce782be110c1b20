"""Compare statements by the words that tell of a change, an end or a correction.

A change that is told without its attribute needs words of a change, the same person, and a part of life, a kind of
value or words in common.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from memoryos_core.rules.knowledge.clauses import UNRESOLVED, USER, Clause, clauses_of, is_same_person
from memoryos_core.rules.knowledge.domains import (
    ADDITION,
    BEGUN,
    CHANGE,
    CORRECTION,
    ENDED,
    RECENT,
    REVISED,
    domains_of,
    plain_senses,
)
from memoryos_core.rules.knowledge.measures import kinds_of, measures_of, without_values
from memoryos_core.rules.knowledge.news import (
    BROAD,
    FROM_TO,
    PLAIN,
    denies,
    is_news,
    is_one_of_several,
    is_open,
    is_over_or_turned,
    is_same_kind,
    life_of,
    names_heir,
    only_wonders,
    without_unreal,
    word_bag,
)
from memoryos_core.rules.knowledge.outcomes import has_outcome
from memoryos_core.rules.knowledge.phrases import normalise
from memoryos_core.rules.knowledge.replacements import names_replaced
from memoryos_core.rules.knowledge.rescheduling import resumes
from memoryos_core.rules.knowledge.slots import slots_of
from memoryos_core.rules.knowledge.things import (
    is_limited,
    is_of_another,
    is_of_another_turn,
    is_of_other_thing,
    is_passing,
    names_other_of_kind,
    only_moves,
)
from memoryos_core.rules.knowledge.turns import keeps_the_rest
from memoryos_core.rules.knowledge.wording import is_alike, is_diff
from memoryos_core.rules.text.words import matches, regex

__all__ = ["Verdict", "compare_words"]

Verdict = Literal["replaces", "retires", "adds", "repeats", "disputes", "unrelated"]

_STATE = regex(
    r"\b(?:born|been to (?-i:[A-Z])\w*|visited|went|was|were|bought|travell?ed|met|saw|had|did|used to|spent|finished"
    r"|attended|won|made|took)\b",
    re.IGNORECASE,
)
# What somebody did once, right behind the subject: news of another time do not end it, and it ends nothing.
_ONCE = (
    r"(?:came (?:back )?home|cooked|baked|watched|walked|danced|ate|drank|slept|woke|laughed|cried|celebrated|washed)\b"
)
_THEN = r"(?:(?:just|also|then|recently|finally|already|really|even) )*"
_ACT = regex(_THEN + _ONCE, re.IGNORECASE)
_EVENT = regex(
    rf"{_THEN}(?:{_ONCE}|(?:talked|chatted|called(?! off)|texted|wrote|heard|told|said|asked|showed|sent|ran(?! out)"
    r"|felt|enjoyed|helped|cleaned|dropped by|got (?:an?|the|some|new))\b)",
    re.IGNORECASE,
)
_OWN_THING = regex(r"(?:[a-z]+ ){1,3}?(?=got (?:an?|the|some|new)\b)")
_INSTRUCTION = regex(r"^(?:please |from now on,? )?(?:always|never|do not|don't) ", re.IGNORECASE)
_JOB_ENDED = regex(
    r"\b(?:stopped|quit|left|lost|gave up|given up|packed in)\b[^.;,]{0,40}\b(?:job|shifts?|position)\b", re.IGNORECASE
)
_EATS_AGAIN = regex(
    r"\b(?:again|meat|chicken|beef|fish|eggs|dairy(?! queen)|everything|went|gone|vegan|diet)\b", re.IGNORECASE
)
_CAPITALS = regex(r"(?<=\s)[A-Z]\w{2,}")
_GONE = regex(r"\b(?:died(?! laughing)|passed away|ran away|gestorben|est morte?|murió)\b", re.IGNORECASE)
_SHORT, _LONG = 9, 20  # content words of a statement that says one thing, and of news that say little else
_STEM = 4  # letters; "teacher" and "teaching" are one matter by the first five
_TWO, _ALIKE, _FEW = 2, 3, 5
# What is saved for, booked or due is changed by its own words alone.
_AIM = regex(r"\b(?:sav(?:es?|ing) (?:up )?for|booked|is due (?:on|in|by|at))\b", re.IGNORECASE)
_DENIED = regex(r"\b(?:not|never|no longer)\b|n't\b", re.IGNORECASE)
_REASON = regex(
    r"(?<=\w),? (?:due to|because|after \w+ing|since \w+ing|as a result of|thanks to)\b.*$", re.IGNORECASE | re.DOTALL
)
_LIGHT = word_bag("call take make do have give keep put up off out down on in over away back")  # they name no matter
_CORE = 10  # words behind the subject that say what a statement is about
_FIELDS = {"occupation": "job", "employer": "job", "studies": "job", "food": "diet"}
_KNOWN_FIELDS = frozenset(
    ("home", "job", "diet", "relationship", "name", "age", "allergy", "phone", "email", "vehicle")
)
_TOLD_ALONE = frozenset(("job", "home"))  # their beginnings name no other part of life


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two statements with what the rules ask of them.

    `first` is the clause of `old` that states how things are, `about` the clauses of `new` about the same person or
    thing, and `text` those clauses.
    """

    old: str
    new: str
    names: tuple[str, ...]
    first: Clause
    about: tuple[Clause, ...]
    text: str
    corrected: bool

    @property
    def changed(self) -> bool:
        return self.corrected or matches(CHANGE, self.text)


def _text_of(clauses: Iterable[Clause]) -> str:
    return ". ".join(clause.text for clause in clauses)


def compare_words(old: str, new: str, names: tuple[str, ...]) -> Verdict | None:
    """Compare statements by words of change, end and correction in the clauses about the same person."""
    told = without_unreal(new)
    if keeps_the_rest(old, told):
        return None
    if names_replaced(old, told, names) or resumes(old, told) or has_outcome(old, told):
        return "replaces"
    if not (is_news(new) or is_open(old) or is_alike(old, new)):
        return None  # what most pairs are; the rest costs a hundred times as much
    if denies(old, new):
        return "disputes"
    if names_heir(old, told) or _counts_anew(old, told, names):
        return "replaces"
    pair = _pair(old, told, names)
    return _compare_changes(pair) if pair is not None else None


def _compare_changes(pair: _Pair) -> Verdict | None:
    """Compare statements of which the older one states how things are."""
    if _leaves(pair):
        # "I am not giving up" goes with "instead of giving up".
        return None if matches(_DENIED, pair.first.rest) else "replaces"
    if not pair.about or (matches(ADDITION, pair.text) and not matches(ENDED, pair.text)):
        return None
    if _revises(pair):
        return "replaces"
    if ended := _ends(pair):
        return "retires" if matches(_INSTRUCTION, pair.old) else ended
    return _compare_news(pair)


def _pair(old: str, new: str, names: tuple[str, ...]) -> _Pair | None:
    """Return the pair, or None where `old` states nothing that could change."""
    first = _state_clause(old, names)
    if first is None or matches(ENDED, first.text):
        return None
    corrected = matches(CORRECTION, normalise(new))
    about = [
        clause
        for clause in clauses_of(new, names)
        if clause.holds
        and (
            is_same_person(first.subject, clause.subject, old, new, names)
            or _is_named(clause.subject, old)
            or (corrected and clause.subject == UNRESOLVED)
        )
        and (corrected or not (is_of_other_thing(old, first, clause) or is_limited(old, clause.text)))
        and not (only_moves(old, clause.text) or is_passing(clause.text) or _ACT.match(clause.rest))
    ]
    return _Pair(old, new, names, first, tuple(about), _text_of(about), corrected)


def _revises(pair: _Pair) -> bool:
    """Return whether a judgement is taken back, or the same words are said with another value."""
    if matches(REVISED, pair.text) and _matter(pair.old, pair.first, pair.names) & _matter(
        pair.new, pair.first, pair.names
    ):
        return True
    if is_diff(pair.old, pair.new):
        return True
    several = any(slot.many for slot in slots_of(pair.old, pair.names))
    return pair.changed and not several and is_diff(pair.old, pair.new, any_kind=True)


def _compare_news(whole: _Pair) -> Verdict | None:
    """Compare by a value of the same kind, then by the part of life that the news is about."""
    first = whole.first
    if matches(_INSTRUCTION, whole.old) or matches(_INSTRUCTION, whole.new):
        return None
    about = [
        clause
        for clause in whole.about
        if not is_of_another(clause, whole.old)
        and not (first.possessive and clause.possessive and is_of_another(first, whole.new))
    ]
    pair = whole if len(about) == len(whole.about) else replace(whole, about=tuple(about), text=_text_of(about))
    same_kind = is_same_kind(pair.old, pair.text)
    if pair.changed and same_kind and _is_close(pair) and not _repeats_values(pair.old, pair.text):
        return "replaces"
    if not same_kind and kinds_of(pair.old) and kinds_of(pair.text):
        return None
    return _compare_domains(pair)


def _counts_anew(old: str, new: str, names: tuple[str, ...]) -> bool:
    """Return whether both statements count the same things and `new` gives another number as the latest."""
    if not matches(CHANGE, new) and not matches(RECENT, new):
        return False
    if not _has_other_count(old, new) or is_of_another_turn(old, new):
        return False
    before, after = clauses_of(old, names), clauses_of(new, names)
    if not any(is_same_person(a.subject, b.subject, old, new, names) for a in before for b in after if b.holds):
        return False
    one, two = _matter(old, before[0], names), _matter(new, after[0], names)
    shared = one & two
    return len(shared) >= _ALIKE and 5 * len(shared) >= 3 * min(len(one), len(two))


def _has_other_count(old: str, new: str) -> bool:
    """Return whether both count the same things, each with a number that the other does not have of them."""
    before, after = measures_of(old), measures_of(new)
    return any(
        unit & other
        and a not in {n for n, counted in after if counted & unit}
        and b not in {n for n, counted in before if counted & other}
        for a, unit in before
        for b, other in after
    )


def _ends(pair: _Pair) -> Verdict | None:
    """Return a verdict where a clause says that something came to its end, and names it with the words of `old`."""
    first = pair.first
    ending = [clause for clause in pair.about if matches(ENDED, clause.text)]
    if not ending:
        return None
    who = word_bag(" ".join((first.subject, *pair.names))) | _LIGHT
    known = word_bag(pair.old) - who - PLAIN
    for clause in ending:
        near = _life_stated(pair.old, first.rest, pair.names) & life_of(clause.text)
        if names_other_of_kind(pair.old, clause.text, near):
            continue
        gone = matches(_GONE, clause.text) and _is_named(clause.subject, pair.old)
        matter = word_bag(clause.text) - who - PLAIN - (frozenset() if gone else word_bag(clause.subject))
        shared = {word for word in matter if word in known or any(word[:5] == k[:5] for k in known if len(k) > _STEM)}
        name = gone or any(re.search(rf"(?<=\s){re.escape(w)}\b", pair.old) for w in _CAPITALS.findall(clause.text))
        if shared and (3 * len(shared) >= len(matter) or name) and 4 * len(shared) >= len(known):
            return "replaces" if pair.changed and matches(CHANGE, clause.text) else "retires"
    return None


def _is_named(subject: str, text: str) -> bool:
    """Return whether a text names the person or thing that another one is about."""
    return (
        subject not in {"", UNRESOLVED, USER}
        and re.search(rf"\b{re.escape(subject)}\b", text, re.IGNORECASE) is not None
    )


def _repeats_values(old: str, new: str) -> bool:
    """Return whether news has a number of the older statement again, and tells of no turn from one to another."""
    return not (matches(FROM_TO, new) or set(measures_of(old)).isdisjoint(measures_of(new)))


def _is_close(pair: _Pair) -> bool:
    """Return whether two statements with values of one kind speak of the same matter."""
    stated = _REASON.sub("", pair.old)  # "after a meeting with Ana" tells of no meeting that could be moved
    a, b = _matter(stated, pair.first, pair.names), _matter(pair.text, pair.first, pair.names)
    shared, least, short = len(a & b), min(len(a), len(b)), len(a) <= _SHORT
    if shared:
        return 2 * shared >= least and (shared > 1 or least <= _TWO or pair.corrected or short)
    if pair.first.subject not in {"", UNRESOLVED, USER} and len(a) <= _FEW:
        return bool(kinds_of(pair.old) & kinds_of(pair.text) & {"weekday", "time"})
    told = pair.text if b else pair.new  # "I got a raise, I am on 52,000 now": what the value is of stands before it
    return short and bool(domains_of(pair.old) & domains_of(told))


def _matter(text: str, first: Clause, names: tuple[str, ...]) -> frozenset[str]:
    return _plain_matter(text) - word_bag(" ".join((first.subject, first.kin, *names)))


@lru_cache(maxsize=16_384)
def _plain_matter(text: str) -> frozenset[str]:
    return word_bag(without_values(CHANGE.sub(" ", text) if matches(CHANGE, text) else text)) - PLAIN


def _compare_domains(pair: _Pair) -> Verdict | None:
    """Compare a short statement of how things are with the news of a change in the same part of life."""
    known = _life_stated(pair.old, pair.first.rest, pair.names)
    told = life_of(pair.text).union(*(life_of(clause.text) for clause in pair.about))
    if known.isdisjoint(told) and known.isdisjoint(_TOLD_ALONE):
        return None
    shared_words = bool(_matter(pair.old, pair.first, pair.names) & _matter(pair.text, pair.first, pair.names))
    stays = not shared_words and matches(_AIM, pair.first.text)
    stays = stays or (is_one_of_several(pair.first.text) and not (pair.corrected or is_over_or_turned(pair.text)))
    if len(word_bag(pair.first.text)) > _SHORT or len(word_bag(pair.text)) > _LONG or only_wonders(pair.text) or stays:
        return None
    if _in_other_field(pair):
        return None
    shared = known & life_of(pair.text)
    # "I retired, I paint now" ends the job, and no music.
    own = (c.text for c in pair.about if not (life_of(c.text) and known.isdisjoint(life_of(c.text))))
    turned = pair.corrected or (pair.changed and (shared_words or any(matches(ENDED, text) for text in own)))
    if (shared and turned) or _begins(pair.text, known, shared):
        return "replaces"
    return next(
        filter(None, (_compare_clause(pair, clause, known, shared=shared_words) for clause in pair.about)), None
    )


def _compare_clause(pair: _Pair, clause: Clause, known: frozenset[str], *, shared: bool) -> Verdict | None:
    near, ended = known & life_of(clause.text), matches(ENDED, clause.text)
    # Another course or service takes the place of the first.
    is_one = "streaming" in near or any(slot.attribute == "studies" for slot in slots_of(pair.old, pair.names))
    if (ended or not is_one) and names_other_of_kind(pair.old, clause.text, near):
        return None
    if near and ended:
        return "replaces" if pair.changed else "retires"
    if near and matches(CHANGE, clause.text) and (shared or len(near) > 1 or near - BROAD):
        return "replaces"
    return None


@lru_cache(maxsize=16_384)
def _life_stated(old: str, rest: str, names: tuple[str, ...]) -> frozenset[str]:
    """Return the parts of life of a statement; a word of one it fills names no other, nor does "officially"."""
    fields = frozenset(_FIELDS.get(slot.attribute, slot.attribute) for slot in slots_of(old, names))
    found = map(domains_of, (w for w in plain_senses(rest).split(",")[0].split()[:_CORE] if w[-5:] != "ially"))
    return fields.union(*(d if d.isdisjoint(fields) else d & fields for d in found))


def _in_other_field(pair: _Pair) -> bool:
    """Return whether each statement fills a slot of ours, in parts of life that differ: a home and a diet."""
    studies = {slot.attribute for slot in slots_of(pair.old, pair.names)} & {"studies", "school"}
    if studies and matches(_JOB_ENDED, pair.text):
        return True  # it was no course
    diets = [slot for slot in slots_of(pair.old, pair.names) if slot.attribute == "diet"]
    if (
        diets
        and not matches(_EATS_AGAIN, pair.text)
        and not any(word_bag(d.value) & word_bag(pair.text) for d in diets)
    ):
        return True  # who stops eating crisps is vegan still
    before, after = (
        {_FIELDS.get(slot.attribute, slot.attribute) for slot in slots_of(text, pair.names)} & _KNOWN_FIELDS
        for text in (pair.old, pair.new)
    )
    return bool(before and after) and not before & after


def _begins(text: str, known: frozenset[str], shared: frozenset[str]) -> bool:
    """Return whether something begins that ends what was before: a first day at a desk, the keys to a flat."""
    return any(
        domain in known and (domain in shared or domain in _TOLD_ALONE) and matches(begun, text)
        for domain, begun in BEGUN.items()
    )


@lru_cache(maxsize=16_384)
def _state_clause(text: str, names: tuple[str, ...]) -> Clause | None:
    """Return the first clause that states how things are; None where the statement tells of the past or of nothing."""
    return next((c for c in clauses_of(text, names) if c.holds and not (matches(_STATE, c.text) or _is_event(c))), None)


def _is_event(clause: Clause) -> bool:
    """Return whether a clause tells what happened once: "Tom came home", "Tom's cats got a new basket"."""
    return _EVENT.match(_OWN_THING.sub("", clause.rest, count=1) if clause.possessive else clause.rest) is not None


def _leaves(pair: _Pair) -> bool:
    """Return whether `new` says that something moved away from what `old` states: "switched from Vim to Zed"."""
    known, who = word_bag(pair.old), pair.first.subject
    for clause in clauses_of(pair.new, pair.names):
        same = not clause.subject or _is_named(who, pair.new)
        if not clause.holds or not (same or is_same_person(who, clause.subject, pair.old, pair.new, pair.names)):
            continue
        if any(left <= known for left in _left_in(clause.text)):
            return True
    return False


@lru_cache(maxsize=16_384)
def _left_in(text: str) -> tuple[frozenset[str], ...]:
    """Return the words of what a clause moves away from."""
    left = (word_bag(next(group for group in match.groups() if group)) for match in FROM_TO.finditer(text))
    return tuple(words for words in left if not words <= PLAIN)
