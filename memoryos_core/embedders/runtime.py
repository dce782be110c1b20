"""Running an ONNX encoder on this machine: its options, its files, texts in and numbers out. No network."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from memoryos_core.embedders.weights import Weights
from memoryos_core.errors import ConfigError
from memoryos_core.foreign import ForeignErrors, import_optional, require_installed

EXTRA = "local"
_CHARACTERS_PER_TOKEN = 16
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

    @property
    def most_characters(self) -> int:
        """How much of a text is read: a tokenizer would read all of a megabyte before cutting it at `max_tokens`."""
        return self.max_tokens * _CHARACTERS_PER_TOKEN

    def __post_init__(self) -> None:
        for name in ("threads", "max_tokens", "batch_size"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise ConfigError(f"{name}={value!r} is not allowed: it must be a whole number, 1 or more")


@dataclass(frozen=True, slots=True)
class Encoder:
    """What is loaded: the session, its tokenizer, and the names of the inputs it takes."""

    session: Any
    tokenizer: Any
    inputs: frozenset[str]

    def encode(self, texts: Sequence[str]) -> list[list[int]]:
        """The tokens of each text."""
        # One by one: encode_batch starts a thread pool that complains after a fork, and tokenising is 1 % of the work.
        return [self.tokenizer.encode(text).ids for text in texts]

    def run(self, rows: Sequence[list[int]]) -> NDArray[np.float32]:
        """Mean-pooled vectors of shape (len(rows), dimension)."""
        states, mask = self.states(rows)
        if states.ndim == mask.ndim:  # one row a text: the model pools by itself
            return states
        weights = mask.astype(np.float32)
        summed = np.einsum("bsd,bs->bd", states, weights)
        return cast("NDArray[np.float32]", summed / np.maximum(weights.sum(axis=1, keepdims=True), 1))

    def states(self, rows: Sequence[list[int]]) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """What the model says of each row, and the mask, of shape (len(rows), longest row), of what is no padding."""
        width = max(map(len, rows))
        ids = np.zeros((len(rows), width), dtype=np.int64)
        mask = np.zeros_like(ids)
        for number, row in enumerate(rows):
            ids[number, : len(row)] = row
            mask[number, : len(row)] = 1
        fed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        states = self.session.run(None, {name: value for name, value in fed.items() if name in self.inputs})[0]
        return states, mask


def require_runtime() -> None:
    """Raises MissingExtraError while a package that runs encoders is absent; imports none."""
    for package in ("onnxruntime", "tokenizers"):
        require_installed(package, EXTRA)


def load(weights: Weights, options: OnnxOptions) -> Encoder:
    """Read the files. Raises ModelError when they are damaged, MissingExtraError without the packages."""
    # Else its import looks for its maker's host and leaves an id in the home (seen in 1.31). It reads this once.
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    runtime = import_optional("onnxruntime", EXTRA)
    tokenizers = import_optional("tokenizers", EXTRA)
    with ForeignErrors(f"loading {str(weights.model)!r}"):
        weights.verify()
        settings = runtime.SessionOptions()
        settings.intra_op_num_threads = options.threads or min(os.cpu_count() or 1, _MOST_THREADS)
        settings.log_severity_level = 3
        # Idle threads that spin take the cores away from the application around us.
        settings.add_session_config_entry("session.intra_op.allow_spinning", "0")
        session = runtime.InferenceSession(str(weights.model), settings, providers=["CPUExecutionProvider"])
        tokenizer = tokenizers.Tokenizer.from_file(str(weights.tokenizer))
        tokenizer.no_padding()
        tokenizer.enable_truncation(options.max_tokens)
        return Encoder(session, tokenizer, frozenset(i.name for i in session.get_inputs()))
