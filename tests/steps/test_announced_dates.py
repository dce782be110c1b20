"""Dates without a year: the verb of their own clause tells whether they lie ahead, whatever the sentence tells else."""

from __future__ import annotations

from datetime import datetime, timezone

import pytest

from memoryos_core.extract.findings import FoundFact
from memoryos_core.extract.statements import facts_of_page
from memoryos_core.values.dialogue import Message, Page

NOW = datetime(2026, 3, 3, 12, tzinfo=timezone.utc)  # a Tuesday


def read(said: str, now: datetime = NOW, answer: str = "") -> list[FoundFact]:
    messages = (Message("user", said), Message("assistant", answer))
    return facts_of_page(Page("p1", "s1", 0, messages, now), {"user": "Tom"})


def days(said: str, now: datetime = NOW) -> list[str]:
    return [f"{fact.event_time:%Y-%m-%d}" for fact in read(said, now) if fact.event_time is not None]


def test_a_flat_that_is_signed_for_is_told_as_an_event_and_as_a_home_from_its_day() -> None:
    said = "We've signed for a flat in Leith, moving 31 August."
    assert days(said) == ["2026-08-31", "2026-08-31"]
    assert read(said)[1].text == "Tom lives in Leith from 31 August 2026."


@pytest.mark.parametrize(
    ("said", "day"),
    [
        ("I see the surgeon once more on 14 July at 10.20 and that's me finished.", "2026-07-14"),
        ("I have the assessment on 25 September and I'm supposed to fast.", "2026-09-25"),
        ("The doctor wants to put me on new pills, but first: blood test on 9 June at 8.30.", "2026-06-09"),
        ("I've got a flat in Leeds from 1 April.", "2026-04-01"),
        ("I got promoted to team lead from 1 July.", "2026-07-01"),
        ("I was told to come on 3 May.", "2026-05-03"),
        ("ive been given the 8 october for my mri", "2026-10-08"),
        ("Gave my notice at the bakery, last day 27 March.", "2026-03-27"),
        ("I've accepted the offer and begin on 4 May.", "2026-05-04"),
        ("We've hired a van for 31 July.", "2026-07-31"),
        ("I was made supervisor with effect from 1 May.", "2026-05-01"),
        ("I have a scan on 7 May, the doctor was quite serious.", "2026-05-07"),
        ("dentist 20 nov 4pm, forgot to say", "2026-11-20"),
        ("mot 22 august, tyres were bald last time", "2026-08-22"),
        ("I have to see the consultant on 18 August because the last test came back odd.", "2026-08-18"),
        ("I'm retired now but I help at the fair on 6 June.", "2026-06-06"),
        ("I'm supposed to get the boiler serviced on 13 October.", "2026-10-13"),
        ("The wedding's on 12 September and I said I'd make the cake.", "2026-09-12"),
        ("We're getting the kitchen done, the fitters come on 3 August.", "2026-08-03"),
        ("I've been asked to give a talk on 15 October.", "2026-10-15"),
        ("My knee has been bad since the fall, so the physio sees me on 11 May.", "2026-05-11"),
        ("I ordered the sofa and it comes on 14 August.", "2026-08-14"),
        ("We're getting married on 19 September, I never thought I'd say it.", "2026-09-19"),
        ("My uncle, who was a miner, turns eighty on 6 October.", "2026-10-06"),
        ("My eyes are tired and I have the eye clinic on the 22nd at nine.", "2026-03-22"),
        ("My cousin Bo, who had twins, comes on 4 June.", "2026-06-04"),
        # What was done stays where it was.
        ("I was discharged on 14 July and I'm supposed to rest.", "2025-07-14"),
        ("I got promoted to team lead on 1 July.", "2025-07-01"),
        ("I got a letter from the council on 5 November.", "2025-11-05"),
        ("We signed the papers on 31 August, moving was hell.", "2025-08-31"),
        ("I worked at Boots from 1 June and then left.", "2025-06-01"),
        ("I was off sick from 4 May.", "2025-05-04"),
        ("My dad died on 20 December and the house is empty.", "2025-12-20"),
        ("They moved house on 19 June.", "2025-06-19"),
        ("I was told on 3 May that it's benign.", "2025-05-03"),
        ("The roof was mended on 20 April, it still leaks.", "2025-04-20"),
        ("I've been clean since 1 June.", "2025-06-01"),
        ("Surgery was on 24 October, I am still sore.", "2025-10-24"),
        ("I had two visits on 21 September.", "2025-09-21"),
        ("I was supposed to fly on 30 September but I was ill.", "2025-09-30"),
        ("I met my wife Ana, who is coming along, on 18 January.", "2026-01-18"),
        ("Surgery 24 October, went well.", "2025-10-24"),
        ("I saw the dentist on 17 September and she says it's fine.", "2025-09-17"),
    ],
)
def test_the_verb_in_front_of_a_date_tells_whether_it_lies_ahead(said: str, day: str) -> None:
    assert days(said) == [day]


