"""Keys of an encrypted memory: 32 random bytes, a passphrase, or a callable for either. Never shown."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn, TypeAlias, Union

from memoryos_core.errors import InvalidInputError

KEY_BYTES = 32
"""Length of a key in bytes: 256 bits, for AES-256."""

Secret: TypeAlias = bytes | str
KeyChoice: TypeAlias = Union[Secret, Callable[[], "Secret | Keys"], "Keys", None]

_HEX = "hex:"


class Keys:
    """The key of a memory, and others that may open it while the key is being changed (`MemoryOS.rekey`).

    Each is 32 random bytes, a passphrase (here also one like "hex:…"), or a callable that returns one, asked when a
    store is opened. The first that fits is used. Nothing about them is shown, and they cannot be pickled.
    """

    __slots__ = ("_given",)

    def __init__(
        self, current: Secret | Callable[[], Secret | Keys], *old: Secret | Callable[[], Secret | Keys]
    ) -> None:
        self._given = (current, *old)
        for given in self._given:
            if not callable(given):
                _check(given)

    @classmethod
    def of(cls, choice: KeyChoice) -> Keys | None:
        """Build Keys from the `key` argument of a caller. Raises InvalidInputError.

        A key as the commands write it ("hex:" and digits) is refused when it is asked for, since it is hidden by then.
        """
        if isinstance(choice, str) and choice.startswith(_HEX):
            return cls(_refuse_hex)
        return choice if choice is None or isinstance(choice, Keys) else cls(choice)

    def asked(self) -> Keys:
        """Return the same keys with every callable called. Raises InvalidInputError when one returns no key."""
        return Keys(*self.values())

    def values(self) -> tuple[Secret, ...]:
        """Return the key values; each callable is called once, and its errors pass through."""
        found: list[Secret] = []
        for given in self._given:
            answer = given() if callable(given) else given
            if callable(given) and isinstance(answer, str) and answer.startswith(_HEX):
                del answer, found  # a traceback may show variables
                _refuse_hex()
            found.extend(answer.values() if isinstance(answer, Keys) else (_check(answer),))
        return tuple(dict.fromkeys(found))

    def each(self) -> tuple[Keys, ...]:
        """Return one Keys object per key: a traceback may show variables, and these hide their value."""
        return tuple(map(Keys, self.values()))

    def __repr__(self) -> str:
        return f"Keys({len(self._given)} hidden)"

    def __reduce__(self) -> str:
        raise InvalidInputError("Keys cannot be pickled; pass a callable that fetches the key in the other process")


def _refuse_hex() -> NoReturn:
    """Refuse what the commands would read as digits, and a str as a passphrase."""
    raise InvalidInputError(
        "a key that begins with 'hex:' is how the commands write bytes: pass the bytes, bytes.fromhex(digits). "
        "A memory whose passphrase begins so is opened with Keys(passphrase)"
    )


def key_from_text(text: str) -> Secret:
    """Parse a key from an environment variable or a file: "hex:" and 64 digits, or a passphrase."""
    if not text.startswith(_HEX):
        return _check(text)
    try:
        return _check(bytes.fromhex(text[len(_HEX) :].strip()))
    except ValueError:
        raise InvalidInputError("a key that begins with 'hex:' must continue with 64 hexadecimal digits") from None


def _check(given: object) -> Secret:
    """Raise InvalidInputError for an invalid key, without showing it."""
    if isinstance(given, (bytes, bytearray)):
        if len(given) != KEY_BYTES:
            raise InvalidInputError(
                f"a key given as bytes must have {KEY_BYTES} random bytes, such as secrets.token_bytes({KEY_BYTES}); "
                "pass a passphrase as a str"
            )
        return bytes(given)
    if not isinstance(given, str):
        raise InvalidInputError(
            f"a key must be bytes, a str, a callable that returns one, or Keys, not {type(given).__name__}"
        )
    if not given or any("\ud800" <= c <= "\udfff" for c in given):
        raise InvalidInputError("a passphrase must have at least one character and no lone surrogates")
    return given
