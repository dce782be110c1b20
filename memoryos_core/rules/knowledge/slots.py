"""Read the slots that a fact states: whose value, of what, and which one."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache

__all__ = ["Slot", "key_of", "label_of", "slots_of"]


@dataclass(frozen=True, slots=True)
class Slot:
    """One value that a fact gives to an attribute of a subject."""

    subject: str
    attribute: str
    value: str
    many: bool = False
    negated: bool = False


_HOME = re.compile(r"\b(?:I|[Tt]he user|we) (?:now )?(?:lives?|live) in (?P<value>[A-Z]\w+)")
_COPULA = re.compile(r"^(?:The |My )?(?P<key>[^.?!]{1,120}?) is (?P<value>[^.?!]{1,120})\.?$")


def slots_of(text: str, names: Collection[str] = ()) -> tuple[Slot, ...]:
    """Return the slots that one fact states: most often none or one."""
    return _read_slots(text, tuple(names))


@lru_cache(maxsize=16_384)
def _read_slots(text: str, names: tuple[str, ...]) -> tuple[Slot, ...]:
    home = _HOME.search(text)
    if home:
        return (Slot("user", "home", home["value"]),)
    match = _COPULA.match(text)
    if match:
        return (Slot("", match["key"].lower(), match["value"]),)
    return ()


def key_of(text: str, names: Collection[str] = ()) -> frozenset[str]:
    """Return blocking keys: only facts that share one need to be compared."""
    return frozenset(f"{slot.subject}/{slot.attribute}" for slot in slots_of(text, names))


def label_of(slot: Slot) -> str:
    """Return the slot's name for a prompt line, such as "Home" or "Imogen's wedding"."""
    if slot.subject in {"", "user"}:
        return slot.attribute[:1].upper() + slot.attribute[1:]
    return f"{slot.subject.title()}'s {slot.attribute}"
