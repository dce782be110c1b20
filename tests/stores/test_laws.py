"""Whatever is interleaved: a page is in exactly one tier, and a cache that reads the feed knows what is stored."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    multiple,
    precondition,
    rule,
)

from memoryos_core.ports import Store
from memoryos_core.stores import open_store
from memoryos_core.testing.store_samples import ALICE, BOB, T0, add, embed, fact, segment, vector
from memoryos_core.values.commands import (
    Cursor,
    Eviction,
    Forgetting,
    Learning,
    Move,
    PageOut,
    PageQuery,
    Promotion,
    VectorRow,
)
from memoryos_core.values.dialogue import Chain, Page, Tier

TIERS: tuple[Tier, ...] = ("short_term", "mid_term", "archive")
SESSIONS = ("s", "t")


class StoreMachine(RuleBasedStateMachine):
    """The model: where each page is. Bob's pages never change, whatever happens to Alice's."""

    pages = Bundle("pages")

    @initialize()
    def open(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.url = f"sqlite:///{Path(self.folder.name) / 'memory.db'}"
        self.store = self.opened()
        self.tier: dict[str, str] = {}
        self.home: dict[str, str] = {}
        self.facts: dict[str, set[str]] = {}
        self.mirror: dict[str, Page] = {}
        self.known: dict[str, tuple[str, ...]] = {}
        self.after = Cursor()
        self.serial = 0
        self.bobs = add(self.store, "bob's", scope=BOB)

    def opened(self) -> Store:
        """Another database holds the same laws: what to open is all that differs."""
        return open_store(self.url)

    def teardown(self) -> None:
        self.store.close()
        self.folder.cleanup()

    def _new(self, kind: str) -> str:
        self.serial += 1
        return f"{kind}{self.serial}"

    @rule(target=pages, count=st.integers(1, 6), session=st.sampled_from(SESSIONS))
    def append(self, count, session):
        new = add(self.store, *(self._new("page ") for _ in range(count)), session=session)
        self.tier.update((page.id, "short_term") for page in new)
        return multiple(*(page.id for page in new))

    @rule(count=st.integers(1, 4), into_new=st.booleans(), reread=st.booleans())
    def page_out(self, count, into_new, reread):
        waiting = self.store.pages(PageQuery(ALICE, tiers=("short_term",), limit=count))
        known = self.store.segments(ALICE)
        home = segment(self._new("segment ")) if into_new or not known else known[-1]
        chain = self._new("chain ")
        moves = tuple(Move(page.id, home.id, chain, reread) for page in waiting)
        if not moves:
            return
        self.store.page_out(PageOut(ALICE, moves, (home,), (Chain(chain, "words"),), T0))
        for page in waiting:
            self.tier[page.id] = "mid_term"
            self.home[page.id] = home.id

    @rule(cited=st.lists(pages, min_size=1, max_size=3, unique=True), read=st.booleans())
    def promote(self, cited, read):
        name = self._new("fact ")
        learning = Learning((fact(name, *cited),), (VectorRow(name, "fact", vector(1, 1)),))
        self.store.promote(Promotion(ALICE, learning, T0, page_ids=tuple(cited) if read else (), again=True))
        if left := set(cited) & set(self.tier):
            self.facts[name] = left

    @precondition(lambda self: "mid_term" in self.tier.values())
    @rule(archive=st.booleans())
    def evict(self, archive):
        coldest = self.store.segments(ALICE)[0].id
        self.store.evict(Eviction(ALICE, (coldest,), T0, archive=archive))
        members = {page for page, home in self.home.items() if home == coldest}
        if archive:
            self.tier.update(dict.fromkeys(members, "archive"))
        else:
            self._gone(members, with_facts=False)

    @rule(forgotten=st.lists(consumes(pages), min_size=1, max_size=3))
    def forget_pages(self, forgotten):
        receipt = self.store.forget(Forgetting(ALICE, tuple(forgotten)))
        there = set(forgotten) & set(self.tier)
        assert receipt.pages == len(there)
        assert receipt.facts == sum(1 for cited in self.facts.values() if cited and cited <= there)
        self._gone(there)

    @rule(session=st.sampled_from(SESSIONS))
    def forget_session(self, session):
        there = {page.id for page in self.store.pages(PageQuery(ALICE, session_id=session))}
        assert self.store.forget(Forgetting(ALICE, session_id=session)).pages == len(there)
        self._gone(there)

    @rule()
    def forget_everything(self):
        assert self.store.forget(Forgetting(ALICE, everything=True)).pages == len(self.tier)
        self._gone(set(self.tier))
        self.facts.clear()

    @rule()
    def embed_what_is_not(self):
        embed(self.store, *self.store.pages(PageQuery(ALICE, embedded=False, limit=5)))

    @rule()
    def reopen(self):
        self.store.close()
        self.store = self.opened()

    @rule(limit=st.integers(1, 9))
    def follow(self, limit):
        """What an index does when it is asked: the feed to its end, anew when the epoch is another."""
        if self.store.cursor(ALICE).epoch != self.after.epoch:
            self.mirror.clear()
            self.known.clear()
        while True:
            feed = self.store.feed(ALICE, self.after, limit=limit)
            self.mirror.update((page.id, page) for page in feed.pages)
            self.known.update((known.id, known.page_ids) for known in feed.facts)
            for retired in feed.retired_fact_ids:
                self.known.pop(retired, None)
            self.after = feed.cursor
            if not feed.more:
                break
        assert self.mirror == {page.id: page for page in self.store.pages(PageQuery(ALICE))}
        assert self.known == {known.id: known.page_ids for known in self.store.facts(ALICE)}

    def _gone(self, pages: set[str], *, with_facts: bool = True) -> None:
        for page in pages:
            self.tier.pop(page)
            self.home.pop(page, None)
        for name, cited in list(self.facts.items()):
            if with_facts and cited and cited <= pages:
                del self.facts[name]
            else:
                cited -= pages

    @invariant()
    def every_page_is_in_exactly_one_tier(self):
        if not hasattr(self, "store"):
            return
        seen = [(p.id, tier) for tier in TIERS for p in self.store.pages(PageQuery(ALICE, tiers=(tier,)))]
        assert len(seen) == len(self.tier)
        assert dict(seen) == self.tier

    @invariant()
    def segments_hold_exactly_their_pages(self):
        if not hasattr(self, "store"):
            return
        pages = self.store.pages(PageQuery(ALICE, tiers=("mid_term", "archive")))
        assert {page.id: page.segment_id for page in pages} == self.home
        segments = {s.id: s for archived in (False, True) for s in self.store.segments(ALICE, archived=archived)}
        assert set(segments) == set(self.home.values())
        assert sum(s.page_count for s in segments.values()) == len(pages)
        for page in pages:
            assert (page.tier == "archive") == segments[self.home[page.id]].archived
        chains = {page.chain_id for page in pages if page.chain_id}
        assert {chain.id for chain in self.store.chains(ALICE, sorted(chains))} == chains

    @invariant()
    def facts_cite_exactly_what_is_left(self):
        if not hasattr(self, "store"):
            return
        assert {known.id: set(known.page_ids) for known in self.store.facts(ALICE)} == self.facts

    @invariant()
    def nobody_else_is_touched(self):
        if hasattr(self, "store"):
            assert self.store.pages(PageQuery(BOB)) == self.bobs


StoreMachine.TestCase.settings = settings(max_examples=25, stateful_step_count=25, deadline=None)
TestLaws = StoreMachine.TestCase
