"""Reader of LongMemEval: a haystack of chats with an assistant for each question, in one file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from benchmarks.reading import answer, answerable, read_json
from benchmarks.talks import Question, Talk, Turn

_ABSTENTION = "_abs"  # how the id of a question ends that nothing in its haystack answers


def longmemeval(path: Path) -> list[Talk]:
    """The haystacks of a file, less those whose question nothing answers: the authors' recall leaves them out, too."""
    return [talk for talk in map(_talk, read_json(path)) if talk.questions]


def _talk(item: Mapping[str, Any]) -> Talk:
    name = str(item["question_id"])
    fields = ("haystack_dates", "haystack_session_ids", "haystack_sessions")
    haystack = [
        (_moment(when), session_id, messages)
        for when, session_id, messages in zip(*(item[field] for field in fields), strict=True)
        if messages
    ]
    haystack.sort(key=lambda session: session[0])  # the file's order is not always that of time
    sessions = tuple(_session(messages, number, when) for number, (when, _, messages) in enumerate(haystack))
    said = list(zip(sessions, haystack, strict=True))
    marked = [
        turn.id
        for turns, (_, _, messages) in said
        for turn, message in zip(turns, messages, strict=True)
        if message.get("has_answer")
    ]
    cited = [
        turn.id for turns, (_, session_id, _) in said if session_id in item["answer_session_ids"] for turn in turns
    ]
    category = "abstention" if name.endswith(_ABSTENTION) else item["question_type"]
    gold, asked = tuple(marked or cited), _moment(item["question_date"])
    question = Question(name, item["question"].strip(), category, gold, answer(item), asked)
    return Talk(name, ("user", "assistant"), sessions, answerable([question]))


def _session(messages: Sequence[Mapping[str, Any]], number: int, when: datetime) -> tuple[Turn, ...]:
    # Not by the session's own id: nothing promises that a haystack holds it once.
    return tuple(
        Turn(f"D{number + 1}:{n}", message["role"], message["content"].strip(), number, when)
        for n, message in enumerate(messages, start=1)
    )


def _moment(text: str) -> datetime:
    return datetime.strptime(text.strip(), "%Y/%m/%d (%a) %H:%M")  # noqa: DTZ007 (the file names no zone)
