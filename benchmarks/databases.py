"""Our memory on PostgreSQL, which finds candidates in the database: the same run puts it beside the memory in RAM.

The server is one of this process's own (`memoryos_core.testing.postgres`), with a database for each conversation.
"""

from __future__ import annotations

import atexit
import shutil
import tempfile
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from benchmarks.system import DEFAULT, Conversation, System, local_embedder
from memoryos_core import MemoryOS
from memoryos_core.ports import Clock, Embedder
from memoryos_core.testing.postgres import LocalPostgres


@lru_cache(maxsize=1)
def server() -> LocalPostgres:
    """One server until this process ends. Raises MissingExtraError."""
    folder = tempfile.mkdtemp(prefix="memoryos-pg-")
    started = LocalPostgres(Path(folder)).__enter__()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    atexit.register(started.stop)
    return started


def _on_server(embedder: Embedder | None) -> Callable[[Clock], MemoryOS]:
    return lambda clock: MemoryOS(server().database(), embedder=embedder, config=DEFAULT, clock=clock)


def postgres(conversation: Conversation) -> System:
    """The default on PostgreSQL: local embedder, no model."""
    return System(conversation, _on_server(local_embedder()))


def postgres_words(conversation: Conversation) -> System:
    """The same without an embedder."""
    return System(conversation, _on_server(None))


ON_SERVER: dict[str, Callable[[Conversation], System]] = {"postgres": postgres, "postgres-words": postgres_words}
