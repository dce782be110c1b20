"""Spans in which people say something about themselves, marked by small linear models that we trained (ADR 0049).

A chain of labels over the words of a message ("Dayton" is a home), and for each span whether it holds now, is over or
is yet to come; for each sentence whether it is a wish for all answers. The weights are made by `benchmarks.tagging`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from memoryos_core.extract.word_tokens import (
    NEAR,
    SUBJECTS,
    UNREAL,
    Token,
    Words,
    classes_among,
    each_line,
    keys_of,
    normal_form,
    own_tokens,
    read_words,
    sentence_numbers,
    shape_of,
)

Floats: TypeAlias = NDArray[np.float64]
Rows: TypeAlias = Mapping[str, str]
Status: TypeAlias = Literal["now", "no", "next"]

NOTHING = "O"
MODEL = Path(__file__).with_name("tagging.json")
SCALE = 100
"""Weights are whole numbers of hundredths."""


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


def _numbers(listed: str) -> NDArray[np.int16]:
    return np.fromstring(listed, dtype=np.int16, sep=" ")


class LinearModel:
    """Weights of labels by feature: `sizes` says how many of `places` of labels and of `weights` each feature has.

    The file has them as text, a feature on a line and the numbers with blanks: lists of them would take 20 MB to read.
    """

    def __init__(self, labels: Sequence[str], rows: Rows) -> None:
        self.labels = tuple(labels)
        keys = keys_of(each_line(rows["features"]))
        order = np.argsort(keys, kind="stable")
        self._keys = keys[order]
        sizes = _numbers(rows["sizes"]).astype(np.int64)
        starts = np.cumsum(sizes) - sizes
        self._starts, self._sizes = starts[order].astype(np.int32), sizes[order].astype(np.int16)
        self._places, self._weights = _numbers(rows["places"]), _numbers(rows["weights"])

    def score(self, items: Sequence[Iterable[str]]) -> Floats:
        """Return the sums of the weights of the features of each item, shape (items, labels)."""
        named = [[*features] for features in items]
        keys = keys_of([feature for features in named for feature in features])
        found = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        is_known = self._keys[found] == keys
        rows, of_item = found[is_known], np.repeat(np.arange(len(named)), [len(one) for one in named])[is_known]
        sizes = self._sizes[rows].astype(np.int64)
        within: NDArray[np.int64] = np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        at: NDArray[np.int64] = np.repeat(self._starts[rows], sizes) + within
        width = len(self.labels)
        sums = np.bincount(np.repeat(of_item * width, sizes) + self._places[at], self._weights[at], len(named) * width)
        out: Floats = np.reshape(sums.astype(np.float64), (len(named), width)) / SCALE
        return out

    def probabilities(self, features: Iterable[str]) -> dict[str, float]:
        """Return how likely each label is."""
        scores = self.score([features])[0]
        shares = np.exp(scores - scores.max())
        return dict(zip(self.labels, (shares / shares.sum()).tolist(), strict=True))


class Chain(LinearModel):
    """A linear chain over tokens: `moves` are the weights of one label behind another."""

    def __init__(self, labels: Sequence[str], rows: Rows, moves: Sequence[Sequence[int]]) -> None:
        super().__init__(labels, rows)
        self._moves: Floats = np.array(moves, dtype=np.float64) / SCALE

    def likely(self, tokens: Sequence[Iterable[str]]) -> Floats:
        """Return how likely each label of each token is, shape (tokens, labels), by the features of each token."""
        scores = self.score(tokens)
        ahead: Floats = np.array(scores, dtype=np.float64)
        behind: Floats = np.zeros(scores.shape, dtype=np.float64)
        for at in range(1, len(scores)):
            ahead[at] += _sum_of_logs(ahead[at - 1][:, None] + self._moves, axis=0)
        for at in range(len(scores) - 2, -1, -1):
            behind[at] = _sum_of_logs(self._moves + (scores[at + 1] + behind[at + 1])[None, :], axis=1)
        both: Floats = ahead + behind
        shares: Floats = np.exp(both - np.max(both, axis=1, keepdims=True))
        out: Floats = shares / shares.sum(axis=1, keepdims=True)
        return out


def _sum_of_logs(values: Floats, axis: int) -> Floats:
    most = values.max(axis=axis, keepdims=True)
    out: Floats = (np.log(np.exp(values - most).sum(axis=axis, keepdims=True)) + most).squeeze(axis)
    return out


@dataclass(frozen=True, slots=True)
class Models:
    """The contents of the weights' file: the labels of words, the status of spans, and which sentences are wishes."""

    words: Words
    spans: Chain
    statuses: LinearModel
    wishes: LinearModel


