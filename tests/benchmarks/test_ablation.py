"""The table of the parts: what is switched off is off, and nothing else is another than in the plain runner."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path

import pytest

from benchmarks import ablation, system
from benchmarks.ablation import FULL, VARIANTS, Variant, report
from benchmarks.asking import Answered, Asked, ask
from benchmarks.datasets import load
from benchmarks.rows import Rows
from benchmarks.system import DEFAULT, System, TimedEmbedder
from benchmarks.talks import Question, Talk, Turn
from memoryos_core import MemoryConfig, MemoryOS
from memoryos_core.config import RecallConfig
from memoryos_core.testing.fakes import KeywordEmbedder
from memoryos_core.values.facts import Fact
from tests.benchmarks.files import locomo

NOW = datetime(2024, 5, 2, tzinfo=timezone.utc)


@pytest.fixture(autouse=True)
def embedder(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that needs no weights, shared as the real one is."""
    shared = TimedEmbedder(KeywordEmbedder(synonyms={"feline": "cat"}))
    for module in (ablation, system):
        monkeypatch.setattr(module, "local_embedder", lambda: shared)


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    data = tmp_path / "locomo.json"
    data.write_text(json.dumps([locomo(), locomo("conv-2", "Oslo")]), encoding="utf-8")

    def command(*more: str) -> str:
        ablation.main(["--data", str(data), "--dataset", "locomo", "--budget", "80", *more])
        return capsys.readouterr().out

    return command


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The conversations that are taken in from here on."""
    names: list[str] = []

    class Noted(System):
        def __init__(self, conversation: Talk, memory: Callable) -> None:
            names.append(conversation.name)
            super().__init__(conversation, memory)

    monkeypatch.setattr(ablation, "System", Noted)
    return names


def talk(*lines: str, question: str = "Where is the boat?") -> Talk:
    """Ada and Ben in turn, a line each; the first line answers."""
    turns = tuple(
        Turn(f"D1:{n}", "Ben" if n % 2 else "Ada", text, 0, datetime(2024, 5, 1)) for n, text in enumerate(lines)
    )
    return Talk("talk", ("Ada", "Ben"), (turns,), (Question("q", question, "any", ("D1:0",), "Oslo"),))


def test_a_line_for_every_part_and_a_way_in_for_every_kind_of_store(
    run: Callable[..., str], told: list[str], tmp_path: Path
) -> None:
    out = tmp_path / "rows.jsonl"
    lines = run("--out", str(out)).splitlines()
    assert lines[0] == "locomo: 2 conversations, 6 questions; points are against 'everything'"
    assert lines[2] == ("| variant | R@80t | points | R@10p | points | Ans@80t | points | mean tokens | questions |")
    assert [line.split(" | ")[0].removeprefix("| ") for line in lines[4:]] == list(VARIANTS)
    assert all(line.endswith(" | 6 |") for line in lines[4:])
    assert told == ["conv-1"] * 5 + ["conv-2"] * 5, "the default, no long-term, no chain, no embedder, the paper"
    kept = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert len(kept) == len(VARIANTS) * 6
    full = {row["question_id"]: row["missed"] for row in kept if row["system"] == FULL}
    talks = load("locomo", tmp_path / "locomo.json")
    plain = {row.question_id: row for of in talks for row in ask("ours", of, of.questions, [80])}
    assert full == {name: {metric: list(ids) for metric, ids in row.missed.items()} for name, row in plain.items()}


def test_no_variant_finds_what_another_one_left_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    visits: list[int] = []
    opened = Variant.opened

    def looked_into(variant: Variant, path: Path, now: datetime) -> Asked:
        with MemoryOS(f"sqlite:///{path}", embedder=None) as memory:
            segments = memory.user("user").segments()
        assert segments, "enough was said for some to leave the short term"
        visits.append(sum(segment.n_visit for segment in segments))
        return opened(variant, path, now)

    monkeypatch.setattr(Variant, "opened", looked_into)
    of = talk("The boat is in Oslo.", "Fine.", *("Rain again and again.", "Indeed, it rains.") * 30)
    assert len(list(ablation.measured([of], 80, Rows(None, [80])))) == len(VARIANTS)
    assert visits == [0] * len(VARIANTS)


def test_a_killed_run_goes_on_where_it_was(run: Callable[..., str], told: list[str], tmp_path: Path) -> None:
    out = tmp_path / "rows.jsonl"
    first = run("--out", str(out))
    whole = out.read_bytes().splitlines(keepends=True)
    out.write_bytes(b"".join(whole[:-3]))
    told.clear()
    assert run("--out", str(out), "--resume") == first
    assert told == ["conv-2"], "only what is left is taken in again"
    assert sorted(out.read_bytes().splitlines(keepends=True))[0] == sorted(whole)[0]
    assert len(out.read_bytes().splitlines()) == len(whole)


def test_what_cannot_be_done_is_said(
    run: Callable[..., str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "rows.jsonl"
    out.write_text("{}\n", encoding="utf-8")
    for arguments, message in (
        (["--resume"], "--resume needs --out"),
        (["--out", str(out)], "is there already: --resume goes on with it"),
        (["--out", str(out), "--resume"], "line 1 of"),
        (["--budget", "none"], "'none' is not a number of tokens"),
        (["--data", str(tmp_path / "nowhere")], "nowhere"),
    ):
        with pytest.raises(SystemExit):
            run(*arguments)
        assert message in capsys.readouterr().err


def test_every_part_is_switched_off() -> None:
    changed = {
        name: {
            field: value
            for field, value in _fields(variant.asked.recall).items()
            if value != _fields(DEFAULT.recall)[field]
        }
        for name, variant in VARIANTS.items()
        if name != "paper()"
    }
    assert changed == {
        FULL: {},
        "no lexical": {"lexical": 0},
        "no windows": {"window": 0},
        "no dense": {"dense": 0},
        "no meaning windows": {"meaning_window": 0},
        "names embedded": {"nameless": 0},
        "no speaker": {"speaker": 0},
        "no dates": {"date": 0},
        "no segments": {"segment": 0},
        "no sessions": {"session": 0},
        "no heat": {"heat": 0},
        "no recency": {"recency": 0},
        "no length": {"length": 0.0},
        "no coverage": {"coverage": "never"},
        "no knowledge": {"knowledge_share": 0.0},
        "no long-term": {},
        "no chain": {},
        "no embedder": {},
    }
    stored = {name: variant.stored for name, variant in VARIANTS.items() if variant.stored != DEFAULT}
    assert stored == {
        "no long-term": replace(
            DEFAULT,
            heat=replace(DEFAULT.heat, threshold=1e12),
            long_term=replace(DEFAULT.long_term, reads="hot"),
        ),
        "no chain": replace(DEFAULT, mid_term=replace(DEFAULT.mid_term, continuity=1)),
        "paper()": replace(MemoryConfig.paper(), worker=DEFAULT.worker),
    }
    assert [name for name, variant in VARIANTS.items() if not variant.embeds] == ["no embedder"]
    assert VARIANTS["paper()"].asked == VARIANTS["paper()"].stored


def _fields(config: RecallConfig) -> dict[str, object]:
    return {name: getattr(config, name) for name in config.__dataclass_fields__}


def ranked(variant: Variant, of: Talk, path: Path) -> list[str]:
    """The turns that a variant finds for the talk's question, best first."""
    now = variant.told(of, path)
    with closing(variant.opened(path, now)) as memory:
        return [hit.dia_ids[0] for hit in memory.search(of.questions[0].text, 20)]


