"""The same memory on SQLite, SQLCipher and PostgreSQL, side by side in one run.

    python -m benchmarks.stores [--pages 1000 10000] [--users 1000] [--stores sqlite sqlcipher postgres]

Every store is filled with the same pages; then they take turns, one `add` and one `recall` each, because the machine is
shared: the ratios are what counts. Durable everywhere: SQLite with synchronous=FULL, PostgreSQL with fsync. What is
said comes from a generator, what embeds costs next to nothing: the figures are those of the stores and of what we do.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tqdm.auto import tqdm

from memoryos_core import MemoryConfig, MemoryOS, Message, UserMemory, WorkerConfig
from memoryos_core.testing.postgres import LocalPostgres

MANUAL = MemoryConfig(worker=WorkerConfig(mode="manual"))
STORES = ("sqlite", "sqlcipher", "postgres")
PAGES_A_USER = 20
HEAD = (
    "| of | store | add p50 ms | p95 | recall p50 ms | p95 | first recall ms | filled pages/s | MB | add ÷ | recall ÷ |"
)
_START = datetime(2024, 1, 1, tzinfo=timezone.utc)
_MESSAGES_A_FILL = 2_000
# What is said has no topics, so gathering more of it into segments would take hours and say nothing of a store.
_CONSOLIDATED = 1_000
_SYLLABLES = ("ba", "cor", "den", "fi", "gal", "hu", "jor", "kel", "li", "mon", "nar", "or", "pel", "qui", "ros", "ta")
_FRAMES = (
    "I went to {} with {} and saw the {} there.",
    "My {} is about {}, and {} helps me with it.",
    "Do you remember the {} that {} gave to {}?",
    "Next {} we meet at {} to talk about {}.",
    "I like {} more than {}, but {} is fine.",
)


class Speech:
    """Sentences of plain frames and words whose frequencies follow Zipf's law, the same for the same seed."""

    def __init__(self, seed: int, words: int = 8_000) -> None:
        self._chance = random.Random(seed)
        spoken = random.Random(0)  # one language for all
        self._words = ["".join(spoken.choices(_SYLLABLES, k=spoken.choice((1, 2, 2, 3)))) for _ in range(words)]
        self._weights = np.cumsum([1 / rank for rank in range(1, words + 1)]).tolist()

    def sentence(self) -> str:
        """One sentence."""
        frame = self._chance.choice(_FRAMES)
        return frame.format(*self._chance.choices(self._words, cum_weights=self._weights, k=frame.count("{}")))

    def messages(self, pages: int) -> Iterator[Message]:
        """Pages as messages of two and three sentences, seven minutes apart."""
        for i in range(pages):
            when = _START + timedelta(minutes=7 * i)
            yield Message("user", f"{self.sentence()} {self.sentence()}", timestamp=when)
            yield Message("assistant", " ".join(self.sentence() for _ in range(3)), timestamp=when)


class HashEmbedder:
    """A unit vector drawn from a text's checksum: always the same for a text, in microseconds."""

    name = "hash-384"
    dimension = 384
    semantic = True

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of shape (len(texts), 384)."""
        drawn = [np.random.default_rng(zlib.crc32(t.encode())).standard_normal(384, dtype=np.float32) for t in texts]
        vectors = np.asarray(drawn, dtype=np.float32).reshape(len(texts), self.dimension)
        unit: NDArray[np.float32] = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
        return unit

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """One vector of shape (384,)."""
        vector: NDArray[np.float32] = self.embed_documents([text])[0]
        return vector


@dataclass
class Subject:
    """One store under measurement."""

    name: str
    memory: MemoryOS
    size: Callable[[], int]
    filled: float = 0.0
    first: float = 0.0
    add: list[float] = field(default_factory=list)
    recall: list[float] = field(default_factory=list)


def opened(stores: Sequence[str], folder: Path, on_exit: ExitStack) -> list[Subject]:
    """A new memory in each store; `on_exit` closes them."""
    subjects: list[Subject] = []
    for name in stores:
        if name == "postgres":
            server = on_exit.enter_context(LocalPostgres(folder, durable=True))
            url = server.database()
            size = _size_of_database(server, url)
        else:
            file = folder / f"{name}.db"
            url, size = f"sqlite:///{file}", _size_of_file(file)
        key = "a key of 32 bytes for a benchmark" if name == "sqlcipher" else None
        memory = on_exit.enter_context(MemoryOS(url, embedder=HashEmbedder(), config=MANUAL, key=key))
        subjects.append(Subject(name, memory, size))
    return subjects


def _size_of_file(file: Path) -> Callable[[], int]:
    return lambda: sum(part.stat().st_size for part in file.parent.glob(f"{file.name}*"))


def _size_of_database(server: LocalPostgres, url: str) -> Callable[[], int]:
    name = url.split("?")[0].rsplit("/", 1)[1]
    return lambda: int(server.sql(f"SELECT pg_database_size('{name}')"))


def one_user(subjects: Sequence[Subject], pages: int, questions: int) -> None:
    """Fill one user's memory and ask in a session of its own."""

    def fill(memory: MemoryOS) -> None:
        _fill(user := memory.user("ada", session_id="told"), pages, 7)
        if pages <= _CONSOLIDATED:
            user.consolidate()
        else:
            memory.reindex(embedder=HashEmbedder(), progress=False)  # the same one: it embeds what is not yet

    for subject in tqdm(subjects, desc=f"filling {pages:,} pages", leave=False):
        subject.filled = pages / _seconds(partial(fill, subject.memory))
    _measure(subjects, lambda memory, _: memory.user("ada", session_id="asking"), questions)


