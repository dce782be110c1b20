"""The way out: a question becomes ranked, budgeted context, by no model but embedder and reranker. No write."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date
from functools import lru_cache
from itertools import islice
from weakref import WeakKeyDictionary

from memoryos_core.config import MemoryConfig, RecallConfig
from memoryos_core.extract.own_words import with_speaker
from memoryos_core.ports import Clock, Embedder, PageIndex, Store, TokenCounter
from memoryos_core.recall.finding import EVERYTHING, Finder, Ranked, Rescorer, Timings
from memoryos_core.rules.dates import coming_times
from memoryos_core.rules.knowledge.entries import ASKS_FOR_PLANS, Line, agenda, with_newer_fields
from memoryos_core.rules.knowledge.lines import Book
from memoryos_core.rules.ranking.disclosure import disclosure
from memoryos_core.rules.ranking.hits import (
    WEIGHED,
    Filter,
    Shown,
    Spoken,
    Unit,
    distinct,
    hit_of,
    is_superseded,
    limit_hits,
    put_short_first,
    repeats,
    repeats_page,
    worth,
)
from memoryos_core.rules.ranking.packing import Material, Room, pack, say_what_is_over
from memoryos_core.rules.ranking.questions import asks_for_portrait, asks_for_time, clean
from memoryos_core.rules.ranking.relevance import ANYTHING, Floor, asks_of_memory, meets_by_chance
from memoryos_core.rules.ranking.rendering import size_of, with_times
from memoryos_core.rules.ranking.signals import Session
from memoryos_core.tiers.knowledge import Knowledge
from memoryos_core.tiers.mid_term import Visits
from memoryos_core.values.commands import PageQuery
from memoryos_core.values.dialogue import FACT, Hit, Page, Recall, Scope
from memoryos_core.values.events import Hook
from memoryos_core.values.facts import Fact, Profile

# The number of ranked units read from the store: enough to fill the budget with short utterances.
_READ_LEAST = 24
_TOKENS_PER_UNIT = 24
_READ_MORE = 48
# Of units whose length is known as many are read as the budget holds of such length, then a few more at a time. No
# hit is counted with more than a tenth of the budget, as in `Room`.
_BYTES_A_TOKEN = 4
_LARGEST = 0.1
_READ_NEXT = 6
# A time answers that stands in one of the best hits; in all of them it would cost the room of other hits.
_WITH_TIMES = 6
_NOTHING = Shown()


class _Ended:
    """The pages of conversations that the session which asks has ended; most sessions have none, and ask once."""

    def __init__(self, store: Store, scope: Scope, session: Session | None) -> None:
        self.session = session
        self._store = store
        self._scope = scope
        self._are_there: bool | None = None

    def are_there(self) -> bool:
        """Return whether there are any."""
        if self._are_there is None and self.session is not None:
            ended = PageQuery(self._scope, session_id=self.session.id, ended=True, limit=1)
            self._are_there = bool(self._store.pages(ended))
        return bool(self._are_there)

    def among(self, ids: Collection[str]) -> dict[str, Page]:
        """Return those with one of these ids, by id."""
        if self.session is None or not ids or not self.are_there():
            return {}
        query = PageQuery(self._scope, ids=tuple(ids), session_id=self.session.id, ended=True)
        return {page.id: page for page in self._store.pages(query)}


class _Reading:
    """The reading of ranked units as hits, without those that the session that asks has superseded.

    `superseded` counts those; `exhausted` says that there was no further unit. Facts that meet the question `by_words`
    of no weight are left out; it is empty where all hits are wanted.
    """

    def __init__(
        self, store: Store, scope: Scope, ended: _Ended | None = None, *, by_words: str = "", as_facts: bool = False
    ) -> None:
        self.as_facts = as_facts
        self.superseded = 0
        self.exhausted = False
        self._store = store
        self._scope = scope
        self._ended = ended
        self._session = None if ended is None else ended.session
        self._by_words = by_words
        self._facts: dict[str, Fact] = {}
        self.pages: dict[str, Page] = {}
        self._spoken = Spoken(self.pages)
        self._quoted: set[tuple[str, int]] = set()

    def hits(self, units: Sequence[Unit]) -> Iterator[Hit]:
        """Read the hits of some units; another part of a message that is there takes no other's place."""
        if self.as_facts:
            units = _as_facts(units)
        self._fetch(units)
        return (hit for unit in units if (hit := self._hit(unit)) is not None)

    def best_first(self, units: Sequence[Unit], config: RecallConfig, budget: int) -> Iterator[Hit]:
        """Return the hits of some units, those first that are worth most; the others are read as they are taken.

        Where the index knows the length of a unit, the unit is read only when its turn comes.
        """
        if self._has_ended(units):
            units = _as_facts(units)
        self._fetch([unit for unit in units if unit.size < 0])
        ordered: list[tuple[float, int, Unit, Hit | None]] = []
        for unit in units:
            size, tells, hit = unit.size, unit.disclosure, None
            if size >= 0:
                if not self._is_new(unit.owner if unit.home is None else unit.home.page_id, unit.place):
                    continue
            elif (hit := self._hit(unit)) is None:
                continue
            else:
                size, tells = size_of(hit.text), sum(map(disclosure, hit.messages))
            ordered.append((worth(unit.signals, size, tells, config), size, unit, hit))
        ordered.sort(key=lambda one: -one[0])
        return self._read_in_turn([one[1:] for one in ordered], budget)

    def _read_in_turn(self, ordered: Sequence[tuple[int, Unit, Hit | None]], budget: int) -> Iterator[Hit]:
        """Yield hits of known size, best first; those that are not read yet as many at once as the budget may hold.

        Of messages that seem the same one is counted: what has been said before is left out when it is read.
        """
        rest, room, most = iter(ordered), float(budget * _BYTES_A_TOKEN), budget * _BYTES_A_TOKEN * _LARGEST
        some: list[tuple[int, Unit, Hit | None]] = []
        sizes: set[tuple[int, int]] = set()
        for one in rest:
            some.append(one)
            seems = one[0], one[1].disclosure
            room -= 0 if seems in sizes else min(one[0], most)
            sizes.add(seems)
            if room < 0:
                break
        while some:
            self._fetch([unit for _, unit, hit in some if hit is None])
            yield from (found for _, unit, hit in some if (found := hit or self._quote(unit)) is not None)
            some = list(islice(rest, _READ_NEXT))

    def _has_ended(self, units: Sequence[Unit]) -> bool:
        """Return whether the session may have superseded the message that one of these facts is quoted as."""
        ended, session = self._ended, self._session
        if ended is None or session is None:
            return False
        return any(unit.home is not None and unit.home.session_id == session.id for unit in units) and ended.are_there()

    def _hit(self, unit: Unit) -> Hit | None:
        hit = self._quote(unit)
        return hit if hit is None or hit.kind == FACT or self._is_new(hit.id, hit.at) else None

    def _is_new(self, page_id: str, place: int) -> bool:
        """Return whether a message has no hit yet; it has one from now on."""
        is_new = (page_id, place) not in self._quoted
        self._quoted.add((page_id, place))
        return is_new

    def _quote(self, unit: Unit) -> Hit | None:
        session = self._session
        if unit.home is None and session is not None and is_superseded(unit, self._spoken, self._facts, session):
            self.superseded += 1
            return None
        hit = hit_of(unit, self._spoken, self._facts, session)
        is_fact = self._by_words and hit is not None and hit.kind == FACT  # a page has other words beside it
        return None if is_fact and hit is not None and meets_by_chance(self._by_words, hit.text) else hit

    def _fetch(self, units: Sequence[Unit]) -> None:
        """Read the facts and pages of these units, and the page that each fact stands in first.

        Of facts whose first page the session has superseded, the others, too.
        """
        told = [u.owner for u in units if u.part == FACT and u.home is None and u.owner not in self._facts]
        facts = self._store.facts(self._scope, ids=told) if told else ()
        self._facts |= {f.id: f for f in facts}
        if self.as_facts:
            return  # without its page at hand a fact stays a fact, and nothing else was asked for
        quoted = [u.owner if u.home is None else u.home.page_id for u in units if u.part != FACT or u.home is not None]
        self._fetch_pages([*quoted, *(p for f in facts for p in f.page_ids[:1])])
        if (session := self._session) is not None:
            firsts = (f for f in facts if session.supersedes_fact(replace(f, page_ids=f.page_ids[:1]), self.pages))
            self._fetch_pages([p for f in firsts for p in f.page_ids[1:]])

    def _fetch_pages(self, ids: Sequence[str]) -> None:
        wanted = tuple(dict.fromkeys(i for i in ids if i not in self.pages))
        if wanted:
            self.pages.update((p.id, p) for p in self._store.pages(PageQuery(self._scope, ids=wanted)))


