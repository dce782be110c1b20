"""Values of the wrong kind: refused in words at the door, and nothing is changed. What gets past is stored for ever."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from memoryos_core import ConfigError, InvalidInputError, MemoryOS, Message, UserMemory
from memoryos_core.testing.fakes import ScriptedChat
from tests.faults.opening import said, small

NO_TEXT: tuple[object, ...] = (None, 5, 0, b"bytes", ["a list"], {}, object())
NO_COUNT = (0, -1, 1.5, True, "5", float("nan"))


def kind(value: object) -> str:
    """A name for a case that is the same in every process, which the repr of an object is not."""
    return type(value).__name__


@pytest.fixture(scope="module")
def memory() -> Iterator[MemoryOS]:
    chat = ScriptedChat(lambda _: "An answer.")
    with MemoryOS("sqlite://", embedder=None, answer_llm=chat, config=small()) as memory:
        yield memory


@pytest.fixture
def ada(memory: MemoryOS) -> Iterator[UserMemory]:
    ada = memory.user("ada")
    ada.add("I own a boat.", "What is she called?")
    before = ada.stats(), said(ada.transcript()), ada.facts()
    yield ada
    assert (ada.stats(), said(ada.transcript()), ada.facts()) == before
    assert "boat" in str(ada.recall("What do I own?"))  # nothing that was refused has poisoned a later question
    ada.forget(everything=True)


TEXT_VERBS: dict[str, Callable[[UserMemory, Any], object]] = {
    "add": lambda u, x: u.add(x),
    "add_messages text": lambda u, x: u.add_messages([Message("user", "first"), Message("user", x)]),
    "add_messages role": lambda u, x: u.add_messages([Message(x, "text")]),
    "a message that is none": lambda u, x: u.add_messages([x]),
    "recall": lambda u, x: u.recall(x),
    "search": lambda u, x: u.search(x),
    "chat": lambda u, x: u.chat(x),
    "remember": lambda u, x: u.remember(x),
    "remember about": lambda u, x: u.remember("text", about=x),
    "correct": lambda u, x: u.correct(x, "text"),
    "retire": lambda u, x: u.retire(x),
    "useful": lambda u, x: u.useful(x),
    "forget a page": lambda u, x: u.forget(pages=[x]),
    "forget a fact": lambda u, x: u.forget(facts=[x]),
}
OPTIONAL_TEXT_VERBS: dict[str, Callable[[UserMemory, Any], object]] = {
    "answer": lambda u, x: u.add("text", x),
    "user_name": lambda u, x: u.add("text", user_name=x),
    "assistant_name": lambda u, x: u.add("text", "answer", assistant_name=x),
    "a message's name": lambda u, x: u.add_messages([Message("user", "text", name=x)]),
    "a message's id": lambda u, x: u.add_messages([Message("user", "text", id=x)]),
    "a message's payload": lambda u, x: u.add_messages([Message("user", "text", payload=x)]),
    "what a message answers": lambda u, x: u.add_messages([Message("tool", "text", answers=x)]),
    "a message's calls": lambda u, x: u.add_messages([Message("assistant", "text", calls=(x,))]),
    "facts about": lambda u, x: u.facts(x),
    "search session": lambda u, x: u.search("boat", session_id=x),
}
LIST_VERBS: dict[str, Callable[[UserMemory, Any], object]] = {
    "add_messages": lambda u, x: u.add_messages(x),
    "a message's calls": lambda u, x: u.add_messages([Message("assistant", "text", calls=x)]),
    "forget pages": lambda u, x: u.forget(pages=x),
    "forget facts": lambda u, x: u.forget(facts=x),
    "tiers": lambda u, x: u.search("boat", tiers=x),
}


@pytest.mark.parametrize("wrong", NO_TEXT, ids=kind)
@pytest.mark.parametrize("verb", TEXT_VERBS)
def test_what_is_no_text_is_refused(ada: UserMemory, verb: str, wrong: object) -> None:
    with pytest.raises(InvalidInputError):
        TEXT_VERBS[verb](ada, wrong)


@pytest.mark.parametrize("wrong", NO_TEXT[1:], ids=kind)
@pytest.mark.parametrize("verb", OPTIONAL_TEXT_VERBS)
def test_what_is_neither_text_nor_absent_is_refused(ada: UserMemory, verb: str, wrong: object) -> None:
    with pytest.raises(InvalidInputError):
        OPTIONAL_TEXT_VERBS[verb](ada, wrong)


@pytest.mark.parametrize("wrong", ["abc", b"abc", 5, object()], ids=kind)
@pytest.mark.parametrize("verb", LIST_VERBS)
def test_one_value_in_place_of_several_is_refused(ada: UserMemory, verb: str, wrong: object) -> None:
    with pytest.raises(InvalidInputError):
        LIST_VERBS[verb](ada, wrong)


@pytest.mark.parametrize("wrong", NO_COUNT, ids=repr)
def test_what_is_no_count_is_refused(ada: UserMemory, wrong: Any) -> None:
    with pytest.raises(InvalidInputError, match="k="):
        ada.search("boat", k=wrong)
    with pytest.raises(InvalidInputError, match="budget_tokens="):
        ada.recall("boat", budget_tokens=wrong)


def test_unknown_words_are_refused(ada: UserMemory) -> None:
    with pytest.raises(InvalidInputError, match="role"):
        ada.add_messages([Message("assistent", "text")])  # type: ignore[arg-type]  # meant
    with pytest.raises(InvalidInputError, match="tiers"):
        ada.search("boat", tiers=["midterm"])
    with pytest.raises(InvalidInputError, match="about"):
        ada.remember("text", about="me")  # type: ignore[arg-type]  # meant


AnyMessage: Any = Message  # of types that a checker would refuse


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda u: u.add(5), r"^user must be"),
        (lambda u: u.add("text", 5), r"^assistant must be"),
        (
            lambda u: u.add_messages([AnyMessage("user", "secret"), {}]),
            r"^messages\[1\] must be a Message, not dict: make",
        ),
        (
            lambda u: u.add_messages([AnyMessage("user", "secret"), AnyMessage("human", "x")]),
            r"^messages\[1\]\.role .* 'user'",
        ),
        (lambda u: u.add_messages([AnyMessage("user", "x", trust="mine")]), r"^messages\[0\]\.trust is unknown: use"),
        (
            lambda u: u.add_messages([AnyMessage("user", "secret"), AnyMessage("user", 5)]),
            r"^messages\[1\]\.text must be",
        ),
        (
            lambda u: u.add_messages([AnyMessage("user", "secret", calls=("c", 5))]),
            r"^messages\[0\]\.calls\[1\] must be",
        ),
        (lambda u: u.forget(pages=["a", 5]), r"^pages\[1\] must be"),
        (lambda u: u.search("boat", tiers=["mid_term", "midterm"]), r"^tiers\[1\]: 'midterm' is not one of"),
    ],
)
def test_an_error_names_the_element_that_is_wrong(ada: UserMemory, call: Callable[[Any], object], says: str) -> None:
    with pytest.raises(InvalidInputError, match=says) as refused:
        call(ada)
    assert "secret" not in str(refused.value)


def test_messages_from_a_generator_are_all_kept(memory: MemoryOS) -> None:
    eve = memory.user("eve")
    turns = ("Good evening.", "Good evening to you."), ("I sing.", "What?")
    eve.add_messages(Message(r, t) for turn in turns for r, t in zip(("user", "assistant"), turn, strict=True))  # type: ignore[arg-type]
    assert said(eve.transcript()) == ["Good evening.", "Good evening to you.", "I sing.", "What?"]


@pytest.mark.parametrize(
    "records",
    [
        [5],
        ["scope"],
        [{"kind": "scope"}],
        [{"kind": "scope", "user_id": 5, "assistant_id": "a"}],
        [{"kind": "scope", "user_id": " ", "assistant_id": "a"}],
        [{"kind": "page"}],
        [{"kind": "scope", "user_id": "mallory", "assistant_id": "a"}, {"kind": "page"}],
        [{"kind": "scope", "user_id": "mallory", "assistant_id": "a"}, {"kind": "planet"}],
        [{"kind": "scope", "user_id": "mallory", "assistant_id": "a"}, {"kind": "page", "id": 5, "messages": "x"}],
    ],
    ids=repr,
)
def test_records_that_are_none_are_refused(memory: MemoryOS, records: list[Any]) -> None:
    with pytest.raises(InvalidInputError):
        memory.restore(records)
    assert memory.user("mallory").stats().pages == 0


@pytest.mark.parametrize("wrong", [None, 5, b"sqlite://", Path("m.db"), object()], ids=kind)
def test_what_is_no_store_is_refused(wrong: Any) -> None:
    with pytest.raises(InvalidInputError, match="url"):
        MemoryOS(wrong, embedder=None)


TWO_HOSTS = "postgresql+psycopg://app@/memory?host=one&port=5432&host=two&port=5433"  # not how SQLAlchemy writes them


@pytest.mark.parametrize("wrong", ["nonsense://x", "memory.db", "", "mysql://localhost/x", TWO_HOSTS])
def test_a_url_of_no_database_of_ours_is_refused(wrong: str) -> None:
    with pytest.raises(InvalidInputError):
        MemoryOS(wrong, embedder=None)


def test_a_wrong_option_leaves_no_file_behind(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/m.db"
    with pytest.raises(ConfigError):
        MemoryOS(url, embedder="nonsense")
    with pytest.raises(ConfigError):
        MemoryOS(url, embedder=None, llm="nonsense")
    assert list(tmp_path.iterdir()) == []
