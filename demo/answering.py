"""Answers from what was recalled with a local model, when there is one; the demo downloads nothing."""

from __future__ import annotations

from pathlib import Path

from memoryos_core import Recall
from memoryos_core.config import GenerationConfig
from memoryos_core.errors import ModelError
from memoryos_core.generator import Generator
from memoryos_core.llms import open_chat_model

MODELS = Path(__file__).resolve().parents[1] / ".models"
HOW_TO_GET_ONE = (
    "No local model, so no answers: what you see is what a model would be given. To get one, run "
    "`python scripts/fetch_models.py .models qwen1.5b` (1.1 GB) and then the demo again, "
    "or pass --model FILE.gguf."
)
_WORDS = 40
_TOKENS = 120


def find_model() -> Path | None:
    """The largest model that was fetched into `.models`, if any."""
    return max(MODELS.glob("*.gguf"), key=lambda path: path.stat().st_size, default=None)


class Answerer:
    """A chat model that remembers nothing of being asked, so that one question cannot help the next."""

    def __init__(self, model: Path) -> None:
        style = GenerationConfig(max_words=_WORDS, max_tokens=_TOKENS, temperature=0.0)
        self._generator = Generator(open_chat_model(f"gguf:{model}"), style)

    def answer(self, question: str, recall: Recall) -> str:
        """The model's answer, or in brackets why there is none."""
        try:
            return self._generator.answer(question, recall)
        except ModelError as error:
            return f"[{type(error).__name__}: {error}]"
