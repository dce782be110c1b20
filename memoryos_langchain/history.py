"""A session as LangChain's chat history, and the factory that RunnableWithMessageHistory asks for it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import cast

from langchain_core.chat_history import BaseChatMessageHistory
from langchain_core.messages import BaseMessage, SystemMessage
from langchain_core.runnables import ConfigurableFieldSpec, ensure_config
from typing_extensions import override

from memoryos_core import ForgetReceipt, MemoryOS, Message, UserMemory
from memoryos_core.errors import InvalidInputError
from memoryos_core.hosts import validation as accepting
from memoryos_core.hosts.arguments import Id, anonymous, checked_actor, id_text, require_memory, require_messages
from memoryos_core.hosts.concurrency import Contained, Lock, off_loop
from memoryos_core.hosts.windows import add_notice
from memoryos_langchain.identity import UserId, check_ids, identify
from memoryos_langchain.messages import add_text, from_core, to_core, without_removed
from memoryos_langchain.runs import identify_run, names_user

logger = logging.getLogger(__name__)

USER_AND_CONVERSATION: tuple[ConfigurableFieldSpec, ...] = tuple(
    ConfigurableFieldSpec(id=id, annotation=str, name=name, description=description, default="", is_shared=True)
    for id, name, description in (
        ("user_id", "User", "Whose memory it is."),
        ("conversation_id", "Conversation", "The conversation that goes on."),
    )
)
"""`history_factory_config` for a chain whose calls name the user and the conversation."""
_UNSAID = object()  # None is what a call says that knows no user


class MemoryOSChatMessageHistory(BaseChatMessageHistory):
    """One session of a memory as a chat history; made without input or output, and as cheap as its arguments.

    `messages` is what a model may be sent: the newest whole turns, from a human message, at most
    `short_term.capacity_pages` of the memory's config, ten by default, and `short_term.capacity_tokens`. Older turns of
    the session are in `transcript`, and recall brings them back: `include_recall`, or `with_memory`. A RemoveMessage
    that is added takes the message of its id out of both; what was removed is remembered all the same. An object may be
    used from any number of threads and event loops.

    Without a `user_id` each session is a user of its own, `session:<session_id>`: sessions often belong to different
    people, and facts about one must not reach another, nor a user whose id equals a session's id. Give
    `user_id` to remember a user across sessions; ids of users should not begin with `session:`.

    Args:
        memory: an open memory; it stays yours to close.
        session_id: the conversation.
        user_id: the user; None gives each session a user of its own, see above.
        assistant_id: the assistant that remembers.
        actor: the actor that it works as, with the role it was granted there; None is the application itself.
        include_recall: put one system message first, with what is remembered on the last question of this session that
            was written (of a new session: the profile). The question of a turn that has not ended is not known here:
            `with_memory` recalls for that one. In a prompt whose placeholder is not at its beginning the message would
            not be the first, which some providers refuse; `with_memory` puts it into the prompt's own.
        pin: let `messages` stay as first read until this object writes or clears. RunnableWithMessageHistory needs it,
            for it takes the run's own messages to be those after as many as a second read brings; so what it calls
            should make an object a run, as `memory_history_factory` does.

    Raises:
        InvalidInputError: an id is empty, too long or of a wrong type, or `memory` is no MemoryOS. In a call: see
            `UserMemory`.
        StoreError: in a call, the memory cannot be read or written.

    Example:
        ```python
        history = MemoryOSChatMessageHistory(memory, "monday", user_id="ann")
        history.add_user_message("I moved to Lisbon")
        history.add_ai_message("How do you like it?")
        history.messages
        ```
    """

    def __init__(  # noqa: PLR0913 - one optional argument for each choice
        self,
        memory: MemoryOS,
        session_id: Id,
        *,
        user_id: Id | None = None,
        assistant_id: Id = "assistant",
        actor: str | None = None,
        include_recall: bool = False,
        pin: bool = False,
    ) -> None:
        super().__init__()
        session = id_text("session_id", session_id)
        whose = anonymous(session) if user_id is None else user_id
        who = identify(None, user_id=whose, assistant_id=assistant_id, session_id=session)
        self._memory = require_memory(memory)
        # The user's id does not show this: a user may have the same id as a session.
        self._anonymous = user_id is None
        self._actor = actor
        self._user = self._memory.user(
            who.user_id, assistant_id=who.assistant_id, session_id=who.session_id, actor=actor
        )
        self._include_recall = include_recall
        self._pin = pin
        self._pinned: _View | None = None
        self._lock = Lock()

    @property
    def messages(self) -> list[BaseMessage]:  # type: ignore[override]  # LangChain's own histories have a property, too
        """The newest whole turns, oldest first; new objects with every read. Raises StoreError."""
        return self._view().messages()

    @override
    async def aget_messages(self) -> list[BaseMessage]:
        """See `messages`."""
        return await off_loop(self._memory, lambda: self.messages)

    def transcript(self) -> list[BaseMessage]:
        """All that was said in this session since it last ended, oldest first. Raises StoreError."""
        return without_removed([from_core(m) for m in self._whose().transcript()])

    async def atranscript(self) -> list[BaseMessage]:
        """See `transcript`."""
        return await off_loop(self._memory, self.transcript)

    @override
    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Remember messages, all or none; they are durable when this returns. Raises InvalidInputError and StoreError.

        An error is logged before it is raised, because RunnableWithMessageHistory lets it go no further.
        """
        given = require_messages(messages, BaseMessage, "LangChain")
        with Contained() as writing:
            self._whose().add_messages([to_core(m) for m in given])
        if writing.error is not None:
            logger.error("%d messages could not be written: %s", len(given), type(writing.error).__name__)
            raise writing.error
        self._unpin()

    @override
    async def aadd_messages(self, messages: Sequence[BaseMessage]) -> None:
        """See `add_messages`."""
        await off_loop(self._memory, self.add_messages, messages)

    @override
    def clear(self, *, erase: bool = False) -> ForgetReceipt | None:  # type: ignore[override]  # LangChain's has no result
        """End the session: `messages` and `transcript` are empty from here. Raises StoreError.

        What was said stays remembered and is recalled in the user's other sessions, but not in this one. A session
        without a `user_id` is erased with all its facts, because no other session can reach them.

        Args:
            erase: forget what was said in this session and what rests on it alone; the receipt says what went.
        """
        receipt, wanted, user = None, accepting.flag("erase", erase), self._whose()
        if self._anonymous:
            receipt = user.forget(everything=True)
        elif wanted:
            receipt = user.forget(session=True)
        else:
            user.end_session()
        self._unpin()
        return receipt

    @override
    async def aclear(self, *, erase: bool = False) -> ForgetReceipt | None:  # type: ignore[override]  # see `clear`
        """See `clear`."""
        return await off_loop(self._memory, lambda: self.clear(erase=erase))

    def _whose(self) -> UserMemory:
        return self._user

    def _view(self) -> _View:
        if not self._pin:
            return self._read_view()
        with self._lock:
            if self._pinned is None:
                self._pinned = self._read_view()
            return self._pinned

    def _unpin(self) -> None:
        with self._lock:
            self._pinned = None

    def _read_view(self) -> _View:
        user = self._whose()
        window = window_of(user)
        return _View(window, self._recall_text(user, window) if self._include_recall else "", user.session_id)

    def _recall_text(self, user: UserMemory, window: Sequence[Message]) -> str:
        question = next((str(from_core(m).text) for m in reversed(window) if m.role == "user"), "")  # without markers
        shown = [m.id for m in window if m.id is not None]
        return add_notice(user.recall(question, include_recent=False, shown=shown).text)


