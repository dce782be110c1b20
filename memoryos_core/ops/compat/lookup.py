"""`retriever.retrieve_context` with the published shape of its answer, which front ends and tools read."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timezone

from memoryos_core.api.user import UserMemory
from memoryos_core.errors import InvalidInputError
from memoryos_core.ports import Store
from memoryos_core.rules.dates.moments import format_moment
from memoryos_core.values.commands import PageQuery
from memoryos_core.values.dialogue import Hit

# Above any configured number of pages and facts, so that the configuration limits.
_ALL = 1000


class Retriever:
    """The published attribute `retriever`, for one user."""

    def __init__(self, user: UserMemory, store: Store) -> None:
        self._user = user
        self._store = store

    def retrieve_context(self, user_query: str, user_id: str | None = None) -> dict[str, object]:
        """Return mid-term and long-term memory for a query, best first: lists of dicts, and the time of the query.

        Raises:
            InvalidInputError: `user_id` is not the user this memory was opened for.
        """
        mine = self._user.scope.user_id
        if user_id not in (None, mine):
            raise InvalidInputError(f"this memory belongs to user {mine!r}: open another one for user {user_id!r}")
        hits = self._user.search(user_query, k=_ALL, tiers=("mid_term", "archive", "long_term"))
        return {
            "retrieved_pages": self._pages(hits),
            "retrieved_user_knowledge": [_entry(h) for h in hits if h.kind == "fact" and h.about == "user"],
            "retrieved_assistant_knowledge": [_entry(h) for h in hits if h.kind == "fact" and h.about == "assistant"],
            "retrieved_at": format_moment(datetime.now(timezone.utc)),
        }

    def _pages(self, hits: Sequence[Hit]) -> list[dict[str, object]]:
        best = tuple(dict.fromkeys(hit.id for hit in hits if hit.kind == "page"))
        scope = self._user.scope
        pages = {page.id: page for page in self._store.pages(PageQuery(scope, ids=best))}
        ordered = [pages[i] for i in best if i in pages]
        chains = {c.id: c.summary for c in self._store.chains(scope, [p.chain_id for p in ordered if p.chain_id])}
        return [
            {
                "page_id": page.id,
                "user_input": page.text("user"),
                "agent_response": page.text("assistant"),
                "timestamp": format_moment(page.timestamp),
                "analyzed": page.analysed,
                "meta_info": chains.get(page.chain_id or "", ""),
            }
            for page in ordered
        ]


def _entry(hit: Hit) -> dict[str, object]:
    return {"knowledge": hit.text, "timestamp": format_moment(hit.timestamp)}
