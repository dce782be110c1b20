"""Requests to an ASGI application without a network: every header is the test's own."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

from memoryos_core.ops.inspector.app import make_app
from memoryos_core.ops.inspector.identity import Identity

PORT = 8765
ORIGIN = f"http://127.0.0.1:{PORT}"
TOKEN = "token-of-the-page-0123456789"


@dataclass
class Answer:
    """Status, headers and text of an answer."""

    status: int
    headers: dict[str, str]
    text: str


class Tab:
    """A browser's tab: an inspector with the cookie of its identity."""

    def __init__(self, identity: Identity) -> None:
        self.identity = identity
        self.app: Any = make_app(identity, PORT)
        self.cookie = f"memoryos_inspect_{PORT}={identity.derive('cookie')}"

    @asynccontextmanager
    async def started(self) -> AsyncGenerator[Tab]:
        """The time between the server's start and its end, as a server tells an application of them."""
        inbox: asyncio.Queue[Any] = asyncio.Queue()
        outbox: asyncio.Queue[Any] = asyncio.Queue()
        running = asyncio.create_task(self.app({"type": "lifespan", "asgi": {"version": "3.0"}}, inbox.get, outbox.put))
        for moment in ("startup", "shutdown"):
            await inbox.put({"type": f"lifespan.{moment}"})
            assert (await outbox.get())["type"] == f"lifespan.{moment}.complete"
            if moment == "startup":
                yield self
        await running

    async def get(self, path: str, **query: object) -> Answer:
        """Ask for a view, as somebody who came with the token."""
        return await self.ask("GET", path, urlencode(query, errors="replace"))

    async def post(self, form: dict[str, str], **headers: str) -> Answer:
        """Send the form of changes, as the page itself does."""
        form = {"csrf": self.identity.derive("csrf"), "user": "ann", "assistant": "assistant", **form}
        body = urlencode(form, errors="replace").encode()
        more = {
            "origin": ORIGIN,
            "content-length": str(len(body)),
            **{k.replace("_", "-"): v for k, v in headers.items()},
        }
        return await self.ask("POST", "/change", "", body=body, headers=[*more.items()])

    async def ask(
        self,
        method: str,
        path: str,
        query: str = "",
        *,
        body: bytes = b"",
        headers: list[tuple[str, str]] = [],  # noqa: B006 - only read
        host: str | None = f"127.0.0.1:{PORT}",
        cookie: str | None = "",
    ) -> Answer:
        """Send any request; without `cookie` with that of the identity, with None without one."""
        given = [*headers, *([("host", host)] if host is not None else [])]
        given += [("cookie", cookie or self.cookie)] if cookie is not None else []
        scope = {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.4"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": path,
            "raw_path": quote(path).encode(),
            "query_string": query.encode("latin-1", "replace"),
            "root_path": "",
            "headers": [(k.lower().encode(), v.encode("latin-1", "replace")) for k, v in given],
            "server": ("127.0.0.1", PORT),
            "client": ("127.0.0.1", 50000),
        }
        sent: list[Any] = []
        inbox = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive() -> Any:
            return inbox.pop() if inbox else {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            sent.append(message)

        await self.app(scope, receive, send)
        answered = {k.decode().lower(): v.decode() for k, v in sent[0]["headers"]}
        text = b"".join(m.get("body", b"") for m in sent[1:]).decode()
        return Answer(sent[0]["status"], answered, text)
