"""Text to measure with: turns recombined from the demo's conversation, so that nothing foreign has to be shipped."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from datetime import datetime, timedelta, timezone
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from memoryos_core import Message

_SOURCE = Path(__file__).parent.parent / "demo" / "conversation.json"
_START = datetime(2024, 1, 1, tzinfo=timezone.utc)


def turns(count: int, seed: int = 7) -> list[tuple[str, str]]:
    """`count` pairs of what a user and an assistant say; each half joins halves of two turns of the demo."""
    said = [(t["user"], t["assistant"]) for s in json.loads(_SOURCE.read_text())["sessions"] for t in s["turns"]]
    rng = random.Random(seed)
    return [(_joined(said, 0, rng), _joined(said, 1, rng)) for _ in range(count)]


def _joined(said: list[tuple[str, str]], half: int, rng: random.Random) -> str:
    one, other = (rng.choice(said)[half].split() for _ in range(2))
    return " ".join(one[: max(len(one) // 2, 3)] + other[len(other) // 2 :])


def messages(count: int, seed: int = 7) -> list[Message]:
    """`count` pages as messages, seven minutes apart."""
    out: list[Message] = []
    for i, (user, assistant) in enumerate(turns(count, seed)):
        when = _START + timedelta(minutes=7 * i)
        out += [Message("user", user, timestamp=when), Message("assistant", assistant, timestamp=when)]
    return out


class RandomEmbedder:
    """Vectors of MiniLM's size that cost nothing: what is measured is everything but the model."""

    name = "random-384"
    dimension = 384
    semantic = True

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit vectors of shape (len(texts), 384), drawn anew for every call."""
        vectors = np.random.default_rng(len(texts)).standard_normal((len(texts), self.dimension), dtype=np.float32)
        unit: NDArray[np.float32] = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
        return unit

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """One unit vector of shape (384,)."""
        last: NDArray[np.float32] = self.embed_documents([text] * (1 + len(text) % 50))[-1]
        return last
