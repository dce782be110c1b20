"""How close an answer is to the one that was expected: the figures of the published evaluations, from 0 to 1.

`locomo_f1` is the F1 of LoCoMo's own evaluation, `set_f1` the one of the code published with MemoryOS, `bleu1` that of
the papers whose tables it quotes. They differ by points for the same answer: never compare one with another.
"""

from __future__ import annotations

import math
import re
import string
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from memoryos_core.ports.optional_imports import import_optional

_PUNCTUATION = str.maketrans("", "", string.punctuation)
_DROPPED = re.compile(r"\b(?:a|an|and|the)\b")
_WORDS_AND_MARKS = re.compile(r"\w+|[^\w\s]")
_WORDS = re.compile(r"\w+")


def locomo_f1(given: str, expected: str, category: str) -> float:
    """LoCoMo's F1 of word stems, by the rule of the question's category.

    Multi-hop answers are lists: both sides are split at commas, and each expected part counts with its best match.
    Open-domain ones hold a reason behind a semicolon, which is not asked for. Any other category is compared whole.

    Raises:
        MissingExtraError: nltk is absent, whose Porter stemmer LoCoMo's evaluation uses.
    """
    if category == "multi-hop":
        parts = [_stems(part) for part in given.split(",")]
        best = [max(_f1(part, wanted) for part in parts) for wanted in map(_stems, expected.split(","))]
        return sum(best) / len(best)
    if category == "open-domain":
        expected = expected.partition(";")[0]
    return _f1(_stems(given), _stems(expected))


def set_f1(given: str, expected: str) -> float:
    """F1 of the sets of lower-case words: nothing is stemmed or dropped, and no word counts twice."""
    return _f1(*(Counter(set(_WORDS.findall(text.lower()))) for text in (given, expected)))


def bleu1(given: str, expected: str) -> float:
    """Share of the answer's words and marks that are expected, each as often as it is, times BLEU's brevity penalty."""
    said, wanted = (Counter(_WORDS_AND_MARKS.findall(text.lower())) for text in (given, expected))
    if not said:
        return 0.0
    brevity = min(1.0, math.exp(1 - wanted.total() / said.total()))
    return brevity * (said & wanted).total() / said.total()


def _f1(said: Counter[str], wanted: Counter[str]) -> float:
    # Twice the overlap by the sum of both sizes is the harmonic mean of precision and recall.
    return 2 * (said & wanted).total() / ((said.total() + wanted.total()) or 1)


def _stems(text: str) -> Counter[str]:
    # Marks vanish without a gap ("grown-up" is one word) and before the articles, as in the original.
    plain = _DROPPED.sub(" ", text.lower().translate(_PUNCTUATION))
    return Counter(_stem(word) for word in plain.split())


@lru_cache(maxsize=100_000)
def _stem(word: str) -> str:
    return str(_stemmer().stem(word))


@lru_cache(maxsize=1)
def _stemmer() -> Any:  # noqa: ANN401 (nltk publishes no types)
    return import_optional("nltk.stem.porter", "llamaindex").PorterStemmer()  # llama-index-core brings nltk


@dataclass(frozen=True, slots=True)
class Gain:
    """How far one system leads the best of the others, relative to it: 0.5 is half as much again.

    None where that best is 0, and so is the mean then.
    """

    best: dict[str, str]
    by_category: dict[str, float | None]

    @property
    def mean(self) -> float | None:
        """The plain mean over categories, however many questions each has: the paper's headline."""
        known = [gain for gain in self.by_category.values() if gain is not None]
        return sum(known) / len(known) if known and len(known) == len(self.by_category) else None


def relative_gain(ours: Mapping[str, float], baselines: Mapping[str, Mapping[str, float]]) -> Gain:
    """The gain in each category of `ours` over the best of `baselines` (by name, then category) in that category."""
    best = {category: _best(category, baselines) for category in ours}
    of_best = {category: baselines[name][category] for category, name in best.items()}
    return Gain(best, {c: (ours[c] - of_best[c]) / of_best[c] if of_best[c] else None for c in ours})


def _best(category: str, baselines: Mapping[str, Mapping[str, float]]) -> str:
    names: Sequence[str] = list(baselines)
    return max(names, key=lambda name: baselines[name][category])
