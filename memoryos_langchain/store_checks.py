"""What a LangGraph store refuses, and that it does so before anything is written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import cast

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
from memoryos_core.rules.accepting import identifier, text
from memoryos_langchain.store_shelves import EPISODES, FACTS, PROFILE, statement
from memoryos_langchain.store_values import Namespace, Value, decoded, encoded, searchable, shallow


def read_back(written: str) -> Value:
    """A value as it will be read: what JSON makes of it."""
    return decoded(written) or {}


def checked(op: object) -> None:
    """Refuse an operation that LangGraph's own verbs would refuse, and those that make no sense here."""
    for kind, check in _CHECKS.items():
        if isinstance(op, kind):
            _check_labels(op)
            validate_op_namespace(cast("Op", op))
            check(op)
            return
    raise InvalidInputError(f"{type(op).__name__} is not an operation of a store")


def several(ops: object) -> tuple[Op, ...]:
    """Operations, read once. Raises InvalidInputError."""
    # A text is an iterable of texts to Python, and never what the caller meant.
    if isinstance(ops, (str, bytes)) or not isinstance(ops, Iterable):
        raise InvalidInputError(f"a batch must be a list or tuple of operations, not {type(ops).__name__}")
    return tuple(cast("Iterable[Op]", ops))


def _check_labels(op: object) -> None:
    for name in ("namespace", "namespace_prefix"):
        labels = getattr(op, name, ())
        if not isinstance(labels, tuple):
            raise InvalidInputError(f"a namespace must be a tuple of labels, not {type(labels).__name__}")


def _check_ids(namespace: Namespace) -> None:
    for label in namespace:
        identifier("a label of a namespace", label)


def _check_get(op: GetOp) -> None:
    _check_user(op.namespace)
    identifier("a key", op.key)


def _check_search(op: SearchOp) -> None:
    if not op.namespace_prefix:
        raise InvalidInputError("a search needs a user: give the user's id as the first label of the prefix")
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
        raise InvalidInputError("a profile is read-only: it is learnt from what is said; put a fact instead")
    if op.value is None:
        return
    if op.namespace[0] == "langgraph":
        raise InvalidNamespaceError("the root label 'langgraph' belongs to LangGraph")
    if op.ttl is not None:
        raise NotImplementedError("MemoryOSStore has no TTL: what is put stays until it is deleted")
    if rest == EPISODES:
        raise InvalidInputError("episodes are what was said: add messages to the memory, or put a fact instead")
    _check_index(op.index)
    value = read_back(encoded(op.value))
    if rest == FACTS:
        statement(value, op.index)
    else:
        searchable(value, op.index)


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
