"""`memoryos forget`: erases what a user no longer wants remembered; the receipt comes first."""

from __future__ import annotations

import argparse
import sys
from functools import partial

from memoryos_core.errors import InvalidInputError
from memoryos_core.ops.cli.opening import Subparsers, open_user, user_command
from memoryos_core.ops.cli.output import tell, write_json, write_lines
from memoryos_core.ops.plain_values import plain, receipt_in_words
from memoryos_core.values.reports import ForgetReceipt


def add(subparsers: Subparsers) -> None:
    """`memoryos forget URL --user USER (--id ID … | --whole-session | --everything) [--dry-run | --yes]`."""
    said = "erase pages, facts, a session or everything of a user; shows first what would go, and asks"
    parser = user_command(
        subparsers, "forget", said, run, "memoryos forget sqlite:///memory.db --user ann --id 4f1c… --dry-run"
    )
    parser.add_argument("--id", action="append", default=[], help="a page or a fact; may be given again")
    parser.add_argument("--whole-session", action="store_true", help="everything that was said in --session")
    parser.add_argument("--everything", action="store_true", help="everything of this user with this assistant")
    sure = parser.add_mutually_exclusive_group()
    sure.add_argument("--dry-run", action="store_true", help="only show what would go")
    sure.add_argument("--yes", action="store_true", help="do not ask")


def run(arguments: argparse.Namespace) -> int:
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
            _show("would go", planned, arguments, dry_run=True)
            return 0
        if not arguments.yes and not _confirm(planned):
            tell("nothing was erased")
            return 1
        _show("erased", forget(), arguments, dry_run=False)
    return 0


def _confirm(planned: ForgetReceipt) -> bool:
    """Ask a person. Raises InvalidInputError without one at the terminal."""
    if not sys.stdin.isatty():
        raise InvalidInputError(f"{receipt_in_words(planned)} would be erased: pass --yes, or --dry-run to only look")
    sys.stderr.write(f"This erases {receipt_in_words(planned)} for good. Go on? [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in {"y", "yes"}


def _show(said: str, receipt: ForgetReceipt, arguments: argparse.Namespace, *, dry_run: bool) -> None:
    if arguments.json:
        write_json([{"dry_run": dry_run, "receipt": plain(receipt)}])
    else:
        write_lines([f"{said}: {receipt_in_words(receipt)}"])
