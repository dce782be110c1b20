"""One conversation of one user, as every object of this process sees it; it goes on while the store does not answer."""

from __future__ import annotations

import logging
import time
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from types import TracebackType
from typing import TypeAlias

from memoryos_core import AccessError, ClosedError, ForgetReceipt, InvalidInputError, MemoryOS, Message, UserMemory
from memoryos_core.hosts.concurrency import Contained, Lock
from memoryos_core.hosts.windows import whole
from memoryos_llamaindex import references
from memoryos_llamaindex.events import report_failure
from memoryos_llamaindex.recalling import Recalls
from memoryos_llamaindex.references import replacement, same

logger = logging.getLogger(__name__)

# What `counting` adds to every message; and, whatever the budget, the newest turn of the head.
_LEAST_TOKENS, _LEAST_TURN = 4, 500
_SECONDS_BETWEEN_TRIES = 5.0


@dataclass(slots=True)
class _Change:
    """A change to write: messages that continue the conversation, or a conversation that replaces it."""

    messages: tuple[Message, ...]
    replaces: bool
    tried: bool = False


class Conversation:
    """Reads and writes the messages of a session, in order; what the store refuses waits here and is written later.

    Thread-safe. Made by `conversation`, so that all memories on one session share what waits.
    """

    def __init__(self, memory: MemoryOS, user: UserMemory) -> None:
        self.memory = memory
        self.user = user
        self.recalls = Recalls(user)
        self._lock = Lock()
        self._waiting: list[_Change] = []
        self._seen: tuple[Message, ...] = ()
        self._standing: frozenset[str] = frozenset()
        self._tried = 0.0

    def put(self, messages: Sequence[Message]) -> None:
        """Let the conversation go on. Raises InvalidInputError and ClosedError; any other failure is contained."""
        self._change(_Change(tuple(messages), replaces=False))

    def replace(self, messages: Sequence[Message]) -> None:
        """Replace this conversation by another one; messages remembered in the session are not learnt again.

        Raises as `put` does.
        """
        self._change(_Change(tuple(messages), replaces=True))

    def newest(self, budget_tokens: int) -> tuple[Message, ...]:
        """The newest whole turns, at least as many as have `budget_tokens` tokens of text. Raises ClosedError.

        Halves of tool exchanges whose other half is missing are left out, as in `UserMemory.messages`.
        """
        return whole(self._read_guarded(lambda: self._newest_stored(budget_tokens)))

    def everything(self) -> tuple[Message, ...]:
        """Return every message, oldest first; while the store fails, those read before. Raises ClosedError."""
        return self._read_guarded(self._read_stored)

    @property
    def standing(self) -> frozenset[str]:
        """Ids of the messages that the conversation began with when it was last read: they may be recalled."""
        return self._standing

    def end(self) -> None:
        """Begin anew; other sessions still recall the old messages. Raises StoreError."""
        with self._lock:
            self._write_waiting()
            self.user.end_session(note=references.showing(self.user, ()))
            self.recalls.drop()
            self._seen = ()

    def forget(self, forgetting: Callable[[UserMemory], ForgetReceipt]) -> ForgetReceipt:
        """Erase what this says; what waited to be written is written before. Raises StoreError."""
        with self._lock:
            self._write_waiting()
            receipt = forgetting(self.user)
            self._seen = ()
            return receipt

    def _newest_stored(self, budget_tokens: int) -> tuple[Message, ...]:
        # A message has a token at the least, and some round it: more of the head than this cannot be shown.
        head = references.head(self.user, self._read_references()[-(budget_tokens // _LEAST_TOKENS + _LEAST_TURN) :])
        # A head stands before all that was said since: what fits of that alone would leave a hole between.
        return (*head, *self.user.transcript()) if head else self.user.messages(budget_tokens=budget_tokens)

    def _read_stored(self) -> tuple[Message, ...]:
        return (*references.head(self.user, self._read_references()), *self.user.transcript())

    def _read_references(self) -> list[references.Shown]:
        shown = references.read_references(self.user)
        self._standing = frozenset(message for _, message, _ in shown)
        return shown

    def _read_guarded(self, stored: Callable[[], tuple[Message, ...]]) -> tuple[Message, ...]:
        with self._lock:
            if self._waiting and time.monotonic() - self._tried > _SECONDS_BETWEEN_TRIES:
                with self._report_errors("put"):
                    self._write_waiting()
            with self._report_errors("get"):
                self._seen = stored()
            return self._add_waiting(self._seen)

    def _add_waiting(self, messages: tuple[Message, ...]) -> tuple[Message, ...]:
        """The messages with what waits to be written."""
        for change in self._waiting:
            there = {m.id for m in messages}  # a write that failed may have come through
            new = tuple(m for m in change.messages if m.id not in there)
            messages = change.messages if change.replaces else (*messages, *new)
        return messages

    def _change(self, change: _Change) -> None:
        with self._lock:
            self._waiting.append(change)
            _unwritten.add(self)  # taken out again by the write, also by a later one when this one is interrupted
            try:
                with self._report_errors("put"):
                    self._write_waiting()
            except ClosedError:
                # Nothing is written through this memory any more: what waits must not hold it for ever.
                self._waiting.clear()
                _unwritten.discard(self)
                raise

    def _write_waiting(self) -> None:
        self._tried = time.monotonic()
        while self._waiting:
            change = self._waiting[0]
            again, change.tried = change.tried, True
            self._write(change, again=again)
            self._waiting.remove(change)
            there = {m.id for m in self._seen}
            new = tuple(m for m in change.messages if m.id not in there)
            self._seen = change.messages if change.replaces else (*self._seen, *new)
        _unwritten.discard(self)

    def _write(self, change: _Change, *, again: bool) -> None:
        if change.replaces:
            self._replace(change.messages)
        elif not again:
            self.user.add_messages(change.messages)
        else:
            # A write that failed may have come through: its answer was what got lost.
            there = {m.id for page in self.user.pages(session=True) for m in page.messages}
            self.user.add_messages([m for m in change.messages if m.id not in there])

    def _replace(self, messages: tuple[Message, ...]) -> None:
        now = self._read_stored()
        goes_on = len(now) <= len(messages) and all(map(same, now, messages))
        if goes_on and len(now) == len(messages):
            return
        new = replacement(self.user, messages)
        if goes_on and len(new.head) <= len(now):
            self.user.add_messages(messages[len(now) :])
            return
        # One write: a process that dies leaves the old conversation or the new one.
        self.user.end_session(
            note=partial(references.showing_head, self.user, new.head),
            ended=[entry for entry in new.head if isinstance(entry, Message)],
            messages=new.tail,
        )
        self.recalls.drop()

    def _report_errors(self, action: str) -> _Reported:
        return _Reported(self.user, action)


class _Reported(Contained):
    """A `with` block that logs and reports the memory's errors; the caller's own mistakes are raised."""

    def __init__(self, user: UserMemory, action: str) -> None:
        super().__init__()
        self._user = user
        self._action = action

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        contained = super().__exit__(kind, error, trace)
        if isinstance(self.error, InvalidInputError | ClosedError | AccessError):
            return False
        if self.error is not None:
            name = type(self.error).__name__
            logger.error("%s failed (%s): the conversation goes on in this process", self._action, name)
            report_failure(self._user.scope, self._action, name)
        return contained


_Known: TypeAlias = weakref.WeakValueDictionary[tuple[int, str, str, str | None], Conversation]

_known = _Known()
# Held here, because what waits must not go with the last object that spoke of it.
_unwritten: set[Conversation] = set()
_known_lock = Lock()


def conversation(memory: MemoryOS, user: UserMemory) -> Conversation:
    """The conversation of a handle, one for all who ask."""
    # A conversation holds its memory: the number is not used again. What one actor reads is not shown to another one.
    key = id(memory), user.scope.key, user.session_id, user.gate.actor
    with _known_lock:
        found = _known.get(key)
        if found is None:
            found = _known[key] = Conversation(memory, user)
        return found
