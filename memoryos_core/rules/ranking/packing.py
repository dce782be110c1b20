"""Ranked hits, recent turns and the persona, packed into one text that keeps to its budget.

The part of a ranking that fits a budget: never more than the budget; more budget never drops what less held.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import takewhile
from math import ceil, floor
from typing import TypeVar

from memoryos_core.config import RecallConfig
from memoryos_core.rules.knowledge.entries import ASKS_FOR_PLANS, Line
from memoryos_core.rules.knowledge.lines import Book
from memoryos_core.rules.ranking.questions import asks_assistant, asks_for_overview, asks_for_portrait
from memoryos_core.rules.ranking.relevance import asks_nothing
from memoryos_core.rules.ranking.rendering import (
    CLOSING,
    FACTS,
    OPENING,
    PAGES,
    PERSONA,
    RECENT,
    TOPICS,
    Turn,
    add_marks,
    compose,
    escape,
    fact_line,
    fact_lines,
    headings,
    hit_lines,
    message_lines,
    profile_lines,
    recent_lines,
    recent_turns,
)
from memoryos_core.rules.text.cuts import best_sentence, shorten
from memoryos_core.rules.text.languages import question_terms
from memoryos_core.rules.text.words import head_and_tail, sentences
from memoryos_core.values.dialogue import Hit, Page, Recall
from memoryos_core.values.facts import Profile

# The cost of headings and delimiters; subtracted from the budget before it is divided.
_FRAME = (RECENT, PAGES, PERSONA, FACTS, OPENING, CLOSING)
# The most that one hit may take of the hits' budget, in tenths. An assistant's long reply says most of it in a few
# sentences, and what the user said is what most questions are about; a reply has room for one sentence at least.
_TENTHS, _LARGEST_HIT, _LARGEST_REPLY = 10, 6, 1
_SENTENCE = 24
# Topics of a subject have no part in the first tokens of a budget, which hold little enough evidence. Without a subject
# they get so many times their share, and half of the budget at most.
_BEFORE_TOPICS, _WITHOUT_SUBJECT = 250, 3
_MOST_LINES = 0.5
# With less room than this many tokens a turn that does not fit is left out rather than cut to a stub.
_LEAST_TURN = 24


@dataclass(frozen=True, slots=True)
class Material:
    """The candidates for a recall: ranked hits (best first), recent pages (oldest first), the profile.

    `topics` are lines about topics, best first, each with the place in which it stands.
    """

    question: str
    hits: tuple[Hit, ...]
    recent: tuple[Page, ...]
    profile: Profile
    known: tuple[Line, ...] = ()
    topics: tuple[tuple[int, str], ...] = ()


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
    turns = recent_turns(material.recent, budget)
    wanted = [f"- {escape(line.text)}" for line in material.known]
    share, persona_share = _shares_of_lines(material, config)
    known, _ = fit(wanted, floor(budget * share), line_cost)
    persona = [*known, *profile_lines(_untold(material, material.known[: len(known)]))]
    topics, topics_cost = _fit_topics(material, budget, config, line_cost)
    shares = divide(
        max(budget - sum(map(line_cost, _FRAME)) - topics_cost, 0),
        sum(_cost_of_turn(turn, line_cost) for turn in turns),
        sum(map(line_cost, persona)),
        config.recent_share,
        persona_share,
    )
    recent, spoken = _recent(turns, shares.recent, asked, line_cost)
    lines, _ = fit(persona, shares.persona, line_cost)
    shown = {page.id for page in recent}
    rest = [_shorten_hit(h, budget) for h in material.hits if h.kind == "fact" or h.id not in shown]
    hits = _Fitting(shares.hits, material.question, line_cost).fit(rest)
    while count(text := recall_text(hits, spoken, lines, topics)) > budget and hits:
        hits = hits[:-1]  # counting line by line can be a little under the whole; the weakest hits pay for it
    if count(text) > budget:
        text, recent, spoken, lines, topics = "", [], [], [], []
    told = min(len(known), len(lines))
    # A small budget leaves no share for a line, though it is the answer and nothing else takes the room.
    for more in wanted[told:] if told == len(known) else ():
        untold = set(profile_lines(_untold(material, material.known[: told + 1])))
        longer = [*lines[:told], more, *(line for line in lines[told:] if line in untold)]
        if count(longer_text := recall_text(hits, spoken, longer, topics)) > budget:
            break
        lines, text, told = longer, longer_text, told + 1
    return Recall(
        query=material.question,
        text=text,
        tokens=count(text) if text else 0,
        budget_tokens=budget,
        hits=tuple(hits),
        recent=tuple(recent),
        profile=material.profile if lines else Profile(),
        known=tuple(dict.fromkeys(fact for line in material.known[:told] for fact in line.facts)),
        dropped=len(material.hits) - len(hits),
        recent_text=tuple(spoken),
        profile_text=tuple(lines),
        topics_text=tuple(topics),
    )


def _shares_of_lines(material: Material, config: RecallConfig) -> tuple[Fraction, float]:
    """Return the shares of the lines about what is known, and of those with the profile: more where they answer."""
    known, persona = _exact(config.knowledge_share), config.persona_share
    asked = material.question
    if not material.known or not (asks_for_portrait(asked) or ASKS_FOR_PLANS.search(asked)):
        return known, persona
    return max(known, min(_WITHOUT_SUBJECT * known, _exact(_MOST_LINES))), max(persona, _MOST_LINES)


def _fit_topics(
    material: Material, budget: int, config: RecallConfig, line_cost: Callable[[str], int]
) -> tuple[list[str], int]:
    """Return the lines about topics in their order, and what they are charged.

    That is their whole share, unless all of them need less. A budget whose share has no room for the first line leaves
    them out, and a larger one charges them no more than it has beyond that: so it never leaves less for the hits. Where
    the question names no subject the topics are the answer, and get more.
    """
    if not (material.topics and config.overview_share):
        return [], 0
    is_answer = asks_for_overview(material.question)
    times, without = (_WITHOUT_SUBJECT, 0) if is_answer else (1, _BEFORE_TOPICS)
    part = times * _exact(config.overview_share)
    frame, wanted = line_cost(TOPICS), sum(line_cost(text) for _, text in material.topics)
    least = frame + line_cost(material.topics[0][1])
    share = min(
        floor(max(0, budget - without) * part), budget // 2, budget - max(without + ceil(least / part), 2 * least)
    )
    kept, _ = fit(material.topics, share - frame, lambda topic: line_cost(topic[1]))
    return [text for _, text in sorted(kept)], max(0, min(share, frame + wanted))


def _untold(material: Material, told: Sequence[Line]) -> Profile:
    """Return the profile without the fields that the lines tell; empty for a question that asks nothing."""
    if asks_nothing(material.question):
        return Profile()
    names = {line.text.partition(":")[0].casefold() for line in told}
    asked = {line.text.partition(":")[0].casefold() for line in material.known}
    fields = [f for f in material.profile.fields if f.name.casefold() not in names]
    fields.sort(key=lambda f: f.name.casefold() not in asked)  # what was asked for first, if its line found no room
    return replace(material.profile, fields=tuple(fields))


def recall_text(
    hits: Sequence[Hit], recent_text: Sequence[str], profile_text: Sequence[str], topics_text: Sequence[str] = ()
) -> str:
    """Return the text of a recall with these hits, recent turns, lines about the user and topics; "" without any."""
    facts = [h for h in hits if h.kind == "fact"]
    pages = [h for h in hits if h.kind == "page"]
    return compose(
        (
            (PERSONA, profile_text),
            (TOPICS, topics_text),
            (FACTS, fact_lines(facts)),
            (PAGES, hit_lines(pages)),
            (RECENT, [said for said in recent_text if said]),
        )
    )


def _recent(
    turns: Sequence[Turn], budget: int, asked: frozenset[str], line_cost: Callable[[str], int]
) -> tuple[list[Page], list[str]]:
    """Return the newest turns that fit, oldest first, with their texts; of a newest one that is too long, what fits."""
    newest_first, _ = fit(turns[::-1], budget, lambda turn: _cost_of_turn(turn, line_cost))
    if not newest_first and turns and budget >= _LEAST_TURN:
        newest = turns[-1]
        left = budget - (line_cost(newest.date) if newest.date else 0)
        shown = replace(newest, text=_shorten_turn(newest.page, asked, left, line_cost))
        return [newest.page], recent_lines([shown])
    kept = newest_first[::-1]
    return [turn.page for turn in kept], recent_lines(kept)


def _cost_of_turn(turn: Turn, line_cost: Callable[[str], int]) -> int:
    date = line_cost(turn.date) if turn.pays_date else 0
    return line_cost(turn.text) + date if turn.text else 0


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
    is_whole = hit.kind == "fact" or hit.text.partition(": ")[2] != ""
    if is_whole and cost(hit.text) <= limit:
        return hit
    shorter = _shorten_said if hit.kind == "page" else shorten
    return replace(hit, text=shorter(hit.text, asked, limit, cost, _found_sentences(hit)))


def _found_sentences(hit: Hit) -> frozenset[str]:
    """Return the sentences that were found, as they stand in the text of the hit."""
    return frozenset(sentences(escape(hit.passage)))


def _is_reply(hit: Hit) -> bool:
    """Return whether an assistant without a name speaks; a named speaker is remembered like a person."""
    return hit.kind == "page" and hit.about == "assistant" and not any(m.name for m in hit.messages)


class _Fitting:
    """Fits ranked hits into the budget of hits: the longest prefix, long ones shortened, and the next if it can.

    A long hit is charged the most that it may take, not what its shortened text happens to take: that may jump with
    the budget, and a better hit that grows must not push out what a smaller budget held. A date line is paid by the
    first hit under it. The hit after the last one that fits may take what is left, where that says what was found.
    """

    def __init__(self, budget: int, question: str, line_cost: Callable[[str], int]) -> None:
        self._budget = budget
        self._asked = frozenset(question_terms(question))
        self._replies_are_short = not asks_assistant(question)
        self._line_cost = line_cost

    def fit(self, hits: Sequence[Hit]) -> list[Hit]:
        """Return the hits that fit, best first, with the texts that fit."""
        dated = [self._line_cost(line) if line else 0 for line in headings(hits)]

        def charge(number: int) -> int:
            hit = hits[number]
            cost = _TENTHS * self._cost(hit, hit.text)
            return min(cost, self._largest(hit)) + _TENTHS * dated[number]

        kept, used = fit(range(len(hits)), _TENTHS * self._budget, charge)
        fitting = [self._shorten(hits[i], self._largest(hits[i]) // _TENTHS) for i in kept]
        fitting = list(takewhile(lambda hit: hit.text, fitting))
        if len(fitting) == len(kept) < len(hits):
            number = len(kept)
            fitting += self._last(hits[number], (_TENTHS * self._budget - used) // _TENTHS - dated[number])
        return fitting

    def _last(self, hit: Hit, left: int) -> tuple[Hit, ...]:
        """Return the hit in what is left of the budget, nothing where that does not hold what was found."""
        if hit.kind != "page" or not hit.passage:
            return ()
        name, colon, said = hit.text.partition(": ")
        best = best_sentence(said, self._asked, _found_sentences(hit))
        least = self._cost(hit, f"{name}{colon}{best}")
        return (self._shorten(hit, left),) if least <= left else ()

    def _largest(self, hit: Hit) -> int:
        if self._replies_are_short and _is_reply(hit):
            return max(_LARGEST_REPLY * self._budget, min(_LARGEST_HIT * self._budget, _TENTHS * _SENTENCE))
        return _LARGEST_HIT * self._budget

    def _shorten(self, hit: Hit, limit: int) -> Hit:
        return shorten_hit(hit, self._asked, limit, lambda text: self._cost(hit, text))

    def _cost(self, hit: Hit, text: str) -> int:
        return self._line_cost(_line(hit, text))


def _shorten_hit(hit: Hit, budget: int) -> Hit:
    if head_and_tail(hit.text, budget) is hit.text:
        return hit
    return replace(hit, text=head_and_tail(hit.text, budget, escape(hit.passage)))


def _line(hit: Hit, text: str) -> str:
    said = add_marks(hit, text)
    return fact_line(said, hit.timestamp) if hit.kind == "fact" else said


T = TypeVar("T")


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


@lru_cache(maxsize=64)
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


def say_what_is_over(hits: Sequence[Hit], book: Book | None, pages: Mapping[str, Page]) -> tuple[Hit, ...]:
    """Return the hits, those that quote what no longer holds with a word about it; `pages` are those they quote."""
    if book is None:
        return tuple(hits)
    over = dict.fromkeys(hit.id for hit in hits if hit.kind == "page" and book.is_over(hit.id))
    told = {page_id: book.over_in(pages[page_id]) for page_id in over}
    marked = ((h, book.marks(h, told[h.id].get(h.at, ()) if h.id in told else ())) for h in hits)
    return tuple(
        replace(h, marks=tuple((said, escape(mark)) for said, mark in marks)) if marks else h for h, marks in marked
    )
