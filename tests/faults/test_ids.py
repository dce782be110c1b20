"""Ids from outside: any that may be one is kept as it is and means one user; any other is refused."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from memoryos_core import InvalidInputError, MemoryOS, MemoryOSError, NotFoundError
from tests.faults.opening import open_small, said, small, talk

# Each differs from a neighbour only by what a careless query, path or key would take for the same.
IDS = (
    "user-1",
    "user-10",
    "user-1%",
    "user_1",
    "userX1",
    "%",
    "_",
    "*",
    "../../etc/passwd",
    "..",
    "/",
    "C:\\x",
    "o'brien",
    'o"brien',
    "a'; DROP TABLE memoryos_pages; --",
    "line\nbreak",
    "line\r\nbreak",
    "tab\tbed",
    "bell\x07",
    "😀",
    "👩‍👩‍👧",
    "Ünïcødé",
    "U\u0308nicode",
    "\u00dcnicode",
    "ADA",
    "ada",
    " ada",
    "ada ",
    "null",
    "0",
    "\u202eabc",
    "mark\x1a0000",
    '["ada", "assistant"]',
    "x" * 512,
)
REFUSED = {
    "empty": "",
    "blank": " \n\t",
    "10 kB": "i" * 10_240,
    "513 characters": "i" * 513,
    "NUL": "a\x00b",
    "lone surrogate": "\ud83d",
    "None": None,
    "number": 5,
    "bytes": b"ada",
}


@pytest.fixture
def memory() -> Iterator[MemoryOS]:
    with MemoryOS("sqlite://", embedder=None, config=small()) as memory:
        yield memory


def test_every_id_is_a_user_of_its_own_in_every_verb(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with open_small(path) as memory:
        for number, user_id in enumerate(IDS):
            user = memory.user(user_id)
            for i in range(5):
                user.add(f"My secret is code{number}x, part {i}.", f"I keep code{number}x.")
            user.remember(f"Opens doors with code{number}x")
            user.consolidate()
    with open_small(path) as memory:
        assert memory.users() == sorted(IDS)
        for number, user_id in enumerate(IDS):
            user = memory.user(user_id)
            seen = [*said(user.transcript()), str(user.recall("What is the secret code?"))]
            seen += [h.text for h in user.search("secret code", k=50)] + [f.text for f in user.facts(current=False)]
            seen += [s.summary for s in user.segments()] + [repr(r) for r in user.export()]
            assert set(re.findall(r"code\d+x", "\n".join(seen))) == {f"code{number}x"}
            assert user.stats().users == 1
            assert user.stats().pages == 5
        gone = memory.user(IDS[0]).forget(everything=True)
        assert gone.pages == 5
        assert memory.stats().pages == 5 * (len(IDS) - 1)
    assert [p.name for p in tmp_path.iterdir()] == ["m.db"]  # no id became a path


@pytest.mark.parametrize("kind", ["assistant_id", "session_id"])
def test_assistants_and_sessions_are_kept_apart_in_the_same_way(memory: MemoryOS, kind: str) -> None:
    for number, name in enumerate(IDS):
        memory.user("ada", **{kind: name}).add(f"Only in number {number}.")
    for number, name in enumerate(IDS):
        assert said(memory.user("ada", **{kind: name}).transcript()) == [f"Only in number {number}."]


def test_user_and_assistant_do_not_run_together(memory: MemoryOS) -> None:
    memory.user("a", assistant_id="b-c").add("first")
    memory.user("a-b", assistant_id="c").add("second")
    assert said(memory.user("a", assistant_id="b-c").transcript()) == ["first"]
    assert said(memory.user("a-b", assistant_id="c").transcript()) == ["second"]


@pytest.mark.parametrize("kind", ["user_id", "assistant_id", "session_id"])
@pytest.mark.parametrize("name", REFUSED)
def test_an_id_that_cannot_be_one_is_refused(memory: MemoryOS, kind: str, name: str) -> None:
    ids = {"user_id": "ada", kind: REFUSED[name]}
    with pytest.raises(InvalidInputError, match=kind) as refusal:
        memory.user(**ids)  # type: ignore[arg-type]  # meant
    assert len(str(refusal.value)) < 300  # ten kilobytes are not repeated


def test_page_and_fact_ids_of_another_user_are_unknown(memory: MemoryOS) -> None:
    ada, bob = memory.user("ada"), memory.user("bob")
    pages = talk(ada, 6)
    fact = ada.remember("Ada's safe opens with 7-7-7.")
    ada.consolidate()
    assert bob.forget(pages=pages, facts=[fact]).pages == 0
    with pytest.raises(NotFoundError) as unknown:
        bob.correct(fact.id, "It opens with 1-2-3.")
    assert "7-7-7" not in str(unknown.value)
    assert ada.stats().pages == 6
    assert [f.text for f in ada.facts() if not f.page_ids] == ["Ada's safe opens with 7-7-7."]
    assert bob.facts() == []


@pytest.mark.parametrize("wild", ["%", "_", "*", "' OR '1'='1", "", "\x00", "\ud800", "i" * 10_240])
def test_ids_of_pages_and_facts_are_bound_and_never_pasted(memory: MemoryOS, wild: str) -> None:
    ada = memory.user("ada")
    talk(ada, 3)
    ada.remember("Likes rivers.")
    assert ada.forget(pages=[wild], facts=[wild]).pages == 0
    assert ada.search("tree", session_id=wild) == []
    with pytest.raises(MemoryOSError):
        ada.correct(wild, "Likes lakes.")
    assert ada.stats().pages == 3
    assert len(ada.facts()) == 1
