"""Tools with which an agent looks into, adds to, corrects and erases from the memory of the user it is talking to.

Who that user is was said when the tools were made, never by the model: no argument of a tool names a user.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from llama_index.core.tools import FunctionTool, ToolMetadata
from llama_index.core.tools.tool_spec.base import SPEC_FUNCTION_TYPE, BaseToolSpec
from pydantic import BaseModel, Field, ValidationError
from typing_extensions import override

from memoryos_core import MemoryOS, MemoryOSError
from memoryos_core.hosts import tools
from memoryos_core.hosts import validation as accepting
from memoryos_core.hosts.arguments import Id, id_text, require_memory
from memoryos_core.hosts.concurrency import off_loop
from memoryos_llamaindex.prompts import harmless


class _Search(BaseModel):
    query: str = Field(description="What to look for, in words or as a question.")
    k: int = Field(5, ge=1, le=50, description="The most entries to bring back.")


class _Save(BaseModel):
    text: str = Field(description="One statement, as a whole sentence.")


class _Entries(BaseModel):
    ids: list[str] = Field(min_length=1, max_length=50, description="Ids of entries, as search_memory shows them.")


class _Correct(BaseModel):
    fact_id: str = Field(description="The id of a fact, as search_memory and list_memories show it.")
    text: str = Field(description="The statement that is right, as a whole sentence; empty when the fact just ended.")


class _List(BaseModel):
    k: int = Field(20, ge=1, le=50, description="The most facts to bring back.")
    skip: int = Field(0, ge=0, description="How many of the newest facts to pass over: those that were listed before.")


_METADATA = {
    "search_memory": ToolMetadata(tools.SEARCH, "search_memory", _Search),
    "save_memory": ToolMetadata(tools.SAVE, "save_memory", _Save),
    "forget_memory": ToolMetadata(tools.FORGET, "forget_memory", _Entries),
    "correct_memory": ToolMetadata(tools.CORRECT, "correct_memory", _Correct),
    "list_memories": ToolMetadata(tools.LIST, "list_memories", _List),
    "useful_memory": ToolMetadata(tools.USEFUL, "useful_memory", _Entries),
}


class MemoryOSToolSpec(BaseToolSpec):
    """Tools that search, save, forget, correct and list memories, for any agent of LlamaIndex's.

    They work on the user given here and no other. Whatever goes wrong in a call, an argument or the memory, is told to
    the model in a sentence, so that the run goes on; arguments that a tool does not have are passed over.

    Args:
        memory: an open memory; it stays yours to close.
        user_id: the user.
        assistant_id: the assistant it belongs to.
        session_id: the conversation that is going on.
        actor: the actor that it works as, with the role it was granted there; None is the application itself.
        budget_tokens: the most that one search or list brings, in tokens of what is remembered.

    Raises:
        InvalidInputError: a value cannot be used.

    Example:
        ```python
        spec = MemoryOSToolSpec(MemoryOS("sqlite://"), user_id="ann")
        search, save, forget, correct, listing, useful = spec.to_tool_list()
        save.call(text="Ann is allergic to nuts.")
        search.call(query="allergic").content
        ```
    """

    spec_functions: list[SPEC_FUNCTION_TYPE] = [  # noqa: RUF012 - LlamaIndex declares it as a field of the instance
        ("search_memory", "asearch_memory"),
        ("save_memory", "asave_memory"),
        ("forget_memory", "aforget_memory"),
        ("correct_memory", "acorrect_memory"),
        ("list_memories", "alist_memories"),
        ("useful_memory", "auseful_memory"),
    ]

    def __init__(
        self,
        memory: MemoryOS,
        *,
        user_id: Id,
        assistant_id: Id = "assistant",
        session_id: Id = "default",
        actor: str | None = None,
        budget_tokens: int = 1000,
    ) -> None:
        self._memory = require_memory(memory)
        self._user = self._memory.user(
            id_text("user_id", user_id),
            assistant_id=id_text("assistant_id", assistant_id),
            session_id=id_text("session_id", session_id),
            actor=actor,
        )
        self._budget_tokens = accepting.count("budget_tokens", budget_tokens)

    @override
    def to_tool_list(
        self,
        spec_functions: list[SPEC_FUNCTION_TYPE] | None = None,
        func_to_metadata_mapping: dict[str, ToolMetadata] | None = None,
    ) -> list[FunctionTool]:
        """The tools search, save, forget, correct, list, useful, so ordered; `spec_functions` names those wanted."""
        pairs: Mapping[object, SPEC_FUNCTION_TYPE] = {pair[0]: pair for pair in self.spec_functions}
        wanted = [pairs.get(name, name) for name in spec_functions or self.spec_functions]
        return super().to_tool_list(wanted, {**_METADATA, **(func_to_metadata_mapping or {})})

    # A model may send anything. The arguments are checked here, because LlamaIndex would raise an exception.
    def search_memory(self, /, *texts: object, **named: object) -> str:
        """The `k` best entries for a `query`, with their ids."""
        verb = partial(tools.search_memory, self._user, budget_tokens=self._budget_tokens)
        return _answer("search_memory", verb, texts, named)

    async def asearch_memory(self, /, *texts: object, **named: object) -> str:
        """The same, awaited."""
        return await off_loop(self._memory, partial(self.search_memory, *texts, **named))

    def save_memory(self, /, *texts: object, **named: object) -> str:
        """Remember one `text`."""
        return _answer("save_memory", partial(tools.save_memory, self._user), texts, named)

    async def asave_memory(self, /, *texts: object, **named: object) -> str:
        """The same, awaited."""
        return await off_loop(self._memory, partial(self.save_memory, *texts, **named))

    def forget_memory(self, /, *texts: object, **named: object) -> str:
        """Erase the entries that have these `ids`."""
        return _answer("forget_memory", partial(tools.forget_memory, self._user), texts, named)

    async def aforget_memory(self, /, *texts: object, **named: object) -> str:
        """The same, awaited."""
        return await off_loop(self._memory, partial(self.forget_memory, *texts, **named))

    def correct_memory(self, /, *texts: object, **named: object) -> str:
        """Put a `text` in place of the fact that has this `fact_id`."""
        return _answer("correct_memory", partial(tools.correct_memory, self._user), texts, named)

    async def acorrect_memory(self, /, *texts: object, **named: object) -> str:
        """The same, awaited."""
        return await off_loop(self._memory, partial(self.correct_memory, *texts, **named))

    def list_memories(self, /, *texts: object, **named: object) -> str:
        """The profile and `k` facts after the `skip` newest ones, with their ids."""
        verb = partial(tools.list_memories, self._user, budget_tokens=self._budget_tokens)
        return _answer("list_memories", verb, texts, named)

    async def alist_memories(self, /, *texts: object, **named: object) -> str:
        """The same, awaited."""
        return await off_loop(self._memory, partial(self.list_memories, *texts, **named))

    def useful_memory(self, /, *texts: object, **named: object) -> str:
        """Count the entries that have these `ids` as visited once more."""
        return _answer("useful_memory", partial(tools.useful_memory, self._user), texts, named)

    async def auseful_memory(self, /, *texts: object, **named: object) -> str:
        """The same, awaited."""
        return await off_loop(self._memory, partial(self.useful_memory, *texts, **named))

    def __repr__(self) -> str:
        scope = self._user.scope
        return f"MemoryOSToolSpec(user_id={scope.user_id!r}, assistant_id={scope.assistant_id!r})"


def _answer(name: str, verb: partial[str], texts: tuple[object, ...], named: Mapping[str, object]) -> str:
    schema: Any = _METADATA[name].fn_schema
    try:
        arguments = schema.model_validate({**dict(zip(schema.model_fields, texts, strict=False)), **named})
        return harmless(verb(**dict(arguments)))
    except ValidationError as error:
        return _explain_refusal(error)
    except MemoryOSError as error:
        return tools.explain_error(name, error)


def _explain_refusal(error: ValidationError) -> str:
    """List the refused arguments and the reasons, without their values."""
    found = error.errors()
    return "Arguments refused. " + "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in found)
