"""Converts events, which arrive after the fact, to spans with their times and parents."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, fields
from importlib.metadata import version

from opentelemetry.context import Context
from opentelemetry.trace import SpanKind, StatusCode, TracerProvider, get_tracer, set_span_in_context
from opentelemetry.util.types import AttributeValue

from memoryos_core.values import events
from memoryos_core.values.dialogue import Scope
from memoryos_core.values.reports import ConsolidationReport

# A long run keeps only its first spans in memory; metrics count all moves.
_MOST_HELD = 512
# The move for which a consolidation run asks a model; other calls belong to the caller.
_ASKED_FOR = {"page_out": "memoryos.page_out", "persona": "memoryos.promote"}


@dataclass(slots=True)
class _Held:
    """A span of a run that goes on; `began` and `ended` are nanoseconds since 1970."""

    name: str
    began: int
    ended: int
    attributes: dict[str, AttributeValue]
    kind: SpanKind
    error: str
    inside: list[_Held]

    def take(self, other: _Held) -> None:
        """Add a child span. Starts are computed from the end, so a child may seem to begin slightly earlier."""
        self.inside.append(other)
        self.began = min(self.began, other.began)


class _Runs(threading.local):
    """Spans of the running consolidations of this thread, by scope: a hook may run another scope inside a run."""

    def __init__(self) -> None:
        self.held: dict[Scope, list[_Held]] = {}


class Spans:
    """Makes spans. Those of a run are held back until it ends, because a parent must begin before its children."""

    def __init__(self, provider: TracerProvider | None) -> None:
        self._tracer = get_tracer("memoryos", version("memoryos-tiered"), provider)
        self._runs = _Runs()

    def take(self, event: events.Event) -> None:
        """Make the span of an event, or hold it for its run; other events have no span."""
        if isinstance(event, events.Consolidated):
            self._run(event)
        elif (span := _span_of(event)) is not None:
            if isinstance(event, _IN_RUNS) or (isinstance(event, events.ModelAsked) and event.step in _ASKED_FOR):
                self._hold(event.scope, span)
            else:
                self._make(span)

    def _hold(self, scope: Scope, span: _Held) -> None:
        held = self._runs.held.setdefault(scope, [])
        for call in [h for h in held if _ASKED_FOR.get(str(h.attributes.get("memoryos.step"))) == span.name]:
            held.remove(call)
            span.take(call)
        if len(held) < _MOST_HELD:
            held.append(span)

    def _run(self, event: events.Consolidated) -> None:
        inside = self._runs.held.pop(event.scope, [])
        report = event.report or ConsolidationReport()
        if not (inside or event.error or report != ConsolidationReport()):
            return  # each added page triggers a check for a full batch, which needs no span
        counts: dict[str, AttributeValue] = {
            f"memoryos.{f.name}": getattr(report, f.name) for f in fields(report) if getattr(report, f.name)
        }
        run = _make_held("consolidate", event.milliseconds, counts, error=event.error)
        for span in inside:
            run.take(span)
        self._make(run)

    def _make(self, held: _Held, parent: Context | None = None) -> None:
        """Export a span. Without `parent`, it is a child of the caller's current span: the hook runs in it."""
        span = self._tracer.start_span(held.name, parent, held.kind, attributes=held.attributes, start_time=held.began)
        if held.error:
            span.set_attribute("error.type", held.error)
            span.set_status(StatusCode.ERROR)
        within = set_span_in_context(span, parent)
        for child in held.inside:
            self._make(child, within)
        span.end(held.ended)


_IN_RUNS = (events.PagedOut, events.Promoted, events.Evicted)


def _make_held(
    name: str,
    milliseconds: float,
    attributes: dict[str, AttributeValue],
    *,
    kind: SpanKind = SpanKind.INTERNAL,
    error: str = "",
) -> _Held:
    now = time.time_ns()
    return _Held(f"memoryos.{name}", now - int(milliseconds * 1e6), now, attributes, kind, error, [])


def _span_of(event: events.Event) -> _Held | None:
    if isinstance(event, events.Recalled):
        counts = {"hits": event.hits, "tokens": event.tokens, "budget_tokens": event.budget_tokens}
        return _make_held("recall", event.milliseconds, _with_prefix(counts))
    if isinstance(event, events.Searched):
        return _make_held("search", event.milliseconds, _with_prefix({"hits": event.hits}))
    if isinstance(event, events.Forgotten):
        return _make_held("forget", event.milliseconds, _with_prefix({"pages": event.pages, "facts": event.facts}))
    if isinstance(event, events.ModelAsked):
        return _model_span(event)
    return _span_in_run(event)


def _span_in_run(event: events.Event) -> _Held | None:
    if isinstance(event, events.PagedOut):
        counts = {"pages": len(event.page_ids), "segments": len(event.segment_ids)}
        return _make_held("page_out", event.milliseconds, _with_prefix(counts))
    if isinstance(event, events.Promoted):
        counts = {"facts": event.facts, "traits": event.traits, "profile_fields": event.profile_fields}
        return _make_held("promote", event.milliseconds, _with_prefix(counts))
    if isinstance(event, events.Evicted):
        return _make_held("evict", event.milliseconds, _with_prefix({"segments": len(event.segment_ids)}))
    return None


def _with_prefix(counts: dict[str, int]) -> dict[str, AttributeValue]:
    return {f"memoryos.{name}": count for name, count in counts.items()}


def _model_span(event: events.ModelAsked) -> _Held:
    attributes: dict[str, AttributeValue] = {
        "gen_ai.operation.name": "chat",
        "memoryos.step": event.step,
        "gen_ai.usage.input_tokens": event.prompt_tokens,
        "gen_ai.usage.output_tokens": event.completion_tokens,
    }
    return _make_held("model", event.milliseconds, attributes, kind=SpanKind.CLIENT, error=event.error)
