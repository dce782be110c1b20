"""The checks of every host adapter: the memory it is given, and ids in the forms that applications use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias, TypeVar, cast
from uuid import UUID

from memoryos_core.api.governance import actor_name
from memoryos_core.api.memory import MemoryOS
from memoryos_core.errors import InvalidInputError
from memoryos_core.rules.validation import identifier
from memoryos_core.values.dialogue import Hit

M = TypeVar("M")

Id: TypeAlias = str | int | UUID
"""An id as an application has it; numbers and UUIDs are written out."""


_OF_THE_FACE = "give the adapter a MemoryOS: it has a coroutine for each of its own methods"
_OF_THE_HANDLE = "give the adapter the MemoryOS, and name the user in user_id"
_INSTEAD = {
    "AsyncMemoryOS": _OF_THE_FACE,
    "AsyncUserMemory": _OF_THE_HANDLE,
    "UserMemory": _OF_THE_HANDLE,
}


def require_memory(memory: object) -> MemoryOS:
    """The memory an adapter was given; it may be closed by now.

    Raises:
        InvalidInputError: it is not a `MemoryOS`; an `AsyncMemoryOS`, a handle of one user or a path, for example.
    """
    if isinstance(memory, MemoryOS):
        return memory
    kind = type(memory).__name__
    instead = _INSTEAD.get(kind, "open one first: MemoryOS('sqlite:///memory.db')")
    raise InvalidInputError(f"memory: expected a MemoryOS, got {kind}; {instead}")


def id_text(name: str, value: object) -> str:
    """An id as it is stored. Raises InvalidInputError when it is empty, too long or neither text, number nor UUID."""
    # In Python a bool is an int too; it is never an id.
    plain = isinstance(value, int | UUID) and not isinstance(value, bool)
    return identifier(name, str(value) if plain else value)


def checked_actor(actor: object) -> str | None:
    """The actor that an adapter works as; None is the application. Raises InvalidInputError for no actor's name."""
    return None if actor is None else actor_name(actor)


def anonymous(session_id: str) -> str:
    """Return the user id for a session without a user.

    Do not compare ids with this one to find out whether a session has a user: the caller knows whether it named one.
    """
    return f"session:{session_id}"


def metadata(hit: Hit) -> dict[str, Any]:
    """Return where a hit comes from, as plain JSON values; the same in every search that finds it.

    Hosts tell documents apart by their metadata. So what belongs to one search or one moment only (score, signals,
    heat) is not part of it.
    """
    return {
        "id": hit_id(hit),
        "tier": hit.tier,
        "kind": hit.kind,
        "session_id": hit.session_id,
        "segment_id": hit.segment_id,
        "page_ids": list(hit.page_ids),
        "about": hit.about,
        "timestamp": hit.timestamp.isoformat(),
        "trust": hit.trust,
        "written_by": list(hit.written_by),
    }


def hit_id(hit: Hit) -> str:
    """Return an id that tells a hit from all others: a search may find several messages of a page."""
    return hit.id if hit.kind == "fact" else f"{hit.id}:{hit.at}"


def require_messages(messages: object, kind: type[M], host: str) -> list[M]:
    """Return a host's messages as a list. Raises InvalidInputError when it is no list or tuple of them."""
    given = list(cast("Sequence[object]", messages)) if issubclass(type(messages), list | tuple) else None
    wrong = next((at for at, message in enumerate(given or ()) if not isinstance(message, kind)), None)
    if given is None or wrong is not None:
        name, found = ("this", messages) if given is None or wrong is None else (f"messages[{wrong}]", given[wrong])
        raise InvalidInputError(
            f"messages must be a list of {host}'s {kind.__name__}; {name} is of type {type(found).__name__}"
        )
    return cast("list[M]", given)


def single(message: object, kind: type[M], host: str) -> M:
    """Return a host's message as it is. Raises InvalidInputError when it is something else."""
    if isinstance(message, kind):
        return message
    raise InvalidInputError(f"message must be {host}'s {kind.__name__}; this is of type {type(message).__name__}")
