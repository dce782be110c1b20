"""Reader of the gold knowledge: statements, updates, conflicts, topics, projects and beliefs, a file of JSON each.

Conversations of BEAM and LoCoMo that lie beside the folder (`beam-dev`, `locomo-dev.json`) need not stand in it.
Labels are never given to a memory: it takes in turns, facts and beliefs alone.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from benchmarks.beam import beam
from benchmarks.locomo import locomo
from benchmarks.reading import read_json
from benchmarks.talks import Talk, Turn

FILES: dict[str, tuple[str, ...]] = {
    "held": ("beam-statements.json", "locomo-observations.json"),
    "updates": ("updates.json",),
    "conflicts": ("conflicts.json",),
    "topics": ("topics.json",),
    "segments": ("realmem.json",),
    "interest": ("realmem.json",),
    "subjects": (),
    "precision": ("precision.json",),
}
_SPEAKERS = ("user", "assistant")
_FIRST_TURN = datetime.fromisoformat("2025-01-01T09:00")  # without a zone, as the files are


@dataclass(frozen=True, slots=True)
class Statement:
    """A gold statement, its group, and the turns that say it."""

    text: str
    group: str
    turns: frozenset[str]


@dataclass(frozen=True, slots=True)
class StatedTalk:
    """A conversation and what was stated in it."""

    talk: Talk
    statements: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Update:
    """A conversation in which a second statement replaces a first one; in a trap it only seems to."""

    talk: Talk
    kind: str
    question: str
    old: tuple[str, ...]
    new: tuple[str, ...]
    first: str
    second: str

    @property
    def is_trap(self) -> bool:
        """True when the first statement stays true."""
        return self.kind == "trap"


@dataclass(frozen=True, slots=True)
class ConflictQuestion:
    """A question about numbered facts: the newest fact that answers it, and the older ones that it overwrites."""

    hops: str
    text: str
    answers: tuple[str, ...]
    newest: str | None
    overwritten: tuple[str, ...]
    overwritten_facts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Conflict:
    """Facts in order, of which later ones overwrite earlier ones, and questions about them."""

    name: str
    facts: tuple[str, ...]
    questions: tuple[ConflictQuestion, ...]


@dataclass(frozen=True, slots=True)
class Dialogue:
    """A dialogue and the indices of the turns that open a topic."""

    group: str
    talk: Talk
    boundaries: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Query:
    """A turn that asks, and the sessions that it needs."""

    kind: str
    text: str
    sessions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Projects:
    """Conversations of one person over many projects.

    `project_of` has the turns that belong to one; `session_of` has all turns.
    """

    talk: Talk
    project_of: Mapping[str, str]
    session_of: Mapping[str, str]
    points: tuple[Statement, ...]
    queries: tuple[Query, ...]


@dataclass(frozen=True, slots=True)
class Belief:
    """A belief of one user, and the id of the one that replaced it."""

    id: str
    user: str
    text: str
    superseded_by: str | None


@dataclass(frozen=True, slots=True)
class Case:
    """A query and the beliefs that it should bring, those that it may bring, and those that it must not bring.

    `want` is None where nothing is said about it.
    """

    id: str
    user: str
    query: str
    want: frozenset[str] | None
    also: frozenset[str]
    never: frozenset[str]


@contextmanager
def _check_form(path: Path) -> Generator[None]:
    try:
        yield
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{path} does not have the expected form: {type(error).__name__} at {error}") from error


def read_statements(folder: Path, limit: int | None = None) -> list[StatedTalk]:
    """Read the statements of BEAM's chats, by kind.

    Raises:
        ValueError: a file does not have the expected form; likewise for all readers of this module.
        OSError: a file cannot be read.
    """
    path = folder / "beam-statements.json"
    with _check_form(path):
        rows = read_json(path)[:limit]
        talks = _talks(rows, lambda: beam(folder.parent / "beam-dev"))
        return [
            StatedTalk(
                talk, tuple(Statement(s["text"], s["kind"], frozenset(s["messages"])) for s in row["statements"])
            )
            for row, talk in zip(rows, talks, strict=True)
        ]


def read_observations(folder: Path, limit: int | None = None) -> list[StatedTalk]:
    """Read the observations of LoCoMo's conversations, by speaker."""
    path = folder / "locomo-observations.json"
    with _check_form(path):
        rows = read_json(path)[:limit]
        talks = _talks(rows, lambda: locomo(folder.parent / "locomo-dev.json"))
        return [
            StatedTalk(
                talk,
                tuple(
                    Statement(
                        o["text"],
                        "first speaker" if o["speaker"] == talk.speakers[0] else "second speaker",
                        frozenset(o["dia_ids"]),
                    )
                    for o in row["observations"]
                ),
            )
            for row, talk in zip(rows, talks, strict=True)
        ]


