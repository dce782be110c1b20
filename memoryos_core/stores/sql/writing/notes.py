"""Notes: values under names, found by whole labels of their namespace.

The verbs of the store about notes and sessions.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from operator import attrgetter
from typing import Any

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Integer,
    Select,
    bindparam,
    delete,
    func,
    insert,
    select,
    update,
)
from sqlalchemy.dialects.sqlite import Insert

from memoryos_core.stores.sql.audit import record
from memoryos_core.stores.sql.damage import leave_out, sound, sound_up_to
from memoryos_core.stores.sql.database import Database
from memoryos_core.stores.sql.dialects import ByDialect
from memoryos_core.stores.sql.scopes import advance, claim
from memoryos_core.stores.sql.tables import facts, notes
from memoryos_core.stores.sql.tombstones import bury, note_items
from memoryos_core.stores.sql.writing import pages as conversations
from memoryos_core.stores.sql.writing.pages import batches
from memoryos_core.stores.sql.writing.pages import stored_ids as known_ids
from memoryos_core.stores.sql.writing.vectors import stamp
from memoryos_core.values.dialogue import Scope
from memoryos_core.values.notes import Note, NoteWrite

_n = notes.c
_COLUMNS: tuple[Column[Any], ...] = (
    _n.namespace,
    _n.key,
    _n.value,
    _n.text,
    _n.created_at,
    _n.updated_at,
    _n.fact_id,
    _n.rev,
)
_REV = len(_COLUMNS) - 1
_ONE: tuple[ColumnElement[bool], ...] = (
    *(_n.scope == bindparam("of"), _n.namespace == bindparam("under"), _n.key == bindparam("named")),
)


def _put(upsert: Insert) -> Insert:
    changing = ("value", "text", "vector", "updated_at", "rev", "fact_id")
    return upsert.on_conflict_do_update(
        index_elements=[_n.scope, _n.namespace, _n.key], set_={name: upsert.excluded[name] for name in changing}
    )


_PUT = ByDialect(lambda upsert: _put(upsert(notes)))
_INSERT = insert(notes)
_DELETE = delete(notes).where(*_ONE)
_SAYS = select(_n.text).where(*_ONE)
_EMBED = update(notes).where(*_ONE).values(vector=bindparam("vector_"))
_NAMESPACES = select(_n.namespace).where(_n.scope == bindparam("of")).distinct()
_AFTER = (
    select(*_COLUMNS)
    .where(_n.scope == bindparam("of"), _n.rev > bindparam("after"))
    .order_by(_n.rev)
    .limit(bindparam("limit", type_=Integer))
)


def encode(namespace: Sequence[str]) -> str:
    """Labels as text: each a JSON string in ASCII and a comma, so that a prefix of labels is a prefix of text."""
    return "".join(f"{json.dumps(label)}," for label in namespace)


def decode(written: str) -> tuple[str, ...] | None:
    """Undo `encode`; None for text in another form."""
    try:
        labels = tuple(json.loads(f"[{written[:-1]}]"))
    except (RecursionError, ValueError):
        return None
    return labels if all(isinstance(label, str) for label in labels) else None


def write(
    connection: Connection, scope: Scope, changes: Sequence[NoteWrite], at: datetime, embedder: str | None
) -> bool:
    """Put and delete; the last change of a name wins. Return True when a note was deleted.

    Vectors of another embedder than the store's are left out: a note without one is found by its words. A note of an
    erased fact is deleted.
    """
    last: dict[tuple[tuple[str, ...], str], NoteWrite] = {}
    for change in changes:
        last.pop((change.namespace, change.key), None)  # its place is that of the last change
        last[change.namespace, change.key] = change
    facts_there = known_ids(connection, scope, {c.fact_id for c in last.values() if c.fact_id}, table=facts)
    puts: list[Note] = []
    gone: list[dict[str, object]] = []
    for c in last.values():
        if c.value is None or (c.fact_id is not None and c.fact_id not in facts_there):
            gone.append(_name(scope, c))
        else:
            puts.append(
                Note(
                    namespace=c.namespace,
                    key=c.key,
                    value=c.value,
                    text=c.text,
                    created_at=at,
                    updated_at=at,
                    vector=c.vector,
                    fact_id=c.fact_id,
                )
            )
    if puts:
        numbers = claim(connection, scope, len(puts))
        keep_vectors = _is_ours(connection, embedder)
        rows = [_row(scope, note, rev, vector=keep_vectors) for rev, note in enumerate(puts, start=numbers.first)]
        connection.execute(_PUT[connection.dialect.name], rows)
    elif advance(connection, scope, 0) is None:
        return False
    names = [(str(name["under"]), str(name["named"])) for name in gone]
    bury(connection, scope, note_items(connection, scope, names=names), at)
    return bool(gone) and connection.execute(_DELETE, gone).rowcount > 0


def _name(scope: Scope, note: Note | NoteWrite) -> dict[str, object]:
    return {"of": scope.key, "under": encode(note.namespace), "named": note.key}


def _row(scope: Scope, note: Note, rev: int, *, vector: bool) -> dict[str, object]:
    return {
        "scope": scope.key,
        "namespace": encode(note.namespace),
        "key": note.key,
        "value": note.value,
        "text": note.text,
        "vector": note.vector if vector else None,
        "created_at": note.created_at,
        "updated_at": note.updated_at,
        "rev": rev,
        "fact_id": note.fact_id,
    }


def _is_ours(connection: Connection, embedder: str | None) -> bool:
    current = stamp(connection)
    return embedder is None or current is None or current.name == embedder


def read_notes(
    connection: Connection, scope: Scope, prefix: Sequence[str], key: str | None, *, vectors: bool
) -> tuple[Note, ...]:
    """Notes under a prefix, or the one of a key in exactly that namespace; last updated first."""
    under = encode(prefix)
    wanted: Select[Any] = select(*_COLUMNS, *((_n.vector,) if vectors else ())).where(_n.scope == scope.key)
    if key is not None:
        wanted = wanted.where(_n.namespace == under, _n.key == key)
    elif under:
        # Compared by itself: LIKE has wildcards, and folds case in SQLite.
        wanted = wanted.where(func.substr(_n.namespace, 1, len(under)) == under)
    columns = (*_COLUMNS, _n.vector) if vectors else _COLUMNS
    return _built(
        connection, sound(connection, "note", columns, wanted.order_by(_n.updated_at.desc(), _n.rev), named=_REV)
    )


def read_of(connection: Connection, scope: Scope, fact_ids: Iterable[str]) -> tuple[Note, ...]:
    """Notes that belong to one of these facts, in order of writing."""
    wanted = select(*_COLUMNS).where(_n.scope == scope.key)
    statements = (wanted.where(_n.fact_id.in_(some)) for some in batches(fact_ids))
    rows = [row for statement in statements for row in sound(connection, "note", _COLUMNS, statement, named=_REV)]
    return _built(connection, sorted(rows, key=attrgetter("rev")))


def namespaces(connection: Connection, scope: Scope) -> tuple[tuple[str, ...], ...]:
    """Every namespace that holds a note, sorted by labels."""
    rows = sound(connection, "namespace", (_n.namespace,), _NAMESPACES, {"of": scope.key})
    return tuple(sorted(labels for row in rows if (labels := decode(row.namespace)) is not None))


def save_vectors(connection: Connection, scope: Scope, embedded: Sequence[Note], embedder: str) -> None:
    """Store the vectors of notes with unchanged text; those of another embedder than the store's are left out."""
    if not embedded or advance(connection, scope, 0) is None or not _is_ours(connection, embedder):
        return
    # Only while the text is unchanged. Compare here: sealing the same text twice gives different values.
    same = (n for n in embedded if connection.scalar(_SAYS, _name(scope, n)) == n.text)
    if rows := [{**_name(scope, note), "vector_": note.vector} for note in same]:
        connection.execute(_EMBED, rows)


