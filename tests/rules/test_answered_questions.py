"""Short answers to questions: written out as statements where they are values, a choice, a yes or a no."""

from __future__ import annotations

import pytest

from memoryos_core.rules.knowledge.answered_questions import with_statement
from memoryos_core.rules.text.short_answers import last_question


def told(said: str, answer: str, before: str = "") -> str:
    question = last_question(said)
    return answer if question is None else with_statement(question, answer, before)


@pytest.mark.parametrize(
    ("said", "answer", "statement"),
    [
        ("Hello! What's your name?", "Tom", "My name is Tom."),
        ("What's your name?", "Tom Hale, nice to meet you", "My name is Tom Hale."),
        ("Where do you live?", "Porto, in a flat with my cat Moth", "I live in Porto, in a flat with my cat Moth."),
        ("Could you tell me your name?", "it’s Ana Silva.", "My name is Ana Silva."),
        ("And what should I call you?", "oh, just priya", "My name is Priya."),
        ("What should I call you?", "Will", "My name is Will."),
        ("Who am I speaking with?", "this one is easy", "this one is easy"),
        ("How old are you?", "34", "I'm 34 years old."),
        ("May I ask how old you are?", "34 years old, why do you ask", "34 years old, why do you ask"),
        ("Nice to meet you, Tom. Where do you live?", "porto", "I live in Porto."),
        ("May I ask where you live?", "In Porto, I moved last week", "I live in Porto. I moved last week"),
        ("Which city do you live in?", "Leeds!", "I live in Leeds."),
        ("Where are you from originally?", "Accra, Ghana", "I'm from Accra, Ghana."),
        ("Where did you grow up?", "near Cork", "I grew up near Cork."),
        ("Where do you work?", "Tesco", "I work at Tesco."),
        ("What do you do for a living?", "Software engineer", "I work as a software engineer."),
        ("What do you do?", "nurse at St. James. Help me sleep", "I work as a nurse at St. James. Help me sleep"),
        ("What's your job?", "I'm retired", "I'm retired"),
        ("Where do you live?", "Porto\nI'm vegan.\nI have a cat.", "I live in Porto. I'm vegan.\nI have a cat."),
        ("How old are you?", "34. I'm vegan.\nI have a cat.", "I'm 34 years old. I'm vegan.\nI have a cat."),
        ("What do you do?", "retired", "I'm retired."),
        ("When is your birthday?", "May 12", "My birthday is on May 12."),
        (
            "Exciting! When's the interview?",
            "It's on Thursday week at two.",
            "The interview is on Thursday week at two.",
        ),
        ("When's Ruby's appointment?", "On Friday at 10am", "Ruby's appointment is on Friday at 10am."),
        (
            "Do you have an appointment with the vet?",
            "Yes, on Tuesday at three.",
            "I have an appointment with the vet on Tuesday at three.",
        ),
        ("Have you got a scan booked?", "Yes, on 2 July at 9am", "I have a scan on 2 July at 9am."),
        ("Do you have a meeting today?", "Yes.", "Yes."),
        ("When's the interview?", "Not sure yet.", "Not sure yet."),
        (
            "When did you move?",
            "At the end of October, over the midterm.",
            "I moved at the end of October, over the midterm.",
        ),
        ("Great, when did you start?", "On 1 June", "I started on 1 June."),
        ("When did you get married?", "In May", "I got married in May."),
        ("When did you tell me that?", "Yesterday", "Yesterday"),
        ("What should I call you?", "Orla's fine.", "My name is Orla."),
        ("What should I call you?", "Orla will do", "My name is Orla."),
        ("When's your exam?", "next Friday", "My exam is next Friday."),
        ("What year were you born?", "1990", "I was born in 1990."),
        ("What time do you get up?", "6:30", "I get up at 6:30."),
        ("When do you speak?", "On the 18th, 4 pm our time", "I speak on the 18th, 4 pm our time."),
        ("What's your favourite food?", "ramen", "My favourite food is ramen."),
        ("What are your hobbies?", "climbing and chess", "My hobbies are climbing and chess."),
        ("Who is your manager?", "Sarah", "My manager is Sarah."),
        ("Which languages do you speak?", "English and Dutch", "I speak English and Dutch."),
        ("How often do you run?", "twice a week", "I run twice a week."),
        ("How long have you lived in Porto?", "5 years", "I have lived in Porto for 5 years."),
        ("Who do you live with?", "my parents", "I live with my parents."),
        ("How many children do you have?", "two: Ben and Ada", "I have two children, Ben and Ada."),
        ("Do you have children?", "two, Ben and Ada", "I have two children, Ben and Ada."),
        ("Do you have any pets?", "yes, a cat called Moth", "I have a cat called Moth."),
        ("And do you have pets?", "no", "I don't have any pets."),
        ("Do you have a car?", "yes", "I have a car."),
        ("Any allergies I should know about?", "peanuts", "I'm allergic to peanuts."),
        ("Do you have any allergies?", "No", "I don't have any allergies."),
        ("Any dietary restrictions?", "vegan", "I'm vegan."),
        ("Are you vegetarian?", "Yes.", "I'm vegetarian."),
        ("Are you vegan or vegetarian?", "vegan, and I hate olives", "I'm vegan. I hate olives"),
        ("Are you allergic to nuts?", "yep", "I'm allergic to nuts."),
        ("Do you eat meat?", "no, I'm vegan", "I don't eat meat. I'm vegan"),
        ("Do you speak German?", "yes I do", "I speak German."),
        ("Do you prefer tea or coffee?", "coffee", "I prefer coffee."),
        ("What's your dog's name?", "biscuit", "My dog is called Biscuit."),
        ("How old is your son?", "5", "My son is 5 years old."),
        ("Who is Ana?", "my sister", "Ana is my sister."),
        ("Wie heißt du?", "Tom", "Ich heiße Tom."),
        ("Schön! Und wo wohnst du?", "in Bonn", "Ich wohne in Bonn."),
        ("¿Dónde vives?", "Lugo", "Vivo en Lugo."),
        ("Quel âge avez-vous ?", "34 ans", "J'ai 34 ans."),
    ],
)
def test_a_short_answer_is_a_statement(said: str, answer: str, statement: str) -> None:
    assert told(said, answer) == statement


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("What's your name?", "why do you want to know?"),
        ("What's your name?", "guess"),
        ("What's your name?", "I'd rather not say"),
        ("What's your name? And where do you live?", "Tom"),  # which of them?
        ("Tell me about yourself.", "Tom"),
        ("Where do you live?", "no idea"),
        ("Where do you live?", "Life is good"),
        ("Do you have any allergies?", "Milk is fine"),
        ("What's your name?", "Everything's fine"),
        ("What's your name?", "English is fine"),
        ("What's your name?", "Tomorrow is fine"),
        ("What is your dog called?", "The dog is fine."),
        ("Who do you live with?", "Mum is ok"),
        ("Where do you live?", "Wow, what a question"),
        ("Where do you live?", "at home"),
        ("Where do you live?", "help me with my essay"),
        ("If you could live anywhere, where would you live?", "Rome"),
        ("Would you like a recipe?", "yes"),
        ("Do you want me to go on?", "yes"),
        ("Do you like it?", "yes"),
        ("Do you follow?", "yes"),
        ("What's your error?", "ModuleNotFoundError"),
        ("Where are you going?", "Rome"),
        ("Where do you live?", "Porto trip tomorrow"),
        ("Where do you work?", "night shifts"),
        ("Where do you work?", "an office"),
        ("What do you do?", "lots of things"),
        ("What do you do?", "teaching"),
        ("What's your day like?", "busy"),
        ("What's your card number?", "1234"),
        ("Do you like this one or that one?", "this one"),
        ("Are you sure?", "yes"),
        ("Are you looking for a gift?", "yes"),
        ("Which option do you prefer?", "the second"),
        ("What's your question?", "taxes"),
        ("What are your plans?", "skiing"),
        ("What's your budget?", "500"),
        ("How many people are you cooking for?", "4"),
        ("How can I help?", "Tom"),
        ("What do you think?", "Catch-22"),
        ("What's your favourite dish?", "Coconut ice cream is at the top of my list"),
        ("What kind of music do you play?", "Guitar's mostly my thing."),
        ("What's your fave?", "Yeah, me too! It is so graceful"),
        ("Do you have any allergies?", "yes"),
        ("Do you live in Porto or Lisbon?", "Berlin"),
        ("Wo wohnst du?", "Keine Ahnung"),
        ("Comment tu t'appelles ?", "Je ne sais pas"),
    ],
)
def test_what_is_no_answer_or_no_value_stays_as_it_was_said(said: str, answer: str) -> None:
    assert told(said, answer) == answer


