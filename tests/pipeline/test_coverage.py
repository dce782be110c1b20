"""What wants a whole matter gets something of every session, whatever the budget; what does not, the best."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from itertools import pairwise
from typing import Any

import pytest

from memoryos_core import MemoryConfig, MemoryOS, Message, RecallConfig, UserMemory, WorkerConfig
from memoryos_core.rules.ranking.shortening import shorten_recall
from memoryos_core.testing.fakes import FixedClock

NOW = datetime(2024, 6, 1, 12, tzinfo=timezone.utc)
MANUAL = MemoryConfig(worker=WorkerConfig(mode="manual"))
SUMMARY, PLAIN = "Give me a summary of the beans", "Where are the beans?"
SESSIONS = tuple(f"day-{n}" for n in range(6))
Make = Callable[..., UserMemory]


@pytest.fixture
def gardener() -> Iterator[Make]:
    """A user who spoke of the beans all of one day, and once on each of five others; asked in another session."""
    opened: list[MemoryOS] = []

    def make(config: MemoryConfig = MANUAL, **recall: Any) -> UserMemory:
        config = replace(config, recall=replace(config.recall, **recall))
        memory = MemoryOS("sqlite://", embedder=None, config=config, clock=FixedClock(NOW), token_counter=None)
        opened.append(memory)
        for n, session in enumerate(SESSIONS):
            for turn in range(12 if n == 0 else 1):
                when = NOW - timedelta(days=30 - n) + timedelta(minutes=turn)
                text = (
                    f"Beans, beans and more beans: row {turn}" if n == 0 else f"In week {n} the weather was cold, beans"
                )
                said = [Message("user", text, None, when), Message("assistant", f"Row {turn} of {n}.", None, when)]
                memory.user("ada", session_id=session).add_messages(said)
                memory.user("ada", session_id=session).add_messages([Message("user", f"Bye {n}", None, when)])
        memory.flush()
        return memory.user("ada", session_id="later")

    yield make
    for memory in opened:
        memory.close()


def sessions_of(user: UserMemory, question: str, budget: int = 200) -> set[str | None]:
    return {hit.session_id for hit in user.recall(question, budget_tokens=budget).hits}


@pytest.mark.parametrize(
    ("coverage", "question", "spread"),
    [
        ("asked", SUMMARY, True),
        ("asked", PLAIN, False),
        ("always", PLAIN, True),
        ("never", SUMMARY, False),
    ],
)
def test_sessions_take_turns_where_it_is_asked_or_configured(
    gardener: Make, coverage: str, question: str, spread: bool
) -> None:
    ada = gardener(coverage=coverage)
    assert (sessions_of(ada, question) == set(SESSIONS)) is spread


def test_by_default_it_is_spread_where_it_is_asked_for(gardener: Make) -> None:
    assert RecallConfig().coverage == "asked"
    assert sessions_of(gardener(), SUMMARY) == set(SESSIONS)


def test_within_a_session_the_user_comes_before_what_was_answered(gardener: Make) -> None:
    hits = [hit for hit in gardener().recall(SUMMARY, budget_tokens=2000).hits if hit.session_id == SESSIONS[0]]
    about = [hit.about or "" for hit in hits]
    assert about == sorted(about, reverse=True)
    assert set(about) == {"user", "assistant"}


def test_what_is_covered_is_looked_for_further_down(gardener: Make) -> None:
    """A dozen rows of beans fill the candidates; the other days come after them."""
    assert sessions_of(gardener(coverage="never", candidates=8), PLAIN, 60) == {SESSIONS[0]}
    ada = gardener(candidates=12)
    assert {hit.session_id for hit in ada.recall(PLAIN, budget_tokens=2000).hits} == {SESSIONS[0]}
    assert {hit.session_id for hit in ada.recall(SUMMARY, budget_tokens=2000).hits} == set(SESSIONS)


def test_the_papers_recall_is_never_spread(gardener: Make) -> None:
    paper = replace(MemoryConfig.paper(), worker=WorkerConfig(mode="manual"))
    assert paper.recall.coverage == "never"
    ungated = gardener(paper, gate=False)
    scores = [hit.score for hit in ungated.search(SUMMARY, 9)]
    assert scores == sorted(scores, reverse=True)
    assert sessions_of(ungated, SUMMARY, 60) == {SESSIONS[0]}


def test_a_search_is_in_the_order_of_its_scores(gardener: Make) -> None:
    scores = [hit.score for hit in gardener(coverage="always").search(SUMMARY, 12)]
    assert len(scores) == 12
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("question", [SUMMARY, "In which order did I speak of the beans, the weather and the rows?"])
def test_more_budget_spreads_over_the_same_and_more(gardener: Make, question: str) -> None:
    ada = gardener()
    brought = [[(h.id, h.about) for h in ada.recall(question, budget_tokens=n).hits] for n in range(20, 1200, 45)]
    assert len(brought[-1]) > 20
    for small, large in pairwise(brought):
        assert large[: len(small)] == small


TALKED = {
    "boat": "The boat needs a keel and a rudder, the boatyard says. The rudder of the boat is of oak.",
    "violin": "The violin needs strings and a bow. My violin teacher bows the strings.",
    "garden": "The garden has beans and roses. The roses of the garden climb over the beans.",
}


@pytest.fixture
def talker() -> Iterator[Make]:
    """A user who spoke of three topics, one after the other, eight times each."""
    opened: list[MemoryOS] = []

    def make(config: MemoryConfig = MANUAL) -> UserMemory:
        memory = MemoryOS("sqlite://", embedder=None, config=config, clock=FixedClock(NOW), token_counter=None)
        opened.append(memory)
        for number, said in enumerate(TALKED.values()):
            ada = memory.user("ada", session_id=f"s{number}")
            for turn in range(8):
                ada.add(said, f"{said} {turn}", timestamp=NOW - timedelta(days=30 - 9 * number - turn % 2))
            ada.end_session()
        memory.flush()
        return memory.user("ada", session_id="later")

    yield make
    for memory in opened:
        memory.close()


def test_what_have_we_been_working_on_is_answered_by_dated_topics_in_order(talker: Make) -> None:
    found = talker().recall("What have we been working on?", budget_tokens=600)
    assert "\nTopics talked about:\n- " in found.text
    assert [next(word for word in TALKED if word in line.lower()) for line in found.topics_text] == list(TALKED)
    assert "(2 May to 3 May 2024): The boat needs a keel" in found.topics_text[0]


def test_an_overview_of_a_subject_names_the_topics_that_are_of_it(talker: Make) -> None:
    found = talker().recall("Give me a summary of the violin", budget_tokens=600)
    (line,) = found.topics_text
    assert "violin" in line.lower()
    assert found.text.index("Topics") < found.text.index("Said earlier"), "the evidence follows"


@pytest.mark.parametrize("question", ["Where is the violin?", "What did we say about the boat?", ""])
def test_other_questions_get_no_topics(talker: Make, question: str) -> None:
    assert talker().recall(question, budget_tokens=600).topics_text == ()


def test_topics_can_be_switched_off_and_the_paper_has_none(talker: Make) -> None:
    off = replace(MANUAL, recall=replace(MANUAL.recall, overview_share=0.0))
    for config in (off, replace(MemoryConfig.paper(), worker=MANUAL.worker)):
        assert talker(config).recall("What have we been working on?", budget_tokens=600).topics_text == ()


def test_an_overview_of_a_time_names_what_was_talked_about_then(talker: Make) -> None:
    user = talker()
    for question, subject in (
        ("What did we talk about in May 2024?", list(TALKED)),
        ("What did we discuss in 2019?", []),
    ):
        lines = user.recall(question, budget_tokens=600).topics_text
        assert [next(word for word in TALKED if word in line.lower()) for line in lines] == subject
    (line,) = user.recall("What did we talk about last week?", budget_tokens=600).topics_text
    assert "garden" in line
    assert len(user.recall("What have we discussed since April 2024?", budget_tokens=600).topics_text) == len(TALKED)


def test_an_overview_of_a_time_asks_for_pages_of_that_time() -> None:
    said = [
        *(((2024, 1, day), "How do I use a mutex in Rust?") for day in range(1, 20)),
        *(((2024, 3, day), "Which soil do tulips want?") for day in (10, 12)),
        *(((2024, 5, day), "When do I use a mutex in Rust?") for day in range(1, 20)),
    ]
    with MemoryOS("sqlite://", embedder=None, config=MANUAL, clock=FixedClock(NOW), token_counter=None) as memory:
        for number, (day, text) in enumerate(said):
            ada = memory.user("ada", session_id=f"s{number}")
            ada.add(text, "I see.", timestamp=datetime(*day, 9, tzinfo=timezone.utc))
            ada.end_session()
            ada.consolidate()
        user = memory.user("ada", session_id="later")

        def subjects(question: str) -> list[str]:
            lines = user.recall(question, budget_tokens=600).topics_text
            return [next(word for word in ("tulips", "mutex") if word in line.lower()) for line in lines]

        rust, _ = sorted(user.topics(), key=lambda topic: topic.since or NOW)
        assert rust.since is not None
        assert rust.until is not None
        assert (rust.since.month, rust.until.month) == (1, 5), "one topic, before and after"
        assert subjects("What did we talk about in March 2024?") == ["tulips"]
        assert subjects("What did we talk about in February 2024?") == []
        assert subjects("What did we talk about in January 2024?") == ["mutex"]
        assert subjects("What did we talk about in 2024?") == ["mutex", "tulips"], "the small one, too"


def test_an_overview_of_a_subject_names_its_topic_whenever_it_was_talked_about(talker: Make) -> None:
    (line,) = talker().recall("Give me a summary of the violin in March 2023", budget_tokens=600).topics_text
    assert "violin" in line.lower()


def test_a_topic_is_not_told_by_what_no_longer_holds() -> None:
    with MemoryOS("sqlite://", embedder=None, config=MANUAL, clock=FixedClock(NOW), token_counter=None) as memory:
        ada = memory.user("ada", session_id="first")
        for turn in range(9):
            said = ("I work as a nurse at the ward.", "The ward has long shifts.", "The ward's nurses drink tea.")[
                turn % 3
            ]
            ada.add(said, "I see.", timestamp=NOW - timedelta(days=30 - turn))
        ada.add("By the way, I now work as a teacher.", "Oh!", timestamp=NOW - timedelta(days=20))
        ada.end_session()
        memory.flush()
        lines = (
            memory.user("ada", session_id="later").recall("What have we talked about?", budget_tokens=600).topics_text
        )
    assert lines
    assert not any("as a nurse" in line for line in lines)


def test_topics_that_find_no_room_take_none(talker: Make) -> None:
    user = talker()
    off = talker(replace(MANUAL, recall=replace(MANUAL.recall, overview_share=0.0)))
    for budget in range(20, 90, 10):
        found, without = (one.recall("What have we talked about?", budget_tokens=budget) for one in (user, off))
        assert found.topics_text or len(found.hits) == len(without.hits)


def test_what_was_said_of_a_topic_and_forgotten_stands_in_no_overview(talker: Make) -> None:
    user = talker()
    user.forget(pages=[page for page in user.pages() if "violin" in page.messages[0].text])
    assert "violin" not in user.recall("What have we been working on?", budget_tokens=600).text


@pytest.mark.parametrize("question", ["What have we been working on?", "Give me a summary of the garden and the boat"])
def test_with_more_budget_an_overview_keeps_its_topics_and_hits(talker: Make, question: str) -> None:
    user = talker()
    found = [
        user.recall(question, budget_tokens=budget)
        for budget in (40, 60, 70, 80, 90, 100, 120, 150, 200, 300, 301, 350, 450, 600, 601, 900, 1500)
    ]
    for small, large in pairwise(found):
        assert set(small.topics_text) <= set(large.topics_text)
        assert {hit.id for hit in small.hits} <= {hit.id for hit in large.hits}
        assert large.tokens <= large.budget_tokens


def test_a_shorter_overview_loses_its_hits_first(talker: Make) -> None:
    whole = talker().recall("Give me a summary of the garden and the boat", budget_tokens=600)
    short = shorten_recall(whole, 150, lambda text: len(text) // 4)
    assert short.topics_text == whole.topics_text[: len(short.topics_text)] != ()
    assert len(short.hits) < len(whole.hits)
