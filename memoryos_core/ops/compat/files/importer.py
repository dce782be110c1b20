"""Finds the published files, reads their records, chooses their scopes, and imports them. The files stay unchanged."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from pathlib import Path

from memoryos_core.api.memory import MemoryOS
from memoryos_core.errors import InvalidInputError, NotFoundError
from memoryos_core.ops.compat.files.saved import (
    ASSISTANT_FILE,
    USER_FILES,
    Knowledge,
    SavedAssistant,
    SavedPage,
    SavedSegment,
    SavedUser,
    Turn,
    read_assistant,
    read_user,
)
from memoryos_core.providers.tokens import estimate_tokens
from memoryos_core.rules.dates.calendar import parse_moment
from memoryos_core.values.dialogue import Scope
from memoryos_core.values.facts import About
from memoryos_core.values.reports import RestoreReport

SESSION = "default"


class Records:
    """Collect the records of one scope in the order that `restore` needs, with counts and notes of what was left out.

    `known` are the ids of pages that the scope already holds; `fallback` replaces a first time that cannot be parsed.
    """

    def __init__(self, fallback: datetime, known: frozenset[str]) -> None:
        self._skipped = 0
        self._fallback = fallback
        self._known = known
        self._containers: list[dict[str, object]] = []
        self._pages: list[dict[str, object]] = []
        self._learned: list[dict[str, object]] = []
        self._notes: list[str] = []
        self._seen: Counter[str] = Counter()
        self._blank = 0
        self._undated = 0

    def add_user(self, user: SavedUser) -> None:
        """Pages, segments, chains, profile and facts of one user's files."""
        housing = house(user.segments)
        self._skipped += housing.copies
        self._notes += [*user.notes, *housing.notes]
        self._mid_term(housing.segments)
        for turn, when in zip(user.turns, self._times(t.timestamp for t in user.turns), strict=True):
            self._add_page(turn, when, {"tier": "short_term"})
        self.add_facts(user.about_user, "user")
        self.add_facts(user.about_assistant, "assistant")
        if user.profile.text:
            (since,) = self._times([user.profile.timestamp])
            field = {"name": "summary", "value": user.profile.text, "since": since.isoformat()}
            self._learned.append({"kind": "profile", **field})

    def add_facts(self, entries: Sequence[Knowledge], about: About) -> None:
        """Entries of a knowledge list, in order; a repeated one is imported once, with its first time."""
        texts: set[str] = set()
        told = [entry for entry in entries if entry.text]
        self._blank += len(entries) - len(told)
        for entry, when in zip(told, self._times(e.timestamp for e in told), strict=True):
            if entry.text in texts:
                continue
            texts.add(entry.text)
            fact = {"id": _digest("fact", about, entry.text), "about": about, "text": entry.text, "trust": about}
            moment = when.isoformat()
            self._learned.append({"kind": "fact", **fact, "learned_at": moment, "valid_from": moment})
        again = len(told) - len(texts)
        if again:
            self._skipped += again
            self._notes.append(
                f"{again} entries about the {about} repeat another word for word; each was imported once"
            )

    @property
    def skipped(self) -> int:
        """Number of skipped pages and entries."""
        return self._skipped + self._blank

    def in_order(self) -> list[dict[str, object]]:
        """Return segments and chains, then their pages, then facts and the profile."""
        return [*self._containers, *self._pages, *self._learned]

    def notes(self) -> tuple[str, ...]:
        """Describe what was left out or changed, without remembered text."""
        notes = list(self._notes)
        if self._blank:
            notes.append(f"{self._blank} turns or entries held no text and were skipped")
        if self._undated:
            instead = "the time of the entry before, or of the file, stands for them"
            notes.append(f"{self._undated} times could not be read: {instead}")
        return tuple(notes)

    def _mid_term(self, segments: Sequence[SavedSegment]) -> None:
        saved = [(page, segment.id) for segment in segments for page in segment.pages]
        times = self._times(page.turn.timestamp for page, _ in saved)
        order = sorted(range(len(saved)), key=times.__getitem__)
        pages = [saved[i][0] for i in order]
        chains = link(pages)
        self._note_loose_links(pages)
        used: set[str] = set()
        for i in order:
            page, segment_id = saved[i]
            chain_id = chains.get(page.id)
            place = {"segment_id": segment_id, "chain_id": chain_id, "analysed": page.analysed}
            if self._add_page(page.turn, times[i], {"tier": "mid_term", **place}):
                used.update(i for i in (segment_id, chain_id) if i)
        visits = self._times(segment.last_visit for segment in segments)
        for segment, last_access in zip(segments, visits, strict=True):
            if segment.id in used:
                self._containers.append(_segment(segment, last_access))
        for chain_id, overview in _overviews(pages, chains).items():
            if chain_id in used:
                self._containers.append({"kind": "chain", "id": chain_id, "summary": overview})

    def _note_loose_links(self, pages: Sequence[SavedPage]) -> None:
        there = {page.id for page in pages}
        loose = sum(1 for page in pages for other in page.links if other not in there)
        if loose:
            self._notes.append(f"{loose} links lead to pages that had been evicted; their chains end there")

    def _add_page(self, turn: Turn, when: datetime, place: Mapping[str, object]) -> bool:
        """Return True for a page that the scope does not hold yet."""
        if not (turn.user.strip() or turn.agent.strip()):
            self._blank += 1
            return False
        content = _digest("page", turn.user, turn.agent, turn.timestamp)
        self._seen[content] += 1
        # The very same words in the same second may have been said twice: the second is a page, too.
        page_id = content if self._seen[content] == 1 else _digest(content, str(self._seen[content]))
        if page_id in self._known:
            self._skipped += 1
            return False
        self._pages.append({"kind": "page", **_page(page_id, turn, when), **place})
        return True

    def _times(self, texts: Iterable[str]) -> list[datetime]:
        """Return one time per text; an invalid one takes the time before it, or the file's."""
        times: list[datetime] = []
        for text in texts:
            when = parse_moment(text)
            self._undated += when is None
            times.append(when or (times[-1] if times else self._fallback))
        return times


