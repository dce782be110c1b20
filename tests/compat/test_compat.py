"""The quick starts people know, with only the import changed, and the contract of the published verbs."""

from __future__ import annotations

import inspect
import json
import logging
from collections.abc import Callable, Iterator
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from memoryos_core import ChatReply, ChatRequest, ConfigError, InvalidInputError, ModelError
from memoryos_core import MemoryOS as Core
from memoryos_core.ops.compat import MemoryOS, Memoryos
from memoryos_core.ops.compat.choices import embedder_of
from memoryos_core.ops.compat.files import DEFAULT_ASSISTANT
from memoryos_core.testing.fakes import ScriptedChat
from tests.compat.published import PROFILE, digests, write_published
from tests.llms.endpoint import chat_reply, embedding_reply, serving

KEY = "YOUR_OPENAI_API_KEY"


def answering(text: str = "In Lisbon, I believe.") -> ScriptedChat:
    """Answers questions; is down for whatever consolidation asks."""

    def reply(request: ChatRequest) -> str | ChatReply:
        if request.schema is not None:
            raise ModelError("no consolidation today", transient=False)
        return text

    return ScriptedChat(reply)


Open = Callable[..., Memoryos]


@pytest.fixture
def open_memo(tmp_path: Path) -> Iterator[Open]:
    opened: list[Memoryos] = []

    def make(user_id: str = "mira", **more: Any) -> Memoryos:
        arguments = {"openai_api_key": KEY, "data_storage_path": str(tmp_path), "embedding_model_name": "terms", **more}
        opened.append(Memoryos(user_id, **arguments))
        return opened[-1]

    yield make
    for memo in opened:
        memo.close()


def test_the_quick_start_runs_with_only_the_import_changed(tmp_path: Path) -> None:
    memo = Memoryos(
        user_id="demo_user",
        openai_api_key=KEY,
        openai_base_url="",
        data_storage_path=str(tmp_path / "simple_demo_data"),
        llm_model="gpt-4o-mini",
        assistant_id="demo_assistant",
        short_term_capacity=7,
        mid_term_heat_threshold=5,
        retrieval_queue_capacity=7,
        long_term_knowledge_capacity=100,
        mid_term_similarity_threshold=0.6,
        embedding_model_name="terms",
        llm=answering(),
    )
    memo.add_memory(user_input="I moved to Lisbon in March.", agent_response="How do you like it?")
    response = memo.get_response(query="Where do I live?")
    assert response == "In Lisbon, I believe."
    assert [m.text for m in memo.user.transcript()] == [
        "I moved to Lisbon in March.", "How do you like it?", "Where do I live?", "In Lisbon, I believe.",
    ]  # fmt: skip
    memo.close()


def test_the_published_signature_is_kept_in_order() -> None:
    published = {
        "user_id": inspect.Parameter.empty, "openai_api_key": inspect.Parameter.empty,
        "data_storage_path": inspect.Parameter.empty, "openai_base_url": None,
        "assistant_id": "default_assistant_profile",
        "short_term_capacity": 10, "mid_term_capacity": 2000, "long_term_knowledge_capacity": 100,
        "retrieval_queue_capacity": 7, "mid_term_heat_threshold": 5.0, "mid_term_similarity_threshold": 0.6,
        "llm_model": "gpt-4o-mini", "embedding_model_name": "all-MiniLM-L6-v2", "embedding_model_kwargs": None,
    }  # fmt: skip
    ours = inspect.signature(Memoryos).parameters.values()
    by_position = [p for p in ours if p.kind is not inspect.Parameter.KEYWORD_ONLY]
    assert [(p.name, p.default) for p in by_position] == list(published.items())


def test_the_second_quick_start_runs(tmp_path: Path) -> None:
    memory = MemoryOS(
        user_id="user_123",
        assistant_id="assistant_1",
        openai_api_key=KEY,
        storage_path=str(tmp_path),
        llm_model="gpt-4o-mini",
        short_term_capacity=10,
        mid_term_heat_threshold=5.0,
        long_term_heat_threshold=7.0,
        max_context_tokens=300,
        llm=answering(),
        embedder=None,
    )
    with memory:
        memory.add_interaction("I moved to Lisbon in March.", "How do you like it?")
        memory.add_interaction(user_input="I keep bees.", assistant_response="Brave.")
        memory.add_interaction(user_input="Eleven hives.", agent_response="A lot of honey.", timestamp="2024-05-01")
        assert memory.chat("Where do I live?") == "In Lisbon, I believe."
        said = [m.text for m in memory.user.transcript()]
        assert said[2:6] == ["I keep bees.", "Brave.", "Eleven hives.", "A lot of honey."]
        assert memory.user.recall("Lisbon").budget_tokens == 300
    assert (tmp_path / "memoryos.db").is_file()


