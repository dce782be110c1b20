"""What three made-up people told in few words: names, medicines, separations, numbers to keep."""

from __future__ import annotations

import pytest

from memoryos_core.rules.knowledge.slots import slots_of
from tests.pipeline.test_a_life_told import known_after


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("im mira", "Mira"),
        ("hi i'm kenji", "Kenji"),
        ("hey im amara", "Amara"),
        ("It's Bernard here.", "Bernard"),
        ("I'm Bex, the shop is the Copper Kettle in Deal", "Bex"),
        ("I'm Tess, this is about my gate", "Tess"),
        ("Hi, I'm Rolf, the landlord.", "Rolf"),
        ("im extra", None),
        ("im into", None),
        ("im vegan", None),
        ("It's Winter here.", None),
        ("It's Christmas here.", None),
        ("I'm Cuban, the food is great", None),
        ("I'm Back, the trip was great", None),
    ],
)
def test_a_name_is_told_in_few_words(text: str, name: str | None) -> None:
    assert known_after(text)[2].get("name") == name


@pytest.mark.parametrize(
    ("news", "name"),
    [
        ("I'm going back to my maiden name, Osei.", "Nora Osei"),
        ("I've gone back to my maiden name, Osei.", "Nora Osei"),
        ("If I went back to my maiden name, Osei, who would mind.", "Nora Hale"),
        ("My sister is going back to her maiden name, Osei.", "Nora Hale"),
        ("So I'm going back to my maiden name, Osei.", "Nora Osei"),
        ('My sister said: "I\'m going back to my maiden name, Osei."', "Nora Hale"),
        ("Translate to French: I'm going back to my maiden name, Osei.", "Nora Hale"),
        ("In my novel Ada says I'm going back to my maiden name, Osei.", "Nora Hale"),
    ],
)
def test_a_maiden_name_comes_back(news: str, name: str) -> None:
    assert known_after("My name is Nora Hale.", news)[2]["name"] == name


NOTHING: set[tuple[str, str, str]] = set()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Lotte is coeliac.", {("lotte", "allergy", "gluten (coeliac)")}),
        ("Lotte is coeliac don't forget, so use the other flour", {("lotte", "allergy", "gluten (coeliac)")}),
        ("Lotte's coeliac", {("lotte", "allergy", "gluten (coeliac)")}),
        ("Piet can't eat nuts.", {("piet", "food", "nuts")}),
        ("Piet can't have dairy, he gets a rash", {("piet", "food", "dairy")}),
        ("My husband can't have nuts.", {("husband", "food", "nuts")}),
        ("Piet can't have Friday off.", NOTHING),
        ("The café is coeliac friendly.", NOTHING),
    ],
)
def test_what_makes_others_ill_is_kept(text: str, told: set[tuple[str, str, str]]) -> None:
    found = {(s.subject, s.attribute, s.value) for fact in known_after(text)[0] for s in slots_of(fact)}
    assert {slot for slot in found if slot[1] in ("allergy", "food")} == told


@pytest.mark.parametrize(
    ("text", "medicine"),
    [
        ("started me on metformin", "metformin"),
        ("The heart woman stopped one and put me on apixaban, twice a day", "apixaban"),
        ("I've been given ramipril", "ramipril"),
        ("Finally the locum put me on sertraline.", "sertraline"),
        ("They wanted to put me on sertraline", None),
        ("They nearly put me on metformin", None),
        ("They started Tom on metformin", None),
        ("I've been given morphine in the ambulance", None),
        ("If they put me on statins I'd moan.", None),
    ],
)
def test_whoever_gives_a_medicine(text: str, medicine: str | None) -> None:
    assert known_after(text)[2].get("medication") == medicine


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("I've been diagnosed with atrial fibrillation.", "atrial fibrillation"),
        ("I have high blood pressure.", "high blood pressure"),
        ("My uncle has been diagnosed with angina.", None),
    ],
)
def test_a_condition_is_told_by_its_diagnosis(text: str, condition: str | None) -> None:
    assert known_after(text)[2].get("condition") == condition


