"""Two small conversations of our own whose subjects are known: the demo's, and one with an assistant that says nothing.

The demo's turns carry the topic under which one person would file them. In the other chat somebody makes two statements
on each of twenty subjects, and the assistant always answers with the same word: what it says must not decide.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from datetime import datetime, timedelta
from itertools import combinations
from pathlib import Path

from benchmarks.asking import fill
from benchmarks.knowledge_memory import OpenMemory
from benchmarks.knowledge_tables import Row
from benchmarks.projects import agreement
from benchmarks.talks import Talk, Turn
from demo.conversation import Conversation, load

SUBJECTS = "segments against known subjects"
_FOLDER = Path(__file__).with_name("conversations")
_SPEAKERS = ("user", "assistant")
_ANSWER = "Noted."


def measure_subjects(open_memory: OpenMemory, folder: Path, limit: int | None = None) -> Iterator[Row]:
    """Put both conversations in and compare the segments with the subjects; both lie here, not in `folder`."""
    for talk, subject_of in (demo_talk(), boilerplate_talk()):
        with closing(open_memory(talk)) as memory:
            fill(memory, talk)
            segments = memory.segments()
        found = {turn_id: str(number) for number, turn_ids in enumerate(segments) for turn_id in turn_ids}
        labels = {turn_id: found.get(turn_id, turn_id) for turn_id in subject_of}
        precision, recall = pair_agreement(labels, subject_of)
        values = agreement(labels, subject_of)
        values |= {"pair precision": precision, "pair recall": recall, "segments": len(segments)}
        yield Row(SUBJECTS, talk.name, talk.name, values)


def demo_talk() -> tuple[Talk, Mapping[str, str]]:
    """Return the demo's conversation, and the topic of each turn of the user."""
    conversation = load()
    filed: dict[str, Sequence[str]] = json.loads((_FOLDER / "demo_topics.json").read_text(encoding="utf-8"))
    sessions = [_session(conversation, number, name) for number, name in enumerate(conversation.session_ids)]
    subject_of = {
        turn.id: topic
        for session, name in zip(sessions, conversation.session_ids, strict=True)
        for turn, topic in zip(session[::2], filed[name], strict=True)
    }
    return Talk("the demo", _SPEAKERS, tuple(sessions), ()), subject_of


def _session(conversation: Conversation, number: int, name: str) -> tuple[Turn, ...]:
    messages = (m for turn in conversation.turns if turn.session_id == name for m in turn.messages)
    return tuple(
        Turn(str(m.id), m.role, m.text, number, m.timestamp.replace(tzinfo=None) if m.timestamp else None)
        for m in messages
    )


def boilerplate_talk() -> tuple[Talk, Mapping[str, str]]:
    """Return forty statements on twenty subjects with the same answer to each, and the subject of each statement."""
    subjects: list[list[str]] = json.loads((_FOLDER / "boilerplate.json").read_text(encoding="utf-8"))
    at = datetime(2025, 1, 1, 9)  # noqa: DTZ001 - without a zone, as the files are
    turns: list[Turn] = []
    subject_of: dict[str, str] = {}
    for number, statements in enumerate(subjects):
        for statement in statements:
            subject_of[str(len(turns))] = str(number)
            for speaker, text in zip(_SPEAKERS, (statement, _ANSWER), strict=True):
                turns.append(Turn(str(len(turns)), speaker, text, 0, at + timedelta(minutes=len(turns))))
    return Talk("forty statements, one answer", _SPEAKERS, (tuple(turns),), ()), subject_of


def pair_agreement(found: Mapping[str, str], gold: Mapping[str, str]) -> tuple[float, float]:
    """Return the share of pairs in one segment that are of one subject, and of pairs of one subject in one segment."""
    counts: Counter[tuple[bool, bool]] = Counter(
        (found[one] == found[other], gold[one] == gold[other]) for one, other in combinations(gold, 2)
    )
    both, together, alike = counts[True, True], counts[True, False], counts[False, True]
    return both / max(1, both + together), both / max(1, both + alike)
