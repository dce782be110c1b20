"""What a model is asked and what of its answer counts; which questions are drawn; the tables."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest

from benchmarks import asking
from benchmarks.answer_tables import report
from benchmarks.answering import Answering, AskedOnce, Reply
from benchmarks.judging import read_marks
from benchmarks.sampling import shares, stratified
from benchmarks.system import Hit
from benchmarks.talks import Question, Talk, Turn
from benchmarks.tasks import BY_CHOICE, BY_JUDGE, IN_WORDS, Task, score_choice, task_of
from memoryos_core.errors import ModelError
from memoryos_core.testing.fakes import ScriptedChat
from memoryos_core.values.chat import ChatReply, ChatRequest, Prompt

TURNS = (Turn("D1:1", "Ada", "I sail.", 0, None),)
QUESTION = Question("q", "Who sails?", "single-hop", ("D1:1",), "Ada")
SLEEPLESS = Question("later", "Who is up?", "single-hop", ("D1:1",), "Ada", datetime(2023, 6, 2, 10, 30))


class Fixed:
    """A system that gathers the same for every question, and notes what happens to it."""

    def __init__(self) -> None:
        self.texts: tuple[str, ...] = ()
        self.noted: list[str] = []

    def add_turn(self, speaker: str, text: str, timestamp: object, dia_id: str, session: int) -> None:
        self.noted.append(text)

    def finish(self) -> None:
        self.noted.append("finished")

    def search(self, query: str, k: int) -> list[Hit]:
        raise AssertionError("nothing is ranked here")

    def context(self, query: str, budget: int) -> list[Hit]:
        return [Hit(text, []) for text in self.texts]

    def close(self) -> None:
        self.noted.append("closed")

    def replies(
        self, model: ScriptedChat, *texts: str, questions: tuple[Question, ...] = (QUESTION,), task: Task = IN_WORDS
    ) -> list[Reply]:
        self.texts = texts
        wait = lambda seconds: self.noted.append(f"waited {seconds}")  # noqa: E731
        answering = Answering(model, 40, 9, "scripted", task, wait=wait)
        return list(answering.replies("fixed", Talk("talk", ("Ada", "Ben"), (TURNS,), questions), questions))


@pytest.fixture
def fixed(monkeypatch: pytest.MonkeyPatch) -> Fixed:
    system = Fixed()
    monkeypatch.setitem(asking.SYSTEMS, "fixed", lambda _: system)
    return system


def test_what_was_gathered_is_asked_last_and_everything_else_is_the_same(fixed: Fixed) -> None:
    model = ScriptedChat([" Ada \n", ChatReply("<think>who?</think>Ben", 70, 3)])
    first, second = fixed.replies(model, "[1 May 2023] Ada: I sail.", "Ben: Me too.", questions=(QUESTION, SLEEPLESS))
    one, two = model.requests
    assert one.prompts[-1].text.startswith("[1 May 2023] Ada: I sail.\nBen: Me too.\n\nQuestion: Who sails?\n")
    assert "\n\nToday is 2 June 2023.\nQuestion: Who is up?\n" in two.prompts[-1].text
    assert one.prompts[:-1] == two.prompts[:-1]
    assert [prompt.role for prompt in one.prompts] == ["system", *["user", "assistant"] * 3, "user"]
    assert (one.temperature, one.max_tokens) == (0.0, 9)
    assert (first.given, second.given) == ("Ada", "Ben"), "what was thought is no answer"
    assert (first.expected, first.score("F1"), second.score("F1")) == ("Ada", 1, 0)
    assert (second.prompt_tokens, second.answer_tokens) == (70, 3)
    assert 10 < first.context_tokens <= 40
    assert fixed.noted == ["I sail.", "finished", "closed"]


def test_a_model_that_does_not_count_is_counted(fixed: Fixed) -> None:
    [reply] = fixed.replies(ScriptedChat([ChatReply("Ada")]), "Ada: I sail.")
    assert reply.prompt_tokens > 100 > 9 > reply.answer_tokens > 0


@pytest.mark.parametrize(
    ("script", "given", "failure", "calls", "waits"),
    [
        ([ModelError("busy"), ModelError("busy"), "Ada"], "Ada", "", 3, 2),
        ([ModelError("busy")] * 3, "", "busy", 3, 2),
        ([ModelError("no key", transient=False)], "", "no key", 1, 0),
    ],
)
def test_a_failure_is_tried_again_and_kept(
    fixed: Fixed, script: list[Any], given: str, failure: str, calls: int, waits: int
) -> None:
    model = ScriptedChat(script)
    [reply] = fixed.replies(model, "Ada: I sail.")
    assert (reply.given, reply.failure, reply.calls, model.calls) == (given, failure, calls, calls)
    assert [line for line in fixed.noted if line.startswith("waited")] == ["waited 2.0", "waited 4.0"][:waits]
    assert reply.score("F1") == reply.score("BLEU-1") == reply.score("set-F1") == float(bool(given))


OPTIONS = ("A bike", "A boat", "A train")
CHOICE = Question("c", "What shall I take?", "advice", (), "A boat", options=OPTIONS)
PROBE = Question("p", "What do I do?", "probing", ())


def test_options_are_asked_for_by_letter(fixed: Fixed) -> None:
    model = ScriptedChat(["The answer is (b).", "c"])
    first, second = fixed.replies(model, "Ada: I sail.", questions=(CHOICE, CHOICE), task=BY_CHOICE)
    assert model.requests[0].prompts[-1].text == (
        "Ada: I sail.\n\nThe user writes: What shall I take?\n\n(a) A bike\n(b) A boat\n(c) A train\n\n"
        "Letter of the best reply:"
    )
    assert (first.score("accuracy"), second.score("accuracy")) == (1, 0)
    assert first.row()["scores"] == {"accuracy": 1}
    assert Reply.from_row(first.row()) == first
    text = report([first], ["fixed"])
    assert text.startswith("| system | accuracy | unanswered |")


@pytest.mark.parametrize(
    ("given", "score"),
    [
        ("b", 1),
        ("B.", 1),
        ("(b) A boat", 1),
        ("A boat is best: (b)", 1),
        ("(a) or (b)", 0),
        ("a or b", 0),
        ("A boat", 0),
        ("(d)", 0),
        ("", 0),
    ],
)
def test_one_option_must_be_chosen(given: str, score: float) -> None:
    assert score_choice(given, "A boat", OPTIONS) == score


def test_a_reply_without_an_answer_is_judged(fixed: Fixed) -> None:
    verdict = "<think>hm</think>Retrieval: 1\n**correctness**: 0.5\ncoherence = 1"
    model = ScriptedChat(["You sail.", verdict, "You fly.", "I cannot tell.", ModelError("no", transient=False)])
    first, second, third = fixed.replies(model, "Ada: I sail.", questions=(PROBE, PROBE, PROBE), task=BY_JUDGE)
    asked = model.requests[1].prompts[-1].text
    assert asked == "Ada: I sail.\n\nQuestion of the user: What do I do?\nReply of the assistant: You sail.\n\nMarks:"
    assert first.marks == {"retrieval": 1, "correctness": 0.5, "coherence": 1}
    assert [first.score(metric) for metric in first.task.metrics] == [1, 0.5, 1]
    assert (first.calls, first.failure) == (2, "")
    assert (second.calls, second.failure, second.score("coherence")) == (2, "the judge gave no marks", 0)
    assert (third.calls, third.failure, third.marks) == (1, "no", {})
    assert Reply.from_row(first.row()) == first


def test_marks_are_read_whole_or_not_at_all() -> None:
    assert read_marks("retrieval: 1, correctness: 0, coherence: 0.5") == {
        "retrieval": 1,
        "correctness": 0,
        "coherence": 0.5,
    }
    assert read_marks("retrieval: 1, correctness: 0") == {}
    assert read_marks("retrieval: 1, correctness: 0, coherence: 2") == {}


def test_a_question_says_how_it_is_scored() -> None:
    assert task_of(QUESTION) is IN_WORDS
    assert task_of(CHOICE) is BY_CHOICE
    assert task_of(PROBE) is BY_JUDGE
    assert task_of(Question("e", "Who?", "easy", ("D1:1",))) is None


def test_who_takes_more_than_the_budget_is_stopped(fixed: Fixed) -> None:
    with pytest.raises(RuntimeError, match=r"fixed took \d+ tokens of 40 for q"):
        fixed.replies(ScriptedChat(["Ada"]), "one two three four five six " * 9)
    assert fixed.noted[-1] == "closed"


@pytest.mark.parametrize(
    ("sizes", "count", "share"),
    [
        ({"a": 282, "b": 321, "c": 96, "d": 841}, 60, {"a": 11, "b": 12, "c": 5, "d": 32}),
        ({"a": 10, "b": 30}, 20, {"a": 5, "b": 15}),
        ({"a": 100, "b": 3}, 50, {"a": 47, "b": 3}),
        ({"a": 100, "b": 1}, 7, {"a": 6, "b": 1}),
        ({"a": 2, "b": 3}, 99, {"a": 2, "b": 3}),
        ({"a": 5, "b": 5, "c": 6}, 2, {"a": 1, "b": 0, "c": 1}),
        ({}, 5, {}),
    ],
)
def test_every_category_has_its_share(sizes: dict[str, int], count: int, share: dict[str, int]) -> None:
    assert shares(sizes, count) == share


def test_the_sample_is_drawn_once_for_all() -> None:
    every = [Question(str(n), "?", "ab"[n % 3 == 0], ("D1:1",)) for n in range(300)]
    drawn = stratified(every, 60)
    assert len(drawn) == 60
    assert sum(question.category == "b" for question in drawn) == 20
    assert list(drawn) == sorted(drawn, key=every.index)
    assert stratified(every, 60) == drawn
    assert set(drawn) < set(stratified(every, 90))
    assert [int(question.id) for question in drawn] != list(range(60))
    assert stratified(every, 300) == tuple(every)


def reply(system: str, talk: str, category: str, given: str, failure: str = "") -> Reply:
    return Reply(
        system, talk, f"{talk}/{category}", "?", category, "red boat", "s", given, failure, 2, 30, 50, 4, 1.5, 200.0
    )


def test_the_report_compares_the_same_questions() -> None:
    rows = [
        reply("ours", "a", "easy", "red boat"),
        reply("ours", "b", "hard", "boat red"),
        reply("words", "a", "easy", "red boat"),
        reply("words", "b", "hard", "red boat"),
        reply("bm25", "b", "hard", "", "chat model failed"),
        reply("bm25", "a", "easy", "boat"),
    ]
    text = report(rows, ["ours", "words", "bm25"])
    assert text.splitlines() == [
        "| system | F1 | BLEU-1 | set-F1 | unanswered | model calls | context / prompt / answer tokens | ms to gather "
        "| ms to answer | questions |",
        "| --- " * 10 + "|",
        "| ours | 100.0 [100.0, 100.0] | 100.0 [100.0, 100.0] | 100.0 [100.0, 100.0] | 0 | 4 | 30 / 50 / 4 | 1.5 "
        "| 200 | 2 |",
        "| words | 100.0 [100.0, 100.0] | 100.0 [100.0, 100.0] | 100.0 [100.0, 100.0] | 0 | 4 | 30 / 50 / 4 | 1.5 "
        "| 200 | 2 |",
        "| bm25 | 33.3 [0.0, 66.7] | 18.4 [0.0, 36.8] | 33.3 [0.0, 66.7] | 1 | 4 | 30 / 50 / 4 | 1.5 | 200 | 2 |",
        "",
        "| category | system | F1 | BLEU-1 | set-F1 | questions |",
        "| --- " * 6 + "|",
        "| easy | ours | 100.0 | 100.0 | 100.0 | 1 |",
        "| easy | words | 100.0 | 100.0 | 100.0 | 1 |",
        "| easy | bm25 | 66.7 | 36.8 | 66.7 | 1 |",
        "| hard | ours | 100.0 | 100.0 | 100.0 | 1 |",
        "| hard | words | 100.0 | 100.0 | 100.0 | 1 |",
        "| hard | bm25 | 0.0 | 0.0 | 0.0 | 1 |",
        "",
        "| points, same questions | F1 | BLEU-1 | set-F1 |",
        "| --- " * 4 + "|",
        "| ours - bm25 | +66.7 [+33.3, +100.0] | +81.6 [+63.2, +100.0] | +66.7 [+33.3, +100.0] |",
        "",
        "| relative gain of ours over the best other | F1 | BLEU-1 | set-F1 |",
        "| --- " * 4 + "|",
        "| easy | +50.0 % (bm25) | +171.8 % (bm25) | +50.0 % (bm25) |",
        "| hard | undefined (bm25) | undefined (bm25) | undefined (bm25) |",
        "| plain mean | undefined | undefined | undefined |",
        "",
        "no answer, which scores 0:",
        "1 × bm25: chat model failed",
    ]
    alone = report(rows[:4], ["ours", "words"])
    assert "same questions" not in alone
    assert "no answer" not in alone


def test_misses_of_retrieval_and_of_the_model_part() -> None:
    rows = [
        replace(reply("ours", "a", "easy", "red boat"), evidence=1.0),
        replace(reply("ours", "b", "hard", "a bike"), evidence=1.0),
        replace(reply("ours", "c", "hard", "a bike"), evidence=0.5),
        reply("ours", "d", "hard", "red boat"),
    ]
    table = report(rows, ["ours"]).split("\n\n")[2].splitlines()
    assert table[0] == (
        "| evidence in the context | share | F1, all of it (questions) | F1, some of it (questions) "
        "| F1, none of it (questions) |"
    )
    assert table[2:] == ["| ours | 83.3 | 50.0 (2) | 0.0 (1) | - (0) |"]


def test_evidence_counts_where_it_stands_word_for_word(fixed: Fixed) -> None:
    two = Question("two", "Who sails, and what?", "multi-hop", ("D1:1", "D1:2"), "Ada")
    given = Hit("[1 May 2023] Ada: I  SAIL.", ["D1:1", "D1:2"])
    fixed.context = lambda query, budget: [given]  # type: ignore[method-assign]
    (found,) = fixed.replies(ScriptedChat(["Ada"]), questions=(two,))
    assert found.evidence == 0.5
    (uncited,) = fixed.replies(ScriptedChat(["Ada"]), questions=(replace(two, gold=()),))
    assert uncited.evidence is None


def test_a_model_is_not_asked_the_same_twice() -> None:
    model = ScriptedChat([ModelError("HTTP 503"), "Ada", "Ben"])
    once = AskedOnce(model)
    with pytest.raises(ModelError):
        once.ask(ChatRequest((Prompt("user", "Who sails?"),)))
    assert [once.ask(ChatRequest((Prompt("user", text),))).text for text in ("Who sails?", "Who?", "Who sails?")] == [
        "Ada",
        "Ben",
        "Ada",
    ]
    short, long = (ChatRequest((Prompt("user", "Who?"),), max_tokens=most) for most in (1, 2))
    once = AskedOnce(ScriptedChat(["A", "Ada"]))
    assert [once.ask(short).text, once.ask(long).text] == ["A", "Ada"], "another limit is another question"
