"""Topics made anew, now and then: which pages change their segment, and what becomes of ids, heat and descriptions.

It goes with the batch at which it is due, in the same transaction. So it is done once, and at the same page, whatever
worker runs and wherever a process dies (ADR 0030).
"""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import numpy as np

from memoryos_core.config import MidTermConfig
from memoryos_core.ports import Store
from memoryos_core.rules.paging.heat import absorb, merge_keywords
from memoryos_core.rules.paging.regrouping import Run, group, is_due, keep_ids, runs, share, word_rows
from memoryos_core.rules.paging.topics import SegmentIndex
from memoryos_core.rules.text.words import sentences
from memoryos_core.tiers.mid_term import Known, Placement
from memoryos_core.values.commands import PageQuery, Regroup, Regrouping
from memoryos_core.values.dialogue import HeatCounters, Page, Scope, Segment, Vector

# At most 2,000 runs, for a matrix of 32 MB and half a second: the newest pages, and segments with older ones, which may
# only take pages in.
_MOST_PAGES, _MOST_SETTLED = 1500, 500
# The newest pages that describe what comes from divided segments: as many as a batch has.
_DESCRIBED_PAGES = 8
# The middle of fewer is no middle.
_FEWEST_RUNS = 8
# Compared at once, topics are as near at a smaller closeness as one that joins them at a time (ADR 0030).
_NEARER = 0.45

Label = tuple[str, tuple[str, ...]]
Describe = Callable[[Sequence[Sequence[Page]]], Sequence[Label]]
Merge = Callable[[str, str], str]


@dataclass(frozen=True, slots=True)
class Regrouper:
    """Divides and joins the segments of a scope.

    `describe` gives the summaries and the keywords of topics, compared with one another. What a model said of a whole
    segment is kept (`by_model`); else all are described anew.
    """

    store: Store
    config: MidTermConfig
    merge_summary: Merge
    describe: Describe
    read_vectors: Callable[[Scope, Sequence[Page]], Sequence[Vector]]
    by_model: bool

    def regroup(
        self, scope: Scope, known: Known, placement: Placement, pages: Sequence[Page], vectors: Sequence[Vector]
    ) -> Placement:
        """Return the placement of a batch with the moves of other pages, where its pages make them due.

        `pages` and `vectors` are those of the batch. `known` must be dropped when there are such moves. Writes nothing.
        """
        before, after = known.pass_seq(max(page.seq for page in pages))
        if self.config.segments != "topics" or not is_due(before, after):
            return placement
        query = PageQuery(scope, tiers=("mid_term",), newest_first=True, limit=_MOST_PAGES)
        stored = self.store.pages(query)
        home_of = {page.id: str(page.segment_id) for page in stored}
        home_of |= {move.page_id: move.segment_id for move in placement.page_out.moves}
        held = Counter(home_of.values())
        # Of the others some pages are older, or archived alone: they are not divided.
        loose = {s.id for s in known.index if s.page_count == held[s.id]}
        there = [page for page in stored if home_of[page.id] in loose]
        vector_of = {page.id: v for page, v in zip(there, self.read_vectors(scope, there), strict=True)}
        vector_of |= {page.id: v for page, v in zip(pages, vectors, strict=True)}
        chain_of = {move.page_id: move.chain_id for move in placement.page_out.moves}
        leaving = [replace(page, chain_id=chain_of[page.id]) for page in pages if home_of[page.id] in loose]
        ordered = sorted((*there, *leaving), key=lambda page: page.seq)
        if len({vector_of[page.id].size for page in ordered}) != 1:
            return placement
        regrouped = _Regrouped(self, known.index, ordered, home_of, vector_of)
        return regrouped.placement(placement) if regrouped.runs >= _FEWEST_RUNS else placement


