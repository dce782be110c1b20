"""chat() when something fails: an error that says so, and nothing half-remembered."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

from memoryos_core import ChatReply, ConfigError, GenerationConfig, MemoryOS, ModelAnswerError, ModelError, StoreError
from memoryos_core.testing.fakes import KeywordEmbedder, Line, ScriptedChat
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
    with MemoryOS("sqlite://", embedder=None, answer_llm=lambda _: None, config=small()) as memory:  # type: ignore[arg-type,return-value]
        with pytest.raises(ModelAnswerError):
            memory.user("ada").chat("Where do I live?")
        assert memory.stats().pages == 0
