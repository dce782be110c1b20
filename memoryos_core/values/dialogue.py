"""The values that move between the tiers: frozen, slotted, named with the paper's words.

Times are aware datetimes. Vectors are float32 and take no part in comparison or printing. Absence is None or ().
"""

from __future__ import annotations

import hashlib
import html
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from typing import Final, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from memoryos_core.values.construction import fill_slots
from memoryos_core.values.facts import TRUSTS as TRUSTS
from memoryos_core.values.facts import About as About
from memoryos_core.values.facts import Fact as Fact
from memoryos_core.values.facts import FactStatus as FactStatus
from memoryos_core.values.facts import Level as Level
from memoryos_core.values.facts import Profile as Profile
from memoryos_core.values.facts import ProfileField as ProfileField
from memoryos_core.values.facts import Trait as Trait
from memoryos_core.values.facts import Trust as Trust
from memoryos_core.values.notes import Note as Note

Vector: TypeAlias = NDArray[np.float32]
Role: TypeAlias = Literal["user", "assistant", "tool", "system"]
Tier: TypeAlias = Literal["short_term", "mid_term", "archive"]
Half: TypeAlias = Literal["user", "assistant"]
HALVES: tuple[Half, ...] = ("user", "assistant")
FACT: Final = "fact"
"""The part of a unit of search that is a whole fact."""


@dataclass(frozen=True, slots=True)
class Scope:
    """The partition a memory lives in: one user with one assistant. Nothing is ever read across scopes."""

    user_id: str
    assistant_id: str = "assistant"

    @property
    def key(self) -> str:
        """A short, safe name for the partition, the same on every machine (design §1.5)."""
        return _key_of(self.user_id, self.assistant_id)


@lru_cache(maxsize=1024)  # a transaction asks for it several times
def _key_of(user_id: str, assistant_id: str) -> str:
    return hashlib.sha256(json.dumps([user_id, assistant_id]).encode()).hexdigest()[:32]


@fill_slots
@dataclass(frozen=True, slots=True)
class Message:
    """One utterance, verbatim. `payload` carries a host's own serialised form, untouched.

    `trust` is the source of its text when the role does not tell it (issue 6). `by` is the actor that handed it in,
    which the memory itself notes; None is the application.
    """

    role: Role
    text: str
    name: str | None = None
    timestamp: datetime | None = None
    id: str | None = None
    calls: tuple[str, ...] = ()
    answers: str | None = None
    payload: str | None = field(default=None, repr=False)
    trust: Trust | None = None
    by: str | None = None

    @property
    def half(self) -> Half:
        """Return the half of the page that this message belongs to."""
        return "user" if self.role == "user" else "assistant"

    @property
    def source(self) -> Trust:
        """Return the trust that its writer set, else that of its role; a system prompt counts as the assistant's."""
        return self.trust or ("assistant" if self.role == "system" else self.role)


def least_trust(messages: Iterable[Message]) -> Trust:
    """Return the trust of the least trusted of messages: who reads them together reads them all. Of none, "user"."""
    return TRUSTS[max((TRUSTS.index(message.source) for message in messages), default=0)]


@fill_slots
@dataclass(frozen=True, slots=True)
class Page:
    """A dialogue page: the user's words and the answer, with tool calls in between (paper §3.1).

    `ended`: its conversation is over. The page is remembered, but the session no longer shows it.
    `trust` is the least of its messages'; `labels` are what was found suspicious in it (`rules/poison.py`).
    `timestamp` is when it was said, `written_at` when the memory last took messages for it, if its store tells.
    """

    id: str
    session_id: str
    seq: int
    messages: tuple[Message, ...]
    timestamp: datetime
    tier: Tier = "short_term"
    tokens: int = 0
    open: bool = False
    segment_id: str | None = None
    chain_id: str | None = None
    analysed: bool = False
    reread: bool = False
    ended: bool = False
    trust: Trust = "assistant"
    labels: tuple[str, ...] = ()
    written_at: datetime | None = field(default=None, compare=False)

    def text(self, half: Half, *, named: bool = True) -> str:
        """Return the text of one half, without tool traffic or system prompts: it is searched and learnt from.

        Words are searched with the names of the speakers (`named`). Vectors are made without names, since a name makes
        all pages of its speaker alike.
        """
        lines = [m for m in self.messages if m.role == half and m.text.strip()]
        return "\n".join([f"{m.name}: {m.text}" if named and m.name else m.text for m in lines])


@dataclass(frozen=True, slots=True)
class Chain:
    """A dialogue chain: pages that continue one another, with one summary for the whole (paper Eq. 1)."""

    id: str
    summary: str


@dataclass(frozen=True, slots=True)
class HeatCounters:
    """Counters from which the heat of a segment is computed (paper Eq. 4)."""

    n_visit: int
    l_interaction: int
    last_access: datetime | None


@dataclass(frozen=True, slots=True)
class Segment:
    """Pages of one topic. `heat` is never stored: rules.heat computes it from these counters (paper Eq. 4).

    `since` and `until` are the times of its first and its last page, if its store tells them.
    """

    id: str
    summary: str
    keywords: tuple[str, ...]
    centroid: Vector = field(compare=False, repr=False)
    n_visit: int = 0
    l_interaction: int = 0
    last_access: datetime | None = None
    page_count: int = 0
    unanalysed: int = 0
    archived: bool = False
    rev: int = 0
    since: datetime | None = field(default=None, compare=False)
    until: datetime | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Topic:
    """A segment as people read it: its title, what was said when, on how many pages, and its heat now."""

    segment_id: str
    title: str
    summary: str
    keywords: tuple[str, ...]
    pages: int
    heat: float
    since: datetime | None
    until: datetime | None


