"""The index that is kept: what is read back answers as what is made again, whatever was written, lost or damaged."""

from __future__ import annotations

import hashlib
import os
import random
import sqlite3
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from memoryos_core import Message
from memoryos_core.errors import StoreError
from memoryos_core.recall.index import content as contents
from memoryos_core.recall.index import kept, prune_chunk, resident
from memoryos_core.recall.index.content import decode, describe_units, encode
from memoryos_core.recall.index.kept import KeptIndex
from memoryos_core.recall.index.lexical import BM25Index
from memoryos_core.recall.index.scope_units import ScopeUnits
from memoryos_core.rules.ranking.disclosure import disclosure
from memoryos_core.rules.text.languages import index_terms
from memoryos_core.stores import open_store
from memoryos_core.stores.sql.store import SqlStore
from memoryos_core.testing.store_samples import ALICE, BOB, add, embed, fact, learn, vector
from memoryos_core.values.commands import Cursor, EmbedderStamp, Forgetting, PageQuery
from memoryos_core.values.dialogue import Scope
from memoryos_core.values.queries import IndexChunk
from tests.indexes.keeping import Writing, equal, kept_index, loads, never, plain_index, same_answers


@pytest.fixture(autouse=True)
def _every_change_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "LEAST", 1)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


@pytest.fixture
def store(path: Path) -> Iterator[SqlStore]:
    with closing(open_store(f"sqlite:///{path}")) as store:
        yield store


def written(store: SqlStore, steps: int = 30, seed: int = 1) -> Writing:
    writing = Writing(store, random.Random(seed))
    for _ in range(steps):
        writing.step()
    return writing


# the same answers


@pytest.mark.parametrize("prune", [None, prune_chunk])
@pytest.mark.parametrize("seed", range(8 if "MEMORYOS_SOAK" in os.environ else 2))
def test_whatever_is_written_the_answers_are_those_of_the_rows(store, seed, prune):
    store._prune_with(prune)
    chance = random.Random(seed)
    writing = Writing(store, chance)
    following, keeping = kept_index(store), kept_index(store)
    started = 0
    for step in range(60):
        writing.step()
        if chance.random() < 0.4:
            keeping.keep(ALICE, never)
        if step % 6 == 5:
            started += loads(store)
            rows = plain_index(store)
            same_answers(kept_index(store), rows)
            same_answers(following, rows)
            assert keeping.disagreements(ALICE) == ()
    assert started


def test_what_is_forgotten_goes_alone_and_nothing_is_read_again(store, monkeypatch):
    """One page of a hundred: the index that is resident, and the chunks, keep the others as they are."""
    store._prune_with(prune_chunk)
    store.stamp_embedder(EmbedderStamp("tests", 2))
    pages = add(store, *(f"harbour tram word{number}" for number in range(100)))
    embed(store, *pages)
    index = kept_index(store)
    index.keep(ALICE, never)
    index.candidates(ALICE, "harbour", None, 9)
    feed, read = store.feed, list[str]()

    def reading(scope, after, *, limit):
        answer = feed(scope, after, limit=limit)
        read.extend(page.id for page in answer.pages)
        return answer

    monkeypatch.setattr(store, "feed", reading)
    (before,) = store.index_chunks(ALICE)
    store.forget(Forgetting(ALICE, (pages[40].id,)))
    (after,) = store.index_chunks(ALICE)
    assert (after.last, after.epoch) == (before.last, before.epoch)
    assert b"word40" in before.content
    left = decode(after.content)
    assert b"word40" not in after.content
    assert pages[40].id not in left.units.names
    assert len(left.page_ids()) == 99
    another = kept_index(store)  # as of another process
    for one in (index, another):
        assert len(set(one.candidates(ALICE, "word40 harbour", vector(1, 0), 500).owners)) == 99
    assert read == []
    for one in (index, another):
        same_answers(one, plain_index(store), dimension=2)


def test_all_chunks_go_where_one_cannot_be_pruned(store, path):
    store._prune_with(prune_chunk)
    writing = written(store)
    kept_index(store).keep(ALICE, never)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE memoryos_chunks SET checksum = 'x'")
    page = add(store, "a page to forget")[0]
    store.forget(Forgetting(ALICE, (page.id,)))
    assert store.index_chunks(ALICE) == ()
    writing.append()
    same_answers(kept_index(store), plain_index(store))


