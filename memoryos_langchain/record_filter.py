"""The application's choice of messages to record: all, none, or those that its function lets through."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable
from typing import TypeAlias, cast

from langchain_core.messages import BaseMessage

from memoryos_core.errors import InvalidInputError
from memoryos_core.hosts.concurrency import Contained

Record: TypeAlias = bool | Callable[[BaseMessage], BaseMessage | bool | None]
"""True records every message, False none. A function is asked about each: True records it as it is, False or None
leaves it out, and a message is recorded in its place, under the same id."""


class RecordError(InvalidInputError):
    """The application's function failed; `place` is its traceback without the error's text, which may quote a message.

    Nothing of the turn is recorded then: the function may be there to redact it.
    """

    def __init__(self, text: str, place: str) -> None:
        super().__init__(text)
        self.place = place


def checked_record(record: object) -> Record:
    """Return the option as it is. Raises InvalidInputError when it is neither a truth value nor callable."""
    if isinstance(record, bool) or callable(record):
        return cast("Record", record)
    raise InvalidInputError(f"record= must be True, False or a function of a message, not {type(record).__name__}")


def filter_messages(record: Record, messages: Iterable[BaseMessage]) -> list[BaseMessage]:
    """Return the messages to record.

    Raises:
        RecordError: the function raised an error.
        InvalidInputError: the function returned something else than a message, a truth value or None.
    """
    return [
        kept for place, message in enumerate(messages) if (kept := _filter_message(record, place, message)) is not None
    ]


def filter_or_keep(record: Record, messages: Iterable[BaseMessage]) -> list[BaseMessage]:
    """Return the messages to record; all as they are where the function fails. For comparisons: nothing is recorded."""
    given = list(messages)
    with Contained():
        return filter_messages(record, given)
    return given


def explain_failure(error: Exception | None) -> str:
    """Return the words of a RecordError with its traceback, for a log; "" for another error."""
    return f"{error}\nTraceback of record=:\n{error.place}" if isinstance(error, RecordError) else ""


def _choose(record: Record, place: int, message: BaseMessage) -> BaseMessage | bool | None:
    if isinstance(record, bool):
        return record
    with Contained() as choosing:
        return record(message)
    error = cast("Exception", choosing.error)
    frames = traceback.extract_tb(error.__traceback__)[1:]  # the first one is this function
    kind = type(error).__name__
    raise RecordError(
        f"record= raised {kind} for message {place} ({message.type}), so nothing of the turn is recorded: mend it",
        f"{''.join(traceback.format_list(frames))}{kind}",
    )


def _filter_message(record: Record, place: int, message: BaseMessage) -> BaseMessage | None:
    choice = _choose(record, place, message)
    if isinstance(choice, bool) or choice is None:
        return message if choice else None
    if isinstance(choice, BaseMessage):  # pyright: ignore[reportUnnecessaryIsInstance] - the application's function
        return choice.model_copy(update={"id": message.id})
    raise InvalidInputError(
        f"record= returned {type(choice).__name__} for message {place}: return the message to record, True, False or"
        " None"
    )
