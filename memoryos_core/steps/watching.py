"""A chat model whose every call is told to the hook: how long it took and how many tokens, never what was said."""

from __future__ import annotations

import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar

from memoryos_core.errors import ModelAnswerError
from memoryos_core.events import Hook, ModelAsked
from memoryos_core.models import Scope
from memoryos_core.ports import ChatModel, TokenCounter
from memoryos_core.queries import ChatReply, ChatRequest

# Far more than any model answers at once, which is some ten thousand tokens.
_MOST_CHARACTERS = 1_000_000

# Models are asked deep inside steps that know no scope; who asks says for whom.
_whose: ContextVar[Scope] = ContextVar("memoryos_asking_for")


@contextmanager
def asking_for(scope: Scope) -> Generator[None, None, None]:
    """Whatever is asked inside is asked for this scope."""
    token = _whose.set(scope)
    try:
        yield
    finally:
        _whose.reset(token)


def _refuse_long(reply: ChatReply) -> None:
    """Raise ModelAnswerError for an answer that nobody asked for: counting and reading 20 MB takes minutes."""
    text: object = getattr(reply, "text", None)
    if isinstance(text, str) and len(text) > _MOST_CHARACTERS:
        raise ModelAnswerError(
            f"the model answered with {len(text)} characters, more than the {_MOST_CHARACTERS} that are read; "
            "set a limit of tokens on its side",
            transient=False,
        )


class Watched:
    """Asks another model and emits a ModelAsked for every call, also for one that fails."""

    def __init__(self, model: ChatModel, count_tokens: TokenCounter, emit: Hook) -> None:
        self._model = model
        self._count = count_tokens
        self._emit = emit

    def ask(self, request: ChatRequest) -> ChatReply:
        """The model's reply. Raises whatever the model raises, and ModelAnswerError for one that is far too long."""
        reply: ChatReply | None = None
        began = time.perf_counter()
        try:
            answer = self._model.ask(request)
            _refuse_long(answer)
            reply = answer
            return reply
        finally:
            took = (time.perf_counter() - began) * 1e3
            kind = None if reply is not None else sys.exc_info()[0]
            self._tell(request, reply, took, "" if kind is None else kind.__name__)

    def _tell(self, request: ChatRequest, reply: ChatReply | None, took: float, error: str) -> None:
        scope = _whose.get(None)
        if scope is None:
            return
        asked = answered = 0
        if isinstance(reply, ChatReply):  # another's class may hand back anything; who asked finds fault with it
            asked = reply.prompt_tokens or sum(self._count(prompt.text) for prompt in request.prompts)
            answered = reply.completion_tokens or self._count(reply.text)
        self._emit(ModelAsked(scope, request.schema_name, asked, answered, took, error))
