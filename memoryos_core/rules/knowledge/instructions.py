"""Standing instructions: what a user asked for in all answers to come, or in a case that the instruction names.

A later one about the same aspect (language, length, emojis, …) replaces an earlier one.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from memoryos_core.rules.text.words import regex, sentences, terms
from memoryos_core.values.facts import Fact

_ALWAYS = regex(
    r"\b(?:always|never|(?:from now|later) on|whenever|(?:every|each) time|in (?:the )?future|call (?:me|them)"
    r"|immer|nie|niemals|toujours|jamais|siempre|nunca)\b|总是|永远|いつも|決して",
    re.IGNORECASE,
)
_MANNER = regex(
    r"\b(?:answers?|reply|replies|respond|responses?|speak|talk|address|keep|use"
    r"|to (?:be|stop|skip|avoid|leave out|drop|give))\b",
    re.IGNORECASE,
)
_WORDS_OF_A_MANNER = 12
_INSTRUCTION = regex(
    r"^(?:(?:The user|[A-Z]\w+)(?: said)?:? ?[\"“]?)?(?:please,? )?(?:from now on,? |in (?:the )?future,? )?"
    r"(?:always|never|don't|do not|make sure|be sure|remember to|use|avoid|answer|reply|respond|call me|address me)\b"
    r"|\b(?:wants|asked|asks|prefers|would like|expects|told) (?:you|the assistant|answers|replies|responses)\b"
    r"|\b(?:wants|asked|asks|would like)\b.{0,40}\b(?:always|never|whenever|every time)\b",
    re.IGNORECASE,
)
_CONDITION = regex(r"\b(?:when|whenever|if|about|for|on)\s+(?P<case>[^.;]{3,})", re.IGNORECASE)


# Not "more specific" or "formal": that is said of a draft at hand.
_TONE = (
    r"(?:brief|briefer|concise|short|succinct|terse|direct|blunt|honest|critical|patient|gentle|kind|playful|friendly"
    r"|to the point)"
)
_ORNAMENT = (
    r"(?:emojis?|smileys|emoticons|disclaimers?|caveats?|bullet ?points?|bullets|lists|tables|markdown|headings"
    r"|hashtags|pleasantries|small ?talk|preambles?|intros?|introductions?|apologies|exclamation marks?|jargon|fluff"
    r"|filler|flattery|compliments|jokes|puns|slang|swearing|lectures?|sugar-?coating|clichés?|cliches?)"
)
_DEGREE = r"(?:(?:a )?(?:bit |little |lot )?(?:more|less) |very |really |as )?"
_ANSWERS = r"(?:short|shorter|brief|concise|one-line|long|longer|detailed) (?:answers|replies|responses)(?: only)?"
_SEVERAL = rf"{_ORNAMENT}(?:(?: and|,| or) {_ORNAMENT})*"
# A manner of answering, as a message says it that says nothing else.
_ORDER = regex(
    r"(?:(?:and|also|just|please|ok|okay|hey|hi|so|but|actually)[,!.]? )*"
    r"(?:(?:can|could|would|will) you (?:please |just |maybe |try to )*"
    r"|i(?:'d| would)? (?:want|like|prefer|need) you to )?"
    rf"(?P<order>(?:be|stay|keep it|keep things|make it) {_DEGREE}{_TONE}(?:(?: and|,) {_DEGREE}{_TONE})*"
    r"|stop (?:using|saying|apologi[sz]ing|adding|suggesting|recommending|mentioning|repeating|being|calling me"
    r"|starting|ending|beginning|asking me about|lecturing|reminding me|flattering)\b"
    r"(?! (?:that|this|it|silly|stupid)\b)[^.!?;]{0,80}?"
    rf"|(?:skip|leave out|drop|omit|lose|avoid) (?:the |all |any |your )*{_SEVERAL}"
    rf"|(?:don't|do not|never) (?:use|add|include|write|give me) (?:any |the |so many |too many |all these )?{_SEVERAL}"
    r"|(?:don't|do not|never) (?:use|add|include|write|say|start|begin|end) [^.!?;]{0,60}\b(?:answers?|replies|reply"
    r"|responses?|messages?|sentences)\b[^.!?;]{0,60}?"
    r"|(?:don't|do not|never) say (?:sorry|'[^']{2,60}'|\"[^\"]{2,60}\")"
    rf"|use (?:more |some )?{_SEVERAL}"
    r"|(?:you (?:can|may)|feel free to|it's (?:ok|okay|fine) to) (?P<allowed>(?:use|write|add|include|give)"
    rf" (?:{_SEVERAL}|{_ANSWERS}) again)|(?P<fine>{_ORNAMENT}|{_ANSWERS}) (?:are|is)"
    r" (?:fine|ok|okay|welcome) again"
    rf"|(?P<none>no (?:more )?)(?P<what>{_SEVERAL})(?: anymore| any more)?"
    rf"|(?:(?:give(?: me)?|write) )?(?P<give>{_ANSWERS}))"
    r"(?: with me| in your (?:answers|replies|responses))?(?:,? (?:please|pls|thanks))?"
    r"(?:(?:,| because| -| –) (?:they|it|i|that|those|this)\b[^.?!]{0,80})?[.!?]*",
    re.IGNORECASE,
)
_AND = regex(
    r",? and (?=(?:be|stay|stop|skip|leave|drop|omit|lose|avoid|don't|do not|never|no|use|give|keep) )", re.IGNORECASE
)
_LONGEST_ORDER = 240  # characters


def as_standing(text: str) -> str:
    """Return a message that says how to answer, and nothing else, as orders for all answers to come.

    "Be brief." behind a task is of that task; a message of its own means what follows.
    """
    if len(text) > _LONGEST_ORDER:
        return text
    found = [_ORDER.fullmatch(part) for sentence in sentences(text) for part in _AND.split(sentence)]
    if not found or None in found:
        return text
    return " ".join(f"From now on, {_plain(order)}." for order in found if order is not None)


def _plain(order: re.Match[str]) -> str:
    """Return the order without what surrounds it."""
    if order["none"]:
        return f"never use {order['what']}"
    if allowed := order["allowed"]:
        return f"feel free to {allowed}"
    if fine := order["fine"]:
        return f"feel free to {'give' if _LENGTH.search(fine) else 'use'} {fine.lower()} again"
    if order["give"]:
        return f"give {order['give'].lower()}"
    said = order["order"].strip()
    return said[:1].lower() + said[1:]


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


_WANTED = regex(
    r"(?:The user|[A-ZÀ-Þ][\w' .-]{0,60}?) (?:wants the assistant to|said: \") ?(?:from now on,? )?(?P<order>.+)$",
    re.IGNORECASE,
)
_FORBIDS = regex(r"(?:never|stop|skip|leave out|drop|omit|lose|avoid|don't|do not)\b", re.IGNORECASE)
_LANGUAGE = regex(
    r"\b(?:in|use|speak|write) (english|french|german|spanish|italian|portuguese|dutch|polish|russian|turkish|arabic"
    r"|hindi|chinese|mandarin|japanese|korean|swedish|danish|norwegian|finnish|greek|czech|ukrainian)\b",
    re.IGNORECASE,
)
_LENGTH = regex(
    r"\b(?:(?P<short>brief|briefer|concise|short|shorter|succinct|terse|to the point|one-line|briefly)"
    r"|(?P<long>long|longer|detailed|thorough|at length|in detail)(?= (?:answers|replies|responses)|$|[.,]))",
    re.IGNORECASE,
)
_UNITS = regex(r"\b(metric|imperial|celsius|fahrenheit|kilomet(?:re|er)s|miles)\b", re.IGNORECASE)
_SYSTEM = {"celsius": "metric", "kilometres": "metric", "kilometers": "metric", "fahrenheit": "imperial"}
_SYSTEM |= {"miles": "imperial"}
_ORNAMENTS = regex(rf"\b{_ORNAMENT}\b", re.IGNORECASE)


@lru_cache(maxsize=4096)
def aspects_of(text: str) -> frozenset[tuple[str, str]]:
    """Return the aspects of answers that an instruction settles, each with its value; none for what it does not know.

    An instruction for a case that it names settles nothing in general.
    """
    wanted = _WANTED.match(text)
    if wanted is None or _CONDITION.search(wanted["order"]):
        return frozenset()
    order = wanted["order"]
    forbids = _FORBIDS.match(order) is not None
    found = {(_singular(name.lower()), "no" if forbids else "yes") for name in _ORNAMENTS.findall(order)}
    if forbids:
        return frozenset(found)
    found |= {("language", language.lower()) for language in _LANGUAGE.findall(order)}
    found |= {("length", "short" if length["short"] else "long") for length in _LENGTH.finditer(order)}
    found |= {("units", _SYSTEM.get(unit.lower(), unit.lower())) for unit in _UNITS.findall(order)}
    return frozenset(found)


def _singular(name: str) -> str:
    return name.replace("-", "").replace(" ", "").removesuffix("s")


def compare_orders(old: str, new: str) -> Literal["replaces", "repeats", "unrelated"] | None:
    """Return what a later instruction does to an earlier one; None where the aspects of one of them are not known.

    One of several aspects ends nothing: the others still hold.
    """
    before, after = aspects_of(old), aspects_of(new)
    if not before or not after:
        return None
    if before <= after:
        return "repeats"
    settled = {aspect for aspect, _ in after}
    return "replaces" if all(aspect in settled for aspect, _ in before) else "unrelated"
