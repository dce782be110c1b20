"""Four processes of eight threads at once on one SQLite file: nothing lost, nothing back, nothing crosses users."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.faults.crowd import check, crowd
from tests.faults.opening import broken_laws, open_small, url

ROUNDS = 40 if "MEMORYOS_SOAK" in os.environ else 12


@pytest.mark.slow
def test_thirty_two_threads_of_four_processes_on_one_file(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    open_small(path).close()
    promised = crowd(url(path), rounds=ROUNDS)
    with open_small(path) as memory:
        check(memory, promised)
    assert broken_laws(path) == {}
