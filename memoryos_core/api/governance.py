"""The administration of a memory: roles of actors, the audit log, and facts in quarantine (ADR 0016).

Facts that are told on purpose or judged by a reviewer: filed without any page being read (ADR 0017).
"""

from __future__ import annotations

import logging
import uuid
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from memoryos_core.api.access import Gate, require_role
from memoryos_core.api.audit_heads import ShippedHeads
from memoryos_core.api.engine import Engine
from memoryos_core.config import RetentionPolicy
from memoryos_core.errors import EmbedderMismatchError, InvalidInputError, ModelError, NotFoundError
from memoryos_core.ports import Store
from memoryos_core.ports.capabilities import AuditStore, capability
from memoryos_core.ports.models import ForeignErrors
from memoryos_core.rules import validation as accepting
from memoryos_core.rules.safety import access
from memoryos_core.rules.safety.poison import labels
from memoryos_core.values.audit import (
    TEAM,
    WORKER,
    Activity,
    AuditEntry,
    AuditReport,
    AuditSummary,
    Grant,
    LoggedRecall,
    team_scope,
)
from memoryos_core.values.commands import FactChange, Forgetting, Learning, Promotion, VectorRow
from memoryos_core.values.dialogue import Scope
from memoryos_core.values.facts import About, Fact
from memoryos_core.values.notes import NoteWrite
from memoryos_core.values.reports import ForgetReceipt, RetentionReport

logger = logging.getLogger(__name__)


_RECALL = ("recall",)
_MOST_DAYS = 36_500
_ENTRIES = 10_000
# By the action of an entry: counts of the activity, each with the name of the count in the entry's detail.
_COUNTED: Mapping[str, Mapping[str, str]] = {
    "append": {"pages_added": "pages"},
    "page_out": {"pages_moved": "pages", "facts_read": "facts"},
    "promote": {"facts_read": "facts"},
    "remember": {"facts_told": "facts"},
    "correct": {"facts_told": "facts"},
    "release": {"facts_told": "changes"},
    "evict": {"segments_evicted": "segments"},
    "archive": {"segments_evicted": "segments"},
}


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
    def grant(self, actor: str, role: str, *, on: str | None = None, until: datetime | None = None) -> None:
        """Give an actor the role "reader", "writer", "curator" or "admin" here, at once and in all processes.

        Raises InvalidInputError for another role, a name that no actor can have, or an end that is over.

        Args:
            actor: its name, or "team:" and the name of a team (`MemoryOS.team`).
            role: what it may do, in place of the role that it has.
            on: the assistant with which this user's memory is meant; None is that of this handle. An actor who grants
                must be an admin there, too.
            until: the end of the grant, by the memory's clock; None is without an end. A naive time is UTC.
        """
        if not self._is_mine(on):
            self._of(on).grant(actor, role, until=until)
            return
        now, end = self._open().parts.clock(), accepting.moment("until", until)
        if end is not None and end <= now:
            raise InvalidInputError("until= is over already: name a moment after the present, or revoke the role")
        self._log.grant(self.scope, _grantee(actor), access.parse_role(role), now, until=end)

    @require_role
    def revoke(self, actor: str, *, on: str | None = None) -> bool:
        """Take an actor's role, or a team's, away, at once and in all processes; return whether it had one."""
        if not self._is_mine(on):
            return self._of(on).revoke(actor)
        return self._log.revoke(self.scope, _grantee(actor), self._open().parts.clock())

    def _is_mine(self, on: str | None) -> bool:
        return on is None or accepting.identifier("on", on) == self.scope.assistant_id

    def _of(self, assistant_id: str | None) -> Governance:
        scope = Scope(self.scope.user_id, accepting.identifier("on", assistant_id))
        return Governance(self._open, scope, self.gate.actor)

    @require_role
    def grants(self) -> list[Grant]:
        """Return every actor and team with a role here, by name, also roles that have ended.

        The application needs no role and is not listed.
        """
        return list(self._log.grants(self.scope))

    @require_role
    def audit(self, *, since: datetime | None = None, after: int = 0, limit: int = 500) -> list[AuditEntry]:
        """Return the audit entries, oldest first: those after the seq `after`, and not before `since`."""
        most, start = accepting.count("limit", limit), accepting.whole_number("after", after)
        begin = accepting.moment("since", since)
        return list(self._log.audit(self.scope, after=start, since=begin, limit=most))

    @require_role
    def recalls(self, *, of: str | None = None, limit: int = 100) -> list[LoggedRecall]:
        """Return the logged recalls, the newest first: all, or those that brought the page or fact with the id `of`.

        There are some only where the memory was opened with `MemoryConfig(recall_log=True)`. They are looked for among
        the newest ten thousand entries of the audit log.
        """
        most, wanted = accepting.count("limit", limit), None if of is None else accepting.text("of", of)
        return [recall_of(entry) for entry in self._log.newest_audit(self.scope, _RECALL, naming=wanted, limit=most)]

    @require_role
    def activity(self, *, days: int = 7) -> Activity:
        """Return what was added, moved, learnt and erased in the last days, and when a worker wrote here last.

        It is counted from the newest ten thousand entries of the audit log: all zeros without a log.
        """
        since = self._open().parts.clock() - timedelta(days=accepting.count("days", days, most=_MOST_DAYS))
        worker = self._log.newest_audit(self.scope, actor=WORKER, limit=1)
        entries = self._log.newest_audit(self.scope, (*_COUNTED, "forget"), since=since, limit=_ENTRIES)
        return count_activity(entries, worker[0].at if worker else None)

    @require_role
    def verify(self, *, head: str | None = None, shipped: ShippedHeads | None = None) -> AuditReport:
        """Check the chain of the audit log, and that the digest `head`, noted earlier, is still in it.

        With heads that were `shipped`, also that each is still the entry it was, and that every line was signed.
        """
        noted = None if head is None else accepting.text("head", head)
        if shipped is None:
            return self._log.verify_audit(self.scope, noted)
        known = accepting.instance("shipped", shipped, ShippedHeads)
        report = self._log.verify_audit(self.scope, noted, known.noted.get(self.scope.key))
        wrong = (line for line in known.broken if line.scope in ("", self.scope.key))
        return report if not report.ok else next(wrong, report)

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


