"""OpenAILike against real servers of OpenAI's protocol on this machine: llama.cpp, and one that calls tools to order.

SmolLM2's own template shows a model no tools, so it calls none, whatever `tool_choice` says: what it is sent is
checked there, and calls with the scripted one.
"""

from __future__ import annotations

import json
import logging
import socket
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import httpx
import pytest
from llama_index.core.agent.workflow import AgentStream, FunctionAgent
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.chat_engine import SimpleChatEngine
from llama_index.core.chat_engine.types import StreamingAgentChatResponse
from llama_index.core.workflow import Context
from llama_index.llms.openai_like import OpenAILike  # type: ignore[import-untyped]  # no py.typed

from memoryos_core import MemoryConfig, MemoryOS, ModelError, ShortTermConfig, WorkerConfig
from memoryos_core.values.events import Event, Hook, StepFailed
from memoryos_llamaindex.memory import MemoryOSMemory
from memoryos_llamaindex.models import LlamaIndexChatModel
from memoryos_llamaindex.tools import MemoryOSToolSpec
from tests.langchain import test_openai_server as sister
from tests.llamaindex.conversing import WAYS, said, say
from tests.llamaindex.scripted import Call, calls_of
from tests.llms.endpoint import Reply, chat_reply, error_reply, serving

# The same server as ChatOpenAI has, started once more for this module.
key, address = sister.key, sister.address
no_vocabulary_is_fetched = sister.no_vocabulary_is_fetched

DOG = "My dog is called Biscuit."
ASKED = "What is my dog called?"
TOKENS = 12
Make = Callable[..., OpenAILike]
Sent = list[dict[str, Any]]


@pytest.fixture
def sent() -> Sent:
    """What went over the wire, request by request."""
    return []


@pytest.fixture
async def make(sent: Sent) -> AsyncIterator[Make]:
    """Models over clients of ours, which keep what they send; LlamaIndex's own stay open until the process ends."""

    def told(request: httpx.Request) -> None:
        sent.append(json.loads(request.content))

    async def atold(request: httpx.Request) -> None:
        told(request)

    with httpx.Client(event_hooks={"request": [told]}) as web:
        async with httpx.AsyncClient(event_hooks={"request": [atold]}) as aweb:
            given: dict[str, Any] = {"model": "local", "is_chat_model": True, "temperature": 0, "context_window": 4096}
            given |= {"max_tokens": TOKENS, "max_retries": 0, "timeout": 120, "http_client": web}
            yield lambda url, key, **more: OpenAILike(
                **{**given, "async_http_client": aweb, "api_base": url, "api_key": key, **more}
            )


@pytest.fixture
def ann(memory: MemoryOS) -> MemoryOSMemory:
    """Ann's conversation of today; she named her dog on another day."""
    memory.user("ann", session_id="earlier").add(DOG, "Noted.")
    return MemoryOSMemory(memory=memory, user_id="ann", session_id="today")


def weather(city: str) -> str:
    """The weather in a city."""
    return f"thunder in {city}"


def last(asked: dict[str, Any]) -> str:
    return str(asked["messages"][-1]["content"])


# ------------------------------------------------------------------------------------------ llama.cpp


@pytest.mark.parametrize("way", WAYS)
async def test_two_turns_are_recorded_and_recall_reaches_the_server(
    ann: MemoryOSMemory, make: Make, sent: Sent, address: str, key: str, way: str
) -> None:
    engine = SimpleChatEngine.from_defaults(llm=make(address, key), memory=ann)
    answers = [(await say(engine, way, text)).strip() for text in (ASKED, "And yours?")]
    assert all(answers)
    expected = [("user", ASKED), ("assistant", answers[0]), ("user", "And yours?"), ("assistant", answers[1])]
    assert said(ann.get_all()) == expected
    assert [(m.role, m.text) for m in ann.user.transcript()] == expected
    first, second = sent
    assert [m["role"] for m in first["messages"]] == ["user"]
    assert last(first).count(DOG) == 1
    assert last(first).endswith(f"</memory>\n\n{ASKED}")
    assert [m["role"] for m in second["messages"]] == ["user", "assistant", "user"]
    assert [m["content"] for m in second["messages"][:2]] == [ASKED, answers[0]], "what was recalled is not kept"
    assert [asked.get("stream", False) for asked in sent] == ["stream" in way] * 2


