"""Invented people over eight months of chat: what the profile, the standing wishes and recall know of them at the end.

    python -m benchmarks.users                  # all people of benchmarks/users, by words alone
    python -m benchmarks.users --set b --system dense

We wrote them, each with the values, wishes and answers that a memory should know. Sets `a` and `b` may be read while
rules are written. Of set `c` only what a change had altered was read, once; a fair figure needs new people. By people:
values of the profile (`known`), of those that are shown the wrong ones (`wrong`), standing wishes that are known
(`wishes`) and that the prompt of a question about something else tells (`in any prompt`: those of a case do not belong
there), wishes that are known although they were taken back (`lifted too late`), questions with an answer within 600
tokens (`answered`), and those where an outdated value comes before it (`outdated first`).
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

from benchmarks.knowledge_memory import SYSTEMS
from benchmarks.knowledge_tables import Row, report
from benchmarks.system import DEFAULT
from memoryos_core import MemoryOS, Message, UserMemory

TABLE = "invented people"
_FOLDER = Path(__file__).with_name("users")
_SETS = ("a", "b", "c")
_BUDGET = 600
_OF_NOTHING_TOLD = "What's the capital of Peru?"
_SCORED_TEXT = """name home age birthday origin occupation employer school studies language partner child pet vehicle
    hobby diet allergy condition medication"""
_SCORED = frozenset(_SCORED_TEXT.split())
_PARTNERS = ("husband", "wife", "girlfriend", "boyfriend", "fiancé", "fiancée", "relationship")


@dataclass(slots=True)
class Person:
    """What somebody wrote, and what a memory should know at the end: alternatives of substrings, in small letters."""

    name: str
    turns: list[Mapping[str, str]] = field(default_factory=list[Mapping[str, str]])
    profile: Mapping[str, Sequence[Sequence[str]]] = field(default_factory=dict[str, Sequence[Sequence[str]]])
    maybe: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])
    wishes: Sequence[Mapping[str, Any]] = ()
    questions: list[Mapping[str, Any]] = field(default_factory=list[Mapping[str, Any]])


def load_people(which: str) -> Iterator[Person]:
    """Read the people of a set from their files."""
    for path in sorted(_FOLDER.glob(f"{which}_*.jsonl")):
        person = Person(path.stem)
        for line in path.read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            if "at" in record:
                person.turns.append(record)
            elif "ask" in record:
                person.questions.append(record)
            else:
                person.profile = record.get("profile", person.profile)
                person.maybe = record.get("maybe", person.maybe)
                person.wishes = record.get("wishes", person.wishes)
        yield person


def measure_person(person: Person, system: str) -> tuple[Counter[str], list[str]]:
    """Return how much is known of somebody, and a line for each value that is missed or wrong."""
    now, session = datetime(2020, 1, 1, tzinfo=timezone.utc), "first"
    with MemoryOS("sqlite://", embedder=SYSTEMS[system](), config=DEFAULT, clock=lambda: now) as memory:
        for turn in person.turns:
            when = datetime.fromisoformat(turn["at"]).replace(tzinfo=timezone.utc)
            if when - now > timedelta(hours=6):
                memory.user(person.name, session_id=session).end_session()
                memory.user(person.name).consolidate()
                session = f"{when:%Y-%m-%d %H}"
            now = when
            answer = [Message("assistant", turn["assistant"], timestamp=when)] if turn.get("assistant") else []
            memory.user(person.name, session_id=session).add_messages(
                [Message("user", turn["user"], timestamp=when), *answer]
            )
        memory.user(person.name, session_id=session).end_session()
        now = datetime(2026, 10, 1, 9, tzinfo=timezone.utc)
        user = memory.user(person.name, session_id="asking")
        user.consolidate()
        counts, notes = _of_profile(person, user)
        counts += _of_wishes(person, user, notes)
        counts += _of_questions(person, user, notes)
    return counts, notes


def _of_profile(person: Person, user: UserMemory) -> tuple[Counter[str], list[str]]:
    shown: dict[str, list[str]] = {}
    for known in user.profile().fields:
        parts = (value.strip() for value in known.value.casefold().split(","))
        shown.setdefault(_field_of(known.name), []).extend(value for value in parts if value)
    counts: Counter[str] = Counter(shown=0, wrong=0)
    notes: list[str] = []
    for name, values in person.profile.items():
        for accepted in values:
            counts["values"] += 1
            is_known = any(part in value for value in shown.get(name, []) for part in accepted)
            counts["known"] += is_known
            if not is_known:
                notes.append(f"missed {name}: {accepted[0]}")
    for name, told in shown.items():
        right = [part for accepted in person.profile.get(name, []) for part in accepted]
        right += person.maybe.get(name, [])
        for value in told:
            if name not in person.profile and name not in person.maybe and name not in _SCORED:
                continue
            counts["shown"] += 1
            if not any(part in value or value in part for part in right):
                counts["wrong"] += 1
                notes.append(f"wrong {name}: {value}")
    return counts, notes


def _field_of(name: str) -> str:
    if name in _PARTNERS:
        return "partner"
    return {"called": "name", "son": "child", "daughter": "child"}.get(name, name)


def _of_wishes(person: Person, user: UserMemory, notes: list[str]) -> Counter[str]:
    standing = [fact.text.casefold() for fact in user.facts() if fact.kind == "instruction"]
    prompt = user.recall(_OF_NOTHING_TOLD, budget_tokens=_BUDGET).text.casefold()
    counts: Counter[str] = Counter()
    for wish in person.wishes:
        is_told = any(part in text for text in standing for part in wish["any"])
        kind = "standing" if wish["standing"] else "taken back"
        counts[kind] += 1
        counts[f"{kind} told"] += is_told
        counts[f"{kind} in prompt"] += any(part in prompt for part in wish["any"])
        if is_told != wish["standing"]:
            notes.append(f"wish {kind}, {'told' if is_told else 'missed'}: {wish['any'][0]}")
    return counts


def _of_questions(person: Person, user: UserMemory, notes: list[str]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for question in person.questions:
        text = user.recall(question["ask"], budget_tokens=_BUDGET).text.casefold()
        right = _first(text, question["answer"])
        is_old_first = _first(text, question.get("old", ())) < right
        counts["questions"] += 1
        counts["answered"] += right < len(text)
        counts["outdated first"] += is_old_first
        if right == len(text) or is_old_first:
            notes.append(f"question {'outdated' if is_old_first else 'unanswered'}: {question['ask']}")
    return counts


def _first(text: str, parts: Sequence[str]) -> int:
    return min((at for part in parts if (at := text.find(part)) >= 0), default=len(text))


def row_of(person: Person, group: str, counts: Counter[str]) -> Row:
    """Return the shares of one person as a row of a table."""

    def share(part: str, whole: str) -> float | None:
        return counts[part] / counts[whole] if counts[whole] else None

    values = {
        "known": share("known", "values"),
        "wrong": share("wrong", "shown"),
        "wishes": share("standing told", "standing"),
        "in any prompt": share("standing in prompt", "standing"),
        "lifted too late": share("taken back told", "taken back"),
        "answered": share("answered", "questions"),
        "outdated first": share("outdated first", "questions"),
    }
    return Row(TABLE, group, person.name, values, is_totalled=True)


def _total_of(counts: Counter[str]) -> str:
    parts = (
        ("values", "known", "values"),
        ("wrong", "wrong", "shown"),
        ("wishes", "standing told", "standing"),
        ("in any prompt", "standing in prompt", "standing"),
        ("taken back and told", "taken back told", "taken back"),
        ("answered", "answered", "questions"),
        ("outdated first", "outdated first", "questions"),
    )
    return "; ".join(f"{name} {counts[part]} of {counts[whole]}" for name, part, whole in parts)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure the people of the sets that are asked for; tell what is missed of sets `a` and `b` with `--show`."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.users", description="Measure what is known of invented people."
    )
    parser.add_argument("--set", nargs="+", choices=_SETS, default=_SETS)
    parser.add_argument("--system", choices=tuple(SYSTEMS), default="words")
    parser.add_argument("--show", action="store_true", help="list what is missed and wrong of sets a and b")
    options = parser.parse_args(arguments)
    rows: list[Row] = []
    for which in options.set:
        total: Counter[str] = Counter()
        for person in load_people(which):
            counts, notes = measure_person(person, options.system)
            total += counts
            rows.append(row_of(person, f"set {which}", counts))
            if options.show and which != "c":
                print(f"{person.name}\n  " + "\n  ".join(notes))
        print(f"set {which}: {_total_of(total)}", flush=True)
    print(f"\n{report(rows)}")


if __name__ == "__main__":
    main()
