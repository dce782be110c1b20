"""The searchable words of a page or a fact, for stores that rank themselves."""

from __future__ import annotations

from memoryos_core.recall.index.units import unit_of_fact, units_of_page
from memoryos_core.rules.text.words import terms
from memoryos_core.values.candidates import Analysed
from memoryos_core.values.dialogue import Page
from memoryos_core.values.facts import Fact


def analyse_item(item: Page | Fact) -> tuple[Analysed, ...]:
    """The halves of a page that say something, or a fact, as the resident index takes them; implements `Analyse`."""
    units = units_of_page(item) if isinstance(item, Page) else (unit_of_fact(item),)
    return tuple(Analysed(unit.part, tuple(terms(unit.text)), unit.speaker) for unit in units)
