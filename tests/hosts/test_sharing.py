"""An adapter that works as an actor: it may do what was granted, on both hosts, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest
from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import HumanMessage
from langgraph.store.base import PutOp
from llama_index.core.llms import ChatMessage

from memoryos_core import AccessError, InvalidInputError, MemoryConfig, MemoryOS, WorkerConfig
from memoryos_langchain import (
    MemoryOSChatMessageHistory,
    MemoryOSMiddleware,
    MemoryOSRetriever,
    MemoryOSStore,
    MemoryOSToolkit,
    memory_history_factory,
    with_memory,
)
from memoryos_langchain import MemoryOSMemory as ClassicMemory
from memoryos_llamaindex import MemoryOSMemory, MemoryOSMemoryBlock, MemoryOSToolSpec
from memoryos_llamaindex import MemoryOSRetriever as LlamaRetriever

CONFIG = MemoryConfig(worker=WorkerConfig(mode="manual"))
QUESTION = "Which trees did Ann plant?"


@pytest.fixture
def memory() -> Iterator[MemoryOS]:
    with MemoryOS("sqlite://", embedder=None, config=CONFIG) as memory:
        memory.user("ann").add("I planted pear trees by the shore.", "How nice.")
        memory.user("ann", actor=None).governance.grant("writer", "writer")
        memory.user("ann", actor="writer").add("I planted birch trees.", "Well done.")
        yield memory


def of_langchain(memory: MemoryOS) -> str:
    found = MemoryOSRetriever(memory=memory, user_id="ann", actor="coach", k=9).invoke(QUESTION)
    return "\n".join(f"{d.page_content} {d.metadata['trust']} {d.metadata['written_by']}" for d in found)


def of_llamaindex(memory: MemoryOS) -> str:
    found = LlamaRetriever(memory, user_id="ann", actor="coach", k=9).retrieve(QUESTION)
    return "\n".join(f"{n.text} {n.metadata['trust']} {n.metadata['written_by']}" for n in found)


@pytest.mark.parametrize("read", [of_langchain, of_llamaindex])
def test_a_retriever_reads_by_grant_and_tells_who_said_it(memory: MemoryOS, read: Callable[[MemoryOS], str]) -> None:
    with pytest.raises(AccessError):
        read(memory)
    memory.user("ann").governance.grant("coach", "reader")
    found = read(memory)
    assert "pear trees by the shore. user []" in found
    assert "birch trees. user ['writer']" in found
    memory.user("ann").governance.revoke("coach")
    with pytest.raises(AccessError):
        read(memory)
    log = [(e.action, e.detail["verb"]) for e in memory.user("ann").governance.audit() if e.actor == "coach"]
    assert log == [("denied", "search"), ("read", "search"), ("denied", "search")]


def tools_of_langchain(memory: MemoryOS) -> dict[str, Callable[..., str]]:
    tools = MemoryOSToolkit(memory=memory, user_id="ann", actor="coach").get_tools()
    return {tool.name: lambda tool=tool, **given: str(tool.invoke(given)) for tool in tools}


def tools_of_llamaindex(memory: MemoryOS) -> dict[str, Callable[..., str]]:
    tools = MemoryOSToolSpec(memory, user_id="ann", actor="coach").to_tool_list()
    return {str(tool.metadata.name): lambda tool=tool, **given: str(tool.call(**given).content) for tool in tools}


@pytest.mark.parametrize("tools_of", [tools_of_langchain, tools_of_llamaindex])
def test_a_models_tools_do_what_their_actor_may(memory: MemoryOS, tools_of: Any) -> None:
    tools = tools_of(memory)
    refused = "nobody has granted it to you"
    assert refused in tools["search_memory"](query=QUESTION)
    memory.user("ann").governance.grant("coach", "reader")
    found = tools["search_memory"](query=QUESTION)
    assert "written by writer, trusted as user" in found or "birch" not in found
    assert refused in tools["save_memory"](text="Ann likes rain.")
    assert refused in tools["list_memories"]()
    assert refused in tools["forget_memory"](ids=[memory.user("ann").pages()[0].id])
    assert len(memory.user("ann").pages()) == 2
    memory.user("ann").governance.grant("coach", "curator")
    assert "Remembered as fact" in tools["save_memory"](text="Ann likes rain.")
    (entry,) = [e for e in memory.user("ann").governance.audit() if e.action == "remember"]
    assert entry.actor == "coach"


def test_a_history_writes_as_its_actor(memory: MemoryOS) -> None:
    history = MemoryOSChatMessageHistory(memory, "monday", user_id="ann", actor="coach")
    for attempt in (lambda: history.messages, lambda: history.add_messages([HumanMessage("I planted oaks.")])):
        with pytest.raises(AccessError):
            attempt()
    memory.user("ann").governance.grant("coach", "writer")
    history.add_messages([HumanMessage("I planted oaks.")])
    made = memory_history_factory(memory, user_id="ann", actor="coach")("monday")
    assert [m.content for m in made.messages] == ["I planted oaks."]
    assert [m.by for page in memory.user("ann").pages()[2:] for m in page.messages] == ["coach"]
    with pytest.raises(AccessError):
        history.clear(erase=True)


def test_llamaindex_memory_works_as_its_actor_also_from_a_reference(memory: MemoryOS) -> None:
    memory.user("ann").governance.grant("coach", "writer")
    ours = MemoryOSMemory(memory, user_id="ann", session_id="default")
    theirs = MemoryOSMemory(memory, user_id="ann", session_id="default", actor="coach")
    theirs.put(ChatMessage(role="user", content="I planted oaks."))
    assert "oaks" in str(theirs.get())
    again = MemoryOSMemory.from_dict(json.loads(json.dumps(theirs.to_dict())) | {"handle": "lost"}, memory=memory)
    assert again.actor == "coach"
    memory.user("ann").governance.revoke("coach")
    assert "oaks" in str(ours.get_all())
    more = ChatMessage(role="user", content="More.")
    for refused in (theirs, again):
        for attempt in (refused.get, refused.get_all, partial(refused.put, more)):
            with pytest.raises(AccessError):
                attempt()
    assert "More." not in str(ours.get_all())


async def test_a_block_and_a_middleware_without_a_grant_bring_nothing(memory: MemoryOS) -> None:
    block = MemoryOSMemoryBlock(memory, user_id="ann", actor="coach", session_id="monday")
    asked = [ChatMessage(role="user", content=QUESTION)]
    assert await block.aget(asked) == ""
    memory.user("ann").governance.grant("coach", "reader")
    middleware = MemoryOSMiddleware(memory, user_id="ann", actor="coach")
    assert middleware._actor == "coach"
    await block.aput(asked)
    assert len(memory.user("ann").pages()) == 2, "a reader learns nothing into another's memory"


def of_with_memory(memory: MemoryOS) -> str:
    chain = with_memory(FakeListChatModel(responses=["I see."]), memory, user_id="ann", session_id="gym", actor="coach")
    return str(chain.invoke([HumanMessage(QUESTION)]).content)


def of_classic(memory: MemoryOS) -> str:
    ours = ClassicMemory(memory=memory, user_id="ann", session_id="gym", actor="coach")
    shown = str(ours.load_memory_variables({"input": QUESTION}))
    ours.save_context({"input": QUESTION}, {"output": "I see."})
    return shown


@pytest.mark.parametrize("use", [of_with_memory, of_classic])
def test_a_chain_reads_and_writes_as_its_actor(memory: MemoryOS, use: Callable[[MemoryOS], str]) -> None:
    with pytest.raises(AccessError):
        use(memory)
    memory.user("ann").governance.grant("coach", "writer")
    assert use(memory)
    assert [m.by for m in memory.user("ann").pages()[-1].messages] == ["coach", "coach"]
    log = [(e.action, e.detail.get("verb")) for e in memory.user("ann").governance.audit() if e.actor == "coach"]
    assert log[0][0] == "denied"
    assert ("read", "recall") in log
    assert log[-1][0] == "append"


def test_langgraphs_store_does_what_its_actor_may(memory: MemoryOS) -> None:
    memory.user("ann").remember("Ann likes rain.")
    memory.user("bob").add("I am Bob.", "Hello.")
    store = MemoryOSStore(memory, actor="coach")
    own, facts = ("ann", "plan"), ("ann", "facts")
    attempts = (
        lambda: store.put(own, "monday", {"text": "Run."}),
        lambda: store.get(own, "monday"),
        lambda: store.search(own, query="run"),
        lambda: store.search(facts),
        lambda: store.list_namespaces(prefix=("ann",)),
    )
    for attempt in attempts:
        with pytest.raises(AccessError):
            attempt()
    memory.user("ann").governance.grant("coach", "writer")
    for attempt in attempts[:3]:
        attempt()
    for attempt in attempts[3:]:
        with pytest.raises(AccessError):
            attempt()
    memory.user("ann").governance.grant("coach", "curator")
    assert [item.value["text"] for item in store.search(facts)] == ["Ann likes rain."]
    assert store.list_namespaces(prefix=("ann",)) == [("ann", "episodes"), facts, own]
    for crossing in (
        store.list_namespaces,
        lambda: store.list_namespaces(prefix=("bob",)),
        lambda: store.search(("bob",)),
        store.sweep_ttl,
    ):
        with pytest.raises(AccessError):
            crossing()
    with pytest.raises(InvalidInputError, match="application"):
        MemoryOSStore(memory, actor="coach", search_all_users=True)
    log = {(e.action, e.detail.get("verb")) for e in memory.user("ann").governance.audit() if e.actor == "coach"}
    assert {("read", "facts"), ("read", "notes.get"), ("denied", "facts"), ("denied", "notes.get")} <= log


@pytest.mark.parametrize(
    "refused", [(("bob", "settings"), {"theme": "dark"}), (("bob", "facts"), {"text": "Bob sails."})]
)
def test_a_batch_of_langgraphs_store_that_is_refused_for_one_user_writes_for_none(
    memory: MemoryOS, refused: Any
) -> None:
    memory.user("ann").governance.grant("helper", "curator")
    memory.user("bob").governance.grant("helper", "reader")
    store = MemoryOSStore(memory, actor="helper")
    with pytest.raises(AccessError):
        store.batch(
            [
                PutOp(("ann", "settings"), "ui", {"theme": "light"}),
                PutOp(("ann", "facts"), "boat", {"text": "Ann owns a boat."}),
                PutOp(refused[0], "key", refused[1]),
            ]
        )
    own = MemoryOSStore(memory)
    assert own.get(("ann", "settings"), "ui") is None
    assert own.get(("ann", "facts"), "boat") is None
    [denied] = [e for e in memory.user("bob").governance.audit() if e.action == "denied"]
    assert denied.actor == "helper"


@pytest.mark.parametrize("actor", ["team:physio", "worker", "", 7])
def test_no_adapter_takes_a_team_or_no_name(memory: MemoryOS, actor: Any) -> None:
    for make in (
        lambda: MemoryOSMiddleware(memory, actor=actor),
        lambda: MemoryOSChatMessageHistory(memory, "monday", actor=actor),
        lambda: memory_history_factory(memory, actor=actor),
        lambda: LlamaRetriever(memory, user_id="ann", actor=actor),
        lambda: MemoryOSToolSpec(memory, user_id="ann", actor=actor),
        lambda: MemoryOSMemory(memory, user_id="ann", actor=actor),
        lambda: MemoryOSMemoryBlock(memory, user_id="ann", actor=actor),
        lambda: MemoryOSToolkit(memory=memory, user_id="ann", actor=actor),
        lambda: MemoryOSRetriever(memory=memory, user_id="ann", actor=actor),
        lambda: MemoryOSStore(memory, actor=actor),
        lambda: ClassicMemory(memory=memory, user_id="ann", actor=actor),
        lambda: with_memory(FakeListChatModel(responses=[]), memory, actor=actor),
    ):
        with pytest.raises((InvalidInputError, ValueError)):
            make()
