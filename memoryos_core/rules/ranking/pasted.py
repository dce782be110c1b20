"""Text pasted around a question, found by its markup: tags, chat marks, code fences, headings and speaker labels.

Nothing is taken away that would leave no word. Every pattern is bounded: the work grows with the length of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_WORD = re.compile(r"\w")
_BLANK = re.compile(r"\n[ \t]*\n")
_FENCE = re.compile(r"^ {0,3}```.{0,80}$", re.MULTILINE)
_TAG = re.compile(r"<(/?)([A-Za-z][\w-]{0,40})(?:\s[^<>]{0,200})?>")
_PASTED_TAGS = frozenset(
    (
        *("system", "system_prompt", "instruction", "instructions", "rules", "tools", "context", "memory", "memories"),
        *("history", "chat_history", "conversation", "transcript", "assistant", "example", "examples", "code", "data"),
        *("document", "documents", "doc", "source", "sources", "file", "files", "article", "email", "quote"),
    )
)
# A template's marks as labels; a blank line ends the labelled text.
_MARKS = (
    (re.compile(r"<\|(?:im_start|start_header_id)\|>(\w{1,20})(?:<\|end_header_id\|>)?"), r"\n\1: "),
    (re.compile(r"<\|(system|user|assistant)\|>"), r"\n\1: "),
    (re.compile(r"<<SYS>>"), "\nsystem: "),
    (re.compile(r"<</SYS>>|\[INST\]"), "\nuser: "),
    (re.compile(r"\[/INST\]"), "\nassistant: "),
    (re.compile(r"<(question|query|user)(?:_(?:query|question|message|input))?>", re.IGNORECASE), r"\n\1: "),
    (re.compile(r"</(?:question|query|user)(?:_(?:query|question|message|input))?>", re.IGNORECASE), "\n\n"),
    (re.compile(r"<\|\w{1,30}\|>|</?s>"), "\n"),
)
_NAMES = (
    r"(?P<asked>(?:user(?:['\u2019]s)? )?(?:question|query)|q|问题|問題|提问|提問|質問)"
    r"|(?P<said>user(?: (?:input|message|prompt))?|human|customer|input|me|用户|用戶|我|ユーザー|入力)"
    r"|(?P<told>instructions?|task|指令|指示)"
    r"|(?:system(?: (?:prompt|message))?|assistant|ai|bot|chatbot|model|answer|response|a|context|background"
    r"|documents?|(?:(?:chat|conversation) )?history|conversation|transcript|examples?|notes?|rules|output|format"
    r"|系统|系統|助手|助理|回答|答案|上下文|背景|说明|說明|要求|アシスタント|システム|文脈|注意)"
)
# "User: ", "**Question:**", or a line "### Context".
_LABEL = re.compile(
    rf"^[ \t>]{{0,4}}(?P<head>\#{{1,6}} {{1,3}}|\*\*)?(?:{_NAMES})(?:\*\*)? ?"
    r"(?:[:：](?:\*\*)?|(?(head)[ \t]{0,9}$|[:：]))",
    re.IGNORECASE | re.MULTILINE,
)


def extract_question(text: str, *, any_tag: bool) -> str:
    """The question's part of a text, as its markup has it; `any_tag`: no tag's inside is the question's."""
    text = _or_all(_cut(text, _pasted_spans(text, any_tag=any_tag)), text)
    for mark, label in _MARKS:
        text = mark.sub(label, text)
    fences = list(_FENCE.finditer(text))
    pairs = [(a.start(), b.end()) for a, b in zip(fences[::2], fences[1::2], strict=False)]
    return _question_by_label(_or_all(_cut(text, pairs), text)).strip()


def _or_all(kept: str, text: str) -> str:
    return kept if _WORD.search(kept) else text


def _cut(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """The text without spans, which may lie within one another; a blank line stands for each."""
    kept: list[str] = []
    at = 0
    for start, end in sorted(spans):
        if end > at:
            kept.append(text[at : max(start, at)])
            at = end
    return "\n\n".join([*kept, text[at:]])


def _pasted_spans(text: str, *, any_tag: bool) -> list[tuple[int, int]]:
    """Return the places of tags for pasted text, with the text between them."""
    opened: dict[str, list[int]] = {}
    found: list[tuple[int, int]] = []
    for tag in _TAG.finditer(text):
        name = tag[2].lower()
        if not (name in _PASTED_TAGS or (any_tag and not any(mark.match(tag[0]) for mark, _ in _MARKS))):
            continue
        if not tag[1]:
            opened.setdefault(name, []).append(tag.start())
        elif opened.get(name):
            found.append((opened[name].pop(), tag.end()))
    return found


def _question_by_label(text: str) -> str:
    """Return the part that a label marks as asked; else a question outside of all labels; else the last user turn."""
    labels = list(_LABEL.finditer(text))
    if not labels:
        return text
    ends = [label.start() for label in labels[1:]] + [len(text)]
    parts = [(label, text[label.end() : end].strip()) for label, end in zip(labels, ends, strict=True)]
    asked = [_BLANK.split(part)[0] for label, part in parts if label["asked"] and _WORD.search(part)]
    if asked:
        return asked[-1]
    last, body = parts[-1]
    outside = [_BLANK.split(text[: labels[0].start()].strip())[-1]]
    if last["said"] is None and last["told"] is None:
        outside.append("".join(_BLANK.split(body)[1:][-1:]))
    for part in reversed(outside):
        if part.rstrip().endswith(("?", "？")):
            return part
    for group in ("said", "told"):
        named = [part for label, part in parts if label[group] and _WORD.search(part)]
        if named:
            return named[-1]
    return _or_all(text[: labels[0].start()], text)
