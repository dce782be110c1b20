"""One user's memory: the verbs a caller uses. A free handle that does no input or output until it is asked."""

from __future__ import annotations

import html
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import datetime
from typing import TypeAlias

from memoryos_core.api import knowledge
from memoryos_core.api.access import Gate, meet, note_recall, require_role
from memoryos_core.api.admin import export_records
from memoryos_core.api.engine import Engine
from memoryos_core.api.governance import Governance
from memoryos_core.api.knowledge import Timeline, find_segments, find_topics, heat_of
from memoryos_core.api.notebook import open_inspection, user_html
from memoryos_core.api.notes import Notes, correct_fact, note_changes, note_for_fact, store_told_fact
from memoryos_core.errors import InvalidInputError
from memoryos_core.extract.asking import asking_for
from memoryos_core.rules import validation as accepting
from memoryos_core.rules.paging.heat import Heat
from memoryos_core.rules.paging.pages import messages_of
from memoryos_core.rules.ranking.hits import Filter
from memoryos_core.rules.ranking.relevance import Floor
from memoryos_core.rules.ranking.signals import Session
from memoryos_core.values.commands import Forgetting, PageQuery
from memoryos_core.values.dialogue import Hit, Message, Page, Recall, Scope, Segment, Tier, Topic
from memoryos_core.values.events import PageAdded, Searched
from memoryos_core.values.facts import About, Dispute, Fact, KnownValue, Profile
from memoryos_core.values.notes import NoteWrite
from memoryos_core.values.reports import ConsolidationReport, ForgetReceipt, Stats

NoteOfPages: TypeAlias = Callable[[Mapping[str, str]], NoteWrite | None]
"""Makes a note of the pages of messages, or none: given the page's id by the message's."""