async def test_a_stream_comes_piece_by_piece(ann: MemoryOSMemory, make: Make, address: str, key: str) -> None:
    engine = SimpleChatEngine.from_defaults(llm=make(address, key), memory=ann)
    streamed = engine.stream_chat("Say hello.")
    assert isinstance(streamed, StreamingAgentChatResponse)
    pieces = list(streamed.response_gen)
    assert len([piece for piece in pieces if piece]) > 2
    awaited = await engine.astream_chat("Say hello.")
    assert isinstance(awaited, StreamingAgentChatResponse)
    more = [piece async for piece in awaited.async_response_gen()]
    assert len([piece for piece in more if piece]) > 2
    answers = ["".join(parts).strip() for parts in (pieces, more)]
    assert [text for role, text in said(ann.get_all()) if role == "assistant"] == answers


@pytest.mark.parametrize("streaming", [True, False])
async def test_an_agent_offers_its_tools_and_its_runs_are_recorded(
    ann: MemoryOSMemory, make: Make, sent: Sent, address: str, key: str, streaming: bool
) -> None:
    llm = make(address, key, is_function_calling_model=True)
    agent = FunctionAgent(tools=[weather], llm=llm, streaming=streaming, initial_tool_choice="required")
    ctx = Context(agent)
    answers = [str(await agent.run(text, memory=ann, ctx=ctx)) for text in (ASKED, "And yours?")]
    assert all(answers)
    assert said(ann.get_all()) == [
        ("user", ASKED),
        ("assistant", answers[0]),
        ("user", "And yours?"),
        ("assistant", answers[1]),
    ]
    assert [asked["tools"][0]["function"]["name"] for asked in sent] == ["weather"] * 2
    assert [asked["tool_choice"] for asked in sent] == ["required"] * 2
    assert last(sent[0]).count(DOG) == 1


def test_the_core_asks_it_for_json_of_a_schema(make: Make, address: str, key: str) -> None:
    reply = LlamaIndexChatModel(make(address, key, max_tokens=24)).ask(sister.ASKED)
    assert set(json.loads(reply.text)) == {"city"}
    assert (reply.prompt_tokens or 0) > 10
    assert 0 < (reply.completion_tokens or 0) <= 24


# ------------------------------------------------------------------------------------------ consolidation


@contextmanager
def consolidated(path: str, llm: OpenAILike, hook: Hook | None = None) -> Iterator[MemoryOS]:
    """A memory of three pages, two of which were filed, by that model if it could."""
    short, worker = ShortTermConfig(capacity_pages=1, batch_pages=2), WorkerConfig(mode="manual", attempts=1)
    config = MemoryConfig(short_term=short, worker=worker)
    chat = LlamaIndexChatModel(llm)
    with MemoryOS(path, embedder=None, llm=chat, config=config, on_event=hook) as memory:
        talk = MemoryOSMemory(memory=memory, user_id="ann", session_id="s")
        for day in range(3):
            question = ChatMessage(role="user", content=f"I watered the garden on day {day}.")
            talk.put_messages([question, ChatMessage(role="assistant", content="Good.")])
        assert talk.user.consolidate().pages_moved == 2
        stats = talk.user.stats()
        assert stats.pages_short_term + stats.pages_mid_term == 3
        assert "watered the garden on day 0" in str(talk.user.recall("the garden on day 0"))
        assert len(talk.get_all()) == 6
        yield memory


@pytest.mark.slow
async def test_a_memory_consolidates_with_it_and_loses_nothing(
    path: str, make: Make, sent: Sent, address: str, key: str
) -> None:
    """So small a model files badly, or is cut; what it costs is counted, and no page is lost by it."""
    with consolidated(path, make(address, key, max_tokens=48)) as memory:
        usage = memory.usage()
    assert usage.calls == len(sent) >= 1
    assert usage.prompt_tokens > 100
    assert "I watered the garden on day 0." in json.dumps(sent[0])


