"""Keys as a caller passes them: asked for late, checked, and never shown."""

from __future__ import annotations

import copy
import pickle
import traceback

import pytest

from memoryos_core import AsyncMemoryOS, InvalidInputError, Keys, MemoryOS
from memoryos_core.keys import key_from_text
from memoryos_core.stores import open_store

KEY = bytes(range(32))
PHRASE = "correct horse battery"


def test_keys_show_nothing():
    keys = Keys(PHRASE, KEY)
    shown = [repr(keys), str(keys), f"{[keys]}", repr(AsyncMemoryOS("sqlite://", key=PHRASE)._make)]
    assert not any("horse" in text or "x01" in text for text in shown)
    for copied in (pickle.dumps, copy.deepcopy):
        with pytest.raises(InvalidInputError, match="not pickled"):
            copied(keys)


def test_a_callable_is_asked_when_a_store_is_opened_and_not_before(tmp_path):
    asked = []

    def fetch() -> bytes:
        asked.append(1)
        return KEY

    keys = Keys(fetch)
    memory = AsyncMemoryOS(f"sqlite:///{tmp_path / 'memory.db'}", key=keys, embedder=None)
    assert asked == []
    with memory._opened():
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
