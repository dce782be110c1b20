"""The best candidates for a question: signals brought to one scale, weighted and summed (design §5).

Scores are standardised and summed rather than fused by rank: on the development conversations rank fusion throws away
how much better the best lexical match is (reference/retrieval.md §4).

The weight of a reranker's scores against the ranking of the best hits.

Messages that a session has replaced or cleared: still remembered, but not recalled in that session (ADR 0019).

The speakers that a question is about, by the names in the messages.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from memoryos_core.config import RecallConfig
from memoryos_core.rules.dates import Span
from memoryos_core.rules.paging.pages import Said
from memoryos_core.rules.ranking.questions import asks, asks_assistant
from memoryos_core.rules.text.words import regex, sentences, terms, words
from memoryos_core.values.dialogue import FACT, Half, Message, Page
from memoryos_core.values.facts import Fact, Profile
from memoryos_core.values.queries import Candidates, half_of

# Thai, kana, ideographs and hangul stand side by side without a space, and part the words of other scripts. Only
# katakana shows where its words end: where other letters begin.
_KATAKANA = "\u30a1-\u30fa\u30fc-\u30ff"
_UNSPACED = (
    rf"\u0e00-\u0e7f\u3005-\u3007\u3041-\u309f{_KATAKANA}\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
_SPACED = rf"[^\W{_UNSPACED}]"
_POSSESSIVE = r"(?:['\u2019]s?(?!\w)|[的の의])?"

# Between two names: what belongs to the first, then what puts the second beside it.
_JOINED = regex(
    r"(?:['\u2019]s?|さん|くん|ちゃん|様)?\s*"
    r"(?:,|&|/|,?\s*and|or|plus|vs\.?|versus|as well as|和|与|與|跟|及|と|や|、|，)\s*"
)


def speakers_in_question(question: str, speakers: Collection[str]) -> frozenset[str]:
    """The speakers whose first name (`_called`) stands in the question as a word of its own, whatever its case."""
    lowered = question.lower()
    return frozenset(s for s in speakers if (name := _first_name(s)) and _stands(name.lower(), lowered))


def subject(question: str, speakers: Collection[str]) -> str | None:
    """The speaker that a question is about: the only one it names, or the first of several that nothing joins.

    "What does Ada think of Ben's boat?" asks what Ada said. Of "Ada and Ben" neither comes first.
    """
    lowered = question.lower()
    spoken_of = sorted(speakers_in_question(question, speakers))
    places = [next(re.finditer(_word(_first_name(name).lower()), lowered)) for name in spoken_of]
    if len(spoken_of) != len({match.start() for match in places}):
        return None  # two speakers of one first name
    order = sorted(range(len(places)), key=lambda i: places[i].start())
    if len(order) > 1 and _JOINED.fullmatch(lowered, places[order[0]].end(), places[order[1]].start()):
        return None
    return spoken_of[order[0]] if order else None


def without_names(question: str, speakers: Collection[str]) -> str:
    """The question with the names of these speakers left out; as it was when nothing else would be left."""
    names = {name for s in speakers if _first_name(s) for name in (" ".join(s.split()), _first_name(s))}
    text = question
    for name in sorted(names, key=lambda name: (-len(name), name)):  # Ann-Marie before Ann, whatever the order given
        text = re.sub(_word(name) + _POSSESSIVE, " ", text, flags=re.IGNORECASE)
    left = " ".join(text.split())
    return left if text != question and re.search(r"\w", left) else question


def _first_name(speaker: str) -> str:
    """The first name; where that is a function word ("Will", "The Professor") the whole name, or "" if that is all."""
    parts = speaker.split()
    if parts and (terms(parts[0]) or words(parts[0]) != [parts[0].lower()]):
        return parts[0]
    return " ".join(parts) if len(parts) > 1 else ""


def _stands(name: str, lowered: str) -> bool:
    # A plain search first: in a large group nearly none of the thousands of names occurs.
    return name in lowered and re.search(_word(name), lowered) is not None


def _word(name: str) -> str:
    if len(name) == 1:
        return rf"(?<!\w){re.escape(name)}(?!\w)"
    return rf"(?<!{_letters_joining(name[0])}){re.escape(name)}(?!{_letters_joining(name[-1])})"


def _letters_joining(letter: str) -> str:
    """Return a pattern of letters that would extend a word that begins, or ends, with this letter."""
    if re.match(f"[{_KATAKANA}]", letter):
        return f"[{_KATAKANA}]"
    return "(?!)" if re.match(f"[{_UNSPACED}]", letter) else _SPACED


Scores = NDArray[np.float64]

_DAY = 86_400.0
_DATE_SOFTNESS_DAYS = 7.0
_RECENCY_DAYS = 90.0
# Words are trusted wholly from this share of a question on, and never less than by the other.
_TRUSTED_COVERAGE, _LEAST_TRUST = 0.7, 0.3
# What follows a turn tells less of it than what it answers.
_BACKWARDS = 0.5
# Among hundreds of equal scores one outlier lies tens of deviations away, but means no more for that.
_MOST_DEVIATIONS = 6.0


@dataclass(frozen=True, slots=True)
class Ranking:
    """Scores of the candidates, the order they give (best first), and the signals they are made of.

    `judged` are the scores that relevance was calibrated with (ADR 0024): with half of what segment and session give.
    """

    scores: Scores
    order: NDArray[np.int64]
    signals: Mapping[str, Scores]
    judged: Scores


def rank(candidates: Candidates, question: str, spans: Sequence[Span], now: float, config: RecallConfig) -> Ranking:
    """Order candidates by the weighted sum of their signals; equal scores keep conversation order.

    Args:
        candidates: n units with their raw scores.
        question: the cleaned question, for who it speaks of.
        spans: dates named in the question.
        now: epoch seconds of the question.
        config: the weights.
    """
    dense = dense_signal(candidates)
    sessions = number_names(candidates.sessions)
    lent = config.dense * lend_meaning(candidates, dense, config.meaning_window, sessions)
    signals: dict[str, Scores] = {
        "lexical": config.lexical * lexical_signal(candidates),
        "dense": config.dense * dense + lent,
        "date": config.date * date_signal(candidates.times, spans),
        "speaker": config.speaker * speaker_signal(candidates, question),
        "recency": config.recency * np.exp(-np.maximum(now - candidates.times, 0.0) / (_RECENCY_DAYS * _DAY)),
    }
    own = np.sum(list(signals.values()), axis=0)
    signals["segment"] = config.segment * group_signal(number_groups(candidates.segments), own, best_of=3)
    signals["session"] = config.session * group_signal(_with_owners(candidates, sessions), own, best_of=1)
    groups = signals["segment"] + signals["session"]
    ranking = _order_by_score(candidates, own + groups, signals, own + groups / 2)
    return add_thread(candidates, ranking, config.thread) if config.thread and goes_on(question) else ranking


def add_heat(candidates: Candidates, ranking: Ranking, heats: Mapping[str, float], weight: float) -> Ranking:
    """The ranking with what the warmth of their segments adds; `heats` are 0 to 1, one that is not named is cold."""
    warm = {s: heats.get(s or "", 0.0) for s in set(candidates.segments)}
    heat = weight * np.fromiter(map(warm.__getitem__, candidates.segments), np.float64, len(candidates))
    return _order_by_score(candidates, ranking.scores + heat, {**ranking.signals, "heat": heat}, ranking.judged + heat)


def goes_on(question: str) -> bool:
    """Return whether a message begins with a statement: it goes on with a talk, and what it asks is the next step."""
    said = sentences(question)
    return bool(said) and not asks(said[0])


# Sessions that lead up to the best unit. On RealMem two find a point less, and five a point more (ADR 0043).
_LEADING = 3


def add_thread(candidates: Candidates, ranking: Ranking, weight: float) -> Ranking:
    """The ranking with what led up to the best unit: the best unit of each of the last sessions of its segment before.

    So a message finds the talk that it goes on with even where later ones have more of its words.
    """
    order: list[int] = ranking.order.tolist()
    best_first = [i for i in order if candidates.segments[i] is not None]
    thread = np.zeros(len(candidates))
    if best_first:
        top = best_first[0]
        of_session: dict[str, int] = {}
        for i in best_first:
            if candidates.segments[i] == candidates.segments[top]:
                of_session.setdefault(candidates.sessions[i], i)
        seqs = candidates.seqs
        before = [i for i in of_session.values() if seqs[i] < seqs[top]]
        thread[sorted(before, key=lambda i: -seqs[i])[:_LEADING]] = weight
    return _order_by_score(candidates, ranking.scores + thread, {**ranking.signals, "thread": thread}, ranking.judged)


def _order_by_score(candidates: Candidates, total: Scores, signals: Mapping[str, Scores], judged: Scores) -> Ranking:
    return Ranking(total, np.lexsort((candidates.seqs, -total)), signals, judged)


def lexical_signal(candidates: Candidates) -> Scores:
    """Return BM25 scores as shares of the best one that was said; 0 to 1.

    A fact is a short text of much the same words as its page: it counts like the best page, and no page less for it.
    Where no text has much of the question and there are vectors, all of them are lowered: the best of weak matches is
    one by chance, and who asks in other words than were said is found by meaning (ADR 0033).
    """
    scores = candidates.lexical.astype(np.float64)
    said = np.fromiter(map(FACT.__ne__, candidates.parts), np.bool_, len(scores))
    top = float(scores[said].max(initial=0.0)) or float(scores.max(initial=0.0))
    return _trust(candidates) * np.minimum(scores / top, 1.0) if top > 0 else np.zeros(len(scores))


def _trust(candidates: Candidates) -> float:
    """Return how much shared words tell, by the largest share of the question that a text has; 1 without vectors."""
    if not np.isfinite(candidates.dense).any():
        return 1.0
    return min(1.0, max(_LEAST_TRUST, float(candidates.coverage.max(initial=0.0)) / _TRUSTED_COVERAGE))


def dense_signal(candidates: Candidates) -> Scores:
    """Return a cosine's distance above the scope's mean, in the scope's standard deviations; 0 without a vector.

    Embedders spread their cosines differently, some over a tenth of the range of others.
    """
    away = np.nan_to_num(candidates.dense.astype(np.float64) - candidates.dense_mean)
    if candidates.dense_spread <= 0:
        return np.zeros(len(candidates))
    return np.maximum(np.minimum(away / candidates.dense_spread, _MOST_DEVIATIONS), -_MOST_DEVIATIONS)


Numbers: TypeAlias = NDArray[np.int64]


def number_names(names: Sequence[str | None]) -> Numbers:
    """Return the number of each name: the same for the same one, from 0."""
    numbers = dict.fromkeys(names)
    numbers = dict(zip(numbers, range(len(numbers)), strict=True))
    return np.fromiter(map(numbers.__getitem__, names), np.int64, len(names))


def number_groups(segments: Sequence[str | None]) -> Numbers:
    """Return the number of each segment; -1 for none."""
    numbers: dict[str | None, int] = dict(zip(dict.fromkeys(segments), range(len(segments)), strict=False))
    numbers[None] = -1
    return np.fromiter(map(numbers.__getitem__, segments), np.int64, len(segments))


def _with_owners(candidates: Candidates, sessions: Numbers) -> Numbers:
    """Return the numbers of sessions, and where there is none other numbers, of the owners.

    A fact has no session; it must not rank behind every unit that has one for that reason alone.
    """
    without: list[int] = [place for place, session in enumerate(candidates.sessions) if not session]
    numbers: Numbers = np.array(sessions)
    numbers[without] = len(sessions) + number_names([candidates.owners[place] for place in without])
    return numbers


def lend_meaning(candidates: Candidates, dense: Scores, weight: float, session: Numbers) -> Scores:
    """Return what the units next to each one in its session lend it of their dense signal (ADR 0034).

    Args:
        candidates: n units; within a page they stand in order. Facts stand nowhere, and neither lend nor borrow.
        dense: their dense signal; only what is above the mean is lent.
        weight: the share that the unit before lends; the one after lends half of it.
        session: the number of the session of each.
    """
    order = np.lexsort((np.arange(len(session)), candidates.seqs, session))
    order = order[candidates.seqs[order] >= 0]
    before, after = order[:-1], order[1:]
    adjacent = (session[before] == session[after]) & (candidates.seqs[after] - candidates.seqs[before] <= 1)
    before, after = before[adjacent], after[adjacent]
    lent = weight * np.maximum(dense, 0.0)
    out = np.zeros(len(dense))
    out[after] += lent[before]
    out[before] += _BACKWARDS * lent[after]
    return out


def date_signal(times: NDArray[np.float64], spans: Sequence[Span]) -> Scores:
    """1 inside a date that the question names, fading over a week outside; 0 when it names none."""
    best = np.zeros(len(times))
    for span in spans:
        start, end = span.start.timestamp(), span.end.timestamp()
        away = np.maximum(np.maximum(start - times, times - end), 0.0) / _DAY
        best = np.maximum(best, np.exp(-away / _DATE_SOFTNESS_DAYS))
    return best


def speaker_signal(candidates: Candidates, question: str) -> Scores:
    """1 for the units of the one speaker the question is about, 0 for the others.

    By name (`rules.speakers.subject`); where nobody has one, an assistant is talked to: then it is the user, unless
    the question asks what the assistant said.
    """
    known = {name for name in set(candidates.speakers) if name and name.strip()}
    if (name := subject(question, known)) is not None:
        return np.array([1.0 if speaker == name else 0.0 for speaker in candidates.speakers])
    if known:
        return np.zeros(len(candidates))
    half = "assistant" if asks_assistant(question) else "user"
    of_part = {part: 1.0 if part == FACT or half_of(part) == half else 0.0 for part in set(candidates.parts)}
    return np.fromiter(map(of_part.__getitem__, candidates.parts), np.float64, len(candidates))


def group_signal(group: Numbers, own: Scores, *, best_of: int) -> Scores:
    """Return the score of a unit's segment, or session: the mean of its best scores, scaled to 0 to 1 (no gate).

    Groups are given by their number, -1 for none.
    """
    size = int(group.max(initial=-1)) + 2
    totals, taken = np.zeros(size), np.zeros(size)
    order = np.lexsort((-own, group))  # the best of each group first
    begins = np.flatnonzero(np.diff(group[order], prepend=-2))
    place = np.arange(len(own)) - np.repeat(begins, np.diff(begins, append=len(own)))
    for nth in range(best_of):
        units = order[place == nth]  # one of each group
        totals[group[units]] += own[units]
        taken[group[units]] += 1
    means = np.maximum(totals / np.maximum(taken, 1), 0.0)
    means[-1] = 0.0  # no group, and where group -1 points
    top = float(means.max())
    return means[group] / top if top > 0 else np.zeros(len(own))


def order_by_both(ranked: NDArray[np.float64], answers: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the new order of hits that stood best first.

    Both scores count in standard deviations, the same for each, so that a reranker may answer on any scale.

    Args:
        ranked: scores of n hits, descending.
        answers: what the reranker says of each, higher is better.
    """
    spread = float(answers.std())
    gained = (answers - answers.min()) / spread if spread > 0 else np.zeros(len(answers))
    # Of hits that are all ranked alike the reranker alone decides; their deviation may be a rounding error above 0.
    scores = ranked + (float(ranked.std()) if ranked[0] > ranked[-1] else 1.0) * gained
    return np.argsort(-scores, kind="stable")


