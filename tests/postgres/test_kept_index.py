"""The index that is kept, on a server: it answers as the rows do, and is forgotten with them."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from memoryos_core.errors import StoreError
from memoryos_core.ports.capabilities import Prune
from memoryos_core.recall.index import kept, prune_chunk
from memoryos_core.stores.sql.opening import create_partitioned
from memoryos_core.stores.sql.store import SqlStore
from memoryos_core.stores.sql.writing import chunks as chunk_rows
from memoryos_core.testing.postgres import LocalPostgres
from memoryos_core.testing.store_samples import ALICE, BOB, add
from memoryos_core.values.commands import EmbedderStamp, Forgetting, VectorRow
from memoryos_core.values.dialogue import Scope
from memoryos_core.values.queries import VectorBlock
from tests.governance.words import found
from tests.indexes.keeping import Writing, kept_index, loads, never, plain_index, same_answers

pytestmark = pytest.mark.postgres


@pytest.fixture(autouse=True)
def _every_change_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "LEAST", 1)


@pytest.fixture
def store(postgres_url: str) -> Iterator[SqlStore]:
    with closing(SqlStore(postgres_url)) as store:
        yield store


def play(store: SqlStore, seed: int) -> None:
    chance = random.Random(seed)
    writing = Writing(store, chance)
    started = 0
    for step in range(40):
        writing.step()
        if chance.random() < 0.4:
            kept_index(store).keep(ALICE, never)
        if step % 8 == 7:
            index = kept_index(store)
            started += loads(store)
            same_answers(index, plain_index(store))
            assert index.disagreements(ALICE) == ()
    assert started


@pytest.mark.parametrize("seed", range(3))
def test_whatever_is_written_the_answers_are_those_of_the_rows(store: SqlStore, seed: int) -> None:
    store._prune_with(prune_chunk if seed else None)
    play(store, seed)


def test_the_same_with_tables_in_partitions(postgres: LocalPostgres) -> None:
    url = postgres.database()
    create_partitioned(url, 3)
    with closing(SqlStore(url)) as store:
        play(store, 7)


def test_a_scope_sees_its_own_chunks(store: SqlStore, postgres: LocalPostgres, postgres_url: str) -> None:
    store.stamp_embedder(EmbedderStamp("tests", 4))
    for scope in (ALICE, BOB):
        add(store, "harbour", scope=scope)
        kept_index(store).keep(scope, never)
    with store._database.reading(ALICE) as connection:
        seen = connection.exec_driver_sql("SELECT DISTINCT scope FROM memoryos_chunks").scalars().all()
    assert seen == [ALICE.key]


def test_all_vectors_of_a_scope_and_no_others_are_read_in_one_pass(
    store: SqlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A few rows at a time, from one cursor: the driver never holds all of them, and no row is met twice or missed."""
    monkeypatch.setattr(chunk_rows, "_ROWS", 4)
    monkeypatch.setattr(chunk_rows, "_BLOCK", 12)
    store.stamp_embedder(EmbedderStamp("tests", 4))
    lot = np.random.default_rng(1)
    written: dict[Scope, dict[tuple[str, str], bytes]] = {}
    for scope, many in ((ALICE, 31), (BOB, 3)):
        pages = [page for _ in range(many) for page in add(store, "harbour", scope=scope)]
        rows = [VectorRow(page.id, "user", lot.normal(size=4).astype(np.float32)) for page in pages]
        store.save_vectors(scope, rows)
        written[scope] = {(row.owner_id, row.part): row.vector.tobytes() for row in rows}
    for scope, wanted in written.items():
        blocks: list[VectorBlock] = []
        assert store.read_index_vectors(scope, blocks.append)
        read = [
            (key, vector.tobytes())
            for block in blocks
            for key, vector in zip(zip(block.owners, block.parts, strict=True), block.vectors, strict=True)
        ]
        assert len(read) == len(wanted)
        assert dict(read) == wanted
        assert max(len(block.parts) for block in blocks) <= 12
    assert store.read_index_vectors(Scope("nobody"), lambda _: None)


def test_a_server_that_goes_away_while_vectors_are_read_is_named(store: SqlStore, postgres: LocalPostgres) -> None:
    store.stamp_embedder(EmbedderStamp("tests", 4))
    pages = [page for _ in range(3) for page in add(store, "harbour")]
    store.save_vectors(ALICE, [VectorRow(page.id, "user", np.ones(4, dtype=np.float32)) for page in pages])
    monkey = chunk_rows._Block.add

    def stop(block: chunk_rows._Block, rows: Sequence[object]) -> bool:
        postgres.sql("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE pid <> pg_backend_pid()")
        return monkey(block, rows)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chunk_rows._Block, "add", stop)
        with pytest.raises(StoreError):
            store.read_index_vectors(ALICE, lambda _: None)
    blocks: list[VectorBlock] = []
    assert store.read_index_vectors(ALICE, blocks.append)
    assert sum(len(block.parts) for block in blocks) == len(pages)


@pytest.mark.parametrize("prune", [None, prune_chunk])
def test_no_word_of_a_forgotten_page_is_left_in_the_files(
    store: SqlStore, postgres: LocalPostgres, postgres_url: str, prune: Prune | None
) -> None:
    store._prune_with(prune)
    database = postgres_url.split("?")[0].rsplit("/", 1)[1]
    folder = postgres.data / "base" / postgres.sql(f"SELECT oid FROM pg_database WHERE datname = '{database}'")

    def files() -> list[Path]:
        postgres.sql("CHECKPOINT")
        return [file for file in folder.iterdir() if file.is_file()]

    # Of what is large the server compresses what it can: words that are all different stay as they are.
    secret = {"word": b"zebrafinch"}
    store.stamp_embedder(EmbedderStamp("tests", 4))
    page, _ = add(store, "I keep a zebrafinch", "harbour tram")
    kept_index(store).keep(ALICE, never)
    add(store, "violin")
    kept_index(store).keep(ALICE, never)  # the chunk before is dead, and its bytes are still there
    postgres.sql("ANALYZE", database=database)
    assert any(b"zebrafinch" in chunk.content for chunk in store.index_chunks(ALICE))
    assert found(secret, files())
    store.forget(Forgetting(ALICE, (page.id,)))
    assert len(store.index_chunks(ALICE)) == (prune is not None)
    store.vacuum(full=True)
    assert found(secret, files()) == {}
    kept_index(store).keep(ALICE, never)
    assert found(secret, files()) == {}
