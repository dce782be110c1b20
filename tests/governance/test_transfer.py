"""A memory goes out as JSON Lines and comes back the same, in a whole store or in one that holds something already."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given, settings

from memoryos_core import MemoryOS
from memoryos_core.api.admin import dump_records, parse_records
from memoryos_core.errors import InvalidInputError
from memoryos_core.ops.cli import main
from memoryos_core.stores import open_store
from memoryos_core.testing.store_samples import ALICE, BOB, T0, add, fact, learn
from memoryos_core.values.commands import Record
from memoryos_core.values.dialogue import Scope
from tests.governance.memories import plans, play


def lines(records: Iterator[Record]) -> list[str]:
    return list(dump_records({"kind": kind, **record} for kind, record in records))


def parsed(written_lines: list[str]) -> list[Record]:
    found = [dict(record) for record in parse_records(written_lines)]
    return [cast("Record", (record.pop("kind"), record)) for record in found]


@settings(max_examples=25)
@given(plans())
def test_what_goes_out_comes_back_the_same(plan: list[dict[str, Any]]) -> None:
    with closing(open_store("sqlite://")) as old, closing(open_store("sqlite://")) as new:
        play(old, plan)
        out = lines(old.export(ALICE))
        assert all(line.isascii() for line in out)
        new.restore(ALICE, parsed(out))
        assert lines(new.export(ALICE)) == out
        assert new.stats(ALICE) == old.stats(ALICE)


@settings(max_examples=25)
@given(plans())
def test_what_comes_into_a_filled_store_comes_whole(plan: list[dict[str, Any]]) -> None:
    with closing(open_store("sqlite://")) as old, closing(open_store("sqlite://")) as new:
        play(old, plan)
        (mine,) = add(new, "mine", scope=ALICE)
        learn(new, fact("mine"))
        add(new, "bob's", scope=BOB)
        bobs, out = list(new.export(BOB)), list(old.export(ALICE))
        new.restore(ALICE, out)
        back = [r for r in new.export(ALICE) if r[1].get("id") not in (mine.id, "mine")]
        assert [_placed(r) for r in back] == [_placed(r) for r in out]
        assert list(new.export(BOB)) == bobs


def _placed(record: Record) -> str:
    """All but the place in line, which may be taken."""
    kind, values = record
    return json.dumps([kind, {name: value for name, value in values.items() if name != "seq"}])


def test_grants_and_the_audit_log_are_no_memory() -> None:
    with closing(open_store("sqlite://")) as store:
        add(store, "a")
        store.grant(ALICE, "bot", "reader", T0)
        assert {kind for kind, _ in store.export(ALICE)} == {"page"}


PAGE: dict[str, Any] = {
    "kind": "page",
    "id": "p",
    "session_id": "s",
    "seq": 1,
    "timestamp": "2026-01-01T00:00:00+00:00",
    "messages": [{"role": "user", "text": "SECRET"}],
}
SEGMENT = {"kind": "segment", "id": "g", "seq": 1}
FACT = {
    "kind": "fact",
    "id": "f",
    "about": "user",
    "text": "SECRET",
    "learned_at": "2026-01-01",
    "valid_from": "2026-01-01",
}
NO_YEAR = "0001-01-01T00:00:00+14:00"
WRONG: list[dict[str, Any]] = [
    *({"role": "root"}, {"text": 7}, {"name": 7}, {"id": 7}, {"answers": 7}, {"payload": {}}, {"calls": [7]}),
    *({"trust": "god"}, {"timestamp": 7}, {"timestamp": NO_YEAR}),
]
UNUSABLE: list[tuple[str, dict[str, Any]]] = [
    *(("seq", {**PAGE, "seq": seq}) for seq in (2**70, 2**63 - 1, -1)),
    ("tokens", {**PAGE, "tokens": 2**63}),
    *(("timestamp", {**PAGE, "timestamp": when}) for when in (NO_YEAR, "9999-12-31T23:59:59-14:00")),
    *(("id", {**record, "id": wrong}) for record in (PAGE, SEGMENT, FACT) for wrong in ("", "a\x00", "a\ud800")),
    *(("n_visit", {**SEGMENT, "n_visit": visits}) for visits in (2**63, -1)),
    ("last_access", {**SEGMENT, "last_access": NO_YEAR}),
    ("visits", {**FACT, "visits": 2**63}),
    ("event_time", {**FACT, "event_time": NO_YEAR}),
    *(("messages", {**PAGE, "messages": [{"role": "user", "text": "SECRET", **wrong}]}) for wrong in WRONG),
]


@pytest.mark.parametrize(("field", "record"), UNUSABLE)
def test_a_value_that_would_spoil_the_memory_later_is_refused_now(field: str, record: dict[str, Any]) -> None:
    with MemoryOS("sqlite://", embedder=None) as memory:
        ada = memory.user("ada", assistant_id="a", session_id="s")
        with pytest.raises(InvalidInputError, match=f"invalid '{field}'") as refused:
            memory.restore([{"kind": "scope", "user_id": "ada", "assistant_id": "a"}, record])
        assert "SECRET" not in str(refused.value)
        ada.add("Hello", "Hi")
        assert [page.text("user") for page in ada.pages()] == ["Hello"]


def test_a_broken_file_is_named_by_its_line_and_not_by_its_words(tmp_path: Path) -> None:
    with MemoryOS("sqlite://", embedder=None) as memory:
        given = ['{"kind": "scope", "user_id": "ada", "assistant_id": "a"}\n', "\n", '{"kind": "page", SECRET\n']
        with pytest.raises(InvalidInputError, match="line 3 is not JSON") as refused:
            memory.restore(parse_records(given))
        assert "SECRET" not in str(refused.value)
        with pytest.raises(InvalidInputError, match="must be a mapping"):
            memory.restore(parse_records(["7\n"]))
        assert memory.stats().pages == 0


@pytest.mark.parametrize("line", [b"[" * 100_000, b"\xff\xfe{}"], ids=["deep", "bytes"])
def test_what_is_no_text_or_nested_without_end_is_no_export(line: bytes) -> None:
    with pytest.raises(InvalidInputError, match=r"line [12] .*is not"):
        list(parse_records(io.TextIOWrapper(io.BytesIO(b"\n" + line), "utf-8")))


def test_the_commands_carry_a_memory_from_one_file_to_another(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = (f"sqlite:///{tmp_path / name}.db" for name in ("old", "new"))
    with MemoryOS(old, embedder=None) as memory:
        for name in ("ada", "bob"):
            memory.user(name, assistant_id="tutor").add(f"{name} likes tea \ud83d", "Noted.")
        memory.user("ada", assistant_id="coach").add("I run", "Good.")
    assert main(["export", old]) == 0
    everybody = capsys.readouterr().out
    assert main(["export", old, "--user", "ada", "--assistant", "tutor"]) == 0
    hers = capsys.readouterr().out
    assert set(hers.splitlines()) < set(everybody.splitlines())
    monkeypatch.setattr("sys.stdin", io.StringIO(everybody))
    assert main(["restore", new]) == 0
    assert "restored 3 pages" in capsys.readouterr().err
    assert main(["export", new]) == 0
    assert capsys.readouterr().out == everybody
    with MemoryOS(new, embedder=None) as memory:
        assert memory.scopes() == [Scope("ada", "coach"), Scope("ada", "tutor"), Scope("bob", "tutor")]
    assert main(["export", old, "--user", "nobody"]) == 1
    monkeypatch.setattr("sys.stdin", io.StringIO("{"))
    assert main(["restore", new]) == 2
    assert "line 1 is not JSON" in capsys.readouterr().err
