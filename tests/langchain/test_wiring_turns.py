"""What a wired chain keeps of a run, however it ends, and what it refuses."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from typing import Any

import pytest
from blockbuster import BlockBuster
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.output_parsers import JsonOutputParser, StrOutputParser
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder, PromptTemplate
from langchain_core.runnables import Runnable, RunnableConfig, RunnableGenerator, RunnableLambda
from langchain_core.runnables.utils import AddableDict
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from pydantic import BaseModel

from memoryos_core import AsyncMemoryOS, ClosedError, InvalidInputError, MemoryOS
from memoryos_langchain.record_filter import Record
from memoryos_langchain.wiring import with_memory
from tests.langchain.scribe import Scribe
from tests.langchain.scripted_models import ScriptedModel


def config(session: str, user: str = "ada") -> RunnableConfig:
    return {"configurable": {"user_id": user, "session_id": session}}


def kept(memory: MemoryOS, session: str, user: str = "ada") -> list[str]:
    return [m.text for m in memory.user(user, session_id=session).transcript()]


# ------------------------------------------------------------------------------------------------- how a run can end


def test_a_run_that_raises_leaves_nothing(memory: MemoryOS) -> None:
    chain = with_memory(Scribe(fails=2), memory)
    with pytest.raises(ConnectionError):
        chain.invoke("one two three", config("s"))
    with pytest.raises(ConnectionError):
        list(chain.stream("one two three", config("s")))
    assert kept(memory, "s") == []


async def test_a_coroutine_that_raises_leaves_nothing(memory: MemoryOS) -> None:
    chain = with_memory(Scribe(fails=2), memory)
    with pytest.raises(ConnectionError):
        await chain.ainvoke("one two three", config("s"))
    with pytest.raises(ConnectionError):
        [piece async for piece in chain.astream("one two three", config("s"))]
    assert kept(memory, "s") == []


@pytest.mark.parametrize("coroutine", [False, True])
async def test_a_stream_that_dies_writes_nothing_and_the_next_try_writes_the_turn_once(
    memory: MemoryOS, coroutine: bool
) -> None:
    deaths = [ConnectionError()]

    def dying(_: Any) -> Iterator[str]:
        yield "Oh, "
        if deaths:
            raise deaths.pop()
        yield "how sad."

    async def dying_too(_: Any) -> AsyncIterator[str]:
        for piece in dying(_):
            yield piece

    chain = with_memory(RunnableGenerator(dying, dying_too), memory)

    async def read() -> list[str]:
        if coroutine:
            return [piece async for piece in chain.astream("I am allergic to penicillin.", config("s"))]
        return list(chain.stream("I am allergic to penicillin.", config("s")))

    with pytest.raises(ConnectionError):
        await read()
    assert kept(memory, "s") == []
    assert await read() == ["Oh, ", "how sad."]
    assert kept(memory, "s") == ["I am allergic to penicillin.", "Oh, how sad."]


def test_a_stream_that_is_left_keeps_what_was_heard(memory: MemoryOS) -> None:
    chain = with_memory(Scribe(), memory)
    pieces = chain.stream("one two three four", config("s"))
    next(pieces), next(pieces)
    assert kept(memory, "s") == []
    pieces.close()  # type: ignore[attr-defined]  # a generator
    assert kept(memory, "s") == ["one two three four", "heard: one "]
    chain.invoke("And now?", config("s"))
    assert kept(memory, "s")[2:] == ["And now?", "heard: And now?"]


async def test_an_async_stream_that_is_left_keeps_what_was_heard(memory: MemoryOS) -> None:
    chain = with_memory(Scribe(), memory)
    pieces = chain.astream("one two three four", config("s"))
    assert [(await pieces.__anext__()).text, (await pieces.__anext__()).text] == ["heard: ", "one "]
    await pieces.aclose()  # type: ignore[attr-defined]  # a generator
    assert kept(memory, "s") == ["one two three four", "heard: one "]


async def test_a_cancelled_stream_keeps_what_was_heard(memory: MemoryOS) -> None:
    """What a web server does when the browser goes away."""
    heard = asyncio.Event()

    async def slow(_: Any) -> Any:
        yield "Let me "
        yield "see"
        heard.set()
        await asyncio.Event().wait()

    chain = with_memory(RunnableGenerator(slow), memory)

    async def read() -> None:
        async for _ in chain.astream("Where is it?", config("s")):
            pass

    task = asyncio.create_task(read())
    await heard.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert kept(memory, "s") == ["Where is it?", "Let me see"]


async def test_a_cancelled_call_keeps_the_question(memory: MemoryOS) -> None:
    asked = asyncio.Event()

    async def never(_: Any) -> str:
        asked.set()
        await asyncio.Event().wait()
        return ""

    task = asyncio.create_task(with_memory(RunnableLambda(never), memory).ainvoke("Where is it?", config("s")))
    await asked.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert kept(memory, "s") == ["Where is it?"]


@pytest.mark.parametrize(("heard", "answer"), [(1, []), (2, []), (3, ["It is "]), (4, ["It is there"])])
def test_a_stream_of_dicts_that_is_left_keeps_the_part_that_answers(
    memory: MemoryOS, heard: int, answer: list[str]
) -> None:
    def parts(_: Any) -> Iterator[AddableDict]:
        yield AddableDict(context="documents")
        yield AddableDict(sources="more")
        yield AddableDict(answer="It is ")
        yield AddableDict(answer="there")

    pieces = with_memory(RunnableGenerator(parts), memory).stream({"input": "Where is it?"}, config("s"))
    for _ in range(heard):
        next(pieces)
    pieces.close()  # type: ignore[attr-defined]  # a generator
    assert kept(memory, "s") == ["Where is it?", *answer]


def test_leaving_a_stream_of_a_memory_that_went_away_is_logged_and_quiet(
    memory: MemoryOS, caplog: pytest.LogCaptureFixture
) -> None:
    pieces = with_memory(Scribe(), memory).stream("a secret", config("s"))
    next(pieces)
    memory.close()
    with caplog.at_level(logging.ERROR, "memoryos_langchain.wiring"):
        pieces.close()  # type: ignore[attr-defined]  # a generator
    (record,) = (r for r in caplog.records if r.name == "memoryos_langchain.wiring")
    assert "ClosedError" in record.getMessage()
    assert "secret" not in record.getMessage()


@pytest.mark.parametrize("mode", ["invoke", "ainvoke", "stream", "astream"])
async def test_an_answer_that_cannot_be_written_is_given_and_logged(
    memory: MemoryOS, mode: str, caplog: pytest.LogCaptureFixture
) -> None:
    def closing(_: Any) -> str:
        memory.close()
        return "paid for"

    chain = with_memory(RunnableLambda(closing), memory)
    if mode.startswith("a"):
        answer = [p async for p in chain.astream("a secret", config("s"))] if mode == "astream" else []
        answer = answer or [await chain.ainvoke("a secret", config("s"))]
    else:
        answer = (
            [*chain.stream("a secret", config("s"))] if mode == "stream" else [chain.invoke("a secret", config("s"))]
        )
    assert answer == ["paid for"]
    (record,) = (r for r in caplog.records if r.name == "memoryos_langchain.wiring")
    assert record.levelno == logging.ERROR
    assert "ClosedError" in record.getMessage()
    assert "secret" not in record.getMessage()
    with pytest.raises(ClosedError):
        await chain.ainvoke("hello", config("s"))


class City(BaseModel):
    name: str
    old: bool = True


@pytest.mark.parametrize(
    ("answer", "written"),
    [
        (5, "5"),
        (False, "false"),
        ({"x": 1, "y": "zwölf"}, '{"x":1,"y":"zwölf"}'),
        ({"answer": {"x": 1}, "y": 2}, '{"x":1}'),
        ({"answer": True}, "true"),
        ({"refund_approved": True}, '{"refund_approved":true}'),
        ({"days": [1, 2]}, '{"days":[1,2]}'),
        ({"days": []}, '{"days":[]}'),
        ({"reply": "Well."}, "Well."),
        ({"reply": AIMessage("Well.")}, "Well."),
        ({"reply": [AIMessage("Well.")]}, "Well."),
        (City(name="Lisbon"), '{"name":"Lisbon","old":true}'),
        ([City(name="Lisbon")], '[{"name":"Lisbon","old":true}]'),
        ({"answer": City(name="Lisbon")}, '{"name":"Lisbon","old":true}'),
    ],
)
@pytest.mark.parametrize("way", ["invoke", "ainvoke", "stream"])
async def test_an_answer_that_is_an_object_is_written_as_json(
    memory: MemoryOS, answer: Any, written: str, way: str
) -> None:
    chain: Any = with_memory(RunnableLambda(lambda _: answer), memory)
    if way == "stream":
        assert list(chain.stream("hello", config("s"))) == [answer]
    else:
        given = chain.invoke("hello", config("s")) if way == "invoke" else await chain.ainvoke("hello", config("s"))
        assert given is answer
    assert kept(memory, "s") == ["hello", written]


def test_json_that_is_streamed_is_written_once(memory: MemoryOS) -> None:
    model = ScriptedModel(answer=lambda _: '{"name": "Lisbon", "hills": [1, 2, 3], "old": true}')
    list(with_memory(model | JsonOutputParser(), memory).stream("Which city?", config("s")))
    assert kept(memory, "s") == ["Which city?", '{"name":"Lisbon","hills":[1,2,3],"old":true}']


def test_an_answer_that_has_no_form_is_given_and_its_question_kept(
    memory: MemoryOS, caplog: pytest.LogCaptureFixture
) -> None:
    answer = [object()]
    assert with_memory(RunnableLambda(lambda _: answer), memory).invoke("hello", config("s")) is answer
    assert kept(memory, "s") == ["hello"]
    (record,) = (r for r in caplog.records if r.name == "memoryos_langchain.wiring")
    assert (record.levelno, "InvalidInputError" in record.getMessage()) == (logging.ERROR, True)


def test_a_stream_of_plain_dicts_keeps_the_whole_answer(memory: MemoryOS) -> None:
    def parts(_: Any) -> Iterator[dict[str, Any]]:
        yield {"answer": "It is "}
        yield {"answer": "there"}
        yield {"sources": ["a document"]}

    assert len(list(with_memory(RunnableGenerator(parts), memory).stream("Where is it?", config("s")))) == 3
    assert kept(memory, "s") == ["Where is it?", "It is there"]


def test_a_turn_is_kept_over_a_restart(memory: MemoryOS, path: str) -> None:
    with_memory(Scribe(), memory).invoke("My tortoise is Archimedes", config("s"))
    memory.close()
    model = Scribe()
    with MemoryOS(path, embedder=None) as again:
        with_memory(model, again).invoke("Go on", config("s"))
        with_memory(model, again).invoke("Which tortoise?", config("another"))
    assert [m.text for m in model.asked[0]][-3:] == [
        "My tortoise is Archimedes", "heard: My tortoise is Archimedes", "Go on",
    ]  # fmt: skip
    assert "Archimedes" in model.asked[1][0].text


# -------------------------------------------------------------------------------------------------------- who and how


@pytest.mark.parametrize("configurable", [{}, {"session_id": "s"}, {"user_id": "ada"}])
def test_a_call_without_a_user_or_a_session_asks_no_model(memory: MemoryOS, configurable: dict[str, str]) -> None:
    model = Scribe()
    with pytest.raises(InvalidInputError, match=r"session|user"):
        with_memory(model, memory).invoke("hello", {"configurable": configurable})
    assert model.asked == []


@pytest.mark.parametrize(
    ("prompt", "keys", "says"),
    [
        ([("human", "{input}")], {}, "no messages placeholder"),
        ([("human", "{history} {input}")], {"history_messages_key": "history"}, "no messages placeholder"),
        ([("placeholder", "{past}"), ("human", "{input}")], {"history_messages_key": "history"}, "'past'"),
        ([("placeholder", "{a}"), ("placeholder", "{b}"), ("human", "{input}")], {}, "'a', 'b'"),
        ([("placeholder", "{history}"), ("human", "{input}")], {"recall_key": "memory"}, "recall_key='memory'"),
    ],
)
def test_a_prompt_that_has_no_place_for_it_is_refused_at_once(
    memory: MemoryOS, prompt: Any, keys: dict[str, Any], says: str
) -> None:
    with pytest.raises(InvalidInputError, match=says):
        with_memory(ChatPromptTemplate.from_messages(prompt) | Scribe(), memory, **keys)


def test_a_prompt_of_plain_text_is_refused(memory: MemoryOS) -> None:
    with pytest.raises(InvalidInputError, match="messages placeholder"):
        with_memory(PromptTemplate.from_template("{history} {input}") | Scribe(), memory)


def test_keys_that_cannot_be_told_are_named(memory: MemoryOS) -> None:
    prompt = ChatPromptTemplate.from_messages([MessagesPlaceholder("history"), ("human", "{one} {two}")])
    with pytest.raises(InvalidInputError, match=r"input_messages_key=None.*'one', 'two'"):
        with_memory(prompt | Scribe(), memory).invoke({"one": "secret", "two": "secret"}, config("s"))


def test_arguments_that_cannot_serve_are_refused_at_once(memory: MemoryOS) -> None:
    wrongs: list[dict[str, Any]] = [
        {"budget_tokens": 0}, {"budget_tokens": "9"}, {"user_id": ""}, {"assistant_id": 1.5}, {"session_id": " "},
        {"memory": AsyncMemoryOS.of(memory)}, {"memory": Scribe()}, {"chain": memory},
    ]  # fmt: skip
    for wrong in wrongs:
        with pytest.raises(InvalidInputError, match=next(iter(wrong))):
            with_memory(**{"chain": Scribe(), "memory": memory, **wrong})


def test_a_session_is_taken_before_a_thread_and_the_servers_assistant_is_not(memory: MemoryOS) -> None:
    named: RunnableConfig = {
        "configurable": {"user_id": "ada", "thread_id": "t", "session_id": "s", "assistant_id": "of the server"}
    }
    with_memory(Scribe(), memory).invoke("hello", named)
    with_memory(Scribe(), memory, assistant_id=None).invoke("asked", named)
    assert kept(memory, "s") == ["hello", "heard: hello"]
    asked = memory.user("ada", assistant_id="of the server", session_id="s").transcript()
    assert [m.text for m in asked] == ["asked", "heard: asked"]
    with_memory(Scribe(), memory).invoke("on", {"configurable": {"user_id": "ada", "thread_id": "t"}})
    assert kept(memory, "t") == ["on", "heard: on"]


async def test_a_trace_names_the_run_of_a_sequence(memory: MemoryOS) -> None:
    chain = with_memory(RunnableLambda(lambda said: said) | Scribe(), memory)
    for given, shown in (({}, "with_memory"), ({"run_name": "mine"}, "mine")):
        run: Any = {**config("s"), **given}
        events = [e async for e in chain.astream_events("hello", run, version="v2")]
        assert [e["name"] for e in (events[0], events[-1])] == [shown, shown]


@pytest.mark.parametrize("value", [7, None, [{"secret": "x"}], {"input": 7}])
def test_what_is_no_message_is_refused_without_being_quoted(memory: MemoryOS, value: Any) -> None:
    with pytest.raises(InvalidInputError, match="a text, a message or a list of messages") as refused:
        with_memory(Scribe(), memory).invoke(value, config("s"))
    assert "secret" not in str(refused.value)


def test_the_element_that_is_no_message_is_named(memory: MemoryOS) -> None:
    with pytest.raises(InvalidInputError, match="got dict as element 1 of the list"):
        with_memory(Scribe(), memory).invoke(["hello", {"secret": "x"}, "you"], config("s"))


def test_an_agent_that_repeats_what_it_was_given_is_not_recorded_twice(memory: MemoryOS) -> None:
    memory.user("ada", session_id="long ago").add("My tortoise is Archimedes")
    agent: Runnable[Any, Any] = RunnableLambda(lambda s: {"messages": [*s["messages"], AIMessage("Archimedes")]})
    chain = with_memory(agent, memory, input_messages_key="messages", history_messages_key="messages")
    for question in ("Which tortoise?", "Really?"):
        chain.invoke({"messages": [HumanMessage(question)]}, config("s"))
    assert kept(memory, "s") == ["Which tortoise?", "Archimedes", "Really?", "Archimedes"]


# ------------------------------------------------------------------------------------------------------- side by side


@pytest.mark.parametrize("parsed", [False, True])
@pytest.mark.parametrize("last", [99, 3], ids=["all of it", "its last messages"])
def test_a_node_that_is_given_its_whole_state_sends_and_writes_each_turn_once(
    memory: MemoryOS, *, parsed: bool, last: int
) -> None:
    model = ScriptedModel(answer=lambda messages: f"Answer to {messages[-1].text}")
    chain = with_memory(model | StrOutputParser() if parsed else model, memory)

    def chat(state: MessagesState) -> dict[str, Any]:
        answer = chain.invoke(state["messages"][-last:])
        return {"messages": [("ai", answer) if parsed else answer]}

    graph = StateGraph(MessagesState).add_node("chat", chat).add_edge(START, "chat")
    app = graph.compile(checkpointer=InMemorySaver())
    turns = [(text, f"Answer to {text}") for text in ("I am Ada", "I like tea", "It is late", "What do I like?")]
    for text, _ in turns:
        app.invoke({"messages": [HumanMessage(text)]}, {"configurable": {"user_id": "ada", "thread_id": "t"}})
    assert kept(memory, "t") == [text for turn in turns for text in turn]
    assert [m.text for m in model.asked[-1]] == kept(memory, "t")[:-1]


def test_a_tool_loop_over_a_state_is_written_once(memory: MemoryOS) -> None:
    def answer(messages: list[BaseMessage]) -> str | AIMessage:
        calling = AIMessage("", tool_calls=[{"name": "look", "args": {}, "id": "c1"}])
        return "It rains." if messages[-1].type == "tool" else calling

    model = ScriptedModel(answer=answer)
    chain = with_memory(model, memory)

    def look(state: MessagesState) -> dict[str, Any]:
        return {"messages": [ToolMessage("Rain.", tool_call_id="c1")]}

    graph = StateGraph(MessagesState).add_node("chat", lambda s: {"messages": [chain.invoke(s["messages"])]})
    graph.add_node("look", look).add_edge(START, "chat").add_edge("look", "chat")
    graph.add_conditional_edges("chat", lambda s: "look" if s["messages"][-1].tool_calls else "__end__")
    app = graph.compile(checkpointer=InMemorySaver())
    for text in ("Weather?", "And now?"):
        app.invoke({"messages": [HumanMessage(text)]}, {"configurable": {"user_id": "ada", "thread_id": "t"}})
    assert kept(memory, "t") == ["Weather?", "", "Rain.", "It rains.", "And now?", "", "Rain.", "It rains."]
    assert [m.text for m in model.asked[-1]] == kept(memory, "t")[:-1]


# What a caller sends who keeps the whole conversation and hands it in each time.
FIRST, SECOND = "0d3c1c1e-8f43-4c7b-9a55-3a1f8f2a7f01", "7b1f2f6a-52c0-4e0e-8d7e-0c6f0f3f9a02"
TALK = [HumanMessage("My cat is Moth", id=FIRST), HumanMessage("She is white", id=SECOND)]


def talk(memory: MemoryOS, record: Record = True) -> tuple[Any, ScriptedModel, list[Any]]:
    """A wired chain, its model, and a conversation of two turns that it has had."""
    numbers = count(1)
    model = ScriptedModel(answer=lambda _: f"Answer {next(numbers)}")
    chain = with_memory(model, memory, record=record)
    said: list[Any] = []
    for question in TALK:
        said.append(question)
        said.append(chain.invoke(said, config("s")))
    return chain, model, said


def test_a_message_that_was_edited_stands_for_the_one_before(memory: MemoryOS) -> None:
    chain, model, said = talk(memory)
    edited = [HumanMessage("My cat is Mothball", id=FIRST), *said[1:], HumanMessage("What is her name?", id="q3")]
    chain.invoke(edited, config("s"))
    assert [m.text for m in model.asked[-1]] == [m.text for m in edited], "nothing stands there twice"
    held = kept(memory, "s")
    assert held == [*(m.text for m in edited), "Answer 3"]
    chain.invoke([*edited, AIMessage("Answer 3"), HumanMessage("Good", id="q4")], config("s"))
    assert kept(memory, "s") == [*held, "Good", "Answer 4"], "an edit is written once"


def test_an_answer_that_is_handed_in_otherwise_replaces_nothing(memory: MemoryOS) -> None:
    chain, _, said = talk(memory)
    better = AIMessage("A white cat called Moth", id=said[3].id)
    chain.invoke([*said[:3], better, HumanMessage("Is she old?", id="q3")], config("s"))
    assert kept(memory, "s") == [*(m.text for m in said), "Is she old?", "Answer 3"]


def test_a_question_that_was_edited_is_answered_anew(memory: MemoryOS) -> None:
    chain, _, said = talk(memory)
    chain.invoke([*said[:2], HumanMessage("She is black", id=SECOND)], config("s"))
    assert kept(memory, "s") == ["My cat is Moth", "Answer 1", "She is black", "Answer 3"]


def test_what_the_chain_had_redacted_is_not_taken_for_edited(memory: MemoryOS) -> None:
    def redact(message: BaseMessage) -> BaseMessage:
        return message.model_copy(update={"content": message.text.replace("Moth", "[REDACTED_NAME]")})

    chain, _, said = talk(memory, record=redact)
    chain.invoke([*said, HumanMessage("Is Moth old?", id="q3")], config("s"))
    assert "Moth" not in " ".join(kept(memory, "s"))
    plain = with_memory(ScriptedModel(answer=lambda _: "Yes"), memory)
    plain.invoke([*said, HumanMessage("Is she old?", id="q4")], config("s"))
    assert "Moth" not in " ".join(kept(memory, "s"))


def test_what_was_forgotten_is_not_written_again_with_the_conversation(memory: MemoryOS) -> None:
    chain, _, said = talk(memory)
    ada = memory.user("ada", session_id="s")
    ada.forget(pages=[ada.pages()[0]])
    edited = [HumanMessage("My cat is Mothball", id=FIRST), *said[1:], HumanMessage("Is she old?", id="q3")]
    chain.invoke(edited, config("s"))
    assert kept(memory, "s") == ["She is white", "Answer 2", "Is she old?", "Answer 3"]


def test_an_equal_question_under_a_used_id_is_written(memory: MemoryOS) -> None:
    """Some hosts number the messages of each request anew, and people ask the same again."""
    numbers = count()
    chain = with_memory(ScriptedModel(answer=lambda _: f"Answer {next(numbers)}"), memory)
    said: list[Any] = []
    for turn in range(4):
        said.append(HumanMessage("And now?", id=str(turn % 2)))
        said.append(chain.invoke(said, config("s")))
        assert kept(memory, "s") == [m.text for m in said]


def test_an_answer_given_again_stands_behind_the_former_ones(memory: MemoryOS) -> None:
    chain, _, said = talk(memory)
    for _ in range(2):
        chain.invoke(said[:3], config("s"))
    assert kept(memory, "s") == [*(m.text for m in said), "Answer 3", "Answer 4"]
    chain.invoke(said[:1], config("s"))
    held = kept(memory, "s")
    assert held[held.index("My cat is Moth") :][:3] == ["My cat is Moth", "Answer 1", "Answer 5"]


def test_examples_in_front_of_each_question_hide_no_history(memory: MemoryOS) -> None:
    model = ScriptedModel(answer=lambda messages: f"Answer to {messages[-1].text}")
    chain = with_memory(model, memory)
    for text in ("One?", "Two?"):
        chain.invoke([("human", "Example?"), ("ai", "Like so."), ("human", text)], config("s"))
    examples = ["Example?", "Like so."]
    assert [m.text for m in model.asked[-1]] == [*examples, "One?", "Answer to One?", *examples, "Two?"]


def test_many_sessions_of_many_users_at_once(memory: MemoryOS) -> None:
    model = Scribe()
    chain = with_memory(model, memory)
    users = ["user-1", "user-10", "USER-1", "user_1", "user%"]
    jobs = [(user, f"s{n}") for user in users for n in range(6)]

    def talk(job: tuple[str, str]) -> None:
        user, session = job
        for turn in range(3):
            chain.invoke(f"tortoise of {user} in {session}, turn {turn}", config(session, user))

    with ThreadPoolExecutor(16) as pool:
        list(pool.map(talk, jobs))
    for user, session in jobs:
        asked = [f"tortoise of {user} in {session}, turn {turn}" for turn in range(3)]
        assert kept(memory, session, user) == [text for a in asked for text in (a, f"heard: {a}")]
    for prompt in model.asked:
        owner = prompt[-1].text.split()[2]
        text = "\n".join(m.text for m in prompt)
        assert not any(f"tortoise of {user} in" in text for user in users if user != owner)


async def test_two_turns_of_one_session_at_once_lose_nothing(memory: MemoryOS) -> None:
    chain = with_memory(Scribe(), memory)
    await asyncio.gather(*(chain.ainvoke(f"question {n}", config("s")) for n in range(8)))
    texts = kept(memory, "s")
    assert sorted(texts[::2]) == [f"question {n}" for n in range(8)]
    assert texts[1::2] == [f"heard: {question}" for question in texts[::2]], "each answer stands by its question"


async def test_a_turn_never_blocks_the_loop(memory: MemoryOS) -> None:
    chain = with_memory(Scribe(), memory)
    await chain.ainvoke("warm up", config("s"))
    guard = BlockBuster()
    guard.activate()
    try:
        await chain.ainvoke("one", config("s"))
        pieces = [piece async for piece in chain.astream("two", config("s"))]
        left = chain.astream("three", config("s"))
        await left.__anext__()
        await left.aclose()  # type: ignore[attr-defined]  # a generator
    finally:
        guard.deactivate()
    assert pieces
    assert kept(memory, "s")[2:] == ["one", "heard: one", "two", "heard: two", "three", "heard: "]


def test_one_chain_serves_many_loops(memory: MemoryOS) -> None:
    chain = with_memory(Scribe(), memory)

    def in_a_loop(n: int) -> None:
        loop = asyncio.new_event_loop()
        try:
            loop.run_until_complete(chain.ainvoke(f"question {n}", config(f"s{n}")))
        finally:
            loop.close()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(in_a_loop, range(8)))
    assert all(kept(memory, f"s{n}") == [f"question {n}", f"heard: question {n}"] for n in range(8))
