"""`memoryos inspect`: shows a memory in the browser of this machine, and answers its programs."""

from __future__ import annotations

import argparse
import os
import secrets
import sys

from memoryos_core.errors import InvalidInputError
from memoryos_core.ops.cli.opening import (
    Subparsers,
    add_identity,
    add_json,
    add_recall_log,
    command,
    open_with_embedder,
    require_strong,
)
from memoryos_core.ops.cli.output import write_json, write_lines
from memoryos_core.ports.optional_imports import require_installed


def add(subparsers: Subparsers) -> None:
    """`memoryos inspect URL [--user USER] [--edit]`."""
    said = (
        "show a memory as a page on 127.0.0.1: what is remembered, from where, and why it is recalled; "
        "programs ask below /api with the token, which MEMORYOS_INSPECT_TOKEN may set"
    )
    parser = command(subparsers, "inspect", said, run, "memoryos inspect sqlite:///memory.db --edit")
    add_identity(parser)
    add_recall_log(parser)
    add_json(parser, "write the address as JSON")
    parser.add_argument("--port", type=int, default=0, help="the port of 127.0.0.1 (default: a free one)")
    parser.add_argument("--edit", action="store_true", help="allow to correct, retire, release and forget")


def run(arguments: argparse.Namespace) -> int:
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
