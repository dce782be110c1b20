"""Topics made anew: the segments of a scope divided into runs of pages, and the runs joined by average linkage.

A topic joins the segment that is closest when it comes, and what joined wrongly would stay there. So now and then, as a
scope grows, all is compared at once. Closeness is measured from the middle of the scope, half by vectors and half by
words, which weigh by how few pages of the scope have them: two talks about trains are alike in meaning, and are of one
topic if they share the island that the train goes to. The mean over all pairs of pages of two runs follows from their
centroids, so no page is compared alone.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from memoryos_core.rules.text.words import terms
from memoryos_core.values.dialogue import HALVES, HeatCounters, Page, Vector

__all__ = ["Run", "group", "is_due", "keep_ids", "runs", "share", "word_rows"]

# Every scope is regrouped at the same seqs: at 32 pages, with each eight more, and from 128 pages on each time that it
# has grown by a quarter. What a small one has in the middle changes with each batch.
_FIRST_SEQ, _STEP, _SMALL = 32, 8, 128
_GROWTH = 1.25
_DECIMALS = 5  # above the rounding of sums, which differs between machines: equal closeness stays equal
_OF_ONE_THREAD = 200_000  # multiplications of a product that OpenBLAS takes for too small to be shared
_NO_SPREAD = 1e-5
_SAME = 0.95
# The words that tell most pages apart; more of them change little (ADR 0030). A person's own words count twice.
_MOST_WORDS, _OWN = 512, 2
_READ_CHARS = 4000
_PAGES_KEPT = 2048  # of a scope, whose pages are read again each time that its topics are made anew


@dataclass(frozen=True, slots=True)
class Run:
    """Pages of one segment that follow one another in a session and in a chain, by their places; they stay together.

    A `settled` run stands for a segment that is not divided, with pages that are not given: it may only take others in.
    Its words are not read: they are as near as any.
    """

    segment_id: str
    places: tuple[int, ...]
    centroid: NDArray[np.float64]
    words: NDArray[np.float64]
    weight: int
    settled: bool = False


def is_due(before: int, after: int) -> bool:
    """Return whether a scope is regrouped when the newest page that left short-term memory goes from seq to seq."""
    moment = _FIRST_SEQ
    while moment <= before:
        moment = moment + _STEP if moment < _SMALL else math.ceil(moment * _GROWTH)
    return moment <= after


def word_rows(pages: Sequence[Page]) -> NDArray[np.float64]:
    """Return a row for each page: its words, from the middle of the pages.

    The product of two rows is 0 for any two pages and 1 for a page with itself, in the mean. A word weighs by its
    idf and by the logarithm of its count; rare ones that have no column make a page less like all others.
    """
    counts = [_count_terms(page) for page in pages]
    having = Counter(chain.from_iterable(counts))
    idf = {term: math.log(len(pages) / count) for term, count in having.items()}
    shared = [term for term, count in having.items() if 1 < count < len(pages)]
    shared.sort(key=lambda term: (-having[term] * idf[term] ** 2, term))
    column = {term: number for number, term in enumerate(shared[:_MOST_WORDS])}
    rows: NDArray[np.float64] = np.zeros((len(pages), max(1, len(column))), dtype=np.float64)
    for row, counted in zip(rows, counts, strict=True):
        weights = {term: said * idf[term] for term, said in counted.items()}
        length = math.sqrt(math.fsum(weight * weight for weight in weights.values())) or 1.0
        for term in weights.keys() & column.keys():
            row[column[term]] = weights[term] / length
    rows -= rows.mean(axis=0)
    spread = float((rows * rows).sum()) / len(pages)
    return rows / math.sqrt(spread) if spread > _NO_SPREAD else np.zeros_like(rows)


def _count_terms(page: Page) -> Mapping[str, float]:
    named = {message.half for message in page.messages if message.name}
    return _weigh_terms(
        tuple((half == "user" or half in named, page.text(half, named=False)[:_READ_CHARS]) for half in HALVES)
    )


@lru_cache(maxsize=_PAGES_KEPT)
def _weigh_terms(halves: tuple[tuple[bool, str], ...]) -> Mapping[str, float]:
    """Return the terms of texts with the logarithms of their counts; those of a person's `own` text count twice."""
    counted = Counter[str]()
    for own, text in halves:
        counted.update(terms(text) * (_OWN if own else 1))
    return {term: 1 + math.log(count) for term, count in counted.items()}


def runs(
    pages: Sequence[Page], homes: Sequence[str], vectors: Sequence[Vector], words: NDArray[np.float64]
) -> list[Run]:
    """Return the runs of pages in sequence, whose segments are `homes`; a page without direction is of the one before.

    Where there is none before it in its segment, it begins one.
    """
    places: list[list[int]] = []
    last: dict[str, tuple[str, str | None, int]] = {}  # of each session
    newest: dict[str, int] = {}  # the last run of each segment
    blind: set[int] = set()  # runs without direction so far
    for place, (page, home, vector) in enumerate(zip(pages, homes, vectors, strict=True)):
        *before, number = last.get(page.session_id, (None, None, -1))
        if before != [home, page.chain_id]:
            number = newest.get(home, -1)
            if vector.any() and number not in blind:
                number = -1
        if number < 0:
            number = newest[home] = len(places)
            places.append([])
            blind.add(number)
        places[number].append(place)
        last[page.session_id] = home, page.chain_id, number
        if vector.any():
            blind.discard(number)
    stacked = np.asarray(vectors, dtype=np.float64)
    return [
        Run(homes[some[0]], tuple(some), stacked[some].mean(axis=0), words[some].mean(axis=0), len(some))
        for some in places
    ]


