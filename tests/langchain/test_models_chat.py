"""The core's chat models as one of LangChain's."""

from __future__ import annotations

import time
from typing import Any

import pytest
from blockbuster import blockbuster_ctx
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    ChatMessage,
    FunctionMessage,
    HumanMessage,
    HumanMessageChunk,
    RemoveMessage,
    SystemMessage,
    ToolMessage,
)
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from pydantic import BaseModel

from memoryos_core import ChatReply, ChatRequest, ModelError
from memoryos_core.testing.fakes import ScriptedChat
from memoryos_core.values.chat import Prompt
from memoryos_langchain.chat_model import MemoryOSChatModel
from memoryos_langchain.models import LangChainChatModel


class Place(BaseModel):
    """A place."""

    city: str


def model_of(answer: str | ChatReply, **options: Any) -> tuple[MemoryOSChatModel, ScriptedChat]:
    chat = ScriptedChat(lambda _: answer)
    return MemoryOSChatModel(llm=chat, **options), chat


def test_a_chain_around_it_answers_with_tokens_and_a_name() -> None:
    model, chat = model_of(ChatReply("Porto", 12, 3), temperature=0.4, max_tokens=9)
    message = (ChatPromptTemplate([("system", "Be brief."), ("human", "{q}")]) | model).invoke({"q": "Where?"})
    assert message.content == "Porto"
    assert message.usage_metadata == {"input_tokens": 12, "output_tokens": 3, "total_tokens": 15}
    assert message.response_metadata["model_name"] == "ScriptedChat"
    (request,) = chat.requests
    assert request == ChatRequest(
        (Prompt("system", "Be brief."), Prompt("user", "Where?")), temperature=0.4, max_tokens=9
    )


def test_counts_the_model_does_not_tell_are_left_out() -> None:
    assert MemoryOSChatModel(llm=lambda prompt: "x").invoke("q").usage_metadata is None


def test_settings_of_one_call_win() -> None:
    model, chat = model_of("x")
    model.invoke("q", temperature=0.9, max_tokens=3)
    assert (chat.requests[0].temperature, chat.requests[0].max_tokens) == (0.9, 3)


async def test_every_way_to_call_it_and_a_stream_of_one_chunk() -> None:
    model, _ = model_of(ChatReply("Porto it is", 1, 2))
    chain = model | StrOutputParser()
    assert (await model.ainvoke("q")).content == "Porto it is"
    assert chain.batch(["a", "b"]) == ["Porto it is"] * 2
    assert [text for text in chain.stream("q") if text] == ["Porto it is"]
    chunks = [chunk async for chunk in model.astream("q")]
    assert "".join(str(chunk.text) for chunk in chunks) == "Porto it is"
    assert sum(chunk.usage_metadata["total_tokens"] for chunk in chunks if chunk.usage_metadata) == 3


async def test_a_slow_model_holds_up_no_loop() -> None:
    def slow(prompt: str) -> str:
        time.sleep(0.05)
        return "x"

    model = MemoryOSChatModel(llm=slow)
    with blockbuster_ctx():
        await model.ainvoke("q")


@pytest.mark.parametrize(
    ("message", "prompt"),
    [
        (HumanMessageChunk(content="q"), Prompt("user", "q")),
        (AIMessageChunk(content="a"), Prompt("assistant", "a")),
        (ChatMessage(content="s", role="developer"), Prompt("system", "s")),
        (ChatMessage(content="q", role="Human"), Prompt("user", "q")),
        (ChatMessage(content="a", role="assistant"), Prompt("assistant", "a")),
        (ToolMessage("21 C", tool_call_id="1", name="weather"), Prompt("user", "[weather returned] 21 C")),
        (ToolMessage("21 C", tool_call_id="1"), Prompt("user", "[the tool returned] 21 C")),
        (FunctionMessage(content="21 C", name="weather"), Prompt("user", "[weather returned] 21 C")),
        (
            AIMessage("Let me see.", tool_calls=[{"name": "weather", "args": {"city": "Porto"}, "id": "1"}]),
            Prompt("assistant", 'Let me see.\n[called weather with {"city": "Porto"}]'),
        ),
        (
            HumanMessage(["Look:", {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}]),
            Prompt("user", "Look:\n[image]"),
        ),
        (
            AIMessage([{"type": "reasoning", "reasoning": "hm"}, {"type": "text", "text": "Porto"}]),
            Prompt("assistant", "Porto"),
        ),
        (SystemMessage([{"type": "text", "text": "Be brief."}]), Prompt("system", "Be brief.")),
    ],
)
def test_every_kind_of_message_is_read(message: BaseMessage, prompt: Prompt) -> None:
    model, chat = model_of("x")
    model.invoke([message])
    assert chat.requests[0].prompts == (prompt,)


