"""A value of a slot is understandable alone, beside the name of the slot."""

from __future__ import annotations

import pytest

from memoryos_core.rules.knowledge.slots import label_of, slots_of


def told(text: str) -> list[str]:
    """What a line of a prompt would say of a statement."""
    return [f"{label_of(slot, text)}: {slot.value}" for slot in slots_of(text)]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("The user's favourite beach has to be Tulum.", ["Favourite beach: Tulum"]),
        ("The user's favourite character is definitely Poirot.", ["Favourite character: Poirot"]),
        ("The user was promoted to head cook on September 1.", ["Occupation: head cook"]),
        ("Ada became a vet.", ["Ada's occupation: vet"]),
        ("The user became a physics teacher in 2019.", ["Occupation: physics teacher"]),
        ("The user's sister drives a Fiat.", ["Sister's vehicle: Fiat"]),
        ("The user studies law here.", ["Studies: law"]),
    ],
)
def test_a_value_is_told_without_the_words_around_it(text: str, lines: list[str]) -> None:
    assert told(text) == lines


@pytest.mark.parametrize(
    "text",
    [
        "They have currently reached 85%.",
        "He has recently grown to 180 cm.",
        "Chess has become a big part of the user's life.",
        "Running became a habit of Ada's.",
        "Wild ride so far.",
        "The user's sister drives home on Fridays.",
        "The user studies different kinds of birds.",
        "The user's favourite one is the blue one.",
    ],
)
def test_what_means_nothing_alone_fills_no_slot(text: str) -> None:
    assert told(text) == []


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("The user has a Honda Civic.", ["Vehicle: Honda Civic"]),
        ("The user has an Audi A3 estate.", ["Vehicle: Audi A3"]),
        ("The user bought a Land Rover Discovery Sport last week.", ["Vehicle: Land Rover Discovery Sport"]),
        ("The user has a BMW, and it's blue.", ["Vehicle: BMW"]),
        ("The user got a used Skoda from their uncle.", ["Vehicle: Skoda"]),
        ("The user has a Golf.", ["Vehicle: Golf"]),
        ("The user has asthma.", ["Condition: asthma"]),
        ("The user has depression sometimes.", ["Condition: depression"]),
        ("The user has arthritis in both hands.", ["Condition: arthritis"]),
        ("The user has type 1 diabetes, diagnosed at nine.", ["Condition: type 1 diabetes"]),
        ("The user has anxiety attacks.", ["Condition: anxiety"]),
        ("The user has anxiety most days.", ["Condition: anxiety"]),
        ("The user has psoriasis flare ups.", ["Condition: psoriasis"]),
        ("The user suffers from depression since their dad died.", ["Condition: depression"]),
    ],
)
def test_a_car_and_an_illness_are_told_by_their_names(text: str, lines: list[str]) -> None:
    assert [line for line in told(text) if line.startswith(("Vehicle", "Condition"))] == lines


@pytest.mark.parametrize(
    "text",
    [
        "The user has a Honda mower.",
        "The user bought a Honda generator.",
        "The user has an Audi ad to design.",
        "The user got a BMW brochure.",
        "The user has a Toyota Corolla diecast model.",
        "The user has a Fiat loan.",
        "The user has a Golf handicap.",
        "The user hired a Ford in 2019.",
        "The user has depression glass in the cabinet.",
        "The user has an asthma clinic on Tuesdays.",
        "The user has diabetes research to finish.",
        "The user has asthma nurses on their team.",
        "The user has anxiety meds to pick up for Tom.",
        "The user has epilepsy training on Monday.",
        "The user suffers from depression jokes.",
    ],
)
def test_what_a_noun_behind_it_makes_something_else_is_no_car_and_no_illness(text: str) -> None:
    assert not [line for line in told(text) if line.startswith(("Vehicle", "Condition"))]