def many_users(subjects: Sequence[Subject], users: int, questions: int) -> None:
    """Fill the memories of many users with a few pages each, and ask one after another, as they would come."""
    total = users * PAGES_A_USER

    def fill(memory: MemoryOS) -> None:
        for number in range(users):
            _fill(user := memory.user(f"user-{number}"), PAGES_A_USER, number)
            user.consolidate()

    for subject in tqdm(subjects, desc=f"filling {users:,} users", leave=False):
        subject.filled = total / _seconds(partial(fill, subject.memory))
    order = random.Random(5).choices(range(users), k=questions + 1)
    _measure(subjects, lambda memory, turn: memory.user(f"user-{order[turn]}", session_id="asking"), questions)


def _fill(user: UserMemory, pages: int, seed: int) -> None:
    said = list(Speech(seed).messages(pages))
    for start in range(0, len(said), _MESSAGES_A_FILL):
        user.add_messages(said[start : start + _MESSAGES_A_FILL])


def _measure(subjects: Sequence[Subject], user: Callable[[MemoryOS, int], UserMemory], questions: int) -> None:
    speech = Speech(11)
    for subject in subjects:
        subject.first = _seconds(partial(user(subject.memory, 0).recall, speech.sentence())) * 1e3
    for turn in tqdm(range(1, questions + 1), desc="asking", leave=False):
        said, answered, asked = speech.sentence(), speech.sentence(), speech.sentence()
        for subject in (*subjects[turn % len(subjects) :], *subjects[: turn % len(subjects)]):
            whose = user(subject.memory, turn)
            subject.add.append(_seconds(partial(whose.add, said, answered)) * 1e3)
            subject.recall.append(_seconds(partial(whose.recall, asked)) * 1e3)


def _seconds(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def rows(subjects: Sequence[Subject], of: str) -> Iterator[str]:
    """A row of the table for each store; the last two columns are medians beside the first store's."""
    first = subjects[0]
    for s in subjects:
        (add, add95), (recall, recall95) = (np.percentile(times, (50, 95)) for times in (s.add, s.recall))
        beside = add / np.median(first.add), recall / np.median(first.recall)
        yield (
            f"| {of} | {s.name} | {add:.2f} | {add95:.2f} | {recall:.1f} | {recall95:.1f} | {s.first:.0f} "
            f"| {s.filled:.0f} | {s.size() / 1e6:.0f} | {beside[0]:.2f} | {beside[1]:.2f} |"
        )


def main(given: Sequence[str] | None = None) -> None:
    """Run everything and print a Markdown table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, nargs="*", default=[1_000, 10_000], help="sizes of one user's memory")
    parser.add_argument("--users", type=int, nargs="*", default=[1_000], help=f"users with {PAGES_A_USER} pages each")
    parser.add_argument("--stores", nargs="+", choices=STORES, default=list(STORES), help="the first is the reference")
    parser.add_argument("--questions", type=int, default=200, help="adds and recalls measured for a row")
    options = parser.parse_args(given)
    print(HEAD)
    print("|---" * (HEAD.count("|") - 1) + "|", flush=True)
    runs = [(f"{n:,} pages", one_user, n) for n in options.pages] + [
        (f"{n:,} users × {PAGES_A_USER}", many_users, n) for n in options.users
    ]
    for of, run, number in runs:
        with tempfile.TemporaryDirectory() as folder, ExitStack() as on_exit:
            subjects = opened(options.stores, Path(folder), on_exit)
            run(subjects, number, options.questions)
            for row in rows(subjects, of):
                print(row, flush=True)


if __name__ == "__main__":
    main()
