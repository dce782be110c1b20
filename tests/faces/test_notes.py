"""An application's notes through the public verbs, plain and awaited."""

from __future__ import annotations

import asyncio
import doctest
import inspect
import logging
from collections.abc import Callable, Iterator
from datetime import datetime, timezone
from pathlib import Path
from typing import cast

import numpy as np
import pytest

import memoryos_core.api.notes as notes_module
from memoryos_core import (
    AsyncMemoryOS,
    AsyncNotes,
    ClosedError,
    EmbedderMismatchError,
    InvalidInputError,
    MemoryConfig,
    MemoryOS,
    Note,
    Notes,
    NoteWrite,
    RecallConfig,
    WorkerConfig,
)
from memoryos_core.ports.capabilities import NoteStore, capability
from memoryos_core.testing.fakes import FixedClock, KeywordEmbedder

NOW = datetime(2024, 6, 1, 12, tzinfo=timezone.utc)
MANUAL = MemoryConfig(worker=WorkerConfig(mode="manual"))
SYNONYMS = {"roadster": "car", "feline": "cat"}
Open = Callable[..., MemoryOS]


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(NOW)


@pytest.fixture
def path(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/m.db"


@pytest.fixture
def opened(path: str, clock: FixedClock) -> Iterator[Open]:
    all_: list[MemoryOS] = []

    def open_(embedder: object = None, config: MemoryConfig = MANUAL) -> MemoryOS:
        all_.append(MemoryOS(path, embedder=embedder, config=config, clock=clock))  # type: ignore[arg-type]
        return all_[-1]

    yield open_
    for memory in all_:
        memory.close()


@pytest.fixture
def notes(opened: Open) -> Notes:
    return opened().user("ada").notes


def put(key: str, value: str | None = "1", *namespace: str, text: str = "") -> NoteWrite:
    return NoteWrite(namespace, key, value, text)


def keys(found: list[Note] | list[tuple[Note, float]]) -> list[str]:
    return [(n[0] if isinstance(n, tuple) else n).key for n in found]


def vectors(memory: MemoryOS, user: str = "ada") -> dict[str, bool]:
    notes = capability(memory._open().parts.store, NoteStore).notes(memory.user(user).scope, vectors=True)
    return {n.key: n.vector is not None for n in notes}


def test_the_example_runs() -> None:
    assert doctest.testmod(notes_module) == (0, 2)


# by name


def test_what_is_written_is_there_with_its_times(notes: Notes, clock: FixedClock) -> None:
    notes.write([put("theme", '"dark"', "prefs", "ui", text="dark colours")])
    later = clock.tick(60)
    notes.write([put("theme", '"light"', "prefs", "ui"), put("size", "12", "prefs")])
    assert notes.get(("prefs", "ui"), "theme") == Note(("prefs", "ui"), "theme", '"light"', "", NOW, later)
    assert notes.get(("prefs",), "theme") is notes.get(("prefs", "ui"), "size") is None
    assert keys(notes.list()) == ["theme", "size"]
    assert keys(notes.list(("prefs", "ui"))) == ["theme"]
    assert notes.namespaces() == [("prefs",), ("prefs", "ui")]


def test_the_last_change_of_a_name_counts_and_none_takes_away(notes: Notes) -> None:
    notes.write([put("a", "1"), put("b", "1"), put("a", None), put("a", "2", text="x"), put("c"), put("c", None)])
    assert [(n.key, n.value) for n in notes.list()] == [("b", "1"), ("a", "2")]
    notes.write([put("a", None), put("unknown", None)])
    assert keys(notes.list()) == ["b"]
    notes.write([])
    assert keys(notes.list()) == ["b"]


def test_names_may_come_as_lists(notes: Notes) -> None:
    notes.write([NoteWrite(cast("tuple[str, ...]", ["a", "b"]), "k", "1")])
    assert notes.get(["a", "b"], "k") == notes.list(["a"])[0]


def test_notes_outlive_the_memory_and_are_seen_by_others(opened: Open) -> None:
    first, second = opened(), opened()
    first.user("ada").notes.write([put("k", "1", "n")])
    assert second.user("ada").notes.get(("n",), "k") is not None
    first.close()
    assert keys(opened().user("ada", session_id="later").notes.list()) == ["k"]
    with pytest.raises(ClosedError):
        first.user("ada").notes.list()


def test_users_and_assistants_have_notes_of_their_own(opened: Open) -> None:
    memory = opened()
    names = [("user-1", "a"), ("user-10", "a"), ("USER-1", "a"), ("user_1", "a"), ("user%", "a"), ("user-1", "b")]
    for user, assistant in names:
        memory.user(user, assistant_id=assistant).notes.write([put("k", f'"{user} {assistant}"', text="tea")])
    for user, assistant in names:
        own = memory.user(user, assistant_id=assistant).notes
        assert [n.value for n in own.list()] == [f'"{user} {assistant}"']
        assert [n.value for n, _ in own.search((), "tea")] == [f'"{user} {assistant}"']


def test_reading_begins_no_user(opened: Open) -> None:
    memory = opened()
    notes = memory.user("ada").notes
    assert (notes.get((), "k"), notes.list(), notes.search((), "tea"), notes.namespaces()) == (None, [], [], [])
    notes.write([put("k", None)])
    assert memory.users() == []


@pytest.mark.parametrize(
    "change",
    [
        put(""),
        put("  "),
        put("k" * 513),
        put("k\x00"),
        put("k", "1", "\ud800"),
        put("k", "1", "a", ""),
        put("k", "1", "a" * 513),
        put("k", cast("str", {"a": 1})),
        put("k", text=cast("str", None)),
        put("k", "1", cast("str", 1)),
        NoteWrite(cast("tuple[str, ...]", "prefs"), "k", "1"),
        ((), "k", "1"),
    ],
    ids=repr,
)
def test_what_is_no_note_is_refused_and_nothing_is_written(notes: Notes, change: NoteWrite) -> None:
    with pytest.raises(InvalidInputError):
        notes.write([put("good"), change])
    assert notes.list() == []


def test_questions_of_the_wrong_kind_are_refused(notes: Notes) -> None:
    wrong: list[Callable[[], object]] = [
        lambda: notes.get("prefs", "k"),
        lambda: notes.get(("",), "k"),
        lambda: notes.get((), ""),
        lambda: notes.list("prefs"),
        lambda: notes.search("prefs", "tea"),
        lambda: notes.search((), cast("str", 7)),
        lambda: notes.write(cast("list[NoteWrite]", "text")),
        lambda: notes.write(cast("list[NoteWrite]", put("k"))),
    ]
    for call in wrong:
        with pytest.raises(InvalidInputError):
            call()


# by words and by meaning


def test_words_find_notes_with_texts_best_first(notes: Notes) -> None:
    notes.write(
        [
            put("both", "1", "n", text="green tea in the morning"),
            put("one", "1", "n", text="tea and biscuits, and a very long list of other things to buy on a day"),
            put("none", "1", "n", text="hiking in the hills"),
            put("untold", '"green tea"', "n"),
            put("blank", "1", "n", text=" \n"),
            put("elsewhere", "1", "m", text="green tea"),
        ]
    )
    found = notes.search(("n",), "green tea?")
    assert keys(found) == ["both", "one"]
    assert 1 > found[0][1] > found[1][1] > 0
    assert set(keys(notes.search((), "green tea"))) == {"both", "one", "elsewhere"}
    assert notes.search(("n",), "  ") == notes.search(("n",), "zebra") == []


def test_equal_notes_keep_the_order_of_a_list(notes: Notes, clock: FixedClock) -> None:
    notes.write([put("a", text="tea"), put("b", text="tea")])
    clock.tick()
    notes.write([put("c", text="tea")])
    assert keys(notes.search((), "tea")) == keys(notes.list()) == ["c", "a", "b"]


def test_meaning_finds_what_shares_no_word_and_is_blended_with_words(opened: Open) -> None:
    notes = opened(KeywordEmbedder(256, synonyms=SYNONYMS)).user("ada").notes
    notes.write([put("car", text="drives a roadster"), put("cat", text="owns a feline"), put("untold")])
    found = notes.search((), "car")
    assert keys(found) == ["car", "cat"]
    assert found[0][1] > 0.5 > found[1][1] > 0
    assert all(note.vector is None for note, _ in found)
    notes.write([put("said", text="the car is red and the roof is open")])
    assert set(keys(notes.search((), "car"))[:2]) == {"said", "car"}
    only_words = opened(KeywordEmbedder(256, synonyms=SYNONYMS), MemoryConfig(recall=RecallConfig(dense=0.0)))
    assert keys(only_words.user("ada").notes.search((), "car")) == ["said"]


def test_words_decide_between_equal_meanings(opened: Open) -> None:
    notes = opened(KeywordEmbedder(256, synonyms=SYNONYMS)).user("ada").notes
    notes.write([put("other", text="roadster"), put("same", text="car"), put("far", text="feline")])
    assert keys(notes.search((), "car")) == ["same", "other", "far"]


def test_a_vector_of_another_size_is_passed_over(opened: Open) -> None:
    """As when another process reindexes while one searches."""
    memory = opened(KeywordEmbedder(64))
    ada = memory.user("ada")
    ada.notes.write([put("a", text="green tea")])
    odd = NoteWrite((), "odd", "1", "black tea", np.ones(3, dtype=np.float32))
    capability(memory._open().parts.store, NoteStore).write_notes(ada.scope, [odd], NOW)
    assert keys(ada.notes.search((), "tea")) == ["a", "odd"]


def test_only_what_stays_is_embedded_and_nothing_without_meaning(opened: Open) -> None:
    embedder = KeywordEmbedder()
    memory = opened(embedder)
    memory.user("ada").notes.write([put("a", text="old"), put("a", text="new"), put("b"), put("c", None, text="gone")])
    assert embedder.embedded == 1
    assert vectors(memory) == {"a": True, "b": False}
    lexical = opened(KeywordEmbedder())
    lexical.reindex(embedder=None, progress=False)
    lexical.user("ada").notes.write([put("d", text="words")])
    assert vectors(lexical) == {"a": False, "b": False, "d": False}
    assert keys(lexical.user("ada").notes.search((), "new words")) == ["a", "d"]


def test_a_failing_embedder_keeps_the_note_and_is_logged_without_words(
    opened: Open, caplog: pytest.LogCaptureFixture
) -> None:
    embedder = KeywordEmbedder()
    memory = opened(embedder)
    notes = memory.user("ada").notes
    notes.write([put("a", text="green tea")])
    embedder.failure = RuntimeError("SECRET tea")
    with caplog.at_level(logging.WARNING):
        notes.write([put("b", text="SECRET tea"), put("c", text="SECRET")])
        assert keys(notes.search((), "tea")) == ["a", "b"]
    assert vectors(memory) == {"a": True, "b": False, "c": False}
    assert [r.getMessage() for r in caplog.records] == [
        "2 notes are stored without a vector for now, and found by their words: ModelError",
        "notes are searched by words only: ModelError",
    ]
    assert "SECRET" not in caplog.text


def test_an_embedder_that_miscounts_is_contained(opened: Open) -> None:
    class Miscounting(KeywordEmbedder):
        def embed_documents(self, texts: object) -> np.ndarray:
            return np.ones((7, self.dimension), dtype=np.float32)

    memory = opened(Miscounting())
    memory.user("ada").notes.write([put("a", text="tea")])
    assert vectors(memory) == {"a": False}


def test_vectors_of_another_embedder_are_not_compared(opened: Open, caplog: pytest.LogCaptureFixture) -> None:
    first = opened(KeywordEmbedder(64))
    first.user("ada").notes.write([put("a", text="green tea"), put("b", text="hills")])
    other = opened(KeywordEmbedder(32))
    notes = other.user("ada").notes
    with caplog.at_level(logging.WARNING):
        notes.write([put("c", text="black tea")])
        assert set(keys(notes.search((), "tea"))) == {"a", "c"}
    assert vectors(other) == {"a": True, "b": True, "c": False}
    assert [r.getMessage().rpartition(" ")[2] for r in caplog.records] == ["EmbedderMismatchError"] * 2
    with pytest.raises(EmbedderMismatchError):
        other.user("ada").search("tea")


def test_reindexing_embeds_notes_again(opened: Open) -> None:
    memory = opened(KeywordEmbedder(64))
    for user in ("ada", "bob"):
        memory.user(user).notes.write([*(put(f"{i}", text=f"note {i}") for i in range(130)), put("untold")])
    before = memory.user("ada").notes.list()
    embedder = KeywordEmbedder(32)
    memory.reindex(embedder=embedder, progress=False)
    for user in ("ada", "bob"):
        assert [k for k, there in vectors(memory, user).items() if not there] == ["untold"]
    assert embedder.embedded == 260
    assert memory.user("ada").notes.list() == before
    memory.reindex(embedder=embedder, progress=False)
    assert embedder.embedded == 260


# apart from what was said


def test_notes_are_not_recalled(opened: Open) -> None:
    memory = opened(KeywordEmbedder())
    ada = memory.user("ada")
    ada.notes.write([put("k", '"walnuts"', text="allergic to walnuts")])
    assert not ada.recall("Which walnuts?")
    assert ada.search("walnuts") == []
    ada.add("I like tea.", "Good.")
    ada.consolidate()
    assert "walnuts" not in ada.recall("What about walnuts and tea?").text
    assert "walnuts" not in ada._repr_html_()


def test_forgetting_everything_takes_notes_and_nothing_less_does(opened: Open, path: str) -> None:
    ada = opened().user("ada")
    page = ada.add("I like tea.", "Good.")
    ada.notes.write([put("k", '"walnuts"'), put("l", text="pistachios")])
    assert ada.forget(pages=[page]).notes == 0
    ada.forget(session=True)
    assert len(ada.notes.list()) == 2
    assert ada.forget(everything=True).notes == 2
    assert ada.notes.list() == []


def test_what_is_taken_away_is_on_no_disk(opened: Open, path: str) -> None:
    notes = opened().user("ada").notes
    notes.write([put("k", '"walnuts"', text="pistachios"), put("stays", '"almonds"')])
    notes.write([put("k", None)])
    folder = Path(path.removeprefix("sqlite:///")).parent
    held = b"".join(file.read_bytes() for file in folder.iterdir())
    assert b"almonds" in held
    assert b"walnuts" not in held
    assert b"pistachios" not in held


def test_export_and_restore_carry_notes(opened: Open, tmp_path: Path) -> None:
    ada = opened().user("ada")
    ada.add("I like tea.", "Good.")
    ada.notes.write([put("k", '{"a": "é"}', "n", text="tea"), put("l")])
    records = list(ada.export())
    with MemoryOS(f"sqlite:///{tmp_path}/other.db", embedder=None, config=MANUAL) as other:
        report = other.restore(records)
        assert (report.pages, report.notes, report.skipped, report.remarks) == (1, 2, 0, ())
        assert other.user("ada").notes.list() == ada.notes.list()
        assert other.restore(records).skipped == len(records) - 1


# awaited


def test_both_faces_have_the_same_verbs_and_arguments() -> None:
    def verbs(face: type) -> dict[str, inspect.Signature]:
        return {
            name: inspect.signature(member)
            for name, member in vars(face).items()
            if not name.startswith("_") and inspect.isfunction(member)
        }

    assert verbs(Notes) == verbs(AsyncNotes)
    assert len(verbs(Notes)) == 6
    assert all(inspect.iscoroutinefunction(getattr(AsyncNotes, name)) for name in verbs(AsyncNotes))


async def test_notes_are_awaited(path: str) -> None:
    async with AsyncMemoryOS(path, embedder=None, config=MANUAL) as memory:
        notes = memory.user("ada").notes
        assert notes.scope.user_id == "ada"
        await asyncio.gather(*(notes.write([put(f"{i}", text=f"tea {i}")]) for i in range(20)))
        assert len(await notes.list()) == 20
        assert keys(await notes.search((), "tea 7"))[0] == "7"
        assert (await notes.get((), "7")) == next(n for n in await notes.list() if n.key == "7")
        assert await notes.namespaces() == [()]
