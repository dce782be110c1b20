"""Orders about answers in languages other than English, with the aspect that each of them settles."""

from __future__ import annotations

import re

from memoryos_core.rules.text.words import regex

__all__ = ["aspects_in"]

# What may stand around an order, in any of the languages.
_SMALL = (
    r"(?:bitte|also|aber|und|ab (?:jetzt|sofort)|jetzt|nun|wieder|lieber|doch|mir|immer|ruhig|gerne?|auch|nur|dann"
    r"|s'il (?:te|vous) plaît|stp|svp|désormais|maintenant|(?:à|de) nouveau|plutôt|toujours|et|merci de"
    r"|por favor|a partir de ahora|desde ahora|ahora|otra vez|de nuevo|siempre|mejor|y|ya"
    r"|per favore|adesso|di nuovo|sempre|d'ora in poi|agora|de novo|a partir de agora|me|moi)"
)
_ENGLISH_NAMES = {
    "deutsch": "german", "englisch": "english", "französisch": "french", "spanisch": "spanish",
    "italienisch": "italian", "allemand": "german", "anglais": "english", "français": "french",
    "espagnol": "spanish", "italien": "italian",
    "alemán": "german", "inglés": "english", "francés": "french", "español": "spanish", "italiano": "italian",
    "tedesco": "german", "inglese": "english", "francese": "french", "spagnolo": "spanish", "portugués": "portuguese",
    "alemão": "german", "inglês": "english", "francês": "french", "espanhol": "spanish", "português": "portuguese",
}  # fmt: skip
_LANGUAGE = rf"(?P<language>{'|'.join(_ENGLISH_NAMES)})"
_FROM_NOW = (
    r"ab (?:jetzt|sofort)|désormais|à partir de maintenant|(?:a partir de|desde) ahora|d'ora in poi|a partir de agora"
)
_ORNAMENT = r"(?:emojis?|smileys?|émojis?|listas?|listen|listes?|aufzählung\w*)"
_WRITE = (
    r"(?:antworten?|schreiben?|sprich|sprechen|réponds|répondre|écris|écrire|parle|parler|responde|responder|contesta"
    r"|contestar|escribe|escribir|habla|hablar|respóndeme|contéstame|escríbeme|háblame|rispondi(?:mi)?|rispondere|scrivi"
    r"|scrivere|parla|responda|escreve|escreva|fala)(?:-moi|me)?"
)
_CAN = r"(?:(?:du )?(?:kannst|darfst)(?: du)?|(?:tu )?peux|(?:vous )?pouvez|puedes(?: volver a)?|puoi|podes?)"
_SHORT = (
    r"(?:kurz|knapp|kürzer|knapper|bref|brève|brièvement|court|plus court|corto|cortito|breve|brevemente|más corto"
    r"|más breve|in breve|più corto|curto|mais curto|concis|concise|conciso|concisa)"
)
_LONG = (
    r"(?:länger|lang|ausführlich(?:er)?|mehr|plus (?:long(?:uement)?|en détail)|longuement|más (?:largo|extenso)"
    r"|largo|con más detalle|più (?:lungo|a lungo)|a lungo|mais (?:longo|detalhado)|com mais detalhes?)"
)
_NO_LONGER = (
    r"(?:(?:es )?muss nicht mehr|plus besoin d'être|ya no (?:hace falta|es necesario) que seas?|non serve più essere"
    r"|não precisa mais ser)"
)


def _pattern(text: str) -> re.Pattern[str]:
    return regex(text, re.IGNORECASE)


