"""News of what came of something ends it, and leaves what is about somebody or something else."""

from __future__ import annotations

import pytest

from memoryos_core import MemoryOS
from memoryos_core.rules.knowledge import news
from memoryos_core.rules.knowledge.outcomes import has_outcome
from memoryos_core.rules.knowledge.supersession import compare


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The user has a hamster called Pip.", "Pip died."),
        ("The user has a dog called Rex.", "The user said goodbye to Rex yesterday."),
        ("The user has a cat, Moth.", "The user had to say goodbye to Moth at the vet's."),
        ("The doctor put the user on statins.", "They have taken the user off the statins."),
        ("The user smokes ten a day.", "The user hasn't had a cigarette since May."),
        ("The user is going to Malta in May.", "Malta's off."),
        ("The user signed up for the Bonn triathlon.", "No Bonn for them this year."),
        ("The user's driving test is on 3 May.", "The user passed their driving test on Tuesday."),
        ("The user runs most mornings.", "The user stopped running two months ago."),
        ("The user takes statins.", "The user's doctor took them off statins."),
        ("The user is pregnant.", "The user's son was born on Monday."),
        ("The user is training for the marathon.", "The marathon is off for them."),
        ("The user smokes a pipe at night and coughs.", "The user doesn't smoke since May."),
        ("On Mondays the user sings in choirs, and it's fun.", "The user has given up choirs, as the bus is late."),
        ("The user runs most mornings by the river.", "The user has stopped running since the fall."),
        ("Bad day: Ann broke her ankle at the match.", "Ann's ankle is fine again."),
        ("The user's knees are shot, says the doctor.", "The knee's fine since the winter."),
        ("The user's aunt in Turin was in hospital.", "The user's aunt died in June."),
        ("The bar exam is booked for 25 May.", "The user passed the bar exam in June."),
        ("The user failed the physics exam, the retake is on 14 January.", 'The user said: "I passed physics!"'),
        ("The marathon in April is the goal.", "Needless to say the marathon never happened, the user was ill."),
        ("The user is thinking of an MBA maybe.", "No MBA, the user wants to rest."),
        ("The ball is on the 19th of October and a friend comes.", "The ball got moved to the 2nd of November."),
        ("The operation on the user's eye is on the 3rd of June.", "The user's eye is now to be done on 9 June."),
        ("The user's choir is every Monday at 7.", "The choir with Mr. Bell is now on Thursday at 8, not Monday."),
        ("The user's yoga is on Friday at 9.", "The yoga is on Saturday and not on Friday."),
        ("Lunch with Tom on 1 December.", "Lunch with Tom is off."),
        ("Lunch with Tom on 1 December.", "The lunch with Tom on 1 December isn't happening."),
        ("The user has a barbecue on 9 May at noon.", "The barbecue on 9 May is not going ahead."),
        ("The user's haircut is on Friday at 9.", "The haircut on Friday has been cancelled."),
        ("The user has dinner with the Smiths on 5 June.", "The user can't make it to the dinner with the Smiths."),
        ("The user is trying to run the Bonn marathon on 26 April.", "The marathon's off."),
        (
            'The user said: "Ich habe am 4. Mai einen Termin beim Zahnarzt."',
            'The user said: "Der Termin beim Zahnarzt am 4. Mai ist abgesagt."',
        ),
        (
            'The user said: "Wir gehen am 29. Mai auf den Flohmarkt."',
            'The user said: "Den Flohmarkt am 29. Mai lassen wir ausfallen, Mia ist krank."',
        ),
        ('The user said: "la cita es el 5 de mayo"', 'The user said: "la cita del 5 de mayo está cancelada"'),
        ('The user said: "Unsere Katze heißt Churro."', 'The user said: "Churro ist gestorben."'),
        ("The user has a cat called Churro.", 'The user said: "Churro ist leider gestern gestorben."'),
        ("The user said: \"J'ai un chat qui s'appelle Minou.\"", 'The user said: "Minou est mort."'),
        ('The user said: "Il nostro gatto si chiama Birba."', 'The user said: "Birba è morta."'),
        ("The user's wife Lorna is pregnant.", "Lorna had the baby!"),
        ("The user's sister Ana is expecting a baby in May.", "Ana had her baby on Sunday."),
        ("The user is expecting a baby in May.", 'The user said: "We had the baby!"'),
    ],
)
def test_an_outcome_ends_what_was_so(old: str, new: str) -> None:
    assert has_outcome(old, new)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Tom's sister plays bridge.", "Tom has given up the bridge."),
        ("Tom plays the piano.", "Tom has given up the bridge."),
        ("Tom plays the piano.", "Tom stopped playing the piano after ten at night."),
        ("Tom speaks French.", "Tom doesn't speak."),
        ("Tom's friend broke their wrist.", "Tom's wrist is fine now."),
        ("Ann broke her wrist.", "Tom's wrist is fine now."),
        ("Tom's father was a baker.", "Tom's father died in April."),
        ("Tom's aunt is a nurse.", "Tom's uncle died in April."),
        ("Tom passed the salt.", "Tom passed the driving test."),
        ("Ann's driving test is on 3 May.", "Tom passed the driving test."),
        ("The meeting with Ana is on Monday.", "The meeting with Bruno was moved to Friday."),
        ("Tom wants to see the Rome exhibition.", "No Rome, but Paris for us."),
        ("Tom's colleague is going to a concert.", "No concert for them."),
        ("Tom has a dentist appointment on Monday.", "Tom's vet appointment was moved to Friday."),
        ("Tom moved to Berlin on 3 May.", "Tom moved to Paris on 4 June."),
        ("Tom likes marathons.", "The marathon never happened."),
        ("Tom has a cat called Pip.", "Pop died."),
        ("Tom works on trains.", "They have taken Tom off the statins."),
        # An attack ended these.
        ("The user plays the violin in an orchestra.", "The user stopped playing football."),
        ("The user uses a wheelchair.", "The user stopped using Facebook."),
        ("The user works at Shell.", "The user stopped working weekends."),
        ("The user takes statins.", "The user stopped taking metformin."),
        ("The user takes the bus to work.", "The user stopped taking metformin."),
        ("The user plays tennis with Ben.", "The user doesn't play any more golf."),
        ("The user's friend Rex lives in Rome.", "The user said goodbye to Rex yesterday."),
        ("The user has a dog called Rex.", "The user said goodbye to Ben yesterday."),
        ("The user has a dog called Rex.", "The user said goodbye to Rex at the kennels for a week."),
        ("The user's daughter has a maths exam on Monday.", "The user passed the maths exam."),
        ("The user's son failed his driving test.", "The user passed the driving test."),
        ("On Friday Anna has her driving test.", "The user passed the driving test."),
        ("The user's wife is pregnant.", "The user's daughter gave birth on Friday."),
        ("The user's father takes statins.", "The user stopped taking statins."),
        ("The user's dog is on antibiotics.", "The user came off antibiotics."),
        ("The user's daughter is going to Spain in June.", "The user is not going to Spain."),
        ("The user's wedding is on 4 June.", "Anna's wedding was moved to 8 July."),
        ("Anna has a recital on Monday.", "Ben's recital was moved to Friday."),
        ("The user is going to Kate's wedding on 4 June.", "Sam's wedding is now on 8 July."),
        ("The user had surgery on 4 May 2019.", "The surgery was moved to 9 June."),
        ("The user is studying medicine.", "The user passed the medicine exam."),
        ("The user has a maths and a chemistry exam on Monday.", "The user passed the maths exam."),
        ("The user booked the Swan for 3 May.", "The user passed the Swan on the way home."),
        ("The user is going to the match on Saturday.", "No match for them on Friday."),
        ("The user wants to sell the house.", "The house is off the market."),
        ("The user goes to church.", "The user left church at noon."),
        ("The user plays guitar.", "The user left the guitar at Ben's."),
        ("The project is in a better place.", "The project died."),
        ("The user's boss is better.", "The user's boss died laughing."),
        # A second attack ended these.
        ("The user's surgery is on 3 May.", "The user's roommate's surgery was moved to 9 May."),
        ("The user has an interview on 4 May.", "The user's girlfriend's interview was moved to 9 May."),
        ("The user's wedding is on 4 June.", "Her wedding was moved to 9 July."),
        ("The user is planning a trip to Rome.", "Their trip was cancelled."),
        ("The user's son wants to buy a bike.", "The user bought a bike."),
        ("The user's mother's sister lives in Hull.", "The user's mum died."),
        ("The user works at Shell.", "The user left Shell in a hurry."),
        ("The user's sister lives with them.", "The user's sister stays with Ben on Fridays now."),
        ("The user works nights.", "The user is on days off until Monday."),
        ("The user has a bad knee.", "The user's knee is better, but not good."),
        ("The user smokes a pipe.", "The user hasn't smoked in the house for years."),
        ("The user has physio on Tuesdays.", "Physio was moved to Thursday this week."),
        ("The user is studying French.", "The user gave up French fries."),
        ("The user does yoga.", "The user gave up yoga videos."),
        ("The user dances salsa.", "The user stopped dancing at weddings."),
        ("The user's choir is on Tuesday.", "The choir with Mr. Bell is now on Thursday, not Monday."),
        ("The user's lesson is on Monday.", "The choir is now on Thursday, not Monday."),
        # Another lunch, another day, or what comes back every week.
        ("Lunch with Tom on 1 December.", "Lunch with Ann is off."),
        ("Lunch with Tom on 1 December.", "The lunch on 8 December isn't happening."),
        ("Tom was at the lunch on 1 May.", "The lunch on 1 May was cancelled."),
        ("The user has a meeting every Monday at 10.", "The meeting on Monday isn't happening."),
        ("The user likes barbecues.", "The barbecue on 9 May is not going ahead."),
        ("Anna has a haircut on Friday.", "Their haircut on Friday is off the books."),
        ('The user said: "Ich habe am 4. Mai einen Termin."', 'The user said: "Der Flug am 4. Mai ist abgesagt."'),
        ('The user said: "Ich habe am 4. Mai einen Termin."', 'The user said: "Der Termin am 5. Mai ist abgesagt."'),
        ('The user said: "Unsere Katze heißt Churro."', 'The user said: "Mimi ist gestorben."'),
        ('The user said: "Unsere Katze heißt Churro."', 'The user said: "Churro ist krank."'),
        ("The user's wife Lorna is pregnant.", "Ana had the baby."),
        ("The user's wife Lorna is pregnant.", "The user's sister had the baby."),
        ("Lorna is pregnant.", "Lorna had a baby shower."),
        ("The user's flatmate Giles is a chef.", "Giles has gone."),
    ],
)
def test_it_leaves_what_is_about_somebody_or_something_else(old: str, new: str) -> None:
    assert not has_outcome(old, new)


