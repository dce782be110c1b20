"""The readers of LoCoMo-Plus, PersonaMem, GVD and MemoryBench, and of large files; what a wrong form is told."""

from __future__ import annotations

import importlib.util
import json
from datetime import datetime
from pathlib import Path

import pytest

from benchmarks import memorybench, reading
from benchmarks.datasets import DATASETS, load, load_labelled
from benchmarks.forms import FormError, describe, shape
from benchmarks.reading import JsonItems, literal
from benchmarks.talks import Question
from tests.benchmarks import published_files as files
from tests.benchmarks.files import locomo, longmemeval
from tests.benchmarks.published_files import cue, write, write_lines, write_table


def test_locomo_plus_puts_cues_between_sessions(tmp_path: Path) -> None:
    write(tmp_path / "locomo10.json", [locomo(), locomo("conv-2", "Oslo")])
    path = write(tmp_path / "locomo_plus.json", [cue(1), cue(2), cue(3)])
    first, second = load("locomo-plus", path)
    assert [[turn.id for turn in session] for session in first.sessions] == [
        ["D1:1", "D1:2", "D1:3"],
        ["plus-0:1", "plus-0:2"],
        ["D3:1", "D3:2"],
        ["plus-2:1", "plus-2:2"],
    ]
    assert [(turn.speaker, turn.text, turn.session, turn.when) for turn in first.sessions[1]] == [
        ("Ada", "I learnt to say no 1 times.", 1, datetime(2023, 5, 8, 14, 56)),
        ("Ben", "That helps.", 1, datetime(2023, 5, 8, 14, 56)),
    ], "an hour after the session before"
    assert {turn.session for turn in first.sessions[2]} == {2}
    assert first.questions == (
        Question("plus-0", "I took on 1 tasks and am worn out.", "causal", ("plus-0:1",)),
        Question("plus-2", "I took on 3 tasks and am worn out.", "causal", ("plus-2:1",)),
    )
    assert [question.id for question in second.questions] == ["plus-1"]
    assert "leak" not in repr(first)


def test_a_part_of_locomo_plus_lies_beside_its_part_of_locomo(tmp_path: Path) -> None:
    write(tmp_path / "locomo-dev.json", [locomo()])
    short = {"id": "p-7", "kind": "goal", "cue": "A: I save for a boat.", "trigger": "A: I bought shoes.", "gap": ""}
    [talk] = load("locomo-plus", write(tmp_path / "locomo-plus-dev.json", [short]))
    assert [(q.id, q.category, q.gold) for q in talk.questions] == [("p-7", "goal", ("p-7:1",))]
    alone = write(tmp_path / "alone" / "locomo_plus.json", [short])
    with pytest.raises(FormError, match=r"is not beside it: put locomo10\.json there"):
        load("locomo-plus", alone)


def test_personamem_is_asked_before_each_place(tmp_path: Path) -> None:
    early, late = load("personamem", files.personamem(tmp_path))
    assert (early.name, late.name) == ("abc@3", "abc@6")
    assert [[(turn.id, turn.speaker, turn.text) for turn in session] for session in late.sessions] == [
        [("M1", "user", "My hives stand behind the barn."), ("M2", "assistant", "How many are there?")],
        [("M4", "user", "I sold the tractor."), ("M5", "assistant", "What did you get for it?")],
    ]
    assert early.sessions == late.sessions[:1], "nothing that comes later is known"
    assert [question.id for question in early.questions] == ["q1", "q3"]
    assert early.questions[0] == Question(
        "q1",
        "Where could I put a bench?",
        "recall_user_shared_facts",
        (),
        "Near your hives.",
        options=("On the roof.", "Near your hives.", "In town.", "Nowhere."),
    )
    [second] = late.questions
    assert (second.answer, second.options) == ("Tea", ("Tea", "It's mead", "Milk", "Rum"))
    assert "leak" not in repr((early, late))
    with pytest.raises(FormError, match=r"label no evidence in .*: benchmarks\.answers has its questions answered"):
        load_labelled("personamem", tmp_path / "questions_32k.csv")


def test_personamem_of_the_second_version(tmp_path: Path) -> None:
    path = files.personamem_v2(tmp_path)
    [talk] = load("personamem", path)
    assert [(turn.id, turn.text) for turn in talk.turns] == [
        ("M1", "I only drink oat milk."),
        ("M2", "Noted."),
        ("M3", "Write a letter."),
        ("M4", "Dear all."),
        ("M5", "Write a letter."),
    ]
    first, second, third = talk.questions
    assert (first.id, first.text, first.category) == ("7/0", "What's a good drink?", "neutral_preferences")
    assert first.gold == ("M1", "M2")
    assert second.gold == third.gold == (), "a snippet that stands there twice labels nothing"
    assert first.answer == "A flat white with oat milk."
    assert sorted(first.options) == ["A cappuccino.", "A flat white with oat milk.", "A tea with cream.", "Water."]
    assert first.options == load("personamem", path)[0].questions[0].options, "always in the same order"
    assert len({question.options for question in talk.questions}) > 1
    assert "leak" not in repr(talk)
    assert [talk.questions for talk in load_labelled("personamem", path)] == [(first,)]
    [longer] = load("personamem-128k", path)
    assert longer.turns[-1].text == "And one more."


