"""The command `memoryos`: subcommands of one kind in a file; `register_…` adds one to the parser, `run_…` does it."""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Callable, Sequence
from typing import TextIO, cast

from memoryos_core.errors import MemoryOSError
from memoryos_core.ops.cli import access, completion, demo, entries, questions, servers, transfer, upkeep
from memoryos_core.ops.cli.opening import Parser, Subparsers

_REFUSED = 2
_INTERRUPTED = 130  # exit status that a shell uses for Ctrl-C
_UNREAD = 141  # and for a program whose output nobody reads any more

COMMANDS: tuple[Callable[[Subparsers], None], ...] = (
    entries.register_add,
    questions.register_recall,
    questions.register_chat,
    questions.register_facts,
    entries.register_forget,
    questions.register_stats,
    transfer.register_transfer,
    demo.register_demo,
    servers.register_inspect,
    servers.register_mcp,
    upkeep.register_worker,
    upkeep.register_retain,
    transfer.register_backup,
    upkeep.register_check,
    upkeep.register_salvage,
    questions.register_check_recall,
    access.register_access,
    upkeep.register_rekey,
    upkeep.register_partition,
    completion.register_completion,
)
"""The functions that add the subcommands; register a new one by adding its function here."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one subcommand; returns the exit status: 0 done, 1 the answer is no, 2 refused, 130 interrupted, 141 unread.

    An error is written as one line to standard error.
    """
    _replace_closed_streams()
    _write_every_character()
    try:
        arguments = _parser().parse_args(argv)
        run: Callable[[argparse.Namespace], int] = arguments.run
        status = run(arguments)
        sys.stdout.flush()  # flush here, so that a write error is reported
    except MemoryOSError as error:
        sys.stderr.write(f"memoryos: {type(error).__name__}: {error}\n")
        return _REFUSED
    except OSError as error:
        return _report_failure(error)
    except KeyboardInterrupt:
        sys.stderr.write("memoryos: interrupted\n")
        return _INTERRUPTED
    return status


def _parser() -> Parser:
    parser = Parser(
        prog="memoryos",
        description="Long-term memory for LLM agents: see it, ask it, correct it, and keep house.",
        epilog="memoryos COMMAND --help shows the options of a command, with an example.",
    )
    subparsers = parser.add_subparsers(required=True, metavar="COMMAND")
    for register in COMMANDS:
        register(subparsers)
    parser.set_defaults(root=parser)
    return parser


def _report_failure(error: OSError) -> int:
    """Say what failed, unless nobody reads the output any more (`| head -1`); return the exit status."""
    if error.filename is not None:
        said = f"{error.filename!r} could not be used ({error.strerror})"
    elif isinstance(error, (ConnectionError, TimeoutError)) and not isinstance(error, BrokenPipeError):
        said = f"a connection failed ({error.strerror or type(error).__name__})"
    else:
        # The interpreter would try to write the buffer again when it ends.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            os.dup2(nowhere, sys.stderr.fileno())
            return _UNREAD
        said = f"standard input or output failed ({error.strerror})"
    sys.stderr.write(f"memoryos: {said}\n")
    return _REFUSED


def _write_every_character() -> None:
    """Let standard output write a character that its encoding lacks as an escape, as standard error does."""
    stream = cast("object", sys.stdout)
    if isinstance(stream, io.TextIOWrapper) and stream.errors in {"strict", "surrogateescape"}:
        cast("io.TextIOWrapper", stream).reconfigure(errors="backslashreplace")


def _replace_closed_streams() -> None:
    """Replace a stream that the caller closed (`>&-`, None in Python) by one that fails when it is used."""
    if cast("TextIO | None", sys.stdin) is None:
        sys.stdin = os.fdopen(os.open(os.devnull, os.O_WRONLY))
    if cast("TextIO | None", sys.stdout) is None:
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_RDONLY), "w")
    if cast("TextIO | None", sys.stderr) is None:  # there is no stream to report to
        sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
