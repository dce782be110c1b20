"""Values of long-term memory: facts, traits and the profile (paper §3.3).

The trait dimensions of the published data model, in its three categories (paper §3.3, Li et al. arXiv 2503.15463).

The paper speaks of 90; its published list, which this is, has 51 (reference/memoryos-algorithm.md §1.5).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, TypeAlias, get_args

About: TypeAlias = Literal["user", "assistant"]
Level: TypeAlias = Literal["high", "medium", "low"]
Trust: TypeAlias = Literal["user", "assistant", "tool", "document"]
TRUSTS: tuple[Trust, ...] = get_args(Trust)
"""Sources of text, most trusted first."""
FactKind: TypeAlias = Literal[
    "identity", "relation", "possession", "preference", "instruction", "plan", "event", "change", "state"
]
PROFILE_FIELDS = ("name", "gender", "pronouns", "birth_year", "home", "occupation")
"""The static fields that a model may fill; what else it learns of the user is a fact."""
FactOrigin: TypeAlias = Literal["told", "model", "rules"]
FactStatus: TypeAlias = Literal["current", "superseded", "retired", "evicted", "quarantined"]


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact about the user or the assistant: when it held, when it was learnt, and from which pages.

    `seq` orders the facts of a user as they were learnt; the store gives it. `kind` is what the statement tells.
    `origin` is who found it: told on purpose, a model, or rules, whose facts bring the pages they stand in.
    """

    id: str
    about: About
    text: str
    learned_at: datetime
    valid_from: datetime
    valid_until: datetime | None = None
    event_time: datetime | None = None
    page_ids: tuple[str, ...] = ()
    trust: Trust = "user"
    status: FactStatus = "current"
    superseded_by: str | None = None
    visits: int = 0
    labels: tuple[str, ...] = ()
    seq: int = field(default=0, compare=False)
    kind: FactKind = "state"
    origin: FactOrigin = "told"


@dataclass(frozen=True, slots=True)
class KnownValue:
    """One value that something had: "home", "Porto", from when it was said until another one was.

    Where the statement tells an earlier day, as "moved to Porto in March" does, that is the day. `until` is None for a
    value that still holds; `fact_id` and `page_ids` say where it comes from.
    """

    name: str
    value: str
    since: datetime
    until: datetime | None
    fact_id: str
    page_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Dispute:
    """Two current facts that contradict each other, and nobody said which of them is over."""

    earlier: Fact
    later: Fact


@dataclass(frozen=True, slots=True)
class Trait:
    """The user's level on one dimension, with the pages that show it (paper §3.3; `trait_names.py`)."""

    dimension: str
    level: Level
    reason: str
    since: datetime
    page_ids: tuple[str, ...] = ()

    @property
    def category(self) -> str:
        """The category of this dimension, or "other" when it is not one of the paper's."""
        return category_of(self.dimension)


@dataclass(frozen=True, slots=True)
class ProfileField:
    """One static field of the profile, such as the user's name."""

    name: str
    value: str
    since: datetime
    page_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Profile:
    """The structured profile: static fields and traits. `version` grows with every change."""

    fields: tuple[ProfileField, ...] = ()
    traits: tuple[Trait, ...] = ()
    version: int = 0

    def __bool__(self) -> bool:
        """False while nothing is known."""
        return bool(self.fields or self.traits)

    def get(self, name: str) -> str | None:
        """The value of one static field."""
        return next((f.value for f in self.fields if f.name == name), None)


DIMENSIONS: dict[str, tuple[str, ...]] = {
    "needs and personality": (
        "Extraversion",
        "Openness",
        "Agreeableness",
        "Conscientiousness",
        "Neuroticism",
        "Physiological Needs",
        "Need for Security",
        "Need for Belonging",
        "Need for Self-Esteem",
        "Cognitive Needs",
        "Aesthetic Appreciation",
        "Self-Actualization",
        "Need for Order",
        "Need for Autonomy",
        "Need for Power",
        "Need for Achievement",
    ),
    "expectations of the assistant": (
        "Helpfulness",
        "Honesty",
        "Safety",
        "Instruction Compliance",
        "Truthfulness",
        "Coherence",
        "Complexity",
        "Conciseness",
    ),
    "interests and style": (
        "Science Interest",
        "Education Interest",
        "Psychology Interest",
        "Family Concern",
        "Fashion Interest",
        "Art Interest",
        "Health Concern",
        "Financial Management Interest",
        "Sports Interest",
        "Food Interest",
        "Travel Interest",
        "Music Interest",
        "Literature Interest",
        "Film Interest",
        "Social Media Activity",
        "Tech Interest",
        "Environmental Concern",
        "History Interest",
        "Political Concern",
        "Religious Interest",
        "Gaming Interest",
        "Animal Concern",
        "Emotional Expression",
        "Sense of Humor",
        "Information Density",
        "Language Style",
        "Practicality",
    ),
}

_CATEGORY = {name: category for category, names in DIMENSIONS.items() for name in names}


def category_of(dimension: str) -> str:
    """The category a dimension belongs to; "other" for one that is not in the list."""
    return _CATEGORY.get(dimension, "other")