def test_an_index_of_another_life_or_embedder_is_not_pruned(store, monkeypatch):
    """The same ids may be there with other revs, or other vectors: then everything is read again."""
    store._prune_with(prune_chunk)
    store.stamp_embedder(EmbedderStamp("tests", 2))
    pages = add(store, "harbour", "tram")
    embed(store, *pages)
    index = kept_index(store)
    index.candidates(ALICE, "harbour", None, 9)
    store.stamp_embedder(EmbedderStamp("another", 4))
    same_answers(index, plain_index(store))
    assert np.isnan(index.candidates(ALICE, "harbour", np.ones(4, np.float32), 9).dense).all()
    records = list(store.export(ALICE))
    store.forget(Forgetting(ALICE, everything=True))
    store.restore(ALICE, records)
    same_answers(index, plain_index(store))


def test_many_chunks_become_few_and_stay_the_same(store, monkeypatch):
    store.stamp_embedder(EmbedderStamp("tests", 2))
    counts = []
    for number in range(60):
        pages = add(store, f"harbour {number}", f"tram number {number} in Lisbon")
        embed(store, *pages, of=vector(number + 1, 1))
        kept_index(store).keep(ALICE, never)
        chunks = store.index_chunks(ALICE)
        counts.append(len(chunks))
        assert [c.after for c in chunks] == [0, *(c.last for c in chunks[:-1])]
    assert 2 <= max(counts) <= kept._MOST_CHUNKS + 1
    same_answers(kept_index(store), plain_index(store), dimension=2)


def test_a_large_scope_is_kept_in_several_chunks(store, monkeypatch):
    monkeypatch.setattr(kept, "_MOST_UNITS", 20)
    monkeypatch.setattr(kept, "_FEED_LIMIT", 10)
    monkeypatch.setattr(kept, "_LARGEST", 1)
    written(store, 20)
    add(store, *(f"harbour tram {n}" for n in range(60)))
    kept_index(store).keep(ALICE, never)
    chunks = store.index_chunks(ALICE)
    assert len(chunks) > 2
    assert chunks[-1].last == store.cursor(ALICE).version
    same_answers(kept_index(store), plain_index(store))


def test_what_was_changed_after_a_chunk_is_indexed_once(store):
    """The words of a unit that comes again, unchanged or grown, take the place of those that were read back."""
    store.stamp_embedder(EmbedderStamp("tests", 2))
    pages = add(store, "harbour tram", "violin", "lantern")
    kept_index(store).keep(ALICE, never)
    index = kept_index(store)
    same_answers(index, plain_index(store), dimension=2)
    for _ in range(3):
        embed(store, *pages)
        same_answers(index, plain_index(store), dimension=2)
    for page in pages:
        store.forget(Forgetting(ALICE, (page.id,)))
        same_answers(index, plain_index(store), dimension=2)


def test_removed_words_are_cleared_out_of_what_was_read_back(store, monkeypatch):
    monkeypatch.setattr("memoryos_core.recall.index.lexical._DEAD_LEAST", 4)
    written(store, 40)
    kept_index(store).keep(ALICE, never)
    index = kept_index(store)
    same_answers(index, plain_index(store))
    for page in store.pages(PageQuery(ALICE)):
        embed(store, page, of=vector(1, 2, 3, 4))
        same_answers(index, plain_index(store))
    words = index._residents[ALICE].units._words
    assert isinstance(words, BM25Index)
    assert not words._stored, "the postings were compacted"


# when it is written


def test_little_that_is_new_is_not_written(store, monkeypatch):
    monkeypatch.setattr(kept, "LEAST", 10)
    add(store, *map(str, range(9)))
    kept_index(store).keep(ALICE, never)
    assert store.index_chunks(ALICE) == ()
    add(store, "ten")
    kept_index(store).keep(ALICE, never)
    (chunk,) = store.index_chunks(ALICE)
    add(store, *map(str, range(9)))
    kept_index(store).keep(ALICE, never)
    assert store.index_chunks(ALICE) == (chunk,)


def test_keeping_again_writes_nothing(store):
    written(store)
    for _ in range(3):
        kept_index(store).keep(ALICE, never)
    chunks = store.index_chunks(ALICE)
    kept_index(store).keep(ALICE, never)
    assert store.index_chunks(ALICE) == chunks


def test_nothing_is_written_once_the_memory_closes(store):
    written(store)
    kept_index(store).keep(ALICE, lambda: True)
    assert store.index_chunks(ALICE) == ()


