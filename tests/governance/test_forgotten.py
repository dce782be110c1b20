"""Backups that grow by what has changed, a restore to a time, and nothing that comes back which was forgotten since."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from memoryos_core import MemoryOS, NoteWrite
from memoryos_core.errors import InvalidInputError, StoreCorruptError, StoreError, StoreKeyError
from memoryos_core.ops.cli import main
from tests.governance.test_backup import opened

KEYS = (None, "correct horse", bytes(range(32)))
IDS = ("plain", "passphrase", "raw key")


def names(folder: Path) -> list[str]:
    return sorted(path.suffix for path in folder.iterdir() if path.name != "forgotten.jsonl")


def moments(folder: Path) -> list[datetime]:
    return [
        datetime.strptime(path.stem, "%Y%m%dT%H%M%S.%fZ").replace(tzinfo=timezone.utc)
        for path in sorted(folder.iterdir())
        if path.suffix in (".db", ".pages")
    ]


def texts(memory: MemoryOS, user: str = "ann") -> list[str]:
    return [message.text for page in memory.user(user).pages() for message in page.messages]


def fill(memory: MemoryOS, count: int = 120) -> None:
    for number in range(count):
        memory.user("bob").add(f"Bob planted tree {number}. " * 8, "Nice!")


@pytest.mark.parametrize("key", KEYS, ids=IDS)
def test_each_time_of_a_chain_comes_back_as_it_was(tmp_path: Path, key: str | bytes | None) -> None:
    folder, exported = tmp_path / "backups", list[list[dict[str, object]]]()
    with opened(tmp_path / "m.db", key) as memory:
        fill(memory)
        for day in range(4):
            memory.user("ann").add(f"The word of day {day} is xyzzy{day}.", "I see.")
            memory.backup(folder, incremental=True)
            exported.append(list(memory.user("ann").export()))
    assert names(folder) == [".db", ".pages", ".pages", ".pages"]
    whole, *later = (path.stat().st_size for path in sorted(folder.iterdir()) if path.suffix != ".jsonl")
    assert max(later) < whole / 4
    for day, at in enumerate(moments(folder)):
        new = tmp_path / f"{day}.db"
        assert MemoryOS.restore_backup(folder, new, at=at, forgotten=(), key=key).at == at
        with opened(new, key) as again:
            assert list(again.user("ann").export()) == exported[day]
            assert again.check(deep=True, progress=False).ok
        assert (b"xyzzy0" in new.read_bytes()) == (key is None)
    assert key is None or all(b"xyzzy" not in path.read_bytes() for path in folder.iterdir())
    with pytest.raises(InvalidInputError, match="holds no backup of that time"):
        MemoryOS.restore_backup(
            folder, tmp_path / "no.db", at=moments(folder)[0] - timedelta(seconds=1), forgotten=(), key=key
        )


@pytest.mark.parametrize("key", KEYS[:2], ids=IDS[:2])
@pytest.mark.parametrize("kept", ["live", "file"])
def test_nothing_that_was_forgotten_since_comes_back(tmp_path: Path, key: str | None, kept: str) -> None:
    with opened(tmp_path / "m.db", key) as memory:
        ann, eve = memory.user("ann"), memory.user("eve")
        page, _ = ann.add("The word is plugh.", "I see."), ann.add("The word is xyzzy.", "I see.")
        fact = ann.remember("Ann likes ramen")
        ann.notes.write([NoteWrite(("app",), "ui", '"frobozz"'), NoteWrite(("app",), "size", '"big"')])
        eve.add("I am Eve, and the word is quux.", "Hello.")
        memory.user("old").add("This user stays.", "Good.")
        memory.backup(tmp_path / "copy.db")
        ann.forget(pages=[page.id], facts=[fact])
        ann.notes.write([NoteWrite(("app",), "ui", None)])
        eve.forget(everything=True)
        eve.add("I am Eve again.", "Hello again.")
        receipts: object = memory.forgotten(secret=True)
        assert not [
            word
            for word in ("plugh", "ramen", "eve", "frobozz", "ui", page.id)
            if word in json.dumps(memory.forgotten())
        ]
        if kept == "file":
            (tmp_path / "r.jsonl").write_text("".join(json.dumps(line) + "\n" for line in memory.forgotten()))
            receipts = tmp_path / "r.jsonl"
    report = MemoryOS.restore_backup(tmp_path / "copy.db", tmp_path / "new.db", forgotten=receipts, key=key)  # type: ignore[arg-type]
    assert (report.forgotten.pages, report.forgotten.facts, report.forgotten.notes) == (2, 1, 1)
    with opened(tmp_path / "new.db", key) as again:
        assert texts(again) == ["The word is xyzzy.", "I see."]
        assert [note.key for note in again.user("ann").notes.list()] == ["size"]
        assert (again.users(), again.user("ann").facts(current=False)) == (["ann", "old"], [])
        assert again.check(deep=True, progress=False).ok
        assert again.verify_audit(progress=False).ok
        assert {receipt.get("digest") for receipt in memory_receipts(receipts)} <= {
            receipt.get("digest") for receipt in again.forgotten()
        }
    data = (tmp_path / "new.db").read_bytes()
    assert not [word for word in (b"plugh", b"ramen", b"quux", b"frobozz") if word in data]


def memory_receipts(given: object) -> list[dict[str, object]]:
    if isinstance(given, Path):
        return [json.loads(line) for line in given.read_text().splitlines()]
    assert isinstance(given, list)
    return given


def test_what_is_said_again_after_a_forgetting_stays_in_a_later_backup(tmp_path: Path) -> None:
    with opened(tmp_path / "m.db") as memory:
        eve = memory.user("eve")
        eve.add("I am Eve.", "Hello.")
        eve.notes.write([NoteWrite(("app",), "ui", '"dark"')])
        eve.notes.write([NoteWrite(("app",), "ui", None)])
        eve.forget(everything=True)
        eve.add("I am Eve again.", "Hello again.")
        eve.notes.write([NoteWrite(("app",), "ui", '"light"')])
        memory.backup(tmp_path / "copy.db")
        receipts = memory.forgotten()
    assert MemoryOS.restore_backup(tmp_path / "copy.db", tmp_path / "new.db", forgotten=receipts).forgotten.pages == 0
    with opened(tmp_path / "new.db") as again:
        assert texts(again, "eve") == ["I am Eve again.", "Hello again."]
        assert [note.value for note in again.user("eve").notes.list()] == ['"light"']


def test_a_folder_knows_what_was_forgotten_up_to_its_last_backup(tmp_path: Path) -> None:
    folder = tmp_path / "backups"
    with opened(tmp_path / "m.db") as memory:
        fill(memory)
        page = memory.user("ann").add("The word is plugh.", "I see.")
        memory.backup(folder, incremental=True)
        memory.user("ann").forget(pages=[page.id])
        memory.backup(folder, incremental=True)
    first, _ = moments(folder)
    assert MemoryOS.restore_backup(folder, tmp_path / "new.db", at=first, forgotten=()).forgotten.pages == 1
    assert b"plugh" not in (tmp_path / "new.db").read_bytes()


def _age(path: Path) -> None:
    """Make a copy as it was before stores kept receipts."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript("DROP TABLE memoryos_tombstones; DROP TABLE memoryos_secret;")
        connection.execute("ALTER TABLE memoryos_grants DROP COLUMN until")
        connection.execute("ALTER TABLE memoryos_pages DROP COLUMN written_at")
        connection.execute("UPDATE memoryos_version SET version_num = '0013'")


