"""Metrics: every count is that of the memory's own reports, and the gauges are the store's."""

from __future__ import annotations

import gc
import json
import re
from pathlib import Path

import pytest

from memoryos_core import ChatReply, InvalidInputError, MemoryOS, MidTermConfig, NotFoundError
from memoryos_core.errors import AccessError
from memoryos_core.testing.fakes import KeywordEmbedder, ScriptedChat
from tests.faults.opening import small, talk
from tests.otel.telling import Told
from tests.otel.test_spans import DESCRIBED

DOCS = Path(__file__).parents[2] / "docs" / "observability.md"


def test_what_is_counted_is_what_was_done(told: Told) -> None:
    from dataclasses import replace

    config = replace(small(), mid_term=MidTermConfig(capacity_segments=1))
    memory = MemoryOS("sqlite://", embedder=KeywordEmbedder(), config=config, on_event=told.hook)
    with memory:
        ada = memory.user("ada")
        ids = talk(ada, 6) + [ada.add("My boat lost its rudder near Malta.", "A pity.").id for _ in range(4)]
        report = ada.consolidate()
        assert report.segments_evicted > 0
        receipt = ada.forget(pages=ids[:2])
        recalls = [ada.recall("Which tree?", budget_tokens=b) for b in (50, 300)]
        ada.search("boat")
    outcomes = {
        "memoryos.pages": {
            "added": 10,
            "moved": report.pages_moved,
            "embedded": report.pages_embedded,
            "forgotten": receipt.pages,
        },
        "memoryos.segments": {
            "opened": report.segments_opened,
            "promoted": report.segments_promoted,
            "evicted": report.segments_evicted,
        },
        "memoryos.facts": {"learned": report.facts_learned},
    }
    for metric, counts in outcomes.items():
        assert {o: told.total(metric, memoryos__outcome=o) for o in counts} == counts
    (tokens,), (use,) = told.points("memoryos.recall.tokens"), told.points("memoryos.recall.budget_use")
    assert tokens["sum"] == sum(r.tokens for r in recalls)
    assert use["sum"] == pytest.approx(sum(r.tokens / b for r, b in zip(recalls, (50, 300), strict=True)))
    assert use["max"] <= 1
    (took,) = told.points("memoryos.recall.duration")
    assert took["count"] == 2
    assert took["sum"] == pytest.approx(sum(sum(r.timings_ms.values()) for r in recalls) / 1e3)
    assert took["explicit_bounds"][0] == 0.001
    assert told.total("memoryos.search.duration") == 1
    assert told.total("memoryos.forget.duration") == 1
    assert told.total("memoryos.consolidation.duration") == 1


def test_model_calls_and_tokens_are_those_of_usage_and_chat(told: Told) -> None:
    chat = ScriptedChat(lambda r: ChatReply(json.dumps(DESCRIBED) if r.schema else "Trees.", 70, 30))
    with MemoryOS("sqlite://", embedder=None, llm=chat, config=small(), on_event=told.hook) as memory:
        talk(memory.user("ada"), 6)
        memory.user("ada").consolidate()
        memory.user("ada").chat("Which tree?")
        usage = memory.usage()
    assert usage.calls > 1
    assert told.total("gen_ai.client.operation.duration") == usage.calls + 1
    assert told.total("gen_ai.client.operation.duration", memoryos__step="answer") == 1
    by_kind = {
        kind: sum(
            p["sum"]
            for p in told.points("gen_ai.client.token.usage")
            if p["attributes"]["gen_ai.token.type"] == kind and p["attributes"]["memoryos.step"] != "answer"
        )
        for kind in ("input", "output")
    }
    assert by_kind == {"input": usage.prompt_tokens, "output": usage.completion_tokens}


