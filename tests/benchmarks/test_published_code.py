"""The code published with the paper, by a stand-in of its modules: what is put in the place of its model calls.

Nothing here tests that code itself; where it is installed, it is asked a conversation.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks import published
from benchmarks.asking import SYSTEMS, ask
from benchmarks.system import TimedEmbedder
from benchmarks.talks import Question, Talk, Turn
from memoryos_core.providers.embedders import TermEmbedder

SAID = ("I sail a red boat. Yes.", "Nice!", "The cat is grey.", "Meow to it.", "Nobody replies")
TURNS = tuple(Turn(f"D1:{n}", "Ada" if n % 2 == 0 else "Ben", text, 0, None) for n, text in enumerate(SAID))
TALK = Talk("talk", ("Ada", "Ben"), (TURNS,), (Question("q", "grey cat?", "easy", ("D1:2",)),))

MEMORY = """
from . import long_term, mid_term, retriever, short_term, updater
from .utils import get_embedding, gpt_knowledge_extraction, gpt_user_profile_analysis

class Client:
    def shutdown(self):
        pass

class Memoryos:
    def __init__(self, user_id, openai_api_key, data_storage_path):
        print("leak")
        self.client = Client()
        self.short_term_memory = short_term.ShortTermMemory()
        self.retriever = retriever.Retriever(self.short_term_memory)

    def add_memory(self, user_input, agent_response, timestamp):
        page = {"user_input": user_input, "agent_response": agent_response, "timestamp": timestamp}
        page["summary"] = updater.gpt_generate_multi_summary(f"{user_input}\\n{agent_response}")
        page["chain"] = updater.generate_page_meta_info(None, page)
        page["continuous"] = updater.check_conversation_continuity(None, page)
        page["profile"] = gpt_user_profile_analysis([page])
        page["vector"] = get_embedding(user_input)
        self.short_term_memory.add(page)
"""
MODULES = {
    "__init__": "",
    "prompts": "",
    "utils": """
from sentence_transformers import SentenceTransformer
_model_cache = {}
def get_embedding(text):
    return _model_cache["all-MiniLM-L6-v2"].encode([text])[0]
def llm_extract_keywords(text, client=None): raise RuntimeError("a model")
gpt_generate_multi_summary = check_conversation_continuity = generate_page_meta_info = llm_extract_keywords
gpt_user_profile_analysis = gpt_knowledge_extraction = llm_extract_keywords
""",
    "short_term": """
class ShortTermMemory:
    def __init__(self): self.pages = []
    def add(self, page):
        self.pages.append(page)
        self.save()
    def get_all(self): return self.pages[1:]
    def save(self): raise RuntimeError("the disk")
""",
    "mid_term": """
from .utils import llm_extract_keywords
class MidTermMemory:
    save = None
""",
    "long_term": """
class LongTermMemory:
    save = None
""",
    "updater": """
from .utils import *
from .utils import llm_extract_keywords
""",
    "retriever": """
class Retriever:
    def __init__(self, memory): self.memory = memory
    def retrieve_context(self, query, user): return {"retrieved_pages": self.memory.pages[:1]}
""",
    "memoryos": MEMORY,
}


@pytest.fixture
def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Their modules, and nothing of them left afterwards."""
    folder = tmp_path / "memoryos"
    folder.mkdir()
    for name, source in MODULES.items():
        (folder / f"{name}.py").write_text(source, encoding="utf-8")
    for name in [name for name in sys.modules if name.partition(".")[0] == "memoryos"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.syspath_prepend(str(tmp_path))
    words = TimedEmbedder(TermEmbedder())
    monkeypatch.setattr(published, "local_embedder", lambda: words)
    published._load.cache_clear()
    yield folder
    published._load.cache_clear()
    for name in [name for name in sys.modules if name.partition(".")[0] == "memoryos"]:
        del sys.modules[name]


def test_pages_come_as_its_prompt_has_them(stand_in: Path, capsys: pytest.CaptureFixture[str]) -> None:
    memory = SYSTEMS["published"](TALK)
    for turn in TURNS:
        memory.add_turn(turn.speaker, turn.text, turn.when, turn.id, turn.session)
    memory.finish()
    assert [hit.dia_ids for hit in memory.search("grey cat?", 9)] == [["D1:0", "D1:1"], ["D1:4"], ["D1:2", "D1:3"]]
    assert memory.search("grey cat?", 1)[0].text == "Ada: I sail a red boat. Yes.\nBen: Nice!"
    pages = memory._memory.short_term_memory.pages  # type: ignore[attr-defined]
    assert pages[0]["summary"]["summaries"][0]["content"] == "Ada: I sail a red boat. Ben: Nice!"
    assert pages[0]["chain"] == "Ada: I sail a red boat. Ben: Nice!"
    assert pages[0]["continuous"] is False
    assert pages[0]["profile"] == "None"
    memory.close()
    assert capsys.readouterr().out == ""
    assert "sentence_transformers" not in sys.modules
    [row] = ask("published", TALK, TALK.questions, (60,))
    assert row.missed["R@60t"] == ()


def test_another_module_of_that_name_is_not_theirs(stand_in: Path) -> None:
    (stand_in / "updater.py").write_text("", encoding="utf-8")
    with pytest.raises(ModuleNotFoundError, match="is not the code published with the paper"):
        SYSTEMS["published"](TALK)
    (stand_in / "mid_term.py").unlink()
    with pytest.raises(ModuleNotFoundError, match="'memoryos' is not installed; run: uv pip install --no-deps"):
        SYSTEMS["published"](TALK)


def test_pages_are_continuous_by_cosine(monkeypatch: pytest.MonkeyPatch) -> None:
    words = TimedEmbedder(TermEmbedder())
    monkeypatch.setattr(published, "local_embedder", lambda: words)
    texts = ("red boats sail far beyond every harbour", "nine grey cats purr loudly under seven warm blankets")
    boat, other = ({"user_input": text, "agent_response": ""} for text in texts)
    assert published._is_continuous(boat, boat)
    assert not published._is_continuous(boat, other)
    assert not published._is_continuous(None, boat)
    assert published._keywords("a grey cat and seven seagulls, seven") == ["seagulls", "seven", "grey"]
    assert published._no_knowledge() == {"private": "None", "assistant_knowledge": "None"}
