"""Topics as people read them: titled, dated, hottest first."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import numpy as np

from memoryos_core import AsyncMemoryOS, MemoryConfig, MemoryOS, ShortTermConfig, WorkerConfig
from memoryos_core.rules.paging.topics import titles
from memoryos_core.testing.fakes import FixedClock, KeywordEmbedder
from memoryos_core.values.dialogue import Segment
from tests.faces.test_display import NOW

CONFIG = MemoryConfig(short_term=ShortTermConfig(capacity_pages=1, batch_pages=1), worker=WorkerConfig(mode="manual"))
BOAT, VIOLIN = "The boat has a keel and the boat has an anchor.", "The violin has strings and the violin has a bow."


def filled(clock: FixedClock) -> MemoryOS:
    memory = MemoryOS("sqlite://", embedder=KeywordEmbedder(), config=CONFIG, clock=clock)
    ada = memory.user("ada", session_id="s")
    for day, said in enumerate((BOAT, BOAT, BOAT, VIOLIN, "Good night.")):
        ada.add(said, said, timestamp=NOW + timedelta(days=day))
    ada.consolidate()
    return memory


def test_topics_are_titled_dated_and_the_hottest_stands_first() -> None:
    with filled(FixedClock(NOW + timedelta(days=9))) as memory:
        boat, violin = memory.user("ada").topics()
    assert (boat.pages, violin.pages) == (3, 1)
    assert boat.heat > violin.heat
    assert "boat" in boat.title.lower()
    assert "violin" in violin.title.lower()
    assert (boat.since, boat.until) == (NOW, NOW + timedelta(days=2))
    assert violin.since == violin.until == NOW + timedelta(days=3)
    assert BOAT in boat.summary


async def test_an_empty_memory_has_no_topics() -> None:
    async with AsyncMemoryOS("sqlite://", embedder=None) as memory:
        assert await memory.user("ada").topics() == []


def test_a_title_is_made_of_what_tells_a_segment_from_the_others() -> None:
    def segment(name: str, *keywords: str) -> Segment:
        return Segment(name, "", keywords, np.zeros(0, dtype=np.float32))

    shared = ("maybe", "week")
    found = titles(
        [
            segment("a", *shared, "boat", "keel", "anchor"),
            segment("b", *shared, "violin", "strings", "bow"),
            segment("c"),
            segment("d", *shared, "柴犬"),
        ]
    )
    assert (found["a"], found["b"], found["c"]) == ("Boat, keel, anchor", "Violin, strings, bow", "")
    assert "柴犬" in found["d"]


def test_dates_are_aware() -> None:
    with filled(FixedClock(NOW)) as memory:
        assert all(t.since is not None and t.since.tzinfo == timezone.utc for t in memory.user("ada").topics())
        assert isinstance(memory.user("ada").topics()[0].until, datetime)


def test_a_title_has_five_words_at_most_and_keeps_phrases_whole() -> None:
    segment = Segment("a", "", ("Living Mountain", "Nan Shepherd", "red kite", "ring"), np.zeros(0, dtype=np.float32))
    assert titles([segment]) == {"a": "Living Mountain, Nan Shepherd, ring"}
