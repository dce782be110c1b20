"""Questions about what the assistant said, and those that only speak to it."""

from __future__ import annotations

import pytest

from memoryos_core.rules.ranking.questions import asks_assistant


@pytest.mark.parametrize(
    "question",
    [
        "did you tell me where to park?",
        "What did you recommend for dinner?",
        "What did you also just suggest?",
        "Didn't you already recommend one?",
        "the film you suggested",
        "Remind me what you said about my knee",
        "What have you told me so far?",
        "Which hotel had you mentioned?",
        "What was your advice on sleep?",
        "What came of your earlier suggestion?",
        "What did the assistant say?",
        "你上次推荐的餐厅叫什么？",
        "你之前跟我说过什么",
        "你建议过我吃什么",
        "上次你建议我怎么做",
        "您告诉我的那个方法",
        "你說過什麼",
        "あなたは何を勧めましたか",
        "前に教えてくれたお店は？",
        "君が言ってた映画は何",
        "旅行の前に何をおすすめしてくれましたか",
        "アシスタントが提案した旅程は？",
        "勧めてもらった本のタイトルは？",
    ],
)
def test_about_what_the_assistant_said(question: str) -> None:
    assert asks_assistant(question)


@pytest.mark.parametrize(
    "question",
    [
        "",
        "what would you say is my favourite",
        "can you suggest a restaurant for my trip",
        "What do you recommend?",
        "Would you tell me where I live?",
        "Can you list what I brought up? Mention only three.",
        "Could you tell me what I told you?",
        "What did I tell you about Anna?",
        "Who told me about it?",
        "你能推荐一家餐厅吗",
        "你建议我怎么做",
        "我给你推荐过什么书",
        "我跟你说过什么",
        "请你告诉我我去年去了哪里",
        "你记得我推荐过的书吗",
        "おすすめのお店を教えてください",
        "何を勧めますか",
        "私が言った映画は何",
        "友達が勧めてくれた本",
        "母に教えてもらったレシピ",
        "田中さんが教えてくれた店はどこ",
    ],
)
def test_not_about_what_the_assistant_said(question: str) -> None:
    assert not asks_assistant(question)


@pytest.mark.parametrize("piece", ["you ", "did you just ", "あなたは", "你之前", "言って", "the assistant "])
def test_a_long_text_is_read_to_its_end(piece: str) -> None:
    text = piece * (20_000 // len(piece))
    assert asks_assistant(text + ". What did you say?")