def test_gvd(tmp_path: Path) -> None:
    [talk] = load("gvd", files.gvd(tmp_path))
    assert talk.name == "Odile"
    assert [(turn.id, turn.speaker, turn.text, turn.session, turn.when) for turn in talk.turns] == [
        ("D1:1", "user", "Hello, I am Odile.", 0, datetime(2023, 4, 27)),
        ("D1:2", "assistant", "Hello!", 0, datetime(2023, 4, 27)),
        ("D1:3", "assistant", "Are you there?", 0, datetime(2023, 4, 27)),
        ("D2:1", "user", "I painted the shed green.", 1, datetime(2023, 4, 28)),
        ("D2:2", "assistant", "Well done!", 1, datetime(2023, 4, 28)),
    ]
    assert [(q.id, q.text, q.gold, q.answer) for q in talk.questions] == [
        ("Odile/0", "Which colour has my shed?", (), ""),
        ("Odile/1", "What is my name?", (), ""),
    ]
    assert "leak" not in repr(talk)


def test_memorybench(tmp_path: Path) -> None:
    series, laws, dialogue = load("memorybench", files.memorybench(tmp_path))
    assert [talk.name for talk in (series, laws, dialogue)] == ["DialSim-village", "LexEval-QA", "Locomo-2"]
    assert [(q.id, q.text, q.category, q.gold, q.answer) for q in dialogue.questions] == [
        ("Locomo-2/0", "Question 0?", "single-hop", ("D1:1",), "Lisbon"),
        ("Locomo-2/2", "Question 2?", "multi-hop", ("D1:2", "D3:2"), "2"),
    ]
    assert [turn.id for turn in dialogue.turns] == ["D1:1", "D1:2", "D1:3", "D3:1", "D3:2"]
    assert [(turn.id, turn.speaker, turn.text, turn.when) for turn in series.turns] == [
        ("D1:1", "Rosa", "Who bakes?", datetime(1994, 9, 22)),
        ("D1:2", "Piet", "The baker: he is up at four.", datetime(1994, 9, 22)),
        ("D2:1", "Rosa", "Good bread.", datetime(1994, 9, 23)),
    ]
    assert series.speakers == ("Rosa", "Piet")
    assert [(q.text, q.answer) for q in series.questions] == [("Answer shortly. Question 0?", "the baker")]
    assert [[turn.text for turn in session] for session in laws.sessions] == [
        ["How do I object?", "In writing."],
        ["How do I object?"],
    ], "where there is no corpus, what was said in training is the memory"
    assert "leak" not in repr((series, laws, dialogue))
    assert [talk.name for talk in load_labelled("memorybench", tmp_path)] == ["Locomo-2"]


def test_memorybench_as_arrow_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    part = tmp_path / "Locomo-2"
    with pytest.raises(FormError, match=r"Locomo-2 has neither test/\*\.arrow nor test\.jsonl"):
        list(memorybench.read_rows(part, "test"))
    rows = files.memorybench_rows("Locomo-2")
    file = part / "test" / "data-00000-of-00001.arrow"
    file.parent.mkdir(parents=True)
    if importlib.util.find_spec("pyarrow"):
        pyarrow = importlib.import_module("pyarrow")
        table = pyarrow.Table.from_pylist(rows)
        with pyarrow.OSFile(str(file), "wb") as sink, pyarrow.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table)
        assert list(memorybench.read_rows(part, "test")) == rows
    file.write_bytes(b"")
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(ModuleNotFoundError, match="'pyarrow' is not installed; run: uv pip install --group peers"):
        list(memorybench.read_rows(part, "test"))


@pytest.mark.parametrize("chunk", [1, 7, 64, 2**20])
def test_a_list_of_objects_is_read_one_by_one(tmp_path: Path, chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "_CHUNK", chunk)
    values = [{"a": 'é{}[]"\\, 日本'}, {}, {"b": [{"c": 1}]}]
    path = tmp_path / "list.json"
    for text in (json.dumps(values), json.dumps(values, ensure_ascii=False, indent=2), json.dumps(values) + "\n"):
        path.write_text(text, encoding="utf-8")
        items = JsonItems(path)
        assert list(items) == values
        assert items[-1] == values[-1]
        assert list(items[1:]) == values[1:]
    path.write_text(" [ ] ", encoding="utf-8")
    assert list(JsonItems(path)) == []
    for text in ("{}", "", '[{"a": 1}', '[{"a": 1}, 5]', '[{"a": }]'):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(FormError):
            JsonItems(path)


