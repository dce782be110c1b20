"""The statements of one slot, current and former, and whether they are worth a line of a prompt."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from memoryos_core.rules.knowledge.clauses import USER
from memoryos_core.rules.knowledge.slots import Slot
from memoryos_core.rules.knowledge.times import is_behind
from memoryos_core.values.facts import Fact

FOOD = "food"
FIRST = ("name", "home")
# What describes a person beside the fields of the profile, in this order.
_DESCRIBED_TEXT = """age origin occupation employer school studies relationship diet allergy condition medication pet
    vehicle"""
DESCRIBED = tuple(_DESCRIBED_TEXT.split())
_FIELDS = frozenset((*FIRST, *DESCRIBED, "phone", "email", "wedding", "birthday", "deadline"))
_EVENTS = frozenset(("wedding", "deadline"))
OF_A_PERSON = _FIELDS - _EVENTS | {FOOD, "favourite", "likes", "dislikes"}


@dataclass(frozen=True, slots=True)
class Line:
    """One line about what is known: its facts, the current one first, and the current values of its slot."""

    text: str
    facts: tuple[Fact, ...]
    score: float = 0.0
    values: tuple[str, ...] = ()


@dataclass(slots=True)
class Topic:
    """The statements of one slot, or of one line of replaced statements."""

    slot: Slot | None
    current: list[Fact] = field(default_factory=list[Fact])
    former: list[Fact] = field(default_factory=list[Fact])
    terms: set[str] = field(default_factory=set[str])
    cues: set[str] = field(default_factory=set[str])
    """The words of questions that ask for the values which the statements replaced, or that the values matter for."""
    domains: set[str] = field(default_factory=set[str])
    """The parts of life that the current statements are about: a question about one asks for what changed there."""
    is_avoided: bool = False
    """True where a current statement denies a value: what somebody does not eat."""
    line: Line | None = None  # made when it is first asked for


def place_in_portrait(slot: Slot | None) -> int:
    """Return where a line stands in a portrait: what describes the user first, then what others changed."""
    places = (*FIRST, *DESCRIBED)
    if slot is None or slot.subject != USER:
        return len(places) + 1
    return places.index(slot.attribute) if slot.attribute in places else len(places)


def is_worth_a_line(topic: Topic) -> bool:
    """Return whether a line tells more than the page that says it: a change, or a field of a person."""
    if topic.former or topic.slot is None:
        return bool(topic.former)
    name = topic.slot.attribute
    return name in _FIELDS or name.startswith("favourite ") or (name == FOOD and topic.is_avoided)


def is_over(topic: Topic, now: datetime) -> bool:
    """Return whether a topic is of an event that has passed."""
    return topic.slot is not None and topic.slot.attribute in _EVENTS and all(is_behind(f, now) for f in topic.current)
