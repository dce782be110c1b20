"""Every verb that writes, with what tells that it was done: the fault tests of the disk stop each at every write."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, timezone
from pathlib import Path

from memoryos_core import MemoryOS, Message, NoteWrite, RetentionPolicy, UserMemory
from memoryos_core.testing.fakes import KeywordEmbedder
from tests.faults.opening import small, url

NOON = datetime(2026, 5, 1, 12, tzinfo=timezone.utc)
LATER = "I came after the fault."
OLD = RetentionPolicy("old", older_than=timedelta(days=30), action="purge")
FILED = RetentionPolicy("filed", older_than=timedelta(days=30), action="archive")
# Silence ends a session here, so that `fill` leaves what was told in winter in a segment of its own.
SILENT = replace(small(), short_term=replace(small().short_term, idle_hours=6.0))


def opened(path: Path, key: bytes | None = None) -> MemoryOS:
    return MemoryOS(url(path), embedder=KeywordEmbedder(), config=SILENT, clock=lambda: NOON, key=key)


def prepare(path: Path, key: bytes | None = None) -> None:
    """Ann and Bob with pages in every tier, facts of which one was replaced, notes, a grant and vectors."""
    with opened(path, key) as memory:
        fill(memory)


def fill(memory: MemoryOS) -> None:
    """See `prepare`: the same in an open memory."""
    for name, tree, soup, city in (("ann", "xyzzy", "plugh", "Lisbon"), ("bob", "oak", "leek", "Madrid")):
        user = memory.user(name)
        for day in range(5):
            at = NOON - timedelta(90 - day)
            user.add_messages([Message("user", f"I planted {tree} tree {day} by the river.", timestamp=at)])
        user.add(f"I live in {city}.", "Noted.")
        user.consolidate()
        fact = user.remember("Likes ramen")
        user.correct(fact.id, f"Likes {soup} soup")
        user.notes.write([NoteWrite(("app",), "ui", '"dark"', text=f"{city} by night")])
        user.governance.grant("bot", "reader")
        user.add(f"I planted {tree} tree 8 by the river.")
        user.add(f"I planted {tree} tree 9 by the river.")


@dataclass(frozen=True)
class Verb:
    """A verb of Ann's memory or of all. `steps`: it is several transactions, of which some may be done without others.

    `forgets` are words that nothing holds any more once it is done.
    """

    run: Callable[[MemoryOS, Path], object]
    done: Callable[[MemoryOS, Path], bool]
    steps: bool = False
    forgets: tuple[str, ...] = ()


def _ann(memory: MemoryOS) -> UserMemory:
    return memory.user("ann")


def _texts(memory: MemoryOS) -> list[str]:
    return [m.text for page in _ann(memory).pages() for m in page.messages]


def _facts(memory: MemoryOS, *, current: bool = True) -> list[str]:
    return [fact.text for fact in _ann(memory).facts(current=current)]


def _id(memory: MemoryOS, text: str) -> str:
    return next(fact.id for fact in _ann(memory).facts(current=False) if fact.text == text)


def _pages(memory: MemoryOS, word: str) -> Sequence[str]:
    return [page.id for page in _ann(memory).pages() if word in page.messages[0].text]


def _notes(memory: MemoryOS) -> dict[str, str]:
    return {note.key: note.value for note in _ann(memory).notes.list()}


_ADDED = [Message("user", "Hello there.", id="1"), Message("assistant", "Good day.", id="2")]

VERBS: dict[str, Verb] = {
    "open": Verb(lambda _m, _p: None, lambda _m, _p: True),
    "add": Verb(lambda m, _: _ann(m).add("I sail.", "Where?"), lambda m, _: "I sail." in _texts(m)),
    "add_messages": Verb(
        lambda m, _: _ann(m).add_messages(_ADDED, once=True),
        lambda m, _: _texts(m)[-2:] == ["Hello there.", "Good day."],
    ),
    "end_session": Verb(
        lambda m, _: _ann(m).end_session(messages=_ADDED),
        lambda m, _: [x.text for x in _ann(m).transcript()] == ["Hello there.", "Good day."],
    ),
    "consolidate": Verb(
        lambda m, _: _ann(m).consolidate(), lambda m, _: _ann(m).stats().pages_short_term <= 3, steps=True
    ),
    "recall": Verb(
        lambda m, _: (_ann(m).recall("Where is tree 2?"), _ann(m).consolidate()), lambda _m, _p: True, steps=True
    ),
    "remember": Verb(lambda m, _: _ann(m).remember("Sails"), lambda m, _: "Sails" in _facts(m)),
    "correct": Verb(
        lambda m, _: _ann(m).correct(_id(m, "Likes plugh soup"), "Likes bread"),
        lambda m, _: "Likes bread" in _facts(m) and "Likes plugh soup" not in _facts(m),
    ),
    "retire": Verb(
        lambda m, _: _ann(m).retire(_id(m, "Likes plugh soup")), lambda m, _: "Likes plugh soup" not in _facts(m)
    ),
    "forget pages": Verb(
        lambda m, _: _ann(m).forget(pages=_pages(m, "xyzzy")), lambda m, _: not _pages(m, "xyzzy"), forgets=("xyzzy",)
    ),
    "forget facts": Verb(
        lambda m, _: _ann(m).forget(facts=[_id(m, "Likes plugh soup")]),
        lambda m, _: "Likes plugh soup" not in _facts(m, current=False),
        forgets=("plugh",),
    ),
    "forget session": Verb(
        lambda m, _: _ann(m).forget(session=True), lambda m, _: not _texts(m), forgets=("xyzzy", "I live in Lisbon")
    ),
    "forget everything": Verb(
        lambda m, _: _ann(m).forget(everything=True),
        lambda m, _: "ann" not in m.users(),
        forgets=("xyzzy", "plugh", "Lisbon by night"),
    ),
    "notes.write": Verb(
        lambda m, _: _ann(m).notes.write([NoteWrite(("app",), "a", "1"), NoteWrite(("app",), "ui", None)]),
        lambda m, _: _notes(m) == {"a": "1"},
        forgets=("Lisbon by night",),
    ),
    "grant": Verb(
        lambda m, _: _ann(m).governance.grant("eve", "writer"), lambda m, _: len(_ann(m).governance.grants()) == 2
    ),
    "revoke": Verb(lambda m, _: _ann(m).governance.revoke("bot"), lambda m, _: not _ann(m).governance.grants()),
    "archive": Verb(
        lambda m, _: _ann(m).governance.retain([FILED]), lambda m, _: _ann(m).stats().pages_archived > 0, steps=True
    ),
    "purge": Verb(
        lambda m, _: _ann(m).governance.retain([OLD]),
        lambda m, _: not [t for t in _texts(m) if "xyzzy tree 0" in t],
        steps=True,
        forgets=("xyzzy tree 0",),
    ),
    "restore": Verb(
        lambda m, _: m.restore([{**r, "user_id": "cat"} if r["kind"] == "scope" else r for r in _ann(m).export()]),
        lambda m, _: m.user("cat").stats().pages == _ann(m).stats().pages,
        steps=True,
    ),
    "vacuum": Verb(lambda m, _: m.vacuum(), lambda _m, _p: True),
    "reindex": Verb(lambda m, _: m.reindex(embedder=_Other(), progress=False), lambda _m, _p: True, steps=True),
    "backup": Verb(lambda m, p: m.backup(p / "copy.db"), lambda _m, p: (p / "copy.db").exists()),
}


class _Other(KeywordEmbedder):
    """Another embedder, so that all vectors are made anew."""

    @property
    def name(self) -> str:
        return "other"


def state(memory: MemoryOS, users: Sequence[str] = ("ann", "bob")) -> dict[str, object]:
    """All that is remembered, as an export has it, with notes and roles."""
    there = set(memory.users())
    return {
        user: [list(memory.user(user).export()), [(g.actor, g.role) for g in memory.user(user).governance.grants()]]
        for user in users
        if user in there
    }
