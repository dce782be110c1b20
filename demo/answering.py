"""Answers from what was recalled with a local model, when there is one; the demo downloads nothing."""

from __future__ import annotations

import time
from pathlib import Path

from demo.terminal import say, wrap
from memoryos_core import ConfigError, GenerationConfig, MissingExtraError, ModelError, Recall
from memoryos_core.providers.llms import open_chat_model
from memoryos_core.providers.llms.gguf import find_local_gguf
from memoryos_core.recall.generator import Generator

_MODELS = Path(__file__).resolve().parents[1] / ".models"
_HOW_TO_GET_ONE = (
    "No local model, so no answers: what you see is what a model would be given. To get one, run "
    "`python scripts/fetch_models.py qwen1.5b` (1.1 GB) and then the demo again, or pass --model FILE.gguf."
)
_TOO_SMALL_BYTES = 300_000_000
_STYLE = GenerationConfig(max_words=40, max_tokens=120, temperature=0.0)


class Answerer:
    """A chat model that remembers nothing of being asked, so that one question cannot help the next."""

    def __init__(self, model: Path) -> None:
        self._generator = Generator([open_chat_model(f"gguf:{model}")], _STYLE)

    def show(self, question: str, recall: Recall, *, indent: int) -> None:
        """Ask, and print the answer or why there is none."""
        started = time.perf_counter()
        try:
            answer = self._generator.answer(question, recall)
        except ModelError as error:
            answer = f"[no answer: {error}]"
        seconds = time.perf_counter() - started
        say(wrap(f"{answer}  ({seconds:.1f} s)", first="   model", indent=indent))


def open_answerer(model: Path | None, *, look: bool) -> Answerer | None:
    """The model that was named or, with `look`, the largest in `.models`; says which, or how to get one."""
    found = model or (find_local_gguf([_MODELS]) if look else None)
    if found is None:
        say(wrap(_HOW_TO_GET_ONE, indent=2))
        return None
    try:
        answerer = Answerer(found)
    except (ConfigError, MissingExtraError) as error:
        say(wrap(f"No answers: {error}.", indent=2))
        return None
    small = "; a model this small shows that it works, its answers are poor"
    say(wrap(f"Answers by {found.name}{small if found.stat().st_size < _TOO_SMALL_BYTES else ''}.", indent=2))
    return answerer
