"""The leak matrix on SQLite: no verb, however another user is named, brings back a word of hers or changes a thing."""

from __future__ import annotations

from pathlib import Path

import pytest

from memoryos_core import MemoryOS, MemoryOSError, NoteWrite
from memoryos_core.api.aio import AsyncMemoryOS
from memoryos_core.testing.fakes import FixedClock, KeywordEmbedder
from tests.faults.leaking import (
    SAID,
    VICTIM,
    Arms,
    Findings,
    chat,
    matrix,
    names,
    shown,
    state,
    verb_of,
    verbs,
    victim_of,
)
from tests.faults.opening import small, talk, url


def test_every_verb_with_every_name_of_another() -> None:
    options = {"embedder": KeywordEmbedder(), "answer_llm": chat(), "config": small(), "clock": FixedClock()}
    with MemoryOS("sqlite://", **options) as memory:  # type: ignore[arg-type]  # each is what it takes
        findings = matrix(memory)
        assert findings.leaks == []
        assert findings.cells > 50 * 25
        assert findings.calls > 2 * findings.cells


def test_the_matrix_finds_a_leak(tmp_path: Path) -> None:
    """A test of the test: what the victim herself may read, it takes for a leak."""
    with MemoryOS(
        url(tmp_path / "m.db"), embedder=None, answer_llm=chat(), config=small(), clock=FixedClock()
    ) as memory:
        victim, loot = victim_of(memory)
        arms, loud = Arms(loot, victim), set()
        for name in verbs(victim):
            findings = Findings()
            for arguments in arms.calls(verb_of(victim, name)) if name not in ("forget", "end_session") else ():
                try:
                    findings.look(name, {}, verb_of(victim, name)(**arguments), loot)
                except MemoryOSError as error:
                    findings.look(name, {}, error, loot)
            loud |= {name} if findings.leaks else set()
    reads = {"chat", "export", "facts", "messages", "notes.get", "notes.list", "notes.search", "notes.namespaces"}
    assert reads | {"pages", "profile", "recall", "search", "segments", "transcript"} <= loud


def test_the_names_are_all_names_of_others() -> None:
    given = [(user, assistant) for user, assistant, _ in names().values()]
    assert (VICTIM.user_id, VICTIM.assistant_id) not in given
    assert len(set(names().values())) == len(names())


async def test_the_coroutine_twins_leak_as_little(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with MemoryOS(url(path), embedder=None, answer_llm=chat(), config=small(), clock=FixedClock()) as memory:
        victim, loot = victim_of(memory)
        before, findings = state(victim), Findings()
        face = AsyncMemoryOS.of(memory)
        assert verbs(face.user("ada")) == verbs(memory.user("ada"))
        for way in ("another user", "another assistant", "her scope's key", "a wildcard for all", "the two swapped"):
            user, assistant, session = names()[way]
            handle = face.user(user, assistant_id=assistant, session_id=session)
            await handle.add("I planted a tree by the river.", "Good.")
            arms = Arms(loot, victim)
            for name in verbs(handle):
                findings.cells += 1
                for arguments in arms.calls(verb_of(handle, name)):
                    try:
                        result = verb_of(handle, name)(**arguments)
                        result = [r async for r in result] if hasattr(result, "__aiter__") else await result
                    except MemoryOSError as error:
                        result = error
                    findings.look(f"{name} as {way}", arguments, result, loot)
        assert findings.leaks == []
        assert findings.calls > 100
        assert state(victim) == before


def test_a_stranger_to_the_scope_itself_reads_nothing(tmp_path: Path) -> None:
    """Who names the victim's very scope, but was granted no role there, gets an AccessError from every verb."""
    from memoryos_core.errors import AccessError

    with MemoryOS(
        url(tmp_path / "m.db"), embedder=None, answer_llm=chat(), config=small(), clock=FixedClock()
    ) as memory:
        victim, loot = victim_of(memory)
        before = state(victim)
        stranger = memory.user(VICTIM.user_id, assistant_id=VICTIM.assistant_id, actor="mallory")
        arms = Arms(loot, victim)
        for name in verbs(stranger):
            for arguments in arms.calls(verb_of(stranger, name)):
                with pytest.raises(AccessError) as refused:
                    shown(verb_of(stranger, name)(**arguments))
                assert not [w for w in loot.words if w in str(refused.value)]
        assert state(victim) == before


def test_records_that_name_her_rows_land_in_the_scope_they_are_for(tmp_path: Path) -> None:
    """Somebody restores his own export, in which he put her ids, her key and her rows."""
    with MemoryOS(url(tmp_path / "m.db"), embedder=None, config=small(), clock=FixedClock()) as memory:
        victim, loot = victim_of(memory)
        before = state(victim)
        ada = memory.user("ada")
        talk(ada, 4)
        ada.consolidate()
        (_, *mine), (_, *hers) = ada.export(), loot.records
        forged = [{**r, "scope": VICTIM.key, "user_id": VICTIM.user_id} for r in mine]
        taken = [{**r, "id": i} for r, i in zip([r for r in mine if r["kind"] == "page"], loot.ids, strict=False)]
        pointing = [{**r, "page_ids": loot.ids} if "page_ids" in r else r for r in mine]
        for records in (forged, taken, pointing):
            memory.restore([{"kind": "scope", "user_id": "ada", "assistant_id": "assistant"}, *records])
            assert state(victim) == before
        eve = memory.user("eve")
        memory.restore([{"kind": "scope", "user_id": "eve", "assistant_id": "assistant"}, *hers])
        assert eve.stats().pages == victim.stats().pages  # a copy that its owner handed over, and no more than that
        eve.forget(everything=True)
        ada.forget(pages=loot.ids)
        assert state(victim) == before


def test_what_a_memory_says_of_all_names_nobodys_words(tmp_path: Path) -> None:
    with MemoryOS(url(tmp_path / "m.db"), embedder=None, config=small(), clock=FixedClock()) as memory:
        victim, _ = victim_of(memory)
        said = shown([memory.users(), memory.scopes(), memory.stats(), memory.usage(), memory.backlog(), repr(memory)])
        assert SAID not in said
        victim.notes.write([NoteWrite(("x",), SAID, "1")])
        assert SAID not in shown([memory.users(), memory.scopes(), repr(victim)])
