"""The server of one identity, made with the official SDK."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ToolError
from mcp.types import ToolAnnotations

from memoryos_core.api.user import UserMemory
from memoryos_core.errors import MemoryOSError
from memoryos_core.hosts.tools import explain_error
from memoryos_core.ops.mcp.tools import INSTRUCTIONS, MemoryTools

P = ParamSpec("P")
_READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)
_WRITES = ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=False)
_ERASES = ToolAnnotations(read_only_hint=False, destructive_hint=True, open_world_hint=False)


def make_server(user: UserMemory, *, version: str, read_only: bool = False) -> MCPServer[None]:
    """Return a server whose tools act on one user's memory, as that handle's actor.

    The SDK runs them in threads, so that a slow one holds up no other. With `read_only` nothing can be changed.
    """
    tools = MemoryTools(user)
    server: MCPServer[None] = MCPServer("memoryos", instructions=INSTRUCTIONS, version=version, log_level="WARNING")
    for function in (tools.recall, tools.facts, tools.stats):
        _add(server, function, _READS)
    if not read_only:
        _add(server, tools.remember, _WRITES)
        _add(server, tools.correct, _ERASES)
        _add(server, tools.forget, _ERASES)
    server.resource("memory://profile", name="profile", mime_type="text/plain")(_explain(tools.profile, ResourceError))
    server.resource("memory://topics", name="topics", mime_type="text/plain")(_explain(tools.topics, ResourceError))
    server.prompt("with_memory", title="With memory")(_explain(tools.with_memory, ToolError))
    return server


def _add(server: MCPServer[None], function: Callable[..., str], annotations: ToolAnnotations) -> None:
    server.add_tool(_explain(function, ToolError), annotations=annotations, structured_output=False)


def _explain(function: Callable[P, str], kind: type[Exception]) -> Callable[P, str]:
    """Turn errors of the memory into the SDK's, in words that hold no remembered text."""

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> str:
        try:
            return function(*args, **kwargs)
        except MemoryOSError as error:
            raise kind(explain_error(function.__name__, error)) from None

    return call
