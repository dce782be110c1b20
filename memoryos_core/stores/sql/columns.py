"""Column types: a value has the same bytes in SQLite and PostgreSQL, and reads back unchanged.

Reads the values of a record from an untrusted source: an error names each invalid field.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from contextvars import ContextVar, copy_context
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from typing import Any, Protocol, TypeVar, cast, get_args

import numpy as np
from sqlalchemy import BigInteger, LargeBinary, Text
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeDecorator

from memoryos_core.errors import InvalidInputError, StoreCorruptError
from memoryos_core.stores.sql.sealing import SEALER, Sealer
from memoryos_core.values.dialogue import Message, Role, Vector
from memoryos_core.values.facts import TRUSTS

_T = TypeVar("_T")
_Read = TypeVar("_Read", covariant=True)
_R = TypeVar("_R")
DIGEST_KEY = "memoryos_digest_key"
"""Attribute of the dialect that holds the store's secret, for a migration that keys digests."""

_ROLES: tuple[str, ...] = get_args(Role)
_TRUSTS: tuple[str | None, ...] = (None, *TRUSTS)
_NAMED_TYPES: tuple[type | tuple[type, ...], ...] = (str, *((str, type(None)),) * 5)
"""Of the text of a message, and of what else it may have as a text."""
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_MICROSECOND = timedelta(microseconds=1)

# A lone surrogate is not UTF-8 and PostgreSQL refuses NUL, yet both occur in real conversations. Each is written as
# the mark and four hexadecimal digits, and so is the mark itself, so every text reads back unchanged.
_MARK = "\x1a"
_UNSTORABLE = re.compile("[\x00\x1a\ud800-\udfff]")
_encode = json.JSONEncoder(ensure_ascii=False).encode
_decode = json.JSONDecoder().decode
_EMPTY = "[]"
_ESCAPED = re.compile("\x1a([0-9a-f]{4})")


def escape(text: str) -> str:
    """Escape a text so that every database accepts it."""
    return _UNSTORABLE.sub(lambda found: f"{_MARK}{ord(found.group()):04x}", text)


def unescape(text: str) -> str:
    """Undo `escape`."""
    if _MARK not in text:
        return text
    return _ESCAPED.sub(lambda found: chr(int(found.group(1), 16)), text)


def to_microseconds(moment: datetime) -> int:
    """Microseconds since 1970 UTC. Raises InvalidInputError for a naive moment."""
    if moment.tzinfo is None or moment.utcoffset() is None:
        raise InvalidInputError(f"{moment!r} has no time zone; pass an aware datetime")
    return (moment - _EPOCH) // _MICROSECOND


def moment_of(microseconds: int) -> datetime:
    """Undo `to_microseconds`. Raises OverflowError outside the years 1 to 9999."""
    return _EPOCH + timedelta(microseconds=microseconds)


def message_to_record(message: Message) -> dict[str, object]:
    """Convert a message to JSON-able values; absent fields are left out."""
    record: dict[str, object] = {"role": message.role, "text": message.text}
    if message.name is not None:
        record["name"] = message.name
    if message.timestamp is not None:
        record["timestamp"] = message.timestamp.isoformat()
    if message.id is not None:
        record["id"] = message.id
    if message.calls:
        record["calls"] = list(message.calls)
    rest = (("answers", message.answers), ("trust", message.trust), ("by", message.by), ("payload", message.payload))
    record.update((name, value) for name, value in rest if value is not None)
    return record


def message_from_record(record: Mapping[str, object]) -> Message:
    """Build the message of a `message_to_record` record. Raises KeyError, TypeError or ValueError for another shape."""
    values = dict(record)
    if isinstance(calls := values.get("calls"), (list, tuple)):
        values["calls"] = tuple(cast("list[str]", calls))
    if isinstance(timestamp := values.get("timestamp"), str):
        values["timestamp"] = datetime.fromisoformat(timestamp)
    return Message(**values)  # type: ignore[arg-type]  # read back from our own record


def check_message(message: Message) -> Message:
    """Return the message when every value is valid. Raises TypeError or ValueError."""
    named = (message.text, message.name, message.id, message.answers, message.payload, message.by)
    if not all(map(isinstance, named, _NAMED_TYPES)) or (message.calls and not _are_texts(message.calls)):
        raise TypeError("a field of a message is not a text")
    if message.role not in _ROLES or message.trust not in _TRUSTS:
        raise ValueError("a message has an unknown role or trust")
    return message


def _are_texts(values: Iterable[object]) -> bool:
    return all([isinstance(value, str) for value in values])  # noqa: C419 - a generator takes twice as long


def damaged_vector() -> Vector:
    """Return `Damaged` for an unreadable vector inside `read_leniently`, else raise StoreCorruptError."""
    return cast("Vector", _report_damage("the database holds an invalid vector"))


def vector_of(written: bytes) -> Vector:
    """Read the vector of a column, read-only. Raises StoreCorruptError for an invalid number of bytes."""
    try:
        return np.frombuffer(written, dtype="<f4").astype(np.float32, copy=False)
    except (TypeError, ValueError):
        return damaged_vector()


