"""One line that gives a chain its history and, for each question, what is remembered about it."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from types import TracebackType
from typing import Any, cast

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage
from langchain_core.runnables import Runnable, RunnableConfig, RunnableSequence, ensure_config

from memoryos_core import InvalidInputError, MemoryOS, UserMemory
from memoryos_core.aio import off_loop
from memoryos_core.foreign import Contained
from memoryos_core.hosting import Id, opened, written
from memoryos_core.rules.accepting import count
from memoryos_core.rules.rendering import introduced
from memoryos_langchain.chain_keys import Context, Keys, after_instructions, agreed, longer, runnable, settled
from memoryos_langchain.history import MemoryOSChatMessageHistory
from memoryos_langchain.identity import Identity, identify
from memoryos_langchain.messages import to_core

logger = logging.getLogger(__name__)


def with_memory(  # noqa: PLR0913 - one optional argument for each key a chain may name differently
    chain: Runnable[Any, Any],
    memory: MemoryOS,
    *,
    input_messages_key: str | None = None,
    history_messages_key: str | None = None,
    output_messages_key: str | None = None,
    recall_key: str | None = None,
    budget_tokens: int | None = None,
    user_id: Id | None = None,
    assistant_id: Id | None = "assistant",
    session_id: Id | None = None,
) -> Runnable[Any, Any]:
    """The same chain with a memory: a run is given the session's recent turns and what is remembered for its question.

    The user and the session are named by each call, in `config={"configurable": {"user_id": …, "session_id": …}}`.
    A call may name its session `thread_id` instead; where it has both, `session_id` is taken.

    A turn is written at once when its run ends. A run that raises leaves nothing, its caller still has the question.
    A stream that is left, or a run that is cancelled, leaves the question and what was answered until then. An answer
    reaches its caller also when it cannot be written, or when no message is found in it (the question is written then):
    that is logged as an error.

    Args:
        chain: a prompt with a messages placeholder and what follows it, a chat model, or any runnable that takes a dict
            or a list of messages, and gives a text, a message, a list of messages or a dict with one of these. (For an
            agent use MemoryOSMiddleware.)
        memory: an open memory.
        input_messages_key: where in a dict the question is; None finds it in the prompt, or by its usual names.
        history_messages_key: where the recent turns go; None is the prompt's placeholder, else "history". The same
            key as that of the input puts them in front of the input's messages.
        output_messages_key: where in a dict the answer is; None finds it by its usual names.
        recall_key: the prompt's variable for what is remembered, a text that may be empty; None puts it in front of
            the recent turns, as a system message.
        budget_tokens: the most that is recalled for one question, in tokens; None is the memory's own setting.
        user_id: one user for all calls; None takes the call's.
        assistant_id: with which assistant; None takes the call's, and "assistant" where it names none.
        session_id: one session for all calls; None takes the call's.

    Raises:
        InvalidInputError: the prompt has no such placeholder or variable, or an argument is not what it should be. A
            call raises it when it names no user or no session, or when the question cannot be found.
        StoreError: in a call, the memory cannot be read; the chain has not been asked.

    Example:
        ```python
        chain = with_memory(prompt | model, memory)
        chain.invoke({"input": "Where do I live?"}, {"configurable": {"user_id": "ada", "session_id": "monday"}})
        ```
    """
    keys = Keys(input_messages_key, history_messages_key, output_messages_key, recall_key)
    keys = agreed(runnable(chain), keys)
    given = {"user_id": user_id, "assistant_id": assistant_id, "session_id": session_id}
    fixed = _Fixed(**{name: None if id is None else written(name, id) for name, id in given.items()})
    budget = None if budget_tokens is None else count("budget_tokens", budget_tokens)
    return _WithMemory(chain, opened(memory), _Wiring(keys, fixed, budget))


def question_of(messages: Sequence[BaseMessage]) -> str:
    """The text that is recalled for: what the human says in these messages."""
    return "\n".join(m.text for m in messages if isinstance(m, HumanMessage))


def remembered(user: UserMemory, question: str, shown: Sequence[BaseMessage], budget_tokens: int | None) -> str:
    """What is remembered for a question, for a prompt that already shows these messages; "" when there is nothing."""
    ids = tuple(m.id for m in shown if m.id)
    return introduced(user.recall(question, budget_tokens=budget_tokens, include_recent=False, shown=ids).text)


@dataclass(frozen=True, slots=True)
class _Fixed:
    """The ids that are the same for every run; None is the run's own."""

    user_id: str | None
    assistant_id: str | None
    session_id: str | None

    def who(self, config: RunnableConfig) -> Identity:
        """Whose memory a run works on. Raises InvalidInputError when it names no user or no session."""
        named = config.get("configurable", {})
        session = named.get("session_id") if self.session_id is None else self.session_id
        # One session for all that name none would run a user's conversations together.
        if session is None and named.get("thread_id") is None:
            raise InvalidInputError(
                "this run does not say which session it belongs to; pass config={'configurable': {'session_id': …}},"
                " or fix session_id= in with_memory"
            )
        return identify(None, config, user_id=self.user_id, assistant_id=self.assistant_id, session_id=session)


