"""Decide what a new statement does to an old one."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

from memoryos_core.rules.knowledge.slots import slots_of

__all__ = ["Verdict", "compare"]

Verdict = Literal["replaces", "retires", "adds", "repeats", "disputes", "unrelated"]


def compare(old: str, new: str, names: Collection[str] = ()) -> Verdict:
    """Return what `new`, said after `old`, does to it."""
    for later in slots_of(new, names):
        for earlier in slots_of(old, names):
            if (earlier.subject, earlier.attribute) != (later.subject, later.attribute):
                continue
            if earlier.value.casefold() == later.value.casefold():
                return "repeats"
            return "adds" if later.many else "replaces"
    return "unrelated"
