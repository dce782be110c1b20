"""The messages of an agent's state that belong to the conversation: to recall for, and to record once each.

A message is recorded when it got through: what went to a model, as the model was sent it, and what came from one, as
the run left it. So other middleware may redact, rewrite or refuse a message before the memory has it.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, TypeAlias

from langchain.agents.middleware import AgentState
from langchain.agents.middleware.types import PrivateStateAttr
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, RemoveMessage, SystemMessage, ToolMessage
from langchain_core.runnables import RunnableConfig
from langgraph.channels import UntrackedValue
from pydantic_core import to_json
from typing_extensions import NotRequired

from memoryos_core import Page, UserMemory
from memoryos_core.errors import MemoryOSError
from memoryos_core.hosts.concurrency import Contained
from memoryos_langchain.alignment import known_beginning
from memoryos_langchain.messages import to_core
from memoryos_langchain.reconciling import Changes, Seen, changes, follows, former_answer, handed_in, snapshot_messages
from memoryos_langchain.record_filter import Record, explain_failure, filter_messages
from memoryos_langchain.removals import step_of

logger = logging.getLogger(__name__)

# Ends the id of the message that holds the structured answer of the message with the id before it.
_ANSWER = ":structured_response"

Update: TypeAlias = "dict[str, Any]"
"""Changes of an agent's state, as LangGraph takes them."""


class MemoryState(AgentState[Any]):
    """An agent's state with what the middleware needs; none of it is taken from a caller or given back to one.

    Kept with the thread: `memoryos_recorded`, the id of the last message that needs no recording any more;
    `memoryos_recorded_for`, the user of that run; and the ids of messages that may not be recorded, or not yet:
    `memoryos_asked`, given to a run and not sent to a model so far; `memoryos_answered`, a model's last answer, which a
    guardrail may still refuse or rewrite, and that of its `structured_response`; `memoryos_refused`, what did not get
    through in its own run.
    `memoryos_seen` is what the last run left, to see what the host changes before the next one.

    The others are gone when a run ends or is interrupted; `memoryos_shown` are the ids under which messages of the
    state are stored already, see `known_beginning`; `memoryos_changed` is what the host changed before this run.
    """

    memoryos_recall: NotRequired[Annotated[str, UntrackedValue, PrivateStateAttr]]
    memoryos_identity: NotRequired[Annotated[tuple[str, str, str], UntrackedValue, PrivateStateAttr]]
    memoryos_shown: NotRequired[Annotated[list[str], UntrackedValue, PrivateStateAttr]]
    memoryos_unrecorded: NotRequired[Annotated[bool, UntrackedValue, PrivateStateAttr]]
    memoryos_recorded: NotRequired[Annotated[str | None, PrivateStateAttr]]
    memoryos_recorded_for: NotRequired[Annotated[str, PrivateStateAttr]]
    memoryos_asked: NotRequired[Annotated[list[str], PrivateStateAttr]]
    memoryos_answered: NotRequired[Annotated[list[str], PrivateStateAttr]]
    memoryos_refused: NotRequired[Annotated[list[str], PrivateStateAttr]]
    memoryos_seen: NotRequired[Annotated[Seen, PrivateStateAttr]]
    memoryos_changed: NotRequired[Annotated[Changes | None, UntrackedValue, PrivateStateAttr]]


