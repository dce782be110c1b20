"""Each command, one after another: what it says without a memory, and its JSON and its exit status with one."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from memoryos_core import MemoryConfig, MemoryOS, WorkerConfig
from memoryos_core.ops.cli import main
from tests.faces.test_cli_people import EVERY

MANUAL = MemoryConfig(worker=WorkerConfig(mode="manual"))
ANN = ("--user", "ann", "--embedder", "none")
NEED_NO_MEMORY = ("demo", "completion")
MORE = {
    "add": ("x", "--user", "ann"),
    "recall": ("x", "--user", "ann"),
    "search": ("x", "--user", "ann"),
    "facts": ("--user", "ann"),
    "topics": ("--user", "ann"),
    "forget": ("--user", "ann", "--everything", "--yes"),
    "chat": ("--user", "ann", "--llm", "openai"),
    "import": ("x.jsonl",),
    "backup": ("copy.db",),
    "restore-backup": ("copy.db", "new.db", "--without-forgotten"),
    "salvage": ("new.db",),
    "check-recall": ("cases.jsonl",),
    "retain": ("--policy", "older_than=1d,action=purge"),
    "mcp": ("--user", "ann"),
    "grant": ("--user", "ann", "--to", "coach", "--role", "reader"),
    "revoke": ("--user", "ann", "--from", "coach"),
    "grants": ("--user", "ann"),
    "team": ("physio",),
    "audit ship": ("-",),
    "audit show": ("--user", "ann"),
    "audit recalls": ("--user", "ann"),
    "rekey": ("--new-key", "another"),
}


@pytest.fixture(autouse=True)
def _bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("MEMORYOS_URL", "MEMORYOS_KEY", "MEMORYOS_NEW_KEY", "MEMORYOS_USER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def url(tmp_path: Path) -> str:
    """A memory with a turn and a fact of Ann's."""
    url = f"sqlite:///{tmp_path}/m.db"
    with MemoryOS(url, embedder=None, config=MANUAL) as memory:
        memory.user("ann").add("I keep bees in Porto.", "They hum.")
        memory.user("ann").remember("Ann likes green tea.")
    return url


def run(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str, str]:
    try:
        status = main(list(argv))
    except SystemExit as ended:
        status = int(str(ended.code))
    shown = capsys.readouterr()
    return status, shown.out, shown.err


@pytest.mark.parametrize("name", [name for name in EVERY if name not in NEED_NO_MEMORY])
def test_without_a_memory_a_command_is_refused(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "unused")
    monkeypatch.setattr("sys.stdin", io.StringIO("{}\n"))
    status, out, err = run(capsys, *name.split(), *MORE.get(name, ()))
    assert (status, out) == (2, "")
    assert "Traceback" not in err
    assert err.splitlines()[-1].startswith("memoryos")
    assert list(Path().iterdir()) == []


