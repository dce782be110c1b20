"""LlamaIndex's own agents over a memory: what the model is shown, what is kept and learnt, and what survives."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest
from blockbuster import BlockBuster
from llama_index.core.agent.workflow import AgentWorkflow, CodeActAgent, FunctionAgent, ReActAgent
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.workflow import Context

from memoryos_core import MemoryConfig, MemoryOS, ShortTermConfig, WorkerConfig
from memoryos_llamaindex.memory import MemoryOSMemory
from memoryos_llamaindex.tools import MemoryOSToolSpec
from tests.llamaindex.scripted import Call, ScriptedLLM, TextLLM, calling, calls_of, react, react_answer

PAST = "My dog Biscuit is afraid of thunder"
QUESTION = "What is my dog afraid of in Oslo?"


def weather(city: str) -> str:
    """The weather in a city."""
    return f"thunder in {city}"


def broken(city: str) -> str:
    """A tool that is out of order."""
    raise RuntimeError(f"no line to {city}")


@pytest.fixture
def ann(memory: MemoryOS) -> MemoryOSMemory:
    """Ann's conversation; she said something about her dog long ago."""
    memory.user("ann", session_id="long ago").add(PAST, "Poor Biscuit")
    return MemoryOSMemory(memory=memory, user_id="ann", session_id="s")


def lines(memory: MemoryOSMemory) -> list[str]:
    """The conversation, one line a message."""
    return [f"{m.role.value}: {m.content or ''}" for m in memory.get_all()]


def shown(messages: list[ChatMessage]) -> list[str]:
    """What a model was shown: roles, and what was said without what was recalled."""
    return [f"{m.role.value}: {(m.content or '').rsplit('</memory>', 1)[-1].strip()}" for m in messages]


def recalls(messages: list[ChatMessage]) -> list[str]:
    """The role of each message that has what was recalled in it."""
    return [m.role.value for m in messages for _ in range((m.content or "").count(PAST))]


def learnt(memory: MemoryOSMemory) -> list[str]:
    """The text of the pages of this conversation, half by half."""
    pages = memory.user.pages(session=True)
    return [text for page in pages for text in (page.text("user"), page.text("assistant")) if text]


def functions(*script: Any, **options: Any) -> FunctionAgent:
    return FunctionAgent(tools=[weather, broken], llm=ScriptedLLM(script), **options)


def asked(agent: Any) -> list[list[ChatMessage]]:
    llm: ScriptedLLM | TextLLM = agent.llm
    return llm.asked


# ------------------------------------------------------------------------------------------ what the model is shown


@pytest.mark.parametrize("streaming", [True, False])
@pytest.mark.parametrize("system_prompt", [None, "Be brief."])
async def test_a_function_agent_sees_what_is_recalled_in_every_round(
    ann: MemoryOSMemory, system_prompt: str | None, streaming: bool
) -> None:
    script = [
        calling("weather", city="Oslo"),
        [calling("weather", city="Rome"), calling("weather", city="Bonn")],
        "Stay",
    ]
    agent = functions(*script, system_prompt=system_prompt, streaming=streaming)
    answer = await agent.run(QUESTION, memory=ann)
    assert str(answer) == "Stay"
    before = ["system: Be brief."] if system_prompt else []
    first = ["assistant: ", "tool: thunder in Oslo"]
    second = ["assistant: ", "tool: thunder in Rome", "tool: thunder in Bonn"]
    question = f"user: {QUESTION}"
    assert [shown(m) for m in asked(agent)] == [
        [*before, question],
        [*before, question, *first],
        [*before, question, *first, *second],
    ]
    assert [recalls(m) for m in asked(agent)] == [["user"]] * 3
    assert lines(ann) == [question, *first, *second, "assistant: Stay"]


async def test_calls_and_results_keep_their_ids_for_the_next_run(ann: MemoryOSMemory) -> None:
    agent = functions([calling("weather", city="Rome"), calling("weather", city="Bonn")], "Thunder", "Bye")
    for question in ("Weather?", "And now?"):
        await agent.run(question, memory=ann)
    window = asked(agent)[-1]
    assert shown(window) == [
        "user: Weather?",
        "assistant: ",
        "tool: thunder in Rome",
        "tool: thunder in Bonn",
        "assistant: Thunder",
        "user: And now?",
    ]
    calls = calls_of(window[1])
    # Cores before 0.14 have no blocks for calls: arguments are text there.
    arguments = [json.loads(c.arguments) if isinstance(c.arguments, str) else c.arguments for c in calls]
    assert [(c.name, given) for c, given in zip(calls, arguments, strict=True)] == [
        ("weather", {"city": "Rome"}),
        ("weather", {"city": "Bonn"}),
    ]
    assert [m.additional_kwargs["tool_call_id"] for m in window[2:4]] == [c.id for c in calls]