@pytest.mark.parametrize(
    ("said", "day"),
    [
        ("I've been promoted from 1 April.", "2026-04-01"),
        ("I was made redundant from 1 April.", "2026-04-01"),
        ("I got the flat from 1 April.", "2026-04-01"),
        ("I have had a cough from 20 April.", "2026-04-20"),
        ("I have been unemployed from 1 March.", "2026-03-01"),
        ("I have pain since the operation on 20 April.", "2026-04-20"),
        ("I was asked to leave on 20 April.", "2026-04-20"),
        ("I was told to rest on 20 April.", "2026-04-20"),
        ("I made a cake for 18 April.", "2026-04-18"),
        ("We hired a van for 18 April and moved house.", "2026-04-18"),
        ("I need to tell you, on 20 April I quit smoking.", "2026-04-20"),
        ("Mir wurde ab dem 3. April gekündigt.", "2026-04-03"),
        # The coming day is nearer, or what is said of it is in the present.
        ("I've been promoted from 1 July.", "2026-07-01"),
        ("I was asked to come on 3 May.", "2026-05-03"),
        ("We've hired a van for 31 July.", "2026-07-31"),
        ("Mir wurde zum 31. August gekündigt.", "2026-08-31"),
        ("I have the assessment on 25 September and I'm supposed to fast.", "2026-09-25"),
        ("I see him on 14 July and that's me finished.", "2026-07-14"),
    ],
)
def test_what_was_done_for_a_day_is_for_the_nearer_one(said: str, day: str) -> None:
    assert days(said, datetime(2026, 4, 28, 12, tzinfo=timezone.utc)) == [day]


@pytest.mark.parametrize(
    ("said", "kind", "day"),
    [
        ("I had the operation on the 9th as planned.", "possession", "2026-01-09"),
        ("I saw the surgeon on the 9th as scheduled.", "event", "2026-01-09"),
        ("We flew home on the 9th, earlier than planned.", "event", "2026-01-09"),
        ("I planned the operation for 9 February.", "plan", "2026-02-09"),
        ("The operation is planned for 9 February.", "plan", "2026-02-09"),
    ],
)
def test_what_went_as_planned_is_no_plan(said: str, kind: str, day: str) -> None:
    now = datetime(2026, 1, 12, 12, tzinfo=timezone.utc)
    assert [(fact.kind, f"{fact.event_time:%Y-%m-%d}") for fact in read(said, now)] == [(kind, day)]


@pytest.mark.parametrize(
    ("said", "day"),
    [
        ("Am 24. September um 14:30 Uhr habe ich einen Termin bei Dr. Krause.", "2026-09-24"),
        ("Mir wurde zum 31. August gekündigt.", "2026-08-31"),
        ("Ich habe zum 30. November gekündigt.", "2026-11-30"),
        ("Mir wurde am 30. November gekündigt.", "2025-11-30"),
        ("Ich habe am 30. November gekündigt.", "2025-11-30"),
    ],
)
def test_a_german_notice_takes_effect_on_its_day(said: str, day: str) -> None:
    assert days(said) == [day]


