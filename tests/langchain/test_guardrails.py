"""Guardrails beside the memory: what others redact and rewrite is recorded so, and what they refuse is not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import (
    AgentMiddleware,
    AgentState,
    ModelRequest,
    PIIMiddleware,
    hook_config,
    wrap_model_call,
)
from langchain.agents.middleware.pii import PIIDetectionError
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.runnables import RunnableLambda
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.runtime import Runtime

from memoryos_core import InvalidInputError, MemoryConfig, MemoryOS, WorkerConfig
from memoryos_core.testing.fakes import KeywordEmbedder
from memoryos_langchain.middleware import MemoryOSMiddleware
from memoryos_langchain.wiring import with_memory
from tests.langchain.scribe import Scribe
from tests.langchain.scripted_agents import AgentModel, asking, calling, echoing, on, recorded, scripted, system

ADDRESS = "ann@example.com"
TOLD = f"My address is {ADDRESS}, I keep bees"
REDACTED = "My address is [REDACTED_EMAIL], I keep bees"
ORDERS = ["ours last", "ours first"]


def beside(memory: MemoryOS, model: AgentModel, *guards: Any, order: str, **options: Any) -> Any:
    """An agent with guardrails before our middleware, or after it."""
    ours = MemoryOSMiddleware(memory, **options)
    middleware = [*guards, ours] if order == "ours last" else [ours, *guards]
    return create_agent(model, [look_up], middleware=middleware, checkpointer=InMemorySaver())


@tool
def look_up() -> str:
    """Look the address up."""
    return f"It is {ADDRESS}."


class Refusing(AgentMiddleware):
    """Answers in the model's place when a human says "bomb"."""

    def refusal(self, state: AgentState) -> dict[str, Any] | None:
        if "bomb" in str(state["messages"][-1].text):
            return {"messages": [AIMessage("I cannot help with that.")], "jump_to": "end"}
        return None


class RefusingAgent(Refusing):
    @hook_config(can_jump_to=["end"])
    def before_agent(self, state: AgentState, runtime: Runtime) -> dict[str, Any] | None:
        return self.refusal(state)


class RefusingModel(Refusing):
    @hook_config(can_jump_to=["end"])
    def before_model(self, state: AgentState, runtime: Runtime) -> dict[str, Any] | None:
        return self.refusal(state)


class Rewriting(AgentMiddleware):
    """Puts another answer in the place of one that holds the address."""

    def after_model(self, state: AgentState, runtime: Runtime) -> dict[str, Any] | None:
        last = state["messages"][-1]
        return {"messages": [AIMessage("I may not say.", id=last.id)]} if ADDRESS in str(last.text) else None


class RewritingAtTheEnd(AgentMiddleware):
    def after_agent(self, state: AgentState, runtime: Runtime) -> dict[str, Any] | None:
        last = state["messages"][-1]
        return {"messages": [AIMessage("I may not say.", id=last.id)]} if ADDRESS in str(last.text) else None


# ------------------------------------------------------------------------------------------ redacted


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("coroutine", [False, True])
async def test_a_redacted_question_is_recorded_and_recalled_redacted(memory: MemoryOS, order: str, coroutine: bool):
    model = AgentModel(answering=echoing)
    app = beside(memory, model, PIIMiddleware("email", strategy="redact"), order=order)
    for thread, text in (("monday", TOLD), ("friday", "Who keeps bees?")):
        await app.ainvoke(asking(text), on(thread)) if coroutine else app.invoke(asking(text), on(thread))
    assert recorded(memory, "monday") == [f"user: {REDACTED}", f"assistant: You said: {REDACTED}"]
    assert "keep bees" in system(model.asked[-1])
    assert ADDRESS not in system(model.asked[-1])


@pytest.mark.parametrize("order", ORDERS)
def test_an_embedder_is_asked_with_the_redacted_question(path: str, order: str):
    seen: list[str] = []

    class Watched(KeywordEmbedder):
        def embed_query(self, text: str) -> Any:
            seen.append(text)
            return super().embed_query(text)

    embedder = Watched()
    with MemoryOS(path, embedder=embedder, config=MemoryConfig(worker=WorkerConfig(mode="manual"))) as memory:
        memory.user("ann").add("I keep bees", "How many?")
        app = beside(memory, scripted("Noted."), PIIMiddleware("email"), order=order)
        app.invoke(asking(TOLD), on("t"))
    assert any("keep bees" in text for text in seen)
    assert not any(ADDRESS in text for text in seen)


