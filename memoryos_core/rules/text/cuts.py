"""Texts cut to a number of tokens: whole sentences and whole lines of code, those first that answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from memoryos_core.rules.text.words import regex, sentences, terms

__all__ = ["best_sentence", "shorten"]

_SHORT = 80  # characters
_YES_OR_NO = regex(
    r"\W*(?:[Yy]es|[Nn]o|[Nn]ever|[Jj]a|[Nn]ein|[Oo]ui|[Nn]on|[Ss]í|[Ss]im|[Nn]ão|[Ss]ì)\b|はい|いいえ|是的|不"
)
# Code between two fences, the first of which may name its language; the last one may be missing.
# Not ```x = 1```, which stands within a line.
_FENCED = regex(r"(?<![^\s:(])(`{3,})((?:[^\n`\s][^\n`]{0,99})?)(\n.*?)(?:\1`*|\Z)", re.DOTALL)
# What begins an item of a list or a numbered heading, where it would be a sentence of its own.
_MARKER = regex(r"(?:#{1,6} +)?(?:[-*+•–]|\(?(?:(?:\d{1,3}\.)*\d{1,3}|[a-z]|[ivx]{1,5})(?:\.|\)))")
_CUT = "…"


@dataclass(frozen=True, slots=True)
class _Code:
    """The fences of a block of code, each with the white space before it."""

    opening: tuple[str, str]
    closing: tuple[str, str]


@dataclass(frozen=True, slots=True)
class _Part:
    """A sentence or a line of code, the white space before it, and the sentences by which it may be found."""

    text: str
    gap: str
    said: Sequence[str]
    code: _Code | None = None


_END = _Part("", "", ())


def shorten(
    text: str,
    question_terms: frozenset[str],
    limit: int,
    count: Callable[[str], int],
    found: frozenset[str] = frozenset(),
) -> str:
    """The sentences that share most with the question, in their order, within `limit` tokens; `…` marks each cut.

    Sentences that are `found` stand before all others, from the best of them outwards. A yes or a no that opens the
    text follows the best, since the rest may read as its opposite without it. Of fenced code lines are kept, between
    its fences.
    A text within the limit comes back verbatim. When not even one sentence fits, the best one is cut at a word; empty
    when nothing of it fits.
    """
    if count(text) <= limit:
        return text
    parts = _parts(text)
    best_first = _best_first(parts, question_terms, found)
    chosen = _within(parts, best_first, limit, count)
    best = parts[best_first[0]].text
    mark = "" if best_first[0] == 0 else f"{_CUT} "
    if best_first[1:2] == [0] and _says_yes_or_no(parts[0]) and 0 not in chosen:
        behind = f"{parts[0].text} {'' if best_first[0] == 1 else mark}"
        if both := _cut(best, behind, limit, count):
            return both
    # Sentences counted one by one can be a little under the whole: the least of them pay for it.
    while chosen:
        joined = _join_chosen(parts, frozenset(chosen))
        if count(joined) <= limit:
            return joined
        chosen.pop()
    return _cut(best, mark, limit, count)


def best_sentence(text: str, question_terms: frozenset[str], found: frozenset[str] = frozenset()) -> str:
    """Return the sentence that `shorten` keeps longest, with `…` for what it leaves out."""
    parts = _parts(text)
    return _join_chosen(parts, frozenset(_best_first(parts, question_terms, found)[:1]))


def _parts(text: str) -> list[_Part]:
    """Return the sentences and the lines of code of a text, in order."""
    out: list[_Part] = []
    end = 0
    for block in _FENCED.finditer(text):
        if block[3].strip():
            before = text[end : block.start()]
            out += _sentences(before)
            out += _lines(block, before[len(before.rstrip()) :])
            end = block.end()
    out += _sentences(text[end:])
    return out or [_Part(text, "", (text,))]


def _sentences(text: str) -> Iterator[_Part]:
    """Yield the sentences of a text; the number of a list's item is part of its first sentence."""
    marker: _Part | None = None
    for number, part in enumerate(_found_in(text, sentences(text))):
        if marker is not None:
            yield replace(part, text=f"{marker.text}{part.gap}{part.text}", gap=marker.gap)
            marker = None
        elif _MARKER.fullmatch(part.text) and ("\n" in part.gap or number == 0):
            marker = part
        else:
            yield part
    if marker is not None:
        yield marker