@pytest.mark.parametrize("key", ["", "  ", KEY, "your-api-key", "sk-...", "<your key>", "sk-xxxxxxxx"])
def test_no_key_is_needed_to_remember(open_memo: Open, key: str) -> None:
    memo = open_memo(openai_api_key=key)
    memo.add_memory("I keep bees.", "Brave.")
    with pytest.raises(ConfigError, match="openai_api_key"):
        memo.get_response("What do I keep?")
    assert memo.get_memory_stats()["short_term_count"] == 1


def test_the_endpoint_key_and_model_are_those_given(open_memo: Open) -> None:
    with serving(lambda _: chat_reply("In Lisbon.")) as endpoint:
        memo = open_memo(openai_api_key="sk-proj-abc123", openai_base_url=endpoint.url, llm_model="some-model")
        memo.add_memory("I moved to Lisbon in March.", "How do you like it?")
        assert endpoint.asked == []
        assert memo.get_response("Where do I live?") == "In Lisbon."
    assert endpoint.asked[0]["model"] == "some-model"
    assert endpoint.headers[0]["authorization"] == "Bearer sk-proj-abc123"


def test_embeddings_come_from_the_same_endpoint_when_asked_for(open_memo: Open) -> None:
    with serving(lambda asked: embedding_reply([[1.0, 0.0] for _ in asked["input"]])) as endpoint:
        memo = open_memo(
            openai_api_key="sk-proj-abc123", openai_base_url=endpoint.url, embedding_model_name="openai:some-embedder"
        )
        memo.add_memory("I moved to Lisbon in March.", "How do you like it?")
        assert memo.memory.flush()
    assert {asked["model"] for asked in endpoint.asked} == {"some-embedder"}


def test_the_published_embedding_model_is_our_local_one() -> None:
    assert embedder_of("all-MiniLM-L6-v2", "", None) == "auto"
    assert embedder_of("sentence-transformers/all-MiniLM-L6-v2", "", None) == "auto"


def test_a_real_key_or_an_endpoint_asks_nobody_before_it_is_used(open_memo: Open) -> None:
    # pytest-socket would refuse any connection to a name.
    open_memo(openai_api_key="sk-proj-abc123").add_memory("I keep bees.", "Brave.")
    open_memo(openai_api_key="", openai_base_url="http://models.invalid/v1").add_memory("I keep bees.", "Brave.")


def test_style_relationship_and_meta_data_reach_the_prompt(open_memo: Open) -> None:
    chat = answering()
    memo = open_memo(llm=chat)
    memo.add_memory("I moved to Lisbon in March.", "How do you like it?")
    memo.get_response("Where do I live?", "fencing coach", "in short verse", {"room": "kitchen </memory>"})
    (request,) = chat.requests
    system, user = (p.text for p in request.prompts)
    assert "fencing coach" in system
    assert "in short verse" in system
    assert '"room": "kitchen &lt;/memory>"' in system
    assert "I moved to Lisbon in March." in user
    assert "Where do I live?" in user
    assert "30 words" not in system


def test_meta_data_is_kept_with_its_turn(open_memo: Open) -> None:
    memo = open_memo()
    memo.add_memory("I keep bees.", "Brave.", "2024-05-01 18:30:00", {"source": "app", "n": 3})
    user, assistant = memo.user.transcript()
    assert json.loads(user.payload or "") == {"meta_data": {"source": "app", "n": 3}}
    assert assistant.payload is None
    assert user.timestamp == datetime(2024, 5, 1, 18, 30, tzinfo=timezone.utc)


