"""The code published with the paper (`memoryos-pro`), with rules in the place of the model that it calls at each page.

    uv pip install --no-deps memoryos-pro==0.1.0

Its own requirements (a faiss for GPUs, numpy 1.24) go with nothing here, and what it needs of them is there anyway. It
gets our embedder, since all that embed share one. Kept are its queues, its segments and their merging, its thresholds
and its search. Replaced are its model calls: a summary is the longest sentence of each half, keywords are the longest
words, pages are continuous from a cosine of 0.35, and profile and knowledge stay empty. Nothing is written to disk.
"""

from __future__ import annotations

import importlib
import importlib.util
import re
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.baselines import Ranking, named
from benchmarks.system import Conversation, local_embedder
from benchmarks.talks import Turn

_USER = "user"
_CONTINUOUS = 0.35
_KEYWORDS = 3
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_WORD = re.compile(r"[A-Za-z]{4,}")
_MODULES = ("utils", "prompts", "short_term", "mid_term", "long_term", "updater", "retriever", "memoryos")


class Published(Ranking):
    """The pages that it retrieves for its prompt, best first, then those of its short-term memory, the newest first.

    Raises:
        ModuleNotFoundError: it is not installed.
    """

    def __init__(self, conversation: Conversation) -> None:
        super().__init__(conversation)
        opened = _load()
        self._folder = tempfile.TemporaryDirectory(prefix="memoryos-published-")
        self._memory = opened.Memoryos(user_id=_USER, openai_api_key="none", data_storage_path=self._folder.name)
        self._pages: dict[tuple[str, str], Sequence[Turn]] = {}

    def finish(self) -> None:
        """Add two turns of a session in a row as a page; a page without a second turn is lost there."""
        for session in self._sessions.values():
            for i in range(0, len(session), 2):
                self._add(session[i : i + 2])

    def _add(self, page: Sequence[Turn]) -> None:
        first, second = named(page[:1]), named(page[1:])
        self._pages[first, second] = page
        when = page[0].when
        moment = when.strftime("%Y-%m-%d %H:%M:%S") if when else "2020-01-01 00:00:00"
        self._memory.add_memory(user_input=first, agent_response=second, timestamp=moment)

    def close(self) -> None:
        """Let go of the memory and its folder."""
        self._memory.client.shutdown()
        self._folder.cleanup()

    def _ranked(self, query: str, k: int) -> list[Sequence[Turn]]:
        found = self._memory.retriever.retrieve_context(query, _USER)["retrieved_pages"]
        shown = [*found, *reversed(self._memory.short_term_memory.get_all())]
        return [self._pages[page["user_input"], page["agent_response"]] for page in shown][:k]


@lru_cache(maxsize=1)
def _load() -> Any:  # noqa: ANN401 - a package that is rarely there
    """Import the package, and put rules and our embedder where it calls models."""
    if not _is_installed():
        raise ModuleNotFoundError(
            "'memoryos' is not installed; run: uv pip install --no-deps memoryos-pro==0.1.0 (or: pip install …)"
        )
    had = "sentence_transformers" in sys.modules
    if not had:
        sys.modules["sentence_transformers"] = _stand_in()
    try:
        modules = {name: importlib.import_module(f"memoryos.{name}") for name in _MODULES}
    finally:
        if not had:
            del sys.modules["sentence_transformers"]
    modules["utils"]._model_cache["all-MiniLM-L6-v2"] = _Encoder()  # noqa: SLF001
    for module in modules.values():
        module.print = _say_nothing  # type: ignore[attr-defined]
    for name, kind in (
        ("short_term", "ShortTermMemory"),
        ("mid_term", "MidTermMemory"),
        ("long_term", "LongTermMemory"),
    ):
        getattr(modules[name], kind).save = _say_nothing
    for name, rules in _RULES.items():
        for rule, function in rules.items():
            if not hasattr(modules[name], rule):
                raise ModuleNotFoundError("the installed 'memoryos' is not the code published with the paper")
            setattr(modules[name], rule, function)
    return modules["memoryos"]


def _is_installed() -> bool:
    """Return whether the module `memoryos` is theirs; a distribution of ours has one of that name."""
    spec = importlib.util.find_spec("memoryos")
    places = (spec.submodule_search_locations if spec else None) or ()
    return any((Path(place) / "mid_term.py").is_file() for place in places)


def _stand_in() -> ModuleType:
    module = ModuleType("sentence_transformers")
    module.SentenceTransformer = _Encoder  # type: ignore[attr-defined]
    return module


class _Encoder:
    """Our embedder in the form of a sentence transformer."""

    def encode(self, texts: Sequence[str], **_: object) -> NDArray[np.float32]:
        """Return a vector for each text."""
        return local_embedder().embed_documents(list(texts))


def _say_nothing(*_: object, **__: object) -> None:
    """In the place of its print and of its writing to disk."""


def _is_continuous(before: Mapping[str, Any] | None, page: Mapping[str, Any], *_: object, **__: object) -> bool:
    if not before:
        return False
    first, second = local_embedder().embed_documents([_whole(before), _whole(page)])
    return float(first @ second) >= _CONTINUOUS


def _whole(page: Mapping[str, Any]) -> str:
    return f"User: {page['user_input']} Assistant: {page['agent_response']}"


def _chain(_: object, page: Mapping[str, Any], *__: object, **___: object) -> str:
    return " ".join(_longest_sentences((page["user_input"], page["agent_response"])))


def _summarise(text: str, *_: object, **__: object) -> dict[str, Any]:
    content = " ".join(_longest_sentences(text.splitlines()))
    return {"input": text, "summaries": [{"theme": "talk", "keywords": _keywords(content), "content": content}]}


def _longest_sentences(halves: Iterable[str]) -> list[str]:
    return [max(_SENTENCE.split(half), key=len) for half in halves if half.strip()]


def _keywords(text: str, *_: object, **__: object) -> list[str]:
    words = dict.fromkeys(word.lower() for word in _WORD.findall(text))
    return sorted(words, key=lambda word: (-len(word), word))[:_KEYWORDS]


def _no_profile(*_: object, **__: object) -> str:
    return "None"


def _no_knowledge(*_: object, **__: object) -> dict[str, str]:
    return {"private": "None", "assistant_knowledge": "None"}


# By module, since each has imported its own names.
_RULES: dict[str, dict[str, object]] = {
    "updater": {
        "check_conversation_continuity": _is_continuous,
        "generate_page_meta_info": _chain,
        "gpt_generate_multi_summary": _summarise,
        "llm_extract_keywords": _keywords,
    },
    "mid_term": {"llm_extract_keywords": _keywords},
    "memoryos": {"gpt_user_profile_analysis": _no_profile, "gpt_knowledge_extraction": _no_knowledge},
}
