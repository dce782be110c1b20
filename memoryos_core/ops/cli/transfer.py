"""A memory out of its store and back in: `export`, `restore`, `import`, `backup`, `restore-backup`, `forgotten`.

JSON Lines go to a pipe or a file. Backups are copies of a memory in use; what was forgotten must not come back with
one.
"""

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
from memoryos_core.ops.cli.opening import (
    MANUAL,
    Subparsers,
    add_json,
    command,
    key_of,
    lasting,
    open_memory,
    subcommand,
)
from memoryos_core.ops.cli.output import read_moment, tell, write_json, write_lines
from memoryos_core.ops.compat.files.importer import import_published
from memoryos_core.stores import holds_memory, read_receipts
from memoryos_core.values.reports import ForgetReceipt, RestoreReport

_TRIED_FIRST = 500


def register_transfer(subparsers: Subparsers) -> None:
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
    report = _restore_lines(arguments, sys.stdin, "standard input")
    if report is not None and arguments.json:
        write_json([report])
    elif report is not None:
        sys.stderr.write(_restored_counts(report) + "\n")
    return 0 if report is not None else 1


def import_path(arguments: argparse.Namespace) -> int:
    """Import a file or a folder and report what came; return 1 for an empty file."""
    path = Path(arguments.path)
    if path.is_dir():
        chosen = {"user_id": arguments.user, "assistant_id": arguments.assistant}
        if not holds_memory(lasting(arguments), key=key_of(arguments)):
            with MemoryOS("sqlite://", embedder=None, config=MANUAL) as trial:  # as `_try` does
                import_published(path, trial, **chosen)
        with open_memory(arguments, make=True) as memory:
            report = import_published(path, memory, **chosen)
    elif arguments.user is not None or arguments.assistant is not None:
        raise InvalidInputError("--user and --assistant choose from a folder: a file is read whole")
    else:
        try:
            with path.open(encoding="utf-8") as lines:
                found = _restore_lines(arguments, lines, arguments.path)
        except OSError as error:
            raise InvalidInputError(
                f"{arguments.path!r} cannot be read ({error.strerror}); name a file or a folder"
            ) from None
        if found is None:
            return 1
        report = found
    write_json([report]) if arguments.json else write_lines([_restored_counts(report), *report.remarks])
    return 0


def _restore_lines(arguments: argparse.Namespace, lines: Iterable[str], source: str) -> RestoreReport | None:
    """Restore what an export wrote; None for an empty source."""
    given = parse_records(lines)
    first = list(islice(given, _TRIED_FIRST))
    if not first:
        sys.stderr.write(f"memoryos: there is nothing to restore: {source} is empty\n")
        return None
    if not holds_memory(lasting(arguments), key=key_of(arguments)):
        _try_records(first)
    with open_memory(arguments, make=True) as memory:
        return memory.restore(chain(first, given))


def _restored_counts(report: RestoreReport) -> str:
    return (
        f"restored {report.pages} pages, {report.segments} segments, {report.facts} facts, {report.traits} traits, "
        f"{report.profile_fields} profile fields, {report.notes} notes; {report.skipped} records were there already"
    )


def _try_records(records: Iterable[Mapping[str, object]]) -> None:
    """Restore the records in RAM first, so that errors are raised before a memory is created."""
    with MemoryOS("sqlite://", embedder=None, config=MANUAL) as memory:
        memory.restore(records)


def _make_private(descriptor: int) -> None:
    """Make an empty file private to its owner; leave pipes, terminals and files with content."""
    found = os.fstat(descriptor)
    if stat.S_ISREG(found.st_mode) and found.st_size == 0:
        os.fchmod(descriptor, stat.S_IRUSR | stat.S_IWUSR)


_BACKUP = "memoryos backup sqlite:///memory.db memory-2026-05-01.db"
_RESTORE = "memoryos restore-backup backups/ new.db --at 2026-05-01T12:00 --forgotten sqlite:///memory.db"
_FORGOTTEN = "memoryos forgotten sqlite:///memory.db > forgotten.jsonl"


