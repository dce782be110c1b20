"""Finds tiktoken's vocabularies on this disk. Reads files only: no network, nothing imported.

tiktoken keeps a vocabulary under the SHA-1 of its address, and knows how texts are split and which content is right.
"""

from __future__ import annotations

import base64
import hashlib
import importlib.util
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

VOCABULARIES = ("cl100k_base", "o200k_base")
_ADDRESS = "https://openaipublic.blob.core.windows.net/encodings/{}.tiktoken"


def file_name(address: str) -> str:
    """The name under which tiktoken keeps what it loaded from an address."""
    return hashlib.sha1(address.encode(), usedforsecurity=False).hexdigest()


def vocabulary_file(name: str) -> str:
    """The name of a vocabulary's file in a cache."""
    return file_name(_ADDRESS.format(name))


def on_disk(name: str) -> bool:
    """Return True when a file of the right name is in any cache; its content is checked when it is read."""
    return any(_files(vocabulary_file(name)))


def ranks(address: str, expected_hash: str) -> dict[bytes, int]:
    """The tokens and their ranks, from the first file with the right SHA-256.

    Raises:
        FileNotFoundError: no cache has such a file.
    """
    for path in _files(file_name(address)):
        try:
            content = path.read_bytes()
        except OSError:
            continue
        if hashlib.sha256(content).hexdigest() == expected_hash:
            return _parse_ranks(content)
    raise FileNotFoundError(file_name(address))


def _parse_ranks(content: bytes) -> dict[bytes, int]:
    pairs = (line.split() for line in content.splitlines() if line)
    return {base64.b64decode(token): int(rank) for token, rank in pairs}


def _files(name: str) -> Iterator[Path]:
    return (path for folder in _caches() if (path := folder / name).is_file())


def _caches() -> Iterator[Path]:
    """The folders tiktoken itself would read, then the one that llama-index ships."""
    for variable in ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR"):
        if named := os.environ.get(variable):
            yield Path(named)
    yield Path(tempfile.gettempdir()) / "data-gym-cache"
    # find_spec of the dotted name would import the package; the top-level name only looks.
    spec = importlib.util.find_spec("llama_index")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        yield Path(folder) / "core" / "_static" / "tiktoken_cache"
