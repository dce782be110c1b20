"""A view of 10,000 turns and 3,000 facts does no more work than one of 200 and 140: the same statements and rows."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from sqlalchemy import event
from sqlalchemy.engine import Engine

from benchmarks.views import CONFIG, VIEWS, records
from memoryos_core import InvalidInputError, MemoryOS
from memoryos_core.ops.inspector.identity import Identity
from memoryos_core.stores.sql import damage
from tests.surfaces.asgi import TOKEN, Tab

FEW, MANY = 200, 10_000
FACTS = {FEW: 140, MANY: 3_000}
# Words are looked for in all facts, and a question in all turns.
READS_ALL = frozenset({"words in knowledge", "empty bench", "recall"})
NOON = datetime(2026, 3, 1, 12, tzinfo=timezone.utc)


@contextmanager
def counted() -> Iterator[Counter[str]]:
    """Count the statements that any database gets, and the rows that are decoded."""
    work, split = Counter[str](), damage._split

    def note(*_: Any) -> None:
        work["statements"] += 1

    def read(*given: Any) -> Any:
        rows, damaged = split(*given)
        work["rows"] += len(rows)
        return rows, damaged

    event.listen(Engine, "before_cursor_execute", note)
    try:
        with patch.object(damage, "_split", read):
            yield work
    finally:
        event.remove(Engine, "before_cursor_execute", note)


@pytest.fixture(scope="module")
def tabs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[int, Tab]]:
    """Pages of two memories with as many topics, and very different numbers of turns and facts."""
    folder: Path = tmp_path_factory.mktemp("long")
    memories = {size: MemoryOS(f"sqlite:///{folder}/{size}.db", embedder=None, config=CONFIG) for size in (FEW, MANY)}
    for size, memory in memories.items():
        memory.restore(records(size, topics=5, facts=FACTS[size]))
    tabs = {size: Tab(Identity(memory, TOKEN, user="ann")) for size, memory in memories.items()}
    loop = asyncio.new_event_loop()
    for tab in tabs.values():  # what is read once and kept is read now
        loop.run_until_complete(tab.get("/person"))
    loop.close()
    yield tabs
    for memory in memories.values():
        memory.close()


async def work_of(tab: Tab, address: str) -> Counter[str]:
    path, _, query = address.partition("?")
    with counted() as work:
        assert (await tab.ask("GET", path, query)).status == 200
    return work


@pytest.mark.parametrize("view", [view for view in VIEWS if view not in READS_ALL])
async def test_a_view_does_the_same_work_for_a_short_memory_and_a_long_one(view: str, tabs: dict[int, Tab]) -> None:
    few, many = [await work_of(tabs[size], VIEWS[view]) for size in (FEW, MANY)]
    assert few == many
    assert 0 < many["statements"] < 40
    assert many["rows"] < 400


async def test_what_a_question_needs_is_read_behind_the_first_view_of_a_user(tmp_path: Path) -> None:
    rows: dict[str, list[int]] = {}
    for first in ("/overview", "/recall", ""):
        url = f"sqlite:///{tmp_path}/{len(rows)}.db"
        with MemoryOS(url, embedder=None, config=CONFIG) as memory:
            memory.restore(records(300))
        with MemoryOS(url, embedder=None, config=CONFIG) as memory:
            tab = Tab(Identity(memory, TOKEN, user="ann"))
            if first:
                await tab.get(first)
            rows[first] = [(await work_of(tab, VIEWS[view]))["rows"] for view in ("recall", "person", "recall")]
            asked = [recall.hits for recall in memory.user("ann").governance.recalls()]
            assert len(asked) == 2, "reading ahead is no recall"
    alone, again = rows[""][0], rows[""][2]
    assert alone - again >= 300
    for first in ("/overview", "/recall"):
        assert rows[first] == [again, rows[""][1], again]


async def test_what_a_question_needs_is_read_at_the_start_where_one_user_is_shown(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/m.db"
    with MemoryOS(url, embedder=None, config=CONFIG) as memory:
        memory.restore(records(300))
    with MemoryOS(url, embedder=None, config=CONFIG) as memory:
        async with Tab(Identity(memory, TOKEN, user="ann")).started() as tab:
            first, again = [(await work_of(tab, VIEWS["recall"]))["rows"] for _ in range(2)]
        assert first == again
        assert len([*memory.user("ann").governance.recalls()]) == 2, "reading ahead is no recall"
        async with Tab(Identity(memory, TOKEN)).started() as tab:  # whose memory will be opened is not known
            assert (await tab.get("/overview", user="ann")).status == 200


async def test_the_start_does_not_wait_for_a_memory_that_is_long_in_reading(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = threading.Event()
    monkeypatch.setattr("memoryos_core.ops.inspector.ahead._START_SECONDS", 0.05)
    with MemoryOS(f"sqlite:///{tmp_path}/m.db", embedder=None, config=CONFIG) as memory:
        memory.user("ann").add("I sing.", "Good.")
        monkeypatch.setattr("memoryos_core.ops.inspector.ahead._load_for", lambda _: held.wait(20))
        try:
            async with Tab(Identity(memory, TOKEN, user="ann")).started() as tab:
                assert (await tab.get("/overview")).status == 200
        finally:
            held.set()


async def test_nothing_is_read_ahead_for_an_actor(tmp_path: Path) -> None:
    with MemoryOS(f"sqlite:///{tmp_path}/m.db", embedder=None, config=CONFIG) as memory:
        memory.user("ann").governance.grant("coach", "curator")
        assert (await Tab(Identity(memory, TOKEN, user="ann", actor="coach")).get("/overview")).status == 200
        asked = {str(act.detail.get("verb")) for act in memory.user("ann").governance.audit() if act.actor == "coach"}
        assert "segments" in asked
        assert not asked & {"search", "profile", "disputes"}


async def test_the_last_part_of_a_long_list_is_read_by_itself(tabs: dict[int, Tab]) -> None:
    shown = await tabs[MANY].get("/pages", segment="t0", page="100")
    assert "page 100 of 100" in shown.text
    work = await work_of(tabs[MANY], "/pages?segment=t0&page=100")
    assert work["rows"] < 100


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def memory(request: pytest.FixtureRequest) -> Iterator[MemoryOS]:
    url = str(request.getfixturevalue("postgres_url")) if request.param == "postgresql" else "sqlite://"
    with MemoryOS(url, embedder=None, config=CONFIG) as memory:
        yield memory


def test_turns_are_counted_and_listed_in_parts(memory: MemoryOS) -> None:
    for number, name in enumerate(("spring", "summer", "spring", "autumn")):
        memory.user("ann", session_id=name).add(
            f"Thing {number}.", "Yes.", timestamp=NOON + timedelta(days=20 * number)
        )
    memory.user("bob").add("Not Ann's.", timestamp=NOON)
    ann = memory.user("ann", session_id="summer")
    ann.end_session()
    ann.consolidate()
    pages = ann.pages()
    months = {(c.month, c.tier): c.pages for c in ann.timeline.months()}
    assert months == Counter((page.timestamp.month, page.tier) for page in pages)
    assert {"mid_term"} <= {tier for _, tier in months}
    assert max(count.until for count in ann.timeline.months()) == NOON + timedelta(days=60)
    topics = [segment.id for segment in ann.segments()]
    counts = {(c.month, c.segment_id): c.pages for c in ann.timeline.months([*topics, "none"])}
    assert counts == Counter((page.timestamp.month, page.segment_id) for page in pages if page.segment_id)
    assert ann.timeline.months([]) == []
    spans = ann.timeline.sessions()
    assert [(s.id, s.pages) for s in spans] == [("autumn", 1), ("spring", 2), ("summer", 1)]
    assert (spans[1].since, spans[1].until) == (NOON, NOON + timedelta(days=40))
    assert ann.timeline.sessions(limit=1, offset=1) == [spans[1]]
    assert ann.timeline.sessions(["summer", "none"]) == [spans[2]]
    assert [p.text("user") for p in ann.timeline.pages(session="spring")] == ["Thing 0.", "Thing 2."]
    assert [p.text("user") for p in ann.timeline.pages(session="spring", limit=1, offset=1)] == ["Thing 2."]
    assert ann.timeline.pages(segment=topics[0]) == tuple(page for page in pages if page.segment_id == topics[0])
    assert ann.timeline.pages(session="none") == ()
    for session, segment in ((None, None), ("a", "b")):
        with pytest.raises(InvalidInputError, match="either"):
            ann.timeline.pages(session=session, segment=segment)


def test_facts_are_counted_and_listed_in_parts(memory: MemoryOS) -> None:
    ann = memory.user("ann")
    pages = [ann.add(f"Thing {number}.", "Yes.", timestamp=NOON + timedelta(days=number)) for number in range(3)]
    held = {"valid_from": NOON.isoformat(), "learned_at": NOON.isoformat(), "trust": "user", "labels": [], "visits": 0}
    listed: list[dict[str, object]] = [{"kind": "scope", "user_id": "ann", "assistant_id": "assistant"}]
    for number, status in enumerate(("current", "current", "superseded", "retired", "current", "quarantined")):
        cited = [page.id for page in pages[number % 2 : number % 2 + 2]]
        about = "assistant" if number == 4 else "user"
        kept = {"id": f"f{number}", "about": about, "text": f"Thing {number}.", "status": status, "page_ids": cited}
        listed.append({"kind": "fact", **kept, **held})
    memory.restore(listed)
    memory.user("bob").remember("Not Ann's.")
    counts = {(c.status, c.about): c.facts for c in ann.timeline.fact_counts()}
    assert counts == Counter((fact.status, fact.about) for fact in ann.facts(current=False))
    newest = [*reversed(ann.facts(current=False))]
    every = [status for status, _ in counts]
    assert ann.timeline.facts(every) == newest
    assert ann.timeline.facts(every, limit=2, offset=1) == newest[1:3]
    assert [fact.id for fact in ann.timeline.facts()] == ["f4", "f1", "f0"]
    assert [fact.id for fact in ann.timeline.facts(["superseded", "retired"])] == ["f3", "f2"]
    assert [fact.id for fact in ann.timeline.facts(about="assistant")] == ["f4"]
    assert [fact.id for fact in ann.timeline.facts(every, pages=[pages[0]])] == ["f4", "f2", "f0"]
    assert [fact.id for fact in ann.timeline.facts(pages=[pages[2], pages[1]])] == ["f4", "f1", "f0"]
    assert ann.timeline.facts(pages=[]) == ann.timeline.facts([]) == ann.timeline.facts(pages=["none"]) == []
    with pytest.raises(InvalidInputError, match="statuses"):
        ann.timeline.facts(["gone"])  # type: ignore[list-item]


async def test_damaged_times_and_entries_of_the_log_hide_no_view(tmp_path: Path) -> None:
    with MemoryOS(f"sqlite:///{tmp_path}/m.db", embedder=None, config=CONFIG) as memory:
        for name in ("spring", "summer"):
            memory.user("ann", session_id=name).add(f"A {name} day.", "Yes.", timestamp=NOON)
        fact = memory.user("ann").remember("Ann likes green tea.")
        memory.user("ann").recall("tea")
        with closing(sqlite3.connect(tmp_path / "m.db")) as file:
            file.execute("UPDATE memoryos_pages SET timestamp = 'never' WHERE session_id = 'spring'")
            file.execute("UPDATE memoryos_audit SET detail = 'torn'")
            file.commit()
        tab = Tab(Identity(memory, TOKEN, user="ann"))
        for path, shown in (("/overview", "Short term"), ("/timeline", "summer"), ("/knowledge", "green tea")):
            answer = await tab.get(path)
            assert (answer.status, shown in answer.text) == (200, True), path
        assert (await tab.get("/fact", id=fact.id)).status == 200
        assert (await tab.get("/recalls")).status == 503
        assert [span.id for span in memory.user("ann").timeline.sessions()] == ["summer"]


def test_a_turn_of_any_year_has_its_month(memory: MemoryOS) -> None:
    ann = memory.user("ann")
    for year in (1, 1969, 1970, 9999):
        ann.add("A thing.", "Yes.", timestamp=datetime(year, 12, 31, 23, 59, 59, tzinfo=timezone.utc))
    assert [(count.year, count.month) for count in ann.timeline.months()] == [(y, 12) for y in (1, 1969, 1970, 9999)]
