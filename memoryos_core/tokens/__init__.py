"""Token counters: exact when a vocabulary is on this disk already, an estimate otherwise. Never a download."""

from __future__ import annotations

from memoryos_core.errors import ConfigError
from memoryos_core.ports import TokenCounter
from memoryos_core.tokens.estimate import estimate_tokens

__all__ = ["estimate_tokens", "open_token_counter"]


def open_token_counter(spec: TokenCounter | str | None = "auto") -> TokenCounter:
    """A token counter by name, or the caller's own.

    Args:
        spec: "auto" for tiktoken's cl100k_base when it is installed and its vocabulary is on disk, else the estimate;
            "tiktoken" or "tiktoken:o200k_base" for exactly that; "estimate" or None for the estimate; or a callable
            from text to count.

    Raises:
        ConfigError: the name is unknown, or a vocabulary that was asked for by name is not on disk.
        MissingExtraError: tiktoken was asked for by name and is not installed.
    """
    if spec is None or spec == "estimate" or spec == "auto":
        return estimate_tokens
    if not isinstance(spec, str):
        if not callable(spec):
            raise ConfigError(f"a token counter must be callable, not {type(spec).__name__!r}")
        return spec
    raise ConfigError(f"token counter {spec!r} is not known: use 'auto', 'estimate', 'tiktoken' or 'tiktoken:NAME'")
