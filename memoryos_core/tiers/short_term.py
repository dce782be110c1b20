"""Short-term memory: the recent pages of each session, first in, first out; all that `add` waits for."""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from itertools import islice
from operator import attrgetter

from memoryos_core.config import ShortTermConfig
from memoryos_core.errors import ConflictError, InvalidInputError
from memoryos_core.ports import Clock, Store, TokenCounter
from memoryos_core.rules.paging.batches import Outgoing, due, is_silent
from memoryos_core.rules.paging.pages import Turn, asks, pair, window
from memoryos_core.rules.safety.poison import labels_of
from memoryos_core.values.audit import ACTING
from memoryos_core.values.commands import Append, NewPage, NoteWrite, PageQuery
from memoryos_core.values.dialogue import Message, Page, Scope, least_trust

_PAIRING_ATTEMPTS = 20
_PLACING_ATTEMPTS = 10
_PAGES_FIRST = 32
# A message that is replied to is looked for among the newest pages: so many runs of one session go on side by side.
_PAGES_BETWEEN = 64
_SECONDS_AN_HOUR = 3600
_seq = attrgetter("seq")

_LATEST = datetime.max.replace(tzinfo=timezone.utc)


class ShortTerm:
    """Adds pages, returns the working window, and finds the pages that no longer fit."""

    def __init__(self, store: Store, config: ShortTermConfig, count_tokens: TokenCounter, clock: Clock) -> None:
        self._store = store
        self._config = config
        self._count = count_tokens
        self._clock = clock

    def add_turn(self, scope: Scope, session_id: str, messages: Sequence[Message]) -> Page:
        """Make one page of these messages, whatever came before. Raises InvalidInputError, StoreError."""
        now = self._clock()
        accepted = tuple(_accept(m, now) for m in messages)
        _refuse_blank(accepted)
        turn = Turn(accepted, extends_last=False, open=False)
        return self._store.append(Append(scope, session_id, (self._new_page(turn),), now))[0]

    def add_messages(  # noqa: PLR0913 - as `UserMemory.add_messages`
        self,
        scope: Scope,
        session_id: str,
        messages: Sequence[Message],
        *,
        once: bool = False,
        replaces: frozenset[str] = frozenset(),
        follows: frozenset[str] = frozenset(),
        reply_to: str | None = None,
    ) -> tuple[Page, ...]:
        """Pair messages into pages, going on with the session's last page. Raises InvalidInputError, StoreError.

        With `once`, those that the session took so before and still holds, by id, role and content, are passed over.
        Pages with messages that others replace end here, and what stays of them goes on in new pages; see `UserMemory`.
        """
        now = self._clock()
        accepted = tuple(_accept(m, now) for m in messages)
        for message in accepted:
            _refuse_blank((message,))
        attempt = 1
        while True:
            # Read first: what is read later is as new or newer, and then the append is a conflict.
            last = next(iter(self._latest(scope, session_id, 1)), None)
            untaken = self._not_taken(scope, session_id, accepted) if once else accepted
            abandoned = self._abandoned_messages(scope, session_id, accepted, follows)
            replaced = list(self._replaced_messages(scope, session_id, accepted, replaces))
            new, gone = _add_versions(untaken, accepted, replaced) if once else accepted, [*replaced, *abandoned]
            back = self._resumed_messages(scope, session_id, accepted, follows) if abandoned else ()
            if not (new or gone):
                return ()
            out = {(page.id, at) for page, at in gone}
            # Among many writers at once, that a message is stored counts for more than its place.
            placed = reply_to if new and attempt <= _PLACING_ATTEMPTS else None
            behind = self._place_of_question(scope, session_id, placed, out) if placed else ()
            later = self._later_pages(scope, session_id, gone)
            ended = {page.id: page for page in (*(page for page, _ in (*gone, *behind)), *later)}
            places = [(page.id, at) for page, at in behind]
            goes_on = _continue_pages(sorted(ended.values(), key=_seq), out, (*back, *new), places)
            turns = self._turns(scope, goes_on, None if behind or (last and last.id in ended) else last)
            pages = tuple(map(self._new_page, turns))
            append = Append(scope, session_id, pages, now, after=last.id if last else None, check_after=True)
            takes = _takes(pages, untaken) if once else ()
            ends = tuple((page.id, page.tokens) for page in ended.values())
            try:
                size = last.tokens if last and placed else None
                return self._store.append(replace(append, after_tokens=size, takes=takes, ends=ends))
            except ConflictError:
                # Another writer of the same session was faster: pair again on what is there now.
                if attempt == _PAIRING_ATTEMPTS:
                    raise
                attempt += 1

    def restart(
        self,
        scope: Scope,
        session_id: str,
        *,
        ended: Sequence[Message],
        messages: Sequence[Message],
        notes: Callable[[Mapping[str, str]], tuple[NoteWrite, ...]],
    ) -> tuple[Page, ...]:
        """End a session's conversation and begin another one, in one transaction; see `UserMemory.end_session`.

        Raises InvalidInputError, StoreError.
        """
        now = self._clock()
        over, begun = (tuple(_accept(m, now) for m in some) for some in (ended, messages))
        for message in (*over, *begun):
            _refuse_blank((message,))
        aside = tuple(replace(self._new_page(t), ended=True, id=uuid.uuid4().hex) for t in pair(over))
        written = notes({str(m.id): str(page.id) for page in aside for m in page.messages})
        pages = (*aside, *map(self._new_page, pair(begun)))
        if not pages:
            self._store.end_session(scope, session_id, written, now)
            return ()
        return self._store.append(Append(scope, session_id, pages, now, restarts=True, notes=written))

    def window(self, scope: Scope, session_id: str, budget_tokens: int | None = None) -> tuple[Page, ...]:
        """The newest whole pages of a session, oldest first, whichever tier holds them by now.

        As many as `budget_tokens` holds, or as the configured capacity; the newest whatever its size.
        """
        if budget_tokens is None:
            newest = self._latest(scope, session_id, self._config.capacity_pages)
            return window(newest, self._config.capacity_pages, self._config.capacity_tokens)
        found: list[Page] = []
        asked, more = 0, _PAGES_FIRST
        while len(found) == asked and (sum(p.tokens for p in found) <= budget_tokens or not any(map(asks, found))):
            found += self._latest(scope, session_id, more, before=found[-1].seq if found else None)
            asked, more = asked + more, 2 * more
        return window(found, len(found), budget_tokens)

    def due(self, scope: Scope) -> tuple[Outgoing, ...]:
        """The batches that are to leave by now, in order: the pending work."""
        return due(self._store.pending(scope), self._config, self._clock())

    def seconds_to_silence(self, scope: Scope) -> float | None:
        """Return the seconds until a session of short-term memory has been silent for long enough to leave.

        None where none is there, or none leaves by that; a second at least, so that no worker runs in circles.
        """
        idle = self._config.idle_hours
        newest = {page.session_id: page.written_at for page in self._store.pending(scope)}
        written = [at for at in newest.values() if at is not None]
        if idle is None or not written:
            return None
        return max(1.0, (min(written) - self._clock()).total_seconds() + idle * _SECONDS_AN_HOUR)

    def _turns(self, scope: Scope, messages: Sequence[Message], last: Page | None) -> tuple[Turn, ...]:
        """Pair messages, going on with the last page unless its session has left short-term memory."""
        turns = tuple(pair(messages, last))
        if last is not None and turns and turns[0].extends_last and not self._is_active(scope, last):
            return tuple(pair(messages))
        return turns

    def _is_active(self, scope: Scope, last: Page) -> bool:
        """Return whether the session of this last page stays in short-term memory, with or without a worker's visit."""
        most, idle = self._config.active_sessions, self._config.idle_hours
        if idle is not None and is_silent(last, idle, self._clock()):
            return False
        if idle is not None and _LATEST - last.timestamp > timedelta(hours=idle):
            since = last.timestamp + timedelta(hours=idle)
            if self._store.pages(PageQuery(scope, after_seq=last.seq, since=since, limit=1)):
                return False
        return len(self._store.sessions(scope, after_seq=last.seq, limit=most)) < most

    def _latest(self, scope: Scope, session_id: str, pages: int, before: int | None = None) -> tuple[Page, ...]:
        query = PageQuery(scope, session_id=session_id, before_seq=before, ended=False, newest_first=True, limit=pages)
        return self._store.pages(query)

    def _replaced_messages(
        self, scope: Scope, session_id: str, given: Sequence[Message], ids: frozenset[str]
    ) -> Iterator[tuple[Page, int]]:
        """Yield the stored messages of these ids, by page and place, without the versions given now."""
        if not ids:
            return
        standing = {message_key(m) for m in given}
        for page in self._store.pages(PageQuery(scope, session_id=session_id, ended=False)):
            for at, message in enumerate(page.messages):
                if message.id in ids and message_key(message) not in standing:
                    yield page, at

    def _abandoned_messages(
        self, scope: Scope, session_id: str, given: Sequence[Message], follows: frozenset[str]
    ) -> list[tuple[Page, int]]:
        """Return the messages that the session has after those followed, and that were not given; by page and place."""
        if not follows:
            return []
        handed_in = {message_key(m) for m in given}
        before = follows - {m.id for m in given}
        later: list[tuple[Page, int]] = []
        for page in self._newest_first(scope, session_id):
            for at in reversed(range(len(page.messages))):
                message = page.messages[at]
                if message.id not in before and message_key(message) not in handed_in:
                    later.append((page, at))
                    continue
                keys = [message_key(page.messages[at]) for page, at in later]
                taken = self._store.taken(scope, session_id, keys) if keys else frozenset[str]()
                return [place for place, key in zip(later, keys, strict=True) if key in taken]
        return []

    def _resumed_messages(
        self, scope: Scope, session_id: str, given: Sequence[Message], follows: frozenset[str]
    ) -> tuple[Message, ...]:
        """Return the messages followed that the session has superseded: it went on elsewhere, and comes back to them.

        They stand in the order in which they were said, each in its last version.
        """
        shown = {m.id for m in given}
        shown.update(m.id for page in self._newest_first(scope, session_id) for m in page.messages)
        versions: dict[str | None, Message] = {}
        for page in self._store.pages(PageQuery(scope, session_id=session_id, ended=True)):
            versions.update((m.id, m) for m in page.messages if m.id in follows and m.id not in shown)
        return tuple(versions.values())

    def _later_pages(self, scope: Scope, session_id: str, gone: Sequence[tuple[Page, int]]) -> tuple[Page, ...]:
        """Return the pages behind those of which messages go: they go on as well, so that all keeps its order.

        Where they are more than a window shows, nothing: no model is sent the order, and each copy costs.
        """
        if not gone:
            return ()
        first, most = min(page.seq for page, _ in gone), self._config.capacity_pages
        query = PageQuery(scope, session_id=session_id, after_seq=first, ended=False, limit=most + 1)
        found = self._store.pages(query)
        return found if len(found) <= most else ()

    def _place_of_question(
        self, scope: Scope, session_id: str, message_id: str, gone: Collection[tuple[str, int]]
    ) -> tuple[tuple[Page, int], ...]:
        """Return the page and place of this message where others, of those that stay, came after it; else nothing."""
        last = True
        for page in islice(self._newest_first(scope, session_id), _PAGES_BETWEEN):
            for at in reversed(range(len(page.messages))):
                if page.messages[at].id == message_id:
                    return () if last else ((page, at),)
                last = last and (page.id, at) in gone
        return ()

    def _newest_first(self, scope: Scope, session_id: str) -> Iterator[Page]:
        asked, before = 1, None
        while some := self._latest(scope, session_id, asked, before=before):
            yield from some
            asked, before = asked * 8, some[-1].seq

    def _not_taken(self, scope: Scope, session_id: str, messages: Sequence[Message]) -> tuple[Message, ...]:
        by_key: dict[str, Message] = {}
        for message in messages:
            by_key.setdefault(message_key(message), message)
        taken = self._store.taken(scope, session_id, tuple(by_key))
        return tuple(m for key, m in by_key.items() if key not in taken)

    def _new_page(self, turn: Turn) -> NewPage:
        tokens = sum(self._count(m.text) for m in turn.messages)
        trust, found = least_trust(turn.messages), labels_of(turn.messages)
        return NewPage(
            messages=turn.messages,
            tokens=tokens,
            open=turn.open,
            extends_last=turn.extends_last,
            trust=trust,
            labels=found,
        )


