"""`memoryos chat`: talk with a model that remembers, and look at what it was given."""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Iterator
from contextlib import suppress

from memoryos_core.api.user import UserMemory
from memoryos_core.errors import InvalidInputError, ModelError
from memoryos_core.ops.cli.opening import Subparsers, add_recall_log, open_with_embedder, user_command, user_of
from memoryos_core.ops.cli.output import fact_lines, tell, write_json, write_lines
from memoryos_core.providers.llms import open_chat_model
from memoryos_core.values.dialogue import Recall

_HELP = "/why shows what was recalled for the last answer, /facts what is known, /quit ends"


def add(subparsers: Subparsers) -> None:
    """`memoryos chat URL --user USER --llm MODEL`."""
    said = f"talk with a model that remembers; {_HELP}"
    example = "memoryos chat sqlite:///memory.db --user ann --llm gguf:/models/small.gguf"
    parser = user_command(subparsers, "chat", said, run, example)
    add_recall_log(parser)
    parser.add_argument("--llm", required=True, metavar="MODEL", help="openai:MODEL, or gguf:/path/to/file.gguf")
    parser.add_argument(
        "--budget", type=int, metavar="TOKENS", help="the most tokens recalled (default: as configured)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Answer line by line until the input ends; an answer that fails is told, and the talk goes on."""
    model = open_chat_model(arguments.llm)
    with open_with_embedder(arguments, make=True, config=None, answer_llm=model) as memory:
        user = user_of(memory, arguments)
        last: Recall | None = None
        if sys.stdin.isatty():
            tell(_HELP)
        for line in _read_lines():
            if line == "/quit":
                break
            if line.startswith("/"):
                _show(line, user, last)
                continue
            if _at_terminal():
                sys.stderr.write("…\r")  # the answer takes its place
                sys.stderr.flush()
            last = user.recall(line, budget_tokens=arguments.budget)
            try:
                answer = user.chat(line, recall=last)
            except ModelError as error:
                tell(f"no answer, and nothing was remembered: {error}")
                continue
            _write(arguments, line, answer, last)
    return 0


def _read_lines() -> Iterator[str]:
    """Yield what is typed, without empty lines, until the input ends."""
    read = _ask_line if _at_terminal() else sys.stdin.readline
    while True:
        try:
            line = read()
        except UnicodeDecodeError:
            raise InvalidInputError("standard input is not UTF-8 text") from None
        if not line:
            return
        if line.strip():
            yield line.strip()


def _at_terminal() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def _ask_line() -> str:
    """Return a line that was typed at the terminal; empty at its end."""
    with suppress(ImportError):  # with it, arrow keys edit the line and bring back earlier ones; Windows has its own
        importlib.import_module("readline")
    try:
        return input("> ") + "\n"
    except EOFError:
        sys.stdout.write("\n")  # the shell begins a line of its own
        return ""


def _show(command: str, user: UserMemory, last: Recall | None) -> None:
    if command == "/why" and last is not None:
        write_lines([last.text or "nothing was recalled", *([last.explain()] if last.hits else [])])
    elif command == "/facts":
        facts = user.facts()
        write_lines(line for fact in facts for line in fact_lines(fact))
        if not facts:
            tell("no fact is known yet: pages are read for facts when they leave short-term memory")
    else:
        tell(_HELP)
    sys.stdout.flush()


def _write(arguments: argparse.Namespace, line: str, answer: str, recall: Recall) -> None:
    if arguments.json:
        write_json([{"question": line, "answer": answer, "recalled": recall.text, "tokens": recall.tokens}])
    else:
        write_lines([answer])
    sys.stdout.flush()
