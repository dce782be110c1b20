"""Keywords of a text without a model: frequent words, or frequent bigrams where words have no spaces between them."""

from __future__ import annotations

import re
from collections import Counter

from memoryos_core.rules.text.function_words import FUNCTION_WORDS
from memoryos_core.rules.text.languages import guess, has_no_spaces
from memoryos_core.rules.text.words import terms, words

# What holds words together: Japanese endings and particles are in hiragana, Chinese has function words.
_GLUE = {"ja": re.compile("[\u3040-\u309f]"), "zh": re.compile("[我你他她它们的了是在吗呢吧也这那很不叫]")}
# A word with a capital that does not begin a sentence: a name, or a noun in German.
_NAME = re.compile(r"(?<=[\w,;:] )[^\W\d_a-z]\w+")
_LONGEST = 40
# Read of one topic; its pages share it (`label`).
READ_CHARS = 1000
# Words that say little about a subject, apart from function words. Chat is full of them.
_COMMON = {
    code: frozenset(listed.split())
    for code, listed in {
        "en": """
            actually again all already always amazing any anything around awesome away back because before best
            better big bit both come coming cool day days definitely down each else ever every everyone everything
            exactly far feel feeling felt few find first fun get getting give glad go goes going gonna good got
            great guess happy hard hear heard hello help hey hi hope idea important keep kind know last later let
            like little long look looking lot lots love made make makes making many maybe mean more most much need
            never new next nice now oh ok okay old one only other out over people perfect please pretty put really
            right said same saw say see seem seen since some someone something soon sorry sounds start started still
            stuff such sure take talk tell thank thanks thing things think thinking thought three through time times
            today together told tomorrow took totally tried try trying two until up use used using want wanted wants
            way week well went while without wonderful work wow year years yeah yes yesterday yet
        """,
        "de": """
            alle alles also andere dort etwas ganz gar gerade gern gut heute hier immer jetzt mal mehr nichts seit
            viel wieder
        """,
        "fr": """
            après autre beaucoup bien bon encore fait faire peu plus toujours tous tout toute très trop va vais
        """,
        "es": """
            ahora aquí bien bueno creo dos gracias hace hacer hoy mucho más nada otra otro poco siempre solo sé todo
            todos va
        """,
        "pt": """
            agora aqui até bem bom depois faz fazer gosto lá mais mesmo obrigado sim tudo vai
        """,
        "it": """
            adesso ancora bene cosa dopo fa fare fatto molto no oggi più sempre solo ti tutti tutto va
        """,
        "nl": """
            alle alles altijd echt gaan gaat goed haar ja meer nee niets onder veel weer wil zeer
        """,
        "ru": """
            ему тут хорошо
        """,
    }.items()
}


def _frequent_grams(text: str) -> list[str]:
    tally = Counter(term for term in terms(text) if 1 < len(term) <= _LONGEST and not term.isdigit())
    return [term for term, _ in tally.most_common()]


def _frequent_words(text: str, common: frozenset[str]) -> list[str]:
    """The words that say something, the most frequent first, each as it was first written."""
    names = {word for name in _NAME.findall(text) for word in words(name)}
    tally: Counter[tuple[str, ...]] = Counter()
    spelled: dict[tuple[str, ...], str] = {}
    for word in words(text):
        key = tuple(terms(word))
        if key and 1 < len(word) <= _LONGEST and not word.isdigit() and word not in common:
            tally[key] += 2 if word in names else 1
            spelled.setdefault(key, word)
    return [spelled[key] for key, _ in tally.most_common()]


def keywords(text: str, count: int) -> tuple[str, ...]:
    """Up to `count` keywords, lower-cased, distinct, best first; empty when the text has no words."""
    text = text[:READ_CHARS]
    language = guess(text)
    if has_no_spaces(language):
        grams = _frequent_grams(text)
        return tuple(([g for g in grams if not _GLUE[language].search(g)] or grams)[:count])
    common = _COMMON.get(language, frozenset()) | FUNCTION_WORDS.get(language, frozenset())
    found = _frequent_words(text, common) or _frequent_words(text, frozenset())
    return tuple(found[:count])
