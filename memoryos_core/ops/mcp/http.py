"""Streamable HTTP on this machine: each token opens the server of one identity."""

from __future__ import annotations

import hmac
import socket
from collections.abc import Mapping
from contextlib import AsyncExitStack

from mcp.server import MCPServer
from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from memoryos_core.ops.loopback import serve_locally

PATH = "/mcp"
_REFUSED = "send the token of the memory: Authorization: Bearer …"


def serve(servers: Mapping[str, MCPServer[None]], listener: socket.socket) -> None:
    """Serve until the process is told to stop: the server of each token, under one address."""
    serve_locally(make_app(servers, listener.getsockname()[1]), listener)


def make_app(servers: Mapping[str, MCPServer[None]], port: int) -> ASGIApp:
    """Return the application; a browser's page on another site cannot reach it (Host and Origin are checked)."""
    local = [f"127.0.0.1:{port}", f"localhost:{port}"]
    security = TransportSecuritySettings(allowed_hosts=local, allowed_origins=[f"http://{name}" for name in local])
    apps = {
        token: server.streamable_http_app(
            streamable_http_path=PATH, stateless_http=True, json_response=True, transport_security=security
        )
        for token, server in servers.items()
    }
    return _ByToken(apps)


class _ByToken:
    """The application of whoever sent the token. Identity is bound to it before anything of the request is read."""

    def __init__(self, apps: Mapping[str, Starlette]) -> None:
        self._apps = apps

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._live(receive, send)
            return
        app = self._find(Headers(scope=scope).get("authorization", "")) if scope["type"] == "http" else None
        if app is None:
            app = PlainTextResponse(_REFUSED, 401, {"WWW-Authenticate": "Bearer"})
        await app(scope, receive, send)

    def _find(self, header: str) -> ASGIApp | None:
        kind, _, given = header.partition(" ")
        found: ASGIApp | None = None
        for token, app in self._apps.items():  # all are compared, so that the time tells nothing
            if hmac.compare_digest(token.encode(), given.strip().encode("utf-8", "replace")):
                found = app
        return found if kind.lower() == "bearer" else None

    async def _live(self, receive: Receive, send: Send) -> None:
        """Run the lifespans of all applications within that of this one."""
        async with AsyncExitStack() as stack:
            await receive()
            for app in self._apps.values():
                await stack.enter_async_context(app.router.lifespan_context(app))
            await send({"type": "lifespan.startup.complete"})
            await receive()
        await send({"type": "lifespan.shutdown.complete"})
