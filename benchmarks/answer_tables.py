"""The tables of answered questions: scores with their intervals, what they took, and the lead over the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from benchmarks.answering import Reply
from benchmarks.contexts import FORMS
from benchmarks.figures import Figure, figure, table
from benchmarks.scores import relative_gain

_OURS = "ours"
_VARIANTS = ("ours", "words", *FORMS)  # not compared with each other; "paper" counts as another system


def report(replies: Sequence[Reply], systems: Sequence[str]) -> str:
    """All tables; those of the lead are there when `ours` and another system were asked."""
    metrics = replies[0].task.metrics
    rows = {system: [reply for reply in replies if reply.system == system] for system in systems}
    parts = [_overall(rows, metrics), _categories(rows, metrics)]
    if any(reply.evidence is not None for reply in replies):
        parts.append(_misses(rows, metrics[0]))
    others = {system: of for system, of in rows.items() if system not in _VARIANTS}
    if _OURS in rows and others:
        parts += [_leads(rows[_OURS], others, metrics), _gains(rows[_OURS], others, metrics)]
    failures = Counter(f"{reply.system}: {reply.failure}" for reply in replies if reply.failure)
    if failures:
        parts.append("\n".join(["no answer, which scores 0:", *(f"{n} × {why}" for why, n in failures.items())]))
    return "\n\n".join(parts)


def _overall(rows: dict[str, list[Reply]], metrics: Sequence[str]) -> str:
    head = ["system", *metrics, "unanswered", "model calls", "context / prompt / answer tokens", "ms to gather"]
    body = [
        [
            system,
            *(_score(of, metric).percent() for metric in metrics),
            str(sum(not reply.given for reply in of)),
            str(sum(reply.calls for reply in of)),
            " / ".join(
                f"{_mean(tokens):.0f}"
                for tokens in zip(*((r.context_tokens, r.prompt_tokens, r.answer_tokens) for r in of), strict=True)
            ),
            f"{_mean([reply.gathering_ms for reply in of]):.1f}",
            f"{_mean([reply.answering_ms for reply in of]):.0f}",
            str(len(of)),
        ]
        for system, of in rows.items()
    ]
    return table([*head, "ms to answer", "questions"], body)


def _categories(rows: dict[str, list[Reply]], metrics: Sequence[str]) -> str:
    body: list[list[str]] = []
    for category in _of_all(rows.values()):
        for system, replies in rows.items():
            of = [reply for reply in replies if reply.category == category]
            body.append([category, system, *(_score(of, metric).percent() for metric in metrics), str(len(of))])
    return table(["category", "system", *metrics, "questions"], body)


def _misses(rows: dict[str, list[Reply]], metric: str) -> str:
    """Whose miss it was: the score where all evidence stood in the context, some of it, and none."""
    kinds: dict[str, Callable[[float], bool]] = {
        "all": lambda share: share == 1,
        "some": lambda share: 0 < share < 1,
        "none": lambda share: share == 0,
    }
    body: list[list[str]] = []
    for system, replies in rows.items():
        cited = [(reply, reply.evidence) for reply in replies if reply.evidence is not None]
        line = [system, _percent([share for _, share in cited])]
        for holds in kinds.values():
            scores = [reply.score(metric) for reply, share in cited if holds(share)]
            line.append(f"{_percent(scores)} ({len(scores)})")
        body.append(line)
    return table(["evidence in the context", "share", *(f"{metric}, {kind} of it (questions)" for kind in kinds)], body)


def _leads(ours: Sequence[Reply], others: dict[str, list[Reply]], metrics: Sequence[str]) -> str:
    body: list[list[str]] = []
    for system, replies in others.items():
        theirs = {reply.question_id: reply for reply in replies}
        paired = [(reply, theirs[reply.question_id]) for reply in ours]
        leads = (
            figure((mine.conversation, mine.score(metric) - other.score(metric)) for mine, other in paired)
            for metric in metrics
        )
        body.append([f"{_OURS} - {system}", *(lead.percent(signed=True) for lead in leads)])
    return table(["points, same questions", *metrics], body)


def _gains(ours: Sequence[Reply], others: dict[str, list[Reply]], metrics: Sequence[str]) -> str:
    gains = [
        relative_gain(_by_category(ours, metric), {name: _by_category(of, metric) for name, of in others.items()})
        for metric in metrics
    ]
    body = [
        [category, *(f"{_relative(gain.by_category[category])} ({gain.best[category]})" for gain in gains)]
        for category in _of_all([ours])
    ]
    body.append(["plain mean", *(_relative(gain.mean) for gain in gains)])
    return table([f"relative gain of {_OURS} over the best other", *metrics], body)


def _by_category(replies: Sequence[Reply], metric: str) -> dict[str, float]:
    return {
        category: _mean([reply.score(metric) for reply in replies if reply.category == category])
        for category in _of_all([replies])
    }


def _of_all(groups: Iterable[Sequence[Reply]]) -> list[str]:
    return sorted({reply.category for replies in groups for reply in replies})


def _score(replies: Sequence[Reply], metric: str) -> Figure:
    return figure((reply.conversation, reply.score(metric)) for reply in replies)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _percent(values: Sequence[float]) -> str:
    return f"{100 * _mean(values):.1f}" if values else "-"


def _relative(gain: float | None) -> str:
    return "undefined" if gain is None else f"{100 * gain:+.1f} %"
