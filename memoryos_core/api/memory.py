"""MemoryOS, the face: opens a store, an embedder and models, and hands out users. Holds no logic."""

from __future__ import annotations

import threading
import uuid
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timezone
from functools import partial
from pathlib import Path

from memoryos_core import stores
from memoryos_core.api.admin import check, forget_user, path_of, restore, retain, salvage
from memoryos_core.api.audit_heads import AuditKey, ShippedHeads, Sink, ship
from memoryos_core.api.engine import Engine, Parts, Serving, checking_clock
from memoryos_core.api.governance import Team, actor_name, verify_all
from memoryos_core.api.knowledge import settle_facts
from memoryos_core.api.user import UserMemory
from memoryos_core.config import MemoryConfig, RetentionPolicy
from memoryos_core.config.validation import number, whole
from memoryos_core.consolidation.worker import Worker
from memoryos_core.errors import ClosedError, ConfigError
from memoryos_core.ports import ChatModel, Clock, Embedder, Reranker, Store, TokenCounter
from memoryos_core.ports.capabilities import (
    AuditStore,
    BacklogStore,
    BackupStore,
    ForgottenStore,
    RekeyStore,
    RetentionStore,
    capability,
)
from memoryos_core.ports.forks import Event
from memoryos_core.providers.embedders import close_embedder, open_embedder
from memoryos_core.providers.llms import open_chat_model, open_chat_models
from memoryos_core.providers.tokens import open_token_counter
from memoryos_core.recall.index import analyse_item, prune_chunk
from memoryos_core.rules.validation import able, flag, identifier, instance, moment
from memoryos_core.values.audit import AuditSummary
from memoryos_core.values.chat import ChatReply
from memoryos_core.values.commands import EmbedderStamp
from memoryos_core.values.dialogue import Scope
from memoryos_core.values.encryption_keys import KeyChoice, Keys
from memoryos_core.values.events import Hook
from memoryos_core.values.reports import (
    Backlog,
    BackupReport,
    CheckReport,
    ConsolidationReport,
    ForgetReceipt,
    RestoreReport,
    RetentionReport,
    SalvageReport,
    Stats,
    Usage,
)

_REINDEX_WAITS_SECONDS = 30.0  # for a run with the old embedder: what it writes later would be in the wrong space

IN_PROCESS = "in-process:"  # how the address of a memory begins that no other process can open

EmbedderChoice = Embedder | str | Callable[[list[str]], Sequence[Sequence[float]]] | None
ModelChoice = ChatModel | str | Callable[..., str | ChatReply] | None


