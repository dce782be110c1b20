"""The rows that a retention policy evicts, decided over marks: time, place and source, but no content."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime

from memoryos_core.config import RetentionPolicy
from memoryos_core.values.queries import Mark

__all__ = ["due"]


def due(
    marks: Sequence[Mark], policies: Collection[RetentionPolicy], now: datetime
) -> list[tuple[RetentionPolicy, tuple[Mark, ...]]]:
    """The marks that go, oldest first, by the policy that takes them; policies that take nothing are left out.

    One that several policies want goes once: a purge comes before an archiving, whatever their order, for what is to
    be gone must not be kept; of the same action the first named has it.
    """
    ranked = sorted(marks, key=lambda mark: (mark.at, mark.seq))
    gone: set[str] = set()
    found: list[tuple[RetentionPolicy, tuple[Mark, ...]]] = []
    for policy in sorted(policies, key=lambda p: p.action != "purge"):
        taken = tuple(mark for mark in _marks_to_evict(ranked, policy, now) if mark.id not in gone)
        gone.update(mark.id for mark in taken)
        if taken:
            found.append((policy, taken))
    return found


def _marks_to_evict(ranked: Sequence[Mark], policy: RetentionPolicy, now: datetime) -> list[Mark]:
    named = [mark for mark in ranked if _is_for(mark, policy)]
    surplus = named[: -policy.keep_newest] if policy.keep_newest is not None else named
    return [mark for mark in surplus if _is_old(mark, policy, now) and _may_go(mark, policy)]


def _is_for(mark: Mark, policy: RetentionPolicy) -> bool:
    return (not policy.tiers or mark.place in policy.tiers) and (not policy.trust or mark.trust in policy.trust)


def _is_old(mark: Mark, policy: RetentionPolicy, now: datetime) -> bool:
    return policy.older_than is None or now - mark.at >= policy.older_than


def _may_go(mark: Mark, policy: RetentionPolicy) -> bool:
    """Archiving takes from one place only: pages from mid-term memory, facts from those that hold."""
    return policy.action == "purge" or mark.place == ("mid_term" if policy.kind == "pages" else "current")