def test_one_of_several_plans_is_called_off() -> None:
    with MemoryOS("sqlite://", embedder=None) as memory:
        for number, said in enumerate(
            (
                "I booked a jazz concert for 4 May.",
                "I'm going to a folk concert on 9 July.",
                "The concert was cancelled.",
            )
        ):
            user = memory.user("ann", session_id=f"s{number}")
            user.add(said, "I see.")
            user.end_session()
            user.consolidate()
        status = {fact.text: fact.status for fact in memory.user("ann").facts(current=False)}
    assert status["The user booked a jazz concert for 4 May."] == "current"


def test_a_separation_ends_all_that_was_said_of_the_two_together() -> None:
    with MemoryOS("sqlite://", embedder=None) as memory:
        for number, said in enumerate(
            (
                "My boyfriend Leo stayed at home in Turin. I've been seeing Leo since May.",
                "Leo and I are done. My dog Bello is ill.",
            )
        ):
            user = memory.user("ann", session_id=f"s{number}")
            user.add(said, "I see.")
            user.end_session()
            user.consolidate()
        status = {fact.text: fact.status for fact in memory.user("ann").facts(current=False)}
    assert [text for text, s in status.items() if s == "current" and "Leo" in text] == ["Leo and the user broke up."]
    assert any("Bello" in text and s == "current" for text, s in status.items())


