"""The times that a question asks about and nothing else, and candidates from them (`rules.ranking.times_alone`).

No word and no vector speaks for what was said then.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from math import log1p

import numpy as np

from memoryos_core.ports import Store
from memoryos_core.recall.index.units import Unit, units_of_page
from memoryos_core.rules.dates import Span
from memoryos_core.rules.ranking.disclosure import disclosure
from memoryos_core.rules.ranking.hits import Filter
from memoryos_core.rules.ranking.questions import asks
from memoryos_core.rules.ranking.relevance import asks_nothing
from memoryos_core.rules.ranking.times_alone import PARTS_OF_A_TIME, Talk, asks_what_was, names_a_talk
from memoryos_core.values.dialogue import Message, Page, Scope, Segment
from memoryos_core.values.facts import Fact
from memoryos_core.values.queries import Candidates, PageQuery

# So many pages of the times that a question names, the same number of each part.
_PAGES = 160
# How much more a message tells, in hundredths, of which something was learnt, and how much less one that only asks.
_LEARNT, _ASKS = 60, 60
# Up to so many characters a longer message tells more.
_LONG, _SHORT, _FOR_LENGTH = 400, 50, 20
# So many pages of the newest or the oldest conversations are read; the end or the start of one is this many.
_PAGES_OF_TALKS, _PAGES_OF_AN_END = 200, 8
_COUNTED = 64  # pages of one topic and one time: how many more there are changes no overview
_LATELY, _WEEK, _MOMENT = timedelta(days=30), timedelta(days=7), timedelta(seconds=1)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question and the times that it names, the moment and session that ask it, and the pause that ends a talk."""

    question: str
    times: tuple[Span, ...]
    now: datetime
    session_id: str | None
    pause: timedelta


def times_alone(store: Store, scope: Scope, asked: Asked, speakers: Collection[str]) -> tuple[Span, ...]:
    """Return the times that are over or go on of which a question asks what happened, and no more. Raises StoreError.

    The times of conversations are read from the store: of the last one before this, and of the first one.
    """
    if asked.times:
        return asked.times if asks_what_was(asked.question, asked.times, speakers, asked.now) else ()
    talk = names_a_talk(asked.question, speakers)
    if talk is None:
        return ()
    pages = _pages_of_talk(store, scope, asked, speakers, first=talk in ("first", "start"))
    try:
        return (_time_of_talk(talk, pages, asked.now),) if pages else ()
    except OverflowError:  # beyond the calendar
        return ()


def _time_of_talk(talk: Talk, pages: Sequence[Page], now: datetime) -> Span:
    """Return the time of a conversation, or that which ends now: "lately" begins before the newest page."""
    some = pages[:_PAGES_OF_AN_END] if talk in ("start", "end") else pages
    said = [message.timestamp or page.timestamp for page in some for message in page.messages]
    if talk == "week":
        return Span(now - _WEEK, now + _MOMENT, talk)
    if talk == "lately":
        return Span(max(said) - _LATELY, now + _MOMENT, talk)
    return Span(min(said), max(said) + _MOMENT, talk)


def _pages_of_talk(store: Store, scope: Scope, asked: Asked, speakers: Collection[str], *, first: bool) -> list[Page]:
    """Return pages of the first conversation, oldest first, or of the last one, newest first, that says something.

    It ends with its session or before a pause. Greetings say nothing, nor does who only asks for a conversation.
    """
    query = PageQuery(scope, newest_first=not first, limit=_PAGES_OF_TALKS)
    pages = list(store.pages(query))
    after = asked.now  # what is being said in the session that asks is no conversation of before
    while not first and pages and pages[0].session_id == asked.session_id and after - pages[0].timestamp < asked.pause:
        last = pages.pop(0)
        after = last.timestamp
        pages = pages or list(store.pages(replace(query, before_seq=last.seq)))
    while pages:
        talk = pages[:1]
        for page in pages[1:]:
            if page.session_id == talk[0].session_id:
                if abs(page.timestamp - talk[-1].timestamp) >= asked.pause:
                    break
                talk.append(page)
        if any(_says_something(page, speakers) for page in talk):
            return talk
        told = {page.id for page in talk}
        pages = [page for page in pages if page.id not in told]
    return []


def lies_within(segment: Segment, times: Sequence[Span]) -> bool:
    """Return whether all pages of a segment lie in one of the times."""
    since, until = segment.since, segment.until
    return since is not None and until is not None and any(t.start <= since and until < t.end for t in times)


