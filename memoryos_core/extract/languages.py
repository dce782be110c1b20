"""The rough language of a text: enough to choose a stop list, never shown to anyone."""

from __future__ import annotations

import re

from memoryos_core.rules.text.words import words

_SAMPLE_CHARS = 2000
_KANA = re.compile("[\u3040-\u30ff]")
_HANGUL = re.compile("[\uac00-\ud7af]")
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")
_CYRILLIC = re.compile("[\u0400-\u04ff]")

_MARKERS: dict[str, frozenset[str]] = {
    code: frozenset(marks.split())
    for code, marks in {
        "en": "the and is are was to of it that you i my for with have this what not be do a an as at me no in",
        "de": "der die das und ist nicht ich mit ein eine für auf zu den wir sie mein hat habe auch",
        "fr": "le la les et est je un une des pas pour dans que avec mon ma nous vous suis j",
        "es": "el la los las y es que un una por para con mi en yo soy estoy pero muy del",
        "pt": "o os e é que um uma não com para eu meu minha em da na estou muito",
        "it": "il la gli e è che un una non con per di io mio mia sono ho del della molto nel",
        "nl": "de het een en is niet ik met voor van op mijn dat zijn heb ook wij naar",
    }.items()
}


def has_no_spaces(language: str) -> bool:
    """Return whether the language is written without spaces between words: Chinese and Japanese, not Korean."""
    return language in ("zh", "ja")


def guess(text: str) -> str:
    """The two-letter code of the likeliest language; "en" when nothing speaks for another."""
    sample = text[:_SAMPLE_CHARS]
    letters = sum(c.isalpha() for c in sample) or 1
    for code, script in (("ja", _KANA), ("ko", _HANGUL), ("zh", _HAN), ("ru", _CYRILLIC)):
        if len(script.findall(sample)) > letters * (0.1 if code == "ja" else 0.3):
            return code
    found = words(sample)
    return max(_MARKERS, key=lambda code: sum(word in _MARKERS[code] for word in found))
