"""Facts told in the first person: a prompt says that they are the user's words, or they read as the assistant's own."""

from __future__ import annotations

from dataclasses import replace

from memoryos_core.extract.quotations import QUOTATION
from memoryos_core.rules.text.languages import guess
from memoryos_core.rules.text.words import regex
from memoryos_core.values.dialogue import Hit

OWN_WORDS = "(the user's words)"
# How a statement about oneself begins, by language. A capital behind it is a title or a name: "My Fair Lady".
_BEGINS = {
    "en": regex(
        r"(?:(?:In|Since|On|At|From|Until|Last|For) [^,.;]{1,30}?,? )?"
        r"(?:I(?:'(?:m|ve|d|ll))?,? [a-z]|i(?:'m|'ve| am| have| live| like| love| work)\b|[Mm]y [a-z]"
        r"|[Ww]e(?:'re|'ve)? [a-z]|[Oo]ur [a-z])"
    ),
    "de": regex(r"(?:Ich|Mein(?:e[mnrs]?)?|Wir|Unser(?:e[mnrs]?)?)\b"),
    "fr": regex(r"(?:Je|Mon|Ma|Mes|Nous|Notre|Nos)\b|J['’]"),
    "es": regex(r"(?:Yo|Mis?|Soy|Estoy|Tengo|Vivo|Me|Nosotr[ao]s|Nuestr[ao]s?)\b"),
    "it": regex(r"(?:Io|Ho|Vivo|Mi|(?:Il |La )?(?:mio|mia|Mio|Mia))\b"),
    "pt": regex(r"(?:Eu|Meus?|Minhas?|Sou|Estou|Tenho|Moro)\b"),
    "ru": regex(r"(?:Я|Мой|Моя|Моё|Мои|Мне|Мы|У меня)\b"),
    "zh": regex(r"我"),
    "ja": regex(r"(?:私|僕|俺|わたし|ぼく)"),
    "ko": regex(r"(?:저는|나는|제가|내가|제 |내 )"),
}


def with_speaker(hit: Hit) -> Hit:
    """Return the hit, where it is a fact about the user that was told in the first person, with a word on who says so.

    What was read from pages is in the third person already.
    """
    if hit.kind != "fact" or hit.about != "user" or hit.page_ids or not _is_of_oneself(hit.text):
        return hit
    return replace(hit, marks=((hit.text, OWN_WORDS), *hit.marks))


def _is_of_oneself(text: str) -> bool:
    said = QUOTATION.sub("", text).strip()
    begins = _BEGINS.get(guess(said))
    return begins is not None and begins.match(said) is not None
