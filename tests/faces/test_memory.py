"""The face: opens, hands out users, moves memories from store to store, and closes."""

from __future__ import annotations

import gc
import inspect
import json
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import cast

import pytest

from memoryos_core import (
    AuditKey,
    ChatRequest,
    ClosedError,
    ConfigError,
    InvalidInputError,
    MemoryConfig,
    MemoryOS,
    MidTermConfig,
    ModelAnswerError,
    Scope,
    ShortTermConfig,
    Stats,
    StoreBusyError,
    Usage,
    UserMemory,
    WorkerConfig,
)
from memoryos_core.stores import open_store
from memoryos_core.testing.fakes import FixedClock, KeywordEmbedder, ScriptedChat
from memoryos_core.values.commands import PageQuery, Visit
from memoryos_core.values.dialogue import Page, Segment

NOW = datetime(2024, 6, 1, 12, tzinfo=timezone.utc)
SMALL = MemoryConfig(
    short_term=ShortTermConfig(capacity_pages=2, batch_pages=2),
    mid_term=MidTermConfig(capacity_segments=2, lexical_join_threshold=1.0),
    worker=WorkerConfig(mode="manual", attempts=1),
)
QUOTE = "It is day"
PERSONA = {
    "facts": [{"op": "add", "about": "user", "text": "Ada runs an apiary.", "quote": QUOTE}],
    "profile": [{"name": "name", "value": "Ada", "quote": QUOTE}],
    "traits": [{"dimension": "Openness", "level": "high", "reason": "tries new hives", "pages": [1, 2]}],
}
SUBJECTS = ("My bees swarmed in the orchard.", "I sold the boat in Horta.", "The cello needs a new string.")
Make = Callable[..., MemoryOS]


def persona(request: ChatRequest) -> str:
    """Learns one thing of each kind; leaves page-out to the extractive twin."""
    return json.dumps(PERSONA) if request.schema_name == "persona" else "no idea"


@pytest.fixture
def make() -> Iterator[Make]:
    opened: list[MemoryOS] = []

    def memory(url: object = "sqlite://", *, config: MemoryConfig = SMALL, **rest) -> MemoryOS:
        opened.append(MemoryOS(url, config=config, **{"clock": FixedClock(NOW), "embedder": None, **rest}))  # type: ignore[arg-type]
        return opened[-1]

    yield memory
    for one in opened:
        one.close()


def live(user: UserMemory, turns: int = 16) -> UserMemory:
    """A life with every kind of row: all tiers, an archive, facts of all sorts, a profile, visits."""
    for i in range(turns):
        user.add(f"{SUBJECTS[i // 6]} It is day {i}.", f"Day {i}, noted.", timestamp=NOW - timedelta(days=40 - i))
        user.consolidate()
    user.correct(user.remember("Ada lives in Paris").id, "Ada lives in Lisbon")
    user.recall("the cello in Lisbon")
    user.consolidate()
    return user


def pages(user: UserMemory) -> tuple[Page, ...]:
    return user._open().parts.store.pages(PageQuery(user.scope))


def segments(user: UserMemory) -> list[Segment]:
    """Without `rev`, which says when a row was last written here."""
    found = [*user.segments(), *user.segments(archived=True)]
    return sorted((replace(s, rev=0) for s in found), key=lambda s: s.id)


# opening


def test_a_memory_opens_with_nothing_but_a_url(tmp_path: Path) -> None:
    with MemoryOS(f"sqlite:///{tmp_path}/m.db") as memory:
        memory.user("ada").add("I keep bees.", "Lovely.")
        assert memory.users() == ["ada"]
    with MemoryOS(f"sqlite:///{tmp_path}/m.db") as memory:
        assert "bees" in memory.user("ada", session_id="later").recall("bees").text


def test_a_store_may_be_handed_in(make: Make) -> None:
    assert make(open_store("sqlite://")).users() == []


@pytest.mark.parametrize("wrong", [None, 7, object()])
def test_what_is_no_store_is_refused(make: Make, wrong: object) -> None:
    with pytest.raises(InvalidInputError, match="url must be an SQLAlchemy URL"):
        make(wrong)


@pytest.mark.parametrize("wrong", ["", " ", "x" * 513, "a\x00b", "\ud800", None, 7])
@pytest.mark.parametrize("name", ["user_id", "assistant_id", "session_id"])
def test_ids_are_checked_before_they_reach_a_query(make: Make, name: str, wrong: object) -> None:
    with pytest.raises(InvalidInputError, match=name):
        make().user(**{"user_id": "ada", name: wrong})  # type: ignore[arg-type]


# everybody


