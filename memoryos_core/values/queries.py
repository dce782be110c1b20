"""Queries of the store, and the values that reading returns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from memoryos_core.values.dialogue import Page, Scope, Tier, Vector
from memoryos_core.values.facts import Fact, FactStatus, Trust


@dataclass(frozen=True, slots=True)
class PageQuery:
    """Filter of pages to read, oldest first unless `newest_first`; every field narrows.

    `since` is included; `until`, `before_seq` and `after_seq` are not. `embedded` pages have a vector. An empty `ids`
    finds nothing, an empty `tiers` means any.
    """

    scope: Scope
    ids: tuple[str, ...] | None = None
    session_id: str | None = None
    tiers: tuple[Tier, ...] = ()
    segment_id: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    before_seq: int | None = None
    after_seq: int | None = None
    embedded: bool | None = None
    open: bool | None = None
    analysed: bool | None = None
    reread: bool | None = None
    ended: bool | None = None
    newest_first: bool = False
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class Pending:
    """A page in short-term memory, without its messages."""

    page_id: str
    session_id: str
    seq: int
    tokens: int


@dataclass(frozen=True, slots=True)
class Cursor:
    """Position up to which a cache has followed a scope. Another `epoch` means rows were deleted: start again.

    `version` rises when a page is written, grows, moves or gets vectors, and when a fact changes; a visit changes none.
    """

    epoch: int = 0
    version: int = 0


@dataclass(frozen=True, slots=True)
class Feed:
    """Pages and current facts that changed after a cursor, oldest change first. `more`: ask again from `cursor`.

    Facts that changed and are not current are named in `retired_fact_ids`. `vectors` are those of the pages and facts.
    """

    cursor: Cursor
    pages: tuple[Page, ...] = ()
    facts: tuple[Fact, ...] = ()
    retired_fact_ids: tuple[str, ...] = ()
    vectors: Mapping[str, Mapping[str, Vector]] = field(default_factory=dict[str, Mapping[str, Vector]], repr=False)
    more: bool = False


@dataclass(frozen=True, slots=True)
class Mark:
    """Data of a page or fact for retention, without content. `at` is when it was said; facts have a status."""

    id: str
    seq: int
    at: datetime
    trust: Trust
    place: Tier | FactStatus
