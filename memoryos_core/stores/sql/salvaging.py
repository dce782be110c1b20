"""Taking every row that can be read out of a damaged file into a new memory, and naming the others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from sqlalchemy import Boolean, Column, Engine, Integer, LargeBinary, Table

from memoryos_core.errors import InvalidInputError, StoreCorruptError, StoreKeyError, UnsupportedError
from memoryos_core.stores.sql.columns import Floats, Instant, Messages, Words, unescape
from memoryos_core.stores.sql.damage import WORDS
from memoryos_core.stores.sql.database import Database, file_of
from memoryos_core.stores.sql.files import head_of, new_file
from memoryos_core.stores.sql.opening import bring_up_to_date
from memoryos_core.stores.sql.sqlcipher import derive_key
from memoryos_core.stores.sql.sqlite_file import (
    INDEX_INTERIOR,
    INDEX_LEAF,
    TABLE_LEAF,
    Cipher,
    Entry,
    SqliteFile,
    UnreadableError,
)
from memoryos_core.stores.sql.tables import chunks, metadata, postings, scopes, units
from memoryos_core.stores.sql.vector_column import Embedding
from memoryos_core.values.dialogue import Scope
from memoryos_core.values.encryption_keys import Keys
from memoryos_core.values.reports import CheckFinding, SalvageReport

Progress: TypeAlias = Callable[[int, int], None]
_PREFIX = "memoryos_"
_DERIVED = (units.name, postings.name, chunks.name)
"""Tables that are made again from others."""
_OUTLIVING = ("memoryos_audit", "memoryos_tombstones")
_LARGEST = 1 << 61
_SCOPE = 32  # letters of a scope's name

# In this order, on the new file. What is described stands in for a lost row; what points to nothing goes.
_MENDING = (
    """INSERT OR IGNORE INTO memoryos_segments
    (scope, id, seq, summary, keywords, centroid, n_visit, l_interaction, last_access, archived, rev)
    SELECT scope, segment_id, MIN(seq), '', '[]', x'', 0, COUNT(*), MAX(timestamp), MIN(tier = 'archive'), MAX(rev)
    FROM memoryos_pages p WHERE segment_id IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM memoryos_segments s WHERE s.scope = p.scope AND s.id = p.segment_id)
    GROUP BY scope, segment_id""",
    """INSERT OR IGNORE INTO memoryos_chains (scope, id, summary) SELECT DISTINCT scope, chain_id, ''
    FROM memoryos_pages p WHERE chain_id IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM memoryos_chains c WHERE c.scope = p.scope AND c.id = p.chain_id)""",
    "DELETE FROM memoryos_vectors WHERE NOT EXISTS (SELECT 1 FROM memoryos_embedder)",
    """DELETE FROM memoryos_vectors AS v WHERE
    NOT EXISTS (SELECT 1 FROM memoryos_pages p WHERE p.scope = v.scope AND p.id = v.owner_id)
    AND NOT EXISTS (SELECT 1 FROM memoryos_facts f WHERE f.scope = v.scope AND f.id = v.owner_id)""",
    """DELETE FROM memoryos_citations AS c WHERE
    (kind = 'fact' AND NOT EXISTS (SELECT 1 FROM memoryos_facts f WHERE f.scope = c.scope AND f.id = c.item_id))
    OR (kind = 'persona' AND NOT EXISTS
    (SELECT 1 FROM memoryos_persona f WHERE f.scope = c.scope AND f.id = c.item_id))""",
    """UPDATE memoryos_facts AS f SET superseded_by = NULL WHERE superseded_by IS NOT NULL AND
    NOT EXISTS (SELECT 1 FROM memoryos_facts g WHERE g.scope = f.scope AND g.id = f.superseded_by)""",
    """UPDATE memoryos_notes AS n SET fact_id = NULL WHERE fact_id IS NOT NULL AND
    NOT EXISTS (SELECT 1 FROM memoryos_facts f WHERE f.scope = n.scope AND f.id = n.fact_id)""",
)
_SETTLING = (
    """DELETE FROM memoryos_segments AS s WHERE
    NOT EXISTS (SELECT 1 FROM memoryos_pages p WHERE p.scope = s.scope AND p.segment_id = s.id)""",
    """UPDATE memoryos_segments AS s SET archived = NOT EXISTS
    (SELECT 1 FROM memoryos_pages p WHERE p.scope = s.scope AND p.segment_id = s.id AND p.tier = 'mid_term')""",
    """UPDATE memoryos_pages AS p SET embedded = 0 WHERE embedded AND (
    NOT EXISTS (SELECT 1 FROM memoryos_vectors v WHERE v.scope = p.scope AND v.owner_id = p.id)
    OR EXISTS (SELECT 1 FROM memoryos_segments s
    WHERE s.scope = p.scope AND s.id = p.segment_id AND s.centroid = x''))""",
    """UPDATE memoryos_pages AS p SET reread = 1 WHERE tier = 'mid_term' AND EXISTS
    (SELECT 1 FROM memoryos_segments s WHERE s.scope = p.scope AND s.id = p.segment_id AND s.summary = '')""",
    """UPDATE memoryos_scopes AS s SET lease_holder = NULL, lease_until = NULL,
    due = CAST((julianday('now') - 2440587.5) * 43200000000.0 AS INTEGER) * 2,
    last_seq = MAX(last_seq, COALESCE((SELECT MAX(seq) FROM memoryos_pages p WHERE p.scope = s.scope), 0)),
    version = 1 + MAX(version,
        COALESCE((SELECT MAX(rev) FROM memoryos_pages p WHERE p.scope = s.scope), 0),
        COALESCE((SELECT MAX(rev) FROM memoryos_facts p WHERE p.scope = s.scope), 0),
        COALESCE((SELECT MAX(seq) FROM memoryos_segments p WHERE p.scope = s.scope), 0),
        COALESCE((SELECT MAX(rev) FROM memoryos_segments p WHERE p.scope = s.scope), 0),
        COALESCE((SELECT MAX(rev) FROM memoryos_notes p WHERE p.scope = s.scope), 0))""",
)


def salvage(url: str, new: Path, keys: Keys | None, users: Sequence[Scope], progress: Progress) -> SalvageReport:
    """Read what can be read of a SQLite file into a new one, under the same key. The source is never written to.

    `users` name those whose own row may be lost. Raises InvalidInputError, StoreKeyError, StoreError.
    """
    source = file_of(url)
    if source is None:
        raise UnsupportedError("only a memory in a SQLite file can be salvaged; a server has tools of its own")
    if not head_of(source, 1):
        raise InvalidInputError("there is no file at this URL, or it is empty or unreadable; nothing was written")
    file = _open_file(source, keys)
    if "?" in str(new):
        raise InvalidInputError("the name of the new file holds a '?', which ends the path in a URL; name another")
    with new_file(new) as partial, closing(Database(f"sqlite:///{partial}", keys=keys)) as database:
        bring_up_to_date(database)
        work = _Salvage(file, users, progress)
        database.outside(work.run)
        database.close()  # before it gets its name, since the log goes with the last connection
    return work.report()


def _open_file(source: Path, keys: Keys | None) -> SqliteFile:
    if keys is None:
        file = SqliteFile(source)
        if any(_kind(file, number) is not None for number in range(1, file.count + 1)):
            return file
        raise StoreCorruptError("no page of this file can be read: it is encrypted, or it is no database")
    for key in keys.each():
        file = SqliteFile(source, Cipher(derive_key(key, salt := head_of(source, 16)), salt))
        if any(_kind(file, number) is not None for number in range(1, file.count + 1)):
            return file
    raise StoreKeyError("the key opens no page of this file: another key, or the first bytes of the file are damaged")


def _kind(file: SqliteFile, number: int) -> int | None:
    with suppress(UnreadableError):
        kind = file.page(number)[100 if number == 1 else 0]
        return kind if kind in (TABLE_LEAF, 5, INDEX_LEAF, INDEX_INTERIOR) else None
    return None


@dataclass(frozen=True, slots=True)
class _Shape:
    """A table as it stands in a file: its columns in the order in which they were created."""

    table: Table
    columns: tuple[Column[Any], ...]
    rowid: int | None
    """The place of the column that is another name of the rowid."""

    def row(self, entry: Entry) -> tuple[Any, ...] | None:
        """Return the values of an entry when they are a row of this table that can be decoded."""
        values = self.values(entry)
        if values is None:
            return None
        if self.rowid is not None:  # its column is written as NULL
            values[self.rowid] = entry.rowid if values[self.rowid] is None else None
        fit = all(_fits(column, value) for column, value in zip(self.columns, values, strict=True))
        return tuple(values) if fit else None

    def values(self, entry: Entry) -> list[Any] | None:
        """Return a value for each column; None for an entry of more columns, or of fewer than some version had.

        SQLite leaves a row as it is when its table gets a column, and reads it as empty.
        """
        added = self.columns[len(entry.values) :]
        if len(entry.values) > len(self.columns) or not all(column.nullable for column in added):
            return None
        return [*entry.values, *(None for _ in added)]


def _fits(column: Column[Any], value: object) -> bool:
    kind = column.type
    if value is None:
        return bool(column.nullable)
    if isinstance(kind, (Floats, Embedding, LargeBinary)):
        return isinstance(value, bytes) and len(value) % 4 == 0
    if isinstance(kind, (Integer, Boolean, Instant)):
        return isinstance(value, int) and (value in (0, 1) if isinstance(kind, Boolean) else abs(value) < _LARGEST)
    return isinstance(value, str) and _is_text(column, value)


def _is_text(column: Column[Any], value: str) -> bool:
    if column.name == "scope" and len(value) != _SCOPE:
        return False
    if isinstance(column.type, (Messages, Words)):
        try:
            column.type.read(unescape(value))
        except (AttributeError, KeyError, OverflowError, RecursionError, TypeError, ValueError):
            return False
    return value in WORDS.get(column.name, (value,))


class _Salvage:
    """One pass over the pages, a second over the indexes for the names of what was not found, then the mending."""

    def __init__(self, file: SqliteFile, users: Sequence[Scope], progress: Progress) -> None:
        self._file, self._users, self._progress = file, users, progress
        self._pages: set[int] = set()
        self._lost: dict[tuple[str | None, str], set[str]] = defaultdict(set)
        self._kept: dict[str, int] = {}
        self._names: dict[str, Scope] = {scope.key: scope for scope in users}
        self._run: Any = None
        self._shapes: dict[str, _Shape] = {}
        self._homes: dict[int, str] = {}

    def run(self, engine: Engine) -> None:
        """Fill the new file, in one transaction."""
        with closing(engine.raw_connection()) as raw:
            self._run = raw.dbapi_connection.execute  # type: ignore[union-attr]  # a pooled connection has a driver's
            self._run("PRAGMA foreign_keys=OFF")
            self._run("BEGIN IMMEDIATE")
            self._shapes = {shape.table.name: shape for shape in self._read_shapes()}
            self._run("DELETE FROM memoryos_embedder")
            (made,) = self._run("SELECT secret FROM memoryos_secret").fetchone()
            self._run("DELETE FROM memoryos_secret")
            self._homes = {page: name for name, root in self._roots("table") for page in self._walk(root, {TABLE_LEAF})}
            self._take_rows()
            self._run("INSERT OR IGNORE INTO memoryos_secret (id, secret) VALUES (1, ?)", (made,))  # where it is lost
            self._place_scopes()
            self._name_lost()
            for statement in _MENDING:
                self._run(statement)
            self._drop_dangling()
            for statement in _SETTLING:
                self._run(statement)
            names = [name for name in self._shapes if name not in _DERIVED]
            self._kept = {n.removeprefix(_PREFIX): self._run(f"SELECT COUNT(*) FROM {n}").fetchone()[0] for n in names}  # noqa: S608
            self._run("COMMIT")
            self._run("PRAGMA foreign_keys=ON")

    def report(self) -> SalvageReport:
        """Return how many rows of each table are in the new file, and what is not, with its ids."""
        findings = [
            CheckFinding(self._names.get(key or ""), law, len(ids), tuple(sorted(ids)))
            for (key, law), ids in sorted(self._lost.items(), key=lambda item: (item[0][0] or "", item[0][1]))
        ]
        if self._pages:
            numbers = tuple(map(str, sorted(self._pages)))
            findings.insert(0, CheckFinding(None, "a page of the file can be read", len(numbers), numbers))
        return SalvageReport({name: count for name, count in self._kept.items() if count}, tuple(findings))

    def _read_shapes(self) -> Iterator[_Shape]:
        for table in metadata.sorted_tables:
            rows = self._run(f"PRAGMA table_info({table.name})").fetchall()
            if rows and table.name not in _DERIVED:
                alias = [row[0] for row in rows if row[2] == "INTEGER" and row[5]]
                keyed = sum(bool(row[5]) for row in rows)
                columns: tuple[Column[Any], ...] = tuple(table.c[str(row[1])] for row in rows)
                yield _Shape(table, columns, alias[0] if len(alias) == keyed == 1 else None)

    def _take_rows(self) -> None:
        for number in range(1, self._file.count + 1):
            self._progress(number, self._file.count)
            try:
                page = self._file.page(number)
            except UnreadableError:
                self._pages.add(number)
                continue
            if page[100 if number == 1 else 0] == TABLE_LEAF and number != 1:
                self._take_page(number, page)

    def _take_page(self, number: int, page: bytes) -> None:
        entries = list(self._file.entries(page, number))
        home = self._homes.get(number)
        likely = [self._shapes[home]] if home in self._shapes else []
        for shapes in (likely, list(self._shapes.values())):  # a damaged page may lead to a wrong table
            rows = {shape.table.name: [entry and shape.row(entry) for entry in entries] for shape in shapes}
            ours = max(rows, key=lambda name: len(rows[name]) - rows[name].count(None), default=home)
            if ours in rows and any(rows[ours]):
                break
        else:
            if home not in self._shapes:
                return  # a table of another application, or the version of our schema
            ours = home
        names = [column.name for column in self._shapes[ours].columns]
        marks = ", ".join("?" * len(names))
        for entry, row in zip(entries, rows[ours], strict=True):
            if row:
                self._run(f"INSERT OR IGNORE INTO {ours} ({', '.join(names)}) VALUES ({marks})", row)  # noqa: S608
            else:
                self._pages.add(number)
                self._lose_entry(ours, entry)

    def _lose_entry(self, name: str, entry: Entry | None) -> None:
        """Name a row that is damaged by what can still be read of it."""
        shape = self._shapes.get(name)
        found = None if shape is None or entry is None else shape.values(entry)
        if shape is None or found is None:
            return
        values = dict(zip((column.name for column in shape.columns), found, strict=True))
        self._lose(name, [values[column.name] for column in shape.table.primary_key])

    def _lose(self, name: str, key: Sequence[object]) -> None:
        texts = [value if isinstance(value, (str, int)) else "unreadable" for value in key]
        scoped = "scope" in metadata.tables[name].c
        scope = str(texts[0]) if scoped else None
        ids = texts[1:] if scoped and len(texts) > 1 else texts
        self._lost[scope, f"a row of {name.removeprefix(_PREFIX)} can be read"].add(" ".join(map(str, ids)))

    def _place_scopes(self) -> None:
        """Bring back the users that were named and whose row is lost; what belongs to nobody known is left out."""
        for key, user, assistant in self._run("SELECT scope, user_id, assistant_id FROM memoryos_scopes").fetchall():
            scope = Scope(unescape(user), unescape(assistant))
            if scope.key == key:
                self._names[key] = scope
            else:
                self._run("DELETE FROM memoryos_scopes WHERE scope = ?", (key,))
        tables = [
            name for name, shape in self._shapes.items() if "scope" in shape.table.c and shape.table is not scopes
        ]
        union = " UNION ".join(f"SELECT scope FROM {name}" for name in tables if name not in _OUTLIVING)  # noqa: S608
        for (key,) in self._run(f"{union} EXCEPT SELECT scope FROM memoryos_scopes").fetchall():  # noqa: S608
            named = self._names.get(key)
            if named is not None:
                values = (key, named.user_id, named.assistant_id)
                self._run(
                    "INSERT INTO memoryos_scopes (scope, user_id, assistant_id, version, epoch, last_seq, "
                    "profile_version) VALUES (?, ?, ?, 0, 0, 0, 0)",
                    values,
                )
            else:
                self._lost[None, "a user is known by name; name it with `users`"].add(key)

    def _name_lost(self) -> None:
        """Find, in the indexes that can still be read, the primary keys of rows that were not found."""
        for name, root in self._roots("index"):
            shape = self._shapes.get(name)
            if shape is None:
                continue
            keys = [column.name for column in shape.table.primary_key]
            where = " AND ".join(f"{key} = ?" for key in keys)
            for values in self._index_entries(root):
                found = values[:-1]
                if len(found) == len(keys) and not self._run(f"SELECT 1 FROM {name} WHERE {where}", found).fetchone():  # noqa: S608
                    self._lose(name, found)

    def _roots(self, kind: str) -> Iterator[tuple[str, int]]:
        """Yield the tables, or the tables of the indexes of primary keys, with the page at which each begins."""
        for page in self._walk(1, {TABLE_LEAF}):
            for entry in self._entries(page):
                with suppress(ValueError, TypeError):
                    found, name, table, root, _ = entry.values
                    if found == kind == "table" or (found == kind and name == f"sqlite_autoindex_{table}_1"):
                        yield str(table), int(root)

    def _index_entries(self, root: int) -> Iterator[tuple[Any, ...]]:
        for page in self._walk(root, {INDEX_LEAF, INDEX_INTERIOR}):
            yield from (entry.values for entry in self._entries(page))

    def _entries(self, number: int) -> Iterator[Entry]:
        with suppress(UnreadableError):
            yield from (e for e in self._file.entries(self._file.page(number), number) if e is not None)

    def _walk(self, root: int, kinds: Collection[int]) -> Iterator[int]:
        """Yield the pages of a tree that can be reached, and note those that cannot be read."""
        seen: set[int] = set()
        waiting = [root]
        while waiting:
            number = waiting.pop()
            if number in seen or not 0 < number <= self._file.count:
                continue
            seen.add(number)
            try:
                page = self._file.page(number)
                kind = page[100 if number == 1 else 0]
                waiting += self._file.children(page, number)
            except (UnreadableError, IndexError):
                continue
            if kind in kinds:
                yield number
            elif kind not in (TABLE_LEAF, 5, INDEX_LEAF, INDEX_INTERIOR):
                self._pages.add(number)

    def _drop_dangling(self) -> None:
        """Delete what refers to rows that are lost, and name it, unless it is made again from others."""
        while found := self._run("PRAGMA foreign_key_check").fetchall():
            for name, rowid, _parent, _number in found:
                keys = [column.name for column in metadata.tables[name].primary_key]
                row = self._run(f"SELECT {', '.join(keys)} FROM {name} WHERE rowid = ?", (rowid,)).fetchone()  # noqa: S608
                if row is not None and name not in _DERIVED:
                    self._lose(name, row)
                self._run(f"DELETE FROM {name} WHERE rowid = ?", (rowid,))  # noqa: S608
