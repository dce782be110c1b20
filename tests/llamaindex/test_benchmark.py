"""The benchmark of memories runs, on small conversations; how long anything takes is asked of nobody here."""

from __future__ import annotations

import re
import sys

import pytest

from benchmarks import chat_memories

NAMES = ["ChatMemoryBuffer", "Memory, in RAM", "Memory, SQLite file", "MemoryOSMemory, words only"]


def cells(line: str) -> list[str]:
    assert line.startswith("| ")
    assert line.endswith(" |")
    return line[2:-2].split(" | ")


def test_every_memory_is_measured_at_every_size() -> None:
    head, rule, *rows = chat_memories.table((4, 10), rounds=3, embedders=["terms"])
    assert rule == "|" + "---|" * len(cells(head))
    assert cells(head)[4:] == ["opened", "put question", "get", "get again", "put answer"]
    found = [cells(row) for row in rows]
    assert [(size, name) for size, name, *_ in found] == [(size, name) for size in ("4", "10") for name in NAMES]
    for size, _, rounds, returned, *times in found:
        assert rounds == "3"
        assert int(returned) == int(size) + 1, "the conversation and the question, each round in a session of its own"
        assert len(times) == 5
        assert all(re.fullmatch(r"\d+\.\d / \d+\.\d", time) for time in times)


def test_longer_sessions_serve_several_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chat_memories, "_MESSAGES_A_TURN", 5)
    _, _, *rows = chat_memories.table((10,), rounds=4, embedders=["terms"])
    assert [cells(row)[:4] for row in rows] == [["10", name, "4", "13"] for name in NAMES]


def test_a_slow_memory_leaves_the_race_and_the_others_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        chat_memories.System, "spent", property(lambda self: 1e9 * (self.name == NAMES[1] and done(self)))
    )
    *_, ram, file, _ = chat_memories.table((4,), rounds=3, embedders=["terms"])
    assert [cells(row)[1:3] for row in (ram, file)] == [[NAMES[1], "1"], [NAMES[2], "3"]]


def done(system: chat_memories.System) -> int:
    return len(system.times["put answer"])


def test_quantiles_of_one_and_of_many() -> None:
    assert chat_memories._quantiles([2.04]) == "2.0 / 2.0"
    assert chat_memories._quantiles([float(n) for n in range(100, 0, -1)]) == "51.0 / 96.0"


@pytest.mark.parametrize(("options", "sizes"), [(["--quick"], [10, 100]), ([], [10, 100, 2_000])])
def test_it_prints_the_table_line_by_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], options: list[str], sizes: list[int]
) -> None:
    monkeypatch.setattr(sys, "argv", ["chat_memories", *options])
    monkeypatch.setattr(chat_memories, "_embedders", lambda: ["terms"])
    monkeypatch.setattr(chat_memories, "table", lambda given, rounds, embedders: [f"{n} {embedders}" for n in given])
    chat_memories.main()
    assert capsys.readouterr().out.splitlines() == [f"{n} ['terms']" for n in sizes]
