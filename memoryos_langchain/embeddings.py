"""Embeddings both ways: LangChain's as the memory's embedder, the core's inside LangChain's vector stores."""

from __future__ import annotations

from typing import cast

from langchain_core.embeddings import Embeddings

from memoryos_core.errors import ConfigError
from memoryos_core.hosts.models import CallableEmbedder, EmbedderSpec, host_functions, open_embedder

__all__ = ["LangChainEmbedder", "MemoryOSEmbeddings"]


class LangChainEmbedder(CallableEmbedder):
    """Any LangChain embeddings as the memory's embedder: `MemoryOS(embedder=LangChainEmbedder(embeddings))`.

    Vectors are float32 and of length one, whatever the embeddings return. `name` is what the store remembers and
    checks at the next start: without it, the class and the model that the object tells, the same name as when the
    object is given to `MemoryOS` directly. Give another name when another model stands behind the same object.
    `dimension` None embeds one word when the width is first needed. Halves of surrogate pairs are replaced and an empty
    text is sent as a space, since servers refuse both.

    `OpenAIEmbeddings` counts tokens with a vocabulary that it downloads; `check_embedding_ctx_length=False` turns that
    off and is right for other servers that speak OpenAI's protocol.

    Example:
        ```python
        from langchain_core.embeddings import DeterministicFakeEmbedding
        from memoryos_langchain import LangChainEmbedder

        embedder = LangChainEmbedder(DeterministicFakeEmbedding(size=8))
        print(embedder.name, embedder.embed_query("tea").shape)
        ```

    Raises:
        ConfigError: `embeddings` is no `langchain_core.embeddings.Embeddings`.
    """

    def __init__(self, embeddings: Embeddings, *, name: str | None = None, dimension: int | None = None) -> None:
        if not isinstance(cast("object", embeddings), Embeddings):
            raise ConfigError(f"embeddings must be LangChain Embeddings, not {type(embeddings).__name__!r}")
        documents, query, known_as = host_functions(embeddings)
        super().__init__(documents, embed_query=query, name=name or known_as, dimension=dimension)


class MemoryOSEmbeddings(Embeddings):
    """An embedder of the core as LangChain embeddings, for a vector store beside the memory, say.

    `embedder` is what `MemoryOS` takes: "auto", "local", "openai:MODEL", a function, or an embedder. Vectors have
    length one. The coroutines run in LangChain's executor.

    Example:
        ```python
        from memoryos_langchain import MemoryOSEmbeddings

        print(len(MemoryOSEmbeddings("terms").embed_query("tea")))
        ```

    Raises:
        ConfigError: there is no such embedder.
        MissingExtraError: what `embedder` names is not installed.
        ModelError: when asked; the embedder failed.
    """

    def __init__(self, embedder: EmbedderSpec = "auto") -> None:
        self._embedder = open_embedder(embedder)

    @property
    def model_name(self) -> str:
        """The embedder's name: two objects of one name give the same vectors."""
        return self._embedder.name

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """One vector a text."""
        return [[float(x) for x in row] for row in self._embedder.embed_documents(texts)]

    def embed_query(self, text: str) -> list[float]:
        """The vector of a question."""
        return [float(x) for x in self._embedder.embed_query(text)]
