"""Statements that deny each other in other words, without a word of a change."""

from __future__ import annotations

import pytest

from memoryos_core import MemoryConfig, MemoryOS, WorkerConfig
from memoryos_core.rules.knowledge.supersession import compare

MANUAL = MemoryConfig(worker=WorkerConfig(mode="manual"))


def holds_after(held: str, news: str, *, between: int = 0) -> bool:
    """Return whether the facts of the first message hold after the second, with other statements between them."""
    fillers = [f"I planted {number} tulips by the pond." for number in range(between)]
    with MemoryOS("sqlite://", embedder=None, config=MANUAL) as memory:
        for number, text in enumerate((held, *fillers, news)):
            user = memory.user("kim", session_id=f"s{number}")
            user.add(text, "All right.")
            user.end_session()
            user.consolidate()
        first, *_ = memory.user("kim").facts(current=False)
        return first.status == "current"


@pytest.mark.parametrize(
    ("held", "news"),
    [
        ("I have no kids.", "I have a son."),
        ("I'm Tom. I have no kids.", "I have a son at school now."),
        ("we don't have children", "my daughter Ada is three"),
        ("I don't have any kids.", "We have two kids now."),
        ("I have no kids.", "My eldest daughter started school."),
        ("I have no kids.", "I became a dad in May."),
        ("I don't have any siblings.", "My younger brother Max lives in Kent."),
        ("I don't drive.", "I bought a Tesla."),
        ("i dont drive", "i passed my driving test yesterday"),
        ("I can't drive.", "I finally got my licence!"),
        ("I don't drive.", "I drive a Polo now."),
        ("I'm Catholic.", "I converted to Islam."),
        ("I'm Catholic.", "I'm Sunni."),
        ("I'm a Christian.", "I'm an atheist now."),
        ("i'm jewish", "I became a Buddhist."),
        ("I'm a Methodist.", "I'm Catholic now."),
        ("I'm single.", "My husband Tom is a chef."),
        ("im single", "my girlfriend Ana lives in Rome"),
        ("Be formal with me.", "Keep it casual."),
        ("Talk to me formally.", "You can be casual with me."),
    ],
)
def test_the_later_of_two_opposites_holds(held: str, news: str) -> None:
    assert not holds_after(held, news)


@pytest.mark.parametrize(
    ("held", "news"),
    [
        ("I have no kids.", "My sister's son is three."),
        ("I have no kids.", "My son-in-law called."),
        ("I have no kids.", "My cat had kittens."),
        ("I have no kids.", "I have a baby shower on Monday."),
        ("I don't have any siblings.", "My sister-in-law is a nurse."),
        ("I have no kids.", "My kid brother moved in."),
        ("I have no kids.", "I have a kids' book to illustrate."),
        ("I have no kids.", "I have two boys in my class who never listen."),
        ("I have no kids.", "I have three kids on my football team."),
        ("I'm an only child.", "I have two sisters in my book club."),
        ("I don't drive.", "I drive my mum mad."),
        ("I don't drive.", "I drive a hard bargain."),
        ("I'm Catholic.", "I'm a Baptist minister's son."),
        ("I'm single.", "My husband pillow arrived."),
        ("I don't drive.", "My brother bought a Tesla."),
        ("I don't drive.", "Tom passed his driving test."),
        ("I don't drive.", "I bought a bike."),
        ("I'm Catholic.", "My wife is Sunni."),
        ("I'm Catholic.", "My husband converted to Islam."),
        ("I'm Christian.", "I'm Catholic."),
        ("I'm Muslim.", "I'm Sunni."),
        ("I'm single.", "My sister's husband Tom is a chef."),
        ("I'm single.", "My ex-husband Tom is a chef."),
        ("I'm single.", "My business partner Tom is a chef."),
        ("I'm single.", "My wife left me in 2019."),
        ("I don't have kids.", "My twins, that's what I call my calves, hurt."),
        ("I have no kids.", "My kid's menu came with crayons."),
        ("I have no kids.", "My child's pose is improving."),
        ("I can't drive.", "I drive to distraction everyone I know."),
        ("I don't drive.", "I drive to despair anyone who helps me."),
        ("I don't drive.", "I passed the driving test centre on my way."),
        ("I'm single.", "My girlfriend Sue and I (just mates!) went out."),
        ("Be formal with me.", "The dress code is casual."),
    ],
)
def test_what_is_no_opposite_leaves_it(held: str, news: str) -> None:
    assert holds_after(held, news)


def test_it_is_found_behind_many_other_statements() -> None:
    assert not holds_after("I have no kids.", "My daughter Ada is three.", between=130)


@pytest.mark.parametrize("said", ["I'm Sunni.", "I'm Shia.", "I'm Tamil.", "im sikh", "I'm Anglican."])
def test_what_somebody_believes_or_speaks_is_no_name(said: str) -> None:
    with MemoryOS("sqlite://", embedder=None, config=MANUAL) as memory:
        user = memory.user("kim", session_id="s")
        user.add(said, "All right.")
        user.end_session()
        user.consolidate()
        assert user.profile().get("name") is None


HELD = (
    "Mia is the user's girlfriend.",
    "The user's girlfriend is called Mia.",
    "The user has a girlfriend called Mia.",
    "The user's girlfriend Mia wants a party.",
)


