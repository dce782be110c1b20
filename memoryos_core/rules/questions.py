"""A question as it arrives, made fit to search with."""

from __future__ import annotations

import re

from memoryos_core.rules.words import sentences

_LONG = 600
_KEEP = 400

_ASKS_ASSISTANT = re.compile(
    r"\b(?:you|your)\b.*\b(?:say|said|tell|told|suggest\w*|recommend\w*|advise\w*|mention\w*)\b", re.I
)


def clean(query: str) -> str:
    """The question itself: what is pasted around it (a system prompt, a document) must not drown it.

    Short queries come back stripped. Of a long one the questions are kept, the last ones first, else its end.
    """
    # Cut before anything that costs by the letter: what is pasted may be megabytes.
    end = query.replace("\x00", " ").strip()[-20 * _LONG :]
    text = end.encode("utf-8", "replace").decode("utf-8").strip()
    if len(text) <= _LONG:
        return text
    parts = sentences(text)
    asked = [p for p in parts if p.rstrip().endswith(("?", "？"))] or parts
    kept: list[str] = []
    for part in reversed(asked):
        if kept and sum(map(len, kept)) + len(part) > _KEEP:
            break
        kept.insert(0, part[-_KEEP:])
    return " ".join(kept).strip()


def asks_assistant(question: str) -> bool:
    """Whether it asks what the assistant said."""
    return _ASKS_ASSISTANT.search(question) is not None