def register_backup(subparsers: Subparsers) -> None:
    """`memoryos backup URL FILE`, `memoryos restore-backup BACKUP NEW` and `memoryos forgotten URL`."""
    said = "copy a memory to a new file while it is in use; encrypted as the memory is, under the same key"
    parser = command(subparsers, "backup", said, run_backup, _BACKUP)
    add_json(parser)
    parser.add_argument("file", metavar="FILE", help="where the copy goes; nothing may be there yet")
    parser.add_argument("--incremental", action="store_true", help="FILE is a folder: add what has changed since")
    said = "write a backup to a new file, checked, and without what was forgotten since"
    restored = subcommand(subparsers, "restore-backup", said, restore_backup, _RESTORE)
    restored.add_argument("backup", metavar="BACKUP", help="a file, or the folder of incremental backups")
    restored.add_argument("new", metavar="NEW", help="the file of the memory; nothing may be there yet")
    restored.add_argument(
        "--at",
        type=read_moment,
        help="of a folder: the newest backup that was complete at this time, not the memory at any moment",
    )
    restored.add_argument("--key", help="the encryption key; prefer MEMORYOS_KEY, which process lists do not show")
    add_json(restored)
    known = restored.add_mutually_exclusive_group(required=True)
    known.add_argument("--forgotten", metavar="FILE|URL", help="what was forgotten since: receipts, or the memory")
    known.add_argument(
        "--without-forgotten", action="store_true", help="nothing was forgotten since, or all may return"
    )
    said = "write receipts of what was forgotten to standard output: digests, which tell nothing by themselves"
    receipts = command(subparsers, "forgotten", said, forgotten, _FORGOTTEN)
    add_json(receipts)
    receipts.add_argument("--again", metavar="FILE", help="forget here what the receipts in a file name")


def run_backup(arguments: argparse.Namespace) -> int:
    """Write the copy, which is read back before it gets its name."""
    with open_memory(arguments) as memory:
        memory.backup(arguments.file, incremental=arguments.incremental)
    how = "backed up to" if arguments.incremental else "copied to"
    if arguments.json:
        write_json([{"file": arguments.file}])
    else:
        tell(f"{how} {arguments.file}{'' if arguments.incremental else ', which opens like the memory itself'}")
    return 0


def restore_backup(arguments: argparse.Namespace) -> int:
    """Write the backup to a new file; say of when it is and what was forgotten in it."""
    key = key_of(arguments)
    known = _receipts(arguments) if arguments.forgotten is not None else []
    report = MemoryOS.restore_backup(arguments.backup, arguments.new, forgotten=known, at=arguments.at, key=key)
    when = f" as it was at {report.at.isoformat()}" if report.at else ""
    if arguments.json:
        write_json([{"file": arguments.new, "at": report.at, **_forgotten_counts(report.forgotten)}])
    else:
        tell(f"restored to {arguments.new}{when}; {_forgotten_in_words(report.forgotten)}")
    return 0


def forgotten(arguments: argparse.Namespace) -> int:
    """Write the receipts, or apply those of a file."""
    with open_memory(arguments) as memory:
        if arguments.again is None:
            write_json(memory.forgotten())
        else:
            gone = memory.forget_again(arguments.again)
            if arguments.json:
                write_json([_forgotten_counts(gone)])
            else:
                tell(_forgotten_in_words(gone))
    return 0


def _receipts(arguments: argparse.Namespace) -> list[dict[str, object]]:
    if "://" not in arguments.forgotten:
        return [dict(receipt) for receipt in read_receipts(Path(arguments.forgotten))]
    key = key_of(arguments)
    if not holds_memory(arguments.forgotten, key=key):
        raise InvalidInputError("there is no memory at the URL of --forgotten")
    with MemoryOS(arguments.forgotten, embedder=None, config=MANUAL, key=key) as memory:
        return memory.forgotten(secret=True)


def _forgotten_counts(receipt: ForgetReceipt) -> dict[str, object]:
    return {"pages": receipt.pages, "facts": receipt.facts, "notes": receipt.notes}


def _forgotten_in_words(receipt: ForgetReceipt) -> str:
    return f"{receipt.pages} pages, {receipt.facts} facts and {receipt.notes} notes of it had been forgotten since"
