"""Pages from templates: everything that is remembered is escaped, and nothing in it can be a tag or an address."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Generic, TypeVar
from urllib.parse import urlencode

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse

from memoryos_core.api.user import UserMemory
from memoryos_core.ops.inspector.ahead import ReadAhead
from memoryos_core.ops.inspector.identity import Identity
from memoryos_core.rules.text.words import printable
from memoryos_core.values.dialogue import Scope
from memoryos_core.values.facts import Fact, Profile

T = TypeVar("T")
HOME = Path(__file__).parent
VIEWS = (
    ("/overview", "Overview"),
    ("/timeline", "Timeline"),
    ("/knowledge", "Knowledge"),
    ("/recall", "Recall"),
    ("/recalls", "Recall log"),
    ("/person", "Person"),
)


@dataclass(frozen=True, slots=True)
class Portion(Generic[T]):
    """One part of a long list."""

    items: Sequence[T]
    number: int
    last: int
    total: int


@dataclass(frozen=True, slots=True)
class Place:
    """The part of a long list that a request asks for: its number of `last`, and what it holds."""

    number: int
    last: int
    total: int
    size: int

    @property
    def offset(self) -> int:
        """The number of items before it."""
        return (self.number - 1) * self.size

    def holding(self, items: Sequence[T]) -> Portion[T]:
        """Return the part with its items."""
        return Portion(items, self.number, self.last, self.total)


def find_place(total: int, request: Request, size: int = 25) -> Place:
    """Return the part that the request's `page` names of a list of so many items, the nearest one there is."""
    last = max(1, math.ceil(total / size))
    given = request.query_params.get("page", "1")
    number = min(max(int(given), 1), last) if given.isdecimal() and len(given) < 10 else 1  # noqa: PLR2004 - no long number
    return Place(number, last, total, size)


def portion(items: Sequence[T], request: Request, size: int = 25) -> Portion[T]:
    """Return the part of a list that the request names."""
    place = find_place(len(items), request, size)
    return place.holding(items[place.offset : place.offset + size])


def _day(when: datetime | None) -> str:
    return "" if when is None else f"{when:%Y-%m-%d}"


def _minute(when: datetime | None) -> str:
    return "" if when is None else f"{when:%Y-%m-%d %H:%M}"


def _number(count: int, one: str, many: str | None = None) -> str:
    """Return a count with its noun: "1 turn", "2 turns"."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


@lru_cache(maxsize=1)
def open_templates() -> Environment:
    """Return the templates, each compiled once for a process."""
    environment = Environment(
        loader=FileSystemLoader(HOME / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_finalize,
    )
    filters: dict[str, Callable[..., str]] = {"day": _day, "minute": _minute, "number": _number}
    environment.filters.update(filters)
    for name in environment.list_templates():
        environment.get_template(name)
    return environment


class Pages:
    """Renders templates for one identity."""

    def __init__(self, identity: Identity, ahead: ReadAhead) -> None:
        self._identity = identity
        self._ahead = ahead

    def render(
        self, request: Request, template: str, user: UserMemory | None, values: Mapping[str, object], status: int = 200
    ) -> HTMLResponse:
        """Return a page. Links in it keep the user. What later views of the user need is read behind the first one."""

        def link(path: str, **more: object) -> str:
            return _link(user, path, more)

        def again(**more: object) -> str:
            return _link(user, request.url.path, {**request.query_params, **more})

        text = (
            open_templates()
            .get_template(template)
            .render(
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
        )
        response = HTMLResponse(text, status)
        if user is not None:
            response.background = self._ahead.task_for(user)
        return response


def _link(user: UserMemory | None, path: str, more: Mapping[str, object]) -> str:
    scope = {} if user is None else {"user": user.scope.user_id, "assistant": user.scope.assistant_id}
    query = urlencode({**more, **scope}, errors="replace")
    return f"{path}?{query}" if query else path


def _finalize(value: object) -> object:
    """Take control characters and marks of direction out of every text that a page shows."""
    return printable(value) if type(value) is str else value


_SPECIAL = re.compile(r"([\\`*_{}\[\]()#+!|<>~&:-])")


def person_markdown(scope: Scope, profile: Profile, facts: Sequence[Fact]) -> str:
    """Return what is known about a user as Markdown. Remembered text cannot be markup in it."""
    notes: list[str] = []

    def note(page_ids: Sequence[str]) -> str:
        if not page_ids:
            return ""
        notes.append(f"[^{len(notes) + 1}]: pages {', '.join(map(_plain, page_ids))}")
        return f"[^{len(notes)}]"

    lines = [f"# {_plain(scope.user_id)}", ""]
    lines += [f"- **{_plain(f.name)}**: {_plain(f.value)}{note(f.page_ids)}" for f in profile.fields]
    if profile.traits:
        lines += ["", "## Traits", ""]
    for trait in profile.traits:
        why = f" ({_plain(trait.reason)})" if trait.reason else ""
        lines.append(f"- {_plain(trait.dimension)}: {trait.level}{why}{note(trait.page_ids)}")
    for about, title in (("user", "Facts"), ("assistant", "Of the assistant")):
        told = [fact for fact in facts if fact.about == about]
        lines += ["", f"## {title}", ""] if told else []
        lines += [f"- {_plain(f.text)} (since {f.valid_from:%Y-%m-%d}){note(f.page_ids)}" for f in told]
    return "\n".join([*lines, *([""] if notes else []), *notes, ""])


def _plain(text: str) -> str:
    """Return a text as one line without markup."""
    return _SPECIAL.sub(r"\\\1", " ".join(printable(text).split()))
