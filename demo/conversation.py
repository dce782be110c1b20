"""The conversation as the demo needs it, and the reader of the one we wrote (`conversation.json`)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from memoryos_core import Message

SHIPPED = Path(__file__).with_name("conversation.json")
_BETWEEN_TURNS = timedelta(minutes=2)


@dataclass(frozen=True, slots=True)
class Turn:
    """What is handed to the memory in one call; its messages carry the ids that questions cite."""

    session_id: str
    messages: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """A question about the conversation.

    Of every group in `evidence` one message must be recalled; without groups nothing in memory answers it.
    """

    text: str
    kind: str
    answer: str
    evidence: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Conversation:
    """Dated turns in order, and questions with known evidence."""

    user_id: str
    assistant_id: str
    title: str
    turns: tuple[Turn, ...]
    questions: tuple[Question, ...]

    @property
    def message_ids(self) -> tuple[str, ...]:
        """The ids of all messages, in order."""
        return tuple(message.id for turn in self.turns for message in turn.messages if message.id)

    @property
    def session_ids(self) -> tuple[str, ...]:
        """The sessions, in order."""
        return tuple(dict.fromkeys(turn.session_id for turn in self.turns))

    @property
    def last(self) -> datetime:
        """When the last message was sent; the demo's clock stands the day after."""
        return max(m.timestamp for turn in self.turns for m in turn.messages if m.timestamp)


def load(path: Path = SHIPPED) -> Conversation:
    """Read the demo's own format."""
    data = json.loads(path.read_text(encoding="utf-8"))
    turns = tuple(turn for session in data["sessions"] for turn in _turns(session))
    return Conversation(
        user_id=data["user"]["id"],
        assistant_id=data["assistant"]["id"],
        title=f"{data['user']['name']} and an assistant, written for this demo",
        turns=turns,
        questions=tuple(_question(asked) for asked in data["questions"]),
    )


def _turns(session: Mapping[str, Any]) -> list[Turn]:
    started = datetime.fromisoformat(session["started"])
    out: list[Turn] = []
    for number, turn in enumerate(session["turns"]):
        at = started + number * _BETWEEN_TURNS
        said = Message("user", turn["user"], timestamp=at, id=f"{turn['id']}.user")
        answered = Message("assistant", turn["assistant"], timestamp=at, id=f"{turn['id']}.assistant")
        out.append(Turn(session["id"], (said, answered)))
    return out


def _question(asked: Mapping[str, Any]) -> Question:
    groups = tuple(tuple(group) for group in asked["evidence"])
    return Question(asked["question"], asked["kind"], asked["answer"], groups)
