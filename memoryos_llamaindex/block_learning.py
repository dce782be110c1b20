"""Writes what a block is handed, each turn once; what the store refuses waits for the next call."""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field

from memoryos_core import Message, UserMemory
from memoryos_core.hosts.concurrency import Contained, Lock
from memoryos_llamaindex.block_turns import Turn, digest, news, rejoin_turn, turns
from memoryos_llamaindex.events import report_failure

logger = logging.getLogger(__name__)

# Sessions whose last turn is kept in case it was cut; those with something unwritten are kept beside.
_SESSIONS_KEPT = 1000
_TURNS_KEPT = 1000


@dataclass(slots=True)
class _Session:
    user: UserMemory
    waiting: dict[str, Turn] = field(default_factory=dict[str, Turn])
    """Turns that are not written yet, by what they say: handed in again, they wait once."""
    written: OrderedDict[str, None] = field(default_factory=OrderedDict[str, None])
    """The turns written already: a `Memory` hands in all it holds again, even turns forgotten since."""
    last: Turn = ()
    """The last that was flushed: LlamaIndex before 0.14 may cut a turn in two."""


class Learning:
    """The writing side of one block. Thread-safe; accepted messages are not lost while the process lives."""

    def __init__(self) -> None:
        self._sessions: OrderedDict[tuple[str, str], _Session] = OrderedDict()
        self._state = Lock()
        # Held while the store is read and written: what one thread finds unwritten, another must not write meanwhile.
        self._writing = Lock()

    def accept(self, user: UserMemory, messages: Sequence[Message], *, flushed: bool = False) -> None:
        """Take messages over, without input or output; `flushed` may begin or end in the midst of a turn."""
        with self._state:
            session = self._session(user)
            found = turns(rejoin_turn(session.last, messages) if flushed else messages)
            session.waiting.update((name, turn) for turn in found if (name := digest(turn)) not in session.written)
            if flushed and found:
                session.last = found[-1]

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
            idle = next((k for k, s in self._sessions.items() if not s.waiting and s is not session), None)
            if idle is not None:
                del self._sessions[idle]
        return session

    def _write_waiting(self, session: _Session) -> bool:
        with self._state:
            waiting = dict(session.waiting)
        if not waiting:
            return True
        user = session.user
        with Contained() as writing:
            user.add_messages(news(waiting.values(), user.pages(session=True)), once=True)
            with self._state:
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
