"""The views that only look: overview, timeline, pages of one person, facts, and a recall explained."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import get_args

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from memoryos_core.api.recall_misses import find_recall_misses
from memoryos_core.api.user import UserMemory
from memoryos_core.config import HeatConfig
from memoryos_core.errors import InvalidInputError, NotFoundError, StoreCorruptError
from memoryos_core.ops.inspector.identity import Identity
from memoryos_core.ops.inspector.rendering import Pages, find_place, person_markdown, portion
from memoryos_core.ops.recall_cases import RecallCase
from memoryos_core.rules.paging.heat import heat_in_month
from memoryos_core.values.audit import Activity, LoggedRecall
from memoryos_core.values.dialogue import Segment, Tier
from memoryos_core.values.facts import Fact, FactStatus
from memoryos_core.values.reports import Backlog, MonthCount

WIDTH, _TOP, _HEIGHT, _ROW, _BANDS, _THICK = 960, 8, 120, 38, 12, 14
_MONTHS = 240  # a picture of more has columns of no width
_TIERS: tuple[Tier, ...] = ("mid_term", "short_term", "archive")
_RECALLS = 1000
_SHOWN_IDS = 12
_HITS_THEN = 10


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
    """A topic from its first page on; its width in a month is the heat that it had at the end of it."""

    x: float
    points: str
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
    hottest: float
    cut: bool
    width: int = WIDTH


def draw_timeline(
    counts: Sequence[MonthCount], topics: Sequence[tuple[Segment, Sequence[MonthCount]]], config: HeatConfig
) -> Drawing | None:
    """Return the drawing of pages by month and tier, and of topics with theirs by month; None without a page."""
    if not counts:
        return None
    touched = [segment.last_access for segment, _ in topics if segment.last_access is not None]
    end = max([count.until for count in counts] + touched)
    last = max(*map(_month, counts), end.year * 12 + end.month - 1)
    begun = min(map(_month, counts))
    first = max(begun, last - _MONTHS + 1)
    counts = [count for count in counts if _month(count) >= first]
    step = WIDTH / (last - first + 1)
    sums = Counter[int]()
    for count in counts:
        sums[_month(count)] += count.pages
    tops = dict.fromkeys(range(first, last + 1), float(_TOP + _HEIGHT))
    bars: list[Bar] = []
    for count in sorted(counts, key=lambda c: (_month(c), _TIERS.index(c.tier or "archive"))):
        month, height = _month(count), count.pages / max(sums.values()) * _HEIGHT
        tops[month] -= height
        said = f"{_name(month)}: turns {count.pages}, {str(count.tier).replace('_', ' ')}"
        bars.append(Bar((month - first) * step, tops[month], max(step - 2, 1), height, str(count.tier), said))
    shown = max(1, (last - first + 1) // 12)
    months = [((m - first) * step, _name(m)) for m in range(first, last + 1) if (m - first) % shown == 0]
    heats = [(segment, _heats(segment, own, end, last, config)) for segment, own in topics if own]
    most = max((heat for _, known in heats for heat in known.values()), default=0.0) or 1.0
    bands = [_band(row, segment, known, first, most) for row, (segment, known) in enumerate(heats)]
    return Drawing(bars, bands, months, _TOP + _HEIGHT + 24 + len(bands) * _ROW, most, begun < first)


def _heats(
    segment: Segment, own: Sequence[MonthCount], end: datetime, last: int, config: HeatConfig
) -> dict[int, float]:
    """Return the heat of a segment at the end of each month, from that of its first page to the last one drawn."""
    pages, until = {_month(count): count.pages for count in own}, own[0].until
    times = {_month(count): count.until for count in own}
    found: dict[int, float] = {}
    for month in range(min(pages), last + 1):
        until = max(until, times.get(month, until))
        over = end if month == last else datetime((month + 1) // 12, (month + 1) % 12 + 1, 1, tzinfo=timezone.utc)
        found[month] = heat_in_month(segment, config, pages=pages.get(month, 0), last=until, end=over)
    return {month: heat for month, heat in found.items() if month > last - _MONTHS}


def _band(row: int, segment: Segment, heats: Mapping[int, float], first: int, most: float) -> Band:
    begun, ended = min(heats), max(heats)
    step = WIDTH / (ended - first + 1)
    middle = _TOP + _HEIGHT + 24 + row * _ROW + 26
    places = [((begun - first) * step, heats[begun])]
    places += [((month - first + 0.5) * step, heat) for month, heat in heats.items()]
    places.append((WIDTH - 2.0, heats[ended]))
    halves = [(x, max(_THICK * heat / most, 1) / 2) for x, heat in places]
    edge = [(x, middle - half) for x, half in halves] + [(x, middle + half) for x, half in reversed(halves)]
    peak = max(heats, key=lambda month: (heats[month], month))
    said = (
        f"since {_name(begun)}, turns {segment.page_count}, hottest in {_name(peak)} (heat {heats[peak]:.1f}), "
        f"{heats[ended]:.1f} in {_name(ended)}"
    )
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in edge)
    return Band(places[0][0], points, middle - _THICK / 2 - 4, segment, said)


def _month(count: MonthCount) -> int:
    return count.year * 12 + count.month - 1


def _name(month: int) -> str:
    return f"{datetime(month // 12, month % 12 + 1, 1):%b %Y}"  # noqa: DTZ001 - only its name is used


_HOTTEST = 6
_STATUSES: tuple[FactStatus, ...] = get_args(FactStatus)
_LEARNT = 1000
_OF_KIND: Mapping[str, tuple[FactStatus, ...]] = {
    "current": ("current",),
    "former": ("superseded", "retired"),
    "held": ("quarantined",),
}
_KINDS = {"current": "Current", "former": "Former", "disputed": "Disputed", "held": "Held back"}


class Reading:
    """Overview, timeline, knowledge, recall bench and person, each of the user that the address names."""

    def __init__(self, identity: Identity, pages: Pages) -> None:
        self._identity = identity
        self._pages = pages

    def home(self, request: Request) -> Response:
        """Show the users; with one user only, go to the overview."""
        if self._identity.user is not None:
            return RedirectResponse("/overview", 303)
        wanted = request.query_params.get("q", "")
        scopes = [s for s in self._identity.memory.scopes() if wanted.casefold() in s.user_id.casefold()]
        shown = portion(sorted(scopes, key=lambda s: (s.user_id, s.assistant_id)), request, 50)
        return self._pages.render(request, "users.html", None, {"users": shown, "q": wanted})

    def overview(self, request: Request) -> Response:
        """Show the three tiers with their counts, what waits, what moved in a week, and the hottest topics."""
        user = self.user_of(request)
        segments = user.segments()
        hottest = [(segment, user.heat(segment)) for segment in segments[:_HOTTEST]]
        most = max((heat for _, heat in hottest), default=0.0)
        waiting: Backlog | None = None if self._identity.actor is not None else self._identity.memory.backlog()
        week: Activity | None = None
        if self._identity.memory.config.audit:
            with suppress(StoreCorruptError):  # `memoryos audit verify` tells of it
                week = user.governance.activity(days=7)
        values = {"stats": user.stats(), "hottest": hottest, "most": max(most, 0.01), "backlog": waiting, "week": week}
        return self._pages.render(request, "overview.html", user, values)

    def timeline(self, request: Request) -> Response:
        """Show the months with their pages, topics as bands, and the sessions, newest first."""
        user = self.user_of(request)
        every, stats = [*user.segments(), *user.segments(archived=True)], user.stats()
        own: dict[str, list[MonthCount]] = {s.id: [] for s in sorted(every, key=user.heat, reverse=True)[:_BANDS]}
        for count in user.timeline.months([*own]) if own else ():
            own[str(count.segment_id)].append(count)
        segments = {segment.id: segment for segment in every}
        topics = [(segments[name], counts) for name, counts in own.items()]
        place = find_place(stats.sessions, request)
        spans = user.timeline.sessions(limit=place.size, offset=place.offset)
        values = {
            "drawing": draw_timeline(user.timeline.months(), topics, self._identity.memory.config.heat),
            "sessions": place.holding(spans),
            "total": stats.pages,
        }
        return self._pages.render(request, "timeline.html", user, values)

    def pages(self, request: Request) -> Response:
        """Show the pages of a session, of a segment, or one page, verbatim."""
        user = self.user_of(request)
        params = request.query_params
        if "id" in params:
            title, shown = "Page", portion(user.pages([params["id"]]), request)
            if not shown.total:
                raise NotFoundError("this page is not remembered; it may have been forgotten")
        elif "segment" in params:
            segment = _segment(user, params["segment"])
            title, place = _title(segment), find_place(segment.page_count, request, 20)
            found = user.timeline.pages(segment=segment.id, limit=place.size, offset=place.offset)
            shown = place.holding(found)
        else:
            name = params.get("session", "")
            spans = user.timeline.sessions([name])
            title, place = f"Session {name}", find_place(spans[0].pages if spans else 0, request, 20)
            shown = place.holding(user.timeline.pages(session=name, limit=place.size, offset=place.offset))
        learnt = user.timeline.facts(_STATUSES, pages=shown.items, limit=_LEARNT) if shown.items else []
        return self._pages.render(request, "pages.html", user, {"title": title, "pages": shown, "learnt": learnt})

    def knowledge(self, request: Request) -> Response:
        """Show the facts: current, former with what replaced them, those that contradict each other, or held back."""
        user, params = self.user_of(request), request.query_params
        kind, words = params.get("kind", "current"), params.get("q", "")
        if kind not in _KINDS:
            raise InvalidInputError("unknown kind of facts: use current, former, disputed or held")
        counts = Counter[str]()
        for count in user.timeline.fact_counts():
            counts[_kind(count.status)] += count.facts
        at = _moment(params.get("at", ""))
        against = _opposites(user) if kind == "disputed" and at is None else {}
        if at is None and kind != "disputed" and not words:  # only the part that is shown is read
            place = find_place(counts[kind], request)
            facts = place.holding(user.timeline.facts(_OF_KIND[kind], limit=place.size, offset=place.offset))
        else:
            facts = portion(_find_facts(user, kind, at, words, against), request)
        heirs = [fact.superseded_by for fact in facts.items if fact.superseded_by]
        values = {
            "facts": facts,
            "successors": {fact.id: fact for fact in user.facts(ids=heirs, current=False)} if heirs else {},
            "against": against,
            "counts": counts,
            "kinds": _KINDS,
            "kind": kind,
            "q": words,
            "at": params.get("at", ""),
            "recalled": self._last_recalled(user),
        }
        return self._pages.render(request, "knowledge.html", user, values)

    def fact(self, request: Request) -> Response:
        """Show one fact with its history and the turns it comes from."""
        user = self.user_of(request)
        known = fact_of(user, request.query_params.get("id", ""))
        former = [one for one in user.facts(replaced_by=[known.id], current=False) if one.status != "evicted"]
        newer = user.facts(ids=[known.superseded_by], current=False) if known.superseded_by else []
        sources = user.pages(known.page_ids) if known.page_ids else ()
        recalled = self._last_recalled(user, known.id)
        values = {"fact": known, "former": former, "newer": newer, "sources": sources, "recalled": recalled}
        return self._pages.render(request, "fact.html", user, {**values, "against": _opposites(user)})

    def recall(self, request: Request) -> Response:
        """Ask a question: the exact text of the prompt, each hit's signals, and what just missed."""
        user, params = self.user_of(request), request.query_params
        question, budget, at = params.get("q", ""), params.get("budget", ""), params.get("at", "")
        values: dict[str, object] = {"q": question, "budget": budget, "at": at, "recall": None}
        if question.strip():
            tokens = _budget(budget)
            found = user.recall(question, budget_tokens=tokens, include_recent=False)
            floor = self._identity.memory.config.recall.min_score
            values |= {"recall": found, "missed": find_recall_misses(user, found, floor)}
            then = _moment(at)
            values["then"] = [] if then is None else user.search(question, _HITS_THEN, until=then, min_score=floor)
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

    def recalls(self, request: Request) -> Response:
        """Show the log of recalls: when, by whom, and which pages and facts came; no question is in it."""
        user, of = self.user_of(request), request.query_params.get("id")
        shown = portion(user.governance.recalls(of=of, limit=_RECALLS), request)
        ids = list(dict.fromkeys(i for recall in shown.items for i in recall.ids[:_SHOWN_IDS]))
        known = {page.id: ("/pages", page.text("user") or page.text("assistant")) for page in user.pages(ids)}
        known |= {fact.id: ("/fact", fact.text) for fact in user.facts(ids=ids, current=False)}
        values = {"recalls": shown, "known": known, "of": of, "most": _RECALLS, "shown_ids": _SHOWN_IDS}
        return self._pages.render(request, "recalls.html", user, values)

    def person(self, request: Request) -> Response:
        """Show the profile as a document with footnotes."""
        user = self.user_of(request)
        counts = user.timeline.fact_counts()
        total = sum(count.facts for count in counts if (count.status, count.about) == ("current", "user"))
        place = find_place(total, request, 50)
        facts = user.timeline.facts(about="user", limit=place.size, offset=place.offset)
        values = {"profile": user.profile(), "facts": place.holding(facts)}
        return self._pages.render(request, "person.html", user, values)

    def markdown(self, request: Request) -> Response:
        """Send the same document as a file of Markdown."""
        user = self.user_of(request)
        text = person_markdown(user.scope, user.profile(), user.facts())
        named = {"Content-Disposition": 'attachment; filename="person.md"'}
        return Response(text, media_type="text/markdown; charset=utf-8", headers=named)

    def _last_recalled(self, user: UserMemory, of: str | None = None) -> dict[str, datetime]:
        """Return when facts were recalled last, by id, as far as recalls are logged."""
        if not self._identity.memory.config.audit:
            return {}
        logged: list[LoggedRecall] = []
        with suppress(StoreCorruptError):
            logged = user.governance.recalls(of=of, limit=_RECALLS if of is None else 1)
        return {item: recall.at for recall in reversed(logged) for item in recall.ids}

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


def _opposites(user: UserMemory) -> dict[str, list[Fact]]:
    """Return what contradicts each fact that is in dispute, by its id."""
    found: dict[str, list[Fact]] = {}
    for dispute in user.disputes():
        found.setdefault(dispute.earlier.id, []).append(dispute.later)
        found.setdefault(dispute.later.id, []).append(dispute.earlier)
    return found


def _find_facts(
    user: UserMemory, kind: str, at: datetime | None, words: str, disputed: Mapping[str, object]
) -> list[Fact]:
    """Return the facts with these words, newest first: those that held at a moment, else those of a kind."""
    if at is not None:
        found = user.facts(at=at)
    elif kind == "disputed":
        found = user.facts(ids=[*disputed])
    else:
        found = [fact for fact in user.facts(current=kind == "current") if _kind(fact.status) == kind]
    return [fact for fact in reversed(found) if words.casefold() in fact.text.casefold()]


def _kind(status: FactStatus) -> str:
    return next(kind for kind, statuses in _OF_KIND.items() if status in statuses)


def _segment(user: UserMemory, segment_id: str) -> Segment:
    for segment in (*user.segments([segment_id]), *user.segments([segment_id], archived=True)):
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
