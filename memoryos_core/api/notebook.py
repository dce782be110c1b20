"""The display of a memory in a notebook."""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence

from memoryos_core.values.dialogue import Scope, Segment
from memoryos_core.values.facts import Fact, Profile
from memoryos_core.values.reports import Stats

_SHOWN = 8


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
    hottest = _table(
        ("heat", "pages", "keywords", "summary"),
        [(f"{heat(s):.2f}", s.page_count, ", ".join(s.keywords), s.summary) for s in segments[:_SHOWN]],
    )
    current = [f for f in facts if f.status == "current"]
    known = _table(
        ("about", "fact", "since", "before"),
        [(f.about, f.text, f"{f.valid_from:%Y-%m-%d}", _former(f, facts)) for f in current[-_SHOWN:]],
    )
    fields = _table(("profile", "value"), [(f.name, f.value) for f in profile.fields])
    traits = _table(("trait", "level", "why"), [(t.dimension, t.level, t.reason) for t in profile.traits])
    return f"<div><b>UserMemory</b> {title}{tiers}{hottest}{fields}{traits}{known}</div>"


def _former(fact: Fact, facts: Sequence[Fact]) -> str:
    """Return what the fact took the place of."""
    return "; ".join(f"{f.text} ({f.valid_from:%Y-%m-%d})" for f in facts if f.superseded_by == fact.id)


def _table(heads: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    if not rows:
        return ""
    head = "".join(f"<th>{html.escape(h)}</th>" for h in heads)
    body = "".join("<tr>" + "".join(f"<td>{html.escape(str(c))}</td>" for c in row) + "</tr>" for row in rows)
    return f"<table><tr>{head}</tr>{body}</table>"
