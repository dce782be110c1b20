"""News of another thing end nothing: a clinic's number, somebody else's meeting, a first day at the gym."""

from __future__ import annotations

import pytest

from memoryos_core.rules.knowledge.supersession import compare

PHONE = "The user's phone number is 555-019-9123."
INTERVIEW = "The user's job interview is on December 3."
DENTIST = "The user's dentist appointment is on December 3."
FLIGHT = "The user's flight is on December 3."
SIEMENS = "The user works at Siemens."
SHELL = "The user works at Shell."
VOLVO = "The user drives a Volvo."
BERLIN = "The user lives in Berlin."
BOTH_FLY = "The user is flying on the 2nd of July. Joe's visa isn't through, so he'll follow."
ENDS = {"replaces", "retires", "disputes"}


@pytest.mark.parametrize(
    ("held", "news"),
    [
        (PHONE, "The phone number of the clinic is 555-018-8123."),
        (PHONE, "The phone number for the school is 555-018-8123."),
        (PHONE, "The clinic's phone number is 555-018-8123."),
        (PHONE, "The user's old phone number was 555-018-8123."),
        (PHONE, "The user's previous phone number is 555-018-8123."),
        (INTERVIEW, "The interview with the singer was moved to December 9."),
        (INTERVIEW, "The appointment was moved to December 9."),
        ("The user has a job interview on December 3.", "The appointment was moved to December 9."),
        (DENTIST, "The meeting with Tom was moved to December 9."),
        (FLIGHT, "The train was moved to December 9."),
        (SIEMENS, "The user's first day at the gym was great."),
        (SIEMENS, "The user started at the gym."),
        (SIEMENS, "The user enrolled at the gym."),
        (SHELL, "The user left Shell's car park at six."),
        (BERLIN, "The user sold their holiday house in Spain."),
        (BERLIN, "The user sold their flat in Lisbon."),
        (BERLIN, "The user sold their summer cottage."),
        (BERLIN, "The user was renting in Hull before and the landlord sold up."),
        ("The user moved to Berlin in May.", "The landlord in Lisbon sold up."),
        ("The user is unemployed officially.", 'The user said: "He proposed that, not marriage."'),
        ("The user is single.", 'The user said: "He proposed that, not marriage."'),
        (BOTH_FLY, "Joe's changed his flight, he's landing on the 11th of July now."),
        ("5K is 27:40, the user's sister does it in 22.", "The user's sister's 5K is 21:30 now."),
        ("The user's wife is called Ana.", "Ana left Boots and works at Dell now."),
        ("The user's wife is called Ana.", "Ana quit her job and paints now."),
        (VOLVO, "The user no longer has a car loan."),
        (VOLVO, "The user has no car payments any more."),
        (VOLVO, "The user doesn't have car payments any more."),
        (VOLVO, "The user paid off the car loan."),
        (VOLVO, "The user cancelled the car insurance."),
        ("The user has a cat called Juno.", "The user no longer has a cat allergy."),
        (BERLIN, "The user lives with their sister now."),
        (BERLIN, "The user now lives with two flatmates."),
        ("The user's husband is called Max.", "Max is a teacher now."),
        ("The user has a meeting in Rome on 24 June.", "The Rome visit is cancelled."),
        ("The user has a meeting with Ana in Rome on 24 June.", "The Rome trip is off."),
        ("Ann asked the user to marry her.", "The user said no to Ann about the dog."),
    ],
)
def test_news_of_another_thing_end_nothing(held: str, news: str) -> None:
    assert compare(held, news) not in ENDS


@pytest.mark.parametrize(
    ("held", "news"),
    [
        (PHONE, "The user's phone number is now 555-018-8123."),
        (PHONE, "The user's new phone number is 555-018-8123."),
        (INTERVIEW, "The interview was moved to December 9."),
        (INTERVIEW, "The job interview was moved to December 9."),
        ("The user has a job interview on December 3.", "The interview was moved to December 9."),
        (DENTIST, "The appointment was moved to December 9."),
        (DENTIST, "The dentist appointment was moved to December 9."),
        (FLIGHT, "The flight was moved to December 9."),
        (SIEMENS, "The user's first day at Bosch was great."),
        (SIEMENS, "The user started at Bosch."),
        (SIEMENS, "The user started at the bank."),
        (SHELL, "The user left Shell at the end of May."),
        (SHELL, "The user left Shell."),
        ("The user works at McDonald's.", "The user left McDonald's."),
        ("The user works at McDonald's.", "The user left McDonald's last month."),
        (VOLVO, "The user no longer has a car."),
        (VOLVO, "The user sold the car and paid off the car loan."),
        ("The user has a car loan.", "The user no longer has a car loan."),
        (BERLIN, "The user lives in Rome now."),
        (BERLIN, "The user sold their flat in Berlin."),
        (BERLIN, "The user sold their house in May."),
        (BERLIN, "The user sold the house and lives in Rome now."),
        ("The user has a holiday house in Spain.", "The user sold their holiday house in Spain."),
        (BOTH_FLY, "The user's flight was moved to the 9th of July."),
        ("5K is 27:40, the user's sister does it in 22.", "The user's 5K is 26:10 now."),
        ("The user lives with Joe, he's a carpenter.", "Joe moved out."),
        ("The user's wife Ana works at Boots.", "Ana left Boots and works at Dell now."),
        ("The user's wife is called Ana.", "Ana and the user broke up."),
        ("The user's wife is called Ana.", "Ana died in May."),
        ("The user's sister Ruth lives in Hull and works at Boots.", "Ruth moved to Leeds."),
        (BERLIN, "The user moved out and lives with their sister now."),
        (BERLIN, "The user got a job in York and left Berlin."),
        (BERLIN, "The user left Berlin and took a job in York."),
        (BERLIN, "The user has left Berlin after ten years in England."),
        (BERLIN, "The user gave up their flat, and they are staying in York."),
        (BERLIN, "The user sold their house, and they are staying at Mum's in York."),
        (BERLIN, "The user sold the house to a couple in Hull."),
        (BERLIN, "The user sold their house to friends at Shell."),
        (BERLIN, "The user sold their house at Park Road."),
        (BERLIN, "The user sold their main home in Mitte, Berlin."),
        (BERLIN, "The user sold their house near Manchester and rented a flat in York."),
        ("The user's husband, Max, is a nurse.", "Max and the user got divorced."),
        ("The user's husband is called Max.", "Max and the user are divorced."),
        ("The user's husband is called Max.", "Max died in May."),
    ],
)
def test_news_of_the_same_thing_end_what_was(held: str, news: str) -> None:
    assert compare(held, news) in ENDS
