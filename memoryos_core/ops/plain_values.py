"""The values of a memory as JSON can write them, and receipts in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import datetime
from typing import TypeAlias, cast

from memoryos_core.values.dialogue import Recall
from memoryos_core.values.reports import ForgetReceipt, Stats

Plain: TypeAlias = "str | int | float | bool | list[Plain] | dict[str, Plain] | None"


def plain(value: object) -> Plain:
    """Return a value of a memory as mappings, lists, texts and numbers. Times are ISO 8601.

    Fields that are hidden from a value's `repr`, such as vectors and a host's payload, are left out.
    """
    if value is None or isinstance(value, (str, int, float)):
        return value
    if isinstance(value, datetime):
        return value.isoformat()
    if is_dataclass(value) and not isinstance(value, type):
        shown: dict[str, Plain] = {f.name: plain(getattr(value, f.name)) for f in fields(value) if f.repr}
        if isinstance(value, (ForgetReceipt, Stats)):
            shown["pages"] = value.pages
        return shown
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in cast("Mapping[object, object]", value).items()}
    if isinstance(value, (Sequence, set, frozenset)):
        return [plain(item) for item in cast("Sequence[object]", value)]
    raise TypeError(f"a {type(value).__name__} has no form in JSON")


def plain_recall(recall: Recall) -> dict[str, Plain]:
    """Return a recall without what its text holds already: the pages of recent turns."""
    shown = plain(recall)
    assert isinstance(shown, dict)  # noqa: S101 - a dataclass becomes a mapping
    shown["recent"] = [page.id for page in recall.recent]
    return shown


def receipt_in_words(receipt: ForgetReceipt) -> str:
    """Return what a receipt counts, such as "1 page, 2 facts"; "nothing" where it counts nothing."""
    counts = (
        (receipt.pages, "page", "pages"),
        (receipt.facts, "fact", "facts"),
        (receipt.traits, "trait", "traits"),
        (receipt.profile_fields, "profile field", "profile fields"),
        (receipt.notes, "note", "notes"),
        (receipt.segments, "segment", "segments"),
        (receipt.grants, "grant", "grants"),
    )
    return ", ".join(f"{n} {one if n == 1 else many}" for n, one, many in counts if n) or "nothing"
