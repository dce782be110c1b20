"""PrecisionMemBench's beliefs: whether a query brings the right ones and no others.

Each user's beliefs are told to a memory of their own, a belief that replaces another one after it. A belief is brought
when its text stands in the text for the prompt. Scopes and aliases are not told.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from pathlib import Path

from tqdm.auto import tqdm

from benchmarks.asking import squashed
from benchmarks.knowledge_gold import Belief, Case, read_beliefs
from benchmarks.knowledge_memory import BUDGET, Memory, OpenMemory, gather
from benchmarks.knowledge_tables import Row
from benchmarks.talks import Talk

PRECISION = "precision of recall: PrecisionMemBench within {budget} tokens"
BUDGETS = (250, BUDGET)


def measure_precision(open_memory: OpenMemory, folder: Path, limit: int | None = None) -> Iterator[Row]:
    """Tell the beliefs and ask the query of each case within each budget."""
    beliefs, cases = read_beliefs(folder, limit)
    memories: dict[str, Memory] = {}
    with ExitStack() as opened:
        for case in tqdm(cases, desc="precision", unit="case"):
            if case.user not in memories:
                memory = opened.enter_context(closing(open_memory(Talk(case.user, ("user", "assistant"), (), ()))))
                for belief in in_order(beliefs, case.user):
                    memory.remember(belief.text)
                memories[case.user] = memory
            for budget in BUDGETS:
                text = squashed(gather(memories[case.user], case.query, budget))
                brought = frozenset(belief.id for belief in beliefs if squashed(belief.text) in text)
                yield from _rows(case, brought, PRECISION.format(budget=budget))


def in_order(beliefs: Sequence[Belief], user: str) -> list[Belief]:
    """Return the beliefs of a user, each after those that it replaces."""

    def replacements(belief: Belief) -> int:
        """Return how many beliefs in a row led to this one."""
        return max((replacements(other) + 1 for other in beliefs if other.superseded_by == belief.id), default=0)

    return sorted((belief for belief in beliefs if belief.user == user), key=replacements)


def _rows(case: Case, brought: frozenset[str], table: str) -> Iterator[Row]:
    count: dict[str, float | None] = {"beliefs in text": len(brought)}
    judged = brought - case.also
    if case.want:
        precision = len(judged & case.want) / len(judged) if judged else 0.0
        recall = len(brought & case.want) / len(case.want)
        values = {"precision": precision, "recall": recall, "exact": judged == case.want}
        yield Row(table, "beliefs wanted", case.id, count | values, case.query)
    elif case.want is not None:
        yield Row(table, "none wanted", case.id, count | {"nothing else in text": not judged}, case.query)
    if case.never:
        absent = brought.isdisjoint(case.never)
        yield Row(table, "some forbidden", case.id, count | {"forbidden absent": absent}, case.query)
