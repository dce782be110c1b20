"""The way out: a question becomes ranked, budgeted context (design §5). No model call, no write."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import numpy as np

from memoryos_core.config import MemoryConfig
from memoryos_core.models import HALVES, Fact, Half, Hit, Page, Recall, Scope, Tier
from memoryos_core.moves import PageQuery
from memoryos_core.ports import Clock, Embedder, PageIndex, Store, TokenCounter
from memoryos_core.queries import Candidates
from memoryos_core.rules.dates import find_dates
from memoryos_core.rules.heat import heat
from memoryos_core.rules.matching import f_score
from memoryos_core.rules.packing import Material, pack
from memoryos_core.rules.questions import clean
from memoryos_core.rules.ranking import Ranking, rank
from memoryos_core.rules.rendering import speaker_line

# How many ranked units are read from the store: enough to fill the budget with short utterances.
_READ_LEAST = 64
_TOKENS_PER_UNIT = 10
_HALF_OF_PART: dict[str, Half] = {half: half for half in HALVES}


@dataclass(frozen=True, slots=True)
class Filter:
    """What narrows a search; None does not narrow."""

    since: datetime | None = None
    until: datetime | None = None
    session_id: str | None = None
    tiers: tuple[Tier | str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Unit:
    owner: str
    part: str
    score: float
    signals: dict[str, float]


class Retriever:
    """Gathers from all tiers, ranks, and packs to a budget."""

    def __init__(
        self,
        store: Store,
        index: PageIndex,
        embedder: Embedder,
        count_tokens: TokenCounter,
        config: MemoryConfig,
        clock: Clock,
    ) -> None:
        self._store = store
        self._index = index
        self._embedder = embedder
        self._count = count_tokens
        self._config = config
        self._clock = clock

    def recall(self, scope: Scope, query: str, budget_tokens: int, recent: Sequence[Page] = ()) -> Recall:
        """Everything worth knowing for a question, within `budget_tokens`. Raises StoreError, ModelError."""
        clock = _Timings()
        question = clean(query)
        profile = self._store.profile(scope)
        clock.lap("profile")
        hits = self._hits(scope, question, Filter(), _READ_LEAST + budget_tokens // _TOKENS_PER_UNIT, clock)
        shown = {p.id for p in recent}
        hits = tuple(h for h in hits if h.kind == "fact" or not shown.intersection(h.page_ids))
        material = Material(question, hits, tuple(recent), profile)
        packed = pack(material, budget_tokens, self._count, self._config.recall)
        clock.lap("pack")
        return replace(packed, query=query, timings_ms=clock.laps)

    def search(self, scope: Scope, query: str, k: int, narrowed: Filter) -> tuple[Hit, ...]:
        """The k best hits with their scores and signals, best first."""
        hits = self._hits(scope, clean(query), narrowed, max(4 * k, _READ_LEAST), _Timings())
        return hits[:k]

    def _hits(self, scope: Scope, question: str, narrowed: Filter, read: int, clock: _Timings) -> tuple[Hit, ...]:
        if not question:
            return ()
        config = self._config.recall
        vector = self._embedder.embed_query(question) if self._embedder.semantic and config.dense > 0 else None
        clock.lap("embed")
        found = self._index.candidates(scope, question, vector, max(config.candidates, read))
        clock.lap("search")
        now = self._clock()
        ranking = rank(found, question, find_dates(question, now), now.timestamp(), config)
        allowed = self._allowed(scope, found, question, narrowed)
        chosen = [int(i) for i in ranking.order if allowed[i]][:read]
        clock.lap("rank")
        if not chosen or _strength(found, chosen) < config.floor:
            return ()
        hits = self._read(scope, [_unit(found, ranking, i) for i in chosen])
        hits = [h for h in hits if not narrowed.tiers or h.tier in narrowed.tiers]
        clock.lap("read")
        return tuple(_limited(hits, config.top_pages, config.top_facts))

    def _allowed(
        self, scope: Scope, found: Candidates, question: str, narrowed: Filter
    ) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        allowed = np.ones(len(found), dtype=np.bool_)
        if narrowed.since is not None:
            allowed &= found.times >= narrowed.since.timestamp()
        if narrowed.until is not None:
            allowed &= found.times < narrowed.until.timestamp()
        if narrowed.session_id is not None:
            allowed &= np.array([s == narrowed.session_id for s in found.sessions], dtype=np.bool_)
        if self._config.recall.gate:
            gate = self._gate(scope, question)
            passes = (part == "fact" or s in gate for part, s in zip(found.parts, found.segments, strict=True))
            allowed &= np.fromiter(passes, dtype=np.bool_, count=len(found))
        return allowed

    def _gate(self, scope: Scope, question: str) -> set[str]:
        """The m segments with the best F against the question: the only ones the paper looks into."""
        vector = self._embedder.embed_query(question)
        segments = self._store.segments(scope)
        scored = sorted(segments, key=lambda s: (-f_score(s.centroid, s.keywords, vector, (question,)), s.id))
        return {s.id for s in scored[: self._config.recall.top_segments]}

    def _read(self, scope: Scope, units: Sequence[_Unit]) -> list[Hit]:
        facts = {f.id: f for f in self._store.facts(scope, ids=[u.owner for u in units if u.part == "fact"])}
        wanted = dict.fromkeys(u.owner for u in units if u.part != "fact")
        wanted.update(dict.fromkeys(p for f in facts.values() for p in f.page_ids[:1]))
        pages = {p.id: p for p in self._store.pages(PageQuery(scope, ids=tuple(wanted)))}
        heats = self._heats(scope, pages.values())
        hits: dict[tuple[str, str], Hit] = {}
        for unit in units:
            hit = _hit(unit, pages, facts, heats)
            if hit is not None:
                hits.setdefault((hit.id, hit.about or ""), hit)
        return _without_twins(sorted(hits.values(), key=lambda h: -h.score))

    def _heats(self, scope: Scope, pages: Iterable[Page]) -> dict[str, float]:
        """Each segment's heat as a share: τ is one half."""
        weight = self._config.recall.heat
        ids = sorted({p.segment_id for p in pages if p.segment_id})
        if not weight or not ids:
            return {}
        config, now = self._config.heat, self._clock()
        heats = {s.id: heat(s, config, now) for s in self._store.segments(scope, ids=ids)}
        return {s: weight * h / (h + config.threshold) if h else 0.0 for s, h in heats.items()}


