"""Sentences that ask for something in all answers, or take it back, told apart by a linear model (ADR 0049)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from itertools import pairwise

from memoryos_core.extract.tagging import models
from memoryos_core.rules.text.words import regex

_WISHED = regex(r"[a-z]+(?:'[a-z]+)?|\d+|[?!,.:]")
_WORDS_OF_A_WISH = 40


def features_of_sentence(sentence: str) -> frozenset[str]:
    """Return the words of a sentence, its pairs of neighbours, and its pairs with one word between."""
    found = _WISHED.findall(sentence.lower().replace("\u2019", "'"))
    said = ["<s>", *("#" if word.isdigit() else word for word in found[:_WORDS_OF_A_WISH]), "</s>"]
    pairs = (f"{one} {other}" for one, other in pairwise(said))
    apart = (f"{one} * {other}" for one, other in zip(said, said[2:], strict=False))
    return frozenset((*said, *pairs, *apart))


_LEAST_WISH, _LEAST_LIFTED = 0.6, 0.5


def is_wish(sentence: str) -> bool:
    """Return whether a sentence tells an assistant how to answer from now on."""
    return _likely(sentence)["wish"] >= _LEAST_WISH


def lifts_wish(sentence: str) -> bool:
    """Return whether a sentence takes back how an assistant was to answer."""
    return _likely(sentence)["lifted"] >= _LEAST_LIFTED


@lru_cache(maxsize=1_024)
def _likely(sentence: str) -> Mapping[str, float]:
    return models().wishes.probabilities(features_of_sentence(sentence))
