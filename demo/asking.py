"""Asks the questions; shows what was recalled, whether the evidence is in it, and the answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from demo.conversation import Question
from demo.terminal import say, section, wrap
from memoryos_core import Hit, Recall, UserMemory

_HITS_SHOWN = 3
INDENT = 13


@dataclass(frozen=True, slots=True)
class Asked:
    """One question and what memory brought back."""

    question: Question
    recall: Recall

    @property
    def recalled(self) -> frozenset[str]:
        """The ids of every message in the recalled text."""
        return frozenset(m.id for hit in self.recall.hits for m in hit.messages if m.id)

    @property
    def pieces(self) -> int:
        """How many pieces of the evidence are there."""
        recalled = self.recalled
        return sum(not recalled.isdisjoint(group) for group in self.question.evidence)

    @property
    def complete(self) -> bool:
        """All of the evidence is there."""
        return self.pieces == len(self.question.evidence)


def ask(user: UserMemory, questions: Sequence[Question]) -> list[Asked]:
    """Recall for each question."""
    return [Asked(question, user.recall(question.text, include_recent=False)) for question in questions]


def show(asked: Asked, number: int) -> None:
    """One question, its best hits (● holds evidence), how much of the evidence is there, and the true answer."""
    question, recall = asked.question, asked.recall
    say()
    say(wrap(f"{question.text}  ({question.kind})", first=f"{number:3d}. ", indent=5))
    for rank, hit, holds in _chosen(recall.hits, question):
        mark = "●" if holds else "·"
        say(wrap(hit.text, first=f"   {mark} #{rank}", indent=INDENT, lines=2))
        say(" " * INDENT + f"{hit.timestamp:%a %d %b %Y}, {hit.tier.replace('_', ' ')}")
    spent = f"{recall.tokens} of {recall.budget_tokens} tokens, {len(recall.hits)} hits"
    say(wrap(f"{_verdict(asked)}; {spent}", first="   recall", indent=INDENT))
    say(wrap(question.answer, first="   expected", indent=INDENT))


def _chosen(hits: Sequence[Hit], question: Question) -> list[tuple[int, Hit, bool]]:
    """The best hits and, wherever it ranks, the first that holds each piece of the evidence."""
    ranked = sorted(hits, key=lambda hit: -hit.score)
    said = [frozenset(m.id for m in hit.messages if m.id) for hit in ranked]
    firsts = {_first(said, group) for group in question.evidence}
    cited = frozenset(message_id for group in question.evidence for message_id in group)
    return [
        (place + 1, hit, not cited.isdisjoint(said[place]))
        for place, hit in enumerate(ranked)
        if place < _HITS_SHOWN or place in firsts
    ]


def _first(said: Sequence[frozenset[str]], group: Sequence[str]) -> int | None:
    return next((place for place, ids in enumerate(said) if not ids.isdisjoint(group)), None)


def _verdict(asked: Asked) -> str:
    wanted = len(asked.question.evidence)
    if not wanted:
        return "nothing in memory answers this"
    return f"evidence {asked.pieces} of {wanted}"


def summarise(asked: Sequence[Asked]) -> None:
    """How much of the evidence was recalled, over all questions."""
    judged = [a for a in asked if a.question.evidence]
    whole = sum(a.complete for a in judged)
    share = sum(a.pieces / len(a.question.evidence) for a in judged) / len(judged) if judged else 0.0
    tokens = sum(a.recall.tokens for a in asked) / len(asked) if asked else 0.0
    slowest = [sum(a.recall.timings_ms.values()) for a in asked]
    section("In sum")
    say(f"  Evidence recalled for {whole} of {len(judged)} questions that have an answer in memory.")
    say(f"  Share of the evidence recalled: {share:.3f}, with {tokens:.0f} tokens a question on average.")
    say(f"  A recall took {sorted(slowest)[len(slowest) // 2]:.1f} ms (median)." if slowest else "")
