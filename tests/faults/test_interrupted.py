"""Ctrl-C at any moment of any verb, caught by the application: no lock stays, and what comes next works."""

from __future__ import annotations

import contextlib
import gc
import importlib.util
import logging
import os
import signal
import sqlite3
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from types import FrameType

import pytest
from sqlalchemy.engine.base import RootTransaction

from memoryos_core import MemoryConfig, MemoryOS, Message, NoteWrite, UserMemory, WorkerConfig
from memoryos_core.errors import StoreBusyError
from memoryos_core.ports.forks import DEADLINE
from memoryos_core.stores import open_store
from memoryos_core.stores.sql.columns import _lenient, read_leniently
from memoryos_core.values.audit import ACTING

pytestmark = [
    # An interrupt inside a finalizer cannot leave it: Python reports it and goes on.
    pytest.mark.filterwarnings(
        "ignore:(?s)Exception ignored.*KeyboardInterrupt:pytest.PytestUnraisableExceptionWarning"
    ),
    # SQLAlchemy, interrupted before it filed a collection of listeners, cannot look it up once the collection is gone.
    pytest.mark.filterwarnings(
        "ignore:(?s)Exception ignored in. <function _collection_gced:pytest.PytestUnraisableExceptionWarning"
    ),
]

MANUAL = MemoryConfig(worker=WorkerConfig(mode="manual"))
KEY = bytes(range(32))
POINTS = 60 if "MEMORYOS_SOAK" in os.environ else 20
"""How many moments of each verb are tried, spread over the whole of it."""

# Modules of Python itself that lose a lock when they are interrupted within: Condition, which SQLAlchemy's pool waits
# on, and the one lock of all loggers and that of all imports, for which every other thread of this process would wait.
_LOSE_THEIR_LOCK = frozenset((threading.__file__, logging.__file__, "<frozen importlib._bootstrap>"))

_numbers = count()


def said() -> list[Message]:
    n = next(_numbers)
    return [Message("user", f"question {n}", id=f"q{n}"), Message("assistant", f"answer {n}", id=f"a{n}")]


VERBS: dict[str, Callable[[UserMemory], object]] = {
    "add": lambda u: u.add("I keep bees.", "How many hives?"),
    "add_messages": lambda u: u.add_messages(said(), once=True),
    "remember": lambda u: u.remember(f"Allergic to nuts, number {next(_numbers)}"),
    "recall": lambda u: u.recall("Which hives?"),
    "search": lambda u: u.search("hives"),
    "pages": lambda u: u.pages(),
    "notes": lambda u: u.notes.write([NoteWrite(("app",), "k", f"{next(_numbers)}")]),
    "end_session": lambda u: u.end_session(),
    "consolidate": lambda u: u.consolidate(),
    "export": lambda u: list(u.export()),
    "forget": lambda u: u.forget(pages=[u.add("forget me").id]),
}


class Interrupting:
    """Sends SIGINT to this process when the nth call begins or ends: where Python looks for signals."""

    def __init__(self, at: int = -1) -> None:
        self.at, self.seen = at, 0

    def __call__(self, frame: FrameType, event: str, _argument: object) -> None:
        if event in ("call", "c_return") and frame.f_code.co_filename not in _LOSE_THEIR_LOCK:
            self.seen += 1
            if self.seen == self.at:
                sys.setprofile(None)
                signal.raise_signal(signal.SIGINT)

    def run(self, verb: Callable[[], object]) -> None:
        sys.setprofile(self)
        try:
            verb()
        finally:
            sys.setprofile(None)


