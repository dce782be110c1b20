"""What the memory adds to a LangChain turn, beside LangChain's own histories, in one run.

    python -m benchmarks.histories [--quick]

For sessions of 10, 100 and 2,000 messages: reading the history, writing a turn, recalling for a question, and a whole
turn of RunnableWithMessageHistory round a model that answers at once. `InMemoryChatMessageHistory` keeps nothing;
`SQLChatMessageHistory` (langchain-community) writes to SQLite as its users have it: without waiting for the disk.
The systems take turns, because the machine is shared; the ratios are what counts.

`benchmarks.speed` prints the ratios of process time: a turn of `with_memory` beside one with `SQLChatMessageHistory`,
and `get` of our LlamaIndex memory beside LlamaIndex's `Memory`.
"""

from __future__ import annotations

import argparse
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

from langchain_core.chat_history import BaseChatMessageHistory, InMemoryChatMessageHistory
from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder
from langchain_core.runnables import Runnable
from langchain_core.runnables.history import RunnableWithMessageHistory
from tqdm.auto import tqdm

from benchmarks.material import messages
from memoryos_core import MemoryConfig, MemoryOS, Message, WorkerConfig
from memoryos_core.ports import Embedder
from memoryos_langchain import memory_history_factory, with_memory
from memoryos_langchain.messages import to_core

_ROUNDS = 60
Factory = Callable[[str], BaseChatMessageHistory]


