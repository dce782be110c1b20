"""The retriever: what it finds and says of it, in chains, for one user only, without holding up the loop."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta, timezone
from typing import Any
from uuid import UUID

import pytest
from blockbuster import BlockBuster
from langchain_classic.retrievers import EnsembleRetriever, MultiQueryRetriever
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.documents import Document
from langchain_core.language_models import FakeListChatModel
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import ConfigurableField, RunnableConfig, RunnableLambda, RunnablePassthrough

from memoryos_core import ClosedError, InvalidInputError, MemoryOS, UserMemory
from memoryos_langchain.classic import MemoryOSMemory
from memoryos_langchain.retriever import MemoryOSRetriever
from memoryos_langchain.tools import MemoryOSToolkit

LISBON = "I moved to Lisbon"
SPRING = datetime(2024, 4, 1, tzinfo=timezone.utc)


@pytest.fixture
def seeded(memory: MemoryOS) -> MemoryOS:
    """Ann with three turns in two sessions and a fact, Bob with one turn."""
    work, home = memory.user("ann", session_id="work"), memory.user("ann", session_id="home")
    work.add(LISBON, "Lisbon is hilly", timestamp=SPRING)
    home.add("The tram in Lisbon is slow", "Yellow trams are", timestamp=SPRING + timedelta(days=30))
    home.add("My cat hates moving", "Cats do", timestamp=SPRING + timedelta(days=60))
    work.remember("Works in Lisbon")
    memory.user("bob").add("Lisbon bores me")
    return memory


def hills(seeded: MemoryOS) -> UserMemory:
    """Ann again, with turns enough that some are in mid-term memory."""
    ann = seeded.user("ann", session_id="work")
    for i in range(30):
        ann.add(f"Lisbon has hill number {i}", f"Hill {i} noted")
    ann.consolidate()
    return ann


def texts(documents: list[Document]) -> set[str]:
    return {d.page_content for d in documents}


def ids(documents: list[Document]) -> list[str | None]:
    """What was found, in order; scores move a little with the clock."""
    return [d.id for d in documents]


# ------------------------------------------------------------------------------------------ documents


def test_a_document_says_where_it_comes_from(seeded: MemoryOS) -> None:
    found = MemoryOSRetriever(memory=seeded, user_id="ann").invoke("Who moved to Lisbon?")
    turn = next(d for d in found if LISBON in d.page_content)
    page = seeded.user("ann", session_id="work").search("moved to Lisbon", 1)[0].id
    assert turn.id == f"{page}:0"
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
    }
    fact = next(d for d in found if d.metadata["kind"] == "fact")
    assert (fact.id, fact.page_content) == (seeded.user("ann").facts()[0].id, "Works in Lisbon")
    assert (fact.metadata["tier"], fact.metadata["page_ids"]) == ("long_term", [])


def test_metadata_is_strict_json(seeded: MemoryOS) -> None:
    for document in MemoryOSRetriever(memory=seeded, user_id="ann").invoke("Lisbon"):
        assert json.loads(json.dumps(document.metadata, allow_nan=False)) == document.metadata
        assert document.metadata["id"] == document.id


def test_documents_of_mid_term_memory_name_their_segment(seeded: MemoryOS) -> None:
    hills(seeded)
    found = MemoryOSRetriever(memory=seeded, user_id="ann", tiers=("mid_term",), k=3).invoke("Lisbon hill")
    assert len(found) == 3
    assert {d.metadata["segment_id"] for d in found} <= {s.id for s in seeded.user("ann").segments()}


@pytest.mark.parametrize("coroutine", [False, True])
async def test_several_questions_bring_a_document_once(seeded: MemoryOS, coroutine: bool) -> None:
    hills(seeded)
    retriever = MemoryOSRetriever(memory=seeded, user_id="ann", k=6)
    questions = FakeListChatModel(responses=["Lisbon hill\nWhich hill is in Lisbon?\nhills of Lisbon, the city"])
    several = MultiQueryRetriever.from_llm(retriever=retriever, llm=questions, include_original=True)
    found = await several.ainvoke("Lisbon") if coroutine else several.invoke("Lisbon")
    assert len(found) >= 6
    assert len(ids(found)) == len(set(ids(found)))


def test_retrievers_are_fused_by_id(seeded: MemoryOS) -> None:
    retriever = MemoryOSRetriever(memory=seeded, user_id="ann", k=20)
    both = EnsembleRetriever(retrievers=[retriever, retriever.bind(k=20)], id_key="id", weights=[0.5, 0.5])
    found = both.invoke("moved to Lisbon")
    assert set(ids(found)) == set(ids(retriever.invoke("moved to Lisbon")))
    assert len(found) == len(set(ids(found)))


@pytest.mark.parametrize("coroutine", [False, True])
async def test_scores_are_given_beside_the_documents(seeded: MemoryOS, coroutine: bool) -> None:
    retriever = MemoryOSRetriever(memory=seeded, user_id="ann", k=20)
    search = retriever.asearch_with_score if coroutine else retriever.search_with_score
    answer: Any = search("Lisbon", session_id="home", k=2)
    found = await answer if coroutine else answer
    assert [d for d, _ in found] == retriever.invoke("Lisbon", None, session_id="home", k=2)
    scores = [score for _, score in found]
    assert scores == sorted(scores, reverse=True)
    assert len(set(scores)) == 2


@pytest.mark.parametrize(
    "make",
    [
        lambda memory, **slip: MemoryOSRetriever(memory=memory, user_id="ann", **slip),
        lambda memory, **slip: MemoryOSToolkit(memory=memory, user_id="ann", **slip),
        lambda memory, **slip: MemoryOSMemory(memory=memory, user_id="ann", **slip),
    ],
)
def test_a_misspelt_option_is_refused_by_every_class(memory: MemoryOS, make: Callable[..., object]) -> None:
    with pytest.raises(ValueError, match="Extra inputs are not permitted") as refused:
        make(memory, session="work")
    assert "work" not in str(refused.value)


def test_ids_are_unique_and_the_same_in_every_search_and_tier(seeded: MemoryOS) -> None:
    retriever = MemoryOSRetriever(memory=seeded, user_id="ann", k=20)
    before = {d.page_content: d.id for d in retriever.invoke("Lisbon tram cat")}
    assert len(set(before.values())) == len(before) > 4  # both halves of a page are among them
    assert any(str(found).endswith(":0") for found in before.values()), "the id that the docstring shows"
    ann = seeded.user("ann", session_id="work")
    for i in range(30):
        ann.add(f"Filler {i}")
    ann.consolidate()
    after = {d.page_content: d.id for d in retriever.invoke("Lisbon tram cat")}
    assert after.items() & before.items() == before.items()


def test_a_search_counts_nothing(seeded: MemoryOS) -> None:
    ann = hills(seeded)
    before = [r for r in ann.export() if r["kind"] in ("segment", "fact")]
    MemoryOSRetriever(memory=seeded, user_id="ann").invoke("Lisbon hill")
    seeded.flush()
    assert [r for r in ann.export() if r["kind"] in ("segment", "fact")] == before
    assert before


# ------------------------------------------------------------------------------ k, filters, bad values


def test_k_and_filters_at_construction_or_in_the_call(seeded: MemoryOS) -> None:
    plain = MemoryOSRetriever(memory=seeded, user_id="ann", k=20)
    narrowings: list[tuple[dict[str, Any], Callable[[dict[str, Any]], bool]]] = [
        ({"session_id": "home"}, lambda m: m["session_id"] == "home"),
        ({"tiers": ["long_term"]}, lambda m: m["tier"] == "long_term"),
        ({"since": SPRING + timedelta(days=1)}, lambda m: m["timestamp"] > SPRING.isoformat()),
        ({"until": SPRING + timedelta(days=1)}, lambda m: m["timestamp"] == SPRING.isoformat()),
        ({"k": 2}, lambda m: True),
    ]
    everything = plain.invoke("Lisbon cat")
    for narrowing, admits in narrowings:
        held = MemoryOSRetriever(**{"memory": seeded, "user_id": "ann", "k": 20, **narrowing}).invoke("Lisbon cat")
        asked = plain.invoke("Lisbon cat", None, **narrowing)
        assert ids(held) == ids(asked)
        assert 0 < len(held) < len(everything)
        assert all(admits(d.metadata) for d in held)


async def test_k_and_filters_in_an_awaited_call(seeded: MemoryOS) -> None:
    retriever = MemoryOSRetriever(memory=seeded, user_id="ann", k=20, session_id="work")
    asked = await retriever.ainvoke("Lisbon cat", None, session_id="home", k=1)
    assert [d.metadata["session_id"] for d in asked] == ["home"]
    assert ids(await retriever.ainvoke("Lisbon")) == ids(retriever.invoke("Lisbon"))


def test_what_is_given_in_the_call_goes_before_what_was_given_at_construction(seeded: MemoryOS) -> None:
    retriever = MemoryOSRetriever(memory=seeded, user_id="ann", k=1, tiers=("long_term",))
    assert len(retriever.invoke("Lisbon", None, k=20, tiers=())) > 3
    assert len(retriever.bind(k=20, tiers=()).invoke("Lisbon")) > 3
    assert len(retriever.invoke("Lisbon")) == 1


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
        {"session_id": 7},
    ],
    ids=str,
)
def test_bad_values_are_refused_at_construction_and_in_the_call(seeded: MemoryOS, bad: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(bad))) as refused:
        MemoryOSRetriever(**{"memory": seeded, "user_id": "ann", **bad})
    assert "input_value" not in str(refused.value)
    with pytest.raises(InvalidInputError, match=next(iter(bad))):
        MemoryOSRetriever(memory=seeded, user_id="ann").invoke("Lisbon", None, **bad)


async def test_an_unknown_filter_is_refused_and_the_known_ones_are_named(seeded: MemoryOS) -> None:
    retriever = MemoryOSRetriever(memory=seeded, user_id="ann")
    wanted = "unknown filter: search_kwargs. Use k=, tiers=, since=, until=, session_id=, min_score="
    with pytest.raises(InvalidInputError, match=wanted):
        retriever.invoke("cat", None, search_kwargs={"k": 1})
    with pytest.raises(InvalidInputError, match=wanted):
        await retriever.ainvoke("cat", None, search_kwargs={"k": 1})
    with pytest.raises(InvalidInputError, match=wanted):
        retriever.search_with_score("cat", search_kwargs={"k": 1})


@pytest.mark.parametrize(
    "bad",
    [
        {"user_id": ""},
        {"user_id": True},
        {"assistant_id": b"x"},
        {"assistant_id": " "},
        {"memory": "sqlite://"},
    ],
    ids=str,
)
def test_who_and_where_are_checked_at_construction(seeded: MemoryOS, bad: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(bad))):
        MemoryOSRetriever(**{"memory": seeded, "user_id": "ann", **bad})


def test_ids_may_be_numbers_and_uuids(memory: MemoryOS) -> None:
    number, uuid = 7, UUID(int=7)
    for name in (number, uuid):
        memory.user(str(name)).remember(f"Sings as {name!r}")
        found = MemoryOSRetriever(memory=memory, user_id=name).invoke("sings")
        assert texts(found) == {f"Sings as {name!r}"}


def test_errors_reach_the_caller_and_the_callbacks(seeded: MemoryOS) -> None:
    seeded.close()
    seen = Recorder()
    with pytest.raises(ClosedError):
        MemoryOSRetriever(memory=seeded, user_id="ann").invoke("Lisbon", {"callbacks": [seen]})
    assert [name for name, _ in seen.events] == ["start", "error"]


def test_printing_it_shows_no_memory(seeded: MemoryOS) -> None:
    retriever = MemoryOSRetriever(memory=seeded, user_id="ann")
    assert "MemoryOS object" not in repr(retriever)
    assert "memory" not in retriever.model_dump()


# -------------------------------------------------------------------------------------------- borders


def test_one_user_never_sees_another(memory: MemoryOS) -> None:
    names = ["user-1", "user-10", "User-1", "user_1", "user%", "%", "_", "user-1 "]
    for name in names:
        memory.user(name).add(f"The secret of {name!r}")
        memory.user(name).remember(f"Fact secret {name!r}")
        memory.user(name, assistant_id="other").add(f"Other secret of {name!r}")
    for name in names:
        found = MemoryOSRetriever(memory=memory, user_id=name, k=50).invoke("secret")
        assert texts(found) == {f"user: The secret of {name!r}", f"Fact secret {name!r}"}
        other = MemoryOSRetriever(memory=memory, user_id=name, assistant_id="other", k=50).invoke("secret")
        assert texts(other) == {f"user: Other secret of {name!r}"}


def test_one_retriever_for_many_users_by_config(seeded: MemoryOS) -> None:
    shared = MemoryOSRetriever(memory=seeded, user_id="nobody").configurable_fields(
        user_id=ConfigurableField(id="user_id")
    )
    configs: list[RunnableConfig] = [{"configurable": {"user_id": name}} for name in ("ann", "bob")]
    ann, bob = shared.batch(["Lisbon", "Lisbon"], configs)
    assert LISBON in str(texts(ann))
    assert texts(bob) == {"user: Lisbon bores me"}
    assert shared.invoke("Lisbon") == []


async def test_a_run_names_the_user_where_none_is_fixed(seeded: MemoryOS) -> None:
    shared = MemoryOSRetriever(memory=seeded)
    bob: RunnableConfig = {"configurable": {"user_id": "bob", "thread_id": "of no retriever"}}
    assert texts(shared.invoke("Lisbon", bob)) == texts(await shared.ainvoke("Lisbon", bob)) != set()
    assert texts(shared.invoke("Lisbon", bob)) == {"user: Lisbon bores me"}
    within: Any = RunnableLambda(lambda question: question) | shared
    assert (
        texts(within.invoke("Lisbon", bob)) == texts(await within.ainvoke("Lisbon", bob)) == {"user: Lisbon bores me"}
    )
    with pytest.raises(InvalidInputError, match="user_id"):
        shared.invoke("Lisbon")


def test_a_question_without_an_answer_brings_nothing(seeded: MemoryOS) -> None:
    retriever = MemoryOSRetriever(memory=seeded, user_id="ann")
    assert retriever.invoke("") == retriever.invoke("zzyzx") == []


# --------------------------------------------------------------------------------------------- chains


class Recorder(BaseCallbackHandler):
    """Notes what the retriever's run reports."""

    def __init__(self) -> None:
        self.events: list[tuple[str, Any]] = []

    def on_retriever_start(
        self, serialized: dict[str, Any], query: str, *, metadata: dict[str, Any] | None = None, **kwargs: Any
    ) -> None:
        self.events.append(("start", (query, metadata)))

    def on_retriever_end(self, documents: Any, *, run_id: UUID, **kwargs: Any) -> None:
        self.events.append(("end", documents))

    def on_retriever_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        self.events.append(("error", type(error)))


