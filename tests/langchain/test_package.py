"""The package's face: sorted, complete, lazy, and clear about what is not installed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import memoryos_langchain
from memoryos_core import MemoryOSError

ROOT = Path(__file__).parents[2]
BLOCKED = """
import sys
class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {blocked!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Blocked())
import memoryos_langchain as m
"""
EXTRAS = {
    "langchain_core": [n for n in memoryos_langchain.__all__ if n != "Identity"],
    "langchain": ["MemoryOSMiddleware"],
    "langgraph": ["MemoryOSMiddleware", "MemoryOSStore"],
    "langchain_classic": ["MemoryOSMemory"],
}


def python(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("name", memoryos_langchain.__all__)
def test_every_public_name_is_there_and_documented(name: str) -> None:
    found = getattr(memoryos_langchain, name)
    if name.isupper():
        assert found
    else:
        assert found.__name__ == name
        assert (found.__doc__ or "").strip()


def test_the_face_is_sorted_and_shown() -> None:
    assert memoryos_langchain.__all__ == sorted(memoryos_langchain.__all__)
    assert dir(memoryos_langchain) == memoryos_langchain.__all__
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        memoryos_langchain.Nothing  # noqa: B018


def test_importing_the_package_loads_no_host() -> None:
    hosts = ("langchain", "langchain_core", "langchain_classic", "langgraph", "openai", "tiktoken")
    assert python(f"import sys, memoryos_langchain; print([h for h in {hosts!r} if h in sys.modules])") == "[]"


@pytest.mark.parametrize("blocked", EXTRAS)
def test_what_is_not_installed_is_named_with_its_extra(blocked: str) -> None:
    needing = EXTRAS[blocked]
    code = (
        BLOCKED.format(blocked={blocked})
        + f"""
for name in {needing!r}:
    try:
        getattr(m, name)
    except ImportError as error:
        print(name, type(error).__name__, error.package == {blocked!r}, "pip install 'memoryos-tiered[" in str(error))
    else:
        print(name, "was imported")
"""
    )
    assert python(code).splitlines() == [f"{name} MissingExtraError True True" for name in needing]


def test_the_rest_works_without_agents_and_old_chains() -> None:
    others = [
        n for n in memoryos_langchain.__all__ if n not in {"MemoryOSMiddleware", "MemoryOSStore", "MemoryOSMemory"}
    ]
    code = BLOCKED.format(blocked={"langchain", "langgraph", "langchain_classic"})
    assert python(code + f"print(all(getattr(m, n) for n in {others!r}))") == "True"


def test_a_missing_extra_is_one_of_our_errors() -> None:
    code = BLOCKED.format(blocked={"langgraph"})
    code += """
from memoryos_core import MemoryOSError
try: m.MemoryOSStore
except MemoryOSError as error: print(error)
"""
    assert python(code) == "'langgraph' is not installed; run: pip install 'memoryos-tiered[agents]'"
    assert issubclass(MemoryOSError, Exception)