@contextmanager
def nothing_collected() -> Iterator[None]:
    """What only a garbage collection would set free stays locked."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def test_an_interrupted_import_leaves_its_lock_to_other_threads() -> None:
    def look() -> object:
        return importlib.util.find_spec("no_module_of_this_name")

    whole = Interrupting()
    whole.run(look)
    for at in range(1, whole.seen + 1):
        with contextlib.suppress(KeyboardInterrupt):
            Interrupting(at).run(look)
    elsewhere = threading.Thread(target=look, daemon=True)
    elsewhere.start()
    elsewhere.join(30)
    assert not elsewhere.is_alive()


def storm(memory: MemoryOS, other: MemoryOS, verb: Callable[[UserMemory], object]) -> None:
    """Interrupt a verb at moments over its whole length; afterwards everybody can write at once."""
    user = memory.user("ada")
    whole = Interrupting()
    whole.run(lambda: verb(user))
    step = max(whole.seen // POINTS, 1)
    with nothing_collected():
        for at in range(1 + step // 2, whole.seen, step):
            with contextlib.suppress(KeyboardInterrupt):
                Interrupting(at).run(lambda: verb(user))
            assert not _lenient.get()
            assert (ACTING.get(), DEADLINE.get()) == (None, None)
            other.user("ada").add("from elsewhere")
            user.add("and here")

    def work() -> None:
        logging.getLogger(f"{__name__}.{next(_numbers)}").debug("the loggers' lock is free")
        user.add("in another thread", "x")

    elsewhere = threading.Thread(target=work, daemon=True)
    elsewhere.start()
    elsewhere.join(30)
    assert not elsewhere.is_alive()
    assert user.pages()[-1].messages[-1].text == "x"


def opened(url: str, key: bytes | None, patience: float = 1.0) -> MemoryOS:
    store = open_store(url, busy_timeout_seconds=patience, key=key)
    return MemoryOS(store, embedder=None, config=MANUAL)


@pytest.mark.parametrize("name", VERBS)
@pytest.mark.parametrize("key", [None, KEY], ids=["plain", "encrypted"])
def test_an_interrupted_verb_leaves_no_file_locked(tmp_path: Path, name: str, key: bytes | None) -> None:
    url = f"sqlite:///{tmp_path}/m.db"
    with opened(url, key) as memory, opened(url, key) as other:
        memory.user("ada").add("I keep nine hives.", "So many!")
        storm(memory, other, VERBS[name])


@pytest.mark.parametrize("key", [None, KEY], ids=["plain", "encrypted"])
def test_an_interrupt_just_before_a_commit_leaves_no_file_locked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: bytes | None
) -> None:
    """One moment among thousands, which a storm seldom meets: SQLAlchemy then rolls nothing back by itself."""

    def interrupt(_transaction: RootTransaction) -> None:
        raise KeyboardInterrupt

    url = f"sqlite:///{tmp_path}/m.db"
    with opened(url, key) as memory, opened(url, key) as other, nothing_collected():
        with monkeypatch.context() as patched:
            patched.setattr(RootTransaction, "_connection_commit_impl", interrupt)
            with pytest.raises(KeyboardInterrupt):
                memory.user("ada").add("I keep nine hives.", "So many!")
        other.user("ada").add("from elsewhere")
        memory.user("ada").add("and here")
        assert [page.messages[0].text for page in other.user("ada").pages()] == ["from elsewhere", "and here"]


# Where SQLAlchemy's pool gives a connection out or takes it back, an interrupt loses the connection. Nobody holds it
# any more, so that it is closed at once; psycopg reports that it was not closed by name.
@pytest.mark.filterwarnings(
    r"ignore:(?s)Exception ignored.*BaseConnection\.__del__.*ResourceWarning.*was deleted while still open:"
    "pytest.PytestUnraisableExceptionWarning"
)
@pytest.mark.postgres
@pytest.mark.parametrize("name", ["add", "recall", "forget"])
def test_an_interrupted_verb_leaves_no_row_locked(postgres_url: str, name: str) -> None:
    storm_on_server(postgres_url, name)
    gc.collect()  # what is lost in a cycle is reported here, and not in the test that comes next


def storm_on_server(url: str, name: str) -> None:
    with opened(url, None) as memory, opened(url, None) as other:
        memory.user("ada").add("I keep nine hives.", "So many!")
        storm(memory, other, VERBS[name])


@pytest.mark.postgres
def test_an_interrupt_within_a_roll_back_stays_an_interrupt(postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The driver has sent the command and not read the answer, so that the next one is refused."""
    import psycopg

    def send_alone(connection: psycopg.Connection) -> None:
        monkeypatch.undo()
        connection.pgconn.send_query(b"ROLLBACK")
        raise KeyboardInterrupt

    with opened(postgres_url, None) as memory:
        ada = memory.user("ada")
        ada.add("I keep nine hives.", "So many!")
        monkeypatch.setattr(psycopg.Connection, "rollback", send_alone)
        with pytest.raises(KeyboardInterrupt):
            ada.pages()
        assert [page.messages[0].text for page in ada.pages()] == ["I keep nine hives."]


