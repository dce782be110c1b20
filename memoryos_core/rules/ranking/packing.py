"""Ranked hits, recent turns and the persona, packed into one text that keeps to its budget.

The part of a ranking that fits a budget: never more than the budget; more budget never drops what less held.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import takewhile
from math import floor
from typing import TypeVar

from memoryos_core.config import RecallConfig
from memoryos_core.rules.knowledge.lines import Line
from memoryos_core.rules.ranking.questions import asks_assistant
from memoryos_core.rules.ranking.relevance import asks_nothing
from memoryos_core.rules.ranking.rendering import (
    CLOSING,
    FACTS,
    OPENING,
    PAGES,
    PERSONA,
    RECENT,
    compose,
    date_line,
    escape,
    fact_line,
    fact_lines,
    hit_lines,
    message_lines,
    page_lines,
    profile_lines,
    with_marks,
)
from memoryos_core.rules.text.languages import question_terms
from memoryos_core.rules.text.words import sentences, terms
from memoryos_core.values.dialogue import Hit, Page, Recall
from memoryos_core.values.facts import Profile

# The cost of headings and delimiters; subtracted from the budget before it is divided.
_FRAME = (RECENT, PAGES, PERSONA, FACTS, OPENING, CLOSING)
# The most that one hit may take of the hits' budget, in tenths. An assistant's long reply says most of it in a few
# sentences, and what the user said is what most questions are about; a reply has room for one sentence at least.
_TENTHS, _LARGEST_HIT, _LARGEST_REPLY = 10, 6, 1
_SENTENCE = 24
# With less room than this many tokens a turn that does not fit is left out rather than cut to a stub.
_LEAST_TURN = 24


@dataclass(frozen=True, slots=True)
class Material:
    """The candidates for a recall: ranked hits (best first), recent pages (oldest first), the profile."""

    question: str
    hits: tuple[Hit, ...]
    recent: tuple[Page, ...]
    profile: Profile
    known: tuple[Line, ...] = ()


@dataclass(frozen=True, slots=True)
class Room:
    """Return how much of the ranking can be packed at all; reading more would be useless.

    Hits of the `recent` pages, by id, may be shown as turns instead, and then take none of it.
    """

    budget: int
    count: Callable[[str], int]
    recent: frozenset[str] = frozenset()

    def filled(self, hits: Iterable[Hit]) -> Iterator[Hit]:
        """The hits until they must have filled the budget, were each shortened as far as any is.

        In tenths, for a share that is rounded would make a larger budget end sooner.
        """
        left = _TENTHS * self.budget
        for hit in hits:
            yield hit
            if hit.id in self.recent:
                continue
            price = self.count(_line(hit, head_and_tail(hit.text, self.budget)) + "\n")
            left -= min(_TENTHS * price, _LARGEST_REPLY * self.budget)
            if left < 0:
                return


def pack(material: Material, budget: int, count: Callable[[str], int], config: RecallConfig) -> Recall:
    """Fill the budget: recent turns and persona within their shares, then hits, best first.

    A recent page that found no room among the recent turns may still come back as a hit.
    """

    def line_cost(line: str) -> int:
        return count(line + "\n")

    asked = frozenset(question_terms(material.question))
    turns = [(page, head_and_tail(page_lines(page), budget)) for page in material.recent]
    known = [f"- {escape(line.text)}" for line in material.known]
    known, _ = fit(known, floor(budget * _exact(config.knowledge_share)), line_cost)
    told = material.known[: len(known)]
    persona = [*known, *profile_lines(_untold(material, told))]
    shares = divide(
        max(budget - sum(map(line_cost, _FRAME)), 0),
        sum(line_cost(text) for _, text in turns if text),
        sum(map(line_cost, persona)),
        config.recent_share,
        config.persona_share,
    )
    recent = _recent(turns, shares.recent, asked, line_cost)
    lines, _ = fit(persona, shares.persona, line_cost)
    shown = {page.id for page, _ in recent}
    rest = [_shorten_hit(h, budget) for h in material.hits if h.kind == "fact" or h.id not in shown]
    hits = _fitting(rest, shares.hits, material.question, line_cost)
    text = recall_text(hits, [said for _, said in recent], lines)
    while hits and count(text) > budget:
        # Counting line by line can be a little under the whole; the weakest hits pay for it.
        hits = hits[:-1]
        text = recall_text(hits, [said for _, said in recent], lines)
    if count(text) > budget:
        text, recent, lines = "", [], []
    return Recall(
        query=material.question,
        text=text,
        tokens=count(text) if text else 0,
        budget_tokens=budget,
        hits=tuple(hits),
        recent=tuple(page for page, _ in recent),
        profile=material.profile if lines else Profile(),
        known=tuple(dict.fromkeys(fact for line in told[: len(lines)] for fact in line.facts)),
        dropped=len(material.hits) - len(hits),
        recent_text=tuple(said for _, said in recent),
        profile_text=tuple(lines),
    )


def _untold(material: Material, told: Sequence[Line]) -> Profile:
    """Return the profile without the fields that the lines tell; empty for a question that asks nothing."""
    if asks_nothing(material.question):
        return Profile()
    names = {line.text.partition(":")[0].casefold() for line in told}
    asked = {line.text.partition(":")[0].casefold() for line in material.known}
    fields = [f for f in material.profile.fields if f.name.casefold() not in names]
    fields.sort(key=lambda f: f.name.casefold() not in asked)  # what was asked for first, if its line found no room
    return replace(material.profile, fields=tuple(fields))


def recall_text(hits: Sequence[Hit], recent_text: Sequence[str], profile_text: Sequence[str]) -> str:
    """Return the text of a recall with these hits, recent turns and lines about the user; "" without any."""
    facts = [h for h in hits if h.kind == "fact"]
    pages = [h for h in hits if h.kind == "page"]
    return compose(
        (
            (PERSONA, profile_text),
            (FACTS, fact_lines(facts)),
            (PAGES, hit_lines(pages)),
            (RECENT, [said for said in recent_text if said]),
        )
    )


def _recent(
    turns: Sequence[tuple[Page, str]], budget: int, asked: frozenset[str], line_cost: Callable[[str], int]
) -> list[tuple[Page, str]]:
    """The newest turns that fit, oldest first; of a newest one that is too long, what fits of it."""
    newest_first, _ = fit(turns[::-1], budget, lambda turn: line_cost(turn[1]) if turn[1] else 0)
    if not newest_first and turns and budget >= _LEAST_TURN:
        page = turns[-1][0]
        return [(page, _shorten_turn(page, asked, budget, line_cost))]
    return newest_first[::-1]


def _shorten_turn(page: Page, asked: frozenset[str], budget: int, line_cost: Callable[[str], int]) -> str:
    """Return what fits of a page, message by message: a short one leaves what it does not need to the others."""
    lines = [head_and_tail(text, budget) for text in message_lines(page)]
    costs = [line_cost(text) for text in lines]
    left = budget
    for done, i in enumerate(sorted(range(len(lines)), key=lambda i: (costs[i], i))):
        lines[i] = _shorten_said(lines[i], asked, left // (len(lines) - done), line_cost)
        left -= line_cost(lines[i]) if lines[i] else 0
    return "\n".join(filter(None, lines))


def _shorten_said(
    text: str, asked: frozenset[str], limit: int, cost: Callable[[str], int], found: frozenset[str] = frozenset()
) -> str:
    """Return "name: text" within `limit`. The name stays, so that no sentence in the middle can name another one."""
    name, colon, said = text.partition(": ")
    kept = shorten(said, asked, limit, lambda some: cost(f"{name}{colon}{some}"), found)
    return f"{name}{colon}{kept}" if kept else ""


def shorten_hit(hit: Hit, asked: frozenset[str], limit: int, cost: Callable[[str], int]) -> Hit:
    """Return the hit with a text whose `cost` is within `limit`.

    It keeps the sentences of the passage that was found, then those that share most with the question.
    """
    shorter = _shorten_said if hit.kind == "page" else shorten
    return replace(hit, text=shorter(hit.text, asked, limit, cost, frozenset(sentences(escape(hit.passage)))))


def _is_reply(hit: Hit) -> bool:
    """Return whether an assistant without a name speaks; a named speaker is remembered like a person."""
    return hit.kind == "page" and hit.about == "assistant" and not any(m.name for m in hit.messages)


def _fitting(hits: Sequence[Hit], budget: int, question: str, line_cost: Callable[[str], int]) -> list[Hit]:
    """The longest prefix of hits that fits, long ones shortened; a date line is paid by the first hit under it.

    A long hit is charged the most that it may take, not what its shortened text happens to take: that may jump with
    the budget, and a better hit that grows must not push out what a smaller budget held.
    """
    asked, replies_are_short = frozenset(question_terms(question)), not asks_assistant(question)
    dated: set[tuple[str | None, str]] = set()

    def largest(hit: Hit) -> int:
        if replies_are_short and _is_reply(hit):
            return max(_LARGEST_REPLY * budget, min(_LARGEST_HIT * budget, _TENTHS * _SENTENCE))
        return _LARGEST_HIT * budget

    def charge(hit: Hit) -> int:
        price = min(_TENTHS * line_cost(_line(hit, hit.text)), largest(hit))
        place = (hit.session_id, date_line(hit.timestamp))
        if hit.kind == "page" and place not in dated:
            dated.add(place)
            price += _TENTHS * line_cost(place[1])
        return price

    def within(hit: Hit) -> Hit:
        return shorten_hit(hit, asked, largest(hit) // _TENTHS, lambda text: line_cost(_line(hit, text)))

    shortened = [within(hit) for hit in fit(hits, _TENTHS * budget, charge)[0]]
    return list(takewhile(lambda hit: hit.text, shortened))


def _shorten_hit(hit: Hit, budget: int) -> Hit:
    text = head_and_tail(hit.text, budget)
    return hit if text == hit.text else replace(hit, text=text)


def _line(hit: Hit, text: str) -> str:
    said = with_marks(hit, text)
    return fact_line(said, hit.timestamp) if hit.kind == "fact" else said


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


def shorten(
    text: str,
    question_terms: frozenset[str],
    limit: int,
    count: Callable[[str], int],
    found: frozenset[str] = frozenset(),
) -> str:
    """The sentences that share most with the question, in their order, within `limit` tokens; `…` marks each cut.

    Sentences that are `found` stand before all others.
    A text within the limit comes back verbatim. When not even one sentence fits, the best one is cut at a word; empty
    when nothing of it fits.
    """
    if count(text) <= limit:
        return text
    parts = sentences(text) or [text]
    worth = [(p in found, len(question_terms.intersection(terms(p)))) for p in parts]
    best_first = sorted(range(len(parts)), key=lambda i: (not worth[i][0], -worth[i][1], i))
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
