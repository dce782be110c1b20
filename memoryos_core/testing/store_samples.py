"""Small values and moves from which the cases of the store contract are built."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta, timezone
from typing import TypeAlias

import numpy as np

from memoryos_core.ports import Store
from memoryos_core.values.commands import (
    Append,
    Cursor,
    FactChange,
    Learning,
    Move,
    NewPage,
    PageOut,
    PageQuery,
    Promotion,
    VectorRow,
)
from memoryos_core.values.dialogue import Chain, Message, Page, Scope, Segment, Vector
from memoryos_core.values.facts import Fact, Profile, ProfileField, Trait

ALICE = Scope("alice")
BOB = Scope("bob")
T0 = datetime(2024, 1, 1, 12, tzinfo=timezone.utc)
DAY = timedelta(days=1)

Mirror: TypeAlias = dict[str, Page]


def new_page(text: str, *, extends_last: bool = False, open_: bool = False, tokens: int = 10) -> NewPage:
    """A page of one question and one answer."""
    messages = (Message("user", text), Message("assistant", f"re: {text}"))
    return NewPage(messages, tokens, open_, extends_last)


def add(store: Store, *texts: str, scope: Scope = ALICE, session: str = "s", at: datetime = T0) -> tuple[Page, ...]:
    """One append of one page a text."""
    return store.append(Append(scope, session, tuple(map(new_page, texts)), at))


def vector(*numbers: float) -> Vector:
    """A float32 vector."""
    return np.array(numbers, dtype=np.float32)


def segment(segment_id: str = "g1", *, rev: int = 0, summary: str = "about tea", last_access: datetime = T0) -> Segment:
    """A description to page out with."""
    return Segment(segment_id, summary, ("tea", "cup"), vector(1, 0), last_access=last_access, rev=rev)


def move_out(
    pages: Sequence[Page],
    *,
    into: Segment | None = None,
    chain: str = "c1",
    scope: Scope = ALICE,
    reread: bool = False,
) -> PageOut:
    """Move all these pages into one segment and one chain."""
    home = into or segment()
    moves = tuple(Move(page.id, home.id, chain, reread) for page in pages)
    return PageOut(scope, moves, (home,), (Chain(chain, "talk of tea"),), T0)


def stored_segment(store: Store, segment_id: str = "g1", scope: Scope = ALICE) -> Segment:
    """Return one segment as stored, archived or not."""
    found = store.segments(scope, ids=[segment_id]) or store.segments(scope, ids=[segment_id], archived=True)
    return found[0]


def fact(fact_id: str, *page_ids: str, text: str = "likes tea") -> Fact:
    """A fact about the user."""
    return Fact(fact_id, "user", text, T0, T0, page_ids=page_ids)


def trait(dimension: str, *page_ids: str, reason: str = "asks a lot", since: datetime = T0) -> Trait:
    """A high trait."""
    return Trait(dimension, "high", reason, since, page_ids)


def field(name: str, value: str, *page_ids: str, since: datetime = T0) -> ProfileField:
    """A profile field."""
    return ProfileField(name, value, since, page_ids)


def learn(
    store: Store,
    *facts: Fact,
    scope: Scope = ALICE,
    changes: Sequence[FactChange] = (),
    traits: Sequence[Trait] = (),
    profile: Sequence[ProfileField] = (),
    vectors: Sequence[VectorRow] = (),
) -> None:
    """Promote findings without a segment."""
    learning = Learning(facts, tuple(vectors), tuple(changes), tuple(traits), tuple(profile))
    store.promote(Promotion(scope, learning, T0))


def supersede(old: str, new: str) -> FactChange:
    """Build the change that replaces one fact by another."""
    return FactChange(old, status="superseded", valid_until=T0 + DAY, superseded_by=new)


def embed(store: Store, *pages: Page, scope: Scope = ALICE, of: Vector | None = None) -> None:
    """Give both halves of each page the same vector."""
    row = vector(0, 1) if of is None else of
    store.save_vectors(scope, [VectorRow(page.id, half, row) for page in pages for half in ("user", "assistant")])


def ids(store: Store, scope: Scope = ALICE) -> list[str]:
    """Every page of a scope, oldest first."""
    return [page.id for page in store.pages(PageQuery(scope))]


def texts(pages: Sequence[Page]) -> list[str]:
    """Return the user messages of some pages."""
    return [page.messages[0].text for page in pages]


def profile_of(store: Store, scope: Scope = ALICE) -> tuple[dict[str, str], dict[str, str]]:
    """Profile fields by name, and reasons of traits by dimension."""
    profile: Profile = store.profile(scope)
    return {f.name: f.value for f in profile.fields}, {t.dimension: t.reason for t in profile.traits}


def follow(store: Store, mirror: Mirror, after: Cursor, *, scope: Scope = ALICE, limit: int = 3) -> Cursor:
    """Read the feed to its end, as a cache does, starting again when the epoch has changed."""
    if store.cursor(scope).epoch != after.epoch:
        mirror.clear()
    while True:
        feed = store.feed(scope, after, limit=limit)
        mirror.update((page.id, page) for page in feed.pages)
        after = feed.cursor
        if not feed.more:
            return after


def everything(store: Store, scope: Scope = ALICE) -> tuple[object, ...]:
    """Return all that the core verbs read of a scope, to compare before and after."""
    return (
        store.pages(PageQuery(scope)),
        store.segments(scope),
        store.segments(scope, archived=True),
        store.facts(scope, current=False),
        store.profile(scope),
    )
