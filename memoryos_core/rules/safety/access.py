"""The role that each verb needs: one table for all handles (issue 6, part 4)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import get_args

from memoryos_core.errors import InvalidInputError
from memoryos_core.values.audit import AccessRole

ROLES: tuple[AccessRole, ...] = get_args(AccessRole)
"""The roles, from the lowest to the highest."""

_READER = ("recall", "search")
# A talking bot needs these: it writes messages, reads its own conversation and keeps its own notes.
_WRITER = (
    *("add", "add_messages", "messages", "transcript", "end_session", "chat"),
    *("notes.write", "notes.get", "notes.search", "notes.namespaces", "notes.list", "notes.of_facts"),
)
# A curator of a memory needs these: to see all of it and to correct it.
_CURATOR = (
    *("pages", "profile", "facts", "segments", "heat", "epoch", "stats"),
    *("remember", "correct", "forget", "consolidate"),
    *("governance.quarantined", "governance.release", "governance.reject"),
)
# These concern the memory as a whole, or its access rules.
_ADMIN = (
    *("forget.everything", "export"),
    *("governance.grant", "governance.revoke", "governance.grants"),
    *("governance.audit", "governance.verify", "governance.retain"),
)

LEAST: Mapping[str, AccessRole] = {
    **dict.fromkeys(_READER, "reader"),
    **dict.fromkeys(_WRITER, "writer"),
    **dict.fromkeys(_CURATOR, "curator"),
    **dict.fromkeys(_ADMIN, "admin"),
}
"""The least role that each verb needs. One that is not here needs the greatest."""


def least_role(verb: str, arguments: Mapping[str, object]) -> AccessRole:
    """The least role for a call of a verb with these keyword arguments."""
    # Any value but False needs the higher role, so that an odd value cannot pass.
    whole = verb == "forget" and arguments.get("everything", False) is not False
    return LEAST.get("forget.everything" if whole else verb, "admin")


def allows(role: AccessRole | None, least: AccessRole) -> bool:
    """Return whether an actor with this role may do something that needs that role."""
    return role is not None and ROLES.index(role) >= ROLES.index(least)


def parse_role(value: object) -> AccessRole:
    """A role as a caller wrote it. Raises InvalidInputError."""
    for role in ROLES:
        if value == role:
            return role
    raise InvalidInputError(f"role={value!r} is not allowed: it must be one of {', '.join(map(repr, ROLES))}")
