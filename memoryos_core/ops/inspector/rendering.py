"""Pages from templates: everything that is remembered is escaped, and nothing in it can be a tag or an address."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Generic, TypeVar
from urllib.parse import urlencode

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse

from memoryos_core.api.user import UserMemory
from memoryos_core.ops.inspector.identity import Identity
from memoryos_core.rules.text.controls import printable

T = TypeVar("T")
HOME = Path(__file__).parent
VIEWS = (
    ("/overview", "Overview"),
    ("/timeline", "Timeline"),
    ("/knowledge", "Knowledge"),
    ("/recall", "Recall"),
    ("/person", "Person"),
)


@dataclass(frozen=True, slots=True)
class Portion(Generic[T]):
    """One part of a long list."""

    items: Sequence[T]
    number: int
    last: int
    total: int


def portion(items: Sequence[T], request: Request, size: int = 25) -> Portion[T]:
    """Return the part of a list that the request's `page` names, the nearest one there is."""
    last = max(1, math.ceil(len(items) / size))
    given = request.query_params.get("page", "1")
    number = min(max(int(given), 1), last) if given.isdecimal() and len(given) < 10 else 1  # noqa: PLR2004 - no long number
    return Portion(items[(number - 1) * size : number * size], number, last, len(items))


def _day(when: datetime | None) -> str:
    return "" if when is None else f"{when:%Y-%m-%d}"


def _minute(when: datetime | None) -> str:
    return "" if when is None else f"{when:%Y-%m-%d %H:%M}"


def _number(count: int, one: str, many: str | None = None) -> str:
    """Return a count with its noun: "1 turn", "2 turns"."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


class Pages:
    """Renders templates for one identity."""

    def __init__(self, identity: Identity) -> None:
        self._identity = identity
        self._environment = Environment(
            loader=FileSystemLoader(HOME / "templates"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            finalize=_finalize,
        )
        filters: dict[str, Callable[..., str]] = {"day": _day, "minute": _minute, "number": _number}
        self._environment.filters.update(filters)

    def render(
        self, request: Request, template: str, user: UserMemory | None, values: Mapping[str, object], status: int = 200
    ) -> HTMLResponse:
        """Return a page. Links in it keep the user."""

        def link(path: str, **more: object) -> str:
            return _link(user, path, more)

        def again(**more: object) -> str:
            return _link(user, request.url.path, {**request.query_params, **more})

        text = self._environment.get_template(template).render(
            {
                "views": VIEWS,
                "here": request.url.path,
                "scope": None if user is None else user.scope,
                "identity": self._identity,
                "csrf": self._identity.derive("csrf"),
                "link": link,
                "again": again,
                **values,
            }
        )
        return HTMLResponse(text, status)


def _link(user: UserMemory | None, path: str, more: Mapping[str, object]) -> str:
    scope = {} if user is None else {"user": user.scope.user_id, "assistant": user.scope.assistant_id}
    query = urlencode({**more, **scope}, errors="replace")
    return f"{path}?{query}" if query else path


def _finalize(value: object) -> object:
    """Take control characters and marks of direction out of every text that a page shows."""
    return printable(value) if type(value) is str else value