def _page(page_id: str, turn: Turn, when: datetime) -> dict[str, object]:
    moment = when.isoformat()
    said = [(role, text) for role, text in (("user", turn.user), ("assistant", turn.agent)) if text.strip()]
    messages = [{"role": role, "text": text, "timestamp": moment, "id": f"{page_id}-{role}"} for role, text in said]
    if turn.timestamp and parse_moment(turn.timestamp) is None:
        messages[0]["payload"] = json.dumps({"published": {"timestamp": turn.timestamp}}, ensure_ascii=False)
    tokens = sum(estimate_tokens(text) for _, text in said)
    return {"id": page_id, "session_id": SESSION, "messages": messages, "timestamp": moment, "tokens": tokens}


def _segment(segment: SavedSegment, last_access: datetime) -> dict[str, object]:
    return {
        "kind": "segment",
        "id": segment.id,
        "summary": segment.summary,
        "keywords": list(segment.keywords),
        "n_visit": segment.visits,
        "l_interaction": segment.interactions,
        "last_access": last_access.isoformat(),
    }


def _overviews(pages: Sequence[SavedPage], chains: Mapping[str, str]) -> dict[str, str]:
    """The newest overview of each chain: the published code rewrote it for the whole chain at every page."""
    overviews = dict.fromkeys(chains.values(), "")
    overviews.update((chains[page.id], page.overview) for page in pages if page.id in chains and page.overview)
    return overviews


def _digest(*parts: str) -> str:
    return hashlib.sha256(json.dumps(["published", *parts]).encode()).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class Housing:
    """Segments with their pages, each page in one segment; the number of skipped copies, and notes."""

    segments: tuple[SavedSegment, ...]
    copies: int
    notes: tuple[str, ...]


