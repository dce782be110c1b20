"""The role that each verb needs: one table for all handles (issue 6, part 4).

The trust in a text, by its source: derived text is trusted no more than its sources (ADR 0017).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import get_args

from memoryos_core.config.validation import brief
from memoryos_core.errors import InvalidInputError
from memoryos_core.values.audit import AccessRole
from memoryos_core.values.dialogue import HALVES, Half, Page
from memoryos_core.values.facts import TRUSTS, About, Trust

ROLES: tuple[AccessRole, ...] = get_args(AccessRole)
"""The roles, from the lowest to the highest."""

_READER = ("recall", "search")
# A talking bot needs these: it writes messages, reads its own conversation and keeps its own notes.
_WRITER = (
    *("add", "add_messages", "messages", "transcript", "end_session", "chat", "epoch"),
    *("notes.write", "notes.get", "notes.search", "notes.namespaces", "notes.list", "notes.of_facts"),
)
# A curator of a memory needs these: to see all of it and to correct it.
_CURATOR = (
    *("pages", "profile", "facts", "disputes", "history", "upcoming", "segments", "topics", "heat", "epoch", "stats"),
    *("inspect", "remember", "correct", "retire", "useful", "forget", "consolidate"),
    *("timeline.months", "timeline.sessions", "timeline.pages", "timeline.facts", "timeline.fact_counts"),
    *("governance.quarantined", "governance.release", "governance.reject", "governance.recalls", "governance.activity"),
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

READS = frozenset(
    {
        *("recall", "search", "messages", "transcript", "chat", "export", "inspect"),
        *("pages", "profile", "facts", "disputes", "history", "upcoming", "segments", "topics"),
        *(
            "timeline.pages",
            "timeline.facts",
            "useful",
            "notes.get",
            "notes.search",
            "notes.list",
            "notes.of_facts",
            "governance.quarantined",
        ),
    }
)
"""The verbs that hand out what was said or is known: the audit log has each call by an actor."""


def least_role(verb: str, arguments: Mapping[str, object]) -> AccessRole:
    """The least role for a call of a verb with these keyword arguments."""
    # Any value but False needs the higher role, so that an odd value cannot pass.
    whole = verb == "forget" and arguments.get("everything", False) is not False
    return LEAST.get("forget.everything" if whole else verb, "admin")


def allows(role: AccessRole | None, least: AccessRole) -> bool:
    """Return whether an actor with this role may do something that needs that role."""
    return role is not None and ROLES.index(role) >= ROLES.index(least)


def greatest(roles: Iterable[AccessRole]) -> AccessRole | None:
    """Return the greatest of these roles; None of none."""
    return max(roles, key=ROLES.index, default=None)


def parse_role(value: object) -> AccessRole:
    """A role as a caller wrote it. Raises InvalidInputError."""
    for role in ROLES:
        if isinstance(value, str) and value == role:
            return role
    raise InvalidInputError(f"role={brief(value)} is not allowed: it must be one of {', '.join(map(repr, ROLES))}")


_SPOKEN = ("user", "assistant")


def rank(trust: Trust) -> int:
    """0 for the most trusted."""
    return TRUSTS.index(trust)


def least(trusts: Iterable[Trust]) -> Trust:
    """The least trusted of them; of none, "user": what cites nothing was told by the user on purpose."""
    return TRUSTS[max(map(rank, trusts), default=0)]


def of_derived(about: About, pages: Iterable[Page], read: Collection[Half] = HALVES) -> Trust:
    """The trust of something learnt from pages: the minimum over its lineage.

    It speaks for the half that it is about, so it starts with that half's trust. Every message that the reader has
    `read` lowers it when it was said to be less. Tool results and system prompts are not read: they lower nothing.
    """
    said = least(m.trust for p in pages for m in p.messages if m.trust and m.role in _SPOKEN and m.half in read)
    return max(about, said, key=rank)
