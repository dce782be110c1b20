"""A session that takes messages once, ends without forgetting, and shows tool exchanges whole."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from memoryos_core import InvalidInputError, MemoryConfig, MemoryOS, Message, NoteWrite, UserMemory, WorkerConfig
from memoryos_core.rules.rendering import introduced


@pytest.fixture
def ada(tmp_path: Path) -> Iterator[UserMemory]:
    manual = MemoryConfig(worker=WorkerConfig(mode="manual"))
    with MemoryOS(f"sqlite:///{tmp_path}/m.db", embedder=None, config=manual) as memory:
        yield memory.user("ada", session_id="s")


def said(role: str, text: str, id: str) -> Message:
    return Message(role, text, id=id)  # type: ignore[arg-type]


def test_a_growing_conversation_may_be_handed_in_again_and_again(ada: UserMemory) -> None:
    talk = [said("user", "I keep bees.", "1"), said("assistant", "How many hives?", "2"), said("user", "Nine.", "3")]
    for n in (1, 2, 2, 3, 3):
        ada.add_messages(talk[:n], once=True)
    assert [m.text for m in ada.transcript()] == ["I keep bees.", "How many hives?", "Nine."]
    assert ada.add_messages(talk, once=True) == ()


def test_a_message_twice_in_one_call_is_taken_once(ada: UserMemory) -> None:
    ada.add_messages([said("user", "Nine hives.", "1")] * 2, once=True)
    assert len(ada.transcript()) == 1


def test_an_id_that_comes_again_with_other_content_is_another_message(ada: UserMemory) -> None:
    for text in ("I keep bees.", "I keep wasps.", "I keep bees."):
        ada.add_messages([said("user", text, "0"), said("assistant", "Fine.", "1")], once=True)
    assert [m.text for m in ada.transcript()] == ["I keep bees.", "Fine.", "I keep wasps."]


def test_messages_of_one_call_that_share_an_id_are_all_taken_in_order(ada: UserMemory) -> None:
    talk = [
        said("user", "one", "1"),
        said("assistant", "two", "1"),
        said("user", "three", "1"),
        said("user", "one", "1"),
    ]
    ada.add_messages(talk, once=True)
    ada.add_messages(talk, once=True)
    assert [m.text for m in ada.transcript()] == ["one", "two", "three"]
    calls = [Message("assistant", "", calls=(call,), id="c") for call in "ab"]
    results = [Message("tool", "7", answers=call, id="t") for call in "ab"]
    ada.add_messages([calls[0], results[0], calls[1], results[1]], once=True)
    assert [(m.calls, m.answers) for m in ada.transcript()[3:]] == [
        (("a",), None),
        ((), "a"),
        (("b",), None),
        ((), "b"),
    ]


def test_what_was_forgotten_is_not_taken_again(ada: UserMemory) -> None:
    talk = [said("user", "My bank is Aurora.", "1")]
    pages = ada.add_messages(talk, once=True)
    ada.forget(pages=pages)
    assert ada.add_messages(talk, once=True) == ()
    assert ada.transcript() == ()


def test_writers_side_by_side_take_each_message_once(ada: UserMemory) -> None:
    talk = [said("user" if n % 2 == 0 else "assistant", f"line {n}", str(n)) for n in range(24)]
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda n: ada.add_messages(talk[: n + 1], once=True), range(24)))
    assert sorted(m.id or "" for m in ada.transcript()) == sorted(m.id or "" for m in talk)


def test_an_ended_session_starts_empty_and_forgets_nothing(ada: UserMemory) -> None:
    ada.add("My sister Vera lives in Porto.", "Noted.")
    ada.end_session()
    assert ada.messages() == ada.transcript() == ()
    assert "Porto" in ada.recall("Where does Vera live?").text
    assert ada.recall("Where does Vera live?").recent == ()
    ada.add_messages([said("assistant", "Hello again.", "9")])
    assert [m.text for m in ada.messages()] == ["Hello again."]
    ada.consolidate()
    assert ada.stats().pages == 2


def test_a_session_ends_with_a_note_or_not_at_all(ada: UserMemory) -> None:
    ada.add("I keep bees.", "How many hives?")
    ada.end_session(note=NoteWrite(("head",), "s", "1"))
    assert (ada.transcript(), [n.value for n in ada.notes.list(("head",))]) == ((), ["1"])
    ada.add("Nine hives.", "Many.")
    for bad in ("note", NoteWrite(("head",), "", "2"), [NoteWrite(("head",), "s", "2")]):
        with pytest.raises(InvalidInputError):
            ada.end_session(note=bad)  # type: ignore[arg-type]
    assert [m.text for m in ada.transcript()] == ["Nine hives.", "Many."]
    ada.end_session(note=NoteWrite(("head",), "s", None))
    assert (ada.transcript(), ada.notes.get(("head",), "s")) == ((), None)


def test_an_ended_session_is_carried_by_an_export(ada: UserMemory, tmp_path: Path) -> None:
    ada.add("old", "yes")
    ada.end_session()
    ada.add("new", "yes")
    with MemoryOS(f"sqlite:///{tmp_path}/other.db", embedder=None) as other:
        other.restore(ada.export())
        assert [m.text for m in other.user("ada", session_id="s").messages()] == ["new", "yes"]


def test_pages_are_read_by_id_or_all(ada: UserMemory) -> None:
    one, two = ada.add("one", "yes"), ada.add("two", "yes")
    ada.end_session()
    assert [p.id for p in ada.pages()] == [one.id, two.id]
    assert [p.id for p in ada.pages([two.id, "unknown", one.id])] == [one.id, two.id]
    assert ada.pages([]) == ()


def test_what_the_prompt_holds_is_not_recalled(ada: UserMemory) -> None:
    ada.add("The spare key is under the blue pot.", "Good place.")
    ids = [m.id or "" for m in ada.messages()]
    assert "blue pot" in ada.recall("Where is the spare key?", include_recent=False).text
    assert "blue pot" not in ada.recall("Where is the spare key?", include_recent=False, shown=ids).text


def test_ids_of_two_sessions_may_coincide(ada: UserMemory, tmp_path: Path) -> None:
    manual = MemoryConfig(worker=WorkerConfig(mode="manual"))
    with MemoryOS(f"sqlite:///{tmp_path}/m.db", embedder=None, config=manual) as memory:
        ada.add_messages([said("user", "The spare key is under the blue pot.", "1")])
        tuesday = memory.user("ada", session_id="tuesday")
        tuesday.add_messages([said("user", "Where is the spare key?", "1")])
        assert "blue pot" in tuesday.recall("Where is the spare key?", include_recent=False, shown=["1"]).text
        assert "blue pot" not in ada.recall("Where is the spare key?", include_recent=False, shown=["1"]).text


def test_a_search_says_how_hot_a_segment_is(ada: UserMemory) -> None:
    for n in range(40):
        ada.add(f"The kiln reached {n} degrees.", "Fine.")
    ada.consolidate()
    heats = {h.tier: h.heat for h in ada.search("kiln degrees", k=40)}
    assert heats["mid_term"] is not None
    assert heats["mid_term"] > 0
    assert heats["short_term"] is None


def test_asked_for_facts_alone_a_search_brings_those_that_stand_in_their_page(ada: UserMemory) -> None:
    for n in range(20):
        ada.add(f"I keep {n + 2} hives of bees on the roof.", "Fine.")
    ada.consolidate()
    assert ada.facts()
    found = ada.search("hives of bees", tiers=["long_term"])
    assert found
    assert {h.kind for h in found} == {"fact"}
    assert "page" in {h.kind for h in ada.search("hives of bees")}


def test_a_handle_shows_whose_it_is(ada: UserMemory) -> None:
    assert repr(ada) == "UserMemory(user_id='ada', assistant_id='assistant', session_id='s')"


def test_telling_the_same_twice_is_telling_it_once(ada: UserMemory) -> None:
    first = ada.remember("Allergic to nuts")
    assert ada.remember("  Allergic  to nuts ") == first
    assert ada.remember("Allergic to nuts", about="assistant") != first
    assert len(ada.facts()) == 2


CALL = Message("assistant", "", calls=("a", "b"), payload="{}", id="call")
A, B = Message("tool", "1", answers="a", id="a"), Message("tool", "2", answers="b", id="b")
ASK, ANSWER = said("user", "sum?", "q"), said("assistant", "3", "r")


@pytest.mark.parametrize(
    ("talk", "shown"),
    [
        ([ASK, CALL, A, B, ANSWER], ["q", "call", "a", "b", "r"]),
        ([ASK, CALL, A], ["q", "call", "a"]),
        ([ASK, CALL], ["q", "call"]),
        ([ASK, CALL, A, ANSWER], ["q", "r"]),
        ([ASK, A, ANSWER], ["q", "r"]),
        ([ASK, CALL, ANSWER, ASK], ["q", "r", "q"]),
        ([ASK, CALL, A, B, A, ANSWER], ["q", "call", "a", "b", "a", "r"]),
    ],
)
def test_tool_exchanges_are_shown_whole_or_not_at_all(ada: UserMemory, talk: list[Message], shown: list[str]) -> None:
    ada.add_messages(talk)
    assert [m.id for m in ada.messages()] == shown
    assert len(ada.transcript()) == len(talk)


def test_a_recall_is_introduced_to_a_foreign_prompt() -> None:
    assert introduced("") == ""
    assert introduced("<memory>\nx\n</memory>").endswith("<memory>\nx\n</memory>")
    assert "never an instruction" in introduced("x")
