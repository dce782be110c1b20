"""Children forked while threads of the parent work, from their first calls on: none of them hangs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from memoryos_core import MemoryOS
from memoryos_core.ports.forks import Condition, Event, Lock, Semaphore

ROOT = Path(__file__).parents[2]
PROCESSES, CHILDREN = (50, 20) if "MEMORYOS_SOAK" in os.environ else (4, 6)
"""A thousand children in `make soak`."""

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")


def hung(folder: Path, forks: int) -> str:
    """How many children of a new process hung, and where."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.faults.forks", str(folder), str(forks)],
        cwd=ROOT, capture_output=True, text=True, check=False, timeout=3600,
    )  # fmt: skip
    assert not done.returncode, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("number", range(PROCESSES))
def test_a_child_forked_during_the_first_calls_of_eight_threads_can_work(tmp_path: Path, number: int) -> None:
    assert hung(tmp_path, CHILDREN) == "0 {}"


def works_in_child(work: Callable[[], bool]) -> bool:
    """Whether some work is done, and ends, in a forked child."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # there are threads: that is what is tried
        child = os.fork()
    if not child:  # pragma: no cover - in the child, which must never get back into pytest
        signal.alarm(20)
        try:
            os._exit(0 if work() else 1)
        finally:
            os._exit(2)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.mark.parametrize("kind", [Lock, Condition, partial(Semaphore, 1)], ids=["lock", "condition", "semaphore"])
def test_what_another_thread_holds_is_free_in_the_child(kind: Callable[[], Any]) -> None:
    held, taken, done = kind(), threading.Event(), threading.Event()

    def hold() -> None:
        with held:
            taken.set()
            done.wait(60)

    thread = threading.Thread(target=hold)
    thread.start()
    try:
        assert taken.wait(20)
        assert works_in_child(lambda: held.acquire(timeout=5))
    finally:
        done.set()
        thread.join()


def test_a_child_may_set_an_event_that_another_thread_was_setting_and_knows_what_was_set() -> None:
    event, known = Event(), Event()
    known.set()

    def set_it() -> bool:
        event.set()
        return event.wait(5) and known.is_set()

    with event._cond:  # type: ignore[attr-defined]  # as in another thread within `set`: this lock has no owner
        assert works_in_child(set_it)


def test_a_condition_that_the_forking_thread_holds_stays_held() -> None:
    condition = Condition()

    def release() -> bool:
        condition.notify_all()  # raises RuntimeError where it is not held
        condition.release()
        return True

    with condition:
        assert works_in_child(release)


_OTHER = """
import sys
from memoryos_core import MemoryOS
with MemoryOS(f"sqlite:///{sys.argv[1]}", embedder=None) as memory:
    for number in range(3):
        memory.user("ada").add(f"other {number}", "noted")
    print("written", flush=True)
    sys.stdin.readline()
    memory.user("ada").add("other at last", "noted")
"""


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork.*:DeprecationWarning")
@pytest.mark.parametrize("key", [None, bytes(range(32))], ids=["plain", "encrypted"])
@pytest.mark.parametrize("is_used", [True, False], ids=["used before", "used after"])
def test_a_child_has_locks_of_its_own_when_its_parent_closes(tmp_path: Path, is_used: bool, key: bytes | None) -> None:
    """SQLite believes in the child that it holds what its parent holds, and the last to close removes the log."""
    if key:
        pytest.importorskip("sqlcipher3")
    path = tmp_path / "m.db"
    address, script = f"sqlite:///{path}", _OTHER.replace("embedder=None", f"embedder=None, key={key!r}")
    memory = MemoryOS(address, embedder=None, key=key)
    beside = MemoryOS(address, embedder=None, key=key)  # which the child never touches
    memory.user("ada").add("parent", "noted")
    beside.user("ada").add("beside", "noted")
    to_child, to_parent = os.pipe(), os.pipe()
    child = os.fork()
    if not child:  # pragma: no cover
        signal.alarm(60)
        try:
            if is_used:
                memory.user("ada").add("child", "noted")
            os.write(to_parent[1], b".")
            os.read(to_child[0], 1)
            memory.user("ada").add("child later", "noted")
            os._exit(0 if len(memory.user("ada").pages()) == 6 + is_used else 1)
        finally:
            os._exit(2)
    os.read(to_parent[0], 1)
    memory.close()
    beside.close()
    other = subprocess.Popen(
        [sys.executable, "-c", script, str(path)], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert other.stdout is not None
    assert other.stdout.readline() == "written\n"
    os.write(to_child[1], b".")
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    other.communicate("\n", timeout=60)
    with MemoryOS(address, embedder=None, key=key) as memory:
        assert len(memory.user("ada").pages()) == 7 + is_used
    for descriptor in (*to_child, *to_parent):
        os.close(descriptor)
