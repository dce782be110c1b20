"""The chat history by itself: what it shows, keeps, ends, and never shows to somebody else."""

from __future__ import annotations

import asyncio
import logging
import warnings
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import UUID

import pytest
from blockbuster import BlockBuster, BlockingError
from langchain_core.chat_history import BaseChatMessageHistory
from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    RemoveMessage,
    SystemMessage,
    ToolMessage,
    convert_to_openai_messages,
    trim_messages,
)
from langgraph.graph.message import REMOVE_ALL_MESSAGES

from memoryos_core import (
    AsyncMemoryOS,
    ClosedError,
    InvalidInputError,
    MemoryConfig,
    MemoryOS,
    ShortTermConfig,
    WorkerConfig,
)
from memoryos_langchain.history import MemoryOSChatMessageHistory, memory_history_factory


def turn(number: int) -> list[BaseMessage]:
    return [HumanMessage(f"question {number}", id=f"h{number}"), AIMessage(f"answer {number}", id=f"a{number}")]


def exchange(number: int) -> list[BaseMessage]:
    """A turn with two calls made at once, and another one after."""
    first, second, third = (f"call-{number}-{n}" for n in range(3))
    return [
        HumanMessage(f"weather {number}?", id=f"h{number}"),
        AIMessage("", id=f"c{number}", tool_calls=[call(first), call(second)]),
        ToolMessage("rain", tool_call_id=first, id=f"r{number}"),
        ToolMessage("wind", tool_call_id=second, id=f"w{number}"),
        AIMessage("let me see", id=f"d{number}", tool_calls=[call(third)]),
        ToolMessage("hail", tool_call_id=third, id=f"z{number}"),
        AIMessage("stay at home", id=f"a{number}"),
    ]


def call(id: str) -> Any:
    return {"name": "weather", "args": {}, "id": id, "type": "tool_call"}


def texts(messages: Sequence[BaseMessage]) -> list[str]:
    return [m.text for m in messages]


def ids(messages: Sequence[BaseMessage]) -> list[str | None]:
    return [m.id for m in messages]


def fits_a_model(messages: Sequence[BaseMessage]) -> bool:
    """What providers insist on: the user speaks first, and calls are followed by all of their results and no others."""
    waiting: set[str] = set()
    for message in messages:
        if isinstance(message, ToolMessage):
            if message.tool_call_id not in waiting:
                return False
            waiting.discard(message.tool_call_id)
            continue
        if waiting:
            return False
        waiting = {str(c["id"]) for c in message.tool_calls} if isinstance(message, AIMessage) else set()
    return not waiting and (not messages or isinstance(messages[0], HumanMessage))


@pytest.fixture
def history(memory: MemoryOS) -> MemoryOSChatMessageHistory:
    return MemoryOSChatMessageHistory(memory, "monday", user_id="ann")


# ------------------------------------------------------------------------------------------ reading and writing


def test_every_way_of_adding_is_kept_in_order(history: MemoryOSChatMessageHistory) -> None:
    history.add_user_message("one")
    history.add_ai_message("two")
    history.add_message(HumanMessage("three"))
    history.add_messages([AIMessage("four"), HumanMessage("five")])
    history.add_ai_message(AIMessage("six"))
    history.add_messages([])
    assert texts(history.messages) == ["one", "two", "three", "four", "five", "six"]
    assert str(history) == "Human: one\nAI: two\nHuman: three\nAI: four\nHuman: five\nAI: six"


def test_what_is_read_is_what_was_added(history: MemoryOSChatMessageHistory) -> None:
    said = [HumanMessage([{"type": "image", "base64": "aWk="}], id="i", name="Ann"), *exchange(1)[1:]]
    history.add_messages(said)
    assert history.messages == said
    assert history.transcript() == said


def test_messages_without_an_id_come_back_without(history: MemoryOSChatMessageHistory) -> None:
    said = [HumanMessage("Hi"), AIMessage("Hello")]
    history.add_messages(said)
    assert history.messages == history.messages == history.transcript() == said


