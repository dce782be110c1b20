"""The index that is kept survives kill -9 between any two statements, writers at once, and a forked child."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Callable
from contextlib import closing, suppress
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import event

from memoryos_core.errors import ConflictError
from memoryos_core.recall.index import kept, prune_chunk
from memoryos_core.stores import open_store
from memoryos_core.stores.sql.store import SqlStore
from memoryos_core.testing.store_samples import ALICE, add, ids
from memoryos_core.values.commands import EmbedderStamp, Forgetting
from tests.faults.forks import Child
from tests.governance.words import found
from tests.indexes.keeping import Writing, kept_index, loads, never, plain_index, same_answers

SECRET = {"word": b"zebrafinch"}


@pytest.fixture(autouse=True)
def _every_change_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "LEAST", 1)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "memory.db"
    with closing(open_store(f"sqlite:///{path}")) as store:
        store.stamp_embedder(EmbedderStamp("tests", 4))
        add(store, "I keep a zebrafinch", "harbour tram", "violin")
        kept_index(store).keep(ALICE, never)
        add(store, "lantern kettle", "orchard")
    return path


def dies_at(path: Path, statement: int, work: Callable[[SqlStore], object]) -> bool:
    """Do the work in a child that kills itself before a statement; return whether it came to that."""
    child = os.fork()
    if child == 0:
        store = SqlStore(f"sqlite:///{path}")
        count = 0

        def die(*_: object) -> None:
            nonlocal count
            count += 1
            if count == statement:
                os.kill(os.getpid(), signal.SIGKILL)

        event.listen(store._database._engine, "before_cursor_execute", die)
        event.listen(store._database._engine, "commit", die)
        work(store)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL


WORKS = {
    "keep": lambda store: kept_index(store).keep(ALICE, never),
    "forget": lambda store: store.forget(Forgetting(ALICE, (ids(store)[0],))),
    "prune": lambda store: (store._prune_with(prune_chunk), store.forget(Forgetting(ALICE, (ids(store)[0],)))),
    "restamp": lambda store: store.stamp_embedder(EmbedderStamp("another", 4)),
}


@pytest.mark.parametrize("work", WORKS)
def test_a_process_that_dies_before_any_statement_leaves_all_or_nothing(path: Path, work: str) -> None:
    deaths = 0
    for statement in range(1, 60):
        if not dies_at(path, statement, WORKS[work]):
            break
        deaths += 1
        with closing(SqlStore(f"sqlite:///{path}")) as store:
            assert kept_index(store).disagreements(ALICE) == ()
            if work != "keep":
                assert len(ids(store)) == 5, "nothing is half done"
                assert len(store.index_chunks(ALICE)) == 1
    assert deaths > 5
    with closing(SqlStore(f"sqlite:///{path}")) as store:
        same_answers(kept_index(store), plain_index(store))
        assert len(store.index_chunks(ALICE)) == (work in ("keep", "prune"))
    if work in ("forget", "prune"):
        assert found(SECRET, path.parent.iterdir()) == {}


def test_a_forked_child_goes_on_with_what_its_parent_read_back(path: Path) -> None:
    with closing(SqlStore(f"sqlite:///{path}")) as store:
        index = kept_index(store)
        same_answers(index, plain_index(store))
        child = os.fork()
        if child == 0:
            code = 1
            try:
                add(store, "winter bicycle")
                same_answers(index, plain_index(store))
                index.keep(ALICE, never)
                same_answers(kept_index(store), plain_index(store))
                code = 0
            finally:
                os._exit(code)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        index.keep(ALICE, never)
        same_answers(index, plain_index(store))
        assert index.disagreements(ALICE) == ()


def write(url: str, seed: int) -> None:
    """Change what is stored for ever, and keep the index after each change."""
    store = open_store(url)
    writing = Writing(store, random.Random(seed), f"{seed}.")
    while True:
        with suppress(ConflictError):
            writing.step()
        kept_index(store).keep(ALICE, never)
        print("x", flush=True)


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork.*:DeprecationWarning")
@pytest.mark.slow
def test_writers_that_are_killed_leave_an_index_that_says_what_the_rows_say(path: Path, tmp_path: Path) -> None:
    chance = random.Random(0)
    started = 0
    for round_ in range(20):
        if started and round_ >= (5 if "MEMORYOS_SOAK" in os.environ else 2):
            break  # writers that are killed early have kept nothing to start from
        said = [tmp_path / f"{round_}.{n}.txt" for n in range(3)]
        seeds = range(10 * round_, 10 * round_ + 3)
        writers = [
            Child(partial(write, f"sqlite:///{path}", seed), file) for seed, file in zip(seeds, said, strict=True)
        ]
        while not all(file.exists() and file.stat().st_size > 4 for file in said):
            assert all(writer.runs() for writer in writers)
            time.sleep(0.01)
        for writer in writers:
            time.sleep(chance.uniform(0, 0.05))
            writer.kill()
        assert [writer.wait() for writer in writers] == [-signal.SIGKILL] * len(writers)
        with closing(SqlStore(f"sqlite:///{path}")) as store:
            index = kept_index(store)
            started += loads(store)
            same_answers(index, plain_index(store))
            assert index.disagreements(ALICE) == ()
    assert started