def after(connection: Connection, scope: Scope, rev: int, limit: int) -> tuple[tuple[Note, ...], int | None]:
    """The next notes in order of writing, and the rev to go on after; None at the end."""
    rows = sound_up_to(
        connection,
        "note",
        _COLUMNS,
        lambda limit: (_AFTER, {"of": scope.key, "after": rev, "limit": limit}),
        limit,
        named=_REV,
    )
    return _built(connection, rows), rows[-1].rev if len(rows) == limit else None


def stored_names(connection: Connection, scope: Scope, wanted: Iterable[Note]) -> set[str]:
    """Return the names (see `name_of`) of those notes that exist."""
    found: set[str] = set()
    for some in batches(note.key for note in wanted):
        rows = connection.execute(select(_n.namespace, _n.key).where(_n.scope == scope.key, _n.key.in_(some)))
        found.update(f"{namespace} {key}" for namespace, key in rows)
    return found


def name_of(note: Note) -> str:
    """Namespace and key in one text."""
    return f"{encode(note.namespace)} {note.key}"


def add(connection: Connection, scope: Scope, new: Iterable[tuple[Note, int]]) -> None:
    """Insert notes that are not there, as they are but without vectors, each with its rev."""
    rows = [_row(scope, note, rev, vector=False) for note, rev in new]
    if rows:
        connection.execute(_INSERT, rows)


