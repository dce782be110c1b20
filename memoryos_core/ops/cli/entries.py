"""`memoryos add` remembers one turn or one fact; `memoryos forget` erases what a user no longer wants remembered."""

from __future__ import annotations

import argparse
import sys
from functools import partial

from memoryos_core.errors import InvalidInputError
from memoryos_core.ops.cli.opening import Subparsers, key_of, lasting, open_user, user_command
from memoryos_core.ops.cli.output import fact_lines, page_line, read_moment, tell, text_of, write_json, write_lines
from memoryos_core.ops.plain_values import plain, receipt_in_words
from memoryos_core.stores import holds_memory
from memoryos_core.values.reports import ForgetReceipt


def register_add(subparsers: Subparsers) -> None:
    """`memoryos add URL TEXT --user USER [--reply TEXT | --fact] [--end]`."""
    said = "remember what a user said; a memory that is missing is created"
    parser = user_command(
        subparsers, "add", said, run_add, 'memoryos add sqlite:///memory.db "I moved to Porto in May." --user ann'
    )
    parser.add_argument("text", metavar="TEXT", help="what the user said; - reads standard input")
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--reply", metavar="TEXT", help="what was answered")
    kind.add_argument(
        "--fact", action="store_true", help="keep TEXT as a fact that was told on purpose, without a turn"
    )
    parser.add_argument("--end", action="store_true", help="end the session behind it: its facts are read at once")
    parser.add_argument("--at", type=read_moment, metavar="TIME", help="when it was said, ISO 8601 (default: now)")


def run_add(arguments: argparse.Namespace) -> int:
    """Remember it; return 1 for a fact that waits for review, since it reads like an instruction."""
    text = text_of(arguments)
    if not f"{text}{arguments.reply or ''}".strip():
        raise InvalidInputError("there is nothing to remember: TEXT is empty or white space")
    missing = not holds_memory(lasting(arguments), key=key_of(arguments))
    with open_user(arguments, make=True) as user:
        if missing:
            tell("there was no memory at this URL; one was created")
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


def register_forget(subparsers: Subparsers) -> None:
    """`memoryos forget URL --user USER (--id ID … | --whole-session | --everything) [--dry-run | --yes]`."""
    said = "erase pages, facts, a session or everything of a user; shows first what would go, and asks"
    parser = user_command(
        subparsers, "forget", said, run_forget, "memoryos forget sqlite:///memory.db --user ann --id 4f1c… --dry-run"
    )
    parser.add_argument("--id", action="append", default=[], help="a page or a fact; may be given again")
    parser.add_argument("--whole-session", action="store_true", help="everything that was said in --session")
    parser.add_argument("--everything", action="store_true", help="everything of this user with this assistant")
    sure = parser.add_mutually_exclusive_group()
    sure.add_argument("--dry-run", action="store_true", help="only show what would go")
    sure.add_argument("--yes", action="store_true", help="do not ask")


def run_forget(arguments: argparse.Namespace) -> int:
    """Erase it; return 1 when nothing was there to erase, or the answer was no."""
    with open_user(arguments) as user:
        forget = partial(
            user.forget,
            pages=arguments.id,
            facts=arguments.id,
            session=arguments.whole_session,
            everything=arguments.everything,
        )
        planned = forget(dry_run=True)
        if planned == ForgetReceipt():
            tell("nothing here has these ids" if arguments.id else "there is nothing to erase")
            return 1
        if arguments.dry_run:
            _show_receipt("would go", planned, arguments, dry_run=True)
            return 0
        if not arguments.yes and not _confirm(planned):
            tell("nothing was erased")
            return 1
        _show_receipt("erased", forget(), arguments, dry_run=False)
    return 0


def _confirm(planned: ForgetReceipt) -> bool:
    """Ask a person. Raises InvalidInputError without one at the terminal."""
    if not sys.stdin.isatty():
        raise InvalidInputError(f"{receipt_in_words(planned)} would be erased: pass --yes, or --dry-run to only look")
    sys.stderr.write(f"This erases {receipt_in_words(planned)} for good. Go on? [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in {"y", "yes"}


def _show_receipt(said: str, receipt: ForgetReceipt, arguments: argparse.Namespace, *, dry_run: bool) -> None:
    if arguments.json:
        write_json([{"dry_run": dry_run, "receipt": plain(receipt)}])
    else:
        write_lines([f"{said}: {receipt_in_words(receipt)}"])
