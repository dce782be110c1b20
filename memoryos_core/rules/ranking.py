"""Which candidates answer a question best: signals brought to one scale, weighted and summed (design §5).

Scores are standardised and summed rather than fused by rank: on the development conversations rank fusion throws away
how much better the best lexical match is (reference/retrieval.md §4).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memoryos_core.config import RecallConfig
from memoryos_core.queries import Candidates
from memoryos_core.rules.dates import Span

Scores = NDArray[np.float64]

_DAY = 86_400.0
_DATE_SOFTNESS_DAYS = 7.0
_RECENCY_DAYS = 90.0
# Words by which a question points at one half of the dialogue when nobody is named.
_ASKS_ASSISTANT = re.compile(
    r"\b(?:you|your)\b.*\b(?:say|said|tell|told|suggest\w*|recommend\w*|advise\w*|mention\w*)\b", re.I
)
_ASKS_USER = re.compile(r"\b(?:I|my|me|mine|I'm|I've)\b")


@dataclass(frozen=True, slots=True)
class Ranking:
    """Scores of the candidates, the order they give (best first), and the signals they are made of."""

    scores: Scores
    order: NDArray[np.int64]
    signals: Mapping[str, Scores]


def rank(candidates: Candidates, question: str, spans: Sequence[Span], now: float, config: RecallConfig) -> Ranking:
    """Order candidates by the weighted sum of their signals; equal scores keep conversation order.

    Args:
        candidates: n units with their raw scores.
        question: the cleaned question, for who it speaks of.
        spans: dates named in the question.
        now: epoch seconds of the question.
        config: the weights.
    """
    signals: dict[str, Scores] = {
        "lexical": config.lexical * lexical_signal(candidates, config.neighbours),
        "dense": config.dense * dense_signal(candidates, config.neighbours),
        "date": config.date * date_signal(candidates.times, spans),
        "speaker": config.speaker * speaker_signal(candidates, question),
        "recency": config.recency * np.exp(-np.maximum(now - candidates.times, 0.0) / (_RECENCY_DAYS * _DAY)),
    }
    own = np.sum(list(signals.values()), axis=0)
    signals["segment"] = config.segment * segment_signal(candidates.segments, own)
    total: Scores = own + signals["segment"]
    order = np.lexsort((candidates.seqs, -total))
    return Ranking(total, order, signals)


def lexical_signal(candidates: Candidates, neighbours: float) -> Scores:
    """BM25 with a share of the neighbours' BM25, as a part of the best; 0 to 1."""
    near = candidates.lexical_before.astype(np.float64) + candidates.lexical_after
    smoothed = candidates.lexical + neighbours * near
    top = float(smoothed.max(initial=0.0))
    return smoothed / top if top > 0 else np.zeros(len(candidates))


def dense_signal(candidates: Candidates, neighbours: float) -> Scores:
    """Cosine with a share of the neighbours' cosine, scaled to 0 to 1 over the candidates; 0 without a vector."""
    own = candidates.dense.astype(np.float64)
    if not np.isfinite(own).any():
        return np.zeros(len(candidates))
    near = np.nan_to_num(candidates.dense_before.astype(np.float64)) + np.nan_to_num(candidates.dense_after)
    smoothed = own + neighbours * near
    low, high = float(np.nanmin(smoothed)), float(np.nanmax(smoothed))
    if high <= low:
        return np.where(np.isfinite(own), 1.0, 0.0)
    return np.nan_to_num((smoothed - low) / (high - low))


def date_signal(times: NDArray[np.float64], spans: Sequence[Span]) -> Scores:
    """1 inside a date that the question names, fading over a week outside; 0 when it names none."""
    best = np.zeros(len(times))
    for span in spans:
        start, end = span.start.timestamp(), span.end.timestamp()
        away = np.maximum(np.maximum(start - times, times - end), 0.0) / _DAY
        best = np.maximum(best, np.exp(-away / _DATE_SOFTNESS_DAYS))
    return best


def speaker_signal(candidates: Candidates, question: str) -> Scores:
    """1 for the units of the one speaker the question is about: by name, else by "I" and "you"; 0 otherwise."""
    lowered = question.lower()
    known = {name for name in candidates.speakers if name and name.strip()}
    named = {name for name in known if re.search(rf"\b{re.escape(name.split()[0].lower())}\b", lowered)}
    if len(named) == 1:
        (name,) = named
        return np.array([1.0 if speaker == name else 0.0 for speaker in candidates.speakers])
    if named or known:
        return np.zeros(len(candidates))
    half = "assistant" if _ASKS_ASSISTANT.search(question) else "user" if _ASKS_USER.search(question) else ""
    return np.array([1.0 if part == half else 0.0 for part in candidates.parts])


def segment_signal(segments: Sequence[str | None], own: Scores, best_of: int = 3) -> Scores:
    """How well the rest of a unit's segment answers: the mean of its best scores, scaled to 0 to 1 (a prior, no gate)."""
    groups: dict[str, list[float]] = {}
    for segment, score in zip(segments, own, strict=True):
        if segment is not None:
            groups.setdefault(segment, []).append(float(score))
    means = {s: float(np.mean(sorted(scores, reverse=True)[:best_of])) for s, scores in groups.items()}
    top = max(means.values(), default=0.0)
    if top <= 0:
        return np.zeros(len(own))
    return np.array([max(means[s], 0.0) / top if s is not None else 0.0 for s in segments])
