"""Values of the published files, as read.

Reads untrusted JSON files of the published code: every error names the file and the place in it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import cast

from memoryos_core.errors import InvalidInputError

USER_FILES = ("short_term.json", "mid_term.json", "long_term_user.json")
ASSISTANT_FILE = "long_term_assistant.json"
_NOTHING = ("", "none")


@dataclass(frozen=True, slots=True)
class Turn:
    """One question and its answer, with the time as it was written."""

    user: str
    agent: str
    timestamp: str


@dataclass(frozen=True, slots=True)
class SavedPage:
    """A turn in mid-term memory. Links name other pages of the file, or pages that were evicted from it."""

    turn: Turn
    id: str
    links: tuple[str, ...]
    overview: str
    analysed: bool


@dataclass(frozen=True, slots=True)
class SavedSegment:
    """A "session" of mid_term.json."""

    id: str
    summary: str
    keywords: tuple[str, ...]
    visits: int
    interactions: int
    last_visit: str
    pages: tuple[SavedPage, ...]


@dataclass(frozen=True, slots=True)
class Knowledge:
    """One entry of a knowledge list."""

    text: str
    timestamp: str


@dataclass(frozen=True, slots=True)
class SavedUser:
    """The three files of one user; `written` is the time of the newest."""

    user_id: str
    turns: tuple[Turn, ...]
    segments: tuple[SavedSegment, ...]
    profile: Knowledge
    about_user: tuple[Knowledge, ...]
    about_assistant: tuple[Knowledge, ...]
    written: datetime
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SavedAssistant:
    """The file of one assistant, which all of its users shared."""

    assistant_id: str
    knowledge: tuple[Knowledge, ...]
    written: datetime
    notes: tuple[str, ...] = ()


def read_user(user_id: str, folder: Path) -> SavedUser:
    """Read the files of a user's folder. Raises InvalidInputError that names the file."""
    short_term, mid_term, long_term = (read_json(folder / name) for name in USER_FILES)
    profiles = dict(long_term["user_profiles"].entries())
    own = profiles.pop(user_id, Node(None, long_term.file))
    notes = [_other_profiles(long_term.file, len(profiles))] if profiles else []
    notes += [
        f"{str(other)!r} is not one of the published files and was not read"
        for other in sorted(folder.glob("*.json"))
        if other.name not in USER_FILES
    ]
    return SavedUser(
        user_id,
        turns=tuple(map(_turn, short_term)),
        segments=tuple(_segment(key, node) for key, node in mid_term["sessions"].entries()),
        profile=Knowledge(_profile(own["data"]), own["last_updated"].text()),
        about_user=_knowledge(long_term["knowledge_base"]),
        about_assistant=_knowledge(long_term["assistant_knowledge"]),
        written=max(modification_time(folder / name) for name in USER_FILES),
        notes=tuple(notes),
    )


def read_assistant(assistant_id: str, folder: Path) -> SavedAssistant:
    """Read the file of an assistant's folder. Raises InvalidInputError that names the file."""
    content = read_json(folder / ASSISTANT_FILE)
    notes: list[str] = []
    profiles, about_user = len(content["user_profiles"].entries()), len(_knowledge(content["knowledge_base"]))
    if profiles:
        notes.append(_other_profiles(content.file, profiles))
    if about_user:
        notes.append(f"{about_user} entries about a user who is not named, in {str(content.file)!r}, were not imported")
    knowledge = _knowledge(content["assistant_knowledge"])
    return SavedAssistant(assistant_id, knowledge, modification_time(content.file), tuple(notes))


def _other_profiles(file: Path, count: int) -> str:
    return f"{count} profiles of other users, in {str(file)!r}, were not imported"


def _turn(node: Node) -> Turn:
    return Turn(node["user_input"].text(), node["agent_response"].text(), node["timestamp"].text())


def _page(node: Node) -> SavedPage:
    links = (node["pre_page"].text(), node["next_page"].text())
    return SavedPage(
        turn=_turn(node),
        id=node["page_id"].text(),
        links=tuple(link for link in links if link),
        overview=node["meta_info"].text().strip(),
        analysed=node["analyzed"].flag(),
    )