def test_a_copy_that_is_older_than_receipts_needs_the_store_itself(tmp_path: Path) -> None:
    with opened(tmp_path / "m.db") as memory:
        page = memory.user("ann").add("The word is plugh.", "I see.")
        memory.backup(tmp_path / "copy.db")
        memory.user("ann").forget(pages=[page.id])
        known, with_secret = memory.forgotten(), memory.forgotten(secret=True)
    _age(tmp_path / "copy.db")
    with pytest.raises(InvalidInputError, match="from the store itself"):
        MemoryOS.restore_backup(tmp_path / "copy.db", tmp_path / "new.db", forgotten=known)
    assert not (tmp_path / "new.db").exists()
    report = MemoryOS.restore_backup(tmp_path / "copy.db", tmp_path / "new.db", forgotten=with_secret)
    assert report.forgotten.pages == 1


@pytest.mark.parametrize("key", KEYS[:2], ids=IDS[:2])
def test_a_damaged_link_is_told_and_the_next_backup_is_whole_again(tmp_path: Path, key: str | None) -> None:
    folder = tmp_path / "backups"
    with opened(tmp_path / "m.db", key) as memory:
        fill(memory)
        for _ in range(2):
            memory.user("ann").add("Hello", "Hi")
            memory.backup(folder, incremental=True)
        last = next(folder.glob("*.pages"))
        last.write_bytes(last.read_bytes()[:-100])
        with pytest.raises(StoreCorruptError, match="damaged or cut off"):
            MemoryOS.restore_backup(folder, tmp_path / "new.db", forgotten=(), key=key)
        memory.backup(folder, incremental=True)
        assert names(folder) == [".db", ".db", ".pages"]
        if key is not None:
            memory.rekey("another")
            memory.backup(folder, incremental=True)
            assert names(folder) == [".db", ".db", ".db", ".pages"]
            with pytest.raises(StoreKeyError):
                MemoryOS.restore_backup(folder, tmp_path / "new.db", forgotten=(), key=key)
    assert not list(tmp_path.glob("new.db*"))
    assert not list(folder.glob("*.partial*"))


