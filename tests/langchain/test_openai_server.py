"""ChatOpenAI against a real server of OpenAI's protocol on this machine: llama.cpp with SmolLM2-135M."""

from __future__ import annotations

import json
import secrets
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import tiktoken.load
import xllamacpp
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder
from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.history import RunnableWithMessageHistory
from langchain_openai import ChatOpenAI
from pydantic import SecretStr

from memoryos_core import ChatRequest, MemoryConfig, MemoryOS, ShortTermConfig, WorkerConfig
from memoryos_core.errors import ModelAnswerError, ModelError
from memoryos_core.values.chat import Prompt
from memoryos_langchain.history import memory_history_factory
from memoryos_langchain.models import LangChainChatModel

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string", "maxLength": 20}},
    "required": ["city"],
    "additionalProperties": False,
}
ASKED = ChatRequest(
    (Prompt("user", 'Anna lives in Porto. Where does Anna live? Reply as {"city": ...}'),),
    schema=SCHEMA,
    schema_name="place",
)


@pytest.fixture(scope="module")
def key() -> str:
    return secrets.token_hex()


@pytest.fixture(scope="module")
def address(key: str) -> Iterator[str]:
    command = [sys.executable, str(ROOT / "scripts" / "fetch_models.py"), "smollm2"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    settings = xllamacpp.CommonParams()
    settings.model.path = done.stdout.strip()
    settings.n_ctx, settings.n_parallel, settings.verbosity = 4096, 1, -1
    settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = 1
    settings.hostnames, settings.port, settings.offline = ["127.0.0.1"], 0, True
    settings.api_keys, settings.cors_origins, settings.ui = [key], "", False
    server = xllamacpp.Server(settings)
    yield f"{server.listening_address}/v1"
    del server


@pytest.fixture(autouse=True)
def no_vocabulary_is_fetched(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    fetched: list[str] = []
    monkeypatch.setattr(tiktoken.load, "read_file", lambda where: fetched.append(where))
    yield
    assert fetched == [], "tokens were counted by tiktoken, which downloads"


@pytest.fixture
def web() -> Iterator[httpx.Client]:
    """A client of ours: LangChain's own stays open until the process ends."""
    with httpx.Client() as client:
        yield client


@pytest.fixture
def model(address: str, key: str, web: httpx.Client) -> ChatOpenAI:
    return ChatOpenAI(
        model="local",
        base_url=address,
        api_key=SecretStr(key),
        http_client=web,
        temperature=0,
        max_completion_tokens=24,
        max_retries=0,
        timeout=120,
    )


def wired(memory: MemoryOS, model: ChatOpenAI) -> Any:
    prompt = ChatPromptTemplate([("system", "Be brief."), MessagesPlaceholder("history"), ("human", "{question}")])
    return RunnableWithMessageHistory(
        prompt | model,
        memory_history_factory(memory, user_id="ada"),
        input_messages_key="question",
        history_messages_key="history",
    )


TURN: RunnableConfig = {"configurable": {"session_id": "monday"}}


def stored(memory: MemoryOS) -> list[tuple[str, str]]:
    return [(message.role, message.text) for message in memory.user("ada", session_id="monday").transcript()]


def test_an_answer_and_its_question_are_stored(memory: MemoryOS, model: ChatOpenAI) -> None:
    chain = wired(memory, model)
    answer = chain.invoke({"question": "Say hello."}, TURN)
    assert answer.text
    assert answer.usage_metadata["output_tokens"] > 0
    assert stored(memory) == [("user", "Say hello."), ("assistant", answer.text)]


def test_a_stream_is_stored_when_it_has_ended(memory: MemoryOS, model: ChatOpenAI) -> None:
    chain = wired(memory, model)
    chunks = []
    for chunk in chain.stream({"question": "Say hello."}, TURN):
        chunks.append(str(chunk.text))
        if len(chunks) == 1:
            assert stored(memory) == [], "the turn has not ended"
    assert len([text for text in chunks if text]) > 2, "it came piece by piece"
    assert stored(memory) == [("user", "Say hello."), ("assistant", "".join(chunks))]


async def test_coroutines_store_as_well_and_the_next_turn_knows_the_last(
    memory: MemoryOS, address: str, key: str
) -> None:
    async with httpx.AsyncClient() as web:
        model = ChatOpenAI(
            model="local", base_url=address, api_key=SecretStr(key), http_async_client=web, max_completion_tokens=24
        )
        chain = wired(memory, model)
        first = await chain.ainvoke({"question": "My name is Ada."}, TURN)
        chunks = [str(chunk.text) async for chunk in chain.astream({"question": "What is my name?"}, TURN)]
    assert len([text for text in chunks if text]) > 2
    assert stored(memory) == [
        ("user", "My name is Ada."),
        ("assistant", first.text),
        ("user", "What is my name?"),
        ("assistant", "".join(chunks)),
    ]
    (recalled,) = {m.type for m in memory_history_factory(memory, user_id="ada")("monday").messages} - {"human"}
    assert recalled == "ai", "no chunk is kept as a chunk"


def test_the_history_reaches_the_server(memory: MemoryOS, model: ChatOpenAI) -> None:
    chain = wired(memory, model)
    chain.invoke({"question": "My name is Ada."}, TURN)
    first, second = (chain.invoke({"question": "And?"}, TURN).usage_metadata["input_tokens"] for _ in range(2))
    assert second > first


def test_the_core_asks_it_for_json_of_a_schema(model: ChatOpenAI) -> None:
    chat = LangChainChatModel(model)
    for _ in range(2):
        reply = chat.ask(ASKED)
        assert set(json.loads(reply.text)) == {"city"}
        assert reply.prompt_tokens is not None
        assert reply.prompt_tokens > 10
        assert 0 < (reply.completion_tokens or 0) <= 24


def test_json_that_is_cut_is_an_error_and_prose_is_not(model: ChatOpenAI) -> None:
    short = model.model_copy(update={"max_tokens": None})
    with pytest.raises(ModelAnswerError, match="limit of 3 tokens") as caught:
        LangChainChatModel(short).ask(ChatRequest(ASKED.prompts, schema=SCHEMA, max_tokens=3))
    assert not caught.value.transient
    prose = LangChainChatModel(short).ask(ChatRequest((Prompt("user", "Tell a long story."),), max_tokens=4))
    assert prose.completion_tokens == 4


def test_a_wrong_key_is_told_without_it(address: str, web: httpx.Client) -> None:
    model = ChatOpenAI(model="local", base_url=address, api_key=SecretStr("SECRET"), http_client=web, max_retries=0)
    with pytest.raises(ModelError, match="401") as caught:
        LangChainChatModel(model).ask(ASKED)
    assert not caught.value.transient
    assert "SECRET" not in str(caught.value)


@pytest.mark.slow
def test_a_memory_consolidates_with_it_and_loses_nothing(path: str, model: ChatOpenAI) -> None:
    """So small a model files badly, or is cut; what it costs is counted, and no page is lost by it."""
    config = MemoryConfig(
        short_term=ShortTermConfig(capacity_pages=1, batch_pages=2), worker=WorkerConfig(mode="manual", attempts=1)
    )
    roomy = model.model_copy(update={"max_tokens": 64})
    with MemoryOS(path, embedder=None, llm=LangChainChatModel(roomy), config=config) as memory:
        ada = memory.user("ada")
        for day in range(3):
            ada.add(f"I watered the garden on day {day}.", "Good.")
        report = ada.consolidate()
        usage = memory.usage()
        assert report.pages_moved == 2
        assert usage.calls >= 1
        assert usage.prompt_tokens > 100
        stats = ada.stats()
        assert stats.pages_short_term + stats.pages_mid_term == 3