def _as_facts(units: Sequence[Unit]) -> list[Unit]:
    """Return the units, each fact as itself and not as the message that says it."""
    return [replace(unit, size=-1, home=None) if unit.home is not None else unit for unit in units]


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
        self._clock = clock
        self._count = count_tokens
        self._config = config
        self._finder = Finder(
            store=store,
            index=index,
            embedder=embedder,
            config=config,
            clock=clock,
            emit=emit,
            visits=visits,
            knowledge=knowledge,
        )
        self._rescorer = rescorer
        self._knowledge = knowledge
        # To amend a profile every fact is looked at. A book lasts until a fact changes.
        self._amended: WeakKeyDictionary[Book, tuple[tuple[Profile, date], Profile]] = WeakKeyDictionary()

    def recall(  # noqa: PLR0913 - what is asked, and what of it the prompt has room for
        self,
        scope: Scope,
        query: str,
        budget_tokens: int,
        recent: Sequence[Page] = (),
        shown: Shown = _NOTHING,
        session: Session | None = None,
        *,
        floor: Floor = ANYTHING,
    ) -> Recall:
        """Recall the context of a question, within `budget_tokens`. Raises StoreError.

        What is ranked does not depend on the budget, only how much of it is read: more budget never drops a hit.
        What is `shown` already is left out, and what the `session` has superseded.
        """
        clock = Timings()
        question = clean(query)
        ended = _Ended(self._store, scope, session)
        profile, book = self._profile(scope, ended)
        known = self._find_lines(question, book, ended)
        known = tuple(with_newer_fields(known, profile)) if known else ()
        clock.lap("profile")
        depth = self._config.recall.candidates
        ranked = self._finder.find(scope, question, depth, clock, floor=floor, whole=True, session=session)
        first = _READ_LEAST + budget_tokens // _TOKENS_PER_UNIT + len(shown)
        count = lru_cache(maxsize=None)(self._count)  # what is counted to read enough is counted again to pack
        room = Room(budget_tokens, count, frozenset(p.id for p in recent))
        words = self._judged_by_words(question, floor)
        reading = _Reading(self._store, scope, ended, by_words=words)
        hits = self._best(ranked, reading, first, shown=shown, room=room) if ranked else ()
        if ranked and reading.superseded and reading.exhausted and len(ranked.found) >= depth:
            # Superseded units took the places of other ones: search without a limit.
            every = self._finder.find(scope, question, EVERYTHING, clock, floor=floor, whole=True, session=session)
            ranked = every or ranked
            reading = _Reading(self._store, scope, ended, by_words=words)
            hits = self._best(ranked, reading, first, shown=shown, room=room)
        clock.lap("read")
        if (rescorer := self._rescorer_for(ranked)) is not None:
            hits = rescorer.rescored(scope, question, hits)
            clock.lap("rerank")
        turns = tuple(p for p in recent if not repeats_page(p, shown))
        hits = say_what_is_over(hits, book, reading.pages)
        if any(hit.kind == FACT and not hit.page_ids for hit in hits):  # told on purpose, maybe in the first person
            hits = tuple(map(with_speaker, hits))
        if self._config.recall.resolve_times and asks_for_time(question):
            hits = (*map(with_times, hits[:_WITH_TIMES]), *hits[_WITH_TIMES:])
        topics = self._finder.find_topics(scope, question, ranked, book)
        if topics and ended.are_there():  # asked last, since it reads pages, and most questions get no topics
            topics = ()  # a summary may quote what the session has superseded
        material = Material(question, hits, turns, profile, known, topics)
        packed = pack(material, budget_tokens, count, self._config.recall)
        clock.lap("pack")
        return replace(packed, query=query, timings_ms=clock.laps)

    def search(self, scope: Scope, query: str, k: int, narrowed: Filter, *, floor: Floor = ANYTHING) -> tuple[Hit, ...]:
        """The k best hits with their scores and signals, best first. Raises StoreError."""
        question = clean(query)
        depth = EVERYTHING if narrowed else max(4 * k, self._config.recall.candidates)
        ranked = self._finder.find(scope, question, depth, Timings(), narrowed=narrowed, floor=floor)
        words = self._judged_by_words(question, floor)
        reading = _Reading(self._store, scope, by_words=words, as_facts=narrowed.only_facts)
        found = self._read_units(ranked, max(4 * k, _READ_LEAST), reading) if ranked else iter(())
        found = self._limit((hit for hit in found if narrowed.admits(hit)), as_facts=narrowed.only_facts)
        if (rescorer := self._rescorer_for(ranked)) is not None:
            found = iter(rescorer.rescored(scope, question, tuple(islice(found, max(k, rescorer.depth)))))
        hits = tuple(islice(found, k))
        heats = self._finder.heats(scope, {h.segment_id for h in hits if h.segment_id})
        return tuple(replace(h, heat=heats.get(h.segment_id or "")) for h in hits)

    def _profile(self, scope: Scope, ended: _Ended) -> tuple[Profile, Book | None]:
        """Return the facts about the user, and the book of what is known, None where lines of it are not wanted.

        The profile is without what only superseded pages of the session support.
        """
        known = self._store.profile(scope)
        if not self._config.recall.knowledge_share:
            return _without_superseded(known, ended), None
        book = self._book(scope, known)
        now = self._clock()
        asked = known, now.date()  # what is announced holds from a day on
        if self._amended.get(book, (None,))[0] != asked:
            self._amended[book] = asked, book.amend(known, now)
        profile = _without_superseded(self._amended[book][1], ended)
        return profile, book if profile.get("name") == known.get("name") else self._book(scope, profile)

    def _book(self, scope: Scope, profile: Profile) -> Book:
        name = profile.get("name")
        return self._knowledge.book(scope, () if name is None else (name,))

    def _find_lines(self, question: str, book: Book | None, ended: _Ended) -> tuple[Line, ...]:
        """Return the lines about what is known that answer the question, without what the session has superseded."""
        if book is None:
            return ()
        now = self._clock()
        lines = agenda(book.facts, now, coming_times(question, now)) if ASKS_FOR_PLANS.search(question) else []
        lines = lines or (book.portrait(now) if asks_for_portrait(question) else book.lines(question))
        session = ended.session
        if session is None or not lines or not ended.are_there():
            return tuple(lines)
        pages = ended.among({i for line in lines for fact in line.facts for i in fact.page_ids})
        gone = (any(session.supersedes_fact(f, pages) for f in line.facts) for line in lines)
        return tuple(line for line, over in zip(lines, gone, strict=True) if not over)

    def _judged_by_words(self, question: str, floor: Floor) -> str:
        """Return the question, if relevance is asked for and words are all there is to judge it by; else ""."""
        return question if floor.least and not self._finder.knows_meaning and not asks_of_memory(question) else ""

    def _rescorer_for(self, ranked: Ranked | None) -> Rescorer | None:
        """Return None also for a ranking spread over sessions: reranking would put the best units together again."""
        return None if ranked is None or ranked.spread else self._rescorer

    def _best(self, ranked: Ranked, reading: _Reading, first: int, *, shown: Shown, room: Room) -> tuple[Hit, ...]:
        """Return the hits that are worth most, while there is room; for a reranker the `first`, and its extra ones.

        A question that was asked before stands last in a search, and not in a prompt.
        """
        rescorer, config = self._rescorer_for(ranked), self._config.recall
        by_worth = rescorer is None and not ranked.spread and config.length + config.disclosure > 0
        read = self._read_units(ranked, first, reading, room.budget if by_worth else None)
        told = self._limit(hit for hit in read if not repeats(hit, shown))
        hits: Iterator[Hit] = (hit for hit in told if hit.score > 0)
        if rescorer is not None:
            return tuple(islice(hits, max(first, rescorer.depth)))
        if ranked.spread:
            hits = put_short_first(hits)
        return tuple(room.filled(hits))

    def _limit(self, read: Iterable[Hit], *, as_facts: bool = False) -> Iterator[Hit]:
        """Return the hits within the configured numbers; a search for facts only has no number of facts."""
        config = self._config.recall
        return limit_hits(distinct(read), config.top_pages, None if as_facts else config.top_facts)

    def _read_units(self, ranked: Ranked, first: int, reading: _Reading, budget: int | None = None) -> Iterator[Hit]:
        """Read the chosen units as hits, best first; the `first` at once, more of them only as they are taken.

        With a `budget` of tokens the first stand in the order of their worth.
        """
        rest = iter(ranked.chosen)
        if budget is not None:
            units = ranked.units(list(islice(rest, WEIGHED)))
            yield from reading.best_first(units, self._config.recall, budget)
            first = _READ_MORE
        while units := ranked.units(list(islice(rest, first))):
            yield from reading.hits(units)
            first = _READ_MORE
        reading.exhausted = True


def _without_superseded(profile: Profile, ended: _Ended) -> Profile:
    """Return the profile without what only pages support that the session has superseded."""
    cited = {i for field in profile.fields for i in field.page_ids} | {i for t in profile.traits for i in t.page_ids}
    pages, session = ended.among(cited), ended.session
    return profile if session is None or not pages else session.known_here(profile, pages)
