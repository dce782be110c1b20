"""The profile of a user and the lines of facts that answer a question, without what the session has superseded."""

from __future__ import annotations

from collections.abc import Collection
from weakref import WeakKeyDictionary

from memoryos_core.ports import Clock, Store
from memoryos_core.rules.knowledge.entries import Line
from memoryos_core.rules.knowledge.lines import Book
from memoryos_core.rules.ranking.questions import asks_for_portrait
from memoryos_core.rules.ranking.signals import Session
from memoryos_core.tiers.knowledge import Knowledge
from memoryos_core.values.commands import PageQuery
from memoryos_core.values.dialogue import Page, Scope
from memoryos_core.values.facts import Profile


class Ended:
    """The pages of conversations that the session which asks has ended; most sessions have none, and ask once."""

    def __init__(self, store: Store, scope: Scope, session: Session | None) -> None:
        self.session = session
        self._store = store
        self._scope = scope
        self._are_there: bool | None = None

    def are_there(self) -> bool:
        """Return whether there are any."""
        if self._are_there is None and self.session is not None:
            ended = PageQuery(self._scope, session_id=self.session.id, ended=True, limit=1)
            self._are_there = bool(self._store.pages(ended))
        return bool(self._are_there)

    def among(self, ids: Collection[str]) -> dict[str, Page]:
        """Return those with one of these ids, by id."""
        if self.session is None or not ids or not self.are_there():
            return {}
        query = PageQuery(self._scope, ids=tuple(ids), session_id=self.session.id, ended=True)
        return {page.id: page for page in self._store.pages(query)}


class ProfileReader:
    """Reads the profile of a user, and lines of facts. Thread-safe.

    `with_lines` says whether such lines are wanted: else there is no book.
    """

    def __init__(self, store: Store, knowledge: Knowledge, clock: Clock, *, with_lines: bool) -> None:
        self._store = store
        self._knowledge = knowledge
        self._clock = clock
        self._with_lines = with_lines
        # To amend a profile every fact is looked at. A book lasts until a fact changes, and what follows from it no
        # longer.
        self._amended: WeakKeyDictionary[Book, tuple[Profile, Profile]] = WeakKeyDictionary()

    def profile(self, scope: Scope, ended: Ended) -> tuple[Profile, Book | None]:
        """Return the facts about the user, and the book of what is known, None where lines of it are not wanted.

        The profile is without what only superseded pages of the session support. Raises StoreError.
        """
        known = self._store.profile(scope)
        if not self._with_lines:
            return _without_superseded(known, ended), None
        book = self._book(scope, known)
        profile = _without_superseded(self._amend(known, book), ended)
        return profile, book if profile.get("name") == known.get("name") else self._book(scope, profile)

    def lines(self, question: str, book: Book | None, ended: Ended) -> tuple[Line, ...]:
        """Return the lines about what is known that answer the question, without what the session has superseded."""
        if book is None:
            return ()
        lines = book.portrait(self._clock()) if asks_for_portrait(question) else book.lines(question)
        session = ended.session
        if session is None or not lines or not ended.are_there():
            return tuple(lines)
        pages = ended.among({i for line in lines for fact in line.facts for i in fact.page_ids})
        gone = (any(session.supersedes_fact(f, pages) for f in line.facts) for line in lines)
        return tuple(line for line, over in zip(lines, gone, strict=True) if not over)

    def _amend(self, profile: Profile, book: Book) -> Profile:
        before = self._amended.get(book)
        if before is None or before[0] != profile:
            before = self._amended[book] = profile, book.amend(profile)
        return before[1]

    def _book(self, scope: Scope, profile: Profile) -> Book:
        name = profile.get("name")
        return self._knowledge.book(scope, () if name is None else (name,))


def _without_superseded(profile: Profile, ended: Ended) -> Profile:
    """Return the profile without what only pages support that the session has superseded."""
    cited = {i for field in profile.fields for i in field.page_ids} | {i for t in profile.traits for i in t.page_ids}
    pages, session = ended.among(cited), ended.session
    return profile if session is None or not pages else session.known_here(profile, pages)
