"""The inspector's views of a long memory: CPU time of each as a first request, after the overview, and again.

    python -m benchmarks.views [--pages 100 1000 10000] [--users 100] [--store FILE]

A user with so many turns, a session of 20 turns each, a fact for every third turn and a topic for every 25.
The server runs in this process, without a network; the store is a SQLite file.
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import os
import tempfile
import time
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path

from starlette.types import ASGIApp, Message, Receive, Scope, Send
from tqdm.auto import tqdm

from benchmarks.material import turns
from memoryos_core import MemoryConfig, MemoryOS, WorkerConfig
from memoryos_core.ops.inspector.identity import Identity
from memoryos_core.ops.inspector.rendering import open_templates
from tests.surfaces.asgi import TOKEN, Tab

CONFIG = MemoryConfig(worker=WorkerConfig(mode="manual"), recall_log=True)
VIEWS = {
    "overview": "/overview",
    "timeline": "/timeline",
    "session": "/pages?session=s0",
    "topic": "/pages?segment=t0",
    "knowledge": "/knowledge",
    "former knowledge": "/knowledge?kind=former",
    "disputed knowledge": "/knowledge?kind=disputed",
    "fact": "/fact?id=f0",
    "words in knowledge": "/knowledge?q=garden+7.",
    "empty bench": "/recall",
    "recall": "/recall?q=What+did+we+plant%3F",
    "recall log": "/recalls",
    "person": "/person",
}
_START = datetime(2023, 1, 1, tzinfo=timezone.utc)
_OF_A_SESSION, _OF_A_TOPIC, _OF_A_FACT = 20, 25, 3


def records(pages: int, *, topics: int | None = None, facts: int | None = None) -> Iterator[dict[str, object]]:
    """Yield the memory of Ann as an export writes it; each fourth fact is a former one."""
    topics, facts = (
        pages // _OF_A_TOPIC + 1 if topics is None else topics,
        pages // _OF_A_FACT if facts is None else facts,
    )
    yield {"kind": "scope", "user_id": "ann", "assistant_id": "assistant"}
    for number in range(topics):
        about = {"id": f"t{number}", "seq": number + 1, "summary": f"About {number}.", "keywords": [f"word {number}"]}
        counts = {"n_visit": number % 5, "l_interaction": 3, "archived": False}
        yield {"kind": "segment", **about, **counts, "last_access": _at(number * _OF_A_TOPIC).isoformat()}
    for number, (said, answer) in enumerate(turns(pages)):
        at = _at(number).isoformat()
        messages = [{"role": "user", "text": said}, {"role": "assistant", "text": answer}]
        place = {"session_id": f"s{number // _OF_A_SESSION}", "segment_id": f"t{number % topics}", "chain_id": None}
        flags = {"tier": "mid_term", "tokens": 60, "open": False, "analysed": True, "reread": False, "ended": True}
        yield {
            "kind": "page",
            "id": f"p{number}",
            "seq": number + 1,
            "messages": messages,
            "timestamp": at,
            **place,
            **flags,
        }
    for number in range(facts):
        at, former = _at(number * _OF_A_FACT).isoformat(), number % 4 == 0 and number > 0
        held = {"learned_at": at, "valid_from": at, "valid_until": at if former else None, "page_ids": [f"p{number}"]}
        status = {"status": "superseded" if former else "current", "superseded_by": "f1" if former else None}
        text = {"about": "user", "text": f"Ann planted {number} trees in garden {number * 7}.", "trust": "user"}
        yield {"kind": "fact", "id": f"f{number}", **text, **held, **status, "visits": number % 9, "labels": []}


def _at(number: int) -> datetime:
    return _START + timedelta(hours=2 * number)


class _Watch:
    """An application whose answers are timed: when the last byte was sent, what follows is behind it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self.sent = 0.0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def note(message: Message) -> None:
            await send(message)
            if message["type"] == "http.response.body":
                self.sent = time.process_time()

        await self._app(scope, receive, note)


async def ask(tab: Tab, view: str) -> float:
    """Return the CPU milliseconds of a view until its last byte is sent; what is read behind it is waited for."""
    path, _, query = VIEWS[view].partition("?")
    tab.app = watch = _Watch(tab.app)
    began = time.process_time()
    answer = await tab.ask("GET", path, query)
    assert answer.status == 200, (view, answer.status)
    return (watch.sent - began) * 1e3


def measure(asked: tuple[str, tuple[str, ...]]) -> list[float]:
    """Return the CPU milliseconds of the answers to views that are asked for one after another, in a new memory."""
    url, views = asked
    open_templates()

    async def look() -> list[float]:
        with MemoryOS(url, embedder=None, config=CONFIG) as memory:
            async with Tab(Identity(memory, TOKEN, user="ann")).started() as tab:
                return [await ask(tab, view) for view in views]

    loop = asyncio.new_event_loop()
    try:
        return loop.run_until_complete(look())
    finally:
        loop.close()


def fill(url: str, pages: int, users: int) -> None:
    """Make the memory of Ann, and as many pages again for each other user."""
    with MemoryOS(url, embedder=None, config=CONFIG) as memory:
        for number in tqdm(range(users), desc="users", disable=users == 1):
            who = {"user_id": "ann" if number == 0 else f"user {number}"}
            memory.restore({**each, **who} if each["kind"] == "scope" else each for each in records(pages))
        memory.user("ann").consolidate()  # stores the index that a new process begins with


def main() -> None:
    """Measure each size and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, nargs="+", default=[100, 1000, 10_000])
    parser.add_argument("--users", type=int, default=1, help="so many users with as many pages each")
    parser.add_argument("--store", type=Path, help="a SQLite file to make, or one that an earlier run made")
    given = parser.parse_args()
    sizes: list[int] = given.pages
    columns: list[list[list[float]]] = []
    with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as new_process:
        for size in tqdm(sizes, desc="sizes"):
            with tempfile.TemporaryDirectory() as folder:
                file: Path = given.store or Path(folder) / "m.db"
                url = f"sqlite:///{file.absolute()}"
                if not file.exists():
                    fill(url, size, given.users)
                firsts = new_process.map(measure, [(url, (view,)) for view in VIEWS], 1)
                befores = ["recall log" if view == "overview" else "overview" for view in VIEWS]
                later = new_process.map(measure, [(url, (b, v, v)) for b, v in zip(befores, VIEWS, strict=True)], 1)
            columns.append([first + after[1:] for first, after in zip(firsts, later, strict=True)])
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} CPUs")
    print("| view |" + "".join(f" {size:,} pages |" for size in sizes))
    print("|---" * (len(sizes) + 1) + "|")
    for row, name in enumerate(VIEWS):
        print(f"| {name} |" + "".join(" {:.0f}, {:.0f}, {:.0f} |".format(*column[row]) for column in columns))


if __name__ == "__main__":
    main()
