"""`memoryos worker`: consolidates what is due in a store until it is told to stop."""

from __future__ import annotations

import argparse
import importlib
import signal
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace

from memoryos_core.api.memory import MemoryOS
from memoryos_core.config import MemoryConfig
from memoryos_core.errors import InvalidInputError
from memoryos_core.ops.cli.opening import Subparsers, command, existing, key_of, url_of
from memoryos_core.ports.forks import Event
from memoryos_core.stores import address_of
from memoryos_core.values.encryption_keys import Keys

_SAID = "consolidate what is due in a store; run any number of them, on any hosts"


def add(subparsers: Subparsers) -> None:
    """Register it."""
    parser = command(subparsers, "worker", _SAID, run)
    parser.add_argument("--threads", type=int, help="users at a time (default: as configured, else 2)")
    parser.add_argument("--llm", help="the model that consolidates, such as openai:gpt-4o-mini (default: none)")
    parser.add_argument("--embedder", default="auto", help="the embedder of the store; 'none' for words only")
    parser.add_argument("--config", metavar="MODULE:NAME", help="the application's MemoryConfig, to be imported")
    parser.add_argument("--once", action="store_true", help="end when nothing is due")
    parser.add_argument("--create", action="store_true", help="make a memory where there is none")
    parser.add_argument("--poll", type=float, default=1.0, metavar="SECONDS", help="how often to look when idle")


def run(arguments: argparse.Namespace) -> int:
    """Work until SIGTERM or SIGINT, which let the move in hand finish, or with `--once` until nothing is due."""
    config, key = _configured(arguments.config), key_of(arguments)
    with (
        MemoryOS(
            _url_of(arguments, key),
            key=key,
            embedder=None if arguments.embedder == "none" else arguments.embedder,
            llm=arguments.llm,
            # The scopes that it claims are its work; threads of its own beside those would have nothing to do.
            config=replace(config, worker=replace(config.worker, mode="manual")),
        ) as memory,
        _told_to_stop() as stop,
    ):
        report = memory.run_worker(
            threads=arguments.threads, once=arguments.once, poll_seconds=arguments.poll, stop=stop
        )
    sys.stdout.write(f"{report.pages_moved} pages moved, {report.facts_learned} facts learnt\n")
    return 0


def _url_of(arguments: argparse.Namespace, key: Keys | None) -> str:
    """The URL of a memory that is there, or may be made, as one in RAM is each time. Raises InvalidInputError."""
    url = url_of(arguments)
    return url if arguments.create or address_of(url) is None else existing(arguments, key)


@contextmanager
def _told_to_stop() -> Generator[threading.Event, None, None]:
    """Set by a signal that would end the process."""
    stop = Event()

    def tell(_number: int, _frame: object) -> None:
        stop.set()

    before = {number: signal.signal(number, tell) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _configured(name: str | None) -> MemoryConfig:
    if name is None:
        return MemoryConfig()
    module, _, attribute = name.partition(":")
    try:
        found = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError, ValueError, TypeError, SyntaxError) as error:
        raise InvalidInputError(
            f"--config {name!r} cannot be imported ({type(error).__name__}); give MODULE:NAME"
        ) from None
    if not isinstance(found, MemoryConfig):
        raise InvalidInputError(f"--config {name!r} must name a MemoryConfig, not a {type(found).__name__}")
    return found
