"""The access check, made in this one place, before the store is asked (ADR 0016)."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from contextlib import suppress
from contextvars import ContextVar
from functools import wraps
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from memoryos_core.api.engine import Engine
from memoryos_core.errors import AccessError, ClosedError, MemoryOSError, StoreError
from memoryos_core.ports.capabilities import AuditStore, capability
from memoryos_core.rules.safety import access
from memoryos_core.values.audit import ACTING, AccessRole, Acting
from memoryos_core.values.dialogue import Scope
from memoryos_core.values.events import VerbFailed

logger = logging.getLogger(__name__)

_TELLING: ContextVar[bool] = ContextVar("memoryos_telling_of_an_error", default=False)
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
            role = capability(parts.store, AuditStore).role(self.scope, self.actor)
        acting = Acting(self.actor, self.scope, role, parts.store)
        ACTING.set(acting)
        if access.allows(role, least):
            return acting
        try:
            capability(parts.store, AuditStore).deny(self.scope, verb, parts.clock())
        except StoreError as error:
            logger.error("a denied %s could not be written to the audit log: %s", verb, type(error).__name__)  # noqa: TRY400 - its text is not ours
        raise AccessError(_refusal(self.actor, verb, role, least))

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
            return verb(handle, *args, **kwargs)
        finally:
            ACTING.set(before)
            if acting is not None:
                acting.over = True

    @wraps(verb)
    def call_and_report(handle: H, /, *args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return call_with_role(handle, *args, **kwargs)
        except MemoryOSError as error:
            handle.gate.tell(known_as, error)
            raise

    call_and_report.__dict__["permitted_as"] = known_as
    return call_and_report


def _refusal(actor: str, verb: str, role: AccessRole | None, least: AccessRole) -> str:
    has = "has no role here" if role is None else f"is a {role} here"
    return f"{actor!r} {has}, and {verb!r} needs the role {least!r}: an admin grants it with governance.grant(…)"