def house(segments: Sequence[SavedSegment]) -> Housing:
    """Give each page its first segment. A segment left without pages hands its description to where they live."""
    home_of: dict[tuple[object, ...], str] = {}
    housed: dict[str, SavedSegment] = {}
    notes: list[str] = []
    for number, segment in enumerate(segments):
        own: list[SavedPage] = []
        for page in segment.pages:
            # An id has only 32 bits, so the text is compared too; a page without an id is never a copy.
            key = (page.id, page.turn) if page.id else (number, len(own))
            if key not in home_of:
                home_of[key] = segment.id
                own.append(page)
        if own:
            # The published counters included copies.
            interactions = max(0, segment.interactions - (len(segment.pages) - len(own)))
            housed[segment.id] = replace(segment, pages=tuple(own), interactions=interactions)
        elif segment.pages:
            home = home_of[segment.pages[0].id, segment.pages[0].turn]
            housed[home] = _with_topic(housed[home], segment)
            notes.append(f"segment {segment.id!r} had no page of its own: its description joined that of {home!r}")
        else:
            notes.append(f"segment {segment.id!r} had no page at all and was not imported")
    copies = sum(len(s.pages) for s in segments) - len(home_of)
    if copies:
        notes.insert(0, f"{copies} pages were in a second segment too; each was imported once, in its first")
    return Housing(tuple(housed.values()), copies, tuple(notes))


def _with_topic(home: SavedSegment, other: SavedSegment) -> SavedSegment:
    """Another topic of the same pages joins; visits are not added up, since one recall visited both."""
    apart = other.summary and other.summary not in home.summary
    return replace(
        home,
        summary=f"{home.summary} {other.summary}".strip() if apart else home.summary,
        keywords=tuple(dict.fromkeys((*home.keywords, *other.keywords))),
        visits=max(home.visits, other.visits),
    )


def link(pages: Sequence[SavedPage]) -> dict[str, str]:
    """Return the chain of each linked or summarised page, by page id: links join pages to chains transitively.

    The chain is named after its first page, so that it keeps its id while it grows.
    """
    neighbours: dict[str, set[str]] = {page.id: set() for page in pages if page.id}
    for page in pages:
        for other in page.links:
            if page.id and other in neighbours:
                neighbours[page.id].add(other)
                neighbours[other].add(page.id)
    chains: dict[str, str] = {}
    for page in pages:
        if page.id and page.id not in chains and (neighbours[page.id] or page.overview):
            chains.update(dict.fromkeys(_reachable(page.id, neighbours), f"chain-of-{page.id}"))
    return chains


def _reachable(start: str, neighbours: dict[str, set[str]]) -> set[str]:
    seen, waiting = {start}, [start]
    while waiting:
        fresh = neighbours[waiting.pop()] - seen
        seen |= fresh
        waiting.extend(fresh)
    return seen


DEFAULT_ASSISTANT = "default_assistant_profile"
_RECOMPUTED = "embeddings, page keywords, recency and access counts are not imported: they are computed again"


@dataclass(frozen=True, slots=True)
class PublishedFiles:
    """The folders of a data directory, by id. Ids are compared with names on disk and never become a path."""

    users: dict[str, Path]
    assistants: dict[str, Path]
    notes: tuple[str, ...] = ()

    def of_assistant(self, assistant_id: str | None) -> str:
        """Return the assistant: the given one, else the only one, else the published default.

        Raises:
            InvalidInputError: there are several and none was given.
        """
        if assistant_id is None and len(self.assistants) > 1:
            names = ", ".join(map(repr, self.assistants))
            raise InvalidInputError(f"these files belong to several assistants ({names}): name one with assistant_id=")
        return assistant_id or next(iter(self.assistants), DEFAULT_ASSISTANT)


def find_published(path: str | Path) -> PublishedFiles:
    """Find the published files under a data directory, or in the folder of one user, without reading them."""
    root = Path(path)
    if any((root / name).is_file() for name in USER_FILES):
        root, users = root.parent.parent, {root.name: root}
    else:
        users = {p.name: p for p in _folders(root / "users") if any((p / name).is_file() for name in USER_FILES)}
    assistants = {p.name: p for p in _folders(root / "assistants") if (p / ASSISTANT_FILE).is_file()}
    foreign = [*sorted(root.glob("metadata_*.json")), *sorted(root.glob("*/metadata_*.json"))]
    notes = (f"{str(file)!r} is of the chromadb variant, which is not read" for file in foreign)
    return PublishedFiles(users, assistants, tuple(notes))


