"""An archive that is restored beside other facts: what was said later holds."""

from __future__ import annotations

from datetime import datetime, timezone

from memoryos_core import MemoryOS


def memory_of(*said: tuple[int, str]) -> MemoryOS:
    memory = MemoryOS("sqlite://", embedder=None)
    for month, text in said:
        session = memory.user("ann", session_id=f"{month}")
        session.add(text, "I see.", timestamp=datetime(2025, month, 1, tzinfo=timezone.utc))
        session.end_session()
    memory.flush()
    return memory


def test_facts_of_two_memories_end_in_order_of_time() -> None:
    old = memory_of((1, "I live in Lisbon."), (7, "I moved to Braga."))
    new = memory_of((3, "I moved to Porto."))
    new.restore(list(old.user("ann").export()))
    ends = {fact.text: fact.valid_until and fact.valid_until.month for fact in new.user("ann").facts(current=False)}
    assert ends == {"The user lives in Lisbon.": 3, "The user moved to Porto.": 7, "The user moved to Braga.": None}
    for memory in (old, new):
        memory.close()


def test_an_archive_that_is_there_already_changes_nothing() -> None:
    memory = memory_of((1, "I live in Lisbon."), (3, "I moved to Porto."), (7, "I'm allergic to nuts."))
    ann = memory.user("ann")
    told = ann.remember("Ann is 41 years old.")
    ann.correct(told.id, "Ann is 42 years old.")
    ann.retire(ann.search("nuts", k=1, tiers=["long_term"])[0])
    before = ann.facts(current=False)
    memory.restore(list(ann.export()))
    assert ann.facts(current=False) == before
    memory.close()
