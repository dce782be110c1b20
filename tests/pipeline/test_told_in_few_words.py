"""What three made-up people told in few words: names, medicines, separations, numbers to keep."""

from __future__ import annotations

import pytest

from memoryos_core import MemoryOS
from memoryos_core.rules.knowledge.slots import slots_of
from tests.pipeline.test_a_life_told import MANUAL, NOW, known_after


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
        ("I'm going back to my maiden name, Osei.", "Nora Hale"),
        ("I've gone back to my maiden name, Osei.", "Nora Hale"),
        ("If I went back to my maiden name, Osei, who would mind.", "Nora Hale"),
        ("My sister is going back to her maiden name, Osei.", "Nora Hale"),
        ("So I'm going back to my maiden name, Osei.", "Nora Hale"),
        ('My sister said: "I\'m going back to my maiden name, Osei."', "Nora Hale"),
        ("Translate to French: I'm going back to my maiden name, Osei.", "Nora Hale"),
        ("In my novel Ada says I'm going back to my maiden name, Osei.", "Nora Hale"),
    ],
)
def test_a_maiden_name_makes_no_name_of_two_pages(news: str, name: str) -> None:
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


# ------------------------------------------------------------ what only looks like a text, a game, an order


@pytest.mark.parametrize(
    ("text", "home"),
    [
        ("Can you believe it? Dear God, I live in Hull.", "Hull"),
        ("Why now? Dear me, I live in Hull.", "Hull"),
        ("what?\nDear oh dear, I live in Hull.", "Hull"),
        ("How's things? Dear friend, I live in Hull now.", "Hull"),
        ("About this: dear Bruno, my cat, died. I live in Hull.", "Hull"),
        ("This came today!\nI love my new desk. I live in Hull.", "Hull"),
        ("This arrived this morning\nI live in Hull.", "Hull"),
        ("My gran always says this\nI live in Hull.", "Hull"),
        ("The dentist said this and I cried\nI live in Hull.", "Hull"),
        ("Please read this\nI'm so low. I live in Hull.", "Hull"),
        ("Review this please:\nI live in Hull.", "Hull"),
        ("I had this, is that normal?\nI live in Hull.", "Hull"),
        ("got this email\nYour lease is up.\n\nI live in Hull, is it a scam?", "Hull"),
        ("got this email\nYour lease is up. I live in Bath.\nI live in Hull btw", "Hull"),
        # What is told of a text, or of a thing, goes on as the user's own news.
        ("My manager sent me this email on Monday.\n\nI live in Hull and he wants me in York. Help?", "Hull"),
        ("got this letter from the surgery\nI live in Hull, can they move me to York?", "Hull"),
        ("my aunt texted me this, honestly\nI live in Hull and she knows it", "Hull"),
        ("We got this invite to a hen do in Riga\nI live in Hull, where do I fly from?", "Hull"),
        ("I read it all: I got this email about my grant!\nI live in Hull so I qualify.", "Hull"),
        ("My cousin sent this but the box was crushed\nI live in Hull, who do I ring?", "Hull"),
        ("this is the email I dreamt of\nI live in Hull now!!", "Hull"),
        ("I found this listing for a loft\nI live in Hull, is the loft near?", "Hull"),
        ("Can you edit this letter?\nanyway I live in Hull", "Hull"),
        ("got this note from Ines\nbtw I live in Hull", "Hull"),
        ("my mate sent me this\n\nI live in Hull and I want one", "Hull"),
        ("I live in Hull.\nmy mate sent me this\n", "Hull"),
        ("check this for me\nWhen is the train?\nI live in Hull. Cheers", "Hull"),
        ("have a look, review this\nHello! I live in Hull and I need a plan.", "Hull"),
        ("My uncle sent me this message:\nI live in Hull, come by", None),
        ("got this text from my uncle today\nI live in Hull, come by", None),
        ("my uncle messaged me this. What do I answer?\nI live in Hull, come by", None),
        ("I had this letter from the school and it upset me\nDear parents, I live in Hull.", None),
        ("got this email about the flat\nI live in Hull.\nBest wishes, Ines", None),
        ("check this for me\nI live in Hull. Thanks\nInes", None),
        ("Is it a scam? Dear valued customer, I live in Hull.", None),
        ("Check this please:\nWe live in Hull. Love Sandy xx", None),
        ("my boss sent me this\nDear team,\n\nI live in Hull now.\n\nI quit.", None),
        ("This letter came today\nI live in Hull.", None),
        ("What is this?\nDear Ms Cole,\nI live in Hull.", None),
    ],
)
def test_a_line_that_brings_no_text_hides_nothing(text: str, home: str | None) -> None:
    assert known_after(text)[2].get("home") == home


