"""The middleware over several runs: failed, interrupted, resumed, summarised, restarted, side by side, forgotten."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal

import pytest
from blockbuster import BlockBuster
from langchain.agents import create_agent
from langchain.agents.middleware import (
    AgentMiddleware,
    HumanInTheLoopMiddleware,
    PIIMiddleware,
    SummarizationMiddleware,
    before_model,
)
from langchain.agents.structured_output import ToolStrategy
from langchain_core.messages import AIMessage, HumanMessage, RemoveMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.errors import GraphRecursionError
from langgraph.graph.message import REMOVE_ALL_MESSAGES
from langgraph.types import Command
from pydantic import BaseModel

from memoryos_core import InvalidInputError, MemoryConfig, MemoryOS, WorkerConfig
from memoryos_core.values.events import Recalled as RecalledEvent
from memoryos_langchain.messages import from_core
from memoryos_langchain.middleware import MemoryOSMiddleware
from tests.langchain.scripted_agents import (
    AgentModel,
    agent,
    asking,
    calling,
    echoing,
    on,
    recorded,
    scripted,
    system,
    weather,
)

PAST = "My dog Biscuit is afraid of thunder"
QUESTION = "What is my dog afraid of?"
MANUAL = MemoryConfig(worker=WorkerConfig(mode="manual"))
APPROVED: Command[Any] = Command(resume={"decisions": [{"type": "approve"}]})
TOOL_TURN = ["user: Weather?", "assistant: ", "tool: It rains.", "assistant: Rain."]


def remember_past(memory: MemoryOS, user: str = "ann") -> None:
    memory.user(user, session_id="long ago").add(PAST, "Poor Biscuit")


def echoed(*texts: str) -> list[str]:
    """What is recorded of turns that were answered with what was said."""
    return [line for text in texts for line in (f"user: {text}", f"assistant: You said: {text}")]


# --------------------------------------------------------------------------------------- turn by turn


def test_turns_of_a_thread_are_recorded_once_each(memory: MemoryOS):
    app = agent(memory, scripted("One.", calling("c1"), "Rain.", "Three."))
    for text in ("First?", "Weather?", "Third?"):
        app.invoke(asking(text), on("t"))
    assert recorded(memory, "t") == ["user: First?", "assistant: One.", *TOOL_TURN, "user: Third?", "assistant: Three."]
    assert memory.user("ann").stats().pages == 3


def test_without_a_checkpointer_messages_that_keep_their_ids_are_recorded_once(memory: MemoryOS):
    app = create_agent(scripted("One.", "Two."), middleware=[MemoryOSMiddleware(memory)])
    first = app.invoke({"messages": [HumanMessage("First?")]}, on("t"))
    app.invoke({"messages": [*first["messages"], HumanMessage("Second?")]}, on("t"))
    assert recorded(memory, "t") == ["user: First?", "assistant: One.", "user: Second?", "assistant: Two."]


@pytest.mark.parametrize("window", [99, 3], ids=["all of it", "its last turns"])
@pytest.mark.parametrize("guard", [None, PIIMiddleware("email")], ids=["plain", "redacted"])
async def test_without_a_checkpointer_a_conversation_that_is_handed_in_anew_is_recorded_once(
    memory: MemoryOS, window: int, guard: PIIMiddleware | None
):
    model = AgentModel(answering=lambda sent: calling("c1") if len(sent) == 3 else f"Answer to {len(sent)}")
    middleware: list[Any] = [MemoryOSMiddleware(memory)] if guard is None else [MemoryOSMiddleware(memory), guard]
    app: Any = create_agent(model, [weather], middleware=middleware)
    said: list[tuple[str, str]] = []
    for text in ("I am ann@example.com", "Weather?", "Thank you", "Good night"):
        said.append(("human", text))
        state = await app.ainvoke({"messages": said[-window:]}, on("t"))
        said.append(("ai", str(state["messages"][-1].text)))
    kept = [line for line in recorded(memory, "t") if not line.startswith("tool:") and line != "assistant: "]
    first = "I am ann@example.com" if guard is None else "I am [REDACTED_EMAIL]"
    assert kept[0] == f"user: {first}"
    assert kept[1:] == [f"{'user' if kind == 'human' else 'assistant'}: {text}" for kind, text in said][1:]
    assert not any("Weather?" in system(asked) for asked in model.asked), "it is in the messages already"


async def test_without_a_checkpointer_runs_side_by_side_keep_all_turns(memory: MemoryOS):
    said = [f"Fact {n} of mine" for n in range(5)]
    all_asked = asyncio.Event()
    model = AgentModel(answering=echoing)

    class Waiting(AgentMiddleware[Any, Any, Any]):
        async def awrap_model_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
            while len(recorded(memory, "t")) < len(said) and not all_asked.is_set():
                await asyncio.sleep(0.01)
            all_asked.set()
            return await handler(request)

    app: Any = create_agent(model, middleware=[MemoryOSMiddleware(memory), Waiting()])
    await app.abatch([asking(text) for text in said], on("t"))
    held = recorded(memory, "t")
    turns = [held[n : n + 2] for n in range(0, len(held), 2)]
    assert sorted(turns) == sorted(echoed(text) for text in said), "kept, and each answer behind its question"
    live = [page for page in memory.user("ann", session_id="t").pages(session=True) if not page.ended]
    assert [len(page.messages) for page in live] == [2] * 5


@pytest.mark.parametrize("later", [False, True])
def test_without_a_checkpointer_a_question_that_is_handed_in_again_by_id_is_answered_again(
    memory: MemoryOS, *, later: bool
):
    answers = ["The answer is 4711.", *["Later."] * later, "The answer is 0815."]
    app: Any = create_agent(scripted(*answers), middleware=[MemoryOSMiddleware(memory)])
    question = {"messages": [HumanMessage("What is the answer?", id="q1")]}
    app.invoke(question, on("t"))
    if later:
        app.invoke(asking("And then?"), on("t"))
    app.invoke(question, on("t"))
    held = recorded(memory, "t")
    assert "assistant: The answer is 4711." not in held
    assert held[:2] == ["user: What is the answer?", "assistant: The answer is 0815."], "it stays where it was asked"
    assert held[2:] == ["user: And then?", "assistant: Later."] * later, "what was not handed in was not removed"


async def test_without_a_checkpointer_new_messages_alone_are_all_recorded(memory: MemoryOS):
    app: Any = create_agent(AgentModel(answering=lambda _: "Hello."), middleware=[MemoryOSMiddleware(memory)])
    for _ in range(2):
        app.invoke(asking("Hi"), on("t"))
    assert recorded(memory, "t") == ["user: Hi", "assistant: Hello."] * 2


def test_what_a_client_changed_and_what_follows_is_recorded(memory: MemoryOS):
    app: Any = create_agent(AgentModel(answering=echoing), middleware=[MemoryOSMiddleware(memory)])
    for given in (["One"], ["One", "You said: One", "Two"], ["One", "You said: One", "Three", "Hm", "Four"]):
        kinds = ("human", "ai")
        app.invoke({"messages": [(kinds[i % 2], text) for i, text in enumerate(given)]}, on("t"))
    assert recorded(memory, "t") == [*echoed("One", "Two"), "user: Three", "assistant: Hm", *echoed("Four")]


def test_instructions_in_the_messages_are_not_recorded(memory: MemoryOS):
    given = [("system", "Answer in French."), ("human", "Bonjour")]
    agent(memory, scripted("Salut.")).invoke({"messages": given}, on("t"))
    assert recorded(memory, "t") == ["user: Bonjour", "assistant: Salut."]


def test_a_restart_between_turns_loses_and_repeats_nothing(path: str):
    saver = InMemorySaver()
    for text in (PAST, "Good morning", QUESTION):
        with MemoryOS(path, embedder=None, config=MANUAL) as memory:
            agent(memory, AgentModel(answering=echoing), checkpointer=saver).invoke(asking(text), on("t"))
    with MemoryOS(path, embedder=None, config=MANUAL) as memory:
        assert recorded(memory, "t") == echoed(PAST, "Good morning", QUESTION)
        model = scripted("Thunder.")
        agent(memory, model).invoke(asking(QUESTION), on("a new thread"))
        assert PAST in system(model.asked[0])


class Dinner(BaseModel):
    """A dinner."""

    dish: str
    spice: str = "salt"


@pytest.mark.parametrize("checkpointer", [True, False])
async def test_a_structured_response_is_recorded_as_the_answer(memory: MemoryOS, *, checkpointer: bool):
    dinner = AIMessage("", tool_calls=[{"name": "Dinner", "args": {"dish": "goulash"}, "id": "c1"}])
    saver = InMemorySaver() if checkpointer else None
    app: Any = create_agent(
        AgentModel(answering=lambda _: dinner.model_copy(update={"id": None})),
        response_format=ToolStrategy(Dinner),
        middleware=[MemoryOSMiddleware(memory)],
        checkpointer=saver,
    )
    state: Any = {"messages": []}
    for text in ("Suggest a dinner", "Another one"):
        given = [] if checkpointer else state["messages"]
        state = await app.ainvoke({"messages": [*given, HumanMessage(text)]}, on("t"))
    assert state["structured_response"] == Dinner(dish="goulash")
    answer = 'assistant: {"dish":"goulash","spice":"salt"}'
    held = [line for line in recorded(memory, "t") if not line.startswith("tool:") and line != "assistant: "]
    assert held == ["user: Suggest a dinner", answer, "user: Another one", answer]
    assert len(recorded(memory, "t")) == 8
    assert not any(page.open for page in memory.user("ann", session_id="t").pages(session=True))
    assert "goulash" in memory.user("ann", session_id="other").recall("Did you suggest goulash?").text


def test_an_answer_by_a_tool_after_a_structured_one_does_not_repeat_it(memory: MemoryOS):
    dinner = AIMessage("", tool_calls=[{"name": "Dinner", "args": {"dish": "goulash"}, "id": "c1"}])
    direct = weather.model_copy(update={"return_direct": True})
    model = scripted(dinner, calling("c2"))
    app = agent(memory, model, tools=[direct], response_format=ToolStrategy(Dinner))
    for text in ("Suggest a dinner", "Weather?"):
        app.invoke(asking(text), on("t"))
    assert sum("goulash" in line for line in recorded(memory, "t") if line.startswith("assistant:")) == 1
    app.update_state(on("t"), {"messages": [RemoveMessage(REMOVE_ALL_MESSAGES)]})
    model2 = scripted("Hello.")
    agent(memory, model2, checkpointer=app.checkpointer).invoke(asking("Hi"), on("t"))
    assert recorded(memory, "t") == ["user: Hi", "assistant: Hello."], "it goes with the message that was removed"


# --------------------------------------------------------------------------------- failed, interrupted


def failing(app: Any) -> None:
    with pytest.raises(ConnectionError):
        app.invoke(asking("Weather?"), on("t"))


def abandoned(app: Any) -> None:
    stream = app.stream(asking("Weather?"), on("t"), stream_mode="updates")
    for part in stream:
        if "tools" in part:
            break
    stream.close()


def endless(app: Any) -> None:
    with pytest.raises(GraphRecursionError):
        app.invoke(asking("Weather?"), {**on("t"), "recursion_limit": 3})


@pytest.mark.parametrize("breaking_off", [failing, abandoned, endless])
def test_a_run_that_broke_off_keeps_its_question_and_is_caught_up_with(
    memory: MemoryOS, breaking_off: Callable[[Any], None]
):
    saver = InMemorySaver()
    breaking_off(agent(memory, scripted(calling("c1"), ConnectionError("down")), checkpointer=saver))
    assert recorded(memory, "t") == ["user: Weather?"]
    agent(memory, scripted("Rain."), checkpointer=saver).invoke(asking("And now?"), on("t"))
    assert recorded(memory, "t") == [*TOOL_TURN[:3], "user: And now?", "assistant: Rain."]


async def test_a_failed_run_that_is_tried_again_is_shown_its_memory_and_recorded_once(memory: MemoryOS):
    remember_past(memory)
    model = scripted(ConnectionError("down"), "Of thunder.")
    app = agent(memory, model)
    with pytest.raises(ConnectionError):
        await app.ainvoke(asking(QUESTION), on("t"))
    await app.ainvoke(None, on("t"))
    assert PAST in system(model.asked[1])
    assert recorded(memory, "t") == [f"user: {QUESTION}", "assistant: Of thunder."]


@pytest.mark.parametrize("coroutine", [False, True])
async def test_an_interrupted_run_goes_on_with_its_memory(path: str, coroutine: bool):
    events: list[object] = []
    with MemoryOS(path, embedder=None, config=MANUAL, on_event=events.append) as memory:
        remember_past(memory)
        stroke = weather.model_copy(update={"name": "stroke"})
        saver = InMemorySaver()
        model = scripted(calling("c1", "stroke"), calling("c2"), calling("c3"), "Of thunder.")

        async def run(given: Any) -> Any:
            # A new agent each time: the run goes on in another process.
            gate = HumanInTheLoopMiddleware(interrupt_on={"stroke": True})
            app = agent(memory, model, before=[gate], checkpointer=saver, tools=[weather, stroke])
            return await app.ainvoke(given, on("t")) if coroutine else app.invoke(given, on("t"))

        interrupted = await run(asking(QUESTION))
        assert interrupted["__interrupt__"]
        assert recorded(memory, "t") == [f"user: {QUESTION}"]
        await run(APPROVED)
        assert [PAST in system(asked) for asked in model.asked] == [True] * 4
        assert len([e for e in events if isinstance(e, RecalledEvent)]) == 2, "once before and once after"
        said = memory.user("ann", session_id="t").transcript()
        assert [m.role for m in said] == ["user", *["assistant", "tool"] * 3, "assistant"]
        assert [m.calls for m in said if m.calls] == [("c1",), ("c2",), ("c3",)]


def test_what_a_human_changed_before_going_on_is_what_is_recorded(memory: MemoryOS):
    gate = HumanInTheLoopMiddleware(interrupt_on={"weather": True})
    other = weather.model_copy(update={"name": "forecast"})
    app = agent(memory, scripted(calling("c1"), "Rain."), before=[gate], tools=[weather, other])
    app.invoke(asking("Weather?"), on("t"))
    edited = {"type": "edit", "edited_action": {"name": "forecast", "args": {}}}
    state = app.invoke(Command(resume={"decisions": [edited]}), on("t"))
    assert len(state["messages"]) == 4
    assert [from_core(m) for m in memory.user("ann", session_id="t").transcript()] == state["messages"]


def test_a_run_resumed_for_nobody_ends_before_the_model_is_called(memory: MemoryOS):
    model = scripted(ConnectionError("down"), "Never said.")
    app = agent(memory, model)
    with pytest.raises(ConnectionError):
        app.invoke(asking(QUESTION), on("t"))
    with pytest.raises(InvalidInputError, match="user_id"):
        app.invoke(None, {"configurable": {"thread_id": "t"}})
    assert len(model.asked) == 1


# ------------------------------------------------------------------------------------------ summarised


def test_a_summary_is_not_recorded_and_what_it_replaced_is_recalled(memory: MemoryOS):
    model, summaries = AgentModel(answering=echoing), scripted(*["A summary of it all."] * 4)
    short = SummarizationMiddleware(model=summaries, trigger=("messages", 3), keep=("messages", 1))
    app = agent(memory, model, before=[short])
    texts = [PAST, "Tomatoes grow well", "The train was late", QUESTION]
    for text in texts:
        state = app.invoke(asking(text), on("t"))
    assert summaries.asked, "nothing was summarised: this test is about nothing"
    assert "A summary of it all." in repr(state)
    assert recorded(memory, "t") == echoed(*texts)
    last = model.asked[-1]
    assert not any(PAST in str(m.text) for m in last[1:])
    assert PAST in system(last)
    assert "A summary of it all." not in system(last)


@pytest.mark.parametrize("placement", ["system", "last_human"])
def test_a_summary_within_a_run_is_neither_recorded_nor_asked_for(
    memory: MemoryOS, placement: Literal["system", "last_human"]
):
    remember_past(memory)
    model = scripted(calling("c1"), calling("c2"), "Of thunder.")
    short = SummarizationMiddleware(
        model=scripted(*["Biscuit is a summary."] * 4), trigger=("messages", 3), keep=("messages", 1)
    )
    ours = MemoryOSMiddleware(memory, placement=placement)
    state = agent(memory, model, before=[short], ours=ours).invoke(asking(QUESTION), on("t"))
    assert QUESTION not in repr(state), "the question is still there: this test is about nothing"
    assert "Biscuit is a summary." in str(state["messages"][0].text)
    # What was summarised within the run was never there at its end; the question was recorded when it began.
    lines = recorded(memory, "t")
    assert lines[0] == f"user: {QUESTION}"
    assert lines[-1] == "assistant: Of thunder."
    assert "Biscuit is a summary." not in repr(lines)
    # Without a human's message to stand before, the block goes to the system message.
    assert all(PAST in str(asked[0].text) for asked in model.asked)
    assert PAST in system(model.asked[-1])


# ---------------------------------------------------------------------------------------- side by side


def check_everybody(memory: MemoryOS, model: AgentModel, users: int) -> None:
    assert memory.users() == sorted(f"user-{i}" for i in range(users))
    for i in range(users):
        told, asked = f"My number is {1000 + i}", "What is my number?"
        assert recorded(memory, f"thread-{i}", f"user-{i}") == echoed(told)
        assert recorded(memory, f"later-{i}", f"user-{i}") == echoed(asked)
    questions = [system(asked) for asked in model.asked if str(asked[-1].text) == "What is my number?"]
    numbers = sorted(n for text in questions for n in range(1000, 1000 + users) if f"My number is {n}" in text)
    assert numbers == list(range(1000, 1000 + users)), "each user's number was shown once, to that user's run"


async def test_one_instance_serves_fifty_users_at_once(memory: MemoryOS):
    model = AgentModel(answering=echoing)
    app = agent(memory, model)

    async def user(i: int) -> None:
        await app.ainvoke(asking(f"My number is {1000 + i}"), on(f"thread-{i}", f"user-{i}"))
        await app.ainvoke(asking("What is my number?"), on(f"later-{i}", f"user-{i}"))

    await asyncio.gather(*map(user, range(50)))
    check_everybody(memory, model, 50)


def test_one_instance_serves_fifty_users_in_threads(memory: MemoryOS):
    model = AgentModel(answering=echoing)
    app = agent(memory, model)

    def user(i: int) -> None:
        app.invoke(asking(f"My number is {1000 + i}"), on(f"thread-{i}", f"user-{i}"))
        app.invoke(asking("What is my number?"), on(f"later-{i}", f"user-{i}"))

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(user, range(50)))
    check_everybody(memory, model, 50)


def test_two_users_of_one_thread_do_not_get_each_others_words(memory: MemoryOS):
    app = agent(memory, AgentModel(answering=echoing))
    app.invoke(asking("I am Ann and live in Oslo"), on("t", "ann"))
    app.invoke(asking("I am Bob"), on("t", "bob"))
    assert recorded(memory, "t", "bob") == echoed("I am Bob")
    assert recorded(memory, "t", "ann") == echoed("I am Ann and live in Oslo")


def test_nor_the_question_of_a_run_that_failed(memory: MemoryOS):
    app = agent(memory, scripted(ConnectionError("down"), "Hello, Bob."))
    with pytest.raises(ConnectionError):
        app.invoke(asking("I am Ann and live in Oslo"), on("t", "ann"))
    app.invoke(asking("I am Bob"), on("t", "bob"))
    assert recorded(memory, "t", "bob") == ["user: I am Bob", "assistant: Hello, Bob."]


def test_nor_what_the_tools_of_that_run_brought(memory: MemoryOS):
    app = agent(memory, scripted(calling("c1"), ConnectionError("down"), "Hello, Bob.", "Hello, Ann."))
    with pytest.raises(ConnectionError):
        app.invoke(asking("Weather in Oslo, where I live?"), on("t", "ann"))
    app.invoke(asking("I am Bob"), on("t", "bob"))
    assert recorded(memory, "t", "bob") == ["user: I am Bob", "assistant: Hello, Bob."]
    app.invoke(asking("I am Ann"), on("t", "ann"))
    assert recorded(memory, "t", "ann")[-2:] == ["user: I am Ann", "assistant: Hello, Ann."]
    assert not any("Bob" in line for line in recorded(memory, "t", "ann"))


def while_down(path: str, saver: InMemorySaver, answering: AgentModel, text: str, user: str) -> None:
    """A run on thread "t" whose memory cannot be written to."""
    with MemoryOS(path, embedder=None, config=MANUAL) as gone:
        app = agent(gone, answering, checkpointer=saver)
    app.invoke(asking(text), on("t", user))


@pytest.mark.parametrize("first", [True, False], ids=["first run", "later run"])
def test_nor_what_was_said_while_memory_was_down(memory: MemoryOS, path: str, first: bool):
    saver, model = InMemorySaver(), AgentModel(answering=echoing)
    app = agent(memory, model, checkpointer=saver)
    if not first:
        app.invoke(asking("Good morning"), on("t", "bob"))
    while_down(path, saver, model, "My salary is 99999", "ann")
    app.invoke(asking("I am Bob"), on("t", "bob"))
    app.invoke(asking("Still Bob"), on("t", "bob"))
    assert recorded(memory, "t", "bob")[-4:] == echoed("I am Bob", "Still Bob")
    assert not any("salary" in line for line in recorded(memory, "t", "bob"))


def test_nor_when_the_model_was_down_too(memory: MemoryOS, path: str):
    saver, model = InMemorySaver(), scripted(ConnectionError("down"), "Hello, Bob.")
    with pytest.raises(ConnectionError):
        while_down(path, saver, model, "My salary is 99999", "ann")
    agent(memory, model, checkpointer=saver).invoke(asking("I am Bob"), on("t", "bob"))
    assert recorded(memory, "t", "bob") == ["user: I am Bob", "assistant: Hello, Bob."]


def test_nor_does_catching_up_reach_back_over_the_other_ones_run(memory: MemoryOS, path: str):
    saver, model = InMemorySaver(), AgentModel(answering=echoing)
    app = agent(memory, model, checkpointer=saver)
    app.invoke(asking("I am Ann"), on("t", "ann"))
    while_down(path, saver, model, "My salary is 99999", "bob")
    while_down(path, saver, model, "Ann again", "ann")
    app.invoke(asking("Ann for the third time"), on("t", "ann"))
    assert recorded(memory, "t", "ann") == echoed("I am Ann", "Ann again", "Ann for the third time")
    assert recorded(memory, "t", "bob") == []


def test_nor_what_was_left_there_when_nobody_asks_anything(memory: MemoryOS):
    app = agent(memory, scripted(calling("c1"), ConnectionError("down"), "Hello, Bob."))
    with pytest.raises(ConnectionError):
        app.invoke(asking("Weather in Oslo, where I live?"), on("t", "ann"))
    app.invoke({"messages": [AIMessage("Is anybody there?")]}, on("t", "bob"))
    assert recorded(memory, "t", "bob") == ["assistant: Hello, Bob."]


def test_nor_by_approving_the_other_ones_run(memory: MemoryOS):
    gate = HumanInTheLoopMiddleware(interrupt_on={"weather": True})
    app = agent(memory, scripted(calling("c1"), "Rain.", "Good night."), before=[gate])
    app.invoke(asking("Weather?"), on("t", "ann"))
    app.invoke(APPROVED, on("t", "bob"))
    assert recorded(memory, "t", "bob") == []
    app.invoke(asking("Thank you"), on("t", "ann"))
    assert recorded(memory, "t", "ann") == [*TOOL_TURN, "user: Thank you", "assistant: Good night."]


# ------------------------------------------------------------------------- begun without, taken back


def taken_back(app: Any, user: str = "ann") -> None:
    """The last message of thread "t" is removed, as before an answer is made again."""
    last = app.get_state(on("t", user)).values["messages"][-1].id
    app.update_state(on("t", user), {"messages": [RemoveMessage(id=last)]})


def test_a_thread_begun_before_memory_was_there_is_taken_in(memory: MemoryOS):
    saver, model = InMemorySaver(), AgentModel(answering=echoing)
    without: Any = create_agent(model, checkpointer=saver)
    without.invoke(asking("Good morning"), on("t"))
    agent(memory, model, checkpointer=saver).invoke(asking("Hello"), on("t"))
    assert recorded(memory, "t") == echoed("Good morning", "Hello")


def test_an_answer_made_again_stands_for_the_first_and_nothing_is_recorded_twice(memory: MemoryOS):
    app = agent(memory, scripted("One.", "Two.", "Second."))
    for text in ("First?", "Second?"):
        app.invoke(asking(text), on("t"))
    taken_back(app)
    app.invoke({"messages": []}, on("t"))
    assert recorded(memory, "t") == ["user: First?", "assistant: One.", "user: Second?", "assistant: Second."]
    pages = memory.user("ann", session_id="t").pages(session=True)
    assert sorted(m.text for page in pages for m in page.messages if m.role == "assistant") == [
        "One.",
        "Second.",
        "Two.",
    ]


def test_what_another_said_is_not_taken_in_when_the_last_recorded_message_is_gone(memory: MemoryOS):
    app = agent(memory, AgentModel(answering=echoing))
    app.invoke(asking("My secret is 4711"), on("t", "ann"))
    taken_back(app)
    app.invoke(asking("I am Bob"), on("t", "bob"))
    assert recorded(memory, "t", "bob") == echoed("I am Bob")


def test_what_was_forgotten_stays_so_when_the_last_recorded_message_is_gone(memory: MemoryOS):
    app = agent(memory, AgentModel(answering=echoing))
    app.invoke(asking("My secret is 4711"), on("t"))
    app.invoke(asking("Good morning"), on("t"))
    memory.user("ann").forget(everything=True)
    taken_back(app)
    app.invoke(asking("Hello"), on("t"))
    assert recorded(memory, "t") == echoed("Hello")


async def test_the_loop_is_never_blocked(memory: MemoryOS, caplog: pytest.LogCaptureFixture):
    remember_past(memory)
    saver, model = InMemorySaver(), scripted(calling("c1"), "Of thunder.", ConnectionError("down"), "Rain.")
    app = agent(memory, model, checkpointer=saver)
    await app.ainvoke(asking("warm up"), on("warm"))
    blockbuster = BlockBuster()
    blockbuster.activate()
    try:
        with pytest.raises(ConnectionError):
            await app.ainvoke(asking(QUESTION), on("t"))
        await app.ainvoke(None, on("t"))
    finally:
        blockbuster.deactivate()
    assert PAST in system(model.asked[-1])
    # A blocked loop would be an error of the memory's, and those are only logged.
    assert recorded(memory, "t") == [f"user: {QUESTION}", "assistant: Rain."]
    assert "memoryos" not in caplog.text


# ------------------------------------------------------------------------------------ down, forgotten


@pytest.mark.parametrize("coroutine", [False, True])
async def test_an_agent_answers_while_its_memory_is_down_and_catches_up_later(
    path: str, coroutine: bool, caplog: pytest.LogCaptureFixture
):
    saver = InMemorySaver()
    with MemoryOS(path, embedder=None, config=MANUAL) as memory:
        app = agent(memory, AgentModel(answering=echoing), checkpointer=saver)
    with caplog.at_level(logging.DEBUG, logger="memoryos_langchain"):
        given = asking("My secret is 4711")
        answer = await app.ainvoke(given, on("t")) if coroutine else app.invoke(given, on("t"))
    assert str(answer["messages"][-1].text) == "You said: My secret is 4711"
    warnings = [r for r in caplog.records if r.name.startswith("memoryos_langchain")]
    assert [r.levelname for r in warnings] == ["WARNING"] * 2, (
        "the question and the recall; the answer waits for the next run"
    )
    assert all("ClosedError" in r.getMessage() for r in warnings)
    assert "4711" not in caplog.text
    with MemoryOS(path, embedder=None, config=MANUAL) as memory:
        agent(memory, AgentModel(answering=echoing), checkpointer=saver).invoke(asking("Hello"), on("t"))
        assert recorded(memory, "t") == echoed("My secret is 4711", "Hello")


def test_a_forgotten_past_stays_forgotten_on_a_thread_that_still_has_it(memory: MemoryOS):
    app = agent(memory, AgentModel(answering=echoing))
    app.invoke(asking(PAST), on("t"))
    app.invoke(asking("Tomatoes grow well"), on("t"))
    memory.user("ann").forget(everything=True)
    state = app.invoke(asking("Good morning"), on("t"))
    assert len(state["messages"]) == 6
    assert recorded(memory, "t") == echoed("Good morning")


def test_it_stays_forgotten_when_a_summary_took_the_last_recorded_message(memory: MemoryOS):
    summaries = scripted(*["A summary."] * 4)
    short = SummarizationMiddleware(model=summaries, trigger=("messages", 3), keep=("messages", 2))
    app = agent(memory, AgentModel(answering=echoing), before=[short])
    app.invoke(asking(PAST), on("t"))
    memory.user("ann", session_id="t").forget(session=True)
    app.invoke(asking("Tomatoes grow well"), on("t"))
    app.invoke(asking("Good morning"), on("t"))
    assert PAST not in repr(recorded(memory, "t"))


def test_only_the_user_and_the_thread_of_a_run_are_kept_apart(memory: MemoryOS):
    ids = ["user-1", "user-10", "USER-1", "user_1", "user%", "%"]
    app = agent(memory, AgentModel(answering=echoing))
    for i, user in enumerate(ids):
        app.invoke(asking(f"My number is {1000 + i}"), on("told", user))
    model = AgentModel(answering=lambda _: AIMessage("Hm."))
    for i, user in enumerate(ids):
        agent(memory, model).invoke(asking("What is my number?"), on("asked", user))
        assert [n for n in range(len(ids)) if str(1000 + n) in system(model.asked[-1])] == [i]


# --------------------------------------------------------------------------------- edited, removed, answered again


PIN = "My code is 4711"
ASKED_PIN = "What is my code?"


def telling(memory: MemoryOS, saver: InMemorySaver, *answers: str, **options: Any) -> tuple[Any, AgentModel]:
    """An agent that was told the code in a first turn."""
    model = scripted("Noted.", *answers)
    app = agent(memory, model, checkpointer=saver, **options)
    app.invoke({"messages": [HumanMessage(PIN, id="h1")]}, on("t"))
    return app, model


def at(checkpoint: RunnableConfig) -> RunnableConfig:
    """The configuration of Ann's run from a checkpoint."""
    return {"configurable": {**checkpoint["configurable"], "user_id": "ann"}}