PROMPT = ChatPromptTemplate.from_messages([("system", "Known:\n{context}"), ("human", "{question}")])


def joined(documents: list[Document]) -> str:
    return "\n".join(d.page_content for d in documents)


def rag(retriever: MemoryOSRetriever, prompts: list[str]) -> Any:
    def noted(prompt: Any) -> Any:
        prompts.append(prompt.to_string())
        return prompt

    gathered = {"context": retriever | joined, "question": RunnablePassthrough()}
    return gathered | PROMPT | RunnableLambda(noted) | FakeListChatModel(responses=["In Lisbon"]) | StrOutputParser()


async def test_a_rag_chain_in_every_way_to_run_it(seeded: MemoryOS) -> None:
    prompts: list[str] = []
    chain = rag(MemoryOSRetriever(memory=seeded, user_id="ann"), prompts)
    question = "Who moved to Lisbon?"
    assert chain.invoke(question) == "In Lisbon"
    assert await chain.ainvoke(question) == "In Lisbon"
    assert "".join(chain.stream(question)) == "In Lisbon"
    assert "".join([part async for part in chain.astream(question)]) == "In Lisbon"
    assert chain.batch([question] * 2) == ["In Lisbon"] * 2
    assert await chain.abatch([question] * 2) == ["In Lisbon"] * 2
    assert len(prompts) == 8
    assert all(LISBON in prompt and "bores" not in prompt for prompt in prompts)


