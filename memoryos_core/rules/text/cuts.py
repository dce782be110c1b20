"""Texts cut to a number of tokens: whole sentences, those first that answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from memoryos_core.rules.text.words import regex, sentences, terms

__all__ = ["best_sentence", "shorten"]

_SHORT = 80  # characters
_YES_OR_NO = regex(
    r"\W*(?:[Yy]es|[Nn]o|[Nn]ever|[Jj]a|[Nn]ein|[Oo]ui|[Nn]on|[Ss]í|[Ss]im|[Nn]ão|[Ss]ì)\b|はい|いいえ|是的|不"
)


def shorten(
    text: str,
    question_terms: frozenset[str],
    limit: int,
    count: Callable[[str], int],
    found: frozenset[str] = frozenset(),
) -> str:
    """The sentences that share most with the question, in their order, within `limit` tokens; `…` marks each cut.

    Sentences that are `found` stand before all others, from the best of them outwards. A yes or a no that opens the
    text follows the best, since the rest may read as its opposite without it.
    A text within the limit comes back verbatim. When not even one sentence fits, the best one is cut at a word; empty
    when nothing of it fits.
    """
    if count(text) <= limit:
        return text
    parts = sentences(text) or [text]
    best_first = _best_first(parts, question_terms, found)
    chosen = _within(parts, best_first, limit, count)
    mark = "" if best_first[0] == 0 else "… "
    if best_first[1:2] == [0] and _says_yes_or_no(parts[0]) and 0 not in chosen:
        behind = f"{parts[0]} {'' if best_first[0] == 1 else mark}"
        if both := _cut(parts[best_first[0]], behind, limit, count):
            return both
    # Sentences counted one by one can be a little under the whole: the least of them pay for it.
    while chosen:
        joined = _join_chosen(parts, frozenset(chosen))
        if count(joined) <= limit:
            return joined
        chosen.pop()
    return _cut(parts[best_first[0]], mark, limit, count)


def best_sentence(text: str, question_terms: frozenset[str], found: frozenset[str] = frozenset()) -> str:
    """Return the sentence that `shorten` keeps longest, with `…` for what it leaves out."""
    parts = sentences(text) or [text]
    return _join_chosen(parts, frozenset(_best_first(parts, question_terms, found)[:1]))


def _says_yes_or_no(sentence: str) -> bool:
    """Return whether a short sentence says yes or no; a long one is taken for what it tells."""
    return len(sentence) <= _SHORT and _YES_OR_NO.match(sentence) is not None


def _best_first(parts: Sequence[str], question_terms: frozenset[str], found: frozenset[str]) -> list[int]:
    worth = [(p in found, len(question_terms.intersection(terms(p)))) for p in parts]
    best = max(range(len(parts)), key=lambda i: (*worth[i], -i))

    def place(i: int) -> tuple[bool, int, int, int]:
        is_found, shared = worth[i]
        return not is_found, abs(i - best) if is_found else 0, -shared, i

    order = sorted(range(len(parts)), key=place)
    if order[0] != 0 and _says_yes_or_no(parts[0]):
        order.remove(0)
        order.insert(1, 0)
    return order


def _within(parts: Sequence[str], best_first: Sequence[int], limit: int, count: Callable[[str], int]) -> list[int]:
    """Return the sentences that fit, best first. The best one costs what it costs alone, between its marks."""
    first = best_first[0]
    used = count(_join_chosen(parts, frozenset((first,))))
    if used > limit:
        return []
    chosen = [first]
    for i in best_first[1:]:
        price = count(parts[i]) + 2
        if used + price <= limit:
            chosen.append(i)
            used += price
    return chosen


def _join_chosen(parts: Sequence[str], chosen: frozenset[int]) -> str:
    out: list[str] = []
    for i in range(len(parts)):
        if i in chosen:
            out.append(parts[i])
        elif not out or out[-1] != "…":
            out.append("…")
    return " ".join(out)


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
    return f"{mark}{head}…" if head else ""