def weigh_within(store: Store, scope: Scope, segment: Segment, times: Sequence[Span]) -> float:
    """Return how large a segment is of which half or more lies in the times, else 0: it tells of other times.

    At most `_COUNTED` pages of each time count. Raises StoreError.
    """
    since, until = segment.since, segment.until
    if since is None or until is None:
        return 0.0
    most = min(segment.page_count, _COUNTED)
    if lies_within(segment, times):
        return log1p(most)
    query = PageQuery(scope, segment_id=segment.id, limit=_COUNTED)
    within = [replace(query, since=t.start, until=t.end) for t in times if t.start <= until and since < t.end]
    pages = sum(len(store.pages(one)) for one in within)
    return log1p(pages) if 2 * pages >= most else 0.0


def _says_something(page: Page, speakers: Collection[str]) -> bool:
    said = [message.text for message in page.messages if message.role == "user"]
    return any(not asks_nothing(text) and names_a_talk(text, speakers) is None for text in said)


def candidates_of_times(
    store: Store, scope: Scope, times: Sequence[Span], narrowed: Filter, facts: Iterable[Fact]
) -> Candidates:
    """Return what was said in some times, oldest first: first of all that from which one of the facts was learnt.

    How much a unit discloses is how much it tells: of its speaker, also where the message has no name, of what was
    learnt, and by its length. Raises StoreError.
    """
    pages: dict[str, Page] = {}
    learnt_from: set[str] = set()
    most = max(1, _PAGES // len(times))
    for time in times:
        since, until = max(filter(None, (time.start, narrowed.since))), min(filter(None, (time.end, narrowed.until)))
        if since < until:
            query = PageQuery(scope, session_id=narrowed.session_id, since=since, until=until, newest_first=True)
            told = [fact for fact in facts if since <= fact.valid_from < until]
            ids = list(dict.fromkeys(i for fact in sorted(told, key=lambda f: f.valid_from) for i in fact.page_ids))
            learnt_from.update(ids)
            some = tuple(ids[:: 1 + len(ids) // most])  # evenly, where there are more
            pages |= {
                page.id: page for page in (*_read_pages(store, query, most), *store.pages(replace(query, ids=some)))
            }
    in_order = sorted(pages.values(), key=lambda page: page.seq)
    units = [unit for page in in_order for unit in units_of_page(page)]
    tells = [_tells(pages[u.owner].messages[u.place], learnt=u.owner in learnt_from) for u in units]
    return _as_candidates(units, tells)


def _read_pages(store: Store, query: PageQuery, most: int) -> Sequence[Page]:
    """Return the pages of a time if they are few, else the last ones of each of its parts that have any."""
    pages = store.pages(replace(query, limit=most + 1))
    if len(pages) <= most or query.since is None or query.until is None:
        return pages
    step = (query.until - query.since) / PARTS_OF_A_TIME
    starts = [query.since + n * step for n in range(PARTS_OF_A_TIME)]
    share = max(1, most // PARTS_OF_A_TIME)
    parts = [replace(query, since=start, until=start + step, limit=share) for start in starts]
    read = [store.pages(part) for part in parts]
    full = [n for n, some in enumerate(read) if len(some) == share]
    more = share + (most - sum(map(len, read))) // max(1, len(full))
    for n in full if more > share else ():
        read[n] = store.pages(replace(parts[n], limit=more))
    return [page for some in read for page in some]


def _tells(message: Message, *, learnt: bool) -> int:
    told = disclosure(replace(message, name=message.name or message.role))
    told += _LEARNT * (learnt and message.role == "user") - _ASKS * asks(message.text[:_LONG])
    return told + round(_FOR_LENGTH * log1p(min(len(message.text), _LONG) / _SHORT))


def _as_candidates(units: Sequence[Unit], tells: Sequence[int]) -> Candidates:
    nothing = np.zeros(len(units), dtype=np.float32)
    return Candidates(
        owners=tuple(u.owner for u in units),
        parts=tuple(u.part for u in units),
        sessions=tuple(u.session for u in units),
        segments=tuple(u.segment for u in units),
        speakers=tuple(u.speaker for u in units),
        seqs=np.array([u.seq for u in units], dtype=np.int64),
        times=np.array([u.time for u in units], dtype=np.float64),
        lexical=nothing,
        dense=np.full_like(nothing, np.nan),
        coverage=nothing,
        sizes=np.array([u.size for u in units], dtype=np.int32),
        disclosures=np.array(tells, dtype=np.int16),
        places=np.array([u.place for u in units], dtype=np.int32),
        homes=(None,) * len(units),
    )
