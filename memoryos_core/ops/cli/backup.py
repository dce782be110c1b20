"""`memoryos backup`, `restore-backup`, `forgotten`: copies of a memory in use, and what must not come back with one."""

from __future__ import annotations

import argparse
from pathlib import Path

from memoryos_core.api.memory import MemoryOS
from memoryos_core.errors import InvalidInputError
from memoryos_core.ops.cli.opening import MANUAL, Subparsers, add_json, command, key_of, open_memory, subcommand
from memoryos_core.ops.cli.output import read_moment, tell, write_json
from memoryos_core.stores import holds_memory, read_receipts
from memoryos_core.values.reports import ForgetReceipt

_EXAMPLE = "memoryos backup sqlite:///memory.db memory-2026-05-01.db"
_RESTORE = "memoryos restore-backup backups/ new.db --at 2026-05-01T12:00 --forgotten sqlite:///memory.db"
_FORGOTTEN = "memoryos forgotten sqlite:///memory.db > forgotten.jsonl"


def add(subparsers: Subparsers) -> None:
    """`memoryos backup URL FILE`, `memoryos restore-backup BACKUP NEW` and `memoryos forgotten URL`."""
    said = "copy a memory to a new file while it is in use; encrypted as the memory is, under the same key"
    parser = command(subparsers, "backup", said, run, _EXAMPLE)
    add_json(parser)
    parser.add_argument("file", metavar="FILE", help="where the copy goes; nothing may be there yet")
    parser.add_argument("--incremental", action="store_true", help="FILE is a folder: add what has changed since")
    said = "write a backup to a new file, checked, and without what was forgotten since"
    restored = subcommand(subparsers, "restore-backup", said, restore, _RESTORE)
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


def run(arguments: argparse.Namespace) -> int:
    """Write the copy, which is read back before it gets its name."""
    with open_memory(arguments) as memory:
        memory.backup(arguments.file, incremental=arguments.incremental)
    how = "backed up to" if arguments.incremental else "copied to"
    if arguments.json:
        write_json([{"file": arguments.file}])
    else:
        tell(f"{how} {arguments.file}{'' if arguments.incremental else ', which opens like the memory itself'}")
    return 0


def restore(arguments: argparse.Namespace) -> int:
    """Write the backup to a new file; say of when it is and what was forgotten in it."""
    key = key_of(arguments)
    known = _receipts(arguments) if arguments.forgotten is not None else []
    report = MemoryOS.restore_backup(arguments.backup, arguments.new, forgotten=known, at=arguments.at, key=key)
    when = f" as it was at {report.at.isoformat()}" if report.at else ""
    if arguments.json:
        write_json([{"file": arguments.new, "at": report.at, **_counts(report.forgotten)}])
    else:
        tell(f"restored to {arguments.new}{when}; {_count(report.forgotten)}")
    return 0


def forgotten(arguments: argparse.Namespace) -> int:
    """Write the receipts, or apply those of a file."""
    with open_memory(arguments) as memory:
        if arguments.again is None:
            write_json(memory.forgotten())
        else:
            gone = memory.forget_again(arguments.again)
            if arguments.json:
                write_json([_counts(gone)])
            else:
                tell(_count(gone))
    return 0


def _receipts(arguments: argparse.Namespace) -> list[dict[str, object]]:
    if "://" not in arguments.forgotten:
        return [dict(receipt) for receipt in read_receipts(Path(arguments.forgotten))]
    key = key_of(arguments)
    if not holds_memory(arguments.forgotten, key=key):
        raise InvalidInputError("there is no memory at the URL of --forgotten")
    with MemoryOS(arguments.forgotten, embedder=None, config=MANUAL, key=key) as memory:
        return memory.forgotten(secret=True)


def _counts(receipt: ForgetReceipt) -> dict[str, object]:
    return {"pages": receipt.pages, "facts": receipt.facts, "notes": receipt.notes}


def _count(receipt: ForgetReceipt) -> str:
    return f"{receipt.pages} pages, {receipt.facts} facts and {receipt.notes} notes of it had been forgotten since"
