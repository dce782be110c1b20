"""The questions that fail worst, and the cause that is named for each."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import pytest

from benchmarks import recall, worst
from benchmarks.datasets import load
from benchmarks.talks import Question, Talk, Turn
from benchmarks.worst import Failure, cause, failed, report, worst_of
from tests.benchmarks.files import locomo


def failure(
    texts: Sequence[str],
    *missed: int,
    question: str = "Where is the boat?",
    gold: Sequence[int] = (),
    speakers: tuple[str, str] = ("Ada", "Ben"),
    session: int = 100,
) -> Failure:
    """Speakers in turn, `session` turns a session; evidence is `gold`, or what was missed."""
    turns = tuple(
        Turn(f"D{n // session}:{n}", speakers[n % 2], text, n // session, datetime(2024, 5, 1))
        for n, text in enumerate(texts)
    )
    sessions = tuple(turns[start : start + session] for start in range(0, len(turns), session))
    ids = {n: turn.id for n, turn in enumerate(turns)}
    asked = Question("q", question, "any", tuple(ids[n] for n in gold or missed))
    return Failure(Talk("talk", speakers, sessions, (asked,)), asked, tuple(ids[n] for n in missed))


def test_what_is_cut_cannot_count() -> None:
    long = "the boat is " + "far and wide " * 60
    assert cause(failure([long, "Fine."], 0), 1, 200) == worst.LONG
    assert cause(failure([long, "Fine."], 0), 1, 2000) == worst.OUTRANKED
    assistant = ("user", "assistant")
    short = "The boat is in Oslo, the boat is in Oslo, the boat is in Oslo."
    asked = failure(["Hm.", short], 1, speakers=assistant)
    assert cause(asked, 1, 100) == worst.LONG, "a reply may take a tenth"
    assert cause(asked, 1, 1000) == worst.REPLY
    asked = failure(["Hm.", short], 1, speakers=assistant, question="What did you tell me of the boat?")
    assert cause(asked, 1, 100) == worst.REPLY, "unless it is asked for"
    both = failure([short, long], 0, 1, speakers=assistant)
    assert cause(both, 1, 200) == worst.SEVERAL, "for every turn that was missed, or for none"


def test_a_neighbour_may_lend_the_word() -> None:
    lines = ["It sails.", "At noon.", "In Oslo.", "Indeed.", "Boats!"]
    assert cause(failure(lines, 2), None, 1000) == worst.WORDLESS
    assert cause(failure(lines, 3), None, 1000) == worst.FAR, "the turn after it says it"
    assert cause(failure(["The boat.", *lines], 1), None, 1000) == worst.FAR, "the turn before it does"
    assert cause(failure([*lines, "So."], 5), None, 1000) == worst.FAR
    assert cause(failure(lines, 3, session=4), None, 1000) == worst.WORDLESS, "not in another session"
    assert cause(failure([*lines, "Ada!"], 2, question="Where is Ada?"), None, 1000) == worst.WORDLESS
    assert cause(failure(["Ada!", "No."], 1, question="Where is Ada?"), None, 1000) == worst.WORDLESS, "a name is none"
    assert cause(failure(lines, 2, 3), None, 1000) == worst.SEVERAL, "one of them has a word"


def test_many_turns_of_many_sessions() -> None:
    lines = ["A boat."] * 8
    assert cause(failure(lines, 0, gold=(0, 2, 4, 5), session=2), 3, 1000) == worst.SCATTERED
    assert cause(failure(lines, 0, gold=(0, 2, 4), session=2), 3, 1000) == worst.SEVERAL, "three turns"
    assert cause(failure(lines, 0, gold=(0, 1, 2, 3), session=2), 3, 1000) == worst.SEVERAL, "two sessions"
    assert cause(failure(lines, 0), 30, 1000) == worst.OUTRANKED
    assert cause(failure(lines, 0), 31, 1000) == worst.FAR


def test_the_worst_come_first() -> None:
    def of(name: str, missed: int, gold: int) -> Failure:
        ids = tuple(f"D1:{n}" for n in range(gold))
        return Failure(Talk("talk", ("Ada", "Ben"), (), ()), Question(name, "?", "any", ids), ids[:missed])

    many = [of("half", 2, 4), *(of(f"{n}", n, n) for n in range(1, 9)), of("most", 3, 4)]
    assert [failure.question.id for failure in worst_of(many, 99)] == [*"87654321", "most", "half"]
    assert [failure.question.id for failure in worst_of(many, 2)] == ["8", "7"]
    alike = [of(f"q{n}", 1, 1) for n in range(20)]
    assert worst_of(alike, 5) == worst_of(alike[::-1], 5), "a lot that does not depend on the order"
    assert worst_of(alike, 5) != alike[:5], "and does not prefer a conversation"


def test_the_table_has_no_word_of_anybody() -> None:
    some = [failure(["The boat is in Oslo.", "I see."], 0), failure(["Hm.", "Ah."], 1)]
    table = report([some[0]], {"q": 12}, 1000).splitlines()
    assert table == [
        "| cause | any | all |",
        "| --- | --- | --- |",
        "| outranked, but among the first 30 | 1 | 1 |",
        "| all | 1 | 1 |",
        "",
        "| question | category | cause | missed | best rank of the missed | tokens missed |",
        "| --- | --- | --- | --- | --- | --- |",
        table[-1],
    ]
    assert table[-1].startswith("| q | any | outranked, but among the first 30 | 1 of 1 | 12 | ")
    assert int(table[-1].split(" | ")[-1].removesuffix(" |")) > 3
    both = report(some, {"q": None}, 1000).splitlines()
    assert both[2:5] == [f"| {worst.WORDLESS} | 1 | 1 |", f"| {worst.FAR} | 1 | 1 |", "| all | 2 | 2 |"]
    assert [line.split(" | ")[2] for line in both[8:]] == [worst.WORDLESS, worst.FAR], "sorted by cause"
    assert all(" | none | " in line for line in both[8:])


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "locomo.json"
    path.write_text(json.dumps([locomo(), locomo("conv-2", "Oslo")]), encoding="utf-8")
    return path


def test_the_whole_command(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows, of = tmp_path / "rows.jsonl", ["--data", str(data), "--dataset", "locomo"]
    recall.main([*of, "--system", "words", "last", "--budget", "20", "--out", str(rows)])
    capsys.readouterr()
    before = rows.read_bytes()
    worst.main([*of, "--rows", str(rows), "--system", "last", "--budget", "20", "--most", "3"])
    said = capsys.readouterr().out
    lines = said.splitlines()
    missed = [
        row for row in map(json.loads, before.splitlines()) if row["system"] == "last" and row["recall"]["R@20t"] < 1
    ]
    assert lines[0] == f"locomo, last: of 6 questions {len(missed)} miss something in 20 tokens; the worst 3"
    shown = [line for line in lines if line.startswith("| conv-")]
    assert len(shown) == 3
    assert {line.split(" | ")[0].removeprefix("| ") for line in shown} <= {row["question_id"] for row in missed}
    # Of five turns, which `last` has last first, the first is at rank 5.
    [first] = [line for line in shown if line.startswith("| conv-1/0 ")]
    assert first.split(" | ")[3:5] == ["1 of 1", "5"]
    assert "Lisbon" not in said
    assert "boat" not in said
    assert rows.read_bytes() == before, "what was measured is read alone"


def test_what_cannot_be_done_is_said(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows, of = tmp_path / "rows.jsonl", ["--data", str(data), "--dataset", "locomo", "--system", "last"]
    recall.main([*of, "--budget", "20", "--out", str(rows)])
    other = tmp_path / "other.jsonl"
    other.write_text('{"no": "row"}\n', encoding="utf-8")
    for path, budget, message in (
        (tmp_path / "nowhere", "20", "write it with benchmarks.recall --out"),
        (other, "20", "line 1 of"),
        (rows, "30", "has no row of last within 30 tokens"),
    ):
        with pytest.raises(SystemExit):
            worst.main([*of, "--rows", str(path), "--budget", budget])
        assert message in capsys.readouterr().err


def test_only_questions_as_they_are_today(data: Path, tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    recall.main(["--data", str(data), "--dataset", "locomo", "--system", "last", "--budget", "20", "--out", str(rows)])
    samples = json.loads(data.read_text(encoding="utf-8"))
    samples[0]["qa"][0]["evidence"] = ["D1:3"]
    data.write_text(json.dumps(samples), encoding="utf-8")
    talks = load("locomo", data)
    asked, failures = failed(rows, talks, "last", 20)
    assert asked == 5, "its evidence is another now"
    assert "conv-1/0" not in [failure.question.id for failure in failures]
    assert "conv-2/0" in [failure.question.id for failure in failures]
