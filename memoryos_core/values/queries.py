"""Queries of the store, and the values that reading returns.

Candidates of recall, and the data from which a store ranks them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from operator import lt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from memoryos_core.values.dialogue import HALVES, Page, Scope, Tier, Vector
from memoryos_core.values.facts import About, Fact, FactStatus, Trust

_BITS = 10
MOST_PASSAGES = 1 << _BITS
"""The most passages of one half of a page; a page of the longest kind (`LONGEST_PAGE`) has fewer."""
SEQ_SHIFT = _BITS + 1
"""A passage's number in its scope, shifted right by so many bits, is the seq of its page."""


def part_name(half: str, number: int) -> str:
    """Return the name of a passage within its page; the first of a half is named like the half."""
    return f"{half}.{number}" if number else half


def half_of(part: str) -> str:
    """Return the half that a passage belongs to, by its name."""
    return part.partition(".")[0]


def passage_number(seq: int, part: str) -> int:
    """Return the number of a passage among those of all pages: it ascends as they were said."""
    half, _, number = part.partition(".")
    return ((2 * seq + (half == "assistant")) << _BITS) + int(number or 0)


PARTS: frozenset[str] = frozenset(part_name(half, number) for half in HALVES for number in range(MOST_PASSAGES))
"""The names of all passages."""


@dataclass(frozen=True, slots=True)
class PageQuery:
    """Filter of pages to read, oldest first unless `newest_first`; every field narrows.

    `since` is included; `until`, `before_seq` and `after_seq` are not. `embedded` pages have a vector. An empty `ids`
    finds nothing, an empty `tiers` means any.
    """

    scope: Scope
    ids: tuple[str, ...] | None = None
    session_id: str | None = None
    tiers: tuple[Tier, ...] = ()
    segment_id: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    before_seq: int | None = None
    after_seq: int | None = None
    embedded: bool | None = None
    open: bool | None = None
    analysed: bool | None = None
    reread: bool | None = None
    ended: bool | None = None
    newest_first: bool = False
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class FactList:
    """A part of the facts with one of these statuses, newest first; with `page_ids`, of those that cite one of them."""

    scope: Scope
    statuses: tuple[str, ...]
    limit: int
    offset: int = 0
    about: About | None = None
    page_ids: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Pending:
    """A page in short-term memory, without its messages; a clock ends no session of which `written_at` is None."""

    page_id: str
    session_id: str
    seq: int
    tokens: int
    timestamp: datetime
    ended: bool = False
    written_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Cursor:
    """Position up to which a cache has followed a scope. Another `epoch` means rows were deleted: start again.

    Epochs of one life of a scope count up; a scope that was forgotten and begun again has another one at random.

    `version` rises when a page is written, grows, moves or gets vectors, and when a fact changes; a visit changes none.
    """

    epoch: int = 0
    version: int = 0


@dataclass(frozen=True, slots=True)
class Feed:
    """Pages and current facts that changed after a cursor, oldest change first. `more`: ask again from `cursor`.

    Facts that changed and are not current are named in `retired_fact_ids`. `vectors` are those of the pages and facts.
    """

    cursor: Cursor
    pages: tuple[Page, ...] = ()
    facts: tuple[Fact, ...] = ()
    retired_fact_ids: tuple[str, ...] = ()
    vectors: Mapping[str, Mapping[str, Vector]] = field(default_factory=dict[str, Mapping[str, Vector]], repr=False)
    more: bool = False


@dataclass(frozen=True, slots=True)
class IndexChunk:
    """A stored part of a scope's index: what the feed brought after the rev `after`, up to the rev `last`, of an epoch.

    `made_by` names the format, `checksum` is the SHA-256 of `content`, which is empty where only heads were asked for.
    """

    number: int
    made_by: str
    epoch: int
    after: int
    last: int
    checksum: str
    size: int
    content: bytes = field(default=b"", repr=False)


@dataclass(frozen=True, slots=True)
class EmbedderStamp:
    """The embedder that wrote the vectors of a store."""

    name: str
    dimension: int


@dataclass(frozen=True, slots=True)
class IndexOwners:
    """The ids of a scope's pages and of all its facts at a cursor, and the embedder that its vectors are of."""

    cursor: Cursor
    embedder: EmbedderStamp | None
    pages: frozenset[str]
    facts: frozenset[str]


@dataclass(frozen=True, slots=True)
class VectorBlock:
    """Vectors of a scope as rows of one matrix, with owner and part of each."""

    owners: Sequence[str]
    parts: Sequence[str]
    vectors: NDArray[np.float32] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Mark:
    """Data of a page or fact for retention, without content. `at` is when it was said; facts have a status."""

    id: str
    seq: int
    at: datetime
    trust: Trust
    place: Tier | FactStatus


@dataclass(frozen=True, slots=True)
class Near:
    """Neighbours whose words also count for a text: by id, their ids (-1: no neighbour) and weights, 0 to 1."""

    ids: NDArray[np.integer[Any]]
    weight: float