@pytest.mark.parametrize("held", HELD)
@pytest.mark.parametrize(
    "news",
    [
        "The user broke up with Mia.",
        "The user has split from Mia.",
        "The user ended it with mia.",
        "The user broke up at the airport.",
        "The user got dumped by mia.",
        "The user left their girlfriend.",
        "The user is no longer with Mia.",
        "The user and Mia aren't together any more.",
        "The user's girlfriend has dumped them.",
        "The user's girlfriend and the user have split up.",
        "The user is single again.",
        "Mia and the user are done.",
        "Mia and the user split up but they still talk.",
        "Mia and the user broke up after six years.",
        "Mia and the user have decided to go their separate ways.",
        "Mia has left the user.",
        "Mia broke up with the user last week.",
        "Mia is no longer the user's girlfriend.",
        "Mia is the user's ex now.",
        "The user's ex mia sent a card.",
        "The user's ex-girlfriend Mia sent a card.",
        "The user's new girlfriend is called Noor.",
        "The user has a girlfriend now, Noor.",
        "The user has a new girlfriend.",
        "The user is dating Noor.",
        "The user is going out with Noor now.",
        "The user got engaged to Noor in May.",
        "Noor and the user are together now.",
        "Noor and the user are official.",
        "Noor is the user's girlfriend now.",
    ],
)
def test_a_couple_is_one_no_more(held: str, news: str) -> None:
    assert compare(held, news) in {"replaces", "retires"}


@pytest.mark.parametrize("held", [text for text in HELD if " has a " not in text])
@pytest.mark.parametrize(
    "news",
    [
        "The user broke up with their bank.",
        "The user has split up the class into groups.",
        "The user left Mia at the station.",
        "The user left their girlfriend a note.",
        "The user dreamt that they broke up with Mia.",
        "The user is going out with Noor tonight.",
        "The user is seeing Noor on Friday.",
        "The user is seeing Dr Noor now.",
        "The user's ex Noor sent a card.",
        "The user's sister broke up with Noor.",
        "The user's partner Noor drives the ambulance.",
        "The user's business partner is called Noor.",
        "The user's friend Noor is single again.",
        "The user's girlfriend Amia is tall.",
        "The user's girlfriend is a chef.",
        "The user's girlfriend is German.",
        "The user's girlfriend is Sunni.",
        "The user has a girlfriend who sings.",
        "He is the user's boyfriend.",
        "Mia left them in charge of the cat.",
        "Mia has left for York.",
        "Mia and the user are over at her mum's.",
        "Mia and the user are done with the shed.",
        "Mia and the user split the bill.",
        "Mia and the user broke up for Christmas.",
        "Mia and the user split up years ago but got back together.",
        "Noor and the user are together on the night shift.",
        "Noor and Ben broke up.",
        "Noor is Ben's girlfriend now.",
        "Noor and the user called it off, the picnic that is.",
        "Noor and the user are official now: co-captains of the team.",
        "Noor left the user last night to queue for tickets.",
        "Noor died her hair green.",
    ],
)
def test_a_couple_stays_one(held: str, news: str) -> None:
    assert compare(held, news) not in {"replaces", "retires"}


@pytest.mark.parametrize(
    ("held", "news", "over"),
    [
        ("Karl is the user's husband.", "The user got divorced.", True),
        ("Karl is the user's husband.", "Karl left the user.", True),
        ("Karl is the user's husband.", "Karl died in May.", True),
        ("The user is married to Karl.", "The user left their husband.", True),
        ("The user is married to Karl.", "The user married Ben in June.", True),
        ("The user's husband Karl is tall.", "Ben is the user's fiancé.", True),
        ("The user's husband Karl is tall.", "Ben is the user's boyfriend now.", False),
        ("The user's husband Karl is allergic to nuts.", "The user got divorced.", False),
        ("Karl is the user's boyfriend.", "The user got divorced.", False),
        ("Karl is the user's husband.", "The user's sister got divorced.", False),
        ("The user's boyfriend Leo stayed at home.", "The user broke up at the airport.", True),
        ("The user is seeing a therapist on Tuesdays.", "The user broke up.", False),
        ("Ann's boyfriend Leo is tall.", "The user broke up in May.", False),
        ("Ann's boyfriend Leo is tall.", "Ann dumped Leo.", True),
        ("The user's girlfriend is a chef.", "The user is single again.", True),
        ("The user's girlfriend is German.", "The user's girlfriend Noor sings.", False),
        ("The user's girlfriend Mia Lopez sings.", "Mia and the user broke up.", True),
        ("The user's wife Liz sings.", "The user's wife is called Elizabeth.", False),
        ("Tom's friend Mia is tall.", "Mia broke up with Leo.", False),
    ],
)
def test_whose_couple_it_is(held: str, news: str, *, over: bool) -> None:
    assert (compare(held, news) in {"replaces", "retires"}) is over


@pytest.mark.parametrize("held", ["Ilse is the user's manager.", "The user's manager is called Ilse."])
@pytest.mark.parametrize(
    "news",
    [
        "Ravi is the user's manager now.",
        "Ravi is the user's new boss.",
        "Ravi is now the user's manager.",
        "Ravi has taken over from Ilse as the user's manager.",
        "Ilse went on leave and Ravi took over as the user's manager.",
        "Ilse is no longer the user's manager.",
        "Ilse was the user's manager until June.",
    ],
)
def test_who_has_a_role_has_it_no_more(held: str, news: str) -> None:
    assert compare(held, news) in {"replaces", "retires"}


@pytest.mark.parametrize("held", ["Ilse is the user's manager.", "The user's manager is called Ilse."])
@pytest.mark.parametrize(
    "news",
    [
        "Ravi is the user's colleague now.",
        "Ravi is the user's manager at the allotment.",
        "Ravi is Kim's manager now.",
        "Ravi is no longer the user's manager.",
        "Ravi took over the user's desk.",
        "Ravi has replaced Ilse as the team's mascot.",
        "Ravi is the user's dentist now.",
    ],
)
def test_who_has_a_role_keeps_it(held: str, news: str) -> None:
    assert compare(held, news) not in {"replaces", "retires"}
