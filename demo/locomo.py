"""Reads one conversation of a LoCoMo file: two people, many sessions, questions that cite what was said."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

from demo.conversation import Conversation, Question, Turn
from memoryos_core import Message
from memoryos_core.values.dialogue import Role

_DATE_FORMAT = "%I:%M %p on %d %B, %Y"
_SESSION = re.compile(r"session_(\d+)")
# As written by hand: "D8:6; D9:17", "D:11:26" and "D30:05" occur.
_EVIDENCE = re.compile(r"D:?\s*(\d+)\s*:\s*0*(\d+)")
_BETWEEN_MESSAGES = timedelta(seconds=30)
_KINDS = {1: "two pieces", 2: "temporal", 3: "inference", 4: "single"}
_ADVERSARIAL = 5


def load(path: Path, sample_id: str | None = None) -> Conversation:
    """Read the conversation called `sample_id`, or the first; ValueError when there is none of that name."""
    samples = json.loads(path.read_text(encoding="utf-8"))
    found = next((s for s in samples if sample_id in (None, s["sample_id"])), None)
    if found is None:
        names = ", ".join(s["sample_id"] for s in samples)
        raise ValueError(f"{path.name} holds no conversation {sample_id!r}; it holds {names}")
    talk = found["conversation"]
    people = (str(talk["speaker_a"]), str(talk["speaker_b"]))
    turns = tuple(turn for number in _sessions(talk) for turn in _turns(talk, number, people[0]))
    known = {m.id for turn in turns for m in turn.messages if m.id}
    return Conversation(
        user_id=f"{found['sample_id']}-{people[0]}",
        assistant_id=people[1],
        title=f"LoCoMo {found['sample_id']}: {people[0]} (as user) and {people[1]} (as assistant)",
        turns=turns,
        questions=tuple(_question(qa, known) for qa in found["qa"] if qa.get("category") != _ADVERSARIAL),
    )


def _sessions(talk: Iterable[str]) -> list[int]:
    numbers = (_SESSION.fullmatch(key) for key in talk)
    return sorted(int(match[1]) for match in numbers if match)


def _turns(talk: Mapping[str, Any], number: int, user: str) -> list[Turn]:
    # The dates are without a zone; UTC keeps every machine's output alike.
    at = datetime.strptime(talk[f"session_{number}_date_time"], _DATE_FORMAT).replace(tzinfo=timezone.utc)
    out: list[Turn] = []
    for position, said in enumerate(talk[f"session_{number}"]):
        message = _message(said, at + position * _BETWEEN_MESSAGES, user)
        out.append(Turn(f"session-{number:02d}", (message,)))
    return out


def _message(said: Mapping[str, Any], at: datetime, user: str) -> Message:
    # An image's `query` field leaks answers: only its caption is what the listener saw.
    caption = said.get("blip_caption")
    text = f"{said['text']} [shares {caption}]" if caption else said["text"]
    role: Role = "user" if said["speaker"] == user else "assistant"
    return Message(role, text, name=said["speaker"], timestamp=at, id=said["dia_id"])


def _question(qa: Mapping[str, Any], known: set[str]) -> Question:
    # A few citations of the file are malformed or point nowhere; what can be read is kept.
    cited = (f"D{s}:{t}" for entry in qa.get("evidence", []) for s, t in _EVIDENCE.findall(entry))
    groups = tuple((dia_id,) for dia_id in dict.fromkeys(cited) if dia_id in known)
    return Question(qa["question"], _KINDS.get(qa["category"], "other"), str(qa.get("answer", "")), groups)
