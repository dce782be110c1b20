"""Slots of statements, and which statement replaces which. The first pairs were written before the rules."""

from __future__ import annotations

import time
from dataclasses import replace
from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryos_core.rules.knowledge.slots import Slot, label_of, slots_of
from memoryos_core.rules.knowledge.supersession import compare, find_disputes, key_of
from memoryos_core.values.facts import Fact

REPLACED = [
    ("I live in Turin with two flatmates.", "We moved to Oslo last month."),
    ("The user lives in Turin.", "The user has moved to Oslo."),
    ("Tom lives in Turin.", "Tom now lives in Oslo."),
    ("My flat is in Graz.", "I signed the lease yesterday, so from May my new address is in Linz."),
    ("I work as a plumber.", "I quit plumbing; I'm a tram driver now."),
    ("I'm a junior lawyer at Brandt & Co.", "I started a new job as a notary's clerk on Monday."),
    ("I am a vegetarian.", "I'm vegan now, no more cheese for me."),
    ("My favourite dish is lasagne.", "My favourite dish is now pho."),
    ("My favorite band is Low.", "My favorite band these days is Slint."),
    ("I am 34 years old.", "I turned 35 yesterday."),
    ("My phone number is 0171 2345.", "I have a new phone number: 0160 9876."),
    ("My e-mail address is ana@old.example.", "Please use my new email, ana@new.example."),
    ("I drive a white Peugeot.", "I sold the Peugeot and drive an electric Zoe now."),
    ("The deadline of the tax return is 31 May.", "The deadline of the tax return was extended to 31 July."),
    ("Ruth's wedding is on 4 May.", "Ruth moved the wedding to 11 May."),
    ("My sister Ruth marries on 4 May.", "Ruth moved the wedding to 11 May."),
    ("The wedding is booked for Saturday 4 May in Kent.", "Ruth cried for a day and then moved the wedding to 11 May."),
    ("I always want a window seat on trains.", "I want no more window seats."),
    ("I've been vegetarian since school.", "I'm not vegetarian any more, strictly."),
    ("My budget for the kitchen is 9,000 euros.", "I raised the kitchen budget to 12,000 euros."),
    ("Our team has 6 members.", "Our team has 8 members now."),
    ("The server runs version 2.3.", "We upgraded the server to version 3.0."),
    ("The app's load time is 900 ms.", "After caching, the app's load time is down to 400 ms."),
    ("I'm single.", "I got engaged to Noor at Easter."),
    ("I'm married to Paul.", "Paul and I got divorced last year."),
    ("I use Vim as my editor.", "I switched from Vim to Zed."),
    ("My choir rehearses on Tuesdays.", "My choir rehearses on Thursdays instead."),
    ("The interview is at 3 pm.", "Sorry, I meant 4 pm for the interview."),
    ("My shoe size is 42.", "Actually, my shoe size is 43."),
    ("My name is Katrin.", "No wait, my name is Catrin, with a C."),
    ("The capital of Tanzania is Dar es Salaam.", "The capital of Tanzania is Dodoma."),
    ("Norma was composed by Verdi.", "Norma was composed by Bellini."),
    ("Ada was born in the city of Leeds.", "Ada was born in the city of York."),
    ("My brother Ivo works as a baker.", "Ivo works as a paramedic now."),
    ("My dentist is Dr Salas.", "My dentist is Dr Petrov now."),
    ("Ich wohne in Kassel.", "Ich bin nach Jena umgezogen."),
    ("Ich arbeite als Köchin.", "Ich arbeite jetzt als Lehrerin."),
    ("Mein Lieblingsessen ist Gulasch.", "Mein Lieblingsessen ist jetzt Sushi."),
    ("J'habite à Nantes.", "J'ai déménagé à Brest."),
    ("Mon plat préféré est la raclette.", "Mon plat préféré est le couscous maintenant."),
    ("Vivo en Sevilla.", "Me mudé a Bilbao el mes pasado."),
    ("Trabajo como camarero.", "Ahora trabajo como electricista."),
    ("Me llamo Lucía.", "Perdón, me llamo Lucila."),
]

