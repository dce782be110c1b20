"""Worker processes on one store: pages consolidated per second with 1, 2 and 4 of them, in one run.

    python -m benchmarks.workers [--users 200] [--pages 100] [--workers 1 2 4] [--stores postgres sqlite]
    python -m benchmarks.workers --model-seconds 0.2       # each batch waits for a model, as in a real deployment
    python -m benchmarks.workers --kills 40                # 4 workers, killed at random, then every law is checked
    python -m benchmarks.workers --bytes                   # what 1,000 pages take, table by table

Without a model a worker does nothing but compute, so that the machine's cores are the limit; with one it waits, and
the number of workers is. The same pages for each row, in a new database; the ratios are what counts.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import re
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from itertools import count
from pathlib import Path

from tqdm.auto import tqdm

from benchmarks.material import messages
from memoryos_core import ChatRequest, MemoryConfig, MemoryOS, WorkerConfig
from memoryos_core.testing.fakes import ScriptedChat
from memoryos_core.testing.postgres import LocalPostgres
from tests.workers.crew import Truth, hunted, lines

CONFIG = MemoryConfig(worker=WorkerConfig(mode="manual"))
_FORKED = multiprocessing.get_context("fork")
_SIZES = """
    SELECT coalesce(i.tablename, c.relname), c.relkind::text, pg_relation_size(c.oid) FROM pg_class c
    LEFT JOIN pg_indexes i ON i.indexname = c.relname AND i.schemaname = 'public'
    JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = 'public'
    WHERE c.relkind IN ('r', 'i') AND c.relname LIKE 'memoryos_%'
"""


def main() -> None:
    """Run what was asked for and print Markdown."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--users", type=int, default=200)
    parser.add_argument("--pages", type=int, default=100, help="of each user")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--stores", nargs="+", choices=("postgres", "sqlite"), default=["postgres", "sqlite"])
    parser.add_argument("--model-seconds", type=float, default=0.0)
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--bytes", action="store_true")
    asked = parser.parse_args()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        server = stack.enter_context(LocalPostgres(folder, durable=True))
        names = count()
        new: dict[str, Callable[[], str]] = {
            "postgres": server.database,
            "sqlite": lambda: f"sqlite:///{folder}/{next(names)}.db",
        }
        if asked.bytes:
            _bytes(new["postgres"](), asked.pages)
        elif asked.kills:
            began = time.monotonic()
            hunted(new["postgres"](), workers=4, kills=asked.kills, users=asked.users, pages=asked.pages, seed=1)
            print(f"{asked.users * asked.pages} pages, {asked.kills} kills: sound, in {time.monotonic() - began:.0f} s")
        else:
            _throughput(new, asked)


def _throughput(new: dict[str, Callable[[], str]], asked: argparse.Namespace) -> None:
    print("| store | workers | pages/s | ÷ one worker |\n|---|---|---|---|")
    for store in asked.stores:
        one = None
        for workers in tqdm(asked.workers, desc=store):
            url = new[store]()
            _fill(url, asked.users, asked.pages)
            speed = _speed(url, workers, asked.model_seconds)
            one = one or speed
            print(f"| {store} | {workers} | {speed:.0f} | {speed / one:.2f} |", flush=True)


def _fill(url: str, users: int, pages: int) -> None:
    with MemoryOS(url, embedder=None, config=CONFIG) as memory:
        for number in range(users):
            memory.user(f"user-{number}").add_messages(lines(0, pages))


def _speed(url: str, workers: int, model_seconds: float) -> float:
    """Pages moved per second, the start of the forked processes included."""
    running = [_FORKED.Process(target=_work, args=(url, model_seconds)) for _ in range(workers)]
    began = time.monotonic()
    for process in running:
        process.start()
    for process in running:
        process.join()
    seconds = time.monotonic() - began
    with Truth(url) as truth:
        assert truth.unfinished() == 0
        return truth.tiers()["mid_term"] / seconds


def _work(url: str, model_seconds: float) -> None:
    def answer(request: ChatRequest) -> str:
        time.sleep(model_seconds)
        pages = [int(n) for n in re.findall(r"^\[(\d+)\]", request.prompts[-1].text, flags=re.MULTILINE)]
        if request.schema_name != "page_out":
            return json.dumps({"facts": [], "profile": [], "traits": []})
        topic = {"pages": pages, "summary": "What they talked of.", "keywords": ["talk"]}
        chain = {"first": 1, "summary": "They talk."}
        return json.dumps({"continues_previous": True, "chains": [chain], "topics": [topic]})

    model = ScriptedChat(answer) if model_seconds else None
    with MemoryOS(url, embedder=None, llm=model, config=CONFIG) as memory:
        memory.run_worker(threads=1, once=True)


def _bytes(url: str, pages: int) -> None:
    """One user after another, embedded and consolidated, as a database keeps them after VACUUM."""
    users = 20
    with MemoryOS(url, embedder="auto", config=CONFIG) as memory:
        for number in tqdm(range(users), desc="users"):
            user = memory.user(f"user-{number}")
            user.add_messages(messages(pages, seed=number))
            user.consolidate()
        memory.vacuum(full=True)
        stats = memory.stats()
    with Truth(url) as truth:
        sizes: dict[str, dict[str, int]] = {}
        for table, kind, size in truth.rows(_SIZES):
            of_table = sizes.setdefault(str(table).removeprefix("memoryos_"), {"r": 0, "i": 0})
            of_table[str(kind)] += int(str(size))
        total = truth.number(
            "SELECT sum(pg_total_relation_size(oid)) FROM pg_class WHERE relkind = 'r' AND relname LIKE 'memoryos_%'"
        )
        print(f"{stats.pages} pages, {stats.segments} segments, {stats.facts_user} facts of {users} users")
        print("| table | rows | kB of rows per 1,000 pages | kB of indexes |\n|---|---|---|---|")
        for table, of_table in sorted(sizes.items(), key=lambda entry: -sum(entry[1].values())):
            rows = truth.number(f"SELECT COUNT(*) FROM memoryos_{table}")
            print(f"| {table} | {rows} | {of_table['r'] / stats.pages:.0f} | {of_table['i'] / stats.pages:.0f} |")
        print(f"in all {total / stats.pages:.0f} kB per 1,000 pages")


if __name__ == "__main__":
    main()