def test_an_unknown_scope_has_no_chunks(store):
    kept_index(store).keep(BOB, never)
    assert store.index_chunks(BOB) == ()
    assert kept_index(store).disagreements(BOB) == ()


def test_a_store_that_cannot_keep_one_works_without(store):
    written(store)
    index = plain_index(store)
    index.keep(ALICE, never)
    assert index.disagreements(ALICE) == ()
    assert store.index_chunks(ALICE) == ()


def test_a_scope_with_a_damaged_row_is_not_kept(store, path):
    """A row that is restored by hand later is in no feed: it would never be found."""
    written(store)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE memoryos_pages SET messages = '[' WHERE seq = (SELECT min(seq) FROM memoryos_pages)")
    kept_index(store).keep(ALICE, never)
    assert store.index_chunks(ALICE) == ()


def test_what_was_forgotten_while_a_chunk_was_made_is_not_written(store, monkeypatch):
    pages = add(store, "harbour", "tram")
    index = kept_index(store)
    built = KeptIndex._build

    def forget_then(self, *given):
        found = built(self, *given)
        store.forget(Forgetting(ALICE, (pages[0].id,)))
        return found

    monkeypatch.setattr(KeptIndex, "_build", forget_then)
    index.keep(ALICE, never)
    assert store.index_chunks(ALICE) == ()


def test_two_that_keep_at_once_leave_a_sound_chain(path):
    with closing(open_store(f"sqlite:///{path}")) as store:
        store.stamp_embedder(EmbedderStamp("tests", 4))
        stores = [open_store(f"sqlite:///{path}") for _ in range(3)]
        try:
            for number in range(12):
                embed(store, *add(store, f"harbour {number}", "tram"), of=vector(1, 2, 3, number))
                threads = [threading.Thread(target=kept_index(s).keep, args=(ALICE, never)) for s in stores]
                for thread in threads:
                    thread.start()
                for thread in threads:
                    thread.join()
                assert loads(store)
                same_answers(kept_index(store), plain_index(store))
        finally:
            for one in stores:
                one.close()


# what is not trusted


BREAKS = {
    "format": "UPDATE memoryos_chunks SET made_by = 'another' WHERE number = {n}",
    "checksum": "UPDATE memoryos_chunks SET checksum = 'x' WHERE number = {n}",
    "one byte": "UPDATE memoryos_chunks SET content = substr(content, 1, 900) || X'07' || substr(content, 902) "
    "WHERE number = {n}",
    "truncated": "UPDATE memoryos_chunks SET content = substr(content, 1, length(content) / 2) WHERE number = {n}",
    "empty": "UPDATE memoryos_chunks SET content = X'' WHERE number = {n}",
    "text": "UPDATE memoryos_chunks SET content = 'words' WHERE number = {n}",
    "epoch": "UPDATE memoryos_chunks SET epoch = epoch + 1 WHERE number = {n}",
    "gap": "UPDATE memoryos_chunks SET after = after + 1 WHERE number = {n}",
    "beyond": "UPDATE memoryos_chunks SET last = last + 1000 WHERE number = {n}",
    "no number": "UPDATE memoryos_chunks SET last = 'last' WHERE number = {n}",
    "another scope's": "UPDATE memoryos_chunks SET content = (SELECT content FROM memoryos_chunks WHERE scope <> "
    "(SELECT scope FROM memoryos_scopes WHERE user_id = 'alice')) WHERE number = {n}",
    "lost": "DELETE FROM memoryos_chunks WHERE number = {n} AND scope = "
    "(SELECT scope FROM memoryos_scopes WHERE user_id = 'alice')",
}


@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize("broken", BREAKS)
def test_a_chunk_that_is_not_sound_is_not_read_and_is_replaced(store, path, broken, number):
    store.stamp_embedder(EmbedderStamp("tests", 2))
    for text in ("harbour tram ", "violin "):
        embed(store, *add(store, *(f"{text} {n}" for n in range(30 if text[0] == "h" else 3))))
        kept_index(store).keep(ALICE, never)
    add(store, "bob's own", scope=BOB)
    kept_index(store).keep(BOB, never)
    assert len(store.index_chunks(ALICE)) == 2
    with closing(sqlite3.connect(path)) as connection, connection:
        assert connection.execute(BREAKS[broken].format(n=number)).rowcount
    index = kept_index(store)
    same_answers(index, plain_index(store), dimension=2)
    if (broken, number) != ("lost", 2):
        assert index.disagreements(ALICE)
    index.keep(ALICE, never)
    assert index.disagreements(ALICE) == ()
    assert store.index_chunks(ALICE)[-1].last == store.cursor(ALICE).version
    same_answers(kept_index(store), plain_index(store), dimension=2)


