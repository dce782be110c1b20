"""Seals values one by one where the database does not encrypt its files (ADR 0015).

A sealed value reads `1.<key id>.<base64 of nonce, ciphertext and tag>`: AES-256-GCM with a random nonce of 96 bits. The
key is one of the scope's own, and the column's name is authenticated: moved elsewhere, a value does not open.
"""

from __future__ import annotations

import base64
import binascii
import hmac
import os
from collections.abc import Callable, Mapping
from contextvars import ContextVar, Token
from typing import TYPE_CHECKING

from sqlalchemy import LargeBinary
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeDecorator

from memoryos_core.errors import MissingExtraError, StoreCorruptError, StoreKeyError
from memoryos_core.values.dialogue import Scope

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

SEALER = "memoryos_sealer"
"""Attribute of the engine's dialect that holds the sealer."""

_VERSION = "1"
NONCE_BYTES = 12
_BOXES_KEPT = 1024
_NO_SCOPE = ""

_scope: ContextVar[str] = ContextVar("memoryos_scope", default=_NO_SCOPE)


def current_scope() -> str:
    """The key of the scope that values are read and written for now; "" for none."""
    return _scope.get()


class Within:
    """A `with` block in which values are sealed and opened for this scope."""

    __slots__ = ("_key", "_token")

    def __init__(self, scope: Scope | None) -> None:
        self._key = scope.key if scope is not None else _NO_SCOPE

    def __enter__(self) -> None:
        self._token: Token[str] = _scope.set(self._key)

    def __exit__(self, *_: object) -> None:
        _scope.reset(self._token)


class Sealer:
    """Seals with the newest of the database's keys and opens with any. Thread-safe.

    `keys` are by id, newest last; `renewed` reloads them when a value names an unknown key.
    """

    def __init__(self, keys: Mapping[int, bytes], renewed: Callable[[], Mapping[int, bytes]]) -> None:
        self._renewed = renewed
        self.use(keys)

    def __repr__(self) -> str:
        return "Sealer(hidden)"

    @property
    def prefix(self) -> str:
        """Prefix of every value sealed with the newest key."""
        return f"{_VERSION}.{self._current}."

    def use(self, keys: Mapping[int, bytes]) -> None:
        """Use these keys from now on."""
        self._keys = dict(keys)
        self._current = max(keys)
        self._boxes: dict[tuple[int, str], AESGCM] = {}

    def seal(self, place: str, text: str) -> str:
        """Encrypt a text for a column."""
        nonce = os.urandom(NONCE_BYTES)
        current = self._current
        sealed = nonce + self._box(current).encrypt(nonce, text.encode(), place.encode())
        return f"{_VERSION}.{current}.{base64.b64encode(sealed).decode()}"

    def seal_bytes(self, place: str, content: bytes) -> bytes:
        """Encrypt bytes for a column: as `seal`, without the base64."""
        nonce = os.urandom(NONCE_BYTES)
        current = self._current
        sealed = self._box(current).encrypt(nonce, content, place.encode())
        return f"{_VERSION}.{current}.".encode() + nonce + sealed

    def open_bytes(self, place: str, stored: bytes) -> bytes:
        """Decrypt a value of `seal_bytes`. Raises StoreKeyError or StoreCorruptError."""
        from cryptography.exceptions import InvalidTag  # noqa: PLC0415 - only encrypted stores need it

        try:
            key_id, sealed = stored.removeprefix(f"{_VERSION}.".encode()).split(b".", 1)
            return self._box(int(key_id)).decrypt(sealed[:NONCE_BYTES], sealed[NONCE_BYTES:], place.encode())
        except (InvalidTag, ValueError):
            raise StoreCorruptError("a chunk of the index is not sealed with its key, or was altered") from None

    def open(self, place: str, stored: str) -> str:
        """Decrypt a value of `seal`. Raises StoreKeyError or StoreCorruptError, without remembered text."""
        from cryptography.exceptions import InvalidTag  # noqa: PLC0415 - only encrypted stores need it

        try:
            version, key_id, written = stored.split(".", 2)
            sealed = base64.b64decode(written, validate=True)
            if version != _VERSION:
                raise StoreCorruptError(
                    "a newer version of memoryos-tiered sealed this database; upgrade memoryos-tiered to read it"
                )
            box = self._box(int(key_id))
            return box.decrypt(sealed[:NONCE_BYTES], sealed[NONCE_BYTES:], place.encode()).decode()
        except (InvalidTag, binascii.Error, ValueError):
            raise StoreCorruptError(
                "a value in the database is not sealed with its key, or was altered or moved there from elsewhere; "
                "it was left as it is: restore it from a backup"
            ) from None

    def _box(self, key_id: int) -> AESGCM:
        scope = _scope.get()
        keys: Mapping[int, bytes] = self._keys
        boxes = self._boxes
        box = boxes.get((key_id, scope))
        if box is None:
            if scope == _NO_SCOPE:
                raise StoreKeyError("sealed values can be read or written for one scope only; name the scope")
            if key_id not in keys:
                self.use(keys := self._renewed())
                boxes = self._boxes
            if key_id not in keys:
                raise StoreCorruptError("the key of a sealed value is not in the database; restore it from a backup")
            if len(boxes) >= _BOXES_KEPT:
                boxes.clear()
            # Each scope has its own key: a value of one scope does not open in another, and one user has fewer values
            # than the 2**32 random nonces that a key allows.
            box = boxes[key_id, scope] = aes(hmac.digest(keys[key_id], f"memoryos scope {scope}".encode(), "sha256"))
        return box


class SealedBytes(TypeDecorator[bytes]):
    """Bytes that are sealed like a text of `Sealable`; those that do not open read as none: there are the rows."""

    impl = LargeBinary
    cache_ok = True

    def __init__(self, place: str) -> None:
        super().__init__()
        self.place = place

    def process_bind_param(self, value: bytes | None, dialect: Dialect) -> bytes | None:
        """To the database."""
        sealer: Sealer | None = getattr(dialect, SEALER, None)
        return value if value is None or sealer is None else sealer.seal_bytes(self.place, value)

    def process_result_value(self, value: bytes | None, dialect: Dialect) -> bytes | None:
        """From the database."""
        sealer: Sealer | None = getattr(dialect, SEALER, None)
        if not isinstance(value, bytes):
            return b""
        try:
            return value if sealer is None else sealer.open_bytes(self.place, value)
        except StoreCorruptError:
            return b""


def aes(key: bytes) -> AESGCM:
    """AES-256-GCM under a key. Raises MissingExtraError."""
    try:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415 - only encrypted stores need it
    except ModuleNotFoundError:
        raise MissingExtraError("cryptography", "encryption") from None
    return AESGCM(key)
