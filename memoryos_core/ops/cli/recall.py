"""`memoryos recall` and `memoryos search`: ask a memory a question."""

from __future__ import annotations

import argparse

from memoryos_core.ops.cli.opening import Subparsers, add_recall_log, open_user, user_command
from memoryos_core.ops.cli.output import hit_lines, read_moment, show_items, tell, text_of, write_json, write_lines
from memoryos_core.ops.plain_values import plain_recall

_NOTHING = "nothing is remembered about that"
_ELSEWHERE = "memoryos recall"  # a session that ended is recalled in every other one
_TIERS = ("short_term", "mid_term", "archive", "long_term")


def add(subparsers: Subparsers) -> None:
    """`memoryos recall URL QUESTION --user USER` and `memoryos search URL WORDS --user USER`."""
    said = "show the text that a prompt would get for a question; exit status 1 when nothing is remembered about it"
    asked = user_command(
        subparsers, "recall", said, recall, 'memoryos recall sqlite:///memory.db "Where does Ann live?" --user ann'
    )
    asked.add_argument("text", metavar="QUESTION", help="the question; - reads standard input")
    asked.add_argument("--budget", type=int, metavar="TOKENS", help="the most tokens of text (default: as configured)")
    asked.add_argument("--recent", action="store_true", help="with the recent turns of --session")
    asked.set_defaults(session=None)
    add_recall_log(asked)
    asked.add_argument("--explain", action="store_true", help="also show the signals that ranked each hit")
    found = user_command(
        subparsers,
        "search",
        "show the best hits with scores and ids; exit status 1 without a hit",
        search,
        'memoryos search sqlite:///memory.db "Porto" --user ann -k 3',
    )
    found.add_argument("text", metavar="WORDS", help="what to look for; - reads standard input")
    found.add_argument("-k", type=int, default=5, metavar="N", help="how many hits (5)")
    found.add_argument("--since", type=read_moment, metavar="TIME", help="said at this time or later, ISO 8601")
    found.add_argument("--until", type=read_moment, metavar="TIME", help="said before this time")
    found.add_argument("--tier", action="append", default=[], choices=_TIERS, help="only this tier; may be given again")
    for parser in (asked, found):
        parser.add_argument("--min-score", type=float, metavar="SHARE", help="leave out what is less relevant, 0 to 1")


def recall(arguments: argparse.Namespace) -> int:
    """Show the text of a recall."""
    question = text_of(arguments)
    arguments.session = arguments.session or ("default" if arguments.recent else _ELSEWHERE)
    with open_user(arguments) as user:
        answer = user.recall(
            question,
            budget_tokens=arguments.budget,
            include_recent=arguments.recent,
            min_score=arguments.min_score,
        )
    if arguments.json:
        write_json([plain_recall(answer)])
    elif answer:
        write_lines([answer.text, *(["", answer.explain()] if arguments.explain else [])])
    else:
        tell(_NOTHING if arguments.recent else f"{_NOTHING}; with --recent the session's last turns come, too")
    return 0 if answer else 1


def search(arguments: argparse.Namespace) -> int:
    """Show the hits of a search, best first."""
    words = text_of(arguments)
    with open_user(arguments) as user:
        hits = user.search(
            words,
            arguments.k,
            since=arguments.since,
            until=arguments.until,
            tiers=arguments.tier,
            min_score=arguments.min_score or 0.0,
        )
    return show_items(hits, hit_lines, _NOTHING, as_json=arguments.json)
