"""Who runs consolidation: one thread a scope, on demand, waited for, drained, and never in the way."""

from __future__ import annotations

import gc
import logging
import threading
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import pytest

from memoryos_core.config import WorkerConfig, WorkerMode
from memoryos_core.consolidation.worker import Worker
from memoryos_core.errors import ClosedError, StoreBusyError
from memoryos_core.values.dialogue import Scope
from memoryos_core.values.reports import ConsolidationReport

ADA, BOB, CAT = Scope("ada"), Scope("bob"), Scope("cat")
SECONDS = 20


@dataclass
class Job:
    """A run that notes who was run, and waits at a gate when there is one."""

    runs: list[tuple[Scope, bool]] = field(default_factory=list)
    visits: list[Scope] = field(default_factory=list)
    gate: threading.Event | None = None
    started: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    error: BaseException | None = None
    at_once: dict[Scope, int] = field(default_factory=dict)
    most: int = 0

    def __call__(self, scope: Scope, *, whole: bool) -> ConsolidationReport:
        self.at_once[scope] = self.at_once.get(scope, 0) + 1
        self.most = max(self.most, self.at_once[scope])
        self.started.release()
        if self.gate is not None:
            assert self.gate.wait(SECONDS)
        self.at_once[scope] -= 1
        if self.error is not None:
            raise self.error
        self.runs.append((scope, whole))
        return ConsolidationReport(pages_moved=1)


Make = Callable[..., Worker]


@pytest.fixture
def job() -> Job:
    return Job()


@pytest.fixture
def make(job: Job) -> Iterator[Make]:
    made: list[Worker] = []

    def worker(mode: WorkerMode = "background", threads: int = 2, backoff_seconds: float = 30.0) -> Worker:
        config = WorkerConfig(mode=mode, threads=threads, backoff_seconds=backoff_seconds)
        made.append(Worker(job, job.visits.append, config))
        return made[-1]

    yield worker
    if job.gate is not None:
        job.gate.set()
    for one in made:
        one.close()


def started(job: Job, times: int = 1) -> None:
    for _ in range(times):
        assert job.started.acquire(timeout=SECONDS)


def ours() -> list[threading.Thread]:
    return [t for t in threading.enumerate() if t.name == "memoryos-worker"]


def test_manual_waits_until_it_is_told(make: Make, job: Job) -> None:
    worker = make("manual")
    worker.notify(ADA)
    worker.notify_visits(ADA)
    assert (job.runs, job.visits) == ([], [])
    assert worker.run(ADA) == ConsolidationReport(pages_moved=1)
    assert (job.runs, job.visits) == ([(ADA, True)], [ADA])


def test_inline_runs_full_batches_at_once_and_counts_visits_with_them(make: Make, job: Job) -> None:
    worker = make("inline")
    worker.notify_visits(ADA)
    assert job.visits == []
    worker.notify(ADA)
    assert (job.runs, job.visits) == ([(ADA, False)], [ADA])
    assert ours() == []


def test_background_runs_behind_the_caller(make: Make, job: Job) -> None:
    job.gate = threading.Event()
    worker = make()
    worker.notify(ADA)
    started(job)
    assert job.runs == []
    job.gate.set()
    assert worker.flush((), SECONDS)
    assert job.runs == [(ADA, False)]
    assert worker.total == ConsolidationReport(pages_moved=1)


def test_no_thread_is_started_before_there_is_work(make: Make) -> None:
    before = set(ours())
    make()
    assert set(ours()) == before


def test_visits_alone_are_counted_without_a_run(make: Make, job: Job) -> None:
    worker = make()
    worker.notify_visits(ADA)
    assert worker.flush((), SECONDS)
    met = list(job.runs)  # met for the first time, for a process before this one may have left work
    assert met == [(ADA, False)]
    worker.notify_visits(ADA)
    assert worker.flush((), SECONDS)
    assert (job.runs, job.visits) == (met, [ADA, ADA])


def test_what_failed_is_tried_again_without_being_asked(make: Make, job: Job) -> None:
    job.error = StoreBusyError("locked")
    worker = make(backoff_seconds=0.01)
    worker.notify(ADA)
    started(job, 3)
    job.error = None
    while not job.runs:
        started(job)
    assert job.runs == [(ADA, False)]
    assert worker.failures >= 2


