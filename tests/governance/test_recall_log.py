"""The recall log: opt-in entries of the audit log, with ids and never a question; and what the log counts of a week."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from memoryos_core import AccessError, AsyncMemoryOS, ConfigError, MemoryConfig, MemoryOS, WorkerConfig
from memoryos_core.errors import StoreBusyError
from memoryos_core.stores.sql.audit import record
from memoryos_core.stores.sql.store import SqlStore
from memoryos_core.values.audit import Activity

MANUAL = MemoryConfig(worker=WorkerConfig(mode="manual"))
LOGGED = MemoryConfig(worker=WorkerConfig(mode="manual"), recall_log=True)
QUESTION = "Which quokka keeps bees in Porto?"


@contextmanager
def opened(url: str, config: MemoryConfig = LOGGED, **more: Any) -> Iterator[MemoryOS]:
    with MemoryOS(url, embedder=None, config=config, **more) as memory:
        yield memory


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "postgresql":
        return str(request.getfixturevalue("postgres_url"))
    return f"sqlite:///{tmp_path}/m.db"


def test_a_recall_is_logged_with_ids_and_without_its_question(url: str) -> None:
    now = datetime(2026, 5, 1, 12, tzinfo=timezone.utc)
    with opened(url, clock=lambda: now) as memory:
        ann = memory.user("ann")
        page, fact = ann.add("I keep bees in Porto.", "They hum."), ann.remember("Ann keeps bees.")
        ann.governance.grant("bot", "reader")
        found = ann.recall(QUESTION, include_recent=False)
        memory.user("ann", actor="bot").recall("bees", budget_tokens=300)
        newest, oldest = ann.governance.recalls()
        assert (newest.actor, oldest.actor) == ("bot", None)
        assert (oldest.at, oldest.tokens, oldest.budget_tokens) == (now, found.tokens, found.budget_tokens)
        assert newest.budget_tokens == 300
        assert set(oldest.ids) == {hit.id for hit in found.hits} == {page.id, fact.id}
        assert ann.governance.recalls(limit=1) == [newest]
        assert len(ann.governance.recalls(of=fact.id)) == 2
        assert ann.governance.recalls(of=fact.id[:-1]) == ann.governance.recalls(of="%") == []
        assert ann.governance.verify().ok
        said = " ".join(f"{entry}" for entry in ann.governance.audit())
        assert not {"quokka", "bees", "Porto"} & set(said.replace("'", " ").split())


def test_nothing_is_logged_unless_it_is_asked_for(url: str) -> None:
    with opened(url, MANUAL) as memory:
        ann = memory.user("ann")
        ann.add("I keep bees in Porto.", "They hum.")
        before = ann.governance.audit()
        assert ann.recall(QUESTION, include_recent=False).hits
        assert ann.governance.audit() == before
        assert ann.governance.recalls() == []
    with pytest.raises(ConfigError, match="needs audit"):
        MemoryConfig(audit=False, recall_log=True)


def test_forgetting_leaves_of_a_recall_what_the_log_keeps_of_every_act(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/m.db"
    with opened(url) as memory:
        ann = memory.user("ann")
        page = ann.add("My quokka is called Zebulon.", "A fine name.")
        ann.recall("What is Zebulon?", include_recent=False)
        (added, recalled) = ann.governance.audit()
        ann.forget(pages=[page])
        assert ann.governance.recalls(of=page.id)[0].ids == (page.id,)
        assert added.detail["ids"] == [page.id]  # the same id stands in the entry of the append
        assert set(recalled.detail) == {"hits", "ids", "tokens", "budget_tokens"}
        assert ann.governance.verify().ok
    assert b"Zebulon" not in b"".join(path.read_bytes() for path in tmp_path.iterdir())


def test_many_hits_are_counted_and_the_first_hundred_named() -> None:
    with opened("sqlite://") as memory:
        ann = memory.user("ann")
        for number in range(130):
            ann.add(f"Bee {number} flew to hive {number * 7}.", "Noted.")
        found = ann.recall("Where did the bee fly?", budget_tokens=100_000, include_recent=False, min_score=0)
        ids = list(dict.fromkeys(hit.id for hit in found.hits))
        assert len(ids) > 100
        (logged,) = ann.governance.recalls()
        assert (logged.hits, list(logged.ids)) == (len(ids), ids[:100])


def test_a_log_that_cannot_be_written_stops_no_recall(caplog: pytest.LogCaptureFixture) -> None:
    with opened("sqlite://") as memory:
        ann = memory.user("ann")
        ann.add("I keep bees in Porto.", "They hum.")
        refuse = patch.object(SqlStore, "record_recall", side_effect=StoreBusyError("locked"))
        with refuse, caplog.at_level(logging.ERROR):
            assert ann.recall(QUESTION, include_recent=False).hits
        assert "StoreBusyError" in caplog.text
        assert "quokka" not in caplog.text
        assert ann.governance.recalls() == []


def test_only_a_curator_sees_who_recalled_what() -> None:
    with opened("sqlite://") as memory:
        ann = memory.user("ann")
        ann.add("I keep bees.", "They hum.")
        for role in ("reader", "writer", "curator"):
            ann.governance.grant(role, role)
        for actor in ("reader", "writer"):
            for verb in ("recalls", "activity"):
                with pytest.raises(AccessError):
                    getattr(memory.user("ann", actor=actor).governance, verb)()
        assert memory.user("ann", actor="curator").governance.recalls() == []


def test_a_week_is_counted_from_the_log(url: str) -> None:
    clock = [datetime(2026, 5, 1, 12, tzinfo=timezone.utc)]
    with opened(url, MANUAL, clock=lambda: clock[0]) as memory:
        ann = memory.user("ann")
        assert ann.governance.activity() == Activity()
        for said in ("I live in Lisbon.", "I keep bees.", "I have a dog."):
            ann.add(said, "I see.")
        ann.end_session()
        ann.consolidate()
        ann.remember("Ann likes green tea.")
        ann.forget(pages=[ann.pages()[0]])
        week = ann.governance.activity()
        assert (week.pages_added, week.pages_moved, week.facts_told, week.erased) == (3, 3, 1, 1)
        assert week.facts_read > 0
        assert week.worker_at is not None
        clock[0] += timedelta(days=8)
        assert ann.governance.activity() == Activity(worker_at=week.worker_at)
        assert ann.governance.activity(days=9) == week


def test_only_the_newest_ten_thousand_entries_are_looked_at() -> None:
    with opened("sqlite://") as memory:
        ann = memory.user("ann")
        ann.add("I keep bees.", "They hum.")
        ann.recall("bees", include_recent=False)
        store = memory._engine.parts.store
        assert isinstance(store, SqlStore)
        with store._database.writing(ann.scope) as connection:
            for _ in range(9_998):
                record(store._database, connection, ann.scope, "grant", None)
        assert len(ann.governance.recalls()) == 1
        ann.governance.grant("one more", "reader")
        ann.governance.grant("and another", "reader")
        assert ann.governance.recalls() == []


async def test_coroutines_have_the_same_verbs() -> None:
    async with AsyncMemoryOS("sqlite://", embedder=None, config=LOGGED) as memory:
        ann = memory.user("ann", session_id="talk")
        page = await ann.add("I keep bees in Porto.", "They hum.")
        await ann.recall(QUESTION, include_recent=False)
        assert [logged.ids for logged in await ann.governance.recalls(of=page.id)] == [(page.id,)]
        assert (await ann.governance.activity()).pages_added == 1
        assert [count.pages for count in await ann.timeline.months()] == [1]
        assert [span.id for span in await ann.timeline.sessions()] == ["talk"]
        assert await ann.timeline.pages(session="talk") == (page,)
        fact = await ann.remember("Ann likes green tea.")
        assert await ann.timeline.facts() == [fact]
        assert [count.facts for count in await ann.timeline.fact_counts()] == [1]
