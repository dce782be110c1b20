"""The same conversations told in another form: what people do, and the published ones hardly show.

A memory should not depend on any of it. Recall before and after is compared on the same questions; in split messages
each piece of a cited turn is evidence of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from benchmarks.talks import Talk, Turn

_SENTENCE = re.compile(r"(?<=[.!?…])\s+")
_NAMES = ("Thora", "Iven", "Sunniva", "Anselm", "Oriel", "Leofric", "Maelys", "Torvald", "Ysolde", "Casimir")
_ROLES = {"user", "assistant"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """Which changes are made, in the order of the fields; by default none.

    `bursts` is how many turns of one speaker come in a row, before as many of the other. `merged` is the same, and
    each burst is one message. `split` makes each sentence a message. `renamed` gives the speakers other names wherever
    theirs stand. `swapped` makes the other speaker the user.
    """

    bursts: int = 0
    merged: int = 0
    split: bool = False
    renamed: bool = False
    swapped: bool = False

    @property
    def label(self) -> str:
        """The changes in words, "" for none."""
        words = (
            (f"bursts of {self.bursts}", self.bursts),
            (f"bursts of {self.merged} merged", self.merged),
            ("split", self.split),
            ("renamed", self.renamed),
            ("swapped", self.swapped),
        )
        return ", ".join(word for word, is_made in words if is_made)

    def fit(self, talk: Talk) -> bool:
        """Return whether they can be made: roles can be neither renamed nor swapped."""
        return not (self.renamed or self.swapped) or _ROLES.isdisjoint(talk.speakers)

    def apply(self, talk: Talk) -> Talk:
        """Return the talk with all changes made. Raises ValueError when they do not fit."""
        if not self.fit(talk):
            raise ValueError("speakers can be renamed or swapped where both are people with names of their own")
        if self.bursts:
            talk = in_bursts(talk, self.bursts)
        if self.merged:
            talk = merge(talk, self.merged)
        if self.split:
            talk = split(talk)
        if self.renamed:
            talk = rename(talk)
        return replace(talk, speakers=talk.speakers[::-1]) if self.swapped else talk


def in_bursts(talk: Talk, length: int) -> Talk:
    """Return the talk with as many turns of one speaker in a row, then as many of the other, in each session.

    People send several short messages before anybody answers; the published conversations hardly ever do.
    """
    sessions = (tuple(turn for burst in _bursts(session, length) for turn in burst) for session in talk.sessions)
    return replace(talk, sessions=tuple(sessions))


def merge(talk: Talk, length: int) -> Talk:
    """Return the talk in bursts of that length, each of them one message that knows the turns it holds."""
    sessions = (tuple(_join(burst) for burst in _bursts(session, length)) for session in talk.sessions)
    return replace(talk, sessions=tuple(sessions))


def split(talk: Talk) -> Talk:
    """Return the talk with a message for each sentence; a question cites all sentences of the turns that it cited."""
    pieces = {turn.id: _cut(turn) for turn in talk.turns}
    sessions = tuple(tuple(piece for turn in session for piece in pieces[turn.id]) for session in talk.sessions)
    questions = tuple(
        replace(question, gold=tuple(piece.id for turn_id in question.gold for piece in pieces[turn_id]))
        for question in talk.questions
    )
    return replace(talk, sessions=sessions, questions=questions)


def rename(talk: Talk) -> Talk:
    """Return the talk with other names for the speakers, in what is said, asked and answered; nicknames stay."""
    said = " ".join(turn.text for turn in talk.turns)
    unused = [name for name in _NAMES if name not in said]
    names = dict(zip(talk.speakers, unused, strict=False))
    name = re.compile("|".join(rf"\b{re.escape(old)}\b" for old in names))

    def put(text: str) -> str:
        return name.sub(lambda match: names[match[0]], text)

    sessions = tuple(
        tuple(replace(turn, speaker=names[turn.speaker], text=put(turn.text)) for turn in session)
        for session in talk.sessions
    )
    questions = tuple(replace(q, text=put(q.text), answer=put(q.answer)) for q in talk.questions)
    return replace(
        talk, speakers=(names[talk.speakers[0]], names[talk.speakers[1]]), sessions=sessions, questions=questions
    )


def _bursts(session: tuple[Turn, ...], length: int) -> Iterator[list[Turn]]:
    left = {turn.speaker: [t for t in session if t.speaker == turn.speaker] for turn in session}
    while any(left.values()):
        for said in left.values():
            if said:
                yield said[:length]
                del said[:length]


def _join(burst: list[Turn]) -> Turn:
    text = "\n".join(turn.text for turn in burst)
    return replace(burst[0], text=text, holds=tuple((turn.id, turn.text) for turn in burst))


def _cut(turn: Turn) -> list[Turn]:
    sentences = [sentence for sentence in _SENTENCE.split(turn.text) if sentence.strip()]
    if len(sentences) < 2:
        return [turn]
    return [replace(turn, id=f"{turn.id}/{n}", text=text) for n, text in enumerate(sentences, start=1)]
