"""Column types: a value has the same bytes in SQLite and PostgreSQL, and reads back unchanged.

Reads the values of a record from an untrusted source: an error names each invalid field.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from contextvars import ContextVar, copy_context
from datetime import datetime, timedelta, timezone
from functools import partial
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
_decode_first = json.JSONDecoder().raw_decode
_EMPTY = "[]"
_ESCAPED = re.compile("\x1a([0-9a-f]{4})")


def _read_json(text: str) -> Any:  # noqa: ANN401 - any JSON
    """Read what `_encode` wrote, with nothing before or behind it, else as the decoder does."""
    try:
        found, end = _decode_first(text)
    except ValueError:
        return _decode(text)
    return found if end == len(text) else _decode(text)


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
    return _message_of(dict(record))


def _message_of(values: dict[str, Any]) -> Message:
    """Build a message of values that nobody else needs."""
    if isinstance(calls := values.get("calls"), (list, tuple)):
        values["calls"] = tuple(cast("list[str]", calls))
    if isinstance(timestamp := values.get("timestamp"), str):
        values["timestamp"] = datetime.fromisoformat(timestamp)
    return Message(**values)


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

    def bind_processor(self, dialect: Dialect) -> Any:  # noqa: ANN401 - a protocol of SQLAlchemy's own
        """Return the function that writes a value to the database: one call for each of the ids of a query."""
        return _write_verbatim if self._is_plain else partial(self.process_bind_param, dialect=dialect)

    def result_processor(self, dialect: Dialect, coltype: object) -> Reader[_T]:
        """Return the function that reads a value from the database: one call for each value of a row."""
        place, read = self.place, self.read
        if self._is_plain:
            return cast("Reader[_T]", _read_verbatim)

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

    @property
    def _is_plain(self) -> bool:
        return self.place is None and isinstance(self, Verbatim)

    def written(self, value: _T) -> str:
        """A value as text."""
        raise TypeError("Sealable is abstract: use Verbatim, Words or Messages")

    def read(self, text: str) -> _T:
        """Undo `written`."""
        raise TypeError("Sealable is abstract: use Verbatim, Words or Messages")


def _write_verbatim(value: Any) -> str | None:  # noqa: ANN401 - a text
    return value if value is None or value.isprintable() else escape(value)


def _read_verbatim(value: Any) -> str | None:  # noqa: ANN401 - of a database
    if value is None or isinstance(value, str):
        return value if value is None or _MARK not in value else unescape(value)
    return cast("str", _report_damage("the database holds a value that cannot be decoded"))


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
        return tuple([check_message(_message_of(record)) for record in _read_json(text)])


class Instant(TypeDecorator[datetime]):
    """An aware moment, as microseconds since 1970 UTC: sortable, exact, the same everywhere."""

    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> int | None:
        """To the database."""
        return None if value is None else to_microseconds(value)

    def result_processor(self, dialect: Dialect, coltype: object) -> Reader[datetime]:
        """Return the function that reads a value from the database."""
        return _read_moment


def _read_moment(value: Any) -> datetime | None:  # noqa: ANN401 - of a database
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
