"""Make a recall shorter by whole hits, worst first, and render what is left."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace

from memoryos_core.rules.ranking.hits import Shown, repeats
from memoryos_core.rules.ranking.packing import recall_text, shorten_hit
from memoryos_core.rules.text.languages import question_terms
from memoryos_core.values.dialogue import Recall
from memoryos_core.values.facts import Profile


def shorten_recall(
    recall: Recall, budget_tokens: int, count: Callable[[str], int], *, cut_best: bool = False
) -> Recall:
    """Return as much of the recall as fits into `budget_tokens`, counted by the caller's own `count`.

    Whole parts are left out: the hits from the last in rank to the second, then the recent turns from the oldest on,
    then the lines about the user from the last on, then those about topics, and at the very end the best hit. What
    stays keeps its order in the text. The recall that was given does not change.

    Args:
        recall: what `UserMemory.recall` or this function returned.
        budget_tokens: the most that `count` of the text may be.
        count: the tokens of the whole text; it may include what the caller puts around it.
        cut_best: before the best hit is left out, keep the sentences of it that share most with the question.

    Returns:
        A recall whose `tokens` are `count` of its text; an empty one when nothing fits.
    """
    if not recall or count(recall.text) <= budget_tokens:
        return replace(recall, budget_tokens=budget_tokens, tokens=count(recall.text) if recall else 0)

    def fits(parts: int) -> int:
        text = _without(recall, parts).text
        return not text or count(text) <= budget_tokens

    parts = _count_parts(recall)
    found = _without(recall, bisect_left(range(parts), 1, key=fits))
    if cut_best and recall.hits and not found:
        found = _cut_best(recall, budget_tokens, count)
    return replace(found, budget_tokens=budget_tokens, tokens=count(found.text) if found else 0)


def without_shown(recall: Recall, shown: Mapping[str, Collection[str]], count: Callable[[str], int]) -> Recall:
    """Return the recall without the hits that say only what is shown: ids of messages by their session."""
    hits = tuple(hit for hit in recall.hits if not repeats(hit, Shown(shown)))
    if len(hits) == len(recall.hits):
        return recall
    text = recall_text(hits, recall.recent_text, recall.profile_text, recall.topics_text)
    dropped = recall.dropped + len(recall.hits) - len(hits)
    return replace(recall, hits=hits, text=text, tokens=count(text) if text else 0, dropped=dropped)


def _count_parts(recall: Recall) -> int:
    return sum(map(len, (recall.hits, recall.recent_text, recall.profile_text, recall.topics_text)))


def _without(recall: Recall, parts: int) -> Recall:
    """The recall without so many of its parts, in the order in which they are left out."""
    worst = min(parts, max(len(recall.hits) - 1, 0))
    turns = min(parts - worst, len(recall.recent_text))
    lines = min(parts - worst - turns, len(recall.profile_text))
    topics = min(parts - worst - turns - lines, len(recall.topics_text))
    best = parts - worst - turns - lines - topics
    hits = () if best else recall.hits[: len(recall.hits) - worst]
    profile_text = recall.profile_text[: len(recall.profile_text) - lines]
    topics_text = recall.topics_text[: len(recall.topics_text) - topics]
    return replace(
        recall,
        text=recall_text(hits, recall.recent_text[turns:], profile_text, topics_text),
        hits=hits,
        recent=recall.recent[turns:],
        recent_text=recall.recent_text[turns:],
        profile=recall.profile if profile_text else Profile(),
        profile_text=profile_text,
        topics_text=topics_text,
        dropped=recall.dropped + len(recall.hits) - len(hits),
    )


def _cut_best(recall: Recall, budget_tokens: int, count: Callable[[str], int]) -> Recall:
    """The recall with nothing but what fits of its best hit."""
    best, *worse = recall.hits

    def text_with(said: str) -> str:
        return recall_text((replace(best, text=said),), (), ())

    frame = count(text_with(""))
    asked = frozenset(question_terms(recall.query))
    short = shorten_hit(best, asked, budget_tokens - frame, lambda said: count(text_with(said)) - frame)
    nothing = _without(recall, _count_parts(recall))
    if not short.text or count(text_with(short.text)) > budget_tokens:
        return nothing
    dropped = recall.dropped + len(worse)
    return replace(nothing, text=text_with(short.text), hits=(short,), dropped=dropped)
