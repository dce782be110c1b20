"""Forgetting through the face: what goes everywhere, what stays, and that what stays is described anew."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from memoryos_core import MemoryConfig, MemoryOS
from memoryos_core.api.aio import AsyncMemoryOS
from memoryos_core.api.user import UserMemory
from memoryos_core.config import HeatConfig, MidTermConfig, ShortTermConfig, WorkerConfig
from memoryos_core.errors import InvalidInputError
from memoryos_core.testing.fakes import FixedClock, KeywordEmbedder
from memoryos_core.values.commands import Eviction, NoteWrite, PageQuery
from memoryos_core.values.dialogue import Message, Scope
from memoryos_core.values.events import Event, Forgotten
from memoryos_core.values.reports import ForgetReceipt

NOW = datetime(2026, 6, 1, tzinfo=timezone.utc)
CONFIG = MemoryConfig(
    short_term=ShortTermConfig(capacity_pages=1, batch_pages=1, active_sessions=1),
    heat=HeatConfig(threshold=1.0),
    worker=WorkerConfig(mode="manual"),
)
# Two pages of one topic each; the last stays in short-term memory.
TOPIC = (
    "I love the harbour of Lisbon and its yellow trams",
    "The trams of Lisbon climb from the harbour to the old quarter",
    "I love the zebrafinch that I keep by the harbour trams of Lisbon",
    "Goodbye for now",
)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[MemoryOS]:
    with opened(tmp_path) as memory:
        yield memory


def opened(folder: Path, **options: object) -> MemoryOS:
    url = f"sqlite:///{folder / 'm.db'}"
    given = {"embedder": KeywordEmbedder(64), "config": CONFIG, "clock": FixedClock(NOW), **options}
    return MemoryOS(url, **given)  # type: ignore[arg-type]


def talk(user: UserMemory, texts: tuple[str, ...] = TOPIC) -> list[str]:
    ids = [
        user.add(text, "Indeed.", timestamp=NOW - timedelta(days=9) + timedelta(minutes=n)).id
        for n, text in enumerate(texts)
    ]
    user.consolidate()
    return ids


def everywhere(user: UserMemory) -> str:
    """All that any verb shows, derived views and history included."""
    segments = [*user.segments(), *user.segments(archived=True)]
    store = user._open().parts.store
    chains = store.chains(user.scope, [p.chain_id for p in user.pages() if p.chain_id])
    shown = (
        *(user.pages(), user.transcript(), user.profile(), user.facts(current=False), segments, chains),
        *(list(user.export()), user.notes.list() if hasattr(user.notes, "list") else ()),
        *(user.recall("Lisbon harbour zebrafinch").text, user.search("zebrafinch harbour Lisbon trams", k=50)),
    )
    return repr(shown)


# one page


def test_a_forgotten_page_leaves_a_segment_that_is_described_from_what_stays(memory: MemoryOS) -> None:
    ada = memory.user("ada")
    ids = talk(ada)
    (segment,) = ada.segments()
    assert "zebrafinch" in everywhere(ada).replace("zebrafinch harbour", "")
    receipt = ada.forget(pages=[ids[2]])
    assert (receipt.pages_mid_term, receipt.segments, receipt.at) == (1, 0, NOW)
    assert receipt.facts >= 1
    (blank,) = ada.segments()
    assert (blank.id, blank.summary, blank.keywords) == (segment.id, "", ())
    ada.consolidate()
    (again,) = ada.segments()
    assert "Lisbon" in again.summary
    assert again.keywords
    assert again.page_count == 2
    vectors = memory._open().parts.store.vectors(ada.scope, ids[:2])
    mean = sum(v / (v @ v) ** 0.5 for parts in vectors.values() for v in parts.values())
    assert float(again.centroid @ mean) > 0
    assert "zebrafinch" not in everywhere(ada)


def test_a_fact_that_another_page_supports_stays_with_that_one(memory: MemoryOS) -> None:
    ada = memory.user("ada")
    said = ("I live in Lisbon.", "I live in Lisbon.", "Goodbye")
    first, second, _ = (talk(ada, (text,))[0] for text in said)
    (fact,) = [f for f in ada.facts() if "Lisbon" in f.text]
    assert set(fact.page_ids) == {first, second}
    assert ada.forget(pages=[first]).facts == 0
    assert ada.facts() == [replace(fact, page_ids=(second,))]
    assert ada.forget(pages=[second]).facts == 1
    assert ada.facts(current=False) == []


def test_the_profile_does_not_fall_back_to_what_was_said_before(memory: MemoryOS) -> None:
    ada = memory.user("ada")
    pages = [talk(ada, (text,))[0] for text in ("My name is Ada.", "My name is Augusta.", "Goodbye")]
    assert ada.profile().get("name") == "Augusta"
    assert ada.forget(pages=[pages[1]]).profile_fields == 1
    assert ada.profile().get("name") is None
    talk(ada, ("My name is Ada.",))
    assert ada.profile().get("name") == "Ada"


def test_what_was_said_again_before_is_read_again(memory: MemoryOS) -> None:
    """Read in one go with the page that is forgotten, a page was no source of its own: now it is."""
    ada = memory.user("ada")
    pages = talk(ada, ("My name is Ada.", "My name is Augusta.", "Goodbye"))
    assert ada.profile().get("name") == "Augusta"
    ada.forget(pages=[pages[1]])
    ada.consolidate()
    assert ada.profile().get("name") == "Ada"
    assert "Augusta" not in everywhere(ada)


def test_a_corrected_fact_that_is_forgotten_does_not_bring_the_older_one_back(memory: MemoryOS) -> None:
    ada = memory.user("ada")
    old = ada.remember("Ada lives in Porto.")
    new = ada.correct(old.id, "Ada lives in Lisbon.")
    ada.forget(facts=[new])
    ada.consolidate()
    assert not ada.facts()
    assert "Porto" not in ada.recall("Where does Ada live?").text
    assert ada.remember("Ada lives in Porto.") in ada.facts(), "who wants the old value says so"


# caches, waiting work, other processes


def test_another_memory_over_the_same_file_finds_it_no_more(memory: MemoryOS, tmp_path: Path) -> None:
    ids = talk(memory.user("ada"))
    with opened(tmp_path) as other:
        ada = other.user("ada")
        assert ids[2] in {page for hit in ada.search("zebrafinch") for page in hit.page_ids or (hit.id,)}
        memory.user("ada").forget(pages=[ids[2]])
        assert all("zebrafinch" not in hit.text for hit in ada.search("zebrafinch", k=50))
        assert "zebrafinch" not in ada.recall("zebrafinch").text


def test_what_waits_in_memory_brings_nothing_back(memory: MemoryOS) -> None:
    ada = memory.user("ada")
    talk(ada)
    ada.recall("the harbour of Lisbon")  # its visits wait to be counted
    ada.forget(everything=True)
    assert ada.scope not in memory._open().index.scopes  # type: ignore[attr-defined]
    assert memory.flush()
    ada.consolidate()
    assert memory.scopes() == []
    assert ada.stats().pages == 0


def test_a_model_that_read_a_page_before_it_was_forgotten_does_not_file_it(tmp_path: Path) -> None:
    reading, forgotten = threading.Event(), threading.Event()

    def answer(request: object) -> str:
        reading.set()
        assert forgotten.wait(30)
        return '{"topics": [{"pages": [1, 2, 3], "summary": "zebrafinch", "keywords": ["zebrafinch"]}]}'

    with opened(tmp_path, llm=answer) as memory:
        ada = memory.user("ada")
        for text in TOPIC:
            ada.add(text, "Indeed.")
        run = threading.Thread(target=lambda: memory._open().worker.run(ada.scope))
        run.start()
        assert reading.wait(30)
        ada.forget(everything=True)
        forgotten.set()
        run.join(60)
        assert not run.is_alive()
        assert memory.scopes() == []


def test_hooks_hear_counts_and_no_word(tmp_path: Path) -> None:
    events: list[Event] = []
    with opened(tmp_path, on_event=events.append) as memory:
        ada = memory.user("ada")
        talk(ada)
        receipt = ada.forget(everything=True)
    (told,) = [e for e in events if isinstance(e, Forgotten)]
    assert (told.scope, told.pages, told.facts) == (ada.scope, 4, receipt.facts)
    assert all("zebrafinch" not in repr(event) for event in events)


# the receipt, and the log


def test_the_receipt_counts_every_kind_and_is_named_in_the_audit_log(memory: MemoryOS) -> None:
    ada = memory.user("ada")
    talk(ada)
    ada.add_messages([Message("user", "once", id="m1")], once=True)
    ada.notes.write([NoteWrite(("app",), "k", "v", "words")])
    ada.governance.grant("bot", "reader")
    before = ada.stats()
    receipt = ada.forget(everything=True)
    assert (receipt.pages, receipt.segments) == (before.pages, before.segments)
    assert (receipt.notes, receipt.grants, receipt.taken) == (1, 1, 1)
    assert receipt.facts == before.facts_user + before.facts_assistant > 0
    assert receipt.vectors > 0
    assert receipt.at == NOW
    first, *_, last = ada.governance.audit()
    assert (first.seq, first.action) == (1, "append"), "what was done before is known still"
    assert (last.action, (last.digest,), last.at) == ("forget", receipt.audit, NOW)
    assert ada.governance.verify().ok
    assert "zebrafinch" not in repr(ada.governance.audit())


def test_forgetting_nothing_is_not_logged(memory: MemoryOS) -> None:
    ada = memory.user("ada")
    talk(ada)
    logged = len(ada.governance.audit())
    receipt = ada.forget(pages=["unknown"], facts=["unknown"])
    assert (receipt, receipt.at, receipt.audit) == (ForgetReceipt(), None, ())
    assert len(ada.governance.audit()) == logged


def test_receipts_add_up() -> None:
    early, late = NOW, NOW + timedelta(days=1)
    one = ForgetReceipt(pages_archived=1, notes=2, at=late, audit=("a",))
    two = ForgetReceipt(pages_archived=3, units=4, at=early, audit=("b",))
    both = one + two
    assert (both.pages_archived, both.notes, both.units, both.at, both.audit) == (4, 2, 4, late, ("a", "b"))
    assert (ForgetReceipt() + ForgetReceipt()).at is None


# a user


def test_a_user_goes_with_every_assistant_and_nobody_else_does(memory: MemoryOS) -> None:
    mine = [memory.user("ada", assistant_id=name) for name in ("tutor", "coach")]
    bob = memory.user("bob", assistant_id="tutor")
    for user in (*mine, bob):
        talk(user)
    kept = list(bob.export())
    receipt = memory.forget_user("ada")
    assert receipt.pages == 8
    assert len(receipt.audit) == 2
    assert memory.scopes() == [Scope("bob", "tutor")]
    assert list(bob.export()) == kept
    assert all(user.search("zebrafinch") == [] for user in mine)
    assert memory.forget_user("ada") == ForgetReceipt()
    with pytest.raises(InvalidInputError):
        memory.forget_user(" ")


async def test_the_async_face_forgets_a_user(memory: MemoryOS) -> None:
    talk(memory.user("ada"))
    face = AsyncMemoryOS.of(memory)
    assert (await face.forget_user("ada")).pages == 4
    await face.vacuum()
    assert memory.scopes() == []


# eviction is not forgetting


def test_eviction_with_deletion_keeps_what_was_learnt(tmp_path: Path) -> None:
    """Capacity takes the pages; the facts were learnt, and stay until they are forgotten themselves."""
    config = replace(CONFIG, mid_term=MidTermConfig(archive=False))
    with opened(tmp_path, config=config) as memory:
        ada = memory.user("ada")
        ids = talk(ada)
        facts = ada.facts()
        assert facts
        store = memory._open().parts.store
        store.evict(Eviction(ada.scope, tuple(s.id for s in ada.segments()), NOW, archive=False))
        assert store.pages(PageQuery(ada.scope, ids=tuple(ids[:3]))) == ()
        assert [(f.id, f.page_ids) for f in ada.facts()] == [(f.id, ()) for f in facts]
        assert ada.forget(facts=facts).facts == len(facts)
        assert ada.facts(current=False) == []
