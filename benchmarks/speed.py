"""Speed and memory beside a reference in the same run.

    python -m benchmarks.speed [--quick]

`add` beside a bare INSERT+commit on the same file, `recall` (without the query's embedding) beside a flat FAISS search
over as many vectors, bulk ingest beside the embedder alone, the memory that 10,000 pages take, how long 50 questions at
once hold an event loop, how evenly 32 threads are served, and turns of LangChain and LlamaIndex beside their own
memories. Reference and subject take turns, because the machine is shared; the ratios are what counts, and the CPU times
of this process.
"""

from __future__ import annotations

import argparse
import asyncio
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import median

import faiss
import numpy as np
from numpy.typing import NDArray
from tqdm.auto import tqdm

from benchmarks.material import RandomEmbedder, messages, turns
from memoryos_core import AsyncMemoryOS, MemoryConfig, MemoryOS, Message, UserMemory, WorkerConfig
from memoryos_core.providers.embedders import open_embedder

MANUAL = MemoryConfig(worker=WorkerConfig(mode="manual"))
_QUESTIONS = 60
_ADDS = 200


def main() -> None:
    """Run everything and print Markdown tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="up to 1,000 pages only")
    sizes = (100, 1_000) if parser.parse_args().quick else (100, 1_000, 10_000)
    with tempfile.TemporaryDirectory() as folder:
        print(
            "| pages | add p50 ms | CPU | bare INSERT+commit ms | ratio | CPU ÷ "
            "| recall p50 ms | p95 | CPU | flat FAISS ms | ratio | CPU ÷ |"
        )
        print("|" + "---|" * 12)
        for size in tqdm(sizes, desc="sizes"):
            print(_row(Path(folder), size), flush=True)
    print(_ingest(120 if len(sizes) == 2 else 300), flush=True)
    print(_memory(sizes[-1]))
    print(_at_once(sizes[-1] // 10), flush=True)
    for line in _hosts(sizes[-1]):
        print(line, flush=True)


def _row(folder: Path, pages: int) -> str:
    path = folder / f"{pages}.db"
    with MemoryOS(f"sqlite:///{path}", embedder=RandomEmbedder(), config=MANUAL) as memory:
        user = memory.user("u", session_id="s")
        fill(user, pages)
        add, bare = _add_beside_insert(user, path)
        asking = memory.user("u", session_id="asking")
        recall, flat = _recall_beside_faiss(asking, pages)
    ratios = [
        f"{ours.wall / theirs.wall:.1f} | {ours.cpu / theirs.cpu:.1f}" for ours, theirs in ((add, bare), (recall, flat))
    ]
    return (
        f"| {pages} | {add.wall:.2f} | {add.cpu:.2f} | {bare.wall:.2f} | {ratios[0]} "
        f"| {recall.wall:.1f} | {recall.p95:.1f} | {recall.cpu:.1f} | {flat.wall:.2f} | {ratios[1]} |"
    )


@dataclass
class _Times:
    """What calls took, in milliseconds: each by the clock and of this process's CPU."""

    of: list[tuple[float, float]] = field(default_factory=list)

    def add(self, call: Callable[[], float | None]) -> None:
        """Time a call, less the milliseconds that it returns."""
        start, used = time.perf_counter(), time.process_time()
        less = call() or 0.0
        wall, cpu = time.perf_counter() - start, time.process_time() - used
        self.of.append((wall * 1e3 - less, max(cpu * 1e3 - less, 1e-3)))

    @property
    def wall(self) -> float:
        """The median by the clock."""
        return median(wall for wall, _ in self.of)

    @property
    def cpu(self) -> float:
        """The median of the CPU times."""
        return median(cpu for _, cpu in self.of)

    @property
    def p95(self) -> float:
        """The time by the clock that one call in twenty takes longer."""
        return sorted(wall for wall, _ in self.of)[int(len(self.of) * 0.95)]


def fill(user: UserMemory, pages: int) -> None:
    """Add pages and consolidate them."""
    said = messages(pages)
    for i in range(0, len(said), 1_000):
        user.add_messages(said[i : i + 1_000])
    user.consolidate()


