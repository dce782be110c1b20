"""Ranked units become hits: the text of a page or a fact, given once, within the configured numbers.

Questions about a whole topic instead of its best part: summaries, orders of events, "everything about".

Filters of a search: dates, a session, tiers, or the paper's gate of segments.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from math import fsum, log1p

import numpy as np
from numpy.typing import NDArray

from memoryos_core.config import RecallConfig
from memoryos_core.rules.paging.pages import Passage, Said
from memoryos_core.rules.ranking.disclosure import HUNDRED
from memoryos_core.rules.ranking.questions import asks_for_overview
from memoryos_core.rules.ranking.rendering import size_of, speaker_line
from memoryos_core.rules.ranking.signals import Ranking, Scores, Session
from memoryos_core.rules.text.words import with_marks
from memoryos_core.values.construction import fill_slots
from memoryos_core.values.dialogue import FACT, Hit, Message, Page, Tier
from memoryos_core.values.facts import Fact
from memoryos_core.values.queries import Candidates, Home

# Longer texts are compared as they are: folding the case and spaces of megabytes is too slow.
_FOLDED_AT_MOST = 50_000


@fill_slots
@dataclass(frozen=True, slots=True)
class Unit:
    """One ranked unit of the index: a passage of a page, or a fact (part "fact"), with its score and what made it.

    `size` is how many bytes its message takes in a prompt, -1 where only reading it tells, `disclosure` how much it
    tells of its speaker, and `place` where it stands in its page. A fact of known size has the passage that it is
    quoted as for its `home`.
    """

    owner: str
    part: str
    score: float
    signals: Mapping[str, float]
    size: int = -1
    disclosure: int = 0
    place: int = -1
    home: Home | None = None


class Spoken:
    """Pages by id, each split into its passages once."""

    def __init__(self, pages: Mapping[str, Page]) -> None:
        self.pages = pages
        self._said: dict[str, Said] = {}
        self._told: dict[str, Passage | None] = {}

    def said(self, page_id: str) -> Said | None:
        """Return what a page says; None when it is gone."""
        if page_id not in self.pages:
            return None
        if page_id not in self._said:
            self._said[page_id] = Said(self.pages[page_id])
        return self._said[page_id]

    def passage(self, unit: Unit, facts: Mapping[str, Fact], session: Session | None = None) -> Passage | None:
        """Return the passage that a unit is quoted from; None for a fact that is quoted itself, and what is gone."""
        if unit.part != FACT:
            said = self.said(unit.owner)
            return None if said is None else said.passage(unit.part)
        fact = facts.get(unit.owner)
        told = None if fact is None else self._passage_of(fact)
        if fact is None or told is None:
            return None
        superseded = session is not None and session.supersedes(self.pages[fact.page_ids[0]], (told.message,))
        return None if superseded else told

    def _passage_of(self, fact: Fact) -> Passage | None:
        """Return the passage that a fact was read in, or that has it verbatim."""
        if fact.id not in self._told:
            said = self.said(fact.page_ids[0]) if fact.page_ids else None
            self._told[fact.id] = None if said is None else passage_of(fact, said)
        return self._told[fact.id]


def passage_of(fact: Fact, said: Said) -> Passage | None:
    """Return the passage of a page that a fact was read in, or that has it verbatim: the fact is quoted as this."""
    told = said.saying(fact.about, fact.text)
    return told if told is not None and (fact.origin == "rules" or fact.text in told.text) else None


def hit_of(unit: Unit, spoken: Spoken, facts: Mapping[str, Fact], session: Session | None = None) -> Hit | None:
    """The unit as a hit, None when it is gone or says nothing.

    A fact that stands verbatim in its page, or that rules read there, becomes the message that says it: pages are the
    truth. Not so where the `session` that asks has superseded that message.
    """
    if unit.home is not None:
        said = spoken.said(unit.home.page_id)
        passage = None if said is None else said.passage(unit.home.part)
        return None if passage is None else _page_hit(unit, spoken.pages[unit.home.page_id], passage)
    passage = spoken.passage(unit, facts, session)
    fact = facts.get(unit.owner) if unit.part == FACT else None
    if passage is not None:
        return _page_hit(unit, spoken.pages[unit.owner if fact is None else fact.page_ids[0]], passage)
    return None if fact is None else fact_hit(unit, fact)


def is_superseded(unit: Unit, spoken: Spoken, facts: Mapping[str, Fact], session: Session) -> bool:
    """Return whether the session has superseded the unit: its message, or all that say a fact."""
    if unit.part == FACT:
        fact = facts.get(unit.owner)
        return fact is not None and session.supersedes_fact(fact, spoken.pages)
    page = spoken.pages.get(unit.owner)
    if page is None or not session.ended(page):
        return False
    passage = spoken.passage(unit, facts)
    return session.supersedes(page, () if passage is None else (passage.message,))


def fact_hit(unit: Unit, fact: Fact) -> Hit:
    """Return a fact as a hit, at the time of its event or else since it holds."""
    return Hit(
        kind="fact",
        id=fact.id,
        text=fact.text,
        score=unit.score,
        timestamp=fact.event_time or fact.valid_from,
        tier="long_term",
        page_ids=fact.page_ids,
        about=fact.about,
        signals=unit.signals,
        trust=fact.trust,
    )


def _page_hit(unit: Unit, page: Page, passage: Passage) -> Hit:
    return Hit(
        kind="page",
        id=page.id,
        text=speaker_line(passage.message),
        score=unit.score,
        timestamp=page.timestamp,
        tier=page.tier,
        session_id=page.session_id,
        segment_id=page.segment_id,
        page_ids=(page.id,),
        messages=(passage.message,),
        about=passage.half,
        signals=unit.signals,
        seq=page.seq,
        at=passage.at,
        passage=passage.text,
        trust=passage.message.source,
    )


def distinct(hits: Iterable[Hit]) -> Iterator[Hit]:
    """Drop hits of the message of a better hit, and those that repeat one of another page by the same speaker.

    Within a page both stay: who says "7", then "9", then "7" again says 7.
    """
    seen: set[tuple[str, int]] = set()
    said: dict[tuple[str, str | None], str] = {}
    for hit in hits:
        key, words = (hit.id, hit.at), (_fold_text(hit.text), hit.about)
        if key not in seen and said.setdefault(words, hit.id) == hit.id:
            yield hit
        seen.add(key)


def _fold_text(text: str) -> str:
    return " ".join(text.split()).lower() if len(text) <= _FOLDED_AT_MOST else text


@dataclass(frozen=True, slots=True)
class Shown:
    """The messages that a prompt holds already.

    Ids tell messages of one session apart; those of two sessions may coincide.
    """

    ids: Mapping[str, Collection[str]] = field(default_factory=dict[str, Collection[str]])
    """Ids of messages, for each session."""
    anywhere: frozenset[tuple[str | None, str]] = frozenset()
    """Id and text of messages, in whichever session they stand."""

    def __len__(self) -> int:
        return sum(map(len, self.ids.values())) + len(self.anywhere)

    def holds(self, session_id: str | None, message: Message) -> bool:
        """Return whether the prompt holds this message of a session."""
        return message.id in self.ids.get(session_id or "", ()) or (message.id, message.text) in self.anywhere


def repeats(hit: Hit, shown: Shown) -> bool:
    """Return whether a hit only repeats messages that are shown already."""
    return bool(hit.messages) and all(shown.holds(hit.session_id, m) for m in hit.messages)


def repeats_page(page: Page, shown: Shown) -> bool:
    """Return whether all of a page is shown; as `repeats`, for the recent turns."""
    return all(shown.holds(page.session_id, m) for m in page.messages)


_NEAR_BEST = 0.65


def limit_hits(hits: Iterable[Hit], top_pages: int | None, top_facts: int | None) -> Iterator[Hit]:
    """Hits of the first `top_pages` pages (None: of all) and the first `top_facts` facts (None: all).

    With a number of facts, one that is worth far less than the best about its side is left out: a fact is told to
    answer, and has no surroundings that may.
    """
    pages: set[str] = set()
    facts = 0
    best: dict[str | None, float] = {}
    for hit in hits:
        if hit.kind == "fact":
            facts += 1
            near = hit.score >= _NEAR_BEST * best.setdefault(hit.about, hit.score)
            if top_facts is None or (facts <= top_facts and near):
                yield hit
        elif top_pages is None or hit.id in pages or len(pages) < top_pages:
            pages.add(hit.id)
            yield hit


WEIGHED = 96
"""Ranked units, the best, whose hits are put in the order of their worth: some that a usual budget has room for, twice.

