"""Exported records back into a store: each goes to the scope that the record before it named."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields, replace
from typing import cast

from memoryos_core.errors import InvalidInputError
from memoryos_core.models import Scope
from memoryos_core.moves import Record
from memoryos_core.ports import Store
from memoryos_core.reports import RestoreReport
from memoryos_core.rules.accepting import identifier

_KINDS = ("page", "segment", "chain", "fact", "trait", "profile", "note")


def restore(store: Store, records: Iterable[Mapping[str, object]], notify: Callable[[Scope], None]) -> RestoreReport:
    """Restore records of one or several exports, in order; `notify` hears of each scope that has new pages to embed.

    Raises InvalidInputError before a record it cannot read.
    """
    total = RestoreReport()
    for scope, group in _by_scope(records):
        total = _sum(total, store.restore(scope, group))
        notify(scope)
    return total


def _by_scope(records: Iterable[Mapping[str, object]]) -> Iterator[tuple[Scope, list[Record]]]:
    scope: Scope | None = None
    group: list[Record] = []
    for number, given in enumerate(records, 1):
        record = _mapping(number, given)
        kind = record.get("kind")
        if kind == "scope":
            if scope is not None:
                yield scope, group
            names = (identifier(name, record.get(name)) for name in ("user_id", "assistant_id"))
            scope, group = Scope(*names), []
        elif scope is None:
            raise InvalidInputError("the first record must be the scope that export() begins with")
        elif kind in _KINDS:
            group.append(cast("Record", (kind, {k: v for k, v in record.items() if k != "kind"})))
        else:
            raise InvalidInputError(f"record {number} has the unknown kind {kind!r}; allowed are {', '.join(_KINDS)}")
    if scope is not None:
        yield scope, group


def _mapping(number: int, record: object) -> Mapping[str, object]:
    if not isinstance(record, Mapping):
        raise InvalidInputError(f"record {number} must be a mapping as export() gives it, not {type(record).__name__}")
    return cast("Mapping[str, object]", record)


def _sum(a: RestoreReport, b: RestoreReport) -> RestoreReport:
    counts = {f.name: getattr(a, f.name) + getattr(b, f.name) for f in fields(RestoreReport)}
    return replace(a, **counts)
