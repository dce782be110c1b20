"""A disk that fails at any one write of any verb, or loses its power at any moment.

Every error is one of ours, nothing accepted is lost, nothing forgotten is readable, and no law is broken.
"""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import ModuleType

import pytest

from memoryos_core.errors import MemoryOSError, StoreUnwritableError
from tests.faults.disk import WAYS, Disk, How, lay_out
from tests.faults.verbs import LATER, VERBS, Verb, opened, prepare, state

SOAK = "MEMORYOS_SOAK" in os.environ
FAULTS_A_VERB = 14
"""Of the acts of a verb, so many fail in `make test`, chosen by lot; in `make soak` each fails in each way."""
LOSSES = 1000 if SOAK else 200
"""Of power, in the course of all verbs; for an encrypted file a quarter of it."""
KEYS = {"plain": None, "encrypted": bytes(range(32))}


def driver(key: bytes | None) -> ModuleType | None:
    if key is None:
        return None
    from sqlcipher3 import _sqlite3

    return _sqlite3  # type: ignore[no-any-return]


@pytest.fixture(scope="module", params=KEYS)
def key(request: pytest.FixtureRequest) -> bytes | None:
    return KEYS[request.param]


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory, key: bytes | None) -> Path:
    path = tmp_path_factory.mktemp("template") / "m.db"
    prepare(path, key)
    return path


def moments(name: str, count: int, key: bytes | None) -> Iterator[tuple[int, How, bool]]:
    every = [(n, how, for_good) for n in range(1, count + 1) for how in WAYS for for_good in (False, True)]
    few = FAULTS_A_VERB if key is None else FAULTS_A_VERB // 4
    return iter(every if SOAK else random.Random(name).sample(every, min(few, len(every))))


def attempt(verb: Verb, folder: Path, disk: Disk, key: bytes | None) -> bool:
    """Open the memory on this disk, run the verb, and go on: True when the verb returned. Any error is ours."""
    try:
        memory = opened(folder / "m.db", key)
    except MemoryOSError:
        return False
    done = False
    with suppress(MemoryOSError):
        verb.run(memory, folder)
        done = True
    disk.mend()
    memory.user("zoe").add(LATER)  # an open memory works again once its disk does
    memory.close()
    return done


def examine(name: str, folder: Path, before: dict[str, object], *, done: bool, key: bytes | None) -> None:
    """What was promised is there, what was there is still there, and no law is broken."""
    verb = VERBS[name]
    with opened(folder / "m.db", key) as memory:
        assert memory.check(deep=True, progress=False).findings == ()
        assert memory.verify_audit(progress=False).ok
        if done:
            assert verb.done(memory, folder)
        elif not verb.steps:
            assert state(memory) == before or verb.done(memory, folder)
        assert state(memory, ("bob",)) == {"bob": before["bob"]}
        if not verb.forgets:
            texts = {m.text for page in memory.user("ann").pages() for m in page.messages}
            assert {f"I planted xyzzy tree {n} by the river." for n in (0, 1, 2, 3, 4, 8, 9)} <= texts
    if done:
        files = b"".join(file.read_bytes() for file in folder.iterdir() if file.name.startswith("m.db"))
        assert not [word for word in verb.forgets if word.encode() in files]
    for copy in folder.glob("copy.db"):
        with opened(copy, key) as memory:
            assert state(memory) == before
            assert memory.check(deep=True, progress=False).findings == ()


@pytest.mark.parametrize("name", VERBS)
def test_whatever_write_fails_no_verb_harms_the_memory(
    template: Path, tmp_path: Path, name: str, key: bytes | None
) -> None:
    with opened(template, key) as memory:
        before = state(memory)
    whole = tmp_path / "whole"
    whole.mkdir()
    shutil.copy(template, whole / "m.db")
    with Disk(whole, driver=driver(key)) as disk, opened(whole / "m.db", key) as memory:
        VERBS[name].run(memory, whole)
        count = disk.count
    examine(name, whole, before, done=True, key=key)
    failed = 0
    for number, how, for_good in moments(name, count, key):
        folder = tmp_path / f"{number} {how} {for_good}"
        folder.mkdir()
        shutil.copy(template, folder / "m.db")
        with Disk(folder, fails=number, how=how, for_good=for_good, driver=driver(key)) as disk:
            done = attempt(VERBS[name], folder, disk, key)
            failed += bool(disk.failed)
        examine(name, folder, before, done=done, key=key)
        shutil.rmtree(folder)
    assert failed or not count


