from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryos_core.errors import InvalidInputError
from memoryos_core.recall.index.lexical import BM25Index
from memoryos_core.rules.text.words import terms
from memoryos_core.values.queries import Near, Postings

VOCABULARY = ("red", "green", "blue", "lisbon", "porto", "cats", "running", "walked", "北京", "東京", "the")
texts = st.lists(st.sampled_from(VOCABULARY), max_size=8).map(" ".join)


def reference(
    held: Mapping[int, str], query: str, near: Sequence[tuple[Mapping[int, int], float]] = ()
) -> tuple[np.ndarray, np.ndarray]:
    """BM25 of each window and coverage of each text, written from the formula, one text and one term at a time."""
    k1, b, asked = 1.2, 0.75, set(terms(query))
    own = {id_: Counter(terms(text)) for id_, text in held.items()}
    windows: dict[int, dict[str, float]] = {}
    sizes: dict[int, float] = {}
    for id_, counts in own.items():
        parts = [(counts, 1.0)]
        for others, weight in near:
            if id_ in others:
                lent = own[others[id_]]
                parts.append((lent, weight * min(1.0, 40 / max(lent.total(), 1))))
        windows[id_] = {term: sum(share * part[term] for part, share in parts) for term in asked}
        sizes[id_] = sum(share * part.total() for part, share in parts)
    scores, coverage = np.zeros(max(held, default=-1) + 1), np.zeros(max(held, default=-1) + 1)
    mean = sum(sizes.values()) / max(len(sizes), 1)
    for term in asked:
        for id_, window in windows.items():
            if window[term] > 0:
                norm = k1 * (1 - b + b * sizes[id_] / mean)
                idf = _idf(sum(w[term] > 0 for w in windows.values()), len(held))
                scores[id_] += idf * window[term] * (k1 + 1) / (window[term] + norm)
            if own[id_][term]:
                mass = {t: _idf(sum(t in counts for counts in own.values()), len(held)) for t in asked}
                coverage[id_] += mass[term] / sum(mass.values())
    return scores, coverage


def _idf(frequency: int, texts: int) -> float:
    return math.log(1 + (texts - frequency + 0.5) / (frequency + 0.5))


def check(index: BM25Index, held: dict[int, str], query: str) -> None:
    scores, coverage = reference(held, query)
    assert len(index) == len(held)
    assert index.scores(query).dtype == np.float32
    np.testing.assert_allclose(index.scores(query), scores, rtol=1e-5)
    np.testing.assert_allclose(index.coverage(query), coverage, rtol=1e-5)


@given(
    st.lists(st.dictionaries(st.integers(0, 6), texts, max_size=5), max_size=4),
    texts,
)
def test_texts_that_are_added_together_count_as_one_after_the_other(added: list[dict[int, str]], query: str) -> None:
    together, alone = BM25Index(), BM25Index()
    for some in added:
        together.add_all(some)
        for id_, text in some.items():
            alone.add(id_, text)
    assert len(together) == len(alone)
    assert together.scores(query).tolist() == alone.scores(query).tolist()
    assert together.coverage(query).tolist() == alone.coverage(query).tolist()


def test_a_negative_id_among_many_is_refused_and_nothing_is_added() -> None:
    index = BM25Index()
    with pytest.raises(InvalidInputError):
        index.add_all({0: "red", -1: "green"})
    assert len(index) == 0


@given(
    steps=st.lists(st.tuples(st.integers(0, 12), st.none() | texts), max_size=40),
    query=texts,
    dead=st.sampled_from((0, 3, 256)),
)
def test_any_sequence_of_changes_scores_as_the_formula(
    steps: list[tuple[int, str | None]], query: str, dead: int
) -> None:
    index, held = BM25Index(), dict[int, str]()
    with pytest.MonkeyPatch.context() as patch:
        # Compaction waits for hundreds of removed texts; here it also runs after the first few.
        patch.setattr("memoryos_core.recall.index.lexical._DEAD_LEAST", dead)
        for id_, text in steps:
            if text is None:
                index.remove(id_)
                held.pop(id_, None)
            else:
                index.add(id_, text)
                held[id_] = text
    check(index, held, query)


