"""The facts that a page states, by rules: one table of sentences, hostile texts, determinism."""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator
from datetime import date, datetime, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryos_core.extract.findings import FoundFact
from memoryos_core.extract.statements import facts_of_page
from memoryos_core.rules.knowledge.slots import slots_of
from memoryos_core.values.dialogue import Message, Page
from memoryos_core.values.facts import About

NOW = datetime(2025, 6, 3, 10, tzinfo=timezone.utc)
ALONE: dict[About, str] = {"user": "Tom"}
BOTH: dict[About, str] = {"user": "Tom", "assistant": "Ana"}


def read(user: str, answer: str = "", names: dict[About, str] | None = None) -> list[FoundFact]:
    messages = (Message("user", user), Message("assistant", answer))
    page = Page("p1", "s1", 0, messages, NOW)
    return facts_of_page(page, ALONE if names is None else names)


@pytest.mark.parametrize(
    ("said", "kind", "text"),
    [
        ("Hi! I'm Tom, I work as a potter in Graz.", "identity", "Tom works as a potter in Graz."),
        ("I'm allergic to sesame.", "identity", "Tom is allergic to sesame."),
        ("I'm vegan.", "identity", "Tom is vegan."),
        ("My favourite dish is ramen.", "preference", "Tom's favourite dish is ramen."),
        ("Oh, and I really love rowing!", "preference", "Tom really loves rowing!"),
        ("I'd rather take the train than fly.", "preference", "Tom would rather take the train than fly."),
        ("My friend Will and I love hiking.", "preference", "Tom's friend Will and Tom love hiking."),
        ("My wife Anna and I love hiking.", "preference", "Tom's wife Anna and Tom love hiking."),
        ("My dog is called Rex.", "possession", "Tom's dog is called Rex."),
        ("I have two canoes and a kayak.", "possession", "Tom has two canoes and a kayak."),
        ("My sister Imogen teaches chemistry.", "relation", "Tom's sister Imogen teaches chemistry."),
        ("We moved to Porto last week.", "change", "Tom moved to Porto last week."),
        ("I no longer eat meat.", "change", "Tom no longer eats meat."),
        ("Imogen moved the wedding to 30 August.", "change", "Imogen moved the wedding to 30 August."),
        ("Just finished a marathon in Vienna!", "event", "Tom just finished a marathon in Vienna!"),
        ("I've carried water to the hut since 2019.", "event", "Tom has carried water to the hut since 2019."),
        ("I'm going to paint the fence in May.", "plan", "Tom is going to paint the fence in May."),
        ("Remind me to call the dentist tomorrow.", "plan", "Tom wants to be reminded to call the dentist tomorrow."),
        ("Let's take the night train to Vienna.", "plan", "Tom wants to take the night train to Vienna."),
        ("The flat has 3 rooms, and I'm alone.", "state", "The flat has 3 rooms, and Tom is alone."),
        ("I can't eat gluten.", "identity", "Tom can't eat gluten."),
        ("The wedding is in Kent and I'm best man.", "state", "The wedding is in Kent and Tom is best man."),
        ("The bus takes an hour and I need a book.", "event", "The bus takes an hour and Tom needs a book."),
        ("I'd just like a quiet flat in Graz.", "state", "Tom would just like a quiet flat in Graz."),
        ("I'd always wanted a canoe.", "event", "Tom had always wanted a canoe."),
        ("One thing for your notes: I'm vegan.", "identity", "Tom is vegan."),
        ("Other news: my sister Imogen moved to Kent.", "change", "Tom's sister Imogen moved to Kent."),
        ("No more window seats, please.", "state", "Tom wants no more window seats, please."),
        ("So not vegetarian any more, strictly.", "identity", "Tom is not vegetarian any more, strictly."),
        ("I sold three prints of 'Grey Heron'.", "event", "Tom sold three prints of 'Grey Heron'."),
    ],
)
def test_a_statement_becomes_a_fact_in_the_third_person(said: str, kind: str, text: str) -> None:
    assert [(f.about, f.kind, f.text, f.page_ids) for f in read(said)] == [("user", kind, text, ("p1",))]


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("Please always answer in bullet points.", "Tom wants the assistant to always answer in bullet points."),
        ("Never call me before nine.", "Tom wants the assistant to never call them before nine."),
        (
            "Always cite sources when I ask about law.",
            "Tom wants the assistant to always cite sources when they ask about law.",
        ),
        (
            "Can you keep your replies short from now on?",
            "Tom wants the assistant to keep the assistant's replies short.",
        ),
        ("From now on could you call me Tommy?", "Tom wants the assistant to call them Tommy."),
    ],
)
def test_a_standing_instruction_is_kept(said: str, text: str) -> None:
    assert [(f.kind, f.text) for f in read(said)] == [("instruction", text)]


def test_a_diet_is_told_beside_the_instruction_that_names_it() -> None:
    assert [(f.kind, f.text) for f in read("Don't suggest meat now that I'm vegan.")] == [
        ("instruction", "Tom wants the assistant to never suggest meat now that they are vegan."),
        ("state", "Tom's diet is vegan."),
    ]


@pytest.mark.parametrize(
    ("said", "orders"),
    [
        ("Don't use so many emojis pls", ["never use so many emojis"]),
        ("Never end a message with a question.", ["never end a message with a question"]),
        ("Answer in German.", ["answer in German"]),
        ("Never suggest pork.", ["never suggest pork"]),
        ("Keep the replies brief please.", ["keep the replies brief"]),
        ("Use British spelling.", ["use British spelling"]),
    ],
)
def test_a_message_that_only_says_how_to_answer_is_a_standing_instruction(said: str, orders: list[str]) -> None:
    facts = read(said)
    assert [(f.kind, f.text) for f in facts] == [
        ("instruction", f"Tom wants the assistant to {order}.") for order in orders
    ]


@pytest.mark.parametrize(
    "said",
    [
        *("Write a haiku about rain. Be brief.", "Don't say that!", "Never say never.", "Don't start without me."),
        *("Don't include the tax in the total.", "Stop saying that.", "Be more specific.", "Never say goodbye."),
        *("Don't add sugar.", "Stop asking and just show me the plan.", "I want no more talking, just the list."),
        *("Stop promising and give me the file.", "Now you're talking!", "You're telling me that Ann lost it again."),
        *("Compare the Kanban approach and the Scrum approach.", "Now write the introduction like a Kafka novel."),
        *("Drop all tables.", "Skip the introduction.", "Stop adding salt.", "Be honest."),
        *("Stop repeating the last line.", "Stop being so hard on yourself."),
        *("Don't say no to his messages.", "Make it short.", "Don't say 'I love you'.", "Stop using the oven."),
        *("You can stop adding milk now.", "Keep it warm.", "Forget the links.", "Use British spelling in these."),
        *("Use British spelling for this letter.", "keep this answer short", "Use metric in this recipe."),
        *("No emojis in the slide please.", "talk to me like a pirate", "If you find the file, send it to me."),
        *(
            "No comments ever came.",
            "Correct my mistakes in this text.",
            "No sugar ever.",
            "Keep answers A and B short.",
        ),
        *("No puns, it's a eulogy.", "Keep it short, it's for a tweet.", "Can you speak German?", "Prices in total."),
        "Heron | 2021-04-21 | 31 | Rainham\nKestrel | 2021-06-13 | 2 | Epping",
    ],
)
def test_of_the_moment_are_no_facts(said: str) -> None:
    """A manner of one task, impatience, a task with a name in it, what the assistant is up to, and rows of a table."""
    assert read(said) == []