def code_elsewhere(memory: MemoryOS) -> bool:
    return "4711" in memory.user("ann", session_id="other").recall(ASKED_PIN).text


@pytest.mark.parametrize("way", ["the input", "the state", "all", "its turn"])
def test_what_the_host_removed_is_not_recalled_in_the_thread(memory: MemoryOS, way: str):
    saver = InMemorySaver()
    app, model = telling(memory, saver, "I do not know.")
    told = app.get_state(on("t")).values["messages"]
    removal = {"all": [REMOVE_ALL_MESSAGES], "its turn": [m.id for m in told]}.get(way, ["h1"])
    removals: list[Any] = [RemoveMessage(i) for i in removal]
    if way == "the input":
        app.invoke({"messages": [*removals, HumanMessage(ASKED_PIN)]}, on("t"))
    else:
        app.update_state(on("t"), {"messages": removals})
        app.invoke(asking(ASKED_PIN), on("t"))
    assert "4711" not in "".join(str(m.text) for m in model.asked[-1])
    assert code_elsewhere(memory)
    assert "user: My code is 4711" not in recorded(memory, "t")
    assert recorded(memory, "t")[-2:] == [f"user: {ASKED_PIN}", "assistant: I do not know."]


@pytest.mark.parametrize("way", ["the input", "the state"])
async def test_what_the_host_edited_is_recalled_as_it_is_now(memory: MemoryOS, way: str):
    saver = InMemorySaver()
    app, model = telling(memory, saver, "Fine.", "It is 0815.")
    edited = HumanMessage("My code is 0815", id="h1")
    if way == "the input":
        await app.ainvoke({"messages": [edited]}, on("t"))
    else:
        app.update_state(on("t"), {"messages": [edited]})
        await app.ainvoke(asking("Go on"), on("t"))
    held = "\n".join(recorded(memory, "t"))
    assert held.count("4711") == 0
    assert held.count("My code is 0815") == 1
    app.update_state(on("t"), {"messages": []})
    beyond = memory.user("ann", session_id="t").recall(ASKED_PIN, include_recent=False).text
    assert "0815" in beyond
    assert "4711" not in beyond
    await app.ainvoke(asking(ASKED_PIN), on("t"))
    assert "4711" not in "".join(str(m.text) for m in model.asked[-1])
    assert code_elsewhere(memory)