async def test_calls_in_keyword_arguments_are_kept_too(ann: MemoryOSMemory) -> None:
    llm = ScriptedLLM([calling("weather", city="Rome"), "Thunder", "Bye"], calls_in="kwargs")
    agent = FunctionAgent(tools=[weather], llm=llm)
    for question in ("Weather?", "And now?"):
        await agent.run(question, memory=ann)
    window = llm.asked[-1]
    assert [c.name for c in calls_of(window[1])] == ["weather"]
    assert [c.id for c in calls_of(window[1])] == [window[2].additional_kwargs["tool_call_id"]]


@pytest.mark.parametrize("system_prompt", [None, "Be brief."])
async def test_a_react_agent_sees_what_is_recalled(ann: MemoryOSMemory, system_prompt: str | None) -> None:
    llm = TextLLM([react("weather", city="Oslo"), react_answer("Of thunder"), react_answer("Bye")])
    agent = ReActAgent(tools=[weather], llm=llm, system_prompt=system_prompt)
    assert str(await agent.run(QUESTION, memory=ann)) == "Of thunder"
    assert [recalls(m) for m in llm.asked] == [["user"]] * 2
    assert [shown(m)[1] for m in llm.asked] == [f"user: {QUESTION}"] * 2
    assert str(await agent.run("Goodbye", memory=ann)) == "Bye"


@pytest.mark.parametrize("method", ["auto", "system", "user"])
async def test_wherever_it_goes_what_is_recalled_is_there_once(
    memory: MemoryOS, ann: MemoryOSMemory, method: Any
) -> None:
    other = MemoryOSMemory(memory=memory, user_id="ann", session_id="other", insert_method=method)
    agent = functions(calling("weather", city="Oslo"), "Stay", system_prompt="Be brief.")
    await agent.run(QUESTION, memory=other)
    assert [recalls(m) for m in asked(agent)] == [["system" if method == "system" else "user"]] * 2


async def test_nothing_recalled_adds_nothing(memory: MemoryOS) -> None:
    agent = functions("Hello")
    await agent.run("Hi", memory=MemoryOSMemory(memory=memory, user_id="bob"))
    assert [[m.content for m in messages] for messages in asked(agent)] == [["Hi"]]


async def test_a_state_is_shown_to_the_model_and_kept_out_of_the_conversation(ann: MemoryOSMemory) -> None:
    agent = functions(calling("weather", city="Oslo"), "Stay")
    workflow = AgentWorkflow(agents=[agent], initial_state={"mood": "curious"})
    ctx: Context[Any] = Context(workflow)
    await workflow.run(QUESTION, ctx=ctx, memory=ann)
    first = asked(agent)[0][-1].content or ""
    assert "mood" in first
    assert PAST in first
    assert lines(ann)[0] == f"user: {QUESTION}"
    assert learnt(ann)[0] == QUESTION
    assert "mood" not in "".join(m.content or "" for m in ann.get("Now?"))


# ------------------------------------------------------------------------------------------ kept and learnt


async def test_a_run_is_one_page_with_its_tools(ann: MemoryOSMemory) -> None:
    agent = functions(calling("weather", city="Oslo"), "Stay", "Bye")
    await agent.run(QUESTION, memory=ann)
    await agent.run("Goodbye", memory=ann)
    assert [[m.role for m in page.messages] for page in ann.user.pages(session=True)] == [
        ["user", "assistant", "tool", "assistant"],
        ["user", "assistant"],
    ]
    assert learnt(ann) == [QUESTION, "Stay", "Goodbye", "Bye"]
    assert not any(page.open for page in ann.user.pages(session=True))


