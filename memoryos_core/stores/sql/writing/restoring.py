"""Restores exported records in chunks; existing items are left unchanged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Literal

import numpy as np
from sqlalchemy import Connection, bindparam, insert, update

from memoryos_core.errors import InvalidInputError
from memoryos_core.stores.sql.fields import Fields
from memoryos_core.stores.sql.scopes import claim
from memoryos_core.stores.sql.tables import chains, scopes, segments
from memoryos_core.stores.sql.tables import facts as fact_rows
from memoryos_core.stores.sql.tables import persona as persona_rows
from memoryos_core.stores.sql.writing import conversations, facts, notes, persona
from memoryos_core.stores.sql.writing.pages import insert_pages, stored_ids
from memoryos_core.stores.sql.writing.persona import Entry
from memoryos_core.stores.sql.writing.records import entry_from, fact_from, note_from, page_from, segment_from
from memoryos_core.values.commands import Record
from memoryos_core.values.dialogue import Page, Scope
from memoryos_core.values.facts import Fact
from memoryos_core.values.notes import Note
from memoryos_core.values.reports import RestoreReport

RECORDS_A_CHUNK = 500

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
                entry = replace(entry, valid_until=holder.since)
            elif entry.valid_until is None:
                current[entry.kind, entry.name] = entry
            persona.add(self._connection, self._scope, replace(entry, page_ids=left), next(self._revs))

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
