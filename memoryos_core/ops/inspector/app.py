"""The application: routes, errors as pages, and the door before all of it."""

from __future__ import annotations

import logging
from collections.abc import Callable

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from memoryos_core.errors import AccessError, InvalidInputError, MemoryOSError, NotFoundError
from memoryos_core.ops.inspector.changing import Changing
from memoryos_core.ops.inspector.door import Door
from memoryos_core.ops.inspector.identity import Identity
from memoryos_core.ops.inspector.reading import Reading
from memoryos_core.ops.inspector.rendering import HOME, Pages

logger = logging.getLogger(__name__)


def make_app(identity: Identity, port: int) -> ASGIApp:
    """Return the application that shows a memory at this port of 127.0.0.1."""
    pages = Pages(identity)
    reading, changing = Reading(identity, pages), Changing(identity, pages)
    style = (HOME / "static" / "style.css").read_text("utf-8")

    def send_style(_: Request) -> Response:
        return Response(style, media_type="text/css")

    def explain(request: Request, error: Exception) -> Response:
        assert isinstance(error, MemoryOSError)  # noqa: S101 - it is registered for nothing else
        status = _status(error)
        if status >= 500:  # noqa: PLR2004 - the memory failed, not the caller
            logger.warning("the memory could not be shown: %s", type(error).__name__)
        return pages.render(request, "problem.html", None, {"status": status, "said": str(error)}, status)

    def refuse(_: Request, error: Exception) -> Response:
        return PlainTextResponse(
            "there is no such page\n", error.status_code if isinstance(error, HTTPException) else 500
        )

    views: dict[str, Callable[[Request], Response]] = {
        "/": reading.home,
        "/overview": reading.overview,
        "/timeline": reading.timeline,
        "/pages": reading.pages,
        "/knowledge": reading.knowledge,
        "/fact": reading.fact,
        "/recall": reading.recall,
        "/person": reading.person,
        "/person.md": reading.markdown,
        "/style.css": send_style,
    }
    routes = [Route(path, view, methods=["GET"]) for path, view in views.items()]
    routes.append(Route("/change", changing.change, methods=["POST"]))
    app = Starlette(routes=routes, exception_handlers={MemoryOSError: explain, HTTPException: refuse})
    return Door(app, identity, port)


def _status(error: MemoryOSError) -> int:
    kinds = ((AccessError, 403), (NotFoundError, 404), (InvalidInputError, 400))
    return next((status for kind, status in kinds if isinstance(error, kind)), 503)
