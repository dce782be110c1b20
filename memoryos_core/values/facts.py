"""Values of long-term memory: facts, traits and the profile (paper §3.3)."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, TypeAlias, get_args

from memoryos_core.values.trait_names import category_of

About: TypeAlias = Literal["user", "assistant"]
Level: TypeAlias = Literal["high", "medium", "low"]
Trust: TypeAlias = Literal["user", "assistant", "tool", "document"]
TRUSTS: tuple[Trust, ...] = get_args(Trust)
"""Sources of text, most trusted first."""
FactStatus: TypeAlias = Literal["current", "superseded", "retired", "evicted", "quarantined"]


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact about the user or the assistant: when it held, when it was learnt, and from which pages.

    `seq` orders the facts of a user as they were learnt; the store gives it.
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