@fill_slots
@dataclass(frozen=True, slots=True)
class Hit:
    """Something recalled: a message of a page, or a fact. `score` is its relevance, 0 to 1, alike for all questions.

    `heat` is the heat of its segment at the time of a `search`; None outside segments, and in a recall.
    `seq` is the seq of its page, which orders pages of the same time; -1 for a fact. `marks` are sentences of its text
    that no longer hold, each with what a prompt says behind the message: until when it did, and what holds now.
    `at` is the place of its message in its page, and `passage` the part of it that was found: a shorter text keeps it.
    `trust` is that of the one who said it, or for a fact the least trusted of its sources.
    """

    kind: Literal["page", "fact"]
    id: str
    text: str
    score: float
    timestamp: datetime
    tier: Tier | Literal["long_term"]
    session_id: str | None = None
    segment_id: str | None = None
    page_ids: tuple[str, ...] = ()
    messages: tuple[Message, ...] = ()
    about: About | None = None
    heat: float | None = None
    signals: Mapping[str, float] = field(default_factory=dict[str, float], compare=False)
    seq: int = -1
    marks: tuple[tuple[str, str], ...] = ()
    at: int = -1
    passage: str = ""
    trust: Trust | None = None

    @property
    def written_by(self) -> tuple[str, ...]:
        """The actors that handed in what it shows; () for the application itself, and for a fact."""
        return tuple(dict.fromkeys(message.by for message in self.messages if message.by is not None))


@dataclass(frozen=True, slots=True)
class Recall:
    """Result of a question, packed to a token budget. `str(recall)` is the prompt text.

    `hits` are in rank order, best first; the text lists them oldest first. `recent_text` (a text for each of `recent`)
    and `profile_text` (one line each) are the parts of the text for recent turns and for what is known about the user,
    `topics_text` (one line each) for topics, where the question asks for an overview;
    `known` are the facts behind those lines, former ones among them. With them
    `rules.shortening.shorten_recall` makes the recall shorter by whole hits.
    """

    query: str
    text: str
    tokens: int
    budget_tokens: int
    hits: tuple[Hit, ...] = ()
    recent: tuple[Page, ...] = ()
    profile: Profile = field(default_factory=Profile)
    dropped: int = 0
    timings_ms: Mapping[str, float] = field(default_factory=dict[str, float], compare=False)
    recent_text: tuple[str, ...] = field(default=(), repr=False)
    profile_text: tuple[str, ...] = field(default=(), repr=False)
    topics_text: tuple[str, ...] = field(default=(), repr=False)
    known: tuple[Fact, ...] = field(default=(), repr=False)

    def __str__(self) -> str:
        """The prompt text; empty when nothing was recalled."""
        return self.text

    def __bool__(self) -> bool:
        """False when nothing was recalled."""
        return bool(self.text)

    def explain(self) -> str:
        """One line a hit, with the signals that ranked it."""
        return "\n".join(
            f"{h.score:7.3f}  {h.tier:<10} {h.timestamp:%Y-%m-%d}  "
            + "  ".join(f"{name} {value:+.2f}" for name, value in h.signals.items())
            for h in self.hits
        )

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{h.score:.2f}</td><td>{h.tier}</td>"
            f"<td style='white-space:nowrap'>{h.timestamp:%Y-%m-%d}</td>"
            f"<td style='text-align:left;white-space:pre-wrap'>{html.escape(h.text)}</td>"
            f"<td style='text-align:left'>{_signals_html(h.signals)}</td></tr>"
            for h in self.hits
        )
        head = f"<b>Recall</b> for “{html.escape(self.query)}”: {self.tokens} of {self.budget_tokens} tokens"
        bar = f"<meter min='0' max='{self.budget_tokens}' value='{self.tokens}'></meter>"
        heads = "".join(f"<th>{name}</th>" for name in ("relevance", "tier", "when", "text", "signals"))
        return f"<div>{head} {bar}<table><tr>{heads}</tr>{rows}</table></div>"


# Colours that stay apart for most who see some colours alike (Okabe and Ito); a signal keeps its colour in each row.
_COLOURS = ("#0072b2", "#e69f00", "#009e73", "#d55e00", "#56b4e9", "#cc79a7", "#f0e442", "#555555")
_PIXELS_FOR_ONE = 60


def _signals_html(signals: Mapping[str, float]) -> str:
    """Return bars as wide as the signals that speak for a hit, and all that are not 0 in words."""
    bars = "".join(
        f"<span style='display:inline-block;height:.7em;width:{_PIXELS_FOR_ONE * value:.0f}px;"
        f"background:{_COLOURS[place % len(_COLOURS)]}'></span>"
        for place, value in enumerate(signals.values())
        if value > 0
    )
    told = ", ".join(f"{html.escape(name)} {value:+.2f}" for name, value in signals.items() if round(value, 2))
    return f"{bars}<br><small>{told}</small>"
