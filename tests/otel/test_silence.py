"""Not a word of what is remembered, and not whose it is, in any span, metric, log record or error's text."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import fields

import pytest

from memoryos_core import ChatReply, ChatRequest, MemoryOS, MemoryOSError, Message, NoteWrite, UserMemory
from memoryos_core.config import WorkerMode
from memoryos_core.ops.telemetry import OpenTelemetry
from memoryos_core.testing.fakes import KeywordEmbedder
from memoryos_core.values.reports import ConsolidationReport
from tests.faults.opening import small
from tests.otel.telling import Told

# Each stands for what was said, told, answered by a model, noted, asked. None is a part of another word.
SAID, FACT, ANSWER, NOTE, ASKED = "zanzibarish", "quokkaesque", "kaboomlike", "notaphile", "whatsoeverly"
WHO = "ada-lovelace-1815"
HOW = "tutor-babbage-1791"
SENTINELS = (SAID, FACT, ANSWER, NOTE, ASKED)


def moody(answers: Iterable[str | ChatReply | BaseException]) -> Callable[[ChatRequest], str | ChatReply]:
    turns = iter(answers)

    def answer(_: ChatRequest) -> str | ChatReply:
        line = next(turns, ValueError(f"HTTP 500: {ANSWER} {SAID}"))
        if isinstance(line, BaseException):
            raise line
        return line

    return answer


def live(memory: MemoryOS, user: UserMemory, embedder: KeywordEmbedder) -> list[BaseException]:
    """Do all there is to do, well and badly; the errors that came of it."""
    errors: list[BaseException] = []

    def attempt(call: Callable[[], object]) -> None:
        try:
            call()
        except MemoryOSError as error:
            errors.append(error)

    for i in range(8):
        user.add(f"My {SAID} password is {SAID} {i}.", f"I keep {SAID}.", user_name=SAID)
    fact = user.remember(f"Likes {FACT}.")
    user.correct(fact.id, f"Hates {FACT}.")
    user.notes.write([NoteWrite((NOTE,), NOTE, f'"{NOTE}"', text=NOTE)])
    user.notes.search((NOTE,), NOTE)
    for call in (
        user.consolidate,
        lambda: user.recall(f"What {ASKED} {SAID}?"),
        lambda: user.search(f"{ASKED} {SAID}"),
        lambda: user.chat(f"{ASKED} {SAID}?"),
        lambda: user.add(SAID, b"5"),  # type: ignore[arg-type]  # meant
        lambda: user.add(SAID, timestamp=SAID),  # type: ignore[arg-type]  # meant
        lambda: user.add_messages([Message("user", SAID), SAID]),  # type: ignore[list-item]  # meant
        lambda: user.search(SAID, k=0),
        lambda: user.recall(ASKED, budget_tokens=-1),
        lambda: user.correct("none", FACT),
        lambda: memory.restore([{**r, "seq": SAID} if r["kind"] == "page" else r for r in user.export()]),
        lambda: list(user.export()),
    ):
        attempt(call)
    embedder.failure = RuntimeError(f"{SAID} {FACT}")
    attempt(lambda: user.add(SAID))
    attempt(lambda: user.recall(SAID))
    attempt(user.consolidate)
    attempt(lambda: memory.flush(5))
    embedder.failure = None
    user.forget(facts=[fact.id])
    user.forget(everything=True)
    memory.close()
    attempt(lambda: user.add(SAID))
    return errors


def unsaid(text: str) -> bool:
    """Nothing that was remembered stands in it; a test of our own names would not count."""
    return not any(word in text for word in SENTINELS)


@pytest.mark.parametrize("mode", ["manual", "background"])
def test_nothing_remembered_is_told_to_anybody(told: Told, caplog: pytest.LogCaptureFixture, mode: WorkerMode) -> None:
    embedder = KeywordEmbedder()
    chat = moody([ANSWER, f"{{{ANSWER}", ChatReply(ANSWER, 5, 5), RuntimeError(ANSWER), ValueError(SAID)])
    with caplog.at_level(logging.DEBUG):
        memory = MemoryOS("sqlite://", embedder=embedder, llm=chat, config=small(mode), on_event=told.hook)
        told.hook.observe(memory)
        told.reader.collect()
        user = memory.user(WHO, assistant_id=HOW)
        ids = [f.id for f in user.facts()]
        errors = live(memory, user, embedder)
    assert len(errors) >= 8
    assert told.total("gen_ai.client.operation.duration") > 4
    # Our own words, and those of what we chain; an embedder's own error keeps its text where it is chained, no further.
    for error in errors:
        assert unsaid(str(error)), type(error)
    records = [r.getMessage() + "".join(map(str, r.args or ())) + (r.exc_text or "") for r in caplog.records]
    assert records
    assert [r for r in records if not unsaid(r)] == []
    text = told.everything()
    assert "memoryos.recall" in text
    assert unsaid(text)
    # Nor whose it is: no label for a user, no id of a page.
    assert WHO not in text
    assert HOW not in text
    scope = user.scope.key
    assert scope not in text
    assert not [i for i in ids if i in text]
    hexes = set(re.findall(r"(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])", text.replace("0x", " ")))
    traces = {f"{s.context.trace_id:032x}" for s in told.exporter.get_finished_spans() if s.context}
    assert hexes <= traces


def test_the_attributes_are_a_short_list(told: Told) -> None:
    """Whoever adds one has to say here that it is neither content nor somebody's id."""
    chat = moody([])
    with MemoryOS("sqlite://", embedder=KeywordEmbedder(), llm=chat, config=small(), on_event=told.hook) as memory:
        told.hook.observe(memory)
        live(memory, memory.user(WHO), KeywordEmbedder())
    spans = {name for s in told.exporter.get_finished_spans() for name in (s.attributes or {})}
    counts = {"hits", "tokens", "budget_tokens", "pages", "segments", "facts", "traits", "profile_fields"}
    counts |= {field.name for field in fields(ConsolidationReport)}
    model = {"gen_ai.operation.name", "gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens", "memoryos.step"}
    assert spans <= {f"memoryos.{c}" for c in counts} | model | {"error.type"}
    data = json.loads(told.reader.get_metrics_data().to_json())  # type: ignore[union-attr]  # something was told
    metrics = [m for r in data["resource_metrics"] for s in r["scope_metrics"] for m in s["metrics"]]
    labels = {name: value for m in metrics for p in m["data"]["data_points"] for name, value in p["attributes"].items()}
    names = {f"memoryos.{name}" for name in ("step", "verb", "outcome", "memory.name")}
    assert set(labels) <= names | {"error.type", "gen_ai.operation.name", "gen_ai.token.type"}


def test_without_the_extra_the_error_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    for name in [n for n in sys.modules if n.startswith(("opentelemetry", "memoryos_core.ops.telemetry."))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "opentelemetry", None)
    from memoryos_core import MissingExtraError

    with pytest.raises(MissingExtraError, match=r"memoryos-tiered\[otel\]"):
        OpenTelemetry()
    with suppress(KeyError):
        del sys.modules["opentelemetry"]
