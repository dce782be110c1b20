"""Mid-term memory over a real store: topics find their segment, heat says what is due and what goes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta, timezone

import numpy as np
import pytest

from memoryos_core.config import HeatConfig, MemoryConfig, MidTermConfig
from memoryos_core.ports import Store
from memoryos_core.stores import open_store
from memoryos_core.testing.fakes import FixedClock
from memoryos_core.tiers.mid_term import Known, MidTerm, TopicPages
from memoryos_core.values.commands import Append, NewPage
from memoryos_core.values.dialogue import Message, Page, Scope, Segment, Vector

NOW = datetime(2024, 5, 1, tzinfo=timezone.utc)
ADA = Scope("ada")
EAST, NORTH = (np.array(v, dtype=np.float32) for v in ((1, 0), (0, 1)))


@pytest.fixture
def store() -> Iterator[Store]:
    opened = open_store("sqlite://")
    yield opened
    opened.close()


def tier(store: Store, clock: FixedClock | None = None, config: MemoryConfig | None = None) -> MidTerm:
    return MidTerm(store, config or MemoryConfig(), clock or FixedClock(NOW), lambda old, new: f"{old}+{new}")


def pages(store: Store, n: int, *, at: datetime = NOW) -> tuple[Page, ...]:
    new = NewPage((Message("user", "hi", timestamp=at), Message("assistant", "ho", timestamp=at)), 2, open=False)
    return store.append(Append(ADA, "s", (new,) * n, at))


def topic(some: Sequence[Page], vector: Vector, *keywords: str) -> TopicPages:
    return TopicPages(tuple(some), (vector,) * len(some), "+".join(keywords) or "topic", keywords)


def known_in(store: Store) -> Known:
    known = Known(store, ADA)
    known.refresh(store.cursor(ADA).epoch)
    return known


def move(store: Store, mid_term: MidTerm, *topics: TopicPages) -> tuple[str, ...]:
    chain_of = {p.id: "chain" for t in topics for p in t.pages}
    placement = mid_term.place(ADA, known_in(store), topics, chain_of, reread=False)
    store.page_out(placement.page_out)
    return placement.opened


def test_the_first_topic_opens_a_segment(store: Store) -> None:
    mid_term = tier(store)
    some = pages(store, 2)
    placement = mid_term.place(
        ADA, known_in(store), [topic(some, EAST, "bees", "honey")], {p.id: "c" for p in some}, reread=True
    )
    (segment,) = placement.page_out.segments
    assert placement.opened == (segment.id,)
    assert (segment.keywords, segment.page_count, segment.rev) == (("bees", "honey"), 2, 0)
    assert [(m.page_id, m.segment_id, m.chain_id, m.reread) for m in placement.page_out.moves] == [
        (p.id, segment.id, "c", True) for p in some
    ]
    assert store.segments(ADA) == ()


def test_a_topic_joins_the_segment_with_the_best_f_and_a_far_one_opens_its_own(store: Store) -> None:
    mid_term = tier(store)
    first = move(store, mid_term, topic(pages(store, 1), EAST, "bees"))
    assert move(store, mid_term, topic(pages(store, 1), EAST, "honey")) == ()
    assert len(move(store, mid_term, topic(pages(store, 1), NORTH, "opera"))) == 1
    joined = next(s for s in store.segments(ADA) if s.id in first)
    assert (joined.summary, joined.keywords, joined.page_count) == ("bees+honey", ("honey", "bees"), 2)


def test_topics_of_one_batch_may_share_the_segment_that_the_first_of_them_opens(store: Store) -> None:
    some = pages(store, 3)
    opened = move(store, tier(store), topic(some[:1], EAST, "bees"), topic(some[1:], EAST, "bees"))
    assert len(opened) == 1
    assert [s.page_count for s in store.segments(ADA)] == [3]


def test_theta_decides(store: Store) -> None:
    strict = replace(MemoryConfig(), mid_term=MidTermConfig(join_threshold=1.9))
    mid_term = tier(store, config=strict)
    move(store, mid_term, topic(pages(store, 1), EAST, "bees"))
    assert len(move(store, mid_term, topic(pages(store, 1), EAST, "honey"))) == 1
    assert len(move(store, mid_term, topic(pages(store, 1), EAST, "bees"))) == 0


def test_keywords_are_bounded(store: Store) -> None:
    few = replace(MemoryConfig(), mid_term=MidTermConfig(max_keywords=2))
    move(store, tier(store, config=few), topic(pages(store, 1), EAST, "bees", "honey", "wax"))
    assert store.segments(ADA)[0].keywords == ("bees", "honey")


def test_access_is_in_conversation_time_and_never_goes_back(store: Store) -> None:
    mid_term = tier(store)
    old, older = NOW - timedelta(days=100), NOW - timedelta(days=300)
    move(store, mid_term, topic(pages(store, 1, at=old), EAST, "bees"))
    assert store.segments(ADA)[0].last_access == old
    move(store, mid_term, topic(pages(store, 1, at=older), EAST, "bees"))
    assert store.segments(ADA)[0].last_access == old
    move(store, mid_term, topic(pages(store, 1, at=NOW + timedelta(days=9)), EAST, "bees"))
    assert store.segments(ADA)[0].last_access == NOW + timedelta(days=9)


class Untouched:
    """A store with one segment that nobody ever touched, as another store may keep it."""

    def segments(self, scope: Scope) -> tuple[Segment, ...]:
        return (Segment("g", "old", ("bees",), EAST, page_count=1),)


def test_a_segment_that_was_never_touched_takes_the_time_of_the_pages(store: Store) -> None:
    mid_term = MidTerm(Untouched(), MemoryConfig(), FixedClock(NOW), lambda old, new: new)  # type: ignore[arg-type]
    some = pages(store, 1, at=NOW - timedelta(days=5))
    known = Known(Untouched(), ADA)  # type: ignore[arg-type]
    known.refresh(0)
    placement = mid_term.place(ADA, known, [topic(some, EAST, "bees")], {some[0].id: "c"}, reread=False)
    assert placement.opened == ()
    assert placement.page_out.segments[0].last_access == NOW - timedelta(days=5)


def test_hot_segments_are_those_that_reached_tau_with_unread_pages_whenever_it_is_looked(store: Store) -> None:
    clock = FixedClock(NOW)
    mid_term = tier(store, clock)
    move(store, mid_term, topic(pages(store, 4), EAST, "bees"))
    move(store, mid_term, topic(pages(store, 3), NORTH, "opera"))
    assert [s.page_count for s in mid_term.hot(ADA)] == [4]
    clock.tick(3e9)  # a worker that comes by late
    assert [s.page_count for s in mid_term.hot(ADA)] == [4]
    assert mid_term.hot(ADA, [s.id for s in store.segments(ADA) if s.page_count == 3]) == ()


def test_beyond_capacity_the_coldest_go(store: Store) -> None:
    clock = FixedClock(NOW)
    config = replace(MemoryConfig(), mid_term=MidTermConfig(capacity_segments=1, archive=False), heat=HeatConfig())
    mid_term = tier(store, clock, config)
    (warm,) = move(store, mid_term, topic(pages(store, 4), EAST, "bees"))
    assert mid_term.overfull(ADA) is None
    (cold,) = move(store, mid_term, topic(pages(store, 1), NORTH, "opera"))
    eviction = mid_term.overfull(ADA)
    assert eviction is not None
    assert (eviction.segment_ids, eviction.archive, eviction.at) == ((cold,), False, NOW)
    assert warm not in eviction.segment_ids