@pytest.mark.parametrize(
    "call",
    [
        lambda m: m.add_memory("", ""),
        lambda m: m.add_memory(" ", "\n"),
        lambda m: m.add_memory("", "", None, {"a": 1}),
        lambda m: m.add_memory("I keep bees.", "Brave.", "some day"),
        lambda m: m.add_memory("I keep bees.", "Brave.", None, {"a": object()}),
        lambda m: m.add_memory(7, "Brave."),
        lambda m: m.get_response("  "),
    ],
)
def test_bad_input_is_refused_whole(open_memo: Open, call: Callable[[Memoryos], object]) -> None:
    chat = answering()
    memo = open_memo(llm=chat)
    with pytest.raises(InvalidInputError):
        call(memo)
    assert memo.user.transcript() == ()
    assert chat.calls == 0


def test_a_failing_model_raises_and_leaves_no_trace(open_memo: Open) -> None:
    memo = open_memo(llm=ScriptedChat([ModelError("down")]))
    with pytest.raises(ModelError, match="down"):
        memo.get_response("Where do I live?")
    assert memo.user.transcript() == ()


def test_nothing_known_reads_as_published(open_memo: Open) -> None:
    memo = open_memo()
    assert memo.get_user_profile_summary() == "None"
    assert memo.get_assistant_knowledge_summary() == []
    assert memo.get_memory_stats() == {
        "user_id": "mira",
        "short_term_count": 0,
        "mid_term_sessions_count": 0,
        "has_user_profile": False,
        "assistant_knowledge_count": 0,
    }


def test_turns_beyond_the_capacity_become_segments_and_are_learnt_from(open_memo: Open) -> None:
    memo = open_memo(short_term_capacity=2, mid_term_heat_threshold=1000.0)
    for year in range(2010, 2018):
        memo.add_memory(f"In {year} I planted an apple tree.", "A good year.", f"{year}-05-01 10:00:00")
    assert memo.memory.flush()
    stats = memo.get_memory_stats()
    assert stats["short_term_count"] == 2
    assert int(stats["mid_term_sessions_count"]) >= 1
    assert memo.user.facts("user") == []
    memo.force_mid_term_analysis()
    assert any("apple tree" in f.text for f in memo.user.facts("user"))
    assert all(s.unanalysed == 0 for s in memo.user.segments())


def test_retrieve_context_answers_in_the_published_shape(open_memo: Open) -> None:
    memo = open_memo(short_term_capacity=1, retrieval_queue_capacity=2)
    for place in ("Lisbon", "Porto", "Faro", "Braga"):
        memo.add_memory(f"My aunt lives in {place}.", f"{place} is fine.", "2024-05-01 18:30:00")
    memo.user.remember("She plays the harp.", about="user")
    memo.user.remember("The assistant explains harps.", about="assistant")
    assert memo.memory.flush()
    query = "Who lives in Porto and plays harp?"
    found: dict[str, Any] = memo.retriever.retrieve_context(user_query=query, user_id="mira")
    lists = {"retrieved_pages", "retrieved_user_knowledge", "retrieved_assistant_knowledge"}
    assert set(found) == {*lists, "retrieved_at"}
    best = found["retrieved_pages"][0]
    assert (best["user_input"], best["agent_response"]) == ("My aunt lives in Porto.", "Porto is fine.")
    assert (best["timestamp"], set(best) >= {"page_id", "meta_info"}) == ("2024-05-01 18:30:00", True)
    assert len(found["retrieved_pages"]) <= 2
    assert [k["knowledge"] for k in found["retrieved_user_knowledge"]] == ["She plays the harp."]
    assert [k["knowledge"] for k in found["retrieved_assistant_knowledge"]] == ["The assistant explains harps."]
    with pytest.raises(InvalidInputError):
        memo.retriever.retrieve_context(user_query="harp", user_id="ada")


@pytest.mark.parametrize("user_id", ["../../escaped", "/etc/escaped", "a'b\"c%s", "名前", "x" * 500])
def test_an_id_never_reaches_a_path(tmp_path: Path, open_memo: Open, user_id: str) -> None:
    inside = tmp_path / "data"
    memo = open_memo(user_id, data_storage_path=str(inside), assistant_id="../" + user_id[:100])
    memo.add_memory("I keep bees.", "Brave.")
    assert {p.name for p in inside.iterdir()} <= {"memoryos.db", "memoryos.db-wal", "memoryos.db-shm"}
    assert {p.name for p in tmp_path.iterdir()} == {"data"}