def test_users_scopes_and_stats_are_of_the_whole_store(make: Make) -> None:
    memory = make()
    assert (memory.users(), memory.scopes(), memory.stats()) == ([], [], Stats())
    for user_id, assistant_id in (("bob", "assistant"), ("ada", "assistant"), ("ada", "tutor")):
        live(memory.user(user_id, assistant_id=assistant_id), 3)
    assert memory.users() == ["ada", "bob"]
    assert set(memory.scopes()) == {Scope("ada"), Scope("bob"), Scope("ada", "tutor")}
    mine, every = memory.user("ada").stats(), memory.stats()
    assert every.pages == 3 * mine.pages == 9
    assert every.facts_user == 3 * mine.facts_user
    assert every.users == 3 * mine.users - 1


def test_usage_counts_what_the_model_was_asked(make: Make) -> None:
    assert make().usage() == Usage()
    model = ScriptedChat(persona)
    memory = make(llm=model)
    live(memory.user("ada"))
    usage = memory.usage()
    assert usage.calls == model.calls > 0
    assert usage.prompt_tokens == model.prompt_tokens


# modes


def wait_for(ready: Callable[[], bool]) -> None:
    until = time.monotonic() + 20
    while not ready() and time.monotonic() < until:
        time.sleep(0.01)


def test_in_the_background_pages_move_behind_the_caller(make: Make, tmp_path: Path) -> None:
    config = replace(SMALL, worker=WorkerConfig(mode="background"))
    memory = make(f"sqlite:///{tmp_path}/m.db", config=config)
    ada = memory.user("ada")
    for i in range(6):
        ada.add(f"I keep bees in hive {i}.", "Good.")
    wait_for(lambda: ada.stats().pages_mid_term >= 4)
    assert (ada.stats().pages_short_term, ada.stats().pages_mid_term) == (2, 4)
    recall = memory.user("ada", session_id="new").recall("bees")
    visited = {h.segment_id for h in recall.hits if h.segment_id}
    wait_for(lambda: {s.id for s in ada.segments() if s.n_visit} == visited)
    assert {s.id: s.n_visit for s in ada.segments() if s.n_visit} == dict.fromkeys(visited, 1)


def test_inline_pages_move_within_add(make: Make) -> None:
    ada = make(config=replace(SMALL, worker=WorkerConfig(mode="inline"))).user("ada")
    moved: list[int] = []
    for i in range(6):
        ada.add(f"I keep bees in hive {i}.", "Good.")
        moved.append(ada.stats().pages_mid_term)
    assert moved == [0, 0, 0, 2, 2, 4]


def test_inline_a_failing_embedder_does_not_make_add_look_undone(make: Make) -> None:
    embedder = KeywordEmbedder(64)
    embedder.failure = TimeoutError("down")
    ada = make(config=replace(SMALL, worker=WorkerConfig(mode="inline")), embedder=embedder).user("ada")
    ada.add("I keep bees.", "Good.")
    assert ada.stats().pages == 1


@pytest.mark.parametrize("mode", ["background", "inline", "manual"])
def test_flush_does_all_that_is_pending(make: Make, tmp_path: Path, mode: str) -> None:
    config = replace(SMALL, worker=WorkerConfig(mode=mode))  # type: ignore[arg-type]
    memory = make(f"sqlite:///{tmp_path}/m.db", config=config, embedder=KeywordEmbedder(64))
    for name in ("ada", "bob"):
        for i in range(8):
            memory.user(name).add(f"I keep bees in hive {i}.", "Good.")
    assert memory.flush(60)
    for name in ("ada", "bob"):
        assert memory.user(name).stats().pages_short_term == 2
        store, scope = memory._open().parts.store, Scope(name)
        assert store.pages(PageQuery(scope, embedded=False)) == ()


def test_flush_says_when_the_time_was_too_short(make: Make, tmp_path: Path) -> None:
    gate = threading.Event()

    def slow(request: ChatRequest) -> str:
        assert gate.wait(20)
        return "no idea"

    config = replace(SMALL, worker=WorkerConfig(attempts=1))
    memory = make(f"sqlite:///{tmp_path}/m.db", config=config, llm=ScriptedChat(slow))
    for i in range(8):
        memory.user("ada").add(f"I keep bees in hive {i}.", "Good.")
    assert not memory.flush(0.05)
    gate.set()
    assert memory.flush(60)
    assert memory.user("ada").stats().pages_short_term == 2


# out of one store, into another


