"""`memoryos stats`: how much a memory holds, and what waits."""

from __future__ import annotations

import argparse
import os

from memoryos_core.errors import InvalidInputError
from memoryos_core.ops.cli.opening import Subparsers, open_memory, user_command, user_of
from memoryos_core.ops.cli.output import write_json, write_lines
from memoryos_core.ops.plain_values import plain
from memoryos_core.values.reports import Backlog, Stats


def add(subparsers: Subparsers) -> None:
    """`memoryos stats URL [--user USER]`."""
    said = "show how much is remembered, tier by tier: of a user, or of the whole store, with what waits for a worker"
    user_command(subparsers, "stats", said, run, "memoryos stats sqlite:///memory.db")


def run(arguments: argparse.Namespace) -> int:
    """Show the counts."""
    of_user = arguments.user is not None or "MEMORYOS_USER" in os.environ
    if arguments.actor is not None and not of_user:
        raise InvalidInputError("an actor has roles in the memory of one user: name it with --user")
    with open_memory(arguments) as memory:
        if of_user:
            _show(arguments, user_of(memory, arguments).stats(), None)
        else:
            _show(arguments, memory.stats(), memory.backlog())
    return 0


def _show(arguments: argparse.Namespace, stats: Stats, waiting: Backlog | None) -> None:
    if arguments.json:
        write_json([{"stats": plain(stats), **({"backlog": plain(waiting)} if waiting else {})}])
        return
    rows = [
        ("users", stats.users),
        ("sessions", stats.sessions),
        ("short-term pages", stats.pages_short_term),
        ("mid-term pages", stats.pages_mid_term),
        ("mid-term segments", stats.segments),
        ("archived pages", stats.pages_archived),
        ("facts about users", stats.facts_user),
        ("facts about assistants", stats.facts_assistant),
        ("profile fields", stats.profile_fields),
        ("traits", stats.traits),
        ("damaged rows", stats.damaged),
    ]
    if waiting is not None:
        rows += [("scopes that wait for a worker", waiting.scopes), ("pages that wait for vectors", waiting.pages)]
    write_lines(f"{count:>8}  {name}" for name, count in rows)
