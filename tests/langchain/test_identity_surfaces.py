"""One identity rule: every class that asks a run for its user and session finds the same in the same places."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.language_models import FakeListChatModel
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder
from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.history import RunnableWithMessageHistory
from langgraph.graph import START, StateGraph

from memoryos_core import AsyncMemoryOS, InvalidInputError, MemoryOS
from memoryos_langchain.classic import MemoryOSMemory
from memoryos_langchain.history import MemoryOSChatMessageHistory, memory_history_factory
from memoryos_langchain.middleware import MemoryOSMiddleware
from memoryos_langchain.retriever import MemoryOSRetriever
from memoryos_langchain.store import MemoryOSStore
from memoryos_langchain.tools import MemoryOSToolkit
from memoryos_langchain.wiring import with_memory
from tests.langchain.scripted_agents import AgentModel, asking, echoing

PROMPT = ChatPromptTemplate.from_messages([MessagesPlaceholder("history"), ("human", "{input}")])
USERS = ("fixed", "of context", "of config", "resolved")


@dataclass
class Account:
    name: str


@dataclass
class Context:
    user_id: str | None = None
    session_id: str | None = None
    thread_id: str | None = None
    account: Account | None = None


# Each surface works once, for the user and the session that it finds, and says which these are; session None where the
# surface has none of its own.
Surface = Callable[[MemoryOS, dict[str, Any]], Callable[[RunnableConfig], Any]]


def found(memory: MemoryOS) -> tuple[str, str]:
    (user,) = [u for u in memory.users() if any(m for p in memory.user(u).pages() for m in p.messages)]
    (page,) = memory.user(user).pages()
    return user, page.session_id


def chained(memory: MemoryOS, options: dict[str, Any]) -> Callable[[RunnableConfig], Any]:
    chain = with_memory(FakeListChatModel(responses=["Noted."]), memory, **options)
    return lambda config: (chain.invoke("I sing", config), found(memory))[1]


def tooled(memory: MemoryOS, options: dict[str, Any]) -> Callable[[RunnableConfig], Any]:
    save = MemoryOSToolkit(memory=memory, **options).get_tools()[1]

    def run(config: RunnableConfig) -> Any:
        save.invoke({"text": "Somebody sings."}, config)
        (user,) = memory.users()
        return user, None

    return run


def retrieved(memory: MemoryOS, options: dict[str, Any]) -> Callable[[RunnableConfig], Any]:
    retriever = MemoryOSRetriever(memory=memory, k=50, **options)

    def run(config: RunnableConfig) -> Any:
        for user in USERS:
            memory.user(user).remember(f"{user} sings")
        (document,) = retriever.invoke("sings", config)
        assert [document] == [d for d, _ in retriever.search_with_score("sings", config)]
        return document.page_content.removesuffix(" sings"), None

    return run


def wrapped(memory: MemoryOS, options: dict[str, Any]) -> Callable[[RunnableConfig], Any]:
    chain: Any = RunnableWithMessageHistory(
        PROMPT | FakeListChatModel(responses=["Noted."]),
        memory_history_factory(memory, **options),
        input_messages_key="input",
        history_messages_key="history",
    )

    def run(config: RunnableConfig) -> Any:
        # LangChain asks for the session by this name and no other.
        chain.invoke({"input": "I sing"}, {"configurable": {"session_id": "s", **config.get("configurable", {})}})
        return found(memory)[0], None

    return run


SURFACES: dict[str, Surface] = {
    "with_memory": chained, "toolkit": tooled, "retriever": retrieved, "history factory": wrapped,
}  # fmt: skip

OF_ACCOUNT: Any = lambda runtime: runtime.context.account.name  # noqa: E731
OF_CONFIG: Any = lambda runtime: runtime.config["configurable"]["account"]  # noqa: E731

# Options, the context of the graph, what is configurable, and whom and which session that names.
CASES: list[tuple[dict[str, Any], Context | None, dict[str, Any], tuple[str, str]]] = [
    ({}, None, {"user_id": "of config", "session_id": "s"}, ("of config", "s")),
    ({}, None, {"user_id": "of config", "thread_id": "t"}, ("of config", "t")),
    ({}, None, {"user_id": "of config", "session_id": "s", "thread_id": "t"}, ("of config", "s")),
    ({}, Context("of context", "s"), {"user_id": "of config", "session_id": "no"}, ("of context", "s")),
    ({}, Context("of context", None, "t"), {"session_id": "no"}, ("of context", "t")),
    ({}, Context("of context", "s", "t"), {"thread_id": "no"}, ("of context", "s")),
    ({"user_id": "fixed"}, Context("of context", "s"), {"user_id": "of config"}, ("fixed", "s")),
    ({"user_id": OF_ACCOUNT}, Context("of context", "s", None, Account("resolved")), {}, ("resolved", "s")),
    ({"user_id": OF_CONFIG}, None, {"account": "resolved", "user_id": "no", "thread_id": "t"}, ("resolved", "t")),
]  # fmt: skip


@dataclass
class State:
    done: bool = False


def within_a_graph(run: Callable[[RunnableConfig], Any], context: Context, configurable: dict[str, Any]) -> Any:
    answers: list[Any] = []

    def node(state: State, config: RunnableConfig) -> dict[str, bool]:
        answers.append(run(config))
        return {"done": True}

    graph: Any = StateGraph(State, context_schema=Context)
    app = graph.add_node("node", node).add_edge(START, "node").compile()
    app.invoke(State(), {"configurable": configurable}, context=context)
    return answers[0]


@pytest.mark.parametrize(("options", "context", "configurable", "expected"), CASES)
@pytest.mark.parametrize("surface", SURFACES)
def test_every_surface_finds_the_same(
    memory: MemoryOS,
    surface: str,
    options: dict[str, Any],
    context: Context | None,
    configurable: dict[str, Any],
    expected: tuple[str, str],
) -> None:
    run = SURFACES[surface](memory, options)
    user, session = (
        run({"configurable": configurable}) if context is None else within_a_graph(run, context, configurable)
    )
    assert user == expected[0]
    assert session in (None, expected[1])


@pytest.mark.parametrize(("options", "context", "configurable", "expected"), CASES)
@pytest.mark.parametrize("coroutine", [False, True])
async def test_and_so_does_the_middleware(
    memory: MemoryOS,
    coroutine: bool,
    options: dict[str, Any],
    context: Context | None,
    configurable: dict[str, Any],
    expected: tuple[str, str],
) -> None:
    ours = MemoryOSMiddleware(memory, **options)
    app: Any = create_agent(AgentModel(answering=echoing), middleware=[ours], context_schema=Context)
    config: RunnableConfig = {"configurable": configurable}
    if coroutine:
        await app.ainvoke(asking("I sing"), config, context=context)
    else:
        app.invoke(asking("I sing"), config, context=context)
    assert found(memory) == expected


@pytest.mark.parametrize("surface", ["with_memory", "toolkit", "retriever"])
def test_a_run_that_names_nobody_is_refused(memory: MemoryOS, surface: str) -> None:
    with pytest.raises(InvalidInputError, match="user_id"):
        SURFACES[surface](memory, {})({"configurable": {"session_id": "s"}})
    with pytest.raises(InvalidInputError, match="returned None"):
        SURFACES[surface](memory, {"user_id": lambda runtime: None})(
            {"configurable": {"user_id": "b", "thread_id": "t"}}
        )


def test_a_history_of_a_run_that_names_nobody_is_the_sessions_own(memory: MemoryOS) -> None:
    assert wrapped(memory, {})({"configurable": {"session_id": "s"}}) == ("session:s", None)


async def test_a_history_is_the_runs_users_in_a_coroutine_too(memory: MemoryOS) -> None:
    chain: Any = RunnableWithMessageHistory(FakeListChatModel(responses=["Hm"] * 2), memory_history_factory(memory))
    config: RunnableConfig = {"configurable": {"session_id": "s", "user_id": "ann"}}
    await chain.ainvoke("I sing", config)
    chain.invoke("I dance", config)
    said = memory.user("ann", session_id="s").transcript()
    assert [m.text for m in said] == ["I sing", "Hm", "I dance", "Hm"]
    assert memory.users() == ["ann"]


OPENED: dict[str, Callable[[Any], object]] = {
    "history": lambda memory: MemoryOSChatMessageHistory(memory, "s", user_id="ann"),
    "history factory": memory_history_factory,
    "classic": lambda memory: MemoryOSMemory(memory=memory, user_id="ann"),
    "middleware": MemoryOSMiddleware,
    "retriever": lambda memory: MemoryOSRetriever(memory=memory, user_id="ann"),
    "store": MemoryOSStore,
    "toolkit": lambda memory: MemoryOSToolkit(memory=memory),
    "with_memory": lambda memory: with_memory(FakeListChatModel(responses=["Hi"]), memory),
}
INSTEAD: dict[str, tuple[Callable[[MemoryOS], object], str]] = {
    "AsyncMemoryOS": (AsyncMemoryOS.of, "give the adapter a MemoryOS: it has a coroutine for each"),
    "AsyncUserMemory": (lambda m: AsyncMemoryOS.of(m).user("ann"), "give the adapter the MemoryOS, and name the user"),
    "UserMemory": (lambda m: m.user("ann"), "give the adapter the MemoryOS, and name the user"),
    "str": (lambda _: "sqlite:///secret.db", "open one first"),
    "NoneType": (lambda _: None, "open one first"),
}


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("kind", INSTEAD)
@pytest.mark.parametrize("surface", OPENED)
def test_what_is_no_memory_is_refused_with_what_to_pass(memory: MemoryOS, surface: str, kind: str):
    wrong, says = INSTEAD[kind]
    with pytest.raises(ValueError, match=f"expected a MemoryOS, got {kind}; {says}") as refused:
        OPENED[surface](wrong(memory))
    assert "secret" not in str(refused.value)
