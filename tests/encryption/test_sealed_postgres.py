"""What this library promises of a server's database with a key."""

from __future__ import annotations

import hashlib
import hmac
import json
import sys
from contextlib import closing
from functools import partial

import pytest
import sqlalchemy as sa

from memoryos_core import Keys, MemoryConfig, MemoryOS, Message, WorkerConfig
from memoryos_core.errors import MissingExtraError, StoreKeyError
from memoryos_core.stores import open_store
from memoryos_core.stores.sql.keyring import sealed_columns
from memoryos_core.stores.sql.sealing import SEALER
from memoryos_core.stores.sql.store import SqlStore
from memoryos_core.stores.sql.tables import metadata
from memoryos_core.testing.store_samples import ALICE, BOB, T0, add, fact, learn, texts, vector
from memoryos_core.tiers.short_term import message_key
from memoryos_core.values.commands import NoteWrite, PageQuery
from memoryos_core.values.notes import Note
from tests.encryption.sealed import rows, shown
from tests.encryption.stored import KEY, NAMED, OTHER, SAID, found_in, read_everything, store_everything
from tests.faults.forks import fork_at_once

pytestmark = pytest.mark.postgres

PHRASE = "a passphrase, ünd mehr"


def test_a_plain_database_shows_every_word_that_is_looked_for(postgres, postgres_url, name):
    """What makes the test below one that can fail."""
    with closing(open_store(postgres_url)) as store:
        store_everything(store)
    assert shown(rows(postgres, name), SAID | NAMED) == set(SAID | NAMED)
    postgres.sql("CHECKPOINT")
    assert found_in(postgres.data / "base", SAID) == set(SAID)


def test_no_word_is_in_any_row_or_file_of_a_sealed_one(postgres, postgres_url, name, monkeypatch):
    for place, word in SAID.items():
        monkeypatch.setitem(SAID, place, f"{word}qvortzk")  # no other test on this server says these
    with closing(SqlStore(postgres_url, key=PHRASE)) as store:
        store_everything(store)
        before = read_everything(store)
        store.rekey(KEY)
        assert read_everything(store) == before
        assert SAID["fact"] in str(before)
        # What stays readable is said in docs/encryption.md, and nothing more does.
        assert shown(rows(postgres, name), SAID) == set()
        assert shown(rows(postgres, name), NAMED) == set(NAMED)
        postgres.sql("CHECKPOINT")
        assert found_in(postgres.data, SAID) == set()


def test_no_column_of_words_is_left_out_by_oversight():
    """A new column is sealed, or named here as a name by which something is found."""
    sealed = {f"{table.name}.{column.name}" for table, columns in sealed_columns().items() for column in columns}
    plain = {
        f"{table.name.removeprefix('memoryos_')}.{column.name}"
        for table in metadata.tables.values()
        for column in table.columns
        if isinstance(column.type, sa.types.TypeDecorator) and column.type.impl_instance.python_type is str
        if f"{table.name}.{column.name}" not in sealed and not column.name.endswith("_id") and column.name != "id"
    }
    assert plain == {
        *("scopes.lease_holder", "pages.labels", "facts.labels", "facts.superseded_by", "persona.name"),
        *("notes.namespace", "notes.key", "embedder.name", "grants.actor", "audit.actor", "audit.detail"),
        "keys.wrapped",
    }


def test_no_message_can_be_tried_against_what_says_that_it_was_taken(postgres, postgres_url, name):
    said = Message("user", "My PIN is 4711", id="derived-from-the-text")
    plain = hashlib.sha256(json.dumps(("bank", message_key(said))).encode()).hexdigest()[:32]
    manual = MemoryConfig(worker=WorkerConfig(mode="manual"))
    with MemoryOS(postgres_url, embedder=None, config=manual, key=KEY) as memory:
        ada = memory.user("ada", session_id="bank")
        ada.add_messages([said], once=True)
        stored = rows(postgres, name)
        assert ada.add_messages([said], once=True) == ()
        record = next(r for r in ada.export() if r["kind"] == "taken")
    assert record["digest"] == plain, "what the test looks for"
    unkeyed = hmac.digest(b"", f"memoryos taken {ada.scope.key} {plain}".encode(), "sha256").hex()[:32]
    assert plain not in stored
    assert unkeyed not in stored
    # Nor under another key.
    with MemoryOS(postgres_url, embedder=None, config=manual, key=KEY) as memory:
        assert memory.user("ada", session_id="bank").add_messages([said], once=True) == ()
        memory.rekey(OTHER)
        assert memory.user("ada", session_id="bank").add_messages([said], once=True) == ()
    assert plain not in rows(postgres, name)