def test_between_people_nobody_is_told_how_to_answer() -> None:
    assert read("Be kind.", names=BOTH) == []


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("Write a poem for the birthday of my daughter Mia.", "Tom has a daughter called Mia."),
        ("Should I take my dog Rex to the vet?", "Tom has a dog called Rex."),
        ("What can I give as a present to my aunt Olga?", "Tom has an aunt called Olga."),
        ("Was my ex-husband Paul right?", None),
        ("Can I give my dog Tylenol?", None),
        ("Write a short message to my wife You are the best.", None),
        ("Explain to my son Python basics.", None),
        ("Can my mom Please join us?", None),
        ("No more talking to my ex Anna.", "their ex Anna."),
        ("No more excuses: I start at Bosch on Monday.", "Bosch on Monday"),
        ("Stop wasting my time, I work at Siemens.", "Siemens"),
        ("Stop suggesting peanut dishes, I'm allergic to peanuts.", "allergic to peanuts"),
        ("Be brief, I'm dyslexic.", "dyslexic"),
        ("Find a keto lunch near Porto, I live there.", "Porto"),
        ("No more questions, we live in Graz with two kids.", "Graz"),
        ("Where I work, we have 30 employees.", None),
        ("Can you help my daughter Netflix on her phone?", None),
        ("You're telling me the flight is at 7, I booked it for 9.", "9"),
        ("My socials: insta | twitter | github | I live in Graz.", "Graz"),
        ("What should I bring my kids Ann and Ben?", None),
        ("Act as Dr. Sharma and start the art course.", "The assistant is Dr. Sharma."),
        ("We're a family of five.", "Tom has a family of five."),
        ("Mia's pregnant.", "Mia's pregnant."),
        ("I prefer tea over coffee.", "Tom prefers tea over coffee."),
        ("Grandpa had a stroke.", "Tom's grandpa had a stroke."),
        ("I have prediabetes.", "Tom has prediabetes."),
        ("I'm graduating in May.", "Tom is graduating in May."),
        ("what's a good cheap meal, im broke n allergic to peanuts", "Tom is broke and allergic to peanuts."),
        ("I should have mentioned that I can't stand coriander.", "Tom can't stand coriander."),
        ("Everyone has covid.", None),
        ("The Lidl leaflet is there. I need to read it by Friday.", "The Lidl leaflet is there. Tom needs to"),
    ],
)
def test_few_words_that_tell_of_somebody_are_kept(said: str, text: str | None) -> None:
    told = " ".join(fact.text for fact in read(said))
    assert told == "" if text is None else text in told


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("Finally upgraded to the iPhone 15, any settings I should change", "Tom upgraded to the iPhone 15."),
        ("bought a 2014 civic off my cousin, what should i check", "Tom bought a 2014 civic off their cousin."),
        ("we renting a flat in Harehills", "Tom is renting a flat in Harehills."),
        ("I just moved to Bergen, any tips for rainy days?", "Tom just moved to Bergen."),
        ("I want to learn the trumpet, is that daft at my age?", "Tom wants to learn the trumpet."),
        (
            "My vet is putting us on raw food from May, anything to watch?",
            "Tom's vet is putting them on raw food from May.",
        ),
        ("The council is cutting my benefits in May, thoughts?", "The council is cutting Tom's benefits in May."),
        ("We have two cats, which vacuum is best?", "Tom has two cats."),
        ("My son Ivo loves chess, which club takes kids?", "Tom's son Ivo loves chess."),
        ("My wife Ana is pregnant, which cheeses can she eat?", "Tom's wife Ana is pregnant."),
        ("I've booked Rome for May, isn't it too hot then?", "Tom has booked Rome for May."),
        ("I start at the mill on Monday, when should I get up?", "Tom starts at the mill on Monday."),
        ("We have a house in Hull, which is cold.", "Tom has a house in Hull, which is cold."),
        ("I have joined the choir, would you believe, on Tuesdays.", "Tom has joined the choir on Tuesdays."),
        ("me and Maya broke up :( how do i get over it", "Maya and Tom broke up."),
        (
            "I teach people how to cook, how to bake and how to clean.",
            "Tom teaches people how to cook, how to bake and how to clean.",
        ),
        ("I should mention my allergy to the chef.", "Tom should mention their allergy to the chef."),
        ("I forgot to say goodbye to my mum Anna.", "Tom forgot to say goodbye to their mum Anna."),
        ("My drive is D:/ and it has 2 TB.", "Tom's drive is D:/ and it has 2 TB."),
        (
            "I never made the trip in May, what with Ana being in hospital.",
            "Tom never made the trip in May, what with Ana being in hospital.",
        ),
    ],
)
def test_a_fact_has_no_question_behind_it(said: str, text: str) -> None:
    assert [fact.text for fact in read(said)] == [text]


@pytest.mark.parametrize(
    ("said", "texts"),
    [
        ("our cat Moth ate a ribbon do i need to worry", ["Tom's cat Moth ate a ribbon."]),
        (
            "my rent in Graz went up 10% in May can they do that",
            ["Tom's rent in Graz went up 10% in May.", "Tom lives in Graz."],
        ),
        ("I told Ann what should I do in Graz", ['Tom said: "I told Ann what should I do in Graz"']),
        ("My sister Ann loves Graz and so do I", ['Tom said: "My sister Ann loves Graz and so do I"']),
    ],
)
def test_a_question_without_a_mark_is_no_part_of_the_statement(said: str, texts: list[str]) -> None:
    assert [fact.text for fact in read(said)] == texts


@pytest.mark.parametrize(
    ("said", "texts"),
    [
        ("guess who made the county netball team ME", ["Tom made the county netball team."]),
        ("guess who passed their driving test!! me", ["Tom passed their driving test."]),
        ("Guess who's pregnant? Me!", ["Tom is pregnant."]),
        ("i not drink alcohol, it is 5 years now", ["Tom doesn't drink alcohol, it is 5 years now."]),
        ("I not like the new flat in Graz.", ["Tom doesn't like the new flat in Graz."]),
    ],
)
def test_what_is_told_in_a_roundabout_way_is_told_plainly(said: str, texts: list[str]) -> None:
    assert [fact.text for fact in read(said)] == texts


@pytest.mark.parametrize(
    "said",
    [
        "What's best for cats, is it dry food?",
        "If I moved to Bergen, what should I do?",
        "As my boss says, what now?",
        "The one in Graz on Main Street, is it open?",
        "A flat for 900 in Leeds, is that cheap?",
        "I need a recipe for two, any ideas?",
        "If I moved to Bergen, which area is best?",
        "Suppose we have two cats, which vacuum is best?",
        "Which of the two, the red or the blue, is warmer?",
        "Did I tell you about Ana, who is pregnant, and is that fine?",
    ],
)
def test_what_is_only_asked_is_no_fact(said: str) -> None:
    assert read(said) == []


def test_a_name_begins_a_sentence_with_a_capital() -> None:
    texts = [f.text for f in read("The blue ones from Ikea. I need them by Friday.", names={})]
    assert texts == ["The blue ones from Ikea. The user needs them by Friday."]


def test_who_is_named_by_the_way_is_a_fact_of_its_own() -> None:
    texts = [f.text for f in read("I live in Lisbon with my cat Moth.")]
    assert texts == ["Tom lives in Lisbon with their cat Moth.", "Tom has a cat called Moth."]
    assert len(read("I live in Lisbon with my kids Ann and Ben.")) == 1


