"""Remembered text on its way into LlamaIndex's prompts."""

from __future__ import annotations

import re

from memoryos_core.hosts.windows import add_notice

# Chat engines push the whole history through their prompt templates, where these names are filled in.
_VARIABLE = re.compile(r"\{(context_str|query_str|context_msg|existing_answer)\}")
# The templates of `Memory` take what stands in this tag for a picture or a file to be sent along.
_ATTACHED = re.compile(r"<(?=\s*/?\s*content_block)", re.IGNORECASE)


def harmless(text: str) -> str:
    """Text in which no variable of LlamaIndex's templates stands any more, nor a tag of theirs: "{ context_str }"."""
    return _ATTACHED.sub("&lt;", _VARIABLE.sub(r"{ \1 }", text))


def notice_for_prompt(recalled: str) -> str:
    """Put the notice before a recall text, for any LlamaIndex prompt; "" stays ""."""
    return harmless(add_notice(recalled))