@pytest.mark.parametrize("kind", ["functions", "react"])
async def test_what_a_tool_of_the_memory_quoted_is_not_recorded(
    ann: MemoryOSMemory, memory: MemoryOS, kind: str
) -> None:
    memory.user("ann").remember("The PIN of the safe is Quince-7391.")
    tools: list[Any] = MemoryOSToolSpec(memory, user_id="ann").to_tool_list(["search_memory"])
    query = {"query": "PIN of the safe"}
    agent: FunctionAgent | ReActAgent
    if kind == "react":
        agent = ReActAgent(tools=tools, llm=TextLLM([react("search_memory", **query), react_answer("Found")]))
    else:
        agent = FunctionAgent(tools=tools, llm=ScriptedLLM([calling("search_memory", **query), "Found"]))
    await agent.run("Look it up", memory=ann)
    assert "Quince" in "".join(m.content or "" for m in asked(agent)[-1][1:]), "the model has read it"
    assert "Quince" not in repr(ann.user.pages())
    assert "[quoted from memory]" in repr(ann.get_all())


async def test_of_a_react_agents_reasoning_the_answer_is_learnt(ann: MemoryOSMemory) -> None:
    script = [react("weather", city="Oslo"), react_answer("Of the storm in Oslo"), react_answer("Goodbye")]
    agent = ReActAgent(tools=[weather], llm=TextLLM(script))
    await agent.run(QUESTION, memory=ann)
    user, assistant = ann.get_all()
    assert user.content == QUESTION
    trace = assistant.content or ""
    assert trace.startswith("Thought:")
    assert "Observation: thunder in Oslo" in trace
    assert trace.endswith("Answer: Of the storm in Oslo")
    assert learnt(ann) == [QUESTION, "Of the storm in Oslo"]
    found = "\n".join(hit.text for hit in ann.user.search("storm Oslo thought observation weather tool", k=20))
    assert "storm" in found
    assert not {"Thought", "Observation", "Action"} & set(found.replace(":", " ").split())
    await agent.run("Goodbye", memory=ann)
    assert trace in [m.content for m in asked(agent)[-1]]  # the model goes on from its own words


async def test_a_react_agent_that_stumbles_says_the_question_once(ann: MemoryOSMemory) -> None:
    agent = ReActAgent(tools=[weather], llm=TextLLM(["Action: nonsense", "Action: more", react_answer("Of thunder")]))
    assert str(await agent.run(QUESTION, memory=ann)) == "Of thunder"
    assert learnt(ann) == [QUESTION, "Of thunder"]
    assert [m.role.value for m in ann.get_all()] == ["user", "assistant"]


async def test_a_code_act_agents_run_is_kept_whole(ann: MemoryOSMemory) -> None:
    def execute(code: str) -> str:
        """Run code."""
        return f"ran {code}"

    llm = ScriptedLLM(["<execute>1 + 1</execute>", "It is two", "Bye"])
    agent = CodeActAgent(code_execute_fn=execute, llm=llm, tools=[])
    for question in (QUESTION, "Goodbye"):
        await agent.run(question, memory=ann)
    assert lines(ann) == [
        f"user: {QUESTION}",
        "assistant: <execute>1 + 1</execute>",
        "user: Result of executing the code given:\n\nran 1 + 1",
        "assistant: It is two",
        "user: Goodbye",
        "assistant: Bye",
    ]
    assert [recalls(m) for m in llm.asked[:2]] == [["user"]] * 2
    assert shown(llm.asked[-1])[1:] == lines(ann)[:-1]


async def test_two_agents_with_a_handoff_have_one_conversation(ann: MemoryOSMemory) -> None:
    handing = calling("handoff", to_agent="second", reason="it knows the weather")
    front = FunctionAgent(name="first", description="Greets", llm=ScriptedLLM([handing]), can_handoff_to=["second"])
    llm = ScriptedLLM([calling("weather", city="Oslo"), "Stay"])
    back = FunctionAgent(name="second", description="Knows the weather", llm=llm, tools=[weather])
    workflow = AgentWorkflow(agents=[front, back], root_agent="first")
    assert str(await workflow.run(QUESTION, memory=ann)) == "Stay"
    said = lines(ann)
    assert said[0] == f"user: {QUESTION}"
    assert said[-3:] == ["assistant: ", "tool: thunder in Oslo", "assistant: Stay"]
    assert len([line for line in said if line.startswith("user:")]) == 1
    assert [len(recalls(m)) for m in (*asked(front), *llm.asked)] == [1, 1, 1]
    assert learnt(ann)[0] == QUESTION
    assert learnt(ann)[-1].endswith("Stay")