def test_a_removal_is_applied_and_not_handed_out(history: MemoryOSChatMessageHistory) -> None:
    history.add_messages([HumanMessage("one", id="1"), AIMessage("two", id="2")])
    history.add_messages([RemoveMessage("2"), AIMessage("again", id="3"), RemoveMessage("of no message")])
    assert texts(history.messages) == texts(history.transcript()) == ["one", "again"]
    assert [m["content"] for m in convert_to_openai_messages(history.messages)] == ["one", "again"]
    history.add_messages([RemoveMessage(REMOVE_ALL_MESSAGES), HumanMessage("anew", id="4")])
    assert texts(history.messages) == texts(history.transcript()) == ["anew"]


def test_what_was_removed_is_not_recalled_beside_the_turns_it_was_removed_from(memory: MemoryOS) -> None:
    history = MemoryOSChatMessageHistory(memory, "monday", user_id="ann", include_recall=True)
    history.add_messages([HumanMessage("Who sings?", id="1"), AIMessage("The whale sings", id="2")])
    history.add_messages([RemoveMessage("2"), HumanMessage("Who sings, please?", id="3")])
    assert "whale" not in str(history)


def test_the_same_message_may_be_said_twice(history: MemoryOSChatMessageHistory) -> None:
    yes = HumanMessage("yes", id="same")
    history.add_messages([yes, AIMessage("ok"), yes])
    history.add_message(AIMessage("ok"))
    assert texts(history.messages) == ["yes", "ok", "yes", "ok"]


@pytest.mark.parametrize("pin", [True, False])
def test_what_is_handed_out_is_the_callers(memory: MemoryOS, pin: bool) -> None:
    history = MemoryOSChatMessageHistory(memory, "s", pin=pin)
    history.add_messages(turn(1))
    first = history.messages
    assert type(first) is list
    first[0].content = "changed"
    first[0].additional_kwargs["changed"] = True
    first.pop()
    assert history.messages == turn(1)


def test_making_one_touches_nothing(memory: MemoryOS) -> None:
    memory.close()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        history = MemoryOSChatMessageHistory(memory, "monday", user_id="ann", include_recall=True, pin=True)
    assert isinstance(history, BaseChatMessageHistory)
    with pytest.raises(ClosedError):
        history.messages  # noqa: B018 - reading is what raises


@pytest.mark.parametrize("session", [7, UUID(int=7), "any string / at all % _ ☂"])
def test_a_session_is_named_as_the_application_names_it(memory: MemoryOS, session: str | int | UUID) -> None:
    MemoryOSChatMessageHistory(memory, session).add_messages(turn(1))
    assert MemoryOSChatMessageHistory(memory, str(session)).messages == turn(1)


@pytest.mark.parametrize("bad", ["", " ", "x" * 600, 1.5, "\x00", b"s", None])
def test_a_session_or_user_that_is_none_is_refused(memory: MemoryOS, bad: Any) -> None:
    with pytest.raises(InvalidInputError):
        MemoryOSChatMessageHistory(memory, bad)
    if bad is not None:
        with pytest.raises(InvalidInputError):
            MemoryOSChatMessageHistory(memory, "s", user_id=bad)


def test_it_outlives_the_process(memory: MemoryOS, path: str) -> None:
    MemoryOSChatMessageHistory(memory, "monday", user_id="ann").add_messages(exchange(1))
    memory.close()
    with MemoryOS(path, embedder=None) as again:
        assert MemoryOSChatMessageHistory(again, "monday", user_id="ann").messages == exchange(1)


# ------------------------------------------------------------------------------------------ the view


def test_the_view_is_bounded_and_the_transcript_is_not(history: MemoryOSChatMessageHistory, memory: MemoryOS) -> None:
    said = [m for number in range(40) for m in turn(number)]
    history.add_messages(said)
    memory.flush()
    assert history.messages == said[-20:]
    assert history.transcript() == said


