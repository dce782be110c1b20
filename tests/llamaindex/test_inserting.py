"""Where what is recalled goes among the messages of a prompt."""

from __future__ import annotations

from typing import Any

import pytest
from llama_index.core.base.llms.types import ChatMessage, ImageBlock, MessageRole, TextBlock

from memoryos_llamaindex.inserting import InsertMethod, insert_recall

RECALLED = "<memory>\nLisbon\n</memory>"
METHODS: list[InsertMethod] = ["auto", "system", "user"]


def user(text: str = "question") -> ChatMessage:
    return ChatMessage(role="user", content=text)


def assistant(text: str = "answer") -> ChatMessage:
    return ChatMessage(role="assistant", content=text)


def system(text: str = "Be brief.") -> ChatMessage:
    return ChatMessage(role="system", content=text)


def told(messages: list[ChatMessage]) -> list[tuple[str, list[str]]]:
    """Roles and texts; a block that is no text by its kind."""
    return [(m.role.value, [b.text if isinstance(b, TextBlock) else b.block_type for b in m.blocks]) for m in messages]


ALONE = ("system", [RECALLED])
WITH_QUESTION = ("user", [f"{RECALLED}\n\nquestion"])


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "messages",
    [[], [user()], [system(), user(), assistant()], [user("a"), user("b")]],
    ids=["none", "one", "three", "two"],
)
def test_nothing_recalled_is_nothing_added(method: InsertMethod, messages: list[ChatMessage]) -> None:
    got = insert_recall(messages, "", method)
    assert got == messages
    assert got is not messages


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("messages", [[], [assistant()], [assistant("a"), assistant("b")]], ids=["none", "one", "two"])
def test_where_the_user_said_nothing_it_leads(method: InsertMethod, messages: list[ChatMessage]) -> None:
    assert told(insert_recall(messages, RECALLED, method)) == [ALONE, *told(messages)]


@pytest.mark.parametrize("method", ["auto", "user"])
def test_it_goes_before_the_question_that_is_last(method: InsertMethod) -> None:
    before = [system(), user("a"), assistant("b")]
    assert told(insert_recall([*before, user()], RECALLED, method)) == [*told(before), WITH_QUESTION]


@pytest.mark.parametrize("method", ["auto", "user"])
def test_of_several_questions_in_a_row_the_last_has_it(method: InsertMethod) -> None:
    got = insert_recall([user("a"), user("b"), user()], RECALLED, method)
    assert told(got) == [("user", ["a"]), ("user", ["b"]), WITH_QUESTION]


def test_an_answered_question_is_left_alone_unless_the_user_place_was_chosen() -> None:
    messages = [user("a"), assistant("b"), user(), assistant()]
    assert told(insert_recall(messages, RECALLED, "auto")) == [ALONE, *told(messages)]
    with_user = told(insert_recall(messages, RECALLED, "user"))
    assert with_user == [*told(messages[:2]), WITH_QUESTION, *told(messages[3:])]


@pytest.mark.parametrize("role", ["tool", "function"])
@pytest.mark.parametrize("method", METHODS)
def test_while_tools_answer_it_stays_in_the_question(method: InsertMethod, role: str) -> None:
    messages = [user("a"), assistant("b"), user(), assistant("call"), ChatMessage(role=role, content="rain")]
    placed = [*told(messages[:2]), WITH_QUESTION, *told(messages[3:])]
    assert told(insert_recall(messages, RECALLED, method)) == (
        [ALONE, *told(messages)] if method == "system" else placed
    )


@pytest.mark.parametrize("method", METHODS)
def test_a_system_message_that_is_last_is_no_question(method: InsertMethod) -> None:
    messages = [user(), system("in the middle")]
    placed = [WITH_QUESTION, *told(messages[1:])]
    assert told(insert_recall(messages, RECALLED, method)) == (placed if method == "user" else [ALONE, *told(messages)])


def test_the_system_place_leads_also_where_a_question_is_last() -> None:
    assert told(insert_recall([user("a"), assistant("b"), user()], RECALLED, "system")) == [
        ALONE,
        ("user", ["a"]),
        ("assistant", ["b"]),
        ("user", ["question"]),
    ]


@pytest.mark.parametrize("method", ["system", "auto"])
def test_one_leading_system_message_stays_one_with_it_at_its_end(method: InsertMethod) -> None:
    messages = [system("One."), system("Two."), user(), assistant()]
    assert told(insert_recall(messages, RECALLED, method)) == [("system", ["One.", RECALLED]), *told(messages[1:])]


def test_a_system_message_that_does_not_lead_is_left_alone() -> None:
    messages = [user(), system("Two."), assistant()]
    assert told(insert_recall(messages, RECALLED, "system")) == [ALONE, *told(messages)]


@pytest.mark.parametrize("method", METHODS)
def test_a_system_message_by_itself(method: InsertMethod) -> None:
    assert told(insert_recall([system("One.")], RECALLED, method)) == [("system", ["One.", RECALLED])]


@pytest.mark.parametrize("method", ["auto", "user"])
@pytest.mark.parametrize(
    ("blocks", "expected"),
    [
        ([], [f"{RECALLED}\n\n"]),
        ([TextBlock(text="")], [f"{RECALLED}\n\n"]),
        ([TextBlock(text="a"), TextBlock(text="b")], [f"{RECALLED}\n\na", "b"]),
        ([ImageBlock(image=b"i")], [RECALLED, "image"]),
        ([ImageBlock(image=b"i"), TextBlock(text="b")], [RECALLED, "image", "b"]),
        ([TextBlock(text="a"), ImageBlock(image=b"i")], [f"{RECALLED}\n\na", "image"]),
    ],
    ids=["no-block", "empty-text", "two-texts", "image", "image-text", "text-image"],
)
def test_the_blocks_of_a_question_keep_their_order_and_one_stays_one(
    method: InsertMethod, blocks: list[Any], expected: list[str]
) -> None:
    (got,) = insert_recall([ChatMessage(role="user", blocks=blocks)], RECALLED, method)
    assert told([got]) == [("user", expected)]


@pytest.mark.parametrize("role", [MessageRole.USER, MessageRole.SYSTEM])
def test_what_else_a_message_carries_is_kept(role: MessageRole) -> None:
    given = ChatMessage(role=role, content="x", additional_kwargs={"name": "Ann", "n": 1})
    (got,) = insert_recall([given], RECALLED, "auto")
    assert got.additional_kwargs == {"name": "Ann", "n": 1}
    assert got.role == role
    assert RECALLED in str(got.content)


@pytest.mark.parametrize("method", METHODS)
def test_what_was_given_is_not_changed(method: InsertMethod) -> None:
    messages = [system(), user("a"), assistant(), user()]
    before = [m.model_copy(deep=True) for m in messages]
    for message in insert_recall(messages, RECALLED, method):
        if message not in before:
            message.blocks.append(TextBlock(text="more"))
            message.additional_kwargs["more"] = 1
    assert [m.blocks for m in messages] == [m.blocks for m in before]