@pytest.mark.parametrize("message", [ChatMessage(content="q", role="critic"), RemoveMessage(id="1")])
def test_a_role_that_is_none_is_refused_before_the_model_is_asked(message: BaseMessage) -> None:
    model, chat = model_of("x")
    with pytest.raises(ValueError, match="unknown role in a"):
        model.invoke([message])
    assert chat.calls == 0


def test_no_messages_are_refused() -> None:
    with pytest.raises(ValueError, match="no messages"):
        model_of("x")[0].invoke([])


@pytest.mark.parametrize(("stop", "text"), [(["\n"], "one"), (["three", "two"], "one\n"), ([""], "one\ntwo\nthree")])
def test_an_answer_ends_before_the_first_stop_word(stop: list[str], text: str) -> None:
    assert model_of("one\ntwo\nthree")[0].invoke("q", stop=stop).content == text
    assert model_of("one\ntwo\nthree", stop=stop)[0].invoke("q").content == text


@pytest.mark.parametrize("method", ["json_schema", "function_calling", "json_mode"])
def test_structured_answers_of_every_shape(method: str) -> None:
    model, chat = model_of('{"city": "Porto"}')
    assert model.with_structured_output(Place, method=method).invoke("q") == Place(city="Porto")
    assert model.with_structured_output(Place.model_json_schema(), method=method).invoke("q") == {"city": "Porto"}
    untitled = {"type": "object", "properties": {"city": {"type": "string"}}}
    assert model.with_structured_output(untitled, method=method).invoke("q") == {"city": "Porto"}
    assert [request.schema_name for request in chat.requests] == ["Place", "Place", "answer"]
    assert all(request.schema and "city" in request.schema["properties"] for request in chat.requests)


def test_with_the_raw_answer_nothing_is_raised() -> None:
    good = model_of('{"city": "Porto"}')[0].with_structured_output(Place, include_raw=True).invoke("q")
    assert isinstance(good, dict)
    assert good["parsed"] == Place(city="Porto")
    assert good["parsing_error"] is None
    assert good["raw"].content == '{"city": "Porto"}'
    bad = model_of("a teapot")[0].with_structured_output(Place, include_raw=True).invoke("q")
    assert isinstance(bad, dict)
    assert bad["parsed"] is None
    assert bad["parsing_error"] is not None


def test_the_cores_question_survives_the_way_there_and_back() -> None:
    model, chat = model_of(ChatReply('{"city": "Porto"}', 5, 6))
    request = ChatRequest(
        (Prompt("system", "s"), Prompt("user", "u")),
        schema=Place.model_json_schema(),
        schema_name="place",
        max_tokens=7,
    )
    reply = LangChainChatModel(model).ask(request)
    assert reply == ChatReply('{"city": "Porto"}', 5, 6)
    (asked,) = chat.requests
    assert asked.prompts == request.prompts
    assert asked.max_tokens == 7
    assert asked.schema is not None
    assert asked.schema["properties"].keys() == {"city"}


def test_a_failing_model_is_the_cores_error() -> None:
    model = MemoryOSChatModel(llm=ScriptedChat([ModelError("down")]))
    with pytest.raises(ModelError, match="down"):
        model.invoke("q")


@pytest.mark.parametrize("wrong", [None, "zzz", "gguf:/not/there.gguf", 7])
def test_what_is_no_model_is_refused_at_once(wrong: object) -> None:
    with pytest.raises(ValueError, match=r"llm|model file"):
        MemoryOSChatModel(llm=wrong)  # type: ignore[arg-type]


def test_it_calls_no_tools_and_says_so() -> None:
    with pytest.raises(NotImplementedError, match=r"calls no tools.*with_structured_output"):
        model_of("x")[0].bind_tools([Place])


def test_what_it_shows_of_itself_holds_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "SECRET")
    model = MemoryOSChatModel(llm="openai:small")
    assert "SECRET" not in repr(model) + str(model.model_dump()) + str(model.dict())
    assert model.model_name == "openai:small"
