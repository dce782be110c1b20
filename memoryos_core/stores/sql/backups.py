"""A chain of backups in a folder: whole copies, and after each of them the pages that have changed since (ADR 0035).

`20260501T120000.000000Z.db` is a whole copy, `….pages` what has changed since the file that it names. A name is the
moment at which its copy was complete: everything in it was written before, and whatever was accepted before the copy
began is in it.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import shutil
from collections.abc import Generator, Iterable, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from pathlib import Path

from memoryos_core.errors import InvalidInputError, StoreCorruptError, StoreError, StoreUnwritableError
from memoryos_core.stores.sql.checking import check_database
from memoryos_core.stores.sql.database import Database
from memoryos_core.stores.sql.files import new_file
from memoryos_core.stores.sql.forgotten import Receipt, export_forgotten, forget_again
from memoryos_core.stores.sql.opening import bring_up_to_date
from memoryos_core.stores.sql.sqlite_file import SqliteFile
from memoryos_core.stores.sql.tables import metadata
from memoryos_core.stores.sql.writing.retention import vacuum
from memoryos_core.values.encryption_keys import Keys
from memoryos_core.values.reports import BackupReport, ForgetReceipt

RECEIPTS = "forgotten.jsonl"
"""The file beside a chain that tells what was forgotten up to its last backup."""
_MAGIC = b"memoryos pages 1\n"
_NAME = "%Y%m%dT%H%M%S.%fZ"
_DIGEST = 32
_NUMBER = 4


@dataclass(frozen=True, slots=True)
class _Link:
    """One file of a chain: a whole copy, or, with the place of each page in it, what has changed since another file."""

    path: Path
    size: int
    count: int
    after: str = ""
    places: Mapping[int, int] | None = None

    def page(self, number: int) -> bytes | None:
        """Return a page as it stands in this file; None where the file does not hold it."""
        place = (number - 1) * self.size if self.places is None else self.places.get(number)
        if place is None or number > self.count:
            return None
        with self.path.open("rb") as file:
            file.seek(place)
            return file.read(self.size)


def backup_to_folder(database: Database, folder: Path) -> None:
    """Add a backup to a folder: the pages that have changed since its last one, or a whole copy.

    Everything is copied where there is no backup yet, where the last is damaged or under another key, and where the
    changes since the last whole copy would take more room than it. Raises UnsupportedError for a server, StoreError.
    """
    with _our_errors(StoreUnwritableError, f"the folder {str(folder)!r} could not be used"):
        folder.mkdir(mode=0o700, exist_ok=True)
        before = _backups(folder)
    known = list(export_forgotten(database))
    _refuse_another(folder, known[0])
    copy = folder / f"{secrets.token_hex(8)}.partial"
    try:
        database.backup(copy)
        now = datetime.now(timezone.utc)
        if before:  # a clock that was set back: what came later keeps the later name
            now = max(now, before[-1][0] + timedelta(microseconds=1))
        with _our_errors(StoreError, "the last backup could not be read"):
            chain = _chain(before[-1][1]) if before and _is_whole(before[-1][1]) else []
            changed = _changes(database, copy, chain)
        with new_file(folder / f"{now.strftime(_NAME)}.{'db' if changed is None else 'pages'}") as partial:
            if changed is None:
                copy.rename(partial)
            else:
                _write_pages(partial, changed, chain[-1].path.name)
                _read_pages(partial)
    finally:
        for left in folder.glob(f"{copy.name}*"):
            with suppress(OSError):
                left.unlink()
    _write_receipts(folder, known)


def restore_backup(
    source: Path, new: Path, *, at: datetime | None, keys: Keys | None, receipts: Iterable[Receipt]
) -> BackupReport:
    """Write a backup to a new file, whole and checked, without what was forgotten since; say of when it is.

    Of a folder, the newest backup that is not after `at`. Raises InvalidInputError, StoreKeyError, StoreError.
    """
    if "?" in str(new):
        raise InvalidInputError("the name of the new file holds a '?', which ends the path in a URL; name another")
    with _our_errors(StoreError, "the backup could not be read"):
        moment, last, known = _choose(source, at)
        chain = _chain(last)
    with new_file(new) as partial:
        _assemble(chain, partial)
        with closing(Database(f"sqlite:///{partial}", keys=keys)) as database:
            made_by = bring_up_to_date(database)
            if any(True for _ in check_database(database, deep=True)):
                raise StoreCorruptError(f"the backup {last.name!r} is damaged: restore one from before it with at=")
            receipt = forget_again(database, [*known, *receipts], made_by=made_by)
            if receipt != ForgetReceipt():
                names = [table.name for table in metadata.sorted_tables]
                database.outside(lambda engine: vacuum(engine, names, full=True))
    return BackupReport(moment, receipt)


def read_receipts(path: Path) -> list[Receipt]:
    """Read what `export_forgotten` wrote as JSON Lines. Raises InvalidInputError, also for a line that is cut off."""
    found: list[Receipt] = []
    try:
        for number, line in enumerate(path.read_text("ascii").splitlines(), 1):
            found.append(json.loads(line))
            if not isinstance(found[-1], dict):
                raise InvalidInputError(f"line {number} of {path.name!r} is no receipt of what was forgotten")
    except OSError as error:
        raise InvalidInputError(f"{str(path)!r} could not be read ({error.strerror})") from None
    except ValueError as error:
        if isinstance(error, InvalidInputError):
            raise
        raise InvalidInputError(
            f"{path.name!r} is cut off or damaged; write it again with `memoryos forgotten`"
        ) from None
    if not found:
        raise InvalidInputError(f"{path.name!r} is empty, and so cut off; write it again with `memoryos forgotten`")
    return found


@contextmanager
def _our_errors(kind: type[StoreError], what: str) -> Generator[None, None, None]:
    try:
        yield
    except OSError as error:
        raise kind(f"{what} ({error.strerror})") from None


def _backups(folder: Path) -> list[tuple[datetime, Path]]:
    """Return the backups of a folder with their moments, oldest first."""
    found: list[tuple[datetime, Path]] = []
    for path in folder.iterdir():
        if path.suffix in (".db", ".pages"):
            with suppress(ValueError):
                found.append((datetime.strptime(path.stem, _NAME).replace(tzinfo=timezone.utc), path))
    return sorted(found)


def _refuse_another(folder: Path, head: Receipt) -> None:
    path = folder / RECEIPTS
    if path.exists() and read_receipts(path)[0].get("store") != head["store"]:
        raise InvalidInputError(f"{str(folder)!r} holds the backups of another memory; name another folder")


def _write_receipts(folder: Path, known: Iterable[Receipt]) -> None:
    partial = folder / f"{secrets.token_hex(8)}.partial"
    with _our_errors(StoreUnwritableError, "the receipts could not be used"):
        with partial.open("x", encoding="ascii") as file:
            file.writelines(json.dumps(receipt) + "\n" for receipt in known)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(folder / RECEIPTS)


def _choose(source: Path, at: datetime | None) -> tuple[datetime | None, Path, list[Receipt]]:
    """Return the file to restore, its moment, and what is known to be forgotten up to the folder's last backup."""
    if not source.is_dir():
        if at is not None:
            raise InvalidInputError("at= chooses from a folder of backups, and this is one file: leave it out")
        if not source.is_file():
            raise InvalidInputError(f"there is no backup at {str(source)!r}")
        return None, source, []
    found = _backups(source)
    fitting = [(moment, path) for moment, path in found if at is None or moment <= at]
    if not fitting:
        first = f"; the oldest is of {found[0][0].isoformat()}" if found else ""
        raise InvalidInputError(f"the folder {str(source)!r} holds no backup of that time or before{first}")
    known = source / RECEIPTS
    return *fitting[-1], read_receipts(known) if known.exists() else []


