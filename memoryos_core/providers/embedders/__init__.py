"""Embedders by name. Nothing is loaded before it is asked for, and nothing is ever downloaded."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import lru_cache
from typing import TypeAlias, cast

from memoryos_core.config.validation import brief
from memoryos_core.errors import ConfigError, MissingExtraError
from memoryos_core.ports import Embedder
from memoryos_core.providers.embedders.function import CallableEmbedder, TermEmbedder, is_host

__all__ = ["CallableEmbedder", "EmbedderSpec", "TermEmbedder", "close_embedder", "open_embedder"]

EmbedderSpec: TypeAlias = Embedder | str | Callable[[list[str]], object] | None

_LOGGER = logging.getLogger(__name__)
_KNOWN = "'auto', 'terms', 'local', 'local:/path/to/weights' or 'openai:MODEL'"


def open_embedder(spec: EmbedderSpec) -> Embedder:
    """An embedder by name, or the caller's own.

    Args:
        spec: "auto" for the local model when it is installed, else shared words only (logged once);
            None or "terms" for shared words; "local" for the installed MiniLM; "local:/path" for a folder or file of
            ONNX weights; "openai:MODEL" for OpenAI's endpoint (others: construct `OpenAIEmbedder` with `base_url`);
            a function from a list of texts to vectors; LangChain's or LlamaIndex's embeddings, or an object like them.

    Raises:
        ConfigError: the name is unknown, or the files it names are not there.
        MissingExtraError: what was asked for by name is not installed.
    """
    if spec is None:
        return TermEmbedder()
    if isinstance(spec, str):
        return _by_name(spec)
    if isinstance(spec, type):
        raise ConfigError(f"embedder is the class {spec.__name__!r}: give an instance of it")
    if is_host(spec):
        # Look it up on the class: reading `dimension` of an instance may embed a text.
        ours = all(hasattr(type(spec), name) or name in vars(spec) for name in ("name", "dimension", "semantic"))
        return cast("Embedder", spec) if ours else CallableEmbedder.of_host(spec)
    if callable(spec):
        return CallableEmbedder(spec)
    raise ConfigError(f"embedder is {type(spec).__name__!r}: give a function, an embedder, or {_KNOWN}")


def close_embedder(embedder: Embedder) -> None:
    """Free the memory of a local model; other embedders of this package hold none."""
    close = getattr(embedder, "close", None)
    if close is not None:
        close()


def _by_name(spec: str) -> Embedder:
    kind, _, rest = spec.partition(":")
    if spec == "terms":
        return TermEmbedder()
    if spec == "auto":
        return _automatic()
    if kind == "local" and (rest or spec == "local"):
        return _local(rest or None)
    if kind == "openai" and rest:
        from memoryos_core.providers.embedders.openai import OpenAIEmbedder

        return OpenAIEmbedder(rest)
    raise ConfigError(f"embedder {brief(spec)} is not known: use {_KNOWN}")


def _automatic() -> Embedder:
    try:
        return _local(None)
    except MissingExtraError as missing:
        _say_lexical_only(missing.package)
        return TermEmbedder()


def _local(path: str | None) -> Embedder:
    from memoryos_core.providers.embedders.runtime import OnnxEmbedder

    return OnnxEmbedder(path)


@lru_cache(maxsize=1)
def _say_lexical_only(package: str) -> None:
    """Log the warning; cached, so that it appears once per process."""
    _LOGGER.info("%s is not installed: recall is by words only; memoryos-tiered[local] adds meaning", package)
