"""PostgreSQL: connecting, the scope of a transaction, and errors."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from contextlib import suppress
from typing import Any, cast

from sqlalchemy import Connection, Engine, event, text
from sqlalchemy.engine import URL
from sqlalchemy.exc import OperationalError

from memoryos_core.errors import InvalidInputError, StoreBusyError, StoreUnreachableError, StoreUnwritableError
from memoryos_core.stores.sql.dialect import CORRUPT, POOL_OVERFLOW, POOL_SIZE, Failure, Flavour, engine_of, nothing
from memoryos_core.values.dialogue import Scope

_MIGRATION_LOCK = 7_266_319_461  # any constant that no other application is likely to lock
# A peer that vanished without a word is noticed while an answer is waited for (keepalive) and while something is sent.
_NETWORK = {
    "connect_timeout": 10,
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 60_000,
}
_ANSWER = "answer_timeout"
"""Part of a URL's query that is ours: the seconds to wait for any one answer of the server."""
_PREPARE = "prepare_threshold"
_SERVER = ("host", "port", "hostaddr", "service")
EVERY_SCOPE = "*"
"""Scope name of a transaction across all scopes: a migration, a listing, the embedder's stamp."""

# One message to the server, which BEGIN needs anyway. `LOCAL`, with values bound by the driver: the setting ends with
# the transaction, so a pooler (pgbouncer) cannot pass it to another client.
_BEGIN = "BEGIN ISOLATION LEVEL {mode}; SET LOCAL lock_timeout = %s; SET LOCAL memoryos.scope = %s"

_DISK: Failure = (StoreUnwritableError, "the database server's disk is full; make room there and try again")
_STANDBY: Failure = (
    StoreUnwritableError,
    "the database server takes no writes (it is a standby, or default_transaction_read_only is on); "
    "name the primary server in the URL",
)
_FORBIDDEN: Failure = (
    StoreUnwritableError,
    "the role may not do this in the database; let the role that the URL names own the tables of memoryos",
)
_TIMEOUT: Failure = (
    StoreBusyError,
    "the database server cancelled a statement that took longer than its statement_timeout; try again, "
    "or set a longer one",
)
_LOCK: Failure = (StoreBusyError, "another transaction holds the rows for too long; try again")
_AWAY: Failure = (
    StoreUnreachableError,
    "the database server cannot be reached, or the connection to it broke; nothing was changed: try again, and if that "
    "does not help check that the server runs and what the URL says (address, database, role, password)",
)

_STATES: dict[str, Failure] = {
    "25006": _STANDBY,  # read_only_sql_transaction
    "42501": _FORBIDDEN,  # insufficient_privilege: also a row that row-level security refuses
    "53100": _DISK,  # disk_full
    "40001": _LOCK,  # serialization_failure
    "40P01": _LOCK,  # deadlock_detected
    "55P03": _LOCK,  # lock_not_available
    "57014": _TIMEOUT,  # query_canceled
    "XX001": CORRUPT,  # data_corrupted
    "XX002": CORRUPT,  # index_corrupted
}


def _failure(error: BaseException | None) -> Failure | None:
    import psycopg  # noqa: PLC0415 - only PostgreSQL needs it

    state = getattr(error, "sqlstate", None)
    if state is None:
        # Errors of libpq itself have no code: no server, a lost server, an unknown name or password.
        return _AWAY if isinstance(error, (psycopg.InterfaceError, psycopg.OperationalError)) else None
    return _STATES.get(state) or (_AWAY if state[:2] in ("08", "57") else None)