def test_a_sound_chunk_that_says_something_else_is_told_by_the_check(store):
    pages = add(store, "harbour tram", "violin")
    kept_index(store).keep(ALICE, never)
    (chunk,) = store.index_chunks(ALICE)
    held = decode(chunk.content)
    words = replace(held.words, counts=held.words.counts + np.uint8(1))
    forged = replace(chunk, content=encode(replace(held, words=words)), checksum="")
    forged = replace(forged, checksum=kept.checksum(ALICE, forged))
    assert store.write_index_chunk(ALICE, forged, seen=[chunk.checksum])
    assert set(kept_index(store).disagreements(ALICE)) == {page.id for page in pages}


def test_a_damaged_vector_is_left_out_as_without(store, path):
    writing = written(store)
    writing.append()
    writing.embed()
    kept_index(store).keep(ALICE, never)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(
            "UPDATE memoryos_vectors SET vector = X'00' WHERE rowid = (SELECT min(rowid) FROM memoryos_vectors)"
        )
    assert not loads(store)
    same_answers(kept_index(store), plain_index(store))


def test_without_an_embedder_the_rows_are_read(store):
    add(store, "harbour tram")
    kept_index(store).keep(ALICE, never)
    assert not loads(store)
    same_answers(kept_index(store), plain_index(store))


def test_a_store_that_refuses_to_be_written_is_no_error_of_the_caller(store, monkeypatch):
    def refuse(*_given, **_named):
        raise StoreError("read-only")

    written(store)
    monkeypatch.setattr(store, "write_index_chunk", refuse)
    with pytest.raises(StoreError):
        kept_index(store).keep(ALICE, never)  # the engine logs it
    same_answers(kept_index(store), plain_index(store))


# the bytes


def test_contents_read_back(store):
    writing = written(store, 40)
    writing.append()
    units = ScopeUnits(None, BM25Index)
    units.cursor = Cursor(store.cursor(ALICE).epoch)
    units.apply(store.feed(ALICE, units.cursor, limit=10_000))
    pages = [page.id for page in store.pages(PageQuery(ALICE))]
    content = units.content([*pages, "gone"], ["f1", "f2", "gone too"])
    again = decode(encode(content))
    assert again.page_ids() == [*pages, "gone"]
    assert again.fact_ids() == ["f1", "f2", "gone too"]
    read = ScopeUnits(None, BM25Index)
    read.take([again], units.cursor)
    assert describe_units(read.content(pages, ["f1", "f2"])) == describe_units(content)
    assert {owner for owner, part in describe_units(content) if part != "fact"} <= set(pages)
    assert encode(read.content([*pages, "gone"], ["f1", "f2", "gone too"])) == encode(content)


def test_bytes_that_nobody_wrote_are_refused(store):
    add(store, "harbour tram", "violin")
    kept_index(store).keep(ALICE, never)
    good = store.index_chunks(ALICE)[0].content
    chance = random.Random(0)
    for size in (0, 1, 7, 8, 9, *(chance.randrange(len(good)) for _ in range(40))):
        with pytest.raises(ValueError, match=r"chunk|JSON|buffer|Expecting|Extra|delimiter|Unterminated"):
            decode(good[:size])
    for _ in range(300):
        place = chance.randrange(len(good))
        damaged = good[:place] + bytes([chance.randrange(256)]) + good[place + 1 :]
        try:
            decode(damaged)
        except ValueError:
            continue


# Change FORMAT with these, or what was stored with the old rules is taken for what the new ones say.
ANALYSED = (
    "Ada's running dogs weren't in Zürich on 2024-05-01, at 10:30 a.m.; e-mail ada@example.org!",
    "東京タワーに行きました。カメラを買った。",
    "我昨天在北京吃了烤鸭",
    "안녕하세요 서울에서 만나요",
    "ฉันชอบกินข้าวผัด",
    "Мы ездили в Санкт-Петербург летом",
    "Die Straßenbahnen fuhren schneller",
    "ＦＵＬＬ ｗｉｄｔｈ ½ naïve café",
    "My kids bought Mum a favourite film",
    "हम दिल्ली में रहते हैं",
)
DIGEST = {4: "c20c9b444149b51b"}


