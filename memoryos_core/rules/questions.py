"""A question as it arrives, made fit to search with."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memoryos_core.rules.pasted import unwrapped
from memoryos_core.rules.replies import asks_assistant
from memoryos_core.rules.words import sentences

__all__ = ["asks", "asks_assistant", "clean"]

_LONG = 600
_KEEP = 400
_READ = 20 * _LONG
# From either end of a long text, how many sentences a question is looked for in before it is in the whole.
_FIRST, _LAST = 2, 3

# How a question begins, or ends, that has no mark.
_ASKS = re.compile(
    r"(?:and |but |so |please |can you |could you )?(?:what|when|where|who|whom|whose|which|why|how|did|does|do|is|are"
    r"|was|were|have|has|had|can|could|tell me|remind me|list|name|find|recall|summari[sz]e)\b"
    r"|.{0,200}(?:什么|什麼|甚麼|哪|谁|誰|几|幾|多少|怎么|怎麼|何时|是否|有没有|有沒有|告诉我|告訴我|提醒我|[吗嗎呢]。?$"
    r"|どこ|だれ|いつ|どう|どれ|どの|どんな|なぜ|なに|何|いくつ|いくら|教えて|[すたの]か。?$)",
    re.IGNORECASE | re.DOTALL,
)
# What tells a model how to answer.
_PROMPT = re.compile(
    r"(?:you are|you're|act as) (?:a|an|the|now)\b"
    r"|(?:please )?(?:answer|respond|reply|return|output|mention|use|write|think|keep|be|base|do not|don't|never"
    r"|always|if you (?:do not|don't|are not|cannot|can't)|if the (?:answer|context))\b.{0,200}\b(?:answers?"
    r"|brief\w*|concise\w*|only|sentences?|words?|json|markdown|step by step|context|unknown|short|helpful|bullets?"
    r"|make up|invent|i don't know)\b"
    r"|[你您]是(?:一[个個名位]|.{0,20}助[手理])|(?:请|請)?(?:用|根据|根據|以|只|不要|简短|簡短|按照).{0,60}(?:回答|回复|回覆|编造|編造)"
    r"|あなたは.{0,60}(?:です|アシスタント)|.{0,80}(?:答えて|回答して|出力して)ください",
    re.IGNORECASE | re.DOTALL,
)


def clean(query: str) -> str:
    """The question itself: what is pasted around it (a system prompt, a transcript, a document) must not drown it.

    What its markup sets apart goes, and sentences that tell a model how to answer; of what is still long the questions
    at its ends are kept, the last ones first, else those in its midst, else its end. A short one that has none of this
    comes back stripped.
    """
    text = unwrapped(_readable(query), any_tag=len(query) > _LONG)
    parts = sentences(text)
    if len(text) > _LONG:
        return _shortened(_without_prompts(parts))
    kept = _without_prompts(parts)
    return text if len(kept) == len(parts) else " ".join(kept)


def _readable(query: str) -> str:
    """What can be encoded, of a long one both ends: what is pasted may be megabytes, and costs by the letter."""
    text = query if len(query) <= _READ else f"{query[: _READ // 2]}\n\n{query[-_READ // 2 :]}"
    return text.replace("\x00", " ").encode("utf-8", "replace").decode("utf-8").strip()


def _without_prompts(parts: Sequence[str]) -> list[str]:
    """Without what tells a model how to answer, if a question is left."""
    kept = [part for part in parts if _is_marked(part) or _PROMPT.match(part) is None]
    return kept if any(map(_is_marked, kept)) or any(map(asks, kept[:1] + kept[-1:])) else list(parts)


def _is_marked(part: str) -> bool:
    return part.endswith(("?", "？"))


def asks(part: str) -> bool:
    """Return whether a sentence is a question, by its mark, its first words or its last ones."""
    return _is_marked(part) or _ASKS.match(part) is not None


def _shortened(parts: Sequence[str]) -> str:
    """The questions that it begins and ends with, else those near its ends, else any, else its end."""
    marked = [_is_marked(part) for part in parts]
    # Without a mark many a sentence looks like a question: only the very first and last are taken for one.
    bounds = [asks(parts[0]), *marked[1:-1], asks(parts[-1])][: len(parts)]
    first = next((i for i, is_question in enumerate(bounds) if not is_question), len(parts))
    last = next((i for i, is_question in enumerate(reversed(bounds)) if not is_question), 0)
    asked = [*parts[:first], *parts[max(len(parts) - last, first) :]]
    near = (part for i, part in enumerate(parts) if marked[i] and (i < _FIRST or i >= len(parts) - _LAST))
    asked = (
        asked or list(near) or [part for part, is_marked in zip(parts, marked, strict=True) if is_marked] or list(parts)
    )
    kept: list[str] = []
    for part in reversed(asked):
        if kept and sum(map(len, kept)) + len(part) > _KEEP:
            break
        kept.insert(0, part[-_KEEP:])
    return " ".join(kept).strip()
