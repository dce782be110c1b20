"""The shelves that show the tiers of a memory: facts, profile, episodes; and one search over everything of a user."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from langgraph.store.base import GetOp, InvalidNamespaceError, ListNamespacesOp, MatchCondition, Op, PutOp, SearchOp

from memoryos_core import Fact, MemoryConfig, MemoryOS, Message, NoteWrite, UserMemory, WorkerConfig
from memoryos_core.api.notes import Notes
from memoryos_core.errors import ClosedError, InvalidInputError
from memoryos_core.testing.fakes import FixedClock, KeywordEmbedder
from memoryos_langchain.store import MemoryOSStore

FACTS = ("ada", "facts")
EPISODES = ("ada", "episodes")
PROFILE = ("ada", "profile")


@pytest.fixture
def store(memory: MemoryOS) -> MemoryOSStore:
    return MemoryOSStore(memory)


@pytest.fixture
def ticking(path: str) -> Iterator[MemoryOS]:
    """A memory whose clock moves a minute at every look, so that no two moments are the same."""
    config = MemoryConfig(worker=WorkerConfig(mode="manual"))
    with MemoryOS(path, embedder=None, config=config, clock=FixedClock(step_seconds=60)) as memory:
        yield memory


def keys(items: list[Any]) -> list[str]:
    return [item.key for item in items]


def texts(memory: MemoryOS, user: str = "ada", *, current: bool = True) -> list[str]:
    return [f.text for f in memory.user(user).facts(current=current)]


def nested(depth: int) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for _ in range(depth):
        value = {"a": value}
    return value


def talked(memory: MemoryOS, user: str = "ada") -> None:
    """Enough of a talk that a profile, facts, segments and recent pages are there."""
    ada = memory.user(user)
    for said in (
        "Hi, my name is Ada Byron and I live in Lisbon.",
        "I am a pilot. My sister Clara plays the violin in Porto.",
        "I love hiking in the mountains every weekend with my dog Rex.",
    ):
        for number in range(6):
            ada.add(f"{said} ({number})", "Good to know.")
    ada.consolidate()


class TestFacts:
    def test_a_put_is_remembered_and_recalled(self, memory: MemoryOS, store: MemoryOSStore) -> None:
        value = {"text": "Ada drinks green tea", "source": "form"}
        store.put(FACTS, "drink", value)
        item = store.get(FACTS, "drink")
        assert item is not None
        assert (item.key, item.namespace, item.value) == ("drink", FACTS, value)
        assert texts(memory) == ["Ada drinks green tea"]
        assert "green tea" in memory.user("ada", session_id="another").recall("What does Ada drink?").text
        assert keys(store.search(FACTS)) == ["drink"]
        (found,) = store.search(FACTS, query="What does Ada drink?")
        assert (found.key, found.value) == ("drink", value)
        assert found.score is not None
        assert 0.5 < found.score <= 1
        assert all((item.score or 0.0) < found.score for item in store.search(FACTS, query="Where is the green ferry?"))

    def test_a_fact_is_found_behind_any_number_of_pages(self, memory: MemoryOS, store: MemoryOSStore) -> None:
        ada = memory.user("ada")
        ada.add_messages([Message("user", f"kite {n}") for n in range(700)])
        for n in range(15):
            store.put(FACTS, f"k{n}", {"text": f"Ada owns kite number {n}"})
        assert len(store.search(FACTS, query="kite", limit=20)) == 15

    @pytest.mark.parametrize(
        ("value", "index", "said"),
        [
            ({"text": "a b", "content": "c"}, None, "a b"),
            ({"content": " likes tea "}, None, "likes tea"),
            ({"data": "likes tea"}, None, "likes tea"),
            ({"kind": "Memory", "content": {"content": "likes tea"}}, None, "kind: Memory\ncontent: likes tea"),
            ({"text": "ignored", "note": "likes tea"}, ["note"], "likes tea"),
            ({"text": "", "likes": ["tea", "rain"]}, None, "likes: tea\nlikes: rain"),
            ({"text": "half \ud83d and \x00 nul"}, None, "half ? and   nul"),
        ],
    )
    def test_what_a_value_states(
        self, memory: MemoryOS, store: MemoryOSStore, value: Any, index: Any, said: str
    ) -> None:
        store.put(FACTS, "k", value, index=index)
        assert texts(memory) == [said]
        item = store.get(FACTS, "k")
        assert item is not None
        assert item.value == value

    @pytest.mark.parametrize(
        ("value", "index"),
        [({}, None), ({"text": "  "}, None), ({"text": "tea"}, False), ({"text": "tea"}, ["nothing"])],
    )
    def test_what_states_nothing_is_refused(
        self, memory: MemoryOS, store: MemoryOSStore, value: Any, index: Any
    ) -> None:
        with pytest.raises(InvalidInputError):
            store.put(FACTS, "k", value, index=index)
        assert memory.scopes() == []

    def test_a_fact_may_be_about_the_assistant(self, memory: MemoryOS, store: MemoryOSStore) -> None:
        store.put(FACTS, "tone", {"text": "Speaks plainly", "about": "assistant"})
        assert [f.text for f in memory.user("ada").facts("assistant")] == ["Speaks plainly"]

    def test_another_statement_takes_the_place_of_the_old_one(self, memory: MemoryOS, store: MemoryOSStore) -> None:
        store.put(FACTS, "home", {"text": "Ada lives in Lisbon"})
        before = store.get(FACTS, "home")
        store.put(FACTS, "home", {"text": "Ada lives in Porto"})
        after = store.get(FACTS, "home")
        assert before is not None
        assert after is not None
        assert after.value == {"text": "Ada lives in Porto"}
        assert after.created_at == before.created_at
        assert texts(memory) == ["Ada lives in Porto"]
        old, new = memory.user("ada").facts(current=False)
        assert (old.status, old.superseded_by) == ("superseded", new.id)
        assert len(store.search(FACTS)) == 1

    def test_the_same_statement_stays_the_same_fact(self, memory: MemoryOS, store: MemoryOSStore) -> None:
        store.put(FACTS, "home", {"text": "Ada lives in Lisbon"})
        (before,) = memory.user("ada").facts(current=False)
        store.put(FACTS, "home", {"text": "Ada lives in Lisbon", "sure": True})
        assert memory.user("ada").facts(current=False) == [before]
        item = store.get(FACTS, "home")
        assert item is not None
        assert item.value["sure"] is True

    def test_another_subject_takes_the_place_too(self, memory: MemoryOS, store: MemoryOSStore) -> None:
        store.put(FACTS, "k", {"text": "Speaks plainly"})
        store.put(FACTS, "k", {"text": "Speaks plainly", "about": "assistant"})
        assert [(f.about, f.text) for f in memory.user("ada").facts()] == [("assistant", "Speaks plainly")]

    def test_deletion_forgets_every_wording(self, memory: MemoryOS, store: MemoryOSStore) -> None:
        for place in ("Lisbon", "Porto", "Faro"):
            store.put(FACTS, "home", {"text": f"Ada lives in {place}"})
        store.put(FACTS, "pet", {"text": "Ada has a dog"})
        store.delete(FACTS, "home")
        assert store.get(FACTS, "home") is None
        assert texts(memory, current=False) == ["Ada has a dog"]
        assert keys(store.search(FACTS)) == ["pet"]
        assert "Lisbon" not in json.dumps(list(memory.user("ada").export()))
        store.delete(FACTS, "home")
        assert keys(store.search(FACTS)) == ["pet"]

    def test_two_names_of_one_statement(self, memory: MemoryOS, store: MemoryOSStore) -> None:
        store.put(FACTS, "a", {"text": "Ada drinks tea"})
        store.put(FACTS, "b", {"text": "Ada drinks tea", "n": 2})
        assert texts(memory) == ["Ada drinks tea"]
        assert sorted(keys(store.search(FACTS, query="tea"))) == ["a", "b"]
        store.put(FACTS, "a", {"text": "Ada drinks coffee"})
        assert sorted(texts(memory)) == ["Ada drinks coffee", "Ada drinks tea"]
        store.put(FACTS, "a", {"text": "Ada drinks tea"})
        assert texts(memory, current=False) == ["Ada drinks tea"]
        store.delete(FACTS, "a")
        item = store.get(FACTS, "b")
        assert item is not None
        assert item.value == {"text": "Ada drinks tea", "n": 2}
        store.delete(FACTS, "b")
        assert "Ada drinks tea" not in texts(memory, current=False)

    def test_another_process_was_faster(
        self, memory: MemoryOS, store: MemoryOSStore, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        store.put(FACTS, "home", {"text": "Ada lives in Lisbon"})
        correct = UserMemory.correct

        def late(user: UserMemory, fact_id: str, text: str, *, note: NoteWrite | None = None) -> Fact:
            user.forget(facts=[fact_id])
            return correct(user, fact_id, text, note=note)

        monkeypatch.setattr(UserMemory, "correct", late)
        store.put(FACTS, "home", {"text": "Ada lives in Porto"})
        item = store.get(FACTS, "home")
        assert item is not None
        assert item.value == {"text": "Ada lives in Porto"}
        assert texts(memory, current=False) == ["Ada lives in Porto"]

    def test_a_fact_that_was_learnt_has_its_id_for_a_key(self, memory: MemoryOS, store: MemoryOSStore) -> None:
        fact = memory.user("ada").remember("Ada drinks tea")
        item = store.get(FACTS, fact.id)
        assert item is not None
        assert item.value["text"] == "Ada drinks tea"
        assert item.value["about"] == "user"
        assert datetime.fromisoformat(item.value["learned_at"]) == fact.learned_at == item.updated_at
        assert keys(store.search(FACTS)) == [fact.id] == keys(store.search(FACTS, query="tea"))
        assert keys(store.search(FACTS, filter={"learned_at": {"$gte": "2026-01-01"}, "about": "user"})) == [fact.id]
        assert store.search(FACTS, filter={"learned_at": {"$lt": "2000-01-01"}}) == []

    def test_it_may_be_put_and_deleted_by_its_id(self, memory: MemoryOS, store: MemoryOSStore) -> None:
        fact = memory.user("ada").remember("Ada drinks tea")
        store.put(FACTS, fact.id, {"text": "Ada drinks coffee"})
        item = store.get(FACTS, fact.id)
        assert item is not None
        assert item.value == {"text": "Ada drinks coffee"}
        assert texts(memory) == ["Ada drinks coffee"]
        store.delete(FACTS, fact.id)
        assert texts(memory, current=False) == []
        other = memory.user("ada").remember("Ada has a dog")
        store.delete(FACTS, other.id)
        assert texts(memory) == []

    def test_deletion_brings_no_older_wording_back(self, memory: MemoryOS, store: MemoryOSStore) -> None:
        talked(memory)
        learnt = memory.user("ada").facts()[0]
        store.put(FACTS, learnt.id, {"text": "Something else entirely"})
        store.delete(FACTS, learnt.id)
        assert store.get(FACTS, learnt.id) is None
        assert learnt.id not in keys(store.search(FACTS, limit=999))

    def test_a_name_follows_to_what_took_the_place_of_its_fact(self, memory: MemoryOS, store: MemoryOSStore) -> None:
        store.put(FACTS, "home", {"text": "Ada lives in Lisbon"})
        ada = memory.user("ada")
        newer = ada.correct(ada.facts()[0].id, "Ada lives in Porto")
        item = store.get(FACTS, "home")
        assert item is not None
        assert (item.value["text"], item.updated_at) == ("Ada lives in Porto", newer.learned_at)
        assert keys(store.search(FACTS)) == ["home"]
        store.put(FACTS, "home", {"text": "Ada lives in Faro"})
        assert keys(store.search(FACTS)) == ["home"]
        assert texts(memory) == ["Ada lives in Faro"]
        ada.forget(facts=[f.id for f in ada.facts(current=False)])
        assert store.search(FACTS) == []
        assert store.list_namespaces() == []

    def test_a_fact_that_stands_in_its_page_is_found_among_the_facts(
        self, memory: MemoryOS, store: MemoryOSStore
    ) -> None:
        talked(memory)
        learnt = {f.id: f.text for f in memory.user("ada").facts()}
        about_clara = [i for i, text in learnt.items() if "Clara" in text]
        assert about_clara, "the extractive persona kept a sentence"
        found = store.search(FACTS, query="Who plays the violin?", limit=5)
        assert found[0].key in about_clara
        assert {i.key for i in found} <= learnt.keys()

    def test_two_threads_put_one_key(self, memory: MemoryOS, store: MemoryOSStore) -> None:
        ready = threading.Barrier(8)

        def put(number: int) -> None:
            ready.wait()
            store.put(FACTS, "home", {"text": f"Ada lives at number {number}", "n": number})

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(put, range(8)))
        item = store.get(FACTS, "home")
        assert item is not None
        assert texts(memory) == [f"Ada lives at number {item.value['n']}"]
        assert len(store.search(FACTS)) == 1

    def test_nothing_of_a_forgotten_fact_stays(self, memory: MemoryOS, store: MemoryOSStore) -> None:
        store.put(FACTS, "health", {"text": "Ada is allergic to nuts"})
        store.put(FACTS, "drink", {"text": "Ada drinks tea"})
        ada = memory.user("ada")
        (nuts,) = (f for f in ada.facts() if "nuts" in f.text)
        assert ada.forget(facts=[nuts]).notes == 1
        assert "nuts" not in json.dumps(list(ada.export()), default=str)
        assert keys(store.search(FACTS)) == ["drink"]

    def test_a_fact_and_its_name_are_written_together(
        self, memory: MemoryOS, store: MemoryOSStore, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        store.put(FACTS, "home", {"text": "Ada lives in Lisbon"})

        def killed(*_args: object) -> None:
            raise KeyboardInterrupt

        for value in ("Ada lives in Porto", "Ada lives in Faro"):
            with monkeypatch.context() as patch:
                patch.setattr("memoryos_core.stores.sql.writing.promotion.notes.write", killed)
                with pytest.raises(KeyboardInterrupt):
                    store.put(FACTS, "home", {"text": value})
            assert texts(memory, current=False) == ["Ada lives in Lisbon"]
            item = store.get(FACTS, "home")
            assert item is not None
            assert item.value == {"text": "Ada lives in Lisbon"}

    def test_names_are_no_notes_of_the_user(self, memory: MemoryOS, store: MemoryOSStore) -> None:
        store.put(FACTS, "home", {"text": "Ada lives in Lisbon"})
        store.put((*FACTS, "work"), "k", {"text": "My own drawer under facts"})
        assert store.list_namespaces() == [FACTS, (*FACTS, "work")]
        assert sorted(keys(store.search(FACTS))) == ["home", "k"]
        assert sorted(keys(store.search(FACTS, query="Lisbon drawer"))) == ["home", "k"]
        assert texts(memory) == ["Ada lives in Lisbon"]


class TestProfile:
    def test_fields_are_items(self, memory: MemoryOS, store: MemoryOSStore) -> None:
        talked(memory)
        profile = memory.user("ada").profile()
        name = store.get(PROFILE, "name")
        assert name is not None
        assert name.value["value"] == profile.get("name") == "Ada Byron"
        found = store.search(PROFILE, limit=99)
        assert {i.key for i in found} == {f.name for f in profile.fields} | {t.dimension for t in profile.traits}
        assert {i.key for i in store.search(PROFILE, query="anything", limit=99)} == {i.key for i in found}
        assert keys(store.search(PROFILE, filter={"value": "Ada Byron"})) == ["name"]
        assert store.get(PROFILE, "shoe size") is None

    @pytest.mark.parametrize("value", [{"value": "Eve"}, None])
    def test_it_is_read_only(self, memory: MemoryOS, store: MemoryOSStore, value: Any) -> None:
        with pytest.raises(InvalidInputError, match="read-only"):
            store.batch([PutOp(("ada", "x"), "k", {}), PutOp(PROFILE, "name", value)])
        assert memory.scopes() == []


class TestEpisodes:
    def test_pages_are_items(self, memory: MemoryOS, store: MemoryOSStore) -> None:
        page = memory.user("ada", session_id="s1").add("I bought a red kite", "Lovely!", user_name="Ada")
        memory.user("ada", session_id="s2").add("The kite flew away", "Oh no.")
        item = store.get(EPISODES, page.id)
        assert item is not None
        assert item.value == {
            "text": "Ada: I bought a red kite\nassistant: Lovely!",
            "messages": [
                {"role": "user", "text": "I bought a red kite", "name": "Ada"},
                {"role": "assistant", "text": "Lovely!"},
            ],
            "session_id": "s1",
            "tier": "short_term",
            "timestamp": page.timestamp.isoformat(),
        }
        assert item.updated_at == page.timestamp
        assert keys(store.search(EPISODES, filter={"session_id": "s1"})) == [page.id]
        assert store.get(EPISODES, "never was") is None

    def test_a_search_is_recall(self, memory: MemoryOS, store: MemoryOSStore) -> None:
        talked(memory)
        found = store.search(EPISODES, query="Who plays the violin?", limit=3)
        assert len(found) == 3
        assert all("violin" in i.value["text"] and i.namespace == EPISODES for i in found)
        assert found[0].score is not None
        assert 0.5 < found[0].score <= 1
        assert len({i.key for i in found}) == 3
        got = store.get(EPISODES, found[0].key)
        assert got is not None
        assert got.value == found[0].value

    def test_both_halves_of_a_page_are_one_item(self, memory: MemoryOS, store: MemoryOSStore) -> None:
        page = memory.user("ada").add("I bought a kite", "A kite is fun")
        assert keys(store.search(EPISODES, query="kite")) == [page.id]

    def test_a_rare_answer_is_found_behind_a_filter(self, memory: MemoryOS, store: MemoryOSStore) -> None:
        for number in range(90):
            memory.user("ada", session_id="common").add(f"kite kite kite number {number}", "yes")
        rare = memory.user("ada", session_id="rare").add("There was once, long ago, in that town, one kite too", "yes")
        assert keys(store.search(EPISODES, query="kite", filter={"session_id": "rare"}, limit=1)) == [rare.id]

    def test_deletion_forgets_the_page(self, memory: MemoryOS, store: MemoryOSStore) -> None:
        page, other = (memory.user("ada").add(f"The {c} kite", "yes") for c in ("red", "blue"))
        store.delete(EPISODES, page.id)
        assert keys(store.search(EPISODES)) == [other.id]
        assert "red" not in memory.user("ada").recall("Which kite?").text
        store.delete(EPISODES, page.id)

    def test_a_put_is_refused(self, memory: MemoryOS, store: MemoryOSStore) -> None:
        with pytest.raises(InvalidInputError, match="episodes are read-only"):
            store.put(EPISODES, "k", {"text": "invented"})
        assert memory.scopes() == []


class TestEverythingOfAUser:
    def test_one_question_reaches_all_shelves(self, memory: MemoryOS, store: MemoryOSStore) -> None:
        page = memory.user("ada").add("We saw a lighthouse on the cape", "How nice")
        store.put(FACTS, "f", {"text": "Ada collects lighthouse stamps"})
        store.put(("ada", "drafts", "poems"), "n", {"text": "O lighthouse, thou candle"})
        store.put(("eve", "drafts"), "e", {"text": "My lighthouse"})
        memory.user("eve").add("A lighthouse again", "Yes")
        found = store.search(("ada",), query="lighthouse")
        assert {(i.namespace, i.key) for i in found} == {
            (EPISODES, page.id),
            (FACTS, "f"),
            (("ada", "drafts", "poems"), "n"),
        }
        scores = [i.score for i in found]
        assert scores == sorted(scores, reverse=True)  # type: ignore[type-var]
        assert scores[0] is not None
        assert scores[0] > 0.5
        assert [i.key for i in store.search(("ada",), query="lighthouse", limit=0)] == []
        assert all(score is not None and 0 < score <= 1 for score in scores)

    def test_neither_kind_hides_the_other(self, memory: MemoryOS, store: MemoryOSStore) -> None:
        for number in range(20):
            memory.user("ada").add(f"The lighthouse, day {number}", "yes")
            store.put(("ada", "notes"), f"n{number}", {"text": f"lighthouse note {number}"})
        found = store.search(("ada",), query="lighthouse", limit=30)
        assert {i.namespace[1] for i in found} == {"episodes", "notes"}
        assert max(i.score or 0.0 for i in found) - min(i.score or 0.0 for i in found) < 0.2, "both match alike"

    def test_an_unrelated_item_does_not_outrank_a_fact(self, memory: MemoryOS, store: MemoryOSStore) -> None:
        store.put(FACTS, "f", {"text": "Ada keeps her sailing boat in the harbour of Faro"})
        store.put(("ada", "notes"), "n", {"text": "Buy bread, and a card for the harbour master"})
        first, second = store.search(("ada",), query="Where does Ada keep her sailing boat?, in which harbour?")
        assert (first.key, second.key) == ("f", "n")
        assert (second.score or 0.0) < 0.6 < (first.score or 0.0)
        strict = MemoryOSStore(memory, min_score=0.6)
        assert keys(strict.search(("ada",), query="Where does Ada keep her sailing boat?, in which harbour?")) == ["f"]

    def test_last_updated_first_over_all_shelves(self, ticking: MemoryOS) -> None:
        store = MemoryOSStore(ticking)
        store.put(("ada", "x"), "first", {"n": 1})
        store.put(("ada", "x"), "second", {"n": 2})
        page = ticking.user("ada").add("third", "yes")
        store.put(FACTS, "fourth", {"text": "fourth"})
        store.put(("ada", "x"), "first", {"n": 5})
        assert keys(store.search(("ada",))) == ["first", "fourth", page.id, "second"]
        assert keys(store.search(("ada",), limit=2, offset=1)) == ["fourth", page.id]
        first = store.get(("ada", "x"), "first")
        assert first is not None
        assert first.created_at < first.updated_at

    def test_all_shelves_are_listed(self, memory: MemoryOS, store: MemoryOSStore) -> None:
        talked(memory)
        store.put(("ada", "x", "y"), "k", {})
        assert store.list_namespaces(prefix=("ada",)) == [EPISODES, FACTS, PROFILE, ("ada", "x", "y")]
        assert store.list_namespaces(suffix=("facts",)) == [FACTS]
        assert store.list_namespaces(prefix=("*", "profile")) == [PROFILE]
        assert store.list_namespaces(max_depth=1) == [("ada",)]

    def test_an_empty_question_lists(self, memory: MemoryOS, store: MemoryOSStore) -> None:
        store.put(("ada", "x"), "k", {"text": "tea"}, index=False)
        assert keys(store.search(("ada",), query="  ")) == ["k"]
        assert store.search(("ada",), query="tea") == []

    def test_meaning_is_searched_where_the_embedder_knows_it(self, path: str) -> None:
        config = MemoryConfig(worker=WorkerConfig(mode="manual"))
        embedder = KeywordEmbedder(synonyms={"automobile": "car"})
        with MemoryOS(path, embedder=embedder, config=config) as memory:
            store = MemoryOSStore(memory)
            store.put(FACTS, "f", {"text": "Ada owns a red car"})
            store.put(("ada", "x"), "n", {"text": "the car needs new tyres"})
            store.put(("ada", "x"), "other", {"text": "tea"}, index=False)
            assert sorted(keys(store.search(("ada",), query="automobile"))) == ["f", "n"]


class TestBorders:
    USERS = ("user-1", "user-10", "USER-1", "user%", "user_1", "%", "_", "*", "facts")

    @pytest.mark.parametrize("shelf", ["facts", "episodes"])
    def test_a_user_sees_nothing_of_another(self, memory: MemoryOS, store: MemoryOSStore, shelf: str) -> None:
        for user in self.USERS:
            memory.user(user).add(f"The tea of [{user}]", "yes")
            store.put((user, "facts"), "k", {"text": f"The tea of [{user}]"})
        for mine in self.USERS:
            for query in (None, "tea"):
                found = store.search((mine, shelf), query=query, limit=99)
                assert len(found) == 1
                assert f"[{mine}]" in found[0].value["text"]
            assert store.list_namespaces(prefix=(mine,)) == [
                (u, s) for u in sorted(self.USERS) for s in ("episodes", "facts") if mine in ("*", u)
            ]
        page_of_another = store.search(("user-10", "episodes"))[0].key
        fact_of_another = memory.user("user-10").facts()[0].id
        store.delete(("user-1", "episodes"), page_of_another)
        store.delete(("user-1", "facts"), fact_of_another)
        assert store.get(("user-1", "episodes"), page_of_another) is None
        assert store.get(("user-1", "facts"), fact_of_another) is None
        assert store.get(("user-10", "episodes"), page_of_another) is not None
        assert store.get(("user-10", "facts"), fact_of_another) is not None

    def test_an_assistant_sees_nothing_of_another(self, memory: MemoryOS, store: MemoryOSStore) -> None:
        other = MemoryOSStore(memory, assistant_id="assistant-2")
        store.put(("ada", "x"), "k", {"n": 1})
        other.put(("eve", "x"), "k", {"n": 2})
        assert other.get(("ada", "x"), "k") is None
        assert other.search(("ada",)) == []
        assert store.list_namespaces() == [("ada", "x")]
        assert other.list_namespaces() == [("eve", "x")]

    def test_reading_makes_no_user(self, memory: MemoryOS, store: MemoryOSStore) -> None:
        for rest in ((), ("facts",), ("profile",), ("episodes",), ("x",)):
            assert store.get(("ghost", *rest), "k") is None
            assert store.search(("ghost", *rest)) == []
            assert store.search(("ghost", *rest), query="tea") == []
            if rest != ("profile",):
                store.delete(("ghost", *rest), "k")
        assert store.list_namespaces(prefix=("ghost",)) == []
        assert memory.scopes() == []

    def test_a_search_names_its_user(self, store: MemoryOSStore) -> None:
        with pytest.raises(InvalidInputError, match="search_all_users"):
            store.search(())

    def test_a_fact_is_got_and_put_again_without_reading_the_others(
        self, memory: MemoryOS, store: MemoryOSStore, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for n in range(3):
            store.put(FACTS, f"k{n}", {"text": f"Drinks tea {n}"})
        store.put(FACTS, "k1", {"text": "Drinks coffee"})
        by_id = memory.user("ada").facts("user")[-1].id
        read: list[int] = []
        facts = UserMemory.facts

        def counted(user: UserMemory, *args: Any, **kwargs: Any) -> list[Fact]:
            found = facts(user, *args, **kwargs)
            read.append(len(found))
            return found

        monkeypatch.setattr(UserMemory, "facts", counted)
        item = store.get(FACTS, "k1")
        assert item is not None
        assert item.value["text"] == "Drinks coffee"
        assert store.get(FACTS, by_id) is not None
        assert store.get(FACTS, "never put") is None
        store.put(FACTS, "k1", {"text": "Drinks coffee", "n": 1})
        assert max(read) == 1

    def test_a_listing_looks_at_no_more_users_than_it_needs(
        self, memory: MemoryOS, store: MemoryOSStore, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for n in range(12):
            store.put((f"user-{n:02}", "x"), "k", {"n": n})
            store.put((f"user-{n:02}", "facts"), "k", {"text": f"Drinks tea {n}"})
        looked_at: list[str] = []
        namespaces = Notes.namespaces

        def looked(notes: Notes) -> list[tuple[str, ...]]:
            looked_at.append(notes.scope.user_id)
            return namespaces(notes)

        monkeypatch.setattr(Notes, "namespaces", looked)
        for name in ("facts", "profile", "pages"):
            monkeypatch.setattr(UserMemory, name, None)
        assert store.list_namespaces(limit=3, offset=1) == [
            ("user-00", "x"), ("user-01", "facts"), ("user-01", "x")
        ]  # fmt: skip
        assert looked_at == ["user-00", "user-01"]
        assert len(store.list_namespaces(max_depth=1, limit=99)) == 12

    @pytest.mark.parametrize("bad", [(), ("a.b",), ("a", ""), ("a", 7), ("a", "b\x00")])
    def test_operations_are_checked_without_the_verbs(
        self, memory: MemoryOS, store: MemoryOSStore, bad: tuple[Any, ...]
    ) -> None:
        fine = PutOp(("ada", "x"), "k", {"n": 1})
        refused: list[Op] = [PutOp(bad, "k", {"n": 1}), PutOp(bad, "k", None), GetOp(bad, "k")]
        if bad:
            refused += [SearchOp(bad), ListNamespacesOp((MatchCondition("suffix", bad),))]
        for op in refused:
            with pytest.raises(InvalidNamespaceError):
                store.batch([fine, op])
        assert memory.scopes() == []

    @pytest.mark.parametrize(
        ("op", "error"),
        [
            (PutOp(("ada", "x"), "k", {}, ttl=0), InvalidInputError),
            (PutOp(("ada", "x"), "k", {}, ttl="5"), InvalidInputError),  # type: ignore[arg-type]
            (PutOp(("ada", "x"), "k", {"at": datetime(2026, 1, 1)}), InvalidInputError),
            (PutOp(("ada", "x"), "k", {"blob": b"x"}), InvalidInputError),
            (PutOp(("ada", "x"), "k", ["no", "dict"]), InvalidInputError),  # type: ignore[arg-type]
            (PutOp(("ada", "x"), 7, {}), InvalidInputError),  # type: ignore[arg-type]
            (PutOp(("ada", "x"), "", {}), InvalidInputError),
            (SearchOp(("ada",), limit=-1), InvalidInputError),
            (SearchOp(("ada",), offset=-1), InvalidInputError),
            (SearchOp(("ada",), filter={"n": {"$in": [1]}}), InvalidInputError),
            (PutOp(("ada", "x"), "x" * 600, {}), InvalidInputError),
            (PutOp(("ada", "x"), "a\x00", None), InvalidInputError),
            (PutOp(("ada", "x" * 600), "k", {}), InvalidInputError),
            (PutOp(("x" * 600, "x"), "k", {}), InvalidInputError),
            (PutOp(("ada", "x"), "k", {}, index="n"), InvalidInputError),  # type: ignore[arg-type]
            (PutOp(("ada", "x"), "k", nested(900)), InvalidInputError),
            (PutOp("ada", "k", {}), InvalidInputError),  # type: ignore[arg-type]
            (GetOp("ada", "k"), InvalidInputError),  # type: ignore[arg-type]
            (SearchOp("ada"), InvalidInputError),  # type: ignore[arg-type]
            (SearchOp(("ada",), limit="5"), InvalidInputError),  # type: ignore[arg-type]
            (SearchOp(("ada",), limit=None), InvalidInputError),  # type: ignore[arg-type]
            (SearchOp(("ada",), query=5), InvalidInputError),  # type: ignore[arg-type]
            (SearchOp(("ada",), filter=[1]), InvalidInputError),  # type: ignore[arg-type]
            (SearchOp(("ada",), filter=nested(5000)), InvalidInputError),
            (ListNamespacesOp(max_depth=-1), InvalidInputError),
        ],
    )
    def test_a_batch_is_done_whole_or_not_at_all(
        self, memory: MemoryOS, store: MemoryOSStore, op: Any, error: type[Exception]
    ) -> None:
        memory.user("ada").add("hello", "hello")
        fine, fact = PutOp(("ada", "x"), "fine", {"n": 1}), PutOp(FACTS, "a", {"text": "Ada drinks tea"})
        with pytest.raises(error):
            store.batch([fact, fine, op])
        assert store.get(("ada", "x"), "fine") is None
        assert texts(memory) == []

    def test_it_is_made_for_an_open_memory_and_an_assistant(self, memory: MemoryOS) -> None:
        with pytest.raises(InvalidInputError):
            MemoryOSStore(memory.user("ada"))  # type: ignore[arg-type]
        with pytest.raises(InvalidInputError):
            MemoryOSStore(memory, assistant_id="")

    def test_errors_carry_nothing_of_a_value(self, store: MemoryOSStore) -> None:
        with pytest.raises(InvalidInputError) as caught:
            store.put(("ada", "x"), "k", {"secret tea": {1, 2}})
        assert "secret" not in str(caught.value)
        assert caught.value.__cause__ is None

    def test_users_that_no_label_can_name_are_not_listed(self, memory: MemoryOS, store: MemoryOSStore) -> None:
        memory.user("ada@example.com").add("hello", "hello")
        memory.user("ada").notes.write([NoteWrite(("v1.2",), "k", "{}"), NoteWrite(("x",), "k", "{}")])
        assert store.list_namespaces() == [("ada", "x")]

    def test_notes_of_somebody_else_are_left_alone(self, memory: MemoryOS, store: MemoryOSStore) -> None:
        notes = memory.user("ada").notes
        notes.write(
            [NoteWrite(("x",), "list", "[1]"), NoteWrite(("x",), "broken", "{"), NoteWrite(("facts",), "f", "{}")]
        )
        notes.write([NoteWrite(("episodes",), "e", "{}", "tea"), NoteWrite(("x",), "good", '{"n": 1}', "tea")])
        assert keys(store.search(("ada",))) == ["good"]
        assert keys(store.search(("ada",), query="tea")) == ["good"]
        assert store.get(("ada", "x"), "list") is None
        assert store.get(FACTS, "f") is None
        assert store.get(EPISODES, "e") is None


class TestDurability:
    def test_everything_is_there_after_a_restart(self, path: str, memory: MemoryOS, store: MemoryOSStore) -> None:
        store.put(FACTS, "home", {"text": "Ada lives in Lisbon", "n": 1})
        store.put(("ada", "x"), "k", {"n": 2})
        before = [store.get(FACTS, "home"), store.get(("ada", "x"), "k")]
        memory.close()
        with pytest.raises(ClosedError):
            store.get(FACTS, "home")
        with MemoryOS(path, embedder=None) as again:
            other = MemoryOSStore(again)
            assert [other.get(FACTS, "home"), other.get(("ada", "x"), "k")] == before
            assert keys(other.search(("ada",), query="Lisbon")) == ["home"]

    def test_two_memories_on_one_file_see_each_other(self, path: str, store: MemoryOSStore) -> None:
        with MemoryOS(path, embedder=None) as second:
            other = MemoryOSStore(second)
            store.put(FACTS, "home", {"text": "Ada lives in Lisbon"})
            store.put(("ada", "x"), "k", {"text": "a kite"})
            assert keys(other.search(("ada",), query="Lisbon kite")) == keys(
                store.search(("ada",), query="Lisbon kite")
            )
            other.put(FACTS, "home", {"text": "Ada lives in Porto"})
            other.delete(("ada", "x"), "k")
            item = store.get(FACTS, "home")
            assert item is not None
            assert item.value == {"text": "Ada lives in Porto"}
            assert store.get(("ada", "x"), "k") is None

    def test_forgetting_a_user_takes_the_items(self, memory: MemoryOS, store: MemoryOSStore) -> None:
        store.put(FACTS, "home", {"text": "Ada lives in Lisbon"})
        store.put(("ada", "x"), "k", {"n": 2})
        memory.user("ada").forget(everything=True)
        assert store.search(("ada",)) == []
        assert store.list_namespaces() == []

    def test_items_travel_with_an_export(self, memory: MemoryOS, store: MemoryOSStore, tmp_path: Path) -> None:
        store.put(FACTS, "home", {"text": "Ada lives in Lisbon", "n": 1})
        store.put(("ada", "x"), "k", {"n": 2})
        with MemoryOS(f"sqlite:///{tmp_path}/other.db", embedder=None) as other:
            other.restore(memory.user("ada").export())
            moved = MemoryOSStore(other)
            assert moved.get(FACTS, "home") == store.get(FACTS, "home")
            assert moved.get(("ada", "x"), "k") == store.get(("ada", "x"), "k")

    def test_a_turn_with_tools_is_an_episode_with_all_its_messages(
        self, memory: MemoryOS, store: MemoryOSStore
    ) -> None:
        memory.user("ada").add_messages(
            [
                Message("user", "What is the weather?"),
                Message("assistant", "", calls=("c1",)),
                Message("tool", "rain", answers="c1"),
                Message("assistant", "It rains."),
            ]
        )
        (item,) = store.search(EPISODES)
        assert item.value["text"] == "user: What is the weather?\nassistant: It rains."
        assert [m["role"] for m in item.value["messages"]] == ["user", "assistant", "tool", "assistant"]
