"""The block by itself: what it takes, what it gives, what it learns, and that nothing of it is ever raised."""

from __future__ import annotations

import asyncio
import copy
import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timezone
from typing import Any
from uuid import UUID

import pytest
from blockbuster import BlockBuster
from llama_index.core.base.llms.types import ChatMessage, ImageBlock, TextBlock
from llama_index.core.instrumentation.event_handlers import BaseEventHandler
from llama_index.core.instrumentation.events import BaseEvent
from llama_index.core.memory.memory import BaseMemoryBlock
from llama_index.core.utils import get_tokenizer
from llama_index_instrumentation import get_dispatcher
from pydantic import PrivateAttr

from memoryos_core import AsyncMemoryOS, InvalidInputError, MemoryConfig, MemoryOS, Message, StoreError, WorkerConfig
from memoryos_llamaindex import block as block_module
from memoryos_llamaindex.block import MemoryOSMemoryBlock
from memoryos_llamaindex.block_learning import Learning
from memoryos_llamaindex.block_turns import count_turns, give_ids, ids_when_learnt, news, rejoin_turn, turns
from memoryos_llamaindex.messages import to_core

TORTOISE = "My tortoise is called Archimedes"
QUESTION = "What is my tortoise called?"


class Events(BaseEventHandler):
    """Keeps what LlamaIndex's dispatcher shows of ours."""

    _seen: list[BaseEvent] = PrivateAttr(default_factory=list)

    def handle(self, event: BaseEvent, **kwargs: Any) -> None:
        if type(event).__module__ == "memoryos_llamaindex.events":
            self._seen.append(event)

    def names(self) -> list[str]:
        return [type(event).__name__.removeprefix("MemoryOS").removesuffix("Event") for event in self._seen]

    def errors(self) -> list[tuple[str, str, str]]:
        found: list[Any] = [event for event in self._seen if hasattr(event, "error")]
        return [(event.user_id, event.action, event.error) for event in found]


@pytest.fixture
def events() -> Iterator[Events]:
    handler = Events()
    root = get_dispatcher()
    root.add_event_handler(handler)
    yield handler
    root.event_handlers.remove(handler)


@pytest.fixture
def seeded(memory: MemoryOS) -> MemoryOS:
    memory.user("ann", session_id="long ago").add(TORTOISE, "A fine name")
    memory.user("bob", session_id="long ago").add("My tortoise is called Gallop", "Ironic")
    return memory


def said(*texts: str) -> list[ChatMessage]:
    """The user and the assistant in turn."""
    return [ChatMessage(role="assistant" if i % 2 else "user", content=text) for i, text in enumerate(texts)]


def core(*texts: str) -> list[Message]:
    return [to_core(m) for m in said(*texts)]


def kept(memory: MemoryOS, user: str = "ann", session: str = "s") -> list[str]:
    return [m.text for page in memory.user(user, session_id=session).pages(session=True) for m in page.messages]