class _Regrouped:
    """One regrouping: the pages that take part, in sequence, with their segments before and after."""

    def __init__(
        self,
        regrouper: Regrouper,
        index: SegmentIndex,
        pages: Sequence[Page],
        home_of: Mapping[str, str],
        vector_of: Mapping[str, Vector],
    ) -> None:
        self._regrouper = regrouper
        self._index = index
        self._pages = pages
        self._home_of = home_of
        self._vector_of = vector_of
        units = self._runs()
        self.runs = len(units)
        topics = group(units, _NEARER * regrouper.config.closeness)
        self._pages_in: dict[str, list[Page]] = {}
        for kept, topic in zip(keep_ids(units, topics), topics, strict=True):
            places = sorted(place for number in topic for place in units[number].places)
            if places:
                self._pages_in[kept or uuid.uuid4().hex] = [pages[place] for place in places]
        self._sizes = Counter(home_of[page.id] for page in pages)
        self._rank = {segment.id: rank for rank, segment in enumerate(index)}

    def _runs(self) -> list[Run]:
        """Return the settled segments, and the runs of pages."""
        homes, vectors = [self._home_of[p.id] for p in self._pages], [self._vector_of[p.id] for p in self._pages]
        loose, size = set(homes), vectors[0].size
        settled = [s for s in self._index if s.id not in loose and s.centroid.size == size][-_MOST_SETTLED:]
        words = word_rows(self._pages)
        unread = np.zeros(words.shape[1])
        whole = [Run(s.id, (), s.centroid.astype(np.float64), unread, s.page_count, settled=True) for s in settled]
        return [*whole, *runs(self._pages, homes, vectors, words)]

    def placement(self, placed: Placement) -> Placement:
        """Return the placement with what changes by this."""
        home_of = {page.id: home for home, inside in self._pages_in.items() for page in inside}
        label_of = self._labels()
        changed = {
            home: self._segment(home, inside, label_of.get(home))
            for home, inside in self._pages_in.items()
            if self._differs(home) or self._is_called_otherwise(home, label_of.get(home))
        }
        dissolved = [s for s in self._index if self._sizes[s.id] and s.id not in self._pages_in]
        gone = {segment.id for segment in dissolved}
        segments = {s.id: s for s in placed.page_out.segments if s.id not in gone} | changed
        moves = tuple(replace(m, segment_id=home_of.get(m.page_id, m.segment_id)) for m in placed.page_out.moves)
        regrouping = Regrouping(
            moves=tuple(
                Regroup(page.id, self._home_of[page.id], home_of[page.id])
                for page in self._pages
                if page.tier == "mid_term" and self._home_of[page.id] != home_of[page.id]
            ),
            heat=self._heat(),
            dissolved=tuple(s for s in dissolved if s.rev),
        )
        ordered = sorted(segments.values(), key=lambda s: not s.rev)
        opened = tuple(s.id for s in ordered if not s.rev)
        count = len(self._index) - len(dissolved) + sum(self._index.get(i) is None for i in changed)
        page_out = replace(placed.page_out, moves=moves, segments=tuple(ordered), regrouping=regrouping)
        return Placement(page_out, opened, count)

    def _differs(self, home: str) -> bool:
        """Return whether a segment has other pages than before."""
        inside = self._pages_in[home]
        return len(inside) != self._sizes[home] or any(self._home_of[page.id] != home for page in inside)

    def _is_called_otherwise(self, home: str, label: Label | None) -> bool:
        known = self._index.get(home)
        return known is not None and bool(self._sizes[home]) and label not in (None, (known.summary, known.keywords))

    def _labels(self) -> dict[str, Label]:
        """Return what is said of pages, by their segment: of all pages, or of those alone that a model is not asked of.

        So a segment never says what only stands on a page of another one.
        """
        if self._regrouper.by_model:
            said = {
                home: self._pages_of_divided(inside) for home, inside in self._pages_in.items() if self._differs(home)
            }
        else:
            said = {home: list(pages) for home, pages in self._pages_in.items() if not self._is_told_by_model(home)}
        said = {home: pages for home, pages in said.items() if pages}
        return dict(zip(said, self._regrouper.describe(list(said.values())), strict=True))

    def _is_told_by_model(self, home: str) -> bool:
        """Return whether a segment has the pages that it had, and a summary in words that nobody said in them.

        The rules quote. A memory that is opened without a model must not write over what one has written.
        """
        known = self._index.get(home)
        if known is None or not known.summary or self._differs(home):
            return False
        said = " ".join(" ".join(m.text for page in self._pages_in[home] for m in page.messages).split())
        return not any(" ".join(sentence.rstrip("…").split()) in said for sentence in sentences(known.summary))

    def _pages_of_divided(self, inside: Sequence[Page]) -> list[Page]:
        """Return the newest of those pages that come from divided segments."""
        whole = {s.id for s in self._whole(inside) if s.summary}
        return [page for page in inside if self._home_of[page.id] not in whole][-_DESCRIBED_PAGES:]

    def _segment(self, home: str, inside: Sequence[Page], label: Label | None) -> Segment:
        """Return a segment with its pages; by a model it is described by what is said of the whole segments in it."""
        regrouper, most = self._regrouper, self._regrouper.config.max_keywords
        known = self._index.get(home) or Segment(home, "", (), np.zeros(0, dtype=np.float32))
        segment, said = known, [] if label is None else [label]
        if regrouper.by_model:
            said = [*((s.summary, s.keywords) for s in self._whole(inside) if s.summary), *said]
        if not known.page_count or self._sizes[home]:
            segment = replace(known, summary="", keywords=(), centroid=np.zeros(0, dtype=np.float32), page_count=0)
        segment = absorb(segment, [self._vector_of[page.id] for page in inside], (), most)
        for summary, keywords in said:
            merged = regrouper.merge_summary(segment.summary, summary) if segment.summary else summary
            keywords = merge_keywords(segment.keywords, keywords, most) if segment.keywords else keywords
            segment = replace(segment, summary=merged, keywords=keywords)
        return replace(segment, last_access=self._last_access(known, inside))

    def _last_access(self, known: Segment, inside: Sequence[Page]) -> datetime | None:
        """Return the later of its own, of its pages' times, and of the accesses of what was visited and came whole."""
        times = [page.timestamp for page in inside]
        came = [s.last_access for s in self._whole(inside)]
        return max(t for t in (known.last_access, *times, *came) if t is not None)

    def _whole(self, inside: Sequence[Page]) -> list[Segment]:
        """Return the segments of which all pages are among these, oldest first."""
        parts = Counter(self._home_of[page.id] for page in inside)
        whole = sorted((i for i in parts if i in self._rank and parts[i] == self._sizes[i]), key=self._rank.__getitem__)
        return [segment for i in whole if (segment := self._index.get(i)) is not None]

    def _heat(self) -> dict[str, tuple[int, int]]:
        """Return what segments gain and lose in visits and interaction: a divided one's go with its pages."""
        went: dict[str, Counter[str]] = {}
        for home, inside in self._pages_in.items():
            for page in inside:
                if page.tier == "mid_term":
                    went.setdefault(self._home_of[page.id], Counter())[home] += 1
        visits, interaction = Counter[str](), Counter[str]()
        for segment in self._index:
            targets = went.get(segment.id, Counter[str]())
            if not targets.keys() - {segment.id}:
                continue
            counters = HeatCounters(segment.n_visit, segment.l_interaction, segment.last_access)
            for home, shared in share(counters, targets).items():
                visits[home] += shared[0]
                interaction[home] += shared[1]
            if segment.id in self._pages_in:
                visits[segment.id] -= segment.n_visit
                interaction[segment.id] -= segment.l_interaction
        return {home: (visits[home], interaction[home]) for home in visits}
