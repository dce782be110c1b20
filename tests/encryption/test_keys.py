"""Keys as a caller passes them: asked for late, checked, and never shown."""

from __future__ import annotations

import copy
import pickle
import traceback
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import literal_column, select

from memoryos_core import AsyncMemoryOS, InvalidInputError, Keys, MemoryOS
from memoryos_core.errors import StoreBusyError, StoreError, StoreKeyError
from memoryos_core.stores import holds_memory, open_store
from memoryos_core.stores.sql import keyring
from memoryos_core.stores.sql.store import SqlStore
from memoryos_core.values.encryption_keys import key_from_text

KEY, OTHER = bytes(range(32)), bytes(range(32, 64))
PHRASE = "correct horse battery"


def test_keys_show_nothing():
    keys = Keys(PHRASE, KEY)
    shown = [repr(keys), str(keys), f"{[keys]}", repr(AsyncMemoryOS("sqlite://", key=PHRASE)._make)]
    assert not any("horse" in text or "x01" in text for text in shown)
    for copied in (pickle.dumps, copy.deepcopy):
        with pytest.raises(InvalidInputError, match="cannot be pickled"):
            copied(keys)


def test_a_callable_is_asked_when_a_store_is_opened_and_not_before(tmp_path):
    asked = []

    def fetch() -> bytes:
        asked.append(1)
        return KEY

    keys = Keys(fetch)
    memory = AsyncMemoryOS(f"sqlite:///{tmp_path / 'memory.db'}", key=keys, embedder=None)
    assert asked == []
    with memory._open_once():
        assert asked == [1]


def test_a_callable_may_return_keys_and_what_it_raises_comes_through(tmp_path):
    assert Keys(lambda: Keys(PHRASE, lambda: KEY)).values() == (PHRASE, KEY)

    def fail() -> bytes:
        raise ConnectionError("the vault is away")

    with pytest.raises(ConnectionError):
        open_store(f"sqlite:///{tmp_path / 'memory.db'}", key=fail)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("wrong", [b"", b"short", bytes(33), "", "\ud800", 7, lambda: None, lambda: "", Keys])
def test_what_is_no_key_is_refused_and_nothing_is_made(tmp_path, wrong):
    with pytest.raises((InvalidInputError, TypeError)):
        open_store(f"sqlite:///{tmp_path / 'memory.db'}", key=wrong)
    assert list(tmp_path.iterdir()) == []


def test_a_memory_in_ram_takes_no_key():
    with pytest.raises(InvalidInputError, match="leave its key out"):
        open_store("sqlite://", key=KEY)


def test_a_store_that_is_open_takes_no_key(tmp_path):
    with pytest.raises(InvalidInputError, match="open_store"):
        MemoryOS(open_store(f"sqlite:///{tmp_path / 'memory.db'}"), key=KEY)


def test_a_key_as_text():
    assert key_from_text("hex:" + KEY.hex()) == KEY
    assert key_from_text(PHRASE) == PHRASE
    for wrong in ("hex:00", "hex:" + "g" * 64, ""):
        with pytest.raises(InvalidInputError) as refused:
            key_from_text(wrong)
        assert "ggg" not in str(refused.value)


@pytest.mark.parametrize("late", [False, True], ids=["str", "callable"])
def test_digits_as_the_commands_take_them_are_no_passphrase(tmp_path, late):
    """What was opened by such a passphrase before still is, once that is said."""
    url, written = f"sqlite:///{tmp_path / 'memory.db'}", "hex:" + KEY.hex()
    key = (lambda: written) if late else written
    for refuse in (
        lambda: MemoryOS(url, key=key),
        lambda: open_store(url, key=key),
        lambda: holds_memory(f"sqlite:///{tmp_path / 'other.db'}", key=key),
    ):
        with closing(open_store(f"sqlite:///{tmp_path / 'other.db'}", key=KEY)) as store:
            with pytest.raises(InvalidInputError, match=r"bytes\.fromhex") as refused:
                refuse()
            assert_hidden(refused.value, KEY, written)
            with pytest.raises(InvalidInputError, match=r"bytes\.fromhex"):
                store.rekey(key)
    assert not (tmp_path / "memory.db").exists()
    open_store(url, key=Keys(written)).close()
    with closing(open_store(url, key=Keys(written))) as store:
        store.rekey(KEY)
    open_store(url, key=KEY).close()


