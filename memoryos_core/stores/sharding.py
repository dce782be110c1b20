"""A memory over several databases: each user lives in one of them, with all assistants, and nothing joins two.

Every verb about one scope goes to one database. The verbs about the whole store are listed here by name.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import fields
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from memoryos_core.errors import InvalidInputError, StoreUnreachableError, UnsupportedError
from memoryos_core.stores.sql.store import SqlStore
from memoryos_core.values.audit import AuditHead, AuditReport
from memoryos_core.values.commands import EmbedderStamp
from memoryos_core.values.dialogue import Scope
from memoryos_core.values.encryption_keys import KeyChoice
from memoryos_core.values.reports import Backlog, CheckFinding, Stats

T = TypeVar("T")

OF_ONE_SCOPE = (
    *("append", "taken", "end_session", "pages", "pending", "sessions", "page_out", "redescribe", "segments"),
    *("heat_counters", "chains", "promote", "facts", "profile", "evict", "visit", "save_vectors", "vectors", "cursor"),
    *(
        "feed",
        "forget",
        "lease",
        "renew",
        "release",
        "holder",
        "roles",
        "grant",
        "revoke",
        "grants",
        "deny",
        "log_read",
    ),
    *("record_recall", "newest_audit", "months", "session_spans", "page_ids", "fact_counts", "fact_ids"),
    *("audit", "verify_audit", "write_notes", "notes", "notes_of", "note_namespaces", "save_note_vectors", "export"),
    *("restore", "marks", "archive", "check_scope", "ranked", "speakers", "analyse_again", "index_chunks"),
    "index_owners",
    *("write_index_chunk", "read_index_vectors"),
)
"""The verbs whose first argument is a scope, or a command about one."""

_SAMPLED = 16


def place_of(scope: Scope, shards: int) -> int:
    """Return the number of the database in which a scope lives: by its user, and of a team by the team's name."""
    whose = scope.user_id or scope.assistant_id
    return int.from_bytes(hashlib.sha256(whose.encode("utf-8", "surrogatepass")).digest()[:8], "big") % shards


