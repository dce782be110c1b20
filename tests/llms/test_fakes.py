"""The fakes are public: what they promise is held like the rest."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta, timezone

import pytest

from memoryos_core.errors import ModelError
from memoryos_core.testing.fakes import FixedClock, KeywordEmbedder, ScriptedChat
from memoryos_core.values.chat import ChatReply, ChatRequest, Prompt

ASKED = ChatRequest((Prompt("user", "Where is it?"),))


def test_a_script_is_followed_in_order():
    down = ModelError("down")
    chat = ScriptedChat(["one", down, lambda request: request.prompts[0].text, ChatReply("four", 1, 2)])
    assert chat.ask(ASKED) == ChatReply("one", 3, 1)
    with pytest.raises(ModelError) as caught:
        chat.ask(ASKED)
    assert caught.value is down
    assert chat.ask(ASKED).text == "Where is it?"
    assert chat.ask(ASKED) == ChatReply("four", 1, 2)
    assert (chat.calls, chat.prompt_tokens, chat.requests) == (4, 12, (ASKED,) * 4)


def test_the_end_of_a_script_is_no_model_error():
    chat = ScriptedChat(["one"])
    chat.ask(ASKED)
    with pytest.raises(AssertionError, match="call 2"):
        chat.ask(ASKED)
    assert ScriptedChat([], otherwise="more").ask(ASKED).text == "more"
    assert ScriptedChat(lambda request: "always").ask(ASKED).text == "always"


def test_threads_get_one_answer_each():
    chat = ScriptedChat([str(n) for n in range(200)])
    with ThreadPoolExecutor(8) as pool:
        answers = [reply.text for reply in pool.map(lambda _: chat.ask(ASKED), range(200))]
    assert sorted(answers, key=int) == [str(n) for n in range(200)]


def test_a_clock_shows_what_it_is_set_to():
    start = datetime(2024, 5, 1, tzinfo=timezone.utc)
    clock = FixedClock(start)
    assert (clock(), clock()) == (start, start)
    assert clock.tick(90) == start + timedelta(seconds=90) == clock()
    clock.set(start)
    assert clock() == start
    stepping = FixedClock(start, step_seconds=1)
    assert [stepping() for _ in range(3)] == [start + timedelta(seconds=n) for n in range(3)]


def test_synonyms_are_near_and_failures_are_raised():
    embedder = KeywordEmbedder(synonyms={"automobile": "car"})
    assert embedder.semantic
    assert float(embedder.embed_query("an automobile") @ embedder.embed_query("a car")) > 0.99
    assert embedder.embedded == 2
    embedder.failure = ModelError("down")
    with pytest.raises(ModelError):
        embedder.embed_documents(["a car"])
    embedder.failure = None
    assert embedder.embed_documents([]).shape == (0, 64)
