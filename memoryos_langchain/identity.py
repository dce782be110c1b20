"""Which memory an adapter was given, and whose a run works on: fixed by the host, or read from the run's own settings.

A model never has a say in it: nothing here comes from messages or from the arguments of a tool call.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from memoryos_core.errors import InvalidInputError
from memoryos_core.hosting import Id, written

_UNKNOWN_USER = (
    "this run does not say whose memory it works on; pass context={'user_id': …} or "
    "config={'configurable': {'user_id': …}}, or fix user_id= when you construct the adapter"
)


@dataclass(frozen=True, slots=True)
class Identity:
    """One user with one assistant in one session, as `MemoryOS.user` takes them."""

    user_id: str
    assistant_id: str = "assistant"
    session_id: str = "default"


def identify(
    context: object,
    config: Mapping[str, object] | None = None,
    *,
    user_id: Id | None = None,
    assistant_id: Id | None = None,
    session_id: Id | None = None,
    thread_id: Id | None = None,
) -> Identity:
    """Whose memory a run works on; the first source that has a value other than None decides.

    - user: `user_id`, the context's user_id, the configurable's user_id
    - assistant: `assistant_id`, the context's assistant_id, the configurable's assistant_id, "assistant"
    - session: `session_id`, the context's session_id or thread_id, the configurable's thread_id or session_id,
      `thread_id`, "default"

    Args:
        context: what was passed as `context=`: a mapping, or anything with attributes; None is nothing.
        config: the run's RunnableConfig; its "configurable" is read.
        user_id: fixed by the host; overrules the run.
        assistant_id: likewise.
        session_id: likewise.
        thread_id: the thread the host runs on, where nothing else names a session.

    Raises:
        InvalidInputError: no source names a user, or an id is empty, too long or neither text, number nor UUID.
    """
    settings = (config or {}).get("configurable")
    user = _first(user_id, _read(context, "user_id"), _read(settings, "user_id"))
    if user is None:
        raise InvalidInputError(_UNKNOWN_USER)
    assistant = _first(assistant_id, _read(context, "assistant_id"), _read(settings, "assistant_id"), "assistant")
    of_context = (_read(context, "session_id"), _read(context, "thread_id"))
    of_settings = (_read(settings, "thread_id"), _read(settings, "session_id"))
    session = _first(session_id, *of_context, *of_settings, thread_id, "default")
    return Identity(written("user_id", user), written("assistant_id", assistant), written("session_id", session))


def identify_runtime(
    runtime: object,
    config: Mapping[str, object] | None = None,
    *,
    user_id: Id | None = None,
    assistant_id: Id | None = None,
    session_id: Id | None = None,
) -> Identity:
    """`identify` from what LangGraph hands to a tool or a hook.

    A `ToolRuntime` carries its config. A `Runtime` does not: in a hook of a middleware or in a node pass
    `langgraph.config.get_config()`, or what is injected into a parameter `config: RunnableConfig`.

    Raises:
        InvalidInputError: see `identify`.
    """
    found = cast("Mapping[str, object] | None", getattr(runtime, "config", None)) if config is None else config
    thread = getattr(getattr(runtime, "execution_info", None), "thread_id", None)
    return identify(
        getattr(runtime, "context", None),
        found,
        user_id=user_id,
        assistant_id=assistant_id,
        session_id=session_id,
        thread_id=thread,
    )


def _read(source: object, name: str) -> object:
    if isinstance(source, Mapping):
        return cast("Mapping[str, object]", source).get(name)
    return getattr(source, name, None)


def _first(*values: object) -> object:
    return next((value for value in values if value is not None), None)
