from __future__ import annotations

import sys
import traceback
from typing import Any

import numpy as np
import pytest

from memoryos_core.errors import ConfigError, MissingExtraError, ModelError
from memoryos_core.providers.embedders import close_embedder
from memoryos_core.providers.embedders.openai import EmbeddingOptions, OpenAIEmbedder
from tests.llms.endpoint import Reply, embedding_reply, error_reply, serving

QUICK = EmbeddingOptions(max_retries=0, timeout_seconds=2.0)


def _numbered(asked: dict[str, Any]) -> Reply:
    return embedding_reply([[float(len(text)), 1.0] for text in asked["input"]])


def test_batches_are_cut_by_count_and_come_back_in_order():
    with serving(_numbered) as endpoint:
        embedder = OpenAIEmbedder("m", base_url=endpoint.url, options=EmbeddingOptions(batch_size=3))
        texts = ["x" * n for n in (7, 1, 9, 3, 5, 2, 8)]
        vectors = embedder.embed_documents(texts)
    np.testing.assert_allclose(vectors[:, 0] / vectors[:, 1], [len(t) for t in texts], rtol=1e-4)
    assert [len(asked["input"]) for asked in endpoint.asked] == [3, 3, 1]


def test_batches_are_cut_by_size():
    with serving(_numbered) as endpoint:
        OpenAIEmbedder("m", base_url=endpoint.url).embed_documents(["y" * 9000] * 40)
    assert [len(asked["input"]) for asked in endpoint.asked] == [31, 9]
    assert all(len(text) == 8000 for asked in endpoint.asked for text in asked["input"])


def test_a_cut_never_splits_a_character():
    with serving(_numbered) as endpoint:
        embedder = OpenAIEmbedder("m", base_url=endpoint.url, options=EmbeddingOptions(max_bytes=10))
        embedder.embed_documents(["猫" * 9, "", "a\ud800b"])
    assert endpoint.asked[0]["input"] == ["猫猫猫", " ", "a?b"]


def test_the_width_is_asked_for_once_and_may_be_given():
    with serving(_numbered) as endpoint:
        embedder = OpenAIEmbedder("m", base_url=endpoint.url)
        assert (embedder.dimension, embedder.dimension) == (2, 2)
        assert OpenAIEmbedder("m", base_url=endpoint.url, dimension=2).dimension == 2
    assert len(endpoint.asked) == 1


def test_another_width_than_expected_is_an_error():
    with serving(_numbered) as endpoint, pytest.raises(ModelError, match="shape"):
        OpenAIEmbedder("m", base_url=endpoint.url, dimension=3).embed_query("x")


def test_prefixes_and_shortening_are_sent_and_named():
    options = EmbeddingOptions(query_prefix="query: ", document_prefix="passage: ", shorten_to=2)
    with serving(_numbered) as endpoint:
        embedder = OpenAIEmbedder("m", base_url=endpoint.url, options=options)
        embedder.embed_query("tea")
        embedder.embed_documents(["tea"])
    assert [asked["input"] for asked in endpoint.asked] == [["query: tea"], ["passage: tea"]]
    assert endpoint.asked[0]["dimensions"] == 2
    assert embedder.name == "openai:m@2|passage:"


def test_vectors_are_put_where_they_say_they_belong():
    def reversed_answer(asked: dict[str, Any]) -> Reply:
        reply = _numbered(asked)
        reply.body["data"].reverse()
        return reply

    with serving(reversed_answer) as endpoint:
        vectors = OpenAIEmbedder("m", base_url=endpoint.url).embed_documents(["a", "bbb"])
    assert vectors[0, 0] < vectors[1, 0]


def _one_index(asked: dict[str, Any]) -> Reply:
    reply = _numbered(asked)
    for item in reply.body["data"]:
        item["index"] = 0
    return reply


@pytest.mark.parametrize(
    "answer",
    [
        lambda asked: embedding_reply([[1.0, 2.0]]),
        lambda asked: embedding_reply([[1.0, 2.0], [1.0]]),
        lambda asked: embedding_reply([[], []]),
        _one_index,
        lambda asked: Reply({"data": None}),
        lambda asked: Reply({"object": "list", "data": "no"}),
        lambda asked: Reply([1, 2]),
        lambda asked: Reply({}),
        lambda asked: Reply(b"<html>a secret</html>", content_type="text/html"),
        lambda asked: Reply(b"{a secret"),
    ],
)
def test_wrong_shapes_are_model_errors(answer):
    with serving(answer) as endpoint, pytest.raises(ModelError) as caught:
        OpenAIEmbedder("m", base_url=endpoint.url, options=QUICK).embed_documents(["a secret", "b"])
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("status", "transient"), [(400, False), (401, False), (404, False), (429, True), (500, True), (503, True)]
)
def test_refusals_are_sorted_and_keep_what_was_sent_to_themselves(status, transient):
    text = " ".join(["a", "secret"])  # a traceback shows the lines of this file, too
    with (
        serving(lambda asked: error_reply(status, f"cannot read {asked['input']}")) as endpoint,
        pytest.raises(ModelError, match=str(status)) as caught,
    ):
        OpenAIEmbedder("m", base_url=endpoint.url, api_key="sk-hush", options=QUICK).embed_query(text)
    assert caught.value.transient is transient
    assert text not in "".join(traceback.format_exception(caught.value))
    assert "hush" not in str(caught.value)


def test_a_passing_fault_is_tried_again():
    faults = iter((500, 503))

    def answer(asked: dict[str, Any]) -> Reply:
        status = next(faults, None)
        return error_reply(status, "busy") if status else _numbered(asked)

    with serving(answer) as endpoint:
        assert OpenAIEmbedder("m", base_url=endpoint.url).embed_query("x").shape == (2,)
    assert len(endpoint.asked) == 3


def test_a_closed_embedder_has_no_connection_and_opens_one_when_it_is_asked_again(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-hush")
    with serving(_numbered) as endpoint:
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        embedder = OpenAIEmbedder("m")
        monkeypatch.delenv("OPENAI_API_KEY")
        monkeypatch.delenv("OPENAI_BASE_URL")  # a closed one asks the same host again
        embedder.embed_query("x")
        client = embedder._client
        close_embedder(embedder)
        assert client.is_closed()
        assert embedder.embed_query("x").shape == (2,)
        close_embedder(embedder)
    assert len(endpoint.asked) == 2


def test_a_silent_server_is_a_passing_error():
    with serving(lambda asked: Reply({}, hang=True)) as endpoint, pytest.raises(ModelError) as caught:
        OpenAIEmbedder("m", base_url=endpoint.url, options=QUICK).embed_query("x")
    assert caught.value.transient


def test_no_server_is_a_passing_error():
    with serving(_numbered) as endpoint:
        url = endpoint.url
    with pytest.raises(ModelError) as caught:
        OpenAIEmbedder("m", base_url=url, options=QUICK).embed_query("x")
    assert caught.value.transient


def test_a_key_for_openai_is_not_sent_elsewhere(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-hush")
    with serving(_numbered) as endpoint:
        OpenAIEmbedder("m", base_url=endpoint.url).embed_query("x")
        OpenAIEmbedder("m", base_url=endpoint.url, api_key="given").embed_query("x")
    assert [h["authorization"] for h in endpoint.headers] == ["Bearer unused", "Bearer given"]


def test_no_key_and_no_package_are_said(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ConfigError, match="API key"):
        OpenAIEmbedder("m")
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(MissingExtraError, match=r"memoryos-tiered\[openai\]"):
        OpenAIEmbedder("m", api_key="k")
