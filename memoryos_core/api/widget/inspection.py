"""The widget itself: its values go to the page once, and questions come back as messages."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import anywidget
import traitlets

from memoryos_core.api.user import UserMemory
from memoryos_core.api.widget.parts import Part, ask, read_knowledge, read_parts
from memoryos_core.errors import InvalidInputError, MemoryOSError

_HOME = Path(__file__).parent
_LONGEST_QUESTION = 2000


class Inspection(anywidget.AnyWidget):
    """One user's memory as a widget. Where no kernel runs, its table is shown."""

    _esm = (_HOME / "inspection.js").read_text("utf-8")
    _css = (_HOME / "inspection.css").read_text("utf-8")
    parts = cast("dict[str, object]", traitlets.Dict().tag(sync=True))

    def __init__(self, user: UserMemory, table: str, min_score: float) -> None:
        super().__init__(parts=read_parts(user))
        self._user, self._table, self._min_score = user, table, min_score
        self.on_msg(_answer_message)  # pyright: ignore[reportUnknownMemberType]

    def answer(self, message: Mapping[str, object]) -> Part:
        """Return the answer to a message of the page; what cannot be answered says why."""
        reply: Part = {"kind": message.get("kind"), "number": message.get("number")}
        try:
            return {**reply, "found": self._find(message)}
        except MemoryOSError as error:
            return {**reply, "problem": str(error)}

    def _find(self, message: Mapping[str, object]) -> Part:
        text = message.get("text")
        if not isinstance(text, str) or len(text) > _LONGEST_QUESTION:
            raise InvalidInputError(f"the text must be at most {_LONGEST_QUESTION} characters")
        if message.get("kind") == "facts":
            return read_knowledge(self._user, text)
        if message.get("kind") == "recall":
            return ask(self._user, text, _budget(message.get("budget")), self._min_score)
        raise InvalidInputError("unknown kind of message: use facts or recall")

    def _repr_mimebundle_(self, **options: Any) -> Any:  # noqa: ANN401 - as in ipywidgets
        bundle: Any = cast("Any", super())._repr_mimebundle_(**options)
        data, metadata = bundle or cast("Any", ({}, {}))
        return {**data, "text/plain": "Inspection of a memory", "text/html": self._table}, metadata


def _answer_message(widget: Inspection, message: object, _buffers: object) -> None:
    if isinstance(message, dict):
        answer = widget.answer(cast("dict[str, object]", message))
        widget.send(answer)  # pyright: ignore[reportUnknownMemberType]


def _budget(given: object) -> int | None:
    if given in (None, ""):
        return None
    if isinstance(given, str) and given.isdecimal() and len(given) < 10:  # noqa: PLR2004 - no long number
        return int(given)
    raise InvalidInputError("invalid budget: write a number of tokens")