def test_an_answer_that_is_generated_again_stands_for_the_first(memory: MemoryOS):
    saver = InMemorySaver()
    model = scripted("The answer is 4711.", "The answer is 0815.", "Well.")
    app = agent(memory, model, checkpointer=saver)
    app.invoke(asking("What is the answer?"), on("t"))
    before_answer = next(s for s in app.get_state_history(on("t")) if "model" in s.next)
    app.invoke(None, at(before_answer.config))
    assert recorded(memory, "t") == ["user: What is the answer?", "assistant: The answer is 0815."]
    assert "4711" not in memory.user("ann", session_id="t").recall("What is the answer?").text


def test_a_thread_that_goes_back_to_a_branch_has_it_in_its_session_again(memory: MemoryOS):
    texts = ["Blue.", "First poem.", "Second poem.", "Longer.", "Song.", "Third poem."]
    app = agent(memory, scripted(*texts))

    def point(waits_for: tuple[str, ...], last: str) -> RunnableConfig:
        history = app.get_state_history(on("t"))
        found = next(s for s in history if s.next == waits_for and s.values.get("messages", [""])[-1].text == last)
        return at(found.config)

    app.invoke(asking("I like blue"), on("t"))
    app.invoke(asking("Poem"), on("t"))
    app.invoke(None, point(("model",), "Poem"))
    begun = ["user: I like blue", "assistant: Blue.", "user: Poem"]
    assert recorded(memory, "t") == [*begun, "assistant: Second poem."]
    app.invoke(asking("Make it longer"), point((), "First poem."))
    assert recorded(memory, "t") == [*begun, "assistant: First poem.", "user: Make it longer", "assistant: Longer."]
    app.invoke(asking("Song"), point((), "Blue."))
    assert recorded(memory, "t") == [*begun[:2], "user: Song", "assistant: Song."]
    app.invoke(None, point(("model",), "Poem"))
    assert recorded(memory, "t") == [*begun, "assistant: Third poem."]


