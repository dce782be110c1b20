"""Values of the published files, as read."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import cast

from memoryos_core.ops.compat.files.reading import Node, modification_time, read_json

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
        _turn(node),
        node["page_id"].text(),
        tuple(link for link in links if link),
        node["meta_info"].text().strip(),
        node["analyzed"].flag(),
    )


def _segment(key: str, node: Node) -> SavedSegment:
    return SavedSegment(
        node["id"].text() or key,
        node["summary"].text().strip(),
        tuple(dict.fromkeys(k.strip() for k in node["summary_keywords"].texts() if k.strip())),
        node["N_visit"].count(),
        node["L_interaction"].count(),
        node["last_visit_time"].text() or node["timestamp"].text(),
        tuple(map(_page, node["details"])),
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
