"""What the readers of all datasets share: JSON, dates, the model answer, and which questions can be asked."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from benchmarks.talks import Question

# BEAM names its model answers by what is asked for; the other datasets know the first alone.
_ANSWERS = ("answer", "ideal_answer", "ideal_response", "ideal_summary")
# Nothing that was said answers these: they test whether a model admits it, which is not what we measure.
_UNANSWERABLE = ("adversarial", "abstention")


def read_json(path: Path) -> Any:  # noqa: ANN401 (JSON of others)
    """A file's value. Raises ValueError and OSError."""
    return json.loads(path.read_text(encoding="utf-8"))


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
