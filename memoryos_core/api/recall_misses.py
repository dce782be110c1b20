"""The hits that a recall left out, each with the reason."""

from __future__ import annotations

from memoryos_core.api.user import UserMemory
from memoryos_core.values.dialogue import Hit, Recall

_SHOWN = 8


def find_recall_misses(user: UserMemory, recall: Recall, min_score: float) -> list[tuple[Hit, str]]:
    """Return the best hits of a search that are not in a recall, each with the reason."""
    taken = {(hit.kind, hit.id, hit.at) for hit in recall.hits} | {("fact", f.id, -1) for f in recall.known}
    wanted = len(recall.hits) + _SHOWN + len(recall.known)
    others = [hit for hit in user.search(recall.query, wanted) if (hit.kind, hit.id, hit.at) not in taken]
    return [(hit, _reason(hit, min_score)) for hit in others[:_SHOWN]]


def _reason(hit: Hit, min_score: float) -> str:
    if hit.score < min_score:
        return f"less relevant than {min_score:.2f}"
    return "there was no room, or it was said already"
