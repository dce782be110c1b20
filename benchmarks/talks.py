"""A conversation as a recall benchmark needs it: who said what when, and questions that cite it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Turn:
    """One utterance; `session` counts from 0, `when` is without a zone, as the files are, or None."""

    id: str
    speaker: str
    text: str
    session: int
    when: datetime | None


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


def in_bursts(talk: Talk, length: int) -> Talk:
    """Return the talk with as many turns of one speaker in a row, then as many of the other, in each session.

    People send several short messages before anybody answers; the published conversations hardly ever do.
    """
    return replace(talk, sessions=tuple(_in_bursts(session, length) for session in talk.sessions))


def _in_bursts(session: tuple[Turn, ...], length: int) -> tuple[Turn, ...]:
    left = {turn.speaker: [t for t in session if t.speaker == turn.speaker] for turn in session}
    out: list[Turn] = []
    while len(out) < len(session):
        for said in left.values():
            out += said[:length]
            del said[:length]
    return tuple(out)
