"""The administration of a memory: roles of actors, the audit log, and facts in quarantine (ADR 0016).

Facts that are told on purpose or judged by a reviewer: filed without any page being read (ADR 0017).
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime

from memoryos_core.api.access import Gate, require_role
from memoryos_core.api.engine import Engine
from memoryos_core.config import RetentionPolicy
from memoryos_core.errors import EmbedderMismatchError, InvalidInputError, ModelError, NotFoundError
from memoryos_core.ports import Store
from memoryos_core.ports.capabilities import AuditStore, capability
from memoryos_core.ports.model_errors import ForeignErrors
from memoryos_core.rules import validation as accepting
from memoryos_core.rules.safety import access
from memoryos_core.rules.safety.poison import labels
from memoryos_core.values.audit import WORKER, AuditEntry, AuditReport, AuditSummary, Grant
from memoryos_core.values.commands import FactChange, Forgetting, Learning, Promotion, VectorRow
from memoryos_core.values.dialogue import Scope
from memoryos_core.values.facts import About, Fact
from memoryos_core.values.notes import NoteWrite
from memoryos_core.values.reports import ForgetReceipt, RetentionReport

logger = logging.getLogger(__name__)


class Governance:
    """Grants and the audit log of one user with one assistant. Every verb may raise AccessError and StoreError.

    Examples:
        >>> from memoryos_core import MemoryOS
        >>> with MemoryOS("sqlite://", embedder=None) as memory:
        ...     memory.user("ada").governance.grant("bot-7", "reader")
        ...     [(grant.actor, grant.role) for grant in memory.user("ada").governance.grants()]
        [('bot-7', 'reader')]
    """

    def __init__(self, engine: Callable[[], Engine], scope: Scope, actor: str | None = None) -> None:
        self._open = engine
        self.scope = scope
        self.gate = Gate(engine, scope, actor)

    @property
    def _log(self) -> AuditStore:
        return capability(self._open().parts.store, AuditStore)

    @require_role
    def grant(self, actor: str, role: str) -> None:
        """Give an actor the role "reader", "writer", "curator" or "admin" here, at once and in all processes.

        Raises InvalidInputError for another role, or a name that no actor can have.
        """
        parts = self._open().parts
        self._log.grant(self.scope, actor_name(actor), access.parse_role(role), parts.clock())

    @require_role
    def revoke(self, actor: str) -> bool:
        """Take an actor's role away, at once and in all processes; return whether it had one."""
        parts = self._open().parts
        return self._log.revoke(self.scope, actor_name(actor), parts.clock())

    @require_role
    def grants(self) -> list[Grant]:
        """Return every actor with a role here, by name. The application needs no role and is not listed."""
        return list(self._log.grants(self.scope))

    @require_role
    def audit(self, *, since: datetime | None = None, after: int = 0, limit: int = 500) -> list[AuditEntry]:
        """Return the audit entries, oldest first: those after the seq `after`, and not before `since`."""
        most, start = accepting.count("limit", limit), accepting.whole_number("after", after)
        begin = accepting.moment("since", since)
        return list(self._log.audit(self.scope, after=start, since=begin, limit=most))

    @require_role
    def verify(self, *, head: str | None = None) -> AuditReport:
        """Check the chain of the audit log, and that the digest `head`, noted earlier, is still in it."""
        noted = None if head is None else accepting.text("head", head)
        return self._log.verify_audit(self.scope, noted)

    @require_role
    def retain(self, policies: Sequence[RetentionPolicy] | None = None, *, dry_run: bool = False) -> RetentionReport:
        """Apply retention policies, else the configured ones, here; `dry_run` only says what would go."""
        return self._open().retain(self.scope, policies, dry_run=accepting.flag("dry_run", dry_run))

    @require_role
    def quarantined(self) -> list[Fact]:
        """Return the facts that wait for review, oldest first; their `labels` say why they were held back."""
        return facts_to_review(self._open(), self.scope)

    @require_role
    def release(self, facts: Sequence[str | Fact]) -> list[Fact]:
        """Make facts in quarantine current, in place of what they were to replace; returns them.

        Raises NotFoundError unless all of them wait, ConflictError when one was reviewed or replaced meanwhile.
        """
        return release(self._open(), self.scope, accepting.ids("facts", facts))

    @require_role
    def reject(self, facts: Sequence[str | Fact]) -> ForgetReceipt:
        """Erase facts in quarantine; their pages stay. Raises NotFoundError unless all of them wait."""
        return reject(self._open(), self.scope, accepting.ids("facts", facts))


def verify_all(store: Store, *, progress: bool) -> AuditSummary:
    """Check every chain of a store, with a bar that counts them."""
    from tqdm import tqdm  # noqa: PLC0415 - only who waits for this long work needs it

    chains = entries = 0
    broken: list[AuditReport] = []
    for report in tqdm(
        capability(store, AuditStore).verify_audits(), desc="verify", unit="chain", disable=not progress
    ):
        chains, entries = chains + 1, entries + report.entries
        if not report.ok:
            broken.append(report)
    return AuditSummary(chains, entries, tuple(broken))


