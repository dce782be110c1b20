"""Summaries without a model: sentences of what was said, word for word and in their order.

The summary of a topic takes the sentences that hold most of the weight of its words (`summarise_topic`): its scope
tells what they weigh (`labels`). A chain stands alone, and so do two summaries that become one. There the sentences
are central whose words others use too (`central_sentences`, `merge_summary`). Code, headings, items of lists and cut
sentences are left out where whole sentences are there.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from memoryos_core.extract.asking import READ_CHARS, clip
from memoryos_core.rules.text.function_words import COMMON_WORDS, FUNCTION_WORDS, REFERRING_WORDS
from memoryos_core.rules.text.words import regex, sentences, terms, words
from memoryos_core.values.dialogue import Half

TURNS_KEPT = 4096  # of a scope; a turn is read again each time that the topics of its scope are made anew
SENTENCE_CHARS = 200  # two or three lines: what is longer is no sentence of a summary
# Below this many terms a sentence is an exclamation, however common its words are.
_FULL_SENTENCE_TERMS = 5
# Choosing a handful among more candidates than this would not be better, only slower: a topic's sentences are compared
# with each other once for each that is chosen.
_CANDIDATES, _OF_A_TURN, _COMPARED = 400, 30, 40
# A block of code between fences; the last one may have been cut.
FENCED = regex(r"(?s)```.*?(?:```|\Z)")
# The beginning of a heading, of an item of a list, of a quotation, of a row of a table, or of a comment in code.
_MARKED = regex(r"\s*(?:[-*+#>|]|//|\d+[.)]\s)")
_CODE = regex(r"[{}\[\]<>=;_\\/|#*@$`~^+&]")
_MOST_CODE = 0.03  # of the characters: two such signs in a line of code, none or one in a line of prose
_UNFINISHED = (":", ",", ";", "…")
_FIRST_WORD = regex(r"[^\w\[(*_]{0,3}([^\W_]+)(?:['\u2019]\w+)?([,!])?")
# Whatever makes a sentence say less halves its worth, and saying a word again halves what the word is worth. A question
# is halved twice: it has no full stop either.
_HALF = 0.5
# An assistant's sentence must hold three times as much as a person's: it explains what anybody could look up, and the
# memory is about the person. With a half, summaries of coding chats became general (ADR 0030).
_OF_ASSISTANT = 1 / 3
# Weights are divided by (length + 8) ** 0.7, so that no sentence wins by length alone. Divided by the length itself the
# shortest cries win, not divided the longest sentences (chosen by reading, ADR 0030).
_SHORT, _LENGTH = 8, 0.7
# A sentence of which two thirds of the terms were told, or which gains a seventh of the best one, says nothing new.
_NEW, _LITTLE = 1 / 3, 1 / 7
_ROUNDED = 1 + 1e-9  # above what rounding adds


@dataclass(frozen=True, slots=True)
class Speech:
    """The words of one half of a page. `is_person`: of the user or another person, not of an assistant."""

    half: Half
    text: str
    page: int
    is_person: bool = True


class _Sentence(NamedTuple):
    """A sentence with its terms, and how well it can be read alone, 0 to 1."""

    text: str
    terms: frozenset[str]
    length: int
    clarity: float


_Worth: TypeAlias = "tuple[float, float, frozenset[str]]"
"""What a sentence is worth in a topic's summary, the weights of its terms together, and these terms."""


def summarise_topic(topic: Sequence[Speech], weights: Mapping[str, float], language: str, count: int) -> str:
    """Return the sentences that hold most of the weight of a topic's terms, `count` at most; "" without words.

    A sentence gains little by words that another one has said.
    """
    worth = _worth_of_sentences(topic, weights, language)
    best = sorted(worth, key=lambda text: -worth[text][0])[:_COMPARED]
    least = _LITTLE * worth[best[0]][0] if best else 0
    chosen: list[str] = []
    told: Counter[str] = Counter()
    gains = {text: worth[text][0] * _ROUNDED for text in best}  # what each gains at most
    while len(chosen) < count:
        text, gain = _best_of(gains, worth, weights, told)
        if not gains or gain <= least:
            break
        chosen.append(text)
        told.update(worth[text][2])
        del gains[text]
    if not chosen:
        return central_sentences((speech.text for speech in topic), count)
    return " ".join(text for text in worth if text in chosen)


def _best_of(
    gains: dict[str, float], worth: Mapping[str, _Worth], weights: Mapping[str, float], told: Counter[str]
) -> tuple[str, float]:
    """Return the sentence that gains most, the first of equals, and what it gains.

    `gains` are bounds, since what more is told makes no sentence gain more; it gets what is found of them.
    """
    found, most = "", -1.0
    for text, bound in gains.items():
        if bound > most:
            gains[text] = gain = _gain(worth[text], weights, told)
            if gain > most:
                found, most = text, gain
    return found, most


