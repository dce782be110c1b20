"""The parts that every stage of consolidation works with, handed over once."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field

from memoryos_core.config import MemoryConfig
from memoryos_core.consolidation.leases import Leases
from memoryos_core.errors import ModelError
from memoryos_core.extract.asking import Asker
from memoryos_core.ports import Clock, Embedder, Store
from memoryos_core.rules.safety.secrets import Redactor
from memoryos_core.tiers.long_term import LongTerm
from memoryos_core.tiers.mid_term import MidTerm
from memoryos_core.values.commands import Learning
from memoryos_core.values.dialogue import Scope
from memoryos_core.values.events import Hook, StepFailed
from memoryos_core.values.reports import ConsolidationReport

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Workshop:
    """Store, embedder, model, tiers and clock of one memory. `asker` is None when there is no model."""

    store: Store
    embedder: Embedder
    asker: Asker | None
    mid_term: MidTerm
    long_term: LongTerm
    config: MemoryConfig
    clock: Clock
    emit: Hook
    leases: Leases
    stopping: Callable[[], bool] = field(default=lambda: False)
    redactor: Redactor = field(default_factory=Redactor)

    def fell_back(self, scope: Scope, step: str, error: ModelError) -> None:
        """Report that the rule-based twin took over."""
        logger.warning("the model failed at %s (%s): the rule-based twin did this step", step, type(error).__name__)
        self.emit(StepFailed(scope, step, type(error).__name__))


def count_learnt(learning: Learning) -> ConsolidationReport:
    """Return the counts of one reading."""
    held = sum(fact.status == "quarantined" for fact in learning.facts)
    changed = sum(change.status == "superseded" for change in learning.changes)
    changed += sum(fact.status == "superseded" for fact in learning.facts)
    return ConsolidationReport(
        facts_learned=len(learning.facts) - held, facts_quarantined=held, facts_superseded=changed
    )
