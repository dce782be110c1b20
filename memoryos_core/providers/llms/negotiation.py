"""Finding out which dialect a model speaks: what it refuses is asked otherwise, and what works is remembered."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from memoryos_core.ports.model_errors import Contained
from memoryos_core.providers.llms.dialect import Dialect, complaint_of
from memoryos_core.values.chat import ChatRequest

T = TypeVar("T")

_REFUSED = frozenset({400, 422})
_BROKE = 500
_BREAKS_BELIEVED = 2


class Negotiation:
    """The dialect of one model, as far as it is known by now.

    Args:
        dialect: what to begin with.
        cannot: errors by which a client says that a model has no structured output at all.
    """

    def __init__(self, dialect: Dialect | None = None, *, cannot: tuple[type[Exception], ...] = ()) -> None:
        self._dialect = dialect or Dialect()
        self._cannot = cannot
        self._proven = False
        self._breaks = 0

    def answer(self, request: ChatRequest, send: Callable[[Dialect, ChatRequest], T]) -> T:
        """Return the reply of `send` in the first dialect that is not refused; else raise its last error."""
        dialect = self._dialect
        while True:
            attempt = Contained()
            with attempt:
                answer = send(dialect, request)
                # Remembered only when it worked: a refusal for another reason must not teach a poorer dialect.
                self._dialect = dialect
                self._proven = self._proven or request.schema is not None
                return answer
            assert attempt.error is not None  # noqa: S101 - or the block had returned
            following = self._following(dialect, request, attempt.error)
            if following is None:
                raise attempt.error
            dialect = following

    def _following(self, dialect: Dialect, request: ChatRequest, error: Exception) -> Dialect | None:
        """How to ask after an error, or None when another way would not help."""
        if isinstance(error, self._cannot):
            wanted = request.schema is not None and dialect.json_form == "json_schema"
            return Dialect("plain", dialect.ceiling, dialect.temperature) if wanted else None
        status = getattr(error, "status_code", None)
        if status in _REFUSED:
            return dialect.after(request, complaint_of(getattr(error, "body", None)))
        if status != _BROKE or self._proven or request.schema is None:
            return None
        # Some servers break on a schema instead of refusing it. Once may be an outage, and so is any 500 after a
        # schema has worked; twice at the very start is believed.
        self._breaks += 1
        return dialect.looser(request) if self._breaks >= _BREAKS_BELIEVED else None
