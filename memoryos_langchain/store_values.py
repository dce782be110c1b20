"""The rules of a LangGraph store for values and namespaces, as pure functions: filters, patterns, search text."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, TypeAlias, cast

from langgraph.store.base import MatchCondition, get_text_at_path

from memoryos_core.errors import InvalidInputError

Value: TypeAlias = dict[str, object]
Namespace: TypeAlias = tuple[str, ...]
Index: TypeAlias = Literal[False] | list[str] | None

_DEEPEST = 100
_COMPARISONS = frozenset(("$gt", "$gte", "$lt", "$lte"))
# Fields by which LangGraph's and langmem's own tools name the sentence that is to be remembered.
_SENTENCES = ("text", "content")


def encode_value(value: object) -> str:
    """A value as JSON text, ASCII only, so that every database takes it. Raises InvalidInputError."""
    if not isinstance(value, Mapping):
        raise InvalidInputError(f"the value of an item must be a dict, not {type(value).__name__}")
    given = cast("Mapping[str, object]", value)
    shallow("the value of an item", given)
    try:
        return json.dumps(dict(given))
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInputError(f"the value of an item must be JSON ({type(error).__name__})") from None


def shallow(name: str, value: object) -> None:
    """Check that a value is not nested deeper than Python can read back. Raises InvalidInputError."""
    left: list[tuple[object, int]] = [(value, 1)]
    while left:
        held, depth = left.pop()
        if isinstance(held, Mapping):
            inner: Iterable[object] = cast("Mapping[object, object]", held).values()
        elif isinstance(held, (list, tuple)):
            inner = cast("Sequence[object]", held)
        else:
            continue
        if depth > _DEEPEST:
            raise InvalidInputError(f"{name} must not be nested deeper than {_DEEPEST} levels")
        left.extend((one, depth + 1) for one in inner)


def decode_value(text: str) -> Value | None:
    """Return the value of a JSON text; None for text that is not a JSON object, which another program wrote."""
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return cast("Value", value) if isinstance(value, dict) else None


def searchable(value: Value, index: Index) -> str:
    """Return an item's search text: the fields that `index` names, all of them by default, "" when it is False."""
    if index is False:
        return ""
    if index is not None:
        return storable("\n".join(text for path in index for text in get_text_at_path(value, path)))
    leaves = list(_leaves("", value))
    if len(leaves) == 1:
        return storable(leaves[0][1])
    return storable("\n".join(f"{name}: {text}" if name else text for name, text in leaves))


def sentence(value: Value, index: Index) -> str:
    """Return the statement of an item put among the facts: its text or content, else all of its search text."""
    if not isinstance(index, list):
        for field in _SENTENCES:
            said = value.get(field)
            if isinstance(said, str) and said.strip():
                return storable(said)
    return searchable(value, index)


def storable(text: str) -> str:
    """Text that any database takes: without NUL and lone surrogates."""
    return text.replace("\x00", " ").encode("utf-8", "replace").decode("utf-8")


def _leaves(name: str, value: object) -> Iterator[tuple[str, str]]:
    """The texts and numbers of a value, each with the name it stands under, in order."""
    if isinstance(value, Mapping):
        for key, inner in cast("Mapping[str, object]", value).items():
            yield from _leaves(str(key), inner)
    elif isinstance(value, (list, tuple)):
        for inner in cast("Sequence[object]", value):
            yield from _leaves(name, inner)
    elif value is not None and str(value).strip():
        yield name, str(value)


def matches(value: Mapping[str, object], wanted: Mapping[str, object] | None) -> bool:
    """Return whether the fields of a value match a filter. Raises InvalidInputError for an unknown operator.

    A name with periods that is no field of the value leads to a field of a field.
    """
    return all(_meets(_field(value, name), condition) for name, condition in (wanted or {}).items())


def _field(value: Mapping[str, object], name: str) -> object:
    if name in value or "." not in name:
        return value.get(name)
    first, _, rest = name.partition(".")
    held = value.get(first)
    return _field(cast("Mapping[str, object]", held), rest) if isinstance(held, Mapping) else None


def _meets(value: object, condition: object) -> bool:
    if isinstance(condition, Mapping):
        asked = cast("Mapping[str, object]", condition)
        if any(str(name).startswith("$") for name in asked):
            return all(_holds(value, operator, operand) for operator, operand in asked.items())
        return isinstance(value, Mapping) and matches(cast("Mapping[str, object]", value), asked)
    if isinstance(condition, (list, tuple)):
        items = cast("Sequence[object]", condition)
        if not isinstance(value, (list, tuple)):
            return False
        held = cast("Sequence[object]", value)
        return len(held) == len(items) and all(map(_meets, held, items))
    return value == condition


def _holds(value: object, operator: str, operand: object) -> bool:
    if operator == "$eq":
        return value == operand
    if operator == "$ne":
        return value != operand
    if operator not in _COMPARISONS:
        raise InvalidInputError(f"the operator {operator!r} is not one of $eq, $ne, {', '.join(sorted(_COMPARISONS))}")
    sign = _compare_values(value, operand)
    if sign is None:
        return False
    return (sign == 0 and operator.endswith("e")) or (sign > 0 if operator.startswith("$g") else sign < 0)


def _compare_values(value: object, operand: object) -> int | None:
    """-1, 0 or 1: as numbers where both are, else as texts, so that ISO dates compare; None where neither will do."""
    left, right = _number(value), _number(operand)
    if left is not None and right is not None:
        return (left > right) - (left < right)
    if isinstance(value, str) and isinstance(operand, str):
        return (value > operand) - (value < operand)
    return None


def _number(value: object) -> float | None:
    if not isinstance(value, (int, float, str)):
        return None
    try:
        return float(value)
    except (ValueError, OverflowError):
        return None


def fits(namespace: Namespace, conditions: Iterable[MatchCondition] | None) -> bool:
    """Return whether a namespace meets every condition; "*" stands for any one label. Raises InvalidInputError."""
    return all(_fits(namespace, condition) for condition in conditions or ())


def _fits(namespace: Namespace, condition: MatchCondition) -> bool:
    path = tuple(condition.path)
    if condition.match_type not in ("prefix", "suffix"):
        raise InvalidInputError("unknown match type: use 'prefix' or 'suffix'")
    if len(path) > len(namespace):
        return False
    part = namespace[: len(path)] if condition.match_type == "prefix" else namespace[len(namespace) - len(path) :]
    return all(wanted in ("*", label) for wanted, label in zip(path, part, strict=True))
