"""Tools with which a model looks into, adds to, corrects and erases from the memory of the user it is talking to.

Who that user is comes from the run (`identity`), never from the model: no argument of a tool names a user.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import partial
from typing import Annotated, Any

from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool, BaseToolkit, StructuredTool, ToolException
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, SkipValidation, model_validator
from typing_extensions import override

from memoryos_core import MemoryOS, MemoryOSError, UserMemory
from memoryos_core.hosts import validation as accepting
from memoryos_core.hosts.arguments import Id, checked_actor, require_memory
from memoryos_core.hosts.concurrency import off_loop
from memoryos_core.hosts.tools import (
    CORRECT,
    FORGET,
    LIST,
    SAVE,
    SEARCH,
    USEFUL,
    correct_memory,
    explain_error,
    forget_memory,
    list_memories,
    save_memory,
    search_memory,
    useful_memory,
)
from memoryos_langchain.identity import UserId, check_ids
from memoryos_langchain.runs import identify_run


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


def _budget(value: object) -> int:
    return accepting.count("budget_tokens", value)


class MemoryOSToolkit(BaseToolkit):
    """Tools that search, save, forget, correct and list memories, for `create_agent`, `ToolNode` and `bind_tools`.

    They work on the user of the run: `user_id` here when it is given, else that of the agent's `context`, else that of
    `config["configurable"]`. A run that names none is an error of the application and raises InvalidInputError; what
    else goes wrong is explained to the model in a sentence, so that the run goes on.

    Args:
        memory: an open memory; it stays yours to close.
        user_id: the user of every run, or a function that names the user of a `Run`; None takes each run's user.
        assistant_id: the assistant it belongs to; None asks the run, and is "assistant" where the run names none.
        actor: the actor that it works as, with the role it was granted there; None is the application itself.
        budget_tokens: the most that one search or list brings, in tokens of what is remembered.

    Example:
        ```python
        tools = MemoryOSToolkit(memory=MemoryOS("sqlite://")).get_tools()
        search, save, forget, correct, listing, useful = tools
        ann = {"configurable": {"user_id": "ann"}}
        save.invoke({"text": "Ann is allergic to nuts."}, ann)
        search.invoke({"query": "allergic"}, ann)
        ```
    """

    model_config = ConfigDict(arbitrary_types_allowed=True, hide_input_in_errors=True, extra="forbid")

    memory: Annotated[MemoryOS, BeforeValidator(require_memory)] = Field(exclude=True, repr=False)
    user_id: SkipValidation[UserId | None] = None  # `check_ids` does it, as for every adapter
    assistant_id: SkipValidation[Id | None] = "assistant"
    actor: str | None = None
    budget_tokens: Annotated[int, BeforeValidator(_budget)] = 1000

    @model_validator(mode="after")
    def _check_identity(self) -> MemoryOSToolkit:
        check_ids(user_id=self.user_id, assistant_id=self.assistant_id)
        checked_actor(self.actor)
        return self

    @override
    def get_tools(self) -> list[BaseTool]:
        """The tools search, save, forget, correct, list, useful, so ordered; leave out what a model should not have."""
        return [
            self._tool(
                "search_memory",
                SEARCH,
                _Search,
                partial(search_memory, budget_tokens=self.budget_tokens),
            ),
            self._tool(
                "save_memory",
                SAVE,
                _Save,
                save_memory,
            ),
            self._tool(
                "forget_memory",
                FORGET,
                _Entries,
                forget_memory,
            ),
            self._tool(
                "correct_memory",
                CORRECT,
                _Correct,
                correct_memory,
            ),
            self._tool(
                "list_memories",
                LIST,
                _List,
                partial(list_memories, budget_tokens=self.budget_tokens),
            ),
            self._tool(
                "useful_memory",
                USEFUL,
                _Entries,
                useful_memory,
            ),
        ]

    def _tool(
        self, name: str, description: str, arguments: type[BaseModel], verb: Callable[..., str]
    ) -> StructuredTool:
        # LangChain fills in `config` itself, over whatever a model may have sent under that name.
        def call(*texts: str, config: RunnableConfig, **named: Any) -> str:  # noqa: ANN401 - checked by `arguments`
            user = self._user(config)
            with _errors_as_text(name):
                return verb(user, *texts, **named)

        async def acall(*texts: str, config: RunnableConfig, **named: Any) -> str:  # noqa: ANN401
            return await off_loop(self.memory, call, *texts, config=config, **named)

        return StructuredTool.from_function(
            call,
            acall,
            name=name,
            description=description,
            args_schema=arguments,
            handle_tool_error=True,
            handle_validation_error=_explain_arguments,
        )

    def _user(self, config: RunnableConfig) -> UserMemory:
        who = identify_run(config, user_id=self.user_id, assistant_id=self.assistant_id)
        return self.memory.user(who.user_id, assistant_id=who.assistant_id, session_id=who.session_id, actor=self.actor)


@contextmanager
def _errors_as_text(name: str) -> Generator[None, None, None]:
    """Turn an error of the memory into a sentence for the model, without any remembered text."""
    try:
        yield
    except MemoryOSError as error:
        raise ToolException(explain_error(name, error)) from None


def _explain_arguments(error: Any) -> str:  # noqa: ANN401 - pydantic's, of either generation
    found = error.errors()
    return "Arguments refused. " + "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in found)
