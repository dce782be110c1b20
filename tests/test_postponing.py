"""What failed waits longer each time, up to a ceiling, and starts anew after it went well."""

from __future__ import annotations

from memoryos_core.consolidation.leases import Postponed


def test_pauses_double_up_to_the_ceiling_and_start_anew() -> None:
    waiting = Postponed[str, int](1.0, 5.0)
    pauses: list[float | None] = []
    for _ in range(4):
        waiting.add("ada", 1, now=100.0)
        pauses.append(waiting.pause(100.0))
    waiting.succeeded("ada")
    waiting.add("ada", 1, now=100.0)
    assert [*pauses, waiting.pause(100.0)] == [2.0, 4.0, 5.0, 5.0, 2.0]


def test_only_what_is_due_comes_out_and_only_once() -> None:
    waiting = Postponed[str, int](1.0, 60.0)
    waiting.add("ada", 1, now=0.0)
    waiting.add("bob", 2, now=10.0)
    assert waiting.due(5.0) == [("ada", 1)]
    assert waiting.due(5.0) == []
    assert waiting.pause(5.0) == 7.0
    waiting.clear()
    assert waiting.pause(5.0) is None
