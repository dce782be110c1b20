"""chat() when something fails: an error that says so, and nothing half-remembered."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine, text

from memoryos_core import ChatReply, ConfigError, GenerationConfig, MemoryOS, ModelAnswerError, ModelError, StoreError
from memoryos_core.testing.fakes import KeywordEmbedder, Line, ScriptedChat
from memoryos_core.values.chat import ChatRequest
from memoryos_core.values.events import Event, ModelAsked
from tests.faults.opening import said, small, talk, url

DOWN: dict[str, Line] = {
    "down": ModelError("HTTP 503"),
    "no key": ModelError("HTTP 401", transient=False),
    "silent": "",
    "blank": " \n",
    "silent reply": ChatReply(" "),
    "still thinking": "<think>Where does she live? Let me think. " * 50,
    "only thinking": "<think>Done.</think>\n",
}


@pytest.mark.parametrize("name", DOWN)
def test_a_model_that_gives_no_answer_is_an_error_and_nothing_is_remembered(name: str) -> None:
    chat = ScriptedChat([DOWN[name], "In Lisbon."])
    with MemoryOS("sqlite://", embedder=None, answer_llm=chat, config=small()) as memory:
        ada = memory.user("ada")
        talk(ada, 4)
        before = ada.stats(), said(ada.transcript())
        with pytest.raises(ModelError):
            ada.chat("Where do I live?")
        assert (ada.stats(), said(ada.transcript())) == before
        assert ada.chat("Where do I live?") == "In Lisbon."
        assert said(ada.transcript())[-2:] == ["Where do I live?", "In Lisbon."]


def test_what_a_model_thinks_is_not_what_it_says() -> None:
    chat = ScriptedChat(lambda _: "<think>She asked before.</think>\n\nIn Lisbon.")
    with MemoryOS("sqlite://", embedder=None, answer_llm=chat, config=small()) as memory:
        ada = memory.user("ada")
        assert ada.chat("Where do I live?") == "In Lisbon."
        assert said(ada.transcript()) == ["Where do I live?", "In Lisbon."]


def test_without_a_model_chat_says_what_to_do() -> None:
    with MemoryOS("sqlite://", embedder=None) as memory:
        with pytest.raises(ConfigError, match="llm="):
            memory.user("ada").chat("Where do I live?")
        assert memory.stats().pages == 0


def test_a_polish_that_fails_is_a_failed_answer() -> None:
    config = replace(small(), generation=GenerationConfig(polish=True))
    chat = ScriptedChat(["A draft.", ModelError("HTTP 503")], otherwise="Polished.")
    with MemoryOS("sqlite://", embedder=None, answer_llm=chat, config=config) as memory:
        ada = memory.user("ada")
        with pytest.raises(ModelError):
            ada.chat("Where do I live?")
        assert ada.transcript() == ()
        assert ada.chat("Where do I live?") == "Polished."


def test_an_embedder_that_is_down_does_not_keep_chat_from_answering() -> None:
    embedder = KeywordEmbedder()
    with MemoryOS("sqlite://", embedder=embedder, answer_llm=ScriptedChat(lambda _: "Yes."), config=small()) as memory:
        ada = memory.user("ada")
        pages = talk(ada, 6)
        ada.consolidate()
        embedder.failure = ModelError("down")
        assert pages[1] in {p for h in ada.search("tree number 1", k=3) for p in h.page_ids}  # by words
        assert ada.chat("Is there a tree number 1?") == "Yes."
        assert ada.stats().pages == 7
        embedder.failure = None
        ada.consolidate()
        assert ada.search("tree number 1", k=1)[0].signals["dense"] > 0


def test_an_answer_that_cannot_be_remembered_is_an_error(tmp_path: Path) -> None:
    def answer(_: object) -> str:
        with engine.begin() as connection:
            connection.execute(text("ALTER TABLE memoryos_pages RENAME TO lost"))
        return "In Lisbon."

    engine = create_engine(url(tmp_path / "m.db"))
    with MemoryOS(url(tmp_path / "m.db"), embedder=None, answer_llm=answer, config=small()) as memory:
        talk(memory.user("ada"), 2)
        with pytest.raises(StoreError):
            memory.user("ada").chat("Where do I live?")
        with engine.begin() as connection:
            connection.execute(text("ALTER TABLE lost RENAME TO memoryos_pages"))
        assert memory.stats().pages == 2
    engine.dispose()


@pytest.mark.parametrize("answer", ["Error: rate limit exceeded", "None", "null", "I don't know."])
def test_an_answer_in_words_is_an_answer(answer: str) -> None:
    """The model said it: that is not an error of ours, and no word is treated as absence."""
    with MemoryOS("sqlite://", embedder=None, answer_llm=lambda _: answer, config=small()) as memory:
        assert memory.user("ada").chat("Where do I live?") == answer
        assert said(memory.user("ada").transcript())[-1] == answer


def test_a_callable_answering_with_no_text_is_refused() -> None:
    with MemoryOS("sqlite://", embedder=None, answer_llm=lambda _: None, config=small()) as memory:  # type: ignore[arg-type]
        with pytest.raises(ModelAnswerError):
            memory.user("ada").chat("Where do I live?")
        assert memory.stats().pages == 0


@pytest.mark.parametrize("name", DOWN)
def test_the_next_model_of_a_list_answers_when_one_fails(name: str) -> None:
    seen: list[ModelAsked] = []
    first, second, third = ScriptedChat([DOWN[name]]), ScriptedChat(["In Lisbon."]), ScriptedChat([])
    with MemoryOS(
        "sqlite://", embedder=None, answer_llm=[first, second, third], config=small(), on_event=kept(seen)
    ) as memory:
        ada = memory.user("ada")
        assert ada.chat("Where do I live?") == "In Lisbon."
        assert said(ada.transcript()) == ["Where do I live?", "In Lisbon."]
    assert (first.calls, second.calls, third.calls) == (1, 1, 0)
    assert len(seen) == 2, "each call is an event of its own"


@pytest.mark.parametrize("vote", [False, True])
def test_when_all_models_of_a_list_fail_that_is_an_error_and_nothing_is_remembered(vote: bool) -> None:
    config = replace(small(), generation=GenerationConfig(vote=vote))
    models = [ScriptedChat([ModelError("HTTP 503")]), ScriptedChat([""])]
    with MemoryOS("sqlite://", embedder=None, answer_llm=models, config=config) as memory:
        with pytest.raises(ModelError):
            memory.user("ada").chat("Where do I live?")
        assert memory.stats().pages == 0
    assert [model.calls for model in models] == [1, 1]


def test_a_vote_asks_all_models_with_one_recall_and_leaves_out_those_that_fail() -> None:
    config = replace(small(), generation=GenerationConfig(vote=True))
    seen: list[ModelAsked] = []
    models = [ScriptedChat([line]) for line in ("In Porto.", ModelError("HTTP 503"), "You live in Lisbon.")]
    with MemoryOS("sqlite://", embedder=None, answer_llm=models, config=config, on_event=kept(seen)) as memory:
        ada = memory.user("ada")
        ada.add("I live in Lisbon.", "Noted.")
        assert ada.chat("Where do I live?") == "You live in Lisbon."
    one, two, three = (model.requests for model in models)
    assert one == two == three
    assert sorted(event.error for event in seen) == ["", "", "ModelError"]


class Raw:
    """A model of somebody's own that knows nothing of our errors."""

    def __init__(self, answer: Any) -> None:
        self._answer = answer

    def ask(self, request: ChatRequest) -> Any:
        if isinstance(self._answer, Exception):
            raise self._answer
        return self._answer


