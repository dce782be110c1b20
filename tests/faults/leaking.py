"""Every verb of a handle × every way to name another user: what comes out, and what it did to the other one.

Verbs are found by introspection and armed by the names of their parameters, so that a new verb is in the matrix without
anybody thinking of it; one with a required parameter that nobody knows how to arm fails the test.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any

from memoryos_core import ChatRequest, MemoryOS, Message, NoteWrite, UserMemory
from memoryos_core.errors import MemoryOSError
from memoryos_core.testing.fakes import ScriptedChat
from tests.faults.names import VICTIM as VICTIM
from tests.faults.names import VICTIMS_SESSION as VICTIMS_SESSION
from tests.faults.names import names as names
from tests.faults.opening import talk

# In all that the victim said, was told and noted; part of no other word.
SAID, FACT, NOTE = "zanzibarish", "quokkaesque", "notaphile"
SENTINELS = (SAID, FACT, NOTE)
ASKED = "What did I plant by the river?"  # nothing of the victim's in it, and words of hers to be found by
TELLING = ("add", "remember", "grant")  # once is enough: they bring nothing back but what they were given
OBJECTS = ("notes", "governance")  # handles of their own behind a property


def echo(request: ChatRequest) -> str:
    """A model that answers with all that it was shown."""
    return " ".join(prompt.text for prompt in request.prompts)


def chat() -> ScriptedChat:
    return ScriptedChat(echo)


@dataclass
class Loot:
    """What an attacker may have got hold of: ids and values of the victim's, never her handle."""

    pages: list[Any]
    facts: list[Any]
    segments: list[Any]
    epoch: int
    records: list[dict[str, object]]
    words: tuple[str, ...] = SENTINELS
    own: frozenset[str] = field(default=frozenset())

    @property
    def ids(self) -> list[str]:
        return [x.id for x in (*self.pages, *self.facts, *self.segments)]


def victim_of(memory: MemoryOS) -> tuple[UserMemory, Loot]:
    """The one whose memory is full: every tier, facts, traits, notes, two sessions."""
    victim = memory.user(VICTIM.user_id, assistant_id=VICTIM.assistant_id, session_id=VICTIMS_SESSION)
    for i in range(12):
        victim.add(f"I planted {SAID} tree {i} by the river. My name is {SAID.title()}.", f"The {SAID} tree is fine.")
    victim.remember(f"Fears {FACT} trees.")
    victim.remember(f"I planted {FACT} by the river.", about="assistant")
    victim.notes.write([NoteWrite((NOTE, "ui"), NOTE, f'"{NOTE}"', text=f"planted by the river {NOTE}")])
    victim.consolidate()
    victim.add(f"Of {SAID} I speak now.")
    segments = [*victim.segments(), *victim.segments(archived=True)]
    assert segments
    return victim, Loot(list(victim.pages()), victim.facts(), segments, victim.epoch(), list(victim.export()))


class Arms:
    """What is handed to a parameter, by its name: the victim's own ids and values wherever one fits."""

    def __init__(self, loot: Loot, mine: UserMemory) -> None:
        pages, facts, segments = loot.ids[: len(loot.pages)], [f.id for f in loot.facts], loot.segments
        long_ago, note = datetime(1990, 1, 1, tzinfo=timezone.utc), NoteWrite((NOTE, "ui"), NOTE, None)
        self._by_name: dict[str, list[Any]] = {
            "query": [ASKED], "question": [ASKED], "user": [ASKED], "text": ["Owns a boat."],
            "assistant": ["By the river?"], "messages": [[Message("user", ASKED), Message("assistant", "?")]],
            "ids": [pages, loot.ids, [segments[0].id], [VICTIM.key]], "pages": [pages, loot.pages],
            "facts": [facts, loot.facts, pages], "fact_id": [*facts, pages[0], segments[0].id], "segment": segments[:1],
            "session_id": [VICTIMS_SESSION, VICTIM.key, "%"], "session": [True], "shown": [pages],
            "namespace": [(NOTE, "ui"), (NOTE,), ("%",)], "prefix": [(NOTE,), (), ("%",)], "key": [NOTE, "%"],
            "changes": [[note]], "note": [None], "since": [long_ago], "after": [0, loot.epoch], "actor": ["mallory"],
            "role": ["reader"], "tiers": [["short_term", "mid_term", "archive", "long_term"]], "k": [1000],
            "current": [False], "archived": [True], "budget_tokens": [5000], "include_recent": [False], "limit": [1000],
            "once": [True], "everything": [True], "about": ["user", "assistant"], "dry_run": [True],
            "until": [datetime(2100, 1, 1, tzinfo=timezone.utc)], "timestamp": [long_ago],
            "user_name": [VICTIM.user_id], "assistant_name": [VICTIM.assistant_id], "fact_ids": [facts],
            "page_ids": [pages], "fact": loot.facts[:1], "page": loot.pages[:1], "status": ["current"],
            "labels": [["secret"]], "name": ["home", VICTIM.key], "days": [36_500], "what": [*facts, *loot.facts[:1]],
            "wrong": [True], "at": [datetime(2100, 1, 1, tzinfo=timezone.utc)], "records": [loot.records],
        }  # fmt: skip
        self._mine = mine

    def calls(self, verb: Callable[..., object]) -> Iterator[dict[str, Any]]:
        """Sets of arguments: every value of the required ones, then each of the others beside them."""
        parameters = list(inspect.signature(verb).parameters.values())
        required = [p.name for p in parameters if p.default is p.empty and p.kind is not p.VAR_KEYWORD]
        unknown = [name for name in required if name not in self._by_name]
        assert not unknown, f"say in Arms what an attacker hands to {unknown} of {verb!r}"
        first = {name: self._by_name[name][0] for name in required}
        yield first
        for p in parameters if verb.__name__ not in TELLING else ():
            for value in self._by_name.get(p.name, ())[1 if p.name in required else 0 :]:
                yield {**first, p.name: value}


