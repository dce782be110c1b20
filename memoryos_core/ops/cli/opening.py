"""The memory of a subcommand: its URL and key, from arguments or from the environment."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from memoryos_core.api.memory import MemoryOS
from memoryos_core.api.user import UserMemory
from memoryos_core.config import MemoryConfig, WorkerConfig
from memoryos_core.errors import InvalidInputError
from memoryos_core.hosts.arguments import checked_actor
from memoryos_core.hosts.memories import reopen
from memoryos_core.hosts.validation import identifier
from memoryos_core.ports import ChatModel
from memoryos_core.stores import address_of, holds_memory
from memoryos_core.values.encryption_keys import Keys, key_from_text

if TYPE_CHECKING:  # the class is generic for type checkers alone
    Subparsers: TypeAlias = argparse._SubParsersAction["Parser"]  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
else:
    Subparsers = object

_SHORTEST_TOKEN = 16
MANUAL = MemoryConfig(worker=WorkerConfig(mode="manual"))
"""Configuration for housekeeping: no consolidation in the background."""
Run: TypeAlias = Callable[[argparse.Namespace], int]


class Parser(argparse.ArgumentParser):
    """A parser whose options may stand before, between and behind what has no name (`URL`, `TEXT`)."""

    _parses = False

    def parse_known_args(  # type: ignore[override]  # its overloads are narrower
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """Parse the options first and the rest after them, unless the rest is a subcommand."""
        space = argparse.Namespace() if namespace is None else namespace
        if self._parses or any(action.nargs == argparse.PARSER for action in self._actions):
            return super().parse_known_args(args, space)
        self._parses = True
        given, marked = _mark_words(sys.argv[1:] if args is None else args)
        try:
            found, left = self.parse_known_intermixed_args(given, space)
        finally:
            self._parses = False
        for name, value in vars(found).items():
            if isinstance(value, str) and value in marked:
                setattr(found, name, marked[value])
        return found, [marked.get(word, word) for word in left]


def _mark_words(args: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """Put a mark in the place of each word behind `--` that looks like an option: the second parse lacks the `--`.

    Return the arguments without the `--`, and the words by their marks, which no argument of a program can hold.
    """
    given, marked = list(args), dict[str, str]()
    if "--" not in given:
        return given, marked
    at = given.index("--")
    for place in range(at + 1, len(given)):
        if given[place].startswith("-"):
            mark = f"\0{place}"
            marked[mark], given[place] = given[place], mark
    return [*given[:at], *given[at + 1 :]], marked


def command(subparsers: Subparsers, name: str, said: str, run: Run, example: str) -> Parser:
    """Add a subcommand that opens a memory: it takes its URL (else MEMORYOS_URL) and `--key` (else MEMORYOS_KEY)."""
    parser = subcommand(subparsers, name, said, run, example)
    parser.add_argument("url", nargs="?", metavar="URL", help="the memory, as a SQLAlchemy URL; else MEMORYOS_URL")
    parser.add_argument("--key", help="the encryption key; prefer MEMORYOS_KEY, which process lists do not show")
    return parser


def subcommand(subparsers: Subparsers, name: str, said: str, run: Run, example: str) -> Parser:
    """Add a subcommand; its help ends with an example."""
    parser = subparsers.add_parser(
        name,
        help=said,
        description=said,
        epilog=f"example:\n  {example}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)
    return parser


def user_command(subparsers: Subparsers, name: str, said: str, run: Run, example: str) -> Parser:
    """Add a subcommand that acts on one user's memory; `open_user` opens it."""
    parser = command(subparsers, name, said, run, example)
    add_identity(parser)
    add_json(parser)
    return parser


def add_json(parser: Parser, said: str = "write JSON, one object per line") -> None:
    """Add the option `--json`."""
    parser.add_argument("--json", action="store_true", help=said)


def add_identity(parser: Parser) -> None:
    """Add the options that say whose memory it is, and who acts."""
    parser.add_argument("--user", help="the user whose memory it is; else MEMORYOS_USER")
    parser.add_argument("--assistant", default="assistant", help="the assistant (default: assistant)")
    parser.add_argument("--session", default="default", help="the session (default: default)")
    parser.add_argument("--actor", help="act with the role that this actor was granted (default: the application)")
    parser.add_argument(
        "--embedder", default="auto", help="the embedder of the store (default: auto); 'none' for words only"
    )


