"""Keywords of a text without a model: YAKE where words have spaces, frequent bigrams where they have none."""

from __future__ import annotations

import importlib
import logging
import re
import threading
from collections import Counter
from typing import Protocol, cast

from memoryos_core.extract.languages import guess, has_no_spaces
from memoryos_core.rules.text.words import terms, words

# What holds words together: Japanese endings and particles are in hiragana, Chinese has function words.
_GLUE = {"ja": re.compile("[\u3040-\u309f]"), "zh": re.compile("[我你他她它们的了是在吗呢吧也这那很不叫]")}
_WORD_OR_STOP = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*|[.!?]")
_LONGEST = 40
_RANKED = 100
# Read of one topic; its pages share it (`label`).
READ_CHARS = 1000


class _Extractor(Protocol):
    stopword_set: set[str]

    def extract_keywords(self, text: str) -> list[tuple[str, float]]: ...


# An extractor keeps state while it works, so each thread has its own: one per language.
_resident = threading.local()


def _extractor(language: str) -> _Extractor:
    held = cast("dict[str, _Extractor]", _resident.__dict__.setdefault("extractors", {}))
    if language not in held:
        # Imported late: it takes half a second, which `import memoryos_core` should not.
        yake = importlib.import_module("yake")
        # When it stumbles YAKE logs the beginning of the text; remembered text must not reach a log.
        logging.getLogger("yake.core.yake").disabled = True
        # Single words: a dozen of them have more in common with another segment's dozen than phrases would.
        held[language] = yake.KeywordExtractor(lan=language, n=1, dedup_lim=1.0, top=_RANKED)
    return held[language]


def _frequent(text: str, count: int, *, least_chars: int) -> list[str]:
    tally = Counter(term for term in terms(text) if least_chars <= len(term) <= _LONGEST and not term.isdigit())
    return [term for term, _ in tally.most_common(count)]


def _without_function_words(text: str, function_words: set[str]) -> str:
    """The text as YAKE needs it: function words are never keywords and would be most of its work."""
    found = _WORD_OR_STOP.findall(text.replace("\u2019", "'"))
    kept = (w for w in found if not {w.lower(), w.lower().split("'")[0]} & function_words)
    return " ".join(kept)


def _plain(keyword: str) -> str:
    return " ".join(word for word in words(keyword) if 1 < len(word) <= _LONGEST and not word.isdigit())


def keywords(text: str, count: int) -> tuple[str, ...]:
    """Up to `count` keywords, lower-cased, distinct, best first; empty when the text has no words."""
    text = text[:READ_CHARS]
    language = guess(text)
    if has_no_spaces(language):
        bigrams = _frequent(text, READ_CHARS, least_chars=2)
        return tuple(([b for b in bigrams if not _GLUE[language].search(b)] or bigrams)[:count])
    extractor = _extractor(language)
    content = _without_function_words(text, extractor.stopword_set)
    found = (_plain(keyword) for keyword, _ in extractor.extract_keywords(content))
    distinct = list(dict.fromkeys(filter(None, found))) or _frequent(text, count, least_chars=2)
    return tuple(distinct[:count])
