"""What a model can do with the memory of the user it is talking to, as text in and text out, for the tools of any host.

Who that user is comes from the host, never from the model: no argument names a user.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from textwrap import indent

from memoryos_core.errors import InvalidInputError, MemoryOSError
from memoryos_core.models import Hit
from memoryos_core.rules.dates import written
from memoryos_core.rules.rendering import compose, escape, introduced
from memoryos_core.user import UserMemory

logger = logging.getLogger(__name__)

SEARCH = (
    "Look up what is remembered of the current user: what was said in earlier conversations, and facts "
    "learnt from them, with dates and ids. Use it when the answer may depend on something from before."
)
SAVE = (
    "Remember one statement about the current user for later conversations, such as a preference, a plan "
    "or a correction. It must be understood on its own: name people and write dates in full."
)
FORGET = (
    "Erase entries of the current user's memory for good. Use it only when the user asks for it. A page is "
    "one whole exchange: both sides of it go, and the facts that rest on it alone."
)
_FOUND = "Entries found, best first:"
_NOTHING = "Nothing is remembered about that."
_UNKNOWN = "nothing has this id. search_memory shows the ids there are."


def search_memory(user: UserMemory, query: str, k: int = 5, *, budget_tokens: int | None = None) -> str:
    """The k best entries for a query with their ids, in at most `budget_tokens` tokens of text, or as configured."""
    hits = user.recall(query, budget_tokens=budget_tokens, include_recent=False).hits[:k]
    return introduced(compose([(_FOUND, [_entry(hit) for hit in hits])])) or _NOTHING


def save_memory(user: UserMemory, text: str) -> str:
    """Remember one statement; what reads like an instruction waits for a person to look at it."""
    fact = user.remember(text)
    if fact.status == "quarantined":
        return "Not remembered for now: it reads like an instruction, and a person must look at it first."
    return f"Remembered as fact {fact.id}."


def forget_memory(user: UserMemory, ids: Sequence[str]) -> str:
    """Erase entries one by one, so that each can be answered for, also when the memory fails between two of them."""
    answers: list[str] = []
    for entry in dict.fromkeys(ids):
        try:
            gone = user.forget(pages=(entry,), facts=(entry,))
        except MemoryOSError as error:
            if not answers:
                raise
            logger.warning("forget_memory failed after %d entries: %s", len(answers), type(error).__name__)
            return "\n".join([*answers, f"{entry}: not forgotten, nor what follows it ({type(error).__name__})."])
        counts = f"forgotten ({gone.pages} pages, {gone.facts} facts)."
        answers.append(f"{entry}: {counts if gone.pages or gone.facts else _UNKNOWN}")
    return "\n".join(answers)


def explained(name: str, error: MemoryOSError) -> str:
    """What a tool tells the model when the memory refused or failed; none of it was written by others."""
    if isinstance(error, InvalidInputError):
        return str(error)
    logger.warning("%s failed: %s", name, type(error).__name__)
    return f"The memory cannot be used now ({type(error).__name__}). Go on without it."


def _entry(hit: Hit) -> str:
    """A line of ours, then the text set in, so that no remembered line can pass for one of ours."""
    tier = hit.tier.replace("_", "-")
    return f"[{hit.kind} {hit.id}, {written(hit.timestamp)}, {tier}]\n" + indent(escape(hit.text), "  ", lambda _: True)
