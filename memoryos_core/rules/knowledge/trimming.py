"""Trim what stands behind a phrase to the value that it gives."""

from __future__ import annotations

import re

from memoryos_core.rules.text.guards import at_start
from memoryos_core.rules.text.words import regex

__all__ = ["trim_value"]

_CUT = regex(
    r"\s*(?:,(?!\d{3}\b)|[;(]|(?<!\bDr)(?<!\bMr)(?<!\bMs)(?<!\bMrs)(?<!\bSt)(?<!\bProf)\.(?:\s|$)|\s[-–—]\s|&\sI\b"
    r"|\b(?:with|because|since|and then|and [A-ZÀ-Þ][\w'-]+ (?:is|are|was|has|had|will|wants?|needs?)"
    r"|and (?:(?:their|his|her) [\w-]+ (?=(?:is|are|has|lives|works)\b)|I|we|he|she|they|it|my|am|is|are|have"
    r"|has|was|were|had|carry|carries|got|love|can|so|goes|does|gets|sleeps|takes|wakes|lives|works|eats|drinks|says"
    r"|thinks|sees?|visits?|studies|plays?|wants?|needs?|makes?|spends?|commutes?|travels?|likes?|comes?|helps?"
    r"|keeps?|drives?|teach(?:es)?)\b"
    r"|and (?:in|at|on) the\b"
    r"|(?:bad(?:ly)? )?I(?:'m|'ve|'ll| (?:am|have|carry|do|use|need|can|will|was|got|take|had))\b"
    r"|(?:ill|i'll) be \d+|now (?:like|about|around) \d+|what (?:do|does|is|are|should)\b"
    r"|and (?:the|this|that) [\w-]+ (?:is|has|was|will)\b|where|which|who"
    r"|so (?:that|no|nothing|please|the|do(?:n't| not)?|never|i|we|they|keep|be|it|you|"
    r"(?-i:[A-ZÀ-Þ])\w*)|when|while|after|before|although|though|right|due to|as (?:of|in)"
    r"|until|near|close to|for (?:an?|the (?:last|past)|several|some|many|almost|about|over|\d+|one|two|three|four"
    r"|five|six|seven|eight|nine|ten|fifteen|twenty|thirty) (?:\w+ )?(?:years?|months?|weeks?|days?|while)"
    r"|for (?:work|ages|years|months|good|now)"
    r"|in (?:January|February|March|April|May|June|July|August|September|October|November"
    r"|December) (?:for|to|because|with)|weil|seit|mit|denn|parce|depuis|avec|porque|desde|con)\b).*$",
    re.DOTALL,
)
_ENDING = regex(
    r"\s+(?:now|nowadays|here|lately|finally|btw|lol|haha|tho|though|right now|instead|too|as well|also|these days"
    r"|at the moment|today|yesterday|currently|again|already|on (?:my|our|his|her|their) own|alone"
    r"|any ?more|any longer|no longer|last (?:week|month|year|night|spring|summer|autumn|fall|winter|\w+day)|this"
    r" (?:week|month|year|spring|summer)"
    r"|(?:a|one|two|three|\d+) (?:days?|weeks?|months?|years?) ago|at last|full-time|part-time|for now|every day"
    r"|jetzt|nun|letzten? \w+|auch|nicht mehr|maintenant|désormais|aussi|ahora|también|el \w+ pasado|la \w+ pasada"
    r"|hace \w+ \w+|in (?:(?:january|february|march|april|may|june|july|august|september|october|november|december)"
    r"(?: \d{4})?|\d{4}))$",
    re.IGNORECASE,
)
_BEGINNING = at_start(
    r"^(?:an?|the|now|currently|also|only|just|definit?e?ly|definetly|probably|easily|still|this|in|at|on|my|our|eine?n?|une?|jetzt|ahora|maintenant"
    r"|(?-i:de la|du|des|le|la|les|der|die|das|el|los|las)|called|named"
    r"|planned for|scheduled for|set for|due on|due|to)\s+",
    re.IGNORECASE,
)


_NEAR = regex(
    r"(?:[a-z]+ ){0,3}(?:town|village|city|suburb|hamlet|island|place) (?:near|close to) (?:the )?[A-ZÀ-Þ][\w'-]*"
    r"(?: (?:[A-ZÀ-Þ][\w'-]*|border|coast|lake|river|mountains|airport)){0,3}"
)


def trim_value(value: str) -> str:
    """Return a value without its article and without what only says since when or why."""
    out = _CUT.sub("", value, count=1).strip(" .!?\"'")
    if out.islower() and (near := _NEAR.match(value)) is not None:  # "a small town near Lyon" is no other town
        out = near[0]
    for _ in range(2):
        out = _ENDING.sub("", out)
        out = _BEGINNING.sub("", out)
    return out.strip(" .!?\"'")
