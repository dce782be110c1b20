"""Everyday statements: what ends an earlier one and what leaves it standing, by the words alone."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest

from memoryos_core import MemoryOS
from memoryos_core.rules.knowledge.clauses import clauses_of
from memoryos_core.rules.knowledge.slots import slots_of
from memoryos_core.rules.knowledge.supersession import compare, endings, ends
from tests.rules.everyday_pairs import (
    ENDS_IN_CHAT,
    ENDS_IN_CHAT_UNSEEN,
    IS_OVER,
    IS_OVER_UNSEEN,
    STAYS_IN_CHAT,
    STAYS_IN_CHAT_UNSEEN,
    STILL_HOLDS,
    STILL_HOLDS_UNSEEN,
)
from tests.rules.parts_of_life import NEWS, STATEMENTS

BEGIN = datetime(2025, 1, 6, 9, tzinfo=timezone.utc)
_OVER = ("replaces", "retires")


def is_over(old: str, new: str) -> bool:
    return compare(old, new) in _OVER


def test_statements_compared_with_one_new_one_end_as_each_does_alone() -> None:
    pairs = (*STILL_HOLDS, *STILL_HOLDS_UNSEEN, *IS_OVER, *IS_OVER_UNSEEN)
    olds = list(dict.fromkeys(old for old, _ in pairs))[::5]
    for new in list(dict.fromkeys(new for _, new in pairs))[::7]:
        ends_with = endings(new, ())
        assert (
            [ends_with(old) for old in olds]
            == [is_over(old, new) for old in olds]
            == [ends(old, new, ()) for old in olds]
        )


def is_over_in_chat(old: str, new: str, name: str = "Tom") -> bool:
    """Say both in sessions a month apart; return whether the memory holds a fact that is over."""
    memory = MemoryOS("sqlite://", embedder=None, clock=lambda: BEGIN + timedelta(days=90))
    for month, said in enumerate((f"Hi, I'm {name}.", old, new)):
        session = memory.user("tom", session_id=str(month))
        session.add(said, "I see.", timestamp=BEGIN + timedelta(days=30 * month))
        session.end_session()
    memory.flush()
    over = any(fact.status != "current" for fact in memory.user("tom").facts(current=False))
    memory.close()
    return over


@pytest.mark.parametrize(("old", "new"), STILL_HOLDS)
def test_news_of_another_thing_ends_nothing(old: str, new: str) -> None:
    assert not is_over(old, new)


@pytest.mark.parametrize(("old", "new"), IS_OVER)
def test_a_change_ends_what_was_before(old: str, new: str) -> None:
    assert is_over(old, new)


@pytest.mark.parametrize("part", NEWS)
def test_news_of_one_part_of_life_ends_no_statement_of_another(part: str) -> None:
    others = [old for other, said in STATEMENTS.items() if other != part for old in said]
    assert [(old, new) for new in NEWS[part] for old in others if is_over(old, new)] == []


def test_pairs_that_were_not_looked_at() -> None:
    """At most what was measured when these pairs were first run."""
    assert sum(is_over(old, new) for old, new in STILL_HOLDS_UNSEEN) <= 3
    assert sum(not is_over(old, new) for old, new in IS_OVER_UNSEEN) <= 3


@pytest.mark.parametrize(("old", "new"), STILL_HOLDS[::4])
def test_in_a_conversation_nothing_ends_either(old: str, new: str) -> None:
    assert not is_over_in_chat(old, new)


@pytest.mark.parametrize(("old", "new"), ENDS_IN_CHAT)
def test_a_change_in_other_words_ends_what_was_before_in_a_conversation(old: str, new: str) -> None:
    assert is_over_in_chat(old, new)


@pytest.mark.parametrize(("old", "new"), STAYS_IN_CHAT)
def test_what_was_written_beside_those_changes_ends_nothing(old: str, new: str) -> None:
    assert not is_over_in_chat(old, new)


def test_changes_in_other_words_that_were_not_looked_at() -> None:
    """At least what was measured; one wrong end in twenty is too many already."""
    assert sum(is_over_in_chat(old, new) for old, new in ENDS_IN_CHAT_UNSEEN) >= 12
    assert not any(is_over_in_chat(old, new) for old, new in STAYS_IN_CHAT_UNSEEN)


def test_a_mother_in_law_is_no_mother() -> None:
    (clause,) = clauses_of("My mother-in-law moved to Leeds.")
    assert clause.subject == "mother-in-law"
    (clause,) = clauses_of("Tom's sister-in-law moved to Leeds.", ("Tom",))
    assert clause.subject == "sister-in-law"


def test_a_title_ends_no_sentence() -> None:
    (slot,) = slots_of("My doctor is Dr. Patel.")
    assert (slot.attribute, slot.value) == ("doctor", "Dr. Patel")


def test_the_part_of_a_thing_is_not_the_thing() -> None:
    assert not slots_of("The tyres of my car are new.")[0].attribute.startswith("vehicle")


def test_another_number_without_a_word_of_change_replaces_nothing() -> None:
    assert compare("Ada has 9 dogs.", "Ada has 12 dogs.") == "repeats"
    assert compare("Ada has 9 dogs.", "Ada has 12 dogs now.") == "replaces"


# Where much is known, news without the words of a fact may be about any of them. No line here ends one before it.
_SMALL_TALK = [
    "I love writing short stories.",
    "My house is close to the river, and my home town is Deal.",
    "Right now my writing takes up every evening.",
    "I just started helping at a food bank for people who lost their jobs.",
    "My new job is going well so far.",
    "I'm allergic to cats and most things with fur.",
    "I'm lactose intolerant, so I bake with oat milk instead.",
    "Looking for a studio to rent has been hard, but I am set on finding one.",
    "The studio roof leaks right now, but we stay cheerful.",
    "Today I played in a chess tournament!",
    "I love film nights with my neighbours.",
    "Don't ever quit on what you love.",
    "I was a goalkeeper for four years at school, so I have played a lot.",
    "I have been playing in the town team for just under a year now.",
    "I live in Norwich.",
    "I live in a flat on my own!",
    "Losing my first job was hard, but I am living my dream now.",
    "Losing my first job was tough, but it gave me the push I needed.",
    "My wish is to give foster kids a loving home.",
    "I have known these friends since I moved from my home country.",
    "I spent my bonus on a new bicycle that cost 640 euros.",
    "I have been promoted with a raise to 48,000 euros, and I wrote to the bank about it.",
    "Now, let's practise a few more of those.",
    "I will definitely practise the waltz more.",
]


def test_small_talk_ends_nothing_of_what_is_known() -> None:
    memory = MemoryOS("sqlite://", embedder=None, clock=lambda: BEGIN + timedelta(days=90))
    for day, said in enumerate(("Hi, I'm Tom.", *_SMALL_TALK)):
        session = memory.user("tom", session_id=str(day))
        session.add(said, "I see.", timestamp=BEGIN + timedelta(days=day))
        session.end_session()
    memory.flush()
    facts = memory.user("tom").facts(current=False)
    memory.close()
    assert len(facts) >= len(_SMALL_TALK) // 2
    assert not [fact.text for fact in facts if fact.status != "current"]


# Made up after what ended wrongly in real conversations.
OF_ANOTHER_MATTER = (
    ("Nina's town held a lantern festival last weekend.", "Nina went to a lantern festival last Friday."),
    ("Otto has also started to learn the flute.", "Otto is learning the cello now."),
    ("Otto has started to learn the flute as well.", "Otto is learning the cello now."),
    ("The user practises guitar drills 4 hours a week.", "The user has increased their guitar practice to 12 drills."),
)
OF_THE_SAME = (
    ("The rent is 850 euros.", "The rent went up to 910 euros."),
    ("Otto is learning the flute.", "Otto is learning the cello instead now."),
    ("The user rehearses 3 hours a week.", "The user now rehearses 5 hours a week."),
    ("The user works the second shift.", "The user switched to the day shift."),
    ("Nina's rent in Bonn is too high.", "Nina moved to a cheaper flat."),
    ("The user's mother also lives with them.", "The user's mother moved into a care home."),
    ("The user is also vegan.", "The user eats meat again."),
    ("The user works at Siemens.", "The user lost their job and is trying to figure out what to do next."),
    ("The user drives a Golf.", "The user sold their car and is trying to decide which one to buy."),
    ("The user's rent is 900 euros.", "The user's rent has gone to 950 euros."),
    ("I weigh 80 kg.", "I weigh 75 kilos now."),
    ("The team has 5 people.", "The team grew to 8 members."),
    ("The test coverage is 65%.", "The user is trying to raise the test coverage, which recently improved to 78%."),
)


@pytest.mark.parametrize(("old", "new"), OF_ANOTHER_MATTER)
def test_a_visit_one_of_several_and_another_count_end_nothing(old: str, new: str) -> None:
    assert not ends(old, new, ("Nina", "Otto"))


@pytest.mark.parametrize(("old", "new"), OF_THE_SAME)
def test_what_is_counted_or_done_anew_still_ends(old: str, new: str) -> None:
    assert ends(old, new, ("Nina", "Otto"))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Tom gave up coffee.", "Tom is drinking coffee again."),
        ("Tom quit smoking.", "Tom has started smoking again."),
        ("Tom weighs 165 pounds.", "Tom is down to 158 lbs."),
        ("Tom's son is in 3rd grade.", "Tom's son is in 4th grade now."),
        ("Tom works at Infosys.", "Tom joined Razorpay last month."),
        ("Tom is planning a trip to Kerala in December.", "Tom is not going to Kerala this year."),
        ("Tom's mother stays with them.", "Tom's mother is staying with Tom's brother now."),
        ("Tom's mother has Parkinson's.", "Tom's mum died in September."),
        ("Tom is expecting their second child in March.", "Tom's second child was born yesterday, a girl."),
        ("Tom's wife works nights at the hospital.", "Tom's wife finally got day shifts."),
        ("Tom is dating Maya.", "Tom started seeing someone new, her name is Imani."),
        ("Tom is single.", "Tom has a girlfriend now, Eva."),
        ("Tom is saving for a motorbike.", "Tom bought the motorbike."),
        ("Tom has a broken ankle.", "Tom's ankle is fine again."),
        ("Tom is going to Tenerife in August.", "Tenerife never happened in the end."),
        ("Tom is training for the half marathon.", "Tom tore their meniscus so no half marathon for them."),
        ("Tom and their boyfriend Callum have been going out since May.", "Callum dumped Tom."),
        ("Tom's girlfriend Catalina stays in Chile.", "Tom broke up with Catalina in April."),
        ("Tom runs procurement for Halden Logistics.", "Tom left Halden at the end of October."),
    ],
)
def test_what_was_waited_for_and_what_goes_on_again_ends_what_was(old: str, new: str) -> None:
    assert compare(old, new, ("Tom",)) in _OVER


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Tom quit smoking.", "Tom never wants to smoke again."),
        ("Tom has a car.", "Tom's dog died."),
        ("Tom's father lives in Bonn.", "Tom's dog died."),
        ("Leo is single.", "Tom got engaged."),
        ("Tom's sister is pregnant.", "Tom's second child was born."),
        ("Tom is going to Rome in May.", "Tom's brother is not going to Rome."),
        ("Tom's mother lives with them.", "Tom is living with Ana now."),
        ("Tom is looking for a job.", "Tom found a cafe."),
        ("Tom wants to buy a car.", "Tom's brother bought a car."),
        ("The user has a dog.", "The user's grandma passed away."),
        ("Tom is a senior data engineer at Siemens.", "Tom is an engineer."),
        ("Tom lives in London.", "Tom lives in a flat near Big Ben."),
        ("Tom works at Google.", "Tom is a developer with Python."),
        ("The assistant is a pirate.", "The assistant is now adding the costs."),
        ("Tom works at Bosch.", "Tom's brother left Bosch."),
        ("Tom works at Bosch.", "Tom left Bosch at six today."),
        ("Tom's boyfriend Callum is a chef.", "Callum left."),
        ("Tom quit smoking.", "Tom's brother is smoking again."),
        ("Tom quit smoking.", "Tom dreamt they were smoking again."),
        ("Tom gave up coffee.", "Tom is tempted to drink coffee again."),
        ("Tom quit drinking.", "Tom is drinking more water again."),
        ("Tom stopped running.", "Tom's nose is running again."),
        ("Tom is saving for a car.", "Tom bought a car seat for their daughter."),
        ("Tom wants to buy a bike.", "Tom bought a bike helmet."),
        ("Tom works at Bosch.", "Anna left Bosch."),
        ("Tom works with Paul.", "Tom left Paul in charge."),
        ("Tom is dating Leo.", "The trip with Leo is over."),
        ("Tom's partner Ben works at Shell.", "Ben split with Anna years ago."),
        ("Tom is dating Mia.", "Tom's ex is seeing someone new."),
        ("Tom is single.", "Tom is seeing a therapist."),
        ("Tom is single.", "Tom's ex got engaged."),
        ("Tom is pregnant.", "Tom was born in Leeds."),
        ("Tom's wife is expecting a baby.", "Tom's wife was born in Spain."),
        ("Tom's sister Lena is pregnant.", "Tom's sister Ada gave birth to a boy."),
        ("Tom is flying to Madrid on Friday.", "Tom is not flying with Ryanair to Madrid."),
        ("Tom is moving to Oslo in May.", "Tom's flat in Oslo fell through."),
        ("Tom has a bad shoulder.", "Tom's shoulder is not fine again."),
        ("Tom has a broken arm.", "Tom's dog's arm healed."),
        ("Tom's wife works nights.", "Tom's wife works days and nights."),
        ("Tom's dad lives with them.", "Tom's dad died in the book they are writing."),
    ],
)
def test_news_of_others_and_a_vaguer_word_end_nothing(old: str, new: str) -> None:
    assert compare(old, new, ("Tom",)) not in _OVER


NEVER_CAME = [
    ("The user lives in Leeds.", "The user dreamed they had moved to York."),
    ("The user lives in Leeds.", "In the user's dream they moved to York."),
    ("The user lives in Leeds.", "Nobody moved to York."),
    ("The user lives in Leeds.", "The user hasn't moved to York."),
    ("The user lives in Leeds.", "The user joked that they had moved to York."),
    ("The user lives in Leeds.", "The user never left Leeds."),
    ("The user lives in Leeds.", "The user almost left Leeds for good."),
    ("The user lives in Leeds.", "In the novel the user moved to York."),
    ("The user lives in Leeds.", "The user was moving to York, but then they didn't."),
    ("The user works at Shell.", "The user never left Shell."),
    ("The user works at Shell.", "The user dreamt that they quit Shell."),
    ("The user works at Shell.", "The user almost quit Shell."),
    ("The user works at Shell.", "The user didn't quit Shell."),
    ("The user is vegan.", "The user dreamt that they were no longer vegan."),
    ("The user eats fish.", "The user never gave up fish."),
    ("The user eats fish.", "The user haven't given up fish."),
    ("The user drinks coffee.", "The user pretended that they had given up coffee."),
    ("The user is allergic to nuts.", "The user dreamt that they're no longer allergic to nuts."),
    ("The user is allergic to nuts.", "The user never said they're no longer allergic to nuts."),
    ("The user has a dog called Bruno.", "The user dreamt that Bruno died."),
    ("The user has a dog called Bruno.", "The user nearly had to put Bruno down."),
    ("The user has a dog called Bruno.", "In the film Bruno died."),
    ("The user's boyfriend is Tom.", "The user nearly broke up with Tom."),
    ("The user's boyfriend is Tom.", "The user dreamt that they broke up with Tom."),
    ("The user is single.", "The user never got married."),
    ("The user is married to Ann.", "The user dreamt that they were divorced."),
    ("The user is pregnant.", "The user dreamt that the baby was born."),
    ("The user's driving test is on 3 May.", "They've almost moved the user's driving test to 9 June."),
    ("The user's driving test is on 3 May.", "Nobody moved the user's driving test to 9 June."),
    ("The trip to Porto is booked for May.", "The trip to Porto was not cancelled."),
    ("The user drives a Volvo.", "The user haven't sold the Volvo."),
    ("The user drives a Volvo.", "The Volvo was not stolen."),
    ("The user's rent is 800 euros.", "They nearly raised the rent to 910 euros."),
    ("The user's rent is 800 euros.", "They raised the rent to 910 euros for the user's neighbour."),
    ("The user works at Shell.", "The user wasn't laid off by Shell."),
    ("The user works at Shell.", "The user would have left Shell in May."),
    ("The user uses Vim.", "The user wishes they had switched from Vim to Zed."),
    ("The user takes ramipril.", "Nobody has taken the user off ramipril."),
    ("The user takes ramipril.", "The doctor switched him from ramipril to losartan."),
    ("The user takes ramipril.", "The doctor swapped the ramipril for losartan, but only for the user's neighbour."),
    ("The user has a cat called Mia.", "The user thought Mia died."),
    ("The user has a cat called Mia.", "In the user's dream Mia died."),
    ("The user is allergic to nuts.", "The user was never cured of their nut allergy."),
]
CAME_ALL_THE_SAME = [
    ("The user drives a Volvo.", "The user nearly kept the Volvo but then they sold the Volvo."),
    ("The user works at Shell.", "The user almost cried when they left Shell for good."),
    ("The user works at Shell.", "The user's dream came true: they left Shell for good."),
    ("The user drives a Volvo.", "The user sold the Volvo but didn't buy another one."),
    ("The user drives a Volvo.", "Nobody believed it, but the user sold the Volvo."),
    ("The user plays the violin.", "The user gave up the violin, almost without regret."),
    ("The user smokes.", "The user hasn't smoked since May."),
    ("The user lives in Leeds.", "The user always dreamed of living in York and now they moved to York!"),
    ("The user lives in Leeds.", "The user moved to York in a nightmare of a week."),
    ("The user uses Vim.", "The user switched from Vim to Zed, they wish they had done it before."),
    ("The user's boyfriend is Tom.", "The user broke up with Tom because he never told them the truth."),
    ("The user drives a Volvo.", "The user has not only sold the Volvo but bought a bike."),
    ("The user works as a nurse.", "The user became a teacher, as they had always dreamed."),
    ("The user is going to Malta in May.", "Malta never happened."),
]


@pytest.mark.parametrize(("old", "new"), NEVER_CAME)
def test_what_never_came_to_be_ends_nothing(old: str, new: str) -> None:
    assert not is_over(old, new)


@pytest.mark.parametrize(("old", "new"), CAME_ALL_THE_SAME)
def test_an_end_beside_something_that_never_came_to_be_is_one(old: str, new: str) -> None:
    assert is_over(old, new)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The user rents a flat in Leeds.", "The user was going to renew the lease but didn't, they moved to Porto."),
        ("The user works at Shell.", "The user asked for a raise and they didn't, so the user quit Shell."),
        ("The user lives in Leeds.", "The user hasn't told the assistant yet that they moved to Porto."),
        ("The user drives a Skoda.", "The user should have told the assistant that they sold the Skoda."),
        ("The user takes ramipril.", '"Stop the ramipril," said Dr Khan, so the user stopped taking ramipril.'),
        ("The user takes ramipril.", 'The user stopped the ramipril, "good riddance," said Tom.'),
        ("The user lives in Leeds.", "The user dreamt badly, and by the way they moved to Rome."),
        ("The user lives in Leeds.", "The user had a nightmare week because they moved to Porto."),
        ("The user works at Shell.", "The user is not kidding that they left Shell!"),
        ("The user works at Shell.", "In the book trade now, the user left Shell."),
        ("The user drives a Skoda.", "The user got rid of the Skoda for their parents' old Tesla."),
        ("The user works at Shell.", "The user would have told the assistant sooner, but they quit Shell."),
    ],
)
def test_what_came_to_be_beside_what_did_not_still_ends(old: str, new: str) -> None:
    assert ends(old, new, ())


@pytest.mark.parametrize(("old", "new"), [*ENDS_IN_CHAT[::4], *STAYS_IN_CHAT[::4]])
def test_a_whole_name_changes_nothing(old: str, new: str) -> None:
    plain = is_over_in_chat(old, new)
    assert [is_over_in_chat(old, new, name) for name in ("Donal Keaveney", "Agnes Ellis")] == [plain, plain]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The user is lucky to have their husband and kids.", "The user has been married for 5 years."),
        ("The user has a husband, Rob.", "The user has been happily married since 2019."),
        ("The user is married to Rob.", "The user has been married for 5 years."),
        ("The user is engaged to Sam.", "The user is engaged."),
        ("The user wants help to quit smoking.", "The user got the job in Leeds!"),
        ("The user is trying to quit sugar.", "The user started at Tesco."),
    ],
)
def test_what_goes_on_and_a_habit_given_up_end_nothing(old: str, new: str) -> None:
    assert not is_over(old, new)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The user is engaged to Sam.", "The user got married on Saturday."),
        ("The user is single.", "The user is married now."),
        ("The user works as a nurse.", "The user quit their job last week."),
        ("The user is married to Rob.", "The user is married to Ben now."),
    ],
)
def test_a_wedding_and_a_job_left_still_end(old: str, new: str) -> None:
    assert is_over(old, new)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The user is from California.", "The user is from Los Angeles, born and raised."),
        ("Emi is from Los Angeles.", "Emi is from California."),
        ("The user is set for a coffee with friends.", "Now the user is having a coffee with their friends."),
        ("The user is having lunch with Rob.", "The user is having a drink with Sam."),
    ],
)
def test_where_one_comes_from_and_what_passes_end_nothing(old: str, new: str) -> None:
    assert not is_over(old, new)


def test_an_origin_that_is_corrected_is_over() -> None:
    assert is_over("The user is from Leeds.", "Sorry, I meant the user is from Hull.")


@pytest.mark.parametrize(
    "text",
    [
        "Paola will definitely give it a try and show Kevin how it turns out.",
        "Paola didn't get the chance to show Kevin how it turned out.",
        "The user is set for a coffee with friends.",
    ],
)
def test_what_is_no_state_has_no_value(text: str) -> None:
    assert slots_of(text, ("Paola",)) == ()
