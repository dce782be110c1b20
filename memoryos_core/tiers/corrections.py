"""Sentences that only name a new day or hour, or call off, in the words of the known statement that they are about."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TypeAlias

from memoryos_core.ports import Store
from memoryos_core.rules.knowledge.cancellations import calls_off, is_bare_cancellation
from memoryos_core.rules.knowledge.clauses import USER
from memoryos_core.rules.knowledge.corrections import (
    Correction,
    correct_statement,
    correction_in,
    has_values,
    is_called_off,
    is_marked,
    is_of_kind,
    mark_called_off,
    names_moment,
    unmark,
    without_moments,
    words_said,
)
from memoryos_core.rules.knowledge.medicines import dose_told, with_dose
from memoryos_core.rules.knowledge.moments import find_shifted, shift_in
from memoryos_core.rules.knowledge.news import PLAIN, is_correction, word_bag
from memoryos_core.rules.knowledge.plans import others_in
from memoryos_core.rules.knowledge.slots import slots_of
from memoryos_core.rules.knowledge.swaps import Swap, is_swapped, swap_in, swap_value
from memoryos_core.rules.knowledge.times import next_time
from memoryos_core.rules.text.words import regex, sentences, words
from memoryos_core.tiers.candidates import Candidate
from memoryos_core.tiers.knowledge import FactIndex
from memoryos_core.values.commands import Forgetting
from memoryos_core.values.dialogue import Page, Scope
from memoryos_core.values.facts import Fact
from memoryos_core.values.queries import PageQuery

_JUST = timedelta(hours=1)
_LOOKED_AT = 500
_INTERJECTION = 2  # words: "Oh wait.", "Sorry!"
_WEEKDAY = regex(r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b", re.IGNORECASE)
_BESIDE = PLAIN | word_bag("goes does attends having every each other week and has")  # beside what a plan is of


PagesBefore: TypeAlias = Callable[[Fact], "tuple[Page, Page | None] | None"]
"""Returns the page that a fact is told in, and the one before it; None where it is gone."""


def complete_correction(index: FactIndex, candidate: Candidate, pages_of: PagesBefore) -> Candidate | None:
    """Return the candidate, a correction in the words of what it corrects; None for one that means nothing.

    What is moved with its name may have been told long ago, "no wait, the 2nd" is about what was just said.
    """
    new = candidate.fact
    if is_marked(new.text):  # the user's own words: marks are made here alone
        new = replace(new, text=unmark(new.text))
        candidate = replace(candidate, fact=new)
    if new.origin != "rules" or new.status != "current":
        return candidate
    if (shift := shift_in(words_said(new.text))) is not None:
        return _shift(index, candidate, *shift)
    if (dose := dose_told(words_said(new.text))) is not None:
        return _take_anew(index, candidate, *dose)
    swap = swap_in(words_said(new.text)) if words_said(new.text) != new.text else None
    return _complete(index, candidate, pages_of) if swap is None else _swap(index, candidate, swap, pages_of)


def _take_anew(index: FactIndex, candidate: Candidate, medicine: str, dose: str) -> Candidate:
    """Return a dose as that of the user, where they take the medicine and nobody else does; else the candidate."""
    held = [
        (slot.subject, old)
        for old in _said_before(index, candidate.fact, None)
        for slot in slots_of(old.text, index.names)
        if slot.attribute == "medication" and not slot.negated and medicine in slot.value.lower().split()
    ]
    if not held or any(who != USER for who, _ in held):
        return candidate
    value = next(s.value for s in slots_of(held[0][1].text, index.names) if medicine in s.value.lower().split())
    told = with_dose(value, medicine, dose)
    return candidate if told is None else _in_words_of(candidate, held[0][1], (f"The user takes {told}.", None))


def _complete(index: FactIndex, candidate: Candidate, pages_of: PagesBefore) -> Candidate | None:
    """Return a candidate that corrects a day or an hour, or calls off, in the words of what it is about."""
    new = candidate.fact
    is_cancellation, correction = is_bare_cancellation(words_said(new.text)), correction_in(new.text)
    is_stated = correction is not None and correction.is_dated and words_said(new.text) == new.text
    if correction is not None and is_stated and correction.day is None and not is_cancellation:
        return _keep_day(index, candidate, correction)
    if not is_cancellation and (correction is None or is_stated):
        return candidate  # a statement in the third person says by itself what is when
    if _is_told(index, new, None if is_cancellation else correction):
        return None
    held = None if is_cancellation else correction
    return _call_off(index, candidate, pages_of) if held is None else _correct(index, candidate, held, pages_of)


def _correct(index: FactIndex, candidate: Candidate, correction: Correction, pages_of: PagesBefore) -> Candidate | None:
    new = candidate.fact
    if correction.is_bare:
        told_before = _told_just_before(index, new, pages_of)
    else:
        told_before = _said_before(index, new, None) if correction.matter else iter(_only_plan(index, new, correction))
    for old in told_before:
        if correction.matter and (calls_off(old.text) or not others_in(old.text) <= others_in(new.text)):
            continue  # what is off has no other day, and "the wedding" is not that of a sister
        told = correct_statement(correction, old.text, old.event_time, new.valid_from)
        if told is not None:
            return _in_words_of(candidate, old, told)
        if correction.is_bare and is_of_kind(correction, old.text):
            break  # it is about this one, or about nothing that is known
    return None if correction.is_bare and not is_correction(new.text) else candidate


def _shift(index: FactIndex, candidate: Candidate, what: frozenset[str], by: timedelta) -> Candidate | None:
    """Return the one plan that is moved by so much, in its words, or the candidate; "it" was said in the last hour.

    None for one that was moved by this message before: a session may be read again.
    """
    new = candidate.fact
    today = new.valid_from.replace(hour=0, minute=0, second=0, microsecond=0)
    if any(_marked_by(index, new)):
        return None
    said = tuple(_said_before(index, new, None if what else _JUST))
    if not what and said and others_in(said[0].text):
        return candidate  # "my friend had hers": it is theirs
    plans = [
        (old, told)
        for old in said
        if old.event_time is not None
        and old.event_time >= today
        and others_in(old.text) == others_in(" ".join(what))
        and what <= set(words(old.text))
        and (correction := find_shifted(old.text, old.event_time, by)) is not None
        and (told := correct_statement(correction, old.text, old.event_time, new.valid_from)) is not None
    ]
    return _in_words_of(candidate, *plans[0]) if len(plans) == 1 else candidate


def _swap(index: FactIndex, candidate: Candidate, swap: Swap, pages_of: PagesBefore) -> Candidate | None:
    """Return the statement of the message before with what is corrected in it; else the candidate, or None.

    A number alone is that of the one statement which names one, and an answer where the assistant has asked.
    """
    new = candidate.fact
    if any(_marked_by(index, new)):
        return None  # a session may be read again
    said = list(_told_just_before(index, new, pages_of))
    if swap.old is None:
        said = [] if _is_answer(new, pages_of) else [old for old in said if not names_moment(old.text)]
    told = [(old, text) for old in said if (text := swap_value(swap, old.text))]
    told = told if len(told) == 1 or swap.old is not None else []
    if told:
        return _in_words_of(candidate, told[0][0], (told[0][1], told[0][0].event_time))
    return candidate if is_correction(new.text) else None


def _is_answer(new: Fact, pages_of: PagesBefore) -> bool:
    """Return whether the assistant has asked something since the message before this one."""
    found = pages_of(new)
    return found is not None and found[1] is not None and "?" in found[1].text("assistant", named=False)


def _marked_by(index: FactIndex, new: Fact) -> Iterator[Fact]:
    """Yield what was made of the message of this fact before, in the words of older ones."""
    at = bisect_left(index.by_time, index.new_place(new))
    for place in index.by_time[max(0, at - _LOOKED_AT) : at + _LOOKED_AT]:
        fact = place.fact
        is_of_it = fact.valid_from == new.valid_from and not set(new.page_ids).isdisjoint(fact.page_ids)
        if is_of_it and (is_marked(fact.text) or is_swapped(fact.text)):
            yield fact


def _in_words_of(candidate: Candidate, old: Fact, told: tuple[str, datetime | None]) -> Candidate:
    """Return the candidate as the older statement with its new day or hour."""
    new, (text, when) = candidate.fact, told
    pages = tuple(dict.fromkeys((*old.page_ids, *new.page_ids)))
    return replace(candidate, fact=replace(new, text=text, event_time=when, kind=old.kind, page_ids=pages))


def _keep_day(index: FactIndex, candidate: Candidate, correction: Correction) -> Candidate:
    """Return a new hour on the day of the one plan that it is of: "the flight's now at 9am"; else the candidate."""
    new = candidate.fact
    today = new.valid_from.replace(hour=0, minute=0, second=0, microsecond=0)
    found = [
        (old, told)
        for old in _said_before(index, new, None)
        if old.event_time is not None
        and old.event_time >= today
        and others_in(old.text) == others_in(new.text)
        and (told := correct_statement(correction, old.text, old.event_time, new.valid_from)) is not None
    ]
    return _in_words_of(candidate, *found[0]) if len(found) == 1 else candidate


def _only_plan(index: FactIndex, new: Fact, correction: Correction) -> list[Fact]:
    """Return the one plan of the last hour that could have the new day: "they've emailed, it's moved to Thursday"."""
    plans = [
        old
        for old in _said_before(index, new, _JUST)
        if old.event_time is not None
        and old.event_time >= new.valid_from
        and correct_statement(correction, old.text, old.event_time, new.valid_from) is not None
    ]
    return plans if len(plans) == 1 else []


def page_reader(store: Store, scope: Scope) -> PagesBefore:
    """Return what reads the page of a fact and the one before it, by the time of their messages."""

    def read_pages(fact: Fact) -> tuple[Page, Page | None] | None:
        page = next(iter(store.pages(PageQuery(scope, ids=fact.page_ids[-1:]))), None)
        if page is None:
            return None
        at = page.timestamp
        near = PageQuery(scope, since=at - _JUST, until=at + timedelta(microseconds=1))
        before = [one for one in store.pages(near) if (one.timestamp, one.seq) < (at, page.seq)]
        return page, max(before, key=lambda one: (one.timestamp, one.seq), default=None)

    return read_pages


def with_corrected_statements(store: Store, forgetting: Forgetting) -> Forgetting:
    """Return what to erase, with the statements in the words of an older one or page that goes. Raises StoreError.

    "She's in Leeds now" is told as "Ana is in Leeds now" in a word of the page before. Any other fact stays as long as
    one of its pages says it. What was dropped since a fact says it goes with that fact.
    """
    scope, facts = forgetting.scope, forgetting.fact_ids
    if forgetting.everything:
        return forgetting
    if facts:
        said = store.facts(scope, replaced_by=facts, current=False)
        facts = tuple(dict.fromkeys((*facts, *(fact.id for fact in said if fact.status == "evicted"))))
    if not forgetting.page_ids and forgetting.session_id is None:
        return replace(forgetting, fact_ids=facts)
    known = store.facts(scope, current=False)
    marked = [fact for fact in known if is_marked(fact.text) or is_swapped(fact.text)]
    going = set(forgetting.page_ids)
    if marked and forgetting.session_id is not None:
        cited = tuple(dict.fromkeys(page_id for fact in marked for page_id in fact.page_ids))
        query = PageQuery(scope, ids=cited, session_id=forgetting.session_id)
        going.update(page.id for page in store.pages(query))
    found = [fact.id for fact in marked if not going.isdisjoint(fact.page_ids)]
    found += _told_in_words_of(store, scope, known, going)
    return replace(forgetting, fact_ids=tuple(dict.fromkeys((*facts, *found))))


# Words of our own, which no page needs to have said.
_OF_STATEMENTS = word_bag("user assistant wants called name age years old is are has called off changed")


def _told_in_words_of(store: Store, scope: Scope, known: Sequence[Fact], going: set[str]) -> Iterator[str]:
    """Yield facts of a page that stays which have a word of the page right before it that goes, and of no own one."""
    citing = defaultdict[str, list[Fact]](list)
    for fact in known:
        for page_id in fact.page_ids:
            citing[page_id].append(fact)
    for gone in store.pages(PageQuery(scope, ids=tuple(going))) if known and going else ():
        following = store.pages(PageQuery(scope, session_id=gone.session_id, after_seq=gone.seq, limit=1))
        for page in (one for one in following if one.id not in going and one.timestamp - gone.timestamp <= _JUST):
            for fact in citing[page.id]:
                own = store.pages(PageQuery(scope, ids=tuple(set(fact.page_ids) - going)))
                if word_bag(fact.text) & _words_of(gone) - _OF_STATEMENTS.union(*map(_words_of, own)):
                    yield fact.id


def _words_of(page: Page) -> frozenset[str]:
    return word_bag(" ".join(message.text for message in page.messages))


def _is_told(index: FactIndex, new: Fact, correction: Correction | None) -> bool:
    """Return whether what was made of this message before is known: a session may be read again."""
    return any(
        (is_called_off(fact.text) if correction is None else has_values(correction, fact.text))
        for fact in _marked_by(index, new)
    )


def _call_off(index: FactIndex, candidate: Candidate, pages_of: PagesBefore) -> Candidate | None:
    """Return the plan that was told last, just before, as one that is off; None where that was no plan.

    "I can't face the dentist. I've cancelled it." is about a plan that was told long ago.
    """
    new = candidate.fact
    today = new.valid_from.replace(hour=0, minute=0, second=0, microsecond=0)
    old = next(_told_just_before(index, new, pages_of), None)
    if old is None or old.event_time is None or old.event_time < today:
        old = _named_in_front(index, new, pages_of)
    if old is None:
        return None
    pages = tuple(dict.fromkeys((*old.page_ids, *new.page_ids)))
    return replace(
        candidate, fact=replace(new, text=mark_called_off(old.text), event_time=None, kind="change", page_ids=pages)
    )


def _named_in_front(index: FactIndex, new: Fact, pages_of: PagesBefore) -> Fact | None:
    """Return the one plan or routine all of whose words stand in the sentence in front of a bare cancellation."""
    found = pages_of(new)
    said = sentences(found[0].text("user", named=False)) if found is not None else []
    at = next((number for number, sentence in enumerate(said) if is_bare_cancellation(sentence)), 0)
    named = word_bag(said[at - 1]) if at else frozenset[str]()
    plans = [old for old in _said_before(index, new, None) if named and _is_of(named, old, new.valid_from)]
    return plans[0] if len(plans) == 1 else None


def _is_of(named: frozenset[str], old: Fact, now: datetime) -> bool:
    matter = word_bag(_WEEKDAY.sub(" ", without_moments(old.text))) - _BESIDE
    return bool(matter) and matter <= named and next_time(old, now) is not None


def _told_just_before(index: FactIndex, new: Fact, pages_of: PagesBefore) -> Iterator[Fact]:
    """Yield the facts of the message before this one, or of this one where it does not begin with the correction.

    The latest comes first. A question or a text in between is what the correction is about.
    """
    found = pages_of(new)
    if found is None:
        return
    page, before = found
    said = [
        sentence
        for sentence in sentences(page.text("user", named=False))
        if len(words(sentence)) > _INTERJECTION or swap_in(sentence)
    ]
    is_first = bool(said) and (
        correction_in(said[0]) is not None or is_bare_cancellation(said[0]) or swap_in(said[0]) is not None
    )
    where = before if is_first else page
    for old in _said_before(index, new, _JUST):
        if where is None or where.id not in old.page_ids:
            return
        if not is_first or page.id not in old.page_ids:
            yield old


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
