"""The places of pages are read once, and again when something changed; the gate is asked each time."""

from __future__ import annotations

from unittest.mock import patch

import pytest

from memoryos_core import AccessError, MemoryConfig, MemoryOS, UserMemory, WorkerConfig
from memoryos_core.ops.inspector.reading import PageIndex

MANUAL = MemoryConfig(worker=WorkerConfig(mode="manual"))


def test_pages_are_read_again_only_when_something_changed() -> None:
    with MemoryOS("sqlite://", embedder=None, config=MANUAL) as memory:
        ann, index = memory.user("ann"), PageIndex()
        page = ann.add("I keep bees.", "They hum.")
        with patch.object(UserMemory, "pages", autospec=True, side_effect=UserMemory.pages) as read:
            assert [place.id for place in index.places(ann)] == [page.id]
            assert index.places(ann) is index.places(ann)
            assert read.call_count == 1
            second = ann.add("It rains.", "Oh.")
            assert [place.id for place in index.places(ann)] == [page.id, second.id]
            ann.forget(pages=[page])
            assert [place.id for place in index.places(ann)] == [second.id]
            ann.end_session()
            ann.consolidate()
            assert [place.tier for place in index.places(ann)] == ["mid_term"]


def test_an_actor_without_the_role_gets_no_places_that_another_one_read() -> None:
    with MemoryOS("sqlite://", embedder=None, config=MANUAL) as memory:
        memory.user("ann").add("I keep bees.", "They hum.")
        memory.user("ann").governance.grant("reader", "reader")
        index = PageIndex()
        index.places(memory.user("ann"))
        for actor in ("reader", "stranger"):
            with pytest.raises(AccessError):
                index.places(memory.user("ann", actor=actor))


def test_few_users_are_kept() -> None:
    with MemoryOS("sqlite://", embedder=None, config=MANUAL) as memory:
        index = PageIndex()
        for number in range(20):
            memory.user(f"user {number}").add("Hello.", "Hi.")
            assert len(index.places(memory.user(f"user {number}"))) == 1
        assert len(index._known) == 4
