"""The command `memoryos`: what it takes from whom, what it says, and the status with which it ends."""

from __future__ import annotations

import io
import os
import re
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from memoryos_core import MemoryConfig, MemoryOS, ShortTermConfig, WorkerConfig
from memoryos_core.api.admin import dump_records
from memoryos_core.ops.cli import main
from memoryos_core.stores import open_store
from memoryos_core.stores.sql.database import file_of
from memoryos_core.testing.postgres import LocalPostgres

MANUAL = MemoryConfig(worker=WorkerConfig(mode="manual"))
SMALL = MemoryConfig(short_term=ShortTermConfig(capacity_pages=2, batch_pages=2))
"""Named by `--config tests.faces.test_cli:SMALL`."""
PROJECT = Path(__file__).parents[2] / "pyproject.toml"
WORDS = ("--embedder", "none", "--once")


@pytest.fixture(autouse=True)
def _bare(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MEMORYOS_URL", "MEMORYOS_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def filled(tmp_path: Path) -> str:
    """A memory with 36 pages of one user that nobody has consolidated."""
    url = f"sqlite:///{tmp_path}/m.db"
    with MemoryOS(url, embedder=None, config=MANUAL) as memory:
        user = memory.user("ada")
        for number in range(36):
            user.add(f"I keep bees in hive {number}.", "They hum.")
    return url


def moved(url: str) -> int:
    with MemoryOS(url, embedder=None, config=MANUAL) as memory:
        return memory.stats().pages_mid_term


def test_a_worker_does_what_is_due_and_says_what(filled: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["worker", filled, *WORDS]) == 0
    assert moved(filled) == 24
    assert capsys.readouterr().out.startswith("24 pages moved, ")


def test_the_url_may_come_from_the_environment(filled: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORYOS_URL", filled)
    assert main(["worker", *WORDS]) == 0
    assert moved(filled) == 24


def test_the_application_may_name_its_configuration(filled: str) -> None:
    assert main(["worker", filled, *WORDS, "--config", "tests.faces.test_cli:SMALL"]) == 0
    assert moved(filled) == 34


def _one_number(texts: list[str]) -> list[list[float]]:
    return [[1.0] for _ in texts]


def test_a_worker_with_another_embedder_does_not_begin(filled: str, capsys: pytest.CaptureFixture[str]) -> None:
    with MemoryOS(filled, embedder=_one_number, config=MANUAL) as memory:
        memory.user("ada").consolidate()
        memory.user("ada").add("I sold a hive.", "Which?")
        assert main(["worker", filled, *WORDS]) == 2
        shown = capsys.readouterr().err
        assert shown.startswith("memoryos: EmbedderMismatchError: ")
        assert shown.count("\n") == 1
        assert memory.run_worker(once=True).pages_embedded == 1  # it was not put off


def test_the_module_is_the_command(filled: str) -> None:
    command = [sys.executable, "-m", "memoryos_core.ops.cli", "worker", filled, *WORDS]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert '\n[project.scripts]\nmemoryos = "memoryos_command:main"\n' in PROJECT.read_text("utf-8")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "MEMORYOS_URL"),
        (["sqlite:////nowhere/at/all.db"], "StoreUnwritableError"),
        (["sqlite://", "--config", "no.such:CONFIG"], "MODULE:NAME"),
        (["sqlite://", "--config", "os"], "MODULE:NAME"),
        (["sqlite://", "--config", ".os:CONFIG"], "MODULE:NAME"),
        (["postgresql://app:secret@host:port/db"], "URL cannot be read"),
        (["postgresql+asyncpg://host/db"], "'postgresql+asyncpg' is not supported"),
        (["sqlite+aiosqlite:///m.db"], "'sqlite+aiosqlite' is not supported"),
        (["sqlite://", "--config", "tests.faces.test_cli:WORDS"], "MemoryConfig"),
        (["sqlite://", "--poll", "0"], "poll_seconds"),
        (["sqlite://", "--threads", "0"], "threads"),
    ],
)
def test_what_cannot_be_done_is_one_line_and_status_2(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["worker", *arguments, *WORDS]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert said in shown.err
    assert shown.err.count("\n") == 1


def test_a_command_that_does_not_exist_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["nonsense"])
    assert ended.value.code == 2
    assert "nonsense" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["größe", "100%", "my memory", "a#b"])
def test_a_file_is_found_whatever_its_name(name: str, tmp_path: Path) -> None:
    for url in (f"sqlite:///{tmp_path}/{name}.db?timeout=5", f"sqlite:///file:{tmp_path}/x.db?uri=true"):
        MemoryOS(url, embedder=None).close()
        assert main(["audit", "verify", url]) == 0


@pytest.mark.parametrize("url", ["postgresql://host/d?sslmode=require", "postgresql:///d?host=/run/x", "sqlite://"])
def test_what_is_no_file_is_not_looked_for(url: str) -> None:
    assert file_of(url) is None


