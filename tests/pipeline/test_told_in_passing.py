"""Health, work and names as people tell them in passing: what a profile and the facts make of them."""

from __future__ import annotations

import pytest

from memoryos_core import MemoryConfig, MemoryOS, WorkerConfig
from memoryos_core.rules.knowledge.restrictions import restrictions_in
from tests.pipeline.test_belongings import known_after

MANUAL = MemoryConfig(worker=WorkerConfig(mode="manual"))


def facts_after(*said: str) -> set[str]:
    """Return the texts of the facts after messages of one session, each of them answered."""
    with MemoryOS("sqlite://", embedder=None, config=MANUAL) as memory:
        user = memory.user("u", session_id="s")
        for text in said:
            user.add(text, "Noted.")
        user.end_session()
        user.consolidate()
        return {fact.text for fact in user.facts()}


@pytest.mark.parametrize(
    ("text", "allergy"),
    [
        ("coconut makes me come out in hives", "coconuts"),
        ("Kiwi and mango make me break out in a rash.", "kiwi, mango"),
        ("i come out in hives from mustard", "mustard"),
        ("Wool brings me out in a rash.", "wool"),
        ("Latex gives me a nasty rash.", "latex"),
        ("Strawberries swell up my tongue.", "strawberries"),
        ("Could be nice, but walnuts make my throat close.", "walnuts"),
        ("Coconut makes my son come out in hives.", None),
        ("The dog comes out in a rash from chicken.", None),
        ("Mustard makes me happy.", None),
        ("I never come out in hives from mustard.", None),
        ("Milk chocolate makes me think of home.", None),
    ],
)
def test_what_makes_somebody_ill_is_an_allergy(text: str, allergy: str | None) -> None:
    assert known_after(text)[1].get("allergy") == allergy


