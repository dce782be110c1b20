"""The session of docs/examples in the real Agents SDK, and its guide. The model is a fake, the Runner is not."""

from __future__ import annotations

import ast
import asyncio
import importlib.util
import inspect
import json
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any, cast

import pytest

agents = pytest.importorskip("agents")

from agents import (  # noqa: E402 - only if it is installed
    Agent,
    Model,
    ModelResponse,
    RunConfig,
    Runner,
    Session,
    SessionSettings,
    SQLiteSession,
    Usage,
    function_tool,
    set_tracing_disabled,
)
from agents.run import CallModelData, ModelInputData  # noqa: E402
from openai.types.responses import (  # noqa: E402
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
)

from memoryos_core import InvalidInputError, MemoryOS, Message  # noqa: E402
from memoryos_core.hosts.tools import search_memory  # noqa: E402
from memoryos_langchain import MemoryOSChatMessageHistory  # noqa: E402
from memoryos_llamaindex import MemoryOSMemory  # noqa: E402

DOCS = Path(__file__).parents[2] / "docs"
EXAMPLE = DOCS / "examples" / "openai_agents.py"

spec = importlib.util.spec_from_file_location("openai_agents", EXAMPLE)
assert spec is not None
assert spec.loader is not None
example = importlib.util.module_from_spec(spec)
spec.loader.exec_module(example)
MemoryOSSession = example.MemoryOSSession

set_tracing_disabled(True)

ITEMS: list[Any] = [
    {"role": "user", "content": "What is the weather in Lisbon?"},
    {"id": "rs_1", "type": "reasoning", "summary": [], "encrypted_content": "a=="},
    {"id": "fc_1", "type": "function_call", "call_id": "c1", "name": "weather", "arguments": '{"city": "Lisbon"}'},
    {"type": "function_call_output", "call_id": "c1", "output": "Sunny."},
    {
        "id": "msg_1", "type": "message", "role": "assistant", "status": "completed",
        "content": [{"type": "output_text", "text": "It is sunny.", "annotations": [], "logprobs": []}],
    },
    {"role": "developer", "content": "Be brief."},
    {
        "role": "user", "type": "message",
        "content": [{"type": "input_text", "text": "And this?"}, {"type": "input_image", "image_url": "data:,x"}],
    },
    {"role": "assistant", "content": [{"type": "refusal", "refusal": "I cannot see."}]},
    {"type": "computer_call_output", "call_id": "c2", "output": {"type": "computer_screenshot", "file_id": "f"}},
]  # fmt: skip


class Scripted(Model):
    """Answers in turn, and keeps what it was sent."""

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)
        self.sent: list[tuple[str | None, list[Any]]] = []

    async def get_response(self, system_instructions: str | None, input: Any, *_: Any, **__: Any) -> ModelResponse:
        self.sent.append((system_instructions, input))
        return ModelResponse(output=[self.answers.pop(0)], usage=Usage(), response_id=None)

    def stream_response(self, *_: Any, **__: Any) -> AsyncIterator[Any]:
        raise NotImplementedError


def said(text: str) -> ResponseOutputMessage:
    content = ResponseOutputText(text=text, type="output_text", annotations=[])
    return ResponseOutputMessage(id="m", content=[content], role="assistant", status="completed", type="message")


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[MemoryOS]:
    with MemoryOS(f"sqlite:///{tmp_path}/memory.db", embedder="terms") as opened:
        yield opened


def test_it_is_a_session_to_the_sdk(memory: MemoryOS) -> None:
    session = MemoryOSSession(memory, "monday", user_id="ann")
    assert isinstance(session, Session)
    for verb in ("get_items", "add_items", "pop_item", "clear_session"):
        ours, theirs = (inspect.signature(getattr(kind, verb)).parameters for kind in (MemoryOSSession, SQLiteSession))
        assert [(p.name, p.default) for p in ours.values()] == [(p.name, p.default) for p in theirs.values()]


async def test_what_a_tool_of_the_memory_quoted_is_not_recorded(memory: MemoryOS) -> None:
    session = MemoryOSSession(memory, "monday", user_id="ann")
    memory.user("ann").remember("The PIN of the safe is Quince-7391.")
    found = search_memory(memory.user("ann"), "PIN of the safe")
    assert "Quince" in found
    of_mcp = json.dumps({"type": "text", "text": found})
    await session.add_items(
        [*ITEMS[:2], *({"type": "function_call_output", "call_id": "c1", "output": out} for out in (found, of_mcp))]
    )
    assert "Quince" not in repr(memory.user("ann").pages())
    outputs = [item["output"] for item in cast("list[Any]", await session.get_items())[2:]]
    assert outputs == ["[quoted from memory]", '{"type": "text", "text": "[quoted from memory]"}']