async def test_an_agent_that_was_handed_the_turn_is_shown_what_is_recalled(ann: MemoryOSMemory) -> None:
    """A ReActAgent without instructions drops a leading system message: it must not be the place."""
    handing = calling("handoff", to_agent="second", reason="it knows the weather")
    front = FunctionAgent(name="first", description="Greets", llm=ScriptedLLM([handing]), can_handoff_to=["second"])
    llm = TextLLM([react("weather", city="Oslo"), react_answer("Of thunder")])
    back = ReActAgent(name="second", description="Knows the weather", llm=llm, tools=[weather])
    assert str(await AgentWorkflow(agents=[front, back], root_agent="first").run(QUESTION, memory=ann)) == "Of thunder"
    assert [recalls(m) for m in llm.asked] == [["user"]] * 2


async def test_a_history_that_is_sent_with_each_run_is_learnt_once(ann: MemoryOSMemory) -> None:
    """As stateless servers do: the client keeps the conversation and sends all of it."""
    client: list[ChatMessage] = []
    for number in range(4):
        question = f"Question {number}?"
        agent = functions(f"Answer {number}")
        await agent.run(question, chat_history=client, memory=ann)
        client += [
            ChatMessage(role="user", content=question),
            ChatMessage(role="assistant", content=f"Answer {number}"),
        ]
        assert [m.content for m in ann.get_all()] == [m.content for m in client]
    assert learnt(ann) == [m.content for m in client]


async def test_an_agent_visits_what_it_recalls_once_a_turn(path: str) -> None:
    config = MemoryConfig(
        short_term=ShortTermConfig(capacity_pages=1, batch_pages=1), worker=WorkerConfig(mode="manual")
    )
    with MemoryOS(path, embedder=None, config=config) as memory:
        for text in (PAST, "We went to the lake"):
            memory.user("ann", session_id="long ago").add(text, "I see")
        memory.flush()
        ann = MemoryOSMemory(memory=memory, user_id="ann", session_id="s")

        def visits() -> int:
            memory.flush()
            return sum(segment.n_visit for segment in ann.user.segments())

        before = visits()
        rounds = [calling("weather", city=c) for c in ("Oslo", "Rome", "Bonn", "Graz")]
        agent = functions(*rounds, "Stay", "Stay")
        await agent.run(QUESTION, memory=ann)
        once = visits() - before
        await agent.run(QUESTION, memory=ann)
        assert once == 1
        assert visits() - before == 2


# ------------------------------------------------------------------------------------------ failures


async def test_a_tool_that_raises_is_part_of_the_conversation(ann: MemoryOSMemory) -> None:
    agent = functions(calling("broken", city="Oslo"), "Out of order")
    await agent.run(QUESTION, memory=ann)
    assert lines(ann) == [f"user: {QUESTION}", "assistant: ", "tool: no line to Oslo", "assistant: Out of order"]


@pytest.mark.parametrize(
    ("script", "options"),
    [
        pytest.param([RuntimeError("no model")], {}, id="the model fails at once"),
        pytest.param([calling("weather", city="Oslo"), RuntimeError("no model")], {}, id="the model fails later"),
        pytest.param([calling("weather", city=c) for c in ("A", "B")], {"max_iterations": 2}, id="too many rounds"),
    ],
)
async def test_a_run_that_fails_leaves_the_question_and_the_next_one_works(
    ann: MemoryOSMemory, script: list[Any], options: dict[str, Any]
) -> None:
    agent = functions(*script)
    with pytest.raises(Exception, match=r"no model|Max iterations"):
        await agent.run(QUESTION, memory=ann, **options)
    assert lines(ann) == [f"user: {QUESTION}"]
    again = functions("Of thunder")
    await again.run("Well?", memory=ann)
    assert shown(asked(again)[0]) == [f"user: {QUESTION}", "user: Well?"]
    assert lines(ann) == [f"user: {QUESTION}", "user: Well?", "assistant: Of thunder"]
    assert "".join(learnt(ann)).count(QUESTION) == 1


async def test_a_run_that_is_told_to_end_early_is_answered(ann: MemoryOSMemory) -> None:
    if not hasattr(FunctionAgent, "_generate_early_stopping_response"):
        return  # cores before 0.14 know no other end than an error, which is tested above
    agent = functions(calling("weather", city="A"), calling("weather", city="B"), "That is all", "Bye")
    answer = await agent.run(QUESTION, memory=ann, max_iterations=2, early_stopping_method="generate")
    assert str(answer) == "That is all"
    assert recalls(asked(agent)[-1]) == ["user"]
    assert lines(ann) == [f"user: {QUESTION}", "assistant: That is all"]
    assert learnt(ann) == [QUESTION, "That is all"]
    await agent.run("Goodbye", memory=ann)
    assert lines(ann)[-2:] == ["user: Goodbye", "assistant: Bye"]


