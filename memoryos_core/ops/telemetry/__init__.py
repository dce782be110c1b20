"""OpenTelemetry (extra `otel`): spans and metrics of a memory, without content.

Attributes are counts, names of steps and types of errors. Never content, and never ids of users, assistants, pages,
facts or segments: an id identifies a user, and as a metric label it would create one time series per user.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from typing import TYPE_CHECKING

from memoryos_core.api.memory import MemoryOS
from memoryos_core.errors import MemoryOSError, MissingExtraError
from memoryos_core.values.events import Event
from memoryos_core.values.reports import Backlog

if TYPE_CHECKING:
    from opentelemetry.metrics import MeterProvider
    from opentelemetry.trace import TracerProvider


class OpenTelemetry:
    """An event hook that turns events into spans and metrics; without an SDK it does nothing.

    Args:
        tracer_provider: where spans go; None is the global one.
        meter_provider: where metrics go; None is the global one.

    Raises:
        MissingExtraError: `opentelemetry-api` is not installed.

    >>> telemetry = OpenTelemetry()                                                     # doctest: +SKIP
    >>> memory = telemetry.observe(MemoryOS("sqlite:///m.db", on_event=telemetry))      # doctest: +SKIP
    """

    def __init__(
        self, *, tracer_provider: TracerProvider | None = None, meter_provider: MeterProvider | None = None
    ) -> None:
        try:
            from memoryos_core.ops.telemetry.instruments import Metrics, Spans  # noqa: PLC0415 - an extra
        except ModuleNotFoundError as error:
            raise MissingExtraError("opentelemetry", "otel") from error
        self._spans = Spans(tracer_provider)
        self._metrics = Metrics(meter_provider, self._backlogs)
        self._observed: dict[str, weakref.ReferenceType[MemoryOS]] = {}

    def __call__(self, event: Event) -> None:
        """Handle an event; `MemoryOS(on_event=…)` calls this in the thread of the event."""
        self._metrics.take(event)
        self._spans.take(event)

    def observe(self, memory: MemoryOS, *, name: str = "memory") -> MemoryOS:
        """Report how much work waits in this memory's store whenever metrics are collected; returns the memory.

        The collecting thread asks the store; no caller waits. `name` distinguishes several memories of a process;
        a later one with the same name replaces the earlier. A closed memory is no longer reported.
        """
        self._observed[name] = weakref.ref(memory)
        return memory

    def _backlogs(self) -> Iterator[tuple[str, Backlog]]:
        for name, reference in list(self._observed.items()):
            memory = reference()
            if memory is None or memory.closed:
                self._observed.pop(name, None)
                continue
            try:
                yield name, memory.backlog()
            except MemoryOSError:  # other metrics must be exported even when the store is down
                continue
