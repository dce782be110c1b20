"""Questions that name a time and no subject ("What happened in August?"): what was said then, spread over the time.

No word finds it: nobody says "August" in August.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from memoryos_core.config import RecallConfig
from memoryos_core.rules.dates import Span, without_dates
from memoryos_core.rules.ranking.disclosure import HUNDRED
from memoryos_core.rules.ranking.hits import USUAL_LENGTH, take_turns
from memoryos_core.rules.ranking.signals import Ranking, speakers_in_question, without_names
from memoryos_core.rules.text.languages import question_terms
from memoryos_core.values.queries import Candidates

# A long time is told in so many parts.
PARTS_OF_A_TIME = 8
# What a question about a time alone may say beside the time: that something happened, was done or was told.
_OF_A_TIME = frozenset(
    question_terms(
        "happen happened happening happens go going went gone on up done new news life lives work working worked "
        "talk talked talking chat chatted chatting discuss discussed discussing mention mentioned say said saying "
        "tell told telling speak spoke spoken share shared write wrote remember recall remind recap summary summarise "
        "summarize summarised summarized overview rundown review look back anything everything something thing things "
        "event events stuff important interesting notable special big great good bad highlight highlights like "
        "conversation conversations chats talks session sessions topic topics please give show list know day days "
        "week weeks month months year time period early late beginning end whole entire spend spent keep kept busy "
        "last past this current previous first second next yesterday today tonight morning evening night ago weekend "
        "change changed changes decide decided agree agreed "
        "passiert geschehen geschah los gewesen gemacht getan tat tun machen gesprochen geredet erzählt gesagt "
        "unternommen erlebt neues wichtiges besonderes zusammenfassung fasse zusammen leben "
        "passé arrivé fait faire parlé discuté dit raconté nouveau neuf important résume résumé vie vécu "
        "pasó pasado sucedió ocurrió ocurrido sucedido hice hicimos hecho hacer hablamos hablado dije dicho conté "
        "contado nuevo importante resumen resume vida "
        "successo accaduto fatto cosa detto parlato raccontato nuovo aconteceu fiz fizemos feito falamos disse contei "
        "什么 什麼 发生了什么 發生了什麼 发生过什么事 有什么事 做了什么 做了些什么 干了什么 说了什么 說了什麼 "
        "聊了什么 讲了什么 做過什麼 总结一下 總結一下 "
        "に何がありましたか は何をした 何がありましたか 何があった 何をした 何をしました 何をしていた "
        "何を話した 何を話しました 何が起きた 何か どうだった まとめて"
    )
)


def names_no_subject(question: str, speakers: Collection[str], now: datetime) -> bool:
    """Return whether a question that names a time asks for nothing else than what happened or was said then.

    The speakers that it names are no subject either. In English, German, French, Spanish, Italian, Portuguese, Chinese
    and Japanese.
    """
    rest = without_names(question, speakers_in_question(question, speakers))
    return _is_idle(without_dates(rest, now))


def keep_names_of_times(question: str) -> str:
    """Return the words of a question about a time that may be said of it at other times: "August", "2026"."""
    return " ".join(word for word in question.split() if not _is_idle(word))


def _is_idle(text: str) -> bool:
    return frozenset(question_terms(text)) <= _OF_A_TIME


def of_times(candidates: Candidates, ranking: Ranking, config: RecallConfig) -> NDArray[np.bool_]:
    """Return the units of the times that a question names, and those that name one of them."""
    return (ranking.signals["date"] >= config.date) | (candidates.coverage > 0)


def spread_over_times(
    candidates: Candidates, ranking: Ranking, times: Sequence[Span], config: RecallConfig
) -> NDArray[np.int64]:
    """Return the order: in turn what says most for its room in each part of the times, then what is of none."""
    groups: list[int | None] = [None] * len(candidates)
    for number, time in enumerate(times):
        start, length = time.start.timestamp(), (time.end - time.start).total_seconds()
        shares: list[float] = ((candidates.times - start) / length).tolist()
        for i, share in enumerate(shares):
            if 0 <= share < 1:
                groups[i] = number * PARTS_OF_A_TIME + int(share * PARTS_OF_A_TIME)
    scores = ranking.scores.astype(np.float64)
    if candidates.sizes is not None and candidates.disclosures is not None:
        sizes = np.maximum(candidates.sizes, 0)
        scores += config.disclosure * candidates.disclosures / HUNDRED - config.length * np.log1p(sizes / USUAL_LENGTH)
    return take_turns(groups, candidates.seqs, scores)
