"""`MemoryOSMemory` by itself: what it gives to a prompt, what it keeps, and how it finds its keys."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest
from blockbuster import BlockBuster
from langchain_core.documents import Document
from langchain_core.load import dumps
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from pydantic import ValidationError

from memoryos_core import AsyncMemoryOS, MemoryOS
from memoryos_langchain.classic import MemoryOSMemory

TORTOISE = "My tortoise is called Archimedes"


@pytest.fixture
def seeded(memory: MemoryOS) -> MemoryOS:
    memory.user("ada", session_id="long ago").add(TORTOISE, "A fine name")
    memory.user("bob", session_id="long ago").add("My tortoise is called Gallop", "Ironic")
    return memory


def of_ada(memory: MemoryOS, **fields: Any) -> MemoryOSMemory:
    return MemoryOSMemory(memory=memory, user_id="ada", session_id="now", **fields)


def kept(memory: MemoryOS) -> list[tuple[str, str]]:
    return [(m.role, m.text) for m in memory.user("ada", session_id="now").transcript()]


# ----------------------------------------------------------------------------------------------- what a prompt is given


def test_an_empty_memory_gives_an_empty_text_or_list(memory: MemoryOS) -> None:
    assert of_ada(memory).load_memory_variables({}) == {"history": ""}
    assert of_ada(memory, return_messages=True).load_memory_variables({"input": "Hello"}) == {"history": []}


def test_the_text_is_what_is_remembered_and_then_the_recent_turns(seeded: MemoryOS) -> None:
    chain_memory = of_ada(seeded, human_prefix="Ada", ai_prefix="Tutor")
    chain_memory.save_context({"input": "I feed the tortoise lettuce"}, {"output": "Good"})
    text = chain_memory.load_memory_variables({"input": "What does my tortoise eat?"})["history"]
    remembered, recent = text.split("</memory>\n\n")
    assert TORTOISE in remembered
    assert "Gallop" not in text
    assert recent == "Ada: I feed the tortoise lettuce\nTutor: Good"
    assert text.count("lettuce") == 1, "a recent turn is not recalled beside itself"


def test_messages_are_one_system_message_and_the_recent_turns(seeded: MemoryOS) -> None:
    chain_memory = of_ada(seeded, return_messages=True, memory_key="chat_history")
    chain_memory.save_context({"input": "I feed the tortoise lettuce"}, {"output": "Good"})
    assert chain_memory.memory_variables == ["chat_history"]
    found = chain_memory.load_memory_variables({"input": "What does my tortoise eat?"})["chat_history"]
    assert [m.type for m in found] == ["system", "human", "ai"]
    assert TORTOISE in found[0].text
    assert "lettuce" not in found[0].text


@pytest.mark.parametrize("fields", [{}, {"return_messages": True}, {"include_recall": False}])
def test_without_a_question_it_gives_the_recent_turns_only(seeded: MemoryOS, fields: dict[str, Any]) -> None:
    chain_memory = of_ada(seeded, **fields)
    chain_memory.save_context({"input": "Hello"}, {"output": "Good morning"})
    inputs = {"input": "tortoise"} if "include_recall" in fields else {}
    found = chain_memory.load_memory_variables(inputs)["history"]
    if isinstance(found, list):
        found = "\n".join(m.text for m in found)
    assert "Hello" in found
    assert "tortoise" not in found


def test_the_list_is_the_callers_own(memory: MemoryOS) -> None:
    chain_memory = of_ada(memory, return_messages=True)
    chain_memory.save_context({"input": "Hello"}, {"output": "Good morning"})
    chain_memory.load_memory_variables({})["history"].clear()
    assert len(chain_memory.load_memory_variables({})["history"]) == 2


def test_the_budget_bounds_what_is_recalled(memory: MemoryOS) -> None:
    user = memory.user("ada", session_id="long ago")
    for place in range(30):
        user.add(f"The tortoise ate lettuce number {place} in the garden this morning")
    short, long = (
        of_ada(memory, budget_tokens=budget).load_memory_variables({"input": "tortoise lettuce"})["history"]
        for budget in (100, 2000)
    )
    assert 1 <= short.count("lettuce number") < long.count("lettuce number")


# -------------------------------------------------------------------------------------------------------- what it keeps


@pytest.mark.parametrize(
    ("said", "answered"),
    [
        ("Hello", "Hi"),
        (HumanMessage("Hello"), AIMessage("Hi")),
        ([HumanMessage("Hello")], [AIMessage("Hi")]),
        ([SystemMessage("Be brief"), HumanMessage("Hello")], ["Hi"]),
        ([("user", "Hello")], AIMessage([{"type": "text", "text": "Hi"}])),
    ],
)
def test_texts_messages_and_lists_are_kept(memory: MemoryOS, said: Any, answered: Any) -> None:
    of_ada(memory).save_context({"input": said}, {"output": answered})
    assert kept(memory) == [("user", "Hello"), ("assistant", "Hi")]


@pytest.mark.parametrize(
    ("inputs", "outputs", "fields"),
    [
        ({"anything": "Q"}, {"whatever": "A"}, {}),
        ({"ask": "Q", "history": "old turns", "stop": ["\n"]}, {"text": "A"}, {}),
        ({"input": "Q", "context": "documents"}, {"answer": "A", "source_documents": [Document("x")]}, {}),
        ({"human_input": "Q", "style": "terse"}, {"result": "A", "source_documents": []}, {}),
        ({"input": "Q", "question": "other"}, {"output": "A", "intermediate_steps": [], "answer": "other"}, {}),
        ({"question": "Q", "lang": "en"}, {"response": "A", "full_generation": []}, {}),
        ({"a": "other", "b": "Q"}, {"c": "other", "d": "A"}, {"input_key": "b", "output_key": "d"}),
        ({"input": "other", "b": "Q"}, {"output_text": "A", "more": 1}, {"input_key": "b"}),
    ],
)
def test_the_question_and_the_answer_are_found(
    memory: MemoryOS, inputs: dict[str, Any], outputs: dict[str, Any], fields: dict[str, str]
) -> None:
    chain_memory = of_ada(memory, **fields)
    chain_memory.load_memory_variables(inputs)
    chain_memory.save_context(inputs, outputs)
    assert kept(memory) == [("user", "Q"), ("assistant", "A")]


@pytest.mark.parametrize(
    ("inputs", "outputs", "fields", "says"),
    [
        ({"one": "secret", "two": "secret"}, {"output": "A"}, {}, r"input_key=None .*'one', 'two'"),
        ({"question": "secret", "query": "secret"}, {"output": "A"}, {}, r"input_key=None .*'query', 'question'"),
        ({"input": "secret"}, {"output": "A"}, {"input_key": "ask"}, r"input_key='ask' .*'input'"),
        ({"input": "secret"}, {"one": "A", "two": "B"}, {}, r"output_key=None .*'one', 'two'"),
        ({"input": "secret"}, {"answer": "A", "text": "B"}, {}, r"output_key=None .*'answer', 'text'"),
        ({"input": "secret"}, {"text": "A"}, {"output_key": "answer"}, r"output_key='answer' .*'text'"),
        ({"history": "x"}, {"text": "A"}, {}, r"input_key=None .*no keys at all"),
        ({"input": {"secret": 1}}, {"text": "A"}, {}, r"got dict"),
        ({"input": "secret"}, {"text": 7}, {}, r"got int"),
    ],
)
def test_what_cannot_be_told_is_an_error_that_names_the_keys(
    memory: MemoryOS, inputs: dict[str, Any], outputs: dict[str, Any], fields: dict[str, str], says: str
) -> None:
    with pytest.raises(ValueError, match=says) as refused:
        of_ada(memory, **fields).save_context(inputs, outputs)
    assert "secret" not in str(refused.value)
    assert kept(memory) == []


def test_an_ambiguous_question_is_refused_before_a_model_is_asked(memory: MemoryOS) -> None:
    with pytest.raises(ValueError, match="input_key=None"):
        of_ada(memory).load_memory_variables({"one": "Q", "two": "Q"})


def test_clearing_ends_the_session_and_forgets_nothing(seeded: MemoryOS) -> None:
    chain_memory, beside = of_ada(seeded), MemoryOSMemory(memory=seeded, user_id="ada", session_id="beside")
    chain_memory.save_context({"input": "I feed the tortoise lettuce"}, {"output": "Good"})
    beside.save_context({"input": "Hello"}, {"output": "Good morning"})
    chain_memory.clear()
    assert chain_memory.load_memory_variables({}) == {"history": ""}
    assert beside.load_memory_variables({}) == {"history": "Human: Hello\nAI: Good morning"}
    asked = {"input": "What does my tortoise eat?"}
    assert "lettuce" not in chain_memory.load_memory_variables(asked)["history"]
    assert TORTOISE in chain_memory.load_memory_variables(asked)["history"], "of another session"
    assert "lettuce" in beside.load_memory_variables(asked)["history"]


@pytest.mark.parametrize("coroutine", [False, True])
async def test_clearing_erases_where_it_is_told_to(seeded: MemoryOS, coroutine: bool) -> None:
    chain_memory, beside = of_ada(seeded), MemoryOSMemory(memory=seeded, user_id="ada", session_id="beside")
    chain_memory.save_context({"input": "I feed the tortoise lettuce"}, {"output": "Good"})
    receipt = await chain_memory.aclear(erase=True) if coroutine else chain_memory.clear(erase=True)
    assert receipt is not None
    assert receipt.pages == 1
    found = beside.load_memory_variables({"input": "What does my tortoise eat?"})["history"]
    assert "lettuce" not in found
    assert TORTOISE in found
    assert chain_memory.clear() is None


# ------------------------------------------------------------------------------------------------------------- the rest


async def test_the_coroutines_do_the_same_and_never_block_the_loop(seeded: MemoryOS) -> None:
    chain_memory = of_ada(seeded, return_messages=True)
    await chain_memory.aload_memory_variables({"input": "warm up"})
    guard = BlockBuster()
    guard.activate()
    try:
        await chain_memory.asave_context({"input": "I feed the tortoise lettuce"}, {"output": "Good"})
        found = await chain_memory.aload_memory_variables({"input": "What does my tortoise eat?"})
        await chain_memory.aclear()
        after = await chain_memory.aload_memory_variables({})
    finally:
        guard.deactivate()
    messages: list[BaseMessage] = found["history"]
    assert [m.type for m in messages] == ["system", "human", "ai"]
    assert TORTOISE in messages[0].text
    assert after == {"history": []}


def test_it_is_validated_like_any_model_and_shows_no_memory(memory: MemoryOS) -> None:
    chain_memory = of_ada(memory)
    assert "memory=" not in repr(chain_memory).replace("memory_key=", "")
    assert "memory" not in chain_memory.model_dump()
    assert "not_implemented" in dumps(chain_memory)
    wrongs: list[dict[str, Any]] = [
        {"user_id": ""}, {"user_id": True}, {"user_id": None}, {"budget_tokens": 0}, {"session_id": " "},
        {"memory": "secret.db"}, {"memory": AsyncMemoryOS.of(memory)}, {"user_id": ["secret"]},
    ]  # fmt: skip
    for wrong in wrongs:
        with pytest.raises(ValidationError) as refused:
            MemoryOSMemory(**{"memory": memory, "user_id": "ada", **wrong})
        assert "secret" not in str(refused.value)


@pytest.mark.parametrize("id", [7, UUID(int=7)])
def test_ids_may_be_numbers_and_uuids(memory: MemoryOS, id: int | UUID) -> None:
    MemoryOSMemory(memory=memory, user_id=id, assistant_id=id, session_id=id).save_context({"a": "Q"}, {"b": "A"})
    kept = memory.user(str(id), assistant_id=str(id), session_id=str(id)).transcript()
    assert [m.text for m in kept] == ["Q", "A"]