@pytest.fixture
def dead() -> Iterator[str]:
    """The address of a server that is none: its port is taken, and nobody listens."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{bound.getsockname()[1]}/v1"


@pytest.mark.parametrize("where", ["address", "dead"])
async def test_a_wrong_key_or_a_dead_server_is_told_and_costs_no_page(
    path: str, make: Make, where: str, request: pytest.FixtureRequest, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, logger="memoryos_core")
    noticed: list[Event] = []
    with consolidated(path, make(request.getfixturevalue(where), "SECRET"), noticed.append) as memory:
        assert memory.usage().failures == 1
        assert memory.usage().completion_tokens == 0
    assert [(e.step, e.error) for e in noticed if isinstance(e, StepFailed)] == [("page_out", "ModelError")]
    told = "\n".join(record.getMessage() for record in caplog.records if record.name.startswith("memoryos"))
    assert "StepFailed" in told
    for hidden in ("SECRET", "garden"):
        assert hidden not in told + repr(noticed)


@pytest.mark.parametrize(("where", "transient"), [("address", False), ("dead", True)])
async def test_what_went_wrong_is_told_without_the_key(
    make: Make, request: pytest.FixtureRequest, where: str, transient: bool
) -> None:
    with pytest.raises(ModelError, match="chat model 'OpenAILike:local'") as caught:
        LlamaIndexChatModel(make(request.getfixturevalue(where), "SECRET")).ask(sister.ASKED)
    assert caught.value.transient is transient
    assert ("401" in str(caught.value)) is not transient
    assert "SECRET" not in f"{caught.value!r} {caught.value.__cause__!r}"


@pytest.mark.parametrize("where", ["address", "dead"])
@pytest.mark.parametrize("way", WAYS)
async def test_a_turn_that_fails_keeps_the_question(
    ann: MemoryOSMemory, make: Make, request: pytest.FixtureRequest, where: str, way: str, ended: threading.Event
) -> None:
    engine = SimpleChatEngine.from_defaults(llm=make(request.getfixturevalue(where), "SECRET"), memory=ann)
    with pytest.raises(Exception, match=r"Error code: 401|Connection error") as caught:
        await say(engine, way, ASKED)
    assert ended.wait(60 if way == "stream_chat" else 0) is (way == "stream_chat")
    assert "SECRET" not in f"{caught.value!r} {caught.value.__cause__!r}"
    assert said(ann.get_all()) == [("user", ASKED)]


# ------------------------------------------------------------------------------------------ scripted calls of tools


def replied(asked: dict[str, Any], *parts: str | Call) -> Reply:
    """A text, or calls, as OpenAI's servers send them; as a stream cut into small pieces where one was asked for."""
    calls = [p for p in parts if isinstance(p, Call)]
    whole: list[dict[str, Any]] = [
        {"id": c.id, "type": "function", "function": {"name": c.name, "arguments": json.dumps(c.arguments)}}
        for c in calls
    ]
    text, finish = "".join(p for p in parts if isinstance(p, str)), "tool_calls" if calls else "stop"
    if not asked.get("stream"):
        return chat_reply(text or None, finish=finish, **({"tool_calls": whole} if whole else {}))
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": None if calls else ""}]
    deltas += [{"content": text[at : at + 4]} for at in range(0, len(text), 4)]
    for index, call in enumerate(whole):
        arguments, head = call["function"]["arguments"], {"name": call["function"]["name"], "arguments": ""}
        deltas.append({"tool_calls": [{**call, "index": index, "function": head}]})
        for at in range(0, len(arguments), 5):
            deltas.append({"tool_calls": [{"index": index, "function": {"arguments": arguments[at : at + 5]}}]})
    about = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    events = [{**about, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
    events.append({**about, "choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})
    lines = [*map(json.dumps, events), "[DONE]"]
    return Reply("".join(f"data: {line}\n\n" for line in lines).encode(), content_type="text/event-stream")


@pytest.fixture
def agent_at(make: Make) -> Callable[..., FunctionAgent]:
    return lambda url, tools, **options: FunctionAgent(
        tools=tools, llm=make(url, "k", is_function_calling_model=True), **options
    )


def calling_weather(asked: dict[str, Any]) -> Reply:
    """Two calls at once for a question, and an answer for their results."""
    if asked["messages"][-1]["role"] == "tool":
        return replied(asked, "Stay in, I would say.")
    number = sum(m["role"] == "user" for m in asked["messages"])
    return replied(asked, *(calling_as(f"{city}-{number}", city) for city in ("Oslo", "Rome")))


def calling_as(call: str, city: str) -> Call:
    return Call("weather", {"city": city}, call)


def exchanges(messages: Sequence[dict[str, Any]]) -> list[tuple[str, list[str]]]:
    """Messages as a server gets them: the role, and the ids of calls made or answered."""
    return [
        (m["role"], [c["id"] for c in m.get("tool_calls") or ()] + [m[k] for k in ("tool_call_id",) if k in m])
        for m in messages
    ]


def run_of(number: int) -> list[tuple[str, list[str]]]:
    calls = [f"{city}-{number}" for city in ("Oslo", "Rome")]
    return [("user", []), ("assistant", calls), *(("tool", [call]) for call in calls), ("assistant", [])]


@pytest.mark.parametrize("streaming", [True, False])
async def test_calls_and_results_stay_together_on_the_wire(
    ann: MemoryOSMemory, agent_at: Callable[..., FunctionAgent], streaming: bool
) -> None:
    with serving(calling_weather) as endpoint:
        agent = agent_at(endpoint.url, [weather], streaming=streaming)
        ctx = Context(agent)
        pieces = []
        for text in (ASKED, "And tomorrow?"):
            handler = agent.run(text, memory=ann, ctx=ctx)
            pieces.append([e.delta async for e in handler.stream_events() if isinstance(e, AgentStream) and e.delta])
            assert str(await handler) == "Stay in, I would say."
    assert [len(deltas) > 2 for deltas in pieces] == [streaming] * 2
    sent = [exchanges(asked["messages"]) for asked in endpoint.asked]
    first, second = run_of(1), run_of(2)
    assert sent == [first[:1], first[:4], [*first, *second[:1]], [*first, *second[:4]]]
    for asked in endpoint.asked[:2]:
        assert DOG in asked["messages"][0]["content"], "recalled in every round"
        assert json.dumps(asked["messages"]).count(DOG) == 1
    results = [m["content"] for m in endpoint.asked[1]["messages"] if m["role"] == "tool"]
    assert results == ["thunder in Oslo", "thunder in Rome"]
    made = [(c.name, c.arguments) for m in ann.get_all() for c in {c.id: c for c in calls_of(m)}.values()]
    assert [name for name, _ in made] == ["weather"] * 4
    assert [json.loads(a) if isinstance(a, str) else a for _, a in made] == [{"city": "Oslo"}, {"city": "Rome"}] * 2
    learnt = [(page.text("user"), page.text("assistant")) for page in ann.user.pages(session=True)]
    assert learnt == [(ASKED, "Stay in, I would say."), ("And tomorrow?", "Stay in, I would say.")]


@pytest.mark.parametrize("streaming", [True, False])
async def test_a_session_goes_on_in_another_object_with_its_calls(
    memory: MemoryOS, ann: MemoryOSMemory, agent_at: Callable[..., FunctionAgent], streaming: bool
) -> None:
    with serving(calling_weather) as endpoint:
        agent = agent_at(endpoint.url, [weather], streaming=streaming)
        await agent.run(ASKED, memory=ann)
        again = MemoryOSMemory(memory=memory, user_id="ann", session_id="today")
        await agent_at(endpoint.url, [weather], streaming=streaming).run("And tomorrow?", memory=again)
        before, after = endpoint.asked[1]["messages"][1:], endpoint.asked[2]["messages"][1:4]
    assert before == after, "calls and results are sent again as they were"


@pytest.mark.parametrize("streaming", [True, False])
async def test_a_model_saves_with_our_tools(
    memory: MemoryOS, agent_at: Callable[..., FunctionAgent], streaming: bool
) -> None:
    def answer(asked: dict[str, Any]) -> Reply:
        if asked["messages"][-1]["role"] == "tool":
            return replied(asked, "Saved.")
        return replied(asked, Call("save_memory", {"text": 'Ann\'s cat is "Ömer" 🐈.'}, "c1"))

    tools = MemoryOSToolSpec(memory, user_id="ann").to_tool_list()
    today = MemoryOSMemory(memory=memory, user_id="ann")
    with serving(answer) as endpoint:
        await agent_at(endpoint.url, tools, streaming=streaming).run("I have a cat.", memory=today)
        offered = {tool["function"]["name"]: tool["function"]["parameters"] for tool in endpoint.asked[0]["tools"]}
    assert set(offered) == {
        *("search_memory", "save_memory", "forget_memory", "correct_memory", "list_memories", "useful_memory")
    }
    assert not [name for name in json.dumps(offered).split('"') if "user" in name]
    assert [fact.text for fact in memory.user("ann").facts()] == ['Ann\'s cat is "Ömer" 🐈.']
    assert [role for role, _ in exchanges(endpoint.asked[1]["messages"])] == ["user", "assistant", "tool"]


@pytest.mark.parametrize("streaming", [True, False])
async def test_a_run_that_breaks_off_after_its_calls_leaves_no_half_exchange(
    ann: MemoryOSMemory, agent_at: Callable[..., FunctionAgent], streaming: bool
) -> None:
    down = [True]

    def answer(asked: dict[str, Any]) -> Reply:
        if asked["messages"][-1]["role"] == "tool" and down:
            return error_reply(503, "overloaded")
        return calling_weather(asked)

    with serving(answer) as endpoint:
        agent = agent_at(endpoint.url, [weather], streaming=streaming)
        with pytest.raises(Exception, match="overloaded"):
            await agent.run(ASKED, memory=ann)
        assert said(ann.get_all()) == [("user", ASKED)]
        down.clear()
        assert str(await agent.run("Once more?", memory=ann)) == "Stay in, I would say."
        assert exchanges(endpoint.asked[-1]["messages"]) == [("user", []), *run_of(2)[:4]]
