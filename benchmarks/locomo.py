"""Readers of LoCoMo and of REALTALK, whose people talk in LoCoMo's form.

Read are the conversations and the questions alone: what the authors' models wrote about a conversation (summaries,
observations, events, the search string of an image) leaks answers and is left where it is.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from benchmarks.reading import answer, answerable, date, read_json
from benchmarks.talks import Question, Talk, Turn

# The names of the code that came with the data; a paper's table that orders them otherwise is mislabelled.
CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
_SESSION = re.compile(r"session_(\d+)")
# As written by hand: "D8:6; D9:17", "D9:1 D4:4 D4:6", "D:11:26", "D30:05", "D12:3-D12:5" and "D1:1." occur.
_CITED = r"D:?\s*(\d+)\s*:\s*(\d+)"
_EVIDENCE = re.compile(rf"{_CITED}(?:\s*-\s*{_CITED})?")
_LONGEST_RANGE = 60  # a longer one is a slip of the pen: half a session is no evidence


def evidence(cited: Iterable[object], known: Collection[str]) -> tuple[str, ...]:
    """The turn ids that a question cites, repaired, once each; what points nowhere is left out."""
    ids = (f"D{session}:{turn}" for entry in cited for session, turn in _cited(str(entry)))
    return tuple(dict.fromkeys(turn_id for turn_id in ids if turn_id in known))


def _cited(entry: str) -> Iterator[tuple[int, int]]:
    for match in _EVIDENCE.finditer(entry):
        session, turn, last_session, last_turn = (int(group) if group else None for group in match.groups())
        assert session is not None
        assert turn is not None
        yield session, turn
        if last_session is None or last_turn is None:
            continue
        if session == last_session and 0 < last_turn - turn < _LONGEST_RANGE:
            yield from ((session, between) for between in range(turn + 1, last_turn))
        yield last_session, last_turn


def locomo(path: Path) -> list[Talk]:
    """The conversations of a LoCoMo file."""
    return [_locomo_talk(sample) for sample in read_json(path)]


def _locomo_talk(sample: Mapping[str, Any]) -> Talk:
    talk, name = sample["conversation"], str(sample["sample_id"])
    sessions = read_sessions(talk)
    known = turn_ids(sessions)
    questions = (
        Question(
            f"{name}/{i}",
            qa["question"].strip(),
            CATEGORIES[qa["category"]],
            evidence(qa.get("evidence") or (), known),
            answer(qa),
        )
        for i, qa in enumerate(sample["qa"])
    )
    return Talk(name, (talk["speaker_a"], talk["speaker_b"]), tuple(sessions), answerable(questions))


def read_sessions(talk: Mapping[str, Any]) -> list[tuple[Turn, ...]]:
    """The sessions of a conversation of LoCoMo's that are not empty."""
    sessions: list[tuple[Turn, ...]] = []
    for number in _session_numbers(talk):
        said = talk[f"session_{number}"]
        if said:
            when = date(talk[f"session_{number}_date_time"], "%I:%M %p on %d %B, %Y")
            sessions.append(tuple(_locomo_turn(row, len(sessions), when) for row in said))
    return sessions


def _locomo_turn(row: Mapping[str, Any], session: int, when: datetime | None) -> Turn:
    caption = (row.get("blip_caption") or "").strip()
    return Turn(row["dia_id"], row["speaker"], _with_caption(row["text"], caption), session, when)


def realtalk(folder: Path) -> list[Talk]:
    """The chats of a folder of REALTALK files."""
    files = sorted(folder.glob("Chat_*.json"), key=lambda path: int(path.stem.split("_")[1]))
    return [_realtalk_talk(path.stem, read_json(path)) for path in files]


def _realtalk_talk(name: str, chat: Mapping[str, Any]) -> Talk:
    sessions: list[tuple[Turn, ...]] = []
    for number in _session_numbers(chat):
        turns = tuple(_realtalk_turn(row, len(sessions)) for row in chat[f"session_{number}"])
        if turns:
            sessions.append(turns)
    known = turn_ids(sessions)
    questions: list[Question] = []
    for i, qa in enumerate(chat.get("qa", ())):
        cited = qa["evidence"] if isinstance(qa["evidence"], list) else [qa["evidence"]]
        gold = evidence(cited, known)
        questions.append(Question(f"{name}/{i}", qa["question"], CATEGORIES[qa["category"]], gold, answer(qa)))
    speakers = (chat["name"]["speaker_1"], chat["name"]["speaker_2"])
    return Talk(name, speakers, tuple(sessions), answerable(questions))


def _realtalk_turn(row: Mapping[str, Any], session: int) -> Turn:
    captions = row.get("blip_caption") or ""
    caption = captions if isinstance(captions, str) else str(captions[0])
    text = _with_caption(row["clean_text"] or "", caption)
    return Turn(row["dia_id"], row["speaker"], text, session, date(row["date_time"], "%d.%m.%Y, %H:%M:%S"))


def _session_numbers(talk: Iterable[str]) -> list[int]:
    numbers = (_SESSION.fullmatch(key) for key in talk)
    return sorted(int(match[1]) for match in numbers if match)


def _with_caption(text: str, caption: str) -> str:
    """What the listener got: the words, and what the image shows."""
    return f"{text.strip()} [shares {caption}]".strip() if caption else text.strip()


def turn_ids(sessions: Iterable[Iterable[Turn]]) -> set[str]:
    """The ids of all turns."""
    return {turn.id for session in sessions for turn in session}
