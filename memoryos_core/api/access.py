"""The access check, made in this one place, before the store is asked (ADR 0016)."""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Iterator, Mapping, Sized
from collections.abc import Set as AbstractSet
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import wraps
from time import monotonic
from typing import Concatenate, NoReturn, ParamSpec, Protocol, TypeVar, cast
from weakref import WeakKeyDictionary

from memoryos_core.api.engine import Engine, Parts
from memoryos_core.config import LimitsConfig
from memoryos_core.errors import (
    AccessError,
    ClosedError,
    InvalidInputError,
    MemoryOSError,
    RateLimitError,
    StoreError,
)
from memoryos_core.ports.capabilities import AuditStore, capability
from memoryos_core.ports.forks import DEADLINE, Deadline, Lock, deadline
from memoryos_core.rules.safety import access
from memoryos_core.values.audit import ACTING, AccessRole, Acting, team_scope
from memoryos_core.values.dialogue import Message, Recall, Scope
from memoryos_core.values.events import Recalled, VerbFailed
from memoryos_core.values.notes import NoteWrite

logger = logging.getLogger(__name__)

_TELLING: ContextVar[bool] = ContextVar("memoryos_telling_of_an_error", default=False)
_DEEPEST = 32
_SCOPES_HELD = 10_000
_MINUTE = 60.0
_FACE = ("UserMemory", "Knowledge")


class Gate:
    """The access check of a handle: its scope, and the actor who uses it."""

    __slots__ = ("_open", "actor", "scope")

    def __init__(self, engine: Callable[[], Engine], scope: Scope, actor: str | None) -> None:
        self._open = engine
        self.scope = scope
        self.actor = actor

    def enter(self, verb: str, arguments: Mapping[str, object]) -> Acting | None:
        """Begin a call of a verb: set `ACTING`, which the caller sets back, and return it.

        A refused call is written to the audit log; then AccessError is raised.
        """
        if self.actor is None:
            ACTING.set(None)
            return None
        parts = self._open().parts
        outer, least = ACTING.get(), access.least_role(verb, arguments)
        if outer is not None and not outer.over and self._is_ours(outer, parts.store):
            role = outer.role  # a verb inside a verb: asked once
        else:
            outer, role = None, self._role(parts, self.actor)
        acting = Acting(self.actor, self.scope, role, parts.store, within=outer is not None)
        ACTING.set(acting)
        if not access.allows(role, least):
            self._refuse(parts, self.actor, verb, (role, least))
        return acting

    def check(self, verb: str) -> None:
        """Ask now for the role that a later call of the verb needs. Raises AccessError, which the log notes."""
        before = ACTING.get()
        try:
            self.enter(verb, {})
        finally:
            ACTING.set(before)

    def leave(self, acting: Acting, verb: str, arguments: Mapping[str, object], found: object) -> None:
        """Note in the audit log what an actor is about to be given, before it is.

        The role is read once more: who lost it while the verb was reading gets nothing. Raises AccessError.
        """
        if acting.within or verb not in access.READS or acting.actor is None:
            return
        parts, least = self._open().parts, access.least_role(verb, arguments)
        role = self._role(parts, acting.actor)
        if not access.allows(role, least):
            self._refuse(parts, acting.actor, verb, (role, least))
        shown = (*found.hits, *found.recent) if isinstance(found, Recall) else found
        items = len(cast("Sized", shown)) if isinstance(shown, (list, tuple)) else 1
        capability(parts.store, AuditStore).log_read(self.scope, verb, items, parts.clock())

    def _role(self, parts: Parts, actor: str) -> AccessRole | None:
        """Return the greatest of the actor's role and those of its teams; membership is asked where a team lives."""
        store, now = capability(parts.store, AuditStore), parts.clock()
        held = store.roles(self.scope, actor, now)
        return access.greatest(
            role for name, role in held.items() if name == actor or actor in store.roles(team_scope(name), actor, now)
        )

    def _refuse(self, parts: Parts, actor: str, verb: str, roles: tuple[AccessRole | None, AccessRole]) -> NoReturn:
        try:
            capability(parts.store, AuditStore).deny(self.scope, verb, parts.clock())
        except StoreError as error:
            logger.error("a denied %s could not be written to the audit log: %s", verb, type(error).__name__)  # noqa: TRY400 - its text is not ours
        raise AccessError(_refusal(actor, verb, *roles))

    @contextmanager
    def limit(self, arguments: tuple[object, ...]) -> Generator[None, None, None]:
        """Run a verb within the configured limits; a verb inside a verb is part of it. Raises LimitError."""
        if DEADLINE.get() is not None:
            yield
            return
        limiter = limiter_of(self._open())
        limiter.measure(arguments)
        limiter.count(self.scope)
        with deadline(Deadline(limiter.seconds)):
            yield

    def tell(self, verb: str, error: MemoryOSError) -> None:
        """Report the verb and its error type to log and hook; errors of verbs that the hook calls are left out."""
        if _TELLING.get():
            return
        token = _TELLING.set(True)
        try:
            with suppress(ClosedError):
                self._open().emit(VerbFailed(self.scope, verb, type(error).__name__))
        finally:
            _TELLING.reset(token)

    def _is_ours(self, outer: Acting, store: object) -> bool:
        return (outer.actor, outer.scope) == (self.actor, self.scope) and outer.store is store


