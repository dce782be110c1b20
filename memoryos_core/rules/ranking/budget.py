"""The part of a ranking that fits a budget: never more than the budget; more budget never drops what less held."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import floor
from typing import TypeVar

from memoryos_core.rules.text.words import sentences, terms

T = TypeVar("T")

# Shortening a text of this length takes some hundredths of a second.
_AT_MOST = 200_000
# More characters than a token has in any language, so that the kept text is still longer than the budget.
_CHARACTERS_A_TOKEN = 16


@dataclass(frozen=True, slots=True)
class Shares:
    """The division of a budget: the recent turns, the persona, and the rest for hits (tokens)."""

    recent: int
    persona: int
    hits: int


def divide(budget: int, recent_full: int, persona_full: int, recent_share: float, persona_share: float) -> Shares:
    """Reserve each part its share, or less when its whole content needs less; hits get the rest.

    Reserving the share and not what is used of it keeps every part monotone in the budget. So does rounding once, at
    the end: two shares that step up with the same token would take it from the hits.
    """
    recent = min(budget * _exact(recent_share), Fraction(recent_full))
    persona = min(budget * _exact(persona_share), Fraction(persona_full))
    return Shares(floor(recent), floor(persona), max(floor(budget - recent - persona), 0))


def _exact(share: float) -> Fraction:
    return Fraction(share).limit_denominator(1_000_000)


def fit(items: Iterable[T], budget: int, cost: Callable[[T], int]) -> tuple[list[T], int]:
    """The longest prefix whose costs sum to no more than the budget, and that sum.

    A prefix, not a knapsack: skipping an item that does not fit would let a larger budget trade it for smaller ones.
    """
    used = 0
    kept: list[T] = []
    for item in items:
        price = cost(item)
        if used + price > budget:
            break
        kept.append(item)
        used += price
    return kept, used


def head_and_tail(text: str, budget: int) -> str:
    """Return head and tail of a text many times larger than `budget` tokens; other texts verbatim.

    Counting and splitting megabytes would take seconds. The floor is the same for every common budget, so that there
    what is cut does not depend on it.
    """
    most = max(_AT_MOST, _CHARACTERS_A_TOKEN * budget)
    return text if len(text) <= most else f"{text[: most // 2]} … {text[-(most // 2) :]}"


def shorten(text: str, question_terms: frozenset[str], limit: int, count: Callable[[str], int]) -> str:
    """The sentences that share most with the question, in their order, within `limit` tokens; `…` marks each cut.

    A text within the limit comes back verbatim. When not even one sentence fits, the best one is cut at a word; empty
    when nothing of it fits.
    """
    if count(text) <= limit:
        return text
    parts = sentences(text) or [text]
    worth = [len(question_terms.intersection(terms(p))) for p in parts]
    best_first = sorted(range(len(parts)), key=lambda i: (-worth[i], i))
    chosen = _within(parts, best_first, limit, count)
    # Sentences counted one by one can be a little under the whole: the least of them pay for it.
    while chosen:
        joined = _join_chosen(parts, frozenset(chosen))
        if count(joined) <= limit:
            return joined
        chosen.pop()
    return _cut(parts[best_first[0]], limit, count)


def _within(parts: Sequence[str], best_first: Sequence[int], limit: int, count: Callable[[str], int]) -> list[int]:
    chosen: list[int] = []
    used = 0
    for i in best_first:
        price = count(parts[i]) + 2
        if used + price <= limit:
            chosen.append(i)
            used += price
    return chosen


def _join_chosen(parts: Sequence[str], chosen: frozenset[int]) -> str:
    out: list[str] = []
    for i in range(len(parts)):
        if i in chosen:
            out.append(parts[i])
        elif not out or out[-1] != "…":
            out.append("…")
    return " ".join(out)


def _cut(text: str, limit: int, count: Callable[[str], int]) -> str:
    low, high = 0, min(len(text), max(limit, 1) * 8)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if count(text[:middle] + "…") <= limit else (low, middle - 1)
    head = text[:low].rpartition(" ")[0] or text[:low]
    # A counter need not grow with every character, so the result is counted and not only the steps towards it.
    while head and count(head + "…") > limit:
        head = head[:-1]
    return head + "…" if head else ""
