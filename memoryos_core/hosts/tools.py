"""The memory tools for a model that talks to a user, as text in and text out, for any host.

Who that user is comes from the host, never from the model: no argument names a user.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from textwrap import indent

from memoryos_core.api.user import UserMemory
from memoryos_core.errors import AccessError, InvalidInputError, MemoryOSError, NotFoundError
from memoryos_core.providers.tokens import estimate_tokens
from memoryos_core.rules.dates import day_in_words
from memoryos_core.rules.ranking.packing import fit
from memoryos_core.rules.ranking.rendering import (
    ENTRIES,
    NEWEST,
    PERSONA,
    add_notice,
    compose,
    escape,
    line,
    profile_lines,
)
from memoryos_core.rules.text.cuts import shorten
from memoryos_core.values.dialogue import Hit
from memoryos_core.values.facts import Fact

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
CORRECT = (
    "Put a corrected statement in place of a fact about the current user that is wrong or out of date. Use it when the "
    "user says so. The old fact is no longer used. An empty text says that it no longer holds. Only facts can be "
    "corrected, not pages."
)
LIST = (
    "List what is known about the current user: the profile and the facts, newest first, with dates and ids. Use it "
    "when the user asks what you know, or to find a fact to correct or forget. To answer a question, use search_memory."
)
USEFUL = (
    "Say which entries of the current user's memory helped to answer. They are kept longer, and of entries that fit a "
    "question equally well they come first. Use it after an answer that rested on what search_memory brought."
)
_NOTHING_KNOWN = "Nothing is known about the user."
_NOTHING_MORE = "There are no more."
_NO_FACT = "no current fact has this id. {listing} shows the facts there are."
_NOTHING = "Nothing is remembered about that."
_LIST_BUDGET = 1000
_UNKNOWN = "nothing has this id. search_memory shows the ids there are."


def search_memory(user: UserMemory, query: str, k: int = 5, *, budget_tokens: int | None = None) -> str:
    """The k best entries for a query with their ids, in at most `budget_tokens` tokens of text, or as configured."""
    hits = user.recall(query, budget_tokens=budget_tokens, include_recent=False).hits[:k]
    return add_notice(compose([(ENTRIES, [_entry(hit) for hit in hits])])) or _NOTHING


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


def correct_memory(user: UserMemory, fact_id: str, text: str, *, listing: str = "list_memories") -> str:
    """Put a statement in place of a fact, or end it where the text is empty.

    What reads like an instruction waits for a person to look at it. `listing` is the host's name for `list_memories`.
    """
    try:
        if not text.strip():
            user.retire(fact_id)
            return f"Fact {fact_id} no longer holds."
        fact = user.correct(fact_id, text)
    except NotFoundError:
        return f"{escape(fact_id)}: {_NO_FACT.format(listing=listing)}"
    if fact.status == "quarantined":
        return "Not corrected for now: it reads like an instruction, and a person must look at it first."
    return f"Corrected: fact {fact.id} stands in place of {fact_id}."


def useful_memory(user: UserMemory, ids: Sequence[str]) -> str:
    """Count entries as visited once more, one by one."""
    return "\n".join(f"{escape(entry)}: {_count_visit(user, entry)}" for entry in dict.fromkeys(ids))


def _count_visit(user: UserMemory, entry: str) -> str:
    try:
        user.useful(entry)
    except NotFoundError:
        return _UNKNOWN
    return "noted."


def list_memories(
    user: UserMemory, k: int = 20, skip: int = 0, *, budget_tokens: int | None = None, listing: str = "list_memories"
) -> str:
    """Return `k` facts with their ids, newest first, after `skip` of them, and before the first ones the profile.

    `listing` is the host's name for this tool.

    Facts beyond `budget_tokens` (as estimated; None is 1000) are left for the next call; one that takes more than half
    of it is cut. Of the profile, what takes more than half of it is left out.
    """
    budget = _LIST_BUDGET if budget_tokens is None else budget_tokens
    facts = sorted(user.facts(), key=lambda fact: (fact.learned_at, fact.id), reverse=True)
    lines, used = fit(profile_lines(user.profile()) if skip == 0 else [], budget // 2, estimate_tokens)
    entries = [_fact_entry(fact, budget // 2) for fact in facts[skip : skip + k]]
    shown = fit(entries, budget - used, estimate_tokens)[0] or entries[:1]
    text = add_notice(compose([(PERSONA, lines), (NEWEST, shown)]))
    left = len(facts) - skip - len(shown)
    more = f"{left} more: {listing} with skip={skip + len(shown)}." if left > 0 else ""
    return "\n\n".join(filter(None, (text, more))) or (_NOTHING_MORE if skip else _NOTHING_KNOWN)


def explain_error(name: str, error: MemoryOSError) -> str:
    """Explain an error of the memory to the model, in words that hold no remembered text."""
    if isinstance(error, InvalidInputError):
        return str(error)
    logger.warning("%s failed: %s", name, type(error).__name__)
    if isinstance(error, AccessError):
        return "This is not allowed (AccessError): nobody has granted it to you in this memory. Go on without it."
    return f"The memory cannot be used now ({type(error).__name__}). Go on without it."


def _entry(hit: Hit) -> str:
    tier = hit.tier.replace("_", "-")
    # Who handed it in is told where that was not the application itself.
    writers = f", written by {line(', '.join(hit.written_by))}, trusted as {hit.trust}" if hit.written_by else ""
    return _set_in(f"[{hit.kind} {hit.id}, {day_in_words(hit.timestamp)}, {tier}{writers}]", hit.text)


def _fact_entry(fact: Fact, budget_tokens: int) -> str:
    head = f"[fact {fact.id}, {day_in_words(fact.event_time or fact.valid_from)}, long-term]"
    limit = max(budget_tokens - estimate_tokens(head), 1)
    return _set_in(head, shorten(fact.text, frozenset(), limit, lambda text: estimate_tokens(_set_in("", text))))


def _set_in(head: str, text: str) -> str:
    """A line of ours, then the text set in, so that no remembered line can pass for one of ours."""
    return f"{head}\n" + indent(escape(text), "  ", lambda _: True)