class Guarded(Protocol):
    """A handle with a gate."""

    @property
    def gate(self) -> Gate:
        """Return the access check that every verb of the handle passes."""
        ...


P = ParamSpec("P")
T = TypeVar("T")
H = TypeVar("H", bound=Guarded)


def require_role(verb: Callable[Concatenate[H, P], T]) -> Callable[Concatenate[H, P], T]:
    """Check the actor's role before a verb of a handle runs. The function's name is the verb's name in the table.

    Verbs of handles other than `UserMemory` begin with the handle's name: "notes.write", "governance.grant".
    The role is read when the verb is called, even for a generator, and kept for verbs that the verb calls itself.
    """
    home, _, name = verb.__qualname__.rpartition(".")
    known_as = name if home in _FACE else f"{home.lower()}.{name}"

    def call_with_role(handle: H, /, *args: P.args, **kwargs: P.kwargs) -> T:
        before = ACTING.get()
        if handle.gate.actor is None and before is None:
            return verb(handle, *args, **kwargs)
        acting = None
        try:  # begins before the actor is set: an interrupt in between must not leave this thread with a role
            acting = handle.gate.enter(known_as, kwargs)
            found = verb(handle, *args, **kwargs)
            if acting is not None:
                handle.gate.leave(acting, known_as, kwargs, found)
            return found
        finally:
            ACTING.set(before)
            if acting is not None:
                acting.over = True

    @wraps(verb)
    def call_and_report(handle: H, /, *args: P.args, **kwargs: P.kwargs) -> T:
        try:
            with handle.gate.limit((*args, *kwargs.values())):
                return call_with_role(handle, *args, **kwargs)
        except MemoryOSError as error:
            handle.gate.tell(known_as, error)
            raise

    call_and_report.__dict__["permitted_as"] = known_as
    return call_and_report


def _refusal(actor: str, verb: str, role: AccessRole | None, least: AccessRole) -> str:
    has = "has no role here" if role is None else f"is a {role} here"
    return f"{actor!r} {has}, and {verb!r} needs the role {least!r}: an admin grants it with governance.grant(…)"


