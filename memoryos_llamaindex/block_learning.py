"""Writes what a block is handed, each turn once; what the store refuses waits for the next call.

A `Memory` that is saved shows all that it holds. A turn that an earlier save or flush brought and that is not there any
more was reset or replaced: the session supersedes it.
"""

from __future__ import annotations

import logging
from collections import Counter, OrderedDict
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count

from memoryos_core import Message, UserMemory
from memoryos_core.hosts.concurrency import Contained, Lock
from memoryos_llamaindex.block_turns import (
    Counted,
    Turn,
    beginnings_of,
    count_turns,
    news,
    rejoin_turn,
    superseded_ids,
    turns,
)
from memoryos_llamaindex.events import report_failure

logger = logging.getLogger(__name__)

# Sessions whose last turn is kept in case it was cut; those with something unwritten are kept beside.
_SESSIONS_KEPT = 1000
_TURNS_KEPT = 1000


@dataclass(slots=True)
class _Session:
    user: UserMemory
    waiting: dict[tuple[str, int], Counted] = field(default_factory=dict[tuple[str, int], Counted])
    """Turns that are not written yet, by what they say: handed in again, they wait once."""
    written: OrderedDict[tuple[str, int], None] = field(default_factory=OrderedDict[tuple[str, int], None])
    """The turns written already: a `Memory` hands in all it holds again, even turns forgotten since."""
    dropped: list[Turn] = field(default_factory=list[Turn])
    """Turns that the `Memory` does not hold any more, and that are not superseded yet."""
    last: Turn = ()
    """The last that was flushed: LlamaIndex before 0.14 may cut a turn in two."""
    held: tuple[Turn, ...] = ()
    """The turns that the last save brought, and those that were flushed since."""
    flushed: Counter[str] = field(default_factory=Counter[str])
    """How often each turn, and each beginning of one, was flushed."""
    source: object = None
    """The `Memory` that was saved last."""
    saving: set[int] = field(default_factory=set[int])
    """The saves that go on, by number."""
    overlapping: set[int] = field(default_factory=set[int])
    """Those that began or ended beside another: which of them knows the newer state is not known."""


class Learning:
    """The writing side of one block. Thread-safe; accepted messages are not lost while the process lives."""

    def __init__(self) -> None:
        self._sessions: OrderedDict[tuple[str, str], _Session] = OrderedDict()
        self._numbers = count()
        self._state = Lock()
        # Held while the store is read and written: what one thread finds unwritten, another must not write meanwhile.
        self._writing = Lock()

    @contextmanager
    def saving(self, user: UserMemory) -> Generator[int, None, None]:
        """Give a number to a save, from before it reads the `Memory` to its end."""
        with self._state:
            session, number = self._session(user), next(self._numbers)
            session.saving.add(number)
            if len(session.saving) > 1:
                session.overlapping |= session.saving
        try:
            yield number
        finally:
            with self._state:
                session.saving.discard(number)
                session.overlapping.discard(number)

    def accept_all(self, user: UserMemory, messages: Sequence[Message], source: object, number: int) -> None:
        """Take over all that a `Memory` holds, without input or output; what it held before and dropped is superseded.

        Args:
            user: whose session it is.
            messages: the messages, oldest first.
            source: what tells this `Memory` from others of the session: a tuple, or the same object again.
            number: that of the save.
        """
        with self._state:
            session, found = self._session(user), turns(messages)
            known, session.source = session.source, source
            if number not in session.overlapping:
                if known is None or known is source or (isinstance(known, tuple) and known == source):
                    self._drop(session, found)
                session.held = found
            self._wait(session, count_turns(found))

    def accept(
        self, user: UserMemory, messages: Sequence[Message], *, flushed: bool = False, counted: bool = False
    ) -> None:
        """Take messages over, without input or output.

        Args:
            user: whose session it is.
            messages: the messages, oldest first.
            flushed: they may begin or end in the midst of a turn.
            counted: they were not handed in before, so what was flushed before and says the same is another turn.
        """
        with self._state:
            session = self._session(user)
            joined = rejoin_turn(session.last, messages) if flushed else tuple(messages)
            if counted and session.last and joined[: len(session.last)] == session.last:
                session.flushed.subtract(beginnings_of(session.last))
            found = turns(joined)
            self._wait(session, count_turns(found, session.flushed if counted else None))
            if flushed and found:
                session.last = found[-1]
                held = Counter(beginnings_of(turn)[-1] for turn in session.held)
                session.held += tuple(turn for turn in found if not held[beginnings_of(turn)[-1]])

    def write(self, user: UserMemory) -> bool:
        """Write what waits, of this session first; True when nothing of it waits any more. Errors are reported."""
        with self._writing:
            with self._state:
                own = self._session(user)
                others = [s for s in self._sessions.values() if s.waiting and s is not own]
            done = self._write_waiting(own)
            # Not tried for each when it fails for one: a store that does not answer is slow to say so.
            if done:
                next((s for s in others if not self._write_waiting(s)), None)
            return done

    def _session(self, user: UserMemory) -> _Session:
        key = user.scope.key, user.session_id
        session = self._sessions.setdefault(key, _Session(user))
        self._sessions.move_to_end(key)
        if len(self._sessions) > _SESSIONS_KEPT:
            is_idle = ((k, s) for k, s in self._sessions.items() if not (s.waiting or s.dropped or s.saving))
            idle = next((k for k, s in is_idle if s is not session), None)
            if idle is not None:
                del self._sessions[idle]
        return session

    @staticmethod
    def _wait(session: _Session, found: Sequence[Counted]) -> None:
        session.waiting.update((counted.key, counted) for counted in found if counted.key not in session.written)

    @staticmethod
    def _drop(session: _Session, found: Sequence[Turn]) -> None:
        """Note the turns that were held and of which no turn found now is, or begins with, the same."""
        now = Counter(mark for turn in found for mark in beginnings_of(turn))
        dropped = [c.turn for c in count_turns(session.held) if c.numbers[-1] > now[beginnings_of(c.turn)[-1]]]
        if not dropped:
            return
        session.dropped += dropped
        gone = {beginnings_of(turn)[-1] for turn in dropped}
        for counted in count_turns(session.held):
            if beginnings_of(counted.turn)[-1] in gone:
                session.written.pop(counted.key, None)
        session.flushed.clear()
        session.last = ()

    def _write_waiting(self, session: _Session) -> bool:
        with self._state:
            waiting, dropped = dict(session.waiting), tuple(session.dropped)
        if not (waiting or dropped):
            return True
        user = session.user
        with Contained() as writing:
            pages = user.pages(session=True)
            gone = superseded_ids(dropped, (m for page in pages if not page.ended for m in page.messages))
            user.add_messages(news(waiting.values(), pages, gone), once=True, replaces=gone)
            with self._state:
                del session.dropped[: len(dropped)]
                for name in waiting:
                    session.waiting.pop(name, None)
                    session.written[name] = None
                while len(session.written) > _TURNS_KEPT:
                    session.written.popitem(last=False)
            return True
        kind = type(writing.error).__name__
        logger.error("%d turns could not be written (%s): the next call tries again", len(waiting), kind)
        report_failure(user.scope, "put", kind)
        return False