# All verbs in an order in which each has something to do.
LIFE = (
    *(
        "add",
        "add_messages",
        "remember",
        "consolidate",
        "recall",
        "correct",
        "notes.write",
        "grant",
        "revoke",
    ),
    *(
        "backup",
        "archive",
        "purge",
        "restore",
        "vacuum",
        "reindex",
        "end_session",
        "add",
        "forget facts",
        "forget pages",
    ),
    *("forget session", "add", "forget everything", "add"),
)


USERS = ("ann", "bob", "cat")
Told = list[tuple[int, str, dict[str, object]]]


def live(template: Path, folder: Path, key: bytes | None) -> tuple[Disk, Told]:
    """Do all of it on a disk that notes every act; returns after how many acts each verb returned, and the state."""
    shutil.copy(template, folder / "m.db")
    with Disk(folder, record=True, driver=driver(key)) as disk, opened(folder / "m.db", key) as memory:
        told = [(len(disk.acts), "open", state(memory, USERS))]
        for name in LIFE:
            VERBS[name].run(memory, folder)
            told.append((len(disk.acts), name, state(memory, USERS)))
    return disk, told


def recovered(
    folder: Path, key: bytes | None, last: dict[str, object], following: tuple[str, dict[str, object]]
) -> None:
    """The memory is as the last verb left it that returned, or as the one left it that was running."""
    name, after = following
    with opened(folder / "m.db", key) as memory:
        assert memory.check(deep=True, progress=False).findings == ()
        assert memory.verify_audit(progress=False).ok
        now = state(memory, USERS)
        assert now in (last, after) or VERBS[name].steps
        assert now.get("bob") == last["bob"]
        memory.user("zoe").add(LATER)


@pytest.mark.timeout(1200)
def test_a_loss_of_power_at_any_moment_loses_nothing(template: Path, tmp_path: Path, key: bytes | None) -> None:
    """What was not synced is lost: all of it, or any part of it, with one write torn at a sector."""
    home = tmp_path / "home"
    home.mkdir()
    disk, told = live(template, home, key)
    first, last = told[0][0], len(disk.acts)
    losses = LOSSES if key is None else LOSSES // 4
    lots = random.Random(19)
    saved = next(at for at, name, _ in told if name == "backup")
    for number in range(losses):
        cut = first + (last - first) * number // (losses - 1)
        folder = tmp_path / str(number)
        folder.mkdir()
        lay_out(disk.acts[:cut], folder, {"m.db": template.read_bytes()}, lots if number % 2 else None)
        done = sum(at <= cut for at, _, _ in told) - 1
        running = told[min(done + 1, len(told) - 1)]
        recovered(folder, key, told[done][2], (running[1], running[2]))
        assert (folder / "copy.db").exists() or cut < saved
        for copy in folder.glob("copy.db"):
            with opened(copy, key) as memory:
                assert state(memory, USERS) == next(found for _, name, found in told if name == "backup")
        shutil.rmtree(folder)


def test_the_disk_itself_is_blamed_by_name(template: Path, tmp_path: Path, key: bytes | None) -> None:
    shutil.copy(template, tmp_path / "m.db")
    with Disk(tmp_path, driver=driver(key)) as disk, opened(tmp_path / "m.db", key) as memory:
        disk.break_for_good()
        with pytest.raises(StoreUnwritableError, match="I/O error"):
            memory.user("ann").add(LATER)
        disk.mend()
        memory.user("ann").add(LATER)
    with opened(tmp_path / "m.db", key) as memory:
        assert [m.text for m in memory.user("ann").transcript()].count(LATER) == 1
