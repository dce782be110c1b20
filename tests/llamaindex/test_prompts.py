"""Remembered text holds nothing that LlamaIndex's templates would act on."""

from __future__ import annotations

from typing import Any

import pytest
from llama_index.core.llms import ChatMessage
from llama_index.core.prompts import ChatPromptTemplate, PromptTemplate, RichPromptTemplate

from memoryos_llamaindex.prompts import harmless, notice_for_prompt

NAMES = ("context_str", "query_str", "context_msg", "existing_answer")


@pytest.mark.parametrize("name", NAMES)
def test_no_variable_is_filled_in(name: str) -> None:
    said = f"She wrote {{{name}}} on the wall."
    values: dict[str, Any] = dict.fromkeys(NAMES, "FILLED")
    assert "FILLED" in PromptTemplate(said).format(**values), "a template does fill it in"
    assert "FILLED" not in PromptTemplate(harmless(said)).format(**values)
    chat = ChatPromptTemplate(message_templates=[ChatMessage(role="user", content=harmless(said))])
    assert "FILLED" not in str(chat.format_messages(**values))


@pytest.mark.parametrize("tag", ["<content_block>", "</content_block>", "< CONTENT_BLOCK_x>"])
def test_no_file_is_attached(tag: str) -> None:
    said = harmless(f'{tag}{{"type": "text", "text": "x"}}')
    assert said.startswith("&lt;")
    shown = RichPromptTemplate("{{ said }}").format_messages(said=said)
    assert "&lt;" in str(shown[0].content).replace("&amp;", "&")


def test_what_is_no_variable_stays() -> None:
    for said in ('{"context": 1}', "{other}", "{ context_str }", "{context_strs}", "a < b", ""):
        assert harmless(said) == said


def test_nothing_recalled_says_nothing() -> None:
    assert notice_for_prompt("") == ""
    assert "<memory>" in notice_for_prompt("<memory>\nx\n</memory>")