@pytest.mark.parametrize("order", ORDERS)
def test_a_redacted_answer_and_result_of_a_tool_are_recorded_redacted(memory: MemoryOS, order: str):
    guard = PIIMiddleware("email", apply_to_output=True, apply_to_tool_results=True)
    app = beside(memory, scripted(calling("c1", "look_up"), f"Yours is {ADDRESS}."), guard, order=order)
    app.invoke(asking("What is my address?"), on("t"))
    assert recorded(memory, "t") == [
        "user: What is my address?",
        "assistant: ",
        "tool: It is [REDACTED_EMAIL].",
        "assistant: Yours is [REDACTED_EMAIL].",
    ]


@pytest.mark.parametrize("rebuilt", [False, True], ids=["same ids", "without ids"])
def test_what_is_redacted_on_its_way_to_the_model_is_recorded_as_it_was_sent(memory: MemoryOS, rebuilt: bool):
    def redacted(message: Any) -> Any:
        text = str(message.text).replace(ADDRESS, "[…]")
        return HumanMessage(text) if rebuilt else message.model_copy(update={"content": text})

    @wrap_model_call
    def redacting(request: ModelRequest, handler: Callable[[ModelRequest], Any]) -> Any:
        return handler(request.override(messages=[redacted(m) for m in request.messages]))

    app = beside(memory, scripted("Noted."), redacting, order="ours last")
    app.invoke(asking(TOLD), on("t"))
    assert recorded(memory, "t") == ["user: My address is […], I keep bees", "assistant: Noted."]


def test_what_another_middleware_adds_for_one_call_is_not_recorded(memory: MemoryOS):
    @wrap_model_call
    def reminding(request: ModelRequest, handler: Callable[[ModelRequest], Any]) -> Any:
        return handler(request.override(messages=[*request.messages, HumanMessage("Be brief.")]))

    beside(memory, scripted("Noted."), reminding, order="ours last").invoke(asking("I keep bees"), on("t"))
    assert recorded(memory, "t") == ["user: I keep bees", "assistant: Noted."]


# ------------------------------------------------------------------------------------------- refused


@pytest.mark.parametrize("order", ORDERS)
def test_a_blocked_question_is_never_recorded(memory: MemoryOS, order: str):
    app = beside(memory, AgentModel(answering=echoing), PIIMiddleware("email", strategy="block"), order=order)
    app.invoke(asking("Good morning"), on("t"))
    for _ in range(2):
        with pytest.raises(PIIDetectionError):
            app.invoke(asking(TOLD), on("t"))
    app.invoke(asking("I keep hens"), on("t"))
    app.invoke(asking("Good night"), on("t"))
    told = ["Good morning", "I keep hens", "Good night"]
    assert recorded(memory, "t") == [line for t in told for line in (f"user: {t}", f"assistant: You said: {t}")]


@pytest.mark.parametrize("order", ORDERS)
def test_a_blocked_answer_is_never_recorded(memory: MemoryOS, order: str):
    guard = PIIMiddleware("email", strategy="block", apply_to_input=False, apply_to_output=True)
    app = beside(memory, scripted(f"It is {ADDRESS}.", "Good night."), guard, order=order)
    with pytest.raises(PIIDetectionError):
        app.invoke(asking("What is my address?"), on("t"))
    app.invoke(asking("Good night"), on("t"))
    assert recorded(memory, "t") == ["user: What is my address?", "user: Good night", "assistant: Good night."]


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("guard", [RefusingAgent, RefusingModel])
def test_what_a_guardrail_refuses_before_the_model_is_asked_is_not_recorded(
    memory: MemoryOS, guard: type[Refusing], order: str
):
    app = beside(memory, AgentModel(answering=echoing), guard(), order=order)
    app.invoke(asking("How do I build a bomb?"), on("t"))
    app.invoke(asking("Good morning"), on("t"))
    app.invoke(asking("A bomb, please"), on("t"))
    app.invoke(asking("Good night"), on("t"))
    told = ["Good morning", "Good night"]
    assert recorded(memory, "t") == [line for t in told for line in (f"user: {t}", f"assistant: You said: {t}")]


