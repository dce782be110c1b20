"""SPLADE weights on the real runtime: a model small enough to be written by hand, and one that does not fit."""

from __future__ import annotations

import json
import struct
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from memoryos_core.errors import ConfigError, MissingExtraError, ModelError
from memoryos_core.ports import SparseEncoder, SparseVector
from memoryos_core.providers.embedders.runtime import OnnxOptions, batches
from memoryos_core.providers.embedders.sparse import SpladeEncoder
from memoryos_core.providers.embedders.weights import find_weights

WORDS = ("[PAD]", "[UNK]", "boat", "ship", "doctor", "the")
# What each word weighs on itself and the others, as a model would have learnt: a ship is a boat, "the" is nothing.
LEARNT = {("boat", "boat"): 2.0, ("ship", "ship"): 2.0, ("ship", "boat"): 1.0, ("doctor", "doctor"): 3.0}


def _number(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes((*out, value))


def _field(number: int, value: int | str | bytes) -> bytes:
    """One field of a protocol buffer."""
    if isinstance(value, int):
        return _number(number << 3) + _number(value)
    data = value.encode() if isinstance(value, str) else value
    return _number(number << 3 | 2) + _number(len(data)) + data


def _value(name: str, kind: int, dimensions: Sequence[str]) -> bytes:
    shape = b"".join(_field(1, _field(2, dimension)) for dimension in dimensions)
    return _field(1, name) + _field(2, _field(1, _field(1, kind) + _field(2, shape)))


def onnx_model(table: np.ndarray) -> bytes:
    """The largest over all tokens of a row of the table each, as ONNX: Gather, then ReduceMax over the tokens."""
    gather = b"".join((_field(1, "table"), _field(1, "input_ids"), _field(2, "rows"), _field(4, "Gather")))
    axes = _field(1, "axes") + _field(8, 1) + _field(20, 7)
    kept = _field(1, "keepdims") + _field(3, 0) + _field(20, 2)
    largest = _field(1, "rows") + _field(2, "weights") + _field(4, "ReduceMax") + _field(5, axes) + _field(5, kept)
    raw = b"".join(struct.pack("<f", number) for number in table.ravel().tolist())
    tensor = b"".join(_field(1, n) for n in table.shape) + _field(2, 1) + _field(8, "table") + _field(9, raw)
    graph = b"".join(
        (
            *(_field(1, gather), _field(1, largest), _field(2, "tiny"), _field(5, tensor)),
            *(_field(11, _value("input_ids", 7, ("b", "t"))), _field(12, _value("weights", 1, ("b", "v")))),
        )
    )
    return _field(1, 8) + _field(7, graph) + _field(8, _field(1, "") + _field(2, 13))


@pytest.fixture(scope="session")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("splade")
    table = np.zeros((len(WORDS), len(WORDS)), dtype=np.float32)
    for (said, meant), weight in LEARNT.items():
        table[WORDS.index(said), WORDS.index(meant)] = weight
    (folder / "model.onnx").write_bytes(onnx_model(table))
    parts = ("truncation", "padding", "normalizer", "pre_tokenizer", "post_processor", "decoder")
    tokenizer: dict[str, object] = {"version": "1.0", "added_tokens": [], **dict.fromkeys(parts)}
    tokenizer["normalizer"], tokenizer["pre_tokenizer"] = {"type": "Lowercase"}, {"type": "Whitespace"}
    vocabulary = {word: number for number, word in enumerate(WORDS)}
    tokenizer["model"] = {"type": "WordLevel", "vocab": vocabulary, "unk_token": "[UNK]"}
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer), encoding="utf-8")
    return folder


def said(vector: SparseVector) -> dict[str, float]:
    terms, numbers = vector
    assert (terms.dtype.name, numbers.dtype.name) == ("int32", "float32")
    return {WORDS[term]: weight for term, weight in zip(terms.tolist(), numbers.tolist(), strict=True)}