def nothing(file: Path) -> None:
    pass


def an_empty_file(file: Path) -> None:
    file.touch()


def another_database(file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("CREATE TABLE other (id)")


@pytest.mark.parametrize("there", [nothing, an_empty_file, another_database])
@pytest.mark.parametrize(
    "command", [["audit", "verify"], ["export"], ["retain", "--policy", "older_than=1d"], ["rekey"]]
)
def test_a_memory_that_is_not_there_is_not_made(
    command: list[str],
    there: Callable[[Path], None],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if command == ["rekey"]:
        monkeypatch.setenv("MEMORYOS_KEY", "old")
        monkeypatch.setenv("MEMORYOS_NEW_KEY", "new")
    there(tmp_path / "slip.db")
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    assert main([*command, f"sqlite:///{tmp_path}/slip.db"]) == 2
    plain = there is another_database and command == ["rekey"]
    said = "this file is not encrypted" if plain else "there is no memory at this URL"
    assert said in capsys.readouterr().err
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before


@pytest.mark.parametrize("path", ["file.txt/m.db", f"{'long' * 80}.db"])
def test_a_path_that_cannot_be_looked_at_is_told_of_the_store(
    path: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file.txt").touch()
    assert main(["export", f"sqlite:///{tmp_path}/{path}"]) == 2
    assert capsys.readouterr().err.startswith("memoryos: Store")


def test_a_user_without_a_name_is_not_everybody(filled: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", "verify", filled, "--user", ""]) == 2
    assert "user_id" in capsys.readouterr().err


def test_output_that_nobody_reads_any_more_ends_the_command_in_silence(filled: str) -> None:
    command = [sys.executable, "-m", "memoryos_core.ops.cli", "export", filled]
    taken, given = os.pipe()
    os.close(taken)
    done = subprocess.run(command, stdout=given, stderr=subprocess.PIPE, text=True, timeout=120, check=False)
    os.close(given)
    assert (done.returncode, done.stderr) == (141, "")


@pytest.mark.parametrize(
    ("closed", "command", "status"),
    [
        (">&-", ["export"], 2),
        (">&-", ["audit", "verify"], 2),
        ("<&-", ["restore"], 2),
        ("<&-", ["export"], 0),
        ("2>&-", ["restore"], 1),
    ],
)
def test_a_stream_that_was_closed_is_told_where_it_is_needed(
    closed: str, command: list[str], status: int, filled: str
) -> None:
    run = ["sh", "-c", f'exec "$@" {closed}', "sh", sys.executable, "-m", "memoryos_core.ops.cli", *command, filled]
    done = subprocess.run(run, input="", capture_output=True, text=True, timeout=120, check=False)
    said = "memoryos: standard input or output failed (Bad file descriptor)\n" if status == 2 else ""
    assert (done.returncode, done.stderr) == (status, said)


def test_an_interruption_is_one_line(
    filled: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("memoryos_core.ops.cli.transfer.open_memory", interrupted)
    assert main(["export", filled]) == 130
    assert capsys.readouterr().err == "memoryos: interrupted\n"


# Ctrl-C as this module begins to be loaded; the program catches what reaches it, as some libraries do.
INTERRUPTED = """
import signal, sys
class Interruption:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            try:
                signal.raise_signal(signal.SIGINT)
            except KeyboardInterrupt:
                raise ImportError(name) from None
sys.meta_path.insert(0, Interruption())
from {entry} import main
sys.argv = ["memoryos", "stats", {url!r}]
sys.exit(main())
"""


@pytest.mark.parametrize("module", ["memoryos_core", "memoryos_core.api.memory", "numpy", "memoryos_core.ops.cli.demo"])
def test_an_interruption_while_it_is_loaded_is_quiet(module: str, filled: str) -> None:
    entry = re.search(r'(?m)^memoryos = "([\w.]+):main"', PROJECT.read_text("utf-8"))
    assert entry is not None
    code = INTERRUPTED.format(module=module, entry=entry[1], url=filled)
    run = [sys.executable, "-c", code]
    done = subprocess.run(run, cwd=PROJECT.parent / "alias", capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


def test_a_command_that_is_to_ignore_interruptions_does(filled: str) -> None:
    ignoring = "signal.signal(signal.SIGINT, signal.SIG_IGN)"
    code = INTERRUPTED.format(module="memoryos_core.api.memory", entry="memoryos_command", url=filled)
    run = [sys.executable, "-c", code.replace("import signal, sys", f"import signal, sys; {ignoring}")]
    done = subprocess.run(run, cwd=PROJECT.parent / "alias", capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "36" in done.stdout


def test_an_interruption_while_its_arguments_are_read_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("memoryos_core.ops.cli.Parser.parse_args", interrupted)
    assert main(["stats"]) == 130
    assert capsys.readouterr().err == "memoryos: interrupted\n"


def test_a_worker_on_a_mistyped_url_makes_no_memory(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    url = f"sqlite:///{tmp_path}/mistyped.db"
    assert main(["worker", url, *WORDS]) == 2
    assert "there is no memory at this URL" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
    assert main(["worker", url, *WORDS, "--create"]) == 0
    assert main(["worker", url, *WORDS]) == 0


@pytest.mark.postgres
def test_a_worker_on_somebodys_database_makes_no_tables(postgres: LocalPostgres) -> None:
    url = postgres.database()
    name = url.split("?")[0].rsplit("/", 1)[1]
    tables = "SELECT count(*) FROM pg_tables WHERE tablename LIKE 'memoryos%'"
    assert main(["worker", url, *WORDS]) == 2
    assert postgres.sql(tables, database=name).strip() == "0"
    assert main(["worker", url, *WORDS, "--create"]) == 0
    assert postgres.sql(tables, database=name).strip() != "0"


@pytest.mark.parametrize(
    "given",
    ["garbage", "{", "7", '{"kind": "page"}', '{"kind": "scope", "user_id": "ada", "assistant_id": "a"}\nnot JSON'],
)
def test_what_is_no_export_is_refused_before_a_memory_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: str
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(given))
    assert main(["restore", f"sqlite:///{tmp_path}/new.db"]) == 2
    assert list(tmp_path.iterdir()) == []


SCOPE: dict[str, object] = {"kind": "scope", "user_id": "ada", "assistant_id": "a"}
FACT: dict[str, object] = {
    "kind": "fact",
    "id": "f",
    "about": "user",
    "text": "tea",
    "learned_at": "2026-01-01T00:00:00+00:00",
}
FACT["valid_from"] = FACT["learned_at"]
PAGE: dict[str, object] = {
    "kind": "page",
    "id": "p",
    "session_id": "s",
    "timestamp": FACT["learned_at"],
    "messages": [],
}


@pytest.mark.parametrize(
    "bad",
    [
        {**FACT, "learned_at": "yesterday"},
        {**FACT, "status": "perhaps"},
        {**FACT, "visits": -1},
        {**PAGE, "messages": [{"role": "nobody", "text": "x"}]},
        {**PAGE, "segment_id": "s"},
        {**PAGE, "tier": "mid_term", "segment_id": "not there"},
        {**SCOPE, "user_id": ""},
        {"kind": "note", "namespace": "n", "key": "k", "value": "1"},
        {"kind": "trait", "dimension": "openness", "level": "huge", "since": FACT["learned_at"]},
        {"kind": "segment"},
        {"kind": "taken"},
    ],
)
def test_a_bad_field_of_a_record_leaves_no_database_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], bad: dict[str, object]
) -> None:
    given: list[dict[str, object]] = [SCOPE, *({**FACT, "id": str(n)} for n in range(100)), bad]
    monkeypatch.setattr("sys.stdin", io.StringIO("".join(dump_records(given))))
    assert main(["restore", f"sqlite:///{tmp_path}/new.db"]) == 2
    assert list(tmp_path.iterdir()) == []
    assert "Error: " in capsys.readouterr().err


@pytest.mark.parametrize("given", ["", "\n\n"])
def test_an_empty_input_is_told_and_leaves_no_database_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], given: str
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(given))
    assert main(["restore", f"sqlite:///{tmp_path}/new.db"]) == 1
    assert list(tmp_path.iterdir()) == []
    assert "nothing to restore" in capsys.readouterr().err


def test_more_records_than_are_tried_first_come_back_in_a_new_database(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    given = [SCOPE, *({**FACT, "id": str(n)} for n in range(1200))]
    for restored in (1200, 0):
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(dump_records(given))))
        assert main(["restore", f"sqlite:///{tmp_path}/new.db"]) == 0
        assert f" {restored} facts, " in capsys.readouterr().err


def test_what_is_remembered_is_for_its_owner_alone(filled: str, tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        with MemoryOS(filled.replace("m.db", "new.db"), embedder=None, config=MANUAL) as memory:
            memory.user("ada").add("hello")
            log = [path for path in tmp_path.iterdir() if path.name.startswith("new.db")]
            assert {path.name for path in log} == {"new.db", "new.db-wal", "new.db-shm"}
            assert {path.stat().st_mode & 0o777 for path in log} == {0o600}
        with closing(open_store(filled.replace("m.db", "key.db"), key=bytes(range(32)))):
            assert (tmp_path / "key.db").stat().st_mode & 0o777 == 0o600
        command = [sys.executable, "-m", "memoryos_core.ops.cli", "export", filled]
        with (tmp_path / "export.jsonl").open("w") as out:
            subprocess.run(command, stdout=out, check=True)
        assert (tmp_path / "export.jsonl").stat().st_mode & 0o777 == 0o600
    finally:
        os.umask(before)