def test_two_states_of_one_short_sentence_are_two_facts() -> None:
    texts = [f.text for f in read("I live in Lisbon and I work as a harbour pilot.")]
    assert texts == ["Tom lives in Lisbon.", "Tom works as a harbour pilot."]


def test_a_role_is_a_fact_about_the_assistant() -> None:
    (fact,) = read("You are a strict tutor called Ada.")
    assert (fact.about, fact.kind, fact.text) == (
        "assistant",
        "identity",
        "The assistant is a strict tutor called Ada.",
    )


@pytest.mark.parametrize(
    "said",
    [
        "Thanks!",
        "Hello there, how are you?",
        "What's the capital of Peru?",
        "That's so cool!",
        "It was amazing.",
        "They said so.",
        "Here's my current code:",
        "total = add(first, second)",
        "```python\nI live in code.\n```",
        "Can you help me with this?",
        "I'm so happy for you!",
        "I hope it goes well.",
        "I'll keep that in mind.",
        "",
        "   \n\t ",
    ],
)
def test_talk_code_and_questions_are_no_facts(said: str) -> None:
    assert read(said, names=BOTH) == []


@pytest.mark.parametrize(
    "said",
    [
        "Describe the rules of chess.",
        "Now give me five names for a boat.",
        "I'd like you to make a shorter list.",
        "I want to get that going.",
        "I can't wait to see your new oven.",
        "I'm so excited and thankful!",
        "I'll tell you when I'm back from the shop.",
        "Like I said, the boat is green.",
        "As long as it stays this simple, that works.",
        "You write the best poems.",
        "A heron is a bird. It eats fish. Herons nest in trees. The nest is large. Some herons are grey. "
        "Others are white. In spring the herons build. The eggs are blue. A young heron is brown.",
        "Could you tell me what happens to pensions from now on?",
        "Will you be cheaper in future?",
        "Don't suggest anything yet.",
        "Don't book it yet, I need to ask Ann first.",
        "Don't tell me you're working on it, just give me the list now.",
        "Plan please.",
        "Read me the poem about the heron.",
        "Sing me a song about Graz.",
        "knit me well no tell me how to knit a scarf for a newborn",
        "Solve 4x+3=19 and show working",
        "Sign it for me, Tom Berger, 12 Mill Lane.",
        "Guess who made the county team.",
        "guess what Ann said in Graz",
    ],
)
def test_tasks_replies_and_texts_of_others_are_no_facts(said: str) -> None:
    """A task for now, an answer to what was said, a thing that no word names, and a text that was pasted."""
    assert read(said) == []


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("My guy, I sold the van.", "Tom sold the van."),
        ("Reckon I need a new roof.", "Tom needs a new roof."),
        (
            "I want you to send the wedding list to Imogen.",
            "Tom wants the assistant to send the wedding list to Imogen.",
        ),
        ("Two eggs and a bowl of rice for breakfast, I keep it at that since May.", "May"),
    ],
)
def test_what_is_named_stays(said: str, text: str) -> None:
    """A task that names somebody tells of the speaker, and so does what has a number or a time."""
    assert any(text in fact.text for fact in read(said))


def test_a_request_keeps_what_it_tells_of_the_speaker() -> None:
    texts = [f.text for f in read("Can you suggest a dinner, since I prefer vegetarian food?")]
    assert texts == ["Tom prefers vegetarian food."]
    long = (
        "I'm trying to build a kiln controller with Arduino 2.3, and I have a deadline of 4 July, "
        "can you help me choose a sensor?"
    )
    assert [f.text for f in read(long, names={})] == [
        "The user is trying to build a kiln controller with Arduino 2.3, and they have a deadline of 4 July."
    ]


def test_a_list_belongs_to_its_lead() -> None:
    (fact,) = read("My lift numbers this week are:\n- squat 120 kg\n- bench 95 kg")
    assert fact.text == "Tom's lift numbers this week are: squat 120 kg; bench 95 kg."


def test_a_sentence_that_hangs_joins_the_one_before_it() -> None:
    (fact,) = read("I bought a cello from Marta. It has a carved lion's head.")
    assert fact.text == "Tom bought a cello from Marta. It has a carved lion's head."


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("Building this boat isn't a hobby, it keeps Graz alive.", None),
        ("Renting a shop and taking risks is both scary and rewarding in Graz.", None),
        ("Considering factors like price, size and the location is a smart approach in Graz.", None),
        ("Working on a boat that is due in May.", "Tom is working on a boat that is due in May."),
        ("Been a long road since the surgery in May, but I row in Graz again.", None),
        ("Been sick all week in Graz.", "Tom has been sick all week in Graz."),
        ("Took some patience, but I finally baked sourdough in Graz.", None),
        ("Took two days off in May.", "Tom took two days off in May."),
        ("Bought me a new Honda in May.", "Tom bought them a new Honda in May."),
        ("Plan to visit Graz in May.", "Tom plans to visit Graz in May."),
        ("Broke my ankle in May.", "Tom broke their ankle in May."),
        ("Just dyed our curtains in Graz.", "Tom just dyed their curtains in Graz."),
        ("Fell off my bike in Graz.", "Tom fell off their bike in Graz."),
        ("Feed my cat in May.", "Feed Tom's cat in May."),
        ("Based on my notes Graz is the place.", "Based on Tom's notes Graz is the place."),
        ("Reading, walking and treating yourself to cake all sound like a good Sunday in Graz.", None),
    ],
)
def test_an_i_is_written_only_where_one_was_left_out(said: str, text: str | None) -> None:
    told = [fact.text for fact in read(said, names=BOTH)]
    if text is None:
        assert not any(fact.startswith(("Tom is", "Tom has been a long", "Tom took some")) for fact in told)
    else:
        assert told == [text]


@pytest.mark.parametrize(
    "said",
    [
        "We both painted the boat in Graz.",
        "We're all nature lovers, so Banff was perfect for us.",
        "We trust and rely on one another at the club in Graz.",
        "We were teammates in Graz for four years.",
    ],
)
def test_what_several_are_is_not_told_of_one(said: str) -> None:
    assert [fact.text for fact in read(said)] == [f'Tom said: "{said}"']


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("You won't believe it - I met Steffi Graf in Graz yesterday!", "Tom met Steffi Graf in Graz yesterday!"),
        ("As for me, I sold three boats in Graz.", "Tom sold three boats in Graz."),
        ("Since I'm vegan I cook at home in Graz.", "Tom is vegan, so they cook at home in Graz."),
        ("I use their no. 4 oil from Graz.", "Tom uses their no. 4 oil from Graz."),
        ("On another note, I sold three boats in Graz.", "Tom sold three boats in Graz."),
        ("A buddy of mine adopted a dog in Graz last year.", "A buddy of Tom's adopted a dog in Graz last year."),
        (
            "When I was ten years old and lived in Graz, my father taught me to row on the river.",
            "When Tom was ten years old and lived in Graz, their father taught them to row on the river.",
        ),
        (
            "By the way, when I was ten years old and lived in Graz, my father taught me to row on the river.",
            "When Tom was ten years old and lived in Graz, their father taught them to row on the river.",
        ),
    ],
)
def test_a_fact_begins_with_what_it_tells(said: str, text: str) -> None:
    assert [fact.text for fact in read(said, names=BOTH)] == [text]


