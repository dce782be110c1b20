"""A database whose tables are split by scope: the same contract, and no statement that needs the parts of two users."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager

import psycopg
import pytest
from sqlalchemy import Column, MetaData, String, Table, text

from memoryos_core import MemoryOS
from memoryos_core.errors import InvalidInputError
from memoryos_core.ops.cli import main
from memoryos_core.ports import Store
from memoryos_core.stores import open_store
from memoryos_core.stores.migrations.postgres import divide
from memoryos_core.stores.sql.opening import create_partitioned
from memoryos_core.stores.sql.store import SqlStore
from memoryos_core.stores.sql.tables import metadata
from memoryos_core.testing.postgres import LocalPostgres
from memoryos_core.testing.store_contract import StoreContract
from memoryos_core.testing.store_samples import ALICE, BOB, add, embed, fact, learn, move_out, segment
from memoryos_core.values.dialogue import Scope
from tests.postgres.emptying import Standing, emptied
from tests.postgres.planning import Planned, planned

pytestmark = pytest.mark.postgres

PARTS = 4
IN_A_SCOPE = {name for name, table in metadata.tables.items() if "scope" in table.c}
IN_PARTS = {f"{name}_{part}" for name in IN_A_SCOPE for part in range(PARTS)}


@pytest.fixture(scope="module")
def divided(postgres: LocalPostgres) -> str:
    """A partitioned database, made once: it takes hundreds of files."""
    url = postgres.database()
    create_partitioned(url, PARTS)
    return url


@pytest.fixture
def url(divided: str) -> str:
    """The same with nothing in it."""
    return emptied(divided)


def parts_of(statement: Planned) -> set[str]:
    """The numbers of the parts that a statement touches; "all" when one of its tables is not narrowed to a part."""
    # What changes rows names the whole table, over the node that finds them; a new row finds its part by its scope,
    # which row-level security checks.
    read = {n.get("Relation Name", "") for n in statement.nodes if "Operation" not in n}
    return {"all" if name in IN_A_SCOPE else name.rsplit("_", 1)[1] for name in read if name in IN_A_SCOPE | IN_PARTS}


@contextmanager
def routed() -> Iterator[list[Planned]]:
    """Fails when a statement that belongs to one scope touches the parts of more: a cluster could not route it."""
    with planned() as statements:
        yield statements
    assert [one.statement for one in statements if len(parts_of(one)) > 1 or "all" in parts_of(one)] == []


@pytest.fixture(scope="module")
def standing(divided: str) -> Iterator[Standing]:
    with closing(Standing(lambda: open_store(divided))) as standing:
        yield standing


class TestPartitioned(StoreContract):
    @pytest.fixture
    def reopen(self, standing: Standing) -> Callable[[], Store]:
        return standing.reopen

    @pytest.fixture
    def store(self, url: str, standing: Standing) -> Iterator[Store]:
        with routed():
            yield standing()


def rows_by_part(url: str) -> dict[str, dict[str, int]]:
    """By table and part: how many rows."""
    with psycopg.connect(url.replace("+psycopg", "")) as connection:
        connection.execute("SELECT set_config('memoryos.scope', '*', true)")
        query = "SELECT tableoid::regclass::text, count(*) FROM {} GROUP BY 1"
        return {name: dict(connection.execute(query.format(name)).fetchall()) for name in IN_A_SCOPE}


def live(store: Store, scope: Scope) -> None:
    """Something in most tables."""
    one, two = add(store, "one", "two", scope=scope)
    embed(store, one, two, scope=scope)
    store.page_out(move_out([one], into=segment(), scope=scope))
    learn(store, fact("f", one.id), scope=scope)


def test_one_scope_lies_in_one_part_of_every_table(url: str) -> None:
    with closing(open_store(url)) as store:
        live(store, ALICE)
    filled = {name: parts for name, parts in rows_by_part(url).items() if parts}
    assert {"memoryos_scopes", "memoryos_pages", "memoryos_segments", "memoryos_facts"} <= set(filled)
    assert len({part.rsplit("_", 1)[1] for parts in filled.values() for part in parts}) == 1


def test_many_scopes_are_spread(url: str) -> None:
    with closing(open_store(url)) as store:
        for n in range(60):
            add(store, "words", scope=Scope(f"user {n}"))
    pages = rows_by_part(url)["memoryos_pages"]
    assert len(pages) == PARTS
    assert sum(pages.values()) == 60


def test_a_statement_without_a_scope_would_be_noticed(url: str) -> None:
    """The watch over the contract above sees what it is there for."""
    with closing(SqlStore(url)) as store:
        live(store, ALICE)
        with planned() as statements, store._database.reading(ALICE) as connection:
            connection.exec_driver_sql("SELECT id FROM memoryos_pages WHERE seq = 1")
            connection.exec_driver_sql(
                "SELECT p.id FROM memoryos_pages p JOIN memoryos_segments s ON s.id = p.segment_id WHERE p.scope = %s",
                (ALICE.key,),
            )
        assert [len(parts_of(one)) for one in statements] == [PARTS, PARTS]


def test_a_memory_asks_for_one_users_part_at_a_time(url: str) -> None:
    with routed() as statements, MemoryOS(url, embedder=None) as memory:
        for name in ("ada", "bob"):
            user = memory.user(name, session_id="monday")
            for n in range(12):
                user.add(f"I planted {n} apple trees by the shore", "How nice.")
            user.remember("likes apples")
            user.consolidate()
            assert user.recall("How many apple trees?").hits
            assert user.stats().pages == 12
        memory.user("bob").forget(everything=True)
        assert memory.user("ada").stats().pages == 12
    assert len(statements) > 50


def test_a_part_asked_by_its_own_name_shows_nothing(url: str) -> None:
    with closing(open_store(url)) as store:
        live(store, ALICE)
        live(store, BOB)
    with psycopg.connect(url.replace("+psycopg", "")) as raw:
        raw.execute("SELECT set_config('memoryos.scope', '*', true)")
        for part in range(PARTS):
            assert not raw.execute(f"SELECT 1 FROM memoryos_pages_{part}").fetchall()
        assert len(raw.execute("SELECT 1 FROM memoryos_pages").fetchall()) == 4


DESCRIBED = """
    SELECT 'column', table_name::text, column_name::text, udt_name::text, is_nullable::text
    FROM information_schema.columns WHERE table_name = ANY(%(names)s)
    UNION ALL SELECT 'index', tablename, indexname, replace(replace(indexdef, 'ON ONLY', 'ON'), 'public.', ''), ''
    FROM pg_indexes WHERE tablename = ANY(%(names)s)
    UNION ALL SELECT 'constraint', conrelid::regclass::text, contype::text, pg_get_constraintdef(oid), ''
    FROM pg_constraint WHERE conrelid = ANY(%(names)s::regclass[]) AND contype IN ('p', 'u', 'f', 'c')
        AND conparentid = 0
    UNION ALL SELECT 'policy', polrelid::regclass::text, polname, pg_get_expr(polqual, polrelid),
        pg_get_expr(polwithcheck, polrelid)
    FROM pg_policy WHERE polrelid = ANY(%(names)s::regclass[])
