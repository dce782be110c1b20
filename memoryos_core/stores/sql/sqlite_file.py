"""Reading the rows of a SQLite or SQLCipher file past SQLite: from each page that is whole, whatever the others hold.

SQLite finds a page through others, and refuses a file in which one of them is damaged. Here every page is looked at by
itself (https://www.sqlite.org/fileformat2.html). The log is read as SQLite does: up to its last whole transaction.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memoryos_core.stores.sql.files import part_of

_MAGIC = b"SQLite format 3\x00"
_PAGE, _RESERVED, _SALT = 4096, 80, 16  # of SQLCipher 4
_HMAC = 64
TABLE_LEAF, TABLE_INTERIOR, INDEX_LEAF, INDEX_INTERIOR = 13, 5, 10, 2
_SIZES = tuple(512 << power for power in range(7))
_INTEGERS = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}


class UnreadableError(Exception):
    """A page, or one row of it, cannot be read."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A row of a table with its rowid, or an entry of an index, whose last value is the rowid."""

    rowid: int
    values: tuple[Any, ...]


class Cipher:
    """The cipher of a file that SQLCipher wrote: a page is read where its signature fits."""

    def __init__(self, key: bytes, salt: bytes) -> None:
        self._key, self._first = key, salt
        self._hmac = hashlib.pbkdf2_hmac("sha512", key, bytes(byte ^ 0x3A for byte in salt), 2, len(key))

    def open(self, number: int, page: bytes) -> bytes | None:
        """Return a page in plain, without the reserved end; None when its signature does not fit."""
        from cryptography.hazmat.primitives.ciphers import Cipher as Aes  # noqa: PLC0415 - only encrypted files need it
        from cryptography.hazmat.primitives.ciphers.algorithms import AES  # noqa: PLC0415
        from cryptography.hazmat.primitives.ciphers.modes import CBC  # noqa: PLC0415

        start, end = _SALT if number == 1 else 0, _PAGE - _RESERVED
        signed = page[start : _PAGE - _HMAC] + struct.pack("<I", number)
        if not hmac.compare_digest(hmac.new(self._hmac, signed, "sha512").digest(), page[_PAGE - _HMAC :]):
            return None
        deciphering = Aes(AES(self._key), CBC(page[end : end + 16])).decryptor()
        plain = deciphering.update(page[start:end]) + deciphering.finalize()
        return (_MAGIC if number == 1 else b"") + plain

    def seal(self, number: int, plain: bytes) -> bytes:
        """Return a page as it stands in the file, given what `open` returned for it."""
        from cryptography.hazmat.primitives.ciphers import Cipher as Aes  # noqa: PLC0415 - only encrypted files need it
        from cryptography.hazmat.primitives.ciphers.algorithms import AES  # noqa: PLC0415
        from cryptography.hazmat.primitives.ciphers.modes import CBC  # noqa: PLC0415

        begin, vector = (self._first if number == 1 else b""), os.urandom(16)
        enciphering = Aes(AES(self._key), CBC(vector)).encryptor()
        body = enciphering.update(plain[len(begin) :]) + enciphering.finalize() + vector
        signature = hmac.new(self._hmac, body + struct.pack("<I", number), "sha512").digest()
        return begin + body + signature