def test_a_run_without_a_question_from_an_earlier_point_leaves_what_followed(memory: MemoryOS):
    app = agent(memory, scripted("One.", "Two.", "One more."))
    for text in ("First?", "Second?"):
        app.invoke(asking(text), on("t"))
    first = next(s for s in app.get_state_history(on("t")) if not s.next and len(s.values["messages"]) == 2)
    app.invoke({"messages": []}, at(first.config))
    assert recorded(memory, "t") == ["user: First?", "assistant: One.", "assistant: One more."]


def test_a_thread_that_goes_on_from_an_earlier_point_leaves_what_followed(memory: MemoryOS):
    saver = InMemorySaver()
    app, model = telling(memory, saver, "A good dog.", "I do not know.")
    app.invoke(asking("My dog is Biscuit"), on("t"))
    told = next(s for s in app.get_state_history(on("t")) if not s.next and len(s.values["messages"]) == 2)
    app.invoke(asking("What is my dog called?"), at(told.config))
    assert "Biscuit" not in "".join(str(m.text) for m in model.asked[-1])
    assert recorded(memory, "t")[2:] == ["user: What is my dog called?", "assistant: I do not know."]
    assert recorded(memory, "t")[0] == f"user: {PIN}"


def test_without_a_checkpointer_an_edited_message_stands_for_the_one_before(memory: MemoryOS):
    model = scripted("Noted.", "I do not know.", "No.")
    app = create_agent(model, middleware=[MemoryOSMiddleware(memory)])
    first = app.invoke({"messages": [HumanMessage(PIN, id="h1")]}, on("t"))["messages"]
    app.invoke(
        {"messages": [HumanMessage("My code is secret", id="h1"), *first[1:], HumanMessage("Hm", id="h2")]}, on("t")
    )
    app.invoke({"messages": [HumanMessage(ASKED_PIN, id="h3")]}, on("t"))
    assert "4711" not in "".join(str(m.text) for m in model.asked[-1])
    assert "user: Hm" in recorded(memory, "t"), "what is not handed in again was not removed"


