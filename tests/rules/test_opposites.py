"""Statements that deny each other in other words, without a word of a change."""

from __future__ import annotations

import pytest

from memoryos_core import MemoryConfig, MemoryOS, WorkerConfig

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
