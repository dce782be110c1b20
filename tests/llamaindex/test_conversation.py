"""Conversations that go on, are set anew and end, with the store well or failing: each message once, in order."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from llama_index.core.base.llms.types import ChatMessage

from memoryos_core import InvalidInputError, MemoryConfig, MemoryOS, StoreError, UserMemory, WorkerConfig
from memoryos_core.api.notes import Notes
from memoryos_llamaindex.memory import MemoryOSMemory
from tests.docs.pages import elsewhere
from tests.llamaindex.scripted import ScriptedLLM, calling

MANUAL = MemoryConfig(worker=WorkerConfig(mode="manual"))


def user(text: str, **kwargs: Any) -> ChatMessage:
    return ChatMessage(role="user", content=text, additional_kwargs=kwargs)


def reply(text: str, **kwargs: Any) -> ChatMessage:
    return ChatMessage(role="assistant", content=text, additional_kwargs=kwargs)


def talk(*texts: str) -> list[ChatMessage]:
    """Messages of user and assistant by turns."""
    return [user(text) if n % 2 == 0 else reply(text) for n, text in enumerate(texts)]


def lines(messages: list[ChatMessage]) -> list[str]:
    return [f"{m.role.value}: {m.content or ''}" for m in messages]


def shown(memory: MemoryOSMemory) -> list[str]:
    return lines(memory.get_all())


def remembered(memory: MemoryOSMemory) -> list[str]:
    """What is in the pages of the session, in order; what was learnt."""
    return [f"{m.role}: {m.text}" for page in memory.user.pages(session=True) for m in page.messages]


def pages(memory: MemoryOSMemory) -> list[list[str]]:
    return [[m.text for m in page.messages] for page in memory.user.pages(session=True)]


@pytest.fixture
def ann(memory: MemoryOS) -> MemoryOSMemory:
    return MemoryOSMemory(memory=memory, user_id="ann", session_id="s")


FOUR = ("one", "One.", "two", "Two.")


# ------------------------------------------------------------------------------------------ set


def prompted(memory: MemoryOSMemory, question: str) -> str:
    return "\n".join(str(m.content) for m in memory.get(question))


@pytest.mark.parametrize("way", ["set", "aset", "chat_history"])
async def test_what_is_replaced_is_not_recalled_in_this_session(
    ann: MemoryOSMemory, memory: MemoryOS, way: str
) -> None:
    ann.put_messages(talk("I live in Paris.", "Paris is large.", "My dog is Biscuit.", "Good dog."))
    assert "Paris" in prompted(ann, "Where do I live?")
    edited = talk("I live in Lisbon.", "Lisbon is bright.", "My dog is Biscuit.", "Good dog.")
    if way == "set":
        ann.set(edited)
    elif way == "aset":
        await ann.aset(edited)
    else:
        ann = MemoryOSMemory.from_defaults(memory, user_id="ann", session_id="s", chat_history=edited)
    for question in ("Where do I live?", "Is it Paris?"):
        assert "Paris" not in prompted(ann, question).replace("Is it Paris?", "")
    assert prompted(ann, "Where do I live?").count("Lisbon") == 2
    elsewhere = MemoryOSMemory(memory=memory, user_id="ann", session_id="t")
    assert "I live in Paris." in prompted(elsewhere, "Do I live in Paris?")
    ann.set([])
    assert ann.get("Where do I live?") == []


def test_what_was_set_and_does_not_fit_is_recalled(memory: MemoryOS) -> None:
    small = MemoryOSMemory(memory=memory, user_id="ann", session_id="s", token_limit=300, budget_tokens=90)
    small.put_messages(talk("My cat is called Mog.", "A fine cat.", "My dog is called Biscuit.", "A good dog."))
    long = [text for n in range(4) for text in (f"{n} {'and so on ' * 20}", "Yes.")]
    small.set(talk("My dog is called Biscuit.", "A good dog.", *long))
    small.set([*talk("My dog is called Biscuit.", "A good dog.", *long), *talk("Hm?", "Yes?")])
    got = small.get("What is my dog called, and my cat?")
    assert "Biscuit" not in "".join(str(m.content) for m in got[1:]), "it did not fit"
    assert "Biscuit" in str(got[0].content)
    assert "Mog" not in str(got[0].content)


def test_an_answer_that_is_replaced_is_not_shown_again_for_the_same_question(ann: MemoryOSMemory) -> None:
    ann.put_messages(talk("My code is 4711.", "Noted.", "What is my code?"))
    before = [m for m in ann.get_all() if m.content == "What is my code?"]
    assert "4711" in prompted(ann, "What is my code?")
    ann.set(before)
    assert "4711" not in prompted(ann, "What is my code?")


SETS: dict[str, tuple[list[str], list[str]]] = {
    # what it is set to, what is remembered then
    "the same": ([*FOUR], [*FOUR]),
    "longer": ([*FOUR, "three", "Three."], [*FOUR, "three", "Three."]),
    "shorter": (["one", "One."], [*FOUR]),
    "its end": (["two", "Two."], [*FOUR]),
    "nothing": ([], [*FOUR]),
    "an answer edited": (["one", "Uno.", "two", "Two."], [*FOUR, "Uno."]),
    "a new end": (["one", "One.", "zwei", "Zwei."], [*FOUR, "zwei", "Zwei."]),
    "new between known": (["one", "One.", "new", "New.", "two", "Two."], [*FOUR, "new", "New."]),
    "another order": (["two", "Two.", "one", "One."], [*FOUR]),
    "all new": (["x", "X.", "y", "Y."], [*FOUR, "x", "X.", "y", "Y."]),
    "twice over": ([*FOUR, *FOUR], [*FOUR, *FOUR]),
}


@pytest.mark.parametrize("case", SETS)
def test_set_shows_what_was_given_and_learns_what_is_new(ann: MemoryOSMemory, path: str, case: str) -> None:
    wanted, learnt = SETS[case]
    ann.put_messages(talk(*FOUR))
    for _ in range(3):
        ann.set(talk(*wanted))
        assert shown(ann) == lines(talk(*wanted))
        assert Counter(text for page in pages(ann) for text in page) == Counter(learnt)
    ann.put_messages(talk("end", "End."))
    assert shown(ann) == lines([*talk(*wanted), *talk("end", "End.")])
    with MemoryOS(path, embedder=None, config=MANUAL) as elsewhere:
        other = MemoryOSMemory(memory=elsewhere, user_id="ann", session_id="s")
        assert shown(other) == shown(ann)


def test_messages_that_say_the_same_are_told_apart_by_how_often(ann: MemoryOSMemory) -> None:
    said = talk("ok", "Fine.", "ok", "Fine.")
    ann.put_messages(said)
    assert shown(ann) == lines(said)
    ann.set(said)
    assert remembered(ann) == lines(said)
    ann.set([*said, *talk("ok", "Fine.")])
    assert len(remembered(ann)) == 6
    ann.set(talk("ok", "Fine."))
    assert len(remembered(ann)) == 6
    assert shown(ann) == lines(talk("ok", "Fine."))


@pytest.mark.parametrize("between", [[], ["one", "One."], ["x"]], ids=["reset", "shorter", "other"])
def test_a_conversation_that_comes_back_is_not_learnt_again(ann: MemoryOSMemory, between: list[str]) -> None:
    ann.put_messages(talk(*FOUR))
    ann.reset()
    if between:
        ann.set(talk(*between))
    for _ in range(2):
        ann.set(talk(*FOUR, "three"))
        assert shown(ann) == lines(talk(*FOUR, "three"))
    ann.put(reply("Three."))
    assert Counter(text for page in pages(ann) for text in page if text != "x") == Counter([*FOUR, "three", "Three."])


def test_an_answer_joins_the_question_that_was_set(ann: MemoryOSMemory) -> None:
    ann.set(talk("one", "One.", "two"))
    ann.put(reply("Two."))
    assert pages(ann) == [["one", "One."], ["two", "Two."]]
    ann.set(talk("one", "One.", "two", "Two.", "three"))
    ann.put(reply("Three."))
    assert pages(ann) == [["one", "One."], ["two", "Two."], ["three", "Three."]]
    ann.set(talk("two", "Two.", "four"))
    ann.put(reply("Four."))
    assert pages(ann)[3:] == [["four", "Four."]]
    assert not any(page.open for page in ann.user.pages(session=True))


def test_plain_copies_of_rich_messages_are_known(ann: MemoryOSMemory) -> None:
    """Clients keep texts, not everything a provider said beside."""
    rich = [user("one", client="web"), reply("One.", usage={"tokens": 12345678901234567890}, model="x" * 80)]
    ann.put_messages(rich)
    ann.set(talk("one", "One."))
    assert pages(ann) == [["one", "One."]]
    assert [m.additional_kwargs for m in ann.get_all()] == [{}, {}]
    ann.set(talk("one", "One.", "two"))
    assert [text for page in pages(ann) for text in page] == ["one", "One.", "two"]


LONG = "a long word of the provider's, " * 4


def note_of(memory: MemoryOSMemory) -> str:
    notes = [memory.user.notes.get(space, memory.session_id) for space in memory.user.notes.namespaces()]
    return "".join(note.value for note in notes if note is not None)


def test_a_long_form_that_differs_is_a_message_of_its_own(ann: MemoryOSMemory) -> None:
    """Its text would stand in a note otherwise, where forgetting a page does not reach it."""
    ann.put_messages([user("one"), reply("One.", usage="few")])
    ann.set([user("one"), reply("One.", usage=LONG)])
    assert pages(ann) == [["one", "One."], ["One."]]
    assert [m.additional_kwargs for m in ann.get_all()] == [{}, {"usage": LONG}]
    assert note_of(ann)
    assert "provider" not in note_of(ann)
    assert len(note_of(ann)) < 300
    for _ in range(2):
        ann.set([user("one"), reply("One.", usage=LONG)])
    assert len(remembered(ann)) == 3


def test_of_two_that_say_the_same_the_one_of_the_same_form_is_taken(ann: MemoryOSMemory) -> None:
    twice = [user("ok", of=f"first {LONG}"), reply("A"), user("ok", of=f"second {LONG}"), reply("B")]
    ann.put_messages(twice)
    ann.set(twice[2:])
    assert ann.get_all() == twice[2:]
    assert pages(ann) == [["ok", "A"], ["ok", "B"]]
    first, second = ann.user.pages(session=True)
    ann.user.forget(pages=[first])
    assert ann.get_all() == twice[2:]
    ann.user.forget(pages=[second])
    assert ann.get_all() == []


def test_an_end_takes_the_note_away(ann: MemoryOSMemory) -> None:
    ann.put_messages(talk(*FOUR))
    ann.set(talk("two", "Two."))
    assert note_of(ann)
    ann.reset()
    assert note_of(ann) == ""


def test_a_long_conversation_that_was_set_is_not_read_from_its_beginning(
    ann: MemoryOSMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = talk(*(f"message {n}" for n in range(3000)))
    ann.put_messages(long)
    ann.set(long[2:])
    asked: list[int] = []
    real = UserMemory.pages

    def counting(handle: UserMemory, ids: Any = None, **kwargs: Any) -> Any:
        found = real(handle, ids, **kwargs)
        asked.append(len(found))
        return found

    monkeypatch.setattr(UserMemory, "pages", counting)
    small = ann.model_copy(update={"token_limit": 100})
    sent = small.get("message")
    assert lines(sent)[-1] == "assistant: message 2999"
    assert 0 < sum(asked) <= 600
    asked.clear()
    assert shown(ann) == lines(long[2:])
    assert sum(asked) == 1499


def test_tools_survive_a_set(ann: MemoryOSMemory) -> None:
    called = ScriptedLLM([calling("weather", city="Oslo")]).chat([]).message
    call_id = "call-0-0"
    exchange = [
        user("Weather?"),
        called,
        ChatMessage(role="tool", content="sun", additional_kwargs={"tool_call_id": call_id}),
        reply("Sun"),
    ]
    ann.put_messages(exchange)
    for conversation in (exchange, [*talk("new", "New."), *exchange], exchange):
        ann.set(conversation)
        assert ann.get_all() == conversation
        assert ann.get() == conversation
    assert len(remembered(ann)) == 6


def test_what_was_forgotten_leaves_a_conversation_that_was_set(ann: MemoryOSMemory) -> None:
    ann.put_messages(talk(*FOUR))
    ann.set(talk("two", "Two.", "one", "One."))
    first = ann.user.pages(session=True)[0]
    ann.forget(pages=[first])
    assert shown(ann) == lines(talk("two", "Two."))
    assert shown(MemoryOSMemory(memory=ann.memory, user_id="ann", session_id="other")) == []
    assert "one" not in str([m.content for m in ann.get("one")])
    ann.set(talk("one", "One."))  # said again
    assert remembered(ann)[-2:] == lines(talk("one", "One."))


@pytest.mark.parametrize("how", ["session", "everything"])
def test_forgetting_empties_a_conversation_that_was_set(ann: MemoryOSMemory, how: str) -> None:
    ann.put_messages(talk(*FOUR))
    ann.set(talk("two", "Two.", "one", "One.", "three"))
    ann.forget(session=how == "session", everything=how == "everything")
    assert [*ann.get_all(), *ann.get("two"), *remembered(ann)] == []
    ann.put(user("again"))
    assert shown(ann) == ["user: again"]


def test_the_end_of_a_conversation_forgets_nothing(ann: MemoryOSMemory) -> None:
    ann.put_messages(talk(*FOUR))
    ann.set(talk("two", "Two.", "one"))
    ann.reset()
    ann.reset()
    assert shown(ann) == []
    assert len(remembered(ann)) == 4
    assert ann.get("two") == []
    elsewhere = MemoryOSMemory(memory=ann.memory, user_id="ann", session_id="t")
    assert "Two." in str(elsewhere.get("Which number comes after one, is it two?")[0].content)
    ann.put(user("three"))
    assert shown(ann) == ["user: three"]
    ann.set([*talk(*FOUR), user("three")])
    assert len(remembered(ann)) == 5


def test_a_message_that_cannot_be_kept_changes_nothing(ann: MemoryOSMemory) -> None:
    ann.put_messages(talk(*FOUR))
    calls: list[Callable[[], None]] = [
        lambda: ann.put("text"),  # type: ignore[arg-type]
        lambda: ann.put_messages([user("x"), None]),
        lambda: ann.put_messages("text"),
        lambda: ann.set([user("x"), {"role": "user"}]),
        lambda: ann.set(None),
    ]
    for call in calls:
        with pytest.raises(InvalidInputError, match="ChatMessage"):
            call()
    ann.put_messages([])
    assert shown(ann) == remembered(ann) == lines(talk(*FOUR))


# ------------------------------------------------------------------------------------------ a store that fails


class Faults:
    """Makes a verb of the core fail, before or after what it does."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self._patch = patch

    def at(self, owner: type, verb: str, when: str, call: int = 0) -> None:
        real, calls = getattr(owner, verb), iter(range(1_000_000))

        def failing(*args: Any, **kwargs: Any) -> Any:
            now = next(calls) == call
            if now and when == "before":
                raise StoreError("no disk")
            result = real(*args, **kwargs)
            if now:
                raise StoreError("the answer got lost")
            return result

        self._patch.setattr(owner, verb, failing)

    def over(self) -> None:
        self._patch.undo()


