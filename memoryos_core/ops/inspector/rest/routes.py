"""The routes of the operations, and errors as JSON that says what to do."""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Iterator
from importlib.metadata import version

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from memoryos_core.errors import (
    AccessError,
    ConflictError,
    DeadlineError,
    InvalidInputError,
    LimitError,
    MemoryOSError,
    NotFoundError,
    RateLimitError,
)
from memoryos_core.ops.inspector.identity import Identity
from memoryos_core.ops.inspector.rest.document import describe
from memoryos_core.ops.inspector.rest.fields import read_body, read_query
from memoryos_core.ops.inspector.rest.operations import OPERATIONS, WHOSE, Call, Operation

logger = logging.getLogger(__name__)

PREFIX = "/api/"
MOST_BYTES = 1024 * 1024
_KINDS = (
    (AccessError, 403, "access"),
    (NotFoundError, 404, "not_found"),
    (InvalidInputError, 400, "invalid_input"),
    (ConflictError, 409, "conflict"),
    (DeadlineError, 504, "deadline"),
    (LimitError, 429, "limit"),
)


def problem(status: int, kind: str, message: str, headers: dict[str, str] | None = None) -> Response:
    """Return an error as JSON."""
    if status == 401:  # noqa: PLR2004 - no token
        headers = {"WWW-Authenticate": "Bearer"}
    return Response(_write_json({"error": {"type": kind, "message": message}}), status, headers, "application/json")


def make_routes(identity: Identity) -> list[Route]:
    """Return a route for each operation, and one for the document."""
    document = _write_json(describe(version("memoryos-tiered")))

    def send_document(_: Request) -> Response:
        return Response(document, media_type="application/json")

    routes = [Route(f"{PREFIX}openapi.json", send_document, methods=["GET"])]
    return [*routes, *(_route(identity, each) for each in OPERATIONS)]


def _route(identity: Identity, operation: Operation) -> Route:
    async def answer(request: Request) -> Response:
        try:
            if operation.method == "POST" and not identity.edit:
                raise AccessError("this server only reads: start it with --edit to change what is remembered")
            in_query = (*WHOSE, *(operation.fields if operation.method == "GET" else ()))
            given = {**read_query(in_query, request.query_params.multi_items())}
            if operation.method == "POST":
                given |= read_body(operation.fields, await request.body())
            return await run_in_threadpool(_answer, operation, Call(identity, given))
        except MemoryOSError as error:
            return _explain(error)

    return Route(f"{PREFIX}{operation.name}", answer, methods=[operation.method])


def _answer(operation: Operation, call: Call) -> Response:
    found = operation.run(call)
    if isinstance(found, Iterator):
        return StreamingResponse(map(_line, found), operation.status, media_type="application/x-ndjson")
    return Response(_write_json(found), operation.status, media_type="application/json")


def status_of(error: MemoryOSError) -> tuple[int, str, dict[str, str]]:
    """Return the status of an error of the memory, its name for programs, and headers: when to try again."""
    status, name = next(((s, n) for kind, s, n in _KINDS if isinstance(error, kind)), (503, "unavailable"))
    wait = {"Retry-After": str(math.ceil(error.retry_after))} if isinstance(error, RateLimitError) else {}
    return status, name, wait


def _explain(error: MemoryOSError) -> Response:
    """Return an error of the memory, whose words hold no remembered text, as JSON."""
    status, name, headers = status_of(error)
    if status >= 500:  # noqa: PLR2004 - the memory's side, of which its log must tell
        logger.warning("a request could not be answered: %s", type(error).__name__)
    return problem(status, name, str(error), headers)


def _write_json(value: object) -> bytes:
    return json.dumps(value).encode()  # in ASCII: no remembered text can be refused or hide a control character


def _line(record: dict[str, object]) -> bytes:
    return _write_json(record) + b"\n"
