"""Reads a chat completion of any server and checks every field."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from memoryos_core.errors import ModelAnswerError
from memoryos_core.values.chat import ChatReply, ChatRequest


def read_completion(answer: object, request: ChatRequest, who: str) -> ChatReply:
    """Return the text and the token counts of a completion.

    An answer that was cut at the token limit is an error when JSON was asked for, since half a document is not JSON;
    prose is returned up to the cut.

    Raises:
        ModelAnswerError: no answer, an empty one, a refusal, or JSON that was cut.
    """
    choices = _field(answer, "choices")
    if not isinstance(choices, Sequence) or isinstance(choices, str) or not choices:
        raise ModelAnswerError(f"{who} sent a reply that is not a chat completion")
    choice = cast("Sequence[object]", choices)[0]
    message = _field(choice, "message")
    if _field(message, "refusal"):
        raise ModelAnswerError(f"{who} refused to answer", transient=False)
    text = _field(message, "content")
    cut = _field(choice, "finish_reason") == "length"
    if cut and (request.schema is not None or not text):
        limit = "its own token limit" if request.max_tokens is None else f"the limit of {request.max_tokens} tokens"
        raise ModelAnswerError(f"{who} reached {limit} before it answered", transient=False)
    if not isinstance(text, str) or not text.strip():
        raise ModelAnswerError(f"{who} sent an empty answer")
    usage = _field(answer, "usage")
    return ChatReply(text, _count(usage, "prompt_tokens"), _count(usage, "completion_tokens"))


def _field(value: object, name: str) -> Any:  # noqa: ANN401 - JSON
    if isinstance(value, Mapping):
        return cast("Mapping[str, Any]", value).get(name)
    return getattr(value, name, None)


def _count(usage: object, name: str) -> int | None:
    value = _field(usage, name)
    return value if isinstance(value, int) and not isinstance(value, bool) else None