@pytest.mark.parametrize(
    ("said", "field", "value"),
    [
        (("I've got an underactive thyroid.",), "condition", "underactive thyroid"),
        (("The doctor says I have type 2 diabetes.",), "condition", "type 2 diabetes"),
        (("The company I have shares in is in trouble.",), "condition", None),
        (("I take metformin.", "I'm on Jardiance instead of metformin now."), "medication", "Jardiance"),
        (("I take metformin.", "My doc switched me to Jardiance."), "medication", "metformin, Jardiance"),
        (("I take metformin.", "They moved me to Accounts."), "medication", "metformin"),
        (("I take metformin.", "I'm on Zoom instead of Teams now."), "medication", "metformin"),
        (("I work at Shell.", "I changed jobs, now I'm at BP."), "employer", "BP"),
        (("I work at Shell.", "I have changed the firm. Now I am at Bosch in Stuttgart."), "employer", "Bosch"),
        (("I work at Shell.", "I've moved to BP as a driver."), "employer", "BP"),
        (("I work at Shell.", "My brother changed jobs. Now I am at Luton waiting for him."), "employer", "Shell"),
        (("I work at Shell.", "Now I am at Luton Airport."), "employer", "Shell"),
        (("My name is Priya Patel.", "I got married, so it's Priya Sharma now."), "name", "Priya Sharma"),
        (("My name is Priya Patel.", "My sister got married, so it's Anita Sharma now."), "name", "Priya Patel"),
        (("im veggie", "i eat fish now, doctor said my b12 was on the floor"), "diet", None),
        (("im veggie", "my brother eats fish now"), "diet", "vegetarian"),
        (("I live in Cork.", "Now I share apartment with two girls in Dundrum."), "home", "Dundrum"),
        (("No coconut tho, it makes me come out in hives.", "i started eating fish again"), "food", None),
        (("My name is Nguyen Thi Linh.", "Now I share apartment with two girls in Dundrum."), "home", "Dundrum"),
        (("my names zoe",), "name", "zoe"),
        (("My names are Zoe and Ann.",), "name", None),
        (("Hi, Walter Hutchins speaking.",), "name", "Walter Hutchins"),
        (("I'm Priya.", "Hello, Strictly speaking I am 40."), "name", "Priya"),
        (("Hi, Roughly speaking how long does it take?",), "name", None),
        (("Onions make my eyes itch when I cut them.",), "allergy", None),
        (("My name is Sheila, Sheila McBride.",), "name", "Sheila McBride"),
        (("I've put my name down for an allotment in Hove.",), "name", None),
        (("I'm allergic to bees and carry two pens.",), "allergy", "bees"),
        (("I'm allergic to codeine and was ill for a week.",), "allergy", "codeine"),
        (("Hello. Edna Birtles, aged 81, widow.",), "name", "Edna Birtles"),
        (("Hello. This is new to me. Edna Birtles, aged 81, widow.",), "age", "81"),
        (("Rory Quinn here, 44, teaching history in Sligo.",), "name", "Rory Quinn"),
        (("Let me introduce myself: Meera Nair, 39, tax adviser at Finch & Co, Goa.",), "employer", "Finch & Co"),
        (("Let me introduce myself: Meera Nair, 39, tax adviser at Finch & Co, Goa.",), "occupation", "tax adviser"),
        (("Hey, guess what. Lena Wolf, 33, was elected.",), "name", None),
        (("Our team won. Lena Wolf, 33, a sprinter from Bern.",), "name", None),
        (("Living in Cork with my wife.",), "home", "Cork"),
        (("Oban is lovely, we love living there.",), "home", "Oban"),
        (("Oban is lovely, my gran loves living there.",), "home", None),
        (("We're in a three bed house in Wigan.",), "home", "Wigan"),
        (("We're in a holiday flat in Wigan.",), "home", None),
        (("I got the job! Head teacher at Elm Road School, from May.",), "employer", "Elm Road School"),
        (("I got the job! Head teacher at Elm Road School, from May.",), "occupation", "head teacher"),
        (("He got the job! Head teacher at Elm Road School, from May.",), "employer", None),
        (("There we are. And Pepper, our rescue dog, who snores.",), "pet", "dog Pepper"),
        (("My old golden retriever Sandy is lame.",), "pet", "retriever Sandy"),
        (("We took on a kitten last week. She's called Olive.",), "pet", "kitten called Olive"),
        (("we have a cat, mango, who bites",), "pet", "cat called Mango"),
        (("My aunt adopted a cat. Her name's Olive.",), "pet", None),
        (("No fruit today. allergic to mango, as in hospital.",), "allergy", "mango"),
        (("Allergic to work is my son.",), "allergy", None),
        (("I'M A DENTAL NURSE! They rang today.",), "occupation", "dental nurse"),
        (("The BBC and the NHS and the DVLA.",), "occupation", None),
        (("We sold the Polo and took a Zoe EV.",), "vehicle", "Zoe EV"),
        (("We sold the sofa and got a rug.",), "vehicle", None),
        (("My wife Nell is a vet.",), "wife", "Nell"),
        (("My friend's wife Nell is a vet.",), "wife", None),
        (("My wife Nell is a vet.", "Nell and I got divorced."), "wife", None),
        (("My wife, Nell, is a vet.", "Nell is a teacher now."), "wife", "Nell"),
        (("My wife, Nell, is a vet.", "Nell died in May."), "wife", None),
        (("My partner, Joe, is a carpenter.", "Joe and I broke up."), "partner", None),
        (("My girlfriend Nell works at Boots.", "Nell and I have split up."), "girlfriend", None),
        (("My boyfriend Tom is a chef.", "Tom dumped me last week."), "boyfriend", None),
        (("My birthday is 3 December.",), "birthday", "3 December"),
        (("Thanks. I'm Oona, by the way. I sing.",), "name", "Oona"),
        (("ok thanks. im anika btw. i cook at a diner",), "name", "Anika"),
        (("I'm Sue.", "I'm engaged btw"), "relationship", "engaged"),
        (("I'm Sue.", "I'm left-handed, by the way. What pens are good?"), "name", "Sue"),
        (("I live in Hull.", "My sister emailed. Living in Rome with Bob."), "home", "Hull"),
        (("Living in Hope, as they say.",), "home", None),
        (("Oban is lovely and we love living in it in my game.",), "home", None),
        (("Poor Kim! She said I got the job! Nurse at Guy's.",), "employer", None),
        (("If I got the job I'd be happy. Head chef at Nobu, imagine!",), "employer", None),
        (("Have I got the job? Manager at Aldi.",), "employer", None),
        (("I have a dog. My boss came over. His name's Gary.",), "pet", "dog"),
        (("I got a puppy, brown and he bites.",), "pet", "puppy"),
        (("I have a dog. A book called Ulysses was chewed.",), "pet", "dog"),
        (("My dog Rex is back.", "Tom, my dog walker, is ill."), "pet", "dog Rex"),
        (("I drive a Golf.", "My neighbour sold the Creta and took a Nexon EV."), "vehicle", "Golf"),
        (("I scrapped my car, got a bus pass.",), "vehicle", None),
        (("I swapped my car for a week.",), "vehicle", None),
        (("I'd like to call Mum.",), "name", None),
        (("I'd prefer it if you called Dave.",), "name", None),
        (("I'd prefer to be called Dee.",), "name", "Dee"),
        (("My husband Ken died.",), "husband", None),
        (("My husband Ken is ill.", "My husband Bob is a chef."), "husband", "Bob"),
        (("ok thanks. im tired btw. i cook at a diner",), "name", None),
        (("Hello this is Walt Greer I am on the phone.",), "name", "Walt Greer"),
        (("Hello this is great news I am on the phone.",), "name", None),
        (("finally. living in fresno now w my cousin",), "home", "Fresno"),
        (("I'm allergic to kiwi bad I have a pen so what do I do",), "allergy", "kiwi"),
        (("I work at Bray Steel now like 20 hours a week.",), "employer", "Bray Steel"),
        (("We adopted a dog, brown, her name is Lola.",), "pet", "dog called Lola"),
        (("Hers, not mine, I'm allergic to dogs, I just pop a pill when I'm there.",), "allergy", "dogs"),
        (("Did I tell you I can't have gluten any more?",), "avoids", "gluten"),
        (("Did I tell you whether I can have gluten?",), "avoids", None),
        (("I got the result on Thursday, it's coeliac.",), "allergy", "gluten (coeliac)"),
        (("My son got the result on Thursday, it's coeliac.",), "allergy", None),
        (("I had the biopsy on Monday. The doctor says it's coeliac.",), "allergy", "gluten (coeliac)"),
        (("Leo was ill. The doctor said it's coeliac.",), "allergy", None),
        (("Tom's doctor says it's coeliac.",), "allergy", None),
        (("Ann's test came back, it was coeliac",), "allergy", None),
        (("My son has stomach pain. The GP thinks it's coeliac.",), "allergy", None),
        (("The GP thinks it's coeliac.",), "allergy", None),
        (("The doctor said it's coeliac, but the test was clear.",), "allergy", None),
        (("I got the quiz results: it's vegetarian",), "diet", None),
        (("Ruby comes out in a rash from strawberries.",), "allergy", None),
        (("The doctor gave me naproxen.",), "medication", "naproxen"),
        (("My GP prescribed me naproxen.",), "medication", "naproxen"),
        (("The doctor gave my mum naproxen.",), "medication", None),
        (("The nurse gave me morphine.",), "medication", None),
        (("I saw the doctor. She gave me naproxen.",), "medication", "naproxen"),
        (("My sister visited. She gave me naproxen.",), "medication", None),
        (("My sister visited.", "She gave me naproxen."), "medication", None),
        (("I'm a nurse.", "I'm a great motivator"), "occupation", "nurse"),
        (("I'm a nurse.", "I'm a good coordinator"), "occupation", "nurse"),
        (("I'm a bad navigator.",), "occupation", None),
        (("I'm a mortgage adviser.",), "occupation", "mortgage adviser"),
        (("I'm a freelance illustrator.",), "occupation", "freelance illustrator"),
        (("I'm an illustrator.",), "occupation", "illustrator"),
        (("I'm a total procrastinator.",), "occupation", None),
        (("I'm the one by the radiator.",), "occupation", None),
        (("I'm fed up with physio. I have a cold.",), "occupation", None),
        (("Name's Jamal, by the way. I like jazz.",), "name", "Jamal"),
        (("I got a dog. Name's Rex, by the way.",), "name", None),
        (("I got a puppy!", "Name's Rex, by the way."), "name", None),
        (("I got a new boss.", "Name's Rex, by the way. He is nice."), "name", None),
        (("Name's the same as my dad's.",), "name", None),
        (("We rent in Bedminster.",), "home", "Bedminster"),
        (("We rent in Bedminster and work in Bath.",), "home", "Bedminster"),
        (("I live in Leeds.", "I don't rent in Leeds, I own."), "home", "Leeds"),
        (("We rent in Cornwall, it's cheap for a weekend",), "home", None),
        (("We rent in Cornwall and go surfing",), "home", None),
        (("We rent in Euros.",), "home", None),
        (("We rent in Stages.",), "home", None),
        (("We rent in May.",), "home", None),
        (("We rent cars in Leeds every summer.",), "home", None),
        (("I've gone vegan, since May.", "I'm back to being vegetarian since the holidays."), "diet", "vegetarian"),
    ],
)
def test_the_profile_has_it(said: tuple[str, ...], field: str, value: str | None) -> None:
    assert known_after(*said)[1].get(field) == value


