"""`memoryos salvage`: all rows that can be read out of a damaged file, into a new memory; the others by their ids."""

from __future__ import annotations

import argparse
import sys

from memoryos_core.api.memory import MemoryOS
from memoryos_core.ops.cli.opening import Subparsers, command, key_of, url_of
from memoryos_core.ops.cli.output import finding_line, finding_record, write_json, write_lines
from memoryos_core.values.dialogue import Scope

_EXAMPLE = "memoryos salvage sqlite:///damaged.db saved.db"


def add(subparsers: Subparsers) -> None:
    """`memoryos salvage URL NEW [--user USER …] [--json]`."""
    said = "take all rows that can be read out of a damaged file; exit status 1 when some could not"
    parser = command(subparsers, "salvage", said, run, _EXAMPLE)
    parser.add_argument("new", metavar="NEW", help="the file of the new memory; nothing may be there yet")
    parser.add_argument("--user", action="append", default=[], help="a user whose own row may be lost; may be repeated")
    parser.add_argument("--assistant", default="assistant", help="their assistant (default: assistant)")
    parser.add_argument("--json", action="store_true", help="one JSON line for what was saved, and for each loss")


def run(arguments: argparse.Namespace) -> int:
    """Write the new file, and tell what is in it and what is not: ids, never text."""
    users = [Scope(user, arguments.assistant) for user in arguments.user]
    report = MemoryOS.salvage(
        url_of(arguments), arguments.new, key=key_of(arguments), users=users, progress=sys.stderr.isatty()
    )
    if arguments.json:
        write_json([{"saved": dict(report.rows)}, *map(finding_record, report.lost)])
    else:
        saved = ", ".join(f"{count} {kind}" for kind, count in report.rows.items()) or "nothing"
        write_lines([f"saved in {arguments.new}: {saved}", *map(finding_line, report.lost)])
    return 0 if report.ok else 1
