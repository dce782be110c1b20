"""Counts what a store holds against what it had promised: each message in one page, each page in one tier."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from demo.conversation import Conversation
from demo.terminal import say, table
from memoryos_core import MemoryOS

_TIERS = ("short_term", "mid_term", "archive")


@dataclass(frozen=True, slots=True)
class Survey:
    """What the store holds: how often each message, page and tier came up when everything was read."""

    messages: Mapping[str, int]
    pages: Mapping[str, int]
    tiers: Mapping[str, int]

    def lost(self, promised: Sequence[str]) -> int:
        """How many promised messages are not there."""
        return sum(message_id not in self.messages for message_id in promised)

    @property
    def doubled(self) -> int:
        """Messages in more than one page, and pages in more than one tier."""
        return sum(count > 1 for count in (*self.messages.values(), *self.pages.values()))

    @property
    def astray(self) -> int:
        """Pages in no tier that we know."""
        return sum(count for tier, count in self.tiers.items() if tier not in _TIERS)


def survey(memory: MemoryOS, conversation: Conversation) -> Survey:
    """Read every page of the user."""
    messages: Counter[str] = Counter()
    pages: Counter[str] = Counter()
    tiers: Counter[str] = Counter()
    user = memory.user(conversation.user_id, assistant_id=conversation.assistant_id)
    for row in user.export():
        if row["kind"] == "page":
            pages[str(row["id"])] += 1
            tiers[str(row["tier"])] += 1
            messages.update(_message_ids(row))
    return Survey(messages, pages, tiers)


def _message_ids(row: Mapping[str, Any]) -> list[str]:
    return [message["id"] for message in row["messages"]]


def show(found: Survey, promised: Sequence[str]) -> bool:
    """Print the count; True when nothing is missing, doubled or astray."""
    rows = [
        ("messages accepted", str(len(promised))),
        ("messages there", str(len(found.messages))),
        ("messages lost", str(found.lost(promised))),
        ("in two places", str(found.doubled)),
        ("pages there", str(len(found.pages))),
        *((f"  in {tier.replace('_', ' ')}", str(found.tiers.get(tier, 0))) for tier in _TIERS),
    ]
    say(table(rows, right=(1,)))
    return not (found.lost(promised) or found.doubled or found.astray)