@pytest.mark.parametrize(
    ("held", "news", "over"),
    [
        ("I have two cats.", "one of the cats died", False),
        ("I have three chickens.", "A fox got one of our chickens, she died.", False),
        ("I have two cats.", "Both cats died last winter.", True),
        ("I drive a Silverado.", "I sold my truck to Harlan's grandson.", True),
        ("I drive a Corsa.", "I sold my car.", True),
        ("I ride a Vespa.", "I sold my truck.", False),
        ("I drive a Silverado.", "My brother sold his truck.", False),
        ("My dad is in hospital.", "Dad passed on the 11th.", True),
        ("My dad is in hospital.", "Dad passed his driving test.", False),
        ("My dad is in hospital.", "Mum passed away last night.", False),
        ("My boss is Hilde.", "I report to Marc now.", True),
        ("All our plans are in Asana.", "At work we shifted everything from Asana to Linear.", True),
        ("All our plans are in Asana.", "At work we shifted the sofa from hall to kitchen.", False),
        ("My boss is Hilde.", "The deputy reports to Marc now.", False),
        ("Our midwife is ms holt.", "ms holt has left so our midwife is ms young now.", True),
        ("I'm off cheese.", "I'm eating cheese again.", True),
        ("My boss is Hilde.", "I report to God.", False),
        ("I use Evernote.", "My brother moved everything from Evernote to Notion.", False),
        ("I use Evernote.", "I moved everything from Evernote to Notion.", True),
        ("I take Concerta 36mg.", "His Concerta went up to 54mg.", False),
        ("I take Lyrica 75mg.", "The doctor thinks about moving me up to Lyrica 150mg.", False),
        ("I take Lyrica 75mg.", "My level was still too high, so they bumped my Lyrica to 150mg.", True),
        ("I take Lyrica 75mg.", "I saw a neurologist and the Lyrica is now 150mg, not 75.", True),
        ("Rent is 900 a month.", "Rent is 950 now, not 900.", True),
        ("Rent is 900 a month.", "Her rent went up to 1100 now.", False),
        ("My rent is 850.", "If rent goes up to 1000 I'm moving out.", False),
        ("My pension is 900.", "The state pension is going up to 1000.", False),
        ("I weigh 11 stone.", "At school I weighed 9 stone.", False),
        ("I have a lesson with Sam on 3 May.", "Sam moved me to tears, it's the 3rd time now.", False),
        ("I'm allergic to walnuts.", "I'm not allergic to dogs after all, it's pollen.", False),
        ("I'm allergic to walnuts.", "I'm NOT allergic to walnuts after all.", True),
        ("I'm allergic to walnuts.", "I'm not allergic to anything after all.", True),
        ("I'm allergic to walnuts.", "They tested me and it turns out that I am not allergic to walnuts.", True),
        ("I went sugar free in May.", "I'm back on sugar.", True),
        ("I don't drink wine.", "My brother is drinking wine again.", False),
        ("I don't drink wine.", "I can eat cheese again.", False),
        ("I'm vegetarian.", "I caved. It's chicken twice a week now, doctor's orders", True),
        ("I'm vegetarian.", "ok I caved, had bacon", True),
        ("I'm vegetarian.", "back on meat since easter", True),
        ("I'm vegetarian.", "He caved. It's chicken twice a week now.", False),
        ("I'm vegetarian.", "I caved. My wife had bacon.", False),
        ("I'm vegetarian.", "I caved and had wine", False),
    ],
)
def test_what_ends_and_what_stays(held: str, news: str, *, over: bool) -> None:
    ended, _ = known_after(held, news)
    assert bool(ended) == over, ended


