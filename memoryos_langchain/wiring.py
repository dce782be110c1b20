"""One line that gives a chain its history and, for each question, what is remembered about it."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, AsyncIterator, Collection, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from types import TracebackType
from typing import Any, cast

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage
from langchain_core.runnables import Runnable, RunnableConfig, RunnableSequence, ensure_config

from memoryos_core import InvalidInputError, MemoryOS, Message, UserMemory
from memoryos_core.hosts.arguments import Id, checked_actor, require_memory
from memoryos_core.hosts.concurrency import Contained, off_loop
from memoryos_core.hosts.validation import count
from memoryos_core.hosts.windows import add_notice
from memoryos_langchain.chain_keys import (
    Context,
    Keys,
    after_instructions,
    complete_keys,
    drop_waiting_calls,
    longer,
    repeats,
    runnable,
    without_instructions,
)
from memoryos_langchain.held import Held, find_held
from memoryos_langchain.history import window_of
from memoryos_langchain.identity import Identity, UserId, check_ids
from memoryos_langchain.leading import leading, recall_message, with_leading_recall
from memoryos_langchain.messages import from_core, to_core, without_removed
from memoryos_langchain.record_filter import Record, checked_record, explain_failure, filter_messages
from memoryos_langchain.runs import identify_run, names_session

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
    user_id: UserId | None = None,
    assistant_id: Id | None = "assistant",
    session_id: Id | None = None,
    actor: str | None = None,
    record: Record = True,
) -> Runnable[Any, Any]:
    """The same chain with a memory: a run is given the session's recent turns and what is remembered for its question.

    The user and the session are named by each call, in `config={"configurable": {"user_id": …, "session_id": …}}`, or
    within LangGraph by its context, see `identify`. A call may name its session `thread_id` instead; where it has both,
    `session_id` is taken.

    A turn is written at once when its run ends. A run that raises, also in mid-stream, writes nothing, as with
    LangChain's RunnableWithMessageHistory: its caller still has the question, and writes it once by asking again.
    A stream that is left, or a run that is cancelled, leaves the question and what was answered until then. An answer
    reaches its caller also when it cannot be written, or when no message is found in it (the question is written then):
    that is logged as an error.

    A chain may be given the whole conversation, as a LangGraph node has it in its state. What of it the session holds,
    by the messages' ids, is neither put in front of it once more nor written again.

    Args:
        chain: a prompt with a messages placeholder and what follows it, a chat model, or any runnable that takes a dict
            or a list of messages, and gives a text, a message, a list of messages or a dict with one of these. Another
            answer (an object of pydantic, a dict without such a key, a truth value, a number) is written as JSON. (For
            an agent use MemoryOSMiddleware.)
        memory: an open memory.
        input_messages_key: where in a dict the question is; None finds it in the prompt, or by its usual names.
        history_messages_key: where the recent turns go; None is the prompt's placeholder, else "history". The same
            key as that of the input puts them in front of the input's messages.
        output_messages_key: where in a dict the answer is; None finds it by its usual names.
        recall_key: the prompt's variable for what is remembered, a text that may be empty; None puts it at the end of
            the prompt's leading system message, or makes one. Where the chain does not begin with a prompt, it stands
            in front of the recent turns.
        budget_tokens: the most that is recalled for one question, in tokens; None is the memory's own setting.
        user_id: one user for all calls, or a function that names the user of a `Run`; None takes the call's.
        assistant_id: with which assistant; None takes the call's, and "assistant" where it names none.
        session_id: one session for all calls; None takes the call's.
        actor: the actor that it works as, a writer there by grant; None is the application itself.
        record: whether turns are written, or a function that is asked about each message of the question and the
            answer: it returns True or False, or the message to write instead (see `Record`). What the caller asks is
            written as the caller asks it, also where the chain redacts it before it asks its model: redact in front of
            the chain, or here. An answer is written as the chain gives it, so put what rewrites answers into the chain.
            If the function raises, the answer is given, the turn is not written, and the log has the traceback.

    Raises:
        InvalidInputError: the prompt has no such placeholder or variable, or an argument is not what it should be. A
            call raises it when it names no user or no session, or when the question cannot be found.
        AccessError: in a call, the actor has no role there; the chain has not been asked.
        StoreError: in a call, the memory cannot be read; the chain has not been asked.

    Example:
        ```python
        chain = with_memory(prompt | model, memory)
        chain.invoke({"input": "Where do I live?"}, {"configurable": {"user_id": "ada", "session_id": "monday"}})
        ```
    """
    keys = Keys(input_messages_key, history_messages_key, output_messages_key, recall_key)
    keys = complete_keys(runnable(chain), keys)
    check_ids(user_id=user_id, assistant_id=assistant_id, session_id=session_id)
    fixed = _Fixed(user_id, assistant_id, session_id, checked_actor(actor))
    budget = None if budget_tokens is None else count("budget_tokens", budget_tokens)
    return _WithMemory(
        chain, require_memory(memory), _Wiring(keys, fixed, budget, checked_record(record), repeats(chain))
    )


def recall_for_prompt(
    user: UserMemory,
    said: Sequence[BaseMessage],
    window: Sequence[Message],
    budget_tokens: int | None,
    shown: Collection[str] = (),
) -> str:
    """Return the recall text for the new messages, for a prompt that shows it after this window; "" when empty.

    `shown` are ids of stored messages that the prompt shows besides.
    """
    question = "\n".join(m.text for m in said if isinstance(m, HumanMessage))
    ids = [i for i in (*(m.id for m in window), *(m.id for m in said), *shown) if i]
    return add_notice(user.recall(question, budget_tokens=budget_tokens, include_recent=False, shown=ids).text)


@dataclass(frozen=True, slots=True)
class _Fixed:
    """The ids that are the same for every run; None is the run's own."""

    user_id: UserId | None
    assistant_id: Id | None
    session_id: Id | None
    actor: str | None

    def who(self, config: RunnableConfig) -> Identity:
        """Return the memory of the run's user. Raises InvalidInputError when it names no user or no session."""
        # One session for all that name none would run a user's conversations together.
        if self.session_id is None and not names_session(config):
            raise InvalidInputError(
                "this run names no session; pass config={'configurable': {'session_id': …}},"
                " or fix session_id= in with_memory"
            )
        return identify_run(config, user_id=self.user_id, assistant_id=self.assistant_id, session_id=self.session_id)


