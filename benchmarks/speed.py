"""Speed and memory beside a reference in the same run.

    python -m benchmarks.speed [--quick]

`add` beside a bare INSERT+commit on the same file, `recall` (without the query's embedding) beside a flat FAISS search
over as many vectors, bulk ingest beside the embedder alone, and the memory that 10,000 pages take. Reference and
subject take turns, because the machine is shared; the ratios are what counts.
"""

from __future__ import annotations

import argparse
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import faiss
import numpy as np
from tqdm.auto import tqdm

from benchmarks.material import RandomEmbedder, messages, turns
from memoryos_core import MemoryConfig, MemoryOS, UserMemory, WorkerConfig
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
        print("| pages | add p50 ms | bare INSERT+commit ms | ratio | recall p50 ms | p95 | flat FAISS ms | ratio |")
        print("|---|---|---|---|---|---|---|---|")
        for size in tqdm(sizes, desc="sizes"):
            print(_row(Path(folder), size), flush=True)
    print(_ingest(120 if len(sizes) == 2 else 300), flush=True)
    print(_memory(sizes[-1]))


def _row(folder: Path, pages: int) -> str:
    path = folder / f"{pages}.db"
    with MemoryOS(f"sqlite:///{path}", embedder=RandomEmbedder(), config=MANUAL) as memory:
        user = memory.user("u", session_id="s")
        _fill(user, pages)
        add, bare = _add_beside_insert(user, path)
        asking = memory.user("u", session_id="asking")
        times, flat = _recall_beside_faiss(asking, pages)
    p50, p95 = times[len(times) // 2], times[int(len(times) * 0.95)]
    return (
        f"| {pages} | {add:.2f} | {bare:.2f} | {add / bare:.1f} "
        f"| {p50:.1f} | {p95:.1f} | {flat:.2f} | {p50 / flat:.1f} |"
    )


def _fill(user: UserMemory, pages: int) -> None:
    said = messages(pages)
    for i in range(0, len(said), 1_000):
        user.add_messages(said[i : i + 1_000])
    user.consolidate()


def _milliseconds(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return (time.perf_counter() - start) * 1e3


def _add_beside_insert(user: UserMemory, path: Path) -> tuple[float, float]:
    """Medians of `add` and of one bare row in the same file with the same durability, one after the other."""
    bare = sqlite3.connect(path)
    bare.execute("PRAGMA synchronous=FULL")
    bare.execute("CREATE TABLE IF NOT EXISTS bare (id INTEGER PRIMARY KEY, text TEXT)")
    ours: list[float] = []
    theirs: list[float] = []

    def insert(text: str) -> None:
        bare.execute("INSERT INTO bare (text) VALUES (?)", (text,))
        bare.commit()

    for said, answered in turns(_ADDS, seed=11):
        ours.append(_milliseconds(lambda said=said, answered=answered: user.add(said, answered)))
        theirs.append(_milliseconds(lambda said=said, answered=answered: insert(said + answered)))
    bare.close()
    return median(ours), median(theirs)


def _recall_beside_faiss(user: UserMemory, pages: int) -> tuple[list[float], float]:
    """Sorted times of `recall` less the embedding of the query, and the median of a flat search of the same size."""
    embedder = RandomEmbedder()
    index = faiss.IndexFlatIP(embedder.dimension)
    index.add(np.ascontiguousarray(embedder.embed_documents(["x"] * (2 * pages))))
    questions = [" ".join(said.split()[:12]) for said, _ in turns(_QUESTIONS, seed=13)]
    user.recall(questions[0])
    ours: list[float] = []
    theirs: list[float] = []
    for question in questions:
        start = time.perf_counter()
        recall = user.recall(question)
        ours.append((time.perf_counter() - start) * 1e3 - recall.timings_ms["embed"])
        vector = embedder.embed_query(question)[None]
        theirs.append(_milliseconds(lambda vector=vector: index.search(vector, 200)))
    return sorted(ours), median(theirs)


def _ingest(pages: int) -> str:
    """Adding and consolidating a conversation, beside embedding the same texts with nothing around it."""
    embedder = open_embedder("local")
    embedder.embed_query("warm")
    ours: list[float] = []
    theirs: list[float] = []
    for seed in tqdm(range(3), desc="ingest"):
        said = messages(pages, seed)
        texts = [m.text for m in said]
        theirs.append(_milliseconds(lambda texts=texts: embedder.embed_documents(texts)))
        with tempfile.TemporaryDirectory() as folder, MemoryOS(f"sqlite:///{folder}/m.db", embedder=embedder) as memory:
            user = memory.user("u", session_id="s")

            def ingest(user: UserMemory = user, said: list[object] = said, memory: MemoryOS = memory) -> None:
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


def _memory(pages: int) -> str:
    """Peak resident memory of a process that recalls from `pages` pages, above one that recalls from twenty."""
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/m.db"
        with MemoryOS(f"sqlite:///{path}", embedder=RandomEmbedder(), config=MANUAL) as memory:
            _fill(memory.user("large", session_id="s"), pages)
            _fill(memory.user("small", session_id="s"), 20)
        peaks = [
            float(subprocess.check_output([sys.executable, "-c", _MEASURE, user, path], text=True))
            for user in ("small", "large")
        ]
    above = peaks[1] - peaks[0]
    return f"\nPeak memory: {above:.0f} MB for {pages:,} pages, above {peaks[0]:.0f} MB of the process itself"


if __name__ == "__main__":
    main()