@pytest.mark.parametrize("name", ["Ada", "Ada Keane", "Agnes Ellis", "Dr. Ada Keane"])
@pytest.mark.parametrize(
    ("held", "news"),
    [
        ("I'm dating Lucy.", "I broke up with Lucy."),
        ("I gave up coffee.", "I'm drinking coffee again."),
        ("My boss is Hilde.", "I report to Marc now."),
        ("I work as a nurse at Elmhurst.", "I left Elmhurst in May."),
    ],
)
def test_who_gives_a_full_name_is_understood_as_well(name: str, held: str, news: str) -> None:
    ended, _ = known_after(f"Hi, I'm {name}.", held, news)
    assert ended


@pytest.mark.parametrize(
    "said",
    [
        "My uncle wrote: 'I have sold the farm, my last day is Friday, and I live in Spain now.' So that's that.",
        "A man in the paper says, 'I gave up meat at sixty and I'm a vegan.' Good for him.",
        "a girl on my course posted ‘we live in spain now and i’m vegan!!’ and i laughed",
    ],
)
def test_words_of_others_in_single_marks_are_not_the_users(said: str) -> None:
    with MemoryOS("sqlite://", embedder=None) as memory:
        user = memory.user("k", session_id="s")
        user.add(said, "ok")
        user.end_session()
        memory.flush()
        told = [fact.text for fact in memory.user("k").facts()]
        assert not {"home", "diet", "occupation"} & {field.name for field in memory.user("k").profile().fields}
    assert not [fact for fact in told if fact.startswith("The user ") and "“" not in fact and '"' not in fact], told


