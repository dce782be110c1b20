"""Requests that last: orders, roles and reminders, and the promises of an assistant."""

from __future__ import annotations

import re

from memoryos_core.extract.statement_kinds import is_talk, kind_of


def _compile(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE | re.VERBOSE)


_REMINDER = _compile(
    r"""^(?:please\s|can\syou\s|could\syou\s)?(?:remind\sme|don't\slet\sme\sforget)\s(?P<what>(?:to|about|that|on
        |of|in|at)\s.{3,300})$"""
)


def reminder_in(clause: str) -> str | None:
    """Return what the speaker wants to be reminded of: "to call Ana" of "Remind me to call Ana."."""
    found = _REMINDER.match(clause)
    return found.group("what") if found else None


_ROLE = _compile(
    r"""^(?:from\snow\son,?\s|please\s|now\s)*(?:you\sare|you're|you\swill\sbe|your\sname\sis|i'll\scall\syou
        |act\sas|pretend\sto\sbe|play\sthe\srole\sof)\s
    (?:going\sto\sbe\s)?((?:an?\s|my\s|the\s(?!one\b|best\b)|(?-i:[A-Z]))[^,;]{2,120}?)[.!]*$"""
)


_ORDER = _compile(
    r"""^(?:please,?\s|from\snow\son,?\s|in\s(?:the\s)?future,?\s|also,?\s|and\s|just\s|you\s(?:should|must)\s)*
    (?P<order>(?:always|never|don't|do\snot|call|answer|reply|respond|write|talk|speak|keep|make|use)\s.{3,400})"""
)


_WISH = _compile(
    r"""^i(?:'d|\swould)?\s(?:also\s|really\s|just\s)?(?:want|like|need|expect)\syou\sto\s(?P<order>[a-z'].{3,400})"""
)


def role_given(clause: str) -> str | None:
    """Return what the hearer is told to be, if the clause tells it."""
    found = _ROLE.match(clause)
    return found.group(1).replace("my ", "the user's ") if found and not is_talk(clause) else None


def order_given(clause: str) -> str | None:
    """Return what the hearer is to do: "always answer in French" of "Please always answer in French."."""
    found = _WISH.match(clause) or (_ORDER.match(clause) if kind_of(clause) == "instruction" else None)
    if not found:
        return None
    order = found.group("order")
    negated = re.match(r"(?:don't|do not)\s+(?:ever\s+)?", order, re.IGNORECASE)
    return f"never {order[negated.end() :]}" if negated else order


_PROMISE = _compile(
    r"""^(?:i(?:'ll|\swill|'ve|\shave)\s(?:also\s|now\s|just\s|already\s)*(?:remember|remind|note[d]?|keep|kept
        |save[d]?|send|sent|check|updat\w+|draft\w*|book\w*|schedul\w+|prepar\w+|add\w*|record\w*|log\w*|follow|monitor|track|suspend\w*|set|get|hold|make|made|create[d]?|adjust\w*|confirm\w*|finali[sz]e\w*|generat\w+|call|use|reschedul\w+|cancel\w*|initiat\w+)
    |my\s(?:full\s)?name(?:'s|\sis)|i(?:'m|\sam)\s(?:called|named)|i\swas\s(?:trained|built|made|created)
        |i\spromise)\b"""
)


def is_promise(clause: str) -> bool:
    """Return whether an assistant speaks of itself: what it is called, what it has done or promises to do."""
    return bool(_PROMISE.match(clause))