RETIRED = [
    ("I eat meat.", "I no longer eat meat."),
    ("I smoke ten cigarettes a day.", "I gave up smoking."),
    ("I have a motorbike.", "I sold the motorbike."),
    ("I'm dating Leo.", "Leo and I broke up."),
    ("Always answer in bullet points.", "You don't need to answer in bullet points any more."),
    ("I'm allergic to peanuts.", "I'm not allergic to peanuts any more, the doctor says."),
    ("Ich rauche Pfeife.", "Ich rauche nicht mehr."),
    ("Je mange de la viande.", "Je ne mange plus de viande."),
    ("Como carne.", "Ya no como carne."),
    ("Tom plays badminton.", "Tom stopped playing badminton."),
]

KEPT = [
    ("Mara drives a beat-up Skoda but it's dying.", "Mara quit teaching."),
    ("I have a parrot called Coco.", "I also have a second parrot, Kiki."),
    ("I have a dog named Rex.", "I adopted a cat named Lulu."),
    ("I live in Turin.", "I'm in Oslo this week for a fair."),
    ("I live in Turin.", "My friend Gus lives in Oslo."),
    ("I live in Turin.", "If I moved to Oslo, I would ski every day."),
    ("I live in Turin.", "I might move to Oslo one day."),
    ("I live in Turin.", "I used to live in Oslo."),
    ("I live in Turin.", "When I lived in Oslo, I skied a lot."),
    ("I live in Turin.", 'In the song she sings "I live in Oslo now".'),
    ("I live in Turin.", "Should I move to Oslo?"),
    ("I live in Turin.", "I almost moved to Oslo, but it fell through."),
    ("I live in Turin.", "My brother Ivo moved to Oslo."),
    ("Ruth lives in Turin.", "Ivo moved to Oslo."),
    ("I work as a plumber.", "My wife works as a lawyer."),
    ("I'm allergic to peanuts.", "I'm allergic to latex."),
    ("I'm allergic to peanuts.", "I'm allergic to latex too now."),
    ("Always answer in bullet points.", "Please always use metric units."),
    ("I like jazz.", "I like chess."),
    ("I speak Dutch.", "I speak Polish."),
    ("My favourite dish is lasagne.", "My favourite drink is mate."),
    ("My rent is 700 euros.", "My new car costs 18,000 euros."),
    ("The dinner with Ana is on 4 May.", "The dinner with Bruno is on 9 May."),
    ("The capital of Tanzania is Dodoma.", "The capital of Palau is Ngerulmud."),
    ("Norma was composed by Bellini.", "Fidelio was composed by Beethoven."),
    ("Ada is afraid of spiders.", "Ada is afraid of heights."),
    ("I visited Malta.", "I visited Crete."),
    ("I play the oboe.", "I play tennis on Mondays."),
    ("My brother Ivo works as a baker.", "My brother Theo works as a paramedic."),
    ("I drive a white Peugeot.", "My first car was a red Panda."),
    ("Ich wohne in Kassel.", "Meine Tante wohnt in Jena."),
    ("Ich wohne in Kassel.", "Früher habe ich in Jena gewohnt."),
    ("J'habite à Nantes.", "Mon frère habite à Brest."),
    ("Vivo en Sevilla.", "Antes vivía en Bilbao."),
    ("Vivo en Sevilla.", "Mi amiga vive en Bilbao."),
    ("I live in Turin with my cat.", "I'm a vegetarian no longer, I eat fish now."),
    ("The company pays well.", "The company I work for moved to Oslo."),
    ("I live in Turin.", "She told me: I live in Oslo now."),
    ("My oboe lesson is on Tuesdays.", "My judo lesson has been moved to Thursdays."),
    ("My rent is 700 euros.", "My water bill went up to 90 euros."),
    ("My laptop is a Zenbook.", "My toaster broke yesterday."),
    ("I want to learn the cello.", "My appointment with Dr Petrov was moved to 9 May."),
]

UNCERTAIN = [
    ("I have written two poems about the sea.", "I have never written any poems."),
    ("The user finished the pottery course.", "The user has never attended any pottery course."),
]


@pytest.mark.parametrize(("old", "new"), REPLACED)
def test_a_new_value_replaces(old: str, new: str) -> None:
    assert compare(old, new) in ("replaces", "retires")


@pytest.mark.parametrize(("old", "new"), RETIRED)
def test_what_no_longer_holds_is_retired(old: str, new: str) -> None:
    assert compare(old, new) in ("retires", "replaces")


