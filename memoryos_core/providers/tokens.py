"""Token counters: exact when a vocabulary is on this disk, an estimate otherwise. Never a download.

tiktoken keeps a vocabulary under the SHA-1 of its address, and knows how texts are split and which content is right.
Its vocabularies are found on this disk by reading files, without the package.
"""

from __future__ import annotations

import hashlib
import importlib.util
import logging
import os
import re
import tempfile
from binascii import a2b_base64
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FunctionType
from typing import Any, TypeAlias

from memoryos_core.config.validation import brief
from memoryos_core.errors import ConfigError, MissingExtraError
from memoryos_core.ports import TokenCounter
from memoryos_core.ports.forks import Lock, forks_wait
from memoryos_core.ports.optional_imports import import_optional, require_installed

__all__ = [
    "estimate_tokens",
    "open_token_counter",
]


def open_token_counter(spec: TokenCounter | str | None = "auto") -> TokenCounter:
    """A token counter by name, or the caller's own.

    Args:
        spec: "auto" for tiktoken's cl100k_base when it is installed and its vocabulary is on disk, else the
            estimate; "tiktoken" or "tiktoken:o200k_base" for exactly that; "estimate" or None for the estimate; or a
            callable from a text to its count.

    Raises:
        ConfigError: the name is unknown, or a vocabulary that was asked for by name is not on disk.
        MissingExtraError: tiktoken was asked for by name and is not installed.
    """
    if spec is None:
        return estimate_tokens
    if isinstance(spec, str):
        return _by_name(spec)
    if not callable(spec):
        raise ConfigError(f"a token counter must be callable, not {type(spec).__name__!r}")
    return spec


def _by_name(spec: str) -> TokenCounter:
    kind, _, encoding = spec.partition(":")
    if spec == "estimate":
        return estimate_tokens
    if spec == "auto":
        try:
            return _tiktoken("")
        except (ConfigError, MissingExtraError):
            return estimate_tokens
    if kind == "tiktoken":
        return _tiktoken(encoding)
    raise ConfigError(f"token counter {brief(spec)} is not known: use 'auto', 'estimate' or 'tiktoken:NAME'")


def _tiktoken(encoding: str) -> TokenCounter:

    return TiktokenCounter(encoding or "cl100k_base")


def estimate_tokens(text: str, /) -> int:
    """UTF-8 bytes divided by four, rounded up.

    Within a fifth of the real count for English prose, JSON and program text, and within about 11 % for Chinese and
    Japanese, where counting characters instead of bytes would give a third.
    """
    # surrogatepass: half a surrogate pair in a text is counted as the three bytes it would take, never an error.
    return -(-len(text.encode("utf-8", "surrogatepass")) // 4)


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
    fields = content.split()  # a token and its rank in each line
    # The ranks of the vocabularies that are known here are the numbers of the lines: to read 100,000 takes a while.
    numbers = range(len(fields) // 2)
    known = len(fields) > 1 and (fields[1], fields[-1]) == (b"0", str(numbers[-1]).encode())
    return dict(zip(map(a2b_base64, fields[0::2]), numbers if known else map(int, fields[1::2]), strict=True))


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


Encode: TypeAlias = Callable[[str], list[int]]

_LOGGER = logging.getLogger(__name__)
# Merging a long run without blanks takes quadratic time in some versions and recurses deeply in others; a cut changes
# the count by a token or two.
_CHUNK_CHARACTERS = 4000
_LOADER = "load_tiktoken_bpe"
# Both vocabularies split a text here, whatever stands before and behind: no piece holds a line break and what follows
# it, but for blanks and, in one of them, slashes.
_BREAK = re.compile(r"(?<=\n)(?=[^\s/])")
# Prompts are made of the same lines again and again. Their counts are kept under hashes, which hold no text.
_COUNTS_KEPT = 32_768
_loaded: dict[str, Encode] = {}
_loading = Lock()


class TiktokenCounter:
    """Counts with one of tiktoken's vocabularies; loaded at the first count (0.3 s), shared by the whole process.

    If the file is damaged, the estimate is used and logged once: counting
    never fails. Texts of any length are counted in chunks, so the time is linear.

    Raises:
        ConfigError: there is no vocabulary of that name, or its file is in no cache on this disk.
        MissingExtraError: tiktoken is absent.
    """

    def __init__(self, encoding: str = "cl100k_base") -> None:
        if encoding not in VOCABULARIES:
            raise ConfigError(f"vocabulary {encoding!r} is not known: use one of {sorted(VOCABULARIES)}")
        require_installed("tiktoken", "tiktoken")
        if not on_disk(encoding):
            raise ConfigError(
                f"the vocabulary {encoding!r} is not on this disk and is never downloaded here: put its file "
                f"{vocabulary_file(encoding)!r} in the folder that TIKTOKEN_CACHE_DIR names"
            )
        self.name = encoding
        self._encode: Encode | None = None
        self._gave_up = False
        self._counts: dict[int, int] = {}

    def __call__(self, text: str, /) -> int:
        """Return the number of tokens; special tokens in the text count as plain words."""
        encode = self._encode or self._open()
        if encode is None:
            return estimate_tokens(text)
        if len(text) <= _CHUNK_CHARACTERS and "\n" not in text[:-1]:
            return self._count(text, encode)
        starts = range(0, len(text), _CHUNK_CHARACTERS)
        chunks = (text[start : start + _CHUNK_CHARACTERS] for start in starts)
        lines = (line for chunk in chunks for line in (_BREAK.split(chunk) if "\n" in chunk else (chunk,)))
        return sum(self._count(line, encode) for line in lines)

    def _count(self, line: str, encode: Encode) -> int:
        key = hash(line)
        count = self._counts.get(key)
        if count is None:
            if len(self._counts) >= _COUNTS_KEPT:
                self._counts.clear()
            count = self._counts[key] = len(encode(line))
        return count

    def _open(self) -> Encode | None:
        if self._gave_up:
            return None
        with forks_wait(), _loading:
            self._encode = _loaded.get(self.name) or self._load()
            self._gave_up = self._encode is None
        return self._encode

    def _load(self) -> Encode | None:
        try:
            encoding = import_optional("tiktoken", "tiktoken").Encoding(**_describe(self.name))
        except FileNotFoundError:
            _LOGGER.warning("no undamaged file of the vocabulary %s was found: token counts are estimated", self.name)
            return None
        except (MissingExtraError, LookupError, TypeError, ValueError) as error:
            _LOGGER.warning("tiktoken failed (%s): token counts are estimated", type(error).__name__)
            return None
        encode: Encode = encoding.encode_ordinary
        _loaded[self.name] = encode
        return encode


def _describe(name: str) -> dict[str, Any]:
    """Return the description that tiktoken has of a vocabulary, with `ranks` in the place of its loader.

    tiktoken's own deletes a damaged file and downloads, so a description that would load in another way is refused.
    """
    describe = import_optional("tiktoken_ext.openai_public", "tiktoken").ENCODING_CONSTRUCTORS[name]
    if _LOADER not in describe.__code__.co_names:
        raise LookupError(_LOADER)
    description: dict[str, Any] = FunctionType(describe.__code__, {**describe.__globals__, _LOADER: ranks})()
    return description
