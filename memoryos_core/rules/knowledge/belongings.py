"""Read the pets and vehicles that somebody has, and that all of a kind are gone: "sold both my cars", "no pets now"."""

from __future__ import annotations

import re

from memoryos_core.rules.knowledge.phrases import ANIMAL
from memoryos_core.rules.text.words import regex, terms

__all__ = ["covers", "find_own_pet", "find_parted_with", "name_pet"]

_PET = regex(rf"(?:[\w-]+ ){{0,2}}{ANIMAL}(?: (?:called|named) .+)?", re.IGNORECASE)
_ONE_MORE = regex(r"^(?:second|third|new|other|little) (?=\w)")
_MY_PET = regex(
    rf"(?:[Mm]y|[Oo]ur|[Tt]he user's) (?P<kind>{ANIMAL}),? (?:(?:is )?(?:an? [\w-]+ )?(?:called|named) )?"
    r"(?P<name>[A-ZÀ-Þ][\w'-]+)"
)
_PET_GONE = regex(r"\b(?:died|dead|passed|put down|put to sleep|gone|ran away|rehomed|lost|missing|used to|was)\b")
_PETS, _CARS = frozenset(("pets", "animals")), frozenset(("car", "cars", "vehicles"))
_KINDS = rf"(?P<kind>pets|animals|(?=\w+s\b){ANIMAL}|cars|vehicles|motorbikes|motorcycles|bikes|bicycles)"
_NO_MORE = r"(?: (?:any ?more|any longer|at all|left|now|these days|at the moment))*"
# Nothing may follow that says where or when only: "no cats in the bedroom".
_ENDS = (
    r"(?=[.,;!]|$| (?:since|because|so|and|but|after|last|this|in (?:\d{4}|(?-i:[A-Z])[a-z]+(?<!ing)(?=[.,;!]|$))"
    r"|years? ago|\w+ (?:days|weeks|months|years) ago|yesterday|today|recently|for good)\b)"
)
_HAS_NONE = (
    r"(?:(?:do(?:es)? not|no longer) (?:have|has|own|owns|keep|keeps)(?: any| an?(?= car\b))?"
    r"|(?:have|has|own|owns|keep|keeps) no(?: more)?)"
)
_GAVE = (
    r"(?:(?:had to |have |has )?(?:sold|sell|gave away|give away|given away|got rid of|get rid of|rehomed|rehome"
    r"|scrapped|traded in) (?:both|all)(?: of)? (?:the|my|our|their|his|her))"
)
_NONE_LEFT = regex(
    rf"(?:(?:sadly|now|also|finally|just|recently|currently) )*"
    rf"(?:{_HAS_NONE} {_KINDS.replace('cars|', 'cars?|')}{_NO_MORE}|{_GAVE} {_KINDS.replace('kind', 'parted')}){_ENDS}",
    re.IGNORECASE,
)
_OF_TWO_WHEELS = frozenset(terms("bike bicycle motorbike motorcycle scooter moped vespa"))


def name_pet(value: str) -> str | None:
    """Return a possession as a pet, without "second" or "new"; None for anything else."""
    return _ONE_MORE.sub("", value) if _PET.fullmatch(value) is not None else None


def find_own_pet(text: str) -> str | None:
    """Return the pet that a clause names as the user's own: "my cat Pixel hates it"."""
    pet = _MY_PET.match(text)
    return None if pet is None or _PET_GONE.search(text) is not None else f"{pet['kind'].lower()} {pet['name']}"


def find_parted_with(said: str) -> tuple[str, str] | None:
    """Return the attribute and the kind of which nothing is left by what is said behind a subject."""
    found = _NONE_LEFT.match(said)
    if found is None:
        return None
    kind = (found["kind"] or found["parted"]).lower()
    is_pet = kind in _PETS or _PET.fullmatch(kind) is not None
    return ("pet" if is_pet else "vehicle"), kind


def covers(kind: str, value: str) -> bool:
    """Return whether a value is one of a kind: "cat called Moth" of "pets", "Volvo" of "cars"."""
    if kind in _PETS:
        return True
    stems = frozenset(terms(value))
    if kind in _CARS:
        return stems.isdisjoint(_OF_TWO_WHEELS) or kind == "vehicles"
    return not stems.isdisjoint(terms(kind))