@pytest.fixture
def faults(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> Iterator[Faults]:
    caplog.set_level(logging.CRITICAL)
    yield Faults(monkeypatch)
    monkeypatch.undo()


WRITES = [
    (UserMemory, "add_messages", 0),
    (UserMemory, "add_messages", 1),
    (UserMemory, "end_session", 0),
    (UserMemory, "end_session", 1),
    (UserMemory, "pages", 0),
    (UserMemory, "transcript", 0),
    (Notes, "write", 0),
    (Notes, "get", 0),
]
POINTS = [pytest.param(*w, when, id=f"{w[1]}-{w[2]}-{when}") for w in WRITES for when in ("before", "after")]


@pytest.mark.parametrize(("owner", "verb", "call", "when"), POINTS)
def test_a_put_that_fails_is_written_once_with_the_next(
    ann: MemoryOSMemory, faults: Faults, owner: type, verb: str, call: int, when: str
) -> None:
    ann.put_messages(talk("one", "One."))
    faults.at(owner, verb, when, call)
    ann.put(user("two"))
    ann.put(reply("Two."))
    assert shown(ann) == lines(talk(*FOUR))
    faults.over()
    ann.put(user("three"))
    assert shown(ann) == remembered(ann) == lines(talk(*FOUR, "three"))


@pytest.mark.parametrize("case", ["longer", "shorter", "a new end", "new between known", "another order"])
@pytest.mark.parametrize(("owner", "verb", "call", "when"), POINTS)
def test_a_set_that_fails_is_done_with_the_next_put(
    ann: MemoryOSMemory, faults: Faults, owner: type, verb: str, call: int, when: str, case: str
) -> None:
    wanted, learnt = SETS[case]
    ann.put_messages(talk(*FOUR))
    faults.at(owner, verb, when, call)
    ann.set(talk(*wanted))
    faults.over()
    assert shown(ann) == lines(talk(*wanted))
    ann.put(user("end"))
    assert shown(ann) == lines([*talk(*wanted), user("end")])
    assert Counter(text for page in pages(ann) for text in page) == Counter([*learnt, "end"])


@pytest.mark.parametrize(("owner", "verb", "call", "when"), [p for p in POINTS if "pages" not in str(p.id)])
def test_an_end_that_fails_says_so_and_can_be_asked_for_again(
    ann: MemoryOSMemory, faults: Faults, owner: type, verb: str, call: int, when: str
) -> None:
    ann.put_messages(talk(*FOUR))
    ann.set(talk("two", "Two.", "one"))
    faults.at(owner, verb, when, call)
    try:
        ann.reset()
    except StoreError:
        faults.over()
        assert shown(ann) in (lines(talk("two", "Two.", "one")), [])
        ann.reset()
    faults.over()
    assert shown(ann) == []
    assert Counter(remembered(ann)) == Counter(lines(talk(*FOUR)))


def test_a_store_that_is_down_for_long(ann: MemoryOSMemory, faults: Faults, monkeypatch: pytest.MonkeyPatch) -> None:
    def down(*_: object, **__: object) -> None:
        raise StoreError("no disk")

    ann.put_messages(talk("one", "One."))
    for owner, verb, _ in WRITES:
        monkeypatch.setattr(owner, verb, down)
    monkeypatch.setattr(UserMemory, "messages", down)
    monkeypatch.setattr(UserMemory, "recall", down)
    ann.put_messages(talk("two", "Two."))
    assert shown(ann) == lines(talk(*FOUR))
    assert lines(ann.get("two")) == lines(talk(*FOUR))
    ann.set(talk("two", "Two.", "three"))
    ann.put(reply("Three."))
    assert shown(ann) == lines(talk("two", "Two.", "three", "Three."))
    other = MemoryOSMemory(memory=ann.memory, user_id="ann", session_id="s")
    assert shown(other) == shown(ann)
    bob = MemoryOSMemory(memory=ann.memory, user_id="bob", session_id="s")
    assert shown(bob) == []
    with pytest.raises(StoreError):
        ann.reset()
    monkeypatch.undo()
    assert shown(ann) == lines(talk("two", "Two.", "three", "Three."))
    ann.put(user("four"))
    assert shown(ann) == lines(talk("two", "Two.", "three", "Three.", "four"))
    assert Counter(text for page in pages(ann) for text in page) == Counter([*FOUR, "three", "Three.", "four"])


def test_an_unusable_message_that_waits_does_not_keep_the_others(ann: MemoryOSMemory, faults: Faults) -> None:
    faults.at(UserMemory, "add_messages", "before")
    ann.put(user("one"))
    faults.over()
    with pytest.raises(InvalidInputError):
        ann.put("no message")  # type: ignore[arg-type]
    ann.put(reply("One."))
    assert remembered(ann) == lines(talk("one", "One."))


# ------------------------------------------------------------------------------------------ side by side


def test_threads_that_put_at_once_lose_and_repeat_nothing(memory: MemoryOS) -> None:
    def put(number: int) -> None:
        MemoryOSMemory(memory=memory, user_id="ann", session_id="s").put(user(f"{number}"))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(put, range(64)))
    ann = MemoryOSMemory(memory=memory, user_id="ann", session_id="s")
    assert sorted(shown(ann)) == sorted(f"user: {n}" for n in range(64))
    assert sorted(remembered(ann)) == sorted(shown(ann))


