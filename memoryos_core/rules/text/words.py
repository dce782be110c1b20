"""Text to words, terms and sentences: the one analysis that search, matching and the extractive twins share."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Any, Protocol, TypeAlias, cast

import Stemmer

from memoryos_core.rules.text.function_words import FUNCTION_WORDS


class _Regex:
    """Stands for a pattern; its methods become those of the compiled one when one of them is first asked for."""

    def __init__(self, text: str, flags: int) -> None:
        self._source = text, flags

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever a pattern has
        found = getattr(re.compile(*self._source), name)
        setattr(self, name, found)  # so that the next look-up does not come here
        return found


def regex(text: str, flags: int = 0) -> re.Pattern[str]:
    """Return a pattern that is compiled when it is first used; `re.sub` and its like do not take it, its methods do."""
    return cast("re.Pattern[str]", _Regex(text, flags))


class _Folded:
    """Stands for a pattern; its `search` asks the one for small letters first."""

    def __init__(self, full: re.Pattern[str], small: re.Pattern[str]) -> None:
        self.full, self.small = full, small

    def search(self, text: str) -> re.Match[str] | None:
        absent = text.isascii() and self.small.search(text.lower()) is None
        return None if absent else self.full.search(text)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever a pattern has
        return getattr(self.full, name)


def fold_case(text: str, small: str = "", flags: int = 0) -> re.Pattern[str]:
    """Return a pattern of many alternatives in either case; in small letters they are tried three times as fast.

    `small` finds something wherever it does. If it is not given, a name, `(?-i:[A-Z]`, is any word there.
    """
    small = small or text.replace("[A-Z", "[a-z")
    return cast("re.Pattern[str]", _Folded(regex(text, flags | re.IGNORECASE), regex(small, flags)))


_By: TypeAlias = "str | Callable[[re.Match[str]], str]"


class _WithMarks:
    """Stands for a pattern; its methods look for a mark first, which most texts do not have."""

    def __init__(self, full: re.Pattern[str], marks: tuple[str, ...]) -> None:
        self.full, self._marks = full, marks

    def _may_find(self, text: str) -> bool:
        if not text.isascii():  # other letters may fall together with those of a mark
            return True
        lowered = text.lower()
        for mark in self._marks:  # noqa: SIM110 - a generator takes three times as long
            if mark in lowered:
                return True
        return False

    def search(self, text: str) -> re.Match[str] | None:
        return self.full.search(text) if self._may_find(text) else None

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        return self.full.finditer(text) if self._may_find(text) else iter(())

    def sub(self, by: _By, text: str) -> str:
        return self.full.sub(by, text) if self._may_find(text) else text

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever a pattern has
        found = getattr(self.full, name)
        setattr(self, name, found)  # so that the next look-up does not come here
        return found


def with_marks(marks: str, text: str, flags: int = re.IGNORECASE) -> re.Pattern[str]:
    """Return a pattern that finds nothing where none of its marks stands: words in small letters, parted by "|"."""
    return cast("re.Pattern[str]", _WithMarks(regex(text, flags), tuple(marks.split("|"))))


class _AtStart:
    """Stands for a pattern that is found at the beginning of a text alone; others look for it at each character."""

    def __init__(self, full: re.Pattern[str]) -> None:
        self.full = full

    def search(self, text: str) -> re.Match[str] | None:
        return self.full.match(text)

    def sub(self, by: _By, text: str, count: int = 0) -> str:
        return text if self.full.match(text) is None else self.full.sub(by, text, count)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever a pattern has
        found = getattr(self.full, name)
        setattr(self, name, found)  # so that the next look-up does not come here
        return found


def at_start(text: str, flags: int = 0) -> re.Pattern[str]:
    """Return a pattern of which each alternative begins with "^"."""
    return cast("re.Pattern[str]", _AtStart(regex(text, flags)))


@lru_cache(maxsize=65_536)
def matches(pattern: re.Pattern[str], text: str) -> bool:
    """Return whether a pattern of `regex` is found in a text; for texts that are asked about again and again."""
    return pattern.search(text) is not None


_SNOWBALL = str(Stemmer.version())  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]
ANALYSED_BY = f"snowball {_SNOWBALL}, unicode {unicodedata.unidata_version}"
"""What else decides the terms of a text, beside the rules of this package."""

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
_TOKEN = regex(rf"[{_RUN}]+|{_LETTERS}(?:'{_LETTERS})*")
# The pieces of what `_TOKEN` finds in lower-cased ASCII, three times as fast.
_ASCII_WORD = regex(r"[a-z0-9]+")
_IS_RUN = regex(rf"[{_RUN}]")
# English endings after an apostrophe. Any other piece is a separate word: O'Brien, l'avion, rock'n'roll.
_CLITICS = frozenset(("s", "t", "re", "ve", "ll", "m", "d"))
_ASCII_CLITIC = regex(rf"(?<=[a-z0-9])'(?:{'|'.join(sorted(_CLITICS))})(?![a-z0-9])")
# A German day of the month: "8. Oktober" is one.
_BEFORE_DAY = "|".join(
    rf"(?<=\b{word} \d)|(?<=\b{word} \d\d)"
    for small in ("am", "der", "den", "dem", "vom", "bis", "zum", "und", "ab", "ist", "sind")
    for word in (small, small.capitalize())
)
# "Am 3.4. habe ich Zeit": a German day with its month.
_IN_NUMBERS = "|".join(
    rf"(?<=\b{word} {day}\.{month})"
    for word in ("am", "den", "vom", "bis", "zum", "ab")
    for day in (r"\d", r"\d\d")
    for month in (r"\d", r"\d\d")
)
_ORDINAL = (
    r"(?<=\d)(?:(?:(?<=\b\d)|(?<=\b\d\d))\.(?=\s(?i:Januar|Jänner|Februar|März|Mai|Juni|Juli|Oktober|Dezember)\b)"
    rf"|(?:{_BEFORE_DAY}|(?<=\.-\d)|(?<=\.-\d\d))\.(?=\s(?i:April|August|September|November)\b)"  # English names, too
    rf"|(?:{_BEFORE_DAY})\.(?=\s(?:bis|und|oder|auf|um|wieder|habe?|ist|bin|beim|frei|zu[mr]"
    rf"|noch)\s)"  # "vom 4. bis 11. September"
    rf"|(?:{_IN_NUMBERS})\.(?=\s\w))"
)
_SENTENCE = regex(rf"(?:[^.!?。！？\n]+|[.!?](?!\s|$)|{_ORDINAL})*(?:[.!?]+|[。！？]+|\n|$)")
_ABBREVIATION = regex(r"\b(?:Mr|Mrs|Ms|Dr|St|vs|etc|e\.g|i\.e|[A-Z])\.$")
# "Vitamin D. My doctor", "assume R. I don't": a letter by itself behind a word in small letters is no initial.
_LETTER = regex(r"[a-z] [A-Z]\.$")
_OPENS = regex(r"\s+(?:I|It|My|We|They|But|And|So|Don't|No|Yes|You|This|That)\b(?!\.)")


class _Snowball(Protocol):
    """The part of PyStemmer used here; the package ships no types."""

    def stemWord(self, word: str) -> str: ...  # noqa: N802 - PyStemmer names it


@lru_cache(maxsize=65_536)
def _term(word: str) -> str:
    """Return the stem of a word; "" for a function word."""
    if not word or word in _FUNCTION_WORDS:
        return ""
    # A Stemmer keeps C state and is not thread-safe; making one is cheaper than a lock.
    stemmer = cast("_Snowball", Stemmer.Stemmer("english", 0))  # pyright: ignore[reportUnknownMemberType]
    return stemmer.stemWord(word)


def words(text: str) -> list[str]:
    """Return the lower-cased words in order; a run of a script without spaces is one word."""
    if text.isascii():
        lowered = text.lower()
        return _ASCII_WORD.findall(_ASCII_CLITIC.sub("", lowered) if "'" in lowered else lowered)
    tokens: list[str] = _TOKEN.findall(unicodedata.normalize("NFKC", text).lower().replace("\u2019", "'"))
    out: list[str] = []
    for token in tokens:
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
    if text.isascii():
        return [term for word in words(text) if (term := _term(word))]
    out: list[str] = []
    for word in words(text):
        if _IS_RUN.match(word):
            out.extend(_grams(word))
        elif term := _term(word):
            out.append(term)
    return out


def sentences(text: str) -> list[str]:
    """Return the sentences in order, verbatim, stripped; abbreviations and decimal points do not end one."""
    out: list[str] = []
    held = ""
    for piece in _SENTENCE.findall(text):
        if held and _OPENS.match(piece) and _LETTER.search(held[-8:]):
            out.append(held.strip())
            held = ""
        held += piece
        # The end of the piece is enough: searching the whole buffer each time would be quadratic.
        end = piece.rstrip()[-6:]
        if not piece or (end.endswith(".") and _ABBREVIATION.search(end) and not piece.endswith("\n")):
            continue
        if held.strip():
            out.append(held.strip())
        held = ""
    if held.strip():
        out.append(held.strip())
    return out


_SHORTEST_MISSPELT = 4
# By how a word differs from a known one, the letters that it needs at least: the shorter it is, the likelier it is a
# word of its own ("house" and "horse", "brought" and "bought", "profession" and "process").
_SWAPPED, _LEFT_OUT, _MISTYPED = 5, 7, 8
_LONGEST_MISSPELT = 40
_STEM_LEAST, _ENDING_MOST = 5, 2
_NUMERONYM = regex(r"([a-z])(\d{1,2})([a-z])")
# The endings that stemming may have taken from a word.
_ENDINGS_TEXT = "s es ed ing ation ization isation alization alisation ability ibility ity ly ment ness er e y ies al"
_ENDINGS = ("", *_ENDINGS_TEXT.split())


def alike(asked: str, known: Iterable[str]) -> list[str]:
    """Return the known terms that an unknown one is likely meant for, the likeliest first; [] for most.

    "typsecript" is read as "typescript", "reactjs" as "react", "k8s" as "kubernet" (eight letters between k and s).
    """
    if not _SHORTEST_MISSPELT <= len(asked) <= _LONGEST_MISSPELT or not asked.isalpha() or _IS_RUN.match(asked):
        short = _NUMERONYM.fullmatch(asked)
        return [] if short is None else sorted(term for term in known if _abbreviates(short, term))
    # The first letter is seldom mistyped, and the test of it leaves out most of a vocabulary. One slip leaves either
    # the next two letters as they are or the last one.
    first, least, most = asked[0], len(asked) - _ENDING_MOST, len(asked) + _ENDING_MOST
    begin, end = asked[1:3], asked[-1]
    near = [
        (_distance(asked, term), term)
        for term in known
        if term[0] == first and least <= len(term) <= most and (term[1:3] == begin or term[-1] == end)
    ]
    return [term for distance, term in sorted(near) if distance]


def _abbreviates(short: re.Match[str], term: str) -> bool:
    """Return whether a number stands for the letters of a word of this stem: "i18n", "k8s"."""
    first, between, last = short.groups()
    length = int(between) + 2
    if not term.startswith(first) or not length - len(max(_ENDINGS, key=len)) <= len(term) <= length:
        return False
    full = (term + ending for ending in _ENDINGS if len(term) + len(ending) == length)
    last = "y" if last == "i" else last  # a numeronym is stemmed, too
    return any(word.endswith(last) and _term(word) == term for word in full)


def _distance(asked: str, term: str) -> int:
    """Return 1 for a slip of the keyboard, 2 for another ending, 0 for another word."""
    if not term.isalpha():
        return 0
    start = 0
    while start < min(len(asked), len(term)) and asked[start] == term[start]:
        start += 1
    one, two = asked[start:], term[start:]
    short = min(len(asked), len(term))
    while one and two and one[-1] == two[-1]:
        one, two = one[:-1], two[:-1]
    if len(one) + len(two) == 1:
        # "eror": a letter that stands twice is easily left out
        slipped = (short >= _LEFT_OUT and start < short) or (one or two) == asked[start - 1]
    elif len(one) == len(two) == 1:
        # The last letter of a stem tells words apart ("convers", "convert"), but for the two spellings of "-ise".
        slipped = (short >= _MISTYPED and start + 1 < short) or {one, two} == {"s", "z"}
    else:
        slipped = short >= _SWAPPED and len(one) == len("ab") and one == two[::-1]
    if slipped:
        return 1
    if short < _STEM_LEAST or short != start:
        return 0
    # "reactjs" is of "react", and "config" of "configur"; one letter more makes another word ("funzione", "funziona").
    return 2 if len(term) - len(asked) != 1 else 0


# Shortening a text of this length takes some hundredths of a second.
_AT_MOST = 200_000
# More characters than a token has in any language, so that the kept text is still longer than the budget.
_CHARACTERS_A_TOKEN = 16


def head_and_tail(text: str, budget: int, found: str = "") -> str:
    """Return head and tail of a text many times larger than `budget` tokens, and what stands round `found` in it.

    Other texts come back verbatim. Counting and splitting megabytes would take seconds. The floor is the same for
    every common budget, so that there what is cut does not depend on it.
    """
    most = max(_AT_MOST, _CHARACTERS_A_TOKEN * budget)
    if len(text) <= most:
        return text
    at = text.find(found) if found else -1
    if at < 0 or at + len(found) <= most // 2 or at >= len(text) - most // 2:
        return f"{text[: most // 2]} … {text[-(most // 2) :]}"
    part = most // 4
    return f"{text[:part]} … {text[max(at - part, part) : at + part]} … {text[-part:]}"


# Escape sequences could rewrite the screen, and marks of direction could reorder what stands there.
_UNSAFE = regex("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def printable(text: str) -> str:
    """Return a text without control characters and marks of direction, which a terminal would obey."""
    return _UNSAFE.sub("\N{REPLACEMENT CHARACTER}", text)
