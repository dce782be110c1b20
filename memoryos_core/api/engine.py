"""The assembly of one opened memory: the only place where pipelines meet stores, indexes and models."""

from __future__ import annotations

import logging
import random
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import TypeVar

from memoryos_core.config import MemoryConfig, RetentionPolicy
from memoryos_core.consolidation.leases import LeasedElsewhereError, Leases
from memoryos_core.consolidation.pipeline import Updater
from memoryos_core.consolidation.worker import Worker
from memoryos_core.consolidation.workshop import Workshop
from memoryos_core.errors import (
    ClosedError,
    ConfigError,
    EmbedderMismatchError,
    MemoryOSError,
    ModelError,
    StoreError,
)
from memoryos_core.extract.asking import Asker, Watched, asking_for
from memoryos_core.extract.summaries import merge_summary
from memoryos_core.ports import ChatModel, Clock, Embedder, PageIndex, Reranker, Store, TokenCounter
from memoryos_core.ports.capabilities import RetentionStore, capability
from memoryos_core.ports.forks import Lock, deadline
from memoryos_core.ports.models import Contained, ForeignErrors, KeptError
from memoryos_core.recall.finding import Rescorer
from memoryos_core.recall.generator import Generator
from memoryos_core.recall.index import open_index
from memoryos_core.recall.retriever import Retriever
from memoryos_core.rules.safety.secrets import Redactor
from memoryos_core.rules.validation import instances
from memoryos_core.tiers.corrections import with_corrected_statements
from memoryos_core.tiers.knowledge import Knowledge
from memoryos_core.tiers.long_term import LongTerm
from memoryos_core.tiers.mid_term import MidTerm, Visits
from memoryos_core.tiers.short_term import ShortTerm
from memoryos_core.values.audit import as_worker
from memoryos_core.values.commands import EmbedderStamp, Forgetting
from memoryos_core.values.dialogue import Scope
from memoryos_core.values.events import Consolidated, Event, Forgotten, Hook, StepFailed
from memoryos_core.values.reports import ConsolidationReport, ForgetReceipt, RetentionReport

logger = logging.getLogger(__name__)

# Retention by age comes due without any write.
_RETENTION_SECONDS = 3600.0
_STEP_SECONDS = 0.1

_T = TypeVar("_T")


