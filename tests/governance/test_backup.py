"""A backup is one moment of a memory in use: whole, as readable as its source, and there only when it is complete."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import threading
import time
from datetime import datetime, timezone
from pathlib import Path

import pytest

from memoryos_core import AsyncMemoryOS, MemoryConfig, MemoryOS, WorkerConfig
from memoryos_core.errors import InvalidInputError, StoreError
from memoryos_core.ops.cli import main
from tests.conftest import find_litestream

MANUAL = MemoryConfig(worker=WorkerConfig(mode="manual"))


def opened(path: Path, key: str | bytes | None = None) -> MemoryOS:
    return MemoryOS(f"sqlite:///{path}", embedder=None, config=MANUAL, key=key)


def assert_copied(folder: Path, key: str | bytes | None = None) -> None:
    """A copy holds what its source held at that moment, can be written to, and is as readable as the source."""
    copy = folder / "copy.db"
    with opened(folder / "m.db", key) as memory:
        ann = memory.user("ann")
        for number in range(30):
            ann.add(f"I planted xyzzy tree {number}.", "Nice!")
        ann.remember("Ann likes ramen")
        memory.backup(copy)
        exported = list(ann.export())
        ann.add("This comes after the backup.", "Yes.")
    assert [path.name for path in folder.iterdir() if "copy" in path.name] == ["copy.db"]
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    with opened(copy, key) as again:
        assert again.check(deep=True, progress=False).ok
        assert list(again.user("ann").export()) == exported
        again.user("ann").add("It can be written to.", "Yes.")
    assert (b"xyzzy" in copy.read_bytes()) == (key is None)


def test_a_backup_opens_like_its_source(tmp_path: Path) -> None:
    assert_copied(tmp_path)


def assert_read_only(tmp_path: Path, capsys: pytest.CaptureFixture[str], key: str | None = None) -> None:
    """A file on a read-only file system is read, and no file appears beside it; its key is in the environment."""
    folder, path = tmp_path / "archive", tmp_path / "archive" / "m.db"
    folder.mkdir()
    with opened(path, key) as memory:
        ann = memory.user("ann")
        ann.add("The word is plugh.", "I see.")
        ann.remember("Ann likes ramen")
    before = path.read_bytes()
    url, who = f"sqlite:///file:{path}?mode=ro&immutable=1&uri=true", ["--user", "ann", "--embedder", "none"]
    for argv in (
        ["check", url, "--deep"],
        ["stats", url],
        ["facts", url, *who],
        ["recall", url, "What is the word?", *who],
        ["search", url, "plugh", *who],
        ["export", url],
        ["backup", url, f"{tmp_path}/copy.db"],
    ):
        assert main(argv) == 0, argv
        assert [each.name for each in folder.iterdir()] == ["m.db"], argv
    assert "plugh" in capsys.readouterr().out
    assert main(["add", url, "hello", *who]) == 2
    assert "StoreUnwritableError" in capsys.readouterr().err
    assert path.read_bytes() == before
    with opened(tmp_path / "copy.db", key) as copy:
        assert [fact.text for fact in copy.user("ann").facts()] == ["Ann likes ramen"]


def test_a_file_on_a_read_only_file_system_is_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert_read_only(tmp_path, capsys)


def test_forgotten_text_is_not_in_a_backup(tmp_path: Path) -> None:
    with opened(tmp_path / "m.db") as memory:
        page = memory.user("ann").add("The word is plugh.", "I see.")
        memory.user("ann").forget(pages=[page.id])
        memory.backup(tmp_path / "copy.db")
    assert b"plugh" not in (tmp_path / "copy.db").read_bytes()


def test_writers_go_on_and_the_copy_is_one_moment(tmp_path: Path) -> None:
    stop = threading.Event()
    added: list[int] = []
    with opened(tmp_path / "m.db") as memory:

        def write() -> None:
            while not stop.is_set():
                memory.user("ann").add(f"Line {len(added)}.", "Noted.")
                added.append(1)

        writer = threading.Thread(target=write)
        writer.start()
        try:
            for number in range(8):
                while len(added) < 5 * (number + 1):
                    time.sleep(0.001)
                before = len(added)
                memory.backup(tmp_path / f"{number}.db")
                after = len(added)
                with opened(tmp_path / f"{number}.db") as copy:
                    texts = [message.text for message in copy.user("ann").transcript() if message.role == "user"]
                    assert copy.check(progress=False).ok
                assert before <= len(texts) <= after + 1
                assert texts == [f"Line {line}." for line in range(len(texts))]
        finally:
            stop.set()
            writer.join()


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "there").write_text("mine")
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    with opened(tmp_path / "m.db") as memory:
        for name in ("there", "dangling", "m.db"):
            with pytest.raises(InvalidInputError, match="there is a file"):
                memory.backup(tmp_path / name)
        for wrong in (None, 7, ""):
            with pytest.raises(InvalidInputError, match="path of a new file"):
                memory.backup(wrong)  # type: ignore[arg-type]
        with pytest.raises(StoreError):
            memory.backup(tmp_path / "no folder" / "copy.db")
    assert (tmp_path / "there").read_text() == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["dangling", "m.db", "there"]


@pytest.mark.parametrize("name", ["file:c.db", "a?b.db", "100%.db", ":memory:", "ñ 日.db"])
def test_any_name_of_a_file_will_do(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with opened(tmp_path / "m.db") as memory:
        memory.user("ann").add("Hello", "Hi")
        memory.backup(name)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([name, "m.db"])


def test_a_memory_in_ram_can_be_kept(tmp_path: Path) -> None:
    with MemoryOS("sqlite://", embedder=None, config=MANUAL) as memory:
        memory.user("ann").add("I live in Porto.", "Noted.")
        memory.backup(tmp_path / "kept.db")
    with opened(tmp_path / "kept.db") as kept:
        assert kept.user("ann").stats().pages == 1


async def test_the_coroutine_face_does_the_same(tmp_path: Path) -> None:
    async with AsyncMemoryOS(f"sqlite:///{tmp_path}/m.db", embedder=None, config=MANUAL) as memory:
        await memory.user("ann").add("Hello", "Hi")
        await memory.backup(str(tmp_path / "copy.db"))
        assert (await memory.check(progress=False)).ok
    with opened(tmp_path / "copy.db") as copy:
        assert copy.user("ann").stats().pages == 1


_KILLED = """\
import sys
from memoryos_core import MemoryOS
with MemoryOS(sys.argv[1], embedder=None) as memory:
    print("ready", flush=True)
    number = 0
    while True:
        memory.backup(f"{sys.argv[2]}/{number}.db")
        number += 1
