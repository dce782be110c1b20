"""The application: its routes, the view that changes the memory, errors as pages, and the door before all of it."""

from __future__ import annotations

import hmac
import logging
from collections.abc import Callable, Mapping, MutableMapping
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs, parse_qsl

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from memoryos_core.api.user import UserMemory
from memoryos_core.errors import AccessError, InvalidInputError, MemoryOSError, NotFoundError
from memoryos_core.ops.inspector.ahead import ReadAhead
from memoryos_core.ops.inspector.identity import Identity
from memoryos_core.ops.inspector.reading import Reading, fact_of
from memoryos_core.ops.inspector.rendering import HOME, Pages, open_templates
from memoryos_core.ops.inspector.rest.routes import MOST_BYTES, PREFIX, make_routes, problem, status_of
from memoryos_core.ops.plain_values import receipt_in_words
from memoryos_core.values.reports import ForgetReceipt

_ACTIONS: Mapping[str, str] = {
    "correct": "Correct this fact",
    "retire": "Retire this fact",
    "forget": "Forget this fact",
    "forget-page": "Forget this page",
    "release": "Release this fact",
    "reject": "Reject this fact",
}


_QUOTED = 600  # characters of what goes


class Changing:
    """One form for all changes: an action, an id, and for a correction the new text."""

    def __init__(self, identity: Identity, pages: Pages) -> None:
        self._identity = identity
        self._pages = pages

    async def change(self, request: Request) -> Response:
        """Show the receipt of a change, or do it. Raises AccessError unless editing is on and the form is ours."""
        if not self._identity.edit:
            raise AccessError("this page only reads: start it with --edit to change what is remembered")
        body = await request.body()
        form = dict(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=20))
        if not hmac.compare_digest(
            form.get("csrf", "").encode("utf-8", "replace"), self._identity.derive("csrf").encode()
        ):
            raise AccessError("this form does not come from this page: open it again")
        return await run_in_threadpool(self._change, request, form)

    def _change(self, request: Request, form: Mapping[str, str]) -> Response:
        user = self._identity.open_user(form.get("user"), form.get("assistant"))
        action, item, text = form.get("action", ""), form.get("id", ""), form.get("text", "")
        if action not in _ACTIONS:
            raise InvalidInputError("unknown action: go back and use the buttons")
        if action == "correct" and not text.strip():
            raise InvalidInputError("there is no new text: write what is right, or retire the fact")
        if form.get("confirmed") == "yes":
            done = _DO[action](user, item, text)
            return self._show(request, user, {"action": action, "said": done, "done": True, "id": item, "text": ""})
        said = _preview(user, action, item, text)
        return self._show(request, user, {"action": action, "said": said, "done": False, "id": item, "text": text})

    def _show(self, request: Request, user: UserMemory, values: Mapping[str, object]) -> Response:
        title = _ACTIONS[str(values["action"])]
        return self._pages.render(request, "change.html", user, {"title": title, **values})


def _preview(user: UserMemory, action: str, item: str, text: str) -> str:
    """Return what a change would do, with the words that it is about. Raises NotFoundError."""
    if action == "forget-page":
        planned, more = user.forget(pages=[item], dry_run=True), "The facts that rest on it alone go with it."
        said = [message.text for page in user.pages([item]) for message in page.messages]
        if not said:
            raise NotFoundError("this page is not remembered; it may have been forgotten")
        return _erases(" / ".join(said), planned, more)
    known = fact_of(user, item)
    if action in {"forget", "reject"}:
        more = "The turns that it comes from stay, and are still quoted: forget those, too, if they are wrong."
        return _erases(known.text, user.forget(facts=[item], dry_run=True), more)
    if action == "correct":
        return f"“{known.text}” becomes a former fact. In its place stands: “{text}”"
    if action == "release":
        return f"“{known.text}” becomes a current fact: it is recalled from now on."
    return f"“{known.text}” no longer holds from today. It stays as a former fact, and so do the turns it comes from."


def _erases(said: str, planned: ForgetReceipt, more: str) -> str:
    quoted = said if len(said) <= _QUOTED else f"{said[:_QUOTED]}…"
    return f"“{quoted}”\nThis erases {receipt_in_words(planned)} for good. {more}"


def _correct(user: UserMemory, item: str, text: str) -> str:
    fact = user.correct(item, text)
    if fact.status == "quarantined":
        return "Not corrected yet: the new text reads like an instruction, so it waits among the facts held back."
    return "Corrected. The former fact stays in the history."


def _retire(user: UserMemory, item: str, _text: str) -> str:
    user.retire(item)
    return "Retired. The fact stays in the history."


def _forget(user: UserMemory, item: str, _text: str) -> str:
    return f"Erased: {receipt_in_words(user.forget(facts=[item]))}."


