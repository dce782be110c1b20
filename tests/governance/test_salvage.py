"""`salvage` takes every row of a whole page out of a damaged file, names the others, and never writes to the source."""

from __future__ import annotations

import json
import os
import random
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from memoryos_core import AsyncMemoryOS, MemoryOS, Scope
from memoryos_core.errors import InvalidInputError, StoreCorruptError, StoreKeyError, UnsupportedError
from memoryos_core.ops.cli import main
from memoryos_core.values.reports import SalvageReport
from tests.faults.verbs import opened, prepare, state

KEYS = {"plain": None, "encrypted": bytes(range(32))}
USERS = [Scope("ann", "assistant"), Scope("bob", "assistant")]
Damage = Callable[[bytearray, random.Random], set[int]]
"""Damages a file and returns the numbers of the pages it hit."""
PAGE = 4096


@pytest.fixture(scope="module", params=KEYS)
def key(request: pytest.FixtureRequest) -> bytes | None:
    return KEYS[request.param]


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory, key: bytes | None) -> Path:
    """A memory of two users with eighty pages more, so that every table has interior pages."""
    path = tmp_path_factory.mktemp("source") / "m.db"
    prepare(path, key)
    with opened(path, key) as memory:
        for number in range(40):
            for name in ("ann", "bob"):
                memory.user(name, session_id=f"s{number % 7}").add(f"{name} saw heron {number}. " * 20, "I see.")
            memory.user("ann").remember(f"Heron {number} is ringed")
        memory.user("ann").add("A very long page. " * 1000, "Indeed.")
        memory.flush()
    return path


def salvage(path: Path, key: bytes | None, users: list[Scope] | None = None) -> tuple[SalvageReport, Path]:
    before = {file.name: file.read_bytes() for file in path.parent.iterdir()}
    new = path.with_name("new.db")
    report = MemoryOS.salvage(f"sqlite:///{path}", new, key=key, users=users or [], progress=False)
    after = {file.name: file.read_bytes() for file in path.parent.iterdir()}
    assert {name for name in after if name not in before} == {"new.db"}
    assert all(after[name] == content for name, content in before.items())
    return report, new


def damaged(source: Path, folder: Path, damage: Damage, lots: random.Random) -> tuple[Path, set[int]]:
    content = bytearray(source.read_bytes())
    hit = damage(content, lots)
    path = folder / "m.db"
    path.write_bytes(content)
    return path, hit


def ids(path: Path, key: bytes | None) -> dict[str, set[str]]:
    with opened(path, key) as memory:
        users = [memory.user(scope.user_id) for scope in USERS if scope.user_id in memory.users()]
        return {
            "pages": {page.id for user in users for page in user.pages()},
            "facts": {fact.id for user in users for fact in user.facts(current=False)},
        }


def test_a_whole_file_is_saved_whole(source: Path, tmp_path: Path, key: bytes | None) -> None:
    path, _ = damaged(source, tmp_path, lambda _c, _l: set(), random.Random(0))
    report, new = salvage(path, key)
    assert report.ok, report.lost
    with opened(source, key) as before, opened(new, key) as after:
        assert state(after) == state(before)
        assert after.stats() == before.stats()
        assert after.verify_audit(progress=False).ok
        assert after.check(deep=True, progress=False).findings == ()
        assert after.user("ann").search("heron 17", k=1)
    assert report.rows["pages"] == len(ids(source, key)["pages"])


def test_what_stands_in_the_log_alone_is_saved(source: Path, tmp_path: Path, key: bytes | None) -> None:
    path, _ = damaged(source, tmp_path, lambda _c, _l: set(), random.Random(0))
    with opened(path, key) as memory:
        memory.user("ann").add("This stands in the log.", "Yes.")
        copy = tmp_path / "copy"
        copy.mkdir()
        for name in ("m.db", "m.db-wal"):
            (copy / name).write_bytes((tmp_path / name).read_bytes())
    report, new = salvage(copy / "m.db", key)
    assert report.ok, report.lost
    with opened(new, key) as memory:
        assert memory.user("ann").transcript()[-2].text == "This stands in the log."


