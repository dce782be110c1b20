"""Short-term memory: the recent pages of each session, first in, first out; all that `add` waits for."""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from memoryos_core.config import ShortTermConfig
from memoryos_core.errors import ConflictError, InvalidInputError
from memoryos_core.models import Message, Page, Scope
from memoryos_core.moves import Append, NewPage, PageQuery
from memoryos_core.ports import Clock, Store, TokenCounter
from memoryos_core.rules.paging import Overflow, Turn, asks, overflow, pair, window
from memoryos_core.rules.poison import labels_of
from memoryos_core.rules.trust import of_page

_PAIRING_ATTEMPTS = 20
_PAGES_FIRST = 32


class ShortTerm:
    """Adds pages, shows the working window, and says what has outgrown it."""

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

    def add_messages(
        self, scope: Scope, session_id: str, messages: Sequence[Message], *, once: bool = False
    ) -> tuple[Page, ...]:
        """Pair messages into pages, going on with the session's last page. Raises InvalidInputError, StoreError.

        With `once`, those that the session has taken so before, by id, role and content, are passed over.
        """
        now = self._clock()
        accepted = tuple(_accept(m, now) for m in messages)
        for message in accepted:
            _refuse_blank((message,))
        attempt = 1
        while True:
            new = self._not_taken(scope, session_id, accepted) if once else accepted
            if not new:
                return ()
            last = next(iter(self._latest(scope, session_id, 1)), None)
            pages = tuple(self._new_page(t) for t in pair(new, last))
            after, takes = last.id if last else None, tuple(_key(m) for m in new) if once else ()
            try:
                return self._store.append(
                    Append(scope, session_id, pages, now, after=after, check_after=True, takes=takes)
                )
            except ConflictError:
                # Another writer of the same session was faster: pair again on what is there now.
                if attempt == _PAIRING_ATTEMPTS:
                    raise
                attempt += 1

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

    def overflow(self, scope: Scope) -> tuple[Overflow, ...]:
        """How many of the oldest pages of each session are beyond capacity: the pending work."""
        return overflow(self._store.pending(scope), self._config)

    def oldest(self, scope: Scope, session_id: str, pages: int) -> tuple[Page, ...]:
        """The first pages in that are still beyond capacity."""
        first = self._store.pages(PageQuery(scope, session_id=session_id, tiers=("short_term",), limit=pages))
        # Asked after they were read: another process that moves pages before this cannot make us take those that
        # should stay, and one that moves them after this makes our own move a conflict.
        surplus = next((o.pages for o in self.overflow(scope) if o.session_id == session_id), 0)
        return first[:surplus]

    def _latest(self, scope: Scope, session_id: str, pages: int, before: int | None = None) -> tuple[Page, ...]:
        query = PageQuery(scope, session_id=session_id, before_seq=before, ended=False, newest_first=True, limit=pages)
        return self._store.pages(query)

    def _not_taken(self, scope: Scope, session_id: str, messages: Sequence[Message]) -> tuple[Message, ...]:
        by_key: dict[str, Message] = {}
        for message in messages:
            by_key.setdefault(_key(message), message)
        taken = self._store.taken(scope, session_id, tuple(by_key))
        return tuple(m for key, m in by_key.items() if key not in taken)

    def _new_page(self, turn: Turn) -> NewPage:
        tokens = sum(self._count(m.text) for m in turn.messages)
        trust, found = of_page(turn.messages), labels_of(turn.messages)
        return NewPage(turn.messages, tokens, turn.open, turn.extends_last, trust, found)


def _accept(message: Message, now: datetime) -> Message:
    """Give a message the id and the time that it lacks."""
    return replace(message, timestamp=message.timestamp or now, id=message.id or uuid.uuid4().hex)


def _key(message: Message) -> str:
    """What makes a message the same; not the id alone: an edit keeps it, and some hosts number each request anew."""
    named = (message.id, message.role, message.text, message.calls, message.answers)
    return hashlib.sha256(json.dumps(named).encode()).hexdigest()


def _refuse_blank(messages: Sequence[Message]) -> None:
    if not any(m.text.strip() or m.calls or m.answers or m.payload for m in messages):
        raise InvalidInputError("there is nothing to remember: every text is empty or white space; pass some text")