def _worth_of_sentences(topic: Sequence[Speech], weights: Mapping[str, float], language: str) -> dict[str, _Worth]:
    worth: dict[str, _Worth] = {}
    for speech in topic:
        part = 1.0 if speech.is_person else _OF_ASSISTANT
        for s in _sentences_of(speech.text, language):
            if s.text not in worth:
                telling = math.fsum([weights.get(term, 0.0) for term in s.terms])
                full = min(1.0, len(s.terms) / _FULL_SENTENCE_TERMS)
                worth[s.text] = part * full * s.clarity * telling / (s.length + _SHORT) ** _LENGTH, telling, s.terms
    return worth


def _gain(worth: _Worth, weights: Mapping[str, float], told: Counter[str]) -> float:
    """Return what a sentence is still worth behind others that have told some of its terms."""
    value, telling, found = worth
    if not told or not telling:
        return value
    if len(found - told.keys()) < _NEW * len(found):
        return 0.0
    return value / telling * math.fsum([weights.get(term, 0.0) * _HALF ** told.get(term, 0) for term in found])


@lru_cache(maxsize=TURNS_KEPT)
def _sentences_of(text: str, language: str) -> tuple[_Sentence, ...]:
    """Return the sentences of a text that a person would read as such."""
    common = COMMON_WORDS.get(language, frozenset()) | FUNCTION_WORDS.get(language, frozenset())
    found = [s for s in _sentences([FENCED.sub("\n", text)]) if _is_prose(s)][:_OF_A_TURN]
    return tuple(_Sentence(s, frozenset(terms(s)), len(words(s)), _clarity(s, common)) for s in found)


def _clarity(sentence: str, common: frozenset[str]) -> float:
    """Return how well a sentence can be read alone: a question, a cry or what refers to another one says little."""
    first = _FIRST_WORD.match(sentence)
    if first is None:  # "[shares a photo]"
        return 0.0
    word, mark = first.group(1).lower(), first.group(2)
    clarity = 1.0
    if sentence.endswith(("?", "\uff1f")):
        clarity *= _HALF
    if word in REFERRING_WORDS or (mark and word in common) or first.group(1).islower():
        clarity *= _HALF
    if not sentence.endswith((".", "!", "\u3002", "\uff01")):
        clarity *= _HALF
    return clarity


def central_sentences(texts: Iterable[str], count: int) -> str:
    """Return the `count` sentences whose terms other ones use most, each cut at SENTENCE_CHARS; "" without words."""
    candidates = _candidates(texts)
    chosen = _best(_centrality(candidates))[:count]
    return " ".join(candidates[i] for i in sorted(chosen))


def merge_summary(old: str, new: str, count: int) -> str:
    """Return the central sentences of two summaries, `count` of them, with at least one of each.

    With a `count` of 1 only the newer one is used. A model's summaries merge in the same way.
    """
    before = _candidates([old])
    candidates = before + [s for s in _candidates([new]) if s not in before]
    border = len(before)
    ranked = _best(_centrality(candidates))
    firsts = [next((i for i in ranked if i >= border), None), next((i for i in ranked if i < border), None)]
    heard = [i for i in firsts if i is not None][:count]
    chosen = heard + [i for i in ranked if i not in heard][: count - len(heard)]
    return " ".join(candidates[i] for i in sorted(chosen))


def _centrality(candidates: Sequence[str]) -> list[float]:
    """Return for each sentence the mean of how many sentences use its terms, by logarithm; less for a short one."""
    terms_of = [frozenset(terms(sentence)) for sentence in candidates]
    tally = Counter(term for found in terms_of for term in found)
    # An exact sum in any order: the order of a set differs between processes.
    sums = [math.fsum(math.log1p(tally[term]) for term in found) for found in terms_of]
    return [total / max(len(found), _FULL_SENTENCE_TERMS) for total, found in zip(sums, terms_of, strict=True)]


def _best(weights: Sequence[float]) -> list[int]:
    return [i for i in sorted(range(len(weights)), key=lambda i: (-weights[i], i)) if weights[i] > 0]


def _candidates(texts: Iterable[str]) -> list[str]:
    given = list(texts)
    found = _sentences(FENCED.sub("\n", text) for text in given) or _sentences(given)
    shown = [s for s in found if _is_prose(s)] or list(dict.fromkeys(clip(s, SENTENCE_CHARS) for s in found))
    return shown[:_CANDIDATES]


def _sentences(texts: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(s for text in texts for s in sentences(text[:READ_CHARS])))


def _is_prose(sentence: str) -> bool:
    """Return whether a person would read this as a whole sentence, or as a short line that somebody said."""
    if len(sentence) > SENTENCE_CHARS or sentence.endswith(_UNFINISHED) or _MARKED.match(sentence):
        return False
    return len(_CODE.findall(sentence)) <= _MOST_CODE * len(sentence)
