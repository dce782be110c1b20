"""Words said round a half of a page count for it, too: the window follows the session whatever is written when."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memoryos_core.ports import Store
from memoryos_core.recall.index import open_index
from memoryos_core.recall.index.lexical import BM25Index, Windows
from memoryos_core.recall.index.resident import ResidentIndex
from memoryos_core.recall.index.units import Unit, UnitTable, units_of_page
from memoryos_core.recall.index.vectors import FlatIndex
from memoryos_core.rules.text.words import terms
from memoryos_core.values.dialogue import Page, Scope
from memoryos_core.values.facts import Fact
from memoryos_core.values.queries import Candidates, Near
from tests.indexes.feeding import FeedingStore, fact, page

ALICE = Scope("alice")
WEIGHTS = {0: 1.0, 1: 0.5, 2: 0.25}


def resident(store: FeedingStore) -> ResidentIndex:
    return ResidentIndex(store, vector_index=FlatIndex, lexical_index=BM25Index)  # type: ignore[arg-type]


def scores(found: Candidates) -> dict[tuple[str, str], float]:
    return dict(zip(zip(found.owners, found.parts, strict=True), found.lexical.tolist(), strict=True))


def plainly(rows: list[Page | Fact], query: str, b: float = 0.75) -> dict[tuple[str, str], float]:
    """The scores above 0, from the sessions as lists and the formula."""
    sessions: dict[str, list[tuple[tuple[str, str], Counter[str]]]] = {}
    for row in sorted((r for r in rows if isinstance(r, Page)), key=lambda p: p.seq):
        said = sessions.setdefault(row.session_id, [])
        said += [((row.id, half), Counter(terms(t))) for half in ("user", "assistant") if (t := row.text(half))]
    alone = [[((row.id, "fact"), Counter(terms(row.text)))] for row in rows if isinstance(row, Fact)]
    windows: dict[tuple[str, str], tuple[dict[str, float], float]] = {}
    for said in [*sessions.values(), *alone]:
        for here, (unit, own) in enumerate(said):
            near = [(c, abs(here - there)) for there, (_, c) in enumerate(said) if 0 < abs(here - there) <= 2]
            parts = [(own, 1.0), *((c, WEIGHTS[away] * min(1.0, 40 / max(c.total(), 1))) for c, away in near)]
            counts = {t: sum(weight * part[t] for part, weight in parts) for t in set(terms(query))}
            windows[unit] = counts, sum(weight * part.total() for part, weight in parts)
    mean = sum(size for _, size in windows.values()) / max(len(windows), 1)
    out = dict.fromkeys(windows, 0.0)
    for term in set(terms(query)):
        frequency = sum(counts[term] > 0 for counts, _ in windows.values())
        idf = math.log(1 + (len(windows) - frequency + 0.5) / (frequency + 0.5))
        for unit, (counts, size) in windows.items():
            if counts[term]:
                out[unit] += idf * counts[term] * 2.2 / (counts[term] + 1.2 * (1 - b + b * size / mean))
    return {unit: score for unit, score in out.items() if score > 0}


def check(index: ResidentIndex, rows: list[Page | Fact], query: str) -> None:
    assert scores(index.candidates(ALICE, query, None, 99)) == pytest.approx(plainly(rows, query), rel=1e-4)


def test_two_halves_on_either_side_count_each_step_away_half() -> None:
    store = FeedingStore()
    said = [page(n, "tram" if n == 4 else "quay") for n in range(9)]
    for one in said:
        store.put(ALICE, one)
    found = scores(resident(store).candidates(ALICE, "tram", None, 99))
    # Windows hold 2.5 words, but 1.75 and 2.25 at either end of the session; five of nine know of the tram.
    mean = (5 * 2.5 + 2 * 1.75 + 2 * 2.25) / 9
    idf, norm = math.log(1 + 4.5 / 5.5), 1.2 * (0.25 + 0.75 * 2.5 / mean)
    weights = {2: 0.25, 3: 0.5, 4: 1.0, 5: 0.5, 6: 0.25}
    assert found == pytest.approx({(f"p{n}", "user"): idf * w * 2.2 / (w + norm) for n, w in weights.items()})
    check(resident(store), list(said), "quay tram")


def test_the_halves_of_a_page_are_near_each_other() -> None:
    store = FeedingStore()
    store.put(ALICE, page(0, "quay", "gull"))
    store.put(ALICE, page(1, "tram", "bell"))
    store.put(ALICE, page(2, "rope", "sail"))
    found = scores(resident(store).candidates(ALICE, "tram", None, 99))
    assert set(found) == {("p0", "user"), ("p0", "assistant"), ("p1", "user"), ("p1", "assistant"), ("p2", "user")}
    assert found["p1", "user"] == max(found.values())


def test_a_window_ends_where_the_session_does() -> None:
    store = FeedingStore()
    store.put(ALICE, page(0, "quay", session_id="a"))
    store.put(ALICE, page(1, "tram", session_id="b"))
    store.put(ALICE, page(2, "quay", session_id="a"))
    store.put(ALICE, page(3, "gull", session_id="b"))
    found = scores(resident(store).candidates(ALICE, "tram", None, 99))
    assert set(found) == {("p1", "user"), ("p3", "user")}


def test_facts_lend_nothing_and_borrow_nothing() -> None:
    store = FeedingStore()
    rows: list[Page | Fact] = [fact(0, "tram"), fact(1, "quay"), page(0, "gull"), fact(2, "tram tram"), page(1, "rope")]
    for row in rows:
        store.put(ALICE, row)
    assert set(scores(resident(store).candidates(ALICE, "tram", None, 99))) == {("f0", "fact"), ("f2", "fact")}
    assert set(scores(resident(store).candidates(ALICE, "gull", None, 99))) == {("p0", "user"), ("p1", "user")}
    check(resident(store), rows, "tram gull rope")


def test_what_is_said_in_between_later_pushes_apart_and_what_goes_lets_close_up() -> None:
    store = FeedingStore()
    rows = {n: page(n, text) for n, text in ((0, "tram"), (3, "quay"), (5, "gull"), (7, "rope"))}
    for row in rows.values():
        store.put(ALICE, row)
    index = resident(store)
    assert {owner for owner, _ in scores(index.candidates(ALICE, "tram", None, 99))} == {"p0", "p3", "p5"}
    for number in (4, 1):
        rows[number] = page(number, "sail", "mast" if number == 4 else "")
        store.put(ALICE, rows[number])
    assert {owner for owner, _ in scores(index.candidates(ALICE, "tram", None, 99))} == {"p0", "p1", "p3"}
    check(index, list(rows.values()), "tram quay sail mast")
    rows[3] = page(3, "", "")  # it falls silent: nothing of it is left but the page
    store.put(ALICE, rows[3])
    assert {owner for owner, _ in scores(index.candidates(ALICE, "tram", None, 99))} == {"p0", "p1", "p4"}
    check(index, list(rows.values()), "tram quay sail mast")
    store.delete(ALICE, "p1")
    del rows[1]
    found = scores(index.candidates(ALICE, "tram", None, 99))
    assert set(found) == {("p0", "user"), ("p4", "user"), ("p4", "assistant")}
    check(index, list(rows.values()), "tram quay sail mast")


def test_an_essay_does_not_drown_the_remark_it_answers() -> None:
    def remark(words_of_essay: int) -> float:
        store = FeedingStore()
        store.put(ALICE, page(0, "Which tram", "gull " * words_of_essay))
        for n in range(1, 30):
            store.put(ALICE, page(n, "quay rope sail"))
        return scores(resident(store).candidates(ALICE, "tram", None, 99))["p0", "user"]

    # Past forty words only the mean length of all windows moves, by what the essay is longer itself.
    assert remark(10) > remark(40)
    assert remark(400) >= remark(40)


def test_what_is_opened_for_a_store_punishes_long_windows_a_little_more_than_the_textbook() -> None:
    store = FeedingStore()
    rows: list[Page | Fact] = [page(n, "tram " + "quay " * n, "gull") for n in range(5)]
    for row in rows:
        store.put(ALICE, row)
    opened: Store = store  # type: ignore[assignment]
    found = scores(open_index(opened).candidates(ALICE, "tram", None, 99))
    assert found == pytest.approx(plainly(rows, "tram", b=0.9), rel=1e-4)


texts = st.lists(st.sampled_from(("tram", "quay", "gull", "rope", "the", "sail " * 30, "tram " * 50)), max_size=4)
spoken = texts.map(" ".join)
pages = st.tuples(st.just("page"), st.integers(0, 9), spoken, spoken)
steps = st.lists(
    st.one_of(
        pages,
        pages,
        st.tuples(st.just("fact"), st.integers(0, 2), spoken),
        st.tuples(st.just("delete"), st.integers(0, 9)),
        st.tuples(st.just("ask")),
    ),
    min_size=1,
    max_size=30,
)


@given(steps=steps, query=spoken)
def test_after_any_writes_windows_are_those_of_the_sessions_as_they_are(steps: list[tuple], query: str) -> None:
    store, rows = FeedingStore(chunk=3), dict[str, Page | Fact]()
    index = resident(store)
    for step in steps:
        match step:
            case ("page", number, user, assistant):
                rows[f"p{number}"] = page(number, user, assistant, session_id=f"s{number % 2}")
                store.put(ALICE, rows[f"p{number}"])
            case ("fact", number, text):
                rows[f"f{number}"] = fact(number, text or "tram")
                store.put(ALICE, rows[f"f{number}"])
            case ("delete", number) if f"p{number}" in rows:
                store.delete(ALICE, f"p{number}")
                del rows[f"p{number}"]
            case _:
                index.candidates(ALICE, "tram", None, 9)
    check(index, list(rows.values()), query)


def test_an_empty_scope_has_no_windows() -> None:
    found = resident(FeedingStore()).candidates(ALICE, "tram", None, 9)
    assert len(found) == 0
    assert found.lexical.dtype == np.float32


def test_windows_stay_the_same_object_until_a_passage_comes_or_goes() -> None:
    units = UnitTable()
    for number in range(4):
        for unit in units_of_page(page(number, "red", "blue")):
            units.put(unit)
    windows = units.windows(0.5)
    for unit in units_of_page(page(0, "green", "blue", segment_id="g")):
        units.put(unit)  # moved, and in other words: it stands where it stood
    assert units.windows(0.5) is windows
    units.drop("p3", "user")
    assert units.windows(0.5) is not windows
    assert windows[0].ids.tolist() == [-1, 0, 1, 2, 3, 4, 5, 6]
    assert units.windows(0.5)[0].ids.tolist() == [-1, 0, 1, 2, 3, 4, -1, 5]


def test_speakers_are_those_of_the_passages_that_are_left() -> None:
    units = UnitTable()
    for number, name in enumerate(("Ann", "Ben", "Ann", " ")):
        units.put(Unit(f"p{number}", "user", "hello", 0.0, session="s", speaker=name, seq=number))
    assert units.said_by() == {"Ann", "Ben"}
    units.drop("p1", "user")
    units.drop("p0", "user")
    assert units.said_by() == {"Ann"}
    units.put(Unit("p2", "user", "hello", 0.0, session="s", speaker="Cyd", seq=2))
    assert units.said_by() == {"Cyd"}


def test_a_term_is_counted_in_the_texts_that_have_it_and_round_them_alone() -> None:
    held = np.ones(1_000, dtype=np.bool_)
    before, after = np.arange(-1, 999), np.append(np.arange(1, 1_000), -1)
    windows = Windows(np.full(1_000, 5, dtype=np.float32), held, (Near(before, 0.5), Near(after, 0.5)))
    counts = windows.counts(np.array([0, 500], dtype=np.int32), np.array([1, 2], dtype=np.float32))
    assert {at: float(counts[at]) for at in np.flatnonzero(counts)} == {0: 1, 1: 0.5, 499: 1, 500: 2, 501: 1}


@given(
    sessions=st.lists(st.integers(1, 7), min_size=1, max_size=6),
    said=st.dictionaries(st.integers(0, 40), st.integers(1, 5), max_size=20),
    gone=st.sets(st.integers(0, 40)),
)
@example(sessions=[1], said={}, gone={0})
def test_counts_are_those_of_looking_at_every_text(sessions: list[int], said: dict[int, int], gone: set[int]) -> None:
    size = sum(sessions)
    starts = {0, *np.cumsum(sessions).tolist()}
    before = np.array([-1 if at in starts else at - 1 for at in range(size)])
    after = np.array([-1 if at + 1 in starts else at + 1 for at in range(size)])
    twice = [np.append(step, -1)[step] for step in (before, after)]
    near = (Near(before, 0.5), Near(twice[0], 0.25), Near(after, 0.5), Near(twice[1], 0.25))
    held = np.array([at not in gone for at in range(size)])
    lengths = np.arange(size, dtype=np.float32) * 9
    windows = Windows(lengths, held, near)
    own = np.zeros(size, dtype=np.float32)
    ids = np.array([at for at in said if at < size and held[at]], dtype=np.int32)
    own[ids] = [said[at] for at in ids.tolist()]
    lent = np.append(own * windows.share, np.float32(0))
    wanted = own.copy()
    for others in near:
        wanted += lent[others.ids] * others.weight
    wanted[~held] = 0
    assert windows.counts(ids, own[ids]).tobytes() == wanted.tobytes()
