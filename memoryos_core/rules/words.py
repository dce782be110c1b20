"""Text to words, terms and sentences: the one analysis that search, matching and the extractive twins share.

Latin-script words are lower-cased, stripped of function words and stemmed (Snowball, through PyStemmer). Chinese,
Japanese and Korean have no spaces, so their runs become single characters and bigrams, as search engines do.
"""

from __future__ import annotations

import re
from functools import lru_cache

import Stemmer

# Closed-class words only: the published stop lists run to a thousand words and swallow "home" and "work".
_FUNCTION_WORDS = frozenset(
    """a an the and or but if then so than that this these those there here of to in on at by for with about as from
    into onto over under is are was were be been being am do does did doing done have has had having i me my mine
    myself you your yours yourself he him his himself she her hers herself it its itself we us our ours ourselves they
    them their theirs themselves what which who whom whose when where why how would could should will shall can may
    might must not no nor too very just also s t re ve ll m d don doesn didn isn aren wasn weren won wouldn couldn
    shouldn haven hasn hadn 的 了 是 在 我 你 他 她 它 们 吗 呢 吧 和 也 就 都 は が の を に へ
    と で も か ね よ です ます た だ""".split()
)

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af"
_TOKEN = re.compile(rf"[{_CJK}]+|[^\W_{_CJK}]+(?:['\u2019][^\W\d_{_CJK}]+)*")
_IS_CJK = re.compile(rf"[{_CJK}]")
_SENTENCE = re.compile(r"(?:[^.!?。！？\n]|[.!?](?!\s|$))*(?:[.!?]+|[。！？]+|\n|$)")
_ABBREVIATION = re.compile(r"\b(?:Mr|Mrs|Ms|Dr|St|vs|etc|e\.g|i\.e|[A-Z])\.$")


@lru_cache(maxsize=65_536)
def _stem(word: str) -> str:
    # A Stemmer keeps C state and is not safe to share between threads; making one costs less than a lock's worth.
    return str(Stemmer.Stemmer("english", 0).stemWord(word))


def words(text: str) -> list[str]:
    """Lower-cased words in order; a run of Chinese, Japanese or Korean is one word."""
    return [w.split("'")[0].split("\u2019")[0] for w in _TOKEN.findall(text.lower())]


def _grams(run: str) -> list[str]:
    kept = [c for c in run if c not in _FUNCTION_WORDS]
    return kept + [run[i : i + 2] for i in range(len(run) - 1)]


def terms(text: str) -> list[str]:
    """Index terms in order, with repeats: stems without function words; characters and bigrams for CJK runs."""
    out: list[str] = []
    for word in words(text):
        if _IS_CJK.match(word):
            out.extend(_grams(word))
        elif word and word not in _FUNCTION_WORDS:
            out.append(_stem(word))
    return out


def sentences(text: str) -> list[str]:
    """Sentences in order, verbatim, stripped; abbreviations and decimal points do not end one."""
    out: list[str] = []
    held = ""
    for piece in _SENTENCE.findall(text):
        held += piece
        if not piece or _ABBREVIATION.search(held.rstrip()) and not piece.endswith("\n"):
            continue
        if held.strip():
            out.append(held.strip())
        held = ""
    if held.strip():
        out.append(held.strip())
    return out
