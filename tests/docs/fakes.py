"""What stands for a server or a key while a page is run. Each function prepares the process that calls it."""

from __future__ import annotations

import importlib
import os
import socket
import sys
from types import ModuleType
from typing import Any

_RUNNING: list[object] = []  # until the process ends


def no_network() -> None:
    """Refuse connections to anything but this machine."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: Any) -> None:
        if isinstance(address, tuple) and address[0] not in ("127.0.0.1", "::1", "localhost"):
            raise OSError("a page reached for the network")
        connect(self, address)

    socket.socket.connect = guarded  # type: ignore[method-assign,assignment]


def openai() -> None:
    """A server on this machine that speaks OpenAI's protocol."""
    from tests.llms.endpoint import chat_reply, serving

    server = serving(lambda asked: chat_reply("Hello, Ann."))
    _RUNNING.append(server)
    os.environ["OPENAI_BASE_URL"] = server.__enter__().url
    os.environ["OPENAI_API_KEY"] = "none"


def gguf() -> None:
    """A chat model that reads no file."""
    import memoryos_core.providers.llms.gguf as module
    from memoryos_core.testing.fakes import ScriptedChat

    module.GgufChat = lambda path: ScriptedChat(lambda request: "Hello, Ann.")  # type: ignore[misc,assignment]


def postgres() -> None:
    """A SQLite file in place of a PostgreSQL server."""
    module: Any = importlib.import_module("memoryos_core.stores")
    opened = module.open_shards

    def instead(url: str, **options: Any) -> Any:
        return opened("sqlite:///instead.db" if url.startswith("postgres") else url, **options)

    module.open_shards = instead


def openai_like() -> None:
    """LlamaIndex's client of such servers, which is a distribution of its own."""
    from llama_index.core.llms import MockLLM

    module = ModuleType("llama_index.llms.openai_like")
    module.OpenAILike = lambda **options: MockLLM()  # type: ignore[attr-defined]
    sys.modules.setdefault("llama_index.llms", ModuleType("llama_index.llms"))
    sys.modules[module.__name__] = module