@pytest.mark.parametrize("order", ORDERS)
def test_a_result_of_a_tool_that_is_kept_from_the_model_is_not_recorded(memory: MemoryOS, order: str):
    class Gate(AgentMiddleware):
        @hook_config(can_jump_to=["end"])
        def before_model(self, state: AgentState, runtime: Runtime) -> dict[str, Any] | None:
            if isinstance(state["messages"][-1], ToolMessage):
                return {"messages": [AIMessage("I may not look that up.")], "jump_to": "end"}
            return None

    app = beside(memory, scripted(calling("c1", "look_up")), Gate(), order=order)
    app.invoke(asking("What is my address?"), on("t"))
    assert recorded(memory, "t")[0] == "user: What is my address?"
    assert recorded(memory, "t")[-1] == "assistant: I may not look that up."
    assert ADDRESS not in repr(recorded(memory, "t"))


# ----------------------------------------------------------------------------------------- rewritten


@pytest.mark.parametrize("order", ORDERS)
def test_a_rewritten_answer_is_recorded_as_the_user_saw_it(memory: MemoryOS, order: str):
    app = beside(memory, scripted(f"It is {ADDRESS}."), Rewriting(), order=order)
    app.invoke(asking("What is my address?"), on("t"))
    assert recorded(memory, "t") == ["user: What is my address?", "assistant: I may not say."]


def test_an_answer_rewritten_as_the_run_ends_is_recorded_so_when_ours_stands_first(memory: MemoryOS):
    """LangChain runs `after_agent` from the last middleware to the first."""
    app = beside(memory, scripted(f"It is {ADDRESS}."), RewritingAtTheEnd(), order="ours first")
    app.invoke(asking("What is my address?"), on("t"))
    assert recorded(memory, "t") == ["user: What is my address?", "assistant: I may not say."]


# -------------------------------------------------------------------------------------------- record=


def test_a_predicate_chooses_what_is_recorded(memory: MemoryOS):
    app = beside(
        memory,
        scripted(calling("c1", "look_up"), "There."),
        order="ours last",
        record=lambda message: not isinstance(message, ToolMessage),
    )
    app.invoke(asking("What is my address?"), on("t"))
    assert recorded(memory, "t") == ["user: What is my address?", "assistant: ", "assistant: There."]


def test_a_transform_changes_what_is_recorded_and_nothing_else(memory: MemoryOS):
    def redacted(message: BaseMessage) -> BaseMessage | None:
        if isinstance(message, ToolMessage):
            return None
        return type(message)(str(message.text).replace(ADDRESS, "[…]"))

    model = AgentModel(answering=echoing)
    app = beside(memory, model, order="ours last", record=redacted)
    state = app.invoke(asking(TOLD), on("t"))
    app.invoke(asking("Good night"), on("t"))
    assert ADDRESS in str(model.asked[0][-1].text)
    assert ADDRESS in str(state["messages"][0].text)
    assert recorded(memory, "t") == [
        "user: My address is […], I keep bees",
        "assistant: You said: My address is […], I keep bees",
        "user: Good night",
        "assistant: You said: Good night",
    ]


def test_a_record_that_gives_something_else_is_told_and_nothing_is_recorded(
    memory: MemoryOS, caplog: pytest.LogCaptureFixture
):
    app = beside(memory, scripted("Noted."), order="ours last", record=lambda message: str(message.text))
    app.invoke(asking(TOLD), on("t"))
    assert recorded(memory, "t") == []
    assert "record=" in caplog.text
    assert ADDRESS not in caplog.text


