"""The tree of errors: what catches what, and what the special ones carry."""

from __future__ import annotations

import inspect

import pytest

from memoryos_core import errors
from memoryos_core.errors import (
    AccessError,
    ClosedError,
    ConfigError,
    ConflictError,
    DeadlineError,
    EmbedderMismatchError,
    InvalidInputError,
    LimitError,
    MemoryOSError,
    MissingExtraError,
    ModelAnswerError,
    ModelBudgetError,
    ModelError,
    NotFoundError,
    OutcomeUnknownError,
    RateLimitError,
    StoreBusyError,
    StoreCorruptError,
    StoreError,
    StoreKeyError,
    StoreUnreachableError,
    StoreUnwritableError,
    UnsupportedError,
)

TREE: dict[type[Exception], tuple[type[Exception], ...]] = {
    InvalidInputError: (MemoryOSError, ValueError),
    ConfigError: (InvalidInputError,),
    NotFoundError: (MemoryOSError, LookupError),
    AccessError: (MemoryOSError, PermissionError),
    LimitError: (MemoryOSError,),
    RateLimitError: (LimitError,),
    DeadlineError: (LimitError, TimeoutError),
    UnsupportedError: (MemoryOSError, NotImplementedError),
    ClosedError: (MemoryOSError,),
    MissingExtraError: (MemoryOSError, ImportError),
    StoreError: (MemoryOSError,),
    StoreBusyError: (StoreError,),
    StoreUnreachableError: (StoreError,),
    OutcomeUnknownError: (StoreUnreachableError,),
    StoreUnwritableError: (StoreError,),
    StoreCorruptError: (StoreError,),
    StoreKeyError: (StoreError,),
    ConflictError: (StoreError,),
    EmbedderMismatchError: (StoreError,),
    ModelError: (MemoryOSError,),
    ModelAnswerError: (ModelError,),
    ModelBudgetError: (ModelError,),
    MemoryOSError: (Exception,),
}


def test_the_tree_is_whole() -> None:
    defined = {kind for _, kind in inspect.getmembers(errors, inspect.isclass)}
    assert defined == set(TREE)


@pytest.mark.parametrize(("kind", "parents"), TREE.items(), ids=lambda one: getattr(one, "__name__", "parents"))
def test_an_error_is_what_the_drawing_says(kind: type[Exception], parents: tuple[type[Exception], ...]) -> None:
    assert kind.__bases__ == parents
    drawn = [line for line in (errors.__doc__ or "").splitlines() if f" {kind.__name__} " in f" {line} "]
    assert len(drawn) == 1
    assert kind.__doc__


def test_a_missing_extra_says_what_to_install() -> None:
    error = MissingExtraError("tiktoken", "tiktoken")
    assert str(error) == "'tiktoken' is not installed; run: pip install 'memoryos-tiered[tiktoken]'"
    assert (error.package, error.extra) == ("tiktoken", "tiktoken")


def test_a_model_error_says_whether_to_try_again() -> None:
    assert ModelError("no answer").transient
    assert not ModelError("no such model", transient=False).transient
    assert ModelAnswerError("not JSON").transient
    assert not ModelBudgetError("100 calls were made").transient
