"""Names that somebody is called by: in greetings, where who signs as "Emi" may be "Kate", or as they ask for it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from memoryos_core.rules.text.function_words import FUNCTION_WORDS
from memoryos_core.rules.text.names import is_name
from memoryos_core.rules.text.words import regex

_GREETED = regex(
    r"^\s*(?i:hey+|hi+|hello|hiya|yo|thanks|thank you|bye|welcome back),? (?P<name>[A-ZÀ-Þ][a-zà-ÿ]{1,14})(?=[,.!?]|$)"
)
_NOBODY_TEXT = (
    "everyone everybody guys folks friend friends buddy bro dude man girl mom mum dad god gosh jesus kitty world team"
    " all sir love dear sweetheart honey babe alexa siri google there you no yes way thanks happy merry"
)
_NOBODY = frozenset(_NOBODY_TEXT.split())


def names_called(said: Iterable[str], signed: str, speaker: str) -> Iterator[str]:
    """Yield what the author of these messages calls another one, who signs as `signed`; not the author's own name."""
    known = {name.casefold() for name in (*signed.split(), *speaker.split())}
    found = (greeted["name"] for text in said if (greeted := _GREETED.match(text)) is not None)
    for name in dict.fromkeys(found):
        if name.casefold() not in known and name.casefold() not in _NOBODY and is_name(name):
            yield name


def tell(signed: str, name: str) -> str:
    """Return the statement that a speaker goes by another name, as `tiers.knowledge` reads it."""
    return f"{signed} is called {name}."


_CALL_ME = regex(
    r"(?<!ever )(?<!not )(?<!n't )(?<!longer )\b(?:(?P<own>(?:[Cc]all|[Ee]very(?:one|body) calls) (?:me|them|the user)"
    r"|[Aa]ddress (?:me|them|the user) as)"
    r"|known as|(?<!let )go by|nennt mich|appelle-moi|llámame)"
    r" (?P<value>(?:(?:Dr|Mrs?|Ms|Miss|Prof)\.? )?[A-ZÀ-Þ][\w'-]{1,30})"
)
_CALLED_BY_SOME = regex(r"\b(?:only (?:my|our|the|[\w-]+'s) (?:[\w-]+ ){1,5}|used to |nobody )$", re.IGNORECASE)


def called_in(text: str) -> re.Match[str] | None:
    """Return what somebody is called, with the match's groups `own` and `value`, not "only my mother calls me"."""
    found = _CALL_ME.search(text)
    return None if found is None or _CALLED_BY_SOME.search(text[: found.start()]) else found


# Names and towns in small letters, where a whole message has no capital: "ich heiße steffi und wohne in kassel".
_ENDS = r"(?=\s*(?:[.,!;]|$)|\s(?:und|et|y|e|mit|avec|con|com|seit|depuis|desde|da)\s)"
_SMALL_NAME = regex(
    rf"\b(?P<lead>ich hei(?:ß|ss)e|mein name ist|je m'appelle|me llamo|mi nombre es|mi chiamo|chamo-me|me chamo) "
    rf"(?P<word>[a-zà-ÿ]{{3,12}}){_ENDS}"
)
_SMALL_TOWN = regex(
    rf"\b(?P<lead>(?:ich )?wohne?(?: ich)?(?: jetzt| seit \w+)? in|(?:j'|on )habite(?: maintenant)? [àa]"
    rf"|(?:yo )?vivo(?: ahora)? en"
    rf"|abito(?: adesso| ora)? a|moro(?: agora)? em) (?P<word>[a-zà-ÿ]{{4,14}}){_ENDS}"
)
_NO_TOWN_TEXT = """
    miete untermiete einer einem eine frieden angst armut freiheit trennung scheidung zeiten stadtmitte bahnhofsnähe
    haus stadt dorf zentrum mitte rente quarantäne beziehung gemeinschaft campagne banlieue ville maison colocation
    coloc fuori paix côté centre pied distance casa centro campo ciudad pueblo piso paris paz alquiler pareja familia
    comunidad
    città campagna periferia affitto pace distanza cidade aldeia apartamento comum
"""
_NO_TOWN = (frozenset(_NO_TOWN_TEXT.split()) - {"paris"}).union(*(said for said in FUNCTION_WORDS.values()))


def with_capitals(said: str) -> str:
    """Return a sentence in small letters with the capitals of its speaker's name and town."""
    if said != said.lower():
        return said
    for pattern in (_SMALL_NAME, _SMALL_TOWN):
        said = pattern.sub(_with_capital, said)
    return said


def _with_capital(found: re.Match[str]) -> str:
    word = found["word"]
    return found[0] if word in _NO_TOWN else f"{found['lead']} {word[:1].upper()}{word[1:]}"
