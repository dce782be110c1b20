"""The views that only look: overview, timeline, pages of one person, facts, and a recall explained."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from memoryos_core.api.recall_misses import find_recall_misses
from memoryos_core.api.user import UserMemory
from memoryos_core.errors import InvalidInputError, NotFoundError
from memoryos_core.ops.inspector.identity import Identity
from memoryos_core.ops.inspector.rendering import Pages, Portion, portion
from memoryos_core.ops.recall_cases import RecallCase
from memoryos_core.ports.forks import Lock
from memoryos_core.rules.text.controls import printable
from memoryos_core.values.dialogue import Scope, Segment, Tier
from memoryos_core.values.facts import Fact, Profile
from memoryos_core.values.reports import Backlog, Stats

WIDTH, _TOP, _HEIGHT, _ROW, _BANDS = 960, 8, 120, 26, 12
_TIERS: tuple[Tier, ...] = ("mid_term", "short_term", "archive")


@dataclass(frozen=True, slots=True)
class Bar:
    """A rectangle: so many pages of one tier in one month."""

    x: float
    y: float
    width: float
    height: float
    tier: str
    said: str


@dataclass(frozen=True, slots=True)
class Band:
    """A topic from its first page to its last; its height is its heat."""

    x: float
    y: float
    width: float
    height: float
    label_y: float
    segment: Segment
    said: str


@dataclass(frozen=True, slots=True)
class Drawing:
    """Everything that the template draws, in units of a picture that is `WIDTH` wide."""

    bars: Sequence[Bar]
    bands: Sequence[Band]
    months: Sequence[tuple[float, str]]
    height: float
    width: int = WIDTH


def draw_timeline(pages: Sequence[Place], segments: Sequence[tuple[Segment, float]]) -> Drawing | None:
    """Return the drawing of these pages and segments (each with its heat); None without a page."""
    if not pages:
        return None
    first, last = min(map(_month, pages)), max(map(_month, pages))
    step = WIDTH / (last - first + 1)
    counts = Counter((_month(page), page.tier) for page in pages)
    most = max(Counter(map(_month, pages)).values())
    bars: list[Bar] = []
    for month in range(first, last + 1):
        y = float(_TOP + _HEIGHT)
        for tier in _TIERS:
            if number := counts[month, tier]:
                height = number / most * _HEIGHT
                y -= height
                said = f"{_name(month)}: turns {number}, {tier.replace('_', ' ')}"
                bars.append(Bar((month - first) * step, y, max(step - 2, 1), height, tier, said))
    shown = max(1, (last - first + 1) // 12)
    months = [((m - first) * step, _name(m)) for m in range(first, last + 1) if (m - first) % shown == 0]
    bands = _bands(pages, segments, first, step)
    return Drawing(bars, bands, months, _TOP + _HEIGHT + 24 + len(bands) * _ROW)


def _bands(pages: Sequence[Place], segments: Sequence[tuple[Segment, float]], first: int, step: float) -> list[Band]:
    times: dict[str, list[int]] = {}
    for page in pages:
        if page.segment_id is not None:
            times.setdefault(page.segment_id, []).append(_month(page))
    hottest = sorted((s for s in segments if s[0].id in times), key=lambda s: -s[1])[:_BANDS]
    most = max((heat for _, heat in hottest), default=0.0) or 1.0
    bands: list[Band] = []
    for row, (segment, heat) in enumerate(hottest):
        begun, ended = min(times[segment.id]), max(times[segment.id])
        height = 3 + 9 * heat / most
        middle = _TOP + _HEIGHT + 24 + row * _ROW + _ROW / 2
        said = f"{_name(begun)} to {_name(ended)}, turns {segment.page_count}, heat {heat:.2f}"
        x, width = (begun - first) * step, (ended - begun + 1) * step - 2
        bands.append(Band(x, middle - height / 2 + 6, max(width, 4), height, middle - 3, segment, said))
    return bands


def _month(page: Place) -> int:
    return page.timestamp.year * 12 + page.timestamp.month - 1


def _name(month: int) -> str:
    return f"{datetime(month // 12, month % 12 + 1, 1):%b %Y}"  # noqa: DTZ001 - only its name is used


_KEPT = 4
_State: TypeAlias = tuple[int, Stats]


@dataclass(frozen=True, slots=True)
class Place:
    """One page: its session, its segment, its tier and its time."""

    id: str
    session_id: str
    segment_id: str | None
    tier: Tier
    timestamp: datetime


class PageIndex:
    """The places of the pages of the users who were looked at last. The gate is asked each time."""

    def __init__(self) -> None:
        self._known: dict[Scope, tuple[_State, tuple[Place, ...]]] = {}
        self._lock = Lock()

    def places(self, user: UserMemory) -> tuple[Place, ...]:
        """Return the places of a user's pages, in the order in which they were written."""
        state = (user.epoch(), user.stats())  # each needs the role that `pages` needs
        with self._lock:
            known = self._known.get(user.scope)
        if known is not None and known[0] == state:
            return known[1]
        found = tuple(Place(p.id, p.session_id, p.segment_id, p.tier, p.timestamp) for p in user.pages())
        with self._lock:
            self._known.pop(user.scope, None)
            self._known[user.scope] = state, found
            while len(self._known) > _KEPT:
                del self._known[next(iter(self._known))]
        return found


