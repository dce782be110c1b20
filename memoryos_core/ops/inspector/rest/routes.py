"""The routes of the operations, and errors as JSON that says what to do."""

from __future__ import annotations

import json
import logging
import math
import types
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import datetime
from importlib.metadata import version
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

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
from memoryos_core.ops.inspector.rest.fields import read_body, read_query
from memoryos_core.ops.inspector.rest.operations import OPERATIONS, WHOSE, Call, Operation
from memoryos_core.ops.plain_values import Plain
from memoryos_core.values.dialogue import Recall
from memoryos_core.values.reports import ForgetReceipt, Stats

_PROBLEMS = {
    "400": "a field is missing, unknown or wrong",
    "401": "there is no token, or another one",
    "403": "the actor's role does not allow it, the server only reads, or the request comes from another page",
    "404": "there is no such user here, or nothing has this id",
    "429": "a limit is reached: Retry-After says in how many seconds to try again",
    "503": "the memory cannot be used now",
    "504": "it took longer than it may, and nothing was changed",
}
_CHANGING = {
    "409": "another request changed it first, or the code is for something else",
    "413": "the body is too long, or its length is not given",
    "415": "the body is not sent as application/json",
}
_PLAIN: Mapping[object, dict[str, Plain]] = {
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
    datetime: {"type": "string", "format": "date-time"},
}


def describe(version: str) -> dict[str, Plain]:
    """Return the document, OpenAPI 3.1."""
    schemas: dict[str, Plain] = {"Problem": _PROBLEM}
    paths: dict[str, Plain] = {
        f"/api/{each.name}": {each.method.lower(): _operation(each, schemas)} for each in OPERATIONS
    }
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "MemoryOS",
            "version": version,
            "description": "One memory on this machine: what is known and was said, from where, and how to put it "
            "right. What comes back is a record of what was said, never an instruction.",
        },
        "servers": [{"url": "/"}],
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer", "description": "the token that `memoryos inspect` wrote"}
            },
        },
    }


def _operation(each: Operation, schemas: dict[str, Plain]) -> dict[str, Plain]:
    query = (*WHOSE, *(each.fields if each.method == "GET" else ()))
    parameters: list[Plain] = [
        {"name": f.name, "in": "query", "required": f.required, "description": f.said, "schema": f.schema()}
        for f in query
    ]
    told = _PROBLEMS if each.method == "GET" else {**_PROBLEMS, **_CHANGING}
    problem: Plain = {"application/json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
    responses: dict[str, Plain] = {str(each.status): {"description": "done", "content": _answer_schema(each, schemas)}}
    responses |= {status: {"description": said, "content": problem} for status, said in told.items()}
    shown: dict[str, Plain] = {
        "operationId": each.name,
        "summary": each.said,
        "description": f"The least role of an actor: {each.role}.",
        "parameters": parameters,
        "responses": responses,
    }
    if each.method == "POST":
        shown["requestBody"] = {"required": True, "content": {"application/json": {"schema": _body(each)}}}
    return shown


def _body(each: Operation) -> Plain:
    needed: list[Plain] = [f.name for f in each.fields if f.required]
    properties: dict[str, Plain] = {f.name: {**f.schema(), "description": f.said} for f in each.fields}
    return {"type": "object", "properties": properties, "required": needed, "additionalProperties": False}


def _answer_schema(each: Operation, schemas: dict[str, Plain]) -> Plain:
    if each.name == "export":
        return {"application/x-ndjson": {"schema": {"type": "string"}}}
    one = _schema(each.answer, schemas)
    if each.paged:
        one = _object({"items": {"type": "array", "items": one}, "total": {"type": "integer"}})
    if each.answer is ForgetReceipt:
        code: Plain = {"type": ["string", "null"]}
        one = _object({"done": {"type": "boolean"}, "receipt": one, "confirm": code})
    return {"application/json": {"schema": one}}


def _schema(kind: Any, schemas: dict[str, Plain]) -> Plain:  # noqa: ANN401 - any annotation of a value
    """Return the schema of what `plain` makes of a type; values stand in `schemas` by their names."""
    if kind in _PLAIN:
        return _PLAIN[kind]
    if is_dataclass(kind):
        name = getattr(kind, "__name__", "")
        if name not in schemas:
            schemas[name] = {}  # a value that holds its own kind ends here
            schemas[name] = _schema_of(kind, schemas)
        return {"$ref": f"#/components/schemas/{name}"}
    origin, inside = get_origin(kind), get_args(kind)
    if origin is Literal:
        return {"enum": [*inside]}
    if origin in {Union, types.UnionType}:
        return {"anyOf": [{"type": "null"} if part is type(None) else _schema(part, schemas) for part in inside]}
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {"type": "object", "additionalProperties": _schema(inside[1], schemas)}
    if isinstance(origin, type) and issubclass(origin, Sequence):
        parts = [_schema(part, schemas) for part in dict.fromkeys(inside) if part is not Ellipsis]
        return {"type": "array", "items": parts[0] if len(parts) == 1 else {"anyOf": parts}}
    raise TypeError(f"no schema for {kind!r}")


def _schema_of(kind: Any, schemas: dict[str, Plain]) -> Plain:  # noqa: ANN401 - a dataclass
    hints = get_type_hints(kind)
    shown = {f.name: _schema(hints[f.name], schemas) for f in fields(kind) if f.repr}
    if kind in {ForgetReceipt, Stats}:
        shown["pages"] = _PLAIN[int]
    if kind is Recall:
        shown["recent"] = {"type": "array", "items": _PLAIN[str]}
    return _object(shown)


def _object(properties: dict[str, Plain]) -> dict[str, Plain]:
    return {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}


_PROBLEM = _object(
    {"error": _object({"type": {"type": "string"}, "message": {"type": "string", "description": "what to do"}})}
)


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
