"""Text to words, terms and sentences: the one analysis that search, matching and the extractive twins share.

Latin-script words are lower-cased, stripped of function words and stemmed (Snowball, through PyStemmer). Scripts
without spaces between words, such as Chinese, Japanese and Thai, become single characters and bigrams, as in search
engines; so does Korean, whose words carry their particles. Full-width and half-width forms are the same word (NFKC).

Text as a reader sees it, letter for letter: a character that looks like an ASCII sign becomes that sign.

For finding marks that are hidden by how they are written; a text itself is never replaced by what is made of it here.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Protocol, cast

import Stemmer

from memoryos_core.rules.text.function_words import FUNCTION_WORDS

__all__ = ["NOTHING", "fold_lookalikes"]

NOTHING = "\u200b"
"""Stands in what `seen` gives for a character that shows nothing."""

_BLANK = "\u115f\u1160\u2800\u3164\uffa0"  # letters and signs by their category, of which nothing is seen
_HIDDEN = ("Cc", "Cf", "Me", "Mn")
# Look-alikes from other scripts, which no Unicode normal form replaces.
_TWINS: dict[int, int] = str.maketrans("‹〈⟨〈《›〉⟩〉》∕⁄ǀ∣аеорсухіјѕԁτιο", "<<<<<>>>>>//||aeopcyxijsdtio")
_KEPT_BELOW = 0x10000


class _Seen(dict[int, str]):
    """The plain form of each character, worked out at its first use."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        if char in _BLANK or (unicodedata.category(char) in _HIDDEN and not char.isspace()):
            looks = NOTHING
        else:
            looks = unicodedata.normalize("NFKD", char)[0]  # "é", "ｅ" and "𝐞" are taken for "e"
        if code < _KEPT_BELOW:  # a bound for what is kept
            self[code] = looks
        return looks


_SEEN = _Seen({code: chr(looks) for code, looks in _TWINS.items()})


def fold_lookalikes(text: str) -> str:
    """Replace each character by the plain one that it looks like; length and places stay the same."""
    return text.translate(_SEEN)


_FUNCTION_WORDS = FUNCTION_WORDS["en"]
# The same of scripts without spaces: letters that seldom are a word with content, and pairs of what is said with them.
_FUNCTION_LETTERS = frozenset(
    "的了是在我你他她它们們吗嗎呢吧啊呀和也就都很什么麼哪谁誰几幾怎这這那个個些没沒有要会會能可以把被给給从從与與又还還再只"
    "因为為所はがのをにへとでもかねよただ"
)
_FUNCTION_PAIRS_TEXT = """
    什么 什麼 哪里 哪裡 哪个 哪些 哪儿 多少 怎么 怎麼 怎样 为什 為什 时候 時候 这个 這個 那个 那個 是什 有什 么时
    了什 我们 我們 你们 你們 他们 他們 可以 因为 因為 所以 如果 但是 还是 還是 已经 已經 没有 沒有 です でし しょ
    ます まし ませ せん した して しま てい てく てた なっ なん たい ない ある あり いる いた いて いま れて れま
    って った から まで など もの こと ため とき よう もう けど それ その この たち ので のは のが のを のに には
    では とは へは すか たか んで んな いつ どこ だれ どう どの どれ なに 何で くだ ださ さい でき にな
"""
_FUNCTION_PAIRS = frozenset(_FUNCTION_PAIRS_TEXT.split())

# Scripts in which a run of letters is not one word: Thai to Tibetan, Burmese, Khmer, kana, ideographs, hangul. The
# katakana middle dot (30fb) parts names, the iteration marks (3005-3007) belong to them.
_RUN = (
    "\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30fa\u30fc-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
# Vowel signs and accents that stand inside words, which \w does not count as letters: combining, Hebrew, Arabic, Indic.
_MARK = "\u0300-\u036f\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u0900-\u0963\u0966-\u0dff"
_LETTERS = rf"(?:[^\W_{_RUN}]+|[{_MARK}])+"
_TOKEN = re.compile(rf"[{_RUN}]+|{_LETTERS}(?:'{_LETTERS})*")
_IS_RUN = re.compile(rf"[{_RUN}]")
# English endings after an apostrophe. Any other piece is a separate word: O'Brien, l'avion, rock'n'roll.
_CLITICS = frozenset(("s", "t", "re", "ve", "ll", "m", "d"))
_SENTENCE = re.compile(r"(?:[^.!?。！？\n]|[.!?](?!\s|$))*(?:[.!?]+|[。！？]+|\n|$)")
_ABBREVIATION = re.compile(r"\b(?:Mr|Mrs|Ms|Dr|St|vs|etc|e\.g|i\.e|[A-Z])\.$")


class _Snowball(Protocol):
    """The part of PyStemmer used here; the package ships no types."""

    def stemWord(self, word: str) -> str: ...  # noqa: N802 - PyStemmer names it


@lru_cache(maxsize=65_536)
def _stem(word: str) -> str:
    # A Stemmer keeps C state and is not thread-safe; making one is cheaper than a lock.
    stemmer = cast("_Snowball", Stemmer.Stemmer("english", 0))  # pyright: ignore[reportUnknownMemberType]
    return stemmer.stemWord(word)


def words(text: str) -> list[str]:
    """Return the lower-cased words in order; a run of a script without spaces is one word."""
    out: list[str] = []
    for token in _TOKEN.findall(unicodedata.normalize("NFKC", text).lower().replace("\u2019", "'")):
        if "'" not in token:
            out.append(token)
            continue
        first, *rest = token.split("'")
        out.append(first)
        out.extend(piece for piece in rest if piece not in _CLITICS)
    return out


def _grams(run: str) -> list[str]:
    kept = [letter for letter in run if letter not in _FUNCTION_LETTERS]
    return kept + [pair for i in range(len(run) - 1) if (pair := run[i : i + 2]) not in _FUNCTION_PAIRS]


def terms(text: str) -> list[str]:
    """Return the index terms in order, with repeats: stems without function words; characters and bigrams of runs."""
    out: list[str] = []
    for word in words(text):
        if _IS_RUN.match(word):
            out.extend(_grams(word))
        elif word and word not in _FUNCTION_WORDS:
            out.append(_stem(word))
    return out


def sentences(text: str) -> list[str]:
    """Return the sentences in order, verbatim, stripped; abbreviations and decimal points do not end one."""
    out: list[str] = []
    held = ""
    for piece in _SENTENCE.findall(text):
        held += piece
        # The end of the piece is enough: searching the whole buffer each time would be quadratic.
        if not piece or (_ABBREVIATION.search(piece.rstrip()[-6:]) and not piece.endswith("\n")):
            continue
        if held.strip():
            out.append(held.strip())
        held = ""
    if held.strip():
        out.append(held.strip())
    return out
