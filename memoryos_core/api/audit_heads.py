"""Heads of audit chains, signed and shipped out of the database's reach, and read back to check the chains against.

The signature is Ed25519: whoever checks holds the public key, with which nothing can be signed. With HMAC the checker
could forge, so an auditor would have to be trusted like the application.
"""

from __future__ import annotations

import json
import logging
import os
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, TypeAlias, cast
from urllib.parse import urlsplit

from memoryos_core.errors import InvalidInputError, MissingExtraError, StoreUnwritableError
from memoryos_core.values.audit import AuditHead, AuditReport

if TYPE_CHECKING:
    from logging.handlers import SysLogHandler

    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

Sink: TypeAlias = str | Path | Callable[[str], object]
"""A file, "syslog", "syslog://host:port", or a function that is called with each line."""

_KIND = "memoryos audit head"
_BYTES = 32
_SYSLOG_PORT = 514
_LOCAL_SYSLOG = "/dev/log"


class AuditKey:
    """The key that signs heads: 32 random bytes that the database does not hold. Never shown."""

    __slots__ = ("_private",)

    def __init__(self, key: bytes) -> None:
        given = cast("object", key)
        if not isinstance(given, bytes) or len(given) != _BYTES:
            raise InvalidInputError(f"the key of audit heads must be {_BYTES} random bytes: secrets.token_bytes(32)")
        try:
            from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey  # noqa: PLC0415 - an extra
        except ImportError:
            raise MissingExtraError("cryptography", "encryption") from None
        self._private: Ed25519PrivateKey = Ed25519PrivateKey.from_private_bytes(given)

    @property
    def public(self) -> str:
        """The public key in hexadecimal digits: what checks the signatures."""
        return self._private.public_key().public_bytes_raw().hex()

    def sign(self, head: AuditHead, at: datetime) -> str:
        """Return a head as a line of JSON with its signature."""
        said: dict[str, object] = {
            "kind": _KIND,
            "scope": head.scope,
            "entries": head.entries,
            "head": head.digest,
            "at": at.isoformat(),
        }
        return json.dumps({**said, "signature": self._private.sign(_bytes(said)).hex()})

    def __repr__(self) -> str:
        return "AuditKey(hidden)"


@dataclass(frozen=True, slots=True)
class ShippedHeads:
    """Heads that were read back: the digest by scope and number of entries, and what is wrong with the lines."""

    noted: dict[str, dict[int, str]] = field(default_factory=lambda: defaultdict[str, dict[int, str]](dict))
    broken: list[AuditReport] = field(default_factory=list[AuditReport])

    @classmethod
    def read(cls, source: str | Path | Iterable[str], public_key: str) -> ShippedHeads:
        """Read lines, or a file of them, and check each signature. What stands before the JSON in a line is left out.

        Raises InvalidInputError for a file or a key that cannot be read, and where no head is: it would prove nothing.
        """
        key, found = _public(public_key), cls()
        for number, line in enumerate(_lines(source), 1):
            start = line.find("{")
            if start < 0:
                continue
            scope, why = found._take(line[start:], key)
            if why:
                found.broken.append(AuditReport(scope, 0, "", 1, f"line {number} of the shipped heads {why}"))
        if not found.noted and not found.broken:
            raise InvalidInputError("there is no shipped head to check against: take the lines that `ship` wrote")
        return found

    def _take(self, line: str, key: Ed25519PublicKey) -> tuple[str, str]:
        from cryptography.exceptions import InvalidSignature  # noqa: PLC0415 - an extra

        try:
            said = json.loads(line)
            scope, entries, head = str(said["scope"]), int(said["entries"]), str(said["head"])
            key.verify(bytes.fromhex(said.pop("signature")), _bytes(said))
        except (InvalidSignature, KeyError, TypeError, ValueError, RecursionError):
            return "", "is not signed with this key, or is damaged"
        if self.noted[scope].setdefault(entries, head) != head:
            return scope, f"names another entry {entries} than a line before: the log was written twice"
        return scope, ""


