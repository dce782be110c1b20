"""Rows as plain JSON-able records, and back: the format of `export`. Times are ISO 8601 in UTC."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime, timezone
from typing import Any, Literal, TypeVar, cast, get_args

from sqlalchemy import Row

from memoryos_core.errors import InvalidInputError
from memoryos_core.stores.sql.columns import check_message, message_from_record, message_to_record
from memoryos_core.stores.sql.writing.facts import Entry
from memoryos_core.values.dialogue import Message, Page, Tier
from memoryos_core.values.facts import About, Fact, FactKind, FactOrigin, FactStatus, Level, Trust
from memoryos_core.values.notes import Note

_TIERS: tuple[Tier, ...] = ("short_term", "mid_term", "archive")
_ABOUT: tuple[About, ...] = ("user", "assistant")
_TRUSTS: tuple[Trust, ...] = ("user", "assistant", "tool", "document")
_KINDS: tuple[FactKind, ...] = get_args(FactKind)
_ORIGINS: tuple[FactOrigin, ...] = get_args(FactOrigin)
_STATUSES: tuple[FactStatus, ...] = ("current", "superseded", "retired", "evicted", "quarantined")
_LEVELS: tuple[Level, ...] = ("high", "medium", "low")
_T = TypeVar("_T")
_W = TypeVar("_W", bound=str)
# Leaves room for later increments: at the largest number of a column, a scope could never be written again.
_MOST = 2**53
_NO_ID = re.compile("[\x00\ud800-\udfff]")


class Fields:
    """One record of `export`. Every reader raises InvalidInputError; the message names the field, not its value."""

    def __init__(self, kind: str, record: Mapping[str, object]) -> None:
        self._kind = kind
        self._record = record

    def text(self, name: str, default: str | None = None) -> str:
        """A text; required when there is no default."""
        return self._get_typed(name, str, default)

    def optional(self, name: str) -> str | None:
        """A text or None."""
        return None if self._record.get(name) is None else self.text(name)

    def identifier(self, name: str) -> str:
        """An id: a text that any request can carry."""
        found = self.text(name)
        if not found or _NO_ID.search(found):
            raise self._wrong(name, "a text without NUL and lone surrogates")
        return found

    def number(self, name: str, default: int | None = None) -> int:
        """A whole number, not negative, with room above it."""
        found = self._get_typed(name, int, default)
        if not 0 <= found <= _MOST:
            raise self._wrong(name, f"a whole number from 0 to {_MOST}")
        return found

    def flag(self, name: str) -> bool:
        """A truth value; False when absent."""
        return self._get_typed(name, bool, default=False)

    def choice(self, name: str, allowed: tuple[_W, ...], default: _W | None = None) -> _W:
        """One of some words."""
        value = self.text(name, default)
        found = next((word for word in allowed if word == value), None)
        if found is None:
            raise self._wrong(name, "one of " + ", ".join(map(repr, allowed)))
        return found

    def moment(self, name: str) -> datetime:
        """An aware datetime."""
        found = self.optional_moment(name)
        if found is None:
            raise self._wrong(name, "an ISO 8601 time")
        return found

    def optional_moment(self, name: str) -> datetime | None:
        """An aware datetime or None; a naive one is UTC."""
        written = self.optional(name)
        try:
            return None if written is None else _aware(datetime.fromisoformat(written))
        except (ValueError, OverflowError):
            raise self._wrong(name, "an ISO 8601 time") from None

    def moment_since(self, name: str, since: datetime) -> datetime | None:
        """Return an aware datetime that is not before `since`, or None."""
        found = self.optional_moment(name)
        if found is not None and found < since:
            raise self._wrong(name, "a time that is not before its beginning")
        return found

    def texts(self, name: str) -> tuple[str, ...]:
        """Texts; none when absent."""
        return tuple(item if isinstance(item, str) else self._refuse(name) for item in self._items(name))

    def messages(self) -> tuple[Message, ...]:
        """The messages of a page."""
        try:
            return tuple(
                _sound(message_from_record(cast("Mapping[str, object]", item))) for item in self._items("messages")
            )
        except (AttributeError, KeyError, OverflowError, TypeError, ValueError):
            raise self._wrong("messages", "a list of messages with role and text") from None

    def _items(self, name: str) -> Iterable[object]:
        value = self._record.get(name, ())
        if not isinstance(value, (list, tuple)):
            raise self._wrong(name, "a list")
        return cast("Iterable[object]", value)

    def _get_typed(self, name: str, kind: type[_T], default: _T | None) -> _T:
        value = self._record.get(name, default)
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise self._wrong(name, f"of type {kind.__name__}")
        return value

    def _refuse(self, name: str) -> str:
        raise self._wrong(name, "a list of texts")

    def _wrong(self, name: str, allowed: str) -> InvalidInputError:
        return InvalidInputError(f"a {self._kind!r} record has an invalid {name!r}: it must be {allowed}")


def _aware(moment: datetime) -> datetime:
    """Return an aware time; a naive one is UTC. Raises OverflowError outside the years of UTC."""
    aware = moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)
    aware.astimezone(timezone.utc)
    return aware


def _sound(message: Message) -> Message:
    """Return a message with valid values. Raises TypeError, ValueError or OverflowError."""
    check_message(message)
    return message if message.timestamp is None else replace(message, timestamp=_aware(message.timestamp))


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
        "written_at": _iso(page.written_at),
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
        written_at=fields.optional_moment("written_at"),
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