"""


def test_the_schema_is_the_same_but_for_the_parts(postgres: LocalPostgres, postgres_url: str) -> None:
    url, described = postgres.database(), []
    create_partitioned(url, PARTS)
    for one in (url, postgres_url):
        with psycopg.connect(one.replace("+psycopg", "")) as raw:
            described.append(sorted(raw.execute(DESCRIBED, {"names": sorted(IN_A_SCOPE)}).fetchall()))
    assert {row[0] for row in described[0]} == {"column", "index", "constraint", "policy"}
    assert described[0] == described[1]


def test_a_table_that_a_later_migration_adds_is_split_too(url: str) -> None:
    with closing(SqlStore(url)) as store, store._database.writing(None) as connection:
        divide(connection)
        Table("memoryos_later", MetaData(), Column("scope", String(32), primary_key=True)).create(connection)
        count = text("SELECT count(*) FROM pg_inherits WHERE inhparent = 'memoryos_later'::regclass")
        assert connection.scalar(count) == PARTS
        connection.execute(text("DROP TABLE memoryos_later"))


def test_a_database_that_holds_a_memory_is_left_alone(postgres_url: str) -> None:
    with pytest.raises(InvalidInputError, match="holds a memory already"):
        create_partitioned(postgres_url, PARTS)


def test_the_command_makes_a_database_that_opens_as_any_other(
    postgres: LocalPostgres, capsys: pytest.CaptureFixture[str]
) -> None:
    url = postgres.database()
    assert main(["partition", url, "--partitions", "3"]) == 0
    assert "3 partitions" in capsys.readouterr().out
    with MemoryOS(url, embedder=None) as memory:
        memory.user("ada").add("I planted an apple tree")
    assert len(rows_by_part(url)["memoryos_pages"]) == 1
    assert main(["partition", url]) == 2
    assert "holds a memory already" in capsys.readouterr().err
    assert main(["partition", postgres.database(), "--partitions", "2", "--json"]) == 0
    assert capsys.readouterr().out == '{"partitions": 2}\n'


@pytest.mark.parametrize("partitions", [-1, 0, 1, 1025])
def test_a_number_of_partitions_that_makes_no_sense_is_refused(partitions: int) -> None:
    with pytest.raises(InvalidInputError, match="it must be from 2 to"):
        create_partitioned("postgresql://nobody@nowhere/none", partitions)


def test_a_file_cannot_be_partitioned() -> None:
    with pytest.raises(InvalidInputError, match="only a PostgreSQL database"):
        create_partitioned("sqlite://", PARTS)
