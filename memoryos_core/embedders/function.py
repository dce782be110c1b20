"""The caller's own embedder: a function, or an object of a host such as LangChain's `Embeddings`."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from memoryos_core.embedders.shaping import normalised
from memoryos_core.errors import ConfigError
from memoryos_core.foreign import ForeignErrors
from memoryos_core.models import Vector


class CallableEmbedder:
    """Wraps a function from a list of texts to vectors; `embed_query` when questions embed differently.

    Without `dimension` the first answer tells it; asking for it before embeds one word. Vectors are normalised here,
    and an answer of another shape, or with a number that is none, is a ModelError. `name` is what the store remembers:
    give another name when you change the model behind the function.
    """

    def __init__(
        self,
        embed_documents: Callable[[list[str]], object],
        *,
        embed_query: Callable[[str], object] | None = None,
        name: str | None = None,
        dimension: int | None = None,
        semantic: bool = True,
    ) -> None:
        if not callable(embed_documents):
            raise ConfigError(f"an embedder must be callable, not {type(embed_documents).__name__!r}")
        self._documents = embed_documents
        self._query = embed_query
        self._name = name or _name_of(embed_documents)
        self._dimension = dimension
        self._semantic = semantic
        self._probing = threading.Lock()

    @classmethod
    def of_host(cls, host: object) -> CallableEmbedder:
        """Wraps an object with `embed_documents` and `embed_query`; named after its class and its model."""
        methods = cast("Any", host)
        models = (getattr(host, field, None) for field in ("model", "model_name", "model_id"))
        model = next((m for m in models if isinstance(m, str) and m), None)
        name = type(host).__name__ + (f":{model}" if model else "")
        return cls(methods.embed_documents, embed_query=methods.embed_query, name=name)

    @property
    def name(self) -> str:
        """What the store remembers."""
        return self._name

    @property
    def semantic(self) -> bool:
        """Whether closeness means more than shared words."""
        return self._semantic

    @property
    def dimension(self) -> int:
        """The width of a vector; embeds one word when nothing was embedded before. Raises ModelError."""
        if self._dimension is None:
            with self._probing:
                if self._dimension is None:
                    self.embed_documents(["dimension"])
        return cast("int", self._dimension)

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of shape (len(texts), dimension). Raises ModelError."""
        if not texts:
            return np.empty((0, self.dimension), np.float32)
        with ForeignErrors(f"embedder {self._name!r}"):
            answer = self._documents(list(texts))
        return self._checked(answer, len(texts))

    def embed_query(self, text: str) -> Vector:
        """One vector of shape (dimension,). Raises ModelError."""
        if self._query is None:
            rows = self.embed_documents([text])
        else:
            with ForeignErrors(f"embedder {self._name!r}"):
                answer = self._query(text)
            rows = self._checked([answer], 1)
        vector: Vector = rows[0]
        return vector

    def _checked(self, answer: object, rows: int) -> NDArray[np.float32]:
        vectors = normalised(answer, rows, self._dimension, f"embedder {self._name!r}")
        self._dimension = vectors.shape[1]
        return vectors


def _name_of(function: object) -> str:
    return str(getattr(function, "__name__", type(function).__name__))
