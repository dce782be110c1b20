"""Long-term personal memory: the profile, traits, and facts about user and assistant (paper §3.3)."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from memoryos_core.config import LongTermConfig
from memoryos_core.ports import Clock, Store
from memoryos_core.ports.forks import Lock
from memoryos_core.rules.safety.access import rank
from memoryos_core.tiers.candidates import Candidate, KnownFacts
from memoryos_core.tiers.corrections import complete_correction, page_reader
from memoryos_core.tiers.drafts import drop_facts, hand_over, set_end, vectors_of
from memoryos_core.tiers.knowledge import FactIndex
from memoryos_core.tiers.likeness import keys_of, slot_keys
from memoryos_core.values.commands import Cursor, FactChange, Learning, VectorRow
from memoryos_core.values.dialogue import Scope
from memoryos_core.values.facts import About, Fact, Profile, ProfileField, Trait, Trust

OVERRIDES = "overrides"
"""The label of what a less trusted source would put in the place of a more trusted one's word."""

_REPLACED = frozenset(("superseded", "evicted"))
_TRUST = {"user": 1.0, "assistant": 0.6, "tool": 0.5, "document": 0.4}


# Scopes, and facts of all of them, that stay filed between readings: a fact takes some 2.5 KB. The last scope stays.
_SCOPES_AT_MOST, _FACTS_AT_MOST = 64, 20_000
# Facts whose visits are read at once.
_AT_ONCE = 64


@dataclass(slots=True)
class _Kept:
    """The facts of a scope as they were at a cursor. `asked` are those whose vectors were read."""

    cursor: Cursor
    index: FactIndex
    asked: set[str] = field(default_factory=set[str])


