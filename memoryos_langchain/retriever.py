"""A memory as a retriever: the k best hits of one user, as documents with their provenance."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever, LangSmithRetrieverParams
from langchain_core.runnables import RunnableConfig, ensure_config
from pydantic import BeforeValidator, ConfigDict, Field, SkipValidation, model_validator
from typing_extensions import override

from memoryos_core import Hit, InvalidInputError, MemoryOS, UserMemory
from memoryos_core.hosts import validation as accepting
from memoryos_core.hosts.arguments import Id, checked_actor, hit_id, metadata, require_memory
from memoryos_core.hosts.concurrency import off_loop
from memoryos_langchain.identity import UserId, check_ids
from memoryos_langchain.runs import identify_run

_NARROWING = ("k", "tiers", "since", "until", "session_id", "min_score")


def _count(value: object) -> int:
    return accepting.count("k", value)


def _share(value: object) -> float:
    return accepting.share("min_score", value)


def _session(value: object) -> str | None:
    return None if value is None else accepting.identifier("session_id", value)


def _since(value: object) -> datetime | None:
    return accepting.moment("since", value)


def _until(value: object) -> datetime | None:
    return accepting.moment("until", value)


class MemoryOSRetriever(BaseRetriever):
    """Finds what one user's memory holds on a question; a read: nothing is written or counted.

    `k` and the filters are set here, and may be set otherwise for one call: `invoke(question, None, k=3)`. Where no
    `user_id` is given the run names its user, in its context or config, see `identify`; a run that names none is
    refused. The session of a run is no filter.

    A document's `id` is that of the fact, or of the page and the place of a message in it ("…:0"). It is the same
    in every search, and so is the metadata, which can be written as JSON: id, tier, kind ("page" or "fact"),
    session_id, segment_id, page_ids, about, timestamp (ISO 8601), trust, written_by (actors). So what
    two searches find is equal, as MultiQueryRetriever needs it, and EnsembleRetriever may take `id_key="id"`. What
    belongs to one search only is asked for: `search_with_score` gives the scores, and the hits of `UserMemory.search`
    have signals and heat as well.

    Args:
        memory: an open memory; it stays yours to close.
        user_id: the user, or a function that names the user of a `Run`; None takes each run's user.
        assistant_id: the assistant it belongs to; None asks each run.
        actor: the actor that it works as, with the role it was granted there; None is the application itself.
        k: the most documents, 1 or more.
        tiers: only these: "short_term", "mid_term", "archive", "long_term"; () is all.
        since: the earliest moment, included; a naive one is UTC.
        until: the latest moment, not included.
        session_id: search only this session; facts belong to no session, so they are left out.
        min_score: the least relevance, 0 to 1; 0 brings the k best, as other retrievers do.

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
    model_config = ConfigDict(arbitrary_types_allowed=True, hide_input_in_errors=True, extra="forbid")

    memory: Annotated[MemoryOS, BeforeValidator(require_memory)] = Field(exclude=True, repr=False)
    user_id: SkipValidation[UserId | None] = None  # `check_ids` does it, as for every adapter
    assistant_id: SkipValidation[Id | None] = "assistant"
    actor: str | None = None
    k: Annotated[int, BeforeValidator(_count)] = 5
    tiers: Annotated[tuple[str, ...], BeforeValidator(accepting.tiers)] = ()
    since: Annotated[datetime | None, BeforeValidator(_since)] = None
    until: Annotated[datetime | None, BeforeValidator(_until)] = None
    session_id: Annotated[str | None, BeforeValidator(_session)] = None
    min_score: Annotated[float, BeforeValidator(_share)] = 0.0

    @model_validator(mode="after")
    def _check_identity(self) -> MemoryOSRetriever:
        check_ids(user_id=self.user_id, assistant_id=self.assistant_id)
        checked_actor(self.actor)
        return self

    def _user(self, config: RunnableConfig) -> UserMemory:
        who = identify_run(config, user_id=self.user_id, assistant_id=self.assistant_id)
        return self.memory.user(who.user_id, assistant_id=who.assistant_id, actor=self.actor)

    @override
    def invoke(self, input: str, config: RunnableConfig | None = None, **kwargs: Any) -> list[Document]:
        """Find what the run's user's memory holds. Raises InvalidInputError when the user is unknown."""
        return super().invoke(input, config, **kwargs, run_config=ensure_config(config))

    @override
    async def ainvoke(self, input: str, config: RunnableConfig | None = None, **kwargs: Any) -> list[Document]:
        """See `invoke`."""
        return await super().ainvoke(input, config, **kwargs, run_config=ensure_config(config))

    def search_with_score(
        self,
        query: str,
        config: RunnableConfig | None = None,
        **narrowing: Any,  # noqa: ANN401 - as `invoke`
    ) -> list[tuple[Document, float]]:
        """Find documents with their scores, best first; a score is a relevance from 0 to 1, the same for all questions.

        Args:
            query: the question.
            config: the run's, which names the user where none is fixed.
            narrowing: k and the filters, as in a call of `invoke`.
        """
        return [(_document(hit), hit.score) for hit in self._hits(query, ensure_config(config), **narrowing)]

    async def asearch_with_score(
        self,
        query: str,
        config: RunnableConfig | None = None,
        **narrowing: Any,  # noqa: ANN401 - as `invoke`
    ) -> list[tuple[Document, float]]:
        """See `search_with_score`."""
        return await off_loop(self.memory, self.search_with_score, query, ensure_config(config), **narrowing)

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
        run_config: RunnableConfig | None = None,
        **narrowing: Any,
    ) -> list[Document]:
        return [_document(hit) for hit in self._hits(query, run_config or ensure_config(), **narrowing)]

    @override
    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun, **narrowing: Any
    ) -> list[Document]:
        sync = self._get_relevant_documents
        return await off_loop(self.memory, sync, query, run_manager=run_manager.get_sync(), **narrowing)

    def _hits(  # noqa: PLR0913 - the arguments of `invoke`
        self,
        query: str,
        config: RunnableConfig,
        *,
        k: int | None = None,
        tiers: Sequence[str] | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        session_id: str | None = None,
        min_score: float | None = None,
        **unknown: object,
    ) -> list[Hit]:
        if unknown:
            names = ", ".join(sorted(unknown))
            raise InvalidInputError(f"unknown filter: {names}. Use {', '.join(map('{}='.format, _NARROWING))}")
        return self._user(config).search(
            query,
            self.k if k is None else k,
            since=self.since if since is None else since,
            until=self.until if until is None else until,
            session_id=self.session_id if session_id is None else session_id,
            tiers=self.tiers if tiers is None else tiers,
            min_score=self.min_score if min_score is None else min_score,
        )


def _document(hit: Hit) -> Document:
    return Document(id=hit_id(hit), page_content=hit.text, metadata=metadata(hit))
