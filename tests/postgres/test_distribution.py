"""A scope is a shard: each statement of each verb names one scope on every table that it touches, or is listed here.

What a cluster makes of that: the statements for Citus as text, and a pooler in transaction mode.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import time
import traceback
from collections import defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from sqlalchemy import Connection, Engine, event

from memoryos_core import MemoryConfig, MemoryOS, UnsupportedError, UserMemory, WorkerConfig
from memoryos_core.errors import InvalidInputError
from memoryos_core.ops.cli import main
from memoryos_core.rules.safety.access import LEAST
from memoryos_core.stores import open_store
from memoryos_core.stores.sql.opening import create_partitioned, distribute, distribution
from memoryos_core.stores.sql.tables import metadata
from memoryos_core.testing.fakes import KeywordEmbedder
from memoryos_core.testing.postgres import LocalPostgres
from memoryos_core.values.dialogue import Scope
from tests.faults.verbs import NOON, SILENT, VERBS, fill
from tests.governance.test_access import CALLS
from tests.postgres.planning import nodes_of

pytestmark = pytest.mark.postgres

IN_A_SCOPE = {name for name, table in metadata.tables.items() if "scope" in table.c}
CONDITIONS = ("Index Cond", "Recheck Cond", "Filter", "TID Cond")
CROSSING = {
    "scopes": "who has a memory, for listing users and for going through all of them",
    "scopes_of": "every assistant of one user, for forgetting the user",
    "stats": "counts of the whole store",
    "backlog": "how much work waits in all, for monitoring",
    "claim": "which scope is due, for a worker",
    "stamp_embedder": "another embedder: every page of every user is to be embedded again",
    "verify_audits": "which chain comes next",
}
"""The verbs of a store that cross scopes, each with its reason."""
WHOLE: dict[str, Callable[[MemoryOS], object]] = {
    "users": lambda m: m.users(),
    "stats": lambda m: m.stats(),
    "backlog": lambda m: m.backlog(),
    "verify_audit": lambda m: m.verify_audit(progress=False),
    "check": lambda m: m.check(deep=True, progress=False),
    "flush": lambda m: m.flush(),
    "worker": lambda m: m.run_worker(once=True),
    "team": lambda m: (m.team("t").members(), m.team("t").audit(), m.team("t").remove("bot")),
    "retain": lambda m: m.retain(progress=False),
    "forget_user": lambda m: m.forget_user("bob"),
}


class Statements:
    """What was sent: by verb, statements of one scope that do not name it on a table, and verbs that name none."""

    def __init__(self) -> None:
        self.seen = 0
        self.wrong: dict[str, list[str]] = defaultdict(list)
        self.crossing: set[str] = set()
        self.verb = ""
        self._explained: set[tuple[str, str, tuple[bool, ...]]] = set()

    def look(self, connection: Connection, statement: str, parameters: Any) -> None:
        if not re.match(r"\s*(SELECT|INSERT|UPDATE|DELETE|WITH)", statement) or "memoryos_" not in statement:
            return
        touched = set(re.findall(r"memoryos_\w+", statement)) & IN_A_SCOPE
        if not touched:
            return
        driver: Any = connection.connection.dbapi_connection
        (scope,) = driver.execute("SELECT current_setting('memoryos.scope', true)").fetchone()
        self.seen += 1
        if scope == "*":
            self.crossing.add(verb_of_store())
            return
        values = tuple(parameters.values() if isinstance(parameters, dict) else parameters or ())
        # Said again with the scope in the same places, a statement names it as it did.
        shape = (statement, scope, tuple(value == scope for value in values))
        if shape in self._explained:
            return
        self._explained.add(shape)
        plan = driver.execute(f"EXPLAIN (FORMAT JSON) {statement}", parameters, prepare=False).fetchone()
        named = re.compile(rf"\bscope\)?(::\w+)? = '{scope}'")
        for node in nodes_of(plan[0]):
            said = " ".join(str(node.get(kind, "")) for kind in CONDITIONS)
            reads = node.get("Relation Name") in IN_A_SCOPE and "Operation" not in node
            if reads and node.get("Node Type") != "Result" and not named.search(said):
                self.wrong[self.verb].append(f"{node['Relation Name']}: {statement}")
        if statement.lstrip().startswith("INSERT") and scope not in values:
            self.wrong[self.verb].append(statement)


def verb_of_store() -> str:
    """Return the name of the store's verb that is running."""
    frames = [frame.name for frame in traceback.extract_stack() if "/stores/sql/" in frame.filename]
    return next(name for name in frames if not name.startswith("_"))


