"""Plans that were called off and are on again: "the cruise is back on", "we're going to Rome after all"."""

from __future__ import annotations

import re
from functools import lru_cache

from memoryos_core.rules.knowledge.cancellations import split_cancellation
from memoryos_core.rules.knowledge.corrections import without_moments
from memoryos_core.rules.knowledge.news import PLAIN, word_bag
from memoryos_core.rules.knowledge.plans import names_in, others_in
from memoryos_core.rules.text.words import regex

__all__ = ["denies_last", "ends_cancellation", "is_revival", "revives"]

_LONGEST = 240
_MAY_BE = regex(
    r"\b(?:after all|back on|on again|happening again|still (?:on|happening|going|taking)|un-?cancell?ed|reinstated"
    r"|not (?:cancel|called|off)|decided to|ahead)",
    re.IGNORECASE,
)
_OPENS = r"(?:^|[,;:\"“] ?|\b(?:and|but|so|that|out|apparently|now) )"
_ON = (
    r"(?:back on(?! (?:the|my|our|his|her|their|track|board|a|an|it|top|time)\b)|on again|still on(?! (?:the|my|a)\b)"
    r"|on after all|(?:still |now )?(?:happening|going ahead|taking place)(?: after all| again)"
    r"|still (?:happening|going ahead|taking place)|un-?cancell?ed|reinstated|not (?:cancell?ed|called off|off))"
    r"(?=[\"”.,;!]|$| )"
)
_GO = r"(?:go(?:ing)?|com(?:e|ing)|fly(?:ing)?|travel(?:l?ing)?|do(?:ing)?|attend(?:ing)?|make(?: it)?|see(?:ing)?)"
_REVIVALS = tuple(
    regex(pattern, re.IGNORECASE)
    for pattern in (
        rf"{_OPENS}(?P<what>(?:(?!(?:is|are|was|were|not|never|nothing|what|if)\b)[\w'\u2019-]+ ){{1,6}}?)"
        rf"(?:is|are|was|were|has been|have been|will be) (?:now )?{_ON}",
        rf"{_OPENS}(?P<what>(?:[\w-]+ ){{0,4}}[\w-]+)['\u2019]s (?:now )?{_ON}",
        rf"{_OPENS}(?P<what>(?:[\w'\u2019-]+ ){{1,5}}?)(?:is|are|was|were)n['\u2019]t (?:cancell?ed|called off|off)\b",
        rf"\b{_GO} (?:(?:back|to|on|with) )*(?P<what>(?:(?!not\b)[\w'\u2019-]+ ){{1,6}}?)(?=after all\b)",
        r"\b(?:un-?cancell?ed|reinstated|decided to (?:go ahead with|keep)|going ahead with) "
        r"(?P<what>(?:[\w'\u2019-]+ ?){1,5})",
    )
)
_NOT = regex(
    r"\b(?:not(?! (?:cancell?ed|called|off)\b)|never|cannot|nobody|if|hope|hoping|wish|maybe|might|could|would)\b"
    r"|n['\u2019]t\b(?! (?:cancell?ed|called off|off)\b)",
    re.IGNORECASE,
)
_IS_OFF = regex(r"\b(?:not|no longer|never|cannot|\w+n['\u2019]t)\b|^No ", re.IGNORECASE)
_WEAK = PLAIN | word_bag("my their our his her it this that the turn out apparently trip visit event plan it's we they")
_DENIAL = regex(
    r"(?:(?:oh|no|wait|ah|phew|ha(?:ha)?|lol|sorry|actually|update),? )*(?:(?:it was |that was |just )?(?:an? )?"
    r"(?:false alarm|just kidding|jk|not true|my mistake)|(?:it|that)(?:['\u2019]s| is) (?:still on|back on"
    r"|on after all|not|on)(?=[.!,]|$)|(?:it|that) (?:is|was)n['\u2019]t(?=[.!,]|$))[^?]{0,40}",
    re.IGNORECASE,
)  # fmt: skip


@lru_cache(maxsize=16_384)
def _revived_in(text: str) -> frozenset[str]:
    """Return the words of the plan that a statement tells to be on again; empty for most."""
    if len(text) > _LONGEST or text.endswith("?") or not _MAY_BE.search(text):
        return frozenset()
    for pattern in _REVIVALS:
        for found in pattern.finditer(text):
            named = word_bag(without_moments(found["what"])) - _WEAK
            if named and not _NOT.search(text, 0, found.end()):
                return named
    return frozenset()


def is_revival(text: str) -> bool:
    """Return whether a statement names a plan that is on again."""
    return bool(_revived_in(text))


def revives(old: str, new: str) -> bool:
    """Return whether `new` tells that what `old` plans, or calls off, is on again."""
    named = _revived_in(new)
    return bool(named) and named <= word_bag(old) and _is_of_same(old, new)


def ends_cancellation(old: str, new: str) -> bool:
    """Return whether `old` calls off what `new` tells to be on again."""
    return (split_cancellation(old) is not None or _IS_OFF.search(old) is not None) and revives(old, new)


def _is_of_same(old: str, new: str) -> bool:
    """Return whether two statements name the same people, as far as both name any."""
    one, two = names_in(old), names_in(new)
    return others_in(old) == others_in(new) and (not one or not two or not one.isdisjoint(two))


def denies_last(sentence: str) -> bool:
    """Return whether a sentence only takes back that something is off: "False alarm, it's on."."""
    return _DENIAL.fullmatch(sentence) is not None
