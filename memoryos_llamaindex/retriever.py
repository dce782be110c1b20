"""A memory as a retriever: the k best hits of one user, as nodes with their provenance."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from hashlib import sha256

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.callbacks import CallbackManager
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
from typing_extensions import override

from memoryos_core import Hit, MemoryOS
from memoryos_core.hosts import validation as accepting
from memoryos_core.hosts.arguments import Id, hit_id, id_text, metadata, require_memory
from memoryos_core.hosts.concurrency import off_loop


class MemoryOSRetriever(BaseRetriever):
    """Finds what one user's memory holds on a question; a read: nothing is written or counted.

    A node's id is that of the fact, or of the page and the place of a message in it ("…:0"), and the same in every
    search. Its text is what was said, its metadata can be written as JSON and is the same in every search: id, tier,
    kind ("page" or "fact"), session_id, segment_id, page_ids, about, timestamp (ISO 8601), trust, written_by (actors),
    date (its day). Of these a model is shown the date. The score of a NodeWithScore is a relevance from 0 to 1, the
    same for all questions; the hits of `UserMemory.search` have signals and heat as well. An empty question finds
    nothing; an embedding in a QueryBundle is not used, as the memory has its own.

    Args:
        memory: an open memory; it stays yours to close.
        user_id: the user.
        assistant_id: the assistant it belongs to.
        actor: the actor that it works as, with the role it was granted there; None is the application itself.
        k: the most nodes, 1 or more.
        tiers: only these: "short_term", "mid_term", "archive", "long_term"; () is all.
        since: the earliest moment, included; a naive one is UTC.
        until: the latest moment, not included.
        session_id: search only this session; facts belong to no session, so they are left out.
        min_score: the least relevance, 0 to 1; 0 brings the k best, as other retrievers do.
        callback_manager: handlers of LlamaIndex's older kind; None is the application's.

    Raises:
        InvalidInputError: a value cannot be used; at construction, and in a call where it was set since.
        StoreError: in a call, the memory cannot be read.

    Example:
        ```python
        memory = MemoryOS("sqlite://")
        memory.user("alice").add("My dog Biscuit is afraid of thunder", "Poor Biscuit!")
        retriever = MemoryOSRetriever(memory, user_id="alice", k=3)
        retriever.retrieve("What scares the dog?")
        ```
    """

    def __init__(  # noqa: PLR0913 - one optional argument for each choice
        self,
        memory: MemoryOS,
        *,
        user_id: Id,
        assistant_id: Id = "assistant",
        actor: str | None = None,
        k: int = 5,
        tiers: Sequence[str] = (),
        since: datetime | None = None,
        until: datetime | None = None,
        session_id: Id | None = None,
        min_score: float = 0.0,
        callback_manager: CallbackManager | None = None,
    ) -> None:
        super().__init__(callback_manager)  # pyright: ignore[reportUnknownMemberType]  # a bare Dict of LlamaIndex's
        self._memory = require_memory(memory)
        user, assistant = id_text("user_id", user_id), id_text("assistant_id", assistant_id)
        self._user = self._memory.user(user, assistant_id=assistant, actor=actor)
        self.k = accepting.count("k", k)
        self.tiers = accepting.tiers(tiers)
        self.since = accepting.moment("since", since)
        self.until = accepting.moment("until", until)
        self.session_id = None if session_id is None else id_text("session_id", session_id)
        self.min_score = accepting.share("min_score", min_score)

    @override
    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        hits = self._user.search(
            query_bundle.query_str,
            self.k,
            since=self.since,
            until=self.until,
            session_id=self.session_id,
            tiers=self.tiers,
            min_score=self.min_score,
        )
        return [NodeWithScore(node=_node(hit), score=hit.score) for hit in hits]

    @override
    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return await off_loop(self._memory, self._retrieve, query_bundle)

    def __repr__(self) -> str:
        scope = self._user.scope
        return f"MemoryOSRetriever(user_id={scope.user_id!r}, assistant_id={scope.assistant_id!r}, k={self.k})"


class MemoryNode(TextNode):
    """A text node that is the same one in every search: tier and segment may change, and LlamaIndex fuses by hash."""

    @property
    @override
    def hash(self) -> str:
        """Of id and text."""
        return sha256(f"{self.id_} {self.text}".encode("utf-8", "surrogatepass")).hexdigest()


def _node(hit: Hit) -> TextNode:
    told = metadata(hit)
    node = MemoryNode(
        id_=hit_id(hit),
        text=hit.text,
        # What stays out of prompts and embeddings: a model sees the text and its date.
        excluded_llm_metadata_keys=list(told),
        excluded_embed_metadata_keys=list(told),
    )
    node.metadata = {**told, "date": hit.timestamp.date().isoformat()}
    return node
