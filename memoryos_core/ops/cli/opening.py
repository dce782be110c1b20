"""The memory of a subcommand: its URL and key, from arguments or from the environment."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from memoryos_core.api.memory import MemoryOS
from memoryos_core.config import MemoryConfig, WorkerConfig
from memoryos_core.errors import InvalidInputError
from memoryos_core.stores import holds_memory
from memoryos_core.values.encryption_keys import Keys, key_from_text

if TYPE_CHECKING:  # the class is generic for type checkers alone
    Subparsers: TypeAlias = argparse._SubParsersAction[argparse.ArgumentParser]  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
else:
    Subparsers = object

MANUAL = MemoryConfig(worker=WorkerConfig(mode="manual"))
"""Configuration for housekeeping: no consolidation in the background."""
Run: TypeAlias = Callable[[argparse.Namespace], int]


def command(subparsers: Subparsers, name: str, said: str, run: Run) -> argparse.ArgumentParser:
    """Add a subcommand that opens a memory: it takes its URL (else MEMORYOS_URL) and `--key` (else MEMORYOS_KEY)."""
    parser = subparsers.add_parser(name, help=said, description=said)
    parser.add_argument("url", nargs="?", metavar="URL", help="the memory, as a SQLAlchemy URL; else MEMORYOS_URL")
    parser.add_argument("--key", help="the encryption key; prefer MEMORYOS_KEY, which process lists do not show")
    parser.set_defaults(run=run)
    return parser


def url_of(arguments: argparse.Namespace) -> str:
    """Return the given URL. Raises InvalidInputError without one."""
    url: str | None = arguments.url or os.environ.get("MEMORYOS_URL")
    if not url:
        raise InvalidInputError("no memory URL: pass one, such as sqlite:///memory.db, or set MEMORYOS_URL")
    return url


def existing(arguments: argparse.Namespace, key: Keys | None) -> str:
    """Return the given URL. Raises InvalidInputError when there is no memory at it.

    A mistyped URL must not create an empty memory that then looks verified, or create our tables in a database
    of another application.
    """
    url = url_of(arguments)
    if not holds_memory(url, key=key):
        raise InvalidInputError("there is no memory at this URL; write it as sqlite:///path/to/memory.db")
    return url


def key_of(arguments: argparse.Namespace) -> Keys | None:
    """Return the given key, a passphrase or "hex:" and 64 digits; None without one."""
    key: str | None = arguments.key or os.environ.get("MEMORYOS_KEY")
    return Keys(key_from_text(key)) if key else None


def open_memory(arguments: argparse.Namespace, *, make: bool = False) -> MemoryOS:
    """Open the memory for housekeeping, without a model and without a worker. Raises StoreError.

    Raises InvalidInputError for a database without a memory, unless `make`.
    """
    key = key_of(arguments)
    url = url_of(arguments) if make else existing(arguments, key)
    return MemoryOS(url, embedder=None, config=MANUAL, key=key)
