"""`memoryos worker`: consolidates what is due in a store until it is told to stop."""

from __future__ import annotations

import argparse
import importlib
import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace

from memoryos_core.api.memory import MemoryOS
from memoryos_core.config import MemoryConfig
from memoryos_core.errors import InvalidInputError
from memoryos_core.ops.cli.opening import Subparsers, add_json, command, existing, key_of, url_of
from memoryos_core.ops.cli.output import write_json, write_lines
from memoryos_core.ports.forks import Event
from memoryos_core.stores import address_of
from memoryos_core.values.encryption_keys import Keys

_SAID = "consolidate what is due in a store; run any number of them, on any hosts"


def add(subparsers: Subparsers) -> None:
    """Register the subcommand."""
    parser = command(subparsers, "worker", _SAID, run, "memoryos worker sqlite:///memory.db --once")
    add_json(parser)
    parser.add_argument("--threads", type=int, help="users in parallel (default: as configured, else 2)")
    parser.add_argument("--llm", help="the model that consolidates, such as openai:gpt-4o-mini (default: none)")
    parser.add_argument("--embedder", default="auto", help="the embedder of the store; 'none' for words only")
    parser.add_argument(
        "--config", metavar="MODULE:NAME", help="the application's MemoryConfig to import, as MODULE:NAME"
    )
    parser.add_argument("--once", action="store_true", help="stop when nothing is due")
    parser.add_argument("--create", action="store_true", help="create the memory when it is missing")
    parser.add_argument("--poll", type=float, default=1.0, metavar="SECONDS", help="seconds between checks when idle")


def run(arguments: argparse.Namespace) -> int:
    """Work until SIGTERM or SIGINT, which let the current move finish, or with `--once` until nothing is due."""
    config, key = _load_config(arguments.config), key_of(arguments)
    with (
        MemoryOS(
            _url_of(arguments, key),
            key=key,
            embedder=None if arguments.embedder == "none" else arguments.embedder,
            llm=arguments.llm,
            # The worker claims scopes itself; background threads of the memory would have nothing to do.
            config=replace(config, worker=replace(config.worker, mode="manual")),
        ) as memory,
        _told_to_stop() as stop,
    ):
        report = memory.run_worker(
            threads=arguments.threads, once=arguments.once, poll_seconds=arguments.poll, stop=stop
        )
    if arguments.json:
        write_json([report])
    else:
        write_lines([f"{report.pages_moved} pages moved, {report.facts_learned} facts learnt"])
    return 0


def _url_of(arguments: argparse.Namespace, key: Keys | None) -> str:
    """Return the URL of a memory that exists or may be created (always in RAM). Raises InvalidInputError."""
    url = url_of(arguments)
    return url if arguments.create or address_of(url) is None else existing(arguments, key)


@contextmanager
def _told_to_stop() -> Generator[threading.Event, None, None]:
    """Return an event that SIGTERM or SIGINT sets."""
    stop = Event()

    def tell(_number: int, _frame: object) -> None:
        stop.set()

    before = {number: signal.signal(number, tell) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _load_config(name: str | None) -> MemoryConfig:
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
