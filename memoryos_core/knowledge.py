"""What is known of one user, and how it is told, corrected and erased: the half of `UserMemory` that is not talk."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace

from memoryos_core.engine import Engine
from memoryos_core.errors import ConflictError, InvalidInputError, NotFoundError
from memoryos_core.events import Forgotten
from memoryos_core.gate import Gate, permitted
from memoryos_core.governance import Governance
from memoryos_core.models import About, Fact, Page, Profile, Scope, Segment
from memoryos_core.moves import Forgetting
from memoryos_core.noted import NoteWrite
from memoryos_core.notes import Notes, named, told
from memoryos_core.reports import ForgetReceipt, Stats
from memoryos_core.rules import accepting
from memoryos_core.rules.heat import heat


class Knowledge:
    """The verbs of `UserMemory` about what is known; not made by itself."""

    def __init__(self, engine: Callable[[], Engine], scope: Scope, session_id: str, actor: str | None = None) -> None:
        self._open = engine
        self.scope = scope
        self.session_id = session_id
        self.gate = Gate(engine, scope, actor)

    @permitted
    def profile(self) -> Profile:
        """What is known of the user: static fields and traits, each with its pages."""
        return self._open().parts.store.profile(self.scope)

    @permitted
    def facts(
        self,
        about: About | None = None,
        *,
        ids: Sequence[str] | None = None,
        text: str | None = None,
        replaced_by: Sequence[str] | None = None,
        current: bool = True,
    ) -> list[Fact]:
        """Known facts, oldest first: all, or those with these ids, with this text, or replaced by one of these facts.

        White space in a text makes no difference. `current=False` brings superseded, retired and evicted ones too.
        """
        if sum(given is not None for given in (ids, text, replaced_by)) > 1:
            raise InvalidInputError("name the facts in one way: ids=, text= or replaced_by=")
        wanted = None if about is None else accepting.side("about", about)
        store = self._open().parts.store
        if text is not None:
            facts = store.facts_like(self.scope, accepting.text("text", text), current=current)
        elif replaced_by is not None:
            facts = store.facts_replaced(self.scope, accepting.ids("replaced_by", replaced_by), current=current)
        else:
            named = None if ids is None else accepting.ids("ids", ids)
            facts = store.facts(self.scope, ids=named, current=current)
        return [f for f in facts if wanted is None or f.about == wanted]

    @permitted
    def segments(self, *, archived: bool = False) -> list[Segment]:
        """The segments of mid-term memory, hottest first; `archived`, those that were evicted from it."""
        segments = self._open().parts.store.segments(self.scope, archived=archived)
        return sorted(segments, key=lambda s: -self.heat(s))

    @permitted
    def heat(self, segment: Segment) -> float:
        """The heat of a segment at this moment (paper Eq. 4)."""
        return heat(segment, (parts := self._open().parts).config.heat, parts.clock())

    @property
    def notes(self) -> Notes:
        """What the application keeps for this user under names of its own, apart from what was said."""
        return Notes(self._open, self.scope, self.gate.actor)

    @property
    def governance(self) -> Governance:
        """Who may do what with this memory, and what was done here."""
        return Governance(self._open, self.scope, self.gate.actor)

    @permitted
    def epoch(self) -> int:
        """A number that is another one after something was erased here: what was read before may be gone."""
        return self._open().parts.store.cursor(self.scope).epoch

    @permitted
    def stats(self) -> Stats:
        """How much this memory holds, tier by tier."""
        return self._open().parts.store.stats(self.scope)

    @permitted
    def remember(self, text: str, *, about: About = "user", note: NoteWrite | None = None) -> Fact:
        """Keep a fact that was told on purpose; it has no page and survives the forgetting of pages.

        Telling the same once more: the known fact comes back. A `note` is kept, and later erased, with the fact.
        Secrets in the text are redacted, and what reads like an instruction comes back as "quarantined" (ADR 0017).
        """
        words = self._open().redactor.text(accepting.text("text", text))
        same = (fact for fact in self.facts(about, text=words) if not fact.page_ids)
        if (known := next(same, None)) is None:
            return told(self._open(), self.scope, (text, about), None, note)
        self.notes.write([] if note is None else [named(note, known.id)])
        return known

    @permitted
    def correct(self, fact_id: str, text: str, *, note: NoteWrite | None = None) -> Fact:
        """Put a fact, with its `note`, in place of a known one, which stays as superseded. Raises NotFoundError."""
        known = self._open().parts.store.facts(self.scope, ids=accepting.ids("fact_id", [fact_id]))
        with suppress(ConflictError):  # it was current a moment ago
            if known:
                return told(self._open(), self.scope, (text, known[0].about), fact_id, note)
        raise NotFoundError(f"no current fact has the id {fact_id!r}; facts() lists those that can be corrected")

    @permitted
    def forget(
        self,
        *,
        pages: Sequence[str | Page] = (),
        facts: Sequence[str | Fact] = (),
        session: bool = False,
        everything: bool = False,
    ) -> ForgetReceipt:
        """Erase pages or facts (by id or value), this session, or everything of this user; says what went.

        What a forgotten fact had replaced stays replaced; `remember` it to have it back.
        """
        if not (pages or facts or session or everything):
            raise InvalidInputError("say what to forget: pages=, facts=, session=True or everything=True")
        page_ids, fact_ids = accepting.ids("pages", pages), accepting.ids("facts", facts)
        of_session = self.session_id if accepting.flag("session", session) else None
        wanted = Forgetting(self.scope, page_ids, fact_ids, of_session, accepting.flag("everything", everything))
        engine = self._open()
        wanted = replace(wanted, at=engine.parts.clock())
        began = time.perf_counter()
        receipt = engine.parts.store.forget(wanted)
        engine.index.forget(self.scope)
        engine.emit(Forgotten(self.scope, receipt.pages, receipt.facts, (time.perf_counter() - began) * 1e3))
        engine.worker.notify(self.scope)
        return receipt