class Serving:
    """Claims due scopes, one a thread, consolidates their full batches, lets go, and waits when nothing is due.

    Any number may run on one store, on any hosts: no scope is ever with two of them. What fails stays due, with a
    pause that grows.
    """

    def __init__(self, engine: Engine, stop: threading.Event, *, poll_seconds: float, once: bool) -> None:
        self._engine = engine
        self._stop = stop
        self._poll_seconds = poll_seconds
        self._once = once
        self._random = random.Random()  # noqa: S311 - spreads the polls of many workers, guards nothing
        self._lock = Lock()
        self._total = ConsolidationReport()
        self._error: BaseException | None = None
        self._retention_due = time.monotonic()

    def run(self, threads: int) -> ConsolidationReport:
        """Work until told to stop, or with `once` until nothing is due. The moves in hand are finished then.

        Raises ClosedError when the memory was closed, and with `once` what the store refuses.
        """
        working = [threading.Thread(target=self._serve, name="memoryos-serving", daemon=True) for _ in range(threads)]
        for thread in working:
            thread.start()
        try:
            while any(thread.is_alive() for thread in working) and not self._stop.is_set():
                self._stop.wait(_STEP_SECONDS)  # in steps: between two of them this thread sees signals
        finally:
            if self._stop.is_set():
                self._engine.worker.close(0.0)  # from now on long work ends at its next safe point
            self._stop.set()
            for thread in working:
                thread.join()
        if self._error is not None:
            raise self._error
        return self._total

    def _serve(self) -> None:
        with KeptError() as block:
            self._work()
        if block.error is not None:  # `run` raises it in the thread that waits
            self._error = block.error
            self._stop.set()

    def _work(self) -> None:
        while not self._stop.is_set():
            worked = self._found_work()
            self._apply_retention()  # however much else there is to do
            if worked:
                continue
            if self._once:
                return
            self._stop.wait(self._poll_seconds * self._random.uniform(0.5, 1.5))

    def _found_work(self) -> bool:
        leases = self._engine.leases
        # A polling worker meets the error again; a worker with `once` must not end because all of the work is locked.
        scope = self._ask_store(partial(leases.claim, wait=self._once))
        if scope is None:
            return False
        try:
            self._consolidate(scope)
        finally:
            leases.let_go(scope)
        return True

    def _consolidate(self, scope: Scope) -> None:
        report = ConsolidationReport()
        with Contained() as block:
            report = self._engine.worker.run(scope, whole=False)
        if isinstance(block.error, ClosedError):
            raise block.error
        if block.error is not None:
            self._engine.leases.again(scope, failed=True)
            # Only the texts of our own errors are known to hold no remembered text.
            said = f": {block.error}" if isinstance(block.error, MemoryOSError) else ""
            logger.warning("consolidation failed and stays due: %s%s", type(block.error).__name__, said)
        with self._lock:
            self._total += report

    def _apply_retention(self) -> None:
        """Apply the configured retention policies to all users, at intervals, in the first thread that is free."""
        with self._lock:
            if not self._engine.parts.config.retention or time.monotonic() < self._retention_due:
                return
            self._retention_due = time.monotonic() + _RETENTION_SECONDS
        for scope in self._ask_store(self._engine.parts.store.scopes) or ():
            if self._stop.is_set():
                return
            self._ask_store(partial(self._engine.retain, scope))
            self._found_work()  # of many users, none whose pages wait is to wait for all of them

    def _ask_store(self, ask: Callable[[], _T]) -> _T | None:
        """Ask the store; return None when it refuses. A worker that runs `once` raises the error instead."""
        try:
            with as_worker(), deadline(None):
                return ask()
        except StoreError as error:
            if self._once:
                raise
            logger.warning("the store refused an operation (%s): the worker tries again later", type(error).__name__)
            self._stop.wait(self._poll_seconds)
            return None


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts that the application chose."""

    store: Store
    embedder: Embedder
    model: ChatModel | None
    answer_models: tuple[ChatModel, ...]
    count_tokens: TokenCounter
    clock: Clock
    config: MemoryConfig
    hook: Hook | None
    reranker: Reranker | None = None


class Engine:
    """One set of tiers and pipelines over one store with one embedder; `reindex` makes another."""

    def __init__(self, parts: Parts) -> None:
        config, store, clock = parts.config, parts.store, parts.clock
        if not parts.embedder.semantic:
            config = replace(config, mid_term=config.mid_term.without_embedder())
        if parts.model is None:
            config = replace(config, short_term=config.short_term.without_model())
        if config.retention:
            capability(store, RetentionStore)  # refused now, not at the first run
        self.parts = parts
        self.short_term = ShortTerm(store, config.short_term, parts.count_tokens, clock)
        merge: Callable[[str, str], str] = partial(merge_summary, count=config.mid_term.summary_sentences)
        self.mid_term = MidTerm(store, config, clock, merge)
        self.long_term = LongTerm(store, config.long_term, clock, guarded=config.safety.quarantine)
        self.knowledge = Knowledge(store)
        self.redactor = Redactor(enabled=config.safety.redact_secrets)
        self.visits = Visits(store, clock, config.heat.visited_segments)
        self.worker = Worker(self._consolidate, self.visits.count, config.worker, config.short_term.idle_hours)
        self.leases = Leases(store, config.worker, self.worker.sleep, self.worker.stopping)
        self.asker = self._asking(config)
        shop = Workshop(
            store=store,
            embedder=parts.embedder,
            asker=self.asker,
            mid_term=self.mid_term,
            long_term=self.long_term,
            config=config,
            clock=clock,
            emit=self.emit,
            leases=self.leases,
            stopping=self.worker.stopping,
            redactor=self.redactor,
        )
        self._updater = Updater(shop, self.short_term)
        self.index: PageIndex = open_index(
            store,
            window=config.recall.window,
            kind=config.recall.index,
            vectors=parts.embedder.semantic or not config.recall.lexical,  # else `Finder` asks by words only
        )
        self.retriever = self._retriever(config)
        answering = parts.answer_models or (parts.model,)
        self.generator = Generator([self._watch_model(model) for model in answering], config.generation)

    def _asking(self, config: MemoryConfig) -> Asker | None:
        if self.parts.model is None:
            return None
        return Asker(
            self._watch_model(self.parts.model),
            config.worker,
            sleep=self.worker.sleep,
            count_tokens=self.parts.count_tokens,
            stopping=self.worker.stopping,
        )

    def _watch_model(self, model: ChatModel | None) -> ChatModel | None:
        return None if model is None else Watched(model, self.parts.count_tokens, self.emit)

    def _retriever(self, config: MemoryConfig) -> Retriever:
        """Build the retriever, with a reranker where one is given."""
        parts, recall = self.parts, config.recall
        rescorer = None
        if parts.reranker is not None and recall.rerank:
            rescorer = Rescorer(parts.reranker, recall.rerank, self.emit)
        return Retriever(
            store=parts.store,
            index=self.index,
            embedder=parts.embedder,
            count_tokens=parts.count_tokens,
            config=config,
            clock=parts.clock,
            emit=self.emit,
            visits=self.visits,
            knowledge=self.knowledge,
            rescorer=rescorer,
        )

    def emit(self, event: Event) -> None:
        """Report an event to the log and the hook. The event is durable: an error in the hook is only logged."""
        logger.debug("%s", event)
        if self.parts.hook is not None:
            with Contained() as block:
                self.parts.hook(event)
            if block.error is not None:
                logger.error("the event hook failed on %s", type(event).__name__, exc_info=block.error)

    def agree_on_embedder(self, *, to_write: bool = True) -> None:
        """Make sure that the vectors in the store come from this embedder.

        A store without a name takes ours. An embedder that knows meaning replaces vectors that only knew words: a
        background run embeds the pages again. For any other change the user must call `reindex`. A read changes
        nothing: until the background run is done, it finds by words, and also while the embedder is down and cannot
        tell its dimension. The check is made every time, because another process may reindex at any moment.

        Raises:
            EmbedderMismatchError: the vectors come from another embedder.
            ModelError: a write needs the embedder's dimension, and the embedder failed.
        """
        store, embedder = self.parts.store, self.parts.embedder
        theirs = store.embedder()
        same_name = theirs is not None and theirs.name == embedder.name
        if theirs is None or (not same_name and theirs.name.startswith("terms-") and embedder.semantic):
            if to_write:
                store.stamp_embedder(EmbedderStamp(embedder.name, self._dimension(otherwise=None)))
            return
        # Compare names first: the dimension may have to come from a server, which may be down.
        width = self._dimension(otherwise=None if to_write else theirs.dimension) if same_name else None
        if width != theirs.dimension:
            mine = f"{embedder.name!r}" + (f" ({width})" if same_name else "")
            raise EmbedderMismatchError(
                f"this memory was embedded with {theirs.name!r} ({theirs.dimension} dimensions) but was opened with "
                f"{mine}; open it with that embedder, or call memory.reindex(embedder=…) to "
                "embed its pages again. No page is lost: add, messages and transcript go on working."
            )

    def _dimension(self, *, otherwise: int | None) -> int:
        """Return the embedder's dimension; `otherwise`, if given, while the embedder fails. Raises ModelError."""
        try:
            with ForeignErrors("the embedder"):
                return self.parts.embedder.dimension
        except ModelError as error:
            if otherwise is None:
                raise
            logger.warning(
                "the embedder could not report its dimension (%s): it is asked again at the next use",
                type(error).__name__,
            )
            return otherwise

    def reembed(self, scope: Scope) -> int:
        """Embed what has no vectors and move the centroids after it; says how many pages."""
        self.agree_on_embedder()
        pages = self._updater.reembed(scope)
        self._keep_index(scope)
        return pages

    def _keep_index(self, scope: Scope) -> None:
        """Store what a later process starts from; if the store refuses it, only log that: it is no work undone."""
        try:
            self.index.keep(scope, self.worker.stopping)
        except ClosedError:
            raise
        except StoreError as error:
            logger.warning("the index of a scope could not be stored: %s", type(error).__name__)

    def erase(self, forgetting: Forgetting) -> ForgetReceipt:
        """Erase what is named, drop it from the index, and report it. A dry run only counts. Raises StoreError."""
        began = time.perf_counter()
        receipt = self.parts.store.forget(with_corrected_statements(self.parts.store, forgetting))
        if not forgetting.dry_run:
            self.index.forget(forgetting.scope)
            self.long_term.forget(forgetting.scope)
            self.emit(Forgotten(forgetting.scope, receipt.pages, receipt.facts, (time.perf_counter() - began) * 1e3))
        return receipt

    def retain(
        self, scope: Scope, policies: Sequence[RetentionPolicy] | None = None, *, dry_run: bool = False
    ) -> RetentionReport:
        """Apply retention policies, else the configured ones, to one scope. Raises StoreError."""
        chosen = self.parts.config.retention if policies is None else instances("policies", policies, RetentionPolicy)
        report = self._updater.retain(scope, chosen, dry_run=dry_run)
        if report.receipt != ForgetReceipt():
            self.index.forget(scope)
            self.long_term.forget(scope)
        return report

    def close(self) -> None:
        """Stop the worker and count the last visits; if the store refuses them, only log it."""
        self.worker.close()
        self.leases.close()
        try:
            self.visits.count()
        except StoreError as error:
            logger.warning("the last visits could not be counted: %s", type(error).__name__)

    def _consolidate(self, scope: Scope, *, whole: bool) -> ConsolidationReport:
        began, report = time.perf_counter(), None
        try:
            with as_worker(), deadline(None), asking_for(scope):
                self.agree_on_embedder()
                done = self._updater.consolidate(scope, whole=whole)
                if self.parts.config.retention and (whole or done.pages_moved):
                    self.retain(scope)
                self._keep_index(scope)
                report = done
        except (ClosedError, LeasedElsewhereError):
            raise
        except MemoryOSError as error:
            self.emit(StepFailed(scope, "consolidate", type(error).__name__))
            raise
        else:
            return report
        finally:
            kind = None if report is not None else sys.exc_info()[0]
            took = (time.perf_counter() - began) * 1e3
            self.emit(Consolidated(scope, report, took, "" if kind is None else kind.__name__))


def checking_clock(clock: Clock) -> Clock:
    """Return a clock whose failures, and values that are no aware datetime, are a ConfigError."""

    def now() -> datetime:
        moment: object = None
        with Contained() as reading:
            moment = clock()
        if reading.error is not None:
            kind = type(reading.error).__name__
            raise ConfigError(f"the clock failed with {kind}; nothing was changed: try again")
        if not isinstance(moment, datetime) or moment.utcoffset() is None:
            kind = "a datetime without a time zone" if isinstance(moment, datetime) else repr(type(moment).__name__)
            raise ConfigError(
                f"the clock returned {kind}; it must return an aware datetime, as datetime.now(timezone.utc)"
            )
        return moment

    return now
