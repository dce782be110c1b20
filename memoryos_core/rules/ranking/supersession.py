"""Messages that a session has replaced or cleared: still remembered, but not recalled in that session (ADR 0019)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from memoryos_core.values.dialogue import Half, Message, Page
from memoryos_core.values.facts import Profile


@dataclass(frozen=True, slots=True)
class Session:
    """The session that asks.

    `standing` are ids of messages of its ended conversations that it still refers to: those may be recalled.
    """

    id: str
    standing: frozenset[str] = frozenset()

    def supersedes(self, page: Page, half: Half) -> bool:
        """Return whether this session has replaced or cleared what this half of a page says.

        A half of which only a part still stands is superseded as well: its text cannot be taken apart.
        """
        if not page.ended or page.session_id != self.id:
            return False
        said = [m for m in page.messages if m.half == half] or page.messages
        return not all(m.id in self.standing for m in said)

    def supersedes_all(self, page_ids: Iterable[str], pages: Mapping[str, Page], half: Half) -> bool:
        """Return whether nothing else supports something than what this session has superseded.

        What has no page was told on purpose and stays.
        """
        ids = tuple(page_ids)
        return bool(ids) and all(i in pages and self.supersedes(pages[i], half) for i in ids)

    def known_here(self, profile: Profile, pages: Mapping[str, Page]) -> Profile:
        """Return the profile without what only superseded pages support.

        Args:
            profile: what is known of the user.
            pages: ended pages of this session, by id, among those that the profile cites.
        """
        fields = tuple(f for f in profile.fields if not self.supersedes_all(f.page_ids, pages, "user"))
        traits = tuple(t for t in profile.traits if not self.supersedes_all(t.page_ids, pages, "user"))
        return replace(profile, fields=fields, traits=traits)


def continue_pages(
    pages: Sequence[Page], gone: Collection[tuple[str, int]], new: Sequence[Message]
) -> tuple[Message, ...]:
    """Return what goes on of pages that end, followed by the new messages.

    Args:
        pages: the pages that end, in order.
        gone: page id and place of each message that does not go on; a new message of the same id takes its place.
        new: what is said now.
    """
    kept: list[Message] = []
    left = list(new)
    for page in pages:
        for at, message in enumerate(page.messages):
            if (page.id, at) not in gone:
                kept.append(message)
            elif (version := next((m for m in left if m.id == message.id), None)) is not None:
                left.remove(version)
                kept.append(version)
    return (*kept, *left)
