"""Events become counters, histograms and gauges, and spans with their times and parents.

Every name is in docs/observability.md.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields
from importlib.metadata import version
from typing import Any

from opentelemetry.context import Context
from opentelemetry.metrics import CallbackOptions, Counter, Histogram, MeterProvider, Observation, get_meter
from opentelemetry.trace import SpanKind, StatusCode, TracerProvider, get_tracer, set_span_in_context
from opentelemetry.util.types import AttributeValue

from memoryos_core.values import events
from memoryos_core.values.dialogue import Scope
from memoryos_core.values.reports import Backlog, ConsolidationReport

# Seconds. The SDK's default bounds are in milliseconds: every recall would fall below the first.
_QUICK = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
_LONG = (0.01, 0.1, 0.5, 1.0, 5.0, 10.0, 30.0, 60.0, 300.0, 1800.0)
# Bounds of the semantic conventions for generative AI.
_MODEL = (0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92)
_MODEL_TOKENS = tuple(float(4**n) for n in range(14))
_TOKENS = (0.0, 50.0, 100.0, 200.0, 500.0, 1_000.0, 2_000.0, 4_000.0, 8_000.0)
_SHARES = tuple(n / 10 for n in range(11))

Backlogs = Callable[[], Iterator[tuple[str, Backlog]]]


class Metrics:
    """Updates the instruments from events."""

    def __init__(self, provider: MeterProvider | None, backlogs: Backlogs) -> None:
        self._meter = get_meter("memoryos", version("memoryos-tiered"), provider)
        self._recall_duration = self._seconds("memoryos.recall.duration", "Search and packing of a recall.", _QUICK)
        self._recall_tokens = self._histogram("memoryos.recall.tokens", "{token}", "Size of recalled text.", _TOKENS)
        self._budget_use = self._histogram("memoryos.recall.budget_use", "1", "Share of the budget used.", _SHARES)
        self._recall_hits = self._histogram("memoryos.recall.hits", "{hit}", "Hits in a recall.", ())
        self._search_duration = self._seconds("memoryos.search.duration", "A search.", _QUICK)
        self._forget_duration = self._seconds("memoryos.forget.duration", "A forgetting.", _QUICK)
        self._run_duration = self._seconds("memoryos.consolidation.duration", "A run of the updater.", _LONG)
        self._model_duration = self._seconds("gen_ai.client.operation.duration", "A call of the chat model.", _MODEL)
        self._model_tokens = self._histogram("gen_ai.client.token.usage", "{token}", "Tokens of a call.", _MODEL_TOKENS)
        self._pages = self._counter("memoryos.pages", "{page}", "Pages added, embedded, moved, reread, forgotten.")
        self._segments = self._counter("memoryos.segments", "{segment}", "Segments opened, promoted, evicted.")
        self._facts = self._counter("memoryos.facts", "{fact}", "Facts learned, superseded, forgotten.")
        self._conflicts = self._counter("memoryos.conflicts", "{conflict}", "Moves that another process made first.")
        self._fallbacks = self._counter("memoryos.fallbacks", "{fallback}", "Steps done without the model.")
        self._retained = self._counter(
            "memoryos.retention", "{item}", "Pages and facts archived or purged by policies."
        )
        self._refused = self._counter("memoryos.verb.failures", "{failure}", "Verbs that raised, by type of error.")
        self._failures = self._counter("memoryos.step.failures", "{failure}", "Steps that failed, by type of error.")
        self._gauge(backlogs, "memoryos.queue.scopes", "{scope}", "Scopes that wait for a worker.", lambda b: b.scopes)
        self._gauge(backlogs, "memoryos.queue.age", "s", "Since when the longest waiting waits.", lambda b: b.seconds)
        self._gauge(backlogs, "memoryos.queue.pages", "{page}", "Pages not embedded yet.", lambda b: b.pages)
        self._gauge(backlogs, "memoryos.queue.reread", "{page}", "Pages to be reread.", lambda b: b.pages_to_reread)
        self._takes: dict[type[events.Event], Callable[[Any], None]] = {
            events.PageAdded: lambda _: self._page("added", 1),
            events.PagedOut: self._count_move,
            events.SegmentOpened: lambda _: self._segment("opened", 1),
            events.Evicted: lambda e: self._segment("evicted", len(e.segment_ids)),
            events.Promoted: self._count_promotion,
            events.Recalled: self._record_recall,
            events.Searched: lambda e: self._search_duration.record(e.milliseconds / 1e3),
            events.Forgotten: self._forgotten,
            events.Consolidated: self._record_run,
            events.ModelAsked: self._record_model_call,
            events.StepFailed: self._count_failure,
            events.Retained: self._count_retention,
            events.VerbFailed: lambda e: self._refused.add(1, {"memoryos.verb": e.verb, "error.type": e.error}),
        }

    def take(self, event: events.Event) -> None:
        """Count an event; unknown events are ignored."""
        if (count := self._takes.get(type(event))) is not None:
            count(event)

    def _histogram(self, name: str, unit: str, what: str, bounds: tuple[float, ...]) -> Histogram:
        return self._meter.create_histogram(name, unit, what, explicit_bucket_boundaries_advisory=bounds or None)

    def _seconds(self, name: str, what: str, bounds: tuple[float, ...]) -> Histogram:
        return self._histogram(name, "s", what, bounds)

    def _counter(self, name: str, unit: str, what: str) -> Counter:
        return self._meter.create_counter(name, unit, what)

    def _gauge(self, backlogs: Backlogs, name: str, unit: str, what: str, number: Callable[[Backlog], float]) -> None:
        def observe_backlogs(_: CallbackOptions) -> Iterable[Observation]:
            return [Observation(number(b), {"memoryos.memory.name": of}) for of, b in backlogs()]

        self._meter.create_observable_gauge(name, [observe_backlogs], unit, what)

    def _page(self, outcome: str, count: int) -> None:
        if count:
            self._pages.add(count, {"memoryos.outcome": outcome})

    def _segment(self, outcome: str, count: int) -> None:
        if count:
            self._segments.add(count, {"memoryos.outcome": outcome})

    def _fact(self, outcome: str, count: int) -> None:
        if count:
            self._facts.add(count, {"memoryos.outcome": outcome})

    def _count_move(self, event: events.PagedOut) -> None:
        self._page("moved", len(event.page_ids))
        self._fact("learned", event.facts)

    def _count_promotion(self, event: events.Promoted) -> None:
        self._segment("promoted", 1)
        self._fact("learned", event.facts)

    def _record_recall(self, event: events.Recalled) -> None:
        self._recall_duration.record(event.milliseconds / 1e3)
        self._recall_tokens.record(event.tokens)
        self._recall_hits.record(event.hits)
        if event.budget_tokens:
            self._budget_use.record(event.tokens / event.budget_tokens)

    def _forgotten(self, event: events.Forgotten) -> None:
        self._forget_duration.record(event.milliseconds / 1e3)
        self._page("forgotten", event.pages)
        self._fact("forgotten", event.facts)

    def _record_run(self, event: events.Consolidated) -> None:
        self._run_duration.record(event.milliseconds / 1e3, {"error.type": event.error} if event.error else {})
        if (report := event.report) is not None:
            self._page("embedded", report.pages_embedded)
            self._page("reread", report.pages_reread)
            self._fact("superseded", report.facts_superseded)
            self._fact("quarantined", report.facts_quarantined)
            self._fact("refused", report.facts_refused)
            self._conflicts.add(report.conflicts)
            self._fallbacks.add(report.fallbacks)

    def _count_retention(self, event: events.Retained) -> None:
        self._retained.add(event.archived, {"memoryos.outcome": "archived"})
        self._retained.add(event.purged, {"memoryos.outcome": "purged"})

    def _record_model_call(self, event: events.ModelAsked) -> None:
        asked = {"gen_ai.operation.name": "chat", "memoryos.step": event.step}
        self._model_duration.record(
            event.milliseconds / 1e3, {**asked, "error.type": event.error} if event.error else asked
        )
        if not event.error:
            self._model_tokens.record(event.prompt_tokens, {**asked, "gen_ai.token.type": "input"})
            self._model_tokens.record(event.completion_tokens, {**asked, "gen_ai.token.type": "output"})

    def _count_failure(self, event: events.StepFailed) -> None:
        self._failures.add(1, {"memoryos.step": event.step, "error.type": event.error})


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
