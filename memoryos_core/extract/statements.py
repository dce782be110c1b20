"""The facts that a page states, by rules alone: atomic, in the third person, dated and typed (issue 14, point 3)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from memoryos_core.extract import statement_kinds as kinds
from memoryos_core.extract import third_person
from memoryos_core.extract.findings import FoundFact
from memoryos_core.extract.prompts import guess
from memoryos_core.extract.prose import clauses_of, sentences_of
from memoryos_core.rules.dates.spans import find_dates
from memoryos_core.values.dialogue import HALVES, Half, Page
from memoryos_core.values.facts import About, FactKind

_HANDLES = frozenset("user human me speaker guest customer client you".split())
_MACHINES = frozenset("assistant agent ai bot chatbot model llm system gpt chatgpt claude gemini copilot".split())
_FACTS_OF_A_HALF = 4
_LEAST_WORTH = 1.0
_MOST_WORDS, _LEAST_WORDS = 60, 3


@dataclass(frozen=True, slots=True)
class _Speaker:
    """One side of the page. `is_machine`: an assistant without a name of its own."""

    half: Half
    name: str
    is_machine: bool


@dataclass(frozen=True, slots=True)
class _Statement:
    """A clause that is worth keeping."""

    about: About
    text: str
    said: str
    kind: FactKind
    worth: float


def facts_of_page(page: Page, names: Mapping[About, str]) -> list[FoundFact]:
    """Return the facts that both halves of the page state, in order. `names` says what the two sides are called.

    A side without a name is "the user" or "the assistant". Of an assistant without a name only what it says about
    itself or promises is kept.
    """
    user, assistant = _speaker("user", names), _speaker("assistant", names)
    found: dict[str, FoundFact] = {}
    for half in HALVES:
        speaker, other = (user, assistant) if half == "user" else (assistant, user)
        text = "\n".join(m.text for m in page.messages if m.half == half and m.role in ("user", "assistant"))
        for statement in _statements(text, speaker, other):
            when = _time_of(statement.said, page.timestamp)
            fact = FoundFact(statement.about, statement.text, (page.id,), when, kind=statement.kind)
            found.setdefault(statement.text.casefold(), fact)
    return list(found.values())


def _speaker(half: Half, names: Mapping[About, str]) -> _Speaker:
    name = " ".join(names.get(half, "").split())[:60]
    words = set(re.findall(r"[a-z]+", name.casefold()))
    if name and name[0].isalpha() and not name[0].islower() and words.isdisjoint(_HANDLES | _MACHINES):
        return _Speaker(half, name, is_machine=False)
    return _Speaker(half, "the user" if half == "user" else "the assistant", is_machine=half == "assistant")


def _time_of(text: str, now: datetime) -> datetime | None:
    """Return the time that the text names, if it names exactly one."""
    spans = find_dates(text, now)
    return spans[0].start if len(spans) == 1 else None


def _statements(text: str, speaker: _Speaker, other: _Speaker) -> list[_Statement]:
    """Return the statements of one half that are worth most, in order."""
    found = list(_candidates(text, speaker, other))
    best = sorted(range(len(found)), key=lambda i: (-found[i].worth, i))[:_FACTS_OF_A_HALF]
    return [found[i] for i in sorted(best)]


def _candidates(text: str, speaker: _Speaker, other: _Speaker) -> Iterator[_Statement]:
    language = guess(text)
    if language != "en":
        return
    address = None if other.name.startswith("the ") else other.name.split()[0]
    for sentence in sentences_of(text):
        for clause in clauses_of(sentence):
            statement = _read(clause, speaker, other, address)
            if statement is not None:
                yield statement


def _read(clause: str, speaker: _Speaker, other: _Speaker, address: str | None) -> _Statement | None:
    said = kinds.trim(clause, address)
    words = said.count(" ") + 1
    if not _LEAST_WORDS <= words <= _MOST_WORDS or said.endswith(("?", ":")):
        return None
    kind = kinds.kind_of(said)
    if kind != "instruction" and (kinds.is_request(said) or kinds.is_unresolved(said) or kinds.is_talk(said)):
        return None
    worth = kinds.worth(said, kind)
    if worth < _LEAST_WORTH:
        return None
    if speaker.is_machine:
        return None
    text = third_person.tell(said, speaker.name, other.name) or third_person.quote(said, speaker.name)
    return _Statement(speaker.half, text[:1].upper() + text[1:], said, kind, worth)