class UserMemory:
    """The memory that one assistant has of one user; `session_id` is the current conversation.

    Made by `MemoryOS.user`. Every verb may raise StoreError, and ClosedError after the memory was closed.
    """

    def __init__(self, engine: Callable[[], Engine], scope: Scope, session_id: str, actor: str | None = None) -> None:
        self._open = engine
        self.scope, self.session_id = scope, session_id
        self.gate = Gate(engine, scope, actor)

    @require_role
    def add(
        self,
        user: str,
        assistant: str | None = None,
        *,
        timestamp: datetime | None = None,
        user_name: str | None = None,
        assistant_name: str | None = None,
    ) -> Page:
        """Remember one turn; it is durable when this returns. Raises InvalidInputError when there is no text.

        Args:
            user: what the user said; may be empty when the assistant spoke first.
            assistant: what was answered; None while it is not.
            timestamp: when it was said; None is now, a naive time is UTC.
            user_name: the user's name in the conversation, searched and shown.
            assistant_name: likewise.
        """
        said = [Message("user", user, user_name, timestamp)] if accepting.text("user", user) else []
        if assistant is not None and accepting.text("assistant", assistant):
            said.append(Message("assistant", assistant, assistant_name, timestamp))
        engine = self._open()
        page = engine.short_term.add_turn(self.scope, self.session_id, accepting.messages(said))
        self._announce_pages(engine, (page,))
        return page

    @require_role
    def add_messages(
        self,
        messages: Sequence[Message],
        *,
        once: bool = False,
        replaces: Collection[str] = (),
        follows: Collection[str] = (),
        reply_to: str | None = None,
    ) -> tuple[Page, ...]:
        """Remember messages; turns are paired into pages, going on with the last page of the session.

        What `replaces` and `follows` take out of the conversation is superseded in this session, as by `end_session`,
        in the same transaction; the other messages of its pages go on in new pages.

        Args:
            messages: what was said.
            once: pass over what this session has taken so before and still holds, by id, role and content: a whole
                conversation may be handed in again and again. What was forgotten is known no more: leave it out.
            replaces: ids of messages of this session that were edited or removed. The version that is handed in stands.
            follows: ids of messages that these come after. What this session took `once` after the newest of them and
                was not handed in, as an answer that was generated again, is left; what was left before is back in it.
            reply_to: id of the message that these reply to; they stand behind it, whatever others wrote in between.
        """
        given, replied = accepting.messages(messages), reply_to and accepting.text("reply_to", reply_to)
        gone, before = frozenset(accepting.ids("replaces", replaces)), frozenset(accepting.ids("follows", follows))
        if not (given or gone or before):
            return ()
        once, engine = accepting.flag("once", once), self._open()
        pages = engine.short_term.add_messages(
            self.scope, self.session_id, given, once=once, replaces=gone, follows=before, reply_to=replied
        )
        self._announce_pages(engine, pages)
        return pages

    @require_role
    def messages(self, *, budget_tokens: int | None = None) -> tuple[Message, ...]:
        """The working window of this session, oldest first: its newest whole turns, the last whatever its size.

        Bounded by `budget_tokens` of text, else as configured. Tool calls without a result are left out, but the last.
        """
        most = None if budget_tokens is None else accepting.count("budget_tokens", budget_tokens)
        return messages_of(self._open().short_term.window(self.scope, self.session_id, most))

    @require_role
    def transcript(self) -> tuple[Message, ...]:
        """Every message of this session since it last ended, verbatim, oldest first."""
        pages = self._open().parts.store.pages(PageQuery(self.scope, session_id=self.session_id, ended=False))
        return tuple(m for page in pages for m in page.messages)

    @require_role
    def pages(self, ids: Sequence[str] | None = None, *, session: bool = False) -> tuple[Page, ...]:
        """Pages in the order they were written: all, those with these ids, or of this session, ended or not."""
        wanted = None if ids is None else accepting.ids("ids", ids)
        only = self.session_id if accepting.flag("session", session) else None
        return self._open().parts.store.pages(PageQuery(self.scope, ids=wanted, session_id=only))

    @require_role
    def end_session(
        self,
        *,
        note: NoteWrite | NoteOfPages | None = None,
        ended: Sequence[Message] = (),
        messages: Sequence[Message] = (),
    ) -> None:
        """Begin the session anew, in one transaction.

        What was said stays remembered, but this session neither shows nor recalls it any more (ADR 0019).

        Args:
            note: a note to write with it. A function is given the id of the page of each `ended` message, by the
                message's id, and returns the note.
            ended: messages to remember as part of what ends.
            messages: what the new conversation begins with.
        """
        over, begun, engine = accepting.messages(ended), accepting.messages(messages), self._open()
        pages = engine.short_term.restart(
            self.scope,
            self.session_id,
            ended=over,
            messages=begun,
            notes=lambda homes: note_changes(engine, note(homes) if callable(note) else note),
        )
        if pages:
            self._announce_pages(engine, pages)

    @require_role
    def recall(
        self,
        query: str,
        *,
        budget_tokens: int | None = None,
        include_recent: bool = True,
        shown: Collection[str | Message] = (),
        min_score: float | None = None,
        standing: Collection[str] = (),
    ) -> Recall:
        """Gather from all tiers what answers a question, within `budget_tokens`; no model is asked by default.

        What this session has superseded, its ended conversations, is left out, with the facts and the parts of the
        profile that nothing else supports. Other sessions recall it, and `search` finds it.

        Args:
            query: the question, or what was said last.
            budget_tokens: the most that the text may take; None is the configured number.
            include_recent: whether the recent turns of this session are part of the text.
            shown: what the prompt holds already and is not to bring back: ids of messages of this session, or messages.
            min_score: the relevance that a hit must have, 0 to 1. None is the configured number: a page passes with
                its better half or beside one that surely answers. Recent turns and the profile come with any question.
            standing: ids of messages of its ended conversations that this session refers to: they may be recalled.
        """
        question, engine = accepting.text("query", query), meet(self._open(), self.scope)
        engine.agree_on_embedder(to_write=False)
        config, include_recent = engine.parts.config.recall, accepting.flag("include_recent", include_recent)
        budget = accepting.count("budget_tokens", config.budget_tokens if budget_tokens is None else budget_tokens)
        least = None if min_score is None else accepting.share("min_score", min_score)
        floor = Floor(config.min_score, of_pages=True) if least is None else Floor(least)
        recent = engine.short_term.window(self.scope, self.session_id) if include_recent else ()
        session = Session(self.session_id, frozenset(accepting.ids("standing", standing)))
        given = accepting.shown_messages(self.session_id, shown)
        recall = engine.retriever.recall(self.scope, question, budget, recent, given, session, floor=floor)
        return note_recall(engine, self.scope, recall)

    @require_role
    def search(  # noqa: PLR0913 - each narrows the search, all by keyword
        self,
        query: str,
        k: int = 5,
        *,
        since: datetime | None = None,
        until: datetime | None = None,
        session_id: str | None = None,
        tiers: Sequence[Tier | str] = (),
        min_score: float = 0.0,
    ) -> list[Hit]:
        """Return the k best hits with scores and provenance, best first; `since` is included, `until` is not.

        Like any search it brings k hits where there are so many; `min_score`, 0 to 1, leaves out what is less relevant.
        """
        question, most = accepting.text("query", query), accepting.count("k", k)
        session = None if session_id is None else accepting.text("session_id", session_id)
        period = accepting.moment("since", since), accepting.moment("until", until)
        narrowed = Filter(*period, session, accepting.tiers(tiers))
        floor, engine = Floor(accepting.share("min_score", min_score)), self._open()
        engine.agree_on_embedder(to_write=False)
        began = time.perf_counter()
        hits = list(engine.retriever.search(self.scope, question, most, narrowed, floor=floor))
        engine.emit(Searched(self.scope, len(hits), (time.perf_counter() - began) * 1e3))
        return hits

    @require_role
    def chat(self, question: str, *, recall: Recall | None = None) -> str:
        """Recall, or take a recall, ask the model, remember both sides. Raises ConfigError without one, ModelError."""
        if not accepting.text("question", question).strip():
            raise InvalidInputError("there is nothing to answer: question= is empty or white space; pass a question")
        with asking_for(self.scope):
            known = self.recall(question) if recall is None else accepting.instance("recall", recall, Recall)
            answer = self._open().generator.answer(question, known)
        self.add(question, answer)
        return answer

    @require_role
    def profile(self) -> Profile:
        """Return what holds of the user by the clock: static fields and traits, each with its pages."""
        return knowledge.find_profile(meet(self._open(), self.scope), self.scope)

    @require_role
    def facts(
        self,
        about: About | None = None,
        *,
        ids: Sequence[str] | None = None,
        text: str | None = None,
        replaced_by: Sequence[str] | None = None,
        current: bool = True,
        at: datetime | None = None,
    ) -> list[Fact]:
        """Known facts, oldest first: all, or those with these ids, with this text, or replaced by one of these facts.

        `current=False` brings superseded, retired and evicted ones too; `at` those that held at a moment.
        """
        which, engine = knowledge.FactQuery(ids, text, replaced_by), meet(self._open(), self.scope)
        return knowledge.find_facts(engine, self.scope, which, about=about, current=current, at=at)

    @require_role
    def history(self, name: str) -> list[KnownValue]:
        """The values that something had, in order: of the user's "home" or "occupation", of "Imogen's home"."""
        return knowledge.find_history(meet(self._open(), self.scope), self.scope, name)

    @require_role
    def disputes(self) -> list[Dispute]:
        """Return current facts that contradict each other, newest first; `retire` or `correct` the wrong one."""
        return knowledge.list_disputes(meet(self._open(), self.scope), self.scope)

    @require_role
    def upcoming(self, days: int = 14) -> list[Fact]:
        """Plans and days that come back, within so many days, soonest first; `event_time` is the next day and hour."""
        return knowledge.find_upcoming(meet(self._open(), self.scope), self.scope, days)

    @require_role
    def segments(self, ids: Sequence[str] | None = None, *, archived: bool = False) -> list[Segment]:
        """The segments of mid-term memory, all or with these ids, hottest first; `archived`, those evicted from it."""
        return find_segments(self._open(), self.scope, ids, archived=archived)

    @require_role
    def topics(self) -> list[Topic]:
        """Return what was talked about, hottest first: the segments with title, summary, dates, pages and heat."""
        return find_topics(meet(self._open(), self.scope), self.scope)

    @require_role
    def heat(self, segment: Segment) -> Heat:
        """The heat of a segment at this moment (paper Eq. 4): a number, whose `explain()` says what it is made of."""
        return heat_of(self._open(), segment)

    @property
    def notes(self) -> Notes:
        """The notes that the application keeps for this user under its own names, apart from the conversation."""
        return Notes(self._open, self.scope, self.gate.actor)

    @property
    def timeline(self) -> Timeline:
        """Turns by time and place, in parts: sessions, months, and the pages of one session or topic."""
        return Timeline(self._open, self.scope, self.gate.actor)

    @property
    def governance(self) -> Governance:
        """The roles of actors in this memory, its audit log and its review of facts."""
        return Governance(self._open, self.scope, self.gate.actor)

    @require_role
    def epoch(self) -> int:
        """A number that is another one after something was erased here: what was read before may be gone."""
        return self._open().parts.store.cursor(self.scope).epoch

    @require_role
    def stats(self) -> Stats:
        """How much this memory holds, tier by tier."""
        return knowledge.find_stats(self._open(), self.scope)

    @require_role
    def inspect(self) -> object:
        """Return a widget for a notebook with a bench to ask questions on; a table without the extra `notebooks`."""
        return open_inspection(self, self._html(), self._open().parts.config)

    @require_role
    def remember(self, text: str, *, about: About = "user", note: NoteWrite | None = None) -> Fact:
        """Keep a fact that was told on purpose; it has no page and survives the forgetting of pages.

        Name the person: "The user has a cat", or "Ada has a cat". "I have a cat" is kept as given and shown in a prompt
        as the user's words. Telling the same once more: the known fact comes back. A `note` is kept and erased with it.
        Secrets in the text are redacted, and what reads like an instruction comes back as "quarantined" (ADR 0017).
        """
        words = self._open().redactor.text(accepting.text("text", text))
        same = (fact for fact in self.facts(about, text=words) if not fact.page_ids)
        if (known := next(same, None)) is None:
            return store_told_fact(self._open(), self.scope, (text, about), None, note)
        self.notes.write([] if note is None else [note_for_fact(note, known.id)])
        return known

    @require_role
    def correct(self, fact_id: Hit | Fact | str, text: str, *, note: NoteWrite | None = None) -> Fact:
        """Put a fact, with its `note`, in place of one by id or value; it stays, superseded. Raises NotFoundError."""
        return correct_fact(self._open(), self.scope, fact_id, text, note)

    @require_role
    def retire(self, what: Hit | Fact | str, *, wrong: bool = False) -> list[Fact]:
        """End a fact, or those behind a hit; `wrong`: it never held. Its pages stay, marked. Raises NotFoundError."""
        return knowledge.retire_facts(self._open(), self.scope, what, wrong=accepting.flag("wrong", wrong))

    @require_role
    def useful(self, what: Hit | Fact | str) -> list[Fact]:
        """Count a hit, or a fact or page by id, as visited once more; return its facts. Raises NotFoundError."""
        return knowledge.note_useful(self._open(), self.scope, what)

    @require_role
    def forget(
        self,
        *,
        pages: Sequence[str | Page] = (),
        facts: Sequence[str | Fact] = (),
        session: bool = False,
        everything: bool = False,
        dry_run: bool = False,
    ) -> ForgetReceipt:
        """Erase pages or facts (by id or value), this session, or everything of this user; says what went.

        What a forgotten fact had replaced stays replaced; `remember` it to have it back. A statement in the words of
        two messages goes with either. A `dry_run` erases nothing, and gives the receipt that erasing would give now.
        """
        page_ids, fact_ids = accepting.ids("pages", pages), accepting.ids("facts", facts)
        whole, of_session = accepting.flag("everything", everything), accepting.flag("session", session)
        if not (page_ids or fact_ids or of_session or whole):
            raise InvalidInputError("say what to forget: pages=, facts=, session=True or everything=True")
        named = self.session_id if of_session else None
        engine, dry = self._open(), accepting.flag("dry_run", dry_run)
        receipt = engine.erase(Forgetting(self.scope, page_ids, fact_ids, named, whole, engine.parts.clock(), dry))
        if not dry_run:
            engine.worker.notify(self.scope)
        return receipt

    @require_role
    def export(self) -> Iterator[dict[str, object]]:
        """JSON-able records for `MemoryOS.restore`, read as they are taken; the first one names the scope."""
        return export_records(self._open().parts.store, self.scope)

    @require_role
    def consolidate(self) -> ConsolidationReport:
        """Run what is pending for this user now, in this thread. When and how often changes nothing (ADR 0023)."""
        return self._open().worker.run(self.scope)

    def _announce_pages(self, engine: Engine, pages: Sequence[Page]) -> None:
        for page in pages:
            engine.emit(PageAdded(self.scope, page.id, page.session_id))
        engine.worker.notify(self.scope)

    def __repr__(self) -> str:
        whose, session = self.scope, self.session_id
        return f"UserMemory(user_id={whose.user_id!r}, assistant_id={whose.assistant_id!r}, session_id={session!r})"

    def _repr_html_(self) -> str:  # to look at a handle must not be a denied act
        return self._html() if self.gate.actor is None else f"<code>{html.escape(repr(self))}</code>"

    def _html(self) -> str:
        known = self.stats(), self.segments(), self.heat, self.profile(), self.facts(current=False)
        return user_html(self.scope, self.session_id, *known)
