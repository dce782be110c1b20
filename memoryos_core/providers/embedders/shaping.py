"""Input and output of embedders: readable texts, and checked vectors of length one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from memoryos_core.errors import ModelError


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