class Limiter:
    """The limits of one opened memory. Thread-safe; the rate is that of this process."""

    def __init__(self, limits: LimitsConfig) -> None:
        self._limits = limits
        self._lock = Lock()
        self._left: dict[Scope, tuple[float, float]] = {}

    @property
    def seconds(self) -> float | None:
        """The time of a verb."""
        return self._limits.verb_seconds

    def measure(self, arguments: tuple[object, ...]) -> None:
        """Raise InvalidInputError for arguments that are too large, too many or too deep. Iterators are not read."""
        most, several = self._limits.characters, self._limits.items
        characters = items = 0
        waiting: list[tuple[object, int]] = [(one, 1) for one in arguments]
        while waiting:
            one, depth = waiting.pop()
            items += 1
            if isinstance(one, (str, bytes)):
                characters += len(one)
                if most is not None and characters > most:
                    raise InvalidInputError(f"the arguments hold more than limits.characters={most}: split the call")
                continue
            inside = list(_inside(one))
            if several is not None and items + len(waiting) + len(inside) > several:
                raise InvalidInputError(f"the arguments hold more than limits.items={several}: split the call")
            if inside and depth > _DEEPEST:
                raise InvalidInputError(f"the arguments are nested more than {_DEEPEST} deep: flatten them")
            waiting += ((other, depth + 1) for other in inside)

    def count(self, scope: Scope) -> None:
        """Count a call. Raises RateLimitError when the scope has had as many as it may."""
        rate = self._limits.verbs_per_minute
        if rate is None:
            return
        now = monotonic()
        with self._lock:
            left, since = self._left.get(scope, (float(rate), now))
            left = min(float(rate), left + (now - since) * rate / _MINUTE)
            if left < 1:
                wait = (1 - left) * _MINUTE / rate
                raise RateLimitError(
                    f"limits.verbs_per_minute={rate} is reached for this user: try again in {wait:.1f} seconds",
                    retry_after=wait,
                )
            if len(self._left) >= _SCOPES_HELD and scope not in self._left:
                full = [one for one, (n, then) in self._left.items() if n + (now - then) * rate / _MINUTE >= rate]
                for one in full or [next(iter(self._left))]:
                    del self._left[one]
            self._left[scope] = (left - 1, now)


def _inside(value: object) -> Iterator[object]:
    if isinstance(value, Message):
        yield from (value.text, value.name, value.id, value.answers, value.payload, value.calls)
    elif isinstance(value, NoteWrite):
        yield from (value.namespace, value.key, value.value, value.text, value.fact_id)
    elif isinstance(value, Mapping):
        for pair in value.items():  # pyright: ignore[reportUnknownVariableType]
            yield from pair
    elif isinstance(value, (list, tuple, AbstractSet)):
        yield from value  # pyright: ignore[reportUnknownVariableType]


_limiters: WeakKeyDictionary[Engine, Limiter] = WeakKeyDictionary()


def limiter_of(engine: Engine) -> Limiter:
    """Return the limits of an opened memory, the same object each time."""
    found = _limiters.get(engine)
    return found if found is not None else _limiters.setdefault(engine, Limiter(engine.parts.config.limits))


# What leaves by a clock is what fits in short-term memory; more is a backlog, and a question does not wait for it.
_MOST_PAGES_FIRST = 64


def meet(engine: Engine, scope: Scope) -> Engine:
    """Return the engine, after it has read, before the first question to this process, what was due already.

    Rules do, at once; a model, a long backlog or a worker that waits to be called is not waited for, and nothing where
    a verb has a time limit.
    """
    free = engine.parts.model is None and engine.parts.config.limits.verb_seconds is None
    if free and engine.worker.is_new(scope):
        pages = sum(len(batch.page_ids) for batch in engine.short_term.due(scope))
        if 0 < pages <= _MOST_PAGES_FIRST:
            engine.worker.catch_up(scope)
    return engine


def note_recall(engine: Engine, scope: Scope, recall: Recall) -> Recall:
    """Keep the visits of a recall for the worker, log it where that is wanted, report it, and return it.

    A log that cannot be written is reported to the program's log: the recall goes on.
    """
    parts = engine.parts
    engine.visits.note(scope, recall)
    engine.worker.notify_visits(scope)
    if parts.config.recall_log:
        try:
            capability(parts.store, AuditStore).record_recall(scope, recall, parts.clock())
        except StoreError as error:
            cause = type(error).__name__
            logger.error("a recall could not be written to the audit log: %s", cause)  # noqa: TRY400 - its text is not ours
    took = sum(recall.timings_ms.values())
    engine.emit(Recalled(scope, len(recall.hits), recall.tokens, took, recall.budget_tokens))
    return recall
