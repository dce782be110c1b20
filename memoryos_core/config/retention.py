"""Retention policies: how long pages and facts are kept, and what happens then (issue 6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import cast, get_args

from memoryos_core.config.validation import one_of, require, whole
from memoryos_core.values.dialogue import Tier
from memoryos_core.values.facts import Trust
from memoryos_core.values.reports import RetentionAction, RetentionKind

_TIERS: tuple[str, ...] = get_args(Tier)
_TRUSTS: tuple[str, ...] = get_args(Trust)


@dataclass(frozen=True, slots=True)
class RetentionPolicy:
    """Select pages or facts to archive or purge: those that meet every condition given. Raises ConfigError.

    Attributes:
        name: Name in reports; each policy has another one.
        kind: "pages" or "facts".
        older_than: Age, counted from the time at which something was said.
        tiers: Tiers that the policy is limited to; empty is any.
        trust: Trust classes that the policy is limited to; empty is any.
        keep_newest: Keep this number of the newest items within `tiers` and `trust`.
        action: "archive" takes pages out of mid-term memory, and facts out of the current ones: both stay readable.
            "purge" forgets them with all data derived from them alone.
    """

    name: str
    kind: RetentionKind = "pages"
    older_than: timedelta | None = None
    tiers: tuple[Tier, ...] = ()
    trust: tuple[Trust, ...] = ()
    keep_newest: int | None = None
    action: RetentionAction = "archive"

    def __post_init__(self) -> None:
        _require_name(self.name)
        one_of("retention.kind", self.kind, get_args(RetentionKind))
        one_of("retention.action", self.action, get_args(RetentionAction))
        if self.older_than is not None:
            _lasting(self.older_than)
        _subset("retention.tiers", self.tiers, _TIERS)
        _subset("retention.trust", self.trust, _TRUSTS)
        whole("retention.keep_newest", 1 if self.keep_newest is None else self.keep_newest, 1)
        some = self.older_than is not None or self.keep_newest is not None or bool(self.tiers or self.trust)
        require(some, "retention", self.name, "given a condition; to erase everything use forget(everything=True)")
        require(not self.tiers or self.kind == "pages", "retention.tiers", self.tiers, "empty: facts have no tier")
        movable = self.action == "purge" or set(self.tiers) <= {"mid_term"}
        require(movable, "retention.tiers", self.tiers, "('mid_term',) or empty to archive, the only tier to archive")


def named_apart(policies: object) -> None:
    """Raise ConfigError unless this is a tuple of policies, no two of one name."""
    given = cast("Sequence[object]", policies) if isinstance(policies, tuple) else [None]
    names = [policy.name for policy in given if isinstance(policy, RetentionPolicy)]
    require(len(names) == len(given), "retention", names, "a tuple of RetentionPolicy values")
    require(len(set(names)) == len(names), "retention", names, "policies with different names")


def _require_name(name: object) -> None:
    require(isinstance(name, str) and bool(name.strip()), "retention.name", name, "some text")


def _lasting(age: object) -> None:
    positive = isinstance(age, timedelta) and age > timedelta()
    require(positive, "retention.older_than", age, "a positive timedelta")


def _subset(name: str, given: object, allowed: tuple[str, ...]) -> None:
    values = cast("tuple[object, ...]", given if isinstance(given, tuple) else ())
    ok = values is given and all(value in allowed for value in values)
    require(ok, name, values, "a tuple of " + ", ".join(map(repr, allowed)))
