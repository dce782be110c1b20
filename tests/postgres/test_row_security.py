"""PostgreSQL itself shows a transaction the rows of the scope that it named, and takes rows of no other."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import psycopg
import pytest
from psycopg import sql

from memoryos_core import MemoryOS
from memoryos_core.stores import open_store
from memoryos_core.stores.sql.store import SqlStore
from memoryos_core.stores.sql.tables import metadata
from memoryos_core.testing.postgres import LocalPostgres
from memoryos_core.testing.store_samples import ALICE, BOB, add, embed, fact, learn, move_out, segment
from memoryos_core.values.commands import Forgetting, PageQuery
from memoryos_core.values.dialogue import Scope
from tests.faults.opening import small
from tests.postgres.planning import nodes_of, planned

pytestmark = pytest.mark.postgres

IN_A_SCOPE = [name for name, table in metadata.tables.items() if "scope" in table.c]


@pytest.fixture
def filled(postgres_url: str) -> str:
    with closing(open_store(postgres_url)) as store:
        for scope in (ALICE, BOB):
            one, *_ = add(store, "one", "two", "three", scope=scope)
            embed(store, one, scope=scope)
            store.page_out(move_out([one], into=segment(), scope=scope))
            learn(store, fact("f", one.id), scope=scope)
    return postgres_url


@pytest.fixture
def raw(filled: str) -> Iterator[psycopg.Connection[Any]]:
    """A connection of the application's own role, with nothing of this library around it."""
    with psycopg.connect(filled.replace("+psycopg", "")) as connection:
        yield connection


def named(raw: psycopg.Connection[Any], scope: str) -> psycopg.Connection[Any]:
    raw.rollback()
    raw.execute("SELECT set_config('memoryos.scope', %s, true)", (scope,))
    return raw


def scopes_in(raw: psycopg.Connection[Any], table: str) -> set[str]:
    query = sql.SQL("SELECT DISTINCT scope FROM {}").format(sql.Identifier(table))
    return {scope for (scope,) in raw.execute(query)}


def test_whoever_names_no_scope_sees_nothing(raw: psycopg.Connection[Any]) -> None:
    for table in IN_A_SCOPE:
        assert scopes_in(raw, table) == set()
    named(raw, ALICE.key)
    raw.rollback()  # the setting ends with its transaction
    assert scopes_in(raw, "memoryos_pages") == set()


def test_whoever_names_a_scope_sees_only_that(raw: psycopg.Connection[Any]) -> None:
    seen = {table: scopes_in(named(raw, ALICE.key), table) for table in IN_A_SCOPE}
    assert {scope for scopes in seen.values() for scope in scopes} == {ALICE.key}
    for table in ("memoryos_scopes", "memoryos_pages", "memoryos_segments", "memoryos_facts", "memoryos_vectors"):
        assert seen[table] == {ALICE.key}
        assert scopes_in(named(raw, "*"), table) == {ALICE.key, BOB.key}


def test_a_condition_of_its_own_opens_no_other_scope(raw: psycopg.Connection[Any]) -> None:
    found = named(raw, ALICE.key).execute("SELECT 1 FROM memoryos_pages WHERE scope = %s OR true", (BOB.key,))
    assert len(found.fetchall()) == 3
    assert not raw.execute("SELECT 1 FROM memoryos_pages WHERE scope = %s", (BOB.key,)).fetchall()


@pytest.mark.parametrize(
    "change",
    [
        "INSERT INTO memoryos_chains (scope, id, summary) VALUES (%s, 'x', 'x')",
        "INSERT INTO memoryos_taken (scope, digest, page_id, message) "
        "SELECT %s, 'x', id, 'x' FROM memoryos_pages LIMIT 1",
        "UPDATE memoryos_chains SET scope = %s",
        "UPDATE memoryos_facts SET scope = %s",
    ],
)
def test_no_row_goes_into_another_scope(raw: psycopg.Connection[Any], change: str) -> None:
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="row-level security"):
        named(raw, ALICE.key).execute(change, (BOB.key,))
    named(raw, BOB.key).execute(change, (BOB.key,))


def test_no_row_of_another_scope_is_changed_or_deleted(raw: psycopg.Connection[Any]) -> None:
    assert named(raw, ALICE.key).execute("UPDATE memoryos_pages SET tokens = 0").rowcount == 3
    assert raw.execute("DELETE FROM memoryos_facts").rowcount == 1
    raw.commit()
    assert scopes_in(named(raw, BOB.key), "memoryos_facts") == {BOB.key}
    assert raw.execute("SELECT 1 FROM memoryos_pages WHERE tokens = 0").fetchall() == []


def test_every_table_that_has_a_scope_has_the_policy(raw: psycopg.Connection[Any]) -> None:
    """A table that a later migration adds must not go without."""
    held = raw.execute(
        """
        SELECT c.relname, c.relrowsecurity, c.relforcerowsecurity, pg_get_expr(p.polqual, p.polrelid),
            pg_get_expr(p.polwithcheck, p.polrelid), p.polcmd, p.polpermissive
        FROM pg_class c JOIN pg_policy p ON p.polrelid = c.oid
        """
    ).fetchall()
    assert {row[0] for row in held} == set(IN_A_SCOPE)
    assert len(held) == len(IN_A_SCOPE)
    assert len({row[1:] for row in held}) == 1
    enabled, forced, using, checked, command, permissive = held[0][1:]
    assert (enabled, forced, command, permissive) == (True, True, "*", True)
    assert using == checked
    # What the server holds beside what this library knows: no other table of ours has a column of this name.
    columns = raw.execute("SELECT table_name FROM information_schema.columns WHERE column_name = 'scope'").fetchall()
    assert {name for (name,) in columns} == set(IN_A_SCOPE)


