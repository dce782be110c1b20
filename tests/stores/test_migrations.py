"""The schema's history: run at open, once, whoever comes first, and equal to what the code believes."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from memoryos_core import MemoryConfig, MemoryOS, Message, WorkerConfig
from memoryos_core.errors import StoreCorruptError, StoreError
from memoryos_core.stores import migrations, open_store
from memoryos_core.stores.sql import opening
from memoryos_core.stores.sql.database import Database
from memoryos_core.stores.sql.tables import metadata
from memoryos_core.testing.store_samples import ALICE, add, ids
from tests.faults.forks import fork_at_once

MANUAL = MemoryConfig(worker=WorkerConfig(mode="manual"))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


def schema_of(path: Path) -> list[tuple[str, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("SELECT type, name, sql FROM sqlite_master ORDER BY name").fetchall()


def test_the_migrated_schema_is_the_one_the_code_believes_in(path):
    open_store(f"sqlite:///{path}").close()
    engine = sa.create_engine(f"sqlite:///{path}")
    with engine.connect() as connection:
        options = {"version_table": migrations.VERSION_TABLE, "compare_type": True}
        assert compare_metadata(MigrationContext.configure(connection, opts=options), metadata) == []
    engine.dispose()
    # Alembic compares neither the conditions of partial indexes nor their columns on SQLite: compare their text.
    believed = sa.create_engine("sqlite://")
    metadata.create_all(believed)
    with believed.connect() as connection:
        indexes = set(connection.exec_driver_sql("SELECT sql FROM sqlite_master WHERE sql LIKE 'CREATE%INDEX%'"))
    believed.dispose()
    assert len(indexes) > 8
    assert {(sql,) for kind, _, sql in schema_of(path) if kind == "index" and sql} == {tuple(row) for row in indexes}


def test_opening_again_changes_nothing(path):
    open_store(f"sqlite:///{path}").close()
    before = path.read_bytes()
    open_store(f"sqlite:///{path}").close()
    assert path.read_bytes() == before


def test_upgrading_twice_is_upgrading_once(path):
    database = Database(f"sqlite:///{path}", 1.0)
    for _ in range(2):
        with database.writing(None) as connection:
            migrations.upgrade(connection)
    database.close()
    once = path.with_name("once.db")
    open_store(f"sqlite:///{once}").close()
    assert schema_of(path) == schema_of(once)


def migrated_schema(path: Path) -> str:
    """Return what the revisions make of an empty SQLite file, as `new.sql` holds it."""
    database = Database(f"sqlite:///{path}", 1.0)
    with database.writing(None) as connection:
        migrations.upgrade(connection)
    database.close()
    with closing(sqlite3.connect(path)) as connection:
        made = connection.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid").fetchall()
    return "".join(f"{sql};\n" for (sql,) in made)


def test_a_new_file_is_what_the_revisions_make(path, tmp_path):
    """When it fails after a new revision: write `migrated_schema(path)` to memoryos_core/stores/migrations/new.sql."""
    open_store(f"sqlite:///{path}").close()
    by_revisions = tmp_path / "by_revisions.db"
    assert (Path(migrations.__file__).parent / "new.sql").read_text("utf-8") == migrated_schema(by_revisions)
    assert schema_of(path) == schema_of(by_revisions)
    rows = [dict(held_rows(file)) for file in (path, by_revisions)]
    marks = [(file.pop("application_id"), file.pop("memoryos_secret")) for file in rows]
    assert rows[0] == rows[1] == {"memoryos_version": [(migrations.REVISIONS[-1],)]}
    assert len(dict.fromkeys(marks[0][0] + marks[1][0])) == 2  # no file has another's mark, nor its secret
    assert [[number for number, _ in secrets] for _, secrets in marks] == [[1], [1]]
    assert marks[0][1] != marks[1][1]


def held_rows(path: Path) -> list[tuple[str, list[tuple[object, ...]]]]:
    with closing(sqlite3.connect(path)) as connection:
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        rows = [(name, connection.execute(f"SELECT * FROM {name}").fetchall()) for name in tables]
        mark = connection.execute("PRAGMA application_id").fetchall()
    return [*((name, found) for name, found in rows if found), ("application_id", mark)]


def test_a_new_or_current_file_is_opened_without_alembic(path):
    code = f"""
