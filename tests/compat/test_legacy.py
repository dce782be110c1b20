"""Published files come in as they are: nothing lost, nothing twice, nothing touched, and damage is named."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path

import pytest

from memoryos_core import (
    InvalidInputError,
    MemoryConfig,
    MemoryOS,
    NotFoundError,
    ShortTermConfig,
    UserMemory,
    WorkerConfig,
)
from memoryos_core.ops.compat.files import DEFAULT_ASSISTANT, import_published
from memoryos_core.stores import open_store
from memoryos_core.testing.fakes import KeywordEmbedder
from memoryos_core.values.commands import PageQuery
from tests.compat.published import (
    ASSISTANT,
    LINE,
    LONG_TERM,
    MID_TERM,
    PROFILE,
    SHORT_TERM,
    digests,
    knowledge,
    page,
    segment,
    write,
    write_published,
)

STORE = MemoryConfig(worker=WorkerConfig(mode="manual"))


@pytest.fixture
def memory() -> Iterator[MemoryOS]:
    with MemoryOS("sqlite://", embedder=None, config=STORE) as opened:
        yield opened


@pytest.fixture
def mira(memory: MemoryOS) -> UserMemory:
    return memory.user("mira", assistant_id=DEFAULT_ASSISTANT)


def utc(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=timezone.utc)  # type: ignore[misc,arg-type]


def test_counts_are_reported(tmp_path: Path, memory: MemoryOS, mira: UserMemory) -> None:
    report = import_published(write_published(tmp_path), memory)
    assert (report.pages, report.segments, report.facts, report.profile_fields) == (5, 2, 3, 1)
    stats = mira.stats()
    assert (stats.pages_short_term, stats.pages_mid_term, stats.segments) == (2, 3, 2)
    # Two copies of pages, a repeated entry and an entry that says "None".
    assert report.skipped == 4
    told = " ".join(report.remarks)
    assert all(part in told for part in ("2 pages were in a second", "session_0000000b", "1 links", "embeddings"))


def test_turns_are_verbatim_and_in_order(tmp_path: Path, memory: MemoryOS, mira: UserMemory) -> None:
    import_published(write_published(tmp_path), memory)
    said = mira.transcript()
    assert [m.text for m in said[:2]] == [LINE, "A bigger pot with fresh soil will do."]
    assert [m.text for m in said[-4:]] == [t[k] for t in SHORT_TERM for k in ("user_input", "agent_response")]
    assert [m.timestamp for m in said] == sorted(m.timestamp for m in said if m.timestamp)
    assert said[0].timestamp == utc(2024, 3, 1, 9)


def test_segments_chains_and_marks_are_kept(tmp_path: Path) -> None:
    store = open_store("sqlite://")
    with MemoryOS(store, embedder=None, config=STORE) as memory:
        import_published(write_published(tmp_path), memory)
        mira = memory.user("mira", assistant_id=DEFAULT_ASSISTANT)
        lemon, trip = sorted(mira.segments(), key=lambda s: s.id)
        pages = {p.text("user"): p for p in store.pages(PageQuery(mira.scope, tiers=("mid_term",)))}
        repot, water, train = (
            pages[text] for text in (LINE, "How often does it want water?", "Which night train goes to Vienna?")
        )
        assert (lemon.summary, lemon.keywords) == (
            "Care of a lemon tree. Watering in winter.",
            ("lemon tree", "pot", "water"),
        )
        assert (lemon.n_visit, lemon.l_interaction, lemon.last_access) == (5, 2, utc(2024, 3, 2, 10))
        assert (trip.summary, trip.l_interaction) == ("A trip to Vienna.", 1)
        assert [p.segment_id for p in (repot, water, train)] == [lemon.id, lemon.id, trip.id]
        assert [p.analysed for p in (repot, water, train)] == [True, False, False]
        assert repot.chain_id == water.chain_id
        assert train.chain_id is None
        (chain,) = store.chains(mira.scope, [repot.chain_id or ""])
        assert chain.summary == "Repotting and watering a lemon tree."


def test_profile_and_facts_keep_their_words_and_times(tmp_path: Path, memory: MemoryOS, mira: UserMemory) -> None:
    import_published(write_published(tmp_path), memory)
    (summary,) = mira.profile().fields
    assert (summary.name, summary.value, summary.since) == ("summary", PROFILE, utc(2024, 3, 4, 12))
    about_user, about_assistant = mira.facts("user"), mira.facts("assistant")
    assert [(f.text, f.valid_from, f.trust) for f in about_user] == [
        ("Mira keeps a lemon tree.", utc(2024, 3, 4, 12), "user"),
        ("Her sister is called Ada - the elder one.", utc(2024, 3, 5, 12, 0, 1), "user"),
    ]
    assert [(f.text, f.trust) for f in about_assistant] == [("The assistant knows timetables.", "assistant")]


def test_what_came_in_is_recalled(tmp_path: Path, memory: MemoryOS, mira: UserMemory) -> None:
    import_published(write_published(tmp_path), memory)
    assert "19:36" in mira.recall("Which night train goes to Vienna?", include_recent=False).text


def test_consolidation_goes_on_from_what_came_in(tmp_path: Path) -> None:
    small = replace(STORE, short_term=ShortTermConfig(capacity_pages=1, batch_pages=1))
    with MemoryOS("sqlite://", embedder=KeywordEmbedder(), config=small) as memory:
        import_published(write_published(tmp_path), memory)
        mira = memory.user("mira", assistant_id=DEFAULT_ASSISTANT)
        report = mira.consolidate()
        assert (report.pages_embedded, report.pages_moved) == (5, 1)
        stats = mira.stats()
        assert (stats.pages_short_term, stats.pages_mid_term) == (1, 4)
        assert all(s.centroid.any() for s in mira.segments())


def test_importing_twice_brings_nothing_twice(tmp_path: Path, memory: MemoryOS, mira: UserMemory) -> None:
    import_published(write_published(tmp_path), memory)
    before = list(mira.export())
    again = import_published(tmp_path, memory)
    assert (again.pages, again.segments, again.facts, again.profile_fields) == (0, 0, 0, 0)
    assert list(mira.export()) == before


def test_a_turn_that_was_paged_out_meanwhile_is_not_brought_again(
    tmp_path: Path, memory: MemoryOS, mira: UserMemory
) -> None:
    import_published(write_published(tmp_path), memory)
    turn = SHORT_TERM[0]
    moved = page(7, turn["user_input"], turn["agent_response"], turn["timestamp"])
    new = page(8, "And plums?", "Plums, too.", "2024-03-07 09:00:00")
    sessions = {
        **MID_TERM["sessions"],
        "session_0000000d": segment(13, "A visit.", ["Ada"], [moved]),
        "session_0000000e": segment(14, "Fruit.", ["plum"], [new]),
    }
    write(tmp_path, "users/mira/mid_term.json", {"sessions": sessions, "access_frequency": {}})
    write(tmp_path, "users/mira/short_term.json", SHORT_TERM[1:])
    report = import_published(tmp_path, memory)
    assert (report.pages, report.segments) == (1, 1)
    texts = [m.text for m in mira.transcript()]
    assert texts.count(turn["user_input"]) == 1
    assert "And plums?" in texts
    assert all(s.page_count for s in mira.segments())


def test_the_same_words_said_twice_are_two_pages(tmp_path: Path, memory: MemoryOS, mira: UserMemory) -> None:
    write(tmp_path, "users/mira/short_term.json", [SHORT_TERM[0], SHORT_TERM[0]])
    assert import_published(tmp_path, memory).pages == 2
    assert import_published(tmp_path, memory).pages == 0
    assert len(mira.transcript()) == 4


def test_files_are_never_touched(tmp_path: Path, memory: MemoryOS) -> None:
    before = digests(write_published(tmp_path))
    import_published(tmp_path, memory)
    assert digests(tmp_path) == before


@pytest.mark.parametrize("name", ["short_term.json", "mid_term.json", "long_term_user.json"])
@pytest.mark.parametrize("damage", ["cut", "empty", "not utf-8", "another shape"])
def test_a_damaged_file_is_named_and_nothing_comes_in(tmp_path: Path, memory: MemoryOS, name: str, damage: str) -> None:
    file = write_published(tmp_path) / "users" / "mira" / name
    content = file.read_bytes()
    damaged = {
        "cut": content[: len(content) // 2],
        "empty": b"",
        "not utf-8": b"\xff\xfe\x00" + content,
        "another shape": b'"' + b"just text" + b'"',
    }[damage]
    file.write_bytes(damaged)
    with pytest.raises(InvalidInputError, match=file.name) as caught:
        import_published(tmp_path, memory)
    assert memory.stats().pages == 0
    assert memory.scopes() == []
    assert file.read_bytes() == damaged
    assert LINE not in repr(caught.value)
    assert caught.value.__cause__ is None


def test_a_damaged_file_of_one_user_stops_all(tmp_path: Path, memory: MemoryOS) -> None:
    write_published(tmp_path, "ada")
    write_published(tmp_path, "mira")
    (tmp_path / "users/mira/mid_term.json").write_text('{"sessions": {"session_1": {"details": "x"}}}')
    with pytest.raises(InvalidInputError, match=r"sessions\.session_1\.details"):
        import_published(tmp_path, memory)
    assert memory.scopes() == []


def test_an_assistants_file_goes_to_nobody_when_several_shared_it(tmp_path: Path, memory: MemoryOS) -> None:
    write_published(tmp_path, "ada")
    write_published(tmp_path, "mira")
    report = import_published(tmp_path, memory)
    for user in ("ada", "mira"):
        held = memory.user(user, assistant_id=DEFAULT_ASSISTANT)
        assert held.facts("assistant") == []
        assert held.stats().pages == 5
    assert any("were not imported" in note for note in report.remarks)
    asked = import_published(tmp_path, memory, user_id="ada")
    assert asked.facts == 1
    assert any("shared by 2 users" in note for note in asked.remarks)
    assert len(memory.user("ada", assistant_id=DEFAULT_ASSISTANT).facts("assistant")) == 1
    assert memory.user("mira", assistant_id=DEFAULT_ASSISTANT).facts("assistant") == []


def test_one_user_alone_can_be_asked_for(tmp_path: Path, memory: MemoryOS) -> None:
    write_published(tmp_path, "ada")
    write_published(tmp_path, "mira")
    import_published(tmp_path, memory, user_id="ada")
    assert memory.users() == ["ada"]


def test_an_id_never_becomes_a_path(tmp_path: Path, memory: MemoryOS) -> None:
    write(tmp_path, "secret/short_term.json", SHORT_TERM)
    inside = write_published(tmp_path / "data")
    with pytest.raises(NotFoundError):
        import_published(inside, memory, user_id="../../secret", assistant_id="tutor")
    assert memory.scopes() == []


def test_several_assistants_must_be_told_apart(tmp_path: Path, memory: MemoryOS) -> None:
    write_published(tmp_path, assistant_id="tutor")
    write(tmp_path, "assistants/cook/long_term_assistant.json", ASSISTANT)
    with pytest.raises(InvalidInputError, match=r"'cook', 'tutor'.*assistant_id="):
        import_published(tmp_path, memory)
    import_published(tmp_path, memory, assistant_id="tutor")
    assert len(memory.user("mira", assistant_id="tutor").facts("assistant")) == 1


def test_the_folder_of_one_user_is_enough(tmp_path: Path, memory: MemoryOS) -> None:
    report = import_published(write_published(tmp_path) / "users" / "mira", memory)
    assert (report.pages, report.facts, memory.users()) == (5, 3, ["mira"])


def test_nothing_there_is_said(tmp_path: Path, memory: MemoryOS) -> None:
    with pytest.raises(NotFoundError, match=r"short_term\.json"):
        import_published(tmp_path, memory)


def test_the_chromadb_variant_is_noted_not_read(tmp_path: Path, memory: MemoryOS) -> None:
    write(write_published(tmp_path), "metadata_mira_tutor.json", {"short_term": SHORT_TERM})
    assert any("chromadb" in note for note in import_published(tmp_path, memory).remarks)
    assert memory.stats().pages == 5


def test_odd_entries_are_kept_or_counted(tmp_path: Path, memory: MemoryOS, mira: UserMemory) -> None:
    turns = [
        {"user_input": "Only me.", "agent_response": "", "timestamp": "2024-03-06 08:00:00"},
        {"user_input": " ", "agent_response": "", "timestamp": "2024-03-06 08:00:01"},
        {"user_input": "When?", "agent_response": "Some day.", "timestamp": "last Tuesday"},
        {"user_input": "Half \ud83d of a smile\x00", "agent_response": None, "timestamp": None},
    ]
    write(tmp_path, "users/mira/short_term.json", turns)
    report = import_published(tmp_path, memory)
    assert (report.pages, report.skipped) == (3, 1)
    assert any("2 times could not be read" in note for note in report.remarks)
    only, when, _, half = mira.transcript()
    assert (only.text, half.text) == ("Only me.", "Half \ud83d of a smile\x00")
    assert when.timestamp == half.timestamp == utc(2024, 3, 6, 8, 0, 1)
    assert json.loads(when.payload or "") == {"published": {"timestamp": "last Tuesday"}}


def test_segments_without_pages_are_noted(tmp_path: Path, memory: MemoryOS, mira: UserMemory) -> None:
    write(tmp_path, "users/mira/mid_term.json", {"sessions": {"session_1": {"summary": "Empty."}}})
    assert any("session_1" in note for note in import_published(tmp_path, memory).remarks)
    assert mira.segments() == []


def test_what_belongs_to_others_is_left(tmp_path: Path, memory: MemoryOS, mira: UserMemory) -> None:
    profiles = {"ada": {"data": "Ada's own.", "last_updated": "2024-03-04 12:00:00"}}
    write(tmp_path, "users/mira/long_term_user.json", {**LONG_TERM, "user_profiles": profiles})
    shared = {"user_profiles": profiles, "knowledge_base": [knowledge("Whose?", "2024-03-04")]}
    write(tmp_path, "assistants/tutor/long_term_assistant.json", shared)
    notes = " ".join(import_published(tmp_path, memory).remarks)
    assert notes.count("1 profiles of other users") == 2
    assert "1 entries about a user who is not named" in notes
    assert not memory.user("mira", assistant_id="tutor").profile()
