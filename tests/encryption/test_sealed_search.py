"""Sealed fields are searched in the database as open ones are, by hashes that nobody without the key can make."""

from __future__ import annotations

import random
from contextlib import closing

import pytest
from sqlalchemy import text

from memoryos_core.recall.index import analyse_item, open_index
from memoryos_core.stores.sql.postings import Analyst
from memoryos_core.stores.sql.store import SqlStore
from memoryos_core.stores.sql.writing import pages
from memoryos_core.testing.store_samples import ALICE, T0, fact, learn, new_page
from memoryos_core.values.commands import Append, Forgetting
from tests.postgres.talk import rows, talk

pytestmark = pytest.mark.postgres

KEY = bytes(range(32))


def test_sealed_memory_is_ranked_as_by_the_resident_index(postgres_url):
    with closing(SqlStore(postgres_url, analyse=analyse_item, key=KEY)) as store:
        talk(store, random.Random(1), 40)
        learn(store, fact("f1", text="plays the piano at the harbour"))
        mine, theirs = (open_index(store, kind=kind) for kind in ("database", "resident"))
        assert mine.speakers(ALICE) == theirs.speakers(ALICE) == {"Ada", "Bo"}
        for question in ("piano river", "京都 kettle tram"):
            one, other = (index.candidates(ALICE, question, None, 10_000) for index in (mine, theirs))
            assert sorted(zip(one.owners, one.parts, one.speakers, strict=True), key=str) == sorted(
                zip(other.owners, other.parts, other.speakers, strict=True), key=str
            )
            assert sorted(one.lexical) == pytest.approx(sorted(other.lexical), rel=1e-4)
            assert max(one.lexical) > 0


def test_hashes_of_words_are_keyed(postgres_url):
    with closing(SqlStore(postgres_url, analyse=analyse_item, key=KEY)) as store:
        (page,) = talk(store, random.Random(2), 1)
        (term, *_), known = analyse_item(page)[0].terms, {row[1] for row in rows(store)[1]}
        guessed = Analyst(analyse_item, lambda: b"").hashes(ALICE, [term])
        assert known
        assert not known & set(guessed)
        secret = store._database.secret
    with closing(SqlStore(postgres_url, analyse=analyse_item, key=KEY)) as again:
        assert again._database.secret == secret
        assert Analyst(analyse_item, lambda: secret).hashes(ALICE, [term])[0] in known


def test_digests_of_messages_that_are_taken_once_are_keyed_and_go_with_them(postgres_url):
    """A short text, such as a PIN, could be guessed from a plain digest, also when it was forgotten."""
    with closing(SqlStore(postgres_url, key=KEY)) as store:
        (page,) = store.append(Append(ALICE, "s", (new_page("My PIN is 4711"),), T0, takes=("m1", "m2")))

        def stored() -> set[str]:
            with store._database.reading(None) as connection:
                return set(connection.scalars(text("SELECT digest FROM memoryos_taken")))

        guessed = {pages.keyed_digest(b"", ALICE, pages._message("s", name)) for name in ("m1", "m2")}
        known = {pages.keyed_digest(store._database.secret, ALICE, pages._message("s", name)) for name in ("m1", "m2")}
        assert stored() == known
        assert not known & guessed
        store.forget(Forgetting(ALICE, page_ids=(page.id,)))
        assert stored() == set()
