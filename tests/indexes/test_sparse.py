"""Terms of a learned sparse encoder: exact scores, changes are followed, a failing encoder costs only its signal."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryos_core.errors import ModelError
from memoryos_core.ports import SparseEncoder, SparseVector
from memoryos_core.recall.index.faiss import FaissIndex
from memoryos_core.recall.index.lexical import BM25Index
from memoryos_core.recall.index.resident import ResidentIndex
from memoryos_core.recall.index.sparse import SparseIndex
from memoryos_core.rules.text.words import terms
from memoryos_core.values.candidates import Candidates, Near
from memoryos_core.values.dialogue import Scope
from tests.indexes.feeding import FeedingStore, fact, page, unit_vector

ALICE = Scope("alice")
MEANS = {"ship": "boat", "vessel": "boat", "doctor": "physician"}


class Thesaurus:
    """Every term weighs 1, and what it also means one half; keeps what it read. `failure` is raised while it is set."""

    name = "thesaurus"

    def __init__(self) -> None:
        self.failure: BaseException | None = None
        self.read: list[str] = []
        self.batches: list[int] = []
        self._numbers: dict[str, int] = {}
        self._lock = threading.Lock()

    def encode_documents(self, texts: Sequence[str]) -> list[SparseVector]:
        if self.failure is not None:
            raise self.failure
        with self._lock:
            self.read += texts
            self.batches.append(len(texts))
        return [self._encode(text) for text in texts]

    def encode_query(self, text: str) -> SparseVector:
        if self.failure is not None:
            raise self.failure
        return self._encode(text)

    def _encode(self, text: str) -> SparseVector:
        weights: dict[int, float] = {}
        with self._lock:
            for term in terms(text):
                weights[self._numbers.setdefault(term, len(self._numbers))] = 1.0
                if term in MEANS:
                    weights.setdefault(self._numbers.setdefault(MEANS[term], len(self._numbers)), 0.5)
        return np.array(list(weights), dtype=np.int32), np.array(list(weights.values()), dtype=np.float32)


def resident(store: FeedingStore, encoder: SparseEncoder | None) -> ResidentIndex:
    return ResidentIndex(
        store,  # type: ignore[arg-type]  # the two verbs that an index follows
        vector_index=FaissIndex,
        lexical_index=BM25Index,
        sparse=encoder,
    )


def by_owner(found: Candidates) -> dict[str, float]:
    assert found.sparse is not None
    return dict(zip(found.owners, found.sparse.tolist(), strict=True))


def vector(**weights: float) -> SparseVector:
    """`a` to `z` are the terms 0 to 25."""
    terms = [ord(name) - ord("a") for name in weights]
    return np.array(terms, dtype=np.int32), np.array(list(weights.values()), dtype=np.float32)


# the postings


def test_a_score_is_the_dot_product_of_what_is_shared() -> None:
    index = SparseIndex()
    index.add(3, vector(a=1.0, b=2.0))
    index.add(1, vector(b=0.5, c=4.0))
    assert index.scores(vector(b=3.0, c=1.0, z=9.0), 5).tolist() == [0, 5.5, 0, 6.0, 0]
    assert len(index) == 2


def test_adding_again_replaces_and_removing_forgets() -> None:
    index = SparseIndex()
    index.add(0, vector(a=1.0))
    index.add(0, vector(b=1.0))
    assert index.scores(vector(a=1.0, b=1.0), 1).tolist() == [1.0]
    index.remove(0)
    index.remove(0)
    assert index.scores(vector(a=1.0, b=1.0), 1).tolist() == [0.0]
    assert len(index) == 0


def test_those_near_lend_their_share() -> None:
    index = SparseIndex()
    index.add(0, vector(a=1.0))
    index.add(1, vector(b=2.0))
    before, after = np.array([-1, 0, 1]), np.array([1, 2, -1])
    near = (Near(before, 0.5), Near(after, 0.25))
    assert index.scores(vector(a=1.0, b=1.0), 3, near).tolist() == [1.5, 2.5, 1.0]


@given(
    st.lists(
        st.tuples(
            st.integers(0, 12),
            st.none() | st.dictionaries(st.integers(0, 9), st.floats(0.125, 4, width=32), max_size=5),
        ),
        max_size=60,
    ),
    st.dictionaries(st.integers(0, 9), st.floats(0.125, 4, width=32), max_size=5),
)
def test_after_any_changes_scores_are_those_of_a_table(changes, asked: dict[int, float]) -> None:
    def of(weights: dict[int, float]) -> SparseVector:
        return np.array(list(weights), dtype=np.int32), np.array(list(weights.values()), dtype=np.float32)

    index, table = SparseIndex(), np.zeros((13, 10))
    for id_, weights in changes * 20:  # often enough that what is dead is cleared out
        table[id_] = 0
        if weights is None:
            index.remove(id_)
        else:
            index.add(id_, of(weights))
            for term, weight in weights.items():
                table[id_, term] = weight
    wanted = table @ [asked.get(term, 0.0) for term in range(10)]
    np.testing.assert_allclose(index.scores(of(asked), 13), wanted, rtol=1e-5)


def test_what_is_dead_is_cleared_out() -> None:
    index = SparseIndex()
    index.add(1, vector(a=1.0, b=1.0))
    for _ in range(2000):
        index.add(0, vector(a=1.0, c=1.0))
    assert len(index._id_of_text) < 600
    assert index.scores(vector(a=1.0, b=2.0), 2).tolist() == [1.0, 3.0]


# in the resident index


def test_without_an_encoder_there_is_no_such_signal() -> None:
    store = FeedingStore()
    store.put(ALICE, page(0, "A boat"))
    assert resident(store, None).candidates(ALICE, "boat", None, 5).sparse is None


def test_what_no_word_and_no_vector_finds_the_encoder_finds() -> None:
    store = FeedingStore()
    store.put(ALICE, page(0, "I sold the ship", session_id="one"))
    store.put(ALICE, page(1, "The weather was fine", session_id="two"))
    store.put(ALICE, fact(2, "Owns a vessel"))
    found = resident(store, Thesaurus()).candidates(ALICE, "boat", None, 5)
    assert by_owner(found) == {"p0": 0.5, "f2": 0.5}
    assert found.lexical.tolist() == [0, 0]


def test_only_the_best_by_the_encoder_join() -> None:
    store = FeedingStore()
    for number, said in enumerate(("ship", "ship boat", "ship vessel boat doctor")):
        store.put(ALICE, page(number, said, session_id=str(number)))
    found = resident(store, Thesaurus()).candidates(ALICE, "vessel physician", None, 1)
    assert found.owners == ("p2",)


def test_each_text_is_read_once_and_what_is_new_in_one_batch() -> None:
    store, encoder = FeedingStore(), Thesaurus()
    index = resident(store, encoder)
    for number in range(3):
        store.put(ALICE, page(number, f"ship {number}", "Aye"))
    index.candidates(ALICE, "boat", None, 5)
    index.candidates(ALICE, "boat", None, 5)
    assert encoder.batches == [6]
    store.put(ALICE, page(1, "ship 1", "Aye", segment_id="g"))  # moved: it says what it said
    store.put(ALICE, page(3, "doctor"))
    index.candidates(ALICE, "boat", None, 5)
    assert encoder.batches == [6, 1]


def test_many_texts_are_read_in_several_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memoryos_core.recall.index.resident._ENCODED_AT_ONCE", 4)
    store, encoder = FeedingStore(), Thesaurus()
    for number in range(9):
        store.put(ALICE, page(number, f"ship {number}"))
    assert len(resident(store, encoder).candidates(ALICE, "boat", None, 20)) == 9
    assert encoder.batches == [4, 4, 1]


def test_what_changes_and_goes_is_followed() -> None:
    store, encoder = FeedingStore(), Thesaurus()
    index = resident(store, encoder)
    store.put(ALICE, page(0, "ship"))
    store.put(ALICE, fact(1, "a vessel"))
    assert by_owner(index.candidates(ALICE, "boat", None, 5)) == {"p0": 0.5, "f1": 0.5}
    store.put(ALICE, page(0, "a doctor"))
    store.retire(ALICE, "f1")
    assert len(index.candidates(ALICE, "boat", None, 5)) == 0
    assert by_owner(index.candidates(ALICE, "physician", None, 5)) == {"p0": 0.5}
    store.delete(ALICE, "p0")
    assert len(index.candidates(ALICE, "physician", None, 5)) == 0


def test_a_neighbour_is_known_by_what_it_answers() -> None:
    store = FeedingStore()
    store.put(ALICE, page(0, "Where is the ship?", "In Horta"))
    found = resident(store, Thesaurus()).candidates(ALICE, "boat", None, 5)
    assert found.parts == ("user", "assistant")
    assert found.sparse is not None
    assert found.sparse.tolist() == [0.5, 0.25]


@pytest.mark.parametrize("failure", [ModelError("down"), TimeoutError("slow")])
def test_a_failing_encoder_costs_its_signal_and_is_asked_again(
    caplog: pytest.LogCaptureFixture, failure: Exception
) -> None:
    store, encoder = FeedingStore(), Thesaurus()
    index = resident(store, encoder)
    store.put(ALICE, page(0, "my secret ship"), {"user": unit_vector(1, 0)})
    encoder.failure = failure
    found = index.candidates(ALICE, "ship", None, 5)
    assert found.owners == ("p0",)
    assert found.sparse is None
    assert found.lexical[0] > 0
    assert "sparse encoder failed" in caplog.text
    assert "secret" not in caplog.text
    encoder.failure = None
    assert by_owner(index.candidates(ALICE, "boat", None, 5)) == {"p0": 0.5}


def test_a_text_that_it_fails_on_leaves_the_others_their_signal(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    class Picky(Thesaurus):
        def encode_documents(self, texts: Sequence[str]) -> list[SparseVector]:
            if any("poison" in text for text in texts):
                raise ValueError(texts)
            return super().encode_documents(texts)

    monkeypatch.setattr("memoryos_core.recall.index.resident._ENCODED_AT_ONCE", 1)
    store = FeedingStore()
    for number, said in enumerate(("ship", "poison")):
        store.put(ALICE, page(number, said, session_id=str(number)))
    assert by_owner(resident(store, Picky()).candidates(ALICE, "boat poison", None, 5)) == {"p0": 0.5, "p1": 0}
    assert "1 text(s) have no sparse terms" in caplog.text
    assert "poison" not in caplog.text


@pytest.mark.parametrize(
    "answer",
    [
        [],
        [(np.array([1], np.int32), np.array([1.0, 2.0], np.float32))],
        [(np.array([1], np.int32), np.array([np.nan], np.float32))],
        [(np.array([[1]], np.int32), np.array([[1.0]], np.float32))],
        [(["a word"], [1.0])],
        ["nonsense"],
        None,
    ],
)
def test_nonsense_from_an_encoder_is_a_failure(caplog: pytest.LogCaptureFixture, answer) -> None:
    encoder = Thesaurus()
    encoder.encode_documents = lambda texts: answer  # type: ignore[method-assign]
    store = FeedingStore()
    store.put(ALICE, page(0, "ship"))
    found = resident(store, encoder).candidates(ALICE, "ship", None, 5)
    assert by_owner(found) == {"p0": 0}
    assert "sparse encoder failed" in caplog.text


def test_what_goes_before_it_was_read_is_not_read(caplog: pytest.LogCaptureFixture) -> None:
    store, encoder = FeedingStore(), Thesaurus()
    index = resident(store, encoder)
    store.put(ALICE, fact(1, "a vessel"))
    store.put(ALICE, page(0, "ship"))
    encode, encoder.encode_documents = encoder.encode_documents, lambda texts: []  # type: ignore[method-assign]
    index.candidates(ALICE, "boat", None, 5)
    assert "2 text(s) have no sparse terms" in caplog.text
    store.retire(ALICE, "f1")
    encoder.encode_documents = encode  # type: ignore[method-assign]
    assert by_owner(index.candidates(ALICE, "boat", None, 5)) == {"p0": 0.5}
    assert encoder.read == ["ship"]


def test_threads_that_ask_at_once_wait_for_one_reading() -> None:
    encoder, begun, gate = Thesaurus(), threading.Event(), threading.Event()
    read = encoder.encode_documents

    def slowly(texts: Sequence[str]) -> list[SparseVector]:
        begun.set()
        assert gate.wait(60)
        return read(texts)

    encoder.encode_documents = slowly  # type: ignore[method-assign]
    store = FeedingStore()
    store.put(ALICE, page(0, "ship"))
    index = resident(store, encoder)
    with ThreadPoolExecutor(4) as pool:
        asked = [pool.submit(index.candidates, ALICE, "boat", None, 5) for _ in range(4)]
        assert begun.wait(60)
        assert index.speakers(ALICE) == frozenset()  # who does without the encoder does not wait for it
        gate.set()
        assert [by_owner(one.result(60)) for one in asked] == [{"p0": 0.5}] * 4
    assert encoder.read == ["ship"]


def test_a_text_that_changed_while_it_was_read_is_read_again() -> None:
    store, encoder = FeedingStore(), Thesaurus()
    index, read = resident(store, encoder), encoder.encode_documents

    def changing(texts: Sequence[str]) -> list[SparseVector]:
        if list(texts) == ["ship"]:
            store.put(ALICE, page(0, "a doctor"))
            follower = threading.Thread(target=index.speakers, args=(ALICE,))
            follower.start()  # as if another question came in
            follower.join(60)
        return read(texts)

    encoder.encode_documents = changing  # type: ignore[method-assign]
    store.put(ALICE, page(0, "ship"))
    assert by_owner(index.candidates(ALICE, "boat doctor physician", None, 5)) == {"p0": 1.5}
    assert encoder.read == ["ship", "a doctor"]
