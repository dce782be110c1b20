"""Memory for agents: recalled once a run, shown to the model on every call, recorded by message id."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Literal, TypeAlias, TypeVar, cast, get_args

import langgraph.types
from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
from langchain.agents.middleware.types import ExtendedModelResponse
from langchain_core.messages import AnyMessage, BaseMessage, SystemMessage
from langchain_core.runnables import RunnableConfig, ensure_config
from langgraph.runtime import Runtime
from langgraph.types import Command
from typing_extensions import override

from memoryos_core import InvalidInputError, MemoryOS
from memoryos_core.aio import off_loop
from memoryos_core.foreign import Contained
from memoryos_core.hosting import Id, opened
from memoryos_core.rules import accepting
from memoryos_core.rules.rendering import introduced
from memoryos_core.user import UserMemory
from memoryos_langchain.identity import identify, identify_runtime
from memoryos_langchain.recording import MemoryState, Update, last_human, question, record, record_rest

logger = logging.getLogger(__name__)

Placement: TypeAlias = Literal["system", "last_human"]
MessageT = TypeVar("MessageT", bound=BaseMessage)

# LangGraph fills it in; by its name and by this annotation, and also on Python 3.10, where coroutines see no config.
_NO_CONFIG: RunnableConfig = {}


class Recalled(str):
    """What was recalled, on its way through a run's state. As a string it only says how much.

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
    messages. The run's messages are recorded once each, by thread and message id: the question before the model is
    called, the rest at the end, and what a failed or interrupted run left in the state with the same user's next one.
    So without a checkpointer pass new messages only, or messages that keep their ids. The first run on a thread takes
    in all that is there. Where users, or assistants, take turns on a thread, each gets what a human said last when
    its run begins and what follows, and nothing of what another one's run left.

    User, assistant and session come from the run's context or config, see `identify`; an unknown user ends the run
    before the model is called. A memory that is down does not: the agent answers without it, and a warning is logged.

    Put it last in the list: middleware further in that replaces the system message (`dynamic_prompt`) takes the block
    out again. What other middleware removes from the state before a run ends is not recorded.

    Args:
        memory: an open memory; it stays yours to close.
        user_id: whose memory, for every run; None asks each run.
        assistant_id: the assistant it belongs to; None asks each run.
        session_id: the session, for every run; None takes each run's thread.
        budget_tokens: the most tokens to recall; None is what the memory is configured with.
        placement: where the block goes: "system", the end of the system message, or "last_human", before what the human
            said last, which keeps a provider's cache of the system prompt and the turns before valid.
        include_recent: whether the session's recent turns are recalled as well; for an agent without a checkpointer,
            whose messages do not hold them.
        record: whether runs are recorded. False for an agent that works inside another agent's tool: what its messages
            call a human's is a model's, and the agent outside records what the human said.

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
        user_id: Id | None = None,
        assistant_id: Id | None = "assistant",
        session_id: Id | None = None,
        budget_tokens: int | None = None,
        placement: Placement = "system",
        include_recent: bool = False,
        record: bool = True,
    ) -> None:
        super().__init__()
        if placement not in get_args(Placement):
            raise InvalidInputError(f"placement must be one of {', '.join(map(repr, get_args(Placement)))}")
        # Fails here rather than in the first run.
        identify({"user_id": "anyone"}, user_id=user_id, assistant_id=assistant_id, session_id=session_id)
        self.tools = []
        self._memory = opened(memory)
        self._fixed = user_id, assistant_id, session_id
        self._budget = None if budget_tokens is None else accepting.count("budget_tokens", budget_tokens)
        self._placement: Placement = placement
        self._include_recent = include_recent
        self._records = record

    @override
    def before_agent(
        self, state: MemoryState, runtime: Runtime[Any], config: RunnableConfig = _NO_CONFIG
    ) -> Update | None:
        """Record what is new in the state, then recall. Raises InvalidInputError when the user is unknown."""
        user = self._user(runtime, config)
        recorded = record(user, state) if self._records else {}
        return {**recorded, "memoryos_recall": self._recall(user, state["messages"])}

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
        """Show the model what was recalled."""
        recalled = _carried(request)
        if recalled is not None:
            return handler(self._shown(request, recalled))
        recalled = self._recall_late(request)
        return _carrying(recalled, handler(self._shown(request, recalled)))

    @override
    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any] | ExtendedModelResponse[Any]:
        """See `wrap_model_call`."""
        recalled = _carried(request)
        if recalled is not None:
            return await handler(self._shown(request, recalled))
        recalled = await off_loop(self._memory, self._recall_late, request)
        return _carrying(recalled, await handler(self._shown(request, recalled)))

    @override
    def after_agent(
        self, state: MemoryState, runtime: Runtime[Any], config: RunnableConfig = _NO_CONFIG
    ) -> Update | None:
        """Record what the run added."""
        return record_rest(self._user(runtime, config), state) if self._records else None

    @override
    async def aafter_agent(
        self, state: MemoryState, runtime: Runtime[Any], config: RunnableConfig = _NO_CONFIG
    ) -> Update | None:
        """See `after_agent`."""
        return await off_loop(self._memory, self.after_agent, state, runtime, config)

    def _user(self, runtime: Runtime[Any], config: RunnableConfig) -> UserMemory:
        user, assistant, session = self._fixed
        found = cast("dict[str, object]", config or ensure_config())
        who = identify_runtime(runtime, found, user_id=user, assistant_id=assistant, session_id=session)
        return self._memory.user(who.user_id, assistant_id=who.assistant_id, session_id=who.session_id)

    def _recall(self, user: UserMemory, messages: Sequence[AnyMessage]) -> Recalled:
        asked = question(messages)
        if not asked:
            return Recalled("")
        shown = {m.id for m in messages if m.id}
        with Contained() as reading:
            recall = user.recall(asked, budget_tokens=self._budget, include_recent=self._include_recent, shown=shown)
            return Recalled(introduced(str(recall)))
        logger.warning("nothing could be recalled (%s): the agent goes on without", type(reading.error).__name__)
        return Recalled("")

    def _recall_late(self, request: ModelRequest[Any]) -> Recalled:
        """For a run that was resumed: it does not begin with `before_agent`, and what was recalled was not kept."""
        return self._recall(self._user(request.runtime, ensure_config()), request.state["messages"])

    def _shown(self, request: ModelRequest[Any], recalled: Recalled) -> ModelRequest[Any]:
        if not recalled.text:
            return request
        human = last_human(request.messages) if self._placement == "last_human" else None
        if human is not None:
            told = _joined(human, recalled.text, first=True)
            return request.override(messages=[told if m is human else m for m in request.messages])
        system = request.system_message or SystemMessage("")
        return request.override(system_message=_joined(system, recalled.text))


def _carried(request: ModelRequest[Any]) -> Recalled | None:
    recalled = cast("MemoryState", request.state).get("memoryos_recall")
    return recalled if isinstance(recalled, Recalled) else None


def _carrying(recalled: Recalled, response: ModelResponse[Any]) -> ExtendedModelResponse[Any]:
    """The response, with what was recalled for the run's next model calls."""
    return ExtendedModelResponse(response, Command(update={"memoryos_recall": recalled}))


def _joined(message: MessageT, text: str, *, first: bool = False) -> MessageT:
    """A copy of the message with one more text in it."""
    content: str | list[str | dict[str, Any]] = message.content
    if isinstance(content, str):
        parts = [text, content] if first else [content, text]
        return message.model_copy(update={"content": "\n\n".join(filter(None, parts))})
    block: list[str | dict[str, Any]] = [{"type": "text", "text": text}]
    return message.model_copy(update={"content": block + content if first else content + block})