class SqliteFile:
    """The pages of a file with its log. Nothing is written, and a page is held only while it is read."""

    def __init__(self, path: Path, cipher: Cipher | None = None) -> None:
        self._path, self._cipher = path, cipher
        head = part_of(path, 0, 100)
        self.page_size, reserved = _PAGE, _RESERVED if cipher else 0
        if cipher is None and head.startswith(_MAGIC):
            size = int.from_bytes(head[16:18], "big")
            self.page_size = {1: 65536}.get(size, size if size in _SIZES else _PAGE)
            reserved = head[20]
        self._usable = self.page_size - reserved
        self._log = Path(f"{path}-wal")
        self._frames, committed = self._read_log()
        self.count = committed or -(-path.stat().st_size // self.page_size)

    def page(self, number: int) -> bytes:
        """Return a page in plain. Raises UnreadableError for one that is cut off, or has a wrong signature."""
        offset = self._frames.get(number)
        path, start = (self._path, (number - 1) * self.page_size) if offset is None else (self._log, offset)
        found = part_of(path, start, self.page_size)
        plain = found if self._cipher is None or len(found) < self.page_size else self._cipher.open(number, found)
        if plain is None or len(found) < self.page_size:
            raise UnreadableError
        return plain

    def entries(self, page: bytes, number: int) -> Iterator[Entry | None]:
        """Yield what a leaf of a table, or a page of an index, holds; None for each that cannot be read."""
        head = 100 if number == 1 else 0
        kind, cells = page[head], int.from_bytes(page[head + 3 : head + 5], "big")
        first = head + (8 if kind in (TABLE_LEAF, INDEX_LEAF) else 12)
        for place in range(first, min(first + 2 * cells, len(page) - 1), 2):
            try:
                yield self._entry(page, kind, int.from_bytes(page[place : place + 2], "big"))
            except (UnreadableError, IndexError, ValueError, struct.error):  # noqa: PERF203 - each row by itself
                yield None

    @staticmethod
    def children(page: bytes, number: int) -> list[int]:
        """Return the numbers of the pages that an interior page points to."""
        head = 100 if number == 1 else 0
        if page[head] not in (TABLE_INTERIOR, INDEX_INTERIOR):
            return []
        cells = int.from_bytes(page[head + 3 : head + 5], "big")
        places = [int.from_bytes(page[at : at + 2], "big") for at in range(head + 12, head + 12 + 2 * cells, 2)]
        return [int.from_bytes(page[at : at + 4], "big") for at in (*places, head + 8)]

    def _entry(self, page: bytes, kind: int, at: int) -> Entry:
        at += 4 if kind == INDEX_INTERIOR else 0
        size, at = _varint(page, at)
        rowid, at = _varint(page, at) if kind == TABLE_LEAF else (0, at)
        values = _record(self._payload(page, kind, at, size))
        return Entry(rowid if kind == TABLE_LEAF else values[-1], values)

    def _payload(self, page: bytes, kind: int, at: int, size: int) -> bytes:
        usable = self._usable
        most = usable - 35 if kind == TABLE_LEAF else (usable - 12) * 64 // 255 - 23
        if size <= most:
            if at + size > len(page):
                raise UnreadableError
            return page[at : at + size]
        if size > self.count * usable:
            raise UnreadableError
        least = (usable - 12) * 32 // 255 - 23
        local = least + (size - least) % (usable - 4)
        local = local if local <= most else least
        parts, left = [page[at : at + local]], size - local
        following = int.from_bytes(page[at + local : at + local + 4], "big")
        while left > 0:
            if not 0 < following <= self.count:
                raise UnreadableError
            overflow = self.page(following)
            parts.append(overflow[4 : min(usable, 4 + left)])
            left -= len(parts[-1])
            following = int.from_bytes(overflow[:4], "big")
        return b"".join(parts)

    def _read_log(self) -> tuple[dict[int, int], int]:
        """Return where the log holds which page, and the number of pages after its last whole transaction."""
        head = part_of(self._log, 0, 32)
        if len(head) < 32 or head[:3] != b"\x37\x7f\x06" or int.from_bytes(head[8:12], "big") != self.page_size:  # noqa: PLR2004
            return {}, 0
        order = ">" if head[3] & 1 else "<"
        sums = _checksum(order, head[:24], (0, 0))
        frames: dict[int, int] = {}
        new: dict[int, int] = {}
        offset, committed = 32, 0
        while len(frame := part_of(self._log, offset, 24 + self.page_size)) == 24 + self.page_size:
            number, size = struct.unpack(">II", frame[:8])
            sums = _checksum(order, frame[24:], _checksum(order, frame[:8], sums))
            if frame[8:16] != head[16:24] or struct.unpack(">II", frame[16:24]) != sums:
                break
            new[number] = offset + 24
            if size:
                frames.update(new)
                new, committed = {}, size
            offset += len(frame)
        return frames, committed


def _checksum(order: str, data: bytes, sums: tuple[int, int]) -> tuple[int, int]:
    first, second = sums
    words = struct.unpack(f"{order}{len(data) // 4}I", data)
    for one, other in zip(words[::2], words[1::2], strict=True):
        first = (first + one + second) & 0xFFFFFFFF
        second = (second + other + first) & 0xFFFFFFFF
    return first, second


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = 0
    for place in range(at, at + 8):
        value = value << 7 | data[place] & 0x7F
        if data[place] < 0x80:  # noqa: PLR2004 - the highest bit says that there is more
            return value, place + 1
    value = value << 8 | data[at + 8]
    return value - (1 << 64) if value >= 1 << 63 else value, at + 9


def _record(payload: bytes) -> tuple[Any, ...]:
    end, at = _varint(payload, 0)
    if not 0 < end <= len(payload):
        raise UnreadableError
    values: list[Any] = []
    body = end
    while at < end:
        kind, at = _varint(payload, at)
        value, size = _value(kind, payload, body)
        if body + size > len(payload):
            raise UnreadableError
        values.append(value)
        body += size
    return tuple(values)


def _value(kind: int, payload: bytes, at: int) -> tuple[Any, int]:
    if kind in _INTEGERS:
        size = _INTEGERS[kind]
        return int.from_bytes(payload[at : at + size], "big", signed=True), size
    if kind >= 12:  # noqa: PLR2004 - texts are odd, bytes even
        size = (kind - 12) // 2
        return (payload[at : at + size].decode() if kind % 2 else payload[at : at + size]), size
    if kind == 7:  # noqa: PLR2004 - a float
        return struct.unpack(">d", payload[at : at + 8])[0], 8
    if kind in (0, 8, 9):
        return (None if kind == 0 else kind - 8), 0
    raise UnreadableError
