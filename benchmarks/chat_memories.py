"""What `get` and `put` of a LlamaIndex memory take, beside LlamaIndex's own memories, in one run.

    python -m benchmarks.chat_memories [--quick]

For conversations of 10, 100 and 2,000 messages, the calls of an agent's turn, each as its coroutine: put what the user
said, get (for MemoryOS the recall is done here), get again as for a round of tools, put the answer. "Opened" is the
first get of an object made on a session that is there already; the other calls come after it.

All have a limit of 30,000 tokens; `Memory` keeps to 70 % of it, and what it archives it never shows again, having no
blocks here. `ChatMemoryBuffer` keeps nothing. The systems take turns, because the machine is shared; a system that has
used up its time at one size is out of the further rounds. Sessions are of users of their own, and grow by 4 % at most
while they are measured, or by one turn.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TypeAlias

from llama_index.core.base.llms.types import ChatMessage, MessageRole
from llama_index.core.memory import BaseMemory, ChatMemoryBuffer, Memory
from sqlalchemy.ext.asyncio import create_async_engine
from tqdm.auto import tqdm

from benchmarks.material import turns
from memoryos_core import MemoryOS
from memoryos_core.errors import MissingExtraError
from memoryos_core.providers.embedders import open_embedder
from memoryos_llamaindex.memory import MemoryOSMemory

_TOKEN_LIMIT = 30_000
_ROUNDS = 40
_SECONDS = 60.0  # for one system at one size
_MESSAGES_A_TURN = 50  # of a session, for each turn that it serves
_CALLS = ("opened", "put question", "get", "get again", "put answer")

Open: TypeAlias = Callable[[str], BaseMemory]


@dataclass
class System:
    """One kind of memory, and what was measured of it at one size."""

    name: str
    opened: Open
    settle: Callable[[], object] = lambda: None
    times: dict[str, list[float]] = field(default_factory=lambda: {call: [] for call in _CALLS})
    returned: int = 0

    @property
    def spent(self) -> float:
        """Seconds measured until now."""
        return sum(map(sum, self.times.values())) / 1e3

    async def measured(self, call: str, what: Awaitable[list[ChatMessage] | None]) -> None:
        """Await it, and write down the milliseconds; of a get also how many messages it brought."""
        start = time.perf_counter()
        found = await what
        self.times[call].append((time.perf_counter() - start) * 1e3)
        self.returned = self.returned if found is None else len(found)


def main() -> None:
    """Run everything and print a Markdown table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="up to 100 messages only")
    sizes = (10, 100) if parser.parse_args().quick else (10, 100, 2_000)
    for line in table(tqdm(sizes, desc="sizes"), rounds=_ROUNDS, embedders=_embedders()):
        print(line, flush=True)


def table(sizes: Sequence[int] | tqdm[int], *, rounds: int, embedders: Sequence[str]) -> Iterator[str]:
    """The lines of a Markdown table: milliseconds, p50 / p95.

    Args:
        sizes: messages of a conversation before the measured turns.
        rounds: turns to measure for each system, unless its time is used up.
        embedders: those of the MemoryOS rows, by name: "terms" finds by words only.
    """
    yield f"| messages | memory | turns | returned | {' | '.join(_CALLS)} |"
    yield "|" + "---|" * (4 + len(_CALLS))
    loop = asyncio.new_event_loop()
    try:
        for size in sizes:
            for system in loop.run_until_complete(_compared(size, rounds, embedders)):
                cells = [str(size), system.name, str(len(system.times["get"])), str(system.returned)]
                yield f"| {' | '.join([*cells, *map(_quantiles, system.times.values())])} |"
    finally:
        loop.run_until_complete(loop.shutdown_default_executor())
        loop.close()


def _embedders() -> list[str]:
    with suppress(MissingExtraError):
        open_embedder("local")
        return ["terms", "local"]
    return ["terms"]


async def _compared(size: int, rounds: int, embedders: Sequence[str]) -> list[System]:
    per_session = max(1, size // _MESSAGES_A_TURN)
    history = [_message(n, text) for n, text in enumerate(_texts(size))]
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        systems = [System("ChatMemoryBuffer", _buffer)]
        systems += [
            System("Memory, in RAM", await stack.enter_async_context(_of_llamaindex(":memory:"))),
            System("Memory, SQLite file", await stack.enter_async_context(_of_llamaindex(f"{folder}/theirs.db"))),
        ]
        for embedder in embedders:
            ours = stack.enter_context(MemoryOS(f"sqlite:///{folder}/{embedder}.db", embedder=embedder))
            name = {"terms": "words only", "local": "local embedder"}.get(embedder, embedder)
            systems.append(System(f"MemoryOSMemory, {name}", _of_ours(ours), partial(ours.flush, 600)))
        for first in range(0, rounds, per_session):
            going = [s for s in systems if s.spent < _SECONDS]
            opened = [await _filled(system, f"session {first}", history) for system in going]
            for n in range(first, min(first + per_session, rounds)):
                for system, memory in zip(going, opened, strict=True):
                    if system.spent < _SECONDS:
                        await _turn(system, memory, n)
    return systems


async def _filled(system: System, session: str, history: list[ChatMessage]) -> BaseMemory:
    """The memory of a session that was there before: its conversation is stored, and read for the first time."""
    before = system.opened(session)
    await before.aput_messages(history)
    system.settle()
    # A buffer has its messages nowhere else.
    memory = before if isinstance(before, ChatMemoryBuffer) else system.opened(session)
    await system.measured("opened", memory.aget())
    return memory


async def _turn(system: System, memory: BaseMemory, number: int) -> None:
    question = f"Which of the plans number {number} did we settle on?"
    await system.measured("put question", memory.aput(_message(0, question)))
    await system.measured("get", memory.aget())
    await system.measured("get again", memory.aget(input=question))
    await system.measured("put answer", memory.aput(_message(1, "As far as I know, the second one.")))


def _buffer(session: str) -> BaseMemory:
    return ChatMemoryBuffer.from_defaults(token_limit=_TOKEN_LIMIT, chat_store_key=session)


@asynccontextmanager
async def _of_llamaindex(path: str) -> AsyncIterator[Open]:
    engine = create_async_engine(f"sqlite+aiosqlite:///{path}")
    try:
        yield lambda session: Memory.from_defaults(session_id=session, token_limit=_TOKEN_LIMIT, async_engine=engine)
    finally:
        await engine.dispose()


def _of_ours(memory: MemoryOS) -> Open:
    return lambda session: MemoryOSMemory(memory=memory, session_id=session, token_limit=_TOKEN_LIMIT)


def _message(number: int, text: str) -> ChatMessage:
    return ChatMessage(role=MessageRole.ASSISTANT if number % 2 else MessageRole.USER, content=text)


def _texts(count: int) -> list[str]:
    return [text for turn in turns((count + 1) // 2) for text in turn][:count]


def _quantiles(times: list[float]) -> str:
    ordered = sorted(times)
    return f"{ordered[len(ordered) // 2]:.1f} / {ordered[int(len(ordered) * 0.95)]:.1f}"


if __name__ == "__main__":
    main()
