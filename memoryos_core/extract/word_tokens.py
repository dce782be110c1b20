"""Words of a message as the tagger reads them: tokens, their forms, and the classes and groups that they belong to."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memoryos_core.rules.text.words import regex

_TOKEN = regex(r"\d+(?:[.,:/]\d+)*|[^\W\d_]+(?:['\-&][^\W\d_]+)*|[^\w\s]|\w+")
_LINE = regex(r"[^\n]+")
# Words that are read. The models are trained on the first 160 of a message, whatever they say.
_MOST, _SHORT, MOST_OF_A_TEXT = 160, 60, 800
_DRUG = regex(
    r"(?:olol|pril|sartan|dipine|semide|thiazide|statin|formin|gliptin|gliflozin|glutide|oxetine|traline|alopram"
    r"|faxine|triptyline|tazapine|prazole|[aio]tidine|xaban|parin|trexate|mumab|azepam|azolam|tiapine|anzapine|trigine"
    r"|racetam|azepine|gabalin|gabapentin|tamol|profen|coxib|fenac|codone|tadine|rizine|nisolone|nisone|sonide|mycin"
    r"|cillin|cycline|nazole|thyroxine|triptan|lukast|amfetamine|insulin|inhaler)$"
)
_TRADE = regex(r"[a-z]{3,}(?:er|or|ist|ian|eer|ant|man|woman|person)$")
_OF_PLURALS = frozenset(("animal", "trade", "kin"))
SUBJECTS = {
    word: subject
    for subject, words in {
        "I": "i im i'm ive i've i'd id i'll me",
        "MY": "my our mine",
        "WE": "we we're we've us",
        "HE": "he she they he's she's hes shes they're theyre",
        "HIS": "his her their",
        "YOU": "you your",
        "WHO": "who",
    }.items()
    for word in words.split()
}
_SPEAKER = frozenset(("I", "MY", "WE"))
UNREAL = frozenset(("if", "would", "wish", "could", "imagine", "pretend", "suppose"))
_ENDS = frozenset((".", "!", "?"))
_YEAR, _LONGEST_NUMBER, NEAR = 4, 3, 3


@dataclass(frozen=True, slots=True)
class Token:
    """A word, a number or a sign of a text, from `start` to `end`."""

    text: str
    start: int
    end: int


def tokens_of(text: str, most: int = _MOST) -> list[Token]:
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
    sentences = sentence_numbers(words)
    own = {sentence for word, sentence in zip(words, sentences, strict=True) if SUBJECTS.get(word) in _SPEAKER}
    own |= {sentence + 1 for sentence in own}
    return [token for token, sentence in zip(tokens, sentences, strict=True) if sentence in own][:_MOST]


def keys_of(words: Iterable[str]) -> NDArray[np.uint64]:
    """Return 64 bits for each word or feature: an array of them takes a twentieth of the memory of a dictionary."""
    said = (word.encode("utf-8", "surrogatepass") for word in words)
    return np.fromiter((zlib.crc32(one) << 32 | zlib.adler32(one) for one in said), np.uint64)


def each_line(text: str) -> Iterator[str]:
    """Yield the lines of a text one by one, so that they are not all held at once."""
    return (match.group() for match in _LINE.finditer(text))


@dataclass(frozen=True, slots=True)
class Words:
    """The knowledge of words: the classes that lists name, and the groups of words that are used alike.

    A word stands in one group of 64, one of 256 and one of 1,000 (`benchmarks.word_groups`): `groups` has them in the
    order of `keys`, shape (words, 3).
    """

    classes: Mapping[str, tuple[str, ...]]
    keys: NDArray[np.uint64]
    groups: NDArray[np.int16]

    def groups_of(self, words: Sequence[str]) -> list[tuple[int, int, int] | None]:
        """Return the groups of each word, or of what it is the genitive or the plural of."""
        plain = [word.removesuffix("'s").removesuffix("'") for word in words]
        singular = [word[:-1] if word.endswith("s") else word for word in plain]
        return [one or other for one, other in zip(self._find(plain), self._find(singular), strict=True)]

    def _find(self, words: Sequence[str]) -> list[tuple[int, int, int] | None]:
        keys = keys_of(words)
        found = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        rows = self.groups[found].tolist()
        known = (self.keys[found] == keys).tolist()
        return [(row[0], row[1], row[2]) if is_known else None for row, is_known in zip(rows, known, strict=True)]


def read_words(lists: Mapping[str, str], groups: Mapping[str, str]) -> Words:
    """Return what is known of words, by the words of each class, and by the words of each three groups."""
    classes: dict[str, tuple[str, ...]] = {}
    for name, words in lists.items():
        for word in words.split():
            classes[word] = (*classes.get(word, ()), name)
    keys = keys_of(word for words in groups.values() for word in words.split())
    numbers = np.array([[*map(int, one.split())] for one in groups], dtype=np.int16)
    rows = np.repeat(numbers, [len(words.split()) for words in groups.values()], axis=0)
    order = np.argsort(keys, kind="stable")
    return Words(classes, keys[order], rows[order])


def sentence_numbers(words: Sequence[str]) -> list[int]:
    """Return the number of each token's sentence; a stop belongs to the one that it ends."""
    out, sentence = list[int](), 0
    for word in words:
        out.append(sentence)
        sentence += word in _ENDS
    return out


def normal_form(text: str) -> str:
    """Return a token as features name it: years and longer numbers are alike, and so are short ones by length."""
    word = text.lower()
    if not word[0].isdigit():
        return word
    if not word.isdigit():
        return "#" if len(word) > _YEAR else word
    return "year" if len(word) == _YEAR else "0" * min(len(word), _LONGEST_NUMBER)


def shape_of(text: str) -> str:
    """Return how a token is written: with a capital, in capitals, as a number of so many digits, or as a sign."""
    if text[0].isdigit():
        return f"d{min(len(text), _YEAR)}"
    if not text[0].isalnum():
        return "p"
    if text.isupper() and len(text) > 1:
        return "XX"
    return "Xx" if text[0].isupper() else "x"


def classes_among(word: str, classes: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Return the classes of a word: those of the lists, and what its ending says."""
    found = classes.get(word, ())
    if not found and word.endswith("s"):
        found = tuple(name for name in classes.get(word[:-1], ()) if name in _OF_PLURALS)
    if _DRUG.search(word):
        return (*found, "drug")
    return found or (("trade?",) if _TRADE.fullmatch(word) else ())