@pytest.mark.parametrize("semantic", [False, True])
def test_what_is_exported_comes_back_equal(make: Make, semantic: bool) -> None:
    config = replace(SMALL, mid_term=replace(SMALL.mid_term, segments="chains", join_threshold=1.2))
    embedder = KeywordEmbedder(64) if semantic else None
    old = live(make(config=config, llm=ScriptedChat(persona), embedder=embedder).user("ada", assistant_id="tutor"))
    assert {p.tier for p in pages(old)} == {"short_term", "mid_term", "archive"}
    assert {f.status for f in old.facts(current=False)} >= {"current", "superseded"}
    records = [json.loads(json.dumps(record)) for record in old.export()]

    memory = make(config=config, embedder=embedder)
    report = memory.restore(records)
    new = memory.user("ada", assistant_id="tutor")
    assert (report.pages, report.skipped) == (16, 0)
    assert pages(new) == pages(old)
    assert new.transcript() == old.transcript()
    assert new.facts(current=False) == old.facts(current=False)
    assert segments(new) == segments(old)
    assert replace(new.profile(), version=0) == replace(old.profile(), version=0)
    assert new.profile().traits[0].page_ids
    assert new.stats() == old.stats()
    assert list(new.export()) == list(old.export())
    memory.flush()
    for question in ("the cello in Lisbon", "bees in the orchard"):
        assert new.recall(question).text == old.recall(question).text


def test_restoring_twice_changes_nothing(make: Make) -> None:
    old = live(make(llm=ScriptedChat(persona)).user("ada"))
    records = list(old.export())
    memory = make()
    memory.restore(records)
    before = list(memory.user("ada").export())
    again = memory.restore(iter(records))
    assert (again.pages, again.segments, again.facts, again.skipped) == (0, 0, 0, len(records) - 1)
    assert list(memory.user("ada").export()) == before


def test_several_exports_are_restored_in_one_go_each_to_its_own(make: Make) -> None:
    old = make()
    names = ("ada", "bob")
    records = [record for name in names for record in live(old.user(name), 3).export()]
    memory = make()
    report = memory.restore(records)
    assert report.pages == 6
    assert report.facts == sum(len(old.user(name).facts(current=False)) for name in names)
    for name in names:
        assert list(memory.user(name).export()) == list(old.user(name).export())


def test_what_was_restored_is_embedded_without_being_asked(make: Make, tmp_path: Path) -> None:
    records = list(live(make().user("ada"), 4).export())
    memory = make(
        f"sqlite:///{tmp_path}/m.db",
        config=replace(SMALL, worker=WorkerConfig(mode="background")),
        embedder=KeywordEmbedder(64),
    )
    memory.restore(records)
    store = memory._open().parts.store
    wait_for(lambda: not store.pages(PageQuery(Scope("ada"), embedded=False)))
    assert store.pages(PageQuery(Scope("ada"), embedded=False)) == ()


@pytest.mark.parametrize(
    ("records", "why"),
    [
        ([{"kind": "page"}], "the first record must be a scope"),
        ([{"kind": "scope", "user_id": "ada", "assistant_id": "a"}, {"kind": "dream"}], "unknown kind 'dream'"),
        ([{"kind": "scope", "user_id": "", "assistant_id": "a"}], "user_id must have 1 to"),
        ([{"kind": "scope", "user_id": "ada"}], "assistant_id must be a text"),
        (["page"], "record 1 must be a mapping"),
    ],
)
def test_records_of_another_kind_are_refused(make: Make, records: list, why: str) -> None:
    memory = make()
    with pytest.raises(InvalidInputError, match=why):
        memory.restore(records)
    assert memory.stats() == Stats()


# another embedder


def test_reindex_embeds_everything_anew_and_recall_goes_on(make: Make, capsys: pytest.CaptureFixture[str]) -> None:
    memory = make(embedder=KeywordEmbedder(64))
    for name in ("ada", "bob"):
        live(memory.user(name), 4)
    handle = memory.user("ada")
    assert memory.reindex(embedder=KeywordEmbedder(128), progress=False) == 8
    assert capsys.readouterr().err == ""
    stored = memory._open().parts.store.vectors(handle.scope, [p.id for p in pages(handle)])
    assert {v.shape for parts in stored.values() for v in parts.values()} == {(128,)}
    assert all(s.centroid.shape == (128,) for s in [*handle.segments(), *handle.segments(archived=True)])
    assert "bees" in memory.user("ada", session_id="new").recall("bees in the orchard").text


def test_reindex_shows_its_progress(make: Make, capsys: pytest.CaptureFixture[str]) -> None:
    memory = make(embedder=KeywordEmbedder(64))
    memory.user("ada").add("I keep bees.", "Good.")
    assert memory.reindex(embedder=None) == 1
    assert "reindex" in capsys.readouterr().err


# closing


def test_a_memory_is_a_context_manager(tmp_path: Path) -> None:
    with MemoryOS(f"sqlite:///{tmp_path}/m.db", embedder=None) as memory:
        ada = memory.user("ada")
        ada.add("I keep bees.", "Good.")
    with pytest.raises(ClosedError):
        ada.stats()