@contextmanager
def recorded() -> Iterator[Statements]:
    found = Statements()

    def look(
        connection: Connection, _cursor: object, statement: str, parameters: Any, _context: object, many: bool
    ) -> None:
        for one in parameters if many else (parameters,):
            found.look(connection, statement, one)

    event.listen(Engine, "before_cursor_execute", look)
    try:
        yield found
    finally:
        event.remove(Engine, "before_cursor_execute", look)


def opened(url: str) -> MemoryOS:
    return MemoryOS(
        url, embedder=KeywordEmbedder(), config=SILENT, clock=lambda: NOON, answer_llm=lambda _prompt: "an answer"
    )


def test_every_statement_of_every_verb_names_one_scope(postgres: LocalPostgres) -> None:
    """As a superuser, for whom there is no row-level security: what is named, the statement names itself."""
    url = postgres.database(role="postgres")
    with opened(url) as memory:
        fill(memory)
        with recorded() as found:
            for name, verb in VERBS.items():
                if name not in ("open", "backup", "forget everything", "forget session", "forget pages"):
                    if name in ("correct", "retire", "forget facts"):  # each takes the fact that the one before ended
                        memory.user("ann").forget(everything=True)
                        fill(memory)
                    found.verb = name
                    verb.run(memory, Path())
            calls: dict[str, Callable[[UserMemory], object]] = {n: CALLS[n] for n in LEAST if n != "forget.everything"}
            for place, (name, call) in enumerate(calls.items()):
                found.verb = name
                user = memory.user("alice")
                user.add("I planted pear trees.", "How nice.")
                for number in range(4):
                    user.add(f"I planted tree {number} by the river.", "How nice.")
                if place % 4 == 0:
                    user.consolidate()
                user.remember("Alice has a dog called Biscuit")
                call(user)
                if place % 4 == 0:
                    user.recall("Which tree?")
            for name, of_all in WHOLE.items():
                found.verb = name
                of_all(memory)
            found.verb = "forget.everything"
            memory.user("alice").forget(everything=True)
    assert dict(found.wrong) == {}
    assert found.crossing == set(CROSSING)
    assert found.seen > 1000


def test_a_statement_that_names_none_is_seen(postgres: LocalPostgres) -> None:
    with opened(postgres.database(role="postgres")) as memory:
        fill(memory)
        store: Any = memory._open().parts.store
        with recorded() as found, store._database.reading(Scope("ann")) as connection:
            connection.exec_driver_sql("SELECT id FROM memoryos_pages WHERE seq = 1")
            connection.exec_driver_sql(
                "SELECT p.id FROM memoryos_pages p JOIN memoryos_segments s ON s.id = p.segment_id WHERE p.scope = %s",
                (Scope("ann").key,),
            )
        assert [line.split(":")[0] for line in found.wrong[""]] == ["memoryos_pages", "memoryos_segments"]


# ------------------------------------------------------------------------------------------ Citus


