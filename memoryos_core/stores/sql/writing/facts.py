"""Facts: bi-temporal, superseded rather than overwritten.

Citations of pages by derived items, through which forgetting reaches everything.

Traits and static profile fields: one current value a name, with the history of those it replaced.
"""

from __future__ import annotations

import hmac
import json
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from itertools import chain
from operator import attrgetter
from typing import Any, Literal, TypeAlias, cast, get_args

from sqlalchemy import Column, ColumnElement, Connection, bindparam, delete, insert, select, update

from memoryos_core.stores.sql import postings as posting
from memoryos_core.stores.sql.damage import Plain, sound
from memoryos_core.stores.sql.dialects import ByDialect
from memoryos_core.stores.sql.tables import citations, facts, persona, scopes
from memoryos_core.stores.sql.writing.pages import batches, stored_ids
from memoryos_core.values.commands import FactChange, Learning
from memoryos_core.values.dialogue import Scope
from memoryos_core.values.facts import Fact, Level, Profile, ProfileField, Trait

Kind: TypeAlias = Literal["fact", "persona"]

_c = citations.c
_CITED: tuple[Column[Any], ...] = (_c.item_id, _c.page_id)
_CITING: tuple[Column[Any], ...] = (_c.item_id, _c.kind)
_READ_CITED = Plain(
    select(*_CITED)
    .where(
        *(_c.scope == bindparam("of"), _c.kind == bindparam("is_")),
        _c.item_id.in_(bindparam("items", expanding=True)),
    )
    .order_by(_c.item_id, _c.place)
)
_CITE = ByDialect(lambda insert: Plain(insert(citations).on_conflict_do_nothing()))


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
    _CITE[connection.dialect.name].write(connection, rows)


def read_citations(
    connection: Connection, scope: Scope, kind: Kind, items: Iterable[str]
) -> dict[str, tuple[str, ...]]:
    """The pages each item cites, in order; nothing for an item that cites none."""
    found: dict[str, list[str]] = {}
    for some in batches(items):
        values = {"of": scope.key, "is_": kind, "items": some}
        for item, page in sound(connection, "citation", _CITED, _READ_CITED, values):
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


_f = facts.c
COLUMNS: tuple[Column[Any], ...] = (
    *(_f.id, _f.about, _f.text, _f.learned_at, _f.valid_from, _f.valid_until, _f.event_time),
    *(_f.trust, _f.status, _f.superseded_by, _f.visits, _f.labels, _f.seq),
    *(_f.kind, _f.origin),
)
_INSERT = Plain(insert(facts))
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
            "kind": fact.kind,
            "origin": fact.origin,
            "rev": rev,
            "digest": _digest(secret, scope, fact.text),
        }
        for fact, _, rev in new
    ]
    if rows:
        _INSERT.write(connection, rows)
        cite(connection, scope, "fact", {fact.id: page_ids for fact, page_ids, _ in new})
        posting.put_facts(connection, scope, (replace(fact, seq=rev) for fact, _, rev in new))


def change(connection: Connection, scope: Scope, change: FactChange, page_ids: Sequence[str], rev: int) -> None:
    """Give a fact another status or more evidence; one that is gone stays gone."""
    given = {
        name: value
        for name in ("status", "valid_until", "superseded_by")
        if (value := getattr(change, name)) is not None
    }
    if change.status == "current":  # released from quarantine, or what ended it was said of another fact
        given |= {"superseded_by": None, "valid_until": None}
    key = {"of": scope.key, "fact": change.fact_id, "rev_": rev}
    if connection.execute(_TOUCH.values(given), key).rowcount:
        cite(connection, scope, "fact", {change.fact_id: page_ids})
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
    after_version: int | None = None
    current: bool = True


_FILTERS: dict[str, ColumnElement[bool]] = {
    "ids": _f.id.in_(bindparam("ids", expanding=True)),
    "text": _f.digest == bindparam("text"),
    "replaced_by": _f.superseded_by.in_(bindparam("replaced_by", expanding=True)),
    "after_version": _f.rev > bindparam("after_version"),
}