def _milliseconds(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return (time.perf_counter() - start) * 1e3


def _add_beside_insert(user: UserMemory, path: Path) -> tuple[_Times, _Times]:
    """Times of `add` and of one bare row in the same file with the same durability, one after the other."""
    bare = sqlite3.connect(path)
    bare.execute("PRAGMA synchronous=FULL")
    bare.execute("CREATE TABLE IF NOT EXISTS bare (id INTEGER PRIMARY KEY, text TEXT)")
    ours, theirs = _Times(), _Times()

    def add(said: str, answered: str) -> None:
        user.add(said, answered)

    def insert(text: str) -> None:
        bare.execute("INSERT INTO bare (text) VALUES (?)", (text,))
        bare.commit()

    for said, answered in turns(_ADDS, seed=11):
        ours.add(partial(add, said, answered))
        theirs.add(partial(insert, said + answered))
    bare.close()
    return ours, theirs


def _recall_beside_faiss(user: UserMemory, pages: int) -> tuple[_Times, _Times]:
    """Times of `recall` less the embedding of the query, and of a flat search of the same size."""
    embedder = RandomEmbedder()
    index = faiss.IndexFlatIP(embedder.dimension)
    index.add(np.ascontiguousarray(embedder.embed_documents(["x"] * (2 * pages))))
    questions = [" ".join(said.split()[:12]) for said, _ in turns(_QUESTIONS, seed=13)]
    user.recall(questions[0])
    ours, theirs = _Times(), _Times()

    def recall(question: str) -> float:
        return user.recall(question).timings_ms["embed"]

    def search(vector: NDArray[np.float32]) -> None:
        index.search(vector, 200)

    for question in questions:
        ours.add(partial(recall, question))
        theirs.add(partial(search, embedder.embed_query(question)[None]))
    return ours, theirs


def _ingest(pages: int) -> str:
    """Adding and consolidating a conversation, beside embedding the same texts with nothing around it."""
    embedder = open_embedder("local")
    embedder.embed_query("warm")
    ours: list[float] = []
    theirs: list[float] = []
    for seed in tqdm(range(3), desc="ingest"):
        said = messages(pages, seed)
        texts = [m.text for m in said]
        theirs.append(_milliseconds(partial(embedder.embed_documents, texts)))
        with tempfile.TemporaryDirectory() as folder, MemoryOS(f"sqlite:///{folder}/m.db", embedder=embedder) as memory:
            user = memory.user("u", session_id="s")

            def ingest(user: UserMemory = user, said: list[Message] = said, memory: MemoryOS = memory) -> None:
                user.add_messages(said)
                memory.flush(600)

            ours.append(_milliseconds(ingest))
    rate = [t / o for t, o in zip(theirs, ours, strict=True)]
    return (
        f"\nBulk ingest of {pages} pages: {2 * pages / median(ours) * 1e3:.0f} messages/s, the embedder alone "
        f"{2 * pages / median(theirs) * 1e3:.0f}/s: {median(rate):.2f} of its rate (runs: "
        + ", ".join(f"{r:.2f}" for r in rate)
        + ")"
    )


_MEASURE = """
import re, sys
from benchmarks.material import RandomEmbedder
from benchmarks.speed import MANUAL
from memoryos_core import MemoryOS

def peak():
    return int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1]) / 1024

with MemoryOS("sqlite:///" + sys.argv[2], embedder=RandomEmbedder(), config=MANUAL) as memory:
    memory.user(sys.argv[1], session_id="asking").recall("anything at all")
    print(peak())
"""


def peak_memory(path: str, user: str) -> float:
    """Return the peak resident memory, in MB, of a process that recalls once for a user."""
    return float(subprocess.check_output([sys.executable, "-c", _MEASURE, user, path], text=True))


def _memory(pages: int) -> str:
    """Peak resident memory of a process that recalls from `pages` pages, above one that recalls from twenty."""
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/m.db"
        with MemoryOS(f"sqlite:///{path}", embedder=RandomEmbedder(), config=MANUAL) as memory:
            fill(memory.user("large", session_id="s"), pages)
            fill(memory.user("small", session_id="s"), 20)
        peaks = [peak_memory(path, user) for user in ("small", "large")]
    above = peaks[1] - peaks[0]
    return f"\nPeak memory: {above:.0f} MB for {pages:,} pages, above {peaks[0]:.0f} MB of the process itself"


_AT_ONCE = 50
_THREADS = 32


def _at_once(pages: int, rounds: int = 5, seconds: float = 6) -> str:
    """How long a loop waits for its turn while it recalls 50 times at once, the embedder included, and while it idles.

    The same of threads: how many recalls the slowest of 32 makes for each of the fastest.
    """
    questions = [" ".join(said.split()[:12]) for said, _ in turns(_AT_ONCE, seed=17)]
    with tempfile.TemporaryDirectory() as folder, MemoryOS(f"sqlite:///{folder}/m.db", config=MANUAL) as memory:
        fill(memory.user("u", session_id="s"), pages)
        memory.user("u", session_id="asking").recall("warm")
        idle, busy = asyncio.run(_lags(memory, questions, rounds))  # noqa: TID251 - a program
        made = _served(memory, questions, seconds)
    return (
        f"\n{_AT_ONCE} recalls at once with the embedder, {pages:,} pages: the loop waits "
        f"{np.percentile(busy, 95):.1f} ms (p95), {max(busy):.0f} at most; "
        f"idle on this machine {np.percentile(idle, 95):.1f} and {max(idle):.0f}\n\n"
        f"{_THREADS} threads on one user: the slowest recalls {min(made)} times, the fastest {max(made)}: "
        f"{min(made) / max(made):.2f} of it"
    )


async def _lags(memory: MemoryOS, questions: list[str], rounds: int) -> tuple[list[float], list[float]]:
    user = AsyncMemoryOS.of(memory).user("u", session_id="asking")
    lags: tuple[list[float], list[float]] = ([], [])

    async def watch(found: list[float]) -> None:
        while True:
            start = time.perf_counter()
            await asyncio.sleep(0.001)
            found.append((time.perf_counter() - start - 0.001) * 1e3)

    async def recall_all() -> None:
        await asyncio.gather(*(user.recall(question) for question in questions))

    works: tuple[Callable[[], Awaitable[None]], ...] = (partial(asyncio.sleep, 0.5), recall_all)
    for _ in range(rounds):
        for found, work in zip(lags, works, strict=True):
            watching = asyncio.create_task(watch(found))
            await asyncio.sleep(0.01)
            await work()
            watching.cancel()
    return lags


def _served(memory: MemoryOS, questions: list[str], seconds: float) -> list[int]:
    """How many recalls each of several threads makes in the same time."""
    made = [0] * _THREADS
    end = time.perf_counter() + seconds

    def work(number: int) -> None:
        user = memory.user("u", session_id=f"thread {number}")
        while time.perf_counter() < end:
            user.recall(questions[(number + made[number]) % len(questions)])
            made[number] += 1

    threads = [threading.Thread(target=work, args=(number,)) for number in range(_THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return made


def _hosts(most: int) -> Iterator[str]:
    """Turns of the hosts beside their own memories, in CPU."""
    from benchmarks.histories import langchain_turns, llamaindex_reads

    measures = (
        ("`with_memory` ÷ `SQLChatMessageHistory`, a turn", langchain_turns, (100, most)),
        ("LlamaIndex `get()` ÷ its `Memory`, nothing written", llamaindex_reads, (100, 1_000)),
    )
    yield "\n| host | messages | ours ms | theirs ms | ratio |\n|---|---|---|---|---|"
    for what, measure, sizes in measures:
        for size in sizes:
            try:
                ours, theirs = measure(RandomEmbedder(), size, 20 if size < 5_000 else 8)
            except ModuleNotFoundError as missing:
                yield f"| {what} | {size:,} | {missing.name} is not installed | | |"
                continue
            yield f"| {what} | {size:,} | {ours:.2f} | {theirs:.2f} | {ours / theirs:.2f} |"


if __name__ == "__main__":
    main()
