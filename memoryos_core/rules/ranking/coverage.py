"""Questions about a whole topic instead of its best part: summaries, orders of events, "everything about"."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from memoryos_core.rules.ranking.signals import Ranking
from memoryos_core.values.candidates import Candidates

# A topic comes up early in a session and then gets details: the first units weigh so much more than the last.
_OPENING = 0.5
# A session takes part when its best unit has at least this share of the overall best score.
_NEAR = 0.6
# More than all signals together: other speakers' units only fill the rest.
_APART = 1000.0

_CHANGES = r"(?:progress\w*|evolv\w+|develop\w*|chang\w+|improv\w+|grew|grown|handled|worked on)"
_PERIOD = r"(?:time|the (?:past|last) (?:few |several |couple of )?(?:weeks|months|years))"
_ENGLISH = (
    r"summar(?:y|i[sz]e)|sum up|recap|rundown|overview of|timeline|chronolog\w*"
    r"|(?:list|name|tell|give|describe|recount|walk|what|which)\b.{0,160}\bin (?:which |what )?order(?! (?:to|that)\b)"
    r"|in (?:what|which) order|the order (?:in which|of)|(?:everything|all) (?:that )?(?:I|we|you|he|she|they)\b.{0,40}"
    r"\b(?:about|on|regarding|said|told|mentioned|discussed|covered)|everything (?:you (?:know|remember)|about)"
    r"|walk me through (?:the order|everything|what (?:I|we)|how (?:I|we|my|our))"
    rf"|{_CHANGES}\b.{{0,80}}\b(?:(?:over|during) {_PERIOD}|(?:through|throughout|across) (?:our|all|the) \w+)"
    r"|what (?:has|have)\b.{0,80}\bso far|(?:throughout|across) (?:our|all) (?:conversations?|sessions?|chats?)"
)
_CHINESE = (
    r"总结|總結|概括|概述|回顾|回顧|按.{0,6}顺序|按.{0,6}順序|时间线|時間線|关于.{1,12}的(?:一切|所有)|所有关于"
    r"|来龙去脉"
)
_JAPANESE = (
    r"まとめて(?:くだ|下さ|くれ|もら|ほし|欲し|教え|[。?？!！]|$)|要約|概要|振り返|時系列|順番に|(?<![手従])順に"
    r"|について(?:すべて|全て|全部)|これまでの(?:経緯|流れ)"
)
_ASKS = re.compile(rf"\b(?:{_ENGLISH})\b|{_CHINESE}|{_JAPANESE}", re.IGNORECASE)


def asks_for_all(question: str) -> bool:
    """Return whether a question asks for a whole topic; in English, Chinese or Japanese."""
    return _ASKS.search(question) is not None


def spread_out(candidates: Candidates, ranking: Ranking) -> NDArray[np.int64]:
    """The best of every session, then the second best of each, and so on; openings of a session before what follows.

    Ranked alone, ten remarks of one evening stand before the first of the next one, which is what is asked for here.
    The very best comes first all the same, and only sessions that are of the matter take turns: those whose best comes
    near it. What others hold follows.
    """
    if not len(candidates):
        return ranking.order
    top = float(ranking.scores.max())
    near = ranking.scores >= top - (1 - _NEAR) * abs(top)
    taking_turns = {session for session, is_near in zip(candidates.sessions, near.tolist(), strict=True) if is_near}
    scores = ranking.scores + _OPENING * _openings(candidates.sessions, candidates.seqs)
    scores += _APART * np.sign(ranking.signals["speaker"])
    scores[ranking.order[0]] = np.inf
    places: dict[str, int] = {}
    rounds = np.full(len(scores), len(scores), dtype=np.int64)
    best_first: list[int] = np.lexsort((candidates.seqs, -scores)).tolist()
    for i in best_first:
        group = candidates.sessions[i]  # facts are of none, and take turns with the sessions as if they were one
        if group in taking_turns:
            rounds[i] = places[group] = places.get(group, -1) + 1
    return np.lexsort((candidates.seqs, -scores, rounds))


def _openings(sessions: Sequence[str], seqs: NDArray[np.int64]) -> NDArray[np.float64]:
    """1 for the first unit of a session, falling to 0 with its last."""
    bounds: dict[str, tuple[int, int]] = {}
    for session, seq in zip(sessions, seqs.tolist(), strict=True):
        first, last = bounds.get(session, (seq, seq))
        bounds[session] = min(first, seq), max(last, seq)
    out = np.zeros(len(sessions))
    for i, (session, seq) in enumerate(zip(sessions, seqs.tolist(), strict=True)):
        first, last = bounds[session]
        out[i] = (last - seq) / (last - first) if last > first else 1.0
    return out