def test_no_text_can_be_tried_against_what_a_fact_is_found_by(postgres, postgres_url, name):
    with MemoryOS(postgres_url, embedder=None, key=KEY) as memory:
        ada = memory.user("ada")
        fact = ada.remember("My PIN is 4711")
    unkeyed = hmac.digest(b"", f"memoryos fact {ada.scope.key} {json.dumps(fact.text.split())}".encode(), "sha256")
    with MemoryOS(postgres_url, embedder=None, key=KEY) as memory:
        for again in (KEY, OTHER):
            memory.rekey(again)
            assert memory.user("ada").remember("My  PIN is 4711").id == fact.id
        assert unkeyed.hex()[:32] not in rows(postgres, name)
        memory.user("ada").forget(facts=[fact.id])
        assert postgres.sql("SELECT count(digest) FROM memoryos_facts", database=name).strip() == "0"


def test_the_words_of_a_whole_memory_are_searched_by_keyed_hashes(postgres, new_database):
    """The same talk in two databases, and without a key: no term of one is a term of another."""
    terms: list[set[str]] = []
    for key in (None, KEY, KEY):
        url = new_database()
        name = url.split("?")[0].rsplit("/", 1)[1]
        with MemoryOS(url, key=key, embedder=None) as memory:
            user = memory.user(NAMED["user"], session_id=NAMED["session"])
            for number in range(18):  # ten stay, and eight are a batch
                user.add(f"my {SAID['message']} number {number} is {SAID['keyword']}", f"about {SAID['chain']}")
            user.remember(f"is {SAID['fact']}")
            assert memory.flush()
            assert SAID["fact"] in user.recall(SAID["fact"]).text
            assert user.segments()
        if key is not None:
            assert shown(rows(postgres, name), SAID) == set()
        terms.append(set(postgres.sql("SELECT DISTINCT term FROM memoryos_postings", database=name).split()))
    assert all(len(some) > 5 for some in terms)
    assert not any(one & another for one, another in ((terms[0], terms[1]), (terms[1], terms[2])))


@pytest.mark.parametrize("key", [OTHER, "a passphrase"])
def test_a_wrong_or_missing_key_is_told_and_changes_nothing(postgres, postgres_url, name, store, key):
    add(store, "kept")
    before = rows(postgres, name)
    with pytest.raises(StoreKeyError, match="nothing was changed"):
        open_store(postgres_url, key=key)
    with pytest.raises(StoreKeyError, match="open it with its key"):
        open_store(postgres_url)
    assert rows(postgres, name) == before


def test_a_key_for_a_plain_database_is_told_and_changes_nothing(postgres, postgres_url, name):
    with closing(open_store(postgres_url)) as store:
        add(store, "kept")
    before = rows(postgres, name)
    with pytest.raises(StoreKeyError, match="not sealed"):
        open_store(postgres_url, key=KEY)
    assert rows(postgres, name) == before
    with MemoryOS(postgres_url, embedder=None) as memory, pytest.raises(StoreKeyError, match="not sealed"):
        memory.rekey(KEY)


def test_what_a_key_is_for_is_random(postgres, new_database):
    """Two databases with one key have nothing in common that would tell that they say the same."""
    stored = []
    for url in (new_database(), new_database()):
        with closing(SqlStore(url, key=KEY)) as store:
            learn(store, fact("f", text="the same"), fact("g", text="the same"))
            stored.append(store._database.secret)
        lines = postgres.sql("SELECT text FROM memoryos_facts", database=url.split("?")[0].rsplit("/", 1)[1])
        stored.extend(lines.splitlines())
    assert len(set(stored)) == len(stored) == 6
    assert all(len(secret) == 32 for secret in stored if isinstance(secret, bytes))


def test_opening_again_has_the_same_secret(postgres_url, store):
    with closing(SqlStore(postgres_url, key=Keys(OTHER, KEY))) as again:
        assert again._database.secret == store._database.secret != b""


