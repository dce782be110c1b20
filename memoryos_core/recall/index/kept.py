"""The index that is kept in the store (ADR 0032): read back when a scope is loaded, and written behind the caller.

Nothing here is trusted: a chunk that does not fit is left alone, and the scope is loaded from its rows.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from memoryos_core.ports import LexicalIndex, Store
from memoryos_core.ports.capabilities import IndexStore
from memoryos_core.recall.index.content import FORMAT, Content, decode, describe_units, encode, mentions, without
from memoryos_core.recall.index.resident import SAME_LIFE
from memoryos_core.recall.index.scope_units import ScopeUnits, cited_pages
from memoryos_core.rules.text.words import ANALYSED_BY
from memoryos_core.values.commands import Cursor
from memoryos_core.values.dialogue import Scope
from memoryos_core.values.queries import IndexChunk

MADE_BY = f"format {FORMAT}, {ANALYSED_BY}"
"""The format, and what decides the words of a text: chunks of another one are not read."""

LEAST = 1000
"""Revs that must be new before a chunk is written. A page takes three or four of them on its way."""
_MOST_CHUNKS = 8
_MOST_UNITS = 250_000
_LARGEST = 1 << 25
_FEED_LIMIT = 500

Sound = list[tuple[IndexChunk, Content]]


class KeptIndex:
    """Reads and writes the chunks of scopes, where the store is an `IndexStore`. Thread-safe.

    `lexical_index` makes an empty index of words.
    """

    def __init__(self, store: Store, lexical_index: Callable[[], LexicalIndex]) -> None:
        self._store = store
        self._lexical_index = lexical_index
        self._broken: set[Scope] = set()

    def load(self, scope: Scope, now: Cursor, start: Callable[[], ScopeUnits]) -> ScopeUnits | None:
        """Return the state that is stored of this epoch; the feed brings what came later. None where there is none."""
        store = self._store
        if not isinstance(store, IndexStore) or now.version < LEAST:
            return None
        there = store.index_chunks(scope)
        sound = _sound(scope, there, now)
        if len(sound) < len(there):
            self._broken.add(scope)
        if not sound:
            return None
        units = start()
        units.take([content for _, content in sound], Cursor(now.epoch, sound[-1][0].last))
        return units if not units.takes_vectors or store.read_index_vectors(scope, units.take_vectors) else None

    def keep(self, scope: Scope, stopping: Callable[[], bool]) -> None:
        """Write what is new since the last chunk, if it is much. Raises StoreError."""
        store = self._store
        if isinstance(store, IndexStore):
            while not stopping() and self._write_chunk(store, scope, stopping):
                pass

    def _write_chunk(self, store: IndexStore, scope: Scope, stopping: Callable[[], bool]) -> bool:
        """Write one chunk, if there is enough for it; return True when there may be more to write."""
        now = self._store.cursor(scope)
        if now.version < LEAST:
            return False
        heads = store.index_chunks(scope, heads=True)
        fitting = _fitting(heads, now)
        last = fitting[-1].last if fitting else 0
        broken = scope in self._broken or len(fitting) < len(heads)
        if now.version - last < LEAST and not broken:
            return False
        self._broken.discard(scope)
        there = store.index_chunks(scope)
        sound = _sound(scope, there, now)
        staying = _staying([chunk for chunk, _ in sound], now)
        built = self._build(scope, sound[staying:], Cursor(now.epoch, sound[-1][0].last if sound else 0), stopping)
        if built is None:
            return False
        content, end = built
        after = sound[staying - 1][0] if staying else None
        chunk = IndexChunk(
            number=after.number + 1 if after else 1,
            made_by=MADE_BY,
            epoch=now.epoch,
            after=after.last if after else 0,
            last=end,
            checksum="",
            size=len(content),
            content=content,
        )
        chunk = replace(chunk, checksum=checksum(scope, chunk))
        return store.write_index_chunk(scope, chunk, seen=[one.checksum for one in there])

    def _build(
        self, scope: Scope, merged: Sound, after: Cursor, stopping: Callable[[], bool]
    ) -> tuple[bytes, int] | None:
        """Return the content of one chunk, from merged ones and the feed, and where it ends; None to write nothing."""
        units = ScopeUnits(None, self._lexical_index)
        units.cursor = after
        pages: dict[str, None] = {}
        facts: dict[str, None] = {}
        if merged:
            units.take([content for _, content in merged], after)
            for _, content in merged:
                pages.update(dict.fromkeys(content.page_ids()))
                facts.update(dict.fromkeys(content.fact_ids()))
        more, most = True, len(units) + _MOST_UNITS
        while more and len(units) < most:
            feed = self._store.feed(scope, units.cursor, limit=_FEED_LIMIT)
            if feed.cursor.epoch != after.epoch or stopping():
                return None
            units.apply(feed, cited_pages(self._store, scope, feed))
            pages.update(dict.fromkeys(page.id for page in feed.pages))
            facts.update(dict.fromkeys((*(fact.id for fact in feed.facts), *feed.retired_fact_ids)))
            more = feed.more
        if self._store.stats(scope).damaged:
            return None  # rows that were left out may be restored by hand, and no feed would bring them then
        return encode(units.content(pages, facts)), units.cursor.version

    def disagreements(self, scope: Scope) -> tuple[str, ...]:
        """Return the pages and facts of which chunks and the feed after them say something else than the rows."""
        store = self._store
        if not isinstance(store, IndexStore):
            return ()
        now = self._store.cursor(scope)
        there = store.index_chunks(scope)
        sound = _sound(scope, there, now)
        if not there:
            return ()
        if len(sound) < len(there):
            return tuple(f"chunk {chunk.number}" for chunk in there[len(sound) :])
        stored, read = ScopeUnits(None, self._lexical_index), ScopeUnits(None, self._lexical_index)
        stored.take([content for _, content in sound], Cursor(now.epoch, sound[-1][0].last))
        read.cursor = Cursor(now.epoch)
        owners = {name for _, content in sound for name in content.units.names if name is not None}
        for units in (stored, read):
            more = True
            while more:
                feed = self._store.feed(scope, units.cursor, limit=_FEED_LIMIT)
                if feed.cursor.epoch != now.epoch:
                    return ()  # something was forgotten meanwhile, and all chunks with it
                units.apply(feed)
                owners |= {page.id for page in feed.pages} | {fact.id for fact in feed.facts}
                more = feed.more
        mine, theirs = (describe_units(units.content(owners, owners)) for units in (stored, read))
        return tuple(sorted({owner for (owner, _), _ in mine.items() ^ theirs.items()}))


def prune_chunk(scope: Scope, chunk: IndexChunk, pages: Collection[str], facts: Collection[str]) -> IndexChunk | None:
    """Return a chunk without these pages and facts; implements `Prune`."""
    if chunk.made_by != MADE_BY or chunk.checksum != checksum(scope, chunk):
        return None
    if not mentions(chunk.content, (*pages, *facts)):
        return chunk
    try:
        content = encode(without(decode(chunk.content), pages, facts))
    except ValueError:
        return None
    pruned = replace(chunk, size=len(content), content=content)
    return replace(pruned, checksum=checksum(scope, pruned))


def checksum(scope: Scope, chunk: IndexChunk) -> str:
    """Return the checksum of a chunk: of its content, its scope and its place."""
    place = f"{scope.key} {chunk.made_by} {chunk.epoch} {chunk.after} {chunk.last} "
    digest = hashlib.sha256(place.encode())
    digest.update(chunk.content)
    return digest.hexdigest()


def _fitting(chunks: Sequence[IndexChunk], now: Cursor) -> list[IndexChunk]:
    """Return the first chunks that continue one another within the scope's epoch and version."""
    found: list[IndexChunk] = []
    last = 0
    for chunk in chunks:
        # What was erased since its epoch was taken out of it; of another life of the scope there is no chunk.
        fits = (chunk.made_by, chunk.after) == (MADE_BY, last) and 0 <= now.epoch - chunk.epoch < SAME_LIFE
        if not fits or not last < chunk.last <= now.version:
            break
        found.append(chunk)
        last = chunk.last
    return found


def _sound(scope: Scope, chunks: Sequence[IndexChunk], now: Cursor) -> Sound:
    """Return the first chunks that fit and are whole, with their content."""
    found: Sound = []
    for chunk in _fitting(chunks, now):
        if chunk.checksum != checksum(scope, chunk):
            break
        try:
            found.append((chunk, decode(chunk.content)))
        except ValueError:
            break
    return found


def _staying(chunks: Sequence[IndexChunk], now: Cursor) -> int:
    """Return how many chunks stay as they are; the later ones become one with what is new.

    A chunk is merged while it is not much longer than what follows it. So there are few, and a page is copied seldom.
    """
    staying, last = len(chunks), chunks[-1].last if chunks else 0
    length = now.version - last
    while staying:
        chunk = chunks[staying - 1]
        short = chunk.last - chunk.after <= 2 * length or staying >= _MOST_CHUNKS
        if length and not (short and chunk.size < _LARGEST):
            break
        staying -= 1
        length = now.version - chunks[staying].after
    return staying
