"""The retriever: what it finds and says of it, in LlamaIndex's engines, for one user only, off the loop."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta, timezone
from typing import Any
from uuid import UUID

import pytest
from blockbuster import BlockBuster
from llama_index.core import QueryBundle, Settings
from llama_index.core.callbacks import CallbackManager, LlamaDebugHandler
from llama_index.core.chat_engine import ContextChatEngine
from llama_index.core.instrumentation.event_handlers import BaseEventHandler
from llama_index.core.instrumentation.events import BaseEvent
from llama_index.core.instrumentation.events.retrieval import RetrievalEndEvent, RetrievalStartEvent
from llama_index.core.llms import MockLLM
from llama_index.core.memory import ChatMemoryBuffer
from llama_index.core.postprocessor import SimilarityPostprocessor
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.retrievers import QueryFusionRetriever
from llama_index.core.schema import MetadataMode, NodeWithScore, TextNode
from llama_index.core.tools import RetrieverTool
from llama_index_instrumentation import get_dispatcher
from pydantic import PrivateAttr

from memoryos_core import AsyncMemoryOS, ClosedError, InvalidInputError, MemoryOS, StoreError
from memoryos_llamaindex.retriever import MemoryOSRetriever
from tests.llamaindex.scripted import ScriptedLLM

SPRING = datetime(2024, 5, 5, 10, tzinfo=timezone.utc)
LISBON = "Ann moved to Lisbon"


@pytest.fixture
def seeded(memory: MemoryOS) -> MemoryOS:
    """Ann, with two sessions and a fact; Bob, who says something else about the same place."""
    work, home = (memory.user("ann", session_id=name) for name in ("work", "home"))
    work.add(LISBON, "How is it there?", timestamp=SPRING)
    work.add("The tram in Lisbon is slow", "Yellow trams are", timestamp=SPRING + timedelta(days=30))
    home.add("My cat hates moving", "Cats do", timestamp=SPRING + timedelta(days=60))
    work.remember("Works in Lisbon")
    memory.user("bob").add("Lisbon bores me")
    return memory


def hills(memory: MemoryOS) -> None:
    """Fill Ann's short-term memory, so that there are segments."""
    ann = memory.user("ann", session_id="work")
    for i in range(30):
        ann.add(f"Lisbon has hill number {i}", f"Hill {i} noted")
    ann.consolidate()


def texts(found: Sequence[NodeWithScore]) -> set[str]:
    return {n.get_content() for n in found}


def ids(found: Sequence[NodeWithScore]) -> list[str]:
    """What was found, in order; scores move a little with the clock."""
    return [n.node_id for n in found]


# -------------------------------------------------------------------------------------------- nodes


def test_a_node_says_where_it_comes_from(seeded: MemoryOS) -> None:
    found = MemoryOSRetriever(seeded, user_id="ann").retrieve("Who moved to Lisbon?")
    turn = next(n for n in found if LISBON in n.get_content())
    page = seeded.user("ann", session_id="work").search("moved to Lisbon", 1)[0].id
    assert turn.node_id == f"{page}:0"
    assert turn.get_content() == f"user: {LISBON}"
    assert turn.metadata == {
        "id": f"{page}:0",
        "tier": "short_term",
        "kind": "page",
        "session_id": "work",
        "segment_id": None,
        "page_ids": [page],
        "about": "user",
        "timestamp": SPRING.isoformat(),
        "trust": "user",
        "written_by": [],
        "date": "2024-05-05",
    }
    fact = next(n for n in found if n.metadata["kind"] == "fact")
    assert (fact.node_id, fact.get_content()) == (seeded.user("ann").facts()[0].id, "Works in Lisbon")
    assert (fact.metadata["tier"], fact.metadata["page_ids"]) == ("long_term", [])


def test_the_best_comes_first_and_metadata_is_strict_json(seeded: MemoryOS) -> None:
    found = MemoryOSRetriever(seeded, user_id="ann").retrieve("Lisbon")
    scores = [n.score for n in found]
    assert scores == sorted(scores, key=lambda s: -(s or 0.0))
    assert len(set(scores)) > 1
    for node in found:
        assert json.loads(json.dumps(node.metadata, allow_nan=False)) == node.metadata
        assert TextNode.from_dict(json.loads(node.node.to_json())).metadata == node.metadata


