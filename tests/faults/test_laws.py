"""Whatever is done in whatever order: what was accepted and not forgotten is there, once, in one tier, for its user."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections import defaultdict
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from memoryos_core import MemoryOS, Message, UserMemory
from memoryos_core.config import WorkerMode
from memoryos_core.testing.fakes import FixedClock
from tests.faults.opening import broken_laws, said, small, url

USERS = ("ada", "bob")
SESSIONS = ("monday", "tuesday")
WORDS = ("apple", "boat", "cello", "dune", "ember")
# A word in every text of a user that no text of another has.
MARKS = {"ada": "adamantine", "bob": "bobbinet"}

users, sessions = st.sampled_from(USERS), st.sampled_from(SESSIONS)
words = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join)
roles = st.sampled_from(("user", "assistant", "tool", "system"))


class Life(RuleBasedStateMachine):
    """A memory beside the simplest possible account of what it must hold."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.path = self.folder / "m.db"
        self.clock = FixedClock()
        # By user and session: pages in order, each with its messages.
        self.pages: dict[tuple[str, str], dict[str, list[str]]] = defaultdict(dict)
        self.told: dict[str, list[str]] = defaultdict(list)
        self.memory = self.opened("manual", 2)

    def opened(self, mode: WorkerMode, capacity: int) -> MemoryOS:
        return MemoryOS(url(self.path), embedder=None, config=small(mode, capacity=capacity), clock=self.clock)

    def broken(self) -> dict[str, list[str]]:
        """Another database breaks them in other words: these and `opened` are all that differs."""
        return broken_laws(self.path)

    def user(self, user: str, session: str = "monday") -> UserMemory:
        return self.memory.user(user, session_id=session)

    @rule(user=users, session=sessions, words=words, answered=st.booleans())
    def add(self, user: str, session: str, words: str, answered: bool) -> None:
        texts = [f"I saw {words}, {MARKS[user]}.", f"Tell me of {MARKS[user]}."][: 1 + answered]
        page = self.user(user, session).add(*texts)
        self.pages[user, session][page.id] = texts

    @rule(user=users, session=sessions, said=st.lists(st.tuples(roles, words), min_size=1, max_size=6))
    def add_messages(self, user: str, session: str, said: list[tuple[str, str]]) -> None:
        messages = [Message(role, f"{words} {MARKS[user]}") for role, words in said]  # type: ignore[arg-type]
        for page in self.user(user, session).add_messages(messages):
            self.pages[user, session][page.id] = [m.text for m in page.messages]

    @rule(user=users)
    def consolidate(self, user: str) -> None:
        self.user(user).consolidate()

    @rule()
    def flush(self) -> None:
        assert self.memory.flush(timeout=60)

    @rule(user=users, session=sessions, words=words)
    def recall(self, user: str, session: str, words: str) -> None:
        recall = self.user(user, session).recall(f"Did I see {words}? {' '.join(MARKS.values())}")
        known = {i for (owner, _), pages in self.pages.items() if owner == user for i in pages}
        assert {p for h in recall.hits for p in h.page_ids} <= known
        for other in set(USERS) - {user}:
            assert MARKS[other] not in str(recall)

    @rule(user=users, words=words)
    def remember(self, user: str, words: str) -> None:
        text = f"{len(self.told[user])}: likes {words} {MARKS[user]}"
        self.user(user).remember(text)
        self.told[user].append(text)

    @precondition(lambda self: any(self.pages.values()))
    @rule(data=st.data())
    def forget_page(self, data: st.DataObject) -> None:
        place = data.draw(st.sampled_from(sorted(k for k, pages in self.pages.items() if pages)))
        page = data.draw(st.sampled_from(list(self.pages[place])))
        assert self.user(*place).forget(pages=[page]).pages == 1
        del self.pages[place][page]

    @rule(user=users, session=sessions)
    def forget_session(self, user: str, session: str) -> None:
        receipt = self.user(user, session).forget(session=True)
        assert receipt.pages == len(self.pages.pop((user, session), {}))

    @rule(user=users)
    def forget_everything(self, user: str) -> None:
        self.user(user).forget(everything=True)
        self.told.pop(user, None)
        for session in SESSIONS:
            self.pages.pop((user, session), None)

    @rule(mode=st.sampled_from(("manual", "inline", "background")), capacity=st.integers(1, 4), closing=st.booleans())
    def reopen(self, mode: WorkerMode, capacity: int, closing: bool) -> None:
        before = self.memory
        if closing:
            before.close()
        self.memory = self.opened(mode, capacity)
        before.close()  # or both were open for a moment, as two processes would be

    @rule(days=st.integers(-400, 400))
    def time_passes(self, days: int) -> None:
        self.clock.tick(days * 86_400)

    @rule(user=users)
    def move_house(self, user: str) -> None:
        records = list(self.user(user).export())
        self.user(user).forget(everything=True)
        self.memory.restore(records)

    @invariant()
    def every_page_is_there_once_in_its_order(self) -> None:
        for user in USERS:
            stats = self.user(user).stats()
            assert stats.pages == sum(len(self.pages[user, s]) for s in SESSIONS)
            for session in SESSIONS:
                expected = [text for texts in self.pages[user, session].values() for text in texts]
                assert said(self.user(user, session).transcript()) == expected
            told = [f.text for f in self.user(user).facts(current=False) if not f.page_ids]
            assert sorted(told) == sorted(self.told[user])

    @invariant()
    def no_user_holds_a_word_of_another(self) -> None:
        for user in USERS:
            everything = str(list(self.user(user).export()))
            assert not [mark for owner, mark in MARKS.items() if owner != user and mark in everything]

    @invariant()
    def the_file_breaks_no_law(self) -> None:
        assert self.broken() == {}

    def teardown(self) -> None:
        self.memory.close()
        shutil.rmtree(self.folder)


TestLife = Life.TestCase
TestLife.settings = settings(max_examples=500 if "MEMORYOS_SOAK" in os.environ else 25, stateful_step_count=25)
