"""Ranked units become hits: the text of a page or a fact, given once, within the configured numbers."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from memoryos_core.rules.ranking.rendering import speaker_line
from memoryos_core.rules.ranking.supersession import Session
from memoryos_core.values.dialogue import HALVES, Half, Hit, Page
from memoryos_core.values.facts import Fact

# Longer texts are compared as they are: folding the case and spaces of megabytes is too slow.
_FOLDED_AT_MOST = 50_000
_HALVES: dict[str, Half] = {half: half for half in HALVES}


@dataclass(frozen=True, slots=True)
class Unit:
    """One ranked unit of the index: half of a page, or a fact (part "fact"), with its score and what made it."""

    owner: str
    part: str
    score: float
    signals: Mapping[str, float]


def hit_of(
    unit: Unit, pages: Mapping[str, Page], facts: Mapping[str, Fact], session: Session | None = None
) -> Hit | None:
    """The unit as a hit, None when it is gone or says nothing.

    A fact that stands verbatim in its page becomes that half of the page: pages are the truth. Not so where the
    `session` that asks has superseded that page.
    """
    half = _HALVES.get(unit.part)
    if half is None:
        fact = facts.get(unit.owner)
        if fact is None:
            return None
        source = pages.get(fact.page_ids[0]) if fact.page_ids else None
        if source is None or (session is not None and session.supersedes(source, fact.about)):
            return _fact_hit(unit, fact)
        return _page_hit(unit, source, fact.about) if fact.text in source.text(fact.about) else _fact_hit(unit, fact)
    page = pages.get(unit.owner)
    return _page_hit(unit, page, half) if page is not None else None


def is_superseded(unit: Unit, pages: Mapping[str, Page], facts: Mapping[str, Fact], session: Session) -> bool:
    """Return whether the session has superseded the unit: its half of a page, or all pages of a fact."""
    half = _HALVES.get(unit.part)
    if half is None:
        fact = facts.get(unit.owner)
        return fact is not None and session.supersedes_all(fact.page_ids, pages, fact.about)
    page = pages.get(unit.owner)
    return page is not None and session.supersedes(page, half)


def _fact_hit(unit: Unit, fact: Fact) -> Hit:
    return Hit(
        "fact",
        fact.id,
        fact.text,
        unit.score,
        fact.event_time or fact.valid_from,
        "long_term",
        page_ids=fact.page_ids,
        about=fact.about,
        signals=unit.signals,
    )


def _page_hit(unit: Unit, page: Page, half: Half) -> Hit | None:
    messages = tuple(m for m in page.messages if m.half == half and m.role in ("user", "assistant") and m.text.strip())
    if not messages:
        return None
    return Hit(
        "page",
        page.id,
        "\n".join(map(speaker_line, messages)),
        unit.score,
        page.timestamp,
        page.tier,
        session_id=page.session_id,
        segment_id=page.segment_id,
        page_ids=(page.id,),
        messages=messages,
        about=half,
        signals=unit.signals,
        seq=page.seq,
    )


def distinct(hits: Iterable[Hit]) -> Iterator[Hit]:
    """Drop hits that repeat, word for word, a better hit of the same speaker."""
    seen: set[tuple[str, str | None]] = set()
    said: set[tuple[str, str | None]] = set()
    for hit in hits:
        key, words = (hit.id, hit.about), (_fold_text(hit.text), hit.about)
        if key not in seen and words not in said:
            yield hit
        seen.add(key)
        said.add(words)


def _fold_text(text: str) -> str:
    return " ".join(text.split()).lower() if len(text) <= _FOLDED_AT_MOST else text


def repeats(hit: Hit, shown: Mapping[str, Collection[str]]) -> bool:
    """Return whether a hit only repeats messages that are shown already; they are given by id, for each session.

    Ids tell messages of one session apart; those of two sessions may coincide.
    """
    ids = shown.get(hit.session_id or "", ())
    return bool(hit.messages) and all(m.id in ids for m in hit.messages)


def repeats_page(page: Page, shown: Mapping[str, Collection[str]]) -> bool:
    """Return whether all of a page is shown; as `repeats`, for the recent turns."""
    ids = shown.get(page.session_id, ())
    return all(m.id in ids for m in page.messages)


def limit_hits(hits: Iterable[Hit], top_pages: int | None, top_facts: int | None) -> Iterator[Hit]:
    """Hits of the first `top_pages` pages (None: of all) and the first `top_facts` facts (None: all)."""
    pages: set[str] = set()
    facts = 0
    for hit in hits:
        if hit.kind == "fact":
            facts += 1
            if top_facts is None or facts <= top_facts:
                yield hit
        elif top_pages is None or hit.id in pages or len(pages) < top_pages:
            pages.add(hit.id)
            yield hit
