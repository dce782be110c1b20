"""The terms of a learned sparse encoder for one scope: postings as of words, scored by the dot product."""

from __future__ import annotations

import logging
from array import array
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from memoryos_core.errors import MemoryOSError, ModelError
from memoryos_core.ports import SparseEncoder, SparseVector
from memoryos_core.ports.model_errors import ForeignErrors
from memoryos_core.recall.index.columns import Column
from memoryos_core.values.candidates import Near

_log = logging.getLogger(__name__)

# Postings of removed texts are passed over when scoring; beyond this share of them one pass clears them out.
_DEAD_SHARE = 0.25
_DEAD_LEAST = 256


class SparseIndex:
    """Weighted terms by small integer ids. Not thread-safe: the lock of its scope protects it.

    As in `BM25Index` a text has a number that is not used again before a compaction, so that removing one leaves its
    postings alone.
    """

    def __init__(self) -> None:
        self._postings: dict[int, tuple[array[int], array[float]]] = {}  # term -> texts, and its weight in each
        self._id_of_text = Column(np.int32(-1))  # -1: removed
        self._text_of_id: dict[int, int] = {}

    def __len__(self) -> int:
        """Return the number of ids."""
        return len(self._text_of_id)

    def add(self, id: int, vector: SparseVector) -> None:
        """Set the terms of an id, instead of those it had."""
        self.remove(id)
        text = len(self._id_of_text)
        self._id_of_text.resize(text + 1)
        self._id_of_text.values[text] = id
        self._text_of_id[id] = text
        for term, weight in zip(*(column.tolist() for column in vector), strict=True):
            held = self._postings.get(term)
            if held is None:
                held = self._postings[term] = array("I"), array("f")
            held[0].append(text)
            held[1].append(weight)

    def remove(self, id: int) -> None:
        """Remove an id; an unknown one is ignored."""
        text = self._text_of_id.pop(id, None)
        if text is None:
            return
        self._id_of_text.values[text] = -1
        dead = len(self._id_of_text) - len(self)
        if dead > _DEAD_LEAST and dead > _DEAD_SHARE * len(self._id_of_text):
            self._compact()

    def _compact(self) -> None:
        live = self._id_of_text.values >= 0
        number = np.cumsum(live, dtype=np.uint32) - np.uint32(1)
        for term, (texts, weights) in tuple(self._postings.items()):
            kept = live[np.array(texts)]
            if not kept.any():
                del self._postings[term]
                continue
            renumbered, left = number[np.array(texts)[kept]], np.array(weights)[kept]
            self._postings[term] = array("I", renumbered.tobytes()), array("f", left.tobytes())
        ids = self._id_of_text.values[live]
        self._id_of_text.resize(len(ids))
        self._id_of_text.values[:] = ids
        self._text_of_id = {id_: text for text, id_ in enumerate(ids.tolist())}

    def scores(self, asked: SparseVector, size: int, near: Sequence[Near] = ()) -> NDArray[np.float32]:
        """The dot product with every id below `size`, of shape (size,); 0 where no term is shared.

        With `near` an id also gets what each near one has, by its weight: a remark is known by what it answers.
        """
        by_text = np.zeros(len(self._id_of_text), dtype=np.float32)
        for term, weight in zip(*(column.tolist() for column in asked), strict=True):
            held = self._postings.get(term)
            if held is not None:
                # Copies, not views: a view that outlives an interrupted query would forbid the array to grow.
                by_text[np.array(held[0])] += np.float32(weight) * np.array(held[1])
        ids, own = self._id_of_text.values, np.zeros(size + 1, dtype=np.float32)  # the last is what -1, nobody, lends
        own[ids[ids >= 0]] = by_text[ids >= 0]
        out = np.array(own[:-1], dtype=np.float32)
        for others in near:
            np.add(out, others.weight * own[others.ids[:size]], out=out)
        return out


def asked_of(encoder: SparseEncoder, query: str) -> SparseVector | None:
    """The terms of a question; None, told to the log, when the encoder fails."""
    try:
        with ForeignErrors("the sparse encoder"):
            return _check_vector(encoder.encode_query(query))
    except MemoryOSError as error:
        _log.warning("the sparse encoder failed (%s): recall goes on without it", type(error).__name__)
        return None


def encoded_by(encoder: SparseEncoder, texts: Sequence[str]) -> list[SparseVector] | None:
    """The terms of each text; None, told to the log, when the encoder fails."""
    try:
        with ForeignErrors("the sparse encoder"):
            found = encoder.encode_documents(texts)
            return [_check_vector(vector) for _, vector in zip(texts, found, strict=True)]
    except MemoryOSError as error:
        _log.warning(
            "the sparse encoder failed (%s): %d text(s) have no sparse terms", type(error).__name__, len(texts)
        )
        return None


def _check_vector(vector: SparseVector) -> SparseVector:
    terms, weights = np.asarray(vector[0], dtype=np.int32), np.asarray(vector[1], dtype=np.float32)
    if terms.ndim != 1 or terms.shape != weights.shape or not np.isfinite(weights).all():
        raise ModelError("the sparse encoder must return terms and finite weights of equal length", transient=False)
    return terms, weights
