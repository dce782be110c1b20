"""The facts of each scope, kept at hand: they follow the store as it changes.

A fact index holds the facts of one scope by time, by key and by term, so that what is found is compared with few of
them. It may be kept: `follow` takes it back to what the store holds, whatever was decided on it meanwhile.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import Counter, OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from math import ceil

from memoryos_core.ports import Store
from memoryos_core.ports.forks import Lock
from memoryos_core.rules.knowledge.lines import Book
from memoryos_core.rules.knowledge.supersession import find_disputes
from memoryos_core.rules.text.words import regex
from memoryos_core.tiers.likeness import keys_of, terms_of
from memoryos_core.values.commands import Cursor
from memoryos_core.values.dialogue import Scope, Vector
from memoryos_core.values.facts import About, Dispute, Fact

_SCOPES_AT_MOST = 64
# Behind by more changes than this, reading all facts anew is faster than following.
_CHANGES_AT_MOST = 300


@dataclass(slots=True)
class _Held:
    cursor: Cursor
    facts: dict[str, Fact]
    names: tuple[str, ...] = ()
    book: Book | None = None
    disputes: tuple[tuple[str, ...], tuple[Dispute, ...]] | None = None
    called: dict[str, str] | None = None


class Knowledge:
    """The facts of each scope that was asked about lately. Thread-safe."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = Lock()
        self._held: OrderedDict[Scope, _Held] = OrderedDict()

    def facts(self, scope: Scope) -> tuple[Fact, ...]:
        """Return all facts as they are in the store now, those that were replaced too. Raises StoreError."""
        return tuple(self._follow(scope).facts.values())

    def book(self, scope: Scope, names: tuple[str, ...] = ()) -> Book:
        """Return the facts ready for questions, as they are in the store now. Raises StoreError.

        `names` are what the user is called.
        """
        held = self._follow(scope)
        book = held.book
        if book is None or held.names != names:
            book = Book(tuple(held.facts.values()), names)
            held.book, held.names = book, names
        return book

    def disputes(self, scope: Scope, names: tuple[str, ...] = ()) -> tuple[Dispute, ...]:
        """Return the facts that contradict each other, as they are in the store now. Raises StoreError.

        `names` are what the user is called.
        """
        held = self._follow(scope)
        known = held.disputes
        if known is None or known[0] != names:
            held.disputes = known = names, tuple(find_disputes(tuple(held.facts.values()), names))
        return known[1]

    def called(self, scope: Scope, *, follow: bool) -> Mapping[str, str]:
        """Return who is called by a name, by that name, if it is one person. Raises StoreError.

        Without `follow` it is read from what `book` has just returned.
        """
        with self._lock:
            held = None if follow else self._held.get(scope)
        held = held or self._follow(scope)
        if held.called is None:
            held.called = _nicknames(held.facts.values())
        return held.called

    def _follow(self, scope: Scope) -> _Held:
        with self._lock:
            held = self._held.get(scope)
        now = self._store.cursor(scope)
        if held is None or held.cursor != now:
            held = self._load(scope, now, held)
        with self._lock:
            self._held[scope] = held
            self._held.move_to_end(scope)
            while len(self._held) > _SCOPES_AT_MOST:
                self._held.popitem(last=False)
        return held

    def _load(self, scope: Scope, now: Cursor, held: _Held | None) -> _Held:
        if held is None or held.cursor.epoch != now.epoch:
            return _Held(now, {f.id: f for f in self._store.facts(scope, current=False)})
        feed = self._store.feed(scope, held.cursor, limit=_CHANGES_AT_MOST)
        if feed.cursor.epoch != held.cursor.epoch or feed.more:
            return self._load(scope, now, None)
        changed = {f.id: f for f in feed.facts}
        if feed.retired_fact_ids:
            gone = self._store.facts(scope, ids=feed.retired_fact_ids, current=False)
            changed |= {f.id: f for f in gone}
        if not changed:
            return _Held(feed.cursor, held.facts, held.names, held.book, held.disputes, held.called)
        return _Held(feed.cursor, held.facts | changed)


_IS_CALLED = regex(r"(?P<who>[^\W\d_][^.!?]{0,59}) is called (?P<name>[A-ZÀ-Þ][a-zà-ÿ]{1,14})\.")


