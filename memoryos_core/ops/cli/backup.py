"""`memoryos backup`: a copy of a memory in use, as it is at one moment."""

from __future__ import annotations

import argparse

from memoryos_core.ops.cli.opening import Subparsers, command, open_memory
from memoryos_core.ops.cli.output import tell

_EXAMPLE = "memoryos backup sqlite:///memory.db memory-2026-05-01.db"


def add(subparsers: Subparsers) -> None:
    """`memoryos backup URL FILE`."""
    said = "copy a memory to a new file while it is in use; encrypted as the memory is, under the same key"
    parser = command(subparsers, "backup", said, run, _EXAMPLE)
    parser.add_argument("file", metavar="FILE", help="where the copy goes; nothing may be there yet")


def run(arguments: argparse.Namespace) -> int:
    """Write the copy, which is read back before it gets its name."""
    with open_memory(arguments) as memory:
        memory.backup(arguments.file)
    tell(f"copied to {arguments.file}, which opens like the memory itself")
    return 0