def test_documents_stay_beside_the_answer(seeded: MemoryOS) -> None:
    """What `create_retrieval_chain` makes: the question's key, the documents, the answer."""
    retriever = MemoryOSRetriever(memory=seeded, user_id="ann")
    answer = RunnablePassthrough.assign(context=lambda x: joined(x["context"]), question=lambda x: x["input"])
    chain = RunnablePassthrough.assign(context=(lambda x: x["input"]) | retriever).assign(
        answer=answer | PROMPT | FakeListChatModel(responses=["In Lisbon"]) | StrOutputParser()
    )
    result = chain.invoke({"input": "Who moved to Lisbon?"})
    assert result["answer"] == "In Lisbon"
    assert LISBON in str(texts(result["context"]))


async def test_callbacks_hear_of_every_search(seeded: MemoryOS) -> None:
    retriever = MemoryOSRetriever(memory=seeded, user_id="ann", tags=["mine"], metadata={"app": "test"})
    seen = Recorder()
    found = retriever.invoke("Lisbon", {"callbacks": [seen]})
    awaited = await retriever.ainvoke("Lisbon", {"callbacks": [seen]})
    assert ids(awaited) == ids(found)
    assert [name for name, _ in seen.events] == ["start", "end"] * 2
    assert [what for name, what in seen.events if name == "end"] == [found, awaited]
    told = {"app": "test", "ls_retriever_name": "memoryos", "ls_vector_store_provider": "MemoryOS"}
    for query, metadata in (what for name, what in seen.events if name == "start"):
        assert query == "Lisbon"
        assert metadata.items() >= told.items()


