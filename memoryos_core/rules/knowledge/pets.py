"""Pets with and without names, and the kinds that pets and vehicles are of."""

from __future__ import annotations

import re
from collections.abc import Mapping

from memoryos_core.rules.knowledge.heads import ANIMAL
from memoryos_core.rules.text.words import regex, terms

__all__ = ["IS_GONE", "covers", "has_other_wheels", "is_gone", "without_unnamed"]

_BREEDS = {
    "dog": """puppy beagle greyhound lurcher whippet labrador retriever spaniel terrier poodle husky dachshund collie
        corgi pug bulldog chihuahua sheepdog labradoodle cockapoo schnauzer rottweiler dalmatian""",
    "cat": "kitten siamese ragdoll tabby tomcat",
    "bird": "parrot budgie cockatiel canary parakeet macaw",
    "horse": "pony",
}
_KIND_OF = {breed: kind for kind, breeds in _BREEDS.items() for breed in breeds.split()}
_SEVERAL = regex(rf"(?:\w+ )?(?P<kind>birds|(?=\w+s$){ANIMAL})$", re.IGNORECASE)
_NAMED = regex(rf"(?:[\w-]+ ){{0,3}}?(?P<kind>{ANIMAL}|bird)(?: called| named)? (?-i:[A-ZÀ-Þ])", re.IGNORECASE)


def without_unnamed(values: Mapping[str, str]) -> list[str]:
    """Return values without what another one names: "cat" beside "cat called Moth", "ramipril" beside "ramipril 5 mg".

    "Dogs" are left out beside a named pug of the same statement only; each value has the id of its statement.
    """
    named = {(told, _kind_of(found["kind"])) for value, told in values.items() if (found := _NAMED.match(value))}
    several = {
        value
        for value, told in values.items()
        if (found := _SEVERAL.match(value)) and (told, _kind_of(found["kind"])) in named
    }
    return [value for value in values if value not in several and not any(_names(other, value) for other in values)]


_ONE_MORE = regex(rf"^(?:new|second|third|little) (?={ANIMAL}$)", re.IGNORECASE)


def _kind_of(animal: str) -> str:
    one = animal.lower().removesuffix("s")
    return _KIND_OF.get(one, one)


def _names(other: str, value: str) -> bool:
    """Return whether a value is another one with its name or its amount: "cat called Moth" beside "second cat"."""
    value = _ONE_MORE.sub("", value)
    behind = other[len(value) + 1 :] if other.startswith(f"{value} ") else ""
    return behind.startswith("called ") or behind[:1].isdigit()


# In other languages.
_GONE = (
    r"\b(?:gestorben|verstorben|tot|weggelaufen|entlaufen|eingeschläfert|überfahren|verkauft|verschenkt|abgegeben|starb"
    r"|(?:lebt|wohnt) (?:jetzt |nun )?bei|mort[eoa]?|décédée?|enfuie?|disparue?|perdue?|vendue?"
    r"|murió|muert[oa]|ha muerto|falleció|se escapó|se perdió|desapareció|vendimos|vendí"
    r"|scappat[oa]|scompars[oa]|morreu|faleceu|fugiu|desapareceu|sumiu)\b"
)
IS_GONE = regex(_GONE, re.IGNORECASE)
_IS_GONE_ITSELF = regex(rf"\s(?:[^\s,.;]+\s){{0,3}}?{_GONE}", re.IGNORECASE)


def is_gone(behind: str) -> bool:
    """Return whether what stands behind the name of a pet says that it died or ran away."""
    return _IS_GONE_ITSELF.match(behind) is not None


_PETS, _CARS = frozenset(("pets", "animals")), frozenset(("car", "cars", "vehicles"))
_AND_ONE = regex(r",? and (?:also )?(?:an?|one|two|three) |, (?:an?|one|two|three) ")
_OF_TWO_WHEELS = frozenset(terms("bike bicycle motorbike motorcycle scooter moped vespa"))
_OF_FOUR_WHEELS = frozenset(terms("car truck van lorry pickup"))


def has_other_wheels(old: str, new: str) -> bool:
    """Return whether one text names a bicycle or its like, and the other a car or its like."""
    before, after = (
        [not kind.isdisjoint(terms(text)) for kind in (_OF_TWO_WHEELS, _OF_FOUR_WHEELS)] for text in (old, new)
    )
    return any(before) and any(after) and not any(map(bool.__and__, before, after))


def covers(kind: str, value: str) -> bool:
    """Return whether a value is one of a kind: "cat called Moth" of "pets", "Volvo" of "cars".

    A value of two is of the kind only if both are: "dog named Rex and a cat named Tom" is more than "dogs".
    """
    if kind in _PETS:
        return True
    if (others := _AND_ONE.split(value))[1:]:
        return all(covers(kind, other) for other in others)
    stems = frozenset(terms(value))
    if kind in _CARS:
        return stems.isdisjoint(_OF_TWO_WHEELS) or kind == "vehicles"
    return not stems.isdisjoint(terms(kind))
