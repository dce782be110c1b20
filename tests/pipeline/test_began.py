"""Since when a value holds: the time that the change itself is told of, and not the day on which it was told."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest

from memoryos_core import MemoryConfig, MemoryOS, Message, UserMemory, WorkerConfig

MARCH = datetime(2026, 3, 1, 12, tzinfo=timezone.utc)
NOVEMBER = datetime(2026, 11, 20, 12, tzinfo=timezone.utc)  # a Friday


def told(memory: MemoryOS, change: str) -> UserMemory:
    for at, text in ((MARCH, "I live in Lisbon."), (NOVEMBER, change)):
        user = memory.user("ann", session_id=f"{at:%m}")
        user.add_messages([Message("user", text, None, at), Message("assistant", "Noted.", None, at)])
        user.end_session()
    memory.flush()
    return memory.user("ann", session_id="later")


def opened() -> MemoryOS:
    config = MemoryConfig(worker=WorkerConfig(mode="manual"))
    return MemoryOS("sqlite://", embedder=None, config=config, clock=lambda: NOVEMBER + timedelta(days=1))


@pytest.mark.parametrize(
    ("change", "since"),
    [
        ("We moved to Porto yesterday.", "19 November 2026"),
        ("We moved to Porto on Saturday.", "14 November 2026"),
        ("We moved to Porto over the weekend.", "about 14 November 2026"),
        ("We moved to Porto last week.", "about 12 November 2026"),
        ("We moved to Porto two weeks ago.", "about 5 November 2026"),
        ("We moved to Porto at the beginning of the month.", "November 2026"),
        ("We moved to Porto last month.", "October 2026"),
        ("We moved to Porto last summer.", "about July 2026"),
        ("We moved to Porto.", "20 November 2026"),
    ],
)
def test_a_value_holds_since_its_change(change: str, since: str) -> None:
    with opened() as memory:
        lines = told(memory, change).recall("Where do I live?").text.splitlines()
        assert f"- Home: Porto (since {since}; before: Lisbon)" in lines
        assert f"user: I live in Lisbon. (until {since}; now: Porto)" in lines
