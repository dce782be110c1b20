"""The display of a memory in a notebook."""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import cast

from memoryos_core.config import MemoryConfig
from memoryos_core.errors import MissingExtraError
from memoryos_core.ports.optional_imports import import_optional, require_installed
from memoryos_core.values.dialogue import Scope, Segment
from memoryos_core.values.facts import Fact, Profile
from memoryos_core.values.reports import Stats

_SHOWN = 8
_LONGEST_BAR = 90  # pixels


def user_html(  # noqa: PLR0913, PLR0917 - one argument for each thing on the page
    scope: Scope,
    session_id: str,
    stats: Stats,
    segments: Sequence[Segment],
    heat: Callable[[Segment], float],
    profile: Profile,
    facts: Sequence[Fact],
) -> str:
    """One user's tiers as HTML tables; every text is escaped. `facts` are the former ones, too."""
    title = f"{html.escape(scope.user_id)} with {html.escape(scope.assistant_id)}, session {html.escape(session_id)}"
    tiers = _table(
        ("short-term pages", "mid-term pages", "segments", "archived pages", "facts", "traits"),
        [
            (
                stats.pages_short_term,
                stats.pages_mid_term,
                stats.segments,
                stats.pages_archived,
                stats.facts_user + stats.facts_assistant,
                stats.traits,
            )
        ],
    )
    warm = [(s, heat(s)) for s in segments[:_SHOWN]]
    most = max((h for _, h in warm), default=0.0)
    hottest = _table(
        ("heat", "", "pages", "from", "to", "keywords", "summary"),
        [
            (
                f"{h:.2f}",
                _Bar(h / most if most > 0 else 0.0),
                s.page_count,
                s.since,
                s.until,
                ", ".join(s.keywords),
                s.summary,
            )
            for s, h in warm
        ],
    )
    current = [f for f in facts if f.status == "current"]
    known = _table(
        ("about", "fact", "since", "before"),
        [(f.about, f.text, f.valid_from, _former(f, facts)) for f in current[-_SHOWN:]],
    )
    fields = _table(("profile", "value"), [(f.name, f.value) for f in profile.fields])
    traits = _table(("trait", "level", "why"), [(t.dimension, t.level, t.reason) for t in profile.traits])
    return f"<div><b>UserMemory</b> {title}{tiers}{hottest}{fields}{traits}{known}</div>"


@dataclass(frozen=True, slots=True)
class Table:
    """The display of a memory where no widget can be made."""

    shown: str

    def _repr_html_(self) -> str:
        return self.shown


def open_inspection(user: object, table: str, config: MemoryConfig) -> object:
    """Return the widget of a user's memory, with a table for pages that run no widget; the table without anywidget."""
    try:
        require_installed("anywidget", "notebooks")
    except MissingExtraError:
        return Table(table)
    widget = import_optional("memoryos_core.api.widget.inspection", "notebooks")
    return cast("object", widget.Inspection(user, table, config))


def _former(fact: Fact, facts: Sequence[Fact]) -> str:
    """Return what the fact took the place of."""
    former = (f for f in facts if f.superseded_by == fact.id and f.status != "evicted")
    return "; ".join(f"{f.text} ({f.valid_from:%Y-%m-%d})" for f in former)


@dataclass(frozen=True, slots=True)
class _Bar:
    """A bar in a cell; its share of the longest one is 0 to 1."""

    share: float


def _cell(value: object) -> str:
    if isinstance(value, _Bar):
        wide = _LONGEST_BAR * value.share
        return f"<span style='display:inline-block;height:.7em;width:{wide:.0f}px;background:#d55e00'></span>"
    if isinstance(value, datetime):
        return f"<span style='white-space:nowrap'>{value:%Y-%m-%d}</span>"
    return "" if value is None else html.escape(str(value))


def _table(heads: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    if not rows:
        return ""
    head = "".join(f"<th>{html.escape(h)}</th>" for h in heads)
    body = "".join("<tr>" + "".join(f"<td>{_cell(c)}</td>" for c in row) + "</tr>" for row in rows)
    return f"<table><tr>{head}</tr>{body}</table>"