No budget changes the number: with more of it no hit may lose its place.
"""
# In bytes, which are some four a token in every script. Below this length a shorter hit is hardly worth more.
USUAL_LENGTH = 250


def worth(signals: Mapping[str, float], size: int, tells: int, config: RecallConfig) -> float:
    """Return how much a hit says for the room it takes (ADR 0029).

    It is the sum of its signals and of how much it `tells`, less the logarithm of its `size` in bytes, each weighted.
    """
    return fsum(signals.values()) + config.disclosure * tells / HUNDRED - config.length * log1p(size / USUAL_LENGTH)


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
_ASKS = with_marks(
    "summar|sum up|recap|rundown|overview|timeline|chronolog|order|everything|all i|all we|all you|all he|all she"
    "|all they|all that|walk me|progress|evolv|develop|chang|improv|grew|grown|handled|worked on|so far"
    "|throughout|across",
    rf"\b(?:{_ENGLISH})\b|{_CHINESE}|{_JAPANESE}",
)


def asks_for_all(question: str) -> bool:
    """Return whether a question asks for a whole topic; in English, Chinese or Japanese; or for all of them."""
    return _ASKS.search(question) is not None or asks_for_overview(question)


# A hit of more bytes, some 325 tokens, takes the place of several others: of a whole topic the short ones come first.
_SHORT, _PUT_IN_ORDER = 1300, 60


def put_short_first(hits: Iterable[Hit]) -> Iterator[Hit]:
    """Yield the best hits about a whole topic, the long ones after the others, and then the rest as they come."""
    rest = iter(hits)
    best = list(islice(rest, _PUT_IN_ORDER))
    yield from sorted(best, key=lambda hit: size_of(hit.text) > _SHORT)
    yield from rest


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
    # Facts are of no session: they take turns with the sessions as if they were of one.
    groups = [session if session in taking_turns else None for session in candidates.sessions]
    return take_turns(groups, candidates.seqs, scores)


def take_turns(groups: Sequence[object], seqs: NDArray[np.int64], scores: Scores) -> NDArray[np.int64]:
    """The best of each group, then the second best of each, and so on; what is of no group (None) follows."""
    places: dict[object, int] = {}
    rounds = np.full(len(scores), len(scores), dtype=np.int64)
    best_first: list[int] = np.lexsort((seqs, -scores)).tolist()
    for i in best_first:
        if (group := groups[i]) is not None:
            rounds[i] = places[group] = places.get(group, -1) + 1
    return np.lexsort((seqs, -scores, rounds))


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


@dataclass(frozen=True, slots=True)
class Filter:
    """The conditions of a search; None and () set no condition. A fact belongs to no session."""

    since: datetime | None = None
    until: datetime | None = None
    session_id: str | None = None
    tiers: tuple[Tier | str, ...] = ()

    def __bool__(self) -> bool:
        """Return whether the filter has any condition."""
        return self != Filter()

    @property
    def only_facts(self) -> bool:
        """Return whether only long-term memory is searched."""
        return set(self.tiers) == {"long_term"}

    def admits(self, hit: Hit) -> bool:
        """Return whether a hit passes the filter."""
        return (
            (self.since is None or hit.timestamp >= self.since)
            and (self.until is None or hit.timestamp < self.until)
            and (self.session_id is None or hit.session_id == self.session_id)
            and (not self.tiers or hit.tier in self.tiers)
        )


def filter_mask(found: Candidates, narrowed: Filter) -> NDArray[np.bool_]:
    """Mark the candidates that may pass the filter. Facts are checked again as hits; their page may replace them."""
    if not narrowed:
        return np.ones(len(found), dtype=np.bool_)
    facts = np.array([part == "fact" for part in found.parts], dtype=np.bool_)
    allowed = np.ones(len(found), dtype=np.bool_)
    if narrowed.since is not None:
        allowed &= found.times >= narrowed.since.timestamp()
    if narrowed.until is not None:
        allowed &= found.times < narrowed.until.timestamp()
    if narrowed.session_id is not None:
        allowed &= np.array([s == narrowed.session_id for s in found.sessions], dtype=np.bool_)
    return allowed | facts


def inside(found: Candidates, gate: Collection[str]) -> NDArray[np.bool_]:
    """Mark the candidates of these segments; facts, which belong to no segment, pass."""
    passes = (part == "fact" or s in gate for part, s in zip(found.parts, found.segments, strict=True))
    return np.fromiter(passes, dtype=np.bool_, count=len(found))
