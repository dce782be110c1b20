"""Checks of a caller's arguments: a value of the wrong kind is refused before it is stored."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timezone
from typing import TypeVar, get_args

from memoryos_core.config.validation import brief
from memoryos_core.errors import InvalidInputError
from memoryos_core.rules.ranking.hits import Shown
from memoryos_core.values.dialogue import Hit, Message, Page, Role, Tier
from memoryos_core.values.facts import TRUSTS, About, Fact, FactStatus

T = TypeVar("T")

_LONGEST_ID = 512
# Databases count in 64 bits; sums of two such numbers fit, too.
_MOST = 2**53
_ROLES: tuple[str, ...] = get_args(Role)
_ABOUTS: tuple[About, ...] = get_args(About)
_TIERS: tuple[str, ...] = (*get_args(Tier), "long_term")
_STATUSES: tuple[str, ...] = get_args(FactStatus)


def text(name: str, value: object) -> str:
    """A text, as it is. Raises InvalidInputError."""
    if not isinstance(value, str):
        raise InvalidInputError(f"{name} must be a text (str), not {type(value).__name__}")
    return value


def identifier(name: str, value: object) -> str:
    """Return a valid id unchanged. Raises InvalidInputError when it is empty, too long or not text."""
    given = text(name, value)
    if not given.strip() or len(given) > _LONGEST_ID:
        raise InvalidInputError(
            f"{name} must have 1 to {_LONGEST_ID} characters, not only white space; it has {len(given)}"
        )
    if "\x00" in given or any("\ud800" <= c <= "\udfff" for c in given):
        raise InvalidInputError(f"{name} must not hold NUL or lone surrogates: remove them from the text")
    return given


def moment(name: str, value: object) -> datetime | None:
    """Return an aware datetime, a naive one taken as UTC; None stays None. Raises InvalidInputError."""
    if value is None:
        return None
    if not isinstance(value, datetime):
        raise InvalidInputError(
            f"{name} must be a datetime or None, not {type(value).__name__}; datetime.fromisoformat reads text"
        )
    if value.tzinfo is None or value.utcoffset() is None:
        return value.replace(tzinfo=timezone.utc)
    try:
        value.astimezone(timezone.utc)
    except OverflowError:
        raise InvalidInputError(f"{name}={brief(value)} is not within the years 1 to 9999 in UTC") from None
    return value


def count(name: str, value: object, *, most: int = _MOST) -> int:
    """A whole number from 1 to `most`. Raises InvalidInputError."""
    return _number_from(1, name, value, most)


def whole_number(name: str, value: object) -> int:
    """A whole number from 0 on. Raises InvalidInputError."""
    return _number_from(0, name, value, _MOST)


def _number_from(least: int, name: str, value: object, most: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise InvalidInputError(
            f"{name}={brief(value)} is not allowed: it must be a whole number from {least} to {most}"
        )
    return value


def share(name: str, value: object) -> float:
    """Return a number from 0 to 1. Raises InvalidInputError."""
    if not isinstance(value, (int, float)) or isinstance(value, bool) or not 0 <= value <= 1:
        raise InvalidInputError(f"{name}={brief(value)} is not allowed: it must be a number from 0 to 1")
    return float(value)


def flag(name: str, value: object) -> bool:
    """Return a real bool: a merely truthy value must not erase anything. Raises InvalidInputError."""
    if not isinstance(value, bool):
        raise InvalidInputError(f"{name} must be True or False, not {type(value).__name__}")
    return value


def side(name: str, value: object) -> About:
    """Return the side that something is about. Raises InvalidInputError."""
    for known in _ABOUTS:
        if isinstance(value, str) and value == known:
            return known
    raise InvalidInputError(f"{name}={brief(value)} is not allowed: it must be one of {', '.join(map(repr, _ABOUTS))}")


def tiers(values: object) -> tuple[str, ...]:
    """Return the names of tiers. Raises InvalidInputError."""
    return _words_of("tiers", values, _TIERS)


def statuses(values: object) -> tuple[str, ...]:
    """Return the statuses of facts. Raises InvalidInputError."""
    return _words_of("statuses", values, _STATUSES)


def _words_of(name: str, values: object, known: tuple[str, ...]) -> tuple[str, ...]:
    found = _several(name, values)
    for place, value in enumerate(found):
        if not isinstance(value, str) or value not in known:
            raise InvalidInputError(f"{name}[{place}]: {brief(value)} is not one of {', '.join(map(repr, known))}")
    return tuple(map(str, found))


def ids(name: str, values: object) -> tuple[str, ...]:
    """Return ids, given as text or as pages or facts. Raises InvalidInputError."""
    given = _several(name, values)
    places = [name] if len(given) == 1 else [f"{name}[{place}]" for place in range(len(given))]
    if (at := next((at for at, v in enumerate(given) if isinstance(v, Hit)), None)) is not None:
        raise InvalidInputError(f"{places[at]} must be an id, not a Hit: pass hit.id, or of a page hit.page_ids")
    return tuple(text(n, v.id if isinstance(v, (Page, Fact)) else v) for n, v in zip(places, given, strict=True))


def fact_id(name: str, value: object) -> str:
    """Return the id of a fact, given as text, as the fact or as a hit on it. Raises InvalidInputError."""
    if isinstance(value, Hit):
        if value.kind != "fact":
            raise InvalidInputError(
                f"{name} must be a fact, not a hit on a page: only facts can be corrected; facts() lists them"
            )
        return value.id
    return ids(name, [value])[0]


def shown_messages(session_id: str, values: object) -> Shown:
    """Return what a prompt holds: ids of messages of this session, or messages. Raises InvalidInputError."""
    given = _several("shown", values)
    anywhere = frozenset((m.id, m.text) for m in given if isinstance(m, Message))
    return Shown({session_id: frozenset(ids("shown", [v for v in given if not isinstance(v, Message)]))}, anywhere)


def instance(name: str, value: object, kind: type[T]) -> T:
    """Return a value of this type. Raises InvalidInputError."""
    if not isinstance(value, kind):
        raise InvalidInputError(f"{name} must be a {kind.__name__}, not {type(value).__name__}")
    return value


def instances(name: str, values: object, kind: type[T]) -> tuple[T, ...]:
    """Return values of this type. Raises InvalidInputError."""
    return tuple(instance(f"{name}[{place}]", value, kind) for place, value in enumerate(_several(name, values)))


def messages(values: object) -> tuple[Message, ...]:
    """Return valid messages; the given iterable is read once. Raises InvalidInputError."""
    return tuple(_message(f"messages[{place}]", value) for place, value in enumerate(_several("messages", values)))


def able(name: str, given: T, *verbs: str) -> T:
    """Return an object that has these methods, or None. Raises InvalidInputError."""
    for verb in verbs if given is not None else ():
        if not callable(getattr(given, verb, None)):
            raise InvalidInputError(f"{name} must have a method {verb!r}, and {type(given).__name__} has none")
    return given


def _message(name: str, value: object) -> Message:
    if not isinstance(value, Message):
        raise InvalidInputError(
            f"{name} must be a Message, not {type(value).__name__}: make it one with Message(role, text)"
        )
    if not _is_word(value.role, _ROLES):
        raise InvalidInputError(f"{name}.role is unknown: use one of {', '.join(map(repr, _ROLES))}")
    if value.trust is not None and not _is_word(value.trust, TRUSTS):
        raise InvalidInputError(f"{name}.trust is unknown: use None or one of {', '.join(map(repr, TRUSTS))}")
    text(f"{name}.text", value.text)
    for field in ("name", "id", "answers", "payload", "by"):
        if getattr(value, field) is not None:
            text(f"{name}.{field}", getattr(value, field))
    calls = tuple(
        text(f"{name}.calls[{place}]", call) for place, call in enumerate(_several(f"{name}.calls", value.calls))
    )
    when = moment(f"{name}.timestamp", value.timestamp)
    if when is value.timestamp and type(value.calls) is tuple and calls == value.calls:
        return value  # as nearly every message
    return replace(value, calls=calls, timestamp=when)


def _is_word(value: object, words: Sequence[str]) -> bool:
    return isinstance(value, str) and value in words  # an array is equal to nothing and everything


def _several(name: str, values: object) -> Sequence[object]:
    # In Python a str is a sequence of str too; here it is a mistake.
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise InvalidInputError(f"{name} must be a list or tuple, not {type(values).__name__}")
    return tuple(values)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]  # checked one by one
