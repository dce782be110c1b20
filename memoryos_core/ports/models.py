"""Protocols of models, the clock and token counters."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from memoryos_core.values.chat import ChatReply, ChatRequest
from memoryos_core.values.dialogue import Vector


class Embedder(Protocol):
    """Texts to vectors. `semantic` is False when closeness only means shared words."""

    @property
    def name(self) -> str:
        """Name that the store records: another name means other vectors."""
        ...

    @property
    def dimension(self) -> int:
        """Length of its vectors."""
        ...

    @property
    def semantic(self) -> bool:
        """True when closeness means more than shared words."""
        ...

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of shape (len(texts), dimension), L2-normalised. Raises ModelError."""
        ...

    def embed_query(self, text: str) -> Vector:
        """One vector of shape (dimension,), L2-normalised. Raises ModelError."""
        ...


class Reranker(Protocol):
    """Reads a question and a text together, and says how well the one answers the other."""

    def scores(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        """One number a text, higher is better, on any scale. Raises ModelError."""
        ...


class ChatModel(Protocol):
    """One question, one answer. Raises ModelError, never returns an error as text."""

    def ask(self, request: ChatRequest) -> ChatReply:
        """Ask once, without retrying: retries are counted in one place, `extract.asking`."""
        ...


class TokenCounter(Protocol):
    """Counts tokens without a network and without failing."""

    def __call__(self, text: str, /) -> int:
        """Tokens of a text."""
        ...


class Clock(Protocol):
    """The only source of the present; returns an aware datetime."""

    def __call__(self) -> datetime:
        """Now, aware."""
        ...
