"""ChatOpenAI as the core's model against endpoints that refuse, break and fall silent."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from langchain_openai import ChatOpenAI, OpenAIEmbeddings
from pydantic import SecretStr

from memoryos_core import ChatReply, ChatRequest, ModelError
from memoryos_core.errors import ModelAnswerError
from memoryos_core.values.chat import Prompt
from memoryos_langchain.embeddings import LangChainEmbedder
from memoryos_langchain.models import LangChainChatModel
from tests.llms.endpoint import Endpoint, Reply, chat_reply, embedding_reply, error_reply, serving

SCHEMA = {
    "type": "object",
    "properties": {"places": {"type": "array", "items": {"$ref": "#/$defs/Place"}}},
    "required": ["places"],
    "additionalProperties": False,
    "$defs": {"Place": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}},
}
SHAPED = ChatRequest((Prompt("user", "Where?"),), schema=SCHEMA, schema_name="places", max_tokens=50)
PORTO = '{"places": [{"city": "Porto"}]}'


@pytest.fixture
def web() -> Iterator[httpx.Client]:
    """A client of ours: LangChain's own stays open until the process ends."""
    with httpx.Client() as client:
        yield client


def form(asked: dict[str, Any]) -> str:
    return str(asked.get("response_format", {}).get("type", "plain"))


def chat(endpoint: Endpoint, web: httpx.Client, **options: Any) -> LangChainChatModel:
    given: dict[str, Any] = {"timeout": 5.0, "max_retries": 0, "http_client": web, **options}
    return LangChainChatModel(ChatOpenAI(model="m", base_url=endpoint.url, api_key=SecretStr("k"), **given))


def unless(refuses: Callable[[dict[str, Any]], bool], reply: Reply) -> Callable[[dict[str, Any]], Reply]:
    return lambda asked: reply if refuses(asked) else chat_reply(PORTO)


def test_a_schema_is_sent_whole_and_loosely_with_the_questions_settings(web: httpx.Client) -> None:
    with serving(lambda asked: chat_reply(PORTO)) as endpoint:
        assert chat(endpoint, web).ask(SHAPED) == ChatReply(PORTO, 11, 7)
    (asked,) = endpoint.asked
    shape = asked["response_format"]["json_schema"]
    assert (form(asked), shape["name"], shape["strict"]) == ("json_schema", "places", False)
    assert shape["schema"] == SCHEMA
    assert asked["temperature"] == 0.0
    assert asked.get("max_completion_tokens", asked.get("max_tokens")) == 50
    assert asked["messages"] == [{"role": "user", "content": "Where?"}]


@pytest.mark.parametrize("status", [400, 422])
def test_an_endpoint_without_schemas_is_shown_it_and_that_is_remembered(web: httpx.Client, status: int) -> None:
    refusal = error_reply(status, "response_format json_schema is not supported", param="response_format")
    with serving(unless(lambda asked: form(asked) == "json_schema", refusal)) as endpoint:
        asking = chat(endpoint, web)
        assert [asking.ask(SHAPED).text, asking.ask(SHAPED).text] == [PORTO, PORTO]
    assert [form(asked) for asked in endpoint.asked] == ["json_schema", "plain", "plain"]
    assert "JSON Schema" in endpoint.asked[1]["messages"][-1]["content"]


def test_an_endpoint_that_breaks_on_schemas_is_believed_the_second_time(web: httpx.Client) -> None:
    with serving(unless(lambda asked: form(asked) == "json_schema", Reply(b"oops", status=500))) as endpoint:
        asking = chat(endpoint, web)
        with pytest.raises(ModelError) as caught:
            asking.ask(SHAPED)
        assert caught.value.transient, "once may be an outage"
        assert asking.ask(SHAPED).text == PORTO


def test_a_model_that_takes_no_temperature_is_asked_without(web: httpx.Client) -> None:
    refusal = error_reply(400, "Unsupported value", param="temperature", code="unsupported_value")
    with serving(unless(lambda asked: "temperature" in asked, refusal)) as endpoint:
        asking = chat(endpoint, web)
        assert [asking.ask(SHAPED).text, asking.ask(SHAPED).text] == [PORTO, PORTO]
    assert ["temperature" in asked for asked in endpoint.asked] == [True, False, False]


def test_what_the_owner_set_is_sent_as_it_is(web: httpx.Client) -> None:
    with serving(lambda asked: chat_reply(PORTO)) as endpoint:
        chat(endpoint, web, temperature=0.7, max_tokens=900).ask(SHAPED)
    (asked,) = endpoint.asked
    assert asked["temperature"] == 0.7
    assert asked.get("max_completion_tokens", asked.get("max_tokens")) == 900


@pytest.mark.parametrize(("status", "transient"), [(401, False), (404, False), (429, True), (503, True)])
def test_refusals_name_the_status_and_never_what_was_sent(web: httpx.Client, status: int, transient: bool) -> None:
    with serving(lambda asked: error_reply(status, f"you sent {asked}")) as endpoint:
        with pytest.raises(ModelError, match=str(status)) as caught:
            chat(endpoint, web).ask(ChatRequest((Prompt("user", "SECRET"),)))
        assert caught.value.transient is transient
        assert "SECRET" not in f"{caught.value} {caught.value.__cause__}"
        assert len(endpoint.asked) == 1, "retries are counted in the core"


def test_a_prompt_that_is_too_long_is_not_sent_again_in_another_form(web: httpx.Client) -> None:
    refusal = error_reply(400, "maximum context length is 8 tokens", code="context_length_exceeded")
    with serving(lambda asked: refusal) as endpoint:
        with pytest.raises(ModelError) as caught:
            chat(endpoint, web).ask(SHAPED)
        assert not caught.value.transient
        assert len(endpoint.asked) == 1


def test_silence_is_a_time_out_and_may_be_tried_again(web: httpx.Client) -> None:
    with serving(lambda asked: Reply({}, hang=True)) as endpoint:
        with pytest.raises(ModelError) as caught:
            chat(endpoint, web, timeout=0.3).ask(SHAPED)
        assert caught.value.transient


@pytest.mark.parametrize(
    ("reply", "transient"),
    [
        (chat_reply('{"places": [{"ci', finish="length"), False),
        (chat_reply(None, refusal="SECRET"), False),
        (chat_reply(""), True),
    ],
    ids=["cut", "refused", "empty"],
)
def test_answers_that_are_none(web: httpx.Client, reply: Reply, transient: bool) -> None:
    with serving(lambda asked: reply) as endpoint:
        with pytest.raises(ModelAnswerError) as caught:
            chat(endpoint, web).ask(SHAPED)
        assert caught.value.transient is transient
        assert "SECRET" not in str(caught.value)


def test_openais_embeddings_work_without_a_vocabulary(web: httpx.Client) -> None:
    with serving(lambda asked: embedding_reply([[3.0, 4.0]] * len(asked["input"]))) as endpoint:
        embeddings = OpenAIEmbeddings(
            model="small",
            base_url=endpoint.url,
            api_key=SecretStr("k"),
            check_embedding_ctx_length=False,
            http_client=web,
        )
        embedder = LangChainEmbedder(embeddings)
        assert embedder.name == "OpenAIEmbeddings:small"
        assert embedder.embed_documents(["a", ""]).tolist() == [[pytest.approx(0.6), pytest.approx(0.8)]] * 2
        assert embedder.dimension == 2
    assert endpoint.asked[0]["input"] == ["a", " "]
