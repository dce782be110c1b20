"""A store in the memory of this process: the verbs of the core, and no capability (docs/stores.md).

Each scope is one `Memory`. A write works on a copy, which takes its place when nothing was refused: that is the
transaction. What was read is never changed any more, and the rows are frozen, so reading a scope needs no lock.
"""

from __future__ import annotations

import itertools
import uuid
from collections import Counter
from collections.abc import Collection, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from typing import Any, TypeAlias, TypeVar

import numpy as np

from memoryos_core.errors import ClosedError, ConflictError, EmbedderMismatchError, InvalidInputError
from memoryos_core.ports.forks import Lock
from memoryos_core.values import commands
from memoryos_core.values.dialogue import Chain, HeatCounters, Page, Scope, Segment, Vector
from memoryos_core.values.facts import TRUSTS, Fact, Profile, ProfileField, Trait
from memoryos_core.values.reports import ForgetReceipt, Stats

Ids: TypeAlias = Sequence[str] | None
ProfileKey: TypeAlias = tuple[type, str]
Row = TypeVar("Row", Page, Fact)
Citing = TypeVar("Citing", bound="Fact | Trait | ProfileField")


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
    profile: dict[ProfileKey, Trait | ProfileField] = field(default_factory=dict)
    vectors: dict[str, dict[str, Vector]] = field(default_factory=dict)
    taken: dict[tuple[str, str], str] = field(default_factory=dict)
    changed: dict[str, int] = field(default_factory=dict)

    def copy(self) -> Memory:
        rows = {f.name: getattr(self, f.name) for f in fields(self)}
        copies: Any = {name: dict(kept) if isinstance(kept, dict) else kept for name, kept in rows.items()}
        return Memory(**copies)

    def put(self, row: Row, **changes: Any) -> Row:
        """Write a page or fact with these changes, and return it."""
        rows: dict[str, Any] = self.pages if isinstance(row, Page) else self.facts
        rows[row.id] = new = replace(row, **changes)
        self.touch(row.id)
        return new

    def touch(self, owner_id: str) -> None:
        self.version += 1
        self.changed.pop(owner_id, None)
        self.changed[owner_id] = self.version

    def put_profile(self, profile: dict[ProfileKey, Trait | ProfileField]) -> None:
        if profile != self.profile:
            self.profile, self.version = profile, self.version + 1
            self.profile_version = self.version

    def regroup(self, regrouping: commands.Regrouping) -> None:
        for one in regrouping.moves:
            page = self.pages.get(one.page_id)
            conflict_if(page is None or (page.tier, page.segment_id) != ("mid_term", one.from_id))
            self.put(self.pages[one.page_id], segment_id=one.to_id)
        for segment_id, (visits, pages) in regrouping.heat.items():
            known = self.segments[segment_id]
            visits, pages = max(0, known.n_visit + visits), max(0, known.l_interaction + pages)
            self.segments[segment_id] = replace(known, n_visit=visits, l_interaction=pages)
        for old in regrouping.dissolved:
            conflict_if(any(page.segment_id == old.id for page in self.pages.values()) or old.id not in self.segments)
            gone = self.segments.pop(old.id)
            conflict_if(gone.archived or gone.rev != old.rev)

    def describe(self, segments: Iterable[Segment], chains: Iterable[Chain], moved: Mapping[str, int]) -> None:
        for new in segments:
            known = self.segments.get(new.id, replace(new, n_visit=0, l_interaction=0, rev=0))
            conflict_if(known.rev != new.rev or (new.id in moved and known.archived))
            last = max((at for at in (known.last_access, new.last_access) if at), default=None)
            known = replace(known, l_interaction=known.l_interaction + moved.get(new.id, 0), last_access=last)
            texts = {name: getattr(new, name) for name in ("summary", "keywords", "centroid")}
            self.segments[new.id] = replace(known, rev=known.rev + 1, **texts)
        self.chains.update((chain.id, chain) for chain in chains)

    def cite(self, row: Citing) -> Citing | None:
        """Return the row with those of its pages that are there; None when all of them are gone."""
        left = tuple(i for i in dict.fromkeys(row.page_ids) if i in self.pages)
        return replace(row, page_ids=left) if left or not row.page_ids else None

    def erase(self, owner_ids: Collection[str]) -> Counter[str]:
        """Erase pages or facts, and what belongs to no page any more; return the counts by the names of a receipt."""
        erased = Counter(vectors=sum(len(self.vectors.pop(i, ())) for i in owner_ids))
        for rows in (self.pages, self.facts, self.changed):
            for owner_id in owner_ids:
                rows.pop(owner_id, None)
        kept = {i for page in self.pages.values() for i in (page.id, page.segment_id, page.chain_id)}
        homes: dict[str, dict[Any, str]] = {"segments": {i: i for i in self.segments}, "taken": self.taken}
        homes["chains"] = {i: i for i in self.chains}
        for name, home_of in homes.items():
            gone = [key for key, home in home_of.items() if home not in kept]
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
        with self._lock:
            if self._closed:
                raise ClosedError("this store was closed; make another one")
            return dict(self._scopes)

    def _read(self, scope: Scope) -> Memory:
        return self._all().get(scope) or Memory()

    @contextmanager
    def _write(self, scope: Scope) -> Generator[Memory, None, None]:
        with self._lock:
            memory = self._read(scope).copy()
            memory.epoch = memory.epoch or next(self._epochs)
            yield memory
            self._scopes.pop(scope, None)
            if memory.pages or memory.facts or memory.profile:
                self._scopes[scope] = memory

    def append(self, append: commands.Append) -> tuple[Page, ...]:
        if append.at.tzinfo is None or any(new.extends_last for new in append.pages[1:]):
            raise InvalidInputError(
                "an append needs a time with a zone, and only its first page can extend the last one"
            )
        with self._write(append.scope) as memory:
            session = [p for p in memory.pages.values() if p.session_id == append.session_id and not p.ended]
            last, tokens = session[-1] if session else None, {page.id: page.tokens for page in session}
            conflict_if(append.check_after and append.after != (last and last.id))
            grown = append.after_tokens not in (None, last and last.tokens)
            conflict_if(grown and bool(append.pages) and append.pages[0].extends_last)
            conflict_if(any(tokens.get(page_id) != size for page_id, size in append.ends))
            conflict_if(any((append.session_id, key) in memory.taken for key in append.takes if key))
            for page in session:
                if append.restarts or page.id in dict(append.ends):
                    memory.put(page, ended=True)
            pages = [self._add(memory, append, new, last and memory.pages[last.id]) for new in append.pages]
            homes = [page.id for page, new in zip(pages, append.pages, strict=True) for _ in new.messages]
            homes += homes[-1:] * len(append.takes)  # extra keys belong to the last page
            taken = {(append.session_id, key): home for key, home in zip(append.takes, homes, strict=False) if key}
            memory.taken.update(taken)
            return tuple(pages)

    def _add(self, memory: Memory, append: commands.Append, new: commands.NewPage, last: Page | None) -> Page:
        if not new.extends_last:
            conflict_if(new.id in memory.pages)
            memory.seq += 1
            at, page_id = new.messages[0].timestamp or append.at, new.id or uuid.uuid4().hex
            same = {name: getattr(new, name) for name in ("tokens", "open", "ended", "trust", "labels")}
            page = Page(page_id, append.session_id, memory.seq, new.messages, at, **same, written_at=append.at)
            return memory.put(page)
        if last is None or last.ended or last.tier != "short_term":
            raise ConflictError("the session has no last page that may grow; read it again, or begin a new page")
        memory.vectors.pop(last.id, None)
        trust, labels = max(last.trust, new.trust, key=TRUSTS.index), dict.fromkeys((*last.labels, *new.labels))
        said, tokens = last.messages + new.messages, last.tokens + new.tokens
        known = {"trust": trust, "labels": tuple(labels), "written_at": append.at}
        return memory.put(last, messages=said, tokens=tokens, open=new.open, **known)

    def taken(self, scope: Scope, session_id: str, message_ids: Sequence[str]) -> frozenset[str]:
        taken = self._read(scope).taken
        return frozenset(i for i in message_ids if (session_id, i) in taken)

    def end_session(
        self, scope: Scope, session_id: str, notes: Sequence[commands.NoteWrite] = (), at: datetime | None = None
    ) -> None:
        with self._write(scope) as memory:
            for page in [p for p in memory.pages.values() if p.session_id == session_id and not p.ended]:
                memory.put(page, ended=True)

    def pages(self, query: commands.PageQuery) -> tuple[Page, ...]:
        memory, same = self._read(query.scope), ("session_id", "segment_id", "open", "analysed", "reread", "ended")
        wanted = memory.pages if query.ids is None else set(query.ids)
        found = [
            page
            for page in memory.pages.values()
            if page.id in wanted
            and all(getattr(query, name) in (None, getattr(page, name)) for name in same)
            and query.embedded in (None, page.id in memory.vectors)
            and page.tier in (query.tiers or (page.tier,))
            and (query.since or page.timestamp) <= page.timestamp
            and (query.until is None or page.timestamp < query.until)
            and (query.before_seq is None or page.seq < query.before_seq)
            and (query.after_seq is None or page.seq > query.after_seq)
        ]
        return tuple(found[:: -1 if query.newest_first else 1][: query.limit])

    def pending(self, scope: Scope) -> tuple[commands.Pending, ...]:
        pages = (p for p in self._read(scope).pages.values() if p.tier == "short_term")
        names = ("session_id", "seq", "tokens", "timestamp", "ended", "written_at")
        return tuple(commands.Pending(p.id, **{name: getattr(p, name) for name in names}) for p in pages)

    def sessions(self, scope: Scope, *, after_seq: int, limit: int) -> frozenset[str]:
        later = {page.session_id for page in self._read(scope).pages.values() if page.seq > after_seq}
        return frozenset(list(later)[:limit])

    def page_out(self, move: commands.PageOut) -> None:
        homes, moved = {one.page_id: one for one in move.moves}, Counter(one.segment_id for one in move.moves)
        regrouped = {one.page_id: one.to_id for one in move.regrouping.moves}
        every = len({*homes, *regrouped}) == len(move.moves) + len(move.regrouping.moves)
        if not every or not {*moved, *regrouped.values()} <= {segment.id for segment in move.segments}:
            raise InvalidInputError(
                "a batch moves each page once, into a segment that it describes; correct the command"
            )
        with self._write(move.scope) as memory:
            leaving = [page for page in memory.pages.values() if page.id in homes and page.tier == "short_term"]
            conflict_if(move.epoch not in (None, memory.epoch) or len(leaving) < len(homes))
            memory.describe(move.segments, (), moved)
            for page in leaving:
                to = homes[page.id]
                memory.put(page, tier="mid_term", segment_id=to.segment_id, chain_id=to.chain_id, reread=to.reread)
                memory.chains.setdefault(to.chain_id, Chain(to.chain_id, ""))
            memory.chains.update((chain.id, chain) for chain in move.chains)
            memory.regroup(move.regrouping)
            self._learn(memory, move.learning)

    def redescribe(self, redescription: commands.Redescription) -> None:
        with self._write(redescription.scope) as memory:
            conflict_if(not memory.pages.keys() >= {*redescription.page_ids, *redescription.read})
            conflict_if(not memory.segments.keys() >= {segment.id for segment in redescription.segments})
            memory.describe(redescription.segments, redescription.chains, {})
            for page_id in redescription.page_ids:
                memory.put(memory.pages[page_id], reread=False)

    def segments(self, scope: Scope, *, ids: Ids = None, archived: bool = False) -> tuple[Segment, ...]:
        memory = self._read(scope)
        count = Counter(page.segment_id for page in memory.pages.values())
        unread = Counter(page.segment_id for page in memory.pages.values() if not page.analysed)
        found = (s for s in memory.segments.values() if s.archived == archived and (ids is None or s.id in ids))
        return tuple(replace(s, page_count=count[s.id], unanalysed=unread[s.id]) for s in found)

    def heat_counters(self, scope: Scope, ids: Sequence[str]) -> dict[str, HeatCounters]:
        found = (segment for i, segment in self._read(scope).segments.items() if i in ids)
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
                memory.put(page, analysed=True, reread=promotion.reread or (page.reread and not promotion.again))
            if segment := memory.segments.get(promotion.segment_id or ""):
                left = max(0, segment.l_interaction - promotion.cooled)
                memory.segments[segment.id] = replace(segment, l_interaction=left)

    def _learn(self, memory: Memory, learning: commands.Learning) -> None:
        conflict_if(any(fact.id in memory.facts for fact in learning.facts))
        begun = {fact.id: fact.valid_from for fact in (*memory.facts.values(), *learning.facts)}
        ended = (
            *((f.id, f.valid_until) for f in learning.facts),
            *((c.fact_id, c.valid_until) for c in learning.changes),
        )
        conflict_if(any(until is not None and until < begun.get(fact_id, until) for fact_id, until in ended))
        given = {fact.id: memory.cite(fact) for fact in learning.facts}
        for fact in filter(None, given.values()):
            memory.seq += 1
            memory.put(fact, seq=memory.seq)
        for change in learning.changes:
            known = memory.facts.get(change.fact_id)
            if known and given.get(change.superseded_by or "", known):  # not by a fact whose pages are gone
                names = ("status", "valid_until", "superseded_by")
                new = {name: value for name in names if (value := getattr(change, name)) is not None}
                new |= {"superseded_by": None, "valid_until": None} if change.status == "current" else {}
                cited = (*known.page_ids, *(i for i in change.add_page_ids if i in memory.pages))
                memory.put(known, page_ids=tuple(dict.fromkeys(cited)), **new)
        self._save(memory, learning.vectors)
        given_rows: dict[ProfileKey, Trait | ProfileField] = {(Trait, t.dimension): t for t in learning.traits}
        given_rows.update({(ProfileField, entry.name): entry for entry in learning.profile})
        new_rows = {key: left for key, row in given_rows.items() if (left := memory.cite(row))}
        memory.put_profile({**memory.profile, **new_rows})

    def facts(
        self,
        scope: Scope,
        *,
        ids: Ids = None,
        text: str | None = None,
        replaced_by: Ids = None,
        after_version: int | None = None,
        current: bool = True,
    ) -> tuple[Fact, ...]:
        memory = self._read(scope)
        return tuple(
            fact
            for fact in memory.facts.values()
            if (ids is None or fact.id in ids)
            and (text is None or fact.text.split() == text.split())
            and (replaced_by is None or fact.superseded_by in replaced_by)
            and (after_version is None or memory.changed[fact.id] > after_version)
            and (fact.status == "current" or not current)
        )

    def profile(self, scope: Scope) -> Profile:
        memory = self._read(scope)
        traits = tuple(row for row in memory.profile.values() if isinstance(row, Trait))
        entries = tuple(row for row in memory.profile.values() if isinstance(row, ProfileField))
        return Profile(entries, traits, memory.profile_version)

    def evict(self, eviction: commands.Eviction) -> None:
        with self._write(eviction.scope) as memory:
            leaving = [page for page in memory.pages.values() if page.segment_id in eviction.segment_ids]
            if eviction.archive:
                for page in leaving:
                    memory.put(page, tier="archive", reread=False)
                gone = {
                    s.id: replace(s, archived=True) for s in memory.segments.values() if s.id in eviction.segment_ids
                }
                memory.segments.update(gone)
            elif leaving:
                memory.epoch = next(self._epochs)
                memory.erase([page.id for page in leaving])
                for fact in list(memory.facts.values()):
                    memory.put(memory.cite(fact) or replace(fact, page_ids=()))
                left = {key: memory.cite(row) or replace(row, page_ids=()) for key, row in memory.profile.items()}
                memory.put_profile(left)

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
        if self._embedder and any(row.embedder not in (None, self._embedder.name) for row in rows):
            raise EmbedderMismatchError(
                "the vectors come from another embedder than the store's; embed the texts again"
            )
        found: dict[str, dict[str, Vector]] = {}
        for row in rows:
            page = memory.pages.get(row.owner_id)
            if row.owner_id in memory.facts or (page and row.tokens in (None, page.tokens)):
                found.setdefault(row.owner_id, {})[row.part] = np.array(row.vector, dtype=np.float32)
        for owner_id in found:
            memory.touch(owner_id)
        memory.vectors.update(found)

    def vectors(self, scope: Scope, owner_ids: Sequence[str]) -> dict[str, dict[str, Vector]]:
        vectors = self._read(scope).vectors
        return {i: vectors[i] for i in owner_ids if i in vectors}

    def cursor(self, scope: Scope) -> commands.Cursor:
        memory = self._read(scope)
        return commands.Cursor(memory.epoch, memory.version)

    def feed(self, scope: Scope, after: commands.Cursor, *, limit: int = 500) -> commands.Feed:
        memory = self._read(scope)
        start = after.version if after.epoch == memory.epoch else 0
        later = [owner_id for owner_id, version in memory.changed.items() if version > start]
        some, more = later[:limit], len(later) > limit
        cursor = commands.Cursor(memory.epoch, memory.changed[some[-1]] if more else memory.version)
        pages = tuple(memory.pages[i] for i in some if i in memory.pages)
        facts = [memory.facts[i] for i in some if i in memory.facts]
        current = tuple(fact for fact in facts if fact.status == "current")
        retired = tuple(fact.id for fact in facts if fact.status != "current")
        return commands.Feed(cursor, pages, current, retired, self.vectors(scope, some), more)

    def forget(self, forgetting: commands.Forgetting) -> ForgetReceipt:
        if forgetting.dry_run:  # on a copy
            trial, mine = InMemoryStore(), self._read(forgetting.scope)
            if mine.epoch:
                trial._scopes[forgetting.scope] = mine.copy()
            return trial.forget(replace(forgetting, dry_run=False))
        every, page_ids, fact_ids = forgetting.everything, set(forgetting.page_ids), set(forgetting.fact_ids)
        with self._write(forgetting.scope) as memory:
            found = memory.pages.values()
            pages = [p for p in found if every or p.id in page_ids or p.session_id == forgetting.session_id]
            counts = memory.erase([page.id for page in pages])
            gone = {f.id: f for f in memory.facts.values() if every or f.id in fact_ids or not memory.cite(f)}
            counts += memory.erase(gone)
            for known in list(memory.facts.values()):
                fact = memory.cite(known) or known
                while fact.superseded_by in gone:
                    fact = replace(fact, superseded_by=gone[fact.superseded_by].superseded_by)
                if fact != known:
                    memory.put(fact)
            profile = {key: left for key, row in memory.profile.items() if not every and (left := memory.cite(row))}
            kinds = Counter(kind for kind, _ in memory.profile.keys() - profile.keys())
            memory.put_profile(profile)
            self._blank(memory, pages)
            tiers = Counter(page.tier for page in pages)
            counts.update(pages_short_term=tiers["short_term"], pages_mid_term=tiers["mid_term"], facts=len(gone))
            counts.update(pages_archived=tiers["archive"], traits=kinds[Trait], profile_fields=kinds[ProfileField])
            if any(counts.values()):
                memory.epoch = next(self._epochs)
            named: Any = dict(counts)
            return ForgetReceipt(**named, at=forgetting.at)

    def _blank(self, memory: Memory, erased: Sequence[Page]) -> None:
        """Leave no word of erased pages in descriptions, and have the pages beside them read again."""
        homes = {home for page in erased for home in (page.segment_id, page.chain_id) if home}
        for segment in [s for s in memory.segments.values() if s.id in homes]:
            empty = replace(segment, summary="", keywords=(), centroid=memory.centroid(segment), rev=segment.rev + 1)
            memory.segments[segment.id] = empty
        memory.chains.update({i: Chain(i, "") for i in memory.chains if i in homes})
        for page in [p for p in memory.pages.values() if homes & {p.segment_id, p.chain_id} and p.tier == "mid_term"]:
            memory.put(page, reread=True)

    def scopes(self, *, pending_only: bool = False) -> tuple[Scope, ...]:
        found = [
            scope
            for scope, memory in self._all().items()
            if not pending_only
            or any(p.tier == "short_term" or p.reread or p.id not in memory.vectors for p in memory.pages.values())
        ]
        return tuple(sorted(found, key=lambda scope: (scope.user_id, scope.assistant_id)))

    def stats(self, scope: Scope | None = None) -> Stats:
        found = {known: memory for known, memory in self._all().items() if scope in (None, known)}
        counts = Counter(users=len({known.user_id for known in found}))
        tiers = {"short_term": "pages_short_term", "mid_term": "pages_mid_term", "archive": "pages_archived"}
        for memory in found.values():
            counts["sessions"] += len({page.session_id for page in memory.pages.values()})
            counts["pages_to_reread"] += sum(page.reread for page in memory.pages.values())
            counts.update(tiers[page.tier] for page in memory.pages.values())
            counts.update("segments_archived" if s.archived else "segments" for s in memory.segments.values())
            counts.update(f"facts_{fact.about}" for fact in memory.facts.values() if fact.status == "current")
            counts.update("traits" if kind is Trait else "profile_fields" for kind, _ in memory.profile)
        return Stats(**counts)

    def embedder(self) -> commands.EmbedderStamp | None:
        self._all()
        return self._embedder

    def stamp_embedder(self, stamp: commands.EmbedderStamp | None) -> None:
        with self._lock:
            scopes = self._all() if stamp != self.embedder() else {}
            self._embedder = stamp
            for scope in scopes:
                with self._write(scope) as memory:
                    memory.epoch, memory.vectors, empty = next(self._epochs), {}, np.zeros(0, dtype=np.float32)
                    blank = {s.id: replace(s, centroid=empty, rev=s.rev + 1) for s in memory.segments.values()}
                    memory.segments.update(blank)

    def close(self) -> None:
        with self._lock:
            self._closed = True
            self._scopes.clear()
