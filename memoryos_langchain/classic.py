"""Memory for the chains of `langchain_classic`, in the place of its `ConversationBufferMemory` (extra `classic`)."""

from __future__ import annotations

from typing import Any

from langchain_classic.base_memory import BaseMemory
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, get_buffer_string
from pydantic import ConfigDict, Field, ValidationInfo, field_validator

from memoryos_core import ForgetReceipt, MemoryOS, UserMemory
from memoryos_core.hosts.arguments import Id, checked_actor, id_text, require_memory
from memoryos_core.hosts.concurrency import off_loop
from memoryos_langchain.chain_keys import INPUTS, OUTPUTS, as_messages, chosen_key
from memoryos_langchain.history import MemoryOSChatMessageHistory, window_of
from memoryos_langchain.identity import identify
from memoryos_langchain.messages import from_core, without_removed
from memoryos_langchain.wiring import recall_for_prompt


class MemoryOSMemory(BaseMemory):
    """The memory of a legacy chain: the recall text for its question, then the recent turns.

    One object is one session of one user, and serves threads and event loops alike. Every method may raise StoreError,
    and ClosedError after the memory was closed. What no memory takes is pydantic's ValidationError.

    Args:
        memory: an open memory.
        user_id: the user; this id and the next two may be numbers or UUIDs.
        assistant_id: the assistant that remembers.
        session_id: the conversation that is going on.
        actor: the actor that it works as, a writer there by grant; None is the application itself.
        memory_key: the prompt's variable. ConversationChain uses "history", ConversationalRetrievalChain
            "chat_history".
        return_messages: give a list of messages, which ConversationalRetrievalChain and prompts with a messages
            placeholder need; else one text.
        input_key: where the question is; None finds it: the only key, or "input", "question" and the like.
        output_key: where the answer is; None finds it: the only key, or "output", "answer" and the like.
        human_prefix: the user's name in the text.
        ai_prefix: the assistant's.
        budget_tokens: the most that is recalled for one question, in tokens; None is the memory's own setting.
        include_recall: False gives the recent turns only.

    Example:
        ```python
        chain = ConversationChain(llm=model, memory=MemoryOSMemory(memory=memory, user_id="ada"))
        chain.invoke({"input": "Where do I live?"})["response"]
        ```
    """

    model_config = ConfigDict(hide_input_in_errors=True, extra="forbid")

    memory: MemoryOS = Field(exclude=True, repr=False)
    user_id: Id
    assistant_id: Id = "assistant"
    session_id: Id = "default"
    actor: str | None = None
    memory_key: str = "history"
    return_messages: bool = False
    input_key: str | None = None
    output_key: str | None = None
    human_prefix: str = "Human"
    ai_prefix: str = "AI"
    budget_tokens: int | None = Field(default=None, ge=1)
    include_recall: bool = True

    @field_validator("memory", mode="before")
    @classmethod
    def _check_memory(cls, memory: object) -> MemoryOS:
        return require_memory(memory)

    @field_validator("user_id", "assistant_id", "session_id", mode="before")
    @classmethod
    def _check_id(cls, value: object, field: ValidationInfo) -> str:
        return id_text(str(field.field_name), value)

    @field_validator("actor", mode="before")
    @classmethod
    def _check_actor(cls, value: object) -> str | None:
        return checked_actor(value)

    @property
    def memory_variables(self) -> list[str]:
        """The one variable this gives to a prompt."""
        return [self.memory_key]

    def load_memory_variables(self, inputs: dict[str, Any]) -> dict[str, Any]:
        """Return the variables of a prompt, as text or messages; without inputs, the recent turns only.

        Raises InvalidInputError (a ValueError) when it cannot tell which input is the question.
        """
        user = self._user()
        window = window_of(user)
        recent = without_removed([from_core(m) for m in window])
        text = ""
        if self.include_recall and (asked := self._apart(inputs)):
            text = recall_for_prompt(user, self._new_messages(asked), window, self.budget_tokens)
        if self.return_messages:
            return {self.memory_key: [SystemMessage(text), *recent] if text else recent}
        turns = get_buffer_string(recent, human_prefix=self.human_prefix, ai_prefix=self.ai_prefix)
        return {self.memory_key: "\n\n".join(part for part in (text, turns) if part)}

    async def aload_memory_variables(self, inputs: dict[str, Any]) -> dict[str, Any]:
        """As `load_memory_variables`, off the event loop."""
        return await off_loop(self.memory, self.load_memory_variables, inputs)

    def save_context(self, inputs: dict[str, Any], outputs: dict[str, Any]) -> None:
        """Remember one turn: texts, messages or lists of messages. Instructions (system messages) are left out.

        Raises InvalidInputError (a ValueError) when it cannot tell which key holds the question or the answer.
        """
        answer = outputs[chosen_key(outputs, self.output_key, OUTPUTS, "output_key")]
        turn = [*self._new_messages(self._apart(inputs)), *as_messages(answer, AIMessage)]
        self._history().add_messages([m for m in turn if not isinstance(m, SystemMessage)])

    async def asave_context(self, inputs: dict[str, Any], outputs: dict[str, Any]) -> None:
        """As `save_context`, off the event loop."""
        await off_loop(self.memory, self.save_context, inputs, outputs)

    def clear(self, *, erase: bool = False) -> ForgetReceipt | None:  # type: ignore[override]  # LangChain's has no result
        """End the session: the recent turns start empty, and what was said is not recalled in this session any more.

        The user's other sessions recall it. With `erase` it is forgotten; the receipt says what went.
        """
        return self._history().clear(erase=erase)

    async def aclear(self, *, erase: bool = False) -> ForgetReceipt | None:  # type: ignore[override]  # see `clear`
        """As `clear`, off the event loop."""
        return await off_loop(self.memory, lambda: self.clear(erase=erase))

    def _apart(self, inputs: dict[str, Any]) -> dict[str, Any]:
        """The inputs of the chain's caller: a chain adds our variable to them, and "stop" is for the model."""
        return {key: value for key, value in inputs.items() if key not in (self.memory_key, "stop")}

    def _new_messages(self, asked: dict[str, Any]) -> list[BaseMessage]:
        return as_messages(asked[chosen_key(asked, self.input_key, INPUTS, "input_key")], HumanMessage)

    def _user(self) -> UserMemory:
        who = identify(None, user_id=self.user_id, assistant_id=self.assistant_id, session_id=self.session_id)
        return self.memory.user(who.user_id, assistant_id=who.assistant_id, session_id=who.session_id, actor=self.actor)

    def _history(self) -> MemoryOSChatMessageHistory:
        return MemoryOSChatMessageHistory(
            self.memory, self.session_id, user_id=self.user_id, assistant_id=self.assistant_id, actor=self.actor
        )
