"""The schema's history: run at open, once, whoever comes first, and equal to what the code believes."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from memoryos_core import MemoryConfig, MemoryOS, Message, WorkerConfig
from memoryos_core.errors import StoreError
from memoryos_core.stores import migrations, open_store
from memoryos_core.stores.sql.database import Database
from memoryos_core.stores.sql.tables import metadata
from memoryos_core.testing.store_samples import ALICE, T0, add, ids
from memoryos_core.tiers.short_term import message_key
from memoryos_core.values.commands import NoteWrite, PageQuery

REPLY = Message("assistant", "Noted.")
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


def test_the_list_of_revisions_is_the_chain_of_files():
    config = Config()
    config.set_main_option("script_location", str(Path(migrations.__file__).parent))
    config.set_main_option("path_separator", "os")
    scripts = ScriptDirectory.from_config(config)
    assert tuple(s.revision for s in reversed(list(scripts.walk_revisions()))) == migrations.REVISIONS


def test_a_file_of_the_first_schema_is_brought_up_to_date_with_what_it_holds(path, monkeypatch):
    database = Database(f"sqlite:///{path}", 1.0)
    upgrade = command.upgrade
    monkeypatch.setattr(command, "upgrade", lambda config, _: upgrade(config, "0001"))
    with database.writing(None) as connection:
        migrations.upgrade(connection)
        scope, page = f"'{ALICE.key}'", """'p1', 's', 1, '[{"role": "user", "text": "tea"}]', 0, 'short_term', 1"""
        connection.exec_driver_sql(f"INSERT INTO memoryos_scopes VALUES ({scope}, 'alice', 'assistant', 1, 1, 1, 0)")
        connection.exec_driver_sql(f"INSERT INTO memoryos_pages VALUES ({scope}, {page}, 0, NULL, NULL, 0, 0, 0, 1)")
    database.close()
    monkeypatch.undo()
    with closing(open_store(f"sqlite:///{path}")) as store:
        assert [m.text for page in store.pages(PageQuery(ALICE, ended=False)) for m in page.messages] == ["tea"]
        backlog = store.backlog()
        assert backlog.scopes == 1
        assert backlog.seconds < 86_400  # since the upgrade, and not since 1970
        store.write_notes(ALICE, [NoteWrite((), "k", "1")], T0)
        assert len(store.notes(ALICE)) == 1


def old_digest(session: str, key: str) -> str:
    """The digest of a message as revision 0003 wrote it."""
    return hashlib.sha256(json.dumps([session, key]).encode()).hexdigest()[:32]


def test_old_digests_are_bound_to_their_pages_and_those_of_forgotten_messages_go(path):
    url = f"sqlite:///{path}"
    with MemoryOS(url, embedder=None, config=MANUAL) as memory:
        ada = memory.user("ada", session_id="bank")
        said = [Message("user", "My bank is Aurora.", id="1"), Message("user", "My PIN is 4711", id="2")]
        pages = [page for message in said for page in ada.add_messages([message, REPLY], once=True)]
        scope = ada.scope.key
        old = {m.id: old_digest("bank", message_key(m)) for page in pages for m in page.messages}
        ada.forget(pages=[pages[1].id])
    back_to(url, "0008")
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executemany("INSERT INTO memoryos_taken VALUES (?, ?)", [(scope, d) for d in old.values()])
    with MemoryOS(url, embedder=None, config=MANUAL) as memory:
        ada = memory.user("ada", session_id="bank")
        assert ada.add_messages(said[:1], once=True) == ()
        assert not any(old["2"].encode() in file.read_bytes() for file in path.parent.iterdir())
        assert ada.forget(session=True).taken == 2  # the message and its reply


def test_known_facts_are_found_by_their_words_after_an_upgrade_and_a_damaged_one_is_left(path):
    url = f"sqlite:///{path}"
    with MemoryOS(url, embedder=None, config=MANUAL) as memory:
        told = [memory.user("ada").remember(f"Likes tree {n}") for n in range(600)]
    back_to(url, "0009")
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE memoryos_facts SET text = CAST(x'fffe' AS TEXT) WHERE id = ?", (told[7].id,))
        connection.execute("PRAGMA application_id = 0")
    with MemoryOS(url, embedder=None, config=MANUAL) as memory:
        ada = memory.user("ada")
        assert [f.id for n in (0, 599) for f in ada.facts(text=f"Likes  tree {n}")] == [told[0].id, told[599].id]
        assert ada.remember("Likes tree 300").id == told[300].id
        assert ada.remember("Likes tree 7").id != told[7].id
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA application_id").fetchone()[0] > 0


def test_the_id_of_an_application_that_shares_the_file_is_left(path):
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA application_id = 77")
    open_store(f"sqlite:///{path}").close()
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA application_id").fetchone()[0] == 77


def back_to(url: str, revision: str) -> None:
    """Bring a database's schema back to an earlier revision."""
    database = Database(url, 1.0)
    with database.writing(None) as connection:
        config = Config(attributes={"connection": connection})
        config.set_main_option("script_location", str(Path(migrations.__file__).parent))
        config.set_main_option("path_separator", "os")
        command.downgrade(config, revision)
    database.close()


def test_a_migration_that_fails_leaves_no_trace(path, monkeypatch):
    def half_way(connection: sa.Connection) -> None:
        connection.exec_driver_sql("CREATE TABLE memoryos_scopes (x)")
        raise sa.exc.OperationalError("CREATE", None, sqlite3.OperationalError("power cut"))

    monkeypatch.setattr("memoryos_core.stores.sql.opening.upgrade", half_way)
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


def test_processes_that_open_a_new_file_at_once_share_it(path):
    code = """
import sys
from memoryos_core.stores import open_store
import alembic.command, alembic.autogenerate, memoryos_core.stores.sql.store
from memoryos_core.testing.store_samples import add
print("ready", flush=True)
sys.stdin.readline()
store = open_store(sys.argv[1])
add(store, sys.argv[2])
store.close()
"""
    for round_ in range(2):
        shared = path.with_name(f"memory {round_} 100%.db")
        children = [
            subprocess.Popen(
                [sys.executable, "-c", code, f"sqlite:///{shared}", str(n)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            for n in range(3)
        ]
        for child in children:
            assert child.stdout is not None
            assert child.stdout.readline() == "ready\n"
        for child in children:
            assert child.stdin is not None
            child.stdin.write("go\n")
            child.stdin.flush()
        assert [child.communicate() for child in children] == [("", "")] * 3
        with closing(open_store(f"sqlite:///{shared}")) as store:
            assert len(ids(store)) == 3
            assert store.stats(ALICE).pages == 3
