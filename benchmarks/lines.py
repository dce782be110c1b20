"""A file of JSON Lines that a killed run can go on with."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO


class Lines:
    """What stands in the file (`before`, a value a line) and, in a `with` block, the file for what comes.

    A last line that a killed run left unfinished is none. Without a path nothing is kept.

    Raises:
        ValueError: a line is not JSON.
        OSError: the file cannot be read or written.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._file: BinaryIO | None = None
        text, newline, _ = path.read_bytes().rpartition(b"\n") if path and path.exists() else (b"", b"", b"")
        self._whole = len(text + newline)
        self.before = [self._value(number, line) for number, line in enumerate(text.splitlines(), start=1)]

    def _value(self, number: int, line: bytes) -> Any:  # noqa: ANN401 (JSON)
        try:
            return json.loads(line)
        except ValueError as error:
            raise ValueError(f"line {number} of {self._path} is not JSON") from error

    def __enter__(self) -> Lines:
        if self._path is not None:
            self._file = self._path.open("ab")
            self._file.truncate(self._whole)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is not None:
            self._file.close()

    def write(self, row: Mapping[str, Any]) -> None:
        """Keep a row at once: a run of hours may be killed at any time."""
        if self._file is not None:
            self._file.write(json.dumps(row, ensure_ascii=False).encode() + b"\n")
            self._file.flush()
