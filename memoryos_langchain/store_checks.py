"""The checks of a LangGraph store's operations, made before anything is written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, cast

from langgraph.store.base import (
    GetOp,
    InvalidNamespaceError,
    ListNamespacesOp,
    Op,
    PutOp,
    SearchOp,
    validate_op_namespace,
)

from memoryos_core.errors import InvalidInputError
from memoryos_core.hosts.validation import identifier, text
from memoryos_langchain.store_shelves import EPISODES, FACTS, PROFILE, statement
from memoryos_langchain.store_values import Namespace, Value, decode_value, encode_value, searchable, shallow

_LONGEST_MINUTES = 1e9  # about two thousand years


def read_back(written: str) -> Value:
    """A value as it will be read: what JSON makes of it."""
    return decode_value(written) or {}


def check_operation(op: object, *, all_users: bool = False) -> None:
    """Refuse an operation that LangGraph's stores would refuse, and those that make no sense here.

    `all_users` allows a search without a prefix.
    """
    for kind, check in _CHECKS.items():
        if isinstance(op, kind):
            _check_labels(op)
            if isinstance(op, SearchOp) and not (op.namespace_prefix or all_users):
                raise InvalidInputError(
                    "a search needs a user: give the user's id as the first label of the prefix,"
                    " or make the store with search_all_users=True"
                )
            validate_op_namespace(cast("Op", op))
            check(op)
            return
    raise InvalidInputError(
        f"{type(op).__name__} is not a store operation: use GetOp, PutOp, SearchOp or ListNamespacesOp"
    )


def several(ops: object) -> tuple[Op, ...]:
    """Operations, read once; namespaces that are lists become tuples. Raises InvalidInputError."""
    # A text is an iterable of texts to Python, and never what the caller meant.
    if isinstance(ops, (str, bytes)) or not isinstance(ops, Iterable):
        raise InvalidInputError(f"a batch must be a list or tuple of operations, not {type(ops).__name__}")
    return tuple(map(_with_tuple, cast("Iterable[Op]", ops)))


def _with_tuple(op: Op) -> Op:
    for name in ("namespace", "namespace_prefix"):
        labels = getattr(op, name, None)
        if isinstance(labels, list):
            return cast("Op", cast("Any", op)._replace(**{name: tuple(cast("list[str]", labels))}))
    return op


def _check_labels(op: object) -> None:
    for name in ("namespace", "namespace_prefix"):
        labels = getattr(op, name, ())
        if not isinstance(labels, tuple):
            raise InvalidInputError(f"a namespace must be a tuple or list of labels, not {type(labels).__name__}")


def _check_ids(namespace: Namespace) -> None:
    for place, label in enumerate(namespace):
        identifier(f"label {place} of a namespace", label)


def _check_get(op: GetOp) -> None:
    _check_user(op.namespace)
    identifier("a key", op.key)


def _check_search(op: SearchOp) -> None:
    _check_ids(op.namespace_prefix)
    _check_window(op.limit, op.offset)
    if op.query is not None:
        text("a query", op.query)
    if op.filter is not None:
        if not isinstance(cast("object", op.filter), Mapping):
            raise InvalidInputError(f"a filter must be a dict, not {type(op.filter).__name__}")
        shallow("a filter", op.filter)


def _check_listing(op: ListNamespacesOp) -> None:
    _check_window(op.limit, op.offset)
    if op.max_depth is not None:
        _check_number("max_depth", op.max_depth)


def _check_put(op: PutOp) -> None:
    _check_user(op.namespace)
    identifier("a key", op.key)
    rest = tuple(op.namespace[1:])
    if rest == PROFILE:
        raise InvalidInputError("a profile is read-only: it is learnt from messages; put a fact instead")
    if op.value is None:
        return
    check_minutes("ttl", op.ttl)
    if rest == EPISODES:
        raise InvalidInputError("episodes are read-only: add messages to the memory, or put a fact instead")
    _check_index(op.index)
    value = read_back(encode_value(op.value))
    if rest == FACTS:
        statement(value, op.index)
    else:
        searchable(value, op.index)


def check_minutes(name: str, minutes: object) -> None:
    """Check that a value is None or a number of minutes greater than 0. Raises InvalidInputError."""
    number = isinstance(minutes, int | float) and not isinstance(minutes, bool)
    if minutes is not None and not (number and 0 < cast("float", minutes) < _LONGEST_MINUTES):
        raise InvalidInputError(f"{name} must be a number of minutes greater than 0, or None")


def _check_user(namespace: Namespace) -> None:
    if not namespace:
        raise InvalidNamespaceError("a namespace needs a user: give the user's id as its first label")
    _check_ids(namespace)


def _check_window(limit: object, offset: object) -> None:
    _check_number("limit", limit)
    _check_number("offset", offset)


def _check_number(name: str, value: object) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise InvalidInputError(f"{name} must be a whole number, 0 or more")


def _check_index(index: object) -> None:
    paths = cast("list[object]", index) if isinstance(index, list) else ()
    if not (index is None or index is False or isinstance(index, list)) or not all(isinstance(p, str) for p in paths):
        raise InvalidInputError("index must be False, None or a list of paths")


_CHECKS: dict[type[object], Callable[..., None]] = {
    GetOp: _check_get,
    SearchOp: _check_search,
    ListNamespacesOp: _check_listing,
    PutOp: _check_put,
}
