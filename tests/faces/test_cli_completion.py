"""`memoryos completion`: each shell completes commands, options and choices, without starting Python."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from memoryos_core.ops.cli import main

_BASH = """
source {script}
COMP_WORDS=({words}); COMP_CWORD={last}; COMP_TYPE=9
_shtab_memoryos memoryos "${{COMP_WORDS[{last}]}}" "${{COMP_WORDS[{last}-1]}}"
echo "${{COMPREPLY[@]}}"
"""


@pytest.fixture
def script(request: pytest.FixtureRequest, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    shell = getattr(request, "param", "bash")
    assert main(["completion", shell]) == 0
    path = tmp_path / shell
    path.write_text(capsys.readouterr().out, "utf-8")
    return path


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["memoryos", "che"], {"check", "check-recall"}),
        (["memoryos", "audit", ""], {"recalls", "ship", "show", "verify"}),
        (["memoryos", "recall", "--b"], {"--budget"}),
        (["memoryos", "search", "--tier", "mid"], {"mid_term"}),
        (["memoryos", "completion", "f"], {"fish"}),
    ],
)
def test_bash_completes(words: list[str], offered: set[str], script: Path) -> None:
    typed = " ".join(f"'{word}'" for word in words)
    code = _BASH.format(script=script, words=typed, last=len(words) - 1)
    done = subprocess.run(["/bin/bash", "-c", code], capture_output=True, text=True, check=True, timeout=30, env={})
    assert set(done.stdout.split()) == offered


@pytest.mark.parametrize("script", ["bash", "zsh", "fish"], indirect=True)
def test_a_shell_can_read_its_script(script: Path) -> None:
    text = script.read_text("utf-8")
    assert "check-recall" in text
    assert "python" not in text.lower()
    program = shutil.which(script.name)
    if program is not None:
        done = subprocess.run([program, "-n", str(script)], capture_output=True, text=True, check=False, timeout=30)
        assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("script", ["fish"], indirect=True)
def test_fish_completes_where_it_is_installed(script: Path, tmp_path: Path) -> None:
    program = shutil.which("fish")
    if program is None:
        return
    code = f"source {script}; complete --do-complete 'memoryos recall --bud'"
    home = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    done = subprocess.run([program, "-c", code], capture_output=True, text=True, check=True, timeout=30, env=home)
    assert done.stdout.startswith("--budget")


def test_another_shell_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["completion", "cmd"])
    assert ended.value.code == 2
    assert "bash" in capsys.readouterr().err


def test_without_the_extra_an_error_names_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "shtab", None)
    assert main(["completion", "bash"]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "completion" in shown.err
    assert shown.err.count("\n") == 1
