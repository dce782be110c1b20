"""Opens the memory as an application would, for the writer and for its reader alike."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

from demo import conversation as shipped
from demo import locomo
from demo.conversation import SHIPPED, Conversation
from memoryos_core import MemoryConfig, MemoryOS, ShortTermConfig

# The default waits for larger batches; a conversation of this size would then hardly move before the kill.
_CONFIG = MemoryConfig(short_term=ShortTermConfig(batch_pages=4, active_sessions=2))


def read_conversation(data: Path, sample_id: str | None = None) -> Conversation:
    """The conversation we ship, or one of a LoCoMo file."""
    return shipped.load(data) if data.resolve() == SHIPPED else locomo.load(data, sample_id)


def open_memory(store: Path, conversation: Conversation) -> MemoryOS:
    """A memory in one SQLite file, standing on the day after the conversation's last message.

    The clock is injected because heat decays: seen from today, everything in an old conversation is cold.
    """
    today = conversation.last + timedelta(days=1)

    def clock() -> datetime:
        return today

    return MemoryOS(f"sqlite:///{store}", config=_CONFIG, clock=clock)