def _is_whole(path: Path) -> bool:
    try:
        _chain(path)
    except StoreCorruptError:
        return False
    return True


def _chain(last: Path) -> list[_Link]:
    """Return a whole copy and what followed it, up to a file. Raises StoreCorruptError where one is missing."""
    found = [_read_link(last)]
    while found[-1].places is not None:
        before = last.with_name(found[-1].after)
        if before.name >= found[-1].path.name or not before.is_file():
            raise StoreCorruptError(f"the backup {last.name!r} needs {before.name!r}, which is not beside it")
        found.append(_read_link(before))
    return found[::-1]


def _read_link(path: Path) -> _Link:
    if path.suffix == ".pages":
        return _read_pages(path)
    file = SqliteFile(path)
    return _Link(path, file.page_size, file.count)


def _read_pages(path: Path) -> _Link:
    """Read where the pages of a file are, once its digest fits. Raises StoreCorruptError."""
    broken = StoreCorruptError(f"the backup {path.name!r} is damaged or cut off; restore one from before it with at=")
    with path.open("rb") as file:
        whole, left = hashlib.sha256(), path.stat().st_size - _DIGEST
        while left > 0 and (part := file.read(min(left, 1 << 20))):
            whole.update(part)
            left -= len(part)
        if file.read(_DIGEST + 1) != whole.digest():
            raise broken
        file.seek(0)
        if file.readline() != _MAGIC:
            raise broken
        head = json.loads(file.readline())
        size, place, places = int(head["size"]), file.tell(), dict[int, int]()
        for _ in range(int(head["changed"])):
            file.seek(place)
            places[int.from_bytes(file.read(_NUMBER), "big")] = place + _NUMBER
            place += _NUMBER + size
    return _Link(path, size, int(head["pages"]), str(head["after"]), places)