@dataclass(frozen=True, slots=True)
class _Wiring:
    """What is the same for every run of one wired chain."""

    keys: Keys
    fixed: _Fixed
    budget_tokens: int | None


class _WithMemory(Runnable[Any, Any]):
    """A chain between the reading and the writing of a memory. Batches and event streams come from these four."""

    name = "with_memory"

    def __init__(self, chain: Runnable[Any, Any], memory: MemoryOS, wiring: _Wiring) -> None:
        self._chain = chain
        self._memory = memory
        self._wiring = wiring
        # A sequence without a name says nothing in a trace; any other chain is known there by its own.
        self._unnamed = isinstance(chain, RunnableSequence) and not chain.name

    def invoke(self, input: object, config: RunnableConfig | None = None, **kwargs: object) -> Any:  # noqa: ANN401
        """The chain's answer."""
        config = self._run(config)
        with self._turn(input, config) as turn:
            return turn.heard(self._chain.invoke(turn.given, config, **kwargs))

    async def ainvoke(self, input: object, config: RunnableConfig | None = None, **kwargs: object) -> Any:  # noqa: ANN401
        """The chain's answer."""
        config = self._run(config)
        async with self._turn(input, config) as turn:
            return turn.heard(await self._chain.ainvoke(turn.given, config, **kwargs))

    def stream(self, input: object, config: RunnableConfig | None = None, **kwargs: object) -> Iterator[Any]:
        """The chain's answer, piece by piece."""
        config = self._run(config)
        with self._turn(input, config) as turn:
            for piece in self._chain.stream(turn.given, config, **kwargs):
                yield turn.heard(piece)

    async def astream(
        self, input: object, config: RunnableConfig | None = None, **kwargs: object
    ) -> AsyncIterator[Any]:
        """The chain's answer, piece by piece."""
        config = self._run(config)
        async with self._turn(input, config) as turn:
            pieces = cast("AsyncGenerator[Any, None]", self._chain.astream(turn.given, config, **kwargs))
            async with aclosing(pieces):
                async for piece in pieces:
                    yield turn.heard(piece)

    def _run(self, config: RunnableConfig | None) -> RunnableConfig:
        found = ensure_config(config)
        if self._unnamed and not found.get("run_name"):
            found["run_name"] = self.get_name()
        return found

    def _turn(self, value: object, config: RunnableConfig) -> _Turn:
        return _Turn(self._memory, self._wiring, self._wiring.fixed.who(config), value)


class _Turn:
    """One run of a chain: reads the memory when it is entered, and writes the turn when it is left."""

    def __init__(self, memory: MemoryOS, wiring: _Wiring, who: Identity, value: object) -> None:
        self._memory = memory
        self._wiring = wiring
        self._value = value
        self._user = memory.user(who.user_id, assistant_id=who.assistant_id, session_id=who.session_id)
        self._history = MemoryOSChatMessageHistory(
            memory, who.session_id, user_id=who.user_id, assistant_id=who.assistant_id
        )
        self._said: list[BaseMessage] = []
        self._front: list[BaseMessage] = []
        self._answer: Any = None
        self.given: object = None

    def __enter__(self) -> _Turn:
        keys = self._wiring.keys
        self._said = keys.said(self._value)
        before = settled(self._history.messages, self._said)
        text = remembered(self._user, question_of(self._said), [*before, *self._said], self._wiring.budget_tokens)
        if text and keys.recall is None:
            before = [SystemMessage(text), *before]
        self._front = after_instructions(self._said, before)
        self.given = keys.given(self._value, Context(before, text, self._front))
        return self

    def heard(self, piece: Any) -> Any:  # noqa: ANN401 - whatever the chain answers
        """Take a piece of the answer, or the whole; gives it back."""
        self._answer = longer(self._answer, piece)
        return piece

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # What is no Exception: cancelled, interrupted, or a stream that nobody reads any more.
        if not isinstance(error, Exception):
            self._keep(whole=error is None)

    async def __aenter__(self) -> _Turn:
        return await off_loop(self._memory, self.__enter__)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with Contained() as leaving:
            await off_loop(self._memory, self.__exit__, kind, error, trace)
        _tell("kept", leaving.error)

    def _keep(self, *, whole: bool) -> None:
        """Write the turn; no error of ours takes the place of the answer, or of what ended the run."""
        keys, answer = self._wiring.keys, self._answer
        answered: list[BaseMessage] = []
        with Contained() as reading:
            answered = keys.answered(answer) if whole and answer is not None else keys.answered_until_now(answer)
        _tell("found in its answer", reading.error)
        with Contained() as writing:
            self._record(answered)
        _tell("written", writing.error)

    def _record(self, answered: Sequence[BaseMessage]) -> None:
        """Write the turn; not what an agent repeats of what it was given, nor what the application instructs."""
        known = [(m.type, m.content) for m in self._front]
        repeated = len(known) if [(m.type, m.content) for m in answered[: len(known)]] == known else 0
        turn = (*self._said, *answered[repeated:])
        self._user.add_messages([to_core(m) for m in turn if not isinstance(m, SystemMessage)])


def _tell(what: str, error: Exception | None) -> None:
    if error is not None:
        logger.error("a run has ended, and its turn could not be %s: %s", what, type(error).__name__)
