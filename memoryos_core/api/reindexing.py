"""Embeds a whole store again, scope by scope, with a progress bar; cut short, the next consolidation goes on."""

from __future__ import annotations


from memoryos_core.api.engine import Engine
from memoryos_core.api.notes import embed_missing


def reindex(engine: Engine, *, progress: bool) -> int:
    """Embed what has no vectors of the engine's embedder and move the centroids; says how many pages."""
    pages = 0
    from tqdm.auto import tqdm  # noqa: PLC0415 - reads the environment, and only this long work needs it

    scopes = engine.parts.store.scopes()
    for scope in tqdm(scopes, desc="reindex", unit="user", disable=not progress):
        pages += engine.reembed(scope)
        embed_missing(engine, scope)
    return pages
