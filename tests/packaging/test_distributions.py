"""What we publish: the files of each wheel, and a memory that runs from the wheels alone in an empty environment."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
import zipfile
from collections.abc import Mapping
from email.message import Message
from email.parser import Parser
from pathlib import Path
from typing import Any

import pytest

from tests.llms.endpoint import Reply, chat_reply, serving

ROOT = Path(__file__).parents[2]
PACKAGES = ("memoryos_core", "memoryos_langchain", "memoryos_llamaindex")
# The distribution, its folder, and the packages that it installs.
DISTRIBUTIONS = {
    "memoryos-tiered": (".", {*PACKAGES, "llama_index", "memoryos_command.py"}),
    "langchain-memoryos": ("packaging/langchain-memoryos", set()),
    "llama-index-memory-memoryos": ("packaging/llama-index-memory-memoryos", set()),
    "memoryos-tiered-compat": ("packaging/memoryos-tiered-compat", {"memoryos"}),
}
THIN = [name for name in DISTRIBUTIONS if name != "memoryos-tiered"]
UV = str(Path(sys.executable).with_name("uv"))

MEMORY = """
from memoryos_core import MemoryOS
with MemoryOS("sqlite:///memory.db", embedder="terms") as memory:
    memory.user("ann").add("I moved to Lisbon in March.", "Noted.")
    print(memory.user("ann", session_id="friday").recall("Which city did I move to?"))
"""
LANGCHAIN = """
from memoryos_core import MemoryOS
from memoryos_langchain import MemoryOSChatMessageHistory
with MemoryOS("sqlite:///chain.db", embedder="terms") as memory:
    MemoryOSChatMessageHistory(memory, "monday", user_id="ann").add_user_message("I moved to Lisbon in March.")
    print(MemoryOSChatMessageHistory(memory, "monday", user_id="ann").messages)
"""
LLAMAINDEX = """
from llama_index.core.llms import ChatMessage
from llama_index.memory.memoryos import MemoryOSMemory
from memoryos_core import MemoryOS
with MemoryOS("sqlite:///index.db", embedder="terms") as memory:
    MemoryOSMemory(memory, user_id="ann", session_id="monday").put(ChatMessage("I moved to Lisbon in March."))
    print(MemoryOSMemory(memory, user_id="ann", session_id="monday").get_all())
"""
# The published quick starts; only key, address and folder are filled in.
FIRST = """
from memoryos import Memoryos
memo = Memoryos(
    user_id="demo_user",
    openai_api_key="sk-test",
    openai_base_url="{url}",
    data_storage_path="./simple_demo_data",
    llm_model="gpt-4o-mini",
    assistant_id="demo_assistant",
    short_term_capacity=7,
    mid_term_heat_threshold=5,
    retrieval_queue_capacity=7,
    long_term_knowledge_capacity=100,
    mid_term_similarity_threshold=0.6,
    embedding_model_name="all-MiniLM-L6-v2",
)
memo.add_memory(user_input="Hi! I'm Tom, I work in Lisbon.", agent_response="Hello Tom!")
print(memo.get_response(query="Where do I work?"))
"""
SECOND = """
from memoryos import MemoryOS
memory = MemoryOS(
    user_id="user_123",
    assistant_id="assistant_1",
    openai_api_key="sk-test",
    openai_base_url="{url}",
    storage_path="./memory_data",
    llm_model="gpt-4o-mini",
)
memory.add_interaction(user_input="I work in Lisbon.", agent_response="Noted.")
print(memory.chat("Where do I work?"))
"""


def run(
    *command: str | Path, cwd: Path = ROOT, given: str | None = None, more: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    # The test environment's own paths would lead past the wheels.
    env = {k: v for k, v in os.environ.items() if k not in {"PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV"}} | dict(
        more or {}
    )
    return subprocess.run(
        command, cwd=cwd, env=env, input=given, capture_output=True, text=True, check=False, timeout=240
    )


def done(*command: str | Path, cwd: Path = ROOT) -> str:
    finished = run(*command, cwd=cwd)
    assert finished.returncode == 0, finished.stdout + finished.stderr
    return finished.stdout


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return each wheel, built from the source archive, as an index would serve it."""
    to = tmp_path_factory.mktemp("dist")
    for folder, _ in DISTRIBUTIONS.values():
        done(sys.executable, "-m", "build", "--no-isolation", "--outdir", to, ROOT / folder)
    found = {name: next(to.glob(f"{name.replace('-', '_')}-*.whl")) for name in DISTRIBUTIONS}
    assert len(list(to.iterdir())) == 2 * len(found)
    return found


