"""Each measure of knowledge: its figures on a scripted memory, computed by hand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path

import pytest

from benchmarks.beliefs import in_order, measure_precision
from benchmarks.knowledge_gold import (
    Belief,
    read_conflicts,
)
from benchmarks.knowledge_tables import Row
from benchmarks.knowledge_text import is_marked, position, stems
from benchmarks.projects import b_cubed, long_sentences, measure_interest, measure_segments, nmi
from benchmarks.statements import HELD_IN_BEAM, HELD_IN_LOCOMO, PRECISION, measure_statements
from benchmarks.supersession import conflict_talk, measure_conflicts, measure_updates
from benchmarks.talks import Talk, Turn
from benchmarks.topics import boundary_f1, find_cuts, measure_topics, pk, window_diff
from tests.benchmarks.knowledge_files import SHED, THESIS, Scripted, fact, gold, write_gold

Values = Mapping[str, float | None]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "knowledge").mkdir()
    return write_gold(tmp_path / "knowledge")


def by_table(rows: Iterable[Row]) -> dict[tuple[str, str], list[Values]]:
    """The values of each row, by table and group."""
    out: dict[tuple[str, str], list[Values]] = {}
    for row in rows:
        out.setdefault((row.table, row.group), []).append(row.values)
    return out


def test_stems_leave_out_words_without_content() -> None:
    assert stems("The Growing of 2 tomatoes, I'm told!") == {"grow", "2", "tomato", "told"}
    assert stems("It was not so.") == frozenset()


def test_a_statement_is_held_by_a_fact_that_shares_its_stems(folder: Path) -> None:
    known = {
        "beam-x": [
            fact("Grows tomatoes well.", "D2:0"),  # 2 of the 3 stems {grow, tomato, balconi}: at least 0.6
            fact("A balcony garden with tomatoes to grow.", "D1:0", current=False),  # 3 of 3, and the right turn
            fact("Always mention it.", "D2:0"),  # 2 of {pleas, alway, mention, cello, lesson}: too few
            fact("of the", "D2:0"),  # no stems at all
        ],
        "conv-x": [
            fact("Paints old barns", "D1:1", about="Ines"),  # with the name 3 of {ine, paint, barn}, of 4: F1 6 / 7
            fact("Likes sails, ropes, tar, salt", "D1:1", about="Jo"),  # 2 of {jo, sail}, of 6: F1 4 / 8
        ],
    }
    rows = by_table(measure_statements(lambda talk: Scripted(known[talk.name]), folder))
    assert rows[HELD_IN_BEAM, "other"] == [{"held": True, "cites": True, "current": True}]
    assert rows[HELD_IN_BEAM, "instruction"] == [{"held": False, "cites": False, "current": False}]
    assert rows[HELD_IN_LOCOMO, "first speaker"] == [{"held": True, "cites": False, "current": True}]
    assert rows[HELD_IN_LOCOMO, "second speaker"] == [{"held": True, "cites": True, "current": True}]
    # Of {grow, tomato, well} 2 of 3, of {balconi, garden, tomato, grow} 3 of 4, of {alway, mention} both, of none none.
    assert [values["precision"] for values in rows[PRECISION, "BEAM"]] == [True, True, True, False]
    assert [values["current"] for values in rows[PRECISION, "BEAM"]] == [True, False, True, True]
    # Of {paint, old, barn} 2 of 3; of {like, sail, rope, tar, salt} 1 of 5.
    assert [values["precision"] for values in rows[PRECISION, "LoCoMo"]] == [True, False]


def test_a_fact_just_below_the_thresholds_holds_nothing(folder: Path) -> None:
    known = {
        "beam-x": [fact("Tomatoes")],  # 1 of 3
        "conv-x": [fact("Sails, ropes, tar, salt, wind, tides", about="Jo")],  # F1 2 x 2 / (2 + 7)
    }
    rows = by_table(measure_statements(lambda talk: Scripted(known[talk.name]), folder))
    assert rows[HELD_IN_BEAM, "other"][0]["held"] is False
    assert rows[HELD_IN_LOCOMO, "second speaker"][0]["held"] is False


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("- formerly: an office in Ghent", True),
        ("Office: Bruges (since May; before: Ghent)", True),
        ("Ghent [till May]", True),
        ("My office is in Ghent, which is out of date.", True),
        ("Out of date:\n\n- My office is in Ghent.", True),
        ("Outdated:\n- Ghent\nOffice:\n- Ghent", False),
        ("We met in Ghent before lunch.", False),
        ("Earlier that day we talked about it:\nGhent", True),
        ("We told you earlier:\nGhent", False),
        ("old: Ghent\nShe works in Ghent.", False),
        ("before: Bruges", False),
        ("", False),
    ],
)
def test_a_value_is_marked_when_each_line_with_it_says_so(text: str, seen: bool) -> None:
    assert is_marked(text, ["Ghent"]) is seen


def test_a_value_is_found_as_whole_words() -> None:
    assert position("in port and porto", ["Porto", "Lima"]) == 12
    assert position("in porto", ["port"]) is None
    assert position("a and b", ["B", "A"]) == 0


def ask_for_office(folder: Path, memory: Scripted) -> dict[tuple[str, str], list[Values]]:
    return by_table(measure_updates(lambda _: memory, folder))


def test_the_current_value_comes_first_and_the_old_one_is_over(folder: Path) -> None:
    texts = {1000: "Office: Bruges\nformerly: Ghent", 150: "Office: none"}
    known = [fact("The office is in Ghent", current=False), fact("The office is in Bruges")]
    memory = Scripted(known, text=texts)
    rows = ask_for_office(folder, memory)
    best = {
        "new in text": True,
        "new in 150 tokens": False,
        "current value first": True,
        "old absent or marked": True,
        "new a current fact": True,
        "old a fact": True,
        "old still current": False,
    }
    assert rows["updates, chatted", "change"] == rows["updates, told", "change"] == [best]
    # In a trap the same answer is wrong: the first value was never over.
    trap = {"first value in text": True, "first value a fact": True, "wrongly over": True}
    assert rows["traps, chatted", "trap"] == rows["traps, told", "trap"] == [trap]
    ids = ["D1:0", "D1:1", "D2:0", "D2:1", "D3:0", "D3:1", "end"]
    assert memory.turns == ids * 2, "each conversation is put in once"
    assert memory.told == [
        "My office is in Ghent.",
        "My office has moved to Bruges.",
        "My office is in Ghent.",
        "Bruges has fine canals.",
    ]
    assert memory.is_closed


def test_plain_order_of_time_is_not_enough(folder: Path) -> None:
    known = [fact("The office is in Ghent")]
    rows = ask_for_office(folder, Scripted(known, text="My office is in Ghent.\nMy office has moved to Bruges."))
    values = rows["updates, chatted", "change"][0]
    assert (values["new in text"], values["new in 150 tokens"]) == (True, True)
    assert (values["current value first"], values["old absent or marked"]) == (False, False)
    assert (values["new a current fact"], values["old a fact"], values["old still current"]) == (False, True, True)
    assert rows["traps, chatted", "trap"][0]["wrongly over"] is False
    values = ask_for_office(folder, Scripted(text="Bruges, not Ghent"))["updates, told", "change"][0]
    assert (values["current value first"], values["old absent or marked"]) == (True, False)
    assert values["old still current"] is None, "there is no fact with the old value"
    values = ask_for_office(folder, Scripted())["updates, told", "change"][0]
    assert (values["current value first"], values["old absent or marked"]) == (False, False), "nothing was told"


def test_the_newest_of_numbered_facts_comes_first(folder: Path) -> None:
    known = [fact("The mayor of Y  is Ann."), fact("The mayor of Y is Bob.")]
    memory = Scripted(known, text="The mayor of Y is Bob.\nThe mayor of Y is Ann.")
    rows = by_table(measure_conflicts(lambda _: memory, folder))
    chatted = {
        "answer in text": True,
        "answer before overwritten": True,
        "newest fact in text": True,
        "newest fact first": True,
        "old fact absent or marked": False,
    }
    assert rows["conflicts", "list single hop, chatted"] == [chatted, {"answer in text": False}]
    assert rows["conflicts", "list single hop, told"][0] == {**chatted, "old fact still current": True}
    assert memory.told == gold()["conflicts"][0]["facts"]
    assert memory.turns == ["D1:0", "D1:1", "D1:2", "end"]
    rows = by_table(measure_conflicts(lambda _: Scripted(text="Replaced:\nThe mayor of Y is Ann.\nNow Bob."), folder))
    assert list(rows["conflicts", "list single hop, told"][0].values()) == [True, False, False, False, False]


def test_numbered_facts_are_chatted_twenty_a_day(folder: Path) -> None:
    conflict = read_conflicts(folder)[0]
    long = type(conflict)("long", tuple(f"Fact {n}." for n in range(45)), ())
    sessions = conflict_talk(long).sessions
    assert [len(session) for session in sessions] == [20, 20, 5]
    last = sessions[2][4]
    assert (last.id, last.session, last.when, last.text) == ("D3:4", 2, datetime(2025, 1, 3, 0, 4), "Fact 44.")


def test_cuts_between_segments_are_compared_with_boundaries(folder: Path) -> None:
    # Five turns, one boundary, at 3: the window is round(5 / 2 / 2) = 1 wide. Cut at 2 instead: 2 of 4 windows differ.
    segments = [["D1:0", "D1:1"], ["D1:2", "D1:3"]]
    rows = by_table(measure_topics(lambda _: Scripted(segments=segments), folder))
    table = "topics (Pk, WindowDiff: lower is better)"
    ours = {"Pk": 0.5, "WindowDiff": 0.5, "F1": 0, "cuts a dialogue": 1, "turns in segments": 0.8}
    assert rows[table, "toy"] == [ours]
    assert rows[table, "toy: no cut"] == [{"Pk": 0.25, "WindowDiff": 0.25, "F1": 0, "cuts a dialogue": 0}]
    # A page ends before turn 2 and before turn 4; 3 / 2 is rounded to the even number, so that the cut is at 4.
    moved = {"Pk": 0.5, "WindowDiff": 0.5, "F1": 0, "cuts a dialogue": 1}
    assert rows[table, "toy: gold cuts between pages"] == [moved]


def test_windows_count_cuts() -> None:
    # Eight turns, gold at 4: a window of 2. Two cuts at 4 and 5, beside one: they differ where both lie in the window.
    assert pk([4], [4], 8) == window_diff([4], [4], 8) == 0
    # Windows begin at 0 ... 5 and hold the cuts from begin + 1 to begin + 2: gold 0 0 1 1 0 0, cuts 0 0 1 2 1 0.
    assert pk([4], [4, 5], 8) == pytest.approx(1 / 6)
    assert window_diff([4], [4, 5], 8) == pytest.approx(2 / 6)
    assert boundary_f1([], []) == 1
    assert boundary_f1([4], [4, 5]) == pytest.approx(2 / 3)
    assert boundary_f1([], [3]) == 0


def test_a_turn_in_no_segment_opens_no_topic() -> None:
    turns = tuple(Turn(f"t{n}", "user", "text", 0, None) for n in range(6))
    talk = Talk("d", ("user", "assistant"), (turns,), ())
    assert find_cuts([["t0", "t2"], ["t3", "t5"]], talk) == ([3], 4 / 6)
    assert find_cuts([], talk) == ([], 0)


def test_segments_are_compared_with_projects(folder: Path) -> None:
    known = [fact("The shed needs a new roof.", "D1:1")]  # {shed, need, new, roof} and {shed, need, tin, roof}: 3 / 4
    segments = [["D1:0", "D1:1", "D2:0"]]  # D2:1 is alone; D3 belongs to no project
    rows = by_table(measure_segments(lambda _: Scripted(known, segments, f"He said: {SHED.upper()}"), folder))
    table = "segments against RealMem's projects"
    values = rows[table, "the memory"][0]
    # Precision: 2 / 3, 2 / 3, 1 / 3 and 1. Recall: 1, 1, 1 / 2 and 1 / 2.
    assert values["B-cubed P"] == pytest.approx((2 / 3 + 2 / 3 + 1 / 3 + 1) / 4)
    assert values["B-cubed R"] == 0.75
    assert values["B-cubed F1"] == pytest.approx(2 * (2 / 3) * 0.75 / (2 / 3 + 0.75))
    assert (values["turns in segments"], values["segments"], values["pages a segment"]) == (0.75, 1, 2)
    one = rows[table, "reference: one segment"][0]
    assert (one["B-cubed P"], one["B-cubed R"], one["NMI"]) == (0.5, 1, 0)
    sessions = rows[table, "reference: a segment a session"][0]
    assert sessions["B-cubed F1"] == 1
    assert sessions["NMI"] == pytest.approx(1)
    assert rows["held: RealMem points, F1 of at least 0.4", "static, user"] == [
        {"held": True, "cites": False, "current": True}
    ]
    # The session of the shed is in the text, that of the thesis is not; a query without sessions is not asked.
    assert rows["recall: RealMem queries", "updating"] == [{"gold sessions in text": 0.5, "all of them": False}]


def test_the_hottest_segments_are_compared_with_those_that_were_asked_about(folder: Path) -> None:
    # The one query needs s1, most of which lies in the first segment, and s2, in the second; the third is not needed.
    segments = [["D1:0", "D1:1"], ["D2:0", "D2:1"], ["D3:0"]]
    rows = by_table(measure_interest(lambda _: Scripted([], segments, ""), folder))
    table = "the hottest segments after ten days of questions about one project"
    assert rows[table, "the memory"] == [{"hottest asked about": 0.5, "questions in the hottest": 1.0}]
    assert rows[table, "reference: unasked"] == rows[table, "the memory"]


def test_clusterings_agree_wholly_or_not_at_all() -> None:
    halves, fragments = dict(zip("pqrs", "aabb", strict=True)), dict(zip("pqrs", range(4), strict=True))
    assert b_cubed(halves, halves) == (1, 1, 1)
    assert b_cubed(fragments, halves) == pytest.approx((1, 0.5, 2 / 3))
    # Four fragments: all information of the halves (1 bit), of a mean entropy of (2 + 1) / 2 bits.
    assert nmi(fragments, halves) == pytest.approx(2 / 3)
    assert nmi(dict(zip("pqrs", "xyxy", strict=True)), halves) == pytest.approx(0)
    assert nmi({"p": 0, "q": 0}, {"p": "a", "q": "a"}) == 1


def test_short_sentences_tell_no_session() -> None:
    assert long_sentences(f"Hm. {THESIS}\nYes!  {SHED}") == [THESIS.lower(), SHED.lower()]
    assert long_sentences("x" * 39) == []
    assert long_sentences("x" * 40) == ["x" * 40]


def test_a_query_brings_the_beliefs_it_should(folder: Path) -> None:
    texts = {250: "Hates mondays. Codes in Elm.", 1000: "codes in  ada. Codes in Elm."}
    memory = Scripted(text=texts)
    rows = by_table(measure_precision(lambda _: memory, folder))
    small, large = (f"precision of recall: PrecisionMemBench within {budget} tokens" for budget in (250, 1000))
    wanted, none, never = "beliefs wanted", "none wanted", "some forbidden"
    # "Hates mondays." may be there, and counts neither as right nor as wrong.
    assert rows[small, wanted] == [{"beliefs in text": 2, "precision": 1, "recall": 1, "exact": True}]
    assert rows[small, never] == [{"beliefs in text": 2, "forbidden absent": True}]
    assert rows[large, wanted] == [{"beliefs in text": 2, "precision": 0.5, "recall": 1, "exact": False}]
    assert rows[large, never] == [{"beliefs in text": 2, "forbidden absent": False}]
    assert rows[large, none] == [{"beliefs in text": 2, "nothing else in text": False}]
    assert memory.told == ["Codes in Ada.", "Hates mondays.", "Codes in Elm."]
    empty = by_table(measure_precision(lambda _: Scripted(), folder))
    assert empty[small, wanted] == [{"beliefs in text": 0, "precision": 0, "recall": 0, "exact": False}]
    assert empty[small, none] == [{"beliefs in text": 0, "nothing else in text": True}]


def test_a_belief_is_told_after_those_that_it_replaces() -> None:
    chain = [Belief("c", "u", "C", None), Belief("b", "u", "B", "c"), Belief("x", "v", "X", None)]
    chain.append(Belief("a", "u", "A", "b"))
    assert [belief.id for belief in in_order(chain, "u")] == ["a", "b", "c"]