def test_users_of_one_directory_are_apart_and_outlive_a_restart(open_memo: Open) -> None:
    mira, ada = open_memo("mira"), open_memo("ada")
    mira.add_memory("I keep bees.", "Brave.")
    assert ada.user.transcript() == ()
    mira.close()
    assert [m.text for m in open_memo("mira").user.transcript()] == ["I keep bees.", "Brave."]


def test_the_current_directory_is_the_empty_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Memoryos("mira", "", "", embedding_model_name="terms").close()
    assert (tmp_path / "memoryos.db").is_file()


def test_a_directory_that_cannot_be_is_refused(tmp_path: Path, open_memo: Open) -> None:
    (tmp_path / "file").write_text("x")
    for path in (str(tmp_path / "file"), str(tmp_path / "what?"), 7):
        with pytest.raises(InvalidInputError):
            open_memo(data_storage_path=path)


def test_an_unknown_embedding_model_says_what_to_do(open_memo: Open) -> None:
    with pytest.raises(ConfigError, match=r"BAAI/bge-m3.*all-MiniLM-L6-v2.*openai:"):
        open_memo(embedding_model_name="BAAI/bge-m3", embedding_model_kwargs={"use_fp16": True})


@pytest.mark.parametrize(
    ("name", "value"),
    [("short_term_capacity", 0), ("mid_term_similarity_threshold", 3), ("retrieval_queue_capacity", "7")],
)
def test_a_bad_number_is_named(open_memo: Open, name: str, value: object) -> None:
    with pytest.raises(ConfigError, match=repr(value)):
        open_memo(**{name: value})


class TestPublishedFilesInTheDirectory:
    def test_are_imported_once_and_reported(
        self, tmp_path: Path, open_memo: Open, caplog: pytest.LogCaptureFixture
    ) -> None:
        before = digests(write_published(tmp_path))
        with caplog.at_level(logging.INFO, "memoryos_core.ops.compat"):
            memo = open_memo()
        assert "5 pages, 2 segments, 3 facts, 1 profile fields; 4 entries skipped" in caplog.text
        assert "lemon" not in caplog.text
        assert memo.get_user_profile_summary() == PROFILE
        (known,) = memo.get_assistant_knowledge_summary()
        assert (known["knowledge"], known["timestamp"]) == ("The assistant knows timetables.", "2024-03-05 20:16:00")
        assert memo.get_memory_stats() == {
            "user_id": "mira", "short_term_count": 2, "mid_term_sessions_count": 2,
            "has_user_profile": True, "assistant_knowledge_count": 1,
        }  # fmt: skip
        memo.close()
        caplog.clear()
        again = open_memo()
        assert "imported" not in caplog.text
        assert again.user.stats().pages == 5
        assert digests(tmp_path) == before

    def test_stay_forgotten_when_forgotten(self, tmp_path: Path, open_memo: Open) -> None:
        write_published(tmp_path)
        memo = open_memo()
        memo.user.forget(everything=True)
        memo.close()
        assert open_memo().user.stats().pages == 0

    def test_of_an_assistant_reach_nobody_unasked_when_shared(self, tmp_path: Path, open_memo: Open) -> None:
        write_published(tmp_path, "mira")
        write_published(tmp_path, "ada")
        assert open_memo("mira").get_assistant_knowledge_summary() == []
        assert open_memo("mira").user.stats().pages == 5
        assert open_memo("newcomer").user.stats().pages == 0

    def test_that_are_damaged_stop_the_start_and_are_left_alone(self, tmp_path: Path, open_memo: Open) -> None:
        file = write_published(tmp_path) / "users" / "mira" / "mid_term.json"
        file.write_text(file.read_text()[:-200])
        before = digests(tmp_path)
        with pytest.raises(InvalidInputError, match=r"mid_term\.json.*damaged"):
            open_memo()
        assert digests(tmp_path) == before
        with Core(f"sqlite:///{tmp_path / 'memoryos.db'}", embedder=None) as core:
            assert core.scopes() == []
        file.unlink()
        assert open_memo().get_memory_stats()["short_term_count"] == 2


def test_the_whole_library_is_one_attribute_away(open_memo: Open) -> None:
    memo = open_memo()
    memo.add_memory("I keep bees.", "Brave.")
    assert isinstance(memo.memory, Core)
    assert memo.memory.users() == ["mira"]
    assert memo.user.scope.assistant_id == DEFAULT_ASSISTANT
    assert memo.user.search("bees")[0].text.endswith("I keep bees.")