def memory_history_factory(
    memory: MemoryOS,
    *,
    user_id: UserId | None = None,
    assistant_id: Id = "assistant",
    actor: str | None = None,
    include_recall: bool = False,
) -> Callable[..., MemoryOSChatMessageHistory]:
    """Return a function for RunnableWithMessageHistory: its histories keep their first read until they write.

    As it is, a call names the session: `config={"configurable": {"session_id": …}}`. With
    `history_factory_config=USER_AND_CONVERSATION` it names `user_id` and `conversation_id`; None for the user raises
    InvalidInputError, unless one is fixed here. Either way the user is found as everywhere, see `identify`: fixed here,
    or in the run's context or config. A run that names none has the session's own, `session:<id>`. (On Python 3.10 a
    coroutine sees no config round it: fix the user, or pass `history_factory_config`.)

    Args:
        memory: an open memory.
        user_id: one user for all calls, or a function that names the user of a `Run`; None takes each run's.
        assistant_id: the assistant that remembers.
        actor: the actor that it works as, with the role it was granted there; None is the application itself.
        include_recall: see `MemoryOSChatMessageHistory`. As it is, a chain gets the newest turns of its session
            (`short_term.capacity_pages`, ten by default), no older ones, and nothing from other sessions.

    Example:
        ```python
        chain = RunnableWithMessageHistory(
            prompt | model,
            memory_history_factory(memory),
            input_messages_key="input",
            history_messages_key="history",
            history_factory_config=USER_AND_CONVERSATION,
        )
        chain.invoke({"input": "Hi"}, {"configurable": {"user_id": "ann", "conversation_id": "monday"}})
        ```
    """
    memory, fixed = require_memory(memory), user_id
    check_ids(user_id=fixed, assistant_id=assistant_id)
    checked_actor(actor)
    of_run = partial(_RunHistory, assistant_id=assistant_id, actor=actor, include_recall=include_recall)
    of_user = partial(MemoryOSChatMessageHistory, assistant_id=assistant_id, actor=actor, include_recall=include_recall)

    # One key is passed by position, two by these names: so one function serves both.
    def history(conversation_id: Id, user_id: object = _UNSAID) -> MemoryOSChatMessageHistory:
        if user_id is None and fixed is None:
            raise InvalidInputError(
                "user_id is None in this run's config: name a user, or fix user_id= in memory_history_factory"
            )
        known = cast("UserId | None", None if user_id is _UNSAID else user_id) if fixed is None else fixed
        if known is None or callable(known):
            return of_run(memory, conversation_id, user_of=known)
        return of_user(memory, conversation_id, user_id=known, pin=True)

    return history


