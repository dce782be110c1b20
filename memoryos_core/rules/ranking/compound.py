"""Questions that may be worth splitting: those that ask for several things at once, or find nothing that fits."""

from __future__ import annotations

import re
from collections.abc import Collection

from memoryos_core.rules.ranking.coverage import asks_for_all
from memoryos_core.rules.ranking.speakers import speakers_in_question
from memoryos_core.rules.text.words import terms

# A question with fewer content words than this is one thing to look up.
_LEAST_TERMS = 4
# Below this match with the question, by words or by meaning, the best unit is not reliable.
_WEAK = 0.4

_JOINS = re.compile(
    r"\b(?:and|both|common|compared?|comparison|difference|different|differ|similar|same|versus|vs|than|respectively)\b"
    r"|和|与|與|及|都|共同|比较|比較|区别|區別|不同|相同|両方|どちら|共通|違い|比べ",
    re.IGNORECASE,
)


def is_compound(question: str, speakers: Collection[str], strength: float) -> bool:
    """Return whether a model should split the question; False for whole-topic questions, which are spread anyway.

    Args:
        question: the cleaned question.
        speakers: the names that messages carry.
        strength: how well the best unit answers, 0 to 1.
    """
    if asks_for_all(question) or len(set(terms(question))) < _LEAST_TERMS:
        return False
    return strength < _WEAK or len(speakers_in_question(question, speakers)) > 1 or _JOINS.search(question) is not None
