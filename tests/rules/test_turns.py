"""Turns of a life that are told without the words of what they end, and what only looks like one."""

from __future__ import annotations

import pytest

from memoryos_core.rules.knowledge.amounts import is_announced
from memoryos_core.rules.knowledge.turns import ends_turn


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The user works as a cashier at Lidl.", "The user left lidl, they start at Boots on monday."),
        ("The user works at greggs.", "The user quit greggs last week."),
        ("The user works nights at Amazon.", "The user got fired from amazon today."),
        ("The user works for the council.", "The user's last shift at the council was on friday."),
        ("The user is a purser on a liner, and their employer, Cunard.", "Their last voyage for Cunard was on 3 May."),
        ("The user is out of work at the moment.", "The user finally found a job!"),
        ("The user is between jobs.", "The user starts a new job on Monday."),
        ("The user is the deputy head at Hill School.", "The user is the head at Hill School now."),
        ("The user is chair of the Bee Club, and it eats their evenings.", "The user stepped down as chair last week."),
        ("The user chairs the allotment society.", "The user stood down as chair of the allotment society."),
        ("The user is chair of the tree group.", "In the tree group the user has at last stepped down to treasurer."),
        ("The user coaches the hockey team on Mondays.", "Another dad's coaching the team now."),
        ("The user coaches the hockey team on Mondays.", 'The user said: "another dad does the coaching now"'),
        ("The user runs the book club.", "Neville has taken over the book club."),
        ("The user tutors Leo in maths.", "Leo has switched to a new tutor."),
        ("The user's lodger is called Femi.", "Femi moved back to Lagos."),
        ("The user has an au pair, Clara.", "Clara flew home to Lyon in June."),
        ("The user's apprentice is called Kyle.", "Kyle set up his own firm."),
        ("The user asks for a letter for their assistant, Ms. Grey.", "Ms. Grey left the office in May."),
        ("The user has a card debt of 2300 euros.", "The user paid off the card."),
        ("The user owes 900 on their visa.", "The visa is paid off."),
        ("The user has a car loan with Santander.", "The car loan's paid off!!"),
        ("The user owes their mum 500 quid.", "The user paid mum back."),
        ("The user has a membership at PureGym.", "The user closed their PureGym membership in May."),
        ("The user banks with Halifax.", "The user moved to Monzo."),
        ("The user banks with Monzo.", "The user switched banks to Chase."),
        ("The user banks with Halifax.", "The user moved their account to Nationwide."),
        ("The user buys their eggs from Hill Farm.", "The user gets their eggs from Aldi now."),
        ("The user heats with oil.", "The user heats with a heat pump now."),
        ("The user earns 30k a year.", "The user makes 35k now."),
        ("The user's salary is 30k.", "The user got a raise, 35k now."),
        ("The user is reading Middlemarch.", "The user finished middlemarch!"),
        ("The user is reading Middlemarch.", "The user is on to Emma now."),
        ("The user has been veg since school.", "The user eats fish again."),
        ("The doctor told the user zinc, the user takes it at night.", "The user cut the zinc by the way."),
        ("The user takes zinc every night.", "The user stopped the zinc."),
        ("The user drives a Skoda Octavia.", "The old Skoda has gone to a nephew of Tom's."),
        ("The user drives a Skoda Octavia.", "Ben bought the user's Skoda last week."),
        ("The user's old lurcher Bran.", "The user has sad news: Bran had to be put to sleep on Tuesday."),
        ("Bran is 13.", "The vet put Bran down."),
        ("The user's gran Edith is 91.", "Edith passed away last night."),
    ],
)
def test_a_turn_ends_what_was_so(old: str, new: str) -> None:
    assert ends_turn(old, new)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The user works at Leeds General.", "The user left Leeds last year."),
        ("The user works at tesco.", "The user left work early."),
        ("The user works at tesco.", "The user's manager left tesco last week."),
        ("The user works at tesco.", "The user left aldi last week."),
        ("The user works for Cunard.", "The user's last day at Cunard was meant to be in May."),
        ("The user lives in Leeds and works at Tesco.", "The user left tesco last week."),
        ("The user is unemployed.", "The user got a job interview."),
        ("The user is unemployed.", "The user's sister got a job."),
        ("The user is a member at Hill Club.", "The user is the treasurer at Hill Club now."),
        ("The user is captain of the cricket club.", "Tom stepped down as captain last week."),
        ("The user is chair of the PTA.", "The user stepped down as chair of the rowing club."),
        ("The user is treasurer of the PTA.", "The user stepped down as chair of the PTA."),
        ("The user coaches the hockey team.", "Another dad's driving the team now."),
        ("The user runs every day.", "Ana runs the shop now."),
        ("The user runs the marathon.", "Ana runs the marathon now."),
        ("The user coaches the under 9s and the under 12s.", "Ana took over the under 12s."),
        ("The user teaches Saoirse and Ben cello.", "Saoirse has gone to another teacher."),
        ("The user tutors Leo in maths.", "Leo has gone to a party."),
        ("The user has a lodger, Ben.", "Ben went home for Christmas."),
        ("The user has a lodger, Ben.", "Ben went home early."),
        ("The user has a lodger, Ben.", "Tom moved out."),
        ("The user lives in Leeds with their lodger Ben.", "Ben moved back to Perth."),
        ("The user's brother is Tom.", "Tom opened his own salon."),
        ("The user's assistant is Tom.", "Tom left the user a note."),
        ("The user has a student loan.", "The user paid off the car loan."),
        ("The user has a student loan.", "The user's sister paid off her student loan."),
        ("The user has a library card.", "The user paid off the card."),
        ("The user owes 900 on their visa.", "The user wants to have paid off the visa by May."),
        ("The user owes Tom 50 quid.", "The user paid Ana back."),
        ("The user owes their mum 500 quid.", "The user paid mum back half."),
        ("The user banks with Halifax.", "The user switched to Linux."),
        ("The user banks with HSBC.", "The user moved to Halifax last year."),
        ("The user banks with Halifax.", "The user's sister switched to Monzo."),
        ("The user buys their eggs from Hill Farm.", "The user gets their milk from Aldi now."),
        ("The user earns 30k.", "The user has 35k now."),
        ("The user is reading Middlemarch.", "The user finished work."),
        ("The user is reading Middlemarch.", "The user is reading the contract now."),
        ("The user is vegan.", "Ana eats fish again."),
        ("The user takes statins.", "The user cut the statins to 20 mg."),
        ("The user takes the train.", "The user cut the grass."),
        ("The user drives a Skoda Octavia.", "The Skoda has gone to the user's brother for the weekend."),
        ("The user drives a Skoda Octavia.", "The Skoda went to the garage."),
        ("The user drives a Skoda Octavia.", "Ben bought the user's lunch."),
        ("The user drives a Skoda Octavia.", "The Skoda has gone to the user's sister's."),
        ("The user's wife Ann and their dog Rex live in Bath.", "Rex had to be put to sleep."),
        ("The user's dog Rex.", "Max had to be put to sleep."),
        ("Rex is 9.", "The neighbours' Max died."),
    ],
)
def test_what_only_looks_like_a_turn_ends_nothing(old: str, new: str) -> None:
    assert not ends_turn(old, new)


@pytest.mark.parametrize(
    ("new", "announced"),
    [
        ("The user's rent is going up to £1050 from april.", True),
        ("Landlord's putting the rent up to 1050 in June.", True),
        ("The user's rent will be 1050 from next month.", True),
        ("The user's rent went up to £1050 in april.", False),
        ("The user's rent is 1050 now.", False),
        ("The user's fee is going up to 90 from april.", False),
    ],
)
def test_a_bill_that_is_announced_for_later_ends_none_of_today(new: str, announced: bool) -> None:
    assert is_announced("The user's rent is £900.", new) is announced
