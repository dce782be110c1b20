"""Everything that changes what a session shows, by name; as a program it makes those changes in its own process."""

from __future__ import annotations

import sys
from collections.abc import Callable
from datetime import datetime, timedelta, timezone

from memoryos_core import MemoryConfig, MemoryOS, Message, RetentionPolicy, UserMemory, WorkerConfig

BUDGET = 10_000
_LONG_AGO = datetime(2020, 1, 1, tzinfo=timezone.utc)
_GONE = RetentionPolicy("gone", older_than=timedelta(days=30), action="purge")


def opened(url: str) -> MemoryOS:
    """Open a memory that finds by words and does nothing behind the caller."""
    return MemoryOS(url, embedder=None, config=MemoryConfig(worker=WorkerConfig(mode="manual")))


def fill(user: UserMemory) -> None:
    """Begin a conversation of six turns; the first was long ago, and message n has the id `m<n>`."""
    user.end_session()
    for n in range(6):
        at = _LONG_AGO if n == 0 else None
        texts = (f"message {2 * n}", at, f"m{2 * n}"), (f"message {2 * n + 1}", at, f"m{2 * n + 1}")
        user.add_messages(
            [
                Message(role, text, timestamp=when, id=name)
                for role, (text, when, name) in zip(("user", "assistant"), texts, strict=True)
            ]
        )


def _user(memory: MemoryOS, session: str = "s") -> UserMemory:
    return memory.user("ada", session_id=session)


def _replace(memory: MemoryOS) -> None:
    _user(memory).add_messages([Message("user", "another text", id="m4")], replaces=["m4"])


def _replace_last(memory: MemoryOS) -> None:
    _user(memory).add_messages([Message("assistant", "another answer", id="m11")], replaces=["m11"])


def _remove(memory: MemoryOS) -> None:
    _user(memory).add_messages([], replaces=["m4", "m5"])


def _remove_first(memory: MemoryOS) -> None:
    _user(memory).add_messages([], replaces=["m0", "m1"])


def _forget_page(memory: MemoryOS) -> None:
    user = _user(memory)
    user.forget(pages=[user.pages(session=True)[-3]])


def _evict(memory: MemoryOS) -> None:
    user = _user(memory)
    user.consolidate()
    user.governance.retain([_GONE])


def _restore(memory: MemoryOS) -> None:
    user = _user(memory)
    exported = list(user.export())
    user.forget(pages=user.pages(session=True)[-2:])
    user.messages(budget_tokens=BUDGET)
    memory.restore(exported)


CHANGES: dict[str, Callable[[MemoryOS], object]] = {
    "append": lambda memory: _user(memory).add("one more", "yes"),
    "extend": lambda memory: _user(memory).add_messages([Message("assistant", "and so on")]),
    "replace": _replace,
    "replace the last": _replace_last,
    "remove": _remove,
    "remove the first": _remove_first,
    "end": lambda memory: _user(memory).end_session(),
    "restart": lambda memory: _user(memory).end_session(messages=[Message("user", "from here")]),
    "forget a page": _forget_page,
    "forget the session": lambda memory: _user(memory).forget(session=True),
    "forget everything": lambda memory: _user(memory).forget(everything=True),
    "retain": lambda memory: _user(memory).governance.retain([_GONE]),
    "retain what is consolidated": _evict,
    "restore": _restore,
    "elsewhere": lambda memory: _user(memory, "t").add("in another session", "yes"),
    "consolidate": lambda memory: _user(memory).consolidate(),
}


def main() -> None:
    """Make the changes that are named on standard input, a line each, and repeat each name once it is done."""
    with opened(sys.argv[1]) as memory:
        for line in sys.stdin:
            CHANGES[line.strip()](memory)
            print(line.strip(), flush=True)


if __name__ == "__main__":
    main()