def _unit(found: Candidates, ranking: Ranking, i: int) -> _Unit:
    signals = {name: round(float(values[i]), 4) for name, values in ranking.signals.items()}
    return _Unit(found.owners[i], found.parts[i], float(ranking.scores[i]), signals)


def _hit(unit: _Unit, pages: dict[str, Page], facts: dict[str, Fact], heats: dict[str, float]) -> Hit | None:
    """The unit as a hit; a fact that stands verbatim in its page becomes that half of the page (pages are the truth)."""
    fact = facts.get(unit.owner) if unit.part == "fact" else None
    if fact is not None:
        source = pages.get(fact.page_ids[0]) if fact.page_ids else None
        if source is not None and fact.text in source.text(fact.about):
            return _page_hit(unit, source, fact.about, heats)
        when = fact.event_time or fact.valid_from
        return Hit(
            "fact",
            fact.id,
            fact.text,
            unit.score,
            when,
            "long_term",
            page_ids=fact.page_ids,
            about=fact.about,
            signals=unit.signals,
        )
    page = pages.get(unit.owner)
    half = _HALF_OF_PART.get(unit.part)
    return _page_hit(unit, page, half, heats) if page is not None and half is not None else None


def _page_hit(unit: _Unit, page: Page, half: Half, heats: dict[str, float]) -> Hit | None:
    messages = tuple(m for m in page.messages if m.half == half and m.role in ("user", "assistant") and m.text.strip())
    if not messages:
        return None
    warmth = heats.get(page.segment_id or "", 0.0)
    return Hit(
        "page",
        page.id,
        "\n".join(speaker_line(m.name or m.role, m.text) for m in messages),
        unit.score + warmth,
        page.timestamp,
        page.tier,
        session_id=page.session_id,
        segment_id=page.segment_id,
        page_ids=(page.id,),
        messages=messages,
        about=half,
        signals={**unit.signals, "heat": round(warmth, 4)},
    )


def _without_twins(hits: Sequence[Hit]) -> list[Hit]:
    """Drop what says word for word what a better hit of the same speaker says."""
    seen: set[tuple[str, str | None]] = set()
    out: list[Hit] = []
    for hit in hits:
        key = (" ".join(hit.text.split()).lower(), hit.about)
        if key not in seen:
            seen.add(key)
            out.append(hit)
    return out


def _limited(hits: Iterable[Hit], top_pages: int | None, top_facts: int) -> list[Hit]:
    out: list[Hit] = []
    pages: set[str] = set()
    facts = 0
    for hit in hits:
        if hit.kind == "fact":
            facts += 1
            if facts <= top_facts:
                out.append(hit)
        elif top_pages is None or hit.id in pages or len(pages) < top_pages:
            pages.add(hit.id)
            out.append(hit)
    return out


def _strength(found: Candidates, chosen: Sequence[int]) -> float:
    dense = np.nan_to_num(found.dense[chosen])
    return float(max(found.coverage[chosen].max(), dense.max()))


class _Timings:
    """Milliseconds by stage."""

    def __init__(self) -> None:
        self.laps: dict[str, float] = {}
        self._last = time.perf_counter()

    def lap(self, name: str) -> None:
        now = time.perf_counter()
        self.laps[name] = round((now - self._last) * 1e3, 3)
        self._last = now
