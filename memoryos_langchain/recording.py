"""Which messages of an agent's state are what somebody said: to recall for, and to record once each, for its user."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from typing import Annotated, Any, TypeAlias

from langchain.agents.middleware import AgentState
from langchain.agents.middleware.types import PrivateStateAttr
from langchain_core.messages import BaseMessage, HumanMessage, RemoveMessage, SystemMessage
from langgraph.channels import UntrackedValue
from typing_extensions import NotRequired

from memoryos_core.foreign import Contained
from memoryos_core.user import UserMemory
from memoryos_langchain.messages import to_core

logger = logging.getLogger(__name__)

Update: TypeAlias = "dict[str, Any]"
"""Changes of an agent's state, as LangGraph takes them."""


class MemoryState(AgentState[Any]):
    """An agent's state with what the middleware needs; none of it is taken from a caller or given back to one.

    `memoryos_recorded` is the id of the last message that needs no recording any more, `memoryos_recorded_for` whose
    run that was; both are kept with the thread. The other two are gone when a run ends or is interrupted.
    """

    memoryos_recall: NotRequired[Annotated[str, UntrackedValue, PrivateStateAttr]]
    memoryos_recorded: NotRequired[Annotated[str | None, PrivateStateAttr]]
    memoryos_recorded_for: NotRequired[Annotated[str, PrivateStateAttr]]
    memoryos_unrecorded: NotRequired[Annotated[bool, UntrackedValue, PrivateStateAttr]]


def record(user: UserMemory, state: MemoryState) -> Update:
    """Record what is new in the state; so what was forgotten since does not come back.

    The update says whose run this is and how far the recording came, also when it failed: the next run of the same
    user then begins where this one should have, and that of another one is not taken for the same.
    """
    new, before = news(state["messages"], state.get("memoryos_recorded"), ours=_ours(user, state))
    failed = bool(new) and not _written(user, new)
    update = {
        "memoryos_recorded": new[-1].id if new and not failed else before,
        "memoryos_recorded_for": user.scope.key,
    }
    return {**update, "memoryos_unrecorded": True} if failed else update


def record_rest(user: UserMemory, state: MemoryState) -> Update | None:
    """Record what a run added to the state it began with; None where that is left to the next run.

    So it is when the recording failed as the run began, for a store that does not answer is not waited for twice, and
    when the run was resumed for somebody else.
    """
    return None if state.get("memoryos_unrecorded") or not _ours(user, state) else record(user, state)


def _ours(user: UserMemory, state: MemoryState) -> bool:
    return state.get("memoryos_recorded_for", user.scope.key) == user.scope.key


def _written(user: UserMemory, new: Sequence[BaseMessage]) -> bool:
    with Contained() as writing:
        user.add_messages([to_core(m) for m in new], once=True)
        return True
    logger.warning("%d messages could not be recorded (%s)", len(new), type(writing.error).__name__)
    return False


def said(messages: Sequence[BaseMessage]) -> Iterator[BaseMessage]:
    """The messages that belong to the conversation: no instructions, no removals, no summary of what was said.

    LangChain's SummarizationMiddleware puts its summary into the state as a message of the human's.
    """
    for message in messages:
        summary = message.additional_kwargs.get("lc_source") == "summarization"
        if not summary and not isinstance(message, SystemMessage | RemoveMessage):
            yield message


def news(
    messages: Sequence[BaseMessage], mark: str | None, *, ours: bool = True
) -> tuple[list[BaseMessage], str | None]:
    """What was said and is not recorded yet, and the id of the message before it; None where there is none.

    Args:
        messages: the state's.
        mark: the id of the last message that needs no recording any more; None when no run of the thread came so far,
            and then all is new.
        ours: whether the last run was the same user's. What another one's left is not to be remembered: only what a
            human said last is new, and what follows it. The same when the mark is gone, taken back or summarised, for
            how far the recording came is not known then; where no human is left either, all that is left followed.
    """
    found = list(said(messages))
    start = _first_new(found, mark, ours=ours)
    return found[start:], found[start - 1].id if start else None


def _first_new(found: Sequence[BaseMessage], mark: str | None, *, ours: bool) -> int:
    places = range(len(found) - 1, -1, -1)
    marked = next((i + 1 for i in places if mark is not None and found[i].id == mark), None)
    asked = next((i for i in places if isinstance(found[i], HumanMessage)), None)
    if not ours:
        return len(found) if asked is None or asked < (marked or 0) else asked
    if marked is not None:
        return marked
    return 0 if mark is None or asked is None else asked


def last_human(messages: Sequence[BaseMessage]) -> HumanMessage | None:
    """What a human said last."""
    return next((m for m in reversed(list(said(messages))) if isinstance(m, HumanMessage)), None)


def question(messages: Sequence[BaseMessage]) -> str:
    """The text of what a human said last; "" when there is none."""
    human = last_human(messages)
    return "" if human is None else str(human.text).strip()