_SPECIAL = re.compile(r"([\\`*_{}\[\]()#+!|<>~&:-])")


def person_markdown(scope: Scope, profile: Profile, facts: Sequence[Fact]) -> str:
    """Return what is known about a user as Markdown. Remembered text cannot be markup in it."""
    notes: list[str] = []

    def note(page_ids: Sequence[str]) -> str:
        if not page_ids:
            return ""
        notes.append(f"[^{len(notes) + 1}]: pages {', '.join(map(_plain, page_ids))}")
        return f"[^{len(notes)}]"

    lines = [f"# {_plain(scope.user_id)}", ""]
    lines += [f"- **{_plain(f.name)}**: {_plain(f.value)}{note(f.page_ids)}" for f in profile.fields]
    if profile.traits:
        lines += ["", "## Traits", ""]
    for trait in profile.traits:
        why = f" ({_plain(trait.reason)})" if trait.reason else ""
        lines.append(f"- {_plain(trait.dimension)}: {trait.level}{why}{note(trait.page_ids)}")
    for about, title in (("user", "Facts"), ("assistant", "Of the assistant")):
        told = [fact for fact in facts if fact.about == about]
        lines += ["", f"## {title}", ""] if told else []
        lines += [f"- {_plain(f.text)} (since {f.valid_from:%Y-%m-%d}){note(f.page_ids)}" for f in told]
    return "\n".join([*lines, *([""] if notes else []), *notes, ""])


def _plain(text: str) -> str:
    """Return a text as one line without markup."""
    return _SPECIAL.sub(r"\\\1", " ".join(printable(text).split()))


_HOTTEST = 6
_FORMER = frozenset({"superseded", "retired", "evicted"})
_KINDS = {"current": "Current", "former": "Former", "held": "Held back"}


@dataclass(frozen=True, slots=True)
class _Session:
    """One conversation: its name, its pages and its time."""

    name: str
    pages: int
    begun: datetime
    ended: datetime


