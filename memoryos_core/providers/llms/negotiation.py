"""Negotiation of the dialect of a model: a refused request is put differently; the working form is remembered."""

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
    """The dialect of one model, as known so far.

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
                # Remember it only after success: a refusal for another reason must not select a poorer dialect.
                self._dialect = dialect
                self._proven = self._proven or request.schema is not None
                return answer
            assert attempt.error is not None  # noqa: S101 - or the block had returned
            following = self._following(dialect, request, attempt.error)
            if following is None:
                raise attempt.error
            dialect = following

    def _following(self, dialect: Dialect, request: ChatRequest, error: Exception) -> Dialect | None:
        """Return the dialect to try after an error, or None when no other would help."""
        if isinstance(error, self._cannot):
            wanted = request.schema is not None and dialect.json_form == "json_schema"
            return Dialect("plain", dialect.ceiling, dialect.temperature) if wanted else None
        status = getattr(error, "status_code", None)
        if status in _REFUSED:
            return dialect.after(request, complaint_of(getattr(error, "body", None)))
        if status != _BROKE or self._proven or request.schema is None:
            return None
        # Some servers fail on a schema instead of refusing it. One such error may be an outage, and so is any
        # 500 after a schema has worked; two errors at the very start count as a refusal.
        self._breaks += 1
        return dialect.looser(request) if self._breaks >= _BREAKS_BELIEVED else None