@pytest.mark.parametrize(
    "said",
    [
        "Don't be afraid of the deep water in Graz.",
        "For your first yoga class, remember to drink a lot of water.",
        "Little acts of kindness can have a big effect on people.",
        "Nine hours of lessons must have been intense!",
        "You captured the sunset over the old bridge perfectly, so peaceful!",
        "Last time we saw each other you wore a hat.",
        "I'm so thankful for all the opportunities!",
        "Appreciate the support, it's new to me.",
        "My suggestion is to row a couple of times a week.",
        '"Weightless" by Marconi Union is a soothing choice.',
        "I'm always here to lend an ear if Ana needs one.",
    ],
)
def test_advice_praise_and_what_is_true_of_anybody_are_no_facts(said: str) -> None:
    assert read(said, names=BOTH) == []


def test_an_assistant_is_told_what_is_true_of_anybody() -> None:
    (fact,) = read("goaltender is associated with the sport of ice hockey.")
    assert fact.text == "Goaltender is associated with the sport of ice hockey."
    assert read("goaltender is associated with the sport of ice hockey.", names=BOTH) == []


@pytest.mark.parametrize("name", ["elise", "Elise"])
def test_a_second_speaker_may_sign_in_small_letters_where_both_sign(name: str) -> None:
    messages = (Message("user", "Hello!", "Tom"), Message("assistant", "I live in Graz.", name))
    names: dict[About, str] = {"user": "Tom", "assistant": name}
    (fact,) = facts_of_page(Page("p1", "s1", 0, messages, NOW), names)
    assert (fact.about, fact.text) == ("assistant", "Elise lives in Graz.")


@pytest.mark.parametrize("name", ["claude", "nurse", "finance", "elise"])
def test_an_agent_of_a_user_who_does_not_sign_is_no_person(name: str) -> None:
    names: dict[About, str] = {"user": "Tom", "assistant": name}
    assert read("", "I'm a nurse in Leeds.", names) == []
    (fact,) = read("Never let me order meat.", "", names)
    assert fact.kind == "instruction"


@pytest.mark.parametrize(
    "said",
    [
        "Don't push me, I have a heart condition.",
        "Don't miss my concert on 5 June.",
        "Remember to water my plants while I'm in Rome until 5 June.",
        "I have to tell you, I'm pregnant.",
        "I'm here to study medicine at Leeds.",
        "I'm always here for my kids.",
        "I bought his old car for 500 euros.",
        "I work for her brother at Siemens.",
        "I'm proud to be a nurse.",
        "Paul has an important exam on Friday.",
        "Mia got an amazing job at Siemens.",
        "Mainly I eat fish.",
        "Been an adventure guide in Peru since 2015.",
        "Been the night nurse at St Mary's for 5 years.",
        "Took three days off work in May.",
        "Took a work trip to Oslo in May.",
        "Moving to Berlin in June and my sister is coming too.",
        "We're friends with Mia and Paul.",
    ],
)
def test_what_only_looks_like_talk_is_a_fact_of_its_subject(said: str) -> None:
    (fact, *_) = read(said, names=BOTH)
    assert "said:" not in fact.text
    if not said.startswith(("Paul", "Mia")):
        assert "Tom" in fact.text


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("Do I smoke? I use no. It is bad.", "Tom uses no. It is bad."),
        ("Been two years since my divorce in May.", "Tom has been two years since their divorce in May."),
        ("We are all allergic to nuts.", "Tom is all allergic to nuts."),
        ("Since I have lived in Leeds I drink tea.", "Tom has lived in Leeds, so they drink tea."),
    ],
)
def test_what_an_attack_made_of_statements_is_not_told(said: str, told: str) -> None:
    assert told not in [fact.text for fact in read(said, names=BOTH)]


@pytest.mark.parametrize("said", ["So do I and my brother Karl in Graz.", "I've read Book I of the Elements in Graz."])
def test_what_cannot_be_turned_safely_is_quoted(said: str) -> None:
    (fact,) = read(said)
    assert fact.text.startswith('Tom said: "')


@pytest.mark.parametrize(
    ("said", "day"),
    [
        ("I switched to the night shift yesterday.", (2025, 6, 2)),
        ("My sister Imogen marries on 16 August.", (2025, 8, 16)),
        ("I have an appointment with Dr. Lee on 4 July.", (2025, 7, 4)),
        ("I broke my wrist on 16 August.", (2024, 8, 16)),
        ("The hotel in Whitby double-booked the 16th of August.", (2025, 8, 16)),
        ("The press has an open show from 22 August and they took two of mine.", (2025, 8, 22)),
        ("My last day at Frachtwerk is 4 July.", (2025, 7, 4)),
        ("I got a new job at Vivantes, I start on 1 July.", (2025, 7, 1)),
        ("My course begins on 9 June and I got the books.", (2025, 6, 9)),
        ("I started at Vivantes on 1 July.", (2024, 7, 1)),
        ("We got married on 1 July.", (2024, 7, 1)),
        ("My last day at Frachtwerk was 4 July.", (2024, 7, 4)),
        ("We're going to Lisbon from 4 to 11 September.", (2025, 9, 4)),
        ("The conference is from 5 September to 8 September.", (2025, 9, 5)),
        ("The flights are cheaper from 6 to 13 June, we booked those.", (2025, 6, 6)),
        ("We were in Rome from 4 to 11 May.", (2025, 5, 4)),
        ("The meeting was moved from 4 to 11 July.", (2025, 7, 11)),
        ("Wir fahren vom 4. bis 11. September nach Lissabon.", (2025, 9, 4)),
        ("Wir sind vom 4. September bis zum 11. September in Lissabon.", (2025, 9, 4)),
        ("Nous allons à Lisbonne du 4 au 11 septembre.", (2025, 9, 4)),
        ("Vamos a Lisboa del 4 de septiembre al 8 de septiembre.", (2025, 9, 4)),
        ("The meeting with Dr. Okafor was moved to Friday at 4pm.", (2025, 6, 6)),
        ("The exam was brought forward to 9 June.", (2025, 6, 9)),
        ("We moved to Leith on Saturday.", (2025, 5, 31)),
        ("Ich wohne seit März 2024 in Leipzig.", (2024, 3, 1)),
        ("J'ai un rendez-vous demain à Lyon, je vais chez le dentiste.", (2025, 6, 4)),
        ("我下周要去北京。", (2025, 6, 9)),
    ],
)
def test_the_one_time_that_is_named_is_the_time_of_the_event(said: str, day: tuple[int, int, int]) -> None:
    (fact,) = read(said)
    assert fact.event_time is not None
    assert (fact.event_time.year, fact.event_time.month, fact.event_time.day) == day


