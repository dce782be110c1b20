"""A process that dies at any moment loses nothing that `append` returned for, and leaves a file that opens."""

from __future__ import annotations

import itertools
import os
import random
import signal
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from memoryos_core.stores import open_store
from memoryos_core.testing.store_samples import ALICE, add, embed, move_out, segment
from memoryos_core.values.commands import PageQuery

ROUNDS, WRITERS = 6 if "MEMORYOS_SOAK" in os.environ else 3, 4


def write(url: str, name: str) -> None:
    store = open_store(url)
    for i in itertools.count():
        (page,) = add(store, f"{name} {i}", session=name)
        print(page.id, flush=True)
        if i % 3 == 0:
            embed(store, page)
            store.page_out(move_out([page], into=segment(f"segment {page.id}"), chain=page.id))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork.*:DeprecationWarning")
def test_whatever_was_acknowledged_survives(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'memory.db'}"
    open_store(url).close()
    chance = random.Random(0)
    acknowledged: set[str] = set()
    for round_ in range(ROUNDS):
        said = [tmp_path / f"{round_}.{n}.txt" for n in range(WRITERS)]
        writers = [start(url, file) for file in said]
        while not all(file.exists() and file.stat().st_size for file in said):
            assert all(os.waitpid(writer, os.WNOHANG) == (0, 0) for writer in writers)
            time.sleep(0.005)
        for writer in writers:
            time.sleep(chance.uniform(0, 0.05))
            os.kill(writer, signal.SIGKILL)
        ended = [os.waitstatus_to_exitcode(os.waitpid(writer, 0)[1]) for writer in writers]
        assert ended == [-signal.SIGKILL] * WRITERS
        for file in said:
            # A line that the signal cut short acknowledges nothing.
            acknowledged.update(line for line in file.read_text().splitlines() if len(line) == 32)
        with closing(open_store(url)) as store:
            pages = store.pages(PageQuery(ALICE))
            assert acknowledged <= {page.id for page in pages}
            # Each writer may have had one commit that it could not tell of any more.
            assert len(pages) <= len(acknowledged) + WRITERS * (round_ + 1)
            assert len({page.seq for page in pages}) == len(pages)
            for page in pages:
                assert (page.tier == "short_term") == (page.segment_id is None)
            assert sum(s.page_count for s in store.segments(ALICE)) == sum(p.tier == "mid_term" for p in pages)


def start(url: str, said: Path) -> int:
    """Fork a writer: an interpreter that starts takes longer than all that it writes."""
    writer = os.fork()
    if not writer:
        try:
            os.dup2(os.open(said, os.O_WRONLY | os.O_CREAT, 0o600), 1)
            sys.stdout = os.fdopen(1, "w")
            write(url, said.stem)
        finally:
            os._exit(1)
    return writer
