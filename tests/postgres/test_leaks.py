"""The leak matrix on PostgreSQL, and what its errors say: nothing of what is remembered."""

from __future__ import annotations

import logging
from collections.abc import Callable

import pytest

from memoryos_core import MemoryOS, StoreError
from memoryos_core.testing.fakes import FixedClock, KeywordEmbedder
from memoryos_core.testing.postgres import LocalPostgres
from tests.faults.leaking import chat, matrix, names, state, victim_of
from tests.faults.opening import small

pytestmark = pytest.mark.postgres

SAID = "zanzibarish"


@pytest.mark.slow
def test_every_verb_with_every_name_of_another(postgres_url: str) -> None:
    options = {"embedder": KeywordEmbedder(), "answer_llm": chat(), "config": small(), "clock": FixedClock()}
    with MemoryOS(postgres_url, **options) as memory:  # type: ignore[arg-type]  # each is what it takes
        findings = matrix(memory, ways=SHORT)
        assert findings.leaks == []
        assert findings.cells > len(SHORT) * 25


def test_who_forgets_everything_takes_nothing_of_anothers(postgres_url: str) -> None:
    with MemoryOS(postgres_url, embedder=None, config=small(), clock=FixedClock()) as memory:
        victim, loot = victim_of(memory)
        before = state(victim)
        for user, assistant, _ in names().values():
            if "\x00" not in user and "\ud800" not in user:
                mine = memory.user(user, assistant_id=assistant)
                mine.add("I planted a tree.")
                assert mine.forget(pages=loot.ids, facts=loot.ids).pages == 0
                assert mine.forget(everything=True).pages == 1
        assert state(victim) == before


def test_errors_of_the_server_and_its_log_lines_say_nothing(
    postgres: LocalPostgres, postgres_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Rows that break a rule, tables that are gone: psycopg's own errors hold the values, ours must not."""
    name = postgres_url.split("?")[0].rsplit("/", 1)[1]
    words: list[str] = []
    with caplog.at_level(logging.DEBUG), MemoryOS(postgres_url, embedder=None, config=small()) as memory:
        ada = memory.user("ada")
        ada.add(f"I own a {SAID}.", f"A {SAID}!")
        breaking = {
            "ALTER TABLE memoryos_pages ADD CONSTRAINT forbids CHECK (tokens < 0) NOT VALID": "ALTER TABLE "
            "memoryos_pages DROP CONSTRAINT forbids",
            "ALTER TABLE memoryos_facts RENAME TO elsewhere": "ALTER TABLE elsewhere RENAME TO memoryos_facts",
        }
        verbs: list[Callable[[], object]] = [
            lambda: ada.add(f"The {SAID} grows.", SAID),
            lambda: ada.remember(f"Owns a {SAID}."),
            lambda: ada.recall(f"Where is the {SAID}?"),
            ada.facts,
        ]
        for broken, mended in breaking.items():
            postgres.sql(broken, database=name)
            for verb in verbs:
                try:
                    verb()
                except StoreError as error:
                    words.append(str(error))
            postgres.sql(mended, database=name)
        ada.add(f"The {SAID} grows.", SAID)
    assert len(words) >= 4
    assert not [w for w in (*words, *(r.getMessage() + (r.exc_text or "") for r in caplog.records)) if SAID in w]


# Those that a database may see otherwise than Python does; all of them are tried on SQLite.
SHORT = (
    *("another user", "upper case", "decomposed (NFD)", "a space behind", "NUL behind", "a lone surrogate"),
    *("the store's escape mark", "a wildcard for all", "always true", "two statements", "her scope's key"),
    *("another assistant", "the two swapped", "a session as a wildcard"),
)
