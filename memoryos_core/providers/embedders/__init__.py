"""Embedders by name, and those that need no package. Nothing is loaded before it is asked for, nothing downloaded.

Without a package: the caller's own function, or an object of a host such as LangChain's `Embeddings`; a stand-in for
the embedder of a store that is not loaded in this process; and vectors without a model, shared words, hashed.
"""

from __future__ import annotations

import logging
import zlib
from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from memoryos_core.config.validation import brief
from memoryos_core.errors import ConfigError, MissingExtraError, ModelError
from memoryos_core.ports import Embedder
from memoryos_core.ports.forks import Lock
from memoryos_core.ports.models import ForeignErrors
from memoryos_core.providers.embedders.weights import normalise_rows
from memoryos_core.rules.text.words import terms
from memoryos_core.values.dialogue import Vector

__all__ = [
    "AbsentEmbedder",
    "CallableEmbedder",
    "EmbedderSpec",
    "TermEmbedder",
    "close_embedder",
    "host_functions",
    "is_host",
    "open_embedder",
]

# Methods that embed documents and questions: LangChain's names and LlamaIndex's.
_HOSTS = (("embed_documents", "embed_query"), ("get_text_embedding_batch", "get_query_embedding"))
_UNNAMED = "unknown"  # LlamaIndex's word for an embedding without a model


class CallableEmbedder:
    """Wraps a function from a list of texts to vectors; `embed_query` when questions embed differently.

    Without `dimension` it comes from the first answer; reading it earlier embeds one word. Vectors are normalised here,
    and an answer of another shape, or with nan or infinity, is a ModelError. `name` is what the store records:
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
        self._probing = Lock()

    @classmethod
    def of_host(cls, host: object) -> CallableEmbedder:
        """Wrap a host's embeddings, see `host_functions`."""
        documents, query, name = host_functions(host)
        return cls(documents, embed_query=query, name=name)

    @property
    def name(self) -> str:
        """Name that the store records."""
        return self._name

    @property
    def semantic(self) -> bool:
        """True when closeness means more than shared words."""
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
        return self._check_answer(answer, len(texts))

    def embed_query(self, text: str) -> Vector:
        """One vector of shape (dimension,). Raises ModelError."""
        if self._query is None:
            rows = self.embed_documents([text])
        else:
            with ForeignErrors(f"embedder {self._name!r}"):
                answer = self._query(text)
            rows = self._check_answer([answer], 1)
        vector: Vector = rows[0]
        return vector

    def _check_answer(self, answer: object, rows: int) -> NDArray[np.float32]:
        vectors = normalise_rows(answer, rows, self._dimension, f"embedder {self._name!r}")
        self._dimension = vectors.shape[1]
        return vectors


def is_host(embedder: object) -> bool:
    """Return True for an object with the methods of LangChain's `Embeddings` or LlamaIndex's `BaseEmbedding`."""
    return any(all(hasattr(embedder, name) for name in names) for names in _HOSTS)


def host_functions(host: object) -> tuple[Callable[[list[str]], object], Callable[[str], object], str]:
    """Return the document function, the question function and the name (class and model) of a host's object.

    Halves of surrogate pairs are replaced and an empty text is sent as a space, since servers refuse both.
    """
    methods = cast("Any", host)
    names = next(names for names in _HOSTS if all(hasattr(host, name) for name in names))
    documents, query = (getattr(methods, name) for name in names)
    models = (getattr(host, field, None) for field in ("model", "model_name", "model_id"))
    model = next((m for m in models if isinstance(m, str) and m and m != _UNNAMED), None)
    return (
        lambda texts: documents([_sendable(text) for text in texts]),
        lambda text: query(_sendable(text)),
        type(host).__name__ + (f":{model}" if model else ""),
    )