def test_without_windows_a_turn_has_its_own_words_alone(tmp_path: Path) -> None:
    words = replace(DEFAULT, recall=replace(DEFAULT.recall, dense=0))
    of = talk("In Oslo.", "The boat?", *("Rain again and again.", "Indeed.") * 6, "A boat, a boat.", "Fine.")
    alone = ranked(Variant(asked=replace(words, recall=replace(words.recall, window=0))), of, tmp_path / "alone.db")
    assert set(alone) == {"D1:1", "D1:14"}, "only who says it"
    near = ranked(Variant(asked=words), of, tmp_path / "near.db")
    assert {"D1:0", "D1:1", "D1:2", "D1:14", "D1:15"} <= set(near)


def test_a_part_that_is_off_finds_less(tmp_path: Path) -> None:
    of = talk("My feline sleeps.", "Fine.", *("Rain again.", "Indeed.") * 4, question="Who has a cat?")
    found = {
        name: ranked(VARIANTS[name], of, tmp_path / f"{number}.db")
        for number, name in enumerate((FULL, "no dense", "no embedder"))
    }
    assert found[FULL][0] == "D1:0", "by its meaning"
    assert found["no dense"] == found["no embedder"] == []


def test_without_long_term_memory_there_is_none(tmp_path: Path) -> None:
    said = ("My name is Ada and I live in Oslo.", "I like boats.") * 30
    facts: dict[str, list[Fact]] = {}
    for name in (FULL, "no long-term"):
        path = tmp_path / f"{len(facts)}.db"
        VARIANTS[name].told(talk(*said), path)
        with MemoryOS(f"sqlite:///{path}", embedder=None) as memory:
            facts[name] = memory.user("user").facts()
    assert facts[FULL]
    assert not facts["no long-term"]


def rows_of(values: Sequence[tuple[bool, float | None]]) -> Iterator[Answered]:
    """By conversation whether a variant finds the evidence, as the default does, and the share of the answer."""
    for name in VARIANTS:
        for talk, (found, share) in zip("ab", values, strict=True):
            missed: dict[str, tuple[str, ...]] = {"R@9t": () if found or name == FULL else ("D1:1",), "R@10p": ()}
            told = {} if share is None else {"9": share}
            yield Answered(name, talk, talk, "?", "any", ("D1:1",), missed, {"9": 8}, 2.0, 1.5, told)


def test_points_are_paired_with_the_default() -> None:
    table = report(list(rows_of([(False, 0.5), (True, 1.0)])), 9).splitlines()
    assert table[2] == "| everything | 100.0 |  | 100.0 |  | 75.0 |  | 8 | 2 |"
    assert table[3] == (
        "| no lexical | 50.0 | -50.0 [-100.0, +0.0] | 100.0 | +0.0 [+0.0, +0.0] | 75.0 | +0.0 [+0.0, +0.0] | 8 | 2 |"
    )
    unanswered = report(list(rows_of([(False, None), (True, None)])), 9).splitlines()
    assert unanswered[3] == "| no lexical | 50.0 | -50.0 [-100.0, +0.0] | 100.0 | +0.0 [+0.0, +0.0] |  |  | 8 | 2 |"
