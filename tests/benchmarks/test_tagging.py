"""The trainer reads marked lines, makes arrays and other forms of them, and says how well lines are read."""

from __future__ import annotations

import itertools
import json
import struct
from pathlib import Path

import numpy as np
import pytest

from benchmarks import tagging as training
from memoryos_core.extract import tagging
from memoryos_core.extract.word_tokens import own_tokens

TOWNS = ("Leeds", "York", "Hull", "Bath")


def test_a_line_is_its_text_and_its_marks() -> None:
    read = training.read_line("moved from {no home:Leeds} to {home:York}, {wish:short answers pls}")
    assert read.text == "moved from Leeds to York, short answers pls"
    assert [(read.text[mark.start : mark.end], mark.label, mark.status) for mark in read.marks] == [
        ("Leeds", "home", "no"),
        ("York", "home", "now"),
        ("short answers pls", "wish", "now"),
    ]


def test_every_line_is_marked_with_labels_that_are_told_of() -> None:
    known = {*tagging.LABELS[1:], "wish"}
    lines = (training.SENTENCES / "marked.txt").read_text("utf-8").split("\n")
    assert not [line for line in lines if any(mark.label not in known for mark in training.read_line(line).marks)]
    assert not [line for line in lines if "{" in training.read_line(line).text]


def test_messages_are_arrays_with_what_is_marked() -> None:
    material = training.Material({"leeds": 0, "from": 1, "##s": 2, "york": 3})
    said = training.read_line("from {no home:Leeds}, {wish:be short}")
    arrays = material.arrays_of([said, training.Marked("york", (), only_wish=True)])
    assert arrays["pieces"][0, :2, 0].tolist() == [1, 0]
    assert arrays["label"][0].tolist() == [0, tagging.LABELS.index("home"), 0, 0, 0]
    assert arrays["status"][0].tolist() == [-100, tagging.STATUSES.index("no"), -100, -100, -100]
    assert arrays["wish"].tolist() == [[0, 0, 0, 1, 1], [0, -100, -100, -100, -100]]
    assert arrays["label"][1].tolist() == [-100] * 5
    assert arrays["classes"][0, 1, material.class_names.index("place")] == 1


def test_other_forms_of_messages_keep_their_marks() -> None:
    messages = [training.read_line(f"I live in {{home:{town}}}, {{age:{at}}}") for at, town in enumerate(TOWNS)]
    variations = training.Variations(messages)
    values = {mark.label: set[str]() for message in messages for mark in message.marks}
    for _ in range(40):
        for one, other in itertools.pairwise(messages):
            varied = variations.vary(one, other)
            for mark in varied.marks:
                values[mark.label].add(varied.text[mark.start : mark.end])
    assert values["age"] == {str(at) for at in range(len(TOWNS))}
    assert values["home"] == {*TOWNS, *map(str.lower, TOWNS)}


def test_training_begins_of_the_first_layers_of_the_encoder(tmp_path: Path) -> None:
    """Written as its authors write them, read back, narrowed, stored and computed with."""
    draw = np.random.default_rng(0)
    shapes: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings": (300, 384),
        "embeddings.position_embeddings": (512, 384),
    }
    shapes |= {"embeddings.token_type_embeddings": (2, 384), "embeddings.LayerNorm": (384,)}
    for layer in range(tagging.LAYERS):
        of = f"encoder.layer.{layer}"
        shapes |= {f"{of}.attention.self.{part}": (384, 384) for part in ("query", "key", "value")}
        shapes |= {f"{of}.attention.output.dense": (384, 384), f"{of}.intermediate.dense": (1536, 384)}
        shapes |= {f"{of}.output.dense": (384, 1536)}
        shapes |= {f"{of}.{norm}.LayerNorm": (384,) for norm in ("attention.output", "output")}
    header, body = {}, b""
    for name, shape in shapes.items():
        for kind, size in (("weight", shape), ("bias", shape[:1])):
            value = draw.standard_normal(size).astype(np.float32).tobytes()
            offsets = [len(body), len(body) + len(value)]
            header[f"{name}.{kind}"] = {"dtype": "F32", "shape": list(size), "data_offsets": offsets}
            body += value
    told = json.dumps(header).encode()
    (tmp_path / "model.safetensors").write_bytes(struct.pack("<Q", len(told)) + told + body)
    whole = training.read_safetensors(tmp_path / "model.safetensors")
    assert {name.rpartition(".")[0] for name in whole} == set(shapes)
    material = training.Material({f"piece{number}": number for number in range(300)})
    weights = training.begin_of(whole, len(material.class_names))
    assert weights["0.inner"].shape == (training.INNER, training.WIDTH)
    vectors = weights["pieces"] @ weights["up"].T + weights["up.bias"]
    words = whole["embeddings.word_embeddings.weight"]
    assert np.square(vectors - words).sum() < np.square(words - words.mean(axis=0)).sum()
    reading = tagging.Tagger(material.stored(weights)).read(own_tokens("piece7 is here"))
    assert reading.labels.shape == (4, len(tagging.LABELS))
    again = training.weights_of(material.stored(weights))
    assert set(again) == set(weights)
    assert max(float(np.abs(again[name] - weights[name]).max()) for name in weights) < 0.05


def test_a_further_round_has_the_newest_lines_several_times_among_others() -> None:
    messages = [training.read_line(f"line {number}") for number in range(60)]
    texts = [message.text for message in training.with_newest(messages, 4)]
    assert all(texts.count(message.text) == 6 for message in messages[-4:])
    assert sorted(text for text in texts if texts.count(text) == 1) == sorted(m.text for m in messages[:-4])


def test_how_well_messages_are_read_is_shown(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    training.measure(tagging.tagger(), training.read_messages()[:400])
    shown = capsys.readouterr().out
    assert "| all |" in shown
    assert "| messages with: least |" in shown
    (tmp_path / "chat.txt").write_text("they've put me on ramipril 5 mg\n", "utf-8")
    training.main(["--read", str(tmp_path / "chat.txt")])
    assert "medication ramipril 5 mg" in capsys.readouterr().out


def test_without_an_encoder_nothing_is_trained(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        training.main(["--write"])
    assert "--encoder FOLDER is needed" in capsys.readouterr().err
