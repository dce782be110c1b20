"""A run of LangChain's, by its config: who its user is, within LangGraph and outside of it."""

from __future__ import annotations

import sys

from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import set_config_context

from memoryos_core.hosts.arguments import Id
from memoryos_langchain.identity import Identity, UserId, first, get_value, identify_runtime, session_of


def identify_run(
    config: RunnableConfig,
    *,
    user_id: UserId | None = None,
    assistant_id: Id | None = None,
    session_id: Id | None = None,
) -> Identity:
    """`identify` from a run's config alone; within LangGraph the config leads to the runtime.

    Raises:
        InvalidInputError: see `identify`.
    """
    return identify_runtime(_runtime(config), config, user_id=user_id, assistant_id=assistant_id, session_id=session_id)


def names_user(config: RunnableConfig) -> bool:
    """Return whether a run names its user."""
    context = getattr(_runtime(config), "context", None)
    return first(get_value(context, "user_id"), get_value(config.get("configurable"), "user_id")) is not None


def names_session(config: RunnableConfig) -> bool:
    """Return whether a run names its session."""
    context = getattr(_runtime(config), "context", None)
    return first(session_of(context), session_of(config.get("configurable"))) is not None


def _runtime(config: RunnableConfig) -> object:
    """LangGraph's runtime of this run; None outside of LangGraph, which then need not be installed."""
    runtimes = sys.modules.get("langgraph.runtime")
    if runtimes is None or not config.get("configurable"):
        return None
    # Through the config at hand: on Python 3.10 a coroutine's tasks do not inherit the run's variables.
    with set_config_context(config) as variables:
        return variables.run(runtimes.get_runtime)