def test_close_may_be_called_again_and_every_verb_then_says_so(make: Make) -> None:
    memory = make()
    memory.close()
    memory.close()
    calls: dict[str, Callable[[], object]] = {
        "users": memory.users,
        "scopes": memory.scopes,
        "flush": memory.flush,
        "stats": memory.stats,
        "usage": memory.usage,
        "restore": lambda: memory.restore([]),
        "reindex": lambda: memory.reindex(embedder=None),
        "verify_audit": memory.verify_audit,
        "ship_audit": lambda: memory.ship_audit(
            "heads.jsonl", key=cast("AuditKey", None)
        ),  # the memory is closed before the key is read
        "check": memory.check,
        "backup": lambda: memory.backup("copy.db"),
        "forgotten": memory.forgotten,
        "forget_again": lambda: memory.forget_again(()),
        "backlog": memory.backlog,
        "forget_user": lambda: memory.forget_user("ada"),
        "retain": memory.retain,
        "vacuum": memory.vacuum,
        "rekey": lambda: memory.rekey("a passphrase of many words"),
        "run_worker": memory.run_worker,
    }
    public = {name for name, _ in inspect.getmembers(MemoryOS, inspect.isfunction) if not name.startswith("_")}
    # The last two open nothing.
    assert public - set(calls) == {"user", "team", "close", "salvage", "restore_backup"}
    for call in calls.values():
        with pytest.raises(ClosedError, match="open it again"):
            call()
    assert memory.user("ada").scope == Scope("ada")


def test_close_counts_the_last_visits(make: Make, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/m.db"
    memory = make(url)
    live(memory.user("ada"))
    before = visits(memory)
    memory.user("ada", session_id="new").recall("the cello")
    memory.close()
    assert visits(make(url)) > before


def visits(memory: MemoryOS) -> int:
    ada = memory.user("ada")
    return sum(s.n_visit for s in (*ada.segments(), *ada.segments(archived=True)))


class Unvisitable:
    """A store whose lock somebody else holds whenever a visit is to be counted."""

    def __init__(self) -> None:
        self._store = open_store("sqlite://")
        self.closed = False

    def visit(self, visit: Visit) -> None:
        raise StoreBusyError("somebody holds the lock")

    def close(self) -> None:
        self.closed = True
        self._store.close()

    def __getattr__(self, name: str) -> object:
        return getattr(self._store, name)


def test_visits_that_cannot_be_counted_do_not_keep_the_store_open(make: Make, caplog: pytest.LogCaptureFixture) -> None:
    store = Unvisitable()
    memory = make(store)
    ada = memory.user("ada")
    ada.remember("Ada keeps bees")
    ada.recall("bees")
    memory.close()
    assert store.closed
    assert "the last visits could not be counted: StoreBusyError" in caplog.text


def test_a_memory_nobody_holds_any_more_lets_its_store_go(tmp_path: Path) -> None:
    store = Unvisitable()
    memory = MemoryOS(store, embedder=None)  # type: ignore[arg-type]
    memory.user("ada").add("I keep bees.", "Good.")
    del memory
    gc.collect()
    wait_for(lambda: store.closed)
    assert store.closed


@pytest.mark.parametrize("moment", [None, datetime(2024, 6, 1), "2024-06-01"])
def test_a_clock_that_returns_no_aware_datetime_is_refused_by_the_first_verb(make: Make, moment: object) -> None:
    ada = make(clock=lambda: moment).user("ada")
    for verb in (lambda: ada.add("a", "b"), lambda: ada.remember("Ada keeps bees."), lambda: ada.recall("bees")):
        with pytest.raises(ConfigError, match="the clock returned"):
            verb()
    assert ada.stats().pages == 0


@pytest.mark.parametrize("where", ["llm", "answer_llm"])
def test_an_answer_of_megabytes_is_refused_before_anybody_reads_it(make: Make, where: str) -> None:
    counted: list[int] = []

    def count(text: str) -> int:
        counted.append(len(text))
        return len(text) // 4

    calls: list[ChatRequest] = []

    def talkative(request: ChatRequest) -> str:
        calls.append(request)
        return "{" * 20_000_000

    ada = make(token_counter=count, **{where: talkative}).user("ada")
    if where == "answer_llm":
        with pytest.raises(ModelAnswerError, match="20000000 characters"):
            ada.chat("Where do I keep bees?")
        assert ada.stats().pages == 0
    else:
        for subject in SUBJECTS * 2:
            ada.add(subject, "I see.")
        assert ada.consolidate().pages_moved  # without the model
    assert calls
    assert max(counted) < 1_000_000
