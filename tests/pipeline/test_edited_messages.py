"""One message of a burst is edited: what the others say stays known in the session."""

from __future__ import annotations

from memoryos_core import MemoryOS, Message


def test_only_the_facts_of_an_edited_message_are_left_out() -> None:
    memory = MemoryOS("sqlite://", embedder=None)
    chat = memory.user("ann", session_id="chat")
    said = {"m1": "I live in Lisbon.", "m2": "I work as a baker.", "m3": "My sister is called Marta."}
    chat.add_messages(
        [*(Message("user", text, id=i) for i, text in said.items()), Message("assistant", "Hm.")], once=True
    )
    chat.end_session()
    memory.flush()
    chat.add_messages([Message("user", "I work as a pilot.", id="m2")], once=True, replaces=["m2"])
    standing = ["m1", "m3"]
    home = chat.recall("Where do I live?", include_recent=False, standing=standing).text
    work = chat.recall("What is my job?", include_recent=False, standing=standing).text
    assert "- Home: Lisbon" in home
    assert "baker" not in work
    memory.close()