def _lines(block: re.Match[str], gap: str) -> list[_Part]:
    mark, language, body = block.groups()
    lines = list(_found_in(body, [line.strip() for line in body.split("\n") if line.strip()]))
    least = min((_narrow(line.gap) for line in lines), key=len)
    code = _Code((gap if "\n" in gap else least, f"{mark}{language.rstrip()}"), (least, mark))
    return [replace(line, said=sentences(line.text), code=code) for line in lines]


def _found_in(text: str, pieces: Sequence[str]) -> Iterator[_Part]:
    end = 0
    for piece in pieces:
        at = text.index(piece, end)
        yield _Part(piece, text[end:at], (piece,))
        end = at + len(piece)


def _says_yes_or_no(part: _Part) -> bool:
    """Return whether a short sentence says yes or no; a long one is taken for what it tells."""
    return len(part.text) <= _SHORT and _YES_OR_NO.match(part.text) is not None


def _best_first(parts: Sequence[_Part], question_terms: frozenset[str], found: frozenset[str]) -> list[int]:
    worth = [(not found.isdisjoint(p.said), len(question_terms.intersection(terms(p.text)))) for p in parts]
    best = max(range(len(parts)), key=lambda i: (*worth[i], -i))

    def place(i: int) -> tuple[bool, int, int, int]:
        is_found, shared = worth[i]
        return not is_found, abs(i - best) if is_found else 0, -shared, i

    order = sorted(range(len(parts)), key=place)
    if order[0] != 0 and _says_yes_or_no(parts[0]):
        order.remove(0)
        order.insert(1, 0)
    return order


def _within(parts: Sequence[_Part], best_first: Sequence[int], limit: int, count: Callable[[str], int]) -> list[int]:
    """Return the sentences that fit, best first. The best one costs what it costs alone, between its marks."""
    first = best_first[0]
    used = count(_join_chosen(parts, frozenset((first,))))
    if used > limit:
        return []
    chosen = [first]
    for i in best_first[1:]:
        price = count(parts[i].text) + 2
        if used + price <= limit:
            chosen.append(i)
            used += price
    return chosen


def _join_chosen(parts: Sequence[_Part], chosen: frozenset[int]) -> str:
    out, before = "", -1
    code: _Code | None = None
    for i in (*sorted(chosen), len(parts)):
        part = parts[i] if i < len(parts) else _END
        left_out = parts[before + 1 : i]
        gap = _narrow(part.gap) if left_out else part.gap
        if code is not None and code is not part.code and "\n" not in gap:
            gap = code.closing[0]
        for before_piece, piece in (*_between(code, left_out, part.code), (gap, part.text)):
            out += f"{before_piece}{piece}" if out and piece else piece
        before, code = i, part.code
    return out


def _between(code: _Code | None, left_out: Sequence[_Part], following: _Code | None) -> Iterator[tuple[str, str]]:
    """Yield what stands between two parts that are kept: `…` for what is left out, and fences."""
    gaps = [_narrow(part.gap) for part in left_out]
    ends = code is not None and any(part.code is code for part in left_out[:1])
    begins = following is not None and any(part.code is following for part in left_out[-1:])
    if ends:
        yield gaps[0], _CUT
    if code is not None and code is not following:
        yield code.closing
    if left_out and not ends and not begins:
        yield " " if code is None else code.closing[0], _CUT
    if following is not None and code is not following:
        yield following.opening
        if begins:
            yield gaps[-1], _CUT


def _narrow(gap: str) -> str:
    """Return white space without its empty lines: a new line, as far set in, or a blank."""
    return "\n" + gap.rpartition("\n")[2] if "\n" in gap else " "


def _cut(text: str, mark: str, limit: int, count: Callable[[str], int]) -> str:
    """Return the head of a text behind a mark, "" where nothing of it fits."""
    low, high = 0, min(len(text), max(limit, 1) * 8)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if count(mark + text[:middle] + "…") <= limit else (low, middle - 1)
    head = text[:low].rpartition(" ")[0] or text[:low]
    # A counter need not grow with every character, so the result is counted and not only the steps towards it.
    while head and count(mark + head + "…") > limit:
        head = head[:-1]
    return f"{mark}{head}…" if head and not _MARKER.fullmatch(head) else ""
