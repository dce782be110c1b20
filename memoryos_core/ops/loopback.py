"""Serving on 127.0.0.1 alone."""

from __future__ import annotations

import socket

import uvicorn
from starlette.types import ASGIApp


def listen_locally(port: int) -> socket.socket:
    """Return a socket on 127.0.0.1; port 0 takes a free one. Raises OSError or OverflowError."""
    listener = socket.socket()
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", port))
        listener.listen(128)  # who connects from now on waits until the server runs
    except (OSError, OverflowError):
        listener.close()
        raise
    return listener


def serve_locally(app: ASGIApp, listener: socket.socket) -> None:
    """Serve until the process is told to stop. Addresses, which may hold a token, are not logged."""
    config = uvicorn.Config(app, log_level="warning", access_log=False, lifespan="on", server_header=False)
    uvicorn.Server(config).run(sockets=[listener])