# The part of a fact's words that the message has which says it; the name of the speaker is the rest.
_SAID = 0.5


@dataclass(frozen=True, slots=True)
class Session:
    """The session that asks.

    `standing` are ids of messages of its ended conversations that it still refers to: those may be recalled.
    """

    id: str
    standing: frozenset[str] = frozenset()

    def supersedes(self, page: Page, said: Sequence[Message]) -> bool:
        """Return whether this session has replaced or cleared any of these messages of a page, () for all of them."""
        return self.ended(page) and not all(m.id in self.standing for m in said or page.messages)

    def ended(self, page: Page) -> bool:
        """Return whether a page is of an ended conversation of this session: of others nothing is superseded."""
        return page.ended and page.session_id == self.id

    def supersedes_all(self, page_ids: Iterable[str], pages: Mapping[str, Page], half: Half) -> bool:
        """Return whether nothing else supports something than what this session has superseded.

        What has no page was told on purpose and stays.
        """
        ids = tuple(page_ids)
        said = ((pages[i], [m for m in pages[i].messages if m.half == half]) for i in ids if i in pages)
        return bool(ids) and all(i in pages for i in ids) and all(self.supersedes(page, of) for page, of in said)

    def supersedes_fact(self, fact: Fact, pages: Mapping[str, Page]) -> bool:
        """Return whether this session has superseded every message that says a fact, in each page that it cites.

        Of a fact that no message says in its own words every message of its side counts.
        """
        cited = [pages[i] for i in fact.page_ids if i in pages]
        there = bool(cited) and len(cited) == len(fact.page_ids)
        return there and all(map(self.ended, cited)) and all(self.supersedes(p, _saying(p, fact)) for p in cited)

    def known_here(self, profile: Profile, pages: Mapping[str, Page]) -> Profile:
        """Return the profile without what only superseded pages support.

        Args:
            profile: what is known of the user.
            pages: ended pages of this session, by id, among those that the profile cites.
        """
        fields = tuple(f for f in profile.fields if not self.supersedes_all(f.page_ids, pages, "user"))
        traits = tuple(t for t in profile.traits if not self.supersedes_all(t.page_ids, pages, "user"))
        return replace(profile, fields=fields, traits=traits)


def _saying(page: Page, fact: Fact) -> list[Message]:
    told = Said(page).saying(fact.about, fact.text) if fact.origin == "rules" else None
    stated = set(terms(fact.text))
    if told is not None and len(stated & set(terms(told.text))) >= _SAID * len(stated):
        return [told.message]
    return [m for m in page.messages if m.half == fact.about]