long_texts = texts | st.tuples(texts, st.integers(5, 60)).map(lambda made: " ".join([made[0]] * made[1]))
# No two texts have the same neighbour.
links = st.dictionaries(st.integers(0, 9), st.integers(0, 9), max_size=8).map(
    lambda made: {i: j for j, i in {j: i for i, j in made.items()}.items()}
)


@given(
    held=st.dictionaries(st.integers(0, 9), long_texts, max_size=8),
    gone=st.sets(st.integers(0, 9), max_size=3),
    near=st.lists(st.tuples(links, st.sampled_from((1.0, 0.5, 0.25, 0.0))), max_size=4),
    query=texts,
    spare=st.integers(0, 3),
)
def test_windows_score_as_the_formula(
    held: dict[int, str],
    gone: set[int],
    near: list[tuple[dict[int, int], float]],
    query: str,
    spare: int,
) -> None:
    index = BM25Index()
    for id_, text in held.items():
        index.add(id_, text)
    for id_ in gone:
        index.remove(id_)
    kept = {id_: text for id_, text in held.items() if id_ not in gone}
    links = [({i: j for i, j in some.items() if j in kept}, weight) for some, weight in near]
    # Who asks may know of more ids than have words here: those of texts that went. Nothing is near to them any more.
    ids = [np.array([some.get(i, -1) for i in range(10 + spare)], dtype=np.int64) for some, _ in links]
    asked = [Near(row, weight) for row, (_, weight) in zip(ids, links, strict=True)]
    scores, coverage = reference(kept, query, links)
    np.testing.assert_allclose(index.scores(query, asked), scores, rtol=1e-4)
    np.testing.assert_allclose(index.coverage(query), coverage, rtol=1e-5)


def test_a_long_neighbour_lends_no_more_than_forty_words() -> None:
    """What it lends is its own mixture of words: 20 of each, however often it says both."""
    nobody = [-1, -1]
    lent = []
    for times in (20, 21, 200, 1000):
        index = BM25Index(b=0)  # or its length would count by the mean, too
        index.add(0, "quay")
        index.add(1, "tram bell " * times)
        lent.append(index.scores("tram", [Near(np.array([1, -1]), 0.5), Near(np.array(nobody), 0.5)])[0])
    np.testing.assert_allclose(lent, lent[0], rtol=1e-6)
    assert lent[0] == pytest.approx(math.log(1 + 0.5 / 2.5) * 10 * 2.2 / (10 + 1.2), rel=1e-6)


def test_scores_by_hand() -> None:
    index = BM25Index()
    index.add(0, "red red car")
    index.add(2, "blue car")
    # One of two texts has it: idf ln 2. It has it twice, and is 3 long where the mean is 2.5.
    expected = math.log(2) * 2 * 2.2 / (2 + 1.2 * (0.25 + 0.75 * 3 / 2.5))
    np.testing.assert_allclose(index.scores("red"), [expected, 0, 0], rtol=1e-6)


def test_a_repeated_query_word_counts_once() -> None:
    index = BM25Index()
    index.add(0, "red car")
    np.testing.assert_array_equal(index.scores("red red red"), index.scores("red"))


def test_coverage_weighs_words_that_nobody_said() -> None:
    index = BM25Index()
    index.add(0, "Caroline paints")
    index.add(1, "Melanie runs")
    assert index.coverage("Caroline paints")[0] == pytest.approx(1)
    assert 0 < index.coverage("Caroline saxophone")[0] < 0.5
    assert index.coverage("Caroline saxophone")[1] == 0


@pytest.mark.parametrize("query", ["", "the of and", "?!", "saxophone"])
def test_a_query_without_known_words_scores_nothing(query: str) -> None:
    index = BM25Index()
    index.add(1, "red car")
    assert index.scores(query).tolist() == [0, 0]
    assert index.coverage(query).tolist() == [0, 0]
    assert BM25Index().scores(query).tolist() == []


def test_texts_of_function_words_alone_do_no_harm() -> None:
    index = BM25Index()
    index.add(0, "the of")
    assert index.scores("the red of").tolist() == [0]
    check(index, {0: "the of"}, "red")


def test_a_negative_id_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="-1"):
        BM25Index().add(-1, "red")


