"""The blocks of LlamaIndex's messages as JSON, and back: text, media, documents, citations, reasoning, calls."""

from __future__ import annotations

import base64
from io import IOBase
from pathlib import Path, PurePath
from typing import IO, Any, cast, get_args

from llama_index.core.base.llms.types import ContentBlock
from pydantic import AnyUrl, BaseModel

from memoryos_core.hosts.concurrency import Contained
from memoryos_core.hosts.messages import Lost, media_marker, pack_json

# Every kind of block that this LlamaIndex has: older ones have fewer, and a name of a newer one cannot be imported.
BLOCKS: dict[str, type[BaseModel]] = {
    kind.model_fields["block_type"].default: kind for kind in get_args(get_args(ContentBlock)[0])
}
_UNTITLED = "input_document"  # what LlamaIndex calls a document without a title
_MEDIA = frozenset({"image", "audio", "video", "document"})


def marker(block: object) -> str | None:
    """Return what stands for a medium in a text, such as "[image: cat.png]"; None for any other block."""
    kind = getattr(block, "block_type", None)
    if kind == "citable":
        kind = "document"
    if kind not in _MEDIA:
        return None
    title = getattr(block, "title", None)
    path, url = getattr(block, "path", None), getattr(block, "url", None)
    return media_marker(str(kind), None if title == _UNTITLED else title, path=path, url=url)


def form_of(block: BaseModel, lost: Lost) -> dict[str, object]:
    """A block as JSON has it; `lost` counts, by type, what had to be replaced by a marker."""
    fields = {name: value for name, value in block if value is not None}
    for name, value in fields.items():
        if isinstance(value, IOBase):
            whole = _whole(value)
            if whole is None:
                # A block without its medium is refused by every model; a text says what was there.
                return {"block_type": "text", "text": pack_json(value, lost, fields_of)}
            fields[name] = base64.b64encode(whole)  # as LlamaIndex has bytes
    return {name: _field(value, lost) for name, value in fields.items()}


def _field(value: object, lost: Lost) -> object:
    """Return the value of a block's field; a dict of one key stands for a type that JSON does not have."""
    if isinstance(value, bytes):
        return {"bytes": value.decode("latin-1")}  # nearly always base64 already
    if isinstance(value, PurePath):
        return {"path": str(value)}
    if isinstance(value, AnyUrl):
        return {"url": str(value)}
    if isinstance(value, BaseModel):
        return form_of(value, lost)
    if isinstance(value, list):
        return [_field(v, lost) for v in cast("list[object]", value)]
    return pack_json(value, lost, fields_of)


def _whole(stream: IOBase) -> bytes | None:
    """All bytes of a stream, which is left where it stood; None when that cannot be."""
    source = cast("IO[Any]", stream)
    with Contained():
        if not source.seekable():
            return None
        at = source.tell()
        try:
            source.seek(0)
            whole: bytes | str = source.read()
        finally:
            source.seek(at)
        return whole.encode("utf-8", "surrogatepass") if isinstance(whole, str) else bytes(whole)
    return None


def block_of(form: dict[str, Any]) -> BaseModel:
    """The block that `form_of` was given. Raises whatever a damaged form, or one of a newer LlamaIndex, leads to."""
    name = form["block_type"]
    kind = BLOCKS[name]
    if name in _MEDIA:
        # Not by its constructor, which refuses the path of a file that has gone since.
        return kind.model_construct(None, **{k: _medium(v) for k, v in form.items()})
    if name == "citable":
        form = {**form, "content": [block_of(inner) for inner in form["content"]]}
    elif name == "citation":
        form = {**form, "cited_content": block_of(form["cited_content"])}
    return kind(**form)


def _medium(value: object) -> object:
    if isinstance(value, (str, int, float)):
        return value
    ((kind, text),) = cast("dict[str, str]", value).items()
    if kind == "bytes":
        return text.encode("latin-1")
    return Path(text) if kind == "path" else AnyUrl(text)


def fields_of(value: object) -> dict[str, object] | None:
    """The fields of an object of pydantic's; None for any other."""
    return dict(value) if isinstance(value, BaseModel) else None
