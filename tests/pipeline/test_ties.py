"""A conversation full of ties gives the same prompts and the same memory, whatever the ids and the order of sets."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.pipeline.ties import questions

ROOT = Path(__file__).parents[2]
TURNS = "160" if "MEMORYOS_SOAK" in os.environ else "80"


def lived(folder: Path, kind: str, hash_seed: str) -> str:
    """Return what a process with this order of sets remembers and recalls."""
    folder.mkdir()
    command = [sys.executable, "-m", "tests.pipeline.ties", f"sqlite:///{folder}/m.db", kind, "8", TURNS]
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True, timeout=300)
    return done.stdout


@pytest.mark.parametrize("kind", ["semantic", "words"])
def test_two_processes_give_the_same_prompts_and_the_same_memory(tmp_path: Path, kind: str) -> None:
    first, second = (lived(tmp_path / seed, kind, seed) for seed in ("1", "2"))
    prompts, found, records = json.loads(first)
    assert len(prompts) == len(questions()) == 50
    assert sum(bool(prompt) for prompt in prompts) > 40
    assert all(found)
    assert {"fact", "page"} <= {record["kind"] for record in records}
    assert json.loads(second) == [prompts, found, records]
    assert second == first
