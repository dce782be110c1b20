"""RunnableWithMessageHistory over a memory: every way of running a chain, in every way of wiring it."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from operator import itemgetter
from typing import Any

import pytest
from blockbuster import BlockBuster
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder
from langchain_core.runnables import Runnable, RunnableConfig, RunnableLambda
from langchain_core.runnables.history import RunnableWithMessageHistory

from memoryos_core import ClosedError, InvalidInputError, MemoryConfig, MemoryOS, ShortTermConfig, WorkerConfig
from memoryos_langchain.history import USER_AND_CONVERSATION, MemoryOSChatMessageHistory, memory_history_factory
from tests.langchain.scripted_models import ScriptedModel

Wire = Callable[..., RunnableWithMessageHistory]

PROMPT = ChatPromptTemplate.from_messages(
    [("system", "Be brief."), MessagesPlaceholder("history"), ("human", "{input}")]
)
MODES = ("invoke", "stream", "batch", "ainvoke", "astream", "abatch", "astream_events")


def echo(messages: list[BaseMessage]) -> str:
    return f"you said {messages[-1].text}"


def without_keys(model: Runnable[Any, Any], factory: Any, **more: Any) -> RunnableWithMessageHistory:
    return RunnableWithMessageHistory(model, factory, **more)


def with_an_input_key(model: Runnable[Any, Any], factory: Any, **more: Any) -> RunnableWithMessageHistory:
    return RunnableWithMessageHistory(itemgetter("input") | model, factory, input_messages_key="input", **more)


def with_a_prompt(model: Runnable[Any, Any], factory: Any, **more: Any) -> RunnableWithMessageHistory:
    return with_both_keys(PROMPT | model | StrOutputParser(), factory, **more)


def with_both_keys(runnable: Runnable[Any, Any], factory: Any, **more: Any) -> RunnableWithMessageHistory:
    return RunnableWithMessageHistory(
        runnable, factory, input_messages_key="input", history_messages_key="history", **more
    )


WIRES: tuple[Wire, ...] = (without_keys, with_an_input_key, with_a_prompt)


@pytest.fixture(params=WIRES)
def wire(request: pytest.FixtureRequest) -> Wire:
    return request.param  # type: ignore[no-any-return]


def asking(wire: Wire, question: Any) -> Any:
    return question if wire is without_keys else {"input": question}


def session(session_id: str = "s") -> RunnableConfig:
    return {"configurable": {"session_id": session_id}}


async def run(chain: Runnable[Any, Any], mode: str, value: Any, config: RunnableConfig) -> None:
    if mode == "invoke":
        chain.invoke(value, config)
    elif mode == "stream":
        assert len(list(chain.stream(value, config))) > 1
    elif mode == "batch":
        chain.batch([value], [config])
    elif mode == "ainvoke":
        await chain.ainvoke(value, config)
    elif mode == "astream":
        assert len([chunk async for chunk in chain.astream(value, config)]) > 1
    elif mode == "abatch":
        await chain.abatch([value], [config])
    else:
        assert [event async for event in chain.astream_events(value, config, version="v2")]


def texts(messages: Sequence[BaseMessage]) -> list[str]:
    return [m.text for m in messages]


def kept(memory: MemoryOS, session_id: str = "s", user_id: str | None = None) -> list[BaseMessage]:
    return MemoryOSChatMessageHistory(memory, session_id, user_id=user_id).transcript()


def spoken(model: ScriptedModel) -> list[str]:
    """What the model was given last, without the instructions of the prompt."""
    return [m.text for m in model.asked[-1] if not isinstance(m, SystemMessage)]


def talk(*questions: str) -> list[str]:
    return [said for q in questions for said in (q, f"you said {q}")]


# ------------------------------------------------------------------------------------------ modes and wirings


@pytest.mark.parametrize("mode", MODES)
async def test_a_conversation_in_every_mode_and_wiring(memory: MemoryOS, wire: Wire, mode: str) -> None:
    model = ScriptedModel(answer=echo)
    chain = wire(model, memory_history_factory(memory))
    asked: list[str] = []
    for question in ("one", "two", "three"):
        await run(chain, mode, asking(wire, question), session())
        assert spoken(model) == [*talk(*asked), question]
        asked.append(question)
        memory.flush()
    assert texts(kept(memory)) == talk("one", "two", "three")
    assert [type(m) for m in kept(memory)] == [HumanMessage, AIMessage] * 3


async def test_one_conversation_in_all_modes(memory: MemoryOS, wire: Wire) -> None:
    chain = wire(ScriptedModel(answer=echo), memory_history_factory(memory))
    for mode in MODES:
        await run(chain, mode, asking(wire, mode), session())
    assert texts(kept(memory)) == talk(*MODES)


@pytest.mark.parametrize("mode", MODES)
async def test_a_user_and_a_conversation(memory: MemoryOS, wire: Wire, mode: str) -> None:
    model = ScriptedModel(answer=echo)
    chain = wire(model, memory_history_factory(memory), history_factory_config=USER_AND_CONVERSATION)
    for question in ("one", "two"):
        for user, conversation in (("ann", "1"), ("ann", "2"), ("bob", "1")):
            config: RunnableConfig = {"configurable": {"user_id": user, "conversation_id": conversation}}
            await run(chain, mode, asking(wire, f"{question} {user} {conversation}"), config)
    assert spoken(model) == [*talk("one bob 1"), "two bob 1"]
    for user, conversation in (("ann", "1"), ("ann", "2"), ("bob", "1")):
        whole = talk(f"one {user} {conversation}", f"two {user} {conversation}")
        assert texts(kept(memory, conversation, user)) == whole
    assert memory.users() == ["ann", "bob"]


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("one", ["one"]),
        (HumanMessage("one"), ["one"]),
        ([HumanMessage("one"), HumanMessage("more")], ["one", "more"]),
        ((SystemMessage("Be kind"), HumanMessage("one")), ["Be kind", "one"]),
    ],
)
@pytest.mark.parametrize("wiring", [without_keys, with_an_input_key])
def test_every_form_of_input(memory: MemoryOS, wiring: Wire, question: Any, said: list[str]) -> None:
    chain = wiring(ScriptedModel(answer=echo), memory_history_factory(memory))
    for _ in range(2):
        chain.invoke(asking(wiring, question), session())
    assert texts(kept(memory)) == [*said, f"you said {said[-1]}"] * 2


def test_a_fixed_user_has_all_sessions(memory: MemoryOS, wire: Wire) -> None:
    chain = wire(ScriptedModel(answer=echo), memory_history_factory(memory, user_id="ann", assistant_id="cook"))
    chain.invoke(asking(wire, "one"), session("monday"))
    chain.invoke(asking(wire, "two"), session("tuesday"))
    ann = memory.user("ann", assistant_id="cook")
    assert {hit.session_id for hit in ann.search("you said", 9)} == {"monday", "tuesday"}
    assert memory.users() == ["ann"]


def test_a_call_that_names_nobody_is_refused(memory: MemoryOS, wire: Wire) -> None:
    chain = wire(
        ScriptedModel(answer=echo), memory_history_factory(memory), history_factory_config=USER_AND_CONVERSATION
    )
    with pytest.raises(ValueError, match="user_id"):
        chain.invoke(asking(wire, "one"), {"configurable": {"conversation_id": "1"}})
    for nobody in ("", None):
        with pytest.raises(InvalidInputError):
            chain.invoke(asking(wire, "one"), {"configurable": {"user_id": nobody, "conversation_id": "1"}})
    assert memory.users() == []


def test_a_call_of_nobody_is_the_fixed_users(memory: MemoryOS) -> None:
    factory = memory_history_factory(memory, user_id="ann")
    chain = with_both_keys(PROMPT | ScriptedModel(answer=echo), factory, history_factory_config=USER_AND_CONVERSATION)
    chain.invoke({"input": "one"}, {"configurable": {"user_id": None, "conversation_id": "bob"}})
    assert memory.users() == ["ann"]


def test_a_session_named_as_a_user_is_not_that_user(memory: MemoryOS, wire: Wire) -> None:
    memory.user("ann", session_id="ann").add("My PIN is 4711", "Noted")
    model = ScriptedModel(answer=echo)
    chain = wire(model, memory_history_factory(memory, include_recall=True))
    for question in ("What is my PIN?", "My PIN, please"):
        chain.invoke(asking(wire, question), session("ann"))
    assert "4711" not in "".join(m.text for asked in model.asked for m in asked)
    assert memory.users() == ["ann", "session:ann"]
    assert [m.text for m in memory.user("ann", session_id="ann").transcript()] == ["My PIN is 4711", "Noted"]


def test_a_factory_wants_a_memory() -> None:
    with pytest.raises(InvalidInputError, match="expected a MemoryOS, got str"):
        memory_history_factory("memory.db")  # type: ignore[arg-type]


# ------------------------------------------------------------------------------------------ nothing is lost


def test_a_tool_exchange_is_kept_whole_and_shown_again(memory: MemoryOS, wire: Wire) -> None:
    call: Any = {"name": "weather", "args": {"place": "Lisbon"}, "id": "call-1", "type": "tool_call"}
    exchange = [
        AIMessage("", id="c", tool_calls=[call]),
        ToolMessage("rain", tool_call_id="call-1", artifact={"mm": 3}, id="t"),
        AIMessage("Take an umbrella", id="a"),
    ]
    given: list[Any] = []

    def agent(value: Any) -> Any:
        given.append(value if isinstance(value, list) else value.to_messages())
        return list(exchange)

    if wire is with_a_prompt:
        chain = with_both_keys(PROMPT | RunnableLambda(agent), memory_history_factory(memory))
    else:
        chain = wire(RunnableLambda(agent), memory_history_factory(memory))
    chain.invoke(asking(wire, "Rain?"), session())
    chain.invoke(asking(wire, "And now?"), session())
    question, *rest = [m for m in given[-1] if not isinstance(m, SystemMessage)]
    assert (question.text, rest[:3], rest[3].text) == ("Rain?", exchange, "And now?")
    assert [m.text for m in kept(memory)] == ["Rain?", *texts(exchange), "And now?", *texts(exchange)]


# Each pair of a wiring, a mode and a history with or without recall, but not each triple.
PAIRS = [(wired, mode, (row + column) % 2 == 1) for row, wired in enumerate(WIRES) for column, mode in enumerate(MODES)]


@pytest.mark.parametrize(("wire", "mode", "include_recall"), PAIRS, indirect=["wire"])
async def test_what_moves_during_a_run_loses_nothing(path: str, wire: Wire, mode: str, include_recall: bool) -> None:
    config = MemoryConfig(
        short_term=ShortTermConfig(capacity_pages=3, batch_pages=1), worker=WorkerConfig(mode="manual")
    )
    with MemoryOS(path, embedder=None, config=config) as memory:
        here = MemoryOSChatMessageHistory(memory, "s")
        elsewhere = MemoryOSChatMessageHistory(memory, "elsewhere", user_id="session:s")

        def meanwhile(messages: list[BaseMessage]) -> str:
            # While the model thinks, another turn is said here, pages move on, and recall has more to say.
            here.add_messages([HumanMessage("aside"), AIMessage("mhm")])
            elsewhere.add_messages([HumanMessage(f"aside on {messages[-1].text}"), AIMessage("mhm")])
            memory.flush()
            return echo(messages)

        chain = wire(ScriptedModel(answer=meanwhile), memory_history_factory(memory, include_recall=include_recall))
        for question in ("one", "two", "three"):
            await run(chain, mode, asking(wire, question), session())
        said = texts(here.transcript())
        assert [t for t in said if t not in ("aside", "mhm")] == talk("one", "two", "three")
        assert memory.stats().pages_mid_term > 0


@pytest.mark.parametrize("mode", ["invoke", "ainvoke"])
async def test_two_turns_of_one_session_at_once_are_both_kept(memory: MemoryOS, wire: Wire, mode: str) -> None:
    both_have_read = threading.Barrier(2, timeout=30)

    def together(messages: list[BaseMessage]) -> str:
        both_have_read.wait()
        return echo(messages)

    chain = wire(ScriptedModel(answer=together), memory_history_factory(memory))
    for pair in (("one", "two"), ("three", "four")):
        if mode == "invoke":
            with ThreadPoolExecutor(2) as threads:
                list(threads.map(lambda q: chain.invoke(asking(wire, q), session()), pair))
        else:
            await asyncio.gather(*(chain.ainvoke(asking(wire, q), session()) for q in pair))
    said = texts(kept(memory))
    assert sorted(said[:4]) == sorted(talk("one", "two"))
    assert sorted(said[4:]) == sorted(talk("three", "four"))
    assert [f"you said {q}" for q in said[::2]] == said[1::2]


async def test_fifty_sessions_at_once(memory: MemoryOS, wire: Wire) -> None:
    model = ScriptedModel(answer=echo)
    chain = wire(model, memory_history_factory(memory))
    sessions = [f"s{n}" for n in range(50)]
    await asyncio.gather(*(chain.ainvoke(asking(wire, f"{s} a"), session(s)) for s in sessions))
    await chain.abatch([asking(wire, f"{s} b") for s in sessions], [session(s) for s in sessions])
    chain.batch([asking(wire, f"{s} c") for s in sessions], [session(s) for s in sessions])
    for s in sessions:
        assert texts(kept(memory, s)) == talk(f"{s} a", f"{s} b", f"{s} c")
    for asked in model.asked:
        assert len({m.text.removeprefix("you said ").split()[0] for m in asked if m.text != "Be brief."}) == 1


def test_each_turn_after_a_restart(path: str, wire: Wire) -> None:
    questions = ["one", "two", "three"]
    for number, question in enumerate(questions):
        with MemoryOS(path, embedder=None) as memory:
            model = ScriptedModel(answer=echo)
            wire(model, memory_history_factory(memory)).invoke(asking(wire, question), session())
            assert spoken(model) == [*talk(*questions[:number]), question]
    with MemoryOS(path, embedder=None) as memory:
        assert texts(kept(memory)) == talk(*questions)


def test_one_chain_serves_threads_and_loops(memory: MemoryOS, wire: Wire) -> None:
    chain = wire(ScriptedModel(answer=echo), memory_history_factory(memory))

    def in_a_loop_of_its_own(number: int) -> None:
        loop = asyncio.new_event_loop()
        loop.run_until_complete(chain.ainvoke(asking(wire, str(number)), session(f"s{number % 3}")))
        loop.close()

    def in_a_thread(number: int) -> None:
        chain.invoke(asking(wire, str(number)), session(f"s{number % 3}"))

    with ThreadPoolExecutor(6) as threads:
        list(threads.map(lambda n: (in_a_thread, in_a_loop_of_its_own)[n % 2](n), range(18)))
    for residue in range(3):
        said = texts(kept(memory, f"s{residue}"))
        assert sorted(said[::2], key=int) == [str(n) for n in range(18) if n % 3 == residue]
        assert [f"you said {q}" for q in said[::2]] == said[1::2]


@pytest.mark.parametrize("mode", MODES[3:])
async def test_the_loop_is_never_blocked(memory: MemoryOS, wire: Wire, mode: str) -> None:
    chain = wire(ScriptedModel(answer=echo), memory_history_factory(memory, include_recall=True))
    await run(chain, mode, asking(wire, "one"), session())  # LangChain imports some of its modules now
    guard = BlockBuster()
    guard.activate()
    try:
        await run(chain, mode, asking(wire, "two"), session())
    finally:
        guard.deactivate()
    assert texts(kept(memory)) == talk("one", "two")


# ------------------------------------------------------------------------------------------ errors


@pytest.mark.parametrize("mode", ["invoke", "ainvoke"])
async def test_a_write_that_fails_is_logged_by_us(
    memory: MemoryOS, wire: Wire, mode: str, caplog: pytest.LogCaptureFixture
) -> None:
    def then_closed(messages: list[BaseMessage]) -> str:
        memory.close()
        return echo(messages)

    chain = wire(ScriptedModel(answer=then_closed), memory_history_factory(memory))
    await run(chain, mode, asking(wire, "secret"), session())  # LangChain swallows the error
    ours = [r for r in caplog.records if r.name == "memoryos_langchain.history"]
    assert [r.levelno for r in ours] == [logging.ERROR]
    assert ours[0].getMessage() == "2 messages could not be written: ClosedError"


def test_a_read_that_fails_is_raised(memory: MemoryOS, wire: Wire) -> None:
    chain = wire(ScriptedModel(answer=echo), memory_history_factory(memory))
    memory.close()
    with pytest.raises(ClosedError):
        chain.invoke(asking(wire, "one"), session())


def test_a_run_that_fails_leaves_nothing_and_the_next_one_is_kept(memory: MemoryOS, wire: Wire) -> None:
    def sometimes(messages: list[BaseMessage]) -> str | Exception:
        return OSError("no line") if messages[-1].text == "two" else echo(messages)

    chain = wire(ScriptedModel(answer=sometimes), memory_history_factory(memory))
    chain.invoke(asking(wire, "one"), session())
    with pytest.raises(OSError, match="no line"):
        chain.invoke(asking(wire, "two"), session())
    chain.invoke(asking(wire, "three"), session())
    assert texts(kept(memory)) == talk("one", "three")


# Not with a bare model: LangChain writes its answer down as JSON itself, fails, and calls no history.
@pytest.mark.parametrize("wiring", [with_an_input_key, with_both_keys])
def test_what_json_cannot_hold_does_not_cost_the_turn(memory: MemoryOS, wiring: Wire) -> None:
    odd = AIMessage("fine", response_metadata={"raw": object(), "bytes": b"\x00"})
    chain = wiring(RunnableLambda(lambda _: odd), memory_history_factory(memory))
    chain.invoke(asking(wiring, "one"), session())
    assert texts(kept(memory)) == ["one", "fine"]


# ------------------------------------------------------------------------------------------ whose it is

ALIKE = ("user-1", "user-10", "USER-1", "user_1", "user%", "%", "_")


def test_runs_of_users_alike_never_meet(memory: MemoryOS, wire: Wire) -> None:
    model = ScriptedModel(answer=echo)
    factory = memory_history_factory(memory, include_recall=True)
    chain = wire(model, factory, history_factory_config=USER_AND_CONVERSATION)
    for number, user in enumerate(ALIKE):
        config: RunnableConfig = {"configurable": {"user_id": user, "conversation_id": "first"}}
        chain.invoke(asking(wire, f"my number is n{number}n"), config)
    for number, user in enumerate(ALIKE):
        config = {"configurable": {"user_id": user, "conversation_id": "second"}}
        chain.invoke(asking(wire, "what is my number?"), config)
        chain.invoke(asking(wire, "again"), config)
        given = "\n".join(texts(model.asked[-1]))
        assert [n for n in range(len(ALIKE)) if f"n{n}n" in given] == [number]