def cut(content: bytearray, lots: random.Random) -> set[int]:
    pages = len(content) // PAGE
    left = lots.randrange(PAGE * pages // 4, len(content))
    del content[left:]
    return set(range(left // PAGE + 1, pages + 1))


def zeroed(content: bytearray, lots: random.Random) -> set[int]:
    hit = {lots.randrange(2, len(content) // PAGE + 1) for _ in range(lots.randrange(1, 6))}
    for number in hit:
        content[(number - 1) * PAGE : number * PAGE] = bytes(PAGE)
    return hit


def noise(content: bytearray, lots: random.Random) -> set[int]:
    number = lots.randrange(2, len(content) // PAGE + 1)
    content[(number - 1) * PAGE : number * PAGE] = lots.randbytes(PAGE)
    return {number}


def flipped(content: bytearray, lots: random.Random) -> set[int]:
    hit: set[int] = set()
    for _ in range(lots.randrange(1, 40)):
        place = lots.randrange(PAGE, len(content))
        content[place] ^= 1 << lots.randrange(8)
        hit.add(place // PAGE + 1)
    return hit


def pages_of_rows(path: Path, key: bytes | None) -> dict[str, set[int]]:
    """Which pages of the file hold a page or fact of ours, by its id: where it begins and where it runs over."""
    from memoryos_core.stores.sql.files import head_of
    from memoryos_core.stores.sql.sqlite_file import TABLE_LEAF, Cipher, SqliteFile

    class Watched(SqliteFile):
        read: set[int]

        def page(self, number: int) -> bytes:
            self.read.add(number)
            return super().page(number)

    Watched.read = set()
    file = Watched(path, None if key is None else Cipher(key, head_of(path, 16)))
    found: dict[str, set[int]] = {}
    for number in range(2, file.count + 1):
        page = file.page(number)
        if page[0] != TABLE_LEAF:
            continue
        file.read = set()
        for entry in file.entries(page, number):
            assert entry is not None
            if len(entry.values) in (18, 19):  # facts and pages
                found[entry.values[1]] = {number} | file.read
            file.read = set()
    return found


def test_rows_that_an_older_version_wrote_are_saved(tmp_path: Path) -> None:
    """Their table got a column after them, which their rows do not have."""
    path = tmp_path / "m.db"
    prepare(path, None)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("ALTER TABLE memoryos_pages DROP COLUMN written_at")
        connection.execute("ALTER TABLE memoryos_grants DROP COLUMN until")
        connection.execute("UPDATE memoryos_version SET version_num = '0014'")
    with opened(path, None) as before:
        kept = state(before)
    report, new = salvage(path, None)
    assert report.ok, report.lost
    with opened(new, None) as after:
        assert state(after) == kept


@pytest.mark.parametrize("damage", [cut, zeroed, noise, flipped])
def test_each_row_of_whole_pages_comes_back(source: Path, tmp_path: Path, key: bytes | None, damage: Damage) -> None:
    homes = pages_of_rows(source, key)
    before = ids(source, key)
    assert set(homes) == before["pages"] | before["facts"]
    saved = lost = 0
    for number in range((6 if key is None else 2) * (20 if "MEMORYOS_SOAK" in os.environ else 1)):
        folder = tmp_path / str(number)
        folder.mkdir()
        path, hit = damaged(source, folder, damage, random.Random(f"{damage.__name__} {number}"))
        report, new = salvage(path, key, USERS)
        after = ids(new, key)
        found = after["pages"] | after["facts"]
        whole = {item for item, pages in homes.items() if not pages & hit}
        assert whole <= found
        saved, lost = saved + len(found), lost + len(homes) - len(found)
        if len(found) < len(homes):
            assert not report.ok
        with opened(new, key) as memory:
            broken = {finding.law for finding in memory.check(deep=True, progress=False).findings}
            assert broken <= {"the audit log is unbroken"}
            memory.user("ann").add("It can be written to.", "Yes.")
            memory.user("ann").consolidate()
            assert memory.user("ann").transcript()[-2].text == "It can be written to."
    assert saved > 0
    assert lost > 0 or key is not None or damage in (flipped, noise)


def test_the_first_page_may_be_lost(source: Path, tmp_path: Path) -> None:
    if source.read_bytes()[:6] != b"SQLite":
        return  # the first bytes of an encrypted file are the salt of its key

    def first(content: bytearray, _lots: random.Random) -> set[int]:
        content[:PAGE] = bytes(PAGE)
        return {1}

    path, _ = damaged(source, tmp_path, first, random.Random(0))
    report, new = salvage(path, None)
    assert [finding.ids for finding in report.lost] == [("1",)]
    with opened(source) as before, opened(new) as after:
        assert state(after) == state(before)


def test_rows_that_are_lost_are_named(source: Path, tmp_path: Path) -> None:
    if source.read_bytes()[:6] != b"SQLite":
        return
    homes = pages_of_rows(source, None)
    victim = next(item for item, pages in homes.items() if len(pages) == 1 and item in ids(source, None)["pages"])
    (number,) = homes[victim]

    def one(content: bytearray, _lots: random.Random) -> set[int]:
        content[(number - 1) * PAGE : number * PAGE] = bytes(PAGE)
        return {number}

    path, _ = damaged(source, tmp_path, one, random.Random(0))
    report, new = salvage(path, None)
    assert all(finding.scope for finding in report.lost if finding.law.startswith("a row of"))
    named = {i for finding in report.lost if finding.law == "a row of pages can be read" for i in finding.ids}
    assert (
        named
        == {item for item, pages in homes.items() if number in pages}
        == set(homes) - (ids(new, None)["pages"] | ids(new, None)["facts"])
    )
    assert next(f for f in report.lost if f.law == "a page of the file can be read").ids == (str(number),)


def test_a_user_whose_row_is_lost_is_named_by_the_operator(source: Path, tmp_path: Path) -> None:
    if source.read_bytes()[:6] != b"SQLite":
        return
    path, _ = damaged(source, tmp_path, lambda _c, _l: set(), random.Random(0))
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DELETE FROM memoryos_scopes WHERE user_id = 'ann'")
    (tmp_path / "m.db-wal").unlink(missing_ok=True)
    report, new = salvage(path, None)
    assert not report.ok
    assert USERS[0].key in next(f.ids for f in report.lost if "known by name" in f.law)
    with opened(new) as memory:
        assert memory.users() == ["bob"]
    new.unlink()
    report, new = salvage(path, None, USERS)
    with opened(new) as memory, opened(source) as before:
        assert state(memory) == state(before)


class TestRefusals:
    def test_what_is_no_memory(self, tmp_path: Path) -> None:
        (tmp_path / "noise.db").write_bytes(bytes(range(256)) * 64)
        with pytest.raises(StoreCorruptError, match="no page of this file"):
            MemoryOS.salvage(f"sqlite:///{tmp_path}/noise.db", tmp_path / "new.db", progress=False)
        for name in ("none.db", "empty.db"):
            (tmp_path / "empty.db").touch()
            with pytest.raises(InvalidInputError, match="no file at this URL"):
                MemoryOS.salvage(f"sqlite:///{tmp_path}/{name}", tmp_path / "new.db", progress=False)
        with pytest.raises(UnsupportedError, match="SQLite file"):
            MemoryOS.salvage("sqlite://", tmp_path / "new.db", progress=False)
        assert not (tmp_path / "new.db").exists()

    def test_a_wrong_key_or_a_file_that_is_there(self, source: Path, tmp_path: Path, key: bytes | None) -> None:
        with pytest.raises(StoreKeyError if key else StoreCorruptError, match="no page of this file"):
            MemoryOS.salvage(
                f"sqlite:///{source}", tmp_path / "new.db", key="wrong" if key else None, progress=False
            ) if (key) else MemoryOS.salvage(f"sqlite:///{__file__}", tmp_path / "new.db", progress=False)
        (tmp_path / "there").write_text("mine")
        with pytest.raises(InvalidInputError, match="there is a file"):
            MemoryOS.salvage(f"sqlite:///{source}", tmp_path / "there", key=key, progress=False)
        assert (tmp_path / "there").read_text() == "mine"


async def test_the_coroutine_face_does_the_same(tmp_path: Path) -> None:
    prepare(tmp_path / "m.db")
    report = await AsyncMemoryOS.salvage(f"sqlite:///{tmp_path}/m.db", str(tmp_path / "new.db"), progress=False)
    assert report.ok
    assert report.rows["scopes"] == 2


class TestCommand:
    def test_a_whole_file(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        prepare(tmp_path / "m.db")
        assert main(["salvage", f"sqlite:///{tmp_path}/m.db", f"{tmp_path}/new.db"]) == 0
        assert f"saved in {tmp_path}/new.db: " in (out := capsys.readouterr().out)
        assert "2 scopes, " in out
        assert "8 pages" in out

    def test_a_damaged_one_is_told_by_ids_and_by_its_status(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        prepare(tmp_path / "m.db")
        with closing(sqlite3.connect(tmp_path / "m.db")) as connection, connection:
            connection.execute("UPDATE memoryos_pages SET messages = '[{]' WHERE rowid = 1")
            lost = connection.execute("SELECT id FROM memoryos_pages WHERE rowid = 1").fetchone()[0]
        assert main(["salvage", f"sqlite:///{tmp_path}/m.db", f"{tmp_path}/new.db", "--json", "--user", "ann"]) == 1
        out = capsys.readouterr().out
        saved, *losses = [json.loads(line) for line in out.splitlines()]
        assert saved["saved"]["pages"] == 7
        law = "a row of pages can be read"
        told = {"law": law, "count": 1, "ids": [lost], "user_id": "ann", "assistant_id": "assistant"}
        assert told in losses
        assert [loss["law"] for loss in losses].count(law) == 1
        assert "xyzzy" not in out
        assert main(["salvage", f"sqlite:///{tmp_path}/m.db", f"{tmp_path}/second.db"]) == 1
        assert f"broken: {law}: 1 row of user 'ann' with 'assistant' ({lost})" in capsys.readouterr().out

    def test_there_must_be_a_file(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["salvage", f"sqlite:///{tmp_path}/none.db", f"{tmp_path}/new.db"]) == 2
        assert "there is no file" in capsys.readouterr().err
        assert list(tmp_path.iterdir()) == []