@pytest.mark.parametrize(
    "place", ["Boxing Day", "London", "Freezing", "Bedlam", "August", "Wimbledon", "Quiet", "Omar"]
)
def test_who_or_what_is_here_replaces_no_name(place: str) -> None:
    assert known_after("My name is Nora Hale.", f"It's {place} here.")[2]["name"] == "Nora Hale"


@pytest.mark.parametrize("place", ["Boxing Day", "London", "Freezing", "Bedlam", "August", "Spain", "Covid", "Pride"])
def test_a_place_or_a_feast_is_no_name(place: str) -> None:
    assert known_after(f"It's {place} here.")[2].get("name") is None


@pytest.mark.parametrize(
    ("text", "home"),
    [
        ("You are a parent too so I'll be a bit open. I live in Hull.", "Hull"),
        ("You're a good friend and I'll be the first to say so. I live in Hull.", "Hull"),
        ("You be a friend to me, I'm the loneliest man. I live in Hull.", "Hull"),
        ("Act as a patient teacher. I live in Hull.", "Hull"),
        ("Act as a judge: the neighbour sings at night. I live in Hull.", "Hull"),
        ("Act as an interviewer. I'm applying to Shell. I live in Hull.", "Hull"),
        ("Act as a patient for my exam. I'm a medical student. I live in Hull.", "Hull"),
        ("Pretend to be my student. I live in Hull.", "Hull"),
        ("My kids play shop. Be a customer. I live in Hull.", "Hull"),
        ("Act as my therapist. I'm a mum called Jo. I live in Hull.", "Hull"),
        ("Interview me for the podcast. I'm a baker called Anna. I live in Hull.", "Hull"),
        ("Quiz me on tides. I'm a sailor called Anna. I live in Hull.", "Hull"),
        ("Act as a lecturer and quiz me. My finals are in May. I live in Hull.", "Hull"),
        ("Act as an examiner and test me on tax law. I live in Hull.", "Hull"),
        ("Be my coach and I'll be a better student. I live in Hull.", "Hull"),
        ("You be the judge, I'm the manager. I live in Hull.", "Hull"),
        ("You be the doctor, I'm the nurse on call. I live in Hull.", "Hull"),
        ("You be my mentor, I'm a teacher. I live in Hull.", "Hull"),
        ("You be the chef, I'm the waiter. I live in Hull.", None),
        ("Be a landlord and I'll be a new tenant who is late. I live in Hull.", None),
        ("Act as a customs officer and question me. I live in Hull.", None),
        ("Play a waiter and I'll be the guest. I live in Hull.", None),
        ("You be the landlord, I'm the tenant. I live in Hull.", None),
        ("Act as an examiner and grill me. I live in Hull.", None),
        ("Act as a border guard. I'm a tourist called Anna. I live in Hull.", None),
        ("Let's start. You play the vet and I'll be a worried customer. I live in Hull.", None),
    ],
)
def test_only_who_plays_a_part_tells_nothing(text: str, home: str | None) -> None:
    assert known_after(text)[2].get("home") == home


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("Meeting cancelled Friday", "is meeting"),
        ("Meeting room booked Friday", "is meeting"),
        ("Visiting professor Monday", "is visiting"),
        ("We're expecting a parcel. It's due on 3 July.", "baby"),
        ("We're expecting our first guests. They're due on 3 July.", "baby"),
        ("My son's on tour. He said back in three weeks, 3 July.", "go back"),
        ("Lena is abroad. She says back in two weeks, 3 July.", "go back"),
        ("We chose a new carpet. They said back in three weeks, 3 July.", "go back"),
        ("The roofers left at noon. They said back in two weeks, 3 July.", "go back"),
        ("The cat saw the nurse. They said back in two weeks, 3 July.", "go back"),
        ("The website is broken. They say back in three days, 3 July.", "go back"),
        ("The choir was lovely. They said back in two weeks, 3 July.", "go back"),
        ("I took Leo for his jab. They said back in two weeks, 3 July.", "go back"),
        ("The mare's pregnant. Due 3 July.", "baby"),
        ("Got the interview Monday, nailed it!", "has got the interview"),
        ("Leeds have slipped to 5th in the table.", "moved"),
        ("Leeds have slipped to 5th.", "moved"),
        ("The cat slipped to the 2nd floor.", "moved"),
    ],
)
def test_a_fragment_of_something_else_tells_no_appointment(text: str, part: str) -> None:
    assert not [fact for fact in known_after(text)[0] if part in fact]