class Team:
    """A named group of actors, to which a memory may be granted as "team:NAME". For the application alone.

    Who belongs to it is looked up at each verb, so a change holds at once and in all processes. No actor can name its
    teams itself.

    Examples:
        >>> from memoryos_core import MemoryOS
        >>> with MemoryOS("sqlite://", embedder=None) as memory:
        ...     memory.team("physio").add("bot-7")
        ...     memory.user("ada").governance.grant("team:physio", "reader")
        ...     [member.actor for member in memory.team("physio").members()]
        ['bot-7']
    """

    def __init__(self, engine: Callable[[], Engine], name: str) -> None:
        self._open = engine
        self.name = name
        self.scope = team_scope(TEAM + name)

    @property
    def _log(self) -> AuditStore:
        return capability(self._open().parts.store, AuditStore)

    def add(self, actor: str, *, until: datetime | None = None) -> None:
        """Make an actor a member, until a moment. Raises InvalidInputError for a name that no actor can have."""
        now, end = self._open().parts.clock(), accepting.moment("until", until)
        if end is not None and end <= now:
            raise InvalidInputError("until= is over already: name a moment after the present, or remove the member")
        self._log.grant(self.scope, actor_name(actor), "reader", now, until=end)

    def remove(self, actor: str) -> bool:
        """End a membership at once; return whether there was one."""
        return self._log.revoke(self.scope, actor_name(actor), self._open().parts.clock())

    def members(self) -> list[Grant]:
        """Return the members by name, also those whose membership has ended."""
        return list(self._log.grants(self.scope))

    def audit(self, *, after: int = 0, limit: int = 500) -> list[AuditEntry]:
        """Return who was added and removed when, oldest first, after the seq `after`."""
        most, start = accepting.count("limit", limit), accepting.whole_number("after", after)
        return list(self._log.audit(self.scope, after=start, limit=most))


def recall_of(entry: AuditEntry) -> LoggedRecall:
    """Return the recall that an entry of the audit log tells of."""
    counts = {name: _count(entry, name) for name in ("hits", "tokens", "budget_tokens")}
    ids = entry.detail.get("ids", ())
    return LoggedRecall(entry.seq, entry.at, entry.actor, **counts, ids=tuple(ids) if isinstance(ids, list) else ())


def count_activity(entries: Sequence[AuditEntry], worker_at: datetime | None) -> Activity:
    """Return the sums of what entries of the audit log count."""
    sums = Counter({"erased": sum(entry.action == "forget" for entry in entries)})
    for entry in entries:
        for name, counted in _COUNTED.get(entry.action, {}).items():
            sums[name] += _count(entry, counted)
    return Activity(worker_at, **sums)


def _count(entry: AuditEntry, name: str) -> int:
    found = entry.detail.get(name, 0)
    return found if isinstance(found, int) else 0


def verify_all(store: Store, shipped: ShippedHeads | None, *, progress: bool) -> AuditSummary:
    """Check every chain of a store, with a bar that counts them, and against the heads that were shipped."""
    from tqdm import tqdm  # noqa: PLC0415 - only who waits for this long work needs it

    chains = entries = 0
    known = ShippedHeads() if shipped is None else accepting.instance("shipped", shipped, ShippedHeads)
    broken = list(known.broken)
    log = capability(store, AuditStore)
    for report in tqdm(log.verify_audits(known.noted), desc="verify", unit="chain", disable=not progress):
        chains, entries = chains + 1, entries + report.entries
        if not report.ok:
            broken.append(report)
    return AuditSummary(chains, entries, tuple(broken))


def actor_name(value: object) -> str:
    """The name of an actor, as it is. Raises InvalidInputError."""
    name = accepting.identifier("actor", value)
    if name == WORKER:
        raise InvalidInputError(f"actor={name!r} is reserved for consolidation in the audit log: choose another name")
    if name.startswith(TEAM):
        raise InvalidInputError(f"actor={name!r} is the name of a team: name one of its members (MemoryOS.team)")
    return name


def _grantee(value: object) -> str:
    """The name of an actor, or "team:" and the name of a team. Raises InvalidInputError."""
    if isinstance(value, str) and value.startswith(TEAM):
        return TEAM + accepting.identifier("team", value.removeprefix(TEAM))
    return actor_name(value)


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
