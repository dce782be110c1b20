"""`memoryos audit`: checks and shows the audit log."""

from __future__ import annotations

import argparse
import json
import sys

from memoryos_core.api.memory import MemoryOS
from memoryos_core.api.user import UserMemory
from memoryos_core.errors import InvalidInputError
from memoryos_core.ops.cli.opening import Subparsers, command, open_memory
from memoryos_core.ops.cli.output import read_moment
from memoryos_core.values.audit import AuditEntry, AuditReport, AuditSummary

_ENTRIES_A_READ = 500


def add(subparsers: Subparsers) -> None:
    """`memoryos audit verify URL [--user USER]` and `memoryos audit show URL --user USER`."""
    said = "check or show the audit log"
    actions = subparsers.add_parser("audit", help=said, description=said).add_subparsers(
        required=True, metavar="ACTION"
    )
    intact = "check that no entry was changed or deleted; exit status 1 when one was"
    check = command(actions, "verify", intact, verify, "memoryos audit verify sqlite:///memory.db")
    check.add_argument("--head", help="a digest saved earlier, which must still be in the chain; needs --user")
    each = "show what was done, oldest first, one JSON object per line"
    shown = command(
        actions, "show", each, show, "memoryos audit show sqlite:///memory.db --user ann --since 2026-05-01"
    )
    shown.add_argument(
        "--since", type=read_moment, help="only entries since this time, ISO 8601, UTC without an offset"
    )
    for parser in (check, shown):
        parser.add_argument("--user", required=parser is shown, help="only this user's log")
        parser.add_argument("--assistant", default="assistant", help="with this assistant; only with --user")


def verify(arguments: argparse.Namespace) -> int:
    """Check one chain, or all; return 0 when they are intact, and 1 also for a user without entries."""
    if arguments.head is not None and arguments.user is None:
        raise InvalidInputError("--head is a digest of one user's log: name the user with --user")
    with open_memory(arguments) as memory:
        if arguments.user is not None:
            return _print_report(_user(memory, arguments).governance.verify(head=arguments.head))
        return _print_report(memory.verify_audit(progress=sys.stderr.isatty()))


def show(arguments: argparse.Namespace) -> int:
    """Write the entries of one chain."""
    with open_memory(arguments) as memory:
        governance, after = _user(memory, arguments).governance, 0
        while entries := governance.audit(since=arguments.since, after=after, limit=_ENTRIES_A_READ):
            for entry in entries:
                sys.stdout.write(_line(entry) + "\n")
            after = entries[-1].seq
    return 0


def _user(memory: MemoryOS, arguments: argparse.Namespace) -> UserMemory:
    return memory.user(arguments.user, assistant_id=arguments.assistant)


def _print_report(found: AuditReport | AuditSummary) -> int:
    if isinstance(found, AuditSummary):
        total, broken = f"{found.entries} entries in {found.chains} chains", found.broken
    else:
        total, broken = f"{found.entries} entries, head {found.head}", () if found.ok else (found,)
    for report in broken:
        sys.stdout.write(f"broken: scope {report.scope}: {report.why}\n")
    # "ok" would be wrong for a misspelt name or a chain that was deleted completely.
    none = isinstance(found, AuditReport) and found.ok and not found.entries
    sys.stdout.write("none: no entry of this user\n" if none else f"{'broken' if broken else 'ok'}: {total}\n")
    return 1 if broken or none else 0


def _line(entry: AuditEntry) -> str:
    said = {"seq": entry.seq, "at": entry.at.isoformat(), "actor": entry.actor, "action": entry.action}
    return json.dumps({**said, "detail": dict(entry.detail), "digest": entry.digest})
