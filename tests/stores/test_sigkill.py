"""A process that dies at any moment loses nothing that `append` returned for, and leaves a file that opens."""

from __future__ import annotations

import itertools
import os
import random
import signal
import time
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from memoryos_core.stores import open_store
from memoryos_core.testing.store_samples import ALICE, add, embed, move_out, segment
from memoryos_core.values.commands import PageQuery
from tests.faults.forks import Child

ROUNDS, WRITERS = 6 if "MEMORYOS_SOAK" in os.environ else 3, 4


def write(url: str, name: str) -> None:
    """Add pages and move them for ever, and say the id of each that is safe."""
    store = open_store(url)
    for i in itertools.count():
        (page,) = add(store, f"{name} {i}", session=name)
        print(page.id, flush=True)
        if i % 3 == 0:
            embed(store, page)
            store.page_out(move_out([page], into=segment(f"segment {page.id}"), chain=page.id))


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork.*:DeprecationWarning")
@pytest.mark.slow
def test_whatever_was_acknowledged_survives(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'memory.db'}"
    open_store(url).close()
    chance = random.Random(0)
    acknowledged: set[str] = set()
    for round_ in range(ROUNDS):
        said = [tmp_path / f"{round_}.{n}.txt" for n in range(WRITERS)]
        writers = [Child(partial(write, url, file.stem), file) for file in said]
        while not all(file.exists() and file.stat().st_size for file in said):
            assert all(writer.runs() for writer in writers)
            time.sleep(0.005)
        for writer in writers:
            time.sleep(chance.uniform(0, 0.05))
            writer.kill()
        assert [writer.wait() for writer in writers] == [-signal.SIGKILL] * WRITERS
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