def ship(heads: Iterable[AuditHead], sink: Sink, key: AuditKey, at: datetime) -> int:
    """Send heads to a sink, to a file only those that it does not end with yet; return how many.

    Raises InvalidInputError for an unknown sink, StoreUnwritableError for a file or a syslog that takes nothing.
    """
    if isinstance(sink, str) and sink.partition(":")[0] == "syslog":
        with closing(_syslog(sink)) as handler:
            return _send((key.sign(head, at) for head in heads), lambda line: _log(handler, line))
    if isinstance(sink, (str, Path)) and str(sink):
        return _append(heads, Path(sink), key, at)
    if not callable(sink):
        raise InvalidInputError("sink must be a file, 'syslog', 'syslog://host:port' or a function of a line")
    return _send((key.sign(head, at) for head in heads), sink)


def _send(lines: Iterable[str], send: Callable[[str], object]) -> int:
    sent = 0
    for line in lines:
        send(line)
        sent += 1
    return sent


def _append(heads: Iterable[AuditHead], path: Path, key: AuditKey, at: datetime) -> int:
    lines = list(_lines(path)) if path.exists() else []
    there = ShippedHeads.read(lines, key.public).noted if any("{" in line for line in lines) else {}
    new = [head for head in heads if there.get(head.scope, {}).get(head.entries) != head.digest]
    if not new:
        return 0
    try:
        with open(os.open(path, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600), "a", encoding="ascii") as file:  # noqa: PTH123 - with a mode
            sent = _send((key.sign(head, at) for head in new), lambda line: file.write(line + "\n"))
            file.flush()
            os.fsync(file.fileno())
            return sent
    except OSError as error:
        raise StoreUnwritableError(f"the heads could not be written to {str(path)!r} ({error.strerror})") from None


def _syslog(sink: str) -> SysLogHandler:
    from logging.handlers import SysLogHandler  # noqa: PLC0415 - only who ships to it needs it

    class Syslog(SysLogHandler):
        """A handler that raises what logging would only print."""

        def handleError(self, record: logging.LogRecord) -> NoReturn:  # noqa: N802 - logging's name
            error = sys.exc_info()[1]
            why = (error.strerror if isinstance(error, OSError) else None) or type(error).__name__
            raise StoreUnwritableError(
                f"the syslog took no head ({why}); is its daemon running? Write one elsewhere as syslog://host:port"
            ) from None

    parts = urlsplit(sink)
    try:
        where = (parts.hostname, parts.port or _SYSLOG_PORT) if parts.hostname else _LOCAL_SYSLOG
        return Syslog(where, SysLogHandler.LOG_AUTH)
    except (OSError, ValueError):
        raise InvalidInputError("the syslog of this sink cannot be reached; write it as syslog://host:port") from None


def _log(handler: SysLogHandler, line: str) -> None:
    handler.emit(logging.LogRecord("memoryos", logging.INFO, "", 0, line, None, None))


def _lines(source: str | Path | Iterable[str]) -> Iterator[str]:
    if not isinstance(source, (str, Path)):
        yield from source
        return
    try:
        yield from Path(source).read_text("utf-8", "replace").splitlines()
    except OSError as error:
        raise InvalidInputError(f"{str(source)!r} could not be read ({error.strerror})") from None


def _public(written: str) -> Ed25519PublicKey:
    try:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey  # noqa: PLC0415 - an extra
    except ImportError:
        raise MissingExtraError("cryptography", "encryption") from None
    try:
        return Ed25519PublicKey.from_public_bytes(bytes.fromhex(written))
    except (TypeError, ValueError):
        raise InvalidInputError(f"the public key must be {2 * _BYTES} hexadecimal digits: AuditKey(…).public") from None


def _bytes(said: dict[str, object]) -> bytes:
    return json.dumps(said, sort_keys=True).encode()
