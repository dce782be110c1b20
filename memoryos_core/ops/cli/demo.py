"""`memoryos demo`: a short conversation over some months, and what a memory makes of it, offline."""

from __future__ import annotations

import argparse
from datetime import datetime, timedelta, timezone

from memoryos_core.api.memory import MemoryOS
from memoryos_core.api.user import UserMemory
from memoryos_core.errors import InvalidInputError
from memoryos_core.hosts.memories import reopen
from memoryos_core.ops.cli.opening import MANUAL, Subparsers, command, key_of
from memoryos_core.ops.cli.output import write_json, write_lines
from memoryos_core.ops.plain_values import plain
from memoryos_core.stores import address_of, holds_memory

_RAM = "sqlite://"
_BUDGET = 220
_USER = "ann"
_SESSIONS: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = (
    (
        "2026-02-03T18:40",
        (
            ("Hi, I'm Ann. I live in Lisbon and I work as a nurse.", "Good evening, Ann. How was the shift?"),
            ("Long. My sister Rita visits on Friday, so I bought tea for her.", "That is kind. What does she drink?"),
            ("Rita likes green tea. I prefer coffee, black.", "Noted: green tea for Rita, black coffee for you."),
        ),
    ),
    (
        "2026-03-21T09:15",
        (
            ("I started climbing at the hall near the river.", "How did the first lesson go?"),
            ("Well! I go every Tuesday now. My partner there is called Tom.", "A regular partner helps a lot."),
        ),
    ),
    (
        "2026-05-09T20:05",
        (
            ("Big news: I moved to Porto last week.", "Congratulations! How is the new flat?"),
            ("Small, with a view of the bridge. I now work at the children's hospital.", "That sounds lovely."),
            ("I still climb, but on Thursdays.", "Then I will remember Thursdays."),
        ),
    ),
    ("2026-06-30T07:30", (("I have my exam on 12 September 2026.", "I wish you luck for it."),)),
)
_QUESTIONS = ("Where does Ann live?", "What does Rita drink?", "When does Ann climb?")


def register_demo(subparsers: Subparsers) -> None:
    """`memoryos demo [URL]`."""
    said = "remember a short conversation and ask about it; with URL, keep the memory there (it must be a new one)"
    parser = command(subparsers, "demo", said, run_demo, "memoryos demo sqlite:///demo.db")
    parser.add_argument("--json", action="store_true", help="write JSON, one object per line")


def run_demo(arguments: argparse.Namespace) -> int:
    """Remember the conversation, consolidate it, and show what is known and recalled."""
    url, key = arguments.url or _RAM, key_of(arguments)
    kept = address_of(url) is not None
    if kept and holds_memory(url, key=key):
        raise InvalidInputError("there is a memory at this URL already: the demo needs a new one; name another file")
    with reopen(url, config=MANUAL, key=key) as memory:
        user = _remember(memory)
        memory.flush()
        shown = [
            (question, user.recall(question, budget_tokens=_BUDGET, include_recent=False)) for question in _QUESTIONS
        ]
        stats, facts = user.stats(), user.facts(current=False)
    if arguments.json:
        asked = [{"question": question, "text": recall.text, "tokens": recall.tokens} for question, recall in shown]
        write_json([{"stats": plain(stats), "facts": plain(facts)}, *asked])
        return 0
    write_lines([f"Ann's conversation: {stats.pages} turns in {stats.sessions} sessions, February to June 2026.", ""])
    write_lines(["What is known of her, read by rules without a model:"])
    write_lines(f"  {f.valid_from:%Y-%m-%d}  {f.text}{'' if f.status == 'current' else '  (no longer)'}" for f in facts)
    for question, recall in shown:
        write_lines(["", f"{question}  (a prompt would get {recall.tokens} tokens)", recall.text])
    if kept:
        write_lines(["", f'Ask it yourself: memoryos recall "{url}" "Who is Tom?" --user {_USER}'])
        write_lines([f'Look at it:       memoryos inspect "{url}" --edit   (extra: inspect)'])
    return 0


def _remember(memory: MemoryOS) -> UserMemory:
    for number, (begun, turns) in enumerate(_SESSIONS, 1):
        user, at = memory.user(_USER, session_id=f"day {number}"), datetime.fromisoformat(begun)
        for minute, (said, answered) in enumerate(turns):
            when = at.replace(tzinfo=timezone.utc) + timedelta(minutes=minute)
            user.add(said, answered, timestamp=when, user_name="Ann")
        user.end_session()
    return memory.user(_USER)
