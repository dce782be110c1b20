"""Real conversations in, their evidence out: no model, with and without the embedder.

    python -m benchmarks.locomo --data ../shared/data/locomo-dev.json

Evidence recall is the share of a question's cited turns that stand verbatim in the recall (reference: retrieval.md §2),
under a budget of tokens for the whole text, and in the ten best pages. The same figures come out of the harness in
`../shared/memobench` with `benchmarks.system:ours` and `:lexical`.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from pathlib import Path

from tqdm.auto import tqdm

from demo.conversation import Conversation
from demo.locomo import load
from memoryos_core import Hit, MemoryConfig, MemoryOS, UserMemory, WorkerConfig

_BUDGET = 1000
_PAGES = 10


def main() -> None:
    """Measure every conversation of the file and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="a LoCoMo file, from its authors")
    path = parser.parse_args().data
    names = [sample["sample_id"] for sample in json.loads(path.read_text(encoding="utf-8"))]
    print("| embedder | conversations | messages | seconds | pages | segments | facts | R@1000t | R@10p | questions |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for embedder in ("local", None):
        rows = [_measured(load(path, name), embedder) for name in tqdm(names, desc=embedder or "words only")]
        total = [sum(column) for column in zip(*rows, strict=True)]
        counts = " | ".join(f"{value:.0f}" for value in total[1:5])
        at_budget, at_pages, asked = total[5], total[6], total[7]
        print(
            f"| {embedder or 'none'} | {len(names)} | {total[0]:.0f} | {counts} "
            f"| {at_budget / asked:.3f} | {at_pages / asked:.3f} | {asked:.0f} |",
            flush=True,
        )


def _measured(talk: Conversation, embedder: str | None) -> tuple[float, ...]:
    config = MemoryConfig(worker=WorkerConfig(mode="manual"))
    # Asked right after the last turn, as a user would: relative dates and recency count from there.
    with MemoryOS("sqlite://", embedder=embedder, config=config, clock=lambda: talk.last) as memory:
        start = time.perf_counter()
        for session in talk.session_ids:
            said = [m for turn in talk.turns if turn.session_id == session for m in turn.messages]
            memory.user("u", session_id=session).add_messages(said)
        user = memory.user("u", session_id="asking")
        user.consolidate()
        seconds = time.perf_counter() - start
        stats = user.stats()
        asked = [q for q in talk.questions if q.evidence]
        gold = [{message_id for group in q.evidence for message_id in group} for q in asked]
        at_budget = sum(
            _share(user.recall(q.text, budget_tokens=_BUDGET).hits, g) for q, g in zip(asked, gold, strict=True)
        )
        at_pages = sum(_share(_ten_pages(user, q.text), g) for q, g in zip(asked, gold, strict=True))
        counts = (len(talk.message_ids), seconds, stats.pages, stats.segments, stats.facts_user + stats.facts_assistant)
        return (*counts, at_budget, at_pages, len(asked))


def _share(hits: tuple[Hit, ...], gold: set[str]) -> float:
    recalled = {m.id for hit in hits for m in hit.messages if m.text in hit.text}
    return len(gold & recalled) / len(gold)


def _ten_pages(user: UserMemory, question: str) -> tuple[Hit, ...]:
    """The hits of the ten pages that come first."""
    return tuple(_of_first_pages(user.search(question, k=10 * _PAGES)))


def _of_first_pages(hits: list[Hit]) -> Iterator[Hit]:
    pages: set[str] = set()
    for hit in hits:
        if hit.kind != "page" or (hit.id not in pages and len(pages) == _PAGES):
            continue
        pages.add(hit.id)
        yield hit


if __name__ == "__main__":
    main()
