"""Grouping of messages into dialogue pages.

The pairing is a fold over the messages of the current page and nothing else: cut the stream anywhere, hand in
the last page that was stored, and the pages come out the same. So `add` may be called with any morsel.

Passages: the parts of a page that are searched and quoted, a message each; of a long one, windows of sentences.

People send bursts, and assistants long replies. A whole half of a page hides in its length the sentence that answers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import takewhile

from memoryos_core.rules.text.words import sentences, terms
from memoryos_core.values.construction import fill_slots
from memoryos_core.values.dialogue import HALVES, Half, Message, Page
from memoryos_core.values.queries import MOST_PASSAGES, half_of, part_name

__all__ = [
    "LONGEST_PAGE",
    "LONG_PAGE",
    "Passage",
    "Said",
    "Turn",
    "asks",
    "link",
    "messages_of",
    "pair",
    "passages",
    "whole",
    "window",
]

LONG_PAGE = 150
"""Messages after which a page ends at the next question or call that comes while no tool call is pending."""
LONGEST_PAGE = 200
"""Messages after which a page takes nothing but the results that its own pending calls still wait for."""


@dataclass(frozen=True, slots=True)
class Turn:
    """New messages of one page. `extends_last`: they join the page before; `open`: an answer is still due."""

    messages: tuple[Message, ...]
    extends_last: bool
    open: bool


@dataclass(slots=True)
class _Draft:
    """The page being filled: only what deciding about the next message needs."""

    count: int = 0
    replied: bool = False
    """An assistant or a tool has said something."""
    waiting: bool = False
    """A user message or a call stands without an assistant message, free of calls, after it."""
    pending: set[str] = field(default_factory=set[str])

    @property
    def open(self) -> bool:
        return self.waiting or bool(self.pending)

    def take(self, message: Message) -> None:
        self.count += 1
        if message.role in ("assistant", "tool"):
            self.replied = True
        if message.answers is not None:
            self.pending.discard(message.answers)
        if message.calls:
            self.pending.update(message.calls)
            self.waiting = True
        elif message.role == "assistant":
            # The assistant has moved on: unanswered calls expire, otherwise the page would stay open for ever.
            self.pending.clear()
            self.waiting = False
        elif message.role == "user":
            self.waiting = True

    def ends_before(self, message: Message) -> bool:
        """Return whether this message starts a new page."""
        if self.count >= LONG_PAGE:
            return self._is_full_for(message)
        if message.role == "user":
            return self.replied and not self.pending
        return message.role == "system" and self.replied and not self.open

    def _is_full_for(self, message: Message) -> bool:
        if message.answers in self.pending and not message.calls:
            return False
        if self.count >= LONGEST_PAGE:
            return True
        # Still below the limit: end between tool exchanges, and leave room for the answer.
        begins = message.role in ("user", "system") or bool(message.calls)
        return begins and not self.pending


def pair(messages: Sequence[Message], last: Page | None = None) -> tuple[Turn, ...]:
    """Group messages into pages: each into exactly one, in order, however the stream was cut before.

    A user message opens a page once the current one holds a reply and no tool call is pending; replies and
    tool results join the current page. `last` is the session's last page, closed if not in short-term memory.
    """
    draft = _Draft()
    extends = last is not None and last.tier == "short_term" and bool(last.messages)
    if last is not None and extends:
        for message in last.messages:
            draft.take(message)
    turns: list[Turn] = []
    held: list[Message] = []
    for message in messages:
        if draft.count and draft.ends_before(message):
            if held:
                turns.append(Turn(tuple(held), extends, draft.open))
            draft, held, extends = _Draft(), [], False
        draft.take(message)
        held.append(message)
    if held:
        turns.append(Turn(tuple(held), extends, draft.open))
    return tuple(turns)


def window(newest_first: Sequence[Page], capacity_pages: int, capacity_tokens: int) -> tuple[Page, ...]:
    """The newest whole pages within both bounds, oldest first; the newest is kept whatever its size.

    A page in which the user says nothing goes on with the turn before it: it stands with that page or not at all,
    unless it has a system message.
    """
    kept: list[Page] = []
    turn: list[Page] = []
    tokens = 0
    for page in newest_first:
        turn.append(page)
        tokens += page.tokens
        if kept and (len(kept) + len(turn) > capacity_pages or tokens > capacity_tokens):
            turn.pop()
            break
        if asks(page):
            kept += turn
            turn = []
    if kept:
        while turn and not any(message.role == "system" for message in turn[-1].messages):
            turn.pop()
    return tuple(reversed(kept + turn))


def messages_of(pages: Sequence[Page]) -> tuple[Message, ...]:
    """Return the messages of a window without incomplete tool exchanges.

    Before the first page in which the user says something only system messages stand: models want the user to begin.
    """
    first = next((at for at, page in enumerate(pages) if asks(page)), 0)
    return whole([m for at, page in enumerate(pages) for m in page.messages if at >= first or m.role == "system"])


def asks(page: Page) -> bool:
    """Return whether the user says something in it."""
    return any(message.role == "user" for message in page.messages)


def whole(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Return the messages without incomplete tool exchanges, which no model accepts.

    Calls at the very end, with nothing but some of their results after them, may still be answered: they stay.
    """
    kept: list[Message] = []
    at = 0
    while at < len(messages):
        message = messages[at]
        at += 1
        if not message.calls:
            if message.role != "tool":
                kept.append(message)
            continue
        results = list(takewhile(lambda m: m.role == "tool", messages[at:]))
        own = [m for m in results if m.answers in message.calls]
        at += len(results)
        if at == len(messages) or {m.answers for m in own} == set(message.calls):
            kept += (message, *own)
    return tuple(kept)


