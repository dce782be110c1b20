from __future__ import annotations

import sys
import traceback
from collections.abc import Callable
from typing import Any

import pytest

from memoryos_core.errors import ConfigError, MissingExtraError, ModelAnswerError, ModelError
from memoryos_core.providers.llms.openai import OpenAIChat
from memoryos_core.values.chat import ChatReply, ChatRequest, Prompt
from tests.llms.endpoint import Endpoint, Reply, chat_reply, error_reply, serving

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
PLAIN = ChatRequest((Prompt("system", "Be brief."), Prompt("user", "Where?")), max_tokens=50)
SHAPED = ChatRequest(PLAIN.prompts, schema=SCHEMA, schema_name="place", max_tokens=50)
Refusal = Callable[[dict[str, Any]], Reply | None]


def _form(asked: dict[str, Any]) -> str:
    return str(asked.get("response_format", {}).get("type", "plain"))


def _refusing(*refusals: Refusal) -> Callable[[dict[str, Any]], Reply]:
    def answer(asked: dict[str, Any]) -> Reply:
        return next((reply for refuse in refusals if (reply := refuse(asked))), chat_reply('{"city": "Porto"}'))

    return answer


def _chat(endpoint: Endpoint, **options: Any) -> OpenAIChat:
    return OpenAIChat("m", base_url=endpoint.url, **{"timeout": 5.0, **options})


def test_a_question_is_sent_as_it_is_and_tokens_are_reported():
    with serving(lambda asked: chat_reply("In Porto.")) as endpoint:
        assert _chat(endpoint).ask(PLAIN) == ChatReply("In Porto.", 11, 7)
    assert endpoint.asked == [
        {
            "model": "m",
            "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Where?"}],
            "temperature": 0.0,
            "max_tokens": 50,
        }
    ]
    assert endpoint.paths == ["/v1/chat/completions"]


def test_a_schema_is_asked_for_loosely():
    with serving(_refusing()) as endpoint:
        _chat(endpoint, temperature=0.4).ask(SHAPED)
    asked = endpoint.asked[0]
    assert asked["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "place", "schema": SCHEMA, "strict": False},
    }
    assert asked["temperature"] == 0.4


def _no_schema(asked: dict[str, Any]) -> Reply | None:
    refused = _form(asked) == "json_schema"
    return error_reply(400, "unknown response_format.type", param="response_format") if refused else None


def _no_bounds(asked: dict[str, Any]) -> Reply | None:
    """As servers refuse a schema whose lists and texts have bounds, with xgrammar."""
    message = "The provided JSON schema contains features not supported by xgrammar."
    return error_reply(400, message) if _form(asked) == "json_schema" else None


def _no_format(asked: dict[str, Any]) -> Reply | None:
    return error_reply(400, "'response_format' is not supported") if "response_format" in asked else None


def _validating(asked: dict[str, Any]) -> Reply | None:
    """As FastAPI refuses: with the place, and everything that was sent."""
    if "response_format" not in asked:
        return None
    detail = [{"loc": ["body", "response_format"], "msg": "extra", "input": {"temperature": 0, "max_tokens": 1}}]
    return Reply({"detail": detail}, status=422)


@pytest.mark.parametrize(
    ("refusal", "forms"),
    [
        (_no_schema, ["json_schema", "json_object", "json_object"]),
        (_no_bounds, ["json_schema", "json_object", "json_object"]),
        (_no_format, ["json_schema", "json_object", "plain", "plain"]),
        (_validating, ["json_schema", "json_object", "plain", "plain"]),
    ],
)
def test_a_refused_form_of_json_is_loosened_and_remembered(refusal, forms):
    with serving(_refusing(refusal)) as endpoint:
        chat = _chat(endpoint)
        assert [chat.ask(SHAPED).text for _ in range(2)] == ['{"city": "Porto"}'] * 2
    assert [_form(asked) for asked in endpoint.asked] == forms
    assert '"city"' in endpoint.asked[-1]["messages"][-1]["content"], "the model is shown the schema instead"


def _reasoning(asked: dict[str, Any]) -> Reply | None:
    if "max_tokens" in asked:
        message = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
        return error_reply(400, message, param="max_tokens", code="unsupported_parameter")
    if "temperature" in asked:
        return error_reply(400, "Unsupported value", param="temperature", code="unsupported_value")
    return None


def test_reasoning_models_are_asked_their_way_from_then_on():
    with serving(_refusing(_reasoning)) as endpoint:
        chat = _chat(endpoint, temperature=0.2)
        chat.ask(SHAPED)
        chat.ask(SHAPED)
    assert len(endpoint.asked) == 4
    last = endpoint.asked[-1]
    assert last["max_completion_tokens"] == 50
    assert not {"max_tokens", "temperature"} & set(last)
    assert _form(last) == "json_schema"


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ("maximum context length is 4096 tokens; reduce max_tokens or the temperature", "context_length_exceeded"),
        ("your balance is negative", None),
    ],
)
def test_other_bad_requests_are_asked_once(message, code):
    refusal = error_reply(400, message, code=code)
    with serving(lambda asked: refusal) as endpoint, pytest.raises(ModelError) as caught:
        _chat(endpoint).ask(SHAPED)
    assert len(endpoint.asked) == 1
    assert not caught.value.transient


def test_a_dialect_that_did_not_help_is_not_remembered():
    complaints = iter([error_reply(400, "max_tokens is too large")] * 2)
    with serving(lambda asked: next(complaints, None) or chat_reply("yes")) as endpoint:
        chat = _chat(endpoint)
        with pytest.raises(ModelError):
            chat.ask(PLAIN)
        chat.ask(PLAIN)
    assert ["max_tokens" in asked for asked in endpoint.asked] == [True, False, True]


