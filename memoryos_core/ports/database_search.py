"""A store that finds candidates itself, so that a process without a user's memory in RAM can ask it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeAlias, runtime_checkable

from memoryos_core.values.candidates import Analysed, Candidates
from memoryos_core.values.dialogue import Page, Scope, Vector
from memoryos_core.values.facts import Fact

Analyse: TypeAlias = Callable[[Page | Fact], Sequence[Analysed]]
"""Returns the searchable units of a page or a fact. For the same words it must always return the same result."""


@runtime_checkable
class SearchingStore(Protocol):
    """The part of a store that ranks where it can (PostgreSQL, opened with an `Analyse`)."""

    @property
    def searches(self) -> bool:
        """Return True when `ranked` and `speakers` work on this database."""
        ...

    def ranked(self, scope: Scope, terms: Sequence[str], vector: Vector | None, k: int, *, window: float) -> Candidates:
        """The k best units by words and the k best by vector, oldest first, as `PageIndex.candidates` promises."""
        ...

    def speakers(self, scope: Scope) -> frozenset[str]:
        """The names that messages of the scope carry."""
        ...

    def analyse_again(self, scope: Scope) -> None:
        """Make the scope's units and postings afresh from its pages and facts."""
        ...