@pytest.mark.parametrize("tokens", [3, 12, 40])
def test_a_view_of_any_size_fits_a_model_after_every_message(path: str, tokens: int) -> None:
    config = MemoryConfig(short_term=ShortTermConfig(capacity_tokens=tokens), worker=WorkerConfig(mode="manual"))
    with MemoryOS(path, embedder=None, config=config) as small:
        history = MemoryOSChatMessageHistory(small, "s")
        for message in [*exchange(1), *turn(2), *exchange(3)]:
            history.add_message(message)
            shown = history.messages
            due = [m for m in shown if isinstance(m, AIMessage) and m.tool_calls]
            # Calls that are last may still be answered; all that is before them must fit.
            pending = due and not fits_a_model(shown)
            assert fits_a_model(shown[: shown.index(due[-1])] if pending else shown), ids(shown)
            assert ids([message]) == ids(shown[-1:])


def test_half_of_a_tool_exchange_is_not_shown(history: MemoryOSChatMessageHistory) -> None:
    lost = [
        HumanMessage("and?", id="h"),
        AIMessage("", tool_calls=[call("x"), call("y")], id="c"),
        ToolMessage("1", tool_call_id="x", id="r"),
        AIMessage("never mind", id="a"),
        ToolMessage("of nothing", tool_call_id="z", id="o"),
    ]
    history.add_messages([*lost, *turn(1)])
    assert ids(history.messages) == ["h", "a", "h1", "a1"]
    assert history.transcript() == [*lost, *turn(1)]


def test_the_view_begins_with_the_user(history: MemoryOSChatMessageHistory) -> None:
    history.add_ai_message("Welcome")
    assert texts(history.messages) == ["Welcome"], "what there is to show, while the user has said nothing"
    history.add_messages(turn(1))
    assert history.messages == turn(1)
    assert texts(history.transcript()) == ["Welcome", "question 1", "answer 1"]


def test_instructions_before_the_first_question_stay_with_it(history: MemoryOSChatMessageHistory) -> None:
    brief = SystemMessage("Be brief", id="s")
    history.add_messages([AIMessage("Welcome"), brief, *turn(1)])
    assert history.messages == [brief, *turn(1)]


def test_trimming_it_further_leaves_it_whole(history: MemoryOSChatMessageHistory) -> None:
    history.add_messages([*turn(1), *exchange(2)])
    trimmed = trim_messages(history.messages, max_tokens=8, token_counter=len, strategy="last", start_on="human")
    assert trimmed == exchange(2)


# ------------------------------------------------------------------------------------------ a pinned view


def test_a_pinned_view_stays_until_its_own_write(memory: MemoryOS) -> None:
    mine, other = (MemoryOSChatMessageHistory(memory, "s", pin=pin) for pin in (True, False))
    assert mine.messages == []
    other.add_messages(turn(1))
    assert mine.messages == []
    assert other.messages == turn(1)
    mine.add_messages(turn(2))
    assert mine.messages == [*turn(1), *turn(2)]
    other.add_messages(turn(3))
    assert len(mine.messages) == 4
    mine.clear()
    assert mine.messages == []


def test_a_pinned_view_stays_when_memory_moves_its_pages(memory: MemoryOS) -> None:
    history = MemoryOSChatMessageHistory(memory, "s", pin=True, include_recall=True)
    history.add_messages([m for number in range(30) for m in turn(number)])
    before = history.messages
    memory.flush()
    assert memory.stats().pages_mid_term > 0
    assert history.messages == before


def test_a_write_that_fails_leaves_the_pinned_view(memory: MemoryOS, caplog: pytest.LogCaptureFixture) -> None:
    history = MemoryOSChatMessageHistory(memory, "s", pin=True)
    history.add_messages(turn(1))
    before = history.messages
    memory.close()
    with pytest.raises(ClosedError):
        history.add_messages(turn(2))
    assert history.messages == before
    (line,) = caplog.records
    assert (line.levelno, line.name) == (logging.ERROR, "memoryos_langchain.history")
    assert line.getMessage() == "2 messages could not be written: ClosedError"


# ------------------------------------------------------------------------------------------ the end of a session


