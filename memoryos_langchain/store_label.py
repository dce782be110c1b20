"""Namespaces whose user is another label than the first: turned on the way into a store, and back on the way out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from langgraph.store.base import GetOp, InvalidNamespaceError, Item, Op, PutOp, Result, SearchOp, validate_op_namespace

from memoryos_langchain.store_values import Namespace


@dataclass(frozen=True, slots=True)
class UserLabel:
    """The place of the user among the labels of a namespace; the store itself has the user first."""

    place: int

    def inward(self, op: Op) -> Op:
        """Return an operation with the user first. Raises InvalidNamespaceError when a namespace has no such label."""
        if not self.place:
            return op
        if isinstance(op, SearchOp):
            if not op.namespace_prefix:
                return op  # all users
            return op._replace(namespace_prefix=self._user_first(op.namespace_prefix))
        if not isinstance(op, (GetOp, PutOp)):
            return op
        validate_op_namespace(op)  # LangGraph reserves a first label, which is another one here
        return op._replace(namespace=self._user_first(op.namespace))

    def outward(self, answer: Result) -> Result:
        """Return an answer with the user in its place; names of namespaces are there already."""
        items = cast("list[Any]", answer) if isinstance(answer, list) else [answer]
        for item in items if self.place else ():
            if isinstance(item, Item):
                item.namespace = self.placed(item.namespace)
        return answer

    def placed(self, namespace: Sequence[str]) -> Namespace:
        """Return a namespace that has the user first with the user in its place."""
        user, *rest = namespace
        return (*rest[: self.place], user, *rest[self.place :])

    def _user_first(self, namespace: Any) -> Namespace:  # noqa: ANN401 - checked when it has its order
        if not isinstance(namespace, tuple):
            return cast("Namespace", namespace)
        labels = cast("Namespace", namespace)
        if len(labels) <= self.place:
            raise InvalidNamespaceError(
                f"a namespace needs a user: give the user's id as label {self.place} (user_label={self.place}, counted"
                f" from 0); this one has {len(labels)} labels"
            )
        return (labels[self.place], *labels[: self.place], *labels[self.place + 1 :])