def _forget_page(user: UserMemory, item: str, _text: str) -> str:
    return f"Erased: {receipt_in_words(user.forget(pages=[item]))}."


def _release(user: UserMemory, item: str, _text: str) -> str:
    user.governance.release([item])
    return "Released: the fact is current now."


def _reject(user: UserMemory, item: str, _text: str) -> str:
    return f"Erased: {receipt_in_words(user.governance.reject([item]))}."


_DO: Mapping[str, Callable[[UserMemory, str, str], str]] = {
    "correct": _correct,
    "retire": _retire,
    "forget": _forget,
    "forget-page": _forget_page,
    "release": _release,
    "reject": _reject,
}


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
        self._csrf = identity.derive("csrf")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or hand it on. Everything but HTTP is refused."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        headers, for_program = Headers(scope=scope), scope["path"].startswith(PREFIX)
        response = self._answer_program(scope["method"], headers) if for_program else self._answer(scope, headers)
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

    def _answer_program(self, method: str, headers: Headers) -> Response | None:
        """Return the answer to a program that may not ask; None for one that sent the token, or for our own page."""
        host, origin = headers.get("host"), headers.get("origin")
        if headers.getlist("host") != [host] or host not in self._hosts:
            return problem(421, "host", "this host is not served here: use 127.0.0.1 and the port of the server")
        if origin not in {None, f"http://{host}"}:
            return problem(403, "origin", "this request comes from a page of another site")
        kind, _, token = headers.get("authorization", "").partition(" ")
        by_token = kind.lower() == "bearer" and _same(token.strip(), self._token)
        if not by_token and not _same(self._cookie_of(headers), self._session):
            return problem(401, "token", "send the token that `memoryos inspect` wrote: Authorization: Bearer …")
        if method not in {"GET", "HEAD", "POST"}:
            return problem(405, "method", "use GET to read and POST to change; /api/openapi.json says which")
        return self._refuse_body(headers, by_token=by_token) if method == "POST" else None

    def _refuse_body(self, headers: Headers, *, by_token: bool) -> Response | None:
        # A browser sends the cookie by itself, so it alone lets nothing be changed.
        own_page = headers.get("origin") is not None and _same(headers.get("x-csrf-token", ""), self._csrf)
        if not by_token and not own_page:
            return problem(403, "csrf", "with the page's cookie, send the page's Origin and its X-CSRF-Token, too")
        length = headers.get("content-length", "")
        if not length.isdecimal() or int(length) > MOST_BYTES:
            return problem(413, "length", f"send a body of at most {MOST_BYTES} bytes with its Content-Length")
        if headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            return problem(415, "media_type", "send the body as JSON: Content-Type: application/json")
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


logger = logging.getLogger(__name__)


def make_app(identity: Identity, port: int) -> ASGIApp:
    """Return the application that shows a memory at this port of 127.0.0.1."""
    ahead = ReadAhead()
    pages = Pages(identity, ahead)
    reading, changing = Reading(identity, pages), Changing(identity, pages)
    style = (HOME / "static" / "style.css").read_text("utf-8")

    def send_style(_: Request) -> Response:
        return Response(style, media_type="text/css")

    def explain(request: Request, error: Exception) -> Response:
        assert isinstance(error, MemoryOSError)  # noqa: S101 - it is registered for nothing else
        status, _, headers = status_of(error)
        if status >= 500:  # noqa: PLR2004 - the memory failed, not the caller
            logger.warning("the memory could not be shown: %s", type(error).__name__)
        shown = pages.render(request, "problem.html", None, {"status": status, "said": str(error)}, status)
        shown.headers.update(headers)
        return shown

    def refuse(request: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 500
        if request.url.path.startswith(PREFIX):
            return problem(status, "no_operation", "there is no such operation: /api/openapi.json lists all of them")
        return PlainTextResponse("there is no such page\n", status)

    views: dict[str, Callable[[Request], Response]] = {
        "/": reading.home,
        "/overview": reading.overview,
        "/timeline": reading.timeline,
        "/pages": reading.pages,
        "/knowledge": reading.knowledge,
        "/fact": reading.fact,
        "/recall": reading.recall,
        "/recall.jsonl": reading.recall_case,
        "/recalls": reading.recalls,
        "/person": reading.person,
        "/person.md": reading.markdown,
        "/style.css": send_style,
    }
    routes = [Route(path, view, methods=["GET"]) for path, view in views.items()]
    routes.append(Route("/change", changing.change, methods=["POST"]))
    routes += make_routes(identity)
    open_templates()  # compiled before the first request comes
    handlers = {MemoryOSError: explain, HTTPException: refuse}
    shown = None if identity.user is None else identity.open_user(None, None)
    app = Starlette(routes=routes, exception_handlers=handlers, lifespan=lambda _: ahead.started(shown))
    return Door(app, identity, port)
