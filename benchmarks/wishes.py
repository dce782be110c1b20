"""How well a linear model over words tells standing wishes from everything else that is said to an assistant.

    python -m benchmarks.wishes                     # five folds of the sentences in benchmarks/sentences
    python -m benchmarks.wishes --rank chat.txt     # the lines of a file, the likeliest wishes first

Nothing of the core uses it yet: ADR 0049 proposes to. It is trained on sentences that we wrote, in seconds.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

SENTENCES = Path(__file__).parent / "sentences"
FOLDS = 5
_STEPS, _RATE, _DECAY, _LEAST = 1_500, 6.0, 1e-4, 3
_WORDS = re.compile(r"[a-z]+(?:'[a-z]+)?|\d+|[?!,.:]")
_MOST = 40  # words of a sentence that are read

Floats: TypeAlias = NDArray[np.float64]


def features_of(sentence: str) -> frozenset[str]:
    """Return the words of a sentence, its pairs of neighbours, and its pairs with one word between."""
    said = ["#" if word.isdigit() else word for word in _WORDS.findall(sentence.lower().replace("\u2019", "'"))]
    said = ["<s>", *said[:_MOST], "</s>"]
    pairs = (f"{one} {other}" for one, other in pairwise(said))
    apart = (f"{one} * {other}" for one, other in zip(said, said[2:], strict=False))
    return frozenset((*said, *pairs, *apart))


class Classifier:
    """Logistic regression over the features of sentences, each class with half of the weight."""

    def __init__(self, wishes: Sequence[str], others: Sequence[str]) -> None:
        read = [features_of(sentence) for sentence in (*wishes, *others)]
        seen = Counter(feature for features in read for feature in features)
        kept = sorted(feature for feature, count in seen.items() if count >= _LEAST)
        self._places = {feature: place for place, feature in enumerate(kept)}
        self._weights, self._bias = np.zeros(len(kept)), 0.0
        found = [self._places_of(features) for features in read]
        rows = np.repeat(np.arange(len(found)), [len(places) for places in found])
        columns = np.array([place for places in found for place in places], dtype=np.int64)
        values = 1 / np.sqrt(np.maximum(1, [len(places) for places in found]))[rows]
        is_wish = np.array([1.0] * len(wishes) + [0.0] * len(others))
        share = np.where(is_wish == 1, len(is_wish) / (2 * len(wishes)), len(is_wish) / (2 * len(others)))
        for _ in range(_STEPS):
            logits = np.bincount(rows, values * self._weights[columns], len(found)) + self._bias
            error = (1 / (1 + np.exp(-logits)) - is_wish) * share
            slope = np.bincount(columns, values * error[rows], len(kept)) / len(found) + _DECAY * self._weights
            self._weights -= _RATE * slope
            self._bias -= float(error.mean())

    def _places_of(self, features: frozenset[str]) -> list[int]:
        return sorted(self._places[feature] for feature in features if feature in self._places)

    def score(self, sentence: str) -> float:
        """Return the log odds that a sentence is a standing wish, if every second one were."""
        places = self._places_of(features_of(sentence))
        return float(self._weights[places].sum() / np.sqrt(max(1, len(places)))) + self._bias


def read_sentences() -> tuple[list[str], list[str]]:
    """Return the wishes and the others, each in an order of its own that has nothing to do with what they say."""
    chosen = np.random.default_rng(7)
    texts = ((SENTENCES / name).read_text("utf-8") for name in ("wishes.txt", "no_wishes.txt"))
    wishes, others = (sorted(filter(None, text.split("\n"))) for text in texts)
    return [wishes[i] for i in chosen.permutation(len(wishes))], [others[i] for i in chosen.permutation(len(others))]


def cross_validate(wishes: Sequence[str], others: Sequence[str]) -> tuple[Floats, Floats]:
    """Return the scores of the wishes and of the others, each sentence by a model that was trained without it."""
    scores = np.zeros(len(wishes)), np.zeros(len(others))
    for fold in range(FOLDS):
        model = Classifier(*([one for at, one in enumerate(said) if at % FOLDS != fold] for said in (wishes, others)))
        for said, out in zip((wishes, others), scores, strict=True):
            out[fold::FOLDS] = [model.score(one) for one in said[fold::FOLDS]]
    return scores


def main(arguments: Sequence[str] | None = None) -> None:
    """Print precision and recall at some thresholds, or rank the lines of a file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rank", type=Path, help="rank the lines of this file")
    options = parser.parse_args(arguments)
    wishes, others = read_sentences()
    if options.rank is not None:
        model = Classifier(wishes, others)
        lines = filter(None, options.rank.read_text("utf-8").split("\n"))
        for score, line in sorted(((model.score(line), line) for line in lines), reverse=True):
            print(f"{score:6.2f} {line}")
        return
    found, noise = cross_validate(wishes, others)
    print(f"{len(wishes)} wishes, {len(others)} others, {FOLDS} folds\n")
    print("| least score | recall | precision |\n| --- | --- | --- |")
    for least in (0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0):
        hits, misses = int((found >= least).sum()), int((noise >= least).sum())
        print(f"| {least} | {hits / len(found):.3f} | {hits / max(1, hits + misses):.3f} |")


if __name__ == "__main__":
    main()