def test_each_of_several_days_has_the_year_and_the_hour() -> None:
    told = "The fair is on 5, 6 and 7 August 2027 at 10am."
    assert "6 August 2027 at 10am" in " ".join(known_after(told)[0])


@pytest.mark.parametrize(
    ("text", "ordered"),
    [
        ("No warning signs", None),
        ("No vital signs.", None),
        ("No formula, I breastfeed.", None),
        ("No more maths!", None),
        ("Make the text larger.", None),
        ("We have visitors tonight, so don't suggest pork.", None),
        ("We have visitors on Friday so please don't recommend pork", None),
    ],
)
def test_what_only_sounds_like_an_order_is_none(text: str, ordered: str | None) -> None:
    orders = [fact for fact in known_after(text)[0] if "the assistant to" in fact or "From now on" in fact]
    assert len(orders) == (ordered is not None)
    assert ordered is None or ordered in orders[0]


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("I have been diagnosed with nothing.", None),
        ("I've been diagnosed with nothing serious.", None),
        ("I was diagnosed with a bad cold.", None),
        ("I was diagnosed with cold urticaria.", "cold urticaria"),
        ("I was diagnosed with a sprained wrist.", None),
        ("I've been diagnosed with idleness by my dad.", None),
        ("I've been diagnosed with a heart murmur.", "heart murmur"),
        ("I was diagnosed with epilepsy.", "epilepsy"),
    ],
)
def test_what_passes_is_no_condition(text: str, condition: str | None) -> None:
    assert known_after(text)[2].get("condition") == condition


@pytest.mark.parametrize(
    ("news", "number"),
    [
        ("I rang Aviva. Policy number 4471, keep it", "4471"),
        ("New cover at last. Policy number 4471, keep it", "4471"),
        ("Omar crashed. Policy number 4471, keep it", "1234"),
        ("Ines has left for Oslo. Policy number 4471.", "1234"),
        ("I wrote in about Omar. Policy number 4471.", "1234"),
        ("My aunt fell. Policy number 4471.", "1234"),
    ],
)
def test_a_number_behind_news_of_another_is_theirs(news: str, number: str) -> None:
    facts = known_after("My policy number is 1234.", news)[0]
    assert any(number in fact and "policy number is" in fact for fact in facts)


@pytest.mark.parametrize(
    ("asked", "answer", "told"),
    [
        ("Can you draft a letter?", "Sure. I will call you Max from now on.", True),
        ("Can you write me a plan for the move?", "Here it is. I'll remind you the day before.", True),
        ("Can you write me a letter?", "Dear Tom, I will move out. I'll remind you the day before.", False),
        ("Can you write a note to Tom?", "Tom, I will call you on Monday. I will pay.", False),
        ("Translate: ich rufe dich an", "I'll remind you tomorrow.", False),
        ("Draft a note to the school and book the dentist", "I've booked the dentist for you on 4 July.", True),
        ("Write a toast for me and set an alarm", "I've set an alarm for 4 July at 7am.", True),
        ("Rewrite this line and remind me about the toast", "I'll remind you about the toast on 4 July.", True),
        ("Write a text to Tom that we have a table", "I've booked the table for 4 July at 7pm.", False),
        ("Write a mail that says it is done", "I've scheduled the repair for 4 July.", False),
        ("Write a note and add the day", "I've reserved the hall for 4 July.", False),
        ("Write a letter to Tom and book it", "Dear Tom,\nI've booked the hall for 4 July.", False),
    ],
)
def test_an_assistant_promises_beside_a_text(asked: str, answer: str, told: bool) -> None:
    with MemoryOS("sqlite://", embedder=None, config=MANUAL, clock=lambda: NOW) as memory:
        user = memory.user("k")
        user.add(asked, answer, timestamp=NOW)
        user.end_session()
        user.consolidate()
        assert any(fact.about == "assistant" for fact in user.facts(current=False)) == told


@pytest.mark.parametrize(
    ("said", "numbers"),
    [
        (("Gran's in hospital. Room number 12.",), []),
        (("Order number 66, and the droids march.",), []),
        (("My student number is 4410022.", "My friend: student number 7654321."), ["student number is 4410022"]),
        (("His case number 55-123, she said.",), []),
        (("Booking ref: AB123. Thanks",), ["booking ref is AB123"]),
        (("My dad rang. My order number is 77123.",), ["order number is 77123"]),
        (("locker number 12 and please keep it",), ["locker number is 12"]),
    ],
)
def test_a_number_of_another_is_not_the_users(said: tuple[str, ...], numbers: list[str]) -> None:
    held = [fact for fact in known_after(*said)[0] if "number is" in fact or "ref is" in fact]
    assert held == [f"The user's {number}." for number in numbers]


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
