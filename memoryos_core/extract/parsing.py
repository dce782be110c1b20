"""Parsing of a model's answer: thinking, fences and small talk are removed, nothing is guessed."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, TypeVar, cast

from memoryos_core.errors import ModelAnswerError

if TYPE_CHECKING:
    from pydantic import BaseModel, ValidationError

Answer = TypeVar("Answer", bound="BaseModel")

_READ_CHARS = 200_000
_ATTEMPTS = 64
_ERRORS_TOLD = 5
_THINKING = re.compile(r"<(/?)(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
_STRING_OR_TRAILING_COMMA = re.compile(r'"(?:[^"\\]|\\.)*"|,(?=\s*[}\]])', re.DOTALL)
_OPENING = re.compile(r"[{\[]")
_DECODER = json.JSONDecoder(strict=False)


def without_thinking(text: str) -> str:
    """The text without its think blocks; one that is never closed takes the rest of the text with it."""
    kept: list[str] = []
    start, thinking = 0, False
    for tag in _THINKING.finditer(text):
        if tag.group(1):
            # Some servers cut off the opening tag: then all text before the closing tag is thinking.
            kept = kept if thinking else []
            start, thinking = tag.end(), False
        elif not thinking:
            kept.append(text[start : tag.start()])
            thinking = True
    if not thinking:
        kept.append(text[start:])
    return "".join(kept).strip()


def _decode(text: str, at: int) -> tuple[object, int]:
    """The JSON value that starts at `at` and where it ends; (None, where to look on) when there is none."""
    try:
        value, end = _DECODER.raw_decode(text, at)
    except json.JSONDecodeError as error:
        # What was read up to the error is the inside of a broken value, not an answer of its own.
        return None, max(error.pos, at + 1)
    except (RecursionError, ValueError):
        return None, at + 1
    return cast("object", value), end


def first_value(text: str) -> object | None:
    """The first JSON object in the text, else the first array, else None; trailing commas are forgiven."""
    text = _STRING_OR_TRAILING_COMMA.sub(lambda m: "" if m.group() == "," else m.group(), text)
    array: object | None = None
    at = 0
    for _ in range(_ATTEMPTS):
        opening = _OPENING.search(text, at)
        if opening is None:
            break
        value, at = _decode(text, opening.start())
        if isinstance(value, dict):
            return cast("object", value)
        array = value if array is None else array
    return array


def _describe_error(error: ValidationError) -> str:
    """Describe the error by field, without any value: values may be remembered text."""
    parts = [
        f"{'.'.join(str(step) for step in problem['loc']) or 'answer'}: {problem['msg']}"
        for problem in error.errors(include_url=False, include_context=False, include_input=False)
    ]
    return "; ".join(parts[:_ERRORS_TOLD])


def parse(text: str, answer: type[Answer]) -> Answer:
    """The answer that the text holds. Raises ModelAnswerError, whose message quotes nothing of the text."""
    plain = text[:_READ_CHARS]
    value = _whole(plain)
    if value is None:
        value = first_value(without_thinking(plain))
    if value is None:
        raise ModelAnswerError("the answer holds no complete JSON object")
    if not isinstance(value, dict):
        raise ModelAnswerError(f"the answer is a JSON {_kind(value)} where an object was asked for")
    try:
        return answer.model_validate(cast("dict[str, Any]", value))
    except ValueError as error:  # what ValidationError is, without loading pydantic for its name
        problem = _describe_error(cast("ValidationError", error))
    # Raised outside the except block: a chained pydantic error would print the refused values.
    raise ModelAnswerError(f"the answer has the wrong shape: {problem}")


def _kind(value: object) -> str:
    return "array" if isinstance(value, list) else "scalar"


def _whole(text: str) -> object | None:
    """The value when the text is JSON and nothing else, so that a tag inside a string is left alone."""
    try:
        return cast("object", json.loads(text, strict=False))
    except (ValueError, RecursionError):
        return None
