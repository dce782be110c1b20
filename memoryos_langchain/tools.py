"""Tools with which a model looks into, adds to and erases from the memory of the user it is talking to.

Who that user is comes from the run (`identity`), never from the model: no argument of a tool names a user.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import partial
from typing import Annotated, Any

from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import set_config_context
from langchain_core.tools import BaseTool, BaseToolkit, StructuredTool, ToolException
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, SkipValidation, model_validator
from typing_extensions import override

from memoryos_core import MemoryOS, MemoryOSError, UserMemory
from memoryos_core.aio import off_loop
from memoryos_core.hosting import Id, opened
from memoryos_core.rules import accepting
from memoryos_core.tools import FORGET, SAVE, SEARCH, explained, forget_memory, save_memory, search_memory
from memoryos_langchain.identity import identify


class _Search(BaseModel):
    query: str = Field(description="What to look for, in words or as a question.")
    k: int = Field(5, ge=1, le=50, description="The most entries to bring back.")


class _Save(BaseModel):
    text: str = Field(description="One statement, as a whole sentence.")


class _Forget(BaseModel):
    ids: list[str] = Field(min_length=1, max_length=50, description="Ids of entries, as search_memory shows them.")


def _budget(value: object) -> int:
    return accepting.count("budget_tokens", value)


class MemoryOSToolkit(BaseToolkit):
    """The tools `search_memory`, `save_memory` and `forget_memory`, for `create_agent`, `ToolNode` and `bind_tools`.

    They work on the user of the run: `user_id` here when it is given, else that of the agent's `context`, else that of
    `config["configurable"]`. A run that names none is an error of the application and raises InvalidInputError; what
    else goes wrong is told to the model in a sentence, so that the run goes on.

    Args:
        memory: an open memory; it stays yours to close.
        user_id: whose memory, whatever the run says; None asks the run.
        assistant_id: the assistant it belongs to; None asks the run, and is "assistant" where the run names none.
        budget_tokens: the most that one search brings, in tokens of what is remembered.

    Example:
        ```python
        tools = MemoryOSToolkit(memory=MemoryOS("sqlite://")).get_tools()
        search, save, forget = tools
        ann = {"configurable": {"user_id": "ann"}}
        save.invoke({"text": "Ann is allergic to nuts."}, ann)
        search.invoke({"query": "allergic"}, ann)
        ```
    """

    model_config = ConfigDict(arbitrary_types_allowed=True, hide_input_in_errors=True)

    memory: Annotated[MemoryOS, BeforeValidator(opened)] = Field(exclude=True, repr=False)
    user_id: SkipValidation[Id | None] = None  # `identify` does it, as for every adapter
    assistant_id: SkipValidation[Id | None] = "assistant"
    budget_tokens: Annotated[int, BeforeValidator(_budget)] = 1000

    @model_validator(mode="after")
    def _identified(self) -> MemoryOSToolkit:
        nobody = {"configurable": {"user_id": "nobody"}}
        identify(None, nobody, user_id=self.user_id, assistant_id=self.assistant_id)
        return self

    @override
    def get_tools(self) -> list[BaseTool]:
        """The three tools, in the order search, save, forget; leave out those that a model should not have."""
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
                _Forget,
                forget_memory,
            ),
        ]

    def _tool(
        self, name: str, description: str, arguments: type[BaseModel], verb: Callable[..., str]
    ) -> StructuredTool:
        # LangChain fills in `config` itself, over whatever a model may have sent under that name.
        def call(*texts: str, config: RunnableConfig, **named: Any) -> str:  # noqa: ANN401 - checked by `arguments`
            user = self._user(config)
            with _told(name):
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
            handle_validation_error=_explained,
        )

    def _user(self, config: RunnableConfig) -> UserMemory:
        who = identify(_context(config), config, user_id=self.user_id, assistant_id=self.assistant_id)
        return self.memory.user(who.user_id, assistant_id=who.assistant_id, session_id=who.session_id)


def _context(config: RunnableConfig) -> object:
    """What the agent's run was given as `context`; None outside LangGraph, which then need not be installed."""
    runtimes = sys.modules.get("langgraph.runtime")
    if runtimes is None or not config.get("configurable"):
        return None
    # Through the config at hand: on Python 3.10 a coroutine's tasks do not inherit the run's variables.
    with set_config_context(config) as variables:
        runtime = variables.run(runtimes.get_runtime)
    return None if runtime is None else runtime.context


@contextmanager
def _told(name: str) -> Generator[None, None, None]:
    """What the memory cannot do becomes a sentence for the model; none of it was written by others."""
    try:
        yield
    except MemoryOSError as error:
        raise ToolException(explained(name, error)) from None


def _explained(error: Any) -> str:  # noqa: ANN401 - pydantic's, of either generation
    found = error.errors()
    return "Arguments refused. " + "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in found)