@pytest.mark.parametrize(("old", "new"), KEPT)
def test_what_still_holds_is_kept(old: str, new: str) -> None:
    assert compare(old, new) in ("adds", "unrelated")


@pytest.mark.parametrize(("old", "new"), UNCERTAIN)
def test_a_contradiction_without_a_change_is_disputed(old: str, new: str) -> None:
    assert compare(old, new) == "disputes"


def known(*texts: str) -> list[Fact]:
    """Facts that hold, each said a day after the one before it."""
    days = [datetime(2026, 3, 1, tzinfo=timezone.utc) + timedelta(days=day) for day in range(len(texts))]
    return [Fact(f"f{n}", "user", text, day, day, seq=n) for n, (text, day) in enumerate(zip(texts, days, strict=True))]


DISPUTED = [
    *UNCERTAIN,
    ("The user lives in Lisbon.", "The user lives in Porto."),
    ("Tom lives in Turin.", "The user lives in Oslo."),
    ("The user's rent is 700 euros.", "The user's rent is 750 euros."),
    ("The user likes jazz.", "The user no longer likes jazz."),
]


@pytest.mark.parametrize(("old", "new"), DISPUTED)
def test_facts_that_contradict_each_other_while_both_hold_are_in_dispute(old: str, new: str) -> None:
    for said in ((old, new), (new, old)):
        (dispute,) = find_disputes(known(said[0], "The user keeps bees.", said[1]), ("Tom",))
        assert (dispute.earlier.text, dispute.later.text) == said


@pytest.mark.parametrize(
    ("old", "new"),
    [
        *KEPT,
        ("The user has a cat called Moth.", "The user has a dog called Biscuit."),
        ("The user plays the cello.", "The user plays tennis."),
        ("The user likes jazz.", "The user likes blues."),
        ("The user's sister lives in Lisbon.", "The user lives in Porto."),
        ("The user never drinks strong coffee.", "The user's sister drinks strong coffee."),
        ("The user will never quit the band.", "The user won't quit the band."),
        ("The user will never quit.", "The user quit smoking."),
        ("The user lives in Lisbon.", "The user lives in Lisbon."),
    ],
)
def test_facts_that_may_both_hold_are_in_no_dispute(old: str, new: str) -> None:
    assert find_disputes(known(old, new)) == []
    assert find_disputes(known(new, old)) == []


def test_an_order_is_in_no_dispute_with_what_it_is_about() -> None:
    told, order = known(
        "The user and Minh broke up in Hanoi.",
        "The user wants the assistant to never bring up that they and Minh broke up.",
    )
    assert find_disputes([told, order]) != []
    assert find_disputes([told, replace(order, kind="instruction")]) == []


def test_ten_thousand_facts_of_one_slot_are_compared_in_bounded_time() -> None:
    facts = known(*(f"The user lives in Town{n}." for n in range(5_000)))
    facts += known(*(f"The user has never seen the tower of Town{n}." for n in range(5_000)))
    began = time.process_time()
    assert find_disputes(facts)
    assert time.process_time() - began < 20


@pytest.mark.parametrize(("old", "new"), [*REPLACED, *RETIRED, *UNCERTAIN])
def test_pairs_that_meet_share_a_key(old: str, new: str) -> None:
    assert key_of(old) & key_of(new)


@pytest.mark.parametrize("pairs", [REPLACED, RETIRED, KEPT, UNCERTAIN])
def test_the_same_statement_never_replaces_itself(pairs: list[tuple[str, str]]) -> None:
    for pair in pairs:
        for text in pair:
            assert compare(text, text) in ("repeats", "adds", "unrelated"), text