def test_own_words_in_single_marks_are_the_users() -> None:
    assert known_after("I told them 'I live in Cork now'.")[1].get("home") == "Cork"


@pytest.mark.parametrize(
    ("said", "facts"),
    [
        (("Ruby comes out in a rash from strawberries.",), {"Ruby is allergic to strawberries."}),
        (
            ("My daughter Ruby broke out in hives after eating prawns.",),
            {"The user's daughter Ruby is allergic to prawns."},
        ),
        (("My son reacts badly to eggs, so no cake.",), {"The user's son is allergic to eggs."}),
        (
            ("Leo had a reaction to cashews this time.", "The tests: it's peanuts, cashews and pistachios."),
            {"Leo is allergic to peanuts.", "Leo is allergic to cashews.", "Leo is allergic to pistachios."},
        ),
        (
            ("I had a bad reaction to prawns.", "The results are back and it's prawns and crab."),
            {"The user is allergic to prawns.", "The user is allergic to crab."},
        ),
        (("Hers, not mine, I'm allergic to dogs, I just pop a pill.",), {"The user is allergic to dogs."}),
        (("Did I tell you I can't have gluten any more?",), {"The user doesn't eat gluten."}),
        (("I got the result on Thursday, it's coeliac.",), {"The user is coeliac."}),
        (("Did I tell you that we've moved to York?",), {"The user has moved to York."}),
        (("Did I tell you I live in York? I love it.",), {"The user lives in York."}),
        (("Did I tell you my sister moved to York?",), {"The user's sister moved to York."}),
        (("Have I told you my dog's ill?",), {"The user's dog's ill."}),
    ],
)
def test_what_makes_somebody_ill_is_told_as_their_allergy(said: tuple[str, ...], facts: set[str]) -> None:
    assert facts <= facts_after(*said)


@pytest.mark.parametrize(
    "said",
    [
        ("Tom had a reaction to the news.", "The tests: all fine."),
        ("I had the tests.", "The tests: 20 questions about nuts."),
        ("Everyone had a reaction to the nuts.",),
        ("Leo never had a reaction to nuts.",),
        ("Leo came out in hives from nuts as a baby.",),
        ("My cat had a reaction to the fish.",),
        ("Tom reacts badly to fish jokes.",),
        ("My son had a reaction to the eggs scene in the film.",),
        ("I had a reaction to the eggs scene in the film.",),
        ("Did I tell you about my dog?",),
        ("Did I mention whether I live in Ely?",),
        ("Have I told you that I live in Ely or in Hull?",),
        ("Did I tell you I live in Ely? I don't think so.",),
        ("Have I told you I live in Ely, because I don't?",),
        ("Did I tell you I work in Ely, and if so when?",),
        ("Did I tell you my dog's name already?",),
        ("Did I tell you my dog size?",),
        ("Did I tell you our plan for Ely?",),
    ],
)
def test_what_makes_nobody_ill_is_no_allergy(said: tuple[str, ...]) -> None:
    facts = facts_after(*said)
    assert not [text for text in facts if "allergic" in text or "Ely" in text or "dog" in text]


