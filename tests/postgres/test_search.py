"""Candidates that PostgreSQL finds are those of the resident index, and nobody else's rows have a part in them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest
from sqlalchemy import text

from memoryos_core import MemoryConfig, MemoryOS, Message, RecallConfig, WorkerConfig
from memoryos_core.errors import ConfigError
from memoryos_core.recall import index as choice
from memoryos_core.recall.index import DatabaseIndex, IndexBySize, analyse_item, open_index
from memoryos_core.recall.index.resident import ResidentIndex
from memoryos_core.stores import open_store
from memoryos_core.stores.sql.store import SqlStore
from memoryos_core.testing.fakes import FixedClock
from memoryos_core.testing.store_samples import ALICE, BOB, T0, add, embed, fact, learn, supersede
from memoryos_core.values.commands import EmbedderStamp, Forgetting, VectorRow
from memoryos_core.values.dialogue import HALVES, Page, Scope, Vector
from memoryos_core.values.queries import Candidates
from tests.pipeline.test_relevance import ALONE, BESIDE, NOW, QUESTION, tell_chats
from tests.postgres.planning import planned
from tests.postgres.talk import WORDS, say, talk

pytestmark = pytest.mark.postgres

EVERYTHING = 1_000_000_000
QUESTIONS = ("piano at the river", "京都 camera", "zebra lighthouse", "O'Brien's kettle tram tram", "the", "")
# "Animals" are a dog and a cat, instruments a piano and a violin (rules/text/function_words.py).
KINDS = (
    "Which animals and instruments are in the garden?",
    "Is the kitten beside the puppy?",
    "What country has food and sport that the dog and my family would like, and a tram?",
)


@pytest.fixture
def store(postgres_url: str) -> Iterator[SqlStore]:
    with closing(SqlStore(postgres_url, analyse=analyse_item)) as store:
        yield store


def unit(lot: np.random.Generator, size: int = 8) -> Vector:
    vector: Vector = lot.normal(size=size).astype(np.float32)
    vector /= np.linalg.norm(vector)
    return vector


def compare(found: Candidates, wanted: Candidates) -> None:
    """All that is aligned, whatever the order of what is of the same moment, and the moments of the scope."""
    assert list(found.times) == sorted(found.times)
    assert found.times.tolist() == wanted.times.tolist()
    one, other = ([*map(c.owners.__getitem__, o), *map(c.parts.__getitem__, o)] for c, o in _orders(found, wanted))
    assert one == other
    for name in ("sessions", "segments", "speakers"):
        one, other = ([getattr(c, name)[i] for i in o] for c, o in _orders(found, wanted))
        assert one == other
    for name in ("seqs", "lexical", "dense", "coverage"):
        mine, theirs = (getattr(c, name)[list(o)] for c, o in _orders(found, wanted))
        np.testing.assert_allclose(mine, theirs, rtol=1e-4, atol=1e-5, err_msg=name)
    assert found.dense_mean == pytest.approx(wanted.dense_mean, abs=1e-5)
    assert found.dense_spread == pytest.approx(wanted.dense_spread, abs=1e-5)


def _orders(*all_found: Candidates) -> list[tuple[Candidates, list[int]]]:
    return [(c, sorted(range(len(c)), key=lambda i, c=c: (c.owners[i], c.parts[i]))) for c in all_found]  # type: ignore[misc]


def fill(store: SqlStore, seed: int, scope: Scope = ALICE) -> list[Page]:
    pages = talk(store, random.Random(seed), 60, scope=scope)
    learn(store, fact("f1", pages[0].id, text="plays the piano at the harbour"), fact("f2", text="old"), scope=scope)
    learn(store, fact("f3", text="a new kettle"), changes=[supersede("f2", "f3")], scope=scope)
    return pages


@pytest.mark.parametrize("window", [0.0, 0.5, 1.0])
def test_words_are_ranked_as_in_the_resident_index(store, window):
    fill(store, seed=1)
    mine, theirs = (open_index(store, window=window, kind=kind) for kind in ("database", "resident"))
    for question in (*QUESTIONS, *KINDS):
        compare(
            mine.candidates(ALICE, question, None, EVERYTHING), theirs.candidates(ALICE, question, None, EVERYTHING)
        )
        few = mine.candidates(ALICE, question, None, 7)
        assert sorted(few.lexical) == pytest.approx(sorted(theirs.candidates(ALICE, question, None, 7).lexical))
        assert len(few) <= 7
    assert len(mine.candidates(ALICE, QUESTIONS[0], None, EVERYTHING)) > 20
    assert mine.speakers(ALICE) == theirs.speakers(ALICE) == {"Ada", "Bo"}


def test_vectors_are_compared_as_in_the_resident_index(store):
    lot = np.random.default_rng(3)
    pages = fill(store, seed=2)
    store.stamp_embedder(EmbedderStamp("e", 8))
    halves = [VectorRow(p.id, half, unit(lot)) for p in pages[:40] for half in HALVES if p.text(half)]
    # Of a fact that holds no more, and of a half that says nothing: neither is a unit.
    silent = VectorRow(pages[41].id, "assistant", unit(lot))
    facts = [VectorRow(name, "fact", unit(lot)) for name in ("f1", "f2")]
    store.save_vectors(ALICE, [*halves, *facts, *([] if pages[41].text("assistant") else [silent])])
    mine, theirs = (open_index(store, kind=kind) for kind in ("database", "resident"))
    for question in QUESTIONS:
        asked = unit(lot)
        for k in (5, EVERYTHING):
            compare(mine.candidates(ALICE, question, asked, k), theirs.candidates(ALICE, question, asked, k))
    assert np.isfinite(mine.candidates(ALICE, "", asked, 5).dense).sum() == 5


def test_a_vector_of_another_dimension_counts_as_none(store, caplog):
    pages = fill(store, seed=2)
    embed(store, *pages, of=np.ones(4, dtype=np.float32))
    index = open_index(store, kind="database")
    assert len(index.candidates(ALICE, "", np.ones(3, dtype=np.float32), 9)) == 0
    store.stamp_embedder(EmbedderStamp("e", 4))
    assert len(index.candidates(ALICE, "", np.ones(3, dtype=np.float32), 9)) == 0
    assert "3 numbers, stored ones 4" in caplog.text


@pytest.mark.parametrize("window", [0.0, 0.5])
def test_a_large_scope_is_ranked_as_a_small_one_but_for_two_estimates(store, window):
    pages, lot = talk(store, random.Random(4), 200, sessions=1), np.random.default_rng(4)
    learn(store, fact("f1", pages[0].id, text="plays the piano at the harbour"))
    store.stamp_embedder(EmbedderStamp("e", 8))
    store.save_vectors(ALICE, [VectorRow(p.id, half, unit(lot)) for p in pages for half in HALVES if p.text(half)])
    index, asked = open_index(store, window=window, kind="database"), unit(lot)
    for question in (*QUESTIONS, *KINDS):
        for vector in (None, asked):
            store._whole_up_to = EVERYTHING
            whole = index.candidates(ALICE, question, vector, 10)
            store._whole_up_to = 0
            short = index.candidates(ALICE, question, vector, 10)
            assert _by(short, "dense") == _by(whole, "dense")
            one, other = ({named[:2] for named in _by(found, "lexical")} for found in (short, whole))
            assert len(one & other) >= 0.8 * len(other)
            _same_where_both(short, whole)


def _by(found: Candidates, name: str) -> list[tuple[str, str, float]]:
    """The ten best, best first."""
    values = getattr(found, name).tolist()
    named = [(o, p, round(v, 3)) for o, p, v in zip(found.owners, found.parts, values, strict=True) if v == v and v > 0]
    return sorted(named, key=lambda one: (-one[2], one))[:10]


def _same_where_both(found: Candidates, wanted: Candidates) -> None:
    mine, theirs = ({(c.owners[i], c.parts[i]): i for i in range(len(c))} for c in (found, wanted))
    both = sorted(mine.keys() & theirs.keys())
    assert len(both) >= 0.8 * len(theirs)
    one, other = ([at[name] for name in both] for at in (mine, theirs))
    for name in ("sessions", "segments", "speakers"):
        assert [getattr(found, name)[i] for i in one] == [getattr(wanted, name)[i] for i in other]
    np.testing.assert_allclose(found.dense[one], wanted.dense[other], atol=1e-5)
    np.testing.assert_allclose(found.coverage[one], wanted.coverage[other], atol=1e-5)
    np.testing.assert_allclose(found.lexical[one], wanted.lexical[other], rtol=0.1, atol=0.05)


def test_of_a_large_scope_the_rare_word_is_found_and_of_a_frequent_one_the_latest(store):
    add(store, "a zebra on the tram", *(f"the tram number {i}" for i in range(60)))
    store._whole_up_to, store._most_posted = 0, 10
    index = open_index(store, window=0, kind="database")
    found = index.candidates(ALICE, "zebra tram", None, 100)
    assert found.coverage.tolist()[0] == pytest.approx(1)
    assert found.lexical.argmax() == 0
    assert index.candidates(ALICE, "tram", None, 100).seqs.tolist() == sorted([*range(57, 62)] * 2)


def test_of_a_large_scope_facts_are_found_when_no_page_is_left(store):
    (page,) = add(store, "a tram")
    learn(store, fact("f1", text="plays the piano"), fact("f2", text="likes the harbour"))
    store.forget(Forgetting(ALICE, (page.id,), at=T0))
    store._whole_up_to = 0
    found = open_index(store, kind="database").candidates(ALICE, "piano", None, 9)
    assert (found.owners, found.coverage.tolist()) == (("f1",), [1])
    assert found.lexical[0] > 0


def test_a_question_of_many_words_is_ranked_by_the_rarest(store):
    lot = random.Random(5)
    for number in range(40):
        page = talk(store, lot, 1)[0]
        learn(store, fact(f"n{number}", page.id, text=" ".join(f"word{lot.randrange(300)}" for _ in range(40))))
    question = " ".join(f"word{i}" for i in range(300)) + " " + " ".join(WORDS)
    mine, theirs = (open_index(store, kind=kind) for kind in ("database", "resident"))
    compare(mine.candidates(ALICE, question, None, EVERYTHING), theirs.candidates(ALICE, question, None, EVERYTHING))


def test_no_score_depends_on_what_another_user_stored(store):
    pages, lot = fill(store, seed=1), np.random.default_rng(7)
    store.stamp_embedder(EmbedderStamp("e", 8))
    store.save_vectors(ALICE, [VectorRow(p.id, "user", unit(lot)) for p in pages])
    index, asked = open_index(store, kind="database"), unit(lot)
    before = [index.candidates(ALICE, question, asked, 9) for question in QUESTIONS]
    others = fill(store, seed=1, scope=BOB)
    store.save_vectors(BOB, [VectorRow(p.id, "user", asked) for p in others])
    for question, one in zip(QUESTIONS, before, strict=True):
        again = index.candidates(ALICE, question, asked, 9)
        assert again.owners == one.owners
        for name in ("lexical", "dense", "coverage"):
            assert np.array_equal(getattr(again, name), getattr(one, name), equal_nan=True)
        assert (again.dense_mean, again.dense_spread) == (one.dense_mean, one.dense_spread)


def test_it_asks_by_index_as_a_role_that_is_held_to_its_rows(store):
    lot = random.Random(0)
    store.stamp_embedder(EmbedderStamp("e", 8))
    for user in range(20):
        said = add(store, *(say(lot) for _ in range(60)), scope=Scope(f"u{user}"))
        embed(store, *said, scope=Scope(f"u{user}"), of=np.ones(8, dtype=np.float32))
    with store._database.writing(None) as connection:
        connection.execute(text("ANALYZE"))
    with planned() as plans:
        found = open_index(store, kind="database").candidates(
            Scope("u7"), "piano river", np.ones(8, dtype=np.float32), 50
        )
    assert len(found) >= 50
    large = {f"memoryos_{name}" for name in ("units", "postings", "vectors", "pages")}
    nodes = [node for plan in plans for node in plan.nodes if node.get("Relation Name") in large]
    assert {node["Relation Name"] for node in nodes} == large
    assert [node for node in nodes if node["Node Type"] == "Seq Scan"] == []


@pytest.mark.parametrize("embedder", [None, "words"])
def test_a_memory_recalls_the_same_by_either_index(new_database, embedder):
    chosen = None if embedder is None else _letters
    told: dict[str, list[str]] = {}
    url = new_database()
    for kind in ("database", "resident"):
        config = MemoryConfig(recall=RecallConfig(index=kind))
        with MemoryOS(url, embedder=chosen, config=config) as memory:
            if not told:
                _chat(memory)
            user = memory.user("alice")
            told[kind] = [user.recall(question).text for question in QUESTIONS if question]
            told[kind] += [hit.id for hit in user.search("Ada's piano and the tram", 20)]
    assert told["database"] == told["resident"]
    assert len(set(told["database"])) > 10


def test_what_is_said_beside_an_answer_is_recalled_by_either_index(new_database):
    url, config = new_database(), MemoryConfig(worker=WorkerConfig(mode="manual"))
    with MemoryOS(url, embedder="local", config=config, clock=FixedClock(NOW)) as memory:
        tell_chats(memory)
    for kind in ("database", "resident"):
        config = MemoryConfig(recall=RecallConfig(index=kind))
        with MemoryOS(url, embedder="local", config=config, clock=FixedClock(NOW)) as memory:
            text = memory.user("ada", session_id="now").recall(QUESTION).text
            assert (BESIDE in text, ALONE in text) == (True, False), kind


def test_reindexing_reads_the_words_of_older_pages_again(new_database):
    url = new_database()
    config = MemoryConfig(recall=RecallConfig(index="database"))
    with MemoryOS(url, embedder=None, config=config) as memory:
        memory.user("alice").add("I bought a kettle.", "Noted.")
        memory.flush()
    with closing(SqlStore(url)) as store, store._database.writing(ALICE) as connection:
        connection.execute(text("UPDATE memoryos_postings SET term = term + 1"))  # as if an older version had read them
    with MemoryOS(url, embedder=None, config=config) as memory:
        assert not memory.user("alice").search("What did I buy?")
        memory.reindex(embedder=None, progress=False)
    with MemoryOS(url, embedder=None, config=config) as memory:
        assert memory.user("alice").search("What did I buy?")[0].signals["lexical"] > 0


def _letters(texts: list[str]) -> list[list[float]]:
    return [[1.0 + text.count(letter) for letter in "aeiounrstl"] for text in texts]


def _chat(memory: MemoryOS) -> None:
    lot = random.Random(11)
    for number in range(50):
        user = memory.user("alice", session_id=f"s{number % 4}")
        user.add(say(lot), say(lot), user_name="Ada", assistant_name="Bo")
    memory.user("alice").consolidate()
    assert memory.flush()


def test_which_index_is_chosen(store, postgres_url):
    assert isinstance(open_index(store), IndexBySize)
    assert isinstance(open_index(store, kind="database"), DatabaseIndex)
    assert isinstance(open_index(store, kind="resident"), ResidentIndex)
    with closing(open_store(postgres_url)) as plain:
        assert isinstance(open_index(plain), ResidentIndex)
    with closing(open_store("sqlite://", analyse=analyse_item)) as local:
        assert isinstance(open_index(local), ResidentIndex)
    config = MemoryConfig(recall=RecallConfig(index="database"))
    with pytest.raises(ConfigError, match="PostgreSQL"):
        MemoryOS("sqlite://", embedder=None, config=config)
    with pytest.raises(ConfigError, match="index"):
        replace(config.recall, index="none")  # type: ignore[arg-type]


def _ranked_in_the_database(store: SqlStore, monkeypatch: pytest.MonkeyPatch) -> list[Scope]:
    """The scopes that the database ranks from now on, one for each question."""
    ranked, seen = store.ranked, list[Scope]()

    def rank(scope, *args, **kwargs):
        seen.append(scope)
        return ranked(scope, *args, **kwargs)

    monkeypatch.setattr(store, "ranked", rank)
    return seen


def test_the_size_of_a_scope_decides_where_it_is_searched(store, monkeypatch):
    in_database = _ranked_in_the_database(store, monkeypatch)
    pages, index, question = fill(store, seed=1), open_index(store), "piano at the river"
    answers = []
    # Too small, large enough, and too large for RAM; who asked before makes no difference, nor does another process.
    for least, most, ranked in ((1_000, 2_000, [ALICE] * 3), (1, 1_000, []), (1, 1, [ALICE] * 3)):
        monkeypatch.setattr(choice, "_RESIDENT_FROM", least)
        monkeypatch.setattr(choice, "_RESIDENT_UP_TO", most)
        del in_database[:]
        found = [asked.candidates(ALICE, question, None, EVERYTHING) for asked in (index, open_index(store), index)]
        speakers = {frozenset(asked.speakers(ALICE)) for asked in (index, open_index(store))}
        assert in_database == ranked
        assert isinstance(index, IndexBySize)
        assert (index._resident.version(ALICE) > 0) == (not ranked), "what has outgrown its place leaves it"
        assert speakers == {frozenset({"Ada", "Bo"})}
        answers += found
    for answer in answers[1:]:
        compare(answer, answers[0])
    assert len(pages) > 20


def test_a_scope_that_grows_is_loaded_once_and_then_followed(store, monkeypatch):
    in_database = _ranked_in_the_database(store, monkeypatch)
    index, other = open_index(store), open_index(store, kind="database")
    lot, turned = random.Random(5), []
    for number in range(12):
        talk(store, lot, 30, sessions=2)
        asked = QUESTIONS[number % 2]
        del in_database[:]
        found = index.candidates(ALICE, asked, None, EVERYTHING)
        turned.append(not in_database)
        compare(found, other.candidates(ALICE, asked, None, EVERYTHING))
    assert sorted(turned) == turned
    assert {True, False} == set(turned)
    store.forget(Forgetting(ALICE, everything=True))
    index.forget(ALICE)
    del in_database[:]
    talk(store, lot, 3)
    assert len(index.candidates(ALICE, WORDS[0], None, EVERYTHING)) == len(
        other.candidates(ALICE, WORDS[0], None, EVERYTHING)
    )
    assert in_database == [ALICE, ALICE]


def test_a_resident_scope_is_asked_for_its_state_once_a_search(store, monkeypatch):
    monkeypatch.setattr(choice, "_RESIDENT_FROM", 1)
    fill(store, seed=1)
    index = open_index(store)
    index.candidates(ALICE, "piano", None, 9)
    cursor, asked = store.cursor, list[Scope]()

    def look(scope):
        asked.append(scope)
        return cursor(scope)

    monkeypatch.setattr(store, "cursor", look)
    index.candidates(ALICE, "river", None, 9)
    assert asked == [ALICE]


@pytest.mark.parametrize("kind", ["database", "resident"])
def test_every_index_leaves_out_what_a_session_has_superseded(store, kind):
    config = MemoryConfig(recall=RecallConfig(index=kind), worker=WorkerConfig(mode="manual"))
    memory = MemoryOS(store, embedder=None, config=config)
    here, there = (memory.user("ada", session_id=session) for session in "st")
    here.add_messages([Message("user", "The spare key is under the blue pot.", id="1")], once=True)
    here.add_messages([Message("user", "The spare key is under the red pot.", id="1")], once=True, replaces=["1"])
    asked = "Where is the spare key, under the pot?"
    assert "blue pot" not in here.recall(asked, include_recent=False).text
    assert "red pot" in here.recall(asked, include_recent=False).text
    here.end_session()
    assert here.recall(asked).text == ""
    assert {"blue pot", "red pot"} <= {" ".join(h.text.rstrip(".").split()[-2:]) for h in there.recall(asked).hits}