@pytest.mark.parametrize(
    ("text", "names", "slot"),
    [
        ("I live in Turin with two flatmates.", (), Slot("user", "home", "Turin")),
        ("Tom lives in Turin.", ("Tom",), Slot("user", "home", "Turin")),
        ('Tom said: "I live in Turin now."', (), Slot("tom", "home", "Turin")),
        ("My sister Ruth's wedding is on 11 May.", (), Slot("ruth", "wedding", "11 May")),
        ("Tom has been vegetarian since school.", ("Tom",), Slot("user", "diet", "vegetarian")),
        ("Tom has been a nurse since May.", ("Tom",), Slot("user", "occupation", "nurse")),
        ("I'm starting as a lab manager on Monday.", (), Slot("user", "occupation", "lab manager")),
        ("I'm a GIS analyst.", (), Slot("user", "occupation", "GIS analyst")),
        ("I'm a senior data engineer.", (), Slot("user", "occupation", "senior data engineer")),
        ("I'm a primary school teacher.", (), Slot("user", "occupation", "primary school teacher")),
        ("I go to primary school.", (), Slot("user", "school", "primary school")),
        ("I'm a PhD student in physics at ETH.", (), Slot("user", "occupation", "PhD student")),
        ("I'm a teacher with ADHD.", (), Slot("user", "occupation", "teacher")),
        ("I live in a small town near Lyon.", (), Slot("user", "home", "small town near Lyon")),
        ("I got a new job at the Vue cinema doing popcorn.", (), Slot("user", "employer", "Vue cinema")),
        ("My address is Old Street 5.", (), Slot("user", "home", "Old Street 5")),
        ("My car is an old Audi.", (), Slot("user", "vehicle", "old Audi")),
        ("My job is full-time nurse.", (), Slot("user", "occupation", "full-time nurse")),
        ("My job is making furniture.", (), Slot("user", "occupation", "making furniture")),
        ("I work at Nike tho.", (), Slot("user", "employer", "Nike")),
        ("I have prediabetes.", (), Slot("user", "condition", "prediabetes", many=True)),
        ("I'm broke and allergic to peanuts.", (), Slot("user", "allergy", "peanuts", many=True)),
        ("My son Peter lives in Toronto and I talk to him often.", (), Slot("peter", "home", "Toronto")),
        ("I live in Porto near the river.", (), Slot("user", "home", "Porto")),
        ("I moved to Leith on Saturday.", (), Slot("user", "home", "Leith")),
        ("Ruth's wedding is on 4 May.", (), Slot("ruth", "wedding", "4 May")),
        ("My favorite dish is pho.", (), Slot("user", "favourite dish", "pho")),
        ("The capital of Tanzania is Dodoma.", (), Slot("", "capital of tanzania", "Dodoma")),
        ("I no longer eat meat.", (), Slot("user", "food", "meat", many=True, negated=True)),
        ("I'm allergic to latex.", (), Slot("user", "allergy", "latex", many=True)),
        ("Ich heiße Jule.", (), Slot("user", "name", "Jule")),
    ],
)
def test_the_slot_of_a_statement(text: str, names: tuple[str, ...], slot: Slot) -> None:
    assert slots_of(text, names) == (slot,)


@pytest.mark.parametrize(
    ("text", "job", "employer"),
    [
        ("I'm a GIS analyst at Ridgewater.", "GIS analyst", "Ridgewater"),
        ("I'm a software engineer at Spotify in Stockholm.", "software engineer", "Spotify"),
        ("I work as a nurse at Mercy Hospital.", "nurse", "Mercy Hospital"),
        ("I'm a nurse at Bosch now.", "nurse", "Bosch"),
    ],
)
def test_an_employer_stands_beside_the_job(text: str, job: str, employer: str) -> None:
    assert {(slot.attribute, slot.value) for slot in slots_of(text)} == {("occupation", job), ("employer", employer)}


@pytest.mark.parametrize(
    "text",
    [
        *("I'm a vegan coach.", "The current status is that nothing works.", "Longer drives are a drag."),
        *("My bike was stolen.", "My car is in the garage.", "My house is a mess.", "My house is too big for me now."),
        *("My job is killing me.", "My phone is dying by noon.", "My flat is freezing.", "My house was broken into."),
        *("I'm a developer with Python.", "I'm a teacher for English.", "I moved to days since August."),
        *("I've moved to part-time.", "My car is making a noise."),
        *("I'm seeing progress and the dancers are so excited.", "I'm seeing results.", "I'm seeing Coldplay in May."),
        *("Losing my job was a bummer.", "Changing our car was a mistake.", "Moving my home office is tiring."),
    ],
)
def test_what_only_looks_like_a_value_is_none(text: str) -> None:
    of_life = {"diet", "relationship", "vehicle", "home", "phone", "employer"}
    assert {slot.attribute for slot in slots_of(text)}.isdisjoint(of_life)
    assert all(slot.value not in ("killing me", "making a noise", "bummer", "mistake") for slot in slots_of(text))


