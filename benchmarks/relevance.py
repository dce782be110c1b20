"""What a least score costs and what it keeps out: evidence recalled, and hits for questions about something else.

    python -m benchmarks.relevance --data ../shared/data/locomo-dev.json --dataset locomo
    python -m benchmarks.relevance --data ../shared/data/beam-dev --dataset beam --system words

For each least score: R@1000t of the conversation's own questions, the share of their hits that it drops, and how many
hits each of our unrelated questions still brings, and how many of those questions bring any.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean

from tqdm.auto import tqdm

from benchmarks.asking import fill, texts_by_message, verbatim
from benchmarks.datasets import DATASETS, load_labelled
from benchmarks.system import DEFAULT, Hit, System, local_embedder
from benchmarks.talks import Talk
from memoryos_core import MemoryOS, Recall
from memoryos_core.rules.ranking.hits import asks_for_all
from memoryos_core.rules.ranking.questions import clean
from memoryos_core.rules.ranking.relevance import asks_of_memory

BUDGET = 1000
LEAST = (0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3)
UNRELATED = (
    *("What is 17 * 23?", "thanks!", "ok", "great, that works", "Hello", "go on", "yes please", "Tell me a joke"),
    *("Write a Python function that reverses a linked list.", "How do I center a div in CSS?", "Why is the sky blue?"),
    *("What is the capital of Mongolia?", "Who wrote War and Peace?", "What does HTTP status 418 mean?"),
    *("Explain the difference between TCP and UDP.", "Convert 5 miles to kilometres.", "What time is it in Tokyo?"),
    *("Give me a regex for an email address.", "Solve x^2 - 5x + 6 = 0", "How do I undo the last git commit?"),
    *(
        "When did the Roman Empire fall?",
        "Who won the 1998 World Cup?",
        "Name three noble gases.",
        "How do vaccines work?",
    ),
)


@dataclass
class Kept:
    """What a least score leaves: shares of evidence, shares of hits dropped, hits for unrelated questions."""

    evidence: list[float]
    dropped: list[float]
    noise: list[int]


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure one system on one dataset and print a line for each least score."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.relevance", description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--dataset", choices=sorted(DATASETS), required=True)
    parser.add_argument("--system", choices=["ours", "words"], default="ours")
    options = parser.parse_args(arguments)
    kept = measure(load_labelled(options.dataset, options.data), with_embedder=options.system == "ours")
    print("| least score | R@1000t | own hits dropped | unrelated hits | unrelated questions with a hit |")
    print("|---|---|---|---|---|")
    for least, found in kept.items():
        asked = [100 * fmean(found.evidence), 100 * fmean(found.dropped), fmean(found.noise)]
        alive = 100 * fmean(count > 0 for count in found.noise)
        print(f"| {least:.2f} | {asked[0]:.1f} | {asked[1]:.1f} % | {asked[2]:.1f} | {alive:.0f} % |")


def measure(talks: Sequence[Talk], *, with_embedder: bool) -> dict[float, Kept]:
    """Put every question to a memory without a floor, and see what each least score would have left."""
    config = replace(DEFAULT, recall=replace(DEFAULT.recall, min_score=0.0))
    embedder = local_embedder() if with_embedder else None
    kept = {least: Kept([], [], []) for least in LEAST}
    for talk in tqdm(talks, unit="conversation"):
        memory = System(talk, lambda clock: MemoryOS("sqlite://", embedder=embedder, config=config, clock=clock))
        with closing(memory):
            fill(memory, talk)
            _ask(memory, talk, kept)
    return kept


def _ask(memory: System, talk: Talk, kept: dict[float, Kept]) -> None:
    said = texts_by_message(talk)
    for question in talk.questions:
        recall, asked = memory.recall(question.text, BUDGET), clean(question.text)
        exempt = asks_for_all(asked) or asks_of_memory(asked)
        for least, found in kept.items():
            left = [h for h in recall.hits if exempt or h.score >= least]
            turns = {t for h in left for t in verbatim(_piece(recall, [m.id or "" for m in h.messages]), said)}
            found.evidence.append(len(turns & set(question.gold)) / len(question.gold))
            found.dropped.append(1 - len(left) / max(len(recall.hits), 1))
    for unrelated in UNRELATED:
        hits = memory.recall(unrelated, BUDGET).hits
        for least, found in kept.items():
            found.noise.append(sum(hit.score >= least for hit in hits))


def _piece(recall: Recall, turn_ids: list[str]) -> Hit:
    return Hit(recall.text, turn_ids)


if __name__ == "__main__":
    main()
