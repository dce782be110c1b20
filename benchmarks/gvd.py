"""Reader of GVD, as published with MemoryBank: ten days of chats of fifteen users with a companion, and questions.

A folder of one language holds `memory_bank_*.json` and `probing_questions_*.jsonl`. Read are the dialogues and the
questions alone, not what a model wrote about a user. The authors publish neither answers nor evidence: people, or a
model with the whole history at hand, mark the replies.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.forms import FormError
from benchmarks.reading import date, read_json, read_lines
from benchmarks.talks import Question, Talk, Turn

_SPEAKERS = ("user", "assistant")


def gvd(folder: Path) -> list[Talk]:
    """The users of a folder, each with their questions."""
    bank = read_json(_find_one(folder, "memory_bank_*.json"))
    users = {name.strip(): user for name, user in bank.items()}  # the published file has blanks round one name
    lines = read_lines(_find_one(folder, "probing_questions_*.jsonl"))
    asked = {name.strip(): questions for line in lines for name, questions in line.items()}
    unknown = len(asked.keys() - users.keys())
    if unknown:
        raise FormError(f"{unknown} users of the questions have no history")
    return [_talk(name, users[name]["history"], questions) for name, questions in asked.items()]


def _find_one(folder: Path, pattern: str) -> Path:
    files = sorted(folder.glob(pattern)) if folder.is_dir() else []
    if len(files) != 1:
        raise FormError(f"there is not one file {pattern}, but {len(files)}")
    return files[0]


def _talk(name: str, days: Mapping[str, Sequence[Mapping[str, Any]]], questions: Sequence[str]) -> Talk:
    sessions: list[tuple[Turn, ...]] = []
    for day in sorted(days):
        when = date(day, "%Y-%m-%d")
        said = [
            (role, text)
            for pair in days[day]
            for role, text in (("user", pair["query"].strip()), ("assistant", (pair.get("response") or "").strip()))
            if text
        ]
        number = len(sessions)
        turns = (Turn(f"D{number + 1}:{n}", role, text, number, when) for n, (role, text) in enumerate(said, start=1))
        if said:
            sessions.append(tuple(turns))
    probes = tuple(Question(f"{name}/{n}", text.strip().strip('"'), "probing", ()) for n, text in enumerate(questions))
    return Talk(name, _SPEAKERS, tuple(sessions), probes)