@dataclass(frozen=True, slots=True)
class Recorder:
    """Records the runs of one user; every method returns the changes of the state that say how far it came.

    `alone` says whether the thread's messages are all that is recorded in its session. Then what a run has answered
    again takes the place of the older answer. `config` is that of the hook.
    """

    user: UserMemory
    record: Record = True
    alone: bool = False
    config: RunnableConfig | None = None

    def begin(self, state: MemoryState) -> Update:
        """Note what a run is given: nothing of it is recorded before a model is sent it.

        What another run left behind is refused when it did not get through. Of what got through and could not be
        written, the user's own is caught up with, another user's is not.
        """
        mark = state.get("memoryos_recorded")
        new, before = news(state["messages"], mark, ours=self.owns(state))
        found, shown, changed = list(drop_instructions(state["messages"])), list[str](), Changes()
        if self.owns(state) and mark is None:
            known, shown, asked = self._find_recorded(new)
            new, before = new[known:], new[known - 1].id if known else before
            changed = handed_in(found, known, shown, asked, alone=self.alone)
        elif self.owns(state):
            last = state.get("memoryos_seen", snapshot_messages((), ended=False))
            changed = changes(found, last, alone=self.alone, config=self.config)
        refused = {*state.get("memoryos_refused", ()), *_stuck(state)} & _ids(new).keys()
        return {
            "memoryos_recorded": before,
            "memoryos_recorded_for": self.user.scope.key,
            "memoryos_asked": [i for i in _ids(_after_last_answer(new)) if i not in refused],
            "memoryos_answered": [],
            "memoryos_refused": sorted(refused),
            "memoryos_shown": shown,
            "memoryos_changed": changed,
        }

    def send(self, state: MemoryState, sent: Sequence[BaseMessage]) -> Update:
        """Record what a run was given, as a model is sent it now.

        Args:
            state: the run's.
            sent: the state's messages as they are sent, see `as_sent`.
        """
        asked, changed = state.get("memoryos_asked", ()), state.get("memoryos_changed") or Changes()
        if not (asked or changed.replaces) or not self.owns(state):
            return {}
        new, before = news(state["messages"], state.get("memoryos_recorded"))
        versions = {m.id: m for m in sent}
        # Record an edited message as the model gets it; one that is not sent is only superseded.
        again = [m for m in sent if m.id in changed.edited | changed.same and m.id not in _ids(new)]
        changed = replace(changed, replaces=changed.replaces | (changed.same & versions.keys()))
        # A question that was not sent has not reached the model; older messages need not be sent again.
        refused = {*state.get("memoryos_refused", ()), *(set(asked) - versions.keys())}
        through = [versions.get(m.id, m) for m in new if m.id not in refused]
        written = self._write([*again, *through], changed)
        if written is None:
            return self._unwritten(before)
        question_id = through[-1].id if through and (not written or through[-1].id == changed.again) else None
        return {**self._update(state, new, before, ended=False), "memoryos_changed": Changes(again=question_id)}

    def end(self, state: MemoryState) -> Update:
        """Record what a run added, unless that is left to the next run.

        So it is when the recording failed as the run began, for a store that does not answer is not waited for twice,
        and when the run was resumed for another user.
        """
        answered = state.get("memoryos_answered", ())
        passed: Update = {"memoryos_asked": [], "memoryos_answered": []}
        if state.get("memoryos_unrecorded") or not self.owns(state):
            return passed
        new, before = news(state["messages"], state.get("memoryos_recorded"))
        refused = state.get("memoryos_refused", ())
        if not answered:
            # No model was asked: a guardrail has answered in its place.
            left = _ids(_asked_on(new, state.get("memoryos_asked", ())))
            return {**passed, "memoryos_refused": sorted({*refused, *left})}
        through = [m for m in _skip_unsent(new, answered) if m.id not in refused]
        told = [*through, *_structured_answer(state, through)]
        written = self._write(told, self._superseded_by(state) if through else Changes(), reply_to=before)
        update = self._unwritten(before) if written is None else self._update(state, new, before, ended=True)
        return {**passed, **update}

    def owns(self, state: MemoryState) -> bool:
        """Return whether the thread's last run was for this user and assistant; True also where there was no run."""
        return state.get("memoryos_recorded_for", self.user.scope.key) == self.user.scope.key

    def _find_recorded(self, new: Sequence[BaseMessage]) -> tuple[int, list[str], str | None]:
        """How many of the messages before the question are recorded already, under which ids; and that of the question.

        The question's id is None where the session does not hold it, in any version.
        """
        asked = next((i for i in range(len(new) - 1, -1, -1) if isinstance(new[i], HumanMessage)), 0)
        if not asked:
            return 0, [], None
        with Contained():
            kept = [(i, m) for i in range(asked) for m in filter_messages(self.record, new[i : i + 1])]
            stored = self.user.transcript()
            known, ids = known_beginning([to_core(m) for _, m in kept], stored)
            held = any(m.id == new[asked].id for m in stored)
            return (kept[known - 1][0] + 1 if known else 0), ids, new[asked].id if held else None
        return 0, [], None  # the memory is down, which `send` finds out and tells

    def _superseded_by(self, state: Mapping[str, Any]) -> Changes:
        """Return what the answer of this run takes the place of.

        What another run recorded in the meantime is not meant: this run must be known to have gone back. A run that was
        resumed, which takes a checkpointer, and one whose thread left something behind when it began, follow the
        thread's messages. A question that the session held already is answered again: its former answer goes.
        """
        found = list(drop_instructions(state["messages"]))
        changed: Changes = state.get("memoryos_changed") or Changes()
        if "memoryos_identity" not in state or changed.follows:
            return Changes(follows=follows(found, alone=self.alone))
        if changed.again is None or not self.alone:
            return Changes()
        with Contained():
            return Changes(replaces=former_answer(self.user.transcript(), changed.again) - _ids(found).keys())
        return Changes()  # the memory is down, which the writing finds out and tells

    def _write(
        self, through: Sequence[BaseMessage], changed: Changes, *, reply_to: str | None = None
    ) -> tuple[Page, ...] | None:
        """Return the pages that were written; None where the memory is down."""
        with Contained() as writing:
            told = [to_core(m) for m in filter_messages(self.record, through)]
            # The answer of a message that is handed in as it was stands.
            left = changed.replaces - ({m.id for m in told} - changed.edited)
            gone, before = changed.replaces | with_answers(left), with_answers(changed.follows)
            return self.user.add_messages(told, once=True, replaces=gone, follows=before, reply_to=reply_to)
        error = writing.error
        if failure := explain_failure(error):
            logger.error("%d messages could not be recorded: %s", len(through), failure)
            return None
        why = str(error) if isinstance(error, MemoryOSError) else ""
        logger.warning("%d messages could not be recorded (%s) %s", len(through), type(error).__name__, why)
        return None

    def _update(self, state: MemoryState, new: Sequence[BaseMessage], before: str | None, *, ended: bool) -> Update:
        return {
            "memoryos_recorded": new[-1].id if new else before,
            "memoryos_refused": [],
            "memoryos_seen": snapshot_messages(
                list(drop_instructions(state["messages"])), ended=ended, step=step_of(self.config)
            ),
            "memoryos_changed": None,
        }

    def _unwritten(self, before: str | None) -> Update:
        return {"memoryos_recorded": before, "memoryos_unrecorded": True}