def test_the_store_names_the_scope_of_every_verb(filled: str) -> None:
    """A verb that asks for a user's rows in another user's transaction gets none: both walls stand by themselves."""
    with closing(SqlStore(filled)) as store:
        database = store._database
        for enter in (database.reading, database.writing):
            for scope, expected in ((ALICE, {ALICE.key}), (BOB, {BOB.key}), (None, {ALICE.key, BOB.key})):
                with enter(scope) as connection:
                    rows = connection.exec_driver_sql("SELECT scope FROM memoryos_pages")
                    assert {scope for (scope,) in rows} == expected
        assert {scope.user_id for scope in store.scopes()} == {"alice", "bob"}
        assert store.stats().pages == 6


def test_a_pooled_connection_carries_no_scope_over(filled: str) -> None:
    with closing(SqlStore(filled)) as store:
        store.pages(PageQuery(ALICE))
        add(store, "four")  # what was committed would be carried over, not what was rolled back
        with store._database._engine.connect() as connection:  # the same one, without a scope
            assert connection.exec_driver_sql("SELECT scope FROM memoryos_pages").fetchall() == []


def test_forgetting_everything_of_one_leaves_the_other(filled: str) -> None:
    with closing(open_store(filled)) as store:
        store.forget(Forgetting(ALICE, everything=True))
        assert len(store.pages(PageQuery(BOB))) == 3


HOT = {
    "memoryos_pages_seq": "SELECT id FROM memoryos_pages WHERE scope = %s AND seq >= 10 ORDER BY seq LIMIT 10",
    "memoryos_pages_rev": "SELECT id FROM memoryos_pages WHERE scope = %s AND rev > 1990 ORDER BY rev LIMIT 10",
    "memoryos_pages_pkey": "SELECT seq FROM memoryos_pages WHERE scope = %s AND id IN ('a', 'b')",
    "memoryos_pages_session": "SELECT id FROM memoryos_pages WHERE scope = %s AND session_id = 's' "
    "ORDER BY seq DESC LIMIT 1",
    "memoryos_pages_short_term": "SELECT session_id, seq FROM memoryos_pages WHERE scope = %s AND tier = 'short_term'",
    "memoryos_pages_unembedded": "SELECT id FROM memoryos_pages WHERE scope = %s AND embedded = false LIMIT 10",
    "memoryos_pages_reread": "SELECT id FROM memoryos_pages WHERE scope = %s AND reread = true LIMIT 10",
    "memoryos_facts_rev": "SELECT id FROM memoryos_facts WHERE scope = %s AND rev > 1990 ORDER BY rev",
}


@pytest.fixture(scope="module")
def crowded(postgres: LocalPostgres, _migrated: str) -> str:
    """Twenty users with a hundred pages each: enough for a planner to prefer an index."""
    url = postgres.database(template=_migrated)
    with closing(open_store(url)) as store:
        for n in range(20):
            scope = Scope(f"user {n}")
            pages = add(store, *(f"words {i}" for i in range(100)), scope=scope)
            embed(store, *pages[3:], scope=scope)
            store.page_out(move_out(pages[2:], into=segment(), scope=scope))
            learn(store, *(fact(f"f{i}", pages[i].id) for i in range(40)), scope=scope)
    postgres.sql("ANALYZE", database=url.split("?")[0].rsplit("/", 1)[1])
    return url


@pytest.mark.parametrize("index", HOT)
def test_the_policy_does_not_cost_a_statement_its_index(crowded: str, index: str) -> None:
    scope = Scope("user 7").key
    with psycopg.connect(crowded.replace("+psycopg", "")) as raw:
        named(raw, scope)
        explained = "EXPLAIN (FORMAT JSON) " + HOT[index]
        (plan,) = raw.execute(explained, (scope,)).fetchone()  # type: ignore[misc]
        assert [n["Index Name"] for n in nodes_of(plan) if "Index Name" in n] == [index], json.dumps(plan, indent=1)


def test_no_statement_of_a_scope_goes_without_an_index_that_begins_with_it(postgres_url: str) -> None:
    """A condition that is not leakproof would not be asked of an index any more."""
    # What could use an index does, however few rows there are.
    url = f"{postgres_url}&options=-c%20enable_seqscan%3Doff"
    with planned() as statements, MemoryOS(url, embedder=None, config=small()) as memory:
        user = memory.user("ada", session_id="monday")
        for n in range(12):
            user.add(f"I planted {n} apple trees by the shore", "How nice.")
        user.remember("likes apples")
        user.consolidate()
        assert user.recall("How many apple trees?").text
        assert user.facts()
        assert user.stats().pages == 12
        user.forget(session=True)
        list(user.export())
    scans = [
        (one.statement, node)
        for one in statements
        for node in one.nodes
        if (node.get("Relation Name") in IN_A_SCOPE and "Operation" not in node) or "Index Name" in node
    ]
    assert len(scans) > 50
    assert [one for one, node in scans if node["Node Type"] == "Seq Scan"] == []
    assert [one for one, node in scans if "Index Name" in node and "scope" not in node.get("Index Cond", "")] == []