@pytest.mark.parametrize(
    ("said", "day"),
    [
        ("I'm signed up for the Leith 10k on 3 May.", (2026, 5, 3)),
        ("We're all registered for a triathlon on 4 April.", (2026, 4, 4)),
        ("i've been invited to a wedding on 5 april", (2026, 4, 5)),
        ("I've got an interview with Barclays on 7 January.", (2026, 1, 7)),
        ("We've got tickets for Beck on 2 March.", (2026, 3, 2)),
        ("my mum got tickets to Hamlet on 9 february", (2026, 2, 9)),
        ("I found a job at Aldi starting 2 February.", (2026, 2, 2)),
        ("Ife's got her piano exam on Saturday.", (2025, 6, 7)),
        ("dentist on thursday 4.15", (2025, 6, 5)),
        ("i have the vets thursday half 4", (2025, 6, 5)),
        ("My optician is Monday at 9:30.", (2025, 6, 9)),
        ("At Christmas we fly to Oslo, from 20 December to 3 January.", (2025, 12, 20)),
        ("Der Kindergarten feiert am 8. Juli um 15 Uhr.", (2025, 7, 8)),
        ("Elternabend ist am 5. August um 19 Uhr.", (2025, 8, 5)),
        ("Hip replacement, the left one, on the 12th of January at Leeds. I'm told it's nothing.", (2026, 1, 12)),
        ("Entered the Lakeland relay, the long leg, 4th of May. Call it optimism.", (2026, 5, 4)),
        ("I've signed up for the swim again, 3 May.", (2026, 5, 3)),
        ("I've been at the clinic 6 years and I'm on leave til may 13.", (2026, 5, 13)),
        # What has been is of the past, whatever is to come of it.
        ("I left on 5 May. The others stay.", (2025, 5, 5)),
        ("I had the left one done on 5 May. It's fine.", (2025, 5, 5)),
        ("I booked in and paid on 5 May.", (2025, 5, 5)),
        ("The plaster came off in April and the arm is as good as it will get.", (2025, 4, 1)),
        ("The show was on 3 May, it'll go down in history.", (2025, 5, 3)),
        ("In March we had a flood and I will never forget it.", (2025, 3, 1)),
        ("I got tickets on 5 May and lost them.", (2025, 5, 5)),
        ("I met Ruth on 5 May and we will stay in touch.", (2025, 5, 5)),
        ("We booked a cottage in May, which was lovely.", (2025, 5, 1)),
        ("Mein Vater wohnt bei uns, seit dem 8. November.", (2024, 11, 8)),
        ("Ich bin seit Juli selbstständig.", (2024, 7, 1)),
        ("trabajo en Lidl desde agosto", (2024, 8, 1)),
        ("Je travaille chez Renault depuis septembre.", (2024, 9, 1)),
        ("We got married on 12 July.", (2024, 7, 12)),
        # What is said to lie ahead still does.
        ("We get married on 12 July.", (2025, 7, 12)),
        ("My nephew gets christened on 12 July.", (2025, 7, 12)),
        ("We booked a cottage in August and will stay a week.", (2025, 8, 1)),
        ("I wanted to leave on 5 July but will stay until then.", (2025, 7, 5)),
        ("Ich freue mich seit Wochen auf den 8. November.", (2025, 11, 8)),
        ("Estaremos en Cádiz desde el 20 de julio hasta el 3 de agosto.", (2025, 7, 20)),
    ],
)
def test_what_lies_ahead_is_told_from_what_is_over(said: str, day: tuple[int, int, int]) -> None:
    (fact,) = read(said)
    assert fact.event_time is not None
    assert (fact.event_time.year, fact.event_time.month, fact.event_time.day) == day


def test_whom_somebody_marries_is_told_beside_the_day() -> None:
    told = [
        (fact.text, fact.event_time and fact.event_time.date()) for fact in read("Sam and I get married on 12 July.")
    ]
    assert told == [("Sam and Tom get married on 12 July.", date(2025, 7, 12)), ("Tom's partner is Sam.", None)]


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("The plaster came off in April and the arm is as good as it will get.", "event"),
        ("The show was on 3 May, it'll go down in history.", "event"),
        ("We will meet in April, as we did in March.", "plan"),
        ("Ich bin seit Juli selbstständig.", "state"),
    ],
)
def test_what_is_over_is_no_plan(said: str, kind: str) -> None:
    assert [fact.kind for fact in read(said)] == [kind]


@pytest.mark.parametrize(
    "said",
    [
        "I wanted to go to Ghent next weekend, but I cancelled because it rains.",
        "I was going to fly on 5 July but the flight is cancelled.",
        "I won't make it to the dinner on 5 July.",
        "I wanted to see Ghent on 5 July but I cancelled.",
        "The lunch with Ada on 5 July isn't happening.",
        "Den Flohmarkt am 29. Juli lassen wir ausfallen, Clara ist krank.",
        "La cena del 5 de julio está cancelada.",
    ],
)
def test_what_does_not_happen_has_no_day_and_is_no_plan(said: str) -> None:
    (fact,) = read(said)
    assert fact.event_time is None
    assert fact.kind != "plan"


@pytest.mark.parametrize(
    ("said", "day"),
    [
        ("I cancelled my Netflix and I start Disney on 5 July.", (2025, 7, 5)),
        ("My cancelled parcel comes on 5 July.", (2025, 7, 5)),
        ("The gig was cancelled on 5 May.", (2025, 5, 5)),
        ("I'm off to Ghent on 5 July.", (2025, 7, 5)),
    ],
)
def test_a_day_that_is_not_of_what_was_called_off_stays(said: str, day: tuple[int, int, int]) -> None:
    (fact,) = read(said)
    assert fact.event_time is not None
    assert (fact.event_time.year, fact.event_time.month, fact.event_time.day) == day


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("Write a toast for our garden party on 17 July", "The user's garden party is on 17 July."),
        ("Can you draft a card for my mum's birthday on 5 September?", "The user's mum's birthday is on 5 September."),
        ("give me 5 questions for my job interview on friday", "The user's job interview is on friday."),
        ("biscuit has the vets on friday", "Biscuit has the vets on friday."),
        ("Rosa's got her recital on Saturday", "Rosa's got her recital on Saturday."),
    ],
)
def test_an_appointment_is_kept_that_a_request_or_a_few_words_name(said: str, told: str) -> None:
    (fact,) = facts_of_page(Page("p1", "s1", 0, (Message("user", said), Message("assistant", "ok")), NOW), {})
    assert fact.text == told
    assert fact.event_time is not None
    assert fact.event_time > NOW


@pytest.mark.parametrize(
    "said",
    [
        "Write a summary about our meeting on 3 June.",
        "Write a poem for my mum.",
        "Find a train for Leeds on 17 July.",
        "What is good for my knees on Friday nights?",
        "it has rained on friday",
    ],
)
def test_no_appointment_is_made_of_what_only_stands_beside_a_day(said: str) -> None:
    assert facts_of_page(Page("p1", "s1", 0, (Message("user", said), Message("assistant", "ok")), NOW), {}) == []


@pytest.mark.parametrize(
    "said",
    [
        "They've put my tooth extraction back to the 9th of May, half past nine. Something about staff.",
        "they've moved my scan forward to 9 may",
        "They've pushed the hearing to 9 May.",
    ],
)
def test_what_others_moved_has_its_new_day_in_every_wording(said: str) -> None:
    found = facts_of_page(Page("p1", "s1", 0, (Message("user", said), Message("assistant", "ok")), NOW), {})
    assert {str(fact.event_time)[:10] for fact in found} == {"2026-05-09"}