"""


def test_a_killed_backup_leaves_no_file_of_the_name_or_a_whole_one(tmp_path: Path) -> None:
    source, folder = tmp_path / "m.db", tmp_path / "copies"
    folder.mkdir()
    with opened(source) as memory:
        for number in range(200):
            memory.user("ann").add(f"Line {number}. " * 20, "Noted.")
        for attempt in range(0, 6, 1 if "MEMORYOS_SOAK" in os.environ else 2):
            command = [sys.executable, "-c", _KILLED, f"sqlite:///{source}", str(folder)]
            with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
                assert process.stdout is not None
                process.stdout.readline()
                time.sleep(0.02 + 0.017 * attempt)
                os.kill(process.pid, signal.SIGKILL)
            for copy in folder.glob("*.db"):
                with opened(copy) as again:
                    assert again.user("ann").stats().pages == 200
                    assert again.check(deep=True, progress=False).ok
            for left in folder.iterdir():
                left.unlink()
        assert memory.check(deep=True, progress=False).ok


def test_the_command_says_where_the_copy_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with opened(tmp_path / "m.db") as memory:
        memory.user("ann").add("Hello", "Hi")
    assert main(["backup", f"sqlite:///{tmp_path}/m.db", f"{tmp_path}/copy.db"]) == 0
    assert f"copied to {tmp_path}/copy.db" in capsys.readouterr().err
    assert main(["backup", f"sqlite:///{tmp_path}/m.db", f"{tmp_path}/copy.db"]) == 2
    assert "there is a file" in capsys.readouterr().err


def test_litestream_brings_a_memory_back_to_any_moment(tmp_path: Path) -> None:
    """Where Litestream is not installed this looks at nothing, and the header of the run says so; `make litestream`."""
    litestream = find_litestream()
    if litestream is None:
        return
    source, replica = tmp_path / "m.db", f"file://{tmp_path}/replica"

    def restored(name: str, *options: str) -> Path | None:
        path = tmp_path / name
        path.unlink(missing_ok=True)
        done = subprocess.run([litestream, "restore", "-o", str(path), *options, replica], capture_output=True)
        return path if done.returncode == 0 else None

    def wait_for(pages: int) -> None:
        """Wait until the replica has so many pages."""
        deadline = time.monotonic() + 60
        while True:
            path = restored("now.db")
            if path is not None:
                with opened(path) as copy:
                    if copy.user("ann").stats().pages == pages:
                        return
            assert time.monotonic() < deadline
            time.sleep(0.2)

    with opened(source) as memory:
        ann = memory.user("ann")
        first = ann.add("The word is plugh.", "I see.")
        with subprocess.Popen([litestream, "replicate", str(source), replica], stdout=subprocess.DEVNULL) as running:
            try:
                for number in range(9):
                    ann.add(f"I planted pear tree {number}.", "Nice!")
                wait_for(10)
                expected = list(ann.export())
                moment = datetime.now(timezone.utc)
                time.sleep(1.1)  # Litestream tells moments by the second
                ann.forget(pages=[first.id])  # empties the log, as Litestream itself would
                ann.add("This came later.", "Yes.")
                ann.add("And this.", "Yes.")
                wait_for(11)
            finally:
                running.terminate()
        receipts = memory.forgotten()
        assert memory.check(deep=True, progress=False).ok
    path = restored("then.db", "-timestamp", f"{moment:%Y-%m-%dT%H:%M:%S.%fZ}")
    assert path is not None
    with opened(path) as again:
        assert list(again.user("ann").export()) == expected
        assert again.check(deep=True, progress=False).ok
        assert again.forget_again(receipts).pages == 1
        assert again.user("ann").stats().pages == 9
    with opened(tmp_path / "now.db") as latest:
        assert latest.check(deep=True, progress=False).ok
