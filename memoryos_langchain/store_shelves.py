"""The shelves of a LangGraph store that show MemoryOS's own tiers as items: facts, profile, episodes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from heapq import nlargest

from langgraph.store.base import Item

from memoryos_core import Fact, Note, NoteWrite, Page, UserMemory
from memoryos_core.errors import InvalidInputError, NotFoundError
from memoryos_core.hosts.values import About
from memoryos_langchain.store_values import Index, Namespace, Value, decode_value, encode_value, sentence

FACTS: Namespace = ("facts",)
PROFILE: Namespace = ("profile",)
EPISODES: Namespace = ("episodes",)
SHELVES = frozenset((FACTS, PROFILE, EPISODES))
_SPEAKERS = ("user", "assistant")
_TRIES = 8


class Facts:
    """Current facts as items. A fact that was put has the name and the value it was put with; any other, its id.

    The core gives a fact an id of its own, and one statement is one fact however often it is told. So a put remembers
    the statement, which makes it part of recall, and keeps the caller's key and value in a note of the fact, in one and
    the same transaction. The fact decides: its name moves to the fact that replaces it; a retired fact has no item.
    """

    def __init__(self, user: UserMemory) -> None:
        self._user = user
        self._home = (user.scope.user_id, *FACTS)

    def get(self, key: str) -> Item | None:
        """The fact of this name or id."""
        note = self._user.notes.get(FACTS, key)
        named = self._note_item(note, self._fact) if note is not None else None
        fact = self._fact(key) if named is None else None
        return self._fact_item(fact) if fact is not None and fact.status == "current" else named

    def items(self) -> list[Item]:
        """Every current fact, under each of its names, else under its id."""
        return [item for items in self.by_fact().values() for item in items]

    def by_fact(self) -> dict[str, list[Item]]:
        """The items of each current fact, by its id; latest fact first."""
        names, known = self._names(), self._facts_by_id()
        found: dict[str, list[Item]] = {f.id: [] for f in reversed(known.values()) if f.status == "current"}
        for note in names:
            item, fact = self._note_item(note, known.get), _current_fact(note.fact_id, known.get)
            if item is not None and fact is not None:
                found[fact.id].append(item)
        return {i: items or [self._fact_item(known[i])] for i, items in found.items()}

    def put(self, key: str, value: Value, index: Index) -> None:
        """Remember what the value says under a name; another statement than before takes the place of the old one."""
        text, about = statement(value, index)
        new = NoteWrite(FACTS, key, encode_value(value))
        for _ in range(_TRIES):
            with suppress(NotFoundError):  # another process put or forgot it a moment ago
                self._put(text, about, new)
                return
        self._user.remember(text, about=about, note=new)

    def delete(self, key: str) -> None:
        """Forget the fact of this name or id with the wordings it took the place of; other names keep it alive."""
        note = self._user.notes.get(FACTS, key)
        fact_id = key if note is None else note.fact_id
        held = _current_fact(fact_id, self._fact)
        last = fact_id if held is None else held.id
        versions = [] if last is None else self._versions(last)
        if versions and not (held is not None and self._has_another_name(versions, key)):
            self._user.forget(facts=versions)  # with its notes
        elif note is not None:
            self._user.notes.write([NoteWrite(FACTS, key, None)])

    def _put(self, text: str, about: About, new: NoteWrite) -> None:
        """Keep the statement as a fact with its note; in place of the one that was held, if there is one.

        A correction keeps the subject and is always a fact of its own: what is about another, or is known already, is
        remembered, and the old one forgotten after it. Raises NotFoundError when the fact is no longer current.
        """
        note = self._user.notes.get(FACTS, new.key)
        held = _current_fact(new.key if note is None else note.fact_id, self._fact)
        if held is not None and (held.text, held.about) == (text, about):
            self._user.notes.write([replace(new, fact_id=held.id)])
            return
        versions = [] if held is None else self._versions(held.id)
        if held is None or self._has_another_name(versions, new.key):
            self._user.remember(text, about=about, note=new)  # another name still points to the old fact
        elif held.about == about and not any(f.text == text for f in self._user.facts(text=text)):
            self._user.correct(held.id, text, note=new)
        else:
            self._user.remember(text, about=about, note=new)
            self._user.forget(facts=versions)

    def _fact(self, fact_id: str) -> Fact | None:
        return next(iter(self._user.facts(ids=[fact_id], current=False)), None)

    def _facts_by_id(self) -> dict[str, Fact]:
        return {f.id: f for f in self._user.facts(current=False)}

    def _has_another_name(self, versions: Sequence[str], key: str) -> bool:
        """Return whether a fact with these versions has a name besides the key."""
        return any(note.namespace == FACTS and note.key != key for note in self._user.notes.of_facts(versions))

    def _versions(self, fact_id: str) -> list[str]:
        """Return a fact and all facts that it replaced; empty where there is no such fact."""
        found = [fact_id] if self._fact(fact_id) is not None else []
        latest = found
        while latest:
            replaced = self._user.facts(replaced_by=latest, current=False)
            latest = [fact.id for fact in replaced if fact.id not in found]
            found = [*found, *latest]
        return found

    def _names(self) -> list[Note]:
        return [note for note in self._user.notes.list(FACTS) if note.namespace == FACTS]

    def _note_item(self, note: Note, find: Callable[[str], Fact | None]) -> Item | None:
        """Return the item of a name; None when its fact has no current version. A replacing fact shows its own text."""
        fact, value = _current_fact(note.fact_id, find), decode_value(note.value)
        if fact is None or value is None:
            return None
        moved = fact.id != note.fact_id
        return Item(
            value=_fact_value(fact) if moved else value,
            key=note.key,
            namespace=self._home,
            created_at=note.created_at,
            updated_at=max(note.updated_at, fact.learned_at) if moved else note.updated_at,
        )

    def _fact_item(self, fact: Fact) -> Item:
        return _item(self._home, fact.id, _fact_value(fact), fact.learned_at)


def statement(value: Value, index: Index) -> tuple[str, About]:
    """Return the text and the side of a value put among the facts. Raises InvalidInputError when it has no text."""
    if index is False:
        raise InvalidInputError(
            "index=False cannot be used for facts, which are always searched: use another namespace"
        )
    text = sentence(value, index).strip()
    if not text:
        raise InvalidInputError("there is nothing to remember: give the item a 'text'")
    return text, "assistant" if value.get("about") == "assistant" else "user"


def _current_fact(fact_id: str | None, find: Callable[[str], Fact | None]) -> Fact | None:
    """Return the current fact of an id, or the fact that replaced it; None when there is no such fact."""
    seen: set[str] = set()
    while fact_id is not None and fact_id not in seen and (fact := find(fact_id)) is not None:
        if fact.status == "current":
            return fact
        seen.add(fact_id)
        fact_id = fact.superseded_by
    return None


def _fact_value(fact: Fact) -> Value:
    dates = {
        "learned_at": fact.learned_at,
        "valid_from": fact.valid_from,
        "valid_until": fact.valid_until,
        "event_time": fact.event_time,
    }
    value: Value = {"text": fact.text, "about": fact.about, "trust": fact.trust}
    value.update({name: when.isoformat() for name, when in dates.items() if when is not None})
    return {**value, "episodes": list(fact.page_ids)}


def profile_items(user: UserMemory) -> list[Item]:
    """The fields and traits of the profile as items, the fields first; a field hides a trait of the same name."""
    home = (user.scope.user_id, *PROFILE)
    profile = user.profile()
    found: dict[str, Item] = {}
    for trait in profile.traits:
        value: Value = {"kind": "trait", "category": trait.category, "level": trait.level, "reason": trait.reason}
        value["episodes"] = list(trait.page_ids)
        found[trait.dimension] = _item(home, trait.dimension, value, trait.since)
    for field in profile.fields:
        value = {"kind": "field", "value": field.value, "episodes": list(field.page_ids)}
        found[field.name] = _item(home, field.name, value, field.since)
    return sorted(found.values(), key=lambda item: (item.value["kind"], item.key))


def episode_items(user: UserMemory, ids: Sequence[str] | None = None, *, most: int | None = None) -> list[Item]:
    """Pages as items, newest first: all of them, those with these ids, or as many as wanted at most."""
    home = (user.scope.user_id, *EPISODES)
    pages = list(reversed(user.pages(ids)))
    wanted = pages if most is None else nlargest(most, pages, key=lambda page: page.timestamp)
    return [_episode(home, page) for page in wanted]


def _episode(home: Namespace, page: Page) -> Item:
    said = [{"role": m.role, "text": m.text, **({"name": m.name} if m.name else {})} for m in page.messages]
    value: Value = {
        "text": "\n".join(f"{m.name or m.role}: {m.text}" for m in page.messages if m.role in _SPEAKERS and m.text),
        "messages": said,
        "session_id": page.session_id,
        "tier": page.tier,
        "timestamp": page.timestamp.isoformat(),
    }
    return _item(home, page.id, value, page.timestamp)


def _item(namespace: Namespace, key: str, value: Value, when: datetime) -> Item:
    return Item(value=value, key=key, namespace=namespace, created_at=when, updated_at=when)