def test_two_times_are_none() -> None:
    (fact,) = read("I worked in Graz from May 2019 until June 2021.")
    assert fact.event_time is None


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("Ich wohne zusammen mit Katrin in Leipzig.", "identity"),
        ("Ich trinke lieber Tee als Kaffee.", "preference"),
        ("J'habite à Lyon avec Claire.", "identity"),
        ("Je préfère le thé au café.", "preference"),
        ("Vivo en Sevilla con Pablo.", "identity"),
        ("Prefiero el té y las naranjas.", "preference"),
        ("Eu moro em Braga com minha irmã.", "identity"),
        ("Eu gosto muito de um bom chá.", "preference"),
        ("Abito a Torino con Luca.", "identity"),
        ("Preferisco il tè con il limone.", "preference"),
        ("我住在上海。", "identity"),
        ("我喜欢喝茶。", "preference"),
        ("私は東京に住んでいます。", "identity"),
        ("コーヒーより紅茶が好きです。", "preference"),
    ],
)
def test_other_languages_are_quoted_with_their_kind(said: str, kind: str) -> None:
    assert [(f.kind, f.text) for f in read(said)] == [(kind, f'Tom said: "{said}"')]


@pytest.mark.parametrize(
    ("said", "parts"),
    [
        ("Ich heiße Jonas und wohne in Leipzig.", ["Ich heiße Jonas", "wohne in Leipzig."]),
        ("ich bin Jonas, 34, Elektriker aus Kassel", ["ich bin Jonas, 34", "ich bin Elektriker aus Kassel"]),
        ("ich arbeite als Elektriker bei Siemens", ["ich arbeite als Elektriker", "ich arbeite bei Siemens"]),
        ("Je m'appelle Claire et j'habite à Lyon.", ["Je m'appelle Claire", "j'habite à Lyon."]),
        ("vivo en Sevilla y tengo 31 años", ["vivo en Sevilla", "tengo 31 años"]),
        ("Mi chiamo Luca e abito a Torino.", ["Mi chiamo Luca", "abito a Torino."]),
        ("moro em Braga com nosso gato Pingo", ["moro em Braga", "nosso gato Pingo"]),
        ("我住在上海，养了一只猫叫咪咪", ["我住在上海", "养了一只猫叫咪咪"]),
        ("東京に住んでいて、猫のモモと暮らしています", ["東京に住んでいて", "猫のモモと暮らしています"]),
    ],
)
def test_what_one_sentence_tells_in_another_language_is_a_fact_for_each_thing(said: str, parts: list[str]) -> None:
    assert [f.text for f in read(said)] == [f'Tom said: "{part}"' for part in parts]


def test_a_named_second_speaker_is_read_like_the_first() -> None:
    (fact,) = read("How are you?", "I run a bakery in Porto with my brother.", BOTH)
    assert (fact.about, fact.text) == ("assistant", "Ana runs a bakery in Porto with their brother.")


def test_a_short_answer_is_told_with_its_question() -> None:
    (fact,) = read("Where do you live?", "Porto, by the river.", BOTH)
    assert (fact.about, fact.text) == ("assistant", 'Asked "Where do you live?", Ana said: "Porto, by the river"')


@pytest.mark.parametrize("name", ["", "assistant", "AI bot", "ChatGPT", "researcher", "Supervisor", "research_agent"])
def test_of_a_bare_assistant_only_promises_are_kept(name: str) -> None:
    said = "I love hiking in the Alps. Porto lies on the Douro. I'll remind you on 4 July."
    (fact,) = read("Thanks", said, {"user": "Tom", "assistant": name})
    assert (fact.about, fact.text) == ("assistant", "The assistant will remind Tom on 4 July.")


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("Your ferry is booked for 3 May.", "Tom's ferry is booked for 3 May."),
        ("We've agreed on Graz.", "The assistant has agreed on Graz."),
        ("The course in Lyon has been postponed to 4 June.", "The course in Lyon has been postponed to 4 June."),
        ("Once your ferry is booked, print the ticket.", ""),
        ("Many ferries are painted white.", ""),
        ("You could say that the ferry is booked for 3 May.", ""),
    ],
)
def test_what_an_assistant_says_is_settled_is_kept(said: str, kept: str) -> None:
    assert [f.text for f in read("Thanks", said)] == [kept] * bool(kept)


@pytest.mark.parametrize(
    "said",
    [
        "Last night at three she came out, sat on my shin and purred.",
        "Packing list for Orkney please, but mind the sesame.",
        "Now don't judge me.",
        "I'm bored stiff.",
        "I've said yes.",
        "The heron and the upturned boat.",
    ],
)
def test_moods_requests_and_what_points_at_somebody_unknown_are_no_facts(said: str) -> None:
    assert read(said) == []


def test_who_or_what_stands_in_the_sentence_before_joins_it() -> None:
    said = "Moth hides behind the boiler. Last night at three she came out and purred."
    assert [f.text for f in read(said)] == [said]
    (fact,) = read("I carved a heron in June. I gave it to Ruth.")
    assert fact.text == "Tom carved a heron in June. They gave it to Ruth."
    assert [f.text for f in read("Farida says she grew up in Leith.")] == ["Farida says she grew up in Leith."]


@pytest.mark.parametrize("name", ["", "user", "human", "  "])
def test_without_a_name_the_speaker_is_the_user(name: str) -> None:
    assert [f.text for f in read("I live in Lisbon.", names={"user": name})] == ["The user lives in Lisbon."]


HOSTILE = [
    *(
        "a ",
        "(",
        "(((( ",
        "[x",
        "I ",
        "I'm ",
        "`",
        "*",
        "a",
        ", and I ",
        "[a](b",
        ".",
        "hey, ",
        "\n",
        "- a\n",
        "x:\n- a\n",
    ),
    *(
        "<a",
        "please ",
        "and ",
        "1 ",
        "\x00\ud800",
        "。",
        "我",
        "I live in Rome. ",
        "Ana, ",
        '"',
        "?",
        "\u0301",
        "so I ",
    ),
]


@pytest.fixture
def nothing_collected() -> Iterator[None]:
    """A collection looks through all that the process holds: that time is not the reader's."""
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("nothing_collected")
@pytest.mark.parametrize("part", HOSTILE)
def test_a_megabyte_of_anything_is_read_at_once(part: str) -> None:
    text = (part * 1_000_000)[:1_000_000]
    # Beside texts of 4,000 characters on the same machine: to read each character would cost 250 times as much.
    read("I live in Rome.")  # which imports what the first reading needs
    of_plain = max(cost_of(plain_text(f"{len(part)}{ord(part[0])}{run}")) for run in range(3))
    assert cost_of(text) < 25 * of_plain
    assert len(read(text, text, BOTH)) <= 12


def test_what_follows_long_material_is_read_as_before() -> None:
    pasted = "I live in Rome and I work as a welder. " * 2000
    told = [f.text for f in read(f"Please translate this into French: {pasted}\nBy the way, I moved to Porto.")]
    assert told == ["Tom moved to Porto."]


def plain_text(mark: str) -> str:
    """Return an ordinary text that was not read before, so that nothing of it is remembered."""
    said = (f"I moved to town {mark}{i} with my sister Ana{i}, who works as a nurse. " for i in range(80))
    return "".join(said)[:4000]


def cost_of(text: str) -> float:
    before = time.process_time()
    read(text, text, BOTH)
    return time.process_time() - before


@settings(deadline=None, max_examples=200)
@given(st.text(max_size=300), st.text(max_size=300), st.text(max_size=12))
def test_no_text_raises_and_the_same_text_gives_the_same_facts(user: str, answer: str, name: str) -> None:
    names: dict[About, str] = {"user": name, "assistant": name[::-1]}
    facts = read(user, answer, names)
    assert facts == read(user, answer, names)
    assert all(f.text.strip() and f.page_ids == ("p1",) for f in facts)