@lru_cache(maxsize=1)
def models() -> Models:
    """Return the models that come with the package; they are read when they are first asked for."""
    return models_of(json.loads(MODEL.read_bytes()))


def models_of(read: Mapping[str, Any]) -> Models:
    """Return the models that a weights' file describes."""
    spans, statuses, wishes = read["spans"], read["statuses"], read["wishes"]
    return Models(
        words=read_words(read["classes"], read["groups"]),
        spans=Chain(spans["labels"], spans["rows"], spans["moves"]),
        statuses=LinearModel(statuses["labels"], statuses["rows"]),
        wishes=LinearModel(wishes["labels"], wishes["rows"]),
    )


@lru_cache(maxsize=256)
def find_spans(text: str, least: float) -> tuple[Span, ...]:
    """Return what a text says about its speaker, in order; each span at least as sure as `least`."""
    return mark(text, least, models())


def mark(text: str, least: float, trained: Models) -> tuple[Span, ...]:
    """Return what models find in a text, in order; each span at least as sure as `least`."""
    tokens = own_tokens(text)
    if not tokens:
        return ()
    read = Reading(tokens, trained.words)
    likely = trained.spans.likely([list(read.features_of(at)) for at in range(len(tokens))])
    best = likely.argmax(axis=1)
    out: list[Span] = []
    for first, last in _runs(best.tolist()):
        place = int(best[first])
        label, sure = trained.spans.labels[place], float(likely[first:last, place].min())
        if label == NOTHING or sure < least:
            continue
        statuses = trained.statuses.probabilities(read.features_of_span(first, last, label))
        status = max(statuses, key=lambda one: statuses[one])
        start, end = tokens[first].start, tokens[last - 1].end
        out.append(Span(label, _status(status), text[start:end], start, end, sure, statuses[status]))
    return tuple(out)


def _status(name: str) -> Status:
    return "no" if name == "no" else "next" if name == "next" else "now"


def _runs(labels: Sequence[int]) -> Iterator[tuple[int, int]]:
    first = 0
    for at in range(1, len(labels) + 1):
        if at == len(labels) or labels[at] != labels[first]:
            yield first, at
            first = at


