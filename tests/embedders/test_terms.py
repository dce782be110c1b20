from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryos_core.errors import ConfigError
from memoryos_core.providers.embedders import TermEmbedder
from memoryos_core.rules.text.words import terms


@given(st.lists(st.text(max_size=80), max_size=6))
def test_length_is_one_where_there_are_terms_and_zero_where_there_are_none(texts):
    vectors = TermEmbedder().embed_documents(texts)
    for text, vector in zip(texts, vectors, strict=True):
        length = float(np.linalg.norm(vector))
        if not terms(text):
            assert length == 0
        else:
            # Two terms may share a cell with opposite signs and cancel to nothing.
            assert abs(length - 1) < 1e-5 or length == 0


@given(st.text(max_size=60), st.text(max_size=60))
def test_word_order_and_repeated_spaces_do_not_matter(left, right):
    embedder = TermEmbedder()
    np.testing.assert_allclose(
        embedder.embed_query(f"{left}\n \n{right}"), embedder.embed_query(f"{right}\n{left}"), atol=1e-6
    )


def test_inflections_of_a_word_are_the_same_term():
    embedder = TermEmbedder()
    assert float(embedder.embed_query("moving moved moves") @ embedder.embed_query("move")) > 0.99


def test_long_texts_without_a_common_word_stay_apart():
    left = " ".join(f"left{n}" for n in range(200))
    right = " ".join(f"right{n}" for n in range(200))
    embedder = TermEmbedder()
    assert abs(float(embedder.embed_query(left) @ embedder.embed_query(right))) < 0.3


def test_another_process_gives_the_same_vector():
    code = (
        "from memoryos_core.providers.embedders import TermEmbedder; import sys;"
        "sys.stdout.buffer.write(TermEmbedder().embed_query('harbour and 港 lights').tobytes())"
    )
    there = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, env={"PYTHONHASHSEED": "7"})
    np.testing.assert_array_equal(
        np.frombuffer(there.stdout, np.float32), TermEmbedder().embed_query("harbour and 港 lights")
    )


def test_the_width_is_part_of_the_name():
    assert TermEmbedder(64).name != TermEmbedder().name
    with pytest.raises(ConfigError):
        TermEmbedder(0)
