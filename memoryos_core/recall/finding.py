"""The units that answer a question, best first: gathered by words and by meaning, ranked, gated or spread.

The best hits are read again by a reranker, where one was given (ADR 0011).
"""

from __future__ import annotations

import logging
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from math import log1p

import numpy as np
from numpy.typing import NDArray

from memoryos_core.config import MemoryConfig, RecallConfig
from memoryos_core.errors import MemoryOSError, ModelError
from memoryos_core.ports import Clock, Embedder, PageIndex, Reranker, Store
from memoryos_core.ports.models import ForeignErrors
from memoryos_core.recall.index.said_then import Asked, candidates_of_times, lies_within, times_alone, weigh_within
from memoryos_core.rules.dates import Span, asked_times, dates_in_question
from memoryos_core.rules.knowledge.lines import Book
from memoryos_core.rules.paging.heat import f_score, heat, recency
from memoryos_core.rules.paging.pages import passages
from memoryos_core.rules.paging.topics import titles
from memoryos_core.rules.ranking.hits import Filter, Unit, asks_for_all, filter_mask, inside, spread_out
from memoryos_core.rules.ranking.questions import as_signed, asks_for_overview, may_name_a_talk
from memoryos_core.rules.ranking.relevance import (
    ANYTHING,
    Floor,
    Indices,
    asks_nothing,
    asks_of_memory,
    is_echo,
    log_odds,
    match,
    may_echo,
    relevance,
    speaks_of_us,
    without,
    without_idle_words,
)
from memoryos_core.rules.ranking.rendering import topic_line
from memoryos_core.rules.ranking.signals import (
    Ranking,
    Scores,
    Session,
    add_heat,
    order_by_both,
    rank,
    speakers_in_question,
    without_names,
)
from memoryos_core.rules.ranking.times_alone import spread_over_times
from memoryos_core.rules.text.languages import question_terms
from memoryos_core.tiers.knowledge import Knowledge
from memoryos_core.tiers.mid_term import Visits
from memoryos_core.values.commands import PageQuery
from memoryos_core.values.dialogue import Hit, Scope, Vector
from memoryos_core.values.events import Hook, StepFailed
from memoryos_core.values.queries import Candidates

logger = logging.getLogger(__package__)

_EVERYTHING_SAID = Filter()
# A filter or the paper's gate chooses among all units, not only among the best ones before it.
EVERYTHING = 1_000_000_000
# Heat is a light prior: it is only looked up for the segments of this many best units.
_WARMED = 40
# A whole topic needs lower ranks too: this many times more candidates are spread.
_COVERED = 5
_NEARLY = 1e-3
# An overview names so many topics at most, those with this share of what the first of them weighs. Lately is a month.
_TOPICS, _OF_THE_MATTER, _LATELY_SECONDS = 24, 0.2, 2.6e6
# The relevance of what was said in the time that a question asks about.
_SAID_THEN = 0.9
_TELLING = 20  # units whose segments are of the matter
_NO_VECTOR = np.zeros(0, dtype=np.float32)


@dataclass(frozen=True, slots=True)
class Ranked:
    """Candidates with their scores and signals, and the numbers of those that may come back, best first.

    `scores` are relevances, 0 to 1 (`rules.relevance`). With `spread` the order takes sessions in turn, or parts of the
    `times` that alone were asked about.
    """

    found: Candidates
    scores: Scores
    signals: Mapping[str, Scores]
    chosen: tuple[int, ...]
    spread: bool = False
    times: tuple[Span, ...] = ()

    def weigh_segments(self) -> dict[str, float]:
        """Return how much of the best units lies in each segment, by relevance."""
        weights: dict[str, float] = {}
        for number in sorted(self.chosen, key=lambda number: -self.scores[number])[:_TELLING]:
            if segment := self.found.segments[number]:
                weights[segment] = weights.get(segment, 0.0) + float(self.scores[number])
        return weights

    def units(self, numbers: Sequence[int]) -> list[Unit]:
        """Return some units."""
        found, at, names = self.found, list(numbers), tuple(self.signals)
        owners, parts, homes = found.owners, found.parts, found.homes or [None] * len(found)
        scores: list[float] = self.scores[at].tolist()
        columns: Scores = np.array([values[at] for values in self.signals.values()])
        rows: list[list[float]] = np.transpose(round_to_four_places(columns)).tolist()
        none = [-1] * len(at)
        sizes: list[int] = none if found.sizes is None else found.sizes[at].tolist()
        disclosures: list[int] = none if found.disclosures is None else found.disclosures[at].tolist()
        places: list[int] = none if found.places is None else found.places[at].tolist()
        measured = zip(sizes, disclosures, places, strict=True)
        return [
            Unit(owners[n], parts[n], score, dict(zip(names, signals, strict=True)), *measures, homes[n])
            for n, score, signals, measures in zip(at, scores, rows, measured, strict=True)
        ]


