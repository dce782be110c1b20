"""What has nothing to do with a question does not come back: for every kind of hit, with and without an embedder."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta, timezone

import pytest

from memoryos_core import (
    AsyncMemoryOS,
    InvalidInputError,
    MemoryConfig,
    MemoryOS,
    Message,
    NoteWrite,
    RecallConfig,
    UserMemory,
    WorkerConfig,
)
from memoryos_core.testing.fakes import FixedClock

LEAST = RecallConfig().min_score
NOW = datetime(2026, 3, 1, 12, tzinfo=timezone.utc)
SAID = (
    ("My salary is 54,000 euros before tax.", "Noted."),
    ("We adopted a grey cat called Miso last week.", "What a good name!"),
    ("My brother Tomás is getting married in Évora in September.", "Congratulations to him."),
    ("I take 20 mg of omeprazole every morning.", "I will keep that in mind."),
    ("I drive an old blue Fiat Panda.", "A classic."),
)
UNRELATED = (
    "What is 17 * 23?",
    "thanks!",
    "Write a Python function that reverses a linked list.",
    "Who wrote War and Peace?",
    "Explain the difference between TCP and UDP.",
)
RELATED = {
    "What is my salary?": "54,000",
    "What is my cat called?": "Miso",
    "When is my brother getting married?": "September",
    "Which car do I drive?": "Panda",
}


pytestmark = pytest.mark.usefixtures("kept_weights")


@pytest.fixture(params=[None, "local"])
def ada(request: pytest.FixtureRequest) -> Iterator[UserMemory]:
    """Another session than the one in which it was said, so that nothing comes back for being recent."""
    config = MemoryConfig(worker=WorkerConfig(mode="manual"))
    with MemoryOS("sqlite://", embedder=request.param, config=config, clock=FixedClock(NOW)) as memory:
        told = memory.user("ada", session_id="told")
        for day, (said, answered) in enumerate(SAID):
            told.add(said, answered, timestamp=NOW - timedelta(days=30 - day))
        told.consolidate()
        yield memory.user("ada", session_id="now")


@pytest.mark.parametrize("question", UNRELATED)
def test_an_unrelated_question_brings_nothing(ada: UserMemory, question: str) -> None:
    assert ada.recall(question).hits == ()
    assert all(hit.score < LEAST for hit in ada.search(question, 20))


@pytest.mark.parametrize(("question", "answer"), RELATED.items())
def test_a_related_one_brings_its_answer_and_little_besides(ada: UserMemory, question: str, answer: str) -> None:
    recall = ada.recall(question)
    assert answer in recall.hits[0].text
    assert recall.hits[0].score == max(hit.score for hit in recall.hits)
    relevant = {hit.id for hit in recall.hits if LEAST <= hit.score <= 1}
    assert all(hit.id in relevant for hit in recall.hits), "a page passes with its better half"
    assert all(hit.score >= LEAST for hit in ada.recall(question, min_score=LEAST).hits)
    best, *_ = ada.recall(question).hits  # what was recalled is a little warmer now
    assert [hit.id for hit in ada.recall(question, min_score=best.score).hits] == [best.id]


@pytest.mark.parametrize("question", ["What do you know about me?", "Summarise everything I told you so far."])
def test_a_question_about_the_memory_itself_is_not_measured_by_its_words(ada: UserMemory, question: str) -> None:
    assert len(ada.recall(question).hits) >= (len(SAID) if ada.search(question, 1) else 0)


def test_a_search_brings_the_k_best_unless_it_is_told_otherwise(ada: UserMemory) -> None:
    found = ada.search("What is my salary?", 4)
    assert len(found) == len(ada.search("What is my salary?", 4, min_score=0.0))
    assert ada.search("What is my salary?", 4, min_score=found[0].score) == found[:1]
    assert all(hit.score >= 0.3 for hit in ada.search("What is my salary?", 20, min_score=0.3))


def test_an_unrelated_question_that_was_asked_before_brings_no_more_than_itself(ada: UserMemory) -> None:
    ada.add("What is 17 * 23?", "Here you go.")
    ada.consolidate()
    for question in ("What is 17 * 23?", "What is 18 * 24?"):
        assert "54,000" not in ada.recall(question, include_recent=False).text


def test_pages_facts_and_notes_are_on_one_scale(ada: UserMemory) -> None:
    ada.remember("The dentist of Ada is Dr. Okafor in Faro.")
    ada.notes.write([NoteWrite(("prefs",), "dentist", "1", text="The dentist of Ada is Dr. Okafor in Faro.")])
    question = "Who is the dentist of Ada?"
    (fact,) = [hit for hit in ada.search(question, 3) if hit.kind == "fact"]
    ((_, note),) = ada.notes.search(("prefs",), question)
    assert min(fact.score, note) > 0.5
    assert fact.score == pytest.approx(note, abs=0.25)
    assert all(score < LEAST for _, score in ada.notes.search(("prefs",), "What is 17 * 23?"))
    assert ada.notes.search(("prefs",), question, min_score=1.0) == []


def test_a_question_asked_before_is_not_the_best_hit_for_itself(ada: UserMemory) -> None:
    question = "Which car do I drive?"
    for _ in range(3):
        ada.add(question, "You drive a Fiat Panda.")
    asking = ada
    hits = asking.recall(question, include_recent=False).hits
    assert "Panda" in hits[0].text
    assert all(question not in hit.text for hit in hits)
    assert question in asking.search(question, 20)[-1].text


def test_what_answers_is_found_however_often_it_is_asked_for(ada: UserMemory) -> None:
    question = "What is my salary?"
    once = ada.recall(question, include_recent=False)
    for number in range(4):
        ada.add_messages([Message("user", question)])
        recall = ada.recall(question, include_recent=False)
        assert [hit.text for hit in recall.hits if "54,000" in hit.text] == [once.hits[0].text], number
        ada.add_messages([Message("assistant", "Noted.")])


def test_a_least_score_is_a_number_from_0_to_1(ada: UserMemory) -> None:
    wrong: object
    for wrong in (-0.1, 1.1, float("nan"), True, "0.2", [0.1]):
        with pytest.raises(InvalidInputError, match="min_score"):
            ada.recall("cat", min_score=wrong)  # type: ignore[arg-type]
        with pytest.raises(InvalidInputError, match="min_score"):
            ada.search("cat", min_score=wrong)  # type: ignore[arg-type]
        with pytest.raises(InvalidInputError, match="min_score"):
            ada.notes.search((), "cat", min_score=wrong)  # type: ignore[arg-type]


async def test_coroutines_take_it_too() -> None:
    async with AsyncMemoryOS("sqlite://", embedder=None, clock=FixedClock(NOW)) as memory:
        ada = memory.user("ada", session_id="told")
        await ada.add(*SAID[0])
        now = memory.user("ada", session_id="now")
        assert (await now.recall("What is my salary?")).hits
        assert (await now.recall("What is my salary?", min_score=1.0)).hits == ()
        assert await now.search("What is my salary?", min_score=1.0) == []
        assert await now.notes.search((), "salary", min_score=0.5) == []


@pytest.mark.parametrize("embedder", ["terms", None])
def test_what_looks_like_small_talk_is_found_as_a_name_and_brings_nothing_by_itself(embedder: str | None) -> None:
    with MemoryOS("sqlite://", embedder=embedder) as memory:
        said = (
            "My salary is 54,000 euros.",
            "The 1+1 code opens the cellar door.",
            "I slept badly and the nice day was long, our neighbour sleeps well.",
            "We named the boat Good Night.",
            "The 👍 sign marks the fire exit.",
        )
        for text in said:
            memory.user("ada", session_id="before").add(text, "Noted.")
        user = memory.user("ada", session_id="now")
        for nothing in (
            "1+1",
            "What is 1+1?",
            "👍",
            "😀 😀",
            "Have a nice day",
            "Sleep well",
            "Good night!",
            "Thanks!",
        ):
            assert user.recall(nothing, include_recent=False).text == "", nothing
        named = {"What is the 1+1 code for?": said[1], "Where is the boat Good Night?": said[3]}
        named |= {"What does the 👍 sign mark?": said[4], "Who sleeps well on a nice day?": said[2]}
        for question, answer in named.items():
            assert answer in user.recall(question, include_recent=False).text, question


def test_a_told_fact_that_shares_no_more_than_a_qualifier_is_not_recalled() -> None:
    """A search without a least score still finds it, and so does a question for it."""
    with MemoryOS("sqlite://", embedder=None) as memory:
        user = memory.user("ada")
        user.remember("The shop on the corner is open on Sundays.")
        assert user.recall("Any open tasks?").hits == ()
        assert user.recall("Is the shop open?").hits
        assert user.search("Any open tasks?")


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("I bought a ukulele.", "What instrument do I have?"),
        ("I have a son, Gene, in Omaha.", "Do I have children?"),
        ("My colleague sold me his Volvo V50.", "What car do I have?"),
        ("I take metformin at breakfast.", "Which medication do I take?"),
    ],
)
def test_a_thing_of_the_kind_that_is_asked_for_comes_back(said: str, asked: str) -> None:
    config = MemoryConfig(worker=WorkerConfig(mode="manual"))
    with MemoryOS("sqlite://", embedder=None, config=config) as memory:
        told = memory.user("ada", session_id="told")
        for text in ("We had soup for lunch.", said, "It rains all day.", "My desk is brown."):
            told.add(text, "ok", timestamp=NOW)
        told.end_session()
        now = memory.user("ada", session_id="now")
        assert said in str(now.recall(asked))
        assert "ukulele" not in str(now.recall("Which language do I speak?"))


CHAT = (
    ("did the order for the cafe", "all 20?"),
    ("well 19, one of the mugs broke", "did the cafe pay for the mugs"),
    ("16 each so 304", "not bad"),
    ("half of it now, the rest in may", "ok"),
    ("told my sister", "and"),
    ("she is glad", "bring the red ball"),
)
OTHER_CHAT = (
    ("how is the new flat", "cold, the boiler is off"),
    ("my train was late again", "mine too"),
    ("I start at the bakery", "when"),
    ("on monday", "wow"),
)


QUESTION = "How much did the cafe pay for the mugs?"
BESIDE, ALONE = CHAT[3][0], OTHER_CHAT[2][0]


def tell_chats(memory: MemoryOS) -> UserMemory:
    """Tell both chats, each in a session of its own, and return the user in a third one."""
    for day, chat in enumerate((OTHER_CHAT, CHAT)):
        told = memory.user("ada", session_id=f"told {day}")
        for minute, (said, answered) in enumerate(chat):
            told.add(said, answered, timestamp=NOW - timedelta(days=9 - day, minutes=60 - minute))
        told.end_session()
    memory.flush()
    return memory.user("ada", session_id="now")


def test_what_is_said_beside_an_answer_comes_with_less_and_the_same_elsewhere_does_not() -> None:
    config = MemoryConfig(worker=WorkerConfig(mode="manual"))
    with MemoryOS("sqlite://", embedder="local", config=config, clock=FixedClock(NOW)) as memory:
        user = tell_chats(memory)
        weak = {hit.messages[0].text: hit.score for hit in user.search(QUESTION, 30) if hit.score < LEAST}
        assert LEAST / 4 < weak[BESIDE] < weak[ALONE]
        text = str(user.recall(QUESTION))
        assert BESIDE in text
        assert ALONE not in text
        assert BESIDE not in str(user.recall(QUESTION, min_score=LEAST))