def _nicknames(facts: Iterable[Fact]) -> dict[str, str]:
    found: dict[str, set[str]] = {}
    for fact in facts:
        told = _IS_CALLED.fullmatch(fact.text) if fact.status == "current" and " is called " in fact.text else None
        if told is not None:
            found.setdefault(told["name"], set()).add(told["who"])
    return {name: who.pop() for name, who in found.items() if len(who) == 1}


# Without an embedder, two wordings that share this part of their terms count as the same.
SAME_WORDS = 0.85
# A fact without a place in the store comes after those that have one.
_UNSTORED = 2**63
_NO_TIME = datetime.min.replace(tzinfo=timezone.utc)
_KNOWN = ("current", "superseded")


@dataclass(slots=True, eq=False)
class Place:
    """A fact in the order of time; of one time, `number` tells which was learnt first.

    The time of its fact stays, so `order` is computed once: one slot's places are compared by the million.
    """

    fact: Fact
    number: tuple[int, datetime, int]
    order: tuple[datetime, tuple[int, datetime, int]] = field(init=False)

    def __post_init__(self) -> None:
        self.order = (self.fact.valid_from, self.number)

    def __lt__(self, other: Place) -> bool:
        return self.order < other.order


class FactIndex:
    """Current and superseded facts. `facts` are those that hold, in the order in which they were learnt.

    `counts` says how many hold about each side. `names` are what the user is called. `ended` are the ids of what each
    fact ended.
    """

    def __init__(self, facts: Iterable[Fact], names: Iterable[str] = ()) -> None:
        self.names = tuple(sorted({*names}))
        self.facts: dict[str, Fact] = {}
        self.counts: Counter[About] = Counter()
        self.vectors: dict[str, Vector] = {}
        self.places: dict[str, Place] = {}
        self.by_time: list[Place] = []
        self.ended: dict[str, dict[str, None]] = {}
        self._by_text: dict[tuple[About, str], dict[str, None]] = {}
        self._by_term: dict[str, dict[str, None]] = {}
        self._by_key: dict[str, list[Place]] = {}
        self._now: dict[str, dict[str, None]] = {}
        self._added = 0
        self._before: dict[str, Fact | None] = {}
        self._put(facts)

    # ------------------------------------------------------------------------------------------ changes

    def add(self, fact: Fact) -> None:
        """Add a fact that the store does not hold yet."""
        self._before.setdefault(fact.id, None)
        self._insert(self.new_place(fact))
        self._added += 1

    def change(self, place: Place, fact: Fact) -> None:
        """Give a fact another state; its words and its time stay."""
        old = place.fact
        self._before.setdefault(old.id, old)
        if old.status == "current" and fact.status != "current":
            self._release(old)
        self.ended.get(old.superseded_by or "", {}).pop(old.id, None)
        place.fact = fact
        if fact.superseded_by is not None:
            self.ended.setdefault(fact.superseded_by, {})[fact.id] = None
        if fact.id in self.facts:
            self.facts[fact.id] = fact
        elif fact.status == "current":
            self._hold(place)

    def remove(self, fact_id: str) -> None:
        """Remove a fact that ended without another one."""
        self._before.setdefault(fact_id, self.places[fact_id].fact)
        self._take_out(fact_id)

    def follow(self, changed: Iterable[Fact]) -> None:
        """Go back to what the store held, and take over the facts that `changed` there since."""
        stored = {fact.id: fact for fact in changed}
        again: list[Fact] = []
        for fact_id, fact in {**self._before, **stored}.items():
            place = self.places.get(fact_id)
            if fact is None or fact_id in stored:
                self.vectors.pop(fact_id, None)
            if place is not None and fact is not None and _may_stay(place, fact):
                self.change(place, fact)
                continue
            if place is not None:
                self._take_out(fact_id)
            if fact is not None:
                again.append(fact)
        self._put(again)
        self._before.clear()

    def with_names(self, names: Iterable[str]) -> FactIndex:
        """Return an index of the same facts for a user with other names."""
        index = FactIndex((place.fact for place in self.places.values()), names)
        index.vectors = self.vectors
        return index

    # ------------------------------------------------------------------------------------------ look-ups

    def new_place(self, fact: Fact) -> Place:
        """Return the place that a fact would take which the store does not hold yet."""
        return Place(fact, (_UNSTORED, _NO_TIME, self._added))

    def same_text(self, about: About, text: str) -> str | None:
        """Return the id of the fact that holds and has these words; of several the one that was learnt last."""
        return next(reversed(self._by_text.get((about, text), {})), None)

    def sharing(self, wanted: frozenset[str]) -> Iterable[str]:
        """Return the facts that share the rarest of these terms: one that says the same lacks few of them."""
        rarest = sorted(wanted, key=lambda term: (len(self._by_term.get(term, ())), term))
        lacking = len(wanted) - ceil(SAME_WORDS * len(wanted)) + 1
        return dict.fromkeys(i for term in rarest[:lacking] for i in self._by_term.get(term, ()))

    def holding(self, key: str) -> dict[str, None]:
        """Return the ids of the facts with a key that hold, in the order in which they were learnt."""
        return self._now.get(key, {})

    def with_key(self, key: str) -> Sequence[Place]:
        """Return the facts with a key in order of time."""
        return self._by_key.get(key, ())

    # ------------------------------------------------------------------------------------------ structure

    def _put(self, facts: Iterable[Fact]) -> None:
        """Insert facts of the store that hold or held."""
        known = (fact for fact in facts if fact.status in _KNOWN)
        for fact in sorted(known, key=lambda f: (f.seq, f.valid_from)):
            self._insert(Place(fact, (fact.seq, fact.valid_from, self._added)))
            self._added += 1

    def _insert(self, place: Place) -> None:
        fact = place.fact
        self.places[fact.id] = place
        _put_in_time(self.by_time, place)
        for key in keys_of(fact.text, self.names):
            _put_in_time(self._by_key.setdefault(key, []), place)
        if fact.superseded_by is not None:
            self.ended.setdefault(fact.superseded_by, {})[fact.id] = None
        if fact.status == "current":
            self._hold(place)

    def _take_out(self, fact_id: str) -> None:
        place = self.places[fact_id]
        if fact_id in self.facts:
            self._release(place.fact)
        self.ended.get(place.fact.superseded_by or "", {}).pop(fact_id, None)
        _remove(self.by_time, place)
        for key in keys_of(place.fact.text, self.names):
            _remove(self._by_key[key], place)
        del self.places[fact_id]

    def _hold(self, place: Place) -> None:
        fact = place.fact
        last = next(reversed(self.facts), None)
        self.facts[fact.id] = fact
        self.counts[fact.about] += 1
        groups = list(self._groups(fact))
        for ids in groups:
            ids[fact.id] = None
        if last is not None and place.number < self.places[last].number:  # it holds again: to its place among them
            self.facts = {i: self.facts[i] for i in self._in_order(self.facts)}
            for ids in groups:
                order = self._in_order(ids)
                ids.clear()
                ids.update(dict.fromkeys(order))

    def _release(self, fact: Fact) -> None:
        del self.facts[fact.id]
        self.counts[fact.about] -= 1
        for ids in self._groups(fact):
            ids.pop(fact.id, None)

    def _groups(self, fact: Fact) -> Iterable[dict[str, None]]:
        """Return the sets of ids in which a fact stands while it holds."""
        yield self._by_text.setdefault((fact.about, fact.text), {})
        for term in terms_of(fact.text):
            yield self._by_term.setdefault(term, {})
        for key in keys_of(fact.text, self.names):
            yield self._now.setdefault(key, {})

    def _in_order(self, ids: Iterable[str]) -> list[str]:
        return sorted(ids, key=lambda i: self.places[i].number)


def _may_stay(place: Place, fact: Fact) -> bool:
    """Return whether the stored fact belongs in the place of what is there."""
    old = place.fact
    words = (old.about, old.text, old.valid_from) == (fact.about, fact.text, fact.valid_from)
    return words and place.number[0] == fact.seq and fact.status in _KNOWN


def _put_in_time(places: list[Place], place: Place) -> None:
    if not places or places[-1] < place:
        places.append(place)
    else:
        insort(places, place)


def _remove(places: list[Place], place: Place) -> None:
    at = bisect_left(places, place)
    assert places[at] is place  # noqa: S101 - no two places are equal in order
    del places[at]
