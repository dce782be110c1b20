"""The peers' own packages with our embedder: what goes in comes back under its id, nearest first, apart from others.

mem0 is tested where it is installed; no environment has to have it, so what its absence says is tested everywhere.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Callable, Iterator
from importlib.machinery import ModuleSpec
from types import ModuleType

import pytest

from benchmarks import asking, baselines, peers, published
from benchmarks.asking import SYSTEMS, ask
from benchmarks.peers import PEERS
from benchmarks.system import TimedEmbedder
from benchmarks.talks import Question, Talk, Turn
from memoryos_core.providers.embedders import TermEmbedder

# The published code keeps pages, not turns: tests/benchmarks/test_published_code.py.
HERE = [n for n in PEERS if n != "published" and (n != "mem0" or importlib.util.find_spec("mem0"))]
SAID = ("the red boat sails", "green tea", "the red boat sails", "a blue boat", "a grey cat")
TURNS = tuple(Turn(f"D1:{n}", "Ada" if n % 2 else "Ben", text, 0, None) for n, text in enumerate(SAID))
TALK = Talk("talk", ("Ben", "Ada"), (TURNS,), (Question("q", "grey cat?", "easy", ("D1:4",)),))


@pytest.fixture(autouse=True)
def embedder(monkeypatch: pytest.MonkeyPatch) -> TimedEmbedder:
    """Shared words as vectors: the same for all, and quick."""
    words = TimedEmbedder(TermEmbedder())
    for module in (baselines, peers):
        monkeypatch.setattr(module, "local_embedder", lambda: words)
    return words


@pytest.fixture(params=HERE)
def filled(request: pytest.FixtureRequest) -> Iterator[Callable[..., asking.System]]:
    opened: list[asking.System] = []

    def fill(*turns: Turn, name: str = request.param) -> asking.System:
        memory = SYSTEMS[name](TALK)
        opened.append(memory)
        for turn in turns:
            memory.add_turn(turn.speaker, turn.text, turn.when, turn.id, turn.session)
        memory.finish()
        return memory

    yield fill
    for memory in opened:
        memory.close()


def found(memory: asking.System, query: str, k: int = 9) -> list[tuple[str, str]]:
    return [(turn_id, hit.text) for hit in memory.search(query, k) for turn_id in hit.dia_ids]


def test_two_peers_at_least_are_tested() -> None:
    assert {"langgraph", "llamaindex"} <= set(HERE)


def test_the_nearest_turn_comes_first(filled: Callable[..., asking.System]) -> None:
    memory = filled(*TURNS)
    assert found(memory, "Ada: a blue boat", 1) == [("D1:3", "Ada: a blue boat")]
    assert found(memory, "Ben: a grey cat", 1) == [("D1:4", "Ben: a grey cat")]


def test_every_turn_is_kept_under_its_id(filled: Callable[..., asking.System]) -> None:
    memory = filled(*TURNS)
    first, second, *rest = found(memory, "the red boat sails")
    assert sorted([first, second]) == [("D1:0", "Ben: the red boat sails"), ("D1:2", "Ben: the red boat sails")]
    assert sorted(turn_id for turn_id, _ in rest) == ["D1:1", "D1:3", "D1:4"]


def test_no_more_come_than_are_asked_for(filled: Callable[..., asking.System]) -> None:
    assert len(found(filled(*TURNS), "boat", 2)) == 2


def test_each_conversation_has_a_memory_of_its_own(filled: Callable[..., asking.System]) -> None:
    filled(*TURNS)
    other = filled(Turn("D9:9", "Eve", "the red boat sails", 0, None))
    assert found(other, "the red boat sails") == [("D9:9", "Eve: the red boat sails")]


def test_peers_rank_alike(filled: Callable[..., asking.System]) -> None:
    """No two turns are as near as one another here: the order is the embedder's, whoever keeps the vectors."""
    turns = [turn for turn in TURNS if turn.id != "D1:2"]
    query = "Ben: the grey boat of a cat"
    assert found(filled(*turns), query)[:3] == found(filled(*turns, name="dense"), query)[:3]


@pytest.mark.parametrize("name", HERE)
def test_a_peer_is_asked_as_all_are(name: str) -> None:
    [row] = ask(name, TALK, TALK.questions, (8, 60))
    assert row.missed == {"R@8t": (), "R@60t": (), "R@10p": ()}
    assert row.tokens["8"] <= 8 < row.tokens["60"]
    assert 0 < row.embedding < row.milliseconds


def test_mem0_tells_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its switches are read when it is imported, so a module in its place looks at them then."""
    seen: dict[str, str | None] = {}

    class Watching(ModuleType):
        def __getattr__(self, name: str) -> object:
            seen.update({switch: os.environ.get(switch) for switch in ("MEM0_TELEMETRY", "MEM0_DIR")})
            return name

    watching = Watching("mem0")
    watching.__spec__ = ModuleSpec("mem0", None)
    monkeypatch.setitem(sys.modules, "mem0", watching)
    monkeypatch.setenv("MEM0_TELEMETRY", "True")
    monkeypatch.setenv("MEM0_DIR", "home")
    assert peers._mem0.__wrapped__() == "Memory"
    assert seen["MEM0_TELEMETRY"] == "False"
    assert seen["MEM0_DIR"] not in (None, "home")


@pytest.mark.parametrize(
    ("name", "module", "advice"),
    [
        ("mem0", "mem0", "pip install mem0ai"),
        ("langgraph", "langgraph", r"memoryos-tiered\[agents\]"),
        ("llamaindex", "llama_index", r"memoryos-tiered\[llamaindex\]"),
        ("published", "memoryos", r"pip install --no-deps memoryos-pro"),
    ],
)
def test_what_is_not_installed_is_named(name: str, module: str, advice: str, monkeypatch: pytest.MonkeyPatch) -> None:
    look = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda wanted: None if wanted == module else look(wanted))
    peers._mem0.cache_clear()
    published._load.cache_clear()
    with pytest.raises(ImportError, match=f"^'{module}' is not installed; run: .*{advice}"):
        SYSTEMS[name](TALK)
