"""A LangGraph store on a memory: what an agent puts is kept, what it searches is recalled (extra `agents`)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import Future
from typing import cast

from langgraph.store.base import (
    BaseStore,
    GetOp,
    InvalidNamespaceError,
    Item,
    ListNamespacesOp,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    TTLConfig,
    validate_op_namespace,
)

from memoryos_core import MemoryOS, NoteWrite, UserMemory
from memoryos_core.errors import AccessError, InvalidInputError
from memoryos_core.hosts.arguments import checked_actor, require_memory
from memoryos_core.hosts.concurrency import Lock, off_loop
from memoryos_core.hosts.validation import flag, identifier, share, whole_number
from memoryos_langchain.store_checks import check_minutes, check_operation, read_back, several
from memoryos_langchain.store_label import UserLabel
from memoryos_langchain.store_lifetimes import Lifetimes
from memoryos_langchain.store_reading import Question, as_search_item, found_items, listed_items, one_item, shelves_of
from memoryos_langchain.store_shelves import EPISODES, FACTS, Facts
from memoryos_langchain.store_sweeping import Sweeper
from memoryos_langchain.store_values import Namespace, encode_value, fits, matches, searchable

_LOCKS = 64


class MemoryOSStore(BaseStore):
    """Long-term memory for LangGraph agents. A namespace is (user_id, *rest); every user is a partition of its own.

    - (user, "facts"): current facts. A put remembers what the value's "text" (or "content") says, under your key.
    - (user, "profile"): fields and traits, by name; read-only.
    - (user, "episodes"): what was said, page by page; a page is deleted but not put.
    - any other, (user,) too: items of your own, kept as they are.

    `search(query=)` is recall: a score is a relevance from 0 to 1, the same for what is recalled and what was put.
    Without a query items come last updated first. A search of (user,) covers all of it, but a profile is ranked by no
    question: search (user, "profile") for it. Thread-safe; any number of loops may share one store.

    An item that is put with a `ttl` (minutes), or with the default of the store's, expires when it was not read or
    written for so long. It is there until it is swept: by `sweep_ttl`, or by the thread of `start_ttl_sweeper`.

    Other libraries name the user further on, langmem in ("memories", user). `user_label` says which label it is; the
    other labels are read as if they followed it, so ("facts", user) are facts then. `forget(everything=True)` and
    `forget_user` reach only what stands under a user.

    Args:
        memory: an open memory. It is not closed with the store.
        assistant_id: the assistant that remembers, as in `MemoryOS.user`.
        actor: the actor that it works as: a writer there reads and puts items of its own, a curator facts, profile and
            episodes, too. Every operation must name its user. None is the application itself.
        search_all_users: whether `search(())` searches the memories of all users together, as LangGraph's own stores
            do. It reads each of them, so it is for administration and small stores. False refuses it.
        ttl: LangGraph's settings: `default_ttl`, `refresh_on_read`, `omit_expired`, `sweep_interval_minutes`.
        min_score: the least relevance, 0 to 1, of what a question finds; 0 brings the best there are, as LangGraph's
            own stores do. With 0.2 a question about something else finds nothing, also in a small store.
        user_label: the place of the user among the labels of a namespace, counted from 0.

    Raises:
        InvalidNamespaceError: a label that LangGraph refuses, or no user.
        InvalidInputError: a value that is not JSON or states no fact, an unknown operator, a search without a user
            where that is not allowed, a write where only reading makes sense.
        AccessError: the actor's role there does not allow it.
        StoreError: the database refused; ClosedError, the memory was closed.

    Examples:
        >>> from memoryos_core import MemoryOS
        >>> with MemoryOS("sqlite://", embedder=None) as memory:
        ...     store = MemoryOSStore(memory)
        ...     store.put(("ada", "facts"), "drink", {"text": "Ada drinks green tea"})
        ...     store.put(("ada", "settings"), "ui", {"theme": "dark"})
        ...     [item.key for item in store.search(("ada",), query="What tea does Ada drink?")]
        ['drink']
    """

    supports_ttl = True

    def __init__(  # noqa: PLR0913 - one argument for each choice of a caller
        self,
        memory: MemoryOS,
        *,
        assistant_id: str = "assistant",
        actor: str | None = None,
        search_all_users: bool = False,
        ttl: TTLConfig | None = None,
        min_score: float = 0.0,
        user_label: int = 0,
    ) -> None:
        self._memory = require_memory(memory)
        self._label = UserLabel(whole_number("user_label", user_label))
        self._all_users = flag("search_all_users", search_all_users)
        self._min_score = share("min_score", min_score)
        self._actor = checked_actor(actor)
        if self._all_users and self._actor is not None:
            raise InvalidInputError("search_all_users=True belongs to the application: leave actor= out")
        self._assistant_id = identifier("assistant_id", assistant_id)
        self.ttl_config = ttl
        for name in ("default_ttl", "sweep_interval_minutes"):
            check_minutes(name, (ttl or {}).get(name))
        self._sweeper = Sweeper(self.sweep_ttl)
        # A fact and the note that names it are two writes: those of one user take turns.
        self._locks = tuple(Lock() for _ in range(_LOCKS))

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Answer operations in their order: reads see what was before the writes, the last put of a key wins.

        All are checked before any is done, the actor's roles too. Items of one user's own namespaces are written in one
        transaction.
        """
        asked = [self._label.inward(op) for op in several(ops)]
        writes: dict[tuple[Namespace, str], PutOp] = {}
        for op in asked:
            check_operation(op, all_users=self._all_users)
            if isinstance(op, PutOp):
                writes[op.namespace, op.key] = op
        for user_id, verb in dict.fromkeys((op.namespace[0], _verb_of(op)) for op in writes.values()):
            self._user(user_id).gate.check(verb)
        if self.ttl_config is not None and self.ttl_config.get("omit_expired"):
            self._sweep(self._looked_at(asked))
        answers = [self._run_read(op) for op in asked]
        self._refresh(asked, answers)
        for user_id in dict.fromkeys(op.namespace[0] for op in writes.values()):
            self._write(user_id, [op for op in writes.values() if op.namespace[0] == user_id])
        return [self._label.outward(answer) for answer in answers]

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """As `batch`, off the loop."""
        return await off_loop(self._memory, self.batch, several(ops))

    def sweep_ttl(self) -> int:
        """Delete the expired items of all users; return how many. Raises StoreError."""
        return self._sweep(self._user_ids())

    def _sweep(self, user_ids: Iterable[str]) -> int:
        swept = 0
        for user_id in user_ids:
            expired = list(Lifetimes(self._user(user_id)).expired())
            self._write(user_id, [PutOp((user_id, *rest), key, None) for rest, key in expired])
            swept += len(expired)
        return swept

    def start_ttl_sweeper(self, sweep_interval_minutes: float | None = None) -> Future[None]:
        """Sweep in a thread of its own until `stop_ttl_sweeper`, or until the memory is closed.

        Args:
            sweep_interval_minutes: None is what the store's settings say, and 5 where they say nothing.
        """
        check_minutes("sweep_interval_minutes", sweep_interval_minutes)
        return self._sweeper.start(sweep_interval_minutes or (self.ttl_config or {}).get("sweep_interval_minutes") or 5)

    def stop_ttl_sweeper(self, timeout: float | None = None) -> bool:
        """End the sweeping; False when it has not ended within `timeout` seconds."""
        return self._sweeper.stop(timeout)

    def _looked_at(self, ops: Sequence[Op]) -> list[str]:
        """Return the users that these operations read: all users, where an operation names no user."""
        searches = [op.namespace_prefix for op in ops if isinstance(op, SearchOp)]
        if () in searches:
            return self._user_ids()
        named = [*searches, *(op.namespace for op in ops if isinstance(op, GetOp))]
        listed = [user_id for op in ops if isinstance(op, ListNamespacesOp) for user_id in self._list_users(op)]
        return list(dict.fromkeys([*(namespace[0] for namespace in named), *listed]))

    def _refresh(self, ops: Sequence[Op], answers: Sequence[Result]) -> None:
        """Renew the lifetimes of the items read, unless the operation forbids it."""
        read: dict[str, list[tuple[Namespace, str]]] = {}
        for op, answer in zip(ops, answers, strict=True):
            if not isinstance(op, GetOp | SearchOp) or not op.refresh_ttl or not answer:
                continue
            for item in cast("list[Item]", answer if isinstance(answer, list) else [answer]):
                read.setdefault(item.namespace[0], []).append((item.namespace[1:], item.key))
        for user_id, names in read.items():
            Lifetimes(self._user(user_id)).refresh(names)

    def _user(self, user_id: str) -> UserMemory:
        return self._memory.user(user_id, assistant_id=self._assistant_id, actor=self._actor)

    def _run_read(self, op: Op) -> Result:
        if isinstance(op, GetOp):
            return one_item(self._user(op.namespace[0]), op.namespace[1:], op.key)
        if isinstance(op, SearchOp):
            return self._search(op)
        if isinstance(op, ListNamespacesOp):
            return self._namespaces(op)
        return None

    def _search(self, op: SearchOp) -> list[SearchItem]:
        wanted = op.offset + op.limit
        if op.namespace_prefix:
            found = self._find_items(op, op.namespace_prefix[0])
        else:
            found = [item for user_id in self._user_ids() for item in self._find_items(op, user_id)]
            # Stable: what a profile gives to a question has no score and comes last.
            asked = op.query is not None and bool(op.query.strip())
            found.sort(key=lambda i: (i.score or 0.0) if asked else i.updated_at, reverse=True)
        return found[op.offset : wanted]

    def _find_items(self, op: SearchOp, user_id: str) -> list[SearchItem]:
        """The first items of one user that a search is to find, as many as it may want."""
        user, rest, wanted = self._user(user_id), tuple(op.namespace_prefix[1:]), op.offset + op.limit
        if op.query is not None and op.query.strip():
            return found_items(user, rest, Question(op.query, wanted, op.filter, self._min_score))
        listed = listed_items(user, rest, None if op.filter else wanted)
        return [as_search_item(item) for item in listed if matches(item.value, op.filter)]

    def _user_ids(self) -> list[str]:
        """Every user that LangGraph can address, sorted: a user id with a period is no label to it.

        Raises AccessError for an actor, whom nobody has granted a list of the users.
        """
        if self._actor is not None:
            raise AccessError("the list of all users is the application's: name the user in the namespace")
        users = {s.user_id for s in self._memory.scopes() if s.assistant_id == self._assistant_id}
        return sorted(user for user in users if _addressable((user,)))

    def _list_users(self, op: ListNamespacesOp) -> list[str]:
        """Return the users whose namespaces to list, sorted. Raises AccessError for an actor who names none."""
        at = self._label.place
        roots = {c.path[at] for c in op.match_conditions or () if c.match_type == "prefix" and len(c.path) > at}
        named = sorted(roots - {"*"})
        found = named if named and self._actor is not None else self._user_ids()
        return [user_id for user_id in found if all(root in ("*", user_id) for root in roots)]

    def _namespaces(self, op: ListNamespacesOp) -> list[Namespace]:
        """The namespaces in their order; where they begin with the user, no user is read beyond the last one wanted."""
        at, wanted = self._label.place, op.offset + op.limit
        found: set[Namespace] = set()
        for user_id in self._list_users(op):
            if not at and len(found) >= wanted:
                break
            own = ((user_id, *rest) for rest in shelves_of(self._user(user_id)) if len(rest) >= at)
            placed = map(self._label.placed, own)
            found |= {n[: op.max_depth] for n in placed if _addressable(n) and fits(n, op.match_conditions)}
        return sorted(found)[op.offset : wanted]

    def _write(self, user_id: str, writes: Sequence[PutOp]) -> None:
        user = self._user(user_id)
        own: list[NoteWrite] = []
        for op in writes:
            rest = tuple(op.namespace[1:])
            own += Lifetimes(user).changes(rest, op.key, None if op.value is None else op.ttl)
            if rest == FACTS:
                with self._locks[hash(user_id) % _LOCKS]:
                    _write_fact(Facts(user), op)
            elif rest == EPISODES:
                user.forget(pages=[op.key])
            elif op.value is None:
                own.append(NoteWrite(rest, op.key, None))
            else:
                value = encode_value(op.value)
                own.append(NoteWrite(rest, op.key, value, searchable(read_back(value), op.index)))
        if own:
            user.notes.write(own)


def _verb_of(op: PutOp) -> str:
    """Return the verb that a put runs, which says what role it needs."""
    rest = tuple(op.namespace[1:])
    if rest == EPISODES or (rest == FACTS and op.value is None):
        return "forget"
    return "remember" if rest == FACTS else "notes.write"


def _write_fact(facts: Facts, op: PutOp) -> None:
    if op.value is None:
        facts.delete(op.key)
    else:
        facts.put(op.key, read_back(encode_value(op.value)), op.index)


def _addressable(namespace: Namespace) -> bool:
    try:
        validate_op_namespace(GetOp(namespace, ""))
    except InvalidNamespaceError:
        return False
    return True
