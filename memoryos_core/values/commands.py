"""Commands of the store: one value per verb, so that a verb can gain a field with a default.

Every write names its scope, is one transaction, and either happens whole or not at all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from memoryos_core.values.dialogue import Chain, Message, Scope, Segment, Vector
from memoryos_core.values.facts import Fact, FactStatus, ProfileField, Trait, Trust
from memoryos_core.values.notes import NoteWrite as NoteWrite
from memoryos_core.values.queries import Cursor as Cursor
from memoryos_core.values.queries import EmbedderStamp as EmbedderStamp
from memoryos_core.values.queries import Feed as Feed
from memoryos_core.values.queries import PageQuery as PageQuery
from memoryos_core.values.queries import Pending as Pending


@dataclass(frozen=True, slots=True)
class NewPage:
    """Messages of one page, as `rules.paging` grouped them; `extends_last` joins the session's last page instead.

    An `ended` page belongs to a conversation that is already over. The store creates a missing id. A page that is
    extended gets these messages and tokens and the new `open`, the lower trust, and the labels of both; its vectors go.
    """

    messages: tuple[Message, ...]
    tokens: int
    open: bool
    extends_last: bool = False
    trust: Trust = "assistant"
    labels: tuple[str, ...] = ()
    ended: bool = False
    id: str | None = None


@dataclass(frozen=True, slots=True)
class Append:
    """New pages for short-term memory. A ConflictError means that `after` is no longer the session's last page.

    The last page is the newest that has not ended, in any tier; None for a session without one. `after` is compared
    with it only with `check_after`. Extending it when it has ended or left short-term memory is a ConflictError too,
    and where `after_tokens` names its size, when it has grown meanwhile.

    `takes` are keys of messages that this session stores once: the nth key is that of the nth message, None for a
    message without one (extra keys belong to the last page). A message that the session has taken before and still
    holds is a ConflictError. `ends` are pages of this session, id and tokens, that end as the new ones come in
    their place: one that has ended or grown meanwhile is a ConflictError. With `restarts` all pages that the session
    has so far end, whatever they are by now. `notes` are written in the same transaction.
    """

    scope: Scope
    session_id: str
    pages: tuple[NewPage, ...]
    at: datetime
    after: str | None = None
    check_after: bool = False
    after_tokens: int | None = None
    takes: tuple[str | None, ...] = ()
    ends: tuple[tuple[str, int], ...] = ()
    restarts: bool = False
    notes: tuple[NoteWrite, ...] = ()


@dataclass(frozen=True, slots=True)
class VectorRow:
    """The vector of one message of a page, under the part of its first passage, or of a fact (part "fact").

    `tokens` is the size of the page when it was embedded: a page that has grown since gets no vector. `embedder`
    is the name of its maker: if the store has the stamp of another, EmbedderMismatchError is raised and nothing is
    written. The rows of one command replace every vector of their owner.
    """

    owner_id: str
    part: str
    vector: Vector = field(compare=False, repr=False)
    tokens: int | None = None
    embedder: str | None = None


@dataclass(frozen=True, slots=True)
class FactChange:
    """A change of status or new evidence of a stored fact. None leaves a field as it is.

    A fact that becomes current is replaced by nothing any more: `superseded_by` and `valid_until` become None. An
    unknown fact is ignored, and so are pages that are gone or that support the fact already.
    """

    fact_id: str
    status: FactStatus | None = None
    valid_until: datetime | None = None
    superseded_by: str | None = None
    add_page_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Learning:
    """Changes to long-term memory in one transaction. Traits and fields replace the current value of their name.

    The ids of facts are new ones, or StoreError is raised. A fact, trait or field that cites only pages which are gone
    is not stored, nor is a change that it would supersede another fact by; the others are stored without these pages.
    `notes` are written in the same transaction; `embedder` is the name of the embedder of their vectors.
    """

    facts: tuple[Fact, ...] = ()
    vectors: tuple[VectorRow, ...] = ()
    changes: tuple[FactChange, ...] = ()
    traits: tuple[Trait, ...] = ()
    profile: tuple[ProfileField, ...] = ()
    notes: tuple[NoteWrite, ...] = ()
    embedder: str | None = None


@dataclass(frozen=True, slots=True)
class Move:
    """One page leaves short-term memory for a segment."""

    page_id: str
    segment_id: str
    chain_id: str
    reread: bool = False


@dataclass(frozen=True, slots=True)
class Regroup:
    """One page of mid-term memory goes from a segment to another."""

    page_id: str
    from_id: str
    to_id: str


@dataclass(frozen=True, slots=True)
class Regrouping:
    """Topics made anew: pages of mid-term memory change their segment.

    `heat` has the visits and the interaction that a segment gains, or loses where they are negative; no count falls
    below 0. The `dissolved` segments, with the revs that were read, lose their last page by this and are deleted.
    """

    moves: tuple[Regroup, ...] = ()
    heat: Mapping[str, tuple[int, int]] = field(default_factory=dict[str, tuple[int, int]])
    dissolved: tuple[Segment, ...] = ()


@dataclass(frozen=True, slots=True)
class PageOut:
    """A batch leaves short-term memory.

    `segments` carry the rev that was read (0 = new). Their summary, keywords and centroid replace the stored ones; the
    store adds the moved pages to `l_interaction`, keeps `n_visit` and the later `last_access`, and raises the rev. What
    was learnt from the pages is stored in the same transaction; they do not count as analysed by it. By a `regrouping`
    pages that left before go to other segments of `segments`: nothing of them changes but their segment and their rev.

    ConflictError: a page is gone or has left short-term memory; a page to regroup is archived or not in its segment; a
    dissolved segment has other pages; a segment is archived; a rev is stale; the `epoch` differs from the one read
    before the batch was described (something was forgotten that the description may still hold); or, in all commands of
    a worker, the `holder` has lost the lease of the scope (ports/capabilities.py).
    """

    scope: Scope
    moves: tuple[Move, ...]
    segments: tuple[Segment, ...]
    chains: tuple[Chain, ...]
    at: datetime
    epoch: int | None = None
    holder: str | None = None
    learning: Learning = field(default_factory=Learning)
    regrouping: Regrouping = field(default_factory=Regrouping)


@dataclass(frozen=True, slots=True)
class Redescription:
    """Segments and chains described anew after a re-reading; clears the pages' reread mark, moves nothing.

    `read` are the pages that were read for it: a missing one is a conflict, as with `page_ids`.
    """

    scope: Scope
    page_ids: tuple[str, ...]
    segments: tuple[Segment, ...]
    chains: tuple[Chain, ...]
    holder: str | None = None
    read: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Promotion:
    """Result of reading pages: what was learnt, the pages read, and their share of interaction heat.

    ConflictError: another process has read a page meanwhile (unless `again`, which clears its mark); the `epoch` has
    changed, or with an `epoch` a page is gone, since something was forgotten that the findings may still hold; a fact
    of `current` is no longer current; or one of `quarantined` has left quarantine. Without an `epoch`, pages that are
    gone are ignored. The pages read get the mark `reread`; without it they keep theirs, unless they are read `again`.
    """

    scope: Scope
    learning: Learning
    at: datetime
    segment_id: str | None = None
    page_ids: tuple[str, ...] = ()
    cooled: int = 0
    reread: bool = False
    again: bool = False
    epoch: int | None = None
    current: tuple[str, ...] = ()
    holder: str | None = None
    quarantined: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Eviction:
    """The coldest segments leave mid-term memory: archived with their pages, or deleted with them."""

    scope: Scope
    segment_ids: tuple[str, ...]
    at: datetime
    archive: bool = True
    holder: str | None = None


@dataclass(frozen=True, slots=True)
class Visit:
    """Segments and facts that a recall returned, to be counted after the call returns."""

    scope: Scope
    segment_ids: tuple[str, ...]
    at: datetime
    fact_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Forgetting:
    """Request to erase; derived data that only these pages support is erased too. `at` is for the receipt alone.

    With `dry_run` nothing is erased and nothing is written to the audit log: the receipt counts what would go.
    """

    scope: Scope
    page_ids: tuple[str, ...] = ()
    fact_ids: tuple[str, ...] = ()
    session_id: str | None = None
    everything: bool = False
    at: datetime | None = None
    dry_run: bool = False


Record = tuple[Literal["page", "segment", "chain", "fact", "trait", "profile", "note", "taken"], Mapping[str, object]]
