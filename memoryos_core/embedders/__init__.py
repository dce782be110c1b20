"""Embedders by name. Nothing is loaded before it is asked for, and nothing is ever downloaded."""

from __future__ import annotations

from memoryos_core.embedders.terms import TermEmbedder
from memoryos_core.errors import ConfigError
from memoryos_core.ports import Embedder

__all__ = ["TermEmbedder", "open_embedder"]


def open_embedder(spec: Embedder | str | None) -> Embedder:
    """An embedder by name, or the caller's own (being built)."""
    if spec is None or spec in ("auto", "terms"):
        return TermEmbedder()
    if isinstance(spec, str):
        raise ConfigError(f"embedder {spec!r} is not known")
    return spec
