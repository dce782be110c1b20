"""Everything that a request must pass before a view sees it: address, host, cookie and origin."""

from __future__ import annotations

import hmac
from collections.abc import MutableMapping
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from memoryos_core.ops.inspector.identity import Identity

_MOST_BYTES = 64 * 1024
_HEADERS = {
    # No script at all. The style sheet comes from this server, forms go to it, and the only image is an empty icon.
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; "
        "frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",  # with "no-referrer" browsers hide the origin of a form, which we check
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_CLOSED = "open the address that `memoryos inspect` wrote: it holds the token of this page\n"


class Door:
    """Lets in whoever came with the token, from this machine, by a page of ours."""

    def __init__(self, app: ASGIApp, identity: Identity, port: int) -> None:
        self._app = app
        self._token = identity.token
        self._hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}
        # Browsers send the cookies of a host to all its ports, so the name tells which inspector it is for.
        self._cookie = f"memoryos_inspect_{port}"
        self._session = identity.derive("cookie")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or hand it on. Everything but HTTP is refused."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        response = self._answer(scope, Headers(scope=scope))
        await (response or self._app)(scope, receive, _with_headers(send))

    def _answer(self, scope: MutableMapping[str, Any], headers: Headers) -> Response | None:
        """Return the answer to a request that no view may see; None for one that passes."""
        if headers.getlist("host") != [headers.get("host")] or headers.get("host") not in self._hosts:
            return PlainTextResponse("this host is not served here\n", 421)
        if scope["method"] not in {"GET", "HEAD", "POST"}:
            return PlainTextResponse("not allowed\n", 405)
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token")
        if given and scope["path"] == "/" and scope["method"] == "GET":
            return self._let_in(given[-1])
        if not _same(self._cookie_of(headers), self._session):
            return PlainTextResponse(_CLOSED, 403)
        if scope["method"] == "POST":
            return self._refuse_foreign(headers)
        return None

    def _let_in(self, token: str) -> Response:
        if not _same(token, self._token):
            return PlainTextResponse(_CLOSED, 403)
        response = RedirectResponse("/", 303)  # the token leaves the address
        response.set_cookie(self._cookie, self._session, httponly=True, samesite="strict", path="/")
        return response

    def _refuse_foreign(self, headers: Headers) -> Response | None:
        if headers.get("origin") != f"http://{headers.get('host')}":
            return PlainTextResponse("this form does not come from this page\n", 403)
        length = headers.get("content-length", "")
        if not length.isdecimal() or int(length) > _MOST_BYTES:
            return PlainTextResponse("this is too long\n", 413)
        return None

    def _cookie_of(self, headers: Headers) -> str:
        try:
            found = SimpleCookie(headers.get("cookie", "")).get(self._cookie)
        except CookieError:
            return ""
        return "" if found is None else found.value


def _same(given: str, secret: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "replace"), secret.encode())


def _with_headers(send: Send) -> Send:
    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            MutableHeaders(scope=message).update(_HEADERS)
        await send(message)

    return send_with_headers
