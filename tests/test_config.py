"""Every number has a range, and a refusal says which value, why, and what is allowed."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryos_core import (
    ConfigError,
    GenerationConfig,
    HeatConfig,
    LongTermConfig,
    MemoryConfig,
    MidTermConfig,
    RecallConfig,
    ShortTermConfig,
    WorkerConfig,
)

PARTS: dict[str, Callable[..., object]] = {
    "short_term": ShortTermConfig,
    "mid_term": MidTermConfig,
    "heat": HeatConfig,
    "long_term": LongTermConfig,
    "recall": RecallConfig,
    "worker": WorkerConfig,
    "generation": GenerationConfig,
}
WHOLE: dict[str, dict[str, int]] = {
    "short_term": {"capacity_pages": 1, "capacity_tokens": 1, "batch_pages": 1, "active_sessions": 1},
    "mid_term": {"capacity_segments": 1, "max_keywords": 1, "summary_sentences": 1},
    "long_term": {"capacity_facts": 1, "known_facts_shown": 0},
    "recall": {"budget_tokens": 1, "top_segments": 1, "top_pages": 1, "top_facts": 0, "candidates": 1},
    "worker": {"threads": 1, "attempts": 1, "max_calls": 0, "max_tokens": 0},
    "generation": {"max_words": 1, "max_tokens": 1},
}
WEIGHTS = ("lexical", "dense", "segment", "session", "date", "speaker", "heat", "recency", "thread")
NUMBERS: dict[str, dict[str, tuple[float, float]]] = {
    "mid_term": dict.fromkeys(("join_threshold", "lexical_join_threshold"), (-1.0, 2.0))
    | dict.fromkeys(("continuity", "lexical_continuity"), (-1.0, 1.0)),
    "heat": dict.fromkeys(("alpha", "beta", "gamma", "threshold"), (0, math.inf)) | {"mu_seconds": (1e-9, math.inf)},
    "long_term": {"same_fact": (0, 1)},
    "recall": dict.fromkeys(WEIGHTS, (0.0, math.inf))
    | dict.fromkeys(("min_score", "nameless", "window", "recent_share", "persona_share"), (0, 1)),
    "worker": dict.fromkeys(("backoff_seconds", "backoff_ceiling_seconds"), (0, math.inf)),
    "generation": {"temperature": (0, 2)},
}
whole_cases = [(part, name, least) for part, names in WHOLE.items() for name, least in names.items()]
number_cases = [(part, name, *ends) for part, names in NUMBERS.items() for name, ends in names.items()]


@pytest.mark.parametrize(("part", "name", "least"), whole_cases)
def test_whole_numbers_have_a_least(part: str, name: str, least: int) -> None:
    assert getattr(PARTS[part](**{name: least}), name) == least
    for wrong in (least - 1, 2.5, "7", True, math.nan):
        with pytest.raises(ConfigError) as refused:
            PARTS[part](**{name: wrong})
        expected = f"{part}.{name}={wrong!r} is not allowed: it must be a whole number, {least} or more"
        assert str(refused.value) == expected


@pytest.mark.parametrize(("part", "name", "least", "most"), number_cases)
def test_numbers_have_a_range(part: str, name: str, least: float, most: float) -> None:
    assert getattr(PARTS[part](**{name: least}), name) == least
    wrong: tuple[object, ...] = (math.nextafter(least, -math.inf), math.nan, math.inf, "1", None, False)
    for value in (*wrong, math.nextafter(most, math.inf)) if most < math.inf else wrong:
        with pytest.raises(ConfigError) as refused:
            PARTS[part](**{name: value})
        allowed = f"a number from {least:g} to {most:g}" if most < math.inf else f"a number, {least:g} or more"
        assert str(refused.value) == f"{part}.{name}={value!r} is not allowed: it must be {allowed}"


@pytest.mark.parametrize(
    ("part", "name", "allowed"),
    [
        ("long_term", "eviction", ("fifo", "lowest_value")),
        ("recall", "coverage", ("asked", "always", "never")),
        ("worker", "mode", ("background", "inline", "manual")),
    ],
)
def test_choices_are_named(part: str, name: str, allowed: tuple[str, ...]) -> None:
    for choice in allowed:
        assert getattr(PARTS[part](**{name: choice}), name) == choice
    with pytest.raises(ConfigError, match="must be one of " + ", ".join(map(repr, allowed))) as refused:
        PARTS[part](**{name: "sometimes"})
    assert f"{part}.{name}='sometimes'" in str(refused.value)


@pytest.mark.parametrize(
    ("part", "name"),
    [("recall", "gate"), ("recall", "resolve_times"), ("generation", "vote"), ("generation", "polish")],
)
def test_switches_are_on_or_off(part: str, name: str) -> None:
    for value in (True, False):
        assert getattr(PARTS[part](**{name: value}), name) is value
    for wrong in ("no", 1, None):
        with pytest.raises(ConfigError, match=f"{part}.{name}=.* must be True or False"):
            PARTS[part](**{name: wrong})


def test_two_shares_cannot_take_more_than_there_is() -> None:
    assert RecallConfig(recent_share=0.9, persona_share=0.1).recent_share == 0.9
    with pytest.raises(ConfigError, match=r"recall\.recent_share \+ recall\.persona_share=1\.3 is not allowed"):
        RecallConfig(recent_share=0.8, persona_share=0.5)


def test_none_is_no_limit() -> None:
    assert RecallConfig(top_pages=None).top_pages is None
    assert WorkerConfig(max_calls=None, max_tokens=None).max_calls is None
    assert GenerationConfig(max_words=None, max_tokens=None).max_words is None


@given(part=st.sampled_from(sorted(PARTS)))
def test_the_defaults_are_allowed_and_cannot_be_changed_in_place(part: str) -> None:
    config = PARTS[part]()
    assert dataclasses.replace(config) == config  # type: ignore[type-var]
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(config, dataclasses.fields(config)[0].name, 3)  # type: ignore[arg-type]


def test_paper_is_the_papers_section_4_1_to_the_letter() -> None:
    paper = MemoryConfig.paper()
    assert paper.short_term.capacity_pages == 7
    assert paper.short_term.batch_pages == 1
    assert paper.mid_term.capacity_segments == 200
    assert paper.mid_term.join_threshold == 0.6
    assert (paper.heat.alpha, paper.heat.beta, paper.heat.gamma) == (1, 1, 1)
    assert paper.heat.mu_seconds == 1e7
    assert paper.heat.threshold == 5
    assert (paper.long_term.capacity_facts, paper.long_term.eviction) == (100, "fifo")
    assert (paper.recall.top_segments, paper.recall.top_pages) == (5, 10)
    assert paper.recall.gate is True
    assert (paper.recall.coverage, paper.recall.nameless) == ("never", 0)
    # A weight of anything above 0 leaves the order to cosines alone.
    assert {name for name in WEIGHTS if getattr(paper.recall, name)} == {"dense"}


def test_every_part_may_be_replaced() -> None:
    config = dataclasses.replace(MemoryConfig(), heat=HeatConfig(threshold=9))
    assert config.heat.threshold == 9
    assert config.short_term == ShortTermConfig()
