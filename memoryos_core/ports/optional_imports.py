"""Optional packages: imported when they are needed, with an error that names the extra."""

from __future__ import annotations

import gc
import importlib
import importlib.util
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from memoryos_core.errors import ConfigError, MissingExtraError
from memoryos_core.ports.forks import forks_wait


def import_optional(module: str, extra: str) -> Any:  # noqa: ANN401 - these libraries publish no types
    """Import an optional dependency; a MissingExtraError names the extra that installs it."""
    try:
        with forks_wait():  # a child can neither end nor repeat an import that another thread has begun
            return importlib.import_module(module)
    except ImportError as error:
        raise MissingExtraError(module, extra) from error


@contextmanager
def collector_paused() -> Generator[None, None, None]:
    """Pause the garbage collector while large packages are imported; it goes on as it was before.

    Nothing of what an import makes is garbage, and the collector would look at all of it many times: a sixth of the
    time that a store takes to load.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def is_installed(module: str) -> bool:
    """Return whether a top-level module can be found; it is not imported."""
    return importlib.util.find_spec(module) is not None


def require_installed(module: str, extra: str) -> None:
    """Raise MissingExtraError when a top-level module cannot be found; the module is not imported."""
    if not is_installed(module):
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