HUSBAND, GIRLFRIEND = "My husband Karl does the garden.", "My girlfriend Mia sings."


@pytest.mark.parametrize(
    ("held", "news", "over"),
    [
        (HUSBAND, "I'm divorced.", True),
        (HUSBAND, "We got divorced in March.", True),
        (HUSBAND, "My divorce is final.", True),
        (HUSBAND, "me and Karl are separating", True),
        (HUSBAND, "Karl and I are getting divorced.", True),
        (HUSBAND, "I left my husband in May.", True),
        (GIRLFRIEND, "mia n me broke up", True),
        ("Karl does the bins, that's my husband.", "I'm divorced.", True),
        (GIRLFRIEND, "I dumped Mia", True),
        (GIRLFRIEND, "I'm single now", True),
        (GIRLFRIEND, "Mia and me have split", True),
        (HUSBAND, "My sister got divorced.", False),
        (HUSBAND, "We're divorced from reality.", False),
        (HUSBAND, "I'm separated from my team by a wall.", False),
        (HUSBAND, "I'm single-minded.", False),
        (HUSBAND, "My parents are separating.", False),
        (HUSBAND, "If I got divorced I'd move.", False),
        (HUSBAND, "I was divorced once before I met Karl.", False),
        (HUSBAND, "Karl is divorced from his first wife.", False),
        (HUSBAND, "My sister's divorce came through.", False),
        (GIRLFRIEND, "I dumped Mia at the station this morning", False),
        (GIRLFRIEND, "I left my girlfriend a note.", False),
        (GIRLFRIEND, "Tom and Mia broke up the old shed.", False),
        ("My husband Karl is allergic to nuts.", "I'm divorced.", False),
        (HUSBAND, "I left my husband for good.", True),
        (HUSBAND, "I left my husband for somebody else.", True),
        (HUSBAND, "I left my husband last spring.", True),
        (HUSBAND, "My divorce came through.", True),
        (GIRLFRIEND, "I dumped Mia in March.", True),
        # Nobody parts for good in a bed, a pool or a queue.
        (HUSBAND, "I left my husband asleep in bed.", False),
        (HUSBAND, "I left my husband on the sofa with the cat.", False),
        (HUSBAND, "I left my husband this morning at 7 to catch the ferry.", False),
        (HUSBAND, "I left my husband in Oslo and drove home.", False),
        (HUSBAND, "I left my husband because of the roadworks.", False),
        (GIRLFRIEND, "I dumped my girlfriend in the lake.", False),
        (GIRLFRIEND, "I dumped Mia in the lake.", False),
        (HUSBAND, "The divorce has come through for my cousin.", False),
        (HUSBAND, "The divorce has come through in my client's case.", False),
        (HUSBAND, "The divorce came through, my cousin told me.", False),
        (GIRLFRIEND, "I'm single this weekend, she's in Oslo.", False),
        (HUSBAND, "I'm single last in the queue.", False),
        (HUSBAND, "I'm single on Mondays.", False),
        (HUSBAND, "Karl and I are separating this weekend, he has a trip.", False),
        (HUSBAND, "Karl and I are separating in Oslo for a day.", False),
    ],
)
def test_who_parted_from_whom(held: str, news: str, *, over: bool) -> None:
    ended = known_after(held, news)[1]
    assert bool(ended) == over


