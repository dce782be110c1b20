"""Candidates that were said in some times: no word and no vector speaks for them (`rules.ranking.times_alone`)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import log1p

import numpy as np

from memoryos_core.ports import Store
from memoryos_core.recall.index.units import Unit, units_of_page
from memoryos_core.rules.dates import Span
from memoryos_core.rules.ranking.disclosure import disclosure
from memoryos_core.rules.ranking.hits import Filter
from memoryos_core.rules.ranking.questions import asks
from memoryos_core.rules.ranking.times_alone import PARTS_OF_A_TIME
from memoryos_core.values.dialogue import Message, Page, Scope
from memoryos_core.values.facts import Fact
from memoryos_core.values.queries import Candidates, PageQuery

# So many pages of the times that a question names, the same number of each part.
_PAGES = 160
# How much more a message tells, in hundredths, of which something was learnt, and how much less one that only asks.
_LEARNT, _ASKS = 60, 60
# Up to so many characters a longer message tells more.
_LONG, _SHORT, _FOR_LENGTH = 400, 50, 20


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
