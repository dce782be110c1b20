"""A tiny folder of gold knowledge with sentences of our own, and a scripted memory, for `benchmarks.knowledge`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from benchmarks.knowledge_memory import KnownFact

GARDEN = "I grow tomatoes on my balcony."
CELLO = "Please always mention cello lessons."
SHED = "The shed of the allotment needs a new tin roof before winter comes."
THESIS = "My thesis on river otters is due at the end of the spring term."


def talk(name: str, *sessions: list[str], speakers: tuple[str, str] = ("user", "assistant")) -> dict[str, Any]:
    """Sessions a month apart in which the two speak in turn; turn ids are D1:0, D1:1, ..."""
    return {
        "id": name,
        "speakers": list(speakers),
        "sessions": [
            {
                "id": f"s{month}",
                "when": f"2024-{month:02}-03T10:00:00",
                "turns": [[f"D{month}:{i}", speakers[i % 2], text] for i, text in enumerate(session)],
            }
            for month, session in enumerate(sessions, start=1)
        ],
    }


def change(name: str, kind: str, second: str) -> dict[str, Any]:
    """A conversation that first says Ghent, then something else."""
    said = talk(name, ["My office is in Ghent.", "I see."], ["It snows.", "Brr."], [second, "Fine."])
    question = {"question": "Where is my office?", "old": ["Ghent"], "new": ["Bruges"]}
    return said | question | {"kind": kind, "first": "D1:0", "second": "D3:0"}


def gold() -> dict[str, Any]:
    """The files of the folder by name."""
    person = talk(
        "otto",
        [SHED, "Tin lasts. It also rattles."],
        [THESIS, "Good luck."],
        ["Do you recall the roof?", "Yes."],
    )
    for session, project in zip(person["sessions"], ("allotment", "thesis", None), strict=True):
        session["project"] = project
    turns = [["user", "bread"], ["guide", "bread"], ["user", "bread"], ["guide", "boats"], ["user", "boats"]]
    return {
        "beam-statements": [
            {
                "id": "beam-x",
                "conversation": talk("beam-x", [GARDEN, "Lovely."], [CELLO, "Noted."]),
                "statements": [
                    {"kind": "other", "text": GARDEN, "messages": ["D1:0"]},
                    {"kind": "instruction", "text": CELLO, "messages": ["D2:0"]},
                ],
            }
        ],
        "locomo-observations": [
            {
                "id": "conv-x",
                "conversation": talk("conv-x", ["I paint barns.", "I sail."], speakers=("Ines", "Jo")),
                "observations": [
                    {"text": "Ines paints barns.", "speaker": "Ines", "dia_ids": ["D1:0"]},
                    {"text": "Jo sails.", "speaker": "Jo", "dia_ids": ["D1:1"]},
                ],
            }
        ],
        "updates": [
            change("u1", "change", "My office has moved to Bruges."),
            change("t1", "trap", "Bruges has fine canals."),
        ],
        "conflicts": [
            {
                "id": "list",
                "facts": ["The mayor of Y is Ann.", "Salt melts snow.", "The mayor of Y is Bob."],
                "questions": [
                    {
                        "hops": "single",
                        "question": "Who is the mayor of Y?",
                        "answers": ["Bob"],
                        "facts": [2],
                        "overwritten": ["Ann"],
                        "overwritten_facts": [0],
                    },
                    {
                        "hops": "single",
                        "question": "What melts snow?",
                        "answers": ["Salt"],
                        "facts": [],
                        "overwritten": [],
                        "overwritten_facts": [],
                    },
                ],
            }
        ],
        "topics": {"toy": [{"id": "d", "turns": turns, "boundaries": [3]}]},
        "realmem": [
            person
            | {
                "points": [{"kind": "static", "role": "user", "text": "The shed needs a tin roof.", "source": "D1:0"}],
                "queries": [
                    {"turn": "D3:0", "kind": "updating", "memory_used": [0], "sessions": ["s1", "s2"]},
                    {"turn": "D3:0", "kind": "updating", "memory_used": [], "sessions": []},
                ],
            }
        ],
        "precision": {
            "beliefs": [
                {"id": "b1", "user": "kim", "text": "Codes in Ada.", "superseded_by": "b3"},
                {"id": "b2", "user": "kim", "text": "Hates mondays.", "superseded_by": None},
                {"id": "b3", "user": "kim", "text": "Codes in Elm.", "superseded_by": None},
                {"id": "b4", "user": "lee", "text": "Owns a kiln.", "superseded_by": None},
            ],
            "cases": [
                {"id": "c1", "user": "kim", "query": "Language?", "want": ["b3"], "also": ["b2"], "never": ["b1"]},
                {"id": "c2", "user": "kim", "query": "Weather?", "want": [], "also": [], "never": []},
                {"id": "c3", "user": "kim", "query": " ", "want": ["b1"], "also": [], "never": []},
            ],
        },
    }


def write_gold(folder: Path) -> Path:
    """Write the files into a folder, and return it."""
    for name, value in gold().items():
        (folder / f"{name}.json").write_text(json.dumps(value), encoding="utf-8")
    return folder


class Scripted:
    """A memory that knows what a test says; it notes what it was told."""

    def __init__(
        self,
        facts: Iterable[KnownFact] = (),
        segments: Sequence[Sequence[str]] = (),
        text: str | Mapping[int, str] = "",
    ) -> None:
        self._facts, self._segments, self._text = list(facts), [list(s) for s in segments], text
        self.turns: list[str] = []
        self.told: list[str] = []
        self.is_closed = False

    def add_turn(self, speaker: str, text: str, timestamp: datetime | None, dia_id: str, session: int) -> None:
        self.turns.append(dia_id)

    def finish(self) -> None:
        self.turns.append("end")

    def remember(self, text: str) -> None:
        self.told.append(text)

    def facts(self) -> list[KnownFact]:
        return self._facts

    def hottest(self, count: int) -> list[list[str]]:
        """Return the last segments first."""
        return self._segments[::-1][:count]

    def wait(self, time: timedelta) -> None:
        """Take no notice: nothing cools here."""

    def segments(self) -> list[list[str]]:
        return self._segments

    def text(self, query: str, budget: int) -> str:
        return self._text if isinstance(self._text, str) else self._text[budget]

    def close(self) -> None:
        self.is_closed = True


def fact(text: str, *sources: str, about: str = "user", current: bool = True) -> KnownFact:
    return KnownFact(text, about, frozenset(sources), current)
