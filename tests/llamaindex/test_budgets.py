"""`get` at any budget of tokens: whole turns, tool exchanges in one piece, the newest turn always, never an error."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from llama_index.core.base.llms import types
from llama_index.core.base.llms.types import ChatMessage, ImageBlock, TextBlock

from memoryos_core import MemoryConfig, MemoryOS, WorkerConfig
from memoryos_core.stores.sql.store import SqlStore
from memoryos_core.values.commands import PageQuery
from memoryos_core.values.dialogue import Page
from memoryos_llamaindex.counting import MessageCounter
from memoryos_llamaindex.memory import MemoryOSMemory
from tests.llamaindex.conversing import said
from tests.llamaindex.scripted import calls_of

BUDGETS = [1, 2, 7, 20, 45, 60, 90, 130, 200, 350, 500, 800, 1500, 4000, 12000, 30000]
TOOL_CALL: Any = getattr(types, "ToolCallBlock", None)  # cores before 0.14 have none
Form = Literal["blocks", "kwargs"]
FORMS: list[Form] = ["blocks", "kwargs"] if TOOL_CALL is not None else ["kwargs"]
NO_RECALL = 1  # tokens: nothing is ever told in one


def user(text: str) -> ChatMessage:
    return ChatMessage(role="user", content=text)


def assistant(text: str) -> ChatMessage:
    return ChatMessage(role="assistant", content=text)


def calling(form: Form, *ids: str, size: int = 5) -> ChatMessage:
    arguments = {"city": "Porto " * size}
    if form == "blocks":
        return ChatMessage(
            role="assistant",
            blocks=[TOOL_CALL(tool_call_id=i, tool_name="weather", tool_kwargs=arguments) for i in ids],
        )
    calls = [{"id": i, "type": "function", "function": {"name": "weather", "arguments": str(arguments)}} for i in ids]
    return ChatMessage(role="assistant", content="", additional_kwargs={"tool_calls": calls})


def result(id: str, size: int = 3) -> ChatMessage:
    return ChatMessage(role="tool", content="rain " * size, additional_kwargs={"tool_call_id": id})


def turn(number: int, form: Form) -> list[ChatMessage]:
    """Turns of four kinds: plain, of one call, of two calls at once and one after, and a long one."""
    kind, asked, answer = number % 4, user(f"question {number}"), assistant(f"answer {number}")
    one, two, three = (f"call-{number}-{n}" for n in range(3))
    if kind == 0:
        return [asked, answer]
    if kind == 1:
        return [asked, calling(form, one), result(one), answer]
    if kind == 2:
        return [asked, calling(form, one, two), result(one), result(two), calling(form, three), result(three), answer]
    return [asked, calling(form, one, size=60), result(one, 90), assistant(f"answer {number} " * 30)]


def memory_in_ram() -> MemoryOS:
    return MemoryOS("sqlite://", embedder=None, config=MemoryConfig(worker=WorkerConfig(mode="manual")))


def session(memory: MemoryOS, limit: int = 30_000, **options: Any) -> MemoryOSMemory:
    options = {"user_id": "ann", "session_id": "today", **options}
    return MemoryOSMemory(memory=memory, token_limit=limit, **options)


def tokens(messages: Sequence[ChatMessage]) -> int:
    return sum(map(MessageCounter(session_tokenizer).count, messages))


def session_tokenizer(text: str) -> list[str]:
    """One token a word: what a test says is what counts."""
    return text.split()


def unfit(messages: Sequence[ChatMessage]) -> str:
    """Why no provider would take these; "" where each would."""
    waiting: set[str] = set()
    begun = False
    for at, message in enumerate(messages):
        role = message.role.value
        if role == "tool":
            if (id := message.additional_kwargs["tool_call_id"]) not in waiting:
                return f"{at}: a result without its call"
            waiting.discard(id)
            continue
        if waiting:
            return f"{at}: calls without results: {waiting}"
        if role == "assistant" and not begun:
            return f"{at}: the assistant begins"
        begun = begun or role == "user"
        waiting = {call.id for call in calls_of(message)}
    return f"the end: calls without results: {waiting}" if waiting else ""


def without_recall(messages: Sequence[ChatMessage]) -> list[ChatMessage]:
    """What is of the conversation: neither a leading message of ours nor ours before a question."""
    rest = [m for m in messages if not (m.role.value == "system" and "<memory>" in str(m.content))]
    for at, message in enumerate(rest):
        if message.role.value == "user" and "</memory>\n\n" in str(message.content):
            rest[at] = user(str(message.content).rpartition("</memory>\n\n")[2])
    return rest


# ------------------------------------------------------------------------------------------ sixteen budgets


@pytest.fixture(scope="module", params=FORMS)
def long_talk(request: pytest.FixtureRequest) -> Iterator[tuple[MemoryOS, list[list[ChatMessage]]]]:
    """A conversation of forty turns, and the turns."""
    turns = [turn(n, request.param) for n in range(40)]
    with memory_in_ram() as memory:
        for part in turns:
            session(memory).put_messages(part)
        yield memory, turns


def ends_of(turns: Sequence[Sequence[ChatMessage]]) -> list[list[ChatMessage]]:
    return [[m for part in turns[at:] for m in part] for at in range(len(turns))]


@pytest.mark.parametrize("budget_tokens", [NO_RECALL, 1000])
@pytest.mark.parametrize("limit", BUDGETS)
def test_any_budget_brings_whole_turns(
    long_talk: tuple[MemoryOS, list[list[ChatMessage]]], limit: int, budget_tokens: int
) -> None:
    memory, turns = long_talk
    ours = session(memory, limit, budget_tokens=budget_tokens, tokenizer_fn=session_tokenizer)
    got = ours.get()
    assert unfit(got) == ""
    shown = without_recall(got)
    assert shown in ends_of(turns)
    assert tokens(got) <= limit or got == turns[-1]
    if budget_tokens == NO_RECALL:
        assert got == shown
        longer = next((end for end in reversed(ends_of(turns)) if len(end) > len(got)), None)
        assert longer is None or tokens(longer) > limit, "one turn more would have fitted"


def test_a_larger_budget_never_brings_fewer_messages(long_talk: tuple[MemoryOS, list[list[ChatMessage]]]) -> None:
    memory, _ = long_talk
    brought = [len(session(memory, limit, budget_tokens=NO_RECALL).get()) for limit in range(1, 2500, 37)]
    assert brought == sorted(brought)
    assert brought[0] < brought[-1]


def test_recall_takes_no_more_than_a_third_of_the_conversations_room(
    long_talk: tuple[MemoryOS, list[list[ChatMessage]]],
) -> None:
    memory, _ = long_talk
    for limit in range(40, 1500, 61):
        plain = session(memory, limit - limit // 3, budget_tokens=NO_RECALL).get()
        assert len(without_recall(session(memory, limit).get())) >= len(plain), limit


@pytest.mark.parametrize("limit", BUDGETS)
def test_what_the_prompt_has_elsewhere_is_taken_off(
    long_talk: tuple[MemoryOS, list[list[ChatMessage]]], limit: int
) -> None:
    memory, _ = long_talk
    reference = session(memory, limit, budget_tokens=NO_RECALL).get()
    assert session(memory, limit + 400, budget_tokens=NO_RECALL).get(initial_token_count=400) == reference
    assert session(memory, limit + 400, budget_tokens=NO_RECALL).get(None, initial_token_count=400) == reference


# ------------------------------------------------------------------------------------------ the newest turn


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("limit", [1, 20, 100])
def test_a_turn_larger_than_the_budget_is_sent_whole_with_a_warning(
    memory: MemoryOS, caplog: pytest.LogCaptureFixture, form: Form, limit: int
) -> None:
    ours = session(memory, limit)
    ours.put_messages([*turn(0, form), *turn(3, form)])
    got = ours.get()
    assert got == turn(3, form)
    (record,) = [r for r in caplog.records if r.name == "memoryos_llamaindex.reading"]
    assert record.levelno == logging.WARNING
    assert str(limit) in record.getMessage()
    assert ours.get(initial_token_count=10**9) == got, "a prompt that is full already changes nothing of that"


def test_a_turn_that_fits_warns_of_nothing(memory: MemoryOS, caplog: pytest.LogCaptureFixture) -> None:
    ours = session(memory, 30)
    ours.put_messages([*turn(0, "kwargs"), *turn(4, "kwargs")])
    assert ours.get()
    assert [r for r in caplog.records if r.name.startswith("memoryos")] == []


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("limit", [1, 50, 30_000])
@pytest.mark.parametrize("rounds", [40, 80, 120, 230])
def test_a_turn_of_many_tools_stays_whole(memory: MemoryOS, form: Form, limit: int, rounds: int) -> None:
    """Beyond 150 messages the core begins another page in the middle of the turn."""
    ours = session(memory, limit, budget_tokens=NO_RECALL)
    ours.put_messages(turn(0, form))
    said_now = [user("go on")]
    for number in range(rounds):
        said_now += [calling(form, f"c{number}", size=1), result(f"c{number}", 1)]
    ours.put_messages(said_now)
    ours.put(assistant("done"))
    expected = [*said_now, assistant("done")]
    assert ours.get()[-len(expected) :] == expected
    assert unfit(ours.get()) == ""


@pytest.mark.parametrize("limit", [1, 60, 30_000])
def test_calls_that_wait_for_their_results_stay_and_lost_ones_go(memory: MemoryOS, limit: int) -> None:
    ours = session(memory, limit, budget_tokens=NO_RECALL)
    ours.put_messages(
        [user("a"), calling("kwargs", "x"), assistant("never mind"), user("b"), calling("kwargs", "y", "z")]
    )
    assert ours.get()[-2:] == [user("b"), calling("kwargs", "y", "z")]
    ours.put(result("y"))
    assert ours.get()[-3:] == [user("b"), calling("kwargs", "y", "z"), result("y")]
    ours.put(user("c"))
    assert unfit(ours.get()) == ""
    assert ours.get()[-1] == user("c")


@pytest.mark.parametrize("limit", [1, 15, 40, 30_000])
def test_a_window_has_no_hole(memory: MemoryOS, limit: int) -> None:
    """Also where the conversation was set anew: it begins with messages on show and goes on in pages."""
    ours = session(memory, limit, budget_tokens=NO_RECALL, tokenizer_fn=session_tokenizer)
    ours.put_messages([user("dropped"), assistant("dropped"), user("kept"), assistant("kept")])
    ours.set([user("kept"), assistant("kept")])
    ours.put_messages([user("large " * 60), assistant("large " * 60), user("small"), assistant("small")])
    everything = ours.get_all()
    got = ours.get()
    assert got == everything[len(everything) - len(got) :]
    assert len(got) == (6 if limit > 100 else 2)


def test_media_count(memory: MemoryOS) -> None:
    ours = session(memory, 600, budget_tokens=NO_RECALL)
    for number in range(4):
        image = ChatMessage(role="user", blocks=[ImageBlock(image=b"aWk="), TextBlock(text=f"{number}")])
        ours.put_messages([image, assistant("nice")])
    assert [str(m.content) for m in ours.get() if m.role.value == "user"] == ["2", "3"]


# ------------------------------------------------------------------------------------------ any conversation


def exchange(number: int, form: Form, ids: int, size: int) -> list[ChatMessage]:
    names = [f"{number}-{n}" for n in range(ids)]
    return [calling(form, *names, size=size), *(result(name, size) for name in names)] if ids else []


TURNS = st.tuples(
    st.integers(1, 2),  # questions in a row
    st.lists(st.integers(0, 3), max_size=3),  # calls of each round of tools
    st.integers(0, 40),  # words
    st.sampled_from(FORMS),
    st.booleans(),  # answered
)


def spoken(number: int, shape: tuple[int, list[int], int, Form, bool]) -> list[ChatMessage]:
    questions, rounds, words, form, answered = shape
    found = [user(f"{number} question {'word ' * words}") for _ in range(questions)]
    for at, ids in enumerate(rounds):
        found += exchange(number * 10 + at, form, ids, words)
    return [*found, assistant(f"{number} answer {'word ' * words}")] if answered else found


@settings(max_examples=40)
@given(
    st.lists(TURNS, min_size=1, max_size=8),
    st.lists(st.integers(1, 900), min_size=1, max_size=4).map(sorted),
    st.sampled_from([NO_RECALL, 300]),
    st.booleans(),
)
def test_any_conversation_at_any_budget(
    shapes: list[tuple[int, list[int], int, Form, bool]], limits: list[int], budget_tokens: int, piecemeal: bool
) -> None:
    messages = [m for number, shape in enumerate(shapes) for m in spoken(number, shape)]
    starts = [at for at, m in enumerate(messages) if m.role.value == "user"]
    with memory_in_ram() as memory:
        for part in [[m] for m in messages] if piecemeal else [messages]:
            session(memory).put_messages(part)
        assert session(memory).get_all() == messages
        before = -1
        for limit in limits:
            ours = session(memory, limit, budget_tokens=budget_tokens, tokenizer_fn=session_tokenizer)
            got = ours.get()
            shown = without_recall(got)
            assert unfit(got) == ""
            assert shown in [messages[at:] for at in starts]
            assert tokens(got) <= limit or got == messages[starts[-1] :]
            assert ours.get() == got
            if budget_tokens == NO_RECALL:
                assert len(got) >= before
                before = len(got)


# ------------------------------------------------------------------------------------------ reading changes nothing


def test_what_is_read_is_the_callers_to_change(memory: MemoryOS) -> None:
    session(memory, session_id="earlier").put(user("My dog is called Biscuit"))
    ours = session(memory)
    ours.put_messages([*turn(1, FORMS[0]), user("What is my dog called?")])
    for read in (ours.get, ours.get_all):
        first, second = read(), read()
        assert first == second
        expected = [m.model_copy(deep=True) for m in first]
        for message in first:
            message.blocks.append(TextBlock(text="Current state: changed"))
            message.additional_kwargs["changed"] = {"deep": []}
            message.role = types.MessageRole.SYSTEM
        first.clear()
        assert second == expected
        assert read() == expected


def test_what_was_put_is_the_callers_to_change(memory: MemoryOS) -> None:
    ours, given = session(memory), turn(2, FORMS[0])
    ours.put_messages(given)
    for message in given:
        message.blocks.clear()
        message.additional_kwargs.clear()
    assert ours.get_all() == turn(2, FORMS[0])


def counted(memory: MemoryOS) -> int:
    ann = memory.user("ann")
    ann.consolidate()
    return sum(segment.n_visit for segment in ann.segments())


def test_a_turn_visits_what_it_recalls_once_however_often_it_reads(memory: MemoryOS) -> None:
    earlier = session(memory, session_id="earlier")
    for number in range(18):
        earlier.put_messages([user(f"My dog Biscuit ate {number} bones"), assistant("Oh dear.")])
    memory.flush()
    start = counted(memory)
    ours = session(memory)
    ours.put(user("What did my dog Biscuit eat?"))
    ours.get()
    once = counted(memory) - start
    assert once > 0
    for _ in range(5):
        ours.get()
        ours.get(input="What did my dog Biscuit eat?")
        session(memory).get(initial_token_count=0)
    assert counted(memory) - start == once
    ours.put_messages([assistant("Bones."), user("What did my dog Biscuit eat?")])
    ours.get()
    assert counted(memory) - start == 2 * once, "the same question in another turn is another visit"


def test_get_all_and_set_and_put_visit_nothing(memory: MemoryOS) -> None:
    earlier = session(memory, session_id="earlier")
    for number in range(15):
        earlier.put_messages([user(f"My dog Biscuit ate {number} bones"), assistant("Oh dear.")])
    memory.flush()
    start = counted(memory)
    ours = session(memory)
    ours.set([user("What did my dog Biscuit eat?")])
    ours.put(assistant("Bones."))
    ours.get_all()
    assert counted(memory) == start


# ------------------------------------------------------------------------------------------ long conversations


class Counting(SqlStore):
    """A real store that counts the pages it was asked for."""

    brought = 0

    def pages(self, query: PageQuery) -> tuple[Page, ...]:
        found = super().pages(query)
        self.brought += len(found)
        return found


def test_a_long_conversation_is_read_from_its_end(path: str) -> None:
    store = Counting(path)
    manual = MemoryConfig(worker=WorkerConfig(mode="manual"))
    # Three tokens a turn, whatever counts elsewhere: 67 turns are wanted, which two reads of 32 and 64 pages bring.
    with MemoryOS(store, embedder=None, config=manual, token_counter=lambda text: len(text.split())) as memory:
        ours = session(memory, 200, budget_tokens=NO_RECALL)
        ours.put_messages([m for number in range(1000) for m in (user(f"question {number}"), assistant("yes"))])
        assert len(ours.get_all()) == 2000
        store.brought = 0
        got = ours.get()
        assert 4 <= len(got) < 60
        read_once = store.brought
        assert len(got) // 2 <= read_once <= 160, "the window, and what one recall looks into"
        ours.put(user("question 1000"))
        assert store.brought - read_once <= 2, "a message is added without reading what was said"


def test_the_whole_conversation_is_there_at_a_large_budget(memory: MemoryOS) -> None:
    ours = session(memory, 10**6, budget_tokens=NO_RECALL)
    messages = [m for number in range(200) for m in (user(f"question {number}"), assistant("yes"))]
    ours.put_messages(messages)
    memory.flush()
    assert said(ours.get()) == said(messages) == said(ours.get_all())
