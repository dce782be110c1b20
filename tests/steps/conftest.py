"""A small conversation of our own, and the asker that puts scripted answers in front of the steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta, timezone

import pytest

from memoryos_core.config import WorkerConfig
from memoryos_core.extract.asking import Asker
from memoryos_core.testing.fakes import ScriptedChat
from memoryos_core.values.dialogue import Message, Page

START = datetime(2023, 5, 8, 9, tzinfo=timezone.utc)
TALK = (
    ("I moved to Lisbon in March and rent a flat near the river.", "How do you like the hills there?"),
    ("The hills are hard on my knees, but the river walks are lovely.", "A tram pass may help."),
    ("Yesterday I adopted a terrier called Biscuit from the shelter.", "Congratulations! How old is he?"),
    ("Biscuit is two years old and terrified of the vacuum cleaner.", "Give him a quiet corner."),
)

MakePage = Callable[..., Page]
MakeAsker = Callable[..., tuple[Asker, ScriptedChat]]


def _page(number: int, user: str, assistant: str = "", **fields: object) -> Page:
    messages = [Message("user", user)] if user else []
    if assistant:
        messages.append(Message("assistant", assistant))
    when = START + timedelta(days=number // 2)
    values: dict = {"id": f"p{number}", "session_id": "s", "seq": number, "timestamp": when, **fields}
    return Page(messages=tuple(messages), **values)


@pytest.fixture(scope="session")
def make_page() -> MakePage:
    return _page


@pytest.fixture(scope="session")
def pages() -> tuple[Page, ...]:
    return tuple(_page(n, user, assistant) for n, (user, assistant) in enumerate(TALK))


@pytest.fixture(scope="session")
def make_asker() -> MakeAsker:
    def make(answers: Sequence | Callable, *, sleep=lambda _: None, stopping=lambda: False, **config):
        chat = ScriptedChat(answers)
        worker = WorkerConfig(**{"backoff_seconds": 0.5, **config})
        return Asker(chat, worker, sleep=sleep, stopping=stopping, count_tokens=len), chat

    return make
