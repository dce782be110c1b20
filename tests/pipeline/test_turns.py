"""Old values that end by news in other words, as people type them, and what they leave as it is."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest

from memoryos_core import MemoryConfig, MemoryOS, WorkerConfig
from tests.pipeline.test_belongings import known_after

MANUAL = MemoryConfig(worker=WorkerConfig(mode="manual"))


@pytest.mark.parametrize(
    ("said", "over"),
    [
        (("I'm a barista at Costa's", "i left costa's last week"), "The user works at Costa's."),
        (("I live in Leeds and work at Tesco", "i left tesco last week"), "The user works at Tesco."),
        (("I'm unemployed atm", "got a job!! customer support at Monzo"), "The user is unemployed atm."),
        (("I bank with HSBC", "moved to Monzo"), "The user banks with HSBC."),
        (("I've got a £3k overdraft", "cleared the overdraft finally"), "The user has got a £3k overdraft."),
        (("My daughter Poppy is 4", "poppy turned 5 yesterday"), "The user's daughter Poppy is 4."),
        (("my son Max is 8", "max's 9 now!"), "The user's son Max is 8."),
        (("We heat with a gas boiler", "heat pump in, gas boiler out"), "The user heats with a gas boiler."),
        (
            ("I'm saving for a boat, goal is 15k", "I upped the boat thing to 20k"),
            "The user is saving for a boat, goal is 15k.",
        ),
        (("I have a market stall", "The stall I gave to a friend, no time"), "The user has a market stall."),
        (
            ("I'm reading Pride and Prejudice", "finished Pride and Prejudice!"),
            "The user is reading Pride and Prejudice.",
        ),
        (("I take losartan", "the losartan had been making me dizzy and is now stopped"), "The user takes losartan."),
        (("I take statins", "doc stopped my statins"), "The user takes statins."),
        (("My cat Luna is 15", "we had to have Luna put to sleep"), "The user's cat Luna is 15."),
        (("I coach the hockey team", "the other dad's coaching the team now"), "The user coaches the hockey team."),
    ],
)
def test_news_in_other_words_ends_the_old_value(said: tuple[str, ...], over: str) -> None:
    assert over in known_after(*said)[0]


@pytest.mark.parametrize(
    "said",
    [
        ("I'm unemployed atm", "got a job offer!! customer support at Monzo"),
        ("I'm unemployed atm", "my sister got a job!! customer support at Monzo"),
        ("I have an old boiler", "chest in, tummy out"),
        ("My daughter Poppy is 4", "milk turned 5 days old"),
        ("I have a piano", "the book I gave to Ann is about a piano"),
        ("I have a student loan", "my brother paid off his student loan"),
        ("I organise the book club", "my sister organises the parties now"),
        ("My rent is £900", "the landlord is putting the rent up to £1050 in April"),
        ("my rent is £900", "my rent will be 1050 from next month"),
        ("I'm single", "i got engaged!! to my sofa"),
        ("I'm single", "we're basically married to the telly"),
        ("I take losartan", "the gym had been making me dizzy and is now stopped"),
        ("I work at Lidl", "my last shift at lidl was ten hours, knackered"),
        ("I work at Zara", "I left Zara early as my back hurt"),
        ("I work at Zara", "I left Zara and noticed it was raining"),
        ("I work at Zara", "I left Zara, caught the tram, and slept"),
        ("I work at Zara", "I left Zara last and set the alarm"),
        ("I work at Google", "I left Google running on my phone all day"),
        ("I work at Lidl", "I got sacked by Lidl in 2012, before they took me back"),
        ("I'm out of work", "I got a job alert for Aldi"),
        ("I'm chair of the PTA and secretary of the choir", "I stepped down as chair"),
        ("I'm head of sales at Acme", "I quit being head cook at home, the boys cook now"),
        ("My flatmate is called Ines", "Ines went home to Faro, she's back on Monday"),
        ("My flatmate is called Ines", "Ines has gone home to Faro for a month"),
        ("We have a lodger called Kofi", "Kofi's brother moved out of his"),
        ("Our nanny is called Bea", "Bea got a new job title from us"),
        ("My secretary is Joan", "Joan got another job done before ten"),
        ("My apprentice is Kyle", "Kyle quit in May but came back last week"),
        ("My daughter Rosie is 5", "Rosie died her dress blue!"),
        ("My daughter Rosie is 5", "Rosie just died when I told her lol"),
        ("My son Max is 4", "The neighbours said the vet put Max to sleep"),
        ("I earn 30k", "my boss got a raise to 60k"),
        ("I'm vegan", "they eat chicken again next door"),
        ("I take zinc", "I dropped the zinc on the floor again"),
        ("I'm on metformin", "I dropped metformin off at the surgery"),
        ("I take aspirin daily", "I dropped aspirin into the water for the roses"),
        ("I owe mum 40 quid", "I paid mum back for her jokes"),
        ("I have a credit card debt of 3000", "my card is cleared for payments abroad"),
        ("I bank with HSBC", "I changed to First Direct trains for the trip"),
        ("We heat with oil", "I cook with gas now"),
        ("I get eggs from Aldi", "I get eggs from Priya now and then"),
        ("I'm reading Dune", "I finished Dune part two at the cinema"),
        ("I'm reading Persuasion and Beloved", "I finished Beloved last night"),
        ("I work with Ben at Lidl", "I left Ben because he lied"),
        ("I drive a Golf", "the old Golf went to a friend, this new Golf is lovely"),
    ],
)
def test_what_only_looks_like_news_ends_nothing(said: tuple[str, ...]) -> None:
    assert known_after(*said)[0] == set()


@pytest.mark.parametrize(
    ("said", "field", "value"),
    [
        (("I'm unemployed atm", "got a job!! customer support at Monzo"), "employer", "Monzo"),
        (("I'm unemployed atm", "found a job! cashier at lidl"), "occupation", "cashier"),
        (("I live in Leeds and work at Tesco", "I left Tesco last week"), "home", "Leeds"),
        (("I work at Tesco and my wife works at Aldi", "my wife left Aldi"), "employer", "Tesco"),
        (("I bank with HSBC and live in York", "I moved to Halifax"), "home", "Halifax"),
        (("My daughter Poppy is 4", "Poppy turned 5"), "daughter", "Poppy"),
        (("my son Leo is 11", "Leo's 12 now"), "son", "Leo"),
        (("My daughter Mia lives in Bath", "Mia moved to York"), "daughter", "Mia"),
        (("my daughter Mia plays cricket", "Mia's given cricket away for surfing"), "daughter", "Mia"),
        (("I'm single", "i got engaged!! to my sofa haha"), "relationship", "single"),
        (("I'm single", "i got engaged!! to Sam"), "relationship", "engaged"),
        (("my name's Kate Moore", "I'm Kate Dawson now"), "name", "Kate Dawson"),
        (("my name's Kate Moore", "officially married, it's Kate Dawson-Lee now btw"), "name", "Kate Dawson-Lee"),
        (("my name's Kate Moore", "I'm Team Lead now"), "name", "Kate Moore"),
        (("my name's Kate Moore", "my sister is Ann, she's Ann Dawson now"), "name", "Kate Moore"),
    ],
)
def test_the_profile_follows(said: tuple[str, ...], field: str, value: str) -> None:
    assert known_after(*said)[1].get(field) == value


@pytest.mark.parametrize(
    ("held", "news", "over"),
    [
        ("my son Leo is 11", "Leo's 12 now", "The user's son Leo is 11."),
        (
            "my daughter Mia plays cricket",
            "Mia's given cricket away for surfing",
            "The user's daughter Mia plays cricket.",
        ),
    ],
)
def test_what_a_child_did_ends_and_the_child_stays(held: str, news: str, over: str) -> None:
    assert known_after(held, news)[0] == {over}


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("We're opening a cafe in Hove. It's called Bramble, after the dog.", "The user's cafe is called Bramble."),
        ("I'm building an app for beekeepers. We call it Hum.", "The user's app is called Hum."),
        ("I opened a window. It's called Velux.", None),
        ("I run a shop and started a band. It's called Hum.", None),
        ("Ann opened a bakery. It's called Hum.", None),
        ("I bought a club sandwich. It's called Reuben.", None),
        ("We started a band practice on Mondays. It's called Hum.", None),
        ("I built a hotel in the game. It's called Hum.", None),
        ("Sjur, I should mention, has moved to Bergen.", "Sjur has moved to Bergen."),
        ("My GP, to return to that old saga, has put me on amlodipine.", "The user takes amlodipine."),
        ("Next: my husband Roland has Parkinson's.", "The user's husband Roland has Parkinson's."),
    ],
)
def test_what_only_surrounds_a_statement_is_left_out(said: str, told: str | None) -> None:
    held = told_after(said)[1]
    assert told in held if told is not None else not any(" is called " in text for text in held - {said})


def told_after(*said: str, minutes: int = 2) -> tuple[set[str], set[str]]:
    """The facts that are over and those that hold after messages of one session, each some minutes later."""
    with MemoryOS("sqlite://", embedder=None, config=MANUAL) as memory:
        user = memory.user("k", session_id="s")
        for number, text in enumerate(said):
            when = datetime(2026, 1, 1, tzinfo=timezone.utc) + timedelta(minutes=minutes * number)
            user.add(text, "ok", timestamp=when)
        user.end_session()
        user.consolidate()
        facts = memory.user("k").facts(current=False)
    held = {fact.text for fact in facts if fact.status == "current"}
    return {fact.text for fact in facts} - held, held


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (("my sister moved.", "she's in Leeds now"), "The user's sister is in Leeds now."),
        (("my dad rang from Hove", "he's on warfarin"), "The user's dad is on warfarin."),
        (("My sister is Ana", "She lives in Faro"), "The user's sister Ana lives in Faro."),
        (("talked to my cousin", "he's moved to Perth"), "The user's cousin has moved to Perth."),
        (("We have a dog called Rex", "Rex is ill", "the vet had to put him down"), "Rex had to be put to sleep."),
        (("I told my boss about the leak.", "he's called Gary"), "The user's boss is called Gary."),
        (("my aunt rang", "she's retired now"), "The user's aunt is retired now."),
        (("my uncle rang", "he's scared of dogs"), "The user's uncle is scared of dogs."),
        (("my niece rang", "she's passed her exams"), "The user's niece has passed her exams."),
        (("my sister is a vet", "she works in Bath"), "The user's sister works in Bath."),
        (("my sister got the job offer", "she's in Leeds now"), "The user's sister is in Leeds now."),
        (("my brother moved to Leeds", "he works from home"), "The user's brother works from home."),
    ],
)
def test_she_or_he_of_the_next_message_is_who_was_just_named(said: tuple[str, ...], told: str) -> None:
    assert told in told_after(*said)[1]


@pytest.mark.parametrize(
    "said",
    [
        ("my mum and my sister came over", "she's 72"),
        ("my brother rang", "she's in Leeds now"),
        ("Ruth said my sister is ill", "she's a nurse in Bath"),
        ("my sister's friend is here", "she's a nurse in Bath"),
        ("my sister and Ana came", "she's a nurse in Bath"),
        ("my sister moved to Leeds", "is she right?"),
        ("nice weather", "she's in Leeds now"),
        ("my girlfriend can't stand the new manager", "she's in Leeds now"),
        ("My sister had a row with a neighbour.", "she's in Leeds now"),
        ("my sister interviewed a woman today", "she's in Leeds now"),
        ("my sister hired a PA", "she's in Leeds now"),
        ("My sister is a huge fan of Taylor Swift", "she's 72"),
        ("my sister sat beside Jo", "she's 72"),
        ("my sister heard from Ana", "she's 72"),
        ("my sister met my ex by chance", "she's 72"),
        ("my sister watched a film about a nun", "she's in Leeds now"),
        ("my sister got a cat", "she's 72"),
        ("my sister is seeing a doctor", "she's a nurse in Bath"),
        ("my sister has someone new who cooks", "she's a nurse in Bath"),
        ("my sister loves the twins", "she's a nurse in Bath"),
        ("my sister was rude to one of the waiters", "she's a nurse in Bath"),
    ],
)
def test_nobody_is_meant_where_several_or_none_was_named(said: tuple[str, ...]) -> None:
    _, held = told_after(*said)
    assert not any(text.endswith(("is 72.", "Leeds now.", "in Bath.")) and "sister" in text for text in held), held


@pytest.mark.parametrize(
    ("before", "said"),
    [
        ("my friend is pregnant by her ex", "he's in prison now"),
        ("my cousin said she would call", "he's in prison now"),
        ("my boss lost his keys", "she's useless"),
        ("my boss hired a new PA", "she's useless"),
    ],
)
def test_he_is_nobody_who_was_she_before(before: str, said: str) -> None:
    assert len(told_after(before, said)[1]) == 1


def test_she_is_nobody_two_hours_later() -> None:
    assert told_after("my sister moved.", "she's in Leeds now", minutes=130)[1] == {"The user's sister moved."}


def test_the_pet_that_had_to_be_put_down_is_over() -> None:
    over, _ = told_after("We have a dog called Rex", "Rex is ill", "the vet had to put him down")
    assert "The user has a dog called Rex." in over


@pytest.mark.parametrize(
    "said",
    [
        ("We have a cat called Milo", "Milo's hair is on it, and Ann's dog Ben is ill", "they had to put him to sleep"),
        ("We have a cat called Milo", "Milo's best mate was the neighbour's dog", "they had to put him down last week"),
        ("We have a dog called Rex", "Rex was at my aunt's, her pony was lame", "the vet had to put him down"),
        ("My son Rex is 2", "Rex was so tired today", "we had to put him to sleep at 6"),
        ("My son Leo is 3", "Leo was up all night", "we had to put him down at nine"),
        ("My son Leo is 3", "Leo was ill today", "we had to put him down"),
    ],
)
def test_only_the_ill_pet_just_named_is_put_to_sleep(said: tuple[str, ...]) -> None:
    assert told_after(*said)[0] == set()


@pytest.mark.parametrize(
    ("wish", "lifted"),
    [
        ("put a psalm at the top when you answer me", "can you drop the psalm now lol it's a bit much"),
        ("End every answer with a riddle.", "Could you skip the riddle from now on, it's too much"),
    ],
)
def test_a_wish_is_lifted_politely(wish: str, lifted: str) -> None:
    assert len(known_after(wish, lifted)[0]) == 1


@pytest.mark.parametrize(
    "said",
    [
        "can you drop the verses in the second stanza?",
        "would you mind leaving out the second paragraph?",
        "put the milk in at the end",
        "write me a toast. put a joke at the top",
        "can we skip the questions about money in the interview?",
    ],
)
def test_a_task_at_hand_is_no_wish(said: str) -> None:
    assert not any("wants the assistant" in text for text in told_after(said)[1])
