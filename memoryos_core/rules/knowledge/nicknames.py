"""Names that somebody is called by: in greetings, as they ask for it, what partners and several children are."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from memoryos_core.rules.dates.other_languages import MONTH_WORDS
from memoryos_core.rules.knowledge.pets import IS_GONE
from memoryos_core.rules.knowledge.told_by_language import LANGUAGES
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
    r" (?P<value>(?:(?:Dr|Mrs?|Ms|Miss|Prof(?:essor)?)\.? )?[A-ZÀ-Þ][\w'-]{1,30})"
)
_CALLED_BY_SOME = regex(
    r"\b(?:only (?:my|our|the|[\w-]+'s) (?:[\w-]+ ){1,5}|used to |nobody "
    r"|(?:not|n't|no|no longer)(?: have| need)? to )$",
    re.IGNORECASE,
)


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


# By what they are called: "ma copine Inès". A German "Freund" with a name right behind him may be a friend.
PARTNERS = {
    "husband": "mann|ehemann|mari|marido|esposo|marito",
    "wife": "frau|ehefrau|femme|mujer|esposa|moglie|mulher",
    "boyfriend": "freund|copain|mec|novio|ragazzo|fidanzato|namorado",
    "girlfriend": "freundin|copine|novia|ragazza|fidanzata|namorada",
    "partner": "partner|partnerin|lebensgefährte|lebensgefährtin|compagne|compagnon|conjoint|conjointe|pareja|compagno"
    "|compagna|companheiro|companheira",
}
# "Meine Frau Gesa", "meine Frau, Gesa, …" or "meine Frau heißt Gesa", but not "a mi mujer Navidad le encanta".
_PARTNER = regex(
    r"(?<![\w-])(?<!\ba )(?<!\bà )(?<!\bde )(?<!\bdi )(?<!\bvon )(?<!\bdel )(?<!\bdella )(?<!\bda )(?<!\bdo )"
    r"(?:meine?[mnr]?|mon|ma|mi|(?:il |la )?mi[oa]|meu|minha) (?:"
    + "|".join(f"(?P<{role}>{nouns})" for role, nouns in PARTNERS.items())
    + r")(?P<joint>,|(?P<called> heißt| hei(?:ss|ß)t| s'appelle| se llama| si chiama| chama-se| se chama))? "
    r"(?P<name>(?-i:[A-ZÀ-Þ][a-zà-ÿ][\w'-]*))(?!['\w-])(?!\s(?:angst|hunger|geburtstag|recht|le|les|ihr|ihm)\b)"
    r"(?(called)|(?(joint)(?=,|\.?$)))",
    re.IGNORECASE,
)
_NO_PARTNER = regex(
    r"\?\s*$|\b(?:wenn|falls|früher|damals|si j|avant|antes|prima|ex|wäre|verlassen|scheid\w+|geschieden|getrennt"
    r"|trenn\w+|schluss|quittée?|sépar\w+|divor\w+|dejad[oa]|dejó|separ\w+|lasciat[oa]|roto|rompre|rompu|deixou"
    r"|terminei|firma|gmbh|\w*kurs|tennis|tanz\w*|p[áa]del|verein|sport\w*|club|boîte|empresa|azienda)\b",
    re.IGNORECASE,
)
_NO_NAME_OF_ONE = regex(
    rf"(?:{MONTH_WORDS}|{'|'.join(language.jobs for language in LANGUAGES.values())}"
    r"|montag|dienstag|mittwoch|donnerstag"
    r"|freitag|samstag|sonntag|navidad|weihnachten|ostern|noël|pâques|natale|pasqua|natal|páscoa|pascua|silvester|karneval"
    r"|fasching|dieu|dios|dio|deus|gott|berlin|hamburg|münchen|köln|wien|zürich|paris|lyon|marseille|madrid|barcelona"
    r"|sevilla|valencia|roma|milano|napoli|torino|lisboa|porto|londres|london|instagram|facebook|tiktok|netflix)",
    re.IGNORECASE,
)
_NEEDS_A_VERB = frozenset(("partner", "partnerin", "pareja", "freund", "freundin"))  # of a firm, of sports, or a friend


def partner_in(part: str) -> tuple[str, str, int] | None:
    """Return who the partner of the speaker is to them, the name of the partner, and where that is told."""
    found = _PARTNER.search(part)
    if found is None or _NO_PARTNER.search(part) or IS_GONE.search(part) or _NO_NAME_OF_ONE.fullmatch(found["name"]):
        return None
    role = next(role for role in PARTNERS if found[role])
    noun = found[role].lower()
    is_clear = found["called"] or noun not in _NEEDS_A_VERB or (found["joint"] and noun.startswith("freund"))
    return (role, found["name"], found.start()) if is_clear else None


_COUNTED = {"two": 2, "three": 3, "four": 4, "five": 5, "2": 2, "3": 3, "4": 4, "5": 5}
_LISTED = regex(
    rf"(?P<lead>(?:I|[Ww]e)(?:'ve| have)(?: got)? (?P<count>{'|'.join(_COUNTED)}) (?:[a-z-]+ )?(?:children|kids|sons"
    r"|daughters|boys|girls|brothers|sisters|siblings|nieces|nephews|grandchildren|grandsons|granddaughters)"
    r")[,:] (?P<each>[A-ZÀ-Þ].{8,300}?)[.!]*"
)
_NEXT = regex(r",? and (?=[A-ZÀ-Þ][\w'-]*, who )|[,;] (?=[A-ZÀ-Þ][\w'-]*, who )")
_EACH = regex(r"(?P<name>[A-ZÀ-Þ][\w'-]*), who (?P<told>(?:is (?:an? |in |at )|(?:live|work|studie|teache)s ).+)")


def listed_by_name(sentence: str) -> tuple[str, ...]:
    """Return what a list tells of each: "two children, Ellen, who is a nurse, and David, who lives in Rome"; or ()."""
    found = _LISTED.fullmatch(sentence)
    if found is None:
        return ()
    count = _COUNTED[found["count"]]
    each = [_EACH.fullmatch(part) for part in _NEXT.split(found["each"], maxsplit=count - 1)]
    told = [one for one in each if one is not None]
    if len(told) != count or len(each) != count:
        return ()
    *names, last = (one["name"] for one in told)
    return f"{found['lead']}, {', '.join(names)} and {last}.", *(f"{one['name']} {one['told']}." for one in told)
