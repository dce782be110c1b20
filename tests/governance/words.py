"""A memory with a word of its own in every place where one can be kept, and where the words are found again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from memoryos_core.ports.capabilities import FullStore
from memoryos_core.testing.store_samples import DAY, T0, embed, fact, field, learn, segment, supersede, trait
from memoryos_core.values.commands import Append, Move, NewPage, PageOut
from memoryos_core.values.dialogue import Chain, Message, Scope
from memoryos_core.values.notes import NoteWrite

KINDS = (
    *("user", "session", "said", "answered", "speaker", "payload", "summary", "keyword", "chain", "fact", "replaced"),
    *("reason", "home", "namespace", "value", "text", "actor"),
)


def words_of(name: str) -> dict[str, bytes]:
    """The words of one user, by where they are kept."""
    return {kind: f"{name}q{kind}zx".encode() for kind in KINDS}


def scope_of(name: str) -> Scope:
    """Whose words they are."""
    return Scope(words_of(name)["user"].decode())


def fill(store: FullStore, name: str, pages: int = 40) -> Scope:
    """Keep every word of a user somewhere, in several pages and tiers."""
    w = {kind: word.decode() for kind, word in words_of(name).items()}
    scope = scope_of(name)
    said = Message("user", f"I said {w['said']}", name=w["speaker"], payload=w["payload"], timestamp=T0)
    new = [NewPage((said, Message("assistant", f"{w['answered']} {n}")), 9, open=False) for n in range(pages)]
    written = store.append(Append(scope, w["session"], tuple(new), T0))
    home = replace(segment(), summary=f"about {w['summary']}", keywords=(w["keyword"],))
    moves = tuple(Move(page.id, home.id, "c1") for page in written[: pages // 2])
    store.page_out(PageOut(scope, moves, (home,), (Chain("c1", w["chain"]),), T0))
    embed(store, *written[:5], scope=scope)
    learn(store, fact("f1", written[0].id, text=f"knows {w['replaced']}"), scope=scope)
    learn(
        store,
        fact("f2", written[1].id, text=f"likes {w['fact']}"),
        scope=scope,
        changes=[supersede("f1", "f2")],
        traits=[trait("Openness", written[2].id, reason=w["reason"])],
        profile=[field("home", w["home"], written[2].id)],
    )
    store.write_notes(scope, [NoteWrite((w["namespace"],), "k", w["value"], w["text"])], T0 + DAY)
    store.grant(scope, w["actor"], "reader", T0)
    return scope


def found(words: Mapping[str, bytes], files: Iterable[Path]) -> dict[str, set[str]]:
    """In which files each word is, whole or in part of a larger value; those that are nowhere are left out."""
    where: dict[str, set[str]] = {}
    for file in files:
        content = file.read_bytes()
        for kind, word in words.items():
            if word in content:
                where.setdefault(kind, set()).add(file.name)
    return where
