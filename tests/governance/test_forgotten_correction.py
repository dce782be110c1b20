"""A statement in the words of an older one and of its correction goes with either: forgetting reaches every copy."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from memoryos_core import MemoryConfig, MemoryOS, RetentionPolicy, WorkerConfig

NOW = datetime(2026, 11, 22, 9, tzinfo=timezone.utc)
MANUAL = MemoryConfig(worker=WorkerConfig(mode="manual"))
TOLD = "The orthodontist is on 1 December at 9."


@pytest.mark.parametrize("correction", ["no wait, the 2nd", "oh wait, it's been cancelled"])
@pytest.mark.parametrize("forgotten", ["first", "correction", "session", "old pages"])
def test_forgetting_either_page_leaves_no_statement_of_both(tmp_path: Path, forgotten: str, correction: str) -> None:
    path, now = tmp_path / "memory.db", [NOW]
    with MemoryOS(f"sqlite:///{path}", embedder=None, config=MANUAL, clock=lambda: now[0]) as memory:
        user = memory.user("ann", session_id="s")
        first = user.add(TOLD, "ok", timestamp=NOW)
        second = user.add(correction, "ok", timestamp=NOW + timedelta(minutes=1))
        apart = memory.user("ann", session_id="apart")
        apart.add("I have two cats.", "ok", timestamp=NOW + timedelta(minutes=2))
        apart.end_session()
        user.end_session()
        user.consolidate()
        marked = [fact for fact in user.facts(current=False) if fact.text.rstrip(".").endswith(")")]
        assert [set(fact.page_ids) for fact in marked] == [{first.id, second.id}]
        if forgotten == "session":
            user.forget(session=True)
        elif forgotten == "old pages":  # the first page is due, and the correction is not yet
            now[0] = NOW + timedelta(days=1, seconds=30)
            policy = RetentionPolicy("old", older_than=timedelta(days=1), action="purge")
            memory.retain([policy], progress=False)
        else:
            user.forget(pages=[first.id if forgotten == "first" else second.id])
        left = " ".join(fact.text for fact in user.facts(current=False))
        assert "(changed)" not in left
        assert "(called off)" not in left
        assert "two cats" in left
        if forgotten != "correction":
            assert "orthodontist" not in left
    if forgotten != "correction":
        assert b"orthodontist" not in b"".join(file.read_bytes() for file in tmp_path.iterdir())


@pytest.mark.parametrize("forgotten", ["first", "correction", "session"])
def test_forgetting_either_page_leaves_no_statement_with_a_corrected_word(tmp_path: Path, forgotten: str) -> None:
    path = tmp_path / "memory.db"
    with MemoryOS(f"sqlite:///{path}", embedder=None, config=MANUAL, clock=lambda: NOW) as memory:
        user = memory.user("ann", session_id="s")
        first = user.add("I'm allergic to walnuts.", "ok", timestamp=NOW)
        second = user.add("I meant almonds, not walnuts.", "ok", timestamp=NOW + timedelta(minutes=1))
        user.end_session()
        user.consolidate()
        corrected = [fact for fact in user.facts() if "(not walnuts)" in fact.text]
        assert [set(fact.page_ids) for fact in corrected] == [{first.id, second.id}]
        if forgotten == "session":
            user.forget(session=True)
        else:
            user.forget(pages=[first.id if forgotten == "first" else second.id])
        left = " ".join(fact.text for fact in user.facts(current=False))
        assert "almonds" not in left
        if forgotten != "correction":
            assert "allergic" not in left
    if forgotten != "correction":
        assert b"allergic" not in b"".join(file.read_bytes() for file in tmp_path.iterdir())


@pytest.mark.parametrize(
    ("before", "said", "told"),
    [
        ("My sister Ana called.", "She's in Leeds now.", "Ana"),
        ("Leo had a reaction to cashews this time.", "The tests: it's peanuts and pistachios.", "Leo"),
        ("I've got an interview.", "It's on 24 December at two.", "interview"),
    ],
)
def test_a_statement_in_a_word_of_the_page_before_goes_with_it(
    tmp_path: Path, before: str, said: str, told: str
) -> None:
    with MemoryOS(f"sqlite:///{tmp_path}/memory.db", embedder=None, config=MANUAL, clock=lambda: NOW) as memory:
        user = memory.user("ann", session_id="s")
        first = user.add(before, "When is it?", timestamp=NOW)
        user.add(said, "ok", timestamp=NOW + timedelta(minutes=1))
        user.add("I have two cats.", "ok", timestamp=NOW + timedelta(minutes=2))
        user.end_session()
        user.consolidate()
        assert sum(told in fact.text for fact in user.facts(current=False)) >= 2
        user.forget(pages=[first.id])
        left = " ".join(fact.text for fact in user.facts(current=False))
        assert told not in left
        assert "two cats" in left
    assert told.encode() not in b"".join(file.read_bytes() for file in tmp_path.iterdir())


def test_a_statement_in_words_of_its_own_page_stays(tmp_path: Path) -> None:
    with MemoryOS(f"sqlite:///{tmp_path}/memory.db", embedder=None, config=MANUAL, clock=lambda: NOW) as memory:
        user = memory.user("ann", session_id="s")
        first = user.add("My sister Ana called about Leeds.", "ok", timestamp=NOW)
        user.add("Ana lives in Leeds.", "ok", timestamp=NOW + timedelta(minutes=1))
        user.end_session()
        user.consolidate()
        user.forget(pages=[first.id])
        assert [fact.text for fact in user.facts()] == ["Ana lives in Leeds."]


@pytest.mark.parametrize("as_metadata", [False, True], ids=["told", "name of a message"])
def test_the_users_name_goes_with_the_page_that_says_it(tmp_path: Path, *, as_metadata: bool) -> None:
    path = tmp_path / "memory.db"
    with MemoryOS(f"sqlite:///{path}", embedder=None, config=MANUAL, clock=lambda: NOW) as memory:
        user = memory.user("ann", session_id="s")
        named = "Zerlinda Quist" if as_metadata else None
        first = user.add("My name is Zerlinda Quist.", "ok", timestamp=NOW, user_name=named)
        user.add(
            "I work as a nurse.", "Zerlinda, how nice!" if as_metadata else "ok", timestamp=NOW + timedelta(hours=1)
        )
        user.consolidate()
        user.add("My dad moved to Leeds.", "ok", timestamp=NOW + timedelta(hours=2))
        user.end_session()
        user.consolidate()
        assert user.profile().get("name") == "Zerlinda Quist"
        told = ["The user works as a nurse.", "The user's dad moved to Leeds."]
        assert [fact.text for fact in user.facts() if fact.text in told] == told
        user.forget(pages=[first.id])
        assert user.profile().get("name") is None
        assert [fact.text for fact in user.facts() if fact.text in told] == told
    assert b"Quist" not in path.read_bytes()


def test_a_new_dose_has_no_word_of_the_page_that_told_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with MemoryOS(f"sqlite:///{path}", embedder=None, config=MANUAL, clock=lambda: NOW) as memory:
        user = memory.user("ann", session_id="s")
        first = user.add("I take sertraline 50 mg for my claustrophobia.", "ok", timestamp=NOW - timedelta(days=9))
        user.end_session()
        later = memory.user("ann", session_id="t")
        later.add("They raised the sertraline to 75 mg.", "ok", timestamp=NOW)
        later.end_session()
        memory.flush()
        assert any("claustrophobia" in fact.text for fact in later.facts(current=False))
        later.forget(pages=[first.id])
        assert [fact.text for fact in later.facts(current=False)] == ["The user takes sertraline 75 mg."]
    assert b"claustrophobia" not in path.read_bytes()


@pytest.mark.parametrize("between", [0, 3])  # pages between the two
def test_whom_a_page_named_is_gone_with_it(tmp_path: Path, between: int) -> None:
    path = tmp_path / "memory.db"
    with MemoryOS(f"sqlite:///{path}", embedder=None, config=MANUAL, clock=lambda: NOW) as memory:
        user = memory.user("ann", session_id="s")
        told = user.add("My new physio is Zerlinda.", "ok", timestamp=NOW)
        for number in range(between):
            user.add(f"Lesson {number} was long.", "ok", timestamp=NOW + timedelta(minutes=number + 1))
        user.consolidate()
        user.add("Seeing her on the 29th at 2.", "ok", timestamp=NOW + timedelta(minutes=9))
        user.end_session()
        user.consolidate()
        user.forget(pages=[told.id])
    assert b"Zerlinda" not in path.read_bytes()


def test_a_profile_keeps_no_name_of_a_forgotten_page(tmp_path: Path) -> None:
    with MemoryOS(f"sqlite:///{tmp_path}/memory.db", embedder=None, config=MANUAL, clock=lambda: NOW) as memory:
        user = memory.user("ann", session_id="s")
        told = user.add("My name is Zerlinda Smith.", "ok", timestamp=NOW)
        user.consolidate()
        user.add("I'm going back to my maiden name, Cole.", "ok", timestamp=NOW + timedelta(minutes=9))
        user.end_session()
        user.consolidate()
        user.forget(pages=[told.id])
        assert "Zerlinda" not in str(user.profile())