def link(continues: Sequence[bool], previous_chain: str | None, new_ids: Callable[[], str]) -> tuple[str, ...]:
    """Chain ids for a batch: a page that continues is in the chain of the page before it, else in a new one.

    `previous_chain` is the chain of the page before the first; None, and the first page starts a chain.
    """
    chains: list[str] = []
    current = previous_chain
    for continuing in continues:
        if current is None or not continuing:
            current = new_ids()
        chains.append(current)
    return tuple(chains)


# In bytes, which are some four a token in every script: about 80 tokens, of which the last sentence comes again.
_WINDOW = 320
# A message is split when it is longer than a window by half. The windows of a long one are larger, so that it has
# no more than some 24, and a half some 256; sentences that come again can make three times as many of them.
_MOST_WINDOWS, _MOST_OF_HALF = 24, 256


@fill_slots
@dataclass(frozen=True, slots=True)
class Passage:
    """A message, or a window of one: its half of the page, its place there, and its words verbatim.

    `at` is the place of the message in its page; the passage that `opens` it stands for all of it by its vector.
    """

    page_id: str
    half: Half
    number: int
    message: Message
    at: int
    text: str
    opens: bool

    @property
    def part(self) -> str:
        """The name of the passage within its page: "user", then "user.1", "user.2" and so on."""
        return part_name(self.half, self.number)

    @property
    def named_text(self) -> str:
        """The words with the name of the speaker, as they are searched.

        Vectors are made without it, since a name makes all that its speaker says alike.
        """
        return f"{self.message.name}: {self.text}" if self.message.name else self.text


def passages(page: Page) -> tuple[Passage, ...]:
    """Return what is spoken in a page in passages, the user's before the assistant's; no tool traffic, no prompts."""
    return tuple(passage for half in HALVES for passage in _of_half(page, half))


class Said:
    """The passages of a page, by name, and what each of them says. A half is split when it is first asked for."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._halves: dict[str, dict[str, Passage]] = {}
        self._stated: dict[str, list[frozenset[str]]] = {}

    def passage(self, part: str) -> Passage | None:
        """Return the passage of this name; None where there is none."""
        return self._half(half_of(part)).get(part)

    def saying(self, half: Half, statement: str) -> Passage | None:
        """Return the passage of a half that says a statement, verbatim or else in the most similar sentence."""
        there = self._half(half).values()
        if len(there) < 2:  # noqa: PLR2004 - the only one says it, if any does
            return next(iter(there), None)
        told = frozenset(terms(statement))

        def nearness(passage: Passage) -> tuple[bool, float, int]:
            alike = (len(told & said) / (1 + len(told | said)) for said in self._sentences(passage))
            return statement in passage.text, max(alike, default=0.0), -passage.number

        return max(there, key=nearness)

    def _half(self, name: str) -> dict[str, Passage]:
        if name not in self._halves:
            halves: list[Half] = [half for half in HALVES if half == name]
            self._halves[name] = {passage.part: passage for half in halves for passage in _of_half(self._page, half)}
        return self._halves[name]

    def _sentences(self, passage: Passage) -> list[frozenset[str]]:
        if passage.part not in self._stated:
            self._stated[passage.part] = [frozenset(terms(sentence)) for sentence in sentences(passage.text)]
        return self._stated[passage.part]


def _of_half(page: Page, half: Half) -> Iterable[Passage]:
    """Return the passages of a half: nearly always one, the whole message."""
    spoken = [
        (at, m)
        for at, m in enumerate(page.messages)
        if m.half == half and m.role in ("user", "assistant") and m.text.strip()
    ]
    if len(spoken) == 1 and _is_whole(spoken[0][1].text, _WINDOW):
        return (Passage(page.id, half, 0, spoken[0][1], spoken[0][0], spoken[0][1].text, opens=True),)
    return _split_half(page.id, half, spoken)


def _split_half(page_id: str, half: Half, spoken: Sequence[tuple[int, Message]]) -> Iterator[Passage]:
    least = max(_WINDOW, sum(_size(m.text) for _, m in spoken) // _MOST_OF_HALF) if len(spoken) > 1 else _WINDOW
    number = 0
    for at, message in spoken:
        for place, text in enumerate(_windows(message.text, least)):
            if number == MOST_PASSAGES:
                return
            yield Passage(page_id, half, number, message, at, text, opens=place == 0)
            number += 1


def _windows(text: str, least: int) -> Iterator[str]:
    """The whole text, or windows of whole sentences, each of which begins with the last sentence of the one before."""
    if _is_whole(text, least):
        yield text
        return
    length = _size(text)
    most = max(least, length // _MOST_WINDOWS)
    start = end = last = used = last_size = 0
    for sentence in sentences(text):
        at, size = text.index(sentence, end), _size(sentence)
        if used and used + size > most:
            yield text[start:end]
            start, used = (last, last_size) if last_size + size <= most else (at, 0)
        elif not used:
            start = at
        last, last_size, end, used = at, size, at + len(sentence), used + size
    yield text[start:end]


def _is_whole(text: str, least: int) -> bool:
    return 2 * _size(text) <= 3 * least


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode(errors="replace"))
