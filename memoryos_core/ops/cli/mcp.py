"""`memoryos mcp`: serves one user's memory over the Model Context Protocol."""

from __future__ import annotations

import argparse
import json
import os
import secrets
import sys
from importlib.metadata import version
from pathlib import Path
from typing import cast

from memoryos_core.api.memory import MemoryOS
from memoryos_core.api.user import UserMemory
from memoryos_core.errors import InvalidInputError
from memoryos_core.ops.cli.opening import (
    Subparsers,
    add_identity,
    add_recall_log,
    command,
    open_with_embedder,
    require_strong,
    user_of,
)
from memoryos_core.ports.optional_imports import require_installed

_OUTSIDE = "memoryos mcp"  # a session of our own: what another one ended is recalled here


def add(subparsers: Subparsers) -> None:
    """`memoryos mcp URL --user USER [--http PORT]`."""
    said = "serve a user's memory to assistants over MCP: on standard input and output, or with --http on 127.0.0.1"
    parser = command(subparsers, "mcp", said, run, "memoryos mcp sqlite:///memory.db --user ann")
    add_identity(parser)
    parser.set_defaults(session=_OUTSIDE)
    add_recall_log(parser)
    parser.add_argument("--read-only", action="store_true", help="offer only recall, facts and stats")
    parser.add_argument(
        "--http", type=int, metavar="PORT", help="streamable HTTP on this port of 127.0.0.1; 0: a free one"
    )
    parser.add_argument(
        "--token", help="the token that --http asks for; prefer MEMORYOS_MCP_TOKEN (default: a new one, written out)"
    )
    parser.add_argument(
        "--tokens", metavar="FILE", help='identities for --http, JSON: {"TOKEN": {"user": "ann", "actor": "bot"}, …}'
    )


def run(arguments: argparse.Namespace) -> int:
    """Serve until the client ends the stream, or the process is told to stop."""
    require_installed("mcp", "mcp")
    from memoryos_core.ops.mcp.server import make_server  # noqa: PLC0415 - an extra

    if arguments.http is None and (arguments.token or arguments.tokens):
        raise InvalidInputError("--token and --tokens are for --http: over standard input the caller is the user")
    ours = version("memoryos-tiered")
    with open_with_embedder(arguments, make=True) as memory:
        if arguments.http is None:
            make_server(user_of(memory, arguments), version=ours, read_only=arguments.read_only).run("stdio")
            return 0
        from memoryos_core.ops.loopback import listen_locally  # noqa: PLC0415 - an extra
        from memoryos_core.ops.mcp.http import PATH, serve  # noqa: PLC0415

        servers = {
            token: make_server(user, version=ours, read_only=arguments.read_only)
            for token, user in _identities(memory, arguments).items()
        }
        try:
            listener = listen_locally(arguments.http)
        except (OSError, OverflowError):
            raise InvalidInputError(
                f"--http {arguments.http} cannot be used: name another port, or 0 for a free one"
            ) from None
        sys.stderr.write(f"memoryos: serving on http://127.0.0.1:{listener.getsockname()[1]}{PATH}\n")
        sys.stderr.flush()
        serve(servers, listener)
    return 0


def _identities(memory: MemoryOS, arguments: argparse.Namespace) -> dict[str, UserMemory]:
    """Return a handle for each token. Raises InvalidInputError."""
    if arguments.tokens is not None:
        if arguments.token is not None or arguments.user is not None or arguments.actor is not None:
            raise InvalidInputError("--tokens names users and actors itself: leave out --token, --user and --actor")
        return {token: _user(memory, token, entry) for token, entry in _read_tokens(arguments.tokens).items()}
    user = user_of(memory, arguments)
    token = arguments.token or os.environ.get("MEMORYOS_MCP_TOKEN")
    if token is None:
        token = secrets.token_urlsafe(24)
        sys.stderr.write(f"memoryos: token {token}\n")
    return {require_strong(token): user}


def _read_tokens(path: str) -> dict[str, object]:
    try:
        found: object = json.loads(Path(path).read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise InvalidInputError(f"--tokens {path!r} cannot be read as JSON ({type(error).__name__})") from None
    if not isinstance(found, dict) or not found:
        raise InvalidInputError(f"--tokens {path!r} must hold an object of tokens, with a user for each")
    return cast("dict[str, object]", found)


def _user(memory: MemoryOS, token: str, entry: object) -> UserMemory:
    """Return the handle of one entry; the error does not show the token."""
    allowed = {"user", "assistant", "session", "actor"}
    given = cast("dict[str, str]", entry) if isinstance(entry, dict) else {}
    require_strong(token)
    if "user" not in given or not given.keys() <= allowed:
        raise InvalidInputError('each token needs {"user": …}, and may have "assistant", "session" and "actor"')
    return memory.user(
        given["user"],
        assistant_id=given.get("assistant", "assistant"),
        session_id=given.get("session", _OUTSIDE),
        actor=given.get("actor"),
    )