def test_without_a_checkpointer_an_edited_question_is_answered_anew(memory: MemoryOS):
    app: Any = create_agent(scripted("Noted.", "It is 4711.", "It is 0815."), middleware=[MemoryOSMiddleware(memory)])
    first = app.invoke(asking("I have two codes"), on("t"))["messages"]
    app.invoke({"messages": [*first, HumanMessage("What is the first?", id="h2")]}, on("t"))
    app.invoke({"messages": [*first, HumanMessage("What is the second?", id="h2")]}, on("t"))
    assert recorded(memory, "t") == [
        *["user: I have two codes", "assistant: Noted."],
        *["user: What is the second?", "assistant: It is 0815."],
    ]


@pytest.mark.parametrize("failing_first", [False, True])
def test_what_middleware_cuts_off_while_a_run_goes_on_is_still_recalled(memory: MemoryOS, failing_first: bool):
    def cut(state: Any, runtime: Any) -> dict[str, Any] | None:
        kept = state["messages"][-1:]
        return {"messages": [RemoveMessage(REMOVE_ALL_MESSAGES), *kept]} if len(state["messages"]) > 2 else None

    answers: list[Any] = [ConnectionError("down")] if failing_first else []
    saver = InMemorySaver()
    model = scripted("Noted.", "Hm.", *answers, "It is 4711.")
    app = agent(memory, model, checkpointer=saver, before=[before_model(cut)])
    app.invoke(asking(PIN), on("t"))
    app.invoke(asking("Hello"), on("t"))
    if failing_first:
        with pytest.raises(ConnectionError):
            app.invoke(asking("And?"), on("t"))
    app.invoke(asking(ASKED_PIN), on("t"))
    assert "4711" in system(model.asked[-1])


def test_threads_that_share_a_session_leave_each_other_alone(memory: MemoryOS):
    app = agent(memory, AgentModel(answering=echoing), ours=MemoryOSMiddleware(memory, session_id="shared"))
    for text in ("one", "two", "three"):
        for thread in ("a", "b"):
            app.invoke(asking(f"{text} {thread}"), on(thread))
    assert len(recorded(memory, "shared")) == 12