def test_wrong_sources_are_refused(tmp_path: Path) -> None:
    with opened(tmp_path / "m.db") as memory, opened(tmp_path / "other.db") as other:
        memory.user("ann").add("Hello", "Hi")
        memory.backup(tmp_path / "copy.db")
        memory.backup(tmp_path / "folder", incremental=True)
        with pytest.raises(InvalidInputError, match="another memory"):
            other.backup(tmp_path / "folder", incremental=True)
        with pytest.raises(StoreError, match="could not be used"):
            memory.backup(tmp_path / "copy.db", incremental=True)
        foreign, own = other.forgotten(), memory.forgotten()
    new, copy = tmp_path / "new.db", tmp_path / "copy.db"
    (tmp_path / "cut.jsonl").write_text('{"kind": "receipts", "store"')
    (tmp_path / "empty.jsonl").write_text("")
    odd = {"kind": "forgotten", "scope": "\ud800", "digest": "é", "at": "2026-01-01T00:00:00+00:00", "epoch": None}
    for source, given, said in (
        (copy, foreign, "another store"),
        (copy, [{"kind": "forgotten"}], "no head"),
        (copy, [foreign[0], {"kind": "forgotten", "at": "never"}], "record 2"),
        (copy, [*foreign, {"kind": "forgotten", "at": "never"}], "record 3"),
        (copy, tmp_path / "cut.jsonl", "cut off"),
        (copy, tmp_path / "empty.jsonl", "cut off"),
        (copy, [own[0], odd, {"kind": "end", "receipts": 1, "seal": "é\ud800"}], "changed or cut off"),
        (copy, tmp_path / "no.jsonl", "could not be read"),
        (tmp_path / "no.db", (), "no backup at"),
        (tmp_path, (), "holds no backup"),
    ):
        with pytest.raises(InvalidInputError, match=said):
            MemoryOS.restore_backup(source, new, forgotten=given)  # type: ignore[arg-type]
    with pytest.raises(InvalidInputError, match="one file"):
        MemoryOS.restore_backup(copy, new, forgotten=(), at=datetime.now(timezone.utc))
    assert not new.exists()


