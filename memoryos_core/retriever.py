"""The way out: a question becomes ranked, budgeted context (design §5). No model call, no write."""

from __future__ import annotations

import logging
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice
from types import MappingProxyType

import numpy as np

from memoryos_core.config import MemoryConfig, RecallConfig
from memoryos_core.errors import ModelError
from memoryos_core.events import Hook, StepFailed
from memoryos_core.foreign import ForeignErrors
from memoryos_core.models import Hit, Page, Recall, Scope, Vector
from memoryos_core.moves import PageQuery
from memoryos_core.ports import Clock, Embedder, PageIndex, Store, TokenCounter
from memoryos_core.queries import Candidates
from memoryos_core.rules.dates import find_dates
from memoryos_core.rules.heat import heat
from memoryos_core.rules.hits import Unit, distinct, hit_of, limited, repeats, repeats_page
from memoryos_core.rules.matching import f_score
from memoryos_core.rules.narrowing import Filter, allowed, inside
from memoryos_core.rules.packing import Material, pack
from memoryos_core.rules.questions import clean
from memoryos_core.rules.ranking import Ranking, rank, warmed

logger = logging.getLogger(__name__)

# How many ranked units are read from the store: enough to fill the budget with short utterances.
_READ_LEAST = 24
_TOKENS_PER_UNIT = 24
# A filter or the paper's gate chooses among all that is remembered, not among what is best before it.
_EVERYTHING = 1_000_000_000
# Heat is a light prior: it is looked up for the segments of the best so many units, whatever the budget.
_WARMED = 100
_NOTHING: Mapping[str, Collection[str]] = MappingProxyType({})
_NO_VECTOR = np.zeros(0, dtype=np.float32)


@dataclass(frozen=True, slots=True)
class _Ranked:
    """What was found, in which order, and the units among it that may come back, best first."""

    found: Candidates
    ranking: Ranking
    chosen: tuple[int, ...]


