"""`memoryos check-recall`: asks the questions of a file, and says by its exit status whether the answers still come."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable
from pathlib import Path

from memoryos_core.errors import InvalidInputError
from memoryos_core.ops.cli.opening import Subparsers, command, open_with_embedder
from memoryos_core.ops.cli.output import tell, write_json, write_lines
from memoryos_core.ops.recall_cases import RecallCase, read_cases

_EXAMPLE = "memoryos check-recall sqlite:///memory.db cases.jsonl"


def add(subparsers: Subparsers) -> None:
    """`memoryos check-recall URL FILE`."""
    said = "ask the questions of a file of cases; exit status 1 when one does not bring what it must"
    parser = command(subparsers, "check-recall", said, run, _EXAMPLE)
    parser.add_argument("file", metavar="FILE", help="cases that the inspector saved, one JSON object a line")
    parser.add_argument("--user", help="the user of the cases that name none; else MEMORYOS_USER")
    parser.add_argument("--actor", help="act with the role that this actor was granted (default: the application)")
    parser.add_argument("--embedder", default="auto", help="the embedder of the store; 'none' for words only")
    parser.add_argument("--json", action="store_true", help="write JSON, one object for each case")


def run(arguments: argparse.Namespace) -> int:
    """Check each case; return 1 for a case that fails, and for a file without any."""
    cases = _read_file(arguments.file)
    if not cases:
        tell("there is no case in this file")
        return 1
    named = arguments.user or os.environ.get("MEMORYOS_USER") or ""
    if not named and not all(case.user for case in cases):
        raise InvalidInputError("a case names no user: say whose memory it is with --user, or set MEMORYOS_USER")
    with open_with_embedder(arguments) as memory:
        wrong = [
            case.check(memory.user(case.user or named, assistant_id=case.assistant, actor=arguments.actor))
            for case in cases
        ]
    if arguments.json:
        write_json(
            {"question": c.question, "user": c.user or named, "ok": not w, "wrong": w}
            for c, w in zip(cases, wrong, strict=True)
        )
    else:
        write_lines(_lines(cases, wrong))
    return 1 if any(wrong) else 0


def _read_file(path: str) -> list[RecallCase]:
    try:
        with Path(path).open(encoding="utf-8") as lines:
            return list(read_cases(lines))
    except OSError as error:
        raise InvalidInputError(f"{path!r} cannot be read ({error.strerror}); name a file of cases") from None
    except UnicodeDecodeError:
        raise InvalidInputError(f"{path!r} is not UTF-8 text; name a file of cases") from None


def _lines(cases: list[RecallCase], wrong: list[tuple[str, ...]]) -> Iterable[str]:
    for case, said in zip(cases, wrong, strict=True):
        if said:
            yield f"failed: {case.question}"
            yield from (f"  {each}" for each in said)
    passed = sum(not said for said in wrong)
    yield f"{passed} of {len(cases)} cases passed"
