"""The command's standard streams: encodings, readers that leave, and what fails otherwise."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from memoryos_core import MemoryConfig, MemoryOS, WorkerConfig
from memoryos_core.ops.cli import main

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


@pytest.mark.parametrize("buffered", ["", "1"], ids=["buffered", "unbuffered"])
@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_a_reader_that_leaves_ends_the_command_as_it_ends_other_tools(
    url: str, tmp_path: Path, stream: str, buffered: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONUNBUFFERED", buffered)
    with MemoryOS(url, embedder=None, config=MANUAL) as memory:
        for number in range(400):  # more than the pipe and the buffer hold
            memory.user("ann").add(f"Line {number}. " * 40, "Noted.")
    command = [*COMMAND, "export", url] if stream == "stdout" else [*COMMAND, "backup", url, f"{tmp_path}/copy.db"]
    taken, given = os.pipe()
    if stream == "stderr":
        os.close(taken)
    other = "stderr" if stream == "stdout" else "stdout"
    with subprocess.Popen(command, **{stream: given, other: subprocess.PIPE}) as running:  # type: ignore[call-overload]
        os.close(given)
        if stream == "stdout":
            assert os.read(taken, 100)
            os.close(taken)
        said = running.communicate(timeout=120)
    assert running.returncode == 141
    assert b"".join(filter(None, said)) == b""


def test_output_that_has_no_room_is_told(url: str) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run([*COMMAND, "export", url], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (
        2,
        "memoryos: standard input or output failed (No space left on device)\n",
    )


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (FileNotFoundError(2, "No such file or directory", "/no/such"), "'/no/such' could not be used (No such file"),
        (ConnectionResetError(104, "Connection reset by peer"), "a connection failed (Connection reset by peer)"),
        (TimeoutError(), "a connection failed (TimeoutError)"),
    ],
)
def test_what_fails_elsewhere_is_not_told_as_a_failure_of_the_streams(
    url: str, error: OSError, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr("memoryos_core.ops.cli.transfer.open_memory", fail)
    assert main(["export", url]) == 2
    assert capsys.readouterr().err.startswith(f"memoryos: {said}")
