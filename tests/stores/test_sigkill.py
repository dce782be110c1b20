"""A process that dies at any moment loses nothing that `append` returned for, and leaves a file that opens."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from memoryos_core.stores import open_store
from memoryos_core.testing.store_samples import ALICE
from memoryos_core.values.commands import PageQuery

ROUNDS, WRITERS = 6 if "MEMORYOS_SOAK" in os.environ else 3, 4

WRITER = """
import itertools, sys
from memoryos_core.stores import open_store
from memoryos_core.testing.store_samples import ALICE, add, embed, ids, move_out, segment
store, name = open_store(sys.argv[1]), sys.argv[2]
for i in itertools.count():
    (page,) = add(store, f"{name} {i}", session=name)
    print(page.id, flush=True)
    if i % 3 == 0:
        embed(store, page)
        store.page_out(move_out([page], into=segment(f"segment {page.id}"), chain=page.id))
"""


@pytest.mark.slow
def test_whatever_was_acknowledged_survives(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'memory.db'}"
    open_store(url).close()
    chance = random.Random(0)
    acknowledged: set[str] = set()
    for round_ in range(ROUNDS):
        said = [tmp_path / f"{round_}.{n}.txt" for n in range(WRITERS)]
        writers = [start(url, file) for file in said]
        while not all(file.stat().st_size for file in said):
            assert all(writer.poll() is None for writer in writers)
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


def start(url: str, said: Path) -> subprocess.Popen[bytes]:
    with said.open("wb") as out:
        return subprocess.Popen([sys.executable, "-c", WRITER, url, said.stem], stdout=out)