def test_the_statements_for_citus_distribute_every_table() -> None:
    said = distribution()
    assert said[0] == "SELECT create_distributed_table('memoryos_scopes', 'scope')"
    distributed = [re.findall(r"'(\w+)'", line) for line in said if "create_distributed_table" in line]
    assert {names[0] for names in distributed} == IN_A_SCOPE
    assert all(names[1:] == ["scope", "memoryos_scopes"] for names in distributed[1:])
    place = {names[0]: at for at, names in enumerate(distributed)}
    for name in IN_A_SCOPE:  # what a foreign key points to is distributed before
        for key in metadata.tables[name].foreign_key_constraints:
            assert place[key.referred_table.name] < place[name]
            assert next(column.name for column in key.columns) == "scope"
        assert next(iter(metadata.tables[name].primary_key.columns)).name == "scope"
        for index in metadata.tables[name].indexes:
            assert not index.unique or next(iter(index.columns)).name == "scope"
    everywhere = {re.findall(r"'(\w+)'", line)[0] for line in said if "reference" in line}
    assert everywhere == {"memoryos_embedder", "memoryos_keys", "memoryos_secret", "memoryos_version"}
    truncated = {re.findall(r"'(\w+)'", line)[0] for line in said if "truncate_local" in line}
    assert truncated == IN_A_SCOPE, "what was said must not stay on the coordinator"
    assert distribution({*IN_A_SCOPE, *everywhere}) == []


def test_without_citus_it_refuses_and_changes_nothing(
    new_database: Callable[[], str], postgres: LocalPostgres, capsys: pytest.CaptureFixture[str]
) -> None:
    url = new_database()
    with MemoryOS(url, embedder=None) as memory:
        memory.user("ann").add("I planted pear trees.", "How nice.")
    with pytest.raises(UnsupportedError, match=r"no Citus extension.*nothing was changed"):
        distribute(url)
    empty = postgres.database()
    assert main(["distribute", empty]) == 2
    assert "no Citus extension" in capsys.readouterr().err
    assert main(["distribute", empty, "--json"]) == 2
    shown = capsys.readouterr()
    assert (shown.out, "no Citus extension" in shown.err) == ("", True)
    with psycopg.connect(empty.replace("+psycopg", "")) as raw:
        assert not raw.execute("SELECT 1 FROM pg_tables WHERE tablename LIKE 'memoryos%'").fetchall()
    with MemoryOS(url, embedder=None) as memory:
        assert memory.stats().pages == 1
    with pytest.raises(InvalidInputError, match="only a PostgreSQL"):
        distribute("sqlite://")


CITUS = """
    CREATE SCHEMA fake; CREATE TABLE pg_dist_partition (logicalrelid oid); CREATE TABLE told (said text);
    CREATE FUNCTION create_distributed_table(t regclass, c text, colocate_with text DEFAULT '') RETURNS void
        LANGUAGE sql
        AS 'INSERT INTO pg_dist_partition VALUES (t); INSERT INTO told VALUES (t::text || c || colocate_with)';
    CREATE FUNCTION create_reference_table(t regclass) RETURNS void LANGUAGE sql
        AS 'INSERT INTO pg_dist_partition VALUES (t); INSERT INTO told VALUES (t::text)';
    CREATE FUNCTION truncate_local_data_after_distributing_table(t regclass) RETURNS void LANGUAGE sql
        AS 'INSERT INTO told VALUES (''truncate '' || t::text)';
    INSERT INTO pg_extension SELECT 99999, 'citus', 10, 2200, true, '13.0', NULL, NULL;
"""


def test_where_the_extension_answers_every_table_is_handed_to_it_once(
    postgres: LocalPostgres, capsys: pytest.CaptureFixture[str]
) -> None:
    """Functions of Citus' names and arguments, since no Citus installs here: what is called is what the text says."""
    url = postgres.database(role="postgres")
    with MemoryOS(url, embedder=None) as memory:
        memory.user("ann").add("I planted pear trees.", "How nice.")
    with psycopg.connect(url.replace("+psycopg", ""), autocommit=True) as raw:
        raw.execute("SET allow_system_table_mods = on")
        raw.execute(CITUS)
        assert main(["distribute", url]) == 0
        assert f"{len(metadata.tables) + 1} tables were distributed" in capsys.readouterr().out
        told = raw.execute("SELECT count(*) FROM told").fetchone()
        assert main(["distribute", url]) == 0
        assert "distributed already" in capsys.readouterr().out
        assert main(["distribute", url, "--json"]) == 0
        assert json.loads(capsys.readouterr().out) == {"tables": 0}
        assert raw.execute("SELECT count(*) FROM told").fetchone() == told
        raw.execute("ALTER ROLE postgres RESET ALL")


