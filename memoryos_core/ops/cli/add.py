"""`memoryos add`: remembers one turn, or one fact."""

from __future__ import annotations

import argparse

from memoryos_core.ops.cli.opening import Subparsers, key_of, open_user, url_of, user_command
from memoryos_core.ops.cli.output import fact_lines, page_line, read_moment, tell, text_of, write_json, write_lines
from memoryos_core.stores import address_of, holds_memory


def add(subparsers: Subparsers) -> None:
    """`memoryos add URL TEXT --user USER [--reply TEXT | --fact] [--end]`."""
    said = "remember what a user said; a memory that is missing is created"
    parser = user_command(
        subparsers, "add", said, run, 'memoryos add sqlite:///memory.db "I moved to Porto in May." --user ann'
    )
    parser.add_argument("text", metavar="TEXT", help="what the user said; - reads standard input")
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--reply", metavar="TEXT", help="what was answered")
    kind.add_argument(
        "--fact", action="store_true", help="keep TEXT as a fact that was told on purpose, without a turn"
    )
    parser.add_argument("--end", action="store_true", help="end the session behind it: its facts are read at once")
    parser.add_argument("--at", type=read_moment, metavar="TIME", help="when it was said, ISO 8601 (default: now)")


def run(arguments: argparse.Namespace) -> int:
    """Remember it; return 1 for a fact that waits for review, since it reads like an instruction."""
    text = text_of(arguments)
    url = url_of(arguments)
    if address_of(url) is not None and not holds_memory(url, key=key_of(arguments)):
        tell("there was no memory at this URL; it is created")
    with open_user(arguments, make=True) as user:
        if arguments.fact:
            fact = user.remember(text)
            write_json([fact]) if arguments.json else write_lines(fact_lines(fact))
            if fact.status == "quarantined":
                tell("it reads like an instruction, so it waits for review: governance.release makes it current")
                return 1
            return 0
        page = user.add(text, arguments.reply, timestamp=arguments.at)
        write_json([page]) if arguments.json else write_lines([page_line(page)])
        if arguments.end:
            user.end_session()
            tell(f"the session is ended; facts learnt: {user.consolidate().facts_learned}")
    return 0
