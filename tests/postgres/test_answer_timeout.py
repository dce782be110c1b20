"""`answer_timeout` in a URL: no answer of the server is waited for longer, also with the oldest psycopg we claim."""

from __future__ import annotations

import pytest
from sqlalchemy import text

from memoryos_core import MemoryConfig, MemoryOS, WorkerConfig
from memoryos_core.errors import InvalidInputError, StoreUnreachableError
from memoryos_core.stores import open_store
from memoryos_core.testing.postgres import LocalPostgres
from tests.postgres.network import network

QUIET = MemoryConfig(worker=WorkerConfig(mode="manual"))


@pytest.mark.postgres
def test_a_server_that_does_not_answer_is_left_after_a_while(postgres: LocalPostgres, postgres_url: str) -> None:
    with (
        network(postgres, postgres_url) as line,
        MemoryOS(line.url(answer_timeout=0.5), embedder=None, config=QUIET) as memory,
    ):
        memory.user("ann").add("I planted pear trees.", "How nice.")
        store = memory._open().parts.store
        with pytest.raises(StoreUnreachableError), store._database.reading(None) as connection:  # type: ignore[attr-defined]
            connection.execute(text("SELECT pg_sleep(30)"))
        assert memory.user("ann").recall("pear trees").text


@pytest.mark.parametrize("seconds", ["0", "-1", "soon", "inf", "nan"])
def test_a_wait_that_is_no_number_is_refused(seconds: str) -> None:
    with pytest.raises(InvalidInputError, match="answer_timeout"):
        open_store(f"postgresql://app@127.0.0.1:1/none?answer_timeout={seconds}")