def _tampered(receipts: list[dict[str, object]], how: str) -> list[dict[str, object]]:
    """The receipts as somebody hands them on who has the file and not the store's secret."""
    head, *told, end = receipts
    if how == "a receipt less":
        told = told[1:]
    elif how == "a receipt twice in place of another":
        told = [told[0], told[0], *told[2:]]
    elif how == "another count, too":
        told, end = told[1:], {**end, "receipts": len(told) - 1}
    elif how == "no end":
        return [head, *told]
    elif how == "one item becomes a whole life":
        life = next(r["epoch"] for r in told if r["epoch"] is not None)
        told = [{**r, "epoch": life} for r in told]
    elif how == "the epoch of a later life":
        told = [{**r, "epoch": r["epoch"] + 1000 if isinstance(r["epoch"], int) else None} for r in told]
    elif how == "the alias of another user":
        names = {str(r["scope"]) for r in told}
        told = [{**r, "scope": next(n for n in sorted(names) if n != r["scope"])} for r in told]
    elif how == "an end of its own":
        end = {"kind": "end", "receipts": len(told), "seal": "0" * 64}
    return [head, *told, end]


@pytest.mark.parametrize(
    "how",
    [
        "a receipt less",
        "a receipt twice in place of another",
        "another count, too",
        "no end",
        "one item becomes a whole life",
        "the epoch of a later life",
        "the alias of another user",
        "an end of its own",
    ],
)
def test_receipts_that_somebody_changed_are_refused_and_forget_nothing(how: str, tmp_path: Path) -> None:
    with opened(tmp_path / "m.db") as memory:
        for name in ("ann", "bob"):
            user = memory.user(name)
            pages = [user.add(f"{name} line {number}", "Noted.").id for number in range(4)]
        memory.backup(tmp_path / "copy.db")
        memory.user("bob").forget(pages=pages[:2])
        memory.user("ann").forget(everything=True)
        receipts = [dict(receipt) for receipt in memory.forgotten()]
    new = tmp_path / "new.db"
    with pytest.raises(InvalidInputError, match="changed or cut off"):
        MemoryOS.restore_backup(tmp_path / "copy.db", new, forgotten=_tampered(receipts, how))
    assert not new.exists()
    MemoryOS.restore_backup(tmp_path / "copy.db", new, forgotten=receipts)
    with opened(new) as again:
        assert (texts(again, "ann"), texts(again, "bob")[::2]) == ([], ["bob line 2", "bob line 3"])


_WRITER = """\
import sys
from memoryos_core import MemoryOS
user = MemoryOS(sys.argv[1], embedder=None).user(sys.argv[2])
number = 0
while True:
    user.add(f"Line {number}.", "Noted.")
    print(number, flush=True)
    number += 1
"""


def test_backups_beside_processes_that_write_are_each_one_moment(tmp_path: Path) -> None:
    """What a writer was told to be accepted before a backup began is in it, without a gap, and sound."""
    folder, source = tmp_path / "backups", tmp_path / "m.db"
    with opened(source) as memory:
        fill(memory)
        command = [sys.executable, "-c", _WRITER, f"sqlite:///{source}"]
        writers = [subprocess.Popen([*command, name], stdout=subprocess.PIPE, text=True) for name in ("w0", "w1")]
        try:
            least = list[tuple[int, ...]]()
            for _ in range(6):
                accepted = tuple(int(w.stdout.readline()) for w in writers if w.stdout is not None)
                least.append(accepted)
                memory.backup(folder, incremental=True)
                time.sleep(0.05)
        finally:
            for writer in writers:
                os.kill(writer.pid, signal.SIGKILL)
                writer.communicate()
    for at, accepted in zip(moments(folder), least, strict=True):
        new = tmp_path / f"{at:%H%M%S%f}.db"
        MemoryOS.restore_backup(folder, new, at=at, forgotten=())
        with opened(new) as again:
            for name, before in zip(("w0", "w1"), accepted, strict=True):
                lines = texts(again, name)[::2]
                assert lines == [f"Line {number}." for number in range(len(lines))]
                assert len(lines) > before
            assert again.check(deep=True, progress=False).ok