def round_to_four_places(values: Scores) -> Scores:
    """Return values to four places, as Python rounds them: which is right, and slow."""
    scaled = values * 1e4
    out = np.rint(scaled) / 1e4
    for place in zip(*np.nonzero(np.abs(scaled - np.floor(scaled) - 0.5) < _NEARLY), strict=True):
        out[place] = round(float(values[place]), 4)  # a product does not tell the half from what is beside it
    return out


def _exempt(question: str, ranking: Ranking, *, covered: bool, date: float) -> NDArray[np.bool_]:
    """Return the units that need not resemble the question, which asks for a whole topic, the memory, or a date."""
    whole = (covered and speaks_of_us(question)) or asks_of_memory(question)
    return (ranking.signals["date"] >= (date or np.inf)) | whole


def _in_order(found: Candidates, ranking: Ranking, times: Sequence[Span], *, covered: bool) -> Indices:
    """Return the order: by the ranking, or spread over the times or, `covered`, over all of a topic."""
    if times:
        return spread_over_times(found, ranking, times)
    return spread_out(found, ranking) if covered else ranking.order


class Finder:
    """Finds units; reads none of them from the store and asks no model but the embedder."""

    def __init__(  # noqa: PLR0913 - one argument for each part it works with
        self,
        *,
        store: Store,
        index: PageIndex,
        embedder: Embedder,
        config: MemoryConfig,
        clock: Clock,
        emit: Hook,
        visits: Visits,
        knowledge: Knowledge,
    ) -> None:
        self._store = store
        self._index = index
        self._embedder = embedder
        self._config = config
        self._clock = clock
        self._emit = emit
        self._visits = visits
        self._knowledge = knowledge

    def find(  # noqa: PLR0913 - what is asked, and of how much
        self,
        scope: Scope,
        question: str,
        depth: int,
        clock: Timings,
        *,
        narrowed: Filter = _EVERYTHING_SAID,
        floor: Floor = ANYTHING,
        whole: bool = False,
        session: Session | None = None,
    ) -> Ranked | None:
        """Return the units that answer, None when there is nothing to search for or nothing answers. Raises StoreError.

        A `whole` topic may be spread out, as configured; else the order is that of the ranking. The `session` asks.
        """
        if not question:
            return None
        config = self._config.recall
        question = self._with_signatures(scope, question, is_read=whole and config.knowledge_share > 0)
        vector = self._embed(scope, question, config)
        clock.lap("embed")
        if vector is None and config.lexical == 0:
            config = replace(config, lexical=1.0)  # words are all there is
        of_words_only = not self._embedder.semantic and config.lexical > 0
        covered = whole and (config.coverage == "always" or (config.coverage == "asked" and asks_for_all(question)))
        depth = EVERYTHING if config.gate else _COVERED * depth if covered else depth
        times = self._times_alone(scope, question, now := self._clock(), session)
        found = self._index.candidates(scope, question, None if of_words_only else vector, depth)
        found = found.with_others(self._said_in(scope, times, narrowed)) if times else found
        clock.lap("search")
        echoes = self._echoes(scope, question, found)
        found = without(found, echoes) if len(echoes) else without_idle_words(found)
        spans = times or dates_in_question(question, now)
        ranking = self._add_heat(scope, found, rank(found, question, spans, now.timestamp(), config), now)
        admitted = filter_mask(found, narrowed)
        if config.gate:
            admitted &= inside(found, self._gate(scope, question, vector))
        matched, eligible = match(found, question), np.flatnonzero(admitted).tolist()
        wants = not asks_nothing(question)
        scores = relevance(ranking.judged, matched, eligible, echoed=len(echoes) > 0) * wants
        if times:  # what was said then is what was asked for
            admitted &= ranking.signals["date"] >= config.date
            scores = np.maximum(scores, _SAID_THEN * admitted)
        scores[echoes] = 0.0
        passed = floor.passed(floor.raise_neighbours(scores, found), found.owners, echoes if wants else echoes[:0])
        if floor.of_pages:
            passed |= _exempt(question, ranking, covered=covered, date=config.date if spans else 0.0)
        admitted &= passed
        order = _in_order(found, ranking, times, covered=covered)
        best_first: list[int] = order[admitted[order]].tolist()
        chosen = tuple(sorted(best_first, key=set(echoes.tolist()).__contains__) if len(echoes) else best_first)
        clock.lap("rank")
        return Ranked(found, scores, ranking.signals, chosen, covered or bool(times), times) if chosen else None

    def _with_signatures(self, scope: Scope, question: str, *, is_read: bool) -> str:
        """Return the question with the names that speakers sign with; `is_read`: the facts were read just before."""
        is_asked = self._config.recall.speaker > 0
        called = self._knowledge.called(scope, follow=not is_read) if is_asked else dict[str, str]()
        speakers = self._index.speakers(scope) if called else frozenset[str]()
        return as_signed(question, {name: who for name, who in called.items() if who in speakers})

    def _said_in(self, scope: Scope, times: Sequence[Span], narrowed: Filter) -> Candidates:
        """Return what was said in the times, of which no word of the question finds anything."""
        return candidates_of_times(self._store, scope, times, narrowed, self._knowledge.facts(scope))

    def _times_alone(self, scope: Scope, question: str, now: datetime, session: Session | None) -> tuple[Span, ...]:
        times = asked_times(question, now) if self._config.recall.date else ()
        if not times and not (self._config.recall.date and may_name_a_talk(question)):
            return ()
        hours = self._config.short_term.idle_hours
        pause = timedelta.max if hours is None else timedelta(hours=hours)
        asked = Asked(question, times, now, session_id=session.id if session else None, pause=pause)
        return times_alone(self._store, scope, asked, self._index.speakers(scope))

    def find_topics(
        self, scope: Scope, question: str, ranked: Ranked | None, book: Book | None
    ) -> tuple[tuple[int, str], ...]:
        """Return lines about the topics that an overview is asked of, best first, each with its place in time.

        None for other questions. Without a subject these are the largest of late, or those that lie in the time that is
        asked for; else those of the best units. What no longer holds by the book is not quoted. Raises StoreError.
        """
        if not self._config.recall.overview_share or not asks_for_all(question):
            return ()
        # What happened in March may have been told in May: of a subject the hits decide.
        of_all, now = asks_for_overview(question), self._clock()
        spans = (ranked.times if ranked else ()) or (asked_times(question, now) if of_all else ())
        without_subject = of_all or bool(spans)
        segments = self._store.segments(scope)
        newest = max((s.until for s in segments if s.until), default=now)
        weights: Mapping[str, float] = {
            s.id: log1p(s.page_count) * recency((newest - (s.until or newest)).total_seconds(), _LATELY_SECONDS)
            for s in segments
        }
        if spans:
            weights = {s.id: weigh_within(self._store, scope, s, spans) for s in segments}
        if not without_subject:
            weights = {} if ranked is None else ranked.weigh_segments()
        title_of, asked = titles(segments), frozenset(question_terms(question))
        by_time = sorted(segments, key=lambda s: s.since or newest)  # of one time, as they are stored
        best = sorted(by_time, key=lambda s: -weights.get(s.id, 0.0))[:_TOPICS]
        least = _OF_THE_MATTER * max((weights.get(s.id, 0.0) for s in best), default=0.0)
        place = {s.id: number for number, s in enumerate(by_time)}
        named = [s for s in best if title_of[s.id] and weights.get(s.id, 0.0) > least]
        holds = None if book is None else book.may_hold
        # The summary of a topic may tell of other times.
        told = [s if not spans or lies_within(s, spans) else replace(s, summary="") for s in named]
        return tuple((place[s.id], topic_line(title_of[s.id], s, asked, holds)) for s in told)

    @property
    def knows_meaning(self) -> bool:
        """True when questions are compared by meaning, too, and not by their words alone."""
        return self._embedder.semantic and self._config.recall.dense > 0

    def _echoes(self, scope: Scope, question: str, found: Candidates) -> Indices:
        """Return the candidates that repeat the question, from earlier times it was asked."""
        places = may_echo(found, question)
        if not len(places):
            return places
        pages = self._store.pages(PageQuery(scope, ids=tuple(dict.fromkeys(found.owners[int(i)] for i in places))))
        spoken = {(p.id, passage.part): passage.named_text for p in pages for passage in passages(p)}
        numbers: list[int] = places.tolist()
        said = [spoken.get((found.owners[i], found.parts[i]), "") for i in numbers]
        return np.array([i for i, text in zip(numbers, said, strict=True) if is_echo(text, question)], dtype=np.int64)

    def heats(self, scope: Scope, ids: Collection[str], now: datetime | None = None) -> dict[str, float]:
        """Return the heat of existing segments by id. Raises StoreError."""
        counters = self._visits.heat_counters(scope, sorted(ids)) if ids else {}
        moment = now or self._clock()
        return {s: heat(counted, self._config.heat, moment) for s, counted in counters.items()}

    def _embed(self, scope: Scope, question: str, config: RecallConfig) -> Vector | None:
        """Return the question's vector; None if no vector is needed, or if the embedder fails (log and hook say so)."""
        if not (config.gate or (config.dense > 0 and self._embedder.semantic)):
            return None
        asked = self._vector(scope, question, "recalling by words alone")
        if asked is None or not config.nameless:
            return asked
        rest = without_names(question, speakers_in_question(question, self._index.speakers(scope)))
        # The speaker that the question is about is matched by name, in `rules.ranking`.
        nameless = self._vector(scope, rest, "the question keeps its names") if rest != question else None
        if nameless is None or nameless.shape != asked.shape:
            return asked
        mixed = (1 - config.nameless) * asked + config.nameless * nameless
        return (mixed / max(float(np.linalg.norm(mixed)), 1e-9)).astype(np.float32)

    def _vector(self, scope: Scope, text: str, instead: str) -> Vector | None:
        try:
            with ForeignErrors("the embedder"):
                return self._embedder.embed_query(text)
        except ModelError as error:
            logger.warning("the embedder failed (%s): %s", type(error).__name__, instead)
            self._emit(StepFailed(scope, "recall", type(error).__name__))
            return None

    def _gate(self, scope: Scope, question: str, vector: Vector | None) -> set[str]:
        """The m segments with the best F against the question: the only ones the paper looks into."""
        asked = _NO_VECTOR if vector is None else vector
        segments = self._store.segments(scope)
        scored = sorted(segments, key=lambda s: -f_score(s.centroid, s.keywords, asked, (question,)))
        return {s.id for s in scored[: self._config.recall.top_segments]}

    def _add_heat(self, scope: Scope, found: Candidates, ranking: Ranking, now: datetime) -> Ranking:
        """The ranking with each segment's heat as a share: τ is one half."""
        weight, config = self._config.recall.heat, self._config.heat
        ids = sorted({s for i in ranking.order[:_WARMED] if (s := found.segments[int(i)])}) if weight else []
        heats = self.heats(scope, ids, now)
        shares = {s: h / (h + config.threshold) for s, h in heats.items() if h}
        return add_heat(found, ranking, shares, weight)


