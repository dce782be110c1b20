"""Reads the values of a record from an untrusted source: an error names each invalid field."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime, timezone
from typing import TypeVar, cast

from memoryos_core.errors import InvalidInputError
from memoryos_core.stores.sql.columns import check_message, message_from_record
from memoryos_core.values.dialogue import Message

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
