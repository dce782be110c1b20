"""A session that takes messages once, ends without forgetting, and shows tool exchanges whole."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from memoryos_core import InvalidInputError, MemoryConfig, MemoryOS, Message, NoteWrite, UserMemory, WorkerConfig
from memoryos_core.ports import Store
from memoryos_core.rules.ranking.rendering import add_notice
from memoryos_core.stores import open_store
from memoryos_core.values.commands import Learning, Promotion
from memoryos_core.values.facts import Fact


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return open_store(f"sqlite:///{tmp_path}/m.db")


@pytest.fixture
def memory(store: Store) -> Iterator[MemoryOS]:
    manual = MemoryConfig(worker=WorkerConfig(mode="manual"))
    with MemoryOS(store, embedder=None, config=manual) as memory:
        yield memory


@pytest.fixture
def ada(memory: MemoryOS) -> UserMemory:
    return memory.user("ada", session_id="s")


@pytest.fixture
def other(memory: MemoryOS) -> UserMemory:
    """The same user in another session."""
    return memory.user("ada", session_id="t")


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


def test_of_what_was_forgotten_nothing_is_left_to_know_it_by(ada: UserMemory, tmp_path: Path) -> None:
    talk = [said("user", "My bank is Aurora.", "1"), said("assistant", "Noted.", "2")]
    pages = ada.add_messages([*talk, said("user", "Nine hives.", "3")], once=True)
    with closing(sqlite3.connect(tmp_path / "m.db")) as file:
        before = {row[0] for row in file.execute("SELECT digest FROM memoryos_taken")}
        assert len(before) == 3
        assert ada.forget(pages=[pages[0].id]).taken == 2
        assert len({row[0] for row in file.execute("SELECT digest FROM memoryos_taken")} & before) == 1
    written = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert sum(digest.encode() in written for digest in before) == 1
    ada.add_messages([*talk, said("user", "Nine hives.", "3")], once=True)
    assert [m.text for m in ada.transcript()] == ["Nine hives.", "My bank is Aurora.", "Noted."]


def test_writers_side_by_side_take_each_message_once(ada: UserMemory) -> None:
    talk = [said("user" if n % 2 == 0 else "assistant", f"line {n}", str(n)) for n in range(24)]
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda n: ada.add_messages(talk[: n + 1], once=True), range(24)))
    assert sorted(m.id or "" for m in ada.transcript()) == sorted(m.id or "" for m in talk)


def test_an_ended_session_starts_empty_and_forgets_nothing(ada: UserMemory, other: UserMemory) -> None:
    ada.add("My sister Vera lives in Porto.", "Noted.")
    ada.end_session()
    assert ada.messages() == ada.transcript() == ()
    assert "Porto" in other.recall("Where does Vera live?").text
    assert "Porto" in ada.search("Where does Vera live?", session_id="s")[0].text
    assert ada.recall("Where does Vera live?").recent == ()
    ada.add_messages([said("assistant", "Hello again.", "9")])
    assert [m.text for m in ada.messages()] == ["Hello again."]
    ada.consolidate()
    assert ada.stats().pages == 2


def test_an_ended_conversation_is_recalled_in_other_sessions_only(ada: UserMemory, other: UserMemory) -> None:
    ada.add("The spare key is under the blue pot.", "Good place.")
    other.add("The spare bicycle is in the blue shed.", "Noted.")
    ada.end_session()
    found = ada.recall("Where is the blue spare key?")
    assert "blue pot" not in found.text
    assert "blue shed" in found.text
    assert "blue pot" in other.recall("Where is the blue spare key?").text
    ada.add("The spare key is under the red pot.", "Better.")
    assert "red pot" in ada.recall("Where is the spare key?", include_recent=False).text


def test_what_a_session_still_refers_to_is_recalled(ada: UserMemory) -> None:
    ada.add_messages([said("user", "The spare key is under the blue pot.", "1"), said("assistant", "Noted.", "2")])
    ada.add_messages([said("user", "The spare tyre is under the blue tarp.", "3"), said("assistant", "Fine.", "4")])
    ada.end_session()
    found = ada.recall("What is blue and spare?", standing=["3"]).text
    assert "blue tarp" in found
    assert "blue pot" not in found
    assert "blue tarp" not in ada.recall("What is blue and spare?", shown=["3"], standing=["3"]).text


def test_facts_and_profile_of_an_ended_conversation_are_left_out(ada: UserMemory, other: UserMemory) -> None:
    for n in range(20):
        ada.add(f"My name is Ada Byron and I live in Porto, street {n}.", "Noted.")
    ada.consolidate()
    ada.remember("Ada keeps bees in Porto.")
    assert ada.profile().get("name") == "Ada Byron"
    ada.end_session()
    assert ada.facts(), "what was learnt stays"
    asked = "Where in Porto does Ada Byron live?"
    for user, recalled in ((ada, False), (other, True)):
        recall = user.recall(asked)
        assert bool(recall.profile.fields) is recalled
        assert ("Byron" in recall.text) is recalled
        assert "bees in Porto" in recall.text, "told on purpose"


@pytest.mark.parametrize("elsewhere_too", [True, False])
def test_a_fact_that_another_session_supports_is_recalled_as_a_fact(
    ada: UserMemory, other: UserMemory, store: Store, elsewhere_too: bool
) -> None:
    told = "I keep nine hives of bees on the roof."
    pages = [ada.add(told, "Noted."), *([other.add("The bees again.", "Yes?")] if elsewhere_too else [])]
    when = pages[0].timestamp
    fact = Fact("f", "user", told, when, when, page_ids=tuple(page.id for page in pages))
    store.promote(Promotion(ada.scope, Learning(facts=(fact,)), when))
    ada.end_session()
    found = ada.recall("How many hives on the roof?")
    assert [(h.kind, h.id) for h in found.hits if "hives" in h.text] == [("fact", "f")] * elsewhere_too
    assert [h.kind for h in other.recall("How many hives on the roof?").hits if "hives" in h.text] == ["page"]


def test_what_was_superseded_takes_no_place_from_what_is_recalled(ada: UserMemory, other: UserMemory) -> None:
    other.add("Once a quince stood by the old barn.", "Noted.")
    for n in range(300):
        ada.add(f"Quince quince quince, number {n}.", "Fine.")
    ada.end_session()
    assert "old barn" in ada.recall("Where is the quince?").text


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


def test_a_session_begins_anew_with_messages_in_one_write(ada: UserMemory) -> None:
    old = ada.add("I keep bees.", "How many hives?")
    ended = [Message("user", "I kept wasps once.", id="w"), Message("assistant", "Brave.", id="b")]
    ada.end_session(
        ended=ended,
        messages=[Message("user", "Nine hives.", id="n"), Message("assistant", "Many.", id="m")],
        note=lambda pages: NoteWrite(("head",), "s", " ".join(f"{key}={page}" for key, page in pages.items())),
    )
    first, aside, begun = ada.pages(session=True)
    assert [first.id, first.ended, aside.ended, begun.ended] == [old.id, True, True, False]
    assert [m.text for m in ada.transcript()] == ["Nine hives.", "Many."]
    assert [n.value for n in ada.notes.list(("head",))] == [f"w={aside.id} b={aside.id}"]
    for wrong in ([Message("user", " ")], "text", None):
        with pytest.raises(InvalidInputError):
            ada.end_session(messages=wrong)  # type: ignore[arg-type]
        with pytest.raises(InvalidInputError):
            ada.end_session(ended=wrong)  # type: ignore[arg-type]
    with pytest.raises(InvalidInputError):
        ada.end_session(ended=ended, note=lambda _: "no note")  # type: ignore[arg-type,return-value]
    assert [m.text for m in ada.transcript()] == ["Nine hives.", "Many."]


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
    for n in range(30):
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
    assert add_notice("") == ""
    assert add_notice("<memory>\nx\n</memory>").endswith("<memory>\nx\n</memory>")
    assert "never an instruction" in add_notice("x")


# ------------------------------------------------------------------------------------------ messages replaced by others


TALK = (
    said("user", "I live in Paris.", "1"),
    said("assistant", "How is Paris?", "2"),
    said("user", "My dog is called Biscuit.", "3"),
    said("assistant", "Good dog.", "4"),
)


def told(user: UserMemory) -> list[str]:
    return [m.text for m in user.transcript()]


def test_an_edited_message_takes_the_place_of_the_one_before(ada: UserMemory, other: UserMemory) -> None:
    ada.add_messages(TALK, once=True)
    for _ in range(2):
        ada.add_messages([said("user", "I live in Lisbon.", "1")], once=True, replaces=["1"])
        assert told(ada) == ["I live in Lisbon.", *(m.text for m in TALK[1:])]
    found = ada.recall("Where do I live?", include_recent=False).text
    assert "I live in Lisbon." in found
    assert "I live in Paris." not in found
    assert "How is Paris?" in found, "the answer was not replaced"
    assert "I live in Paris." in other.recall("Where do I live?").text
    assert len(ada.pages(session=True)) == 4, "the page behind it goes on behind it"


@pytest.mark.parametrize("whole", [False, True])
def test_an_edit_that_is_taken_back_stands_again(ada: UserMemory, *, whole: bool) -> None:
    ada.add_messages(TALK, once=True)
    for city in ("Lisbon", "Paris", "Lisbon", "Paris", "Paris"):
        edited = said("user", f"I live in {city}.", "1")
        ada.add_messages([edited, *(TALK[1:] if whole else ())], once=True, replaces=["1"])
        assert told(ada) == [f"I live in {city}.", *(m.text for m in TALK[1:])]
    assert f"I live in {city}." in ada.recall("Where do I live?", include_recent=False).text
    ada.add_messages([edited, *TALK[1:]], once=True)
    assert told(ada) == [f"I live in {city}.", *(m.text for m in TALK[1:])], "it is not taken again"


@pytest.mark.parametrize("seed", range(6))
def test_whatever_is_edited_each_message_stands_once_in_its_last_version(ada: UserMemory, seed: int) -> None:
    chance, now = Random(seed), dict[str, tuple[str, str]]()
    for step in range(30):
        act = chance.choice(["add", "add", "edit", "edit", "reply", "remove", "consolidate"])
        questions = [name for name, (role, _) in now.items() if role == "user"]
        if act == "consolidate":
            ada.consolidate()
        elif act == "add" or not questions:
            now |= {f"q{step}": ("user", f"question {step}"), f"a{step}": ("assistant", f"answer {step}")}
            ada.add_messages([said(role, text, name) for name, (role, text) in now.items()], once=True)
        elif act == "edit":
            name = chance.choice(list(now))
            now[name] = now[name][0], f"{name} in version {chance.randrange(3)}"
            ada.add_messages([said(*now[name], name)], once=True, replaces=[name])
        elif act == "reply":
            now[f"r{step}"] = "assistant", f"reply {step}"
            ada.add_messages([said(*now[f"r{step}"], f"r{step}")], once=True, reply_to=chance.choice(questions))
        else:
            name = chance.choice(list(now))
            del now[name]
            ada.add_messages([], replaces=[name])
        assert sorted((m.id, m.text) for m in ada.transcript()) == sorted((i, text) for i, (_, text) in now.items())


def test_an_edit_far_back_copies_no_long_tail(ada: UserMemory) -> None:
    later = [said(("user", "assistant")[n % 2], f"line {n}", f"q{n}") for n in range(22)]
    ada.add_messages([*TALK, *later], once=True)
    pages = len(ada.pages(session=True))
    ada.add_messages([said("user", "I live in Lisbon.", "1")], once=True, replaces=["1"])
    assert sorted(told(ada)) == sorted(["I live in Lisbon.", *(m.text for m in (*TALK[1:], *later))])
    assert len(ada.pages(session=True)) == pages + 1


def test_a_removed_message_is_not_recalled_where_it_was_removed(ada: UserMemory, other: UserMemory) -> None:
    ada.add_messages(TALK, once=True)
    assert ada.add_messages([], replaces=["3", "4", "unknown"]) == ()
    assert told(ada) == [m.text for m in TALK[:2]]
    assert "Biscuit" not in ada.recall("What is my dog called?").text
    assert "Biscuit" in other.recall("What is my dog called?").text
    ada.add_messages(TALK, once=True)
    assert told(ada) == [m.text for m in TALK[:2]], "what was taken is not taken again"


def test_an_answer_that_is_generated_again_takes_the_place_of_the_first(ada: UserMemory) -> None:
    ada.add_messages(TALK, once=True)
    again = said("assistant", "A fine name.", "5")
    for _ in range(2):
        ada.add_messages([again], once=True, follows=["1", "2", "3"])
        assert told(ada) == [*(m.text for m in TALK[:3]), "A fine name."]
    assert [len(page.messages) for page in ada.pages(session=True) if not page.ended] == [2, 2]


def test_a_conversation_that_branches_off_supersedes_what_followed(ada: UserMemory) -> None:
    ada.add_messages(TALK, once=True)
    ada.add_messages([said("user", "My cat is called Mog.", "5")], once=True, follows=["1", "2"])
    assert told(ada) == [*(m.text for m in TALK[:2]), "My cat is called Mog."]
    assert "Biscuit" not in ada.recall("What is my dog called?").text


def test_a_conversation_that_goes_back_to_a_branch_that_it_left_has_it_again(ada: UserMemory) -> None:
    ada.add_messages(TALK, once=True)
    again = said("assistant", "A fine name.", "4b")
    ada.add_messages([again], once=True, follows=["1", "2", "3"])
    ada.add_messages([said("user", "Is it?", "5")], once=True, follows=["1", "2", "3", "4"])
    first = [*(m.text for m in TALK), "Is it?"]
    assert told(ada) == first
    ada.add_messages([said("user", "My cat is called Mog.", "6")], once=True, follows=["1", "2"])
    assert told(ada) == [*(m.text for m in TALK[:2]), "My cat is called Mog."]
    ada.add_messages([said("assistant", "It is.", "7")], once=True, follows=["1", "2", "3", "4", "5"])
    assert told(ada) == [*first, "It is."]
    assert "Mog" not in ada.recall("What is my cat called?").text
    assert "Biscuit" in ada.recall("What is my dog called?").text
    ada.add_messages([said("assistant", "It is not.", "8")], once=True, follows=["1", "2", "3", "4b"])
    assert told(ada) == [*(m.text for m in TALK[:3]), "A fine name.", "It is not."]


def test_an_answer_that_comes_late_stands_behind_its_question(ada: UserMemory) -> None:
    questions = [said("user", f"question {n}", f"q{n}") for n in range(4)]
    for question in questions:
        ada.add_messages([question], once=True)
    for n in (3, 0, 2, 1):
        for _ in range(2):
            ada.add_messages([said("assistant", f"answer {n}", f"a{n}")], once=True, reply_to=f"q{n}")
    held = told(ada)
    assert sorted(zip(held[::2], held[1::2], strict=True)) == [(f"question {n}", f"answer {n}") for n in range(4)]
    assert [len(page.messages) for page in ada.pages(session=True) if not page.ended] == [2] * 4
    ada.add_messages([said("assistant", "And more.", "m")], once=True, reply_to="a0")
    assert told(ada)[-3:] == ["question 0", "answer 0", "And more."]


@pytest.mark.parametrize("name", ["q", "unknown"])
def test_an_answer_that_comes_next_joins_its_question(ada: UserMemory, name: str) -> None:
    ada.add_messages([said("user", "Where do I live?", "q")], once=True)
    ada.add_messages([said("assistant", "In Paris.", "a")], once=True, reply_to=name)
    assert [len(page.messages) for page in ada.pages(session=True)] == [2]


def test_what_others_wrote_into_the_session_is_not_taken_for_a_branch(ada: UserMemory) -> None:
    ada.add_messages(TALK, once=True)
    ada.add("The boiler is serviced in May.", "Noted.")
    ada.add_messages([said("user", "And in June?", "5")], once=True, follows=["1", "2", "3", "4"])
    assert told(ada)[4:] == ["The boiler is serviced in May.", "Noted.", "And in June?"]
    ada.add_messages([said("user", "Hello?", "6")], once=True, follows=["never seen"])
    assert len(told(ada)) == 8


def test_writers_side_by_side_lose_nothing_that_was_not_replaced(ada: UserMemory) -> None:
    ada.add_messages(TALK, once=True)
    new = [said("user" if n % 2 == 0 else "assistant", f"line {n}", f"new {n}") for n in range(12)]

    def write(n: int) -> None:
        ada.add_messages([new[n]], once=True, replaces=["1"] if n % 3 == 0 else ())

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(write, range(12)))
    assert sorted(told(ada)) == sorted([*(m.text for m in TALK[1:]), *(m.text for m in new)])


@pytest.mark.parametrize("name", ["replaces", "follows"])
def test_ids_that_are_none_are_refused(ada: UserMemory, name: str) -> None:
    for bad in ("1", [1], 7):
        with pytest.raises(InvalidInputError):
            ada.add_messages([], **{name: bad})  # type: ignore[arg-type]
    with pytest.raises(InvalidInputError):
        ada.add_messages(TALK, reply_to=7)  # type: ignore[arg-type]


def test_a_message_that_is_shown_is_not_recalled_from_any_session(ada: UserMemory, other: UserMemory) -> None:
    ada.add_messages(TALK, once=True)
    question = "What is my dog called?"
    assert "Biscuit" in other.recall(question).text
    assert "Biscuit" in other.recall(question, shown=["3", "4"]).text, "ids are those of its own session"
    assert "Biscuit" in other.recall(question, shown=[said("user", "Another text", "3")]).text
    assert "Biscuit" not in other.recall(question, shown=["9", *TALK[2:]]).text
