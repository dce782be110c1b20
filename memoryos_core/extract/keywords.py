"""Keywords of a topic without a model: words, or bigrams where there are no spaces, that its turns share, and names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from memoryos_core.rules.text.function_words import FUNCTION_WORDS
from memoryos_core.rules.text.languages import guess, has_no_spaces
from memoryos_core.rules.text.words import regex, terms, words

# What holds words together: Japanese endings and particles are in hiragana, Chinese has function words.
_GLUE = {"ja": regex("[\u3040-\u309f]"), "zh": regex("[我你他她它们的了是在吗呢吧也这那很不叫]")}
# A word with a capital that does not begin a sentence: a name, or a noun in German.
_NAME = regex(r"(?<=[\w,;:] )[^\W\d_a-z]\w+")
_LONGEST = 40
# Read of one topic; its turns share it.
_READ_CHARS = 2000
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


# With so many words that several turns share, or names, those of a single turn are left out.
_ENOUGH = 3


def _shared_grams(texts: Sequence[str]) -> list[tuple[str, bool]]:
    tally: Counter[str] = Counter()
    used: Counter[str] = Counter()
    for text in texts:
        found = [term for term in terms(text) if 1 < len(term) <= _LONGEST and not term.isdigit()]
        used.update(found)
        tally.update(dict.fromkeys(found, 1))
    ranked = sorted(used, key=lambda term: (-tally[term], -used[term]))
    return [(term, tally[term] > 1) for term in ranked]


def _shared_words(texts: Sequence[str], common: frozenset[str]) -> list[tuple[str, bool]]:
    """Return the words that say something, best first, each as it was first written; True with shared words and names.

    A word that another turn takes up is of the matter. Words of a single turn are mostly filler, but for names.
    """
    names = _names(texts)
    tally: Counter[tuple[str, ...]] = Counter()
    used: Counter[tuple[str, ...]] = Counter()
    spelled: dict[tuple[str, ...], str] = {}
    for text in texts:
        found: list[tuple[str, ...]] = []
        for word in words(text):
            key = tuple(terms(word))
            if key and 1 < len(word) <= _LONGEST and not word.isdigit() and word not in common:
                found.append(key)
                spelled.setdefault(key, word)
        used.update(found)
        tally.update(dict.fromkeys(found, 1))
    weight = {key: tally[key] + (spelled[key] in names) for key in used}
    ranked = sorted(used, key=lambda key: (-weight[key], -used[key]))
    return [(spelled[key], weight[key] > 1) for key in ranked]


def _names(texts: Sequence[str]) -> dict[str, str]:
    """Return the names in texts by their lower-cased words, each as it is written first: "whitby" is Whitby."""
    found: dict[str, str] = {}
    for name in (name for text in texts for name in _NAME.findall(text)):
        parts = words(name)
        found |= {word: name if len(parts) == 1 else word for word in parts if word not in found}
    return found


def keywords(texts: Sequence[str], count: int, speakers: Collection[str] = ()) -> tuple[str, ...]:
    """Return up to `count` keywords of the turns of a topic, distinct, best first; none without words.

    Names are written as they were, other words in lower case. The names of the `speakers` are left out: they would be
    in every topic.
    """
    share = max(_READ_CHARS // max(1, len(texts)), 1)
    read = [text[:share] for text in texts]
    language = guess("\n".join(read))
    if has_no_spaces(language):
        grams = _shared_grams(read)
        found = [(gram, shared) for gram, shared in grams if not _GLUE[language].search(gram)] or grams
    else:
        common = _COMMON.get(language, frozenset()) | FUNCTION_WORDS.get(language, frozenset())
        found = _shared_words(read, common) or _shared_words(read, frozenset())
    found = [(word, shared) for word, shared in found if word not in speakers]
    strong = [word for word, shared in found if shared]
    chosen = strong if len(strong) >= _ENOUGH else [word for word, _ in found][: max(_ENOUGH, len(strong))]
    spelling = _names(read)
    return tuple(spelling.get(word, word) for word in chosen[:count])
