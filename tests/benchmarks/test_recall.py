"""The whole command, on two tiny conversations; how long anything takes is asked of nobody here."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from benchmarks import peers, recall
from benchmarks.asking import Answered, ask
from benchmarks.talks import Question, Talk
from tests.benchmarks import published_files
from tests.benchmarks.files import locomo

ASKED = [f"conv-{talk}/{number}" for talk in (1, 2) for number in (0, 1, 4)]
SYSTEMS = ["words", "last", "bm25"]

Run = Callable[..., str]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "locomo.json"
    path.write_text(json.dumps([locomo(), locomo("conv-2", "Oslo")]), encoding="utf-8")
    return path


@pytest.fixture
def run(data: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    def command(*more: str, system: list[str] = SYSTEMS) -> str:
        recall.main(["--data", str(data), "--dataset", "locomo", "--system", *system, "--budget", "60", "20", *more])
        return capsys.readouterr().out

    return command


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is put to a system from here on."""
    found: list[str] = []

    def noted(system: str, talk: Talk, questions: Sequence[Question], budgets: Sequence[int]) -> Iterator[Answered]:
        found.extend(f"{system} {question.id}" for question in questions)
        return ask(system, talk, questions, budgets)

    monkeypatch.setattr(recall, "ask", noted)
    return found


def rows(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize(
    ("options", "label"),
    [
        (["--bursts", "2"], "bursts of 2"),
        (["--merge", "2"], "bursts of 2 merged"),
        (["--split"], "split"),
        (["--rename", "--other-first"], "renamed, swapped"),
    ],
)
def test_a_conversation_can_be_told_in_another_form(run: Run, options: list[str], label: str, tmp_path: Path) -> None:
    out = tmp_path / "rows.jsonl"
    said = run("--out", str(out), *options, system=["words", "bm25"])
    assert "6 questions with evidence" in said
    assert f"\ntold in another form: {label}\n" in said
    assert {row["change"] for row in rows(out)} == {label}


def test_forms_do_not_stand_for_one_another(run: Run, asked: list[str], tmp_path: Path) -> None:
    out = tmp_path / "rows.jsonl"
    run("--out", str(out), system=["last"])
    asked.clear()
    run("--out", str(out), "--resume", "--rename", system=["last"])
    assert asked == [f"last {question}" for question in ASKED]
    asked.clear()
    run("--out", str(out), "--resume", "--rename", system=["last"])
    run("--out", str(out), "--resume", system=["last"])
    assert asked == []
    assert [row["change"] for row in rows(out)] == [""] * 6 + ["renamed"] * 6


def test_peers_that_are_not_installed_are_left_out(run: Run, asked: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recall, "_COMPARED", ("words", "mem0", "bm25"))
    look = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "mem0" else look(name))
    peers._mem0.cache_clear()
    said = run(system=["peers", "last"])
    assert "\nleft out, mem0: 'mem0' is not installed; run: " in said
    assert asked == [f"{name} {question}" for name in ("words", "bm25", "last") for question in ASKED]
    with pytest.raises(SystemExit):
        run(system=["peers", "mem0"])


