"""Words that are certain to be stored, each in a place of its own, and where bytes of them are found."""

from __future__ import annotations

from pathlib import Path

from memoryos_core.ports import Store
from memoryos_core.ports.capabilities import ExportStore, NoteStore, capability
from memoryos_core.testing.store_samples import T0, embed, fact, field, learn, segment, trait
from memoryos_core.values.commands import Append, Move, NewPage, NoteWrite, PageOut
from memoryos_core.values.dialogue import Chain, Message, Scope

KEY, OTHER = bytes(range(32)), bytes(range(32, 64))

SAID = {
    "message": "xylographer",
    "payload": "quizzicalness",
    "speaker": "Wolfeschlegel",
    "summary": "brobdingnagian",
    "keyword": "syzygetic",
    "chain": "tatterdemalion",
    "fact": "ultracrepidarian",
    "trait": "sesquipedality",
    "profile": "Llanfairpwll",
    "note": "zenzizenzic",
    "note text": "floccinaucical",
}
"""What was said or is known."""
NAMED = {"user": "honorificabilitudo", "session": "kakorrhaphio", "note key": "jentacular"}
"""Names by which it is found."""
WHO = Scope(NAMED["user"])


def store_everything(store: Store) -> None:
    """Something of everything that holds words, embedded, so that a database that ranks by itself has terms."""
    said = (
        Message("user", SAID["message"], name=SAID["speaker"], payload=SAID["payload"]),
        Message("assistant", f"so it is: {SAID['message']}"),
    )
    (page,) = store.append(Append(WHO, NAMED["session"], (NewPage(said, 5, open=False),), T0))
    described = segment("g", summary=SAID["summary"])
    home = type(described)("g", SAID["summary"], (SAID["keyword"],), described.centroid, last_access=T0)
    store.page_out(PageOut(WHO, (Move(page.id, "g", "c"),), (home,), (Chain("c", SAID["chain"]),), T0))
    embed(store, page, scope=WHO)
    traits, profile = [trait("Openness", reason=SAID["trait"])], [field("home", SAID["profile"])]
    learn(store, fact("f", page.id, text=SAID["fact"]), scope=WHO, traits=traits, profile=profile)
    note = NoteWrite(("n",), NAMED["note key"], SAID["note"], SAID["note text"])
    capability(store, NoteStore).write_notes(WHO, [note], T0)


def read_everything(store: Store) -> list[object]:
    """All of it, as the store gives it back."""
    return list(capability(store, ExportStore).export(WHO))


def found_in(folder: Path, words: dict[str, str]) -> set[str]:
    """Which of these words are in the bytes of any file below a folder."""
    contents = [file.read_bytes() for file in folder.rglob("*") if file.is_file()]
    return {place for place, word in words.items() if any(word.encode() in content for content in contents)}
