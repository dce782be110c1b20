"""Citations of pages by derived items, through which forgetting reaches everything."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, Literal, TypeAlias

from sqlalchemy import Column, Connection, delete, select

from memoryos_core.stores.sql.damage import sound
from memoryos_core.stores.sql.dialects import INSERT
from memoryos_core.stores.sql.tables import citations
from memoryos_core.stores.sql.writing.pages import batches, stored_ids
from memoryos_core.values.commands import Learning
from memoryos_core.values.dialogue import Scope

Kind: TypeAlias = Literal["fact", "persona"]

_c = citations.c
_CITED: tuple[Column[Any], ...] = (_c.item_id, _c.page_id)
_CITING: tuple[Column[Any], ...] = (_c.item_id, _c.kind)
_CITE = {dialect: insert(citations).on_conflict_do_nothing() for dialect, insert in INSERT.items()}


class Support:
    """The cited pages that still exist: some may have been forgotten meanwhile."""

    def __init__(self, connection: Connection, scope: Scope, learning: Learning) -> None:
        named = [fact.page_ids for fact in learning.facts] + [trait.page_ids for trait in learning.traits]
        named += [field.page_ids for field in learning.profile] + [c.add_page_ids for c in learning.changes]
        self._there = stored_ids(connection, scope, chain.from_iterable(named))

    def left(self, page_ids: Iterable[str]) -> tuple[str, ...]:
        """The pages that are still there, in order."""
        return tuple(i for i in page_ids if i in self._there)

    def holds(self, page_ids: Sequence[str]) -> bool:
        """Return True when an item with these citations may stay: it cites no page, or one that still exists."""
        return not page_ids or any(i in self._there for i in page_ids)


def cite(connection: Connection, scope: Scope, kind: Kind, pages_of: Mapping[str, Sequence[str]]) -> None:
    """Add citations of existing pages, in order, after those that are there."""
    old = read_citations(connection, scope, kind, pages_of)
    rows = [
        {"scope": scope.key, "kind": kind, "item_id": item, "page_id": page, "place": place}
        for item, page_ids in pages_of.items()
        for place, page in enumerate(dict.fromkeys(page_ids), start=len(old.get(item, ())))
    ]
    if rows:
        connection.execute(_CITE[connection.dialect.name], rows)


def read_citations(
    connection: Connection, scope: Scope, kind: Kind, items: Iterable[str]
) -> dict[str, tuple[str, ...]]:
    """The pages each item cites, in order; nothing for an item that cites none."""
    found: dict[str, list[str]] = {}
    for some in batches(items):
        wanted = select(_c.item_id, _c.page_id).where(_c.scope == scope.key, _c.kind == kind, _c.item_id.in_(some))
        for item, page in sound(connection, "citation", _CITED, wanted.order_by(_c.item_id, _c.place)):
            found.setdefault(item, []).append(page)
    return {item: tuple(page_ids) for item, page_ids in found.items()}


def drop_pages(connection: Connection, scope: Scope, page_ids: Sequence[str]) -> dict[Kind, set[str]]:
    """Delete every citation of some pages; return the items without any citation left."""
    lost: dict[Kind, set[str]] = {"fact": set(), "persona": set()}
    for some in batches(page_ids):
        of_these = (_c.scope == scope.key, _c.page_id.in_(some))
        for item, kind in sound(connection, "citation", _CITING, select(*_CITING).where(*of_these)):
            lost.get(kind, set()).add(item)
        connection.execute(delete(citations).where(*of_these))
    return {kind: items - set(read_citations(connection, scope, kind, items)) for kind, items in lost.items()}


def drop_items(connection: Connection, scope: Scope, kind: Kind, items: Iterable[str]) -> None:
    """Delete the citations of some items."""
    for some in batches(items):
        connection.execute(delete(citations).where(_c.scope == scope.key, _c.kind == kind, _c.item_id.in_(some)))
