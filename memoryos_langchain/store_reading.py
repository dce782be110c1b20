"""The reading of one user's memory by a LangGraph store: namespace by namespace, by time or by a question."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from langgraph.store.base import Item, SearchItem

from memoryos_core import Hit, Note, UserMemory
from memoryos_langchain.store_lifetimes import is_lifetime
from memoryos_langchain.store_shelves import EPISODES, FACTS, PROFILE, SHELVES, Facts, episode_items, profile_items
from memoryos_langchain.store_values import Namespace, decode_value, matches

# How many hits of a recall are read, in steps, until there is enough; and how many where a filter takes most away.
_DEPTHS = (64, 512)
_FILTERED_DEPTHS = (*_DEPTHS, 4096)
_TIERS = {FACTS: ("long_term",), EPISODES: ("short_term", "mid_term", "archive")}


@dataclass(frozen=True, slots=True)
class Question:
    """A question, the number of wanted answers, the filter on their values, and their least relevance."""

    text: str
    wanted: int
    filter: Mapping[str, object] | None = None
    min_score: float = 0.0

    def admits(self, item: Item) -> bool:
        """Return whether an item passes the filter."""
        return matches(item.value, self.filter)


@dataclass(frozen=True, slots=True)
class _Answer:
    """An item with its relevance, 0 to 1, wherever it was found."""

    item: Item
    score: float


def one_item(user: UserMemory, rest: Namespace, key: str) -> Item | None:
    """The item of a key; None when there is none."""
    if rest == FACTS:
        return Facts(user).get(key)
    if rest == PROFILE:
        return next((item for item in profile_items(user) if item.key == key), None)
    if rest == EPISODES:
        return next(iter(episode_items(user, [key])), None)
    note = user.notes.get(rest, key)
    return _own(user, note) if note is not None else None


def listed_items(user: UserMemory, rest: Namespace, most: int | None = None) -> list[Item]:
    """Everything under a prefix, or the first `most`, last updated first."""
    if most == 0:
        return []
    found = list(islice(_items(user, user.notes.list(rest)), most))
    if rest in ((), FACTS):
        found += Facts(user).items()
    if rest in ((), PROFILE):
        found += profile_items(user)
    if rest in ((), EPISODES):
        found += episode_items(user, most=most)
    return sorted(found, key=lambda item: item.updated_at, reverse=True)[:most]


def found_items(user: UserMemory, rest: Namespace, question: Question) -> list[SearchItem]:
    """Return the best answers under a prefix, best first: recalled and put items share one scale."""
    found_notes = user.notes.search(rest, question.text, min_score=question.min_score)
    noted = [_Answer(item, score) for note, score in found_notes for item in _list_owned(user, [note])]
    recalled = _search_answers(user, rest, question) if rest in ((), FACTS, EPISODES) else []
    best = [a for a in sorted([*recalled, *noted], key=lambda a: -a.score) if question.admits(a.item)]
    found = [as_search_item(a.item, a.score) for a in best]
    if rest == PROFILE:
        found += [as_search_item(item) for item in profile_items(user) if question.admits(item)]
    return found[: question.wanted]


def shelves_of(user: UserMemory) -> Iterator[Namespace]:
    """The namespaces of one user that hold something."""
    stats = user.stats()
    if stats.facts_user or stats.facts_assistant:
        yield FACTS
    if stats.profile_fields or stats.traits:
        yield PROFILE
    if stats.pages:
        yield EPISODES
    names = user.notes.namespaces()
    yield from (name for name in names if name not in SHELVES and not is_lifetime(name))


def _search_answers(user: UserMemory, rest: Namespace, question: Question) -> list[_Answer]:
    """Facts or pages that answer, or both, read deeper until enough of them pass the filter."""
    found: list[_Answer] = []
    for depth in _FILTERED_DEPTHS if question.filter else _DEPTHS:
        most = max(depth, question.wanted, 1)
        hits = user.search(question.text, most, tiers=_TIERS.get(rest, ()), min_score=question.min_score)
        found = list(_answers(user, rest, hits))
        if len(hits) < most or sum(question.admits(a.item) for a in found) >= question.wanted:
            break
    return found


def _answers(user: UserMemory, rest: Namespace, hits: Sequence[Hit]) -> Iterator[_Answer]:
    shelf = Facts(user)
    scores = _first_scores(hits)
    items = shelf.by_fact() if rest != EPISODES else {}
    pages = [hit.id for hit in hits if hit.kind == "page"] if rest != FACTS else []
    items.update({item.key: [item] for item in episode_items(user, list(dict.fromkeys(pages)))})
    for owner, score in scores.items():
        yield from (_Answer(item, score) for item in items.get(owner, ()))


def _first_scores(hits: Iterable[Hit]) -> dict[str, float]:
    """The best score of each page or fact, best first: the messages of a page are one item."""
    scores: dict[str, float] = {}
    for hit in hits:
        scores.setdefault(hit.id, hit.score)
    return scores


def _list_owned(user: UserMemory, notes: Iterable[Note]) -> list[Item]:
    """Return the items of the user's own namespaces, without notes for facts or lifetimes."""
    return list(_items(user, notes))


def _items(user: UserMemory, notes: Iterable[Note]) -> Iterator[Item]:
    own = (note for note in notes if note.namespace not in SHELVES and not is_lifetime(note.namespace))
    items = (_own(user, note) for note in own)
    return (item for item in items if item is not None)


def _own(user: UserMemory, note: Note) -> Item | None:
    value = decode_value(note.value)
    if value is None:
        return None
    return Item(
        value=value,
        key=note.key,
        namespace=(user.scope.user_id, *note.namespace),
        created_at=note.created_at,
        updated_at=note.updated_at,
    )


def as_search_item(item: Item, score: float | None = None) -> SearchItem:
    """An item as a search returns it."""
    return SearchItem(
        namespace=item.namespace,
        key=item.key,
        value=item.value,
        created_at=item.created_at,
        updated_at=item.updated_at,
        score=score,
    )
