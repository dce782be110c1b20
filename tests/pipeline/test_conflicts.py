"""When somebody else was faster, or the model answers again at last: conflicts and re-readings of the way in."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime, timezone

import pytest

from memoryos_core import (
    ChatRequest,
    ConflictError,
    LongTermConfig,
    MemoryConfig,
    MemoryOS,
    ModelError,
    ShortTermConfig,
    WorkerConfig,
)
from memoryos_core.consolidation.page_out import _chains
from memoryos_core.extract.page_out import Batch, Description
from memoryos_core.ports import Store
from memoryos_core.stores import open_store
from memoryos_core.testing.fakes import FixedClock, ScriptedChat
from memoryos_core.values.commands import Eviction, PageOut, PageQuery, Promotion, Redescription
from memoryos_core.values.dialogue import Message, Page, Scope, Segment
from memoryos_core.values.events import Event, StepFailed
from tests.pipeline.test_updater import model_answer

NOW = datetime(2024, 1, 1, tzinfo=timezone.utc)
SMALL = MemoryConfig(
    short_term=ShortTermConfig(capacity_pages=2, batch_pages=4), worker=WorkerConfig(mode="manual", attempts=1)
)


class Rival:
    """A real store beside which somebody else works: his doings come just before ours are refused."""

    def __init__(self) -> None:
        self.store: Store = open_store("sqlite://")
        self.refuse: dict[str, int] = {}
        self.before: dict[str, Callable[[object], object]] = {}
        self.read: dict[str, Callable[[], object]] = {}

    def _contended(self, verb: str, move: object) -> None:
        if self.refuse.get(verb, 0):
            self.refuse[verb] -= 1
            self.before.get(verb, lambda _: None)(move)
            raise ConflictError("pages have changed meanwhile; read again")

    def pages(self, query: PageQuery) -> tuple[Page, ...]:
        found = self.store.pages(query)
        if query.reread and found:
            self.read.pop("pages", lambda: None)()
        return found

    def page_out(self, move: PageOut) -> None:
        self._contended("page_out", move)
        self.store.page_out(move)

    def promote(self, move: Promotion) -> None:
        self._contended("promote", move)
        self.store.promote(move)

    def redescribe(self, move: Redescription) -> None:
        self._contended("redescribe", move)
        self.store.redescribe(move)

    def __getattr__(self, name: str) -> object:
        return getattr(self.store, name)


@pytest.fixture
def rival() -> Rival:
    return Rival()


@pytest.fixture
def events() -> list[Event]:
    return []


@pytest.fixture
def make(rival: Rival, events: list[Event]) -> Iterator[Callable[..., MemoryOS]]:
    opened: list[MemoryOS] = []

    def memory(llm: ScriptedChat | None = None, config: MemoryConfig = SMALL) -> MemoryOS:
        opened.append(
            MemoryOS(rival, embedder=None, llm=llm, config=config, clock=FixedClock(NOW), on_event=events.append)  # type: ignore[arg-type]
        )
        return opened[-1]

    yield memory
    for one in opened:
        one.close()


def bees(memory: MemoryOS, turns: int = 10) -> None:
    for i in range(turns):
        memory.user("ada").add(f"I keep bees in hive {i}.", "The bees in that hive hum.")


def pages(rival: Rival) -> tuple[Page, ...]:
    return rival.store.pages(PageQuery(Scope("ada")))


def describe_only(request: ChatRequest) -> str:
    """Describes pages and learns nothing from them."""
    if request.schema_name == "page_out":
        return model_answer(request)
    return json.dumps({"facts": [], "profile": [], "traits": []})


def test_a_batch_that_changed_meanwhile_is_read_again(make, rival: Rival) -> None:
    memory = make()
    bees(memory)
    rival.refuse["page_out"] = 2
    report = memory.user("ada").consolidate()
    assert (report.conflicts, report.pages_moved) == (2, 8)


def test_a_batch_that_somebody_else_moved_is_not_moved_again(make, rival: Rival) -> None:
    memory = make()
    bees(memory, 6)
    rival.refuse["page_out"] = 1
    rival.before["page_out"] = rival.store.page_out  # type: ignore[assignment]
    report = memory.user("ada").consolidate()
    assert (report.conflicts, report.pages_moved) == (1, 0)
    assert memory.user("ada").stats().pages_mid_term == 4


def test_a_batch_that_never_rests_is_an_error_and_stays(make, rival: Rival) -> None:
    memory = make()
    bees(memory)
    rival.refuse["page_out"] = 99
    with pytest.raises(ConflictError):
        memory.user("ada").consolidate()
    assert rival.refuse["page_out"] == 99 - 5
    assert memory.user("ada").stats().pages_short_term == 10


def test_what_is_forgotten_beside_a_batch_is_progress_and_no_reason_to_give_up(make, rival: Rival) -> None:
    memory = make()
    ada = memory.user("ada")
    facts = [ada.remember(f"Ada owns boat number {i}") for i in range(9)]
    bees(memory)
    rival.refuse["page_out"] = 9
    rival.before["page_out"] = lambda _: ada.forget(facts=[facts.pop()])
    report = ada.consolidate()
    assert (report.conflicts, report.pages_moved, facts) == (9, 8, [])


def test_what_is_forgotten_while_it_is_read_again_is_not_written_back(make, rival: Rival) -> None:
    ada = make().user("ada")
    for word in ("alder", "birch", "cedar", "damson", "elder", "fir"):
        ada.add(f"The {word} tree grows by the river in the valley.", f"The {word} tree by the river is noted.")
    ada.consolidate()
    first, second, *_ = [page.id for page in pages(rival) if page.segment_id]
    ada.forget(pages=[first])  # the segment has to be described again
    rival.read["pages"] = lambda: ada.forget(pages=[second])
    report = ada.consolidate()
    assert report.conflicts == 1
    assert rival.read == {}
    assert ada.consolidate().pages_reread == 2
    said = str(list(ada.export()))
    assert [word for word in ("alder", "birch", "cedar") if word in said] == ["cedar"]
    assert "cedar" in ada.segments()[0].summary


def test_pages_that_somebody_else_read_first_are_left_to_him(make, rival: Rival) -> None:
    memory = make()
    bees(memory)
    rival.refuse["promote"] = 1
    rival.before["promote"] = rival.store.promote  # type: ignore[assignment]
    report = memory.user("ada").consolidate()
    assert report.conflicts == 1
    assert all(p.analysed for p in pages(rival) if p.segment_id)


def marked(make, answer: Callable[[ChatRequest], str], turns: int = 10, config: MemoryConfig = SMALL) -> MemoryOS:
    """A memory whose pages were moved while the model was down; from now on it answers."""
    first: MemoryOS = make(ScriptedChat([], otherwise=ModelError("down")), config)
    bees(first, turns)
    first.user("ada").consolidate()
    assert first.user("ada").stats().pages_to_reread == turns - 2
    again: MemoryOS = make(ScriptedChat(answer), config)
    return again


def test_a_segment_that_changed_meanwhile_keeps_its_marks(make, rival: Rival) -> None:
    memory = marked(make, model_answer)
    rival.refuse["redescribe"] = 1
    report = memory.user("ada").consolidate()
    assert (report.conflicts, report.pages_reread) == (1, 0)
    assert memory.user("ada").stats().pages_to_reread == 8
    assert memory.user("ada").consolidate().pages_reread == 8
    assert memory.user("ada").stats().pages_to_reread == 0


def test_a_model_that_is_still_down_leaves_the_marks(make, events: list[Event]) -> None:
    memory = marked(make, lambda _: "no idea")
    events.clear()
    assert memory.user("ada").consolidate().pages_reread == 0
    assert [e.step for e in events if isinstance(e, StepFailed)] == ["reread"]
    assert memory.user("ada").stats().pages_to_reread == 8


@pytest.mark.parametrize(("reads", "read"), [("model_when_hot", False), ("everything", True)])
def test_pages_nobody_analysed_are_described_again_and_read_where_all_are(make, rival: Rival, reads, read) -> None:
    threes = replace(
        SMALL,
        short_term=ShortTermConfig(capacity_pages=2, batch_pages=3),
        long_term=LongTermConfig(reads=reads),
    )
    memory = marked(make, describe_only, turns=5, config=threes)
    assert [p.analysed for p in pages(rival) if p.segment_id] == [False] * 3
    assert memory.user("ada").consolidate().pages_reread == 3
    assert "The garden." in memory.user("ada").segments()[0].summary
    assert [p.analysed for p in pages(rival) if p.segment_id] == [read] * 3


def test_without_a_model_marks_wait_unless_the_description_is_blank(make, rival: Rival) -> None:
    marked(make, model_answer)
    memory = make()
    assert memory.user("ada").consolidate().pages_reread == 0
    (segment,) = rival.store.segments(Scope("ada"))
    blank: Segment = replace(segment, summary="", keywords=())
    rival.store.redescribe(Redescription(Scope("ada"), (), (blank,), ()))
    assert memory.user("ada").consolidate().pages_reread == 8
    described = rival.store.segments(Scope("ada"))[0]
    assert "bees" in described.summary
    assert described.keywords
    assert memory.user("ada").stats().pages_to_reread == 8


def test_marks_in_the_archive_do_not_keep_others_from_being_read_again(make, rival: Rival) -> None:
    down = ScriptedChat([], otherwise=ModelError("down"))
    first = make(down)
    bees(first, 70)
    first.user("ada").consolidate()
    (old,) = rival.store.segments(Scope("ada"))
    rival.store.evict(Eviction(Scope("ada"), (old.id,), NOW))
    for i in range(6):
        first.user("ada").add(f"The opera in Graz was sold out {i} times.", "A pity for the opera.")
    first.user("ada").consolidate()
    memory = make(ScriptedChat(model_answer))
    assert memory.user("ada").consolidate().pages_reread > 0
    assert all("The garden." in s.summary for s in rival.store.segments(Scope("ada")))


def chained(*chain_ids: str | None) -> Batch:
    words = ("alder", "birch", "cedar", "damson")
    said = [(Message("user", f"The {word} tree grows by the river."),) for word in words]
    return Batch(tuple(Page(f"p{i}", "s", i, said[i], NOW, chain_id=chain) for i, chain in enumerate(chain_ids)))


def test_a_page_without_a_chain_gets_no_chain_summary() -> None:
    described = Description((False,) * 3, {0: "The bees.", 1: "", 2: "The opera."}, ())
    assert [c.id for c in _chains(described, chained(None, "c1", "c2"), SMALL.mid_term)] == ["c2"]


def test_a_chain_says_nothing_of_another_chains_pages() -> None:
    """Forgetting those would leave it."""
    described = Description((False, True, True, False), {2: "The alder, the birch, the cedar.", 3: "The damson."}, ())
    mixed = _chains(described, chained("x", "y", "x", "y"), SMALL.mid_term)
    assert {chain.id: [w for w in ("alder", "birch", "cedar", "damson") if w in chain.summary] for chain in mixed} == {
        "x": ["alder", "cedar"],
        "y": ["damson"],
    }
    alone = _chains(described, chained("x", "x", "x", "y"), SMALL.mid_term)
    assert alone[0].summary == "The alder, the birch, the cedar."
