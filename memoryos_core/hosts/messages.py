"""The stored form of a host's message: its parts as JSON, and a marker in its text for each part that is no text."""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import PurePath
from typing import TypeAlias, cast
from urllib.parse import unquote, urlsplit

from memoryos_core.rules.ranking.rendering import CLOSING, NOTICE, OPENING

logger = logging.getLogger(__name__)

Lost: TypeAlias = Counter[str]
"""What could not be kept, by type."""
Unfold: TypeAlias = Callable[[object], Mapping[str, object] | None]
"""The fields of an object of the host's; None for one that has none."""

# Deeper than any message that a model takes, and far from Python's limit of recursion.
_DEEPEST = 100
# The length of the longest whole number that Python reads back from text (4300 digits), in bits, rounded down.
_WIDEST_INT = 14_000
_LONGEST_TITLE = 80
# Between the notice and the block stand line breaks, or what JSON in a text writes for them. No quotation holds the end
# of its block; one that was cut off has none.
_QUOTATION = re.compile(rf"{re.escape(NOTICE)}(?:\s|\\+n)*{OPENING}.*?(?:{CLOSING}|\Z)", re.DOTALL)
_QUOTED = "[quoted from memory]"


def media_marker(kind: str, title: object = None, *, path: object = None, url: object = None) -> str:
    """Return the marker of a medium in a text, such as "[image: cat.png]", or "[image]" without a title.

    Args:
        kind: "image", "audio", "video" or "document".
        title: the host's name for it; anything but a text counts as none.
        path: its file; the name of the file is a title.
        url: its address. The name of a file in it is a title; nothing else is used, since a URL may hold keys or data.
    """
    titles = (title if isinstance(title, str) else "", "" if path is None else PurePath(str(path)).name, _file_of(url))
    found = next((name for name in (" ".join(t.split()) for t in titles) if name and not _is_data(name)), "")
    return f"[{kind}: {found[:_LONGEST_TITLE]}]" if found else f"[{kind}]"


def leave_out_quotations(text: str) -> str:
    """Return a text with "[quoted from memory]" where it quotes the memory behind our notice.

    So do the results of the memory's own tools. Were they recorded, the memory would hold what it quotes once more, and
    forgetting it would not reach the quotation.
    """
    return _QUOTATION.sub(_QUOTED, text) if OPENING in text else text


def pack_json(value: object, lost: Lost, unfold: Unfold, within: tuple[int, ...] = ()) -> object:
    """Return a value as JSON, tuples as lists; a marker such as "[not kept: bytes]" replaces other types.

    What texts in it quote from the memory is left out, see `leave_out_quotations`.

    Args:
        value: any object.
        lost: counts, by type, what was replaced.
        unfold: the fields of the host's own objects, which are kept as mappings.
        within: the ids of the values around it, so that a circular reference ends.
    """
    if value is None or isinstance(value, (str, float)):
        return leave_out_quotations(value) if isinstance(value, str) else value
    if isinstance(value, int) and value.bit_length() <= _WIDEST_INT:
        return value
    inside = (*within, id(value))
    if len(inside) <= _DEEPEST and id(value) not in within:
        if isinstance(value, dict):
            items = cast("dict[object, object]", value).items()
            return {_packed_key(k, lost): pack_json(v, lost, unfold, inside) for k, v in items}
        if isinstance(value, (list, tuple)):
            return [pack_json(v, lost, unfold, inside) for v in cast("list[object]", value)]
        if (fields := unfold(value)) is not None:
            return {k: pack_json(v, lost, unfold, inside) for k, v in fields.items()}
    return _marker(value, lost)


def tell(lost: Lost) -> None:
    """Log what was replaced in a message, by type and never by value."""
    if lost:
        what = ", ".join(f"{count} {kind}" for kind, count in sorted(lost.items()))
        logger.warning("a message has values that JSON cannot hold; markers are stored instead: %s", what)


def _file_of(url: object) -> str:
    """Return the name of the file that a URL leads to; "" where it leads to none."""
    try:
        parts = urlsplit("" if url is None else str(url))
    except ValueError:  # such as a bracket that is not closed
        return ""
    # What has no scheme may be the medium itself, and so may a last part that is no file's name.
    name = PurePath(unquote(parts.path)).name if parts.scheme and parts.scheme != "data" else ""
    return name if PurePath(name).suffix else ""


def _is_data(title: str) -> bool:
    return title[:5].lower() == "data:"


def _packed_key(key: object, lost: Lost) -> str:
    if isinstance(key, str):
        return key
    if isinstance(key, int):
        lost[f"{type(key).__name__} as a key"] += 1
        return str(key)
    return _marker(key, lost)


def _marker(value: object, lost: Lost) -> str:
    kind = type(value).__name__
    lost[kind] += 1
    return f"[not kept: {kind}]"