class Retriever:
    """Gathers from all tiers, ranks, and packs to a budget."""

    def __init__(  # noqa: PLR0913, PLR0917 - one argument for each part it works with
        self,
        store: Store,
        index: PageIndex,
        embedder: Embedder,
        count_tokens: TokenCounter,
        config: MemoryConfig,
        clock: Clock,
        emit: Hook,
    ) -> None:
        self._store = store
        self._index = index
        self._embedder = embedder
        self._count = count_tokens
        self._config = config
        self._clock = clock
        self._emit = emit

    def recall(
        self,
        scope: Scope,
        query: str,
        budget_tokens: int,
        recent: Sequence[Page] = (),
        shown: Mapping[str, Collection[str]] = _NOTHING,
    ) -> Recall:
        """Everything worth knowing for a question, within `budget_tokens`. Raises StoreError.

        What is ranked does not depend on the budget, only how much of it is read: more budget never drops a hit.
        What is `shown` already, ids of messages by their session, is left out.
        """
        clock = _Timings()
        question = clean(query)
        profile = self._store.profile(scope)
        clock.lap("profile")
        ranked = self._rank(scope, question, Filter(), self._config.recall.candidates, clock)
        first = _READ_LEAST + budget_tokens // _TOKENS_PER_UNIT + sum(map(len, shown.values()))
        units = ranked.chosen[:first] if ranked else ()
        ids = {session: frozenset(of) for session, of in shown.items() if of}
        hits = tuple(self._hits(scope, replace(ranked, chosen=units), len(units), shown=ids)) if ranked else ()
        clock.lap("read")
        turns = tuple(p for p in recent if not repeats_page(p, ids))
        packed = pack(Material(question, hits, turns, profile), budget_tokens, self._count, self._config.recall)
        clock.lap("pack")
        return replace(packed, query=query, timings_ms=clock.laps)

    def search(self, scope: Scope, query: str, k: int, narrowed: Filter) -> tuple[Hit, ...]:
        """The k best hits with their scores and signals, best first. Raises StoreError."""
        depth = _EVERYTHING if narrowed else max(4 * k, self._config.recall.candidates)
        ranked = self._rank(scope, clean(query), narrowed, depth, _Timings())
        hits = tuple(islice(self._hits(scope, ranked, max(4 * k, _READ_LEAST), narrowed), k)) if ranked else ()
        heats = self._heats(scope, {h.segment_id for h in hits if h.segment_id})
        return tuple(replace(h, heat=heats.get(h.segment_id or "")) for h in hits)

    def _rank(self, scope: Scope, question: str, narrowed: Filter, depth: int, clock: _Timings) -> _Ranked | None:
        """None when there is nothing to search for, or nothing that answers."""
        if not question:
            return None
        config = self._config.recall
        vector = self._embed(scope, question, config)
        clock.lap("embed")
        if vector is None and config.lexical == 0:
            config = replace(config, lexical=1.0)  # words are all there is
        of_words_only = not self._embedder.semantic and config.lexical > 0
        found = self._index.candidates(
            scope, question, None if of_words_only else vector, _EVERYTHING if config.gate else depth
        )
        clock.lap("search")
        now = self._clock()
        spans = find_dates(question, now)
        ranking = self._warmed(scope, found, rank(found, question, spans, now.timestamp(), config), now)
        admitted = allowed(found, narrowed)
        if config.gate:
            admitted &= inside(found, self._gate(scope, question, vector))
        chosen = tuple(int(i) for i in ranking.order if admitted[i])
        clock.lap("rank")
        if not chosen or _strength(found, chosen) < config.floor:
            return None
        return _Ranked(found, ranking, chosen)

    def _embed(self, scope: Scope, question: str, config: RecallConfig) -> Vector | None:
        """The question's vector where one is of use; None, told to log and hook, while the embedder is down."""
        if not (config.gate or (config.dense > 0 and self._embedder.semantic)):
            return None
        try:
            with ForeignErrors("the embedder"):
                return self._embedder.embed_query(question)
        except ModelError as error:
            logger.warning("the embedder failed (%s): recalling by words alone", type(error).__name__)
            self._emit(StepFailed(scope, "recall", type(error).__name__))
            return None

    def _gate(self, scope: Scope, question: str, vector: Vector | None) -> set[str]:
        """The m segments with the best F against the question: the only ones the paper looks into."""
        asked = _NO_VECTOR if vector is None else vector
        segments = self._store.segments(scope)
        scored = sorted(segments, key=lambda s: (-f_score(s.centroid, s.keywords, asked, (question,)), s.id))
        return {s.id for s in scored[: self._config.recall.top_segments]}

    def _hits(
        self,
        scope: Scope,
        ranked: _Ranked,
        first: int,
        narrowed: Filter | None = None,
        *,
        shown: Mapping[str, Collection[str]] = _NOTHING,
    ) -> Iterator[Hit]:
        """The chosen units as hits, best first; the `first` at once, more of them only as they are taken."""
        config = self._config.recall
        as_facts = narrowed is not None and narrowed.only_facts
        found = self._read(scope, ranked, first, as_facts=as_facts)
        read = (hit for hit in found if narrowed is None or narrowed.admits(hit))
        read = (hit for hit in read if not repeats(hit, shown)) if shown else read
        # How many facts may stand among pages; asked for alone, as many as are asked for.
        return limited(distinct(read), config.top_pages, None if as_facts else config.top_facts)

    def _read(self, scope: Scope, ranked: _Ranked, first: int, *, as_facts: bool) -> Iterator[Hit]:
        rest = iter(ranked.chosen)
        while units := [_unit(ranked, i) for i in islice(rest, first)]:
            first *= 4
            facts = {f.id: f for f in self._store.facts(scope, ids=[u.owner for u in units if u.part == "fact"])}
            wanted = dict.fromkeys(u.owner for u in units if u.part != "fact")
            if as_facts:
                wanted.clear()  # without its page at hand a fact stays a fact, and nothing else was asked for
            else:
                wanted.update(dict.fromkeys(p for f in facts.values() for p in f.page_ids[:1]))
            pages = {p.id: p for p in self._store.pages(PageQuery(scope, ids=tuple(wanted)))}
            for unit in units:
                hit = hit_of(unit, pages, facts)
                if hit is not None:
                    yield hit

    def _heats(self, scope: Scope, ids: Collection[str], now: datetime | None = None) -> dict[str, float]:
        counters = self._store.heat_counters(scope, sorted(ids)) if ids else {}
        moment = now or self._clock()
        return {s: heat(counted, self._config.heat, moment) for s, counted in counters.items()}

    def _warmed(self, scope: Scope, found: Candidates, ranking: Ranking, now: datetime) -> Ranking:
        """The ranking with each segment's heat as a share: τ is one half."""
        weight, config = self._config.recall.heat, self._config.heat
        ids = sorted({s for i in ranking.order[:_WARMED] if (s := found.segments[int(i)])}) if weight else []
        heats = self._heats(scope, ids, now)
        shares = {s: h / (h + config.threshold) for s, h in heats.items() if h}
        return warmed(found, ranking, shares, weight)


def _unit(ranked: _Ranked, i: int) -> Unit:
    found, ranking = ranked.found, ranked.ranking
    signals = {name: round(float(values[i]), 4) for name, values in ranking.signals.items()}
    return Unit(found.owners[i], found.parts[i], float(ranking.scores[i]), signals)


def _strength(found: Candidates, chosen: Sequence[int]) -> float:
    some = list(chosen)
    return float(max(found.coverage[some].max(), np.nan_to_num(found.dense[some]).max()))


class _Timings:
    """Milliseconds by stage."""

    def __init__(self) -> None:
        self.laps: dict[str, float] = {}
        self._last = time.perf_counter()

    def lap(self, name: str) -> None:
        now = time.perf_counter()
        self.laps[name] = round((now - self._last) * 1e3, 3)
        self._last = now