def test_a_refusal_shows_no_key_even_with_locals(tmp_path):
    """Tools that report errors write down what the variables of each frame hold."""
    path = tmp_path / "memory.db"
    open_store(f"sqlite:///{path}", key=KEY).close()
    with pytest.raises(Exception, match="does not open") as refused:
        MemoryOS(f"sqlite:///{path}", key=PHRASE)
    said = traceback.TracebackException.from_exception(refused.value, capture_locals=True)
    frames = [frame for frame in said.stack if "memoryos_core" in frame.filename]
    assert len(frames) > 3
    assert not [frame for frame in frames if "horse" in repr(frame.locals)]


def shown(error: BaseException) -> str:
    """The variables of every frame of an error, and of what it came from, suppressed or not."""
    found: list[str] = []
    cause: BaseException | None = error
    while cause is not None:
        trace = cause.__traceback__
        while trace is not None:
            if "memoryos_core" in trace.tb_frame.f_code.co_filename:
                found.append(repr(trace.tb_frame.f_locals))
            trace = trace.tb_next
        cause = cause.__cause__ or cause.__context__
    return "\n".join(found)


def assert_hidden(error: BaseException, *keys: bytes | str) -> None:
    said = shown(error) + str(error)
    for key in keys:
        for form in (repr(key), key.hex() if isinstance(key, bytes) else key):
            assert form not in said


def refusals_of_a_file(path: Path) -> Iterator[BaseException]:
    """What opening and rekeying an encrypted file may raise."""
    url = f"sqlite:///{path}"
    with pytest.raises(StoreKeyError) as wrong:
        open_store(url, key=OTHER)
    yield wrong.value
    with pytest.raises(StoreKeyError) as wrong:
        open_store(url, key=PHRASE)
    yield wrong.value
    with closing(SqlStore(url, key=KEY, busy_timeout_seconds=0.2)) as store:
        with closing(SqlStore(url, key=KEY)) as other, other._database.writing(None):
            with pytest.raises(StoreBusyError) as busy:
                store.rekey(PHRASE)
            yield busy.value
        with closing(SqlStore(url, key=KEY)) as other:
            other.rekey(PHRASE)
        with pytest.raises(StoreKeyError) as wrong:
            store.rekey(OTHER)
        yield wrong.value
        path.rename(path.with_name("away.db"))
        with pytest.raises(StoreError) as gone:
            store.rekey(OTHER)
        yield gone.value


def test_no_key_is_in_any_frame_of_what_a_file_raises(tmp_path):
    path = tmp_path / "memory.db"
    open_store(f"sqlite:///{path}", key=KEY).close()
    for error in refusals_of_a_file(path):
        assert_hidden(error, KEY, OTHER, PHRASE)


@pytest.mark.postgres
def test_no_key_is_in_any_frame_of_what_a_server_raises(postgres_url, monkeypatch):
    with closing(open_store(postgres_url, key=KEY)) as store:
        for wrong in (OTHER, PHRASE):
            with pytest.raises(StoreKeyError) as refused:
                open_store(postgres_url, key=wrong)
            assert_hidden(refused.value, KEY, OTHER, PHRASE)
        monkeypatch.setattr(keyring, "insert", lambda _: select(literal_column("1 / 0")))
        with pytest.raises(StoreError) as failed:
            store.rekey(OTHER)
        assert_hidden(failed.value, KEY, OTHER)
    monkeypatch.undo()
    open_store(postgres_url, key=KEY).close()