def pins_of(folder: Path) -> Path:
    """Return a file with the versions of this environment, as constraints of another one."""
    pins = folder / "pins.txt"
    installed = done(UV, "pip", "freeze", "--python", sys.executable).splitlines()
    pins.write_text("\n".join(line for line in installed if "==" in line), "utf-8")
    return pins


def install(wheels: list[Path], to: Path) -> Path:
    """Install wheels into a new environment; the other packages are those of this one, from uv's cache if it can."""
    python, pins = to / "bin" / "python", pins_of(to.parent)
    done(UV, "venv", "--quiet", "--python", sys.executable, to)
    command: list[str | Path] = [UV, "pip", "install", "--quiet", "--python", python, "--constraint", pins, *wheels]
    if run(*command, "--offline").returncode:
        done(*command)  # an empty cache: from the index that `make setup` uses
    return python


@pytest.fixture(scope="module")
def python(wheels: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the interpreter of an environment that all distributions are installed into."""
    return install(list(wheels.values()), tmp_path_factory.mktemp("all") / "venv")


def files(wheel: Path) -> list[str]:
    with zipfile.ZipFile(wheel) as archive:
        return [name for name in archive.namelist() if ".dist-info/" not in name]


def metadata(wheel: Path) -> Message:
    with zipfile.ZipFile(wheel) as archive:
        name = next(name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        return Parser().parsestr(archive.read(name).decode())


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_a_wheel_holds_its_packages_and_no_tests(name: str, wheels: dict[str, Path]) -> None:
    held = files(wheels[name])
    packages = DISTRIBUTIONS[name][1]
    assert {file.split("/")[0] for file in held} == packages
    assert [f for f in held if "test_" in f or f.startswith(("tests/", "demo/", "benchmarks/")) or ".pyc" in f] == []
    for package in packages - {"llama_index", "memoryos_command.py"}:
        assert f"{package}/py.typed" in held
    if "llama_index" in packages:
        assert [f for f in held if f.startswith("llama_index/")] == [
            "llama_index/memory/memoryos/__init__.py",
            "llama_index/memory/memoryos/py.typed",
        ]


def test_the_wheel_holds_every_module_and_migration(wheels: dict[str, Path]) -> None:
    ours = {
        str(path.relative_to(ROOT))
        for package in PACKAGES
        for path in (ROOT / package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    held = {
        file
        for file in files(wheels["memoryos-tiered"])
        if file.startswith(tuple(f"{package}/" for package in PACKAGES))
    }
    assert held == ours
    migrations = {file for file in held if file.startswith("memoryos_core/stores/migrations/versions/")}
    names = ("0011_initial", "0012_passages", "0013_chunks", "0014_tombstones", "0015_expiry", "0016_written_at")
    assert migrations == {f"memoryos_core/stores/migrations/versions/{name}.py" for name in names}


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_the_metadata_says_who_and_under_which_licence(name: str, wheels: dict[str, Path]) -> None:
    told = metadata(wheels[name])
    assert (told["Name"], told["License-Expression"], told["License-File"]) == (name, "Apache-2.0", "LICENSE")
    assert told["Requires-Python"] == ">=3.10"
    assert told["Author-email"]
    assert told["Keywords"]
    assert told["Summary"]
    assert told["Description-Content-Type"] == "text/markdown"
    assert "Programming Language :: Python :: 3.13" in told.get_all("Classifier", [])
    assert (ROOT / DISTRIBUTIONS[name][0] / "LICENSE").read_text("utf-8") == (ROOT / "LICENSE").read_text("utf-8")


@pytest.mark.parametrize("name", THIN)
def test_a_thin_distribution_asks_for_the_same_version(name: str, wheels: dict[str, Path]) -> None:
    version = metadata(wheels["memoryos-tiered"])["Version"]
    extra = {"langchain-memoryos": "[langchain]", "llama-index-memory-memoryos": "[llamaindex]"}.get(name, "[openai]")
    told = metadata(wheels[name])
    assert told["Version"] == version
    assert told.get_all("Requires-Dist") == [f"memoryos-tiered{extra}=={version}"]


def test_llamahub_finds_the_import_path() -> None:
    declared = (ROOT / "packaging/llama-index-memory-memoryos/pyproject.toml").read_text("utf-8")
    hub = declared.partition("[tool.llamahub]")[2]
    assert 'import_path = "llama_index.memory.memoryos"' in hub
    authors = hub.partition("[tool.llamahub.class_authors]")[2]
    assert re.findall(r"(?m)^(\w+) = ", authors) == ["MemoryOSMemory", "MemoryOSMemoryBlock"]


@pytest.mark.parametrize(
    "code",
    [MEMORY, LANGCHAIN, LLAMAINDEX],
    ids=["core", "langchain", "llamaindex"],
)
def test_a_memory_runs_from_the_wheels(code: str, python: Path, tmp_path: Path) -> None:
    assert "Lisbon" in done(python, "-I", "-c", code, cwd=tmp_path)


@pytest.mark.parametrize("code", [FIRST, SECOND], ids=["Memoryos", "MemoryOS"])
def test_a_published_quick_start_runs_as_it_is(code: str, python: Path, tmp_path: Path) -> None:
    def answer(asked: dict[str, Any]) -> Reply:
        return chat_reply("In Lisbon." if "Lisbon" in str(asked["messages"]) else "I do not know.")

    with serving(answer) as endpoint:
        assert done(python, "-I", "-c", code.format(url=endpoint.url), cwd=tmp_path).strip() == "In Lisbon."


def test_the_packages_are_those_of_the_wheels(python: Path, tmp_path: Path) -> None:
    names = "memoryos_core, memoryos_langchain, memoryos_llamaindex, memoryos, llama_index.memory.memoryos as m"
    code = f"import {names}; print(*(p.__file__ for p in (memoryos_core, memoryos_langchain, memoryos_llamaindex, m)))"
    assert all("site-packages" in file for file in done(python, "-I", "-c", code, cwd=tmp_path).split())
    assert "worker" in done(python.with_name("memoryos"), "--help", cwd=tmp_path)


def test_the_core_alone_brings_no_host_and_takes_nobodys_module(wheels: dict[str, Path], tmp_path: Path) -> None:
    python = install([wheels["memoryos-tiered"]], tmp_path / "venv")
    assert "Lisbon" in done(python, "-I", "-c", MEMORY, cwd=tmp_path)
    code = "from importlib.util import find_spec as f; print(*(f(n) for n in ('memoryos', 'langchain_core', 'openai')))"
    assert done(python, "-I", "-c", code, cwd=tmp_path).split() == ["None"] * 3


def test_the_first_recall_by_uvx_needs_no_key_and_no_checkout(wheels: dict[str, Path], tmp_path: Path) -> None:
    home = {"UV_TOOL_DIR": str(tmp_path / "tools")}
    command: list[str | Path] = [UV, "tool", "run", "--python", sys.executable, "--constraints", pins_of(tmp_path)]
    command += ["--from", f"memoryos-tiered[mcp] @ {wheels['memoryos-tiered'].as_uri()}", "memoryos"]
    url = f"sqlite:///{tmp_path}/m.db"
    began = time.monotonic()

    def use(*arguments: str) -> str:
        finished = run(*command[:3], "--offline", *command[3:], *arguments, cwd=tmp_path, more=home)
        if finished.returncode:  # an empty cache: from the index that `make setup` uses
            finished = run(*command, *arguments, cwd=tmp_path, more=home)
        assert finished.returncode == 0, finished.stderr
        return finished.stdout

    use("add", url, "I moved to Lisbon in March.", "--user", "ann")
    assert "Lisbon" in use("recall", url, "Which city did I move to?", "--user", "ann", "--embedder", "none")
    # The time depends on the network and the machine, so it is written and not held to.
    print(f"the first recall by uvx came after {time.monotonic() - began:.1f} s")


def test_the_entry_of_the_registry_starts_the_server(wheels: dict[str, Path], tmp_path: Path) -> None:
    (package,) = json.loads((ROOT / "server.json").read_text("utf-8"))["packages"]
    extra = [part for given in package["runtimeArguments"] for part in (given["name"], given["value"])]
    filled = {"url": f"sqlite:///{tmp_path}/m.db", "--user": "ann"}
    arguments = []
    for given in package["packageArguments"]:
        name = given.get("name") or given.get("valueHint")
        arguments += [name] if given["type"] == "named" else []
        arguments.append(given.get("value") or filled[name])
    pins = pins_of(tmp_path)
    # Besides what the entry says, only where our wheel lies, and the versions that we test with.
    ours: list[str | Path] = ["--find-links", wheels["memoryos-tiered"].parent, "--constraints", pins]
    for spec in ("{identifier}=={version}", "{identifier}@{version}"):  # clients write either
        command = [UV, "tool", "run", "--python", sys.executable, *ours, *extra, spec.format(**package), *arguments]
        asked = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
        sent = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": asked}) + "\n"
        finished = run(*command[:3], "--offline", *command[3:], given=sent)
        if finished.returncode:
            finished = run(*command, given=sent)
        assert finished.returncode == 0, finished.stderr
        answer = json.loads(finished.stdout.splitlines()[0])
        assert answer["result"]["serverInfo"] == {"name": "memoryos", "version": package["version"]}
