"""A conversation as a recall benchmark needs it: who said what when, and questions that cite it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Turn:
    """One utterance; `session` counts from 0, `when` is without a zone, as the files are, or None.

    `holds` are ids and texts of the turns that were merged into it; empty where it is one itself.
    """

    id: str
    speaker: str
    text: str
    session: int
    when: datetime | None
    holds: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Question:
    """A question and the ids of the turns that hold its answer; none where the authors do not label them.

    `answer` is the authors' own, "" when they give none; `asked` is when, without a zone, None when it is not said.
    With `options` it is a multiple choice, and `answer` is the right one of them.
    """

    id: str
    text: str
    category: str
    gold: tuple[str, ...]
    answer: str = ""
    asked: datetime | None = None
    options: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Talk:
    """A whole conversation: its sessions in order, and its questions."""

    name: str
    speakers: tuple[str, str]
    sessions: tuple[tuple[Turn, ...], ...]
    questions: tuple[Question, ...]

    @property
    def turns(self) -> tuple[Turn, ...]:
        """All turns, in order."""
        return tuple(turn for session in self.sessions for turn in session)

    @property
    def pages(self) -> tuple[tuple[Turn, ...], ...]:
        """Two turns of a session in a row each; the last of an odd number stands alone."""
        return tuple(session[i : i + 2] for session in self.sessions for i in range(0, len(session), 2))