async def test_it_does_what_the_sdks_own_session_does(memory: MemoryOS) -> None:
    ours, theirs = MemoryOSSession(memory, "monday", user_id="ann"), SQLiteSession("monday")
    for session in (ours, theirs):
        assert await session.get_items() == []
        assert await session.pop_item() is None
        await session.add_items([])
        await session.add_items(ITEMS[:3])
        await session.add_items(ITEMS[3:])
    for limit in (None, 0, 1, 3, len(ITEMS), 50):
        assert await ours.get_items(limit) == await theirs.get_items(limit)
    assert await ours.get_items() == ITEMS
    for _ in range(len(ITEMS) - 2):
        assert await ours.pop_item() == await theirs.pop_item()
        assert await ours.get_items() == await theirs.get_items()
    again: Any = {"role": "user", "content": "Again."}
    for session in (ours, theirs):
        await session.add_items([again])
        assert await session.get_items() == [*ITEMS[:2], again]
        await session.clear_session()
        assert await session.get_items() == []
        await session.add_items([again, again])
        assert await session.get_items() == [again, again]
    theirs.close()


async def test_the_settings_limit_what_no_caller_limits(memory: MemoryOS) -> None:
    session = MemoryOSSession(memory, "monday", user_id="ann", session_settings=SessionSettings(limit=2))
    await session.add_items(ITEMS)
    assert await session.get_items() == ITEMS[-2:]
    assert await session.get_items(4) == ITEMS[-4:]


async def test_sessions_and_users_are_apart_and_outlive_a_restart(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/memory.db"
    with MemoryOS(url, embedder="terms") as memory:
        for user, session in (("ann", "monday"), ("ann", "friday"), ("bob", "monday")):
            item: Any = {"role": "user", "content": f"{user} {session}"}
            await MemoryOSSession(memory, session, user_id=user).add_items([item])
    with MemoryOS(url, embedder="terms") as memory:
        ann = MemoryOSSession(memory, "monday", user_id="ann")
        assert await ann.get_items() == [{"role": "user", "content": "ann monday"}]
        await ann.clear_session()
        left = [
            await MemoryOSSession(memory, s, user_id=u).get_items() for u, s in (("ann", "friday"), ("bob", "monday"))
        ]
        assert [items[0]["content"] for items in left] == ["ann friday", "bob monday"]


async def test_items_popped_at_once_are_popped_once(memory: MemoryOS) -> None:
    session = MemoryOSSession(memory, "monday", user_id="ann")
    items: list[Any] = [{"role": "user", "content": f"number {n}"} for n in range(12)]
    await session.add_items(items)
    popped = await asyncio.gather(*(session.pop_item() for _ in range(14)))
    assert sorted(p["content"] for p in popped if p) == sorted(i["content"] for i in items)
    assert await session.get_items() == []


async def test_a_wrong_item_is_named_and_nothing_is_written(memory: MemoryOS) -> None:
    session = MemoryOSSession(memory, "monday", user_id="ann")
    with pytest.raises(InvalidInputError, match=r"^items\[1\] must be a dict of the Agents SDK, got str$"):
        await session.add_items([ITEMS[0], "secret"])
    with pytest.raises(InvalidInputError, match=r"^items\[0\] must hold JSON values only \(TypeError\)$"):
        await session.add_items([{"role": "user", "content": "secret", "more": b"secret"}])
    with pytest.raises(InvalidInputError, match="limit"):
        await session.get_items("3")
    assert await session.get_items() == []
    with pytest.raises(InvalidInputError, match="expected a MemoryOS"):
        MemoryOSSession("memory.db", "monday", user_id="ann")
    with pytest.raises(InvalidInputError, match="user_id"):
        MemoryOSSession(memory, "monday", user_id="")


async def test_messages_of_another_host_come_back_as_plain_items(memory: MemoryOS) -> None:
    session = MemoryOSSession(memory, "monday", user_id="ann")
    session.user.add("I keep bees.", "Brave.")
    session.user.add_messages([Message("tool", "Eleven.", answers="c", id="t")])
    plain = [("user", "I keep bees."), ("assistant", "Brave."), ("assistant", "Eleven.")]
    assert [(i["role"], i["content"]) for i in await session.get_items()] == plain
    for role, text in reversed(plain):
        assert await session.pop_item() == {"role": role, "content": text}
    assert await session.pop_item() is None


async def test_a_run_with_a_tool_is_kept_and_goes_on(memory: MemoryOS) -> None:
    @function_tool
    def weather(city: str) -> str:
        """Tell the weather."""
        return f"Sunny in {city}."

    call = ResponseFunctionToolCall(arguments='{"city": "Lisbon"}', call_id="c1", name="weather", type="function_call")
    kept = []
    for session in (MemoryOSSession(memory, "monday", user_id="ann"), SQLiteSession("monday")):
        model = Scripted(call, said("It is sunny."), said("You are welcome."))
        agent = Agent("tutor", model=model, tools=[weather])
        result = await Runner.run(agent, "What is the weather in Lisbon?", session=session)
        assert result.final_output == "It is sunny."
        await Runner.run(agent, "Thank you.", session=session)
        kept.append((await session.get_items(), model.sent[-1][1]))
    assert kept[0] == kept[1]
    assert [item.get("type", item.get("role")) for item in kept[0][0]] == [
        "user", "function_call", "function_call_output", "message", "user", "message",
    ]  # fmt: skip


async def test_a_run_is_told_what_other_sessions_remember_and_does_not_store_it(memory: MemoryOS) -> None:
    monday, friday = (MemoryOSSession(memory, day, user_id="ann") for day in ("monday", "friday"))
    await Runner.run(Agent("tutor", model=Scripted(said("Noted."))), "I moved to Lisbon in March.", session=monday)
    model = Scripted(said("Lisbon."), said("Hello."))
    agent, config = (
        Agent("tutor", instructions="Be brief.", model=model),
        RunConfig(call_model_input_filter=friday.recall_into),
    )
    await Runner.run(agent, "Which city did I move to?", session=friday, run_config=config)
    told = model.sent[0][0]
    assert told is not None
    assert told.startswith("Be brief.\n\n")
    assert "I moved to Lisbon in March." in told
    assert "Which city" not in told
    assert "March" not in json.dumps(await friday.get_items())
    stranger = MemoryOSSession(memory, "friday", user_id="bob")
    config = RunConfig(call_model_input_filter=stranger.recall_into)
    await Runner.run(agent, "Which city did I move to?", session=stranger, run_config=config)
    assert model.sent[1][0] == "Be brief."


def test_it_works_from_run_sync(memory: MemoryOS) -> None:
    session = MemoryOSSession(memory, "monday", user_id="ann")
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    try:
        for answer in ("One.", "Two."):
            Runner.run_sync(Agent("tutor", model=Scripted(said(answer))), "Count.", session=session)
        assert len(loop.run_until_complete(session.get_items())) == 4
    finally:
        asyncio.set_event_loop(None)
        loop.close()


async def test_what_a_session_stores_is_recalled_by_the_users_other_hosts(memory: MemoryOS) -> None:
    session = MemoryOSSession(memory, "monday", user_id="ann")
    agent = Agent("tutor", model=Scripted(said("Noted.")))
    await Runner.run(agent, "I moved to Lisbon in March.", session=session)
    question = "Which city did I move to?"
    chain = MemoryOSChatMessageHistory(memory, "chain", user_id="ann", include_recall=True)
    await chain.aadd_messages([*[m for m in chain.messages if m.type == "human"], _human(question)])
    assert "Lisbon in March" in chain.messages[0].text
    index = MemoryOSMemory(memory, user_id="ann", session_id="index")
    assert "Lisbon in March" in str((await index.aget(question))[0].content)
    same = MemoryOSChatMessageHistory(memory, "monday", user_id="ann").messages
    assert [m.text for m in same] == ["I moved to Lisbon in March.", "Noted."]
    await session.clear_session()
    assert "Lisbon in March" in memory.user("ann", session_id="sunday").recall(question).text


def _human(text: str) -> Any:
    from langchain_core.messages import HumanMessage

    return HumanMessage(text)


def test_the_example_is_short_and_imports_public_names_alone() -> None:
    source = EXAMPLE.read_text("utf-8")
    assert len(source.splitlines()) < 150
    modules = [node.module or "" for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ImportFrom)]
    ours = [module for module in modules if module.startswith("memoryos")]
    assert ours
    assert all(m == "memoryos_core" or m.startswith("memoryos_core.hosts") for m in ours)
    assert all(not part.startswith("_") for m in modules if m != "__future__" for part in m.split("."))


