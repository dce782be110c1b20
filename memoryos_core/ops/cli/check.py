"""`memoryos check`: says whether a memory is whole, by its exit status too."""

from __future__ import annotations

import argparse
import sys

from memoryos_core.ops.cli.opening import Subparsers, command, open_memory
from memoryos_core.ops.cli.output import finding_line, finding_record, write_json, write_lines

_EXAMPLE = "memoryos check sqlite:///memory.db --deep"


def add(subparsers: Subparsers) -> None:
    """`memoryos check URL [--deep] [--json]`."""
    said = "look for broken rows and damage; exit status 1 when there are any"
    parser = command(subparsers, "check", said, run, _EXAMPLE)
    parser.add_argument("--deep", action="store_true", help="read and decode every row, and every page of the file")
    parser.add_argument("--json", action="store_true", help="one JSON line for each finding")


def run(arguments: argparse.Namespace) -> int:
    """Check the store, and tell what breaks a law: its ids, never its text."""
    with open_memory(arguments) as memory:
        report = memory.check(deep=arguments.deep, progress=sys.stderr.isatty())
    if arguments.json:
        write_json(map(finding_record, report.findings))
    elif report.ok:
        users = "1 user break" if report.scopes == 1 else f"{report.scopes} users break"
        write_lines([f"ok: the memories of {users} no law"])
    else:
        write_lines(map(finding_line, report.findings))
    return 0 if report.ok else 1