def with_answers(ids: Iterable[str]) -> set[str]:
    """Return ids of a thread's messages and those under which their structured answers are recorded."""
    return {stored for i in ids for stored in (i, i + _ANSWER)}


def _structured_answer(state: Mapping[str, Any], through: Sequence[BaseMessage]) -> list[AIMessage]:
    """Return the run's `structured_response` as a message, where its model gave it by a call of a tool.

    To a memory such a call says nothing, and nobody answers its result. A model's own structured output is a text.
    """
    response: object = state.get("structured_response")
    said = next((m for m in reversed(through) if isinstance(m, AIMessage)), None)
    if response is None or said is None or not said.tool_calls:
        return []
    answer_id = f"{said.id}{_ANSWER}"
    if answer_id not in state.get("memoryos_answered", ()):
        return []  # an earlier run's
    with Contained() as writing:
        return [AIMessage(to_json(response).decode(), id=answer_id)]
    logger.warning("a structured response could not be recorded (%s)", type(writing.error).__name__)
    return []


def as_sent(messages: Sequence[BaseMessage], sent: Sequence[BaseMessage]) -> list[BaseMessage]:
    """Return the state's messages as a model is sent them, under the state's ids; without those that are left out.

    Messages that were made anew on the way have no id: where as many are sent as there are, each takes the id of the
    one in its place. What was put among them for this one call is left out.
    """
    known = {m.id for m in messages}
    by_id = {m.id: m for m in sent if m.id in known}
    places: dict[str | None, BaseMessage] = {}
    if len(sent) == len(messages):
        pairs = zip(messages, sent, strict=True)
        places = {m.id: s.model_copy(update={"id": m.id}) for m, s in pairs if s.id not in known and s.type == m.type}
    found = ({**places, **by_id}.get(m.id) for m in messages)
    return [m for m in found if m is not None]