@dataclass(frozen=True, slots=True, eq=False)
class Postings:
    """The words of texts that are numbered from 0. Term i is in the documents from `starts[i]` to `starts[i + 1]`."""

    terms: list[str]
    starts: NDArray[np.integer[Any]]
    documents: NDArray[np.integer[Any]]
    counts: NDArray[np.integer[Any]]
    lengths: NDArray[np.integer[Any]]

    def by_term(self) -> Postings:
        """Return the same in the order of the terms."""
        names = self.terms
        if all(map(lt, names, names[1:])):
            return self
        order = sorted(range(len(names)), key=names.__getitem__)
        ends: NDArray[np.int64] = self.starts.astype(np.int64)
        sizes: NDArray[np.int64] = np.diff(ends)[order]
        starts: NDArray[np.int64] = np.append(0, np.cumsum(sizes))
        first: NDArray[np.int64] = np.repeat(ends[:-1][order] - starts[:-1], sizes)
        at = np.arange(len(first)) + first
        return Postings([names[i] for i in order], starts, self.documents[at], self.counts[at], self.lengths)

    def shifted(self, first: int) -> Postings:
        """Return the same without the lengths, the documents numbered from `first`."""
        return replace(self, documents=self.documents.astype(np.uint32) + np.uint32(first), lengths=self.lengths[:0])

    def of(self, term: str) -> tuple[NDArray[np.uint32], NDArray[np.uint32]] | None:
        """Return the documents that have a term, and how often; None where none has it. The terms are in their order.

        The term is found by halving: a dict of terms would take more room than all the rest.
        """
        place = bisect_left(self.terms, term)
        if place == len(self.terms) or self.terms[place] != term:
            return None
        some = slice(int(self.starts[place]), int(self.starts[place + 1]))
        return self.documents[some].astype(np.uint32, copy=False), self.counts[some].astype(np.uint32)


@dataclass(frozen=True, slots=True)
class Analysed:
    """Data by which a store ranks a unit: its part ("user", "assistant" or "fact"), index terms, and speaker."""

    part: str
    terms: tuple[str, ...]
    speaker: str | None = None


class Home(NamedTuple):
    """The passage that a fact is quoted as: its page, its name there, and the session of the page."""

    page_id: str
    part: str
    session_id: str


_UNKNOWN = {"sizes": -1, "places": -1}


@dataclass(frozen=True, slots=True)
class Candidates:
    """Units worth ranking, as aligned arrays: passages of pages (part "user", "user.1", …) and facts (part "fact").

    `lexical` is BM25 of the unit within its window: words of neighbouring turns count too (0 without a shared
    word). `dense` is a cosine (nan without a vector); `dense_mean` and `dense_spread` are the mean and the standard
    deviation of the cosines in the whole scope, which bring the cosines of different embedders to one scale.
    `coverage` is the share of the question's information (idf mass) that the unit's own words match, 0 to 1; function
    words, hiragana and small numbers have none (`rules.text.languages`). `sizes` are the bytes of each message as it is
    quoted, -1 where the index does not know, `disclosures` how much it tells of its speaker
    (`rules.ranking.disclosure`), and `places` its place in its page; None where no index knows any.
    A fact that is quoted as the message which says it has those of the message, and a `Home` in `homes`.
    """

    owners: tuple[str, ...]
    parts: tuple[str, ...]
    sessions: tuple[str, ...]
    segments: tuple[str | None, ...]
    speakers: tuple[str | None, ...]
    seqs: NDArray[np.int64]
    times: NDArray[np.float64]
    lexical: NDArray[np.float32]
    dense: NDArray[np.float32]
    coverage: NDArray[np.float32]
    dense_mean: float = 0.0
    dense_spread: float = 0.0
    sizes: NDArray[np.int32] | None = None
    disclosures: NDArray[np.int16] | None = None
    places: NDArray[np.int32] | None = None
    homes: tuple[Home | None, ...] = ()

    def __len__(self) -> int:
        """Return the number of units."""
        return len(self.owners)

    def with_others(self, others: Candidates) -> Candidates:
        """Return these candidates and, behind them, those of the others that are not among them.

        Means and spreads of cosines stay. The others say how much a unit discloses, also of these that they hold; what
        only they know is `_UNKNOWN` here.
        """
        held = {unit: n for n, unit in enumerate(zip(self.owners, self.parts, strict=True))}
        theirs = [(n, held.get(unit)) for n, unit in enumerate(zip(others.owners, others.parts, strict=True))]
        new = [n for n, at in theirs if at is None]
        both = {at: n for n, at in theirs if at is not None}
        joined: dict[str, Any] = {}
        for column in fields(self):
            ours: Any = getattr(self, column.name)
            added: Any = getattr(others, column.name)
            if type(added) is tuple:
                joined[column.name] = (*(ours or (None,) * len(self)), *(added[n] for n in new))
            elif type(added) is np.ndarray:
                unknown: Any = np.full(len(self), _UNKNOWN.get(column.name, 0), added.dtype)
                joined[column.name] = np.concatenate((unknown if ours is None else ours, added[new]))
        if others.disclosures is not None:
            joined["disclosures"][list(both)] = others.disclosures[list(both.values())]
        return replace(self, **joined)