async def test_events_of_a_chain_name_the_retriever_and_its_documents(seeded: MemoryOS) -> None:
    chain = rag(MemoryOSRetriever(memory=seeded, user_id="ann"), [])
    events = [e async for e in chain.astream_events("Who moved to Lisbon?", version="v2")]
    (ended,) = (e for e in events if e["event"] == "on_retriever_end")
    assert ended["name"] == "MemoryOSRetriever"
    assert LISBON in str(texts(ended["data"]["output"]))


# ---------------------------------------------------------------------------------- loops and threads


async def test_searching_never_blocks_the_loop(seeded: MemoryOS) -> None:
    retriever = MemoryOSRetriever(memory=seeded, user_id="ann")
    guard = BlockBuster()
    guard.activate()
    try:
        found = await asyncio.gather(*(retriever.ainvoke("Lisbon") for _ in range(20)))
    finally:
        guard.deactivate()
    assert all(ids(f) == ids(found[0]) for f in found)
    assert found[0]


def test_one_retriever_serves_threads_and_loops(seeded: MemoryOS) -> None:
    retriever = MemoryOSRetriever(memory=seeded, user_id="ann")
    expected = ids(retriever.invoke("Lisbon"))

    def plain() -> list[str | None]:
        return ids(retriever.invoke("Lisbon"))

    def in_a_loop() -> list[str | None]:
        loop = asyncio.new_event_loop()
        try:
            return ids(loop.run_until_complete(retriever.ainvoke("Lisbon")))
        finally:
            loop.close()

    with ThreadPoolExecutor(8) as pool:
        found = [pool.submit(way) for way in (plain, in_a_loop) * 20]
    assert all(future.result() == expected for future in found)
    assert expected