def test_longmemeval_is_not_held_in_memory(tmp_path: Path) -> None:
    path = write(tmp_path / "m.json", [longmemeval("q1"), longmemeval("q2_abs"), longmemeval("q3")])
    talks = load("longmemeval", path)
    assert [talk.name for talk in talks] == ["q1", "q3"]
    assert talks[1] == talks[-1]
    assert talks[1] is not talks[1], "each is read anew"
    assert [talk.name for talk in talks[1:]] == ["q3"]


SECRET = "Odile painted the shed"


@pytest.mark.parametrize("dataset", sorted(DATASETS))
def test_another_form_is_told_without_a_word_of_it(dataset: str, tmp_path: Path) -> None:
    files_of_all = (
        write(tmp_path / "list.json", [{"messages": [SECRET], SECRET: 1}]),
        write(tmp_path / "object.json", {SECRET: SECRET}),
        write(tmp_path / "texts.json", [SECRET, SECRET]),
        write_lines(tmp_path / "lines.jsonl", [{"said": SECRET}, {"said": SECRET}]),
        write_table(tmp_path / "table.csv", [{"said": SECRET, SECRET: SECRET}]),
        tmp_path / "text.txt",
        tmp_path / "folder",
        tmp_path / "empty",
    )
    (tmp_path / "text.txt").write_text(SECRET, encoding="utf-8")
    write(tmp_path / "folder" / "1" / "chat.json", [SECRET])
    (tmp_path / "empty").mkdir()
    for path in files_of_all:
        with pytest.raises(FormError) as caught:
            load(dataset, path)
        said = str(caught.value)
        assert said.startswith(f"{path} is not of the form of {dataset}: ")
        assert f" Expected: {DATASETS[dataset].form}. Found: " in said
        assert "Odile" not in said
        assert caught.value.__cause__ is None


@pytest.mark.parametrize(
    ("build", "dataset", "broken", "told"),
    [
        (files.personamem, "personamem", {"correct_answer": "(e)"}, "correct_answer is not the letter of an option"),
        (files.personamem, "personamem", {"shared_context_id": "gone"}, "lacks the context of a question"),
        (files.personamem, "personamem", {"all_options": "(a) one"}, "a cell holds neither JSON nor a literal"),
        (files.personamem, "personamem-128k", {}, ""),
    ],
)
def test_a_broken_table_is_told(build, dataset: str, broken: dict[str, object], told: str, tmp_path: Path) -> None:
    path = build(tmp_path)
    write_table(path, [files.personamem_question(1, 3, **broken)])
    if not told:
        assert load(dataset, path), "version 1 says its size in the name of its file"
        return
    with pytest.raises(FormError, match=told):
        load(dataset, path)


def test_what_lies_beside_is_missed(tmp_path: Path) -> None:
    path = files.personamem(tmp_path)
    (tmp_path / "shared_contexts_32k.jsonl").unlink()
    with pytest.raises(FormError, match=r"its contexts are not beside it: shared_contexts_32k\.jsonl is missing"):
        load("personamem", path)
    second = files.personamem_v2(tmp_path / "v2")
    (tmp_path / "v2/data/chat_history_32k/p7.json").unlink()
    with pytest.raises(FormError, match="a history that the table links to"):
        load("personamem", second)
    folder = files.gvd(tmp_path / "gvd")
    write_lines(folder / "probing_questions_en.jsonl", [{"Odette": ["Who?"]}])
    with pytest.raises(FormError, match="1 users of the questions have no history"):
        load("gvd", folder)


def test_a_form_is_described_by_its_fields(tmp_path: Path) -> None:
    assert shape([]) == "an empty list"
    assert shape({"qa": 1, "Ada": 2, "two words": 3}) == "an object with the fields qa, 2 others"
    assert shape([[1.5]]) == "a list of 1, the first a list of 1, the first a number"
    assert shape({}) == "an object with the fields none"
    assert describe(write(tmp_path / "a.json", {"b": 1})) == "JSON, an object with the fields b"
    assert describe(write_lines(tmp_path / "b.jsonl", [{"b": 1}, {}])) == "JSON Lines, 2 × an object with the fields b"
    assert describe(tmp_path) == "a folder with 1 × .json, 1 × .jsonl"


def test_literals() -> None:
    assert literal('["a"]') == literal("['a']") == ["a"]
    with pytest.raises(FormError, match="neither JSON nor a literal"):
        literal("open('x')")
