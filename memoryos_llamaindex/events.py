"""The memory's events in LlamaIndex's instrumentation: ids and counts, never remembered text."""

from __future__ import annotations

from llama_index_instrumentation import get_dispatcher
from llama_index_instrumentation.base.event import BaseEvent
from typing_extensions import override

from memoryos_core import Scope
from memoryos_core.hosts import events

dispatcher = get_dispatcher(__name__)


class MemoryOSEvent(BaseEvent):
    """Base of all events: the user, the assistant and the session."""

    user_id: str
    assistant_id: str

    @classmethod
    @override
    def class_name(cls) -> str:
        """The name by which handlers know it."""
        return cls.__name__


class MemoryOSRecallStartEvent(MemoryOSEvent):
    """A recall begins."""

    session_id: str


class MemoryOSRecallEndEvent(MemoryOSEvent):
    """A recall ended: the hits that are sent, and the tokens of what is sent, the notice included.

    Tokens are counted by the host's tokenizer. A block tells what it gives to its `Memory`, which may shorten it.
    """

    session_id: str
    hits: int
    tokens: int


class MemoryOSPromotionEvent(MemoryOSEvent):
    """A hot segment was read into long-term memory."""

    segment_id: str
    facts: int
    traits: int
    profile_fields: int


class MemoryOSErrorEvent(MemoryOSEvent):
    """The memory could not do something, and the conversation goes on without; `error` is the kind of error."""

    action: str
    error: str


def dispatch(event: events.Event) -> None:
    """Show what happens behind the caller: `MemoryOS(url, on_event=dispatch)`."""
    if isinstance(event, events.Promoted):
        counts = {"facts": event.facts, "traits": event.traits, "profile_fields": event.profile_fields}
        told = {**_whose(event.scope), "segment_id": event.segment_id, **counts}
        dispatcher.event(MemoryOSPromotionEvent.model_validate(told))
    elif isinstance(event, events.StepFailed):
        report_failure(event.scope, event.step, event.error)


def report_failure(scope: Scope, action: str, error: str) -> None:
    """Show an error that was contained."""
    dispatcher.event(MemoryOSErrorEvent.model_validate({**_whose(scope), "action": action, "error": error}))


def _whose(scope: Scope) -> dict[str, str]:
    return {"user_id": scope.user_id, "assistant_id": scope.assistant_id}
