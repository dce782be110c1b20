"""Summaries without a model: the sentences that share most with the rest, verbatim and in their order.

Code, headings, items of lists and cut sentences are left out where whole sentences are there.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence

from memoryos_core.extract.asking import READ_CHARS, clip
from memoryos_core.rules.text.words import regex, sentences, terms

SENTENCE_CHARS = 200
# Below this many terms a sentence is an exclamation, however common its words are.
_FULL_SENTENCE_TERMS = 5
# Choosing a handful among more candidates than this would not be better, only slower.
_CANDIDATES = 400
# A block of code between fences; the last one may have been cut.
_FENCED = regex(r"```.*?(?:```|\Z)", re.DOTALL)
# The beginning of a heading, of an item of a list, of a quotation, of a row of a table, or of a comment in code.
_MARKED = regex(r"\s*(?:[-*+#>|]|//|\d+[.)]\s)")
_CODE = regex(r"[{}\[\]<>=;_\\/|#*@$`~^+&]")
_MOST_CODE = 0.03  # of the characters of a sentence
_UNFINISHED = (":", ",", ";", "…")


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
    given = list(texts)
    found = _sentences(_FENCED.sub("\n", text) for text in given) or _sentences(given)
    shown = [s for s in found if _is_prose(s)] or list(dict.fromkeys(clip(s, SENTENCE_CHARS) for s in found))
    return shown[:_CANDIDATES]


def _sentences(texts: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(s for text in texts for s in sentences(text[:READ_CHARS])))


def _is_prose(sentence: str) -> bool:
    """Return whether a person would read this as a whole sentence, or as a short line that somebody said."""
    if len(sentence) > SENTENCE_CHARS or sentence.endswith(_UNFINISHED) or _MARKED.match(sentence):
        return False
    return len(_CODE.findall(sentence)) <= _MOST_CODE * len(sentence)


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
