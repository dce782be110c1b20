"""Topics that a user does not want to talk about, or that are to go no further, told as orders with their subject."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memoryos_core.rules.knowledge.phrases import KIN
from memoryos_core.rules.text.introductions import is_name
from memoryos_core.rules.text.words import regex

__all__ = ["close_topic"]

_PASSES = r"(?!.*\b(?:now|today|tonight|yet|tomorrow|at the moment|this (?:week|morning|evening))\b)"
_CLOSED = regex(
    rf"{_PASSES}(?:(?:and|but|so|just|also|please),? )*(?:i (?:really )?(?:don't|do not|never) (?:want|wish|like) to"
    r"|i(?:'d| would) (?:rather|prefer) not(?: to)?|let's not|(?:don't|do not)(?: ever)?)"
    r" (?:talk|speak|hear|chat|be asked) about (?P<what>[^.,!?;]{2,60}?)"
    r"(?P<marked>(?:,? (?:here|any ?more|any longer|ever|again|with you|please|pls|in this chat))*)[.!]*",
    re.IGNORECASE,
)
_SECRET = regex(
    rf"{_PASSES}(?:(?:and|but|also|it's|it is|this is|that's|that is),? )*"
    r"(?:not (?:yet )?public|confidential|private|(?:a )?secret),? so (?:please )?(?:don't|do not|never)"
    r" (?P<act>put|mention|share|use|include|write|show|tell) (?:it|this|that)\b(?P<where>[^.,!?;]{0,60}?)"
    r"(?P<unless> (?:unless|until|till) [^.,!?;]{2,60})?[.!]*",
    re.IGNORECASE,
)
_PRONOUN = regex(r"(?P<person>him|her|them)|it|that|this", re.IGNORECASE)
_SOMEBODY = rf"(?:my|our) (?:ex(?:-\w+)?|late \w+|boss|{KIN})\b"
_OWN = regex(rf"{_SOMEBODY}|(?-i:(?!I\b)[A-ZÀ-Þ])[\w'-]+", re.IGNORECASE)
_LONGEST = 160  # characters


def close_topic(sentence: str, before: Sequence[str]) -> str | None:
    """Return what a sentence does not want to be spoken of as an order; None for any other, or without its subject.

    `before` are the sentences in front of it: "it" is what the last of them tells.
    """
    if len(sentence) > _LONGEST:
        return None
    said = before[-1].rstrip(" .!") if before and len(before[-1]) <= _LONGEST else ""
    told = "" if not said or said.endswith(("?", ":")) else f"that {_lower_first(said)}"
    if secret := _SECRET.fullmatch(sentence):
        return f"never {secret['act'].lower()}{secret['where']} {told}{secret['unless'] or ''}" if told else None
    closed = _CLOSED.fullmatch(sentence)
    if closed is None:
        return None
    what = closed["what"]
    if (pronoun := _PRONOUN.fullmatch(what)) is not None:
        subject = _person_in(said) if pronoun["person"] else told
        return f"never bring up {subject}" if subject else None
    return f"never bring up {what}" if closed["marked"] or _OWN.match(what) else None


def _person_in(said: str) -> str:
    """Return the first person that a sentence names; empty where it names none."""
    named = (found[0] for found in _OWN.finditer(said))
    return next((_lower_first(who) for who in named if " " in who or is_name(who)), "")


def _lower_first(said: str) -> str:
    """Return a sentence as it stands behind "that": a name keeps its capital."""
    first = said.partition(" ")[0]
    keeps = is_name(first) or first in ("I", "I'm", "I've", "I'd", "I'll")
    return said if keeps else said[:1].lower() + said[1:]
