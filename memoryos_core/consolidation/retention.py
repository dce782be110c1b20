"""Retention: rows that a policy does not keep (too old, untrusted, too many) are archived or forgotten in batches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memoryos_core.config import RetentionKind, RetentionPolicy
from memoryos_core.config.retention import named_apart
from memoryos_core.consolidation.workshop import Workshop
from memoryos_core.ports.capabilities import RetentionStore, capability
from memoryos_core.rules.retention import due
from memoryos_core.values.commands import Forgetting
from memoryos_core.values.dialogue import Scope
from memoryos_core.values.events import Forgotten, Retained
from memoryos_core.values.queries import Mark
from memoryos_core.values.reports import ForgetReceipt, RetentionEntry, RetentionReport

# The most rows to read at once, and to erase or move in one transaction.
_MARKS_AT_ONCE = 5000
_A_TRANSACTION = 200
_KINDS: tuple[RetentionKind, ...] = ("pages", "facts")


class Retention:
    """Applies policies to one scope. If the memory closes during a run, the next run goes on."""

    def __init__(self, shop: Workshop) -> None:
        self._shop = shop

    @property
    def _store(self) -> RetentionStore:
        return capability(self._shop.store, RetentionStore)

    def run(self, scope: Scope, policies: Sequence[RetentionPolicy], *, dry_run: bool) -> RetentionReport:
        """Apply the policies, oldest rows first; `dry_run` only reports. Raises ConfigError, StoreError."""
        named_apart(tuple(policies))
        capability(self._shop.store, RetentionStore)  # refused also without a policy
        plan = list(self._plan(scope, policies))  # whole, before anything goes: facts may go with pages
        report = RetentionReport(dry_run=dry_run)
        for policy, marks in plan:
            receipt, taken = ForgetReceipt(), marks
            if not dry_run:
                receipt, taken = self._take(scope, policy, self._left(scope, policy, marks, report.receipt))
            report += RetentionReport(_entries(scope, policy, taken), receipt, dry_run=dry_run)
        self._tell(scope, report)
        return report

    def _plan(
        self, scope: Scope, policies: Sequence[RetentionPolicy]
    ) -> Iterator[tuple[RetentionPolicy, tuple[Mark, ...]]]:
        now = self._shop.clock()
        for kind in _KINDS:
            of_kind = [policy for policy in policies if policy.kind == kind]
            if of_kind:
                yield from due(list(self._marks(scope, kind)), of_kind, now)

    def _marks(self, scope: Scope, kind: RetentionKind) -> Iterator[Mark]:
        after = 0
        while found := self._store.marks(scope, kind, after=after, limit=_MARKS_AT_ONCE):
            yield from found
            after = found[-1].seq

    def _left(
        self, scope: Scope, policy: RetentionPolicy, marks: tuple[Mark, ...], gone: ForgetReceipt
    ) -> tuple[Mark, ...]:
        """Return the facts that were not erased together with their pages."""
        if policy.kind != "facts" or not gone.facts:
            return marks
        there = {mark.id for mark in self._marks(scope, "facts")}
        return tuple(mark for mark in marks if mark.id in there)

    def _take(
        self, scope: Scope, policy: RetentionPolicy, marks: Sequence[Mark]
    ) -> tuple[ForgetReceipt, tuple[Mark, ...]]:
        """Erase or move in bounded transactions; return the counts, and the marks reached."""
        receipt = ForgetReceipt()
        taken: tuple[Mark, ...] = ()
        for start in range(0, len(marks), _A_TRANSACTION):
            if self._shop.stopping():
                break
            some = tuple(marks[start : start + _A_TRANSACTION])
            ids = tuple(mark.id for mark in some)
            if policy.action == "purge":
                pages, facts = (ids, ()) if policy.kind == "pages" else ((), ids)
                receipt += self._shop.store.forget(Forgetting(scope, pages, facts, at=self._shop.clock()))
            else:
                self._store.archive(scope, policy.kind, ids)
            taken += some
        return receipt, taken

    def _tell(self, scope: Scope, report: RetentionReport) -> None:
        if report.dry_run or not report.entries:
            return
        purged = sum(len(e.ids) for e in report.entries if e.action == "purge")
        if purged:
            self._shop.emit(Forgotten(scope, report.receipt.pages, report.receipt.facts))
        self._shop.emit(Retained(scope, sum(len(e.ids) for e in report.entries) - purged, purged))


def _entries(scope: Scope, policy: RetentionPolicy, marks: Sequence[Mark]) -> tuple[RetentionEntry, ...]:
    by_place: dict[str, list[str]] = {}
    for mark in marks:
        by_place.setdefault(mark.place, []).append(mark.id)
    return tuple(
        RetentionEntry(scope, policy.name, policy.kind, policy.action, place, tuple(ids))
        for place, ids in by_place.items()
    )
