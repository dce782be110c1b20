"""Persons that a question asks about: the user, somebody whom it names, or whom statements lead to (ADR 0048)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from memoryos_core.rules.knowledge.clauses import UNRESOLVED, USER, person
from memoryos_core.rules.knowledge.entries import OF_A_PERSON, PARTNERS, Topic, cues_of
from memoryos_core.rules.knowledge.news import word_bag
from memoryos_core.rules.knowledge.relations import FAMILY, ROLE
from memoryos_core.rules.knowledge.slots import Slot
from memoryos_core.rules.text.languages import weighted_terms
from memoryos_core.rules.text.words import regex, with_marks, words
from memoryos_core.values.facts import Fact

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
# "Where does my sister live?" asks about her alone, even if nothing is known of a sister.
_SOMEBODY = rf"(?:my|our) (?:step|grand|half[- ]|ex[- ]?)?(?:{ROLE}|{FAMILY})"
_OF_SOMEBODY = regex(
    rf"\b(?:(?:does|do|did|is|are|was|were|will|has)|(?<=who)'s) {_SOMEBODY}\b(?! and\b)|\b{_SOMEBODY}['\u2019]s\b",
    re.IGNORECASE,
)
# Not "my business partner", "her partner" or "my partner in crime".
PARTNER = with_marks(
    "spouse|partner|half|other",
    r"(?<=\bmy )(?:spouse|partner|(?:other|better) half|significant other)\b(?! (?:in|at|of)\b)"
    r"|(?<=\bour )spouse\b",
)
_VAGUE = word_bag("single lead") | word_bag(" ".join(PARTNERS))  # a partner may be of business or for a dance
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


def name_partner(question: str, roles: Iterable[tuple[str, str]]) -> str:
    """Return the question with what the user's partner is, wife or boyfriend, in place of "spouse" or "partner"."""
    known = {role for role, _ in roles}
    role = next((role for role in PARTNERS if role in known), None)
    return question if role is None else PARTNER.sub(role, question)


# "When does Helen move?" asks for no concert that was moved.
_ASKS_WHO_MOVES = regex(
    r"\b(?:where|when|why) (?:am|are|is|do|does|did|will) (?:i|we|he|she|they|my \w+|(?-i:[A-Z][\w-]+)) (?:\w+ )?"
    r"mov(?:e|es|ing)\b(?! (?:the|my|our|it)\b)",
    re.IGNORECASE,
)
_WAS_MOVED = regex(r"\b(?:was|were|been|got|gets|is|are|'s) (?:moved|postponed|put back|pushed)\b", re.IGNORECASE)


def _without_moved_events(
    found: Sequence[tuple[Topic, float]], question: str, asked: frozenset[str]
) -> list[tuple[Topic, float]]:
    """Return the topics without events that were moved, where a question asks who moves house."""
    if not _ASKS_WHO_MOVES.search(question):
        return list(found)
    move = word_bag("move moved moving")
    return [
        (topic, score)
        for topic, score in found
        if not (asked & topic.terms <= move and all(_WAS_MOVED.search(fact.text) for fact in topic.current))
    ]


def keep_asked_about(
    found: Sequence[tuple[Topic, float]],
    question: str,
    asked: frozenset[str],
    roles: Collection[tuple[str, str]],
    names: Iterable[str] = (),
) -> list[tuple[Topic, float]]:
    """Return the topics without homes, ages and the like of others than the person whom the question names.

    Where it asks for nobody else, what else the person has one of goes, too. `roles` are the roles of the user's people
    with who has them: a husband, Rob. `names` are the user's own.
    """
    found = _without_moved_events(found, question, asked)
    if _SEVERAL.search(question):
        return list(found)
    persons = {role for role, _ in roles if word_bag(role) & asked}
    persons |= {name for role, name in roles if role in persons or word_bag(name) & asked}
    subjects = {topic.slot.subject for topic, _ in found if topic.slot is not None and topic.slot.subject != USER}
    persons |= {subject for subject in subjects if word_bag(subject) & asked}
    if any(word_bag(name) & asked for name in names) or (persons and _OF_MYSELF.search(question)):
        persons.add(USER)
    if not persons and subjects:
        alike = frozenset(weighted_terms(question)) - _VAGUE  # whose mother was told of as Mum
        persons = {subject for subject in subjects if word_bag(subject) & alike}
        persons |= {name for role, name in roles if name in subjects and word_bag(role) & alike}
    if not persons:
        is_unknown = _OF_SOMEBODY.search(question) is not None
        return [one for one in found if not (is_unknown and one[0].slot and one[0].slot.attribute in _OWN)]
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


_LONGEST_NAME = 8  # words of a name in a question
_MOST_STEPS, _MOST_LOOKS, _MOST_WORDS = 4, 400, 80
_FEW = 2  # statements
_LEADS = 2.0  # more than a line is worth that only shares words
# What a step costs that the question does not name, and any step, in words of the question.
_UNNAMED, _A_STEP = 0.6, 0.05
# "Citizen" and "citizenship", "founded" and "founder".
_ALIKE = 5  # letters
_JOINT = regex(r" (?:of|in|at) (?:the )?")
_BEFORE_NAME = regex(r"^(?:(?:married|engaged) to|dating|called|named|the|an?) ")
_ASKS_AS_USER = regex(r"\b(?:i|my|me|we|our|user|user's)\b")


