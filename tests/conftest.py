"""What every test gets. Sockets are closed by options in pyproject.toml: Unix and this machine only."""

from __future__ import annotations

import gc
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from memoryos_core.providers.embedders import close_embedder, open_embedder
from memoryos_core.stores import open_store
from memoryos_core.testing.postgres import LocalPostgres
from tests.surfaces.chromium import find_axe, find_chromium, find_mcp_inspector

# Two busy cores make wall-clock deadlines a source of noise; pytest-timeout catches what really hangs.
settings.register_profile("memoryos", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("memoryos")

# Each of Python's frequent small collections calls Hypothesis, which measures it, and looks at what a test still holds.
_OBJECTS_BETWEEN_COLLECTIONS = 20_000
gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS, 20, 20)

# A disk takes most of the time that a new database needs. What it syncs shows after a power cut alone, which our tests
# imitate otherwise. So their folders lie in memory, where that has room and lets programs run (a container's may not).
_MEMORY = Path("/dev/shm")
_ROOM = 4 << 30
if (
    os.access(_MEMORY, os.W_OK)
    and shutil.disk_usage(_MEMORY).free >= _ROOM
    and not os.statvfs(_MEMORY).f_flag & os.ST_NOEXEC
):
    os.environ.setdefault("TMPDIR", str(_MEMORY))  # of the processes that tests start, too
    tempfile.tempdir = None  # asked anew


def find_litestream() -> str | None:
    """Return the program that replicates SQLite files: beside Python (`make litestream`) or on the PATH."""
    return shutil.which("litestream", path=os.pathsep.join((str(Path(sys.executable).parent), os.defpath)))


def pytest_report_header() -> str:
    """Say what is there to look with: a browser, what searches pages, the inspector of MCP, a pooler, Litestream."""
    pooler = (
        shutil.which("pgbouncer", path=f"/usr/sbin:{os.defpath}")
        or "none, so one test of test_distribution.py looks at nothing"
    )
    found = find_chromium() or "none, so tests/surfaces/test_browser.py looks at nothing"
    axe = "there" if find_axe() else "none, make axe fetches it"
    inspector = "there" if find_mcp_inspector() else "none, make mcp-inspector fetches it"
    litestream = find_litestream() or "none, make litestream fetches it"
    tools = f"MCP inspector: {inspector}; pgbouncer: {pooler}; litestream: {litestream}"
    return f"browser: {found}; axe-core: {axe}; {tools}"


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection() -> Iterator[None]:
    """Keep the collector from looking through all that was imported: now, and when a test or Python itself calls it.

    Those are 800,000 objects, which stay until the end anyway; what tests make is collected as ever.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.collect()
        gc.freeze()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[None]:
    """Do the same with what a file leaves behind after its last test: over all files that is millions of objects."""
    yield
    if nextitem is None or nextitem.path != item.path:
        gc.collect()
        gc.freeze()


@pytest.fixture(scope="module")
def kept_weights() -> Iterator[None]:
    """The local embedder's weights, loaded once for a file whose tests would each load them and let them go."""
    embedder = open_embedder("auto")  # another one where the extra is not installed
    embedder.embed_query("tea")
    yield
    close_embedder(embedder)


@pytest.fixture(scope="session")
def empty_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file whose schema is up to date and that holds nothing: copying it takes half as long as making another."""
    path = tmp_path_factory.mktemp("empty") / "memory.db"
    open_store(f"sqlite:///{path}").close()
    return path


@pytest.fixture(scope="session")
def postgres() -> Iterator[LocalPostgres]:
    """A real server that all tests of a process share; each asks it for a database of its own."""
    with LocalPostgres(None, "max_wal_size=512MB") as server:
        yield server


@pytest.fixture(scope="session")
def _migrated(postgres: LocalPostgres) -> str:
    """The name of a database whose schema is up to date: copying it is faster than migrating again."""
    url = postgres.database()
    open_store(url).close()
    return url.split("?")[0].rsplit("/", 1)[1]


@pytest.fixture
def new_database(postgres: LocalPostgres, _migrated: str) -> Iterator[Callable[[], str]]:
    """Makes URLs of databases that hold an up-to-date schema and nothing else, of a role that is no superuser.

    They go with the test: a thousand copies fill a disk, or the memory that the server's files lie in.
    """
    made: list[str] = []

    def make() -> str:
        made.append(postgres.database(template=_migrated))
        return made[-1]

    yield make
    for url in made:
        postgres.sql(f"DROP DATABASE IF EXISTS {url.split('?')[0].rsplit('/', 1)[1]} WITH (FORCE)")


@pytest.fixture(scope="module")
def module_database(postgres: LocalPostgres, _migrated: str) -> str:
    """A database that the tests of a file share, who empty it: half the price of one each."""
    return postgres.database(template=_migrated)


@pytest.fixture
def postgres_url(new_database: Callable[[], str]) -> str:
    """A database of this test's own."""
    return new_database()
