"""Words of a message as the tagger reads them: tokens, the pieces that they are made of, and the classes of words."""

from __future__ import annotations

import unicodedata
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from memoryos_core.rules.text.words import regex

_TOKEN = regex(r"\d+(?:[.,:/]\d+)*|[^\W\d_]+(?:['\-&][^\W\d_]+)*|[^\w\s]|\w+")
# Words that are read. The models are trained on the first 160 of a message, whatever they say.
MOST, _SHORT, MOST_OF_A_TEXT = 160, 60, 800
_DRUG = regex(
    r"(?:olol|pril|sartan|dipine|semide|thiazide|statin|formin|gliptin|gliflozin|glutide|oxetine|traline|alopram"
    r"|faxine|triptyline|tazapine|prazole|[aio]tidine|xaban|parin|trexate|mumab|azepam|azolam|tiapine|anzapine|trigine"
    r"|racetam|azepine|gabalin|gabapentin|tamol|profen|coxib|fenac|codone|tadine|rizine|nisolone|nisone|sonide|mycin"
    r"|cillin|cycline|nazole|thyroxine|triptan|lukast|amfetamine|insulin|inhaler)$"
)
_OF_PLURALS = frozenset(("animal", "trade", "kin"))
_OF_SPEAKER_TEXT = "i im i'm ive i've i'd id i'll me my our mine we we're we've us"
_OF_SPEAKER = frozenset(_OF_SPEAKER_TEXT.split())  # words by which a sentence is the speaker's own
_ENDS = frozenset((".", "!", "?"))
_PART = regex(r"[^\W_]+|[^\w\s]|_")
_PIECES_OF_A_WORD, _WORDS_KEPT, _LONGEST = 8, 4_096, 100
SHAPES = ("number", "sign", "capitals", "capital", "small")


@dataclass(frozen=True, slots=True)
class Token:
    """A word, a number or a sign of a text, from `start` to `end`."""

    text: str
    start: int
    end: int


def tokens_of(text: str, most: int = MOST) -> list[Token]:
    """Return the words, numbers and signs of a text, as many as are read."""
    found = _TOKEN.finditer(text.replace("\u2019", "'"))
    return [Token(match.group(), *match.span()) for match, _ in zip(found, range(most), strict=False)]


def own_tokens(text: str) -> list[Token]:
    """Return the tokens that are read of a message: of a long one sentences with a word for the speaker, and the next.

    A stop ends a sentence here, so the next one may be the rest of it: "I live in St. Albans".
    """
    tokens = tokens_of(text, MOST_OF_A_TEXT)
    if len(tokens) <= _SHORT:
        return tokens
    words = [token.text.lower() for token in tokens]
    sentences = _sentence_numbers(words)
    own = {sentence for word, sentence in zip(words, sentences, strict=True) if word in _OF_SPEAKER}
    own |= {sentence + 1 for sentence in own}
    return [token for token, sentence in zip(tokens, sentences, strict=True) if sentence in own][:MOST]


def _sentence_numbers(words: Sequence[str]) -> list[int]:
    """Return the number of each token's sentence; a stop belongs to the one that it ends."""
    out, sentence = list[int](), 0
    for word in words:
        out.append(sentence)
        sentence += word in _ENDS
    return out


def shape_of(text: str) -> int:
    """Return how a token is written, as its place in `SHAPES`."""
    if text[0].isdigit():
        return 0
    if not text[0].isalnum():
        return 1
    if text.isupper() and len(text) > 1:
        return 2
    return 3 if text[0].isupper() else 4


class Vocabulary:
    """The pieces of words that have vectors: of any other word the longest pieces count, from its start on.

    As in WordPiece, a piece within a word begins with "##". Sorted keys of 64 bits take a twentieth of the memory of
    a dictionary.
    """

    def __init__(self, pieces: Iterable[str]) -> None:
        keys = _keys_of(pieces)
        self._order = np.argsort(keys, kind="stable")
        self._keys = keys[self._order]
        self.pieces_of = lru_cache(maxsize=_WORDS_KEPT)(self._pieces_of)

    def _pieces_of(self, word: str) -> tuple[int, ...]:
        """Return the numbers of the pieces of a word, at most eight; () where a part of it has none."""
        if len(word) > _LONGEST:
            return ()
        plain = "".join(c for c in unicodedata.normalize("NFD", word.lower()) if unicodedata.category(c) != "Mn")
        found = [number for part in _PART.findall(plain) for number in self._split(part)]
        return tuple(found[:_PIECES_OF_A_WORD])

    def _split(self, part: str) -> list[int]:
        out: list[int] = []
        start = 0
        while start < len(part):
            lead = "##" if start else ""
            ends = range(len(part), start, -1)
            numbers = self._find([f"{lead}{part[start:end]}" for end in ends])
            longest = next(((n, end) for n, end in zip(numbers, ends, strict=True) if n is not None), None)
            if longest is None:
                return out
            out.append(longest[0])
            start = longest[1]
        return out

    def _find(self, pieces: Sequence[str]) -> list[int | None]:
        keys = _keys_of(pieces)
        at = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        known = (self._keys[at] == keys).tolist()
        numbers = self._order[at].tolist()
        return [number if is_known else None for number, is_known in zip(numbers, known, strict=True)]


def _keys_of(words: Iterable[str]) -> NDArray[np.uint64]:
    said = (word.encode("utf-8", "surrogatepass") for word in words)
    return np.fromiter((zlib.crc32(one) << 32 | zlib.adler32(one) for one in said), np.uint64)


def read_classes(lists: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return the classes of each word, by lines of the form "animal: dog cat"."""
    out: dict[str, tuple[str, ...]] = {}
    for line in lists:
        name, _, words = line.partition(":")
        for word in words.split():
            if name not in out.get(word, ()):
                out[word] = (*out.get(word, ()), name)
    return out


def classes_among(word: str, classes: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Return the classes of a word: those of the lists, and what its ending says."""
    found = classes.get(word, ())
    if not found and word.endswith("s"):
        found = tuple(name for name in classes.get(word[:-1], ()) if name in _OF_PLURALS)
    return (*found, "drug") if "drug" not in found and _DRUG.search(word) else found
