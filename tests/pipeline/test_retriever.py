"""The way out: what comes back for a question, by meaning and by words, filtered, gated, and never less for more."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from memoryos_core import (
    HeatConfig,
    MemoryConfig,
    MemoryOS,
    Message,
    MidTermConfig,
    ModelError,
    RecallConfig,
    ShortTermConfig,
    UserMemory,
    WorkerConfig,
)
from memoryos_core.ports import Embedder
from memoryos_core.recall.finding import round_to_four_places
from memoryos_core.rules.knowledge.lines import Book
from memoryos_core.stores import open_store
from memoryos_core.stores.sql.store import SqlStore
from memoryos_core.testing.fakes import FixedClock, KeywordEmbedder
from memoryos_core.values.commands import Learning, PageQuery, Promotion
from memoryos_core.values.dialogue import Page
from memoryos_core.values.facts import Fact, ProfileField

NOW = datetime(2024, 6, 1, 12, tzinfo=timezone.utc)
SMALL = MemoryConfig(
    short_term=ShortTermConfig(capacity_pages=2, batch_pages=1), worker=WorkerConfig(mode="manual", attempts=1)
)
SYNONYMS = {"vessel": "boat", "ship": "boat", "physician": "doctor"}
LINES = (
    ("I sold my boat in Horta.", "A good boat finds an owner."),
    ("The doctor says my knee is fine.", "Knees heal slowly."),
    ("We planted quinces behind the barn.", "Quinces like patience."),
    ("My sister plays the cello in Graz.", "The cello is a warm instrument."),
    ("I burnt the lentils again.", "Lentils forgive a lot."),
    ("The observatory opens on Fridays.", "Friday skies are best."),
)
Make = Callable[..., MemoryOS]


@pytest.fixture
def open_memory() -> Iterator[Make]:
    opened: list[MemoryOS] = []

    def make(embedder: Embedder | None = None, config: MemoryConfig = SMALL) -> MemoryOS:
        memory = MemoryOS("sqlite://", embedder=embedder, config=config, clock=FixedClock(NOW), token_counter=None)
        opened.append(memory)
        return memory

    yield make
    for memory in opened:
        memory.close()


def tell(user: UserMemory, *, days_ago: int = 30) -> UserMemory:
    """One turn a day, all in mid-term memory but the last two."""
    for i, (said, answered) in enumerate(LINES):
        user.add(said, answered, timestamp=NOW - timedelta(days=days_ago - i))
    user.consolidate()
    return user


def later(user: UserMemory, memory: MemoryOS) -> UserMemory:
    """The same user in a session of its own, so that nothing is shown for being recent."""
    return memory.user(user.scope.user_id, session_id="later")


def test_a_recall_reads_what_is_known_once(open_memory: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = open_memory(KeywordEmbedder())
    user = later(tell(memory.user("ann")), memory)
    user.recall("Who has the boat?")
    asked: list[str] = []
    for verb in ("cursor", "embedder", "profile", "facts", "pages", "heat_counters"):
        monkeypatch.setattr(SqlStore, verb, note_call(asked, verb, getattr(SqlStore, verb)))
    assert user.recall("Who has the boat?").hits
    assert Counter(asked) == {"cursor": 3, "embedder": 1, "profile": 1, "pages": 3, "heat_counters": 1}


def test_the_profile_is_amended_anew_only_when_a_fact_changes(
    open_memory: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = open_memory()
    user = tell(memory.user("ann"))
    home = ProfileField("home", "Porto", NOW - timedelta(days=2))
    memory._open().parts.store.promote(Promotion(user.scope, Learning(profile=(home,)), NOW))
    asking, amended = later(user, memory), list[str]()
    monkeypatch.setattr(Book, "amend", note_call(amended, "amend", Book.amend))
    assert [asking.recall(question).profile.get("home") for question in ("Where am I?", "Why?")] == ["Porto"] * 2
    assert len(amended) == 1
    learn(memory, user, fact("The user lives in Graz."))
    assert [asking.recall(question).profile.get("home") for question in ("Where am I?", "Why?")] == ["Graz"] * 2
    assert len(amended) == 2


def test_what_asks_nothing_reads_no_page_to_look_for_its_echo(
    open_memory: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = open_memory(KeywordEmbedder())
    user = later(tell(memory.user("ann")), memory)
    asked: list[str] = []
    user.recall("boat in Horta")
    monkeypatch.setattr(SqlStore, "pages", note_call(asked, "pages", SqlStore.pages))
    assert user.recall("boat in Horta").hits
    as_statement = len(asked)
    asked.clear()
    assert user.recall("Where is the boat in Horta?").hits
    assert len(asked) == as_statement + 1


def note_call(asked: list[str], name: str, verb: Callable[..., object]) -> Callable[..., object]:
    def call(*args: object, **kwargs: object) -> object:
        asked.append(name)
        return verb(*args, **kwargs)

    return call


def learn(memory: MemoryOS, user: UserMemory, *facts: Fact) -> None:
    memory._open().parts.store.promote(Promotion(user.scope, Learning(facts=facts), NOW))


def fact(text: str, *page_ids: str, days_ago: int = 0, fact_id: str = "f1") -> Fact:
    when = NOW - timedelta(days=days_ago)
    return Fact(fact_id, "user", text, learned_at=NOW, valid_from=when, page_ids=page_ids)


# by words and by meaning


def test_by_words_what_was_said_is_found_verbatim(open_memory: Make) -> None:
    memory = open_memory()
    ada = later(tell(memory.user("ada")), memory)
    recall = ada.recall("Where did I sell the boat?")
    assert "user: I sold my boat in Horta." in recall.text
    assert recall.hits[0].messages[0].text == "I sold my boat in Horta."
    assert recall.query == "Where did I sell the boat?"


def test_by_meaning_what_was_said_in_other_words_is_found(open_memory: Make) -> None:
    memory = open_memory(KeywordEmbedder(512, synonyms=SYNONYMS))
    ada = later(tell(memory.user("ada")), memory)
    assert ada.search("vessel", 1)[0].messages[0].text == "I sold my boat in Horta."
    plain = open_memory()
    assert later(tell(plain.user("ada")), plain).search("vessel", 1) == []


def test_what_was_told_on_purpose_is_found_by_meaning(open_memory: Make) -> None:
    memory = open_memory(KeywordEmbedder(512, synonyms=SYNONYMS))
    ada = tell(memory.user("ada"))
    told = ada.remember("Ada has a boat licence")
    assert told.id in [h.id for h in ada.search("vessel", 3)]


def test_what_was_told_while_the_embedder_was_down_gets_its_vector_later(
    open_memory: Make, caplog: pytest.LogCaptureFixture
) -> None:
    embedder = KeywordEmbedder(512, synonyms=SYNONYMS)
    memory = open_memory(embedder)
    ada = tell(memory.user("ada"))
    embedder.failure = ModelError("down")
    told = ada.remember("Ada has a boat licence")
    assert "without a vector" in caplog.text
    assert "licence" not in caplog.text
    embedder.failure = None
    assert told.id not in [h.id for h in ada.search("vessel", 9)]
    ada.consolidate()
    assert told.id in [h.id for h in ada.search("vessel", 9)]


def test_facts_follow_into_the_space_of_another_embedder(open_memory: Make) -> None:
    memory = open_memory(KeywordEmbedder(512))
    ada = tell(memory.user("ada"))
    page = ada.search("quinces", 1)[0].id
    told = ada.remember("Ada has a boat licence")
    learn(memory, ada, fact("Ada grows fruit trees.", page), fact("We planted quinces", page, fact_id="f2"))
    memory.reindex(embedder=KeywordEmbedder(256, synonyms=SYNONYMS), progress=False)
    vectors = memory._open().parts.store.vectors(ada.scope, [told.id, "f1", "f2"])
    assert {owner: v["fact"].shape for owner, v in vectors.items()} == {told.id: (256,), "f1": (256,)}
    assert told.id in [h.id for h in ada.search("vessel", 3)]


@pytest.mark.parametrize("failure", [ModelError("the key is wrong"), TimeoutError("took too long")])
def test_while_the_embedder_is_down_words_answer(
    open_memory: Make, caplog: pytest.LogCaptureFixture, failure: Exception
) -> None:
    embedder = KeywordEmbedder(512)
    memory = open_memory(embedder)
    ada = later(tell(memory.user("ada")), memory)
    embedder.failure = failure
    with caplog.at_level(logging.WARNING):
        recall = ada.recall("Who plays the cello?")
    assert "My sister plays the cello in Graz." in recall.text
    (line,) = [r for r in caplog.records if r.name == "memoryos_core.recall"]
    assert line.levelname == "WARNING"
    assert "words alone" in line.getMessage()
    assert "cello" not in caplog.text


def test_nothing_is_embedded_for_a_question_when_meaning_has_no_weight(open_memory: Make) -> None:
    embedder = KeywordEmbedder(512)
    memory = open_memory(embedder, replace(SMALL, recall=RecallConfig(dense=0.0)))
    ada = tell(memory.user("ada"))
    before = embedder.embedded
    assert later(ada, memory).recall("cello")
    assert embedder.embedded == before


@pytest.mark.parametrize("nothing", ["", " \n ", "\x00"])
def test_no_question_brings_no_hits(open_memory: Make, nothing: str) -> None:
    memory = open_memory()
    ada = tell(memory.user("ada"))
    assert ada.search(nothing) == []
    assert ada.recall(nothing).hits == ()
    assert ada.recall(nothing).recent != ()


def test_a_new_user_recalls_nothing(open_memory: Make) -> None:
    recall = open_memory().user("nobody").recall("cello")
    assert (bool(recall), recall.hits, recall.tokens) == (False, (), 0)


def test_a_least_score_prefers_nothing_to_noise(open_memory: Make) -> None:
    memory = open_memory(config=replace(SMALL, recall=RecallConfig(min_score=0.9)))
    ada = later(tell(memory.user("ada")), memory)
    assert ada.recall("Who plays the cello in Graz?")
    assert not ada.recall("What is a cello?")
    assert ada.recall("What is a cello?", min_score=0.0)


# recent turns and twins


def test_recent_turns_are_shown_once(open_memory: Make) -> None:
    memory = open_memory()
    ada = tell(memory.user("ada"))
    recall = ada.recall("When does the observatory open?")
    assert [p.messages[0].text for p in recall.recent] == [LINES[4][0], LINES[5][0]]
    assert recall.text.count("The observatory opens on Fridays.") == 1
    assert not {p.id for p in recall.recent} & {h.id for h in recall.hits}
    without = ada.recall("When does the observatory open?", include_recent=False)
    assert without.recent == ()
    assert without.text.count("The observatory opens on Fridays.") == 1


def test_what_is_said_twice_word_for_word_comes_back_once(open_memory: Make) -> None:
    memory = open_memory()
    ada = memory.user("ada")
    for day in (9, 8, 7):
        ada.add("Remind me of the  dentist", f"I will, time {day}.", timestamp=NOW - timedelta(days=day))
    ada.add("Something else", "Yes")
    ada.add("And another", "Yes")
    ada.consolidate()
    hits = later(ada, memory).recall("dentist").hits
    assert sum("dentist" in h.text for h in hits) == 1


def test_a_page_without_words_is_no_hit(open_memory: Make) -> None:
    memory = open_memory()
    ada = memory.user("ada")
    ada.add_messages([Message("tool", "the cello is in the attic", answers="c1"), Message("user", "cello?")])
    assert all(h.about == "user" for h in later(ada, memory).recall("cello").hits)


# facts


def test_a_fact_that_stands_in_its_page_becomes_the_page(open_memory: Make) -> None:
    memory = open_memory()
    ada = tell(memory.user("ada"))
    page = ada.search("quinces", 1)[0]
    learn(memory, ada, fact("We planted quinces behind the barn.", page.id))
    hits = later(ada, memory).search("planted quinces", 9)
    assert [h.kind for h in hits if "planted" in h.text] == ["page"]
    assert hits[0].id == page.id


def test_a_fact_in_a_models_words_is_a_hit_of_its_own(open_memory: Make) -> None:
    memory = open_memory()
    ada = tell(memory.user("ada"))
    page = ada.search("quinces", 1)[0]
    learn(memory, ada, fact("Ada grows quinces", page.id, days_ago=3))
    hit = next(h for h in later(ada, memory).search("grows quinces", 9) if h.kind == "fact")
    assert (hit.text, hit.tier, hit.page_ids, hit.about) == ("Ada grows quinces", "long_term", (page.id,), "user")
    assert hit.timestamp == NOW - timedelta(days=3)
    assert "- Ada grows quinces (29 May 2024)" in later(ada, memory).recall("grows quinces").text


def test_facts_and_pages_are_limited_by_number(open_memory: Make) -> None:
    memory = open_memory(config=replace(SMALL, recall=RecallConfig(top_pages=2, top_facts=1)))
    ada = tell(memory.user("ada"))
    learn(memory, ada, fact("Ada likes quinces"), fact("Ada likes the cello", fact_id="f2"))
    hits = later(ada, memory).search("Ada likes quinces cello boat knee lentils", 50)
    assert len([h for h in hits if h.kind == "fact"]) == 1
    assert len({h.id for h in hits if h.kind == "page"}) == 2


# filters


def test_since_is_included_and_until_is_not(open_memory: Make) -> None:
    memory = open_memory()
    ada = tell(memory.user("ada"))
    first, second = NOW - timedelta(days=30), NOW - timedelta(days=29)
    words = "boat doctor quinces cello lentils observatory"
    assert {h.timestamp for h in ada.search(words, 50, since=first, until=second)} == {first}
    assert min(h.timestamp for h in ada.search(words, 50, since=second)) == second
    naive = second.replace(tzinfo=None)
    assert ada.search(words, 50, since=naive) == ada.search(words, 50, since=second)


def test_a_search_stays_in_its_session(open_memory: Make) -> None:
    memory = open_memory()
    tell(memory.user("ada", session_id="one"))
    two = memory.user("ada", session_id="two")
    two.add("The cello is mine now.", "Lucky cello.")
    two.remember("Ada owns a cello")
    assert {h.session_id for h in two.search("cello", 50, session_id="two")} == {"two"}
    assert {h.session_id for h in two.search("cello", 50)} == {"one", "two", None}
    assert two.search("cello", session_id="three") == []


def test_a_search_stays_in_its_tiers(open_memory: Make) -> None:
    config = replace(SMALL, mid_term=MidTermConfig(capacity_segments=2, lexical_join_threshold=1.5))
    memory = open_memory(config=config)
    ada = tell(memory.user("ada"))
    ada.remember("Ada likes lentils")
    words = "boat doctor quinces cello lentils observatory"
    for tier in ("short_term", "mid_term", "archive", "long_term"):
        hits = ada.search(words, 50, tiers=[tier])
        assert {h.tier for h in hits} == {tier}
    assert {h.tier for h in ada.search(words, 50, tiers=["archive", "long_term"])} == {"archive", "long_term"}


@pytest.mark.parametrize("semantic", [True, False])
def test_a_filter_chooses_among_everything_not_among_the_best(open_memory: Make, semantic: bool) -> None:
    memory = open_memory(KeywordEmbedder(64) if semantic else None, replace(SMALL, recall=RecallConfig(candidates=5)))
    ada = memory.user("ada")
    ada.add("A cello, once, among very many other words that were said that day", "Yes", timestamp=NOW)
    for i in range(150):
        ada.add(f"cello cello cello {i}", f"cello {i}", timestamp=NOW - timedelta(days=1, minutes=i))
    ada.remember("In a long sentence about this and that and also more, a cello")
    ada.consolidate()
    assert len(ada.search("cello", 5, since=NOW, tiers=["short_term", "mid_term"])) >= 1
    assert [h.kind for h in ada.search("cello", 5, tiers=["long_term"])] == ["fact"]


def test_a_fact_turned_page_is_filtered_as_the_page(open_memory: Make) -> None:
    memory = open_memory()
    ada = tell(memory.user("ada"))
    page = ada.search("quinces", 1)[0]
    learn(memory, ada, fact("We planted quinces behind the barn.", page.id))
    assert all(h.timestamp >= NOW - timedelta(days=5) for h in ada.search("quinces", since=NOW - timedelta(days=5)))
    assert [h.id for h in ada.search("planted quinces", 1, until=NOW - timedelta(days=5))] == [page.id]


def test_hits_of_a_larger_search_begin_with_those_of_a_smaller(open_memory: Make) -> None:
    memory = open_memory()
    ada = tell(memory.user("ada"))
    ids = [[(h.id, h.about) for h in ada.search("boat cello knee", k)] for k in (1, 3, 9)]
    assert ids[2][:3] == ids[1]
    assert ids[1][:1] == ids[0]


def test_what_went_between_the_search_and_the_reading_is_no_hit() -> None:
    class Vanishing:
        """A store in which pages that are read by their ids have just been forgotten by another process."""

        def __init__(self) -> None:
            self._store = open_store("sqlite://")

        def pages(self, query: PageQuery) -> tuple[Page, ...]:
            return self._store.pages(query) if query.ids is None else ()

        def __getattr__(self, name: str) -> object:
            return getattr(self._store, name)

    with MemoryOS(Vanishing(), embedder=None, config=SMALL, clock=FixedClock(NOW)) as memory:  # type: ignore[arg-type]
        ada = memory.user("ada")
        ada.add("I keep bees.", "Lovely.")
        assert ada.search("bees") == []


# the paper's gate


@pytest.mark.parametrize("semantic", [True, False])
def test_the_papers_gate_looks_only_into_the_best_segments(open_memory: Make, semantic: bool) -> None:
    paper = MemoryConfig.paper()
    config = replace(
        paper,
        short_term=replace(paper.short_term, capacity_pages=1),
        mid_term=MidTermConfig(join_threshold=1.5, lexical_join_threshold=1.5),
        recall=replace(paper.recall, top_segments=2),
        worker=WorkerConfig(mode="manual"),
    )
    memory = open_memory(KeywordEmbedder(512) if semantic else None, config)
    ada = tell(memory.user("ada"))
    assert len(ada.segments()) == 5
    hits = later(ada, memory).recall("cello in Graz").hits
    assert 1 <= len({h.segment_id for h in hits}) <= 2
    assert hits[0].messages[0].text == "My sister plays the cello in Graz."
    assert all(h.tier == "mid_term" for h in hits)


def test_the_papers_gate_still_works_by_words_while_the_embedder_is_down(open_memory: Make) -> None:
    embedder = KeywordEmbedder(512)
    memory = open_memory(embedder, replace(MemoryConfig.paper(), worker=WorkerConfig(mode="manual")))
    ada = memory.user("ada")
    for _ in range(2):
        tell(ada)
    embedder.failure = ModelError("down")
    assert "cello in Graz" in later(ada, memory).recall("Who plays the cello?").hits[0].text


def test_the_gate_considers_every_page_of_its_segments(open_memory: Make) -> None:
    recall = replace(MemoryConfig.paper().recall, candidates=3, top_segments=1, top_pages=50)
    config = replace(SMALL, mid_term=MidTermConfig(join_threshold=0.2), recall=recall)
    memory = open_memory(KeywordEmbedder(64), config)
    ada = memory.user("ada")
    for i in range(30):
        ada.add(f"cello lesson number {i} today", f"cello note {i}")
    ada.consolidate()
    assert len(ada.segments()) == 1
    assert len({h.id for h in later(ada, memory).search("cello", 100)}) == 28


# heat


def test_a_warm_segment_lifts_its_pages(open_memory: Make) -> None:
    config = replace(
        SMALL, mid_term=MidTermConfig(lexical_join_threshold=2), recall=RecallConfig(heat=0.3, recency=0.0)
    )
    memory = open_memory(config=config)
    for place in ("north", "south"):
        ada = memory.user("ada", session_id=place)  # so that nothing but their heat tells one from the other
        ada.add(f"The {place} harbour has a crane", "Noted", timestamp=NOW - timedelta(days=9))
        ada.add("x", "y")
        ada.add("z", "w")
        ada.consolidate()
    new = later(ada, memory)
    assert "north" in new.search("harbour crane", 1)[0].text
    for _ in range(5):
        assert len(new.recall("south", budget_tokens=40).hits) == 1
    new.consolidate()
    best = new.search("harbour crane", 1)[0]
    assert "south" in best.text
    assert best.signals["heat"] > 0.1


def test_without_a_threshold_what_has_no_heat_is_cold(open_memory: Make) -> None:
    config = replace(SMALL, heat=HeatConfig(alpha=0, beta=0, gamma=0, threshold=0), recall=RecallConfig(heat=1.0))
    memory = open_memory(config=config)
    ada = later(tell(memory.user("ada")), memory)
    assert {h.signals["heat"] for h in ada.search("cello boat", 9)} == {0.0}


# the law


QUESTIONS = (
    "Where is the cello?",
    "boat knee quinces lentils",
    "What did you say on Friday?",
    "Graz",
    "zebra",
    "Give me a summary of the cello and the boat",
    "What did Bo say of the cello, and in which order?",
)
LONG = (
    "We took the tram to the market and ate plums. " * 6
    + "The cello was out of tune in Graz. "
    + "Rain fell on the boat and nobody minded. " * 6
)
turns = st.lists(
    st.tuples(
        st.sampled_from([said for said, _ in LINES] + ["ok", "Tell me more about it. " * 30, "cello " * 9, LONG]),
        st.sampled_from([answered for _, answered in LINES] + ["Sure.", "It depends on many things. " * 25]),
        st.integers(0, 60),
        st.sampled_from([None, None, "Bo", "Cy"]),
    ),
    min_size=1,
    max_size=25,
)


@settings(max_examples=25)
@given(
    talk=turns,
    budgets=st.lists(st.integers(1, 2500), min_size=2, max_size=8, unique=True).map(sorted),
    semantic=st.booleans(),
    heat=st.sampled_from([0.0, 0.05, 0.6]),
    coverage=st.sampled_from(["asked", "always", "never"]),
)
def test_more_budget_never_drops_a_hit(talk, budgets: list[int], semantic: bool, heat: float, coverage) -> None:
    config = replace(SMALL, recall=RecallConfig(heat=heat, coverage=coverage))
    embedder = KeywordEmbedder(64, synonyms=SYNONYMS) if semantic else None
    memory = MemoryOS("sqlite://", embedder=embedder, config=config, clock=FixedClock(NOW), token_counter=None)
    with memory:
        for said, answered, day, name in talk:
            ada = memory.user("ada", session_id=f"s{day % 4}")
            when = NOW - timedelta(days=day)
            ada.add_messages([Message("user", said, name, when), Message("assistant", answered, None, when)])
        ada = memory.user("ada", session_id="s0")
        ada.remember("Ada plays the cello")
        ada.consolidate()
        memory._engine.visits.note = lambda *_: None  # type: ignore[method-assign]  # a visit warms its segment, and so the next recall
        for question in QUESTIONS:
            before: set[str] = set()
            for budget in budgets:
                recall = ada.recall(question, budget_tokens=budget)
                assert recall.tokens <= budget
                now = {h.id for h in recall.hits} | {p.id for p in recall.recent}
                assert before <= now, (question, budget)
                before = now


def test_more_budget_reads_deeper_without_changing_the_order(open_memory: Make) -> None:
    config = replace(SMALL, recall=RecallConfig(heat=0.6), mid_term=MidTermConfig(lexical_join_threshold=1))
    memory = open_memory(
        config=replace(config, heat=HeatConfig(alpha=0, gamma=0, visit_seconds=None))
    )  # a visit lifts what the next one finds
    ada = memory.user("ada")
    for i in range(150):
        ada.add(f"cello {i}", f"ok {i}", timestamp=NOW - timedelta(days=i % 40))
    ada.consolidate()
    new = later(ada, memory)
    order = [[(h.id, h.about) for h in new.recall("cello", budget_tokens=b).hits] for b in (200, 900, 2000, 4000)]
    assert len(order[-1]) > 128
    for small, large in pairwise(order):
        assert large[: len(small)] == small


def test_timings_name_every_stage(open_memory: Make) -> None:
    memory = open_memory()
    recall = later(tell(memory.user("ada")), memory).recall("cello")
    assert list(recall.timings_ms) == ["profile", "embed", "search", "rank", "read", "pack"]
    assert all(ms >= 0 for ms in recall.timings_ms.values())


@given(arrays(np.float64, 30, elements=st.floats(-9, 9)), st.lists(st.integers(-90_000, 90_000), max_size=30))
def test_signals_are_rounded_as_python_rounds(values, halves):
    found = np.concatenate([values, [half / 20_000 for half in halves]])
    assert [repr(number) for number in round_to_four_places(found).tolist()] == [
        repr(round(number, 4)) for number in found.tolist()
    ]
