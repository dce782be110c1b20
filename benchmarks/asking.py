"""Puts a conversation into a memory, asks its questions, and says which of the evidence came back.

Evidence recall is the share of a question's cited turns that the memory brings back: within a budget of tokens for the
whole text (R@1000t), and in the ten pages it ranks first (R@10p). A turn counts only when it stands in the text
verbatim, so that a summary cannot claim what it dropped. Facts and summaries show in another figure, the share of the
authors' answer whose words stand in the text (Ans@1000t); it is high for any text, and says something by comparison.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from benchmarks.baselines import DEPTH, Dense, LastTurns, PageBM25, UserBM25, UserDense
from benchmarks.databases import ON_SERVER
from benchmarks.peers import PEERS
from benchmarks.system import EMBEDDING, Conversation, Hit, lexical, ours, paper
from benchmarks.talks import Question, Talk
from memoryos_core.providers.tokens import open_token_counter
from memoryos_core.rules.text.words import terms

PAGES = 10
AT_PAGES = f"R@{PAGES}p"
_SPACE = re.compile(r"\s+")


class Filling(Protocol):
    """A memory that takes in one conversation."""

    def add_turn(self, speaker: str, text: str, timestamp: datetime | None, dia_id: str, session: int) -> None:
        """Take in what was said."""
        ...

    def finish(self) -> None:
        """Nothing more is said."""
        ...


class Asked(Protocol):
    """A memory that holds one conversation."""

    def search(self, query: str, k: int) -> list[Hit]:
        """The k best hits, best first."""
        ...

    def context(self, query: str, budget: int) -> list[Hit]:
        """What would go into the prompt, in at most `budget` tokens."""
        ...

    def close(self) -> None:
        """Let go of everything."""
        ...


class System(Filling, Asked, Protocol):
    """A memory of one conversation."""


SYSTEMS: dict[str, Callable[[Conversation], System]] = {
    "ours": ours,  # the default: local embedder, no model
    "words": lexical,  # no embedder
    "paper": paper,  # the paper's algorithm and constants over our pages
    "last": LastTurns,
    "bm25": PageBM25,
    "dense": Dense,
    "bm25-user": UserBM25,
    "dense-user": UserDense,
    **ON_SERVER,
    **PEERS,
}
# Rows that say something only where one of the speakers is an assistant.
OF_USERS = ("bm25-user", "dense-user")


def at_budget(budget: int) -> str:
    """The name of the metric under a budget."""
    return f"R@{budget}t"


@dataclass(frozen=True, slots=True)
class Answered:
    """One question put to one system: by metric the gold it did not find, by budget the tokens it took.

    `milliseconds` are those of the first gathering under a budget; `embedding` says how many of them the embedder took.
    `told` is Ans by budget, 0 to 1; empty when the authors give no answer in words. `change` says in which other
    form the conversation was told, "" for its own.
    """

    system: str
    conversation: str
    question_id: str
    question: str
    category: str
    gold: tuple[str, ...]
    missed: dict[str, tuple[str, ...]]
    tokens: dict[str, int]
    milliseconds: float
    embedding: float
    told: dict[str, float] = field(default_factory=dict)
    change: str = ""

    def recall(self, metric: str) -> float:
        """The share of the gold that was found, from 0 to 1."""
        return 1 - len(self.missed[metric]) / len(self.gold)


def ask(system: str, talk: Talk, questions: Sequence[Question], budgets: Sequence[int]) -> Iterator[Answered]:
    """Fill a new memory with the talk and put the questions to it, one by one.

    Raises:
        RuntimeError: the system took more tokens than the budget allows.
    """
    with closing(SYSTEMS[system](talk)) as memory:
        fill(memory, talk)
        yield from put(system, memory, talk, questions, budgets)


def fill(memory: Filling, talk: Talk) -> None:
    """Tell a new memory the whole talk."""
    for turn in talk.turns:
        memory.add_turn(turn.speaker, turn.text, turn.when, turn.id, turn.session)
    memory.finish()


def put(
    system: str, memory: Asked, talk: Talk, questions: Sequence[Question], budgets: Sequence[int]
) -> Iterator[Answered]:
    """Put the questions to a memory that holds the talk. Raises as `ask` does."""
    count = open_token_counter()
    said = texts_by_message(talk)
    page_of = {
        turn_id: number for number, page in enumerate(talk.pages) for turn in page for turn_id, _ in said[turn.id]
    }
    for question in questions:
        found: dict[str, set[str]] = {}
        tokens: dict[str, int] = {}
        told: dict[str, float] = {}
        times: list[tuple[float, float]] = []
        wanted = frozenset(terms(question.answer))
        for budget in budgets:
            start, embedded = time.perf_counter(), EMBEDDING.milliseconds
            hits = memory.context(question.text, budget)
            times.append((1000 * (time.perf_counter() - start), EMBEDDING.milliseconds - embedded))
            tokens[str(budget)] = sum(count(hit.text) for hit in hits)
            if tokens[str(budget)] > budget:
                raise RuntimeError(f"{system} took {tokens[str(budget)]} tokens of {budget} for {question.id}")
            found[at_budget(budget)] = {turn_id for hit in hits for turn_id in verbatim(hit, said)}
            if wanted:
                text = set(terms("\n".join(hit.text for hit in hits)))
                told[str(budget)] = len(wanted & text) / len(wanted)
        first = first_pages([verbatim(hit, said) for hit in memory.search(question.text, DEPTH)], page_of, PAGES)
        found[AT_PAGES] = {turn_id for turn_id, number in page_of.items() if number in first}
        yield Answered(
            system,
            talk.name,
            question.id,
            question.text,
            question.category,
            question.gold,
            {metric: tuple(g for g in question.gold if g not in ids) for metric, ids in found.items()},
            tokens,
            *times[0],
            told,
        )


def texts_by_message(talk: Talk) -> dict[str, list[tuple[str, str]]]:
    """Return, by the id of a message, the ids and squashed texts of its turns: itself, or those merged into it."""
    return {
        turn.id: [(turn_id, squashed(text)) for turn_id, text in turn.holds or ((turn.id, turn.text),)]
        for turn in talk.turns
    }


def verbatim(hit: Hit, said: Mapping[str, Sequence[tuple[str, str]]]) -> list[str]:
    """The turns that a hit claims and truly holds; case and white space aside. `said` is from texts_by_message."""
    text = squashed(hit.text)
    return [turn_id for message in hit.dia_ids for turn_id, turn in said.get(message, ()) if turn in text]


def first_pages(ranked: Sequence[Collection[str]], page_of: dict[str, int], most: int) -> set[int]:
    """The pages that come first in a ranking of pieces of any size, by the first turn of each that appears."""
    order = dict.fromkeys(page_of[turn_id] for turn_ids in ranked for turn_id in turn_ids)
    return set(list(order)[:most])


def squashed(text: str) -> str:
    """Return a text in lower case, with one blank for any white space."""
    return _SPACE.sub(" ", text).strip().lower()
