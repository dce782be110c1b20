"""What both sides state, and static fields, without a model."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryos_core.extract.findings import Persona
from memoryos_core.extract.persona import fields_in
from memoryos_core.extract.persona import learn_by_rules as learn
from memoryos_core.values.dialogue import Message
from memoryos_core.values.facts import Profile, ProfileField

NOW = datetime(2023, 5, 1, tzinfo=timezone.utc)


def test_each_fact_cites_its_page_and_says_who(pages) -> None:
    facts = learn(Persona(pages)).facts
    assert facts[0].text.startswith("The user moved to Lisbon in March and ")
    assert facts[0].page_ids == ("p0",)
    assert all(len(f.page_ids) == 1 for f in facts)
    assert {f.about for f in facts} == {"user"}


def test_what_the_assistant_says_is_not_the_users(make_page) -> None:
    assert learn(Persona((make_page(0, "Hello.", "I moved to Lisbon with two suitcases."),))).facts == ()


def test_repeated_statements_are_learnt_once(make_page) -> None:
    text = "I moved to Lisbon with two suitcases."
    pages = (make_page(0, text), make_page(1, text))
    assert len(learn(Persona(pages)).facts) == 1


def test_a_statement_with_one_date_is_dated(make_page) -> None:
    pages = (
        make_page(0, "I adopted my terrier on 3 May 2021."),
        make_page(1, "I lived in Porto from 2 May 2011 to 7 June 2012."),
        make_page(2, "My terrier is afraid of the vacuum cleaner."),
    )
    assert [f.event_time and f.event_time.date().isoformat() for f in learn(Persona(pages)).facts] == [
        "2021-05-03",
        None,  # who adopted a terrier has one
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
    assert [f.text for f in found.facts] == [f"{name if expected else 'The user'} likes rowing on the river."]


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
def test_whatever_is_said_is_read_without_an_error(text: str, make_page) -> None:
    found = learn(Persona((make_page(0, text),)))
    assert all(f.text.strip() and f.page_ids == ("p0",) for f in found.facts)
    assert found.traits == ()
    assert found.retired == ()
