"""Visits wait until somebody counts them, once a recall."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta, timezone

import pytest

from memoryos_core.errors import StoreBusyError
from memoryos_core.testing.fakes import FixedClock
from memoryos_core.tiers.mid_term import Visits
from memoryos_core.values.commands import Visit
from memoryos_core.values.dialogue import HeatCounters, Hit, Recall, Scope
from tests.faults.test_interrupted import Interrupting

NOW = datetime(2024, 5, 1, tzinfo=timezone.utc)
ADA, BOB = Scope("ada"), Scope("bob")


class Counting:
    """The two verbs of a store that visits use."""

    def __init__(self) -> None:
        self.visits: list[Visit] = []
        self.refuse = ""

    def heat_counters(self, scope: Scope, ids: Sequence[str]) -> dict[str, HeatCounters]:
        mine = [v for v in self.visits if v.scope == scope]
        counted = {i: [v.at for v in mine if i in v.segment_ids] for i in ids if i != "unknown"}
        return {i: HeatCounters(len(at), 2, max(at, default=None)) for i, at in counted.items()}

    def visit(self, visit: Visit) -> None:
        if self.refuse in visit.segment_ids:
            raise StoreBusyError("refused")
        self.visits.append(visit)


def recall(*segments: str | None, facts: tuple[str, ...] = ()) -> Recall:
    pages = [Hit("page", f"p{i}", "x", 1.0, NOW, "mid_term", segment_id=s) for i, s in enumerate(segments)]
    known = [Hit("fact", f, "x", 1.0, NOW, "long_term") for f in facts]
    return Recall("q", "text", 1, 100, hits=(*pages, *known))


def make() -> tuple[Counting, Visits]:
    store = Counting()
    return store, Visits(store, FixedClock(NOW))  # type: ignore[arg-type]


def test_the_segments_of_the_best_hits_are_visited() -> None:
    store = Counting()
    visits = Visits(store, FixedClock(NOW), most=2)  # type: ignore[arg-type]
    visits.note(ADA, recall("g1", "g2", "g3", "g2", "g1"))
    visits.note(ADA, recall("g1", "g2", "g2", "g3", "g3"))
    strayed, best, other, weak = recall("g1", "g2", "g3", "g1").hits  # as they are packed, not as they are ranked
    best, weak = replace(best, score=2.0), replace(weak, score=0.1)
    visits.note(ADA, Recall("q", "text", 1, 100, hits=(strayed, best, other)))
    many = tuple(replace(other, id=f"m{i}") for i in range(7))
    visits.note(ADA, Recall("q", "text", 1, 100, hits=(weak, weak, best, *many)))
    visits.count()
    assert [v.segment_ids for v in store.visits] == [("g1", "g2"), ("g1", "g2"), ("g2",), ("g2", "g3")]


def test_nothing_is_written_until_it_is_counted() -> None:
    store, visits = make()
    visits.note(ADA, recall("g1"))
    assert store.visits == []
    assert visits.count() == 1
    assert store.visits == [Visit(ADA, ("g1",), NOW, ())]
    assert visits.count() == 0


def test_a_segment_counts_once_a_recall_however_many_of_its_pages_came() -> None:
    store, visits = make()
    visits.note(ADA, recall("g1", "g1", "g2", None, facts=("f1",)))
    visits.note(ADA, recall("g1"))
    visits.count()
    assert [(v.segment_ids, v.fact_ids) for v in store.visits] == [(("g1", "g2"), ("f1",)), (("g1",), ())]


def test_a_recall_of_nothing_but_short_term_pages_is_no_visit() -> None:
    store, visits = make()
    visits.note(ADA, recall(None))
    visits.note(ADA, recall())
    assert visits.count() == 0
    assert store.visits == []


def test_one_scope_can_be_counted_alone() -> None:
    store, visits = make()
    visits.note(ADA, recall("g1"))
    visits.note(BOB, recall("g2"))
    assert visits.count(BOB) == 1
    assert [v.scope for v in store.visits] == [BOB]
    assert visits.count() == 1


def test_what_nobody_counts_does_not_pile_up() -> None:
    store, visits = make()
    for i in range(1500):
        visits.note(ADA, recall(f"g{i}"))
    assert visits.count() == 1000
    assert store.visits[0].segment_ids == ("g500",)


def test_what_the_store_refuses_is_counted_later_in_the_same_order_and_once() -> None:
    store, visits = make()
    for segment in ("g1", "g2", "g3"):
        visits.note(ADA, recall(segment))
    store.refuse = "g2"
    with pytest.raises(StoreBusyError):
        visits.count()
    assert [v.segment_ids for v in store.visits] == [("g1",)]
    store.refuse = ""
    assert visits.count() == 2
    assert [v.segment_ids for v in store.visits] == [("g1",), ("g2",), ("g3",)]
    assert visits.count() == 0


def test_threads_that_note_and_count_lose_and_repeat_nothing() -> None:
    store, visits = make()

    def note(who: int) -> None:
        for i in range(100):
            visits.note(ADA, recall(f"g{who}-{i}"))
            if i % 10 == 0:
                visits.count(ADA)

    threads = [threading.Thread(target=note, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    visits.count()
    assert sorted(v.segment_ids[0] for v in store.visits) == sorted(f"g{n}-{i}" for n in range(4) for i in range(100))


def test_what_waits_is_in_the_counters_as_if_it_had_been_counted() -> None:
    clock = FixedClock(NOW)
    store = Counting()
    visits = Visits(store, clock)  # type: ignore[arg-type]
    for hours, found in ((2, recall("g1", "g2")), (1, recall("g1", "unknown")), (3, recall("g3"))):
        clock.set(NOW + timedelta(hours=hours))
        visits.note(ADA, found)
    visits.note(BOB, recall("g1"))
    ids = ("g1", "g2", "unknown")
    waiting = visits.heat_counters(ADA, ids)
    assert waiting["g1"] == HeatCounters(2, 2, NOW + timedelta(hours=2))
    assert store.visits == []
    visits.count(ADA)
    assert visits.heat_counters(ADA, ids) == waiting


def test_a_recall_beside_one_that_counts_sees_each_visit_once() -> None:
    store, visits = make()
    write = store.visit

    def slowly(visit: Visit) -> None:
        write(visit)
        time.sleep(0.002)

    store.visit = slowly  # type: ignore[method-assign]
    for _ in range(50):
        visits.note(ADA, recall("g1"))
    thread = threading.Thread(target=visits.count)
    thread.start()
    seen = []
    while thread.is_alive():
        seen.append(visits.heat_counters(ADA, ("g1",))["g1"].n_visit)
    thread.join()
    assert set(seen) == {50}


def test_a_recall_does_not_wait_for_a_store_that_is_locked() -> None:
    store, visits = make()
    entered, leave = threading.Event(), threading.Event()

    def locked(visit: Visit) -> None:
        entered.set()
        assert leave.wait(60)

    store.visit = locked  # type: ignore[method-assign]
    visits.note(ADA, recall("g1"))
    thread = threading.Thread(target=visits.count)
    thread.start()
    assert entered.wait(60)
    try:
        assert visits.heat_counters(ADA, ("g1",))["g1"].n_visit == 1
    finally:
        leave.set()
        thread.join()


# An interrupt inside a finalizer cannot leave it: Python reports it and goes on.
@pytest.mark.filterwarnings("ignore:(?s)Exception ignored.*KeyboardInterrupt:pytest.PytestUnraisableExceptionWarning")
def test_no_interrupt_leaves_a_visit_in_flight_or_a_lock_taken() -> None:
    _, visits = make()
    verbs: tuple[Callable[[], object], ...] = (lambda: visits.heat_counters(ADA, ["g1"]), visits.count)
    for verb in verbs:
        visits.note(ADA, recall("g1"))
        whole = Interrupting()
        whole.run(verb)
        for at in range(1, whole.seen + 1):
            visits.note(ADA, recall("g1"))
            with contextlib.suppress(KeyboardInterrupt):
                Interrupting(at).run(verb)
            elsewhere = threading.Thread(target=visits.count, daemon=True)
            elsewhere.start()
            elsewhere.join(5)
            assert not elsewhere.is_alive(), at
            assert not visits._in_flight
