"""The errors of this library, as a tree.

MemoryOSError
├── InvalidInputError (ValueError)    a value the caller gave cannot be used; nothing was changed
│   └── ConfigError                   the same, for a configuration value
├── NotFoundError (LookupError)       an id that this scope does not hold
├── AccessError (PermissionError)     the actor's role does not allow this verb; the audit log has it
├── LimitError                    a limit of the configuration was reached; nothing was changed
│   ├── RateLimitError                too many verbs of one scope within a minute; says when to try again
│   └── DeadlineError (TimeoutError)  a verb took longer than it may
├── UnsupportedError (NotImplementedError)   this store has no such capability; open the memory with one that has
├── ClosedError                       the memory was closed
├── MissingExtraError (ImportError)   an optional dependency is absent; names the extra to install
├── StoreError                        the database refused an operation
│   ├── StoreBusyError                another process holds the lock; try again
│   ├── StoreUnreachableError         no server, or no more connection to it; try again
│   │   └── OutcomeUnknownError       lost while a write was being committed: it may be there or not; ask again
│   ├── StoreUnwritableError          read-only file, or the disk is full
│   ├── StoreCorruptError             the file is not a database this version can read; it is left alone
│   ├── StoreKeyError                 the key does not open this store, or is missing; nothing was changed
│   ├── ConflictError                 another writer changed these pages first; read again
│   └── EmbedderMismatchError         the vectors on disk come from another embedder; names `reindex`
└── ModelError                        a chat model or an embedder failed
    ├── ModelAnswerError              it answered, but not in the shape that was asked for
    └── ModelBudgetError              the configured ceiling of calls or tokens is reached

Messages say what happened and what to do. They never carry remembered text.
"""

from __future__ import annotations


class MemoryOSError(Exception):
    """Base of every error this library raises on purpose."""


class InvalidInputError(MemoryOSError, ValueError):
    """A value the caller gave cannot be used."""


class ConfigError(InvalidInputError):
    """A configuration value is out of its range."""


class NotFoundError(MemoryOSError, LookupError):
    """An id that this scope does not hold."""


class AccessError(MemoryOSError, PermissionError):
    """The actor's role does not allow what it asked for."""


class LimitError(MemoryOSError):
    """A limit of the configuration was reached; nothing was changed."""


class RateLimitError(LimitError):
    """Too many verbs were called for one scope within a minute; try again after so many seconds."""

    def __init__(self, message: str, *, retry_after: float) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class DeadlineError(LimitError, TimeoutError):
    """A verb took longer than it may."""


class UnsupportedError(MemoryOSError, NotImplementedError):
    """The store of this memory does not offer what was asked for."""


class ClosedError(MemoryOSError):
    """The memory was closed before this call."""


class MissingExtraError(MemoryOSError, ImportError):
    """An optional dependency is absent."""

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(f"{package!r} is not installed; run: pip install 'memoryos-tiered[{extra}]'")
        self.package = package
        self.extra = extra


class StoreError(MemoryOSError):
    """The database refused an operation."""


class StoreBusyError(StoreError):
    """Another process holds the database's lock for longer than the busy timeout."""


class StoreUnreachableError(StoreError):
    """The database server cannot be reached, or the connection to it broke.

    Nothing was changed, unless it is an `OutcomeUnknownError`.
    """

    @property
    def outcome_unknown(self) -> bool:
        """Return True when a write may be there or not."""
        return isinstance(self, OutcomeUnknownError)


class OutcomeUnknownError(StoreUnreachableError):
    """The connection broke while a write was being committed, and it may be there or not.

    `add_messages(…, once=True)` may then be repeated, if the messages have ids, and stores nothing twice. So may
    `remember`, `forget`, `notes.write`, `governance.grant` and `revoke`, whose repetition changes nothing.
    """


class StoreUnwritableError(StoreError):
    """The database cannot be written: read-only, or no space is left."""


class StoreCorruptError(StoreError):
    """The file is not a database that this version can read."""


class StoreKeyError(StoreError):
    """The key does not open this store, or none was given for one that is encrypted."""


class ConflictError(StoreError):
    """Pages or segments changed between the read and the move; nothing was written."""


class EmbedderMismatchError(StoreError):
    """The stored vectors come from another embedder."""


class ModelError(MemoryOSError):
    """A chat model or an embedder failed."""

    def __init__(self, message: str, *, transient: bool = True) -> None:
        super().__init__(message)
        self.transient = transient


class ModelAnswerError(ModelError):
    """The model answered, but not in the shape that was asked for."""


class ModelBudgetError(ModelError):
    """The configured ceiling of model calls or tokens is reached."""

    def __init__(self, message: str) -> None:
        super().__init__(message, transient=False)
