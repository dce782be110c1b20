"""How much a message tells of its speaker, and what that does to the order of hits."""

from __future__ import annotations

import pytest

from memoryos_core import MemoryConfig, MemoryOS, Message, RecallConfig, WorkerConfig
from memoryos_core.rules.ranking.disclosure import disclosure


def tells(text: str) -> int:
    return disclosure(Message("user", text, "Ada"))


@pytest.mark.parametrize(
    ("more", "less"),
    [
        ("I sold the boat.", "Did I sell the boat?"),
        ("I sold the boat last week.", "I sold the boat."),
        ("We sold the boat. I miss it.", "We sold the boat. You miss it."),
        ("The boat is sold.", "Wow, the boat is sold!"),
        ("The boat is sold.", "That's so great, the boat is sold!"),
        ("The boat is sold.", "You sold your boat."),
        ("Ich habe das Boot verkauft.", "Du hast das Boot verkauft."),
        ("J'ai vendu mon bateau hier.", "Tu as vendu ton bateau ?"),
        ("He vendido mi barco.", "¿Has vendido tu barco?"),
        ("Я продала нашу лодку вчера.", "Ты продала лодку?"),
        ("我昨天把船卖了。", "你把船卖了吗？"),
        ("私は船を売りました。", "あなたは船を売りましたか？"),
    ],
)
def test_a_statement_of_oneself_tells_more(more: str, less: str) -> None:
    assert tells(more) > tells(less)


@pytest.mark.parametrize("text", ["", " ", "?", "...", "\n\n", "!" * 10_000, "I " * 50_000, "\ud800", "I. " * 10_000])
def test_any_text_has_a_bounded_number(text: str) -> None:
    assert -150 <= tells(text) <= 150


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("The US economy is weak.", "The UK economy is weak."),
        ("Hier ist das Buch.", "Da ist das Buch."),
        ("İstanbul is a large city.", "Ankara is a large city."),
    ],
)
def test_a_word_that_only_looks_like_one_of_the_lists_counts_for_nothing(text: str, other: str) -> None:
    assert tells(text) == tells(other)


def test_of_a_message_without_a_name_nothing_is_said() -> None:
    assert disclosure(Message("user", "I sold the boat last week.")) == 0


def first_hit(weight: float) -> str:
    config = MemoryConfig(worker=WorkerConfig(mode="manual"), recall=RecallConfig(disclosure=weight))
    with MemoryOS("sqlite://", embedder=None, config=config) as memory:
        ann = memory.user("ann", session_id="one")
        ann.add_messages(
            [
                Message("user", "Wow, your harbour boat is lovely, Ben!", "Ann"),
                Message("assistant", "I keep my harbour boat at home now.", "Ben"),
            ]
        )
        ann.end_session()
        recall = memory.user("ann", session_id="two").recall("harbour boat", min_score=0.0)
        return recall.hits[0].text


def test_a_statement_comes_before_a_remark_that_is_ranked_alike() -> None:
    assert first_hit(1.0).startswith("Ben: I keep")