def engine(url: URL, busy_timeout_seconds: float, *, is_sealed: bool = False) -> Engine:
    """Create a pool of connections; the dialect of a sealed database carries its keys."""
    # What the URL says takes precedence.
    waiting = {name: value for name, value in _NETWORK.items() if name not in url.query}
    own = is_sealed or _ANSWER in url.query  # a listener of connections belongs to the dialect
    found = engine_of(
        url.difference_update_query([_ANSWER, _PREPARE]),
        server=None if own else (url.username, *(url.query.get(name, getattr(url, name, None)) for name in _SERVER)),
        options={"memoryos_lock": f"{int(busy_timeout_seconds * 1000)}ms"},
        pool_size=POOL_SIZE,
        max_overflow=POOL_OVERFLOW,
        pool_timeout=busy_timeout_seconds,
        connect_args={"autocommit": True, **waiting, **_preparing(url)},  # transactions begin in `_confine`
    )
    if _ANSWER in url.query:
        event.listen(found, "do_connect", _connect_within(_seconds(url, _ANSWER)))
    return found


def _preparing(url: URL) -> dict[str, int | None]:
    """Return psycopg's `prepare_threshold`, which a URL can only say in words. Raises InvalidInputError."""
    if _PREPARE not in url.query:
        return {}
    asked = str(url.query[_PREPARE])
    if asked != "none" and not asked.isdecimal():
        raise InvalidInputError(f"{_PREPARE}= in the store's URL must be none or a whole number")
    return {_PREPARE: None if asked == "none" else int(asked)}


def _seconds(url: URL, name: str) -> float:
    """Return a positive number of seconds from a URL's query. Raises InvalidInputError."""
    with suppress(TypeError, ValueError):
        seconds = float(str(url.query[name]))
        if 0 < seconds < float("inf"):
            return seconds
    raise InvalidInputError(f"{name}= in the store's URL must be a number of seconds above 0")


def _connect_within(seconds: float) -> Callable[..., object]:
    """Make connections on which no answer is waited for longer; who waited in vain has lost the connection."""
    from psycopg import Connection as Driver  # noqa: PLC0415
    from psycopg import OperationalError as Lost  # noqa: PLC0415

    class Impatient(Driver[Any]):
        def wait(self, gen: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - psycopg's
            return super().wait(self._limit(gen), *args, **kwargs)

        def _limit(self, gen: Any) -> Generator[Any, Any, Any]:  # noqa: ANN401
            end = time.monotonic() + seconds
            try:
                wanted = next(gen)
                while True:
                    ready = yield wanted
                    if not ready and time.monotonic() > end:
                        self.pgconn.finish()
                        raise Lost("the server did not answer in time")
                    wanted = gen.send(ready)
            except StopIteration as done:
                return done.value

    def connect(_dialect: object, _record: object, args: Any, kwargs: Any) -> object:  # noqa: ANN401
        return Impatient.connect(*args, **kwargs)

    return connect


def _confine(connection: Connection, scope: Scope | None) -> None:
    """Begin, with the setting that row-level security compares with the rows' scope.

    It is the first use of a pooled connection: if the server has closed it, another one replaces it without loss.
    A ping before each transaction would cost another round trip.
    """
    from psycopg import ClientCursor, Error  # noqa: PLC0415

    options = connection.get_execution_options()
    begin, values = options["memoryos_begin"], (options["memoryos_lock"], scope.key if scope else EVERY_SCOPE)
    for left in reversed(range(POOL_SIZE + POOL_OVERFLOW + 1)):
        driver = cast("Any", connection.connection.dbapi_connection)
        try:
            ClientCursor(driver).execute(begin, values)
        except Error as error:
            if not (left and driver.closed):
                raise OperationalError(begin, None, error) from error
            connection.invalidate()
        else:
            return


def _lock_schema(connection: Connection) -> None:
    connection.execute(text("SET LOCAL statement_timeout = 0"))  # a large table needs more time
    connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _MIGRATION_LOCK})


POSTGRESQL = Flavour(
    engine=engine,
    reads={"memoryos_begin": _BEGIN.format(mode="REPEATABLE READ READ ONLY")},
    writes={"memoryos_begin": _BEGIN.format(mode="READ COMMITTED")},
    failure=_failure,
    prepare=nothing,
    lock_schema=_lock_schema,
    scrub=nothing,
    confine=_confine,
    one_writer=False,
    examine=lambda _connection, _deep: {},  # the server enforces its constraints, and checks pages as it reads them
)
