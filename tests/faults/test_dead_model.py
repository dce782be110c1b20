"""A model, or an embedder, that is dead for an hour and then back: nothing lost, nothing hoarded, all done in order.

The hour is the injected clock's: sixty tries, a minute apart.
"""

from __future__ import annotations

import gc
import json
import logging
from collections.abc import Iterator, Sized
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from memoryos_core import ChatRequest, MemoryOS, ModelError, Page, WorkerConfig
from memoryos_core.testing.fakes import FixedClock, KeywordEmbedder, ScriptedChat
from memoryos_core.values.events import Event, PagedOut
from tests.faults.opening import broken_laws, small, url

USERS = ("ada", "bob")
MINUTES = 60


@dataclass
class World:
    """A memory whose models die and come back, a minute at a time."""

    memory: MemoryOS
    clock: FixedClock
    embedder: KeywordEmbedder
    chat: ScriptedChat
    alive: dict[str, bool]
    moved: dict[str, list[str]]
    added: dict[str, list[str]]

    def minute(self, pages: int = 2) -> None:
        """Everybody goes on talking, and the worker tries."""
        self.clock.tick(60)
        for name in USERS:
            user = self.memory.user(name)
            for _ in range(pages):
                number = len(self.added[name])
                page = user.add(f"I planted tree number {number} by the river.", f"Tree {number} likes {name}.")
                self.added[name].append(page.id)
        self.work()

    def work(self) -> None:
        for name in USERS:
            with suppress(ModelError):
                self.memory.user(name).consolidate()

    def waiting(self) -> int:
        """Entries of every queue that the memory holds in RAM."""
        engine = self.memory._engine
        worker = engine.worker
        queues: tuple[Sized, ...] = (worker._wanted, worker._busy, worker._postponed._waiting, worker._postponed._tries)
        return sum(len(queue) for queue in queues) + len(engine.visits._waiting) + len(engine.leases._held)

    def resident(self) -> int:
        """Pages of this memory that are in RAM, however many others the process holds."""
        gc.collect()
        ours = set().union(*self.added.values())
        return sum(type(thing) is Page and thing.id in ours for thing in gc.get_objects())


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    gc.collect()
    gc.freeze()  # what other tests left, of which there are millions of objects, need not be looked through again
    path, clock, alive = tmp_path / "m.db", FixedClock(), {"model": True}
    moved: dict[str, list[str]] = {name: [] for name in USERS}

    def answer(request: ChatRequest) -> str:
        if not alive["model"]:
            raise ModelError("HTTP 503")
        shape = {"chains": [{"first": 1, "summary": "Trees."}], "facts": [], "profile": [], "traits": []}
        topic = {"pages": list(range(1, 50)), "summary": "The model's own words.", "keywords": ["tree"]}
        return json.dumps({**shape, "continues_previous": True, "topics": [topic]})

    def hook(event: Event) -> None:
        if isinstance(event, PagedOut):
            moved[event.scope.user_id] += event.page_ids

    chat, embedder = ScriptedChat(answer), KeywordEmbedder()
    config = replace(small(), worker=WorkerConfig(mode="manual", attempts=1))
    memory = MemoryOS(url(path), embedder=embedder, llm=chat, config=config, clock=clock, on_event=hook)
    with memory:
        yield World(memory, clock, embedder, chat, alive, moved, {name: [] for name in USERS})
    assert broken_laws(path) == {}


class DownError(ModelError):
    """A server that does not answer."""

    def __init__(self) -> None:
        super().__init__("HTTP 503")


def test_an_hour_without_a_model_is_read_again_when_it_is_back(world: World, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.ERROR)  # what is logged is kept by the test itself, and is not what is counted
    world.alive["model"] = False
    waiting: list[int] = []
    pages: list[int] = []
    for minute in range(MINUTES):
        world.minute()
        waiting.append(world.waiting())
        pages += [world.resident()] if minute % 10 == 9 else []
    stored = 2 * MINUTES * len(USERS)
    assert world.memory.stats().pages == stored
    assert world.memory.stats().pages_short_term == 2 * len(USERS)  # its twin moved them all the same
    marked = [world.memory.backlog().pages_to_reread]
    assert marked[0] == stored - 2 * len(USERS)
    assert max(waiting) <= len(USERS)
    assert max(pages) < stored / 4, "what waits, waits in the store"
    calls = world.chat.calls
    world.alive["model"] = True
    while marked[-1]:
        world.work()
        marked.append(world.memory.backlog().pages_to_reread)
        assert marked[-1] < marked[-2], "every run gets on"
    assert world.chat.calls > calls
    for name in USERS:
        user = world.memory.user(name)
        assert [p.id for p in user.pages()] == world.added[name]
        assert world.moved[name] == world.added[name][:-2]  # each once, in the order in which they were said
        assert all("The model's own words." in s.summary for s in user.segments())
    assert world.memory.usage().failures > 0


def test_an_hour_without_an_embedder_drains_in_order_when_it_is_back(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.ERROR)
    world.embedder.failure = DownError  # type: ignore[assignment]  # a new one for every call: each keeps where it was raised
    waiting: list[int] = []
    pages: list[int] = []
    for minute in range(MINUTES):
        world.minute()
        waiting.append(world.waiting())
        pages += [world.resident()] if minute % 10 == 9 else []
        assert world.memory.backlog().pages == 2 * (minute + 1) * len(USERS)
        assert world.memory.user("ada").search("tree number 0", k=1)  # by words alone
    stored = 2 * MINUTES * len(USERS)
    assert world.memory.stats().pages_short_term == stored
    assert world.moved == {name: [] for name in USERS}
    assert max(waiting) <= len(USERS)
    assert max(pages) < stored / 4
    world.embedder.failure = None
    world.work()
    assert world.memory.backlog().pages == 0
    assert world.moved == {name: world.added[name][:-2] for name in USERS}
    stats = world.memory.stats()
    assert (stats.pages, stats.pages_short_term) == (stored, 2 * len(USERS))