class LongTerm:
    """Compares what was found with what is known: new, the same, or in place of something.

    When it is `guarded`, no source changes what a more trusted one said (ADR 0017).
    """

    def __init__(self, store: Store, config: LongTermConfig, clock: Clock, *, guarded: bool = True) -> None:
        self._store = store
        self._config = config
        self._clock = clock
        self._guarded = guarded
        self._lock = Lock()
        self._kept: OrderedDict[Scope, _Kept] = OrderedDict()

    def learning(  # noqa: PLR0913 - one argument for each kind of thing that was found
        self,
        scope: Scope,
        candidates: Sequence[Candidate],
        *,
        retired: Sequence[str] = (),
        dropped: Mapping[str, str | None] | None = None,
        until: datetime | None = None,
        trust: Trust = "user",
        profile: Sequence[ProfileField] = (),
        traits: Sequence[Trait] = (),
    ) -> Learning:
        """Decide what to write: ADD, UPDATE and RETIRE against the known facts, within capacity. Writes nothing.

        `trust` is that of the reading as a whole: what it retires was trusted no more than it. What is retired held
        `until` then; None is now. What is `dropped` is said better by the candidate with that id, or, with None, not
        worth keeping. What it ended the candidate ends; without one that is news it stays. Candidates that are
        quarantined already are filed as such, once.
        """
        known_profile = self._store.profile(scope)
        names = {f.value for f in (*known_profile.fields, *profile) if f.name == "name"}
        kept = self._take_index(scope, names)
        known = KnownFacts(kept.index, guarded=self._guarded)
        if any(c.vector is not None for c in candidates):
            self._read_vectors(scope, kept)
        changes = self._retire_facts(known, retired, trust, until or self._clock())
        waiting = drop_facts(known, self._said_as_well(known, dropped or {}, candidates, trust), changes)
        apart = {c.fact.id: c.fact for c in candidates if c.fact.status == "quarantined"}
        pages_of = page_reader(self._store, scope)
        told = (complete_correction(known.index, c, pages_of) for c in candidates if c.fact.id not in apart)
        added = self._sift_candidates(known, filter(None, told), changes, apart)
        hand_over(known, waiting, added, changes)
        self._evict(scope, known, added, changes)
        to_review = self._to_review(scope, known, apart)
        self._keep_index(scope, kept)
        return Learning(
            facts=(*(c.fact for c in added.values()), *to_review),
            vectors=tuple(VectorRow(c.fact.id, "fact", c.vector) for c in added.values() if c.vector is not None),
            changes=tuple(changes.values()),
            traits=_new_traits(known_profile, traits),
            profile=_new_fields(known_profile, profile),
        )

    def _said_as_well(
        self, known: KnownFacts, dropped: Mapping[str, str | None], candidates: Sequence[Candidate], trust: Trust
    ) -> dict[str, str | None]:
        """Return what may be dropped for nothing, or for a candidate that is stored. `trust` is that of the reading."""
        heirs = {c.fact.id: c for c in candidates if c.fact.status != "quarantined"}
        places = known.index.places
        return {
            i: heir
            for i, heir in dropped.items()
            if i in places and (heir is None or heir in heirs)
            if self._may_drop(known, places[i].fact, None if heir is None else heirs[heir], trust)
        }

    def _may_drop(self, known: KnownFacts, draft: Fact, heir: Candidate | None, trust: Trust) -> bool:
        """Return whether nothing is lost with a draft: neither its trust, nor since when it holds, nor that it does."""
        if self._guarded and rank(trust if heir is None else heir.fact.trust) > rank(draft.trust):
            return False
        if heir is None or heir.fact.valid_from > draft.valid_from:
            return heir is None
        # A value of its own may hold while the rest of what the heir says is over.
        has_value = draft.status == "current" and bool(slot_keys(draft.text, known.index.names))
        return not has_value or known.place_in_time(heir).fact.status == "current"

    def not_replaced(self, scope: Scope, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Return the candidates that their pages did not teach before: those were replaced by something since."""
        texts = dict.fromkeys(c.fact.text for c in candidates)
        facts = [f for text in texts for f in self._store.facts(scope, text=text, current=False)]
        replaced = {(f.about, f.text, i) for f in facts if f.status in _REPLACED for i in f.page_ids}
        return [c for c in candidates if not any((c.fact.about, c.fact.text, i) in replaced for i in c.fact.page_ids)]

    def _sift_candidates(
        self, known: KnownFacts, candidates: Iterable[Candidate], changes: dict[str, FactChange], apart: dict[str, Fact]
    ) -> dict[str, Candidate]:
        """The candidates that are news; the others become evidence for what they repeat, in `changes`.

        A change by a less trusted source goes to `apart`.
        """
        added: dict[str, Candidate] = {}
        for found in candidates:
            candidate, twin = self._compare(known, found)
            better = self._better(known, twin, candidate)
            if better <= 0 and twin is not None:
                _unname(added, changes, found.fact.id, twin)
            if better < 0:
                continue  # a less trusted echo: as evidence it would lower what it repeats, or outlive it
            if better > 0 and twin is not None:
                candidate, twin = replace(candidate, replaces=twin), None
            elif twin is None and self._better(known, candidate.replaces, candidate) < 0:
                fact = candidate.fact
                apart[fact.id] = replace(
                    fact,
                    status="quarantined",
                    labels=(*fact.labels, OVERRIDES),
                    superseded_by=_id_in_store(candidate.replaces, added),
                )
                _unname(added, changes, fact.id)
                continue
            if twin is None:
                self._add(known, candidate, added, changes)
            else:
                _add_evidence(twin, candidate.fact.page_ids, added, changes)
        return added

    def _compare(self, known: KnownFacts, found: Candidate) -> tuple[Candidate, str | None]:
        """Return the candidate in its place in time, and the id of a known fact that says the same."""
        twin = known.twin(found, self._config.same_fact)
        return (known.place_in_time(found), None) if twin is None else (found, twin)

    def _add(
        self, known: KnownFacts, candidate: Candidate, added: dict[str, Candidate], changes: dict[str, FactChange]
    ) -> None:
        added[candidate.fact.id] = candidate
        for fact in known.learn(candidate):
            set_end(fact, added, changes)

    def replaced(self, scope: Scope, fact: Fact, facts: Sequence[Fact]) -> tuple[FactChange, ...]:
        """Return the changes that a fact which was told on purpose makes to the known `facts`. Writes nothing."""
        names = tuple(f.value for f in self._store.profile(scope).fields if f.name == "name")
        keys = keys_of(fact.text, names)
        rivals = [f for f in facts if f.status == "current" and not keys.isdisjoint(keys_of(f.text, names))]
        known = KnownFacts(FactIndex(rivals, names))
        placed = known.place_in_time(Candidate(fact))
        ids = dict.fromkeys((placed.replaces, *placed.also_replaces))
        there = [known.facts[i] for i in ids if i in known.facts]
        return tuple(
            FactChange(f.id, "superseded", max(fact.valid_from, f.valid_from), fact.id)
            for f in there
            if not self._guarded or rank(f.trust) >= rank(fact.trust)
        )

    def settled(self, scope: Scope) -> tuple[FactChange, ...]:
        """Return the changes that facts of two memories need, which were put into one. Writes nothing."""
        facts = [f for f in self._store.facts(scope, current=False) if f.status in ("current", "superseded")]
        names = tuple(f.value for f in self._store.profile(scope).fields if f.name == "name")
        known = KnownFacts(FactIndex(facts, names), guarded=self._guarded)
        before = {f.id: f for f in facts}
        return tuple(
            FactChange(f.id, f.status, f.valid_until, f.superseded_by) for f in known.settle() if f != before[f.id]
        )

    def _evict(
        self, scope: Scope, known: KnownFacts, added: dict[str, Candidate], changes: dict[str, FactChange]
    ) -> None:
        """Drop facts beyond the capacity, from `added` or from the known ones."""
        for fact in self._beyond_capacity(scope, known):
            if fact.id in added:
                del added[fact.id]
                _unname(added, changes, fact.id)
            else:
                changes[fact.id] = replace(changes.get(fact.id, FactChange(fact.id)), status="evicted")

    def _better(self, known: KnownFacts, fact_id: str | None, candidate: Candidate) -> int:
        """Compare a candidate's trust with that of a known fact: above 0 is more trusted, below 0 less."""
        held = known.facts.get(fact_id) if fact_id is not None and self._guarded else None
        return 0 if held is None else rank(held.trust) - rank(candidate.fact.trust)

    def _to_review(self, scope: Scope, known: KnownFacts, apart: dict[str, Fact]) -> tuple[Fact, ...]:
        """Return the facts for quarantine that are neither there nor known already."""
        if not apart:
            return ()
        of_words = {(f.about, f.text): f for f in apart.values()}
        return tuple(f for f in of_words.values() if not (known.holds(f.about, f.text) or self._waits(scope, f)))

    def _waits(self, scope: Scope, fact: Fact) -> bool:
        """Return whether a fact with these words is in quarantine."""
        there = self._store.facts(scope, text=fact.text, current=False)
        return any((f.status, f.about, f.text) == ("quarantined", fact.about, fact.text) for f in there)

    def _retire_facts(
        self, known: KnownFacts, retired: Sequence[str], trust: Trust, until: datetime
    ) -> dict[str, FactChange]:
        there = (known.facts[i] for i in retired if i in known.facts)
        going = [f.id for f in there if not self._guarded or rank(trust) <= rank(f.trust)]
        begun = {i: known.facts[i].valid_from for i in going}
        changes = {i: FactChange(i, status="retired", valid_until=max(until, begun[i])) for i in going}
        for fact_id in changes:
            known.retire(fact_id)
        return changes

    # ------------------------------------------------------------------------------------------ kept between readings

    def forget(self, scope: Scope) -> None:
        """Drop the facts of a scope that were kept; the next reading reads them anew."""
        with self._lock:
            self._kept.pop(scope, None)

    def _take_index(self, scope: Scope, names: Collection[str]) -> _Kept:
        """Return the index of the facts as they are in the store now; nobody else has it until it is kept again."""
        with self._lock:
            kept = self._kept.pop(scope, None)
        now = self._store.cursor(scope)
        if kept is None or kept.cursor.epoch != now.epoch:
            return _Kept(now, FactIndex(self._store.facts(scope, current=False), names))
        changed = self._store.facts(scope, after_version=kept.cursor.version, current=False)
        kept.index.follow(changed)
        kept.asked.difference_update(f.id for f in changed)
        index = kept.index if kept.index.names == tuple(sorted(names)) else kept.index.with_names(names)
        return _Kept(now, index, kept.asked)

    def _keep_index(self, scope: Scope, kept: _Kept) -> None:
        with self._lock:
            self._kept[scope] = kept
            facts = sum(len(one.index.places) for one in self._kept.values())
            while len(self._kept) > 1 and (len(self._kept) > _SCOPES_AT_MOST or facts > _FACTS_AT_MOST):
                _, oldest = self._kept.popitem(last=False)
                facts -= len(oldest.index.places)

    def _read_vectors(self, scope: Scope, kept: _Kept) -> None:
        """Read the vectors of facts that were not asked for before."""
        new = [i for i in kept.index.facts if i not in kept.asked]
        kept.index.vectors.update(vectors_of(self._store, scope, new))
        kept.asked.update(new)

    def _beyond_capacity(self, scope: Scope, known: KnownFacts) -> list[Fact]:
        """The facts that are worth least, of equals those learnt first."""
        out: list[Fact] = []
        abouts: tuple[About, ...] = ("user", "assistant")
        for about in abouts:
            surplus = known.count(about) - self._config.capacity_facts
            if surplus > 0:
                out.extend(self._least(scope, [f for f in known.facts.values() if f.about == about], surplus))
        return out

    def _least(self, scope: Scope, facts: Sequence[Fact], count: int) -> list[Fact]:
        """Return the facts that are worth least, of equals the first. The store counts visits, which only grow."""
        number = {fact.id: n for n, fact in enumerate(facts)}

        def order(fact: Fact) -> tuple[float, int]:
            return self._worth(fact), number[fact.id]

        seen: list[Fact] = []
        waiting = sorted(facts, key=order)
        while waiting and not (len(seen) >= count and order(seen[count - 1]) < order(waiting[0])):
            some, waiting = waiting[: count + _AT_ONCE], waiting[count + _AT_ONCE :]
            visits = {f.id: f.visits for f in self._store.facts(scope, ids=[f.id for f in some])}
            seen += [replace(fact, visits=visits.get(fact.id, fact.visits)) for fact in some]
            seen.sort(key=order)
        return seen[:count]

    def _worth(self, fact: Fact) -> float:
        """Return the worth of a fact; equal for all in paper mode, where the first in is the first out."""
        if self._config.eviction == "fifo":
            return 0.0
        evidence = min(len(fact.page_ids), 5) if fact.page_ids else 5  # told to us on purpose: worth keeping
        return _TRUST[fact.trust] + fact.visits + 0.2 * evidence


def _new_fields(profile: Profile, found: Sequence[ProfileField]) -> tuple[ProfileField, ...]:
    latest = {f.name: f for f in sorted(found, key=lambda f: f.since)}
    since = {f.name: f.since for f in profile.fields}
    return tuple(
        f
        for f in latest.values()
        if f.value.strip() and profile.get(f.name) != f.value and f.since >= since.get(f.name, f.since)
    )


def _new_traits(profile: Profile, found: Sequence[Trait]) -> tuple[Trait, ...]:
    current = {t.dimension: t for t in profile.traits}
    latest = {t.dimension: t for t in sorted(found, key=lambda t: t.since)}
    return tuple(
        t
        for t in latest.values()
        if (known := current.get(t.dimension)) is None
        or (t.since >= known.since and (t.level, t.reason) != (known.level, known.reason))
    )


def _add_evidence(
    twin: str, page_ids: tuple[str, ...], added: dict[str, Candidate], changes: dict[str, FactChange]
) -> None:
    """Let a fact of this reading, or a stored one, cite these pages too."""
    if twin in added:
        fact = added[twin].fact
        pages = tuple(dict.fromkeys((*fact.page_ids, *page_ids)))
        added[twin] = replace(added[twin], fact=replace(fact, page_ids=pages))
    else:
        change = changes.get(twin, FactChange(twin))
        changes[twin] = replace(change, add_page_ids=tuple(dict.fromkeys((*change.add_page_ids, *page_ids))))


def _unname(added: dict[str, Candidate], changes: dict[str, FactChange], heir: str, instead: str | None = None) -> None:
    """Name another fact, or none, where `superseded_by` names one that was not kept; the old fact stays superseded."""
    for fact_id, change in changes.items():
        if change.superseded_by == heir:
            changes[fact_id] = replace(change, superseded_by=instead)
    for fact_id, candidate in added.items():
        if candidate.fact.superseded_by == heir:
            added[fact_id] = replace(candidate, fact=replace(candidate.fact, superseded_by=instead))


def _id_in_store(fact_id: str | None, added: dict[str, Candidate]) -> str | None:
    """Return the id of the replacing fact; None for one that is only being added, because it may be dropped."""
    return None if fact_id in added else fact_id
