"""Vectors come to every page, and never from an embedder that the store has left behind."""

from __future__ import annotations

from pathlib import Path

import pytest

from memoryos_core import EmbedderMismatchError, MemoryConfig, MemoryOS, WorkerConfig
from memoryos_core.errors import ModelError
from memoryos_core.testing.fakes import KeywordEmbedder

MANUAL = MemoryConfig(worker=WorkerConfig(mode="manual"))


class Other(KeywordEmbedder):
    """The same vectors under another name."""

    @property
    def name(self) -> str:
        return "other-64"


def vectors_of(memory: MemoryOS, user: str = "ada") -> int:
    handle = memory.user(user)
    page_ids = [h.id for h in handle.search("moved dog nurse", k=10)]
    return len(memory._engine.parts.store.vectors(handle.scope, page_ids))


def test_turns_without_an_answer_are_found_by_meaning_after_a_flush() -> None:
    with MemoryOS("sqlite://", embedder=KeywordEmbedder(), config=MANUAL) as memory:
        for said in ("I moved to Lisbon", "My dog is called Rex", "I work as a nurse"):
            memory.user("ada").add(said)
        assert memory.flush()
        assert vectors_of(memory) == 3


def test_a_process_that_missed_a_reindex_cannot_mix_its_vectors_in(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/m.db"
    with (
        MemoryOS(url, embedder=KeywordEmbedder(), config=MANUAL) as first,
        MemoryOS(url, embedder=KeywordEmbedder(), config=MANUAL) as late,
    ):
        first.user("ada").add("I moved to Lisbon", "Nice")
        late.user("ada").search("Lisbon")
        first.reindex(embedder=Other(), progress=False)
        late.user("ada").remember("She likes fado")  # kept, without a vector of its own
        with pytest.raises(EmbedderMismatchError, match="reindex"):
            late.user("ada").search("Lisbon")
        with pytest.raises(EmbedderMismatchError, match="reindex"):
            late.user("ada").consolidate()
        assert first.user("ada").search("fado")[0].text == "She likes fado"


def test_a_read_stamps_nothing(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/m.db"
    with MemoryOS(url, embedder=None, config=MANUAL) as memory:
        memory.user("ada").add("I moved to Lisbon", "Nice")
        memory.flush()
        before = memory._engine.parts.store.embedder()
    with MemoryOS(url, embedder=KeywordEmbedder(), config=MANUAL) as memory:
        assert memory.user("ada", session_id="new").recall("Lisbon")
        assert memory._engine.parts.store.embedder() == before
        memory.flush()
        assert memory._engine.parts.store.embedder() != before


class Down(KeywordEmbedder):
    """An embedder whose server does not answer, so that its dimension is not known."""

    @property
    def dimension(self) -> int:
        raise ConnectionError("PRIVATE")

    def embed_documents(self, texts):
        raise ConnectionError("PRIVATE")

    def embed_query(self, text):
        raise ConnectionError("PRIVATE")


@pytest.mark.parametrize("before", [None, KeywordEmbedder(), "terms"])
def test_reads_find_by_words_while_the_embedder_is_down(tmp_path: Path, before) -> None:
    url = f"sqlite:///{tmp_path}/m.db"
    with MemoryOS(url, embedder=before, config=MANUAL) as memory:
        memory.user("ada").add("I moved to Lisbon", "Nice")
        if before is not None:
            memory.flush()
    with MemoryOS(url, embedder=Down(), config=MANUAL) as memory:
        ada = memory.user("ada", session_id="new")
        assert "Lisbon" in ada.recall("Who moved to Lisbon?").text
        assert "Lisbon" in ada.search("Lisbon")[0].text
        with pytest.raises(ModelError) as caught:
            ada.consolidate()
        assert "PRIVATE" not in str(caught.value)


def test_another_embedder_that_is_down_is_another_one_all_the_same(tmp_path: Path) -> None:
    class OtherDown(Down):
        @property
        def name(self) -> str:
            return "other-64"

    url = f"sqlite:///{tmp_path}/m.db"
    with MemoryOS(url, embedder=KeywordEmbedder(), config=MANUAL) as memory:
        memory.user("ada").add("I moved to Lisbon", "Nice")
        memory.flush()
    with (
        MemoryOS(url, embedder=OtherDown(), config=MANUAL) as memory,
        pytest.raises(EmbedderMismatchError, match="other-64"),
    ):
        memory.user("ada").search("Lisbon")


def test_many_pages_are_embedded_ahead_and_a_foreign_error_carries_no_text() -> None:
    class Breaking(KeywordEmbedder):
        calls = 0

        def embed_documents(self, texts):
            Breaking.calls += 1
            if Breaking.calls == 2:
                raise ValueError(texts[0])
            return super().embed_documents(texts)

    with MemoryOS("sqlite://", embedder=Breaking(), config=MANUAL) as memory:
        ada = memory.user("ada")
        for i in range(300):
            ada.add(f"PRIVATE {i}", "ok")
        with pytest.raises(ModelError) as caught:
            ada.consolidate()
        assert "PRIVATE" not in str(caught.value)
        assert ada.stats().pages == 300
        ada.consolidate()
        assert ada.stats().pages_short_term == 12  # no full batch is beyond the ten