def read_updates(folder: Path, limit: int | None = None) -> list[Update]:
    """Read the pairs of statements of which the second replaces the first, and the traps."""
    path = folder / "updates.json"
    with _check_form(path):
        return [_update(row) for row in read_json(path)[:limit]]


def _update(row: Mapping[str, Any]) -> Update:
    talk = _talk(row)
    texts = {turn.id: turn.text for turn in talk.turns}
    return Update(
        talk,
        row["kind"],
        row["question"],
        tuple(row["old"]),
        tuple(row["new"]),
        texts[row["first"]],
        texts[row["second"]],
    )


def read_conflicts(folder: Path, limit: int | None = None) -> list[Conflict]:
    """Read the numbered facts and the questions about them."""
    path = folder / "conflicts.json"
    with _check_form(path):
        return [
            Conflict(
                row["id"], tuple(row["facts"]), tuple(_conflict_question(q, row["facts"]) for q in row["questions"])
            )
            for row in read_json(path)[:limit]
        ]


def _conflict_question(row: Mapping[str, Any], facts: Sequence[str]) -> ConflictQuestion:
    newest: list[int] = row["facts"]
    overwritten: list[int] = row["overwritten_facts"]
    return ConflictQuestion(
        row["hops"],
        row["question"],
        tuple(row["answers"]),
        facts[newest[-1]] if newest else None,
        tuple(row["overwritten"]),
        tuple(facts[number] for number in overwritten),
    )


def read_dialogues(folder: Path, limit: int | None = None) -> list[Dialogue]:
    """Read the dialogues of each set whose topics are marked."""
    path = folder / "topics.json"
    with _check_form(path):
        return [
            Dialogue(group, _dialogue(row), tuple(row["boundaries"]))
            for group, rows in read_json(path).items()
            for row in rows[:limit]
        ]


def _dialogue(row: Mapping[str, Any]) -> Talk:
    turns = tuple(
        Turn(f"D1:{number}", speaker, text, 0, _FIRST_TURN + timedelta(minutes=number))
        for number, (speaker, text) in enumerate(row["turns"])
    )
    return Talk(row["id"], (turns[0].speaker, _SPEAKERS[1]), (turns,), ())


def read_projects(folder: Path, limit: int | None = None) -> list[Projects]:
    """Read RealMem's people; `limit` also counts the queries of each."""
    path = folder / "realmem.json"
    with _check_form(path):
        return [_projects(row, limit) for row in read_json(path)[:limit]]


def _projects(row: Mapping[str, Any], limit: int | None) -> Projects:
    talk = _talk(row)
    texts = {turn.id: turn.text for turn in talk.turns}
    by_session = [(session, turn[0]) for session in row["sessions"] for turn in session["turns"]]
    return Projects(
        talk,
        {turn_id: session["project"] for session, turn_id in by_session if session["project"]},
        {turn_id: session["id"] for session, turn_id in by_session},
        tuple(Statement(p["text"], f"{p['kind']}, {p['role']}", frozenset({p["source"]})) for p in row["points"]),
        tuple(
            Query(q["kind"], texts[q["turn"]], tuple(q["sessions"])) for q in row["queries"][:limit] if q["sessions"]
        ),
    )


def read_beliefs(folder: Path, limit: int | None = None) -> tuple[list[Belief], list[Case]]:
    """Read the beliefs and the cases; `limit` counts cases. A case without a query is left out."""
    path = folder / "precision.json"
    with _check_form(path):
        book = read_json(path)
        beliefs = [Belief(b["id"], b["user"], b["text"], b["superseded_by"]) for b in book["beliefs"]]
        return beliefs, [_case(row) for row in book["cases"][:limit] if row["query"].strip()]


def _case(row: Mapping[str, Any]) -> Case:
    want = None if row["want"] is None else frozenset(row["want"])
    return Case(row["id"], row["user"], row["query"], want, frozenset(row["also"]), frozenset(row["never"]))


def _talks(rows: Sequence[Mapping[str, Any]], published: Callable[[], list[Talk]]) -> list[Talk]:
    """Return the conversation of each row: its own, else the published one with its id."""
    by_name: dict[str, Talk] = {}
    if any("conversation" not in row for row in rows):
        by_name = {talk.name: talk for talk in published()}
    return [_talk(row["conversation"]) if "conversation" in row else by_name[row["id"]] for row in rows]


def _talk(row: Mapping[str, Any]) -> Talk:
    when: datetime | None = None  # a turn without a time of its own has that of the turn before
    sessions: list[tuple[Turn, ...]] = []
    for number, session in enumerate(row["sessions"]):
        when = datetime.fromisoformat(session["when"]) if session.get("when") else when
        turns: list[Turn] = []
        for turn_id, speaker, text, *own in session["turns"]:
            when = datetime.fromisoformat(own[0]) if own else when
            turns.append(Turn(turn_id, speaker, text, number, when))
        sessions.append(tuple(turns))
    first, second = row["speakers"]
    return Talk(row["id"], (first, second), tuple(sessions), ())