@dataclass(frozen=True, slots=True)
class _Step:
    """A statement about a person or a thing: what a question calls it by, and what it leads to."""

    topic: Topic
    attribute: str
    terms: frozenset[str]
    ends: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Path:
    at: str
    steps: tuple[_Step, ...] = ()
    named: frozenset[str] = frozenset()
    unnamed: int = 0

    @property
    def worth(self) -> float:
        """How many words of the question it takes up, less what its steps cost."""
        return len(self.named) - _UNNAMED * self.unnamed - _A_STEP * len(self.steps)


class Bridges:
    """The statements of a book by whom or what they are about."""

    def __init__(self, topics: Iterable[Topic], values: Callable[[Fact, Slot], Iterable[str]]) -> None:
        self._steps = defaultdict[str, list[_Step]](list)
        for topic in topics:
            if topic.slot is None or topic.slot.subject == UNRESOLVED or not topic.current:
                continue
            ends = tuple(_end_of(value) for fact in topic.current for value in values(fact, topic.slot))
            for about, attribute in _about(topic.slot):
                # Of the user's people only those whom the question calls what they are: "the kids" may be any.
                cues = frozenset[str]() if about == USER else cues_of(topic.slot.attribute)
                self._steps[about].append(_Step(topic, topic.slot.attribute, word_bag(attribute) | cues, ends))

    def lead(
        self, question: str, asked: Collection[str], names: Iterable[str], found: Sequence[tuple[Topic, float]]
    ) -> list[tuple[Topic, float]]:
        """Return what was `found` for a question behind the statements that lead to its answer, each with its worth."""
        way = self.find(question, asked, names)
        rest = [one for one in found if not any(one[0] is topic for topic in way)]
        return [(topic, _LEADS + 1 / number) for number, topic in enumerate(way, 1)] + rest

    def find(self, question: str, asked: Collection[str], names: Iterable[str]) -> list[Topic]:
        """Return the statements that lead from what a question names to what it asks, in order; most need one alone.

        `asked` are the terms of the question, and `names` the user's own.
        """
        best = _Path("")
        for start in self._named_in(question, names):
            rest = frozenset(asked) - word_bag(start)
            for path in self._paths(start, rest):
                if path.worth > best.worth:
                    best = path
        facts = {fact.id for step in best.steps for fact in step.topic.current}
        return [step.topic for step in best.steps] if len(best.steps) > 1 and len(facts) > 1 else []

    def _named_in(self, question: str, names: Iterable[str]) -> Iterator[str]:
        said = words(question)[:_MOST_WORDS]
        found: list[str] = []
        for length in range(_LONGEST_NAME, 0, -1):
            for at in range(len(said) - length + 1):
                name = " ".join(said[at : at + length])
                if name in self._steps and not any(f" {name} " in f" {longer} " for longer in found):
                    found.append(name)
        yield from (name for name in found if name != USER)
        spaced = f" {' '.join(said)} "
        if _ASKS_AS_USER.search(question.lower()) or any(f" {' '.join(words(name))} " in spaced for name in names):
            yield USER

    def _paths(self, start: str, asked: frozenset[str]) -> Iterator[_Path]:
        """Yield the ways from a name whose last step the question names.

        One step on the way may be without a word of the question, where little is known: not any friend of a friend's.
        """
        waiting, looks = [_Path(start)], 0
        while waiting and looks < _MOST_LOOKS:
            path, looks = waiting.pop(), looks + 1
            steps = self._steps.get(path.at, ())
            may_be_unnamed = path.at != USER and len(steps) <= _FEW
            for step in steps:
                named = frozenset(term for term in asked - path.named if _is_named(term, step.terms))
                if path.at == USER and not step.terms <= named:
                    named = frozenset[str]()  # an ex-wife is no wife
                unnamed = path.unnamed + (not named)
                is_own = step.attribute in OF_A_PERSON  # of whom? A friend's allergy is not that of the one asked about
                if unnamed > (may_be_unnamed and not (path.unnamed and is_own)) or step in path.steps:
                    continue
                longer = [_Path(end, (*path.steps, step), path.named | named, unnamed) for end in step.ends]
                if named:
                    yield from longer[:1]
                if len(path.steps) + 1 < _MOST_STEPS:
                    waiting.extend(longer)


def _about(slot: Slot) -> Iterator[tuple[str, str]]:
    """Yield whom or what a slot is about, with the rest of its name: "the author of Emma" is about Emma."""
    if slot.subject:
        yield (slot.subject if slot.subject == USER else " ".join(words(slot.subject))), slot.attribute
        return
    for joint in _JOINT.finditer(slot.attribute):
        yield " ".join(words(slot.attribute[joint.end() :])), slot.attribute[: joint.start()]


def _end_of(value: str) -> str:
    return " ".join(words(person(_BEFORE_NAME.sub("", value))))


def _is_named(asked: str, terms: Collection[str]) -> bool:
    return asked in terms or (
        len(asked) >= _ALIKE and any(len(term) >= _ALIKE and term[:_ALIKE] == asked[:_ALIKE] for term in terms)
    )
