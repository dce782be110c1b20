"""The widget itself: its values go to the page once, and questions come back as messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import MAXYEAR, datetime, timezone
from pathlib import Path
from typing import Any, TypeAlias, cast

import anywidget
import traitlets

from memoryos_core.api.recall_misses import find_recall_misses
from memoryos_core.api.user import UserMemory
from memoryos_core.config import HeatConfig, MemoryConfig
from memoryos_core.errors import InvalidInputError, MemoryOSError
from memoryos_core.rules.paging.heat import heat_in_month
from memoryos_core.rules.text.words import printable
from memoryos_core.values.dialogue import Hit, Segment
from memoryos_core.values.facts import Fact

Part: TypeAlias = dict[str, object]

_FORMER = frozenset({"superseded", "retired"})
_FACTS = 100
_TOPICS = 12
_MONTHS = 24


def read_parts(user: UserMemory, heat: HeatConfig) -> Part:
    """Return what the widget shows before anybody asks: the tiers, the newest facts, and the hottest topics."""
    whose = {"user": user.scope.user_id, "assistant": user.scope.assistant_id, "actor": user.gate.actor or ""}
    return {
        "whose": {name: printable(value) for name, value in whose.items()},
        "overview": read_overview(user),
        "knowledge": read_knowledge(user, ""),
        "topics": read_topics(user, heat),
    }


def read_overview(user: UserMemory) -> Part:
    """Return the counts of the three tiers."""
    stats = user.stats()
    return {
        "turns": stats.pages,
        "sessions": stats.sessions,
        "short_term": stats.pages_short_term,
        "topics": stats.segments,
        "mid_term": stats.pages_mid_term,
        "archived": stats.pages_archived,
        "facts": stats.facts_user + stats.facts_assistant,
        "fields": stats.profile_fields,
        "traits": stats.traits,
        "held": len(user.governance.quarantined()),
    }


def read_knowledge(user: UserMemory, words: str) -> Part:
    """Return the newest facts that have these words, current and former apart, with what replaced the former ones."""
    every = user.facts(current=False)
    texts = {fact.id: fact.text for fact in every}
    chosen = [fact for fact in reversed(every) if words.casefold() in fact.text.casefold()]
    current = [fact for fact in chosen if fact.status == "current"]
    former = [fact for fact in chosen if fact.status in _FORMER]
    return {
        "words": printable(words),
        "counts": {"current": len(current), "former": len(former)},
        "current": [_fact(fact, texts) for fact in current[:_FACTS]],
        "former": [_fact(fact, texts) for fact in former[:_FACTS]],
    }


def read_topics(user: UserMemory, config: HeatConfig) -> Part:
    """Return the hottest topics with their heat, and their heat and turns in each of the last months."""
    topics = user.topics()
    shown = topics[:_TOPICS]
    segments = {segment.id: segment for segment in user.segments([topic.segment_id for topic in shown])}
    times: dict[tuple[str, int], list[datetime]] = {}  # of the turns of each topic and month
    for page in user.pages() if shown else ():
        if page.segment_id in segments:
            times.setdefault((page.segment_id, _month(page.timestamp)), []).append(page.timestamp)
    touched = [moment for s in segments.values() for moment in (s.last_access, s.until) if moment is not None]
    seen = sorted({month for _, month in times})
    months = range(max(seen[0], seen[-1] - _MONTHS + 1), seen[-1] + 1) if seen else range(0)
    ends = [min(_end_of(month), max(touched)) for month in months]
    return {
        "total": len(topics),
        "months": [f"{month // 12}-{month % 12 + 1:02}" for month in months],
        "rows": [
            {
                "title": printable(topic.title or "no keywords yet"),
                "summary": printable(topic.summary),
                "turns": topic.pages,
                "heat": round(float(topic.heat), 2),
                "by_month": [len(times.get((topic.segment_id, month), ())) for month in months],
                "heat_by_month": [
                    round(_heat(segments[topic.segment_id], times, month, end, config), 2)
                    for month, end in zip(months, ends, strict=True)
                ],
            }
            for topic in shown
        ],
    }


def _heat(
    segment: Segment, times: Mapping[tuple[str, int], Sequence[datetime]], month: int, end: datetime, config: HeatConfig
) -> float:
    """Return the heat of a segment at the end of a month; 0 before its first turn."""
    own = times.get((segment.id, month), ())
    before = [when for (name, at), some in times.items() if name == segment.id and at <= month for when in some]
    return float(heat_in_month(segment, config, pages=len(own), last=max(before), end=end)) if before else 0.0


def _end_of(month: int) -> datetime:
    if month // 12 >= MAXYEAR and month % 12 == 11:  # noqa: PLR2004 - December
        return datetime.max.replace(tzinfo=timezone.utc)
    return datetime((month + 1) // 12, (month + 1) % 12 + 1, 1, tzinfo=timezone.utc)


def ask(user: UserMemory, question: str, budget: int | None, min_score: float) -> Part:
    """Return a recall: the text that a prompt gets, each hit with its signals, and what just missed.

    Raises InvalidInputError for an empty question.
    """
    if not question.strip():
        raise InvalidInputError("there is no question: write one")
    found = user.recall(question, budget_tokens=budget, include_recent=False)
    missed = find_recall_misses(user, found, min_score)
    return {
        "text": printable(found.text),
        "tokens": found.tokens,
        "budget": found.budget_tokens,
        "milliseconds": round(sum(found.timings_ms.values())),
        "hits": [_hit(hit, "") for hit in found.hits],
        "missed": [_hit(hit, why) for hit, why in missed],
    }


def _fact(fact: Fact, texts: Mapping[str, str]) -> Part:
    return {
        "text": printable(fact.text),
        "about": fact.about,
        "trust": fact.trust,
        "status": fact.status,
        "since": _day(fact.valid_from),
        "until": _day(fact.valid_until),
        "turns": len(fact.page_ids),
        "now": printable(texts.get(fact.superseded_by or "", "")),
    }


def _hit(hit: Hit, why: str) -> Part:
    signals: Sequence[tuple[str, float]] = [(name, round(float(value), 3)) for name, value in hit.signals.items()]
    return {
        "text": printable(hit.text),
        "score": round(float(hit.score), 2),
        "tier": hit.tier,
        "day": _day(hit.timestamp),
        "signals": [list(signal) for signal in signals],
        "why": why,
    }


def _day(when: datetime | None) -> str:
    return "" if when is None else f"{when:%Y-%m-%d}"


def _month(when: datetime) -> int:
    return when.year * 12 + when.month - 1


_HOME = Path(__file__).parent
_LONGEST_QUESTION = 2000


class Inspection(anywidget.AnyWidget):
    """One user's memory as a widget. Where no kernel runs, its table is shown."""

    _esm = (_HOME / "inspection.js").read_text("utf-8")
    _css = (_HOME / "inspection.css").read_text("utf-8")
    parts = cast("dict[str, object]", traitlets.Dict().tag(sync=True))

    def __init__(self, user: UserMemory, table: str, config: MemoryConfig) -> None:
        super().__init__(parts=read_parts(user, config.heat))
        self._user, self._table, self._config = user, table, config
        self.on_msg(_answer_message)  # pyright: ignore[reportUnknownMemberType]

    def answer(self, message: Mapping[str, object]) -> Part:
        """Return the answer to a message of the page; what cannot be answered says why."""
        reply: Part = {"kind": message.get("kind"), "number": message.get("number")}
        try:
            return {**reply, "found": self._find(message)}
        except MemoryOSError as error:
            return {**reply, "problem": str(error)}

    def _find(self, message: Mapping[str, object]) -> Part:
        text = message.get("text")
        if not isinstance(text, str) or len(text) > _LONGEST_QUESTION:
            raise InvalidInputError(f"the text must be at most {_LONGEST_QUESTION} characters")
        if message.get("kind") == "facts":
            return read_knowledge(self._user, text)
        if message.get("kind") == "recall":
            return ask(self._user, text, _budget(message.get("budget")), self._config.recall.min_score)
        raise InvalidInputError("unknown kind of message: use facts or recall")

    def _repr_mimebundle_(self, **options: Any) -> Any:  # noqa: ANN401 - as in ipywidgets
        bundle: Any = cast("Any", super())._repr_mimebundle_(**options)
        data, metadata = bundle or cast("Any", ({}, {}))
        return {**data, "text/plain": "Inspection of a memory", "text/html": self._table}, metadata


def _answer_message(widget: Inspection, message: object, _buffers: object) -> None:
    if isinstance(message, dict):
        answer = widget.answer(cast("dict[str, object]", message))
        widget.send(answer)  # pyright: ignore[reportUnknownMemberType]


def _budget(given: object) -> int | None:
    if given in (None, ""):
        return None
    if isinstance(given, str) and given.isdecimal() and len(given) < 10:  # noqa: PLR2004 - no long number
        return int(given)
    raise InvalidInputError("invalid budget: write a number of tokens")