def recalls(memory: MemoryOS, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The questions that a store is really asked, from here on."""
    asked: list[str] = []
    real = type(memory.user("ann")).recall

    def recall(self: Any, query: str, **kwargs: Any) -> Any:
        asked.append(query)
        return real(self, query, **kwargs)

    monkeypatch.setattr(type(memory.user("ann")), "recall", recall)
    return asked


def refusing(monkeypatch: pytest.MonkeyPatch, verb: str) -> Callable[[], None]:
    """A store in which one verb of a user's fails; the callable repairs it."""
    user = type(MemoryOS("sqlite://", embedder=None).user("x"))
    real = getattr(user, verb)

    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise StoreError("secret words of the database")

    monkeypatch.setattr(user, verb, refuse)
    return lambda: monkeypatch.setattr(user, verb, real)


# ---------------------------------------------------------------------------------------------------------- making one


def test_it_is_a_block_and_shows_no_memory(memory: MemoryOS) -> None:
    block = MemoryOSMemoryBlock(memory, user_id="ann")
    assert isinstance(block, BaseMemoryBlock)
    assert (block.name, block.priority, block.assistant_id, block.learn) == ("memoryos", 1, "assistant", "flush")
    assert block.accept_short_term_memory
    assert "memory" not in block.model_dump()
    assert "MemoryOS object" not in repr(block)


def test_manual_learning_takes_nothing_that_is_flushed(memory: MemoryOS) -> None:
    assert not MemoryOSMemoryBlock(memory, user_id="ann", learn="manual").accept_short_term_memory
    assert not MemoryOSMemoryBlock(memory, user_id="ann", accept_short_term_memory=False).accept_short_term_memory


@pytest.mark.parametrize(
    "wrong",
    [
        {"user_id": ""}, {"user_id": True}, {"user_id": ["secret"]}, {"user_id": "secret" * 100}, {"session_id": " "},
        {"assistant_id": None}, {"memory": "secret.db"}, {"memory": None}, {"budget_tokens": 0},
        {"budget_tokens": True}, {"name": ["secret"]}, {"priority": "secret"}, {"learn": "secret"},
    ],
)  # fmt: skip
def test_what_cannot_be_used_is_refused_and_never_quoted(memory: MemoryOS, wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidInputError) as refused:
        MemoryOSMemoryBlock(**{"memory": memory, "user_id": "ann", **wrong})
    assert next(iter(wrong)) in str(refused.value)
    assert "secret" not in str(refused.value)


def test_an_async_memory_is_refused(memory: MemoryOS) -> None:
    with pytest.raises(InvalidInputError, match="AsyncMemoryOS"):
        MemoryOSMemoryBlock(AsyncMemoryOS.of(memory))  # type: ignore[arg-type]


@pytest.mark.parametrize("id", [7, UUID(int=7)])
async def test_ids_may_be_numbers_and_uuids(memory: MemoryOS, id: int | UUID) -> None:
    await MemoryOSMemoryBlock(memory, user_id=id, assistant_id=id, session_id=id).aput(said("Q", "A"))
    assert len(memory.user(str(id), assistant_id=str(id), session_id=str(id)).transcript()) == 2


async def test_a_copy_knows_what_was_learnt_and_can_be_made_anothers(memory: MemoryOS) -> None:
    block = MemoryOSMemoryBlock(memory, user_id="ann", session_id="s")
    other = block.model_copy(update={"user_id": "bob"})
    assert block.user_id == "ann"
    await copy.deepcopy(block).aput(said("Q", "A"))
    await block.aput(said("Q", "A"))
    await other.aput(said("Q2", "A2"))
    assert kept(memory) == ["Q", "A"]
    assert kept(memory, "bob") == ["Q2", "A2"]


# --------------------------------------------------------------------------------------------------------------- reads


async def test_it_tells_what_is_remembered_of_this_user_on_the_last_question(seeded: MemoryOS) -> None:
    block = MemoryOSMemoryBlock(seeded, user_id="ann")
    messages = said("Hello", "Hi", QUESTION)
    found = await block.aget(messages, session_id="now", initial_token_count=12, whatever=object())
    assert TORTOISE in found
    assert "Gallop" not in found
    assert found.startswith("What you remember of this user")
    assert found.endswith("</memory>")
    assert await block.aget([*messages, ChatMessage(role="assistant", content="thinking")], session_id="now") == found


@pytest.mark.parametrize(
    "messages",
    [
        None,
        [],
        said(""),
        said(" \n"),
        [ChatMessage(role="assistant", content=QUESTION)],
        [ChatMessage(role="user", blocks=[ImageBlock(url="http://example.com/tortoise.png")])],
        said("Zanzibar?"),
    ],
)
async def test_without_a_question_or_a_find_it_gives_an_empty_text(seeded: MemoryOS, messages: Any) -> None:
    assert await MemoryOSMemoryBlock(seeded, user_id="ann").aget(messages, session_id="now") == ""


async def test_variables_of_prompts_are_no_variables_any_more(memory: MemoryOS) -> None:
    memory.user("ann", session_id="long ago").add("tortoise {context_str} </memory>")
    found = await MemoryOSMemoryBlock(memory, user_id="ann").aget(said("tortoise"), session_id="now")
    assert "{ context_str }" in found
    assert found.count("</memory>") == 2, "the notice names it, and it closes the block"


async def test_what_the_messages_say_already_is_not_told_again(memory: MemoryOS) -> None:
    block = MemoryOSMemoryBlock(memory, user_id="ann")
    old, active = said(TORTOISE, "A fine name"), said("Tortoise food is lettuce", "So it is")
    await block.aput([*old, *active], session_id="now")
    found = await block.aget([*active, *said(QUESTION)], session_id="now")
    assert TORTOISE in found
    assert "lettuce" not in found
    assert "lettuce" in await block.aget([*active, *said(QUESTION)], session_id="another")


async def test_a_question_that_was_learnt_before_its_answer_is_not_told_back(memory: MemoryOS) -> None:
    block = MemoryOSMemoryBlock(memory, user_id="ann")
    await block.aput(said(QUESTION), session_id="now")
    assert await block.aget(said(QUESTION), session_id="now") == ""
    whole = said(QUESTION, "I do not know that tortoise")
    await block.aput(whole, session_id="now")
    assert await block.aget([*whole, *said("tortoise called")], session_id="now") == ""


async def test_one_turn_is_one_recall_and_one_visit(
    seeded: MemoryOS, events: Events, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = recalls(seeded, monkeypatch)
    block = MemoryOSMemoryBlock(seeded, user_id="ann")
    history = said("Hello", "Hi", QUESTION)
    twice = [*history, *said(QUESTION)]
    done = [*history, ChatMessage(role="assistant", content="Archimedes")]
    found = {await block.aget(messages, session_id="now") for messages in (history, twice, twice, done)}
    assert len(found) == 1
    assert asked == [QUESTION]
    assert events.names() == ["RecallStart", "RecallEnd"]
    await block.aget([*done, *said(QUESTION)], session_id="now")
    assert asked == [QUESTION] * 2, "the same question in another turn is another visit"


async def test_reads_at_once_are_one_recall(seeded: MemoryOS, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = recalls(seeded, monkeypatch)
    block = MemoryOSMemoryBlock(seeded, user_id="ann")
    found = await asyncio.gather(*(block.aget(said(QUESTION), session_id="now") for _ in range(20)))
    assert len(set(found)) == 1
    assert asked == [QUESTION]


async def test_a_put_in_between_is_seen(memory: MemoryOS) -> None:
    block = MemoryOSMemoryBlock(memory, user_id="ann")
    assert await block.aget(said(QUESTION), session_id="now") == ""
    await block.aput(said(TORTOISE, "A fine name"), session_id="now")
    assert TORTOISE in await block.aget(said(QUESTION), session_id="now")


async def test_what_was_forgotten_is_not_told_again(seeded: MemoryOS) -> None:
    block = MemoryOSMemoryBlock(seeded, user_id="ann")
    assert TORTOISE in await block.aget(said(QUESTION), session_id="now")
    seeded.user("ann").forget(everything=True)
    assert await block.aget(said(QUESTION), session_id="now") == ""
    fact = seeded.user("ann").remember("The tortoise is called Archie")
    assert "Archie" in await block.aget(said(QUESTION), session_id="now")
    seeded.user("ann").forget(facts=[fact])
    assert await block.aget(said(QUESTION), session_id="now") == ""


async def test_users_and_sessions_are_apart(memory: MemoryOS) -> None:
    block = MemoryOSMemoryBlock(memory)
    await block.aput(said(TORTOISE, "A fine name"), session_id="one")
    assert TORTOISE in await block.aget(said(QUESTION), session_id="one")
    assert await block.aget(said(QUESTION), session_id="two") == "", "a session of nobody known is its own user"
    assert kept(memory, "session:one", "one") == [TORTOISE, "A fine name"]
    ann, bob = (MemoryOSMemoryBlock(memory, user_id=user) for user in ("ann", "bob"))
    await ann.aput(said(TORTOISE, "A fine name"), session_id="one")
    assert TORTOISE in await ann.aget(said(QUESTION), session_id="two")
    assert await bob.aget(said(QUESTION), session_id="one") == ""


async def test_a_session_of_its_own_comes_before_that_of_the_call(memory: MemoryOS) -> None:
    await MemoryOSMemoryBlock(memory, user_id="ann", session_id="s").aput(said("Q", "A"), session_id="other")
    assert kept(memory) == ["Q", "A"]
    await MemoryOSMemoryBlock(memory, user_id="bob").aput(said("Q", "A"))
    assert kept(memory, "bob", "default") == ["Q", "A"]


async def test_the_budget_bounds_what_is_recalled(memory: MemoryOS) -> None:
    user = memory.user("ann", session_id="long ago")
    for place in range(30):
        user.add(f"The tortoise ate lettuce number {place} in the garden this morning")
    found = [
        await MemoryOSMemoryBlock(memory, user_id="ann", budget_tokens=budget).aget(said("tortoise lettuce"))
        for budget in (100, 2000)
    ]
    assert 1 <= found[0].count("lettuce number") < found[1].count("lettuce number")


async def test_reading_and_learning_never_block_the_loop(seeded: MemoryOS) -> None:
    block = MemoryOSMemoryBlock(seeded, user_id="ann")
    await block.aget(said("warm up"), session_id="now")
    guard = BlockBuster()
    guard.activate()
    try:
        found = await block.aget(said(QUESTION), session_id="now")
        await block.aput(said("I feed it lettuce", "Good"), session_id="now")
    finally:
        guard.deactivate()
    assert TORTOISE in found
    assert kept(seeded, session="now") == ["I feed it lettuce", "Good"]


# -------------------------------------------------------------------------------------------------------------- writes


async def test_the_messages_given_are_not_changed_and_the_session_is_not_stored(memory: MemoryOS) -> None:
    messages = said("Q", "A")
    await MemoryOSMemoryBlock(memory, user_id="ann").aput(messages, session_id="s")
    assert [m.additional_kwargs for m in messages] == [{"session_id": "s"}] * 2, "LlamaIndex's own note stays"
    stored = memory.user("ann", session_id="s").transcript()
    assert [m.text for m in stored] == ["Q", "A"]
    assert not any("session_id" in (m.payload or "") for m in stored)


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 8])
async def test_each_message_is_learnt_once_however_the_stream_is_cut(memory: MemoryOS, size: int) -> None:
    texts = ["Hi", "Hello", "Yes", "Then", "Go on", "I do", "Yes", "Else", "Why?", "So"]
    for _ in range(2):
        block = MemoryOSMemoryBlock(memory, user_id="ann")
        messages = said(*texts)
        for start in range(0, len(messages), size):
            await block.aput(messages[start : start + size], session_id="s")
        await block.aput(said(*texts), session_id="s")
    assert kept(memory) == texts
    pages = memory.user("ann", session_id="s").pages(session=True)
    assert [len(page.messages) for page in pages] == [2] * 5, "a question and its answer are one page"


async def test_two_blocks_and_another_door_learn_a_turn_once(memory: MemoryOS, path: str) -> None:
    user = memory.user("ann", session_id="s")
    user.add_messages(core("Through the other door", "Yes"))
    messages = said("Through the other door", "Yes", "New", "Indeed")
    await MemoryOSMemoryBlock(memory, user_id="ann").aput(messages, session_id="s")
    with MemoryOS(path, embedder=None, config=MemoryConfig(worker=WorkerConfig(mode="manual"))) as again:
        await MemoryOSMemoryBlock(again, user_id="ann").aput(messages, session_id="s")
    assert kept(memory) == ["Through the other door", "Yes", "New", "Indeed"]


def test_many_threads_with_blocks_of_their_own_learn_a_turn_once(
    memory: MemoryOS, caplog: pytest.LogCaptureFixture
) -> None:
    texts = [f"{who} {i}" for i in range(20) for who in ("question", "answer")]
    start = threading.Barrier(6)

    def learn() -> None:
        block = MemoryOSMemoryBlock(memory, user_id="ann")
        start.wait(60)
        for i in range(0, len(texts), 2):
            asyncio.run(block.aput(said(*texts[i : i + 2]), session_id="s"))  # noqa: TID251 - a loop of each thread's

    threads = [threading.Thread(target=learn) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(240)
    assert not any(thread.is_alive() for thread in threads)
    assert [r.getMessage() for r in caplog.records if r.levelno >= logging.ERROR] == []
    assert sorted(kept(memory)) == sorted(texts)


async def test_what_was_forgotten_is_not_learnt_again(memory: MemoryOS) -> None:
    block = MemoryOSMemoryBlock(memory, user_id="ann")
    await block.aput(said("Secret", "Hush", "Other", "Yes"), session_id="s")
    first = memory.user("ann", session_id="s").pages(session=True)[0]
    memory.user("ann", session_id="s").forget(pages=[first])
    await block.aput(said("Secret", "Hush", "Other", "Yes"), session_id="s")
    assert kept(memory) == ["Other", "Yes"]


async def test_what_was_forgotten_and_is_handed_to_another_block_counts_as_said_again(memory: MemoryOS) -> None:
    """The store keeps nothing by which a forgotten text could be known, not even a digest."""
    await MemoryOSMemoryBlock(memory, user_id="ann").aput(said("Secret", "Hush"), session_id="s")
    memory.user("ann", session_id="s").forget(session=True)
    await MemoryOSMemoryBlock(memory, user_id="ann").aput(said("Secret", "Hush"), session_id="s")
    assert kept(memory) == ["Secret", "Hush"]


# ------------------------------------------------------------------------------------------------------------ failures


async def test_a_failing_recall_is_reported_once_a_turn_and_gives_nothing(
    seeded: MemoryOS, events: Events, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    block = MemoryOSMemoryBlock(seeded, user_id="ann")
    repair = refusing(monkeypatch, "recall")
    for _ in range(3):
        assert await block.aget(said(QUESTION), session_id="now") == ""
    assert events.errors() == [("ann", "recall", "StoreError")]
    assert "StoreError" in caplog.text
    assert "secret" not in caplog.text
    repair()
    assert TORTOISE in await block.aget(said("Hi", "Hello", QUESTION), session_id="now")


class Broken:
    """An embedder that does not answer."""

    name = "broken"
    dimension = 4

    semantic = True

    def embed_documents(self, texts: Sequence[str]) -> Any:
        raise RuntimeError("secret: the model is gone")

    def embed_query(self, text: str) -> Any:
        raise RuntimeError("secret: the model is gone")


async def test_a_failing_embedder_ends_no_conversation(path: str, events: Events) -> None:
    config = MemoryConfig(worker=WorkerConfig(mode="manual"))
    with MemoryOS(path, embedder=Broken(), config=config) as memory:
        block = MemoryOSMemoryBlock(memory, user_id="ann")
        await block.aput(said(TORTOISE, "A fine name"), session_id="s")
        assert isinstance(await block.aget(said(QUESTION), session_id="now"), str)
        assert kept(memory) == [TORTOISE, "A fine name"]
    assert "put" not in [action for _, action, _ in events.errors()]


async def test_what_the_store_refuses_is_kept_in_order_and_written_later(
    memory: MemoryOS, events: Events, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    block = MemoryOSMemoryBlock(memory, user_id="ann")
    repair = refusing(monkeypatch, "add_messages")
    await block.aput(said("Q1", "A1"), session_id="s")
    await block.aput(said("Q2"), session_id="s")
    await block.aput([ChatMessage(role="assistant", content="A2")], session_id="s")
    await block.aput(said("Q1", "A1"), session_id="s")
    await block.aput(said("Elsewhere", "Yes"), session_id="t")
    assert kept(memory) == kept(memory, session="t") == []
    assert set(events.errors()) == {("ann", "put", "StoreError")}
    assert "secret" not in caplog.text
    repair()
    await block.aput(said("Third", "Here"), session_id="u")
    assert kept(memory) == ["Q1", "A1", "Q2", "A2"]
    assert kept(memory, session="t") == ["Elsewhere", "Yes"]
    assert kept(memory, session="u") == ["Third", "Here"]


async def test_a_write_that_was_cancelled_in_line_is_made_with_the_next(
    memory: MemoryOS, monkeypatch: pytest.MonkeyPatch
) -> None:
    block = MemoryOSMemoryBlock(memory, user_id="ann")

    async def cancelled(*args: Any) -> None:
        raise asyncio.CancelledError

    with monkeypatch.context() as patched:
        patched.setattr(block_module, "off_loop", cancelled)
        with pytest.raises(asyncio.CancelledError):
            await block.aput(said("Q1", "A1"), session_id="s")
    await block.aput(said("Q2", "A2"), session_id="s")
    assert kept(memory) == ["Q1", "A1", "Q2", "A2"]


async def test_a_memory_that_was_closed_ends_no_conversation(path: str, events: Events) -> None:
    memory = MemoryOS(path, embedder=None)
    block = MemoryOSMemoryBlock(memory, user_id="ann")
    memory.close()
    assert await block.aget(said(QUESTION), session_id="s") == ""
    await block.aput(said("Q", "A"), session_id="s")
    assert events.errors() == [("ann", "recall", "ClosedError"), ("ann", "put", "ClosedError")]


async def test_a_conversation_of_nobody_has_no_memory(
    memory: MemoryOS, events: Events, caplog: pytest.LogCaptureFixture
) -> None:
    block = MemoryOSMemoryBlock(memory)
    await block.aput(said("Q", "A"))
    assert await block.aget(said("Q")) == ""
    assert await block.aget(said("Q"), session_id="x" * 600) == ""
    assert [(action, error) for _, action, error in events.errors()] == [
        ("put", "InvalidInputError"),
        ("recall", "InvalidInputError"),
        ("recall", "InvalidInputError"),
    ]
    assert memory.users() == []
    assert all(record.levelno == logging.ERROR for record in caplog.records)


async def test_what_is_no_message_is_left_out_and_the_rest_learnt(memory: MemoryOS, events: Events) -> None:
    odd: Any = ChatMessage(role="user", content="odd").model_copy(update={"blocks": 7})
    await MemoryOSMemoryBlock(memory, user_id="ann").aput([*said("Q", "A"), odd], session_id="s")
    assert kept(memory)[:2] == ["Q", "A"]
    nothing: Any = ["text", None]
    await MemoryOSMemoryBlock(memory, user_id="ann").aput(nothing)
    assert await MemoryOSMemoryBlock(memory, user_id="ann").aget(nothing, session_id="s") == ""
    assert ("ann", "put") in [(user, action) for user, action, _ in events.errors()]


# ---------------------------------------------------------------------------------------------------------- truncation


def counted(text: str) -> int:
    return len(get_tokenizer()(text))


@pytest.fixture
async def recalled(memory: MemoryOS) -> str:
    user = memory.user("ann", session_id="long ago")
    for place in range(8):
        user.add(f"The tortoise ate lettuce number {place} in the garden", f"Lettuce {place} is good for a tortoise")
    for thing in ("radish", "carrot"):
        user.remember(f"The tortoise likes {thing}")
    return await MemoryOSMemoryBlock(memory, user_id="ann").aget(said("tortoise lettuce"), session_id="now")


@pytest.mark.parametrize("content", ["", [], None])
async def test_nothing_is_truncated_to_nothing(memory: MemoryOS, content: Any) -> None:
    assert await MemoryOSMemoryBlock(memory, user_id="ann").atruncate(content, 10) is None


async def test_truncation_saves_what_is_asked_and_keeps_the_frame(memory: MemoryOS, recalled: str) -> None:
    block = MemoryOSMemoryBlock(memory, user_id="ann")
    sizes: list[int] = []
    for tokens in range(1, counted(recalled) + 20, 7):
        left = await block.atruncate(recalled, tokens)
        if left is None:
            sizes.append(0)
            continue
        assert counted(left) <= counted(recalled) - tokens
        assert left.endswith("\n</memory>")
        assert left.split("\n<memory>\n")[0] == recalled.split("\n<memory>\n")[0]
        assert set(left.split("\n")) <= set(recalled.split("\n"))
        assert "ate" in left or "radish" in left, "never a frame with nothing in it"
        sizes.append(len(left))
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > 0
    assert sizes[-1] == 0
    assert len(set(sizes)) > 4
    assert await block.atruncate(recalled, 0) == recalled


async def test_truncation_leaves_out_whole_hits_the_worst_first(memory: MemoryOS) -> None:
    """The best hit is the oldest, and what one message says over several lines stays together."""
    user = memory.user("ann", session_id="long ago")
    never = "Never give the tortoise Archimedes:\n- avocado\n- rhubarb"
    user.add(never, timestamp=datetime(2024, 1, 1, tzinfo=timezone.utc))
    for place in range(8):
        user.add(f"The tortoise ate lettuce number {place} in the garden")
    question = "What must I never give the tortoise Archimedes?"
    ranked = [hit.text for hit in user.recall(question, include_recent=False).hits]
    assert "avocado" in ranked[0]
    block = MemoryOSMemoryBlock(memory, user_id="ann")
    recalled = await block.aget(said(question), session_id="now")
    counts: list[int] = []
    for tokens in range(0, counted(recalled), 5):
        left = await block.atruncate(recalled, tokens) or ""
        kept = [text for text in ranked if text.replace("\n", "\n  ") in left or text in left]
        assert kept == ranked[: len(kept)], "the worst go first"
        assert ("avocado" in left, "rhubarb" in left) == ("Never give" in left,) * 2
        counts.append(len(kept))
    assert set(counts) == set(range(len(ranked) + 1)), "one by one"


async def test_what_is_no_recall_of_ours_is_given_up(memory: MemoryOS) -> None:
    assert await MemoryOSMemoryBlock(memory, user_id="ann").atruncate("another text", 1) is None


# --------------------------------------------------------------------------------------------------------------- turns


def test_a_turn_begins_with_the_user_and_instructions_are_left_out() -> None:
    system = Message("system", "Be brief")
    a, b, c = core("Hi", "Hello", "Bye")
    assert turns([system, b, a, system, b, c]) == ((b,), (a, b), (c,))
    assert turns([Message("user", " ")]) == ()
    assert turns([]) == ()


def test_ids_are_the_same_for_the_same_turn_alone() -> None:
    def ids(*texts: str) -> list[str | None]:
        return [m.id for m in give_ids(tuple(core(*texts)))]

    assert ids("Yes", "So") == ids("Yes", "So")
    assert len({*ids("Yes", "So"), *ids("Yes", "No"), *ids("Yes")}) == 5
    image = Message("user", "Look", payload="one")
    assert give_ids((image,))[0].id != give_ids((Message("user", "Look", payload="two"),))[0].id


def test_what_begins_in_the_midst_of_a_turn_goes_on_with_the_one_before() -> None:
    a, b, c = core("Hi", "Hello", "Bye")
    assert rejoin_turn((a,), [b, c]) == (a, b, c)
    assert rejoin_turn((a,), [c]) == (c,)
    assert rejoin_turn((a,), []) == ()
    assert rejoin_turn((), [b]) == (b,)


def test_the_same_short_word_in_two_turns_is_learnt_in_both(memory: MemoryOS) -> None:
    user = memory.user("ann", session_id="s")
    user.add_messages(core("Yes", "First"))
    new = news(count_turns(turns(core("Yes", "First", "Yes", "Second"))), user.pages(session=True))
    assert [m.text for m in new] == ["Yes", "Second"]


def test_a_turn_that_goes_on_brings_its_rest_only(memory: MemoryOS) -> None:
    user = memory.user("ann", session_id="s")
    user.add_messages(core("Hi", "Hello", "Well?"))
    new = news(count_turns(turns(core("Hi", "Hello", "Well?", "Fine"))), user.pages(session=True))
    assert [m.text for m in new] == ["Fine"]
    assert news(count_turns(turns(core("Hi", "Hello", "Well?"))), user.pages(session=True)) == ()


def test_pictures_are_told_apart(memory: MemoryOS) -> None:
    def look(url: str) -> Message:
        return to_core(ChatMessage(role="user", blocks=[TextBlock(text=" "), ImageBlock(url=url)]))

    one, two = look("http://example.com/1.png"), look("http://example.com/2.png")
    assert len(news(count_turns(turns([one, two])), ())) == 2


def test_a_greeting_is_learnt_once(memory: MemoryOS) -> None:
    greeting = to_core(ChatMessage(role="assistant", content="How can I help?"))
    user = memory.user("ann", session_id="s")
    user.add_messages([greeting, *core("Hi", "Hello")])
    assert news(count_turns(turns([greeting])), user.pages(session=True)) == ()
    user.add_messages(core("And?", "How can I help?"))
    assert (
        news(
            count_turns(turns([to_core(ChatMessage(role="assistant", content="How can I help?"))])),
            user.pages(session=True),
        )
        == ()
    )
    for _ in range(2):
        user.add_messages(
            news(count_turns(turns([greeting, *core("Hi", "Hello")])), user.pages(session=True)), once=True
        )
    assert kept(memory) == ["How can I help?", "Hi", "Hello", "And?", "How can I help?"]
    answer = to_core(ChatMessage(role="assistant", content="Hello"))
    assert news(count_turns(turns([answer])), user.pages(session=True)) == (), "the rest of a turn that is held"


def test_shown_names_what_was_learnt_whole_or_by_its_question() -> None:
    whole = core("Hi", "Hello")
    ids = {m.id for turn in (tuple(whole), (whole[0],)) for m in give_ids(turn)}
    assert ids_when_learnt(whole) >= ids


def test_sessions_that_wait_are_never_let_go(memory: MemoryOS, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memoryos_llamaindex.block_learning._SESSIONS_KEPT", 2)
    learning = Learning()
    users = [memory.user("ann", session_id=f"s{i}") for i in range(6)]
    for user in users:
        learning.accept(user, core("Q", "A"))
    assert learning.write(users[5])
    assert all(kept(memory, session=f"s{i}") == ["Q", "A"] for i in range(6))