def test_clearing_ends_the_session_and_forgets_nothing(memory: MemoryOS, path: str) -> None:
    history = MemoryOSChatMessageHistory(memory, "s", user_id="ann")
    history.add_messages([HumanMessage("I moved to Lisbon"), AIMessage("Nice")])
    facts = memory.user("ann").remember("Has a dog")
    history.clear()
    assert history.messages == history.transcript() == []
    assert "Lisbon" in memory.user("ann").recall("Where did I move?").text
    history.add_messages(turn(2))
    memory.close()
    # Nobody consolidates: else the first question reads the session that has ended, and its move to Lisbon is a fact.
    with MemoryOS(path, embedder=None, config=MemoryConfig(worker=WorkerConfig(mode="manual"))) as again:
        reopened = MemoryOSChatMessageHistory(again, "s", user_id="ann")
        assert reopened.messages == reopened.transcript() == turn(2)
        assert "Lisbon" in again.user("ann").recall("Where did I move?").text
        assert [f.id for f in again.user("ann").facts()] == [facts.id]


def test_what_was_cleared_is_not_recalled_in_this_session(memory: MemoryOS) -> None:
    history = MemoryOSChatMessageHistory(memory, "s", user_id="ann", include_recall=True)
    history.add_messages([HumanMessage("I moved to Lisbon"), AIMessage("Nice")])
    assert history.clear() is None
    history.add_messages([HumanMessage("Where did I move?"), AIMessage("I do not know")])
    assert "Lisbon" not in "".join(texts(history.messages))
    beside = MemoryOSChatMessageHistory(memory, "t", user_id="ann", include_recall=True)
    beside.add_messages([HumanMessage("Where did I move?"), AIMessage("I do not know")])
    assert "Lisbon" in texts(beside.messages)[0]


@pytest.mark.parametrize("coroutine", [False, True])
async def test_clearing_erases_a_session_where_it_is_told_to(memory: MemoryOS, coroutine: bool) -> None:
    history = MemoryOSChatMessageHistory(memory, "s", user_id="ann", pin=True)
    MemoryOSChatMessageHistory(memory, "t", user_id="ann").add_messages(turn(1))
    history.add_messages([HumanMessage("I moved to Lisbon"), AIMessage("Nice")])
    history.clear()
    history.add_messages(turn(2))
    receipt = await history.aclear(erase=True) if coroutine else history.clear(erase=True)
    assert receipt is not None
    assert receipt.pages == 2, "what was cleared before as well"
    assert history.messages == []
    assert "Lisbon" not in memory.user("ann").recall("Where did I move?").text
    assert MemoryOSChatMessageHistory(memory, "t", user_id="ann").messages == turn(1)


@pytest.mark.parametrize("coroutine", [False, True])
async def test_clearing_erases_a_session_that_nobody_else_can_reach(memory: MemoryOS, coroutine: bool) -> None:
    history, other = MemoryOSChatMessageHistory(memory, "s"), MemoryOSChatMessageHistory(memory, "t")
    for one in (history, other):
        one.add_messages([HumanMessage("I moved to Lisbon"), AIMessage("Nice")])
    memory.user("session:s", session_id="s").remember("Has a dog")
    receipt = await history.aclear() if coroutine else history.clear()
    assert receipt is not None
    assert (receipt.pages, receipt.facts) == (1, 1)
    assert [scope.user_id for scope in memory.scopes()] == ["session:t"]
    assert history.messages == []
    assert texts(other.messages) == ["I moved to Lisbon", "Nice"]
    history.add_messages(turn(1))
    assert history.messages == turn(1)


def test_clearing_leaves_other_sessions_alone(memory: MemoryOS) -> None:
    for session in ("s", "S", "s1", "%", "_"):
        MemoryOSChatMessageHistory(memory, session, user_id="ann").add_messages(turn(1))
    MemoryOSChatMessageHistory(memory, "%", user_id="ann").clear()
    MemoryOSChatMessageHistory(memory, "s", user_id="ann").clear()
    for session, left in (("s", []), ("S", turn(1)), ("s1", turn(1)), ("%", []), ("_", turn(1))):
        assert MemoryOSChatMessageHistory(memory, session, user_id="ann").messages == left


# ------------------------------------------------------------------------------------------ what is remembered


