"""What the core needs from the world, as protocols. Implementations live in stores, indexes, embedders, llms, tokens.

All may block and all must be thread-safe: the contract suites in `memoryos_core.testing` run them from eight threads.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from memoryos_core.models import Chain, Fact, HeatCounters, Page, Profile, Scope, Segment, Vector
from memoryos_core.moves import (
    Append,
    Cursor,
    EmbedderStamp,
    Eviction,
    Feed,
    Forgetting,
    PageOut,
    PageQuery,
    Pending,
    Promotion,
    Record,
    Redescription,
    VectorRow,
    Visit,
)
from memoryos_core.queries import Candidates, ChatReply, ChatRequest
from memoryos_core.reports import ForgetReceipt, RestoreReport, Stats


@runtime_checkable
class Store(Protocol):
    """The filing cabinet. Each verb is one transaction and touches one scope only."""

    def append(self, append: Append) -> tuple[Page, ...]:
        """Put new pages in short-term memory, durably; returns them as stored, in order."""
        ...

    def pages(self, query: PageQuery) -> tuple[Page, ...]:
        """Read pages."""
        ...

    def pending(self, scope: Scope) -> tuple[Pending, ...]:
        """What short-term memory holds, session by session, oldest first."""
        ...

    def page_out(self, move: PageOut) -> None:
        """Move a batch from short-term memory into segments; ConflictError when a page or segment changed meanwhile."""
        ...

    def redescribe(self, redescription: Redescription) -> None:
        """Replace descriptions after a re-reading; ConflictError as for `page_out`."""
        ...

    def segments(
        self, scope: Scope, *, ids: Sequence[str] | None = None, archived: bool = False
    ) -> tuple[Segment, ...]:
        """The segments of mid-term memory (or, `archived`, those evicted from it), oldest first."""
        ...

    def heat_counters(self, scope: Scope, ids: Sequence[str]) -> dict[str, HeatCounters]:
        """What the heat of these segments is worked out from, archived ones too; cheap enough for every recall."""
        ...

    def chains(self, scope: Scope, ids: Sequence[str]) -> tuple[Chain, ...]:
        """Dialogue chains by id."""
        ...

    def promote(self, promotion: Promotion) -> None:
        """File what was learnt and mark the pages that were read as analysed; cools the segment."""
        ...

    def facts(self, scope: Scope, *, ids: Sequence[str] | None = None, current: bool = True) -> tuple[Fact, ...]:
        """Facts, oldest first; `current=False` also brings superseded, retired and evicted ones."""
        ...

    def profile(self, scope: Scope) -> Profile:
        """The current profile."""
        ...

    def evict(self, eviction: Eviction) -> None:
        """Archive or delete segments with their pages."""
        ...

    def visit(self, visit: Visit) -> None:
        """Count visits."""
        ...

    def save_vectors(self, scope: Scope, rows: Sequence[VectorRow]) -> None:
        """Write the vectors of pages or facts (all parts of an owner at once); rows of vanished owners are ignored."""
        ...

    def vectors(self, scope: Scope, owner_ids: Sequence[str]) -> dict[str, dict[str, Vector]]:
        """Vectors by owner and part."""
        ...

    def cursor(self, scope: Scope) -> Cursor:
        """Where the scope's change feed stands now."""
        ...

    def feed(self, scope: Scope, after: Cursor, *, limit: int = 500) -> Feed:
        """Pages and facts that changed after a cursor."""
        ...

    def forget(self, forgetting: Forgetting) -> ForgetReceipt:
        """Erase, with everything derived from it."""
        ...

    def export(self, scope: Scope) -> Iterator[Record]:
        """Every row of the scope as plain records."""
        ...

    def restore(self, scope: Scope, records: Iterable[Record]) -> RestoreReport:
        """Bring exported records back; what is there already is skipped."""
        ...

    def scopes(self, *, pending_only: bool = False) -> tuple[Scope, ...]:
        """Every scope, or those with short-term, unembedded or marked pages."""
        ...

    def stats(self, scope: Scope | None = None) -> Stats:
        """Counts for one scope, or for the store."""
        ...

    def embedder(self) -> EmbedderStamp | None:
        """Which embedder wrote the vectors."""
        ...

    def stamp_embedder(self, stamp: EmbedderStamp | None) -> None:
        """Record another embedder; drops all vectors, so pages count as not embedded again."""
        ...

    def close(self) -> None:
        """Release connections."""
        ...


class Embedder(Protocol):
    """Texts to vectors. `semantic` is False when closeness only means shared words."""

    @property
    def name(self) -> str:
        """What the store remembers of it: another name means other vectors."""
        ...

    @property
    def dimension(self) -> int:
        """Length of its vectors."""
        ...

    @property
    def semantic(self) -> bool:
        """Whether closeness means more than shared words."""
        ...

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of shape (len(texts), dimension), L2-normalised. Raises ModelError."""
        ...

    def embed_query(self, text: str) -> Vector:
        """One vector of shape (dimension,), L2-normalised. Raises ModelError."""
        ...


class ChatModel(Protocol):
    """One question, one answer. Raises ModelError, never returns an error as text."""

    def ask(self, request: ChatRequest) -> ChatReply:
        """Ask once, without retrying: retries are counted in one place, `steps.asking`."""
        ...


class TokenCounter(Protocol):
    """Counts tokens without a network and without failing."""

    def __call__(self, text: str, /) -> int:
        """Tokens of a text."""
        ...


class Clock(Protocol):
    """The only source of the present; returns an aware datetime."""

    def __call__(self) -> datetime:
        """Now, aware."""
        ...


class PageIndex(Protocol):
    """Finds candidates among all pages and current facts of one scope; follows every writer of the store."""

    def candidates(self, scope: Scope, query: str, vector: Vector | None, k: int) -> Candidates:
        """The k best units by words, the k best by vector, and the neighbours of both."""
        ...

    def forget(self, scope: Scope) -> None:
        """Drop what is resident for a scope."""
        ...


class VectorIndex(Protocol):
    """Resident nearest-neighbour search over small integer ids; inner product of normalised vectors."""

    def add(self, ids: NDArray[np.int64], vectors: NDArray[np.float32]) -> None:
        """Take vectors in, in place of those the ids had."""
        ...

    def remove(self, ids: NDArray[np.int64]) -> None:
        """Let ids go; unknown ones are passed over."""
        ...

    def search(self, query: Vector, k: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """The k best ids and their scores, best first."""
        ...

    def scores(self, query: Vector, ids: NDArray[np.int64]) -> NDArray[np.float32]:
        """Scores of given ids; nan for an id without a vector."""
        ...

    def __len__(self) -> int: ...


class LexicalIndex(Protocol):
    """Resident BM25 over small integer ids, with the statistics of this scope alone."""

    def add(self, id: int, text: str) -> None:
        """Take a text in, in place of the one the id had."""
        ...

    def remove(self, id: int) -> None:
        """Let an id go; an unknown one is passed over."""
        ...

    def scores(self, query: str) -> NDArray[np.float32]:
        """BM25 of every id, indexed by id."""
        ...

    def coverage(self, query: str) -> NDArray[np.float32]:
        """Share of the query's idf mass that each id matches, indexed by id."""
        ...

    def __len__(self) -> int: ...