def actor_name(value: object) -> str:
    """The name of an actor, as it is. Raises InvalidInputError."""
    name = accepting.identifier("actor", value)
    if name == WORKER:
        raise InvalidInputError(f"actor={name!r} is reserved for consolidation in the audit log: choose another name")
    return name


def tell(
    engine: Engine, scope: Scope, said: tuple[str, About], replaces: str | None, notes: Sequence[NoteWrite] = ()
) -> Fact:
    """File a fact that was told on purpose with its notes, in place of another one where `replaces` is its id.

    Secrets in it are redacted. What wants to steer the reader waits in quarantine, and replaces nothing until it is
    released: a model with a tool to remember by may have been talked into it. Raises ConflictError when the one to be
    replaced is no longer current.
    """
    now, (given, about) = engine.parts.clock(), said
    text = engine.redactor.text(given)
    suspicious = labels(text) if engine.parts.config.safety.quarantine else ()
    fact = Fact(uuid.uuid4().hex, about, text, learned_at=now, valid_from=now)
    if suspicious:
        fact = replace(fact, status="quarantined", labels=suspicious, superseded_by=replaces)
    changes: list[FactChange] = []
    if replaces and not suspicious:  # what was corrected never held
        wrong = engine.parts.store.facts(scope, ids=[replaces])
        changes = [FactChange(replaces, "superseded", wrong[0].valid_from if wrong else now, fact.id)]
    if not suspicious:
        known = engine.knowledge.facts(scope)
        changes += [c for c in engine.long_term.replaced(scope, fact, known) if c.fact_id != replaces]
    kept = tuple(replace(note, fact_id=fact.id) for note in notes)
    vectors = () if suspicious else vector_of(engine, fact)
    learning = Learning((fact,), vectors, tuple(changes), notes=kept, embedder=engine.parts.embedder.name)
    engine.parts.store.promote(Promotion(scope, learning, now, current=(replaces,) if replaces else ()))
    return fact


def facts_to_review(engine: Engine, scope: Scope, fact_ids: Sequence[str] | None = None) -> list[Fact]:
    """The facts that wait for review, oldest first: all, or these. Raises NotFoundError unless all of these wait."""
    known = engine.parts.store.facts(scope, ids=fact_ids, current=False)
    waiting = [fact for fact in known if fact.status == "quarantined"]
    if fact_ids is not None and len(waiting) < len(set(fact_ids)):
        raise NotFoundError(
            "some of these ids are not facts in quarantine; governance.quarantined() lists those that are"
        )
    return waiting


def release(engine: Engine, scope: Scope, fact_ids: Sequence[str]) -> list[Fact]:
    """Make facts in quarantine current; each takes the place of the one it was to replace, if that still holds.

    Raises NotFoundError as `quarantined`, ConflictError when one was released, erased or replaced meanwhile.
    """
    waiting = facts_to_review(engine, scope, fact_ids)
    store, now = engine.parts.store, engine.parts.clock()
    rivals = tuple(dict.fromkeys(fact.superseded_by for fact in waiting if fact.superseded_by))
    holding = {fact.id: fact for fact in store.facts(scope, ids=rivals)}
    replaced = {f.superseded_by: f for f in waiting if f.superseded_by in holding and f.superseded_by}
    changes = [FactChange(fact.id, "current") for fact in waiting]
    # What waits may have been said before what it replaces, which ends no earlier than it began.
    changes += [
        FactChange(i, "superseded", max(f.valid_from, holding[i].valid_from), f.id) for i, f in replaced.items()
    ]
    vectors = tuple(row for fact in waiting for row in vector_of(engine, fact))
    learning = Learning(vectors=vectors, changes=tuple(changes), embedder=engine.parts.embedder.name)
    ids = tuple(fact.id for fact in waiting)
    store.promote(Promotion(scope, learning, now, current=tuple(replaced), quarantined=ids))
    engine.worker.notify(scope)
    return list(store.facts(scope, ids=ids))


def reject(engine: Engine, scope: Scope, fact_ids: Sequence[str]) -> ForgetReceipt:
    """Erase facts in quarantine; the pages that they cite stay. Raises NotFoundError as `quarantined`."""
    waiting = facts_to_review(engine, scope, fact_ids)
    return engine.erase(Forgetting(scope, fact_ids=tuple(fact.id for fact in waiting), at=engine.parts.clock()))


def vector_of(engine: Engine, fact: Fact) -> tuple[VectorRow, ...]:
    """Return the vector of a fact without a page; () while no embedder that knows meaning is available."""
    if not engine.parts.embedder.semantic:
        return ()
    try:
        engine.agree_on_embedder()
        with ForeignErrors("the embedder"):
            (vector,) = engine.parts.embedder.embed_documents([fact.text])
    except (ModelError, EmbedderMismatchError) as error:
        logger.warning("a fact is stored without a vector for now, and found by its words: %s", type(error).__name__)
        return ()
    return (VectorRow(fact.id, "fact", vector, embedder=engine.parts.embedder.name),)