def add_recall_log(parser: Parser) -> None:
    """Add the option that writes recalls into the audit log."""
    parser.add_argument(
        "--log-recalls",
        action="store_true",
        help="write each recall into the audit log: ids of hits, never the question",
    )


def url_of(arguments: argparse.Namespace) -> str:
    """Return the given URL. Raises InvalidInputError without one."""
    url: str | None = arguments.url or os.environ.get("MEMORYOS_URL")
    if not url:
        raise InvalidInputError("no memory URL: pass one, such as sqlite:///memory.db, or set MEMORYOS_URL")
    return url


def lasting(arguments: argparse.Namespace) -> str:
    """Return the given URL. Raises InvalidInputError for one in RAM, of which nothing is left behind the command."""
    url = url_of(arguments)
    if address_of(url) is None:
        raise InvalidInputError("this URL is in RAM, where nothing is kept; write it as sqlite:///path/to/memory.db")
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
    """Return the given key, a passphrase or "hex:" and 64 digits; None without one.

    Raises InvalidInputError for an empty one: a secret that was not filled in must not make a plain memory.
    """
    key: str | None = os.environ.get("MEMORYOS_KEY") if arguments.key is None else arguments.key
    if key == "":
        raise InvalidInputError("the key is empty: for a memory without a key, leave --key out and unset MEMORYOS_KEY")
    return None if key is None else Keys(key_from_text(key))


def open_memory(arguments: argparse.Namespace, *, make: bool = False) -> MemoryOS:
    """Open the memory for housekeeping, without a model and without a worker. Raises StoreError.

    Raises InvalidInputError for a database without a memory, unless `make`.
    """
    key = key_of(arguments)
    url = url_of(arguments) if make else existing(arguments, key)
    return MemoryOS(url, embedder=None, config=MANUAL, key=key)


def open_with_embedder(
    arguments: argparse.Namespace,
    *,
    make: bool = False,
    config: MemoryConfig | None = MANUAL,
    answer_llm: ChatModel | None = None,
) -> MemoryOS:
    """Open the memory as `open_memory` does, with `--embedder`; "auto" falls back to words where it must."""
    key = key_of(arguments)
    url = url_of(arguments) if make else existing(arguments, key)
    if getattr(arguments, "log_recalls", False):
        config = replace(config or MemoryConfig(), recall_log=True)
    if arguments.embedder == "auto":
        return reopen(url, config=config, key=key, answer_llm=answer_llm)
    embedder = None if arguments.embedder == "none" else arguments.embedder
    return MemoryOS(url, embedder=embedder, config=config, key=key, answer_llm=answer_llm)


def require_strong(token: str) -> str:
    """Return a token. Raises InvalidInputError, which does not show it, for one that could be guessed."""
    if len(token) < _SHORTEST_TOKEN or not token.isascii() or not token.isprintable() or " " in token:
        raise InvalidInputError(
            f"a token must have at least {_SHORTEST_TOKEN} letters, digits or signs, without blanks"
        )
    return token


def name_of(arguments: argparse.Namespace) -> str:
    """Return the given user. Raises InvalidInputError without one."""
    user: str | None = os.environ.get("MEMORYOS_USER") if arguments.user is None else arguments.user
    if user is None:
        raise InvalidInputError("no user: say whose memory it is with --user, or set MEMORYOS_USER")
    return user


def require_names(arguments: argparse.Namespace) -> None:
    """Raise InvalidInputError for names that no memory takes; call it before one may be created."""
    identifier("user_id", name_of(arguments))
    identifier("assistant_id", arguments.assistant)
    identifier("session_id", arguments.session)
    checked_actor(arguments.actor)


def user_of(memory: MemoryOS, arguments: argparse.Namespace) -> UserMemory:
    """Return the handle of the given user and actor. Raises InvalidInputError without a user."""
    return memory.user(
        name_of(arguments), assistant_id=arguments.assistant, session_id=arguments.session, actor=arguments.actor
    )


@contextmanager
def open_user(arguments: argparse.Namespace, *, make: bool = False) -> Generator[UserMemory, None, None]:
    """Open the memory of the given user, as `open_with_embedder` does, and close it after the block."""
    require_names(arguments)
    with open_with_embedder(arguments, make=make) as memory:
        yield user_of(memory, arguments)