@pytest.mark.parametrize("name", EVERY)
def test_an_unknown_option_is_refused_with_the_usage(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(capsys, *name.split(), "--no-such-option")
    assert (status, out) == (2, "")
    assert err.startswith("usage: memoryos")


@pytest.mark.parametrize(
    ("argv", "status", "names"),
    [
        (["add", "{url}", "I sing.", *ANN[:2]], 0, {"id", "tier", "messages"}),
        (["recall", "{url}", "bees", *ANN], 0, {"text", "tokens", "budget_tokens", "hits"}),
        (["recall", "{url}", "quantum", *ANN], 1, {"text", "tokens"}),
        (["search", "{url}", "bees", *ANN], 0, {"id", "kind", "score", "signals"}),
        (["search", "{url}", "bees", *ANN, "--until", "2001-01-01"], 1, set()),
        (["facts", "{url}", *ANN], 0, {"id", "text", "status", "valid_from"}),
        (["facts", "{url}", "--user", "bob", "--embedder", "none"], 1, set()),
        (["facts", "{url}", *ANN, "--disputed"], 0, {"earlier", "later"}),
        (["facts", "{url}", "--user", "bob", "--embedder", "none", "--disputed"], 1, set()),
        (["topics", "{url}", *ANN], 1, set()),
        (["forget", "{url}", *ANN, "--everything", "--dry-run"], 0, {"dry_run", "receipt"}),
        (["forget", "{url}", "--user", "bob", "--everything", "--yes"], 1, set()),
        (["stats", "{url}"], 0, {"stats", "backlog"}),
        (["demo"], 0, {"stats", "facts"}),
        (["check", "{url}"], 0, set()),
        (["check-recall", "{url}", "cases.jsonl"], 0, {"question"}),
        (["retain", "{url}", "--policy", "older_than=3650d,action=purge", "--dry-run"], 0, set()),
        (["import", "{url}", "ann.jsonl"], 0, {"pages", "facts", "skipped"}),
        (["backup", "{url}", "copy.db"], 0, {"file"}),
        (["salvage", "{url}", "saved.db"], 0, {"saved"}),
        (["worker", "{url}", "--once", "--embedder", "none"], 0, {"pages_moved", "facts_learned"}),
        (["grant", "{url}", *ANN[:2], "--to", "coach", "--role", "reader"], 0, {"actor", "role", "until"}),
        (["grants", "{url}", *ANN[:2]], 1, set()),
        (["revoke", "{url}", *ANN[:2], "--from", "coach"], 1, {"revoked"}),
        (["team", "{url}", "physio", "--add", "bot-7"], 0, {"actor", "until"}),
        (["team", "{url}", "physio"], 1, set()),
        (["audit", "verify", "{url}"], 0, {"ok", "report"}),
        (["audit", "verify", "{url}", "--user", "bob"], 1, {"ok", "report"}),
        (["audit", "show", "{url}", *ANN[:2]], 0, {"seq", "action", "digest"}),
        (["audit", "recalls", "{url}", *ANN[:2]], 1, set()),
        (["forgotten", "{url}"], 0, set()),
        (["restore-backup", "kept.db", "back.db", "--without-forgotten"], 0, set()),
    ],
)
def test_json_is_one_object_a_line(
    argv: list[str],
    status: int,
    names: set[str],
    url: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MEMORYOS_AUDIT_KEY", "hex:" + "5a" * 32)
    Path("ann.jsonl").write_text(run(capsys, "export", url)[1], "utf-8")
    run(capsys, "backup", url, "kept.db")
    with MemoryOS(url, embedder=None, config=MANUAL) as memory:
        page = memory.user("ann").pages()[0].id
        for text in ("Ann has never visited the Old Mill.", "Ann visited the Old Mill."):
            memory.user("ann").remember(text)
    case = {"user": "ann", "assistant": "assistant", "question": "bees", "budget_tokens": None, "ids": [page]}
    Path("cases.jsonl").write_text(json.dumps(case) + "\n", "utf-8")
    found, out, err = run(capsys, *(word.replace("{url}", url) for word in argv), "--json")
    assert found == status, err
    lines: list[Any] = [json.loads(line) for line in out.splitlines()]
    assert not names or names <= set(lines[0])
    assert out.isascii()


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["export", "{url}"], '"kind": "scope"'),
        (["backup", "{url}", "copy.db"], ""),
        (["check", "{url}", "--deep"], ""),
        (["audit", "verify", "{url}"], ""),
        (["audit", "show", "{url}", "--user", "ann"], '"action"'),
        (["worker", "{url}", "--once", "--embedder", "none"], "pages moved"),
        (["retain", "{url}", "--policy", "older_than=3650d,action=purge"], ""),
    ],
)
def test_housekeeping_ends_with_status_0(
    argv: list[str], said: str, url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out, err = run(capsys, *(word.replace("{url}", url) for word in argv))
    assert (status, "Traceback" in err) == (0, False), err
    assert said in out


def test_only_commands_whose_output_has_a_form_of_its_own_lack_json(capsys: pytest.CaptureFixture[str]) -> None:
    lacking = [name for name in EVERY if "--json" not in run(capsys, *name.split(), "--help")[1]]
    assert lacking == ["export", "mcp", "completion"]


def test_restored_records_are_counted_as_json(
    url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(run(capsys, "export", url)[1]))
    status, out, err = run(capsys, "restore", f"sqlite:///{tmp_path}/other.db", "--json")
    assert (status, err) == (0, "")
    assert json.loads(out)["pages"] == 1


def test_recalls_are_logged_only_where_it_is_asked_for(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "recall", url, "Who keeps bees?", *ANN)[0] == 0
    status, out, err = run(capsys, "audit", "recalls", url, *ANN[:2])
    assert (status, out) == (1, "")
    assert "--log-recalls" in err
    assert run(capsys, "recall", url, "Who keeps bees?", *ANN, "--log-recalls")[0] == 0
    status, out, err = run(capsys, "audit", "recalls", url, *ANN[:2])
    assert (status, err) == (0, "")
    assert "by the application" in out
    assert "bees" not in out
    (logged,) = (json.loads(line) for line in run(capsys, "audit", "recalls", url, *ANN[:2], "--json")[1].splitlines())
    assert logged["hits"] == len(logged["ids"]) > 0
    assert run(capsys, "audit", "recalls", url, *ANN[:2], "--id", logged["ids"][0])[0] == 0
    assert run(capsys, "audit", "recalls", url, *ANN[:2], "--id", "none")[0] == 1


def test_topics_are_listed_hottest_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    url = f"sqlite:///{tmp_path}/talk.db"
    with MemoryOS(url, embedder=None, config=MANUAL) as memory:
        garden = memory.user("ann", session_id="garden")
        for said in ("The dahlias need a new bed.", "I planted dahlias by the wall.", "Slugs ate the dahlias."):
            garden.add(said, "Noted.")
        garden.end_session()
        garden.consolidate()
    status, out, err = run(capsys, "topics", url, *ANN)
    assert status == 0, err
    assert out.splitlines()[0].startswith("topic ")
    assert "dahlias" in out.lower()
    status, out, err = run(capsys, "topics", url, *ANN, "--json")
    assert {"segment_id", "title", "summary", "pages", "heat", "since", "until"} <= set(json.loads(out.splitlines()[0]))
