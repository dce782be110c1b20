"""What every host adapter checks at its door: the memory it was given, and ids as applications have them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias, TypeVar, cast
from uuid import UUID

from memoryos_core.errors import InvalidInputError
from memoryos_core.memory import MemoryOS
from memoryos_core.models import Hit
from memoryos_core.rules.accepting import identifier

M = TypeVar("M")

Id: TypeAlias = str | int | UUID
"""An id as an application has it; numbers and UUIDs are written out."""


def opened(memory: object) -> MemoryOS:
    """The memory an adapter was given; it may be closed by now.

    Raises:
        InvalidInputError: it is not a `MemoryOS`; an `AsyncMemoryOS`, a handle of one user or a path, for example.
    """
    if isinstance(memory, MemoryOS):
        return memory
    raise InvalidInputError(
        f"memory: a MemoryOS is wanted, not {type(memory).__name__}: the adapters are awaitable themselves"
    )


def written(name: str, value: object) -> str:
    """An id as it is stored. Raises InvalidInputError when it is empty, too long or neither text, number nor UUID."""
    # A truth value is a number to Python, and never an id.
    plain = isinstance(value, int | UUID) and not isinstance(value, bool)
    return identifier(name, str(value) if plain else value)


def metadata(hit: Hit) -> dict[str, Any]:
    """Where a hit comes from and why it was found, as plain JSON values."""
    return {
        "tier": hit.tier,
        "kind": hit.kind,
        "session_id": hit.session_id,
        "segment_id": hit.segment_id,
        "page_ids": list(hit.page_ids),
        "about": hit.about,
        "timestamp": hit.timestamp.isoformat(),
        "heat": hit.heat,
        "score": hit.score,
        "signals": dict(hit.signals),
    }


def hit_id(hit: Hit) -> str:
    """What tells a hit from all others: both halves of a page may be found."""
    return hit.id if hit.kind == "fact" else f"{hit.id}:{hit.about}"


def listed(messages: object, kind: type[M], host: str) -> list[M]:
    """A host's messages as a list. Raises InvalidInputError when it is no list or tuple of them."""
    kind_given = type(messages)
    given = list(cast("Sequence[object]", messages)) if issubclass(kind_given, list | tuple) else [None]
    if not all(isinstance(message, kind) for message in given):
        raise InvalidInputError(
            f"messages: a list of {host}'s {kind.__name__} is wanted; this is {kind_given.__name__}"
        )
    return cast("list[M]", given)
