"""The tables of knowledge, the reader of its files, our memory in it, and the whole command."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path

import pytest

from benchmarks import knowledge
from benchmarks.knowledge_gold import (
    FILES,
    read_observations,
    read_projects,
    read_statements,
    read_updates,
)
from benchmarks.knowledge_memory import gather, opener
from benchmarks.knowledge_tables import Row, by_group, mean_of, means, report
from benchmarks.talks import Talk, Turn
from memoryos_core import UserMemory
from memoryos_core.testing.fakes import ScriptedChat
from tests.benchmarks.files import locomo
from tests.benchmarks.knowledge_files import CELLO, GARDEN, Scripted, gold, write_gold


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "knowledge").mkdir()
    return write_gold(tmp_path / "knowledge")


def row(group: str, unit: str, value: float | None, *, is_totalled: bool = True) -> Row:
    return Row("figure", group, unit, {"share": value, "size": 12.25}, is_totalled=is_totalled)


def test_means_are_over_rows_and_intervals_over_units() -> None:
    same = mean_of([("a", 1.0), ("a", 0.0), ("b", 0.5)])
    assert (same.mean, same.count) == (0.5, 3)
    assert same.interval == (0.5, 0.5), "each unit has the mean 0.5, whichever are drawn"
    assert mean_of([("a", 1.0), ("a", 0.0)]).interval is None, "one unit leaves nothing to draw from"
    ends = mean_of([("a", 0.0), ("b", 1.0)])
    assert ends.interval == (0.0, 1.0)
    assert mean_of([("a", 0.0), ("b", 1.0)]) == ends, "the draws are always the same"
    rows = [row("x", "a", 1), row("x", "a", None), row("y", "b", 0), row("z", "c", 1, is_totalled=False)]
    assert list(by_group(rows)) == ["x", "y", "z", "all"]
    assert means(by_group(rows)["all"])["share"].count == 2, "None is no value"
    assert list(by_group(rows[:2])) == ["x"], "one group is its own total"
    lines = report(rows).splitlines()
    assert lines[:3] == ["**figure**", "", "|  | n | units | share | size |"]
    assert lines[4] == "| x | 2 | 1 | 1.000 (n 1) | 12.2 |"
    assert lines[7] == "| all | 3 | 2 | 0.500 [0.000, 1.000] (n 2) | 12.2 [12.2, 12.2] |"


def test_a_text_over_the_budget_ends_the_run() -> None:
    with pytest.raises(RuntimeError, match="of 10 for a question"):
        gather(Scripted(text="word " * 100), "What?", 10)


def test_conversations_may_lie_beside_the_folder(folder: Path) -> None:
    (folder.parent / "locomo-dev.json").write_text(json.dumps([locomo("conv-y")]), encoding="utf-8")
    observed = [{"text": "Ada moved.", "speaker": "Ada", "dia_ids": ["D1:1"]}]
    own = gold()["locomo-observations"]
    rows = [*own, {"id": "conv-y", "observations": observed}]
    (folder / "locomo-observations.json").write_text(json.dumps(rows), encoding="utf-8")
    stated = read_observations(folder)
    assert [s.talk.name for s in stated] == ["conv-x", "conv-y"]
    assert stated[1].talk.speakers == ("Ada", "Ben")
    assert [s.group for s in stated[0].statements] == ["first speaker", "second speaker"]
    assert [s.talk.name for s in read_observations(folder, 1)] == ["conv-x"]
    assert read_statements(folder)[0].talk.turns[2].when == datetime(2024, 2, 3, 10)


def test_a_turn_without_a_time_has_that_of_the_turn_before(folder: Path) -> None:
    people = gold()["realmem"]
    people[0]["sessions"][0]["turns"][1].append("2024-01-04T08:00:00")
    del people[0]["sessions"][1]["when"]
    (folder / "realmem.json").write_text(json.dumps(people), encoding="utf-8")
    times = [turn.when for turn in read_projects(folder)[0].talk.turns]
    early, own, late = datetime(2024, 1, 3, 10), datetime(2024, 1, 4, 8), datetime(2024, 3, 3, 10)
    assert times == [early, own, own, own, late, late]


def test_a_file_of_another_form_is_named(folder: Path) -> None:
    (folder / "updates.json").write_text('[{"id": "u"}]', encoding="utf-8")
    with pytest.raises(ValueError, match=r"updates\.json does not have the expected form: KeyError"):
        read_updates(folder)


def run_words(folder: Path, capsys: pytest.CaptureFixture[str], *more: str) -> str:
    knowledge.main(["--data", str(folder), *more])
    return capsys.readouterr().out


def test_the_whole_command_measures_our_memory(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = folder.parent / "rows.jsonl"
    said = run_words(folder, capsys, "--out", str(out))
    assert said.startswith("system words; tokens by ")
    assert [line for line in said.splitlines() if line.startswith("**")] == [
        f"**{name}**" for name in dict.fromkeys(json.loads(line)["table"] for line in out.read_text().splitlines())
    ]
    assert [part.split()[0] for part in said.splitlines()[-1].split("; ")] == list(FILES)
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    told = next(r for r in rows if r["table"] == "updates, told")
    assert told["unit"] == "u1"
    assert told["values"]["old a fact"] is True
    assert told["values"]["new in text"] is True


def test_one_measure_is_chosen(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "topics.json").unlink()
    said = run_words(folder, capsys, "--measure", "updates", "--limit", "1")
    assert "**updates, told**" in said
    assert "traps" not in said


def test_a_model_is_asked_about_the_first_pages(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    model = ScriptedChat([], otherwise="nonsense")
    monkeypatch.setattr(knowledge, "GgufChat", lambda path: model)
    out = folder.parent / "rows.jsonl"
    said = run_words(folder, capsys, "--measure", "held", "--model", "m.gguf", "--pages", "1", "--out", str(out))
    assert model.calls > 0
    assert f"; {model.calls} model calls" in said
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    stated = [r["text"] for r in rows if r["table"].startswith("held")]
    assert stated == [GARDEN, "Ines paints barns.", "Jo sails."], "the second page states more"


def test_what_cannot_be_measured_is_said(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "topics.json").unlink()
    (folder / "updates.json").write_text("[1]", encoding="utf-8")
    out = folder / "rows"
    out.touch()
    for arguments, message in (
        (["--measure", "topics"], "no such file: "),
        (["--measure", "updates"], "updates.json does not have the expected form"),
        (["--limit", "0"], "'0' is not a number from 1 on"),
        (["--measure", "held", "updates", "--pages", "3"], "--pages needs --measure held"),
        (["--measure", "held", "--model", str(folder / "none.gguf")], "none.gguf"),
        (["--out", str(out)], "exists already; name another file"),
    ):
        with pytest.raises(SystemExit):
            run_words(folder, capsys, *arguments)
        assert message in capsys.readouterr().err


@pytest.fixture
def known_talk() -> Talk:
    when = datetime(2024, 1, 3)
    first = (Turn("D1:0", "Ines", GARDEN, 0, when), Turn("D1:1", "Jo", "Lovely.", 0, when))
    second = (Turn("D2:0", "Ines", CELLO, 1, when), Turn("D2:1", "Jo", " ", 1, when))
    return Talk("t", ("Ines", "Jo"), (first, second), ())


def test_our_memory_cites_turns_and_ends_sessions(known_talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = opener("words")(known_talk)
    ended: list[str] = []
    end = UserMemory.end_session

    def noted(user: UserMemory) -> None:
        ended.append(user.session_id)
        end(user)

    monkeypatch.setattr(UserMemory, "end_session", noted)
    for turn in known_talk.turns:
        memory.add_turn(turn.speaker, turn.text, turn.when, turn.id, turn.session)
    memory.finish()
    assert ended == ["session 0", "session 1"]
    memory.remember("The piano is out of tune.")
    told = [known for known in memory.facts() if "piano" in known.text]
    assert [(known.about, known.sources, known.current) for known in told] == [("Ines", frozenset(), True)]
    assert "tomatoes" in memory.text("What do I grow on the balcony?", 200)
    turns = {turn.id for turn in known_talk.turns}
    assert all(set(segment) <= turns for segment in memory.segments())
    memory.close()