def group(units: Sequence[Run], least: float) -> list[tuple[int, ...]]:
    """Return the topics: the numbers of the runs of each, in the order of their first ones.

    Where all is about one thing, nothing is close from the middle. So pages that hardly differ are near in any case.
    Two settled runs are never joined, nor a run without direction with any other.
    """
    centroids: NDArray[np.float64] = np.stack([unit.centroid for unit in units])
    weights = np.array([unit.weight for unit in units], dtype=np.float64)
    middle: NDArray[np.float64] = np.average(centroids, axis=0, weights=weights)
    spread = max(1.0 - float(middle @ middle), _NO_SPREAD)
    away: NDArray[np.float64] = centroids - middle
    closeness = (_products(away / math.sqrt(spread)) + _products(np.stack([unit.words for unit in units]))) / 2
    closeness[_products(centroids) >= _SAME] = 1.0
    apart = np.array([unit.settled for unit in units])
    closeness[np.ix_(apart, apart)] = -np.inf
    lost = ~centroids.any(axis=1)
    closeness[lost] = closeness[:, lost] = -np.inf
    topics: dict[int, list[int]] = {}
    for number, topic in enumerate(_average_linkage(closeness, weights, least).tolist()):
        topics.setdefault(topic, []).append(number)
    return [tuple(numbers) for numbers in topics.values()]


def _products(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the products of all pairs of rows, block by block.

    OpenBLAS shares a larger product among threads, which then turn for 30 ms of CPU each in wait of the next one.
    """
    count, width = rows.shape
    step = max(1, math.isqrt(_OF_ONE_THREAD // max(1, width)))
    products: NDArray[np.float64] = np.empty((count, count), dtype=np.float64)
    for top in range(0, count, step):
        for left in range(top, count, step):
            block: NDArray[np.float64] = np.inner(rows[top : top + step], rows[left : left + step])
            products[top : top + step, left : left + step] = block
            products[left : left + step, top : top + step] = np.transpose(block)
    return np.round(products, _DECIMALS)


def _average_linkage(closeness: NDArray[np.float64], weights: NDArray[np.float64], least: float) -> NDArray[np.intp]:
    """Return the first member of the cluster of each row: average linkage, as far as closeness is not below `least`.

    By chains of nearest neighbours (Murtagh, 1983): a pair that is nearest to each other is joined at once, which gives
    the same tree as to join the closest pair of all each time, in O(n²) steps. Changes both arrays.
    """
    np.fill_diagonal(closeness, -np.inf)
    home = np.arange(len(weights))
    left = [True] * len(weights)
    chain: list[int] = []
    first = 0
    while True:
        if not chain:
            while first < len(left) and not left[first]:
                first += 1
            if first == len(left):
                return home
            chain.append(first)
        tip = chain[-1]
        nearest = int(closeness[tip].argmax())
        before = chain[-2] if len(chain) > 1 else nearest
        if closeness[tip, before] >= closeness[tip, nearest]:
            nearest = before
        if closeness[tip, nearest] < least:
            closeness[:, chain.pop()] = -np.inf  # what is joined elsewhere comes no closer to it
            left[tip] = False
        elif len(chain) > 1 and nearest == before:
            del chain[-2:]
            kept, gone = min(tip, nearest), max(tip, nearest)
            _join(closeness, weights, kept, gone)
            home[home == gone] = kept
            left[gone] = False
        else:
            chain.append(nearest)


def _join(closeness: NDArray[np.float64], weights: NDArray[np.float64], kept: int, gone: int) -> None:
    both = weights[kept] + weights[gone]
    mean = (weights[kept] * closeness[kept] + weights[gone] * closeness[gone]) / both
    mean[[kept, gone]] = -np.inf
    closeness[kept] = closeness[:, kept] = mean
    closeness[gone] = closeness[:, gone] = -np.inf
    weights[kept] = both


def keep_ids(units: Sequence[Run], topics: Sequence[Sequence[int]]) -> list[str | None]:
    """Return for each topic the segment whose id it keeps, or None: the one with which it shares most pages.

    A settled segment keeps its id. Of equals the older topic goes first, then the older segment.
    """
    order = {unit.segment_id: None for unit in units}
    age = {segment_id: number for number, segment_id in enumerate(order)}
    shared: list[tuple[bool, int, int, str]] = []
    for number, topic in enumerate(topics):
        pages: Counter[str] = Counter()
        for unit in (units[i] for i in topic):
            pages[unit.segment_id] += unit.weight
        held = {units[i].segment_id for i in topic if units[i].settled}
        shared += [(i not in held, -count, number, i) for i, count in pages.items()]
    kept: list[str | None] = [None] * len(topics)
    taken: set[str] = set()
    for _, _, number, segment_id in sorted(shared, key=lambda entry: (*entry[:3], age[entry[3]])):
        if kept[number] is None and segment_id not in taken:
            kept[number] = segment_id
            taken.add(segment_id)
    return kept


def share(counters: HeatCounters, pages: Mapping[str, int]) -> dict[str, tuple[int, int]]:
    """Return the visits and the interaction of a segment, shared by where its pages go; none is lost or made up."""
    shares = (_in_proportion(count, list(pages.values())) for count in (counters.n_visit, counters.l_interaction))
    return dict(zip(pages, zip(*shares, strict=True), strict=True))


def _in_proportion(count: int, sizes: Sequence[int]) -> list[int]:
    """Divide a count by sizes; what does not divide goes to the largest remainders, the first of equals."""
    total = sum(sizes)
    parts = [count * size // total for size in sizes]
    remainders = sorted(range(len(sizes)), key=lambda i: (-(count * sizes[i] % total), i))
    for i in remainders[: count - sum(parts)]:
        parts[i] += 1
    return parts