@pytest.mark.parametrize(
    ("said", "fact"),
    [
        (("I'm giving up the running. Swimming instead.",), "The user is swimming instead."),
        (("I split up with Tanya, so I'm single.",), "The user split up with Tanya, so they are single."),
        (("My partner, Joe, is a carpenter.",), "The user's partner is called Joe."),
        (("My partner, Joe, would need to get a visa, he's a carpenter.",), "The user's partner is called Joe."),
        (
            ("My girlfriend Ana works at Boots.", "Ana left Boots and works at Dell now."),
            "The user's girlfriend is called Ana.",
        ),
        (
            ("My partner, Joe, is a carpenter.", "Joe and I decided to stay together. He's started at a workshop."),
            "The user's partner is called Joe.",
        ),
    ],
)
def test_a_clause_is_completed_as_it_was_meant(said: tuple[str, ...], fact: str) -> None:
    assert fact in facts_after(*said)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("Ruby comes out in a rash from strawberries.", ["Ruby is allergic to strawberries."]),
        ("My sister comes out in hives when she eats nuts.", ["My sister is allergic to nuts."]),
        ("Everyone comes out in a rash from nuts.", []),
        ("Ruby reacts badly to change.", []),
        ("Ruby came out in a rash.", []),
    ],
)
def test_whom_a_food_makes_ill_is_allergic_to_it(said: str, told: list[str]) -> None:
    assert list(restrictions_in(said)) == told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Dear me, I have lost my library card again.", "The user has lost their library card again."),
        ("Oh silly me, I forgot my nephew's recital on Sunday.", "The user forgot their nephew's recital on Sunday."),
        ("I left my umbrella at the dentist, poor me.", "The user left their umbrella at the dentist."),
        ("I wanted to study in Leuven, but there you go.", "The user wanted to study in Leuven."),
        ("I might move to Tromsø one day, you never know.", "The user might move to Tromsø one day."),
        (
            "I love Ghent because you can cycle everywhere.",
            "SAID",
        ),
        ("I hate jobs where you stand all day.", "SAID"),
        (
            "I prefer Bilbao since you pay less rent there.",
            "SAID",
        ),
        ("I like it when you explain things slowly.", "The user likes it when the assistant explains things slowly."),
        ("I like that you can read my files.", "The user likes that the assistant can read their files."),
        (
            "I'm a welder at Arkona, a supplier in Kiel.",
            "The user works at Arkona, a supplier in Kiel.",
        ),
        ("I'm a baker at The Crumb, a cafe in Hove.", "The user works at The Crumb, a cafe in Hove."),
        ("I'm a cook, a father of two.", "The user is a father of two."),
        (
            "My neighbour gave me and my son her kayak.",
            "The user's neighbour gave them and their son her kayak.",
        ),
    ],
)
def test_a_cry_anybody_and_a_firm_are_not_the_user_and_not_the_assistant(text: str, told: str) -> None:
    holding = facts_after(text)
    assert told.replace("SAID", f'The user said: "{text}"') in holding
    assert not any("the user," in text.lower() or "is a cafe" in text or "is a supplier" in text for text in holding)


def _told_behind(first: str, then: str) -> set[str]:
    return facts_after(first, then) - facts_after(first)


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("Ada says I can rent her attic in Hove from 3 June", "420 a month all in"),
        ("I start at the bakery in May", "31k, Monday to Thursday"),
        ("My dentist appointment is booked", "24th april at 3pm"),
        ("I left my job at the mill", "11 years"),
    ],
)
def test_what_says_nothing_alone_is_quoted_with_what_was_said_before(first: str, then: str) -> None:
    assert _told_behind(first, then) == {f'After "{first}", the user said: "{then}"'}


@pytest.mark.parametrize(
    "text",
    [
        "420 a month all in.",
        "3 on 3 off, 10 hr.",
        "Snores like a tractor.",
        "From now on.",
        "Now all rows that end in Paris.",
        "Lentil soup recipe plz for 6.",
        "Dinner ideas for 2, no fish.",
        "Yeah thought so, for the ankle.",
    ],
)
def test_what_says_nothing_alone_is_no_fact(text: str) -> None:
    assert facts_after(text) == set()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Applied for a flat in Hove.", "The user applied for a flat in Hove."),
        ("Told my boss I'm leaving in May.", "The user told their boss they are leaving in May."),
        ("Dentist 24th april 3pm.", "Dentist 24th april 3pm."),
        ("2 years sober today!", "2 years sober today!"),
        ("Drinks with Bob on Friday at 8.", "Drinks with Bob on Friday at 8."),
        ("Now all the kids are at the new school in Hove.", "Now all the kids are at the new school in Hove."),
        ("Told me I need an MRI.", "Told the user the user needs an MRI."),
        ("I have an idea for a novel about bees.", "The user has an idea for a novel about bees."),
    ],
)
def test_what_says_enough_alone_is_a_fact(text: str, told: str) -> None:
    assert told in facts_after(text)