@pytest.mark.parametrize("mode", [MetadataMode.LLM, MetadataMode.EMBED])
def test_a_model_is_shown_text_and_date_only(seeded: MemoryOS, mode: MetadataMode) -> None:
    (node,) = MemoryOSRetriever(seeded, user_id="ann", k=1, session_id="home").retrieve("cat hates")
    assert node.node.get_content(metadata_mode=mode) == "date: 2024-07-04\n\nuser: My cat hates moving"


def test_texts_are_verbatim(memory: MemoryOS) -> None:
    odd = "Dog {query_str} {context_str} <b>\n\n  {0} %s 🐕 \u2028 end"
    memory.user("ann").add(odd)
    shown = "user: Dog {query_str} {context_str} <b>\n\n    {0} %s 🐕 \n   end"  # every line but the first is set in
    assert texts(MemoryOSRetriever(memory, user_id="ann").retrieve("dog")) == {shown}


def test_nodes_of_mid_term_memory_name_their_segment_and_two_searches_give_equal_ones(seeded: MemoryOS) -> None:
    hills(seeded)
    retriever = MemoryOSRetriever(seeded, user_id="ann", tiers=("mid_term",), k=3)
    found = retriever.retrieve("Lisbon hill")
    segments = {s.id for s in seeded.user("ann").segments()}
    assert len(found) == 3
    assert {n.metadata["segment_id"] for n in found} <= segments
    again = {n.node_id: n for n in retriever.retrieve("Which hill, of all in Lisbon?")}
    twins = [(n.node, again[n.node_id].node) for n in found if n.node_id in again]
    assert twins
    assert all(one == other for one, other in twins)


def test_ids_and_hashes_are_unique_and_the_same_in_every_search_and_tier(seeded: MemoryOS) -> None:
    retriever = MemoryOSRetriever(seeded, user_id="ann", k=20)
    before = {n.node_id: n.node.hash for n in retriever.retrieve("Lisbon tram cat")}
    assert len(set(before.values())) == len(before) > 4  # both halves of a page are among them
    hills(seeded)
    after = {n.node_id: n.node.hash for n in retriever.retrieve("tram cat slow moved Lisbon")}
    common = before.keys() & after.keys()
    assert len(common) > 4
    assert all(before[i] == after[i] for i in common)


def test_same_words_said_twice_are_two_nodes(memory: MemoryOS) -> None:
    for name in ("one", "two"):
        memory.user("ann", session_id=name).add("The dog barks", timestamp=SPRING)
    found = MemoryOSRetriever(memory, user_id="ann").retrieve("dog")
    assert len(found) == len({n.node.hash for n in found}) == len({n.metadata["session_id"] for n in found})


def test_a_search_counts_nothing(seeded: MemoryOS) -> None:
    hills(seeded)
    ann = seeded.user("ann")
    before = [r for r in ann.export() if r["kind"] in ("segment", "fact")]
    MemoryOSRetriever(seeded, user_id="ann").retrieve("Lisbon hill")
    seeded.flush()
    assert [r for r in ann.export() if r["kind"] in ("segment", "fact")] == before
    assert before


# ------------------------------------------------------------------------------ k, filters, bad values


NARROWINGS: list[tuple[dict[str, Any], Callable[[dict[str, Any]], bool]]] = [
    ({"session_id": "home"}, lambda m: m["session_id"] == "home"),
    ({"tiers": ["long_term"]}, lambda m: m["tier"] == "long_term"),
    ({"since": SPRING + timedelta(days=1)}, lambda m: m["timestamp"] > SPRING.isoformat()),
    ({"until": SPRING + timedelta(days=1)}, lambda m: m["timestamp"] == SPRING.isoformat()),
    ({"until": datetime(2024, 5, 6)}, lambda m: m["timestamp"] == SPRING.isoformat()),
    ({"k": 2}, lambda m: True),
]


@pytest.mark.parametrize(
    ("narrowing", "admits"), NARROWINGS, ids=[str(next(iter(n))) + str(i) for i, (n, _) in enumerate(NARROWINGS)]
)
async def test_k_and_filters(
    seeded: MemoryOS, narrowing: dict[str, Any], admits: Callable[[dict[str, Any]], bool]
) -> None:
    everything = MemoryOSRetriever(seeded, user_id="ann", k=20).retrieve("Lisbon cat")
    held = MemoryOSRetriever(seeded, user_id="ann", **{"k": 20, **narrowing})
    found = held.retrieve("Lisbon cat")
    assert 0 < len(found) < len(everything)
    assert all(admits(n.metadata) for n in found)
    assert ids(await held.aretrieve("Lisbon cat")) == ids(found)


