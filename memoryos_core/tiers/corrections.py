"""Sentences that only name a new day or hour, or call off, in the words of the known statement that they are about."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

from memoryos_core.ports import Store
from memoryos_core.rules.knowledge.cancellations import is_bare_cancellation
from memoryos_core.rules.knowledge.corrections import (
    correction_in,
    is_marked,
    is_of_kind,
    mark_off,
    put_in,
    said_in,
)
from memoryos_core.rules.knowledge.news import is_correction
from memoryos_core.rules.knowledge.plans import others_in
from memoryos_core.tiers.candidates import Candidate
from memoryos_core.tiers.knowledge import FactIndex
from memoryos_core.values.commands import Forgetting
from memoryos_core.values.facts import Fact
from memoryos_core.values.queries import PageQuery

_JUST = timedelta(hours=1)
_LOOKED_AT = 500


def complete(index: FactIndex, candidate: Candidate) -> Candidate | None:
    """Return the candidate, a correction in the words of what it corrects; None for one that means nothing.

    What is moved with its name may have been told long ago, "no wait, the 2nd" is about what was just said.
    """
    new = candidate.fact
    if new.origin != "rules" or new.status != "current":
        return candidate
    if is_bare_cancellation(said_in(new.text)):
        return _call_off(index, candidate)
    correction = correction_in(new.text)
    if correction is None or (correction.is_dated and said_in(new.text) == new.text):
        return candidate  # a statement in the third person says by itself what is when
    for old in _said_before(index, new, None if correction.matter else _JUST):
        if correction.matter and not (others_in(old.text) <= others_in(new.text)):
            continue  # "the wedding" is not that of a sister
        told = put_in(correction, old.text, old.event_time, new.valid_from)
        if told is not None:
            text, when = told
            pages = tuple(dict.fromkeys((*old.page_ids, *new.page_ids)))
            return replace(candidate, fact=replace(new, text=text, event_time=when, kind=old.kind, page_ids=pages))
        if correction.is_bare and is_of_kind(correction, old.text):
            break  # it is about this one, or about nothing that is known
    return None if correction.is_bare and not is_correction(new.text) else candidate


def reach_both(store: Store, forgetting: Forgetting) -> Forgetting:
    """Return what to erase, with the statements in the words of an older one of which a page goes. Raises StoreError.

    Any other fact stays as long as one of its pages says it.
    """
    if forgetting.everything or not (forgetting.page_ids or forgetting.session_id is not None):
        return forgetting
    marked = [fact for fact in store.facts(forgetting.scope, current=False) if is_marked(fact.text)]
    going = set(forgetting.page_ids)
    if marked and forgetting.session_id is not None:
        cited = tuple(dict.fromkeys(page_id for fact in marked for page_id in fact.page_ids))
        query = PageQuery(forgetting.scope, ids=cited, session_id=forgetting.session_id)
        going.update(page.id for page in store.pages(query))
    found = (fact.id for fact in marked if not going.isdisjoint(fact.page_ids))
    return replace(forgetting, fact_ids=tuple(dict.fromkeys((*forgetting.fact_ids, *found))))


def _call_off(index: FactIndex, candidate: Candidate) -> Candidate | None:
    """Return the latest plan that was just told as one that is off; None where there is none."""
    new = candidate.fact
    today = new.valid_from.replace(hour=0, minute=0, second=0, microsecond=0)
    for old in _said_before(index, new, _JUST):
        if old.event_time is not None and old.event_time >= today:
            pages = tuple(dict.fromkeys((*old.page_ids, *new.page_ids)))
            fact = replace(new, text=mark_off(old.text), event_time=None, kind="change", page_ids=pages)
            return replace(candidate, fact=fact)
    return None


def _said_before(index: FactIndex, new: Fact, within: timedelta | None) -> Iterator[Fact]:
    """Yield the facts that held when this one was said, the latest first."""
    at = bisect_left(index.by_time, index.new_place(new))
    for place in reversed(index.by_time[max(0, at - _LOOKED_AT) : at]):
        old = place.fact
        if within is not None and new.valid_from - old.valid_from > within:
            return
        held = old.status == "current" or (old.valid_until or old.valid_from) > new.valid_from
        if held and old.about == new.about:
            yield old
