"""Everything a scope holds, as a stream of plain records that restoring.py reads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from sqlalchemy import Connection, Select, select

from memoryos_core.stores.sql.damage import sound, sound_up_to
from memoryos_core.stores.sql.database import Database
from memoryos_core.stores.sql.tables import facts as fact_rows
from memoryos_core.stores.sql.tables import segments, taken
from memoryos_core.stores.sql.writing import facts, notes, pages, persona
from memoryos_core.stores.sql.writing.pages import batches
from memoryos_core.stores.sql.writing.records import (
    fact_record,
    note_record,
    page_record,
    persona_record,
    segment_record,
)
from memoryos_core.stores.sql.writing.segments import read_chains
from memoryos_core.values.commands import PageQuery, Record
from memoryos_core.values.dialogue import Page, Scope

RECORDS_A_CHUNK = 500

_s, _f, _t = segments.c, fact_rows.c, taken.c
_SEGMENT_COLUMNS = (
    *(_s.id, _s.seq, _s.summary, _s.keywords),
    *(_s.n_visit, _s.l_interaction, _s.last_access, _s.archived),
)

_TAKEN = (_t.digest, _t.message, _t.page_id)


class Export:
    """Reads in chunks, one short transaction each: other writers do not wait, and memory use is bounded.

    A page is preceded by the segment and the chain it is in, so that the stream can be restored as it comes.
    """

    def __init__(self, database: Database, scope: Scope) -> None:
        self._database = database
        self._scope = scope
        self._sent: set[str] = set()

    def records(self) -> Iterator[Record]:
        """Pages with their segments and chains, then facts, traits and profile fields, notes, messages taken once."""
        after = 0
        while True:
            with self._database.reading(self._scope) as connection:
                found = pages.read_pages(connection, PageQuery(self._scope, after_seq=after, limit=RECORDS_A_CHUNK))
                around = self._around(connection, found)
            yield from around
            for page in found:
                yield "page", page_record(page)
            if len(found) < RECORDS_A_CHUNK:
                break
            after = found[-1].seq
        yield from self._facts()
        yield from self._persona()
        yield from self._notes()
        yield from self._taken_messages()

    def _around(self, connection: Connection, found: Sequence[Page]) -> list[Record]:
        records: list[Record] = []
        for some in batches(self._new("segment", (page.segment_id for page in found))):
            wanted = select(*_SEGMENT_COLUMNS).where(_s.scope == self._scope.key, _s.id.in_(some))
            rows = {row.id: row for row in sound(connection, "segment", _SEGMENT_COLUMNS, wanted)}
            # In the order of the pages. A damaged one exports its id, which its pages need for a restore.
            records.extend(("segment", segment_record(rows[i]) if i in rows else {"id": i}) for i in some)
        for some in batches(self._new("chain", (page.chain_id for page in found))):
            summaries = {chain.id: chain.summary for chain in read_chains(connection, self._scope, some)}
            records.extend(("chain", {"id": i, "summary": summaries.get(i, "")}) for i in some)
        return records

    def _new(self, kind: str, ids: Iterator[str | None]) -> list[str]:
        """Return the ids not sent before, and mark them as sent."""
        fresh = [i for i in dict.fromkeys(ids) if i is not None and f"{kind} {i}" not in self._sent]
        self._sent.update(f"{kind} {i}" for i in fresh)
        return fresh

    def _facts(self) -> Iterator[Record]:
        after = 0
        wanted = select(*facts.COLUMNS).where(_f.scope == self._scope.key).order_by(_f.seq)
        while True:
            with self._database.reading(self._scope) as connection:
                some = wanted.where(_f.seq > after)
                rows = sound_up_to(connection, "fact", facts.COLUMNS, partial(_first, some), RECORDS_A_CHUNK)
                found = list(facts.built(connection, self._scope, rows))
            for fact in found:
                yield "fact", fact_record(fact)
            if len(rows) < RECORDS_A_CHUNK:
                break
            after = rows[-1].seq

    def _persona(self) -> Iterator[Record]:
        with self._database.reading(self._scope) as connection:
            entries = persona.entries(connection, self._scope)
        for entry in entries:
            yield entry.kind, persona_record(entry)

    def _notes(self) -> Iterator[Record]:
        # An item rewritten meanwhile may come twice; a restore skips the second one.
        after = 0
        while True:
            with self._database.reading(self._scope) as connection:
                found, last = notes.after(connection, self._scope, after, RECORDS_A_CHUNK)
            for note in found:
                yield "note", note_record(note)
            if last is None:
                break
            after = last

    def _taken_messages(self) -> Iterator[Record]:
        # Without these, a host that adds its whole conversation again after a restore would duplicate it. The digest is
        # unkeyed, since another store has another secret; the export holds the text anyway.
        after = ""
        wanted = select(*_TAKEN).where(_t.scope == self._scope.key).order_by(_t.digest)
        while True:
            with self._database.reading(self._scope) as connection:
                some = wanted.where(_t.digest > after)
                found = sound_up_to(connection, "taken", _TAKEN, partial(_first, some), RECORDS_A_CHUNK)  # pyright: ignore[reportArgumentType]
            for row in found:
                yield "taken", {"digest": row.message, "page_id": row.page_id}
            if len(found) < RECORDS_A_CHUNK:
                break
            after = found[-1].digest


def _first(wanted: Select[Any], limit: int) -> tuple[Select[Any], None]:
    return wanted.limit(limit), None
