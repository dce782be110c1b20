"""Field types of model answers: they take what models really send, a string for a list or "[3]" for 3."""

from __future__ import annotations

import re
from typing import Annotated, Any, TypeAlias

from pydantic import BaseModel, BeforeValidator

_NUMBER = re.compile(r"\d{1,6}")
_SEPARATORS = re.compile(r"[,;、，\n]")


def _text(value: object) -> object:
    if value is None:
        return ""
    return " ".join(value.split()) if isinstance(value, str) else value


def _number(value: object) -> object:
    found = _NUMBER.search(value) if isinstance(value, str) else None
    return int(found.group()) if found else value


def _numbers(value: object) -> object:
    if value is None:
        return ()
    if isinstance(value, str):
        return [int(n) for n in _NUMBER.findall(value)]
    items: list[object] = list(value) if isinstance(value, (list, tuple)) else [value]
    read = [_number(item) for item in items]
    return [n for n in read if isinstance(n, int) and not isinstance(n, bool)]


def _texts(value: object) -> object:
    if value is None:
        return ()
    if isinstance(value, str):
        return [part.strip() for part in _SEPARATORS.split(value) if part.strip()]
    if isinstance(value, list):
        return [_text(item) for item in value if isinstance(item, str) and item.strip()]
    return value


def _flag(value: object) -> object:
    return False if value is None else value


Text: TypeAlias = Annotated[str, BeforeValidator(_text)]
Texts: TypeAlias = Annotated[tuple[str, ...], BeforeValidator(_texts)]
Number: TypeAlias = Annotated[int, BeforeValidator(_number)]
Numbers: TypeAlias = Annotated[tuple[int, ...], BeforeValidator(_numbers)]
Flag: TypeAlias = Annotated[bool, BeforeValidator(_flag)]


def json_schema(answer: type[BaseModel]) -> dict[str, Any]:
    """The JSON Schema of an answer in the dialect of strict structured output: all required, nothing besides."""
    schema: dict[str, Any] = answer.model_json_schema()
    _make_strict(schema)
    return schema


def _make_strict(node: object) -> None:
    if isinstance(node, list):
        for item in node:
            _make_strict(item)
    if not isinstance(node, dict):
        return
    for word in ("title", "description", "default"):
        if not isinstance(node.get(word), dict):  # a dict is a property of that name
            node.pop(word, None)
    if "properties" in node:
        node["required"] = list(node["properties"])
        node["additionalProperties"] = False
    for child in node.values():
        _make_strict(child)
