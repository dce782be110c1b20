"""The command's standard streams: encodings, readers that leave, and what fails otherwise."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from memoryos_core import MemoryConfig, MemoryOS, WorkerConfig

MANUAL = MemoryConfig(worker=WorkerConfig(mode="manual"))
COMMAND = (sys.executable, "-m", "memoryos_core.ops.cli")


@pytest.fixture
def url(tmp_path: Path) -> str:
    url = f"sqlite:///{tmp_path}/m.db"
    with MemoryOS(url, embedder=None, config=MANUAL) as memory:
        memory.user("ann").add("I keep bees in Łódź \N{HONEYBEE}.", "They hum.")
    return url


@pytest.mark.parametrize(
    ("encoding", "shown"),
    [
        ("cp1252", b"I keep bees in \\u0141\xf3d\\u017a \\U0001f41d."),
        ("ascii:strict", b"I keep bees in \\u0141\\xf3d\\u017a \\U0001f41d."),
        ("ascii:replace", b"I keep bees in ??d? ?."),
        ("utf-8", "I keep bees in Łódź \N{HONEYBEE}.".encode()),
    ],
)
def test_a_character_that_the_output_lacks_is_written_as_an_escape(url: str, encoding: str, shown: bytes) -> None:
    done = subprocess.run(
        [*COMMAND, "recall", url, "Who keeps bees?", "--user", "ann", "--embedder", "none"],
        env={**os.environ, "PYTHONIOENCODING": encoding},
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert shown in done.stdout