def drop_instructions(messages: Sequence[BaseMessage]) -> Iterator[BaseMessage]:
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
    """Return the messages that are not recorded yet, and the id of the message before them, or None.

    Args:
        messages: the state's.
        mark: the id of the last message that needs no recording any more; None when no run of the thread came so far,
            and then all is new.
        ours: whether the last run was the same user's. What another one's left is not to be remembered: only what a
            human said last is new, and what follows it. The same when the mark is gone, taken back or summarised, for
            how far the recording came is not known then; where no human is left either, all that is left followed.
    """
    found = list(drop_instructions(messages))
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
    """Return the last human message."""
    return next((m for m in reversed(list(drop_instructions(messages))) if isinstance(m, HumanMessage)), None)


def question(messages: Sequence[BaseMessage]) -> str:
    """Return the text of the last human message; "" when there is no human message."""
    human = last_human(messages)
    return "" if human is None else str(human.text).strip()


def _ids(messages: Sequence[BaseMessage]) -> dict[str, None]:
    """The ids of the messages, in their order."""
    return {m.id: None for m in messages if m.id}


def _after_last_answer(new: Sequence[BaseMessage]) -> Sequence[BaseMessage]:
    """The messages after the last one of the assistant's."""
    return new[next((i + 1 for i in range(len(new) - 1, -1, -1) if isinstance(new[i], AIMessage)), 0) :]


def _asked_on(new: Sequence[BaseMessage], asked: Collection[str]) -> Sequence[BaseMessage]:
    """The messages from the first that a run was given; from the last human one, where the run's are not known."""
    first = next((i for i, m in enumerate(new) if m.id in asked), None)
    human = next((i for i in range(len(new) - 1, -1, -1) if isinstance(new[i], HumanMessage)), 0)
    return new[human if first is None else first :]


def _stuck(state: MemoryState) -> set[str]:
    """The ids of what the last run was given or answered, and what never got through.

    A question that no model was sent was refused, and so was an answer that no other step followed. The result of a
    tool says that the call got through.
    """
    called = {m.tool_call_id for m in state["messages"] if isinstance(m, ToolMessage)}
    answered = set(state.get("memoryos_answered", ()))
    for message in state["messages"]:
        if isinstance(message, AIMessage) and any(call["id"] in called for call in message.tool_calls):
            answered.discard(message.id or "")
    return answered | set(state.get("memoryos_asked", ()))


def _skip_unsent(new: Sequence[BaseMessage], answered: Collection[str]) -> Iterator[BaseMessage]:
    """The messages that reached a model or came from one, and the result of a tool that ends a run by itself.

    A guardrail that answers in the model's place keeps what stands between the model's last answer and its own.
    """
    assistants = [i for i, m in enumerate(new) if isinstance(m, AIMessage)]
    last = max(assistants, default=-1)
    of_model = max((i for i, m in enumerate(new) if m.id in answered), default=last)
    for place, message in enumerate(new):
        if isinstance(message, AIMessage) or place < of_model or place > last or message.id in answered:
            yield message
