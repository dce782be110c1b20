"""The package's face: sorted, complete, lazy, clear about what is not installed, and there under both names."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import memoryos_llamaindex
from tests.docs.pages import elsewhere

ROOT = Path(__file__).parents[2]
BLOCKED = """
import sys
class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("llama_index", "llama_index_instrumentation", "workflows"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Blocked())
import memoryos_llamaindex as m
"""


def python(code: str, *more: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (ROOT, *more)))},
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("name", memoryos_llamaindex.__all__)
def test_every_public_name_is_there_and_documented(name: str) -> None:
    found = getattr(memoryos_llamaindex, name)
    assert found.__name__ == name
    assert found.__module__.startswith("memoryos_llamaindex.")
    assert (found.__doc__ or "").strip()


def test_the_face_is_sorted_and_shown() -> None:
    assert memoryos_llamaindex.__all__ == sorted(memoryos_llamaindex.__all__)
    assert dir(memoryos_llamaindex) == memoryos_llamaindex.__all__
    assert set(memoryos_llamaindex._HOMES) == set(memoryos_llamaindex.__all__)
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        memoryos_llamaindex.Nothing  # noqa: B018


def test_importing_the_package_or_the_core_loads_no_host() -> None:
    hosts = ("llama_index", "llama_index.core", "llama_index_instrumentation", "workflows", "openai", "tiktoken")
    code = f"import sys, memoryos_core, memoryos_llamaindex; print([h for h in {hosts!r} if h in sys.modules])"
    assert python(code) == "[]"


def test_without_llama_index_every_name_says_what_to_install() -> None:
    code = f"""{BLOCKED}
for name in {memoryos_llamaindex.__all__!r}:
    try:
        getattr(m, name)
    except ImportError as error:
        print(name, type(error).__name__, error.package, error)
    else:
        print(name, "was imported")
"""
    told = (
        "MissingExtraError llama_index 'llama_index' is not installed; run: pip install 'memoryos-tiered[llamaindex]'"
    )
    assert python(code).splitlines() == [f"{name} {told}" for name in memoryos_llamaindex.__all__]


def test_a_module_of_ours_that_breaks_is_not_taken_for_a_missing_host() -> None:
    code = """
import sys
class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name == "memoryos_core.hosts.arguments":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Blocked())
import memoryos_llamaindex as m
try: m.MemoryOSMemory
except ModuleNotFoundError as error: print(type(error).__name__, error.name)
"""
    assert python(code) == "ModuleNotFoundError memoryos_core.hosts.arguments"


def test_under_the_name_of_llama_index_there_are_the_same_classes(tmp_path: Path) -> None:
    code = """
import importlib.util
import llama_index.core
import llama_index.memory.memoryos as alias, memoryos_llamaindex as m
print(all(getattr(alias, n) is getattr(m, n) for n in alias.__all__), alias.__all__ == sorted(alias.__all__))
print(sorted(n for n in m.__all__ if n not in alias.__all__))
spaces = [importlib.util.find_spec(n).origin for n in ("llama_index", "llama_index.memory")]
print(spaces)
"""
    same, missing, spaces = elsewhere(code, tmp_path).splitlines()
    assert same == "True True"
    # Events are LlamaIndex's instrumentation, and found where the rest of this library is.
    events = [n for n in memoryos_llamaindex.__all__ if n.endswith("Event") or n == "dispatch"]
    assert missing == str(events)
    assert spaces == "[None, None]"  # namespace packages: nothing of LlamaIndex's is hidden


def test_the_root_of_the_repository_is_no_part_of_llama_index() -> None:
    # Who looks for LlamaIndex's own files takes the first folder of that name, and scripts run from the root.
    assert not (ROOT / "llama_index").exists()


def test_what_is_serialised_names_a_class_that_can_be_imported(tmp_path: Path) -> None:
    code = """
from llama_index.core.workflow import JsonSerializer
from memoryos_core import MemoryOS
from llama_index.memory.memoryos import MemoryOSMemory
memory = MemoryOSMemory(memory=MemoryOS("sqlite://", embedder=None), user_id="ann")
written = JsonSerializer().serialize(memory)
print(JsonSerializer().deserialize(written) is memory, "memoryos_llamaindex.memory.MemoryOSMemory" in written)
memory.memory.close()
"""
    assert elsewhere(code, tmp_path) == "True True\n"