def test_what_is_wanted_again_while_it_waits_is_run_once_with_the_greater_want(make: Make, job: Job) -> None:
    job.gate = threading.Event()
    worker = make(threads=1)
    worker.notify(BOB)
    started(job)
    for _ in range(5):
        worker.notify(ADA)
        worker.notify_visits(ADA)
    threading.Timer(0.05, job.gate.set).start()
    assert worker.flush((ADA,), SECONDS)
    assert job.runs == [(BOB, False), (ADA, True)]


def test_one_scope_is_never_run_by_two_threads_and_others_go_on_beside_it(make: Make, job: Job) -> None:
    job.gate = threading.Event()
    worker = make(threads=3)
    worker.notify(ADA)
    worker.notify(BOB)
    started(job, 2)
    worker.notify(ADA)
    worker.notify(CAT)
    started(job, 1)
    assert sum(job.at_once.values()) == 3
    job.gate.set()
    assert worker.flush((), SECONDS)
    assert job.most == 1
    assert sorted(s.user_id for s, _ in job.runs) == ["ada", "ada", "bob", "cat"]


def test_a_run_in_the_callers_thread_waits_for_the_one_going_on(make: Make, job: Job) -> None:
    job.gate = threading.Event()
    worker = make()
    worker.notify(ADA)
    started(job)
    caller = threading.Thread(target=worker.run, args=(ADA,))
    caller.start()
    job.gate.set()
    caller.join(SECONDS)
    assert not caller.is_alive()
    assert job.most == 1
    assert job.runs == [(ADA, False), (ADA, True)]


def test_a_run_asked_for_from_inside_a_run_of_the_same_scope_does_nothing() -> None:
    reports: list[ConsolidationReport] = []

    def job(scope: Scope, *, whole: bool) -> ConsolidationReport:
        reports.append(worker.run(scope))
        worker.notify(scope)
        return ConsolidationReport(pages_moved=7)

    worker = Worker(job, lambda _: None, WorkerConfig(mode="inline"))
    assert worker.run(ADA).pages_moved == 7
    assert reports == [ConsolidationReport()]


@pytest.mark.parametrize("mode", ["background", "inline", "manual"])
def test_flush_runs_everything_whole(make: Make, job: Job, mode: WorkerMode) -> None:
    assert make(mode).flush((ADA, BOB, CAT), SECONDS)
    assert sorted((s.user_id, whole) for s, whole in job.runs) == [("ada", True), ("bob", True), ("cat", True)]


def test_flush_says_when_the_time_was_too_short(make: Make, job: Job) -> None:
    job.gate = threading.Event()
    worker = make()
    assert not worker.flush((ADA,), 0.01)
    job.gate.set()
    assert worker.flush((), SECONDS)


def test_flush_without_a_background_stops_when_the_time_is_up(make: Make, job: Job) -> None:
    assert not make("manual").flush((ADA, BOB), -1)
    assert job.runs == []


def test_a_failed_background_run_is_logged_and_flush_is_honest(
    make: Make, job: Job, caplog: pytest.LogCaptureFixture
) -> None:
    worker = make()
    job.error = StoreBusyError("somebody holds the lock")
    with caplog.at_level(logging.WARNING):
        assert not worker.flush((ADA,), SECONDS)
    assert worker.failures == 1
    assert "StoreBusyError: somebody holds the lock" in caplog.text
    job.error = None
    assert worker.flush((ADA,), SECONDS)
    assert job.runs == [(ADA, True)]


def test_a_foreign_error_neither_ends_the_thread_nor_is_quoted(
    make: Make, job: Job, caplog: pytest.LogCaptureFixture
) -> None:
    worker = make(threads=1)
    job.error = RuntimeError("Ada's secret")
    assert not worker.flush((ADA,), SECONDS)
    assert "RuntimeError" in caplog.text
    assert "secret" not in caplog.text
    job.error = None
    assert worker.flush((BOB,), SECONDS)


def test_a_run_of_the_callers_own_raises(make: Make, job: Job) -> None:
    job.error = StoreBusyError("locked")
    worker = make("manual")
    with pytest.raises(StoreBusyError):
        worker.run(ADA)
    job.error = None
    assert worker.run(ADA).pages_moved == 1


