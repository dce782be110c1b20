"""Stand-ins for the world: a model that follows a script, a clock that stands still, an embedder for tests.

They behave like the real ones (thread-safe, same errors), need nothing installed and never wait.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta, timezone
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from memoryos_core.ports.forks import Lock
from memoryos_core.providers.embedders import TermEmbedder
from memoryos_core.providers.tokens import estimate_tokens
from memoryos_core.rules.text.words import words
from memoryos_core.values.chat import ChatReply, ChatRequest
from memoryos_core.values.dialogue import Vector

Answering: TypeAlias = Callable[[ChatRequest], "str | ChatReply"]
Line: TypeAlias = str | ChatReply | BaseException | Answering


class ScriptedChat:
    """A chat model that gives prepared answers in order, and keeps every request.

    An answer is a text, a ready ChatReply, an exception to raise, or a function of the request. One function instead
    of a sequence answers everything. Past the end of the script `otherwise` answers; without it AssertionError is
    raised, which no part of the library takes for a failing model. Replies carry estimated token counts.
    """

    def __init__(self, answers: Sequence[Line] | Answering, *, otherwise: Line | None = None) -> None:
        self._lock = Lock()
        self._script: tuple[Line, ...] = () if callable(answers) else tuple(answers)
        self._otherwise = answers if callable(answers) else otherwise
        self._requests: list[ChatRequest] = []

    @property
    def requests(self) -> tuple[ChatRequest, ...]:
        """Every request so far, in order of arrival."""
        with self._lock:
            return tuple(self._requests)

    @property
    def calls(self) -> int:
        """Number of requests so far."""
        return len(self.requests)

    @property
    def prompt_tokens(self) -> int:
        """Estimated tokens of every prompt so far."""
        return sum(_prompt_tokens(request) for request in self.requests)

    def ask(self, request: ChatRequest) -> ChatReply:
        """Return the next answer of the script."""
        with self._lock:
            turn = len(self._requests)
            self._requests.append(request)
        line = self._script[turn] if turn < len(self._script) else self._otherwise
        if line is None:
            raise AssertionError(f"the script has {len(self._script)} answers, and this is call {turn + 1}")
        if isinstance(line, BaseException):
            raise line
        answer = line(request) if callable(line) else line
        if isinstance(answer, ChatReply):
            return answer
        return ChatReply(answer, _prompt_tokens(request), estimate_tokens(answer))


def quotes_in(asked: str) -> dict[int, str]:
    """Return the first words of each page that a question shows, by its number: what a fake model can quote."""
    found: dict[int, str] = {}
    for number, said in _SHOWN.findall(asked):
        found[int(number)] = " ".join(said.split()[:8])
    return found


_SHOWN = re.compile(r"^(?:user: )?\[(\d+)\][^\n]*\n\w+: ([^\n]+)", re.MULTILINE)


def _prompt_tokens(request: ChatRequest) -> int:
    return sum(estimate_tokens(prompt.text) for prompt in request.prompts)


class FixedClock:
    """A clock that shows what it is set to; `step_seconds` lets it move on by itself after every look."""

    def __init__(self, now: datetime | None = None, *, step_seconds: float = 0.0) -> None:
        self._lock = Lock()
        self._now = now or datetime(2024, 1, 1, 12, tzinfo=timezone.utc)
        self._step = timedelta(seconds=step_seconds)

    def __call__(self) -> datetime:
        """Return the time that the clock shows."""
        with self._lock:
            shown = self._now
            self._now = shown + self._step
            return shown

    def set(self, now: datetime) -> None:
        """Show another time, earlier or later."""
        with self._lock:
            self._now = now

    def tick(self, seconds: float = 1.0) -> datetime:
        """Move on (or back, when negative) and return the new time."""
        with self._lock:
            self._now += timedelta(seconds=seconds)
            return self._now


class KeywordEmbedder:
    """A small embedder that calls itself semantic, for tests: hashed words, with `synonyms` read as the same word.

    Set `failure` to an exception and every call raises it until it is None again. `embedded` counts texts.
    """

    semantic = True

    def __init__(self, dimension: int = 64, *, synonyms: Mapping[str, str] | None = None) -> None:
        self._terms = TermEmbedder(dimension)
        self._synonyms = dict(synonyms or {})
        self._lock = Lock()
        self.failure: BaseException | None = None
        self.embedded = 0

    @property
    def name(self) -> str:
        """Named by width, like the embedder it stands in for."""
        return f"fake-{self._terms.dimension}"

    @property
    def dimension(self) -> int:
        """Number of cells."""
        return self._terms.dimension

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of shape (len(texts), dimension)."""
        if self.failure is not None:
            raise self.failure
        with self._lock:
            self.embedded += len(texts)
        return self._terms.embed_documents([self._plain(text) for text in texts])

    def embed_query(self, text: str) -> Vector:
        """One vector of shape (dimension,)."""
        vector: Vector = self.embed_documents([text])[0]
        return vector

    def _plain(self, text: str) -> str:
        if not self._synonyms:
            return text
        return " ".join(self._synonyms.get(word, word) for word in words(text))
