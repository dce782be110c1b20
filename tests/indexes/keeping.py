"""A store without the kept index, both indexes over one store, and writes in a random order."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import fields
from functools import partial
from typing import Any

import numpy as np

from memoryos_core.ports.capabilities import IndexStore
from memoryos_core.recall.index import open_index, resident
from memoryos_core.recall.index.kept import KeptIndex
from memoryos_core.recall.index.lexical import BM25Index
from memoryos_core.recall.index.scope_units import ScopeUnits
from memoryos_core.recall.index.vectors import FlatIndex
from memoryos_core.stores.sql.store import SqlStore
from memoryos_core.testing.store_samples import ALICE, T0, fact, learn, move_out, new_page, segment, stored_segment
from memoryos_core.values.commands import (
    Append,
    EmbedderStamp,
    Eviction,
    FactChange,
    Forgetting,
    NewPage,
    PageQuery,
    VectorRow,
)
from memoryos_core.values.dialogue import Message
from memoryos_core.values.queries import Candidates

WORDS = [
    "harbour",
    "tram",
    "violin",
    "zebra",
    "lantern",
    "Lisbon",
    "東京",
    "ça",
    "naïve",
    "kettle",
    "orchard",
    "marble",
    "winter",
    "Ada",
    "bicycle",
]
QUOTED = ("sizes", "places", "homes")
VERBS = ("index_chunks", "index_owners", "write_index_chunk", "read_index_vectors")


class Plain:
    """The same store, which cannot keep an index."""

    def __init__(self, store: SqlStore) -> None:
        self._store = store

    def __getattr__(self, name: str) -> Any:
        if name in VERBS:
            raise AttributeError(name)
        return getattr(self._store, name)


assert not isinstance(Plain(None), IndexStore)  # type: ignore[arg-type]


def never() -> bool:
    return False


def kept_index(store: SqlStore) -> resident.ResidentIndex:
    """An index that holds nothing yet and may start from chunks."""
    index = open_index(store, kind="resident")
    assert isinstance(index, resident.ResidentIndex)
    return index


def loads(store: SqlStore) -> bool:
    """Whether a process that opens the store now would start from chunks."""
    lexical = partial(BM25Index, b=0.9)
    start = partial(ScopeUnits, FlatIndex, lexical)
    return KeptIndex(store, lexical).load(ALICE, store.cursor(ALICE), start) is not None


def plain_index(store: SqlStore) -> resident.ResidentIndex:
    """An index that is made from the rows."""
    lexical = partial(BM25Index, b=0.9)
    return resident.ResidentIndex(Plain(store), vector_index=FlatIndex, lexical_index=lexical)


def equal(mine: Candidates, theirs: Candidates) -> bool:
    """Whether two answers are the same, bit for bit, but for which facts one knows where they are quoted from."""
    pages = np.array([part != "fact" for part in mine.parts], dtype=np.bool_)
    pairs = ((getattr(mine, f.name), getattr(theirs, f.name)) for f in fields(Candidates) if f.name not in QUOTED)
    quoted = ((getattr(one, name)[pages] for one in (mine, theirs)) for name in ("sizes", "places"))
    same = all(np.array_equal(a, b, equal_nan=True) if isinstance(a, np.ndarray) else a == b for a, b in pairs)
    homes = zip(mine.homes, theirs.homes, strict=True)
    return (
        same and all(np.array_equal(a, b) for a, b in quoted) and all(None in two or two[0] == two[1] for two in homes)
    )


def same_answers(mine: resident.ResidentIndex, theirs: resident.ResidentIndex, *, dimension: int = 4) -> None:
    """Assert that two indexes answer alike: few and many candidates, with and without a vector."""
    row = np.linspace(-1, 1, dimension, dtype=np.float32)
    for query in ("harbour tram in Lisbon", "violin 東京", "Ada knows lantern kettle", ""):
        for vector, k in ((row, 3), (None, 3), (row, 500)):
            a, b = mine.candidates(ALICE, query, vector, k), theirs.candidates(ALICE, query, vector, k)
            assert equal(a, b), query
    assert mine.speakers(ALICE) == theirs.speakers(ALICE)


class Writing:
    """Random writes to one scope: everything that an index follows."""

    def __init__(self, store: SqlStore, chance: random.Random, name: str = "") -> None:
        self.store = store
        self._name = name
        self._chance = chance
        self._facts = 0
        self._segments = 0
        store.stamp_embedder(EmbedderStamp("tests", 4))

    def step(self) -> str:
        """Do one thing; return its name."""
        does: list[Callable[[], None]] = [
            *[self.append] * 4,
            *[self.embed] * 3,
            *(self.extend, self.page_out, self.page_out, self.learn, self.retire, self.forget_page, self.forget_fact),
            *(self.forget_session, self.evict, self.end_session),
        ]
        chosen = self._chance.choice(does)
        chosen()
        return chosen.__name__

    def _text(self) -> str:
        return " ".join(self._chance.choices(WORDS, k=self._chance.choice((0, 3, 8, 8, 700)))) or " "

    def _pages(self, **narrowed: object) -> list[str]:
        return [page.id for page in self.store.pages(PageQuery(ALICE, **narrowed))]  # type: ignore[arg-type]

    def _some(self, ids: list[str]) -> tuple[str, ...]:
        return tuple(self._chance.sample(ids, min(len(ids), self._chance.choice((1, 1, 3)))))

    def append(self) -> None:
        session = self._chance.choice(("s", "t", "\ud800", "a\nb\0"))
        name = self._chance.choice((None, "Ada", "Bo\x1a"))
        said = (Message("user", self._text(), name=name), Message("assistant", self._text()))
        pages = [NewPage(said, 10, open=False) for _ in range(self._chance.choice((1, 4)))]
        self.store.append(Append(ALICE, session, tuple(pages), T0))

    def extend(self) -> None:
        last = self.store.pages(PageQuery(ALICE, session_id="s", ended=False, newest_first=True, limit=1))
        if last and last[0].tier == "short_term":
            more = new_page(self._text(), extends_last=True)
            self.store.append(Append(ALICE, "s", (more,), T0, after=last[0].id, check_after=True))

    def end_session(self) -> None:
        self.store.append(Append(ALICE, "t", (new_page(self._text()),), T0, restarts=True))

    def embed(self) -> None:
        rows = [
            VectorRow(i, half, np.array([self._chance.gauss(0, 1) for _ in range(4)], dtype=np.float32))
            for i in self._some(self._pages())
            for half in self._chance.choice((("user", "assistant"), ("user",)))
        ]
        if rows:
            self.store.save_vectors(ALICE, rows)

    def page_out(self) -> None:
        pages = self.store.pages(PageQuery(ALICE, tiers=("short_term",), limit=5))
        if not pages:
            return
        known = self.store.segments(ALICE)
        if known and self._chance.random() < 0.5:
            home = stored_segment(self.store, self._chance.choice(known).id)
        else:
            self._segments += 1
            home = segment(f"g{self._name}{self._segments}")
        self.store.page_out(move_out(pages, into=home, chain=pages[0].id))

    def learn(self) -> None:
        self._facts += 1
        name = f"f{self._name}{self._facts}"
        row = VectorRow(name, "fact", np.ones(4, dtype=np.float32))
        learn(self.store, fact(name, *self._some(self._pages()), text=self._text()), vectors=[row])

    def retire(self) -> None:
        current = self.store.facts(ALICE)
        if current:
            learn(self.store, changes=[FactChange(self._chance.choice(current).id, status="retired")])

    def forget_page(self) -> None:
        self.store.forget(Forgetting(ALICE, self._some(self._pages())))

    def forget_fact(self) -> None:
        facts = [fact.id for fact in self.store.facts(ALICE, current=False)]
        self.store.forget(Forgetting(ALICE, fact_ids=self._some(facts)))

    def forget_session(self) -> None:
        if self._chance.random() < 0.2:
            self.store.forget(Forgetting(ALICE, session_id="s"))

    def evict(self) -> None:
        known = self.store.segments(ALICE)
        if known:
            archive = self._chance.random() < 0.5
            self.store.evict(Eviction(ALICE, (self._chance.choice(known).id,), T0, archive=archive))
