"""SQLite files that are encrypted whole, log and index included, by SQLCipher (ADR 0015)."""

from __future__ import annotations

import hashlib
import os
import secrets
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import unquote

from sqlalchemy import Connection, Engine, event
from sqlalchemy.engine import URL, ExceptionContext, make_url
from sqlalchemy.exc import DatabaseError, OperationalError
from sqlalchemy.pool import StaticPool

from memoryos_core.errors import InvalidInputError, StoreKeyError, StoreUnwritableError
from memoryos_core.stores.sql.dialect import CORRUPT, POOL_OVERFLOW, POOL_SIZE, Failure, Flavour, Sight, engine_of
from memoryos_core.stores.sql.files import head_of, one_at_a_time, refuse_hard_links
from memoryos_core.stores.sql.sqlite import SQLITE, copy_pages, examine, file_engine, in_memory, on_connect, peek
from memoryos_core.stores.sql.sqlite_file import Cipher, SqliteFile, UnreadableError
from memoryos_core.values.encryption_keys import Keys, Secret

if TYPE_CHECKING:
    import sqlite3

_PLAIN = b"SQLite format 3\x00"
_PAGE = 4096
_VARIED = 200  # of 256 byte values: a page of random bytes has nearly all, text and other formats far fewer
_SALT = 16
_ROUNDS = 256_000  # SQLCipher's own (4.x), so that its other tools open the file with the same passphrase
_HERE = "sqlcipher"
"""The server whose statements all encrypted files share: the library of this process."""
_UNREADABLE = "not a database"
_AFTER_DAMAGE = "SQL logic error"  # all that a connection says once it has met a page with a wrong signature
_WRONG: Failure = (
    StoreKeyError,
    "the key does not open this file, or it is damaged; nothing was changed: pass the key it was last given, "
    "or Keys(new, old) while it is being changed",
)


def refuse_unknown(url: URL, *, key: bool) -> None:
    """Raise StoreKeyError for a key that a plain file does not need, or a missing one that a file needs.

    Raises StoreUnwritableError for a file with several names.
    """
    if key and in_memory(url):
        raise InvalidInputError("a memory in RAM is not written to disk and takes no key; leave its key out")
    if not in_memory(url):
        refuse_hard_links(_file_of(url))
    head = head_of(_file_of(url), _PAGE) if not in_memory(url) else b""
    if key and head.startswith(_PLAIN):
        raise StoreKeyError(
            "this file is not encrypted, and a key was given; nothing was changed: open it without a key, or copy it "
            "into an encrypted one (docs/encryption.md)"
        )
    if not key and len(head) == _PAGE and not head.startswith(_PLAIN) and len(set(head)) > _VARIED:
        raise StoreKeyError("this file is encrypted, or is not a database; nothing was changed: open it with its key")


def sqlcipher(keys: Keys) -> Flavour:
    """The flavour of a file with a key."""
    cipher = _Cipher(keys)
    return replace(
        SQLITE,
        engine=cipher.engine,
        failure=_failure,
        confine=_confine,
        examine=_examine,
        rekey=cipher.rekey,
        peek=cipher.peek,
        copy=cipher.copy,
        cipher=cipher.of_file,
    )


def _failure(error: BaseException | None) -> Failure | None:
    if _UNREADABLE in str(error):
        return _WRONG
    return CORRUPT if _AFTER_DAMAGE in str(error) else SQLITE.failure(error)


def derive_key(keys: Keys, salt: bytes) -> bytes:
    """Return the 32 bytes that open a file with this salt, from the first of the keys."""
    key = keys.values()[0]
    return key if isinstance(key, bytes) else hashlib.pbkdf2_hmac("sha512", key.encode(), salt, _ROUNDS)[:32]


