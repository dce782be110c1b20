"""A dose, a rent or a weight that is told anew replaces the one before; a medicine that is stopped is taken no more."""

from __future__ import annotations

import pytest

from memoryos_core.rules.knowledge.amounts import is_told_anew
from tests.pipeline.test_belongings import known_after
from tests.pipeline.test_moved_plans import over_after


@pytest.mark.parametrize(
    ("held", "news", "over"),
    [
        ("Dr. Roy has put me on bisoprolol 2.5 mg at night.", "Dr. Roy increased the bisoprolol to 5 mg.", "2.5 mg"),
        (
            "low mood again, they started me on sertraline 50 mg, one in the morning",
            "they bumped my sertraline to 100 mg",
            "50 mg",
        ),
        ("I'm on Concerta 18mg in the mornings", "psych put me up to 36mg of the Concerta yesterday", "18mg"),
        (
            "The inhaler as always, Clenil, one puff at night.",
            "The nurse put the Clenil up to two puffs a day.",
            "one puff",
        ),
        ("The GP has me on ibuprofen 400 mg three times a day.", "Came off the ibuprofen on Monday.", "400 mg"),
        ("I take lansoprazole 30 mg before breakfast.", "Lansoprazole's gone as well.", "30 mg"),
        ("I take metformin 500 mg twice a day.", "Health sheet: metformin is stopped.", "500 mg"),
        ("Rent is 31,000 a month.", "Owner renewed, rent is 33,500 from May.", "31,000"),
        ("Rent is 31,000 a month.", "We are in Pune now. Rent is 44,000 here.", "31,000"),
        ("my half is $290 a week", "rent's going up, my half is $305 a week from 1 May", "$290"),
        ("rent is 720 a month", "rent's going up to 780", "720"),
        ("The service charge is £88 a month.", "They've put the service charge up to £95.", "£88"),
        ("ada is 11 lb 3 oz!! what a chunk", "ada is 8 months and 17 lb 9 oz", "11 lb 3 oz"),
        ("91.2 kg this morning.", "Down to 88.5 kg.", "91.2 kg"),
        (
            "Thirteen stone six at the last count, since nobody asked.",
            "I was twelve stone nine this morning.",
            "Thirteen stone six",
        ),
        ("I weigh 70 kg.", "I'm down to 66 kg now.", "70 kg"),
    ],
)
def test_what_was_told_before_is_over(held: str, news: str, over: str) -> None:
    ended = over_after(held, news)
    assert any(over in text for text in ended)
    assert len(ended) == 1 + any(text.startswith("The user takes ") for text in ended[1:])


@pytest.mark.parametrize(
    ("held", "news"),
    [
        ("The user takes propranolol 20 mg at night.", "The user's mother was put up to 40 mg of propranolol."),
        ("The user takes propranolol 20 mg at night.", "Tom is on propranolol 40 mg now."),
        ("Tom is on propranolol 20 mg.", "The user's propranolol went up to 40 mg."),
        ("The user takes propranolol 20 mg at night.", "They bumped the user's sertraline to 40 mg."),
        ("The user takes propranolol 20 mg in the morning.", "The user takes propranolol 20 mg."),
        ("The user takes sertraline 50 mg.", "The user came off the motorway at Leeds."),
        ("The user takes sertraline 50 mg.", "The user's sister came off sertraline."),
        ("The user takes sertraline 50 mg.", "The milk is gone."),
        ("The user's rent is 850 a month.", "The rent's going up to 910 from May."),
        ("The user's rent is 850 a month.", "Tom's rent is 910."),
        ("The user's rent is 850 a month.", "The user's sister's rent went up to 910."),
        ("The user's rent is 850 a month.", "The rent was 700 back then."),
        ("The user's rent is 850 a month.", "The mortgage is 1,200 a month."),
        ("The user lives in Baner in a flat with a view, where the rent is 42,000.", "Rent is 46,500 from June."),
        ("Theo is 14 lb 2 oz.", "Ada is 20 lb 4 oz."),
        ("The user was 90 kg last year.", "Down to 77.8 kg."),
        ("Down to 77.8 kg.", "The user was 90 kg last year."),
        ("The user bought 5 kg of flour.", "Down to 77.8 kg."),
        ("82.4 kg this morning.", "The user wants to be 75 kg by June."),
        ("82.4 kg this morning.", "The user lifted 60 kg on Monday."),
        ("82.4 kg this morning.", "The suitcase is 23 kg."),
    ],
)
def test_what_is_of_somebody_or_something_else_stays(held: str, news: str) -> None:
    assert not is_told_anew(held, news)


@pytest.mark.parametrize("name", ["Ines", "Ines Falk"])
def test_who_has_given_a_name_has_doses_that_change(name: str) -> None:
    ended, _ = known_after(
        f"I'm {name}.", "I'm on Vyvanse 30mg in the mornings.", "My psych put me up to 50mg of the Vyvanse."
    )
    assert len(ended) == 1
