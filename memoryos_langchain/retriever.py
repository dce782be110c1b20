"""A memory as a retriever: the k best hits of one user, as documents with their provenance."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever, LangSmithRetrieverParams
from pydantic import BeforeValidator, ConfigDict, Field, SkipValidation, model_validator
from typing_extensions import override

from memoryos_core import Hit, MemoryOS, UserMemory
from memoryos_core.aio import off_loop
from memoryos_core.hosting import Id, hit_id, metadata
from memoryos_core.rules import accepting
from memoryos_langchain.identity import identify


def _count(value: object) -> int:
    return accepting.count("k", value)


def _session(value: object) -> str | None:
    return None if value is None else accepting.identifier("session_id", value)


def _since(value: object) -> datetime | None:
    return accepting.moment("since", value)


def _until(value: object) -> datetime | None:
    return accepting.moment("until", value)


class MemoryOSRetriever(BaseRetriever):
    """Finds what one user's memory holds on a question; a read: nothing is written or counted.

    `k` and the filters are set here, and may be set otherwise for one call: `invoke(question, None, k=3)`. Where the
    user differs from call to call: `retriever.configurable_fields(user_id=ConfigurableField(id="user_id"))`.

    A document's `id` is that of the fact, or of the page and the half of it ("…:user", "…:assistant"), and the same in
    every search. Its metadata can be written as JSON: tier, kind ("page" or "fact"), session_id, segment_id, page_ids,
    about, timestamp (ISO 8601), heat (of its segment, now), score and signals (both of this search only).

    Args:
        memory: an open memory; it stays yours to close.
        user_id: whose memory.
        assistant_id: the assistant it belongs to.
        k: the most documents, 1 or more.
        tiers: only these: "short_term", "mid_term", "archive", "long_term"; () is all.
        since: the earliest moment, included; a naive one is UTC.
        until: the latest moment, not included.
        session_id: only what was said in this session; facts belong to none.

    Raises:
        ValueError: a value cannot be used; at construction pydantic's, in a call InvalidInputError.
        StoreError: in a call, the memory cannot be read.

    Example:
        ```python
        memory = MemoryOS("sqlite://")
        memory.user("alice").add("My dog Biscuit is afraid of thunder", "Poor Biscuit!")
        retriever = MemoryOSRetriever(memory=memory, user_id="alice", k=3)
        retriever.invoke("What scares the dog?")
        ```
    """

    # A bad value is not repeated in the error: it may be text of the user's.
    model_config = ConfigDict(arbitrary_types_allowed=True, hide_input_in_errors=True)

    memory: MemoryOS = Field(exclude=True, repr=False)
    user_id: SkipValidation[Id]  # `identify` does it, as for every adapter
    assistant_id: SkipValidation[Id] = "assistant"
    k: Annotated[int, BeforeValidator(_count)] = 5
    tiers: Annotated[tuple[str, ...], BeforeValidator(accepting.tiers)] = ()
    since: Annotated[datetime | None, BeforeValidator(_since)] = None
    until: Annotated[datetime | None, BeforeValidator(_until)] = None
    session_id: Annotated[str | None, BeforeValidator(_session)] = None

    @model_validator(mode="after")
    def _identified(self) -> MemoryOSRetriever:
        self._user()
        return self

    def _user(self) -> UserMemory:
        who = identify(None, user_id=self.user_id, assistant_id=self.assistant_id)
        return self.memory.user(who.user_id, assistant_id=who.assistant_id)

    @override
    def _get_ls_params(self, **kwargs: Any) -> LangSmithRetrieverParams:
        params = super()._get_ls_params(**kwargs)
        params["ls_vector_store_provider"] = "MemoryOS"
        return params

    # LangChain hands the arguments of `invoke` on only when this signature names some of its own.
    @override
    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,
        k: int | None = None,
        tiers: Sequence[str] | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        session_id: str | None = None,
    ) -> list[Document]:
        hits = self._user().search(
            query,
            self.k if k is None else k,
            since=self.since if since is None else since,
            until=self.until if until is None else until,
            session_id=self.session_id if session_id is None else session_id,
            tiers=self.tiers if tiers is None else tiers,
        )
        return [_document(hit) for hit in hits]

    @override
    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun, **narrowing: Any
    ) -> list[Document]:
        sync = self._get_relevant_documents
        return await off_loop(self.memory, sync, query, run_manager=run_manager.get_sync(), **narrowing)


def _document(hit: Hit) -> Document:
    return Document(id=hit_id(hit), page_content=hit.text, metadata=metadata(hit))