def test_the_commands_do_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    url, folder, new = f"sqlite:///{tmp_path}/m.db", f"{tmp_path}/backups", f"{tmp_path}/new.db"
    with opened(tmp_path / "m.db") as memory:
        page = memory.user("ann").add("The word is plugh.", "I see.")
    assert main(["backup", url, folder, "--incremental"]) == 0
    with opened(tmp_path / "m.db") as memory:
        memory.user("ann").forget(pages=[page.id])
    capsys.readouterr()
    assert main(["forgotten", url]) == 0
    (tmp_path / "r.jsonl").write_text(capsys.readouterr().out)
    assert main(["restore-backup", folder, new, "--forgotten", url]) == 0
    assert "1 pages, 0 facts and 0 notes" in capsys.readouterr().err
    assert main(["restore-backup", folder, f"{tmp_path}/raw.db", "--without-forgotten"]) == 0
    assert main(["forgotten", f"sqlite:///{tmp_path}/raw.db", "--again", f"{tmp_path}/r.jsonl"]) == 0
    with opened(tmp_path / "raw.db") as again:
        assert texts(again) == []
    with pytest.raises(SystemExit):
        main(["restore-backup", folder, f"{tmp_path}/third.db"])
    assert "--forgotten" in capsys.readouterr().err


def test_another_memory_instead_of_the_right_one_is_refused_and_spoils_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Wrong are a memory without receipts, and one that was filled from an export, with the same ids."""
    url, copy, new = f"sqlite:///{tmp_path}/m.db", f"{tmp_path}/copy.db", f"{tmp_path}/new.db"
    with opened(tmp_path / "m.db") as memory, opened(tmp_path / "staging.db") as staging:
        pages = [memory.user("ann").add(f"The word is {word}.", "I see.").id for word in ("plugh", "xyzzy")]
        memory.backup(copy)
        staging.restore(memory.user("ann").export())
        staging.user("ann").forget(pages=pages[:1])
        memory.user("ann").forget(pages=pages[1:])
        staging.user("x").add("hello", "hi")
        receipts = staging.forgotten(secret=True)
    with opened(tmp_path / "empty.db") as other:
        other.user("x").add("hello", "hi")
    for wrong in ("staging.db", "empty.db"):
        assert main(["restore-backup", copy, new, "--forgotten", f"sqlite:///{tmp_path}/{wrong}"]) == 2
        assert "another store" in capsys.readouterr().err
        assert not Path(new).exists()
    assert main(["restore-backup", copy, new, "--forgotten", url]) == 0
    with opened(Path(new)) as again, pytest.raises(InvalidInputError, match="another store"):
        again.forget_again(receipts)
    assert b"xyzzy" not in Path(new).read_bytes()


def test_a_copy_from_before_receipts_takes_the_secret_only_of_a_store_that_names_something_in_it(
    tmp_path: Path,
) -> None:
    with opened(tmp_path / "m.db") as memory, opened(tmp_path / "other.db") as other:
        page = memory.user("ann").add("The word is plugh.", "I see.")
        memory.backup(tmp_path / "copy.db")
        memory.user("ann").forget(pages=[page.id])
        other.user("ann").forget(pages=[other.user("ann").add("hello", "hi").id])
        wrong, right = other.forgotten(secret=True), memory.forgotten(secret=True)
    _age(tmp_path / "copy.db")
    with pytest.raises(InvalidInputError, match="name nothing in this copy"):
        MemoryOS.restore_backup(tmp_path / "copy.db", tmp_path / "new.db", forgotten=wrong)
    assert not (tmp_path / "new.db").exists()
    with opened(tmp_path / "copy.db") as copy:
        with pytest.raises(InvalidInputError, match="name nothing in this copy"):
            copy.forget_again(wrong)
        assert copy.forget_again(right).pages == 1


def test_the_secret_of_another_store_takes_no_place_of_this_ones(tmp_path: Path) -> None:
    with opened(tmp_path / "a.db") as memory, opened(tmp_path / "b.db") as other:
        for each in (memory, other):
            page = each.user("ann").add("Hello", "Hi").id
            each.user("ann").forget(pages=[page])
        own = other.forgotten()
        with pytest.raises(InvalidInputError, match="another store"):
            other.forget_again(memory.forgotten(secret=True))
        assert other.forgotten() == own
        other.forget_again(own)
