"""What did we talk about last time? The conversation before this one answers, whatever it was about."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest

from memoryos_core import MemoryConfig, MemoryOS, Message, ShortTermConfig, UserMemory, WorkerConfig

NOW = datetime(2026, 11, 29, 12, tzinfo=timezone.utc)
MARCH = datetime(2026, 3, 2, 10, tzinfo=timezone.utc)
JUNE = datetime(2026, 6, 10, 19, tzinfo=timezone.utc)
FRIDAY = datetime(2026, 11, 27, 9, tzinfo=timezone.utc)
TALKS = {
    MARCH: ("The boiler broke.", "A plumber named Osric fixed it."),
    JUNE: ("Finished the quilt with the herons.", "The abbey wants to hang it."),
    FRIDAY: ("Passed the theory test!", "Now the clutch of the Polo smells.", "The examiner hummed Bach."),
}
MANUAL = MemoryConfig(worker=WorkerConfig(mode="manual"))


def say(user: UserMemory, at: datetime, *texts: str) -> None:
    for number, text in enumerate(texts):
        when = at + timedelta(minutes=number)
        user.add_messages([Message("user", text, None, when), Message("assistant", "Noted.", None, when)])


def opened(config: MemoryConfig = MANUAL) -> MemoryOS:
    return MemoryOS("sqlite://", embedder=None, config=config, clock=lambda: NOW)


def tell(memory: MemoryOS, *, session: str = "") -> UserMemory:
    """Three conversations, each in a session of its own or all in one."""
    for at, texts in TALKS.items():
        say(memory.user("ann", session_id=session or f"{at:%m-%d}"), at, *texts)
    memory.flush()
    return memory.user("ann", session_id=session or "later")


def answers(user: UserMemory, question: str, *, budget: int = 300) -> set[str]:
    hits = user.recall(question, budget_tokens=budget).hits
    return {message.text for hit in hits for message in hit.messages if message.text != "Noted."}


@pytest.mark.parametrize(
    ("question", "talk"),
    [
        ("What did we talk about last time?", FRIDAY),
        ("Where did we leave off?", FRIDAY),
        ("What did I tell you in our last conversation?", FRIDAY),
        ("Hi again! What did we talk about last time?", FRIDAY),
        ("Was haben wir letztes Mal besprochen?", FRIDAY),
        ("上次我们聊了什么？", FRIDAY),
        ("What have I been up to lately?", FRIDAY),
        ("How was my week?", FRIDAY),
        ("What happened Friday?", FRIDAY),
        ("What did we talk about in our first conversation?", MARCH),
    ],
)
def test_a_conversation_answers_that_no_word_finds(question: str, talk: datetime) -> None:
    with opened() as memory:
        assert answers(tell(memory), question) == set(TALKS[talk])
    with opened() as memory:  # one thread for ever: what is among its recent turns is no hit
        text = tell(memory, session="thread-1").recall(question, budget_tokens=300).text
        assert all(said in text for said in TALKS[talk])


def test_what_is_being_said_is_not_the_last_conversation() -> None:
    with opened() as memory:
        ann = tell(memory)
        say(ann, NOW - timedelta(minutes=5), "The soup is on.", "It needs salt.")
        assert answers(ann, "What did we talk about last time?") == set(TALKS[FRIDAY])
        # In another session of that moment it is.
        other = memory.user("ann", session_id="other-2")
        assert answers(other, "What did we talk about last time?") == {"The soup is on.", "It needs salt."}


def test_one_thread_for_ever_has_conversations_and_its_turns_have_days() -> None:
    with opened() as memory:
        ann = tell(memory, session="thread-1")
        texts = [f"The soup needs {number} grams of salt." for number in range(7)]
        say(ann, NOW - timedelta(minutes=30), *texts)
        text = ann.recall("What did we talk about last time?", budget_tokens=600).text
        assert all(said in text for said in TALKS[FRIDAY])
        assert "[27 November 2026]\nuser: " in text
        assert "[29 November 2026]\nuser: The soup needs 0 grams" in text.partition("Recent turns")[2]
        assert text.count("[29 November") == 1


def test_without_a_pause_only_sessions_end_a_conversation() -> None:
    config = MemoryConfig(short_term=ShortTermConfig(idle_hours=None), worker=WorkerConfig(mode="manual"))
    with opened(config) as memory:
        tell(memory, session="thread-1")
        other = memory.user("ann", session_id="other")
        assert answers(other, "Where did we leave off?") == {text for texts in TALKS.values() for text in texts}
    with opened(config) as memory:
        assert answers(tell(memory), "What did we talk about last time?") == set(TALKS[FRIDAY])


def test_a_long_conversation_is_told_in_all_of_its_parts() -> None:
    with opened() as memory:
        ann = tell(memory)
        day = NOW - timedelta(days=1)
        say(memory.user("ann", session_id="long"), day, *(f"Chapter {n} of the novel has a heron." for n in range(300)))
        said = answers(ann, "What did we talk about last time?", budget=400)
        chapters = sorted(int(text.split()[1]) for text in said)
        assert chapters, said
        assert chapters[-1] >= 280, "its end"
        assert chapters[0] <= 150, "and what was before, of the newest two hundred pages"


def test_the_end_of_a_conversation_is_its_last_turns_however_short() -> None:
    with opened() as memory:
        ann = tell(memory)
        long = [f"In {1900 + n} our family rented the house near Hull with the two herons." for n in range(60)]
        start, end = ("hey", "It's Ann", "I want a new oven"), ("Bosch or Neff?", "ok Neff", "yes, on Tuesday")
        say(memory.user("ann", session_id="oven"), NOW - timedelta(days=1), *start, *long, *end)
        for question in ("Where did we leave off?", "What was the last thing I told you?"):
            assert set(end) <= answers(ann, question)
    with opened() as memory:
        say(memory.user("ann", session_id="oven"), MARCH, *start, *long, *end)
        say(memory.user("ann", session_id="later"), FRIDAY, "The oven is here.")
        assert set(start) <= answers(memory.user("ann", session_id="now"), "What was the first thing I told you?")


def test_greetings_and_such_questions_are_no_conversation() -> None:
    with opened() as memory:
        ann = tell(memory)
        say(memory.user("ann", session_id="greeting"), NOW - timedelta(hours=20), "Hi!", "Thanks, bye!")
        say(memory.user("ann", session_id="asking"), NOW - timedelta(hours=10), "Where did we leave off?")
        assert set(TALKS[FRIDAY]) <= answers(ann, "What did we talk about last time?")


def test_two_sessions_side_by_side_are_two_conversations() -> None:
    with opened() as memory:
        ann = tell(memory)
        for n, (phone, laptop) in enumerate(
            (("The flight is booked.", "Fix the parser."), ("It goes at ten.", "It works."))
        ):
            at = NOW - timedelta(hours=10, minutes=-6 * n)
            say(memory.user("ann", session_id="phone"), at, phone)
            say(memory.user("ann", session_id="laptop"), at + timedelta(minutes=3), laptop)
        assert {"Fix the parser.", "It works."} <= answers(ann, "What did we talk about last time?")


def test_lately_is_before_the_newest_conversation_however_old() -> None:
    clock = [NOW]
    with MemoryOS("sqlite://", embedder=None, config=MANUAL, clock=lambda: clock[0]) as memory:
        ann = tell(memory)
        clock[0] += timedelta(days=300)
        assert answers(ann, "What have I been up to lately?") == set(TALKS[FRIDAY])
        assert not answers(ann, "How was my week?")


def test_another_sentence_has_a_subject() -> None:
    with opened() as memory:
        assert "Finished the quilt with the herons." in answers(
            tell(memory), "Quilt day! What did I tell you last time?"
        )


def test_a_topic_of_other_times_is_not_named() -> None:
    with opened() as memory:
        ann = tell(memory)
        text = ann.recall("Summarise our last chat.", budget_tokens=400).text
        assert "quilt" not in text
        assert "boiler" not in text
        assert "theory test" in text


def test_a_memory_without_a_conversation_has_no_last_one() -> None:
    with opened() as memory:
        ann = memory.user("ann", session_id="first")
        assert not ann.recall("What did we talk about last time?", budget_tokens=300).text


def test_another_user_has_another_last_conversation() -> None:
    with opened() as memory:
        tell(memory)
        bob = memory.user("bob", session_id="bob-1")
        say(bob, JUNE, "My kite tore.")
        memory.flush()
        assert answers(memory.user("bob", session_id="bob-2"), "Where did we leave off?") == {"My kite tore."}


def test_a_long_conversation_that_goes_on_hides_none_before_it() -> None:
    with opened() as memory:
        ann = tell(memory)
        say(ann, NOW - timedelta(minutes=220), *(f"Turn {number} of the soup." for number in range(210)))
        assert set(TALKS[FRIDAY]) <= answers(ann, "What did we talk about last time?", budget=2000)


def test_times_at_the_ends_of_the_calendar_are_no_error() -> None:
    with opened() as memory:
        last = datetime.max.replace(tzinfo=timezone.utc)
        memory.user("ann", session_id="far").add_messages([Message("user", "The kite tore.", None, last)])
        ann = memory.user("ann", session_id="later")
        for question in ("What did we talk about last time?", "What have I been up to lately?", "How was my week?"):
            assert ann.recall(question, budget_tokens=300).tokens <= 300
