"""Questions that were asked, a line of JSON each, in a file that a killed run can go on with."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import Any

from benchmarks.asking import AT_PAGES, Answered, at_budget
from benchmarks.talks import Question

_OPENING = b'{"system": '  # how each line begins


class Rows:
    """What is known from a file, and the file for what comes; without a path nothing is known and nothing kept."""

    def __init__(self, path: Path | None, budgets: Sequence[int], change: str = "") -> None:
        """Read what stands in the file; rows of another `change` than this stay there and are not known.

        Raises:
            ValueError: a line of it is not of ours.
            OSError: it cannot be read or written.
        """
        self._budgets = [str(budget) for budget in budgets]
        self._metrics = [*map(at_budget, budgets), AT_PAGES]
        self._change = change
        self._known: dict[tuple[str, str], Answered] = {}
        whole = b""
        if path is not None and path.exists():
            # A run that was killed may leave half a line; it is asked again.
            whole, _, cut = path.read_bytes().rpartition(b"\n")
            self._learn(path, whole)
            if not _OPENING.startswith(cut[: len(_OPENING)]):
                raise ValueError(f"the end of {path} is not of this benchmark")
        self._file = None
        if path is not None:
            self._file = path.open("r+b" if path.exists() else "wb")
            self._file.truncate(len(whole) + 1 if whole else 0)
            self._file.seek(0, 2)

    def __enter__(self) -> Rows:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is not None:
            self._file.close()

    def known(self, system: str, question: Question) -> Answered | None:
        """The row of a question, if it was asked in these words, for this gold and under all of the budgets."""
        row = self._known.get((system, question.id))
        if row is None or (row.question, row.category, row.gold) != (question.text, question.category, question.gold):
            return None
        asked = row.missed.keys() >= set(self._metrics) and row.tokens.keys() >= set(self._budgets)
        return row if asked else None

    def write(self, row: Answered) -> None:
        """Keep a row at once: a run of hours may be killed at any time."""
        if self._file is None:
            return
        recall = {metric: round(row.recall(metric), 4) for metric in row.missed}
        line = json.dumps({**asdict(row), "change": self._change, "recall": recall}, ensure_ascii=False)
        self._file.write(line.encode() + b"\n")
        self._file.flush()

    def _learn(self, path: Path, whole: bytes) -> None:
        for number, line in enumerate(whole.splitlines(), start=1):
            try:
                row = _row(json.loads(line))
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                raise ValueError(f"line {number} of {path} is not a row of this benchmark") from error
            if row.change == self._change:
                self._known[row.system, row.question_id] = row


def _row(kept: dict[str, Any]) -> Answered:
    fields = dict(kept)
    del fields["recall"]  # it follows from the rest
    fields["gold"] = tuple(kept["gold"])
    fields["missed"] = {metric: tuple(ids) for metric, ids in kept["missed"].items()}
    return Answered(**fields)
