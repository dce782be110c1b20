"""What an application does with a whole store, or for good with one of its users: none of it is for an actor."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from memoryos_core.config import RetentionPolicy
from memoryos_core.governance import verify_all
from memoryos_core.keys import KeyChoice, Keys
from memoryos_core.ledger import AuditSummary
from memoryos_core.reports import Backlog, ForgetReceipt, RestoreReport, RetentionReport, Stats, Usage
from memoryos_core.restoring import restore
from memoryos_core.retaining import forget_user, retain
from memoryos_core.rules.accepting import flag, identifier
from memoryos_core.serving import Served


class Housekeeping(Served):
    """The verbs of `MemoryOS` about the whole of a store; not made by itself."""

    def stats(self) -> Stats:
        """How much the whole store holds."""
        return self._open().parts.store.stats()

    def backlog(self) -> Backlog:
        """How much work waits in the whole store: cheap, for whoever watches it."""
        return self._open().parts.store.backlog()

    def usage(self) -> Usage:
        """What the consolidating model was asked since the memory was opened."""
        asker = self._open().asker
        return asker.usage if asker is not None else Usage()

    def verify_audit(self, *, progress: bool = True) -> AuditSummary:
        """Check the audit log of every user, forgotten ones too; see `Governance.verify` for what that can tell."""
        return verify_all(self._open().parts.store, progress=progress)

    def restore(self, records: Iterable[Mapping[str, object]]) -> RestoreReport:
        """Bring exported records back into the scopes they name; what is there already is skipped."""
        engine = self._open()
        return restore(engine.parts.store, records, engine.worker.notify)

    def forget_user(self, user_id: str) -> ForgetReceipt:
        """Erase everything of a user with every assistant; says what went in all. Raises InvalidInputError."""
        return forget_user(self._open(), identifier("user_id", user_id))

    def retain(
        self, policies: Sequence[RetentionPolicy] | None = None, *, dry_run: bool = False, progress: bool = True
    ) -> RetentionReport:
        """Apply retention policies, else the configured ones, to all users; `dry_run` only says what would go."""
        return retain(self._open(), policies, dry_run=flag("dry_run", dry_run), progress=progress)

    def vacuum(self, *, full: bool = False) -> None:
        """Give back the room of what was erased; a file is written anew. Raises StoreBusyError while it is in use.

        On a server `full` writes every table anew, too, each locked meanwhile, so that no old image is in its files.
        """
        self._open().parts.store.vacuum(full=full)

    def rekey(self, new_key: KeyChoice) -> None:
        """Encrypt everything anew with another key; whenever it stops, one of the two keys opens everything.

        Raises StoreKeyError when the store is not encrypted; nothing was changed then.
        """
        new_key = Keys.of(new_key)  # hidden from a traceback's locals
        self._open().parts.store.rekey(new_key)
