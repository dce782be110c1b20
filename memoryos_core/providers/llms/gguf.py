"""A chat model on this machine: a GGUF file run by llama.cpp inside this process (xllamacpp)."""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Iterable
from pathlib import Path
from typing import Any, cast

from memoryos_core.errors import ConfigError, ModelError
from memoryos_core.ports.forks import Lock
from memoryos_core.ports.models import ForeignErrors
from memoryos_core.ports.optional_imports import import_optional, require_installed
from memoryos_core.providers.llms.openai import Dialect, read_completion
from memoryos_core.values.chat import ChatReply, ChatRequest

_EXTRA = "gguf"
_MAGIC = b"GGUF"
_MOST_THREADS = 8
_DEFAULT_CEILING = 1024
_SERVER_ERROR = 500
_LATER_PIECE = re.compile(r"-(?!00001)\d{5}-of-\d{5}\.gguf$")


class GgufChat:
    """Runs the model in `path`. It is loaded at the first question and asked one question at a time.

    `n_ctx` is the room for prompt and answer together, in tokens. `threads` None is half of the cores: llama.cpp's
    threads spin, and on a busy machine more of them are slower. An answer ends after 1,024 tokens unless the request
    says otherwise. llama.cpp also listens on a port of 127.0.0.1; it is closed with a random key.

    Raises:
        ConfigError: there is no such file, or it is not a GGUF file.
        MissingExtraError: xllamacpp is absent.
    """

    def __init__(self, path: str | Path, *, n_ctx: int = 4096, threads: int | None = None) -> None:
        self._path = Path(path).expanduser()
        self._n_ctx = n_ctx
        self._threads = threads or max(1, min((os.cpu_count() or 1) // 2, _MOST_THREADS))
        self._server: Any = None
        self._turn = Lock()
        _check(self._path)
        require_installed("xllamacpp", _EXTRA)

    @property
    def name(self) -> str:
        """The file, for logs and reports."""
        return f"gguf:{self._path.name}"

    def ask(self, request: ChatRequest) -> ChatReply:
        """Ask once. Raises ModelError."""
        who = f"chat model {self.name!r}"
        with self._turn, ForeignErrors(who):
            if self._server is None:
                self._server = self._load()
            answer = self._complete(Dialect(), request)
        _raise_error_of(answer, who)
        return read_completion(answer, request, who)

    def close(self) -> None:
        """Free the model's memory; the next question loads it again."""
        with self._turn:
            self._server = None

    def _complete(self, dialect: Dialect, request: ChatRequest) -> object:
        arguments = {"max_tokens": _DEFAULT_CEILING, **dialect.payload(request)}
        try:
            return self._server.handle_chat_completions(arguments)
        except ValueError:
            # llama.cpp turns the schema into a grammar, which not every schema can be.
            looser = dialect.looser(request)
            if looser is None:
                raise
        return self._complete(looser, request)

    def _load(self) -> Any:  # noqa: ANN401 - xllamacpp publishes no types
        xllamacpp = import_optional("xllamacpp", _EXTRA)
        settings = xllamacpp.CommonParams()
        settings.model.path = str(self._path)
        settings.n_ctx = self._n_ctx
        settings.n_parallel = 1
        settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = self._threads
        settings.verbosity = -1
        settings.offline = True
        # The port cannot be turned off, and without a key any web page could read the questions.
        settings.hostnames, settings.port = ["127.0.0.1"], 0
        settings.api_keys, settings.cors_origins = [secrets.token_hex()], ""
        settings.ui = settings.endpoint_slots = False
        return xllamacpp.Server(settings)


def find_local_gguf(folders: Iterable[str | Path]) -> Path | None:
    """The largest GGUF file of the first folder that holds any, or None. Larger models answer better."""
    for folder in folders:
        files = [p for p in Path(folder).expanduser().glob("*.gguf") if p.is_file() and not _LATER_PIECE.search(p.name)]
        if files:
            return max(files, key=lambda p: (p.stat().st_size, p.name))
    return None


def _check(path: Path) -> None:
    if not path.is_file():
        raise ConfigError(f"there is no model file {str(path)!r}; check the path")
    with path.open("rb") as file:
        if file.read(len(_MAGIC)) != _MAGIC:
            raise ConfigError(f"{str(path)!r} is not a GGUF file")


def _raise_error_of(answer: object, who: str) -> None:
    """Raise ModelError when llama.cpp answers with an error; keep its code and numbers, never its text."""
    error = cast("dict[str, Any]", answer).get("error") if isinstance(answer, dict) else None
    if not isinstance(error, dict):
        return
    told = cast("dict[str, Any]", error)
    if told.get("n_ctx") is not None:
        numbers = f"the prompt has {told.get('n_prompt_tokens')} tokens and n_ctx is {told['n_ctx']}"
        raise ModelError(f"{who} got too long a prompt: {numbers}; raise n_ctx or shorten it", transient=False)
    code = told.get("code")
    transient = isinstance(code, int) and code >= _SERVER_ERROR
    raise ModelError(f"{who} failed with code {code}", transient=transient)
