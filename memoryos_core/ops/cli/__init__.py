"""The command `memoryos`: one file a subcommand, each with `add(subparsers)` and `run(arguments)`."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from typing import TextIO, cast

from memoryos_core.errors import MemoryOSError
from memoryos_core.ops.cli import audit, partition, rekey, retain, transfer, worker
from memoryos_core.ops.cli.opening import Subparsers

_REFUSED = 2
_INTERRUPTED = 130  # as a shell says of what Ctrl-C ended

COMMANDS: tuple[Callable[[Subparsers], None], ...] = (
    audit.add,
    partition.add,
    rekey.add,
    retain.add,
    transfer.add,
    worker.add,
)
"""What each subcommand's file adds: to register one is to import its file and to name its `add` here."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one subcommand; returns the exit status: 0 done, 1 the answer is no, 2 refused, 130 interrupted.

    What was refused is told in a line on standard error.
    """
    _replace_closed_streams()
    parser = argparse.ArgumentParser(prog="memoryos", description="Long-term memory for LLM agents: its housekeeping.")
    subparsers = parser.add_subparsers(required=True, metavar="COMMAND")
    for add in COMMANDS:
        add(subparsers)
    arguments = parser.parse_args(argv)
    run: Callable[[argparse.Namespace], int] = arguments.run
    try:
        status = run(arguments)
        sys.stdout.flush()  # here, so that what cannot be written is told
    except MemoryOSError as error:
        sys.stderr.write(f"memoryos: {type(error).__name__}: {error}\n")
        return _REFUSED
    except OSError as error:
        # What is still in the buffer would be tried again when the interpreter ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.stderr.write(f"memoryos: standard input or output failed ({error.strerror})\n")
        return _REFUSED
    except KeyboardInterrupt:
        sys.stderr.write("memoryos: interrupted\n")
        return _INTERRUPTED
    return status


def _replace_closed_streams() -> None:
    """A stream that the caller closed (`>&-`) is None: put one in its place that fails when it is used."""
    if cast("TextIO | None", sys.stdin) is None:
        sys.stdin = os.fdopen(os.open(os.devnull, os.O_WRONLY))
    if cast("TextIO | None", sys.stdout) is None:
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_RDONLY), "w")
    if cast("TextIO | None", sys.stderr) is None:  # nobody is there to be told
        sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
