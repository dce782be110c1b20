"""The application's choice of messages to record: all, none, or those that its function lets through."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias, cast

from langchain_core.messages import BaseMessage

from memoryos_core.errors import InvalidInputError

Record: TypeAlias = bool | Callable[[BaseMessage], BaseMessage | bool | None]
"""True records every message, False none. A function is asked about each: True records it as it is, False or None
leaves it out, and a message is recorded in its place, under the same id."""


def checked_record(record: object) -> Record:
    """Return the option as it is. Raises InvalidInputError when it is neither a truth value nor callable."""
    if isinstance(record, bool) or callable(record):
        return cast("Record", record)
    raise InvalidInputError(f"record= must be True, False or a function of a message, not {type(record).__name__}")


def filter_messages(record: Record, messages: Iterable[BaseMessage]) -> list[BaseMessage]:
    """Return the messages to record.

    Raises:
        InvalidInputError: the function returned something else than a message, a truth value or None.
    """
    return [
        kept for place, message in enumerate(messages) if (kept := _filter_message(record, place, message)) is not None
    ]


def _filter_message(record: Record, place: int, message: BaseMessage) -> BaseMessage | None:
    choice = record if isinstance(record, bool) else record(message)
    if isinstance(choice, bool) or choice is None:
        return message if choice else None
    if isinstance(choice, BaseMessage):  # pyright: ignore[reportUnnecessaryIsInstance] - the application's function
        return choice.model_copy(update={"id": message.id})
    raise InvalidInputError(
        f"record= returned {type(choice).__name__} for message {place}: return the message to record, True, False or"
        " None"
    )
