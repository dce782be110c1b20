"""Memories of every shape, made by hypothesis, as the records that an export gives."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from hypothesis import strategies as st

from memoryos_core.ports.capabilities import FullStore
from memoryos_core.testing.store_samples import ALICE, T0, fact, field, learn, move_out, segment, supersede, trait
from memoryos_core.values.commands import Append, Eviction, NewPage
from memoryos_core.values.dialogue import Message
from memoryos_core.values.facts import Trust
from memoryos_core.values.notes import NoteWrite

TRUSTS: tuple[Trust, ...] = ("user", "assistant", "tool", "document")
TEXTS = st.text(st.characters(), max_size=12)  # lone surrogates and NUL included
LABELS = st.lists(st.sampled_from(["instruction", "replicating", "url"]), max_size=2, unique=True).map(tuple)
STATUSES = st.sampled_from(["current", "retired", "evicted", "quarantined"])


@st.composite
def plans(draw: st.DrawFn) -> list[dict[str, Any]]:
    """What happens in a memory, step by step; `play` does it."""
    step = st.fixed_dictionaries(
        {
            "texts": st.lists(TEXTS, min_size=1, max_size=3),
            "session": st.sampled_from(["s", "t"]),
            "trust": st.sampled_from(TRUSTS),
            "labels": LABELS,
            "then": st.sampled_from(["wait", "page out", "archive", "evict"]),
            "fact": TEXTS,
            "status": STATUSES,
            "persona": st.sampled_from(["none", "trait", "field", "both"]),
            "note": st.booleans(),
        }
    )
    return draw(st.lists(step, max_size=5))


def play(store: FullStore, plan: list[dict[str, Any]]) -> None:
    """Do what a plan says, in Alice's memory."""
    for n, step in enumerate(plan):
        said = [Message("user", text, trust=step["trust"], timestamp=T0, payload=text) for text in step["texts"]]
        new = tuple(NewPage((m,), 1, open=False, trust=step["trust"], labels=step["labels"]) for m in said)
        pages = store.append(Append(ALICE, step["session"], new, T0 + timedelta(days=n), takes=(f"m{n}",)))
        if step["then"] != "wait":
            store.page_out(move_out(pages, into=segment(f"g{n}", summary=step["fact"]), chain=f"c{n}"))
        if step["then"] == "archive":
            store.archive(ALICE, "pages", [pages[0].id])
        if step["then"] == "evict":
            store.evict(Eviction(ALICE, (f"g{n}",), T0))
        known = fact(f"f{n}", *(page.id for page in reversed(pages)), text=step["fact"])
        changed = {"status": step["status"], "trust": step["trust"], "labels": step["labels"]}
        old = [supersede(f"f{n - 1}", f"f{n}")] if n % 2 and plan[n - 1]["status"] == "current" else []
        learn(
            store,
            type(known)(**{**{name: getattr(known, name) for name in known.__slots__}, **changed}),
            changes=old,
            profile=[field("home", step["fact"], pages[0].id)] if step["persona"] in ("field", "both") else [],
            traits=[trait("Openness", pages[-1].id)] if step["persona"] in ("trait", "both") else [],
        )
        if step["note"]:
            store.write_notes(ALICE, [NoteWrite(("n", step["fact"]), "k", "{}", "t", fact_id=f"f{n}")], T0)
