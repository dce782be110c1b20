"""Rows as plain JSON-able records, and back: the format of `export`. Times are ISO 8601 in UTC."""

from __future__ import annotations

import hashlib
import json
from datetime import datetime
from typing import Any, Literal, get_args

from sqlalchemy import Row

from memoryos_core.stores.sql.columns import Fields, message_to_record
from memoryos_core.stores.sql.writing.facts import Entry
from memoryos_core.values.dialogue import Page, Tier
from memoryos_core.values.facts import About, Fact, FactKind, FactOrigin, FactStatus, Level, Trust
from memoryos_core.values.notes import Note

_TIERS: tuple[Tier, ...] = ("short_term", "mid_term", "archive")
_ABOUT: tuple[About, ...] = ("user", "assistant")
_TRUSTS: tuple[Trust, ...] = ("user", "assistant", "tool", "document")
_KINDS: tuple[FactKind, ...] = get_args(FactKind)
_ORIGINS: tuple[FactOrigin, ...] = get_args(FactOrigin)
_STATUSES: tuple[FactStatus, ...] = ("current", "superseded", "retired", "evicted", "quarantined")
_LEVELS: tuple[Level, ...] = ("high", "medium", "low")


def _iso(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()


def page_record(page: Page) -> dict[str, object]:
    """A page, with its messages in full."""
    return {
        "id": page.id,
        "session_id": page.session_id,
        "seq": page.seq,
        "messages": [message_to_record(m) for m in page.messages],
        "timestamp": _iso(page.timestamp),
        "tier": page.tier,
        "tokens": page.tokens,
        "open": page.open,
        "segment_id": page.segment_id,
        "chain_id": page.chain_id,
        "analysed": page.analysed,
        "reread": page.reread,
        "ended": page.ended,
        "trust": page.trust,
        "labels": list(page.labels),
    }


def segment_record(row: Row[Any]) -> dict[str, object]:
    """A segment without its centroid, which follows from its pages."""
    return {
        "id": row.id,
        "seq": row.seq,
        "summary": row.summary,
        "keywords": list(row.keywords),
        "n_visit": row.n_visit,
        "l_interaction": row.l_interaction,
        "last_access": _iso(row.last_access),
        "archived": row.archived,
    }


def fact_record(fact: Fact) -> dict[str, object]:
    """A fact, current or not."""
    return {
        "id": fact.id,
        "about": fact.about,
        "text": fact.text,
        "learned_at": _iso(fact.learned_at),
        "valid_from": _iso(fact.valid_from),
        "valid_until": _iso(fact.valid_until),
        "event_time": _iso(fact.event_time),
        "page_ids": list(fact.page_ids),
        "trust": fact.trust,
        "status": fact.status,
        "superseded_by": fact.superseded_by,
        "visits": fact.visits,
        "labels": list(fact.labels),
        "statement": fact.kind,
        "origin": fact.origin,
    }


def persona_record(entry: Entry) -> dict[str, object]:
    """A trait or a profile field, in its own words."""
    record: dict[str, object] = {
        "id": entry.id,
        "since": _iso(entry.since),
        "valid_until": _iso(entry.valid_until),
        "page_ids": list(entry.page_ids),
    }
    if entry.kind == "trait":
        return {**record, "dimension": entry.name, "level": entry.value, "reason": entry.reason}
    return {**record, "name": entry.name, "value": entry.value}


def note_record(note: Note) -> dict[str, object]:
    """A note; its value is the application's and stays as it is."""
    return {
        "namespace": list(note.namespace),
        "key": note.key,
        "value": note.value,
        "text": note.text,
        "created_at": _iso(note.created_at),
        "updated_at": _iso(note.updated_at),
        "fact_id": note.fact_id,
    }


def page_from(fields: Fields) -> Page:
    """Build the page of a `page_record` record."""
    return Page(
        id=fields.identifier("id"),
        session_id=fields.text("session_id"),
        seq=fields.number("seq", 0),
        messages=fields.messages(),
        timestamp=fields.moment("timestamp"),
        tier=fields.choice("tier", _TIERS, "short_term"),
        tokens=fields.number("tokens", 0),
        open=fields.flag("open"),
        segment_id=fields.optional("segment_id"),
        chain_id=fields.optional("chain_id"),
        analysed=fields.flag("analysed"),
        reread=fields.flag("reread"),
        ended=fields.flag("ended"),
        trust=fields.choice("trust", _TRUSTS, "assistant"),
        labels=fields.texts("labels"),
    )


def segment_from(fields: Fields) -> dict[str, object]:
    """The columns that `segment_record` was given."""
    return {
        "id": fields.identifier("id"),
        "seq": fields.number("seq", 0),
        "summary": fields.text("summary", ""),
        "keywords": fields.texts("keywords"),
        "n_visit": fields.number("n_visit", 0),
        "l_interaction": fields.number("l_interaction", 0),
        "last_access": fields.optional_moment("last_access"),
        "archived": fields.flag("archived"),
    }


def fact_from(fields: Fields) -> Fact:
    """Build the fact of a `fact_record` record."""
    valid_from = fields.moment("valid_from")
    return Fact(
        id=fields.identifier("id"),
        about=fields.choice("about", _ABOUT),
        text=fields.text("text"),
        learned_at=fields.moment("learned_at"),
        valid_from=valid_from,
        valid_until=fields.moment_since("valid_until", valid_from),
        event_time=fields.optional_moment("event_time"),
        page_ids=fields.texts("page_ids"),
        trust=fields.choice("trust", _TRUSTS, "user"),
        status=fields.choice("status", _STATUSES, "current"),
        superseded_by=fields.optional("superseded_by"),
        visits=fields.number("visits", 0),
        labels=fields.texts("labels"),
        kind=fields.choice("statement", _KINDS, "state"),
        origin=fields.choice("origin", _ORIGINS, "told"),
    )


def note_from(fields: Fields) -> Note:
    """Build the note of a `note_record` record."""
    return Note(
        namespace=fields.texts("namespace"),
        key=fields.text("key"),
        value=fields.text("value"),
        text=fields.text("text", ""),
        created_at=fields.moment("created_at"),
        updated_at=fields.moment("updated_at"),
        fact_id=fields.optional("fact_id"),
    )


def entry_from(kind: Literal["trait", "profile"], fields: Fields) -> Entry:
    """Build the entry of a `persona_record` record; without an id it gets the same one every time."""
    trait = kind == "trait"
    name = fields.text("dimension" if trait else "name")
    value = fields.choice("level", _LEVELS) if trait else fields.text("value")
    since = fields.moment("since")
    derived = hashlib.sha256(json.dumps([kind, name, value, since.isoformat()]).encode()).hexdigest()[:32]
    return Entry(
        id=fields.text("id", derived),
        kind=kind,
        name=name,
        value=value,
        reason=fields.text("reason", "") if trait else None,
        since=since,
        valid_until=fields.moment_since("valid_until", since),
        page_ids=fields.texts("page_ids"),
    )
