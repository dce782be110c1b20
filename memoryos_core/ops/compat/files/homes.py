"""Assigns each page to one segment: the published files repeat a page in every topic of its batch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from memoryos_core.ops.compat.files.saved import SavedPage, SavedSegment


@dataclass(frozen=True, slots=True)
class Housing:
    """Segments with their pages, each page in one segment; the number of skipped copies, and notes."""

    segments: tuple[SavedSegment, ...]
    copies: int
    notes: tuple[str, ...]


def house(segments: Sequence[SavedSegment]) -> Housing:
    """Give each page its first segment. A segment left without pages hands its description to where they live."""
    home_of: dict[tuple[object, ...], str] = {}
    housed: dict[str, SavedSegment] = {}
    notes: list[str] = []
    for number, segment in enumerate(segments):
        own: list[SavedPage] = []
        for page in segment.pages:
            # An id has only 32 bits, so the text is compared too; a page without an id is never a copy.
            key = (page.id, page.turn) if page.id else (number, len(own))
            if key not in home_of:
                home_of[key] = segment.id
                own.append(page)
        if own:
            # The published counters included copies.
            interactions = max(0, segment.interactions - (len(segment.pages) - len(own)))
            housed[segment.id] = replace(segment, pages=tuple(own), interactions=interactions)
        elif segment.pages:
            home = home_of[segment.pages[0].id, segment.pages[0].turn]
            housed[home] = _with_topic(housed[home], segment)
            notes.append(f"segment {segment.id!r} had no page of its own: its description joined that of {home!r}")
        else:
            notes.append(f"segment {segment.id!r} had no page at all and was not imported")
    copies = sum(len(s.pages) for s in segments) - len(home_of)
    if copies:
        notes.insert(0, f"{copies} pages were in a second segment too; each was imported once, in its first")
    return Housing(tuple(housed.values()), copies, tuple(notes))


def _with_topic(home: SavedSegment, other: SavedSegment) -> SavedSegment:
    """Another topic of the same pages joins; visits are not added up, since one recall visited both."""
    apart = other.summary and other.summary not in home.summary
    return replace(
        home,
        summary=f"{home.summary} {other.summary}".strip() if apart else home.summary,
        keywords=tuple(dict.fromkeys((*home.keywords, *other.keywords))),
        visits=max(home.visits, other.visits),
    )


def link(pages: Sequence[SavedPage]) -> dict[str, str]:
    """Return the chain of each linked or summarised page, by page id: links join pages to chains transitively.

    The chain is named after its first page, so that it keeps its id while it grows.
    """
    neighbours: dict[str, set[str]] = {page.id: set() for page in pages if page.id}
    for page in pages:
        for other in page.links:
            if page.id and other in neighbours:
                neighbours[page.id].add(other)
                neighbours[other].add(page.id)
    chains: dict[str, str] = {}
    for page in pages:
        if page.id and page.id not in chains and (neighbours[page.id] or page.overview):
            chains.update(dict.fromkeys(_reachable(page.id, neighbours), f"chain-of-{page.id}"))
    return chains


def _reachable(start: str, neighbours: dict[str, set[str]]) -> set[str]:
    seen, waiting = {start}, [start]
    while waiting:
        fresh = neighbours[waiting.pop()] - seen
        seen |= fresh
        waiting.extend(fresh)
    return seen
