"""Reader of LongMemEval (S, M and oracle): a haystack of chats with an assistant for each question, in one file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from benchmarks.forms import FormError
from benchmarks.reading import JsonItems, Talks, answer, answerable, date
from benchmarks.talks import Question, Talk, Turn

_ABSTENTION = "_abs"  # how the id of a question ends that nothing in its haystack answers


def longmemeval(path: Path) -> Sequence[Talk]:
    """The haystacks of a file, less those whose question nothing answers: the authors' recall leaves them out, too.

    Each is read from the file when it is asked for, since M has gigabytes.
    """
    items = JsonItems(path)
    asked = [place for place in range(len(items)) if _talk(items[place]).questions]
    return Talks(lambda place: _talk(items[place]), asked)


def _talk(item: Mapping[str, Any]) -> Talk:
    name = str(item["question_id"])
    fields = ("haystack_dates", "haystack_session_ids", "haystack_sessions")
    if len({len(item[field]) for field in fields}) > 1:
        raise FormError("haystack_dates, haystack_session_ids and haystack_sessions are not of one length")
    haystack = [
        (_moment(when, "haystack_dates"), session_id, messages)
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
    gold, asked = tuple(marked or cited), _moment(item["question_date"], "question_date")
    question = Question(name, item["question"].strip(), category, gold, answer(item), asked)
    return Talk(name, ("user", "assistant"), sessions, answerable([question]))


def _session(messages: Sequence[Mapping[str, Any]], number: int, when: datetime) -> tuple[Turn, ...]:
    # Not by the session's own id: nothing promises that a haystack holds it once.
    return tuple(
        Turn(f"D{number + 1}:{n}", message["role"], message["content"].strip(), number, when)
        for n, message in enumerate(messages, start=1)
    )


def _moment(text: str, field: str) -> datetime:
    when = date(text, "%Y/%m/%d (%a) %H:%M")
    if when is None:
        raise FormError(f"{field} holds a date that is not written like 2023/05/20 (Sat) 02:21")
    return when
