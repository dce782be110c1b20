"""The command `memoryos`: what it takes from whom, what it says, and the status with which it ends."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from memoryos_core import MemoryConfig, MemoryOS, ShortTermConfig, WorkerConfig
from memoryos_core.cli import main

MANUAL = MemoryConfig(worker=WorkerConfig(mode="manual"))
SMALL = MemoryConfig(short_term=ShortTermConfig(capacity_pages=2, batch_pages=2))
"""Named by `--config tests.faces.test_cli:SMALL`."""
PROJECT = Path(__file__).parents[2] / "pyproject.toml"
WORDS = ("--embedder", "none", "--once")


@pytest.fixture(autouse=True)
def _bare(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MEMORYOS_URL", "MEMORYOS_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def filled(tmp_path: Path) -> str:
    """A memory with 36 pages of one user that nobody has consolidated."""
    url = f"sqlite:///{tmp_path}/m.db"
    with MemoryOS(url, embedder=None, config=MANUAL) as memory:
        user = memory.user("ada")
        for number in range(36):
            user.add(f"I keep bees in hive {number}.", "They hum.")
    return url


def moved(url: str) -> int:
    with MemoryOS(url, embedder=None, config=MANUAL) as memory:
        return memory.stats().pages_mid_term


def test_a_worker_does_what_is_due_and_says_what(filled: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["worker", filled, *WORDS]) == 0
    assert moved(filled) == 16
    assert capsys.readouterr().out.startswith("16 pages moved, ")


def test_the_url_may_come_from_the_environment(filled: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORYOS_URL", filled)
    assert main(["worker", *WORDS]) == 0
    assert moved(filled) == 16


def test_the_application_may_name_its_configuration(filled: str) -> None:
    assert main(["worker", filled, *WORDS, "--config", "tests.faces.test_cli:SMALL"]) == 0
    assert moved(filled) == 34


def test_the_module_is_the_command(filled: str) -> None:
    command = [sys.executable, "-m", "memoryos_core.cli", "worker", filled, *WORDS]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert '\n[project.scripts]\nmemoryos = "memoryos_core.cli:main"\n' in PROJECT.read_text("utf-8")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "MEMORYOS_URL"),
        (["sqlite:////nowhere/at/all.db"], "StoreUnwritableError"),
        (["sqlite://", "--config", "no.such:CONFIG"], "MODULE:NAME"),
        (["sqlite://", "--config", "os"], "MODULE:NAME"),
        (["sqlite://", "--config", "tests.faces.test_cli:WORDS"], "MemoryConfig"),
        (["sqlite://", "--poll", "0"], "poll_seconds"),
        (["sqlite://", "--threads", "0"], "threads"),
    ],
)
def test_what_cannot_be_done_is_one_line_and_status_2(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["worker", *arguments, *WORDS]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert said in shown.err
    assert shown.err.count("\n") == 1


def test_a_command_that_does_not_exist_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["nonsense"])
    assert ended.value.code == 2
    assert "nonsense" in capsys.readouterr().err
