"""The same conversation gives the same memory, byte for byte, whenever it is consolidated or rebuilt (ADR 0023)."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.pipeline.sameness import Event, Visit, events, lived, tight, with_questions

SOAK = "MEMORYOS_SOAK" in os.environ

nobody: st.SearchStrategy[Visit] = st.just("nobody")
workers: st.SearchStrategy[Visit] = st.sampled_from(("nobody", "worker"))
anybody: st.SearchStrategy[Visit] = st.sampled_from(("nobody", "nobody", "worker", "reopened", "rebuilt"))


def urls(folder: str) -> Iterator[str]:
    return (f"sqlite:///{folder}/{number}.db" for number in count())


def drawn(data: st.DataObject, visits: st.SearchStrategy[Visit], happening: list[Event]) -> list[Visit]:
    return data.draw(st.lists(visits, min_size=len(happening), max_size=len(happening)), label="visits")


@settings(max_examples=30 if SOAK else 6, deadline=None)
@given(events, st.booleans(), st.sampled_from(("fifo", "lowest_value")), st.data())
def test_workers_reopenings_and_rebuildings_at_any_time_leave_the_same_memory(
    happening: list[Event], semantic: bool, eviction: str, data: st.DataObject
) -> None:
    config = tight(eviction=eviction)  # type: ignore[arg-type]
    with TemporaryDirectory() as folder:
        quiet = lived(urls(folder), happening, ["nobody"] * len(happening), config, semantic=semantic)
    with TemporaryDirectory() as folder:
        busy = lived(urls(folder), happening, drawn(data, anybody, happening), config, semantic=semantic)
    assert busy == quiet


@settings(max_examples=20 if SOAK else 4, deadline=None)
@given(with_questions, st.booleans(), st.data())
def test_the_same_questions_at_the_same_points_leave_the_same_memory(
    happening: list[Event], semantic: bool, data: st.DataObject
) -> None:
    outcomes = []
    quiet: list[Visit] = ["nobody"] * len(happening)
    for visits in (quiet, drawn(data, workers, happening)):
        with TemporaryDirectory() as folder:
            outcomes.append(lived(urls(folder), happening, visits, tight(), semantic=semantic))
    assert outcomes[0] == outcomes[1]


@pytest.mark.parametrize("mode", ["background", "inline"])
@settings(max_examples=8 if SOAK else 2, deadline=None)
@given(events, st.data())
def test_a_worker_in_the_background_and_one_inside_add_leave_what_one_call_at_the_end_leaves(
    mode: str, happening: list[Event], data: st.DataObject
) -> None:
    outcomes = []
    for config in (tight(), tight(mode)):  # type: ignore[arg-type]
        with TemporaryDirectory() as folder:
            visits: list[Visit] = ["nobody"] * len(happening)
            outcomes.append(lived(urls(folder), happening, visits, config, semantic=True))
    assert outcomes[0] == outcomes[1]


# In processes of their own: sets of words have another order in each.
_LIVED = """
import hashlib, itertools, sys
from tests.pipeline.sameness import TOPICS, QUESTIONS, Asked, Said, lived, tight

verbs = ("love", "sold", "painted", "moved to Lisbon with")
said = [
    Said(f"s{i % 3}", (("user", f"I {verbs[i % 4]} my {TOPICS[i * i % 5]}, and {TOPICS[i % 6]}. Day {i}."),), i % 2)
    for i in range(TURNS)
]
asked = [Asked("s0", question) for question in QUESTIONS]
urls = (f"sqlite:///{sys.argv[1]}/{number}.db" for number in itertools.count())
events = [*said[:-10], *asked, *said[-10:]]
print(lived(urls, events, ["nobody"] * len(events), tight(), semantic=True))
""".replace("TURNS", "40" if SOAK else "24")


def test_processes_that_hash_words_differently_remember_the_same(tmp_path: Path) -> None:
    outcomes = set[str]()
    for seed in ("0", "1", "2") if SOAK else ("0", "1"):
        (folder := tmp_path / seed).mkdir()
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)}
        command = [sys.executable, "-c", _LIVED, str(folder)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        outcomes.add(done.stdout)
    (outcome,) = outcomes
    assert "I moved to Lisbon with my" in outcome
