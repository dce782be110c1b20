"""What tests of a server that stops, refuses or hangs have in common."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import psycopg
import pytest

from memoryos_core.errors import StoreError
from memoryos_core.ports import Store
from memoryos_core.testing.store_samples import ALICE, texts
from memoryos_core.values.commands import PageQuery

SECRET = "the combination is 4-8-15-16-23-42"
# Who of this database waits for another transaction to end.
WAITING = (
    "SELECT count(*) FROM pg_stat_activity "
    "WHERE datname = current_database() AND wait_event_type = 'Lock' AND state = 'active'"
)
LONG = 60.0  # what a busy machine may take for something that takes milliseconds


def raw(url: str) -> psycopg.Connection[object]:
    return psycopg.connect(url.replace("+psycopg", ""), autocommit=True)


def kept(store: Store) -> list[str]:
    return texts(store.pages(PageQuery(ALICE)))


def everything_said(error: BaseException) -> str:
    """The error as a log would show it, its chain of causes included."""
    return "".join(traceback.format_exception(error))


@contextmanager
def refused(kind: type[StoreError], words: str) -> Iterator[list[StoreError]]:
    """Our error with a word of advice, which it puts in the list; nothing of the driver's or of what is remembered."""
    errors: list[StoreError] = []
    with pytest.raises(kind, match=words) as caught:
        yield errors
    errors.append(caught.value)
    assert type(caught.value) is kind
    said = everything_said(caught.value)
    assert "psycopg.errors" not in said
    assert "DETAIL" not in said
    assert SECRET not in said


def until(done: Callable[[], bool]) -> None:
    deadline = time.monotonic() + LONG
    while not done():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def raw_pages(url: str) -> list[object]:
    with raw(url) as connection:
        connection.execute("SET memoryos.scope = '*'")
        return connection.execute("SELECT id FROM memoryos_pages").fetchall()


def others(url: str) -> bool:
    """Whether anybody has a transaction open in this database."""
    with raw(url) as connection:
        busy = connection.execute(
            "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() "
            "AND state <> 'idle'"
        )
        return bool(busy.fetchall())
