"""A store in the memory of this process: the verbs of the core, and no capability (docs/stores.md).

Each scope is one `Memory`. A write works on a copy, which takes its place when nothing was refused: that is the
transaction. What is read is never changed any more, and the rows are frozen, so reading needs no lock.
"""

from __future__ import annotations

import itertools
import uuid
from collections import Counter
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from typing import TypeVar

import numpy as np

from memoryos_core.errors import ClosedError, ConflictError, EmbedderMismatchError, InvalidInputError
from memoryos_core.ports.forks import Lock
from memoryos_core.values import commands
from memoryos_core.values.dialogue import Chain, HeatCounters, Page, Scope, Segment, Vector
from memoryos_core.values.facts import TRUSTS, Fact, Profile, ProfileField, Trait
from memoryos_core.values.reports import ForgetReceipt, Stats

Row = TypeVar("Row", Page, Fact)
Citing = TypeVar("Citing", Fact, Trait, ProfileField)


@dataclass
class Memory:
    """The rows of one scope, in the order of writing. `changed` names pages and facts with their last version."""

    epoch: int = 0
    version: int = 0
    seq: int = 0
    profile_version: int = 0
    pages: dict[str, Page] = field(default_factory=dict)
    segments: dict[str, Segment] = field(default_factory=dict)
    chains: dict[str, Chain] = field(default_factory=dict)
    facts: dict[str, Fact] = field(default_factory=dict)
    traits: dict[str, Trait] = field(default_factory=dict)
    fields: dict[str, ProfileField] = field(default_factory=dict)
    vectors: dict[str, dict[str, Vector]] = field(default_factory=dict)
    taken: dict[tuple[str, str], str] = field(default_factory=dict)
    changed: dict[str, int] = field(default_factory=dict)

    def copy(self) -> Memory:
        rows = {f.name: getattr(self, f.name) for f in fields(self)}
        return Memory(**{name: dict(kept) if isinstance(kept, dict) else kept for name, kept in rows.items()})

    def put(self, rows: dict[str, Row], row: Row) -> None:
        rows[row.id] = row
        self.touch(row.id)

    def touch(self, owner_id: str) -> None:
        self.version += 1
        self.changed.pop(owner_id, None)
        self.changed[owner_id] = self.version

    def next_seq(self) -> int:
        self.seq += 1
        return self.seq

    def put_profile(self, traits: dict[str, Trait], profile: dict[str, ProfileField]) -> None:
        if (traits, profile) != (self.traits, self.fields):
            self.traits, self.fields, self.version = traits, profile, self.version + 1
            self.profile_version = self.version

    def put_vectors(self, rows: Iterable[commands.VectorRow]) -> None:
        found: dict[str, dict[str, Vector]] = {}
        for row in rows:
            page = self.pages.get(row.owner_id)
            if row.owner_id in self.facts or (page and row.tokens in (None, page.tokens)):
                found.setdefault(row.owner_id, {})[row.part] = np.array(row.vector, dtype=np.float32)
        for owner_id, parts in found.items():
            self.vectors[owner_id] = parts
            self.touch(owner_id)

    def describe(self, segments: Iterable[Segment], chains: Iterable[Chain], moved: Counter[str]) -> None:
        for new in segments:
            known = self.segments.get(new.id, replace(new, n_visit=0, l_interaction=0, rev=0))
            conflict_if(known.rev != new.rev or (known.archived and moved[new.id] > 0))
            dates = [at for at in (known.last_access, new.last_access) if at is not None]
            counts = {"l_interaction": known.l_interaction + moved[new.id], "last_access": max(dates, default=None)}
            texts = {"summary": new.summary, "keywords": new.keywords, "centroid": new.centroid}
            self.segments[new.id] = replace(known, rev=known.rev + 1, **texts, **counts)
        self.chains.update((chain.id, chain) for chain in chains)

    def cite(self, row: Citing) -> Citing | None:
        """Return the row with those of its pages that are there; None when all of them are gone."""
        left = tuple(i for i in dict.fromkeys(row.page_ids) if i in self.pages)
        return replace(row, page_ids=left) if left or not row.page_ids else None

    def erase(self, owner_ids: Iterable[str]) -> Counter[str]:
        """Erase pages or facts, with all that belongs to no page any more; return counts by the names of a receipt."""
        erased = Counter[str]()
        for owner_id in owner_ids:
            erased["vectors"] += len(self.vectors.pop(owner_id, {}))
            for rows in (self.pages, self.facts, self.changed):
                rows.pop(owner_id, None)
        kept = {i for page in self.pages.values() for i in (page.id, page.segment_id, page.chain_id)}
        for name, homes in (
            ("segments", {i: i for i in self.segments}),
            ("chains", {i: i for i in self.chains}),
            ("taken", self.taken),
        ):
            gone = [key for key, home in homes.items() if home not in kept]
            erased[name] = len([getattr(self, name).pop(key) for key in gone])
        return erased

    def centroid(self, segment: Segment) -> Vector:
        """Return the mean direction of its pages; no numbers while some of them wait for their vectors."""
        inside = [page.id for page in self.pages.values() if page.segment_id == segment.id]
        known = [np.mean(list(self.vectors[i].values()), axis=0) for i in inside if i in self.vectors]
        if not known:
            return np.zeros_like(segment.centroid)
        directions = [v / max(float(np.linalg.norm(v)), 1e-9) for v in known]
        return np.array(np.mean(directions, axis=0) if len(known) == len(inside) else [], dtype=np.float32)

    def is_pending(self) -> bool:
        return any(p.tier == "short_term" or p.reread or p.id not in self.vectors for p in self.pages.values())

    def counts(self) -> Counter[str]:
        """Return the numbers of rows by their names in `Stats`."""
        tiers = {"short_term": "pages_short_term", "mid_term": "pages_mid_term", "archive": "pages_archived"}
        counts = Counter(tiers[page.tier] for page in self.pages.values())
        counts.update("segments_archived" if segment.archived else "segments" for segment in self.segments.values())
        counts.update(f"facts_{fact.about}" for fact in self.facts.values() if fact.status == "current")
        counts["sessions"] = len({page.session_id for page in self.pages.values()})
        counts["pages_to_reread"] = sum(page.reread for page in self.pages.values())
        return counts + Counter(traits=len(self.traits), profile_fields=len(self.fields))


