"""The prose of a message, as clauses: code, headings and stage directions are left out, lists join their lead.

Every pattern is bounded, so the work grows with the length of the text and no faster.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memoryos_core.rules.text.words import sentences

READ_CHARS = 16_000
"""What is read of one message; a pasted megabyte is a document, not a statement."""
_SENTENCE_CHARS = 1200
_ITEMS_OF_A_LIST, _WORDS_OF_A_LIST = 6, 40

_ITEM = re.compile(r"\s*(?:[-*+•‣·–]|\(?\d{1,2}[.)]|[a-z][.)])\s+")
_HEADING = re.compile(r"\s*#{1,6}\s|\s*\|.*\||\s*[-=_*]{3,}\s*$|\s*>")
_STAGE = re.compile(r"\[[^\[\]\n]{0,300}\]|<[a-zA-Z/!][^<>\n]{0,300}>")
_LINK = re.compile(r"\[([^\[\]\n]{1,200})\]\([^()\s]{1,500}\)")
_CODE = re.compile(
    r"""
    [;{}]\s*$ | ^\s*[)\]}]+[,;]?\s*$ | => | ^\s*(?:\$|>>>|//|\#!|/\*|\*/|@\w)
    | ^\s*(?:import|from\s[\w.]+\simport|def|class|return|const|let|var|function|async|await|public|private
        |static|void|if\s?\(
        |for\s?\(|while\s?\(|else\b|try:|except|elif|print\(|console\.|npm|pip|git|cd|sudo|curl|docker|SELECT
            |INSERT|CREATE|UPDATE
        |DELETE|FROM|WHERE|JOIN)\s.*[=({:;\\/.\[<]
    | ^\s*[\w.\[\]"']{1,60}\s?(?:=|\+=|:=)\s?\S | ^\s*[\w.]{1,60}\([^()]{0,200}\)\s*:?\s*$
        | ^\s*"[\w-]{1,40}"\s?: | ^\s*<[/!a-zA-Z]
    | ^\s*(?:for\s[\w\s,()]{1,60}\sin|while|if|elif|with)\s[^:]{1,200}:\s*(?:\S+\(.*)?$
    | ^\s*[├└│]
    """,
    re.VERBOSE,
)
_MARKS = re.compile(r"\*\*|__|`+|(?<!\w)\*(?=\w)|(?<=\w)\*(?!\w)")
_PROSE_LETTERS = 0.72


def _is_code(line: str) -> bool:
    if _CODE.search(line[:400]):
        return True
    sample = line[:400]
    plain = sum(c.isalnum() or c.isspace() or c in "'\".,?!，。、！？" for c in sample)
    return plain < len(sample) * _PROSE_LETTERS


def _lines(text: str) -> Iterator[tuple[str, bool]]:
    """Return the lines of prose; True with those that are items of a list."""
    for part in text[:READ_CHARS].replace("\u2019", "'").split("```")[::2]:
        for line in part.split("\n"):
            if not line.strip() or _HEADING.match(line):
                continue
            item = _ITEM.match(line)
            plain = line[item.end() :] if item else line
            plain = " ".join(_STAGE.sub(" ", _MARKS.sub("", _LINK.sub(r"\1", plain))).split())
            if plain and not _is_code(plain):
                yield plain, item is not None


def sentences_of(text: str) -> list[str]:
    """Return the sentences of the prose; a sentence that opens a list holds the list's first items."""
    out: list[str] = []
    items = room = 0
    for line, is_item in _lines(text):
        if is_item and room > 0 and items < _ITEMS_OF_A_LIST:
            room -= line.count(" ") + 1
            out[-1] = f"{out[-1]}{' ' if items == 0 else '; '}{line.rstrip('.;')}"
            items += 1
            continue
        if is_item and items:
            continue
        out.extend(s for s in sentences(line) if len(s) <= _SENTENCE_CHARS)
        items, room = 0, _WORDS_OF_A_LIST if out and line.endswith(":") else 0
    return out


_PERSON = r"(?:i|we|my|our)(?:'(?:m|ve|d|ll|re))?"
_ASKING = (
    r"(?:can|could|would|will|do|did|should|how|what|where|why|who|is there|are there|any (?:tips|advice|ideas|"
    r"suggestions|thoughts)|"
    r"please|here(?:'s| is| are)|let's|let me|does|is (?:this|that|it|there|my)|are (?:these|those|there|my)|"
    r"am i|was|were|have you|has)"
)
_JOINT = re.compile(
    rf"""
    \s*[;—–]\s+ | \s+-\s+ | \s*\.{{3}}\s+ | \s*…\s+
    | ,\s+(?=(?:(?:and|but|so|because|since|as|considering|given|while|although|though|also|then|plus|however
        |or)\s+){{0,2}}
        (?:{_PERSON}|{_ASKING})\b)
    | \s+(?=(?:but|because|since|considering|so|and)\s+(?:i|we)(?:'(?:m|ve|d|ll|re))?\s)
    """,
    re.VERBOSE | re.IGNORECASE,
)
_STATING = re.compile(
    r"(?:since|because|as|considering|given|but|and|while|so) (?:that )?(?:i|i'm|i've|we|my|our)\b", re.IGNORECASE
)
_WORDS_OF_A_SHORT_SENTENCE = 16
_I_FIRST = re.compile(r"(?:(?:i|we)(?:'(?:m|ve|d|ll|re))?|my name is)\s", re.IGNORECASE)  # not "My wife and I like it"
_AND_I = re.compile(r",?\s+(?=and (?:i|we)(?:'(?:m|ve|d|ll|re))?\s)", re.IGNORECASE)


def clauses_of(sentence: str) -> list[str]:
    """Return the clauses of an English sentence, each with its own subject; a short one is cut at "and I" alone."""
    if sentence.count(" ") < _WORDS_OF_A_SHORT_SENTENCE and not sentence.endswith(("?", ":")):
        return _AND_I.split(sentence) if _I_FIRST.match(sentence) else [sentence]
    clauses = [clause for part in _JOINT.split(sentence) if (clause := part.strip(" ,"))]
    if len(clauses) > 1 and clauses[-1].endswith("?") and _STATING.match(clauses[-1]):
        # "Can you suggest a dinner, since I prefer vegetarian food?"
        clauses[-1] = clauses[-1].rstrip("?")
    return clauses