@dataclass(frozen=True, slots=True)
class _Wiring:
    """The settings that every run of one wired chain shares."""

    keys: Keys
    fixed: _Fixed
    budget_tokens: int | None
    record: Record
    repeats: bool


class _WithMemory(Runnable[Any, Any]):
    """A chain between the reading and the writing of a memory. Batches and event streams come from these four."""

    name = "with_memory"

    def __init__(self, chain: Runnable[Any, Any], memory: MemoryOS, wiring: _Wiring) -> None:
        self._chain = with_leading_recall(chain)
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
        self._user = memory.user(
            who.user_id, assistant_id=who.assistant_id, session_id=who.session_id, actor=wiring.fixed.actor
        )
        self._said: list[BaseMessage] = []
        self._held = Held()
        self._front: list[BaseMessage] = []
        self._answer: Any = None
        self.given: object = None

    def __enter__(self) -> _Turn:
        keys = self._wiring.keys
        self._said = keys.said(self._value)
        window = window_of(self._user)
        said = without_instructions(self._said)
        self._held = find_held(said, window, self._user.transcript, self._wiring.record)
        window = window[: self._held.begins]
        before = drop_waiting_calls(without_removed([from_core(m) for m in window]), self._said)
        text = recall_for_prompt(
            self._user, said[self._held.asked :], window, self._wiring.budget_tokens, self._held.stored_ids
        )
        if text and keys.recall is None:
            before = [recall_message(text), *before]
        self._front = leading(after_instructions(self._said, before))
        self.given = keys.given(self._value, Context(before, text, self._front))
        return self

    def heard(self, piece: Any) -> Any:  # noqa: ANN401 - whatever the chain answers
        """Take a piece of the answer, or the whole; gives it back."""
        self._answer = piece if self._wiring.repeats else longer(self._answer, piece)
        return piece

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # Not an Exception: the run was cancelled or interrupted, or its stream is no longer read.
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
        """Write the turn; an error of the memory never replaces the answer, or the error that ended the run."""
        keys, answer = self._wiring.keys, self._answer
        answered: list[BaseMessage] = []
        with Contained() as reading:
            answered = keys.answered(answer) if whole and answer is not None else keys.answered_until_now(answer)
        _tell("found in its answer", reading.error)
        with Contained() as writing:
            self._record(answered, whole=whole)
        _tell("written", writing.error)

    def _record(self, answered: Sequence[BaseMessage], *, whole: bool) -> None:
        """Write the turn, but not what the application instructs.

        An agent repeats what it was given in front of its answer; it may have redacted it, and then that is written.
        So only a `whole` answer shows how an edited message is to be written.
        """
        said = without_instructions(self._said)
        given = [m.type for m in self._front]
        if len(answered) > len(given) and [m.type for m in answered[: len(given)]] == given:
            said, answered = answered[len(given) - len(said) : len(given)], answered[len(given) :]
        held, record = self._held, self._wiring.record
        edited = {m.id for m in filter_messages(record, said) if whole and m.id and held.is_edited(to_core(m))}
        new = [m for at, m in enumerate(said) if at not in held.places or m.id in edited]
        turn = [m for m in (*new, *answered) if not isinstance(m, SystemMessage)]
        replied, gone = None, set(edited)
        if said and isinstance(said[-1], HumanMessage):
            if said[-1].id in edited:
                gone.update(held.answers)
            elif len(said) - 1 in held.places:
                # The question is answered again: the answer belongs to it, and not to the newest one.
                replied = held.reply_to
        told = [to_core(m) for m in filter_messages(record, turn)]
        self._user.add_messages(told, replaces=gone, reply_to=replied)


def _tell(what: str, error: Exception | None) -> None:
    if error is not None:
        why = explain_failure(error) or type(error).__name__
        logger.error("a run has ended, but its turn could not be %s: %s", what, why)
