"""What is done to all of a user, or to all users, by age or on demand: an application's verbs, not an actor's."""

from __future__ import annotations

from collections.abc import Sequence

from memoryos_core.config import RetentionPolicy
from memoryos_core.engine import Engine
from memoryos_core.events import Forgotten
from memoryos_core.moves import Forgetting
from memoryos_core.reports import ForgetReceipt, RetentionReport


def retain(
    engine: Engine, policies: Sequence[RetentionPolicy] | None, *, dry_run: bool, progress: bool
) -> RetentionReport:
    """Apply policies, else the configured ones, to every scope, one after another."""
    from tqdm.auto import tqdm  # noqa: PLC0415 - reads the environment, and only this long work needs it

    report = RetentionReport(dry_run=dry_run)
    for scope in tqdm(engine.parts.store.scopes(), desc="retain", unit="user", disable=not progress):
        report += engine.retain(scope, policies, dry_run=dry_run)
    return report


def forget_user(engine: Engine, user_id: str) -> ForgetReceipt:
    """Erase everything of one user with every assistant, a transaction each; says what went in all."""
    receipt = ForgetReceipt()
    for scope in engine.parts.store.scopes_of(user_id):
        gone = engine.parts.store.forget(Forgetting(scope, everything=True, at=engine.parts.clock()))
        engine.index.forget(scope)
        engine.emit(Forgotten(scope, gone.pages, gone.facts))
        receipt += gone
    return receipt