@pytest.mark.parametrize(
    "text", ["", " ", "?", "Thanks!", "def f(x): return x", "Do I live in Turin?", "If I lived in Turin, I would ski."]
)
def test_no_slot_is_read_where_nothing_is_stated(text: str) -> None:
    assert slots_of(text) == ()


@pytest.mark.parametrize(
    ("slot", "label"),
    [
        (Slot("user", "home", "Turin"), "Home"),
        (Slot("ruth", "wedding", "4 May"), "Ruth's wedding"),
        (Slot("", "capital of tanzania", "Dodoma"), "Capital of tanzania"),
        (Slot("chess club", "is associated with sport", "go"), "Chess Club is associated with sport"),
    ],
)
def test_labels(slot: Slot, label: str) -> None:
    assert label_of(slot) == label


@pytest.mark.parametrize(
    ("slot", "said", "label"),
    [
        (Slot("", "capital of tanzania", "Dodoma"), "The capital of Tanzania is Dodoma.", "Capital of Tanzania"),
        (Slot("mckay", "budget", "40 euros"), "My cousin McKay's budget is 40 euros.", "McKay's budget"),
    ],
)
def test_a_label_has_the_capitals_of_the_statement(slot: Slot, said: str, label: str) -> None:
    assert label_of(slot, said) == label


@pytest.mark.parametrize(
    "unit",
    ["a ", "I live in ", "is ", '"', "X's ", "A", "the number of ", "., ", "A b ", "was in by of to ", "1 ", "no "],
)
def test_hostile_text_takes_bounded_time(unit: str) -> None:
    text = unit * 50_000
    began = time.process_time()
    slots_of(text)
    key_of(text)
    compare(text, text + "b")
    assert time.process_time() - began < 1


@given(old=st.text(max_size=80), new=st.text(max_size=80))
def test_no_text_raises(old: str, new: str) -> None:
    assert compare(old, new) in ("replaces", "retires", "adds", "repeats", "disputes", "unrelated")
    assert isinstance(key_of(old), frozenset)


@pytest.mark.parametrize(
    "new",
    [
        "Now Tom can move forward with the house.",
        "Now, Tom just waits for the house to be done.",
        "For now, Tom is focused on his house.",
        "Her house takes her evenings right now.",
    ],
)
def test_a_now_that_only_opens_a_sentence_or_passes_is_no_news(new: str) -> None:
    assert compare("Tom is always on the move from house to house.", new, ("Tom",)) not in ("replaces", "retires")


@pytest.mark.parametrize("call", ["never call them Tommy", "not call me Tommy"])
def test_what_somebody_is_not_to_be_called_is_no_name(call: str) -> None:
    assert not [s for s in slots_of(f"Tom wants the assistant to {call}.", ("Tom",)) if s.attribute == "name"]


def test_starting_with_a_task_is_no_job() -> None:
    assert not [s for s in slots_of("Tom has started with the basic setup.", ("Tom",)) if s.attribute == "occupation"]
    (slot,) = (s for s in slots_of("Tom started with Tidewatch.", ("Tom",)) if s.attribute == "employer")
    assert slot.value == "Tidewatch"


@pytest.mark.parametrize(
    ("said", "attribute", "value"),
    [
        ("The user works at McDonald's in Leeds.", "employer", "McDonald's in Leeds"),
        ("The user works at St Mary's now.", "employer", "St Mary's"),
        (
            "The user plays the organ at St Hilda's on alternate Sundays.",
            "plays",
            "organ at St Hilda's on alternate Sundays",
        ),
        ("The user's sister's a nurse.", "occupation", "nurse"),
    ],
)
def test_a_place_that_is_named_after_somebody_is_nobody(said: str, attribute: str, value: str) -> None:
    assert [(slot.attribute, slot.value) for slot in slots_of(said)] == [(attribute, value)]


def test_the_firm_that_somebody_works_for_is_not_named_by_what_it_did() -> None:
    assert slots_of("The company Denise works for moved to Oslo.", ("Denise",)) == ()
