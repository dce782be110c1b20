"""Workers are killed at random moments: every page stays in one tier, and every batch is applied once."""

from __future__ import annotations

import os
import random
import signal
from pathlib import Path

import pytest

from tests.workers.crew import BATCH, KEPT, SMALL_BATCH, Crew, Truth, fill, hunted, until

pytestmark = pytest.mark.slow
SOAK = "MEMORYOS_SOAK" in os.environ


@pytest.mark.postgres
def test_four_workers_on_one_server(postgres_url: str) -> None:
    hunted(postgres_url, workers=4, kills=12 if SOAK else 6, users=60 if SOAK else 24, pages=34, seed=1)


def test_three_workers_on_one_file(tmp_path: Path) -> None:
    hunted(f"sqlite:///{tmp_path}/m.db", workers=3, kills=8 if SOAK else 5, users=20 if SOAK else 12, pages=34, seed=2)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_worker_that_is_asked_to_stop_lets_go_of_everything(tmp_path: Path, number: signal.Signals) -> None:
    url = f"sqlite:///{tmp_path}/m.db"
    pages = 400 if SOAK else 200
    fill(url, 1, pages)
    with Truth(url) as truth, Crew(url) as crew:
        worker = crew.start()
        until(lambda: "mid_term" in truth.tiers())
        assert crew.stop(worker, number) == 0
        assert truth.number("SELECT COUNT(*) FROM memoryos_scopes WHERE lease_holder IS NOT NULL") == 0
        assert truth.broken() == {}
        if truth.tiers()["short_term"] != KEPT + (pages - KEPT) % SMALL_BATCH:
            assert truth.unfinished() == 1  # due still, for the next one
            crew.start()
            until(lambda: truth.unfinished() == 0)
        assert truth.tiers()["short_term"] == KEPT + (pages - KEPT) % SMALL_BATCH


@pytest.mark.postgres
def test_a_worker_that_sleeps_like_a_paused_machine_is_taken_over_and_harms_nothing(postgres_url: str) -> None:
    users, pages, naps = 12, 2 * BATCH + KEPT, 4 if SOAK else 2
    fill(postgres_url, users, pages)
    chance = random.Random(3)
    with Truth(postgres_url) as truth, Crew(postgres_url) as crew:
        workers = [crew.start(), crew.start()]
        for nap in range(1, naps + 1):
            sleeper = chance.choice(workers)
            until(lambda nap=nap: truth.tiers().get("mid_term", 0) >= users * pages * nap // (2 * naps))  # type: ignore[misc]
            os.kill(sleeper, signal.SIGSTOP)
            # Until what it holds, if it holds something, has run out.
            until(lambda sleeper=sleeper: truth.held_by(sleeper) == 0)  # type: ignore[misc]
            os.kill(sleeper, signal.SIGCONT)
        until(lambda: truth.unfinished() == 0)
        assert [crew.stop(worker) for worker in workers] == [0, 0]
        assert truth.broken() == {}
        assert truth.tiers() == {"short_term": users * KEPT, "mid_term": users * (pages - KEPT)}
