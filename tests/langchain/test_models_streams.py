"""What the memory asks in the middle of somebody's run must not come out of that run's streams."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import HumanMessage
from langchain_core.runnables import RunnableLambda

from memoryos_core import ChatRequest, MemoryConfig, MemoryOS, ShortTermConfig, WorkerConfig
from memoryos_core.api.aio import off_loop
from memoryos_core.values.chat import Prompt
from memoryos_langchain.models import LangChainChatModel
from tests.langchain.scripted_models import SchemaModel, ScriptedModel, filing

MANUAL = MemoryConfig(
    short_term=ShortTermConfig(capacity_pages=4, batch_pages=4), worker=WorkerConfig(mode="manual", attempts=1)
)


class Watch(BaseCallbackHandler):
    """Every model that starts and every token, as a user's handler sees them."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def on_chat_model_start(self, serialized: Any, messages: Any, **_: Any) -> None:
        self.seen.append("start")

    def on_llm_new_token(self, token: Any, **_: Any) -> None:
        self.seen.append(token)


@pytest.fixture(params=[ScriptedModel, SchemaModel], ids=["plain", "structured"])
def internal(request: pytest.FixtureRequest) -> ScriptedModel:
    return request.param(answer=filing)  # type: ignore[no-any-return]


@pytest.fixture
def memory(path: str, internal: ScriptedModel) -> Iterator[MemoryOS]:
    with MemoryOS(path, embedder=None, llm=LangChainChatModel(internal), config=MANUAL) as memory:
        for day in range(12):
            memory.user("ada").add(f"I watered the garden on day {day}.", "Tomatoes like the sun.")
        yield memory


def talker() -> ScriptedModel:
    return ScriptedModel(answer=lambda _: "good morning to you")


class Consolidating(AgentMiddleware):
    """Works in the middle of the run, with the run's context variables."""

    tools = ()

    def __init__(self, work: Callable[[], object]) -> None:
        super().__init__()
        self._work = work

    def before_model(self, state: Any, runtime: Any) -> None:
        self._work()


def streamed(work: Callable[[], object]) -> str:
    agent = create_agent(talker(), tools=[], middleware=[Consolidating(work)])
    stream = agent.stream({"messages": [HumanMessage("hello")]}, stream_mode="messages")
    return "".join(str(chunk.text) for chunk, _ in stream)  # type: ignore[union-attr]


def test_an_agents_messages_hold_the_answer_and_nothing_of_the_memorys(memory: MemoryOS, internal: ScriptedModel):
    assert streamed(lambda: memory.user("ada").consolidate()) == "good morning to you"
    assert len(internal.asked) >= 2, "the memory did ask in the middle of the run"


def test_the_same_model_asked_without_us_does_leak():
    """The control: otherwise the test above could pass in a run that streams nothing."""
    assert "leaked" in streamed(lambda: ScriptedModel(answer=lambda _: "leaked").invoke("x"))


def test_a_handler_of_the_run_sees_only_the_runs_model(memory: MemoryOS):
    watch = Watch()

    def step(text: str) -> str:
        memory.user("ada").consolidate()
        return text

    chain = RunnableLambda(step) | talker()
    assert "".join(str(c.text) for c in chain.stream("hello", {"callbacks": [watch], "tags": ["mine"]})) == (
        "good morning to you"
    )
    assert watch.seen[0] == "start"
    assert watch.seen.count("start") == 1
    assert "".join(watch.seen[1:]) == "good morning to you"


async def test_events_of_a_chain_hold_only_the_chains_model(memory: MemoryOS, internal: ScriptedModel):
    async def step(text: str) -> str:
        await off_loop(memory, memory.user("ada").consolidate)
        return text

    chain = RunnableLambda(step) | talker()
    events = [event async for event in chain.astream_events("hello", version="v2")]
    models = [event for event in events if event["event"].startswith("on_chat_model")]
    assert {event["run_id"] for event in models if event["event"] == "on_chat_model_start"} == {models[0]["run_id"]}
    assert "".join(
        str(event["data"]["chunk"].text) for event in models if event["event"] == "on_chat_model_stream"
    ) == ("good morning to you")
    assert not any("garden" in str(event) for event in events)
    assert len(internal.asked) >= 2


def test_runs_of_ours_are_marked_for_whoever_watches_the_model_itself():
    """Handlers that the owner put on the model stay; the marks let them tell our calls from others."""
    told: list[tuple[list[str], dict[str, Any]]] = []

    class Marks(BaseCallbackHandler):
        def on_chat_model_start(
            self, serialized: Any, messages: Any, *, tags: Any = None, metadata: Any = None, **_: Any
        ) -> None:
            told.append((tags, metadata))

    model = SchemaModel(answer=lambda _: "{}", callbacks=[Marks()])

    def step(text: str) -> None:
        LangChainChatModel(model).ask(ChatRequest((Prompt("user", text),)))

    RunnableLambda(step).invoke(
        "x", {"tags": ["theirs"], "metadata": {"theirs": 1}, "configurable": {"thread_id": "theirs"}}
    )
    ((tags, metadata),) = told
    assert tags == ["nostream"]
    assert metadata["lc_source"] == "memoryos"
    assert "theirs" not in str(metadata)
