"""Embeddings over HTTP from any endpoint that speaks OpenAI's protocol."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from memoryos_core.errors import ModelError
from memoryos_core.ports.forks import Lock
from memoryos_core.ports.models import ForeignErrors
from memoryos_core.ports.optional_imports import open_openai
from memoryos_core.providers.embedders.weights import normalise_rows, readable
from memoryos_core.values.dialogue import Vector

# Upper limit of one request in bytes: the endpoint's own limit is in tokens, and a token is at least one byte.
_MOST_BYTES_PER_REQUEST = 250_000


@dataclass(frozen=True, slots=True)
class EmbeddingOptions:
    """Options of requests. The prefixes are put before questions and documents, for models trained with them.

    `timeout_seconds` bounds each try and `max_retries` the tries after the first. Texts are cut at `max_bytes` of
    UTF-8, since a longer one is refused. `shorten_to` asks the endpoint for vectors of that width.
    """

    timeout_seconds: float = 30.0
    max_retries: int = 2
    batch_size: int = 128
    max_bytes: int = 8000
    query_prefix: str = ""
    document_prefix: str = ""
    shorten_to: int | None = None


class OpenAIEmbedder:
    """Texts to vectors with a model behind `base_url` (OpenAI's own without it).

    Without `dimension` it comes from the first answer; reading it earlier embeds one word. With a `base_url` and no key
    a placeholder is sent, so that a key meant for OpenAI never reaches another host.

    Raises:
        ConfigError: there is no key, neither given nor in OPENAI_API_KEY.
        MissingExtraError: the openai package is absent.
    """

    semantic = True

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        dimension: int | None = None,
        options: EmbeddingOptions | None = None,
    ) -> None:
        self._options = options or EmbeddingOptions()
        self._model = model
        self._dimension = dimension or self._options.shorten_to
        client = open_openai(
            base_url=base_url,
            api_key=api_key,
            timeout=self._options.timeout_seconds,
            max_retries=self._options.max_retries,
        )
        # What the environment held when this was made is kept: it may be another one when a closed one is asked again.
        self._open_again = partial(
            open_openai,
            base_url=str(client.base_url),
            api_key=client.api_key,
            timeout=self._options.timeout_seconds,
            max_retries=self._options.max_retries,
        )
        self._client: Any = client
        self._lock = Lock()

    @property
    def name(self) -> str:
        """The model, with the width and the documents' prefix when set: each changes the vectors."""
        prefix = self._options.document_prefix.strip()
        width = f"@{self._options.shorten_to}" if self._options.shorten_to else ""
        return f"openai:{self._model}{width}" + (f"|{prefix}" if prefix else "")

    @property
    def dimension(self) -> int:
        """The width of a vector; asks the endpoint when nothing was embedded before. Raises ModelError."""
        if self._dimension is None:
            self.embed_query("dimension")
        return cast("int", self._dimension)

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of shape (len(texts), dimension). Raises ModelError."""
        return self._embed([self._input_text(self._options.document_prefix, text) for text in texts])

    def embed_query(self, text: str) -> Vector:
        """One vector of shape (dimension,). Raises ModelError."""
        vector: Vector = self._embed([self._input_text(self._options.query_prefix, text)])[0]
        return vector

    def close(self) -> None:
        """Close the connections to the endpoint; the next text opens one again. Idempotent."""
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            client.close()

    def _open(self) -> Any:  # noqa: ANN401 - a client of the openai package
        with self._lock:
            if self._client is None:
                self._client = self._open_again()
            return self._client

    def _input_text(self, prefix: str, text: str) -> str:
        whole = readable(prefix + text, self._options.max_bytes).encode()[: self._options.max_bytes]
        # A cut may fall inside a character; an empty input is refused by some endpoints.
        return whole.decode("utf-8", "ignore") or " "

    def _embed(self, texts: list[str]) -> NDArray[np.float32]:
        if not texts:
            return np.empty((0, self.dimension), dtype=np.float32)
        return np.concatenate([self._ask(batch) for batch in self._batches(texts)])

    def _batches(self, texts: list[str]) -> Iterator[list[str]]:
        batch: list[str] = []
        size = 0
        for text in texts:
            length = len(text.encode())
            if batch and (len(batch) == self._options.batch_size or size + length > _MOST_BYTES_PER_REQUEST):
                yield batch
                batch, size = [], 0
            batch.append(text)
            size += length
        yield batch

    def _ask(self, batch: list[str]) -> NDArray[np.float32]:
        who = f"embedder {self.name!r}"
        width = {"dimensions": self._options.shorten_to} if self._options.shorten_to else {}
        with ForeignErrors(who):
            answer = self._open().embeddings.create(model=self._model, input=batch, encoding_format="float", **width)
        vectors = normalise_rows(_rows(answer, who), len(batch), self._dimension, who)
        self._dimension = vectors.shape[1]
        return vectors


def _rows(answer: Any, who: str) -> list[Any]:  # noqa: ANN401 - a server may send anything
    """Return the vectors in the order of the texts; servers may reorder them."""
    data = getattr(answer, "data", None)
    if not isinstance(data, list):
        raise ModelError(f"{who} answered without a list of vectors", transient=False)
    items = cast("list[object]", data)
    rows = {getattr(item, "index", None): getattr(item, "embedding", None) for item in items}
    if set(rows) != set(range(len(items))):
        raise ModelError(f"{who} answered with vectors that do not say which text they belong to", transient=False)
    return [rows[number] for number in range(len(items))]
