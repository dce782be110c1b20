"""Facts that were found, compared with those that are known: the same, news, or a change of what held."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import lru_cache
from itertools import islice

from memoryos_core.rules.knowledge.domains import CORRECTION, REVISED
from memoryos_core.rules.knowledge.news import is_bare_correction, is_news_of, is_same_kind
from memoryos_core.rules.knowledge.slots import key_of
from memoryos_core.rules.knowledge.supersession import compare
from memoryos_core.rules.knowledge.things import changes_thing
from memoryos_core.rules.text.words import terms
from memoryos_core.values.dialogue import Vector
from memoryos_core.values.facts import Fact

# Without an embedder, two wordings that share this part of their terms count as the same.
_SAME_WORDS = 0.85
# What a key of facts begins with that many facts share: a part of life, a kind of value, a word.
_BROAD = frozenset("~#=")
_NAME_AND_ONE = 2
_JUST = timedelta(hours=1)
_PERSONAL_TEXT = "home occupation employer studies diet food habit relationship phone email vehicle possession"
_PERSONAL = frozenset(_PERSONAL_TEXT.split())
_OVER = frozenset(("replaces", "retires"))
# A slot may hold ten thousand values: as many of them are compared with a new one.
_RIVALS_AT_MOST = 500


@dataclass(frozen=True, slots=True)
class Candidate:
    """A fact somebody found, the known facts it replaces, and its vector when an embedder gave one."""

    fact: Fact
    replaces: str | None = None
    vector: Vector | None = field(default=None, compare=False)
    also_replaces: tuple[str, ...] = ()


class KnownFacts:
    """The known facts, ready to be compared: their terms and slots are worked out once.

    `history` are facts that were replaced: a statement of an earlier time may belong between them. `names` are what
    the user is called.
    """

    def __init__(self, facts: Sequence[Fact], history: Sequence[Fact] = (), names: Iterable[str] = ()) -> None:
        self._names = tuple(sorted({*names}))
        self.facts: dict[str, Fact] = {}
        self.vectors: dict[str, Vector] = {}
        self._texts: dict[tuple[str, str], str] = {}
        self._by_term: dict[str, dict[str, None]] = {}
        self._by_key: dict[str, dict[str, Fact]] = {}
        self._places: dict[str, int] = {}
        current = {fact.id for fact in facts}
        for fact in sorted((*facts, *history), key=lambda f: f.seq):
            if fact.id in current:
                self._add(fact)
            else:
                self.file(fact)

    def learn(self, candidate: Candidate) -> None:
        """Add the candidate to the known facts."""
        self._add(candidate.fact)
        if candidate.vector is not None:
            self.vectors[candidate.fact.id] = candidate.vector

    def file(self, fact: Fact) -> None:
        """Add a fact that no longer holds: only its place in time counts."""
        self._places.setdefault(fact.id, len(self._places))
        for key in keys_of(fact.text, self._names):
            self._by_key.setdefault(key, {})[fact.id] = fact

    def drop(self, fact_id: str) -> None:
        """Remove a fact that no longer holds, so that an equal statement is new again."""
        fact = self.facts.pop(fact_id)
        if self._texts.get((fact.about, fact.text)) == fact_id:
            del self._texts[fact.about, fact.text]

    def twin(self, candidate: Candidate, same_fact: float) -> str | None:
        """The id of a known fact that says the same, by its words or by its vector; not of one that it replaces."""
        new = candidate.fact
        same = self._texts.get((new.about, new.text))
        if same is not None:
            return same
        wanted = terms_of(new.text)
        sharing = Counter(i for term in sorted(wanted) for i in self._by_term.get(term, ()))
        near = self.facts if candidate.vector is not None and self.vectors else sharing
        for fact_id in near:
            fact = self.facts.get(fact_id)
            if fact is None or fact.about != new.about or fact_id == candidate.replaces:
                continue
            shared = sharing[fact_id]
            alike = shared >= _SAME_WORDS * (len(wanted) + len(terms_of(fact.text)) - shared)
            if not alike and candidate.vector is not None:
                alike = cosine(self.vectors.get(fact_id), candidate.vector) >= same_fact
            if alike and not (self._ends(fact, new) or self._ends(new, fact)):
                return fact_id
        return None

    def place_in_time(self, candidate: Candidate) -> Candidate:
        """Return the candidate with the facts it replaces, or as history when one that was said later replaces it.

        What was said later stands, whichever was read first (ADR 0027).
        """
        new = candidate.fact
        before: list[Fact] = []
        after: list[Fact] = []
        for fact in self._rivals(new):
            if fact.about != new.about or fact.id == new.id:
                continue
            if fact.valid_from > new.valid_from:
                if self._ends(new, fact):
                    after.append(fact)
            elif fact.id in self.facts and self._ends(fact, new):
                before.append(fact)
        before = self._of_one_change(before, new) or self._find_corrected(new)
        after = [f for f in after if self._of_one_change([new], f)] or self._find_correction(new)
        if after:
            heir = min(after, key=self._order)
            over = replace(new, status="superseded", valid_until=heir.valid_from, superseded_by=heir.id)
            return replace(candidate, fact=over, also_replaces=tuple(f.id for f in before))
        ids = [f.id for f in before]
        return replace(candidate, replaces=ids[0], also_replaces=tuple(ids[1:])) if ids else candidate

    def _find_corrected(self, new: Fact) -> list[Fact]:
        """Return what a correction with few words of its own is about: the last value of its kind, said just before."""
        if not is_bare_correction(new.text):
            return []
        just = [f for f in self.facts.values() if _is_just_before(f, new) and is_same_kind(f.text, new.text)]
        return sorted(just, key=lambda f: f.valid_from)[-1:]  # of one time, the one that was read last

    def _find_correction(self, new: Fact) -> list[Fact]:
        """Return the correction that was said just after the statement, and is read before it."""
        soon = [f for f in self.facts.values() if f.valid_from > new.valid_from and _is_just_before(new, f)]
        alike = sorted((f for f in soon if is_same_kind(new.text, f.text)), key=lambda f: f.valid_from)
        return alike[:1] if alike and is_bare_correction(alike[0].text) else []

    def _rivals(self, new: Fact) -> Iterable[Fact]:
        """Return the facts that may be about the same: the newest first of each key, narrow keys before broad ones."""
        found: dict[str, Fact] = {}
        for key in sorted(keys_of(new.text, self._names), key=lambda key: (key[:1] in _BROAD, key)):
            newest = islice(reversed(self._by_key.get(key, {}).values()), _RIVALS_AT_MOST)
            found.update((fact.id, fact) for fact in newest)
        return islice(found.values(), _RIVALS_AT_MOST)

    def _of_one_change(self, before: list[Fact], new: Fact) -> list[Fact]:
        """Return the facts of the slots that the new one fills; of those that only its words concern, the newest."""
        keys = _slot_keys(new.text, self._names)
        slots = {f.id: _slot_keys(f.text, self._names) for f in before}
        by_slot = [f for f in before if keys & slots[f.id]]
        by_words = [f for f in before if _is_personal(slots[f.id]) or _tells_of(f, new)]
        return by_slot or sorted(by_words, key=self._order)[-1:]

    def _ends(self, old: Fact, new: Fact) -> bool:
        """Return whether the old statement no longer holds once the new one was made."""
        return compare(old.text, new.text, self._names) in _OVER

    def _order(self, fact: Fact) -> tuple[datetime, int]:
        """Return the time of a fact, and its place among those learnt: ids are random."""
        return fact.valid_from, self._places.get(fact.id, len(self._places))

    def _add(self, fact: Fact) -> None:
        self.facts[fact.id] = fact
        self._texts[fact.about, fact.text] = fact.id
        for term in terms_of(fact.text):
            self._by_term.setdefault(term, {})[fact.id] = None
        self.file(fact)


def _is_just_before(old: Fact, new: Fact) -> bool:
    """Return whether one side said a statement within the hour before another one."""
    return old.about == new.about and timedelta() <= new.valid_from - old.valid_from <= _JUST


def _tells_of(old: Fact, new: Fact) -> bool:
    """Return whether a change that names no attribute is about the old statement: it shares words with it.

    What rules find in a conversation is full of "now" and "no longer"; what was told on purpose is said to be kept.
    """
    if new.origin != "rules" or is_same_kind(old.text, new.text):
        return True
    if is_news_of(old.text, new.text) or changes_thing(old.text, new.text):
        return True
    if CORRECTION.search(new.text) is not None:  # of what was just said
        return new.valid_from - old.valid_from <= _JUST
    shared = len(terms_of(old.text) & terms_of(new.text))
    if REVISED.search(new.text) is not None:
        return shared > 0
    return shared >= _NAME_AND_ONE + (new.kind != "change")


def _is_personal(keys: Collection[str]) -> bool:
    """Return whether a statement fills a slot of a person's life, which news may be about without its words."""
    return any(key.rpartition("/")[2] in _PERSONAL for key in keys)


def _slot_keys(text: str, names: tuple[str, ...]) -> frozenset[str]:
    return frozenset(key for key in keys_of(text, names) if key[:1] not in _BROAD)


@lru_cache(maxsize=16_384)
def keys_of(text: str, names: tuple[str, ...]) -> frozenset[str]:
    """Return what a fact must share with another one to be compared with it."""
    return key_of(text, names)


@lru_cache(maxsize=16_384)
def terms_of(text: str) -> frozenset[str]:
    """Return the different terms of a text."""
    return frozenset(terms(text))


def overlap(a: frozenset[str], b: frozenset[str]) -> float:
    """Return the Jaccard index of two sets of terms."""
    return len(a & b) / len(a | b) if a and b else 0.0


def cosine(a: Vector | None, b: Vector) -> float:
    """Return the cosine of unit vectors; -1 where one is missing."""
    return float(a @ b) if a is not None and a.shape == b.shape else -1.0
