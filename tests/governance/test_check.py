"""`check` finds each kind of broken row by name, and nothing in a memory that is whole; `memoryos check` tells it."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from memoryos_core import MemoryConfig, MemoryOS, Message, Scope, ShortTermConfig, WorkerConfig
from memoryos_core.errors import UnsupportedError
from memoryos_core.ops.cli import main
from memoryos_core.stores import open_store
from memoryos_core.testing.fakes import KeywordEmbedder
from memoryos_core.values.reports import CheckFinding, CheckReport

NOON = datetime(2026, 5, 1, 12, tzinfo=timezone.utc)
SMALL = MemoryConfig(short_term=ShortTermConfig(capacity_pages=2, batch_pages=2), worker=WorkerConfig(mode="manual"))


def fill(url: str, key: str | None = None) -> None:
    """A memory of two users with pages in two tiers, topics, facts of which one is replaced, notes and vectors."""
    with MemoryOS(url, embedder=KeywordEmbedder(), config=SMALL, clock=lambda: NOON, key=key) as memory:
        for name in ("ann", "bob"):
            user = memory.user(name)
            for day in range(6):
                user.add_messages(
                    [Message("user", f"I planted tree {day} by the river.", timestamp=NOON + timedelta(day))]
                )
            user.add("I live in Lisbon.", "Noted.")
            user.add("I moved to Porto last week.", "Noted.")
            user.end_session()
            user.consolidate()
            fact = user.remember(f"{name} likes ramen")
            user.correct(fact.id, f"{name} likes soup")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    fill(f"sqlite:///{tmp_path}/m.db")
    return tmp_path / "m.db"


def check(path: Path, *, deep: bool = False, key: str | None = None) -> CheckReport:
    with MemoryOS(f"sqlite:///{path}", embedder=None, config=SMALL, key=key) as memory:
        return memory.check(deep=deep, progress=False)


@pytest.mark.parametrize("deep", [False, True])
def test_a_whole_memory_breaks_no_law(path: Path, deep: bool) -> None:
    report = check(path, deep=deep)
    assert report.findings == ()
    assert report.ok
    assert (report.scopes, report.deep) == (2, deep)


def test_a_page_that_retention_archived_may_stay_in_a_segment_of_others(path: Path) -> None:
    with MemoryOS(f"sqlite:///{path}", embedder=None, config=SMALL) as memory:
        page = memory.user("ann").pages()[0]
    with closing(open_store(f"sqlite:///{path}")) as store:
        assert store.archive(Scope("ann", "assistant"), "pages", [page.id]) == 1
        assert page.segment_id in {segment.id for segment in store.segments(Scope("ann", "assistant"))}
    assert check(path, deep=True).findings == ()


BROKEN = {
    "a segment of mid-term memory has a page there": "UPDATE memoryos_pages SET tier = 'archive'",
    "a page of mid-term memory is in a segment there, and one of the archive in any segment": (
        "UPDATE memoryos_segments SET archived = 1 WHERE rowid = (SELECT MIN(rowid) FROM memoryos_segments)"
    ),
    "a page of short-term memory is in no segment": (
        "UPDATE memoryos_pages SET tier = 'short_term' WHERE rowid = "
        "(SELECT MIN(rowid) FROM memoryos_pages WHERE tier = 'mid_term')"
    ),
    "a page is in one of the tiers": (
        "UPDATE memoryos_pages SET tier = 'attic' WHERE rowid = "
        "(SELECT MIN(rowid) FROM memoryos_pages WHERE tier = 'mid_term')"
    ),
    "a segment has pages": (
        "INSERT INTO memoryos_segments SELECT scope, 'empty', seq + 1000, summary, keywords, centroid, n_visit, "
        "l_interaction, last_access, archived, rev FROM memoryos_segments LIMIT 1"
    ),
    "a cited item exists": "UPDATE memoryos_citations SET item_id = 'gone' WHERE rowid = 1",
    "a vector belongs to a page or a fact": "UPDATE memoryos_vectors SET owner_id = 'gone' WHERE rowid = 1",
    "an embedded page has a vector": "DELETE FROM memoryos_vectors",
    "a fact was replaced by one that exists": (
        "UPDATE memoryos_facts SET superseded_by = 'gone' WHERE superseded_by IS NOT NULL"
    ),
    "a note's fact exists": (
        "INSERT INTO memoryos_notes SELECT scope, 'a', 'b', '1', '', NULL, learned_at, learned_at, 1, 'gone' "
        "FROM memoryos_facts LIMIT 1"
    ),
    "no page is beyond the last of its scope": "UPDATE memoryos_scopes SET last_seq = 1",
    "no revision is above the version of its scope": "UPDATE memoryos_scopes SET version = 1",
    "a row names rows that exist": "DELETE FROM memoryos_segments WHERE rowid = 1",
    "the audit log is unbroken": "UPDATE memoryos_audit SET actor = 'x' WHERE seq = 2",
}
DEEPLY_BROKEN = {
    "a page can be read": "UPDATE memoryos_pages SET messages = '[{]' WHERE rowid = 1",
    "a fact can be read": "UPDATE memoryos_facts SET text = x'ff' WHERE rowid = 1",
    "a vector can be read": "UPDATE memoryos_vectors SET vector = x'00000000' WHERE rowid = 1",
}


def spoil(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA ignore_check_constraints=ON")
        assert connection.execute(statement).rowcount > 0


@pytest.mark.parametrize("law", BROKEN)
def test_each_broken_law_is_found_by_its_name(path: Path, law: str) -> None:
    spoil(path, BROKEN[law])
    report = check(path)
    assert not report.ok
    found = [finding for finding in report.findings if finding.law == law]
    assert found, report.findings
    assert all(finding.count >= len(finding.ids) > 0 for finding in found)


@pytest.mark.parametrize("law", DEEPLY_BROKEN)
def test_what_only_reading_everything_finds(path: Path, law: str) -> None:
    spoil(path, DEEPLY_BROKEN[law])
    assert check(path).ok
    report = check(path, deep=True)
    assert law in {finding.law for finding in report.findings}
    assert {finding.scope.user_id for finding in report.findings if finding.scope} == {"ann"}


def test_ids_are_named_up_to_twenty_and_all_are_counted(path: Path) -> None:
    with MemoryOS(f"sqlite:///{path}", embedder=None, config=SMALL) as memory:
        for number in range(40):
            memory.user("ann").add(f"I planted oak {number}.", "Nice!")
        pages = memory.user("ann").stats().pages
    spoil(path, "UPDATE memoryos_pages SET tier = 'attic' WHERE scope = (SELECT scope FROM memoryos_pages LIMIT 1)")
    (finding,) = (f for f in check(path).findings if f.law == "a page is in one of the tiers")
    assert len(finding.ids) == 20
    assert finding.count == pages > 40


def test_a_damaged_file_is_told_as_a_finding(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        root = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'memoryos_pages_rev'").fetchone()[0]
        size = connection.execute("PRAGMA page_size").fetchone()[0]
    with path.open("r+b") as file:
        file.seek((root - 1) * size)
        file.write(b"\x0a" + b"\xee" * 200)
    laws = {finding.law for finding in check(path, deep=True).findings}
    assert "the database itself is sound" in laws


class TestCommand:
    def test_a_whole_memory_is_ok(self, path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["check", f"sqlite:///{path}", "--deep"]) == 0
        assert capsys.readouterr().out == "ok: the memories of 2 users break no law\n"

    def test_a_broken_one_is_told_with_its_user_and_its_ids(
        self, path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        spoil(path, "UPDATE memoryos_vectors SET owner_id = 'gone' WHERE rowid = 1")
        assert main(["check", f"sqlite:///{path}"]) == 1
        said = capsys.readouterr().out
        assert "broken: a vector belongs to a page or a fact: 1 row of user 'ann' with 'assistant' (gone)\n" in said
        assert main(["check", f"sqlite:///{path}", "--json"]) == 1
        lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        assert {
            "law": "a vector belongs to a page or a fact",
            "count": 1,
            "ids": ["gone"],
            "user_id": "ann",
            "assistant_id": "assistant",
        } in lines

    def test_there_must_be_a_memory(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["check", f"sqlite:///{tmp_path}/none.db"]) == 2
        assert "there is no memory" in capsys.readouterr().err
        assert not (tmp_path / "none.db").exists()


def test_a_store_without_the_capability_says_so() -> None:
    from docs.examples.in_memory_store import InMemoryStore

    with MemoryOS(InMemoryStore(), embedder=None, config=SMALL) as memory, pytest.raises(UnsupportedError):
        memory.check(progress=False)


def test_findings_hold_no_text(path: Path) -> None:
    spoil(path, "UPDATE memoryos_pages SET tier = 'attic'")
    spoil(path, "UPDATE memoryos_facts SET text = x'ff', superseded_by = 'gone'")
    written = repr(check(path, deep=True))
    assert "tree" not in written
    assert "ramen" not in written
    assert isinstance(check(path).findings[0], CheckFinding)


def test_stores_that_are_closed_say_so(path: Path) -> None:
    store = open_store(f"sqlite:///{path}")
    store.close()
    with pytest.raises(Exception, match="closed"):
        store.check_database(deep=False)
