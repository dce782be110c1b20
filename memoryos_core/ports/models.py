"""Protocols of models and of the clock; and their errors: caught, kept, or turned into ModelError."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from types import TracebackType
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from memoryos_core.errors import MemoryOSError, ModelError
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


_TRY_AGAIN = frozenset({408, 409, 425, 429})
_SERVER_ERROR = 500
_EXHAUSTED = frozenset({"insufficient_quota", "billing_hard_limit_reached"})
_CODE = re.compile(r"[a-z][a-z_]{0,40}")
_HINTS = {
    401: ": check the API key",
    403: ": check the API key",
    404: ": check the model's name and the address",
}
_OUR_MISTAKE = (TypeError, AttributeError, NotImplementedError, ImportError, NameError)


class Contained:
    """A `with` block around code whose failure must not stop the caller: its error is kept in `error`.

    KeyboardInterrupt and its like are not errors, and pass.
    """

    def __init__(self) -> None:
        self.error: Exception | None = None

    def __enter__(self) -> Contained:
        """Return the block itself, which holds the error afterwards."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        self.error = error if isinstance(error, Exception) else None
        return self.error is not None


class KeptError:
    """A `with` block whose error, a SystemExit too, ends the block and is kept in `error`.

    Use it at the top of a thread of this library: no caller waits there for an exception, and threading hides some.
    """

    def __init__(self) -> None:
        self.error: BaseException | None = None

    def __enter__(self) -> KeptError:
        """Return the block itself, which holds the error afterwards."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        self.error = error
        return error is not None


class ForeignErrors:
    """A `with` block that turns an error of a model or an embedder into a ModelError; our own errors pass unchanged.

    Messages name the kind of error and the HTTP status, never the original's words: servers repeat what they were
    sent. For the same reason an HTTP error is not chained; any other is.
    """

    def __init__(self, who: str) -> None:
        self._who = who

    def __enter__(self) -> None:
        """Enter the block."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not isinstance(error, Exception) or isinstance(error, MemoryOSError):
            return
        status = getattr(error, "status_code", None)
        if isinstance(status, int):
            raise self._from_status(status, getattr(error, "code", None)) from None
        transient = not isinstance(error, _OUR_MISTAKE)
        raise ModelError(f"{self._who} failed: {type(error).__name__}", transient=transient) from error

    def _from_status(self, status: int, code: object) -> ModelError:
        known = code if isinstance(code, str) and _CODE.fullmatch(code) else None
        transient = (status in _TRY_AGAIN or status >= _SERVER_ERROR) and known not in _EXHAUSTED
        why = f" ({known})" if known else ""
        return ModelError(f"{self._who} answered HTTP {status}{why}{_HINTS.get(status, '')}", transient=transient)