class _RunHistory(MemoryOSChatMessageHistory):
    """A pinned history of the user that its first run names; if it names no user, of the session's own user.

    LangChain makes a history before the run begins and hands over the session only; the run's config is in force when
    the history is read, which is before anything is written.
    """

    def __init__(
        self,
        memory: MemoryOS,
        session_id: Id,
        *,
        user_of: UserId | None,
        assistant_id: Id,
        actor: str | None,
        include_recall: bool,
    ) -> None:
        super().__init__(
            memory, session_id, assistant_id=assistant_id, actor=actor, include_recall=include_recall, pin=True
        )
        self._user_of = user_of
        self._found = False

    @override
    def _read_view(self) -> _View:
        view = super()._read_view()
        self._found = True  # later writes go to the memory that was read, whatever the config is by then
        return view

    @override
    def _whose(self) -> UserMemory:
        config, here = ensure_config(), self._user
        if not self._found and (self._user_of is not None or names_user(config)):
            assistant, session = here.scope.assistant_id, here.session_id
            who = identify_run(config, user_id=self._user_of, assistant_id=assistant, session_id=session)
            self._user = self._memory.user(who.user_id, assistant_id=assistant, session_id=session, actor=self._actor)
            self._anonymous, self._found = False, True
        return self._user


@dataclass(frozen=True, slots=True)
class _View:
    """The result of one read: kept as the core's values, so that no caller can change it."""

    window: tuple[Message, ...]
    recalled: str
    session_id: str

    def messages(self) -> list[BaseMessage]:
        """LangChain's messages, new ones."""
        messages = without_removed([from_core(m) for m in self.window])
        if not self.recalled:
            return messages
        if not messages or not isinstance(messages[0], SystemMessage):
            return [SystemMessage(self.recalled, id=f"memory-{self.session_id}"), *messages]
        # Before all others a model takes one system message: what is recalled goes to the end of the one that is there.
        return [add_text(messages[0], self.recalled), *messages[1:]]


def window_of(user: UserMemory) -> tuple[Message, ...]:
    """Return a session's window from the user's first message on, with a system message right before it.

    The whole window, where none is the user's. Raises StoreError.
    """
    window = user.messages()
    first = next((at for at, message in enumerate(window) if message.role == "user"), 0)
    if first and window[first - 1].role == "system":
        first -= 1
    return tuple(window[first:])