def _segment(key: str, node: Node) -> SavedSegment:
    return SavedSegment(
        id=node["id"].text() or key,
        summary=node["summary"].text().strip(),
        keywords=tuple(dict.fromkeys(k.strip() for k in node["summary_keywords"].texts() if k.strip())),
        visits=node["N_visit"].count(),
        interactions=node["L_interaction"].count(),
        last_visit=node["last_visit_time"].text() or node["timestamp"].text(),
        pages=tuple(map(_page, node["details"])),
    )


def _profile(node: Node) -> str:
    """The profile text; a variant of the published code kept parsed JSON in its place."""
    value = node.value
    text = json.dumps(cast("object", value), ensure_ascii=False) if isinstance(value, dict) else node.text()
    return "" if text.strip().lower() in _NOTHING else text


def _knowledge(entries: Node) -> tuple[Knowledge, ...]:
    return tuple(Knowledge(_fact(entry["knowledge"].text()), entry["timestamp"].text()) for entry in entries)


def _fact(line: str) -> str:
    """The line without its bullet; empty when it only says that nothing was found."""
    text = line.strip()
    text = text[1:].lstrip() if text[:2] in ("- ", "* ", "• ") else text
    return "" if text.lower() in _NOTHING else text


@dataclass(frozen=True, slots=True)
class Node:
    """A value in a file, with its place. An absent or null value reads as empty, zero or False."""

    value: object
    file: Path
    place: str = ""

    def __getitem__(self, key: str) -> Node:
        """A field of an object; absent ones have the value None. Raises InvalidInputError when this is no object."""
        value = self._mapping().get(key)
        return Node(value, self.file, f"{self.place}.{key}" if self.place else key)

    def __iter__(self) -> Iterator[Node]:
        """The elements of a list. Raises InvalidInputError when this is no list."""
        if self.value is None:
            return
        found = self.value
        if not isinstance(found, list):
            raise self._unlike("a list")
        for number, element in enumerate(cast("Sequence[object]", found)):
            yield Node(element, self.file, f"{self.place}[{number}]")

    def entries(self) -> list[tuple[str, Node]]:
        """The fields of an object, in order."""
        return [(key, self[key]) for key in self._mapping()]

    def text(self) -> str:
        """A text, verbatim."""
        if self.value is None:
            return ""
        if not isinstance(self.value, str):
            raise self._unlike("a text")
        return self.value

    def texts(self) -> tuple[str, ...]:
        """A list of texts."""
        return tuple(element.text() for element in self)

    def count(self) -> int:
        """A whole number, 0 or more."""
        if self.value is None:
            return 0
        number = self.value
        if isinstance(number, bool) or not isinstance(number, (int, float)) or not 0 <= number < math.inf:
            raise self._unlike("a number, 0 or more")
        return int(number)

    def flag(self) -> bool:
        """True or false."""
        return self.value is True

    def _mapping(self) -> Mapping[str, object]:
        if self.value is None:
            return {}
        found = self.value
        if not isinstance(found, dict):
            raise self._unlike("an object")
        return cast("Mapping[str, object]", found)

    def _unlike(self, expected: str) -> InvalidInputError:
        found = type(self.value).__name__
        where = f"{str(self.file)!r}{' at ' if self.place else ''}{self.place}"
        return InvalidInputError(
            f"{where} is not in the published shape: expected {expected}, got {found}; nothing was imported"
        )


def read_json(file: Path) -> Node:
    """Read a whole file; an absent one reads as empty.

    Raises:
        InvalidInputError: the file cannot be read, or is not (or only half of) a JSON document.
    """
    try:
        content = file.read_text("utf-8-sig")
    except (FileNotFoundError, NotADirectoryError):
        return Node(None, file)
    except OSError as error:
        raise InvalidInputError(f"{str(file)!r} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError:
        raise InvalidInputError(f"{str(file)!r} is not UTF-8 text; repair it or move it away") from None
    try:
        return Node(json.loads(content), file)
    except (ValueError, RecursionError) as error:
        # The reason is a position or a token, never the text around it; the document itself hangs on the error.
        where = f" (line {error.lineno}, column {error.colno})" if isinstance(error, json.JSONDecodeError) else ""
        raise InvalidInputError(
            f"{str(file)!r} is damaged or half-written{where}: nothing was imported; repair it or move it away"
        ) from None


def modification_time(file: Path) -> datetime:
    """Return the time of the last write to a file; the epoch when it is missing."""
    try:
        return datetime.fromtimestamp(file.stat().st_mtime, timezone.utc)
    except OSError:
        return datetime.fromtimestamp(0, timezone.utc)