import sys
from memoryos_core.stores import open_store
for _ in range(2):
    open_store("sqlite:///{path}").close()
print(sorted({{"alembic", "mako", "pygments"}} & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout.strip() == "[]"


def test_the_list_of_revisions_is_the_chain_of_files():
    config = Config()
    config.set_main_option("script_location", str(Path(migrations.__file__).parent))
    config.set_main_option("path_separator", "os")
    scripts = ScriptDirectory.from_config(config)
    assert tuple(s.revision for s in reversed(list(scripts.walk_revisions()))) == migrations.REVISIONS


def test_the_id_of_an_application_that_shares_the_file_is_left(path):
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA application_id = 77")
    open_store(f"sqlite:///{path}").close()
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA application_id").fetchone()[0] == 77


@pytest.mark.parametrize(
    ("revision", "advice"),
    [("0010", "export its users with that version"), ("0017", "upgrade memoryos"), ("later", "upgrade memoryos")],
)
def test_an_unknown_schema_is_refused_with_what_to_do_and_nothing_is_changed(path, revision, advice):
    open_store(f"sqlite:///{path}").close()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"UPDATE {migrations.VERSION_TABLE} SET version_num = ?", (revision,))
    before = path.read_bytes()
    with pytest.raises(StoreCorruptError, match=f"{revision}.*nothing was changed: {advice}"):
        open_store(f"sqlite:///{path}")
    assert path.read_bytes() == before


def test_a_later_migration_keeps_what_a_file_holds(path, monkeypatch, tmp_path):
    with closing(open_store(f"sqlite:///{path}")) as store:
        (page,) = add(store, "tea")
    folder = tmp_path / "migrations"
    shutil.copytree(Path(migrations.__file__).parent, folder)
    lines = ("from alembic import op", 'revision, down_revision = "0017", "0016"', "def upgrade() -> None:")
    (folder / "versions" / "0017_next.py").write_text(
        "\n".join((*lines, '    op.execute("ALTER TABLE memoryos_pages ADD COLUMN later TEXT")')), encoding="utf-8"
    )
    monkeypatch.setattr(migrations, "__file__", str(folder / "__init__.py"))
    monkeypatch.setattr(opening, "REVISIONS", (*migrations.REVISIONS, "0017"))
    with closing(open_store(f"sqlite:///{path}")) as store:
        assert ids(store) == [page.id]
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT later FROM memoryos_pages").fetchall() == [(None,)]
        assert connection.execute(f"SELECT version_num FROM {migrations.VERSION_TABLE}").fetchall() == [("0017",)]


def set_back(path: Path) -> None:
    """Make the file what the first revision left."""
    with closing(sqlite3.connect(path)) as connection, connection:
        for table in ("chunks", "tombstones", "secret"):
            connection.execute(f"DROP TABLE memoryos_{table}")
        connection.execute("ALTER TABLE memoryos_grants DROP COLUMN until")
        connection.execute("ALTER TABLE memoryos_pages DROP COLUMN written_at")
        connection.execute(f"UPDATE {migrations.VERSION_TABLE} SET version_num = '0011'")


def test_pages_of_the_first_revision_are_embedded_again_and_are_found_meanwhile(path):
    burst = [Message("user", "I keep bees."), Message("user", "And a goat named Nettle."), Message("assistant", "Oh!")]
    with MemoryOS(f"sqlite:///{path}", embedder="terms", config=MANUAL) as memory:
        memory.user("ada").add_messages(burst)
        memory.user("ada").consolidate()
        before = [record for record in memory.user("ada").export() if record["kind"] == "page"]
    with closing(sqlite3.connect(path)) as connection, connection:
        assert connection.execute("SELECT part FROM memoryos_vectors ORDER BY part").fetchall()[-1] == ("user.1",)
        connection.execute("DELETE FROM memoryos_vectors WHERE part = 'user.1'")
    set_back(path)
    with MemoryOS(f"sqlite:///{path}", embedder="terms", config=MANUAL) as memory:
        ada = memory.user("ada", session_id="later")
        assert [record for record in ada.export() if record["kind"] == "page"] == before
        assert "Nettle" in ada.recall("goat").text
        assert ada.consolidate().pages_embedded == 1
    with closing(sqlite3.connect(path)) as connection:
        assert {part for (part,) in connection.execute("SELECT part FROM memoryos_vectors")} >= {"user", "user.1"}


def test_a_worker_comes_to_the_scopes_of_the_first_revision_by_itself(path):
    """Nobody writes, nobody asks: the embedding must not wait for that."""
    with MemoryOS(f"sqlite:///{path}", embedder="terms", config=MANUAL) as memory:
        for name in ("ada", "bob"):
            memory.user(name).add("I keep bees.", "Oh!")
            memory.user(name).consolidate()
        assert memory.backlog().scopes == 0
    set_back(path)
    with closing(open_store(f"sqlite:///{path}")) as store:
        assert store.backlog().scopes == 2
        assert store.backlog().seconds < 60
        assert {scope.user_id for scope in store.claim("worker", 60.0, limit=9)} == {"ada", "bob"}


def test_a_new_file_bears_a_mark_of_its_own(path):
    marks = set()
    for name in ("a.db", "b.db"):
        file = path.with_name(name)
        open_store(f"sqlite:///{file}").close()
        with closing(sqlite3.connect(file)) as connection:
            marks.add(connection.execute("PRAGMA application_id").fetchone()[0])
    assert len(marks) == 2
    assert min(marks) > 0


def test_a_migration_that_fails_leaves_no_trace(path, monkeypatch):
    def half_way(connection: sa.Connection) -> None:
        connection.exec_driver_sql("CREATE TABLE memoryos_scopes (x)")
        raise sa.exc.OperationalError("CREATE", None, sqlite3.OperationalError("power cut"))

    for made_by in ("create", "upgrade"):  # a new file, or an older schema
        monkeypatch.setattr(f"memoryos_core.stores.sql.opening.{made_by}", half_way)
    with pytest.raises(StoreError):
        open_store(f"sqlite:///{path}")
    assert schema_of(path) == []
    monkeypatch.undo()
    with closing(open_store(f"sqlite:///{path}")) as store:
        assert len(add(store, "a")) == 1


def test_a_memory_may_live_in_an_applications_database(path):
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE pages (id)")
        connection.execute("CREATE TABLE alembic_version (version_num)")
        connection.execute("INSERT INTO alembic_version VALUES ('theirs')")
    with closing(open_store(f"sqlite:///{path}")) as store:
        add(store, "a")
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT * FROM alembic_version").fetchall() == [("theirs",)]
        assert connection.execute("SELECT count(*) FROM pages").fetchone() == (0,)


def test_an_up_to_date_file_opens_without_alembic(path):
    open_store(f"sqlite:///{path}").close()
    code = """
import sys
from memoryos_core.stores import open_store
open_store(sys.argv[1]).close()
print('alembic' in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code, f"sqlite:///{path}"], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("False\n", "")


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork.*:DeprecationWarning")
def test_processes_that_open_a_new_file_at_once_share_it(path):
    def add_one():
        with closing(open_store(f"sqlite:///{shared}")) as store:
            add(store, "Hello")

    for round_ in range(2):
        shared, said = path.with_name(f"memory {round_} 100%.db"), path.with_name(f"said {round_}")
        assert fork_at_once([add_one] * 3, said) == [0] * 3, said.read_text()
        assert said.read_text() == ""
        with closing(open_store(f"sqlite:///{shared}")) as store:
            assert len(ids(store)) == 3
            assert store.stats(ALICE).pages == 3
