"""A LangGraph store on a memory: what an agent puts is kept, what it searches is recalled (extra `agents`)."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence

from langgraph.store.base import (
    BaseStore,
    GetOp,
    InvalidNamespaceError,
    ListNamespacesOp,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    validate_op_namespace,
)

from memoryos_core.aio import off_loop
from memoryos_core.hosting import opened
from memoryos_core.memory import MemoryOS
from memoryos_core.noted import NoteWrite
from memoryos_core.rules.accepting import identifier
from memoryos_core.user import UserMemory
from memoryos_langchain.store_checks import checked, read_back, several
from memoryos_langchain.store_reading import Question, found_items, listed_items, one_item, searched, shelves_of
from memoryos_langchain.store_shelves import EPISODES, FACTS, Facts
from memoryos_langchain.store_values import Namespace, encoded, fits, matches, searchable

_LOCKS = 64


class MemoryOSStore(BaseStore):
    """Long-term memory for LangGraph agents. A namespace is (user_id, *rest); every user is a partition of its own.

    - (user, "facts"): current facts. A put remembers what the value's "text" (or "content") says, under your key.
    - (user, "profile"): fields and traits, by name; read-only.
    - (user, "episodes"): what was said, page by page; a page is deleted but not put.
    - any other, (user,) too: items of your own, kept as they are.

    `search(query=)` is recall: a score is the part of the best of its kind, recalled or put, so 1.0 at most. Without a
    query items come last updated first. A search of (user,) covers all of it, but a profile is ranked by no question:
    search (user, "profile") for it. Thread-safe; any number of loops may share one store. There is no TTL.

    Args:
        memory: an open memory. It is not closed with the store.
        assistant_id: whose memory of the user this is, as in `MemoryOS.user`.

    Raises:
        InvalidNamespaceError: a label that LangGraph refuses, or no user.
        InvalidInputError: a value that is not JSON or states no fact, an unknown operator, a search without a user, a
            write where only reading makes sense.
        StoreError: the database refused; ClosedError, the memory was closed.

    >>> from memoryos_core import MemoryOS
    >>> with MemoryOS("sqlite://", embedder=None) as memory:
    ...     store = MemoryOSStore(memory)
    ...     store.put(("ada", "facts"), "drink", {"text": "Ada drinks green tea"})
    ...     store.put(("ada", "settings"), "ui", {"theme": "dark"})
    ...     [item.key for item in store.search(("ada",), query="What tea does Ada drink?")]
    ['drink']
    """

    supports_ttl = False

    def __init__(self, memory: MemoryOS, *, assistant_id: str = "assistant") -> None:
        self._memory = opened(memory)
        self._assistant_id = identifier("assistant_id", assistant_id)
        # A fact and the note that names it are two writes: those of one user take turns.
        self._locks = tuple(threading.Lock() for _ in range(_LOCKS))

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Answer operations in their order: reads see what was before the writes, the last put of a key wins.

        All are checked before any is done. Items of one user's own namespaces are written in one transaction.
        """
        asked = several(ops)
        writes: dict[tuple[Namespace, str], PutOp] = {}
        for op in asked:
            checked(op)
            if isinstance(op, PutOp):
                writes[op.namespace, op.key] = op
        answers = [self._read(op) for op in asked]
        for user_id in dict.fromkeys(op.namespace[0] for op in writes.values()):
            self._write(user_id, [op for op in writes.values() if op.namespace[0] == user_id])
        return answers

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """As `batch`, off the loop."""
        return await off_loop(self._memory, self.batch, several(ops))

    def _user(self, user_id: str) -> UserMemory:
        return self._memory.user(user_id, assistant_id=self._assistant_id)

    def _read(self, op: Op) -> Result:
        if isinstance(op, GetOp):
            return one_item(self._user(op.namespace[0]), op.namespace[1:], op.key)
        if isinstance(op, SearchOp):
            return self._search(op)
        if isinstance(op, ListNamespacesOp):
            return self._namespaces(op)
        return None

    def _search(self, op: SearchOp) -> list[SearchItem]:
        user, rest = self._user(op.namespace_prefix[0]), tuple(op.namespace_prefix[1:])
        wanted = op.offset + op.limit

        if op.query is not None and op.query.strip():
            found = found_items(user, rest, Question(op.query, wanted, op.filter))
        else:
            listed = listed_items(user, rest, None if op.filter else wanted)
            found = [searched(item) for item in listed if matches(item.value, op.filter)]
        return found[op.offset : wanted]

    def _namespaces(self, op: ListNamespacesOp) -> list[Namespace]:
        """Only those that LangGraph can address: a user id with a period is no label to it."""
        roots = [c.path[0] for c in op.match_conditions or () if c.match_type == "prefix" and c.path]
        users = {s.user_id for s in self._memory.scopes() if s.assistant_id == self._assistant_id}
        named = [u for u in users if all(root in ("*", u) for root in roots)]
        found = {(u, *rest) for u in named for rest in shelves_of(self._user(u))}
        told = {n[: op.max_depth] for n in found if _addressable(n) and fits(n, op.match_conditions)}
        return sorted(told)[op.offset : op.offset + op.limit]

    def _write(self, user_id: str, writes: Sequence[PutOp]) -> None:
        user = self._user(user_id)
        own: list[NoteWrite] = []
        for op in writes:
            rest = tuple(op.namespace[1:])
            if rest == FACTS:
                with self._locks[hash(user_id) % _LOCKS]:
                    _write_fact(Facts(user), op)
            elif rest == EPISODES:
                user.forget(pages=[op.key])
            elif op.value is None:
                own.append(NoteWrite(rest, op.key, None))
            else:
                value = encoded(op.value)
                own.append(NoteWrite(rest, op.key, value, searchable(read_back(value), op.index)))
        if own:
            user.notes.write(own)


def _write_fact(facts: Facts, op: PutOp) -> None:
    if op.value is None:
        facts.delete(op.key)
    else:
        facts.put(op.key, read_back(encoded(op.value)), op.index)


def _addressable(namespace: Namespace) -> bool:
    try:
        validate_op_namespace(GetOp(namespace, ""))
    except InvalidNamespaceError:
        return False
    return True