class Timings:
    """Milliseconds by stage; a repeated stage adds to its earlier time."""

    def __init__(self) -> None:
        self.laps: dict[str, float] = {}
        self._last = time.perf_counter()

    def lap(self, name: str) -> None:
        """Add the time since the last call to the stage that has just ended."""
        now = time.perf_counter()
        self.laps[name] = round(self.laps.get(name, 0.0) + (now - self._last) * 1e3, 3)
        self._last = now


# The beginning of a pasted megabyte shows its topic.
_READ_CHARACTERS = 4000


class Rescorer:
    """Puts the first `depth` hits in the order that the reranker and the ranking give together."""

    def __init__(self, reranker: Reranker, depth: int, emit: Hook) -> None:
        self._reranker = reranker
        self.depth = depth
        self._emit = emit

    def rescored(self, scope: Scope, question: str, hits: Sequence[Hit]) -> tuple[Hit, ...]:
        """The hits, best first, those after the first `depth` as they were; all of them so when the reranker fails."""
        head, tail = hits[: self.depth], hits[self.depth :]
        answers = self._answers(scope, question, head) if len(head) > 1 else None
        if answers is None:
            return tuple(hits)
        scores = np.array([hit.score for hit in head], dtype=np.float64)
        order: list[int] = order_by_both(log_odds(scores), answers).tolist()
        # The relevances stay with the places: a reranker gives an order of hits, not their relevance.
        moved = [(head[i], float(answers[i]), hit.score) for i, hit in zip(order, head, strict=True)]
        changed = [replace(h, score=s, signals={**h.signals, "rerank": round(a, 4)}) for h, a, s in moved]
        return (*changed, *tail)

    def _answers(self, scope: Scope, question: str, head: Sequence[Hit]) -> NDArray[np.float64] | None:
        """Return the reranker's scores; report to log and hook, and return None, when it fails or they are unusable."""
        try:
            with ForeignErrors("the reranker"):
                texts = [hit.text[:_READ_CHARACTERS] for hit in head]
                answers = np.asarray(self._reranker.scores(question, texts), dtype=np.float64)
            if answers.shape != (len(head),) or not np.isfinite(answers).all():
                wanted, shape = f"{len(head)} finite scores", answers.shape
                raise ModelError(f"the reranker must return {wanted}; it returned an array of shape {shape}")
        except MemoryOSError as error:
            logger.warning("the reranker failed (%s): hits keep their order", type(error).__name__)
            self._emit(StepFailed(scope, "rerank", type(error).__name__))
            return None
        return answers