def test_what_is_remembered_is_not_among_the_messages(memory: MemoryOS) -> None:
    memory.user("ann", session_id="old").add("My dog Biscuit fears thunder", "Poor Biscuit")
    history = MemoryOSChatMessageHistory(memory, "new", user_id="ann")
    history.add_messages([HumanMessage("What does my dog fear?", id="h"), AIMessage("I do not know", id="a")])
    assert ids(history.messages) == ["h", "a"]


@pytest.mark.parametrize(
    "instructions",
    [None, SystemMessage("Be brief", id="s"), SystemMessage([{"type": "text", "text": "Be brief"}], id="s")],
)
def test_it_comes_first_in_one_system_message_on_demand(memory: MemoryOS, instructions: SystemMessage | None) -> None:
    memory.user("ann", session_id="old").add("My dog Biscuit fears thunder", "Poor Biscuit")
    history = MemoryOSChatMessageHistory(memory, "new", user_id="ann", include_recall=True)
    said = [HumanMessage("What does my dog fear?", id="h"), AIMessage("I do not know", id="a")]
    history.add_messages([instructions, *said] if instructions else said)
    first, *rest = history.messages
    assert isinstance(first, SystemMessage)
    assert "thunder" in first.text
    assert first.text.startswith("Be brief") == bool(instructions)
    assert first.text.count("What does my dog fear?") == 0, "what is shown below is not repeated"
    assert rest == said
    assert history.messages[0] == first
    assert history.transcript() == ([instructions, *said] if instructions else said)


def test_nothing_remembered_is_no_message(memory: MemoryOS) -> None:
    history = MemoryOSChatMessageHistory(memory, "new", user_id="ann", include_recall=True)
    assert history.messages == []
    history.add_messages(turn(1))
    assert history.messages == turn(1)


# ------------------------------------------------------------------------------------------ whose it is

ALIKE = ("user-1", "user-10", "user-", "USER-1", "user_1", "user%", "%", "_", "user-1 ", "üser-1", "user-1'--")


def test_users_whose_ids_are_alike_see_only_their_own(memory: MemoryOS) -> None:
    for number, user in enumerate(ALIKE):
        MemoryOSChatMessageHistory(memory, "s", user_id=user, include_recall=True).add_messages(turn(number))
    for number, user in enumerate(ALIKE):
        other = MemoryOSChatMessageHistory(memory, "s2", user_id=user, include_recall=True)
        other.add_messages([HumanMessage("question?", id="q")])
        recalled = other.messages[0]
        assert f"question {number}\n" in recalled.text
        assert recalled.text.count("question ") == 1
        assert MemoryOSChatMessageHistory(memory, "s", user_id=user).messages == turn(number)


def test_sessions_whose_ids_are_alike_are_apart(memory: MemoryOS) -> None:
    for number, session in enumerate(ALIKE):
        MemoryOSChatMessageHistory(memory, session, user_id="ann").add_messages(turn(number))
    for number, session in enumerate(ALIKE):
        history = MemoryOSChatMessageHistory(memory, session, user_id="ann")
        assert history.messages == history.transcript() == turn(number)


def test_without_a_user_a_session_knows_nothing_of_another(memory: MemoryOS) -> None:
    MemoryOSChatMessageHistory(memory, "one").add_messages([HumanMessage("My PIN is 4711"), AIMessage("Noted")])
    history = MemoryOSChatMessageHistory(memory, "two", include_recall=True)
    history.add_user_message("What is my PIN?")
    assert texts(history.messages) == ["What is my PIN?"]


def test_without_a_user_a_session_is_not_the_user_of_that_name(memory: MemoryOS) -> None:
    memory.user("ann", session_id="ann").add("My PIN is 4711")
    for history in (MemoryOSChatMessageHistory(memory, "ann"), MemoryOSChatMessageHistory(memory, "ann", user_id=None)):
        history.add_user_message("What is my PIN?")
    assert memory.users() == ["ann", "session:ann"]
    assert texts(history.transcript()) == ["What is my PIN?"] * 2


