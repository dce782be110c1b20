"""The way out: a question becomes ranked, budgeted context (design §5). No write; a model only where ADR 0011 has one.

Without a reranker, a sparse encoder and `RecallConfig.decompose`, the defaults, no model but the embedder is asked.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import islice
from types import MappingProxyType

from memoryos_core.config import MemoryConfig
from memoryos_core.events import Hook
from memoryos_core.models import Hit, Page, Recall, Scope
from memoryos_core.moves import PageQuery
from memoryos_core.ports import Clock, Embedder, PageIndex, Store, TokenCounter
from memoryos_core.retriever.finding import EVERYTHING, Finder
from memoryos_core.retriever.ranked import Ranked
from memoryos_core.retriever.rescoring import Rescorer
from memoryos_core.retriever.splitting import Splitter
from memoryos_core.retriever.timing import Timings
from memoryos_core.rules.hits import distinct, hit_of, limited, repeats, repeats_page
from memoryos_core.rules.narrowing import Filter
from memoryos_core.rules.packing import Material, Room, pack
from memoryos_core.rules.questions import clean

__all__ = ["Rescorer", "Retriever", "Splitter"]

# How many ranked units are read from the store: enough to fill the budget with short utterances.
_READ_LEAST = 24
_TOKENS_PER_UNIT = 24
_NOTHING: Mapping[str, Collection[str]] = MappingProxyType({})


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
        *,
        rescorer: Rescorer | None = None,
        splitter: Splitter | None = None,
    ) -> None:
        self._store = store
        self._count = count_tokens
        self._config = config
        self._finder = Finder(store, index, embedder, config, clock, emit, splitter)
        self._rescorer = rescorer

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
        clock = Timings()
        question = clean(query)
        profile = self._store.profile(scope)
        clock.lap("profile")
        ranked = self._finder.find_all(scope, question, self._config.recall.candidates, clock)
        first = _READ_LEAST + budget_tokens // _TOKENS_PER_UNIT + sum(map(len, shown.values()))
        ids = {session: frozenset(of) for session, of in shown.items() if of}
        count = lru_cache(maxsize=None)(self._count)  # what is counted to read enough is counted again to pack
        room = Room(budget_tokens, count, frozenset(p.id for p in recent))
        hits = self._best(scope, ranked, first, ids, room) if ranked else ()
        clock.lap("read")
        if (rescorer := self._rescorer_for(ranked)) is not None:
            hits = rescorer.rescored(scope, question, hits)
            clock.lap("rerank")
        turns = tuple(p for p in recent if not repeats_page(p, ids))
        packed = pack(Material(question, hits, turns, profile), budget_tokens, count, self._config.recall)
        clock.lap("pack")
        return replace(packed, query=query, timings_ms=clock.laps)

    def search(self, scope: Scope, query: str, k: int, narrowed: Filter) -> tuple[Hit, ...]:
        """The k best hits with their scores and signals, best first; a question is not split. Raises StoreError."""
        question = clean(query)
        depth = EVERYTHING if narrowed else max(4 * k, self._config.recall.candidates)
        ranked = self._finder.find(scope, question, narrowed, depth, Timings())
        found = self._hits(scope, ranked, max(4 * k, _READ_LEAST), narrowed) if ranked else iter(())
        if (rescorer := self._rescorer_for(ranked)) is not None:
            found = iter(rescorer.rescored(scope, question, tuple(islice(found, max(k, rescorer.depth)))))
        hits = tuple(islice(found, k))
        heats = self._finder.heats(scope, {h.segment_id for h in hits if h.segment_id})
        return tuple(replace(h, heat=heats.get(h.segment_id or "")) for h in hits)

    def _rescorer_for(self, ranked: Ranked | None) -> Rescorer | None:
        """None, too, for what is spread over sessions: the best of it together is not what was asked for."""
        return None if ranked is None or ranked.spread else self._rescorer

    def _best(
        self, scope: Scope, ranked: Ranked, first: int, shown: Mapping[str, Collection[str]], room: Room
    ) -> tuple[Hit, ...]:
        """What the `first` units say, as long as there is room; for a reranker all of it, and what it reads besides."""
        if (rescorer := self._rescorer_for(ranked)) is not None:
            return tuple(islice(self._hits(scope, ranked, first, shown=shown), max(first, rescorer.depth)))
        units = replace(ranked, chosen=ranked.chosen[:first])
        return tuple(room.filled(self._hits(scope, units, _READ_LEAST, shown=shown)))

    def _hits(
        self,
        scope: Scope,
        ranked: Ranked,
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

    def _read(self, scope: Scope, ranked: Ranked, first: int, *, as_facts: bool) -> Iterator[Hit]:
        rest = iter(ranked.chosen)
        while units := [ranked.unit(i) for i in islice(rest, first)]:
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
