"""Memory for agents: recalled once a run, shown to the model on every call, recorded by message id."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import astuple
from itertools import accumulate
from typing import Any, Literal, TypeAlias, cast, get_args

import langgraph.types
from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
from langchain.agents.middleware.types import ExtendedModelResponse
from langchain_core.messages import BaseMessage, SystemMessage
from langchain_core.runnables import RunnableConfig, ensure_config
from langgraph.runtime import Runtime
from langgraph.types import Command
from typing_extensions import override

from memoryos_core import InvalidInputError, MemoryConfig, MemoryOS, Message, UserMemory
from memoryos_core.hosts import validation as accepting
from memoryos_core.hosts.arguments import Id, checked_actor, require_memory
from memoryos_core.hosts.concurrency import Contained, off_loop
from memoryos_core.hosts.windows import add_notice
from memoryos_langchain.identity import Identity, UserId, check_ids, identify_runtime
from memoryos_langchain.messages import add_text, without_payload
from memoryos_langchain.record_filter import Record, checked_record
from memoryos_langchain.recording import MemoryState, Recorder, Update, as_sent, last_human, question, with_answers

logger = logging.getLogger(__name__)

Placement: TypeAlias = Literal["system", "last_human"]

# LangGraph fills it in; by its name and by this annotation, and also on Python 3.10, where coroutines see no config.
_NO_CONFIG: RunnableConfig = {}
# The values that `LimitsConfig.items` counts in a message: itself and its fields.
_ITEMS_OF_A_MESSAGE = 7


class Recalled(str):
    """The recall text on its way through a run's state. As a string it only says how long it is.

    LangGraph streams states, hands them to tools and traces, and older releases write what tools are handed into
    checkpoints: private and untracked values too. None of them gets the text.
    """

    __slots__ = ("text",)
    text: str

    def __new__(cls, text: str) -> Recalled:
        """A label that carries the text."""
        label = super().__new__(cls, f"{len(text)} characters")
        label.text = text
        return label

    @override
    def __reduce__(self) -> tuple[type[Recalled], tuple[str]]:
        """Made anew from the text: the label of a copy says the same."""
        return Recalled, (self.text,)


class MemoryOSMiddleware(AgentMiddleware[MemoryState, Any, Any]):
    """Gives an agent of `create_agent` a memory that reaches beyond its thread; one instance serves all users.

    Once a run, what is remembered of the user is recalled for what the human said last, leaving out what the messages
    of the thread say already. Every model call of the run sees it as one delimited block; it is never written to the
    messages. The run's messages are recorded once each, by thread and message id: the question right before the model
    is called, the rest at the end, and what a failed or interrupted run left in the state with the user's next one.
    Without a checkpointer pass new messages only, or the conversation so far: what the session holds of it is found by
    what was said, and not recorded again. The first run on a thread takes in all that is there. Where users, or
    assistants, take turns on a thread, each gets what a human said last when its run begins and what follows, and
    nothing of what another one's run left.

    What is recorded is what the model was sent and what the user was answered: what other middleware redacts
    (`PIIMiddleware`, before or after this one in the list) is recorded redacted, an answer that is rewritten in
    `after_model` is recorded as rewritten, and what is refused, by an error or by an answer in the model's place, is
    not recorded at all, in no later run either. A `structured_response` is an answer, and recorded as JSON.

    A message that is edited, removed or answered again between two runs, by its id, is superseded: the session does not
    recall it any more, other sessions do. What middleware cuts off, before, while or after a run goes on, is recalled.

    User, assistant and session come from the run's context or config, see `identify`; an unknown user ends the run
    before the model is called. A memory that is down does not: the agent answers without it, and a warning is logged.

    Put it last in the list: middleware further in that replaces the system message (`dynamic_prompt`) takes the block
    out again, and what it redacts in `wrap_model_call` is not seen here. Only a guardrail that rewrites the answer in
    `after_agent` belongs after this one, for LangChain runs those hooks from the last to the first. What other
    middleware removes from the state before a run ends is not recorded.

    Args:
        memory: an open memory; it stays yours to close.
        user_id: the user of every run, or a function that names the user of a `Run`; None takes each run's user.
        assistant_id: the assistant it belongs to; None asks each run.
        session_id: the session, for every run; None takes each run's thread.
        actor: the actor that it works as, with the role it was granted there; None is the application itself.
        budget_tokens: the most tokens to recall; None is what the memory is configured with.
        min_score: the least relevance, 0 to 1, of what is recalled; None is what the memory is configured with.
        placement: where the block goes: "system", the end of the system message, or "last_human", before what the human
            said last, which keeps a provider's cache of the system prompt and the turns before valid.
        include_recent: whether the session's recent turns are recalled as well; for an agent without a checkpointer,
            whose messages do not hold them.
        record: whether runs are recorded, or a function that is asked about each message: it returns True or False, or
            the message to record instead (see `Record`). False is for an agent that works inside another agent's tool:
            what its messages call a human's is a model's, and the agent outside records what the human said. If the
            function raises, the run goes on, nothing of the turn is recorded, and the log has its traceback.

    Raises:
        InvalidInputError: an option cannot be used, or `memory` is not a `MemoryOS`.

    Example:
        ```python
        memory = MemoryOS("sqlite://")
        agent = create_agent(model, tools, middleware=[MemoryOSMiddleware(memory)], checkpointer=InMemorySaver())
        turn = {"messages": [{"role": "user", "content": "My dog Biscuit is afraid of thunder."}]}
        agent.invoke(turn, {"configurable": {"thread_id": "t-1"}}, context={"user_id": "ann"})
        ```
    """

    state_schema = MemoryState
    # Where LangGraph knows trace policies: our spans need not repeat the whole conversation.
    trace_policy = (
        langgraph.types.TracePolicy(process_inputs=langgraph.types.omit_payload)
        if hasattr(langgraph.types, "omit_payload")
        else None
    )

    def __init__(  # noqa: PLR0913 - one optional argument for each choice
        self,
        memory: MemoryOS,
        *,
        user_id: UserId | None = None,
        assistant_id: Id | None = "assistant",
        session_id: Id | None = None,
        actor: str | None = None,
        budget_tokens: int | None = None,
        min_score: float | None = None,
        placement: Placement = "system",
        include_recent: bool = False,
        record: Record = True,
    ) -> None:
        super().__init__()
        if placement not in get_args(Placement):
            raise InvalidInputError(f"placement must be one of {', '.join(map(repr, get_args(Placement)))}")
        # Fails here rather than in the first run.
        check_ids(user_id=user_id, assistant_id=assistant_id, session_id=session_id)
        self.tools = []
        self._memory = require_memory(memory)
        self._fixed = user_id, assistant_id, session_id
        self._actor = checked_actor(actor)
        self._budget = None if budget_tokens is None else accepting.count("budget_tokens", budget_tokens)
        self._min_score = None if min_score is None else accepting.share("min_score", min_score)
        self._placement: Placement = placement
        self._include_recent = include_recent
        self._record = checked_record(record)

    @override
    def before_agent(
        self, state: MemoryState, runtime: Runtime[Any], config: RunnableConfig = _NO_CONFIG
    ) -> Update | None:
        """Store the user of the run and its input in the state. Raises InvalidInputError when the user is unknown."""
        who = self._who(runtime, config)
        began = self._recorder(who, config).begin(state) if self._record else {}
        return {**began, "memoryos_identity": astuple(who)}

    @override
    async def abefore_agent(
        self, state: MemoryState, runtime: Runtime[Any], config: RunnableConfig = _NO_CONFIG
    ) -> Update | None:
        """See `before_agent`."""
        return await off_loop(self._memory, self.before_agent, state, runtime, config)

    @override
    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any] | ExtendedModelResponse[Any]:
        """Record the run's input, and show the recall text to the model."""
        update = self._prepare(request)
        return self._add_answer_ids(update, handler(self._insert_recall(request, update["memoryos_recall"])))

    @override
    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any] | ExtendedModelResponse[Any]:
        """See `wrap_model_call`."""
        update = await off_loop(self._memory, self._prepare, request)
        return self._add_answer_ids(update, await handler(self._insert_recall(request, update["memoryos_recall"])))

    @override
    def after_agent(
        self, state: MemoryState, runtime: Runtime[Any], config: RunnableConfig = _NO_CONFIG
    ) -> Update | None:
        """Record what the run added."""
        if not self._record:
            return None
        return self._recorder(self._who(runtime, config), config).end(state)

    @override
    async def aafter_agent(
        self, state: MemoryState, runtime: Runtime[Any], config: RunnableConfig = _NO_CONFIG
    ) -> Update | None:
        """See `after_agent`."""
        return await off_loop(self._memory, self.after_agent, state, runtime, config)

    def _who(self, runtime: Runtime[Any], config: RunnableConfig) -> Identity:
        user, assistant, session = self._fixed
        found = cast("dict[str, object]", config or ensure_config())
        return identify_runtime(runtime, found, user_id=user, assistant_id=assistant, session_id=session)

    def _memory_of(self, who: Identity) -> UserMemory:
        return self._memory.user(
            who.user_id, assistant_id=who.assistant_id, session_id=who.session_id, actor=self._actor
        )

    def _recorder(self, who: Identity, config: RunnableConfig) -> Recorder:
        return Recorder(self._memory_of(who), self._record, _is_alone(who, config), config or ensure_config())

    def _prepare(self, request: ModelRequest[Any]) -> Update:
        """Record and recall before a model call: by now every `before_model` has redacted or refused what it would.

        A run that was resumed does not begin with `before_agent`, and what it recalled was not kept: it recalls again.
        """
        state = cast("MemoryState", request.state)
        recalled = state.get("memoryos_recall")
        changed = state.get("memoryos_changed")
        asked = bool(self._record and (state.get("memoryos_asked") or (changed and changed.replaces)))
        if isinstance(recalled, Recalled) and not asked:
            return {"memoryos_recall": recalled}
        known = state.get("memoryos_identity")
        user = self._memory_of(Identity(*known) if known else self._who(request.runtime, _NO_CONFIG))
        sent = as_sent(state["messages"], request.messages)
        update = Recorder(user, self._record).send(state, sent) if asked else {}
        return {
            **update,
            "memoryos_recall": recalled if isinstance(recalled, Recalled) else self._recall(user, sent, state),
        }

    def _add_answer_ids(self, update: Update, response: ModelResponse[Any]) -> ExtendedModelResponse[Any]:
        """The response, with the ids of the answer and what the run's next model calls are to know."""
        if self._record:
            ids = [m.id or "" for m in response.result]
            answered = ids if response.structured_response is None else sorted(with_answers(ids))
            update = {**update, "memoryos_asked": [], "memoryos_answered": answered}
        return ExtendedModelResponse(response, Command(update=update))

    def _recall(self, user: UserMemory, messages: Sequence[BaseMessage], state: MemoryState) -> Recalled:
        asked = question(messages)
        if not asked:
            return Recalled("")
        ids = {*with_answers(m.id for m in messages if m.id), *state.get("memoryos_shown", ())}
        # The messages themselves, too: a conversation may go on under another thread's id.
        shown = [*ids, *_newest(messages, self._memory.config)]
        with Contained() as reading:
            recall = user.recall(
                asked,
                budget_tokens=self._budget,
                include_recent=self._include_recent,
                shown=shown,
                min_score=self._min_score,
            )
            return Recalled(add_notice(recall.text))
        logger.warning("recall failed (%s): the agent goes on without it", type(reading.error).__name__)
        return Recalled("")

    def _insert_recall(self, request: ModelRequest[Any], recalled: Recalled) -> ModelRequest[Any]:
        if not recalled.text:
            return request
        human = last_human(request.messages) if self._placement == "last_human" else None
        if human is not None:
            told = add_text(human, recalled.text, first=True)
            return request.override(messages=[told if m is human else m for m in request.messages])
        first = next(iter(request.messages), None)
        if request.system_message is None and isinstance(first, SystemMessage):
            # The application's own instructions stand among its messages; some providers take one system message only.
            return request.override(messages=[add_text(first, recalled.text), *request.messages[1:]])
        system = request.system_message or SystemMessage("")
        return request.override(system_message=add_text(system, recalled.text))


def _newest(messages: Sequence[BaseMessage], config: MemoryConfig) -> list[Message]:
    """Return the newest messages that have an id: as many as take half of what one call of the memory may bring."""
    characters, items = config.limits.characters, config.limits.items
    most = len(messages) if items is None else items // (2 * _ITEMS_OF_A_MESSAGE)
    found = [without_payload(m) for m in messages[::-1][:most] if m.id]
    sizes = accumulate(len(m.text) + len(m.id or "") for m in found)
    return [m for m, size in zip(found, sizes, strict=True) if characters is None or 2 * size <= characters]


def _is_alone(who: Identity, config: RunnableConfig) -> bool:
    """Return whether only this thread is recorded in the session; False where threads or nested agents share one."""
    named = (config or ensure_config()).get("configurable", {})
    nested = "|" in str(named.get("checkpoint_ns", ""))
    return not nested and str(named.get("thread_id", who.session_id)) == who.session_id