@pytest.mark.parametrize("vote", [False, True])
@pytest.mark.parametrize("answer", [TimeoutError("slow"), ConnectionError("gone"), None, "In Porto."])
def test_a_model_that_fails_in_its_own_way_is_one_that_failed(answer: Any, vote: bool) -> None:
    config = replace(small(), generation=GenerationConfig(vote=vote))
    models: list[Any] = [Raw(answer), ScriptedChat(["In Lisbon."])]
    with MemoryOS("sqlite://", embedder=None, answer_llm=models, config=config) as memory:
        assert memory.user("ada").chat("Where do I live?") == "In Lisbon."


def test_models_may_come_in_any_sequence() -> None:
    models = deque([ScriptedChat([ModelError("HTTP 503")]), ScriptedChat(["In Lisbon."])])
    with MemoryOS("sqlite://", embedder=None, answer_llm=models, config=small()) as memory:
        assert memory.user("ada").chat("Where do I live?") == "In Lisbon."


@pytest.mark.parametrize("models", [[], [None], ["openai:"], [lambda _: "Yes."] * 9, ["none"]])
def test_a_list_of_models_that_is_none_is_refused_at_once(models: list[Any]) -> None:
    with pytest.raises(ConfigError):
        MemoryOS("sqlite://", embedder=None, answer_llm=models)


def kept(seen: list[ModelAsked]) -> Callable[[Event], None]:
    """Return what keeps the events of models."""
    return lambda event: seen.append(event) if isinstance(event, ModelAsked) else None
