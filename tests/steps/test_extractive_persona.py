"""First-person statements and static fields, without a model."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryos_core.extract.findings import FoundFact, Persona
from memoryos_core.extract.persona import fields_in, statements
from memoryos_core.extract.persona import learn_by_rules as learn
from memoryos_core.values.dialogue import Message
from memoryos_core.values.facts import Fact, Profile, ProfileField

NOW = datetime(2023, 5, 1, tzinfo=timezone.utc)


@pytest.mark.parametrize(
    "text",
    [
        "I moved to Lisbon with two suitcases.",
        "i work at a small pottery studio",
        "We\u2019ve adopted a terrier from the shelter.",
        "My sister's dog is called Biscuit.",
        "Thanks, but I already signed up for the rowing course.",
        "Ich wohne mit meinem Hund in Hamburg.",
        "J'habite à Lyon avec mon chat.",
        "Vivo en Madrid con mi hermana.",
        "Moro em Porto com a minha irmã.",
        "Abito a Torino con mio fratello.",
        "Ik woon met mijn hond in Utrecht.",
        "我在北京住了三年。",
        "私は犬を二匹飼っています。",
        "俺はコーヒーが好きだ。",
    ],
)
def test_what_someone_says_of_themselves_is_a_statement(text: str) -> None:
    assert statements(text, 4) == [text]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Hi there!",
        "Thank you so much for your help.",
        "I think so too.",
        "Well, I guess so.",
        "I don't know.",
        "Oh, I'm not sure.",
        "I see what you mean.",
        "I hope so.",
        "I need your help with the tax form.",
        "Tell me about the weather in Rome.",
        "Do I need a visa for my trip to Japan?",
        "“Should I bring my own mat?”",
        "The tram was late again this morning.",
        "Lisbon has steep hills and a wide river.",
        "my dog",
        "I " + "really " * 60 + "like tea and biscuits.",
        "我很好吗？",
        "私は学生ですか。",
        "今日は天気がいいです。",
        "我好",
        "I libri costano poco e durano molto.",
    ],
)
def test_the_rest_is_not(text: str) -> None:
    assert statements(text, 4) == []


def test_of_many_statements_the_fullest_are_kept_in_order() -> None:
    thin = "I like tea a lot."
    full = [f"My {thing} stands beside the old wooden garden gate." for thing in ("bicycle", "kayak", "barrel")]
    assert statements(" ".join([full[0], thin, full[1], full[2], thin]), 3) == full


def test_each_fact_is_verbatim_and_cites_its_page(pages) -> None:
    facts = learn(Persona(pages)).facts
    assert facts[0] == FoundFact(
        "user", "I moved to Lisbon in March and rent a flat near the river.", ("p0",), facts[0].event_time
    )
    said = {p.id: p.text("user") for p in pages}
    assert all(f.text in said[f.page_ids[0]] and len(f.page_ids) == 1 for f in facts)
    assert {f.about for f in facts} == {"user"}


def test_what_the_assistant_says_is_not_the_users(make_page) -> None:
    assert learn(Persona((make_page(0, "Hello.", "I moved to Lisbon with two suitcases."),))).facts == ()


def test_known_and_repeated_statements_are_not_learnt_again(make_page) -> None:
    text = "I moved to Lisbon with two suitcases."
    pages = (make_page(0, text), make_page(1, text.upper()))
    assert len(learn(Persona(pages)).facts) == 1
    known = Fact("f", "user", text.lower(), NOW, NOW)
    assert learn(Persona(pages, (known,))).facts == ()


def test_a_statement_with_one_date_is_dated(make_page) -> None:
    pages = (
        make_page(0, "I adopted my terrier on 3 May 2021."),
        make_page(1, "I lived in Porto from 2 May 2011 to 7 June 2012."),
        make_page(2, "My terrier is afraid of the vacuum cleaner."),
    )
    assert [f.event_time and f.event_time.date().isoformat() for f in learn(Persona(pages)).facts] == [
        "2021-05-03",
        None,
        None,
    ]


@pytest.mark.parametrize(
    ("sentence", "field", "value"),
    [
        ("My name is Ana Costa and I paint.", "name", "Ana Costa"),
        ("Hi, I'm Ana.", "name", "Ana"),
        ("Hello there, this is Ana and I need advice.", "name", "Ana"),
        ("我叫王小明，住在北京。", "name", "王小明"),
        ("私は田中太郎と申します。", "name", "田中太郎"),
        ("私の名前は花子です。", "name", "花子"),
        ("I moved to Lisbon in March.", "home", "Lisbon"),
        ("We\u2019ve just moved to New York City.", "home", "New York City"),
        ("I'm based in Ghent, Belgium.", "home", "Ghent, Belgium"),
        ("I work as a freelance graphic designer at a studio.", "occupation", "freelance graphic designer"),
        ("I'm a primary school teacher.", "occupation", "primary school teacher"),
        ("I was born in Ghent in 1984.", "birth_year", "1984"),
        ("My pronouns are they/them.", "pronouns", "they/them"),
    ],
)
def test_static_fields_are_read(sentence: str, field: str, value: str) -> None:
    assert (field, value) in list(fields_in(sentence))


@pytest.mark.parametrize(
    "sentence",
    [
        "If I moved to Paris I would be sad.",
        "I used to live in Rome.",
        "I don't live in Oslo.",
        "I might have moved to Rome.",
        "I moved to Marketing last month.",
        "I moved to March.",
        "I live in a flat.",
        "I'm a terrible cook and a good teacher.",
        "I'm a huge fan of trams.",
        "I'm tired.",
        "My name is not important.",
        "Do I live in Rome?",
        "My brother lives in Rome.",
        "I am a teacher's daughter.",
        "我叫了一辆车。",
    ],
)
def test_what_is_not_said_outright_is_not_read(sentence: str) -> None:
    assert list(fields_in(sentence)) == []


def test_the_later_page_has_the_last_word_on_a_field(make_page) -> None:
    pages = (make_page(0, "I live in Porto."), make_page(1, "I moved to Lisbon."))
    (field,) = learn(Persona(pages)).profile
    assert (field.name, field.value, field.page_ids) == ("home", "Lisbon", ("p1",))


def test_a_known_field_is_no_news_and_another_value_is(make_page) -> None:
    profile = Profile(fields=(ProfileField("home", "Porto", NOW),))
    assert learn(Persona((make_page(0, "I live in Porto."),), profile=profile)).profile == ()
    assert learn(Persona((make_page(0, "I live in Lisbon."),), profile=profile)).profile[0].value == "Lisbon"


@pytest.mark.parametrize(("name", "expected"), [("Ana", ["Ana"]), ("user", []), ("User", []), ("ana99", [])])
def test_a_signed_message_tells_the_name(make_page, name: str, expected: list[str]) -> None:
    page = replace(make_page(0, ""), messages=(Message("user", "I like rowing on the river.", name=name),))
    found = learn(Persona((page,)))
    assert [f.value for f in found.profile] == expected
    assert [f.text for f in found.facts] == ["I like rowing on the river."]  # without the signature


@pytest.mark.parametrize(
    "text",
    [
        "I " * 500_000,
        "I'm a " * 200_000,
        "We moved to " * 100_000,
        "my " + "x" * 1_000_000,
        "我" * 1_000_000,
        "Hi, " * 300_000,
    ],
)
def test_a_megabyte_is_read_at_its_beginning_only(make_page, text: str) -> None:
    found = learn(Persona((make_page(0, text),)))
    assert len(found.facts) <= 4


@given(text=st.text(max_size=200) | st.text(alphabet="Iimy '.?!我私は。 \n", max_size=200))
def test_whatever_is_said_facts_are_its_words(text: str, make_page) -> None:
    found = learn(Persona((make_page(0, text),)))
    assert all(f.text in text and f.page_ids == ("p0",) for f in found.facts)
    assert found.traits == ()
    assert found.retired == ()
