"""`memoryos inspect` shows a memory in the browser; `memoryos mcp` serves one user's to tools."""

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
from memoryos_core.hosts.arguments import checked_actor
from memoryos_core.hosts.validation import identifier
from memoryos_core.ops.cli.opening import (
    Subparsers,
    add_identity,
    add_json,
    add_recall_log,
    command,
    open_with_embedder,
    require_names,
    require_strong,
    user_of,
)
from memoryos_core.ops.cli.output import write_json, write_lines
from memoryos_core.ports.optional_imports import require_installed


def register_inspect(subparsers: Subparsers) -> None:
    """`memoryos inspect URL [--user USER] [--edit]`."""
    said = (
        "show a memory as a page on 127.0.0.1: what is remembered, from where, and why it is recalled; "
        "programs ask below /api with the token, which MEMORYOS_INSPECT_TOKEN may set"
    )
    parser = command(subparsers, "inspect", said, run_inspect, "memoryos inspect sqlite:///memory.db --edit")
    add_identity(parser)
    add_recall_log(parser)
    add_json(parser, "write the address as JSON")
    parser.add_argument("--port", type=int, default=0, help="the port of 127.0.0.1 (default: a free one)")
    parser.add_argument("--edit", action="store_true", help="allow to correct, retire, release and forget")


def run_inspect(arguments: argparse.Namespace) -> int:
    """Serve the page until the process is told to stop."""
    for package in ("starlette", "jinja2", "uvicorn"):
        require_installed(package, "inspect")
    from memoryos_core.ops.inspector.app import make_app  # noqa: PLC0415 - an extra
    from memoryos_core.ops.inspector.identity import Identity  # noqa: PLC0415
    from memoryos_core.ops.loopback import listen_locally, serve_locally  # noqa: PLC0415

    user = os.environ.get("MEMORYOS_USER") if arguments.user is None else arguments.user
    given = os.environ.get("MEMORYOS_INSPECT_TOKEN")
    with open_with_embedder(arguments) as memory:
        identity = Identity(
            memory,
            secrets.token_urlsafe(24) if given is None else require_strong(given),
            user=user,
            assistant=arguments.assistant,
            actor=arguments.actor,
            edit=arguments.edit,
        )
        if user is not None:
            identity.open_user(None, None)  # refused names are told now
        try:
            listener = listen_locally(arguments.port)
        except (OSError, OverflowError):
            raise InvalidInputError(f"--port {arguments.port} cannot be used: name another one, or none") from None
        port: int = listener.getsockname()[1]
        address = f"http://127.0.0.1:{port}/"
        if arguments.json:
            write_json([{"address": address, "token": identity.token}])
        else:
            write_lines([f"{address}?token={identity.token}"])
        sys.stdout.flush()
        serve_locally(make_app(identity, port), listener)
    return 0


_OUTSIDE = "memoryos mcp"  # a session of our own: what another one ended is recalled here


def register_mcp(subparsers: Subparsers) -> None:
    """`memoryos mcp URL --user USER [--http PORT]`."""
    said = "serve a user's memory to assistants over MCP: on standard input and output, or with --http on 127.0.0.1"
    parser = command(subparsers, "mcp", said, run_mcp, "memoryos mcp sqlite:///memory.db --user ann")
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


def run_mcp(arguments: argparse.Namespace) -> int:
    """Serve until the client ends the stream, or the process is told to stop."""
    require_installed("mcp", "mcp")
    from memoryos_core.ops.mcp import make_server  # noqa: PLC0415 - an extra

    if arguments.http is None and (arguments.token or arguments.tokens):
        raise InvalidInputError("--token and --tokens are for --http: over standard input the caller is the user")
    ours = version("memoryos-tiered")
    # All that can be refused is looked at first: opening may create a database.
    entries = _entries(arguments) if arguments.tokens is not None else None
    if entries is None:
        require_names(arguments)
        if arguments.http is not None and (token := _given_token(arguments)) is not None:
            require_strong(token)
    with open_with_embedder(arguments, make=True) as memory:
        if arguments.http is None:
            make_server(user_of(memory, arguments), version=ours, read_only=arguments.read_only).run("stdio")
            return 0
        from memoryos_core.ops.loopback import listen_locally  # noqa: PLC0415 - an extra
        from memoryos_core.ops.mcp import PATH, serve  # noqa: PLC0415

        servers = {
            token: make_server(user, version=ours, read_only=arguments.read_only)
            for token, user in _identities(memory, arguments, entries).items()
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


def _identities(
    memory: MemoryOS, arguments: argparse.Namespace, entries: dict[str, dict[str, str]] | None
) -> dict[str, UserMemory]:
    """Return a handle for each token. Raises InvalidInputError."""
    if entries is not None:
        return {token: _mcp_user(memory, entry) for token, entry in entries.items()}
    user = user_of(memory, arguments)
    token = _given_token(arguments)
    if token is None:
        token = secrets.token_urlsafe(24)
        sys.stderr.write(f"memoryos: token {token}\n")
    return {require_strong(token): user}


def _given_token(arguments: argparse.Namespace) -> str | None:
    token: str | None = arguments.token or os.environ.get("MEMORYOS_MCP_TOKEN")
    return token


def _entries(arguments: argparse.Namespace) -> dict[str, dict[str, str]]:
    """Return what the file of --tokens says of each token. Raises InvalidInputError, which does not show a token."""
    if arguments.token is not None or arguments.user is not None or arguments.actor is not None:
        raise InvalidInputError("--tokens names users and actors itself: leave out --token, --user and --actor")
    found: dict[str, dict[str, str]] = {}
    allowed = {"user", "assistant", "session", "actor"}
    for token, entry in _read_tokens(arguments.tokens).items():
        given = cast("dict[str, str]", entry) if isinstance(entry, dict) else {}
        require_strong(token)
        if "user" not in given or not given.keys() <= allowed:
            raise InvalidInputError('each token needs {"user": …}, and may have "assistant", "session" and "actor"')
        identifier("user_id", given["user"])
        identifier("assistant_id", given.get("assistant", "assistant"))
        identifier("session_id", given.get("session", _OUTSIDE))
        checked_actor(given.get("actor"))
        found[token] = given
    return found


def _read_tokens(path: str) -> dict[str, object]:
    try:
        found: object = json.loads(Path(path).read_text("utf-8"), object_pairs_hook=_unique)
    except InvalidInputError:
        raise
    except (OSError, ValueError) as error:
        raise InvalidInputError(f"--tokens {path!r} cannot be read as JSON ({type(error).__name__})") from None
    if not isinstance(found, dict) or not found:
        raise InvalidInputError(f"--tokens {path!r} must hold an object of tokens, with a user for each")
    return cast("dict[str, object]", found)


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Build an object. Raises InvalidInputError for a name that comes twice, of which JSON would keep the last."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise InvalidInputError("the file of --tokens has a token, or a name within one, twice: which is meant?")
    return found


def _mcp_user(memory: MemoryOS, entry: dict[str, str]) -> UserMemory:
    return memory.user(
        entry["user"],
        assistant_id=entry.get("assistant", "assistant"),
        session_id=entry.get("session", _OUTSIDE),
        actor=entry.get("actor"),
    )
