"""Learned sparse encodings on this machine: an ONNX encoder that weighs the terms of its vocabulary, no network."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from memoryos_core.errors import ModelError
from memoryos_core.ports import SparseVector
from memoryos_core.ports.model_errors import ForeignErrors
from memoryos_core.providers.embedders.runtime import Encoder, OnnxOptions, SharedEncoder, batches, require_runtime
from memoryos_core.providers.embedders.shaping import readable
from memoryos_core.providers.embedders.weights import weights_at

# Every token takes a row of the whole vocabulary, so a batch is bounded by its tokens: these take 125 MB.
_TOKENS_AT_ONCE = 1024
_NOTHING: SparseVector = (np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.float32))


class SpladeEncoder:
    """Implements `ports.SparseEncoder` with SPLADE weights.

    A term weighs log(1 + relu(logit)) of a masked language model, the largest over all tokens of the text (Formal et
    al., SPLADE v2, 2021). `path` names a folder with `tokenizer.json` and `model.onnx`, whose output is pooled, of
    shape (texts, vocabulary); no weights come with this package. They are loaded at the first text. Texts may be of
    any length: only the first `max_tokens` are read.

    Its output is not stored: the first question about a scope in a process encodes the whole scope, which
    takes SPLADE-tiny (4 million parameters, int8) 4 ms a text on two busy cores, 85 s for 10,000 pages.

    Raises:
        ConfigError: the files are not there.
        MissingExtraError: onnxruntime or tokenizers are absent.
    """

    def __init__(self, path: str | Path, *, options: OnnxOptions | None = None) -> None:
        require_runtime()
        self._weights = weights_at(path)
        self._options = options or OnnxOptions()
        self._encoder = SharedEncoder(self._weights, self._options)

    @property
    def name(self) -> str:
        """The weights."""
        return self._weights.name

    def encode_documents(self, texts: Sequence[str]) -> list[SparseVector]:
        """The terms of each text. Raises ModelError."""
        return self._encode(texts, self._options.document_prefix)

    def encode_query(self, text: str) -> SparseVector:
        """The terms of a question. Raises ModelError."""
        return self._encode([text], self._options.query_prefix)[0]

    def close(self) -> None:
        """Free the memory that the weights take; the next text loads them again. Idempotent."""
        self._encoder.release()

    def _encode(self, texts: Sequence[str], prefix: str) -> list[SparseVector]:
        read = [prefix + readable(text, self._options.most_characters) for text in texts]
        if not read:
            return []
        encoder = self._encoder.get()
        with ForeignErrors(f"encoder {self.name!r}"):
            return self._terms(encoder, encoder.encode(read))

    def _terms(self, encoder: Encoder, rows: list[list[int]]) -> list[SparseVector]:
        # A text without any token has no terms.
        found: dict[int, SparseVector] = dict.fromkeys(range(len(rows)), _NOTHING)
        read = [i for i, row in enumerate(rows) if row]
        limits = {"most_tokens": _TOKENS_AT_ONCE, "most_rows": self._options.batch_size}
        for positions in batches([rows[i] for i in read], **limits):
            picked = [read[position] for position in positions]
            weights, mask = encoder.states([rows[i] for i in picked])
            if weights.ndim != mask.ndim or not np.isfinite(weights).all():
                raise ModelError(
                    f"encoder {self.name!r} answered in the shape {weights.shape}, or with no finite numbers: its "
                    "model must give one row of weights a text",
                    transient=False,
                )
            for i, row in zip(picked, weights, strict=True):
                terms = np.flatnonzero(row > 0)
                found[i] = terms.astype(np.int32), row[terms].astype(np.float32)
        return [found[i] for i in range(len(rows))]
