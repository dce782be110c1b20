"""Facts: bi-temporal, superseded rather than overwritten."""

from __future__ import annotations

import hmac
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any

from sqlalchemy import Column, Connection, bindparam, insert, select, update

from memoryos_core.stores.sql import postings as posting
from memoryos_core.stores.sql.damage import sound
from memoryos_core.stores.sql.tables import facts
from memoryos_core.stores.sql.writing import citations
from memoryos_core.stores.sql.writing.pages import batches
from memoryos_core.values.commands import FactChange
from memoryos_core.values.dialogue import Scope
from memoryos_core.values.facts import Fact

_f = facts.c
COLUMNS: tuple[Column[Any], ...] = (
    *(_f.id, _f.about, _f.text, _f.learned_at, _f.valid_from, _f.valid_until, _f.event_time),
    *(_f.trust, _f.status, _f.superseded_by, _f.visits, _f.labels, _f.seq),
)
_INSERT = insert(facts)
_ONE = (_f.scope == bindparam("of"), _f.id == bindparam("fact"))
_TOUCH = update(facts).where(*_ONE).values(rev=bindparam("rev_"))


def add(connection: Connection, secret: bytes, scope: Scope, new: Sequence[tuple[Fact, Sequence[str], int]]) -> None:
    """Insert facts, each with the pages it cites and its rev; `secret` keys the digests of their words."""
    rows = [
        {
            "scope": scope.key,
            "id": fact.id,
            "seq": rev,
            "about": fact.about,
            "text": fact.text,
            "learned_at": fact.learned_at,
            "valid_from": fact.valid_from,
            "valid_until": fact.valid_until,
            "event_time": fact.event_time,
            "trust": fact.trust,
            "status": fact.status,
            "superseded_by": fact.superseded_by,
            "visits": fact.visits,
            "labels": fact.labels,
            "rev": rev,
            "digest": _digest(secret, scope, fact.text),
        }
        for fact, _, rev in new
    ]
    if rows:
        connection.execute(_INSERT, rows)
        citations.cite(connection, scope, "fact", {fact.id: page_ids for fact, page_ids, _ in new})
        posting.put_facts(connection, scope, (replace(fact, seq=rev) for fact, _, rev in new))


def change(connection: Connection, scope: Scope, change: FactChange, page_ids: Sequence[str], rev: int) -> None:
    """Give a fact another status or more evidence; one that is gone stays gone."""
    given = {
        name: value
        for name in ("status", "valid_until", "superseded_by")
        if (value := getattr(change, name)) is not None
    }
    if change.status == "current":  # released from quarantine: no fact replaces it
        given["superseded_by"] = None
    key = {"of": scope.key, "fact": change.fact_id, "rev_": rev}
    if connection.execute(_TOUCH.values(given), key).rowcount:
        citations.cite(connection, scope, "fact", {change.fact_id: page_ids})
        if "status" in given:
            follow(connection, scope, [change.fact_id])


def follow(connection: Connection, scope: Scope, ids: Sequence[str]) -> None:
    """Update the word index for these facts: only current facts are found."""
    if not ids or not posting.ranks(connection):
        return
    posting.drop(connection, scope, ids)
    for some in batches(ids):
        wanted = select(*COLUMNS).where(_f.scope == scope.key, _f.id.in_(some))
        posting.put_facts(connection, scope, built(connection, scope, sound(connection, "fact", COLUMNS, wanted)))


def _digest(secret: bytes, scope: Scope, text: str) -> str:
    """Return the keyed digest that finds facts with the same words."""
    said = f"memoryos fact {scope.key} {json.dumps(text.split())}"
    return hmac.digest(secret, said.encode(), "sha256").hex()[:32]


@dataclass(frozen=True, slots=True)
class FactFilter:
    """The filters of `ports.Store.facts`; every one narrows."""

    ids: Sequence[str] | None = None
    text: str | None = None
    replaced_by: Sequence[str] | None = None
    current: bool = True


def read_facts(connection: Connection, secret: bytes, scope: Scope, of: FactFilter) -> tuple[Fact, ...]:
    """Facts, oldest first."""
    wanted = select(*COLUMNS).where(_f.scope == scope.key)
    if of.current:
        wanted = wanted.where(_f.status == "current")
    if of.text is not None:
        wanted = wanted.where(_f.digest == _digest(secret, scope, of.text))
    statements = [wanted]
    for column, given in ((_f.id, of.ids), (_f.superseded_by, of.replaced_by)):
        if given is not None:
            statements = [one.where(column.in_(some)) for one in statements for some in batches(given)]
    rows = [row for statement in statements for row in sound(connection, "fact", COLUMNS, statement)]
    if of.text is not None:
        rows = [row for row in rows if row.text.split() == of.text.split()]
    rows.sort(key=attrgetter("seq"))
    return tuple(built(connection, scope, rows))


def built(connection: Connection, scope: Scope, rows: Sequence[Sequence[Any]]) -> Iterator[Fact]:
    """Facts from rows that begin with COLUMNS."""
    cited = citations.read_citations(connection, scope, "fact", [row[0] for row in rows])
    for row in rows:
        fact_id, about, text, learned_at, valid_from, valid_until, event_time = row[:7]
        trust, status, superseded_by, visits, labels, seq = row[7:13]
        page_ids = cited.get(fact_id, ())
        when = (learned_at, valid_from, valid_until, event_time)
        yield Fact(fact_id, about, text, *when, page_ids, trust, status, superseded_by, visits, labels, seq)
