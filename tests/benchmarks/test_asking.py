"""Which evidence counts as brought back; how sure a mean is."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from benchmarks import asking
from benchmarks.asking import Answered, ask, first_pages, texts_by_message, verbatim
from benchmarks.baselines import PageBM25
from benchmarks.figures import Figure, figure, report
from benchmarks.system import Hit
from benchmarks.talks import Question, Talk, Turn

TURNS = tuple(Turn(f"D1:{n}", "Ada" if n % 2 else "Ben", f"word{n} and  more", 0, None) for n in range(1, 6))
TALK = Talk("talk", ("Ada", "Ben"), (TURNS,), (Question("q", "word1?", "easy", ("D1:1", "D1:4")),))


class Fixed:
    """A system that answers every question alike."""

    def __init__(self, context: list[Hit], search: list[Hit]) -> None:
        self.said: list[str] = []
        self.state = "filling"
        self._context = context
        self._search = search

    def add_turn(self, speaker: str, text: str, timestamp: object, dia_id: str, session: int) -> None:
        self.said.append(f"{dia_id} {speaker} {text} {timestamp} {session}")

    def finish(self) -> None:
        self.state = "finished"

    def search(self, query: str, k: int) -> list[Hit]:
        return self._search[:k]

    def context(self, query: str, budget: int) -> list[Hit]:
        return self._context

    def close(self) -> None:
        self.state = "closed"


@pytest.fixture
def fixed(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Fixed]:
    def put(context: list[Hit], search: list[Hit]) -> Fixed:
        system = Fixed(context, search)
        monkeypatch.setitem(asking.SYSTEMS, "fixed", lambda _: system)
        return system

    return put


def test_only_what_stands_in_the_text_counts() -> None:
    said = {"D1:1": [("D1:1", "the red boat")], "D1:2": [("D1:2", "gone")]}
    assert verbatim(Hit("Ben: The  RED\nboat!", ["D1:1", "D1:2", "D9:9"]), said) == ["D1:1"]
    assert verbatim(Hit("a boat that is red", ["D1:1"]), said) == []


def test_a_merged_message_holds_its_turns() -> None:
    merged = Turn("D1:1", "Ben", "the red boat\ngone", 0, None, (("D1:1", "The red boat"), ("D1:3", "gone")))
    said = texts_by_message(Talk("talk", ("Ben", "Ada"), ((merged,),), ()))
    assert said == {"D1:1": [("D1:1", "the red boat"), ("D1:3", "gone")]}
    assert verbatim(Hit("Ben: the red boat …", ["D1:1"]), said) == ["D1:1"]
    assert verbatim(Hit("Ben: … gone", ["D1:1"]), said) == ["D1:3"]


def test_pages_rank_by_the_first_of_their_turns() -> None:
    page_of = {"a": 0, "b": 0, "c": 1, "d": 2}
    assert first_pages([["c"], ["b", "d"], ["a"]], page_of, 2) == {0, 1}
    assert first_pages([["d", "c"], ["b"]], page_of, 2) == {1, 2}
    assert first_pages([], page_of, 2) == set()


def test_a_question_is_scored_under_every_budget_and_in_pages(fixed: Callable[..., Fixed]) -> None:
    system = fixed([Hit("Word1 and more", ["D1:1", "D1:4"])], [Hit("word3 and more", ["D1:3"])])
    [row] = ask("fixed", TALK, TALK.questions, (10, 20))
    assert system.said == [f"{t.id} {t.speaker} {t.text} None 0" for t in TURNS]
    assert system.state == "closed"
    assert row.missed == {"R@10t": ("D1:4",), "R@20t": ("D1:4",), "R@10p": ("D1:1",)}, "a page counts whole"
    assert row.recall("R@10t") == 0.5
    assert row.tokens.keys() == {"10", "20"}
    assert 0 < row.tokens["10"] <= 10
    assert (row.system, row.conversation, row.question_id) == ("fixed", "talk", "q")


def test_who_takes_more_than_the_budget_is_stopped(fixed: Callable[..., Fixed]) -> None:
    system = fixed([Hit("one two three four five six", [])], [])
    with pytest.raises(RuntimeError, match=r"fixed took \d+ tokens of 3 for q"):
        list(ask("fixed", TALK, TALK.questions, (3,)))
    assert system.state == "closed"


def test_the_share_of_the_answer_that_is_told(fixed: Callable[..., Fixed]) -> None:
    fixed([Hit("Remembered:", []), Hit("Sailed to Oslo", [])], [])
    questions = [
        Question("q1", "Where?", "easy", ("D1:1",), "The boats sail to Oslo"),
        Question("q2", "Where?", "easy", ("D1:1",), ""),
    ]
    one, other = ask("fixed", TALK, questions, (50,))
    assert one.told == {"50": pytest.approx(2 / 3)}, "sail and Oslo of boat, sail and Oslo; 'the' and 'to' are none"
    assert one.missed["R@50t"] == ("D1:1",), "what a fact says is no evidence"
    assert other.told == {}


def test_the_last_turns_come_last_first() -> None:
    [row] = ask("last", TALK, TALK.questions, (16,))
    assert 8 < row.tokens["16"] <= 16
    assert row.missed["R@16t"] == ("D1:1",), "two turns fit: the fifth and the fourth"


def test_bm25_finds_the_page_of_the_word() -> None:
    [row] = ask("bm25", TALK, TALK.questions, (16,))
    assert row.missed["R@16t"] == ("D1:4",)
    assert row.missed["R@10p"] == ()


def test_bm25_knows_who_spoke() -> None:
    turns = (
        Turn("D1:1", "Ada", "yes", 0, None),
        Turn("D2:1", "Ben", "no", 1, None),
        Turn("D3:1", "Ada", "no", 2, None),
    )
    pages = PageBM25(TALK)
    for turn in turns:
        pages.add_turn(turn.speaker, turn.text, turn.when, turn.id, turn.session)
    pages.finish()
    assert [hit.text for hit in pages.search("Ben", 1)] == ["Ben: no"]


def test_the_interval_is_over_conversations() -> None:
    alike = figure([("a", 0.0), ("a", 1.0), ("b", 0.0), ("b", 1.0)])
    assert alike == Figure(0.5, 0.5, 0.5), "within a conversation nothing is drawn"
    apart = figure([("a", 0.0), ("b", 1.0), ("b", 1.0)])
    assert apart == Figure(2 / 3, 0.0, 1.0), "each question counts the same"
    assert figure([("a", 0.0), ("a", 1.0)]) == Figure(0.5, None, None)
    many = [(str(n), float(n % 2)) for n in range(100)]
    drawn = figure(many)
    assert drawn.low == pytest.approx(0.40, abs=0.02), "0.5 ± 1.96 × 0.05"
    assert drawn.high == pytest.approx(0.60, abs=0.02)
    uneven = [(str(n), n**0.5) for n in range(100)]
    assert figure(uneven) == figure(uneven), "the draws are seeded"


def test_percent() -> None:
    assert Figure(0.12345, None, None).percent() == "12.3"
    assert Figure(0.5, 0.25, 0.75).percent() == "50.0 [25.0, 75.0]"
    assert Figure(0.1, -0.1, 0.3).percent(signed=True) == "+10.0 [-10.0, +30.0]"


def answered(system: str, talk: str, category: str, found: bool) -> Answered:
    missed = () if found else ("D1:1",)
    return Answered(
        system, talk, f"{talk}/{category}", "?", category, ("D1:1",), {"R@9t": missed, "R@10p": ()}, {"9": 8}, 2.0, 1.5
    )


def test_the_report_pairs_every_system_with_the_reference() -> None:
    rows = [
        answered("ours", "a", "hard", True),
        answered("ours", "b", "easy", True),
        answered("bm25", "b", "easy", True),
        answered("bm25", "a", "hard", False),
    ]
    assert report(rows, ["ours", "bm25"], [9], "bm25").splitlines() == [
        "| system | R@9t | R@10p | mean tokens | ms a question | of it embedder | questions |",
        "| --- | --- | --- | --- | --- | --- | --- |",
        "| ours | 100.0 [100.0, 100.0] | 100.0 [100.0, 100.0] | 8 | 2.0 | 1.5 | 2 |",
        "| bm25 | 50.0 [0.0, 100.0] | 100.0 [100.0, 100.0] | 8 | 2.0 | 1.5 | 2 |",
        "",
        "| points, same questions | R@9t | R@10p |",
        "| --- | --- | --- |",
        "| ours - bm25 | +50.0 [+0.0, +100.0] | +0.0 [+0.0, +0.0] |",
        "",
        "| category | system | R@9t | R@10p | questions |",
        "| --- | --- | --- | --- | --- |",
        "| easy | ours | 100.0 | 100.0 | 1 |",
        "| easy | bm25 | 100.0 | 100.0 | 1 |",
        "| hard | ours | 100.0 | 100.0 | 1 |",
        "| hard | bm25 | 0.0 | 100.0 | 1 |",
    ]
    leads = [line for line in report(rows, ["ours", "bm25"], [9], "ours").splitlines() if " - " in line]
    assert leads[-1:] == ["| bm25 - ours | -50.0 [-100.0, +0.0] | +0.0 [+0.0, +0.0] |"]
    assert "same questions" not in report(rows[:2], ["ours"], [9], "ours"), "nothing to subtract it from"
    assert "same questions" not in report(rows, ["ours", "bm25"], [9], "last")
