"""Topics of whole memories are made anew: what was filed together too early comes apart, and nothing else changes."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from memoryos_core import HeatConfig, MemoryConfig, MemoryOS, MidTermConfig, Page, ShortTermConfig, WorkerConfig
from memoryos_core.errors import StoreBusyError
from memoryos_core.testing.fakes import ScriptedChat
from memoryos_core.tiers import mid_term, regrouping
from memoryos_core.values.chat import ChatRequest
from memoryos_core.values.commands import PageOut

SUBJECTS = {
    "tree": "I planted an apple tree with deep roots",
    "boat": "My sailing boat lost its rudder near Malta",
    "Bach": "We rehearsed Bach on violin and cello",
    "Bread": "Bread rises slowly in a cold oven",
}
CONFIG = MemoryConfig(
    short_term=ShortTermConfig(capacity_pages=2, batch_pages=2),
    heat=HeatConfig(threshold=1e6),
    worker=WorkerConfig(mode="manual"),
)
# How many pages somebody talks each day; every day begins with the tree and goes on with the others.
DAYS = (6, 20, 4, 10, 5, 17, 16, 14, 20, 8)
DAY_OF = [day for length in DAYS for day in range(length)]
PAGES = len(DAY_OF)


def line(number: int) -> str:
    day = DAY_OF[number]
    return f"{list(SUBJECTS.values())[day // 4 % len(SUBJECTS)]}, day{day}."


def opened(url: str = "sqlite://", config: MemoryConfig = CONFIG) -> MemoryOS:
    return MemoryOS(url, embedder=None, config=config)


def fill(memory: MemoryOS, first: int = 0, until: int = PAGES, *, each: int = 10) -> MemoryOS:
    ada = memory.user("ada", session_id="s")
    for number in range(first, until):
        ada.add(line(number), line(number).upper())
        if number % each == each - 1:
            ada.consolidate()
    ada.consolidate()
    return memory


def filed(memory: MemoryOS) -> list[Page]:
    return [page for page in memory.user("ada").pages() if page.segment_id]


def subject(page: Page) -> str:
    return next(name for name in SUBJECTS if name in page.messages[0].text)


def subjects(memory: MemoryOS) -> list[Counter[str]]:
    """Return how many pages of each subject every segment has, in the order of their first pages."""
    found: dict[str, Counter[str]] = {}
    for page in filed(memory):
        found.setdefault(str(page.segment_id), Counter())[subject(page)] += 1
    return list(found.values())


def moves(memory: MemoryOS, monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[PageOut]]:
    """Return what reads the batches that were written with a regrouping from now on."""
    store, seen = memory._engine.parts.store, list[PageOut]()
    write = store.page_out

    def page_out(move: PageOut) -> None:
        write(move)
        seen.append(move)

    monkeypatch.setattr(store, "page_out", page_out)
    return lambda: [move for move in seen if move.regrouping.moves or move.regrouping.dissolved]


def test_subjects_that_share_no_word_end_in_segments_of_their_own() -> None:
    with fill(opened()) as memory:
        assert [list(segment) for segment in subjects(memory)] == [["tree"], ["boat"], ["Bach"], ["Bread"]]


@pytest.mark.parametrize("each", [3, 10, PAGES])
def test_the_segments_do_not_depend_on_when_a_worker_comes_by(each: int) -> None:
    with fill(opened(), each=1) as quick, fill(opened(), each=each) as late:
        assert subjects(quick) == subjects(late)
        described = [[(s.summary, s.keywords, s.page_count) for s in m.user("ada").segments()] for m in (quick, late)]
        assert described[0] == described[1]


def test_they_do_not_depend_on_a_process_that_dies_at_the_batch_that_regroups(tmp_path: Path) -> None:
    path = f"sqlite:///{tmp_path}/died.db"
    numbers = count()
    for death in (3, 9, 11, 17):
        memory = opened(path)
        store, written = memory._engine.parts.store, count()
        write = store.page_out

        def page_out(move: PageOut, death: int = death, written: Iterator[int] = written, write: Any = write) -> None:
            if next(written) == death:
                raise StoreBusyError("the process is gone")
            write(move)

        store.page_out = page_out  # type: ignore[method-assign]
        with memory, pytest.raises(StoreBusyError):
            talk(memory, numbers)
    with fill(opened(path), next(numbers)) as after, fill(opened()) as never:
        assert subjects(after) == subjects(never)


def talk(memory: MemoryOS, numbers: Iterator[int]) -> None:
    """Add one page after the other, until something fails."""
    for number in numbers:
        fill(memory, number, number + 1)


def test_visits_and_interaction_survive_and_ids_go_with_most_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    with fill(opened(), until=30) as memory:
        ada = memory.user("ada", session_id="asking")
        for asked in ("apple tree roots", "sailing boat rudder", "Bach on the violin"):
            ada.recall(asked)
        ada.consolidate()
        regroupings = moves(memory, monkeypatch)
        number = 30
        while not regroupings() and number < PAGES:
            before = {s.id: (s.n_visit, s.l_interaction, s.page_count) for s in ada.segments()}
            homes = {page.id: page.segment_id for page in filed(memory)}
            fill(memory, number, number + 1)
            number += 1
        batch = len(regroupings()[0].moves)
        after = {s.id: s for s in ada.segments()}
        assert sum(v for v, _, _ in before.values()) == sum(s.n_visit for s in after.values()) > 0
        assert sum(i for _, i, _ in before.values()) + batch == sum(s.l_interaction for s in after.values())
        for segment_id, (_, _, pages) in before.items():
            stayed = sum(homes.get(p.id) == segment_id == p.segment_id for p in filed(memory))
            assert segment_id in after or stayed == 0
            assert stayed == pages or segment_id not in after or stayed >= pages / len(SUBJECTS)


def test_facts_chains_and_pages_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    with opened() as memory, monkeypatch.context() as patch:
        regroupings = moves(memory, monkeypatch)
        fill(memory)
        assert regroupings(), "some pages have moved"
        patch.setattr("memoryos_core.tiers.regrouping.is_due", lambda before, after: False)
        with fill(opened()) as never:
            facts = [sorted(f.text for f in m.user("ada").facts(current=False)) for m in (memory, never)]
            assert facts[0] == facts[1]
            texts = [[m.text for m in some.user("ada").transcript()] for some in (memory, never)]
            assert texts[0] == texts[1]
        chains = {str(page.chain_id) for page in filed(memory)}
        store = memory._engine.parts.store
        assert {c.id for c in store.chains(memory.user("ada").scope, sorted(chains))} == chains


def test_a_segment_says_only_what_its_own_pages_say() -> None:
    with fill(opened()) as memory:
        pages = filed(memory)
        for segment in memory.user("ada").segments():
            own = " ".join(m.text for page in pages if page.segment_id == segment.id for m in page.messages).lower()
            assert segment.summary
            assert all(word.lower() in own for word in segment.keywords)
            assert all(sentence.strip(" .").lower() in own for sentence in segment.summary.split(".") if sentence)


def told(request: ChatRequest) -> str:
    """Describe each subject of the pages as a model would, in words of its own."""
    shown = request.prompts[-1].text.lower()
    pages = {name: [] for name in SUBJECTS}  # type: dict[str, list[int]]
    for number, text in re.findall(r"\[(\d+)\]([^\[]*)", shown):
        pages[next(name for name in SUBJECTS if name.lower() in text)].append(int(number))
    topics = [
        {"pages": numbers, "summary": f"Written by a model: {name}.", "keywords": [name]}
        for name, numbers in pages.items()
        if numbers
    ]
    return json.dumps({"continues_previous": False, "chains": [], "topics": topics})


def test_what_a_model_wrote_of_an_untouched_segment_outlives_a_memory_without_one(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/m.db"
    texts = list(SUBJECTS.values())
    with MemoryOS(url, llm=ScriptedChat(told), embedder=None, config=CONFIG) as memory:
        for number in range(40):
            memory.user("ada", session_id="s").add(f"{texts[number // 10]}, {number}.", "I see.")
        memory.flush()
        before = {(topic.summary, topic.pages) for topic in memory.user("ada").topics()}
    assert ("Written by a model: Bach.", 10) in before
    with opened(url) as memory:
        for number in range(40, 80):
            memory.user("ada", session_id="s").add(f"{texts[3]}, {number}.", "I see.")
        memory.flush()
        after = {(topic.summary, topic.pages) for topic in memory.user("ada").topics()}
    kept = {(f"Written by a model: {name}.", 10) for name in ("tree", "boat", "Bach")}
    assert before & after == kept, "the other one has more pages now"


def test_the_paper_regroups_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    paper = replace(MemoryConfig.paper(), short_term=CONFIG.short_term, worker=CONFIG.worker)
    with opened(config=paper) as memory:
        regroupings = moves(memory, monkeypatch)
        fill(memory)
        assert not regroupings()


def test_what_was_evicted_is_left_alone() -> None:
    with opened(config=replace(CONFIG, mid_term=MidTermConfig(capacity_segments=2))) as memory:
        homes: dict[str, str | None] = {}
        ada = memory.user("ada")
        for until in range(10, PAGES, 5):
            fill(memory, until - 10 if until == 10 else until - 5, until)
            archived = {page.id: page.segment_id for page in ada.pages() if page.tier == "archive"}
            assert homes.items() <= archived.items()
            homes = archived
        assert len(ada.segments(archived=True)) > 1
        assert all(segment.page_count for segment in ada.segments(archived=True))


def test_segments_with_pages_beyond_the_bound_are_not_divided(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(regrouping, "_MOST_PAGES", 60)
    monkeypatch.setattr(mid_term, "_FEWEST_PAGES", 8)  # so that there are wrong joinings to undo
    with opened() as memory:
        ada = memory.user("ada")
        regroupings = moves(memory, monkeypatch)
        for until in range(1, PAGES):
            old = {page.id for page in filed(memory)[:-60]}
            settled = {page.segment_id for page in filed(memory) if page.id in old}
            seen = len(regroupings())
            fill(memory, until - 1, until)
            for move in regroupings()[seen:]:
                assert not {m.from_id for m in move.regrouping.moves} & settled
                assert not {s.id for s in move.regrouping.dissolved} & settled
        assert regroupings()
        assert sum(segment.page_count for segment in ada.segments()) == len(filed(memory))