def _sendable(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8") or " "


def _name_of(function: object) -> str:
    return str(getattr(function, "__name__", type(function).__name__))


class AbsentEmbedder:
    """Has the name and the dimension of another embedder and embeds nothing.

    Questions are compared by words only. New pages wait for a process that has the embedder.
    """

    semantic = False

    def __init__(self, name: str, dimension: int) -> None:
        self.name = name
        self.dimension = dimension

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Raise ModelError."""
        raise ModelError(f"the embedder {self.name!r} is not loaded in this process; pass it to MemoryOS(embedder=…)")

    def embed_query(self, text: str) -> Vector:
        """Raise ModelError."""
        raise ModelError(f"the embedder {self.name!r} is not loaded in this process; pass it to MemoryOS(embedder=…)")


_MOST_CHARACTERS = 100_000


class TermEmbedder:
    """Stemmed terms hashed to `dimension` signed cells, square root of the count, L2-normalised.

    The hash is CRC-32, so vectors are the same on every machine and in every process. Each term adds or subtracts, so
    that terms which share a cell cancel on average: two texts without a common term have a cosine near zero however
    long they are. A text without any term has no direction and is the zero vector. Only the first 100,000 characters
    are read.
    """

    semantic = False

    def __init__(self, dimension: int = 256) -> None:
        if dimension < 1:
            raise ConfigError(f"dimension={dimension!r} is not allowed: it must be a whole number, 1 or more")
        self._dimension = dimension

    @property
    def name(self) -> str:
        """The hashing and its width: vectors of another width do not compare."""
        return f"terms-{self._dimension}"

    @property
    def dimension(self) -> int:
        """Number of cells."""
        return self._dimension

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of shape (len(texts), dimension)."""
        out = np.zeros((len(texts), self._dimension), dtype=np.float32)
        for row, text in zip(out, texts, strict=True):
            self._fill(row, text)
        return out

    def embed_query(self, text: str) -> Vector:
        """One vector of shape (dimension,), the same as for a document."""
        vector: Vector = self.embed_documents([text])[0]
        return vector

    def _fill(self, row: Vector, text: str) -> None:
        counts = Counter(terms(text[:_MOST_CHARACTERS]))
        if not counts:
            return
        hashes = np.fromiter((zlib.crc32(t.encode("utf-8", "replace")) for t in counts), np.int64, len(counts))
        weights = np.sqrt(np.fromiter(counts.values(), np.float32, len(counts)))
        # The top bit signs and the rest picks the cell, so sign and cell are independent.
        signs = np.where(hashes >> 31, np.float32(1), np.float32(-1))
        np.add.at(row, (hashes & 0x7FFFFFFF) % self._dimension, weights * signs)
        length = float(np.linalg.norm(row))
        if length > 0:
            row /= length


EmbedderSpec: TypeAlias = Embedder | str | Callable[[list[str]], object] | None

_LOGGER = logging.getLogger(__name__)
_KNOWN = "'auto', 'terms', 'local', 'local:/path/to/weights' or 'openai:MODEL'"


def open_embedder(spec: EmbedderSpec) -> Embedder:
    """An embedder by name, or the caller's own.

    Args:
        spec: "auto" for the local model when it is installed, else shared words only (logged once);
            None or "terms" for shared words; "local" for the installed MiniLM; "local:/path" for a folder or file of
            ONNX weights; "openai:MODEL" for OpenAI's endpoint (others: construct `OpenAIEmbedder` with `base_url`);
            a function from a list of texts to vectors; LangChain's or LlamaIndex's embeddings, or an object like them.

    Raises:
        ConfigError: the name is unknown, or the files it names are not there.
        MissingExtraError: what was asked for by name is not installed.
    """
    if spec is None:
        return TermEmbedder()
    if isinstance(spec, str):
        return _by_name(spec)
    if isinstance(spec, type):
        raise ConfigError(f"embedder is the class {spec.__name__!r}: give an instance of it")
    if is_host(spec):
        # Look it up on the class: reading `dimension` of an instance may embed a text.
        ours = all(hasattr(type(spec), name) or name in vars(spec) for name in ("name", "dimension", "semantic"))
        return cast("Embedder", spec) if ours else CallableEmbedder.of_host(spec)
    if callable(spec):
        return CallableEmbedder(spec)
    raise ConfigError(f"embedder is {type(spec).__name__!r}: give a function, an embedder, or {_KNOWN}")


def close_embedder(embedder: Embedder) -> None:
    """Free what an embedder holds, if anything: the memory of a local model, the connections of a remote one."""
    close = getattr(embedder, "close", None)
    if close is not None:
        close()


def _by_name(spec: str) -> Embedder:
    kind, _, rest = spec.partition(":")
    if spec == "terms":
        return TermEmbedder()
    if spec == "auto":
        return _automatic()
    if kind == "local" and (rest or spec == "local"):
        return _local(rest or None)
    if kind == "openai" and rest:
        from memoryos_core.providers.embedders.openai import OpenAIEmbedder

        return OpenAIEmbedder(rest)
    raise ConfigError(f"embedder {brief(spec)} is not known: use {_KNOWN}")


def _automatic() -> Embedder:
    try:
        return _local(None)
    except MissingExtraError as missing:
        _say_lexical_only(missing.package)
        return TermEmbedder()


def _local(path: str | None) -> Embedder:
    from memoryos_core.providers.embedders.runtime import OnnxEmbedder

    return OnnxEmbedder(path)


@lru_cache(maxsize=1)
def _say_lexical_only(package: str) -> None:
    """Log the warning; cached, so that it appears once per process."""
    _LOGGER.info("%s is not installed: recall is by words only; memoryos-tiered[local] adds meaning", package)
