"""The messages that fit a limit: whole turns, newest first, and the last one whatever its size."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from memoryos_core import Message

__all__ = ["fit_turns", "turns"]


def turns(messages: Sequence[Message]) -> list[list[Message]]:
    """Messages as turns, each from a message of the user's, with the system messages right before it.

    What stands before the first of the user's is left out, but for system messages: models want the user to begin.
    """
    found: list[list[Message]] = []
    system: list[Message] = []
    for message in messages:
        if message.role == "user":
            found.append([*system, message])
            system = []
        elif message.role == "system":
            system.append(message)
        elif found:
            found[-1] += [*system, message]
            system = []
    if found:
        found[-1] += system
    return found or ([system] if system else [])


def fit_turns(messages: Sequence[Message], size: Callable[[Message], int], limit: int) -> tuple[list[Message], int]:
    """The newest whole turns within `limit` tokens, oldest first, and their tokens; one turn at the least.

    Args:
        messages: a conversation, oldest first.
        size: the tokens of a message.
        limit: tokens.
    """
    kept: list[list[Message]] = []
    tokens = 0
    for turn in reversed(turns(messages)):
        more = sum(map(size, turn))
        if kept and tokens + more > limit:
            break
        kept.append(turn)
        tokens += more
    return [message for turn in reversed(kept) for message in turn], tokens
