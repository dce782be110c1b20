"""What lies ahead for a user, and when: days and hours as people write them, and what only looks like a plan."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest

from memoryos_core import Fact, MemoryConfig, MemoryOS, WorkerConfig
from memoryos_core.rules.dates import Span
from memoryos_core.rules.knowledge import entries
from memoryos_core.rules.knowledge.times import next_time

START = datetime(2026, 1, 5, 9, tzinfo=timezone.utc)  # a Monday
MANUAL = MemoryConfig(worker=WorkerConfig(mode="manual"))


def upcoming(*said: str, days: int = 120) -> list[str]:
    """The days and hours that lie ahead after messages of one session, two minutes apart."""
    now = [START]
    with MemoryOS("sqlite://", embedder=None, config=MANUAL, clock=lambda: now[0]) as memory:
        user = memory.user("ada")
        for text in said:
            user.add(text, "ok")
            now[0] += timedelta(minutes=2)
        user.end_session()
        user.consolidate()
        found = [fact.event_time for fact in user.upcoming(days=days)]
        return [f"{when:%d %b}" + (f" {when:%H:%M}" if when.hour else "") for when in found if when is not None]


@pytest.mark.parametrize(
    "said",
    [
        "my gran died in april",
        "my sister got married in june",
        "mum retired in may",
        "my brother started at Siemens in may",
        "our dog died in april",
        "the doctor found a lump in april",
        "my friend emigrated to Canada in april",
        "My parents have separated in march.",
        "dad died this morning",
        "my sister had her baby today",
        "I finished my exam today at 8am",
        "she's here! Isla Rose, born 4am this morning, 7lb 2",
    ],
)
def test_what_was_done_does_not_lie_ahead(said: str) -> None:
    assert upcoming(said) == []


@pytest.mark.parametrize(
    ("said", "times"),
    [
        ("my sister is getting married in april", ["01 Apr"]),
        ("my sister marries in april", ["01 Apr"]),
        ("the clinic gave mum an appointment in april", ["01 Apr"]),
        ("my cousin got tickets for Glastonbury in april", ["01 Apr"]),
        ("mum booked a cruise in april", ["01 Apr"]),
        ("my boss approved my leave in april", ["01 Apr"]),
        ("my son starts school in april", ["01 Apr"]),
        ("my car is being serviced today at 3pm", ["05 Jan 15:00"]),
        ("I have my tooth pulled today at 4pm", ["05 Jan 16:00"]),
        ("The dentist moved me to today at 4pm", ["05 Jan 16:00"]),
        ("I was told the meeting is today at 3pm", ["05 Jan 15:00"]),
    ],
)
def test_what_was_only_arranged_does(said: str, times: list[str]) -> None:
    assert upcoming(said) == times


@pytest.mark.parametrize(
    ("said", "times"),
    [
        ("I have a call with NYC tomorrow at 9am EST", ["06 Jan"]),
        ("I have a webinar on 8 jan at 15:00 CET", ["08 Jan"]),
        ("Call with Kenji on 8 jan at 4pm Tokyo time.", ["08 Jan"]),
        ("I have a webinar on 8 jan at 15:00 UTC", ["08 Jan 15:00"]),
        ("I have dinner on 8 jan at 7pm with Pat", ["08 Jan 19:00"]),
        ("I'm seeing Hamlet on 17 jan at 7.30pm", ["17 Jan 19:30"]),
        ("I'm seeing Hamlet on 17 jan, the ticket is 17.50", ["17 Jan"]),
        ("I'm seeing the surgeon on 17 jan at 10.20", ["17 Jan 10:20"]),
        ("dad's memory clinic is 17 jan 10.30", ["17 Jan 10:30"]),
        ("My train to Hull is on 17 jan at 10.20", ["17 Jan 10:20"]),
        ("I have a chest x-ray on 17 jan at 8.30", ["17 Jan 08:30"]),
        ("My dentist is on 8 jan at 8:30", ["08 Jan 08:30"]),
        ("The meeting with Bev is on 8 jan at 11", ["08 Jan 11:00"]),
        ("I have the eye clinic on 8 jan at half past nine", ["08 Jan 09:30"]),
        ("I have the eye clinic on 8 jan at quarter to ten", ["08 Jan 09:45"]),
        ("I have the vet on 8 jan at nine", ["08 Jan 09:00"]),
        ("My appointment is on 8 jan at 3", ["08 Jan 15:00"]),
        # Of the morning or the evening.
        ("I have dinner on 8 jan at 8:30", ["08 Jan"]),
        ("I have a gig on 8 jan at 11", ["08 Jan"]),
        ("My train to Hull is on 17 jan at 8.20", ["17 Jan"]),
        ("The school party is on 8 jan at half past eight", ["08 Jan"]),
        ("My appointment is on 8 jan at 7", ["08 Jan"]),
        ("The meeting in the pub is on 8 jan at 9", ["08 Jan"]),
        # No hour.
        ("My interview is on 8 jan at One Canada Square", ["08 Jan"]),
        ("I have the vet on 8 jan at 3 Mill Lane", ["08 Jan"]),
        ("I have a flight on 8 jan 10.30 kg baggage", ["08 Jan"]),
        ("I have the dentist on 8 jan, 8.50 for parking", ["08 Jan"]),
        ("I have tickets for the exam on 8 jan at 12.50 each", ["08 Jan"]),
    ],
)
def test_an_hour_is_told_where_it_can_be_one_hour_alone(said: str, times: list[str]) -> None:
    assert upcoming(said) == times


@pytest.mark.parametrize(
    ("said", "times"),
    [
        ("I have an MRI on the 14th at 10am", ["14 Jan 10:00"]),
        ("I'm flying to Delhi on the 22nd at 21:40", ["22 Jan 21:40"]),
        ("mum is visiting on the 3rd", ["03 Feb"]),
        ("my flight is on the fourteenth at 6pm", ["14 Jan 18:00"]),
        ("we booked the hall for sunday 18th", ["18 Jan"]),
        ("I have a wedding on saturday 14th", ["14 Feb"]),
        ("interview on the 14th", ["14 Jan"]),
        ("my exam is on 30/01", ["30 Jan"]),
        ("my appt is 14/1 at 3.30pm", ["14 Jan 15:30"]),
        ("my appt is 30/01/26 at 9am", ["30 Jan 09:00"]),
        ("my exam is on friday 3/4", ["03 Apr"]),
        ("physio weds 2pm", ["07 Jan 14:00"]),
        ("mot thursday 8am", ["08 Jan 08:00"]),
        ("boiler man thurs 8am", ["08 Jan 08:00"]),
        ("haircut sat 10am", ["10 Jan 10:00"]),
        ("vet half four on friday", ["09 Jan 16:30"]),
        ("dinner with sam fri 7.30pm", ["09 Jan 19:30"]),
        ("mum's coming fri week", ["16 Jan"]),
        ("I have a scan a week on friday", ["16 Jan"]),
        # Neither a day, nor one of two.
        ("my exam is on 03/04", []),
        ("my shop is open 24/7", []),
        ("My office is on the 14th floor", []),
        ("I scored 18/20 in maths", []),
        ("I get paid on the 25th", []),
        ("I turned 40 on the 2nd", []),
        ("open thursday 8am", []),
        ("see you friday 5pm", []),
        ("we sat 2pm exams in hall", []),
    ],
)
def test_days_and_hours_as_people_write_them(said: str, times: list[str]) -> None:
    assert upcoming(said) == times


@pytest.mark.parametrize(
    ("said", "times"),
    [
        ("antenatal class mondays 7pm from next week, midwife appt is 15 jan 11:40", ["12 Jan 19:00", "15 Jan 11:40"]),
        ("dentist 20 jan 4pm, vet 22 jan 9am", ["20 Jan 16:00", "22 Jan 09:00"]),
        ("I have the dentist on 20 jan and my exam is on 22 jan", ["20 Jan", "22 Jan"]),
        ("The midwife comes at home on 6 feb and 8 feb at 11.", ["06 Feb", "08 Feb 11:00"]),
        ("I have blood tests on 6 feb and on 8 feb", ["06 Feb", "08 Feb"]),
        ("blood tests on 6 feb, 8 feb and 10 feb", ["06 Feb", "08 Feb", "10 Feb"]),
        ("I have an exam on Thursday, a party on Friday", ["08 Jan", "09 Jan"]),
        ("The exam is on Thursday and the party on Friday", ["08 Jan", "09 Jan"]),
        ("My birthday is on 6 feb and 8 feb is my wife's.", ["06 Feb", "08 Feb"]),
        ("The dentist is on 20 jan at 10 and the eye test is on 2 feb at 3pm.", ["20 Jan 10:00", "02 Feb 15:00"]),
        (
            "We've Leo's consultant on 20 jan at half past one, and I've a smear test on 2 feb at 9am.",
            ["20 Jan 13:30", "02 Feb 09:00"],
        ),
        (
            "I've got a massage on 20 jan at 5pm, and the shoulder scan's on 2 feb at 9am.",
            ["20 Jan 17:00", "02 Feb 09:00"],
        ),
        (
            "I've booked the boiler man for 20 jan at 9am, and the sweep comes on 2 feb at 2pm.",
            ["20 Jan 09:00", "02 Feb 14:00"],
        ),
        ("First roughs on 20 January and the finals on 30 January.", ["20 Jan", "30 Jan"]),
        # The day, and not the month.
        (
            "Tom's passport runs out in March, so he's got to be at the consulate on 19 January, 11.30am.",
            ["19 Jan 11:30"],
        ),
        ("My visa ends in March so I'm flying home on 28 January.", ["28 Jan"]),
        # One thing, or what was.
        ("I leave on 20 jan at 9 and come back on 22 jan at 6pm.", ["20 Jan"]),
        ("I had my exam on 1 January and the interview on 3 January.", []),
        ("The exam is on 20 jan, not 22 jan.", ["20 Jan"]),
        ("The exam was moved from 20 jan to 22 jan.", ["22 Jan"]),
        ("My exam is on 20 jan, and I'm nervous about the interview.", ["20 Jan"]),
        ("If the scan on Thursday is clear, the operation on Friday is off.", []),
        ("I fly out and back on 6 feb and 8 feb", []),
        ("Ana's birthday and Tom's are on 6 feb and 8 feb", []),
        ("I was ill on 1 January and 3 January.", []),
    ],
)
def test_a_sentence_with_two_days_tells_of_both(said: str, times: list[str]) -> None:
    assert upcoming(said) == times


@pytest.mark.parametrize(
    ("said", "times"),
    [
        ("I signed up for the Kendal triathlon on 14 March.", ["14 Mar"]),
        ("so I signed my son up for a chess tournament on 14 March", ["14 Mar"]),
        ("We registered for a first aid workshop on 14 March.", ["14 Mar"]),
        ("My sister entered a baking contest on 14 March.", ["14 Mar"]),
        ("I put my name down for the quiz on March 14.", ["14 Mar"]),
        ("I have an eye test booked on March 14th, the early slot.", ["14 Mar"]),
        ("My dad has two viewings lined up on 14 March.", ["14 Mar"]),
        ("I told her I'd choose a colour by 14 March.", ["14 Mar"]),
        ("My uncle said he'd come over on 14 March.", ["14 Mar"]),
        ("I promised to return the drill by March 14.", ["14 Mar"]),
        ("I booked Porto 14-18 March.", ["14 Mar"]),
        ("booked the ferry: 14 March with Stena, 90 euros", ["14 Mar"]),
        ("We moved the holiday to March 14th to 20th.", ["14 Mar"]),
        ("I'm stuck with this flat til end of march when the lease is up", ["31 Mar"]),
        ("My cousin is moving in with us after January.", ["01 Feb"]),
        ("The regatta is on 14 March, and I've got my smear test on the 23rd.", ["14 Mar", "23 Mar"]),
        ("Ada's recital is on 14 March and Bo has his check-up on 20 March.", ["14 Mar", "20 Mar"]),
        # What was done, said or decided then, and what has no day of its own.
        ("I ran the Kendal triathlon on 14 March.", []),
        ("I signed up on 14 March.", []),
        ("I signed up for the gym on 14 March.", []),
        ("I signed a contract on 14 March.", []),
        ("I entered hospital on 14 March.", []),
        ("I told her I'd been ill on 14 March.", []),
        ("I told her on 14 March that I was pregnant.", []),
        ("I signed up for the Kendal triathlon on 20 December.", []),
        ("I booked the ferry on 20 December.", []),
        ("My uncle said he'd come over on 20 December.", []),
        ("I promised to return the drill by December 20.", []),
        ("I had booked Porto 14-18 March but fell ill.", []),
        ("My parcel has come on the 3rd.", []),
        ("The baby has come, a girl, on Saturday the 3rd.", []),
        ("My niece was born on 14 March.", []),
    ],
)
def test_what_was_arranged_for_a_day_lies_ahead_and_what_was_done_then_does_not(said: str, times: list[str]) -> None:
    assert upcoming(said) == times


@pytest.mark.parametrize(
    ("said", "times"),
    [
        ("My aunt is coming for Thanksgiving, from the 9th to the 13th.", ["09 Oct"]),
        ("My aunt is coming for Thanksgiving, from the 24th to the 28th.", ["24 Nov"]),
        ("My parents are visiting for Christmas, from the 21st to the 27th.", ["21 Dec"]),
        ("We're in York at New Year, from the 29th to the 2nd.", ["29 Dec"]),
        ("Dad arrives for Christmas on the 20th.", ["20 Dec"]),
        ("I'll start running after Christmas.", ["27 Dec"]),
        ("Grandma comes for Christmas.", ["24 Dec"]),
    ],
)
def test_days_beside_a_feast_are_of_its_month(said: str, times: list[str]) -> None:
    assert upcoming(said, days=365) == times


ON_THURSDAYS = "I have choir every Thursday at 7pm."


@pytest.mark.parametrize(
    ("said", "news", "times"),
    [
        (ON_THURSDAYS, "Choir has been called off this week.", ["15 Jan 19:00"]),
        (ON_THURSDAYS, "They've cancelled choir this week.", ["15 Jan 19:00"]),
        (ON_THURSDAYS, "no choir this week, she's on holiday", ["15 Jan 19:00"]),
        (ON_THURSDAYS, "there's no choir on thursday", ["15 Jan 19:00"]),
        (ON_THURSDAYS, "no choir next week", ["08 Jan 19:00"]),
        (ON_THURSDAYS, "no sugar this week", ["08 Jan 19:00"]),
        (ON_THURSDAYS, "no rush this week", ["08 Jan 19:00"]),
        (ON_THURSDAYS, "Choir is cancelled.", []),
        (ON_THURSDAYS, "Choir has been cancelled until further notice.", []),
        ("I have physio on Wednesday at 5pm.", "no physio this week", []),
        ("I have physio on Wednesday at 5pm.", "no physio next week", ["07 Jan 17:00"]),
        ("I have physio on Wednesday at 5pm.", "no choir this week", ["07 Jan 17:00"]),
    ],
)
def test_what_is_off_once_leaves_the_others(said: str, news: str, times: list[str]) -> None:
    assert upcoming(said, news)[:1] == times


def test_of_two_on_other_days_none_has_a_new_hour_without_its_day() -> None:
    flights = ("Flight to Oslo on 20 jan at 6am.", "Flight back to London on 27 jan at 6pm.")
    assert upcoming(*flights, "flight's now at 9am") == ["20 Jan 06:00", "27 Jan 18:00"]
    assert upcoming(*flights, "the oslo flight's now at 9am") == ["20 Jan 09:00", "27 Jan 18:00"]
    assert upcoming(flights[0], "flight's now at 9am") == ["20 Jan 09:00"]


INTERVIEW = "Interview with Arup on Friday at 10:30am."


@pytest.mark.parametrize(
    ("said", "times"),
    [
        ((INTERVIEW, "they pushed it back an hour"), ["09 Jan 11:30"]),
        ((INTERVIEW, "they've brought it forward by half an hour"), ["09 Jan 10:00"]),
        ((INTERVIEW, "it's been pushed back two hours"), ["09 Jan 12:30"]),
        ((INTERVIEW, "the interview got moved back an hour"), ["09 Jan 11:30"]),
        ((INTERVIEW, "it's an hour later now"), ["09 Jan 11:30"]),
        ((INTERVIEW, "they've put it back a week"), ["16 Jan 10:30"]),
        ((INTERVIEW, "they pushed the interview back 2 weeks"), ["23 Jan 10:30"]),
        (("dentist is on 20 jan at 11:30am", "they moved it back an hour"), ["20 Jan 12:30"]),
        # Nobody knows which way, or of what.
        ((INTERVIEW, "they moved it a week"), ["09 Jan 10:30"]),
        ((INTERVIEW, "the exam was pushed back an hour"), ["09 Jan 10:30"]),
        ((INTERVIEW, "it took an hour"), ["09 Jan 10:30"]),
        ((INTERVIEW, "they pushed it back an hour, maybe"), ["09 Jan 10:30"]),
        ((INTERVIEW, "My friend had hers on the 2nd. They pushed it back an hour."), ["09 Jan 10:30"]),
        ((INTERVIEW, "my brother has his exam too", "they pushed it back an hour"), ["09 Jan 10:30"]),
        (
            (INTERVIEW, "I have a scan on 20 jan at 3pm.", "they pushed it back an hour"),
            ["09 Jan 10:30", "20 Jan 15:00"],
        ),
        (
            ("My sister's exam is on 9 jan at 3pm.", "My exam is on 20 jan at 4pm.", "my exam was pushed back an hour"),
            ["09 Jan 15:00", "20 Jan 17:00"],
        ),
    ],
)
def test_a_plan_that_is_moved_by_so_much_has_its_new_hour(said: tuple[str, ...], times: list[str]) -> None:
    assert upcoming(*said) == times


LUNCH = "I have lunch with Sam on Wednesday at 1pm."


@pytest.mark.parametrize(
    ("said", "times"),
    [
        ((LUNCH, "sam can't do wednesday, friday then"), ["09 Jan 13:00"]),
        ((LUNCH, "sam can't make wednesday, so it's friday"), ["09 Jan 13:00"]),
        ((LUNCH, "Tom can't do wednesday, friday then"), ["07 Jan 13:00"]),
        ((LUNCH, "sam can't do tuesday, friday then"), ["07 Jan 13:00"]),
        (("Ines marries on 11 april.", "so ines moved the wedding\nvenue flooded\n2 may now, same place"), ["02 May"]),
        (("Our race is on 12 april.", "race got pushed. the county has a summit so it's 2 may now"), ["02 May"]),
        (("My exam is on 20 jan at 9am.", "the exam was postponed. new date is 27 january"), ["27 Jan"]),
        (("I have a gig on friday 16 jan.", "the gig got moved\nit's saturday 17th now"), ["17 Jan"]),
        (("My party is on sunday 18 january.", "party has to shift, hall is full so its 25 january"), ["25 Jan"]),
        (("she and Al have now fixed the day of the wedding, which will be 5 march.",), ["05 Mar"]),
        (("they've set a date for my operation: the 14th of March",), ["14 Mar"]),
        # No new day of it, or none that is sure.
        (("they haven't set a date for the wedding",), []),
        (("My exam is on 20 jan at 9am.", "Tom moved the sofa. it's on the 7th floor"), ["20 Jan 09:00"]),
        (("My exam is on 20 jan at 9am.", "the exam was moved. i'm sad. it's friday"), []),
        (("I have a gig on 16 jan.", "the gig got moved to 18 jan"), ["18 Jan"]),
        (("I have a gig on 16 jan.", "the gig might be moved. is it 18 jan now?"), ["16 Jan"]),
    ],
)  # fmt: skip
def test_a_new_day_that_stands_beside_the_move(said: tuple[str, ...], times: list[str]) -> None:
    assert upcoming(*said) == times


@pytest.mark.parametrize(
    ("said", "times"),
    [
        ("My birthday was last week.", []),
        ("My birthday was last Friday.", ["02 Jan"]),
        ("My birthday is on 3 February.", ["03 Feb"]),
    ],
)
def test_a_birthday_comes_back_on_its_day_and_a_week_has_none(said: str, times: list[str]) -> None:
    assert upcoming(said, days=400) == times


@pytest.mark.parametrize(
    ("said", "times"),
    [
        ("Book club is on the first Monday of every month.", ["05 Jan"]),
        ("My rent is due on the 1st of every month.", ["01 Feb"]),
        ("I get paid on the 25th of each month.", ["25 Jan"]),
        ("I have therapy every other Wednesday at 5pm, next one is 14 January.", ["14 Jan 17:00"]),
        ("We have a retro every three weeks on Thursdays at 10am, the next one is on 15 January.", ["15 Jan 10:00"]),
        ("Dialysis is Mondays, Wednesdays and Fridays.", ["05 Jan"]),
        ("My daughter has swimming on Saturday mornings.", ["10 Jan"]),
        ("The MOT is due every November.", ["01 Nov"]),
        ("I used to have therapy every other Wednesday at 5pm.", []),
        ("Mum's chemo is every third Thursday.", []),  # nobody knows which
        ("I play chess on Sundays.", []),
        ("I love Mondays.", []),
    ],
)
def test_what_comes_back_by_weeks_or_months_comes_up_on_its_next_day(said: str, times: list[str]) -> None:
    assert upcoming(said, days=360) == times


def agenda(*said: str, asked: str) -> str:
    """What a prompt knows about the user for a question, after messages of one session."""
    with MemoryOS("sqlite://", embedder=None, config=MANUAL, clock=lambda: START) as memory:
        user = memory.user("ada")
        for text in said:
            user.add(text, "ok")
        user.end_session()
        user.consolidate()
        return memory.user("ada", session_id="later").recall(asked).text.partition("Said earlier")[0]


def test_a_week_that_is_asked_about_has_its_own_day_of_what_comes_back() -> None:
    said = ("I have choir every Thursday at 7pm.", "I have the dentist on 21 jan at 4pm.")
    assert "8 January 2026" in agenda(*said, asked="What's on this week?")
    next_week = agenda(*said, asked="What's on next week?")
    assert "15 January 2026: The user has choir" in next_week
    assert "dentist" not in next_week


def test_what_is_called_off_this_week_is_not_on_its_agenda() -> None:
    known = agenda("I have choir every Thursday at 7pm.", "no choir this week", asked="What's coming up?")
    assert "15 January 2026: The user has choir" in known
    assert "8 January" not in known


@pytest.mark.parametrize(
    ("said", "times"),
    [
        ("Can you remember I have the dentist on 20 jan at 3.50pm?", ["20 Jan 15:50"]),
        ("Please remember that Ruby has her boosters on 20 January.", ["20 Jan"]),
        ("Don't forget: dentist on 20 January at 3.50pm.", ["20 Jan 15:50"]),
        ("Did I tell you that the plumber comes on 20 January?", ["20 Jan"]),
        ("Could you write me a card for my mum's birthday? It's on the 20th of January.", ["20 Jan"]),
        ("Write a speech for my sister's wedding. It's on Saturday 17 January at noon.", ["17 Jan 12:00"]),
        # Neither told nor ahead.
        ("Can you remember what I have on 20 January?", []),
        ("Can you remember that film I saw on 3 January?", []),
        ("Don't forget to call the dentist on 20 January.", []),
        ("Did I tell you whether it is on 20 January?", []),
        ("Did I say that the plumber comes on 20 January?", []),
        ("Write an email for my boss. It's on Friday.", []),
        ("Any ideas for our holiday? It's tomorrow that we decide.", []),
        ("Any ideas for our holiday? That's tomorrow's problem.", []),
        ("Could you write me a card for my mum's wedding? It was on the 2nd of January.", []),
    ],
)
def test_what_a_request_tells_by_the_way_lies_ahead(said: str, times: list[str]) -> None:
    assert upcoming(said) == times


@pytest.mark.parametrize(
    ("said", "times"),
    [
        (("My gran went into a home last week, so Mondays are free again.",), []),
        (("I started yoga last week, so Mondays are yoga at 7pm.",), ["05 Jan 19:00"]),
        (("The tasting is on 23 January at 6pm.", "We'll leave it on the 23rd then."), ["23 Jan 18:00"]),
        (("My trial ends on 25 January, I'll keep it on for now.",), ["25 Jan"]),
        (("The tasting is on 23 January at 6pm.", "I will see Bo on the 24th."), ["23 Jan 18:00", "24 Jan"]),
    ],
)  # fmt: skip
def test_what_is_no_appointment_does_not_lie_ahead(said: tuple[str, ...], times: list[str]) -> None:
    assert upcoming(*said) == times


def test_a_day_that_the_month_before_does_not_have_is_of_its_own_month() -> None:
    said = (
        "I've a review with the consultant on 28 February at half past one, and I've a smear test on the 30th at 9.05."
    )
    assert upcoming(f"{said} And Maya's got her brace fitted on the 8th of March.") == [
        *("30 Jan 09:05", "28 Feb 13:30", "08 Mar"),
    ]


@pytest.mark.parametrize(
    "said",
    [
        "My class on Mondays is over.",
        "I could do a session on Mondays.",
        "I hate the meetings on Mondays.",
        "My therapist says Mondays are hard for everyone.",
        "The clinic is only open on Tuesdays and Fridays.",
        "Instead of choir on Mondays I do yoga.",
        "My rent went up on the 1st of the month.",
        "I met Anna on the first Monday of the month.",
        "The car broke down on the 5th of the month.",
    ],
)
def test_what_is_no_appointment_of_each_week_or_month_is_not_listed(said: str) -> None:
    assert upcoming(said) == []


@pytest.mark.parametrize(
    ("said", "times"),
    [
        ("I have physio on Mondays and Thursdays at 9", ["05 Jan 09:00"]),
        ("My interview is on 24 January and there's a test on the 26th", ["24 Jan"]),
        ("I'm on holiday the last week of July.", ["25 Jul"]),
        ("My son's exam is on the last Friday of March.", ["27 Mar"]),
    ],
)
def test_a_list_of_weekdays_and_a_last_week_keep_their_day(said: str, times: list[str]) -> None:
    assert upcoming(said, days=300) == times


def test_what_lies_in_two_times_that_are_asked_about_is_told_once() -> None:
    facts = [fact("The user has the dentist on 6 January.", datetime(2026, 1, 6, tzinfo=timezone.utc))]
    tomorrow = Span(datetime(2026, 1, 6, tzinfo=timezone.utc), datetime(2026, 1, 7, tzinfo=timezone.utc), "tomorrow")
    week = Span(datetime(2026, 1, 5, tzinfo=timezone.utc), datetime(2026, 1, 12, tzinfo=timezone.utc), "this week")
    assert len(entries.agenda(facts, START, [tomorrow, week])) == 1


@pytest.mark.parametrize("said", ["Choir is every Tuesday at 7pm.", "Book club is on the first Monday of every month."])
def test_a_day_at_the_end_of_the_calendar_has_none_behind_it(said: str) -> None:
    last = datetime(9999, 12, 30, tzinfo=timezone.utc)
    found = next_time(fact(said, last), START)
    assert found is not None
    assert found.date() == last.date()


def fact(text: str, when: datetime) -> Fact:
    """A statement with the day of its event."""
    return Fact("f", "user", text, START, START, event_time=when)


@pytest.mark.parametrize(
    ("said", "times"),
    [
        # A fragment about a person or a result.
        (("My new dentist is Kofi.", "seeing him on the 14th at 3"), ["14 Jan 15:00"]),
        (("They want me back in 3 weeks, so 26 January at 9.30.",), ["26 Jan 09:30"]),
        (("she says back in 4 weeks for a check, 2nd february it is",), ["02 Feb"]),
        (("Lena's pregnant! due 3 march.",), ["03 Mar"]),
        # A weekday without "on".
        (("seeing Dr Okoro Thursday about my knee",), ["08 Jan"]),
        (("Meeting the architect Friday.",), ["09 Jan"]),
        (("interviewing Wednesday, three people",), ["07 Jan"]),
        (("got the dentist thurs",), ["08 Jan"]),
        # Several days of one month.
        (("My finals are on 20, 22 and 26 January.",), ["20 Jan", "22 Jan", "26 Jan"]),
        (("finals are 20th 22nd and 26th january",), ["20 Jan", "22 Jan", "26 Jan"]),
        (("shifts are 2nd 3rd and 4th may",), ["02 May", "03 May", "04 May"]),
        (("We're in Bath on 24 and 25 January.",), ["24 Jan", "25 Jan"]),
        (("My exams are on 20, 22 and 26 January at 10am.",), ["20 Jan 10:00", "22 Jan 10:00", "26 Jan 10:00"]),
        (("The fair is on 20 and 21 January 2026.",), ["20 Jan", "21 Jan"]),
        (("The fair is on 20 and 21 January 2027.",), []),
        # From a day to another, without the month.
        (("I'm away from the 12th to the 16th.",), ["12 Jan"]),
        (("We're closed from the 29th to the 2nd for painting",), ["29 Jan"]),
        # The hour.
        (("My exam is on the 14th, 9.30.",), ["14 Jan 09:30"]),
        (("The barbecue is on 17 January at 3 o'clock.",), ["17 Jan 15:00"]),
        (("I have neurology on 17 jan at ten past two",), ["17 Jan 14:10"]),
        (("We sign on 17 january at half 9.",), ["17 Jan 09:30"]),
        # "Last" of what is to come, and "got" of what one has.
        (("Last shift 16 January.",), ["16 Jan"]),
        (("Got a trial shift on Saturday at 9am.",), ["10 Jan 09:00"]),
        # What was, what is another's, what is no day, no list and no single hour.
        (("I was seeing Dr Okoro on Thursday last week.",), []),
        (("Got a parcel on Saturday.",), []),
        (("Got my jab on Saturday.",), []),
        (("Last shift 2 January was hard.",), []),
        (("I was away from the 2nd to the 4th.",), []),
        (("We take the lift from the 1st to the 4th floor.",), []),
        (("I read chapters 3 and 4 in January.",), []),
        (("My train is on 17 jan at 3",), ["17 Jan"]),
        (("The gig is on 17 jan at 11",), ["17 Jan"]),
        (("The meeting was moved from the 12th to the 16th.",), ["16 Jan"]),
        (("Omar's rude! due 3 march.",), []),
        # What looks like a fragment: a noun, what is over, another who goes, a floor, an hour before dawn.
        (("Meeting moved to Friday.",), ["09 Jan"]),
        (("Got the exam Friday, passed!",), []),
        (("got the scan Friday, never again",), []),
        (("The ladder slipped to the 2nd floor.",), []),
        (("The sunrise hike is on 17 January at 5.",), ["17 Jan"]),
        (("The milking is on 17 January at 4.",), ["17 Jan"]),
        (("The stall is on 17 January at 5.",), ["17 Jan"]),
        (("The tea party is on 17 January at 4.",), ["17 Jan 16:00"]),
    ],
)  # fmt: skip
def test_an_appointment_that_is_told_in_a_fragment_has_its_days(said: tuple[str, ...], times: list[str]) -> None:
    assert upcoming(*said) == times


_AHEAD = (
    "The vet is on 14 January.",
    "The dinner is on 24 January.",
    "The eye test is on 2 February.",
    "The recital is on 20 February.",
)


@pytest.mark.parametrize(
    ("asked", "shown"),
    [
        ("What have I got on in the next two weeks?", 1),
        ("What's coming up in the next 3 weeks?", 2),
        ("What have I got on over the next fortnight?", 1),
        ("What have I got on in the next month?", 3),
        ("What have I got on next week?", 1),
        ("What have I got on in the next few days?", 0),
        ("What have I got on this week?", 0),
        ("What's coming up?", 4),
    ],
)
def test_what_lies_ahead_is_told_of_the_time_that_is_asked_for(asked: str, shown: int) -> None:
    known = agenda(*_AHEAD, asked=asked)
    days = ("14 January 2026", "24 January 2026", "2 February 2026", "20 February 2026")
    assert [day in known for day in days] == [number < shown for number in range(len(days))]


@pytest.mark.parametrize(
    ("said", "asked", "shown"),
    [
        (("The recital is on 24 January.", "The recital was moved to 2 February."), "Where am I moving to?", False),
        (("The recital is on 24 January.", "The recital was moved to 2 February."), "When does Nadia move?", False),
        (("The recital is on 24 January.", "The recital was moved to 2 February."), "When is the recital?", True),
        (("The recital is on 24 January.", "The recital was moved to 2 February."), "What did I do for a living?",
         False),
        (("I play the oboe.", "I quit the oboe."), "What's my student number?", False),
        (("I play the oboe.", "I quit the oboe."), "Do I still play the oboe?", True),
        (("The scone is £2.80.", "The scone is £3.10 now."), "What does a scone cost?", True),
        (("The scone is £2.80.", "The scone is £3.10 now."), "What does the hall cost?", False),
        (("I work at the museum.", "I quit my job at the museum."), "What did I do for a living?", True),
    ],
)  # fmt: skip
def test_a_line_is_shown_where_more_than_one_word_leads_to_it(
    said: tuple[str, ...], asked: str, *, shown: bool
) -> None:
    assert ("Known about the user" in agenda(*said, asked=asked)) is shown


def test_what_answers_as_lines_has_more_room_than_lines_beside_hits() -> None:
    days = (("dentist", 8), ("physio", 9), ("vet", 12), ("plumber", 14), ("eye test", 15), ("haircut", 16))
    with MemoryOS("sqlite://", embedder=None, config=MANUAL, clock=lambda: START) as memory:
        user = memory.user("ann", session_id="one")
        for what, day in days:
            user.add(f"I have an appointment on {day} January at 3 pm, {what}.", "Noted.")
        for number in range(20):
            user.add(f"In the next weeks before, number {number} of the choir was coming up the hill to me.", "I see.")
        user.end_session()
        memory.flush()
        later = memory.user("ann", session_id="later")
        text = later.recall("What's coming up for me in the next two weeks?", budget_tokens=400).text
    lines = [line for line in text.splitlines() if line.startswith("- ")]
    assert "of the choir" in text, "hits fill the rest"
    assert all(any(what in line for line in lines) for what, _ in days)
