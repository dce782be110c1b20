"""The verbs of the store about notes and sessions."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from memoryos_core.stores.sql.audit import record
from memoryos_core.stores.sql.database import Database
from memoryos_core.stores.sql.writing import conversations
from memoryos_core.stores.sql.writing import notes as note_rows
from memoryos_core.values.dialogue import Scope
from memoryos_core.values.notes import Note, NoteWrite


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
            erased = at is not None and bool(notes) and note_rows.write(connection, scope, notes, at, None)
            if ended or notes:
                record(self._database, connection, scope, "end_session", at, pages=ended, notes=len(notes))
        if erased:
            self._database.scrub()

    def write_notes(
        self, scope: Scope, changes: Sequence[NoteWrite], at: datetime, *, embedder: str | None = None
    ) -> None:
        """Put and delete notes; the last change of a name wins."""
        with self._database.writing(scope) as connection:
            erased = note_rows.write(connection, scope, changes, at, embedder)
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
            return note_rows.read_notes(connection, scope, prefix, key, vectors=vectors)

    def notes_of(self, scope: Scope, fact_ids: Sequence[str]) -> tuple[Note, ...]:
        """Notes that belong to one of these facts, as written."""
        with self._database.reading(scope) as connection:
            return note_rows.read_of(connection, scope, fact_ids)

    def note_namespaces(self, scope: Scope) -> tuple[tuple[str, ...], ...]:
        """Every namespace that holds a note, sorted."""
        with self._database.reading(scope) as connection:
            return note_rows.namespaces(connection, scope)

    def save_note_vectors(self, scope: Scope, embedded: Sequence[Note], *, embedder: str) -> None:
        """Write the vectors of notes whose text is still this one."""
        with self._database.writing(scope) as connection:
            note_rows.save_vectors(connection, scope, embedded, embedder)
