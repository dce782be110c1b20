"""Summaries without a model: the sentences that share most with the rest, verbatim and in their order."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence

from memoryos_core.extract.asking import READ_CHARS, clip
from memoryos_core.rules.text.words import sentences, terms

SENTENCE_CHARS = 200
# Below this many terms a sentence is an exclamation, however common its words are.
_FULL_SENTENCE_TERMS = 5
# Choosing a handful among more candidates than this would not be better, only slower.
_CANDIDATES = 400


def _weights(candidates: Sequence[Sequence[str]]) -> list[float]:
    tally = Counter(term for sentence in candidates for term in set(sentence))

    def weight(sentence: Sequence[str]) -> float:
        distinct = set(sentence)
        if not distinct:
            return 0.0
        # An exact sum in any order: the order of a set differs between processes.
        mean = math.fsum(math.log1p(tally[term]) for term in distinct) / len(distinct)
        return mean * min(1.0, len(distinct) / _FULL_SENTENCE_TERMS)

    return [weight(sentence) for sentence in candidates]


def _candidates(texts: Iterable[str]) -> list[str]:
    found = (clip(s, SENTENCE_CHARS) for text in texts for s in sentences(text[:READ_CHARS]))
    return list(dict.fromkeys(found))[:_CANDIDATES]


def _best(candidates: Sequence[str], weights: Sequence[float], count: int) -> list[int]:
    ranked = sorted(range(len(candidates)), key=lambda i: (-weights[i], i))
    return [i for i in ranked if weights[i] > 0][:count]


def summary(texts: Iterable[str], count: int) -> str:
    """The `count` most central sentences, each cut at SENTENCE_CHARS; "" when there are no words."""
    candidates = _candidates(texts)
    chosen = _best(candidates, _weights([terms(c) for c in candidates]), count)
    return " ".join(candidates[i] for i in sorted(chosen))


def merge_summary(old: str, new: str, count: int) -> str:
    """A summary of `count` sentences for what two summaries describe together, with at least one of each.

    With a `count` of 1 only the newer one is used. A model's summaries merge in the same way.
    """
    before = _candidates([old])
    after = [s for s in _candidates([new]) if s not in before]
    candidates = before + after
    weights = _weights([terms(c) for c in candidates])
    border = len(before)
    ranked = _best(candidates, weights, len(candidates))
    firsts = [next((i for i in ranked if i >= border), None), next((i for i in ranked if i < border), None)]
    heard = [i for i in firsts if i is not None][:count]
    chosen = heard + [i for i in ranked if i not in heard][: count - len(heard)]
    return " ".join(candidates[i] for i in sorted(chosen))
