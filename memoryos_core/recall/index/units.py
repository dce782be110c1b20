"""The units of one scope, passages of pages and facts, in slots: what each is, and its neighbours.

A slot is the small number by which the lexical and the vector index know a unit. Freed slots are used again.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count, takewhile
from operator import itemgetter
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memoryos_core.recall.index.content import CODES, UnitColumns
from memoryos_core.recall.index.lexical import Column
from memoryos_core.rules.paging.pages import Said, passages
from memoryos_core.rules.ranking.disclosure import disclosure
from memoryos_core.rules.ranking.hits import passage_of
from memoryos_core.rules.ranking.rendering import size_of, speaker_line
from memoryos_core.values.dialogue import FACT, HALVES, Page
from memoryos_core.values.facts import Fact
from memoryos_core.values.queries import SEQ_SHIFT, Home, Near, part_name, passage_number

NO_SEQ = -1
NO_SLOT = -1
NO_SIZE = -1
NO_PAGES: Mapping[str, Said] = MappingProxyType({})
_FACTS_FROM = -(1 << 62)


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit of search: a passage of a page (part "user", "user.1", …), or a fact (session ""), each with its seq.

    `size` is how many bytes the message of a passage takes when it is quoted, `disclosure` how much it tells of its
    speaker, and `place` where it stands in its page. A fact that is quoted as a message has those of the message, and
    page and passage as its `home`; the size of another one is -1: only reading it tells.
    """

    owner: str
    part: str
    text: str
    time: float
    session: str = ""
    segment: str | None = None
    speaker: str | None = None
    seq: int = NO_SEQ
    size: int = NO_SIZE
    disclosure: int = 0
    place: int = 0
    home: tuple[str, str] | None = None


def units_of_page(page: Page) -> tuple[Unit, ...]:
    """The passages of a page."""
    time = page.timestamp.timestamp()
    parts = passages(page)
    quoted = {p.at: (size_of(speaker_line(p.message)), disclosure(p.message)) for p in parts if p.opens}
    return tuple(
        Unit(
            owner=page.id,
            part=passage.part,
            text=passage.named_text,
            time=time,
            session=page.session_id,
            segment=page.segment_id,
            speaker=passage.message.name,
            seq=page.seq,
            place=passage.at,
            size=quoted[passage.at][0],
            disclosure=quoted[passage.at][1],
        )
        for passage in parts
    )


def unit_of_fact(fact: Fact, pages: Mapping[str, Said] = NO_PAGES) -> Unit:
    """Return a fact, at the time of its event or else since it holds; `pages` are those at hand, by id."""
    unit = Unit(fact.id, FACT, fact.text, (fact.event_time or fact.valid_from).timestamp(), seq=fact.seq)
    said = pages.get(fact.page_ids[0]) if fact.page_ids else None
    passage = None if said is None else passage_of(fact, said)
    if passage is None:
        return unit
    size, tells = size_of(speaker_line(passage.message)), disclosure(passage.message)
    return replace(unit, size=size, disclosure=tells, place=passage.at, home=(passage.page_id, passage.part))


class _Session:
    """The passages of one session in order: sorted keys and the slot of each."""

    __slots__ = ("keys", "slots")

    def __init__(self) -> None:
        self.keys: array[int] = array("q")
        self.slots: array[int] = array("i")


def _key(unit: Unit) -> int:
    """Return a number that orders all units: facts by time learnt, then the passages of pages as they were said."""
    return _FACTS_FROM + unit.seq if unit.part == FACT else passage_number(unit.seq, unit.part)


@dataclass(frozen=True, slots=True)
class Named:
    """The names of some units, aligned with the requested slots."""

    owners: tuple[str, ...]
    parts: tuple[str, ...]
    sessions: tuple[str, ...]
    segments: tuple[str | None, ...]
    speakers: tuple[str | None, ...]
    homes: tuple[Home | None, ...]


