"""Traits and static profile fields: one current value a name, with the history of those it replaced."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal, TypeAlias, cast, get_args

from sqlalchemy import Connection, bindparam, delete, insert, select, update

from memoryos_core.stores.sql.damage import sound
from memoryos_core.stores.sql.tables import persona, scopes
from memoryos_core.stores.sql.writing import citations
from memoryos_core.stores.sql.writing.pages import batches
from memoryos_core.values.dialogue import Scope
from memoryos_core.values.facts import Level, Profile, ProfileField, Trait

Kind: TypeAlias = Literal["trait", "profile"]

_a = persona.c
_INSERT = insert(persona)
_NAMED = (_a.scope == bindparam("of"), _a.kind == bindparam("is_"), _a.name == bindparam("named"))
_REPLACE = update(persona).where(*_NAMED, _a.valid_until.is_(None)).values(valid_until=bindparam("at"))
_NEW_VERSION = (
    update(scopes).where(scopes.c.scope == bindparam("of")).values(profile_version=scopes.c.profile_version + 1)
)
_VERSION = select(scopes.c.profile_version).where(scopes.c.scope == bindparam("of"))
_COLUMNS = (_a.id, _a.kind, _a.name, _a.value, _a.reason, _a.since, _a.valid_until)


_LEVELS: tuple[str, ...] = get_args(Level)


@dataclass(frozen=True, slots=True)
class Entry:
    """A trait or a profile field, current (`valid_until` is None) or replaced."""

    id: str
    kind: Kind
    name: str
    value: str
    reason: str | None
    since: datetime
    valid_until: datetime | None
    page_ids: tuple[str, ...] = ()


def from_trait(trait: Trait, page_ids: tuple[str, ...]) -> Entry:
    """A trait as it is kept."""
    return Entry(_new_id(), "trait", trait.dimension, trait.level, trait.reason, trait.since, None, page_ids)


def from_field(field: ProfileField, page_ids: tuple[str, ...]) -> Entry:
    """A profile field as it is kept."""
    return Entry(_new_id(), "profile", field.name, field.value, None, field.since, None, page_ids)


def _trait(entry: Entry) -> Trait:
    return Trait(entry.name, cast("Level", entry.value), entry.reason or "", entry.since, entry.page_ids)


def _new_id() -> str:
    return uuid.uuid4().hex


def learn(connection: Connection, scope: Scope, entries: Sequence[Entry], revs: Iterator[int]) -> None:
    """Store these as the current values; increment the profile's version."""
    if not entries:
        return
    for entry in entries:
        name = {"of": scope.key, "is_": entry.kind, "named": entry.name}
        connection.execute(_REPLACE, {**name, "at": entry.since})
        add(connection, scope, entry, next(revs))
    connection.execute(_NEW_VERSION, {"of": scope.key})


def add(connection: Connection, scope: Scope, entry: Entry, seq: int) -> None:
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
    connection.execute(_INSERT, row)
    citations.cite(connection, scope, "persona", {entry.id: entry.page_ids})


def read_profile(connection: Connection, scope: Scope) -> Profile:
    """The current profile."""
    version = connection.scalar(_VERSION, {"of": scope.key})
    fields: list[ProfileField] = []
    traits: list[Trait] = []
    for entry in entries(connection, scope, current=True):
        if entry.kind == "trait":
            traits.append(_trait(entry))
        else:
            fields.append(ProfileField(entry.name, entry.value, entry.since, entry.page_ids))
    return Profile(tuple(fields), tuple(traits), version or 0)


def entries(connection: Connection, scope: Scope, *, current: bool = False) -> list[Entry]:
    """Every entry in the order it was learnt, or the current ones."""
    wanted = select(*_COLUMNS).where(_a.scope == scope.key).order_by(_a.seq)
    wanted = wanted.where(_a.valid_until.is_(None)) if current else wanted
    rows = [
        row
        for row in sound(connection, "trait or profile field", _COLUMNS, wanted)
        if row.kind == "profile" or (row.kind == "trait" and row.value in _LEVELS)
    ]
    cited = citations.read_citations(connection, scope, "persona", [row.id for row in rows])
    return [replace(Entry(*row), page_ids=cited.get(row.id, ())) for row in rows]


def drop(connection: Connection, scope: Scope, ids: Iterable[str]) -> dict[Kind, int]:
    """Delete entries; the values that they had replaced stay history."""
    gone: dict[Kind, int] = {"trait": 0, "profile": 0}
    for some in batches(ids):
        these = (_a.scope == scope.key, _a.id.in_(some))
        for row in sound(connection, "trait or profile field", (_a.id, _a.kind), select(_a.id, _a.kind).where(*these)):
            if row.kind in gone:
                gone[row.kind] += 1
        connection.execute(delete(persona).where(*these))
    if any(gone.values()):
        connection.execute(_NEW_VERSION, {"of": scope.key})
    return gone
