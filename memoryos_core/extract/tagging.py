"""Spans in which people say something about themselves, marked by a small transformer that we trained (ADR 0049).

For each word: what it is the value of ("Dayton" is a home), whether that holds now, is over or is yet to come, and
whether it stands in a wish for all answers or takes one back. `benchmarks.tagging` makes the weights.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from memoryos_core.extract.word_tokens import (
    Token,
    Vocabulary,
    classes_among,
    own_tokens,
    read_classes,
    shape_of,
)
from memoryos_core.ports.forks import Lock

Floats: TypeAlias = NDArray[np.float32]
Status: TypeAlias = Literal["now", "no", "next"]

_LABELS_TEXT = """nothing name age birthday home origin job employer school studies partner child pet animal allergy
    condition medication diet vehicle language hobby"""
LABELS = tuple(_LABELS_TEXT.split())
STATUSES: tuple[Status, ...] = ("now", "no", "next")
WISHES = ("other", "wish", "lifted")
MODEL = Path(__file__).with_name("tagging.npz")
LAYERS, HEADS, NORM = 3, 12, 1e-12
_HIGHEST = 127
# Of matrices this small several threads of BLAS wait for each other: on a busy machine a hundred times as long. Their
# number is the process's, so one text is read at a time.
_ALONE = Lock()
_LEAST_WISH, _LIKELIEST = 0.85, 3
_LEAST_WISH_ALONE = 0.65  # what is all that somebody says is for no task


@dataclass(frozen=True, slots=True)
class Span:
    """A value that somebody gives of themselves: `text` is that of `label`.

    `sure` is how likely the label is, `held` how likely the status; both up to 1.
    """

    label: str
    status: Status
    text: str
    start: int
    end: int
    sure: float
    held: float


@dataclass(frozen=True, slots=True)
class Reading:
    """Likelihoods of each token of a text, a row each: of its labels, its statuses, and of being in a wish."""

    tokens: tuple[Token, ...]
    labels: Floats
    statuses: Floats
    wishes: Floats


def quantise(weights: Floats) -> tuple[NDArray[np.int8], NDArray[np.float16]]:
    """Return weights as whole numbers up to 127 and what each row is to be multiplied with, shape (rows, 1)."""
    scale = np.maximum(np.abs(weights).max(axis=1, keepdims=True) / _HIGHEST, 1e-6).astype(np.float16)
    return np.rint(weights / scale.astype(np.float32)).clip(-_HIGHEST, _HIGHEST).astype(np.int8), scale


class Tagger:
    """A transformer over words: the vector of a word is the mean of those of its pieces, with its shape and classes.

    The file has matrices as whole numbers, a scale for each row; vectors of pieces stay so in memory. Matrices have the
    shape (outputs, inputs), as they are trained.
    """

    def __init__(self, stored: Mapping[str, NDArray[Any]]) -> None:
        self.classes = read_classes(_lines_of(stored["classes"]))
        self._class_names = {name: place for place, name in enumerate(_lines_of(stored["class_names"]))}
        self._vocabulary = Vocabulary(_lines_of(stored["pieces"]))
        self._pieces: NDArray[np.int8] = stored["pieces_8"]
        self._scales: NDArray[np.float16] = stored["pieces_scale"]
        self._weights: dict[str, Floats] = {}
        from threadpoolctl import ThreadpoolController  # noqa: PLC0415 - reads a setting when it is imported

        self._limit: Callable[..., AbstractContextManager[object]] = ThreadpoolController().limit  # pyright: ignore[reportUnknownMemberType]
        for name, value in stored.items():
            if name.endswith("_8") and name != "pieces_8":
                scale = stored[f"{name.removesuffix('_8')}_scale"].astype(np.float32)
                matrix: Floats = value.astype(np.float32) * scale
                self._weights[name.removesuffix("_8")] = np.ascontiguousarray(np.transpose(matrix))
            elif value.dtype == np.float32:
                self._weights[name] = np.asarray(value, dtype=np.float32)

    def read(self, tokens: Sequence[Token]) -> Reading:
        """Return what is likely of each token; there is at least one."""
        with _ALONE, self._limit(limits=1, user_api="blas"):
            return self._compute(tokens)

    def _compute(self, tokens: Sequence[Token]) -> Reading:
        states = self._norm(self._vectors_of(tokens), "first")
        for layer in range(LAYERS):
            states = self._norm(states + self._attend(states, layer), f"{layer}.attended")
            inner = _gelu(self._linear(states, f"{layer}.inner"))
            states = self._norm(states + self._linear(inner, f"{layer}.outer"), f"{layer}.done")
        heads = [_shares(self._linear(states, head)) for head in ("label", "status", "wish")]
        return Reading(tuple(tokens), *heads)

    def _vectors_of(self, tokens: Sequence[Token]) -> Floats:
        vectors = np.zeros((len(tokens), self._pieces.shape[1]), dtype=np.float32)
        classes = np.zeros((len(tokens), len(self._class_names)), dtype=np.float32)
        for at, token in enumerate(tokens):
            if numbers := list(self._vocabulary.pieces_of(token.text)):
                vectors[at] = np.mean(self._pieces[numbers] * self._scales[numbers].astype(np.float32), axis=0)
            for name in classes_among(token.text.lower(), self.classes):
                classes[at, self._class_names[name]] = 1.0
        shapes = [shape_of(token.text) for token in tokens]
        known = self._weights
        of_classes: Floats = classes @ known["class"]
        return self._linear(vectors, "up") + of_classes + known["shape"][shapes] + known["place"][: len(tokens)]

    def _linear(self, states: Floats, name: str) -> Floats:
        out: Floats = states @ self._weights[name] + self._weights[f"{name}.bias"]
        return out

    def _norm(self, states: Floats, name: str) -> Floats:
        centred: Floats = states - np.mean(states, axis=1, keepdims=True)
        spread: Floats = np.sqrt(np.mean(centred * centred, axis=1, keepdims=True) + np.float32(NORM))
        return centred / spread * self._weights[f"{name}.scale"] + self._weights[f"{name}.bias"]

    def _attend(self, states: Floats, layer: int) -> Floats:
        words, width = len(states), len(self._weights[f"{layer}.mixed"])
        shape = (words, 3, HEADS, width // HEADS)
        # Of each head what a word asks for, what it answers to and what it tells: (3, heads, words, width of a head).
        three: Floats = np.transpose(np.reshape(self._linear(states, f"{layer}.attention"), shape), (1, 2, 0, 3))
        scores: Floats = three[0] @ np.swapaxes(three[1], 1, 2) / np.float32(np.sqrt(width // HEADS))
        told: Floats = np.transpose(_shares(scores) @ three[2], (1, 0, 2))
        return self._linear(np.reshape(told, (words, width)), f"{layer}.mixed")


def _lines_of(stored: NDArray[Any]) -> list[str]:
    return stored.tobytes().decode("utf-8").split("\n")


def _gelu(values: Floats) -> Floats:
    cubes: Floats = values * values * values * np.float32(0.044715)
    bent: Floats = (values + cubes) * np.float32(0.7978845608)
    np.tanh(bent, out=bent)
    out: Floats = values * (bent + np.float32(1)) * np.float32(0.5)
    return out


def _shares(scores: Floats) -> Floats:
    shares: Floats = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    total: Floats = np.sum(shares, axis=-1, keepdims=True)
    return shares / total


@lru_cache(maxsize=1)
def tagger() -> Tagger:
    """Return the tagger that comes with the package; its weights are read when they are first asked for."""
    with np.load(MODEL) as stored:
        return Tagger({name: stored[name] for name in stored.files})


@lru_cache(maxsize=256)
def read_text(text: str) -> Reading | None:
    """Return what is likely of the words of a text that are read; None where there are none."""
    tokens = own_tokens(text)
    return tagger().read(tokens) if tokens else None


def find_spans(text: str, least: float) -> tuple[Span, ...]:
    """Return what a text says about its speaker, in order; each span at least as sure as `least`."""
    reading = read_text(text)
    return () if reading is None else tuple(span for span in spans_of(text, reading) if span.sure >= least)


def spans_of(text: str, reading: Reading) -> Iterator[Span]:
    """Yield the spans that a reading of a text comes to, in order: runs of tokens of one label."""
    best: list[int] = np.argmax(reading.labels, axis=1).tolist()
    for first, last in _runs(best):
        if not best[first]:
            continue
        statuses = reading.statuses[first:last].mean(axis=0)
        status = int(statuses.argmax())
        start, end = reading.tokens[first].start, reading.tokens[last - 1].end
        sure = float(reading.labels[first:last, best[first]].min())
        yield Span(LABELS[best[first]], STATUSES[status], text[start:end], start, end, sure, float(statuses[status]))


def is_wish(sentence: str, text: str) -> bool:
    """Return whether a sentence of a text tells an assistant how to answer from now on."""
    return _wish_in(text, sentence)["wish"] >= _least_for(sentence, text)


def lifts_wish(sentence: str, text: str) -> bool:
    """Return whether a sentence of a text takes back how an assistant was to answer."""
    return _wish_in(text, sentence)["lifted"] >= _least_for(sentence, text)


def _least_for(sentence: str, text: str) -> float:
    return _LEAST_WISH_ALONE if sentence == text.strip() else _LEAST_WISH


def _wish_in(text: str, sentence: str) -> Mapping[str, float]:
    """Return how likely a sentence is a wish, takes one back, or is neither: the mean of its likeliest words."""
    reading, start = read_text(text), text.find(sentence)
    end = start + len(sentence)
    inside = [
        at
        for at, token in enumerate(reading.tokens if reading is not None else ())
        if start <= token.start and token.end <= end and token.text[0].isalnum()
    ]
    if reading is None or start < 0 or not inside:
        return {"other": 1.0, "wish": 0.0, "lifted": 0.0} if text == sentence else _wish_in(sentence, sentence)
    likeliest: Floats = np.sort(reading.wishes[inside], axis=0)[-_LIKELIEST:]
    shares: list[float] = np.mean(likeliest, axis=0).tolist()
    return dict(zip(WISHES, shares, strict=True))


def _runs(labels: Sequence[int]) -> Iterator[tuple[int, int]]:
    first = 0
    for at in range(1, len(labels) + 1):
        if at == len(labels) or labels[at] != labels[first]:
            yield first, at
            first = at


def classes_of(word: str) -> tuple[str, ...]:
    """Return the classes of a word, by the lists or by its ending: "drug", "name", "place"."""
    return classes_among(word.lower(), tagger().classes)