@pytest.mark.parametrize(
    ("answer", "texts"),
    [
        ("I've noted 2 December.", []),
        ("I've noted the appointment on 2 December at 10.", []),
        ("I've noted 2 December for the dentist.", ["2026-12-02"]),
        ("I'll send you the list on 2 December.", ["2026-12-02"]),
    ],
)
def test_what_an_assistant_only_notes_is_no_fact(answer: str, texts: list[str]) -> None:
    found = [fact for fact in read("Hello there.", answer=answer) if fact.about == "assistant"]
    assert [f"{fact.event_time:%Y-%m-%d}" for fact in found] == texts


@pytest.mark.parametrize(
    ("said", "day"),
    [
        ("My sister Aoife is leaving end of june.", "2026-06-21"),
        ("My lease ends at the end of June.", "2026-06-21"),
        ("I moved here at the end of June.", "2025-06-21"),
        ("We start building at the beginning of August 2027.", "2027-08-01"),
        ("We fly home in the middle of May.", "2026-05-11"),
        ("We fly home in May.", "2026-05-01"),
    ],
)
def test_a_part_of_a_month_is_not_its_first_day(said: str, day: str) -> None:
    assert days(said) == [day]


JUNE = datetime(2026, 6, 15, 12, tzinfo=timezone.utc)  # a Monday


@pytest.mark.parametrize(
    ("said", "day"),
    [
        # To whom it was offered, who was asked there, and what is to be had then.
        ("I've applied for cover and got an appointment at the office on the 23rd at 10.30.", "2026-06-23"),
        ("I got an appointment with the dermatologist on 2 July.", "2026-07-02"),
        ("Yvonne has invited us to dinner on Thursday.", "2026-06-18"),
        ("My boss has asked me to a meeting on the 23rd at 10.", "2026-06-23"),
        ("My boss asked me to a meeting on the 11th.", "2026-06-11"),
        ("Yvonne invited us to dinner last Thursday.", "2026-06-11"),
        ("Yvonne invited us to dinner on Thursday and it was lovely.", "2026-06-11"),
        ("Tom asked me to marry him on Friday.", "2026-06-12"),
        ("Carol talked me into a half marathon in October.", "2026-10-01"),
        ("And Maya's got her brace fitted on the 28th at 3.15.", "2026-06-28"),
        ("Maya's got her ears pierced on the 13th.", "2026-06-13"),
        ("I got the job on the 12th.", "2026-06-12"),
        # "Need" is no past, and "needed" is.
        ("The laptop is slow, I need a new one before January.", "2027-01-01"),
        ("I needed a lift on Friday.", "2026-06-12"),
        ("I'm at Meera's until the end of June, then I need something of my own.", "2026-06-30"),
        ("I have to leave the flat by the end of July.", "2026-07-31"),
        ("I was at Meera's until the end of May.", "2026-05-31"),
        # The verb stands behind the day.
        ("90 was silly, 88 by September is OK.", "2026-09-01"),
        ("I was told the one by Friday is fine.", "2026-06-12"),
        # The month stands in front of the day.
        ("Carol talked me into the half marathon in October. It's on the 11th.", "2026-10-11"),
        ("The conference is in October, on the 11th at 9am.", "2026-10-11"),
    ],
)
def test_a_coming_day_beside_a_past_verb_is_no_past_one(said: str, day: str) -> None:
    assert days(said, JUNE) == [day]


def test_the_month_of_another_matter_is_not_that_of_a_day() -> None:
    assert days("I was in Rome in May. My exam is on the 22nd.", JUNE) == ["2026-05-01", "2026-06-22"]