def main() -> None:
    """Run everything and print a Markdown table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="up to 100 messages only")
    sizes = (10, 100) if parser.parse_args().quick else (10, 100, 2_000)
    warnings.simplefilter("ignore")  # LangChain deprecates what is measured here
    print("| messages | history | read p50 / p95 ms | write p50 / p95 ms | recall p50 / p95 ms | turn p50 / p95 ms |")
    print("|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for size in tqdm(sizes, desc="sizes"):
            for row in _rows(Path(folder), size):
                print(row, flush=True)


def _rows(folder: Path, size: int) -> Iterator[str]:
    with MemoryOS(f"sqlite:///{folder}/ours-{size}.db") as memory:
        factories: dict[str, Factory] = {
            "InMemoryChatMessageHistory": _in_memory(),
            "SQLChatMessageHistory": _in_sql(folder / f"sql-{size}.db"),
            "MemoryOSChatMessageHistory": memory_history_factory(memory, user_id="u"),
        }
        for factory in factories.values():
            factory("s").add_messages(_turns(size))
        memory.flush(600)
        user = memory.user("u", session_id="asking")
        times: dict[str, list[list[float]]] = {name: [[], [], [], []] for name in factories}
        chains = {name: _chain(factory) for name, factory in factories.items()}
        user.recall("warm up")
        for n in range(_ROUNDS):
            question = f"Which of the plans number {n} did we settle on?"
            for name, factory in factories.items():
                read, write, recall, turn = times[name]
                # Fresh sessions for what writes, so that all rounds see a session of the same size.
                read.append(_ms(partial(_messages, factory)))
                write.append(_ms(partial(factory(f"w{n}").add_messages, _turns(2))))
                turn.append(_ms(partial(_ask, chains[name], question, f"t{n}")))
                if name.startswith("MemoryOS"):
                    recall.append(_ms(partial(user.recall, question)))
        for name, measured in times.items():
            yield f"| {size} | {name} | " + " | ".join(map(_quantiles, measured)) + " |"


def _messages(factory: Factory) -> list[BaseMessage]:
    return factory("s").messages


def _in_memory() -> Factory:
    kept: dict[str, InMemoryChatMessageHistory] = {}
    return lambda session: kept.setdefault(session, InMemoryChatMessageHistory())


def _in_sql(path: Path) -> Factory:
    from langchain_community.chat_message_histories import (  # type: ignore[import-not-found, unused-ignore]
        SQLChatMessageHistory,
    )
    from sqlalchemy import create_engine

    engine = create_engine(f"sqlite:///{path}")
    return lambda session: SQLChatMessageHistory(session, connection=engine)


def _chain(factory: Factory) -> Runnable[dict[str, str], BaseMessage]:
    return RunnableWithMessageHistory(_bare(), factory, input_messages_key="input", history_messages_key="history")


def _bare() -> Runnable[dict[str, Any], BaseMessage]:
    prompt = ChatPromptTemplate.from_messages([MessagesPlaceholder("history"), ("human", "{input}")])
    return prompt | FakeListChatModel(responses=["As far as I know, the second one."])


def langchain_turns(embedder: Embedder, size: int, rounds: int) -> tuple[float, float]:
    """CPU of a turn in a session of `size` messages, in ms: of `with_memory`, and with LangChain's history in SQL.

    Raises ModuleNotFoundError: langchain-community is not installed.
    """
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder, _opened(folder, embedder) as memory:
        in_sql = _in_sql(Path(folder) / "sql.db")
        in_sql("s").add_messages(_turns(size))
        _fill(memory, [to_core(message) for message in _turns(size)])
        chains = with_memory(_bare(), memory, user_id="u"), _chain(in_sql)
        times: tuple[list[float], list[float]] = ([], [])
        for question in _questions(rounds):
            for chain, of in zip(chains, times, strict=True):
                of.append(_cpu(partial(_ask, chain, question, "s")))
        return median(times[0]), median(times[1])


def llamaindex_reads(embedder: Embedder, size: int, rounds: int) -> tuple[float, float]:
    """CPU of `get` in a session of `size` messages while nothing is written, in ms: of ours, and of `Memory`.

    Raises ModuleNotFoundError: LlamaIndex is not installed.
    """
    from llama_index.core.llms import ChatMessage
    from llama_index.core.memory import Memory

    from memoryos_llamaindex import MemoryOSMemory

    said = [ChatMessage(role="user" if n % 2 == 0 else "assistant", content=m.text) for n, m in enumerate(_turns(size))]
    with tempfile.TemporaryDirectory() as folder, _opened(folder, embedder) as memory:
        both: tuple[Any, Any] = (
            MemoryOSMemory(memory, user_id="u", session_id="s"),
            Memory.from_defaults(session_id="s"),
        )
        times: tuple[list[float], list[float]] = ([], [])
        for one in both:
            one.put_messages(said)
        memory.user("u").consolidate()
        for question in _questions(rounds):
            for one, of in zip(both, times, strict=True):
                one.put(ChatMessage(role="user", content=question))
                one.get(input=question)
                of += [_cpu(partial(one.get, input=question)) for _ in range(3)]
                one.put(ChatMessage(role="assistant", content="As far as I know, the second one."))
        return median(times[0]), median(times[1])


def _opened(folder: str, embedder: Embedder) -> MemoryOS:
    config = MemoryConfig(worker=WorkerConfig(mode="manual"))
    return MemoryOS(f"sqlite:///{folder}/ours.db", embedder=embedder, config=config)


def _fill(memory: MemoryOS, said: Sequence[Message]) -> None:
    user = memory.user("u", session_id="s")
    for start in range(0, len(said), 1_000):
        user.add_messages(said[start : start + 1_000])
    user.consolidate()


def _questions(count: int) -> list[str]:
    return [f"Which of the plans number {number} did we settle on?" for number in range(count)]


def _cpu(call: Callable[[], object]) -> float:
    start = time.process_time()
    call()
    return (time.process_time() - start) * 1e3


def _ask(chain: Runnable[dict[str, str], BaseMessage], question: str, session: str) -> None:
    chain.invoke({"input": question}, {"configurable": {"session_id": session}})


def _turns(count: int) -> list[BaseMessage]:
    texts = [m.text for m in messages((count + 1) // 2)][:count]
    return [(HumanMessage if n % 2 == 0 else AIMessage)(text) for n, text in enumerate(texts)]


def _ms(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return (time.perf_counter() - start) * 1e3


def _quantiles(times: list[float]) -> str:
    if not times:
        return "-"
    ordered = sorted(times)
    return f"{ordered[len(ordered) // 2]:.1f} / {ordered[int(len(ordered) * 0.95)]:.1f}"


if __name__ == "__main__":
    main()
