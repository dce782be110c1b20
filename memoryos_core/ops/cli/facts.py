"""`memoryos facts` and `memoryos topics`: show what is known, and what was talked about."""

from __future__ import annotations

import argparse

from memoryos_core.ops.cli.opening import Subparsers, open_user, user_command
from memoryos_core.ops.cli.output import fact_lines, read_moment, tell, topic_lines, write_json, write_lines


def add(subparsers: Subparsers) -> None:
    """`memoryos facts URL --user USER [--former] [--at TIME] [--about user]` and `memoryos topics URL --user USER`."""
    said = "show the facts that are known, oldest first; exit status 1 when there are none"
    parser = user_command(subparsers, "facts", said, run, "memoryos facts sqlite:///memory.db --user ann --former")
    parser.add_argument("--about", choices=("user", "assistant"), help="only facts about the user or the assistant")
    when = parser.add_mutually_exclusive_group()
    when.add_argument(
        "--former", action="store_true", help="also facts that were replaced, retired or are in quarantine"
    )
    when.add_argument("--at", type=read_moment, metavar="TIME", help="the facts that held at this time, ISO 8601")

    said = "show what was talked about, hottest first, with dates and a summary; exit status 1 when there are no topics"
    user_command(subparsers, "topics", said, topics, "memoryos topics sqlite:///memory.db --user ann")


def topics(arguments: argparse.Namespace) -> int:
    """Show the topics."""
    with open_user(arguments) as user:
        found = user.topics()
    if arguments.json:
        write_json(found)
    else:
        write_lines(line for topic in found for line in topic_lines(topic))
    if not found:
        tell("nothing has left short-term memory yet; memoryos worker URL --once does what is due")
    return 0 if found else 1


def run(arguments: argparse.Namespace) -> int:
    """Show the facts."""
    with open_user(arguments) as user:
        facts = user.facts(arguments.about, current=not arguments.former, at=arguments.at)
    if arguments.json:
        write_json(facts)
    else:
        write_lines(line for fact in facts for line in fact_lines(fact))
    if not facts:
        tell("no facts are known")
    return 0 if facts else 1