def test_a_server_that_breaks_on_schemas_is_believed_the_second_time():
    broken = error_reply(500, "oops")
    with serving(lambda asked: broken if _form(asked) == "json_schema" else chat_reply("{}")) as endpoint:
        chat = _chat(endpoint)
        with pytest.raises(ModelError) as caught:
            chat.ask(SHAPED)
        assert caught.value.transient
        assert chat.ask(SHAPED).text == "{}"
        assert chat.ask(SHAPED).text == "{}"
    assert [_form(asked) for asked in endpoint.asked] == ["json_schema", "json_schema", "json_object", "json_object"]


def test_an_outage_after_a_schema_worked_teaches_nothing():
    answers = iter([chat_reply("{}"), *[error_reply(500, "oops")] * 3])
    with serving(lambda asked: next(answers, None) or chat_reply("{}")) as endpoint:
        chat = _chat(endpoint)
        chat.ask(SHAPED)
        for _ in range(3):
            with pytest.raises(ModelError):
                chat.ask(SHAPED)
        chat.ask(SHAPED)
    assert {_form(asked) for asked in endpoint.asked} == {"json_schema"}


@pytest.mark.parametrize(
    ("status", "code", "transient"),
    [
        (400, None, False),
        (401, "invalid_api_key", False),
        (403, None, False),
        (404, "model_not_found", False),
        (408, None, True),
        (429, "rate_limit_exceeded", True),
        (429, "insufficient_quota", False),
        (500, None, True),
        (503, None, True),
    ],
)
def test_refusals_are_sorted_asked_once_and_keep_the_prompt_to_themselves(status, code, transient):
    words = " ".join(["my", "secret"])  # a traceback shows the lines of this file, too
    request = ChatRequest((Prompt("user", words),))
    with (
        serving(lambda asked: error_reply(status, f"no: {asked['messages']}", code=code)) as endpoint,
        pytest.raises(ModelError, match=str(status)) as caught,
    ):
        _chat(endpoint, api_key="sk-hush").ask(request)
    assert caught.value.transient is transient
    assert len(endpoint.asked) == 1
    assert words not in "".join(traceback.format_exception(caught.value))
    assert "hush" not in str(caught.value)


def test_a_code_that_is_no_code_is_not_repeated():
    with (
        serving(lambda asked: error_reply(400, "no", code="my secret")) as endpoint,
        pytest.raises(ModelError) as caught,
    ):
        _chat(endpoint).ask(PLAIN)
    assert "secret" not in str(caught.value)


def test_a_silent_server_and_no_server_are_passing_errors():
    with serving(lambda asked: Reply({}, hang=True)) as endpoint:
        with pytest.raises(ModelError) as silent:
            _chat(endpoint, timeout=0.2).ask(PLAIN)
        assert len(endpoint.asked) == 1
    with pytest.raises(ModelError) as gone:
        _chat(endpoint).ask(PLAIN)
    assert (silent.value.transient, gone.value.transient) == (True, True)


@pytest.mark.parametrize(
    ("reply", "transient"),
    [
        (chat_reply(""), True),
        (chat_reply("  \n"), True),
        (chat_reply(None), True),
        (chat_reply(None, refusal="I cannot"), False),
        (chat_reply('{"city": "Por', finish="length"), False),
        (chat_reply("", finish="length"), False),
        (Reply({"choices": []}), True),
        (Reply({"error": {"message": "overloaded"}}), True),
        (Reply([]), True),
        (Reply("x"), True),
        (Reply(b"<html>sorry</html>", content_type="text/html"), True),
    ],
)
def test_answers_that_are_none(reply, transient):
    with serving(lambda asked: reply) as endpoint, pytest.raises(ModelAnswerError) as caught:
        _chat(endpoint).ask(SHAPED)
    assert caught.value.transient is transient


def test_a_body_that_is_not_json_is_a_passing_error():
    with serving(lambda asked: Reply(b'{"choices": [')) as endpoint, pytest.raises(ModelError) as caught:
        _chat(endpoint).ask(PLAIN)
    assert caught.value.transient


def test_prose_that_was_cut_is_returned_as_far_as_it_goes():
    with serving(lambda asked: chat_reply("Once upon", finish="length")) as endpoint:
        assert _chat(endpoint).ask(PLAIN).text == "Once upon"


def test_missing_usage_is_unknown_not_zero():
    def without(asked: dict[str, Any]) -> Reply:
        reply = chat_reply("hm")
        del reply.body["usage"]
        return reply

    with serving(without) as endpoint:
        assert _chat(endpoint).ask(PLAIN) == ChatReply("hm", None, None)


def test_half_a_surrogate_pair_can_be_asked_about():
    with serving(lambda asked: chat_reply("fine")) as endpoint:
        _chat(endpoint).ask(ChatRequest((Prompt("user", "nul \x00 and \ud83d!"),)))
    assert endpoint.asked[0]["messages"][0]["content"] == "nul \x00 and ?!"


def test_a_key_for_openai_is_not_sent_elsewhere(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-hush")
    with serving(lambda asked: chat_reply("yes")) as endpoint:
        _chat(endpoint).ask(PLAIN)
        _chat(endpoint, api_key="given").ask(PLAIN)
    assert [h["authorization"] for h in endpoint.headers] == ["Bearer unused", "Bearer given"]


def test_no_key_and_no_package_are_said(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ConfigError, match="API key"):
        OpenAIChat("m")
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(MissingExtraError, match=r"memoryos-tiered\[openai\]"):
        OpenAIChat("m", api_key="k")
