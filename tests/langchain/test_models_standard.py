"""LangChain's own suites for chat models, unmodified: by a script, and over real weights."""

from __future__ import annotations

import inspect
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from langchain_core.language_models import BaseChatModel
from langchain_tests.integration_tests import ChatModelIntegrationTests
from langchain_tests.unit_tests import ChatModelUnitTests

from memoryos_core.providers.llms.gguf import GgufChat
from memoryos_langchain.chat_model import MemoryOSChatModel

ROOT = Path(__file__).resolve().parents[2]


class TestUnit(ChatModelUnitTests):
    @property
    def chat_model_class(self) -> type[BaseChatModel]:
        return MemoryOSChatModel

    @property
    def chat_model_params(self) -> dict[str, Any]:
        return {"llm": lambda prompt: "x"}

    @property
    def has_tool_calling(self) -> bool:
        return False

    @property
    def init_from_env_params(self) -> tuple[dict[str, str], dict[str, Any], dict[str, Any]]:
        return {"OPENAI_API_KEY": "k"}, {"llm": "openai:small"}, {"model_name": "openai:small"}


class Suite(ChatModelIntegrationTests):
    """The suite's methods, called one by one: those for tools and pictures would only report that they do not apply."""

    __test__ = False

    def __init__(self, model: MemoryOSChatModel) -> None:
        self._model = model

    @property
    def chat_model_params(self) -> dict[str, Any]:
        return {"llm": self._model.llm}

    @property
    def chat_model_class(self) -> type[BaseChatModel]:
        return MemoryOSChatModel


APPLICABLE = [
    "test_invoke",
    "test_ainvoke",
    "test_stream",
    "test_astream",
    "test_batch",
    "test_abatch",
    "test_conversation",
    "test_double_messages_conversation",
    "test_usage_metadata",
    "test_usage_metadata_streaming",
    "test_stop_sequence",
    "test_message_with_name",
]
# Coroutines take the same path for each kind of schema.
OF_SCHEMAS = [
    *(("test_structured_output", kind) for kind in ("pydantic", "typeddict", "json_schema")),
    ("test_structured_output_async", "pydantic"),
]


@pytest.fixture(scope="module")
def weights() -> Iterator[GgufChat]:
    command = [sys.executable, str(ROOT / "scripts" / "fetch_models.py"), "smollm2"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    chat = GgufChat(done.stdout.strip(), n_ctx=1024, threads=1)
    yield chat
    chat.close()


@pytest.mark.parametrize("name", APPLICABLE)
async def test_over_real_weights(weights: GgufChat, name: str) -> None:
    model = MemoryOSChatModel(llm=weights, max_tokens=16)
    answer = getattr(Suite(model), name)(model)
    if inspect.isawaitable(answer):
        await answer


@pytest.mark.parametrize(("name", "schema_type"), OF_SCHEMAS)
async def test_schemas_over_real_weights(weights: GgufChat, name: str, schema_type: str) -> None:
    model = MemoryOSChatModel(llm=weights, max_tokens=120)
    answer = getattr(Suite(model), name)(model, schema_type)
    if inspect.isawaitable(answer):
        await answer
