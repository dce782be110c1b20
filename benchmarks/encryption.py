"""What encryption costs: SQLCipher beside a plain file, a sealed PostgreSQL beside a plain one, in one run.

    python -m benchmarks.encryption [--pages 300] [--questions 60] [--opens 10] [--no-postgres]

The four take turns, page by page and question by question, because the machine is shared: the ratios are what counts.
A passphrase is stretched when a memory is opened, a key of bytes is not: both are opened.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path

from benchmarks.stores import MANUAL, HashEmbedder, Speech
from memoryos_core import MemoryOS
from memoryos_core.testing.postgres import LocalPostgres

KEY, PHRASE = bytes(range(32)), "correct horse battery staple"
HEAD = "| store | add p50 ms | recall p50 ms | open p50 ms | with a passphrase ms | add ÷ | recall ÷ | open ÷ |"


def main(argv: Sequence[str] | None = None) -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=300)
    parser.add_argument("--questions", type=int, default=60)
    parser.add_argument("--opens", type=int, default=10)
    parser.add_argument("--no-postgres", action="store_true")
    asked = parser.parse_args(argv)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        pairs = [("SQLite", "SQLCipher", lambda name: f"sqlite:///{folder / name}.db")]
        if not asked.no_postgres:
            server = stack.enter_context(LocalPostgres(folder, durable=True))
            pairs.append(("PostgreSQL", "PostgreSQL, sealed", lambda _: server.database()))
        measured = _measured(pairs, asked)
    print(HEAD)
    print("|---|" + "---:|" * 7)
    for plain, sealed, _ in pairs:
        for name in (plain, sealed):
            row, base = measured[name], measured[plain]
            ratios = [f"{a / b:.2f}" for a, b in zip(row[:3], base[:3], strict=True)]
            print("| " + " | ".join([name, *(f"{ms:.2f}" for ms in row), *ratios]) + " |")


def _measured(
    pairs: list[tuple[str, str, Callable[[str], str]]], asked: argparse.Namespace
) -> dict[str, tuple[float, float, float, float]]:
    named = [(n, url(n), key) for plain, sealed, url in pairs for n, key in ((plain, None), (sealed, KEY))]
    speech = Speech(1)
    adds: dict[str, list[float]] = {name: [] for name, _, _ in named}
    recalls: dict[str, list[float]] = {name: [] for name, _, _ in named}
    with ExitStack() as stack:
        users = {}
        for name, url, key in named:
            memory = stack.enter_context(MemoryOS(url, key=key, embedder=HashEmbedder(), config=MANUAL))
            users[name] = memory.user("ann")
        for number in range(asked.pages):
            said, answered = speech.sentence(), speech.sentence()
            for name, user in users.items():
                adds[name].append(_took(lambda: user.add(said, answered)))  # noqa: B023 - called at once
            if number % 50 == 49:
                for user in users.values():
                    user.consolidate()
        for _ in range(asked.questions):
            question = speech.sentence()
            for name, user in users.items():
                recalls[name].append(_took(lambda: user.recall(question)))  # noqa: B023
    return {
        name: (
            statistics.median(adds[name]),
            statistics.median(recalls[name]),
            *_opens(url, key, asked.opens),
        )
        for name, url, key in named
    }


def _opens(url: str, key: bytes | None, times: int) -> tuple[float, float]:
    """How long it takes to open with the key, and, once it is that of the memory, with a passphrase."""

    def opened(with_key: bytes | str | None) -> float:
        return statistics.median(
            _took(lambda: MemoryOS(url, key=with_key, embedder=None, config=MANUAL).close()) for _ in range(times)
        )

    by_bytes = opened(key)
    if key is None:
        return by_bytes, by_bytes
    with MemoryOS(url, key=key, embedder=None, config=MANUAL) as memory:
        memory.rekey(PHRASE)
    return by_bytes, opened(PHRASE)


def _took(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return (time.perf_counter() - began) * 1e3


if __name__ == "__main__":
    main()
