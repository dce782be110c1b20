"""The tokens of a recall by the host's count: the window makes room for them, or the recall is shortened."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence

import pytest
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.instrumentation.event_handlers import BaseEventHandler
from llama_index_instrumentation import get_dispatcher
from llama_index_instrumentation.base.event import BaseEvent
from pydantic import PrivateAttr

from memoryos_core import MemoryOS
from memoryos_llamaindex.counting import MessageCounter
from memoryos_llamaindex.events import MemoryOSRecallEndEvent
from memoryos_llamaindex.memory import MemoryOSMemory
from memoryos_llamaindex.session import llamaindex_tokenizer

QUESTION = "What is my dog Biscuit afraid of?"
BEST = "My dog Biscuit is afraid of thunder"


def words(text: str) -> list[str]:
    return text.split()


def characters(text: str) -> list[str]:
    """Counts about four times what the core counts."""
    return list(text)


def twice(text: str) -> list[int]:
    return [*llamaindex_tokenizer()(text)] * 2


class Ends(BaseEventHandler):
    """The ends of recalls."""

    _seen: list[MemoryOSRecallEndEvent] = PrivateAttr(default_factory=list)

    @classmethod
    def class_name(cls) -> str:
        return "Ends"

    def handle(self, event: BaseEvent, **kwargs: object) -> None:
        if isinstance(event, MemoryOSRecallEndEvent):
            self._seen.append(event)

    @property
    def last(self) -> MemoryOSRecallEndEvent:
        return self._seen[-1]


@pytest.fixture
def ends() -> Iterator[Ends]:
    handler, root = Ends(), get_dispatcher()
    root.add_event_handler(handler)
    try:
        yield handler
    finally:
        root.event_handlers.remove(handler)


@pytest.fixture
def filled(memory: MemoryOS) -> MemoryOS:
    """A user with a past of thirty-one turns: one answers the question, the others share a word with it."""
    past = memory.user("ann", session_id="long ago")
    past.add(BEST, "Poor thing")
    for number in range(30):
        past.add(f"The dog of neighbour number {number} chased a ball in the park all afternoon", f"Noted {number}")
    return memory


def talk(
    memory: MemoryOS,
    limit: int,
    tokenizer: Callable[[str], Sequence[object]],
    filler: str,
    turns: int,
    session: str = "s",
) -> MemoryOSMemory:
    ours = MemoryOSMemory(memory, user_id="ann", session_id=session, token_limit=limit, tokenizer_fn=tokenizer)
    said = [
        ChatMessage(role=role, content=f"{number} {filler}")
        for number in range(turns)
        for role in ("user", "assistant")
    ]
    ours.put_messages([*said, ChatMessage(role="user", content=QUESTION)])
    return ours


def size(messages: Sequence[ChatMessage], tokenizer: Callable[[str], Sequence[object]]) -> int:
    return sum(map(MessageCounter(tokenizer).count, messages))


def recalled(messages: Sequence[ChatMessage]) -> str:
    """What was put before the question."""
    return str(messages[-1].content).removesuffix(QUESTION).removesuffix("\n\n")


TOKENIZERS = {"cl100k": llamaindex_tokenizer(), "words": words, "twice": twice, "characters": characters}
# 600 characters are no room for the notice and a hit.
CASES = [(name, limit) for name in TOKENIZERS for limit in (600, 2_925, 30_000) if (name, limit) != ("characters", 600)]


@pytest.mark.parametrize(("name", "limit"), CASES)
def test_a_full_window_never_costs_the_recall(filled: MemoryOS, ends: Ends, name: str, limit: int) -> None:
    """Fillers of many lengths, so that the window ends now just below what is left and now well below it."""
    tokenizer = TOKENIZERS[name]
    unit = len(tokenizer("filler " * 100)) // 100
    for length in range(40, 20, -2):
        ours = talk(filled, limit, tokenizer, "filler " * max(1, limit // length // unit), 20, f"s{length}")
        sent = ours.get()
        assert 1 < len(sent) < len(ours.get_all())
        assert size(sent, tokenizer) <= limit
        assert BEST in recalled(sent), length
        assert ends.last.tokens == len(tokenizer(recalled(sent)))
        assert ends.last.hits == len([line for line in recalled(sent).split("\n") if ": " in line and "<" not in line])


def test_the_window_makes_room_for_what_the_recall_costs_and_no_more(filled: MemoryOS) -> None:
    ours = talk(filled, 3_000, words, "filler " * 40, turns=60)
    sent = ours.get()
    more = ours.get_all()[-len(sent) - 2 : -len(sent)]
    assert size(sent, words) + size(more, words) > 3_000, "one turn more would have fitted"


@pytest.mark.parametrize("place", range(8, 16))
def test_a_window_that_grows_to_what_is_left_shows_nothing_twice(memory: MemoryOS, place: int) -> None:
    """A recall that costs less than it may leaves room for a turn more: that turn is not recalled besides."""
    ours = MemoryOSMemory(memory, user_id="ann", session_id="s", token_limit=350, tokenizer_fn=words)
    for number in range(24):
        said = "Biscuit chased the zebra " * 4 if number == place else "We walked all afternoon " * 4
        ours.put_messages([ChatMessage(said), ChatMessage(f"Noted {number}", role="assistant")])
    ours.put(ChatMessage("zebra?"))
    sent = "\n".join(str(m.content) for m in ours.get())
    assert sent.count("Biscuit chased the zebra " * 3) == 1


def test_a_hit_that_is_too_long_alone_is_cut_before_nothing_is_recalled(memory: MemoryOS, ends: Ends) -> None:
    long = "Well, the weather was fine that day. " * 12
    memory.user("ann", session_id="long ago").add(f"{long}{BEST}. {long}", "Poor thing")
    ours = talk(memory, 2_400, characters, "filler", turns=1)
    assert BEST in recalled(ours.get())
    assert size(ours.get(), characters) <= 2_400
    assert ends.last.hits == 1


def test_what_has_no_room_at_all_is_left_out_with_a_word_in_the_log(
    filled: MemoryOS, ends: Ends, caplog: pytest.LogCaptureFixture
) -> None:
    ours = MemoryOSMemory(filled, user_id="ann", session_id="s", token_limit=150)
    ours.put(ChatMessage(QUESTION + " Do tell me." * 24))
    for _ in range(3):
        assert "<memory>" not in str(ours.get())
    assert (ends.last.hits, ends.last.tokens) == (0, 0)
    (record,) = [r for r in caplog.records if r.name.startswith("memoryos_llamaindex")]
    assert record.levelno == logging.WARNING
    assert "token_limit" in record.getMessage()
    assert "Biscuit" not in record.getMessage()