class Reading:
    """Overview, timeline, knowledge, recall bench and person, each of the user that the address names."""

    def __init__(self, identity: Identity, pages: Pages) -> None:
        self._identity = identity
        self._pages = pages
        self._index = PageIndex()

    def home(self, request: Request) -> Response:
        """Show the users; with one user only, go to the overview."""
        if self._identity.user is not None:
            return RedirectResponse("/overview", 303)
        wanted = request.query_params.get("q", "")
        scopes = [s for s in self._identity.memory.scopes() if wanted.casefold() in s.user_id.casefold()]
        shown = portion(sorted(scopes, key=lambda s: (s.user_id, s.assistant_id)), request, 50)
        return self._pages.render(request, "users.html", None, {"users": shown, "q": wanted})

    def overview(self, request: Request) -> Response:
        """Show the three tiers with their counts, what waits, and the hottest topics."""
        user = self.user_of(request)
        segments = user.segments()
        hottest = [(segment, user.heat(segment)) for segment in segments[:_HOTTEST]]
        most = max((heat for _, heat in hottest), default=0.0)
        waiting: Backlog | None = None if self._identity.actor is not None else self._identity.memory.backlog()
        values = {"stats": user.stats(), "hottest": hottest, "most": max(most, 0.01), "backlog": waiting}
        values["held"] = len(user.governance.quarantined())
        return self._pages.render(request, "overview.html", user, values)

    def timeline(self, request: Request) -> Response:
        """Show the months with their pages, topics as bands, and the sessions, newest first."""
        user = self.user_of(request)
        found = self._index.places(user)
        segments = [(s, user.heat(s)) for s in (*user.segments(), *user.segments(archived=True))]
        sessions = portion(_sessions(found), request)
        values = {"drawing": draw_timeline(found, segments), "sessions": sessions, "total": len(found)}
        return self._pages.render(request, "timeline.html", user, values)

    def pages(self, request: Request) -> Response:
        """Show the pages of a session, of a segment, or one page, verbatim."""
        user = self.user_of(request)
        params = request.query_params
        if "id" in params:
            wanted, title = [params["id"]], "Page"
        elif "segment" in params:
            title = _title(_segment(user, params["segment"]))
            wanted = [place.id for place in self._index.places(user) if place.segment_id == params["segment"]]
        else:
            name = params.get("session", "")
            wanted, title = (
                [place.id for place in self._index.places(user) if place.session_id == name],
                f"Session {name}",
            )
        part = portion(wanted, request, 20)
        found = user.pages(part.items) if part.items else ()
        if "id" in params and not found:
            raise NotFoundError("this page is not remembered; it may have been forgotten")
        shown = Portion(found, part.number, part.last, part.total)
        ids = {page.id for page in shown.items}
        learnt = [fact for fact in user.facts(current=False) if ids & set(fact.page_ids)]
        return self._pages.render(request, "pages.html", user, {"title": title, "pages": shown, "learnt": learnt})

    def knowledge(self, request: Request) -> Response:
        """Show the facts: current, former with what replaced them, or held back."""
        user, params = self.user_of(request), request.query_params
        kind, words = params.get("kind", "current"), params.get("q", "")
        if kind not in _KINDS:
            raise InvalidInputError("unknown kind of facts: use current, former or held")
        at = _moment(params.get("at", ""))
        every = user.facts(current=False)
        held_then = None if at is None else {fact.id for fact in user.facts(at=at)}
        chosen = [f for f in reversed(every) if words.casefold() in f.text.casefold()]
        chosen = [f for f in chosen if (_kind(f) == kind if held_then is None else f.id in held_then)]
        values = {
            "facts": portion(chosen, request),
            "successors": {fact.id: fact for fact in every},
            "counts": Counter(_kind(fact) for fact in every),
            "kinds": _KINDS,
            "kind": kind,
            "q": words,
            "at": params.get("at", ""),
        }
        return self._pages.render(request, "knowledge.html", user, values)

    def fact(self, request: Request) -> Response:
        """Show one fact with its history and the turns it comes from."""
        user = self.user_of(request)
        known = fact_of(user, request.query_params.get("id", ""))
        former = user.facts(replaced_by=[known.id], current=False)
        newer = user.facts(ids=[known.superseded_by], current=False) if known.superseded_by else []
        sources = user.pages(known.page_ids) if known.page_ids else ()
        values = {"fact": known, "former": former, "newer": newer, "sources": sources}
        return self._pages.render(request, "fact.html", user, values)

    def recall(self, request: Request) -> Response:
        """Ask a question: the exact text of the prompt, each hit's signals, and what just missed."""
        user, params = self.user_of(request), request.query_params
        question, budget = params.get("q", ""), params.get("budget", "")
        values: dict[str, object] = {"q": question, "budget": budget, "recall": None, "missed": []}
        if question.strip():
            tokens = _budget(budget)
            found = user.recall(question, budget_tokens=tokens, include_recent=False)
            floor = self._identity.memory.config.recall.min_score
            values |= {"recall": found, "missed": find_recall_misses(user, found, floor)}
        return self._pages.render(request, "recall.html", user, values)

    def recall_case(self, request: Request) -> Response:
        """Send a question and the hits that were chosen, as a case for `memoryos check-recall`."""
        user, params = self.user_of(request), request.query_params
        case = RecallCase(
            user=user.scope.user_id,
            assistant=user.scope.assistant_id,
            question=params.get("q", ""),
            budget_tokens=_budget(params.get("budget", "")),
            ids=tuple(dict.fromkeys(params.getlist("keep"))),
        )
        if not case.question.strip() or not case.ids or case.check(user):
            raise InvalidInputError("a case needs a question and a hit that it brings: choose one on the bench")
        named = {"Content-Disposition": 'attachment; filename="recall-case.jsonl"'}
        return Response(case.line(), media_type="application/jsonl; charset=utf-8", headers=named)

    def person(self, request: Request) -> Response:
        """Show the profile as a document with footnotes."""
        user = self.user_of(request)
        facts = [fact for fact in reversed(user.facts()) if fact.about == "user"]
        values = {"profile": user.profile(), "facts": portion(facts, request, 50)}
        return self._pages.render(request, "person.html", user, values)

    def markdown(self, request: Request) -> Response:
        """Send the same document as a file of Markdown."""
        user = self.user_of(request)
        text = person_markdown(user.scope, user.profile(), user.facts())
        named = {"Content-Disposition": 'attachment; filename="person.md"'}
        return Response(text, media_type="text/markdown; charset=utf-8", headers=named)

    def user_of(self, request: Request) -> UserMemory:
        """Return the handle of the user that the address names. Raises NotFoundError."""
        params = request.query_params
        return self._identity.open_user(params.get("user"), params.get("assistant"))