def test_an_inline_run_that_fails_does_not_undo_what_the_caller_did(
    make: Make, job: Job, caplog: pytest.LogCaptureFixture
) -> None:
    job.error = StoreBusyError("locked")
    worker = make("inline")
    worker.notify(ADA)
    assert worker.failures == 1
    assert "will be tried again" in caplog.text


def test_a_memory_closed_under_a_run_is_no_failure(make: Make, job: Job, caplog: pytest.LogCaptureFixture) -> None:
    job.error = ClosedError("closed")
    worker = make("inline")
    with caplog.at_level(logging.DEBUG):
        worker.notify(ADA)
    assert worker.failures == 0
    assert "stays pending" in caplog.text


def test_close_waits_for_the_run_in_hand_and_drops_the_rest(make: Make, job: Job) -> None:
    job.gate = threading.Event()
    worker = make(threads=1)
    worker.notify(ADA)
    started(job)
    worker.notify(BOB)
    threading.Timer(0.05, job.gate.set).start()
    worker.close()
    assert worker.stopping()
    assert job.runs == [(ADA, False)]
    worker.close()
    worker.notify(CAT)
    worker.notify_visits(CAT)
    assert job.runs == [(ADA, False)]
    assert worker._threads == set()


def test_close_does_not_wait_for_ever(make: Make, job: Job) -> None:
    job.gate = threading.Event()
    worker = make()
    worker.notify(ADA)
    started(job)
    worker.close(0.01)
    assert job.runs == []


def test_close_from_the_workers_own_thread_does_not_wait_for_itself() -> None:
    closed = threading.Event()

    def job(scope: Scope, *, whole: bool) -> ConsolidationReport:
        worker.close()
        closed.set()
        return ConsolidationReport()

    worker = Worker(job, lambda _: None, WorkerConfig())
    worker.notify(ADA)
    assert closed.wait(SECONDS)


def test_a_flush_that_is_closed_over_says_that_not_all_was_done(make: Make, job: Job) -> None:
    job.gate = threading.Event()
    worker = make(threads=1)
    answers: list[bool] = []
    worker.notify(BOB)
    started(job)
    flush = threading.Thread(target=lambda: answers.append(worker.flush((ADA,), SECONDS)))
    flush.start()
    while ADA not in worker._wanted:
        pass
    threading.Timer(0.05, job.gate.set).start()
    worker.close()
    flush.join(SECONDS)
    assert answers == [False]


def test_sleep_ends_when_the_memory_is_closed(make: Make) -> None:
    worker = make("manual")
    sleeper = threading.Thread(target=worker.sleep, args=(SECONDS,))
    sleeper.start()
    worker.close()
    sleeper.join(SECONDS / 2)
    assert not sleeper.is_alive()


def test_the_way_out_at_exit_stops_a_living_worker_and_keeps_none_alive(
    make: Make, job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_exit: list[Callable[[], None]] = []
    monkeypatch.setattr("memoryos_core.consolidation.worker.atexit.register", at_exit.append)
    worker = Worker(job, job.visits.append, WorkerConfig())
    worker.notify(ADA)
    assert worker.flush((), SECONDS)
    (stop,) = at_exit
    stop()
    assert worker.stopping()
    reference = weakref.ref(worker)
    del worker
    gc.collect()
    assert reference() is None
    stop()


@pytest.mark.parametrize("error", [SystemExit(1), KeyboardInterrupt(), GeneratorExit()])
def test_flush_does_not_call_done_what_a_model_ended_with_more_than_an_exception(
    make: Make, job: Job, error: BaseException
) -> None:
    worker = make(threads=1, backoff_seconds=0.01)
    job.error = error
    assert not worker.flush((ADA, BOB), SECONDS)
    job.error = None
    assert worker.flush((ADA, BOB), SECONDS)
    assert {scope for scope, _ in job.runs} == {ADA, BOB}


def test_inline_an_interrupt_reaches_the_caller(make: Make, job: Job) -> None:
    worker = make("inline")
    job.error = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt):
        worker.notify(ADA)
    job.error = None
    worker.notify(ADA)
    assert job.runs == [(ADA, False)]