_ROWS: tuple[tuple[str, str, re.Pattern[str]], ...] = (
    (
        "length",
        "short",
        _pattern(
            rf"{_WRITE}(?: {_SMALL})* {_SHORT}|(?:fass|halte?) dich {_SHORT}|(?:sois|s[eé]|sii|seja|sei) {_SHORT}"
            r"|kurze antworten|réponses (?:courtes|brèves)|respuestas (?:cortas|breves)|risposte brevi|respostas curtas"
        ),
    ),
    (
        "length",
        "long",
        _pattern(
            rf"{_CAN} (?:{_SMALL} )*(?:{_LONG} {_WRITE}|{_WRITE} {_LONG})|{_WRITE} {_LONG}"
            rf"|{_NO_LONGER} (?:so |tan |aussi |così |tão )?{_SHORT}(?: sein)?"
            r"|lange antworten|réponses longues|respuestas largas|risposte lunghe|respostas longas"
        ),
    ),
    (
        "address",
        "familiar",
        _pattern(
            rf"duze? mich|{_CAN} mich (?:ruhig |gerne? )?duzen|sag du(?: zu mir)?|tutoie-moi|tutéame|dammi del tu"
        ),
    ),
    (
        "address",
        "formal",
        _pattern(r"sieze? mich|sag sie zu mir|vouvoie-moi|trátame de usted|háblame de usted|dammi del lei"),
    ),
    (
        "language",
        "",
        _pattern(
            rf"(?:{_CAN}(?: {_SMALL})* )?{_WRITE}(?: {_SMALL})* (?:auf|en|in|em) {_LANGUAGE}"
            rf"|{_CAN}(?: {_SMALL})* auf {_LANGUAGE.replace('language', 'other')} {_WRITE}"
            # "Ab jetzt wieder Englisch bitte."
            rf"|(?:(?:{_FROM_NOW})(?: {_SMALL})*|(?:bitte )?wieder) (?:auf |en |in |em )?"
            rf"{_LANGUAGE.replace('language', 'alone')}(?:,? {_SMALL})*"
        ),
    ),
    (
        "",
        "no",
        _pattern(
            rf"(?:{_WRITE} )?(?:keine?|ohne|pas d'|pas de|sans|sin|senza|sem|niente) ?{_ORNAMENT}(?: mehr)?"
            rf"|(?:no uses|não use|non usare|n'utilise (?:pas|jamais) (?:d'|de|des)) ?{_ORNAMENT}"
        ),
    ),
    (
        "",
        "yes",
        _pattern(
            rf"{_ORNAMENT} (?:sind|ist)(?: {_SMALL})* (?:okay|ok|in ordnung|erlaubt)"
            rf"|{_CAN}(?: {_SMALL})* {_ORNAMENT} (?:verwenden|benutzen|nutzen)"
            rf"|{_CAN}(?: {_SMALL})* (?:utiliser|usar|usare|poner) (?:des |los |las |gli |os )?{_ORNAMENT}"
        ),
    ),
)
_ORNAMENT_IN = _pattern(_ORNAMENT)
_BEFORE, _BEHIND = _pattern(rf"(?:{_SMALL}\b,? ?){{1,6}}"), _pattern(rf"(?:,? {_SMALL}){{1,6}}$")
_JOINT = _pattern(r",\s+| und | et | y (?=ya )")
_WHY = _pattern(r"(?:ich|weil|denn|da|das|je|j'|parce que|car|porque|es que|io|perché|eu|pois)\b.*")
_LONGEST = 120  # characters
_ONE_NAME = {"smiley": "emoji", "émoji": "emoji", "lista": "list", "listen": "list", "liste": "list"}


def aspects_in(order: str) -> frozenset[tuple[str, str]]:
    """Return the aspects of answers that a sentence settles, each with its value; none where a part settles nothing."""
    found: set[tuple[str, str]] = set()
    for part in _JOINT.split(order.strip(" .!")) if len(order) <= _LONGEST else ():
        settled = _aspect_in(part)
        if settled is None and found and _WHY.fullmatch(part) is not None:
            break  # what stands behind an order only says why
        if settled is None:
            return frozenset()
        found.add(settled)
    return frozenset(found)


def _aspect_in(part: str) -> tuple[str, str] | None:
    plain = _BEHIND.sub("", part)
    opening = _BEFORE.match(plain)
    for said in (part, plain, plain[opening.end() :] if opening is not None else plain):
        for aspect, value, pattern in _ROWS:
            if (told := pattern.fullmatch(said)) is None:
                continue
            if aspect == "language":
                return aspect, _ENGLISH_NAMES[(told["language"] or told["other"] or told["alone"]).lower()]
            if aspect:
                return aspect, value
            name = "".join(_ORNAMENT_IN.findall(said)).lower()
            name = "list" if name.startswith("aufz") else _ONE_NAME.get(name, name)
            return name.removesuffix("s"), value
    return None