@lru_cache(maxsize=64)
def _statement(filters: tuple[str, ...], *, current: bool) -> Plain:
    """Build the statement of a filter, once per shape: building costs more than running."""
    wanted = select(*COLUMNS).where(_f.scope == bindparam("of"), *(_FILTERS[name] for name in filters))
    return Plain(wanted.where(_f.status == "current") if current else wanted)


def read_facts(connection: Connection, secret: bytes, scope: Scope, of: FactFilter) -> tuple[Fact, ...]:
    """Facts, oldest first."""
    values: dict[str, object] = {"of": scope.key}
    if of.after_version is not None:
        values["after_version"] = of.after_version
    if of.text is not None:
        values["text"] = _digest(secret, scope, of.text)
    asked = [values]
    for name in ("ids", "replaced_by"):
        given: Sequence[str] | None = getattr(of, name)
        if given is not None:
            asked = [{**one, name: some} for one in asked for some in batches(given)]
    statement = _statement(tuple(name for name in _FILTERS if getattr(of, name) is not None), current=of.current)
    rows = [row for one in asked for row in sound(connection, "fact", COLUMNS, statement, one)]
    if of.text is not None:
        rows = [row for row in rows if row.text.split() == of.text.split()]
    rows.sort(key=attrgetter("seq"))
    return tuple(built(connection, scope, rows))


def built(connection: Connection, scope: Scope, rows: Sequence[Sequence[Any]]) -> Iterator[Fact]:
    """Facts from rows that begin with COLUMNS."""
    cited = read_citations(connection, scope, "fact", [row[0] for row in rows])
    for row in rows:
        fact_id, about, text, learned_at, valid_from, valid_until, event_time = row[:7]
        trust, status, superseded_by, visits, labels, seq = row[7:13]
        kind, origin = row[13:15]
        page_ids = cited.get(fact_id, ())
        when = (learned_at, valid_from, valid_until, event_time)
        what = (trust, status, superseded_by, visits, labels, seq, kind, origin)
        yield Fact(fact_id, about, text, *when, page_ids, *what)


PersonaKind: TypeAlias = Literal["trait", "profile"]

_a = persona.c
_INSERT_CURRENT = insert(persona)
_NAMED = (_a.scope == bindparam("of"), _a.kind == bindparam("is_"), _a.name == bindparam("named"))
_REPLACE = update(persona).where(*_NAMED, _a.valid_until.is_(None)).values(valid_until=bindparam("at"))
_CURRENT = select(_a.id, _a.since).where(*_NAMED, _a.valid_until.is_(None))
_NEW_VERSION = (
    update(scopes).where(scopes.c.scope == bindparam("of")).values(profile_version=scopes.c.profile_version + 1)
)
_VERSION = Plain(select(scopes.c.profile_version).where(scopes.c.scope == bindparam("of")))
_COLUMNS = (_a.id, _a.kind, _a.name, _a.value, _a.reason, _a.since, _a.valid_until)
_ENTRIES = select(*_COLUMNS).where(_a.scope == bindparam("of")).order_by(_a.seq)
_ENTRIES_NOW = Plain(_ENTRIES.where(_a.valid_until.is_(None)))


_LEVELS: tuple[str, ...] = get_args(Level)


@dataclass(frozen=True, slots=True)
class Entry:
    """A trait or a profile field, current (`valid_until` is None) or replaced."""

    id: str
    kind: PersonaKind
    name: str
    value: str
    reason: str | None
    since: datetime
    valid_until: datetime | None
    page_ids: tuple[str, ...] = ()


def from_trait(trait: Trait, page_ids: tuple[str, ...]) -> Entry:
    """A trait as it is kept."""
    return Entry(
        id=_new_id(),
        kind="trait",
        name=trait.dimension,
        value=trait.level,
        reason=trait.reason,
        since=trait.since,
        valid_until=None,
        page_ids=page_ids,
    )