class ShardedStore:
    """Several stores as one. Their number and order are part of the memory: users are found by them.

    A database that cannot be reached costs its own users their verbs (StoreUnreachableError), and the verbs about all
    users; everybody else goes on.
    """

    def __init__(self, shards: Sequence[SqlStore]) -> None:
        self._shards = tuple(shards)
        for number, shard in enumerate(self._shards):
            if any(place_of(scope, len(self._shards)) != number for scope in shard.sample_scopes(_SAMPLED)):
                raise InvalidInputError(
                    f"database {number + 1} of {len(self._shards)} holds users that belong into another one: give the "
                    "same databases in the same order as before; to change their number, export the users and "
                    "restore them into new ones"
                )

    def shard(self, scope: Scope) -> SqlStore:
        """Return the store in which a scope lives."""
        return self._shards[place_of(scope, len(self._shards))]

    @property
    def searches(self) -> bool:
        """Return True when all of the databases rank."""
        return all(shard.searches for shard in self._shards)

    def scopes(self, *, pending_only: bool = False) -> tuple[Scope, ...]:
        """Every scope of all databases, by name."""
        found = (scope for shard in self._shards for scope in shard.scopes(pending_only=pending_only))
        return tuple(sorted(found, key=lambda scope: (scope.user_id, scope.assistant_id)))

    def scopes_of(self, user_id: str) -> tuple[Scope, ...]:
        """Every scope of one user, whatever the assistant."""
        return self.shard(Scope(user_id)).scopes_of(user_id)

    def stats(self, scope: Scope | None = None) -> Stats:
        """Counts for one scope, or for all databases."""
        if scope is not None:
            return self.shard(scope).stats(scope)
        each = [shard.stats() for shard in self._shards]
        return Stats(*(sum(getattr(one, field.name) for one in each) for field in fields(Stats)))

    def backlog(self) -> Backlog:
        """Return the waiting work of all databases, and the longest wait."""
        each = [shard.backlog() for shard in self._shards]
        return Backlog(
            sum(one.scopes for one in each),
            sum(one.pages for one in each),
            sum(one.pages_to_reread for one in each),
            max(one.seconds for one in each),
        )

    def claim(self, holder: str, seconds: float, *, limit: int = 1, wait: bool = False) -> tuple[Scope, ...]:
        """Lease scopes that are due, in whichever database; one that is away has none to give."""
        found: list[Scope] = []

        def ask(shard: SqlStore) -> tuple[Scope, ...]:
            return shard.claim(holder, seconds, limit=limit - len(found), wait=wait)

        for claimed in self._reachable(ask):
            found += claimed
            if len(found) >= limit:
                break
        return tuple(found)

    def embedder(self) -> EmbedderStamp | None:
        """Return the stamp of the embedder that wrote the vectors; None while one of the databases has none.

        Where they differ, because a change of embedder was cut short, it is that of the first: the change is repeated.
        """
        stamps = list(self._reachable(SqlStore.embedder))
        return None if None in stamps else stamps[0]

    def stamp_embedder(self, stamp: EmbedderStamp | None) -> None:
        """Record another embedder, in one database after another: the first comes last, so that `embedder` tells."""
        for shard in reversed(self._shards):
            shard.stamp_embedder(stamp)

    def verify_audits(self, noted: Mapping[str, Mapping[int, str]] | None = None) -> Iterator[AuditReport]:
        """Check every chain, one after another; one of `noted` that is in no database is looked for in the first."""
        there = [{head.scope for head in shard.audit_heads()} for shard in self._shards]
        home = {scope: number for number, own in enumerate(there) for scope in own}
        for number, shard in enumerate(self._shards):
            yield from shard.verify_audits({s: heads for s, heads in (noted or {}).items() if home.get(s, 0) == number})

    def check_database(self, *, deep: bool) -> tuple[CheckFinding, ...]:
        """Ask every database whether it is sound."""
        return tuple(finding for shard in self._shards for finding in shard.check_database(deep=deep))

    def vacuum(self, *, full: bool = False) -> None:
        """Free the space of erased rows in every database."""
        for shard in self._shards:
            shard.vacuum(full=full)

    def rekey(self, new_key: KeyChoice) -> NoReturn:
        """Refuse: interrupted, it would leave databases with different keys. Raises UnsupportedError."""
        del new_key
        raise UnsupportedError("change the key of each database by itself: memoryos rekey URL, with nothing open")

    def audit_heads(self) -> Iterator[AuditHead]:
        """Return the last entry of every chain of all databases."""
        for shard in self._shards:
            yield from shard.audit_heads()

    def forgotten(self, *, secret: bool = False) -> NoReturn:
        """Refuse: each database has a secret of its own. Raises UnsupportedError."""
        del secret
        raise UnsupportedError("keep the receipts of each database by itself, by its own URL")

    def forget_again(self, receipts: Iterable[Mapping[str, object]]) -> NoReturn:
        """Refuse: receipts are of one database. Raises UnsupportedError."""
        del receipts
        raise UnsupportedError("forget again in each database by itself, by its own URL")

    def backup(self, path: Path, *, incremental: bool = False) -> NoReturn:
        """Refuse: one file cannot hold several databases. Raises UnsupportedError."""
        del incremental
        raise UnsupportedError(f"back up each database by itself, by its own URL: {path.name} can hold only one")

    def close(self) -> None:
        """Release the connections of all."""
        with ExitStack() as stack:
            for shard in self._shards:
                stack.callback(shard.close)

    def _reachable(self, ask: Callable[[SqlStore], T]) -> Iterator[T]:
        """Ask every database; pass over those that cannot be reached, unless none can."""
        lost: StoreUnreachableError | None = None
        answered = False
        for shard in self._shards:
            try:
                answer = ask(shard)
            except StoreUnreachableError as error:
                lost = error
                continue
            answered = True
            yield answer
        if lost is not None and not answered:
            raise lost


def _route(name: str) -> Callable[..., Any]:
    def verb(self: ShardedStore, about: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - as the store's own
        scope = about if isinstance(about, Scope) else about.scope
        return getattr(self.shard(scope), name)(about, *args, **kwargs)

    verb.__name__, verb.__doc__ = name, getattr(SqlStore, name).__doc__
    return verb


for _name in OF_ONE_SCOPE:
    setattr(ShardedStore, _name, _route(_name))
