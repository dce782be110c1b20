"""`memoryos export`, `restore` and `import`: a memory as JSON Lines, out to a pipe or a file and back in."""

from __future__ import annotations

import argparse
import os
import stat
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from itertools import chain, islice
from pathlib import Path

from memoryos_core.api.admin import dump_records, parse_records
from memoryos_core.api.memory import MemoryOS
from memoryos_core.errors import InvalidInputError
from memoryos_core.ops.cli.opening import MANUAL, Subparsers, add_json, command, key_of, open_memory, url_of
from memoryos_core.ops.cli.output import write_json, write_lines
from memoryos_core.ops.compat.files.importer import import_published
from memoryos_core.stores import holds_memory
from memoryos_core.values.reports import RestoreReport

_TRIED_FIRST = 500


def add(subparsers: Subparsers) -> None:
    """`memoryos export URL [--user USER] > FILE`, `memoryos restore URL < FILE`, `memoryos import URL PATH`."""
    said = "write what is remembered as JSON Lines to standard output"
    out = command(subparsers, "export", said, export, "memoryos export sqlite:///memory.db --user ann > ann.jsonl")
    out.add_argument("--user", help="only this user's memory; default: all users")
    out.add_argument("--assistant", help="only with this assistant; default: all assistants")
    said = "read JSON Lines that export wrote from standard input"
    back = command(subparsers, "restore", said, restore, "memoryos restore sqlite:///other.db < ann.jsonl")
    said = "read a file that export wrote, or a folder of the JSON files that the published MemoryOS writes"
    into = command(subparsers, "import", said, import_path, "memoryos import sqlite:///memory.db ./memoryos_data")
    into.add_argument("path", metavar="PATH", help="the file or the folder")
    into.add_argument("--user", help="of a folder, only this user")
    into.add_argument("--assistant", help="of a folder with several assistants, which one")
    for parser in (back, into):
        add_json(parser, "write the counts as one JSON object")


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
    report = _restore(arguments, sys.stdin, "standard input")
    if report is not None and arguments.json:
        write_json([report])
    elif report is not None:
        sys.stderr.write(_counts(report) + "\n")
    return 0 if report is not None else 1


def import_path(arguments: argparse.Namespace) -> int:
    """Import a file or a folder and report what came; return 1 for an empty file."""
    path = Path(arguments.path)
    if path.is_dir():
        chosen = {"user_id": arguments.user, "assistant_id": arguments.assistant}
        if not holds_memory(url_of(arguments), key=key_of(arguments)):
            with MemoryOS("sqlite://", embedder=None, config=MANUAL) as trial:  # as `_try` does
                import_published(path, trial, **chosen)
        with open_memory(arguments, make=True) as memory:
            report = import_published(path, memory, **chosen)
    elif arguments.user is not None or arguments.assistant is not None:
        raise InvalidInputError("--user and --assistant choose from a folder: a file is read whole")
    else:
        try:
            with path.open(encoding="utf-8") as lines:
                found = _restore(arguments, lines, arguments.path)
        except OSError as error:
            raise InvalidInputError(
                f"{arguments.path!r} cannot be read ({error.strerror}); name a file or a folder"
            ) from None
        if found is None:
            return 1
        report = found
    write_json([report]) if arguments.json else write_lines([_counts(report), *report.remarks])
    return 0


def _restore(arguments: argparse.Namespace, lines: Iterable[str], source: str) -> RestoreReport | None:
    """Restore what an export wrote; None for an empty source."""
    given = parse_records(lines)
    first = list(islice(given, _TRIED_FIRST))
    if not first:
        sys.stderr.write(f"memoryos: there is nothing to restore: {source} is empty\n")
        return None
    if not holds_memory(url_of(arguments), key=key_of(arguments)):
        _try(first)
    with open_memory(arguments, make=True) as memory:
        return memory.restore(chain(first, given))


def _counts(report: RestoreReport) -> str:
    return (
        f"restored {report.pages} pages, {report.segments} segments, {report.facts} facts, {report.traits} traits, "
        f"{report.profile_fields} profile fields, {report.notes} notes; {report.skipped} records were there already"
    )


def _try(records: Iterable[Mapping[str, object]]) -> None:
    """Restore the records in RAM first, so that errors are raised before a memory is created."""
    with MemoryOS("sqlite://", embedder=None, config=MANUAL) as memory:
        memory.restore(records)


def _make_private(descriptor: int) -> None:
    """Make an empty file private to its owner; leave pipes, terminals and files with content."""
    found = os.fstat(descriptor)
    if stat.S_ISREG(found.st_mode) and found.st_size == 0:
        os.fchmod(descriptor, stat.S_IRUSR | stat.S_IWUSR)
