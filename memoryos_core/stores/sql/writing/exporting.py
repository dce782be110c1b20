"""Everything a scope holds, as a stream of plain records that restoring.py reads.

Restores exported records in chunks; existing items are left unchanged.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Any, Literal

import numpy as np
from sqlalchemy import Connection, Select, bindparam, insert, select, update

from memoryos_core.errors import InvalidInputError
from memoryos_core.stores.sql.damage import sound, sound_up_to
from memoryos_core.stores.sql.database import Database
from memoryos_core.stores.sql.scopes import claim
from memoryos_core.stores.sql.tables import chains, scopes, segments, taken
from memoryos_core.stores.sql.tables import facts as fact_rows
from memoryos_core.stores.sql.tables import persona as persona_rows
from memoryos_core.stores.sql.writing import facts, notes, pages
from memoryos_core.stores.sql.writing import facts as persona
from memoryos_core.stores.sql.writing import pages as conversations
from memoryos_core.stores.sql.writing.facts import Entry
from memoryos_core.stores.sql.writing.pages import batches, insert_pages, stored_ids
from memoryos_core.stores.sql.writing.records import (
    Fields,
    entry_from,
    fact_from,
    fact_record,
    note_from,
    note_record,
    page_from,
    page_record,
    persona_record,
    segment_from,
    segment_record,
)
from memoryos_core.stores.sql.writing.segments import read_chains
from memoryos_core.values.commands import PageQuery, Record
from memoryos_core.values.dialogue import Page, Scope
from memoryos_core.values.facts import Fact
from memoryos_core.values.notes import Note
from memoryos_core.values.reports import RestoreReport

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


_LAST_SEQ = update(scopes).where(scopes.c.scope == bindparam("of")).values(last_seq=bindparam("seq"))
_NOT_BEFORE = (
    update(scopes)
    .where(scopes.c.scope == bindparam("of"), scopes.c.version < bindparam("seq"))
    .values(version=bindparam("seq"))
)
_INSERT_SEGMENT = insert(segments)
_INSERT_CHAIN = insert(chains)
_NO_CENTROID = np.zeros(0, dtype=np.float32)
"""An empty centroid: it is computed again once the pages are embedded."""


def chunks(records: Iterable[Record]) -> Iterator[list[Record]]:
    """Records in lists that fit one transaction."""
    stream = iter(records)
    while chunk := list(islice(stream, RECORDS_A_CHUNK)):
        yield chunk


def add_reports(a: RestoreReport, b: RestoreReport) -> RestoreReport:
    """The sum of two reports."""
    return RestoreReport(
        pages=a.pages + b.pages,
        segments=a.segments + b.segments,
        facts=a.facts + b.facts,
        traits=a.traits + b.traits,
        profile_fields=a.profile_fields + b.profile_fields,
        skipped=a.skipped + b.skipped,
        notes=a.notes + b.notes,
    )


class Restoring:
    """One chunk in one transaction. The report counts restored and skipped items."""

    def __init__(self, connection: Connection, scope: Scope, secret: bytes) -> None:
        self._connection = connection
        self._scope = scope
        self._secret = secret
        self._counts: Counter[str] = Counter()
        self._revs: Iterator[int] = iter(())

    def take(self, chunk: Sequence[Record]) -> RestoreReport:
        """Bring one chunk in, in its own order of kinds."""
        numbers = claim(self._connection, self._scope, len(chunk), work=True)
        self._revs = iter(range(numbers.first, numbers.last + 1))
        by_kind = _group_by_kind(chunk)
        self._segments(by_kind["segment"])
        self._chains(by_kind["chain"])
        self._pages([page_from(f) for f in by_kind["page"]], numbers.seq)
        self._facts([fact_from(f) for f in by_kind["fact"]])
        named: dict[str, Literal["trait", "profile"]] = {"trait": "trait", "profile": "profile"}
        self._persona([entry_from(named[kind], Fields(kind, f)) for kind, f in chunk if kind in named])
        self._notes([note_from(f) for f in by_kind["note"]])
        self._restore_taken([(f.text("digest"), f.optional("page_id")) for f in by_kind["taken"]])
        n = self._counts
        counted = (n["page"], n["segment"], n["fact"], n["trait"], n["profile"], n["skipped"])
        return RestoreReport(*counted, notes=n["note"])

    def _segments(self, records: Sequence[Fields]) -> None:
        there = stored_ids(self._connection, self._scope, (f.text("id") for f in records), table=segments)
        rows = [row for row in map(segment_from, records) if self._new("segment", str(row["id"]), there)]
        for row in rows:
            own = {"scope": self._scope.key, "centroid": _NO_CENTROID, "rev": next(self._revs)}
            self._connection.execute(_INSERT_SEGMENT, {**row, **own})
        if rows:
            # New segments are numbered by the version, so it must be above these numbers.
            latest = max(int(str(row["seq"])) for row in rows)
            self._connection.execute(_NOT_BEFORE, {"of": self._scope.key, "seq": latest})

    def _chains(self, records: Sequence[Fields]) -> None:
        there = stored_ids(self._connection, self._scope, (f.text("id") for f in records), table=chains)
        for fields in records:
            if self._new("chain", fields.text("id"), there):
                row = {"scope": self._scope.key, "id": fields.text("id"), "summary": fields.text("summary", "")}
                self._connection.execute(_INSERT_CHAIN, row)

    def _pages(self, records: Sequence[Page], last_seq: int) -> None:
        there = stored_ids(self._connection, self._scope, (page.id for page in records))
        rows: list[tuple[Page, int]] = []
        for page in records:
            if (page.tier == "short_term") != (page.segment_id is None):
                raise InvalidInputError("a 'page' record has a tier that contradicts its segment_id")
            if self._new("page", page.id, there):
                # Keep the old number when it is free, so that a whole export is restored unchanged.
                last_seq = max(page.seq, last_seq + 1)
                rows.append((replace(page, seq=last_seq), next(self._revs)))
        insert_pages(self._connection, self._scope, rows)
        if rows:
            self._connection.execute(_LAST_SEQ, {"of": self._scope.key, "seq": last_seq})

    def _facts(self, records: Sequence[Fact]) -> None:
        there = stored_ids(self._connection, self._scope, (fact.id for fact in records), table=fact_rows)
        pages = stored_ids(self._connection, self._scope, (i for fact in records for i in fact.page_ids))
        new: list[tuple[Fact, tuple[str, ...], int]] = []
        for fact in records:
            left = tuple(i for i in fact.page_ids if i in pages)
            if self._new("fact", fact.id, there, supported=bool(left) or not fact.page_ids):
                new.append((fact, left, next(self._revs)))
        facts.add(self._connection, self._secret, self._scope, new)

    def _persona(self, records: Sequence[Entry]) -> None:
        there = stored_ids(self._connection, self._scope, (entry.id for entry in records), table=persona_rows)
        pages = stored_ids(self._connection, self._scope, (i for entry in records for i in entry.page_ids))
        current = {(e.kind, e.name): e for e in persona.entries(self._connection, self._scope, current=True)}
        for entry in records:
            left = tuple(i for i in entry.page_ids if i in pages)
            if not self._new(entry.kind, entry.id, there, supported=bool(left) or not entry.page_ids):
                continue
            holder = current.get((entry.kind, entry.name))
            if entry.valid_until is None and holder is not None:
                # The scope's present value stays current; the restored value becomes history.
                entry = replace(entry, valid_until=max(entry.since, holder.since))
            elif entry.valid_until is None:
                current[entry.kind, entry.name] = entry
            persona.add_current(self._connection, self._scope, replace(entry, page_ids=left), next(self._revs))

    def _notes(self, records: Sequence[Note]) -> None:
        there = notes.stored_names(self._connection, self._scope, records)
        owners = stored_ids(self._connection, self._scope, {n.fact_id for n in records if n.fact_id}, table=fact_rows)
        new = [n for n in records if self._new("note", notes.name_of(n), there, supported=n.fact_id in {None, *owners})]
        notes.add(self._connection, self._scope, ((note, next(self._revs)) for note in new))

    def _restore_taken(self, records: Sequence[tuple[str, str | None]]) -> None:
        digests = {m: conversations.keyed_digest(self._secret, self._scope, m) for m, _ in records}
        there = conversations.stored_digests(self._connection, self._scope, digests.values())
        pages = stored_ids(self._connection, self._scope, (page_id for _, page_id in records if page_id))
        # Skip a digest without its page: forgetting the message could not delete it.
        holder_of = {
            message: page_id
            for message, page_id in records
            if self._new("taken", digests[message], there, supported=page_id in pages) and page_id is not None
        }
        conversations.add(self._connection, self._secret, self._scope, holder_of)

    def _new(self, kind: str, item_id: str, there: set[str], *, supported: bool = True) -> bool:
        """Return True when an item is to be inserted, and count it. A repeated item is inserted once."""
        fresh = supported and item_id not in there
        there.add(item_id)
        self._counts[kind if fresh else "skipped"] += 1
        return fresh


def _group_by_kind(chunk: Sequence[Record]) -> dict[str, list[Fields]]:
    kinds = ("segment", "chain", "page", "fact", "trait", "profile", "note", "taken")
    by_kind: dict[str, list[Fields]] = {kind: [] for kind in kinds}
    for kind, record in chunk:
        if kind not in by_kind:
            raise InvalidInputError(f"{kind!r} is not a kind of record; it must be one of {', '.join(by_kind)}")
        by_kind[kind].append(Fields(kind, record))
    return by_kind
