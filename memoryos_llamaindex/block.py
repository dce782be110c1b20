"""MemoryOS as a block of LlamaIndex's own `Memory`, for those who already have one."""

from __future__ import annotations

import logging
import weakref
from collections.abc import Sequence
from contextvars import ContextVar
from functools import partial
from typing import Any, Literal, cast

from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.memory.memory import BaseMemoryBlock, Memory
from pydantic import ConfigDict, Field, PrivateAttr, ValidationError
from pydantic.json_schema import SkipJsonSchema
from typing_extensions import Self, override

from memoryos_core import InvalidInputError, MemoryOS, Message, Scope, UserMemory
from memoryos_core.hosts import validation as accepting
from memoryos_core.hosts.arguments import Id, anonymous, checked_actor, id_text, require_memory
from memoryos_core.hosts.concurrency import Contained, off_loop
from memoryos_llamaindex.block_learning import Learning
from memoryos_llamaindex.block_recalling import BlockRecalls, Question, last_question
from memoryos_llamaindex.block_truncation import Host, RecalledText
from memoryos_llamaindex.events import report_failure
from memoryos_llamaindex.messages import to_core
from memoryos_llamaindex.recalling import Asked

logger = logging.getLogger(__name__)

_SESSION = "session_id"
_from_memory = ContextVar("memoryos_from_memory", default=False)
"""True while a `Memory` flushes."""


