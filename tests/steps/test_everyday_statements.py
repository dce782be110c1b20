"""What people say of themselves in passing, without a model: the profile knows it, and no more than was said."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest

from memoryos_core import MemoryConfig, MemoryOS, WorkerConfig
from memoryos_core.extract.statement_kinds import kind_of

MANUAL = MemoryConfig(worker=WorkerConfig(mode="manual"))
START = datetime(2026, 3, 1, 9, tzinfo=timezone.utc)


def facts_after(said: str) -> list[str]:
    """Return the texts of all facts after one message."""
    with MemoryOS("sqlite://", embedder=None) as memory:
        ada = memory.user("ada")
        ada.add(said, "Thanks for telling me.")
        ada.end_session()
        memory.flush(60)
        return [fact.text for fact in ada.facts(current=False)]


def profile_after(*said: str) -> dict[str, str]:
    """The profile after each statement in a session of its own, a month apart."""
    now = [START]
    with MemoryOS("sqlite://", embedder=None, config=MANUAL, clock=lambda: now[0]) as memory:
        for number, text in enumerate(said):
            user = memory.user("ann", session_id=f"s{number}")
            user.add(text, "Thanks for telling me!")
            user.end_session()
            user.consolidate()
            now[0] += timedelta(days=30)
        return {field.name: field.value for field in memory.user("ann").profile().fields}


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("I'm Devon.", "Devon"),
        ("Hello again, it's Peg.", "Peg"),
        ("hey it's Devon", "Devon"),
        ("Hi, Arjun this side.", "Arjun"),
        ("I'm Catholic.", None),
        ("I'm Irish.", None),
        ("I'm Back.", None),
        ("I'm Sorry!", None),
        ("Hi, it's Friday.", None),
        ("It's raining.", None),
    ],
)
def test_who_says_their_name_is_called_by_it(said: str, name: str | None) -> None:
    assert profile_after(said).get("name") == name


@pytest.mark.parametrize(
    ("said", "name", "value"),
    [
        ("I teach chemistry at a high school in Leeds", "occupation", "teaching chemistry at a high school"),
        ("I teach Year 4", "occupation", "teaching Year 4"),
        ("I'm an ER nurse, mostly nights", "occupation", "ER nurse"),
        ("I drive a forklift at the docks", "occupation", "driving a forklift"),
        ("I do freelance illustration", "occupation", "freelance illustration"),
        ("I work at Siemens as a test engineer", "occupation", "test engineer"),
        ("I work at Siemens as a test engineer", "employer", "Siemens"),
        ("new job: I'm head of science at Redland Green", "occupation", "head of science"),
        ("started at Bosch last week", "employer", "Bosch"),
        ("we're in Bristol now, new house in Bedminster", "home", "Bristol"),
        ("been living in Oslo for six years", "home", "Oslo"),
        ("I grew up in Naples but Turin is home now", "home", "Turin"),
        ("just moved to Ghent with my girlfriend", "home", "Ghent"),
        ("relocated to Denver in March for work", "home", "Denver"),
        ("I rent a small place in Hackney", "home", "Hackney"),
        ("my flat is in Kreuzberg", "home", "Kreuzberg"),
        ("I'm in my second year of a physics degree", "studies", "physics degree"),
        ("I'm doing a PhD on bird migration", "studies", "bird migration"),
        ("I study law in Utrecht", "studies", "law"),
        ("I'm 34 btw", "age", "34"),
        ("turned 41 yesterday", "age", "41"),
        ("I just had my 30th birthday", "age", "30"),
        ("I'm coeliac so no gluten", "allergy", "gluten (coeliac)"),
        ("I have ADHD", "condition", "ADHD"),
        ("I'm type 1 diabetic", "condition", "type 1 diabetic"),
        ("I take 20 mg of citalopram", "medication", "20 mg of citalopram"),
        ("my cat Pixel hates the vacuum", "pet", "cat Pixel"),
        ("we have a beagle called Waffles", "pet", "beagle called Waffles"),
        ("bought a used Kia Niro", "vehicle", "Kia Niro"),
        ("call me Bea", "name", "Bea"),
        ("I go by Fitz", "name", "Fitz"),
        ("im a plumber from cardiff", "occupation", "plumber"),
        ("hey, Marcus here", "name", "Marcus"),
        ("Evening. Liam here, 41, sparky by trade, living in Hull", "name", "Liam"),
        ("Liam here, 41, sparky by trade, living in Hull", "age", "41"),
        ("Liam here, 41, sparky by trade, living in Hull", "occupation", "sparky"),
        ("Liam here, 41, sparky by trade, living in Hull", "home", "Hull"),
        ("people call me Ziggy", "name", "Ziggy"),
        ("live in a flat in chorlton with my gf tash", "home", "chorlton"),
        ("moved in with my mum in stockport for now", "home", "stockport"),
        ("We bought the house! In Maynooth, we moved there two weeks ago.", "home", "Maynooth"),
        ("I stay in Accra with my wife and kids", "home", "Accra"),
        ("moved out of the hostel, renting a room in Legon now", "home", "Legon"),
        ("sharing a house with 3 other lads in sparkhill", "home", "sparkhill"),
        ("I've lived in Oslo since 2015", "home", "Oslo"),
        ("I live in York, in the same house we bought back in '84", "home", "York"),
        ("I work like software tester in a company that is called Brightpay", "occupation", "software tester"),
        ("I work like software tester in a company that is called Brightpay", "employer", "Brightpay"),
        ("I stopped in Leeds, now I work for Intercom", "employer", "Intercom"),
        ("from first of March I am test lead", "occupation", "test lead"),
        ("I start as a canteen manager in May", "occupation", "canteen manager"),
        ("i'm the head chef at Nopi", "occupation", "head chef"),
        ("I'm an au pair in Paris", "occupation", "au pair"),
        ("packed in deliveroo, started my own removals firm", "occupation", "own removals firm"),
        ("got an internship at mtn", "employer", "mtn"),
        ("switched from comp sci to data sci btw", "studies", "data sci"),
        ("i do law at bristol uni", "studies", "law"),
        ("i just turned forty", "age", "40"),
        ("im 28 now btw", "age", "28"),
        ("gone veggie btw, three weeks in", "diet", "vegetarian"),
        ("I am allergic for nuts, so please no nuts", "allergy", "nuts"),
        ("I have allergy of shrimp and crab", "allergy", "shrimp and crab"),
        ("i was diagnosed with asthma", "condition", "asthma"),
        ("i take ramipril every morning", "medication", "ramipril"),
        ("my doctor put me on sertraline", "medication", "sertraline"),
        ("we have got a puppy called Milo", "pet", "puppy called Milo"),
        ("We traded the Subaru in for an electric MG", "vehicle", "electric MG"),
        ("got hired by Aldi", "employer", "Aldi"),
        ("I'm doing an apprenticeship as a joiner", "occupation", "apprentice joiner"),
        ("finally got the keys to our flat in Leith", "home", "Leith"),
        ("we're living with my parents in Derby", "home", "Derby"),
        ("just bought our first house in Hull", "home", "Hull"),
        ("I'm recently divorced", "relationship", "divorced"),
        ("I'm T1 diabetic", "condition", "T1 diabetic"),
        ("our cat's called Biscuit", "pet", "cat Biscuit"),
        ("i am vegan since january, no more fish", "diet", "vegan"),
        ("quit the tasca, doing an internship at Ateliermar", "employer", "Ateliermar"),
    ],
)
def test_a_statement_fills_the_profile(said: str, name: str, value: str) -> None:
    assert profile_after(said).get(name) == value


@pytest.mark.parametrize(
    "said",
    [
        "I teach my dog new tricks at home",
        "I'm in Bristol now for a conference",
        "I started at level 3 again",
        "I'm into my second coffee already",
        "my dog Rex died last year",
        "I'm doing a cake for Bea's party",
        "I have MS Office on the laptop",
        "I have anxiety about the exam on Monday",
        "we got a seat by the window on the train",
        "I took the bus to work yesterday",
        "my brother teaches chemistry at a high school in Leeds",
        "if I lived in Oslo I would ski more",
        "I might start at Bosch next year",
        "do you think Turin is home now for Ruth?",
        "hey, problem here",
        "Hi, its broken",
        "Rome, 34, sunny",
        "My sister, 27, nurse from Leeds",
        "Hey, Berlin here we come",
        "my name is spelled Siobhan",
        "moved in with Joe in March",
        "we moved in with caution",
        "I stay in Leeds when I'm working",
        "I stay in Rome with my wife every summer",
        "we stay in a cottage in Wales until Sunday",
        "we're sharing a pizza with Joe in Porto",
        "bought a house in Porto to rent out",
        "found a flat in Leeds for my son",
        "we took a house in Porto for the summer",
        "I lived in Oslo for two years",
        "we shifted to Slack",
        "I work like a dog in summer",
        "I'm taking the lead on this",
        "I'm a former cop",
        "I'm working at the moment",
        "got a job interview at Tesco",
        "if I got a job at Tesco I'd be happy",
        "my friend got a job at Monzo",
        "I switched from history to page two",
        "I'm doing maths with my son",
        "I turned thirty pages",
        "I'm only 2 minutes away",
        "I have 7 years of experience",
        "went vegan for January once",
        "my son has an allergy of nuts",
        "I was diagnosed with flu",
        "my mum takes ramipril",
        "the doctor put my dad on metformin",
        "I'm on insulin watch for my dad",
        "got a hot dog at the fair",
        "traded my sandwich for a Twix",
        "Carol was let go by Boeing",
        "I was taken on by surprise",
        "I live with my fears in silence",
        "my cat is Persian",
        "got the keys to my sister's flat in Hull",
        "my dad is T1 diabetic",
        "my mum owns a salon",
        "I'm seeing a physio",
    ],
)
def test_a_statement_that_only_looks_like_it_fills_nothing(said: str) -> None:
    assert profile_after(said) == {}


@pytest.mark.parametrize(
    ("said", "name", "value"),
    [
        (
            ("I teach chemistry at a high school", "new job: I'm head of science at Redland Green"),
            "occupation",
            "head of science",
        ),
        (("I drive an old Skoda", "the Skoda finally died. bought a used Kia Niro"), "vehicle", "Kia Niro"),
        (("my flat is in Kreuzberg", "we're in Bristol now, new house in Bedminster"), "home", "Bristol"),
        (("I work at Siemens as a test engineer", "started at Bosch last week"), "employer", "Bosch"),
        (("I'm 40", "turned 41 yesterday"), "age", "41"),
        (("I live in a flat in Chorlton", "moved in with my mum in Stockport"), "home", "Stockport"),
        (("I take metoprolol", "Doctor switched me from metoprolol to lisinopril"), "medication", "lisinopril"),
        (("I'm vegan", "I've stopped eating crisps"), "diet", "vegan"),
        (("I live in Leeds", "moved the sofa to Hull"), "home", "Leeds"),
        (("I study hospitality", "I stopped the bar job because it's too busy"), "studies", "hospitality"),
    ],
)
def test_what_is_said_later_stands(said: tuple[str, ...], name: str, value: str) -> None:
    assert profile_after(*said).get(name) == value


def test_a_plan_that_is_cancelled_is_over_and_one_day_of_a_course_is_not() -> None:
    now = [START]
    with MemoryOS("sqlite://", embedder=None, config=MANUAL, clock=lambda: now[0]) as memory:
        for number, text in enumerate(
            (
                "We're planning Croatia in August. I have a pottery class every Tuesday evening.",
                "Croatia is cancelled, too expensive. The pottery class is cancelled this week.",
            )
        ):
            user = memory.user("ann", session_id=f"s{number}")
            user.add(text, "Noted.")
            user.end_session()
            user.consolidate()
            now[0] += timedelta(days=30)
        held = {fact.text: fact.status for fact in memory.user("ann").facts(current=False)}
    assert held["The user is planning Croatia in August."] == "superseded"
    assert held["The user has a pottery class every Tuesday evening."] == "current"


def test_a_question_gets_the_line_it_asks_for_and_no_other() -> None:
    now = [START]
    with MemoryOS("sqlite://", embedder=None, config=MANUAL, clock=lambda: now[0]) as memory:
        for number, text in enumerate(
            (
                "I teach chemistry at a high school. I drive an old Skoda. My daughter Ida has a peanut allergy.",
                "The Skoda finally died. We bought a used Kia Niro. New job: I'm head of science at Redland Green. "
                "Ida turned 9 yesterday.",
            )
        ):
            user = memory.user("ann", session_id=f"s{number}")
            user.add(text, "Noted.")
            user.end_session()
            user.consolidate()
            now[0] += timedelta(days=30)

        def known(question: str) -> list[str]:
            text = memory.user("ann", session_id="asking").recall(question, budget_tokens=200).text
            return [line[2:].split(" (")[0] for line in text.splitlines() if line.startswith("- ")]

        assert known("What car do I drive?") == ["Vehicle: Kia Niro"]
        assert known("What snack should I bring for the kids?") == ["Ida's allergy: peanut"]
        assert known("How old is Ida?")[0] == "Ida's age: 9"


def held_after(earlier: str, later: str) -> set[str]:
    """The status of each fact of the earlier of two statements, after the later one, a month later."""
    now = [START]
    with MemoryOS("sqlite://", embedder=None, config=MANUAL, clock=lambda: now[0]) as memory:
        first: set[str] = set()
        for number, text in enumerate((earlier, later)):
            user = memory.user("ann", session_id=f"s{number}")
            user.add(text, "Noted.")
            user.end_session()
            user.consolidate()
            now[0] += timedelta(days=30)
            first = first or {fact.id for fact in user.facts()}
        found: set[str] = {fact.status for fact in memory.user("ann").facts(current=False) if fact.id in first}
        assert found, "the earlier statement is a fact"
        return found


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("I work at Tesco", "I got made redundant last week"),
        ("I work at Tesco", "lost my job in march"),
        ("I have a girlfriend called Tash", "me and tash split up"),
        ("I'm learning guitar", "packed in the guitar"),
        ("im trying to learn guitar", "gave up on guitar lol, doing piano now"),
        ("I'm going to Rome in May", "we're not going to Rome after all"),
        ("I'm going to Rome in May", "Rome is off, too expensive"),
        ("planning to go to the tech summit in sept", "not going to the summit anymore"),
        ("running the manchester half on 24 may", "had to pull out of the half, knee's gone"),
        ("Our flight to Bali is booked for the 3rd of July", "We pushed Bali back to the 25th of September"),
        ("In July we will go to Gdansk", "We must change the trip to Gdansk, it will be in August"),
        ("We've got a camping trip booked up the Murray", "The Murray trip got washed out"),
        ("I drive a Polo", "the Polo is gone, got a Yaris"),
        ("I drive an i20 but traffic is bad", "Sold the i20 and got a bike"),
        ("My dog Rex is a lab", "We had to have Rex put to sleep"),
        ("My flight home is 20 june", "changed my flight, now its 15 july"),
        ("my bike is a honda pcx", "bike got nicked last week"),
        ("I take sertraline", "I'm off the sertraline now"),
        ("My dog Rex is a lab", "Rex died on friday"),
        ("I share a flat with Yaw", "Yaw moved out"),
        ("my sister Kate works at Asda", "Kate quit Asda"),
        ("my wife is Kylie, she's a dental nurse", "Kylie's gone back to uni to do teaching"),
        ("my sister amina is getting married on 12 july", "amina's wedding got pushed to 9 august"),
        ("Mia's coeliac so the house is gluten free", "Turns out Mia isn't coeliac after all"),
        ("On Thursdays I volunteer at the library", "I had to give up the library"),
    ],
)
def test_what_is_over_in_everyday_words_is_over(earlier: str, later: str) -> None:
    assert "current" not in held_after(earlier, later)


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("I work at Tesco", "my sister lost her job in March"),
        ("I have a girlfriend called Tash", "Tash and I had a fight"),
        ("I'm learning guitar", "sold my guitar case"),
        ("I play cricket on Sundays", "Finn's given cricket away"),
        ("I'm going to Rome in May", "we're not going to Milan"),
        ("I'm going to Wales in August", "I'm not going to Tom's party after all"),
        ("I'm running the marathon in May", "pulled out of the 10k"),
        ("My flight is on 3 May", "they changed Ana's flight to 5 May"),
        ("I drive a Polo", "my brother sold his Polo"),
        ("My bike is a Honda PCX", "my brother's bike got nicked"),
        ("I take metformin", "I'm off dairy"),
        ("My dog Rex is a lab", "my neighbour's dog died"),
        ("I have a daughter Mia", "put Mia to sleep at 8"),
        ("My mum is 70", "I stopped talking to my mum"),
        ("my sister Ana works at Shell", "Ana quit smoking"),
        ("I work as a nurse", "my sister's gone back to uni"),
        ("my son Leo is 11", "my nephew turned 12"),
        ("my son Leo is 11", "Leo's 12th birthday is in May"),
        ("I'm allergic to nuts", "my mum isn't allergic to nuts"),
        ("I volunteer at the library on Thursdays", "had to give up my seat on the bus"),
        ("I live in Leeds", "if we moved to Hull I'd miss it"),
        ("I'm studying law", "quit my job at the bar"),
        ("I love coffee", "The coffee is finished"),
        ("I love my garden", "The garden is finished, finally"),
    ],
)
def test_what_only_looks_like_an_end_ends_nothing(earlier: str, later: str) -> None:
    assert held_after(earlier, later) == {"current"}


@pytest.mark.parametrize(
    ("said", "profile"),
    [
        (("Ich arbeite im Krankenhaus",), {}),
        (("I live in Leeds", "We rented a cottage in Wales last summer"), {"home": "Leeds"}),
        (("I live in Leeds", "I stay in a hostel in Rome this week"), {"home": "Leeds"}),
        (("I live in Leeds", "we found a lovely place in York to eat"), {"home": "Leeds"}),
        (("I live in Leeds", "we got a house in Cornwall booked"), {"home": "Leeds"}),
        (("I live in Leeds", "I shifted to Product Marketing"), {"home": "Leeds"}),
        (("I rent a room in my house to students",), {}),
        (("I work for BBC", "I work from home in Leeds"), {"employer": "BBC", "home": "Leeds"}),
        (("I work for BBC", "I took a phone contract with O2"), {"employer": "BBC"}),
        (("I am a nurse", "I own a shop in Hull"), {"occupation": "nurse"}),
        (("I am a nurse", "I am training as a marathon runner"), {"occupation": "nurse"}),
        (("I am a teacher", "I'm a cop show addict"), {"occupation": "teacher"}),
        (("I am a teacher", "I'm a DJ on Saturdays"), {"occupation": "teacher"}),
        (("I am 34", "we have 2 years"), {"age": "34"}),
        (("I am married", "I'm finally single-handedly raising kids"), {"relationship": "married"}),
        (("I am dating Sam", "Sam and I split the rent"), {"relationship": "dating Sam"}),
        (("My kids are sick, the doctor put them on amoxicillin",), {}),
        (("my doctor put me on lisinopril",), {"medication": "lisinopril"}),
        (("My name is Ann", "hey its Paris! we just landed"), {"name": "Ann"}),
        (("My name is Ann", "Rex, 12, golden retriever, from the shelter. Is the food ok?"), {"name": "Ann"}),
        (("Sarah, 30, nurse from Leeds, is my sister",), {}),
        (("hey Claude here",), {}),
        (("My name is Im Jong-su",), {"name": "Im Jong-su"}),
        (("Live in concert tonight: Coldplay",), {}),
        (("Second year of drought here",), {}),
    ],
)
def test_what_an_attack_tried_fills_no_wrong_value(said: tuple[str, ...], profile: dict[str, str]) -> None:
    assert profile_after(*said) == profile


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("Ich arbeite im Krankenhaus", 'The user said: "Ich arbeite im Krankenhaus"'),
        ("me and the wife moved to Leeds last year", "The user and the wife moved to Leeds last year."),
        ("I need gf bread for my lunch", "The user needs gf bread for their lunch."),
        ("my wifi password is cant stop wont stop", "The user's wifi password is cant stop wont stop."),
        ("my ex wife lives in Leeds", "The user's ex wife lives in Leeds."),
        ("Miss Jones teaches my son", "Miss Jones teaches the user's son."),
    ],
)
def test_what_an_attack_tried_is_told_as_it_was_said(said: str, told: str) -> None:
    with MemoryOS("sqlite://", embedder=None, config=MANUAL, clock=lambda: START) as memory:
        user = memory.user("ann")
        user.add(said, "Thanks for telling me!")
        user.end_session()
        user.consolidate()
        assert [fact.text for fact in user.facts()] == [told]


@pytest.mark.parametrize(
    "said",
    [
        '"I live in Oslo" is what my brother says, I live in Leeds.',
        'My sister said "It is great here. I am a pilot and I live in Oslo." I live in Leeds.',
        'My friend told me: "I work as a nurse. I live in Oslo." And I live in Leeds.',
    ],
)
def test_the_words_of_others_fill_no_field(said: str) -> None:
    assert profile_after(said) == {"home": "Leeds"}


@pytest.mark.parametrize(
    "said",
    [
        "From now on I will go to bed early.",
        "I will start a diary of my travels from now on.",
        "I will start a diary of our travels with you from now on.",
        "I'll come to your concerts from now on.",
        "We are going to cook together from now on.",
    ],
)
def test_what_somebody_will_do_from_now_on_is_no_order(said: str) -> None:
    """It stood as an instruction beside every question."""
    assert kind_of(said) != "instruction"
    assert all(
        kind_of(order) == "instruction" for order in ("From now on I want you to be brief.", "From now on use SI.")
    )


@pytest.mark.parametrize(
    ("said", "profile"),
    [
        (
            ("I dont eat pork.", "I live with my mum in Leeds and see my dad at weekends."),
            {"home": "Leeds", "avoids": "pork"},
        ),
        (("We don relocate to Abuja.",), {"home": "Abuja"}),
        (("I dey work as a cook.",), {"occupation": "cook"}),
        (
            ("Myself Rohan, I am pure veg.", "I am having diabetes also, so less sugar."),
            {"name": "Rohan", "diet": "vegetarian", "condition": "diabetes"},
        ),
        (("Recently I got promoted as team lead.",), {"occupation": "team lead"}),
        (("Freelancing was fun.",), {}),
        (("We've got a whippet called Juno.", "We had to rehome Juno."), {}),
        (("omg hi im zoe and im 15",), {"name": "Zoe", "age": "15"}),
        (("I'm a joiner to trade.",), {"occupation": "joiner"}),
        (("We stay in Paisley.",), {"home": "Paisley"}),
        (("We're staying in Paisley.",), {}),
        (("We stay in bed on Sundays.",), {}),
    ],
)
def test_english_from_everywhere_fills_the_profile(said: tuple[str, ...], profile: dict[str, str]) -> None:
    found = profile_after(*said)
    found.pop("name", None) if "name" not in profile else None
    assert found == profile


def test_of_two_who_share_an_account_each_is_told_apart() -> None:
    said = (
        "Hi, I'm Margaret. My husband Alan uses this account, too.",
        "Alan here. I'm 74 and I'm on warfarin.",
        "Margaret again. I'm allergic to penicillin.",
    )
    with MemoryOS("sqlite://", embedder=None, config=MANUAL) as memory:
        user = memory.user("m", session_id="s")
        for text in said:
            user.add(text, "Noted.")
        user.end_session()
        user.consolidate()
        own = {"name": "Margaret", "allergy": "penicillin", "husband": "Alan"}
        assert {f.name: f.value for f in user.profile().fields} == own
        assert {"Alan is 74.", "Alan is on warfarin."} <= {fact.text for fact in user.facts()}


@pytest.mark.parametrize(
    ("said", "name", "called"),
    [
        (("My name is Tran Thi Hoa, you can call me Hoa.",), "Tran Thi Hoa", "Hoa"),
        (("My name is Edward Lane. Call me Ned.",), "Edward Lane", "Ned"),
        (("My name is Edward Lane.", "Please call me Dr Lane."), "Edward Lane", "Dr Lane"),
        (("My name is Edward Lane.", "Call me Ned.", "Call me Ted."), "Edward Lane", "Ted"),
        (("Call me Ned.", "My name is Edward Lane."), "Edward Lane", "Ned"),
        (("My name is Ned.", "Call me Ned."), "Ned", None),
        (("Call me Ned.",), "Ned", None),
        (("My name is Edward Lane.", "Call me tomorrow."), "Edward Lane", None),
        (("My name is Edward Lane.", "Only my mother calls me Ned."), "Edward Lane", None),
    ],
)
def test_what_somebody_is_called_takes_no_place_of_the_whole_name(
    said: tuple[str, ...], name: str, called: str | None
) -> None:
    profile = profile_after(*said)
    assert (profile.get("name"), profile.get("called")) == (name, called)


def test_who_signs_with_a_short_name_is_the_user() -> None:
    with MemoryOS("sqlite://", embedder=None, config=MANUAL) as memory:
        user = memory.user("m", session_id="s")
        for text in ("Hi, I'm Robert.", "Bob here. I'm allergic to penicillin."):
            user.add(text, "Noted.")
        user.end_session()
        user.consolidate()
        assert user.profile().get("allergy") == "penicillin"


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("I have a cat.", "The user has a cat."),
        ("I've got a dog.", "The user has got a dog."),
        ("I have a son.", "The user has a son."),
        ("I have an older brother.", "The user has an older brother."),
        ("I have kids.", "The user has kids."),
        ("I have a car.", "The user has a car."),
        ("We have a garden.", "The user has a garden."),
        ("birthday is 3rd feb", "The user's birthday is 3rd feb."),
        ("big fan of radiohead", "The user is a big fan of radiohead."),
        ("Don't send me long answers.", "The user wants the assistant to never send them long answers."),
        ("I'm unemployed.", "The user is unemployed."),
        ("I'm bilingual.", "The user is bilingual."),
        ("I'm Muslim.", "The user is Muslim."),
        ("I'm on keto.", "The user is on keto."),
        ("I'm on a low-carb diet.", "The user is on a low-carb diet."),
        ("I'm in the army.", "The user is in the army."),
    ],
)
def test_a_plain_statement_is_kept(said: str, told: str) -> None:
    """One word of content was too few, and "I have a cat." left nothing behind."""
    assert facts_after(said) == [told]


@pytest.mark.parametrize(
    "said",
    [
        "I have a question.",
        "I have a cold.",
        "I have a minute.",
        "I have a headache.",
        "I have a feeling.",
        "I have no idea.",
        "I don't know.",
        "I can't wait.",
        "I never said that.",
        "Don't send me the report yet.",
    ],
)
def test_the_shortest_of_statements_that_passes_is_not(said: str) -> None:
    assert facts_after(said) == []


@pytest.mark.parametrize(
    ("said", "profile"),
    [
        (("I have a cat.",), {"pet": "cat"}),
        (("I have a dog.", "We've got two horses."), {"pet": "dog, horses"}),
        (("I have a dog.", "My dog died last week."), {}),
        (("I'm allergic to cats.",), {"allergy": "cats"}),
        (("I have a cat allergy.",), {"allergy": "cat"}),
        (("I have a hot dog.",), {}),
        (("I ride a horse.",), {}),
        (("im vegan",), {"diet": "vegan"}),
        (("Vegetarian now.",), {"diet": "vegetarian"}),
        (("Allergic to nuts and cats, btw.",), {"allergy": "nuts, cats"}),
        (("allergic to what?", "Vegan food is great."), {}),
        (("I am Dr. Anita Desai, a cardiologist.",), {"name": "Anita Desai", "occupation": "cardiologist"}),
        (("I'm African American.", "I'm Roman Catholic.", "I'm Team Lead.", "I'm South African."), {}),
        (("im 15 and in 10th grade",), {"age": "15"}),
        (("I'm allergic to peanuts so no cookies for me.",), {"allergy": "peanuts"}),
        (
            ("I live in a retirement village near Exeter.", "I gave up driving last year."),
            {"home": "retirement village near Exeter"},
        ),
        (("I run a small pottery studio in Bend.",), {"occupation": "runs a small pottery studio"}),
        (("I have rheumatoid arthritis in my hands.",), {"condition": "rheumatoid arthritis"}),
        (
            ("I am Dr. Ann Lee, a cardiologist.", "I'm 40 years old."),
            {"name": "Ann Lee", "occupation": "cardiologist", "age": "40"},
        ),
        (("I'm 34.", "I'm 12 and in the queue."), {"age": "34"}),
        (("Allergic to nuts is my son.", "Allergic to stupid questions."), {}),
        (("I have a clothes horse.", "I run a gallery walk every Sunday."), {}),
        (("I'm a Christian.", "I'm an atheist now."), {}),
    ],
)
def test_the_shortest_of_statements_fill_the_right_field(said: tuple[str, ...], profile: dict[str, str]) -> None:
    """Who was allergic to cats had cats for a pet, and no allergy."""
    assert profile_after(*said) == profile


def test_a_statement_and_its_opposite_are_no_twins() -> None:
    """Their terms are the same, and the later one was taken for the earlier one."""
    with MemoryOS("sqlite://", embedder=None, config=MANUAL) as memory:
        for number, text in enumerate(("I have a red Skoda in my garage.", "I have no red Skoda in my garage.")):
            user = memory.user("ann", session_id=f"s{number}")
            user.add(text, "Noted.", timestamp=START + timedelta(days=number))
            user.end_session()
            user.consolidate()
        told = [fact.text for fact in memory.user("ann").facts(current=False)]
    assert told == ["The user has a red Skoda in their garage.", "The user has no red Skoda in their garage."]
