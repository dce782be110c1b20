"""The way in: batches, calls, twins, heat, conflicts. Real store, scripted model."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta, timezone

import pytest

from memoryos_core import (
    ChatRequest,
    HeatConfig,
    LongTermConfig,
    MemoryConfig,
    MemoryOS,
    MidTermConfig,
    ModelError,
    ShortTermConfig,
    WorkerConfig,
)
from memoryos_core.testing.fakes import FixedClock, ScriptedChat, quotes_in
from memoryos_core.values.events import Event, PagedOut, Promoted, SegmentOpened, StepFailed

START = datetime(2024, 1, 1, 9, tzinfo=timezone.utc)
SMALL = MemoryConfig(
    long_term=LongTermConfig(reads="hot"),
    short_term=ShortTermConfig(capacity_pages=4, batch_pages=4),
    worker=WorkerConfig(mode="manual", attempts=1, backoff_seconds=0.0),
)


def model_answer(request: ChatRequest) -> str:
    """Answers both steps for whatever pages it is shown: one topic, one fact a page."""
    quotes = quotes_in(request.prompts[-1].text)
    pages = list(quotes)
    if request.schema_name == "page_out":
        return json.dumps(
            {
                "continues_previous": True,
                "chains": [{"first": 1, "summary": "They talk about the garden."}],
                "topics": [{"pages": pages, "summary": "The garden.", "keywords": ["garden", "tomato"]}],
            }
        )
    facts = [{"quote": quotes[n], "op": "add", "about": "user", "text": f"The user did thing {n}."} for n in pages]
    traits = [{"dimension": "Openness", "level": "high", "reason": "tries new plants", "pages": pages[:2]}]
    name = {"quote": quotes[1], "name": "name", "value": "Ada"}
    return json.dumps({"facts": facts, "profile": [name], "traits": traits})


@pytest.fixture
def events() -> list[Event]:
    return []


@pytest.fixture
def open_memory(events: list[Event]) -> Iterator[object]:
    opened: list[MemoryOS] = []

    def make(
        llm: ScriptedChat | None = None, config: MemoryConfig = SMALL, clock: FixedClock | None = None
    ) -> MemoryOS:
        memory = MemoryOS(
            "sqlite://", embedder=None, llm=llm, config=config, clock=clock or FixedClock(START), on_event=events.append
        )
        opened.append(memory)
        return memory

    yield make
    for memory in opened:
        memory.close()


LINES = {
    "garden": ("I watered the garden and planted tomato seedlings.", "Tomato plants like the garden sun."),
    "violin": ("I practised a violin sonata by Bach.", "Bach wrote hard violin sonatas."),
    "orchard": ("I bought a secret orchard.", "An orchard needs pruning."),
    "quarry": ("I swam at the quarry.", "Quarry water is cold."),
    "greenhouse": ("I repaired the greenhouse glass.", "Greenhouse glass breaks in storms."),
}


def talk(memory: MemoryOS, pages: int, user: str = "ada", subject: str = "garden", first: int = 0) -> None:
    handle = memory.user(user, session_id="s")
    for i in range(first, first + pages):
        when = START - timedelta(days=30) + timedelta(minutes=i)
        said, answered = LINES[subject]
        handle.add(f"{said} It is day {i}.", answered, timestamp=when)


def test_capacity_stays_and_the_rest_moves_in_batches_of_one_call_each(open_memory, events) -> None:
    chat = ScriptedChat(model_answer)
    memory = open_memory(chat)
    talk(memory, 12)
    report = memory.user("ada").consolidate()
    stats = memory.user("ada").stats()
    assert (stats.pages_short_term, stats.pages_mid_term) == (4, 8)
    assert report.pages_moved == 8
    assert sum(r.schema_name == "page_out" for r in chat.requests) == 2
    assert [len(e.page_ids) for e in events if isinstance(e, PagedOut)] == [4, 4]


def test_one_topic_is_one_segment_and_one_chain_across_batches(open_memory) -> None:
    memory = open_memory(ScriptedChat(model_answer))
    talk(memory, 12)
    memory.user("ada").consolidate()
    segments = memory.user("ada").segments()
    assert len(segments) == 1
    assert segments[0].page_count == 8
    assert set(segments[0].keywords) == {"garden", "tomato"}


def test_a_hot_segment_teaches_facts_traits_and_profile_that_cite_their_pages(open_memory, events) -> None:
    memory = open_memory(ScriptedChat(model_answer))
    talk(memory, 12)
    ada = memory.user("ada")
    report = ada.consolidate()
    assert report.segments_promoted == 2  # after each of two batches
    assert report.facts_learned == len(ada.facts("user")) == 4  # the model says the same of both
    assert all(len(f.page_ids) == 1 for f in ada.facts())
    assert ada.profile().get("name") == "Ada"
    assert [t.category for t in ada.profile().traits] == ["needs and personality"]
    assert ada.segments()[0].unanalysed == 0
    assert [e.facts for e in events if isinstance(e, Promoted)] == [4, 0]


def test_facts_hold_from_when_they_were_said_not_from_when_they_were_read(open_memory) -> None:
    memory = open_memory(ScriptedChat(model_answer))
    talk(memory, 12)
    memory.user("ada").consolidate()
    fact = memory.user("ada").facts()[0]
    assert fact.learned_at == START
    assert fact.valid_from < START - timedelta(days=29)


def test_promotion_cools_the_segment(open_memory) -> None:
    memory = open_memory(ScriptedChat(model_answer))
    talk(memory, 12)
    ada = memory.user("ada")
    ada.consolidate()
    (segment,) = ada.segments()
    assert segment.l_interaction == 0
    assert ada.heat(segment) < SMALL.heat.threshold
    assert ada.consolidate().segments_promoted == 0


def test_every_hot_segment_is_read_not_only_the_hottest(open_memory) -> None:
    """The published code looks at the top of its heap alone: a visited segment without news starves the others (D6)."""
    memory = open_memory(None, replace(SMALL, mid_term=MidTermConfig(join_threshold=0.5)))
    talk(memory, 12, subject="garden")
    talk(memory, 12, subject="violin", first=12)
    ada = memory.user("ada")
    ada.consolidate()
    assert all(s.unanalysed == 0 for s in ada.segments() if ada.heat(s) + s.unanalysed >= SMALL.heat.threshold)
    assert len([s for s in ada.segments() if s.page_count >= 4]) >= 2


def test_a_dead_model_costs_nothing_but_marks_and_is_made_good_when_it_is_back(open_memory, events) -> None:
    down = [True]

    def sometimes(request: ChatRequest) -> str:
        if down[0]:
            raise ModelError("connection refused")
        return model_answer(request)

    memory = open_memory(ScriptedChat(sometimes))
    talk(memory, 12)
    ada = memory.user("ada")
    first = ada.consolidate()
    assert first.pages_moved == 8
    assert first.fallbacks >= 2
    assert ada.stats().pages_to_reread == 8
    assert any(isinstance(e, StepFailed) for e in events)
    assert all("refused" not in s.summary for s in ada.segments())
    down[0] = False
    second = ada.consolidate()
    assert second.pages_reread == 8
    assert ada.stats().pages_to_reread == 0
    assert any("The garden." in s.summary for s in ada.segments())
    assert ada.profile().get("name") == "Ada"


@pytest.mark.parametrize(
    "nonsense", ["", "I cannot do that.", "[]", "{}", "null", '{"topics": 3}', "<think>hm", "{" * 5000]
)
def test_nonsense_from_the_model_never_becomes_memory(open_memory, nonsense: str) -> None:
    memory = open_memory(ScriptedChat([], otherwise=nonsense))
    talk(memory, 12)
    ada = memory.user("ada")
    ada.consolidate()
    stats = ada.stats()
    assert (stats.pages, stats.pages_short_term) == (12, 4)
    texts = [s.summary for s in ada.segments()] + [f.text for f in ada.facts()]
    assert all(nonsense not in text for text in texts if nonsense)
    assert memory.usage().failures > 0


def test_a_call_budget_is_kept_and_the_twin_goes_on(open_memory) -> None:
    config = replace(SMALL, worker=WorkerConfig(mode="manual", max_calls=1))
    chat = ScriptedChat(model_answer)
    memory = open_memory(chat, config)
    talk(memory, 20)
    memory.user("ada").consolidate()
    assert chat.calls == 1
    assert memory.user("ada").stats().pages_mid_term == 16


def test_pages_of_one_user_never_reach_the_others_prompt(open_memory) -> None:
    chat = ScriptedChat(model_answer)
    memory = open_memory(chat)
    talk(memory, 12, user="ada", subject="orchard")
    talk(memory, 12, user="bob", subject="quarry")
    memory.user("bob").consolidate()
    assert chat.calls > 0
    assert all("orchard" not in p.text for r in chat.requests for p in r.prompts)


def test_the_coldest_segments_are_archived_and_stay_recallable(open_memory) -> None:
    config = replace(SMALL, mid_term=MidTermConfig(capacity_segments=1, join_threshold=0.9))
    memory = open_memory(None, config)
    talk(memory, 8, subject="greenhouse")
    talk(memory, 8, subject="violin", first=8)
    ada = memory.user("ada")
    report = ada.consolidate()
    assert report.segments_evicted >= 1
    assert len(ada.segments()) == 1
    assert len(ada.segments(archived=True)) == report.segments_evicted
    assert ada.stats().pages == 16
    assert memory.user("ada", session_id="new").recall("greenhouse glass", budget_tokens=300)


def test_sessions_nobody_writes_any_more_leave_short_term_whole(open_memory) -> None:
    config = replace(SMALL, short_term=ShortTermConfig(capacity_pages=4, batch_pages=4, active_sessions=1))
    memory = open_memory(None, config)
    memory.user("ada", session_id="old").add("I baked bread", "Nice")
    talk(memory, 3)
    memory.user("ada").consolidate()
    assert memory.user("ada").stats().pages_short_term == 3
    assert [m.text for m in memory.user("ada", session_id="old").messages()] == ["I baked bread", "Nice"]


def test_heat_threshold_decides_promotion(open_memory) -> None:
    memory = open_memory(None, replace(SMALL, heat=HeatConfig(threshold=1000)))
    talk(memory, 12)
    assert memory.user("ada").consolidate().segments_promoted == 0
    assert memory.user("ada").facts() == []


def test_calls_and_prompt_tokens_over_200_turns_stay_within_target(open_memory) -> None:
    """Published code: 3.45 calls a turn and 14 prompt tokens for each of dialogue (algorithm.md §4)."""
    chat = ScriptedChat(model_answer)
    memory = open_memory(chat, MemoryConfig(worker=WorkerConfig(mode="manual")))
    handle = memory.user("ada", session_id="s")
    subjects = ("garden", "violin", "bakery", "chess", "climbing", "pottery", "sailing", "astronomy", "bees", "bread")
    said = 0
    for i in range(200):
        subject = subjects[(i // 10) % len(subjects)]
        user = (
            f"Today I spent time on {subject} again, it is turn {i}, and I want to tell you how it went in detail. " * 2
        )
        agent = (
            f"That sounds good, {subject} needs patience; next time try it in the morning and write down what you see. "
        )
        page = handle.add(user, agent * 2, timestamp=START + timedelta(minutes=i))
        said += page.tokens
        if i % 20 == 19:
            handle.consolidate()
    handle.consolidate()
    usage = memory.usage()
    assert 70 <= said / 200 <= 105  # by tiktoken or by the estimate
    assert usage.calls / 200 <= 0.3
    assert usage.prompt_tokens / said <= 2.5


def test_segments_open_event_names_each_new_segment(open_memory, events) -> None:
    memory = open_memory(None)
    talk(memory, 12)
    memory.user("ada").consolidate()
    opened = [e.segment_id for e in events if isinstance(e, SegmentOpened)]
    assert sorted(opened) == sorted(s.id for s in memory.user("ada").segments())
