"""Counters, histograms and gauges; every name is in docs/observability.md."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from importlib.metadata import version
from typing import Any

from opentelemetry.metrics import CallbackOptions, Counter, Histogram, MeterProvider, Observation, get_meter

from memoryos_core.values import events
from memoryos_core.values.reports import Backlog

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
