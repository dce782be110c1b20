"""Other memories, to compare with: every turn goes in as "Speaker: text" with our embedder, no model is called.

What they rank is packed as every baseline is. Each conversation gets a memory of its own. LangGraph and LlamaIndex come
with `memoryos-tiered[agents]` and `memoryos-tiered[llamaindex]`; mem0 does not go with every release of what we need
ourselves, so it is a dependency group apart: `uv pip install --group peers`.
"""

from __future__ import annotations

import asyncio
import atexit
import importlib.util
import logging
import os
import shutil
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from benchmarks.baselines import DEPTH, Ranking, named
from benchmarks.published import Published
from benchmarks.system import Conversation, local_embedder
from benchmarks.talks import Turn
from memoryos_core.ports.optional_imports import require_installed

_PLACE = ("talk",)  # a namespace, where one must be given
_USER = "user"


class Peer(Ranking, ABC):
    """Takes turns one by one, and gives back the ids of those it finds."""

    def finish(self) -> None:
        """Put every turn into the memory."""
        self._said = {turn.id: turn for turn in self._turns()}
        for turn in self._said.values():
            self._keep(turn)

    def _ranked(self, query: str, k: int) -> list[Sequence[Turn]]:
        return [[self._said[turn_id]] for turn_id in self._found(query, k)]

    @abstractmethod
    def _keep(self, turn: Turn) -> None: ...

    @abstractmethod
    def _found(self, query: str, k: int) -> list[str]: ...


class LangGraph(Peer):
    """LangGraph's store in RAM with its vector index. Raises MissingExtraError."""

    def __init__(self, conversation: Conversation) -> None:
        super().__init__(conversation)
        require_installed("langgraph", "agents")
        from langgraph.store.memory import InMemoryStore

        from memoryos_langchain import MemoryOSEmbeddings

        embedder = local_embedder()
        self._store = InMemoryStore(
            index={"dims": embedder.dimension, "embed": MemoryOSEmbeddings(embedder), "fields": ["text"]}
        )

    def _keep(self, turn: Turn) -> None:
        self._store.put(_PLACE, turn.id, {"text": named([turn])})

    def _found(self, query: str, k: int) -> list[str]:
        return [item.key for item in self._store.search(_PLACE, query=query, limit=k)]


class LlamaIndex(Peer):
    """LlamaIndex's block of vector memory over its simple store, a message a node. Raises MissingExtraError."""

    def __init__(self, conversation: Conversation) -> None:
        super().__init__(conversation)
        require_installed("llama_index", "llamaindex")
        from llama_index.core.memory import VectorMemoryBlock

        from memoryos_llamaindex.embeddings import MemoryOSEmbedding

        self._store = _listing_store()
        self._block = VectorMemoryBlock(
            vector_store=self._store, embed_model=MemoryOSEmbedding(local_embedder()), similarity_top_k=DEPTH
        )
        self._first = conversation.speakers[0]
        self._loop = asyncio.new_event_loop()

    def close(self) -> None:
        """End the loop in which the block was asked."""
        self._loop.close()

    def _keep(self, turn: Turn) -> None:
        from llama_index.core.llms import ChatMessage, MessageRole

        role = MessageRole.USER if turn.speaker == self._first else MessageRole.ASSISTANT
        # The block keeps the session's id beside the text, not in it: it is how we know the turn again.
        message = ChatMessage(role=role, content=named([turn]), additional_kwargs={"session_id": turn.id})
        self._loop.run_until_complete(self._block.aput([message]))

    def _found(self, query: str, k: int) -> list[str]:
        from llama_index.core.llms import ChatMessage

        self._loop.run_until_complete(self._block.aget([ChatMessage(role="user", content=query)]))
        return [node.metadata["session_id"] for node in self._store.listed[:k]]


def _listing_store() -> Any:  # noqa: ANN401 - a class of an optional package
    from llama_index.core.vector_stores import SimpleVectorStore

    class ListingStore(SimpleVectorStore):
        """The store that comes with LlamaIndex, with the nodes that a block asks for, and its last answer kept."""

        stores_text: bool = True
        nodes: dict[str, Any] = {}  # noqa: RUF012 - a pydantic field: each store has its own
        listed: list[Any] = []  # noqa: RUF012

        def add(self, nodes: Sequence[Any], **options: Any) -> list[str]:  # noqa: ANN401 - as in its class
            self.nodes.update((node.node_id, node) for node in nodes)
            return super().add(nodes, **options)

        def query(self, query: Any, **options: Any) -> Any:  # noqa: ANN401
            answer = super().query(query, **options)
            answer.nodes = self.listed = [self.nodes[node_id] for node_id in answer.ids or ()]
            return answer

    return ListingStore()


class Mem0(Peer):
    """mem0 without extraction, over its FAISS store in a folder that goes with it. Raises ModuleNotFoundError.

    It ranks by vectors alone: this store keeps no words, and the entities that could lift a score need a download. It
    takes no less than a model; this one would raise if it were asked.
    """

    def __init__(self, conversation: Conversation) -> None:
        super().__init__(conversation)
        opened = _mem0()
        from langchain_core.language_models import FakeListChatModel

        from memoryos_langchain import MemoryOSEmbeddings

        embedder = local_embedder()
        self._folder = tempfile.TemporaryDirectory(prefix="memoryos-mem0-")
        vectors = {"path": f"{self._folder.name}/vectors", "embedding_model_dims": embedder.dimension}
        self._memory = opened.from_config(
            {
                "embedder": {"provider": "langchain", "config": {"model": MemoryOSEmbeddings(embedder)}},
                "llm": {"provider": "langchain", "config": {"model": FakeListChatModel(responses=[])}},
                "vector_store": {"provider": "faiss", "config": vectors},
                "history_db_path": f"{self._folder.name}/history.db",
            }
        )

    def close(self) -> None:
        """Let go of the memory and its folder."""
        self._memory.close()
        self._folder.cleanup()

    def _keep(self, turn: Turn) -> None:
        self._memory.add(named([turn]), user_id=_USER, metadata={"turn": turn.id}, infer=False)

    def _found(self, query: str, k: int) -> list[str]:
        answer = self._memory.search(query, top_k=k, filters={"user_id": _USER})
        return [memory["metadata"]["turn"] for memory in answer["results"]]


@lru_cache(maxsize=1)
def _mem0() -> Any:  # noqa: ANN401 - of a package that is rarely there
    """mem0's Memory, which reads its switches when it is imported: it tells nobody, and leaves nothing at home."""
    if importlib.util.find_spec("mem0") is None:
        raise ModuleNotFoundError("'mem0' is not installed; run: uv pip install --group peers (or: pip install mem0ai)")
    require_installed("langchain", "agents")
    home = tempfile.mkdtemp(prefix="memoryos-mem0-home-")
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    os.environ.update(MEM0_TELEMETRY="False", MEM0_DIR=home)
    logging.getLogger("mem0").setLevel(logging.ERROR)  # it warns of the missing words for every conversation
    from mem0 import Memory

    return Memory


PEERS: dict[str, Callable[[Conversation], Ranking]] = {
    "mem0": Mem0,
    "langgraph": LangGraph,
    "llamaindex": LlamaIndex,
    "published": Published,
}