def test_the_guide_runs(tmp_path: Path) -> None:
    blocks = re.findall(r"```python\n(.*?)```", (DOCS / "openai-agents.md").read_text("utf-8"), flags=re.DOTALL)
    code = compile_in_loop("".join(blocks))
    command = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(EXAMPLE.parent)!r})\n{code}"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("In Lisbon.\nIn Lisbon.\n<memory>")
    assert "I moved to Lisbon in March." in done.stdout


def compile_in_loop(code: str) -> str:
    """Return code that runs top-level `await`s, as a notebook does."""
    flags = "ast.PyCF_ALLOW_TOP_LEVEL_AWAIT"
    return f"import ast, asyncio\nasyncio.run(eval(compile({code!r}, 'guide', 'exec', flags={flags})))"


async def test_what_a_limit_leaves_out_of_the_prompt_is_recalled(memory: MemoryOS) -> None:
    session = MemoryOSSession(memory, "monday", user_id="ann")
    await session.add_items(
        [{"role": "user", "content": "My locker code is 7291."}, {"role": "assistant", "content": "Noted."}]
    )
    for number in range(8):
        await session.add_items(
            [{"role": "user", "content": f"Train {number} is late."}, {"role": "assistant", "content": "Sorry."}]
        )
    items = [*await session.get_items(4), {"role": "user", "content": "What is my locker code?"}]
    filled = await session.recall_into(CallModelData(ModelInputData(items, None), cast("Any", None), None))
    assert "7291" in str(filled.instructions)
    assert "Train 7" not in str(filled.instructions)
