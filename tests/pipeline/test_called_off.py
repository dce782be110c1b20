"""Plans that are called off, at the moment that the news names, and plans that are on again."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from itertools import permutations
from pathlib import Path

import pytest

from memoryos_core import MemoryConfig, MemoryOS, UserMemory, WorkerConfig

START = datetime(2027, 3, 3, 19, tzinfo=timezone.utc)  # a Wednesday
MANUAL = MemoryConfig(worker=WorkerConfig(mode="manual"))


def tell(folder: Path, *said: str, order: tuple[int, ...] = (), days: int = 1) -> UserMemory:
    """A user who said each of these in a session of its own, so many days apart; they are read in the order given."""
    memory = MemoryOS(f"sqlite:///{folder}/memory.db", embedder=None, config=MANUAL, clock=lambda: START)
    for number in order or range(len(said)):
        session = memory.user("ada", session_id=f"s{number}")
        session.add(said[number], "ok", timestamp=START + timedelta(days=days * number))
        session.end_session()
        session.consolidate()
    return memory.user("ada", session_id="asking")


def first_holds(user: UserMemory) -> bool:
    (fact,) = [fact for fact in user.facts(current=False) if fact.valid_from == START]
    return fact.status == "current"


PLAN_OF_FRIDAY = "I have a pottery class on Friday."


@pytest.mark.parametrize(
    ("plan", "news"),
    [
        (PLAN_OF_FRIDAY, "Last week's class got cancelled."),
        (PLAN_OF_FRIDAY, "last friday's pottery class was cancelled"),
        (PLAN_OF_FRIDAY, "Yesterday's class was called off."),
        (PLAN_OF_FRIDAY, "They cancelled Tuesday's pottery class."),
        (PLAN_OF_FRIDAY, "The Tuesday class is off."),
        (PLAN_OF_FRIDAY, "my monday class is cancelled"),
        (PLAN_OF_FRIDAY, "The class on 20 March is cancelled."),
        ("I have a gig on 12 June.", "The gig on 5 June is cancelled."),
        ("I've got a checkup at 3pm on Friday.", "The 5pm checkup is cancelled."),
        ("We have a trip to Cork in July.", "The trip was cancelled last year."),
        ("We have a trip to Cork in July.", "The June trip fell through."),
        ("I have dentist slots on Tuesday and Friday.", "The Tuesday slot is off."),
        (PLAN_OF_FRIDAY, "The last class was cancelled."),
        ("I have yoga every Tuesday at 6pm.", "Next Tuesday's yoga is cancelled."),
        ("I have a choir rehearsal every Monday.", "This week's rehearsal is cancelled."),
        ("My swimming lesson is on Thursdays.", "tomorrow's swimming lesson got cancelled"),
        (PLAN_OF_FRIDAY, "my previous pottery class got cancelled"),
        ("I won my fourth chess match on Sunday.", "The chess match got pushed back, so I cooked."),
        (PLAN_OF_FRIDAY, "People keep saying the class is cancelled, but it's not."),
        (PLAN_OF_FRIDAY, "heard the class was cancelled but that was a false alarm"),
        (PLAN_OF_FRIDAY, "The class is cancelled. False alarm, it's on."),
        (PLAN_OF_FRIDAY, "The pottery class is cancelled, no wait, it isn't."),
        (PLAN_OF_FRIDAY, "They told us the class was off, it turns out it's not true."),
        ("My flu jab is on 20 March.", "I've already had the flu, doc says still come."),
        ("I have a driving lesson on 20 March.", "I've already done the driving."),
        ("I have an interview at BBC on 20 March and one at ITV on 22 March.", "I've already had the ITV interview."),
        ("I have an interview at BBC on 20 March and one at ITV on 22 March.", "I've already had the interview."),
        ("I have yoga on Friday at 9am.", "No yoga on Friday, said my sister, she's got flu."),
    ],
)
def test_what_is_off_at_another_time_or_not_at_all_leaves_the_plan(tmp_path: Path, plan: str, news: str) -> None:
    assert first_holds(tell(tmp_path, plan, news))


@pytest.mark.parametrize(
    ("plan", "news"),
    [
        (PLAN_OF_FRIDAY, "The class is cancelled."),
        (PLAN_OF_FRIDAY, "Friday's class is cancelled."),
        (PLAN_OF_FRIDAY, "the friday class is off"),
        (PLAN_OF_FRIDAY, "Tomorrow's class is cancelled."),
        ("I have yoga every Tuesday at 6pm.", "My yoga is cancelled for good."),
        ("I have yoga every Tuesday at 6pm.", "Tuesday's yoga is cancelled from now on."),
        (PLAN_OF_FRIDAY, "The class on Friday got cancelled because the teacher broke her leg."),
        (PLAN_OF_FRIDAY, "The class got called off yesterday."),
        (PLAN_OF_FRIDAY, "My class on 5 March is cancelled."),
        ("I have a gig on 12 June.", "The gig on the 12th of June is cancelled."),
        ("I've got a checkup at 3pm on Friday.", "The 3pm checkup is cancelled."),
        ("We have a trip to Cork in July.", "The trip was cancelled last week, and it's not my fault."),
        ("We have a trip to Cork in July.", "The July trip fell through."),
        ("My flu jab is on 20 March.", "I've already had the flu jab."),
        ("I have an interview at ITV on 22 March.", "I've already had the ITV interview."),
        ("I have a blood test on 22 March.", "I've already had the test."),
        ("I have yoga on Friday at 9am.", "No yoga on Friday, she's got flu."),
    ],
)
def test_what_is_off_at_that_time_is_over(tmp_path: Path, plan: str, news: str) -> None:
    assert not first_holds(tell(tmp_path, plan, news))


CRUISE = ("We're going on a cruise in May.", "The cruise is cancelled.", "The cruise is back on!")


@pytest.mark.parametrize(
    "said",
    [
        CRUISE,
        (
            "I have a gig on Friday 9 April.",
            "The gig is off.",
            "turns out the gig on friday 9 april is happening after all",
        ),
        ("I have a gig on 9 April.", "I can't make the gig.", "i can come to the gig after all"),
        ("We're going to Rome in May.", "Rome is off.", "We're going to Rome after all."),
        ("We're going to Rome in May.", "We're not going to Rome any more.", "Good news: Rome is happening after all."),
        ("I'm going to a wedding on 3 May.", "The wedding got called off.", "The wedding's on again."),
        ("I have a viva on 3 May.", "My viva is cancelled.", "My viva isn't cancelled, it is going ahead after all."),
        ("I have a retreat on 3 May.", "The retreat got scrapped.", "They decided to go ahead with the retreat."),
    ],
)
def test_a_plan_that_is_on_again_holds_with_its_date(tmp_path: Path, said: tuple[str, ...]) -> None:
    user = tell(tmp_path, *said)
    assert first_holds(user)
    assert said[0][-6:-1] in str([fact.text for fact in user.upcoming(days=90)])
    (off,) = [f for f in user.facts(current=False) if f.valid_from == START + timedelta(days=1)]
    assert off.status == "superseded"


@pytest.mark.parametrize("order", [*permutations(range(3))])
def test_it_is_on_again_whichever_was_read_first(tmp_path: Path, order: tuple[int, ...]) -> None:
    user = tell(tmp_path, *CRUISE, order=order)
    held = {fact.text: (fact.status, fact.event_time) for fact in user.facts(current=False)}
    assert held == {
        "The user is going on a cruise in May.": ("current", datetime(2027, 5, 1, tzinfo=timezone.utc)),
        "The cruise is cancelled.": ("superseded", None),
        "The cruise is back on!": ("current", None),
    }


@pytest.mark.parametrize(
    "last",
    [
        "The gig is still cancelled.",
        "I hope the cruise is back on.",
        "Maybe the cruise is on again?",
        "The choir is back on.",
        "My sister's cruise is back on.",
        "The cruise isn't happening after all.",
        "The cruise is back on, on 12 June now.",
        "I'm back on the treadmill.",
    ],
)
def test_what_else_is_on_again_brings_nothing_back(tmp_path: Path, last: str) -> None:
    assert not first_holds(tell(tmp_path, *CRUISE[:2], last))


def test_what_was_weeks_ago_is_not_what_is_off_now(tmp_path: Path) -> None:
    assert first_holds(tell(tmp_path, PLAN_OF_FRIDAY, "The pottery class got pushed back.", days=40))


@pytest.mark.parametrize(
    ("told", "news"),
    [
        ("I moved to Porto in January 2027.", "I moved to Braga."),
        ("I joined a gym in January 2027.", "I cancelled my gym membership."),
        ("I subscribed to Netflix in December.", "I cancelled Netflix."),
        ("I have had a Spotify subscription since 2023.", "I've cancelled my Spotify subscription."),
        ("We booked the Rome trip in January.", "The Rome trip is cancelled."),
        ("I signed up for a marathon in February.", "The marathon is cancelled."),
    ],
)
def test_when_something_was_begun_or_booked_is_not_when_it_is(tmp_path: Path, told: str, news: str) -> None:
    assert not first_holds(tell(tmp_path, told, news, days=45))


def test_what_is_off_again_is_off(tmp_path: Path) -> None:
    user = tell(tmp_path, *CRUISE, "The cruise is off again.")
    assert not first_holds(user)
    assert [fact.text for fact in user.facts()] == ["The cruise is off again."]


STUDIES = "I'm starting my master's in October."


@pytest.mark.parametrize(
    ("plan", "news"),
    [
        (STUDIES, "I've deferred to 2028."),
        (STUDIES, "i deferred for a year"),
        (STUDIES, "I've deferred my master's to next year."),
        ("I'm starting uni in September", "decided to defer uni until 2028"),
        ("We're flying to Oslo on 3 May.", "We've postponed the trip until next spring."),
        ("We're flying to Oslo on 3 May.", "we postponed Oslo to next year"),
        ("We have a trip to Oslo on 3 May.", "Our trip got postponed indefinitely."),
        ("I'm running the half marathon on 3 May.", "I've deferred my half marathon place to next year."),
        ("My recital is on 3 May.", "My recital has been put on hold."),
    ],
)
def test_what_is_put_off_is_not_ahead_on_its_old_day(tmp_path: Path, plan: str, news: str) -> None:
    assert not first_holds(tell(tmp_path, plan, news))


@pytest.mark.parametrize(
    ("plan", "news"),
    [
        (STUDIES, "Tom has deferred to 2028."),
        ("I'm starting a new job in October.", "I've deferred to 2028."),
        ("My sister is starting uni in October.", "I've deferred to 2028."),
        ("We have a picnic on 3 May.", "We postponed the barbecue."),
        ("We're flying to Oslo on 3 May.", "The flight is delayed by an hour."),
        ("My recital is on 3 May.", "They postponed the driving test."),
    ],
)
def test_what_else_is_put_off_leaves_the_plan(tmp_path: Path, plan: str, news: str) -> None:
    assert first_holds(tell(tmp_path, plan, news))


@pytest.mark.parametrize(
    ("said", "times"),
    [
        ("I have the dentist on Friday at 10:45.", ["05 10:45"]),
        ("my interview is on 9 March at 3pm", ["09 15:00"]),
        ("I'm having lunch with Tom on Monday at noon.", ["08 12:00"]),
        ("Ich habe am 8. März um 8:30 Uhr einen Termin beim Zahnarzt.", ["08 08:30"]),
        ("Die Klausur ist am 9. März um 10 Uhr.", ["09 10:00"]),
        ("I have a scan on 9 March at 9 am.", ["09 09:00"]),
        ("I have a concert on 9 March at 7:30.", ["09 00:00"]),  # of the morning or the evening
        ("I have a shift on 9 March from 9am to 5pm.", ["09 00:00"]),
        ("I have physio on Thursdays at 11am.", ["04 11:00"]),
        ("my choir meets every tuesday at 19:00", ["09 19:00"]),
        ("I have therapy on Mondays and Fridays at 4pm.", ["05 16:00"]),
        ("I have therapy every other Monday at 10:30.", ["08 10:30"]),
        ("I used to have physio on Thursdays at 11am.", []),
        ("I play chess on Sundays.", []),  # a habit
        ("I don't work on Fridays at 9am any more.", []),
    ],
)
def test_what_lies_ahead_has_its_next_day_and_hour(tmp_path: Path, said: str, times: list[str]) -> None:
    assert [f"{fact.event_time:%d %H:%M}" for fact in tell(tmp_path, said).upcoming()] == times


def test_two_appointments_of_a_day_stand_in_the_order_of_their_hours(tmp_path: Path) -> None:
    user = tell(tmp_path, "I see the vet on Friday at 16:15.", "I have the dentist on Friday at 10:45.", days=0)
    assert [fact.text[-6:] for fact in user.upcoming()] == ["10:45.", "16:15."]


@pytest.mark.parametrize(
    ("said", "news", "day"),
    [
        ("I have yoga every Thursday at 6pm.", "Thursday's yoga is cancelled.", "11"),
        ("I have yoga every Thursday at 6pm.", "Yoga on 4 March is cancelled.", "11"),
        ("I have choir every Thursday at 7pm.", "Choir this week is cancelled.", "11"),
        ("I have choir on Thursdays at 7pm.", "Thursday's choir is called off.", "11"),
        ("I have choir every other Thursday at 7pm, starting 4 March.", "Choir this week is cancelled.", "18"),
        ("I have yoga every Thursday at 6pm.", "Yoga this week is not cancelled.", "04"),
        ("I have yoga every Thursday at 6pm.", "Yoga might be cancelled this week.", "04"),
        ("I have yoga every Thursday at 6pm.", "Yoga last week was cancelled.", "04"),
        ("I have yoga every Thursday at 6pm.", "Yoga next week is cancelled.", "04"),
        ("I have yoga every Thursday at 6pm.", "Pilates this week is cancelled.", "04"),
        ("I have yoga every Thursday at 6pm.", "My sister's yoga this week is cancelled.", "04"),
        ("I have yoga every Thursday at 6pm.", "Friday's yoga is cancelled.", "04"),
    ],
)
def test_the_day_of_a_routine_that_is_called_off_is_passed_over(tmp_path: Path, said: str, news: str, day: str) -> None:
    user = tell(tmp_path, said, news, days=0)
    assert f"{user.upcoming(days=20)[0].event_time:%d}" == day


SWIMMING = "Maya goes swimming on Mondays at 5pm."


@pytest.mark.parametrize(
    ("said", "days"),
    [
        (("The concert is on 18 April.", "The concert's called off."), []),
        (("The gig is on 18 April.", "The gig's postponed."), []),
        (("Bo asked me to do Mud Run on 18 April.", "I'm in for Mud Run.", "Mud Run's called off."), []),
        (("We've got tickets for Fleabag on 18 April.", "Fleabag's cancelled."), []),
        # Not on that day.
        (("The exam is on 22 March.", "The exam is off the 22nd."), []),
        (("The exam is on 22 March.", "The exam is off the 23rd."), ["22"]),
        (("My dentist is on 22 March at 10.", "The dentist is off on the 29th."), ["22"]),
        (("We're taking the class to Coole Park on 22 March.", "The Coole Park trip is off."), []),
        (
            (
                "We're taking the class to Coole Park on 22 March.",
                "The Coole Park trip is off the 22nd. We're going on the 29th.",
            ),
            ["29"],
        ),
        (("I have the Spanish exam on 22 March.", "The Spanish trip is off."), ["22"]),
        (("Bo asked me to do Mud Run on 18 April.", "My sister's Mud Run is called off."), ["18"]),
        (("The dentist is on 18 April.", "The vet's called off."), ["18"]),
        # In the words of the one sentence, or of the one before.
        (("Viewing another flat on Friday was booked already, I'll cancel that.",), []),
        (("I have a viewing on Friday at 3pm but I'm going to cancel it.",), []),
        (("I have a viewing on Friday at 3pm, I won't cancel it.",), ["05"]),
        (("The picnic is on Friday, if it rains I'll cancel it.",), ["05"]),
        (("My trial of the gym ends on Friday, I'll cancel it.",), ["05"]),
        (("I have the dentist on 22 March.", "I can't face the dentist. I've cancelled it."), []),
        (("I have the dentist on 22 March.", "I can't face the gym. I've cancelled it."), ["22"]),
        ((SWIMMING, "Maya doesn't want to go back to swimming. I've cancelled it."), []),
        ((SWIMMING, "Leo doesn't want to go back to swimming. I've cancelled it."), ["08"]),
    ],
)  # fmt: skip
def test_what_is_off_lies_no_longer_ahead(tmp_path: Path, said: tuple[str, ...], days: list[str]) -> None:
    assert [f"{fact.event_time:%d}" for fact in tell(tmp_path, *said).upcoming(days=60)] == days


INVITED = "Anna has invited me to a party on 18 April."


@pytest.mark.parametrize(
    ("asked", "news", "holds"),
    [
        (INVITED, "I've told Anna no.", False),
        (INVITED, "I said no to Anna, I'm too tired.", False),
        (INVITED, "I've turned Anna down.", False),
        ("UWE have asked me to do a second class from 18 April.", "I've told UWE no.", False),
        (INVITED, "I've told Bea no.", True),
        (INVITED, "I told Anna no lilies, please.", True),
        (INVITED, "My sister told Anna no.", True),
        ("Anna's getting married on 18 April.", "I told Anna no.", True),
        ("I have the dentist on 18 April.", "I've told Anna no.", True),
    ],
)
def test_what_somebody_declined_does_not_lie_ahead(tmp_path: Path, asked: str, news: str, holds: bool) -> None:
    assert first_holds(tell(tmp_path, asked, news)) is holds


CHOIR = "I have choir on Tuesdays at 7pm."
CLUB = "I run a debating club on Thursdays."


@pytest.mark.parametrize(
    ("said", "news", "goes_on"),
    [
        (CLUB, "I've dropped the debating club.", False),
        (CLUB, "I've handed the debating club over to Ciara.", False),
        (CLUB, "The debating club is finished for the year.", False),
        (CHOIR, "Choir's over for the summer.", False),
        (CHOIR, "I've packed in the choir.", False),
        ("Book club is on the first Monday of every month.", "Book club is now on the second Tuesday.", False),
        (CLUB, "I've dropped the debating cup.", True),
        (CLUB, "The club's website is finished.", True),
        (CLUB, "I might have dropped the debating club.", True),
        (CHOIR, "The choir's concert is over.", True),
        (CHOIR, "I've given up the piano.", True),
        ("I work at the choir school.", "Choir's over for the summer.", True),
    ],
)
def test_a_routine_ends_in_usual_words(tmp_path: Path, said: str, news: str, goes_on: bool) -> None:
    assert first_holds(tell(tmp_path, said, news)) is goes_on


BOOKED = "We've booked a week in a cottage in Whitby from 26 July to 2 August."
RACE = "I signed up for the Kendal half marathon on 30 May."


@pytest.mark.parametrize(
    ("plan", "news"),
    [
        (BOOKED, "Whitby is off. The roof leaks."),
        (BOOKED, "Whitby's off. The roof leaks."),
        (BOOKED, "Whitby's called off."),
        ("I have a trip to Bath on 30 May.", "Bath's off, sadly."),
        (RACE, "so no half marathon. gutted"),
        (RACE, "So no half marathon for me."),
        (RACE, "No half marathon then."),
        (RACE, "My ankle is bad so no half marathon for me."),
        (RACE, "Oh well, no half marathon this year."),
        ("I'm camping in Wales on 30 May.", "So no camping then, it pours."),
    ],
)
def test_a_short_word_ends_what_was_planned(tmp_path: Path, plan: str, news: str) -> None:
    assert not first_holds(tell(tmp_path, plan, news))


@pytest.mark.parametrize(
    ("plan", "news"),
    [
        (BOOKED, "Whitby's off-licence is the best."),
        (BOOKED, "Whitby's off season is quiet."),
        (BOOKED, "Whitby's off the map for lorries."),
        (RACE, "So no 10k for me."),
        (RACE, "If my knee hurts, no half marathon."),
        (RACE, "Why is there no half marathon in Hull?"),
        (RACE, "My sister broke her leg so no half marathon for her."),
        (RACE, "No half marathon is easy."),
        (RACE, "No half marathon medal looks like mine."),
        (RACE, "There's no half marathon in Hull."),
        (RACE, "So no race is too long for me."),
    ],
)
def test_what_only_begins_like_it_ends_nothing(tmp_path: Path, plan: str, news: str) -> None:
    assert first_holds(tell(tmp_path, plan, news))
