"""The fields of a request: what each may hold, how it is read, and how the document describes it."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias, cast

from memoryos_core.errors import InvalidInputError
from memoryos_core.ops.plain_values import Plain

Kind: TypeAlias = Literal["text", "whole", "share", "time", "flag", "texts"]
Given: TypeAlias = Mapping[str, object]
"""The values of a request by the names of its fields; a field that was not sent has its default."""

_SCHEMAS: Mapping[Kind, dict[str, Plain]] = {
    "text": {"type": "string", "minLength": 1},
    "whole": {"type": "integer", "minimum": 0},
    "share": {"type": "number", "minimum": 0, "maximum": 1},
    "time": {"type": "string", "format": "date-time"},
    "flag": {"type": "boolean"},
    "texts": {"type": "array", "items": {"type": "string", "minLength": 1}, "maxItems": 100},
}
_EXPECTED: Mapping[Kind, str] = {
    "text": "a text that is not empty",
    "whole": "a whole number",
    "share": "a number from 0 to 1",
    "time": "a time in ISO 8601, such as 2026-05-01T12:00+00:00",
    "flag": "true or false",
    "texts": "1 to 100 texts that are not empty",
}
_MOST_TEXTS = 100
_LONGEST_NUMBER = 20


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a request.

    Attributes:
        name: its name in the query or in the body.
        said: what it means, for the document.
        kind: what it may hold.
        required: whether a request without it is refused.
        default: its value in a request without it.
        choices: the only texts that it may hold; () for any.
        most: the greatest whole number that it may hold.
    """

    name: str
    said: str
    kind: Kind = "text"
    required: bool = False
    default: object = None
    choices: tuple[str, ...] = ()
    most: int = 1_000_000

    def schema(self) -> dict[str, Plain]:
        """Return the JSON Schema of its values."""
        schema = dict(_SCHEMAS[self.kind])
        if self.choices:
            names: list[Plain] = [*self.choices]
            schema |= {"items": {"enum": names}} if self.kind == "texts" else {"enum": names}
        if self.kind == "whole":
            schema["maximum"] = self.most
        if isinstance(self.default, (str, int, float)):
            schema["default"] = self.default
        return schema

    def check(self, value: object) -> object:
        """Return a value of JSON as the verbs take it. Raises InvalidInputError, which does not show the value."""
        right = _CHECKS[self.kind](value)
        if right is None or (self.choices and not set(_list(right)) <= set(self.choices)):
            raise InvalidInputError(f"{self.name} must be {self._expectation()}")
        if isinstance(right, int) and right > self.most:
            raise InvalidInputError(f"{self.name} must be a whole number, {self.most} or less")
        return right

    def check_query(self, values: Sequence[str]) -> object:
        """Return the values that a query has for it as the verbs take them. Raises InvalidInputError."""
        if self.kind == "texts":
            return self.check(list(values))
        if len(values) > 1:
            raise InvalidInputError(f"{self.name} may be given once")
        return self.check(_parse(values[0]) if self.kind in {"whole", "share", "flag"} else values[0])

    def _expectation(self) -> str:
        return f"one of {', '.join(self.choices)}" if self.choices else _EXPECTED[self.kind]


def read_query(fields: Sequence[Field], items: Sequence[tuple[str, str]]) -> Given:
    """Return the values of a query. Raises InvalidInputError for an unknown name or a wrong value."""
    given: dict[str, list[str]] = {}
    for name, value in items:
        given.setdefault(name, []).append(value)
    _refuse_others(fields, given, "the query")
    return _complete(fields, {f.name: f.check_query(given[f.name]) for f in fields if f.name in given})


def read_body(fields: Sequence[Field], body: bytes) -> Given:
    """Return the values of a body. Raises InvalidInputError when it is no JSON object of these fields."""
    try:
        found: object = json.loads(body)
    except (ValueError, RecursionError):
        raise InvalidInputError("the body is not JSON: send one object") from None
    if not isinstance(found, dict):
        raise InvalidInputError("the body must be one JSON object")
    given = cast("dict[str, object]", found)
    _refuse_others(fields, given, "the body")
    return _complete(fields, {f.name: f.check(given[f.name]) for f in fields if given.get(f.name) is not None})


def _refuse_others(fields: Sequence[Field], given: Mapping[str, object], where: str) -> None:
    names = {field.name for field in fields}
    if not given.keys() <= names:
        may = f"may hold {', '.join(sorted(names))}, and nothing else" if names else "takes no fields"
        raise InvalidInputError(f"{where} has an unknown name: it {may}")


def _complete(fields: Sequence[Field], given: dict[str, object]) -> Given:
    if (missing := next((f for f in fields if f.required and f.name not in given), None)) is not None:
        raise InvalidInputError(f"{missing.name} is missing: {missing.said}")
    return {field.name: given.get(field.name, field.default) for field in fields}


def _parse(text: str) -> object:
    """Return a number, true or false of a query; None for anything else."""
    try:
        return json.loads(text) if len(text) <= _LONGEST_NUMBER else None
    except (ValueError, RecursionError):
        return None


def _list(value: object) -> list[object]:
    return [*cast("list[object]", value)] if isinstance(value, list) else [value]


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value.strip() else None


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _share(value: object) -> float | None:
    if not isinstance(value, (int, float)) or isinstance(value, bool) or not math.isfinite(value):
        return None
    return float(value) if 0 <= value <= 1 else None


def _time(value: object) -> datetime | None:
    if not isinstance(value, str):
        return None
    try:
        return datetime.fromisoformat(value.replace("Z", "+00:00"))  # Python 3.10 reads no "Z"
    except ValueError:
        return None


def _flag(value: object) -> bool | None:
    return value if isinstance(value, bool) else None


def _texts(value: object) -> list[str] | None:
    if not isinstance(value, list):
        return None
    items = _list(cast("object", value))
    texts = [text for text in items if isinstance(text, str) and text.strip()]
    return texts if len(texts) == len(items) and 0 < len(texts) <= _MOST_TEXTS else None


_CHECKS = {"text": _text, "whole": _whole, "share": _share, "time": _time, "flag": _flag, "texts": _texts}
