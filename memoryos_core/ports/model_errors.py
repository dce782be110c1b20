"""Errors of models, embedders and callbacks: caught, kept, or turned into ModelError."""

from __future__ import annotations

import re
from types import TracebackType

from memoryos_core.errors import MemoryOSError, ModelError

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


class Contained:
    """A `with` block around code whose failure must not stop the caller: its error is kept in `error`.

    KeyboardInterrupt and its like are not errors, and pass.
    """

    def __init__(self) -> None:
        self.error: Exception | None = None

    def __enter__(self) -> Contained:
        """Return the block itself, which holds the error afterwards."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        self.error = error if isinstance(error, Exception) else None
        return self.error is not None


class KeptError:
    """A `with` block whose error, a SystemExit too, ends the block and is kept in `error`.

    Use it at the top of a thread of this library: no caller waits there for an exception, and threading hides some.
    """

    def __init__(self) -> None:
        self.error: BaseException | None = None

    def __enter__(self) -> KeptError:
        """Return the block itself, which holds the error afterwards."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        self.error = error
        return error is not None


class ForeignErrors:
    """A `with` block that turns an error of a model or an embedder into a ModelError; our own errors pass unchanged.

    Messages name the kind of error and the HTTP status, never the original's words: servers repeat what they were
    sent. For the same reason an HTTP error is not chained; any other is.
    """

    def __init__(self, who: str) -> None:
        self._who = who

    def __enter__(self) -> None:
        """Enter the block."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not isinstance(error, Exception) or isinstance(error, MemoryOSError):
            return
        status = getattr(error, "status_code", None)
        if isinstance(status, int):
            raise self._from_status(status, getattr(error, "code", None)) from None
        transient = not isinstance(error, _OUR_MISTAKE)
        raise ModelError(f"{self._who} failed: {type(error).__name__}", transient=transient) from error

    def _from_status(self, status: int, code: object) -> ModelError:
        known = code if isinstance(code, str) and _CODE.fullmatch(code) else None
        transient = (status in _TRY_AGAIN or status >= _SERVER_ERROR) and known not in _EXHAUSTED
        why = f" ({known})" if known else ""
        return ModelError(f"{self._who} answered HTTP {status}{why}{_HINTS.get(status, '')}", transient=transient)