@pytest.mark.parametrize(
    ("query", "best"),
    [
        ("我什么时候搬到里斯本?", 0),
        ("东京的拉面", 1),
        ("犬の名前は何ですか", 2),
        ("リスボンに引っ越し", 3),
        ("고양이 이름", 4),
        ("佐々木さん", 5),
        ("ﾘｽﾎﾞﾝ", 3),
    ],
)
def test_questions_without_spaces_find_their_page(query: str, best: int) -> None:
    index = BM25Index()
    pages = (
        "我三月份搬到了里斯本,很喜欢那里的海。",
        "上周在东京吃了一碗很好吃的拉面。",
        "うちの犬の名前はハチです。",
        "三月にリスボンへ引っ越しました。",
        "우리 고양이 이름은 나비예요.",
        "昨日は佐々木さんと会いました。",
        "We talked about the weather.",
    )
    for id_, text in enumerate(pages):
        index.add(id_, text)
    assert int(np.argmax(index.scores(query))) == best


@settings(max_examples=5)
@given(seed=st.integers(0, 100))
def test_eight_threads_lose_nothing(seed: int) -> None:
    index = BM25Index()

    def work(lane: int) -> None:
        for number in range(40):
            id_ = lane * 40 + number
            index.add(id_, f"red number{id_}")
            index.scores("red")
            if (id_ + seed) % 3 == 0:
                index.remove(id_)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    check(index, {i: f"red number{i}" for i in range(320) if (i + seed) % 3}, "red number7 number8 number9")


def test_a_misspelt_word_finds_what_it_is_meant_for_and_no_word_that_is_known_is_read_as_another() -> None:
    index = BM25Index()
    index.add(0, "The compiler is configured for TypeScript.")
    index.add(1, "The planets are in a row.")
    np.testing.assert_array_equal(index.scores("typsecript"), index.scores("typescript"))
    np.testing.assert_array_equal(index.coverage("typsecript"), index.coverage("typescript"))
    index.add(2, "typsecript")
    assert np.flatnonzero(index.scores("typsecript")).tolist() == [2]
    index.remove(2)
    assert np.flatnonzero(index.scores("typsecript")).tolist() == [0]
    index.remove(0)
    assert not index.scores("typsecript").any()  # what is forgotten is no word that anything could be meant for


def test_a_misspelt_word_beside_the_right_one_does_not_count_it_twice() -> None:
    index = BM25Index()
    index.add(0, "The compiler is configured for TypeScript.")
    np.testing.assert_array_equal(index.scores("typescript typsecript"), index.scores("typescript"))


def test_the_first_texts_lie_in_a_few_arrays_and_answer_as_when_added_one_by_one() -> None:
    said = {number: f"{VOCABULARY[number % 9]} {VOCABULARY[number % 7]} word{number} cats" for number in range(60)}
    whole, single = BM25Index(), BM25Index()
    whole.add_all(said)
    for number, text in said.items():
        single.add(number, text)
    assert not whole._postings, "no array of its own for each word"
    assert sum(len(some.terms) for some in whole._stored) > 60
    for index in (whole, single):
        index.add_all({60: "late cats", 3: "word4 instead"})
        index.remove(7)
    for query in ("cats word4", "red late", "lisbn", "nothing"):
        assert whole.scores(query).tobytes() == single.scores(query).tobytes()
        assert whole.coverage(query).tobytes() == single.coverage(query).tobytes()
    written = whole.postings(np.arange(1, 3))
    assert written.terms == sorted(written.terms)


def test_postings_that_were_stored_in_another_order_are_found() -> None:
    index, again = BM25Index(), BM25Index()
    index.add_all({0: "blue cats", 1: "red red cats", 2: "green"})
    kept = index.postings(np.arange(3))
    order = list(reversed(range(len(kept.terms))))
    parts = [slice(int(kept.starts[place]), int(kept.starts[place + 1])) for place in order]
    shuffled = Postings(
        [kept.terms[place] for place in order],
        np.append(0, np.cumsum([part.stop - part.start for part in parts])),
        np.concatenate([kept.documents[part] for part in parts]),
        np.concatenate([kept.counts[part] for part in parts]),
        kept.lengths,
    )
    again.take([shuffled], np.arange(3))
    for query in ("cats", "red green", "blue"):
        assert again.scores(query).tobytes() == index.scores(query).tobytes()