class MemoryOSMemoryBlock(BaseMemoryBlock[str]):
    """The recall text for the user's last question, as one block of a `Memory`; learns what that `Memory` flushes.

    A `Memory` hands its messages over only when they outgrow `token_limit * chat_history_token_ratio`: with its
    defaults after some 21,000 tokens, and what a conversation says before is never learnt. So call
    `await block.asave(memory)` (or `block.save(memory)`) when a turn or a conversation ends; with `learn="manual"` that
    is the only way. Each message is learnt once, however saves, flushes and processes overlap.

    What a `Memory` no longer holds when it is saved again, after `reset()` or `set()`, is superseded in its session:
    the user's other sessions recall it, this one does not, unless it is said again. So save after a reset as well.

    Nothing is raised but by the constructor: a failure is logged, shown as an event, and the conversation goes on. What
    the store refused waits in this object, without bound, and is written with the next put or save; it is gone with
    the process, so a `Memory` with a database of its own should be saved again.

    An agent reads its memory several times a turn: what is recalled stays the same for the turn, and counts as one
    visit. One block may serve any number of sessions, threads and event loops.

    Without a `user_id` each session is a user of its own, `session:<session_id>`: sessions often belong to different
    people, and facts about one must not reach another.

    Args:
        memory: an open memory; it stays yours to close.
        user_id: the user; None gives each session a user of its own, see above.
        assistant_id: the assistant that remembers.
        session_id: the conversation; None takes that of the `Memory`; a call without a `Memory` uses "default".
        actor: the actor that it works as, with the role it was granted there; None is the application itself.
        name: the tag in which LlamaIndex's template puts the block; each block of a `Memory` needs its own.
        priority: LlamaIndex shortens blocks of 1 first, then 2 and so on; those of 0 it never shortens, also when the
            prompt is over its limit.
        budget_tokens: the most that is recalled for one question; None is as configured. A `Memory` that is over its
            `token_limit` has the block leave out whole hits, the worst first, until it fits. Once the block has saved
            a `Memory`, no more than its limit is recalled for it, and tokens are counted by its tokenizer.
        min_score: the least relevance, 0 to 1, of what is recalled; None is as configured.
        learn: "flush" learns what a `Memory` flushes and what is saved, "manual" only what is saved.

    Raises:
        InvalidInputError: an id or a number cannot be used, or `memory` is no MemoryOS.

    Example:
        ```python
        block = MemoryOSMemoryBlock(MemoryOS("sqlite:///memory.db"), user_id="ann")
        memory = Memory.from_defaults(session_id="monday", memory_blocks=[block])
        await agent.run("Where do I live?", memory=memory)
        await block.asave(memory)
        ```
    """

    model_config = ConfigDict(arbitrary_types_allowed=True, hide_input_in_errors=True, extra="forbid")

    memory: SkipJsonSchema[MemoryOS] = Field(exclude=True, repr=False)
    user_id: str | None = None
    assistant_id: str = "assistant"
    session_id: str | None = None
    actor: str | None = None
    name: str = "memoryos"
    priority: int = 1
    budget_tokens: int
    min_score: float | None = None
    learn: Literal["flush", "manual"] = "flush"

    _learning: Learning = PrivateAttr(default_factory=Learning)
    _recalls: BlockRecalls = PrivateAttr(default_factory=BlockRecalls)

    def __init__(  # noqa: PLR0913 - one optional argument for each field
        self,
        memory: MemoryOS,
        *,
        user_id: Id | None = None,
        assistant_id: Id = "assistant",
        session_id: Id | None = None,
        actor: str | None = None,
        name: str = "memoryos",
        description: str | None = None,
        priority: int = 1,
        budget_tokens: int | None = None,
        min_score: float | None = None,
        learn: Literal["flush", "manual"] = "flush",
        accept_short_term_memory: bool = True,
    ) -> None:
        most = require_memory(memory).config.recall.budget_tokens if budget_tokens is None else budget_tokens
        given: dict[str, Any] = {
            "memory": memory,
            "user_id": None if user_id is None else id_text("user_id", user_id),
            "assistant_id": id_text("assistant_id", assistant_id),
            _SESSION: None if session_id is None else id_text(_SESSION, session_id),
            "actor": checked_actor(actor),
            "name": name,
            "description": description,
            "priority": priority,
            "budget_tokens": accepting.count("budget_tokens", most),
            "min_score": None if min_score is None else accepting.share("min_score", min_score),
            "learn": learn,
            "accept_short_term_memory": accept_short_term_memory and learn == "flush",
        }
        try:
            super().__init__(**given)
        except ValidationError as error:
            wrong = ", ".join(sorted({str(e["loc"][0]) for e in error.errors()}))
            raise InvalidInputError(f"MemoryOSMemoryBlock: cannot use these arguments: {wrong}") from None

    def __deepcopy__(self, memo: dict[int, Any] | None = None) -> Self:
        """A copy over the same memory, which knows what this one has learnt."""
        return self.__copy__()

    @override
    async def _aget(self, messages: list[ChatMessage] | None = None, **block_kwargs: Any) -> str:
        session = block_kwargs.get(_SESSION)
        with Contained() as reading:
            asked = last_question(messages or [])
            if asked is None:
                return ""
            user = self._user(session)
            return await off_loop(self.memory, self._recall_text, user, asked, list(messages or []))
        return self._report("recall", session, reading.error)

    @override
    async def aput(
        self, messages: list[ChatMessage], from_short_term_memory: bool = False, session_id: str | None = None
    ) -> None:
        token = _from_memory.set(from_short_term_memory)  # LlamaIndex does not tell it to `_aput`
        try:
            await super().aput(messages, from_short_term_memory=from_short_term_memory, session_id=session_id)
        finally:
            _from_memory.reset(token)

    @override
    async def _aput(self, messages: list[ChatMessage]) -> None:
        by_session: dict[object, list[ChatMessage]] = {}
        for message in messages:
            kwargs = cast("dict[str, object]", getattr(message, "additional_kwargs", {}))
            by_session.setdefault(kwargs.get(_SESSION), []).append(message)
        for session, said in by_session.items():
            with Contained() as writing:
                user = self._user(session)
                # Taken over before the first await: a task that is cancelled has not lost what Memory has let go of.
                self._learning.accept(user, self._core(user, said), flushed=True, counted=_from_memory.get())
                await off_loop(self.memory, self._write, user)
            self._report("put", session, writing.error)

    async def asave(self, memory: Memory) -> bool:
        """Learn all that a `Memory` holds, active and archived, and that was not learnt yet.

        True when it is learnt and durable; False when that failed, which is logged: it waits for the next call.
        """
        with Contained() as saving, self._learning.saving(self._user(memory.session_id)) as number:
            return await off_loop(self.memory, self._save, memory, await memory.aget_all(), number)
        self._report("save", memory.session_id, saving.error)
        return False

    def save(self, memory: Memory) -> bool:
        """As `asave`, for callers without an event loop or in the midst of one."""
        with Contained() as saving, self._learning.saving(self._user(memory.session_id)) as number:
            return self._save(memory, memory.get_all(), number)
        self._report("save", memory.session_id, saving.error)
        return False

    @override
    async def atruncate(self, content: str, tokens_to_truncate: int) -> str | None:
        """Leave out whole hits, the worst first; None when nothing would be left, or when `content` is not ours."""
        # LlamaIndex passes [] where a block gave nothing.
        return content.shortened(tokens_to_truncate) or None if isinstance(content, RecalledText) else None

    def _save(self, memory: Memory, messages: Sequence[ChatMessage], number: int) -> bool:
        user = self._user(memory.session_id)
        self._recalls.serve(user, Host.of(memory))
        self._learning.accept_all(user, self._core(user, messages), _source_of(memory), number)
        return self._write(user)

    def _write(self, user: UserMemory) -> bool:
        done = self._learning.write(user)
        self._recalls.changed(user)
        return done

    def _recall_text(self, user: UserMemory, asked: Question, messages: Sequence[ChatMessage]) -> str:
        host = self._recalls.host(user)
        budget, fit = host.budget(self.budget_tokens), partial(host.fit, self.budget_tokens)
        wanted = Asked(asked.turn, asked.text, budget, self.min_score)
        recall = self._recalls.recall(user, wanted, self._core(user, messages), fit)
        return RecalledText.of(recall, host.count)

    def _user(self, given: object) -> UserMemory:
        session = given if self.session_id is None else self.session_id
        if session is None:
            if self.user_id is None:
                raise InvalidInputError("neither user_id nor session_id is known: pass one of them to the block")
            session = "default"
        session = id_text(_SESSION, session)
        user_id = anonymous(session) if self.user_id is None else self.user_id
        return self.memory.user(user_id, assistant_id=self.assistant_id, session_id=session, actor=self.actor)

    def _core(self, user: UserMemory, messages: Sequence[ChatMessage]) -> list[Message]:
        """Return the messages as the core's; an unreadable one is reported and left out."""
        found: list[Message] = []
        for message in messages:
            with Contained() as reading:
                found.append(to_core(_without_session(message)))
            self._report("put", user.session_id, reading.error)
        return found

    def _report(self, action: str, session: object, error: Exception | None) -> str:
        if error is not None:
            kind = type(error).__name__
            logger.error("%s failed (%s): the conversation goes on without the memory", action, kind)
            session = session if self.session_id is None else self.session_id
            user_id = anonymous(str(session)) if self.user_id is None else self.user_id
            report_failure(Scope(user_id, self.assistant_id), action, kind)
        return ""


def _source_of(memory: Memory) -> object:
    """Return what tells the messages of a `Memory` from those of others: its database, or where they are in RAM, it."""
    store = memory.sql_store
    uri, table = (str(getattr(store, name, "")) for name in ("async_database_uri", "table_name"))
    return (uri, table) if uri and ":memory:" not in uri else weakref.ref(store)


def _without_session(message: ChatMessage) -> ChatMessage:
    """The message as it was before `Memory` noted the session on it."""
    if _SESSION not in message.additional_kwargs:
        return message
    kwargs = {key: value for key, value in message.additional_kwargs.items() if key != _SESSION}
    return message.model_copy(update={"additional_kwargs": kwargs})