def import_published(
    path: str | Path,
    memory: MemoryOS,
    *,
    user_id: str | None = None,
    assistant_id: str | None = None,
    assistant_file: bool = True,
) -> RestoreReport:
    """Import the JSON files of the published MemoryOS into a memory; importing again adds new entries.

    Every file is read before anything is written. Pages keep their texts, times, segments, chains and marks; a naive
    time is UTC. An assistant's file held facts from the conversations of all its users: it goes to `user_id`, or to
    the only user there is, and otherwise to nobody, with a note.

    Args:
        path: the data directory (with `users` and `assistants` in it), or the folder of one user.
        memory: the target.
        user_id: only this user; None is all.
        assistant_id: the assistant whose facts are read, and under which everything is kept; None is the only one
            in the directory, else the published default.
        assistant_file: False leaves the assistant's file out.

    Raises:
        NotFoundError: there are no published files here, or none of this user.
        InvalidInputError: a file is damaged or of another shape (named), or several assistants are there and
            `assistant_id` says nothing.
    """
    found = find_published(path)
    assistant = found.of_assistant(assistant_id)
    wanted = _users_to_import(found, path, user_id, assistant)
    people = [read_user(name, found.users[name]) if name in found.users else None for name in wanted]
    shared = read_assistant(assistant, found.assistants[assistant]) if assistant in found.assistants else None
    brought = shared if assistant_file and len(wanted) == 1 else None
    total = RestoreReport(remarks=(*found.notes, *(shared.notes if shared else ())))
    for name, person in zip(wanted, people, strict=True):
        total = _sum(total, _bring(memory, Scope(name, assistant), person, brought))
    if shared is None or not shared.knowledge:
        return total
    left = 0 if brought else len(shared.knowledge)
    told = _about_assistant(shared, wanted[0] if brought else None, len(found.users))
    return replace(total, skipped=total.skipped + left, remarks=(*total.remarks, told))


def _users_to_import(found: PublishedFiles, path: str | Path, user_id: str | None, assistant_id: str) -> list[str]:
    if user_id is not None:
        if user_id not in found.users and assistant_id not in found.assistants:
            raise NotFoundError(f"no published files of user {user_id!r} are under {str(path)!r}")
        return [user_id]
    if not found.users and not found.notes:
        raise NotFoundError(f"no published files are under {str(path)!r}, such as users/<user_id>/{USER_FILES[0]}")
    return list(found.users)


def _bring(memory: MemoryOS, scope: Scope, person: SavedUser | None, shared: SavedAssistant | None) -> RestoreReport:
    saved = [part.written for part in (person, shared) if part is not None]
    if not saved:
        return RestoreReport()
    records = Records(max(saved), _known_pages(memory, scope))
    if person is not None:
        records.add_user(person)
    if shared is not None:
        records.add_facts(shared.knowledge, "assistant")
    who = {"kind": "scope", "user_id": scope.user_id, "assistant_id": scope.assistant_id}
    report = memory.restore([who, *records.in_order()])
    notes = (*report.remarks, *records.notes(), *((_RECOMPUTED,) if report.pages else ()))
    return replace(report, skipped=report.skipped + records.skipped, remarks=notes)


def _known_pages(memory: MemoryOS, scope: Scope) -> frozenset[str]:
    if scope not in memory.scopes():
        return frozenset()
    records = memory.user(scope.user_id, assistant_id=scope.assistant_id).export()
    return frozenset(str(record["id"]) for record in records if record["kind"] == "page")


def _about_assistant(shared: SavedAssistant, recipient: str | None, users: int) -> str:
    count = f"{len(shared.knowledge)} entries about assistant {shared.assistant_id!r}"
    if recipient is None:
        return f"{count} were not imported: all users shared them; import_published(…, user_id=…) imports them for one"
    among = f"; the file was shared by {users} users and may hold what others said" if users > 1 else ""
    return f"{count} were imported for user {recipient!r} only{among}"


def _folders(root: Path) -> list[Path]:
    return sorted(p for p in root.iterdir() if p.is_dir()) if root.is_dir() else []


def _sum(a: RestoreReport, b: RestoreReport) -> RestoreReport:
    return replace(a, **{f.name: getattr(a, f.name) + getattr(b, f.name) for f in fields(RestoreReport)})
