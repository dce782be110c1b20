"""The trust in a text, by its source: derived text is trusted no more than its sources (ADR 0017)."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from memoryos_core.values.dialogue import HALVES, Half, Message, Page
from memoryos_core.values.facts import TRUSTS, About, Trust

_OF_ROLE: dict[str, Trust] = {"user": "user", "tool": "tool"}
_SPOKEN = ("user", "assistant")


def rank(trust: Trust) -> int:
    """0 for the most trusted."""
    return TRUSTS.index(trust)


def least(trusts: Iterable[Trust]) -> Trust:
    """The least trusted of them; of none, "user": what cites nothing was told by the user on purpose."""
    return TRUSTS[max(map(rank, trusts), default=0)]


def of_message(message: Message) -> Trust:
    """Return the trust that its writer set, else that of its role; a system prompt counts as the assistant's."""
    return message.trust or _OF_ROLE.get(message.role, "assistant")


def of_page(messages: Iterable[Message]) -> Trust:
    """The least of its messages, tool results among them: the page shows all of them."""
    return least(map(of_message, messages))


def of_derived(about: About, pages: Iterable[Page], read: Collection[Half] = HALVES) -> Trust:
    """The trust of something learnt from pages: the minimum over its lineage.

    It speaks for the half that it is about, so it starts with that half's trust. Every message that the reader has
    `read` lowers it when it was said to be less. Tool results and system prompts are not read: they lower nothing.
    """
    said = least(m.trust for p in pages for m in p.messages if m.trust and m.role in _SPOKEN and m.half in read)
    return max(about, said, key=rank)
