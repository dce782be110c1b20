"""Standing instructions: what a user asked for in all answers to come, or in a case that the instruction names."""

from __future__ import annotations

import re

from memoryos_core.rules.text.words import regex, terms
from memoryos_core.values.facts import Fact

_ALWAYS = regex(
    r"\b(?:always|never|(?:from now|later) on|whenever|(?:every|each) time|in (?:the )?future|call (?:me|them)"
    r"|immer|nie|niemals|toujours|jamais|siempre|nunca)\b|总是|永远|いつも|決して",
    re.IGNORECASE,
)
_MANNER = regex(r"\b(?:answers?|reply|replies|respond|responses?|speak|talk|address|keep|use)\b", re.IGNORECASE)
_WORDS_OF_A_MANNER = 12
_INSTRUCTION = regex(
    r"^(?:(?:The user|[A-Z]\w+)(?: said)?:? ?[\"“]?)?(?:please,? )?(?:from now on,? |in (?:the )?future,? )?"
    r"(?:always|never|don't|do not|make sure|be sure|remember to|use|avoid|answer|reply|respond|call me|address me)\b"
    r"|\b(?:wants|asked|asks|prefers|would like|expects|told) (?:you|the assistant|answers|replies|responses)\b"
    r"|\b(?:wants|asked|asks|would like)\b.{0,40}\b(?:always|never|whenever|every time)\b",
    re.IGNORECASE,
)
_CONDITION = regex(r"\b(?:when|whenever|if|about|for|on)\s+(?P<case>[^.;]{3,})", re.IGNORECASE)


def is_standing(fact: Fact) -> bool:
    """Return whether a fact is an instruction for all answers to come, and not for the one task at hand."""
    if fact.kind != "instruction":
        return fact.origin != "rules" and bool(_INSTRUCTION.search(fact.text[:400]))
    return bool(_ALWAYS.search(fact.text)) or (
        fact.text.count(" ") < _WORDS_OF_A_MANNER and bool(_MANNER.search(fact.text))
    )


def concerns(instruction: str, asked: frozenset[str]) -> bool:
    """Return whether an instruction is for this question: for any, or for the case that it names."""
    case = _CONDITION.search(instruction)
    return case is None or not asked.isdisjoint(terms(case["case"]))
