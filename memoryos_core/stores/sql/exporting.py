"""Everything a scope holds, as a stream of plain records that `restoring` takes back in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlalchemy import Connection, select

from memoryos_core.models import Page, Scope
from memoryos_core.moves import PageQuery, Record
from memoryos_core.stores.sql import facts, notes, pages, persona
from memoryos_core.stores.sql.database import Database
from memoryos_core.stores.sql.pages import batches
from memoryos_core.stores.sql.records import fact_record, note_record, page_record, persona_record, segment_record
from memoryos_core.stores.sql.schema import chains, segments, taken
from memoryos_core.stores.sql.schema import facts as fact_rows

RECORDS_A_CHUNK = 500

_s, _c, _f, _t = segments.c, chains.c, fact_rows.c, taken.c
_SEGMENT_COLUMNS = (
    *(_s.id, _s.seq, _s.summary, _s.keywords),
    *(_s.n_visit, _s.l_interaction, _s.last_access, _s.archived),
)


class Export:
    """Reads chunk by chunk, a short transaction each: nobody waits, and memory does not grow with the scope.

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
                found = pages.read(connection, PageQuery(self._scope, after_seq=after, limit=RECORDS_A_CHUNK))
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
        yield from self._taken()

    def _around(self, connection: Connection, found: Sequence[Page]) -> list[Record]:
        records: list[Record] = []
        for some in batches(self._new("segment", (page.segment_id for page in found))):
            wanted = select(*_SEGMENT_COLUMNS).where(_s.scope == self._scope.key, _s.id.in_(some))
            rows = {row["id"]: row for row in connection.execute(wanted).mappings()}
            records.extend(("segment", segment_record(rows[i])) for i in some)  # as pages name them, not as rows lie
        for some in batches(self._new("chain", (page.chain_id for page in found))):
            wanted = select(_c.id, _c.summary).where(_c.scope == self._scope.key, _c.id.in_(some))
            summaries = {row.id: row.summary for row in connection.execute(wanted)}
            records.extend(("chain", {"id": i, "summary": summaries[i]}) for i in some)
        return records

    def _new(self, kind: str, ids: Iterator[str | None]) -> list[str]:
        """Those not sent before, which from now on are."""
        fresh = [i for i in dict.fromkeys(ids) if i is not None and f"{kind} {i}" not in self._sent]
        self._sent.update(f"{kind} {i}" for i in fresh)
        return fresh

    def _facts(self) -> Iterator[Record]:
        after = 0
        wanted = select(*facts.COLUMNS, _f.seq).where(_f.scope == self._scope.key).order_by(_f.seq)
        while True:
            with self._database.reading(self._scope) as connection:
                rows = connection.execute(wanted.where(_f.seq > after).limit(RECORDS_A_CHUNK)).all()
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
        # One that is rewritten meanwhile may come a second time; who restores passes that over.
        after = 0
        while True:
            with self._database.reading(self._scope) as connection:
                found, after = notes.after(connection, self._scope, after, RECORDS_A_CHUNK)
            for note in found:
                yield "note", note_record(note)
            if len(found) < RECORDS_A_CHUNK:
                break

    def _taken(self) -> Iterator[Record]:
        # Digests alone. Without them a host that hands in its whole conversation would double it after a restore.
        after = ""
        wanted = select(_t.digest).where(_t.scope == self._scope.key).order_by(_t.digest).limit(RECORDS_A_CHUNK)
        while True:
            with self._database.reading(self._scope) as connection:
                found = connection.scalars(wanted.where(_t.digest > after)).all()
            for digest in found:
                yield "taken", {"digest": digest}
            if len(found) < RECORDS_A_CHUNK:
                break
            after = found[-1]
