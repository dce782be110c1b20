"""The way out: a question becomes ranked, budgeted context (design §5). No write.

No model is asked but the embedder and, where one is given, a reranker (ADR 0011).

The best hits read again by a reranker, where one was given (ADR 0011).
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from memoryos_core.config import MemoryConfig
from memoryos_core.errors import MemoryOSError, ModelError
from memoryos_core.ports import Clock, Embedder, PageIndex, Reranker, Store, TokenCounter
from memoryos_core.ports.model_errors import ForeignErrors
from memoryos_core.recall.finding import EVERYTHING, Finder, Ranked, Timings
from memoryos_core.rules.knowledge.lines import Book, Line
from memoryos_core.rules.ranking.hits import (
    WEIGHED,
    Filter,
    Spoken,
    Unit,
    distinct,
    hit_of,
    is_superseded,
    limit_hits,
    order_by_worth,
    repeats,
    repeats_page,
)
from memoryos_core.rules.ranking.packing import Material, Room, pack
from memoryos_core.rules.ranking.questions import clean
from memoryos_core.rules.ranking.relevance import ANYTHING, Floor, log_odds
from memoryos_core.rules.ranking.rendering import escape
from memoryos_core.rules.ranking.signals import Session, order_by_both
from memoryos_core.tiers.knowledge import Knowledge
from memoryos_core.tiers.mid_term import Visits
from memoryos_core.values.commands import PageQuery
from memoryos_core.values.dialogue import Hit, Page, Recall, Scope
from memoryos_core.values.events import Hook, StepFailed
from memoryos_core.values.facts import Fact, Profile

__all__ = ["Rescorer", "Retriever"]

logger = logging.getLogger(__package__)

# The number of ranked units read from the store: enough to fill the budget with short utterances.
_READ_LEAST = 24
_TOKENS_PER_UNIT = 24
_READ_MORE = 48
_NOTHING: Mapping[str, Collection[str]] = MappingProxyType({})


@dataclass(slots=True)
class _Reading:
    """The reading of ranked units, without those that the `session` has superseded.

    `superseded` counts those; `exhausted` says that there was no further unit. The first hits are ordered `by_worth`.
    """

    session: Session | None = None
    as_facts: bool = False
    by_worth: bool = False
    superseded: int = 0
    exhausted: bool = False


class Retriever:
    """Gathers from all tiers, ranks, and packs to a budget."""

    def __init__(  # noqa: PLR0913 - one argument for each part it works with
        self,
        *,
        store: Store,
        index: PageIndex,
        embedder: Embedder,
        count_tokens: TokenCounter,
        config: MemoryConfig,
        clock: Clock,
        emit: Hook,
        visits: Visits,
        knowledge: Knowledge,
        rescorer: Rescorer | None = None,
    ) -> None:
        self._store = store
        self._count = count_tokens
        self._config = config
        self._finder = Finder(
            store=store, index=index, embedder=embedder, config=config, clock=clock, emit=emit, visits=visits
        )
        self._rescorer = rescorer
        self._knowledge = knowledge

    def recall(  # noqa: PLR0913 - what is asked, and what of it the prompt has room for
        self,
        scope: Scope,
        query: str,
        budget_tokens: int,
        recent: Sequence[Page] = (),
        shown: Mapping[str, Collection[str]] = _NOTHING,
        session: Session | None = None,
        *,
        floor: Floor = ANYTHING,
    ) -> Recall:
        """Recall the context of a question, within `budget_tokens`. Raises StoreError.

        What is ranked does not depend on the budget, only how much of it is read: more budget never drops a hit.
        What is `shown` already, ids of messages by their session, is left out, and what the `session` has superseded.
        """
        clock = Timings()
        question = clean(query)
        profile, book = self._profile(scope, session)
        known = self._find_lines(scope, question, book, session)
        clock.lap("profile")
        depth = self._config.recall.candidates
        ranked = self._finder.find(scope, question, Filter(), depth, clock, floor=floor, whole=True)
        first = _READ_LEAST + budget_tokens // _TOKENS_PER_UNIT + sum(map(len, shown.values()))
        ids = {session: frozenset(of) for session, of in shown.items() if of}
        count = lru_cache(maxsize=None)(self._count)  # what is counted to read enough is counted again to pack
        room = Room(budget_tokens, count, frozenset(p.id for p in recent))
        reading = _Reading(session)
        hits = self._best(scope, ranked, reading, first, shown=ids, room=room) if ranked else ()
        if ranked and reading.superseded and reading.exhausted and len(ranked.owners) >= depth:
            # Superseded units took the places of other ones: search without a limit.
            every = self._finder.find(scope, question, Filter(), EVERYTHING, clock, floor=floor, whole=True)
            ranked = every or ranked
            hits = self._best(scope, ranked, _Reading(session), first, shown=ids, room=room)
        clock.lap("read")
        if (rescorer := self._rescorer_for(ranked)) is not None:
            hits = rescorer.rescored(scope, question, hits)
            clock.lap("rerank")
        turns = tuple(p for p in recent if not repeats_page(p, ids))
        material = Material(question, self._say_what_is_over(scope, hits, book), turns, profile, known)
        packed = pack(material, budget_tokens, count, self._config.recall)
        clock.lap("pack")
        return replace(packed, query=query, timings_ms=clock.laps)

    def search(self, scope: Scope, query: str, k: int, narrowed: Filter, *, floor: Floor = ANYTHING) -> tuple[Hit, ...]:
        """The k best hits with their scores and signals, best first. Raises StoreError."""
        question = clean(query)
        depth = EVERYTHING if narrowed else max(4 * k, self._config.recall.candidates)
        ranked = self._finder.find(scope, question, narrowed, depth, Timings(), floor=floor)
        reading = _Reading(as_facts=narrowed.only_facts)
        found = self._hits(scope, ranked, max(4 * k, _READ_LEAST), reading, narrowed) if ranked else iter(())
        if (rescorer := self._rescorer_for(ranked)) is not None:
            found = iter(rescorer.rescored(scope, question, tuple(islice(found, max(k, rescorer.depth)))))
        hits = tuple(islice(found, k))
        heats = self._finder.heats(scope, {h.segment_id for h in hits if h.segment_id})
        return tuple(replace(h, heat=heats.get(h.segment_id or "")) for h in hits)

    def _profile(self, scope: Scope, session: Session | None) -> tuple[Profile, Book | None]:
        """Return the facts about the user, and the book of what is known, None where lines of it are not wanted.

        The profile is without what only superseded pages of the session support.
        """
        known = self._store.profile(scope)
        if not self._config.recall.knowledge_share:
            return self._without_superseded(scope, known, session), None
        book = self._book(scope, known)
        profile = self._without_superseded(scope, book.amend(known), session)
        return profile, book if profile.get("name") == known.get("name") else self._book(scope, profile)

    def _without_superseded(self, scope: Scope, profile: Profile, session: Session | None) -> Profile:
        cited = {i for field in profile.fields for i in field.page_ids}
        cited |= {i for trait in profile.traits for i in trait.page_ids}
        if session is None or not cited:
            return profile
        ended = self._store.pages(PageQuery(scope, ids=tuple(cited), session_id=session.id, ended=True))
        return session.known_here(profile, {page.id: page for page in ended}) if ended else profile

    def _book(self, scope: Scope, profile: Profile) -> Book:
        name = profile.get("name")
        return self._knowledge.book(scope, () if name is None else (name,))

    def _find_lines(self, scope: Scope, question: str, book: Book | None, session: Session | None) -> tuple[Line, ...]:
        """Return the lines about what is known that answer the question, without what the session has superseded."""
        if book is None:
            return ()
        lines = book.lines(question)
        cited = tuple({i for line in lines for fact in line.facts for i in fact.page_ids})
        if session is None or not cited:
            return tuple(lines)
        ended = self._store.pages(PageQuery(scope, ids=cited, session_id=session.id, ended=True))
        pages = {page.id: page for page in ended}
        gone = (any(session.supersedes_fact(f, pages) for f in line.facts) for line in lines)
        return tuple(line for line, over in zip(lines, gone, strict=True) if not over)

    def _say_what_is_over(self, scope: Scope, hits: Sequence[Hit], book: Book | None) -> tuple[Hit, ...]:
        """Return the hits, those that quote what no longer holds with a word about it."""
        if book is None:
            return tuple(hits)
        over = tuple(dict.fromkeys(hit.id for hit in hits if hit.kind == "page" and book.is_over(hit.id)))
        pages = {page.id: page for page in self._store.pages(PageQuery(scope, ids=over))} if over else {}
        told = {page.id: book.over_in(page) for page in pages.values()}
        marked = ((h, book.marks(h, told[h.id].get(h.at, ()) if h.id in told else ())) for h in hits)
        return tuple(
            replace(h, marks=tuple((said, escape(mark)) for said, mark in marks)) if marks else h for h, marks in marked
        )

    def _rescorer_for(self, ranked: Ranked | None) -> Rescorer | None:
        """Return None also for a ranking spread over sessions: reranking would put the best units together again."""
        return None if ranked is None or ranked.spread else self._rescorer

    def _best(
        self,
        scope: Scope,
        ranked: Ranked,
        reading: _Reading,
        first: int,
        *,
        shown: Mapping[str, Collection[str]],
        room: Room,
    ) -> tuple[Hit, ...]:
        """Return the hits that are worth most, while there is room; for a reranker the `first`, and its extra ones.

        A question that was asked before stands last in a search, and not in a prompt.
        """
        rescorer = self._rescorer_for(ranked)
        reading.by_worth = rescorer is None and not ranked.spread
        read = self._hits(scope, ranked, first, reading, shown=shown)
        hits = (hit for hit in read if hit.score > 0)
        if rescorer is not None:
            return tuple(islice(hits, max(first, rescorer.depth)))
        return tuple(room.filled(hits))

    def _hits(
        self,
        scope: Scope,
        ranked: Ranked,
        first: int,
        reading: _Reading,
        narrowed: Filter | None = None,
        *,
        shown: Mapping[str, Collection[str]] = _NOTHING,
    ) -> Iterator[Hit]:
        """The chosen units as hits, best first; the `first` at once, more of them only as they are taken."""
        config = self._config.recall
        found = self._read_hits(scope, ranked, first, reading)
        read = (hit for hit in found if narrowed is None or narrowed.admits(hit))
        read = (hit for hit in read if not repeats(hit, shown)) if shown else read
        # The number of facts among pages; a search for facts only has no such limit.
        top_facts = None if reading.as_facts else config.top_facts
        return limit_hits(distinct(read), config.top_pages, top_facts)

    def _read_hits(self, scope: Scope, ranked: Ranked, first: int, reading: _Reading) -> Iterator[Hit]:
        rest = iter(ranked.chosen)
        read: set[tuple[str, int]] = set()
        weight = self._config.recall.length if reading.by_worth else 0.0
        while units := [ranked.unit(i) for i in islice(rest, WEIGHED if weight else first)]:
            hits = self._hits_of(scope, units, reading, read)
            yield from order_by_worth(hits, weight) if weight else hits
            first, weight = _READ_MORE, 0.0
        reading.exhausted = True

    def _hits_of(
        self, scope: Scope, units: Sequence[Unit], reading: _Reading, read: set[tuple[str, int]]
    ) -> Iterator[Hit]:
        """The hits of some units; `read` are the messages that have one already, and grow."""
        session = reading.session
        facts, pages = self._sources(scope, units, reading)
        spoken = Spoken(pages)
        for unit in units:
            if session is not None and is_superseded(unit, spoken, facts, session):
                reading.superseded += 1
                continue
            passage = spoken.passage(unit, facts, session)
            if passage is not None:
                place = passage.page_id, passage.at
                if place in read:
                    continue  # another part of a message that is there takes no other's place
                read.add(place)
            if (hit := hit_of(unit, spoken, facts, session)) is not None:
                yield hit

    def _sources(
        self, scope: Scope, units: Sequence[Unit], reading: _Reading
    ) -> tuple[dict[str, Fact], dict[str, Page]]:
        """The facts and pages of these units, and the page that each fact stands in first.

        Of facts whose first page the session has superseded, the others, too.
        """
        told = [u.owner for u in units if u.part == "fact"]
        facts = {f.id: f for f in self._store.facts(scope, ids=told)} if told else {}
        if reading.as_facts:
            return facts, {}  # without its page at hand a fact stays a fact, and nothing else was asked for
        wanted = dict.fromkeys(u.owner for u in units if u.part != "fact")
        wanted.update(dict.fromkeys(p for f in facts.values() for p in f.page_ids[:1]))
        pages = {p.id: p for p in self._store.pages(PageQuery(scope, ids=tuple(wanted)))} if wanted else {}
        if (session := reading.session) is not None:
            firsts = [f for f in facts.values() if session.supersedes_fact(replace(f, page_ids=f.page_ids[:1]), pages)]
            others = dict.fromkeys(p for f in firsts for p in f.page_ids[1:] if p not in pages)
            if others:
                pages |= {p.id: p for p in self._store.pages(PageQuery(scope, ids=tuple(others)))}
        return facts, pages


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
            return _check_answers(answers, len(head))
        except MemoryOSError as error:
            logger.warning("the reranker failed (%s): hits keep their order", type(error).__name__)
            self._emit(StepFailed(scope, "rerank", type(error).__name__))
            return None


def _check_answers(answers: NDArray[np.float64], expected: int) -> NDArray[np.float64]:
    if answers.shape != (expected,) or not np.isfinite(answers).all():
        raise ModelError(
            f"the reranker must return {expected} finite scores; it returned an array of shape {answers.shape}"
        )
    return answers