def test_partitions_are_not_distributed(postgres: LocalPostgres) -> None:
    url = postgres.database(role="postgres")
    create_partitioned(url, 2)
    with psycopg.connect(url.replace("+psycopg", ""), autocommit=True) as raw:
        raw.execute("SET allow_system_table_mods = on")
        raw.execute(CITUS)
    with pytest.raises(InvalidInputError, match="in partitions"):
        distribute(url)


# ------------------------------------------------------------------------------------------ a pooler


@contextmanager
def pgbouncer(server: LocalPostgres, folder: Path) -> Iterator[int]:
    """A pooler in transaction mode before the server, with twenty connections; yields its port."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
    settings = folder / "pgbouncer.ini"
    settings.write_text(
        f"[databases]\n* = host={server._socket_folder()} user=app\n[pgbouncer]\nlisten_addr = 127.0.0.1\n"
        f"listen_port = {port}\nunix_socket_dir =\nauth_type = any\npool_mode = transaction\nmax_client_conn = 500\n"
        "default_pool_size = 20\nignore_startup_parameters = extra_float_digits\n"
    )
    folder.chmod(0o755)
    whose = ["-u", str(server._server.system_user)] if os.getuid() == 0 else []  # who may enter the server's folder
    running = subprocess.Popen([str(shutil.which("pgbouncer", path=PATHS)), "-q", *whose, str(settings)])
    try:
        deadline = time.monotonic() + 30
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                assert running.poll() is None
                assert time.monotonic() < deadline
                time.sleep(0.05)
        yield port
    finally:
        running.terminate()
        running.wait(30)


PATHS = "/usr/sbin:/usr/bin:/usr/local/sbin:/usr/local/bin"
CLIENTS, MEMORIES = 200, 4


def test_two_hundred_clients_behind_pgbouncer_keep_apart(
    postgres: LocalPostgres, postgres_url: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Where pgbouncer is not installed this looks at nothing; the header of the run says so, and CI installs it."""
    if shutil.which("pgbouncer", path=PATHS) is None:
        return
    folder = Path("/tmp") / f"memoryos-bouncer-{postgres_url.split('?')[0].rsplit('/', 1)[1]}"  # others may enter it
    folder.mkdir()
    name = postgres_url.split("?")[0].rsplit("/", 1)[1]
    config = MemoryConfig(worker=WorkerConfig(mode="manual"))
    with ExitStack() as stack:
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        port = stack.enter_context(pgbouncer(postgres, folder))
        url = f"postgresql+psycopg://app@127.0.0.1:{port}/{name}?prepare_threshold=none"
        memories = [stack.enter_context(MemoryOS(url, embedder=None, config=config)) for _ in range(MEMORIES)]

        def live(number: int) -> bool:
            user = memories[number % MEMORIES].user(f"user {number}")
            for turn in range(3):
                user.add(f"I planted tree {number} times {turn}.", f"Well done, {number}.")
            text = user.recall("Which tree did I plant?").text
            return f"tree {number} times" in text and user.stats().pages == 3

        with ThreadPoolExecutor(CLIENTS) as pool:
            assert all(pool.map(live, range(CLIENTS)))
        assert memories[0].stats().pages == 3 * CLIENTS
        assert memories[0].check(progress=False).findings == ()
        count = postgres.sql(f"SELECT count(*) FROM pg_stat_activity WHERE datname = '{name}'")
        assert 1 <= int(count) <= 20


def test_a_threshold_that_is_no_number_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="prepare_threshold"):
        open_store("postgresql://app@127.0.0.1:1/none?prepare_threshold=often")
