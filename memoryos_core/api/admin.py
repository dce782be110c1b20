"""Restoring exported records: each goes to the scope named last before it. Also reads and writes JSON Lines.

Checks a whole store, copies it, and embeds it again; where embedding was cut short, the next consolidation goes on.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from itertools import chain
from pathlib import Path
from typing import cast

from memoryos_core import stores
from memoryos_core.api.engine import Engine
from memoryos_core.api.notes import embed_missing
from memoryos_core.config import RetentionPolicy
from memoryos_core.config.validation import brief
from memoryos_core.errors import InvalidInputError
from memoryos_core.ports import Store
from memoryos_core.ports.capabilities import CheckStore, ExportStore, RetentionStore, SearchStore, capability
from memoryos_core.rules.validation import identifier, instances
from memoryos_core.values.commands import Forgetting, Record
from memoryos_core.values.dialogue import Scope
from memoryos_core.values.encryption_keys import KeyChoice
from memoryos_core.values.reports import (
    CheckFinding,
    CheckReport,
    ForgetReceipt,
    RestoreReport,
    RetentionReport,
    SalvageReport,
)

_KINDS = ("page", "segment", "chain", "fact", "trait", "profile", "note", "taken")
_INDEX = "the stored index says what the rows say"
_MOST_NAMED = 20


def export_records(store: Store, scope: Scope) -> Iterator[dict[str, object]]:
    """Return the records of a scope for `restore`, its name first. Raises UnsupportedError."""
    found = capability(store, ExportStore).export(scope)
    name: dict[str, object] = {"kind": "scope", "user_id": scope.user_id, "assistant_id": scope.assistant_id}
    return chain([name], ({"kind": kind, **record} for kind, record in found))


def restore(
    store: Store,
    records: Iterable[Mapping[str, object]],
    notify: Callable[[Scope], None],
    settle: Callable[[Scope], None],
) -> RestoreReport:
    """Restore records of one or several exports, in order; `notify` is called with each scope that has new pages.

    `settle` is called with each scope that had facts before.
    Reads them as they come, some hundreds at a time. Raises InvalidInputError at a record it cannot read.
    """
    able = capability(store, ExportStore)
    given = cast("object", records)
    if isinstance(given, (str, bytes, Mapping)) or not isinstance(given, Iterable):
        kind = type(records).__name__
        raise InvalidInputError(f"records must be a list or another iterable of mappings, not {kind}")
    total = RestoreReport()
    stream = _Stream(records)
    while (scope := stream.next_scope()) is not None:
        had_facts = bool(store.facts(scope))
        try:
            total = _sum(total, able.restore(scope, stream.records()))
            if had_facts:
                settle(scope)
        finally:
            notify(scope)
    return total


class _Stream:
    """Records in order, cut where another scope is named."""

    def __init__(self, records: Iterable[Mapping[str, object]]) -> None:
        self._given = enumerate(records, 1)
        self._scope: Scope | None = None
        self._ended = False

    def next_scope(self) -> Scope | None:
        """Return the scope of the next records; None at the end."""
        if self._scope is None and not self._ended and next(self.records(), None) is not None:
            raise InvalidInputError(
                "the first record must be a scope; pass the records as export() gave them, from the first"
            )
        scope, self._scope = self._scope, None
        return scope

    def records(self) -> Iterator[Record]:
        """Yield the records up to the next scope."""
        for number, given in self._given:
            record = _mapping(number, given)
            kind = record.get("kind")
            if kind == "scope":
                names = (identifier(name, record.get(name)) for name in ("user_id", "assistant_id"))
                self._scope = Scope(*names)
                return
            if kind not in _KINDS:
                raise InvalidInputError(
                    f"record {number} has the unknown kind {brief(kind)}; allowed are {', '.join(_KINDS)}"
                )
            yield cast("Record", (kind, {k: v for k, v in record.items() if k != "kind"}))
        self._ended = True


def dump_records(records: Iterable[Mapping[str, object]]) -> Iterator[str]:
    """Format records as JSON Lines, in ASCII, each with its line end."""
    for record in records:
        yield json.dumps(record) + "\n"


def parse_records(lines: Iterable[str]) -> Iterator[Mapping[str, object]]:
    """Parse JSON Lines back to records; empty lines are skipped. Raises InvalidInputError, which names the line."""
    number, given = 0, iter(lines)
    while True:
        number += 1
        try:
            line = next(given)
            record: Mapping[str, object] = json.loads(line) if line.strip() else {}
        except StopIteration:
            return
        except UnicodeDecodeError:  # a file is decoded some lines ahead
            raise InvalidInputError(
                f"line {number} or one after it is not UTF-8 text; use a file that `export` wrote"
            ) from None
        except (ValueError, RecursionError):
            raise InvalidInputError(f"line {number} is not JSON; use a file that `export` wrote") from None
        if line.strip():
            yield record


def _mapping(number: int, record: object) -> Mapping[str, object]:
    if not isinstance(record, Mapping):
        raise InvalidInputError(f"record {number} must be a mapping as export() gives it, not {type(record).__name__}")
    return cast("Mapping[str, object]", record)


def _sum(a: RestoreReport, b: RestoreReport) -> RestoreReport:
    counts = {f.name: getattr(a, f.name) + getattr(b, f.name) for f in fields(RestoreReport)}
    return replace(a, **counts)


def retain(
    engine: Engine, policies: Sequence[RetentionPolicy] | None, *, dry_run: bool, progress: bool
) -> RetentionReport:
    """Apply policies, else the configured ones, to every scope, one after another."""
    from tqdm.auto import tqdm  # noqa: PLC0415 - reads the environment, and only this long work needs it

    capability(engine.parts.store, RetentionStore)  # refused also while there is no scope
    if policies is not None:
        policies = instances("policies", policies, RetentionPolicy)
    report = RetentionReport(dry_run=dry_run)
    for scope in tqdm(engine.parts.store.scopes(), desc="retain", unit="user", disable=not progress):
        report += engine.retain(scope, policies, dry_run=dry_run)
    return report


def check(engine: Engine, *, deep: bool, progress: bool) -> CheckReport:
    """Look for broken rows in every scope, and for damage to the database. Nothing is changed.

    With `deep`, the stored index of each scope is compared with one that is made from its rows.
    """
    from tqdm.auto import tqdm  # noqa: PLC0415 - reads the environment, and only this long work needs it

    store = engine.parts.store
    able = capability(store, CheckStore)
    findings = list(able.check_database(deep=deep))
    scopes = store.scopes()
    for scope in tqdm(scopes, desc="check", unit="user", disable=not progress):
        findings += able.check_scope(scope, deep=deep)
        if deep and (wrong := engine.index.disagreements(scope)):
            findings.append(CheckFinding(scope, _INDEX, len(wrong), wrong[:_MOST_NAMED]))
    return CheckReport(len(scopes), deep, tuple(findings))


def salvage(url: str, path: str | Path, *, key: KeyChoice, users: Sequence[Scope], progress: bool) -> SalvageReport:
    """Take what can be read out of a damaged file. Raises InvalidInputError for something that is not a path."""
    from tqdm.auto import tqdm  # noqa: PLC0415 - reads the environment, and only this long work needs it

    with tqdm(desc="salvage", unit="page", disable=not progress) as bar:

        def tell(page: int, pages: int) -> None:
            bar.total = pages
            bar.update(page - bar.n)

        return stores.salvage(url, path_of(path), key=key, users=users, progress=tell)


def path_of(path: str | Path) -> Path:
    """Return the path of a new file. Raises InvalidInputError for something that is not one."""
    given = cast("object", path)
    if not isinstance(given, (str, Path)) or not Path(given).name:
        raise InvalidInputError(f"path must be the path of a new file, not {brief(given)}")
    return Path(given)


def forget_user(engine: Engine, user_id: str) -> ForgetReceipt:
    """Erase one user's memory with every assistant, a transaction each; return the sum of what was erased."""
    receipt = ForgetReceipt()
    store = engine.parts.store
    if isinstance(store, RetentionStore):
        scopes = store.scopes_of(user_id)
    else:
        scopes = tuple(scope for scope in store.scopes() if scope.user_id == user_id)
    for scope in scopes:
        receipt += engine.erase(Forgetting(scope, everything=True, at=engine.parts.clock()))
    return receipt


def reindex(engine: Engine, *, progress: bool) -> int:
    """Embed what has no vectors of the engine's embedder and move the centroids; says how many pages.

    Where the database ranks, the words of each scope are read again, too.
    """
    from tqdm.auto import tqdm  # noqa: PLC0415 - reads the environment, and only this long work needs it

    pages = 0
    store = engine.parts.store
    scopes = store.scopes()
    for scope in tqdm(scopes, desc="reindex", unit="user", disable=not progress):
        pages += engine.reembed(scope)
        embed_missing(engine, scope)
        if isinstance(store, SearchStore) and store.searches:
            store.analyse_again(scope)
    return pages
