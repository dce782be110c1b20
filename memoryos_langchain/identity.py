"""The user, assistant and session of a run: one rule for every class of this package (ADR 0020).

A model never has a say in it: nothing here comes from messages or from the arguments of a tool call.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

from memoryos_core.errors import InvalidInputError
from memoryos_core.hosts.arguments import Id, id_text

_UNKNOWN_USER = (
    "this run names no user; pass context={'user_id': …} or "
    "config={'configurable': {'user_id': …}}, or fix user_id= when you construct the adapter"
)


@dataclass(frozen=True, slots=True)
class Identity:
    """One user with one assistant in one session, as `MemoryOS.user` takes them."""

    user_id: str
    assistant_id: str = "assistant"
    session_id: str = "default"


@dataclass(frozen=True, slots=True)
class Run:
    """A run, as a function that names its user is given it.

    `context` is the value of `context=`, `config` the run's RunnableConfig. Within LangGraph any other attribute
    comes from its Runtime: `server_info`, `execution_info`, `store`.
    """

    context: object
    config: Mapping[str, Any]
    runtime: object = None

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - LangGraph's
        """An attribute of LangGraph's Runtime."""
        if name.startswith("__") or self.runtime is None:
            raise AttributeError(f"this run has no {name!r}: it is not part of a LangGraph graph")
        return getattr(self.runtime, name)


UserId: TypeAlias = Id | Callable[[Run], Id | None]
"""One user for all runs, or a function that names the user of a run: `lambda runtime: runtime.context.account`."""


def identify(  # noqa: PLR0913 - one optional argument for each source
    context: object,
    config: Mapping[str, Any] | None = None,
    *,
    user_id: UserId | None = None,
    assistant_id: Id | None = None,
    session_id: Id | None = None,
    thread_id: Id | None = None,
    runtime: object = None,
) -> Identity:
    """Return the user, assistant and session of a run; the first source with a value other than None decides.

    - user: `user_id`, the context's user_id, the configurable's user_id
    - assistant: `assistant_id`, the context's assistant_id, the configurable's assistant_id, "assistant"
    - session: `session_id`, the context's session_id or thread_id, the configurable's session_id or thread_id,
      `thread_id`, "default"

    Args:
        context: the value of `context=`: a mapping, or anything with attributes, or None.
        config: the run's RunnableConfig; its "configurable" is read.
        user_id: fixed by the host, or its function; overrules the run.
        assistant_id: fixed by the host; overrules the run.
        session_id: fixed by the host; overrules the run.
        thread_id: the thread the host runs on, where nothing else names a session.
        runtime: LangGraph's, for the function.

    Raises:
        InvalidInputError: no source names a user, the function returned None, or an id is empty, too long or neither
            text, number nor UUID.
    """
    settings = (config or {}).get("configurable")
    if callable(user_id):
        user: object = user_id(Run(context, config or {}, runtime))
        if user is None:
            raise InvalidInputError("user_id: your function returned None for this run; return the id of its user")
    else:
        user = first(user_id, get_value(context, "user_id"), get_value(settings, "user_id"))
    if user is None:
        raise InvalidInputError(_UNKNOWN_USER)
    assistant = first(
        assistant_id, get_value(context, "assistant_id"), get_value(settings, "assistant_id"), "assistant"
    )
    session = first(session_id, session_of(context), session_of(settings), thread_id, "default")
    return Identity(id_text("user_id", user), id_text("assistant_id", assistant), id_text("session_id", session))


def identify_runtime(
    runtime: object,
    config: Mapping[str, Any] | None = None,
    *,
    user_id: UserId | None = None,
    assistant_id: Id | None = None,
    session_id: Id | None = None,
) -> Identity:
    """`identify` from what LangGraph hands to a tool or a hook.

    A `ToolRuntime` carries its config. A `Runtime` does not: in a hook of a middleware or in a node pass
    `langgraph.config.get_config()`, or what is injected into a parameter `config: RunnableConfig`.

    Raises:
        InvalidInputError: see `identify`.
    """
    found = cast("Mapping[str, Any] | None", getattr(runtime, "config", None)) if config is None else config
    thread = getattr(getattr(runtime, "execution_info", None), "thread_id", None)
    return identify(
        getattr(runtime, "context", None),
        found,
        user_id=user_id,
        assistant_id=assistant_id,
        session_id=session_id,
        thread_id=thread,
        runtime=runtime,
    )


def check_ids(*, user_id: UserId | None = None, assistant_id: Id | None = None, session_id: Id | None = None) -> None:
    """Refuse fixed ids that no run could use, when an adapter is made. Raises InvalidInputError."""
    fixed = None if callable(user_id) else user_id
    identify({"user_id": "anyone"}, user_id=fixed, assistant_id=assistant_id, session_id=session_id)


def session_of(source: object) -> object:
    """Return the session that a context or a configurable names; None where it names no session."""
    return first(get_value(source, "session_id"), get_value(source, "thread_id"))


def get_value(source: object, name: str) -> object:
    """Return the value of a name in a mapping or an object; None where there is no value."""
    if isinstance(source, Mapping):
        return cast("Mapping[str, object]", source).get(name)
    return getattr(source, name, None)


def first(*values: object) -> object:
    """The first value other than None."""
    return next((value for value in values if value is not None), None)
