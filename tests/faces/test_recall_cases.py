"""Cases of recall: a file of questions that `memoryos check-recall` asks, and what it refuses."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from memoryos_core import MemoryConfig, MemoryOS, WorkerConfig
from memoryos_core.errors import InvalidInputError
from memoryos_core.ops.cli import main
from memoryos_core.ops.recall_cases import RecallCase, brought_ids, read_cases

MANUAL = MemoryConfig(worker=WorkerConfig(mode="manual"))


@pytest.fixture
def url(tmp_path: Path) -> str:
    url = f"sqlite:///{tmp_path}/m.db"
    with MemoryOS(url, embedder=None, config=MANUAL) as memory:
        memory.user("ann").add("I keep bees\nin Porto.", "They hum.")
        memory.user("bob").remember("Bob likes green tea.")
    return url


def check(url: str, file: Path, *more: str) -> int:
    return main(["check-recall", url, str(file), "--embedder", "none", *more])


def write(file: Path, *cases: Mapping[str, object]) -> Path:
    file.write_text("\n".join(map(json.dumps, cases)) + "\n\n")
    return file


def test_every_case_is_asked_and_what_fails_is_told(
    url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good = {"user": "ann", "question": "Who keeps bees?", "contains": ["BEES in Porto"], "lacks": ["tea"]}
    bad = {"question": "What does Bob like?", "contains": ["coffee"], "lacks": ["Green tea"], "ids": ["01X"]}
    file = write(tmp_path / "cases.jsonl", good, bad)
    assert check(url, file, "--user", "bob") == 1
    assert capsys.readouterr().out.splitlines() == [
        "failed: What does Bob like?",
        "  01X is not recalled",
        "  'coffee' does not stand in the text",
        "  'Green tea' stands in the text",
        "1 of 2 cases passed",
    ]
    assert check(url, file, "--user", "bob", "--json") == 1
    passed, failed = map(json.loads, capsys.readouterr().out.splitlines())
    assert (passed["user"], passed["ok"], passed["wrong"]) == ("ann", True, [])
    assert (failed["user"], failed["ok"], len(failed["wrong"])) == ("bob", False, 3)
    assert check(url, write(tmp_path / "good.jsonl", good)) == 0


def test_a_saved_case_is_read_back_as_it_was(url: str) -> None:
    with MemoryOS(url, embedder=None, config=MANUAL) as memory:
        bob = memory.user("bob")
        found = bob.recall("What tea does Bob like?")
        ids = brought_ids(found)
        case = RecallCase(user="bob", question="What tea does Bob like?\N{SNOWMAN}\n", budget_tokens=90, ids=ids)
        assert [fact.id for fact in bob.facts()] == list(ids)
        assert case.check(bob) == ()
    assert case.line().isascii()
    assert list(read_cases([case.line()])) == [case]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "line 2 is not JSON"),
        ("[" * 100_000, "line 2 is not JSON"),
        ("[]", "line 2 is no case"),
        ('{"question": "Who?", "contain": ["x"]}', "and nothing else"),
        ('{"question": "Who?"}', "expects nothing"),
        ('{"question": "Who?", "contains": []}', "expects nothing"),
        ('{"question": "Who?", "contains": "x"}', "a list of texts"),
        ('{"question": "Who?", "ids": [""]}', "a list of texts"),
        ('{"question": "Who?", "ids": [7]}', "a list of texts"),
        ('{"question": " ", "ids": ["a"]}', "no question"),
        ('{"ids": ["a"]}', "no question"),
        ('{"question": 3, "ids": ["a"]}', "question must be a text"),
        ('{"question": "Who?", "ids": ["a"], "user": null}', "user must be a text"),
        ('{"question": "Who?", "ids": ["a"], "budget_tokens": "9"}', "whole number"),
        ('{"question": "Who?", "ids": ["a"], "budget_tokens": true}', "whole number"),
    ],
)
def test_what_is_no_case_is_refused_with_its_line(line: str, said: str) -> None:
    with pytest.raises(InvalidInputError, match=said):
        list(read_cases(['{"question": "Who?", "ids": ["a"]}\n', line]))


@pytest.mark.parametrize(
    ("given", "status", "said"),
    [
        (None, 2, "cannot be read"),
        (b"", 1, "no case"),
        (b"\xff", 2, "UTF-8"),
        (b'{"question": "Who?", "ids": ["a"]}', 2, "names no user"),
        (b'{"question": "Who?", "ids": ["a"], "user": "ann", "budget_tokens": -1}', 2, "budget_tokens"),
    ],
)
def test_a_file_that_cannot_be_checked_is_refused(
    given: bytes | None, status: int, said: str, url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "cases.jsonl"
    if given is not None:
        file.write_bytes(given)
    assert check(url, file) == status
    assert said in capsys.readouterr().err