class _Cipher:
    """Gives each new connection its key; if another process changed the key, the other keys are tried."""

    def __init__(self, keys: Keys) -> None:
        self._keys = keys.asked()
        self._former = self._keys
        self._derived: dict[tuple[Secret, bytes], bytes] = {}
        self._salts: dict[Path, bytes] = {}
        self._file = Path()
        self._may_create = True
        self._driver: Any = None

    def engine(self, url: URL, busy_timeout_seconds: float) -> Engine:
        """Create the engine. Raises ModuleNotFoundError without the extra."""
        from sqlcipher3 import dbapi2  # noqa: PLC0415 - only encrypted stores need it

        self._driver, self._file = dbapi2, _file_of(url)
        self._may_create = url.query.get("mode", "rwc") == "rwc"
        _lend_statements()
        plain = url.set(drivername="sqlite")
        engine = file_engine(plain, busy_timeout_seconds, dbapi2, server=_HERE, connect=self._connect)
        event.listen(engine, "connect", on_connect)
        return engine

    def rekey(self, engine: Engine, new: Keys, busy_timeout_seconds: float) -> None:
        """Encrypt every page anew in one transaction of SQLite's: the old key opens the file, or the new one does."""
        key, before = new.asked().each()[0], self._keys
        self._keys = Keys(*key.values(), *before.values())  # a connection from here on may need either key
        with ExitStack() as on_failure:
            on_failure.callback(setattr, self, "_keys", before)
            self._change(engine, key)
            on_failure.pop_all()
        self._keys, self._former = key, before
        self._derived.clear()
        engine.dispose()
        SQLITE.scrub(engine, busy_timeout_seconds)  # pages under the old key leave the file

    def peek(self, path: Path) -> Sight | None:
        """Read the state from the file's header. While a log exists, the file may still use the previous key."""
        unlocks = (partial(self._unlock, file=path, key=key) for key in (*self._keys.each(), *self._former.each()))
        seen = next((found for unlock in unlocks if (found := peek(path, self._driver, unlock))), None)
        return seen or self._peek_log(path)

    def _peek_log(self, path: Path) -> Sight | None:
        """Read the state from the first page in the log: the file's own is torn where a checkpoint was cut short."""
        head = head_of(path, _PAGE)
        salt = head[:_SALT]
        if len(head) < _PAGE or not os.path.exists(f"{path}-wal"):  # noqa: PTH110 - a name, and no path of its own
            return None
        for key in (*self._keys.each(), *self._former.each()):
            with suppress(UnreadableError, OSError):
                page = SqliteFile(path, Cipher(derive_key(key, salt), salt)).page(1)
                return Sight(int.from_bytes(page[68:72], "big", signed=True), int.from_bytes(page[40:44], "big"), 0)
        return None

    def copy(self, engine: Engine, path: Path) -> None:
        """Copy the database into a new file under the same key, with a salt of its own."""
        with closing(self._connect_without_key(path)) as target, closing(engine.raw_connection()) as raw:
            self._opens(target, path, self._keys.each()[0])
            target.execute("PRAGMA journal_mode=WAL")  # writes the first page
            copy_pages(cast("sqlite3.Connection", raw.dbapi_connection), target)

    def of_file(self, path: Path) -> Cipher | None:
        """Return the cipher that opens a file's first page with this key; None when the file has another one."""
        head = head_of(path, _PAGE)
        cipher = Cipher(derive_key(self._keys.each()[0], head[:_SALT]), head[:_SALT])
        return cipher if len(head) == _PAGE and cipher.open(1, head) is not None else None

    def _change(self, engine: Engine, key: Keys) -> None:
        with closing(engine.raw_connection()) as pooled:
            pooled.detach()  # never used again: a connection whose rekeying failed would write with the new key
            connection = cast("sqlite3.Connection", pooled.dbapi_connection)
            try:
                # The pragma itself reports neither a busy lock nor an outdated key.
                connection.execute("BEGIN IMMEDIATE")
                connection.execute("SELECT 1 FROM sqlite_master")
                connection.execute(self._pragma("rekey", self._file, key))
            except MemoryError:  # a page that cannot be deciphered
                raise StoreKeyError(_WRONG[1]) from None
            except self._driver.Error as error:
                raise OperationalError("PRAGMA rekey", None, error) from error
        with closing(self._connect_without_key(self._file)) as fresh:
            if not self._opens(fresh, self._file, key):
                raise StoreUnwritableError("the key was not changed, the old one holds; free disk space and try again")

    def _connect(
        self, _dialect: object, _record: object, given: Sequence[Any], named: dict[str, Any]
    ) -> sqlite3.Connection:
        if self._may_create and not self._file.exists():
            self._create(self._file)
        for _ in range(2):  # try again: the file's key may have been changed meanwhile
            for key in self._keys.each():
                connection: sqlite3.Connection = self._driver.connect(*given, **named)
                with ExitStack() as unless_it_fits:
                    unless_it_fits.callback(connection.close)
                    if self._opens(connection, self._file, key):
                        unless_it_fits.pop_all()
                        return connection
            self._salts.clear()
        raise StoreKeyError(_WRONG[1])

    def _connect_without_key(self, file: Path) -> sqlite3.Connection:
        connection: sqlite3.Connection = self._driver.connect(str(file), factory=one_at_a_time(self._driver))
        return connection

    def _opens(self, connection: sqlite3.Connection, file: Path, key: Keys) -> bool:
        self._unlock(connection, file, key)
        connection.execute("PRAGMA temp_store=MEMORY")
        try:
            connection.execute("SELECT 1 FROM sqlite_master")
        except MemoryError:  # the driver's error for a page that cannot be decrypted
            return False
        except self._driver.DatabaseError as error:
            if _UNREADABLE in str(error):
                return False
            raise
        return True

    def _unlock(self, connection: sqlite3.Connection, file: Path, key: Keys) -> None:
        connection.execute("PRAGMA cipher_log_level=NONE")  # it would write to stderr
        connection.execute(self._pragma("key", file, key))

    def _pragma(self, pragma: str, file: Path, keys: Keys) -> str:
        """Run the pragma with the key in it; no frame keeps the statement, since a traceback may show variables."""
        # A raw key: a passphrase is stretched once per file, not once per connection.
        key = keys.values()[0]
        if isinstance(key, bytes):
            written = key.hex()
        else:
            salt = self._salt(file)
            new = salt or secrets.token_bytes(_SALT)
            written = self._derive_key(key, new).hex() + ("" if salt else new.hex())
        return f"PRAGMA {pragma}=\"x'{written}'\""

    def _salt(self, file: Path) -> bytes:
        """Return the salt of a file, read once."""
        found = self._salts.get(file) or head_of(file, _SALT)
        if found:
            self._salts[file] = found
        return found

    def _derive_key(self, passphrase: str, salt: bytes) -> bytes:
        key = self._derived.get((passphrase, salt))
        if key is None:
            key = derive_key(Keys(passphrase), salt)
            self._derived[passphrase, salt] = key
        return key

    def _create(self, file: Path) -> None:
        """Create the file under another name, then rename it: two processes could write different salts."""
        fresh = file.with_name(f"{file.name}.{secrets.token_hex(8)}")
        try:
            with closing(self._connect_without_key(fresh)) as connection:
                self._opens(connection, fresh, self._keys.each()[0])
                connection.execute("PRAGMA journal_mode=WAL")  # writes the first page
            with suppress(FileExistsError):
                os.link(fresh, file)
        except OSError as error:
            raise StoreUnwritableError(
                f"the encrypted file could not be created ({error.strerror}); use a disk that has room and hard links"
            ) from None
        finally:
            with suppress(OSError):  # one that stays holds nothing yet
                fresh.unlink(missing_ok=True)


