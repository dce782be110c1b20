"""The index that is kept is encrypted as the rows are: in the file by SQLCipher, on a server value by value."""

from __future__ import annotations

import random
from contextlib import closing

import pytest

from memoryos_core.recall.index import kept, prune_chunk
from memoryos_core.stores.sql.store import SqlStore
from memoryos_core.testing.store_samples import ALICE, BOB, add
from memoryos_core.values.commands import EmbedderStamp, Forgetting
from tests.encryption.stored import KEY, OTHER
from tests.governance.words import found
from tests.indexes.keeping import Writing, kept_index, loads, never, plain_index, same_answers


@pytest.fixture(autouse=True)
def _every_change_is_kept(monkeypatch):
    monkeypatch.setattr(kept, "LEAST", 1)


def play(store):
    writing = Writing(store, random.Random(3))
    for _ in range(30):
        writing.step()
    kept_index(store).keep(ALICE, never)
    writing.append()
    writing.embed()


def test_in_an_encrypted_file_it_is_kept_and_no_word_is_readable(path, url):
    with closing(SqlStore(url, key=KEY)) as store:
        store.stamp_embedder(EmbedderStamp("tests", 4))
        add(store, "I keep a zebrafinch")
        play(store)
        store.rekey(OTHER)
    with closing(SqlStore(url, key=OTHER)) as store:
        assert loads(store)
        same_answers(kept_index(store), plain_index(store))
    assert found({"word": b"zebrafinch"}, path.parent.iterdir()) == {}


@pytest.mark.postgres
def test_on_a_server_a_chunk_is_sealed(postgres, postgres_url, name, store):
    store._prune_with(prune_chunk)
    play(store)
    page = add(store, "I keep a zebrafinch")[0]
    kept_index(store).keep(ALICE, never)
    store.forget(Forgetting(ALICE, (page.id,)))
    assert not any(b"zebrafinch" in chunk.content for chunk in store.index_chunks(ALICE))
    assert loads(store)
    same_answers(kept_index(store), plain_index(store))
    sealed = stored_bytes(postgres, name)
    assert all(one.startswith(b"1.1.") for one in sealed)
    assert not any(b"harbour" in one or b"zebrafinch" in one for one in sealed)
    with closing(SqlStore(postgres_url, key=KEY)) as again:
        assert loads(again)


@pytest.mark.postgres
def test_a_sealed_chunk_that_was_altered_or_moved_is_not_read(postgres, name, store):
    play(store)
    add(store, "bob's own", scope=BOB)
    kept_index(store).keep(BOB, never)
    of_bob = f"(SELECT content FROM memoryos_chunks WHERE scope = '{BOB.key}')"
    for content in (of_bob, "'\\x312e312e00'", "'\\x'", "overlay(content PLACING '\\x00'::bytea FROM 99)", "'\\x322e'"):
        kept_index(store).keep(ALICE, never)
        assert loads(store)
        postgres.sql(f"UPDATE memoryos_chunks SET content = {content} WHERE scope = '{ALICE.key}'", database=name)
        index = kept_index(store)
        same_answers(index, plain_index(store))
        assert index.disagreements(ALICE)
        index.keep(ALICE, never)


@pytest.mark.postgres
def test_another_key_drops_the_chunks_of_the_one_before(postgres, postgres_url, name, store):
    play(store)
    store.rekey(OTHER)
    assert stored_bytes(postgres, name) == []
    kept_index(store).keep(ALICE, never)
    assert all(one.startswith(b"1.2.") for one in stored_bytes(postgres, name))
    with closing(SqlStore(postgres_url, key=OTHER)) as again:
        assert loads(again)
        same_answers(kept_index(again), plain_index(again))


def stored_bytes(postgres, name):
    rows = postgres.sql("SELECT encode(content, 'hex') FROM memoryos_chunks", database=name)
    return [bytes.fromhex(row) for row in rows.split()]