@pytest.mark.parametrize("wrong", ["secret", {"secret": 1}, None, HumanMessage("secret"), ["secret"], [None]])
def test_what_is_no_list_of_messages_is_refused(memory: MemoryOS, wrong: Any) -> None:
    history = MemoryOSChatMessageHistory(memory, "s")
    with pytest.raises(InvalidInputError, match="a list of LangChain's BaseMessage") as refused:
        history.add_messages(wrong)
    assert "secret" not in str(refused.value)
    assert history.transcript() == []


def test_what_is_no_memory_is_refused(memory: MemoryOS) -> None:
    for wrong in (AsyncMemoryOS.of(memory), "memory.db", None):
        with pytest.raises(InvalidInputError, match="expected a MemoryOS"):
            MemoryOSChatMessageHistory(wrong, "s")  # type: ignore[arg-type]


def test_assistants_are_apart(memory: MemoryOS) -> None:
    MemoryOSChatMessageHistory(memory, "s", user_id="ann", assistant_id="cook").add_messages(turn(1))
    assert MemoryOSChatMessageHistory(memory, "s", user_id="ann").messages == []
    assert MemoryOSChatMessageHistory(memory, "s", user_id="ann", assistant_id="cook").messages == turn(1)


# ------------------------------------------------------------------------------------------ coroutines and threads


async def test_the_coroutines_do_the_same_and_never_block_the_loop(memory: MemoryOS) -> None:
    history = MemoryOSChatMessageHistory(memory, "s", user_id="ann", include_recall=True)
    guard = BlockBuster()
    guard.activate()
    try:
        await history.aadd_messages(exchange(1))
        shown, everything = await asyncio.gather(history.aget_messages(), history.atranscript())
        await history.aclear()
        after = await history.aget_messages(), await history.atranscript()
        with pytest.raises(BlockingError):
            history.transcript()
    finally:
        guard.deactivate()
    assert shown == everything == exchange(1)
    assert after[1] == []
    assert [type(m) for m in after[0]] in ([], [SystemMessage])


async def test_a_failed_write_is_told_to_a_coroutine_too(memory: MemoryOS, caplog: pytest.LogCaptureFixture) -> None:
    history = MemoryOSChatMessageHistory(memory, "s")
    memory.close()
    with pytest.raises(ClosedError):
        await history.aadd_messages([HumanMessage("secret")])
    assert [(r.levelno, "secret" in r.getMessage()) for r in caplog.records] == [(logging.ERROR, False)]


@pytest.mark.parametrize("pin", [True, False])
def test_one_object_serves_threads_and_loops(memory: MemoryOS, pin: bool) -> None:
    history = MemoryOSChatMessageHistory(memory, "s", user_id="ann", pin=pin)

    async def talk(number: int) -> None:
        await history.aadd_messages(turn(number))
        await history.aget_messages()

    def work(number: int) -> None:
        if number % 2:
            history.add_messages(turn(number))
            assert history.messages
        else:
            loop = asyncio.new_event_loop()
            loop.run_until_complete(talk(number))
            loop.close()

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(work, range(24)))
    said = history.transcript()
    # Turns may come in any order; none is lost, and none is torn apart.
    assert sorted(texts(said[::2])) == sorted(f"question {n}" for n in range(24))
    assert [q.text.split()[1] for q in said[::2]] == [a.text.split()[1] for a in said[1::2]]


def test_the_newest_turns_of_a_session_are_sent_and_recall_brings_the_older_ones(memory: MemoryOS) -> None:
    most = memory.config.short_term.capacity_pages
    said = MemoryOSChatMessageHistory(memory, "long", user_id="ann")
    said.add_messages([HumanMessage("The code word is zanzibar."), AIMessage("Noted.")])
    for number in range(most + 2):
        said.add_messages([HumanMessage(f"Question {number}?"), AIMessage("ok")])
    said.add_messages([HumanMessage("What is the code word?")])
    assert sum(m.type == "human" for m in said.messages) == most
    assert "zanzibar" not in str(said.messages)
    assert "zanzibar" in str(said.transcript())
    recalling = memory_history_factory(memory, include_recall=True)(user_id="ann", conversation_id="long")
    assert "zanzibar" in recalling.messages[0].text