@pytest.mark.parametrize("move", ["user", "column"])
def test_a_sealed_value_that_was_moved_does_not_open(postgres, name, store, move):
    learn(store, fact("a", text=SAID["fact"]))
    learn(store, fact("b", text=SAID["fact"]), scope=BOB)
    store.write_notes(BOB, [NoteWrite(("n",), "k", SAID["note"], "t")], T0)
    if move == "user":
        from_alice = f"(SELECT text FROM memoryos_facts WHERE scope = '{ALICE.key}')"
        postgres.sql(f"UPDATE memoryos_facts SET text = {from_alice} WHERE scope = '{BOB.key}'", database=name)
    else:
        of_bob = f"(SELECT value FROM memoryos_notes WHERE scope = '{BOB.key}')"
        postgres.sql(f"UPDATE memoryos_facts SET text = {of_bob} WHERE scope = '{BOB.key}'", database=name)
    assert store.facts(BOB) == ()
    assert store.stats(BOB).damaged == 1
    assert [known.text for known in store.facts(ALICE)] == [SAID["fact"]]


@pytest.mark.parametrize("written", ["plain words", "1.1.AAAA", "1.7.AAAA", "1.1.!", "2.1.AAAA", "", "1.x.AAAA"])
def test_a_value_that_is_not_sealed_is_refused(postgres, name, store, written):
    learn(store, fact("a", text=SAID["fact"]))
    postgres.sql(f"UPDATE memoryos_facts SET text = '{written}'", database=name)
    assert store.facts(ALICE) == ()
    assert store.stats(ALICE).damaged == 1


def test_sealed_values_are_read_for_a_scope_alone(store):
    learn(store, fact("a"))
    with pytest.raises(StoreKeyError, match="name the scope"), store._database.reading(None) as connection:
        connection.execute(sa.select(metadata.tables["memoryos_facts"])).all()


def test_the_vector_of_a_note_is_kept_while_its_text_is_the_same(store):
    store.write_notes(ALICE, [NoteWrite((), "k", "1", "said"), NoteWrite((), "l", "1", "said")], T0)
    made = [Note((), "k", "1", "said", T0, T0, vector(1, 2)), Note((), "l", "1", "said before", T0, T0, vector(1, 2))]
    store.save_note_vectors(ALICE, made, embedder="mine")
    kept = {note.key: note.vector is not None for note in store.notes(ALICE, vectors=True)}
    assert kept == {"k": True, "l": False}


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork.*:DeprecationWarning")
def test_processes_that_open_a_new_database_at_once_share_its_keys(postgres_url, tmp_path):
    def add_one(number):
        with closing(open_store(postgres_url, key=KEY)) as store:
            add(store, number)

    said = tmp_path / "said"
    assert fork_at_once([partial(add_one, str(number)) for number in range(3)], said) == [0] * 3, said.read_text()
    assert said.read_text() == ""
    with closing(open_store(postgres_url, key=KEY)) as store:
        assert sorted(texts(store.pages(PageQuery(ALICE)))) == ["0", "1", "2"]


def test_without_the_extra_its_name_is_told(postgres, postgres_url, name, monkeypatch):
    before = rows(postgres, name)
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.ciphers.aead", None)
    with pytest.raises(MissingExtraError, match=r"memoryos-tiered\[encryption\]"):
        open_store(postgres_url, key=KEY)
    assert rows(postgres, name) == before


def test_what_databases_of_a_server_share_holds_no_key(new_database):
    def dialect(store):
        return store._database._engine.dialect

    with closing(SqlStore(new_database())) as plain, closing(SqlStore(new_database())) as other:
        assert dialect(other) is dialect(plain)
        with closing(SqlStore(new_database(), key=Keys(KEY))) as sealed:
            (page,) = add(sealed, "Ann sails")
            with closing(SqlStore(new_database(), key=Keys(OTHER))) as another:
                add(another, "Ann swims")
                assert texts(another.pages(PageQuery(ALICE))) == ["Ann swims"]
                assert len({dialect(store) for store in (plain, sealed, another)}) == 3
            assert sealed.pages(PageQuery(ALICE)) == (page,)
        add(other, "Ann rows")
        assert not hasattr(dialect(other), SEALER)
