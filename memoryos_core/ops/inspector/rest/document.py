"""The OpenAPI document of the operations, made from their table and from the types of the values."""

from __future__ import annotations

import types
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import datetime
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from memoryos_core.ops.inspector.rest.operations import OPERATIONS, WHOSE, Operation
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
    responses: dict[str, Plain] = {str(each.status): {"description": "done", "content": _answer(each, schemas)}}
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


def _answer(each: Operation, schemas: dict[str, Plain]) -> Plain:
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