def _built(connection: Connection, rows: Iterable[Sequence[Any]]) -> tuple[Note, ...]:
    found: list[Note] = []
    for namespace, key, value, text, created_at, updated_at, fact_id, rev, *vector in rows:
        labels = decode(namespace)
        if labels is None:
            leave_out(connection, "note", rev)
        else:
            found.append(
                Note(
                    namespace=labels,
                    key=key,
                    value=value,
                    text=text,
                    created_at=created_at,
                    updated_at=updated_at,
                    vector=vector[0] if vector else None,
                    fact_id=fact_id,
                )
            )
    return tuple(found)


class Noting:
    """Verbs of notes, and of ended conversations, which may write notes too."""

    _database: Database

    def taken(self, scope: Scope, session_id: str, message_ids: Sequence[str]) -> frozenset[str]:
        """Return those of these messages that the session has taken once and still holds."""
        with self._database.reading(scope) as connection:
            return conversations.find_taken(connection, self._database.secret, scope, session_id, message_ids)

    def end_session(
        self, scope: Scope, session_id: str, notes: Sequence[NoteWrite] = (), at: datetime | None = None
    ) -> None:
        """Mark the session's pages as of an ended conversation; they stay remembered, so caches need not follow."""
        with self._database.writing(scope) as connection:
            ended = conversations.end(connection, scope, session_id)
            erased = at is not None and bool(notes) and write(connection, scope, notes, at, None)
            if ended or notes:
                record(self._database, connection, scope, "end_session", at, pages=ended, notes=len(notes))
        if erased:
            self._database.scrub()

    def write_notes(
        self, scope: Scope, changes: Sequence[NoteWrite], at: datetime, *, embedder: str | None = None
    ) -> None:
        """Put and delete notes; the last change of a name wins."""
        with self._database.writing(scope) as connection:
            erased = write(connection, scope, changes, at, embedder)
            puts = sum(change.value is not None for change in changes)
            if puts or erased:
                record(self._database, connection, scope, "write_notes", at, puts=puts, deletes=len(changes) - puts)
        if erased:
            self._database.scrub()

    def notes(
        self, scope: Scope, prefix: Sequence[str] = (), *, key: str | None = None, vectors: bool = False
    ) -> tuple[Note, ...]:
        """Notes under a prefix of whole labels, last updated first; with a `key`, the one in just that namespace."""
        with self._database.reading(scope) as connection:
            return read_notes(connection, scope, prefix, key, vectors=vectors)

    def notes_of(self, scope: Scope, fact_ids: Sequence[str]) -> tuple[Note, ...]:
        """Notes that belong to one of these facts, as written."""
        with self._database.reading(scope) as connection:
            return read_of(connection, scope, fact_ids)

    def note_namespaces(self, scope: Scope) -> tuple[tuple[str, ...], ...]:
        """Every namespace that holds a note, sorted."""
        with self._database.reading(scope) as connection:
            return namespaces(connection, scope)

    def save_note_vectors(self, scope: Scope, embedded: Sequence[Note], *, embedder: str) -> None:
        """Write the vectors of notes whose text is still this one."""
        with self._database.writing(scope) as connection:
            save_vectors(connection, scope, embedded, embedder)
