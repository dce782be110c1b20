"""Several processes, one store: each batch is described by one model call, whoever does it, and no question twice."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from memoryos_core import MemoryOS
from tests.workers.crew import BATCH, CONFIG, KEPT, ROOT, Truth, lines

pytestmark = pytest.mark.slow

PROCESSES = 3
USERS = 30 if "MEMORYOS_SOAK" in os.environ else 6
PAGES = 3 * BATCH + KEPT


def counted(url: str, log: Path) -> None:
    with MemoryOS(url, embedder=None, config=CONFIG) as memory:
        for user in range(USERS):
            # No two users say the same, so that a question that is asked twice was asked for the same pages.
            memory.user(f"user-{user}").add_messages(lines(1000 * user, PAGES))
    command = [sys.executable, "-W", "ignore", "-m", "tests.workers.counted", url, str(log), str(PROCESSES)]
    done = subprocess.run(command, cwd=ROOT, stderr=subprocess.PIPE, text=True, check=False, timeout=200)
    assert done.returncode == 0, done.stderr
    asked = Counter(log.read_text().splitlines())
    assert [question for question, times in asked.items() if times > 1] == []
    kinds = Counter(question.split()[0] for question in asked)
    assert kinds["page_out"] == USERS * (PAGES - KEPT) // BATCH
    assert set(kinds) == {"page_out", "persona"}
    with Truth(url) as truth:
        assert truth.tiers() == {"short_term": USERS * KEPT, "mid_term": USERS * (PAGES - KEPT)}
        assert truth.unfinished() == 0
        assert truth.broken() == {}


@pytest.mark.postgres
def test_on_one_server(postgres_url: str, tmp_path: Path) -> None:
    counted(postgres_url, tmp_path / "asked")


def test_on_one_file(tmp_path: Path) -> None:
    counted(f"sqlite:///{tmp_path}/m.db", tmp_path / "asked")
