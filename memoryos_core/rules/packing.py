"""Ranked hits, recent turns and the persona, packed into one text that keeps to its budget."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from memoryos_core.config import RecallConfig
from memoryos_core.models import Hit, Page, Profile, Recall
from memoryos_core.rules.budget import divide, fit, shorten
from memoryos_core.rules.rendering import (
    compose,
    date_line,
    fact_lines,
    hit_lines,
    page_lines,
    profile_lines,
)
from memoryos_core.rules.words import terms

RECENT = "Recent turns of this conversation:"
PAGES = "Said earlier:"
PERSONA = "Known about the user:"
FACTS = "Remembered:"
# What the headings and delimiters themselves may cost; taken from the budget before it is divided.
_FRAME = (RECENT, PAGES, PERSONA, FACTS, "<memory>", "</memory>")
# No single hit may take more than this share of what hits get.
_LARGEST_HIT = 0.4


@dataclass(frozen=True, slots=True)
class Material:
    """All that could go into a recall: ranked hits (best first), recent pages (oldest first), the profile."""

    question: str
    hits: tuple[Hit, ...]
    recent: tuple[Page, ...]
    profile: Profile


def pack(material: Material, budget: int, count: Callable[[str], int], config: RecallConfig) -> Recall:
    """Fill the budget: recent turns and persona within their shares, then hits, best first."""
    frame = sum(count(line + "\n") for line in _FRAME)
    room = max(budget - frame, 0)
    recent_texts = {p.id: page_lines(p) for p in material.recent}
    persona = profile_lines(material.profile)

    def line_cost(text: str) -> int:
        return count(text + "\n")

    def page_cost(page: Page) -> int:
        return line_cost(recent_texts[page.id])

    shares = divide(
        room,
        sum(map(page_cost, material.recent)),
        sum(map(line_cost, persona)),
        config.recent_share,
        config.persona_share,
    )
    newest_first, _ = fit(material.recent[::-1], shares.recent, page_cost)
    recent = newest_first[::-1]
    lines, _ = fit(persona, shares.persona, line_cost)
    hits = _fitting(material, shares.hits, count)
    text = _text(hits, [recent_texts[p.id] for p in recent], lines)
    while hits and count(text) > budget:
        # Counting line by line can be a little under the whole; the weakest hits pay for it.
        hits = hits[:-1]
        text = _text(hits, [recent_texts[p.id] for p in recent], lines)
    if count(text) > budget:
        text, recent, lines = "", [], []
    return Recall(
        query=material.question,
        text=text,
        tokens=count(text) if text else 0,
        budget_tokens=budget,
        hits=tuple(hits),
        recent=tuple(recent),
        profile=material.profile if lines else Profile(),
        dropped=len(material.hits) - len(hits),
    )


def _fitting(material: Material, budget: int, count: Callable[[str], int]) -> list[Hit]:
    """The longest prefix of hits that fits, long ones shortened; a date line is paid by the first hit under it."""
    asked = frozenset(terms(material.question))
    limit = max(int(budget * _LARGEST_HIT), 1)
    dated: set[tuple[str | None, str]] = set()

    def cost(hit: Hit) -> int:
        price = count(("- " if hit.kind == "fact" else "") + hit.text + "\n")
        if hit.kind == "fact":
            return price + count(f" ({date_line(hit.timestamp)})")
        place = (hit.session_id, date_line(hit.timestamp))
        if place not in dated:
            dated.add(place)
            price += count(place[1] + "\n")
        return price

    shortened = (replace(h, text=shorten(h.text, asked, limit, count)) for h in material.hits)
    return fit(shortened, budget, cost)[0]


def _text(hits: Sequence[Hit], recent: Sequence[str], persona: Sequence[str]) -> str:
    facts = [h for h in hits if h.kind == "fact"]
    pages = [h for h in hits if h.kind == "page"]
    return compose(
        (
            (PERSONA, persona),
            (FACTS, fact_lines(facts)),
            (PAGES, hit_lines(pages)),
            (RECENT, recent),
        )
    )
