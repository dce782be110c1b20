"""Requests to chat models, and their replies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class Prompt:
    """One message to a chat model."""

    role: Literal["system", "user", "assistant"]
    text: str


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """A question to a chat model; `schema` asks for JSON of that shape (JSON Schema, with `schema_name`)."""

    prompts: tuple[Prompt, ...]
    schema: dict[str, Any] | None = None
    schema_name: str = "answer"
    temperature: float = 0.0
    max_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class ChatReply:
    """Reply of a chat model. Token counts are None when the model does not report them."""

    text: str
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
