"""Other people's code: brought in when it is needed, its errors translated at the one border they may cross."""

from __future__ import annotations

import importlib
import importlib.util
import re
from types import TracebackType
from typing import Any

from memoryos_core.errors import ConfigError, MemoryOSError, MissingExtraError, ModelError
from memoryos_core.forking import forks_wait

_TRY_AGAIN = frozenset({408, 409, 425, 429})
_SERVER_ERROR = 500
_EXHAUSTED = frozenset({"insufficient_quota", "billing_hard_limit_reached"})
_CODE = re.compile(r"[a-z][a-z_]{0,40}")
_HINTS = {
    401: ": check the API key",
    403: ": check the API key",
    404: ": check the model's name and the address",
}
_OUR_MISTAKE = (TypeError, AttributeError, NotImplementedError, ImportError, NameError)


def import_optional(module: str, extra: str) -> Any:  # noqa: ANN401 - these libraries publish no types
    """An optional dependency; MissingExtraError names the extra that brings it."""
    try:
        with forks_wait():  # a child can neither end nor repeat an import that another thread has begun
            return importlib.import_module(module)
    except ImportError as error:
        raise MissingExtraError(module, extra) from error


def require_installed(module: str, extra: str) -> None:
    """MissingExtraError when a top-level module cannot be found; looks for it without importing it."""
    if importlib.util.find_spec(module) is None:
        raise MissingExtraError(module, extra)


def open_openai(*, base_url: str | None, api_key: str | None, timeout: float, max_retries: int) -> Any:  # noqa: ANN401
    """A client of the openai package; opens no connection.

    With a `base_url` and no key a placeholder is sent: a key meant for OpenAI never reaches another host.

    Raises:
        ConfigError: there is no key, neither given nor in OPENAI_API_KEY.
        MissingExtraError: the openai package is absent.
    """
    openai = import_optional("openai", "openai")
    key = api_key or ("unused" if base_url else None)
    try:
        return openai.OpenAI(base_url=base_url, api_key=key, timeout=timeout, max_retries=max_retries)
    except openai.OpenAIError:
        raise ConfigError("no API key: give api_key=, set OPENAI_API_KEY, or name a base_url=") from None


class Contained:
    """A `with` block round work that must not end ours: an error ends the block and is kept in `error`.

    KeyboardInterrupt and its like are not errors, and pass.
    """

    def __init__(self) -> None:
        self.error: Exception | None = None

    def __enter__(self) -> Contained:
        """The block, to look into afterwards."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        self.error = error if isinstance(error, Exception) else None
        return self.error is not None


class KeptError:
    """A `with` block whose error, a SystemExit too, ends the block and is kept in `error`.

    It is for the top of a thread of this library: nobody waits there for an exception, and threading hides some.
    """

    def __init__(self) -> None:
        self.error: BaseException | None = None

    def __enter__(self) -> KeptError:
        """The block, to look into afterwards."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        self.error = error
        return error is not None


class ForeignErrors:
    """A `with` block in which whatever a model or an embedder raises becomes a ModelError; ours pass unchanged.

    Messages name the kind of error and the HTTP status, never the original's words: servers repeat what they were
    sent. For the same reason an HTTP error is not chained; any other is.
    """

    def __init__(self, who: str) -> None:
        self._who = who

    def __enter__(self) -> None:
        """Nothing to prepare."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not isinstance(error, Exception) or isinstance(error, MemoryOSError):
            return
        status = getattr(error, "status_code", None)
        if isinstance(status, int):
            raise self._refused(status, getattr(error, "code", None)) from None
        transient = not isinstance(error, _OUR_MISTAKE)
        raise ModelError(f"{self._who} failed: {type(error).__name__}", transient=transient) from error

    def _refused(self, status: int, code: object) -> ModelError:
        known = code if isinstance(code, str) and _CODE.fullmatch(code) else None
        transient = (status in _TRY_AGAIN or status >= _SERVER_ERROR) and known not in _EXHAUSTED
        why = f" ({known})" if known else ""
        return ModelError(f"{self._who} answered HTTP {status}{why}{_HINTS.get(status, '')}", transient=transient)