def test_a_text_is_the_terms_that_it_means_without_those_of_no_weight(weights: Path) -> None:
    encoder: SparseEncoder = SpladeEncoder(weights)
    boat, both, nothing = encoder.encode_documents(["the Ship", "the boat, the ship, a doctor", "the"])
    assert said(boat) == {"boat": 1.0, "ship": 2.0}
    assert said(both) == {"boat": 2.0, "ship": 2.0, "doctor": 3.0}
    assert said(nothing) == {}
    assert said(encoder.encode_query("ship")) == said(boat)
    assert encoder.name.startswith("onnx-")


def test_a_text_says_the_same_alone_and_among_others_of_any_length(weights: Path) -> None:
    texts = ["boat", "", "ship " * 700, "the " * 200 + "doctor", "doctor boat"] * 40
    encoder = SpladeEncoder(weights, options=OnnxOptions(batch_size=7))
    together = encoder.encode_documents(texts)
    assert [said(vector) for vector in together] == [said(encoder.encode_query(text)) for text in texts]


def test_a_batch_is_bounded_by_its_tokens() -> None:
    rows = [[2] * 256] * 6 + [[2]] * 40
    found = list(batches(rows, most_tokens=1024, most_rows=32))
    assert sorted(i for picked in found for i in picked) == list(range(46))
    assert max(len(picked) * max(len(rows[i]) for i in picked) for picked in found) <= 1024
    assert max(map(len, found)) == 32
    assert list(batches([[2] * 5000], most_tokens=1024, most_rows=32)) == [[0]]


def test_no_texts_are_no_answers(weights: Path) -> None:
    assert SpladeEncoder(weights).encode_documents([]) == []


def test_what_follows_the_ceiling_is_not_read_and_half_a_pair_is_no_obstacle(weights: Path) -> None:
    encoder = SpladeEncoder(weights, options=OnnxOptions(max_tokens=2))
    assert said(encoder.encode_query("boat boat doctor")) == {"boat": 2.0}
    assert said(encoder.encode_query("\ud83d boat")) == {"boat": 2.0}


def test_prefixes_are_put_before(weights: Path) -> None:
    encoder = SpladeEncoder(weights, options=OnnxOptions(query_prefix="doctor ", document_prefix="ship "))
    assert said(encoder.encode_query("the")) == {"doctor": 3.0}
    assert said(encoder.encode_documents(["the"])[0]) == {"boat": 1.0, "ship": 2.0}


def test_a_model_that_does_not_pool_is_refused(tmp_path: Path) -> None:
    minilm = find_weights()
    assert minilm is not None
    (tmp_path / "model.onnx").symlink_to(minilm.model)
    (tmp_path / "tokenizer.json").symlink_to(minilm.tokenizer)
    with pytest.raises(ModelError, match="one row of weights a text") as caught:
        SpladeEncoder(tmp_path).encode_query("boat")
    assert not caught.value.transient


def test_numbers_that_are_none_are_refused(tmp_path: Path, weights: Path) -> None:
    (tmp_path / "model.onnx").write_bytes(onnx_model(np.full((len(WORDS), 3), np.inf, dtype=np.float32)))
    (tmp_path / "tokenizer.json").symlink_to(weights / "tokenizer.json")
    with pytest.raises(ModelError, match="no finite numbers"):
        SpladeEncoder(tmp_path).encode_documents(["boat"])


def test_missing_and_damaged_files_are_named(tmp_path: Path, weights: Path) -> None:
    with pytest.raises(ConfigError, match=r"model\.onnx"):
        SpladeEncoder(tmp_path)
    (tmp_path / "model.onnx").write_bytes(b"not a model")
    (tmp_path / "tokenizer.json").symlink_to(weights / "tokenizer.json")
    with pytest.raises(ModelError, match="loading"):
        SpladeEncoder(tmp_path).encode_query("boat")


def test_no_runtime_names_the_extra(monkeypatch: pytest.MonkeyPatch, weights: Path) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(MissingExtraError, match=r"memoryos-tiered\[local\]"):
        SpladeEncoder(weights)


def test_making_one_loads_nothing(weights: Path) -> None:
    code = f"""
import sys
from memoryos_core.providers.embedders.sparse import SpladeEncoder
SpladeEncoder({str(weights)!r})
print([name for name in ("onnxruntime", "tokenizers") if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=120)
    assert done.stdout.strip() == "[]", done.stderr