@pytest.mark.parametrize(
    "bad",
    [
        {"k": 0},
        {"k": True},
        {"k": "3"},
        {"tiers": ("secret",)},
        {"tiers": "mid_term"},
        {"since": "yesterday"},
        {"until": 3},
        {"session_id": True},
        {"session_id": 1.5},
        {"session_id": " "},
        {"user_id": ""},
        {"user_id": True},
        {"user_id": None},
        {"assistant_id": b"x"},
        {"assistant_id": " "},
    ],
    ids=str,
)
def test_bad_values_are_refused_at_construction(seeded: MemoryOS, bad: dict[str, Any]) -> None:
    with pytest.raises(InvalidInputError, match=next(iter(bad))):
        MemoryOSRetriever(seeded, **{"user_id": "ann", **bad})


@pytest.mark.parametrize("wrong", [None, "sqlite://", AsyncMemoryOS])
def test_what_is_no_open_memory_is_refused(wrong: Any) -> None:
    with pytest.raises(InvalidInputError, match="expected a MemoryOS"):
        MemoryOSRetriever(wrong, user_id="ann")


def test_a_user_must_be_named(seeded: MemoryOS) -> None:
    make: Any = MemoryOSRetriever
    with pytest.raises(TypeError, match="user_id"):
        make(seeded)


def test_k_may_be_set_later_and_is_checked_then(seeded: MemoryOS) -> None:
    retriever = MemoryOSRetriever(seeded, user_id="ann")
    retriever.k = 1
    assert len(retriever.retrieve("Lisbon")) == 1
    retriever.k = 0
    with pytest.raises(InvalidInputError, match="k=0"):
        retriever.retrieve("Lisbon")


def test_ids_may_be_numbers_and_uuids(memory: MemoryOS) -> None:
    for name in (7, UUID(int=7)):
        memory.user(str(name)).remember(f"Sings as {name!r}")
        assert texts(MemoryOSRetriever(memory, user_id=name).retrieve("sings")) == {f"Sings as {name!r}"}


