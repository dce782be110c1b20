"""The memory and the session of an object: its checked settings, and the reference that is serialised."""

from __future__ import annotations

import uuid
import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, TypeAlias, cast, get_args

from llama_index.core import utils
from llama_index.core.memory.types import BaseMemory
from pydantic import BeforeValidator, ConfigDict, Field, PrivateAttr, ValidationError
from pydantic.json_schema import SkipJsonSchema
from typing_extensions import Self, override

from memoryos_core import InvalidInputError, MemoryOS, UserMemory
from memoryos_core.hosts import validation as accepting
from memoryos_core.hosts.concurrency import Lock
from memoryos_core.hosts.memories import IN_PROCESS
from memoryos_llamaindex.inserting import InsertMethod
from memoryos_llamaindex.registry import connect, keep, register

Tokenizer: TypeAlias = Callable[[str], Sequence[Any]]

_SETTINGS = ("session_id", "user_id", "assistant_id", "token_limit", "budget_tokens", "insert_method", "actor")
TOKEN_LIMIT = 30_000  # what LlamaIndex's own `Memory` has


def _count(name: str) -> BeforeValidator:
    return BeforeValidator(lambda value: accepting.count(name, value))


def _check_method(value: object) -> object:
    if value not in get_args(InsertMethod):
        raise InvalidInputError(f"insert_method must be one of {', '.join(map(repr, get_args(InsertMethod)))}")
    return value


def _settings(data: object, others: Mapping[str, Any]) -> dict[str, Any]:
    """A reference's parts; those of a later version, which this one does not know, are passed over."""
    if not isinstance(data, Mapping):
        raise InvalidInputError(f"from_dict needs the dict that to_dict returned, not {type(data).__name__}")
    known = {*_SETTINGS, "memory", "tokenizer_fn", "address", "handle"}
    return {name: value for name, value in {**cast("Mapping[str, Any]", data), **others}.items() if name in known}


def llamaindex_tokenizer() -> Tokenizer:
    """Return LlamaIndex's token counter, read when a memory is made, as LlamaIndex does itself."""
    return cast("Tokenizer", utils.get_tokenizer())  # pyright: ignore[reportUnknownMemberType] - a bare List


def settings_error(name: str, error: ValidationError) -> InvalidInputError:
    """Return our own error instead of pydantic's, whose text shows the given values."""
    wrong = error.errors(include_url=False, include_input=False)
    causes = [e.get("ctx", {}).get("error") for e in wrong]
    ours = next((cause for cause in causes if isinstance(cause, InvalidInputError)), None)
    fields = ", ".join(sorted({str(e["loc"][0]) for e in wrong if e["loc"]}))
    return ours or InvalidInputError(f"{name}: cannot use these arguments: {fields}")


class SessionMemory(BaseMemory):
    """One session of one user as a LlamaIndex component; serialising and copying it give a reference to it."""

    # Frozen, because the conversation at work belongs to these ids and no others.
    model_config = ConfigDict(arbitrary_types_allowed=True, hide_input_in_errors=True, frozen=True, extra="forbid")

    memory: SkipJsonSchema[MemoryOS] = Field(exclude=True, repr=False)
    session_id: str
    user_id: str
    assistant_id: str
    actor: str | None = None
    token_limit: Annotated[int, _count("token_limit")]
    budget_tokens: Annotated[int, _count("budget_tokens")]
    insert_method: Annotated[InsertMethod, BeforeValidator(_check_method)]
    tokenizer_fn: SkipJsonSchema[Tokenizer] = Field(exclude=True, repr=False)

    _handle: str = PrivateAttr(default_factory=lambda: uuid.uuid4().hex)
    _ignored: bool = PrivateAttr(default=False)
    _anonymous: bool = PrivateAttr(default=False)

    @override
    def model_post_init(self, context: Any, /) -> None:
        super().model_post_init(context)
        register(self.memory)
        with _handed_lock:
            _handed[self._handle] = self

    @property
    def user(self) -> UserMemory:
        """The memory of this user, with all its verbs: profile, facts, segments, remember, export and so on."""
        return self.memory.user(
            self.user_id, assistant_id=self.assistant_id, session_id=self.session_id, actor=self.actor
        )

    def first_ignored(self) -> bool:
        """Return whether a run ignores this object for the first time; see `runs.warn_of_ignored`."""
        before, self._ignored = self._ignored, True
        return not before

    @override
    def to_dict(self, **kwargs: Any) -> dict[str, Any]:
        """A reference as plain JSON values: ids, limits and the address of the store; no text, no password."""
        if self.memory.address.startswith(IN_PROCESS):
            keep(self.memory)  # the reference may become the only way to it
        told = {**{name: getattr(self, name) for name in _SETTINGS}, "user_id": self._named_user()}
        return {"class_name": self.class_name(), "address": self.memory.address, "handle": self._handle, **told}

    @classmethod
    @override
    def from_dict(cls, data: Mapping[str, Any], **kwargs: Any) -> Self:
        """The object that the reference was taken from while it lives here; else one on the same session.

        Raises:
            StoreError: the memory lived in RAM and is gone, or its database cannot be opened.
            InvalidInputError: that is no reference, or its settings cannot be used.
        """
        values = _settings(data, kwargs)
        with _handed_lock:
            found = _handed.get(str(values.pop("handle", None)))
        if isinstance(found, cls) and found.to_dict() == dict(data) and not (found.memory.closed or kwargs):
            return found
        address = values.pop("address", None)
        if "memory" not in values:
            values["memory"] = connect(accepting.text("address", address))
        return cls(**values)

    def __reduce__(self) -> tuple[Any, ...]:
        """By reference, for LlamaIndex's own way drops what cannot be pickled and says nothing."""
        return type(self).from_dict, (self.to_dict(),)

    def __copy__(self) -> Self:
        """The same object: two that know nothing of each other would both be called the memory of this session."""
        return self

    def __deepcopy__(self, memo: dict[int, Any] | None = None) -> Self:
        """See `__copy__`: tools that edit an agent's state have it copied."""
        return self

    @override
    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """The same object; with `update` another one, with those settings changed."""
        if not update:
            return self
        settings: dict[str, Any] = {name: getattr(self, name) for name in type(self).model_fields}
        settings.update({"user_id": self._named_user()}, **update)
        return type(self)(**settings)

    def _named_user(self) -> str | None:
        """The user that was named; None where none was, so that whoever reads a reference knows it, too."""
        return None if self._anonymous else self.user_id

    def __repr__(self) -> str:
        whose = f"session_id={self.session_id!r}, user_id={self.user_id!r}, assistant_id={self.assistant_id!r}"
        return f"{type(self).__name__}({whose}, token_limit={self.token_limit})"

    def __str__(self) -> str:
        return repr(self)


# Handed back by a reference, so that the application's own variable goes on being the memory of its agent.
_Handed: TypeAlias = "weakref.WeakValueDictionary[str, SessionMemory]"
_handed: _Handed = weakref.WeakValueDictionary()
_handed_lock = Lock()
