"""A LangChain chat model as the core's: what goes in, what comes out, what is remembered, how it fails."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from langchain_core.language_models import FakeListChatModel, GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.output_parsers import StrOutputParser

from memoryos_core import ChatRequest, ConfigError, ModelError
from memoryos_core.errors import ModelAnswerError
from memoryos_core.values.chat import Prompt
from memoryos_langchain.models import LangChainChatModel
from tests.langchain.scripted_models import SchemaModel, ScriptedModel, ToolModel

SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": False,
}
QUESTION = ChatRequest(
    (Prompt("system", "Be brief."), Prompt("user", "Where?"), Prompt("assistant", "Hm."), Prompt("user", "So?"))
)
JSON = ChatRequest((Prompt("user", "Where?"),), schema=SCHEMA, schema_name="place", max_tokens=50)
PORTO = '{"city": "Porto"}'


def test_a_plain_question_carries_its_roles_and_brings_text_and_tokens() -> None:
    usage = {"input_tokens": 12, "output_tokens": 3, "total_tokens": 15}
    model = ScriptedModel(answer=lambda _: AIMessage("Porto", usage_metadata=usage))
    reply = LangChainChatModel(model).ask(QUESTION)
    assert (reply.text, reply.prompt_tokens, reply.completion_tokens) == ("Porto", 12, 3)
    assert [(type(m).__name__, m.content) for m in model.asked[0]] == [
        ("SystemMessage", "Be brief."),
        ("HumanMessage", "Where?"),
        ("AIMessage", "Hm."),
        ("HumanMessage", "So?"),
    ]


def test_counts_that_a_model_does_not_tell_are_none() -> None:
    reply = LangChainChatModel(FakeListChatModel(responses=["Porto"])).ask(QUESTION)
    assert (reply.text, reply.prompt_tokens, reply.completion_tokens) == ("Porto", None, None)


def test_a_model_with_structured_output_is_held_to_the_schema_and_not_shown_it() -> None:
    model = SchemaModel(answer=lambda _: PORTO)
    assert LangChainChatModel(model).ask(JSON).text == PORTO
    (schema,) = model.schemas
    assert schema["title"] == "place"
    assert schema["properties"] == SCHEMA["properties"]
    assert [m.content for m in model.asked[0]] == ["Where?"]


def test_a_model_without_it_is_shown_the_schema_and_tried_once_only(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[str] = []
    plain = ScriptedModel.with_structured_output

    def counted(self: ScriptedModel, *args: object, **kwargs: object) -> object:
        tried.append("once")
        return plain(self, *args, **kwargs)  # type: ignore[arg-type]

    monkeypatch.setattr(ScriptedModel, "with_structured_output", counted)
    model = ScriptedModel(answer=lambda _: PORTO)
    chat = LangChainChatModel(model)
    assert [chat.ask(JSON).text, chat.ask(JSON).text] == [PORTO, PORTO]
    assert tried == ["once"]
    assert '"city"' in str(model.asked[0][-1].content)


def test_langchains_own_fakes_have_none_and_work() -> None:
    assert LangChainChatModel(GenericFakeChatModel(messages=iter([PORTO]))).ask(JSON).text == PORTO


@pytest.mark.parametrize(
    "error", [NotImplementedError("x"), TypeError("unexpected keyword")], ids=lambda e: type(e).__name__
)
def test_a_model_that_finds_out_when_asked_is_shown_the_schema(error: Exception) -> None:
    def answer(messages: list) -> str | Exception:
        return PORTO if "JSON Schema" in messages[-1].content else error

    model = SchemaModel(answer=answer)
    chat = LangChainChatModel(model)
    assert chat.ask(JSON).text == PORTO
    assert chat.ask(JSON).text == PORTO
    assert len(model.asked) == 3


def test_a_model_that_fails_in_every_way_teaches_nothing() -> None:
    answers: Iterator[str | Exception] = iter([TypeError("no"), TypeError("no"), PORTO])
    model = SchemaModel(answer=lambda _: next(answers))
    chat = LangChainChatModel(model)
    with pytest.raises(ModelError):
        chat.ask(JSON)
    chat.ask(JSON)
    assert len(model.schemas) == 2, "held to the schema again: the failure had another reason"


def test_the_arguments_of_a_call_are_the_answer_where_structure_is_a_tool() -> None:
    call = {"name": "place", "args": {"city": "Évora"}, "id": "1"}
    model = ToolModel(answer=lambda _: AIMessage("", tool_calls=[call]))
    assert json.loads(LangChainChatModel(model).ask(JSON).text) == {"city": "Évora"}
    broken = {"name": "place", "args": '{"city": "Évo', "id": "1", "error": "cut"}
    model = ToolModel(answer=lambda _: AIMessage("", invalid_tool_calls=[broken]))
    assert LangChainChatModel(model).ask(JSON).text == '{"city": "Évo'


def test_thoughts_and_other_blocks_are_not_the_answer() -> None:
    blocks: list = [{"type": "reasoning", "reasoning": "hm"}, {"type": "text", "text": "Porto"}]
    assert LangChainChatModel(ScriptedModel(answer=lambda _: AIMessage(blocks))).ask(QUESTION).text == "Porto"


def test_what_the_owner_left_open_is_taken_from_the_question_and_the_rest_stays() -> None:
    open_, fixed = (ScriptedModel(answer=lambda _: "x", temperature=t) for t in (None, 0.7))
    for model in (open_, fixed):
        LangChainChatModel(model).ask(ChatRequest((Prompt("user", "q"),), temperature=0.3, max_tokens=9))
    assert open_.temperatures == [0.3]
    assert open_.temperature is None, "the owner's object is not changed"
    assert fixed.temperatures == [0.7]


def test_a_runnable_that_is_no_chat_model_is_shown_the_schema() -> None:
    failing = ScriptedModel(answer=lambda _: ValueError("down"))
    model = SchemaModel(answer=lambda _: PORTO)
    assert LangChainChatModel(failing.with_fallbacks([model])).ask(JSON).text == PORTO
    assert LangChainChatModel(model | StrOutputParser()).ask(JSON).text == PORTO
    assert '"city"' in str(model.asked[0][-1].content)
    assert model.schemas == []


@pytest.mark.parametrize(
    ("error", "transient"),
    [
        (ValueError("SECRET"), True),
        (TimeoutError("SECRET"), True),
        (ConnectionError("SECRET"), True),
        (AttributeError("SECRET"), False),
    ],
    ids=lambda value: type(value).__name__,
)
def test_whatever_it_raises_is_a_model_error_without_its_words(error: Exception, transient: bool) -> None:
    with pytest.raises(ModelError) as caught:
        LangChainChatModel(ScriptedModel(answer=lambda _: error)).ask(QUESTION)
    assert caught.value.transient is transient
    assert "SECRET" not in str(caught.value)


@pytest.mark.parametrize(
    ("message", "transient"),
    [
        (AIMessage(""), True),
        (AIMessage("  \n"), True),
        (AIMessage('{"ci', response_metadata={"finish_reason": "length"}), False),
        (AIMessage('{"ci', response_metadata={"stop_reason": "max_tokens"}), False),
        (AIMessage('{"ci', response_metadata={"finish_reason": "MAX_TOKENS"}), False),
        (AIMessage('{"ci', response_metadata={"done_reason": "length"}), False),
        (AIMessage("", additional_kwargs={"refusal": "SECRET"}), False),
    ],
)
def test_answers_that_are_none(message: AIMessage, transient: bool) -> None:
    with pytest.raises(ModelAnswerError) as caught:
        LangChainChatModel(ScriptedModel(answer=lambda _: message)).ask(JSON)
    assert caught.value.transient is transient
    assert "SECRET" not in str(caught.value)


def test_prose_that_was_cut_is_kept_as_far_as_it_goes() -> None:
    cut = AIMessage("Once upon", response_metadata={"finish_reason": "length"})
    assert LangChainChatModel(ScriptedModel(answer=lambda _: cut)).ask(QUESTION).text == "Once upon"


def test_something_other_than_a_message_is_a_model_error() -> None:
    model = ScriptedModel(answer=lambda _: "x") | (lambda message: {"text": message.content})
    with pytest.raises(ModelAnswerError, match="not a chat completion"):
        LangChainChatModel(model).ask(QUESTION)


def test_half_a_surrogate_pair_reaches_no_model() -> None:
    model = ScriptedModel(answer=lambda _: "x")
    LangChainChatModel(model).ask(ChatRequest((Prompt("user", "half \ud83d"),)))
    assert model.asked[0][0].content == "half ?"


def test_it_is_named_after_the_class_and_the_model() -> None:
    class Named(ScriptedModel):
        model_name: str = "small-1"

    assert LangChainChatModel(Named(answer=lambda _: "x")).name == "Named:small-1"
    assert LangChainChatModel(FakeListChatModel(responses=[])).name == "FakeListChatModel"
    assert LangChainChatModel(FakeListChatModel(responses=[]), name="mine").name == "mine"


@pytest.mark.parametrize("wrong", [None, "gpt", object(), FakeListChatModel, lambda prompt: "x"])
def test_anything_else_is_refused_at_once(wrong: object) -> None:
    with pytest.raises(ConfigError, match="LangChain chat model"):
        LangChainChatModel(wrong)  # type: ignore[arg-type]
