"""A memory opened again with other settings: nothing is dropped, and what does not fit is said before harm is done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from sqlalchemy import create_engine

from memoryos_core import (
    EmbedderMismatchError,
    LongTermConfig,
    MemoryConfig,
    MemoryOS,
    MidTermConfig,
    ModelError,
    ShortTermConfig,
)
from memoryos_core.testing.fakes import KeywordEmbedder
from tests.faults.opening import broken_laws, said, small, talk, url

APART = MidTermConfig(join_threshold=2.0, lexical_join_threshold=2.0)
LARGE = small(capacity=100, batch=100)


class Other(KeywordEmbedder):
    """Another space: the same words lie elsewhere, whatever the dimension."""

    @property
    def name(self) -> str:
        return "another"

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        flipped: NDArray[np.float32] = np.ascontiguousarray(super().embed_documents(texts)[:, ::-1])
        return flipped


def test_a_smaller_short_term_drops_nothing(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with MemoryOS(url(path), embedder=None, config=LARGE) as memory:
        talk(memory.user("ada"), 60)
        memory.user("ada").consolidate()
        before = said(memory.user("ada").transcript())
        assert memory.stats().pages_short_term == 60
    with MemoryOS(url(path), embedder=None, config=small(capacity=1, batch=1)) as memory:
        ada = memory.user("ada")
        assert said(ada.transcript()) == before
        assert len(ada.messages()) == 2
        ada.consolidate()
        assert (ada.stats().pages_short_term, ada.stats().pages_mid_term) == (1, 59)
        assert said(ada.transcript()) == before
        assert "tree number 31" in str(ada.recall("What about tree number 31?"))
    assert broken_laws(path) == {}


def test_a_smaller_mid_and_long_term_archives_and_keeps_every_page(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    apart = replace(small(), mid_term=APART)
    with MemoryOS(url(path), embedder=None, config=apart) as memory:
        ada = memory.user("ada")
        for i in range(20):
            ada.add(f"I love subject{i} and I live in place{i}.", f"Tell me of subject{i}.")
        ada.consolidate()
        before = said(ada.transcript())
        assert ada.stats().segments > 4
        known = {f.id for f in ada.facts(current=False)}
    tight = replace(
        apart,
        mid_term=replace(APART, capacity_segments=2),
        long_term=LongTermConfig(capacity_facts=1),
    )
    with MemoryOS(url(path), embedder=None, config=tight) as memory:
        ada = memory.user("ada")
        talk(ada, 3)
        ada.consolidate()
        stats = ada.stats()
        assert (stats.pages, stats.segments) == (23, 2)
        assert stats.pages_archived > 0
        assert said(ada.transcript())[: len(before)] == before
        assert stats.facts_user <= 1
        assert known <= {f.id for f in ada.facts(current=False)}
        assert "subject0" in str(ada.recall("What about subject0?"))
    assert broken_laws(path) == {}


@pytest.mark.parametrize("other", [KeywordEmbedder(32), Other(64)], ids=["dimension", "name"])
def test_another_embedder_is_refused_until_reindexed_and_no_page_is_lost(
    tmp_path: Path, other: KeywordEmbedder
) -> None:
    path = tmp_path / "m.db"
    with MemoryOS(url(path), embedder=KeywordEmbedder(64), config=small()) as memory:
        pages = talk(memory.user("ada"), 12)
        memory.user("ada").consolidate()
        assert {s.centroid.shape for s in memory.user("ada").segments()} == {(64,)}
    with MemoryOS(url(path), embedder=other, config=small()) as memory:
        ada = memory.user("ada")
        for refused in (lambda: ada.recall("tree"), lambda: ada.search("tree"), ada.consolidate):
            with pytest.raises(EmbedderMismatchError, match="reindex"):
                refused()
        ada.add("I moved to a hill.", "Which one?")
        assert said(ada.transcript())[-2:] == ["I moved to a hill.", "Which one?"]
        assert said(ada.messages())[-1] == "Which one?"
        assert ada.stats().pages == 13
        with pytest.raises(EmbedderMismatchError, match="reindex"):
            memory.flush()
        assert memory.reindex(embedder=other, progress=False) == 13
        fresh = other.embed_documents(["I planted tree by the river. Tree will like the water."])[0]
        assert all(s.centroid.shape == fresh.shape and s.centroid @ fresh > 0.5 for s in ada.segments())
        assert "hill" in str(ada.recall("Which hill did I move to?"))
        ada.consolidate()
        assert ada.stats().pages == 13
    with MemoryOS(url(path), embedder=other, config=small()) as memory:
        hit = memory.user("ada").search("tree number 3", k=1)[0]
        assert hit.page_ids == (pages[3],)
        assert hit.signals["dense"] > 0
    assert broken_laws(path) == {}


def test_flush_in_the_background_does_not_call_failed_work_done(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with MemoryOS(url(path), embedder=KeywordEmbedder(64), config=small()) as memory:
        talk(memory.user("ada"), 6)
        memory.user("ada").consolidate()
    with MemoryOS(url(path), embedder=KeywordEmbedder(32), config=small("background")) as memory:
        talk(memory.user("ada"), 6, first=6)
        assert memory.flush(timeout=60) is False
        assert memory.stats().pages == 12


def test_inline_add_works_with_another_embedder_too(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with MemoryOS(url(path), embedder=KeywordEmbedder(64), config=small()) as memory:
        talk(memory.user("ada"), 6)
        memory.user("ada").consolidate()
    with MemoryOS(url(path), embedder=KeywordEmbedder(32), config=small("inline")) as memory:
        talk(memory.user("ada"), 6, first=6)
        assert len(memory.user("ada").transcript()) == 24
        assert memory.reindex(embedder=KeywordEmbedder(32), progress=False) == 12
        talk(memory.user("ada"), 2, first=12)
        assert memory.user("ada").stats().pages_short_term < 12


def test_an_embedder_may_come_later_without_being_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with MemoryOS(url(path), embedder=None, config=small()) as memory:
        talk(memory.user("ada"), 12)
        memory.user("ada").consolidate()
    with MemoryOS(url(path), embedder=KeywordEmbedder(48), config=small()) as memory:
        ada = memory.user("ada")
        assert ada.search("tree number 3", k=1)  # words are enough until the pages are embedded
        ada.consolidate()
        assert ada.search("tree number 3", k=1)[0].signals["dense"] > 0
        talk(ada, 4, first=12)
        ada.consolidate()
        assert {s.centroid.shape for s in ada.segments()} == {(48,)}
    with MemoryOS(url(path), embedder=None, config=small()) as memory:
        with pytest.raises(EmbedderMismatchError, match="reindex"):
            memory.user("ada").recall("tree")
        assert memory.user("ada").stats().pages == 16
        memory.reindex(embedder=None, progress=False)
        assert memory.user("ada").search("tree number 3", k=1)
    assert broken_laws(path) == {}


def test_reindexing_that_breaks_off_goes_on_later(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with MemoryOS(url(path), embedder=KeywordEmbedder(64), config=small()) as memory:
        talk(memory.user("ada"), 8)
        talk(memory.user("bob"), 8)
        memory.flush()
        broken = Other(32)
        broken.failure = ModelError("out of memory")
        with pytest.raises(ModelError):
            memory.reindex(embedder=broken, progress=False)
        assert memory.user("ada").stats().pages == 8
        memory.user("ada").add("I am still here.", "Good.")
        broken.failure = None
        memory.flush()
        assert "5" in memory.user("bob").search("tree number 5", k=1)[0].text
    with MemoryOS(url(path), embedder=Other(32), config=small()) as memory:
        memory.flush()
        assert memory.user("ada").search("tree number 5", k=1)[0].signals["dense"] > 0
        fresh = Other(32).embed_documents(["I planted tree by the river. Tree will like the water."])[0]
        assert all(s.centroid @ fresh > 0.5 for s in memory.user("ada").segments())
    assert broken_laws(path) == {}


def test_a_worker_without_a_batch_moves_the_centroids_into_the_new_space(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with MemoryOS(url(path), embedder=KeywordEmbedder(64), config=small(batch=1)) as memory:
        ada = memory.user("ada")
        talk(ada, 4)
        ada.consolidate()
        talk(memory.user("bob"), 4)
        memory.user("bob").consolidate()
        with create_engine(url(path)).begin() as connection:  # no page of Bob's segments can be read
            connection.exec_driver_sql(
                "UPDATE memoryos_pages SET messages = '{' WHERE scope = ?", (memory.user("bob").scope.key,)
            )
        broken = Other(32)
        broken.failure = ModelError("out of memory")
        with pytest.raises(ModelError):
            memory.reindex(embedder=broken, progress=False)
        assert {s.centroid.size for s in ada.segments()} == {0}
        broken.failure = None
        memory._open().worker.run(ada.scope, whole=False)
        assert {s.centroid.shape for s in ada.segments()} == {(32,)}
        assert all(s.centroid.any() for s in ada.segments())
        memory.user("bob").consolidate()
        bob = memory.user("bob").segments()
        assert [s.centroid.tolist() for s in bob] == [[0] * 32] * len(bob)
        memory.user("bob").consolidate()
        assert [s.rev for s in memory.user("bob").segments()] == [s.rev for s in bob]


def test_the_papers_settings_open_a_memory_of_the_default_ones_and_back(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    for config in (MemoryConfig(), MemoryConfig.paper(), MemoryConfig(short_term=ShortTermConfig(capacity_tokens=1))):
        with MemoryOS(url(path), embedder=None, config=replace(config, worker=small().worker)) as memory:
            talk(memory.user("ada"), 20)
            memory.user("ada").consolidate()
            memory.user("ada").recall("tree number 3")
    with MemoryOS(url(path), embedder=None) as memory:
        assert memory.stats().pages == 60
    assert broken_laws(path) == {}


def test_a_process_that_did_not_notice_a_reindex_writes_nothing_in_the_old_space(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with (
        MemoryOS(url(path), embedder=KeywordEmbedder(64), config=small()) as late,
        MemoryOS(url(path), embedder=KeywordEmbedder(64), config=small()) as early,
    ):
        talk(late.user("ada"), 6)
        late.user("ada").consolidate()
        early.reindex(embedder=Other(64), progress=False)
        talk(late.user("ada"), 6, first=6)
        with pytest.raises(EmbedderMismatchError, match="reindex"):
            late.user("ada").consolidate()
        early.flush()
        assert early.user("ada").search("tree number 9", k=1)[0].signals["dense"] > 0
        assert early.stats().pages == 12
    assert broken_laws(path) == {}