@pytest.mark.parametrize(
    ("held", "news", "studies"),
    [
        ("I'm doing chemistry at Strathclyde.", "I've switched to psychology.", "psychology"),
        ("I study physics.", "swapped to economics now", "economics"),
        ("I study physics at Hull.", "I've transferred to geology", "geology"),
        ("I study physics.", "My sister switched to psychology.", "physics"),
        ("I study physics.", "I switched to decaf.", "physics"),
        ("I study physics.", "thinking of switching to psychology", "physics"),
        ("I study physics.", "I switched to music while cooking", "physics"),
        ("I teach physics.", "I've switched to maths this year", None),
        ("I keep bees.", "I switched to chemistry in the game", None),
        ("I keep bees.", "I've switched to chemistry, says my daughter", None),
    ],
)
def test_another_subject_is_studied(held: str, news: str, studies: str) -> None:
    assert known_after(held, news)[2].get("studies") == studies


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("student number 4410022, can you keep that", "The user's student number is 4410022."),
        ("ok. policy number: QX12345 pls keep", "The user's policy number is QX12345."),
        ("My late wife Greta loved roses.", "The user's late wife was called Greta."),
        ("My late dad Monday calls were fun.", None),
        ("Tom's student number 4455667 is on the card", None),
        ("The order number 5 is on the menu", None),
        ("Give me a student number between 10 and 20.", None),
    ],
)
def test_a_number_to_keep(text: str, told: str | None) -> None:
    holding = {fact for fact in known_after(text)[0] if " number is " in fact or "late wife was" in fact}
    assert holding == ({told} if told else set())


@pytest.mark.parametrize(
    ("text", "field", "value"),
    [
        ("flat's mine from 1 september! 850 a month.", "home", None),
        ("The house is ours from 3 July!", "home", None),
        ("I run a bakery.", "occupation", "runs a bakery"),
        ("I run my own salon in Hull.", "occupation", "runs their own salon"),
        ("I run a marathon every year.", "occupation", None),
        ("I'm 41 today.", "age", "41"),
        ("I'm 41 on paper.", "age", "41"),
    ],
)
def test_a_value_is_no_word_beside_it(text: str, field: str, value: str | None) -> None:
    assert known_after(text)[2].get(field) == value


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("We'd 30 years together.", "The user had 30 years together."),
        ("I'd a parrot called Kiki as a girl.", "The user had a parrot called Kiki as a girl."),
        ("I'd said I'd retire at 70.", "The user had said they would retire at 70."),
        ("I'd need a new car.", "The user would need a new car."),
        ("I'd like a dog.", "The user would like a dog."),
        ("I'd buy a house in Leeds.", "The user would buy a house in Leeds."),
        ("Running the Leeds marathon in April.", "The user is running the Leeds marathon in April."),
    ],
)
def test_had_and_would_are_told_apart(text: str, told: str) -> None:
    assert known_after(text)[0] == {told}


def test_a_heading_is_nothing_that_somebody_does() -> None:
    assert not known_after("Running order.")[0] | known_after("Training costs.")[0]


@pytest.mark.parametrize(
    ("news", "diet"),
    [
        ("also not vegan anymore", None),
        ("no longer vegan btw", None),
        ("not single any more", "vegan"),
        ("not funny anymore", "vegan"),
    ],
)
def test_an_end_without_its_subject(news: str, diet: str | None) -> None:
    assert known_after("I'm vegan.", news)[2].get("diet") == diet