SPOKEN = (
    "I we My me you your Ana am was have to and , . ! ? : ' don't it that love 3 May Porto the - because so Ana's broke"
)
WORDS = st.sampled_from(SPOKEN.split())


@settings(deadline=None, max_examples=200)
@given(st.lists(WORDS, max_size=40))
def test_no_first_person_is_left_outside_of_a_quotation(spoken: list[str]) -> None:
    for fact in read(" ".join(spoken), names=BOTH):
        if " said: " not in fact.text:
            assert not {"i", "my", "me", "we"} & set(fact.text.lower().replace(".", " ").split())


def test_many_sentences_are_read_fast() -> None:
    sentence = "I moved to Porto last May, and my sister Imogen runs a bakery with 3 friends there. "
    before = time.process_time()
    for _ in range(20):
        read(sentence * 50)
    assert 20 * 50 / (time.process_time() - before) > 500


def test_a_name_with_an_age_is_a_name() -> None:
    said = "Evening. I'm Tamsin, 33, I live in Headingley in Leeds, in a flat above a locksmith."
    assert [f.text for f in read(said, names={"user": "Tamsin"})] == [
        "Tamsin is 33.",
        "Tamsin lives in Headingley in Leeds, in a flat above a locksmith.",
    ]


def test_each_message_of_a_burst_is_read() -> None:
    towns = {
        "Amy": "Bonn",
        "Ben": "Caen",
        "Cid": "Dijon",
        "Dora": "Ghent",
        "Eve": "Graz",
        "Finn": "Lyon",
        "Gus": "Metz",
    }
    said = [f"My cousin {name} lives in {town}." for name, town in towns.items()]
    messages = (*(Message("user", text) for text in said), Message("assistant", "Noted."))
    found = facts_of_page(Page("p1", "s1", 0, messages, NOW), ALONE)
    assert [f.text for f in found] == [text.replace("My", "Tom's") for text in said]


def test_statements_about_others_in_a_row_are_no_pasted_text() -> None:
    said = [f"{name} was born in the city of Graz in 1970." for name in ("Amy", "Ben", "Cid", "Dora", "Eve", "Finn")]
    said += ["Halma Ltd was founded by Ilse Halm.", "The capital of Styria is Graz.", "Otto Bauer plays in Vienna."]
    one_by_one = (*(Message("user", text) for text in said), Message("assistant", "Noted."))
    assert [f.text for f in facts_of_page(Page("p1", "s1", 0, one_by_one, NOW), ALONE)] == said
    assert read(" ".join(said)) == []


@pytest.mark.parametrize(
    "said",
    [
        "They put the fee up; the bank statement now says 37.50.",
        "No wait, I misread it: she sings at a quarter to six.",
        "I take it all back: that tower is the best thing in town.",
        "He and I are no longer on speaking terms.",
    ],
)
def test_news_that_nobody_can_resolve_is_kept_word_for_word(said: str) -> None:
    assert [(f.kind, f.text) for f in read(said)] == [("change", f'Tom said: "{said}"')]


def test_what_somebody_else_is_quoted_with_keeps_its_speaker() -> None:
    for said in (
        "Ruth told me on the phone: I moved to Kent.",
        "She wrote to all of us: I live in Oslo now.",
        "Bob from work: I moved to Kent.",
        "My sister on the phone yesterday: I live in Oslo now.",
        "A note from my boss: I moved to Kent.",
    ):
        assert not any(f.text.startswith("Tom moved") or f.text.startswith("Tom lives") for f in read(said))


def test_statements_that_end_apart_are_facts_apart() -> None:
    opening = "Two things to keep in mind whenever we plan something:"
    said = f"{opening} I've been vegan since school, and I always want the aisle."
    assert [(f.kind, f.text) for f in read(said)] == [
        ("identity", "Tom has been vegan since school."),
        ("preference", "Tom always wants the aisle."),
    ]


def test_a_correction_is_kept_with_the_value_that_follows_it() -> None:
    assert [f.text for f in read("Oops, misread the sheet. 1.7")] == ['Tom said: "Oops, misread the sheet. 1.7"']


@pytest.mark.parametrize(
    "said", ["Sorry to hear that!", "Seeing how happy they were was great.", "It wasn't easy, but fun."]
)
def test_words_of_change_alone_are_no_news(said: str) -> None:
    assert read(said) == []


def test_a_greeting_from_a_place_and_moving_in_are_a_move() -> None:
    texts = [f.text for f in read("Hello from Leith! Moved in on Saturday.")]
    assert texts == ["Tom moved to Leith on Saturday."]
    assert [f.text for f in read("Hello from Leith! It rains.")] == []


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            'fyi my neighbour says "i\'m moving to Rhyl, it is cheaper". Haka for the guests.',
            "Tom's neighbour says \"i'm moving to Rhyl, it is cheaper\".",
        ),
        (
            'My mum left a jar from 2020 on my shelf, it says "Walt, keep your hands off".',
            'Tom\'s mum left a jar from 2020 on their shelf, it says "Walt, keep your hands off".',
        ),
    ],
)
def test_the_words_of_others_stay_theirs(said: str, told: str) -> None:
    assert [fact.text for fact in read(said)] == [told]


@pytest.mark.parametrize(
    "said",
    [
        'Her essay begins "Hi, I am Sela. I have a horse called Thunder. My dad is the king of Tonga." Nice.',
        "had a mad dream i was married to a robot and we lived in Swansea",
        'My lecturer always says "when I lived in Dubai I drove a Porsche".',
    ],
)
def test_what_others_say_and_what_is_dreamt_fills_no_slot(said: str) -> None:
    told = [fact.text for fact in read(said)]
    assert not any(slot.subject == "user" for text in told for slot in slots_of(text, ("Tom",)))
    assert not any(text.startswith(("Tom has a horse", "Tom lived")) for text in told)


@pytest.mark.parametrize(
    "said",
    [
        "I said Stan you're on oxygen for two years.",
        "There's a dinner you have to wear a jacket for, I'm told by my niece.",
        "Only four of us are left now at the Zodiac breakfast.",
    ],
)
def test_what_cannot_be_told_of_the_two_is_quoted(said: str) -> None:
    assert all("said: " in fact.text for fact in read(said))


@pytest.mark.parametrize(
    "said",
    [
        "The email from the school says the exam is now on 4 March.",
        "Only my mother and the bank call me Walter.",
        "I drive myself to the pool.",
        "I play for nana on Sundays.",
    ],
)
def test_what_only_looks_like_a_value_fills_no_field(said: str) -> None:
    slots = [slot for fact in read(said) for slot in slots_of(fact.text, ("Tom",))]
    assert not {"email", "name", "vehicle", "plays"} & {slot.attribute for slot in slots}


def test_a_german_day_of_the_month_ends_no_sentence() -> None:
    told = read("Ich heirate am 8. Oktober in Kiel. Mein neuer Termin ist der 5. Mai um neun.", names={})
    assert "8. Oktober in Kiel" in told[0].text


def test_a_manner_of_answering_is_an_instruction_within_a_longer_message() -> None:
    told = read("Budget plan, maybe. You know what, don't give me lists with dots when you answer.")
    wanted = "Tom wants the assistant to never give them lists with dots when the assistant answers."
    assert [(fact.kind, fact.text) for fact in told] == [("instruction", wanted)]