@lru_cache(maxsize=1)
def _lend_statements() -> None:
    """Have an engine in RAM, which has no key, lend its dialect and its statements to the files that have one."""
    from sqlcipher3 import dbapi2  # noqa: PLC0415 - only encrypted stores need it

    lender = engine_of(make_url("sqlite://"), server=_HERE, module=dbapi2, poolclass=StaticPool)
    event.listen(lender, "handle_error", _undecipherable)
    with closing(lender.raw_connection()):  # now it knows its library, and lends
        pass
    lender.dispose()


def _confine(connection: Connection, _scope: object) -> None:
    """Begin and read, which fixes the snapshot. Replace a connection from before a rekeying."""
    begin = connection.get_execution_options()["memoryos_begin"]
    for _ in range(POOL_SIZE + POOL_OVERFLOW + 1):
        driver = cast("Any", connection.connection.dbapi_connection)
        try:
            driver.execute(begin)
            driver.execute("SELECT 1 FROM sqlite_master")
        except MemoryError:
            connection.invalidate()
        except connection.dialect.loaded_dbapi.Error as error:
            if _UNREADABLE not in str(error):
                raise OperationalError(begin, None, error) from error
            connection.invalidate()
        else:
            return
    raise StoreKeyError(_WRONG[1])


def _examine(connection: Connection, deep: bool) -> Mapping[str, Sequence[str]]:  # noqa: FBT001 - a flavour's call
    """Return what SQLite and SQLCipher say is wrong; `deep` checks the signature of each page of the file, too."""
    if deep:
        # The signatures are those of the file itself. A page that a checkpoint left half written is whole in the log.
        with closing(connection.engine.raw_connection()) as raw, closing(raw.cursor()) as cursor:
            cursor.execute("PRAGMA wal_checkpoint(PASSIVE)")
    if deep and (said := connection.exec_driver_sql("PRAGMA cipher_integrity_check").all()):
        connection.invalidate()  # it reads nothing any more
        return {"a page of the file has its signature": [str(row[0]) for row in said]}
    return examine(connection, deep)


def _undecipherable(context: ExceptionContext) -> None:
    """Translate the driver's MemoryError for a page that cannot be decrypted."""
    if isinstance(context.original_exception, MemoryError):
        damaged = context.dialect.loaded_dbapi.DatabaseError("database disk image is malformed")
        raise DatabaseError(context.statement, None, damaged) from None


def _file_of(url: URL) -> Path:
    name = url.database or ""
    return Path(unquote(name[len("file:") :].partition("?")[0]) if name.startswith("file:") else name)
