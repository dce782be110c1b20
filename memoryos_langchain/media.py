"""The text of LangChain's messages, with a marker where a picture, a sound, a video or a document stands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias, cast

from langchain_core.messages import BaseMessage

from memoryos_core.hosts.messages import media_marker

_Block: TypeAlias = Mapping[str, object]

# What the blocks of media are called, by LangChain and by providers.
_KINDS = {
    "image": "image",
    "image_url": "image",
    "input_image": "image",
    "image_generation_call": "image",
    "audio": "audio",
    "input_audio": "audio",
    "video": "video",
    "video_url": "video",
    "input_video": "video",
    "file": "document",
    "input_file": "document",
    "document": "document",
    "text-plain": "document",
    "media": "document",
}
# A block of these is whatever its MIME type says.
_ANY_MEDIUM = ("file", "input_file", "media")
# Blocks of Bedrock have no type, and one key.
_UNTYPED = ("image", "audio", "video", "document")
_TITLES = ("title", "filename", "file_name", "name")
_URLS = ("url", "image_url", "file_url", "file_uri", "video_url")
_DEEPEST = 3


def text_with_markers(message: BaseMessage) -> str:
    """Return the text of a message, and a line such as "[image: cat.png]" for each medium in it.

    Without media that is LangChain's own `text`.
    """
    if isinstance(message.content, str):
        return str(message.text)
    text = ""
    after_marker = False
    for block in message.content:
        found = marker(block)
        piece = _text(block) if found is None else found
        if not piece:
            continue
        if text and (after_marker or found):
            text += "\n"
        text += piece
        after_marker = found is not None
    return text


def marker(block: object) -> str | None:
    """Return what stands for a medium in a text; None for a block of anything else."""
    if not isinstance(block, Mapping):
        return None
    wrapped = cast("_Block", block)
    inner = wrapped.get("value") if wrapped.get("type") == "non_standard" else wrapped
    kind = _kind(cast("_Block", inner)) if isinstance(inner, Mapping) else None
    if kind is None:
        return None
    parts = list(_parts(wrapped))
    return media_marker(kind, _first(parts, _TITLES), url=_first(parts, _URLS))


def _kind(block: _Block) -> str | None:
    kind = block.get("type")
    if kind is None:
        return next((name for name in _UNTYPED if len(block) == 1 and isinstance(block.get(name), Mapping)), None)
    if kind in _ANY_MEDIUM:
        major = str(block.get("mime_type", "")).partition("/")[0]
        return major if major in ("image", "audio", "video") else "document"
    return _KINDS.get(kind) if isinstance(kind, str) else None


def _parts(block: _Block, depth: int = 1) -> Iterator[_Block]:
    """The block and the mappings within it, the outer ones first: providers keep titles and addresses at any depth."""
    yield block
    inner = [cast("_Block", value) for value in block.values() if isinstance(value, Mapping)]
    if depth < _DEEPEST:
        for part in inner:
            yield from _parts(part, depth + 1)


def _first(parts: list[_Block], names: tuple[str, ...]) -> str | None:
    found = (part.get(name) for part in parts for name in names)
    return next((value for value in found if isinstance(value, str) and value.strip()), None)


def _text(block: object) -> str:
    if isinstance(block, str):
        return block
    part = cast("_Block", block)
    text = part.get("text") if part.get("type") == "text" else None
    return text if isinstance(text, str) else ""
