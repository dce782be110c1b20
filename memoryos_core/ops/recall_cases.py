"""Cases of recall: a question, and what its answer must bring. The inspector saves them, `check-recall` runs them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, fields
from typing import Any, cast

from memoryos_core.api.user import UserMemory
from memoryos_core.errors import InvalidInputError
from memoryos_core.values.dialogue import Recall

_TEXTS = ("ids", "contains", "lacks")


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallCase:
    """A question to one user's memory, and what must come of it.

    Attributes:
        user: whose memory is asked; "" is the one that the command names.
        assistant: with which assistant.
        question: what is asked.
        budget_tokens: the most tokens of the text; None is the configured number.
        ids: pages and facts that must be in the text.
        contains: texts that must stand in it, whatever their case.
        lacks: texts that must not stand in it, such as a former address.
    """

    user: str = ""
    assistant: str = "assistant"
    question: str
    budget_tokens: int | None = None
    ids: tuple[str, ...] = ()
    contains: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()

    def line(self) -> str:
        """Return the case as one line of JSON, in ASCII."""
        return json.dumps(asdict(self)) + "\n"

    def check(self, user: UserMemory) -> tuple[str, ...]:
        """Ask the memory; return what is wrong with what comes, () if nothing is. Raises MemoryOSError."""
        found = user.recall(self.question, budget_tokens=self.budget_tokens, include_recent=False)
        brought, text = brought_ids(found), _fold(found.text)
        return (
            *(f"{i} is not recalled" for i in self.ids if i not in brought),
            *(f"{t!r} does not stand in the text" for t in self.contains if _fold(t) not in text),
            *(f"{t!r} stands in the text" for t in self.lacks if _fold(t) in text),
        )


def brought_ids(recall: Recall) -> tuple[str, ...]:
    """Return the ids of the pages and facts in the text of a recall, the best hit first."""
    facts = (fact.id for fact in recall.known)
    return tuple(dict.fromkeys((*(hit.id for hit in recall.hits), *facts)))


def read_cases(lines: Iterable[str]) -> Iterator[RecallCase]:
    """Read cases, one JSON object a line; empty lines are skipped. Raises InvalidInputError, which names the line."""
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                values = json.loads(line)
            except (ValueError, RecursionError):
                raise InvalidInputError(f"line {number} is not JSON: write one case, an object, on a line") from None
            yield _case(values, f"line {number}")


def _case(values: object, where: str) -> RecallCase:
    known = {field.name for field in fields(RecallCase)}
    if not isinstance(values, dict) or not set(cast("dict[str, object]", values)) <= known:
        raise InvalidInputError(f"{where} is no case: it may have {', '.join(sorted(known))}, and nothing else")
    given: dict[str, Any] = {**cast("dict[str, Any]", values)}
    given |= {name: _texts(given.get(name, []), f"{where}: {name}") for name in _TEXTS}
    for name in ("user", "assistant", "question"):
        if not isinstance(given.get(name, ""), str):
            raise InvalidInputError(f"{where}: {name} must be a text")
    budget = given.get("budget_tokens")
    if budget is not None and (not isinstance(budget, int) or isinstance(budget, bool)):
        raise InvalidInputError(f"{where}: budget_tokens must be a whole number, or null")
    if not given.get("question", "").strip():
        raise InvalidInputError(f"{where} has no question")
    if not any(given[name] for name in _TEXTS):
        raise InvalidInputError(f"{where} expects nothing, so it could not fail: give ids, contains or lacks")
    return RecallCase(**given)


def _texts(given: object, what: str) -> tuple[str, ...]:
    if isinstance(given, list):
        texts = cast("list[object]", given)
        if all(isinstance(text, str) and text.strip() for text in texts):
            return tuple(cast("list[str]", texts))
    raise InvalidInputError(f"{what} must be a list of texts that are not empty")


def _fold(text: str) -> str:
    return " ".join(text.casefold().split())