def test_every_system_is_asked_every_question(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "rows.jsonl"
    said = run("--out", str(out))
    assert "locomo: 2 conversations, 10 turns, 6 questions with evidence" in said
    assert "0 model calls by any system" in said
    lines = said.splitlines()
    assert "| system | R@20t | R@60t | R@10p | mean tokens | ms a question | of it embedder | questions |" in lines
    assert [line.split(" | ")[0] for line in lines if line.endswith(" | 6 |")] == [f"| {name}" for name in SYSTEMS]
    assert [line.split(" | ")[0] for line in lines if " - bm25 " in line] == ["| words - bm25", "| last - bm25"]
    assert [line.split(" | ")[1] for line in lines if line.startswith("| temporal")] == SYSTEMS
    kept = rows(out)
    assert [(row["system"], row["question_id"]) for row in kept] == [(name, q) for name in SYSTEMS for q in ASKED]
    assert all(row["recall"].keys() == row["missed"].keys() == {"R@20t", "R@60t", "R@10p"} for row in kept)
    assert all(row["tokens"]["20"] <= 20 and row["tokens"]["60"] <= 60 for row in kept)
    assert all(row["recall"]["R@10p"] == 1 for row in kept if row["system"] == "last"), "all three pages are shown"
    moved = {row["system"]: row["recall"]["R@60t"] for row in kept if row["question_id"] == "conv-2/0"}
    assert moved["words"] == moved["bm25"] == 1


def test_a_killed_run_goes_on_where_it_was(run: Run, asked: list[str], tmp_path: Path) -> None:
    out = tmp_path / "rows.jsonl"
    first = run("--out", str(out))
    assert asked == [f"{name} {q}" for name in SYSTEMS for q in ASKED]
    whole = out.read_bytes().splitlines(keepends=True)
    out.write_bytes(b"".join(whole[:10]) + whole[10][:40])
    asked.clear()
    again = run("--out", str(out), "--resume")
    assert asked == [f"{name} {q}" for name in SYSTEMS for q in ASKED][10:], "half a line is asked again"
    assert len(rows(out)) == len(whole)
    assert without_time(again) == without_time(first)
    asked.clear()
    assert run("--out", str(out), "--resume") == run("--out", str(out), "--resume")
    assert asked == []
    assert len(rows(out)) == len(whole)


def without_time(said: str) -> list[list[str]]:
    return [cells[:5] for cells in (line.split(" | ") for line in said.splitlines())]


def test_a_question_that_changed_is_asked_again(run: Run, asked: list[str], data: Path, tmp_path: Path) -> None:
    out = tmp_path / "rows.jsonl"
    run("--out", str(out), system=["last"])
    samples = json.loads(data.read_text(encoding="utf-8"))
    samples[0]["qa"][0]["question"] = "To which town did Ada move?"
    samples[1]["qa"][4]["evidence"] = ["D3:1"]
    data.write_text(json.dumps(samples), encoding="utf-8")
    asked.clear()
    run("--out", str(out), "--resume", system=["last"])
    assert asked == ["last conv-1/0", "last conv-2/4"]
    asked.clear()
    run("--out", str(out), "--resume", "--budget", "30", system=["last"])
    assert asked == [f"last {question}" for question in ASKED], "never asked under this budget"


def test_what_cannot_be_done_is_said(run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "rows.jsonl"
    out.write_text('{"no": "row"}\n', encoding="utf-8")
    for arguments, message in (
        (["--resume"], "--resume needs --out"),
        (["--out", str(out)], "is there already: --resume goes on with it"),
        (["--out", str(out), "--resume"], "line 1 of"),
        (["--budget", "0"], "'0' is not a number of tokens"),
        (["--data", str(tmp_path / "nowhere")], "nowhere"),
        (["--reference", "dense"], "--reference dense is not among the systems"),
    ):
        with pytest.raises(SystemExit):
            run(*arguments)
        assert message in capsys.readouterr().err
    assert out.read_text(encoding="utf-8") == '{"no": "row"}\n'


def test_any_system_can_be_the_reference(run: Run) -> None:
    lines = run("--reference", "words").splitlines()
    assert [line.split(" | ")[0] for line in lines if " - " in line] == ["| last - words", "| bm25 - words"]


def test_what_is_missing_is_said_before_the_first_question(
    run: Run, asked: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    look = importlib.util.find_spec
    absent = ("mem0", "matplotlib")
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name in absent else look(name))
    peers._mem0.cache_clear()
    for arguments, system, message in (
        ((), ["last", "mem0"], "error: 'mem0' is not installed; run: "),
        (("--plots", str(tmp_path / "plots")), ["last"], "error: 'matplotlib' is not installed; run: "),
    ):
        with pytest.raises(SystemExit):
            run(*arguments, system=system)
        [line] = [line for line in capsys.readouterr().err.splitlines() if "error" in line]
        assert message in line
    assert asked == []


def test_only_labelled_questions_are_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for dataset, path, said in (
        ("personamem", published_files.personamem_v2(tmp_path / "v2"), "1 conversations, 5 turns, 1 questions"),
        ("memorybench", published_files.memorybench(tmp_path / "mb"), "1 conversations, 5 turns, 2 questions"),
    ):
        recall.main(["--data", str(path), "--dataset", dataset, "--system", "words", "--budget", "60"])
        assert f"{dataset}: {said} with evidence" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        recall.main(["--data", str(published_files.gvd(tmp_path / "gvd")), "--dataset", "gvd"])
    assert "the authors of gvd label no evidence" in capsys.readouterr().err


def test_systems_are_chosen_by_the_speakers() -> None:
    named = Talk("named", ("Ada", "Ben"), (), ())
    assisted = Talk("assisted", ("user", "assistant"), (), ())
    own = ["ours", "words", "paper", "last", "bm25", "dense"]
    users = ["bm25-user", "dense-user"]
    others = ["postgres", "postgres-words", "mem0", "langgraph", "llamaindex", "published"]
    assert recall.chosen([], [named]) == own
    assert recall.chosen([], [named, assisted]) == own + users
    assert recall.chosen(["last", "all"], [named]) == own + others
    assert recall.chosen(["all"], [assisted]) == own + users + others
    compared = ["ours", "words", "paper", "bm25", "dense", "mem0", "langgraph", "llamaindex", "published"]
    assert recall.chosen(["peers"], [assisted]) == compared
    assert recall.chosen(["last", "peers"], [named]) == ["last", *compared]
    assert recall.chosen(["mem0", "bm25-user", "mem0"], [named]) == ["mem0", "bm25-user"]


def test_a_file_of_something_else_is_not_gone_on_with(run: Run, tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    out = tmp_path / "notes.txt"
    out.write_bytes(b"my only notes")
    with pytest.raises(SystemExit):
        run("--out", str(out), "--resume")
    assert "is not of this benchmark" in capsys.readouterr().err
    assert out.read_bytes() == b"my only notes"