def conflict_if(changed: bool) -> None:
    if changed:
        raise ConflictError("the memory changed since it was read; read it again and repeat the command")


class InMemoryStore:
    """Implements `memoryos_core.ports.Store`, which describes the verbs. Thread-safe, for one process."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._scopes: dict[Scope, Memory] = {}
        self._epochs = itertools.count(1)  # of all scopes, so that a scope that begins again has another epoch
        self._embedder: commands.EmbedderStamp | None = None
        self._closed = False

    def _all(self) -> dict[Scope, Memory]:
        if self._closed:
            raise ClosedError("this store was closed; make another one")
        return self._scopes

    def _read(self, scope: Scope) -> Memory:
        return self._all().get(scope) or Memory()

    @contextmanager
    def _write(self, scope: Scope) -> Generator[Memory, None, None]:
        with self._lock:
            memory = self._read(scope).copy()
            memory.epoch = memory.epoch or next(self._epochs)
            yield memory
            if memory.pages or memory.facts or memory.traits or memory.fields:
                self._scopes[scope] = memory
            else:
                self._scopes.pop(scope, None)

    def append(self, append: commands.Append) -> tuple[Page, ...]:
        if append.at.tzinfo is None or any(new.extends_last for new in append.pages[1:]):
            raise InvalidInputError(
                "an append needs a time with a zone, and only its first page can extend the last one"
            )
        with self._write(append.scope) as memory:
            session = [p for p in memory.pages.values() if p.session_id == append.session_id and not p.ended]
            last = session[-1] if session else None
            conflict_if(append.check_after and append.after != (last.id if last else None))
            tokens = {page.id: page.tokens for page in session}
            conflict_if(any(tokens.get(page_id) != size for page_id, size in append.ends))
            conflict_if(any((append.session_id, key) in memory.taken for key in append.takes))
            for page_id in tokens if append.restarts else dict(append.ends):
                memory.put(memory.pages, replace(memory.pages[page_id], ended=True))
            pages = [self._add(memory, append, new, last) for new in append.pages]
            homes = [page.id for page, new in zip(pages, append.pages, strict=True) for _ in new.messages]
            homes += homes[-1:] * len(append.takes)  # extra keys belong to the last page
            taken = {(append.session_id, key): home for key, home in zip(append.takes, homes, strict=False) if key}
            memory.taken.update(taken)
            return tuple(pages)

    def _add(self, memory: Memory, append: commands.Append, new: commands.NewPage, last: Page | None) -> Page:
        page_id, at = new.id or uuid.uuid4().hex, new.messages[0].timestamp or append.at
        page = Page(page_id, append.session_id, 0, new.messages, at, tokens=new.tokens, open=new.open)
        page = replace(page, ended=new.ended, trust=new.trust, labels=new.labels)
        if new.extends_last:
            conflict_if(last is None or memory.pages[last.id].ended or last.tier != "short_term")
            assert last is not None
            trust, labels = max(last.trust, new.trust, key=TRUSTS.index), dict.fromkeys((*last.labels, *new.labels))
            grown = {"messages": last.messages + new.messages, "tokens": last.tokens + new.tokens, "open": new.open}
            page = replace(last, trust=trust, labels=tuple(labels), **grown)
            memory.vectors.pop(last.id, None)
        else:
            page = replace(page, seq=memory.next_seq())
        memory.put(memory.pages, page)
        return page

    def taken(self, scope: Scope, session_id: str, message_ids: Sequence[str]) -> frozenset[str]:
        memory = self._read(scope)
        return frozenset(i for i in message_ids if (session_id, i) in memory.taken)

    def end_session(
        self, scope: Scope, session_id: str, notes: Sequence[commands.NoteWrite] = (), at: datetime | None = None
    ) -> None:
        with self._write(scope) as memory:
            for page in [p for p in memory.pages.values() if p.session_id == session_id and not p.ended]:
                memory.put(memory.pages, replace(page, ended=True))

    def pages(self, query: commands.PageQuery) -> tuple[Page, ...]:
        memory = self._read(query.scope)
        same = ("session_id", "segment_id", "open", "analysed", "reread", "ended")
        some = memory.pages if query.ids is None else dict.fromkeys(query.ids)
        found = [
            page
            for page in memory.pages.values()
            if page.id in some
            and all(getattr(query, name) in (None, getattr(page, name)) for name in same)
            and query.embedded in (None, page.id in memory.vectors)
            and (not query.tiers or page.tier in query.tiers)
            and (query.since is None or page.timestamp >= query.since)
            and (query.until is None or page.timestamp < query.until)
            and (query.before_seq is None or page.seq < query.before_seq)
            and (query.after_seq is None or page.seq > query.after_seq)
        ]
        return tuple(itertools.islice(reversed(found) if query.newest_first else found, query.limit))

    def pending(self, scope: Scope) -> tuple[commands.Pending, ...]:
        pages = (page for page in self._read(scope).pages.values() if page.tier == "short_term")
        return tuple(commands.Pending(page.id, page.session_id, page.seq, page.tokens) for page in pages)

    def sessions(self, scope: Scope, *, after_seq: int, limit: int) -> frozenset[str]:
        later = (page.session_id for page in self._read(scope).pages.values() if page.seq > after_seq)
        return frozenset(itertools.islice(dict.fromkeys(later), limit))

    def page_out(self, move: commands.PageOut) -> None:
        moved = Counter(one.segment_id for one in move.moves)
        if len({one.page_id for one in move.moves}) < len(move.moves) or not moved.keys() <= {
            s.id for s in move.segments
        }:
            raise InvalidInputError(
                "a batch names each page once, and every segment that it fills; correct the command"
            )
        with self._write(move.scope) as memory:
            conflict_if(move.epoch not in (None, memory.epoch))
            memory.describe(move.segments, (), moved)
            for one in move.moves:
                page = memory.pages.get(one.page_id)
                conflict_if(page is None or page.tier != "short_term")
                home = {"segment_id": one.segment_id, "chain_id": one.chain_id, "reread": one.reread}
                memory.put(memory.pages, replace(memory.pages[one.page_id], tier="mid_term", **home))
                memory.chains.setdefault(one.chain_id, Chain(one.chain_id, ""))
            memory.chains.update((chain.id, chain) for chain in move.chains)

    def redescribe(self, redescription: commands.Redescription) -> None:
        with self._write(redescription.scope) as memory:
            conflict_if(not memory.pages.keys() >= {*redescription.page_ids, *redescription.read})
            memory.describe(redescription.segments, redescription.chains, Counter())
            for page_id in redescription.page_ids:
                memory.put(memory.pages, replace(memory.pages[page_id], reread=False))

    def segments(
        self, scope: Scope, *, ids: Sequence[str] | None = None, archived: bool = False
    ) -> tuple[Segment, ...]:
        memory = self._read(scope)
        count = Counter(page.segment_id for page in memory.pages.values())
        unread = Counter(page.segment_id for page in memory.pages.values() if not page.analysed)
        found = (s for s in memory.segments.values() if s.archived == archived and (ids is None or s.id in ids))
        return tuple(replace(s, page_count=count[s.id], unanalysed=unread[s.id]) for s in found)

    def heat_counters(self, scope: Scope, ids: Sequence[str]) -> dict[str, HeatCounters]:
        segments = self._read(scope).segments
        found = (segments[i] for i in ids if i in segments)
        return {s.id: HeatCounters(s.n_visit, s.l_interaction, s.last_access) for s in found}

    def chains(self, scope: Scope, ids: Sequence[str]) -> tuple[Chain, ...]:
        chains = self._read(scope).chains
        return tuple(chains[i] for i in ids if i in chains)

    def promote(self, promotion: commands.Promotion) -> None:
        with self._write(promotion.scope) as memory:
            read = [memory.pages[i] for i in promotion.page_ids if i in memory.pages]
            gone = len(read) < len(promotion.page_ids) or promotion.epoch != memory.epoch
            conflict_if(promotion.epoch is not None and gone)
            conflict_if(not promotion.again and any(page.analysed for page in read))
            status = {fact.id: fact.status for fact in memory.facts.values()}
            conflict_if(any(status.get(i) != "current" for i in promotion.current))
            conflict_if(any(status.get(i) != "quarantined" for i in promotion.quarantined))
            self._learn(memory, promotion.learning)
            for page in read:
                reread = promotion.reread or (page.reread and not promotion.again)
                memory.put(memory.pages, replace(page, analysed=True, reread=reread))
            if promotion.segment_id in memory.segments:
                segment = memory.segments[promotion.segment_id]
                left = max(0, segment.l_interaction - promotion.cooled)
                memory.segments[segment.id] = replace(segment, l_interaction=left)

    def _learn(self, memory: Memory, learning: commands.Learning) -> None:
        given = {fact.id: memory.cite(fact) for fact in learning.facts}
        for fact in filter(None, given.values()):
            memory.put(memory.facts, replace(fact, seq=memory.next_seq()))
        for change in learning.changes:
            known = memory.facts.get(change.fact_id)
            if known and given.get(change.superseded_by or "", known):  # not by a fact whose pages are gone
                names = ("status", "valid_until", "superseded_by")
                new = {name: value for name in names if (value := getattr(change, name)) is not None}
                cited = replace(known, page_ids=(*known.page_ids, *change.add_page_ids), **new)
                memory.put(memory.facts, memory.cite(cited) or cited)
        self._save(memory, learning.vectors)
        traits = {trait.dimension: trait for trait in map(memory.cite, learning.traits) if trait}
        profile = {one.name: one for one in map(memory.cite, learning.profile) if one}
        memory.put_profile({**memory.traits, **traits}, {**memory.fields, **profile})

    def facts(
        self,
        scope: Scope,
        *,
        ids: Sequence[str] | None = None,
        text: str | None = None,
        replaced_by: Sequence[str] | None = None,
        current: bool = True,
    ) -> tuple[Fact, ...]:
        return tuple(
            fact
            for fact in self._read(scope).facts.values()
            if (ids is None or fact.id in ids)
            and (text is None or fact.text.split() == text.split())
            and (replaced_by is None or fact.superseded_by in replaced_by)
            and (fact.status == "current" or not current)
        )

    def profile(self, scope: Scope) -> Profile:
        memory = self._read(scope)
        return Profile(tuple(memory.fields.values()), tuple(memory.traits.values()), memory.profile_version)

    def evict(self, eviction: commands.Eviction) -> None:
        with self._write(eviction.scope) as memory:
            leaving = [page for page in memory.pages.values() if page.segment_id in eviction.segment_ids]
            if eviction.archive:
                for page in leaving:
                    memory.put(memory.pages, replace(page, tier="archive", reread=False))
                for segment in [s for s in memory.segments.values() if s.id in eviction.segment_ids]:
                    memory.segments[segment.id] = replace(segment, archived=True)
            elif leaving:
                memory.epoch = next(self._epochs)
                memory.erase(page.id for page in leaving)
                for fact in list(memory.facts.values()):
                    memory.put(memory.facts, memory.cite(fact) or replace(fact, page_ids=()))
                traits = {t.dimension: memory.cite(t) or replace(t, page_ids=()) for t in memory.traits.values()}
                profile = {f.name: memory.cite(f) or replace(f, page_ids=()) for f in memory.fields.values()}
                memory.put_profile(traits, profile)

    def visit(self, visit: commands.Visit) -> None:
        with self._write(visit.scope) as memory:
            for segment in [memory.segments[i] for i in visit.segment_ids if i in memory.segments]:
                last = max(visit.at, segment.last_access or visit.at)
                memory.segments[segment.id] = replace(segment, n_visit=segment.n_visit + 1, last_access=last)
            for fact in [memory.facts[i] for i in visit.fact_ids if i in memory.facts]:
                memory.facts[fact.id] = replace(fact, visits=fact.visits + 1)

    def save_vectors(self, scope: Scope, rows: Sequence[commands.VectorRow]) -> None:
        with self._write(scope) as memory:
            self._save(memory, rows)

    def _save(self, memory: Memory, rows: Sequence[commands.VectorRow]) -> None:
        name = self._embedder.name if self._embedder else None
        if any(row.embedder not in (None, name) for row in rows):
            raise EmbedderMismatchError(
                "these vectors come from another embedder than the store's; embed the texts again"
            )
        memory.put_vectors(rows)

    def vectors(self, scope: Scope, owner_ids: Sequence[str]) -> dict[str, dict[str, Vector]]:
        vectors = self._read(scope).vectors
        return {i: dict(vectors[i]) for i in owner_ids if i in vectors}

    def cursor(self, scope: Scope) -> commands.Cursor:
        memory = self._read(scope)
        return commands.Cursor(memory.epoch, memory.version)

    def feed(self, scope: Scope, after: commands.Cursor, *, limit: int = 500) -> commands.Feed:
        memory = self._read(scope)
        start = after.version if after.epoch == memory.epoch else 0
        later = [owner_id for owner_id, version in memory.changed.items() if version > start]
        some, more = later[:limit], len(later) > limit
        facts = [memory.facts[i] for i in some if i in memory.facts]
        return commands.Feed(
            commands.Cursor(memory.epoch, memory.changed[some[-1]] if more else memory.version),
            tuple(memory.pages[i] for i in some if i in memory.pages),
            tuple(fact for fact in facts if fact.status == "current"),
            tuple(fact.id for fact in facts if fact.status != "current"),
            {i: memory.vectors[i] for i in some if i in memory.vectors},
            more,
        )

    def forget(self, forgetting: commands.Forgetting) -> ForgetReceipt:
        with self._write(forgetting.scope) as memory:
            every = forgetting.everything
            pages = [
                page
                for page in memory.pages.values()
                if every or page.id in forgetting.page_ids or page.session_id == forgetting.session_id
            ]
            counts = memory.erase(page.id for page in pages)
            gone = {
                f.id: f for f in memory.facts.values() if every or f.id in forgetting.fact_ids or not memory.cite(f)
            }
            counts += memory.erase(gone)
            for fact in map(memory.cite, list(memory.facts.values())):
                while fact and fact.superseded_by in gone:
                    fact = replace(fact, superseded_by=gone[fact.superseded_by].superseded_by)
                if fact and fact != memory.facts[fact.id]:
                    memory.put(memory.facts, fact)
            traits = {t.dimension: t for t in map(memory.cite, memory.traits.values()) if t and not every}
            profile = {f.name: f for f in map(memory.cite, memory.fields.values()) if f and not every}
            counts["traits"], counts["profile_fields"] = (
                len(memory.traits) - len(traits),
                len(memory.fields) - len(profile),
            )
            memory.put_profile(traits, profile)
            self._blank(memory, pages)
            tiers = Counter(page.tier for page in pages)
            receipt = ForgetReceipt(
                tiers["short_term"], tiers["mid_term"], tiers["archive"], facts=len(gone), at=forgetting.at, **counts
            )
            if receipt != ForgetReceipt():
                memory.epoch = next(self._epochs)
            return receipt

    def _blank(self, memory: Memory, erased: Sequence[Page]) -> None:
        """Leave no word of erased pages in descriptions, and have the pages beside them read again."""
        touched = {home for page in erased for home in (page.segment_id, page.chain_id) if home}
        for segment in [s for s in memory.segments.values() if s.id in touched]:
            blank = replace(segment, summary="", keywords=(), centroid=memory.centroid(segment), rev=segment.rev + 1)
            memory.segments[segment.id] = blank
        memory.chains.update((i, Chain(i, "")) for i in memory.chains if i in touched)
        for page in list(memory.pages.values()):
            if page.tier == "mid_term" and touched & {page.segment_id, page.chain_id}:
                memory.put(memory.pages, replace(page, reread=True))

    def scopes(self, *, pending_only: bool = False) -> tuple[Scope, ...]:
        with self._lock:
            some = [s for s, memory in self._all().items() if memory.is_pending() or not pending_only]
        return tuple(sorted(some, key=lambda scope: (scope.user_id, scope.assistant_id)))

    def stats(self, scope: Scope | None = None) -> Stats:
        with self._lock:
            some = {s: memory for s, memory in self._all().items() if scope in (None, s)}
        totals = Counter[str]({"users": len({s.user_id for s in some})})
        for memory in some.values():
            totals.update(memory.counts())
        return Stats(**totals)

    def embedder(self) -> commands.EmbedderStamp | None:
        self._all()
        return self._embedder

    def stamp_embedder(self, stamp: commands.EmbedderStamp | None) -> None:
        with self._lock:
            if stamp == self.embedder():
                return
            self._embedder = stamp
            for scope in list(self._scopes):
                with self._write(scope) as memory:
                    memory.epoch, memory.vectors = next(self._epochs), {}
                    for segment in list(memory.segments.values()):
                        memory.segments[segment.id] = replace(
                            segment, centroid=np.zeros(0, np.float32), rev=segment.rev + 1
                        )

    def close(self) -> None:
        with self._lock:
            self._closed = True
            self._scopes.clear()