TOLD = (
    "I moved to Porto last week. We love it.",
    "Wow, that's great! How was it?",
    "Why?",
    "Ich mag meinen Hund. Und du?",
    "That was really lovely of you.",
    "我昨天去了北京。你呢？",
    "私は猫が好きです。",
    "Hier nous avons vu ta soeur.",
)


def test_the_format_is_raised_with_the_rules_of_words_and_of_telling():
    said = "\n".join(" ".join(index_terms(text)) for text in ANALYSED)
    said += repr([disclosure(Message("user", text, "Ada")) for text in TOLD])
    assert hashlib.sha256(said.encode()).hexdigest()[:16] == DIGEST[contents.FORMAT]


def test_a_chunk_names_what_made_it(store):
    add(store, "a")
    learn(store, fact("f1"))
    kept_index(store).keep(ALICE, never)
    (chunk,) = store.index_chunks(ALICE)
    assert chunk.made_by == kept.MADE_BY
    assert len(kept.MADE_BY) <= 64
    assert isinstance(chunk, IndexChunk)
    assert chunk.size == len(chunk.content)


# small scopes at rest


def _held(index: resident.ResidentIndex, scope: Scope) -> bool:
    return not index._residents[scope].units.resting


def small_scopes(store: SqlStore, number: int) -> list[Scope]:
    scopes = [Scope(f"user{place}") for place in range(number)]
    store.stamp_embedder(EmbedderStamp("tests", 2))
    for scope in scopes:
        embed(store, *add(store, "I moved to Lisbon", scope=scope), scope=scope)
    return scopes


def test_of_many_small_scopes_the_last_used_keep_their_vectors(
    store: SqlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    scopes = small_scopes(store, 6)
    monkeypatch.setattr(resident, "_MOST_AWAKE", 2 * len(kept_index(store).candidates(scopes[0], "Lisbon", None, 9)))
    index = kept_index(store)
    before = {scope: index.candidates(scope, "Lisbon", vector(0, 1), 9) for scope in scopes}
    assert [_held(index, scope) for scope in scopes] == [False] * 4 + [True] * 2
    assert index._total_awake == sum(index._awake.values()) == resident._MOST_AWAKE
    assert all(equal(index.candidates(scope, "Lisbon", vector(0, 1), 9), before[scope]) for scope in scopes)
    index.drop(scopes[-1])
    assert index._total_awake == sum(index._awake.values()) == resident._MOST_AWAKE // 2


def test_a_scope_at_rest_answers_as_one_that_was_never(store: SqlStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resident, "_MOST_AWAKE", 0)
    writing, chance = Writing(store, random.Random(5)), random.Random(6)
    resting, other = kept_index(store), Scope("other")
    rested = 0
    for _ in range(60):
        writing.step()
        resting.candidates(ALICE, "harbour", vector(1, 0, 0, 0), 3)
        resting.candidates(other, "harbour", vector(1, 0, 0, 0), 3)
        rested += not _held(resting, ALICE)
        if chance.random() < 0.2:
            resting.forget(ALICE)
            resting.candidates(other, "harbour", vector(1, 0, 0, 0), 3)  # one that rests does so once
        if chance.random() < 0.4:
            same_answers(resting, plain_index(store))
    assert rested > 30


def test_scopes_that_threads_let_rest_at_once_have_all_their_vectors(
    store: SqlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    scopes = small_scopes(store, 12)
    index = kept_index(store)
    monkeypatch.setattr(resident, "_MOST_AWAKE", 2 * len(index.candidates(scopes[0], "Lisbon", None, 9)))
    expected = plain_index(store)

    def ask(seed: int) -> None:
        for scope in random.Random(seed).choices(scopes, k=100):
            index.candidates(scope, "Lisbon", vector(0, 1), 9)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(ask, range(4)))
    for scope in scopes:
        assert equal(
            index.candidates(scope, "Lisbon", vector(0, 1), 9), expected.candidates(scope, "Lisbon", vector(0, 1), 9)
        )


def test_a_scope_at_rest_whose_vectors_cannot_be_read_is_read_anew(
    store: SqlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resident, "_MOST_AWAKE", 0)
    written(store)
    index = kept_index(store)
    for scope in (ALICE, BOB):
        index.candidates(scope, "harbour", None, 3)
    assert not _held(index, ALICE)
    monkeypatch.setattr(SqlStore, "read_index_vectors", lambda *_: False)
    same_answers(index, plain_index(store))
    assert _held(index, ALICE)
