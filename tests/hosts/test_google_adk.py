"""The service of docs/examples in Google's ADK, in an environment with what the kit needs.

The kit wants older versions of packages that our other tests use, so it cannot be installed beside them.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
UV = str(Path(sys.executable).with_name("uv"))
SUITE = ROOT / "tests" / "hosts" / "google_adk_suite.py"
PINS = ROOT / ".ci" / "lock-adk.txt"


def done(*command: str | Path, **more: str) -> str:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GOOGLE_", "PYTEST_", "COV_"))}
    ran = subprocess.run(
        command, cwd=ROOT, env={**kept, **more}, capture_output=True, text=True, check=False, timeout=240
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


def test_the_service_does_what_the_kit_asks_for(tmp_path: Path) -> None:
    python = tmp_path / "venv" / "bin" / "python"
    done(UV, "venv", "--quiet", "--python", sys.executable, tmp_path / "venv")
    pins: list[str | Path] = ["--constraint", PINS] if PINS.exists() else []
    needed = ("-r", "pyproject.toml", "--extra", "local", "--group", "adk")
    done(UV, "pip", "install", "--quiet", "--python", python, *needed, *pins)
    apart = ("-q", "-p", "no:cacheprovider", "-c", os.devnull, "--rootdir", tmp_path, "--noconftest")
    loop = ("-o", "asyncio_mode=auto", "-o", "asyncio_default_fixture_loop_scope=function")
    options = (*apart, "--import-mode=importlib", *loop, "--disable-socket", "--allow-unix-socket")
    said = done(python, "-m", "pytest", *options, SUITE, PYTHONPATH=str(ROOT))
    assert " passed" in said
    assert "skipped" not in said
