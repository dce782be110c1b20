"""`memoryos export` and `memoryos restore`: a memory as JSON Lines, out to a pipe or a file and back in."""

from __future__ import annotations

import argparse
import os
import stat
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from itertools import chain, islice

from memoryos_core.api.admin import dump_records, parse_records
from memoryos_core.api.memory import MemoryOS
from memoryos_core.ops.cli.opening import MANUAL, Subparsers, command, key_of, open_memory, url_of
from memoryos_core.stores import holds_memory

_TRIED_FIRST = 500


def add(subparsers: Subparsers) -> None:
    """`memoryos export URL [--user USER] [--assistant ASSISTANT] > FILE`, `memoryos restore URL < FILE`."""
    out = command(subparsers, "export", "write what is remembered as JSON Lines to standard output", export)
    out.add_argument("--user", help="only this user's memory; default: all users")
    out.add_argument("--assistant", help="only with this assistant; default: all assistants")
    command(subparsers, "restore", "read JSON Lines that export wrote from standard input", restore)


def export(arguments: argparse.Namespace) -> int:
    """Write the records; return 1 without such a user. A new output file becomes private."""
    with suppress(OSError):  # a stream without a file, or a closed one
        _make_private(sys.stdout.fileno())
    with open_memory(arguments) as memory:
        wanted = [
            scope
            for scope in memory.scopes()
            if arguments.user in (None, scope.user_id) and arguments.assistant in (None, scope.assistant_id)
        ]
        for scope in wanted:
            user = memory.user(scope.user_id, assistant_id=scope.assistant_id)
            sys.stdout.writelines(dump_records(user.export()))
    return 0 if wanted else 1


def restore(arguments: argparse.Namespace) -> int:
    """Restore records; existing ones are skipped. Report counts on standard error; return 1 for empty input."""
    given = parse_records(sys.stdin)
    first = list(islice(given, _TRIED_FIRST))
    if not first:
        sys.stderr.write("memoryos: there is nothing to restore: standard input is empty\n")
        return 1
    if not holds_memory(url_of(arguments), key=key_of(arguments)):
        _try(first)
    records = chain(first, given)
    with open_memory(arguments, make=True) as memory:
        report = memory.restore(records)
    sys.stderr.write(
        f"restored {report.pages} pages, {report.segments} segments, {report.facts} facts, {report.traits} traits, "
        f"{report.profile_fields} profile fields, {report.notes} notes; {report.skipped} records were there already\n"
    )
    return 0


def _try(records: Iterable[Mapping[str, object]]) -> None:
    """Restore the records in RAM first, so that errors are raised before a memory is created."""
    with MemoryOS("sqlite://", embedder=None, config=MANUAL) as memory:
        memory.restore(records)


def _make_private(descriptor: int) -> None:
    """Make an empty file private to its owner; leave pipes, terminals and files with content."""
    found = os.fstat(descriptor)
    if stat.S_ISREG(found.st_mode) and found.st_size == 0:
        os.fchmod(descriptor, stat.S_IRUSR | stat.S_IWUSR)
