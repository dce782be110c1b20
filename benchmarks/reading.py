"""What the readers of all datasets share: JSON, tables, dates, the model answer, and which questions can be asked."""

from __future__ import annotations

import ast
import codecs
import csv
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, overload

from benchmarks.forms import FormError
from benchmarks.talks import Question, Talk

# BEAM names its model answers by what is asked for; the other datasets know the first alone.
_ANSWERS = ("answer", "ideal_answer", "ideal_response", "ideal_summary")
# Nothing that was said answers these: they test whether a model admits it, which is not what we measure.
_UNANSWERABLE = ("adversarial", "abstention")
_CHUNK = 2**24
_LARGEST_CELL = 2**27
_DECODER = json.JSONDecoder()


def read_json(path: Path) -> Any:  # noqa: ANN401 (JSON of others)
    """A file's value. Raises ValueError and OSError."""
    return json.loads(path.read_text(encoding="utf-8"))


def read_lines(path: Path) -> list[Any]:
    """The values of a file of JSON Lines. Raises ValueError and OSError."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def read_table(path: Path) -> list[dict[str, str]]:
    """The rows of a CSV file, by the names of its columns. Raises OSError and UnicodeDecodeError."""
    csv.field_size_limit(_LARGEST_CELL)
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def literal(text: str) -> Any:  # noqa: ANN401 (a value of others)
    """The value of a cell that holds JSON or a literal of Python's. Raises FormError."""
    try:
        return json.loads(text)
    except ValueError:
        pass
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        raise FormError("a cell holds neither JSON nor a literal of Python's") from None


class JsonItems(Sequence[Any]):
    """The objects of a JSON list in a file. Only one is in memory at a time, however many gigabytes the file has.

    Raises:
        FormError: the file is no list of objects.
        OSError: it cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._spans = list(self._find())

    def __len__(self) -> int:
        return len(self._spans)

    @overload
    def __getitem__(self, index: int) -> Any: ...  # noqa: ANN401 (JSON of others)
    @overload
    def __getitem__(self, index: slice) -> Sequence[Any]: ...
    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        start, length = self._spans[index]
        with self._path.open("rb") as file:
            file.seek(start)
            return json.loads(file.read(length))

    def _find(self) -> Iterator[tuple[int, int]]:
        """Yield where each object begins, and its length, both in bytes."""
        decoder = codecs.getincrementaldecoder("utf-8")()
        with self._path.open("rb") as file:
            text, place, is_last, opened = "", 0, False, False
            while True:
                bare = text.lstrip() if not opened else text.lstrip(" \t\r\n,")
                place += len(text) - len(bare)  # what is left out is one byte a character
                text = bare
                if text and not opened:
                    if text[0] != "[":
                        raise FormError("the file is not a JSON list")
                    text, place, opened = text[1:], place + 1, True
                    continue
                if text.startswith("]"):
                    return
                end = _end_of_object(text)
                if end:
                    length = len(text[:end].encode())
                    yield place, length
                    text, place = text[end:], place + length
                    continue
                if is_last:
                    raise FormError("the list in the file does not end, or holds something else than objects")
                more = file.read(max(_CHUNK, len(text)))
                is_last = not more
                text += decoder.decode(more, is_last)


def _end_of_object(text: str) -> int:
    """Return where the object at the beginning of a text ends, 0 when it does not."""
    if not text.startswith("{"):
        return 0
    try:
        return _DECODER.raw_decode(text)[1]
    except ValueError:
        return 0


class Talks(Sequence[Talk]):
    """Conversations that are read anew whenever they are asked for: those of a large file are never all in memory."""

    def __init__(self, read: Callable[[int], Talk], places: Sequence[int]) -> None:
        self._read = read
        self._places = places

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, index: int) -> Talk: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Talk]: ...
    def __getitem__(self, index: int | slice) -> Talk | Sequence[Talk]:
        if isinstance(index, slice):
            return Talks(self._read, self._places[index])
        return self._read(self._places[index])


def date(text: str, form: str) -> datetime | None:
    """A date in strptime's form, without a zone as the files are, or None when it is written in another."""
    try:
        return datetime.strptime(text.strip(), form)  # noqa: DTZ007 (the files name no zone)
    except ValueError:
        return None


def answer(row: Mapping[str, Any]) -> str:
    """The answer that the authors give, which may be a number; "" when they give none."""
    given = (row.get(name) for name in _ANSWERS)
    return next((str(value).strip() for value in given if value not in (None, "")), "")


def answerable(questions: Iterable[Question]) -> tuple[Question, ...]:
    """The questions that something in the conversation answers."""
    return tuple(q for q in questions if q.gold and q.category not in _UNANSWERABLE)