async def test_a_cancelled_run_leaves_the_question_and_the_next_one_works(ann: MemoryOSMemory) -> None:
    reached, never = asyncio.Event(), asyncio.Event()

    async def waiting() -> str:
        """Waits for ever."""
        reached.set()
        await never.wait()
        return "over"

    agent = FunctionAgent(tools=[waiting], llm=ScriptedLLM([calling("waiting")]))
    handler = agent.run(QUESTION, memory=ann)
    await asyncio.wait_for(reached.wait(), 60)
    await handler.cancel_run()
    with pytest.raises(BaseException):  # noqa: B017, PT011 - releases of workflows differ in what it is
        await handler
    assert lines(ann) == [f"user: {QUESTION}"]
    await functions("Of thunder").run("Well?", memory=ann)
    assert lines(ann) == [f"user: {QUESTION}", "user: Well?", "assistant: Of thunder"]


# ------------------------------------------------------------------------------------------ side by side


def parrot(messages: list[ChatMessage]) -> str | Call:
    """Calls a tool with what the user said, then says what the tool said."""
    last = messages[-1]
    if last.role.value == "tool":
        return f"Heard: {last.content}"
    return calling("echo", text=shown([last])[0].removeprefix("user: "))


def echo(text: str) -> str:
    """Says it again."""
    return text


async def test_fifty_users_at_once_on_one_memory(memory: MemoryOS) -> None:
    agents = [FunctionAgent(tools=[echo], llm=ScriptedLLM(parrot)) for _ in range(50)]
    memories = [MemoryOSMemory(memory=memory, user_id=f"user-{n}", session_id="s") for n in range(50)]
    for turn in range(2):
        runs = [
            a.run(f"Secret {n} turn {turn}", memory=m) for n, (a, m) in enumerate(zip(agents, memories, strict=True))
        ]
        answers = await asyncio.gather(*runs)
        assert [str(a) for a in answers] == [f"Heard: Secret {n} turn {turn}" for n in range(50)]
    for n, (agent, one) in enumerate(zip(agents, memories, strict=True)):
        said = [f"Secret {n} turn {turn}" for turn in range(2)]
        assert lines(one) == [
            x for s in said for x in (f"user: {s}", "assistant: ", f"tool: {s}", f"assistant: Heard: {s}")
        ]
        everything = "\n".join(m.content or "" for messages in asked(agent) for m in messages)
        assert {word for word in everything.replace("\n", " ").split() if word.isdigit()} <= {str(n), "0", "1"} | DATES
        assert everything.count(f"Secret {n} ") == everything.count("Secret ")
    assert memory.stats().pages == 100


DATES = {str(n) for n in range(1, 32)} | {str(year) for year in range(2020, 2200)}


async def test_two_runs_at_once_in_one_session_keep_every_message_once(memory: MemoryOS) -> None:
    one = MemoryOSMemory(memory=memory, user_id="ann", session_id="s")
    two = MemoryOSMemory(memory=memory, user_id="ann", session_id="s")
    agents = [FunctionAgent(tools=[echo], llm=ScriptedLLM(lambda _: "Fine")) for _ in range(2)]
    await asyncio.gather(
        *(a.run(f"From {n}", memory=m) for n, (a, m) in enumerate(zip(agents, (one, two), strict=True)))
    )
    assert sorted(lines(one)) == ["assistant: Fine", "assistant: Fine", "user: From 0", "user: From 1"]
    assert lines(two) == lines(one)
    recorded = [m.text for page in one.user.pages(session=True) for m in page.messages]
    assert sorted(recorded) == ["Fine", "Fine", "From 0", "From 1"]


@pytest.fixture
def watched() -> Iterator[None]:
    """Whatever blocks the event loop from our packages raises."""
    watch = BlockBuster(scanned_modules=["memoryos_core", "memoryos_llamaindex"])
    watch.activate()
    try:
        yield
    finally:
        watch.deactivate()


@pytest.mark.usefixtures("watched")
async def test_a_run_never_blocks_the_loop(ann: MemoryOSMemory) -> None:
    agent = functions(calling("weather", city="Oslo"), "Stay")
    await agent.run(QUESTION, memory=ann)
    assert recalls(asked(agent)[-1]) == ["user"]
