"""A question as it arrives, made fit to search with."""

from __future__ import annotations

from memoryos_core.rules.words import sentences

_LONG = 600
_KEEP = 400


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
