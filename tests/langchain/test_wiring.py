"""`with_memory` round real chains: every form of chain, asked in each of the seven ways."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable
from operator import itemgetter
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder
from langchain_core.runnables import Runnable, RunnableConfig, RunnableLambda, RunnablePassthrough
from pydantic import BaseModel

from memoryos_core import MemoryOS
from memoryos_langchain.history import MemoryOSChatMessageHistory
from memoryos_langchain.wiring import with_memory
from tests.langchain.scribe import Scribe

SYSTEM = "You are brief."
FACT = "The tortoise of Ada is called Archimedes"


def config(session: str, user: str = "ada") -> RunnableConfig:
    return {"configurable": {"user_id": user, "session_id": session}}


# ------------------------------------------------------------------------------------- the seven ways to ask a chain


def text_of(answer: Any) -> str:
    if isinstance(answer, dict):
        answer = next(answer[key] for key in ("answer", "output", "messages") if key in answer)
    if isinstance(answer, list):
        answer = answer[-1]
    return answer if isinstance(answer, str) else answer.text


def joined(pieces: list[Any]) -> str:
    assert pieces
    total = pieces[0]
    for piece in pieces[1:]:
        total = total + piece
    return text_of(total)


async def invoke(chain: Runnable[Any, Any], value: Any, session: str) -> str:
    return text_of(chain.invoke(value, config(session)))


async def ainvoke(chain: Runnable[Any, Any], value: Any, session: str) -> str:
    return text_of(await chain.ainvoke(value, config(session)))


async def stream(chain: Runnable[Any, Any], value: Any, session: str) -> str:
    return joined(list(chain.stream(value, config(session))))


async def astream(chain: Runnable[Any, Any], value: Any, session: str) -> str:
    return joined([piece async for piece in chain.astream(value, config(session))])


async def batch(chain: Runnable[Any, Any], value: Any, session: str) -> str:
    return [
        text_of(answer) for answer in chain.batch([value, value], [config(session, user="carol"), config(session)])
    ][1]


async def abatch(chain: Runnable[Any, Any], value: Any, session: str) -> str:
    answers = await chain.abatch([value, value], [config(session, user="carol"), config(session)])
    return [text_of(answer) for answer in answers][1]


async def astream_events(chain: Runnable[Any, Any], value: Any, session: str) -> str:
    events = [event async for event in chain.astream_events(value, config(session), version="v2")]
    assert events[0]["event"].endswith("_start")
    assert any(event["event"] == "on_chat_model_stream" for event in events)
    return text_of(events[-1]["data"]["output"])


Way = Callable[[Runnable[Any, Any], Any, str], Awaitable[str]]
WAYS = [invoke, ainvoke, stream, astream, batch, abatch, astream_events]

# ----------------------------------------------------------------------------------------------- the forms of chains


def classic_prompt(memory: MemoryOS, model: Scribe) -> Runnable[Any, Any]:
    prompt = ChatPromptTemplate.from_messages(
        [("system", SYSTEM), MessagesPlaceholder("history"), ("human", "{input}")]
    )
    return with_memory(prompt | model, memory)


def two_placeholders(memory: MemoryOS, model: Scribe) -> Runnable[Any, Any]:
    prompt = ChatPromptTemplate.from_messages([MessagesPlaceholder("chat_history"), MessagesPlaceholder("input")])
    return with_memory(prompt | model | (lambda answer: {"output": answer, "more": 1}), memory)


def recall_variable(memory: MemoryOS, model: Scribe) -> Runnable[Any, Any]:
    prompt = ChatPromptTemplate.from_messages(
        [("system", SYSTEM + "\n{remembered}"), ("placeholder", "{chat_history}"), ("human", "{question}")]
    )
    return with_memory(prompt | model | StrOutputParser(), memory, recall_key="remembered")


def one_placeholder(memory: MemoryOS, model: Scribe) -> Runnable[Any, Any]:
    prompt = ChatPromptTemplate.from_messages([("system", SYSTEM), ("placeholder", "{messages}")])
    return with_memory(prompt | model, memory)


def bare_model(memory: MemoryOS, model: Scribe) -> Runnable[Any, Any]:
    return with_memory(model, memory)


def dict_out(memory: MemoryOS, model: Scribe) -> Runnable[Any, Any]:
    prompt = ChatPromptTemplate.from_messages(
        [("system", "{context}"), MessagesPlaceholder("chat_history"), ("human", "{input}")]
    )
    chain = RunnablePassthrough.assign(context=lambda _: SYSTEM) | RunnablePassthrough.assign(answer=prompt | model)
    return with_memory(chain, memory, history_messages_key="chat_history")


def bound_and_named(memory: MemoryOS, model: Scribe) -> Runnable[Any, Any]:
    prompt = ChatPromptTemplate.from_messages([("system", SYSTEM), ("placeholder", "{past}"), ("human", "{line}")])
    chain = (prompt | model.bind(stop=["never"])).with_config(run_name="mine")
    return with_memory(chain, memory, history_messages_key="past", input_messages_key="line")


Form = Callable[[MemoryOS, Scribe], Runnable[Any, Any]]
FORMS: list[tuple[Form, Callable[[str], Any]]] = [
    (classic_prompt, lambda said: {"input": said}),
    (classic_prompt, lambda said: said),
    (two_placeholders, lambda said: {"input": [HumanMessage(said)]}),
    (recall_variable, lambda said: {"question": said}),
    (one_placeholder, lambda said: {"messages": [HumanMessage(said)]}),
    (one_placeholder, lambda said: HumanMessage(said)),
    (one_placeholder, lambda said: {"messages": [("user", said)]}),
    (bare_model, lambda said: said),
    (bare_model, lambda said: HumanMessage(said)),
    (bare_model, lambda said: [SystemMessage(SYSTEM), HumanMessage(said)]),
    (bare_model, lambda said: ChatPromptTemplate.from_messages([("human", "{x}")]).invoke({"x": said})),
    (dict_out, lambda said: {"input": said}),
    (bound_and_named, lambda said: {"line": said, "unused": 1}),
]


def prompt_text(messages: list[BaseMessage]) -> str:
    return "\n".join(m.text for m in messages)


SOAK = "MEMORYOS_SOAK" in os.environ
# Every form in every second way, and every way with every second form.
RUNS = [
    (form, value, way)
    for row, (form, value) in enumerate(FORMS)
    for column, way in enumerate(WAYS)
    if SOAK or (row + column) % 2 == 0
]


@pytest.mark.parametrize(("form", "value", "way"), RUNS)
async def test_each_run_is_given_the_past_and_leaves_its_turn(
    memory: MemoryOS, form: Form, value: Callable[[str], Any], way: Way
) -> None:
    model = Scribe()
    chain = form(memory, model)
    memory.user("ada", session_id="long ago").add(FACT, "A fine name")
    memory.user("bob", session_id="now").add("The tortoise of Bob is called Gallop", "Indeed")

    first, second = "I walked the tortoise today", "What is the tortoise called?"
    assert await way(chain, value(first), "now") == f"heard: {first}"
    assert await way(chain, value(second), "now") == f"heard: {second}"

    (sent,) = [p for p in model.asked if p[-1].text == second and FACT in prompt_text(p)]
    talk = [m for m in sent if not isinstance(m, SystemMessage)]
    assert [(m.type, m.text) for m in talk] == [("human", first), ("ai", f"heard: {first}"), ("human", second)]
    assert prompt_text(sent).count(first) == 2, "the recent turns are not recalled beside themselves"
    assert "Gallop" not in prompt_text(sent)
    systems = [m.text for m in sent if isinstance(m, SystemMessage)]
    assert [m.type for m in sent[: len(systems)]] == ["system"] * len(systems)

    kept = memory.user("ada", session_id="now").transcript()
    assert [(m.role, m.text) for m in kept] == [
        ("user", first), ("assistant", f"heard: {first}"), ("user", second), ("assistant", f"heard: {second}"),
    ]  # fmt: skip
    assert "AIMessageChunk" not in "".join(m.payload or "" for m in kept)


def test_what_is_remembered_stands_after_the_applications_own_instructions(memory: MemoryOS) -> None:
    memory.user("ada", session_id="long ago").add(FACT)
    model = Scribe()
    chain = with_memory(model, memory)
    chain.invoke([SystemMessage(SYSTEM), HumanMessage("Which tortoise?")], config("now"))
    system, question = model.asked[0]
    assert isinstance(system, SystemMessage)
    assert system.text.startswith(f"{SYSTEM}\n\n")
    assert "<memory>" in system.text
    assert FACT in system.text
    assert question.text == "Which tortoise?"


EXAMPLES: list[Any] = [("human", "Good day"), ("ai", "Good day, human"), MessagesPlaceholder("history")]


@pytest.mark.parametrize("head", [[("system", SYSTEM)], [SystemMessage([{"type": "text", "text": SYSTEM}])], []])
@pytest.mark.parametrize("bound", [False, True])
@pytest.mark.parametrize("way", [invoke, ainvoke, stream, astream])
async def test_examples_in_a_prompt_leave_one_system_message_at_its_beginning(
    memory: MemoryOS, head: list[Any], way: Way, bound: bool
) -> None:
    memory.user("ada", session_id="long ago").add(FACT)
    model = Scribe()
    prompt = ChatPromptTemplate.from_messages([*head, *EXAMPLES, ("human", "{input}")])
    inner: Runnable[Any, Any] = (prompt | model).with_config(tags=["mine"]) if bound else prompt | model
    chain = with_memory(inner, memory)
    await way(chain, {"input": "I walked"}, "now")
    await way(chain, {"input": "Which tortoise?"}, "now")
    sent = model.asked[1]
    assert [m.type for m in sent] == ["system", "human", "ai", "human", "ai", "human"]
    assert FACT in sent[0].text
    assert SYSTEM in sent[0].text or not head
    assert [m.text for m in sent[1:]] == [
        "Good day", "Good day, human", "I walked", "heard: I walked", "Which tortoise?",
    ]  # fmt: skip


def test_a_prompt_with_a_variable_for_it_gets_no_second_system_message(memory: MemoryOS) -> None:
    memory.user("ada", session_id="long ago").add(FACT)
    model = Scribe()
    chain = recall_variable(memory, model)
    chain.invoke({"question": "Which tortoise?"}, config("now"))
    chain.invoke({"question": "Hello"}, config("now", user="nobody yet"))
    assert [m.type for m in model.asked[0]] == ["system", "human"]
    assert model.asked[0][0].text.count(FACT) == 1
    assert model.asked[1][0].text == SYSTEM + "\n"


def test_the_budget_bounds_what_is_recalled(memory: MemoryOS) -> None:
    user = memory.user("ada", session_id="long ago")
    for place in range(30):
        user.add(f"The tortoise ate lettuce number {place} in the garden this morning")
    model = Scribe()
    for budget in (100, 2000):
        with_memory(model, memory, budget_tokens=budget).invoke("tortoise lettuce", config(f"with {budget}"))
    short, long = (p[0].text for p in model.asked)
    assert 1 <= short.count("lettuce number") < long.count("lettuce number")


def test_ids_given_once_serve_every_call(memory: MemoryOS) -> None:
    chain = with_memory(Scribe(), memory, user_id="ada", assistant_id="tutor", session_id="s")
    chain.invoke("Hello")
    assert [m.text for m in memory.user("ada", assistant_id="tutor", session_id="s").transcript()] == [
        "Hello", "heard: Hello",
    ]  # fmt: skip


def test_it_is_a_step_like_any_other(memory: MemoryOS) -> None:
    model = Scribe()
    prompt = ChatPromptTemplate.from_messages([("system", SYSTEM), ("human", "{q}")])
    chain = {"q": itemgetter("ask")} | prompt | with_memory(model, memory) | StrOutputParser()
    assert "".join(chain.stream({"ask": "one"}, config("s"))) == "heard: one"
    assert chain.with_retry().invoke({"ask": "two"}, config("s")) == "heard: two"
    inside = RunnableLambda(lambda said: with_memory(model, memory).invoke(said))
    assert inside.invoke("three", config("s")).text == "heard: three", "the configuration is inherited"
    assert [m.text for m in memory.user("ada", session_id="s").transcript()] == [
        "one", "heard: one", "two", "heard: two", "three", "heard: three",
    ]  # fmt: skip


def test_a_list_of_answers_is_kept_whole(memory: MemoryOS) -> None:
    from langchain_core.messages import ToolMessage

    answers = [
        AIMessage("", tool_calls=[{"name": "clock", "args": {}, "id": "c1"}]),
        ToolMessage("noon", tool_call_id="c1"),
        AIMessage("It is noon"),
    ]
    with_memory(RunnableLambda(lambda _: answers), memory).invoke("What time is it?", config("s"))
    kept = memory.user("ada", session_id="s").messages()
    assert [m.role for m in kept] == ["user", "assistant", "tool", "assistant"]
    assert kept[1].calls == ("c1",)
    assert kept[2].answers == "c1"


async def test_a_call_that_was_never_answered_is_not_put_before_a_question(memory: MemoryOS) -> None:
    call = AIMessage("", tool_calls=[{"name": "look", "args": {}, "id": "1"}, {"name": "look", "args": {}, "id": "2"}])
    history = MemoryOSChatMessageHistory(memory, "s", user_id="ada")
    history.add_messages([HumanMessage("Look it up."), call, ToolMessage("found", tool_call_id="1")])
    model = Scribe()
    chain = with_memory(model, memory)
    await chain.ainvoke([ToolMessage("found as well", tool_call_id="2")], config("s"))
    assert [m.type for m in model.asked[-1] if m.type != "system"] == ["human", "ai", "tool", "tool"]
    history.clear()
    history.add_messages([HumanMessage("Look again."), call, ToolMessage("found", tool_call_id="1")])
    await chain.ainvoke("Never mind.", config("s"))
    assert [m.type for m in model.asked[-1] if m.type != "system"] == ["human", "human"]


def test_recall_joins_the_leading_instructions_of_a_prompt_with_examples(memory: MemoryOS) -> None:
    """A second system message in the midst of a prompt is refused by some servers."""
    memory.user("ada", session_id="before").add(FACT, "Noted.")
    prompt = ChatPromptTemplate.from_messages(
        [("system", SYSTEM), ("human", "2 + 2?"), ("ai", "4"), MessagesPlaceholder("history"), ("human", "{input}")]
    )
    sent: list[BaseMessage] = []

    def model(value: Any) -> AIMessage:
        sent[:] = value.to_messages()
        return AIMessage("Archimedes")

    chain = with_memory(
        prompt | RunnableLambda(model), memory, input_messages_key="input", history_messages_key="history"
    )
    chain.invoke({"input": "What is the tortoise of Ada called?"}, config("now"))
    assert [m.type for m in sent] == ["system", "human", "ai", "human"]
    assert FACT in sent[0].text


class Place(BaseModel):
    """An answer with structure."""

    city: str


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (Place(city="Lisbon"), '{"city":"Lisbon"}'),
        ({"city": "Lisbon", "zip": 7}, '{"city":"Lisbon","zip":7}'),
        (True, "true"),
    ],
)
def test_an_answer_with_structure_is_recorded_as_json(memory: MemoryOS, answer: Any, text: str) -> None:
    chain = with_memory(
        RunnableLambda(lambda _: answer), memory, input_messages_key="input", history_messages_key="history"
    )
    assert chain.invoke({"input": "Where to?"}, config("s")) == answer
    said = [m.text for m in memory.user("ada", session_id="s").transcript()]
    assert [said[0], said[1].replace(" ", "")] == ["Where to?", text]
