"""The choice of pages that leave short-term memory, in batches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from memoryos_core.config import ShortTermConfig
from memoryos_core.values.commands import Pending
from memoryos_core.values.dialogue import Page

__all__ = ["Outgoing", "due", "is_silent"]


@dataclass(frozen=True, slots=True)
class Outgoing:
    """Pages of one session that are to leave short-term memory together, oldest first."""

    session_id: str
    page_ids: tuple[str, ...]


def due(waiting: Sequence[Pending], config: ShortTermConfig, now: datetime | None = None) -> tuple[Outgoing, ...]:
    """The batches that are to leave short-term memory, in the order in which pages made them due.

    `waiting` are the pages of short-term memory in sequence. They are gone through as if each had just been written:
    the session of a page keeps its newest, and gives a batch once `batch_pages` are beyond those; a session that
    `active_sessions` others were written after leaves whole, as does one that has ended, or that was silent for
    `idle_hours` until the next page was said, or was written, or until `now` (None: no clock counts). So the batches
    follow from the conversation: how many of them have left already, and when somebody looked, does not show in those
    that are still to leave.
    """
    leaving: list[Outgoing] = []
    queues: dict[str, list[Pending]] = {}  # by session, the last written last

    def leave(sessions: Sequence[str]) -> None:
        for session in sessions:
            pages = queues.pop(session)
            while pages:
                leaving.append(_first(pages, config.batch_pages))

    for page in waiting:
        leave([session for session, pages in queues.items() if pages and _is_over(pages[-1], page, config)])
        queue = queues[page.session_id] = queues.pop(page.session_id, [])
        queue.append(page)
        if len(queues) > config.active_sessions:
            leave([next(iter(queues))])
        while len(queue) - _count_kept(queue, config) >= config.batch_pages:
            leaving.append(_first(queue, config.batch_pages))
    leave([session for session, pages in queues.items() if pages and _is_over_now(pages[-1], config, now)])
    return tuple(leaving)


def _is_over(last: Pending, after: Pending, config: ShortTermConfig) -> bool:
    """Return whether the session of this page was over when the next page came.

    The hours between two writes count beside those between what was said: a worker that looked in between saw them.
    """
    if config.idle_hours is None:
        return False
    ended = last.ended and after.session_id == last.session_id and not after.ended
    silent = after.timestamp - last.timestamp >= timedelta(hours=config.idle_hours)
    return ended or silent or (after.written_at is not None and is_silent(last, config.idle_hours, after.written_at))


def _is_over_now(last: Pending, config: ShortTermConfig, now: datetime | None) -> bool:
    idle = config.idle_hours
    return idle is not None and (last.ended or (now is not None and is_silent(last, idle, now)))


def is_silent(last: Page | Pending, idle_hours: float, now: datetime) -> bool:
    """Return whether so many hours have passed since this page, the last of its session, was written.

    By a clock, and not by when it was said: what is imported in parts would be cut where a worker happens to look. So
    no clock counts for a page of which its store does not tell when it was written.
    """
    return last.written_at is not None and now - last.written_at >= timedelta(hours=idle_hours)


def _first(queue: list[Pending], pages: int) -> Outgoing:
    """Take the oldest pages out of the queue of a session."""
    batch = queue[:pages]
    del queue[:pages]
    return Outgoing(batch[0].session_id, tuple(page.page_id for page in batch))


def _count_kept(queue: Sequence[Pending], config: ShortTermConfig) -> int:
    """How many of the newest pages stay: the last one, whose size may still grow, and those before it that fit."""
    kept = tokens = 0
    for page in reversed(queue[-config.capacity_pages :]):
        tokens += page.tokens if kept else 0
        if tokens > config.capacity_tokens:
            break
        kept += 1
    return kept
