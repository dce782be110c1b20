"""Reader of LoCoMo-Plus: cues inside LoCoMo's conversations, asked for by triggers that share no word with them.

A file holds the cues; LoCoMo's own lies beside it, as in the authors' repository. Cues are dealt out to the
conversations in turn. In a conversation they follow its sessions evenly, each a session of its own, an hour after the
one before. Only the triggers are asked, and the first turn of a cue is their evidence.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from benchmarks.forms import FormError
from benchmarks.locomo import locomo
from benchmarks.reading import read_json
from benchmarks.talks import Question, Talk, Turn

_PLUS = re.compile(r"[-_]plus")
_OFFICIAL = "locomo10.json"
_SPEAKER = re.compile(r"^\s*[AB]:\s*")


@dataclass(frozen=True, slots=True)
class _Cue:
    id: str
    kind: str
    lines: tuple[str, ...]
    trigger: str


def locomo_plus(path: Path) -> list[Talk]:
    """LoCoMo's conversations with the cues of a file in them, and the cues' questions instead of their own."""
    cues = [_read_cue(row, number) for number, row in enumerate(read_json(path))]
    talks = locomo(_conversations_beside(path))
    return [_with_cues(talk, cues[number :: len(talks)]) for number, talk in enumerate(talks)]


def _conversations_beside(path: Path) -> Path:
    """The file of LoCoMo in the same folder: of the same name without "plus", or of the authors' name."""
    for name in (_PLUS.sub("", path.name, count=1), _OFFICIAL):
        beside = path.with_name(name)
        if beside != path and beside.is_file():
            return beside
    raise FormError(f"LoCoMo's own file, whose conversations get the cues, is not beside it: put {_OFFICIAL} there")


def _read_cue(row: Mapping[str, Any], number: int) -> _Cue:
    """A cue in the authors' form, or in the one of a part whose fields are short."""
    said = row["cue"] if "cue" in row else row["cue_dialogue"]
    trigger = row["trigger"] if "trigger" in row else row["trigger_query"]
    kind = row["kind"] if "kind" in row else row["relation_type"]
    lines = tuple(line.strip() for line in said.splitlines() if line.strip())
    if not lines:
        raise FormError(f"cue {number} says nothing")
    return _Cue(str(row.get("id", f"plus-{number}")), str(kind), lines, _SPEAKER.sub("", trigger).strip())


def _with_cues(talk: Talk, cues: Sequence[_Cue]) -> Talk:
    after: dict[int, list[_Cue]] = {}
    for number, cue in enumerate(cues):
        after.setdefault(number * len(talk.sessions) // len(cues), []).append(cue)
    sessions: list[tuple[Turn, ...]] = []
    for number, session in enumerate(talk.sessions):
        sessions.append(tuple(replace(turn, session=len(sessions)) for turn in session))
        for hours, cue in enumerate(after.get(number, ()), start=1):
            when = session[-1].when
            sessions.append(_session(cue, talk, len(sessions), when and when + timedelta(hours=hours)))
    questions = tuple(Question(cue.id, cue.trigger, cue.kind, (f"{cue.id}:1",)) for cue in cues)
    return replace(talk, sessions=tuple(sessions), questions=questions)


def _session(cue: _Cue, talk: Talk, number: int, when: datetime | None) -> tuple[Turn, ...]:
    first, second = talk.speakers
    turns: list[Turn] = []
    for place, line in enumerate(cue.lines, start=1):
        who, _, text = line.partition(":")
        turns.append(Turn(f"{cue.id}:{place}", first if who.strip() == "A" else second, text.strip(), number, when))
    return tuple(turns)
