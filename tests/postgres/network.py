"""What lies between a memory and its server in the tests: a network that fails on purpose, and a standby."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Literal

import psycopg

from memoryos_core.testing.postgres import LocalPostgres

Cut = Literal["before", "after", "silent", "lost"]
"""What the network does with a COMMIT: it breaks before the server has it, or after it without the answer; it takes it
to the server and keeps the answer for good with the line open; or it swallows it with the line open."""


class Network:
    """A line of ours from a port of this machine to the server's socket; `cut` says what becomes of the next COMMIT."""

    def __init__(self, server: LocalPostgres, database: str) -> None:
        self._path = f"{server._socket_folder()}/.s.PGSQL.5432"
        self._database = database.split("?")[0].rsplit("/", 1)[1]
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._open: list[socket.socket] = []
        self.cut: Cut | None = None
        self.cuts = 0
        threading.Thread(target=self._accept, daemon=True).start()

    def url(self, **query: object) -> str:
        """Return the database's URL over this line."""
        port = self._listener.getsockname()[1]
        asked = "&".join(f"{name}={value}" for name, value in query.items())
        return f"postgresql+psycopg://app@127.0.0.1:{port}/{self._database}" + (f"?{asked}" if asked else "")

    def close(self) -> None:
        """End the line, with all connections over it."""
        for one in (self._listener, *self._open):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                server = socket.socket(socket.AF_UNIX)
                server.connect(self._path)
                self._open += (client, server)
                muted = threading.Event()
                for one, other, is_client in ((client, server, True), (server, client, False)):
                    threading.Thread(target=self._carry, args=(one, other, is_client, muted), daemon=True).start()

    def _carry(self, source: socket.socket, sink: socket.socket, is_client: bool, muted: threading.Event) -> None:
        with suppress(OSError):
            while data := source.recv(1 << 16):
                if is_client and self.cut is not None and b"COMMIT\0" in data:
                    cut, self.cut = self.cut, None
                    self.cuts += 1
                    if cut != "before":
                        muted.set()  # the answer stays here
                    if cut in ("before", "lost"):
                        if cut == "before":
                            break
                        continue
                    sink.sendall(data)
                    if cut == "after":
                        self._wait_for_commit()
                        break
                    continue
                if is_client or not muted.is_set():
                    sink.sendall(data)
        if not (muted.is_set() and not is_client):
            for one in (source, sink):
                with suppress(OSError):
                    one.shutdown(socket.SHUT_RDWR)

    def _wait_for_commit(self) -> None:
        """Wait until no transaction of the application is open in the database: the server has committed."""
        with psycopg.connect(f"host={Path(self._path).parent} user=postgres dbname={self._database}") as raw:
            busy = "SELECT 1 FROM pg_stat_activity WHERE usename = 'app' AND xact_start IS NOT NULL AND datname = "
            busy += "current_database()"
            while raw.execute(busy).fetchall():
                raw.rollback()


@contextmanager
def network(server: LocalPostgres, database: str) -> Iterator[Network]:
    """A line to a database, which ends with the block."""
    line = Network(server, database)
    try:
        yield line
    finally:
        line.close()


class Standby:
    """A copy of a server, made with its own tools.

    It streams, and `promote` makes it the primary. With an `archive` of the primary's log it is a base backup, which
    `roll_forward` starts as the server was at a moment.
    """

    def __init__(self, primary: LocalPostgres, *, archive: Path | None = None) -> None:
        self._primary = primary
        self._user: str | None = primary._server.system_user
        self._folder = Path(tempfile.mkdtemp(prefix="memoryos-standby-"))
        self.data = self._folder / "data"
        self.sockets = self._folder / "sockets"
        self.sockets.mkdir()
        if self._user is not None:
            whose = pwd.getpwnam(self._user)
            for folder in (self._folder, self.sockets):
                os.chown(folder, whose.pw_uid, whose.pw_gid)
        source = f"host={primary._socket_folder()} user=postgres application_name=standby"
        self._archive = archive
        streams = ("-R",) if archive is None else ()
        self._run("pg_basebackup", "-D", str(self.data), *streams, "-X", "stream", "-c", "fast", "-d", source)
        if archive is None:
            self._start()

    def roll_forward(self, at: datetime) -> None:
        """Start the base backup with the archived log until a moment, and wait until it takes writes."""
        with (self.data / "postgresql.auto.conf").open("a") as settings:
            settings.write(
                f"archive_mode = off\nrestore_command = 'cp {self._archive}/%f %p'\n"
                f"recovery_target_time = '{at.isoformat()}'\nrecovery_target_action = promote\n"
            )
        (self.data / "recovery.signal").touch()
        self._start()
        with psycopg.connect(f"host={self.sockets} user=postgres dbname=postgres", autocommit=True) as raw:
            deadline = time.monotonic() + 60
            while raw.execute("SELECT pg_is_in_recovery()").fetchone() != (False,):
                assert time.monotonic() < deadline
                time.sleep(0.05)

    def _start(self) -> None:
        self._run("pg_ctl", "-D", str(self.data), "-l", str(self.data / "log"), "-w",
                  "-o", f'-h "" -k {self.sockets}', "start")  # fmt: skip

    def promote(self) -> None:
        """Make this the primary, and wait until it takes writes."""
        self._run("pg_ctl", "-D", str(self.data), "-w", "promote")

    def close(self) -> None:
        """Stop it and remove its files."""
        with suppress(subprocess.CalledProcessError):
            self._run("pg_ctl", "-D", str(self.data), "-m", "immediate", "-w", "stop")
        shutil.rmtree(self._folder, ignore_errors=True)

    def _run(self, program: str, *arguments: str) -> None:
        # Its output must not be a pipe: the server inherits it and would keep it open.
        with tempfile.TemporaryFile() as said:
            command = [self._primary._binary(program), *arguments]
            subprocess.run(command, check=True, stdout=said, stderr=said, user=self._user)
