"""The views that only look."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import datetime

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from memoryos_core.api.user import UserMemory
from memoryos_core.errors import InvalidInputError, NotFoundError
from memoryos_core.ops.inspector.identity import Identity
from memoryos_core.ops.inspector.page_index import PageIndex, Place
from memoryos_core.ops.inspector.person import person_markdown
from memoryos_core.ops.inspector.rendering import Pages, Portion, portion
from memoryos_core.ops.inspector.timeline import draw_timeline
from memoryos_core.values.dialogue import Hit, Recall, Segment
from memoryos_core.values.facts import Fact
from memoryos_core.values.reports import Backlog

_HOTTEST = 6
_MISSED = 8
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
            values |= {"recall": found, "missed": self._find_missed(user, found)}
        return self._pages.render(request, "recall.html", user, values)

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

    def _find_missed(self, user: UserMemory, recall: Recall) -> list[tuple[Hit, str]]:
        """Return the best hits of a search that are not in a recall, each with the reason."""
        taken = {(hit.kind, hit.id, hit.at) for hit in recall.hits} | {("fact", f.id, -1) for f in recall.known}
        wanted = len(recall.hits) + _MISSED + len(recall.known)
        floor = self._identity.memory.config.recall.min_score
        others = [h for h in user.search(recall.query, wanted) if (h.kind, h.id, h.at) not in taken]
        return [
            (
                hit,
                f"less relevant than {floor:.2f}" if hit.score < floor else "there was no room, or it was said already",
            )
            for hit in others[:_MISSED]
        ]


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
