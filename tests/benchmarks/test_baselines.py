"""What is compared to: which pieces are ranked, and in what order. Words alone embed here; no model is loaded."""

from __future__ import annotations

import pytest

from benchmarks import baselines
from benchmarks.asking import SYSTEMS, ask
from benchmarks.baselines import UserBM25, UserDense
from benchmarks.system import EMBEDDING, TimedEmbedder
from benchmarks.talks import Question, Talk, Turn
from memoryos_core.providers.embedders import TermEmbedder


@pytest.fixture(autouse=True)
def words(monkeypatch: pytest.MonkeyPatch) -> TimedEmbedder:
    embedder = TimedEmbedder(TermEmbedder())
    monkeypatch.setattr(baselines, "local_embedder", lambda: embedder)
    return embedder


def talk(*speakers: str) -> Talk:
    said = ("the red boat sails", "a boat, red and red, boat", "green tea", "blue boat")
    turns = tuple(Turn(f"D1:{n}", speakers[n % 2], text, 0, None) for n, text in enumerate(said))
    return Talk("talk", (speakers[0], speakers[1]), (turns,), (Question("q", "red boat?", "easy", ("D1:1",)),))


def ranked(system: str, of: Talk, query: str) -> list[str]:
    memory = SYSTEMS[system](of)
    for turn in of.turns:
        memory.add_turn(turn.speaker, turn.text, turn.when, turn.id, turn.session)
    memory.finish()
    return [turn_id for hit in memory.search(query, 9) for turn_id in hit.dia_ids]


def test_dense_ranks_turns_by_cosine() -> None:
    found = ranked("dense", talk("Ada", "Ben"), "Ben: a boat, red and red, boat")
    assert found[0] == "D1:1", "the same words are the same vector"
    assert found[-1] == "D1:2", "no word in common but none is left out"
    assert len(found) == 4


def test_dense_knows_who_spoke() -> None:
    assert ranked("dense", talk("Ada", "Ben"), "Ben")[:2] == ["D1:3", "D1:1"]


@pytest.mark.parametrize("system", ["bm25-user", "dense-user"])
def test_the_assistants_turns_can_be_left_out(system: str) -> None:
    assert ranked(system, talk("user", "assistant"), "red boat") == ["D1:0", "D1:2"]
    assert sorted(ranked(system, talk("Ada", "Ben"), "red boat")) == ["D1:0", "D1:1", "D1:2", "D1:3"]


def test_the_users_turns_are_ranked_one_by_one() -> None:
    assert SYSTEMS["bm25-user"] is UserBM25
    assert SYSTEMS["dense-user"] is UserDense
    assert ranked("bm25-user", talk("Ada", "Ben"), "green")[0] == "D1:2"
    assert ranked("bm25", talk("Ada", "Ben"), "green")[:2] == ["D1:2", "D1:3"], "bm25 ranks pages"


def turns(*said: str) -> Talk:
    kept = tuple(Turn(f"D1:{n}", "Ada", text, 0, None) for n, text in enumerate(said))
    return Talk("talk", ("Ada", "Ben"), (kept,), ())


def test_bm25_knows_stems_and_passes_over_function_words() -> None:
    said = turns("he is at the shop", "they are painting", "she won", "a painter and others")
    assert ranked("bm25-user", said, "What was painted?")[0] == "D1:1"
    assert ranked("bm25-user", said, "Who won\u2019t?")[0] == "D1:2"
    assert ranked("bm25-user", said, "Are they?") == ["D1:0", "D1:1", "D1:2", "D1:3"], "nobody scores"


def test_bm25_prefers_the_rare_word_the_repeated_and_the_short() -> None:
    assert ranked("bm25-user", turns("tea", "tea", "boat", "tea"), "tea boat")[0] == "D1:2"
    assert ranked("bm25-user", turns("tea milk", "tea tea", "milk", "milk"), "tea")[0] == "D1:1"
    assert ranked("bm25-user", turns("tea milk sugar", "tea", "milk", "milk"), "tea")[0] == "D1:1"
    assert ranked("bm25-user", turns("tea tea tea tea", "tea milk", "cups", "pots"), "tea milk")[0] == "D1:1"


def test_bm25_bears_turns_without_a_word() -> None:
    silent = Talk("talk", ("is", "was"), ((Turn("D1:1", "is", "it", 0, None),),), ())
    assert ranked("bm25", silent, "tea") == ["D1:1"]


def test_the_embedders_part_of_a_question_is_told() -> None:
    [row] = ask("dense", talk("Ada", "Ben"), talk("Ada", "Ben").questions, (30, 60))
    assert 0 < row.embedding < row.milliseconds
    [row] = ask("bm25", talk("Ada", "Ben"), talk("Ada", "Ben").questions, (30,))
    assert row.embedding == 0 < row.milliseconds


def test_a_timed_embedder_is_the_embedder(words: TimedEmbedder) -> None:
    plain = TermEmbedder()
    assert (words.name, words.dimension, words.semantic) == (plain.name, plain.dimension, plain.semantic)
    before = EMBEDDING.milliseconds
    assert (words.embed_documents(["tea", "boat"]) == plain.embed_documents(["tea", "boat"])).all()
    between = EMBEDDING.milliseconds
    assert (words.embed_query("tea") == plain.embed_query("tea")).all()
    assert before < between < EMBEDDING.milliseconds