def fact_of(user: UserMemory, fact_id: str) -> Fact:
    """Return a fact by its id. Raises NotFoundError."""
    found = user.facts(ids=[fact_id], current=False)
    if not found:
        raise NotFoundError("this fact is not known; it may have been forgotten")
    return found[0]


def _kind(fact: Fact) -> str:
    return "former" if fact.status in _FORMER else "held" if fact.status == "quarantined" else "current"


def _sessions(pages: tuple[Place, ...]) -> list[_Session]:
    """Return the sessions, the one with the newest page first."""
    times: dict[str, list[datetime]] = {}
    for page in pages:
        times.setdefault(page.session_id, []).append(page.timestamp)
    found = [_Session(name, len(at), min(at), max(at)) for name, at in times.items()]
    return sorted(found, key=lambda s: (s.ended, s.name), reverse=True)


def _segment(user: UserMemory, segment_id: str) -> Segment:
    for segment in (*user.segments(), *user.segments(archived=True)):
        if segment.id == segment_id:
            return segment
    raise NotFoundError("this topic is not remembered; it may have been forgotten")


def _title(segment: Segment) -> str:
    return f"Topic: {', '.join(segment.keywords) or 'no keywords yet'}"


def _moment(written: str) -> datetime | None:
    if not written:
        return None
    try:
        return datetime.fromisoformat(written)
    except ValueError:
        raise InvalidInputError("invalid date: write it like 2026-05-01") from None


def _budget(written: str) -> int | None:
    if not written:
        return None
    if not written.isdecimal() or len(written) > 9:  # noqa: PLR2004 - no long number
        raise InvalidInputError("invalid budget: write a number of tokens")
    return int(written)
