"""Embeddings both ways: LlamaIndex's as the memory's embedder, the core's inside LlamaIndex's indexes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

from llama_index.core.base.embeddings.base import BaseEmbedding
from pydantic import ConfigDict, Field, PrivateAttr
from typing_extensions import Self, override

from memoryos_core.errors import ConfigError
from memoryos_core.hosts.concurrency import Pool
from memoryos_core.hosts.models import CallableEmbedder, Embedder, EmbedderSpec, host_functions, open_embedder

__all__ = ["LlamaIndexEmbedder", "MemoryOSEmbedding"]

_THREADS = 8

# One for all: the objects are copied and pickled freely, and a pool is neither.
_pool = Pool(_THREADS)


class LlamaIndexEmbedder(CallableEmbedder):
    """Any LlamaIndex embedding as the memory's embedder: `MemoryOS(embedder=LlamaIndexEmbedder(embedding))`.

    Texts to keep are embedded as texts, questions as queries. Vectors are float32 and of length one, whatever the
    embedding returns. `name` is what the store remembers and checks at the next start: without it, the class and the
    `model_name` of the object. Give another name when another model stands behind the same object. `dimension` None
    embeds one word when the width is first needed. Halves of surrogate pairs are replaced and an empty text is sent as
    a space, since servers refuse both.

    Example:
        ```python
        from llama_index.core import MockEmbedding
        from memoryos_llamaindex.embeddings import LlamaIndexEmbedder

        embedder = LlamaIndexEmbedder(MockEmbedding(embed_dim=8))
        print(embedder.name, embedder.embed_query("tea").shape)
        ```

    Raises:
        ConfigError: `embedding` is no LlamaIndex `BaseEmbedding`.
    """

    def __init__(self, embedding: BaseEmbedding, *, name: str | None = None, dimension: int | None = None) -> None:
        if not isinstance(cast("object", embedding), BaseEmbedding):
            raise ConfigError(f"expected a LlamaIndex embedding, got {type(embedding).__name__!r}")
        documents, query, known_as = host_functions(embedding)
        super().__init__(documents, embed_query=query, name=name or known_as, dimension=dimension)


@dataclass(frozen=True, slots=True)
class _Live:
    """The embedder of an embedding: as given, and opened. It is never copied, because a lock cannot be copied."""

    given: EmbedderSpec
    opened: Embedder

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self


class MemoryOSEmbedding(BaseEmbedding):
    """An embedder of the core as a LlamaIndex embedding, for an index beside the memory, say.

    `embedder` is what `MemoryOS` takes: "auto", "local", "openai:MODEL", a function, or an embedder. Vectors have
    length one. The coroutines run in threads of our own. `to_dict` tells the name that the embedder was opened by, and
    `from_dict` opens it again; a function or an object has none, so such a dictionary is refused. Copies share the
    embedder; pickled, it is opened again in the other process.

    Example:
        ```python
        from memoryos_llamaindex.embeddings import MemoryOSEmbedding

        print(len(MemoryOSEmbedding("terms").get_query_embedding("tea")))
        ```

    Raises:
        ConfigError: there is no such embedder, or it is not the one that `model_name` tells of.
        MissingExtraError: what `embedder` names is not installed.
        ModelError: when asked; the embedder failed.
    """

    model_config = ConfigDict(extra="forbid")

    embedder: str | None = Field(default=None, description="The name that the embedder was opened by, if any.")
    _live: _Live = PrivateAttr()

    def __init__(
        self,
        embedder: EmbedderSpec = "auto",
        *,
        model_name: str | None = None,
        **settings: Any,  # noqa: ANN401 - LlamaIndex's own fields
    ) -> None:
        opened = open_embedder(embedder)
        if model_name not in (None, opened.name):
            raise ConfigError(
                f"the embedder is {opened.name!r}, not {model_name!r}: pass the embedder that was used before"
            )
        opened_by = "terms" if embedder is None else embedder if isinstance(embedder, str) else None
        super().__init__(model_name=opened.name, **settings)
        self.embedder = opened_by
        self._live = _Live(embedder, opened)

    @classmethod
    @override
    def class_name(cls) -> str:
        """The name by which LlamaIndex knows it."""
        return cls.__name__

    @override
    def __reduce__(self) -> tuple[Callable[..., MemoryOSEmbedding], tuple[Any, ...]]:
        settings = {"embed_batch_size": self.embed_batch_size, "num_workers": self.num_workers}
        return _opened_again, (type(self), self._live.given, self.model_name, settings)

    @override
    def _get_text_embedding(self, text: str) -> list[float]:
        return self._get_text_embeddings([text])[0]

    @override
    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        return [[float(x) for x in row] for row in self._live.opened.embed_documents(texts)]

    @override
    def _get_query_embedding(self, query: str) -> list[float]:
        return [float(x) for x in self._live.opened.embed_query(query)]

    @override
    async def _aget_text_embedding(self, text: str) -> list[float]:
        return await _pool.run(self._get_text_embedding, text)

    @override
    async def _aget_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        return await _pool.run(self._get_text_embeddings, texts)

    @override
    async def _aget_query_embedding(self, query: str) -> list[float]:
        return await _pool.run(self._get_query_embedding, query)


def _opened_again(
    kind: type[MemoryOSEmbedding], given: EmbedderSpec, model_name: str, settings: dict[str, Any]
) -> MemoryOSEmbedding:
    return kind(given, model_name=model_name, **settings)