def read_leniently(read: Callable[[], _R]) -> _R:
    """Call `read` with unreadable values as `Damaged`; use it only where they are handled (damage.py).

    The call runs in a copy of the context: an interrupt at any moment leaves this thread strict.
    """
    return copy_context().run(_lenient_call, read)


def _lenient_call(read: Callable[[], _R]) -> _R:
    _lenient.set(True)
    return read()


class Damaged:
    """Stands for a value that cannot be read."""


_DAMAGED = Damaged()
_lenient: ContextVar[bool] = ContextVar("memoryos_lenient", default=False)


def _report_damage(what: str) -> Damaged:
    if _lenient.get():
        return _DAMAGED
    raise StoreCorruptError(f"{what}; it was left as it is: restore it from a backup")


class Reader(Protocol[_Read]):
    """Turns a value of the database into one of ours."""

    def __call__(self, value: Any) -> _Read | None: ...  # noqa: ANN401, D102 - the signature is SQLAlchemy's


class Sealable(TypeDecorator[_T]):
    """A text column. With a `place` (its name), values are sealed if the database has a sealer (sealing.py)."""

    impl = Text
    cache_ok = True

    def __init__(self, place: str | None = None) -> None:
        super().__init__()
        self.place = place

    def process_bind_param(self, value: _T | None, dialect: Dialect) -> str | None:
        """To the database."""
        if value is None:
            return None
        written = escape(self.written(value))
        sealer: Sealer | None = getattr(dialect, SEALER, None) if self.place else None
        return written if sealer is None else sealer.seal(str(self.place), written)

    def result_processor(self, dialect: Dialect, coltype: object) -> Reader[_T]:
        """Return the function that reads a value from the database: one call for each value of a row."""
        place, read = self.place, self.read

        def process(value: Any) -> _T | None:  # noqa: ANN401 - of a database
            if value is None:
                return None
            sealer: Sealer | None = getattr(dialect, SEALER, None) if place else None
            try:
                text = value if sealer is None else sealer.open(str(place), value)
                return read(unescape(text) if _MARK in text else text)
            except (AttributeError, KeyError, OverflowError, RecursionError, TypeError, ValueError):
                return cast("_T", _report_damage("the database holds a value that cannot be decoded"))
            except StoreCorruptError as error:
                return cast("_T", _report_damage(str(error)))

        return process

    def written(self, value: _T) -> str:
        """A value as text."""
        raise TypeError("Sealable is abstract: use Verbatim, Words or Messages")

    def read(self, text: str) -> _T:
        """Undo `written`."""
        raise TypeError("Sealable is abstract: use Verbatim, Words or Messages")


class Verbatim(Sealable[str]):
    """Any Python text, NUL and lone surrogates included."""

    cache_ok = True

    def written(self, value: str) -> str:
        """As it is."""
        return value

    def read(self, text: str) -> str:
        """As it is."""
        return text


class Words(Sealable[tuple[str, ...]]):
    """A tuple of texts, as JSON."""

    cache_ok = True

    def written(self, value: tuple[str, ...]) -> str:
        """A list."""
        return _encode(list(value))

    def read(self, text: str) -> tuple[str, ...]:
        """A tuple."""
        if text == _EMPTY:  # most are
            return ()
        found = _decode(text)
        if not isinstance(found, list) or not _are_texts(cast("list[object]", found)):
            raise ValueError("not a list of texts")
        return tuple(cast("list[str]", found))


class Messages(Sealable[tuple[Message, ...]]):
    """The messages of a page, as JSON."""

    cache_ok = True

    def written(self, value: tuple[Message, ...]) -> str:
        """A list of records."""
        return _encode([message_to_record(m) for m in value])

    def read(self, text: str) -> tuple[Message, ...]:
        """Messages."""
        return tuple([check_message(message_from_record(record)) for record in _decode(text)])


class Instant(TypeDecorator[datetime]):
    """An aware moment, as microseconds since 1970 UTC: sortable, exact, the same everywhere."""

    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> int | None:
        """To the database."""
        return None if value is None else to_microseconds(value)

    def process_result_value(self, value: int | None, dialect: Dialect) -> datetime | None:
        """From the database."""
        try:
            return None if value is None else moment_of(value)
        except (OverflowError, TypeError):
            return cast("datetime", _report_damage("the database holds an invalid timestamp"))


class Floats(TypeDecorator[Vector]):
    """A float32 vector, little-endian; read back read-only."""

    impl = LargeBinary
    cache_ok = True

    def process_bind_param(self, value: Vector | None, dialect: Dialect) -> bytes | None:
        """To the database."""
        return None if value is None else np.asarray(value, dtype="<f4").tobytes()

    def process_result_value(self, value: bytes | None, dialect: Dialect) -> Vector | None:
        """From the database."""
        return None if value is None else vector_of(value)


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
