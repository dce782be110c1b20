"""Persons that a question asks about: the user alone, or somebody whom it names by name or role."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from memoryos_core.rules.knowledge.clauses import USER
from memoryos_core.rules.knowledge.entries import Topic, cues_of
from memoryos_core.rules.knowledge.news import word_bag
from memoryos_core.rules.knowledge.slots import Slot
from memoryos_core.rules.text.words import regex

# "How old am I?" asks for nobody else's age, and "How old is my son?" for his.
_OF_MYSELF = regex(
    r"\b(?:am|do|did|was|have|will|should) i\b|\b(?:are|do|did|were|have|will|should) we\b"
    r"|\b(?:my|our) (?:age|home|job|work|employer|birthday|name|address|phone|email"
    r"|relationship|marital)\b"
    r"|\band i\b|\bi and\b|\bich\b|\bje\b|\bj['\u2019]|\b(?:vivo|trabajo|tengo|soy)\b|我(?![的妹姐哥弟妈爸])|私",
    re.IGNORECASE,
)
_SEVERAL = regex(
    r"\b(?:kids|children|parents|siblings|family|sisters|brothers|sons|daughters|friends|everyone|everybody|who)\b",
    re.IGNORECASE,
)
# "What is Elise's favourite film?", not "What could I give Elise?" or "Plan a dinner for Elise".
_ASKS_OF_THEM = regex(
    r"^(?!.*\b(?:i|me|my|mine|we|us|our|both)\b)(?!.*['\u2019]s (?:husband|wife|partner|boyfriend|girlfriend|mum|mother"
    r"|dad|father|son|daughter|sister|brother|friend|boss)\b)(?:what|where|when|who|which|why|how|does|did|is|was|has)\b",
    re.IGNORECASE,
)
# Of use to whoever asks, whosever it is.
_SAFETY = frozenset(("allergy", "diet", "food", "condition"))
# What everybody has one of.
_OWN = frozenset(
    ("home", "age", "name", "called", "occupation", "employer", "birthday", "origin", "phone", "email", "relationship")
)


def is_of_another(slot: Slot | None, question: str, asked: frozenset[str]) -> bool:
    """Return whether a slot is another person's, and a question asks for it of the user alone.

    `asked` are the terms of the question that something known has.
    """
    if slot is None or slot.subject in ("", USER) or slot.attribute not in _OWN:
        return False
    return asked <= cues_of(slot.attribute) | word_bag(slot.attribute) and _OF_MYSELF.search(question) is not None


def keep_asked_about(
    found: Sequence[tuple[Topic, float]],
    question: str,
    asked: frozenset[str],
    roles: Iterable[tuple[str, str]],
    names: Iterable[str] = (),
) -> list[tuple[Topic, float]]:
    """Return the topics without homes, ages and the like of others than the person whom the question names.

    Where it asks for nobody else, what else the person has one of goes, too. `roles` are the roles of the user's people
    with who has them: a husband, Rob. `names` are the user's own.
    """
    if _SEVERAL.search(question):
        return list(found)
    persons = {role for role, _ in roles if word_bag(role) & asked}
    persons |= {name for role, name in roles if role in persons or word_bag(name) & asked}
    subjects = {topic.slot.subject for topic, _ in found if topic.slot is not None and topic.slot.subject != USER}
    persons |= {subject for subject in subjects if word_bag(subject) & asked}
    if any(word_bag(name) & asked for name in names) or (persons and _OF_MYSELF.search(question)):
        persons.add(USER)
    if not persons:
        return list(found)
    of_them = USER not in persons and _ASKS_OF_THEM.search(question) is not None
    theirs = {
        one.slot.attribute for one, _ in found if of_them and one.slot is not None and one.slot.subject in persons
    }
    others = _OWN | (theirs - _SAFETY)
    return [one for one in found if one[0].slot is None or _may_be_of(one[0].slot, persons, others)]


def _may_be_of(slot: Slot, persons: set[str], others: Collection[str]) -> bool:
    """Return whether a slot may be meant: not another's where everybody, or the person, has one of that kind."""
    names_them = any(word_bag(person) <= word_bag(slot.value) for person in persons)  # "married to Rob"
    return slot.attribute not in others or slot.subject in persons or not slot.subject or names_them
