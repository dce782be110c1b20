"""Appointments and routines that move in everyday words: the old time is over, and what is of another thing stays."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest

from memoryos_core import MemoryConfig, MemoryOS, Message, WorkerConfig
from memoryos_core.rules.knowledge.rescheduling import is_rescheduled
from memoryos_core.rules.knowledge.slots import slots_of

MANUAL = MemoryConfig(worker=WorkerConfig(mode="manual"))
START = datetime(2026, 2, 2, 9, tzinfo=timezone.utc)


def over_after(*said: str, apart: timedelta = timedelta(days=21)) -> list[str]:
    """Return the facts that are over after the messages, each of a session of its own unless minutes apart."""
    with MemoryOS("sqlite://", embedder=None, config=MANUAL) as memory:
        for number, text in enumerate(said):
            session = "s" if apart < timedelta(hours=1) else f"s{number}"
            user = memory.user("k", session_id=session)
            user.add(text, "ok", timestamp=START + number * apart)
            if number == len(said) - 1 or session != "s":
                user.end_session()
                user.consolidate()
        facts = memory.user("k").facts(current=False)
        return [f.text for f in facts if f.status != "current" and ' said: "' not in f.text]


@pytest.mark.parametrize(
    ("held", "news", "over"),
    [
        ("Osteo is every Thursday at ten past four with Bea.", "Osteo's on Tuesdays at noon from now on.", "Thursday"),
        ("I defend on 9 June.", "No room free, so the defence is ten days later, 19 June.", "9 June"),
        ("I defend on 9 June.", "My defense is a week later, the 16th", "9 June"),
        ("My driving test is on 9 June.", "Driving test's two days earlier now, 7 June", "9 June"),
        (
            "i joined a ceramics course, Wednesday nights 7.15 in Leith",
            "ceramics is Fridays now, same time",
            "Wednesday",
        ),
        ("me and ada go to baby music, tuesdays 10:30 at the library", "music got moved to fridays at 9", "tuesdays"),
        ("Choir is Monday evenings at St Mark's.", "choir's Thursdays now since the organist left", "Monday"),
        ("Sitar class Fridays 6 pm with Guruji.", "Sitar goes on, but the class is on Mondays 7 pm now.", "Fridays"),
        (
            "Surgeon is Ms Okoro in the Royal, appointment 3rd of June at ten.",
            "Okoro pushed me back, it's the 9th of July.",
            "3rd of June",
        ),
        ("I see Dr Lunt on 4 May about the knee.", "Dr Lunt has moved me to 11 May.", "4 May"),
        ("Nana's 80th is Saturday 13 June at the bowls club.", "nana's do is moved to Sunday 21 June", "13 June"),
        (
            "My brother is visiting us on 12/06/2026 for a week.",
            "My brother's visit is preponed, he comes on 05/06/2026.",
            "12/06/2026",
        ),
        ("i'm off on paternity leave til may 11", "they moved my start to june 1 not may 11", "may 11"),
        (
            "We fly to Madeira on 14/07/2026 at 7 am.",
            "I changed the flight, we are going on 16/07/2026 now.",
            "14/07/2026",
        ),
        ("Rehab is every Monday at nine.", "Kim discharged me, no more rehab.", "Monday"),
        ("My flight to Rome is on 3 March.", "The flight to Rome got moved to 9 March.", "3 March"),
        ("My flight to Rome is on 3 March.", "The flight got moved to 9 March.", "3 March"),
        ("Spanish class is every Wednesday.", "Spanish class is on Thursdays now.", "Wednesday"),
        (
            "Entered Snowdonia again, the half, 18th of October.",
            "Snowdonia's gone. My knee is not up to it.",
            "Snowdonia again",
        ),
    ],
)
def test_the_old_time_is_over(held: str, news: str, over: str) -> None:
    (ended,) = over_after(held, news)
    assert over in ended


@pytest.mark.parametrize(
    ("held", "news"),
    [
        ("Osteo is every Thursday at ten past four.", "Osteo's on Tuesday this week."),
        ("I defend our title on 9 June.", "Ann's defence is a week later, the 16th"),
        ("My thesis is due on 9 June.", "Ann's thesis is a week later, 16 June"),
        ("My driving test is on 9 June.", "The theory test is a week later, 16 June"),
        ("Osteo is every Thursday at ten past four.", "They've moved my osteo to 9 June."),
        ("Osteo is every Thursday at ten past four.", "My sister's osteo is Tuesdays now."),
        ("Osteo is every Thursday at ten past four.", "No more osteo this week."),
        ("Osteo is every Thursday at ten past four.", "Pilates is Tuesdays now."),
        ("I see Dr Lunt on 4 May about the knee.", "Dr Abel has moved me to 11 May."),
        ("My friend Lunt is great.", "Lunt pushed me back into the pool, it's 9 now."),
        ("Nana's 80th is Saturday 13 June.", "Grandad's do is moved to Sunday 21 June."),
        ("We fly to Madeira on 14/07/2026.", "I changed the sheets, the guests are coming on 16/07/2026 now."),
        ("Dinner with Dublin friends is on 3 May.", "Dublin's gone quiet."),
        ("Tom comes to dinner on 3 May.", "Tom's gone."),
        ("Choir is Monday evenings.", "I wish choir was moved to Thursdays."),
        ("I have a viva on 20 January at 10am.", "They moved the viva an hour away, to Derby."),
        ("Spanish class is every Wednesday.", "French class is on Thursdays now."),
        ("My guitar lessons are on Mondays.", "Singing lessons are on Fridays now."),
        ("My flight to Rome is on 3 March.", "The flight from Rome got moved to 9 March."),
        ("My train from York is on 3 March.", "My train to York was moved to 9 March."),
        ("The flight from Oslo is on 3 March.", "The flight to Oslo is cancelled."),
        ("I see Dr Hanley on 22 January.", "Dr Hanley pushed me out of the way, it's the 30th time now."),
        ("I have tea with Gran every Sunday.", "No more tea for me, thanks, I'm full."),
        ("I have brunch with Tim every Sunday.", "no more brunch for me thanks"),
    ],
)
def test_what_is_of_another_thing_or_once_stays(held: str, news: str) -> None:
    assert over_after(held, news) == []


@pytest.mark.parametrize(
    ("held", "news"),
    [
        ("Yoga class is Fridays at six.", "Sitar goes on, but the class is on Mondays 7 pm now."),
        ("The user ran the Leith 10k on 3 May 2025.", "The Leith 10k is moved to 10 May."),
        ("Dinner with Ann is on Friday.", "Dinner with Ben is Saturday now."),
    ],
)
def test_its_words_are_of_another_one(held: str, news: str) -> None:
    assert not is_rescheduled(held, news)


@pytest.mark.parametrize(
    "news",
    [
        "oh they've just emailed, it's moved to Thursday 12 March, still 3pm.",
        "the clinic rang, it's moved to Thursday 12 March.",
        "they just texted to say it's now on Thursday 12 March",
    ],
)
def test_who_told_of_the_new_day_is_not_what_it_is_of(news: str) -> None:
    held = "I have a scan at the Infirmary, Tuesday 10 March, 3pm!"
    for said in ((held, news), (held, "how long does a scan take", news)):
        (ended,) = over_after(*said, apart=timedelta(minutes=3))
        assert "10 March" in ended


def test_of_two_plans_neither_is_moved_without_its_name() -> None:
    said = ("I have a scan on 10 March, 3pm!", "The dentist is on 12 March, 3pm.", "how are you")
    assert over_after(*said, "oh they've just emailed, it's moved to 17 March.", apart=timedelta(minutes=3)) == []


@pytest.mark.parametrize("name", ["Ines", "Ines Falk"])
def test_who_is_moved_by_name_is_no_appointment(name: str) -> None:
    news = f"Dr Ng pushed {name} back, it's the 30th of April now."
    assert is_rescheduled(f"{name} has an appointment with Dr Ng on the 16th of April.", news)
    assert not is_rescheduled(f"{name} swims on Monday and Friday at six.", news)


def times_after(*said: str) -> list[str]:
    """What lies ahead after messages of one session: its days and hours."""
    with MemoryOS("sqlite://", embedder=None, config=MANUAL, clock=lambda: START) as memory:
        user = memory.user("k")
        for number, text in enumerate(said):
            user.add(text, "ok", timestamp=START + timedelta(minutes=3 * number))
        user.end_session()
        user.consolidate()
        return [f"{fact.event_time:%d %H:%M}" for fact in user.upcoming(days=60)]


@pytest.mark.parametrize(
    ("said", "news", "times"),
    [
        ("Flight to Oslo on 20 March at 6am.", "flight's now at 9am", ["20 09:00"]),
        ("Interview with Arup on 20 March at 10:30am.", "the interview was pushed to 11:30", ["20 11:30"]),
        ("My exam is on 20 March at 9am.", "my exam is at 11am now", ["20 11:00"]),
        ("My exam is on 20 March at 9am.", "My sister's exam is at 11am now.", ["20 09:00"]),
        ("My exam is on 20 March at 9am.", "my shift is at 11am now", ["20 09:00"]),
    ],
)
def test_a_new_hour_alone_keeps_the_day(said: str, news: str, times: list[str]) -> None:
    assert times_after(said, news) == times


@pytest.mark.parametrize(
    ("said", "news", "times"),
    [
        (
            "Am 20. März um 10 Uhr habe ich ein Gespräch.",
            "Nein, warte, am 21. März, das ist ein Samstag.",
            ["21 10:00"],
        ),
        ("Das Gespräch ist am 20. März um 10 Uhr.", "Nein, am 21. März.", ["21 10:00"]),
        (
            "Am Freitag, dem 20. März, habe ich um 8:15 Uhr einen Termin.",
            "Der Termin wurde verschoben, auf den 22. März, gleiche Uhrzeit.",
            ["22 08:15"],
        ),
        ("The viva is on 20 March at 10am.", "No wait, on 21 March, that's a Saturday.", ["21 10:00"]),
        # Another thing.
        (
            "Das Gespräch ist am 20. März um 10 Uhr.",
            "Warte, am 21. März fahren wir nach Rom.",
            ["20 10:00", "21 00:00"],
        ),
    ],
)
def test_a_new_day_alone_keeps_the_hour(said: str, news: str, times: list[str]) -> None:
    assert times_after(said, news) == times


@pytest.mark.parametrize(
    ("said", "news", "is_over"),
    [
        ("I'm running the Leeds marathon on 20 March.", "broke my ankle, marathon's off", True),
        ("Vet for Biscuit on 20 March at 9:15am.", "I cancelled the vet", True),
        ("My exam is on 20 March at 9am.", "I've already done the exam", True),
        ("Our baby is due on 20 March.", "our baby was born yesterday", True),
        ("I'm running the Leeds marathon on 20 March.", "broke my ankle, the picnic's off", False),
        ("I have a dentist appointment on 20 March at 9am.", "my sister cancelled the dentist appointment", False),
        ("I have a dentist appointment on 20 March at 9am.", "I've already had the scan", False),
        ("Our baby is due on 20 March.", "my sister's dog was born yesterday", False),
    ],
)
def test_a_plan_that_is_off_or_done_in_passing_is_over(said: str, news: str, *, is_over: bool) -> None:
    assert (times_after(said, news) == []) is is_over


@pytest.mark.parametrize(
    "said",
    [
        ("I have physio on 13 July at 10am. Actually they just texted, it's 15 July now, same time.",),
        ("I have physio on 13 July at 10am.", "Actually they just texted, it's 15 July now, same time."),
        ("physio on 13 july at 10am", "actually its 15 july now"),
    ],
)
def test_a_plan_that_is_moved_in_the_same_breath_has_its_new_day(said: tuple[str, ...]) -> None:
    at = datetime(2026, 7, 1, 12, tzinfo=timezone.utc)
    with MemoryOS("sqlite://", embedder=None, config=MANUAL, clock=lambda: at) as memory:
        user = memory.user("ann", session_id="s")
        user.add_messages(
            [*(Message("user", text, None, at) for text in said), Message("assistant", "Noted.", None, at)]
        )
        user.end_session()
        memory.flush()
        times = [fact.event_time for fact in user.upcoming(30)]
    assert times == [datetime(2026, 7, 15, 10, tzinfo=timezone.utc)]


@pytest.mark.parametrize(
    ("held", "news", "now"),
    [
        (
            "I'm down for keyhole surgery on 17 February.",
            "Surgery's been put back a week, they rang on Friday. So it's the 24th now, same place.",
            "The user is down for keyhole surgery on 24 February (changed).",
        ),
        (
            "I have physio on 17 February at 10.",
            "Physio was brought forward a day, I got a text.",
            "The user has physio on 16 February at 10 (changed).",
        ),
        (
            "I've got a massage on 19 February at 5.30pm, and the shoulder scan's on the 24th at 7.45.",
            "The scan's been moved, it's on the 26th now, same time.",
            "The shoulder scan's on the 26th of February at 7.45 (changed).",
        ),
    ],
)
def test_a_move_by_a_week_or_to_a_day_is_told_in_the_words_of_the_plan(held: str, news: str, now: str) -> None:
    with MemoryOS("sqlite://", embedder=None, config=MANUAL) as memory:
        for number, text in enumerate((held, news)):
            user = memory.user("k", session_id=f"s{number}")
            user.add(text, "ok", timestamp=START + number * timedelta(days=7))
            user.end_session()
            user.consolidate()
        facts = [fact.text for fact in memory.user("k").facts()]
    assert now in facts
    assert not [text for text in facts if "17 February" in text or "the 24th of" in text]
    assert len([text for text in facts if "massage" in text]) == ("massage" in held)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("The scan's been moved, it's on the 16th now.", []),
        ("Surgery's been put back a week.", []),
        ("The trip was put off.", []),
        ("The scan was moved to 16 July.", ["16 July"]),
        ("The meeting is moved to Thursday.", ["Thursday"]),
        ("The sofa's been moved into the hall.", ["moved into the hall"]),
    ],
)
def test_that_something_moved_is_no_value_of_it(text: str, values: list[str]) -> None:
    assert [slot.value for slot in slots_of(text)] == values
