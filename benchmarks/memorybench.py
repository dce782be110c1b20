"""Reader of MemoryBench (THUIR): the parts that have a reference answer, in the folder as it is downloaded.

The folder holds `dataset/NAME/{train,test}` and, for LoCoMo and DialSim, `corpus/NAME.jsonl`. Where there is a corpus,
it is the memory; elsewhere the train dialogues with their feedback are, each a session. Asked are the test rows. LoCoMo
rows cite evidence. Parts whose answers only a model or a critic can mark are left out.
"""

from __future__ import annotations

import importlib.util
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.forms import FormError
from benchmarks.locomo import CATEGORIES, evidence, read_sessions, turn_ids
from benchmarks.reading import answerable, date, literal, read_lines
from benchmarks.talks import Question, Talk, Turn

Rows = Sequence[Mapping[str, Any]]

_SESSION = re.compile(r"\[Date: (.*?), Session #\d+\]\s*\n(.*?)(?=\n\[Date: |\Z)", re.DOTALL)
_NUMBER = re.compile(r"(\d+)")


def memorybench(folder: Path) -> list[Talk]:
    """The parts of the dataset that can be asked, by name."""
    parts = sorted((folder / "dataset").glob("*/"), key=_in_order) if folder.is_dir() else []
    if not parts:
        raise FormError("there is no folder dataset with the parts in it")
    talks = (_part(folder, part) for part in parts)
    return [talk for talk in talks if talk is not None and talk.questions]


def _in_order(part: Path) -> list[tuple[int, str]]:
    """The key by which Locomo-10 would follow Locomo-9."""
    return [(int(piece) if piece.isdigit() else -1, piece) for piece in _NUMBER.split(part.name)]


def _part(folder: Path, part: Path) -> Talk | None:
    corpus = folder / "corpus" / f"{part.name}.jsonl"
    asked = list(read_rows(part, "test"))
    if corpus.is_file():
        [held] = read_lines(corpus)
        build = _locomo_part if part.name.startswith("Locomo") else _series_part
        return build(part.name, held["text"], asked)
    if not any(_reference(row) for row in asked):
        return None
    return _dialogues_part(part.name, list(read_rows(part, "train")), asked)


def read_rows(part: Path, split: str) -> Iterator[Mapping[str, Any]]:
    """Yield the rows of a split, from its Arrow files or, exported from them, from `SPLIT.jsonl`.

    Raises:
        FormError: there are neither.
        ModuleNotFoundError: pyarrow is absent, which reads Arrow files.
    """
    exported = part / f"{split}.jsonl"
    if exported.is_file():
        yield from read_lines(exported)
        return
    files = sorted((part / split).glob("*.arrow"))
    if not files:
        raise FormError(f"{part.name} has neither {split}/*.arrow nor {split}.jsonl")
    if importlib.util.find_spec("pyarrow") is None:
        raise ModuleNotFoundError(
            "'pyarrow' is not installed; run: uv pip install --group peers (or: pip install pyarrow)"
        )
    from pyarrow import ipc

    for file in files:
        with file.open("rb") as opened, ipc.open_stream(opened) as reader:
            yield from reader.read_all().to_pylist()


def _info(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """The labels of a row, which are text that holds JSON or a literal of Python's."""
    info = literal(row["info"]) if isinstance(row["info"], str) else row["info"]
    if not isinstance(info, dict):
        raise FormError("info is not an object")
    labels: dict[str, Any] = info
    return labels


def _reference(row: Mapping[str, Any]) -> str:
    """The answer of a row, "" where none is published in words."""
    given = _info(row).get("golden_answer")
    return given.strip() if isinstance(given, str) else str(given) if isinstance(given, int) else ""


def _text(row: Mapping[str, Any]) -> str:
    """The question: without the authors' instructions where they keep it apart."""
    text = row.get("origin_question") or row.get("input_prompt")
    if text:
        return str(text).strip()
    messages = row["input_chat_messages"]
    return str((literal(messages) if isinstance(messages, str) else messages)[-1]["content"]).strip()


def _locomo_part(name: str, corpus: str, rows: Rows) -> Talk:
    talk = json.loads(corpus)["conversation"]
    sessions = read_sessions(talk)
    known = turn_ids(sessions)
    questions: list[Question] = []
    for row in rows:
        info = _info(row)
        gold = evidence([turn["dia_id"] for turn in info["evidence"]], known)
        category = CATEGORIES[info["category"]]
        questions.append(Question(f"{name}/{row['test_idx']}", _text(row), category, gold, _reference(row)))
    return Talk(name, (talk["speaker_a"], talk["speaker_b"]), tuple(sessions), answerable(questions))


def _series_part(name: str, corpus: str, rows: Rows) -> Talk:
    sessions: list[tuple[Turn, ...]] = []
    for day, said in _SESSION.findall(corpus):
        when = date(day, "%B %d, %Y")
        lines = [line.partition(":") for line in said.splitlines() if ":" in line]
        number = len(sessions)
        turns = (
            Turn(f"D{number + 1}:{n}", who.strip(), text.strip(), number, when)
            for n, (who, _, text) in enumerate(lines, start=1)
        )
        if lines:
            sessions.append(tuple(turns))
    speakers = list(dict.fromkeys(turn.speaker for session in sessions for turn in session))
    if len(speakers) < 2:
        raise FormError(f"the corpus of {name} holds no sessions headed [Date: …, Session #N]")
    return Talk(name, (speakers[0], speakers[1]), tuple(sessions), _questions(name, rows))


def _dialogues_part(name: str, train: Rows, rows: Rows) -> Talk:
    sessions: list[tuple[Turn, ...]] = []
    for row in train:
        dialog = literal(row["dialog"]) if isinstance(row["dialog"], str) else row["dialog"]
        number = len(sessions)
        turns = [
            Turn(f"D{number + 1}:{n}", message["role"], message["content"].strip(), number, None)
            for n, message in enumerate(dialog, start=1)
            if message["role"] != "system" and message["content"].strip()
        ]
        if turns:
            sessions.append(tuple(turns))
    return Talk(name, ("user", "assistant"), tuple(sessions), _questions(name, rows))


def _questions(name: str, rows: Rows) -> tuple[Question, ...]:
    return tuple(Question(f"{name}/{row['test_idx']}", _text(row), name, (), _reference(row)) for row in rows)
