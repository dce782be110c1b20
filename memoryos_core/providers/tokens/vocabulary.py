"""Finds tiktoken's vocabularies on this disk. Reads files only: no network, nothing imported."""

from __future__ import annotations

import base64
import hashlib
import importlib.util
import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

# How cl100k splits a text before merging: contractions, words, up to three digits, punctuation, line ends, blanks.
_CL100K = "|".join(
    (
        r"'(?i:[sdmt]|ll|ve|re)",
        r"[^\r\n\p{L}\p{N}]?+\p{L}++",
        r"\p{N}{1,3}+",
        r" ?[^\s\p{L}\p{N}]++[\r\n]*+",
        r"\s++$",
        r"\s*[\r\n]",
        r"\s+(?!\S)",
        r"\s",
    )
)
# o200k also splits words where the case changes, and keeps contractions with their word.
_UPPER, _LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_CONTRACTION = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
_O200K = "|".join(
    (
        rf"[^\r\n\p{{L}}\p{{N}}]?{_UPPER}*{_LOWER}+{_CONTRACTION}",
        rf"[^\r\n\p{{L}}\p{{N}}]?{_UPPER}+{_LOWER}*{_CONTRACTION}",
        r"\p{N}{1,3}",
        r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
        r"\s*[\r\n]+",
        r"\s+(?!\S)",
        r"\s+",
    )
)


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """A vocabulary: its name, the name of its file in a cache, the file's SHA-256, and how texts are split."""

    name: str
    file: str
    sha256: str
    pattern: str


VOCABULARIES = {
    v.name: v
    for v in (
        Vocabulary(
            "cl100k_base",
            "9b5ad71b2ce5302211f9c61530b329a4922fc6a4",
            "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
            _CL100K,
        ),
        Vocabulary(
            "o200k_base",
            "fb374d419588a4632f3f557e76b4b70aebbca790",
            "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
            _O200K,
        ),
    )
}


def on_disk(vocabulary: Vocabulary) -> bool:
    """Return True when a file of the right name is in any cache; its content is checked when it is read."""
    return any(_files(vocabulary))


def ranks(vocabulary: Vocabulary) -> dict[bytes, int] | None:
    """The tokens and their ranks, from the first file with the right SHA-256; None when there is none."""
    contents = (_read_verified(path, vocabulary.sha256) for path in _files(vocabulary))
    content = next((c for c in contents if c is not None), None)
    return None if content is None else _parse_ranks(content)


def _read_verified(path: Path, sha256: str) -> bytes | None:
    try:
        content = path.read_bytes()
    except OSError:
        return None
    return content if hashlib.sha256(content).hexdigest() == sha256 else None


def _parse_ranks(content: bytes) -> dict[bytes, int]:
    pairs = (line.split() for line in content.splitlines() if line)
    return {base64.b64decode(token): int(rank) for token, rank in pairs}


def _files(vocabulary: Vocabulary) -> Iterator[Path]:
    return (path for folder in _caches() if (path := folder / vocabulary.file).is_file())


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