class Reading:
    """The tokens of one message, with what the features of each say."""

    def __init__(self, tokens: Sequence[Token], known: Words) -> None:
        self.words = [normal_form(token.text) for token in tokens]
        self.shapes = [shape_of(token.text) for token in tokens]
        self.classes = [classes_among(word, known.classes) for word in self.words]
        self.groups = known.groups_of(self.words)
        self.wide = [str(group[0]) if group else "x" for group in self.groups]
        self.sentences = sentence_numbers(self.words)
        self.bags: dict[int, set[str]] = {}
        for word, sentence in zip(self.words, self.sentences, strict=True):
            self.bags.setdefault(sentence, set()).add(word)
        self.subjects = self._subjects()

    def _subjects(self) -> list[str]:
        """Return for each token whom its sentence spoke of last before it."""
        out: list[str] = []
        subject = ""
        for at, word in enumerate(self.words):
            if self._opens(at):
                subject = ""
            out.append(subject)
            if word in SUBJECTS:
                subject = SUBJECTS[word]
            elif "kin" in self.classes[at]:
                subject = "kin"
            elif word.endswith("'s") and self.shapes[at] == "Xx":
                subject = "owner"
        return out

    def _opens(self, at: int) -> bool:
        return at == 0 or self.sentences[at - 1] != self.sentences[at]

    def _word(self, at: int) -> str:
        return "<" if at < 0 else self.words[at] if at < len(self.words) else ">"

    def _kind(self, at: int) -> str:
        """Return what a token may be by itself: its class, a name, a number, or any word."""
        if self.classes[at]:
            return self.classes[at][0]
        if self.shapes[at] in ("Xx", "XX") and not self._opens(at):
            return "name?"
        return "number" if self.shapes[at][0] == "d" else "word"

    def features_of(self, at: int) -> Iterator[str]:
        """Yield the features of one token: itself, its neighbours, and the sentence that it stands in."""
        word, kind, subject = self.words[at], self._kind(at), self.subjects[at]
        b3, b2, b1, a1, a2, a3 = (self._word(at + step) for step in (-3, -2, -1, 1, 2, 3))
        yield from ("b", f"w={word}", f"sh={self.shapes[at]}{self._opens(at):d}", f"s3={word[-3:]}", f"s2={word[-2:]}")
        yield from (f"-1={b1}", f"-2={b2}", f"-3={b3}", f"+1={a1}", f"+2={a2}", f"+3={a3}", f"sj={subject}")
        yield from (f"-1,0={b1} {word}", f"0,1={word} {a1}", f"-2-1={b2} {b1}", f"12={a1} {a2}", f"-1+1={b1} {a1}")
        yield from (f"-3-2-1={b3} {b2} {b1}", f"k={kind}", f"k-1={kind} {b1}", f"k-2-1={kind} {b2} {b1}")
        yield from (f"ksj={kind} {subject}", f"k+1={kind} {a1}")
        yield from (f"c={name}" for name in self.classes[at])
        for step in (-2, -1, 1, 2):
            if 0 <= at + step < len(self.words):
                yield f"sh{step}={self.shapes[at + step]}"
                yield from (f"c{step}={name}" for name in self.classes[at + step])
        yield from self._features_of_groups(at)
        yield from self._features_of_sentence(at, kind)

    def _features_of_groups(self, at: int) -> Iterator[str]:
        """Yield what the groups of a token and of its neighbours say: "Ramipril" is used as other medicines are."""
        group, b2, b1, a1 = self.groups[at], self._word(at - 2), self._word(at - 1), self._word(at + 1)
        wide = self.wide[at]
        yield from (f"g={wide}", f"g-1={wide} {b1}", f"g-2-1={wide} {b2} {b1}", f"g+1={wide} {a1}")
        yield from (f"gs={wide} {self.subjects[at]}", f"gu={wide} {self.shapes[at]}")
        if group:
            yield from (f"h={group[1]}", f"hu={group[1]} {self.shapes[at]}", f"h-1={group[1]} {b1}", f"i={group[2]}")
        before, last, next_, after = (self._wide(at + step) for step in (-2, -1, 1, 2))
        yield from (f"gg-1={wide} {last}", f"gg+1={wide} {next_}", f"gg-1+1={last} {next_}")
        yield from (f"gg-2-1={before} {last}", f"gg12={next_} {after}")
        for step in (-2, -1, 1, 2):
            if 0 <= at + step < len(self.groups) and (other := self.groups[at + step]):
                yield from (f"g{step}={other[0]}", f"h{step}={other[1]}")

    def _wide(self, at: int) -> str:
        return self.wide[at] if 0 <= at < len(self.wide) else ""

    def _features_of_sentence(self, at: int, kind: str) -> Iterator[str]:
        bag = self.bags[self.sentences[at]]
        if "?" in bag:
            yield from ("q", f"q={kind}")
        if not bag.isdisjoint(UNREAL):
            yield from ("unreal", f"unreal={kind}")
        if kind != "word":
            yield from (f"n:{kind} {word}" for word in sorted(bag))
            return
        for step in (-6, -5, -4, -3, -2, -1, 1, 2, 3, 4, 5, 6):
            other = at + step
            if 0 <= other < len(self.words) and self.sentences[other] == self.sentences[at]:
                yield f"v{'-' if step < 0 else '+'}{self.words[other]}"

    def features_of_span(self, first: int, last: int, label: str) -> frozenset[str]:
        """Return the features of a span by which its status is told: the words around it, nearer ones apart."""
        of_sentence = [at for at, one in enumerate(self.sentences) if one == self.sentences[first]]
        around = [at for at in of_sentence if not first <= at < last]
        out = {f"L={label}", *(f"in={self.words[at]}" for at in range(first, last))}
        for at in around:
            side, apart = ("l", first - at) if at < first else ("r", at - last + 1)
            out |= {f"s:{self.words[at]}", f"{label} s:{self.words[at]}", f"{side}={self.words[at]}"}
            if apart <= NEAR:
                out.add(f"{side}{apart}={self.words[at]}")
            if at + 1 in around:
                out.add(f"ss:{self.words[at]} {self.words[at + 1]}")
        if len(of_sentence) < len(self.words):
            out |= {f"o:{word}" for at, word in enumerate(self.words) if self.sentences[at] != self.sentences[first]}
        return frozenset(out)


def classes_of(word: str) -> tuple[str, ...]:
    """Return the classes of a word, by the lists or by its ending: "drug", "name", "place"."""
    return classes_among(word.lower(), models().words.classes)
