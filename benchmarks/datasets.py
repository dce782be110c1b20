"""The published conversations by name, read in the form in which their authors publish them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from benchmarks.beam import beam
from benchmarks.locomo import locomo, realtalk
from benchmarks.longmemeval import longmemeval
from benchmarks.talks import Talk

DATASETS: dict[str, Callable[[Path], list[Talk]]] = {
    "locomo": locomo,
    "realtalk": realtalk,
    "beam": beam,
    "longmemeval": longmemeval,
}


def load(dataset: str, path: Path) -> list[Talk]:
    """Read every conversation of a file (locomo, longmemeval) or a folder (realtalk, beam).

    Raises:
        ValueError: there is no conversation, or one is not of the dataset's form.
        OSError: it cannot be read.
    """
    try:
        talks = DATASETS[dataset](path)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{path} is not of the form of {dataset}: {type(error).__name__} at {error}") from error
    if not talks:
        raise ValueError(f"{path} holds no conversation of {dataset}")
    return talks