def test_what_another_process_says_is_seen(ann: MemoryOSMemory, path: str, tmp_path: Path) -> None:
    ann.put_messages(talk(*FOUR))
    assert len(ann.get_all()) == 4
    code = f"""
from llama_index.core.base.llms.types import ChatMessage
from memoryos_core import MemoryOS
from memoryos_llamaindex.memory import MemoryOSMemory
with MemoryOS({path!r}, embedder=None) as memory:
    ann = MemoryOSMemory(memory=memory, user_id="ann", session_id="s")
    ann.set([ann.get_all()[2], ann.get_all()[3], ChatMessage(role="user", content="three")])
"""
    elsewhere(code, tmp_path)
    ann.put(reply("Three."))
    assert shown(ann) == lines(talk("two", "Two.", "three", "Three."))
    assert pages(ann) == [["one", "One."], ["two", "Two."], ["three", "Three."]]


# ------------------------------------------------------------------------------------------ as a list would have it

MESSAGES = st.lists(st.tuples(st.sampled_from(["user", "assistant", "system"]), st.sampled_from("abc")), max_size=5)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("put"), MESSAGES),
        st.tuples(st.just("set"), MESSAGES),
        st.tuples(st.just("grow"), MESSAGES),
        st.tuples(st.just("reset"), st.just([])),
    ),
    max_size=8,
)


@settings(max_examples=60)
@given(steps=STEPS)
def test_a_conversation_is_what_a_list_would_be(steps: list[tuple[str, list[tuple[str, str]]]]) -> None:
    with MemoryOS("sqlite://", embedder=None, config=MANUAL) as memory:
        ann = MemoryOSMemory(memory=memory, user_id="ann", session_id="s")
        model: list[tuple[str, str]] = []
        said: Counter[tuple[str, str]] = Counter()
        for verb, messages in steps:
            given_ = [ChatMessage(role=role, content=text) for role, text in (model if verb == "grow" else [])]
            given_ += [ChatMessage(role=role, content=text) for role, text in messages]
            if verb == "put":
                ann.put_messages(given_)
                model, said = [*model, *messages], said + Counter(messages)
            elif verb == "reset":
                ann.reset()
                model = []
            else:
                ann.set(given_)
                model = [*model, *messages] if verb == "grow" else messages
                said |= Counter(model)  # what is remembered stands for it, each message for one
            assert [(m.role.value, m.content) for m in ann.get_all()] == model
            learnt = Counter((m.role, m.text) for page in ann.user.pages() for m in page.messages)
            assert learnt == said
