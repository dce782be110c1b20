"""Finds the published files, chooses their scopes, and imports them. The files are never changed."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from pathlib import Path

from memoryos_core.api.memory import MemoryOS
from memoryos_core.errors import InvalidInputError, NotFoundError
from memoryos_core.ops.compat.files.records import Records
from memoryos_core.ops.compat.files.saved import (
    ASSISTANT_FILE,
    USER_FILES,
    SavedAssistant,
    SavedUser,
    read_assistant,
    read_user,
)
from memoryos_core.values.dialogue import Scope
from memoryos_core.values.reports import RestoreReport

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