def verbs(handle: object) -> list[str]:
    """The public verbs of a handle, and of the handles behind its properties, found by looking."""
    found = [n for n, _ in inspect.getmembers(type(handle), inspect.isfunction) if not n.startswith("_")]
    for name in OBJECTS:
        behind = inspect.getattr_static(type(handle), name, None)
        if isinstance(behind, property):
            found += [f"{name}.{verb}" for verb in verbs(getattr(handle, name))]
    return sorted(found)


def verb_of(handle: object, name: str) -> Callable[..., Any]:
    for part in name.split("."):
        handle = getattr(handle, part)
    return handle  # type: ignore[return-value]


def shown(value: object) -> str:
    """All of a result as text, iterators read to their end."""
    if isinstance(value, str | bytes | int | float | None):
        return str(value)
    if isinstance(value, Mapping):
        return " ".join(f"{k} {shown(v)}" for k, v in value.items())
    if isinstance(value, Iterable):
        return " ".join(map(shown, value))
    return f"{value!r} {value}"


def chained(error: BaseException | None) -> Iterator[str]:
    while error is not None:
        yield str(error)
        error = error.__cause__ or error.__context__


@dataclass
class Findings:
    """What the matrix found."""

    cells: int = 0
    calls: int = 0
    refused: int = 0
    leaks: list[str] = field(default_factory=list)

    def look(self, where: str, arguments: Mapping[str, Any], result: object, loot: Loot) -> None:
        """Note every word or id of the victim's in a result that the attacker had not handed in himself."""
        self.calls += 1
        given = shown(arguments)
        if isinstance(result, BaseException):
            self.refused += 1
            words, texts = loot.words, " ".join(chained(result))
        else:
            words, texts = (*loot.words, *loot.ids), shown(result)
        texts = texts.casefold()
        self.leaks += [f"{where}: {word}" for word in words if word in texts and word not in given]


def attack(handle: UserMemory, loot: Loot, way: str, findings: Findings) -> None:
    """Call every verb of a handle with everything of the victim's."""
    arms = Arms(loot, handle)
    for name in verbs(handle):
        findings.cells += 1
        for arguments in arms.calls(verb_of(handle, name)):
            result: object
            try:
                result = verb_of(handle, name)(**arguments)
                result = list(result) if isinstance(result, Iterator) else result
            except MemoryOSError as error:
                result = error
            findings.look(f"{name} as {way}", arguments, result, loot)


def matrix(memory: MemoryOS, ways: Collection[str] = ()) -> Findings:
    """Try all (or these) ways to name another, with every verb; the victim must be as she was after each."""
    victim, loot = victim_of(memory)
    before, findings = state(victim), Findings()
    for way, (user, assistant, session) in names().items():
        if ways and way not in ways:
            continue
        try:
            handle = memory.user(user, assistant_id=assistant, session_id=session)
            talk(handle, 1)  # somebody who has a memory of his own, or nothing would be searched
        except MemoryOSError as error:
            findings.look(f"the name: {way}", {"user": user}, error, loot)
            findings.cells += 1
            continue
        attack(handle, loot, way, findings)
        if state(victim) != before:
            findings.leaks.append(f"she was changed by {way}")
    return findings


def state(victim: UserMemory) -> list[object]:
    """All that is remembered of somebody, and how it is found."""
    found = [(h.id, h.score) for h in victim.search(ASKED, k=50)]
    return [list(victim.export()), victim.stats(), victim.epoch(), victim.notes.list(), found, str(victim.profile())]
