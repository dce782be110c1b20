"""Retention policies: what they may say, what goes by them, and that nothing else does."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryos_core import MemoryConfig, MemoryOS
from memoryos_core.api.aio import AsyncMemoryOS
from memoryos_core.api.user import UserMemory
from memoryos_core.config import RetentionPolicy, ShortTermConfig, WorkerConfig
from memoryos_core.errors import ConfigError
from memoryos_core.ops.cli import main
from memoryos_core.ops.cli.upkeep import policy as written
from memoryos_core.rules.retention import due
from memoryos_core.testing.fakes import FixedClock
from memoryos_core.values.commands import PageQuery
from memoryos_core.values.dialogue import Message, Page, Scope
from memoryos_core.values.events import Event, Forgotten, Retained
from memoryos_core.values.queries import Mark
from memoryos_core.values.reports import ForgetReceipt, RetentionReport

NOW = datetime(2026, 6, 1, tzinfo=timezone.utc)
DAY = timedelta(days=1)
SMALL = MemoryConfig(
    short_term=ShortTermConfig(capacity_pages=2, batch_pages=1, active_sessions=1, idle_hours=None),
    worker=WorkerConfig(mode="manual"),
)
OLD = RetentionPolicy("old", older_than=30 * DAY)
PURGE = RetentionPolicy("gone", older_than=30 * DAY, action="purge")

Make = Callable[..., MemoryOS]


@pytest.fixture
def make() -> Iterator[Make]:
    memories: list[MemoryOS] = []

    def open_one(*policies: RetentionPolicy, url: str = "sqlite://", **options: object) -> MemoryOS:
        config = replace(SMALL, retention=policies)
        memories.append(MemoryOS(url, embedder=None, config=config, clock=FixedClock(NOW), **options))  # type: ignore[arg-type]
        return memories[-1]

    yield open_one
    for memory in memories:
        memory.close()


def talk(user: UserMemory, *days_ago: float, about: str = "the orchard") -> list[Page]:
    return [
        user.add(f"My name is Ada and I love {about} so much", "Noted.", timestamp=NOW - days * DAY)
        for days in days_ago
    ]


def tiers(user: UserMemory) -> dict[str, str]:
    return {page.id: page.tier for page in user.pages()}


# what a policy may say


@pytest.mark.parametrize(
    "wrong",
    [
        {"name": " "},
        {"kind": "segments"},
        {"action": "delete"},
        {"older_than": None},
        {"older_than": timedelta()},
        {"older_than": 30},
        {"tiers": ("attic",)},
        {"tiers": "archive"},
        {"trust": ("nobody",)},
        {"trust": ["tool"]},
        {"keep_newest": 0},
        {"keep_newest": True},
        {"kind": "facts", "tiers": ("mid_term",)},
        {"tiers": ("mid_term", "short_term"), "action": "archive"},
        {"tiers": ("archive",), "action": "archive"},
    ],
    ids=str,
)
def test_nonsense_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ConfigError, match="retention"):
        RetentionPolicy(**{"name": "x", "older_than": DAY, **wrong})  # type: ignore[arg-type]


def test_policies_of_a_memory_have_names_of_their_own() -> None:
    with pytest.raises(ConfigError, match="different names"):
        MemoryConfig(retention=(OLD, OLD))
    with pytest.raises(ConfigError, match="tuple of RetentionPolicy"):
        MemoryConfig(retention=[OLD])  # type: ignore[arg-type]


# the rule


def mark(name: str, days: float = 0, *, trust: str = "user", place: str = "mid_term", seq: int = 1) -> Mark:
    return Mark(name, seq, NOW - days * DAY, trust, place)  # type: ignore[arg-type]


def gone(marks: list[Mark], *policies: RetentionPolicy) -> dict[str, list[str]]:
    return {policy.name: [m.id for m in taken] for policy, taken in due(marks, policies, NOW)}


def test_every_condition_must_hold() -> None:
    marks = [mark("old", 31), mark("young", 29), mark("tool", 31, trust="tool"), mark("just", 30)]
    assert gone(marks, OLD) == {"old": ["old", "tool", "just"]}
    assert gone(marks, RetentionPolicy("t", older_than=30 * DAY, trust=("tool", "document"))) == {"t": ["tool"]}
    assert gone(marks, RetentionPolicy("t", trust=("document",))) == {}


def test_the_newest_of_those_named_are_kept() -> None:
    marks = [mark(f"{days}", days, trust="tool" if days % 2 else "user") for days in range(1, 7)]
    assert gone(marks, RetentionPolicy("n", keep_newest=4)) == {"n": ["6", "5"]}
    assert gone(marks, RetentionPolicy("n", keep_newest=2, trust=("tool",))) == {"n": ["5"]}
    assert gone(marks, RetentionPolicy("n", keep_newest=2, older_than=5 * DAY)) == {"n": ["6", "5"]}
    assert gone(marks, RetentionPolicy("n", keep_newest=6)) == {}
    assert gone([mark("b", seq=2), mark("a", seq=1)], RetentionPolicy("n", keep_newest=1)) == {"n": ["a"]}


def test_archiving_takes_from_mid_term_memory_and_from_what_holds() -> None:
    places = ["short_term", "mid_term", "archive"]
    assert gone([mark(place, 40, place=place) for place in places], OLD) == {"old": ["mid_term"]}
    assert gone([mark(place, 40, place=place) for place in places], PURGE) == {"gone": places}
    statuses = ["current", "superseded", "retired", "evicted", "quarantined"]
    facts = [mark(status, 40, place=status) for status in statuses]
    assert gone(facts, replace(OLD, kind="facts")) == {"old": ["current"]}
    assert gone(facts, replace(PURGE, kind="facts")) == {"gone": statuses}


def test_what_is_purged_is_not_archived_first() -> None:
    marks = [mark("a", 100), mark("b", 40)]
    assert gone(marks, OLD, replace(PURGE, older_than=90 * DAY)) == {"gone": ["a"], "old": ["b"]}
    assert gone(marks, OLD, RetentionPolicy("again", older_than=DAY)) == {"old": ["a", "b"]}


MARKS = st.lists(
    st.builds(
        mark,
        st.uuids().map(str),
        st.integers(0, 60),
        trust=st.sampled_from(["user", "tool", "document"]),
        place=st.sampled_from(["short_term", "mid_term", "archive"]),
        seq=st.integers(1, 9),
    ),
    unique_by=lambda m: m.id,
    max_size=30,
)
POLICIES = st.builds(
    RetentionPolicy,
    st.uuids().map(str),
    older_than=st.integers(1, 60).map(lambda days: days * DAY),
    trust=st.sampled_from([(), ("tool",), ("user", "document")]),
    keep_newest=st.none() | st.integers(1, 10),
    action=st.sampled_from(["archive", "purge"]),
)


@given(MARKS, st.lists(POLICIES, max_size=3), st.randoms())
def test_nothing_goes_twice_and_the_order_of_the_marks_never_shows(marks, policies, random) -> None:
    found = due(marks, policies, NOW)
    taken = [m.id for _, some in found for m in some]
    assert len(taken) == len(set(taken))
    assert all(NOW - m.at >= (policy.older_than or DAY) for policy, some in found for m in some)
    shuffled = random.sample(marks, len(marks))
    distinct = len({(m.at, m.seq) for m in marks}) == len(marks)
    assert not distinct or due(shuffled, policies, NOW) == found


# runs


def test_a_dry_run_says_what_a_run_does_and_does_nothing(make: Make) -> None:
    policies = (RetentionPolicy("ancient", older_than=90 * DAY, action="purge"), OLD)
    memory = make(*policies)
    ada = memory.user("ada")
    pages = talk(ada, 120, 100, 60, 50, 2, 1)
    make_mid_term(ada)
    before = list(ada.export())
    plan = ada.governance.retain(dry_run=True)
    assert list(ada.export()) == before
    assert plan.dry_run
    assert plan.receipt == ForgetReceipt()
    assert [(e.policy, e.action, e.place, e.ids) for e in plan.entries] == [
        ("ancient", "purge", "mid_term", (pages[0].id, pages[1].id)),
        ("old", "archive", "mid_term", (pages[2].id, pages[3].id)),
    ]
    done = ada.governance.retain()
    assert done.entries == plan.entries
    assert done.receipt.pages == 2
    assert done.receipt.at == NOW
    assert tiers(ada) == {
        pages[2].id: "archive",
        pages[3].id: "archive",
        pages[4].id: "short_term",
        pages[5].id: "short_term",
    }
    assert ada.governance.retain() == RetentionReport()
    assert (done.count(), done.count(action="purge"), done.count(kind="facts")) == (4, 2, 0)


def make_mid_term(user: UserMemory) -> None:
    """Page out what is beyond the window, without the policies that come with a whole run."""
    user._open()._updater.consolidate(user.scope)


def test_what_is_archived_is_found_still_and_what_is_purged_is_not(make: Make) -> None:
    ada = make().user("ada")
    kept = talk(ada, 60, about="kayaks")[0]
    lost = ada.add("My tool said xylophone", timestamp=NOW - 60 * DAY)
    talk(ada, 3, 2, 1)
    make_mid_term(ada)
    assert [hit.id for hit in ada.search("xylophone", k=1)] == [lost.id]
    ada.governance.retain([OLD])
    assert [(hit.id, hit.tier) for hit in ada.search("kayaks", k=1)] == [(kept.id, "archive")]
    ada.governance.retain([replace(PURGE, tiers=("archive",), keep_newest=1)])
    assert kept.id not in tiers(ada)
    assert ada.search("kayaks") == []
    assert [hit.id for hit in ada.search("xylophone", k=1)] == [lost.id]


def test_pages_of_little_trust_go(make: Make) -> None:
    ada = make().user("ada")
    ada.add_messages([Message("user", "I like plums."), Message("tool", "prices rise", trust="document")])
    (mine,) = ada.add_messages([Message("user", "I like pears.")])
    done = ada.governance.retain([RetentionPolicy("web", trust=("document",), action="purge")])
    assert done.count() == 1
    assert list(tiers(ada)) == [mine.id]


def test_facts_go_by_age_and_come_back_to_nobody(make: Make) -> None:
    clock = FixedClock(NOW - 400 * DAY)
    with MemoryOS("sqlite://", embedder=None, config=SMALL, clock=clock) as memory:
        ada = memory.user("ada")
        old = ada.remember("Ada rents a flat")
        clock.set(NOW)
        new = ada.remember("Ada owns a boat")
        stale = RetentionPolicy("stale", kind="facts", older_than=365 * DAY)
        done = ada.governance.retain([stale])
        assert [(e.place, e.ids) for e in done.entries] == [("current", (old.id,))]
        assert [(f.id, f.status) for f in ada.facts(current=False)] == [(old.id, "evicted"), (new.id, "current")]
        assert "flat" not in ada.recall("What does Ada rent or own?").text
        ada.governance.retain([replace(stale, action="purge")])
        assert ada.facts(current=False) == [new]


def test_a_purge_takes_what_came_from_the_pages(make: Make) -> None:
    ada = make().user("ada")
    talk(ada, 60, 59, 58, 57, 56, 55, about="bees")
    talk(ada, 3, 2)
    ada.consolidate()
    assert any("bees" in f.text for f in ada.facts())
    done = ada.governance.retain([PURGE])
    assert done.receipt.pages_mid_term == 6
    assert done.receipt.facts >= 1
    assert all("bees" not in f.text for f in ada.facts(current=False))


def test_what_went_with_its_page_is_not_said_to_be_archived(make: Make) -> None:
    ada = make().user("ada")
    talk(ada, 60, 59, 58, 57, 56, 55, about="bees")
    talk(ada, 3, 2)
    kept = [ada.remember("Ada rents a flat"), ada.remember("Ada owns a boat")]
    ada.consolidate()
    assert len(ada.facts()) == 3  # what was said six times is one fact
    few = RetentionPolicy("few", kind="facts", keep_newest=1)
    expected = ada.governance.retain([PURGE, few], dry_run=True)
    done = ada.governance.retain([PURGE, few])
    assert done.receipt.facts > 0
    assert done.count(kind="facts") < expected.count(kind="facts")
    left = {fact.id: fact.status for fact in ada.facts(current=False)}
    archived = [id for entry in done.entries if entry.kind == "facts" for id in entry.ids]
    assert {left[id] for id in archived} <= {"evicted"}
    assert left.keys() & {fact.id for fact in kept}


def test_a_run_behind_the_caller_applies_the_configured_policies(make: Make) -> None:
    events: list[Event] = []
    memory = make(
        OLD, RetentionPolicy("few", tiers=("archive",), keep_newest=1, action="purge"), on_event=events.append
    )
    ada = memory.user("ada")
    first, second, *_ = talk(ada, 60, 50, 2, 1)
    assert memory.flush()
    assert tiers(ada)[first.id] == tiers(ada)[second.id] == "archive"
    assert Retained(ada.scope, archived=2, purged=0) in events
    ada.consolidate()
    assert first.id not in tiers(ada)
    told = [e for e in events if isinstance(e, (Retained, Forgotten))]
    assert [type(e) for e in told] == [Retained, Forgotten, Retained]
    assert told[-1] == Retained(ada.scope, archived=0, purged=1)


def test_all_users_are_reached_and_nobody_else_is_touched(make: Make) -> None:
    memory = make()
    ada, bob = memory.user("ada"), memory.user("bob", assistant_id="tutor")
    gone_pages = [talk(user, 40)[0].id for user in (ada, bob)]
    kept = talk(memory.user("cy"), 1)
    done = memory.retain([PURGE], progress=False)
    assert {e.scope: e.ids for e in done.entries} == {
        Scope("ada"): (gone_pages[0],),
        Scope("bob", "tutor"): (gone_pages[1],),
    }
    assert memory.stats().pages == 1
    assert list(tiers(memory.user("cy"))) == [kept[0].id]


def test_more_than_a_transaction_takes_goes_in_several(make: Make) -> None:
    memory = make()
    ada = memory.user("ada")
    store = memory._open().parts.store
    ada.add_messages(
        [
            message
            for i in range(450)
            for message in (Message("user", f"word{i}", timestamp=NOW - 60 * DAY), Message("assistant", "I see."))
        ]
    )
    before = store.cursor(ada.scope)
    assert memory.retain([PURGE], progress=False).receipt.pages == 450
    assert store.cursor(ada.scope).epoch == before.epoch + 3
    assert store.pages(PageQuery(ada.scope)) == ()


async def test_the_async_face_retains_too(make: Make) -> None:
    memory = make()
    pages = talk(memory.user("ada"), 60, 1)
    face = AsyncMemoryOS.of(memory)
    dry = await face.user("ada").governance.retain([PURGE], dry_run=True)
    done = await face.retain([PURGE], progress=False)
    assert dry.entries == done.entries
    assert [e.ids for e in done.entries] == [(pages[0].id,)]


# the command


def test_a_policy_as_the_command_takes_it() -> None:
    whole = "older_than=90d,trust=tool+document,keep_newest=5,tiers=archive,action=purge,name=x"
    assert written(whole) == RetentionPolicy(
        "x", older_than=90 * DAY, trust=("tool", "document"), keep_newest=5, tiers=("archive",), action="purge"
    )
    assert written("older_than=2w") == RetentionPolicy("older_than=2w", older_than=14 * DAY)
    for wrong in ("", "older_than", "older_than=90", "older_than=9d,older_than=1d", "hue=red", "keep_newest=x"):
        with pytest.raises(ConfigError):
            written(wrong)


def test_the_command_says_and_does(make: Make, tmp_path, capsys) -> None:
    url = f"sqlite:///{tmp_path / 'm.db'}"
    memory = make(url=url)
    ids = [talk(memory.user(name), 60)[0].id for name in ("ada", "bob")]
    memory.close()
    asked = ["retain", url, "--policy", "name=old,older_than=30d,action=purge"]
    assert main([*asked, "--dry-run"]) == 0
    assert capsys.readouterr().out == "old: would purge 2 pages (short_term)\n"
    assert main([*asked, "--user", "ada", "--json"]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert (json.loads(line)["user_id"], json.loads(line)["ids"]) == ("ada", [ids[0]])
    assert main(asked) == 0
    assert capsys.readouterr().out == "old: purge 1 pages (short_term)\n"
    assert main(asked) == 0
    assert capsys.readouterr().out == "nothing to archive or to purge\n"
    assert main([*asked[:2], "--policy", "older_than=1"]) == 2
    assert "ConfigError" in capsys.readouterr().err