@pytest.mark.parametrize(
    "text",
    [
        "I was going to sell the flat but in the end didn't.",
        "We nearly moved, and then decided against it.",
        "ı was going to move but DİDN'T.",
        "I wanted to quit only I never did, so I am there still.",
        "I moved to Ghent in May.",
    ],
)
def test_what_was_not_done_is_left_out_as_without_the_look_for_its_words(text: str) -> None:
    expected = news._QUOTED.sub("", text)
    for pattern in (news._UNDONE, *news._NEVER_CAME):
        expected = pattern.sub("", expected)
    assert news.without_unreal(text) == expected


@pytest.mark.parametrize(
    ("old", "new", "verdict"),
    [
        ("The user is moving to Berlin in October.", "The user decided not to move to Berlin.", "replaces"),
        ("The user is moving to Berlin in October.", "The user has decided against moving to Berlin.", "replaces"),
        ("The user is flying to Oslo on 5 May.", "The user is not flying to Oslo after all.", "replaces"),
        ("The user is flying to Oslo on 5 May.", "The user changed their mind about flying to Oslo.", "replaces"),
        ("The user plans to sell the boat.", "The user decided not to sell the boat.", "replaces"),
        # Of somebody else, of another place, or of no plan.
        ("The user is moving to Berlin in October.", "Ben decided not to move to Berlin.", "unrelated"),
        ("The user is moving to Berlin in October.", "The user decided not to move to Bonn.", "unrelated"),
        ("The user is moving to Berlin in October.", "The user decided not to tell Ben.", "unrelated"),
        ("The user is moving to Berlin in October.", "The user decided not to move the sofa to Berlin.", "unrelated"),
        ("The user moved to Berlin in October.", "The user decided not to move to Berlin.", "unrelated"),
        ("The user lives in Berlin.", "The user decided not to move to Berlin.", "unrelated"),
        ("The user's sister is moving to Berlin in May.", "The user decided not to move to Berlin.", "unrelated"),
    ],
)
def test_a_plan_ends_that_somebody_decides_against(old: str, new: str, verdict: str) -> None:
    assert compare(old, new) == verdict
