"""A model as the judge of a reply where the authors publish no answer: the three marks of MemoryBank's evaluation.

The judge reads the whole conversation, the question and the reply. It marks whether what the reply needed was
remembered (retrieval: 0 or 1), whether the reply is right (correctness: 0, 0.5 or 1) and whether it reads as an answer
to this user (coherence: 0, 0.5 or 1). Marks of one model must not be compared with marks of another.
"""

from __future__ import annotations

import re

from benchmarks.baselines import rendered
from benchmarks.talks import Talk
from memoryos_core.extract.asking import without_thinking
from memoryos_core.values.chat import ChatRequest, Prompt

_MARKS = ("retrieval", "correctness", "coherence")
_SYSTEM = """\
You judge how well an assistant remembers a user. You are given all that both said, day by day, then a question of the \
user and the reply of the assistant. Give three marks, each on a line of its own:
retrieval: 1 when the reply is based on what was said that the question is about, else 0
correctness: 1 when what the reply says is right by the conversation, 0.5 when a part of it is, else 0
coherence: 1 when the reply answers the question and reads naturally, 0.5 when it does partly, else 0
Write nothing else."""
_LINE = {name: re.compile(rf"{name}\W*(0\.5|0|1)\b", re.IGNORECASE) for name in _MARKS}
_CEILING = 512  # room for a model that thinks first


def judge_request(talk: Talk, question: str, reply: str) -> ChatRequest:
    """Return what a judge is asked about a reply."""
    said = "\n\n".join(rendered(session) for session in talk.sessions)
    asked = f"{said}\n\nQuestion of the user: {question}\nReply of the assistant: {reply}\n\nMarks:"
    return ChatRequest((Prompt("system", _SYSTEM), Prompt("user", asked)), max_tokens=_CEILING)


def read_marks(text: str) -> dict[str, float]:
    """Return the marks that a judge gave, by name; nothing when one of the three is missing."""
    bare = without_thinking(text)
    found = {name: line.search(bare) for name, line in _LINE.items()}
    marks = {name: float(match[1]) for name, match in found.items() if match}
    return marks if len(marks) == len(_MARKS) else {}