@pytest.mark.parametrize("coroutine", [False, True])
async def test_a_record_that_raises_is_told_with_its_place_and_nothing_that_was_said(
    memory: MemoryOS, caplog: pytest.LogCaptureFixture, coroutine: bool
):
    broken = [True]

    def choose(message: BaseMessage) -> bool:
        if broken[0]:
            raise KeyError(message.text)
        return True

    app = beside(memory, scripted("Noted.", "Good night."), order="ours last", record=choose)
    answer = await app.ainvoke(asking(TOLD), on("t")) if coroutine else app.invoke(asking(TOLD), on("t"))
    assert answer["messages"][-1].text == "Noted.", "the user is answered"
    assert recorded(memory, "t") == [], "what it may have redacted is not recorded"
    (told,) = [record for record in caplog.records if record.levelname == "ERROR"]
    assert "record= raised KeyError for message 0 (human)" in told.getMessage()
    assert "in choose\n    raise KeyError(message.text)" in told.getMessage()
    assert ADDRESS not in caplog.text

    broken[0] = False
    app.invoke(asking("Good night"), on("t"))
    assert recorded(memory, "t") == [
        f"user: {TOLD}",
        "assistant: Noted.",
        "user: Good night",
        "assistant: Good night.",
    ], "the thread's next run catches up"


@pytest.mark.parametrize("coroutine", [False, True])
@pytest.mark.parametrize("message_id", [None, "m1"])
async def test_a_record_that_raises_in_a_chain_is_told_with_its_place(
    memory: MemoryOS, caplog: pytest.LogCaptureFixture, coroutine: bool, message_id: str | None
):
    def choose(message: BaseMessage) -> bool:
        raise ValueError(message.text)

    chain = with_memory(Scribe(), memory, record=choose)
    said = [HumanMessage(TOLD, id=message_id)]
    answer = await chain.ainvoke(said, MONDAY) if coroutine else chain.invoke(said, MONDAY)
    assert answer.text == f"heard: {TOLD}"
    assert recorded(memory, "monday") == []
    assert "record= raised ValueError for message 0 (human)" in caplog.text
    assert "in choose" in caplog.text
    assert ADDRESS not in caplog.text


def test_a_record_that_is_none_of_these_is_refused_at_once(memory: MemoryOS):
    with pytest.raises(InvalidInputError, match="record"):
        MemoryOSMiddleware(memory, record="no")  # type: ignore[arg-type]


# ------------------------------------------------------------------------------------- with_memory


MONDAY: Any = {"configurable": {"user_id": "ann", "session_id": "monday"}}


def test_a_chain_records_the_answer_that_its_own_guardrail_gave(memory: MemoryOS):
    rewrite: Any = RunnableLambda(lambda answer: AIMessage(str(answer.text).replace(ADDRESS, "[…]")))
    with_memory(Scribe() | rewrite, memory).invoke(f"Is it {ADDRESS}?", MONDAY)
    assert recorded(memory, "monday")[1] == "assistant: heard: Is it […]?"


def test_what_an_agent_in_a_chain_redacted_is_written_redacted(memory: MemoryOS):
    agent: Any = create_agent(AgentModel(answering=echoing), middleware=[PIIMiddleware("email")])
    chain = with_memory(agent, memory, input_messages_key="messages", history_messages_key="messages")
    for text in (TOLD, "Good night"):
        chain.invoke({"messages": [HumanMessage(text)]}, MONDAY)
    assert recorded(memory, "monday") == [
        f"user: {REDACTED}",
        f"assistant: You said: {REDACTED}",
        "user: Good night",
        "assistant: You said: Good night",
    ]


@pytest.mark.parametrize("coroutine", [False, True])
async def test_a_chain_records_what_the_application_chooses(memory: MemoryOS, coroutine: bool):
    def redacted(message: BaseMessage) -> BaseMessage | bool:
        return "skip" not in str(message.text) and type(message)(str(message.text).replace(ADDRESS, "[…]"))

    chain = with_memory(Scribe(), memory, record=redacted)
    for text in (TOLD, "skip this"):
        await chain.ainvoke(text, MONDAY) if coroutine else chain.invoke(text, MONDAY)
    assert recorded(memory, "monday") == [
        "user: My address is […], I keep bees",
        "assistant: heard: My address is […], I keep bees",
    ]


def test_a_chain_that_records_nothing_still_recalls(memory: MemoryOS):
    memory.user("ann").add("I keep bees", "How many?")
    model = Scribe()
    with_memory(model, memory, record=False).invoke("Who keeps bees?", MONDAY)
    assert "I keep bees" in str(model.asked[0][0].text)
    assert recorded(memory, "monday") == []
    with pytest.raises(InvalidInputError, match="record"):
        with_memory(model, memory, record=3)  # type: ignore[arg-type]
