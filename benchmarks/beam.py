"""Reader of BEAM: chats of a user with an assistant, in folders of their own, with probing questions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from benchmarks.reading import answer, answerable, date, read_json
from benchmarks.talks import Question, Talk, Turn

# The generator left a mark of its own at the end of some messages: "->-> 3,7".
_MARK = re.compile(r"\s*->->\s*[\d,\s]+$")


def beam(folder: Path) -> list[Talk]:
    """The chats of a folder whose folders are numbered."""
    chats = sorted((sub for sub in folder.iterdir() if sub.name.isdigit()), key=lambda sub: int(sub.name))
    return [_talk(chat) for chat in chats]


def _talk(folder: Path) -> Talk:
    sessions = tuple(_session(batch, number) for number, batch in enumerate(read_json(folder / "chat.json")))
    by_message = {int(turn.id.split(":")[1]): turn.id for session in sessions for turn in session}
    questions: list[Question] = []
    for ability, items in read_json(folder / "probing_questions.json").items():
        for i, item in enumerate(items):
            cited = dict.fromkeys(_numbers(item.get("source_chat_ids")))
            gold = tuple(by_message[number] for number in cited if number in by_message)
            name = f"beam{folder.name}/{ability}/{i}"
            questions.append(Question(name, item["question"], ability, gold, answer(item)))
    return Talk(f"beam-{folder.name}", ("user", "assistant"), sessions, answerable(questions))


def _session(batch: Mapping[str, Any], number: int) -> tuple[Turn, ...]:
    when: datetime | None = None  # a message without an anchor is of the day of the one before
    turns: list[Turn] = []
    for message in (message for group in batch["turns"] for message in group):
        when = date(message.get("time_anchor") or "", "%B-%d-%Y") or when
        text = _MARK.sub("", message["content"]).strip()
        turns.append(Turn(f"D{number + 1}:{message['id']}", message["role"], text, number, when))
    return tuple(turns)


def _numbers(cited: object) -> Iterator[int]:
    """Message numbers out of a number, a text, a list or a table of them, however deep."""
    if isinstance(cited, Mapping):
        cited = list(cited.values())
    if isinstance(cited, list):
        for part in cited:
            yield from _numbers(part)
    elif cited is not None and str(cited).isdigit():
        yield int(str(cited))