def test_failures_are_counted_by_step_and_type(told: Told) -> None:
    chat = ScriptedChat(lambda _: "no JSON at all")
    with MemoryOS("sqlite://", embedder=None, llm=chat, config=small(), on_event=told.hook) as memory:
        talk(memory.user("ada"), 4)
        report = memory.user("ada").consolidate()
    assert report.fallbacks > 0
    assert told.total("memoryos.fallbacks") == report.fallbacks
    failed = told.total("memoryos.step.failures", memoryos__step="page_out", error__type="ModelAnswerError")
    assert failed >= 1


def test_a_verb_that_raises_is_counted_by_name_and_type(told: Told) -> None:
    with MemoryOS("sqlite://", embedder=None, config=small(), on_event=told.hook) as memory:
        ada, stranger = memory.user("ada"), memory.user("ada", actor="mallory")
        with pytest.raises(InvalidInputError):
            ada.search("tree", k=0)
        for _ in range(2):
            with pytest.raises(AccessError):
                stranger.recall("tree")
        with pytest.raises(NotFoundError):
            ada.correct("none", "A tree.")
    for verb, error, times in (("search", "InvalidInput", 1), ("recall", "Access", 2), ("correct", "NotFound", 1)):
        assert told.total("memoryos.verb.failures", memoryos__verb=verb, error__type=f"{error}Error") == times


def test_the_gauges_are_read_from_the_store_and_end_with_the_memory(told: Told) -> None:
    memory = told.hook.observe(MemoryOS("sqlite://", embedder=KeywordEmbedder(), config=small(), on_event=told.hook))
    assert told.total("memoryos.queue.pages") == 0
    talk(memory.user("ada"), 5)
    talk(memory.user("bob"), 3)
    assert told.total("memoryos.queue.pages", memoryos__memory__name="memory") == 8
    assert told.total("memoryos.queue.pages") == memory.backlog().pages
    assert told.total("memoryos.queue.scopes") == memory.backlog().scopes
    assert memory.backlog().scopes == 2
    assert 0 <= memory.backlog().seconds <= told.total("memoryos.queue.age") < 600
    assert memory.flush()
    assert told.total("memoryos.queue.pages") == told.total("memoryos.queue.scopes") == 0
    assert told.total("memoryos.queue.age") == 0
    memory.close()
    assert told.points("memoryos.queue.pages") == []


def test_pages_to_be_reread_wait_too(told: Told) -> None:
    chat = ScriptedChat(lambda _: "no JSON at all")
    with told.hook.observe(MemoryOS("sqlite://", embedder=None, llm=chat, config=small()), name="two") as memory:
        talk(memory.user("ada"), 6)
        memory.user("ada").consolidate()
        marked = memory.user("ada").stats().pages_to_reread
        assert marked > 0
        assert told.total("memoryos.queue.reread", memoryos__memory__name="two") == marked


def test_a_store_that_fails_is_left_out_and_other_metrics_go_out(told: Told, tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with told.hook.observe(MemoryOS(f"sqlite:///{path}", embedder=None, on_event=told.hook)) as memory:
        memory.user("ada").add("A tree.")
        path.unlink()
        path.write_bytes(b"this is no database" * 100)
        for log in tmp_path.glob("m.db-*"):
            log.unlink()
        memory._engine.parts.store._database._engine.dispose()  # type: ignore[attr-defined]  # as a new process would
        assert told.total("memoryos.pages", memoryos__outcome="added") == 1  # the worker may have read it meanwhile
        assert told.points("memoryos.queue.pages") == []


def test_a_memory_that_nobody_holds_is_not_kept_alive(told: Told) -> None:
    told.hook.observe(MemoryOS("sqlite://", embedder=None))
    gc.collect()
    assert list(told.hook._backlogs()) == []


def test_the_page_of_the_docs_lists_every_metric(told: Told) -> None:
    source = Path(__file__).parents[2] / "memoryos_core" / "ops" / "telemetry" / "instruments.py"
    names = set(re.findall(r'"((?:memoryos|gen_ai)\.[a-z_.]+)", "', source.read_text("utf-8")))
    assert len(names) > 12
    text = DOCS.read_text("utf-8")
    assert [name for name in sorted(names) if f"`{name}`" not in text] == []