class MemoryOS:
    """The memory of an assistant: three tiers, durable in one database. Thread-safe; a context manager.

    Args:
        url: an SQLAlchemy URL ("sqlite:///memory.db", "sqlite://" for one in RAM), several, or a Store.
        embedder: "auto" (the local model when the extra `local` is installed, else words only), None (words only),
            a name such as "openai:text-embedding-3-small" or "local:/path", a callable, or an Embedder. A local model
            is in memory once in a process; closing the last MemoryOS that named it frees it.
        llm: the model that consolidates and, unless `answer_llm` is given, answers: None (extractive, no answers), a
            name such as "openai:gpt-4o-mini" or "gguf:/path/to/file.gguf", a callable, or a ChatModel.
        config: every number of the algorithm.
        answer_llm: another model for `chat`, or a list of up to 8, asked in order when one fails (or all, see
            `GenerationConfig.vote`).
        clock: the source of the present, for tests and for replaying; None is the machine's. A verb raises ConfigError
            when it raises, or returns something other than an aware datetime.
        token_counter: "auto" (tiktoken when its vocabulary is on disk, else an estimate) or a callable.
        on_event: called with every event, after it is durable, in the thread where it happened.
        reranker: reads the best hits with the question and orders them anew, see `RecallConfig.rerank`.
        key: 32 random bytes, a passphrase, a callable that returns one (asked now), or `Keys`: what is kept is
            encrypted, a SQLite file whole, on PostgreSQL what was said and is known (docs/encryption.md).

    Raises:
        StoreError: the database cannot be opened.
        StoreKeyError: the key is not that of the store, is missing, or was given for one that has none.
        MissingExtraError: a named embedder or model needs an extra.
    """

    def __init__(  # noqa: PLR0913 - one optional argument for each thing the world supplies
        self,
        url: str | Store = "sqlite:///memoryos.db",
        *,
        embedder: EmbedderChoice = "auto",
        llm: ModelChoice = None,
        config: MemoryConfig | None = None,
        answer_llm: ModelChoice | Sequence[ModelChoice] = None,
        clock: Clock | None = None,
        token_counter: TokenCounter | str | None = "auto",  # noqa: S107 - a choice by name
        on_event: Hook | None = None,
        reranker: Reranker | None = None,
        key: KeyChoice = None,
    ) -> None:
        key = Keys.of(key)  # hidden from a traceback's locals
        config = MemoryConfig() if config is None else instance("config", config, MemoryConfig)
        self._closed = False
        self._named_embedder = isinstance(embedder, str)
        self._when_closed: list[Callable[[], None]] = []
        self._address = (stores.address_of(url) if isinstance(url, str) else None) or f"{IN_PROCESS}{uuid.uuid4().hex}"
        self._start(
            Parts(
                embedder=open_embedder(embedder),
                model=open_chat_model(llm),
                answer_models=open_chat_models(answer_llm),
                count_tokens=open_token_counter(token_counter),
                clock=partial(datetime.now, timezone.utc)
                if clock is None
                else checking_clock(able("clock", clock, "__call__")),
                config=config,
                hook=on_event,
                reranker=able("reranker", reranker, "scores"),
                # Last: what is refused above leaves no file open.
                store=stores.open_shards(url, audit=config.audit, analyse=analyse_item, prune=prune_chunk, key=key),
            )
        )

    @property
    def address(self) -> str:
        """Where the memory is kept, as a URL without its password; one in RAM has a name of its own (`IN_PROCESS`)."""
        return self._address

    @property
    def config(self) -> MemoryConfig:
        """The numbers of the algorithm that it was opened with."""
        return self._engine.parts.config

    @property
    def closed(self) -> bool:
        """True after `close`."""
        return self._closed

    def user(
        self, user_id: str, *, assistant_id: str = "assistant", session_id: str = "default", actor: str | None = None
    ) -> UserMemory:
        """A handle for one user with one assistant in one session: no input or output. Raises InvalidInputError.

        With an `actor`, every verb of it first asks for the role that this actor was granted there, and may raise
        AccessError. Without, it is the application itself, which may do everything.
        """
        scope = Scope(identifier("user_id", user_id), identifier("assistant_id", assistant_id))
        session = identifier("session_id", session_id)
        return UserMemory(self._open, scope, session, None if actor is None else actor_name(actor))

    def team(self, name: str) -> Team:
        """Return the members of a team of actors, to be changed: see `Team`. Raises InvalidInputError."""
        return Team(self._open, identifier("team", name))

    def users(self) -> list[str]:
        """The ids of all users with something remembered, sorted."""
        return sorted({scope.user_id for scope in self.scopes()})

    def scopes(self) -> list[Scope]:
        """Every user and assistant pair with something remembered."""
        return [scope for scope in self._open().parts.store.scopes() if scope.user_id]  # teams have no user

    def flush(self, timeout: float = 30.0) -> bool:
        """Run everything that is pending for all users; True when it was done within `timeout` seconds."""
        number("timeout", timeout, 0, threading.TIMEOUT_MAX)
        engine = self._open()
        return engine.worker.flush(engine.parts.store.scopes(pending_only=True), timeout)

    def reindex(self, *, embedder: EmbedderChoice = "auto", progress: bool = True) -> int:
        """Embed every page again, and read stored words again; says how many. Recall is lexical until it is done."""
        from memoryos_core.api.admin import reindex  # noqa: PLC0415 - loads tqdm only for this long work

        old = self._open()
        chosen = open_embedder(embedder)
        stamp = EmbedderStamp(chosen.name, chosen.dimension)  # may ask the embedder: it fails before anything stops
        old.worker.close(_REINDEX_WAITS_SECONDS)
        old.close()
        old.parts.store.stamp_embedder(stamp)
        self._release.detach()
        self._close_embedder()
        self._named_embedder = isinstance(embedder, str)
        self._start(replace(old.parts, embedder=chosen))
        return reindex(self._engine, progress=progress)

    def stats(self) -> Stats:
        """Return the counts of the whole store."""
        return self._open().parts.store.stats()

    def backlog(self) -> Backlog:
        """Return the pending work of the whole store: cheap enough for monitoring."""
        return capability(self._open().parts.store, BacklogStore).backlog()

    def usage(self) -> Usage:
        """Return the calls and tokens of the consolidating model since the memory was opened."""
        return asker.usage if (asker := self._open().asker) is not None else Usage()

    def check(self, *, deep: bool = False, progress: bool = True) -> CheckReport:
        """Look for broken rows and damage in the whole store, changing nothing; `deep` reads and decodes every row."""
        return check(self._open(), deep=flag("deep", deep), progress=progress)

    @staticmethod
    def salvage(
        url: str, path: str | Path, *, key: KeyChoice = None, users: Sequence[Scope] = (), progress: bool = True
    ) -> SalvageReport:
        """Take all rows that can be read out of a damaged file, which nothing has open, into a new one."""
        return salvage(url, path, key=key, users=users, progress=progress)

    def restore(self, records: Iterable[Mapping[str, object]]) -> RestoreReport:
        """Bring exported records back into the scopes they name; what is there already is skipped.

        What facts of both say of one thing ends in the order in which it was said.
        """
        engine = self._open()
        return restore(engine.parts.store, records, engine.worker.notify, partial(settle_facts, engine))

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
        capability(self._open().parts.store, RetentionStore).vacuum(full=flag("full", full))

    def rekey(self, new_key: KeyChoice) -> None:
        """Encrypt everything anew with another key; whenever it stops, one of the two keys opens everything.

        Raises StoreKeyError when the store is not encrypted; nothing was changed then.
        """
        new_key = Keys.of(new_key)  # hidden from a traceback's locals
        capability(self._open().parts.store, RekeyStore).rekey(new_key)

    def run_worker(
        self,
        *,
        threads: int | None = None,
        once: bool = False,
        poll_seconds: float = 1.0,
        stop: threading.Event | None = None,
    ) -> ConsolidationReport:
        """Consolidate all due work of the store, from any process; return a report. Blocks.

        Until `stop` is set, after which the memory works behind the caller no more and is to be closed; or with `once`
        until nothing is due, when it raises what the store refuses. Any number of processes may do it at once.

        Args:
            threads: how many users at a time; None is `WorkerConfig.threads`.
            once: end when nothing is due.
            poll_seconds: how often to look while nothing is, on average.
            stop: what another thread, or the handler of a signal, sets.

        Raises:
            EmbedderMismatchError: the store's vectors are another embedder's, so that nothing could be done; at once.
        """
        engine = self._open()
        most = engine.parts.config.worker.threads if threads is None else threads
        whole("threads", most, 1)
        number("poll_seconds", poll_seconds, 0.01)
        engine.agree_on_embedder(to_write=False)  # else it would fail at, and put off, what others could do
        told = able("stop", stop, "is_set", "set", "wait") or Event()
        return Serving(engine, told, poll_seconds=poll_seconds, once=flag("once", once)).run(most)

    def verify_audit(self, *, shipped: ShippedHeads | None = None, progress: bool = True) -> AuditSummary:
        """Check the audit log of every user, forgotten ones too; see `Governance.verify`, also for `shipped` heads."""
        return verify_all(self._open().parts.store, shipped, progress=progress)

    def ship_audit(self, sink: Sink, *, key: AuditKey) -> int:
        """Send the signed head of every user's audit log to a place out of the database's reach; return how many.

        A file gets those that are new to it, "syslog", "syslog://host:port" and a function all. Nothing is checked:
        `verify_audit` does that. Raises InvalidInputError for another sink, StoreUnwritableError.
        """
        parts, signing = self._open().parts, instance("key", key, AuditKey)
        return ship(capability(parts.store, AuditStore).audit_heads(), sink, signing, parts.clock())

    def backup(self, path: str | Path, *, incremental: bool = False) -> None:
        """Copy this moment to a new file, encrypted as the store is, and read the copy back; writers need not wait.

        With `incremental` the path is a folder, which gets what has changed since its last backup, and the receipts of
        what was forgotten. Raises InvalidInputError when there is a file, UnsupportedError for a server, which has
        tools of its own.
        """
        capability(self._open().parts.store, BackupStore).backup(
            path_of(path), incremental=flag("incremental", incremental)
        )

    @staticmethod
    def restore_backup(
        source: str | Path,
        path: str | Path,
        *,
        forgotten: Iterable[Mapping[str, object]] | str | Path,
        at: datetime | None = None,
        key: KeyChoice = None,
    ) -> BackupReport:
        """Write a backup to a new file, checked, without what was forgotten since.

        Args:
            source: a file that `backup` wrote, or a folder of incremental backups.
            path: the new file.
            forgotten: the receipts of what was forgotten since, from `forgotten()` or a file of them; () for none.
            at: of a folder, the newest backup that was complete then, a naive time is UTC; None is the newest.
            key: the key of the backup.

        Raises:
            InvalidInputError: there is no such backup, something is at the path, or receipts are of another store.
            StoreError: the backup is damaged or cannot be opened; then nothing is at the path.
        """
        when = moment("at", at)
        return stores.restore_backup(
            path_of(source), path_of(path), at=when, key=key, receipts=stores.read_receipts(forgotten)
        )

    def forgotten(self, *, secret: bool = False) -> list[dict[str, object]]:
        """Return receipts of all that was forgotten here: keyed digests, which JSON can hold, and no text or name.

        With `secret` the first one holds the key of the digests, which copies need that are older than receipts are.
        """
        receipts = capability(self._open().parts.store, ForgottenStore).forgotten(secret=flag("secret", secret))
        return [dict(receipt) for receipt in receipts]

    def forget_again(self, forgotten: Iterable[Mapping[str, object]] | str | Path) -> ForgetReceipt:
        """Forget what receipts name, after a database was brought back by its own tools; return what went.

        Raises InvalidInputError, with nothing forgotten, for receipts of another store.
        """
        return capability(self._open().parts.store, ForgottenStore).forget_again(stores.read_receipts(forgotten))

    def close(self) -> None:
        """Stop the worker after the move in hand and release the store; what is pending waits there. Idempotent."""
        if not self._closed:
            self._closed = True
            self._release.detach()
            try:
                self._engine.close()
            finally:
                self._close_embedder()
                self._engine.parts.store.close()
                self._call_when_closed()

    def __enter__(self) -> MemoryOS:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def _start(self, parts: Parts) -> None:
        try:
            self._engine = Engine(parts)
        except ConfigError:  # raised by the store: it cannot be used
            parts.store.close()
            raise
        self._release = weakref.finalize(self, _shut, self._engine.worker, parts.store)
        self._release.atexit = False  # the worker has its own way out at exit, and the store needs none

    def _close_embedder(self) -> None:
        if self._named_embedder:  # one that was handed in is its owner's to close
            close_embedder(self._engine.parts.embedder)

    def _call_when_closed(self) -> None:
        while self._when_closed:
            self._when_closed.pop()()

    def _open(self) -> Engine:
        if self._closed:
            raise ClosedError("this memory was closed; open it again with MemoryOS(url)")
        return self._engine


def when_closed(memory: MemoryOS, call: Callable[[], None]) -> None:
    """Make a call once, when the memory is closed, or now where it is closed already; it ends threads, say.

    The call must not raise, nor hold the memory.
    """
    memory._when_closed.append(call)  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
    if memory._closed:  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
        memory._call_when_closed()  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]


def _shut(worker: Worker, store: Store) -> None:
    """Close the parts of a memory that was garbage-collected without `close`."""
    worker.close(0.0)
    store.close()
