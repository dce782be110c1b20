"""Spans: which there are, what they lie in, how long they took."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from memoryos_core import ChatReply, ChatRequest, MemoryOS, ModelError
from memoryos_core.api.aio import AsyncMemoryOS
from memoryos_core.testing.fakes import KeywordEmbedder, ScriptedChat
from tests.faults.opening import small, talk
from tests.otel.telling import Told, attributes

DESCRIBED = {
    "continues_previous": False,
    "chains": [{"first": 1, "summary": "Trees."}],
    "topics": [{"pages": [1, 2], "summary": "Planting trees.", "keywords": ["tree"]}],
    "facts": [{"op": "add", "about": "user", "text": "Plants trees.", "quote": "trees"}],
    "profile": [],
    "traits": [],
}


def opened(told: Told, answer: Callable[[ChatRequest], str | ChatReply] | None = None) -> MemoryOS:
    chat = None if answer is None else ScriptedChat(answer)
    return MemoryOS("sqlite://", embedder=KeywordEmbedder(), llm=chat, config=small(), on_event=told.hook)


def test_a_verb_is_a_span_within_the_callers_own(told: Told) -> None:
    with opened(told) as memory:
        ada = memory.user("ada")
        page = ada.add("I planted a tree.", "Good.")
        with told.tracer.start_as_current_span("request") as request:
            recalled = ada.recall("Which tree?", budget_tokens=200, include_recent=False)
            ada.search("tree")
            ada.forget(pages=[page])
        for name in ("recall", "search", "forget"):
            (span,) = told.spans(f"memoryos.{name}")
            assert span.parent is not None
            assert span.parent.span_id == request.get_span_context().span_id
            assert span.start_time is not None
            assert span.end_time is not None
            assert span.start_time < span.end_time
        (recall,) = told.spans("memoryos.recall")
        assert attributes(recall) == {
            "memoryos.hits": len(recalled.hits),
            "memoryos.tokens": recalled.tokens,
            "memoryos.budget_tokens": 200,
        }
        assert attributes(told.spans("memoryos.forget")[0]) == {"memoryos.pages": 1, "memoryos.facts": 0}


def test_without_a_span_of_the_callers_a_verb_is_a_root(told: Told) -> None:
    with opened(told) as memory:
        memory.user("ada").recall("Which tree?")
    (span,) = told.spans("memoryos.recall")
    assert span.parent is None


async def test_the_callers_span_is_the_parent_through_the_pool(told: Told) -> None:
    async with AsyncMemoryOS("sqlite://", embedder=None, config=small(), on_event=told.hook) as memory:
        ada = memory.user("ada")
        for _ in range(6):
            await ada.add("I planted a tree.", "Good.")
        with told.tracer.start_as_current_span("request") as request:
            await ada.recall("Which tree?")
            await ada.consolidate()
        await ada.recall("Which tree?")
    within, without = told.spans("memoryos.recall")
    (run,) = told.spans("memoryos.consolidate")
    for span in (within, run):
        assert span.parent is not None
        assert span.parent.span_id == request.get_span_context().span_id
    assert without.parent is None


def test_a_run_holds_its_moves_and_a_move_its_model_calls(told: Told) -> None:
    with opened(told, lambda _: ChatReply(json.dumps(DESCRIBED), 70, 30)) as memory:
        ada = memory.user("ada")
        talk(ada, 6)
        with told.tracer.start_as_current_span("request") as request:
            ada.consolidate()
    (run,) = told.spans("memoryos.consolidate")
    assert run.parent is not None
    assert run.parent.span_id == request.get_span_context().span_id
    assert attributes(run)["memoryos.pages_moved"] == 4
    moves, promotions = told.spans("memoryos.page_out"), told.spans("memoryos.promote")
    assert len(moves) == 2
    assert promotions
    for span in (*moves, *promotions):
        assert span.parent == run.context
    calls = told.spans("memoryos.model")
    assert calls
    for call in calls:
        step = attributes(call)["memoryos.step"]
        (parent,) = (s for s in (moves if step == "page_out" else promotions) if s.context == call.parent)
        assert parent.start_time <= call.start_time <= call.end_time <= parent.end_time  # type: ignore[operator]
        assert attributes(call)["gen_ai.usage.input_tokens"] == 70
        assert attributes(call)["gen_ai.usage.output_tokens"] == 30
    assert {attributes(c)["memoryos.step"] for c in calls} == {"page_out", "persona"}


def test_runs_that_find_nothing_to_do_make_no_span(told: Told) -> None:
    with opened(told) as memory:
        memory.user("ada").consolidate()
    assert told.exporter.get_finished_spans() == ()


def test_a_failed_run_and_a_failed_call_say_the_type_of_the_error_and_nothing_more(told: Told) -> None:
    def fail(_: ChatRequest) -> str:
        raise ModelError("zanzibar")

    embedder = KeywordEmbedder()
    memory = MemoryOS("sqlite://", embedder=embedder, llm=ScriptedChat(fail), config=small(), on_event=told.hook)
    with memory:
        ada = memory.user("ada")
        talk(ada, 6)
        ada.consolidate()
        with pytest.raises(ModelError):
            ada.chat("Which tree?")
        talk(ada, 6)
        embedder.failure = ModelError("zanzibar")
        with pytest.raises(ModelError):
            ada.consolidate()
    calls, (well, failed) = told.spans("memoryos.model"), told.spans("memoryos.consolidate")
    assert {attributes(c)["memoryos.step"] for c in calls} == {"page_out", "persona", "answer"}
    for span in (*calls, failed):
        assert attributes(span)["error.type"] == "ModelError"
        assert not span.status.is_ok
        assert span.status.description is None
        assert span.events == ()
    assert well.status.is_ok or well.status.is_unset
    assert "zanzibar" not in told.everything()


def test_a_long_run_holds_back_no_more_than_so_many_spans(told: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memoryos_core.ops.telemetry.instruments._MOST_HELD", 3)
    with opened(told) as memory:
        talk(memory.user("ada"), 20)
        memory.user("ada").consolidate()
    (run,) = told.spans("memoryos.consolidate")
    inside = [s for s in told.exporter.get_finished_spans() if s.parent and s.parent.span_id == run.context.span_id]
    assert len(inside) == 3
    assert {s.name for s in inside} == {"memoryos.page_out", "memoryos.promote"}  # each batch is followed at once
    assert told.total("memoryos.pages", memoryos__outcome="moved") == 18


def test_a_background_run_is_a_trace_of_its_own(told: Told) -> None:
    with MemoryOS("sqlite://", embedder=None, config=small("background"), on_event=told.hook) as memory:
        with told.tracer.start_as_current_span("request"):
            talk(memory.user("ada"), 6)
        assert memory.flush(timeout=60)
    runs = told.spans("memoryos.consolidate")
    assert runs
    assert {r.parent for r in runs} == {None}
    assert sum(attributes(r).get("memoryos.pages_moved", 0) for r in runs) == 4
