"""Hosts whose clocks are hours apart, on one store: order is that of arrival, nothing is lost, nothing starves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from memoryos_core import HeatConfig, MemoryOS, Message, MidTermConfig
from memoryos_core.ports.capabilities import LeaseStore, capability
from memoryos_core.testing.fakes import FixedClock
from tests.faults.opening import broken_laws, said, slow_to_promote, small, talk, url

NOON = datetime(2024, 5, 1, 12, tzinfo=timezone.utc)
HOURS = 9


@pytest.fixture
def path(tmp_path: Path) -> Iterator[Path]:
    path = tmp_path / "m.db"
    yield path
    assert broken_laws(path) == {}


class Hosts:
    """Two hosts, one behind and one ahead of the true time, each with a memory on the same store."""

    def __init__(self, path: Path) -> None:
        self.clocks = FixedClock(NOON - timedelta(hours=HOURS)), FixedClock(NOON + timedelta(hours=HOURS))
        config = replace(small(), heat=HeatConfig(threshold=3.0))
        self.memories = [MemoryOS(url(path), embedder=None, config=config, clock=clock) for clock in self.clocks]
        self.behind, self.ahead = (memory.user("ada") for memory in self.memories)

    def __enter__(self) -> Hosts:
        return self

    def __exit__(self, *_: object) -> None:
        for memory in self.memories:
            memory.close()


def test_turns_of_both_hosts_stay_in_the_order_they_came(path: Path) -> None:
    with Hosts(path) as hosts:
        turns = [f"Turn {i} about trees." for i in range(10)]
        for i, turn in enumerate(turns):
            (hosts.ahead, hosts.behind)[i % 2].add(turn, f"Answer {i}.")
        for user in (hosts.behind, hosts.ahead):
            assert said(user.transcript())[::2] == turns
            assert said(user.messages())[-2:] == ["Turn 9 about trees.", "Answer 9."]
        hosts.behind.consolidate()
        hosts.ahead.consolidate()
        assert said(hosts.behind.transcript())[::2] == turns
        assert [p.seq for p in hosts.ahead.pages()] == sorted(p.seq for p in hosts.ahead.pages())
        # The oldest left short-term memory, whatever their own clocks said.
        kept = [p.messages[0].text for p in hosts.ahead.pages() if p.tier == "short_term"]
        assert kept == turns[-2:]


def test_a_turn_begun_on_one_host_and_answered_on_the_other_is_one_page(path: Path) -> None:
    with Hosts(path) as hosts:
        hosts.ahead.add_messages([Message("user", "Where is my boat?")])
        (page,) = hosts.behind.add_messages([Message("assistant", "In Malta.")])
        assert said(page.messages) == ["Where is my boat?", "In Malta."]
        assert hosts.ahead.stats().pages == 1


def test_a_visit_from_the_future_makes_nothing_hotter_than_a_visit_now(path: Path) -> None:
    with Hosts(path) as hosts:
        talk(hosts.behind, 6)
        hosts.behind.consolidate()
        (segment, *_) = hosts.behind.segments()
        hosts.ahead.recall("Which tree did I plant by the river?")
        hosts.memories[1].flush()  # counts the visit with the time of the host that is ahead
        seen_behind = {s.id: (s, hosts.behind.heat(s)) for s in hosts.behind.segments()}
        visited, heat = seen_behind[segment.id]
        assert visited.n_visit == segment.n_visit + 1
        assert visited.last_access is not None
        assert visited.last_access > hosts.clocks[0]()
        config = hosts.memories[0].config.heat
        assert heat <= config.alpha * visited.n_visit + config.beta * visited.l_interaction + config.gamma
        # And one from the past cools nothing below what it was.
        hosts.behind.recall("Which tree did I plant by the river?")
        hosts.memories[0].flush()
        again = next(s for s in hosts.behind.segments() if s.id == segment.id)
        assert again.n_visit == visited.n_visit + 1
        assert hosts.ahead.heat(again) > 0


def test_what_the_host_ahead_learnt_is_known_on_the_host_behind(path: Path) -> None:
    """Learnt, by its clock, hours from now: current all the same, and replaced by what comes later."""
    with Hosts(path) as hosts:
        fact = hosts.ahead.remember("Owns a boat.")
        assert [f.text for f in hosts.behind.facts()] == ["Owns a boat."]
        assert hosts.behind.search("boat", k=1)[0].text == "Owns a boat."
        assert "Owns a boat." in str(hosts.behind.recall("Who owns a boat?"))
        hosts.behind.correct(fact.id, "Sold the boat.")
        for user in (hosts.behind, hosts.ahead):
            assert [f.text for f in user.facts()] == ["Sold the boat."]
            assert {f.status for f in user.facts(current=False)} == {"current", "superseded"}


def test_pages_move_and_segments_are_evicted_whichever_host_does_it(path: Path) -> None:
    clocks = FixedClock(NOON - timedelta(hours=HOURS)), FixedClock(NOON + timedelta(hours=HOURS))
    config = replace(slow_to_promote(small()), mid_term=MidTermConfig(capacity_segments=2))
    config = replace(config, short_term=replace(config.short_term, idle_hours=None))  # the clocks are hours apart
    subjects = (
        "My boat lost its rudder.",
        "Bread rises in the oven.",
        "Bach wrote for the cello.",
        "A tree has roots.",
    )
    memories = [MemoryOS(url(path), embedder=None, config=config, clock=c) for c in clocks]
    try:
        for i in range(16):
            user = memories[i % 2].user("ada")
            user.add(subjects[i // 4], subjects[i // 4])
            user.consolidate()
        stats = memories[0].stats()
        assert (stats.pages, stats.pages_short_term) == (16, 2)
        assert stats.segments <= 2
        assert stats.pages_archived > 0
        assert memories[0].user("ada").search("rudder", k=1)
    finally:
        for memory in memories:
            memory.close()


def test_a_lease_is_as_long_as_the_stores_clock_says(path: Path) -> None:
    """A host that is hours ahead takes over nobody's scope: leases are told by one clock, the database's."""
    with Hosts(path) as hosts:
        talk(hosts.behind, 6)
        behind, ahead = (capability(memory._engine.parts.store, LeaseStore) for memory in hosts.memories)
        assert behind.lease(hosts.behind.scope, "behind", 600)
        assert ahead.claim("ahead", 600) == ()
        assert not ahead.lease(hosts.ahead.scope, "ahead", 600)
        behind.release(hosts.behind.scope, "behind")
        assert ahead.lease(hosts.ahead.scope, "ahead", 600)
