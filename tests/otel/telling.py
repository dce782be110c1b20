"""A memory that is watched by real providers of the SDK, which keep what they are told."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from memoryos_core.ops.telemetry import OpenTelemetry


class Told:
    """Providers, the hook that feeds them, and what they were told."""

    def __init__(self) -> None:
        self.exporter = InMemorySpanExporter()
        self.tracers = TracerProvider()
        self.tracers.add_span_processor(SimpleSpanProcessor(self.exporter))
        self.reader = InMemoryMetricReader()
        self.meters = MeterProvider([self.reader])
        self.hook = OpenTelemetry(tracer_provider=self.tracers, meter_provider=self.meters)
        self.tracer = self.tracers.get_tracer("the application's own")

    def close(self) -> None:
        self.tracers.shutdown()
        self.meters.shutdown()

    def spans(self, name: str) -> list[ReadableSpan]:
        return [s for s in self.exporter.get_finished_spans() if s.name == name]

    def points(self, metric: str) -> list[Any]:
        """The data points of a metric; collected anew, for gauges look when they are collected."""
        collected = self.reader.get_metrics_data()
        if collected is None:
            return []
        data = json.loads(collected.to_json())
        metrics = [m for r in data["resource_metrics"] for s in r["scope_metrics"] for m in s["metrics"]]
        return [p for m in metrics if m["name"] == metric for p in m["data"]["data_points"]]

    def total(self, metric: str, **attributes: str) -> float:
        """The sum of a counter or gauge, or the count of a histogram, over points that have these attributes."""
        wanted = {name.replace("__", "."): value for name, value in attributes.items()}
        points = [p for p in self.points(metric) if wanted.items() <= p["attributes"].items()]
        return sum(float(p["value"] if "value" in p else p["count"]) for p in points)

    def everything(self) -> str:
        """All that was told, as text."""
        spans = [s.to_json() for s in self.exporter.get_finished_spans()]
        return "\n".join([*spans, self.reader.get_metrics_data().to_json()])  # type: ignore[union-attr]


def attributes(span: ReadableSpan) -> Mapping[str, Any]:
    return dict(span.attributes or {})