@dataclass(frozen=True, slots=True)
class _Changes:
    """The pages of a copy that differ from a chain, each as it is to stand in the chain."""

    size: int
    count: int
    pages: Mapping[int, bytes]


def _page_of(chain: list[_Link], number: int) -> bytes | None:
    if number > chain[-1].count:
        return None
    return next((page for link in reversed(chain) if (page := link.page(number)) is not None), None)


def _changes(database: Database, copy: Path, chain: list[_Link]) -> _Changes | None:
    """Compare a copy with a chain, deciphered; None where a whole copy is to be taken."""
    ours, theirs = database.cipher_of(copy), database.cipher_of(chain[0].path) if chain else None
    file = SqliteFile(copy, ours)
    if not chain or chain[0].size != file.page_size or (ours is None) != (theirs is None):
        return None
    room = chain[0].count - sum(len(link.places or ()) for link in chain)
    changed: dict[int, bytes] = {}
    for number in range(1, file.count + 1):
        page, before = file.page(number), _page_of(chain, number)
        if before is not None and theirs is not None:
            before = theirs.open(number, before)
        if page != before:
            changed[number] = page if theirs is None else theirs.seal(number, page)
            if len(changed) > room:
                return None
    return _Changes(file.page_size, file.count, changed)


def _write_pages(path: Path, changes: _Changes, after: str) -> None:
    head = {"after": after, "pages": changes.count, "size": changes.size, "changed": len(changes.pages)}
    whole = hashlib.sha256()
    with open(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as file:  # noqa: PTH123 - with a mode
        for part in (_MAGIC, json.dumps(head).encode() + b"\n"):
            whole.update(part)
            file.write(part)
        for number, page in changes.pages.items():
            part = number.to_bytes(_NUMBER, "big") + page
            whole.update(part)
            file.write(part)
        file.write(whole.digest())


def _assemble(chain: list[_Link], path: Path) -> None:
    """Write the file that a chain describes."""
    with open(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600), "wb") as file:  # noqa: PTH123 - with a mode
        with _our_errors(StoreError, "the backup could not be read"), chain[0].path.open("rb") as base:
            shutil.copyfileobj(base, file)
        for link in chain[1:]:
            for number in link.places or ():
                with _our_errors(StoreError, "the backup could not be read"):
                    page = link.page(number)
                file.seek((number - 1) * link.size)
                file.write(page or b"")
        file.truncate(chain[-1].count * chain[-1].size)