def test_making_one_touches_neither_settings_nor_the_store(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = MemoryOS(path, embedder=None)
    memory.close()
    for name in ("_llm", "_embed_model", "_callback_manager"):
        monkeypatch.setattr(Settings, name, None)
    repr(MemoryOSRetriever(memory, user_id="ann"))
    assert (Settings._llm, Settings._embed_model, Settings._callback_manager) == (None, None, None)


async def test_errors_reach_the_caller(seeded: MemoryOS) -> None:
    retriever = MemoryOSRetriever(seeded, user_id="ann")
    seeded.close()
    with pytest.raises(ClosedError):
        retriever.retrieve("Lisbon")
    with pytest.raises(ClosedError):
        await retriever.aretrieve("Lisbon")


async def test_a_store_that_cannot_be_read_is_an_error(seeded: MemoryOS, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*args: Any, **kwargs: Any) -> Any:
        raise StoreError("the disk is gone")

    monkeypatch.setattr(type(seeded.user("ann")), "search", broken)
    retriever = MemoryOSRetriever(seeded, user_id="ann")
    with pytest.raises(StoreError, match="disk"):
        retriever.retrieve("Lisbon")
    with pytest.raises(StoreError, match="disk"):
        await retriever.aretrieve("Lisbon")


def test_printing_it_shows_whose_it_is_and_no_memory(seeded: MemoryOS) -> None:
    retriever = MemoryOSRetriever(seeded, user_id="ann", assistant_id="tutor")
    assert repr(retriever) == str(retriever) == "MemoryOSRetriever(user_id='ann', assistant_id='tutor', k=5)"


# -------------------------------------------------------------------------------------------- borders


async def test_one_user_never_sees_another(memory: MemoryOS) -> None:
    names = ["user-1", "user-10", "User-1", "user_1", "user%", "%", "_", "user-1 "]
    for name in names:
        memory.user(name).add(f"The secret of {name!r}")
        memory.user(name).remember(f"Fact secret {name!r}")
        memory.user(name, assistant_id="other").add(f"Other secret of {name!r}")
    for name in names:
        mine = MemoryOSRetriever(memory, user_id=name, k=50)
        expected = {f"user: The secret of {name!r}", f"Fact secret {name!r}"}
        assert texts(mine.retrieve("secret")) == texts(await mine.aretrieve("secret")) == expected
        other = MemoryOSRetriever(memory, user_id=name, assistant_id="other", k=50)
        assert texts(other.retrieve("secret")) == {f"user: Other secret of {name!r}"}


@pytest.mark.parametrize("query", ["", " \n\t", "\u3000", "zzyzx", QueryBundle("")], ids=repr)
async def test_a_question_without_an_answer_brings_nothing(seeded: MemoryOS, query: Any) -> None:
    retriever = MemoryOSRetriever(seeded, user_id="ann")
    assert retriever.retrieve(query) == await retriever.aretrieve(query) == []


async def test_texts_and_bundles_find_the_same(seeded: MemoryOS) -> None:
    retriever = MemoryOSRetriever(seeded, user_id="ann")
    expected = ids(retriever.retrieve("Lisbon"))
    bundles = [
        QueryBundle("Lisbon"),
        QueryBundle("Lisbon", embedding=[0.5] * 8),
        QueryBundle("Lisbon", custom_embedding_strs=["cat"]),
    ]
    for bundle in bundles:
        assert ids(retriever.retrieve(bundle)) == ids(await retriever.aretrieve(bundle)) == expected
    assert expected


# -------------------------------------------------------------------------------------------- engines


class OldestFirst(BaseNodePostprocessor):
    """Orders by what the metadata says."""

    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        return sorted(nodes, key=lambda n: str(n.metadata["timestamp"]))


async def test_a_query_engine(seeded: MemoryOS) -> None:
    engine = RetrieverQueryEngine.from_args(MemoryOSRetriever(seeded, user_id="ann", k=2), llm=MockLLM())
    for answer in (engine.query("Who moved to Lisbon?"), await engine.aquery("Who moved to Lisbon?")):
        assert LISBON in str(answer)  # MockLLM answers with its prompt
        assert "date: 2024-05-05" in str(answer)
        assert not [word for word in ("signals", "page_ids", "bores") if word in str(answer)]
        assert len(answer.source_nodes) == 2


def test_a_query_engine_of_somebody_unknown_finds_nothing(seeded: MemoryOS) -> None:
    engine = RetrieverQueryEngine.from_args(MemoryOSRetriever(seeded, user_id="nobody"), llm=MockLLM())
    answer: Any = engine.query("Who moved to Lisbon?")
    assert answer.source_nodes == []
    assert answer.response == "Empty Response"


@pytest.mark.parametrize("mode", ["compact", "refine", "tree_summarize", "accumulate", "simple_summarize"])
def test_variables_of_templates_in_what_was_said_are_not_filled_in(memory: MemoryOS, mode: Any) -> None:
    odd = "Dogs {query_str} {context_str} {existing_answer} {context_msg}"
    memory.user("ann").add(odd, "They bark")
    llm = ScriptedLLM(lambda messages: "Dogs do")
    retriever = MemoryOSRetriever(memory, user_id="ann")
    RetrieverQueryEngine.from_args(retriever, llm=llm, response_mode=mode).query("What do dogs do?")
    assert odd in str(llm.asked)


def test_postprocessors_cut_and_reorder(seeded: MemoryOS) -> None:
    retriever = MemoryOSRetriever(seeded, user_id="ann", k=20)
    scores = sorted(n.get_score() for n in retriever.retrieve("moved to Lisbon"))
    middle = (scores[0] + scores[-1]) / 2
    cut = SimilarityPostprocessor(similarity_cutoff=middle)
    engine = RetrieverQueryEngine.from_args(retriever, llm=MockLLM(), node_postprocessors=[cut, OldestFirst()])
    found = engine.query("moved to Lisbon").source_nodes
    assert 0 < len(found) < len(scores)
    moments = [n.metadata["timestamp"] for n in found]
    assert moments == sorted(moments)


async def test_a_tool_over_it(seeded: MemoryOS) -> None:
    tool = RetrieverTool.from_defaults(MemoryOSRetriever(seeded, user_id="ann", k=1), name="past", description="Past")
    for output in (tool.call("moved to Lisbon"), await tool.acall("moved to Lisbon")):
        assert output.content == f"date: 2024-05-05\n\nuser: {LISBON}\n\n"


@pytest.mark.parametrize("mode", ["simple", "reciprocal_rerank", "relative_score", "dist_based_score"])
async def test_fused_with_itself_it_brings_nothing_twice(seeded: MemoryOS, mode: Any) -> None:
    hills(seeded)
    retrievers: Any = [MemoryOSRetriever(seeded, user_id="ann", k=k) for k in (4, 8)]
    fused = QueryFusionRetriever(
        retrievers, llm=MockLLM(), mode=mode, num_queries=1, similarity_top_k=20, use_async=False
    )
    expected = set(ids(retrievers[1].retrieve("Lisbon hill")))
    for found in (fused.retrieve("Lisbon hill"), await fused.aretrieve("Lisbon hill")):
        assert len(found) == len(set(ids(found))) == 8
        assert set(ids(found)) == expected


async def test_a_context_chat_engine(seeded: MemoryOS) -> None:
    llm = ScriptedLLM(lambda messages: "In Lisbon")
    # LlamaIndex's default memory opens a database on a loop of its own, and closes neither.
    engine = ContextChatEngine.from_defaults(
        retriever=MemoryOSRetriever(seeded, user_id="ann", k=2), llm=llm, memory=ChatMemoryBuffer.from_defaults()
    )
    answers = [
        engine.chat("Who moved to Lisbon?"),
        await engine.achat("Who moved to Lisbon?"),
    ]
    streamed = engine.stream_chat("Who moved to Lisbon?")
    assert "".join(streamed.response_gen) == "In Lisbon"
    assert all(str(answer) == "In Lisbon" and len(answer.source_nodes) == 2 for answer in answers)
    assert len(llm.asked) == 3
    assert all(LISBON in str(messages[0]) and "bores" not in str(messages) for messages in llm.asked)


class Recorder(BaseEventHandler):
    """Keeps the events it is shown."""

    _seen: list[BaseEvent] = PrivateAttr(default_factory=list)

    @classmethod
    def class_name(cls) -> str:
        return "Recorder"

    @property
    def seen(self) -> list[BaseEvent]:
        return self._seen

    def handle(self, event: BaseEvent, **kwargs: Any) -> None:
        self._seen.append(event)


async def test_handlers_hear_of_every_search(seeded: MemoryOS) -> None:
    retriever = MemoryOSRetriever(seeded, user_id="ann")
    root, recorder = get_dispatcher(), Recorder()
    root.add_event_handler(recorder)
    try:
        found = [retriever.retrieve("Lisbon"), await retriever.aretrieve("Lisbon")]
    finally:
        root.event_handlers.remove(recorder)
    told = [e for e in recorder.seen if isinstance(e, (RetrievalStartEvent, RetrievalEndEvent))]
    assert [type(e) for e in told] == [RetrievalStartEvent, RetrievalEndEvent] * 2
    assert [ids(e.nodes) for e in told if isinstance(e, RetrievalEndEvent)] == [ids(f) for f in found]
    assert all(json.dumps(e.model_dump(mode="json")) for e in told)


def test_handlers_of_the_older_kind_hear_of_it_too(seeded: MemoryOS) -> None:
    handler = LlamaDebugHandler(print_trace_on_end=False)
    MemoryOSRetriever(seeded, user_id="ann", callback_manager=CallbackManager([handler])).retrieve("Lisbon")
    assert [e.event_type.value for e in handler.get_events()] == ["retrieve", "retrieve"]


# ---------------------------------------------------------------------------------- loops and threads


async def test_fifty_searches_at_once_never_block_the_loop(seeded: MemoryOS) -> None:
    expected = {name: ids(MemoryOSRetriever(seeded, user_id=name).retrieve("Lisbon")) for name in ("ann", "bob")}
    retrievers = {name: MemoryOSRetriever(seeded, user_id=name) for name in ("ann", "bob")}
    names = ["ann", "bob"] * 25
    guard = BlockBuster()
    guard.activate()
    try:
        found = await asyncio.gather(*(retrievers[name].aretrieve("Lisbon") for name in names))
    finally:
        guard.deactivate()
    assert [ids(f) for f in found] == [expected[name] for name in names]
    assert expected["ann"] != expected["bob"]


def test_one_retriever_serves_threads_and_loops(seeded: MemoryOS) -> None:
    retriever = MemoryOSRetriever(seeded, user_id="ann")
    expected = ids(retriever.retrieve("Lisbon"))

    def plain() -> list[str]:
        return ids(retriever.retrieve("Lisbon"))

    def in_a_loop() -> list[str]:
        loop = asyncio.new_event_loop()
        try:
            return ids(loop.run_until_complete(retriever.aretrieve("Lisbon")))
        finally:
            loop.close()

    with ThreadPoolExecutor(8) as pool:
        found = [pool.submit(way) for way in (plain, in_a_loop) * 10]
    assert all(future.result() == expected for future in found)
    assert expected
