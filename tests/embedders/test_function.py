from __future__ import annotations

import numpy as np
import pytest

from memoryos_core.errors import ClosedError, ConfigError, ModelError
from memoryos_core.providers.embedders import CallableEmbedder


def _three(texts: list[str]) -> list[list[float]]:
    return [[3.0, 4.0, 0.0] for _ in texts]


def test_vectors_are_normalised_and_the_width_is_learnt():
    embedder = CallableEmbedder(_three)
    np.testing.assert_allclose(embedder.embed_query("x"), [0.6, 0.8, 0.0])
    assert embedder.dimension == 3
    assert embedder.name == "_three"


def test_the_width_is_asked_for_once():
    asked: list[list[str]] = []

    def embed(texts: list[str]) -> list[list[float]]:
        asked.append(texts)
        return _three(texts)

    embedder = CallableEmbedder(embed)
    assert (embedder.dimension, embedder.dimension) == (3, 3)
    assert len(asked) == 1
    assert CallableEmbedder(embed, dimension=3).dimension == 3
    assert len(asked) == 1


def test_a_question_may_embed_differently():
    embedder = CallableEmbedder(_three, embed_query=lambda text: [0.0, 0.0, 5.0])
    np.testing.assert_allclose(embedder.embed_query("x"), [0, 0, 1])
    np.testing.assert_allclose(embedder.embed_documents(["x"]), [[0.6, 0.8, 0]])


@pytest.mark.parametrize(
    "answer",
    [
        None,
        "vectors",
        [],
        [[1.0, 2.0]],
        [[1.0, 2.0], [1.0]],
        [[], []],
        [1.0, 2.0],
        [["a", "b"], ["c", "d"]],
        [[1.0, float("nan")], [1.0, 2.0]],
        [[1.0, float("inf")], [1.0, 2.0]],
    ],
)
def test_answers_of_another_shape_are_errors(answer):
    with pytest.raises(ModelError) as caught:
        CallableEmbedder(lambda texts: answer).embed_documents(["a secret", "b"])
    assert "secret" not in str(caught.value)


def test_another_width_than_before_is_an_error():
    widths = iter((3, 4))
    embedder = CallableEmbedder(lambda texts: np.ones((len(texts), next(widths))))
    embedder.embed_query("x")
    with pytest.raises(ModelError):
        embedder.embed_query("x")


@pytest.mark.parametrize(
    ("raised", "transient"),
    [(TimeoutError("a secret"), True), (KeyError("a secret"), True), (TypeError("a secret"), False)],
)
def test_whatever_it_raises_becomes_a_model_error_without_its_words(raised, transient):
    def fail(texts: list[str]) -> object:
        raise raised

    with pytest.raises(ModelError) as caught:
        CallableEmbedder(fail).embed_query("x")
    assert caught.value.transient is transient
    assert "secret" not in str(caught.value)
    assert caught.value.__cause__ is raised


@pytest.mark.parametrize("raised", [ClosedError("ours"), KeyboardInterrupt()])
def test_our_own_errors_and_interrupts_pass(raised):
    def fail(texts: list[str]) -> object:
        raise raised

    with pytest.raises(type(raised)):
        CallableEmbedder(fail).embed_query("x")


def test_what_is_not_callable_is_refused():
    with pytest.raises(ConfigError):
        CallableEmbedder(3)  # type: ignore[arg-type]
