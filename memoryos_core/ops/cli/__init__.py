"""The command `memoryos`: one file a subcommand, each with `add(subparsers)` and `run(arguments)`."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from typing import TextIO, cast

from memoryos_core.errors import MemoryOSError
from memoryos_core.ops.cli import (
    access,
    add,
    backup,
    chat,
    check,
    check_recall,
    completion,
    demo,
    facts,
    forget,
    inspect,
    mcp,
    partition,
    recall,
    rekey,
    retain,
    salvage,
    stats,
    transfer,
    worker,
)
from memoryos_core.ops.cli.opening import Parser, Subparsers

_REFUSED = 2
_INTERRUPTED = 130  # exit status that a shell uses for Ctrl-C

COMMANDS: tuple[Callable[[Subparsers], None], ...] = (
    add.add,
    recall.add,
    chat.add,
    facts.add,
    forget.add,
    stats.add,
    transfer.add,
    demo.add,
    inspect.add,
    mcp.add,
    worker.add,
    retain.add,
    backup.add,
    check.add,
    salvage.add,
    check_recall.add,
    access.add,
    rekey.add,
    partition.add,
    completion.add,
)
"""The `add` function of each subcommand; register a new one by adding it here."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one subcommand; returns the exit status: 0 done, 1 the answer is no, 2 refused, 130 interrupted.

    An error is written as one line to standard error.
    """
    _replace_closed_streams()
    parser = Parser(
        prog="memoryos",
        description="Long-term memory for LLM agents: see it, ask it, correct it, and keep house.",
        epilog="memoryos COMMAND --help shows the options of a command, with an example.",
    )
    subparsers = parser.add_subparsers(required=True, metavar="COMMAND")
    for register in COMMANDS:
        register(subparsers)
    parser.set_defaults(root=parser)
    arguments = parser.parse_args(argv)
    run: Callable[[argparse.Namespace], int] = arguments.run
    try:
        status = run(arguments)
        sys.stdout.flush()  # flush here, so that a write error is reported
    except MemoryOSError as error:
        sys.stderr.write(f"memoryos: {type(error).__name__}: {error}\n")
        return _REFUSED
    except OSError as error:
        # The interpreter would try to write the buffer again when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.stderr.write(f"memoryos: standard input or output failed ({error.strerror})\n")
        return _REFUSED
    except KeyboardInterrupt:
        sys.stderr.write("memoryos: interrupted\n")
        return _INTERRUPTED
    return status


def _replace_closed_streams() -> None:
    """Replace a stream that the caller closed (`>&-`, None in Python) by one that fails when it is used."""
    if cast("TextIO | None", sys.stdin) is None:
        sys.stdin = os.fdopen(os.open(os.devnull, os.O_WRONLY))
    if cast("TextIO | None", sys.stdout) is None:
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_RDONLY), "w")
    if cast("TextIO | None", sys.stderr) is None:  # there is no stream to report to
        sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
