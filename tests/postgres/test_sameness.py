"""The same conversation gives the same memory on PostgreSQL, too, whoever consolidates it when (tests/pipeline)."""

from __future__ import annotations

import os
from itertools import repeat

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.pipeline.sameness import Event, Visit, events, lived, tight
from tests.pipeline.ties import outcome
from tests.postgres.emptying import emptied

pytestmark = pytest.mark.postgres

SOAK = "MEMORYOS_SOAK" in os.environ
TURNS, QUESTIONS = (160, 50) if SOAK else (40, 20)
workers: st.SearchStrategy[Visit] = st.sampled_from(("nobody", "nobody", "worker", "reopened"))


@settings(max_examples=12 if SOAK else 2, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(events, st.data())
def test_workers_and_reopenings_at_any_time_leave_the_same_memory(
    postgres_url: str, happening: list[Event], data: st.DataObject
) -> None:
    visits = data.draw(st.lists(workers, min_size=len(happening), max_size=len(happening)), label="visits")
    outcomes = []
    quiet: list[Visit] = ["nobody"] * len(happening)
    for some in (quiet, visits):
        emptied(postgres_url)
        outcomes.append(lived(repeat(postgres_url), happening, some, tight(), semantic=True))
    assert outcomes[0] == outcomes[1]


@pytest.mark.parametrize("semantic", [True, False], ids=["semantic", "words"])
def test_a_conversation_full_of_ties_gives_the_same_prompts_whatever_the_ids(postgres_url: str, semantic: bool) -> None:
    first, second = (outcome(emptied(postgres_url), semantic=semantic, said=TURNS, asked=QUESTIONS) for _ in range(2))
    assert second == first
