"""A conversation with a memory beyond it, as LlamaIndex's chat engines and agents take it."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import Any

from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.llms.llm import LLM
from pydantic import PrivateAttr, ValidationError
from typing_extensions import Self, override

from memoryos_core import Fact, ForgetReceipt, MemoryOS, Page
from memoryos_core.hosts.arguments import (
    Id,
    anonymous,
    checked_actor,
    id_text,
    require_memory,
    require_messages,
    single,
)
from memoryos_core.hosts.concurrency import off_loop
from memoryos_llamaindex.conversation import Conversation, conversation
from memoryos_llamaindex.counting import MessageCounter
from memoryos_llamaindex.events import dispatch, dispatcher
from memoryos_llamaindex.inserting import InsertMethod, insert_recall
from memoryos_llamaindex.messages import from_core, to_core
from memoryos_llamaindex.reading import Reader, elsewhere
from memoryos_llamaindex.runs import warn_of_ignored
from memoryos_llamaindex.session import TOKEN_LIMIT, SessionMemory, Tokenizer, llamaindex_tokenizer, settings_error

_SHARE_OF_CONTEXT = 0.75  # as LlamaIndex's own buffers have it; the answer needs the rest


class MemoryOSMemory(SessionMemory):
    """The memory of one session, for `memory=` of chat engines and agents.

    `get` brings the newest whole turns within `token_limit` tokens and, with them, what is remembered of the user on
    the question; `get_all` is the conversation alone, all of it. Reading asks no chat model; it counts a visit a turn.

    Made again with the same ids, it goes on where the session was. Without a `user_id` each session is a user of its
    own, `session:<session_id>`, for sessions often belong to different people. When the store or the embedder fails,
    the conversation goes on in this process: an error is logged and shown as an event, and what was said is written
    with the next message that the store takes.

    Serialised, it is a reference: ids and the address of the store, no text and no password. In this process that
    leads back to the living object; elsewhere to a memory that is open there under the address, or is opened with the
    defaults of `MemoryOS`. One in RAM comes back in its own process alone. Copies are the same object.

    Args:
        memory: an open memory; it stays yours to close.
        session_id: the conversation; None begins a new one.
        user_id: the user; None gives each session a user of its own, see above.
        assistant_id: the assistant that remembers.
        actor: the actor that it works as, with the role it was granted there; None is the application itself.
        token_limit: the most tokens that `get` brings, unless the newest turn alone has more; None is 30,000.
        budget_tokens: the most of them for what is remembered, counted by `tokenizer_fn`; None is as configured. It
            takes at most a third of the window's room, the notice before it included, and less where it needs less.
        insert_method: where that goes: "auto", "system" or "user", see `inserting.inserted`.
        tokenizer_fn: counts tokens; None is LlamaIndex's.

    Raises:
        InvalidInputError: an id or a number cannot be used, or `memory` is no MemoryOS.
        ClosedError: in a call, the memory was closed.

    Example:
        ```python
        memory = MemoryOS("sqlite:///memory.db")
        engine = SimpleChatEngine.from_defaults(llm=llm, memory=MemoryOSMemory(memory, user_id="ann"))
        engine.chat("I moved to Lisbon in March.")
        ```
    """

    _reader: Reader = PrivateAttr()
    _talk: Conversation = PrivateAttr()

    def __init__(  # noqa: PLR0913 - one optional argument for each field
        self,
        memory: MemoryOS,
        *,
        session_id: Id | None = None,
        user_id: Id | None = None,
        assistant_id: Id = "assistant",
        actor: str | None = None,
        token_limit: int | None = None,
        budget_tokens: int | None = None,
        insert_method: InsertMethod = "auto",
        tokenizer_fn: Tokenizer | None = None,
    ) -> None:
        session = id_text("session_id", uuid.uuid4().hex if session_id is None else session_id)
        given: dict[str, Any] = {
            "memory": require_memory(memory),
            "session_id": session,
            "user_id": id_text("user_id", anonymous(session) if user_id is None else user_id),
            "assistant_id": id_text("assistant_id", assistant_id),
            "actor": checked_actor(actor),
            "token_limit": TOKEN_LIMIT if token_limit is None else token_limit,
            "budget_tokens": memory.config.recall.budget_tokens if budget_tokens is None else budget_tokens,
            "insert_method": insert_method,
            "tokenizer_fn": tokenizer_fn or llamaindex_tokenizer(),
        }
        try:
            super().__init__(**given)
        except ValidationError as error:
            raise settings_error(type(self).__name__, error) from None
        self._anonymous = user_id is None

    @override
    def model_post_init(self, context: Any, /) -> None:
        super().model_post_init(context)
        self._reader = Reader(MessageCounter(self.tokenizer_fn))
        self._talk = conversation(self.memory, self.user)

    @classmethod
    @override
    def class_name(cls) -> str:
        """Return LlamaIndex's name for the class in serialised form."""
        return cls.__name__

    @classmethod
    @override
    def from_defaults(
        cls,
        memory: MemoryOS | None = None,
        *,
        user_id: Id | None = None,
        session_id: Id | None = None,
        chat_history: Sequence[ChatMessage] | None = None,
        llm: LLM | None = None,
        **options: Any,
    ) -> Self:
        """Make a memory from the arguments; without any, a new conversation in RAM. Chat engines call it.

        Args:
            memory: an open memory; None is one in RAM, which is gone with this process.
            user_id: see the class.
            session_id: see the class.
            chat_history: what the conversation is set to; None and [] let it go on as it is.
            llm: three quarters of its context are the `token_limit`, where none is given.
            options: the other arguments of the class.
        """
        if options.get("token_limit") is None and llm is not None:
            options["token_limit"] = max(1, int(llm.metadata.context_window * _SHARE_OF_CONTEXT))
        where = MemoryOS("sqlite://", on_event=dispatch) if memory is None else memory
        made = cls(where, user_id=user_id, session_id=session_id, **options)
        if chat_history:
            made.set(chat_history)
        return made

    @override
    @dispatcher.span
    def get(self, input: str | ChatMessage | None = None, **kwargs: Any) -> list[ChatMessage]:
        """Return the messages for a model: the newest whole turns, with the recall text; new objects each time.

        Args:
            input: the question; None is what the user said last.
            kwargs: `initial_token_count` is the tokens that the prompt has elsewhere; nothing else counts.
        """
        limit = self.token_limit - elsewhere(kwargs.get("initial_token_count"))
        window, recalled = self._reader.read(self._talk, input, limit, self.budget_tokens)
        return insert_recall([from_core(m) for m in window], recalled, self.insert_method)

    @override
    async def aget(self, input: str | ChatMessage | None = None, **kwargs: Any) -> list[ChatMessage]:
        """See `get`."""
        warn_of_ignored(self)
        return await off_loop(self.memory, self.get, input, **kwargs)

    @override
    @dispatcher.span
    def get_all(self) -> list[ChatMessage]:
        """The conversation since it was last reset or set: every message as it was put, oldest first; new objects."""
        return [from_core(m) for m in self._talk.everything()]

    @override
    async def aget_all(self) -> list[ChatMessage]:
        """See `get_all`."""
        return await off_loop(self.memory, self.get_all)

    @override
    def put(self, message: ChatMessage) -> None:
        """Remember a message; durable when this returns, unless the store fails, see the class."""
        self.put_messages([single(message, ChatMessage, "LlamaIndex")])

    @override
    async def aput(self, message: ChatMessage) -> None:
        """See `put`."""
        await off_loop(self.memory, self.put, message)

    @override
    @dispatcher.span
    def put_messages(self, messages: Sequence[ChatMessage]) -> None:
        """Remember messages, all or none. Raises InvalidInputError when one is no ChatMessage."""
        given = require_messages(messages, ChatMessage, "LlamaIndex")
        if given:
            self._talk.put([to_core(m) for m in given])

    @override
    async def aput_messages(self, messages: Sequence[ChatMessage]) -> None:
        """See `put_messages`."""
        await off_loop(self.memory, self.put_messages, messages)

    @override
    @dispatcher.span
    def set(self, messages: Sequence[ChatMessage]) -> None:
        """Let the conversation be these messages. Nothing is erased, and what the session remembers not learnt again.

        What the conversation held before and these messages leave out is not recalled in this session any more, only
        in others of the user. So a server that is sent the whole conversation with each request may set it each time.
        What was forgotten and is handed in again counts as said again. Raises InvalidInputError when one is no
        ChatMessage.
        """
        self._talk.replace([to_core(m) for m in require_messages(messages, ChatMessage, "LlamaIndex")])

    @override
    async def aset(self, messages: Sequence[ChatMessage]) -> None:
        """See `set`."""
        await off_loop(self.memory, self.set, messages)

    @override
    @dispatcher.span
    def reset(self) -> None:
        """End the conversation: it is empty from here. What was said is recalled in other sessions; `forget` erases.

        A session without a `user_id` is erased with all its facts, because no other session can reach them. Raises
        StoreError when the store does not take it.
        """
        if self._anonymous:
            self.forget(everything=True)
        else:
            self._talk.end()

    @override
    async def areset(self) -> None:
        """See `reset`."""
        await off_loop(self.memory, self.reset)

    def forget(
        self,
        *,
        pages: Sequence[str | Page] = (),
        facts: Sequence[str | Fact] = (),
        session: bool = False,
        everything: bool = False,
    ) -> ForgetReceipt:
        """Erase pages or facts, what was said in this session, or everything of this user; see `UserMemory.forget`."""
        return self._talk.forget(lambda u: u.forget(pages=pages, facts=facts, session=session, everything=everything))

    async def aforget(
        self,
        *,
        pages: Sequence[str | Page] = (),
        facts: Sequence[str | Fact] = (),
        session: bool = False,
        everything: bool = False,
    ) -> ForgetReceipt:
        """See `forget`."""
        return await off_loop(
            self.memory, self.forget, pages=pages, facts=facts, session=session, everything=everything
        )

    def _repr_html_(self) -> str:
        return self.user._repr_html_()  # pyright: ignore[reportPrivateUsage] - Jupyter's name
