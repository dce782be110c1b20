"""The message of a conversation handed in whole that was edited for certain.

An edit takes the place of what the user said. Ids may be places in a request, and texts may be shortened to save room;
so nothing but the message may differ, and its id is one that was drawn by chance.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence

from memoryos_core import Message
from memoryos_langchain.alignment import is_redacted, is_shortened

# What is left of a text after an edit; less is taken for a text that was shortened.
_LEAST_PART = 1 / 3
# Versions of UUIDs that are drawn or hold the time: those made of a name may stand for a place.
_DRAWN = frozenset({1, 4, 6, 7})


def find_edit(given: Sequence[Message], stored: Sequence[Message]) -> dict[str, str]:
    """Return the stored text of the one message that was edited, by its id; nothing where that is not certain.

    Args:
        given: the conversation up to its last question.
        stored: all messages of the session. Where the question is the last one that is stored, it may be the edited
            message. Where questions follow that one, the conversation branches, and nothing is edited.
    """
    ids = [m.id for m in stored]
    if given and given[-1].id in ids:
        end = ids.index(given[-1].id) + 1
        if any(m.role == "user" for m in stored[end:]):
            return {}
    else:
        given, end = given[:-1], len(stored)
    former = stored[max(end - len(given), 0) : end]
    if not _unique(given) or not _unique(stored) or [(m.role, m.id) for m in given] != [(m.role, m.id) for m in former]:
        return {}
    pairs = list(zip(given, former, strict=True))
    changed = [(new, old) for new, old in pairs if new.text != old.text]
    others = [new for new, old in pairs if new.text == old.text and new.role == "user" and _is_drawn(new.id)]
    if len(changed) != 1 or not others:
        return {}
    [(new, old)] = changed
    return {old.id: old.text} if old.id and _is_drawn(old.id) and _is_rewritten(new, old) else {}


def _unique(messages: Sequence[Message]) -> bool:
    return len({m.id for m in messages if m.id}) == len(messages)


def _is_drawn(message_id: str | None) -> bool:
    try:
        return uuid.UUID(message_id or "").version in _DRAWN
    except ValueError:
        return False


def _is_rewritten(new: Message, old: Message) -> bool:
    text, former = new.text.strip(), old.text.strip()
    if new.role != "user" or len(text) < _LEAST_PART * len(former) or former.startswith(text.rstrip(" .…")):
        return False
    return not is_shortened(text, former) and not is_redacted(text, former) and not is_redacted(former, text)