def _accept(message: Message, now: datetime) -> Message:
    """Add the missing id and time to a message, and the actor that hands it in, whatever the message says of that."""
    acting = ACTING.get()
    by = message.by if acting is None or acting.actor is None else acting.actor
    return replace(message, timestamp=message.timestamp or now, id=message.id or uuid.uuid4().hex, by=by)


def _continue_pages(
    pages: Sequence[Page],
    gone: Collection[tuple[str, int]],
    new: Sequence[Message],
    behind: Collection[tuple[str, int]],
) -> tuple[Message, ...]:
    """Return what goes on of pages that end, followed by the new messages.

    Args:
        pages: the pages that end, in order.
        gone: page id and place of each message that does not go on; a new message of the same id takes its place.
        new: what is said now.
        behind: page id and place of the message that the new ones stand behind, if it is not the last.
    """
    kept: list[Message] = []
    left, end = list(new), None
    for page in pages:
        for at, message in enumerate(page.messages):
            if (page.id, at) not in gone:
                kept.append(message)
            elif (version := next((m for m in left if m.id == message.id), None)) is not None:
                left.remove(version)
                kept.append(version)
            if (page.id, at) in behind:
                end = len(kept)
    return (*kept[:end], *left, *(() if end is None else kept[end:]))


def message_key(message: Message) -> str:
    """Return what makes a message the same; not its id alone: edits keep it, and some hosts number each request anew.

    A text can be guessed from it: a store keeps it as it keeps the text.
    """
    named = (message.id, message.role, message.text, message.calls, message.answers)
    return hashlib.sha256(json.dumps(named).encode()).hexdigest()


def _add_versions(
    new: Sequence[Message], given: Sequence[Message], replaced: Sequence[tuple[Page, int]]
) -> tuple[Message, ...]:
    """Return the new messages and those given that take the place of a replaced one: an edit may be taken back."""
    versions = {page.messages[at].id for page, at in replaced}
    wanted = {message_key(m): m for m in reversed(given) if m.id in versions} | {message_key(m): m for m in new}
    return tuple(m for m in given if wanted.get(message_key(m)) is m)


def _takes(pages: Sequence[NewPage], new: Sequence[Message]) -> tuple[str | None, ...]:
    """Return the key of each message of the pages that is new; what goes on from ended pages was taken before."""
    keys = set(map(message_key, new))
    return tuple(key if (key := message_key(m)) in keys else None for page in pages for m in page.messages)


def _refuse_blank(messages: Sequence[Message]) -> None:
    if not any(m.text.strip() or m.calls or m.answers or m.payload for m in messages):
        raise InvalidInputError(
            "there is nothing to remember: every message is empty or white space; pass at least one text"
        )