def from_field(field: ProfileField, page_ids: tuple[str, ...]) -> Entry:
    """A profile field as it is kept."""
    return Entry(
        id=_new_id(),
        kind="profile",
        name=field.name,
        value=field.value,
        reason=None,
        since=field.since,
        valid_until=None,
        page_ids=page_ids,
    )


def _trait(entry: Entry) -> Trait:
    return Trait(
        dimension=entry.name,
        level=cast("Level", entry.value),
        reason=entry.reason or "",
        since=entry.since,
        page_ids=entry.page_ids,
    )


def _new_id() -> str:
    return uuid.uuid4().hex


def learn(connection: Connection, scope: Scope, entries: Sequence[Entry], revs: Iterator[int]) -> None:
    """Store these as the current values, or as history where a later one is known; increment the profile's version."""
    if not entries:
        return
    for entry in entries:
        name = {"of": scope.key, "is_": entry.kind, "named": entry.name}
        later = [row.since for row in sound(connection, "trait or profile field", (_a.id, _a.since), _CURRENT, name)]
        if later and max(later) > entry.since:
            add_current(connection, scope, replace(entry, valid_until=max(later)), next(revs))
            continue
        connection.execute(_REPLACE, {**name, "at": entry.since})
        add_current(connection, scope, entry, next(revs))
    connection.execute(_NEW_VERSION, {"of": scope.key})


def add_current(connection: Connection, scope: Scope, entry: Entry, seq: int) -> None:
    """Insert one entry with its citations, as it is."""
    row = {
        "scope": scope.key,
        "id": entry.id,
        "seq": seq,
        "kind": entry.kind,
        "name": entry.name,
        "value": entry.value,
        "reason": entry.reason,
        "since": entry.since,
        "valid_until": entry.valid_until,
    }
    connection.execute(_INSERT_CURRENT, row)
    cite(connection, scope, "persona", {entry.id: entry.page_ids})


def read_profile(connection: Connection, scope: Scope) -> Profile:
    """The current profile."""
    versions = _VERSION.rows(connection, {"of": scope.key})
    fields: list[ProfileField] = []
    traits: list[Trait] = []
    for entry in entries(connection, scope, current=True):
        if entry.kind == "trait":
            traits.append(_trait(entry))
        else:
            fields.append(ProfileField(entry.name, entry.value, entry.since, entry.page_ids))
    return Profile(tuple(fields), tuple(traits), versions[0][0] or 0 if versions else 0)


def entries(connection: Connection, scope: Scope, *, current: bool = False) -> list[Entry]:
    """Every entry in the order it was learnt, or the current ones."""
    wanted = _ENTRIES_NOW if current else _ENTRIES
    rows = [
        row
        for row in sound(connection, "trait or profile field", _COLUMNS, wanted, {"of": scope.key})
        if row.kind == "profile" or (row.kind == "trait" and row.value in _LEVELS)
    ]
    cited = read_citations(connection, scope, "persona", [row.id for row in rows])
    return [replace(Entry(*row), page_ids=cited.get(row.id, ())) for row in rows]


def drop(connection: Connection, scope: Scope, ids: Iterable[str]) -> dict[PersonaKind, int]:
    """Delete entries; the values that they had replaced stay history."""
    gone: dict[PersonaKind, int] = {"trait": 0, "profile": 0}
    for some in batches(ids):
        these = (_a.scope == scope.key, _a.id.in_(some))
        for row in sound(connection, "trait or profile field", (_a.id, _a.kind), select(_a.id, _a.kind).where(*these)):
            if row.kind in gone:
                gone[row.kind] += 1
        connection.execute(delete(persona).where(*these))
    if any(gone.values()):
        connection.execute(_NEW_VERSION, {"of": scope.key})
    return gone