@pytest.mark.parametrize("outer", [KeyboardInterrupt, SystemExit, GeneratorExit])
def test_an_error_after_an_interrupt_that_the_caller_handles_stays_an_error(
    tmp_path: Path, outer: type[BaseException]
) -> None:
    """What writes while it is being ended must hear that the write failed."""
    with opened(f"sqlite:///{tmp_path}/m.db", None, 0.1) as memory, sqlite3.connect(tmp_path / "m.db") as other:
        ada = memory.user("ada")
        ada.add("I keep nine hives.", "So many!")
        other.execute("BEGIN IMMEDIATE")
        try:
            raise outer
        except outer:
            with pytest.raises(StoreBusyError):
                ada.add("One more.", "Well.")


def test_an_interrupted_reading_leaves_the_thread_strict(tmp_path: Path) -> None:
    read = [0]
    for at in range(1, 40):
        with contextlib.suppress(KeyboardInterrupt):
            Interrupting(at).run(lambda: read_leniently(lambda: read.append(1)))
        assert not _lenient.get()
    assert sum(read) > 1


def test_an_interrupted_verb_leaves_no_role_behind(tmp_path: Path) -> None:
    with opened(f"sqlite:///{tmp_path}/m.db", None) as memory:
        memory.user("ada").governance.grant("bot", "admin")
        bot = memory.user("ada", actor="bot")
        whole = Interrupting()
        whole.run(bot.stats)
        for at in (*range(1, whole.seen, 9), *range(whole.seen - 30, whole.seen)):
            with contextlib.suppress(KeyboardInterrupt):
                Interrupting(at).run(bot.stats)
            assert (ACTING.get(), DEADLINE.get()) == (None, None), at


def test_an_interrupted_opening_leaves_nothing_locked(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/m.db"
    with opened(url, None) as memory:
        memory.user("ada").add("I keep nine hives.", "So many!")
        whole = Interrupting()
        whole.run(lambda: opened(url, None).close())
        step = max(whole.seen // POINTS, 1)
        with nothing_collected():
            for at in range(1 + step // 2, whole.seen, step):
                with contextlib.suppress(KeyboardInterrupt):
                    Interrupting(at).run(lambda: opened(url, None).close())
                memory.user("ada").add("still here")


def test_a_read_that_waits_for_the_collector_keeps_no_forgotten_text_in_the_log(tmp_path: Path) -> None:
    """An interrupt may leave a statement that was not read to its end in a cycle: its lock holds the log."""
    path = tmp_path / "memory.db"
    with MemoryOS(f"sqlite:///{path}", embedder=None) as memory:
        ada = memory.user("ada")
        page = ada.add("The locker opens with 4711.", "Noted.")
        ada.add("The heron came back.", "Good.")
        memory.flush()
        gc.disable()
        try:
            lost: list[object] = [sqlite3.connect(path)]
            lost += [lost[0].execute("SELECT * FROM memoryos_pages"), lost]  # type: ignore[attr-defined]
            lost[1].fetchone()  # type: ignore[attr-defined]
            del lost
            ada.forget(pages=[page])
            assert b"4711" not in Path(f"{path}-wal").read_bytes()
        finally:
            gc.enable()
