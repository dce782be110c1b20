"""Who asks for their own age, home or work gets nobody else's, and who names somebody gets theirs."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta, timezone

import pytest

from memoryos_core import MemoryConfig, MemoryOS, Message, UserMemory, WorkerConfig

SPRING = datetime(2026, 3, 1, 9, tzinfo=timezone.utc)
OF_OTHERS = (
    "My son Miggy is 7.",
    "My brother Patrick lives in Cork.",
    "My sister works as a nurse at Boots.",
    "My friend Lena's birthday is on 3 May.",
    "My daughter Isla is allergic to nuts.",
)
OF_MYSELF = ("I'm 41.", "I live in Hull.", "I work as a plumber at Southline.", "My birthday is on 9 July.")


def lines(user: UserMemory, question: str) -> list[str]:
    text = user.recall(question).text
    return [line.partition(" (")[0] for line in text.splitlines() if line.startswith("- ") and ": " in line]


def tell(memory: MemoryOS, *texts: str) -> UserMemory:
    for number, text in enumerate(texts):
        user = memory.user("ann", session_id=f"s{number}")
        user.add_messages([Message("user", text, None, SPRING + timedelta(days=number))])
        user.end_session()
    memory.flush()
    return memory.user("ann", session_id="later")


def opened() -> MemoryOS:
    return MemoryOS("sqlite://", embedder=None, config=MemoryConfig(worker=WorkerConfig(mode="manual")))


@pytest.fixture(scope="module")
def stranger() -> Iterator[UserMemory]:
    """A user of whose own life nothing is known."""
    with opened() as memory:
        yield tell(memory, *OF_OTHERS)


@pytest.fixture(scope="module")
def ann() -> Iterator[UserMemory]:
    with opened() as memory:
        yield tell(memory, *OF_OTHERS, *OF_MYSELF)


@pytest.mark.parametrize(
    "question",
    [
        "How old am I?",
        "what's my age",
        "Where do I live?",
        "What do I do for work?",
        "Where do I work?",
        "When is my birthday?",
        "Wie alt bin ich?",
        "Wo wohne ich?",
    ],
)
def test_what_is_not_known_of_the_user_is_not_told_of_another(stranger: UserMemory, question: str) -> None:
    assert not lines(stranger, question)


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("How old am I?", "- Age: 41"),
        ("Where do I live?", "- Home: Hull"),
        ("Where do I work?", "- Employer: Southline"),
        ("When is my birthday?", "- Birthday: 9 July"),
    ],
)
def test_the_users_own_comes_alone(ann: UserMemory, question: str, line: str) -> None:
    found = lines(ann, question)
    assert line in found
    assert not any(name in told for name in ("Miggy", "Patrick", "Sister", "Lena") for told in found)


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("How old is my son?", "- Miggy's age: 7"),
        ("How old is Miggy?", "- Miggy's age: 7"),
        ("Where does my brother live?", "- Patrick's home: Cork"),
        ("Where does my sister work?", "- Sister's employer: Boots"),
        ("When is Lena's birthday?", "- Lena's birthday: 3 May"),
        ("Where does Patrick live and how old am I?", "- Patrick's home: Cork"),
        ("What should I cook for dinner?", "- Isla's allergy: nuts"),
    ],
)
def test_who_is_asked_about_is_told(ann: UserMemory, question: str, line: str) -> None:
    assert line in lines(ann, question)


@pytest.mark.parametrize(
    "question",
    [
        "Where does my uncle live?",
        "How old is my mother?",
        "How old is my grandson?",
        "When is my boss's birthday?",
        "Where does our cousin work?",
    ],
)
def test_of_somebody_of_whom_nothing_is_known_nobody_elses_value_is_told(ann: UserMemory, question: str) -> None:
    told = lines(ann, question)
    assert [line for line in told if line[2].isupper()] == []  # beside the fields of the user's own profile


def test_a_person_is_found_by_another_word_for_what_they_are() -> None:
    told = ("My husband Piet is a joiner.", "My mum lives in Lund.", "My brother Bas is 19.")
    with opened() as memory:
        user = tell(memory, *told)
        assert lines(user, "Who is my spouse?")[0] == "- Husband: Piet"
        assert "- Piet's occupation: joiner" in lines(user, "What does my other half do?")
        assert lines(user, "Where does my mother live?") == ["- Mum's home: Lund"]
        assert "- Bas's age: 19" in lines(user, "How old is my sibling?")


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("My teacher asks where I live, what's my address?", "- Home: Hull"),
        ("Where do I work, my uncle asks?", "- Employer: Southline"),
        ("What address should my cousin send the parcel to?", "- Home: Hull"),
        ("Do I live near my grandmother?", "- Home: Hull"),
    ],
)
def test_somebody_unknown_beside_what_is_asked_takes_nothing_away(ann: UserMemory, question: str, line: str) -> None:
    assert line in lines(ann, question)


def test_a_partner_of_another_kind_is_no_husband() -> None:
    told = ("My husband Tom is a joiner.", "My sister's partner Joe is a chef.", "My gran lives in Fife.")
    with opened() as memory:
        user = tell(memory, *told)
        for question in (
            "What does my sister's partner do?",
            "What does my dance partner do?",
            "Who is my partner in crime?",
            "What's the managing partner called?",
            "Who lives in the other half of the house?",
        ):
            assert not [line for line in lines(user, question) if "Tom" in line], question
        assert lines(user, "Where does my nan live?") == ["- Gran's home: Fife"]


@pytest.mark.parametrize("question", ["What do I do?", "What did we do?", "What do I do for work?"])
def test_a_question_of_function_words_alone_asks_for_the_job(question: str) -> None:
    with opened() as memory:
        user = tell(memory, "My salary is 2,100 a month.", "I work at Lidl as a baker.")
        user.recall(question, budget_tokens=200)
        assert "Lidl" in user.recall("What do I do for work?").text


def test_what_a_wife_is_called_is_no_answer_about_a_pet() -> None:
    with opened() as memory:
        user = tell(memory, "My wife Leila is a dentist.", "Our dog is a beagle called Pepper.")
        assert lines(user, "What's my dog called?") == ["- Pet: dog Pepper"]


FAMILY = (
    "I'm Ann and I live in Hull with my husband Rob.",
    "Rob works as a chef at Carluccio's.",
    "My mum lives in Leeds.",
    "Max is 9 and Zoe is 12.",
    "My best friend Kit moved to Oslo.",
    "I started at Lidl last week.",
)


@pytest.fixture(scope="module")
def wife() -> Iterator[UserMemory]:
    with opened() as memory:
        yield tell(memory, *FAMILY)


@pytest.mark.parametrize(
    ("question", "told", "untold"),
    [
        ("Where does my husband work?", "- Rob's employer: Carluccio's", "- Employer: Lidl"),
        ("Where does Rob work?", "- Rob's employer: Carluccio's", "- Employer: Lidl"),
        ("Where did Kit move?", "- Kit's home: Oslo", "- Mum's home: Leeds"),
        ("Where does mum live?", "- Mum's home: Leeds", "- Home: Hull"),
        ("How old is Max?", "- Max's age: 9", "- Zoe's age: 12"),
        ("Where do I work?", "- Employer: Lidl", "- Rob's employer: Carluccio's"),
        ("Where do we live?", "- Home: Hull", "- Mum's home: Leeds"),
    ],
)
def test_who_is_named_is_told_of_alone(wife: UserMemory, question: str, told: str, untold: str) -> None:
    found = lines(wife, question)
    assert told in found
    assert untold not in found


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Where do Rob and I work?", {"- Employer: Lidl", "- Rob's employer: Carluccio's"}),
        ("How old are Max and Zoe?", {"- Max's age: 9", "- Zoe's age: 12"}),
        ("Where does everybody live?", {"- Home: Hull", "- Mum's home: Leeds", "- Kit's home: Oslo"}),
        ("Who lives in Leeds?", {"- Mum's home: Leeds"}),
    ],
)
def test_who_is_asked_about_together_is_told_together(wife: UserMemory, question: str, told: set[str]) -> None:
    assert told <= set(lines(wife, question))


def test_of_two_speakers_each_has_a_relationship_of_their_own() -> None:
    with opened() as memory:
        user = memory.user("ann", session_id="s")
        said = [
            Message("user", "I am single and ok with it.", "Ann", SPRING),
            Message("assistant", "I've been married for 5 years already.", "Mel", SPRING + timedelta(minutes=1)),
        ]
        user.add_messages(said)
        user.end_session()
        memory.flush()
        later = memory.user("ann", session_id="later")
        for question in ("Is Ann married?", "What is Ann's relationship status?", "What is my relationship status?"):
            assert "- Relationship: single" in lines(later, question)
            assert not any("married" in line for line in lines(later, question))
        assert "- Mel's relationship: married" in lines(later, "Is Mel married?")


def test_an_allergy_to_what_has_fur_is_to_no_other_animal() -> None:
    with opened() as memory:
        later = tell(memory, "I'm allergic to most reptiles and animals with fur.")
        assert "- Allergy: most reptiles and animals with fur" in lines(later, "What am I allergic to?")


@pytest.fixture(scope="module")
def household() -> Iterator[UserMemory]:
    texts = (
        "I'm married to Rob.",
        "Rob is 40.",
        "My daughter Mia is 7.",
        "We drive a Volvo.",
        "We have a dog called Biscuit.",
    )
    with opened() as memory:
        yield tell(memory, *texts, "I'm from Spain.")


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("Is Rob married?", "- Relationship: married to Rob"),
        ("What does Rob drive?", "- Vehicle: Volvo"),
        ("Does Rob have a dog?", "- Pet: dog called Biscuit"),
        ("What is Mia's dog called?", "- Pet: dog called Biscuit"),
        ("Where am I from?", "- Origin: Spain"),
    ],
)
def test_what_a_household_shares_is_told_of_each_of_it(household: UserMemory, question: str, line: str) -> None:
    assert line in lines(household, question)


@pytest.mark.parametrize("question", ["Where is the noise coming from?", "Where do I get money from?"])
def test_what_comes_from_somewhere_is_no_origin(household: UserMemory, question: str) -> None:
    assert not any(line.startswith("- Origin") for line in lines(household, question))


@pytest.mark.parametrize(
    ("said", "name", "value"),
    [
        ("Aspirin brings me out in hives, sadly.", "allergy", "aspirin"),
        ("I told the nurse what I never told you: naproxen brings me out in a rash.", "allergy", "naproxen"),
        ("Trimethoprim gives me hives.", "allergy", "trimethoprim"),
        ("I come out in welts when I take codeine.", "allergy", "codeine"),
        ("Heads up for menus: allergic to walnuts.", "allergy", "walnuts"),
        ("fyi, allergic to sesame", "allergy", "sesame"),
        ("Just so you know, allergic to kiwi, in case you plan a dessert.", "allergy", "kiwi"),
        ("I'm allergic to latex in case it matters one day", "allergy", "latex"),
        ("I'm allergic to wool for what it's worth", "allergy", "wool"),
        ("I've just found out I'm coeliac.", "allergy", "gluten (coeliac)"),
        ("Just got diagnosed as coeliac.", "allergy", "gluten (coeliac)"),
        ("We learnt this week that I'm diabetic.", "condition", "diabetic"),
        ("I was told I am asthmatic.", "condition", "asthmatic"),
        ("I've found out today that I'm lactose intolerant.", "allergy", "lactose"),
        ("Milk gives my daughter hives.", "allergy", None),
        ("Aspirin brings my brother out in a rash.", "allergy", None),
        ("Exams bring me out in hives.", "allergy", None),
        ("My mother-in-law brings me out in hives.", "allergy", None),
        ("Ibuprofen makes me swell with pride, as a chemist.", "allergy", None),
        ("Heads up: allergic to my boss.", "allergy", None),
        ("Heads up for Friday: Priya is allergic to prawns.", "allergy", None),
        ("Heads up, my lodger: allergic to nuts.", "allergy", None),
        ("I've just found out my son is coeliac.", "allergy", None),
        ("I wonder whether I'm coeliac.", "allergy", None),
        ("I thought I was coeliac but no.", "allergy", None),
        ("I've just found out I'm adopted.", "condition", None),
    ],
)
def test_what_makes_the_user_ill_is_told_in_other_words(said: str, name: str, value: str | None) -> None:
    with opened() as memory:
        assert {field.name: field.value for field in tell(memory, said).profile().fields}.get(name) == value


@pytest.mark.parametrize(
    ("said", "name", "value"),
    [
        (("I'm 52.", "It was my birthday yesterday, 53. Ros baked."), "age", "53"),
        (("I'm 52.", "My birthday was on Sunday, 53 now!"), "age", "53"),
        (("I'm 52.", "It's my birthday today: 53."), "age", "53"),
        (("I'm 52.", "It was my birthday yesterday, 30 people came."), "age", "52"),
        (("I'm 52.", "It was Ros's birthday yesterday, 49."), "age", "52"),
        (("I'm 52.", "It was my son's birthday yesterday, 12."), "age", "52"),
        (("I'm 52.", "It's my birthday tomorrow, 53."), "age", "52"),
        (("My van is replaced, what a relief.",), "vehicle", None),
        (("My car is being repaired at the garage.",), "vehicle", None),
        (("My bike was serviced yesterday.",), "vehicle", None),
        (("My home is Stansted now.",), "home", "Stansted"),
        (("My car is a Fiat Panda.",), "vehicle", "Fiat Panda"),
        (("We have acquired a kitten. She is black, she is called Soot, and she bites.",), "pet", "kitten called Soot"),
        (("I bought a puppy. He is brown, he's named Otto and he bites.",), "pet", "puppy called Otto"),
        (("I have a cat called Moth.", "We got a second cat. He's called Plum."), "pet",
         "cat called Moth, cat called Plum"),
        (("My sister acquired a kitten. She is called Dora.",), "pet", None),
        (("We acquired a painting of a kitten. She's called Moon.",), "pet", None),
        (("I've a new colleague. She is tall, she is called Vera.",), "pet", None),
    ],
)  # fmt: skip
def test_an_age_a_car_and_a_second_pet_are_what_was_told_of_them(
    said: tuple[str, ...], name: str, value: str | None
) -> None:
    with opened() as memory:
        assert {field.name: field.value for field in tell(memory, *said).profile().fields}.get(name) == value


@pytest.mark.parametrize(
    ("held", "news", "is_over"),
    [
        ("I owe Nico 80 euros.", "I paid Nico his 80 back.", True),
        ("I owe Nico 80 euros.", "Gave Nico the money back yesterday.", True),
        ("nico lent me 80 for the train so i owe him that", "paid nico his 80 back", True),
        ("I borrowed 80 from Nico.", "I've paid Nico back.", True),
        ("Nico owes me 80 euros.", "Nico paid me back on Friday.", True),
        ("I lent Nico £80.", "Nico has given me the money back.", True),
        ("I owe Nico 80 euros.", "I paid Nico half of it back.", False),
        ("I owe Nico 80 euros.", "Nico paid me back.", False),
        ("I owe Nico 80 euros.", "I paid Vera her 80 back.", False),
        ("I owe Nico 80 euros.", "I'll pay Nico his 80 back soon.", False),
        ("I owe Nico 80 euros.", "I haven't paid Nico his 80 back.", False),
        ("I owe Nico 80 euros.", "I gave Nico his bike back.", False),
        ("Nico owes me 80 euros.", "Nico gave me my drill back.", False),
    ],
)
def test_a_debt_ends_when_it_is_paid_back(held: str, news: str, is_over: bool) -> None:
    with opened() as memory:
        first = tell(memory, held, news).facts(current=False)[0]
        assert (first.status != "current") == is_over


def test_each_of_several_children_is_told_of() -> None:
    with opened() as memory:
        said = "We have three kids, Mia, who is a nurse in Hull, Leo, who lives in Bath, and Ida, who is a cook in Ely."
        told = {fact.text for fact in tell(memory, said).facts()}
    assert told == {
        "The user has three kids, Mia, Leo and Ida.",
        "Mia is a nurse in Hull.",
        "Leo lives in Bath.",
        "Ida is a cook in Ely.",
    }