@pytest.mark.parametrize(
    ("text", "field", "value"),
    [
        ("there's 3 of us in the flat on elm park road, me jo and kit", "home", "Elm Park Road"),
        ("There are five of us in our house in Hull", "home", "Hull"),
        ("my flat's in Leith, I share with Priya", "home", "Leith"),
        ("my flat's in Govan now", "home", "Govan"),
        # A holiday, a ship, a second home, and what is no place.
        ("There are six of us in a house in Malaga.", "home", None),
        ("My room's in Hilton Faro.", "home", None),
        ("My room's on Deck Nine.", "home", None),
        ("My cottage is in Wales, we go at weekends.", "home", None),
        ("My place is in Spain and I let it out.", "home", None),
        ("My studio is in Shoreditch, I paint there.", "home", None),
        ("My flat's on fire", "home", None),
        ("My flat's on Monday", "home", None),
        ("My flat's near Asda", "home", None),
        ("My flat's in Minecraft", "home", None),
        ("I do weekends at Nana's.", "employer", None),
        ("I do nights at Xmas.", "employer", None),
        ("I do days at Easter.", "employer", None),
        ("I do Saturdays at Parkrun.", "employer", None),
        ("I do Sundays at Church.", "employer", None),
        ("I do mornings at Home.", "employer", None),
        ("I do weekends at the Crown for Tom.", "employer", None),
        ("I'm a law student's mum.", "studies", None),
        ("My flat's in a mess.", "home", None),
        ("My parents' flat's in Leith.", "home", None),
        ("There's four of us in a flat in Rome for the week", "home", None),
        ("There's four of us in the team", "home", None),
        ("I do the door at the Roxy", "employer", "Roxy"),
        ("i do weekends at the Crown", "employer", "Crown"),
        ("I do yoga at the Crown.", "employer", None),
        ("I did the bar at the Roxy once", "employer", None),
        ("its official im a psychology student as of today", "studies", "psychology"),
        ("My sister's a psychology student", "studies", None),
        ("I was 30 years with the post, sorting, retired in 2012", "occupation", "retired"),
        ("My dad was 30 years with the post, retired in 2012", "occupation", None),
    ],
)
def test_where_somebody_belongs_without_its_verb(text: str, field: str, value: str | None) -> None:
    assert known_after(text)[2].get(field) == value


def test_shifts_stand_beside_a_job() -> None:
    known = known_after("I work at Shell.", "I do weekends at the Crown.")
    assert known[1] == set()
    assert known[2]["employer"] == "Shell"


@pytest.mark.parametrize(
    "news", ["My flat's in Leith.", "My house is near Bramley.", "There's 3 of us in the flat in Leith"]
)
def test_a_home_that_a_flat_tells_replaces_no_address(news: str) -> None:
    assert known_after("I live at 12 Oak Lane, Leeds.", news)[2]["home"] == "12 Oak Lane"


def test_a_flat_that_is_taken_is_a_home_to_come() -> None:
    holding, ended, profile = known_after("I live in Hull.", "We're taking the flat in Leith, moving 30 June.")
    assert ended == set()
    assert profile["home"] == "Hull"
    assert "The user is moving to Leith on 30 June." in holding


@pytest.mark.parametrize(
    ("news", "studies"),
    [
        ("I got a job at the uni library", "psychology"),
        ("I started at Tesco last week.", "psychology"),
        ("I dropped out and got a job at Tesco.", None),
    ],
)
def test_a_student_may_have_a_job(news: str, studies: str | None) -> None:
    assert known_after("I study psychology.", news)[2].get("studies") == studies


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("im gonna", "name"),
        ("It's Thanksgiving here.", "name"),
        ("I do weekends in Rome", "employer"),
        ("I was 30 years with the post, my dad retired in 2014", "occupation"),
        ("My friend says they put me on metformin as a joke", "medication"),
        ("My room's in Govan for the conference", "home"),
    ],
)
def test_what_only_looks_like_a_field_fills_none(text: str, field: str) -> None:
    assert known_after(text)[2].get(field) is None


@pytest.mark.parametrize(
    "text",
    [
        "I've moved my dentist to Friday.",
        "I've moved my dentist to June.",
        "My puppy is 20 pounds now.",
        "The baby is 9 pounds now!",
        "My bench press is 100 pounds now.",
        "Asda is on 12 an hour.",
        "The flowers are from Tom.",
        "We get our strength from Jesus.",
    ],
)
def test_no_value_is_made_of_what_is_said_by_the_way(text: str) -> None:
    assert len(known_after(text)[0]) <= 1


def test_the_name_of_whoever_died_has_no_ending() -> None:
    assert "The user's late husband was called Piet." in known_after("My late husband Piet's birthday is in June.")[0]


def test_a_bare_denial_answers_what_was_asked() -> None:
    assert known_after("I'm a coeliac.", "not coeliac")[1] == set()
