"""Types of the core's values that an adapter names, and the reading of dates as text."""

from __future__ import annotations

from memoryos_core.rules.dates.calendar import parse_moment
from memoryos_core.values.dialogue import Role
from memoryos_core.values.facts import About

__all__ = ["About", "Role", "parse_moment"]
