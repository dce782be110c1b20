"""A clock that jumps between any two verbs, and one that fails: the order of what was said stays, no law is broken."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from memoryos_core import ConfigError, MemoryOS, UserMemory, WorkerConfig
from memoryos_core.errors import MemoryOSError
from memoryos_core.testing.fakes import KeywordEmbedder
from tests.faults.opening import small, url
from tests.faults.verbs import NOON, SILENT, VERBS, fill, prepare, state

DAY, DECADE = timedelta(days=1), timedelta(days=3653)
JUMPS = (timedelta(0), -DAY, DECADE, -DECADE, timedelta(seconds=-1), timedelta(hours=1))
HARMLESS = [name for name in VERBS if name not in ("open", "backup", "purge", "archive", "restore", "reindex")]


class Jumping:
    """A clock that a test moves, or that fails at its n-th look."""

    def __init__(self) -> None:
        self.now = NOON
        self.looks = self.fails_at = 0
        self.for_good = False

    def __call__(self) -> datetime:
        self.looks += 1
        if self.fails_at and (self.looks == self.fails_at or (self.for_good and self.looks > self.fails_at)):
            raise OSError("no time: the user said xyzzy")
        return self.now


@pytest.fixture
def clock() -> Jumping:
    return Jumping()


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def memory(request: pytest.FixtureRequest, clock: Jumping) -> Iterator[MemoryOS]:
    address = "sqlite://" if request.param == "sqlite" else request.getfixturevalue("postgres_url")
    with MemoryOS(address, embedder=KeywordEmbedder(), config=SILENT, clock=clock) as memory:
        fill(memory)
        yield memory


def sound(memory: MemoryOS) -> None:
    assert memory.check(deep=True, progress=False).findings == ()
    assert memory.verify_audit(progress=False).ok


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("filled") / "m.db"
    prepare(path)
    return path


@pytest.fixture
def of_one_verb(filled: Path, tmp_path: Path, clock: Jumping) -> Iterator[MemoryOS]:
    """A memory in a copy of a filled file."""
    path = tmp_path / "m.db"
    shutil.copy(filled, path)
    with MemoryOS(url(path), embedder=KeywordEmbedder(), config=SILENT, clock=clock) as memory:
        yield memory


@pytest.mark.parametrize("jump", JUMPS[1:4])
@pytest.mark.parametrize("name", HARMLESS)
def test_a_clock_that_jumps_between_two_verbs_breaks_nothing(
    of_one_verb: MemoryOS, clock: Jumping, name: str, jump: timedelta
) -> None:
    clock.now += jump
    VERBS[name].run(of_one_verb, Path())
    clock.now -= jump
    assert VERBS[name].done(of_one_verb, Path())
    of_one_verb.user("ann").recall("Where is tree 2?")
    of_one_verb.user("ann").consolidate()
    sound(of_one_verb)


@pytest.mark.parametrize("seed", range(8))
def test_the_order_of_what_was_said_is_the_order_of_the_verbs(memory: MemoryOS, clock: Jumping, seed: int) -> None:
    chance, user = random.Random(seed), memory.user("eve", session_id="monday")
    said: list[str] = []
    for number in range(25):
        clock.now = min(max(clock.now + chance.choice(JUMPS), NOON - 9 * DECADE), NOON + 9 * DECADE)
        what = chance.random()
        if what < 0.6:
            user.add(f"I saw heron {number}.")
            said.append(f"I saw heron {number}.")
        elif what < 0.75:
            user.consolidate()
        elif what < 0.9:
            user.recall("Which heron?")
            user.search("heron", 3)
        else:
            fact = user.remember(f"Likes heron {number}")
            user.correct(fact.id, f"Adores heron {number}")
    assert [m.text for m in user.transcript()] == said
    assert [m.text for page in user.pages() for m in page.messages] == said
    sound(memory)


def test_a_clock_that_jumps_wakes_and_starves_no_worker(clock: Jumping) -> None:
    """Leases and pauses go by the database's clock."""
    config = small("background")
    with MemoryOS("sqlite://", embedder=None, config=config, clock=clock) as memory:
        for jump in (-DECADE, 2 * DECADE, -DECADE):
            clock.now += jump
            for number in range(6):
                memory.user("ann").add(f"I saw heron {number}.")
            assert memory.flush(60)
        assert memory.user("ann").stats().pages == 18
        sound(memory)
    assert WorkerConfig().mode == "background"


@pytest.mark.parametrize("for_good", [False, True])
@pytest.mark.parametrize("name", HARMLESS)
def test_a_clock_that_fails_is_told_and_loses_nothing(
    of_one_verb: MemoryOS, clock: Jumping, name: str, for_good: bool
) -> None:
    verb, memory = VERBS[name], of_one_verb
    before = state(memory)
    looks = clock.looks
    clock.fails_at, clock.for_good = looks + 1, for_good
    raised: list[Exception] = []
    try:
        verb.run(memory, Path())
    except MemoryOSError as error:
        raised.append(error)
    assert [str(error)[:30] for error in raised if isinstance(error, ConfigError)] == [
        "the clock failed with OSError;"
    ] * len(raised)
    assert "xyzzy" not in str(raised)
    done = not raised
    clock.fails_at = 0
    if done:
        assert verb.done(memory, Path())
    elif not verb.steps:
        assert state(memory) == before or verb.done(memory, Path())
    memory.user("ann").add("After it all.")
    memory.user("ann").consolidate()
    sound(memory)


def test_a_clock_that_fails_grants_nothing(memory: MemoryOS, clock: Jumping) -> None:
    bot: UserMemory = memory.user("ann", actor="bot")
    assert bot.recall("Where is tree 2?").text
    clock.fails_at, clock.for_good = clock.looks + 1, True
    with pytest.raises(ConfigError):
        bot.recall("Where is tree 2?")


def test_in_the_background_a_clock_that_fails_only_puts_work_off(clock: Jumping) -> None:
    with MemoryOS("sqlite://", embedder=None, config=small("background"), clock=clock) as memory:
        ann = memory.user("ann")
        for number in range(6):
            ann.add(f"I saw heron {number}.")
        clock.fails_at, clock.for_good = clock.looks + 1, True
        memory.flush(1)
        clock.fails_at = 0
        ann.consolidate()
        assert ann.stats().pages == 6
        assert ann.stats().pages_short_term <= 3
        sound(memory)
