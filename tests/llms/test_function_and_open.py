from __future__ import annotations

import sys
from functools import partial

import pytest

from memoryos_core.errors import ConfigError, MissingExtraError, ModelAnswerError, ModelError
from memoryos_core.providers.llms import CallableChat, open_chat_model
from memoryos_core.providers.llms.openai import OpenAIChat
from memoryos_core.testing.fakes import ScriptedChat
from memoryos_core.values.chat import ChatReply, ChatRequest, Prompt

TWO = ChatRequest((Prompt("system", "Be brief."), Prompt("user", "Where?")), max_tokens=9)
ONE = ChatRequest((Prompt("user", "Where?"),))


def test_a_function_of_text_is_given_the_prompts():
    assert CallableChat(lambda text: text.upper()).ask(ONE).text == "WHERE?"
    assert CallableChat(lambda text: text).ask(TWO).text == "system: Be brief.\n\nuser: Where?"


def test_a_function_of_the_request_is_given_the_request():
    def annotated(question: ChatRequest) -> str:
        return f"{question.max_tokens}"

    def named(request):
        return ChatReply(f"{request.max_tokens}", 3, 1)

    class Callable:
        def __call__(self, question: ChatRequest) -> str:
            return f"{question.max_tokens}"

    class Holder:
        def method(self, question: ChatRequest) -> str:
            return f"{question.max_tokens}"

    def two(prefix: str, request: ChatRequest) -> str:
        return f"{prefix}{request.max_tokens}"

    assert [CallableChat(f).ask(TWO).text for f in (annotated, named, Callable(), Holder().method)] == ["9"] * 4
    assert CallableChat(named).ask(TWO).prompt_tokens == 3
    assert CallableChat(partial(two, ">")).ask(TWO).text == ">9"


def test_annotations_that_cannot_be_read_mean_text():
    def broken(question: Nowhere) -> str:  # type: ignore[name-defined] # noqa: F821
        return "broken" if isinstance(question, ChatRequest) else "where?"

    assert CallableChat(broken).ask(ONE).text == "where?"
    assert CallableChat(str.lower).ask(ONE).text == "where?"


def test_errors_are_model_errors_without_their_words():
    def fail(text: str) -> str:
        raise ConnectionError(text)

    with pytest.raises(ModelError) as caught:
        CallableChat(fail).ask(ONE)
    assert caught.value.transient
    assert "Where" not in str(caught.value)


def test_an_http_error_of_a_hosts_client_is_sorted_by_its_status():
    class RefusedError(Exception):
        status_code = 401

    def fail(text: str) -> str:
        raise RefusedError(text)

    with pytest.raises(ModelError, match="401") as caught:
        CallableChat(fail).ask(ONE)
    assert not caught.value.transient
    assert caught.value.__cause__ is None


def test_what_is_no_text_is_no_answer():
    with pytest.raises(ModelAnswerError):
        CallableChat(lambda text: None).ask(ONE)  # type: ignore[arg-type]


def test_what_is_not_callable_is_refused():
    with pytest.raises(ConfigError):
        CallableChat(3)  # type: ignore[arg-type]


def test_opening():
    mine = ScriptedChat(["yes"])
    assert open_chat_model(None) is None
    assert open_chat_model(mine) is mine
    assert isinstance(open_chat_model(lambda text: text), CallableChat)


def test_opening_openai_by_name(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    opened = open_chat_model("openai:gpt-4o-mini")
    assert isinstance(opened, OpenAIChat)
    assert opened.name == "openai:gpt-4o-mini"
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(MissingExtraError):
        open_chat_model("openai:gpt-4o-mini")


@pytest.mark.parametrize("spec", ["", "openai:", "openai", "gguf:", "gguf:/nowhere.gguf", "gpt-4o", ScriptedChat, 3])
def test_anything_else_is_refused(spec):
    with pytest.raises(ConfigError):
        open_chat_model(spec)