@pytest.mark.parametrize(
    "said",
    [
        "Kommentare im Code bitte immer auf Englisch, der Rest ruhig deutsch.",
        "Keine Emojis bitte, sonst denke ich an die Arbeit.",
        "Ach ja: antworte ab jetzt bitte immer auf Englisch, auch wenn ich deutsch schreibe.",
        "Cuando te escribo en español me contestas en español por favor.",
        "Réponds-moi toujours en français, même si je t'écris en anglais.",
        "Rispondimi sempre in italiano.",
        "Schreib bitte ohne Emojis.",
        "Responda sempre em português, por favor.",
        "Antwoord altijd in het Nederlands, ook als ik Engels schrijf.",
        "Responde corto.",
        "Sonntags keine Termine bitte",
        "am wochenende bitte keine anrufe",
        "请用中文回答我的问题。",
        "Schreib mir bitte immer auf Deutsch.",
    ],
)
def test_a_wish_how_to_be_answered_is_an_instruction_in_other_languages(said: str) -> None:
    assert [fact.kind for fact in read(said, names={})] == ["instruction"]


@pytest.mark.parametrize(
    "said",
    [
        "Schreib mir bitte eine Mail an meinen Vermieter wegen der Heizung.",
        "Antworte auf diese E-Mail von meinem Chef.",
        "Schreib das bitte auf Englisch.",
        "Escribe esto en inglés para mi jefe.",
        "Scrivi questo in inglese per me.",
        "Escreva um e-mail para o meu chefe, por favor.",
        "Escreva isto em inglês.",
        "Schrijf een brief aan mijn huisbaas.",
        "Gebruik dit recept voor vanavond met mijn vrouw.",
        "请用这个配方给我妈妈做一道菜。",
        "Réponds à ce mail de mon chef.",
        "Scrivimi una mail in inglese per il mio capo.",
        "Ich antworte meiner Mutter immer sofort.",
        "Je parle toujours français avec ma mère.",
        "Escribe un correo para mi jefe, por favor.",
        "Ich habe keine Emojis auf meinem alten Handy gefunden.",
        "Heute keine Termine bitte",
        "Sonntags keine Termine mehr, endlich frei!",
        "Responde corto a este correo de mi jefe.",
    ],
)
def test_a_task_in_another_language_is_no_instruction(said: str) -> None:
    assert "instruction" not in [fact.kind for fact in read(said, names={})]


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            'They say "do what you love", so I quit my job at Shell, and I work as a baker now, and we live in York.',
            ["Tom quit their job at Shell.", "Tom works as a baker now.", "Tom lives in York."],
        ),
        ("I dreamt of the sea and I work as a sailor in Hamburg now.", ["Tom works as a sailor in Hamburg now."]),
    ],
)
def test_own_statements_beside_a_quote_or_a_dream_are_read(said: str, told: list[str]) -> None:
    assert [fact.text for fact in read(said)][-len(told) :] == told


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("They fired me last week.", "Tom was fired last week."),
        ("My landlord has just kicked us out.", "Tom was just kicked out by their landlord."),
        ("Siemens transferred me to Vienna.", "Tom was transferred by Siemens to Vienna."),
        ("They're relocating me to Leeds in May.", "Tom is being relocated to Leeds in May."),
        ("Coach kicked me out of the team.", "Tom was kicked out of the team by Coach."),
        ("My mum kicked me out of the house for an hour.", "Tom's mum kicked them out of the house for an hour."),
        ("My boss could have promoted me to chef.", "Tom's boss could have promoted them to chef."),
        ("My bank transferred me 500 euros.", "Tom's bank transferred them 500 euros."),
    ],
)
def test_what_others_do_to_the_speaker_is_told_of_the_speaker(said: str, told: str) -> None:
    assert [fact.text for fact in read(said)] == [told]


@pytest.mark.parametrize(
    "said",
    [
        "On the old street in Leeds you stepped out of the door onto the pavement.",
        "We have been courting since the quiz night in May, if you can call it that.",
        "My nurse Ann was like your iron is fine, it's your B12.",
        "My Doris made a rhubarb pie that would make you weep.",
        "Our terrier Max has a bark that'll drive you mad.",
        "I bought a knife in Graz which will cut you in half.",
    ],
)
def test_you_that_means_anybody_is_no_assistant(said: str) -> None:
    told = " ".join(fact.text for fact in read(said))
    assert told
    assert "the assistant" not in told


@pytest.mark.parametrize(
    "said",
    [
        "I want to cook the lasagne that you suggested on Sunday.",
        "I was wondering if you could help me with my exam on Friday.",
        "Your recipe for the cake at my sister's wedding worked well.",
        "From now on you call me Captain.",
        "I stopped using you for my diary.",
        "I named you Max on Sunday.",
        "I don't like it when you use emojis.",
        "My week is like a storm, and I want you to remind me of the exam on Friday.",
    ],
)
def test_you_that_answered_or_is_asked_is_the_assistant(said: str) -> None:
    assert "the assistant" in " ".join(fact.text for fact in read(said)).lower()


@pytest.mark.parametrize(
    ("said", "day"),
    [
        ("My son Jan is coming home from Lima at last, on 18 January, with a wife we've met only once.", (2026, 1, 18)),
        ("The clinic says that I am to come on 10 January in place of the date I gave you.", (2026, 1, 10)),
        ("I thought of using my Fridays to prepare for our winter concert on 29 August.", (2025, 8, 29)),
        ("I have received notice of a knee operation at the hospital in Leeds on 30 October.", (2025, 10, 30)),
        ("My aunt comes on 20 December for Christmas, by train.", (2025, 12, 20)),
        ("I turned sixty on the 1st of this month: I shall lay down my office on 31 December.", (2025, 12, 31)),
        # What is told in front of the day was then.
        ("I met my wife Ana, who is coming with us, on 18 January.", (2025, 1, 18)),
        ("I received notice of termination at Aldi on 30 October.", (2024, 10, 30)),
        ("I thought of you on 29 August in Rome.", (2024, 8, 29)),
    ],
)  # fmt: skip
def test_a_day_lies_ahead_by_the_words_in_front_of_it(said: str, day: tuple[int, int, int]) -> None:
    times = [fact.event_time for fact in read(said)]
    assert datetime(*day) in [when and when.replace(tzinfo=None) for when in times]


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("I'm from Poland but live in Spain.", "Tom is from Poland but lives in Spain."),
        ("I'm Polish and work in Leeds.", "Tom is Polish and works in Leeds."),
        ("I'm vegan but cook for my kids.", "Tom is vegan but cooks for their kids."),
        ("I'm into books and work.", "Tom is into books and work."),
        ("I'm into dance and love songs.", "Tom is into dance and love songs."),
        ("I'm going to sell the boat and live in Spain.", "Tom is going to sell the boat and live in Spain."),
        ("I'm tired but happy in Spain.", "Tom is tired but happy in Spain."),
    ],
)
def test_a_second_verb_agrees_with_who_speaks(said: str, text: str) -> None:
    assert text in [f.text for f in read(said)]


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("Sam works at Shell.", True),
        ("Andrew is a plumber.", True),
        ("Tom's a nurse.", True),
        ("Tom works for the council.", True),
        ("Tom has two dogs.", True),
        ("Python is a language.", False),
        ("Spark is a framework.", False),
        ("Docker is a pain.", False),
        ("Noah is a star.", False),
        ("That works for me.", False),
    ],
)
def test_what_somebody_does_is_kept_however_short(said: str, kept: bool) -> None:
    assert bool(read(said)) is kept