@pytest.mark.parametrize(
    ("text", "home"),
    [
        ("The user moved to boulder.", "boulder"),
        ("The user lives in mobile alabama.", "mobile alabama"),
        ("The user lives in reading.", "reading"),
        ("The user moved to bath last month.", "bath"),
        ("The user moved to phoenix for work.", "phoenix"),
        ("The user lives in orange county.", "orange county"),
        ("The user moved to marketing.", None),
        ("The user moved to reading novels.", None),
        ("The user was moved to tears.", None),
        ("The user moved to mobile payments.", None),
        ("The user moved to orange juice.", None),
    ],
)
def test_a_town_that_is_also_a_word_is_a_home(text: str, home: str | None) -> None:
    assert [slot.value for slot in slots_of(text) if slot.attribute == "home"] == ([home] if home else [])


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("The user is allergic to nuts so don't give them recipes with nuts.", ["Allergy: nuts"]),
        ("The user is allergic to latex so they wear vinyl gloves.", ["Allergy: latex"]),
        ("The user works for Peanuts Worldwide.", ["Employer: Peanuts Worldwide"]),
        ("The user lives on Skye.", ["Home: Skye"]),
        ("The user lives on Elm Street.", ["Home: Elm Street"]),
        ("The user is married to Tom.", ["Relationship: married to Tom"]),
        ("The user is engaged to Ana.", ["Relationship: engaged to Ana"]),
        ("The user got a job at greggs on saturdays.", ["Employer: greggs"]),
        ("The user works at Asda at weekends.", ["Employer: Asda"]),
        ("The user drives a hard bargain.", []),
        ("The user works for peanuts.", []),
        ("The user works as hard as anyone.", []),
        ("The user lives on Deliveroo.", []),
        ("The user lives on Red Bull and crisps.", []),
        ("The user is married to their job.", []),
        ("The user is engaged in local politics.", []),
    ],
)
def test_a_manner_of_speaking_fills_no_slot(text: str, lines: list[str]) -> None:
    assert told(text) == lines


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("The user moved to York last weekend.", ["Home: York"]),
        ("The user moved to York over the summer.", ["Home: York"]),
        ("The user moved to York during the Easter holidays.", ["Home: York"]),
        ("The user moved to York in early spring.", ["Home: York"]),
        ("The user moved to York the other day.", ["Home: York"]),
        ("The user moved to York a couple of weeks ago.", ["Home: York"]),
        ("The user has just moved to York from Leeds for work.", ["Home: York"]),
        ("The user relocated to Porto from the UK.", ["Home: Porto"]),
        ("The user's sister moved to Bonn from Madrid in May.", ["Sister's home: Bonn"]),
        ("The user got married to Sam on Saturday.", ["Relationship: married to Sam"]),
        ("The user got engaged to Ana over the weekend.", ["Relationship: engaged to Ana"]),
        ("The user has a dog called Biscuit and a daughter, Mia, who is 7.", ["Pet: dog called Biscuit"]),
        ("The user has a cat called Kit and two sons.", ["Pet: cat called Kit"]),
        # Nothing to cut.
        ("The user moved to New York.", ["Home: New York"]),
        ("The user moved to New York from the app store.", ["Home: New York from the app store"]),
        ("The user lives in Easter Ross.", ["Home: Easter Ross"]),
        ("The user lives in Winter Park.", ["Home: Winter Park"]),
        ("The user lives in a cabin by the summer camp.", ["Home: cabin by the summer camp"]),
        ("The user lives in Palm Springs.", ["Home: Palm Springs"]),
        ("The user lives in Christmas Island.", ["Home: Christmas Island"]),
        ("The user is married to Summer.", ["Relationship: married to Summer"]),
        ("The user is married to a man from Leeds.", ["Relationship: married to a man from Leeds"]),
        ("The user is engaged to Easter Mwangi.", ["Relationship: engaged to Easter Mwangi"]),
        ("The user has a dog called Mum.", ["Pet: dog called Mum"]),
        ("The user has a dog called Kit and a cat called Moth.", ["Pet: dog called Kit and a cat called Moth"]),
    ],
)
def test_a_value_ends_before_a_time_an_origin_and_another_person(text: str, lines: list[str]) -> None:
    assert told(text) == lines


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("The user started at Meta on 1 December.", ["Employer: Meta"]),
        ("The user started at Meta in December.", ["Employer: Meta"]),
        ("The user joined Meta on Monday.", ["Employer: Meta"]),
        ("The user starts at Meta.", ["Employer: Meta"]),
        ("The user starts at Meta today.", ["Employer: Meta"]),
        ("The user has worked at Meta since December.", ["Employer: Meta"]),
        ("The user moved to York in March.", ["Home: York"]),
        ("The user works at Meta in the mornings.", ["Employer: Meta in the mornings"]),
    ],
)
def test_what_has_begun_is_a_value(text: str, lines: list[str]) -> None:
    assert told(text) == lines
