"""`memoryos facts` and `memoryos topics`: show what is known, and what was talked about."""

from __future__ import annotations

import argparse

from memoryos_core.ops.cli.opening import Subparsers, open_user, user_command
from memoryos_core.ops.cli.output import dispute_lines, fact_lines, read_moment, show_items, topic_lines


def add(subparsers: Subparsers) -> None:
    """`memoryos facts URL --user USER [--former|--disputed|--at TIME] [--about user]` and `memoryos topics`."""
    said = "show the facts that are known, oldest first; exit status 1 when there are none"
    parser = user_command(subparsers, "facts", said, run, "memoryos facts sqlite:///memory.db --user ann --former")
    parser.add_argument("--about", choices=("user", "assistant"), help="only facts about the user or the assistant")
    when = parser.add_mutually_exclusive_group()
    when.add_argument(
        "--former", action="store_true", help="also facts that were replaced, retired or are in quarantine"
    )
    when.add_argument("--disputed", action="store_true", help="pairs of facts that contradict each other")
    when.add_argument("--at", type=read_moment, metavar="TIME", help="the facts that held at this time, ISO 8601")

    said = "show what was talked about, hottest first, with dates and a summary; exit status 1 when there are no topics"
    user_command(subparsers, "topics", said, topics, "memoryos topics sqlite:///memory.db --user ann")


def topics(arguments: argparse.Namespace) -> int:
    """Show the topics."""
    with open_user(arguments) as user:
        found = user.topics()
    none = "nothing has left short-term memory yet; memoryos worker URL --once does what is due"
    return show_items(found, topic_lines, none, as_json=arguments.json)


def run(arguments: argparse.Namespace) -> int:
    """Show the facts, or pairs of them that contradict each other."""
    with open_user(arguments) as user:
        if arguments.disputed:
            pairs = [d for d in user.disputes() if arguments.about in (None, d.later.about)]
            none = "no facts contradict each other"
            return show_items(pairs, dispute_lines, none, as_json=arguments.json)
        facts = user.facts(arguments.about, current=not arguments.former, at=arguments.at)
    return show_items(facts, fact_lines, "no facts are known", as_json=arguments.json)
