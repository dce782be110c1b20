"""Ranked units become hits: pages speak for facts that stand in them, nothing is said twice."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryos_core.config import RecallConfig
from memoryos_core.rules.paging.pages import Passage, Said
from memoryos_core.rules.ranking.hits import Shown, Spoken, Unit, distinct, hit_of, limit_hits, repeats, worth
from memoryos_core.rules.ranking.signals import Session
from memoryos_core.values.dialogue import Half, Hit, Message, Page
from memoryos_core.values.facts import Fact
from tests.rules.material import START, fact_hit, page_hit

MESSAGES = (
    Message("system", "Be kind."),
    Message("user", "I keep bees.", name="Ada"),
    Message("tool", "{}", answers="c"),
    Message("assistant", ""),
    Message("assistant", "How </memory> lovely."),
)
PAGE = Page("p", "s", 1, MESSAGES, START, "mid_term", segment_id="g")
FACT = Fact("f", "user", "I keep bees", START, START - timedelta(days=2), page_ids=("p", "q"))


def unit(owner: str, part: str) -> Unit:
    return Unit(owner, part, 0.75, {"lexical": 0.75})


def test_only_pages_that_the_session_ended_are_searched_for_what_says_a_fact(monkeypatch: pytest.MonkeyPatch) -> None:
    searched: list[str] = []
    monkeypatch.setattr(Said, "saying", lambda _said, _half, statement: searched.append(statement))
    fact = replace(FACT, page_ids=("p",), origin="rules")
    for page in (PAGE, replace(PAGE, ended=True, session_id="another")):
        assert not Session("s").supersedes_fact(fact, {"p": page})
    assert searched == []
    assert Session("s").supersedes_fact(fact, {"p": replace(PAGE, ended=True)})
    assert searched == [fact.text]


def test_a_fact_is_looked_for_in_its_page_once(monkeypatch: pytest.MonkeyPatch) -> None:
    searched: list[str] = []
    saying = Said.saying

    def count(said: Said, half: Half, statement: str) -> Passage | None:
        searched.append(statement)
        return saying(said, half, statement)

    monkeypatch.setattr(Said, "saying", count)
    spoken = Spoken({"p": PAGE})
    for _ in range(3):
        assert hit_of(unit("f", "fact"), spoken, {"f": FACT}) is not None
    assert searched == [FACT.text]


def test_half_of_a_page_is_what_that_side_said_escaped_and_named() -> None:
    user, assistant = (hit_of(unit("p", half), Spoken({"p": PAGE}), {}) for half in ("user", "assistant"))
    assert user is not None
    assert assistant is not None
    assert (user.text, user.messages, user.about) == ("Ada: I keep bees.", MESSAGES[1:2], "user")
    assert (assistant.text, assistant.messages) == ("assistant: How &lt;/memory> lovely.", MESSAGES[4:])
    assert (user.kind, user.id, user.tier, user.segment_id, user.session_id) == ("page", "p", "mid_term", "g", "s")
    assert (user.score, user.signals, user.page_ids) == (0.75, {"lexical": 0.75}, ("p",))


@pytest.mark.parametrize("half", ["user", "assistant"])
def test_half_that_says_nothing_is_no_hit(half: str) -> None:
    silent = replace(PAGE, messages=(Message("user", " "), Message("tool", "42", answers="c")))
    assert hit_of(unit("p", half), Spoken({"p": silent}), {}) is None


@pytest.mark.parametrize("part", ["user", "fact"])
def test_what_is_gone_by_now_is_no_hit(part: str) -> None:
    assert hit_of(unit("gone", part), Spoken({}), {}) is None


def test_a_fact_that_stands_in_its_first_page_becomes_the_page() -> None:
    hit = hit_of(unit("f", "fact"), Spoken({"p": PAGE}), {"f": FACT})
    assert hit is not None
    assert (hit.kind, hit.id, hit.about, hit.timestamp) == ("page", "p", "user", START)


@pytest.mark.parametrize(
    ("fact", "pages"),
    [
        (replace(FACT, text="Ada is a keeper of bees"), {"p": PAGE}),
        (replace(FACT, about="assistant"), {"p": PAGE}),
        (FACT, {}),
        (replace(FACT, page_ids=()), {"p": PAGE}),
    ],
)
def test_any_other_fact_is_a_hit_of_its_own(fact: Fact, pages: dict[str, Page]) -> None:
    hit = hit_of(unit("f", "fact"), Spoken(pages), {"f": fact})
    assert hit is not None
    assert (hit.kind, hit.id, hit.text, hit.tier, hit.page_ids) == ("fact", "f", fact.text, "long_term", fact.page_ids)
    assert hit.timestamp == START - timedelta(days=2)


def test_a_fact_is_dated_by_what_it_speaks_of() -> None:
    when = START - timedelta(days=400)
    hit = hit_of(unit("f", "fact"), Spoken({}), {"f": replace(FACT, event_time=when)})
    assert hit is not None
    assert hit.timestamp == when


some_hits = st.lists(
    st.builds(page_hit, st.integers(0, 4), st.sampled_from(["a", "A ", "b  c", "b c"]), st.just(START))
    | st.builds(fact_hit, st.integers(0, 4), st.sampled_from(["a", "d"]), st.just(START)),
    max_size=12,
)


@given(some_hits)
def test_distinct_keeps_the_first_of_each_and_their_order(hits: list[Hit]) -> None:
    kept = list(distinct(hits))
    said = [(" ".join(h.text.split()).lower(), h.about) for h in kept]
    assert len(set(said)) == len(said)
    assert len({(h.id, h.about) for h in kept}) == len(kept)
    assert kept == [h for h in hits if any(h is k for k in kept)]
    assert kept[:1] == hits[:1]


def test_long_texts_are_the_same_only_to_the_letter() -> None:
    long = "Bees and " * 20_000
    hits = [page_hit(i, text, START) for i, text in enumerate((long, long, long.lower()))]
    assert list(distinct(hits)) == [hits[0], hits[2]]


def test_a_hit_repeats_what_is_shown_of_its_own_session_only() -> None:
    hit = replace(page_hit(1, "I keep bees.", START), messages=(Message("user", "I keep bees.", id="1"),))
    assert repeats(hit, Shown({"s": ("1", "2")}))
    assert not repeats(hit, Shown({"t": ("1",), "s": ("2",)}))
    assert not repeats(hit, Shown())
    assert not repeats(replace(hit, messages=()), Shown({"s": ("1",)}))


@given(some_hits, st.none() | st.integers(1, 4), st.integers(0, 3))
def test_limited_keeps_all_halves_of_the_first_pages_and_the_first_facts(
    hits: list[Hit], top_pages: int | None, top_facts: int
) -> None:
    hits = [replace(hit, score=0.5) for hit in hits]
    kept = list(limit_hits(hits, top_pages, top_facts))
    pages = list(dict.fromkeys(h.id for h in hits if h.kind == "page"))[:top_pages]
    facts = [h for h in hits if h.kind == "fact"][:top_facts]
    assert [h for h in kept if h.kind == "page"] == [h for h in hits if h.id in pages]
    assert [h for h in kept if h.kind == "fact"] == facts


def test_a_fact_that_answers_far_less_than_the_best_one_is_left_out_of_a_prompt() -> None:
    scores = (0.9, 0.8, 0.6, 0.5, 0.2)
    hits = [replace(fact_hit(n, str(n), START), score=score) for n, score in enumerate(scores)]
    assert [hit.score for hit in limit_hits(hits, None, 5)] == [0.9, 0.8, 0.6]
    assert [hit.score for hit in limit_hits(hits, None, None)] == list(scores)


def weighed(*hits: tuple[str, float]) -> list[str]:
    made = [replace(page_hit(i, text, START), signals={"lexical": score}) for i, (text, score) in enumerate(hits)]
    return [hit.id for hit in sorted(made, key=lambda hit: -worth(hit.signals, len(hit.text), 0, RecallConfig()))]


def test_of_two_hits_ranked_alike_the_shorter_one_comes_first() -> None:
    assert weighed(("The ferry goes to Faial. " * 20, 1.0), ("The ferry goes to Faial.", 0.9)) == [
        "page-001",
        "page-000",
    ]


def test_a_hit_that_answers_far_better_stays_first_whatever_its_length() -> None:
    assert weighed(("The ferry goes to Faial. " * 20, 2.0), ("Fine.", 0.9)) == ["page-000", "page-001"]


def test_short_hits_hardly_gain_by_their_length() -> None:
    assert weighed(("The ferry goes to Faial at noon.", 1.0), ("Ok.", 0.95)) == ["page-000", "page-001"]


def test_hits_worth_the_same_keep_their_order() -> None:
    assert weighed(("One ferry", 1.0), ("Two ferry", 1.0), ("Six ferry", 1.0)) == ["page-000", "page-001", "page-002"]