class UnitTable:
    """Units as lists and columns indexed by slot; `before` and `after` hold neighbouring slots, or -1."""

    def __init__(self) -> None:
        self.owners: list[str] = []
        self.parts: list[str] = []
        self.sessions: list[str] = []
        self.segments: list[str | None] = []
        self.speakers: list[str | None] = []
        self.homes: list[str | None] = []  # of a fact that is quoted as a message: its page, and the passage there
        self.home_parts: list[str | None] = []
        self.keys = Column(np.int64(-1))  # see _key; below 0 for a fact
        self.times = Column(np.float64(0))
        self.sizes = Column(np.int32(NO_SIZE))
        self.disclosures = Column(np.int16(0))
        self.places = Column(np.int32(0))
        self.before = Column(np.int32(NO_SLOT))
        self.after = Column(np.int32(NO_SLOT))
        self._fingerprints = Column(np.int64(0))
        self._columns: tuple[Column[Any], ...] = (
            *(self.keys, self.times, self.sizes, self.disclosures, self.places),
            *(self.before, self.after, self._fingerprints),
        )
        self._slots: dict[str, dict[str, int]] = {}  # by part, then by owner
        self._free: list[int] = []
        self._orders: dict[str, _Session] = {}
        self._interned: dict[str, str] = {}
        self._names: Counter[str | None] = Counter()
        self.kept_windows: dict[float, tuple[Near, ...]] = {}

    def __len__(self) -> int:
        """Return the number of units."""
        return sum(map(len, self._slots.values()))

    @property
    def size(self) -> int:
        """The number of slots, free ones included."""
        return len(self.owners)

    def slots_of(self, owners: Sequence[str], parts: Sequence[str]) -> NDArray[np.int64]:
        """Return the slot of each of some units; -1 for one that is not here."""
        held = {part: self._slots.get(part, {}).get for part in set(parts)}
        return np.array([held[part](owner, NO_SLOT) for owner, part in zip(owners, parts, strict=True)], np.int64)

    def slots(self) -> list[int]:
        """Return the slots in use, ascending."""
        return sorted(slot for held in self._slots.values() for slot in held.values())

    def slot(self, owner: str, part: str) -> int:
        """Return the slot of a unit; -1 when it is not here."""
        return self._slots.get(part, {}).get(owner, NO_SLOT)

    def parts_of(self, owner: str) -> list[str]:
        """Return the passages of a page that are here: their numbers have no gap."""
        found: list[str] = []
        for half in HALVES:
            if self.slot(owner, half) >= 0:
                numbered = (part_name(half, number) for number in count())
                found += takewhile(lambda part: self.slot(owner, part) >= 0, numbered)
        return found

    def others(self, pages: frozenset[str], facts: frozenset[str]) -> list[tuple[str, str]]:
        """Return owner and part of the units that are of no such page or fact."""
        held = self._slots.items()
        return [(owner, part) for part, owners in held for owner in owners.keys() - (facts if part == FACT else pages)]

    def distinct(self, *slots: NDArray[np.int64]) -> NDArray[np.int64]:
        """The slots among these, without repeats and without -1, ascending."""
        wanted = np.zeros(self.size + 1, dtype=np.bool_)  # the last is where -1 goes
        for some in slots:
            wanted[some] = True
        return np.flatnonzero(wanted[:-1])

    def oldest_first(self, slots: NDArray[np.int64]) -> NDArray[np.int64]:
        """Sort slots by time; their numbers only show the order of loading."""
        return slots[np.lexsort((self.keys.values[slots], self.times.values[slots]))]

    def seqs(self, slots: NDArray[np.int64]) -> NDArray[np.int64]:
        """The seq of each slot's page; -1 for a fact, which stands nowhere in the conversation."""
        keys = self.keys.values[slots]
        return np.where(keys < 0, NO_SEQ, keys >> SEQ_SHIFT)

    def windows(self, weight: float) -> tuple[Near, ...]:
        """The two passages before and the two after each in its session: each step away counts `weight` of the last.

        The same object until a passage comes or goes.
        """
        if not weight:
            return ()
        if weight not in self.kept_windows:
            near: list[Near] = []
            for column in (self.before, self.after):
                step: NDArray[np.int32] = np.array(column.values)
                # The appended value is the one that -1, no neighbour, points to.
                twice = np.append(step, np.int32(NO_SLOT))[step]
                near += (Near(step, weight), Near(twice, weight**2))
            self.kept_windows[weight] = tuple(near)
        return self.kept_windows[weight]

    def said_by(self) -> frozenset[str]:
        """Return every speaker's name."""
        return frozenset(name for name in self._names if name and name.strip())

    def named(self, slots: NDArray[np.int64]) -> Named:
        """Return owner, part, session, segment and speaker of each slot."""
        places: list[int] = slots.tolist()
        if not places:
            return Named((), (), (), (), (), ())
        take = itemgetter(*places, places[0])  # of one place alone it gives no tuple
        columns = (self.owners, self.parts, self.sessions, self.segments, self.speakers)
        owners, parts, sessions, segments, speakers = (take(column)[: len(places)] for column in columns)
        # Few are facts, and what is asked of the others comes from all over the memory.
        homes = tuple([self._home(n) if part == FACT else None for n, part in zip(places, parts, strict=True)])
        return Named(owners, parts, sessions, segments, speakers, homes)

    def _home(self, slot: int) -> Home | None:
        page, part = self.homes[slot], self.home_parts[slot]
        if page is None or part is None:
            return None
        there = self.slot(page, part)
        return Home(page, part, self.sessions[there] if there >= 0 else "")

    def columns(self, slots: Sequence[int]) -> UnitColumns:
        """Return the units of these slots, in this order."""
        places: dict[str | None, int] = {}

        def codes(names: Sequence[str | None]) -> NDArray[np.int32]:
            return np.array([places.setdefault(names[slot], len(places)) for slot in slots], dtype=np.int32)

        columns: list[Sequence[str | None]] = [
            *(self.owners, self.parts, self.sessions, self.segments, self.speakers, self.homes, self.home_parts)
        ]
        coded: dict[str, NDArray[np.int32]] = dict(zip(CODES, map(codes, columns), strict=True))
        at = np.array(slots, dtype=np.int64)
        keys, times, sizes = self.keys.values[at], self.times.values[at], self.sizes.values[at]
        tells, quoted_at = self.disclosures.values[at], self.places.values[at]
        return UnitColumns(list(places), coded, keys, times, sizes, tells, quoted_at)

    def take(self, units: UnitColumns) -> None:
        """Take over units, the first in slot 0; the table is empty before. When they come again, they are changed."""
        names, codes = units.names, units.codes

        def decode(column: str) -> list[Any]:
            return list(map(names.__getitem__, codes[column].tolist()))

        self.owners, self.parts, self.sessions, self.segments, self.speakers, self.homes, self.home_parts = map(
            decode, CODES
        )
        self._interned = {name: name for name in names if name is not None}
        for column in self._columns:
            column.resize(len(units))
        self.keys.values[:], self.times.values[:] = units.keys, units.times
        self.sizes.values[:], self.places.values[:] = units.sizes, units.places
        self.disclosures.values[:] = units.disclosures
        for part in np.flatnonzero(np.bincount(codes["part"])).tolist():
            at = np.flatnonzero(codes["part"] == part).tolist()
            self._slots[names[part] or ""] = dict(zip(map(self.owners.__getitem__, at), at, strict=True))
        said = np.bincount(codes["speaker"]).tolist()
        self._names = Counter({names[code]: count for code, count in enumerate(said) if count})
        self._take_orders(units)

    def _take_orders(self, units: UnitColumns) -> None:
        sessions = units.codes["session"]
        order = np.lexsort((units.keys, sessions))
        order = order[units.keys[order] >= 0]  # facts have no neighbours
        sessions = sessions[order]
        same = sessions[1:] == sessions[:-1]
        first, second = order[:-1][same], order[1:][same]
        self.after.values[first] = second
        self.before.values[second] = first
        for at in np.split(order, np.flatnonzero(~same) + 1) if len(order) else ():
            one = self._orders[self.sessions[at[0]]] = _Session()
            one.keys.frombytes(units.keys[at].astype(np.int64).tobytes())
            one.slots.frombytes(at.astype(np.int32).tobytes())

    def put(self, unit: Unit) -> tuple[int, bool]:
        """Add or change a unit; returns its slot, and whether its text is new there."""
        slot = self.slot(unit.owner, unit.part)
        fresh = slot < 0
        if fresh:
            slot = self._take()
            self.owners[slot] = self._intern(unit.owner)
            self.parts[slot] = self._intern(unit.part)
            self._slots.setdefault(self.parts[slot], {})[self.owners[slot]] = slot
            self.sessions[slot] = self._intern(unit.session)
            key = self.keys[slot] = _key(unit)
            if unit.part != FACT:
                self._link(slot, key)
        self.segments[slot] = None if unit.segment is None else self._intern(unit.segment)
        self._name_speaker(slot, None if unit.speaker is None else self._intern(unit.speaker))
        self.times[slot], self.places[slot] = unit.time, unit.place
        self.sizes[slot], self.disclosures[slot] = unit.size, unit.disclosure
        self.homes[slot], self.home_parts[slot] = map(self._intern, unit.home) if unit.home else (None, None)
        fingerprint = hash(unit.text)
        changed = fresh or int(self._fingerprints[slot]) != fingerprint
        self._fingerprints[slot] = fingerprint
        return slot, changed

    def drop(self, owner: str, part: str) -> int:
        """Remove a unit; returns the slot it had, -1 when it was not here."""
        slot = self._slots.get(part, {}).pop(owner, NO_SLOT)
        if slot < 0:
            return slot
        if part != FACT:
            self._unlink(slot)
        self.owners[slot] = self.sessions[slot] = ""
        self.segments[slot] = self.homes[slot] = self.home_parts[slot] = None
        self._name_speaker(slot, None)
        self._free.append(slot)
        return slot

    def forget_homes(self, pages: frozenset[str]) -> None:
        """Forget where facts are quoted from, but for these pages."""
        for slot in self._slots.get(FACT, {}).values():
            if self.homes[slot] is not None and self.homes[slot] not in pages:
                self.homes[slot] = self.home_parts[slot] = None
                self.sizes[slot] = NO_SIZE

    def _name_speaker(self, slot: int, name: str | None) -> None:
        before, self.speakers[slot] = self.speakers[slot], name
        self._names[name] += 1
        self._names[before] -= 1
        if self._names[before] <= 0:
            del self._names[before]

    def _take(self) -> int:
        self.kept_windows.clear()
        if self._free:
            return self._free.pop()
        for names in (self.owners, self.parts, self.sessions):
            names.append("")
        for labels in (self.segments, self.speakers, self.homes, self.home_parts):
            labels.append(None)
        for column in self._columns:
            column.resize(self.size)
        return self.size - 1

    def _intern(self, text: str) -> str:
        # One object per name, however many units carry it, and gone with the scope.
        return self._interned.setdefault(text, text)

    def _link(self, slot: int, key: int) -> None:
        order = self._orders.setdefault(self.sessions[slot], _Session())
        place = len(order.keys) if not order.keys or order.keys[-1] < key else bisect_left(order.keys, key)
        before = order.slots[place - 1] if place else NO_SLOT
        after = order.slots[place] if place < len(order.slots) else NO_SLOT
        order.keys.insert(place, key)
        order.slots.insert(place, slot)
        self._join(before, slot)
        self._join(slot, after)

    def _unlink(self, slot: int) -> None:
        self.kept_windows.clear()
        order = self._orders[self.sessions[slot]]
        place = bisect_left(order.keys, int(self.keys.values[slot]))
        while order.slots[place] != slot:
            place += 1
        del order.keys[place], order.slots[place]
        self._join(int(self.before.values[slot]), int(self.after.values[slot]))
        self.before.values[slot] = self.after.values[slot] = NO_SLOT

    def _join(self, first: int, second: int) -> None:
        if first >= 0:
            self.after[first] = second
        if second >= 0:
            self.before[second] = first
