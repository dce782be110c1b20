"""A recall made shorter: whole parts go, the worst hits first, whoever counts the tokens."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryos_core.config import RecallConfig
from memoryos_core.providers.tokens import estimate_tokens
from memoryos_core.rules.ranking.packing import Material, pack
from memoryos_core.rules.ranking.rendering import CLOSING, OPENING
from memoryos_core.rules.ranking.shortening import shorten_recall, without_shown
from memoryos_core.values.dialogue import Message, Recall
from memoryos_core.values.facts import Profile, ProfileField
from tests.rules.material import START, fact_hit, materials, page, page_hit

QUESTION = "Where does the ferry go?"
HITS = (
    page_hit(1, "The ferry never goes to:\n- Pico\n- Faial", START - timedelta(days=9)),
    fact_hit(2, "Ada fears ferries.", START - timedelta(days=2)),
    page_hit(3, "The ferry is white.", START - timedelta(days=20)),
)
PROFILE = Profile((ProfileField("name", "Ada", START), ProfileField("city", "Horta", START)))


def packed(budget: int = 1000, **parts: object) -> Recall:
    given_parts: dict[str, object] = {
        "hits": HITS,
        "recent": (page(7, "Good morning", "Hello Ada"),),
        "profile": PROFILE,
    }
    return pack(Material(QUESTION, **{**given_parts, **parts}), budget, estimate_tokens, RecallConfig())  # type: ignore[arg-type]


def test_parts_are_left_out_one_by_one_and_the_best_hit_goes_last() -> None:
    recall = packed()
    kept: list[tuple[list[str], int, int]] = []
    for budget in range(len(recall.text), -1, -1):
        short = shorten_recall(recall, budget, len)
        now = [hit.id for hit in short.hits], len(short.recent), len(short.profile_text)
        if not kept or kept[-1] != now:
            kept.append(now)
    best, fact, worst = "page-001", "fact-002", "page-003"
    assert kept == [
        ([best, fact, worst], 1, 2),
        ([best, fact], 1, 2),
        ([best], 1, 2),
        ([best], 0, 2),
        ([best], 0, 1),
        ([best], 0, 0),
        ([], 0, 0),
    ]


def test_a_message_stays_whole_or_goes() -> None:
    recall = packed(recent=(), profile=Profile())
    for budget in range(len(recall.text)):
        text = shorten_recall(recall, budget, len).text
        assert ("Pico" in text, "Faial" in text) == ("never" in text,) * 2


@given(some=materials(), budget=st.integers(1, 700), room=st.integers(-10, 3000), cut=st.booleans())
def test_what_is_left_fits_and_is_the_beginning_of_the_ranking(
    some: Material, budget: int, room: int, cut: bool
) -> None:
    recall = pack(some, budget, estimate_tokens, RecallConfig())
    short = shorten_recall(recall, room, len, cut_best=cut)
    assert len(short.text) <= max(room, 0)
    assert short.tokens == len(short.text)
    assert short.budget_tokens == room
    assert [hit.id for hit in short.hits] == [hit.id for hit in recall.hits[: len(short.hits)]]
    assert short.recent == recall.recent[len(recall.recent) - len(short.recent) :]
    assert short.dropped == len(some.hits) - len(short.hits)
    assert short.text == "" or (short.text.startswith(OPENING + "\n") and short.text.endswith("\n" + CLOSING))
    assert not cut or set(short.hits) - set(recall.hits) == set() or len(short.hits) == 1
    if room >= len(recall.text):
        assert (short.text, short.hits) == (recall.text, recall.hits)


def test_the_best_hit_is_cut_where_the_caller_allows_it() -> None:
    long = page_hit(1, "It rained. " * 20 + "The ferry goes to Faial. " + "It rained. " * 20, START)
    recall = packed(hits=(long, *HITS[1:]), recent=(), profile=Profile())
    room = len(OPENING + CLOSING) + 100
    assert not shorten_recall(recall, room, len)
    short = shorten_recall(recall, room, len, cut_best=True)
    assert "The ferry goes to Faial." in short.text
    assert [hit.id for hit in short.hits] == [long.id]
    assert short.dropped == 2
    assert not shorten_recall(recall, 10, len, cut_best=True)


def test_hits_that_the_prompt_shows_are_left_out() -> None:
    said = tuple(replace(hit, messages=(Message("user", "x", id=hit.id),)) for hit in HITS)
    recall = packed(hits=said)
    assert without_shown(recall, {"s": {"another"}, "t": {"page-001"}}, len) is recall
    rest = without_shown(recall, {"s": {"page-001"}}, len)
    assert [hit.id for hit in rest.hits] == ["fact-002", "page-003"]
    assert (rest.tokens, rest.dropped) == (len(rest.text), 1)
    assert "never" not in rest.text
    assert "Good morning" in rest.text


@pytest.mark.parametrize("room", [0, 5, 100])
def test_an_empty_recall_stays_empty(room: int) -> None:
    assert shorten_recall(Recall(QUESTION, "", 0, 9), room, len, cut_best=True) == Recall(QUESTION, "", 0, room)