@pytest.mark.parametrize(
    ("before", "said", "answer", "statement"),
    [
        ("I have a dog.", "Aw! What's their name?", "Biscuit", "My dog is called Biscuit."),
        ("My daughter is ill.", "Poor thing! How old is she?", "5", "My daughter is 5 years old."),
        ("My wife called.", "What is she called?", "Ana", "My wife is called Ana."),
        ("My wife and my boss called.", "What's her name?", "Ana", "Ana"),  # whose?
        ("It rained.", "What's her name?", "Ana", "Ana"),
    ],
)
def test_a_pronoun_of_the_question_means_the_one_that_was_spoken_of(
    before: str, said: str, answer: str, statement: str
) -> None:
    assert told(said, answer, before) == statement


@pytest.mark.parametrize(
    ("said", "question"),
    [
        ("Hi! What's your name?", "What's your name?"),
        ("What's your name? I'd love to know.", "What's your name?"),
        ("What's your name? " + "I ask since I would like to call you by it whenever we speak again. " * 2, None),
        ("Is it late? What's your name?", None),
        ("No question.", None),
        ("", None),
        ("?", None),
    ],
)
def test_the_last_question_is_the_only_one_near_the_end(said: str, question: str | None) -> None:
    assert last_question(said) == question


def test_a_megabyte_is_looked_at_in_a_moment() -> None:
    for text in ("a " * 500_000, "Tom," * 250_000, "yes " * 250_000, "?" * 1_000_000, "it's " * 200_000):
        assert told("What's your name?", text)
        last_question(text)


@pytest.mark.parametrize(
    ("before", "answer", "statement"),
    [
        ("I've got an interview.", "On Thursday at two.", "My interview is on Thursday at two."),
        ("I'm going to a wedding.", "4 July", "The wedding is on 4 July."),
        ("My sister has an interview.", "On Thursday", "On Thursday"),
        ("I've got an interview and an exam to sit. I have an exam.", "On Thursday", "On Thursday"),
        ("I like jazz.", "On Thursday", "On Thursday"),
        ("I've got an interview and a dentist appointment.", "On Thursday", "On Thursday"),
    ],
)
def test_it_is_the_one_event_that_was_spoken_of(before: str, answer: str, statement: str) -> None:
    assert told("When is it?", answer, before) == statement
