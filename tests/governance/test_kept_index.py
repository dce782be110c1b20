"""The index that is kept, through the face: made behind the caller, it starts a process and goes with the rows."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from memoryos_core import MemoryConfig, MemoryOS, RetentionPolicy
from memoryos_core.api.user import UserMemory
from memoryos_core.config import HeatConfig, ShortTermConfig, WorkerConfig
from memoryos_core.ports.capabilities import IndexStore, capability
from memoryos_core.recall.index import kept
from memoryos_core.testing.fakes import FixedClock, KeywordEmbedder
from memoryos_core.values.commands import Cursor, Eviction, Feed
from memoryos_core.values.dialogue import Scope
from memoryos_core.values.queries import IndexChunk
from tests.governance.words import found

NOW = datetime(2026, 6, 1, tzinfo=timezone.utc)
CONFIG = MemoryConfig(
    short_term=ShortTermConfig(capacity_pages=2, batch_pages=2, active_sessions=1),
    heat=HeatConfig(threshold=1.0),
    worker=WorkerConfig(mode="manual"),
)
WORDS = [
    "harbour",
    "tram",
    "violin",
    "zebra",
    "lantern",
    "kettle",
    "orchard",
    "marble",
    "winter",
    "bicycle",
    "garden",
    "sister",
    "Lisbon",
    "Porto",
]
QUESTIONS = ("Where is the harbour of Lisbon?", "What does Ada play in winter?", "zebra lantern kettle", "my sister")


@pytest.fixture(autouse=True)
def _every_change_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "LEAST", 1)


def opened(path: Path, **options: object) -> MemoryOS:
    given = {"embedder": KeywordEmbedder(64), "config": CONFIG, "clock": FixedClock(NOW), **options}
    return MemoryOS(f"sqlite:///{path}", **given)  # type: ignore[arg-type]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "m.db"


@pytest.fixture
def memory(path: Path) -> Iterator[MemoryOS]:
    with opened(path) as memory:
        yield memory


def chunks(user: UserMemory) -> tuple[IndexChunk, ...]:
    return capability(user._open().parts.store, IndexStore).index_chunks(user.scope)


def talk(user: UserMemory, pages: int = 12, seed: int = 0) -> list[str]:
    chance = random.Random(seed)
    ids = []
    for number in range(pages):
        text = f"I like the {' '.join(chance.choices(WORDS, k=6))}."
        ids.append(user.add(text, "Indeed.", timestamp=NOW - timedelta(days=30) + timedelta(hours=number)).id)
    user.consolidate()
    return ids


def files(path: Path) -> list[Path]:
    return list(path.parent.glob(f"{path.name}*"))


def shown(path: Path) -> list[object]:
    """All that the questions bring, from a copy, since a recall counts visits."""
    copy = path.with_name("copy.db")
    shutil.copy(path, copy)
    with opened(copy) as memory:
        recalls = [memory.user("ada", session_id="asking").recall(q) for q in QUESTIONS]
        hits = [memory.user("ada", session_id="asking").search(q, k=50) for q in QUESTIONS]
    copy.unlink()
    return [*((str(r), r.hits) for r in recalls), *hits]


def without_chunks(path: Path) -> Path:
    copy = path.with_name("plain.db")
    shutil.copy(path, copy)
    with closing(sqlite3.connect(copy)) as connection, connection:
        connection.execute("DELETE FROM memoryos_chunks")
    return copy


@pytest.mark.parametrize("seed", range(0, 4, 1 if "MEMORYOS_SOAK" in os.environ else 3))
def test_a_memory_that_is_reopened_recalls_the_same_text_with_and_without(path, seed):
    chance = random.Random(seed)
    ids: list[str] = []
    kept_once = 0
    for step in range(12):
        with opened(path) as memory:
            ada = memory.user("ada", session_id=f"s{step % 3}")
            what = chance.choice(("talk", "talk", "add", "forget", "session", "replace", "remember", "retain"))
            if what == "talk":
                ids += talk(ada, 4, seed=100 * seed + step)
            elif what == "add":
                ids.append(ada.add(f"My sister {chance.choice(WORDS)} {step}", "Oh.", timestamp=NOW).id)
            elif what == "forget" and ids:
                ada.forget(pages=[ids.pop(chance.randrange(len(ids)))])
            elif what == "session":
                ada.forget(session=True)
            elif what == "remember":
                ada.remember(f"Ada lives in {chance.choice(WORDS)}.")
                ada.consolidate()
            elif what == "retain":
                policy = RetentionPolicy("old", keep_newest=20, action=chance.choice(("archive", "purge")))
                memory.retain([policy], progress=False)
            if chance.random() < 0.7:
                ada.consolidate()
            kept_once += bool(chunks(ada))
        assert shown(path) == shown(without_chunks(path)), (step, what)
    assert kept_once


def test_a_process_that_starts_from_chunks_reads_no_page_of_the_feed(path, monkeypatch):
    with opened(path) as memory:
        talk(memory.user("ada"))
    with opened(path) as memory:
        store = memory._open().parts.store
        feed, read = store.feed, list[Feed]()

        def reading(scope: Scope, after: Cursor, *, limit: int) -> Feed:
            read.append(feed(scope, after, limit=limit))
            return read[-1]

        monkeypatch.setattr(store, "feed", reading)
        ada = memory.user("ada", session_id="asking")
        assert ada.recall("harbour").hits
        assert [page for one in read for page in one.pages] == []


def test_a_worker_in_the_background_keeps_it_without_being_told(path):
    config = MemoryConfig(short_term=ShortTermConfig(capacity_pages=1, batch_pages=1), worker=WorkerConfig())
    with opened(path, config=config) as memory:
        ada = memory.user("ada")
        for number in range(4):
            ada.add(f"The harbour tram {number}", "Indeed.", timestamp=NOW)
        memory.flush()
        assert chunks(ada)


@pytest.mark.parametrize("what", ["page", "session", "user", "eviction", "retention"])
def test_no_byte_of_what_is_forgotten_stays(path, what):
    secret = {"word": b"zebrafinch"}
    with opened(path) as memory:
        ada, bea = memory.user("ada", session_id="s"), memory.user("bea")
        talk(bea)
        page = ada.add("I keep a zebrafinch by the harbour", "Indeed.", timestamp=NOW - timedelta(days=40)).id
        talk(ada)
        assert decoded(ada, b"zebrafinch"), "a chunk holds the word"
        assert chunks(bea)
        if what == "page":
            ada.forget(pages=[page])
        elif what == "session":
            ada.forget(session=True)
        elif what == "user":
            memory.forget_user("ada")
        elif what == "retention":
            memory.retain([RetentionPolicy("old", older_than=timedelta(days=1), action="purge")], progress=False)
        else:
            forget_by_eviction(ada)
        assert not decoded(ada, b"zebrafinch")
        assert chunks(ada) if what != "user" else not chunks(ada)
        assert what == "retention" or chunks(bea)
        assert found(secret, files(path)) == {}, "not in the file, nor in its log"
        memory.user("ada").consolidate()
        assert found(secret, files(path)) == {}, "what is made again is made of what stays"
    assert found(secret, files(path)) == {}


def forget_by_eviction(ada: UserMemory) -> None:
    """Delete all segments, and what is still in short-term memory."""
    store = ada._open().parts.store
    store.evict(Eviction(ada.scope, tuple(s.id for s in store.segments(ada.scope)), NOW, archive=False))
    ada.forget(facts=[f.id for f in ada.facts(current=False)])
    ada.forget(session=True)


def decoded(user: UserMemory, word: bytes) -> bool:
    return any(word in chunk.content for chunk in chunks(user))


def test_another_embedder_drops_them_and_they_are_made_anew(path):
    with opened(path) as memory:
        talk(memory.user("ada"))
        (before,) = chunks(memory.user("ada"))
        memory.reindex(embedder=KeywordEmbedder(32), progress=False)
        (after,) = chunks(memory.user("ada"))
        assert after.epoch != before.epoch
    with opened(path, embedder=KeywordEmbedder(32)) as memory:
        assert memory.check(deep=True, progress=False).ok
        assert memory.user("ada").recall("harbour").hits


def test_export_leaves_them_out_and_restore_makes_them_anew(path, tmp_path):
    with opened(path) as memory:
        talk(memory.user("ada"))
        records = list(memory.user("ada").export())
    assert not any("chunk" in str(record["kind"]) for record in records)
    with opened(tmp_path / "other.db") as other:
        other.restore(records)
        assert chunks(other.user("ada")) == ()
        other.user("ada").consolidate()
        assert chunks(other.user("ada"))
        assert other.check(deep=True, progress=False).ok


def test_the_check_tells_of_a_chunk_that_was_changed(path, memory):
    ada = memory.user("ada")
    talk(ada)
    assert memory.check(deep=True, progress=False).ok
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE memoryos_chunks SET checksum = replace(checksum, substr(checksum, 1, 1), 'x')")
    assert memory.check(progress=False).ok, "only the deep check reads them"
    (finding,) = memory.check(deep=True, progress=False).findings
    assert (finding.scope, finding.law, finding.ids) == (
        ada.scope,
        "the stored index says what the rows say",
        ("chunk 1",),
    )
